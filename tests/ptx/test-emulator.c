/* SPDX-License-Identifier: MIT
 * Warps, blocks and grids: which warp runs when, and how everything ends. */
#include <string.h>

#include "base/cured-error.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/parse/cured-ptx-parse.h"
#include "test.h"

/* No result depends on it: what is waited for always comes. */
#define PATIENCE_MS 600000

/* What every test's PTX begins with. */
#define HEADER ".version 8.3\n.target sm_90\n.address_size 64\n"

/* A kernel of one pointer parameter, in %rd1; %r1 is the thread's number in the grid, %r2 its
 * number in the block; %rd2 is the address of the thread's 32-bit element. */
#define KERNEL(body)                                                                               \
  HEADER ".visible .entry k (.param .u64 p) {\n"                                                   \
         ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                 \
         ".reg .f32 %f<5>;\n"                                                                      \
         "ld.param.u64 %rd1, [p];\n"                                                               \
         "mov.u32 %r2, %tid.x;\n"                                                                  \
         "mov.u32 %r3, %ctaid.x;\n"                                                                \
         "mov.u32 %r4, %ntid.x;\n"                                                                 \
         "mad.lo.u32 %r1, %r3, %r4, %r2;\n"                                                        \
         "mul.wide.u32 %rd2, %r1, 4;\n"                                                            \
         "add.u64 %rd2, %rd1, %rd2;\n" body "ret;\n}\n"

typedef struct
{
  CuredMemory *memory;
  CuredPtxModule *module;
  guint64 address;
  guint32 *words; /* what the kernel's pointer points to */
  CuredLaunch launch;
  CuredReport report;
} Fixture;

#define N_WORDS 65536

static void
setup (Fixture *self, const char *ptx, guint blocks, guint threads)
{
  memset (self, 0, sizeof *self);
  self->memory = cured_memory_new ((guint64) 1 << 32);
  g_assert_true (MUST (cured_memory_allocate (self->memory, N_WORDS * 4, &self->address, &fail)));
  self->words = cured_memory_map (self->memory, self->address, N_WORDS * 4);
  memset (self->words, 0, N_WORDS * 4);
  self->module = MUST (cured_ptx_module_parse (ptx, -1, "test.ptx", &fail));
  g_assert_true (MUST (cured_ptx_module_link (self->module, self->memory, &fail)));
  self->launch = (CuredLaunch){
    .module = self->module,
    .memory = self->memory,
    .entry = "k",
    .grid = { blocks, 1, 1 },
    .block = { threads, 1, 1 },
    .parameters = &self->address,
    .parameters_bytes = sizeof self->address,
    .watch = CURED_WATCH_COUNTS,
    .max_instructions = 10000000,
  };
}

static void
run (Fixture *self)
{
  cured_report_clear (&self->report);
  g_assert_true (MUST (cured_emulator_launch (&self->launch, &self->report, NULL, &fail)));
}

static void
teardown (Fixture *self)
{
  cured_report_clear (&self->report);
  cured_ptx_module_free (self->module);
  cured_memory_free (self->memory);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, teardown)

static guint
count_findings (const Fixture *self, CuredFindingKind kind)
{
  guint n = 0;

  for (guint i = 0; i < self->report.findings->len; i++)
    {
      const CuredFinding *finding = self->report.findings->pdata[i];

      n += finding->kind == kind;
    }
  return n;
}

static void
assert_clean (const Fixture *self)
{
  g_assert_cmpint (self->report.end, ==, CURED_END_DONE);
  for (guint i = 0; i < self->report.findings->len; i++)
    {
      g_autofree char *text = cured_finding_to_string (self->report.findings->pdata[i]);

      g_test_message ("%s", text);
    }
  g_assert_cmpuint (self->report.findings->len, ==, 0);
}

static void
run_clean (Fixture *self)
{
  run (self);
  assert_clean (self);
}

/* A vector register in the place of its parts, %tid with all its components, 128 bits as two parts,
 * and a bf16 as an f16 without a rounding, which is to nearest. */
TEST ("/emulator/whole-vectors")
{
  g_auto (Fixture) f;

  setup (
      &f,
      KERNEL (".reg .v4 .u32 t; .reg .v2 .b32 w; .reg .v2 .b16 h; .reg .b64 d; .reg .b16 a;\n"
              ".reg .b128 i, q; .local .b128 l;\n"
              "mov.v4.u32 t, %tid; add.u32 %r7, t.x, t.w; add.u32 w.x, %r7, 1; mov.u32 w.y, 5;\n"
              "mov.b64 d, w; add.u64 d, d, 0x200000000; mov.b128 q, {%rd2, d}; mov.b128 i, q;\n"
              "st.local.b128 [l], i; ld.local.b128 q, [l]; mov.b128 {_, d}, q; mov.b64 w, d;\n"
              "mul.lo.u32 %r7, w.x, w.y; mov.b32 h, %r7; mov.b32 %r8, h;\n"
              "mov.b16 a, 0x3f81; cvt.f16.bf16 h.y, a; mov.b32 %r7, h; and.b32 %r8, %r8, 0xffff;\n"
              "add.u32 %r7, %r7, %r8; st.global.u32 [%rd2], %r7;\n"),
      1, 32);
  run_clean (&f);
  for (guint i = 0; i < 32; i++)
    g_assert_cmphex (f.words[i], ==, 0x3c080000u + 2 * (i + 1) * 7);
}

/* ---- Divergence ---- */

TEST ("/emulator/each-thread")
{
  g_auto (Fixture) f;

  setup (&f, KERNEL ("st.global.u32 [%rd2], %r1;\n"), 7, 77);
  run_clean (&f);
  for (guint i = 0; i < N_WORDS; i++)
    g_assert_cmpuint (f.words[i], ==, i < 7 * 77 ? i : 0);
  g_assert_cmpuint (f.report.n_blocks_run, ==, 7);
  /* 8 instructions and a ret in each of the 3 warps of 7 blocks. */
  g_assert_cmpuint (f.report.instructions, ==, 9 * 3 * 7);
  g_assert_cmpuint (f.report.lane_instructions, ==, 9 * 77 * 7);
}

/* Lane i goes i times round a loop; both sides of a branch do half of the rest: the branches meet
 * again, so that what follows is issued once. */
TEST ("/emulator/merge")
{
  g_auto (Fixture) f;
  guint64 issued = 0;

  setup (&f,
         KERNEL ("mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
                 "LOOP: setp.ge.u32 %p1, %r6, %r2;\n"
                 "@%p1 bra DONE;\n"
                 "and.b32 %r7, %r6, 1; setp.eq.u32 %p2, %r7, 0;\n"
                 "@%p2 bra EVEN;\n"
                 "add.u32 %r5, %r5, 100; bra.uni NEXT;\n"
                 "EVEN: add.u32 %r5, %r5, 1;\n"
                 "NEXT: add.u32 %r6, %r6, 1; bra LOOP;\n"
                 "DONE: st.global.u32 [%rd2], %r5;\n"),
         1, 32);
  run_clean (&f);
  for (guint i = 0; i < 32; i++)
    g_assert_cmpuint (f.words[i], ==, (i + 1) / 2 + i / 2 * 100);
  for (guint i = 0; i < f.report.n_counts; i++)
    {
      g_auto (CuredPtxPlace) place = { 0 };

      cured_ptx_module_get_place (f.module, i, &place);
      if (place.text != NULL && strstr (place.text, "st.global") != NULL)
        {
          issued += f.report.counts[i].issued;
          g_assert_cmpuint (f.report.counts[i].lanes, ==, 32);
        }
    }
  g_assert_cmpuint (issued, ==, 1);
}

/* A lock that one lane holds while the others of its warp spin on it. */
TEST ("/emulator/lock-in-warp")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL ("SPIN: atom.global.cas.b32 %r5, [%rd1], 0, 1;\n"
                 "setp.ne.u32 %p1, %r5, 0;\n"
                 "@%p1 bra SPIN;\n"
                 "ld.volatile.global.u32 %r6, [%rd1+4];\n"
                 "add.u32 %r6, %r6, 1;\n"
                 "st.volatile.global.u32 [%rd1+4], %r6;\n"
                 "membar.gl;\n"
                 "atom.global.exch.b32 %r5, [%rd1], 0;\n"),
         2, 64);
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_DONE);
  g_assert_cmpuint (f.words[1], ==, 128);
}

/* Every block waits for the one after it. */
TEST ("/emulator/wait-between-blocks")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL ("setp.eq.u32 %p1, %r3, 40;\n"
                 "@%p1 bra GO;\n"
                 "SPIN: ld.volatile.global.u32 %r5, [%rd2+4];\n"
                 "setp.eq.u32 %p2, %r5, 0;\n"
                 "@%p2 bra SPIN;\n"
                 "GO: st.volatile.global.u32 [%rd2], 1;\n"),
         41, 1);
  f.launch.max_instructions = 0;
  f.launch.time_limit_ms = PATIENCE_MS;
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_DONE);
  for (guint i = 0; i < 41; i++)
    g_assert_cmpuint (f.words[i], ==, 1);
}

/* ---- Barriers ---- */

/* Each thread reads what its mirror image wrote. */
#define REVERSE(barrier)                                                                           \
  KERNEL (".shared .align 4 .b8 tile[4096];\n"                                                     \
          "mov.u32 %r5, tile; shl.b32 %r6, %r2, 2; add.u32 %r7, %r5, %r6;\n"                       \
          "st.shared.u32 [%r7], %r1;\n" barrier "sub.u32 %r8, %r4, %r2; sub.u32 %r8, %r8, 1;\n"    \
          "shl.b32 %r8, %r8, 2; add.u32 %r8, %r5, %r8;\n"                                          \
          "ld.shared.u32 %r9, [%r8];\n"                                                            \
          "st.global.u32 [%rd2], %r9;\n")

TEST ("/emulator/barrier")
{
  static const char *const barriers[] = {
    REVERSE ("bar.sync 0;\n"),
    REVERSE ("barrier.sync 3;\n"),
    REVERSE ("bar.cta.sync 0;\n"),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (barriers); i++)
    {
      Fixture f;

      setup (&f, barriers[i], 5, 200);
      run (&f);
      assert_clean (&f);
      for (guint j = 0; j < 1000; j++)
        g_assert_cmpuint (f.words[j], ==, j / 200 * 200 + 199 - j % 200);
      g_assert_cmpuint (f.report.barriers, ==, 5 * 7);
      teardown (&f);
    }
}

TEST ("/emulator/barrier-reduction")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL ("setp.lt.u32 %p1, %r2, 45;\n"
                 "bar.red.popc.u32 %r5, 0, %p1;\n"
                 "bar.red.and.pred %p2, 0, %p1;\n"
                 "bar.red.or.pred %p3, 0, !%p1;\n"
                 "selp.u32 %r6, 1000, 0, %p2; selp.u32 %r7, 2000, 0, %p3;\n"
                 "add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7;\n"
                 "st.global.u32 [%rd2], %r5;\n"),
         1, 100);
  run_clean (&f);
  for (guint i = 0; i < 100; i++)
    g_assert_cmpuint (f.words[i], ==, 2045);
}

/* One warp makes what the other uses: named barriers of 64 threads. */
TEST ("/emulator/named-barriers")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL (".shared .align 4 .b8 tile[128];\n"
                 "mov.u32 %r5, tile; and.b32 %r6, %r2, 31;\n"
                 "shl.b32 %r6, %r6, 2; add.u32 %r5, %r5, %r6;\n"
                 "setp.lt.u32 %p1, %r2, 32;\n"
                 "@%p1 bra MAKER;\n"
                 "bar.sync 1, 64; ld.shared.u32 %r7, [%r5];\n"
                 "st.global.u32 [%rd2], %r7; bra END;\n"
                 "MAKER: st.shared.u32 [%r5], %r2; bar.arrive 1, 64;\n"
                 "END:\n"),
         3, 64);
  run_clean (&f);
  for (guint i = 0; i < 192; i++)
    g_assert_cmpuint (f.words[i], ==, i % 64 < 32 ? 0 : i % 32);
}

/* The barrier stands where only some lanes come; and the twin, where two ways lead to one
 * barrier. */
TEST ("/emulator/divergent-barrier")
{
  Fixture f;

  setup (&f,
         KERNEL ("setp.ge.u32 %p1, %r2, 16;\n"
                 "@%p1 bra SKIP;\n"
                 "bar.sync 0;\n"
                 "SKIP: st.global.u32 [%rd2], %r1;\n"),
         1, 32);
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_DONE);
  g_assert_cmpuint (count_findings (&f, CURED_FINDING_DIVERGENT_BARRIER), ==, 1);
  teardown (&f);

  setup (&f,
         KERNEL ("setp.ge.u32 %p1, %r2, 16;\n"
                 "@%p1 bra FAR;\n"
                 "add.u32 %r1, %r1, 1;\n"
                 "NEAR: bar.sync 0;\n"
                 "st.global.u32 [%rd2], %r1;\n"
                 "bra END;\n"
                 "FAR: add.u32 %r1, %r1, 2;\n"
                 "bra NEAR;\n"
                 "END:\n"),
         1, 64);
  run_clean (&f);
  teardown (&f);
}

/* Each half of the block has a barrier of its own; the twin has one for both. */
TEST ("/emulator/different-barriers")
{
  static const char *const bodies[] = {
    KERNEL ("setp.ge.u32 %p1, %r2, 32;\n"
            "@%p1 bra FAR;\n"
            "bar.sync 0;\n"
            "bra END;\n"
            "FAR: bar.sync 0;\n"
            "END: st.global.u32 [%rd2], %r1;\n"),
    KERNEL ("setp.ge.u32 %p1, %r2, 32;\n"
            "@%p1 bra FAR;\n"
            "add.u32 %r1, %r1, 0;\n"
            "FAR: bar.sync 0;\n"
            "END: st.global.u32 [%rd2], %r1;\n"),
  };

  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      Fixture f;

      setup (&f, bodies[i], 1, 64);
      run (&f);
      g_assert_cmpint (f.report.end, ==, CURED_END_DONE);
      g_assert_cmpuint (f.report.findings->len, ==, 1 - i);
      g_assert_cmpuint (count_findings (&f, CURED_FINDING_DIVERGENT_BARRIER), ==, 1 - i);
      g_assert_cmpuint (f.words[63], ==, 63);
      teardown (&f);
    }
}

TEST ("/emulator/exited-barrier")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL ("setp.ge.u32 %p1, %r2, 40;\n"
                 "@%p1 bra END;\n"
                 "bar.sync 0;\n"
                 "st.global.u32 [%rd2], %r1;\n"
                 "END:\n"),
         1, 96);
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_DONE);
  g_assert_cmpuint (count_findings (&f, CURED_FINDING_EXITED_BARRIER), ==, 1);
  g_assert_cmpuint (count_findings (&f, CURED_FINDING_DIVERGENT_BARRIER), ==, 0);
  g_assert_cmpuint (f.words[39], ==, 39);
}

TEST ("/emulator/deadlock")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL ("setp.ge.u32 %p1, %r2, 32;\n"
                 "@%p1 bra OTHER;\n"
                 "bar.sync 1, 64;\n"
                 "OTHER: bar.sync 2, 64;\n"),
         2, 64);
  f.launch.max_instructions = 0;
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_DEADLOCK);
  g_assert_cmpuint (count_findings (&f, CURED_FINDING_DEADLOCK), ==, 1);
  g_assert_nonnull (strstr (f.report.end_text, "waiting at barrier"));
}

/* ---- mbarriers ---- */

/* A kernel with an mbarrier of @n arrivals at [bar], which one thread makes. */
#define BARRIER_KERNEL(n, body)                                                                    \
  KERNEL (".shared .align 8 .b64 bar;\n"                                                           \
          "setp.ne.u32 %p1, %r2, 0;\n"                                                             \
          "@!%p1 mbarrier.init.shared.b64 [bar], " n ";\n"                                         \
          "bar.sync 0;\n" body)

#define TRY       "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n"
#define TEST_WAIT "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n"

/* Ways to wait for ever: the launch ends, and names the missing warps. */
TEST ("/emulator/stall")
{
  static const struct
  {
    const char *ptx, *missing;
  } cases[] = {
    { BARRIER_KERNEL ("65", "mbarrier.arrive.shared.b64 _, [bar];\n"
                            "W: " TRY "@!%p2 bra W;\n"),
      "1 of 65" },
    { BARRIER_KERNEL ("1", "@%p1 bra W;\n"
                           "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 48;\n"
                           "W: " TEST_WAIT "@!%p2 bra W;\n"),
      ": 48" },
    { BARRIER_KERNEL ("1", "W: " TEST_WAIT "@%p2 bra E; nanosleep.u32 20;\n"
                           "bra W;\n E:"),
      "1 of 1" },
    /* The longer it takes, the longer it sleeps. */
    { BARRIER_KERNEL ("1", "mov.u64 %rd3, %globaltimer;\n"
                           "W: " TRY "@%p2 bra E;\n"
                           "mov.u64 %rd4, %globaltimer;\n"
                           "sub.u64 %rd4, %rd4, %rd3;\n"
                           "cvt.u32.u64 %r9, %rd4;\n"
                           "nanosleep.u32 %r9;\n"
                           "bra W;\n E:"),
      "1 of 1" },
    /* One warp waits, the other one waits for it. */
    { BARRIER_KERNEL ("1", "setp.ge.u32 %p3, %r2, 32;\n"
                           "@%p3 bra E;\n"
                           "W: " TRY "@!%p2 bra W;\n"
                           "E: bar.sync 0;\n"),
      "1 of 1" },
    /* Lanes of one warp wait in two places. */
    { BARRIER_KERNEL ("2", "and.b32 %r9, %r2, 1;\n"
                           "setp.ne.u32 %p3, %r9, 0;\n"
                           "@%p3 bra W;\n"
                           "V: " TEST_WAIT "@!%p2 bra V;\n"
                           "bra E;\n"
                           "W: " TRY "@!%p2 bra W;\n"
                           "E:"),
      "2 of 2" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint64 seed = 0; seed < 3; seed++)
      {
        Fixture f;

        setup (&f, cases[i].ptx, 2, 64);
        f.launch.max_instructions = 0;
        f.launch.seed = seed;
        run (&f);
        g_test_message ("%s", f.report.end_text);
        g_assert_cmpint (f.report.end, ==, CURED_END_DEADLOCK);
        g_assert_cmpuint (count_findings (&f, CURED_FINDING_DEADLOCK), >=, 1);
        const CuredFinding *finding = f.report.findings->pdata[0];
        g_assert_nonnull (strstr (finding->object, "bar"));
        g_assert_nonnull (strstr (finding->detail, cases[i].missing));
        teardown (&f);
      }
}

/* What looks like that and ends. */
TEST ("/emulator/stall/none")
{
  static const char *const cases[] = {
    /* A number of tries. */
    BARRIER_KERNEL ("1", "mov.u32 %r9, 0;\n"
                         "W: " TRY "add.u32 %r9, %r9, 1;\n"
                         "setp.lt.u32 %p3, %r9, 500;\n"
                         "@%p3 bra W;\n"
                         "st.global.u32 [%rd2], 7;\n"),
    /* A time: a second. */
    BARRIER_KERNEL ("1", "mov.u64 %rd3, %globaltimer;\n"
                         "W: " TRY "@%p2 bra E;\n"
                         "mov.u64 %rd4, %globaltimer;\n"
                         "sub.u64 %rd4, %rd4, %rd3;\n"
                         "setp.lt.u64 %p3, %rd4, 1000000000;\n"
                         "@%p3 bra W;\n"
                         "E: st.global.u32 [%rd2], 7;\n"),
    /* A flag that another block sets, which runs later. */
    BARRIER_KERNEL ("1", "setp.ne.u32 %p3, %r3, 0;\n"
                         "@%p3 bra E;\n"
                         "W: " TRY "ld.volatile.global.u32 %r9, [%rd1+1020];\n"
                         "setp.ne.u32 %p3, %r9, 7;\n"
                         "@%p3 bra W;\n"
                         "E: st.volatile.global.u32 [%rd2], 7;\n"),
    /* The first warp gives up, and lets the second one through. */
    BARRIER_KERNEL ("1", "setp.ge.u32 %p3, %r2, 32;\n"
                         "@%p3 bra V;\n" TRY "@!%p1 mbarrier.arrive.shared.b64 _, [bar];\n"
                         "V: " TRY "@!%p2 bra V;\n"
                         "st.global.u32 [%rd2], 7;\n"),
    /* It gives up while the other one looks for what it will do then. */
    BARRIER_KERNEL ("1", ".shared .align 4 .b32 flag;\n"
                         "@!%p1 st.shared.u32 [flag], 0;\n"
                         "bar.sync 0;\n"
                         "setp.ge.u32 %p3, %r2, 32;\n"
                         "@%p3 bra V;\n" TRY "@!%p1 st.volatile.shared.u32 [flag], 1;\n"
                         "V: ld.volatile.shared.u32 %r9, [flag];\n"
                         "setp.eq.u32 %p3, %r9, 0;\n"
                         "@%p3 bra V;\n"
                         "st.global.u32 [%rd2], 7;\n"),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint64 seed = 0; seed < 3; seed++)
      {
        Fixture f;

        setup (&f, cases[i], 4, 64);
        f.launch.max_instructions = 0;
        f.launch.time_limit_ms = PATIENCE_MS;
        f.launch.seed = seed;
        run (&f);
        assert_clean (&f);
        for (guint w = 0; w < 4 * 64; w++)
          g_assert_cmpuint (f.words[w], ==, 7);
        teardown (&f);
      }
}

/* A phase that is over late: a wait counts as one instruction, however often it was looked at. */
TEST ("/emulator/stall/counts")
{
  g_auto (Fixture) f;

  setup (&f,
         BARRIER_KERNEL ("32", "setp.ge.u32 %p3, %r2, 32;\n"
                               "@%p3 bra W;\n"
                               "mov.u32 %r9, 0;\n"
                               "L: add.u32 %r9, %r9, 1;\n"
                               "setp.lt.u32 %p4, %r9, 100000;\n"
                               "@%p4 bra L;\n"
                               "mbarrier.arrive.shared.b64 _, [bar];\n"
                               "bra E;\n"
                               "W: " TRY "@!%p2 bra W;\n"
                               "E: st.global.u32 [%rd2], 7;\n"),
         1, 96);
  run_clean (&f);
  g_assert_cmpuint (f.report.instructions, <, 300200);
}

/* Lanes that copy different numbers of bytes, or none, are one request to global memory, and write
 * all that they have to shared memory. */
TEST ("/emulator/short-copies")
{
  g_auto (Fixture) f;
  guint64 requests = 0, shared = 0, wavefronts = 0, sectors = 0;

  setup (&f,
         KERNEL (".shared .align 16 .b8 tile[512];\n"
                 "mov.u32 %r5, tile;\n"
                 "mad.lo.u32 %r5, %r2, 16, %r5;\n"
                 "mul.wide.u32 %rd3, %r2, 16;\n"
                 "add.u64 %rd3, %rd3, %rd1;\n"
                 "and.b32 %r6, %r2, 3;\n"
                 "mul.lo.u32 %r6, %r6, 4;\n"
                 "cp.async.ca.shared.global [%r5], [%rd3], 16, %r6;\n"
                 "cp.async.wait_all;\n"),
         1, 32);
  run_clean (&f);
  for (guint i = 0; i < f.report.n_counts; i++)
    {
      requests += f.report.counts[i].requests;
      shared += f.report.counts[i].shared_requests;
      wavefronts += f.report.counts[i].wavefronts;
      sectors += f.report.counts[i].sectors;
    }
  g_assert_cmpuint (requests - shared, ==, 1);
  g_assert_cmpuint (shared, ==, 1);
  g_assert_cmpuint (wavefronts, ==, 4);
  /* 4 and 8 bytes of lanes 1 and 2 of each four, 12 of the last one: a sector has two lanes, and
   * lines of four are one request. */
  g_assert_cmpuint (sectors, ==, 16);
}

/* ---- Warp synchronization ---- */

TEST ("/emulator/warp-sync")
{
  g_auto (Fixture) f;

  /* Both ways have a __syncwarp() of all lanes: they meet, wherever each stands. */
  setup (&f,
         KERNEL ("setp.ge.u32 %p1, %r2, 16;\n"
                 "@%p1 bra FAR;\n"
                 "bar.warp.sync 0xffffffff;\n"
                 "bra END;\n"
                 "FAR: bar.warp.sync 0xffffffff;\n"
                 "END: st.global.u32 [%rd2], 1;\n"),
         1, 32);
  run_clean (&f);
  g_assert_cmpuint (f.words[31], ==, 1);
}

/* ---- Calls ---- */

TEST ("/emulator/recursion")
{
  g_auto (Fixture) f;

  setup (&f,
         HEADER ".func (.param .b32 ret) fac (.param .b32 a) {\n"
                ".reg .pred %p<3>; .reg .b32 %r<9>;\n"
                "ld.param.u32 %r1, [a];\n"
                "setp.lt.u32 %p1, %r1, 2;\n"
                "mov.u32 %r2, 1;\n"
                "@%p1 bra OUT;\n"
                "sub.u32 %r3, %r1, 1;\n"
                "{ .param .b32 x; st.param.b32 [x], %r3; .param .b32 y;\n"
                "call.uni (y), fac, (x);\n"
                "ld.param.b32 %r4, [y]; }\n"
                "mul.lo.u32 %r2, %r4, %r1;\n"
                "OUT: st.param.b32 [ret], %r2;\n"
                "ret;\n}\n"
                ".visible .entry k (.param .u64 p) {\n"
                ".reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
                "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
                "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;\n"
                "and.b32 %r2, %r1, 7;\n"
                "{ .param .b32 x; st.param.b32 [x], %r2; .param .b32 y;\n"
                "call.uni (y), fac, (x);\n"
                "ld.param.b32 %r3, [y]; }\n"
                "st.global.u32 [%rd2], %r3; ret; }\n",
         1, 64);
  run_clean (&f);
  for (guint i = 0; i < 64; i++)
    {
      guint want = 1;

      for (guint j = 2; j <= (i & 7); j++)
        want *= j;
      g_assert_cmpuint (f.words[i], ==, want);
    }
}

TEST ("/emulator/stack-overflow")
{
  g_auto (Fixture) f;

  setup (&f,
         HEADER ".func deep () { call.uni deep; ret; }\n"
                ".visible .entry k (.param .u64 p) { call.uni deep; ret; }\n",
         2, 64);
  f.launch.max_instructions = 0;
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_TRAPPED);
  g_assert_cmpuint (count_findings (&f, CURED_FINDING_STACK_OVERFLOW), ==, 1);
}

/* ---- Ends ---- */

TEST ("/emulator/endless")
{
  g_auto (Fixture) f;

  setup (&f, KERNEL ("FOREVER: bra FOREVER;\n"), 100, 64);
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_TIMED_OUT);
  g_assert_nonnull (strstr (f.report.end_text, "running"));
  f.launch.max_instructions = 0;
  f.launch.time_limit_ms = 50;
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_TIMED_OUT);
}

static void
sleep_cb (const CuredTraced *access, gpointer user_data)
{
  g_usleep (3 * G_USEC_PER_SEC / 2);
}

/* Time that other programs take on the processor does not count. */
TEST ("/emulator/patient")
{
  Fixture f;

  setup (&f,
         KERNEL ("mov.u32 %r5, 0;\n"
                 "st.global.u32 [%rd2], %r5;\n"
                 "LOOP: add.u32 %r5, %r5, 1;\n"
                 "setp.lt.u32 %p1, %r5, 10000;\n"
                 "@%p1 bra LOOP;\n"),
         1, 32);
  f.launch.trace = sleep_cb;
  f.launch.time_limit_ms = 1000;
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_TIMED_OUT);
  f.launch.time_limit_ms = 0;
  f.launch.cpu_limit_ms = 1000;
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_DONE);
  teardown (&f);

  setup (&f, KERNEL ("FOREVER: bra FOREVER;\n"), 1, 32);
  f.launch.max_instructions = 0;
  f.launch.cpu_limit_ms = 50;
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_TIMED_OUT);
  teardown (&f);
}

static gpointer
cancel_soon (gpointer data)
{
  g_usleep (20000);
  g_cancellable_cancel (data);
  return NULL;
}

TEST ("/emulator/cancel")
{
  g_auto (Fixture) f;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  setup (&f, KERNEL ("FOREVER: bra FOREVER;\n"), 1, 32);
  f.launch.max_instructions = 0;
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);
  FAILS (cured_emulator_launch (&f.launch, &f.report, cancellable, &fail), G_IO_ERROR,
         G_IO_ERROR_CANCELLED, "");
  g_thread_join (thread);
}

TEST ("/emulator/trap")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL ("setp.eq.u32 %p1, %r2, 5;\n"
                 "@%p1 trap;\n"
                 "st.global.u32 [%rd2], 1;\n"),
         1, 32);
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_TRAPPED);
  g_assert_cmpuint (count_findings (&f, CURED_FINDING_TRAP), ==, 1);
}

/* What cooperative_groups::this_grid ().sync () does without a cooperative launch. */
TEST ("/emulator/trap/grid")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL ("mov.u32 %r3, %envreg2;\n"
                 "setp.eq.u32 %p1, %r3, 0;\n"
                 "@%p1 trap;\n"),
         1, 32);
  run (&f);
  g_assert_cmpint (f.report.end, ==, CURED_END_TRAPPED);
  g_assert_cmpuint (count_findings (&f, CURED_FINDING_TRAP), ==, 1);
  const CuredFinding *finding = f.report.findings->pdata[0];
  g_assert_nonnull (strstr (finding->detail, "cooperative launch"));
}

/* Below a thread's local memory. */
TEST ("/emulator/below-local")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL (".local .b32 l[4]; mov.u64 %rd3, l;\n"
                 "st.local.u32 [%rd3 + -1048576], 1;\n"),
         1, 1);
  run (&f);
  g_assert_cmpuint (count_findings (&f, CURED_FINDING_OUT_OF_BOUNDS), ==, 1);
  const CuredFinding *finding = f.report.findings->pdata[0];
  g_test_message ("%s", finding->object);
  g_assert_true (g_str_has_prefix (finding->object, "local memory, byte -"));
}

TEST ("/emulator/refused")
{
  static const struct
  {
    guint grid, block;
    const char *entry;
    gsize shared_bytes;
    int code;
  } cases[] = {
    { 0, 32, "k", 0, CURED_ERROR_NOT_LAUNCHABLE },
    { 1, 0, "k", 0, CURED_ERROR_NOT_LAUNCHABLE },
    { 1, 1025, "k", 0, CURED_ERROR_NOT_LAUNCHABLE },
    { 1, 32, "nobody", 0, CURED_ERROR_NOT_FOUND },
    { 1, 32, "k", (gsize) 1 << 40, CURED_ERROR_NOT_LAUNCHABLE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Fixture f;

      setup (&f, KERNEL (""), cases[i].grid, cases[i].block);
      f.launch.entry = cases[i].entry;
      f.launch.shared_bytes = cases[i].shared_bytes;
      FAILS (cured_emulator_launch (&f.launch, &f.report, NULL, &fail), CURED_ERROR, cases[i].code,
             "");
      teardown (&f);
    }
}

/* What the directives of a kernel say of its blocks, and the driver insists on: the product of
 * .maxntid, each dimension of .reqntid. */
TEST ("/emulator/bounds")
{
  static const struct
  {
    const char *directive;
    guint block[3];
    const char *words[2]; /* of the message; NULL: it is launched */
  } cases[] = {
    { "", { 1024, 1, 1 }, { NULL } },
    { ".maxntid 128", { 128, 1, 1 }, { NULL } },
    { ".maxntid 128, 1, 1", { 32, 4, 1 }, { NULL } },
    { ".maxntid 128", { 129, 1, 1 }, { "at most 128", "has 129" } },
    { ".maxntid 16, 8, 1", { 32, 4, 2 }, { "at most 128", "has 256" } },
    { ".reqntid 64", { 64, 1, 1 }, { NULL } },
    { ".reqntid 64", { 32, 1, 1 }, { "64 × 1 × 1", "32 × 1 × 1" } },
    { ".reqntid 64", { 128, 1, 1 }, { "at most 64", "has 128" } },
    { ".reqntid 16, 4, 2", { 16, 4, 2 }, { NULL } },
    { ".reqntid 16, 4, 2", { 4, 16, 2 }, { "Block=16,4,2", "4 × 16 × 2" } },
    { ".minnctapersm 2 .maxntid 32", { 33, 1, 1 }, { "at most 32", "33" } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Fixture f;
      g_autofree char *ptx = g_strdup_printf (".version 8.0\n.target sm_90\n.address_size 64\n"
                                              ".entry k(.param .u64 p) %s {\nret;\n}\n",
                                              cases[i].directive);
      g_autoptr (GError) error = NULL;

      setup (&f, ptx, 1, 1);
      memcpy (f.launch.block, cases[i].block, sizeof f.launch.block);
      gboolean is_launched = cured_emulator_launch (&f.launch, &f.report, NULL, &error);
      if (cases[i].words[0] == NULL)
        {
          g_assert_no_error (error);
          g_assert_true (is_launched);
        }
      else
        {
          g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
          for (gsize k = 0; k < G_N_ELEMENTS (cases[i].words); k++)
            if (strstr (error->message, cases[i].words[k]) == NULL)
              g_error ("“%s” is not in: %s", cases[i].words[k], error->message);
        }
      teardown (&f);
    }
}

/* ---- What must not depend on the host ---- */

TEST ("/emulator/threads-and-seeds")
{
  g_auto (Fixture) f;
  guint64 instructions = 0;

  setup (&f, REVERSE ("bar.sync 0;\n"), 200, 96);
  for (guint i = 0; i < 12; i++)
    {
      f.launch.threads = 1 + i % 4;
      f.launch.seed = i / 4;
      memset (f.words, 0, N_WORDS * 4);
      run (&f);
      assert_clean (&f);
      if (i == 0)
        instructions = f.report.instructions;
      g_assert_cmpuint (f.report.instructions, ==, instructions);
      for (guint j = 0; j < 200 * 96; j++)
        g_assert_cmpuint (f.words[j], ==, j / 96 * 96 + 95 - j % 96);
    }
}

/* A block stores pairs of equal values until another one has seen a hundred of them: no pair is
 * ever torn. */
TEST ("/emulator/whole-pairs")
{
  g_auto (Fixture) f;

  setup (&f,
         KERNEL ("mul.wide.u32 %rd3, %r2, 16; add.u64 %rd3, %rd1, %rd3;\n"
                 "mov.b64 %rd4, 0; mov.u32 %r5, 0; mov.u32 %r6, 0; setp.eq.u32 %p1, %r3, 0;\n"
                 "@!%p1 bra LOOK;\n"
                 "STORE: add.u64 %rd4, %rd4, 1;\n"
                 "st.relaxed.gpu.global.v2.u64 [%rd3], {%rd4, %rd4};\n"
                 "ld.relaxed.gpu.global.u32 %r7, [%rd1+8192];\n"
                 "setp.eq.u32 %p2, %r7, 0; @%p2 bra STORE; bra OUT;\n"
                 "LOOK: ld.relaxed.gpu.global.v2.u64 {%rd5, %rd6}, [%rd3];\n"
                 "setp.ne.u64 %p2, %rd5, %rd6; @%p2 add.u32 %r5, %r5, 1;\n"
                 "setp.ne.u64 %p2, %rd5, %rd4; @%p2 add.u32 %r6, %r6, 1; mov.b64 %rd4, %rd5;\n"
                 "setp.lt.u32 %p3, %r6, 100; @%p3 bra LOOK;\n"
                 "st.relaxed.gpu.global.u32 [%rd1+8192], 1;\n"
                 "OUT: st.global.u32 [%rd2+4096], %r5;\n"),
         2, 32);
  f.launch.threads = 2;
  f.launch.watch = 0;
  f.launch.max_instructions = 0;
  run_clean (&f);
  for (guint i = 0; i < 64; i++)
    g_assert_cmpuint (f.words[1024 + i], ==, 0);
}

TEST ("/emulator/chosen-blocks")
{
  static const guint64 blocks[] = { 3, 17 };
  g_auto (Fixture) f;

  setup (&f, KERNEL ("st.global.u32 [%rd2], 1;\n"), 20, 32);
  f.launch.blocks = blocks;
  f.launch.n_blocks = G_N_ELEMENTS (blocks);
  run_clean (&f);
  g_assert_cmpuint (f.report.n_blocks_run, ==, 2);
  for (guint i = 0; i < 20 * 32; i++)
    g_assert_cmpuint (f.words[i], ==, i / 32 == 3 || i / 32 == 17);
}

/* Of each block the first instructions run, though none comes to an end: of what it loads, a sector
 * is the others', too, and four are its own. It is left in a call, which the next block knows
 * nothing of. */
TEST ("/emulator/first-instructions")
{
  static const CuredLimits limits = { .sms = 4 };
  g_auto (Fixture) f;

  setup (&f,
         HEADER ".func spin (.param .b64 own, .param .b64 all) {\n"
                ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                "ld.param.u64 %rd1, [own]; ld.param.u64 %rd2, [all];\n"
                "AGAIN: ld.global.u32 %r1, [%rd1];\n"
                "ld.global.u32 %r2, [%rd2+65536];\n"
                "bra AGAIN; }\n"
                ".visible .entry k (.param .u64 p) {\n"
                ".reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
                "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
                "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 32, %r1;\n"
                "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd1, %rd2;\n"
                "{ .param .b64 x; st.param.b64 [x], %rd2;\n"
                ".param .b64 y; st.param.b64 [y], %rd1;\n"
                "call.uni spin, (x, y); } ret; }\n",
         8, 32);
  f.launch.limits = &limits;
  f.launch.watch |= CURED_WATCH_REUSE;
  f.launch.resident_blocks = 2;
  f.launch.turn = 16;
  f.launch.first_instructions = 100;
  run_clean (&f);
  g_assert_cmpuint (f.report.n_blocks_run, ==, 8);
  g_assert_cmpuint (f.report.instructions, ==, 8 * 7 * 16);
  g_assert_cmpuint (f.report.n_regions, ==, 1);
  g_assert_cmpuint (f.report.regions[0].by_block, ==, 8 * (4 + 1));
  g_assert_cmpuint (f.report.regions[0].by_all, ==, 8 * 4 + 1);
}

/* A product of matrices whose value goes to memory is not formed where one only counts; one that
 * decides an address, a branch or which lanes go on is. What is counted is the same either way. */
TEST ("/emulator/counting")
{
#define PRODUCT                                                                                    \
  "mov.b32 %r5, 0x3c003c00; mov.f32 %f1, 0f00000000;\n"                                            \
  "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},\n"                          \
  " {%r5,%r5}, {%r5}, {%f1,%f1,%f1,%f1};\n"                                                        \
  "cvt.rzi.u32.f32 %r6, %f1;\n"
  static const struct
  {
    const char *text;
    gboolean is_spared;
  } cases[] = {
    { KERNEL (PRODUCT "st.global.u32 [%rd2], %r6;\n"), TRUE },
    { KERNEL (PRODUCT "mul.wide.u32 %rd3, %r6, 4; add.u64 %rd3, %rd3, %rd2;\n"
                      "st.global.u32 [%rd3], %r6;\n"),
      FALSE },
    { KERNEL (PRODUCT "setp.eq.u32 %p1, %r6, 8;\n"
                      "@%p1 bra OUT; st.global.u32 [%rd2], %r6; OUT:\n"),
      FALSE },
    { KERNEL (PRODUCT "setp.eq.u32 %p1, %r6, 8;\n"
                      "@%p1 st.global.u32 [%rd2+1024], %r6;\n"),
      FALSE },
    /* By way of memory, which is read again. */
    { KERNEL (PRODUCT "st.global.u32 [%rd2], %r6; ld.global.u32 %r7, [%rd2];\n"
                      "mul.wide.u32 %rd3, %r7, 4; add.u64 %rd3, %rd3, %rd2;\n"
                      "ld.global.u32 %r8, [%rd3];\n"),
      FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint64 written;
      gboolean is_zero = TRUE;
      Fixture f;

      setup (&f, cases[i].text, 1, 32);
      run (&f);
      assert_clean (&f);
      guint64 instructions = f.report.lane_instructions;
      written = f.report.regions[0].written;
      memset (f.words, 0, N_WORDS * 4);
      f.launch.is_counting = TRUE;
      run (&f);
      assert_clean (&f);
      g_assert_cmpuint (f.report.lane_instructions, ==, instructions);
      g_assert_cmpuint (f.report.regions[0].written, ==, written);
      for (guint w = 0; w < N_WORDS; w++)
        is_zero = is_zero && f.words[w] == 0;
      if (written > 0)
        g_assert_cmpint (is_zero, ==, cases[i].is_spared);
      teardown (&f);
    }
#undef PRODUCT
}

/* ---- printf ---- */

TEST ("/emulator/printf")
{
  g_auto (Fixture) f;

  /* "%d %5.2f %s\n" of thread 0 of each block; blocks in their order. */
  setup (&f,
         HEADER ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                ".global .align 1 .b8 fmt[13] = {37,100,32,37,53,46,50,102,32,37,115,10,0};\n"
                ".global .align 1 .b8 str[4] = {97,98,99,0};\n"
                ".visible .entry k (.param .u64 p) {\n"
                ".local .align 8 .b8 depot[24]; .reg .b64 %SP; .reg .b64 %SPL;\n"
                ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                ".reg .f64 %fd<2>;\n"
                "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;\n"
                "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0;\n"
                "@%p1 bra END;\n"
                "add.u64 %rd1, %SP, 0; mov.u32 %r2, %ctaid.x;\n"
                "sub.u32 %r2, 0, %r2;\n"
                "st.local.u32 [%SPL], %r2;\n"
                "mov.f64 %fd1, 0d400921FB54442D18; st.local.f64 [%SPL+8], %fd1;\n"
                "mov.u64 %rd3, str; cvta.global.u64 %rd4, %rd3;\n"
                "st.local.u64 [%SPL+16], %rd4;\n"
                "mov.u64 %rd5, fmt; cvta.global.u64 %rd6, %rd5;\n"
                "{ .param .b64 x; st.param.b64 [x], %rd6;\n"
                ".param .b64 y; st.param.b64 [y], %rd1; .param .b32 z;\n"
                "call.uni (z), vprintf, (x, y); ld.param.b32 %r3, [z]; }\n"
                "END: ret; }\n",
         3, 64);
  f.launch.watch |= CURED_WATCH_UNDEFINED;
  run_clean (&f);
  g_assert_nonnull (f.report.output);
  g_assert_cmpstr (f.report.output->str, ==, "0  3.14 abc\n-1  3.14 abc\n-2  3.14 abc\n");
}
