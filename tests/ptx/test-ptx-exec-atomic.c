/* SPDX-License-Identifier: MIT
 * Handlers: atomic operations of several threads and at wrong addresses, and fences. What each one
 * gives, the golden cases say. */
#include "access-bench.h"

#include <math.h>
#include <string.h>

#include "ptx/exec/cured-half-private.h"
#include "test.h"

/* Subnormal sums: zeros in global memory, kept in shared memory. */
TEST_ROWS ("/ptx-exec-atomic/subnormal/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  float *shared = (float *) (void *) self->block.shared;
  float *b = exec_bench_lanes (self->exec, R (2, 4));
  guint64 *address = exec_bench_lanes (self->exec, R (1, 8));

  b[0] = 3e-40f;
  self->a_host[0] = shared[0] = 2e-40f;
  address[0] = self->a;
  exec_bench_do (self->exec, 1, "red.global.add.f32", R (1, 8), R (2, 4));
  g_assert_cmphex (cured_bits_of_f32 (self->a_host[0]), ==, 0);
  address[0] = CURED_SHARED_WINDOW;
  exec_bench_do (self->exec, 1, "red.add.f32", R (1, 8), R (2, 4));
  g_assert_cmphex (cured_bits_of_f32 (shared[0]), ==, cured_bits_of_f32 (2e-40f + 3e-40f));
  shared[0] = INFINITY;
  b[0] = -INFINITY;
  exec_bench_do (self->exec, 1, "red.add.f32", R (1, 8), R (2, 4));
  g_assert_cmphex (cured_bits_of_f32 (shared[0]), ==, CURED_NAN_F32);
  /* Lanes of one instruction in both memories. */
  b[0] = b[1] = 3e-40f;
  self->a_host[0] = shared[0] = 2e-40f;
  address[1] = self->a;
  exec_bench_do (self->exec, 3, "red.add.f32", R (1, 8), R (2, 4));
  g_assert_cmphex (cured_bits_of_f32 (self->a_host[0]), ==, 0);
  g_assert_cmphex (cured_bits_of_f32 (shared[0]), !=, 0);
}

typedef struct
{
  ExecBench *exec;
  CuredPtxInst inst;
} Adder;

static gpointer
add_many (gpointer data)
{
  Adder *self = data;

  for (guint i = 0; i < 2000; i++)
    self->inst.run (self->exec->warp, &self->inst, CURED_ALL_LANES);
  return NULL;
}

/* Blocks on several threads of the host lose no addition. */
TEST ("/ptx-exec-atomic/threads")
{
  static const char *const mnemonics[] = { "red.add.u32", "red.add.f64", "red.add.noftz.f16x2" };
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_V3);

  for (gsize i = 0; i < G_N_ELEMENTS (mnemonics); i++)
    {
      gboolean is_double = i == 1;
      CuredPtxOperand b = R (2, is_double ? 8 : 4);
      Adder adders[3];
      GThread *threads[3];
      AccessBench *others[3];

      memset (self->a_host, 0, 64);
      for (guint t = 0; t < 3; t++)
        {
          others[t] = access_bench_new (EXEC_BENCH_V3);
          others[t]->grid.memory = self->memory;
          for (guint l = 0; l < 32; l++)
            {
              ((guint64 *) exec_bench_lanes (others[t]->exec, R (1, 8)))[l] = self->a + 8 * (l % 2);
              if (is_double)
                ((double *) exec_bench_lanes (others[t]->exec, b))[l] = 1;
              else
                ((guint32 *) exec_bench_lanes (others[t]->exec, b))[l] = i == 0 ? 1 : 0;
            }
          g_assert_null (exec_bench_set (others[t]->exec, mnemonics[i], 2,
                                         (CuredPtxOperand[]){ R (1, 8), b }));
          adders[t].exec = others[t]->exec;
          adders[t].inst = others[t]->exec->inst;
          threads[t] = g_thread_new ("adder", add_many, &adders[t]);
        }
      for (guint t = 0; t < 3; t++)
        {
          g_thread_join (threads[t]);
          access_bench_free (others[t]);
        }
      if (i == 0)
        g_assert_cmpuint (((guint32 *) (void *) self->a_host)[2], ==, 96000);
      if (is_double)
        g_assert_cmpfloat (((double *) (void *) self->a_host)[1], ==, 96000);
    }
}

typedef struct
{
  CuredObserver observer;
  GString *heard;
} Listener;

static void
listener_access (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  g_string_append (((Listener *) observer)->heard, access->kind == CURED_ACCESS_ATOMIC ? "atomic "
                                                   : access->kind == CURED_ACCESS_REDUCTION
                                                       ? "reduction "
                                                       : "? ");
}

static void
listener_fence (CuredObserver *observer, void *state, CuredWarp *warp, const CuredPtxInst *inst,
                uint32_t mask, CuredPtxWord scope, CuredPtxWord order)
{
  g_string_append_printf (((Listener *) observer)->heard, "%s.%s ",
                          order == CURED_PTX_ORDER_ACQUIRE   ? "acquire"
                          : order == CURED_PTX_ORDER_RELEASE ? "release"
                          : order == CURED_PTX_ORDER_SC      ? "sc"
                          : order == CURED_PTX_ORDER_ACQ_REL ? "acq_rel"
                          : order == CURED_PTX_ORDER_RELAXED ? "relaxed"
                                                             : "?",
                          scope == CURED_PTX_SCOPE_CTA   ? "cta"
                          : scope == CURED_PTX_SCOPE_GPU ? "gpu"
                          : scope == CURED_PTX_SCOPE_SYS ? "sys"
                                                         : "?");
}

static void
listener_free (CuredObserver *observer)
{
  g_string_free (((Listener *) observer)->heard, TRUE);
  g_free (observer);
}

/* What observers hear of orders and fences, in which order. */
TEST ("/ptx-exec-atomic/fences")
{
  static const struct
  {
    const char *mnemonic, *heard;
  } rows[] = {
    { "membar.cta", "sc.cta " },
    { "membar.gl", "sc.gpu " },
    { "fence.sc.sys", "sc.sys " },
    { "fence.acq_rel.gpu", "acq_rel.gpu " },
    { "fence.cta", "acq_rel.cta " },
    { "fence.proxy.async", "relaxed.cta " },
    { "atom.add.u32", "atomic " },
    { "atom.acquire.gpu.add.u32", "atomic acquire.gpu " },
    { "atom.release.cta.add.u32", "release.cta atomic " },
    { "atom.acq_rel.sys.add.u32", "release.sys atomic acquire.sys " },
    { "red.release.gpu.add.u32", "release.gpu reduction " },
  };
  static const CuredObserverClass klass = { .access = listener_access,
                                            .fence = listener_fence,
                                            .free = listener_free };
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);
  Listener *listener = g_new0 (Listener, 1);

  listener->observer.klass = &klass;
  listener->heard = g_string_new (NULL);
  access_bench_watch (self, &listener->observer);
  ((guint64 *) exec_bench_lanes (self->exec, R (1, 8)))[0] = self->a;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_string_truncate (listener->heard, 0);
      if (g_str_has_prefix (rows[i].mnemonic, "atom"))
        exec_bench_do (self->exec, 1, rows[i].mnemonic, R (3, 4), R (1, 8), R (2, 4));
      else if (g_str_has_prefix (rows[i].mnemonic, "red"))
        exec_bench_do (self->exec, 1, rows[i].mnemonic, R (1, 8), R (2, 4));
      else
        {
          g_assert_null (exec_bench_set (self->exec, rows[i].mnemonic, 0, NULL));
          exec_bench_run (self->exec, 1);
        }
      g_assert_cmpstr (listener->heard->str, ==, rows[i].heard);
    }
}

/* A lane whose address is nowhere gets 0, and the others go on. */
TEST_ROWS ("/ptx-exec-atomic/bounds/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  guint64 *address = exec_bench_lanes (self->exec, R (1, 8));
  guint32 *old = exec_bench_lanes (self->exec, R (3, 4));
  guint32 *a = (guint32 *) (void *) self->a_host;

  for (guint l = 0; l < 32; l++)
    {
      address[l] = self->a + 4 * l;
      a[l] = 100 + l;
      ((guint32 *) exec_bench_lanes (self->exec, R (2, 4)))[l] = 5;
    }
  address[3] = self->a + 4096;
  address[4] = self->a + 2;
  exec_bench_do (self->exec, CURED_ALL_LANES, "atom.global.add.u32", R (3, 4), R (1, 8), R (2, 4));
  g_autoptr (GPtrArray) findings = access_bench_take_findings (self);
  g_assert_cmpuint (findings->len, ==, 2);
  for (guint l = 0; l < 32; l++)
    {
      g_assert_cmpuint (a[l], ==, 100 + l + (l == 3 || l == 4 ? 0 : 5));
      g_assert_cmpuint (old[l], ==, l == 3 || l == 4 ? 0 : 100 + l);
    }
  /* Local memory takes none. */
  address[0] = CURED_LOCAL_WINDOW;
  exec_bench_do (self->exec, 1, "red.add.u32", R (1, 8), R (2, 4));
  g_autoptr (CuredFinding) finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
}

TEST ("/ptx-exec-atomic/refused")
{
  static const struct
  {
    const char *mnemonic;
    guint width;
  } atoms[] = {
    { "atom.add.b32", 4 },       { "atom.and.u32", 4 },          { "atom.inc.s32", 4 },
    { "atom.add.f16", 2 },       { "atom.add.noftz.f32", 4 },    { "atom.min.f32", 4 },
    { "atom.local.add.u32", 4 }, { "atom.volatile.add.u32", 4 }, { "atom.exch.u32", 4 },
    { "atom.popc.b32", 4 },      { "atom.sc.gpu.add.u32", 4 },   { "atom.cas.b32", 4 },
    { "atom.add.s64", 8 },       { "atom.exch.b16", 2 },
  };
  static const struct
  {
    const char *mnemonic;
    guint width;
  } reds[] = {
    { "red.exch.b32", 4 },
    { "red.cas.b32", 4 },
    { "red.acquire.gpu.add.u32", 4 },
    { "red.acq_rel.gpu.add.u32", 4 },
  };
  static const char *const fences[] = {
    "membar", "membar.cluster", "fence.sc", "fence.relaxed.gpu", "fence", "fence.proxy.async.local",
  };
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);

  for (gsize i = 0; i < G_N_ELEMENTS (atoms); i++)
    {
      g_test_message ("%s", atoms[i].mnemonic);
      exec_bench_assert_refused (self->exec, atoms[i].mnemonic, R (3, atoms[i].width), R (1, 8),
                                 R (2, atoms[i].width));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (reds); i++)
    {
      g_test_message ("%s", reds[i].mnemonic);
      exec_bench_assert_refused (self->exec, reds[i].mnemonic, R (1, 8), R (2, reds[i].width));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (fences); i++)
    g_assert_nonnull (exec_bench_set (self->exec, fences[i], 0, NULL));
}
