/* SPDX-License-Identifier: MIT
 * The table of references, and what they share. */
#include "config.h"

#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "base/cured-error.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-program-internal.h"
#include "kernel/cured-reference-internal.h"

gboolean
_cured_reference_cancelled (GCancellable *cancellable, GError **error)
{
  g_cancellable_set_error_if_cancelled (cancellable, error);
  return FALSE;
}

gboolean
_cured_reference_refuse (const CuredProgram *program, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
               /* Translators: a kernel, the reference that its output is checked against, and what
                * is amiss: “needs a u32 output”. */
               _ ("%s: reference %s %s"), program->kernel->id, program->kernel->reference, message);
  return FALSE;
}

const CuredProgramBuffer *
_cured_reference_get_output (const CuredProgram *program)
{
  return &program->buffers[program->kernel->output];
}

/* Whether there is one number to compare. */
gboolean
_cured_reference_check_single (const CuredProgram *program, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);

  if (out->length == 1)
    return TRUE;
  return _cured_reference_refuse (program, error,
                                  _ ("needs an output of one element; [Buffer %s] has %" PRId64),
                                  out->buffer->name, out->length);
}

/* What is not filled has no contents here: a launch may have written them, but that is what is to
 * be checked. */
gboolean
_cured_reference_check_filled (const CuredProgram *program, int index, GError **error)
{
  const CuredBuffer *buffer = program->buffers[index].buffer;

  if (buffer->fill != CURED_FILL_POISON)
    return TRUE;
  return _cured_reference_refuse (
      program, error, _ ("needs numbers in [Buffer %s], and Fill=poison has none"), buffer->name);
}

/* Finds the input that a reference knows by name. It has the output's type, and at least @length
 * elements. */
gboolean
_cured_reference_find_input (const CuredProgram *program, const char *name, gint64 length,
                             int *index, GError **error)
{
  const CuredProgramBuffer *output = _cured_reference_get_output (program);
  const CuredProgramBuffer *input;

  *index = cured_program_find_buffer (program, name);
  if (*index < 0)
    return _cured_reference_refuse (program, error, _ ("needs a [Buffer %s]"), name);
  input = &program->buffers[*index];
  if (!cured_buffer_has_type_of (input->buffer, output->buffer))
    return _cured_reference_refuse (program, error,
                                    _ ("needs [Buffer %s] to be %s as the output is"), name,
                                    cured_buffer_get_type_name (output->buffer));
  if (input->length < length)
    return _cured_reference_refuse (
        program, error, _ ("needs %" PRId64 " elements in [Buffer %s], which has %" PRId64), length,
        name, input->length);
  return _cured_reference_check_filled (program, *index, error);
}

gboolean
_cured_reference_get_parameter (const CuredProgram *program, const char *name, gint64 *value,
                                GError **error)
{
  if (!cured_program_get_value (program, name, value))
    return _cured_reference_refuse (program, error, _ ("needs a [Parameter %s]"), name);
  return TRUE;
}

/* clang-format off */
static const CuredReference references[] = {
  { "average", N_ ("the mean of each element of in and its two neighbours, iterations times"), _cured_reference_average },
  { "chase", N_ ("where a ring of pointers leads after repeats · steps of them"), _cured_reference_chase },
  { "conflict", N_ ("the numbers of the words that each lane of banks/conflict reads, added up"),
    _cured_reference_conflict },
  { "copy", N_ ("the elements of in"), _cured_reference_copy },
  { "divergence", N_ ("what the two ways of features/divergence make of in"), _cured_reference_divergence },
  { "dot", N_ ("the sum of a · b, element by element"), _cured_reference_dot },
  { "exclusive-or", N_ ("all bits of a and b, exclusive-ored"), _cured_reference_exclusive_or },
  { "index", N_ ("each element's own index"), _cured_reference_index },
  { "matmul", N_ ("c = a · b, row by row: m × k by k × n, or n × n"), _cured_reference_matmul },
  { "pattern", N_ ("the words that each lane of banks/pattern meets, added up"), _cured_reference_pattern },
  { "reduce", N_ ("the sum, product, minimum or maximum of all elements of in"), _cured_reference_reduce },
  { "reverse", N_ ("the elements of in, the last one first"), _cured_reference_reverse },
  { "squared-error", N_ ("sum and mean of (a − b)²; before them, if asked for, each block's sum"),
    _cured_reference_squared_error },
  { "stream", N_ ("what each thread adds up that takes every n-th element of in, passes times"), _cured_reference_stream },
  { "stride", N_ ("the words that each lane of banks/stride or banks/half-warp meets, added up"), _cured_reference_stride },
  { "sum", N_ ("the sum of all elements of in"), _cured_reference_sum },
  { "transpose", N_ ("the columns of in, m × n or n × n, as rows"), _cured_reference_transpose },
  { "vector-add", N_ ("a + b, element by element"), _cured_reference_vector_add },
};
/* clang-format on */

/**
 * cured_reference_list:
 * @n_references: (out): how many there are
 *
 * Returns: (transfer none) (array length=n_references): all references, by
 *   name; summaries are untranslated
 */
const CuredReference *
cured_reference_list (gsize *n_references)
{
  *n_references = G_N_ELEMENTS (references);
  return references;
}

/**
 * cured_reference_takes:
 * @name: a reference
 * @buffer: an output of it, or an input, of one type
 *
 * Returns: whether the reference knows such elements
 */
gboolean
cured_reference_takes (const char *name, const CuredBuffer *buffer)
{
  static const char *const of_any_type[] = { "copy", "reverse", "transpose", NULL };
  gboolean is_scalar = buffer->record == NULL;

  if (g_strv_contains (of_any_type, name) || (is_scalar && g_str_equal (name, "vector-add")) ||
      (is_scalar && g_str_equal (name, "matmul") &&
       (buffer->type == CURED_ELEMENT_F16 || buffer->type == CURED_ELEMENT_BF16)))
    return TRUE;
  return is_scalar && (buffer->type == CURED_ELEMENT_I32 || buffer->type == CURED_ELEMENT_U32 ||
                       buffer->type == CURED_ELEMENT_F32 || buffer->type == CURED_ELEMENT_F64);
}

/**
 * cured_reference_find:
 * @name: a name, as kernel files have it
 *
 * Returns: (transfer none) (nullable): the reference of that name
 */
const CuredReference *
cured_reference_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (references); i++)
    if (g_str_equal (references[i].name, name))
      return &references[i];
  return NULL;
}
