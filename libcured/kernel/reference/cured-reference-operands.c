/* SPDX-License-Identifier: MIT
 * Inputs, outputs and refusals, for all references. */

#include "base/cured-base-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "kernel/reference/cured-reference-private.h"

gboolean
_cured_reference_cancelled (GCancellable *cancellable, GError **error)
{
  g_cancellable_set_error_if_cancelled (cancellable, error);
  return FALSE;
}

gboolean
_cured_reference_refuse (const CuredProgram *program, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return cured_fail (
      error, CURED_ERROR_INVALID,
      /* Translators: a kernel, the reference that its output is checked against, and what
                * is amiss: “needs a u32 output”. */
      _ ("%s: reference %s %s"), program->kernel->id, program->kernel->reference, message);
}

const CuredProgramBuffer *
_cured_reference_get_output (const CuredProgram *program)
{
  return &program->buffers[program->kernel->output];
}

/* Whether the output is a single number. */
gboolean
_cured_reference_check_single (const CuredProgram *program, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);

  return out->length == 1 ||
         _cured_reference_refuse (program, error,
                                  _ ("needs an output of one element; [Buffer %s] has %" PRId64),
                                  out->buffer->name, out->length);
}

/* Refuses inputs without a fill: only a launch could have written them, and launches are what is
 * being checked. */
gboolean
_cured_reference_check_filled (const CuredProgram *program, int index, GError **error)
{
  const CuredBuffer *buffer = program->buffers[index].buffer;

  return buffer->fill != CURED_FILL_POISON ||
         _cured_reference_refuse (program, error,
                                  _ ("needs numbers in [Buffer %s], and Fill=poison has none"),
                                  buffer->name);
}

/* Finds a reference's input by its name. It must have the output's type, and at least @length
 * elements. */
gboolean
_cured_reference_find_input (const CuredProgram *program, const char *name, gint64 length,
                             int *index, GError **error)
{
  const CuredProgramBuffer *output = _cured_reference_get_output (program);

  *index = cured_program_find_buffer (program, name);
  if (*index < 0)
    return _cured_reference_refuse (program, error, _ ("needs a [Buffer %s]"), name);
  const CuredProgramBuffer *input = &program->buffers[*index];
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
