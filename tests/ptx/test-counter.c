/* SPDX-License-Identifier: MIT
 * Observers: counts, trace, and uninitialized reads. */
#include "access-bench.h"
#include "test.h"

#include <string.h>

static void
set_addresses (AccessBench *self, CuredPtxOperand to, guint64 first, int step)
{
  for (guint l = 0; l < 32; l++)
    ((guint64 *) exec_bench_lanes (self->exec, to))[l] = first + (guint64) ((int) l * step);
}

/* Puts an instruction at a site: @mnemonic is "ld", "st" or "red" and more, with operands of its
 * own; its values are in registers 10 to 13. */
static void
put (AccessBench *self, guint site, const char *mnemonic, guint n, guint width)
{
  gboolean is_load = g_str_has_prefix (mnemonic, "ld");
  CuredPtxOperand *x = self->exec->operands;

  (void) exec_bench_set (self->exec, mnemonic, 0, NULL);
  x[is_load ? n : 0] = R (1, 8);
  for (guint i = 0; i < n; i++)
    x[is_load ? i : 1 + i] = R (10 + i, width);
  exec_bench_group (self->exec, is_load ? 0 : 1, n);
  g_assert_cmpstr (exec_bench_select (self->exec), ==, NULL);
  access_bench_site (self, site, (int) site + 1);
}

/* ---- Counts ---- */

static guint64
count_sectors (const guint64 *address, guint32 mask)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_direct_hash, g_direct_equal);

  for (guint l = 0; l < 32; l++)
    if ((mask >> l & 1) != 0)
      g_hash_table_add (seen, GSIZE_TO_POINTER (address[l] / 32 + 1));
  return g_hash_table_size (seen);
}

static void
count_banks (const guint64 *address, guint32 mask, CuredBankKind kind, guint width,
             CuredBankCounts *counts)
{
  CuredBankAccess access = {
    .arch = CURED_BANK_ARCH_5, .kind = kind, .width = width, .mask = mask
  };

  for (guint l = 0; l < 32; l++)
    access.addresses[l] = (guint32) address[l];
  g_assert_true (cured_bank_model_count (&access, counts));
}

/* Many patterns, most of them several times at other places: whatever is remembered or cut short,
 * the sums are the model's. */
TEST ("/counter/sums")
{
  static const struct
  {
    const char *mnemonic;
    CuredBankKind kind;
    guint n;
    guint width; /* bytes of a register */
  } rows[] = {
    { "ld.shared.b32", CURED_BANK_KIND_LOAD, 1, 4 },
    { "st.shared.b32", CURED_BANK_KIND_STORE, 1, 4 },
    { "ld.shared.b64", CURED_BANK_KIND_LOAD, 1, 8 },
    { "st.shared.v2.b32", CURED_BANK_KIND_STORE, 2, 4 },
    { "ld.shared.v4.b32", CURED_BANK_KIND_LOAD, 4, 4 },
    { "st.shared.v4.b32", CURED_BANK_KIND_STORE, 4, 4 },
    { "ld.shared.b16", CURED_BANK_KIND_LOAD, 1, 2 },
    { "red.shared.xor.b32", CURED_BANK_KIND_REDUCTION, 1, 4 },
    { "ld.b32", CURED_BANK_KIND_LOAD, 1, 4 },
    { "ld.global.b32", 0, 1, 4 },
    { "st.global.v2.b64", 0, 2, 8 },
    { "ld.global.b16", 0, 1, 2 },
    { "red.global.add.u32", 0, 1, 4 },
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (17);

  for (gsize r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_V3);
      gboolean is_generic = g_str_equal (rows[r].mnemonic, "ld.b32");
      gboolean is_shared = is_generic || strstr (rows[r].mnemonic, ".shared") != NULL;
      guint bytes = rows[r].n * rows[r].width;
      guint64 address[32] = { 0 };
      CuredSiteCounts expected = { 0 };
      guint32 mask = 0;

      put (self, 2, rows[r].mnemonic, rows[r].n, rows[r].width);
      access_bench_watch (self, _cured_counter_new (&self->grid));
      for (guint i = 0; i < 3000; i++)
        {
          guint64 base = (guint64) g_rand_int_range (random, 0, 64) * 16;
          guint64 *lanes = exec_bench_lanes (self->exec, R (1, 8));

          /* A new pattern now and then, moved about. */
          if (i % 5 == 0)
            {
              guint kind = (guint) g_rand_int_range (random, 0, 6);
              guint step = (guint) g_rand_int_range (random, 0, 9) * bytes;

              mask = kind == 0 ? g_rand_int (random) | 2 : CURED_ALL_LANES;
              for (guint l = 0; l < 32; l++)
                address[l] =
                    kind == 1   ? (guint64) l * bytes
                    : kind == 2 ? 0
                    : kind < 5
                        ? (guint64) l * step % 2048
                        : (guint64) g_rand_int_range (random, 0, (gint32) (2048 / bytes)) * bytes;
            }
          for (guint l = 0; l < 32; l++)
            lanes[l] = base + address[l] +
                       (is_generic  ? CURED_SHARED_WINDOW
                        : is_shared ? 0
                                    : self->a);
          access_bench_run (self, 2, mask);
          expected.requests++;
          if (is_shared)
            {
              CuredBankCounts counts;
              guint64 there[32];

              for (guint l = 0; l < 32; l++)
                there[l] = base + address[l];
              count_banks (there, mask, rows[r].kind, bytes * 8, &counts);
              expected.shared_requests++;
              expected.wavefronts += counts.wavefronts;
              expected.least += counts.least;
            }
          else
            expected.sectors += count_sectors (lanes, mask);
          g_assert_cmpuint (self->counts[2].wavefronts, ==, expected.wavefronts);
          g_assert_cmpuint (self->counts[2].least, ==, expected.least);
          g_assert_cmpuint (self->counts[2].sectors, ==, expected.sectors);
        }
      g_assert_cmpuint (self->counts[2].requests, ==, expected.requests);
      g_assert_cmpuint (self->counts[2].shared_requests, ==, expected.shared_requests);
      g_assert_cmpuint (self->counts[0].requests, ==, 0);
    }
}

/* Figures that everyone knows. */
TEST ("/counter/known")
{
  static const struct
  {
    const char *mnemonic;
    guint n, width;
    int step;
    guint64 wavefronts, least, sectors;
  } rows[] = {
    { "ld.shared.f32", 1, 4, 4, 1, 1, 0 },
    { "ld.shared.f32", 1, 4, 0, 1, 1, 0 },
    { "ld.shared.f32", 1, 4, 8, 2, 1, 0 },
    { "st.shared.f32", 1, 4, 128, 32, 1, 0 },
    { "st.shared.f32", 1, 4, 132, 1, 1, 0 },
    { "ld.shared.v4.f32", 4, 4, 16, 4, 4, 0 },
    { "ld.shared.v2.f32", 2, 4, 8, 2, 2, 0 },
    { "red.shared.max.s32", 1, 4, 0, 32, 1, 0 },
    /* No rule: requests only. */
    { "red.shared.add.f32", 1, 4, 0, 0, 0, 0 },
    { "ld.global.f32", 1, 4, 4, 0, 0, 4 },
    { "ld.global.f32", 1, 4, 0, 0, 0, 1 },
    { "ld.global.f32", 1, 4, 8, 0, 0, 8 },
    { "st.global.f32", 1, 4, 128, 0, 0, 32 },
    { "ld.global.v4.f32", 4, 4, 16, 0, 0, 16 },
    { "ld.global.u8", 1, 2, 1, 0, 0, 1 },
    { "ld.local.f32", 1, 4, 4, 0, 0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);
      gboolean is_shared = strstr (rows[i].mnemonic, ".shared") != NULL;
      gboolean is_global = strstr (rows[i].mnemonic, ".global") != NULL;

      put (self, 1, rows[i].mnemonic, rows[i].n, rows[i].width);
      access_bench_watch (self, _cured_counter_new (&self->grid));
      set_addresses (self, R (1, 8), is_global ? self->a : 0, rows[i].step);
      access_bench_run (self, 1, CURED_ALL_LANES);
      g_assert_cmpuint (self->counts[1].requests, ==, 1);
      g_assert_cmpuint (self->counts[1].shared_requests, ==, is_shared);
      g_assert_cmpuint (self->counts[1].wavefronts, ==, rows[i].wavefronts);
      g_assert_cmpuint (self->counts[1].least, ==, rows[i].least);
      g_assert_cmpuint (self->counts[1].sectors, ==, rows[i].sectors);
    }
}

/* Lines, and sectors that a store fills only in part. */
TEST ("/counter/lines")
{
  static const struct
  {
    const char *mnemonic;
    guint n, width;
    guint64 first; /* byte of the buffer */
    int step;
    guint64 lines, partial, addresses;
  } rows[] = {
    { "ld.global.f32", 1, 4, 0, 4, 1, 0, 0 },
    /* Words of two lines in all banks; of 32 lines in one; of 32 in all. */
    { "ld.global.f32", 1, 4, 64, 4, 1, 0, 0 },
    { "ld.global.f32", 1, 4, 0, 128, 32, 0, 0 },
    { "ld.global.f32", 1, 4, 0, 132, 16, 0, 0 },
    { "ld.global.f32", 1, 4, 0, 64, 16, 0, 0 },
    { "ld.global.v4.f32", 4, 4, 0, 16, 4, 0, 0 },
    { "st.global.f32", 1, 4, 0, 4, 1, 0, 0 },
    { "st.global.f32", 1, 4, 16, 4, 1, 2, 0 },
    { "st.global.f32", 1, 4, 0, 0, 1, 1, 0 },
    { "st.global.f32", 1, 4, 0, 8, 2, 8, 0 },
    { "st.global.v4.f32", 4, 4, 0, 16, 4, 0, 0 },
    { "red.global.add.u32", 1, 4, 0, 0, 1, 0, 1 },
    { "red.global.add.u32", 1, 4, 0, 4, 1, 0, 32 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);
      guint64 base = (self->a + 127) / 128 * 128;
      const CuredSiteCounts *counts = &self->counts[1];

      put (self, 1, rows[i].mnemonic, rows[i].n, rows[i].width);
      access_bench_watch (self, _cured_counter_new (&self->grid));
      set_addresses (self, R (1, 8), base + rows[i].first, rows[i].step);
      access_bench_run (self, 1, CURED_ALL_LANES);
      g_assert_cmpuint (counts->lines, ==, rows[i].lines);
      g_assert_cmpuint (counts->partial, ==, rows[i].partial);
      g_assert_cmpuint (counts->addresses, ==, rows[i].addresses);
    }
}

/* Lanes of one generic access in two spaces: one request each. */
TEST ("/counter/mixed")
{
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_V3);
  guint64 *address = exec_bench_lanes (self->exec, R (1, 8));

  put (self, 1, "ld.f32", 1, 4);
  access_bench_watch (self, _cured_counter_new (&self->grid));
  for (guint l = 0; l < 32; l++)
    address[l] = (l < 16 ? CURED_SHARED_WINDOW : self->a) + l % 16 * 32;
  access_bench_run (self, 1, CURED_ALL_LANES);
  g_assert_cmpuint (self->counts[1].requests, ==, 2);
  g_assert_cmpuint (self->counts[1].shared_requests, ==, 1);
  g_assert_cmpuint (self->counts[1].wavefronts, ==, 4);
  g_assert_cmpuint (self->counts[1].least, ==, 1);
  g_assert_cmpuint (self->counts[1].sectors, ==, 16);
}

/* ---- Trace ---- */

static void
trace_cb (const CuredTraced *access, gpointer user_data)
{
  g_array_append_val (user_data, *access);
}

TEST ("/tracer/accesses")
{
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_V3);
  g_autoptr (GArray) traced = g_array_new (FALSE, FALSE, sizeof (CuredTraced));

  self->launch.trace = trace_cb;
  self->launch.trace_data = traced;
  access_bench_watch (self, _cured_tracer_new (&self->grid));
  set_addresses (self, R (1, 8), 12, 4);
  put (self, 3, "st.shared.b32", 1, 4);
  access_bench_run (self, 3, 0xfff0fff0);
  put (self, 2, "ld.local.b32", 1, 4);
  access_bench_run (self, 2, CURED_ALL_LANES);
  set_addresses (self, R (1, 8), self->a, 8);
  put (self, 0, "red.global.add.u64", 1, 8);
  access_bench_run (self, 0, 1);
  g_assert_cmpuint (traced->len, ==, 2);
  const CuredTraced *first = &g_array_index (traced, CuredTraced, 0);
  g_assert_cmpuint (first->site, ==, 3);
  g_assert_true (first->is_shared);
  g_assert_cmpint (first->kind, ==, CURED_ACCESS_STORE);
  g_assert_cmpuint (first->width, ==, 4);
  g_assert_cmpuint (first->block, ==, 1);
  g_assert_cmpuint (first->warp, ==, 2);
  g_assert_cmphex (first->mask, ==, 0xfff0fff0);
  for (guint l = 0; l < 32; l++)
    g_assert_cmphex (first->addresses[l], ==, l % 16 < 4 ? 0 : 12 + 4 * l);
  g_assert_false (first[1].is_shared);
  g_assert_cmpint (first[1].kind, ==, CURED_ACCESS_REDUCTION);
  g_assert_cmphex (first[1].addresses[0], ==, self->a);

  g_array_set_size (traced, 0);
  self->launch.is_trace_global = TRUE;
  set_addresses (self, R (1, 8), 12, 4);
  put (self, 3, "st.shared.b32", 1, 4);
  access_bench_run (self, 3, CURED_ALL_LANES);
  g_assert_cmpuint (traced->len, ==, 0);
  set_addresses (self, R (1, 8), self->a, 8);
  put (self, 0, "red.global.add.u64", 1, 8);
  access_bench_run (self, 0, 1);
  g_assert_cmpuint (traced->len, ==, 1);
}

/* ---- Uninitialized reads ---- */

static void
assert_undefined (AccessBench *self, CuredFindingKind kind, guint32 lanes, const char *object)
{
  g_autoptr (CuredFinding) finding = access_bench_take_finding (self);

  g_assert_cmpint (finding->kind, ==, kind);
  g_assert_cmphex (finding->here.lanes, ==, lanes);
  g_assert_cmpstr (finding->object, ==, object);
}

TEST ("/undefined/shared")
{
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_V3);

  access_bench_watch (self, _cured_undefined_detector_new (&self->grid));
  /* The specimen: half of it was written. */
  set_addresses (self, R (1, 8), 256, 4);
  put (self, 0, "st.shared.f32", 1, 4);
  access_bench_run (self, 0, 0x0000ffff);
  put (self, 1, "ld.shared.f32", 1, 4);
  access_bench_run (self, 1, CURED_ALL_LANES);
  assert_undefined (self, CURED_FINDING_UNINITIALIZED, 0xffff0000, "shared memory, byte 320");
  /* The twin. */
  put (self, 0, "st.shared.f32", 1, 4);
  access_bench_run (self, 0, CURED_ALL_LANES);
  put (self, 1, "ld.shared.f32", 1, 4);
  access_bench_run (self, 1, CURED_ALL_LANES);
  access_bench_assert_clean (self);
  /* A byte before the written ones, seen by a wide load. */
  set_addresses (self, R (1, 8), 248, 16);
  put (self, 1, "ld.shared.b64", 1, 8);
  access_bench_run (self, 1, 3);
  assert_undefined (self, CURED_FINDING_UNINITIALIZED, 1, "shared memory, byte 248");
  /* An atomic operation reads; an exchange does not. */
  set_addresses (self, R (1, 8), 2048, 4);
  put (self, 1, "red.shared.add.u32", 1, 4);
  access_bench_run (self, 1, 1);
  assert_undefined (self, CURED_FINDING_UNINITIALIZED, 1, "shared memory, byte 2048");
  access_bench_run (self, 1, 1);
  exec_bench_do (self->exec, CURED_ALL_LANES, "atom.shared.exch.b32", R (4, 4), R (1, 8), R (2, 4));
  access_bench_assert_clean (self);
  /* All lanes read one place. */
  set_addresses (self, R (1, 8), 3000, 0);
  put (self, 1, "ld.shared.u8", 1, 2);
  access_bench_run (self, 1, CURED_ALL_LANES);
  assert_undefined (self, CURED_FINDING_UNINITIALIZED, CURED_ALL_LANES, "shared memory, byte 3000");
  /* Any width at any place, against a bit per byte. */
  for (guint first = 0; first < 40; first++)
    for (guint width = 1; width <= 8; width *= 2)
      for (guint probe = 0; probe < 24; probe++)
        {
          g_autofree char *store = g_strdup_printf ("st.shared.b%u", width * 8);

          if (first % width != 0)
            continue;
          memset (self->states[0], 0, self->observers[0]->klass->state_size);
          set_addresses (self, R (1, 8), first, 0);
          put (self, 0, store, 1, MAX (width, 2));
          access_bench_run (self, 0, 0x80);
          set_addresses (self, R (1, 8), first + probe - MIN (first, 8), 0);
          put (self, 1, "ld.shared.b8", 1, 2);
          access_bench_run (self, 1, 4);
          g_autoptr (GPtrArray) findings = access_bench_take_findings (self);
          g_assert_cmpuint (findings->len, ==,
                            !(probe >= MIN (first, 8) && probe < MIN (first, 8) + width));
        }
}

TEST ("/undefined/local")
{
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_V3);

  access_bench_watch (self, _cured_undefined_detector_new (&self->grid));
  set_addresses (self, R (1, 8), 16, 0);
  put (self, 0, "st.local.b32", 1, 4);
  access_bench_run (self, 0, 0x7fffffff);
  put (self, 1, "ld.local.b32", 1, 4);
  access_bench_run (self, 1, 0x7fffffff);
  access_bench_assert_clean (self);
  access_bench_run (self, 1, CURED_ALL_LANES);
  assert_undefined (self, CURED_FINDING_UNINITIALIZED, 0x80000000u, "local memory, byte 16");
}

TEST ("/undefined/unwritten")
{
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_V3);

  access_bench_watch (self, _cured_undefined_detector_new (&self->grid));
  set_addresses (self, R (1, 8), self->a, 4);
  put (self, 1, "ld.global.f32", 1, 4);
  access_bench_run (self, 1, CURED_ALL_LANES);
  access_bench_assert_clean (self);

  /* An output that the host left empty. */
  cured_memory_label (self->memory, self->a, 4096, "c", 4, TRUE);
  put (self, 0, "st.global.f32", 1, 4);
  access_bench_run (self, 0, 0xffffff);
  put (self, 1, "ld.global.f32", 1, 4);
  access_bench_run (self, 1, 0xffffff);
  access_bench_assert_clean (self);
  put (self, 1, "ld.global.f32", 1, 4);
  access_bench_run (self, 1, CURED_ALL_LANES);
  assert_undefined (self, CURED_FINDING_UNWRITTEN, 0xff000000u, "c[24]");
  /* Adding to it reads it; then it is written. */
  put (self, 0, "red.global.add.f32", 1, 4);
  access_bench_run (self, 0, CURED_ALL_LANES);
  assert_undefined (self, CURED_FINDING_UNWRITTEN, 0xff000000u, "c[24]");
  access_bench_run (self, 0, CURED_ALL_LANES);
  access_bench_assert_clean (self);
  /* The host writes, too. */
  cured_memory_define (self->memory, self->a + 128, 4096 - 128);
  set_addresses (self, R (1, 8), self->a, 128);
  put (self, 1, "ld.f32", 1, 4);
  access_bench_run (self, 1, CURED_ALL_LANES);
  access_bench_assert_clean (self);
}
