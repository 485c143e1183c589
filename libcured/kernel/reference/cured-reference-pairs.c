/* SPDX-License-Identifier: MIT
 * Sums over two inputs: dot product and squared error. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "kernel/cured-parallel-internal.h"
#include "kernel/program/cured-program-internal.h"

/* dot and squared-error: sums over two inputs, a and b. */

typedef struct
{
  CuredElement type;
  gboolean squares; /* adds squared differences; otherwise products */
  const void *a, *b;
  guint64 *integers; /* one per chunk, wrapped */
  double *reals;     /* one per chunk */
} Pairs;

/* Pairwise, like DEFINE_PAIRWISE; @term is an expression of x and y. */
#define DEFINE_PAIRS(name, type, term)                                                             \
  static double name (const type *a, const type *b, gint64 n)                                      \
  {                                                                                                \
    double sums[8] = { 0 };                                                                        \
                                                                                                   \
    if (n > 256)                                                                                   \
      return name (a, b, n / 2) + name (a + n / 2, b + n / 2, n - n / 2);                          \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        double x = (double) a[i];                                                                  \
        double y = (double) b[i];                                                                  \
                                                                                                   \
        sums[i % 8] += term;                                                                       \
      }                                                                                            \
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +                                           \
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));                                            \
  }

DEFINE_PAIRS (products_f32, float, x *y)
DEFINE_PAIRS (products_f64, double, x *y)
DEFINE_PAIRS (squares_f32, float, (x - y) * (x - y))
DEFINE_PAIRS (squares_f64, double, (x - y) * (x - y))

static void
pairs_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Pairs *self = user_data;
  gint64 chunk = begin / CHUNK;
  guint64 integer = 0;

  switch ((int) self->type)
    {
    /* Wrapped, so that the sign of an element makes no difference. */
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
      for (gint64 i = begin; i < end; i++)
        {
          guint32 x = AT (const guint32, self->a, i), y = AT (const guint32, self->b, i);

          integer += self->squares ? (x - y) * (x - y) : x * y;
        }
      break;
    case CURED_ELEMENT_F32:
      self->reals[chunk] = (self->squares ? squares_f32 : products_f32) (
          (const float *) self->a + begin, (const float *) self->b + begin, end - begin);
      break;
    case CURED_ELEMENT_F64:
      self->reals[chunk] = (self->squares ? squares_f64 : products_f64) (
          (const double *) self->a + begin, (const double *) self->b + begin, end - begin);
      break;
    default: g_assert_not_reached ();
    }
  self->integers[chunk] = integer;
}

/* Adds up @n pairs: integers wrapped into @integer, reals into @real. */
static gboolean
add_pairs (Pairs *self, gint64 n, guint64 *integer, double *real, GCancellable *cancellable,
           GError **error)
{
  gint64 n_chunks = n / CHUNK + 1;
  g_autofree guint64 *integers = g_new0 (guint64, (gsize) n_chunks);
  g_autofree double *reals = g_new0 (double, (gsize) n_chunks);

  self->integers = integers;
  self->reals = reals;
  if (!_cured_parallel (n, CHUNK, pairs_chunk, self, cancellable))
    return _cured_reference_cancelled (cancellable, error);
  *integer = 0;
  for (gint64 i = 0; i < n_chunks; i++)
    *integer += integers[i];
  *real = _cured_reference_sum_reals (reals, n_chunks);
  return TRUE;
}

gboolean
_cured_reference_dot (const CuredProgram *program, const void *const *inputs, void *output,
                      GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  Pairs pairs = { .type = out->buffer->type };
  guint64 integer;
  double real;
  int a, b;

  if (!_cured_reference_check_single (program, error) ||
      !_cured_reference_find_input (program, "a", 1, &a, error))
    return FALSE;
  gint64 n = program->buffers[a].length;
  if (!_cured_reference_find_input (program, "b", n, &b, error))
    return FALSE;
  pairs.a = inputs[a];
  pairs.b = inputs[b];
  if (!add_pairs (&pairs, n, &integer, &real, cancellable, error))
    return FALSE;
  switch ((int) pairs.type)
    {
    case CURED_ELEMENT_F32: AT (float, output, 0) = (float) real; break;
    case CURED_ELEMENT_F64: AT (double, output, 0) = real; break;
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
    default: AT (guint32, output, 0) = (guint32) integer; break;
    }
  return TRUE;
}

/* squared-error: of a and b (n × n). The output's last two elements are the sum and the mean of (a
 * − b)²; elements before them, if any, are the sums of the blocks, row by row. */

static void
put_real (CuredElement type, void *data, gint64 index, double value)
{
  if (type == CURED_ELEMENT_F32)
    AT (float, data, index) = (float) value;
  else
    AT (double, data, index) = value;
}

static double
block_error (const Pairs *self, gint64 n, gint64 row, gint64 column, gint64 rows, gint64 columns)
{
  double sum = 0;

  /* Each row pairwise. A block has only a few rows. */
  for (gint64 i = row; i < MIN (row + rows, n); i++)
    {
      gint64 first = i * n + column, length = MIN (columns, n - column);

      sum += self->type == CURED_ELEMENT_F32
                 ? squares_f32 ((const float *) self->a + first, (const float *) self->b + first,
                                length)
                 : squares_f64 ((const double *) self->a + first, (const double *) self->b + first,
                                length);
    }
  return sum;
}

gboolean
_cured_reference_squared_error (const CuredProgram *program, const void *const *inputs,
                                void *output, GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  Pairs pairs = { .type = out->buffer->type, .squares = TRUE };
  gint64 n, columns = 1, rows = 1, blocks_x, blocks_y;
  guint64 integer;
  double real;
  int a, b;

  if (pairs.type != CURED_ELEMENT_F32 && pairs.type != CURED_ELEMENT_F64)
    return _cured_reference_refuse (program, error, _ ("needs an f32 or f64 output"));
  if (!_cured_reference_get_parameter (program, "n", &n, error))
    return FALSE;
  if (n < 1 || n > G_MAXINT32)
    return _cured_reference_refuse (program, error, _ ("needs n from 1 to %d"), G_MAXINT32);
  if (!_cured_reference_find_input (program, "a", n * n, &a, error) ||
      !_cured_reference_find_input (program, "b", n * n, &b, error))
    return FALSE;
  pairs.a = inputs[a];
  pairs.b = inputs[b];

  if (out->length != 2)
    {
      if (!cured_program_get_value (program, "tile", &columns) &&
          !_cured_reference_get_parameter (program, "bx", &columns, error))
        return FALSE;
      rows = columns;
      cured_program_get_value (program, "by", &rows);
      columns = CLAMP (columns, 1, n);
      rows = CLAMP (rows, 1, n);
      blocks_x = (n + columns - 1) / columns;
      blocks_y = (n + rows - 1) / rows;
      if (out->length != blocks_x * blocks_y + 2)
        return _cured_reference_refuse (
            program, error,
            _ ("needs an output of 2 elements, or of one per block and 2 (%" PRId64
               "); [Buffer %s] has %" PRId64),
            blocks_x * blocks_y + 2, out->buffer->name, out->length);
      for (gint64 y = 0; y < blocks_y; y++)
        {
          if (g_cancellable_is_cancelled (cancellable))
            return _cured_reference_cancelled (cancellable, error);
          for (gint64 x = 0; x < blocks_x; x++)
            put_real (pairs.type, output, y * blocks_x + x,
                      block_error (&pairs, n, y * rows, x * columns, rows, columns));
        }
    }

  if (!add_pairs (&pairs, n * n, &integer, &real, cancellable, error))
    return FALSE;
  put_real (pairs.type, output, out->length - 2, real);
  put_real (pairs.type, output, out->length - 1, real / ((double) n * (double) n));
  return TRUE;
}
