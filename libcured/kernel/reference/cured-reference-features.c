/* SPDX-License-Identifier: MIT
 * References for kernels that show a feature of the language or of the machine. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-parallel-internal.h"

/* divergence: the results of both branches of features/divergence. */

typedef struct
{
  const guint32 *in;
  guint32 *out;
  gint64 by, fraction, rounds, threads;
} Ways;

static void
ways_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  const Ways *self = user_data;

  for (gint64 i = begin; i < end; i++)
    {
      gint64 place = self->by == 0 ? i : self->by == 1 ? i / 32 : i / self->threads;
      guint32 x = self->in[i];

      if (place % 32 < self->fraction)
        for (gint64 k = 0; k < self->rounds; k++)
          x = (x ^ x >> 15) * 1664525U + 1013904223U;
      else
        for (gint64 k = 0; k < self->rounds; k++)
          x = (x ^ x >> 13) * 22695477U + 12345U;
      self->out[i] = x;
    }
}

gboolean
_cured_reference_divergence (const CuredProgram *program, const void *const *inputs, void *output,
                             GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  Ways ways = { .out = output };
  int in;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return _cured_reference_refuse (program, error, _ ("needs a u32 output"));
  if (!_cured_reference_get_parameter (program, "by", &ways.by, error) ||
      !_cured_reference_get_parameter (program, "fraction", &ways.fraction, error) ||
      !_cured_reference_get_parameter (program, "rounds", &ways.rounds, error) ||
      !_cured_reference_get_parameter (program, "threads", &ways.threads, error) ||
      !_cured_reference_find_input (program, "in", out->length, &in, error))
    return FALSE;
  if (ways.threads < 1)
    return _cured_reference_refuse (program, error,
                                    _ ("needs [Parameter threads] to be 1 or more"));
  ways.in = inputs[in];
  if (!_cured_parallel (out->length, 1 << 12, ways_chunk, &ways, cancellable))
    return _cured_reference_cancelled (cancellable, error);
  return TRUE;
}

/* reverse: the elements of "in", last one first. */

gboolean
_cured_reference_reverse (const CuredProgram *program, const void *const *inputs, void *output,
                          GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  gsize size = cured_buffer_get_element_size (out->buffer);
  char *to = output;
  int in;

  if (!_cured_reference_find_input (program, "in", out->length, &in, error))
    return FALSE;
  const char *from = inputs[in];
  for (gint64 i = 0; i < out->length; i++)
    {
      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return _cured_reference_cancelled (cancellable, error);
      memcpy (to + (gsize) i * size, from + (gsize) (out->length - 1 - i) * size, size);
    }
  return TRUE;
}
