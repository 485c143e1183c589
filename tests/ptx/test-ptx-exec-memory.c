/* SPDX-License-Identifier: MIT
 * Handlers: loads, stores and asynchronous copies, in every order of lanes and at wrong addresses.
 * What each type and width gives, the golden cases say. */
#include "access-bench.h"
#include "test.h"

#include <string.h>

#define ODD_LANES 0xaaaaaaaau

static void
set_addresses (AccessBench *self, CuredPtxOperand to, guint64 first, int step)
{
  for (guint l = 0; l < 32; l++)
    if (to.width == 4)
      ((guint32 *) exec_bench_lanes (self->exec, to))[l] =
          (guint32) (first + (guint64) ((int) l * step));
    else
      ((guint64 *) exec_bench_lanes (self->exec, to))[l] = first + (guint64) ((int) l * step);
}

static const guint32 *
lanes_32 (AccessBench *self, CuredPtxOperand x)
{
  return exec_bench_lanes (self->exec, x);
}

/* ---- Loads ---- */

/* Scalar words in all the orders of lanes that have a way of their own. */
TEST_ROWS ("/ptx-exec-memory/load-patterns/%s", exec_builds)
{
  static const struct
  {
    guint first;
    int step;
    guint32 mask;
  } rows[] = {
    { 0, 4, CURED_ALL_LANES }, { 8, 4, CURED_ALL_LANES },    { 40, 0, CURED_ALL_LANES },
    { 4, 8, CURED_ALL_LANES }, { 124, -4, CURED_ALL_LANES }, { 0, 4, ODD_LANES },
    { 0, 4, 1u << 31 },        { 16, 0, 0x00ffff00u },       { 0, 128, 0x0000ffffu },
    { 4, 4, 0x7fffffffu },
  };
  static const char *const spaces[] = {
    "ld.f32",          "ld.global.f32",      "ld.shared.f32",
    "ld.volatile.f32", "ld.relaxed.gpu.f32", "ld.global.nc.f32"
  };
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  float *shared = (float *) (void *) self->block.shared;

  for (guint i = 0; i < 1024; i++)
    {
      self->a_host[i] = (float) i;
      shared[i] = (float) i + 10000;
    }
  for (gsize s = 0; s < G_N_ELEMENTS (spaces); s++)
    for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
      {
        gboolean is_shared = strstr (spaces[s], "shared") != NULL;
        guint64 first = rows[i].first + (is_shared ? 0 : self->a);
        float *to = exec_bench_lanes (self->exec, R (2, 4));

        for (guint l = 0; l < 32; l++)
          to[l] = -1;
        set_addresses (self, R (1, 8), first, rows[i].step);
        exec_bench_do (self->exec, rows[i].mask, spaces[s], R (2, 4), R (1, 8));
        for (guint l = 0; l < 32; l++)
          {
            int index = ((int) rows[i].first + (int) l * rows[i].step) / 4;

            g_assert_cmpfloat (
                to[l], ==, (rows[i].mask >> l & 1) == 0 ? -1 : (float) (index + 10000 * is_shared));
          }
      }
  /* Generic addresses of the same bytes. */
  set_addresses (self, R (1, 8), CURED_SHARED_WINDOW + 8, 12);
  exec_bench_do (self->exec, CURED_ALL_LANES, "ld.f32", R (2, 4), R (1, 8));
  for (guint l = 0; l < 32; l++)
    g_assert_cmpfloat (((float *) exec_bench_lanes (self->exec, R (2, 4)))[l], ==,
                       (float) (10002 + 3 * l));
}

TEST_ROWS ("/ptx-exec-memory/parameters/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));

  for (guint i = 0; i < sizeof self->parameters; i++)
    self->parameters[i] = (guint8) i;
  set_addresses (self, R (1, 8), 4, 0);
  exec_bench_do (self->exec, CURED_ALL_LANES, "ld.param.u32", R (2, 4), R (1, 8));
  g_assert_cmphex (lanes_32 (self, R (2, 4))[31], ==, 0x07060504);
  set_addresses (self, R (1, 8), CURED_PARAM_WINDOW, 4);
  exec_bench_do (self->exec, 0x3, "ld.u16", R (2, 4), R (1, 8));
  g_assert_cmphex (lanes_32 (self, R (2, 4))[0], ==, 0x0100);
  g_assert_cmphex (lanes_32 (self, R (2, 4))[1], ==, 0x0504);
  access_bench_assert_clean (self);

  /* Past the end; and they are not to be written. */
  set_addresses (self, R (1, 8), sizeof self->parameters - 4, 0);
  exec_bench_do (self->exec, CURED_ALL_LANES, "ld.param.u64", R (2, 8), R (1, 8));
  g_autoptr (CuredFinding) finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
  g_assert_cmphex (((guint64 *) exec_bench_lanes (self->exec, R (2, 8)))[5], ==, 0);
  exec_bench_assert_refused (self->exec, "st.param.u32", R (1, 8), R (2, 4));
  set_addresses (self, R (1, 8), CURED_PARAM_WINDOW, 0);
  exec_bench_do (self->exec, 1, "st.u32", R (1, 8), R (2, 4));
  g_clear_pointer (&finding, cured_finding_free);
  finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
  g_assert_cmpuint (self->parameters[0], ==, 0);
  g_assert_cmpuint (self->parameters[1], ==, 1);
}

TEST_ROWS ("/ptx-exec-memory/local/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));

  set_addresses (self, R (1, 8), 16, 0);
  set_addresses (self, R (2, 4), 1000, 1);
  g_assert_null (
      exec_bench_set (self->exec, "st.local.b32", 2, (CuredPtxOperand[]){ R (1, 8), R (2, 4) }));
  self->exec->inst.displacement = 8;
  exec_bench_run (self->exec, CURED_ALL_LANES);
  for (guint l = 0; l < 32; l++)
    {
      guint32 value;

      memcpy (&value, self->warp->local + l * ACCESS_BENCH_STACK_BYTES + 24, sizeof value);
      g_assert_cmpuint (value, ==, 1000 + l);
    }
  set_addresses (self, R (1, 8), CURED_LOCAL_WINDOW + 24, 0);
  exec_bench_do (self->exec, CURED_ALL_LANES, "ld.b32", R (3, 4), R (1, 8));
  g_assert_cmpuint (lanes_32 (self, R (3, 4))[17], ==, 1017);
  set_addresses (self, R (1, 8), 24, 0);
  exec_bench_do (self->exec, 1u << 9, "ld.local.b32", R (4, 4), R (1, 8));
  g_assert_cmpuint (lanes_32 (self, R (4, 4))[9], ==, 1009);
}

/* ---- Stores ---- */

/* Lanes that store to one place: the last one stays. */
TEST_ROWS ("/ptx-exec-memory/store-same/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));

  set_addresses (self, R (1, 4), 64, 0);
  set_addresses (self, R (2, 4), 500, 1);
  exec_bench_do (self->exec, CURED_ALL_LANES, "st.shared.u32", R (1, 4), R (2, 4));
  g_assert_cmpuint (((guint32 *) (void *) self->block.shared)[16], ==, 531);
  exec_bench_do (self->exec, 0xff, "st.shared.u32", R (1, 4), R (2, 4));
  g_assert_cmpuint (((guint32 *) (void *) self->block.shared)[16], ==, 507);
}

/* ---- What is refused, lane by lane ---- */

TEST_ROWS ("/ptx-exec-memory/bounds/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  float *to = exec_bench_lanes (self->exec, R (2, 4));

  for (guint i = 0; i < 1024; i++)
    self->a_host[i] = (float) i + 1;
  for (guint l = 0; l < 32; l++)
    to[l] = -1;
  /* Lanes 24 to 31 are behind the end. */
  set_addresses (self, R (1, 8), self->a + 4000, 4);
  g_assert_null (
      exec_bench_set (self->exec, "ld.global.f32", 2, (CuredPtxOperand[]){ R (2, 4), R (1, 8) }));
  access_bench_site (self, 3, 77);
  exec_bench_run (self->exec, CURED_ALL_LANES);
  for (guint l = 0; l < 32; l++)
    g_assert_cmpfloat (to[l], ==, l < 24 ? (float) (1001 + l) : 0);
  g_autoptr (CuredFinding) finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
  g_assert_cmpstr (finding->kernel, ==, "k");
  g_assert_cmpstr (finding->object, ==, "a[1024]");
  g_assert_cmphex (finding->here.lanes, ==, 0xff000000u);
  g_assert_cmpint (finding->here.line, ==, 77);
  g_assert_cmpuint (finding->here.block[0], ==, 1);
  g_assert_cmpuint (finding->here.warp, ==, 2);
  g_assert_cmpstr (finding->here.what, ==, "read");
  g_assert_null (finding->there.what);
  g_clear_pointer (&finding, cured_finding_free);

  /* The same, before the beginning; nothing is written there. */
  memset (self->a_host, 0, 64);
  set_addresses (self, R (1, 8), self->a - 8, 4);
  exec_bench_do (self->exec, CURED_ALL_LANES, "st.global.f32", R (1, 8), R (2, 4));
  finding = access_bench_take_finding (self);
  g_assert_cmpstr (finding->object, ==, "a[-2]");
  g_assert_cmphex (finding->here.lanes, ==, 3);
  g_assert_cmpstr (finding->here.what, ==, "write");
  g_assert_cmpfloat (self->a_host[0], ==, 1003);
  g_assert_cmpfloat (self->a_host[-1], ==, 0);
  g_assert_cmpfloat (self->a_host[-2], ==, 0);

  /* The twin: the last element. */
  set_addresses (self, R (1, 8), self->a + 4092, 0);
  exec_bench_do (self->exec, CURED_ALL_LANES, "ld.global.f32", R (2, 4), R (1, 8));
  g_assert_cmpfloat (to[31], ==, 1024);
}

/* Loads and stores without observers have a path of their own: it has the same results, and
 * refuses the same. */
TEST_ROWS ("/ptx-exec-memory/unwatched/%s", exec_builds)
{
  static const char *const names[] = { "shared.b32", "shared.b64", "global.b32", "global.b64" };
  static const int steps[] = { 0, 4, 8, 16, -8, 6 };
  static const guint32 masks[] = { CURED_ALL_LANES, ODD_LANES, 0x0000ffffu, 1u << 31 };
  AccessBench *both[2] = { NULL };
  guint n_refused = 0;

  for (guint k = 0; k < 2; k++)
    {
      both[k] = access_bench_new (exec_build_of (data));
      for (guint i = 0; i < 1024; i++)
        both[k]->a_host[i] = (float) i;
    }
  access_bench_watch (both[0], _cured_counter_new (&both[0]->grid));
  for (guint i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (steps) * G_N_ELEMENTS (masks) * 4; i++)
    {
      const char *name = names[i % 4];
      int step = steps[i / 4 % G_N_ELEMENTS (steps)];
      guint32 mask = masks[i / 24 % G_N_ELEMENTS (masks)];
      /* In the middle, and over either end. */
      guint first = ((guint[]){ 512, 0, 4096 - 64, 4096 - 256 })[i / 96];
      gboolean is_narrow = name[0] == 's';
      guint width = name[strlen (name) - 1] == '2' ? 4 : 8;
      CuredPtxOperand address = R (1, is_narrow ? 4 : 8);
      g_autofree char *load = g_strconcat ("ld.", name, NULL);
      g_autofree char *store = g_strconcat ("st.", name, NULL);
      guint n_findings[2] = { 0 };

      for (guint k = 0; k < 2; k++)
        {
          AccessBench *self = both[k];

          set_addresses (self, address, first + (is_narrow ? 0 : self->a), step);
          memset (exec_bench_lanes (self->exec, R (2, width)), 0xee, 32 * width);
          set_addresses (self, R (3, width), i, 1);
          exec_bench_do (self->exec, mask, load, R (2, width), address);
          exec_bench_do (self->exec, mask, store, address, R (3, width));
          g_autoptr (GPtrArray) findings = access_bench_take_findings (self);
          n_findings[k] = findings->len;
        }
      g_assert_cmpmem (exec_bench_lanes (both[0]->exec, R (2, width)), 32 * width,
                       exec_bench_lanes (both[1]->exec, R (2, width)), 32 * width);
      g_assert_cmpmem (both[0]->a_host, 4096, both[1]->a_host, 4096);
      g_assert_cmpmem (both[0]->block.shared, ACCESS_BENCH_SHARED_BYTES, both[1]->block.shared,
                       ACCESS_BENCH_SHARED_BYTES);
      g_assert_cmpuint (n_findings[0], ==, n_findings[1]);
      n_refused += n_findings[1] > 0;
    }
  g_assert_cmpuint (n_refused, >, 0);
  access_bench_free (both[0]);
  access_bench_free (both[1]);
}

TEST_ROWS ("/ptx-exec-memory/misaligned/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  CuredPtxOperand x[] = { R (2, 4), R (3, 4), R (4, 4), R (5, 4), R (1, 4) };

  /* Every other float4 is at 8 bytes. */
  set_addresses (self, R (1, 4), 0, 24);
  g_assert_nonnull (exec_bench_set (self->exec, "ld.shared.v4.f32", 0, NULL));
  memcpy (self->exec->operands, x, sizeof x);
  exec_bench_group (self->exec, 0, 4);
  g_assert_null (exec_bench_select (self->exec));
  memset (self->block.shared, 0x11, ACCESS_BENCH_SHARED_BYTES);
  exec_bench_run (self->exec, CURED_ALL_LANES);
  g_autoptr (CuredFinding) finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_MISALIGNED);
  g_assert_cmphex (finding->here.lanes, ==, ODD_LANES);
  g_assert_cmpstr (finding->object, ==, "shared memory, byte 24");
  for (guint i = 0; i < 4; i++)
    for (guint l = 0; l < 32; l++)
      g_assert_cmphex (lanes_32 (self, x[i])[l], ==, l % 2 == 0 ? 0x11111111 : 0);
  /* The twin. */
  set_addresses (self, R (1, 4), 0, 48);
  exec_bench_run (self->exec, CURED_ALL_LANES);
}

/* Addresses that are nowhere, of every space and width: nothing happens but findings. */
TEST_ROWS ("/ptx-exec-memory/wild/%s", exec_builds)
{
  static const char *const loads[] = {
    "ld.b8",       "ld.global.b64", "ld.shared.b32", "ld.local.b16",
    "ld.const.b8", "ld.param.b64",  "ld.shared.b64",
  };
  static const char *const stores[] = {
    "st.b8", "st.global.b64", "st.shared.b32", "st.local.b16", "st.shared.b64",
  };
  static const guint64 near[] = {
    0,
    CURED_SHARED_WINDOW,
    CURED_SHARED_WINDOW + ACCESS_BENCH_SHARED_BYTES,
    CURED_SHARED_WINDOW + CURED_WINDOW_BYTES,
    CURED_LOCAL_WINDOW,
    CURED_LOCAL_WINDOW + ACCESS_BENCH_STACK_BYTES,
    CURED_PARAM_WINDOW,
    CURED_PARAM_WINDOW + 64,
    CURED_MEMORY_FIRST,
    CURED_MEMORY_END,
    G_MAXINT64,
    G_MAXUINT64,
    G_MAXUINT32,
    4096,
  };
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  g_autoptr (GRand) random = g_rand_new_with_seed (4);

  access_bench_watch (self, _cured_counter_new (&self->grid));
  access_bench_watch (self, _cured_undefined_detector_new (&self->grid));
  cured_memory_label (self->memory, self->a, 4096, "a", 4, TRUE);
  for (guint i = 0; i < 4000; i++)
    {
      guint32 mask = g_rand_int (random) | 1u << i % 32;
      guint width = i % 3 == 0 ? 4 : 8;

      for (guint l = 0; l < 32; l++)
        {
          guint64 address =
              near[(guint) g_rand_int_range (random, 0, (gint32) G_N_ELEMENTS (near))] +
              (guint64) g_rand_int_range (random, -40, 40);

          if (i % 5 == 0)
            address = self->a + (guint64) g_rand_int_range (random, -600, 5200);
          if (width == 4)
            ((guint32 *) exec_bench_lanes (self->exec, R (1, 4)))[l] = (guint32) address;
          else
            ((guint64 *) exec_bench_lanes (self->exec, R (1, 8)))[l] = address;
        }
      exec_bench_do (self->exec, mask, loads[i % G_N_ELEMENTS (loads)], R (2, 8), R (1, width));
      exec_bench_do (self->exec, mask, stores[i % G_N_ELEMENTS (stores)], R (1, width), R (2, 8));
      exec_bench_do (self->exec, mask, "atom.add.u64", R (2, 8), R (1, width), R (3, 8));
      exec_bench_do (self->exec, mask, "red.shared.xor.b32", R (1, width), R (3, 4));
    }
  g_autoptr (GPtrArray) findings = access_bench_take_findings (self);
  g_assert_cmpuint (findings->len, >=, 2);
}

TEST_ROWS ("/ptx-exec-memory/constant/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  guint64 table = 0;

  g_assert_true (cured_memory_allocate (self->memory, 256, &table, NULL));
  guint32 *host = cured_memory_map (self->memory, table, 256);
  cured_memory_label (self->memory, table, 256, "table", 4, FALSE);
  _cured_memory_set_constant (self->memory, table);
  for (guint i = 0; i < 64; i++)
    host[i] = 3 * i;
  set_addresses (self, R (1, 8), table, 8);
  exec_bench_do (self->exec, CURED_ALL_LANES, "ld.const.u32", R (2, 4), R (1, 8));
  g_assert_cmpuint (lanes_32 (self, R (2, 4))[31], ==, 186);
  exec_bench_do (self->exec, CURED_ALL_LANES, "ld.u32", R (3, 4), R (1, 8));
  g_assert_cmpuint (lanes_32 (self, R (3, 4))[30], ==, 180);
  access_bench_assert_clean (self);

  exec_bench_do (self->exec, CURED_ALL_LANES, "st.global.u32", R (1, 8), R (9, 4));
  g_autoptr (CuredFinding) finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
  g_assert_cmpuint (host[62], ==, 186);
  g_clear_pointer (&finding, cured_finding_free);
  /* Not a constant. */
  set_addresses (self, R (1, 8), self->a, 8);
  exec_bench_do (self->exec, CURED_ALL_LANES, "ld.const.u32", R (2, 4), R (1, 8));
  finding = access_bench_take_finding (self);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
}

TEST ("/ptx-exec-memory/refused")
{
  static const struct
  {
    const char *mnemonic;
    guint width;
  } loads[] = {
    { "ld.f16", 2 },
    { "ld.pred", 1 },
    { "ld.u32", 2 },
    { "ld.release.gpu.u32", 4 },
    { "ld.relaxed.u32", 4 },
    { "ld.gpu.u32", 4 },
    { "ld.shared.nc.u32", 4 },
    { "ld.volatile.ca.u32", 4 },
    { "ld.local.acquire.cta.u32", 4 },
    { "ld.global.wb.u32", 4 },
    { "ld.weak.global.nc.u32", 4 },
    { "ld.volatile.L1::evict_last.u32", 4 },
    { "ld.mmio.u32", 4 },
    { "ld.mmio.relaxed.gpu.u32", 4 },
    { "ld.shared.L2::128B.u32", 4 },
    { "ld.relaxed.gpu.ca.u32", 4 },
    { "ld.v2.u32", 4 },
    { "ld.v4.b64", 8 },
  };
  static const struct
  {
    const char *mnemonic;
    guint width;
  } stores[] = {
    { "st.cv.u32", 4 },          { "st.L2::128B.u32", 4 }, { "st.const.u32", 4 },
    { "st.acquire.gpu.u32", 4 }, { "st.nc.u32", 4 },       { "st.u64", 4 },
    { "st.param.u32", 4 },
  };
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);

  for (gsize i = 0; i < G_N_ELEMENTS (loads); i++)
    {
      g_test_message ("%s", loads[i].mnemonic);
      exec_bench_assert_refused (self->exec, loads[i].mnemonic, R (2, loads[i].width), R (1, 8));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (stores); i++)
    {
      g_test_message ("%s", stores[i].mnemonic);
      exec_bench_assert_refused (self->exec, stores[i].mnemonic, R (1, 8), R (2, stores[i].width));
    }
  exec_bench_assert_refused (self->exec, "ld.u32", R (2, 4), R (1, 2));
  exec_bench_assert_refused (self->exec, "ldu.shared.u32", R (2, 4), R (1, 8));
  exec_bench_assert_refused (self->exec, "st.u32", R (1, 8), NONE);
}

/* ---- Asynchronous copies ---- */

static void
set_copy (AccessBench *self, const char *mnemonic, guint size, CuredPtxOperand limit)
{
  CuredPtxOperand x[] = { R (1, 4), R (2, 8), NONE, limit };

  (void) exec_bench_set (self->exec, mnemonic, G_N_ELEMENTS (x), x);
  self->exec->inst.immediate = size;
  g_assert_null (exec_bench_select (self->exec));
}

TEST_ROWS ("/ptx-exec-memory/copy/%s", exec_builds)
{
  g_autoptr (AccessBench) self = access_bench_new (exec_build_of (data));
  guint8 *from = (guint8 *) self->a_host;
  guint32 *sizes = exec_bench_lanes (self->exec, R (3, 4));
  guint32 *ignored = exec_bench_lanes (self->exec, PREDICATE (4));

  for (guint i = 0; i < 4096; i++)
    from[i] = (guint8) (i * 7 + 1);
  for (guint size = 4; size <= 16; size *= 2)
    for (guint mode = 0; mode < 3; mode++)
      {
        memset (self->block.shared, 0xee, ACCESS_BENCH_SHARED_BYTES);
        set_addresses (self, R (1, 4), 64, (int) size);
        set_addresses (self, R (2, 8), self->a + 32, (int) size * 2);
        set_copy (self, "cp.async.ca.shared.global", size,
                  mode == 0   ? NONE
                  : mode == 1 ? R (3, 4)
                              : PREDICATE (4));
        for (guint l = 0; l < 32; l++)
          sizes[l] = l % (size + 1);
        *ignored = 0x0f0f0f0fu;
        /* A lane that copies nothing may name any source. */
        if (mode == 1)
          ((guint64 *) exec_bench_lanes (self->exec, R (2, 8)))[0] = 3;
        if (mode == 2)
          ((guint64 *) exec_bench_lanes (self->exec, R (2, 8)))[1] = 5;
        exec_bench_run (self->exec, 0x7fffffffu);
        for (guint i = 0; i < 64 + 32 * size; i++)
          {
            guint l = (i - 64) / size;
            guint in = (i - 64) % size;
            guint n = mode == 0                          ? size
                      : mode == 1                        ? l % (size + 1)
                      : (0x0f0f0f0fu >> l % 32 & 1) != 0 ? 0
                                                         : size;

            if (i < 64 || l == 31)
              g_assert_cmphex (self->block.shared[i], ==, 0xee);
            else
              g_assert_cmphex (self->block.shared[i], ==,
                               in < n ? from[32 + l * size * 2 + in] : 0);
          }
        access_bench_assert_clean (self);
      }
}

typedef struct
{
  CuredObserver observer;
  GArray *lefts;
} Listener;

static void
listener_copies (CuredObserver *observer, void *state, CuredWarp *warp, uint32_t mask, int left)
{
  g_array_append_val (((Listener *) observer)->lefts, left);
}

static void
listener_free (CuredObserver *observer)
{
  g_array_unref (((Listener *) observer)->lefts);
  g_free (observer);
}

TEST ("/ptx-exec-memory/copy-groups")
{
  static const CuredObserverClass klass = { .copies = listener_copies, .free = listener_free };
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);
  Listener *listener = g_new0 (Listener, 1);
  GArray *lefts = g_array_new (FALSE, FALSE, sizeof (int));

  listener->observer.klass = &klass;
  listener->lefts = lefts;
  access_bench_watch (self, &listener->observer);
  g_assert_null (exec_bench_set (self->exec, "cp.async.commit_group", 0, NULL));
  exec_bench_run (self->exec, 1);
  (void) exec_bench_set (self->exec, "cp.async.wait_group", 0, NULL);
  self->exec->inst.immediate = 2;
  g_assert_null (exec_bench_select (self->exec));
  exec_bench_run (self->exec, 1);
  self->exec->inst.immediate = -1;
  g_assert_nonnull (exec_bench_select (self->exec));
  g_assert_null (exec_bench_set (self->exec, "cp.async.wait_all", 0, NULL));
  exec_bench_run (self->exec, 1);
  g_assert_cmpuint (lefts->len, ==, 3);
  g_assert_cmpint (g_array_index (lefts, int, 0), ==, CURED_COPIES_COMMIT);
  g_assert_cmpint (g_array_index (lefts, int, 1), ==, 2);
  g_assert_cmpint (g_array_index (lefts, int, 2), ==, CURED_COPIES_NONE);
}
