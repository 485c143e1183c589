/* SPDX-License-Identifier: MIT
 * References for kernels that show the banks of shared memory. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include "kernel/program/cured-program-internal.h"

/* stride: the result of each thread of banks/stride or banks/half-warp from the elements that it
 * reads or writes. */

gboolean
_cured_reference_stride (const CuredProgram *program, const void *const *inputs, void *output,
                         GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  gint64 stride, accesses, width = 4, base = 0, store = 0;
  int in;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return _cured_reference_refuse (program, error, _ ("needs a u32 output"));
  if (!_cured_reference_get_parameter (program, "stride", &stride, error) ||
      !_cured_reference_get_parameter (program, "accesses", &accesses, error))
    return FALSE;
  cured_program_get_value (program, "width", &width);
  cured_program_get_value (program, "base", &base);
  cured_program_get_value (program, "store", &store);
  /* Small numbers, so that the products below can't overflow. */
  if (stride < 0 || stride > 1 << 20 || base < 0 || base > 1 << 20 || width < 4 || width > 64 ||
      width % 4 != 0)
    return _cured_reference_refuse (program, error,
                                    _ ("needs stride and base from 0, and a width of 4, 8 or 16"));
  gint64 words = width / 4, span = (base + 31 * stride + 1) * words;
  if (!_cured_reference_find_input (program, "in", span, &in, error))
    return FALSE;

  for (gint64 i = 0; i < out->length; i++)
    {
      gint64 element = base + stride * (i % 32);
      guint32 sum = 0;

      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return _cured_reference_cancelled (cancellable, error);
      for (gint64 w = 0; w < words; w++)
        sum += AT (const guint32, inputs[in], element *words + w);
      /* Loads sum up the words; stores add one to the word, which is read once. */
      AT (guint32, output, i) = store != 0 ? sum + (guint32) words : sum * (guint32) accesses;
    }
  return TRUE;
}

/* pattern: the sum of each thread of banks/pattern. */

/* The word that lane @lane of warp @warp reads. */
static gint64
find_word (gint64 pattern, gint64 padding, gint64 warp, gint64 lane, const guint32 *order,
           const guint32 *choice)
{
  switch (pattern)
    {
    case 0: /* permutation */ return 32 * warp + order[lane];
    case 1: /* broadcast */ return warp;
    case 2: /* multicast */ return warp + lane / 4 * 5;
    case 3: /* row */ return warp * (32 + padding) + lane;
    case 4: /* column */ return lane * (32 + padding) + warp;
    case 5: /* swizzle */ return lane * 32 + (lane ^ warp);
    default: /* random */ return choice[lane];
    }
}

gboolean
_cured_reference_pattern (const CuredProgram *program, const void *const *inputs, void *output,
                          GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  gint64 pattern, padding, threads, accesses;
  int in, order, choice;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return _cured_reference_refuse (program, error, _ ("needs a u32 output"));
  if (!_cured_reference_get_parameter (program, "pattern", &pattern, error) ||
      !_cured_reference_get_parameter (program, "padding", &padding, error) ||
      !_cured_reference_get_parameter (program, "threads", &threads, error) ||
      !_cured_reference_get_parameter (program, "accesses", &accesses, error) ||
      !_cured_reference_find_input (program, "in", 2048, &in, error) ||
      !_cured_reference_find_input (program, "order", 32, &order, error) ||
      !_cured_reference_find_input (program, "choice", 32, &choice, error))
    return FALSE;
  if (padding < 0 || padding > 32 || threads < 1 || threads > 1024)
    return _cured_reference_refuse (program, error,
                                    _ ("needs a padding of up to 32 and up to 1024 threads"));

  for (gint64 i = 0; i < out->length; i++)
    {
      gint64 thread = i % threads;
      gint64 word =
          find_word (pattern, padding, thread / 32, thread % 32, inputs[order], inputs[choice]);

      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return _cured_reference_cancelled (cancellable, error);
      if (word >= 2048)
        return _cured_reference_refuse (program, error, _ ("needs smaller numbers in choice"));
      AT (guint32, output, i) = AT (const guint32, inputs[in], word) * (guint32) accesses;
    }
  return TRUE;
}

/* conflict: the sum of the indices of the words that each thread of banks/conflict reads. */

gboolean
_cured_reference_conflict (const CuredProgram *program, const void *const *inputs, void *output,
                           GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  gint64 ways, accesses;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return _cured_reference_refuse (program, error, _ ("needs a u32 output"));
  if (!_cured_reference_get_parameter (program, "ways", &ways, error) ||
      !_cured_reference_get_parameter (program, "accesses", &accesses, error))
    return FALSE;
  if (ways < 1 || ways > 32 || accesses < 0 || accesses > 1 << 20)
    return _cured_reference_refuse (program, error,
                                    _ ("needs 1 to 32 ways, and at most 1048576 accesses"));

  for (gint64 i = 0; i < out->length; i++)
    {
      gint64 lane = i % 32, word = lane / ways + 32 * (lane % ways);

      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return _cured_reference_cancelled (cancellable, error);
      AT (guint32, output, i) = (guint32) (word * accesses);
    }
  return TRUE;
}
