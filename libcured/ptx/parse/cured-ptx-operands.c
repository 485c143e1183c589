/* SPDX-License-Identifier: MIT
 * Operands of PTX instructions: as they stand in the text, and matched with what the instruction's
 * row wants. */
#include "config.h"

#include "ptx/parse/cured-ptx-parser-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"

/* ---- As they stand in the text ---- */

/* .x behind a vector's name: 0 to 3; -1: not one. */
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

/* Behind a name: .x, + number, [number]. */
static gboolean
parse_behind_name (CuredPtxParser *self, CuredPtxRaw *raw)
{
  gint64 number;

  if (self->token.kind == CURED_TOKEN_WORD)
    {
      if (self->takes_parts)
        {
          guint32 part = read_part (&self->token);

          if (part == 0)
            return _cured_ptx_parser_fail_expected (
                self, _ (".b0 to .b3, .h0, .h1, or several of one kind"));
          raw->part |= part;
          cured_ptx_parser_next (self);
          return TRUE;
        }
      raw->component = (gint8) get_component (&self->token);
      if (raw->component < 0)
        return _cured_ptx_parser_fail_expected (self, _ (".x, .y, .z or .w"));
      cured_ptx_parser_next (self);
    }
  if (cured_ptx_parser_is (self, '+') || cured_ptx_parser_is (self, '-'))
    {
      gboolean is_minus = cured_ptx_parser_is (self, '-');

      cured_ptx_parser_next (self);
      if (!_cured_ptx_parse_integer (self, &number))
        return FALSE;
      raw->value = is_minus ? (guint64) 0 - (guint64) number : (guint64) number;
      raw->has_addend = TRUE;
    }
  else if (cured_ptx_parser_is (self, '['))
    {
      const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);

      if (symbol->kind < CURED_SYMBOL_GLOBAL || symbol->kind > CURED_SYMBOL_SLOT)
        return _cured_ptx_parser_fail_expected (self,
                                                _ ("the name of a variable before the bracket"));
      cured_ptx_parser_next (self);
      if (!_cured_ptx_parse_integer (self, &number) || !_cured_ptx_parser_expect (self, ']'))
        return FALSE;
      symbol = SYMBOL (self, raw->symbol);
      raw->value = (guint64) number * _cured_ptx_types[symbol->type].bytes;
      raw->has_addend = TRUE;
    }
  return TRUE;
}

/* A name, a number, or '_'. */
static gboolean
parse_simple (CuredPtxParser *self, CuredPtxRaw *raw)
{
  raw->is_negated = FALSE;
  raw->is_decimal = FALSE;
  raw->n = 0;
  raw->has_addend = FALSE;
  raw->component = -1;
  raw->part = 0;
  raw->symbol = 0;
  raw->piped = 0;
  raw->value = 0;
  raw->token = self->token;
  if (cured_ptx_parser_is (self, '!') && g_ascii_isdigit (*self->lexer.at) == FALSE &&
      *self->lexer.at != '(')
    {
      raw->is_negated = TRUE;
      cured_ptx_parser_next (self);
      if (self->token.kind != CURED_TOKEN_NAME)
        return _cured_ptx_parser_fail_expected (self, _ ("a predicate"));
      raw->token = self->token;
    }
  if (self->takes_parts && cured_ptx_parser_is (self, '-') && !g_ascii_isdigit (*self->lexer.at) &&
      *self->lexer.at != '(')
    {
      raw->part = CURED_PTX_PART_NEGATED;
      cured_ptx_parser_next (self);
      if (self->token.kind != CURED_TOKEN_NAME)
        return _cured_ptx_parser_fail_expected (self, _ ("a register"));
      raw->token = self->token;
    }
  if (self->token.kind != CURED_TOKEN_NAME)
    {
      raw->kind = CURED_RAW_INTEGER;
      if (self->token.kind == CURED_TOKEN_INTEGER &&
          (*self->lexer.at == ',' || *self->lexer.at == ';'))
        {
          raw->value = self->token.value;
          cured_ptx_parser_next (self);
          return TRUE;
        }
      return _cured_ptx_parse_constant (self, raw);
    }
  if (self->token.length == 1 && self->token.at[0] == '_')
    {
      raw->kind = CURED_RAW_SINK;
      cured_ptx_parser_next (self);
      return TRUE;
    }
  raw->symbol = _cured_ptx_lookup (self, &self->token);
  if (raw->symbol == 0)
    {
      if (self->token.length == 7 && memcmp (self->token.at, "WARP_SZ", 7) == 0)
        return _cured_ptx_parse_constant (self, raw);
      raw->kind = CURED_RAW_NAME;
      cured_ptx_parser_next (self);
      return TRUE;
    }
  raw->kind = CURED_RAW_SYMBOL;
  cured_ptx_parser_next (self);
  return parse_behind_name (self, raw);
}

static CuredPtxRaw *
add_element (CuredPtxParser *self)
{
  if (self->n_elements == CURED_MAX_ELEMENTS)
    {
      _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                   _ ("an instruction may have %d elements in braces"),
                                   CURED_MAX_ELEMENTS);
      return NULL;
    }
  return &self->elements[self->n_elements++];
}

static gboolean
parse_braces (CuredPtxParser *self, CuredPtxRaw *raw)
{
  raw->kind = CURED_RAW_BRACES;
  raw->is_negated = FALSE;
  raw->piped = 0;
  raw->token = self->token;
  raw->first = self->n_elements;
  raw->n = 0;
  do
    {
      CuredPtxRaw *element = add_element (self);

      cured_ptx_parser_next (self);
      if (element == NULL || !parse_simple (self, element))
        return FALSE;
      raw->n++;
    }
  while (cured_ptx_parser_is (self, ','));
  return _cured_ptx_parser_expect (self, '}');
}

/* [address], or [address, {coordinates}] of a tensor. */
static gboolean
parse_address (CuredPtxParser *self, CuredPtxRaw *raw)
{
  CuredPtxRaw braces;

  cured_ptx_parser_next (self);
  if (!parse_simple (self, raw))
    return FALSE;
  if (raw->kind == CURED_RAW_NAME)
    return _cured_ptx_parser_fail (self, raw->token.line, raw->token.column, CURED_ERROR_SYNTAX,
                                   _ ("%.*s is not declared"), (int) raw->token.length,
                                   raw->token.at);
  if ((raw->kind != CURED_RAW_SYMBOL && raw->kind != CURED_RAW_INTEGER) || raw->is_negated)
    return _cured_ptx_parser_fail (
        self, raw->token.line, raw->token.column, CURED_ERROR_SYNTAX,
        _ ("an address is [register], [variable], either with + number, or [number]"));
  raw->kind = CURED_RAW_ADDRESS;
  if (cured_ptx_parser_accept (self, ','))
    {
      if (!cured_ptx_parser_is (self, '{'))
        return _cured_ptx_parser_fail_expected (self, _ ("“{” and coordinates"));
      if (!parse_braces (self, &braces))
        return FALSE;
      raw->first = braces.first;
      raw->n = braces.n;
    }
  return _cured_ptx_parser_expect (self, ']');
}

gboolean
_cured_ptx_parse_operand (CuredPtxParser *self, CuredPtxRaw *raw)
{
  if (cured_ptx_parser_is (self, '{'))
    return parse_braces (self, raw);
  if (cured_ptx_parser_is (self, '['))
    return parse_address (self, raw);
  if (!parse_simple (self, raw))
    return FALSE;
  if (cured_ptx_parser_is (self, '|'))
    {
      CuredPtxRaw *element = add_element (self);

      cured_ptx_parser_next (self);
      if (element == NULL || !parse_simple (self, element))
        return FALSE;
      raw->piped = self->n_elements;
    }
  return TRUE;
}

/* Reads the operands of an instruction into raws, and the `;`. */
gboolean
_cured_ptx_parse_operands (CuredPtxParser *self, gboolean takes_parts)
{
  self->takes_parts = takes_parts;
  self->n_raws = 0;
  self->n_elements = 0;
  if (!cured_ptx_parser_is (self, ';'))
    for (;;)
      {
        if (self->n_raws == CURED_MAX_RAW)
          return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                              _ ("no instruction has more than %d operands"),
                                              CURED_MAX_RAW);
        if (!_cured_ptx_parse_operand (self, &self->raws[self->n_raws]))
          return FALSE;
        self->n_raws++;
        if (!cured_ptx_parser_accept (self, ','))
          break;
      }
  if (!cured_ptx_parser_is (self, ';'))
    return _cured_ptx_parser_fail_expected (self, _ ("“,” or “;”"));
  cured_ptx_parser_next (self);
  self->takes_parts = FALSE;
  return TRUE;
}

/* ---- Matched with the row ---- */

static gboolean G_GNUC_PRINTF (4, 5)
    fail_operand (CuredPtxParser *self, const CuredPtxRaw *raw, gint code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return _cured_ptx_parser_fail (self, raw->token.line, raw->token.column, code, "%.*s: %s",
                                 (int) self->opcode.length, self->opcode.at, text);
}

/* Special registers of PTX that the emulator has not. */
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

static gboolean
fail_needs (CuredPtxParser *self, const CuredPtxRaw *raw, CuredPtxType type)
{
  guint length = raw->kind == CURED_RAW_BRACES ? 1 : raw->token.length;

  if (raw->kind == CURED_RAW_NAME && is_unsupported_special (&raw->token))
    return fail_operand (self, raw, CURED_ERROR_INVALID,
                         _ ("the special register %.*s is not emulated"), (int) length,
                         raw->token.at);
  if (raw->kind == CURED_RAW_NAME)
    return fail_operand (self, raw, CURED_ERROR_SYNTAX, _ ("%.*s is not declared"), (int) length,
                         raw->token.at);
  if (raw->kind == CURED_RAW_SYMBOL && raw->component < 0 &&
      SYMBOL (self, raw->symbol)->kind == CURED_SYMBOL_REGISTER)
    return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                         _ ("%.*s is a register of type .%s, where one for .%s belongs"),
                         (int) length, raw->token.at,
                         _cured_ptx_types[SYMBOL (self, raw->symbol)->type].word,
                         _cured_ptx_types[type].word);
  return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                       _ ("%.*s stands where a value of type .%s belongs"), (int) length,
                       raw->token.at, _cured_ptx_types[type].word);
}

/* Whether a register of one type may hold a value of another (PTX ISA 9.0, sections 9.2 and 9.4.1);
 * @is_wider: or be wider. */
static gboolean
can_hold (CuredPtxType of_register, CuredPtxType type, gboolean is_wider)
{
  const CuredPtxTypeInfo *holder = &_cured_ptx_types[of_register];
  const CuredPtxTypeInfo *info = &_cured_ptx_types[type];

  if (of_register == type)
    return TRUE;
  if (of_register == CURED_PTX_PRED || type == CURED_PTX_PRED ||
      (is_wider ? holder->bytes < info->bytes : holder->bytes != info->bytes))
    return FALSE;
  switch ((guint) info->kind)
    {
    case CURED_PTX_KIND_B:
      return TRUE;
    case CURED_PTX_KIND_U:
    case CURED_PTX_KIND_S:
      return holder->kind == CURED_PTX_KIND_B || holder->kind == CURED_PTX_KIND_U ||
             holder->kind == CURED_PTX_KIND_S;
    case CURED_PTX_KIND_X:
      if ((type == CURED_PTX_U16X2 || type == CURED_PTX_S16X2) &&
          (holder->kind == CURED_PTX_KIND_U || holder->kind == CURED_PTX_KIND_S))
        return TRUE;
      return holder->kind == CURED_PTX_KIND_B;
    case CURED_PTX_KIND_F:
    case CURED_PTX_KIND_P:
    default:
      return holder->kind == CURED_PTX_KIND_B;
    }
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

static gboolean
match_number (CuredPtxParser *self, const CuredPtxRaw *raw, CuredPtxType type,
              CuredPtxOperand *operand)
{
  const CuredPtxTypeInfo *info = &_cured_ptx_types[type];
  guint64 bits = raw->value;
  guint width = MAX (info->bytes, 2);
  double value;
  float single;
  guint32 bits_32;

  if (type == CURED_PTX_PRED)
    {
      if (raw->kind != CURED_RAW_INTEGER)
        return fail_needs (self, raw, type);
      return _cured_ptx_get_constant (self, bits != 0, 1, 0, operand);
    }
  if (raw->kind == CURED_RAW_INTEGER)
    {
      if (info->kind == CURED_PTX_KIND_F ||
          (info->kind == CURED_PTX_KIND_X && type != CURED_PTX_U16X2 && type != CURED_PTX_S16X2))
        return fail_needs (self, raw, type);
      if (info->bytes == 1)
        bits = info->kind == CURED_PTX_KIND_S ? (guint64) (gint64) (gint8) bits : bits & 0xff;
      return _cured_ptx_get_constant (self, bits, width, 0, operand);
    }
  if (type == CURED_PTX_F32 && raw->kind == CURED_RAW_F64)
    {
      memcpy (&value, &raw->value, sizeof value);
      /* A double beyond float's range is infinite, as the hardware's conversion has it. */
      single = (float) value;
      memcpy (&bits_32, &single, sizeof bits_32);
      bits = bits_32;
    }
  else if (type == CURED_PTX_F64 && raw->kind == CURED_RAW_F32)
    {
      bits_32 = (guint32) raw->value;
      memcpy (&single, &bits_32, sizeof single);
      value = (double) single;
      memcpy (&bits, &value, sizeof bits);
    }
  else if (type != CURED_PTX_F32 && type != CURED_PTX_F64 &&
           (info->kind != CURED_PTX_KIND_B || raw->is_decimal ||
            info->bytes != (raw->kind == CURED_RAW_F32 ? 4 : 8)))
    return fail_needs (self, raw, type);
  return _cured_ptx_get_constant (self, bits, width, 0, operand);
}

/* Takes a register or a number as a source. */
gboolean
_cured_ptx_match_source (CuredPtxParser *self, const CuredPtxRaw *raw, CuredPtxType type,
                         gboolean is_wider, CuredPtxOperand *operand)
{
  if (raw->piped != 0)
    return fail_needs (self, raw, type);
  if (raw->kind == CURED_RAW_INTEGER || raw->kind == CURED_RAW_F32 || raw->kind == CURED_RAW_F64)
    return match_number (self, raw, type, operand);
  if (!is_register (self, raw))
    return fail_needs (self, raw, type);
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);
  if (!can_hold (symbol->type, type, is_wider) || (raw->is_negated && type != CURED_PTX_PRED))
    return fail_needs (self, raw, type);
  if (!_cured_ptx_use_register (self, raw->symbol, raw->component, operand))
    return FALSE;
  operand->is_negated = raw->is_negated ? 1 : 0;
  return TRUE;
}

/* Takes a register or `_` as a destination. */
gboolean
_cured_ptx_match_destination (CuredPtxParser *self, const CuredPtxRaw *raw, CuredPtxType type,
                              gboolean is_wider, CuredPtxOperand *operand)
{
  if (raw->kind == CURED_RAW_SINK)
    {
      *operand = (CuredPtxOperand){ 0 };
      return TRUE;
    }
  if (!is_register (self, raw) || raw->is_negated ||
      !can_hold (SYMBOL (self, raw->symbol)->type, type, is_wider))
    return fail_needs (self, raw, type);
  return _cured_ptx_use_register (self, raw->symbol, raw->component, operand);
}

/* What the letters work on. */
typedef struct
{
  CuredPtxInst *inst;
  const CuredPtxOpInfo *info;
  guint first; /* of the instruction's operands */
  guint n_addresses;
  CuredPtxType type; /* the first suffix */
  CuredPtxType last;
  gboolean has_immediate;
} Match;

static CuredPtxOperand *
add_operand (CuredPtxParser *self)
{
  g_array_set_size (self->operands, self->operands->len + 1);
  return &g_array_index (self->operands, CuredPtxOperand, self->operands->len - 1);
}

static void
add_own (CuredPtxParser *self, guint which)
{
  CuredPtxOwn own = { .function = self->function, .site = self->code->len, .which = which };

  g_array_append_val (self->own_shared, own);
}

/* The address of a variable: where it counts from, and how far. */
static gboolean
match_variable (CuredPtxParser *self, const CuredPtxRaw *raw, guint width, CuredPtxOperand *operand,
                gint64 *displacement, guint which)
{
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);
  guint64 offset = symbol->offset + raw->value;

  if (raw->component >= 0 || raw->is_negated || raw->piped != 0)
    return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                         _ ("%.*s is a variable: it has no part of that name"),
                         (int) raw->token.length, raw->token.at);
  switch ((guint) symbol->kind)
    {
    case CURED_SYMBOL_GLOBAL:
      g_array_index (self->variables, CuredPtxVariable, symbol->index).is_used = TRUE;
      *displacement = (gint64) raw->value;
      return _cured_ptx_get_constant (self, 0, 8, symbol->index + 1, operand);
    case CURED_SYMBOL_DYNAMIC:
      *displacement = (gint64) raw->value;
      *operand = (CuredPtxOperand){
        .offset = (guint32) G_STRUCT_OFFSET (CuredSpecials, dynamic_shared),
        .base = CURED_BASE_SPECIALS,
        .width = 8,
      };
      return TRUE;
    case CURED_SYMBOL_LOCAL:
    case CURED_SYMBOL_SLOT:
      *displacement = (gint64) offset;
      *operand = (CuredPtxOperand){
        .offset = CURED_FRAME_BASE_OFFSET,
        .base = CURED_BASE_REGISTERS,
        .width = 8,
      };
      return TRUE;
    case CURED_SYMBOL_SHARED:
    case CURED_SYMBOL_PARAMETER:
      *displacement = (gint64) offset;
      if (symbol->is_own)
        add_own (self, which);
      else if (symbol->kind == CURED_SYMBOL_SHARED)
        self->uses_shared = TRUE;
      return _cured_ptx_get_constant (self, 0, width, 0, operand);
    default:
      return fail_operand (self, raw, CURED_ERROR_SYNTAX, _ ("%.*s has no address"),
                           (int) raw->token.length, raw->token.at);
    }
}

static CuredPtxWord
get_space_word (const CuredPtxSymbol *symbol, const CuredPtxParser *self)
{
  switch ((guint) symbol->kind)
    {
    case CURED_SYMBOL_GLOBAL:
      return g_array_index (self->variables, CuredPtxVariable, symbol->index).space ==
                     CURED_SPACE_CONST
                 ? CURED_PTX_SPACE_CONST
                 : CURED_PTX_SPACE_GLOBAL;
    case CURED_SYMBOL_SHARED:
    case CURED_SYMBOL_DYNAMIC:
      return CURED_PTX_SPACE_SHARED;
    case CURED_SYMBOL_PARAMETER:
    case CURED_SYMBOL_SLOT:
      return CURED_PTX_SPACE_PARAM;
    default:
      return CURED_PTX_SPACE_LOCAL;
    }
}

/* The space of a copy's second address, or of its third: a barrier. */
static CuredPtxWord
get_from_word (const CuredPtxInst *inst, guint which)
{
  return which == 2 || inst->words[CURED_PTX_GROUP_FROM] == CURED_PTX_FROM_SHARED
             ? CURED_PTX_SPACE_SHARED
             : CURED_PTX_SPACE_GLOBAL;
}

/* [register + number], [variable + number], [number]. @is_tensor: of a tensor map, which is
 * generic. */
static gboolean
match_address (CuredPtxParser *self, Match *match, const CuredPtxRaw *raw, gboolean is_tensor)
{
  CuredPtxInst *inst = match->inst;
  guint which = match->n_addresses++;
  gint64 displacement = (gint64) raw->value;
  guint8 *word = &inst->words[CURED_PTX_GROUP_SPACE];
  gboolean is_entry = g_array_index (self->functions, CuredPtxFunction, self->function).is_entry;
  CuredPtxOperand operand;

  /* variable[2] is an address, too. */
  if (raw->kind != CURED_RAW_ADDRESS && !(raw->kind == CURED_RAW_SYMBOL && raw->has_addend &&
                                          SYMBOL (self, raw->symbol)->kind >= CURED_SYMBOL_GLOBAL &&
                                          SYMBOL (self, raw->symbol)->kind <= CURED_SYMBOL_SLOT))
    return fail_operand (self, raw, CURED_ERROR_SYNTAX, _ ("an address in brackets belongs here"));
  if (raw->n > 0 && !is_tensor)
    return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                         _ ("an address without coordinates belongs here"));
  if (raw->symbol == 0)
    {
      if (*word != CURED_PTX_SPACE_LOCAL)
        return fail_operand (self, raw, CURED_ERROR_INVALID,
                             _ ("only local memory has addresses that are numbers; load the "
                                "address into a register"));
      if (!_cured_ptx_get_constant (self, 0, 8, 0, &operand))
        return FALSE;
    }
  else
    {
      const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);
      CuredPtxWord said = is_tensor ? CURED_PTX_NO_WORD
                          : which > 0 && match->info->modifiers >> CURED_PTX_GROUP_FROM & 1
                              ? get_from_word (inst, which)
                              : (CuredPtxWord) *word;

      if (symbol->kind == CURED_SYMBOL_REGISTER || symbol->kind == CURED_SYMBOL_VECTOR)
        {
          CuredPtxRaw base = *raw;

          base.kind = CURED_RAW_SYMBOL;
          base.has_addend = FALSE;
          if (!is_register (self, &base))
            return fail_needs (self, &base, CURED_PTX_U64);
          if (symbol->type == CURED_PTX_PRED || _cured_ptx_types[symbol->type].bytes < 4 ||
              _cured_ptx_types[symbol->type].kind == CURED_PTX_KIND_F)
            return fail_needs (self, &base, CURED_PTX_U64);
          if (_cured_ptx_types[symbol->type].bytes == 4 &&
              (said == CURED_PTX_NO_WORD || said == CURED_PTX_SPACE_GLOBAL ||
               said == CURED_PTX_SPACE_CONST))
            return fail_operand (self, raw, CURED_ERROR_INVALID,
                                 _ ("%.*s has 32 bits, and an address here has 64"),
                                 (int) raw->token.length, raw->token.at);
          if (!_cured_ptx_use_register (self, raw->symbol, raw->component, &operand))
            return FALSE;
          /* Parameters of a function, whose address was taken. */
          if (said == CURED_PTX_SPACE_PARAM && !is_entry)
            *word = CURED_PTX_SPACE_LOCAL;
        }
      else
        {
          CuredPtxWord space = get_space_word (symbol, self);

          if (symbol->kind >= CURED_SYMBOL_GLOBAL && symbol->kind <= CURED_SYMBOL_SLOT &&
              said != space && said != CURED_PTX_NO_WORD)
            return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                                 _ ("%.*s is not in the state space that the instruction names"),
                                 (int) raw->token.length, raw->token.at);
          if (!match_variable (self, raw, 8, &operand, &displacement, which))
            return FALSE;
          symbol = SYMBOL (self, raw->symbol);
          if (symbol->kind == CURED_SYMBOL_PARAMETER && inst->op != CURED_PTX_OP_ld)
            return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                                 _ ("parameters of a kernel can only be loaded"));
          /* A generic access to a variable is one of its space. */
          if (symbol->kind == CURED_SYMBOL_SLOT)
            *word = CURED_PTX_SPACE_LOCAL;
          else if (said == CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_GLOBAL && which == 0 &&
                   !is_tensor)
            *word = (guint8) space;
        }
    }
  if (which == 2)
    inst->immediate = displacement;
  else if (which == 1)
    inst->displacement2 = displacement;
  else
    inst->displacement = displacement;
  *add_operand (self) = operand;
  return TRUE;
}

/* Of texels, coordinates may be real; the layer in front of them is not. */
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

/* An address; of a tensor map, a texture or a surface with coordinates behind it. */
static gboolean
match_tensor (CuredPtxParser *self, Match *match, const CuredPtxRaw *raw, guint8 *count)
{
  if (!match_address (self, match, raw, raw->n > 0))
    return FALSE;
  for (guint i = 0; i < raw->n; i++)
    {
      CuredPtxOperand operand;

      if (!_cured_ptx_match_source (self, &self->elements[raw->first + i],
                                    get_coordinate_type (match->inst, i), FALSE, &operand))
        return FALSE;
      *add_operand (self) = operand;
    }
  *count = (guint8) (1 + raw->n);
  return TRUE;
}

/* Offsets of im2col, in braces. */
static gboolean
match_offsets (CuredPtxParser *self, CuredPtxRaw *raw, guint8 *count)
{
  if (raw->kind != CURED_RAW_BRACES)
    return fail_operand (self, raw, CURED_ERROR_SYNTAX, _ ("offsets in braces belong here"));
  for (guint i = 0; i < raw->n; i++)
    {
      CuredPtxOperand operand;

      if (!_cured_ptx_match_source (self, &self->elements[raw->first + i], CURED_PTX_U16, FALSE,
                                    &operand))
        return FALSE;
      *add_operand (self) = operand;
    }
  *count = (guint8) raw->n;
  return TRUE;
}

/* Elements in braces or one value, of @n if that is not 0. */
static gboolean
match_vector (CuredPtxParser *self, CuredPtxRaw *raw, guint n, CuredPtxType type, gboolean is_wider,
              gboolean is_destination, gboolean takes_sink, guint8 *count)
{
  guint n_given = raw->kind == CURED_RAW_BRACES ? raw->n : 1;
  gboolean is_whole = FALSE;

  if (raw->kind == CURED_RAW_SYMBOL && raw->component < 0 && !raw->has_addend &&
      SYMBOL (self, raw->symbol)->kind == CURED_SYMBOL_VECTOR)
    {
      is_whole = TRUE;
      n_given = SYMBOL (self, raw->symbol)->n_components;
    }
  if (n_given != n)
    return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                         g_dngettext (GETTEXT_PACKAGE, "%u value stands where %u belong",
                                      "%u values stand where %u belong", n_given),
                         n_given, n);
  for (guint i = 0; i < n; i++)
    {
      CuredPtxRaw *element = raw->kind == CURED_RAW_BRACES ? &self->elements[raw->first + i] : raw;
      CuredPtxOperand operand;

      if (is_whole)
        raw->component = (gint8) i;
      if (element->kind == CURED_RAW_SINK && n == 1 && !takes_sink)
        return fail_needs (self, element, type);
      if (is_destination ? !_cured_ptx_match_destination (self, element, type, is_wider, &operand)
                         : !_cured_ptx_match_source (self, element, type, is_wider, &operand))
        return FALSE;
      *add_operand (self) = operand;
    }
  *count = (guint8) n;
  return TRUE;
}

/* The type of one of @n parts of a value. */
static CuredPtxType
get_part (CuredPtxType type, guint n)
{
  switch (n == 0 ? 0 : _cured_ptx_types[type].bytes / n)
    {
    case 1:
      return CURED_PTX_B8;
    case 2:
      return CURED_PTX_B16;
    case 4:
      return CURED_PTX_B32;
    default:
      return CURED_PTX_TYPE_NONE;
    }
}

static CuredPtxType
get_double_width (CuredPtxType type)
{
  switch ((guint) type)
    {
    case CURED_PTX_U16:
      return CURED_PTX_U32;
    case CURED_PTX_S16:
      return CURED_PTX_S32;
    case CURED_PTX_U32:
      return CURED_PTX_U64;
    default:
      return CURED_PTX_S64;
    }
}

/* mov packs and unpacks: {a, b} of half the width each. */
static gboolean
match_packed (CuredPtxParser *self, Match *match, CuredPtxRaw *raw, gboolean is_destination,
              guint8 *count)
{
  CuredPtxType part = get_part (match->type, raw->n);

  if (raw->n < 2 || part == CURED_PTX_TYPE_NONE ||
      _cured_ptx_types[match->type].kind != CURED_PTX_KIND_B ||
      _cured_ptx_types[part].bytes * raw->n != _cured_ptx_types[match->type].bytes)
    return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                         _ ("%u values can't make up one of type .%s"), raw->n,
                         _cured_ptx_types[match->type].word);
  return match_vector (self, raw, raw->n, part, FALSE, is_destination, FALSE, count);
}

/* A special register, where mov or cvt read it. */
static gboolean
match_special (CuredPtxParser *self, Match *match, const CuredPtxRaw *raw, CuredPtxType type,
               CuredPtxOperand *operand)
{
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->symbol);
  const CuredPtxTypeInfo *info = &_cured_ptx_types[type];

  if (raw->has_addend || raw->is_negated || (symbol->n_components > 0) != (raw->component >= 0))
    return fail_needs (self, raw, type);
  *operand = symbol->operand;
  /* The fourth component is always 0. */
  if (raw->component == 3)
    operand->offset = (guint32) G_STRUCT_OFFSET (CuredSpecials, zero);
  else if (raw->component > 0)
    operand->offset += (guint32) raw->component * (guint32) symbol->size;
  if (match->inst->op != CURED_PTX_OP_mov &&
      operand->offset >= G_STRUCT_OFFSET (CuredSpecials, clock))
    return fail_operand (self, raw, CURED_ERROR_INVALID, _ ("clocks are read with mov"));
  if (type == CURED_PTX_PRED && operand->width == 1)
    return TRUE;
  /* The low bits of a wider one are meant. */
  if (operand->width == 1 || info->kind == CURED_PTX_KIND_F || info->kind == CURED_PTX_KIND_X ||
      type == CURED_PTX_PRED || info->bytes > operand->width || info->bytes < 2)
    return fail_operand (
        self, raw, CURED_ERROR_INVALID, _ ("%.*s has %d bits; read it as .u%d, then convert it"),
        (int) raw->token.length, raw->token.at, operand->width * 8, operand->width * 8);
  return TRUE;
}

/* The name of a variable or function, or a source of the first type. */
static gboolean
match_named (CuredPtxParser *self, Match *match, CuredPtxRaw *raw, guint8 *count)
{
  CuredPtxInst *inst = match->inst;
  CuredPtxType type = match->type == CURED_PTX_TYPE_NONE ? CURED_PTX_U64 : match->type;
  CuredPtxOperand operand;

  if (cured_get_vector (inst) > 1)
    return match_vector (self, raw, cured_get_vector (inst), type, FALSE, FALSE, FALSE, count);
  if (raw->kind == CURED_RAW_BRACES && inst->op == CURED_PTX_OP_mov)
    return match_packed (self, match, raw, FALSE, count);
  if (inst->words[CURED_PTX_GROUP_PARITY] != CURED_PTX_NO_WORD)
    type = CURED_PTX_U32;
  const CuredPtxSymbol *symbol = SYMBOL (self, raw->kind == CURED_RAW_SYMBOL ? raw->symbol : 0);
  if (raw->kind != CURED_RAW_SYMBOL || symbol->kind == CURED_SYMBOL_REGISTER ||
      symbol->kind == CURED_SYMBOL_VECTOR)
    {
      if (!_cured_ptx_match_source (self, raw, type, FALSE, &operand))
        return FALSE;
    }
  else if (symbol->kind == CURED_SYMBOL_SPECIAL)
    {
      if (inst->op != CURED_PTX_OP_mov)
        return fail_needs (self, raw, type);
      if (!match_special (self, match, raw, type, &operand))
        return FALSE;
    }
  else if (symbol->kind == CURED_SYMBOL_FUNCTION)
    {
      guint32 index = symbol->index;

      if (_cured_ptx_types[type].bytes != 8 || raw->has_addend)
        return fail_needs (self, raw, type);
      g_array_append_val (self->taken, index);
      if (!_cured_ptx_get_constant (self, (guint64) index + 1, 8, 0, &operand))
        return FALSE;
    }
  else
    {
      guint bytes = _cured_ptx_types[type].bytes;

      if (_cured_ptx_types[type].kind == CURED_PTX_KIND_F || bytes < 4 ||
          (symbol->kind == CURED_SYMBOL_GLOBAL && bytes != 8))
        return fail_operand (self, raw, CURED_ERROR_INVALID,
                             _ ("the address of %.*s has 64 bits; take it with .u64"),
                             (int) raw->token.length, raw->token.at);
      if (!match_variable (self, raw, bytes, &operand, &inst->displacement, 0))
        return FALSE;
    }
  *add_operand (self) = operand;
  *count = 1;
  return TRUE;
}

static gboolean
match_label (CuredPtxParser *self, Match *match, const CuredPtxRaw *raw)
{
  CuredPtxJump jump = {
    .site = self->code->len,
    .line = raw->token.line,
    .column = raw->token.column,
  };

  if ((raw->kind != CURED_RAW_NAME && raw->kind != CURED_RAW_SYMBOL) || raw->has_addend ||
      raw->component >= 0 || raw->is_negated)
    return fail_operand (self, raw, CURED_ERROR_SYNTAX, _ ("a label belongs here"));
  jump.atom = _cured_ptx_make_atom (self, &raw->token);
  return _cured_ptx_jump (self, &jump);
}

/* Elements of a fragment: registers of any width, the selector looks at it. */
static gboolean
match_fragment (CuredPtxParser *self, CuredPtxRaw *raw, guint8 *count)
{
  guint n = raw->kind == CURED_RAW_BRACES ? raw->n : 1;

  for (guint i = 0; i < n; i++)
    {
      CuredPtxRaw *element = raw->kind == CURED_RAW_BRACES ? &self->elements[raw->first + i] : raw;
      CuredPtxOperand operand;

      if (!is_register (self, element) || element->is_negated ||
          SYMBOL (self, element->symbol)->type == CURED_PTX_PRED)
        return fail_operand (self, element, CURED_ERROR_SYNTAX, _ ("a register belongs here"));
      if (!_cured_ptx_use_register (self, element->symbol, element->component, &operand))
        return FALSE;
      *add_operand (self) = operand;
    }
  *count = (guint8) n;
  return TRUE;
}

/* Whether a video instruction is one on halves or bytes: ptxas takes no numbers for their parts. */
static gboolean
is_of_parts (const CuredPtxOpInfo *info)
{
  const char last = info->mnemonic[strlen (info->mnemonic) - 1];

  return last == '2' || last == '4';
}

static gboolean
match_one (CuredPtxParser *self, Match *match, char letter, CuredPtxRaw *raw, guint8 *count)
{
  CuredPtxInst *inst = match->inst;
  CuredPtxType type = CURED_PTX_TYPE_NONE;
  gboolean is_destination = FALSE, is_wider = FALSE;
  CuredPtxOperand operand = { 0 };

  *count = 1;
  switch (letter)
    {
    case 'D':
      type = match->type;
      is_destination = TRUE;
      break;
    case 'W':
      type = get_double_width (match->type);
      is_destination = TRUE;
      break;
    case 'E':
      type = match->type;
      is_destination = is_wider = TRUE;
      break;
    case 'd':
    case 's':
      type = CURED_PTX_U32;
      is_destination = letter == 'd';
      if (!is_destination && raw->kind != CURED_RAW_SYMBOL && is_of_parts (match->info))
        return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                             _ ("a register belongs here, as ptxas has it"));
      inst->immediate |= (gint64) raw->part << (CURED_PTX_PART_BITS * inst->n_counts);
      break;
    case 'N':
      type = CURED_PTX_U32;
      is_destination = TRUE;
      break;
    case 'H':
      type = CURED_PTX_B64;
      is_destination = TRUE;
      break;
    case 'P':
    case 'O':
      type = CURED_PTX_PRED;
      is_destination = TRUE;
      break;
    case 'S':
      type = match->type;
      break;
    case 'X':
      type = get_double_width (match->type);
      break;
    case 'T':
      type = inst->op == CURED_PTX_OP_createpolicy ? CURED_PTX_F32 : match->last;
      is_wider = inst->op == CURED_PTX_OP_cvt || inst->op == CURED_PTX_OP_cvt_small;
      if (is_wider && raw->kind == CURED_RAW_SYMBOL &&
          SYMBOL (self, raw->symbol)->kind == CURED_SYMBOL_SPECIAL)
        {
          if (!match_special (self, match, raw, type, &operand))
            return FALSE;
          *add_operand (self) = operand;
          return TRUE;
        }
      break;
    case 'U':
      /* cp.async takes a number of bytes, or a predicate. */
      type = inst->op == CURED_PTX_OP_cp_async && is_register (self, raw) &&
                     SYMBOL (self, raw->symbol)->type == CURED_PTX_PRED
                 ? CURED_PTX_PRED
                 : CURED_PTX_U32;
      break;
    case 'J':
      type = CURED_PTX_B64;
      break;
    case 'Q':
      type = CURED_PTX_PRED;
      break;
    case 'V':
    case 'Y':
      if (raw->kind == CURED_RAW_BRACES && inst->op == CURED_PTX_OP_mov &&
          cured_get_vector (inst) == 1)
        return match_packed (self, match, raw, letter == 'V', count);
      return match_vector (self, raw, cured_get_vector (inst), match->type,
                           inst->op != CURED_PTX_OP_mov && inst->op != CURED_PTX_OP_atom &&
                               inst->op != CURED_PTX_OP_red,
                           letter == 'V', inst->op == CURED_PTX_OP_atom, count);
    case 'g':
    case 'G':
      return match_fragment (self, raw, count);
    case 'M':
      return match_address (self, match, raw, FALSE);
    case 'C':
      return match_tensor (self, match, raw, count);
    case 'R':
      return match_offsets (self, raw, count);
    case 'B':
      type = CURED_PTX_B16;
      break;
    case 'A':
      return match_named (self, match, raw, count);
    case 'I':
      if (raw->kind != CURED_RAW_INTEGER || raw->piped != 0)
        return fail_operand (self, raw, CURED_ERROR_SYNTAX, _ ("a number belongs here"));
      /* Of several, the first one. */
      if (!match->has_immediate)
        inst->immediate = (gint64) raw->value;
      match->has_immediate = TRUE;
      if (!_cured_ptx_get_constant (self, raw->value, 4, 0, &operand))
        return FALSE;
      *add_operand (self) = operand;
      return TRUE;
    case 'L':
    case 'K':
      *add_operand (self) = operand;
      return match_label (self, match, raw);
    default:
      g_assert_not_reached ();
    }

  if (is_destination)
    {
      if (raw->kind == CURED_RAW_SINK && letter != 'O' && letter != 'H' &&
          inst->op != CURED_PTX_OP_atom && inst->op != CURED_PTX_OP_elect)
        return fail_operand (self, raw, CURED_ERROR_SYNTAX,
                             _ ("the result can't be thrown away: a register belongs here"));
      if (!_cured_ptx_match_destination (self, raw, type, is_wider, &operand))
        return FALSE;
    }
  else if (!_cured_ptx_match_source (self, raw, type, is_wider, &operand))
    return FALSE;
  *add_operand (self) = operand;
  return TRUE;
}

static gboolean
fail_number (CuredPtxParser *self, guint least, guint most)
{
  if (least == most)
    return _cured_ptx_parser_fail (self, self->opcode.line, self->opcode.column, CURED_ERROR_SYNTAX,
                                   g_dngettext (GETTEXT_PACKAGE,
                                                "%.*s takes %u operand, and %u are given",
                                                "%.*s takes %u operands, and %u are given", least),
                                   (int) self->opcode.length, self->opcode.at, least, self->n_raws);
  return _cured_ptx_parser_fail (
      self, self->opcode.line, self->opcode.column, CURED_ERROR_SYNTAX,
      g_dngettext (GETTEXT_PACKAGE, "%.*s takes %u to %u operand, and %u are given",
                   "%.*s takes %u to %u operands, and %u are given", most),
      (int) self->opcode.length, self->opcode.at, least, most, self->n_raws);
}

/* Gives the operands the places that the row's letters say. The operands of @inst are left as an
 * index into the parser's. */
gboolean
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
  gboolean is_hinted = inst->words[CURED_PTX_GROUP_HINT] != CURED_PTX_NO_WORD;
  gboolean is_multicast = inst->words[CURED_PTX_GROUP_MULTICAST] != CURED_PTX_NO_WORD;
  gboolean is_im2col = inst->words[CURED_PTX_GROUP_TENSOR_MODE] == CURED_PTX_TENSOR_MODE_IM2COL;
  guint least = 0, most = 0, at = 0;
  CuredPtxRaw *before = NULL;

  for (const char *c = info->operands; *c != '\0'; c++)
    {
      gboolean is_optional = c[1] == '?';

      if (*c == 'O' || *c == '?')
        continue;
      /* The cache policy is there exactly where the hint says so, the blocks of a cluster where
       * .multicast::cluster does, offsets where .im2col does. */
      if ((*c == 'J' || *c == 'B' || *c == 'R') && is_optional)
        {
          guint n = *c == 'J' ? is_hinted : *c == 'B' ? is_multicast : is_im2col;

          least += n;
          most += n;
          continue;
        }
      most++;
      least += !is_optional;
    }
  if (self->n_raws < least || self->n_raws > most)
    return fail_number (self, least, most);
  guint spare = self->n_raws - least;

  for (const char *c = info->operands; *c != '\0'; c++)
    {
      gboolean is_optional = c[1] == '?';
      guint8 *count = &inst->counts[inst->n_counts];
      CuredPtxRaw *raw = at < self->n_raws ? &self->raws[at] : NULL;
      gboolean is_given = TRUE;

      if (*c == '?')
        continue;
      if (*c == 'O')
        {
          is_given = before != NULL && before->piped != 0;
          if (is_given)
            {
              raw = &self->elements[before->piped - 1];
              before->piped = 0;
            }
        }
      else if (*c == 'J' && is_optional)
        is_given = is_hinted;
      else if (*c == 'B' && is_optional)
        is_given = is_multicast;
      else if (*c == 'R' && is_optional)
        is_given = is_im2col;
      else if (is_optional)
        {
          is_given = spare > 0 && raw != NULL && !(*c == 'H' && raw->kind == CURED_RAW_ADDRESS);
          spare -= is_given;
        }
      if (is_given && raw == NULL)
        return fail_number (self, least, most);
      if (is_given)
        {
          if (!match_one (self, &match, *c, raw, count))
            return FALSE;
          if (*c != 'O')
            {
              at++;
              before = raw;
            }
        }
      else
        {
          *add_operand (self) = (CuredPtxOperand){ 0 };
          *count = 1;
        }
      inst->n_counts++;
    }
  if (at != self->n_raws)
    return fail_number (self, least, most);
  for (guint i = 3; i < self->n_raws; i++)
    if (self->raws[i].part > CURED_PTX_PART_NEGATED ||
        (self->raws[i].part != 0 && inst->op != CURED_PTX_OP_vmad))
      return fail_operand (self, &self->raws[i], CURED_ERROR_SYNTAX,
                           _ ("the last operand is a whole register"));
  for (guint i = 0; i < self->n_raws; i++)
    if (self->raws[i].piped != 0)
      return fail_operand (self, &self->raws[i], CURED_ERROR_SYNTAX,
                           _ ("it has no second result after a “|”"));
  inst->x = GSIZE_TO_POINTER ((gsize) match.first);
  return TRUE;
}
