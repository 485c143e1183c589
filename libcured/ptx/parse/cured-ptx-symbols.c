/* SPDX-License-Identifier: MIT
 * Names, scopes, registers and constants of PTX that is being parsed. */
#include "ptx/parse/cured-ptx-parser-private.h"

#include <stdlib.h>

#include "base/cured-base-internal.h"

/* Maximum number of digits after the name of a range. */
#define MAX_DIGITS 9

/* A frame's predicates are contiguous, 16 in 64 bytes. */
#define PREDICATES_TOGETHER 16

#define SPECIAL(field) (guint32) G_STRUCT_OFFSET (CuredSpecials, field)

/* The special registers. In a grid without clusters each block is a cluster. */
static const struct
{
  const char *name;
  guint32 offset;
  guint8 width, n_components;
  guint8 stride; /* bytes from one component to the next */
} specials[] = {
  { "%tid", SPECIAL (tid), 4, 3, 128 },
  { "%ntid", SPECIAL (ntid), 4, 3, 128 },
  { "%ctaid", SPECIAL (ctaid), 4, 3, 128 },
  { "%nctaid", SPECIAL (nctaid), 4, 3, 128 },
  { "%clusterid", SPECIAL (clusterid), 4, 3, 128 },
  { "%nclusterid", SPECIAL (nclusterid), 4, 3, 128 },
  { "%laneid", SPECIAL (laneid), 4, 0, 0 },
  { "%warpid", SPECIAL (warpid), 4, 0, 0 },
  { "%nwarpid", SPECIAL (nwarpid), 4, 0, 0 },
  { "%smid", SPECIAL (smid), 4, 0, 0 },
  { "%nsmid", SPECIAL (nsmid), 4, 0, 0 },
  { "%gridid", SPECIAL (gridid), 8, 0, 0 },
  { "%lanemask_eq", SPECIAL (lanemask_eq), 4, 0, 0 },
  { "%lanemask_le", SPECIAL (lanemask_le), 4, 0, 0 },
  { "%lanemask_lt", SPECIAL (lanemask_lt), 4, 0, 0 },
  { "%lanemask_ge", SPECIAL (lanemask_ge), 4, 0, 0 },
  { "%lanemask_gt", SPECIAL (lanemask_gt), 4, 0, 0 },
  { "%total_smem_size", SPECIAL (total_smem_size), 4, 0, 0 },
  { "%aggr_smem_size", SPECIAL (aggr_smem_size), 4, 0, 0 },
  { "%dynamic_smem_size", SPECIAL (dynamic_smem_size), 4, 0, 0 },
  { "%cluster_ctaid", SPECIAL (cluster_ctaid), 4, 3, 128 },
  { "%cluster_nctaid", SPECIAL (cluster_nctaid), 4, 3, 128 },
  /* ORDER: of a range and a name, the later one wins. */
  { "%envreg<32>", SPECIAL (envreg[0]), 4, 0, 0 },
  { "%envreg1", SPECIAL (envreg[1]), 4, 0, 0 },
  { "%envreg2", SPECIAL (envreg[2]), 4, 0, 0 },
  { "%cluster_ctarank", SPECIAL (cluster_ctarank), 4, 0, 0 },
  { "%cluster_nctarank", SPECIAL (cluster_nctarank), 4, 0, 0 },
  { "%is_explicit_cluster", SPECIAL (is_explicit_cluster), 1, 0, 0 },
  { "%clock", SPECIAL (clock), 4, 0, 0 },
  { "%clock_hi", SPECIAL (clock_hi), 4, 0, 0 },
  { "%clock64", SPECIAL (clock64), 8, 0, 0 },
  { "%globaltimer", SPECIAL (globaltimer), 8, 0, 0 },
  { "%globaltimer_lo", SPECIAL (globaltimer_lo), 4, 0, 0 },
  { "%globaltimer_hi", SPECIAL (globaltimer_hi), 4, 0, 0 },
};

static inline guint32
mix (guint32 hash)
{
  hash ^= hash >> 15;
  hash *= 0x2c1b3c6du;
  return hash ^ (hash >> 12);
}

/* The name's index in the table, or that of the free entry for it. */
static guint32
find_place (CuredPtxParser *self, const char *at, guint32 length, guint32 hash)
{
  guint32 place = mix (hash) & self->table_mask;

  for (guint32 i; (i = self->table[place]) != 0; place = (place + 1) & self->table_mask)
    {
      const CuredPtxAtom *atom = ATOM (self, i);

      if (atom->hash == hash && atom->length == length && memcmp (atom->at, at, length) == 0)
        break;
    }
  return place;
}

static void
grow_table (CuredPtxParser *self)
{
  self->table_mask = self->table_mask * 2 + 1;
  g_free (self->table);
  self->table = g_new0 (guint32, (gsize) self->table_mask + 1);
  for (guint32 i = 1; i < self->atoms->len; i++)
    {
      guint32 place = mix (ATOM (self, i)->hash) & self->table_mask;

      while (self->table[place] != 0)
        place = (place + 1) & self->table_mask;
      self->table[place] = i;
    }
}

static guint32
make_atom (CuredPtxParser *self, const char *at, guint32 length, guint32 hash)
{
  guint32 place = find_place (self, at, length, hash);
  CuredPtxAtom atom = { .at = at, .length = length, .hash = hash };

  if (self->table[place] != 0)
    return self->table[place];
  g_array_append_val (self->atoms, atom);
  self->table[place] = self->atoms->len - 1;
  if (self->atoms->len > self->table_mask / 2)
    grow_table (self);
  return self->atoms->len - 1;
}

static guint32
make_atom_of (CuredPtxParser *self, const char *name, gsize length)
{
  return make_atom (self, name, (guint32) length, _cured_ptx_hash (name, length, self->lexer.seed));
}

/* The atom of a name; 0: it did not occur. */
guint32
_cured_ptx_find_atom (CuredPtxParser *self, const CuredPtxToken *name)
{
  return self->table[find_place (self, name->at, name->length, name->hash)];
}

/* The symbol of that name and kind; 0: the name is of another kind, or undefined. */
guint32
_cured_ptx_find_symbol (CuredPtxParser *self, const CuredPtxToken *name, CuredSymbolKind kind)
{
  guint32 symbol = ATOM (self, _cured_ptx_find_atom (self, name))->symbol;

  return symbol != 0 && SYMBOL (self, symbol)->kind == kind ? symbol : 0;
}

/* A token for a name made by the parser. @text: (transfer full) */
CuredPtxToken
_cured_ptx_make_token (CuredPtxParser *self, const CuredPtxToken *at, char *text)
{
  CuredPtxToken token = *at;

  g_ptr_array_add (self->joined, text);
  token.at = text;
  token.length = (guint32) strlen (text);
  token.hash = _cured_ptx_hash (text, token.length, self->lexer.seed);
  return token;
}

/* The atom of a name, created if missing. */
guint32
_cured_ptx_make_atom (CuredPtxParser *self, const CuredPtxToken *name)
{
  return make_atom (self, name->at, name->length, name->hash);
}

/* The directive or type of the next token; CURED_KEY_NONE if it is none. */
CuredPtxKey
_cured_ptx_get_key (CuredPtxParser *self)
{
  if (self->token.kind != CURED_TOKEN_WORD)
    return CURED_KEY_NONE;
  return (CuredPtxKey) ATOM (self, _cured_ptx_find_atom (self, &self->token))->key;
}

static CuredPtxSymbol *
push_symbol (CuredPtxParser *self, guint32 atom, CuredSymbolKind kind)
{
  CuredPtxScope *scope = SCOPE (self);
  guint32 index = self->symbols->len;

  g_array_set_size (self->symbols, index + 1);
  CuredPtxSymbol *symbol = SYMBOL (self, index);
  *symbol = (CuredPtxSymbol){
    .kind = kind,
    .scope = scope->id,
    .serial = ++self->serial,
    .atom = atom,
    .next = scope->first,
  };
  scope->first = index;
  return symbol;
}

/* Fills the tables with the directives, the types and the special registers, and opens the scope
 * of the module. */
void
_cured_ptx_symbols_init (CuredPtxParser *self)
{
  static const char *const keys[] = {
    "",
#define KEY(word, id) word,
#include "ptx/parse/cured-ptx-keys.def"
  };

  /* [0] is none. */
  g_array_set_size (self->atoms, 1);
  g_array_set_size (self->symbols, 1);
  g_array_set_size (self->uses, 1);
  g_array_set_size (self->constants, 1);
  self->table_mask = 1023;
  self->table = g_new0 (guint32, (gsize) self->table_mask + 1);
  self->constant_mask = 255;
  self->constant_table = g_new0 (guint32, (gsize) self->constant_mask + 1);
  self->generation = 1;
  _cured_ptx_scope_open (self);

  for (guint i = 1; i < G_N_ELEMENTS (keys); i++)
    {
      guint32 atom = make_atom_of (self, keys[i], strlen (keys[i]));

      ATOM (self, atom)->key = (guint16) i;
    }
  for (guint i = 1; i < CURED_PTX_N_TYPES; i++)
    {
      const char *word = _cured_ptx_types[i].word;
      guint32 atom = make_atom_of (self, word, strlen (word));

      ATOM (self, atom)->key = (guint16) (CURED_KEY_FIRST_TYPE + i);
    }
  for (guint i = 0; i < G_N_ELEMENTS (specials); i++)
    {
      const char *range = strchr (specials[i].name, '<');
      gsize length = range != NULL ? (gsize) (range - specials[i].name) : strlen (specials[i].name);
      guint32 atom = make_atom_of (self, specials[i].name, length);
      CuredPtxSymbol *symbol = push_symbol (self, atom, CURED_SYMBOL_SPECIAL);

      symbol->n_components = specials[i].n_components;
      symbol->size = specials[i].stride;
      symbol->operand = (CuredPtxOperand){
        .offset = specials[i].offset,
        .base = CURED_BASE_SPECIALS,
        .width = specials[i].width,
      };
      if (range != NULL)
        {
          symbol->kind = CURED_SYMBOL_RANGE;
          symbol->index = (guint32) atoi (range + 1);
          ATOM (self, atom)->range = self->symbols->len - 1;
        }
      else
        ATOM (self, atom)->symbol = self->symbols->len - 1;
    }
}

/* ---- Scopes ---- */

/* Begins a scope: declarations from here on are forgotten at its end. */
void
_cured_ptx_scope_open (CuredPtxParser *self)
{
  CuredPtxScope scope = {
    .id = ++self->next_scope,
    .first_jump = self->jumps->len,
    .local_cursor = self->local_cursor,
  };

  g_array_append_val (self->scopes, scope);
}

void
_cured_ptx_fail_jump (CuredPtxParser *self, const CuredPtxJump *jump)
{
  _cured_ptx_parser_fail (self, &jump->name, CURED_ERROR_SYNTAX,
                          _ ("there is no label %.*s in this block or around it"),
                          (int) jump->name.length, jump->name.at);
}

/* Resolves a reference to a label that is now defined. */
static void
set_target (CuredPtxParser *self, const CuredPtxJump *jump, const CuredPtxSymbol *label)
{
  CuredPtxInst *inst =
      jump->site == G_MAXUINT32 ? NULL : &g_array_index (self->code, CuredPtxInst, jump->site);

  if (label->kind !=
      (inst != NULL && inst->op == CURED_PTX_OP_brx ? CURED_SYMBOL_TABLE : CURED_SYMBOL_LABEL))
    _cured_ptx_fail_jump (self, jump);
  if (inst != NULL)
    inst->target = label->index;
  else
    g_array_index (self->tables, CuredPtxTable, jump->table).targets[jump->slot] = label->index;
}

/* Ends the innermost scope: resolves the labels that its branches name, and restores the outer
 * meaning of its names. */
void
_cured_ptx_scope_close (CuredPtxParser *self)
{
  CuredPtxScope scope = *SCOPE (self);
  guint32 kept = scope.first_jump;
  gboolean has_ranges = FALSE;

  for (guint32 i = scope.first_jump; i < self->jumps->len; i++)
    {
      CuredPtxJump jump = g_array_index (self->jumps, CuredPtxJump, i);
      guint32 symbol = ATOM (self, jump.atom)->symbol;

      if (symbol != 0 && SYMBOL (self, symbol)->scope == scope.id)
        set_target (self, &jump, SYMBOL (self, symbol));
      else
        g_array_index (self->jumps, CuredPtxJump, kept++) = jump;
    }
  g_array_set_size (self->jumps, kept);

  for (guint32 i = scope.first; i != 0;)
    {
      CuredPtxSymbol *symbol = SYMBOL (self, i);
      CuredPtxAtom *atom = ATOM (self, symbol->atom);

      if (symbol->kind == CURED_SYMBOL_RANGE)
        {
          atom->range = symbol->below;
          has_ranges = TRUE;
        }
      else
        {
          atom->symbol = symbol->below;
          /* Cached outer symbols may be hidden by a range there. */
          atom->generation = 0;
        }
      i = symbol->next;
    }
  if (has_ranges)
    self->generation++;
  /* Variables of a call are dead after it; those of .local are not. */
  if (!scope.keeps_local)
    self->local_cursor = scope.local_cursor;
  g_array_set_size (self->scopes, self->scopes->len - 1);
  if (scope.keeps_local && self->scopes->len > 0)
    SCOPE (self)->keeps_local = TRUE;
}

/* The @n digits at the end of a name, as a number without leading zeros. */
static gboolean
get_number (const CuredPtxToken *name, guint n, guint32 *number)
{
  const char *at = name->at + name->length - n;

  if (*at == '0' && n > 1)
    return FALSE;
  *number = 0;
  for (guint i = 0; i < n; i++)
    *number = *number * 10 + (guint32) (at[i] - '0');
  return TRUE;
}

static guint
count_digits (const CuredPtxToken *name)
{
  guint n = 0;

  while (n < MAX_DIGITS && n + 1 < name->length && g_ascii_isdigit (name->at[name->length - 1 - n]))
    n++;
  return n;
}

static void G_GNUC_NORETURN
fail_duplicate (CuredPtxParser *self, const CuredPtxToken *name)
{
  _cured_ptx_parser_fail (self, name, CURED_ERROR_SYNTAX,
                          _ ("%.*s is declared twice in this block"), (int) name->length, name->at);
}

/* Makes a symbol in the innermost scope, zero except its name and kind. Returns: the
 * symbol, valid until the next one is made. */
CuredPtxSymbol *
_cured_ptx_declare (CuredPtxParser *self, const CuredPtxToken *name, CuredSymbolKind kind)
{
  guint32 scope = SCOPE (self)->id;
  guint32 atom = _cured_ptx_make_atom (self, name), below = ATOM (self, atom)->symbol;

  if (below != 0 && SYMBOL (self, below)->scope == scope)
    fail_duplicate (self, name);
  if (kind == CURED_SYMBOL_REGISTER || kind == CURED_SYMBOL_VECTOR)
    for (guint n = 1; n <= count_digits (name); n++)
      {
        guint32 length = name->length - n, number;

        if (!get_number (name, n, &number))
          continue;
        guint32 front = make_atom (self, name->at, length,
                                   _cured_ptx_hash (name->at, length, self->lexer.seed));
        CuredPtxAtom *atom_front = ATOM (self, front);
        if (atom_front->range != 0 && SYMBOL (self, atom_front->range)->scope == scope &&
            number < SYMBOL (self, atom_front->range)->index)
          fail_duplicate (self, name);
        if (atom_front->digit_scope != scope || number < atom_front->digit_least)
          atom_front->digit_least = number;
        atom_front->digit_scope = scope;
      }
  CuredPtxSymbol *symbol = push_symbol (self, atom, kind);
  symbol->below = below;
  ATOM (self, atom)->symbol = self->symbols->len - 1;
  ATOM (self, atom)->generation = self->generation;
  return symbol;
}

/* Declares @name0, @name1 and so on. Each gets a place when it is first used. */
void
_cured_ptx_declare_range (CuredPtxParser *self, const CuredPtxToken *name, CuredPtxType type,
                          guint32 n)
{
  guint32 scope = SCOPE (self)->id, index = _cured_ptx_make_atom (self, name);
  CuredPtxAtom *atom = ATOM (self, index);

  if ((atom->range != 0 && SYMBOL (self, atom->range)->scope == scope) ||
      (atom->digit_scope == scope && atom->digit_least < n))
    fail_duplicate (self, name);
  CuredPtxSymbol *symbol = push_symbol (self, index, CURED_SYMBOL_RANGE);
  symbol->below = atom->range;
  symbol->type = (guint8) type;
  symbol->index = n;
  atom->range = self->symbols->len - 1;
  self->generation++;
}

/* A symbol for one register of a range: it belongs to the range's scope. */
static guint32
make_member (CuredPtxParser *self, const CuredPtxToken *name, guint32 range)
{
  guint32 atom = _cured_ptx_make_atom (self, name), index = self->symbols->len;
  CuredPtxScope *scope = NULL;

  g_array_set_size (self->symbols, index + 1);
  CuredPtxSymbol *from = SYMBOL (self, range), *symbol = SYMBOL (self, index);
  for (guint32 i = self->scopes->len; i-- > 0;)
    {
      scope = &g_array_index (self->scopes, CuredPtxScope, i);
      if (scope->id == from->scope)
        break;
    }
  *symbol = (CuredPtxSymbol){
    .kind = from->operand.width != 0 ? CURED_SYMBOL_SPECIAL : CURED_SYMBOL_REGISTER,
    .operand = from->operand,
    .type = from->type,
    .scope = from->scope,
    .serial = from->serial,
    .atom = atom,
    .below = ATOM (self, atom)->symbol,
    .next = scope->first,
  };
  scope->first = index;
  ATOM (self, atom)->symbol = index;
  return index;
}

/* Finds what @name means here: the innermost declaration, of the name itself or of a range that
 * it belongs to. Returns: index of the symbol; 0: none is known (yet). */
guint32
_cured_ptx_lookup (CuredPtxParser *self, const CuredPtxToken *name)
{
  guint32 atom = _cured_ptx_find_atom (self, name);
  guint32 best = atom != 0 ? ATOM (self, atom)->symbol : 0;

  if (G_LIKELY (best != 0 && ATOM (self, atom)->generation == self->generation))
    return best;
  guint32 serial = best != 0 ? SYMBOL (self, best)->serial : 0;
  guint n_digits = count_digits (name);
  for (guint n = 1; n <= n_digits; n++)
    {
      CuredPtxToken front = *name;
      guint32 number;

      if (!get_number (name, n, &number))
        continue;
      front.length = name->length - n;
      front.hash = _cured_ptx_hash (front.at, front.length, self->lexer.seed);
      guint32 index = _cured_ptx_find_atom (self, &front);
      guint32 range = index != 0 ? ATOM (self, index)->range : 0;
      while (range != 0 && number >= SYMBOL (self, range)->index)
        range = SYMBOL (self, range)->below;
      if (range != 0 && SYMBOL (self, range)->serial > serial)
        {
          best = range;
          serial = SYMBOL (self, range)->serial;
        }
    }
  if (best == 0)
    return 0;
  if (SYMBOL (self, best)->kind == CURED_SYMBOL_RANGE)
    best = make_member (self, name, best);
  ATOM (self, SYMBOL (self, best)->atom)->generation = self->generation;
  return best;
}

/* ---- Registers ---- */

/* Allocates a register in the frame, and adds it to the uses. */
static CuredPtxOperand
allocate_register (CuredPtxParser *self, CuredPtxType type)
{
  const CuredPtxTypeInfo *info = &_cured_ptx_types[type];
  CuredPtxUse entry = { .first = self->code->len, .last = self->code->len, .width = info->bytes };
  CuredPtxOperand operand = {
    .base = CURED_BASE_REGISTERS,
    .is_float = type == CURED_PTX_F32 || type == CURED_PTX_F64,
  };

  if (type == CURED_PTX_PRED)
    {
      if (self->predicates_left == 0)
        {
          self->predicate_cursor = self->frame_bytes;
          self->predicates_left = PREDICATES_TOGETHER;
          self->frame_bytes += sizeof (guint32) * PREDICATES_TOGETHER;
        }
      operand.offset = (guint32) self->predicate_cursor;
      operand.width = 1;
      self->predicate_cursor += sizeof (guint32);
      self->predicates_left--;
    }
  else
    {
      operand.offset = (guint32) self->frame_bytes;
      operand.width = MAX (info->bytes, 2);
      self->frame_bytes += (gsize) operand.width * CURED_WARP_LANES;
    }
  if (self->frame_bytes > CURED_MAX_FRAME_BYTES)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                 _ ("the function uses more registers than the emulator has "
                                    "room for (%u MiB per warp); split the kernel"),
                                 CURED_MAX_FRAME_BYTES >> 20);
  g_array_append_val (self->uses, entry);
  return operand;
}

/* Records that the next instruction reads or writes a register; @component: of a vector, or -1. */
CuredPtxOperand
_cured_ptx_use_register (CuredPtxParser *self, guint32 symbol, int component)
{
  CuredPtxSymbol *known = SYMBOL (self, symbol);
  guint32 part = (guint32) MAX (component, 0);

  if (known->use == 0)
    {
      known->use = self->uses->len;
      known->index = self->vectors->len;
      for (guint i = 0; i < known->n_components; i++)
        {
          CuredPtxOperand place = allocate_register (self, known->type);

          g_array_append_val (self->vectors, place);
        }
      known->operand = known->n_components == 0
                           ? allocate_register (self, known->type)
                           : g_array_index (self->vectors, CuredPtxOperand, known->index);
    }
  g_array_index (self->uses, CuredPtxUse, known->use + part).last = self->code->len;
  return known->n_components == 0
             ? known->operand
             : g_array_index (self->vectors, CuredPtxOperand, known->index + part);
}

/* ---- Constants ---- */

static guint32
hash_constant (const CuredPtxConstant *constant)
{
  guint64 hash = constant->bits * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  hash ^= hash >> 29;
  hash += ((guint64) constant->variable << 8) + constant->width;
  hash *= G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  return (guint32) (hash >> 32);
}

static void
grow_constants (CuredPtxParser *self)
{
  self->constant_mask = self->constant_mask * 2 + 1;
  g_free (self->constant_table);
  self->constant_table = g_new0 (guint32, (gsize) self->constant_mask + 1);
  for (guint32 i = 1; i < self->constants->len; i++)
    {
      const CuredPtxConstant *known = &g_array_index (self->constants, CuredPtxConstant, i);
      guint32 place = hash_constant (known) & self->constant_mask;

      while (self->constant_table[place] != 0)
        place = (place + 1) & self->constant_mask;
      self->constant_table[place] = i;
    }
}

/* Finds or makes a value of the pool. */
CuredPtxOperand
_cured_ptx_get_constant (CuredPtxParser *self, guint64 bits, guint width, guint32 variable)
{
  CuredPtxConstant constant = {
    .bits = bits,
    .offset = (guint32) self->constants_size,
    .variable = variable,
    .width = (guint8) width,
  };

  if (width < 8)
    constant.bits &= (G_GUINT64_CONSTANT (1) << (8 * width)) - 1;
  guint32 place = hash_constant (&constant) & self->constant_mask;
  for (guint32 i; (i = self->constant_table[place]) != 0; place = (place + 1) & self->constant_mask)
    {
      const CuredPtxConstant *known = &g_array_index (self->constants, CuredPtxConstant, i);

      if (known->bits == constant.bits && known->width == width && known->variable == variable)
        {
          constant.offset = known->offset;
          break;
        }
    }
  if (self->constant_table[place] == 0)
    {
      self->constant_table[place] = self->constants->len;
      g_array_append_val (self->constants, constant);
      self->constants_size += MAX (width * CURED_WARP_LANES, 64u);
      if (self->constants_size > CURED_MAX_POOL_BYTES)
        _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                     _ ("the module has more constants than the emulator "
                                        "has room for (%u MiB); split the module"),
                                     CURED_MAX_POOL_BYTES >> 20);
      if (self->constants->len > self->constant_mask / 2)
        grow_constants (self);
    }
  return (CuredPtxOperand){
    .offset = constant.offset,
    .base = CURED_BASE_CONSTANTS,
    .width = (guint8) width,
  };
}
