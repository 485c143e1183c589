/* SPDX-License-Identifier: MIT
 * How many lane-instructions per second single handlers do, without what calls them: the most that
 * the interpreter can reach. */
#include "exec-bench.h"

#include "config.h"

#define CALLS 2000000

/* 10^9 lane-instructions per second of @mnemonic over @mask, best of five. */
static double
measure (ExecBench *bench, uint32_t mask)
{
  double best = 0;

  for (guint i = 0; i < 5; i++)
    {
      gint64 start = g_get_monotonic_time ();
      gint64 elapsed_us;

      for (guint k = 0; k < CALLS; k++)
        bench->inst.run (bench->warp, &bench->inst, mask);
      elapsed_us = MAX (g_get_monotonic_time () - start, 1);
      best = MAX (best, (double) CALLS * __builtin_popcount (mask) / (double) elapsed_us / 1000);
    }
  return best;
}

int
main (void)
{
  static const struct
  {
    const char *mnemonic;
    guint n_operands;
    CuredPtxOperand operands[5];
  } rows[] = {
    { "add.u32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "add.s64", 3, { REGISTER (0, 8, 0), REGISTER (1, 8, 0), REGISTER (2, 8, 0) } },
    { "mad.lo.s32",
      4,
      { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0), REGISTER (3, 4, 0) } },
    { "mul.wide.s32", 3, { REGISTER (0, 8, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "shl.b32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "div.u32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "popc.b32", 2, { REGISTER (0, 4, 0), REGISTER (1, 4, 0) } },
    { "mov.u32", 2, { REGISTER (0, 4, 0), REGISTER (1, 4, 0) } },
    { "setp.lt.s32",
      5,
      { REGISTER (0, 1, 0), { 0 }, REGISTER (1, 4, 0), REGISTER (2, 4, 0), { 0 } } },
    { "setp.lt.f64",
      5,
      { REGISTER (0, 1, 0), { 0 }, REGISTER (1, 8, 0), REGISTER (2, 8, 0), { 0 } } },
    { "selp.b32",
      4,
      { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0), REGISTER (3, 1, 0) } },
    { "cvt.s64.s32", 3, { REGISTER (0, 8, 0), REGISTER (1, 4, 0), { 0 } } },
    { "cvt.rn.f32.s32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), { 0 } } },
    { "cvt.rzi.s32.f32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), { 0 } } },
    { "cvt.f32.f16", 3, { REGISTER (0, 4, 0), REGISTER (1, 2, 0), { 0 } } },
    { "cvt.rn.f16.f32", 3, { REGISTER (0, 2, 0), REGISTER (1, 4, 0), { 0 } } },
    { "add.f32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "mul.f32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "fma.rn.f32",
      4,
      { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0), REGISTER (3, 4, 0) } },
    { "fma.rn.ftz.f32",
      4,
      { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0), REGISTER (3, 4, 0) } },
    { "fma.rm.f32",
      4,
      { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0), REGISTER (3, 4, 0) } },
    { "max.f32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "div.rn.f32", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "rcp.approx.ftz.f32", 2, { REGISTER (0, 4, 0), REGISTER (1, 4, 0) } },
    { "ex2.approx.ftz.f32", 2, { REGISTER (0, 4, 0), REGISTER (1, 4, 0) } },
    { "add.f64", 3, { REGISTER (0, 8, 0), REGISTER (1, 8, 0), REGISTER (2, 8, 0) } },
    { "fma.rn.f64",
      4,
      { REGISTER (0, 8, 0), REGISTER (1, 8, 0), REGISTER (2, 8, 0), REGISTER (3, 8, 0) } },
    { "add.rz.f64", 3, { REGISTER (0, 8, 0), REGISTER (1, 8, 0), REGISTER (2, 8, 0) } },
    { "add.f16x2", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "fma.rn.f16x2",
      4,
      { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0), REGISTER (3, 4, 0) } },
    { "add.bf16x2", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
    { "fma.rn.bf16x2",
      4,
      { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0), REGISTER (3, 4, 0) } },
    { "max.f16x2", 3, { REGISTER (0, 4, 0), REGISTER (1, 4, 0), REGISTER (2, 4, 0) } },
  };
  static const uint32_t masks[] = { 0xffffffff, 0x0000ffff, 0x1 };

  g_print ("10^9 lane-instructions per second     all lanes   16 lanes   1 lane\n");
  for (guint build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      {
        g_autoptr (ExecBench) bench = exec_bench_new (build);
        uint32_t *registers = (uint32_t *) bench->registers;

        /* Normal numbers in every format: processors are slow on others. */
        for (guint k = 0; k < 256; k++)
          registers[k] = 0x3f800000 | k * 2654435761u >> 9;
        if (exec_bench_set (bench, rows[i].mnemonic, rows[i].n_operands, rows[i].operands) != NULL)
          return 1;
        g_print ("%-9s %-20s", build == EXEC_BENCH_V3 ? "best" : "baseline", rows[i].mnemonic);
        for (guint m = 0; m < G_N_ELEMENTS (masks); m++)
          g_print (" %10.2f", measure (bench, masks[m]));
        g_print ("\n");
      }
  return 0;
}
