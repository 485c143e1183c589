/* SPDX-License-Identifier: MIT
 * Operands of PTX instructions: parsed from the text, and matched with what the instruction's
 * row wants. */
#include "ptx/parse/cured-ptx-parser-private.h"

#include "base/cured-base-internal.h"

/* ---- Raw operands ---- */

/* .x after a vector's name: 0 to 3; -1: none. */
static int
get_component (const CuredPtxToken *word)
{
  static const char names[] = "xyzwrgba";

  if (word->length != 1)
    return -1;
  const char *at = strchr (names, word->at[0]);
  return at != NULL ? (int) (at - names) % 4 : -1;
}

/* ".b3", ".h10": parts of a register, the highest one in front. */
static guint32
read_part (const CuredPtxToken *word)
{
  guint32 part = 0;
  guint n = word->length - 1;

  if (word->length < 2 || n > 4 || (word->at[0] != 'b' && word->at[0] != 'h') ||
      (word->at[0] == 'h' && n > 2))
    return 0;
  for (guint i = 0; i < n; i++)
    {
      char digit = word->at[word->length - 1 - i];

      if (digit < '0' || digit > (word->at[0] == 'h' ? '3' : '7'))
        return 0;
      part |= (guint32) (digit - '0') << (5 + 3 * i);
    }
  return part | n << 2 | (word->at[0] == 'h' ? CURED_PTX_PART_HALF : 0);
}

/* After a name: .x, + number, [number]. */
static void
parse_behind_name (CuredPtxParser *self, CuredPtxRaw *raw)
{
  if (self->token.kind == CURED_TOKEN_WORD)
    {
      if (self->takes_parts)
        {
          guint32 part = read_part (&self->token);

          if (part == 0)
            _cured_ptx_parser_fail_expected (self,
                                             _ (".b0 to .b3, .h0, .h1, or several of one kind"));
          raw->part |= part;
          cured_ptx_parser_next (self);
          return;
        }
      raw->component = (gint8) get_component (&self->token);
      if (raw->component < 0)
        _cured_ptx_parser_fail_expected (self, _ (".x, .y, .z or .w"));
      cured_ptx_parser_next (self);
    }
  if (_cured_ptx_parse_addend (self, &raw->value))
    raw->has_addend = TRUE;
  else if (cured_ptx_parser_is (self, '['))
    {
      const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);
      guint bytes = _cured_ptx_types[symbol->type].bytes;

      if (symbol->kind < CURED_SYMBOL_GLOBAL || symbol->kind > CURED_SYMBOL_SLOT)
        _cured_ptx_parser_fail_expected (self, _ ("the name of a variable before the bracket"));
      cured_ptx_parser_next (self);
      raw->value = (guint64) _cured_ptx_parse_integer (self) * bytes;
      _cured_ptx_parser_expect (self, ']');
      raw->has_addend = TRUE;
    }
}

/* A sign before a name. @what: its name in errors, not yet translated */
static gboolean
accept_prefix (CuredPtxParser *self, char sign, const char *what)
{
  const char *at = self->lexer.at;

  while (g_ascii_isspace (*at))
    at++;
  if (!cured_ptx_parser_is (self, sign) || g_ascii_isdigit (*at) ||
      (*at != '\0' && strchr ("(-+~!", *at) != NULL))
    return FALSE;
  cured_ptx_parser_next (self);
  if (self->token.kind != CURED_TOKEN_NAME)
    _cured_ptx_parser_fail_expected (self, _ (what));
  return TRUE;
}

/* A name, a number, or '_'. */
static void
parse_simple (CuredPtxParser *self, CuredPtxRaw *raw)
{
  /* Not all of it is cleared, since it is large. */
  raw->is_negated = raw->is_decimal = raw->has_addend = FALSE;
  raw->n = raw->part = raw->symbol = raw->piped = 0;
  raw->component = -1;
  raw->value = 0;
  if (accept_prefix (self, '!', N_ ("a predicate")))
    raw->is_negated = TRUE;
  else if (self->takes_parts && accept_prefix (self, '-', N_ ("a register")))
    raw->part = CURED_PTX_PART_NEGATED;
  raw->token = self->token;
  if (self->token.kind != CURED_TOKEN_NAME)
    {
      raw->kind = CURED_RAW_INTEGER;
      if (self->token.kind == CURED_TOKEN_INTEGER &&
          (*self->lexer.at == ',' || *self->lexer.at == ';'))
        {
          raw->value = self->token.value;
          cured_ptx_parser_next (self);
        }
      else
        _cured_ptx_parse_constant (self, raw);
      return;
    }
  raw->kind = CURED_RAW_SINK;
  if (self->token.length > 1 || self->token.at[0] != '_')
    {
      raw->symbol = _cured_ptx_lookup (self, &self->token);
      raw->kind = raw->symbol != 0 ? CURED_RAW_SYMBOL : CURED_RAW_NAME;
      if (raw->symbol == 0 && _cured_ptx_is_name (&self->token, "WARP_SZ"))
        {
          _cured_ptx_parse_constant (self, raw);
          return;
        }
    }
  cured_ptx_parser_next (self);
  if (raw->kind == CURED_RAW_SYMBOL)
    parse_behind_name (self, raw);
}

/* A simple operand after the next token. */
static void
parse_element (CuredPtxParser *self)
{
  if (self->n_elements == CURED_MAX_ELEMENTS)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                 _ ("an instruction may have %d elements in braces"),
                                 CURED_MAX_ELEMENTS);
  cured_ptx_parser_next (self);
  parse_simple (self, &self->elements[self->n_elements++]);
}

static void
parse_braces (CuredPtxParser *self, CuredPtxRaw *raw)
{
  raw->kind = CURED_RAW_BRACES;
  raw->is_negated = FALSE;
  raw->piped = 0;
  raw->token = self->token;
  raw->first = self->n_elements;
  do
    parse_element (self);
  while (cured_ptx_parser_is (self, ','));
  raw->n = self->n_elements - raw->first;
  _cured_ptx_parser_expect (self, '}');
}

/* [address], or [address, {coordinates}] of a tensor. */
static void
parse_address (CuredPtxParser *self, CuredPtxRaw *raw)
{
  CuredPtxRaw braces;

  cured_ptx_parser_next (self);
  parse_simple (self, raw);
  if (raw->kind == CURED_RAW_NAME)
    _cured_ptx_parser_fail (self, &raw->token, CURED_ERROR_SYNTAX, _ ("%.*s is not declared"),
                            (int) raw->token.length, raw->token.at);
  if ((raw->kind != CURED_RAW_SYMBOL && raw->kind != CURED_RAW_INTEGER) || raw->is_negated)
    _cured_ptx_parser_fail (
        self, &raw->token, CURED_ERROR_SYNTAX,
        _ ("an address is [register], [variable], either with + number, or [number]"));
  raw->kind = CURED_RAW_ADDRESS;
  if (cured_ptx_parser_accept (self, ','))
    {
      if (!cured_ptx_parser_is (self, '{'))
        _cured_ptx_parser_fail_expected (self, _ ("“{” and coordinates"));
      parse_braces (self, &braces);
      raw->first = braces.first;
      raw->n = braces.n;
    }
  _cured_ptx_parser_expect (self, ']');
}

void
_cured_ptx_parse_operand (CuredPtxParser *self, CuredPtxRaw *raw)
{
  if (cured_ptx_parser_is (self, '{'))
    parse_braces (self, raw);
  else if (cured_ptx_parser_is (self, '['))
    parse_address (self, raw);
  else
    {
      parse_simple (self, raw);
      if (!cured_ptx_parser_is (self, '|'))
        return;
      parse_element (self);
      raw->piped = self->n_elements;
    }
}

/* Reads the operands of an instruction into raws, and the `;`. */
void
_cured_ptx_parse_operands (CuredPtxParser *self, gboolean takes_parts)
{
  self->takes_parts = takes_parts;
  self->n_raws = 0;
  self->n_elements = 0;
  if (!cured_ptx_parser_is (self, ';'))
    do
      {
        if (self->n_raws == CURED_MAX_RAW)
          _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                       _ ("no instruction has more than %d operands"),
                                       CURED_MAX_RAW);
        _cured_ptx_parse_operand (self, &self->raws[self->n_raws++]);
      }
    while (cured_ptx_parser_accept (self, ','));
  if (!cured_ptx_parser_accept (self, ';'))
    _cured_ptx_parser_fail_expected (self, _ ("“,” or “;”"));
  self->takes_parts = FALSE;
}

/* ---- Matching with the row ---- */

/* Fails with an error at the current instruction. */
#define fail_operand(self, raw, code, ...)                                                         \
  _cured_ptx_parser_fail_of (self, &(raw)->token, &(self)->opcode, CURED_ERROR_##code, __VA_ARGS__)

/* Special registers of PTX that the emulator lacks. */
static gboolean
is_unsupported_special (const CuredPtxToken *name)
{
  static const char *const fronts[] = {
    "%pm",
    "%reserved_smem_offset_",
    "%current_graph_exec",
  };

  for (guint i = 0; i < G_N_ELEMENTS (fronts); i++)
    if (name->length >= strlen (fronts[i]) && memcmp (name->at, fronts[i], strlen (fronts[i])) == 0)
      return TRUE;
  return FALSE;
}

static void G_GNUC_NORETURN
fail_needs (CuredPtxParser *self, const CuredPtxRaw *raw, CuredPtxType type)
{
  guint length = raw->kind == CURED_RAW_BRACES ? 1 : raw->token.length;

  if (raw->kind == CURED_RAW_NAME && is_unsupported_special (&raw->token))
    fail_operand (self, raw, INVALID, _ ("the special register %.*s is not emulated"), (int) length,
                  raw->token.at);
  if (raw->kind == CURED_RAW_NAME)
    fail_operand (self, raw, SYNTAX, _ ("%.*s is not declared"), (int) length, raw->token.at);
  if (raw->kind == CURED_RAW_SYMBOL && raw->component < 0 &&
      SYMBOL (self, raw->symbol)->kind == CURED_SYMBOL_REGISTER)
    fail_operand (self, raw, SYNTAX,
                  _ ("%.*s is a register of type .%s, where one for .%s belongs"), (int) length,
                  raw->token.at, _cured_ptx_types[SYMBOL (self, raw->symbol)->type].word,
                  _cured_ptx_types[type].word);
  fail_operand (self, raw, SYNTAX, _ ("%.*s stands where a value of type .%s belongs"),
                (int) length, raw->token.at, _cured_ptx_types[type].word);
}

/* Whether a register of one type may hold a value of another (PTX ISA 9.0, sections 9.2 and 9.4.1);
 * @is_wider: or be wider. */
static gboolean
can_hold (CuredPtxType of_register, CuredPtxType type, gboolean is_wider)
{
  const CuredPtxTypeInfo *holder = &_cured_ptx_types[of_register], *info = &_cured_ptx_types[type];

  if (of_register == type)
    return TRUE;
  if (of_register == CURED_PTX_PRED || type == CURED_PTX_PRED ||
      (is_wider ? holder->bytes < info->bytes : holder->bytes != info->bytes))
    return FALSE;
  if (holder->kind == CURED_PTX_KIND_B || info->kind == CURED_PTX_KIND_B)
    return TRUE;
  return (holder->kind == CURED_PTX_KIND_U || holder->kind == CURED_PTX_KIND_S) &&
         (info->kind == CURED_PTX_KIND_U || info->kind == CURED_PTX_KIND_S ||
          type == CURED_PTX_U16X2 || type == CURED_PTX_S16X2);
}

/* A register of a raw operand, or a component of a vector. */
static gboolean
is_register (CuredPtxParser *self, const CuredPtxRaw *raw)
{
  if (raw->kind != CURED_RAW_SYMBOL || raw->has_addend)
    return FALSE;
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);
  return (symbol->kind == CURED_SYMBOL_REGISTER && raw->component < 0) ||
         (symbol->kind == CURED_SYMBOL_VECTOR && raw->component >= 0 &&
          raw->component < symbol->n_components);
}

static CuredPtxOperand
match_number (CuredPtxParser *self, const CuredPtxRaw *raw, CuredPtxType type)
{
  const CuredPtxTypeInfo *info = &_cured_ptx_types[type];
  guint64 bits = raw->value;
  gboolean is_float = type == CURED_PTX_F32 || type == CURED_PTX_F64;

  if (raw->kind == CURED_RAW_INTEGER)
    {
      if (info->kind == CURED_PTX_KIND_F || info->kind == CURED_PTX_KIND_X)
        fail_needs (self, raw, type);
      if (type == CURED_PTX_PRED)
        return _cured_ptx_get_constant (self, bits != 0, 1, 0);
      if (info->bytes == 1)
        bits = info->kind == CURED_PTX_KIND_S ? (guint64) (gint64) (gint8) bits : bits & 0xff;
    }
  else if (is_float && info->bytes != (raw->kind == CURED_RAW_F32 ? 4 : 8))
    bits = _cured_ptx_from_double (_cured_ptx_to_double (raw->kind, bits), info->bytes);
  else if (!is_float &&
           (info->kind != CURED_PTX_KIND_B || info->bytes != (raw->kind == CURED_RAW_F32 ? 4 : 8)))
    fail_needs (self, raw, type);
  return _cured_ptx_get_constant (self, bits, MAX (info->bytes, 2), 0);
}

/* Takes a register or a number as a source. */
CuredPtxOperand
_cured_ptx_match_source (CuredPtxParser *self, const CuredPtxRaw *raw, CuredPtxType type,
                         gboolean is_wider)
{
  if (raw->piped == 0 &&
      (raw->kind == CURED_RAW_INTEGER || raw->kind == CURED_RAW_F32 || raw->kind == CURED_RAW_F64))
    return match_number (self, raw, type);
  if (raw->piped != 0 || !is_register (self, raw) ||
      !can_hold (SYMBOL (self, raw->symbol)->type, type, is_wider) ||
      (raw->is_negated && type != CURED_PTX_PRED))
    fail_needs (self, raw, type);
  CuredPtxOperand operand = _cured_ptx_use_register (self, raw->symbol, raw->component);
  operand.is_negated = raw->is_negated ? 1 : 0;
  return operand;
}

/* Takes a register or `_` as a destination. */
CuredPtxOperand
_cured_ptx_match_destination (CuredPtxParser *self, const CuredPtxRaw *raw, CuredPtxType type,
                              gboolean is_wider)
{
  if (raw->kind == CURED_RAW_SINK)
    return (CuredPtxOperand){ 0 };
  if (!is_register (self, raw) || raw->is_negated ||
      !can_hold (SYMBOL (self, raw->symbol)->type, type, is_wider))
    fail_needs (self, raw, type);
  return _cured_ptx_use_register (self, raw->symbol, raw->component);
}

/* State of matching the row's letters. */
typedef struct
{
  CuredPtxInst *inst;
  const CuredPtxOpInfo *info;
  guint first; /* index of the instruction's first operand */
  guint n_addresses;
  CuredPtxType type; /* the first suffix */
  CuredPtxType last;
  gboolean has_immediate;
} Match;

static void
add_operand (CuredPtxParser *self, CuredPtxOperand operand)
{
  g_array_append_val (self->operands, operand);
}

static void
add_own (CuredPtxParser *self, guint which)
{
  CuredPtxOwn own = { .function = self->function, .site = self->code->len, .which = which };

  g_array_append_val (self->own_shared, own);
}

/* The address of a variable: base and offset. */
static CuredPtxOperand
match_variable (CuredPtxParser *self, const CuredPtxRaw *raw, guint width, gint64 *displacement,
                guint which)
{
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);
  gboolean counts_from_start =
      symbol->kind == CURED_SYMBOL_GLOBAL || symbol->kind == CURED_SYMBOL_DYNAMIC;

  if (raw->component >= 0 || raw->is_negated || raw->piped != 0)
    fail_operand (self, raw, SYNTAX, _ ("%.*s is a variable: it has no part of that name"),
                  (int) raw->token.length, raw->token.at);
  *displacement = (gint64) (raw->value + (counts_from_start ? 0 : symbol->offset));
  switch ((guint) symbol->kind)
    {
    case CURED_SYMBOL_GLOBAL:
      VARIABLE (self, symbol->index)->is_used = TRUE;
      return _cured_ptx_get_constant (self, 0, 8, symbol->index + 1);
    case CURED_SYMBOL_DYNAMIC:
      return (CuredPtxOperand){
        .offset = (guint32) G_STRUCT_OFFSET (CuredSpecials, dynamic_shared),
        .base = CURED_BASE_SPECIALS,
        .width = 8,
      };
    case CURED_SYMBOL_LOCAL:
    case CURED_SYMBOL_SLOT:
      return (CuredPtxOperand){
        .offset = CURED_FRAME_BASE_OFFSET,
        .base = CURED_BASE_REGISTERS,
        .width = 8,
      };
    case CURED_SYMBOL_SHARED:
    case CURED_SYMBOL_PARAMETER:
      if (symbol->is_own)
        add_own (self, which);
      else if (symbol->kind == CURED_SYMBOL_SHARED)
        self->uses_shared = TRUE;
      return _cured_ptx_get_constant (self, 0, width, 0);
    default:
      fail_operand (self, raw, SYNTAX, _ ("%.*s has no address"), (int) raw->token.length,
                    raw->token.at);
    }
}

static CuredPtxWord
get_space_word (const CuredPtxSymbol *symbol, const CuredPtxParser *self)
{
  switch ((guint) symbol->kind)
    {
    case CURED_SYMBOL_GLOBAL:
      return VARIABLE (self, symbol->index)->space == CURED_SPACE_CONST ? CURED_PTX_SPACE_CONST
                                                                        : CURED_PTX_SPACE_GLOBAL;
    case CURED_SYMBOL_SHARED:
    case CURED_SYMBOL_DYNAMIC: return CURED_PTX_SPACE_SHARED;
    case CURED_SYMBOL_PARAMETER:
    case CURED_SYMBOL_SLOT: return CURED_PTX_SPACE_PARAM;
    default: return CURED_PTX_SPACE_LOCAL;
    }
}

/* The space of a copy's second address, or of the third, a barrier. */
static CuredPtxWord
get_from_word (const CuredPtxInst *inst, guint which)
{
  return which == 2 || inst->words[CURED_PTX_GROUP_FROM] == CURED_PTX_FROM_SHARED
             ? CURED_PTX_SPACE_SHARED
             : CURED_PTX_SPACE_GLOBAL;
}

/* Whether @op accepts a variable without its space, unless it is a constant or a parameter. */
static gboolean
is_generic_access (guint op)
{
  return op == CURED_PTX_OP_ld || op == CURED_PTX_OP_ldu || op == CURED_PTX_OP_st ||
         op == CURED_PTX_OP_atom || op == CURED_PTX_OP_red;
}

/* [register + number], [variable + number], [number]. @is_tensor: of a tensor map, which is
 * generic. */
static void
match_address (CuredPtxParser *self, Match *match, const CuredPtxRaw *raw, gboolean is_tensor)
{
  CuredPtxInst *inst = match->inst;
  guint which = match->n_addresses++;
  gint64 displacement = (gint64) raw->value;
  guint8 *word = &inst->words[CURED_PTX_GROUP_SPACE];
  gboolean is_entry = FUNCTION (self, self->function)->is_entry;
  CuredPtxOperand operand;

  /* variable[2] is an address, too. */
  if (raw->kind != CURED_RAW_ADDRESS && !(raw->kind == CURED_RAW_SYMBOL && raw->has_addend &&
                                          SYMBOL (self, raw->symbol)->kind >= CURED_SYMBOL_GLOBAL &&
                                          SYMBOL (self, raw->symbol)->kind <= CURED_SYMBOL_SLOT))
    fail_operand (self, raw, SYNTAX, _ ("an address in brackets belongs here"));
  if (raw->n > 0 && !is_tensor)
    fail_operand (self, raw, SYNTAX, _ ("an address without coordinates belongs here"));
  CuredSymbolKind kind = SYMBOL (self, raw->symbol)->kind;
  CuredPtxWord said = is_tensor ? CURED_PTX_NO_WORD
                      : which > 0 && match->info->modifiers >> CURED_PTX_GROUP_FROM & 1
                          ? get_from_word (inst, which)
                          : (CuredPtxWord) *word;
  if (raw->symbol == 0)
    {
      if (*word != CURED_PTX_SPACE_LOCAL)
        fail_operand (self, raw, INVALID,
                      _ ("only local memory has addresses that are numbers; load the address into "
                         "a register"));
      operand = _cured_ptx_get_constant (self, 0, 8, 0);
    }
  else if (kind == CURED_SYMBOL_REGISTER || kind == CURED_SYMBOL_VECTOR)
    {
      const CuredPtxTypeInfo *type = &_cured_ptx_types[SYMBOL (self, raw->symbol)->type];
      CuredPtxRaw base = *raw;

      base.kind = CURED_RAW_SYMBOL;
      base.has_addend = FALSE;
      if (!is_register (self, &base) || type->kind == CURED_PTX_KIND_P || type->bytes < 4 ||
          type->kind == CURED_PTX_KIND_F)
        fail_needs (self, &base, CURED_PTX_U64);
      if (type->bytes == 4 && (said == CURED_PTX_NO_WORD || said == CURED_PTX_SPACE_GLOBAL ||
                               said == CURED_PTX_SPACE_CONST))
        fail_operand (self, raw, INVALID, _ ("%.*s has 32 bits, and an address here has 64"),
                      (int) raw->token.length, raw->token.at);
      operand = _cured_ptx_use_register (self, raw->symbol, raw->component);
      /* Parameters of a function whose address was taken. */
      if (said == CURED_PTX_SPACE_PARAM && !is_entry)
        *word = CURED_PTX_SPACE_LOCAL;
    }
  else
    {
      CuredPtxWord space = get_space_word (SYMBOL (self, raw->symbol), self);
      gboolean is_named = space == CURED_PTX_SPACE_CONST || space == CURED_PTX_SPACE_PARAM;

      if (kind >= CURED_SYMBOL_GLOBAL && kind <= CURED_SYMBOL_SLOT && said != space &&
          (said != CURED_PTX_NO_WORD || (is_named && is_generic_access (inst->op))))
        fail_operand (self, raw, SYNTAX,
                      _ ("%.*s is not in the state space that the instruction names"),
                      (int) raw->token.length, raw->token.at);
      operand = match_variable (self, raw, 8, &displacement, which);
      if (kind == CURED_SYMBOL_PARAMETER && inst->op != CURED_PTX_OP_ld)
        fail_operand (self, raw, SYNTAX, _ ("parameters of a kernel can only be loaded"));
      /* A generic access to a variable becomes one of its space. */
      if (kind == CURED_SYMBOL_SLOT)
        *word = CURED_PTX_SPACE_LOCAL;
      else if (said == CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_GLOBAL && which == 0 &&
               !is_tensor)
        *word = (guint8) space;
    }
  *(which == 2   ? &inst->immediate
    : which == 1 ? &inst->displacement2
                 : &inst->displacement) = displacement;
  add_operand (self, operand);
}

/* Coordinates of texels may be floats; the layer before them may not. */
static CuredPtxType
get_coordinate_type (const CuredPtxInst *inst, guint i)
{
  guint8 shape = inst->words[CURED_PTX_GROUP_DIMENSIONS];

  if (!_cured_ptx_is_texture (inst->op) || inst->n_types < 2)
    return CURED_PTX_S32;
  return i == 0 && (shape == CURED_PTX_DIMENSIONS_A1D || shape == CURED_PTX_DIMENSIONS_A2D ||
                    shape == CURED_PTX_DIMENSIONS_ACUBE)
             ? CURED_PTX_S32
             : (CuredPtxType) inst->types[1];
}

/* An address; for a tensor map, a texture or a surface followed by coordinates. */
static void
match_tensor (CuredPtxParser *self, Match *match, const CuredPtxRaw *raw)
{
  match_address (self, match, raw, raw->n > 0);
  for (guint i = 0; i < raw->n; i++)
    add_operand (self, _cured_ptx_match_source (self, &self->elements[raw->first + i],
                                                get_coordinate_type (match->inst, i), FALSE));
}

/* Offsets of im2col, in braces. */
static void
match_offsets (CuredPtxParser *self, CuredPtxRaw *raw)
{
  if (raw->kind != CURED_RAW_BRACES)
    fail_operand (self, raw, SYNTAX, _ ("offsets in braces belong here"));
  for (guint i = 0; i < raw->n; i++)
    add_operand (self, _cured_ptx_match_source (self, &self->elements[raw->first + i],
                                                CURED_PTX_U16, FALSE));
}

/* Whether @raw names a vector register with all its components. */
gboolean
_cured_ptx_is_whole_vector (const CuredPtxParser *self, const CuredPtxRaw *raw)
{
  return raw->kind == CURED_RAW_SYMBOL && raw->component < 0 && !raw->has_addend &&
         SYMBOL (self, raw->symbol)->kind == CURED_SYMBOL_VECTOR;
}

/* @n elements in braces, or one value. */
static void
match_vector (CuredPtxParser *self, CuredPtxRaw *raw, guint n, CuredPtxType type, gboolean is_wider,
              gboolean is_destination, gboolean takes_sink)
{
  guint n_given = raw->kind == CURED_RAW_BRACES ? raw->n : 1;
  gboolean is_whole = _cured_ptx_is_whole_vector (self, raw);

  if (is_whole)
    n_given = SYMBOL (self, raw->symbol)->n_components;
  /* A single `_` discards all results of an atomic operation. */
  if (raw->kind == CURED_RAW_SINK && takes_sink)
    n_given = n;
  if (n_given != n)
    fail_operand (self, raw, SYNTAX,
                  g_dngettext (GETTEXT_PACKAGE, "%u value stands where %u belong",
                               "%u values stand where %u belong", n_given),
                  n_given, n);
  for (guint i = 0; i < n; i++)
    {
      CuredPtxRaw *element = raw->kind == CURED_RAW_BRACES ? &self->elements[raw->first + i] : raw;

      if (is_whole)
        raw->component = (gint8) i;
      if (element->kind == CURED_RAW_SINK && n == 1 && !takes_sink)
        fail_needs (self, element, type);
      add_operand (self, is_destination
                             ? _cured_ptx_match_destination (self, element, type, is_wider)
                             : _cured_ptx_match_source (self, element, type, is_wider));
    }
}

/* The type of one of @n parts of a value. */
static CuredPtxType
get_part (CuredPtxType type, guint n)
{
  switch (n == 0 ? 0 : _cured_ptx_types[type].bytes / n)
    {
    case 1: return CURED_PTX_B8;
    case 2: return CURED_PTX_B16;
    case 4: return CURED_PTX_B32;
    default: return CURED_PTX_TYPE_NONE;
    }
}

static CuredPtxType
get_double_width (CuredPtxType type)
{
  switch ((guint) type)
    {
    case CURED_PTX_U16: return CURED_PTX_U32;
    case CURED_PTX_S16: return CURED_PTX_S32;
    case CURED_PTX_U32: return CURED_PTX_U64;
    default: return CURED_PTX_S64;
    }
}

/* mov packs and unpacks: {a, b} of half the width each. */
static void
match_packed (CuredPtxParser *self, Match *match, CuredPtxRaw *raw, gboolean is_destination)
{
  guint n = raw->kind == CURED_RAW_BRACES ? raw->n : SYMBOL (self, raw->symbol)->n_components;
  CuredPtxType part = get_part (match->type, n);
  const CuredPtxTypeInfo *type = &_cured_ptx_types[match->type];

  if (n < 2 || part == CURED_PTX_TYPE_NONE || type->kind != CURED_PTX_KIND_B ||
      _cured_ptx_types[part].bytes * n != type->bytes)
    fail_operand (self, raw, SYNTAX, _ ("%u values can't make up one of type .%s"), n, type->word);
  match_vector (self, raw, n, part, FALSE, is_destination, FALSE);
}

/* A special register, as read by mov or cvt. */
static CuredPtxOperand
match_special (CuredPtxParser *self, Match *match, const CuredPtxRaw *raw, CuredPtxType type)
{
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);
  const CuredPtxTypeInfo *info = &_cured_ptx_types[type];
  CuredPtxOperand operand = symbol->operand;

  if (raw->has_addend || raw->is_negated || (symbol->n_components > 0) != (raw->component >= 0))
    fail_needs (self, raw, type);
  /* The fourth component is always 0. */
  if (raw->component == 3)
    operand.offset = (guint32) G_STRUCT_OFFSET (CuredSpecials, zero);
  else if (raw->component > 0)
    operand.offset += (guint32) raw->component * (guint32) symbol->size;
  if (match->inst->op != CURED_PTX_OP_mov &&
      operand.offset >= G_STRUCT_OFFSET (CuredSpecials, clock))
    fail_operand (self, raw, INVALID, _ ("clocks are read with mov"));
  /* cvt reads the low bits of a wider one; mov those of %gridid and formerly 16-bit ones. */
  if (!(type == CURED_PTX_PRED && operand.width == 1) &&
      (operand.width == 1 || info->kind == CURED_PTX_KIND_F || info->kind == CURED_PTX_KIND_X ||
       type == CURED_PTX_PRED || info->bytes > operand.width || info->bytes < 2 ||
       (match->inst->op == CURED_PTX_OP_mov && info->bytes < operand.width &&
        symbol->operand.offset >= G_STRUCT_OFFSET (CuredSpecials, laneid) &&
        symbol->operand.offset != G_STRUCT_OFFSET (CuredSpecials, gridid))))
    fail_operand (self, raw, INVALID, _ ("%.*s has %d bits; read it as .u%d, then convert it"),
                  (int) raw->token.length, raw->token.at, operand.width * 8, operand.width * 8);
  return operand;
}

/* Whether @raw is %tid or the like, without one of its four components. */
static gboolean
is_special_vector (const CuredPtxParser *self, const CuredPtxRaw *raw)
{
  return raw->kind == CURED_RAW_SYMBOL && raw->component < 0 &&
         SYMBOL (self, raw->symbol)->kind == CURED_SYMBOL_SPECIAL &&
         SYMBOL (self, raw->symbol)->n_components > 0;
}

/* The address of a variable or function, a special register, or a source. */
static CuredPtxOperand
match_named (CuredPtxParser *self, Match *match, CuredPtxRaw *raw, CuredPtxType type)
{
  CuredPtxInst *inst = match->inst;
  const CuredPtxTypeInfo *info = &_cured_ptx_types[type];
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->kind == CURED_RAW_SYMBOL ? raw->symbol : 0);
  guint32 index = symbol->index;

  if (raw->kind != CURED_RAW_SYMBOL || symbol->kind == CURED_SYMBOL_REGISTER ||
      symbol->kind == CURED_SYMBOL_VECTOR)
    return _cured_ptx_match_source (self, raw, type, FALSE);
  if ((symbol->kind == CURED_SYMBOL_SPECIAL && inst->op != CURED_PTX_OP_mov) ||
      (symbol->kind == CURED_SYMBOL_FUNCTION && (info->bytes != 8 || raw->has_addend)))
    fail_needs (self, raw, type);
  if (symbol->kind == CURED_SYMBOL_SPECIAL)
    return match_special (self, match, raw, type);
  if (symbol->kind == CURED_SYMBOL_FUNCTION)
    {
      g_array_append_val (self->taken, index);
      return _cured_ptx_get_constant (self, (guint64) index + 1, 8, 0);
    }
  if (info->kind == CURED_PTX_KIND_F || info->bytes < 4 ||
      (symbol->kind == CURED_SYMBOL_GLOBAL && info->bytes != 8))
    fail_operand (self, raw, INVALID, _ ("the address of %.*s has 64 bits; take it with .u64"),
                  (int) raw->token.length, raw->token.at);
  return match_variable (self, raw, info->bytes, &inst->displacement, 0);
}

static void
match_label (CuredPtxParser *self, const CuredPtxRaw *raw)
{
  CuredPtxJump jump = { .site = self->code->len, .name = raw->token };

  if ((raw->kind != CURED_RAW_NAME && raw->kind != CURED_RAW_SYMBOL) || raw->has_addend ||
      raw->component >= 0 || raw->is_negated)
    fail_operand (self, raw, SYNTAX, _ ("a label belongs here"));
  jump.atom = _cured_ptx_make_atom (self, &raw->token);
  g_array_append_val (self->jumps, jump);
  add_operand (self, (CuredPtxOperand){ 0 });
}

/* Elements of a fragment: registers of any width, which the selector checks. */
static void
match_fragment (CuredPtxParser *self, CuredPtxRaw *raw)
{
  guint n = raw->kind == CURED_RAW_BRACES ? raw->n : 1;

  for (guint i = 0; i < n; i++)
    {
      CuredPtxRaw *element = raw->kind == CURED_RAW_BRACES ? &self->elements[raw->first + i] : raw;

      if (!is_register (self, element) || element->is_negated ||
          SYMBOL (self, element->symbol)->type == CURED_PTX_PRED)
        fail_operand (self, element, SYNTAX, _ ("a register belongs here"));
      add_operand (self, _cured_ptx_use_register (self, element->symbol, element->component));
    }
}

/* Whether a video instruction works on halves or bytes, for which ptxas accepts no numbers. */
static gboolean
is_of_parts (const CuredPtxOpInfo *info)
{
  const char last = info->mnemonic[strlen (info->mnemonic) - 1];

  return last == '2' || last == '4';
}

/* Types that depend on the instruction's suffixes. */
enum
{
  FIRST = CURED_PTX_N_TYPES, /* the first */
  DOUBLE,                    /* of twice its width */
};

/* Letters of a row for a register or, as a source, a number. */
static const struct
{
  char letter;
  guint8 type;
  gboolean is_destination, is_wider;
  /* numbers that ptxas accepts: multiples of @step up to @most. 0: any */
  guint32 step, most;
} simple[] = {
  { 'D', FIRST, TRUE, FALSE, 0, 0 },
  { 'W', DOUBLE, TRUE, FALSE, 0, 0 },
  { 'E', FIRST, TRUE, TRUE, 0, 0 },
  { 'd', CURED_PTX_U32, TRUE, FALSE, 0, 0 },
  { 'N', CURED_PTX_U32, TRUE, FALSE, 0, 0 },
  { 'H', CURED_PTX_B64, TRUE, FALSE, 0, 0 },
  { 'P', CURED_PTX_PRED, TRUE, FALSE, 0, 0 },
  { 'O', CURED_PTX_PRED, TRUE, FALSE, 0, 0 },
  { 's', CURED_PTX_U32, FALSE, FALSE, 0, 0 },
  { 'S', FIRST, FALSE, FALSE, 0, 0 },
  { 'X', DOUBLE, FALSE, FALSE, 0, 0 },
  { 'J', CURED_PTX_B64, FALSE, FALSE, 0, 0 },
  { 'Q', CURED_PTX_PRED, FALSE, FALSE, 0, 0 },
  { 'B', CURED_PTX_B16, FALSE, FALSE, 0, 0 },
  { 'r', CURED_PTX_U32, FALSE, FALSE, 0, 0 },
  { 'f', CURED_PTX_U32, FALSE, FALSE, 0, 255 },
  { 'i', CURED_PTX_U32, FALSE, FALSE, 0, 15 },
  { 'h', CURED_PTX_U32, FALSE, FALSE, 32, G_MAXUINT32 },
};

static CuredPtxOperand
match_simple (CuredPtxParser *self, Match *match, guint row, const CuredPtxRaw *raw)
{
  CuredPtxInst *inst = match->inst;
  char letter = simple[row].letter;
  CuredPtxType type = simple[row].type == FIRST    ? match->type
                      : simple[row].type == DOUBLE ? get_double_width (match->type)
                                                   : (CuredPtxType) simple[row].type;

  if ((letter == 'r' || (letter == 's' && is_of_parts (match->info))) &&
      raw->kind != CURED_RAW_SYMBOL)
    fail_operand (self, raw, SYNTAX, _ ("a register belongs here, as ptxas has it"));
  if (raw->kind == CURED_RAW_INTEGER && simple[row].most > 0 &&
      (guint64) raw->value > simple[row].most)
    fail_operand (self, raw, INVALID, _ ("a number from 0 to %u belongs here"), simple[row].most);
  if (raw->kind == CURED_RAW_INTEGER && simple[row].step > 0 && raw->value % simple[row].step != 0)
    fail_operand (self, raw, INVALID, _ ("a multiple of %u belongs here"), simple[row].step);
  if (letter == 's' || letter == 'd')
    inst->immediate |= (gint64) raw->part << (CURED_PTX_PART_BITS * inst->n_counts);
  if (!simple[row].is_destination)
    return _cured_ptx_match_source (self, raw, type, FALSE);
  if (raw->kind == CURED_RAW_SINK && letter != 'O' && letter != 'H' &&
      inst->op != CURED_PTX_OP_atom && inst->op != CURED_PTX_OP_elect)
    fail_operand (self, raw, SYNTAX,
                  _ ("the result can't be thrown away: a register belongs here"));
  return _cured_ptx_match_destination (self, raw, type, simple[row].is_wider);
}

/* Adds the operands for a letter of the row. */
static void
match_one (CuredPtxParser *self, Match *match, char letter, CuredPtxRaw *raw)
{
  CuredPtxInst *inst = match->inst;
  CuredPtxType type;
  gboolean is_wider;

  for (guint i = 0; i < G_N_ELEMENTS (simple); i++)
    if (simple[i].letter == letter)
      {
        add_operand (self, match_simple (self, match, i, raw));
        return;
      }
  switch (letter)
    {
    case 'T':
      type = inst->op == CURED_PTX_OP_createpolicy ? CURED_PTX_F32 : match->last;
      is_wider = inst->op == CURED_PTX_OP_cvt || inst->op == CURED_PTX_OP_cvt_small;
      add_operand (self, is_wider && raw->kind == CURED_RAW_SYMBOL &&
                                 SYMBOL (self, raw->symbol)->kind == CURED_SYMBOL_SPECIAL
                             ? match_special (self, match, raw, type)
                             : _cured_ptx_match_source (self, raw, type, is_wider));
      break;
    case 'U':
      /* cp.async accepts a number of bytes, or a predicate. */
      type = inst->op == CURED_PTX_OP_cp_async && is_register (self, raw) &&
                     SYMBOL (self, raw->symbol)->type == CURED_PTX_PRED
                 ? CURED_PTX_PRED
                 : CURED_PTX_U32;
      add_operand (self, _cured_ptx_match_source (self, raw, type, FALSE));
      break;
    case 'V':
    case 'Y':
      if ((raw->kind == CURED_RAW_BRACES || _cured_ptx_is_whole_vector (self, raw)) &&
          inst->op == CURED_PTX_OP_mov && cured_get_vector (inst) == 1)
        match_packed (self, match, raw, letter == 'V');
      else
        match_vector (self, raw, cured_get_vector (inst), match->type,
                      inst->op != CURED_PTX_OP_mov && inst->op != CURED_PTX_OP_atom &&
                          inst->op != CURED_PTX_OP_red,
                      letter == 'V', inst->op == CURED_PTX_OP_atom);
      break;
    case 'g':
    case 'G': match_fragment (self, raw); break;
    case 'M': match_address (self, match, raw, FALSE); break;
    case 'C': match_tensor (self, match, raw); break;
    case 'R': match_offsets (self, raw); break;
    case 'A':
      type = match->type == CURED_PTX_TYPE_NONE ? CURED_PTX_U64 : match->type;
      if (cured_get_vector (inst) == 4 && is_special_vector (self, raw))
        for (raw->component = 0; raw->component < 4; raw->component++)
          add_operand (self, match_special (self, match, raw, type));
      else if (cured_get_vector (inst) > 1)
        match_vector (self, raw, cured_get_vector (inst), type, FALSE, FALSE, FALSE);
      else if ((raw->kind == CURED_RAW_BRACES || _cured_ptx_is_whole_vector (self, raw)) &&
               inst->op == CURED_PTX_OP_mov)
        match_packed (self, match, raw, FALSE);
      else
        add_operand (self, match_named (self, match, raw,
                                        inst->words[CURED_PTX_GROUP_PARITY] != CURED_PTX_NO_WORD
                                            ? CURED_PTX_U32
                                            : type));
      break;
    case 'I':
      if (raw->kind != CURED_RAW_INTEGER || raw->piped != 0)
        fail_operand (self, raw, SYNTAX, _ ("a number belongs here"));
      /* The first of several. */
      if (!match->has_immediate)
        inst->immediate = (gint64) raw->value;
      match->has_immediate = TRUE;
      add_operand (self, _cured_ptx_get_constant (self, raw->value, 4, 0));
      break;
    case 'L':
    case 'K': match_label (self, raw); break;
    default: g_assert_not_reached ();
    }
}

static void G_GNUC_NORETURN
fail_number (CuredPtxParser *self, guint least, guint most)
{
  if (least == most)
    _cured_ptx_parser_fail (self, &self->opcode, CURED_ERROR_SYNTAX,
                            g_dngettext (GETTEXT_PACKAGE, "%.*s takes %u operand, and %u are given",
                                         "%.*s takes %u operands, and %u are given", least),
                            (int) self->opcode.length, self->opcode.at, least, self->n_raws);
  _cured_ptx_parser_fail (self, &self->opcode, CURED_ERROR_SYNTAX,
                          g_dngettext (GETTEXT_PACKAGE,
                                       "%.*s takes %u to %u operand, and %u are given",
                                       "%.*s takes %u to %u operands, and %u are given", most),
                          (int) self->opcode.length, self->opcode.at, least, most, self->n_raws);
}

/* Whether the words require an optional operand: a cache policy for the hint, the
 * blocks of a cluster for .multicast::cluster, offsets for .im2col. -1: unknown. */
static int
is_said (const CuredPtxInst *inst, char letter)
{
  if (letter == 'J')
    return inst->words[CURED_PTX_GROUP_HINT] != CURED_PTX_NO_WORD;
  if (letter == 'B')
    return inst->words[CURED_PTX_GROUP_MULTICAST] != CURED_PTX_NO_WORD;
  if (letter == 'R')
    return inst->words[CURED_PTX_GROUP_TENSOR_MODE] == CURED_PTX_TENSOR_MODE_IM2COL;
  return -1;
}

/* Arranges the operands as the row's letters require. The operands of @inst are stored as an
 * index into the parser's. */
void
_cured_ptx_match_operands (CuredPtxParser *self, CuredPtxInst *inst)
{
  const CuredPtxOpInfo *info = &_cured_ptx_ops[inst->op];
  Match match = {
    .inst = inst,
    .info = info,
    .first = self->operands->len,
    .type = inst->types[0],
    .last = inst->n_types > 0 ? inst->types[inst->n_types - 1] : 0,
  };
  guint least = 0, most = 0, at = 0;
  CuredPtxRaw *before = NULL;

  for (const char *c = info->operands; *c != '\0'; c++)
    if (*c != 'O' && *c != '?')
      {
        int said = c[1] == '?' ? is_said (inst, *c) : 1;

        least += said > 0;
        most += said != 0;
      }
  if (self->n_raws < least || self->n_raws > most)
    fail_number (self, least, most);
  guint spare = self->n_raws - least;

  for (const char *c = info->operands; *c != '\0'; c++)
    {
      int said = c[1] == '?' ? is_said (inst, *c) : 1;
      guint n_before = self->operands->len;
      CuredPtxRaw *raw = at < self->n_raws ? &self->raws[at] : NULL;

      if (*c == '?')
        continue;
      if (*c == 'O')
        {
          said = before != NULL && before->piped != 0;
          if (said != 0)
            {
              raw = &self->elements[before->piped - 1];
              before->piped = 0;
            }
        }
      else if (said < 0)
        {
          said = spare > 0 && raw != NULL && !(*c == 'H' && raw->kind == CURED_RAW_ADDRESS);
          spare -= (guint) said;
        }
      if (said == 0)
        add_operand (self, (CuredPtxOperand){ 0 });
      else if (raw == NULL)
        fail_number (self, least, most);
      else
        {
          match_one (self, &match, *c, raw);
          if (*c != 'O')
            {
              at++;
              before = raw;
            }
        }
      inst->counts[inst->n_counts++] = (guint8) (self->operands->len - n_before);
    }
  if (at != self->n_raws)
    fail_number (self, least, most);
  for (guint i = 3; i < self->n_raws; i++)
    if (self->raws[i].part > CURED_PTX_PART_NEGATED ||
        (self->raws[i].part != 0 && inst->op != CURED_PTX_OP_vmad))
      fail_operand (self, &self->raws[i], SYNTAX, _ ("the last operand is a whole register"));
  for (guint i = 0; i < self->n_raws; i++)
    if (self->raws[i].piped != 0)
      fail_operand (self, &self->raws[i], SYNTAX, _ ("it has no second result after a “|”"));
  inst->x = GSIZE_TO_POINTER ((gsize) match.first);
}
