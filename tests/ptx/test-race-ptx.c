/* SPDX-License-Identifier: MIT
 * The race detector, watching small programs that the emulator runs: what orders, and the same
 * without it. */
#include <cured.h>
#include <string.h>

#include "test.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

/* A kernel of one pointer parameter, in %rd1, with 1 KiB of shared memory and an mbarrier. %r1 is
 * the thread in its block, %r2 the block, %r3 the number of blocks, %r5 the address of the thread's
 * word of shared memory, %rd2 that of the thread's word in global memory. */
#define KERNEL(body)                                                                               \
  HEADER ".visible .entry k (.param .u64 p) {\n"                                                   \
         ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                 \
         ".shared .align 16 .b8 s[4096]; .shared .align 8 .b8 m[8];\n"                             \
         "ld.param.u64 %rd1, [p];\n"                                                               \
         "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;mov.u32 %r4, s; "     \
         "mad.lo.u32 %r5, %r1, 4, %r4;\n"                                                          \
         "mad.lo.u32 %r6, %r2, 256, %r1; mul.wide.u32 %rd2, %r6, 4;\n"                             \
         "add.u64 %rd2, %rd1, %rd2;\n" body "ret;\n}\n"

#define INACTIVE (1u << CURED_FINDING_INACTIVE_LANE)
#define EVEN     "and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 0;\n"

/* Even lanes go to a vote by @branch, that names the lanes of @mask; after that comes @join. */
#define AROUND(mask, branch, join)                                                                 \
  KERNEL (EVEN branch "\nLATER: add.u32 %r10, %r1, 1;\n"                                           \
                      "VOTE: vote.sync.ballot.b32 %r8, %p1, " mask "; bra JOIN;\n"                 \
                      "NONE: mov.u32 %r8, 0;\nJOIN: " join "END: ")

/* A compare-and-swap of s[2] in a loop, whose first guess is a plain read of @read. */
#define GUESS(read)                                                                                \
  KERNEL ("setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s + 4], 0; add.u32 %r9, %r4, 8;\n"         \
          "@%p1 st.shared.u32 [s + 8], 0; bar.sync 0; ld.shared.u32 %r7, [" read "];\n"            \
          "T: mov.u32 %r8, %r7; add.u32 %r10, %r8, 1;\n"                                           \
          "atom.shared.cas.b32 %r7, [%r9], %r8, %r10; setp.ne.u32 %p2, %r7, %r8; @%p2 bra T;\n"    \
          "@%p1 st.shared.u32 [s + 4], 7;\n")

/* Likewise, with the first swap in front of the loop; @again is what goes on. */
#define GUESS_ONCE(read, again)                                                                    \
  KERNEL ("setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s + 4], 0; add.u32 %r9, %r4, 8;\n"         \
          "@%p1 st.shared.u32 [s + 8], 0; bar.sync 0; ld.shared.u32 %r7, [" read "];\n"            \
          "add.u32 %r10, %r7, 1; atom.shared.cas.b32 %r8, [%r9], %r7, %r10;\n" again               \
          "@%p1 st.shared.u32 [s + 4], 7;\n")
#define AGAIN                                                                                      \
  "setp.eq.u32 %p2, %r8, %r7; @%p2 bra D; T: mov.u32 %r7, %r8; add.u32 %r10, %r7, 1;\n"            \
  "atom.shared.cas.b32 %r8, [%r9], %r7, %r10; setp.ne.u32 %p2, %r8, %r7; @%p2 bra T; D:\n"

typedef struct
{
  const char *name;
  guint blocks, threads;
  guint32 expected; /* kinds of findings */
  const char *ptx;
} Program;

#define SHARED (1u << CURED_FINDING_RACE_SHARED)
#define GLOBAL (1u << CURED_FINDING_RACE_GLOBAL)

static const Program programs[] = {
#include "race-programs.def"
};

TEST_ROWS ("/race-ptx/%s", programs)
{
  const Program *program = data;
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 30);
  g_autoptr (CuredPtxModule) module =
      MUST (cured_ptx_module_parse (program->ptx, -1, "race.ptx", &fail));
  guint64 address;

  MUST (cured_memory_allocate (memory, 1 << 20, &address, &fail));
  g_assert_true (MUST (cured_ptx_module_link (module, memory, &fail)));
  /* In every order, on one thread and on several. */
  for (guint turn = 0; turn < 8; turn++)
    {
      g_auto (CuredReport) report = { 0 };
      CuredLaunch launch = {
        .module = module,
        .memory = memory,
        .entry = "k",
        .grid = { program->blocks, 1, 1 },
        .block = { program->threads, 1, 1 },
        .parameters = &address,
        .parameters_bytes = sizeof address,
        .watch = CURED_WATCH_RACES,
        .max_instructions = 50000000,
        .threads = 1 + turn % 4,
        .seed = turn,
      };
      guint32 found = 0;

      memset (cured_memory_map (memory, address, 1 << 20), 0, 1 << 20);
      MUST (cured_emulator_launch (&launch, &report, NULL, &fail));
      g_assert_cmpint (report.end, ==, CURED_END_DONE);
      for (guint i = 0; i < report.findings->len; i++)
        {
          const CuredFinding *finding = report.findings->pdata[i];
          g_autofree char *text = cured_finding_to_string (finding);

          g_test_message ("%s", text);
          found |= 1u << finding->kind;
        }
      g_assert_cmphex (found, ==, program->expected);
    }
}

/* Block 0 reads what @p points to; block 1 stores where @address says, which makes a %rd4. */
#define STORE_TO(address)                                                                          \
  HEADER ".visible .entry k (.param .u64 p, .param .u64 q) {\n"                                    \
         ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                 \
         "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];\n"                                       \
         "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0;\n"                                       \
         "@%p1 bra STORE;\n"                                                                       \
         "ld.global.u32 %r2, [%rd1];\n"                                                            \
         "ret;\n"                                                                                  \
         "STORE:\n" address "st.global.u32 [%rd4], 1;\n"                                           \
         "ret;\n}\n"

/* Only buffers that a kernel may write are watched: however the address of the store comes about,
 * the buffer that it is in has to be one of them. */
TEST ("/race-ptx/reach")
{
  static const struct
  {
    const char *ptx;
    gboolean is_alias; /* q is p */
    gboolean is_found;
    gboolean is_stray; /* it left the buffer that its address is made of */
    gint offset;       /* of q in its buffer */
  } cases[] = {
    { STORE_TO ("mov.u64 %rd4, %rd2;\n"), FALSE, FALSE },
    { STORE_TO ("mov.u64 %rd4, %rd2;\n"), TRUE, TRUE },
    { STORE_TO ("add.u64 %rd4, %rd1, 0;\n"), FALSE, TRUE },
    /* A pointer out of memory. */
    { STORE_TO ("ld.global.u64 %rd4, [%rd2];\n"), FALSE, TRUE },
    { STORE_TO ("ld.global.u64 %rd4, [%rd2 + 8];\n"), FALSE, FALSE },
    /* Out of halves. */
    { STORE_TO ("mov.b64 {%r3, %r4}, %rd1; mov.b64 %rd4, {%r3, %r4};\n"), FALSE, TRUE },
    /* One of two. */
    { STORE_TO ("setp.eq.u32 %p2, %r1, 1; selp.b64 %rd4, %rd1, %rd2, %p2;\n"), FALSE, TRUE },
    /* By a distance that the kernel reads. */
    { STORE_TO ("ld.global.u64 %rd3, [%rd2 + 16]; add.u64 %rd4, %rd2, %rd3;\n"), FALSE, TRUE },
    /* By an index that leads out of the buffer: the earlier reader is not known, and the store is
     * found by itself. */
    { STORE_TO ("ld.global.s32 %r3, [%rd2 + 16]; cvt.s64.s32 %rd3, %r3;\n"
                "add.u64 %rd4, %rd2, %rd3;\n"),
      FALSE, FALSE, TRUE },
    { STORE_TO ("ld.global.s32 %r3, [%rd2 + 24]; cvt.s64.s32 %rd3, %r3;\n"
                "add.u64 %rd4, %rd2, %rd3;\n"),
      FALSE, FALSE, FALSE },
    /* Back from the end. */
    { STORE_TO ("add.s64 %rd4, %rd2, -4;\n"), FALSE, FALSE, FALSE, 4096 },
    { STORE_TO ("add.s64 %rd4, %rd2, -8192;\n"), FALSE, FALSE, TRUE, 4096 },
    /* To the element before the first one, and on from there. */
    { STORE_TO ("add.s64 %rd4, %rd2, 4;\n"), FALSE, FALSE, FALSE, -4 },
    { STORE_TO ("add.s64 %rd4, %rd2, 4;\n"), TRUE, TRUE, FALSE, -4 },
    /* A distance of pointers, in 32 bits, may lead anywhere. */
    { STORE_TO ("cvt.u32.u64 %r3, %rd1; cvt.u32.u64 %r4, %rd2;\n"
                "sub.s32 %r3, %r3, %r4; cvt.s64.s32 %rd3, %r3;\n"
                "add.u64 %rd4, %rd2, %rd3;\n"),
      FALSE, FALSE, FALSE },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 30);
      g_autoptr (CuredPtxModule) module =
          MUST (cured_ptx_module_parse (cases[c].ptx, -1, "reach.ptx", &fail));
      g_auto (CuredReport) report = { 0 };
      guint64 addresses[3];
      CuredLaunch launch = {
        .module = module,
        .memory = memory,
        .entry = "k",
        .grid = { 2, 1, 1 },
        .block = { 1, 1, 1 },
        .parameters = addresses,
        .parameters_bytes = 2 * sizeof addresses[0],
        .watch = CURED_WATCH_RACES,
        .max_instructions = 1000,
        .threads = 1,
      };
      guint n_strays = 0, n_races = 0;

      for (gsize i = 0; i < G_N_ELEMENTS (addresses); i++)
        cured_memory_allocate (memory, 4096, &addresses[i], &error);
      g_assert_no_error (error);
      g_assert_true (cured_ptx_module_link (module, memory, &error));
      memset (cured_memory_map (memory, addresses[0], 4096), 0, 4096);
      guint64 *words = (guint64 *) (void *) cured_memory_map (memory, addresses[1], 4096);
      words[0] = addresses[0];
      words[1] = addresses[2];
      words[2] = addresses[0] - addresses[1];
      words[3] = 64;
      if (cases[c].is_alias)
        addresses[1] = addresses[0];
      addresses[1] += (guint64) cases[c].offset;
      MUST (cured_emulator_launch (&launch, &report, NULL, &fail));
      g_assert_cmpint (report.end, ==, CURED_END_DONE);
      g_test_message ("case %zu", c);
      for (guint i = 0; i < report.findings->len; i++)
        {
          const CuredFinding *finding = report.findings->pdata[i];

          n_strays += finding->kind == CURED_FINDING_OUT_OF_BOUNDS;
          n_races += finding->kind == CURED_FINDING_RACE_GLOBAL;
        }
      g_assert_cmpuint (n_strays, ==, cases[c].is_stray ? 1 : 0);
      /* Of a stray store it is a matter of order. */
      if (!cases[c].is_stray && c + 1 < G_N_ELEMENTS (cases))
        g_assert_cmpuint (n_races, ==, cases[c].is_found ? 1 : 0);
    }
}
