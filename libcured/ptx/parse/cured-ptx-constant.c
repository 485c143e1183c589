/* SPDX-License-Identifier: MIT
 * Numbers and constant expressions of PTX (PTX ISA 9.0, section 4.5). */
#include "ptx/parse/cured-ptx-parser-private.h"

#include "base/cured-base-internal.h"

typedef struct
{
  CuredRawKind kind; /* INTEGER, F32 or F64 */
  gboolean is_unsigned, is_decimal;
  guint64 bits;
} Value;

/* Two characters of an operator as one number. */
#define PAIR(a, b) ((guint) (guchar) (a) << 8 | (guchar) (b))

/* The binary operator at the next token, and its precedence; 0: none. */
static guint
get_operator (CuredPtxParser *self, guint *level)
{
  static const struct
  {
    guint code, level;
  } operators[] = {
    { PAIR ('|', '|'), 1 },
    { PAIR ('&', '&'), 2 },
    { PAIR ('=', '='), 6 },
    { PAIR ('!', '='), 6 },
    { PAIR ('<', '='), 7 },
    { PAIR ('>', '='), 7 },
    { PAIR ('<', '<'), 8 },
    { PAIR ('>', '>'), 8 },
    { '|', 3 },
    { '^', 4 },
    { '&', 5 },
    { '<', 7 },
    { '>', 7 },
    { '+', 9 },
    { '-', 9 },
    { '*', 10 },
    { '/', 10 },
    { '%', 10 },
  };

  if (self->token.kind != CURED_TOKEN_SIGN)
    return 0;
  guint pair = PAIR (self->token.sign, *self->lexer.at);
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (operators[i].code == pair || operators[i].code == (guint) (guchar) self->token.sign)
      {
        *level = operators[i].level;
        return operators[i].code;
      }
  return 0;
}

/* The value of a raw operand; an integer is signed. */
double
_cured_ptx_to_double (CuredRawKind kind, guint64 bits)
{
  double value;
  float single;
  guint32 low = (guint32) bits;

  if (kind == CURED_RAW_INTEGER)
    return (double) (gint64) bits;
  memcpy (&value, &bits, sizeof value);
  memcpy (&single, &low, sizeof single);
  return kind == CURED_RAW_F32 ? (double) single : value;
}

/* The bits of .f32 or .f64. A double beyond float's range becomes infinite, as in the hardware's
 * conversion. */
guint64
_cured_ptx_from_double (double value, guint bytes)
{
  float single = (float) value;
  guint64 bits = 0;
  guint32 low;

  memcpy (&low, &single, sizeof low);
  memcpy (&bits, &value, sizeof bits);
  return bytes == 4 ? low : bits;
}

static double
get_double (const Value *value)
{
  return value->kind == CURED_RAW_INTEGER && value->is_unsigned
             ? (double) value->bits
             : _cured_ptx_to_double (value->kind, value->bits);
}

static double
apply_double (CuredPtxParser *self, guint code, double x, double y)
{
  switch (code)
    {
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    case '/': return x / y;
    default:
      _cured_ptx_parser_fail_here (
          self, CURED_ERROR_INVALID,
          _ ("a constant expression of floating-point numbers has only +, -, * and /"));
    }
}

static guint64
divide (CuredPtxParser *self, guint code, guint64 x, guint64 y, gboolean u)
{
  gint64 sx = (gint64) x, sy = (gint64) y;

  if (y == 0)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID, _ ("division by zero"));
  if (u)
    return code == '/' ? x / y : x % y;
  if (sy == -1)
    return code == '/' ? (guint64) 0 - x : 0;
  return code == '/' ? (guint64) (sx / sy) : (guint64) (sx % sy);
}

static guint64
apply_integer (CuredPtxParser *self, guint code, guint64 x, guint64 y, gboolean u)
{
  gint64 sx = (gint64) x, sy = (gint64) y;

  switch (code)
    {
    case PAIR ('|', '|'): return x != 0 || y != 0;
    case PAIR ('&', '&'): return x != 0 && y != 0;
    case PAIR ('=', '='): return x == y;
    case PAIR ('!', '='): return x != y;
    case PAIR ('<', '='): return u ? x <= y : sx <= sy;
    case PAIR ('>', '='): return u ? x >= y : sx >= sy;
    case '<': return u ? x < y : sx < sy;
    case '>': return u ? x > y : sx > sy;
    case PAIR ('<', '<'): return y < 64 ? x << y : 0;
    case PAIR ('>', '>'):
      /* Shifts of a signed number are arithmetic. */
      if (!u && sx < 0)
        return y < 64 ? ~(~x >> y) : G_MAXUINT64;
      return y < 64 ? x >> y : 0;
    case '|': return x | y;
    case '^': return x ^ y;
    case '&': return x & y;
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    default: return divide (self, code, x, y, u);
    }
}

/* Replaces @a by the result; comparison operators give a signed truth value. */
static void
apply (CuredPtxParser *self, guint code, guint level, Value *a, const Value *b)
{
  gboolean u = a->is_unsigned || b->is_unsigned;

  if (a->kind != CURED_RAW_INTEGER || b->kind != CURED_RAW_INTEGER)
    {
      a->bits =
          _cured_ptx_from_double (apply_double (self, code, get_double (a), get_double (b)), 8);
      a->kind = CURED_RAW_F64;
      a->is_decimal = TRUE;
      return;
    }
  a->bits = apply_integer (self, code, a->bits, b->bits, u);
  a->is_unsigned = u && (level == 3 || level == 4 || level == 5 || level > 7);
}

static Value parse_expression (CuredPtxParser *self, guint depth, guint least);
static Value parse_unary (CuredPtxParser *self, guint depth);

/* (expression), or (.s64) or (.u64) before a number; the next token follows the bracket. */
static Value
parse_brackets (CuredPtxParser *self, guint depth)
{
  CuredPtxKey key = _cured_ptx_get_key (self);
  gboolean is_cast =
      key == CURED_KEY_FIRST_TYPE + CURED_PTX_S64 || key == CURED_KEY_FIRST_TYPE + CURED_PTX_U64;
  Value value = { CURED_RAW_INTEGER };

  if (is_cast)
    cured_ptx_parser_next (self);
  else
    value = parse_expression (self, depth + 1, 0);
  _cured_ptx_parser_expect (self, ')');
  if (!is_cast)
    return value;
  value = parse_unary (self, depth + 1);
  if (value.kind != CURED_RAW_INTEGER)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID, _ ("only integers can be cast"));
  value.is_unsigned = key == CURED_KEY_FIRST_TYPE + CURED_PTX_U64;
  return value;
}

static Value
parse_unary (CuredPtxParser *self, guint depth)
{
  CuredPtxToken token = self->token;
  Value value = { CURED_RAW_INTEGER, .bits = token.value };

  if (depth > CURED_MAX_DEPTH)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                 _ ("a constant expression may be nested %d deep"),
                                 CURED_MAX_DEPTH);
  if (token.kind == CURED_TOKEN_INTEGER)
    value.is_unsigned = token.value > G_MAXINT64 || self->lexer.at[-1] == 'U';
  else if (token.kind == CURED_TOKEN_F32)
    value.kind = CURED_RAW_F32;
  else if (token.kind == CURED_TOKEN_F64)
    {
      value.kind = CURED_RAW_F64;
      value.is_decimal = token.is_decimal;
    }
  else if (_cured_ptx_is_name (&token, "WARP_SZ"))
    value.bits = CURED_WARP_LANES;
  else if (token.kind != CURED_TOKEN_SIGN || strchr ("(+-~!", token.sign) == NULL)
    _cured_ptx_parser_fail_expected (self, _ ("a number"));
  cured_ptx_parser_next (self);
  if (token.kind != CURED_TOKEN_SIGN)
    return value;
  if (token.sign == '(')
    return parse_brackets (self, depth);
  value = parse_unary (self, depth + 1);
  if (token.sign == '+')
    return value;
  if (value.kind == CURED_RAW_INTEGER)
    value.bits = token.sign == '-'   ? (guint64) 0 - value.bits
                 : token.sign == '~' ? ~value.bits
                                     : value.bits == 0;
  else if (token.sign == '-')
    value.bits ^= G_GUINT64_CONSTANT (1) << (value.kind == CURED_RAW_F32 ? 31 : 63);
  else
    _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                 _ ("%c does not go with a floating-point number"), token.sign);
  return value;
}

/* Operators that bind at least as tightly as @least. */
static Value
parse_expression (CuredPtxParser *self, guint depth, guint least)
{
  Value value = parse_unary (self, depth);
  guint code, level;

  while ((code = get_operator (self, &level)) != 0 && level >= least && level > 0)
    {
      cured_ptx_parser_next (self);
      if (code > 0xff)
        cured_ptx_parser_next (self);
      Value right = parse_expression (self, depth + 1, level + 1);
      apply (self, code, level, &value, &right);
    }
  if (least > 0 || !cured_ptx_parser_accept (self, '?'))
    return value;
  Value yes = parse_expression (self, depth + 1, 0);
  _cured_ptx_parser_expect (self, ':');
  Value no = parse_expression (self, depth + 1, 0);
  return value.bits != 0 ? yes : no;
}

void
_cured_ptx_parse_constant (CuredPtxParser *self, CuredPtxRaw *raw)
{
  Value value = parse_expression (self, 0, 0);

  raw->kind = value.kind;
  raw->value = value.bits;
  raw->is_decimal = value.is_decimal;
}

gint64
_cured_ptx_parse_integer (CuredPtxParser *self)
{
  CuredPtxRaw raw;

  _cured_ptx_parse_constant (self, &raw);
  if (raw.kind != CURED_RAW_INTEGER)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                 _ ("an integer is needed here, not a floating-point number"));
  return (gint64) raw.value;
}

/* "+ number", if present. ptxas rejects "- number" after a name. */
gboolean
_cured_ptx_parse_addend (CuredPtxParser *self, guint64 *addend)
{
  if (cured_ptx_parser_is (self, '-'))
    _cured_ptx_parser_fail_expected (self, _ ("+ and a number, which may be negative,"));
  if (!cured_ptx_parser_accept (self, '+'))
    return FALSE;
  *addend = (guint64) _cured_ptx_parse_integer (self);
  return TRUE;
}
