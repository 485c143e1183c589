/* SPDX-License-Identifier: MIT
 * Handlers: atomic operations and fences. */
#include "access-bench.h"

#include <math.h>
#include <string.h>

#include "ptx/exec/cured-half-private.h"
#include "test.h"

/* One lane's operation, on the bits of its type. */
typedef guint64 (*Reference) (guint64 a, guint64 b, guint64 c);

#define REFERENCE(name, T, expression)                                                             \
  static guint64 reference_##name (guint64 a_, guint64 b_, guint64 c_)                             \
  {                                                                                                \
    T a = (T) a_;                                                                                  \
    T b = (T) b_;                                                                                  \
    T c = (T) c_;                                                                                  \
                                                                                                   \
    (void) a, (void) b, (void) c;                                                                  \
    return (guint64) (expression);                                                                 \
  }

REFERENCE (and, guint64, a &b)
REFERENCE (or, guint64, a | b)
REFERENCE (xor, guint64, a ^ b)
REFERENCE (exch, guint64, b)
REFERENCE (cas, guint64, a == b ? c : a)
REFERENCE (add, guint64, a + b)
REFERENCE (inc, guint32, a >= b ? 0 : a + 1)
REFERENCE (dec, guint32, a == 0 || a > b ? b : a - 1)
REFERENCE (min_u32, guint32, MIN (a, b))
REFERENCE (max_u32, guint32, MAX (a, b))
REFERENCE (min_s32, gint32, MIN (a, b))
REFERENCE (max_s32, gint32, MAX (a, b))
REFERENCE (min_u64, guint64, MIN (a, b))
REFERENCE (max_u64, guint64, MAX (a, b))
REFERENCE (min_s64, gint64, MIN (a, b))
REFERENCE (max_s64, gint64, MAX (a, b))

static guint64
reference_add_f32 (guint64 a, guint64 b, guint64 c)
{
  return cured_bits_of_f32 (cured_f32_of_bits ((guint32) a) + cured_f32_of_bits ((guint32) b));
}

static guint64
reference_add_f64 (guint64 a, guint64 b, guint64 c)
{
  return cured_bits_of_f64 (cured_f64_of_bits (a) + cured_f64_of_bits (b));
}

static guint64
reference_add_f16 (guint64 a, guint64 b, guint64 c)
{
  return cured_f64_to_f16 ((double) cured_f16_to_f32 ((guint16) a) +
                               (double) cured_f16_to_f32 ((guint16) b),
                           CURED_PTX_ROUND_RN);
}

static guint64
reference_add_bf16 (guint64 a, guint64 b, guint64 c)
{
  return cured_f64_to_bf16 ((double) cured_bf16_to_f32 ((guint16) a) +
                                (double) cured_bf16_to_f32 ((guint16) b),
                            CURED_PTX_ROUND_RN);
}

static guint64
reference_add_f16x2 (guint64 a, guint64 b, guint64 c)
{
  return reference_add_f16 (a & 0xffff, b & 0xffff, c) |
         reference_add_f16 (a >> 16 & 0xffff, b >> 16 & 0xffff, c) << 16;
}

static guint64
reference_add_bf16x2 (guint64 a, guint64 b, guint64 c)
{
  return reference_add_bf16 (a & 0xffff, b & 0xffff, c) |
         reference_add_bf16 (a >> 16 & 0xffff, b >> 16 & 0xffff, c) << 16;
}

static const struct
{
  const char *suffix;
  guint width;
  Reference run;
  gboolean has_reduction;
  gboolean is_float; /* operands are small numbers */
} operations[] = {
  { "and.b32", 4, reference_and, TRUE, FALSE },
  { "or.b32", 4, reference_or, TRUE, FALSE },
  { "xor.b32", 4, reference_xor, TRUE, FALSE },
  { "and.b64", 8, reference_and, TRUE, FALSE },
  { "or.b64", 8, reference_or, TRUE, FALSE },
  { "xor.b64", 8, reference_xor, TRUE, FALSE },
  { "exch.b32", 4, reference_exch, FALSE, FALSE },
  { "exch.b64", 8, reference_exch, FALSE, FALSE },
  { "cas.b16", 2, reference_cas, FALSE, FALSE },
  { "cas.b32", 4, reference_cas, FALSE, FALSE },
  { "cas.b64", 8, reference_cas, FALSE, FALSE },
  { "add.u32", 4, reference_add, TRUE, FALSE },
  { "add.s32", 4, reference_add, TRUE, FALSE },
  { "add.u64", 8, reference_add, TRUE, FALSE },
  { "inc.u32", 4, reference_inc, TRUE, FALSE },
  { "dec.u32", 4, reference_dec, TRUE, FALSE },
  { "min.u32", 4, reference_min_u32, TRUE, FALSE },
  { "max.u32", 4, reference_max_u32, TRUE, FALSE },
  { "min.s32", 4, reference_min_s32, TRUE, FALSE },
  { "max.s32", 4, reference_max_s32, TRUE, FALSE },
  { "min.u64", 8, reference_min_u64, TRUE, FALSE },
  { "max.u64", 8, reference_max_u64, TRUE, FALSE },
  { "min.s64", 8, reference_min_s64, TRUE, FALSE },
  { "max.s64", 8, reference_max_s64, TRUE, FALSE },
  { "add.f32", 4, reference_add_f32, TRUE, TRUE },
  { "add.f64", 8, reference_add_f64, TRUE, TRUE },
  { "add.noftz.f16", 2, reference_add_f16, TRUE, TRUE },
  { "add.noftz.bf16", 2, reference_add_bf16, TRUE, TRUE },
  { "add.noftz.f16x2", 4, reference_add_f16x2, TRUE, TRUE },
  { "add.noftz.bf16x2", 4, reference_add_bf16x2, TRUE, TRUE },
};

static guint64
make_value (GRand *random, const char *suffix, gboolean is_float)
{
  double x = g_rand_double_range (random, -9, 9);
  guint64 value = (guint64) g_rand_int (random) << 32 | g_rand_int (random);

  if (!is_float)
    /* Small ones meet more often. */
    return g_rand_boolean (random) ? value : value & 3;
  if (strstr (suffix, "bf16") != NULL)
    return cured_f64_to_bf16 (x, CURED_PTX_ROUND_RN) * (guint64) 0x10001;
  if (strstr (suffix, "f16") != NULL)
    return cured_f64_to_f16 (x, CURED_PTX_ROUND_RN) * (guint64) 0x10001;
  if (strstr (suffix, "f32") != NULL)
    return cured_bits_of_f32 ((float) x);
  return cured_bits_of_f64 (x);
}

static guint64
cut (guint64 value, guint width)
{
  return width == 8 ? value : value & ((G_GUINT64_CONSTANT (1) << width * 8) - 1);
}

/* Lanes share some places, in every space; each has the value that the lane before it left. */
TEST_ROWS ("/ptx-exec-atomic/operations/%s", exec_builds)
{
  static const char *const spaces[] = { "", ".global", ".shared" };
  static const char *const orders[] = { "", ".relaxed.cta", ".gpu" };
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  g_autoptr (GRand) random = g_rand_new_with_seed (11);

  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    for (guint round = 0; round < 24; round++)
      {
        guint width = operations[i].width;
        guint space = round % 3;
        gboolean is_shared = space == 2 || round % 6 == 3;
        gboolean is_red = operations[i].has_reduction && round % 4 == 1;
        guint n_places = round % 2 == 0 ? 1 : 8;
        guint32 mask = round < 12 ? CURED_ALL_LANES : g_rand_int (random) | 4;
        guint8 *bytes = is_shared ? self->block.shared : (guint8 *) self->a_host;
        guint64 base = is_shared ? 0 : self->a;
        guint64 expected[8], before[32] = { 0 }, b[32], c[32];
        g_autofree char *mnemonic = g_strconcat (is_red ? "red" : "atom", orders[round / 3 % 3],
                                                 spaces[space], ".", operations[i].suffix, NULL);

        if (is_shared && space == 0)
          base = CURED_SHARED_WINDOW;
        for (guint p = 0; p < 8; p++)
          {
            expected[p] =
                cut (make_value (random, operations[i].suffix, operations[i].is_float), width);
            memcpy (bytes + p * 8, &expected[p], width);
          }
        for (guint l = 0; l < 32; l++)
          {
            ((guint64 *) exec_bench_lanes (self->exec, R (1, 8)))[l] = base + l * 7 % n_places * 8;
            b[l] = cut (make_value (random, operations[i].suffix, operations[i].is_float), width);
            c[l] = cut (make_value (random, operations[i].suffix, FALSE), width);
            memcpy ((guint8 *) exec_bench_lanes (self->exec, R (2, width)) + l * width, &b[l],
                    width);
            memcpy ((guint8 *) exec_bench_lanes (self->exec, R (3, width)) + l * width, &c[l],
                    width);
          }
        memset (exec_bench_lanes (self->exec, R (4, width)), 0xee, 32 * width);
        if (is_red)
          exec_bench_do (self->exec, mask, mnemonic, R (1, 8), R (2, width));
        else if (operations[i].run == reference_cas)
          exec_bench_do (self->exec, mask, mnemonic, R (4, width), R (1, 8), R (2, width),
                         R (3, width));
        else
          exec_bench_do (self->exec, mask, mnemonic, R (4, width), R (1, 8), R (2, width));
        for (guint l = 0; l < 32; l++)
          if ((mask >> l & 1) != 0)
            {
              guint p = l * 7 % n_places;

              before[l] = expected[p];
              expected[p] = cut (operations[i].run (expected[p], b[l], c[l]), width);
            }
          else
            memset (&before[l], 0xee, width);
        for (guint p = 0; p < 8; p++)
          g_assert_cmpmem (bytes + p * 8, width, &expected[p], width);
        for (guint l = 0; l < 32 && !is_red; l++)
          g_assert_cmpmem ((guint8 *) exec_bench_lanes (self->exec, R (4, width)) + l * width,
                           width, &before[l], width);
      }
}

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
