/* SPDX-License-Identifier: MIT
 * Clusters and cooperative launches: what blocks see of each other, and what is found and
 * refused. */
#include <cured.h>
#include <string.h>

#include "test.h"

#define THREADS 64
#define BLOCKS  4
#define WORDS   (THREADS * BLOCKS)

/* THREADS threads a block. %r1 is the thread, %r2 the rank in the cluster, %r3 the next rank, %r5
 * the thread's word of s, %rd2 where its result goes, and %r9 is the result. */
#define KERNEL(body) KERNEL_AS ("", body)
#define KERNEL_AS(directive, body)                                                                 \
  ".version 8.1\n.target sm_90\n.address_size 64\n"                                                \
  ".visible .entry k (.param .u64 p) " directive " {\n"                                            \
  ".reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;\n"                                        \
  ".shared .align 8 .b8 m[8]; .shared .align 16 .b8 s[1024];\n"                                    \
  "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"                                                 \
  "mov.u32 %r2, %cluster_ctarank; mov.u32 %r8, %cluster_nctarank;\n"                               \
  "add.u32 %r3, %r2, 1; rem.u32 %r3, %r3, %r8;\n"                                                  \
  "mov.u32 %r4, s; mad.lo.u32 %r5, %r1, 4, %r4;\n"                                                 \
  "mov.u32 %r6, %ctaid.x; mad.lo.u32 %r7, %r6, 64, %r1;\n"                                         \
  "mul.wide.u32 %rd2, %r7, 4; add.u64 %rd2, %rd1, %rd2;\n" body                                    \
  "st.global.u32 [%rd2], %r9;\nret;\n}\n"

#define SYNC                                                                                       \
  "barrier.cluster.arrive.release.aligned;\n"                                                      \
  "barrier.cluster.wait.acquire.aligned;\n"
#define STORE "st.shared.u32 [%r5], %r7;\n"
#define NEXT  "mapa.shared::cluster.u32 %r10, %r5, %r3;\n"

typedef struct
{
  guint32 words[WORDS];
  CuredReport report;
  GError *error;
} Run;

static void
run (Run *self, const char *ptx, CuredLaunch launch)
{
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 20);
  g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (ptx, -1, "cluster.ptx", &self->error);
  guint64 address;

  g_assert_no_error (self->error);
  memset (self->words, 0, sizeof self->words);
  cured_memory_allocate (memory, sizeof self->words, &address, &self->error);
  g_assert_no_error (self->error);
  memset (cured_memory_map (memory, address, sizeof self->words), 0, sizeof self->words);
  cured_ptx_module_link (module, memory, &self->error);
  g_assert_no_error (self->error);
  launch.module = module;
  launch.memory = memory;
  launch.entry = "k";
  launch.grid[0] = launch.grid[0] == 0 ? BLOCKS : launch.grid[0];
  launch.grid[1] = launch.grid[2] = 1;
  launch.block[0] = THREADS;
  launch.block[1] = launch.block[2] = 1;
  launch.parameters = &address;
  launch.parameters_bytes = sizeof address;
  launch.watch = CURED_WATCH_RACES | CURED_WATCH_UNDEFINED;
  launch.max_instructions = 10000000;
  cured_emulator_launch (&launch, &self->report, NULL, &self->error);
  memcpy (self->words, cured_memory_map (memory, address, sizeof self->words), sizeof self->words);
  for (guint i = 0; self->report.findings != NULL && i < self->report.findings->len; i++)
    {
      g_autofree char *text = cured_finding_to_string (self->report.findings->pdata[i]);

      g_test_message ("%s", text);
    }
}

static guint32
get_kinds (const Run *self)
{
  guint32 kinds = 0;

  for (guint i = 0; i < self->report.findings->len; i++)
    kinds |= 1u << ((CuredFinding *) self->report.findings->pdata[i])->kind;
  return kinds;
}

static void
run_clear (Run *self)
{
  cured_report_clear (&self->report);
  g_clear_error (&self->error);
}

/* Each way to reach the next block of the cluster, of two blocks: the result is the other block's
 * word, and nothing is found. */
TEST ("/cluster/ways")
{
  static const char *const bodies[] = {
    KERNEL (STORE SYNC NEXT "ld.shared::cluster.u32 %r9, [%r10];\n" SYNC),
    /* Generic addresses. */
    KERNEL (STORE SYNC "cvt.u64.u32 %rd3, %r5; cvta.shared::cluster.u64 %rd3, %rd3;\n"
                       "mapa.u64 %rd4, %rd3, %r3; ld.u32 %r9, [%rd4];\n" SYNC),
    /* A store into the other block. */
    KERNEL (SYNC NEXT "xor.b32 %r11, %r7, 64;\n"
                      "st.shared::cluster.u32 [%r10], %r7;\n" SYNC "ld.shared.u32 %r9, [%r5];\n"),
    KERNEL ("st.shared.u32 [%r5], 0;\n" SYNC NEXT
            "atom.shared::cluster.add.u32 %r11, [%r10], %r7;\n" SYNC "ld.shared.u32 %r9, [%r5];\n"),
    KERNEL ("st.shared.u32 [%r5], 0;\n" SYNC NEXT "red.shared::cluster.add.u32 [%r10], %r7;\n" SYNC
            "ld.shared.u32 %r9, [%r5];\n"),
    /* Arriving long before waiting. */
    KERNEL (STORE "barrier.cluster.arrive.aligned;\n"
                  "mov.u32 %r9, 0;\n"
                  "barrier.cluster.wait.aligned;\n" NEXT
                  "ld.shared::cluster.u32 %r9, [%r10];\n" SYNC),
    /* A fence in place of the release. */
    KERNEL (STORE "fence.acq_rel.cluster;\n"
                  "barrier.cluster.arrive.relaxed.aligned;\n"
                  "barrier.cluster.wait.acquire.aligned;\n" NEXT
                  "ld.shared::cluster.u32 %r9, [%r10];\n" SYNC),
    /* A barrier in the other block's shared memory. */
    KERNEL ("setp.eq.u32 %p1, %r1, 0;\n"
            "@%p1 mbarrier.init.shared.b64 [m], 64;\n" SYNC NEXT
            "st.shared::cluster.u32 [%r10], %r7;\n"
            "mov.u32 %r12, m; mapa.shared::cluster.u32 %r12, %r12, %r3;\n"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];\n"
            "W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p2, [m], 0;\n@!%p2 bra W;\n"
            "ld.shared.u32 %r9, [%r5];\n" SYNC),
    KERNEL ("setp.eq.u32 %p1, %r1, 0;\n"
            "@%p1 mbarrier.init.shared.b64 [m], 1;\n"
            "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 256;\n" SYNC NEXT
            "mov.u32 %r12, m; mapa.shared::cluster.u32 %r12, %r12, %r3;\n"
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r10], %r7, [%r12];\n"
            "W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n"
            "@!%p2 bra W;\n"
            "ld.shared.u32 %r9, [%r5];\n" SYNC),
    KERNEL ("setp.eq.u32 %p1, %r1, 0;\n"
            "@%p1 mbarrier.init.shared.b64 [m], 1;\n"
            "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 256;\n" STORE
            "fence.proxy.async.shared::cta;\n" SYNC
            "mov.u32 %r12, m; mapa.shared::cluster.u32 %r12, %r12, %r3;\n"
            "add.u32 %r13, %r4, 512;\n"
            "mapa.shared::cluster.u32 %r13, %r13, %r3;\n"
            "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r13], "
            "[s], 256, [%r12];\n"
            "W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n"
            "@!%p2 bra W;\n"
            "ld.shared.u32 %r9, [%r5 + 512];\n" SYNC),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    for (guint64 seed = 0; seed < 3; seed++)
      {
        Run r = { 0 };

        g_test_message ("%zu", i);
        run (&r, bodies[i], (CuredLaunch){ .cluster = { 2, 1, 1 }, .seed = seed });
        g_assert_no_error (r.error);
        g_assert_cmpint (r.report.end, ==, CURED_END_DONE);
        g_assert_cmphex (get_kinds (&r), ==, 0);
        for (guint w = 0; w < WORDS; w++)
          g_assert_cmpuint (r.words[w], ==, w ^ THREADS);
        run_clear (&r);
      }
}

/* One copy to both blocks. */
TEST ("/cluster/multicast")
{
  Run r = { 0 };

  run (&r,
       KERNEL ("setp.eq.u32 %p1, %r1, 0; st.global.u32 [%rd2], %r7;\n"
               "@%p1 mbarrier.init.shared.b64 [m], 1;\n"
               "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 256;\n" SYNC
               "setp.eq.u32 %p3, %r2, 0; and.pred %p3, %p1, %p3;\n"
               "{ .reg .b16 h; mov.b16 h, 3;\n"
               "@%p3 "
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
               "cluster [s], [%rd2], 256, [m], h; }\n"
               "W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n"
               "@!%p2 bra W;\n"
               "ld.shared.u32 %r9, [%r5];\n" SYNC),
       (CuredLaunch){ .cluster = { 2, 1, 1 } });
  g_assert_no_error (r.error);
  g_assert_cmpint (r.report.end, ==, CURED_END_DONE);
  for (guint w = 0; w < WORDS; w++)
    g_assert_cmpuint (r.words[w], ==, w & ~(guint32) THREADS);
  run_clear (&r);
}

/* What the special registers and instructions say of a block's place. */
TEST ("/cluster/places")
{
  static const struct
  {
    const char *body;
    guint32 results[BLOCKS]; /* in clusters of two */
    guint32 alone[BLOCKS];   /* without clusters */
  } cases[] = {
    { KERNEL ("mov.u32 %r9, %cluster_ctaid.x;\n"), { 0, 1, 0, 1 }, { 0, 0, 0, 0 } },
    { KERNEL ("mov.u32 %r9, %cluster_nctaid.x;\n"), { 2, 2, 2, 2 }, { 1, 1, 1, 1 } },
    { KERNEL ("mov.u32 %r9, %clusterid.x;\n"), { 0, 0, 1, 1 }, { 0, 1, 2, 3 } },
    { KERNEL ("mov.u32 %r9, %nclusterid.x;\n"), { 2, 2, 2, 2 }, { 4, 4, 4, 4 } },
    { KERNEL ("mov.pred %p1, %is_explicit_cluster;\n"
              "selp.u32 %r9, 1, 0, %p1;\n"),
      { 1, 1, 1, 1 },
      { 0, 0, 0, 0 } },
    { KERNEL (NEXT "getctarank.shared::cluster.u32 %r9, %r10;\n"), { 1, 0, 1, 0 }, { 0, 0, 0, 0 } },
    { KERNEL ("getctarank.shared::cluster.u32 %r9, %r5;\n"), { 0, 1, 0, 1 }, { 0, 0, 0, 0 } },
    /* Another block's is of the cluster, and not the block's own. */
    { KERNEL (NEXT "cvt.u64.u32 %rd3, %r10; cvta.shared::cluster.u64 %rd3, %rd3;\n"
                   "isspacep.shared::cluster %p1, %rd3;\n"
                   "isspacep.shared::cta %p2, %rd3;\n"
                   "isspacep.global %p3, %rd3;\n"
                   "selp.u32 %r9, 1, 0, %p1; @%p2 add.u32 %r9, %r9, 2;\n"
                   "@%p3 add.u32 %r9, %r9, 4;\n"),
      { 1, 1, 1, 1 },
      { 3, 3, 3, 3 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int is_alone = 0; is_alone < 2; is_alone++)
      {
        Run r = { 0 };

        g_test_message ("%zu", i);
        run (&r, cases[i].body, (CuredLaunch){ .cluster = { is_alone ? 0 : 2, 1, 1 } });
        g_assert_no_error (r.error);
        for (guint w = 0; w < WORDS; w++)
          g_assert_cmpuint (r.words[w], ==,
                            is_alone ? cases[i].alone[w / THREADS] : cases[i].results[w / THREADS]);
        run_clear (&r);
      }
}

TEST ("/cluster/findings")
{
  static const struct
  {
    const char *body;
    guint32 kinds;
  } cases[] = {
    /* A barrier of the block in place of the cluster's. */
    { KERNEL ("st.shared.u32 [%r5], 0;\n" SYNC STORE "bar.sync 0;\n" NEXT
              "ld.shared::cluster.u32 %r9, [%r10];\n" SYNC),
      1u << CURED_FINDING_RACE_SHARED },
    /* A store after arriving is not released. */
    { KERNEL ("st.shared.u32 [%r5], 0;\n" SYNC "barrier.cluster.arrive.aligned;\n" STORE
              "barrier.cluster.wait.aligned;\n" NEXT "ld.shared::cluster.u32 %r9, [%r10];\n" SYNC),
      1u << CURED_FINDING_RACE_SHARED },
    { KERNEL ("st.shared.u32 [%r5], 0;\n" SYNC STORE "barrier.cluster.arrive.relaxed.aligned;\n"
              "barrier.cluster.wait.aligned;\n" NEXT "ld.shared::cluster.u32 %r9, [%r10];\n" SYNC),
      1u << CURED_FINDING_RACE_SHARED },
    /* Blocks that may not have begun, or may have ended. */
    { KERNEL (NEXT "st.shared::cluster.u32 [%r10], %r7;\n" SYNC "ld.shared.u32 %r9, [%r5];\n"),
      1u << CURED_FINDING_ABSENT_BLOCK },
    { KERNEL (STORE SYNC NEXT "ld.shared::cluster.u32 %r9, [%r10];\n"),
      1u << CURED_FINDING_ABSENT_BLOCK },
    { KERNEL ("barrier.cluster.arrive.aligned;\n" SYNC "mov.u32 %r9, 0;\n"),
      1u << CURED_FINDING_DIVERGENT_BARRIER },
    { KERNEL ("barrier.cluster.wait.aligned; mov.u32 %r9, 0;\n"),
      1u << CURED_FINDING_DIVERGENT_BARRIER },
    /* Addresses of other blocks where one's own are asked for, and of blocks that are not there. */
    { KERNEL (STORE SYNC NEXT "mov.u32 %r9, 0; ld.shared.u32 %r9, [%r10];\n" SYNC),
      1u << CURED_FINDING_OUT_OF_BOUNDS },
    { KERNEL (STORE "mapa.shared::cluster.u32 %r10, %r5, 9; mov.u32 %r9, 0;\n"
                    "ld.shared::cluster.u32 %r9, [%r10];\n"),
      1u << CURED_FINDING_OUT_OF_BOUNDS },
    /* No thread waits for the values that the other block sends. */
    { KERNEL (
          "setp.eq.u32 %p1, %r1, 0;\n"
          "@%p1 mbarrier.init.shared.b64 [m], 1;\n"
          "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 256;\n"
          "st.shared.u32 [%r5], 0;\n" SYNC NEXT
          "mov.u32 %r12, m; mapa.shared::cluster.u32 %r12, %r12, %r3;\n"
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r10], %r7, [%r12];\n" SYNC
          "ld.shared.u32 %r9, [%r5];\n" SYNC),
      1u << CURED_FINDING_RACE_SHARED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint64 seed = 0; seed < 3; seed++)
      {
        Run r = { 0 };

        g_test_message ("%zu", i);
        run (&r, cases[i].body, (CuredLaunch){ .cluster = { 2, 1, 1 }, .seed = seed });
        g_assert_no_error (r.error);
        g_assert_cmphex (get_kinds (&r), ==, cases[i].kinds);
        run_clear (&r);
      }
}

/* A block that ends counts as arrived; one that never comes does not. */
TEST ("/cluster/exited")
{
  Run r = { 0 };

  run (&r,
       KERNEL ("mov.u32 %r9, 5; setp.eq.u32 %p1, %r2, 0;\n"
               "@%p1 bra E;\n" SYNC "E:\n"),
       (CuredLaunch){ .cluster = { 2, 1, 1 } });
  g_assert_cmpint (r.report.end, ==, CURED_END_DONE);
  run_clear (&r);
  run (&r,
       KERNEL ("setp.eq.u32 %p1, %r1, 0;\n"
               "@%p1 mbarrier.init.shared.b64 [m], 1; bar.sync 0;\n"
               "mov.u32 %r9, 5; setp.eq.u32 %p1, %r2, 0; @%p1 bra S;\n"
               "bar.sync 1, 96;\nbra E;\nS:\n" SYNC "E:\n"),
       (CuredLaunch){ .cluster = { 2, 1, 1 } });
  g_assert_cmpint (r.report.end, ==, CURED_END_DEADLOCK);
  run_clear (&r);
}

TEST ("/cluster/refused")
{
  static const struct
  {
    const char *directive;
    guint cluster[3];
    gboolean is_refused;
    guint32 n; /* blocks of a cluster, where it runs */
  } cases[] = {
    { KERNEL_AS (".reqnctapercluster 2, 1, 1", "mov.u32 %r9, %r8;\n"), { 0 }, FALSE, 2 },
    { KERNEL_AS (".explicitcluster .reqnctapercluster 2", "mov.u32 %r9, %r8;\n"),
      { 2, 1, 1 },
      FALSE,
      2 },
    { KERNEL_AS (".reqnctapercluster 2, 1, 1", "mov.u32 %r9, %r8;\n"), { 4, 1, 1 }, TRUE },
    { KERNEL ("mov.u32 %r9, %r8;\n"), { 4, 1, 1 }, FALSE, 4 },
    { KERNEL ("mov.u32 %r9, %r8;\n"), { 3, 1, 1 }, TRUE },
    { KERNEL ("mov.u32 %r9, %r8;\n"), { 2, 0, 1 }, TRUE },
    { KERNEL ("mov.u32 %r9, %r8;\n"), { 4, 4, 4 }, TRUE },
    { KERNEL ("mov.u32 %r9, %r8;\n"), { G_MAXUINT, G_MAXUINT, 2 }, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Run r = { 0 };
      CuredLaunch launch = { 0 };

      memcpy (launch.cluster, cases[i].cluster, sizeof launch.cluster);
      run (&r, cases[i].directive, launch);
      if (cases[i].is_refused)
        g_assert_error (r.error, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
      else
        {
          g_assert_no_error (r.error);
          g_assert_cmpuint (r.words[0], ==, cases[i].n);
        }
      run_clear (&r);
    }
}

/* Of a cluster all blocks run. */
TEST ("/cluster/some-blocks")
{
  const guint64 blocks[] = { 3 };
  Run r = { 0 };

  run (&r, KERNEL (STORE SYNC NEXT "ld.shared::cluster.u32 %r9, [%r10];\n" SYNC),
       (CuredLaunch){ .cluster = { 2, 1, 1 }, .blocks = blocks, .n_blocks = 1 });
  g_assert_no_error (r.error);
  g_assert_cmpuint (r.report.n_blocks_run, ==, 2);
  for (guint w = 0; w < WORDS; w++)
    g_assert_cmpuint (r.words[w], ==, w < 2 * THREADS ? 0 : w ^ THREADS);
  run_clear (&r);
}

/* ---- Cooperative launches ---- */

/* What cooperative_groups::this_grid ().sync () does, then a word of the next block. */
#define GRID                                                                                       \
  KERNEL ("mov.u32 %r20, %envreg1; mov.u32 %r21, %envreg2;\n"                                      \
          "mov.b64 %rd5, {%r21, %r20}; setp.ne.u64 %p1, %rd5, 0;\n"                                \
          "@%p1 bra T; trap;\nT: mov.u32 %r22, %nctaid.x;\n"                                       \
          "st.global.u32 [%rd2], %r7; bar.sync 0;\n"                                               \
          "setp.ne.u32 %p2, %r1, 0; @%p2 bra D;\n"                                                 \
          "setp.eq.u32 %p3, %r6, 0; sub.u32 %r23, 0x80000001, %r22;\n"                             \
          "selp.u32 %r23, %r23, 1, %p3;\n"                                                         \
          "atom.add.release.gpu.u32 %r24, [%rd5 + 4], %r23;\n"                                     \
          "L: ld.acquire.gpu.u32 %r25, [%rd5 + 4];\n"                                              \
          "xor.b32 %r25, %r25, %r24; setp.ge.s32 %p4, %r25, 0;\n"                                  \
          "@%p4 bra L;\nD: bar.sync 0;\n"                                                          \
          "xor.b32 %r26, %r7, 64; mul.wide.u32 %rd6, %r26, 4;\n"                                   \
          "add.u64 %rd6, %rd1, %rd6; ld.global.u32 %r9, [%rd6];\n"                                 \
          "bar.sync 0; add.u64 %rd2, %rd2, 0;\n"                                                   \
          "setp.ne.u32 %p2, %r9, %r26; @%p2 trap; ret;\n")

TEST ("/cooperative/barrier")
{
  for (guint threads = 1; threads <= 3; threads++)
    {
      Run r = { 0 };

      refuse_threads (threads == 3);
      run (&r, GRID, (CuredLaunch){ .is_cooperative = TRUE, .threads = threads });
      refuse_threads (FALSE);
      g_assert_no_error (r.error);
      g_assert_cmpint (r.report.end, ==, CURED_END_DONE);
      g_assert_cmphex (get_kinds (&r), ==, 0);
      run_clear (&r);
    }
}

TEST ("/cooperative/ordinary")
{
  Run r = { 0 };

  run (&r, GRID, (CuredLaunch){ 0 });
  g_assert_cmpint (r.report.end, ==, CURED_END_TRAPPED);
  const CuredFinding *finding = r.report.findings->pdata[0];
  g_assert_nonnull (strstr (finding->detail, "Cooperative=true"));
  run_clear (&r);
}

/* More blocks than can be alive at once, and some of the blocks. */
TEST ("/cooperative/refused")
{
  const guint64 blocks[] = { 0 };
  Run r = { 0 };

  run (&r, GRID, (CuredLaunch){ .is_cooperative = TRUE, .threads = 1, .grid = { 100000, 1, 1 } });
  g_assert_error (r.error, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
  g_assert_nonnull (strstr (r.error->message, "100000"));
  run_clear (&r);
  run (&r, GRID, (CuredLaunch){ .is_cooperative = TRUE, .blocks = blocks, .n_blocks = 1 });
  g_assert_error (r.error, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
  run_clear (&r);
}
