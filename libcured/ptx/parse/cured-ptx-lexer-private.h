/* SPDX-License-Identifier: MIT
 * Cuts PTX text into tokens. */
#pragma once

#include <glib.h>

typedef enum
{
  CURED_TOKEN_END,
  CURED_TOKEN_NAME,    /* %r1, $L__BB0_2, add; a lone '_' */
  CURED_TOKEN_WORD,    /* .global: @at and @length are without the dot */
  CURED_TOKEN_INTEGER, /* value */
  CURED_TOKEN_F32,     /* 0f3F800000: value has the bits */
  CURED_TOKEN_F64,     /* 0d… or 1.5: value has the bits of the double */
  CURED_TOKEN_STRING,  /* @at and @length are without the quotes */
  CURED_TOKEN_SIGN,    /* one character: sign */
  CURED_TOKEN_BAD,     /* problem says why */
} CuredPtxTokenKind;

/* A token points into the text: nothing is copied. */
typedef struct
{
  CuredPtxTokenKind kind;
  char sign;
  gboolean is_decimal; /* of F64: written as 1.5 */
  const char *at;
  guint32 length;
  guint32 hash; /* of NAME and WORD */
  guint32 line, column;
  guint64 value;
  const char *problem; /* (nullable): static, not translated */
} CuredPtxToken;

typedef struct
{
  const char *at;
  const char *end; /* a NUL is there */
  const char *line_start;
  guint32 line, seed;
} CuredPtxLexer;

void _cured_ptx_lexer_init (CuredPtxLexer *self, const char *text, gsize length, guint32 seed);
void _cured_ptx_lexer_next (CuredPtxLexer *self, CuredPtxToken *token);
void _cured_ptx_lexer_extend (CuredPtxLexer *self, CuredPtxToken *token);
gboolean _cured_ptx_lexer_skip_block (CuredPtxLexer *self);
void _cured_ptx_lexer_skip_line (CuredPtxLexer *self);
guint32 _cured_ptx_hash (const char *at, gsize length, guint32 seed);

/* One step of the hash of names, which can be computed incrementally. */
static inline guint32
cured_ptx_hash_step (guint32 hash, char c)
{
  return (hash ^ (guint8) c) * 16777619u;
}
