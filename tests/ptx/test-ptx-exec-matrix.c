/* SPDX-License-Identifier: MIT
 * Matrices that move between memory and registers: addresses and lanes that are wrong. What right
 * ones give, the golden cases say. */
#include <string.h>

#include "access-bench.h"
#include "test.h"

static void
set_ldmatrix (AccessBench *bench, const char *mnemonic)
{
  ExecBench *exec = bench->exec;

  exec_bench_set (exec, mnemonic, 0, NULL);
  exec_bench_group (exec, 0, 1);
  exec->operands[0] = R (0, 4);
  exec->operands[1] = R (8, 8);
  g_assert_cmpstr (exec_bench_select (exec), ==, NULL);
}

/* What a row's address can be wrong in; the other rows are loaded. */
TEST ("/ptx-exec-matrix/rows-refused")
{
  static const struct
  {
    const char *mnemonic;
    guint64 address;
    CuredFindingKind kind;
  } cases[] = {
    { "ldmatrix.sync.aligned.m8n8.x1.shared.b16", ACCESS_BENCH_SHARED_BYTES - 8,
      CURED_FINDING_OUT_OF_BOUNDS },
    { "ldmatrix.sync.aligned.m8n8.x1.shared.b16", 40, CURED_FINDING_MISALIGNED },
    { "ldmatrix.sync.aligned.m8n8.x1.b16", 0, CURED_FINDING_OUT_OF_BOUNDS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AccessBench) bench = access_bench_new (EXEC_BENCH_V3);
      gboolean is_generic = i == 2;
      guint64 *address = exec_bench_lanes (bench->exec, R (8, 8));
      const guint32 *result = exec_bench_lanes (bench->exec, R (0, 4));

      memset (bench->block.shared, 0x11, ACCESS_BENCH_SHARED_BYTES);
      for (guint l = 0; l < CURED_WARP_LANES; l++)
        address[l] = 16 * l + (is_generic ? CURED_SHARED_WINDOW : 0);
      address[3] = cases[i].address;
      set_ldmatrix (bench, cases[i].mnemonic);
      exec_bench_run (bench->exec, CURED_ALL_LANES);
      g_autoptr (GPtrArray) findings = access_bench_take_findings (bench);
      g_assert_cmpuint (findings->len, ==, 1);
      g_assert_cmpint (((CuredFinding *) findings->pdata[0])->kind, ==, cases[i].kind);
      for (guint l = 0; l < CURED_WARP_LANES; l++)
        g_assert_cmphex (result[l], ==, l / 4 == 3 ? 0 : 0x11111111);
    }
}

/* A generic address of global memory, where the hardware faults. */
TEST ("/ptx-exec-matrix/global-refused")
{
  g_autoptr (AccessBench) bench = access_bench_new (EXEC_BENCH_V3);
  guint64 *address = exec_bench_lanes (bench->exec, R (8, 8));
  const guint32 *result = exec_bench_lanes (bench->exec, R (0, 4));

  for (guint i = 0; i < ACCESS_BENCH_ELEMENTS; i++)
    bench->a_host[i] = 1;
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    address[l] = bench->a + 16 * l;
  set_ldmatrix (bench, "ldmatrix.sync.aligned.m8n8.x1.b16");
  exec_bench_run (bench->exec, CURED_ALL_LANES);
  g_autoptr (GPtrArray) findings = access_bench_take_findings (bench);
  g_assert_cmpuint (findings->len, ==, 1);
  g_assert_cmpint (((CuredFinding *) findings->pdata[0])->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    g_assert_cmphex (result[l], ==, 0);
}

/* Lanes that ended can't bring their part of a matrix. */
TEST ("/ptx-exec-matrix/lanes-missing")
{
  g_autoptr (AccessBench) bench = access_bench_new (EXEC_BENCH_V3);
  guint32 *result = exec_bench_lanes (bench->exec, R (0, 4));

  bench->warp->alive = 0x0000ffff;
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    result[l] = 7;
  exec_bench_do (bench->exec, 0x0000ffff, "movmatrix.sync.aligned.m8n8.trans.b16", R (0, 4),
                 R (1, 4));
  g_autoptr (GPtrArray) findings = access_bench_take_findings (bench);
  g_assert_cmpuint (findings->len, ==, 1);
  g_assert_cmpint (((CuredFinding *) findings->pdata[0])->kind, ==, CURED_FINDING_INACTIVE_LANE);
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    g_assert_cmphex (result[l], ==, l < 16 ? 0 : 7);
}
