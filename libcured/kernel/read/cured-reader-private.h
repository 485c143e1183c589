/* SPDX-License-Identifier: MIT
 * Reads the groups of a header by a table with a row per key; keeps the first error. */
#pragma once

#include "kernel/cured-kernel.h"
#include "kernel/read/cured-header-private.h"

typedef struct
{
  const CuredHeader *header;
  CuredKernel *kernel;
  const char *group;  /* the current group */
  const char *name;   /* (nullable): its name: `a` in `[Buffer a]` */
  const char *index;  /* (nullable): name of an element's or a repetition's index in expressions */
  char *declarations; /* (nullable): the text in which structs are looked up; made on demand */
  GPtrArray *carried; /* (element-type utf8): names and texts of included files, in turn */
  /* (nullable) (element-type utf8 GByteArray): by digest, the files that came with the kernel
   * instead of in its text; NULL: they are beside the kernel file */
  GHashTable *inputs;
  gsize n_data_bytes;        /* of inputs from files, so far */
  gboolean is_single_launch; /* a [Launch] without a number was read */
  GError *error;             /* the first error; no key is read after it */
} CuredReader;

typedef enum
{
  CURED_READ_OTHER,   /* read by the group's own function */
  CURED_READ_TEXT,    /* char * */
  CURED_READ_INTEGER, /* int, from least to most */
  CURED_READ_WORD,    /* int: index among words, plus least */
  CURED_READ_EXPR,    /* CuredExpr * */
  CURED_READ_EXPRS,   /* CuredExpr *[most] */
  CURED_READ_BUFFER,  /* int: index of a buffer */
  CURED_READ_BOUND,   /* double; NAN where it is missing */
} CuredReadKind;

/* A key of a group. */
typedef struct
{
  const char *key;
  CuredReadKind kind;
  gsize offset; /* in the record of the group */
  guint needed; /* kinds of the group that need it, as bits */
  guint taken;  /* kinds of the group that have it; 0: all */
  gint64 least, most;
  const char *const *words;
} CuredReaderField;

/* Length of a kernel's name with its template arguments. */
#define MAX_ENTRY 1024

/* Keeps the first error; FALSE. */
#define reader_fail(self, key, code, ...)                                                          \
  _cured_header_fail ((self)->header, (self)->group, key, code,                                    \
                      (self)->error == NULL ? &(self)->error : NULL, __VA_ARGS__)

/* Appends an element, all zeros, to an array of the kernel. */
#define READER_ADD(array, n)                                                                       \
  ((array) = g_renew (typeof (*(array)), (array), (n) + 1),                                        \
   memset (&(array)[n], 0, sizeof *(array)), &(array)[(n)++])

char *_cured_reader_get (CuredReader *self, const char *key, gboolean is_needed);
gboolean _cured_reader_has (const CuredReader *self, const char *key);
void _cured_reader_read (CuredReader *self, const CuredReaderField *fields, gpointer record,
                         guint variant);
CuredExpr *_cured_reader_parse_expr (CuredReader *self, const char *key, const char *text);
guint _cured_reader_get_exprs (CuredReader *self, const char *key, gboolean is_needed,
                               CuredExpr **exprs, guint most);
int _cured_reader_find_word (CuredReader *self, const char *key, const char *value,
                             const char *const *words);
int _cured_reader_find_buffer (CuredReader *self, const char *key, const char *name);
const char *_cured_reader_get_declarations (CuredReader *self);
char **_cured_reader_split (const char *text);
gboolean _cured_reader_is_identifier (const char *text);
gboolean _cured_reader_is_qualified (const char *text);
gboolean _cured_reader_has_buffer (const CuredKernel *kernel, const char *name);
gboolean _cured_reader_is_guess (const CuredReader *self, const char *key);
gpointer _cured_reader_begin_buffer (CuredReader *self);
void _cured_reader_end_buffer (CuredReader *self, gpointer record);
gpointer _cured_reader_begin_tensor_map (CuredReader *self);
void _cured_reader_end_tensor_map (CuredReader *self, gpointer record);
void _cured_reader_get_arguments (CuredReader *self, CuredStep *step);
