/* SPDX-License-Identifier: MIT
 * Integer instructions, against slow formulas of 128 bits. */
#include "exec-bench.h"

static void
test_add (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  uint32_t *d = exec_bench_lanes (bench, R (0, 4));
  uint32_t *a = exec_bench_lanes (bench, R (1, 4));

  for (guint l = 0; l < 32; l++)
    a[l] = 0x80000000u + l;
  exec_bench_do (
      bench, CURED_ALL_LANES, "add.u32", R (0, 4), R (1, 4), R (1, 4));
  for (guint l = 0; l < 32; l++)
    g_assert_cmpuint (d[l], ==, 2 * l);
  exec_bench_do (bench, 0x5, "add.u32", R (1, 4), R (1, 4), R (1, 4));
  for (guint l = 0; l < 32; l++)
    g_assert_cmpuint (a[l], ==, l == 0 || l == 2 ? 2 * l : 0x80000000u + l);
  exec_bench_assert_refused (
      bench, "add.sat.u32", R (0, 4), R (1, 4), R (1, 4));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ptx-exec-int/baseline/add",
                        GUINT_TO_POINTER (EXEC_BENCH_BASELINE),
                        test_add);
  g_test_add_data_func (
      "/ptx-exec-int/v3/add", GUINT_TO_POINTER (EXEC_BENCH_V3), test_add);
  return g_test_run ();
}
