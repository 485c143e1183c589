/* SPDX-License-Identifier: MIT
 * Issue slots of PTX instructions, as ptxas 13.0 makes them for sm_90. */
#include "ptx/cured-ptx-cost-internal.h"
#include "ptx/parse/cured-ptx-parser-private.h"
#include "test.h"

typedef struct
{
  const char *text;
  float fp32, imad, alu, half, fp64, mufu, lsu, tensor, control;
} Row;

/* Rows of cured-ptx-costs.def, what has none, and twins: the same instruction of another type,
 * which is another number of slots. */
static const Row rows[] = {
  { "fma.rn.f32 %f0, %f1, %f2, %f3;", .fp32 = 1 },
  { "fma.rn.f64 %fd0, %fd1, %fd2, %fd3;", .fp64 = 1 },
  { "add.s32 %r0, %r1, %r2;", .alu = 0.5f, .imad = 0.5f },
  { "add.s64 %rd0, %rd1, %rd2;", .alu = 1, .imad = 1 },
  { "add.f32 %f0, %f1, %f2;", .fp32 = 1 },
  { "mad.lo.s32 %r0, %r1, %r2, %r3;", .imad = 1 },
  { "mad.lo.s64 %rd0, %rd1, %rd2, %rd3;", .imad = 3, .alu = 2 },
  { "div.u32 %r0, %r1, %r2;", .alu = 9, .imad = 6, .mufu = 3 },
  { "div.s32 %r0, %r1, %r2;", .alu = 14, .imad = 9, .mufu = 3 },
  { "rem.u32 %r0, %r1, %r2;", .alu = 7, .imad = 7, .mufu = 3 },
  { "xor.b32 %r0, %r1, %r2;", .alu = 1 },
  { "mov.u32 %r0, %r1;" },
  { "mov.u32 %r0, %laneid;", .control = 1 },
  { "cvt.rn.f32.s32 %f0, %r1;", .alu = 1 },
  { "cvt.rn.f64.s32 %fd0, %r1;", .mufu = 1 },
  { "ld.global.f32 %f0, [%rd1];", .lsu = 1 },
  { "ld.param.u32 %r0, [p1];" },
  { "red.shared.add.u32 [%r1], %r2;", .lsu = 1 },
  { "red.shared.add.f32 [%r1], %f2;", .lsu = 2, .fp32 = 1, .alu = 1, .control = 3 },
};

TEST ("/ptx-cost/rows")
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const Row *row = &rows[i];
      const float wanted[CURED_N_PIPES] = {
        [CURED_PIPE_FP32] = row->fp32,       [CURED_PIPE_IMAD] = row->imad,
        [CURED_PIPE_ALU] = row->alu,         [CURED_PIPE_HALF] = row->half,
        [CURED_PIPE_FP64] = row->fp64,       [CURED_PIPE_MUFU] = row->mufu,
        [CURED_PIPE_LSU] = row->lsu,         [CURED_PIPE_TENSOR] = row->tensor,
        [CURED_PIPE_CONTROL] = row->control,
      };
      g_autofree char *text = g_strdup_printf (".version 8.0\n.target sm_90\n.address_size 64\n"
                                               ".visible .entry k(.param .u64 p0, .param .u32 p1)\n"
                                               "{\n.reg .b32 %%r<9>;\n.reg .f32 %%f<9>;\n"
                                               ".reg .b64 %%rd<9>;\n.reg .f64 %%fd<9>;\n"
                                               "%s\nret;\n}\n",
                                               row->text);
      g_autoptr (CuredPtxModule) module = MUST (_cured_ptx_parse (text, -1, "a.ptx", NULL, &fail));

      g_autofree CuredPtxCost *costs = _cured_ptx_costs_new (module);
      g_test_message ("%s", row->text);
      for (int pipe = 0; pipe < CURED_N_PIPES; pipe++)
        g_assert_cmpfloat (costs[0].slots[pipe], ==, wanted[pipe]);
    }
}
