/* SPDX-License-Identifier: MIT
 * Sums of vectors and matrices that are small enough to be done by hand. */
#include "test-compiled.h"
#include "test.h"
#include "worked.h"

static CuredDevice *device;
static CuredCompiler *compiler;

static Worked *
work (const char *id, const char *parameters, const WorkedFill *fills, gsize n_fills)
{
  return worked_new (device, compiler, id, parameters, fills, n_fills);
}

/* a = 0 … 9 and b = 0, 2 … 18 on 2 blocks of 4 threads. Threads are a grid of 8 apart: those of
 * block 0 have elements 0 to 3, and two of them 8 and 9, too; those of block 1 have 4 to 7.
 * Elements are 2 i²:
 *
 *   block 0: 2 (0 + 1 + 4 + 9 + 64 + 81) = 2 · 159 = 318
 *   block 1: 2 (16 + 25 + 36 + 49)       = 2 · 126 = 252
 *   together                                        570 */
static void
test_dot (gconstpointer data)
{
  static const WorkedFill fills[] = {
    { "a", "Fill=ramp\nLow=0\nHigh=1" },
    { "b", "Fill=ramp\nLow=0\nHigh=2" },
  };
  g_autoptr (Worked) worked = work (data, "n=10 block=4 blocks=2", fills, G_N_ELEMENTS (fills));
  const float *partial = worked_get (worked, "partial");
  const float *out = worked_get (worked, "out");

  g_assert_cmpfloat (partial[0], ==, 318);
  g_assert_cmpfloat (partial[1], ==, 252);
  g_assert_cmpfloat (out[0], ==, 570);
}

/* The steps that hand out vectors of 4 and whole warps have other partial sums and the same
 * product. */
static void
test_dot_total (gconstpointer data)
{
  static const WorkedFill fills[] = {
    { "a", "Fill=ramp\nLow=0\nHigh=1" },
    { "b", "Fill=ramp\nLow=0\nHigh=2" },
  };
  g_autoptr (Worked) worked = work (data, "n=10 block=32", fills, G_N_ELEMENTS (fills));
  const float *out = worked_get (worked, "out");

  g_assert_cmpfloat (out[0], ==, 570);
}

static const WorkedFill matrices[] = {
  { "a", "Fill=ramp\nLow=1\nHigh=1" },
  { "b", "Fill=ramp\nLow=16\nHigh=-1" },
};

/* A1 = 1 … 16 and A2 = 16 … 1, 4 × 4, in 2 × 2 blocks of 2 × 2. The differences and their squares,
 * row by row:
 *
 *   −15 −13 | −11  −9        225 169 | 121  81
 *    −7  −5 |  −3  −1         49  25 |   9   1
 *   --------+--------        --------+--------
 *     1   3 |   5   7          1   9 |  25  49
 *     9  11 |  13  15         81 121 | 169 225
 *
 *   blocks: 225 + 169 + 49 + 25 = 468    121 + 81 + 9 + 1 = 212
 *           1 + 9 + 81 + 121    = 212    25 + 49 + 169 + 225 = 468
 *   sum: 1360    mean: 1360 / 16 = 85 */
static void
assert_error (const float *out)
{
  static const float expected[] = { 468, 212, 212, 468, 1360, 85 };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpfloat (out[i], ==, expected[i]);
}

TEST ("/worked/squared-error/blocks")
{
  g_autoptr (Worked) worked = work ("squared-error/blocks", "n=4 bx=2 by=2", matrices, 2);

  assert_error (worked_get (worked, "out"));
}

TEST ("/worked/elementwise/error-tile")
{
  g_autoptr (Worked) worked = work ("elementwise/error-tile", "n=4 tile=2", matrices, 2);

  assert_error (worked_get (worked, "out"));
}

/* The same in one block, which goes from tile to tile, and in two. */
TEST ("/worked/elementwise/error-tiles")
{
  g_autoptr (Worked) one = work ("elementwise/error-tiles", "n=4 tile=2 tiles=4", matrices, 2);
  g_autoptr (Worked) two = work ("elementwise/error-tiles", "n=4 tile=2 tiles=2", matrices, 2);

  assert_error (worked_get (one, "out"));
  assert_error (worked_get (two, "out"));
}

static void
test_error_total (gconstpointer data)
{
  g_autoptr (Worked) worked = work (data, "n=4", matrices, 2);
  const float *out = worked_get (worked, "out");

  g_assert_cmpfloat (out[0], ==, 1360);
  g_assert_cmpfloat (out[1], ==, 85);
}

/* 10 elements on 2 blocks of 3 threads: 6 threads, so that four of them come round a second
 * time. */
TEST ("/worked/vector/add")
{
  static const int expected[] = { 0, 3, 6, 9, 12, 15, 18, 21, 24, 27 };
  static const WorkedFill fills[] = {
    { "a", "Fill=ramp\nLow=0\nHigh=1" },
    { "b", "Fill=ramp\nLow=0\nHigh=2" },
  };
  g_autoptr (Worked) worked = work ("vector/add", "n=10 threads=3 blocks=2", fills, 2);

  g_assert_cmpmem (worked_get (worked, "out"), sizeof expected, expected, sizeof expected);
  g_assert_cmpfloat (worked->outcome->metrics[CURED_METRIC_grid_blocks], ==, 2);
  g_assert_cmpfloat (worked->outcome->metrics[CURED_METRIC_threads_per_block], ==, 3);
}

/* The lines are those of the elements, in the order of blocks. */
TEST ("/worked/features/print")
{
  g_autoptr (Worked) worked = work ("features/print", "n=10 threads=3 lines=4", NULL, 0);

  g_assert_cmpstr (worked->outcome->output, ==,
                   "block 0, thread 0: 0 + 0 = 0\n"
                   "block 0, thread 1: 1 + 2 = 3\n"
                   "block 0, thread 2: 2 + 4 = 6\n"
                   "block 1, thread 0: 3 + 6 = 9\n");
}

int
main (int argc, char **argv)
{
  g_auto (GStrv) kernels = cured_catalogue_list ();

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/worked/dot/host-sum", "dot/host-sum", test_dot);
  g_test_add_data_func ("/worked/dot/two-launch", "dot/two-launch", test_dot);
  for (guint i = 0; kernels[i] != NULL; i++)
    {
      g_autofree char *path = g_strconcat ("/worked/total/", kernels[i], NULL);

      if (g_str_has_prefix (kernels[i], "dot/"))
        g_test_add_data_func (path, kernels[i], test_dot_total);
      else if (g_str_has_prefix (kernels[i], "squared-error/") &&
               !g_str_has_suffix (kernels[i], "/blocks") && !g_str_has_suffix (kernels[i], "/read"))
        g_test_add_data_func (path, kernels[i], test_error_total);
    }
  return run_compiled_tests (&compiler, &device);
}
