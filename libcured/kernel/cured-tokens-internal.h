/* SPDX-License-Identifier: MIT
 * A CUDA source as words, numbers and brackets. */
#pragma once

#include <glib.h>

#include "base/cured-expr.h"

typedef enum
{
  CURED_TOKEN_WORD,
  CURED_TOKEN_NUMBER,
  CURED_TOKEN_TEXT, /* in double or single quotes */
  CURED_TOKEN_SIGN, /* a single character */
} CuredSourceTokenKind;

/* No matching bracket. */
#define CURED_TOKEN_NONE G_MAXUINT32

typedef struct
{
  guint32 begin; /* offset of its first byte */
  guint32 end;   /* offset behind its last byte */
  /* index of its closing bracket; %CURED_TOKEN_NONE if that is missing or this is not an opening
   * bracket */
  guint32 match;
  guint8 kind;     /* its kind */
  guint8 is_first; /* it is the first token of its line */
} CuredSourceToken;

/* A preprocessor line with its continuation lines, without the final newline. */
typedef struct
{
  guint32 begin, end;
} CuredDirective;

typedef struct
{
  const char *text; /* (transfer none): the source */
  /* (element-type CuredSourceToken): without comments, preprocessor lines and text in `#if
   * 0` */
  GArray *tokens;
  GArray *directives; /* (element-type CuredDirective): in the source's order */
  gboolean is_whole;  /* all brackets match, and no limit was exceeded */
  GHashTable *firsts; /* (nullable): word → index of its first token, plus 1; made on demand */
  guint32 *nexts;     /* (nullable): by token, index of the next one with the same text */
} CuredTokens;

CuredTokens *_cured_tokens_new (const char *text);
void _cured_tokens_free (CuredTokens *self);
char *_cured_tokens_choose (const char *text);
gboolean _cured_tokens_is (const CuredTokens *self, guint index, const char *word);
char _cured_tokens_get_sign (const CuredTokens *self, guint index);
char *_cured_tokens_dup (const CuredTokens *self, guint index);
guint _cured_tokens_find (const CuredTokens *self, const char *word);
guint _cured_tokens_find_same (const CuredTokens *self, const CuredTokens *others, guint index);
guint _cured_tokens_skip_angles (const CuredTokens *self, guint index, guint last);
gboolean _cured_literal_read (const char *text, CuredNumber *number);
gboolean _cured_literal_fold (const CuredTokens *source, guint begin, guint end, gint64 *value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredTokens, _cured_tokens_free)

#define CURED_TOKEN(self, i) (&g_array_index ((self)->tokens, CuredSourceToken, i))

/* Each place of a word, and of the word that token @index of @others is. The place after @i is asked
 * of @i: the loop may not change it. */
#define CURED_EACH_WORD(i, self, word)                                                             \
  for (guint i = _cured_tokens_find (self, word); i != CURED_TOKEN_NONE; i = (self)->nexts[i])
#define CURED_EACH_SAME(i, self, others, index)                                                    \
  for (guint i = _cured_tokens_find_same (self, others, index); i != CURED_TOKEN_NONE;             \
       i = (self)->nexts[i])
