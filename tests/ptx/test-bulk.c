/* SPDX-License-Identifier: MIT
 * Bulk copies and reductions, and barriers that count bytes: what is in memory afterwards, and what
 * is refused. */
#include <cured.h>
#include <string.h>

#include "test.h"

#define WORDS 64
#define BYTES (WORDS * 4)

/* One block of 64 threads. Thread t keeps word t of [p] in shared memory, the body runs in thread
 * 0, and word t of shared memory, from byte 1024 on, goes to [p + 512]. %rd1 is p, %r4 is s. */
#define KERNEL(body)                                                                               \
  ".version 8.0\n.target sm_90\n.address_size 64\n"                                                \
  ".visible .entry k (.param .u64 p) {\n"                                                          \
  ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                        \
  ".shared .align 8 .b8 m[8]; .shared .align 16 .b8 s[2048];\n"                                    \
  "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r4, s;\n"                                 \
  "mad.lo.u32 %r5, %r1, 4, %r4; mul.wide.u32 %rd2, %r1, 4;\n"                                      \
  "add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r6, [%rd2];\n"                                         \
  "st.shared.u32 [%r5], %r6; st.shared.u32 [%r5 + 1024], 0;\n"                                     \
  "fence.proxy.async.shared::cta;\n"                                                               \
  "setp.ne.u32 %p1, %r1, 0;\n"                                                                     \
  "@!%p1 mbarrier.init.shared.b64 [m], 1;\n"                                                       \
  "bar.sync 0; @%p1 bra DONE;\n" body "DONE: bar.sync 0;\n"                                        \
  "ld.shared.u32 %r7, [%r5 + 1024]; st.global.u32 [%rd2 + 512], %r7;\n"                            \
  "ret;\n}\n"

#define COPY_IN       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
#define COPY_AROUND   "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared.b64 _, [m], " bytes ";\n"
#define WAIT          "W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; @!%p2 bra W;\n"

/* Runs @ptx on @words: WORDS of input, and from word 128 on, of output. The launch has clusters, of
 * one block, or none. */
static void
run_with (const char *ptx, guint32 *words, gboolean has_clusters, CuredReport *report)
{
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 20);
  g_autoptr (CuredPtxModule) module = MUST (cured_ptx_module_parse (ptx, -1, "bulk.ptx", &fail));
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { WORDS, 1, 1 },
    .cluster = { has_clusters, has_clusters, has_clusters },
    .parameters_bytes = sizeof (guint64),
    .watch = CURED_WATCH_RACES | CURED_WATCH_COUNTS,
    .max_instructions = 1000000,
    .threads = 1,
  };
  guint64 address;

  MUST (cured_memory_allocate (memory, 1024, &address, &fail));
  MUST (cured_ptx_module_link (module, memory, &fail));
  launch.parameters = &address;
  memcpy (cured_memory_map (memory, address, 1024), words, 1024);
  MUST (cured_emulator_launch (&launch, report, NULL, &fail));
  memcpy (words, cured_memory_map (memory, address, 1024), 1024);
}

static void
run (const char *ptx, guint32 *words, CuredReport *report)
{
  run_with (ptx, words, TRUE, report);
  g_assert_cmpint (report->end, ==, CURED_END_DONE);
}

static void
fill (guint32 *words)
{
  for (guint i = 0; i < 256; i++)
    words[i] = i * 2654435761u;
}

TEST ("/bulk/copies")
{
  static const struct
  {
    const char *ptx;
    guint from; /* output word i is input word (i + from) mod WORDS */
  } cases[] = {
    { KERNEL (EXPECT ("256") COPY_IN "[s + 1024], [%rd1], 256, [m];\n" WAIT), 0 },
    /* Bytes may come before they are expected, and in parts. */
    { KERNEL (COPY_IN "[s + 1024], [%rd1 + 16], 240, [m];\n" COPY_IN
                      "[s + 1264], [%rd1], 16, [m];\n" EXPECT ("256") WAIT),
      4 },
    { KERNEL (EXPECT ("256") COPY_AROUND "[s + 1024], [s], 256, [m];\n" WAIT), 0 },
    { KERNEL ("mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 256;\n" COPY_AROUND
              "[s + 1024], [s + 128], 128, [m];\n" COPY_AROUND "[s + 1152], [s], 128, [m];\n"
              "mbarrier.arrive.shared.b64 _, [m];\n" WAIT),
      32 },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_auto (CuredReport) report = { 0 };
      guint32 words[256];

      fill (words);
      run (cases[c].ptx, words, &report);
      g_assert_cmpuint (report.findings->len, ==, 0);
      for (guint i = 0; i < WORDS; i++)
        g_assert_cmphex (words[128 + i], ==, (i + cases[c].from) % WORDS * 2654435761u);
    }
}

/* From shared memory to shared memory only a launch with clusters copies, and adds; from global
 * memory any. */
TEST ("/bulk/no-clusters")
{
  static const char *const kernels[] = {
    KERNEL (EXPECT ("256") COPY_AROUND "[s + 1024], [s], 256, [m];\n" WAIT),
    KERNEL (EXPECT ("256") "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx:"
                           ":bytes.add.u32 [s + 1024], [s], 256, [m];\n" WAIT),
    KERNEL (EXPECT ("256") COPY_IN "[s + 1024], [%rd1], 256, [m];\n" WAIT),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kernels); i++)
    {
      gboolean is_refused = i < 2;
      guint32 words[256];

      for (gboolean has_clusters = FALSE; has_clusters <= TRUE; has_clusters++)
        {
          g_auto (CuredReport) report = { 0 };

          fill (words);
          run_with (kernels[i], words, has_clusters, &report);
          if (has_clusters || !is_refused)
            {
              g_assert_cmpint (report.end, ==, CURED_END_DONE);
              g_assert_cmpuint (report.findings->len, ==, 0);
              continue;
            }
          g_assert_cmpint (report.end, ==, CURED_END_TRAPPED);
          g_assert_cmpuint (report.findings->len, ==, 1);
        }
    }
}

TEST ("/bulk/out")
{
  g_auto (CuredReport) report = { 0 };
  guint32 words[256];

  fill (words);
  run (KERNEL ("cp.async.bulk.global.shared::cta.bulk_group [%rd1 + 768], [s + 64], 192;\n"
               "cp.async.bulk.commit_group;\n"
               "cp.async.bulk.wait_group.read 0;\n"),
       words, &report);
  g_assert_cmpuint (report.findings->len, ==, 0);
  for (guint i = 0; i < 64; i++)
    g_assert_cmphex (words[192 + i], ==, (i < 48 ? i + 16 : i + 192) * 2654435761u);
}

/* Global memory has @a; @b comes from shared memory. */
TEST ("/bulk/reductions")
{
  static const struct
  {
    const char *what;
    guint32 a, b, result;
  } cases[] = {
    { "and.b32", 0xff00ff00u, 0x0ff00ff0u, 0x0f000f00u },
    { "or.b32", 0xff00ff00u, 0x0ff00ff0u, 0xfff0fff0u },
    { "xor.b32", 0xff00ff00u, 0x0ff00ff0u, 0xf0f0f0f0u },
    { "add.u32", 0xfffffff0u, 0x20, 0x10 },
    { "add.s32", 0xfffffff0u, 0x11, 1 },
    { "min.s32", 0xffffffffu, 1, 0xffffffffu },
    { "max.s32", 0xffffffffu, 1, 1 },
    { "min.u32", 0xffffffffu, 1, 1 },
    { "max.u32", 0xffffffffu, 1, 0xffffffffu },
    { "inc.u32", 6, 7, 7 },
    { "inc.u32", 7, 7, 0 },
    { "dec.u32", 0, 7, 7 },
    { "dec.u32", 8, 7, 7 },
    { "dec.u32", 7, 7, 6 },
    { "add.f32", 0x3fc00000u, 0x40200000u, 0x40800000u }, /* 1.5 + 2.5 */
    { "add.f32", 0x00000001u, 0x00000001u, 2 },           /* kept */
    { "add.noftz.f16", 0x3c003e00u, 0x40004100u, 0x42004400u },
    { "add.noftz.f16", 0x00010001u, 0x00010001u, 0x00020002u },
    { "min.f16", 0x3c00bc00u, 0x4000c000u, 0x3c00c000u },
    { "max.bf16", 0x3f80bf80u, 0x4000c000u, 0x4000bf80u },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_auto (CuredReport) report = { 0 };
      g_autofree char *ptx =
          g_strdup_printf ("%s%s%s",
                           ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k (.param .u64 p) {\n"
                           ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"
                           ".shared .align 16 .b8 s[256];\n"
                           "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r4, s;\n"
                           "mad.lo.u32 %r5, %r1, 4, %r4; mul.wide.u32 %rd2, %r1, 4;\n"
                           "add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r6, [%rd2];\n"
                           "st.shared.u32 [%r5], %r6; fence.proxy.async.shared::cta;\n"
                           "bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\n"
                           "cp.reduce.async.bulk.global.shared::cta.bulk_group.",
                           cases[c].what,
                           " [%rd1 + 512], [s], 256;\n"
                           "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
                           "END: ret;\n}\n");
      guint32 words[256];

      for (guint i = 0; i < WORDS; i++)
        {
          words[i] = i % 3 == 0 ? cases[c].b : 0;
          words[128 + i] = i % 3 == 0 ? cases[c].a : 0;
        }
      run (ptx, words, &report);
      g_assert_cmpuint (report.findings->len, ==, 0);
      for (guint i = 0; i < WORDS; i += 3)
        g_assert_cmphex (words[128 + i], ==, cases[c].result);
    }
}

/* What a phase waits for: arrivals and bytes, whichever come last. */
TEST ("/bulk/bytes")
{
#define ASK                                                                                        \
  "mbarrier.test_wait.parity.shared.b64 %p2, [m], 0;\n"                                            \
  "selp.u32 %r9, 1, 0, %p2; mad.lo.u32 %r8, %r8, 2, %r9;\n"
  g_auto (CuredReport) report = { 0 };
  guint32 words[256];

  fill (words);
  run (KERNEL ("mov.u32 %r8, 0;\n" ASK                                  /* 0 */
               "mbarrier.expect_tx.shared.b64 [m], 48;\n" ASK           /* 0 */
               "mbarrier.arrive.shared.b64 _, [m];\n" ASK               /* 0 */
               "mbarrier.complete_tx.shared.b64 [m], 32;\n" ASK         /* 0 */
               "mbarrier.complete_tx.shared.b64 [m], 16;\n" ASK         /* 1 */
               "mbarrier.complete_tx.shared.b64 [m], 16;\n" ASK         /* 1 */
               "mbarrier.arrive.expect_tx.shared.b64 _, [m], 16;\n" ASK /* 0 */
               "mbarrier.arrive_drop.expect_tx.shared.b64 _, [m], 16;\n" ASK
               "mbarrier.complete_tx.shared.b64 [m], 16;\n" ASK /* 1 */
               "st.shared.u32 [s + 1024], %r8;\n"),
       words, &report);
  g_assert_cmpuint (report.findings->len, ==, 0);
  g_assert_cmphex (words[128], ==, 0x019); /* 0000 1100 1 */
#undef ASK
}

TEST ("/bulk/refused")
{
  static const struct
  {
    const char *ptx;
    CuredFindingKind kind;
  } cases[] = {
    { KERNEL (EXPECT ("24") COPY_IN "[s + 1024], [%rd1], 24, [m];\n"), CURED_FINDING_MISALIGNED },
    { KERNEL (EXPECT ("16") COPY_IN "[s + 1032], [%rd1], 16, [m];\n"), CURED_FINDING_MISALIGNED },
    { KERNEL (EXPECT ("16") COPY_IN "[s + 1024], [%rd1 + 8], 16, [m];\n"),
      CURED_FINDING_MISALIGNED },
    { KERNEL (EXPECT ("1024") COPY_IN "[s + 1280], [%rd1], 1024, [m];\n"),
      CURED_FINDING_OUT_OF_BOUNDS },
    { KERNEL (EXPECT ("1024") COPY_IN "[s], [%rd1 + 16], 1024, [m];\n"),
      CURED_FINDING_OUT_OF_BOUNDS },
    { KERNEL (EXPECT ("16") COPY_IN "[s], [%rd1], 16, [m + 8192];\n"),
      CURED_FINDING_OUT_OF_BOUNDS },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_auto (CuredReport) report = { 0 };
      guint32 words[256];
      gboolean is_found = FALSE;

      fill (words);
      run (cases[c].ptx, words, &report);
      for (guint i = 0; i < report.findings->len; i++)
        {
          const CuredFinding *finding = report.findings->pdata[i];

          is_found |= finding->kind == cases[c].kind;
        }
      g_assert_true (is_found);
    }
}

/* Forms that the ISA does not have. */
TEST ("/bulk/forms")
{
  static const char *const bodies[] = {
    "cp.async.bulk.shared::cluster.global.bulk_group [s], [%rd1], 16;\n",
    "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%rd1], [s], 16, [m];\n",
    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16, [m];\n",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 16;\n",
    "cp.async.bulk.global.global.bulk_group [%rd1], [%rd1], 16;\n",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [s], 16;\n",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.s32 [%rd1], [s], 16;\n",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile [s], [%rd1], [m];\n",
    "setmaxnreg.inc.sync.aligned.u32 20;\n",
    "fence.mbarrier_init.acquire.cluster;\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree char *ptx =
          g_strdup_printf (".version 8.0\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry k () {\n.reg .b64 %%rd<9>;\n"
                           ".shared .align 16 .b8 s[64]; .shared .align 8 .b8 m[8];\n"
                           "%sret;\n}\n",
                           bodies[i]);

      REFUSES (cured_ptx_module_parse (ptx, -1, "forms.ptx", &fail), "forms.ptx:7:");
    }
}

/* A warp that waits at a barrier in memory does not run while it waits: how long the other one
 * takes to get there changes none of its counts. */
TEST ("/bulk/waiting")
{
  static const char *const turns[] = { "1", "3000" };
  guint64 issued[2];

  for (gsize i = 0; i < G_N_ELEMENTS (turns); i++)
    {
      g_autofree char *ptx =
          g_strdup_printf (".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k (.param .u64 p) {\n"
                           ".reg .pred %%p<9>; .reg .b32 %%r<9>;\n"
                           ".shared .align 8 .b8 m[8];\n"
                           "mov.u32 %%r1, %%tid.x; setp.ne.u32 %%p1, %%r1, 0;\n"
                           "@!%%p1 mbarrier.init.shared.b64 [m], 1;\n"
                           "bar.sync 0; setp.ge.u32 %%p3, %%r1, 32; @%%p3 bra W;\n"
                           "mov.u32 %%r2, 0;\n"
                           "L: add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p2, %%r2, %s;\n"
                           "@%%p2 bra L;\n"
                           "@!%%p1 mbarrier.arrive.shared.b64 _, [m];\n"
                           "bra E;\n"
                           "W: mbarrier.try_wait.parity.shared.b64 %%p2, [m], 0;\n"
                           "@!%%p2 bra W;\n"
                           "E: ret;\n}\n",
                           turns[i]);
      g_auto (CuredReport) report = { 0 };
      guint32 words[256] = { 0 };

      run (ptx, words, &report);
      g_assert_cmpuint (report.findings->len, ==, 0);
      issued[i] = 0;
      for (guint site = 0; site < report.n_counts; site++)
        if (report.counts[site].issued < 1000)
          issued[i] += report.counts[site].issued;
    }
  /* All but the loop, whose three instructions are left out the second time. */
  g_assert_cmpuint (issued[0] - 3, ==, issued[1]);
}
