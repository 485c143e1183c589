/* SPDX-License-Identifier: MIT
 * Handlers: shuffles, votes and reductions in part of a warp, over lanes that are not there. What
 * whole warps give, the golden cases say. */
#include "access-bench.h"
#include "test.h"

#include <string.h>

static guint32 *
lanes (AccessBench *self, CuredPtxOperand x)
{
  return exec_bench_lanes (self->exec, x);
}

static void
fill (AccessBench *self, CuredPtxOperand x, guint32 first, guint32 step)
{
  for (guint l = 0; l < 32; l++)
    lanes (self, x)[l] = first + l * step;
}

/* Two halves of the warp name their own half: a full warp executes both. */
TEST_ROWS ("/ptx-exec-warp/halves/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));

  fill (self, R (2, 4), 0, 1);
  fill (self, R (3, 4), 0, 0);
  fill (self, R (4, 4), 0x101f, 0);
  for (guint l = 0; l < 32; l++)
    lanes (self, R (5, 4))[l] = l < 16 ? 0xffffu : 0xffff0000u;
  exec_bench_do (self->exec, CURED_ALL_LANES, "shfl.sync.idx.b32", R (6, 4), NONE, R (2, 4),
                 R (3, 4), R (4, 4), R (5, 4));
  for (guint l = 0; l < 32; l++)
    g_assert_cmpuint (lanes (self, R (6, 4))[l], ==, l / 16 * 16);
  exec_bench_do (self->exec, CURED_ALL_LANES, "redux.sync.add.u32", R (6, 4), R (2, 4), R (5, 4));
  for (guint l = 0; l < 32; l++)
    g_assert_cmpuint (lanes (self, R (6, 4))[l], ==, l < 16 ? 120 : 376);
  *lanes (self, PREDICATE (1)) = 0x0000ffff;
  exec_bench_do (self->exec, CURED_ALL_LANES, "vote.sync.all.pred", PREDICATE (2), PREDICATE (1),
                 R (5, 4));
  g_assert_cmphex (*lanes (self, PREDICATE (2)), ==, 0x0000ffff);
  exec_bench_do (self->exec, CURED_ALL_LANES, "vote.sync.ballot.b32", R (6, 4), PREDICATE (1),
                 R (5, 4));
  g_assert_cmphex (lanes (self, R (6, 4))[0], ==, 0x0000ffff);
  g_assert_cmphex (lanes (self, R (6, 4))[16], ==, 0);
}

/* Specimen and twin: a shuffle over lanes that are not there. */
TEST_ROWS ("/ptx-exec-warp/inactive/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  CuredPtxOperand x[] = { R (6, 4), PREDICATE (1), R (2, 4), R (3, 4), R (4, 4), R (5, 4) };

  self->warp->alive = 0xffff;
  fill (self, R (2, 4), 10, 1);
  fill (self, R (3, 4), 8, 0);
  fill (self, R (4, 4), 0x1f, 0);
  fill (self, R (5, 4), CURED_ALL_LANES, 0);
  g_assert_null (exec_bench_set (self->exec, "shfl.sync.down.b32", G_N_ELEMENTS (x), x));
  access_bench_site (self, 1, 55);
  exec_bench_run (self->exec, 0xffff);
  g_autoptr (CuredFinding) finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_INACTIVE_LANE);
  g_assert_cmphex (finding->here.lanes, ==, 0xff00);
  g_assert_cmpint (finding->here.line, ==, 55);
  g_assert_null (finding->object);
  g_assert_cmpuint (lanes (self, R (6, 4))[0], ==, 18);
  g_assert_cmpuint (lanes (self, R (6, 4))[8], ==, 0);
  g_clear_pointer (&finding, cured_finding_free);

  /* The twin's segments are 16 lanes wide. */
  fill (self, R (4, 4), 0x100f, 0);
  fill (self, R (5, 4), 0xffff, 0);
  exec_bench_run (self->exec, 0xffff);
  access_bench_assert_clean (self);
  for (guint l = 0; l < 16; l++)
    g_assert_cmpuint (lanes (self, R (6, 4))[l], ==, 10 + (l < 8 ? l + 8 : l));

  /* A lane that is not in the mask that it names. */
  fill (self, R (5, 4), 0x7fff, 0);
  fill (self, R (3, 4), 0, 0);
  exec_bench_run (self->exec, 0xffff);
  finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_INACTIVE_LANE);
  g_assert_cmphex (finding->here.lanes, ==, 0x8000);
}

/* Lanes that are missing are waited for: nothing happens yet. */
TEST_ROWS ("/ptx-exec-warp/waits/%s", exec_builds)
{
  static const char *const mnemonics[] = {
    "vote.sync.ballot.b32",
    "match.any.sync.b32",
    "redux.sync.xor.b32",
  };
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));

  for (gsize i = 0; i < G_N_ELEMENTS (mnemonics); i++)
    {
      self->warp->pc = 1;
      self->warp->is_stopped = 0;
      self->warp->n_groups = 1;
      memset (self->warp->groups, 0, sizeof self->warp->groups);
      self->warp->groups[0].mask = 0xff;
      fill (self, R (6, 4), 7, 0);
      fill (self, R (5, 4), CURED_ALL_LANES, 0);
      exec_bench_do (self->exec, 0xff, mnemonics[i], R (6, 4), i == 0 ? PREDICATE (1) : R (2, 4),
                     R (5, 4));
      g_assert_true (self->warp->is_stopped);
      g_assert_cmpuint (lanes (self, R (6, 4))[0], ==, 7);
    }
}

TEST ("/ptx-exec-warp/refused")
{
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);

  exec_bench_assert_refused (self->exec, "shfl.sync.b32", R (6, 4), NONE, R (2, 4), R (3, 4),
                             R (4, 4), R (5, 4));
  exec_bench_assert_refused (self->exec, "vote.sync.pred", PREDICATE (1), PREDICATE (2), R (5, 4));
  exec_bench_assert_refused (self->exec, "vote.sync.all.b32", R (6, 4), PREDICATE (2), R (5, 4));
  exec_bench_assert_refused (self->exec, "vote.sync.ballot.pred", PREDICATE (1), PREDICATE (2),
                             R (5, 4));
  exec_bench_assert_refused (self->exec, "redux.sync.add.b32", R (6, 4), R (2, 4), R (5, 4));
  exec_bench_assert_refused (self->exec, "redux.sync.or.u32", R (6, 4), R (2, 4), R (5, 4));
  exec_bench_assert_refused (self->exec, "redux.sync.cas.b32", R (6, 4), R (2, 4), R (5, 4));
  exec_bench_assert_refused (self->exec, "elect.sync", R (6, 4), NONE, R (5, 4));
}
