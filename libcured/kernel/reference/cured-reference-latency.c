/* SPDX-License-Identifier: MIT
 * Pointer chasing. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include "kernel/program/cured-program-internal.h"

/* chase: the position in a ring of pointers after repeats × steps hops. The ring's length is the
 * parameter "hops", or the number of strides that fit into "footprint", in KiB. */

gboolean
_cured_reference_chase (const CuredProgram *program, const void *const *inputs, void *output,
                        GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  gint64 steps, repeats, hops, footprint, stride;

  if (out->buffer->type != CURED_ELEMENT_I32)
    return _cured_reference_refuse (program, error, _ ("needs an i32 output"));
  if (!_cured_reference_get_parameter (program, "steps", &steps, error) ||
      !_cured_reference_get_parameter (program, "repeats", &repeats, error))
    return FALSE;
  if (!cured_program_get_value (program, "hops", &hops))
    {
      if (!_cured_reference_get_parameter (program, "footprint", &footprint, error) ||
          !_cured_reference_get_parameter (program, "stride", &stride, error))
        return FALSE;
      hops = stride > 0 && footprint > 0 && footprint < G_MAXINT32 ? footprint * 1024 / stride : 0;
    }
  /* The product of two remainders then fits 64 bits. */
  if (hops < 1 || hops > G_MAXINT32 || steps < 0 || repeats < 0)
    return _cured_reference_refuse (
        program, error, _ ("needs a ring of 1 to %d pointers, and no negative steps or repeats"),
        G_MAXINT32);
  for (gint64 i = 0; i < out->length; i++)
    AT (gint32, output, i) = (gint32) (steps % hops * (repeats % hops) % hops);
  return TRUE;
}
