/* SPDX-License-Identifier: MIT
 * References for the kernels of bandwidth/. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "kernel/cured-parallel-internal.h"
#include "kernel/program/cured-program-internal.h"

/* copy: the output is "in". */

gboolean
_cured_reference_copy (const CuredProgram *program, const void *const *inputs, void *output,
                       GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  int in;

  if (!_cured_reference_find_input (program, "in", out->length, &in, error))
    return FALSE;
  memcpy (output, inputs[in], out->size);
  return TRUE;
}

/* exclusive-or: of all words of "a" and "b", whatever their type. */

typedef struct
{
  const guint32 *a, *b;
  guint32 *bits; /* one per chunk */
} Bits;

static void
bits_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Bits *self = user_data;
  guint32 bits = 0;

  for (gint64 i = begin; i < end; i++)
    bits ^= self->a[i] ^ self->b[i];
  self->bits[begin / CHUNK] = bits;
}

gboolean
_cured_reference_exclusive_or (const CuredProgram *program, const void *const *inputs, void *output,
                               GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  int a = cured_program_find_buffer (program, "a"), b = cured_program_find_buffer (program, "b");

  if (out->buffer->type != CURED_ELEMENT_U32 || out->length != 1)
    return _cured_reference_refuse (program, error, _ ("needs a u32 output of one element"));
  if (a < 0 || b < 0 || program->buffers[a].size != program->buffers[b].size)
    return _cured_reference_refuse (program, error,
                                    _ ("needs [Buffer a] and [Buffer b] of one size"));
  if (!_cured_reference_check_filled (program, a, error) ||
      !_cured_reference_check_filled (program, b, error))
    return FALSE;
  gint64 n = (gint64) (program->buffers[a].size / sizeof (guint32)), n_chunks = n / CHUNK + 1;
  g_autofree guint32 *bits = g_new0 (guint32, (gsize) n_chunks);
  Bits chunks = (Bits){ inputs[a], inputs[b], bits };
  if (!_cured_parallel (n, CHUNK, bits_chunk, &chunks, cancellable))
    return _cured_reference_cancelled (cancellable, error);
  AT (guint32, output, 0) = 0;
  for (gint64 i = 0; i < n_chunks; i++)
    AT (guint32, output, 0) ^= bits[i];
  return TRUE;
}

/* index: each element's own index, wrapped to the type. */

gboolean
_cured_reference_index (const CuredProgram *program, const void *const *inputs, void *output,
                        GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);

  if (out->buffer->type != CURED_ELEMENT_I32 && out->buffer->type != CURED_ELEMENT_U32)
    return _cured_reference_refuse (program, error, _ ("needs an i32 or u32 output"));
  for (gint64 i = 0; i < out->length; i++)
    {
      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return _cured_reference_cancelled (cancellable, error);
      AT (guint32, output, i) = (guint32) i;
    }
  return TRUE;
}

/* stream: the sums of threads that each take every n-th element of "in", "passes" times. An element
 * has the width "width"; n is the parameter "ways", else the output's length; threads that are n
 * apart take the same elements. With op 1, each word's index is added in place of the word; only op
 * 0 adds in every pass. */

gboolean
_cured_reference_stream (const CuredProgram *program, const void *const *inputs, void *output,
                         GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  gint64 passes, width = 4, op = 0, ways = out->length;
  int in;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return _cured_reference_refuse (program, error, _ ("needs a u32 output"));
  if (!_cured_reference_get_parameter (program, "passes", &passes, error))
    return FALSE;
  cured_program_get_value (program, "width", &width);
  cured_program_get_value (program, "ways", &ways);
  cured_program_get_value (program, "op", &op);
  if (!_cured_reference_find_input (program, "in", 0, &in, error))
    return FALSE;
  if (ways < 1 || width < 4 || width % 4 != 0)
    return _cured_reference_refuse (program, error, _ ("needs a width of 4, 8 or 16"));
  gint64 words = width / 4, n = program->buffers[in].length / words * words;
  g_autofree guint32 *sums = g_new0 (guint32, (gsize) MIN (ways, out->length));
  for (gint64 i = 0; i < n; i++)
    {
      gint64 thread = i / words % ways;

      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return _cured_reference_cancelled (cancellable, error);
      if (thread < out->length)
        sums[thread] += op == 1 ? (guint32) i : AT (const guint32, inputs[in], i);
    }
  for (gint64 i = 0; i < out->length; i++)
    AT (guint32, output, i) = sums[i % ways] * (op == 0 ? (guint32) passes : 1);
  return TRUE;
}
