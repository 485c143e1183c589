/* SPDX-License-Identifier: MIT
 * One memory instruction at a time: a warp made by hand, with a block, shared, local and global
 * memory, and observers. */
#pragma once

#include "exec-bench.h"

#define ACCESS_BENCH_SHARED_BYTES 4096
#define ACCESS_BENCH_STACK_BYTES  256
#define ACCESS_BENCH_ELEMENTS     1024
#define ACCESS_BENCH_SITES        4

typedef struct
{
  ExecBench *exec;
  CuredWarp *warp;
  CuredMemory *memory;
  guint64 a; /* the buffer "a": f32, as many as ACCESS_BENCH_ELEMENTS */
  float *a_host;
  guint8 parameters[64];
  char *files[2];
  CuredSiteCounts counts[ACCESS_BENCH_SITES];
  CuredPtxInst code[ACCESS_BENCH_SITES];
  CuredPtxModule module;
  CuredPtxFunction entry;
  CuredLaunch launch;
  CuredReport report;
  CuredPtxGrid grid;
  CuredBlock block;
  CuredCluster cluster; /* the block alone */
  CuredTally tally;
  CuredObserver *observers[4];
  void *states[4];
} AccessBench;

AccessBench *access_bench_new (ExecBenchBuild build);
void access_bench_free (AccessBench *self);
void access_bench_watch (AccessBench *self, CuredObserver *observer);
void access_bench_site (AccessBench *self, guint site, int line);
void access_bench_run (AccessBench *self, guint site, uint32_t mask);
GPtrArray *access_bench_take_findings (AccessBench *self);
void access_bench_assert_clean (AccessBench *self);
CuredFinding *access_bench_take_finding (AccessBench *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccessBench, access_bench_free)
