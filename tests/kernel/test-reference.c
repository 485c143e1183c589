/* SPDX-License-Identifier: MIT
 * The references in C against the plainest code there is, and what they say of a kernel file that
 * does not fit them. */
#include "cured.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "kernel/fill/cured-fill-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "kernel/reference/cured-reference-internal.h"
#include "test.h"

static const CuredLimits limits;

typedef struct
{
  CuredProgram *program;
  void **data; /* of each buffer */
} Case;

static void
case_free (Case *self)
{
  for (gsize i = 0; i < self->program->n_buffers; i++)
    g_free (self->data[i]);
  g_free (self->data);
  cured_program_free (self->program);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Case, case_free)

/* A program of one parameter a word in @parameters ("n=5 m=2"), with the buffers in @buffers
 * ("in:i32:n out:i32:1"); the last buffer is the output of
 * @reference. */
static Case *
make (const char *parameters, const char *buffers, const char *reference)
{
  g_auto (GStrv) parameter = g_strsplit (parameters, " ", -1);
  g_auto (GStrv) buffer = g_strsplit (buffers, " ", -1);
  g_autoptr (GString) text =
      g_string_new ("/*! cured\n[Kernel]\nTitle=x\n[Launch]\nEntry=f\nGrid=1\nBlock=1\n");
  g_autofree gint64 *values = g_new (gint64, 16);
  g_autofree char *output = NULL;
  Case *self = g_new0 (Case, 1);
  guint n = 0;

  for (; parameter[n] != NULL && *parameter[n] != '\0'; n++)
    {
      g_auto (GStrv) word = g_strsplit (parameter[n], "=", 2);

      values[n] = g_ascii_strtoll (word[1], NULL, 10);
      g_string_append_printf (text, "[Parameter %s]\nKind=problem\nDefault=1\n", word[0]);
    }
  for (guint i = 0; buffer[i] != NULL; i++)
    {
      g_auto (GStrv) word = g_strsplit (buffer[i], ":", 4);

      g_free (output);
      output = g_strdup (word[0]);
      if (g_strv_length (word) == 4)
        {
          g_string_append_printf (text, "[Buffer %s]\nType=%s\nLength=%s\nFill=%s\n", word[0],
                                  word[1], word[2], word[3]);
          continue;
        }
      g_string_append_printf (
          text, "[Buffer %s]\nType=%s\nLength=%s\nFill=uniform\nLow=%s\nHigh=%s\n", word[0],
          word[1], word[2], *word[1] == 'i' ? "-2147483648" : (*word[1] == 'u' ? "0" : "-1"),
          *word[1] == 'i' ? "2147483647" : (*word[1] == 'u' ? "4294967295" : "1"));
    }
  g_string_append_printf (text, "[Check]\nOutput=%s\nReference=%s\n*/\n", output, reference);
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (text->str, "test", NULL, &fail));
  self->program = MUST (cured_program_new (kernel, values, &limits, &fail));
  self->data = g_new0 (void *, self->program->n_buffers);
  for (gsize i = 0; i < self->program->n_buffers; i++)
    {
      self->data[i] = g_malloc (self->program->buffers[i].size);
      cured_fill_buffer (&self->program->buffers[i], i, 5, self->data[i]);
    }
  return self;
}

static gboolean
compute (const Case *self, GCancellable *cancellable, GError **error)
{
  const CuredReference *reference = cured_reference_find (self->program->kernel->reference);

  g_assert_nonnull (reference);
  return reference->func (self->program, (const void *const *) self->data,
                          self->data[self->program->n_buffers - 1], cancellable, error);
}

static void
compute_all (const Case *self)
{
  g_assert_true (MUST (compute (self, NULL, &fail)));
}

static const void *
get_element (const Case *self, gsize buffer, gsize i)
{
  return (const guint8 *) self->data[buffer] +
         i * cured_element_get_size (self->program->kernel->buffers[buffer].type);
}

static double
get_real (const Case *self, gsize buffer, gsize i)
{
  return cured_element_load (self->program->kernel->buffers[buffer].type,
                             get_element (self, buffer, i));
}

static gint64
get_integer (const Case *self, gsize buffer, gsize i)
{
  return cured_element_load_integer (self->program->kernel->buffers[buffer].type,
                                     get_element (self, buffer, i));
}

/* That an element is @integer in 32 bits, or within the type's epsilon of @real. */
static void
assert_element (const Case *self, gsize buffer, gsize i, gint64 integer, double real,
                double epsilon_f32, double epsilon_f64)
{
  CuredElement type = self->program->kernel->buffers[buffer].type;

  if (cured_element_is_integer (type))
    g_assert_cmphex ((guint32) get_integer (self, buffer, i), ==, (guint32) integer);
  else
    g_assert_cmpfloat_with_epsilon (get_real (self, buffer, i), real,
                                    type == CURED_ELEMENT_F32 ? epsilon_f32 : epsilon_f64);
}

TEST ("/reference/sum")
{
  static const int lengths[] = { 1, 2, 7, 255, 257, 511, 513, 1048575, (1 << 20) + 1, 3000017 };

  for (gsize l = 0; l < G_N_ELEMENTS (lengths); l++)
    for (int type = CURED_ELEMENT_I32; type <= CURED_ELEMENT_F64; type++)
      {
        const char *name = cured_element_to_string ((CuredElement) type);
        g_autofree char *parameters = g_strdup_printf ("n=%d", lengths[l]);
        g_autofree char *buffers = g_strdup_printf ("in:%s:n out:%s:1", name, name);
        g_autoptr (Case) self = make (parameters, buffers, "sum");
        gint64 integer = 0;
        double real = 0;

        compute_all (self);
        for (gsize i = 0; i < (gsize) lengths[l]; i++)
          {
            integer += get_integer (self, 0, i);
            real += get_real (self, 0, i);
          }
        assert_element (self, 1, 0, integer, real, 1e-3, 1e-8);
      }
}

/* One large number among many small ones, which a running sum would lose. */
TEST ("/reference/sum/pairwise")
{
  g_autoptr (Case) self = make ("n=4194305", "in:f32:n out:f32:1", "sum");
  float *in = self->data[0];

  for (int i = 1; i <= 4194304; i++)
    in[i] = 0x1p-20F;
  in[0] = 0x1p30F;
  compute_all (self);
  /* 2^30 + 2^22 · 2^-20 is between two floats; 2^30 is the nearer. */
  g_assert_cmpfloat (((float *) self->data[1])[0], ==, 0x1p30F);
  in[0] = 0x1p10F;
  compute_all (self);
  g_assert_cmpfloat (((float *) self->data[1])[0], ==, 1028);
}

/* What a plain loop makes of one element more. */
static long double
combine (int op, long double a, long double b)
{
  switch (op)
    {
    case 1: return a * b;
    case 2: return b < a ? b : a;
    case 3: return a < b ? b : a;
    default: return a + b;
    }
}

/* All four operations on all types, at lengths around those at which the reference cuts the
 * vector. */
TEST ("/reference/reduce")
{
  static const int lengths[] = {
    1, 2, 7, 64, 65, 129, 513, 1048575, 1 << 20, (1 << 20) + 1, 3000017
  };

  for (gsize l = 0; l < G_N_ELEMENTS (lengths); l++)
    for (int op = 0; op < 4; op++)
      for (int type = CURED_ELEMENT_I32; type <= CURED_ELEMENT_F64; type++)
        {
          const char *name = cured_element_to_string ((CuredElement) type);
          g_autofree char *parameters = g_strdup_printf ("n=%d op=%d", lengths[l], op);
          g_autofree char *buffers = g_strdup_printf ("in:%s:n out:%s:1", name, name);
          g_autoptr (Case) self = make (parameters, buffers, "reduce");
          long double real = op == 1 ? 1 : 0;
          gint64 integer = op == 1;

          for (int i = 0; i < lengths[l]; i++)
            {
              /* Odd, or near 1: neither 0 nor out of range. */
              if (type == CURED_ELEMENT_F32 && op == 1)
                ((float *) self->data[0])[i] = 1 + ((float *) self->data[0])[i] / 1000;
              else if (type == CURED_ELEMENT_F64 && op == 1)
                ((double *) self->data[0])[i] = 1 + ((double *) self->data[0])[i] / 1000;
              else if (type < CURED_ELEMENT_F32)
                ((guint32 *) self->data[0])[i] |= op == 1;
              gint64 whole = get_integer (self, 0, (gsize) i);
              long double value = get_real (self, 0, (gsize) i);

              real = i == 0 && op > 1 ? value : combine (op, real, value);
              if (op == 0)
                integer += whole;
              else if (op == 1)
                integer = (gint64) ((guint64) integer * (guint64) whole);
              else if (i == 0 || (op == 2 ? whole < integer : whole > integer))
                integer = whole;
            }
          compute_all (self);
          assert_element (self, 1, 0, integer, (double) real, 1e-3, 1e-8);
        }
}

/* Half-way, this product is far beyond any double. */
TEST ("/reference/reduce/range")
{
  g_autoptr (Case) self = make ("n=32 op=1", "in:f64:n out:f64:1", "reduce");

  if (LDBL_MAX_EXP == DBL_MAX_EXP)
    g_test_skip ("long double is no wider than double here");
  else
    {
      for (int i = 0; i < 32; i++)
        ((double *) self->data[0])[i] = i < 16 ? 0x1p1000 : 0x3p-1000;
      compute_all (self);
      g_assert_cmpfloat (((double *) self->data[1])[0], ==, 43046721);
    }
}

TEST ("/reference/reverse")
{
  g_autoptr (Case) self = make ("n=1000", "in:f64:n out:f64:n", "reverse");

  compute_all (self);
  for (int i = 0; i < 1000; i++)
    g_assert_cmpfloat (((double *) self->data[1])[i], ==, ((double *) self->data[0])[999 - i]);
}

TEST ("/reference/copy")
{
  g_autoptr (Case) self = make ("n=1000", "in:i32:n out:i32:n", "copy");

  compute_all (self);
  g_assert_cmpmem (self->data[1], 4000, self->data[0], 4000);
}

TEST ("/reference/index")
{
  g_autoptr (Case) self = make ("n=1000", "out:u32:n", "index");

  compute_all (self);
  for (guint i = 0; i < 1000; i++)
    g_assert_cmpuint (((guint32 *) self->data[0])[i], ==, i);
}

/* A ring is followed pointer by pointer. */
TEST ("/reference/chase")
{
  static const struct
  {
    const char *parameters;
    int hops;
    int steps; /* in all */
  } cells[] = {
    { "steps=256 repeats=8 hops=2", 2, 2048 },
    { "steps=31 repeats=3 hops=7", 7, 93 },
    { "steps=1 repeats=1 hops=1", 1, 1 },
    { "steps=1000 repeats=3 footprint=3 stride=128", 24, 3000 },
    { "steps=5 repeats=5 footprint=1 stride=1024", 1, 25 },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cells); k++)
    {
      g_autoptr (Case) self = make (cells[k].parameters, "out:i32:3", "chase");
      int at = 0;

      compute_all (self);
      for (int i = 0; i < cells[k].steps; i++)
        at = at + 1 < cells[k].hops ? at + 1 : 0;
      for (int i = 0; i < 3; i++)
        g_assert_cmpint (((gint32 *) self->data[0])[i], ==, at);
    }
}

/* Each thread walks, as the kernels do. */
TEST ("/reference/stream")
{
  static const struct
  {
    const char *parameters;
    int words, passes, threads;
    gboolean is_indices;
  } cells[] = {
    { "passes=3", 1, 3, 64, FALSE },
    { "passes=3 width=16", 4, 3, 64, FALSE },
    { "passes=2 width=8 op=0", 2, 2, 64, FALSE },
    { "passes=2 width=8 op=1", 2, 1, 64, TRUE },
    { "passes=2 width=4 op=2", 1, 1, 64, FALSE },
    { "passes=5 ways=8", 1, 5, 8, FALSE },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cells); k++)
    {
      g_autoptr (Case) self = make (cells[k].parameters, "in:u32:1003 out:u32:64", "stream");
      const guint32 *in = self->data[0];

      compute_all (self);
      for (int thread = 0; thread < 64; thread++)
        {
          guint32 sum = 0;

          for (int pass = 0; pass < cells[k].passes; pass++)
            for (int element = thread % cells[k].threads; element < 1003 / cells[k].words;
                 element += cells[k].threads)
              for (int w = 0; w < cells[k].words; w++)
                {
                  int i = element * cells[k].words + w;

                  sum += cells[k].is_indices ? (guint32) i : in[i];
                }
          g_assert_cmphex (((guint32 *) self->data[1])[thread], ==, sum);
        }
    }
}

TEST ("/reference/transpose")
{
  /* Some pass what one thread takes. */
  static const int shapes[][2] = { { 7, 5 }, { 5, 7 }, { 131, 3 }, { 3, 131 } };

  for (gsize k = 0; k < G_N_ELEMENTS (shapes); k++)
    {
      g_autofree char *size = g_strdup_printf ("n=%d m=%d", shapes[k][0], shapes[k][1]);
      g_autoptr (Case) self = make (size, "in:i32:m*n out:i32:m*n", "transpose");
      const gint32 *in = self->data[0];
      const gint32 *out = self->data[1];
      int n = shapes[k][0];
      int m = shapes[k][1];

      compute_all (self);
      for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++)
          g_assert_cmpint (out[column * m + row], ==, in[row * n + column]);
    }
}

/* The plainest averaging there is, in the precision of the type. */
#define DEFINE_PLAIN_AVERAGE(name, type)                                                           \
  static void name (const type *in, type *out, int n, int iterations)                              \
  {                                                                                                \
    g_autofree type *from = g_new (type, (gsize) n);                                               \
                                                                                                   \
    memcpy (out, in, (gsize) n * sizeof *out);                                                     \
    for (int k = 0; k < iterations; k++)                                                           \
      {                                                                                            \
        memcpy (from, out, (gsize) n * sizeof *out);                                               \
        for (int i = 1; i < n - 1; i++)                                                            \
          {                                                                                        \
            /* One rounding a step, on machines with longer registers too. */                      \
            volatile type sum = from[i - 1] + from[i];                                             \
                                                                                                   \
            sum = sum + from[i + 1];                                                               \
            out[i] = sum / 3;                                                                      \
          }                                                                                        \
      }                                                                                            \
  }

DEFINE_PLAIN_AVERAGE (average_f32, float)
DEFINE_PLAIN_AVERAGE (average_f64, double)

/* To the bit, at lengths and numbers of iterations around those at which the reference cuts the
 * array and the iterations. */
TEST ("/reference/average")
{
  static const struct
  {
    int n, iterations;
  } cases[] = { { 1, 1 },      { 2, 3 },       { 3, 2 },       { 5, 0 },
                { 31, 1 },     { 33, 100 },    { 1000, 127 },  { 1000, 128 },
                { 1000, 129 }, { 1000, 300 },  { 8191, 2 },    { 8192, 7 },
                { 8193, 129 }, { 16385, 257 }, { 20011, 100 }, { 100, 1000 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    for (int type = CURED_ELEMENT_F32; type <= CURED_ELEMENT_F64; type++)
      {
        const char *name = cured_element_to_string ((CuredElement) type);
        g_autofree char *parameters =
            g_strdup_printf ("n=%d iterations=%d", cases[c].n, cases[c].iterations);
        g_autofree char *buffers = g_strdup_printf ("in:%s:n out:%s:n", name, name);
        g_autoptr (Case) self = make (parameters, buffers, "average");
        gsize size = self->program->buffers[1].size;
        g_autofree void *expected = g_malloc (size);

        compute_all (self);
        if (type == CURED_ELEMENT_F32)
          average_f32 (self->data[0], expected, cases[c].n, cases[c].iterations);
        else
          average_f64 (self->data[0], expected, cases[c].n, cases[c].iterations);
        g_assert_cmpmem (self->data[1], size, expected, size);
      }
}

/* Where no parameter says how often, it is once. */
TEST ("/reference/average/once")
{
  g_autoptr (Case) self = make ("n=1000", "in:f32:n out:f32:n", "average");
  float expected[1000];

  compute_all (self);
  average_f32 (self->data[0], expected, 1000, 1);
  g_assert_cmpmem (self->data[1], sizeof expected, expected, sizeof expected);
}

TEST ("/reference/vector-add")
{
  for (int type = CURED_ELEMENT_I32; type <= CURED_ELEMENT_F64; type++)
    {
      const char *name = cured_element_to_string ((CuredElement) type);
      g_autofree char *buffers = g_strdup_printf ("a:%s:n b:%s:n+3 c:%s:n", name, name, name);
      g_autoptr (Case) self = make ("n=1100003", buffers, "vector-add");

      compute_all (self);
      for (gsize i = 0; i < 1100003; i++)
        {
          double sum = get_real (self, 0, i) + get_real (self, 1, i);

          assert_element (self, 2, i, get_integer (self, 0, i) + get_integer (self, 1, i),
                          type == CURED_ELEMENT_F32 ? (double) (float) sum : sum, DBL_MIN, DBL_MIN);
        }
    }
}

TEST ("/reference/dot")
{
  for (int type = CURED_ELEMENT_I32; type <= CURED_ELEMENT_F64; type++)
    {
      const char *name = cured_element_to_string ((CuredElement) type);
      g_autofree char *buffers = g_strdup_printf ("a:%s:n b:%s:n+3 out:%s:1", name, name, name);
      g_autoptr (Case) self = make ("n=1100003", buffers, "dot");
      guint64 integer = 0;
      double real = 0;

      compute_all (self);
      for (gsize i = 0; i < 1100003; i++)
        {
          integer += (guint64) get_integer (self, 0, i) * (guint64) get_integer (self, 1, i);
          real += get_real (self, 0, i) * get_real (self, 1, i);
        }
      assert_element (self, 2, 0, (gint64) integer, real, 1e-4, 1e-8);
    }
}

/* Blocks of 3 rows and 5 columns of a 7 × 7 matrix: those at the right and at the bottom are cut
 * off. */
TEST ("/reference/squared-error")
{
  for (int type = CURED_ELEMENT_F32; type <= CURED_ELEMENT_F64; type++)
    {
      const char *name = cured_element_to_string ((CuredElement) type);
      g_autofree char *buffers = g_strdup_printf ("a:%s:49 b:%s:49 out:%s:8", name, name, name);
      g_autofree char *two = g_strdup_printf ("a:%s:49 b:%s:49 out:%s:2", name, name, name);
      g_autoptr (Case) self = make ("n=7 bx=5 by=3", buffers, "squared-error");
      g_autoptr (Case) totals = make ("n=7", two, "squared-error");
      double expected[8] = { 0 };

      compute_all (self);
      compute_all (totals);
      for (int row = 0; row < 7; row++)
        for (int column = 0; column < 7; column++)
          {
            gsize i = (gsize) (row * 7 + column);
            double difference = get_real (self, 0, i) - get_real (self, 1, i);

            expected[row / 3 * 2 + column / 5] += difference * difference;
            expected[6] += difference * difference;
          }
      expected[7] = expected[6] / 49;
      for (gsize i = 0; i < 8; i++)
        assert_element (self, 2, i, 0, expected[i], 1e-5, 1e-5);
      for (gsize i = 6; i < 8; i++)
        g_assert_true (get_real (self, 2, i) == get_real (totals, 2, i - 6));
    }
}

/* Tiles are square; one as large as the matrix holds all of it. */
TEST ("/reference/squared-error-tile")
{
  g_autoptr (Case) self = make ("n=4 tile=9", "a:f64:16 b:f64:16 out:f64:3", "squared-error");
  const double *out = self->data[2];

  compute_all (self);
  g_assert_cmpfloat_with_epsilon (out[0], out[1], 1e-12);
  g_assert_cmpfloat_with_epsilon (out[1], 16 * out[2], 1e-12);
}

/* 64 threads per block: element 2100 is lane 20 of warp 65, in block 32. */
TEST ("/reference/divergence")
{
  static const int places[] = { 2100, 2100 / 32, 2100 / 64 };

  for (int by = 0; by < 3; by++)
    for (int fraction = 0; fraction <= 32; fraction++)
      {
        g_autofree char *parameters =
            g_strdup_printf ("by=%d fraction=%d rounds=2 threads=64 n=2101", by, fraction);
        g_autoptr (Case) self = make (parameters, "in:u32:n out:u32:n", "divergence");
        guint32 x = ((guint32 *) self->data[0])[2100];

        compute_all (self);
        for (int k = 0; k < 2; k++)
          x = places[by] % 32 < fraction ? (x ^ (x >> 15)) * 1664525U + 1013904223U
                                         : (x ^ (x >> 13)) * 22695477U + 12345U;
        g_assert_cmphex (((guint32 *) self->data[1])[2100], ==, x);
      }
}

TEST ("/reference/exclusive-or")
{
  g_autoptr (Case) self = make ("n=1100003", "a:f32:n b:f32:n out:u32:1", "exclusive-or");
  guint32 bits = 0;

  compute_all (self);
  for (int i = 0; i < 1100003; i++)
    bits ^= ((guint32 *) self->data[0])[i] ^ ((guint32 *) self->data[1])[i];
  g_assert_cmphex (((guint32 *) self->data[2])[0], ==, bits);
}

static void
assert_product (CuredElement type, gint64 m, gint64 n, gint64 k)
{
  const char *name = cured_element_to_string (type);
  gboolean square = m == n && k == n;

  g_autofree char *parameters = square
                                    ? g_strdup_printf ("n=%d", (int) n)
                                    : g_strdup_printf ("k=%d n=%d m=%d", (int) k, (int) n, (int) m);
  g_autofree char *buffers = square
                                 ? g_strdup_printf ("a:%s:n*n b:%s:n*n c:%s:n*n", name, name, name)
                                 : g_strdup_printf ("b:%s:k*n a:%s:m*k c:%s:m*n", name, name, name);
  g_autoptr (Case) self = make (parameters, buffers, "matmul");
  compute_all (self);
  gsize a = (gsize) cured_program_find_buffer (self->program, "a");
  gsize b = (gsize) cured_program_find_buffer (self->program, "b");
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < n; j++)
      {
        double sum = 0;

        for (gint64 l = 0; l < k; l++)
          sum += get_real (self, a, (gsize) (i * k + l)) * get_real (self, b, (gsize) (l * n + j));
        assert_element (self, 2, (gsize) (i * n + j), 0, sum, 2e-6, 1e-12);
      }
}

TEST ("/reference/matmul")
{
  assert_product (CURED_ELEMENT_F32, 1, 1, 1);
  assert_product (CURED_ELEMENT_F32, 31, 31, 31);
  assert_product (CURED_ELEMENT_F64, 64, 64, 64);
  assert_product (CURED_ELEMENT_F32, 67, 67, 67);
  assert_product (CURED_ELEMENT_F32, 3, 130, 257);
  assert_product (CURED_ELEMENT_F64, 130, 1, 256);
  assert_product (CURED_ELEMENT_F32, 65, 63, 1);
  assert_product (CURED_ELEMENT_F64, 1, 200, 300);
}

/* Rows with a pitch, of numbers that are rounded: the gaps between rows are not multiplied and stay
 * poison. */
TEST ("/reference/matmul/pitch")
{
  g_autoptr (Case) self = make ("n=5", "a:bf16:n*8 b:bf16:n*8 c:bf16:n*8", "matmul");
  const guint16 *c = self->data[2];

  compute_all (self);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 8; j++)
      {
        double sum = 0;
        double got = cured_element_load (CURED_ELEMENT_BF16, &c[i * 8 + j]);

        if (j >= 5)
          {
            g_assert_cmphex (c[i * 8 + j], ==, 0xaaaa);
            continue;
          }
        for (int l = 0; l < 5; l++)
          sum +=
              cured_element_load (CURED_ELEMENT_BF16, (const guint16 *) self->data[0] + i * 8 + l) *
              cured_element_load (CURED_ELEMENT_BF16, (const guint16 *) self->data[1] + l * 8 + j);
        g_assert_cmpfloat_with_epsilon (got, sum, fabs (sum) / 256);
      }
}

TEST ("/reference/stride")
{
  for (int width = 4; width <= 16; width *= 2)
    for (int store = 0; store < 2; store++)
      {
        g_autofree char *parameters =
            g_strdup_printf ("stride=63 base=5 width=%d store=%d accesses=7", width, store);
        g_autoptr (Case) self = make (parameters, "in:u32:512*width out:u32:96", "stride");
        const guint32 *in = self->data[0];

        compute_all (self);
        for (int i = 0; i < 96; i++)
          {
            guint32 sum = 0;

            for (int w = 0; w < width / 4; w++)
              sum += in[(5 + 63 * (i % 32)) * (width / 4) + w] + (store != 0 ? 1U : 0U);
            g_assert_cmphex (((guint32 *) self->data[1])[i], ==, store != 0 ? sum : sum * 7);
          }
      }
}

/* banks/half-warp has no width, no base, and no stores. */
TEST ("/reference/stride-alone")
{
  g_autoptr (Case) self = make ("stride=3 accesses=7", "in:u32:2048 out:u32:96", "stride");

  compute_all (self);
  for (int i = 0; i < 96; i++)
    g_assert_cmphex (((guint32 *) self->data[1])[i], ==,
                     7 * ((const guint32 *) self->data[0])[3 * (i % 32)]);
}

/* Lane 9 of warp 2, by hand. */
TEST ("/reference/pattern")
{
  static const guint words[] = {
    64 + 22,     /* permutation: the lanes from the last one */
    2,           /* broadcast */
    2 + 10,      /* multicast */
    2 * 35 + 9,  /* row of a tile of 35 columns */
    9 * 35 + 2,  /* column */
    9 * 32 + 11, /* swizzle */
    9 * 37,      /* random */
  };

  for (guint pattern = 0; pattern < G_N_ELEMENTS (words); pattern++)
    {
      g_autofree char *parameters =
          g_strdup_printf ("pattern=%u padding=3 threads=96 accesses=5", pattern);
      g_autoptr (Case) self =
          make (parameters, "in:u32:2048 order:u32:32 choice:u32:32 out:u32:192", "pattern");
      g_autoptr (GError) error = NULL;
      const guint32 *in = self->data[0];

      for (guint i = 0; i < 32; i++)
        {
          ((guint32 *) self->data[1])[i] = 31 - i;
          ((guint32 *) self->data[2])[i] = 37 * i;
        }
      compute_all (self);
      /* In both blocks. */
      g_assert_cmphex (((guint32 *) self->data[3])[64 + 9], ==, 5 * in[words[pattern]]);
      g_assert_cmphex (((guint32 *) self->data[3])[96 + 64 + 9], ==, 5 * in[words[pattern]]);

      /* Words that are not there are refused. */
      ((guint32 *) self->data[2])[31] = 2048;
      g_assert_cmpint (compute (self, NULL, pattern == 6 ? NULL : &error), ==, pattern != 6);
    }
}

TEST ("/reference/conflict")
{
  g_autoptr (Case) self = make ("ways=5 accesses=3", "out:u32:64", "conflict");
  const guint32 *out = self->data[0];

  compute_all (self);
  /* Lanes 0 to 4 access bank 0, 5 to 9 bank 1, 30 and 31 bank 6. */
  g_assert_cmpuint (out[0], ==, 0);
  g_assert_cmpuint (out[4], ==, 3 * 128);
  g_assert_cmpuint (out[5], ==, 3 * 1);
  g_assert_cmpuint (out[32 + 31], ==, 3 * (32 + 6));
}

typedef struct
{
  const char *path, *parameters, *buffers, *reference, *message;
} Bad;

/* clang-format off */
static const Bad bads[] = {
  { "chase-type", "steps=1 repeats=1 hops=1", "out:u32:1", "chase", "i32" },
  { "chase-ring", "steps=1 repeats=1 footprint=1 stride=2048", "out:i32:1", "chase", "ring" },
  { "chase-large", "steps=4611686018427387904 repeats=4611686018427387905 hops=9223372036854775807",
    "out:i32:1", "chase", "ring" },
  { "copy/poison", "n=4", "in:i32:n:poison out:i32:n", "copy", "Fill=poison has none" },
  { "exclusive-or/poison", "n=4", "a:f32:n b:f32:n:poison out:u32:1", "exclusive-or", "[Buffer b]" },
  { "stream-width", "passes=1 width=3", "in:u32:8 out:u32:1", "stream", "width" },
  { "sum/in", "n=4", "input:i32:n out:i32:1", "sum", "needs a [Buffer in]" },
  { "sum/type", "n=4", "in:i32:n out:f32:1", "sum", "needs [Buffer in] to be f32 as the output is" },
  { "sum/output", "n=4", "in:i32:n out:i32:2", "sum", "needs an output of one element; [Buffer out] has 2" },
  { "reduce/op", "n=4", "in:i32:n out:i32:1", "reduce", "needs a [Parameter op]" },
  { "reduce/range", "n=4 op=4", "in:i32:n out:i32:1", "reduce", "2 (minimum) or 3 (maximum), not 4" },
  { "reduce/output", "n=4 op=1", "in:i32:n out:i32:2", "reduce", "needs an output of one element; [Buffer out] has 2" },
  { "vector-add/short", "n=4", "a:i32:n b:i32:n-1 out:i32:n", "vector-add", "needs 4 elements in [Buffer b], which has 3" },
  { "divergence/type", "by=0 fraction=1 rounds=1 threads=32", "in:i32:64 out:i32:64", "divergence", "needs a u32 output" },
  { "divergence/threads", "by=0 fraction=1 rounds=1 threads=0", "in:u32:64 out:u32:64",
    "divergence", "needs [Parameter threads] to be 1 or more" },
  { "exclusive-or/output", "n=4", "a:f32:n b:f32:n out:u32:2", "exclusive-or", "needs a u32 output of one element" },
  { "exclusive-or/size", "n=4", "a:f32:n b:f32:n+1 out:u32:1", "exclusive-or",
    "needs [Buffer a] and [Buffer b] of one size" },
  { "dot/output", "n=4", "a:f32:n b:f32:n out:f32:2", "dot", "needs an output of one element; [Buffer out] has 2" },
  { "dot/short", "n=4", "a:f32:n b:f32:n-1 out:f32:1", "dot", "needs 4 elements in [Buffer b], which has 3" },
  { "squared-error/type", "n=4", "a:i32:16 b:i32:16 out:i32:2", "squared-error", "needs an f32 or f64 output" },
  { "squared-error/size", "n=0", "a:f32:16 b:f32:16 out:f32:2", "squared-error", "needs n from 1" },
  { "squared-error/input", "n=4", "a:f32:16 b:f32:15 out:f32:2", "squared-error",
    "needs 16 elements in [Buffer b], which has 15" },
  { "squared-error/blocks", "n=4 bx=2 by=2", "a:f32:16 b:f32:16 out:f32:5", "squared-error",
    "or of one per block and 2 (6); [Buffer out] has 5" },
  { "squared-error/parameter", "n=4", "a:f32:16 b:f32:16 out:f32:5", "squared-error", "needs a [Parameter bx]" },
  { "pattern/padding", "pattern=0 padding=33 threads=32 accesses=1",
    "in:u32:2048 order:u32:32 choice:u32:32 out:u32:32", "pattern",
    "needs a padding of up to 32 and up to 1024 threads" },
  { "pattern/type", "pattern=0 padding=0 threads=32 accesses=1",
    "in:i32:2048 order:u32:32 choice:u32:32 out:i32:32", "pattern", "needs a u32 output" },
  { "conflict/ways", "ways=33 accesses=1", "out:u32:32", "conflict", "needs 1 to 32 ways" },
  { "copy/short", "n=4", "in:f32:n-1 out:f32:n", "copy", "needs 4 elements in [Buffer in], which has 3" },
  { "matmul/n", "k=4", "a:f32:16 b:f32:16 c:f32:16", "matmul", "needs a [Parameter n]" },
  { "matmul/type", "n=4", "a:i32:16 b:i32:16 c:i32:16", "matmul", "needs an f16, bf16, f32 or f64 output" },
  { "matmul/output", "n=4", "a:f32:16 b:f32:16 c:f32:15", "matmul",
    "needs an output of m × n elements (4 × 4); [Buffer c] has 15" },
  { "matmul/input", "n=4", "a:f32:16 b:f32:15 c:f32:16", "matmul", "needs 16 elements in [Buffer b], which has 15" },
  { "matmul/overflow", "n=1 k=9223372036854775807 m=16", "a:f32:16 b:f32:15 c:f32:16", "matmul", "can't count" },
  { "matmul/zero", "n=4 k=0", "a:f32:16 b:f32:16 c:f32:16", "matmul", "needs an output of m × n elements" },
  { "average/type", "n=4", "in:i32:n out:i32:n", "average", "needs an f32 or f64 output" },
  { "average/iterations", "n=4 iterations=-1", "in:f32:n out:f32:n", "average", "can't average -1 times" },
  { "stride/parameter", "stride=1", "in:u32:512 out:u32:32", "stride", "needs a [Parameter accesses]" },
  { "stride/short", "stride=64 base=0 width=4 store=0 accesses=1", "in:u32:512 out:u32:32",
    "stride", "needs 1985 elements in [Buffer in], which has 512" },
  { "stride/negative", "stride=-1 base=40 width=4 store=0 accesses=1", "in:u32:512 out:u32:32",
    "stride", "needs stride and base from 0" },
};
/* clang-format on */

TEST_ROWS ("/reference/bad/%s", bads)
{
  const Bad *bad = data;
  g_autoptr (Case) self = make (bad->parameters, bad->buffers, bad->reference);
  g_autoptr (GError) error = NULL;

  g_assert_false (compute (self, NULL, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, bad->message));
  g_assert_true (g_str_has_prefix (error->message, "test: reference "));
}

TEST ("/reference/cancelled")
{
  static const char *const cases[][3] = {
    { "n=100", "in:i32:n out:i32:1", "sum" },
    { "n=100", "a:i32:n b:i32:n c:i32:n", "vector-add" },
    { "n=100 iterations=3", "in:f32:n out:f32:n", "average" },
    { "n=100", "a:f32:n*n b:f32:n*n c:f32:n*n", "matmul" },
    { "stride=1 base=0 width=4 store=0 accesses=1", "in:u32:512 out:u32:32", "stride" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Case) self = make (cases[i][0], cases[i][1], cases[i][2]);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();

      g_assert_true (MUST (compute (self, cancellable, &fail)));
      g_cancellable_cancel (cancellable);
      FAILS (compute (self, cancellable, &fail), G_IO_ERROR, G_IO_ERROR_CANCELLED, "");
    }
}

TEST ("/reference/table")
{
  gsize n;
  const CuredReference *references = cured_reference_list (&n);

  g_assert_cmpuint (n, >=, 4);
  for (gsize i = 0; i < n; i++)
    {
      g_assert_true (cured_reference_find (references[i].name) == &references[i]);
      g_assert_nonnull (references[i].summary);
      if (i > 0)
        g_assert_cmpstr (references[i - 1].name, <, references[i].name);
    }
  g_assert_null (cured_reference_find ("su"));
}
