/* SPDX-License-Identifier: MIT
 * Types and functions of drafting from host code: a source, its launches, and the draft of one. */
#pragma once

#include "draft/cured-header-draft-internal.h"
#include "kernel/cured-tokens-internal.h"

#define MAX_FUNCTIONS 512
#define MAX_LAUNCHES  64
#define MAX_FIELDS    64
#define MAX_TABLE     32
#define MAX_DEPTH     12
#define MAX_EXPR      512
#define MAX_NODES     4096
#define MAX_MACROS    1024
/* Too many elements for a quick check. */
#define LARGE 4096
/* Too many for any. */
#define HUGE_SIZE (1 << 24)
/* Limit of a buffer's elements if the launch does not depend on them. */
#define MAX_WHOLE (1 << 26)
/* Limit of dynamic shared memory without opting in for more. */
#define MAX_SHARED (48 << 10)
/* Limit of a block's threads. */
#define MAX_THREADS 1024

/* A piece of the source, in the function of this index; -1: in none. */
typedef struct
{
  const CuredTokens *tokens;
  guint begin, end;
  int function;
} CuredTokenSpan;

/* A function with its body. */
typedef struct
{
  guint name;
  guint open; /* of its parameters */
  guint body; /* its braces */
  gboolean is_device;
} CuredHostFunction;

typedef struct
{
  guint name;          /* of the kernel */
  guint arguments;     /* template's: index of `<`, or 0 */
  guint arguments_end; /* one behind its `>` */
  guint chevron;       /* its position: the first `<` of `<<<`, or a call */
  int function;        /* index of the function that contains it */
  CuredTokenSpan grid, block;
  CuredTokenSpan shared; /* empty: none */
  /* The list of arguments, from its opening bracket on; with cudaLaunchKernel (), of
   * addresses. */
  guint given;
  guint n_skipped; /* items of the list that are not arguments */
  gboolean is_given_by_address, is_cooperative;
  guint n_given;
} CuredHostLaunch;

typedef struct
{
  guint name;
  gboolean is_copy; /* or sets; otherwise it allocates */
} CuredHostCall;

typedef struct
{
  char *source; /* preprocessed, as far as that is possible */
  CuredTokens *tokens;
  GArray *functions;  /* (element-type CuredHostFunction) */
  GArray *launches;   /* (element-type CuredHostLaunch) */
  GArray *calls;      /* (element-type CuredHostCall): that allocate, copy or set */
  GHashTable *macros; /* name → CuredTokens of its text */
  GPtrArray *texts;   /* (element-type utf8): texts of the macros */
} CuredHostSource;

/* The state of drafting one launch. */
typedef struct _Draft CuredDrafting;
struct _Draft
{
  CuredHostSource *source;
  CuredHeaderDraft *draft;
  const CuredDraftFunction *kernel;
  const CuredHostLaunch *launch;
  GHashTable *pointers; /* key of a host pointer → buffer */
  guint nodes;          /* count of visited nodes, to bound the search */
  const char *owner;    /* (nullable): an object that allocates the pointer itself */
  gboolean is_flat;     /* one dimension */
  gboolean is_bounding; /* nothing becomes a parameter */
  gboolean is_assigned; /* the value is assigned to a variable */
};

/* An expression in a kernel file's language. */
typedef struct
{
  GString *text;
  gboolean is_real;
} CuredDraftValue;

/* The declaration of a name. */
typedef struct
{
  CuredTokenSpan type; /* without its stars */
  guint stars;         /* pointers */
  guint bracket;       /* of an array's length; 0: none */
} CuredDeclared;

/* The target of a pointer argument. */
typedef struct
{
  CuredTokenSpan name;   /* the host's variable, if known */
  guint member;          /* of a struct; 0: none */
  guint outer;           /* the member that contains it; 0: none */
  CuredTokenSpan offset; /* in elements; empty: none */
  char *key;             /* pointers with equal keys are equal */
} CuredHostPointer;

/* The contents of memory set by the host before the launch. */
typedef struct
{
  gboolean is_filled;
  int byte;            /* of cudaMemset (); -1: other numbers */
  char *values;        /* nullable: those of a list in the source */
  CuredTokenSpan from; /* source of a copy; empty: none */
} CuredHostFill;

#define is(tokens, i, word) _cured_tokens_is (tokens, i, word)
#define sign(tokens, i)     _cured_tokens_get_sign (tokens, i)
#define match(tokens, i)    _cured_draft_get_match (tokens, i)
#define is_word(tokens, i)  _cured_draft_is_word (tokens, i)

gboolean _cured_draft_is_word (const CuredTokens *tokens, guint i);
gboolean _cured_draft_is_same (const CuredTokens *tokens, guint i, const CuredTokens *others,
                               guint k);
gboolean _cured_draft_ends_statement (char c);
guint _cured_draft_get_match (const CuredTokens *tokens, guint i);
GArray *_cured_draft_split (const CuredTokens *tokens, guint begin, guint end, int function);
gboolean _cured_draft_is_for_device (const CuredTokens *tokens, guint name);
int _cured_draft_find_function (const CuredHostSource *self, const char *name);
int _cured_draft_find_function_at (const CuredHostSource *self, guint token);
char *_cured_draft_dup_span (const CuredTokens *tokens, guint begin, guint end);
void _cured_draft_source_init (CuredHostSource *self, const char *source, const char *context);
guint _cured_draft_find_value_end (const CuredTokens *tokens, guint i);
gboolean _cured_draft_find_assignment (const CuredHostSource *self, const CuredTokens *names,
                                       guint name, guint begin, guint before, guint nth,
                                       CuredTokenSpan *span);
gboolean _cured_draft_read_declared (const CuredTokens *tokens, guint i, int function,
                                     CuredDeclared *to);
gboolean _cured_draft_find_declaration (const CuredHostSource *self, const CuredTokens *names,
                                        guint name, int function, guint before, CuredDeclared *to);
int _cured_draft_find_parameter (const CuredHostSource *self, int function,
                                 const CuredTokens *names, guint name);
gboolean _cured_draft_find_call (const CuredHostSource *self, int function, int parameter,
                                 CuredTokenSpan *span);
gboolean _cured_draft_find_template_argument (const CuredHostSource *self, int function,
                                              const CuredTokens *names, guint name,
                                              CuredTokenSpan *span);
gboolean _cured_draft_find_returned (const CuredHostSource *self, const CuredTokenSpan *span,
                                     CuredTokenSpan *value);
void _cured_draft_follow_type (const CuredHostSource *self, CuredTokenSpan *span);
gboolean _cured_draft_find_field_value (const CuredDrafting *self, const CuredTokenSpan *span,
                                        gsize number, const char *field, CuredTokenSpan *value);
gboolean _cured_draft_find_field (const CuredDrafting *self, const CuredTokenSpan *span,
                                  const char *field, CuredTokenSpan *value);
gboolean _cured_draft_find_member (const CuredHostSource *self, const CuredTokens *names,
                                   guint name, const char *member, guint begin, guint before,
                                   CuredTokenSpan *span);
GArray *_cured_draft_get_given (const CuredHostSource *self, const CuredHostLaunch *launch);
gsize _cured_draft_measure_type (CuredDrafting *self, const CuredTokens *tokens, guint begin,
                                 guint end, guint depth);
gsize _cured_draft_get_sizeof (CuredDrafting *self, const CuredTokenSpan *span, guint i,
                               guint depth, guint *next);
gsize _cured_draft_find_size (const char *source, const char *type, gboolean is_template);
const char *_cured_draft_dup_name (CuredDrafting *self, const char *name);
gboolean _cured_draft_has_draft_parameter (const CuredHeaderDraft *self, const char *name);
void _cured_draft_add_parameter (CuredDrafting *self, const char *name, gint64 value,
                                 gboolean is_known);
gboolean _cured_draft_get_constant (const char *text, gint64 *value);
gboolean _cured_draft_resolve (const CuredDrafting *self, const CuredTokens *names, guint name,
                               int function, guint before, guint nth, CuredTokenSpan *span);
gboolean _cured_draft_resolve_constant (const CuredDrafting *self, const char *name,
                                        CuredTokenSpan *span);
gboolean _cured_draft_is_seen_by_device (const CuredHostSource *self, const char *name,
                                         guint depth);
gboolean _cured_draft_is_filled_elsewhere (const CuredHostSource *self, const char *name);
gboolean _cured_draft_has_word (const CuredTokens *tokens, guint begin, guint end,
                                const char *word);
gboolean _cured_draft_get_default_cb (const char *name, CuredNumber *value, gpointer user_data);
char *_cured_draft_make_expr (CuredDrafting *self, const CuredTokenSpan *span, gboolean *is_real);
gboolean _cured_draft_mentions (const CuredTokens *tokens, guint begin, guint end,
                                const CuredHostPointer *pointer);
char *_cured_draft_make_extent (CuredDrafting *self, const CuredTokenSpan *span);
gboolean _cured_draft_find_pointer (CuredDrafting *self, const CuredTokenSpan *span,
                                    CuredHostPointer *pointer);
char *_cured_draft_find_pitch (CuredDrafting *self, const CuredHostPointer *target,
                               const char *name, CuredTokenSpan *rows);
char *_cured_draft_find_length (CuredDrafting *self, const CuredHostPointer *pointer, gsize bytes);
CuredHostFill _cured_draft_find_host_fill (CuredDrafting *self, const CuredHostPointer *pointer);
void _cured_draft_read_use (const CuredHostSource *self, const char *kernel, const char *name,
                            gboolean *is_read, gboolean *is_written, gboolean *is_index);
char *_cured_draft_join (const char *left, const char *op, const char *right);
char *_cured_draft_bound_length (CuredDrafting *self, const char *argument);

gboolean _cured_draft_uses_word (const char *text, const char *word);
void _cured_draft_add_buffer (CuredDrafting *self, const char *name,
                              const CuredDraftArgument *argument, gsize bytes, const char *length,
                              gboolean is_guess, const CuredHostFill *host);
char *_cured_draft_guess_length (const CuredHeaderDraft *draft, const char *without);
gboolean _cured_draft_find_element (CuredDrafting *self, const CuredTokenSpan *type, guint depth,
                                    CuredDraftArgument *to);
gboolean _cured_draft_evaluate_known (CuredHeaderDraft *draft, const char *text, gint64 *number);
gboolean _cured_draft_is_class (const CuredTokens *tokens, const char *type);
gboolean _cured_draft_is_stateless (const CuredTokens *tokens, const char *type);
void _cured_draft_add_argument (CuredDrafting *self, const CuredDraftArgument *argument,
                                const CuredTokenSpan *span, GString *arguments);

gboolean _cured_draft_copy_host (CuredDrafting *self, CuredDraftBuffer *buffer,
                                 const CuredHostFill *host);

void _cured_draft_source_clear (CuredHostSource *self);
void _cured_draft_pointer_clear (CuredHostPointer *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredHostSource, _cured_draft_source_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredHostPointer, _cured_draft_pointer_clear)
