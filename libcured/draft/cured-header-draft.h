/* SPDX-License-Identifier: MIT
 * A first header for a CUDA file that has none: what its kernels need, guessed. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

/* A parameter of a `__global__` function. */
typedef struct
{
  char *name;          /* as the source has it; "arg1" where it has none */
  char *type;          /* as the source has it */
  gboolean is_pointer; /* it becomes a buffer */
  gboolean is_table;   /* it points at pointers */
  gboolean is_const;   /* a buffer that is only read */
  /* @element is what the source has; else elements of the same bits replace it, or it is not
   * known */
  gboolean is_exact;
  CuredElement element; /* of the buffer, or of the scalar */
  guint count;          /* elements of @element in one of the source's: 4 of a float4 */
  gsize size;           /* bytes of the scalar, or of what the pointer points at; 0: not known */
  guint of_template;    /* which parameter of the template its type is, from 1 on; 0: none */
} CuredDraftArgument;

/* A parameter of a template. */
typedef struct
{
  gboolean is_type;     /* a type, else a number */
  gboolean is_bool;     /* of two values */
  gboolean is_pack;     /* any number of them */
  gboolean has_default; /* it may be left out */
} CuredDraftTemplate;

/* A `__global__` function of a source. */
typedef struct
{
  char *name; /* of the function */
  int line;   /* where it begins, from 1 */
  /* byte of the source where `extern "C"` would stand; beyond it where the function is in another
   * file */
  gsize offset;
  gboolean is_extern_c;          /* it stands there already */
  gboolean is_template;          /* its name alone is not enough */
  gboolean has_code;             /* it is more than declared */
  gboolean is_overloaded;        /* another kernel of that name takes other arguments */
  gboolean uses_y;               /* the source reads `threadIdx.y` */
  guint max_threads;             /* of a block, as `__launch_bounds__` says; 0: it does not */
  char *space;                   /* the namespaces that it is in, `a::b::`; empty where in none */
  CuredDraftTemplate *templates; /* (array length=n_template): of a template */
  gsize n_template;
  CuredDraftArgument *arguments; /* (array length=n_arguments) */
  gsize n_arguments;
} CuredDraftFunction;

/* What a sweep could vary. */
typedef struct
{
  char *name;
  CuredParameterKind kind;
  char *values; /* nullable: any */
  char *default_value;
  char *sweep;        /* nullable: its values in the default sweep */
  gboolean is_guess;  /* the host's code does not give it */
  gboolean is_member; /* of a struct of the host's */
  guint n_launches;   /* recorded ones that it was derived from; 0: it was not */
} CuredDraftParameter;

typedef struct
{
  char *name;
  CuredElement type; /* of an element, where it has no @record */
  /* (nullable): a vector or a struct, as a header has it: `f32x4`, `struct:Particle` */
  char *record, *length;
  char *fill; /* as a header has it; "poison" of an output */
  /* (nullable): of a constant fill, 0 where there is none; the numbers of "values", the name of a
   * "file" */
  char *low;
  char *high;             /* (nullable): of a fill that has it */
  gboolean is_constant;   /* it is a variable of the source, in constant memory */
  gboolean is_guess;      /* no allocation gives the length */
  gboolean is_fill_guess; /* its contents are unknown */
} CuredDraftBuffer;

/* A header, before it is written. Texts are changed in place; free with
 * cured_header_draft_free(). */
typedef struct
{
  char *title;    /* of the kernel */
  char *function; /* name of the function */
  char *entry;    /* what is launched: @function, or a template of it by name, `k<int, 256>` */
  char *grid;     /* expressions, with commas */
  char *block;    /* likewise */
  char *cluster;  /* (nullable): blocks of a cluster */
  char *shared;   /* (nullable): bytes of dynamic shared memory */
  gboolean is_cooperative; /* all blocks are resident at once */
  char *arguments;         /* as a header has them */
  /* (nullable): by argument, what the host gives a class whose fields are not known, as "p,64";
   * NULL for other arguments */
  GPtrArray *fields;
  gboolean is_incomplete;     /* there is such a class */
  gboolean is_lambda;         /* the kernel is given one, which has no name */
  gboolean is_argument_guess; /* some of them are not known */
  char *code;        /* (nullable): kernels of steps before the launch, which the source lacks */
  GPtrArray *setup;  /* (nullable) (element-type utf8): these steps, as groups have them */
  char *output;      /* (nullable): the buffer that @reference is compared with */
  char *reference;   /* (nullable): of cured_reference_list() */
  gboolean is_exact; /* the comparison is to the bit */
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
