/* SPDX-License-Identifier: MIT
 * Sum, product, least and greatest. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "kernel/cured-parallel-internal.h"

/* sum: element 0 of the output is the sum of all elements of "in". */

typedef struct
{
  CuredElement type;
  const void *in;
  guint64 *integers; /* one per chunk, wrapped */
  double *reals;     /* one per chunk */
} Sum;

/* Pairwise: the error grows with the logarithm of the length. The innermost loop has eight sums,
 * for speed. */
#define DEFINE_PAIRWISE(name, type)                                                                \
  static double name (const type *in, gint64 n)                                                    \
  {                                                                                                \
    double sums[8] = { 0 };                                                                        \
    gint64 i = 0;                                                                                  \
                                                                                                   \
    if (n > 256)                                                                                   \
      return name (in, n / 2) + name (in + n / 2, n - n / 2);                                      \
    for (; i + 8 <= n; i += 8)                                                                     \
      for (int j = 0; j < 8; j++)                                                                  \
        sums[j] += (double) in[i + j];                                                             \
    for (; i < n; i++)                                                                             \
      sums[0] += (double) in[i];                                                                   \
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +                                           \
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));                                            \
  }

DEFINE_PAIRWISE (sum_f32, float)
DEFINE_PAIRWISE (sum_f64, double)

double
_cured_reference_sum_reals (const double *in, gint64 n)
{
  return sum_f64 (in, n);
}

static void
sum_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Sum *self = user_data;
  gint64 chunk = begin / CHUNK;
  guint64 integer = 0;

  switch ((int) self->type)
    {
    case CURED_ELEMENT_I32:
      for (gint64 i = begin; i < end; i++)
        integer += (guint64) (gint64) AT (const gint32, self->in, i);
      break;
    case CURED_ELEMENT_U32:
      for (gint64 i = begin; i < end; i++)
        integer += AT (const guint32, self->in, i);
      break;
    case CURED_ELEMENT_F32:
      self->reals[chunk] = sum_f32 ((const float *) self->in + begin, end - begin);
      break;
    case CURED_ELEMENT_F64:
      self->reals[chunk] = sum_f64 ((const double *) self->in + begin, end - begin);
      break;
    default: g_assert_not_reached ();
    }
  self->integers[chunk] = integer;
}

gboolean
_cured_reference_sum (const CuredProgram *program, const void *const *inputs, void *output,
                      GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  guint64 integer = 0;
  int in;

  if (!_cured_reference_check_single (program, error) ||
      !_cured_reference_find_input (program, "in", 1, &in, error))
    return FALSE;
  gint64 n = program->buffers[in].length, n_chunks = n / CHUNK + 1;
  g_autofree guint64 *integers = g_new0 (guint64, (gsize) n_chunks);
  g_autofree double *reals = g_new0 (double, (gsize) n_chunks);
  Sum sum = (Sum){ out->buffer->type, inputs[in], integers, reals };
  if (!_cured_parallel (n, CHUNK, sum_chunk, &sum, cancellable))
    return _cured_reference_cancelled (cancellable, error);

  for (gint64 i = 0; i < n_chunks; i++)
    integer += integers[i];
  switch ((int) sum.type)
    {
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32: AT (guint32, output, 0) = (guint32) integer; break;
    case CURED_ELEMENT_F32:
      AT (float, output, 0) = (float) _cured_reference_sum_reals (reals, n_chunks);
      break;
    case CURED_ELEMENT_F64:
      AT (double, output, 0) = _cured_reference_sum_reals (reals, n_chunks);
      break;
    default: g_assert_not_reached ();
    }
  return TRUE;
}

/* reduce: element 0 of the output is the sum, the product, the least or the greatest of all
 * elements of "in", depending on the parameter "op". */

enum
{
  OP_SUM,
  OP_PRODUCT,
  OP_MIN,
  OP_MAX,
};

typedef struct
{
  CuredElement type;
  gint64 op;
  const void *in;
  gint64 *integers;   /* one per chunk; products wrapped */
  long double *reals; /* one per chunk */
} Reduce;

static gint64
combine_integers (gint64 op, gint64 a, gint64 b)
{
  switch (op)
    {
    case OP_PRODUCT: return (gint64) ((guint64) a * (guint64) b);
    case OP_MIN: return MIN (a, b);
    case OP_MAX: return MAX (a, b);
    default: g_assert_not_reached ();
    }
}

/* The wider exponent, on machines whose long double has one, keeps a product from overflowing
 * half-way. */
static long double
combine_reals (gint64 op, long double a, long double b)
{
  switch (op)
    {
    case OP_PRODUCT: return a * b;
    case OP_MIN: return MIN (a, b);
    case OP_MAX: return MAX (a, b);
    default: g_assert_not_reached ();
    }
}

/* Pairwise, like sums, down to runs of a few elements. */
#define DEFINE_REDUCE(name, type, wide, combine)                                                   \
  static wide name (gint64 op, const type *in, gint64 n)                                           \
  {                                                                                                \
    wide value = (wide) in[0];                                                                     \
                                                                                                   \
    if (n > 64)                                                                                    \
      return combine (op, name (op, in, n / 2), name (op, in + n / 2, n - n / 2));                 \
    for (gint64 i = 1; i < n; i++)                                                                 \
      value = combine (op, value, (wide) in[i]);                                                   \
    return value;                                                                                  \
  }

DEFINE_REDUCE (reduce_i32, gint32, gint64, combine_integers)
DEFINE_REDUCE (reduce_u32, guint32, gint64, combine_integers)
DEFINE_REDUCE (reduce_f32, float, long double, combine_reals)
DEFINE_REDUCE (reduce_f64, double, long double, combine_reals)

static void
reduce_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Reduce *self = user_data;
  gint64 chunk = begin / CHUNK, n = end - begin;

  switch ((int) self->type)
    {
    case CURED_ELEMENT_I32:
      self->integers[chunk] = reduce_i32 (self->op, (const gint32 *) self->in + begin, n);
      break;
    case CURED_ELEMENT_U32:
      self->integers[chunk] = reduce_u32 (self->op, (const guint32 *) self->in + begin, n);
      break;
    case CURED_ELEMENT_F32:
      self->reals[chunk] = reduce_f32 (self->op, (const float *) self->in + begin, n);
      break;
    case CURED_ELEMENT_F64:
      self->reals[chunk] = reduce_f64 (self->op, (const double *) self->in + begin, n);
      break;
    default: g_assert_not_reached ();
    }
}

gboolean
_cured_reference_reduce (const CuredProgram *program, const void *const *inputs, void *output,
                         GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  g_autofree gint64 *integers = NULL;
  g_autofree long double *reals = NULL;
  Reduce reduce = { .type = out->buffer->type };
  int in;

  if (!_cured_reference_get_parameter (program, "op", &reduce.op, error))
    return FALSE;
  if (reduce.op == OP_SUM)
    return _cured_reference_sum (program, inputs, output, cancellable, error);
  if (reduce.op < OP_SUM || reduce.op > OP_MAX)
    return _cured_reference_refuse (
        program, error,
        _ ("needs op to be 0 (sum), 1 (product), 2 (minimum) or 3 (maximum), not %" PRId64),
        reduce.op);
  if (!_cured_reference_check_single (program, error) ||
      !_cured_reference_find_input (program, "in", 1, &in, error))
    return FALSE;
  gint64 n = program->buffers[in].length, n_chunks = (n - 1) / CHUNK + 1;
  reduce.in = inputs[in];
  reduce.integers = integers = g_new0 (gint64, (gsize) n_chunks);
  reduce.reals = reals = g_new0 (long double, (gsize) n_chunks);
  if (!_cured_parallel (n, CHUNK, reduce_chunk, &reduce, cancellable))
    return _cured_reference_cancelled (cancellable, error);

  for (gint64 i = 1; i < n_chunks; i++)
    {
      integers[0] = combine_integers (reduce.op, integers[0], integers[i]);
      reals[0] = combine_reals (reduce.op, reals[0], reals[i]);
    }
  switch ((int) reduce.type)
    {
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32: AT (guint32, output, 0) = (guint32) (guint64) integers[0]; break;
    case CURED_ELEMENT_F32: AT (float, output, 0) = (float) reals[0]; break;
    case CURED_ELEMENT_F64: AT (double, output, 0) = (double) reals[0]; break;
    default: g_assert_not_reached ();
    }
  return TRUE;
}
