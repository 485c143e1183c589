/* SPDX-License-Identifier: MIT
 * Numbers and constant expressions of PTX (PTX ISA 9.0, section 4.5). */
#include "config.h"

#include "ptx/parse/cured-ptx-parser-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"

typedef struct
{
  CuredRawKind kind; /* INTEGER, F32 or F64 */
  gboolean is_unsigned, is_decimal;
  guint64 bits;
} Value;

/* Two characters of an operator as one number. */
#define PAIR(a, b) ((guint) (guchar) (a) << 8 | (guchar) (b))

/* The binary operator that the next token begins, and how tightly it binds; 0: none. */
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

static double
get_double (const Value *value)
{
  double result;
  float single;
  guint32 bits = (guint32) value->bits;

  switch ((guint) value->kind)
    {
    case CURED_RAW_F32:
      memcpy (&single, &bits, sizeof single);
      return (double) single;
    case CURED_RAW_F64:
      memcpy (&result, &value->bits, sizeof result);
      return result;
    default:
      return value->is_unsigned ? (double) value->bits : (double) (gint64) value->bits;
    }
}

static gboolean
apply_double (CuredPtxParser *self, guint code, Value *a, const Value *b)
{
  double x = get_double (a), y = get_double (b);

  switch (code)
    {
    case '+':
      x += y;
      break;
    case '-':
      x -= y;
      break;
    case '*':
      x *= y;
      break;
    case '/':
      x /= y;
      break;
    default:
      return _cured_ptx_parser_fail_here (
          self, CURED_ERROR_INVALID,
          _ ("a constant expression of floating-point numbers has only +, -, * and /"));
    }
  a->kind = CURED_RAW_F64;
  a->is_decimal = TRUE;
  memcpy (&a->bits, &x, sizeof x);
  return TRUE;
}

static gboolean
divide (CuredPtxParser *self, guint code, Value *a, guint64 y, gboolean u)
{
  guint64 x = a->bits;

  if (y == 0)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID, _ ("division by zero"));
  if (u)
    a->bits = code == '/' ? x / y : x % y;
  else if ((gint64) y == -1)
    a->bits = code == '/' ? (guint64) 0 - x : 0;
  else
    a->bits =
        code == '/' ? (guint64) ((gint64) x / (gint64) y) : (guint64) ((gint64) x % (gint64) y);
  return TRUE;
}

static gboolean
apply (CuredPtxParser *self, guint code, Value *a, const Value *b)
{
  guint64 x = a->bits, y = b->bits;
  gboolean u = a->is_unsigned || b->is_unsigned;
  gint64 sx = (gint64) x, sy = (gint64) y;
  gboolean is_truth = TRUE;

  if (a->kind != CURED_RAW_INTEGER || b->kind != CURED_RAW_INTEGER)
    return apply_double (self, code, a, b);
  switch (code)
    {
    case PAIR ('|', '|'):
      a->bits = x != 0 || y != 0;
      break;
    case PAIR ('&', '&'):
      a->bits = x != 0 && y != 0;
      break;
    case PAIR ('=', '='):
      a->bits = x == y;
      break;
    case PAIR ('!', '='):
      a->bits = x != y;
      break;
    case PAIR ('<', '='):
      a->bits = u ? x <= y : sx <= sy;
      break;
    case PAIR ('>', '='):
      a->bits = u ? x >= y : sx >= sy;
      break;
    case '<':
      a->bits = u ? x < y : sx < sy;
      break;
    case '>':
      a->bits = u ? x > y : sx > sy;
      break;
    default:
      is_truth = FALSE;
      break;
    }
  if (is_truth)
    {
      a->is_unsigned = FALSE;
      return TRUE;
    }
  a->is_unsigned = u;
  switch (code)
    {
    case PAIR ('<', '<'):
      a->bits = y < 64 ? x << y : 0;
      break;
    case PAIR ('>', '>'):
      /* Shifts of a signed number keep its sign. */
      a->bits = y < 64 ? x >> y : 0;
      if (!u && sx < 0)
        a->bits = y < 64 ? ~(~x >> y) : G_MAXUINT64;
      break;
    case '|':
      a->bits = x | y;
      break;
    case '^':
      a->bits = x ^ y;
      break;
    case '&':
      a->bits = x & y;
      break;
    case '+':
      a->bits = x + y;
      break;
    case '-':
      a->bits = x - y;
      break;
    case '*':
      a->bits = x * y;
      break;
    default:
      return divide (self, code, a, y, u);
    }
  return TRUE;
}

static gboolean parse_expression (CuredPtxParser *self, guint depth, guint least, Value *value);

/* (.s64) or (.u64) before a number. */
static gboolean parse_cast (CuredPtxParser *self, guint depth, Value *value);

static gboolean
parse_unary (CuredPtxParser *self, guint depth, Value *value)
{
  CuredPtxToken token = self->token;

  if (depth > CURED_MAX_DEPTH)
    return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                        _ ("a constant expression may be nested %d deep"),
                                        CURED_MAX_DEPTH);
  switch ((guint) token.kind)
    {
    case CURED_TOKEN_INTEGER:
      *value = (Value){ .kind = CURED_RAW_INTEGER,
                        .bits = token.value,
                        .is_unsigned = token.value > G_MAXINT64 || self->lexer.at[-1] == 'U' };
      break;
    case CURED_TOKEN_F32:
      *value = (Value){ .kind = CURED_RAW_F32, .bits = token.value };
      break;
    case CURED_TOKEN_F64:
      *value =
          (Value){ .kind = CURED_RAW_F64, .bits = token.value, .is_decimal = token.is_decimal };
      break;
    case CURED_TOKEN_NAME:
      if (token.length != 7 || memcmp (token.at, "WARP_SZ", 7) != 0)
        return _cured_ptx_parser_fail_expected (self, _ ("a number"));
      *value = (Value){ .kind = CURED_RAW_INTEGER, .bits = CURED_WARP_LANES };
      break;
    case CURED_TOKEN_SIGN:
      if (token.sign == '(')
        return parse_cast (self, depth, value);
      if (strchr ("+-~!", token.sign) == NULL)
        return _cured_ptx_parser_fail_expected (self, _ ("a number"));
      cured_ptx_parser_next (self);
      if (!parse_unary (self, depth + 1, value))
        return FALSE;
      if (token.sign == '+')
        return TRUE;
      if (value->kind == CURED_RAW_INTEGER)
        {
          value->bits = token.sign == '-'   ? (guint64) 0 - value->bits
                        : token.sign == '~' ? ~value->bits
                                            : value->bits == 0;
          return TRUE;
        }
      if (token.sign != '-')
        return _cured_ptx_parser_fail_here (self, CURED_ERROR_SYNTAX,
                                            _ ("%c does not go with a floating-point number"),
                                            token.sign);
      value->bits ^= value->kind == CURED_RAW_F32 ? G_GUINT64_CONSTANT (1) << 31
                                                  : G_GUINT64_CONSTANT (1) << 63;
      return TRUE;
    default:
      return _cured_ptx_parser_fail_expected (self, _ ("a number"));
    }
  cured_ptx_parser_next (self);
  return TRUE;
}

static gboolean
parse_cast (CuredPtxParser *self, guint depth, Value *value)
{
  cured_ptx_parser_next (self);
  CuredPtxKey key = _cured_ptx_get_key (self);
  if (key == CURED_KEY_FIRST_TYPE + CURED_PTX_S64 || key == CURED_KEY_FIRST_TYPE + CURED_PTX_U64)
    {
      cured_ptx_parser_next (self);
      if (!_cured_ptx_parser_expect (self, ')') || !parse_unary (self, depth + 1, value))
        return FALSE;
      if (value->kind != CURED_RAW_INTEGER)
        return _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                            _ ("only integers can be cast"));
      value->is_unsigned = key == CURED_KEY_FIRST_TYPE + CURED_PTX_U64;
      return TRUE;
    }
  return parse_expression (self, depth + 1, 0, value) && _cured_ptx_parser_expect (self, ')');
}

/* Operators that bind at least as tightly as @least. */
static gboolean
parse_expression (CuredPtxParser *self, guint depth, guint least, Value *value)
{
  guint code, level;

  if (!parse_unary (self, depth, value))
    return FALSE;
  while ((code = get_operator (self, &level)) != 0 && level >= least && level > 0)
    {
      Value right;

      cured_ptx_parser_next (self);
      if (code > 0xff)
        cured_ptx_parser_next (self);
      if (!parse_expression (self, depth + 1, level + 1, &right) ||
          !apply (self, code, value, &right))
        return FALSE;
    }
  if (least == 0 && cured_ptx_parser_is (self, '?'))
    {
      Value yes, no;

      cured_ptx_parser_next (self);
      if (!parse_expression (self, depth + 1, 0, &yes) || !_cured_ptx_parser_expect (self, ':') ||
          !parse_expression (self, depth + 1, 0, &no))
        return FALSE;
      *value = value->bits != 0 ? yes : no;
    }
  return TRUE;
}

gboolean
_cured_ptx_parse_constant (CuredPtxParser *self, CuredPtxRaw *raw)
{
  Value value;

  if (!parse_expression (self, 0, 0, &value))
    return FALSE;
  raw->kind = value.kind;
  raw->value = value.bits;
  raw->is_decimal = value.is_decimal;
  return TRUE;
}

gboolean
_cured_ptx_parse_integer (CuredPtxParser *self, gint64 *value)
{
  CuredPtxRaw raw = { 0 };

  if (!_cured_ptx_parse_constant (self, &raw))
    return FALSE;
  if (raw.kind != CURED_RAW_INTEGER)
    return _cured_ptx_parser_fail_here (
        self, CURED_ERROR_SYNTAX, _ ("an integer is needed here, not a floating-point number"));
  *value = (gint64) raw.value;
  return TRUE;
}
