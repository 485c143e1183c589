/* SPDX-License-Identifier: MIT
 * Sums, products, minima and maxima of vectors that can be done by hand. */
#include "test-compiled.h"
#include "test.h"
#include "worked.h"

static CuredDevice *device;
static CuredCompiler *compiler;

static Worked *
work (const char *id, const char *parameters, const char *fill)
{
  const WorkedFill fills[] = { { "in", fill } };

  return worked_new (device, compiler, id, parameters, fills, 1);
}

/* 8192 ones on 8 blocks of 1024 threads: each block finds 1024. */
TEST ("/worked/reduce/blocks")
{
  g_autoptr (Worked) worked =
      work ("reduce/single-launch-fixed", "n=8192 block=1024", "Fill=constant\nLow=1");
  const gint32 *partial = worked_get (worked, "partial");
  const gint32 *out = worked_get (worked, "out");

  for (int i = 0; i < 8; i++)
    g_assert_cmpint (partial[i], ==, 1024);
  g_assert_cmpint (out[0], ==, 8192);
}

/* The same ones, and one less and one more, on every step of the ladder. */
static void
test_ones (gconstpointer data)
{
  for (int n = 8191; n <= 8193; n++)
    {
      g_autofree char *parameters = g_strdup_printf ("n=%d", n);
      g_autoptr (Worked) worked = work (data, parameters, "Fill=constant\nLow=1");
      const gint32 *out = worked_get (worked, "out");

      g_assert_cmpint (out[0], ==, n);
    }
}

/* 1 … 12: 12 · 13 / 2 = 78, and 12! = 479001600 is the last factorial that fits 31 bits. 1 … 10 as
 * floats and 1 … 20 as doubles: 10! and 20! have enough factors of 2 to be exact. */
TEST ("/worked/reduce/any")
{
  static const struct
  {
    int type, n;
    double expected[4];
  } cases[] = {
    { 0, 12, { 78, 479001600, 1, 12 } },
    { 1, 10, { 55, 3628800, 1, 10 } },
    { 2, 20, { 210, 2432902008176640000.0, 1, 20 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int op = 0; op < 4; op++)
      {
        g_autofree char *parameters =
            g_strdup_printf ("op=%d type=%d n=%d per_sm=1 block=32", op, cases[i].type, cases[i].n);
        g_autoptr (Worked) worked = work ("reduce/any", parameters, "Fill=ramp\nLow=1\nHigh=1");
        const void *out = worked_get (worked, "out");
        double got = cases[i].type == 0   ? (double) *(const gint32 *) out
                     : cases[i].type == 1 ? (double) *(const float *) out
                                          : *(const double *) out;

        g_assert_cmpfloat (got, ==, cases[i].expected[op]);
      }
}

/* Negative numbers are less than the neutral element of a sum, and positive ones greater: -8 … -1
 * and 1 … 8. */
TEST ("/worked/reduce/signs")
{
  for (int type = 0; type < 3; type++)
    for (int sign = -1; sign <= 1; sign += 2)
      for (int op = 2; op < 4; op++)
        {
          g_autofree char *parameters =
              g_strdup_printf ("op=%d type=%d n=8 per_sm=1 block=32", op, type);
          g_autofree char *fill = g_strdup_printf ("Fill=ramp\nLow=%d\nHigh=%d", sign, sign);
          g_autoptr (Worked) worked = work ("reduce/any", parameters, fill);
          const void *out = worked_get (worked, "out");
          double got = type == 0   ? (double) *(const gint32 *) out
                       : type == 1 ? (double) *(const float *) out
                                   : *(const double *) out;

          g_assert_cmpfloat (got, ==, (op == 2) == (sign > 0) ? sign : 8 * sign);
        }
}

int
main (int argc, char *argv[])
{
  static const char *const sums[] = {
    "any",
    "atomic",
    "first-add",
    "host-sum",
    "interleaved-modulo",
    "interleaved-strided",
    "last-block",
    "last-warp",
    "packed",
    "sequential",
    "several",
    "shuffle",
    "single-launch-fixed",
    "two-launch",
    "unrolled",
    "vector",
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (sums); i++)
    {
      g_autofree char *id = g_strconcat ("reduce/", sums[i], NULL);
      g_autofree char *path = g_strconcat ("/worked/reduce/ones/", sums[i], NULL);

      g_test_add_data_func_full (path, g_steal_pointer (&id), test_ones, g_free);
    }
  return run_compiled_tests (&compiler, &device);
}
