/* SPDX-License-Identifier: MIT
 * Cuts PTX text into tokens. */
#include "ptx/parse/cured-ptx-lexer-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Character classes, as bits. */
enum
{
  FIRST = 1,  /* first character of a name */
  PREFIX = 2, /* first character of a name of at least two characters */
  FOLLOW = 4, /* further characters of a name */
  DIGIT = 8,
  HEX = 16,
  SPACE = 32,
};

#define RUN2(c, flags)  [c] = (flags), [(c) + 1] = (flags)
#define RUN6(c, flags)  RUN2 (c, flags), RUN2 ((c) + 2, flags), RUN2 ((c) + 4, flags)
#define RUN10(c, flags) RUN6 (c, flags), RUN2 ((c) + 6, flags), RUN2 ((c) + 8, flags)
#define RUN20(c, flags) RUN10 (c, flags), RUN10 ((c) + 10, flags)

static const guint8 classes[256] = {
  RUN10 ('0', FOLLOW | DIGIT | HEX),
  RUN6 ('a', FIRST | FOLLOW | HEX),
  RUN20 ('g', FIRST | FOLLOW),
  RUN6 ('A', FIRST | FOLLOW | HEX),
  RUN20 ('G', FIRST | FOLLOW),
  ['_'] = FIRST | FOLLOW,
  ['$'] = PREFIX | FOLLOW,
  ['%'] = PREFIX,
  [' '] = SPACE,
  ['\t'] = SPACE,
  ['\r'] = SPACE,
  ['\n'] = SPACE,
  ['\v'] = SPACE,
  ['\f'] = SPACE,
};

#define IS(c, flags) ((classes[(guint8) (c)] & (flags)) != 0)

/* The hash of a token with this name. */
guint32
_cured_ptx_hash (const char *at, gsize length, guint32 seed)
{
  guint32 hash = seed;

  for (gsize i = 0; i < length; i++)
    hash = cured_ptx_hash_step (hash, at[i]);
  return hash;
}

/* Starts at the first byte of @text. Allocates nothing. */
void
_cured_ptx_lexer_init (CuredPtxLexer *self, const char *text, gsize length, guint32 seed)
{
  *self = (CuredPtxLexer){
    .at = text, .end = text + length, .line_start = text, .line = 1, .seed = seed
  };
}

/* Skips spaces and comments; FALSE: a comment has no end. */
static inline gboolean
skip_space (CuredPtxLexer *self)
{
  const char *at = self->at;
  CuredPtxLexer begin;

  for (;;)
    {
      while (IS (*at, SPACE))
        if (*at++ == '\n')
          {
            self->line++;
            self->line_start = at;
          }
      if (at[0] != '/' || (at[1] != '/' && at[1] != '*'))
        break;
      if (at[1] == '/')
        {
          at = memchr (at, '\n', (gsize) (self->end - at));
          if (at == NULL)
            at = self->end;
          continue;
        }
      begin = *self;
      begin.at = at;
      at += 2;
      while (at < self->end && !(at[0] == '*' && at[1] == '/'))
        if (*at++ == '\n')
          {
            self->line++;
            self->line_start = at;
          }
      if (at == self->end)
        {
          *self = begin;
          return FALSE;
        }
      at += 2;
    }
  self->at = at;
  return TRUE;
}

static void
bad (CuredPtxToken *token, const char *problem)
{
  token->kind = CURED_TOKEN_BAD;
  token->problem = problem;
}

/* Parses digits of a base from @at on; NULL: they do not fit in 64 bits. */
static const char *
read_digits (const char *at, guint base, guint64 *value)
{
  guint64 sum = 0;

  for (; IS (*at, HEX); at++)
    {
      guint digit = (guint) g_ascii_xdigit_value (*at);

      if (digit >= base)
        break;
      if (sum > (G_MAXUINT64 - digit) / base)
        return NULL;
      sum = sum * base + digit;
    }
  *value = sum;
  return at;
}

/* Parses 1.5, 1e5 or .5 with g_ascii_strtod(). */
static const char *
read_decimal (const char *at, const char *end, CuredPtxToken *token)
{
  char copy[64];
  gsize length = 0;

  while (at + length < end && length < sizeof copy - 1 &&
         (IS (at[length], DIGIT) || at[length] == '.' || at[length] == 'e' || at[length] == 'E' ||
          ((at[length] == '-' || at[length] == '+') && length > 0 &&
           (at[length - 1] == 'e' || at[length - 1] == 'E'))))
    {
      copy[length] = at[length];
      length++;
    }
  copy[length] = '\0';
  char *stop = NULL;
  double value = g_ascii_strtod (copy, &stop);
  if (length == sizeof copy - 1 || stop != copy + length)
    {
      bad (token, N_ ("this is not a number"));
      return at + length;
    }
  token->kind = CURED_TOKEN_F64;
  token->is_decimal = TRUE;
  memcpy (&token->value, &value, sizeof value);
  return at + length;
}

static const char *
read_number (CuredPtxLexer *self, CuredPtxToken *token)
{
  const char *at = self->at, *stop = at, *from = at;
  guint base = 10;

  if (at[0] == '0' && (at[1] == 'f' || at[1] == 'F' || at[1] == 'd' || at[1] == 'D'))
    {
      gboolean is_32 = at[1] == 'f' || at[1] == 'F';
      gsize digits = is_32 ? 8 : 16;

      stop = read_digits (at + 2, 16, &token->value);
      if (stop == NULL || (gsize) (stop - at) != digits + 2 || IS (*stop, FOLLOW))
        {
          bad (token, is_32 ? N_ ("0f takes eight hexadecimal digits")
                            : N_ ("0d takes sixteen hexadecimal digits"));
          return at + 2;
        }
      token->kind = is_32 ? CURED_TOKEN_F32 : CURED_TOKEN_F64;
      token->is_decimal = FALSE;
      return stop;
    }
  if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
    {
      base = 16;
      from = at + 2;
    }
  else if (at[0] == '0' && (at[1] == 'b' || at[1] == 'B'))
    {
      base = 2;
      from = at + 2;
    }
  else
    {
      while (IS (*stop, DIGIT))
        stop++;
      if (*stop == '.' || *stop == 'e' || *stop == 'E')
        return read_decimal (at, self->end, token);
      if (at[0] == '0')
        base = 8;
    }
  token->kind = CURED_TOKEN_INTEGER;
  stop = read_digits (from, base, &token->value);
  if (stop == NULL)
    {
      bad (token, N_ ("the number does not fit in 64 bits"));
      return at + 1;
    }
  if (stop == from)
    bad (token, N_ ("this is not a number"));
  if (*stop == 'U')
    stop++;
  if (IS (*stop, FOLLOW))
    bad (token, N_ ("this is not a number"));
  return stop;
}

static const char *
read_name (CuredPtxLexer *self, CuredPtxToken *token, const char *at)
{
  guint32 hash = self->seed;

  token->at = at;
  do
    hash = cured_ptx_hash_step (hash, *at++);
  while (IS (*at, FOLLOW));
  token->hash = hash;
  return at;
}

/* The rest of a word with "::" in it, as in .shared::cta. */
static const char *
read_colons (CuredPtxToken *token, const char *at)
{
  guint32 hash = token->hash;

  while (at[0] == ':' && at[1] == ':' && IS (at[2], FOLLOW))
    {
      hash = cured_ptx_hash_step (hash, *at++);
      hash = cured_ptx_hash_step (hash, *at++);
      while (IS (*at, FOLLOW))
        hash = cured_ptx_hash_step (hash, *at++);
    }
  token->hash = hash;
  return at;
}

static const char *
read_string (CuredPtxLexer *self, CuredPtxToken *token)
{
  const char *at = self->at + 1;

  token->kind = CURED_TOKEN_STRING;
  token->at = at;
  while (at < self->end && *at != '"' && *at != '\n')
    at++;
  token->length = (guint32) (at - token->at);
  if (at == self->end || *at != '"')
    {
      bad (token, N_ ("the string has no end"));
      return at;
    }
  return at + 1;
}

/* Reads the next token. At the end of the text it returns CURED_TOKEN_END repeatedly; a bad
 * token is skipped by the next call. */
void
_cured_ptx_lexer_next (CuredPtxLexer *self, CuredPtxToken *token)
{
  gboolean is_closed = skip_space (self);
  const char *at = self->at, *stop;
  guint8 klass = classes[(guint8) *at];

  token->at = at;
  token->line = self->line;
  token->column = (guint32) (at - self->line_start) + 1;
  if (G_UNLIKELY (!is_closed))
    {
      bad (token, N_ ("the comment has no end"));
      token->length = 2;
      self->at = self->end;
      return;
    }
  if ((klass & FIRST) != 0 || ((klass & PREFIX) != 0 && IS (at[1], FOLLOW)))
    {
      token->kind = CURED_TOKEN_NAME;
      stop = read_name (self, token, at);
    }
  else if ((klass & DIGIT) != 0 || (*at == '.' && IS (at[1], DIGIT)))
    {
      stop = *at == '.' ? read_decimal (at, self->end, token) : read_number (self, token);
    }
  else if (*at == '.' && IS (at[1], FOLLOW))
    {
      token->kind = CURED_TOKEN_WORD;
      stop = read_name (self, token, at + 1);
      stop = read_colons (token, stop);
    }
  else if (*at == '"')
    {
      stop = read_string (self, token);
      self->at = stop;
      return;
    }
  else if (at == self->end)
    {
      token->kind = CURED_TOKEN_END;
      token->length = 0;
      return;
    }
  else if (*at > ' ' && *at < 0x7f)
    {
      token->kind = CURED_TOKEN_SIGN;
      token->sign = *at;
      token->length = 1;
      self->at = at + 1;
      return;
    }
  else
    {
      bad (token, N_ ("PTX has no such character"));
      stop = at + 1;
    }
  token->length = (guint32) (stop - token->at);
  self->at = stop;
}

/* Joins a name and the words that follow it without a space to a token: `ld.global.v2.f32`. */
void
_cured_ptx_lexer_extend (CuredPtxLexer *self, CuredPtxToken *token)
{
  const char *at = self->at;

  for (;;)
    {
      guint32 hash = token->hash;

      if (*at == '.' && IS (at[1], FOLLOW))
        do
          hash = cured_ptx_hash_step (hash, *at++);
        while (IS (*at, FOLLOW));
      else if (!(at[0] == ':' && at[1] == ':' && IS (at[2], FOLLOW)))
        break;
      token->hash = hash;
      at = read_colons (token, at);
    }
  token->length = (guint32) (at - token->at);
  self->at = at;
}

/* Skips past the `}` that ends the block, ignoring its contents. Returns: FALSE if the text
 * ends before. */
gboolean
_cured_ptx_lexer_skip_block (CuredPtxLexer *self)
{
  guint depth = 1;

  while (depth > 0)
    {
      if (!skip_space (self) || self->at == self->end)
        return FALSE;
      if (*self->at == '"')
        {
          CuredPtxToken token;

          self->at = read_string (self, &token);
          continue;
        }
      if (*self->at == '{')
        depth++;
      else if (*self->at == '}')
        depth--;
      self->at++;
    }
  return TRUE;
}

/* Skips to the end of the line. */
void
_cured_ptx_lexer_skip_line (CuredPtxLexer *self)
{
  while (self->at < self->end && *self->at != '\n')
    self->at++;
}
