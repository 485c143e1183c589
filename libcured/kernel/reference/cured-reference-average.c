/* SPDX-License-Identifier: MIT
 * Iterated means of neighbours. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "kernel/cured-parallel-internal.h"
#include "kernel/program/cured-program-internal.h"

/* average: each element of "in" becomes the mean of itself and its two neighbours, as often as the
 * parameter "iterations" says, or once; the ends stay as they are. In the output's own precision
 * and from left to right, so that adding in that order gives the same bits. */

/* Elements that a chunk yields, and iterations per pass over them: twice that many additional
 * elements are loaded, since both neighbours compute the borders. Two arrays of that many doubles
 * fit a level-2 cache. */
#define AVERAGED   8192
#define AVERAGINGS 128

typedef struct
{
  CuredElement type;
  const void *in;
  void *out;
  gint64 n;
  gint64 iterations; /* of this pass, at most AVERAGINGS */
} Average;

/* Vectors, since dividing one takes as long as dividing one element. Only sums and quotients are
 * rounded, so the compiler can't contract anything. */
#define DEFINE_AVERAGE(name, type, vector)                                                         \
  typedef type vector __attribute__ ((vector_size (16)));                                          \
                                                                                                   \
  static void name##_once (const type *from, type *to, gint64 begin, gint64 n)                     \
  {                                                                                                \
    const gint64 lanes = (gint64) (sizeof (vector) / sizeof (type));                               \
    gint64 i = begin;                                                                              \
                                                                                                   \
    for (; i + lanes <= n; i += lanes)                                                             \
      {                                                                                            \
        vector left, middle, right;                                                                \
                                                                                                   \
        memcpy (&left, from + i - 1, sizeof left);                                                 \
        memcpy (&middle, from + i, sizeof middle);                                                 \
        memcpy (&right, from + i + 1, sizeof right);                                               \
        middle = (left + middle + right) / 3;                                                      \
        memcpy (to + i, &middle, sizeof middle);                                                   \
      }                                                                                            \
    for (; i < n; i++)                                                                             \
      to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;                                           \
  }                                                                                                \
                                                                                                   \
  static void name (const Average *self, gint64 begin, gint64 end)                                 \
  {                                                                                                \
    const gint64 first = MAX (begin - self->iterations, 0);                                        \
    const gint64 length = MIN (end + self->iterations, self->n) - first;                           \
    g_autofree type *from = g_new (type, (gsize) length);                                          \
    g_autofree type *to = g_new (type, (gsize) length);                                            \
                                                                                                   \
    memcpy (from, (const type *) self->in + first, (gsize) length * sizeof (type));                \
    /* Of the piece's ends, only the array's own are exact. The others keep           \
     * their values, and the error moves inwards by one element per                   \
     * iteration: not as far as the part that is kept. */            \
    to[0] = from[0];                                                                               \
    to[length - 1] = from[length - 1];                                                             \
    for (gint64 k = 0; k < self->iterations; k++)                                                  \
      {                                                                                            \
        type *other = from;                                                                        \
                                                                                                   \
        name##_once (from, to, 1, length - 1);                                                     \
        from = to;                                                                                 \
        to = other;                                                                                \
      }                                                                                            \
    memcpy ((type *) self->out + begin, from + (begin - first),                                    \
            (gsize) (end - begin) * sizeof (type));                                                \
  }

DEFINE_AVERAGE (average_f32, float, AverageF32)
DEFINE_AVERAGE (average_f64, double, AverageF64)

static void
average_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  const Average *self = user_data;

  if (self->type == CURED_ELEMENT_F32)
    average_f32 (self, begin, end);
  else
    average_f64 (self, begin, end);
}

gboolean
_cured_reference_average (const CuredProgram *program, const void *const *inputs, void *output,
                          GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  Average average = { .type = out->buffer->type, .n = out->length };
  g_autofree void *spare = NULL;
  gint64 iterations = 1;
  int in;

  if (average.type != CURED_ELEMENT_F32 && average.type != CURED_ELEMENT_F64)
    return _cured_reference_refuse (program, error, _ ("needs an f32 or f64 output"));
  if (!_cured_reference_find_input (program, "in", average.n, &in, error))
    return FALSE;
  cured_program_get_value (program, "iterations", &iterations);
  if (iterations < 0)
    return _cured_reference_refuse (program, error, _ ("can't average %" PRId64 " times"),
                                    iterations);

  gint64 n_passes = MAX ((iterations - 1) / AVERAGINGS + 1, 1);
  if (n_passes > 1)
    {
      spare = g_try_malloc (out->size);
      if (spare == NULL)
        return _cured_reference_refuse (program, error, _ ("has no memory for another %zu bytes"),
                                        out->size);
    }
  average.in = inputs[in];
  /* The last pass ends in the output. */
  for (gint64 pass = n_passes; pass-- > 0;)
    {
      average.iterations = MIN (iterations - pass * AVERAGINGS, AVERAGINGS);
      iterations -= average.iterations;
      average.out = pass % 2 == 0 ? output : spare;
      if (!_cured_parallel (average.n, AVERAGED, average_chunk, &average, cancellable))
        return _cured_reference_cancelled (cancellable, error);
      average.in = average.out;
    }
  return TRUE;
}
