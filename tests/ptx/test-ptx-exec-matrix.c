/* SPDX-License-Identifier: MIT
 * Matrices that move between memory and registers: ldmatrix, stmatrix, movmatrix. */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "access-bench.h"
#include "ptx/exec/cured-half-private.h"
#include "test.h"

#define MAX_M 16
#define N     8
#define MAX_K 256

/* ---- Matrices of 16 bits ---- */

static const guint counts[] = { 1, 2, 4 };

/* Rows are in memory in any order: row r of matrix i is at place (5 * (8 i + r)) mod 32. */
static guint
place_of (guint row)
{
  return 5 * row % 32;
}

static void
set_ldmatrix (AccessBench *bench, const char *mnemonic, guint n)
{
  ExecBench *exec = bench->exec;

  exec_bench_set (exec, mnemonic, 0, NULL);
  exec_bench_group (exec, 0, n);
  for (guint i = 0; i < n; i++)
    exec->operands[i] = R (i, 4);
  exec->operands[n] = R (8, 8);
  g_assert_cmpstr (exec_bench_select (exec), ==, NULL);
}

TEST ("/ptx-exec-matrix/ldmatrix")
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint c = 0; c < G_N_ELEMENTS (counts); c++)
      for (guint variant = 0; variant < 4; variant++)
        {
          g_autoptr (AccessBench) bench = access_bench_new ((ExecBenchBuild) build);
          gboolean is_transposed = (variant & 1) != 0;
          gboolean is_generic = (variant & 2) != 0;
          guint n = counts[c];
          guint16 *shared = (guint16 *) bench->block.shared;
          g_autofree char *mnemonic =
              g_strdup_printf ("ldmatrix.sync.aligned.m8n8.x%u%s%s.b16", n,
                               is_transposed ? ".trans" : "", is_generic ? "" : ".shared");
          guint64 *address = exec_bench_lanes (bench->exec, R (8, 8));

          for (guint i = 0; i < 32 * 8; i++)
            shared[i] = (guint16) g_test_rand_int ();
          /* Addresses of lanes that hold no row are not looked at. */
          for (guint l = 0; l < CURED_WARP_LANES; l++)
            address[l] = l >= 8 * n ? 12345
                                    : (is_generic ? CURED_SHARED_WINDOW : 0) +
                                          (guint64) 16 * place_of (l) - 32;
          set_ldmatrix (bench, mnemonic, n);
          bench->exec->inst.displacement = 32;
          exec_bench_run (bench->exec, CURED_ALL_LANES);
          access_bench_assert_clean (bench);
          for (guint i = 0; i < n; i++)
            for (guint l = 0; l < CURED_WARP_LANES; l++)
              for (guint j = 0; j < 2; j++)
                {
                  const guint16 *halves = exec_bench_lanes (bench->exec, R (i, 4));
                  guint row = l / 4;
                  guint column = l % 4 * 2 + j;
                  guint16 expected = is_transposed ? shared[8 * place_of (8 * i + column) + row]
                                                   : shared[8 * place_of (8 * i + row) + column];

                  g_assert_cmphex (halves[2 * l + j], ==, expected);
                }
        }
}

TEST ("/ptx-exec-matrix/stmatrix")
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint c = 0; c < G_N_ELEMENTS (counts); c++)
      for (guint is_transposed = 0; is_transposed < 2; is_transposed++)
        {
          g_autoptr (AccessBench) bench = access_bench_new ((ExecBenchBuild) build);
          ExecBench *exec = bench->exec;
          guint n = counts[c];
          const guint16 *shared = (const guint16 *) bench->block.shared;
          g_autofree char *mnemonic = g_strdup_printf (
              "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16", n, is_transposed ? ".trans" : "");
          guint32 *address = exec_bench_lanes (exec, R (8, 4));

          memset (bench->block.shared, 0xa5, ACCESS_BENCH_SHARED_BYTES);
          for (guint l = 0; l < CURED_WARP_LANES; l++)
            address[l] = 16 * place_of (l);
          exec_bench_set (exec, mnemonic, 0, NULL);
          exec_bench_group (exec, 1, n);
          exec->operands[0] = R (8, 4);
          for (guint i = 0; i < n; i++)
            {
              guint16 *halves = exec_bench_lanes (exec, R (i, 4));

              exec->operands[1 + i] = R (i, 4);
              for (guint k = 0; k < 64; k++)
                halves[k] = (guint16) (64 * i + k);
            }
          g_assert_cmpstr (exec_bench_select (exec), ==, NULL);
          exec_bench_run (exec, CURED_ALL_LANES);
          for (guint i = 0; i < 4; i++)
            for (guint row = 0; row < 8; row++)
              for (guint column = 0; column < 8; column++)
                g_assert_cmphex (
                    shared[8 * place_of (8 * i + row) + column], ==,
                    i >= n ? 0xa5a5
                           : 64 * i + (is_transposed ? 8 * column + row : 8 * row + column));
        }
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
      set_ldmatrix (bench, cases[i].mnemonic, 1);
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
  set_ldmatrix (bench, "ldmatrix.sync.aligned.m8n8.x1.b16", 1);
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

TEST ("/ptx-exec-matrix/movmatrix")
{
  for (guint in_place = 0; in_place < 2; in_place++)
    {
      g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_V3);
      guint16 *from = exec_bench_lanes (bench, R (1, 4));
      const guint16 *to = exec_bench_lanes (bench, R (in_place, 4));

      for (guint i = 0; i < 64; i++)
        from[i] = (guint16) (i * 1001);
      exec_bench_do (bench, CURED_ALL_LANES, "movmatrix.sync.aligned.m8n8.trans.b16",
                     R (in_place, 4), R (1, 4));
      for (guint row = 0; row < 8; row++)
        for (guint column = 0; column < 8; column++)
          g_assert_cmphex (to[8 * row + column], ==, (guint16) ((8 * column + row) * 1001));
    }
}
