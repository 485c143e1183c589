/* SPDX-License-Identifier: MIT
 * A first header for a CUDA file that has none: what its kernels need, guessed. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

G_BEGIN_DECLS

/**
 * CuredDraftArgument: a parameter of a `__global__` function.
 * @name: as the source has it; "arg1" where it has none
 * @type: as the source has it
 * @is_pointer: it becomes a buffer
 * @is_table: it points at pointers
 * @is_const: a buffer that is only read
 * @is_exact: @element is what the source has; else elements of the same bits
 *   replace it, or it is not known
 * @element: of the buffer, or of the scalar
 * @count: elements of @element in one of the source's: 4 of a float4
 * @size: bytes of the scalar, or of what the pointer points at; 0: not known
 * @of_template: which parameter of the template its type is, from 1 on; 0: none
 */
typedef struct
{
  char *name;
  char *type;
  gboolean is_pointer;
  gboolean is_table;
  gboolean is_const;
  gboolean is_exact;
  CuredElement element;
  guint count;
  gsize size;
  guint of_template;
} CuredDraftArgument;

/**
 * CuredDraftTemplate: a parameter of a template.
 * @is_type: a type, else a number
 * @is_bool: of two values
 * @is_pack: any number of them
 * @has_default: it may be left out
 */
typedef struct
{
  gboolean is_type;
  gboolean is_bool;
  gboolean is_pack;
  gboolean has_default;
} CuredDraftTemplate;

/**
 * CuredDraftFunction: a `__global__` function of a source.
 * @name: of the function
 * @line: where it begins, from 1
 * @offset: byte of the source where `extern "C"` would stand; beyond it where the
 *   function is in another file
 * @is_extern_c: it stands there already
 * @is_template: its name alone is not enough
 * @has_code: it is more than declared
 * @is_overloaded: another kernel of that name takes other arguments
 * @space: the namespaces that it is in, `a::b::`; empty where in none
 * @templates: (array length=n_template): of a template
 * @uses_y: the source reads `threadIdx.y`
 * @max_threads: of a block, as `__launch_bounds__` says; 0: it does not
 * @arguments: (array length=n_arguments)
 */
typedef struct
{
  char *name;
  int line;
  gsize offset;
  gboolean is_extern_c;
  gboolean is_template;
  gboolean has_code;
  gboolean is_overloaded;
  gboolean uses_y;
  guint max_threads;
  char *space;
  CuredDraftTemplate *templates;
  gsize n_template;
  CuredDraftArgument *arguments;
  gsize n_arguments;
} CuredDraftFunction;

/**
 * CuredDraftParameter: what a sweep could vary.
 */
typedef struct
{
  char *name;
  CuredParameterKind kind;
  char *values; /* nullable: any */
  char *default_value;
  char *sweep;       /* nullable: its values in the default sweep */
  gboolean is_guess; /* the host's code does not tell it */
  guint n_launches;  /* recorded ones that it was derived from; 0: it was not */
} CuredDraftParameter;

/**
 * CuredDraftBuffer:
 * @type: of an element, where it has no @record
 * @record: (nullable): a vector or a struct, as a header has it: `f32x4`,
 *   `struct:Particle`
 * @fill: as a header has it; "poison" of an output
 * @low: (nullable): of a constant fill, 0 where there is none; the numbers of "values", the name of
 *   a "file"
 * @high: (nullable): of a fill that has it
 * @is_constant: it is a variable of the source, in constant memory
 * @is_guess: no allocation tells the length
 * @is_fill_guess: nothing tells what is in it
 */
typedef struct
{
  char *name;
  CuredElement type;
  char *record;
  char *length;
  char *fill;
  char *low;
  char *high;
  gboolean is_constant;
  gboolean is_guess;
  gboolean is_fill_guess;
} CuredDraftBuffer;

/**
 * CuredHeaderDraft: a header, before it is written. Texts are changed in place; free with
 * cured_header_draft_free().
 * @title: of the kernel
 * @function: name of the function
 * @entry: what is launched: @function, or a template of it by name, `k<int,
 *   256>`
 * @grid: expressions, with commas
 * @block: likewise
 * @cluster: (nullable): blocks of a cluster
 * @shared: (nullable): bytes of dynamic shared memory
 * @is_cooperative: all blocks are resident at once
 * @arguments: as a header has them
 * @fields: (nullable): by argument, what the host gives a class whose fields are not known, as
 *   "p,64"; NULL for other arguments
 * @is_incomplete: there is such a class
 * @is_argument_guess: some of them are not known
 * @code: (nullable): kernels of steps before the launch, which the source lacks
 * @setup: (nullable) (element-type utf8): these steps, as groups have them
 * @output: (nullable): the buffer that @reference is compared with
 * @reference: (nullable): of cured_reference_list()
 * @is_exact: the comparison is to the bit
 * @parameters: (element-type CuredDraftParameter)
 * @buffers: (element-type CuredDraftBuffer)
 */
typedef struct
{
  char *title;
  char *function;
  char *entry;
  char *grid;
  char *block;
  char *cluster;
  char *shared;
  gboolean is_cooperative;
  char *arguments;
  GPtrArray *fields;
  gboolean is_incomplete;
  gboolean is_argument_guess;
  char *code;
  GPtrArray *setup;
  char *output;
  char *reference;
  gboolean is_exact;
  GPtrArray *parameters;
  GPtrArray *buffers;
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
char *cured_header_find_triton (const char *folder, const char *name, GError **error);
void cured_draft_buffer_free (CuredDraftBuffer *self);
void cured_header_draft_free (CuredHeaderDraft *self);
char *cured_header_draft_to_text (const CuredHeaderDraft *self);
char *cured_header_draft_apply (const CuredHeaderDraft *self, const CuredDraftFunction *function,
                                const char *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredHeaderDraft, cured_header_draft_free)

G_END_DECLS
