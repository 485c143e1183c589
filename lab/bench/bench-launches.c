/* SPDX-License-Identifier: MIT
 * What the race detector adds to a launch that touches 64 words of a buffer of a gibibyte: its
 * shadow is made where it is touched. */
#include "cured.h"

#include <stdio.h>

#include "bench.h"

#define BUFFER_BYTES ((guint64) 1 << 30)
#define N_LAUNCHES   200
#define N_TURNS      5

/* Each thread stores one word, @distance bytes from its neighbour's. */
#define STORES(distance)                                                                           \
  ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k (.param .u64 p) {\n"           \
  ".reg .b32 %r<3>; .reg .b64 %rd<4>;\n"                                                           \
  "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"                                                 \
  "mul.wide.u32 %rd2, %r1, " distance "; add.u64 %rd3, %rd1, %rd2;\n"                              \
  "st.global.u32 [%rd3], %r1; ret;\n}\n"

static double
time_launches (const char *ptx, guint watch)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredMemory) memory = cured_memory_new (2 * BUFFER_BYTES);
  g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (ptx, -1, "stores.ptx", &error);
  guint64 address = 0;
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { 64, 1, 1 },
    .parameters = &address,
    .parameters_bytes = sizeof address,
    .watch = watch,
    .threads = 1,
  };
  double best_ms = G_MAXDOUBLE;

  g_assert_no_error (error);
  cured_memory_allocate (memory, BUFFER_BYTES, &address, &error);
  g_assert_no_error (error);
  cured_ptx_module_link (module, memory, &error);
  for (int turn = 0; turn < N_TURNS; turn++)
    {
      double start_ms = bench_get_cpu_ms (CLOCK_PROCESS_CPUTIME_ID);

      for (int i = 0; i < N_LAUNCHES; i++)
        {
          g_auto (CuredReport) report = { 0 };

          cured_emulator_launch (&launch, &report, NULL, &error);
          g_assert_no_error (error);
        }
      best_ms = MIN (best_ms, bench_get_cpu_ms (CLOCK_PROCESS_CPUTIME_ID) - start_ms);
    }
  return best_ms / N_LAUNCHES;
}

int
main (void)
{
  static const struct
  {
    const char *what;
    const char *ptx;
    double most_ms;
  } rows[] = {
    { "64 words in a row, ms a launch", STORES ("4"), 0.1 },
    /* 64 chunks of the shadow, each with a page that is split into words. */
    { "64 words 16 MiB apart, ms a launch", STORES ("16777216"), 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    bench_report (rows[i].what,
                  time_launches (rows[i].ptx, CURED_WATCH_RACES) - time_launches (rows[i].ptx, 0),
                  "ms of CPU", rows[i].most_ms);
  return bench_has_failed () ? 1 : 0;
}
