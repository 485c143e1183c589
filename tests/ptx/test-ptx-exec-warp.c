/* SPDX-License-Identifier: MIT
 * Handlers: shuffles, votes, matches, reductions over the lanes of a warp. */
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

/* ---- Shuffles ---- */

/* The ISA's text, in its own words: from whom a lane takes, and whether that lane is in its
 * segment. */
static gboolean
find_source (const char *mode, int lane, guint32 b, guint32 c, int *source)
{
  int bval = (int) (b & 0x1f);
  int cval = (int) (c & 0x1f);
  int segmask = (int) (c >> 8 & 0x1f);
  int max_lane = (lane & segmask) | (cval & ~segmask);
  int min_lane = lane & segmask;
  gboolean p;

  if (g_str_equal (mode, "up"))
    {
      *source = lane - bval;
      p = *source >= max_lane;
    }
  else if (g_str_equal (mode, "down"))
    {
      *source = lane + bval;
      p = *source <= max_lane;
    }
  else if (g_str_equal (mode, "bfly"))
    {
      *source = lane ^ bval;
      p = *source <= max_lane;
    }
  else
    {
      *source = min_lane | (bval & ~segmask);
      p = *source <= max_lane;
    }
  if (!p)
    *source = lane;
  return p;
}

TEST_ROWS ("/ptx-exec-warp/shuffle/%s", exec_builds)
{
  static const char *const modes[] = { "up", "down", "bfly", "idx" };
  static const guint32 clamps[] = { 0x1f,   0,      0x181f, 0x1c1f,    0x1e1f,
                                    0x1800, 0x1010, 0x0f,   0xffffffff };
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));

  fill (self, R (2, 4), 1000, 3);
  fill (self, R (5, 4), CURED_ALL_LANES, 0);
  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    for (gsize k = 0; k < G_N_ELEMENTS (clamps); k++)
      for (guint32 b = 0; b < 40; b++)
        {
          g_autofree char *mnemonic = g_strdup_printf ("shfl.sync.%s.b32", modes[m]);
          gboolean is_per_lane = b % 4 == 3;

          fill (self, R (3, 4), b, is_per_lane ? 5 : 0);
          fill (self, R (4, 4), clamps[k], 0);
          *lanes (self, PREDICATE (1)) = 0;
          exec_bench_do (self->exec, CURED_ALL_LANES, mnemonic, R (6, 4), PREDICATE (1), R (2, 4),
                         R (3, 4), R (4, 4), R (5, 4));
          for (int l = 0; l < 32; l++)
            {
              int source;
              gboolean p = find_source (modes[m], l, is_per_lane ? b + (guint32) l * 5 : b,
                                        clamps[k], &source);

              g_assert_cmpuint (lanes (self, R (6, 4))[l], ==, 1000 + 3 * (guint32) source);
              g_assert_cmpint (*lanes (self, PREDICATE (1)) >> l & 1, ==, p);
            }
        }
  /* In place, and with no predicate. */
  fill (self, R (3, 4), 1, 0);
  fill (self, R (4, 4), 0x1f, 0);
  exec_bench_do (self->exec, CURED_ALL_LANES, "shfl.sync.bfly.b32", R (2, 4), NONE, R (2, 4),
                 R (3, 4), R (4, 4), R (5, 4));
  for (guint l = 0; l < 32; l++)
    g_assert_cmpuint (lanes (self, R (2, 4))[l], ==, 1000 + 3 * (l ^ 1));
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

/* ---- Votes, matches, reductions ---- */

TEST_ROWS ("/ptx-exec-warp/votes/%s", exec_builds)
{
  static const struct
  {
    guint32 mask, votes;
    gboolean all, any, uni;
  } rows[] = {
    { CURED_ALL_LANES, CURED_ALL_LANES, TRUE, TRUE, TRUE },
    { CURED_ALL_LANES, 0, FALSE, FALSE, TRUE },
    { CURED_ALL_LANES, 0x10, FALSE, TRUE, FALSE },
    { 0x00ff0000, 0x12ff3456, TRUE, TRUE, TRUE },
    { 0x00ff0000, 0x1f003456, FALSE, FALSE, TRUE },
    { 0x80000000, 0x80000000, TRUE, TRUE, TRUE },
  };
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (int is_negated = 0; is_negated < 2; is_negated++)
      {
        CuredPtxOperand p = is_negated ? NOT_PREDICATE (1) : PREDICATE (1);
        guint32 mask = rows[i].mask;

        self->warp->alive = mask;
        *lanes (self, PREDICATE (1)) = is_negated ? ~rows[i].votes : rows[i].votes;
        fill (self, R (5, 4), mask, 0);
        *lanes (self, PREDICATE (2)) = 0x5a5a5a5a & ~mask;
        exec_bench_do (self->exec, mask, "vote.sync.all.pred", PREDICATE (2), p, R (5, 4));
        g_assert_cmphex (*lanes (self, PREDICATE (2)), ==,
                         (0x5a5a5a5a & ~mask) | (rows[i].all ? mask : 0));
        exec_bench_do (self->exec, mask, "vote.sync.any.pred", PREDICATE (2), p, R (5, 4));
        g_assert_cmphex (*lanes (self, PREDICATE (2)), ==,
                         (0x5a5a5a5a & ~mask) | (rows[i].any ? mask : 0));
        exec_bench_do (self->exec, mask, "vote.sync.uni.pred", PREDICATE (2), p, R (5, 4));
        g_assert_cmphex (*lanes (self, PREDICATE (2)), ==,
                         (0x5a5a5a5a & ~mask) | (rows[i].uni ? mask : 0));
        fill (self, R (6, 4), 99, 0);
        exec_bench_do (self->exec, mask, "vote.sync.ballot.b32", R (6, 4), p, R (5, 4));
        for (guint l = 0; l < 32; l++)
          g_assert_cmphex (lanes (self, R (6, 4))[l], ==,
                           (mask >> l & 1) != 0 ? rows[i].votes & mask : 99);
      }
}

TEST_ROWS ("/ptx-exec-warp/matches/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  guint64 *wide = exec_bench_lanes (self->exec, R (3, 8));

  fill (self, R (5, 4), CURED_ALL_LANES, 0);
  for (guint l = 0; l < 32; l++)
    {
      lanes (self, R (2, 4))[l] = l % 3;
      wide[l] = (guint64) (l % 2) << 40;
    }
  exec_bench_do (self->exec, CURED_ALL_LANES, "match.any.sync.b32", R (6, 4), R (2, 4), R (5, 4));
  for (guint l = 0; l < 32; l++)
    g_assert_cmphex (lanes (self, R (6, 4))[l], ==, (guint32) (0x249249249249 << l % 3));
  exec_bench_do (self->exec, CURED_ALL_LANES, "match.any.sync.b64", R (6, 4), R (3, 8), R (5, 4));
  for (guint l = 0; l < 32; l++)
    g_assert_cmphex (lanes (self, R (6, 4))[l], ==, 0x55555555u << l % 2);
  exec_bench_do (self->exec, CURED_ALL_LANES, "match.all.sync.b64", R (6, 4), PREDICATE (1),
                 R (3, 8), R (5, 4));
  g_assert_cmphex (lanes (self, R (6, 4))[9], ==, 0);
  g_assert_cmphex (*lanes (self, PREDICATE (1)), ==, 0);
  for (guint l = 0; l < 32; l++)
    wide[l] = G_MAXUINT64 - 5;
  exec_bench_do (self->exec, CURED_ALL_LANES, "match.all.sync.b64", R (6, 4), PREDICATE (1),
                 R (3, 8), R (5, 4));
  g_assert_cmphex (lanes (self, R (6, 4))[9], ==, CURED_ALL_LANES);
  g_assert_cmphex (*lanes (self, PREDICATE (1)), ==, CURED_ALL_LANES);
}

TEST_ROWS ("/ptx-exec-warp/reductions/%s", exec_builds)
{
  static const struct
  {
    const char *mnemonic;
    guint32 result;
  } rows[] = {
    { "redux.sync.add.u32", 0x80000009u }, { "redux.sync.add.s32", 0x80000009u },
    { "redux.sync.min.u32", 3 },           { "redux.sync.max.u32", 0x80000001u },
    { "redux.sync.min.s32", 0x80000001u }, { "redux.sync.max.s32", 5 },
    { "redux.sync.and.b32", 1 },           { "redux.sync.or.b32", 0x80000007u },
    { "redux.sync.xor.b32", 0x80000007u },
  };
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  guint32 mask = 1u << 3 | 1u << 17 | 1u << 31;

  self->warp->alive = mask;
  fill (self, R (2, 4), 1u << 20, 7);
  fill (self, R (5, 4), mask, 0);
  lanes (self, R (2, 4))[3] = 5;
  lanes (self, R (2, 4))[17] = 0x80000001u;
  lanes (self, R (2, 4))[31] = 3;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      fill (self, R (6, 4), 99, 0);
      exec_bench_do (self->exec, mask, rows[i].mnemonic, R (6, 4), R (2, 4), R (5, 4));
      for (guint l = 0; l < 32; l++)
        g_assert_cmphex (lanes (self, R (6, 4))[l], ==, (mask >> l & 1) != 0 ? rows[i].result : 99);
    }
}

TEST_ROWS ("/ptx-exec-warp/who/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));

  exec_bench_do (self->exec, 0xf0f0, "activemask.b32", R (6, 4));
  g_assert_cmphex (lanes (self, R (6, 4))[4], ==, 0xf0f0);
  g_assert_cmphex (lanes (self, R (6, 4))[0], ==, 0);
  self->warp->alive = 0xf0f0;
  fill (self, R (5, 4), 0xf0f0, 0);
  *lanes (self, PREDICATE (1)) = 0xffff0000u;
  exec_bench_do (self->exec, 0xf0f0, "elect.sync", R (6, 4), PREDICATE (1), R (5, 4));
  g_assert_cmphex (*lanes (self, PREDICATE (1)), ==, 0xffff0010u);
  g_assert_cmpuint (lanes (self, R (6, 4))[15], ==, 4);
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
