/* SPDX-License-Identifier: MIT
 * Every form that works lane by lane: lanes that do not run keep what they had, a destination may be
 * a source, and both builds of the handlers give the same. What they give, the golden cases say. */
#include "exec-bench.h"

#include <string.h>

#include "ptx/parse/cured-ptx-parse.h"
#include "test.h"

#define N_ROUNDS 4
/* The destinations come first. */
#define MAX_OPERANDS 16

static const uint32_t masks[N_ROUNDS] = { 1, 0x80000001, 0x5555aaaa, 0x7fffffff };

static guint8
get_width (guint type)
{
  guint8 bytes = _cured_ptx_types[type].bytes;

  return bytes == 0 ? 1 : MAX (bytes, 2);
}

/* Operands as the row's letters say. FALSE: it has others than lanes of registers. */
static gboolean
make_operands (CuredPtxInst *inst, CuredPtxOperand *operands)
{
  const char *letters = _cured_ptx_ops[inst->op].operands;
  guint8 first = get_width (inst->types[0]);
  guint8 last = get_width (inst->types[MAX (inst->n_types, 1) - 1]);
  guint n = 0;

  for (const char *letter = letters; *letter != '\0'; letter++)
    {
      guint8 width = strchr ("DSE", *letter) != NULL        ? first
                     : strchr ("WX", *letter) != NULL       ? (guint8) (2 * first)
                     : *letter == 'T'                       ? last
                     : strchr ("NUdsfihr", *letter) != NULL ? 4
                     : strchr ("POQ", *letter) != NULL      ? 1
                                                            : 0;

      if (*letter == '?')
        continue;
      if (width == 0 && *letter != 'I')
        return FALSE;
      inst->counts[inst->n_counts++] = 1;
      operands[n++] = R (n, width);
    }
  inst->x = operands;
  inst->immediate = 0;
  return TRUE;
}

/* Takes the optional operands away in turn until the form takes the rest. */
static gboolean
choose_handler (const CuredPtxForm *form, CuredPtxInst *inst, CuredPtxOperand *operands)
{
  for (guint without = 0; without < 1u << inst->n_counts; without++)
    {
      CuredPtxOperand all[MAX_OPERANDS];
      const char *problem = NULL;
      guint at = 0;

      memcpy (all, operands, sizeof all);
      for (const char *letter = _cured_ptx_ops[inst->op].operands; *letter != '\0'; letter++)
        {
          if (*letter == '?')
            continue;
          if ((without >> at & 1) != 0 && (letter[1] == '?' || *letter == 'O'))
            all[at] = NONE;
          at++;
        }
      inst->x = all;
      inst->run = cured_ptx_form_select (form, inst, &problem);
      inst->x = operands;
      if (inst->run != NULL)
        {
          memcpy (operands, all, sizeof all);
          return TRUE;
        }
    }
  return FALSE;
}

/* The instruction of a form with the first of the words of each group. */
static void
set_words (const CuredPtxForm *form, CuredPtxInst *inst)
{
  for (guint i = 0; i < G_N_ELEMENTS (form->words) && form->words[i] != 0; i++)
    {
      guint word = form->words[i] & ~MAY_BE_MISSING;
      guint group = _cured_ptx_word_groups[word];

      if ((form->words[i] & MAY_BE_MISSING) == 0 && inst->words[group] == CURED_PTX_NO_WORD)
        inst->words[group] = (guint8) word;
    }
}

static gsize
get_bytes (const CuredPtxOperand *x)
{
  return x->width == 1 ? 4 : 32u * x->width;
}

static void
run (ExecBench *bench, const CuredPtxInst *inst, uint32_t mask, const guint8 *registers)
{
  memcpy (bench->registers, registers, EXEC_BENCH_REGISTERS * 256);
  bench->warp->carry = 0x13579bdf;
  inst->run (bench->warp, inst, mask);
}

/* Of lane @l. */
static gboolean
is_same (const CuredPtxOperand *x, const guint8 *a, const guint8 *b, guint l)
{
  if (x->width == 1)
    return ((*(const uint32_t *) a ^ *(const uint32_t *) b) >> l & 1) == 0;
  return memcmp (a + l * x->width, b + l * x->width, x->width) == 0;
}

static void
check_form (ExecBench *benches[EXEC_BENCH_N_BUILDS], CuredPtxInst *builds[EXEC_BENCH_N_BUILDS],
            GRand *rand)
{
  const CuredPtxInst *inst = builds[0];
  g_autofree guint8 *registers = g_malloc (EXEC_BENCH_REGISTERS * 256);
  g_autofree guint8 *whole = g_malloc (EXEC_BENCH_REGISTERS * 256);
  const char *letters = _cured_ptx_ops[inst->op].operands;

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      for (guint i = 0; i < EXEC_BENCH_REGISTERS * 64; i++)
        ((uint32_t *) (void *) registers)[i] =
            i % 5 == 0 ? g_rand_int (rand) & 0x807f : g_rand_int (rand);
      run (benches[0], inst, CURED_ALL_LANES, registers);
      memcpy (whole, benches[0]->registers, EXEC_BENCH_REGISTERS * 256);
      run (benches[1], builds[1], CURED_ALL_LANES, registers);
      g_assert_cmpmem (benches[1]->registers, EXEC_BENCH_REGISTERS * 256, whole,
                       EXEC_BENCH_REGISTERS * 256);
      for (guint build = 0; build < EXEC_BENCH_N_BUILDS; build++)
        {
          run (benches[build], builds[build], masks[round], registers);
          for (guint i = 0; i < inst->n_counts; i++)
            for (guint l = 0; l < CURED_WARP_LANES && inst->x[i].width != 0; l++)
              g_assert_true (is_same (
                  &inst->x[i], benches[build]->registers + inst->x[i].offset,
                  ((masks[round] >> l & 1) != 0 ? whole : registers) + inst->x[i].offset, l));
        }
      /* In place of each source that is as wide. */
      for (guint i = 1; i < inst->n_counts; i++)
        {
          CuredPtxOperand all[MAX_OPERANDS];
          CuredPtxInst in_place = *inst;

          if (inst->x[i].width != inst->x[0].width || letters[0] == 'P' || letters[1] == 'O')
            continue;
          memcpy (all, inst->x, sizeof all);
          all[0] = all[i];
          in_place.x = all;
          run (benches[0], &in_place, CURED_ALL_LANES, registers);
          g_assert_cmpmem (benches[0]->registers + all[0].offset, get_bytes (&all[0]),
                           whole + inst->x[0].offset, get_bytes (&all[0]));
        }
    }
}

typedef struct
{
  const char *name;
  CuredPtxClass klass;
} Class;

/* clang-format off */
static const Class classes[] = {
  { "int", CURED_PTX_CLASS_INT },
  { "video", CURED_PTX_CLASS_VIDEO },
  { "logic", CURED_PTX_CLASS_LOGIC },
  { "compare", CURED_PTX_CLASS_COMPARE },
  { "float", CURED_PTX_CLASS_FLOAT },
  { "half", CURED_PTX_CLASS_HALF },
  { "convert", CURED_PTX_CLASS_CONVERT },
};
/* clang-format on */

TEST_ROWS ("/ptx-exec/lanes/%s", classes)
{
  const Class *klass = data;
  const CuredPtxFormTable *tables[] = { _cured_ptx_get_forms (TRUE), _cured_ptx_get_forms (FALSE) };
  ExecBench *benches[] = { exec_bench_new (EXEC_BENCH_BASELINE), exec_bench_new (EXEC_BENCH_V3) };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n_checked = 0;

  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    for (guint i = 0; i < tables[0]->n[op]; i++)
      {
        const CuredPtxForm *form = tables[0]->rows[op][i];
        uint64_t firsts = form->types[0] & _cured_ptx_ops[op].types;

        if (_cured_ptx_ops[op].klass != klass->klass)
          continue;
        for (; firsts != 0; firsts &= firsts - 1)
          {
            CuredPtxOperand operands[2][MAX_OPERANDS] = { 0 };
            CuredPtxInst insts[2] = { 0 };
            gboolean is_made = TRUE;

            for (guint build = 0; build < EXEC_BENCH_N_BUILDS; build++)
              {
                CuredPtxInst *inst = &insts[build];

                inst->op = (guint16) op;
                inst->types[inst->n_types++] = (guint8) __builtin_ctzll (firsts);
                for (guint k = 1; k < G_N_ELEMENTS (form->types) && form->types[k] != 0; k++)
                  inst->types[inst->n_types++] = (guint8) __builtin_ctzll (form->types[k]);
                set_words (form, inst);
                is_made &= make_operands (inst, operands[build]) &&
                           choose_handler (tables[build]->rows[op][i], inst, operands[build]);
              }
            if (!is_made)
              continue;
            g_test_message ("%s, form %u", _cured_ptx_ops[op].id, i);
            check_form (benches, (CuredPtxInst *[]){ &insts[0], &insts[1] }, rand);
            n_checked++;
          }
      }
  g_assert_cmpuint (n_checked, >, 20);
  exec_bench_free (benches[0]);
  exec_bench_free (benches[1]);
}

/* ---- What no form has ---- */

/* clang-format off */
static const char *const refused[] = {
#include "refused-opcodes.def"
};

static const char *const refused_video[] = {
    "vadd.s32.s32 d, a, b;", "vadd.s32.s32.s32 d, a, b, c;", "vadd.s32.s32.s32.add d, a, b;",
    "vadd.s32.s32.s32.add d.b0, a, b, c;", "vadd.s32.s32.s32 d.b0, a, b;",
    "vadd.s32.s32.s32 d, a.b4, b;", "vadd.s32.s32.s32 d, a.h2, b;",
    "vadd.s32.s32.s32 d, a.b10, b;", "vadd.s32.s32.s32 d, a.x, b;",
    "vadd.s32.s32.s32 d, -a, b;", "vadd.s32.s32.s32.satfinite d, a, b;",
    "vadd.s32.s32.s32.xor d, a, b, c;", "vadd.s32.s32.f32 d, a, b;",
    "vshl.s32.s32.s32.clamp d, a, b;", "vshl.s32.s32.u32 d, a, b;",
    "vmad.s32.s32.s32 d, -a, b, -c;", "vmad.s32.s32.s32.po d, -a, b, c;",
    "vmad.s32.s32.s32 d, a, b, c.b0;", "vset.s32.s32.lo d, a, b;", "vset.s32.s32 d, a, b;",
    "vadd2.s32.s32.s32 d, a, b;", "vadd2.s32.s32.s32.sat.add d, a, b, c;",
    "vadd2.s32.s32.s32.max d, a, b, c;", "vadd2.s32.s32.s32 d.h01, a, b, c;",
    "vadd2.s32.s32.s32 d, a.h1, b, c;", "vadd2.s32.s32.s32 d, a.b10, b, c;",
    "vadd4.s32.s32.s32 d.h1, a, b, c;", "vadd4.s32.s32.s32 d.b4, a, b, c;",
    "vadd4.s32.s32.s32 d, a.b321, b, c;", "add.s32 d, a.b0, b;", "add.s32 d, -a, b;",
};

/* Spaces, caches, widths and numbers that the GPU's own assembler refuses, and what it takes. */
static const struct
{
  const char *wrong, *right;
} spellings[] = {
  { "cp.async.ca.shared::cluster.global [s], [q], 4;", "cp.async.ca.shared::cta.global [s], [q], 4;" },
  { "ldmatrix.sync.aligned.m8n8.x1.shared::cluster.b16 {a}, [s];", "ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {a}, [s];" },
  { "stmatrix.sync.aligned.m8n8.x1.shared::cluster.b16 [s], {a};", "stmatrix.sync.aligned.m8n8.x1.shared::cta.b16 [s], {a};" },
  { "mbarrier.init.shared::cluster.b64 [s], a;", "mbarrier.init.shared::cta.b64 [s], a;" },
  { "mbarrier.inval.shared::cluster.b64 [s];", "mbarrier.inval.shared::cta.b64 [s];" },
  { "mbarrier.try_wait.parity.shared::cluster.b64 p, [s], a;", "mbarrier.try_wait.parity.shared::cta.b64 p, [s], a;" },
  { "mbarrier.arrive.shared::cluster.b64 q, [s];", "mbarrier.arrive.shared::cluster.b64 _, [s];" },
  { "mbarrier.arrive.expect_tx.shared::cluster.b64 q, [s], a;", "mbarrier.arrive.expect_tx.shared::cluster.b64 _, [s], a;" },
  { "cp.async.bulk.shared.global.mbarrier::complete_tx::bytes [s], [q], a, [s];", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [q], a, [s];" },
  { "cp.async.bulk.global.shared.bulk_group [q], [s], a;", "cp.async.bulk.global.shared::cta.bulk_group [q], [s], a;" },
  { "cp.reduce.async.bulk.global.shared.bulk_group.add.u32 [q], [s], a;", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [q], [s], a;" },
  { "fence.proxy.async.shared;", "fence.proxy.async.shared::cta;" },
  { "tensormap.replace.tile.rank.shared.b1024.b32 [s], a;", "tensormap.replace.tile.rank.shared::cta.b1024.b32 [s], a;" },
  { "ld.mmio.relaxed.sys.global.L1::no_allocate.b32 a, [q];", "ld.mmio.relaxed.sys.global.b32 a, [q];" },
  { "ld.volatile.global.L2::cache_hint.b32 a, [q], q;", "ld.volatile.global.L2::128B.b32 a, [q];" },
  { "ld.global.ca.L1::evict_last.b32 a, [q];", "ld.global.ca.L2::128B.b32 a, [q];" },
  { "ld.global.cv.nc.b32 a, [q];", "ld.global.cs.nc.b32 a, [q];" },
  { "st.global.wt.L1::no_allocate.b32 [q], a;", "st.global.wt.L2::cache_hint.b32 [q], a, q;" },
  { "ld.b32 a, [n];", "ld.param.b32 a, [n];" },
  { "ld.b32 a, [c];", "ld.const.b32 a, [c];" },
  { "atom.add.u32 a, [c], b;", "atom.add.u32 a, [s], b;" },
  { "mov.u16 h, %laneid;", "mov.u16 h, %tid.x;" },
  { "mov.u32 a, %clock64;", "mov.u32 a, %gridid;" },
  { "mov.v2.u32 {a, b}, %ctaid;", "mov.v4.u32 {a, b, e, g}, %ctaid;" },
  { "cvt.sat.f16.bf16 h, h;", "cvt.f16.bf16 h, h;" },
  { "add.u16x2 a, b, 1;", "add.u16x2 a, b, a;" },
  { "min.s16x2 a, b, 3;", "min.s16x2 a, b, a;" },
};
/* clang-format on */

static CuredPtxModule *
parse_spelling (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *module =
      g_strconcat (".version 9.0\n.target sm_90a\n.address_size 64\n"
                   ".const .align 8 .b8 c[64];\n.shared .align 128 .b8 s[128];\n"
                   ".entry k(.param .b32 n) { .reg .b16 h; .reg .b32 a, b, e, g; .reg .b64 q; "
                   ".reg .pred p;\n",
                   text, " ret; }", NULL);
  CuredPtxModule *parsed = cured_ptx_module_parse (module, -1, "k", &error);

  g_assert_true ((parsed == NULL) == (error != NULL));
  g_test_message ("%s %s", text, error != NULL ? error->message : "is taken");
  return parsed;
}

TEST ("/ptx-exec/spellings")
{
  for (gsize i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autoptr (CuredPtxModule) right = parse_spelling (spellings[i].right);

      g_assert_null (parse_spelling (spellings[i].wrong));
      g_assert_nonnull (right);
    }
}

TEST ("/ptx-exec/refused")
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_BASELINE);

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      const char *reason = exec_bench_set (bench, refused[i], 0, NULL);

      g_test_message ("%s %s", refused[i], reason);
      g_assert_nonnull (reason);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (refused_video); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strconcat (".version 8.0\n.target sm_90\n.address_size 64\n"
                                           ".entry k() { .reg .b32 a, b, c, d; ",
                                           refused_video[i], " }", NULL);

      g_assert_null (cured_ptx_module_parse (text, -1, "a", &error));
      g_assert_nonnull (error);
    }
}

/* ---- Carries over several instructions ---- */

static guint64
get_pair (ExecBench *bench, guint low)
{
  const uint32_t *a = exec_bench_lanes (bench, R (low, 4));
  const uint32_t *b = exec_bench_lanes (bench, R (low + 1, 4));

  return (guint64) b[5] << 32 | a[5];
}

/* A product of 64 bits of two, and a difference, as compilers write them in 32 bits; the lanes that
 * do not run keep their carry. */
TEST_ROWS ("/ptx-exec/carries/%s", exec_builds)
{
  g_autoptr (ExecBench) bench = exec_bench_new (exec_build_of (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < 500; i++)
    {
      uint32_t *at[4];

      for (guint k = 0; k < 4; k++)
        {
          at[k] = exec_bench_lanes (bench, R (k, 4));
          for (guint l = 0; l < CURED_WARP_LANES; l++)
            at[k][l] = i % 3 == 0 ? -(g_rand_int (rand) & 1) : g_rand_int (rand);
        }
      exec_bench_do (bench, 1u << 5, "add.cc.u32", R (4, 4), R (0, 4), R (2, 4));
      exec_bench_do (bench, ~(1u << 5), "sub.cc.u32", R (9, 4), R (0, 4), R (2, 4));
      exec_bench_do (bench, 1u << 5, "addc.u32", R (5, 4), R (1, 4), R (3, 4));
      g_assert_cmpuint (get_pair (bench, 4), ==, get_pair (bench, 0) + get_pair (bench, 2));
      exec_bench_do (bench, CURED_ALL_LANES, "sub.cc.u32", R (4, 4), R (0, 4), R (2, 4));
      exec_bench_do (bench, CURED_ALL_LANES, "subc.u32", R (5, 4), R (1, 4), R (3, 4));
      g_assert_cmpuint (get_pair (bench, 4), ==, get_pair (bench, 0) - get_pair (bench, 2));
      exec_bench_do (bench, CURED_ALL_LANES, "mul.lo.u32", R (4, 4), R (0, 4), R (2, 4));
      exec_bench_do (bench, CURED_ALL_LANES, "mul.hi.u32", R (5, 4), R (0, 4), R (2, 4));
      exec_bench_do (bench, CURED_ALL_LANES, "mad.lo.cc.u32", R (5, 4), R (0, 4), R (3, 4),
                     R (5, 4));
      exec_bench_do (bench, CURED_ALL_LANES, "madc.lo.u32", R (5, 4), R (1, 4), R (2, 4), R (5, 4));
      g_assert_cmpuint (get_pair (bench, 4), ==,
                        get_pair (bench, 0) * get_pair (bench, 2) +
                            ((guint64) (((guint64) (at[0][5] * at[3][5]) +
                                         (uint32_t) ((guint64) at[0][5] * at[2][5] >> 32)) >>
                                        32)
                             << 32));
    }
}
