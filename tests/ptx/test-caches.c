/* SPDX-License-Identifier: MIT
 * What accesses find in the caches: specimens that one can count by hand. */
#include <math.h>

#include "ptx/emulator/cured-emulator.h"
#include "ptx/parse/cured-ptx-parse.h"
#include "ptx/watch/cured-caches-internal.h"
#include "test.h"

#define KIB 1024

/* Threads of each block go over @bytes from the first argument on, a word each,
 * @stride bytes apart, @passes times; the place of the store and what is loaded are up to the
 * kernel. */
#define HEAD                                                                                       \
  ".version 8.0\n.target sm_90\n.address_size 64\n"                                                \
  ".visible .entry k (.param .u64 p, .param .u64 q, .param .u32 bytes,\n"                          \
  " .param .u32 passes, .param .u32 stride) {\n"                                                   \
  ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<16>;\n"                      \
  "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];\n"                                              \
  "ld.param.u32 %r1, [bytes]; ld.param.u32 %r2, [passes];\n"                                       \
  "ld.param.u32 %r3, [stride]; mov.u32 %r4, %tid.x; mov.u32 %r5, %ntid.x;\n"                       \
  "mul.lo.u32 %r6, %r4, %r3; mul.lo.u32 %r7, %r5, %r3; mov.u32 %r8, 0;\n"                          \
  "PASS: mov.u32 %r9, %r6;\n"                                                                      \
  "NEXT: setp.ge.u32 %p1, %r9, %r1; @%p1 bra DONE;\n"                                              \
  "cvt.u64.u32 %rd3, %r9; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;\n"
#define TAIL                                                                                       \
  "add.u32 %r9, %r9, %r7; bra NEXT;\n"                                                             \
  "DONE: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r2; @%p2 bra PASS;\n"                         \
  "ret; }\n"

typedef struct
{
  const char *text;
  guint blocks, threads, sms, resident, turn;
  gsize l1_bytes, l2_bytes;
  guint dram_sectors;
  guint32 bytes, passes, stride;
} Specimen;

static const Specimen plain = { .blocks = 1,
                                .threads = 32,
                                .sms = 1,
                                .resident = 1,
                                .l1_bytes = 16 * KIB,
                                .l2_bytes = 256 * KIB,
                                .dram_sectors = 1,
                                .bytes = 8 * KIB,
                                .passes = 1,
                                .stride = 4 };

/* What the specimen's launches do together, the first of @n. */
static gboolean
run (const Specimen *self, guint n, CuredCacheTraffic *sum)
{
  const CuredCacheChip chip = { .sms = self->sms,
                                .l2_bytes = self->l2_bytes,
                                .l2_partitions = 1,
                                .dram_sectors = self->dram_sectors };
  const CuredLimits limits = { .sms = self->sms };
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredMemory) memory = cured_memory_new (0);
  g_autoptr (CuredCaches) caches = _cured_caches_new (&chip);
  g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (self->text, -1, "test.ptx", &error);
  gboolean is_data_needed = FALSE;
  struct
  {
    guint64 p, q;
    guint32 bytes, passes, stride;
  } parameters = { .bytes = self->bytes, .passes = self->passes, .stride = self->stride };

  g_assert_no_error (error);
  g_assert_true (cured_ptx_module_link (module, memory, &error));
  g_assert_true (cured_memory_allocate (memory, 1 << 20, &parameters.p, &error));
  g_assert_true (cured_memory_allocate (memory, 1 << 20, &parameters.q, &error));
  *sum = (CuredCacheTraffic){ 0 };
  for (guint i = 0; i < n; i++)
    {
      g_auto (CuredReport) report = { 0 };
      const CuredLaunch launch = {
        .module = module,
        .memory = memory,
        .entry = "k",
        .grid = { self->blocks, 1, 1 },
        .block = { self->threads, 1, 1 },
        .parameters = &parameters,
        .parameters_bytes = sizeof parameters,
        .limits = &limits,
        .caches = caches,
        .resident_blocks = self->resident,
        .turn = self->turn,
      };

      _cured_caches_begin (caches, self->l1_bytes);
      g_assert_true (cured_emulator_launch (&launch, &report, NULL, &error));
      g_assert_cmpint (report.end, ==, CURED_END_DONE);
      for (guint site = 0; site < report.n_traffic; site++)
        cured_cache_traffic_add (sum, &report.traffic[site], 1);
      is_data_needed = report.is_data_needed;
    }
  sum->dirty_bytes = (double) _cured_caches_get_dirty_bytes (caches);
  return is_data_needed;
}

static const char copy[] = HEAD "ld.global.f32 %f1, [%rd4]; st.global.f32 [%rd5], %f1;\n" TAIL;
static const char reading[] = HEAD "ld.global.f32 %f1, [%rd4];\n" TAIL;
static const char writing[] = HEAD "mov.f32 %f1, 0f00000000; st.global.f32 [%rd5], %f1;\n" TAIL;

/* Everything is seen once: nothing hits, and memory is read once. Written data is still in the
 * second cache. */
TEST ("/caches/copy")
{
  Specimen specimen = plain;
  CuredCacheTraffic got;

  specimen.text = copy;
  specimen.bytes = 64 * KIB;
  g_assert_false (run (&specimen, 1, &got));
  g_assert_cmpfloat (got.l1_requests, ==, 2 * 512);
  g_assert_cmpfloat (got.l1_load_sectors, ==, 2048);
  g_assert_cmpfloat (got.l1_load_hits, ==, 0);
  g_assert_cmpfloat (got.l1_store_sectors, ==, 2048);
  g_assert_cmpfloat (got.l2_read_sectors, ==, 2048);
  g_assert_cmpfloat (got.l2_read_hits, ==, 0);
  g_assert_cmpfloat (got.l2_write_sectors, ==, 2048);
  g_assert_cmpfloat (got.l2_hits, ==, 2048);
  g_assert_cmpfloat (got.l2_partial_writes, ==, 0);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 64 * KIB);
  g_assert_cmpfloat (got.dram_write_bytes, ==, 0);
  g_assert_cmpfloat (got.dirty_bytes, ==, 64 * KIB);
}

/* 8 KiB fit into a first cache of 16, 32 do not: by the time that one comes back all is gone. They
 * fit into the second cache in either case. */
TEST ("/caches/again")
{
  Specimen specimen = plain;
  CuredCacheTraffic got;

  specimen.text = reading;
  specimen.passes = 3;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_load_sectors, ==, 3 * 256);
  g_assert_cmpfloat (got.l1_load_hits, ==, 2 * 256);
  g_assert_cmpfloat (got.l2_read_sectors, ==, 256);

  specimen.bytes = 32 * KIB;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_load_hits, ==, 0);
  g_assert_cmpfloat (got.l2_read_sectors, ==, 3 * 1024);
  g_assert_cmpfloat (got.l2_read_hits, ==, 2 * 1024);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 32 * KIB);

  /* A launch finds the first cache empty, and the second as it was left. */
  specimen.bytes = 8 * KIB;
  specimen.passes = 1;
  run (&specimen, 2, &got);
  g_assert_cmpfloat (got.l1_load_hits, ==, 0);
  g_assert_cmpfloat (got.l2_read_hits, ==, 256);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 8 * KIB);
}

/* A word out of each line: a sector each, of 32 bytes, or of the 64 that memory may give at
 * once. */
TEST ("/caches/stride")
{
  Specimen specimen = plain;
  CuredCacheTraffic got;

  specimen.text = reading;
  specimen.stride = 128;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_requests, ==, 2);
  g_assert_cmpfloat (got.l1_load_sectors, ==, 64);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 64 * 32);
  specimen.dram_sectors = 2;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l2_read_sectors, ==, 64);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 64 * 64);

  /* Written, it is a part of a sector. */
  specimen.text = writing;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l2_write_sectors, ==, 64);
  g_assert_cmpfloat (got.l2_partial_writes, ==, 64);
  g_assert_cmpfloat (got.dirty_bytes, ==, 64 * 32);
  specimen.stride = 32;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l2_partial_writes, ==, 256);
  specimen.stride = 4;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l2_partial_writes, ==, 0);
}

/* Twice as much as the second cache holds: when the launch ends, nine lines of sixteen are not yet
 * written to memory. A sector that is known in part is read before. */
TEST ("/caches/write-back")
{
  Specimen specimen = plain;
  CuredCacheTraffic got;

  specimen.text = writing;
  specimen.bytes = 128 * KIB;
  specimen.l2_bytes = 64 * KIB;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.dram_write_bytes, ==, (128 - 36) * KIB);
  g_assert_cmpfloat (got.dirty_bytes, ==, 36 * KIB);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 0);

  specimen.stride = 32;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.dram_write_bytes, ==, (128 - 36) * KIB);
  g_assert_cmpfloat (got.dram_read_bytes, ==, (128 - 36) * KIB);

  /* Words of a sector that come one after the other make a whole one. */
  specimen.passes = 1;
  specimen.stride = 4;
  specimen.threads = 1;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l2_partial_writes, ==, 128 * KIB / 4);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 0);

  /* Reads take half of the room. */
  specimen.text = copy;
  specimen.stride = 4;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.dram_write_bytes + got.dirty_bytes, ==, 128 * KIB);
  g_assert_cmpfloat (got.dirty_bytes, >=, 31 * KIB);
  g_assert_cmpfloat (got.dirty_bytes, <=, 33 * KIB);
}

static void
count_again (const char *load, double l1_hits, double l2_hits)
{
  Specimen specimen = plain;
  g_autofree char *text = g_strconcat (HEAD, load, " %f1, [%rd4];\n", TAIL, NULL);
  CuredCacheTraffic got;

  specimen.text = text;
  specimen.passes = 2;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_load_sectors, ==, 512);
  g_assert_cmpfloat (got.l1_load_hits, ==, l1_hits);
  g_assert_cmpfloat (got.l2_read_hits, ==, l2_hits);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 8 * KIB);
}

/* Which accesses look at the first cache, and which pass it. */
TEST ("/caches/hints")
{
  count_again ("ld.global.f32", 256, 0);
  count_again ("ld.global.ca.f32", 256, 0);
  count_again ("ld.global.nc.f32", 256, 0);
  count_again ("ld.global.cg.f32", 0, 256);
  count_again ("ld.global.cv.f32", 0, 256);
  count_again ("ld.volatile.global.f32", 0, 256);
  count_again ("ld.global.L1::no_allocate.f32", 0, 256);
  count_again ("ld.relaxed.gpu.global.f32", 0, 256);
  /* A fence of the device makes it forget, one of the block does not. */
  count_again ("fence.acq_rel.gpu; ld.global.f32", 0, 256);
  count_again ("fence.acq_rel.cta; ld.global.f32", 256, 0);
}

/* What is to go first does: two words of each of two arrays, of which one is read again, where both
 * do not fit. */
TEST ("/caches/first")
{
  static const char *const texts[] = {
    HEAD "ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd5];\n" TAIL,
    HEAD "ld.global.f32 %f1, [%rd4];\n"
         "ld.global.L1::evict_first.f32 %f2, [%rd5];\n" TAIL,
  };
  CuredCacheTraffic got[2];

  for (guint i = 0; i < 2; i++)
    {
      Specimen specimen = plain;

      specimen.text = texts[i];
      specimen.bytes = 12 * KIB;
      specimen.passes = 4;
      run (&specimen, 1, &got[i]);
    }
  g_assert_cmpfloat (got[0].l1_load_hits, ==, 0);
  g_assert_cmpfloat (got[1].l1_load_hits, >=, 3 * 384);
}

/* Two blocks read the same: the first cache has it for the second one where both are on one
 * multiprocessor, else the second cache. */
TEST ("/caches/two-blocks")
{
  Specimen specimen = plain;
  CuredCacheTraffic got;

  specimen.text = reading;
  specimen.blocks = 2;
  specimen.resident = 2;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_load_sectors, ==, 512);
  g_assert_cmpfloat (got.l1_load_hits, ==, 256);
  specimen.sms = 2;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_load_hits, ==, 0);
  g_assert_cmpfloat (got.l2_read_hits, ==, 256);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 8 * KIB);
}

/* Warps of a block go side by side: what one has read the next one finds, though all of it does not
 * fit. One after the other, it would be gone. */
TEST ("/caches/order")
{
  static const char text[] = HEAD "shr.u32 %r10, %r4, 5; mul.lo.u32 %r10, %r10, 128;\n"
                                  "cvt.u64.u32 %rd6, %r10; sub.u64 %rd7, %rd4, %rd6;\n"
                                  "ld.global.f32 %f1, [%rd7];\n" TAIL;
  Specimen specimen = plain;
  CuredCacheTraffic got;

  /* Four warps, each of which reads the same lines: 64 KiB. */
  specimen.text = text;
  specimen.threads = 128;
  specimen.bytes = 256 * KIB;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_load_sectors, ==, 4 * 2048);
  g_assert_cmpfloat (got.l1_load_hits, ==, 3 * 2048);
  specimen.turn = 1 << 20;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_load_hits, ==, 0);
}

/* Atomic operations are the second cache's, and take the line from the first. */
TEST ("/caches/atomic")
{
  static const char text[] = HEAD "ld.global.u32 %r10, [%rd4]; red.global.add.u32 [%rd4], 1;\n"
                                  "ld.global.u32 %r11, [%rd4];\n" TAIL;
  Specimen specimen = plain;
  CuredCacheTraffic got;

  specimen.text = text;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_atomic_sectors, ==, 256);
  g_assert_cmpfloat (got.l2_atomic_sectors, ==, 256);
  g_assert_cmpfloat (got.l1_load_hits, ==, 0);
  g_assert_cmpfloat (got.l2_read_sectors, ==, 512);
  g_assert_cmpfloat (got.dram_read_bytes, ==, 8 * KIB);
  g_assert_cmpfloat (got.dirty_bytes, ==, 8 * KIB);
}

/* Words of local memory lie next to those of the other lanes. */
TEST ("/caches/local")
{
  static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                             ".visible .entry k (.param .u64 p, .param .u64 q, .param .u32 bytes,\n"
                             " .param .u32 passes, .param .u32 stride) {\n"
                             ".local .align 16 .b8 room[64];\n"
                             ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                             "mov.u64 %rd1, room; mov.u32 %r1, 7;\n"
                             "st.local.u32 [%rd1+8], %r1; ld.local.u32 %r2, [%rd1+8];\n"
                             "ret; }\n";
  Specimen specimen = plain;
  CuredCacheTraffic got;

  specimen.text = text;
  specimen.blocks = 2;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_requests, ==, 4);
  g_assert_cmpfloat (got.l1_store_sectors, ==, 8);
  g_assert_cmpfloat (got.l1_load_sectors, ==, 8);
}

/* Data that decides nothing is not made; an index is, and so is the number that an atomic operation
 * gives to a block. */
TEST ("/caches/slice")
{
  static const char index[] = HEAD "ld.global.u32 %r10, [%rd4]; and.b32 %r10, %r10, 1;\n"
                                   "mad.lo.u32 %r10, %r10, 128, 0; cvt.u64.u32 %rd6, %r10;\n"
                                   "add.u64 %rd6, %rd2, %rd6; ld.global.f32 %f1, [%rd6];\n" TAIL;
  static const char ticket[] =
      HEAD "atom.global.add.u32 %r10, [%rd1], 1; mul.lo.u32 %r10, %r10, 128;\n"
           "cvt.u64.u32 %rd6, %r10; add.u64 %rd6, %rd2, %rd6;\n"
           "ld.global.f32 %f1, [%rd6];\n" TAIL;
  static const char through_shared[] =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k (.param .u64 p, .param .u64 q, .param .u32 bytes,\n"
      " .param .u32 passes, .param .u32 stride) {\n"
      ".shared .align 4 .b8 room[128];\n"
      ".reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<8>;\n"
      "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"
      "mov.u32 %r3, room; add.u32 %r3, %r3, %r2; mul.lo.u32 %r4, %r1, 32;\n"
      "st.shared.u32 [%r3], %r4; ld.shared.u32 %r5, [%r3];\n"
      "cvt.u64.u32 %rd2, %r5; add.u64 %rd3, %rd1, %rd2;\n"
      "ld.global.f32 %f1, [%rd3]; ret; }\n";
  static const char sent[] =
      ".version 8.1\n.target sm_90\n.address_size 64\n"
      ".visible .entry k (.param .u64 p, .param .u64 q, .param .u32 bytes,\n"
      " .param .u32 passes, .param .u32 stride) {\n"
      ".shared .align 4 .b8 room[128]; .shared .align 8 .b8 m[8];\n"
      ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<8>;\n"
      "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"
      "mov.u32 %r3, room; add.u32 %r3, %r3, %r2; mul.lo.u32 %r4, %r1, 32;\n"
      "setp.eq.u32 %p1, %r1, 0; mov.u32 %r6, m;\n"
      "@%p1 mbarrier.init.shared.b64 [%r6], 1; bar.sync 0;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r6], 128;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], %r4, [%r6];\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0; @!%p2 bra W;\n"
      "ld.shared.u32 %r5, [%r3];\n"
      "cvt.u64.u32 %rd2, %r5; add.u64 %rd3, %rd1, %rd2;\n"
      "ld.global.f32 %f1, [%rd3]; ret; }\n";
  Specimen specimen = plain;
  CuredCacheTraffic got;

  specimen.text = copy;
  g_assert_false (run (&specimen, 1, &got));

  specimen.text = index;
  specimen.bytes = 128;
  g_assert_true (run (&specimen, 1, &got));
  /* Memory is zeros: all lanes read the first element of the other array. */
  g_assert_cmpfloat (got.l1_load_sectors, ==, 4 + 1);

  specimen.text = ticket;
  g_assert_true (run (&specimen, 1, &got));
  g_assert_cmpfloat (got.l1_load_sectors, ==, 32);
  g_assert_cmpfloat (got.l2_atomic_sectors, ==, 1);

  specimen.text = through_shared;
  g_assert_false (run (&specimen, 1, &got));
  g_assert_cmpfloat (got.l1_load_sectors, ==, 32);

  specimen.text = sent;
  run (&specimen, 1, &got);
  g_assert_cmpfloat (got.l1_load_sectors, ==, 32);
}

/* Rates without requests are NaN. */
TEST ("/caches/rates")
{
  CuredCacheTraffic traffic = { 0 };

  g_assert_true (isnan (cured_cache_traffic_get_l1_hit_rate (&traffic)));
  g_assert_true (isnan (cured_cache_traffic_get_l2_hit_rate (&traffic)));
  traffic.l1_load_sectors = 6;
  traffic.l1_store_sectors = 2;
  traffic.l1_load_hits = 4;
  traffic.l2_read_sectors = 2;
  traffic.l2_write_sectors = 2;
  traffic.l2_hits = 1;
  g_assert_cmpfloat (cured_cache_traffic_get_l1_hit_rate (&traffic), ==, 0.5);
  g_assert_cmpfloat (cured_cache_traffic_get_l2_sectors (&traffic), ==, 4);
  g_assert_cmpfloat (cured_cache_traffic_get_l2_hit_rate (&traffic), ==, 0.25);
}
