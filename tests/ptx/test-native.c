/* SPDX-License-Identifier: MIT
 * Translated code against the interpreter: random programs, whose registers, memory, counts and
 * findings have to be the same. */
#include <string.h>

#include "ptx/emulator/cured-emulator.h"
#include "ptx/parse/cured-ptx-parse.h"
#include "test.h"

#define N_PROGRAMS 60
#define N_THREADS  88 /* the last of three warps has 24 */
#define N_BLOCKS   3
#define WORDS      64 /* a thread has in the buffer */
#define N_WORDS    (N_THREADS * N_BLOCKS * WORDS)

static guint64 state;

static guint
pick (guint n)
{
  state =
      state * G_GUINT64_CONSTANT (6364136223846793005) + G_GUINT64_CONSTANT (1442695040888963407);
  return (guint) (state >> 33) % n;
}

#define PICK(list) (list)[pick (G_N_ELEMENTS (list))]

/* ---- Programs ---- */

/* R: a register of 32 bits, H: of 16, F: of an f32, D: of an f64, L: of 64 bits, P: a predicate, Q:
 * one, perhaps negated, I: a number, A: an address of the thread's own words, S: of shared memory,
 * T: one that neighbours share. */
static const char *const templates[] = {
  "add.s32 R, R, R;",
  "sub.s32 R, R, R;",
  "sub.s32 R, I, R;",
  "mul.lo.s32 R, R, R;",
  "mul.hi.u32 R, R, R;",
  "mul.hi.s32 R, R, I;",
  "mad.lo.s32 R, R, R, R;",
  "mad.lo.s32 R, R, I, R;",
  "and.b32 R, R, R;",
  "or.b32 R, R, R;",
  "xor.b32 R, R, I;",
  "not.b32 R, R;",
  "shl.b32 R, R, R;",
  "shl.b32 R, R, I;",
  "shr.u32 R, R, R;",
  "shr.s32 R, R, I;",
  "shf.l.wrap.b32 R, R, R, I;",
  "shf.r.clamp.b32 R, R, R, 9;",
  "shf.r.wrap.b32 R, R, R, R;",
  "lop3.b32 R, R, R, R, 0x96;",
  "lop3.b32 R, R, R, I, 0xe8;",
  "prmt.b32 R, R, R, 0x4321;",
  "popc.b32 R, R;",
  "clz.b32 R, R;",
  "bfe.u32 R, R, 3, 9;",
  "bfe.s32 R, R, 8, 24;",
  "bfe.u32 R, R, R, R;",
  "bfi.b32 R, R, R, 4, 8;",
  "min.s32 R, R, R;",
  "max.u32 R, R, I;",
  "min.s64 L, L, L;",
  "max.u64 L, L, L;",
  "abs.s32 R, R;",
  "abs.s64 L, L;",
  "neg.s32 R, R;",
  "neg.s64 L, L;",
  "div.u32 R, R, R;",
  "selp.b32 R, R, R, Q;",
  "selp.b32 R, I, I, Q;",
  "selp.b64 L, L, L, Q;",
  "selp.f32 F, F, F, Q;",
  "setp.lt.s32 P, R, R;",
  "setp.eq.u32 P, R, I;",
  "setp.ge.u32 P, R, R;",
  "setp.hi.u32 P, R, R;",
  "setp.gt.s64 P, L, L;",
  "setp.ls.u64 P, L, L;",
  "setp.lt.and.s32 P, R, R, Q;",
  "setp.ne.or.s64 P, L, L, Q;",
  "setp.le.xor.u32 P, R, I, Q;",
  "setp.lt.s32 P|P, R, R;",
  "setp.lt.f32 P, F, F;",
  "setp.ne.f32 P, F, F;",
  "setp.geu.f32 P, F, F;",
  "setp.neu.f32 P, F, F;",
  "setp.gtu.f64 P, D, D;",
  "setp.num.f64 P, D, D;",
  "setp.nan.f32 P, F, F;",
  "setp.lt.ftz.f32 P, F, F;",
  "and.pred P, P, P;",
  "xor.pred P, P, P;",
  "or.pred P, P, P;",
  "not.pred P, P;",
  "mov.pred P, P;",
  "mov.b32 R, I;",
  "mov.u32 R, %laneid;",
  "mov.u32 R, %ctaid.x;",
  "mov.b64 L, {R, R};",
  "mov.b64 {R, R}, L;",
  "mov.b32 F, R;",
  "mov.b32 R, F;",
  "mov.b64 D, L;",
  "mov.b64 L, D;",
  "mov.b16 H, H;",
  "add.s16 H, H, H;",
  "and.b16 H, H, H;",
  "setp.ne.s16 P, H, H;",
  "mul.wide.s16 R, H, H;",
  "cvt.u32.u16 R, H;",
  "cvt.s32.s16 R, H;",
  "cvt.u16.u32 H, R;",
  "cvt.u32.u8 R, R;",
  "cvt.s32.s16 R, R;",
  "cvt.s32.s8 R, R;",
  "cvt.u64.u32 L, R;",
  "cvt.s64.s32 L, R;",
  "cvt.u32.u64 R, L;",
  "cvt.u64.u16 L, H;",
  "add.rn.f32 F, F, F;",
  "add.rn.f32 F, F, 0f3F800000;",
  "sub.rn.f32 F, F, F;",
  "mul.rn.f32 F, F, F;",
  "fma.rn.f32 F, F, F, F;",
  "fma.rn.f32 F, F, 0f40490FDB, F;",
  "fma.rn.f32 F, F, F, 0fBF000000;",
  "fma.rz.f32 F, F, F, F;",
  "fma.rp.f32 F, F, F, F;",
  "add.rm.f32 F, F, F;",
  "mul.rz.f32 F, F, F;",
  "sub.rp.f32 F, F, F;",
  "add.rn.ftz.f32 F, F, F;",
  "mul.rn.ftz.f32 F, F, F;",
  "fma.rn.sat.f32 F, F, F, F;",
  "min.f32 F, F, F;",
  "max.f32 F, F, F;",
  "neg.f32 F, F;",
  "abs.f32 F, F;",
  "sqrt.rn.f32 F, F;",
  "rcp.rn.f32 F, F;",
  "div.rn.f32 F, F, F;",
  "rcp.approx.ftz.f32 F, F;",
  "ex2.approx.ftz.f32 F, F;",
  "add.rn.f64 D, D, D;",
  "sub.rn.f64 D, D, D;",
  "mul.rn.f64 D, D, D;",
  "mul.rz.f64 D, D, D;",
  "fma.rn.f64 D, D, D, D;",
  "div.rn.f64 D, D, D;",
  "sqrt.rn.f64 D, D;",
  "neg.f64 D, D;",
  "cvt.rn.f32.s32 F, R;",
  "cvt.rn.f32.u32 F, R;",
  "cvt.rn.f64.s32 D, R;",
  "cvt.rn.f64.u32 D, R;",
  "cvt.f64.f32 D, F;",
  "cvt.rn.f32.f64 F, D;",
  "cvt.rzi.s32.f32 R, F;",
  "cvt.rni.s32.f32 R, F;",
  "cvt.rmi.s32.f32 R, F;",
  "cvt.rpi.u32.f32 R, F;",
  "cvt.rzi.s32.f64 R, D;",
  "add.s64 L, L, L;",
  "sub.s64 L, L, I;",
  "mul.lo.s64 L, L, L;",
  "mad.lo.s64 L, L, L, L;",
  "mul.wide.s32 L, R, R;",
  "mul.wide.u32 L, R, I;",
  "mad.wide.u32 L, R, R, L;",
  "mad.wide.s32 L, R, I, L;",
  "shl.b64 L, L, R;",
  "shl.b64 L, L, 3;",
  "shr.u64 L, L, R;",
  "shr.s64 L, L, 7;",
  "xor.b64 L, L, L;",
  "and.b64 L, L, L;",
  "not.b64 L, L;",
  "add.cc.u32 R, R, R; addc.u32 R, R, R;",
  "ld.global.b32 R, [A];",
  "ld.global.b64 L, [A];",
  "ld.global.v2.b32 {R, R}, [A];",
  "ld.global.v4.f32 {F, F, F, F}, [A];",
  "ld.global.u8 H, [A];",
  "ld.global.s16 R, [A];",
  "ld.global.nc.f32 F, [T];",
  "ld.global.b32 R, [T];",
  "ld.global.f64 D, [T];",
  "st.global.b32 [A], R;",
  "st.global.b64 [A], L;",
  "st.global.v2.f32 [A], {F, F};",
  "st.global.u8 [A], H;",
  "ld.shared.b32 R, [S];",
  "ld.shared.f64 D, [S];",
  "ld.shared.v2.b32 {R, R}, [S];",
  "ld.shared.b32 R, [s_own];",
  "st.shared.b32 [S], R;",
  "st.shared.f64 [S], D;",
  "st.shared.b32 [s_own+8], R;",
  "ld.param.u32 R, [n];",
  "ld.param.u64 L, [p];",
  "atom.global.add.u32 R, [A], R;",
  "vote.sync.ballot.b32 R, P, -1;",
  "shfl.sync.bfly.b32 R, R, 5, 31, -1;",
  "bar.sync 0;",
};

/* Adds the operand of a template's letter; FALSE: it is none. */
static gboolean
add_operand (GString *text, char letter)
{
  static const struct
  {
    char letter;
    const char *name;
    guint n;
  } registers[] = { { 'R', "r", 6 }, { 'H', "h", 3 }, { 'F', "f", 4 },
                    { 'D', "d", 3 }, { 'L', "l", 4 }, { 'P', "p", 4 } };

  for (gsize i = 0; i < G_N_ELEMENTS (registers); i++)
    if (registers[i].letter == letter)
      {
        g_string_append_printf (text, "%%%s%u", registers[i].name, pick (registers[i].n));
        return TRUE;
      }
  if (letter == 'Q')
    g_string_append_printf (text, "%s%%p%u", pick (2) ? "!" : "", pick (4));
  else if (letter == 'I')
    g_string_append_printf (text, "%u", pick (4) == 0 ? (guint) (state >> 32) : pick (70));
  else if (letter == 'A')
    g_string_append_printf (text, "%%%s+%u", PICK (((const char *const[]){ "own", "row" })),
                            pick (4) * 16);
  else if (letter == 'T')
    g_string_append_printf (text, "%%%s+%u", PICK (((const char *const[]){ "row", "all" })),
                            pick (4) * 16);
  else if (letter == 'S')
    g_string_append_printf (text, "%%%s+%u", PICK (((const char *const[]){ "s4", "s8", "s0" })),
                            pick (4) * 8);
  else
    return FALSE;
  return TRUE;
}

static void
add_statement (GString *text, gboolean is_divergent)
{
  const char *from;
  char last = ' ';

  do
    from = PICK (templates);
  while (is_divergent && strstr (from, "sync") != NULL);
  if (pick (6) == 0 && strstr (from, "sync") == NULL && strchr (from, ';')[1] == '\0')
    g_string_append_printf (text, "@%s%%p%u ", pick (2) ? "!" : "", pick (4));
  /* Numbers have letters, too. */
  for (; *from != '\0'; last = *from++)
    if (g_ascii_isalnum (last) || g_ascii_isalnum (from[1]) || !add_operand (text, *from))
      g_string_append_c (text, *from);
  g_string_append_c (text, '\n');
}

static void
add_statements (GString *text, guint n, guint depth, guint *label)
{
  for (guint i = 0; i < n; i++)
    {
      guint what = depth < 3 ? pick (14) : 14;
      guint at = *label;

      if (what > 1)
        {
          add_statement (text, depth > 0);
          continue;
        }
      (*label)++;
      if (what == 0)
        g_string_append_printf (text, "@%s%%p%u bra S%u;\n", pick (2) ? "!" : "", pick (4), at);
      else
        g_string_append_printf (text,
                                "{ .reg .b32 n%u; .reg .pred q%u; and.b32 n%u, %%r%u, 3;\nS%u:", at,
                                at, at, pick (6), at);
      add_statements (text, 1 + pick (8), depth + 1, label);
      if (what == 0)
        g_string_append_printf (text, "S%u:\n", at);
      else
        g_string_append_printf (text,
                                "sub.s32 n%u, n%u, 1; setp.gt.s32 q%u, n%u, 0; @q%u bra S%u; }\n",
                                at, at, at, at, at, at);
    }
}

/* Values of registers to begin with. */
static const char *const firsts[] = {
  "ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%own];\n",
  "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%own+16];\n",
  "ld.global.v2.b64 {%l0, %l1}, [%own+32];\n",
  "ld.global.v2.f64 {%d0, %d1}, [%own+48];\n",
  "ld.global.v2.b64 {%l2, %l3}, [%own+64];\n",
  "ld.global.f64 %d2, [%own+80];\n",
  "ld.global.b16 %h0, [%own+88];\n",
  "ld.global.b16 %h1, [%own+90];\n",
  "mov.b16 %h2, 7;\n",
};

static char *
make_program (void)
{
  GString *text = g_string_new (
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k (.param .u64 p, .param .u32 n)\n{\n"
      ".reg .b32 %r<6>; .reg .b16 %h<3>; .reg .f32 %f<4>; .reg .f64 %d<3>; .reg .b64 %l<4>;\n"
      ".reg .pred %p<4>; .reg .b32 %t, %s4, %s8, %s0; .reg .b64 %own, %row, %all, %a;\n"
      ".shared .align 16 .b32 s_own[1024];\n"
      "mov.u32 %t, %ctaid.x; mov.u32 %r0, %ntid.x; mov.u32 %r1, %tid.x;\n"
      "ld.param.u64 %all, [p];\n"
      "mad.lo.u32 %t, %t, %r0, %r1; mul.wide.u32 %own, %t, 256; add.u64 %own, %own, %all;\n"
      /* A word for each lane of a warp, of the first thread's words of the block. */
      "mul.wide.u32 %row, %r1, 16; add.u64 %row, %row, %all;\n"
      "shl.b32 %s4, %r1, 2; shl.b32 %s8, %r1, 3; mov.u32 %s0, 64;\n"
      "st.shared.b64 [%s8], %own; bar.sync 0;\n");
  /* A register without one is 0 at first, in each block. */
  for (gsize i = 0; i < G_N_ELEMENTS (firsts); i++)
    if (pick (4) != 0)
      g_string_append (text, firsts[i]);
  g_string_append (text,
                   "setp.lt.s32 %p0, %r2, %r3; setp.ne.b32 %p1, %r4, 0; setp.gt.s32 %p2, %r1, 40;\n"
                   "setp.gt.s32 %p3, %r5, 0;\n");
  guint label = 0;

  add_statements (text, 30 + pick (120), 0, &label);
  g_string_append (
      text, "st.global.v4.b32 [%own], {%r0, %r1, %r2, %r3};\n"
            "st.global.v2.b32 [%own+16], {%r4, %r5};\n"
            "st.global.v4.f32 [%own+32], {%f0, %f1, %f2, %f3};\n"
            "st.global.v2.f64 [%own+48], {%d0, %d1}; st.global.f64 [%own+64], %d2;\n"
            "st.global.v2.b64 [%own+80], {%l0, %l1}; st.global.v2.b64 [%own+96], {%l2, %l3};\n"
            "st.global.b16 [%own+112], %h0; st.global.b16 [%own+114], %h1;\n"
            "selp.b32 %r0, 1, 0, %p0; selp.b32 %r1, 1, 0, %p1;\n"
            "selp.b32 %r2, 1, 0, %p2; selp.b32 %r3, 1, 0, %p3;\n"
            "st.global.v4.b32 [%own+128], {%r0, %r1, %r2, %r3};\n"
            "ret;\n}\n");
  return g_string_free (text, FALSE);
}

/* ---- Both ways ---- */

/* What a launch left behind. */
typedef struct
{
  guint32 *words;
  CuredReport report;
} Run;

/* Words of every kind: small ones, random ones, and floats with their edges. */
static guint32
make_word (void)
{
  static const guint32 edges[] = { 0,          0x80000000, 0x7f800000, 0xff800000, 0x7fffffff,
                                   0x7f800001, 0xffc00000, 1,          0x00800000, 0x7f7fffff,
                                   0x4f000000, 0xcf000000, 0x3f800000, 0xffffffff };

  switch (pick (4))
    {
    case 0: return pick (100);
    case 1: return PICK (edges);
    case 2: return 0x3f000000 + pick (0x1000000);
    default: return (guint32) (state >> 32);
    }
}

static void
launch (const char *ptx, guint64 seed, guint watch, gboolean is_translated, Run *run)
{
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 32);
  CuredPtxModule *module = MUST (cured_ptx_module_parse (ptx, -1, "test.ptx", &fail));
  guint64 parameters[2] = { 0, 77 };
  CuredLaunch what = { .module = module,
                       .memory = memory,
                       .entry = "k",
                       .grid = { N_BLOCKS, 1, 1 },
                       .block = { N_THREADS, 1, 1 },
                       .parameters = parameters,
                       .parameters_bytes = 12,
                       .watch = watch,
                       .threads = 1,
                       .max_instructions = 10000000 };

  g_assert_true (MUST (cured_memory_allocate (memory, N_WORDS * 4, &parameters[0], &fail)));
  guint32 *words = cured_memory_map (memory, parameters[0], N_WORDS * 4);
  state = seed;
  for (gsize i = 0; i < N_WORDS; i++)
    words[i] = make_word ();
  g_assert_true (MUST (cured_ptx_module_link (module, memory, &fail)));
  g_setenv ("CURED_TRANSLATE", is_translated ? "1" : "0", TRUE);
  g_assert_true (MUST (cured_emulator_launch (&what, &run->report, NULL, &fail)));
  g_unsetenv ("CURED_TRANSLATE");
  run->words = g_memdup2 (words, N_WORDS * 4);
  cured_ptx_module_free (module);
}

static void
run_clear (Run *self)
{
  g_free (self->words);
  cured_report_clear (&self->report);
}

static void
assert_same (const char *ptx, const Run *a, const Run *b)
{
  for (gsize i = 0; i < N_WORDS; i++)
    if (a->words[i] != b->words[i])
      g_error ("thread %zu, byte %zu: interpreted %08x, translated %08x\n%s", i / WORDS,
               i % WORDS * 4, a->words[i], b->words[i], ptx);
  g_assert_cmpuint (a->report.instructions, ==, b->report.instructions);
  g_assert_cmpuint (a->report.end, ==, b->report.end);
  g_assert_cmpuint (a->report.findings->len, ==, b->report.findings->len);
  g_assert_cmpuint (a->report.n_counts, ==, b->report.n_counts);
  if (a->report.n_counts == 0)
    return;
  g_assert_cmpuint (a->report.lane_instructions, ==, b->report.lane_instructions);
  for (guint i = 0; i < a->report.n_counts; i++)
    if (memcmp (&a->report.counts[i], &b->report.counts[i], sizeof (CuredSiteCounts)) != 0)
      g_error ("site %u: issued %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT
               ", lanes %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT "\n%s",
               i, a->report.counts[i].issued, b->report.counts[i].issued, a->report.counts[i].lanes,
               b->report.counts[i].lanes, ptx);
}

typedef struct
{
  const char *name;
  guint watch;
} Mode;

static const Mode modes[] = {
  { "alone", 0 },
  { "counting", CURED_WATCH_COUNTS },
  { "all", CURED_WATCH_COUNTS | CURED_WATCH_RACES | CURED_WATCH_UNDEFINED },
};

TEST_ROWS ("/native/random/%s", modes)
{
  const Mode *mode = data;

  for (guint i = 0; i < N_PROGRAMS; i++)
    {
      Run interpreted = { 0 }, translated = { 0 };

      state = i * 77 + 5;
      g_autofree char *ptx = make_program ();
      launch (ptx, i + 1, mode->watch, FALSE, &interpreted);
      launch (ptx, i + 1, mode->watch, TRUE, &translated);
      assert_same (ptx, &interpreted, &translated);
      run_clear (&interpreted);
      run_clear (&translated);
    }
}
