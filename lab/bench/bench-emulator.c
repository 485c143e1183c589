/* SPDX-License-Identifier: MIT
 * Lane-instructions per second and core: arithmetic alone, and with counts, trace and every
 * detector on shared-memory accesses. */
#include <stdlib.h>

#include "ptx/emulator/cured-emulator.h"
#include "ptx/parse/cured-ptx-parse.h"
#include "ptx/watch/cured-caches-internal.h"

/* The least that each has to reach, in lane-instructions per second and
 * core. */
#define LEAST_ARITHMETIC 1e9
#define LEAST_TRACED     2e8

static const char arithmetic[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k (.param .u64 p) {\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<4>;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.f32 %f1, 0f3F800000;\n"
    "mov.f32 %f2, 0f3F000000; mov.f32 %f3, 0f00000000; mov.u32 %r3, 1;\n"
    "LOOP:\n"
    "fma.rn.f32 %f3, %f1, %f2, %f3; add.u32 %r3, %r3, %r1;\n"
    "mul.f32 %f4, %f3, %f2; xor.b32 %r4, %r3, %r1;\n"
    "fma.rn.f32 %f5, %f4, %f2, %f1; mad.lo.s32 %r5, %r4, %r1, %r3;\n"
    "add.f32 %f6, %f5, %f4; shl.b32 %r6, %r5, 3;\n"
    "fma.rn.f32 %f3, %f6, %f2, %f1; and.b32 %r3, %r6, 1023;\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2000; @%p1 bra LOOP;\n"
    "ret; }\n";

static const char shared[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k (.param .u64 p) {\n"
    ".shared .align 16 .b8 tile[8192];\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<9>;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, tile;\n"
    "shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4; mul.lo.u32 %r6, %r1, 20;\n"
    "and.b32 %r6, %r6, 4092; add.u32 %r6, %r3, %r6; mov.f32 %f1, 0f3F800000;\n"
    "st.shared.f32 [%r5], %f1; st.shared.f32 [%r5+1024], %f1;\n"
    "st.shared.f32 [%r5+2048], %f1; st.shared.f32 [%r5+3072], %f1;\n"
    "st.shared.f32 [%r5+4096], %f1;\n"
    "bar.sync 0;\n"
    "LOOP:\n"
    "ld.shared.f32 %f2, [%r5]; ld.shared.f32 %f3, [%r6];\n"
    "fma.rn.f32 %f1, %f2, %f3, %f1;\n"
    "ld.shared.f32 %f4, [%r5+128]; ld.shared.f32 %f5, [%r6+64];\n"
    "fma.rn.f32 %f1, %f4, %f5, %f1;\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 500; @%p1 bra LOOP;\n"
    "ret; }\n";

static const char global[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k (.param .u64 p) {\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n"
    "mov.u32 %r3, %ctaid.x; shl.b32 %r3, %r3, 16; shl.b32 %r4, %r1, 2;\n"
    "add.u32 %r3, %r3, %r4; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;\n"
    "mov.f32 %f1, 0f00000000;\n"
    "LOOP:\n"
    "ld.global.f32 %f2, [%rd1]; fma.rn.f32 %f1, %f2, %f2, %f1;\n"
    "fma.rn.f32 %f1, %f1, %f1, %f2; fma.rn.f32 %f1, %f1, %f2, %f1;\n"
    "st.global.f32 [%rd1+1024], %f1; add.u64 %rd1, %rd1, 256;\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200; @%p1 bra LOOP;\n"
    "ret; }\n";

static guint64 n_traced;

static void
trace_cb (const CuredTraced *access, gpointer user_data)
{
  n_traced++;
}

static double
measure (const char *text, guint watch, CuredTraceFunc trace, gboolean has_caches)
{
  const CuredCacheChip chip = { .sms = 8, .l2_bytes = 1 << 20 };
  const CuredLimits limits = { .sms = 8 };
  g_autoptr (CuredCaches) caches = _cured_caches_new (&chip);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 21);
  g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (text, -1, "bench.ptx", &error);
  guint64 parameter = 0;
  double best = 0;

  g_assert_no_error (error);
  g_assert_true (cured_ptx_module_link (module, memory, &error));
  g_assert_true (cured_memory_allocate (memory, 1 << 20, &parameter, &error));
  for (int i = 0; i < 5; i++)
    {
      g_auto (CuredReport) report = { 0 };
      CuredLaunch launch = {
        .module = module,
        .memory = memory,
        .entry = "k",
        .grid = { 8, 1, 1 },
        .block = { 256, 1, 1 },
        .parameters = &parameter,
        .parameters_bytes = sizeof parameter,
        .watch = watch,
        .trace = trace,
        .threads = 1,
        .limits = &limits,
        .caches = has_caches ? caches : NULL,
      };
      gint64 start = g_get_monotonic_time ();
      double seconds;

      _cured_caches_begin (caches, 128 << 10);
      g_assert_true (cured_emulator_launch (&launch, &report, NULL, &error));
      seconds = (double) (g_get_monotonic_time () - start) / 1e6;
      /* Every warp is full. */
      best = MAX (best, (double) report.instructions * 32 / seconds);
    }
  return best;
}

int
main (void)
{
  static const struct
  {
    const char *name;
    const char *text;
    guint watch;
    gboolean is_traced;
    gboolean has_caches;
    double least;
  } rows[] = {
    { "arithmetic", arithmetic, 0, FALSE, FALSE, LEAST_ARITHMETIC },
    { "arithmetic, counted", arithmetic, CURED_WATCH_COUNTS, FALSE, FALSE, 0 },
    { "shared memory", shared, 0, FALSE, FALSE, 0 },
    { "shared memory, counted", shared, CURED_WATCH_COUNTS, FALSE, FALSE, 0 },
    { "shared memory, counted and traced", shared, CURED_WATCH_COUNTS, TRUE, FALSE, LEAST_TRACED },
    { "shared memory, all detectors", shared,
      CURED_WATCH_COUNTS | CURED_WATCH_RACES | CURED_WATCH_UNDEFINED, FALSE, FALSE, 0 },
    { "global memory", global, 0, FALSE, FALSE, 0 },
    { "global memory, counted", global, CURED_WATCH_COUNTS, FALSE, FALSE, 0 },
    { "global memory, through caches", global, 0, FALSE, TRUE, 0 },
  };
  int status = EXIT_SUCCESS;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      double rate = measure (rows[i].text, rows[i].watch, rows[i].is_traced ? trace_cb : NULL,
                             rows[i].has_caches);

      g_print ("%-36s %6.2f · 10⁹ lane-instructions per second and core\n", rows[i].name,
               rate / 1e9);
      if (rate < rows[i].least)
        {
          g_printerr ("%s: less than %.1f · 10⁹\n", rows[i].name, rows[i].least / 1e9);
          status = EXIT_FAILURE;
        }
    }
  return status;
}
