/* SPDX-License-Identifier: MIT
 * What a kernel should have computed, in C. */
#include "config.h"

#include "kernel/cured-reference.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"
#include "kernel/cured-parallel-private.h"

/* Elements per chunk of a memory-bound loop: a millisecond or so. */
#define CHUNK (1 << 20)

static gboolean
cancelled (GCancellable *cancellable, GError **error)
{
  g_cancellable_set_error_if_cancelled (cancellable, error);
  return FALSE;
}

G_GNUC_PRINTF (3, 4)
static gboolean
refuse (const CuredProgram *program, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error,
               CURED_ERROR,
               CURED_ERROR_INVALID,
               /* Translators: a kernel, the reference that its output is
                * checked against, and what is amiss: “needs a u32 output”. */
               _ ("%s: reference %s %s"),
               program->kernel->id,
               program->kernel->reference,
               message);
  return FALSE;
}

static const CuredProgramBuffer *
get_output (const CuredProgram *program)
{
  return &program->buffers[program->kernel->output];
}

/* What is not filled has no contents here: a launch may have written them, but
 * that is what is to be checked. */
static gboolean
check_filled (const CuredProgram *program, int index, GError **error)
{
  const CuredBuffer *buffer = program->buffers[index].buffer;

  if (buffer->fill != CURED_FILL_POISON)
    return TRUE;
  return refuse (program,
                 error,
                 _ ("needs numbers in [Buffer %s], and Fill=poison has none"),
                 buffer->name);
}

/* Finds the input that a reference knows by name. It has the output's type,
 * and at least @length elements. */
static gboolean
find_input (const CuredProgram *program,
            const char *name,
            gint64 length,
            int *index,
            GError **error)
{
  const CuredProgramBuffer *output = get_output (program);
  const CuredProgramBuffer *input;

  *index = cured_program_find_buffer (program, name);
  if (*index < 0)
    return refuse (program, error, _ ("needs a [Buffer %s]"), name);
  input = &program->buffers[*index];
  if (input->buffer->type != output->buffer->type)
    return refuse (program,
                   error,
                   _ ("needs [Buffer %s] to be %s as the output is"),
                   name,
                   cured_element_to_string (output->buffer->type));
  if (input->length < length)
    return refuse (program,
                   error,
                   _ ("needs %" PRId64 " elements in [Buffer %s], "
                      "which has %" PRId64),
                   length,
                   name,
                   input->length);
  return check_filled (program, *index, error);
}

static gboolean
get_parameter (const CuredProgram *program,
               const char *name,
               gint64 *value,
               GError **error)
{
  if (!cured_program_get_value (program, name, value))
    return refuse (program, error, _ ("needs a [Parameter %s]"), name);
  return TRUE;
}

/* The bytes between two numbers of a range are for the compiler to count. */
#define AT(type, data, index) (((type *) (data))[index])

/* sum: element 0 of the output is the sum of all elements of "in". */

typedef struct
{
  CuredElement type;
  const void *in;
  guint64 *integers; /* one per chunk, wrapped */
  double *reals;     /* one per chunk */
} Sum;

/* Pairwise: the error grows with the logarithm of the length. Eight sums at
 * once at the bottom, for the sake of speed. */
#define DEFINE_PAIRWISE(name, type)                                            \
  static double name (const type *in, gint64 n)                                \
  {                                                                            \
    double sums[8] = { 0 };                                                    \
    gint64 i = 0;                                                              \
                                                                               \
    if (n > 256)                                                               \
      return name (in, n / 2) + name (in + n / 2, n - n / 2);                  \
    for (; i + 8 <= n; i += 8)                                                 \
      for (int j = 0; j < 8; j++)                                              \
        sums[j] += (double) in[i + j];                                         \
    for (; i < n; i++)                                                         \
      sums[0] += (double) in[i];                                               \
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +                       \
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));                        \
  }

DEFINE_PAIRWISE (sum_f32, float)
DEFINE_PAIRWISE (sum_f64, double)

static double
sum_reals (const double *in, gint64 n)
{
  return sum_f64 (in, n);
}

static void
sum_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Sum *self = user_data;
  gint64 chunk = begin / CHUNK;
  guint64 integer = 0;

  switch (self->type)
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
      self->reals[chunk] =
          sum_f32 ((const float *) self->in + begin, end - begin);
      break;
    case CURED_ELEMENT_F64:
      self->reals[chunk] =
          sum_f64 ((const double *) self->in + begin, end - begin);
      break;
    case CURED_ELEMENT_I64:
    default:
      g_assert_not_reached ();
    }
  self->integers[chunk] = integer;
}

static gboolean
reference_sum (const CuredProgram *program,
               const void *const *inputs,
               void *output,
               GCancellable *cancellable,
               GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  g_autofree guint64 *integers = NULL;
  g_autofree double *reals = NULL;
  guint64 integer = 0;
  gint64 n, n_chunks;
  Sum sum;
  int in;

  if (out->length != 1)
    return refuse (program,
                   error,
                   _ ("needs an output of one element; [Buffer %s] has "
                      "%" PRId64),
                   out->buffer->name,
                   out->length);
  if (!find_input (program, "in", 1, &in, error))
    return FALSE;
  n = program->buffers[in].length;
  n_chunks = n / CHUNK + 1;
  integers = g_new0 (guint64, (gsize) n_chunks);
  reals = g_new0 (double, (gsize) n_chunks);
  sum = (Sum){ out->buffer->type, inputs[in], integers, reals };
  if (!_cured_parallel (n, CHUNK, sum_chunk, &sum, cancellable))
    return cancelled (cancellable, error);

  for (gint64 i = 0; i < n_chunks; i++)
    integer += integers[i];
  switch (sum.type)
    {
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
      AT (guint32, output, 0) = (guint32) integer;
      break;
    case CURED_ELEMENT_F32:
      AT (float, output, 0) = (float) sum_reals (reals, n_chunks);
      break;
    case CURED_ELEMENT_F64:
      AT (double, output, 0) = sum_reals (reals, n_chunks);
      break;
    case CURED_ELEMENT_I64:
    default:
      g_assert_not_reached ();
    }
  return TRUE;
}

/* reduce: element 0 of the output is the sum, the product, the least or the
 * greatest of all elements of "in", as parameter "op" says. */

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
    case OP_PRODUCT:
      return (gint64) ((guint64) a * (guint64) b);
    case OP_MIN:
      return MIN (a, b);
    case OP_MAX:
      return MAX (a, b);
    default:
      g_assert_not_reached ();
    }
}

/* The wider exponent keeps a product from passing out of range half-way, as
 * far as the machine's long double has one. */
static long double
combine_reals (gint64 op, long double a, long double b)
{
  switch (op)
    {
    case OP_PRODUCT:
      return a * b;
    case OP_MIN:
      return MIN (a, b);
    case OP_MAX:
      return MAX (a, b);
    default:
      g_assert_not_reached ();
    }
}

/* Pairwise, as sums are, down to a few elements in a row. */
#define DEFINE_REDUCE(name, type, wide, combine)                               \
  static wide name (gint64 op, const type *in, gint64 n)                       \
  {                                                                            \
    wide value = (wide) in[0];                                                 \
                                                                               \
    if (n > 64)                                                                \
      return combine (                                                         \
          op, name (op, in, n / 2), name (op, in + n / 2, n - n / 2));         \
    for (gint64 i = 1; i < n; i++)                                             \
      value = combine (op, value, (wide) in[i]);                               \
    return value;                                                              \
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

  switch (self->type)
    {
    case CURED_ELEMENT_I32:
      self->integers[chunk] =
          reduce_i32 (self->op, (const gint32 *) self->in + begin, n);
      break;
    case CURED_ELEMENT_U32:
      self->integers[chunk] =
          reduce_u32 (self->op, (const guint32 *) self->in + begin, n);
      break;
    case CURED_ELEMENT_F32:
      self->reals[chunk] =
          reduce_f32 (self->op, (const float *) self->in + begin, n);
      break;
    case CURED_ELEMENT_F64:
      self->reals[chunk] =
          reduce_f64 (self->op, (const double *) self->in + begin, n);
      break;
    case CURED_ELEMENT_I64:
    default:
      g_assert_not_reached ();
    }
}

static gboolean
reference_reduce (const CuredProgram *program,
                  const void *const *inputs,
                  void *output,
                  GCancellable *cancellable,
                  GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  g_autofree gint64 *integers = NULL;
  g_autofree long double *reals = NULL;
  gint64 n, n_chunks;
  Reduce reduce = { .type = out->buffer->type };
  int in;

  if (!get_parameter (program, "op", &reduce.op, error))
    return FALSE;
  if (reduce.op == OP_SUM)
    return reference_sum (program, inputs, output, cancellable, error);
  if (reduce.op < OP_SUM || reduce.op > OP_MAX)
    return refuse (program,
                   error,
                   _ ("needs op to be 0 (sum), 1 (product), 2 (minimum) or 3 "
                      "(maximum), not %" PRId64),
                   reduce.op);
  if (out->length != 1)
    return refuse (program,
                   error,
                   _ ("needs an output of one element; [Buffer %s] has "
                      "%" PRId64),
                   out->buffer->name,
                   out->length);
  if (!find_input (program, "in", 1, &in, error))
    return FALSE;
  n = program->buffers[in].length;
  n_chunks = (n - 1) / CHUNK + 1;
  reduce.in = inputs[in];
  reduce.integers = integers = g_new0 (gint64, (gsize) n_chunks);
  reduce.reals = reals = g_new0 (long double, (gsize) n_chunks);
  if (!_cured_parallel (n, CHUNK, reduce_chunk, &reduce, cancellable))
    return cancelled (cancellable, error);

  for (gint64 i = 1; i < n_chunks; i++)
    {
      integers[0] = combine_integers (reduce.op, integers[0], integers[i]);
      reals[0] = combine_reals (reduce.op, reals[0], reals[i]);
    }
  switch (reduce.type)
    {
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
      AT (guint32, output, 0) = (guint32) (guint64) integers[0];
      break;
    case CURED_ELEMENT_F32:
      AT (float, output, 0) = (float) reals[0];
      break;
    case CURED_ELEMENT_F64:
      AT (double, output, 0) = (double) reals[0];
      break;
    case CURED_ELEMENT_I64:
    default:
      g_assert_not_reached ();
    }
  return TRUE;
}

/* vector-add: the output is a + b, element by element. */

typedef struct
{
  CuredElement type;
  const void *a;
  const void *b;
  void *out;
} Add;

static void
add_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Add *self = user_data;

  /* A sum of two floats that is rounded to double first is the same float. */
  switch (self->type)
    {
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
      for (gint64 i = begin; i < end; i++)
        AT (guint32, self->out, i) =
            AT (const guint32, self->a, i) + AT (const guint32, self->b, i);
      break;
    case CURED_ELEMENT_F32:
      for (gint64 i = begin; i < end; i++)
        AT (float, self->out, i) =
            AT (const float, self->a, i) + AT (const float, self->b, i);
      break;
    case CURED_ELEMENT_F64:
      for (gint64 i = begin; i < end; i++)
        AT (double, self->out, i) =
            AT (const double, self->a, i) + AT (const double, self->b, i);
      break;
    case CURED_ELEMENT_I64:
    default:
      g_assert_not_reached ();
    }
}

static gboolean
reference_vector_add (const CuredProgram *program,
                      const void *const *inputs,
                      void *output,
                      GCancellable *cancellable,
                      GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  Add add;
  int a, b;

  if (!find_input (program, "a", out->length, &a, error) ||
      !find_input (program, "b", out->length, &b, error))
    return FALSE;
  add = (Add){ out->buffer->type, inputs[a], inputs[b], output };
  if (!_cured_parallel (out->length, CHUNK, add_chunk, &add, cancellable))
    return cancelled (cancellable, error);
  return TRUE;
}

/* dot and squared-error: what two inputs, a and b, add up to. */

typedef struct
{
  CuredElement type;
  gboolean squares; /* of the differences; or else products */
  const void *a;
  const void *b;
  guint64 *integers; /* one per chunk, wrapped */
  double *reals;     /* one per chunk */
} Pairs;

/* Pairwise, as DEFINE_PAIRWISE; @term is of x and y. */
#define DEFINE_PAIRS(name, type, term)                                         \
  static double name (const type *a, const type *b, gint64 n)                  \
  {                                                                            \
    double sums[8] = { 0 };                                                    \
                                                                               \
    if (n > 256)                                                               \
      return name (a, b, n / 2) + name (a + n / 2, b + n / 2, n - n / 2);      \
    for (gint64 i = 0; i < n; i++)                                             \
      {                                                                        \
        double x = (double) a[i];                                              \
        double y = (double) b[i];                                              \
                                                                               \
        sums[i % 8] += term;                                                   \
      }                                                                        \
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +                       \
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));                        \
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

  switch (self->type)
    {
    /* Wrapped, so that the sign of an element makes no difference. */
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
      for (gint64 i = begin; i < end; i++)
        {
          guint32 x = AT (const guint32, self->a, i);
          guint32 y = AT (const guint32, self->b, i);

          integer += self->squares ? (x - y) * (x - y) : x * y;
        }
      break;
    case CURED_ELEMENT_F32:
      self->reals[chunk] = (self->squares ? squares_f32 : products_f32) (
          (const float *) self->a + begin,
          (const float *) self->b + begin,
          end - begin);
      break;
    case CURED_ELEMENT_F64:
      self->reals[chunk] = (self->squares ? squares_f64 : products_f64) (
          (const double *) self->a + begin,
          (const double *) self->b + begin,
          end - begin);
      break;
    case CURED_ELEMENT_I64:
    default:
      g_assert_not_reached ();
    }
  self->integers[chunk] = integer;
}

/* Adds up @n pairs: integers wrapped into @integer, reals into @real. */
static gboolean
add_pairs (Pairs *self,
           gint64 n,
           guint64 *integer,
           double *real,
           GCancellable *cancellable,
           GError **error)
{
  gint64 n_chunks = n / CHUNK + 1;
  g_autofree guint64 *integers = g_new0 (guint64, (gsize) n_chunks);
  g_autofree double *reals = g_new0 (double, (gsize) n_chunks);

  self->integers = integers;
  self->reals = reals;
  if (!_cured_parallel (n, CHUNK, pairs_chunk, self, cancellable))
    return cancelled (cancellable, error);
  *integer = 0;
  for (gint64 i = 0; i < n_chunks; i++)
    *integer += integers[i];
  *real = sum_reals (reals, n_chunks);
  return TRUE;
}

static gboolean
reference_dot (const CuredProgram *program,
               const void *const *inputs,
               void *output,
               GCancellable *cancellable,
               GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  Pairs pairs = { .type = out->buffer->type };
  guint64 integer;
  double real;
  gint64 n;
  int a, b;

  if (out->length != 1)
    return refuse (program,
                   error,
                   _ ("needs an output of one element; [Buffer %s] has "
                      "%" PRId64),
                   out->buffer->name,
                   out->length);
  if (!find_input (program, "a", 1, &a, error))
    return FALSE;
  n = program->buffers[a].length;
  if (!find_input (program, "b", n, &b, error))
    return FALSE;
  pairs.a = inputs[a];
  pairs.b = inputs[b];
  if (!add_pairs (&pairs, n, &integer, &real, cancellable, error))
    return FALSE;
  switch (pairs.type)
    {
    case CURED_ELEMENT_F32:
      AT (float, output, 0) = (float) real;
      break;
    case CURED_ELEMENT_F64:
      AT (double, output, 0) = real;
      break;
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
    case CURED_ELEMENT_I64:
    default:
      AT (guint32, output, 0) = (guint32) integer;
      break;
    }
  return TRUE;
}

/* squared-error: of a and b (n × n). The output's last two elements are the
 * sum and the mean of (a − b)²; where there are more, the ones before are the
 * sums of the blocks, row by row. */

static void
put_real (CuredElement type, void *data, gint64 index, double value)
{
  if (type == CURED_ELEMENT_F32)
    AT (float, data, index) = (float) value;
  else
    AT (double, data, index) = value;
}

static double
block_error (const Pairs *self,
             gint64 n,
             gint64 row,
             gint64 column,
             gint64 rows,
             gint64 columns)
{
  double sum = 0;

  /* Each row pairwise. Rows are few: as many as a block has. */
  for (gint64 i = row; i < MIN (row + rows, n); i++)
    {
      gint64 first = i * n + column;
      gint64 length = MIN (columns, n - column);

      sum += self->type == CURED_ELEMENT_F32
                 ? squares_f32 ((const float *) self->a + first,
                                (const float *) self->b + first,
                                length)
                 : squares_f64 ((const double *) self->a + first,
                                (const double *) self->b + first,
                                length);
    }
  return sum;
}

static gboolean
reference_squared_error (const CuredProgram *program,
                         const void *const *inputs,
                         void *output,
                         GCancellable *cancellable,
                         GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  Pairs pairs = { .type = out->buffer->type, .squares = TRUE };
  gint64 n, columns = 1, rows = 1, blocks_x, blocks_y;
  guint64 integer;
  double real;
  int a, b;

  if (pairs.type != CURED_ELEMENT_F32 && pairs.type != CURED_ELEMENT_F64)
    return refuse (program, error, _ ("needs an f32 or f64 output"));
  if (!get_parameter (program, "n", &n, error))
    return FALSE;
  if (n < 1 || n > G_MAXINT32)
    return refuse (program, error, _ ("needs n from 1 to %d"), G_MAXINT32);
  if (!find_input (program, "a", n * n, &a, error) ||
      !find_input (program, "b", n * n, &b, error))
    return FALSE;
  pairs.a = inputs[a];
  pairs.b = inputs[b];

  if (out->length != 2)
    {
      if (!cured_program_get_value (program, "tile", &columns) &&
          !get_parameter (program, "bx", &columns, error))
        return FALSE;
      rows = columns;
      cured_program_get_value (program, "by", &rows);
      columns = CLAMP (columns, 1, n);
      rows = CLAMP (rows, 1, n);
      blocks_x = (n + columns - 1) / columns;
      blocks_y = (n + rows - 1) / rows;
      if (out->length != blocks_x * blocks_y + 2)
        return refuse (program,
                       error,
                       _ ("needs an output of 2 elements, or of one per block "
                          "and 2 (%" PRId64 "); [Buffer %s] has %" PRId64),
                       blocks_x * blocks_y + 2,
                       out->buffer->name,
                       out->length);
      for (gint64 y = 0; y < blocks_y; y++)
        {
          if (g_cancellable_is_cancelled (cancellable))
            return cancelled (cancellable, error);
          for (gint64 x = 0; x < blocks_x; x++)
            put_real (
                pairs.type,
                output,
                y * blocks_x + x,
                block_error (&pairs, n, y * rows, x * columns, rows, columns));
        }
    }

  if (!add_pairs (&pairs, n * n, &integer, &real, cancellable, error))
    return FALSE;
  put_real (pairs.type, output, out->length - 2, real);
  put_real (
      pairs.type, output, out->length - 1, real / ((double) n * (double) n));
  return TRUE;
}

/* divergence: what the two ways of features/divergence make of "in". */

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
      gint64 place = self->by == 0   ? i
                     : self->by == 1 ? i / 32
                                     : i / self->threads;
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

static gboolean
reference_divergence (const CuredProgram *program,
                      const void *const *inputs,
                      void *output,
                      GCancellable *cancellable,
                      GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  Ways ways = { .out = output };
  int in;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return refuse (program, error, _ ("needs a u32 output"));
  if (!get_parameter (program, "by", &ways.by, error) ||
      !get_parameter (program, "fraction", &ways.fraction, error) ||
      !get_parameter (program, "rounds", &ways.rounds, error) ||
      !get_parameter (program, "threads", &ways.threads, error) ||
      !find_input (program, "in", out->length, &in, error))
    return FALSE;
  if (ways.threads < 1)
    return refuse (
        program, error, _ ("needs [Parameter threads] to be 1 or more"));
  ways.in = inputs[in];
  if (!_cured_parallel (out->length, 1 << 12, ways_chunk, &ways, cancellable))
    return cancelled (cancellable, error);
  return TRUE;
}

/* exclusive-or: of all bits of "a" and "b", whatever numbers they are. */

typedef struct
{
  const guint32 *a;
  const guint32 *b;
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

static gboolean
reference_exclusive_or (const CuredProgram *program,
                        const void *const *inputs,
                        void *output,
                        GCancellable *cancellable,
                        GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  int a = cured_program_find_buffer (program, "a");
  int b = cured_program_find_buffer (program, "b");
  g_autofree guint32 *bits = NULL;
  gint64 n, n_chunks;
  Bits chunks;

  if (out->buffer->type != CURED_ELEMENT_U32 || out->length != 1)
    return refuse (program, error, _ ("needs a u32 output of one element"));
  if (a < 0 || b < 0 || program->buffers[a].size != program->buffers[b].size)
    return refuse (
        program, error, _ ("needs [Buffer a] and [Buffer b] of one size"));
  if (!check_filled (program, a, error) || !check_filled (program, b, error))
    return FALSE;
  n = (gint64) (program->buffers[a].size / sizeof (guint32));
  n_chunks = n / CHUNK + 1;
  bits = g_new0 (guint32, (gsize) n_chunks);
  chunks = (Bits){ inputs[a], inputs[b], bits };
  if (!_cured_parallel (n, CHUNK, bits_chunk, &chunks, cancellable))
    return cancelled (cancellable, error);
  AT (guint32, output, 0) = 0;
  for (gint64 i = 0; i < n_chunks; i++)
    AT (guint32, output, 0) ^= bits[i];
  return TRUE;
}

/* matmul: the output (m × n) is a (m × k) times b (k × n), all row by row. */

#define TILE  64  /* output tile, rows and columns */
#define DEPTH 256 /* of the packed pieces: two of them fill half a level-2 */
#define MICRO 4   /* rows and columns that are held in registers */

typedef double Vector __attribute__ ((vector_size (MICRO * sizeof (double))));

typedef struct
{
  CuredElement type;
  const void *a;
  const void *b;
  void *c;
  gint64 m, n, k;
  gint64 tiles_n;
} Product;

static double
load (CuredElement type, const void *data, gint64 index)
{
  switch (type)
    {
    case CURED_ELEMENT_F32:
      return (double) AT (const float, data, index);
    case CURED_ELEMENT_F64:
      return AT (const double, data, index);
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
    case CURED_ELEMENT_I64:
    default:
      g_assert_not_reached ();
    }
}

/* Copies rows @i… and columns @j… of a matrix of @columns columns into strips
 * of MICRO: element (i, j) of the piece is at [i / MICRO][j][i % MICRO]. With
 * @by_column, rows and columns trade places. What is outside is 0. */
static void
pack (const Product *self,
      const void *matrix,
      gint64 rows,
      gint64 columns,
      gint64 row,
      gint64 column,
      gboolean by_column,
      double *to)
{
  for (gint64 strip = 0; strip < TILE / MICRO; strip++)
    for (gint64 d = 0; d < DEPTH; d++)
      for (gint64 e = 0; e < MICRO; e++)
        {
          gint64 i = row + (by_column ? d : strip * MICRO + e);
          gint64 j = column + (by_column ? strip * MICRO + e : d);

          *to++ = i < rows && j < columns
                      ? load (self->type, matrix, i * columns + j)
                      : 0;
        }
}

static void
product_tile (gint64 tile, gint64 end, gpointer user_data)
{
  const Product *self = user_data;
  gint64 row = tile / self->tiles_n * TILE;
  gint64 column = tile % self->tiles_n * TILE;
  g_autofree double *a = g_new (double, TILE *DEPTH);
  g_autofree double *b = g_new (double, TILE *DEPTH);
  g_autofree double *c = g_new0 (double, TILE *TILE);

  for (gint64 depth = 0; depth < self->k; depth += DEPTH)
    {
      pack (self, self->a, self->m, self->k, row, depth, FALSE, a);
      pack (self, self->b, self->k, self->n, depth, column, TRUE, b);
      for (gint64 i = 0; i < TILE; i += MICRO)
        for (gint64 j = 0; j < TILE; j += MICRO)
          {
            const double *x = a + i * DEPTH;
            const double *y = b + j * DEPTH;
            Vector sums[MICRO] = { 0 };

            for (gint64 d = 0; d < DEPTH; d++, x += MICRO, y += MICRO)
              {
                Vector v;

                memcpy (&v, y, sizeof v);
                for (int e = 0; e < MICRO; e++)
                  sums[e] += x[e] * v;
              }
            for (int e = 0; e < MICRO; e++)
              for (int f = 0; f < MICRO; f++)
                c[(i + e) * TILE + j + f] += sums[e][f];
          }
    }

  for (gint64 i = row; i < MIN (row + TILE, self->m); i++)
    for (gint64 j = column; j < MIN (column + TILE, self->n); j++)
      {
        double value = c[(i - row) * TILE + j - column];

        if (self->type == CURED_ELEMENT_F32)
          AT (float, self->c, i * self->n + j) = (float) value;
        else
          AT (double, self->c, i * self->n + j) = value;
      }
}

static gboolean
reference_matmul (const CuredProgram *program,
                  const void *const *inputs,
                  void *output,
                  GCancellable *cancellable,
                  GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  Product product = { .type = out->buffer->type, .c = output };
  guint64 length;
  gint64 tiles;
  int a, b;

  if (product.type != CURED_ELEMENT_F32 && product.type != CURED_ELEMENT_F64)
    return refuse (program, error, _ ("needs an f32 or f64 output"));
  if (!get_parameter (program, "n", &product.n, error))
    return FALSE;
  product.m = product.k = product.n;
  cured_program_get_value (program, "m", &product.m);
  cured_program_get_value (program, "k", &product.k);
  if (product.m < 1 || product.n < 1 || product.k < 1 ||
      !g_uint64_checked_mul (
          &length, (guint64) product.m, (guint64) product.n) ||
      length != (guint64) out->length)
    return refuse (program,
                   error,
                   _ ("needs an output of m × n elements (%" PRId64
                      " × %" PRId64 "); [Buffer %s] has "
                      "%" PRId64),
                   product.m,
                   product.n,
                   out->buffer->name,
                   out->length);
  if (product.k > G_MAXINT64 / MAX (product.m, product.n))
    return refuse (program, error, _ ("can't count m × k elements"));
  if (!find_input (program, "a", product.m * product.k, &a, error) ||
      !find_input (program, "b", product.k * product.n, &b, error))
    return FALSE;
  product.a = inputs[a];
  product.b = inputs[b];
  product.tiles_n = (product.n + TILE - 1) / TILE;
  tiles = (product.m + TILE - 1) / TILE * product.tiles_n;
  if (!_cured_parallel (tiles, 1, product_tile, &product, cancellable))
    return cancelled (cancellable, error);
  return TRUE;
}

/* stride: what each thread of banks/stride, or of banks/half-warp, makes of the
 * elements that it reads or writes. */

static gboolean
reference_stride (const CuredProgram *program,
                  const void *const *inputs,
                  void *output,
                  GCancellable *cancellable,
                  GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  gint64 stride, accesses, words, span;
  gint64 width = 4;
  gint64 base = 0;
  gint64 store = 0;
  int in;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return refuse (program, error, _ ("needs a u32 output"));
  if (!get_parameter (program, "stride", &stride, error) ||
      !get_parameter (program, "accesses", &accesses, error))
    return FALSE;
  cured_program_get_value (program, "width", &width);
  cured_program_get_value (program, "base", &base);
  cured_program_get_value (program, "store", &store);
  /* Small numbers, so that the products below can't overflow. */
  if (stride < 0 || stride > 1 << 20 || base < 0 || base > 1 << 20 ||
      width < 4 || width > 64 || width % 4 != 0)
    return refuse (program,
                   error,
                   _ ("needs stride and base from 0, and a width of 4, 8 or "
                      "16"));
  words = width / 4;
  span = (base + 31 * stride + 1) * words;
  if (!find_input (program, "in", span, &in, error))
    return FALSE;

  for (gint64 i = 0; i < out->length; i++)
    {
      gint64 element = base + stride * (i % 32);
      guint32 sum = 0;

      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return cancelled (cancellable, error);
      for (gint64 w = 0; w < words; w++)
        sum += AT (const guint32, inputs[in], element *words + w);
      /* A load adds up what each access got; a store puts there what is there
       * plus one, and reads it once. */
      AT (guint32, output, i) =
          store != 0 ? sum + (guint32) words : sum * (guint32) accesses;
    }
  return TRUE;
}

/* pattern: what each thread of banks/pattern adds up. */

/* The word that lane @lane of warp @warp reads. */
static gint64
find_word (gint64 pattern,
           gint64 padding,
           gint64 warp,
           gint64 lane,
           const guint32 *order,
           const guint32 *choice)
{
  switch (pattern)
    {
    case 0: /* permutation */
      return 32 * warp + order[lane];
    case 1: /* broadcast */
      return warp;
    case 2: /* multicast */
      return warp + lane / 4 * 5;
    case 3: /* row */
      return warp * (32 + padding) + lane;
    case 4: /* column */
      return lane * (32 + padding) + warp;
    case 5: /* swizzle */
      return lane * 32 + (lane ^ warp);
    default: /* random */
      return choice[lane];
    }
}

static gboolean
reference_pattern (const CuredProgram *program,
                   const void *const *inputs,
                   void *output,
                   GCancellable *cancellable,
                   GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  gint64 pattern, padding, threads, accesses;
  int in, order, choice;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return refuse (program, error, _ ("needs a u32 output"));
  if (!get_parameter (program, "pattern", &pattern, error) ||
      !get_parameter (program, "padding", &padding, error) ||
      !get_parameter (program, "threads", &threads, error) ||
      !get_parameter (program, "accesses", &accesses, error) ||
      !find_input (program, "in", 2048, &in, error) ||
      !find_input (program, "order", 32, &order, error) ||
      !find_input (program, "choice", 32, &choice, error))
    return FALSE;
  if (padding < 0 || padding > 32 || threads < 1 || threads > 1024)
    return refuse (program,
                   error,
                   _ ("needs a padding of up to 32 and up to 1024 threads"));

  for (gint64 i = 0; i < out->length; i++)
    {
      gint64 thread = i % threads;
      gint64 word = find_word (pattern,
                               padding,
                               thread / 32,
                               thread % 32,
                               inputs[order],
                               inputs[choice]);

      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return cancelled (cancellable, error);
      if (word >= 2048)
        return refuse (program, error, _ ("needs smaller numbers in choice"));
      AT (guint32, output, i) =
          AT (const guint32, inputs[in], word) * (guint32) accesses;
    }
  return TRUE;
}

/* conflict: the numbers of the words that each thread of banks/conflict reads,
 * added up. */

static gboolean
reference_conflict (const CuredProgram *program,
                    const void *const *inputs,
                    void *output,
                    GCancellable *cancellable,
                    GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  gint64 ways, accesses;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return refuse (program, error, _ ("needs a u32 output"));
  if (!get_parameter (program, "ways", &ways, error) ||
      !get_parameter (program, "accesses", &accesses, error))
    return FALSE;
  if (ways < 1 || ways > 32 || accesses < 0 || accesses > 1 << 20)
    return refuse (
        program, error, _ ("needs 1 to 32 ways, and at most 1048576 accesses"));

  for (gint64 i = 0; i < out->length; i++)
    {
      gint64 lane = i % 32;
      gint64 word = lane / ways + 32 * (lane % ways);

      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return cancelled (cancellable, error);
      AT (guint32, output, i) = (guint32) (word * accesses);
    }
  return TRUE;
}

/* reverse: the last element of "in" first. */

static gboolean
reference_reverse (const CuredProgram *program,
                   const void *const *inputs,
                   void *output,
                   GCancellable *cancellable,
                   GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  gsize size = cured_element_get_size (out->buffer->type);
  const char *from;
  char *to = output;
  int in;

  if (!find_input (program, "in", out->length, &in, error))
    return FALSE;
  from = inputs[in];
  for (gint64 i = 0; i < out->length; i++)
    {
      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return cancelled (cancellable, error);
      memcpy (to + (gsize) i * size,
              from + (gsize) (out->length - 1 - i) * size,
              size);
    }
  return TRUE;
}

/* transpose: the output (n × m) has the columns of "in" (m × n) for rows; m is
 * n where there is no such parameter. */

/* Rows of the output that a thread writes side by side: what it reads of a row
 * of the input is a few lines of the cache then, not a word. */
#define STRIP 64

typedef struct
{
  gsize size;
  const char *in;
  char *out;
  gint64 n, m;
} Turn;

static void
turn_strip (gint64 begin, gint64 end, gpointer user_data)
{
  const Turn *self = user_data;

  for (gint64 column = 0; column < self->m; column++)
    for (gint64 row = begin; row < end; row++)
      {
        gint64 to = row * self->m + column;
        gint64 from = column * self->n + row;

        /* The two sizes that there are, so that no call is left. */
        if (self->size == 4)
          AT (guint32, self->out, to) = AT (const guint32, self->in, from);
        else
          AT (guint64, self->out, to) = AT (const guint64, self->in, from);
      }
}

static gboolean
reference_transpose (const CuredProgram *program,
                     const void *const *inputs,
                     void *output,
                     GCancellable *cancellable,
                     GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  gint64 n, m;
  guint64 length;
  Turn turn;
  int in;

  if (!get_parameter (program, "n", &n, error))
    return FALSE;
  m = n;
  cured_program_get_value (program, "m", &m);
  if (n < 1 || m < 1 ||
      !g_uint64_checked_mul (&length, (guint64) n, (guint64) m) ||
      length != (guint64) out->length)
    return refuse (program,
                   error,
                   _ ("needs an output of n × m elements (%" PRId64
                      " × %" PRId64 "); [Buffer %s] has "
                      "%" PRId64),
                   n,
                   m,
                   out->buffer->name,
                   out->length);
  if (!find_input (program, "in", out->length, &in, error))
    return FALSE;
  turn = (Turn){
    cured_element_get_size (out->buffer->type), inputs[in], output, n, m
  };
  if (!_cured_parallel (n, STRIP, turn_strip, &turn, cancellable))
    return cancelled (cancellable, error);
  return TRUE;
}

/* average: each element of "in" becomes the mean of itself and its two
 * neighbours, as often as the parameter "iterations" says, or once; the ends
 * stay as they are. In the output's own precision and from left to right, so
 * that whoever adds in that order gets the same bits. */

/* Elements that a chunk yields, and iterations that it makes on them before it
 * lets go: twice that many elements more are loaded, and what happens at the
 * borders is computed by both neighbours. Two arrays of that many doubles fit a
 * level-2 cache. */
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

/* Vectors, since a division takes as long for all of one as for one element.
 * What is rounded are sums and quotients alone: nothing can be contracted. */
#define DEFINE_AVERAGE(name, type, vector)                                       \
  typedef type vector __attribute__ ((vector_size (16)));                        \
                                                                                 \
  static void name##_once (const type *from, type *to, gint64 begin, gint64 n)   \
  {                                                                              \
    const gint64 lanes = (gint64) (sizeof (vector) / sizeof (type));             \
    gint64 i = begin;                                                            \
                                                                                 \
    for (; i + lanes <= n; i += lanes)                                           \
      {                                                                          \
        vector left, middle, right;                                              \
                                                                                 \
        memcpy (&left, from + i - 1, sizeof left);                               \
        memcpy (&middle, from + i, sizeof middle);                               \
        memcpy (&right, from + i + 1, sizeof right);                             \
        middle = (left + middle + right) / 3;                                    \
        memcpy (to + i, &middle, sizeof middle);                                 \
      }                                                                          \
    for (; i < n; i++)                                                           \
      to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;                         \
  }                                                                              \
                                                                                 \
  static void name (const Average *self, gint64 begin, gint64 end)               \
  {                                                                              \
    const gint64 first = MAX (begin - self->iterations, 0);                      \
    const gint64 length = MIN (end + self->iterations, self->n) - first;         \
    g_autofree type *from = g_new (type, (gsize) length);                        \
    g_autofree type *to = g_new (type, (gsize) length);                          \
                                                                                 \
    memcpy (from,                                                                \
            (const type *) self->in + first,                                     \
            (gsize) length * sizeof (type));                                     \
    /* Of the piece's own ends, those are right that are the array's. The      \
     * others stay what they were, and what is wrong by that moves inwards     \
     * by one element per iteration: not as far as what is kept. */ \
    to[0] = from[0];                                                             \
    to[length - 1] = from[length - 1];                                           \
    for (gint64 k = 0; k < self->iterations; k++)                                \
      {                                                                          \
        type *other = from;                                                      \
                                                                                 \
        name##_once (from, to, 1, length - 1);                                   \
        from = to;                                                               \
        to = other;                                                              \
      }                                                                          \
    memcpy ((type *) self->out + begin,                                          \
            from + (begin - first),                                              \
            (gsize) (end - begin) * sizeof (type));                              \
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

static gboolean
reference_average (const CuredProgram *program,
                   const void *const *inputs,
                   void *output,
                   GCancellable *cancellable,
                   GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  Average average = { .type = out->buffer->type, .n = out->length };
  g_autofree void *spare = NULL;
  gint64 iterations = 1, n_passes;
  int in;

  if (average.type != CURED_ELEMENT_F32 && average.type != CURED_ELEMENT_F64)
    return refuse (program, error, _ ("needs an f32 or f64 output"));
  if (!find_input (program, "in", average.n, &in, error))
    return FALSE;
  cured_program_get_value (program, "iterations", &iterations);
  if (iterations < 0)
    return refuse (
        program, error, _ ("can't average %" PRId64 " times"), iterations);

  n_passes = MAX ((iterations - 1) / AVERAGINGS + 1, 1);
  if (n_passes > 1)
    {
      spare = g_try_malloc (out->size);
      if (spare == NULL)
        return refuse (program,
                       error,
                       _ ("has no memory for another %zu bytes"),
                       out->size);
    }
  average.in = inputs[in];
  /* The last pass ends in the output. */
  for (gint64 pass = n_passes; pass-- > 0;)
    {
      average.iterations = MIN (iterations - pass * AVERAGINGS, AVERAGINGS);
      iterations -= average.iterations;
      average.out = pass % 2 == 0 ? output : spare;
      if (!_cured_parallel (
              average.n, AVERAGED, average_chunk, &average, cancellable))
        return cancelled (cancellable, error);
      average.in = average.out;
    }
  return TRUE;
}

/* chase: where a ring of pointers leads after repeats × steps of them. It has
 * as many as the parameter "hops" says, or as strides fit into the footprint,
 * which is in KiB. */

static gboolean
reference_chase (const CuredProgram *program,
                 const void *const *inputs,
                 void *output,
                 GCancellable *cancellable,
                 GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  gint64 steps, repeats, hops, footprint, stride;

  if (out->buffer->type != CURED_ELEMENT_I32)
    return refuse (program, error, _ ("needs an i32 output"));
  if (!get_parameter (program, "steps", &steps, error) ||
      !get_parameter (program, "repeats", &repeats, error))
    return FALSE;
  if (!cured_program_get_value (program, "hops", &hops))
    {
      if (!get_parameter (program, "footprint", &footprint, error) ||
          !get_parameter (program, "stride", &stride, error))
        return FALSE;
      hops = stride > 0 && footprint > 0 && footprint < G_MAXINT32
                 ? footprint * 1024 / stride
                 : 0;
    }
  /* Two remainders of so few can be multiplied. */
  if (hops < 1 || hops > G_MAXINT32 || steps < 0 || repeats < 0)
    return refuse (program,
                   error,
                   _ ("needs a ring of 1 to %d pointers, and no negative "
                      "steps or repeats"),
                   G_MAXINT32);
  for (gint64 i = 0; i < out->length; i++)
    AT (gint32, output, i) = (gint32) (steps % hops * (repeats % hops) % hops);
  return TRUE;
}

/* copy: the elements of "in". */

static gboolean
reference_copy (const CuredProgram *program,
                const void *const *inputs,
                void *output,
                GCancellable *cancellable,
                GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  int in;

  if (!find_input (program, "in", out->length, &in, error))
    return FALSE;
  memcpy (output, inputs[in], out->size);
  return TRUE;
}

/* index: each element's own index, wrapped to the type. */

static gboolean
reference_index (const CuredProgram *program,
                 const void *const *inputs,
                 void *output,
                 GCancellable *cancellable,
                 GError **error)
{
  const CuredProgramBuffer *out = get_output (program);

  if (out->buffer->type != CURED_ELEMENT_I32 &&
      out->buffer->type != CURED_ELEMENT_U32)
    return refuse (program, error, _ ("needs an i32 or u32 output"));
  for (gint64 i = 0; i < out->length; i++)
    {
      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return cancelled (cancellable, error);
      AT (guint32, output, i) = (guint32) i;
    }
  return TRUE;
}

/* stream: what each thread adds up that takes every n-th element of "in",
 * "passes" times over. An element is as wide as "width" says; the threads are
 * as many as the output has elements, or every "ways" of them take the same.
 * With "op", 1 stands for each word's index in place of the word, and only op 0
 * adds in every pass. */

static gboolean
reference_stream (const CuredProgram *program,
                  const void *const *inputs,
                  void *output,
                  GCancellable *cancellable,
                  GError **error)
{
  const CuredProgramBuffer *out = get_output (program);
  gint64 passes, words, width = 4, op = 0, ways = out->length;
  g_autofree guint32 *sums = NULL;
  gint64 n;
  int in;

  if (out->buffer->type != CURED_ELEMENT_U32)
    return refuse (program, error, _ ("needs a u32 output"));
  if (!get_parameter (program, "passes", &passes, error))
    return FALSE;
  cured_program_get_value (program, "width", &width);
  cured_program_get_value (program, "ways", &ways);
  cured_program_get_value (program, "op", &op);
  if (!find_input (program, "in", 0, &in, error))
    return FALSE;
  if (ways < 1 || width < 4 || width % 4 != 0)
    return refuse (program, error, _ ("needs a width of 4, 8 or 16"));
  words = width / 4;
  n = program->buffers[in].length / words * words;
  sums = g_new0 (guint32, (gsize) MIN (ways, out->length));
  for (gint64 i = 0; i < n; i++)
    {
      gint64 thread = i / words % ways;

      if (i % CHUNK == 0 && g_cancellable_is_cancelled (cancellable))
        return cancelled (cancellable, error);
      if (thread < out->length)
        sums[thread] +=
            op == 1 ? (guint32) i : AT (const guint32, inputs[in], i);
    }
  for (gint64 i = 0; i < out->length; i++)
    AT (guint32, output, i) = sums[i % ways] * (op == 0 ? (guint32) passes : 1);
  return TRUE;
}

static const CuredReference references[] = {
  { "average",
    N_ ("the mean of each element of in and its two neighbours, iterations "
        "times"),
    reference_average },
  { "chase",
    N_ ("where a ring of pointers leads after repeats · steps of them"),
    reference_chase },
  { "conflict",
    N_ ("the numbers of the words that each lane of banks/conflict reads, "
        "added up"),
    reference_conflict },
  { "copy", N_ ("the elements of in"), reference_copy },
  { "divergence",
    N_ ("what the two ways of features/divergence make of in"),
    reference_divergence },
  { "dot", N_ ("the sum of a · b, element by element"), reference_dot },
  { "exclusive-or",
    N_ ("all bits of a and b, exclusive-ored"),
    reference_exclusive_or },
  { "index", N_ ("each element's own index"), reference_index },
  { "matmul",
    N_ ("c = a · b, row by row: m × k by k × n, or n × n"),
    reference_matmul },
  { "pattern",
    N_ ("the words that each lane of banks/pattern meets, added up"),
    reference_pattern },
  { "reduce",
    N_ ("the sum, product, minimum or maximum of all elements of in"),
    reference_reduce },
  { "reverse",
    N_ ("the elements of in, the last one first"),
    reference_reverse },
  { "squared-error",
    N_ ("sum and mean of (a − b)²; before them, if asked for, each block's "
        "sum"),
    reference_squared_error },
  { "stream",
    N_ ("what each thread adds up that takes every n-th element of in, "
        "passes times"),
    reference_stream },
  { "stride",
    N_ ("the words that each lane of banks/stride or banks/half-warp meets, "
        "added up"),
    reference_stride },
  { "sum", N_ ("the sum of all elements of in"), reference_sum },
  { "transpose",
    N_ ("the columns of in, m × n or n × n, as rows"),
    reference_transpose },
  { "vector-add", N_ ("a + b, element by element"), reference_vector_add },
};

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
