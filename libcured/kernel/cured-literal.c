/* SPDX-License-Identifier: MIT
 * Numbers in CUDA sources: literals, and constants computed from them. */
#include "kernel/cured-tokens-internal.h"

#include "base/cured-base-internal.h"

/* Nesting of constants, operators and brackets. */
#define MAX_DEPTH 24
/* Limit of lookups for one number, since constants can name each other many times. */
#define MAX_LOOKUPS 256

/* Reads digits of @base that only a suffix may follow. */
static gboolean
read_integer (const char *digits, guint base, gint64 *value)
{
  g_autofree char *text = g_strdup (digits);
  gsize n = strlen (text);
  guint64 number;

  while (n > 0 && strchr ("uUlLzZ", text[n - 1]) != NULL)
    text[--n] = '\0';
  if (!g_ascii_string_to_unsigned (text, base, 0, G_MAXINT64, &number, NULL))
    return FALSE;
  *value = (gint64) number;
  return TRUE;
}

/* FALSE if @text is not a literal, or it does not fit. */
gboolean
_cured_literal_read (const char *text, CuredNumber *number)
{
  g_auto (GStrv) pieces = g_strsplit (text, "'", -1);
  g_autofree char *plain = g_strjoinv ("", pieces);
  char kind = plain[0] == '0' ? g_ascii_tolower (plain[1]) : '\0';
  gboolean is_hex = kind == 'x';
  char *end;

  *number = (CuredNumber){ .is_double = FALSE };
  if (is_hex ? strpbrk (plain, ".pP") != NULL
             : strpbrk (plain, ".eE") != NULL || strpbrk (plain, "fF") != NULL)
    {
      number->is_double = TRUE;
      number->real = g_ascii_strtod (plain, &end);
      return end != plain && end[strspn (end, "fFlL")] == '\0' && strlen (end) <= 1;
    }
  if (kind == 'x' || kind == 'b')
    return read_integer (plain + 2, kind == 'x' ? 16 : 2, &number->integer);
  return read_integer (plain, plain[0] == '0' ? 8 : 10, &number->integer);
}

typedef struct
{
  const CuredTokens *source; /* where names are looked up */
  const CuredTokens *tokens;
  guint at, end, depth, *n_lookups;
} Folder;

static gboolean fold (Folder *self, int least, gint64 *value);

static gboolean
fold_part (const Folder *self, const CuredTokens *tokens, guint begin, guint end, gint64 *value)
{
  Folder part = { self->source, tokens, begin, end, self->depth + 1, self->n_lookups };

  return part.depth <= MAX_DEPTH && begin < end && fold (&part, 1, value) && part.at == end;
}

/* The text of a macro without arguments; NULL if there is none. */
static char *
find_macro (const CuredTokens *tokens, const char *name)
{
  gsize length = strlen (name);

  CURED_EACH (const CuredDirective, line, tokens->directives)
    {
      const char *at = tokens->text + line->begin + 1;

      at += strspn (at, " \t");
      if (!g_str_has_prefix (at, "define"))
        continue;
      at += strlen ("define");
      at += strspn (at, " \t");
      if (strncmp (at, name, length) == 0 && (at[length] == ' ' || at[length] == '\t'))
        return g_strndup (at + length, line->end - (gsize) (at + length - tokens->text));
    }
  return NULL;
}

/* A macro, or `const int NAME = 4;`, `const int NAME {4};`, `enum { NAME = 4 }`. */
static gboolean
fold_name (const Folder *self, guint name, gint64 *value)
{
  const CuredTokens *source = self->source;
  g_autofree char *word = _cured_tokens_dup (self->tokens, name);

  if (++*self->n_lookups > MAX_LOOKUPS)
    return FALSE;
  g_autofree char *text = find_macro (source, word);
  if (text != NULL)
    {
      g_autoptr (CuredTokens) macro = _cured_tokens_new (text);

      return fold_part (self, macro, 0, macro->tokens->len, value);
    }
  for (guint k = 0; k + 2 < source->tokens->len; k++)
    {
      char sign = _cured_tokens_get_sign (source, k + 1);
      guint end = k + 2;

      if (!_cured_tokens_is (source, k, word) || (sign != '=' && sign != '{') ||
          _cured_tokens_is (source, k + 2, "="))
        continue;
      for (; end < source->tokens->len; end++)
        {
          sign = _cured_tokens_get_sign (source, end);
          if (sign == ',' || sign == ';' || sign == '}')
            break;
          if (CURED_TOKEN (source, end)->match != CURED_TOKEN_NONE)
            end = CURED_TOKEN (source, end)->match;
        }
      return fold_part (self, source, k + 2, end, value);
    }
  return FALSE;
}

static gboolean
fold_unary (Folder *self, gint64 *value)
{
  char sign = _cured_tokens_get_sign (self->tokens, self->at);

  if (self->at >= self->end || self->depth > MAX_DEPTH)
    return FALSE;
  const CuredSourceToken *token = CURED_TOKEN (self->tokens, self->at);
  if (sign == '(')
    {
      guint close = token->match, open = self->at + 1;

      if (close == CURED_TOKEN_NONE || close >= self->end)
        return FALSE;
      self->at = close + 1;
      return fold_part (self, self->tokens, open, close, value);
    }
  if (sign == '-' || sign == '+' || sign == '~')
    {
      self->at++;
      self->depth++;
      gboolean is_done = fold_unary (self, value);
      self->depth--;
      if (sign == '~')
        *value = ~*value;
      return is_done &&
             (sign != '-' || !__builtin_sub_overflow (G_GINT64_CONSTANT (0), *value, value));
    }
  self->at++;
  if (token->kind == CURED_TOKEN_NUMBER)
    {
      g_autofree char *text = _cured_tokens_dup (self->tokens, self->at - 1);
      CuredNumber number;

      if (!_cured_literal_read (text, &number) || number.is_double)
        return FALSE;
      *value = number.integer;
      return TRUE;
    }
  return token->kind == CURED_TOKEN_WORD && fold_name (self, self->at - 1, value);
}

/* FALSE if the result overflows or is undefined. */
static gboolean
apply (char op, gint64 a, gint64 b, gint64 *value)
{
  switch (op)
    {
    case '+': return !__builtin_add_overflow (a, b, value);
    case '-': return !__builtin_sub_overflow (a, b, value);
    case '*': return !__builtin_mul_overflow (a, b, value);
    case '/':
    case '%':
      if (b == 0 || (a == G_MININT64 && b == -1))
        return FALSE;
      *value = op == '/' ? a / b : a % b;
      return TRUE;
    case '<':
      return b >= 0 && b < 63 && !__builtin_mul_overflow (a, G_GINT64_CONSTANT (1) << b, value);
    case '>': *value = b >= 0 && b < 63 ? a >> b : 0; return b >= 0 && b < 63;
    case '&': *value = a & b; return TRUE;
    default: *value = a | b; return TRUE;
    }
}

static gboolean
fold (Folder *self, int least, gint64 *value)
{
  static const struct
  {
    char sign;
    int rank;
    guint n; /* number of signs */
  } operators[] = { { '|', 1, 1 }, { '&', 2, 1 }, { '<', 3, 2 }, { '>', 3, 2 }, { '+', 4, 1 },
                    { '-', 4, 1 }, { '*', 5, 1 }, { '/', 5, 1 }, { '%', 5, 1 } };

  if (!fold_unary (self, value))
    return FALSE;
  while (self->at < self->end)
    {
      char sign = _cured_tokens_get_sign (self->tokens, self->at);
      gint64 right;
      gsize k = 0;

      while (k < G_N_ELEMENTS (operators) && operators[k].sign != sign)
        k++;
      if (k == G_N_ELEMENTS (operators) || operators[k].rank < least ||
          (operators[k].n == 2 && _cured_tokens_get_sign (self->tokens, self->at + 1) != sign))
        break;
      self->at += operators[k].n;
      if (!fold (self, operators[k].rank + 1, &right) || !apply (sign, *value, right, value))
        return FALSE;
    }
  return TRUE;
}

/* FALSE unless it is an integer constant that the source alone determines. */
gboolean
_cured_literal_fold (const CuredTokens *source, guint begin, guint end, gint64 *value)
{
  guint n_lookups = 0;
  Folder self = { source, source, begin, end, 0, &n_lookups };

  return fold_part (&self, source, begin, end, value);
}
