/* SPDX-License-Identifier: MIT
 * Drafts a header for a CUDA file that has none, by guesses. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

/* A parameter of a `__global__` function. */
typedef struct
{
  char *name;          /* as in the source; "arg1" if it has none */
  char *type;          /* as in the source */
  gboolean is_pointer; /* it becomes a buffer */
  gboolean is_table;   /* it points at pointers */
  gboolean is_const;   /* a buffer that is only read */
  /* @element is the source's type; otherwise a type of the same size, or
   * unknown */
  gboolean is_exact;
  CuredElement element; /* of the buffer, or of the scalar */
  guint count;          /* number of @element in an element of the source: 4 for float4 */
  gsize size;           /* bytes of the scalar, or of the pointer's target; 0: unknown */
  guint of_template;    /* number of the template's parameter that is its type, from 1; 0: none */
} CuredDraftArgument;

/* A parameter of a template. */
typedef struct
{
  gboolean is_type;     /* a type; otherwise a number */
  gboolean is_bool;     /* of two values */
  gboolean is_pack;     /* any number of them */
  gboolean has_default; /* it may be left out */
} CuredDraftTemplate;

/* A `__global__` function of a source. */
typedef struct
{
  char *name; /* of the function */
  int line;   /* line where it begins, from 1 */
  /* offset in the source for `extern "C"`; beyond the source if the function is in another
   * file */
  gsize offset;
  gboolean is_extern_c;          /* it has `extern "C"` */
  gboolean is_template;          /* it needs template arguments */
  gboolean has_code;             /* it is defined, not only declared */
  gboolean is_overloaded;        /* another kernel of that name takes other arguments */
  gboolean uses_y;               /* the source reads `threadIdx.y` */
  guint max_threads;             /* of a block, from `__launch_bounds__`; 0: unknown */
  char *space;                   /* its namespaces, `a::b::`; may be empty */
  CuredDraftTemplate *templates; /* (array length=n_template): of a template */
  gsize n_template;
  CuredDraftArgument *arguments; /* (array length=n_arguments) */
  gsize n_arguments;
} CuredDraftFunction;

/* A parameter that a sweep could vary. */
typedef struct
{
  char *name;
  CuredParameterKind kind;
  char *values; /* nullable: any */
  char *default_value;
  char *sweep;        /* nullable: its values in the default sweep */
  gboolean is_guess;  /* the host's code does not define it */
  gboolean is_member; /* a member of a host's struct */
  guint n_launches;   /* number of recorded launches from which it was derived; 0: none */
} CuredDraftParameter;

typedef struct
{
  char *name;
  CuredElement type; /* type of an element, without @record */
  /* (nullable): a vector or a struct, as in a header: `f32x4`, `struct:Particle` */
  char *record, *length;
  char *fill; /* as in a header; "poison" for an output */
  /* (nullable): value of a constant fill; the numbers of "values"; the name of a
   * "file" */
  char *low;
  char *high;             /* (nullable): if the fill has it */
  gboolean is_constant;   /* it is a variable of the source, in constant memory */
  gboolean is_guess;      /* the length is a guess, without an allocation */
  gboolean is_fill_guess; /* its contents are unknown */
} CuredDraftBuffer;

/* A header, before it is written. Texts are changed in place; free with
 * cured_header_draft_free(). */
typedef struct
{
  char *title;             /* of the kernel */
  char *function;          /* name of the function */
  char *entry;             /* the launched kernel: @function, or its instance, `k<int, 256>` */
  char *grid;              /* expressions, with commas */
  char *block;             /* likewise */
  char *cluster;           /* (nullable): blocks of a cluster */
  char *shared;            /* (nullable): bytes of dynamic shared memory */
  gboolean is_cooperative; /* all blocks are resident at once */
  char *arguments;         /* as in a header */
  /* (nullable): by argument, the host's values of a class with unknown fields, such as "p,64"; NULL
   * for other arguments */
  GPtrArray *fields;
  gboolean is_incomplete;     /* there is such a class */
  gboolean is_lambda;         /* an argument is a lambda, which has no name */
  gboolean is_argument_guess; /* some arguments are unknown */
  char *code;                 /* (nullable): additional kernels for steps before the launch */
  GPtrArray *setup;      /* (nullable) (element-type utf8): these steps, as groups of a header */
  char *output;          /* (nullable): the buffer that @reference is compared with */
  char *reference;       /* (nullable): of cured_reference_list() */
  gboolean is_exact;     /* the comparison is bitwise */
  GPtrArray *parameters; /* (element-type CuredDraftParameter) */
  GPtrArray *buffers;    /* (element-type CuredDraftBuffer) */
} CuredHeaderDraft;

char *cured_header_draft_read_context (const char *path, const char *source);
GPtrArray *cured_header_draft_scan (const char *source, const char *context);
CuredHeaderDraft *cured_header_draft_new (const CuredDraftFunction *function, const char *title);
CuredHeaderDraft *cured_header_draft_new_from_source (const char *source, const char *context,
                                                      const CuredDraftFunction *function,
                                                      const char *title);
CuredHeaderDraft *cured_header_draft_new_tunable (const char *source, const char *context,
                                                  const CuredDraftFunction *function,
                                                  const char *title);
GPtrArray *cured_header_draft_file (const char *path, char **source, GError **error);
GPtrArray *cured_template_split (const char *text, gsize length);
char *cured_header_find_triton (const char *folder, const char *name, GError **error);
void cured_draft_buffer_free (CuredDraftBuffer *self);
void cured_header_draft_free (CuredHeaderDraft *self);
char *cured_header_draft_to_text (const CuredHeaderDraft *self);
char *cured_header_draft_apply (const CuredHeaderDraft *self, const CuredDraftFunction *function,
                                const char *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredHeaderDraft, cured_header_draft_free)
