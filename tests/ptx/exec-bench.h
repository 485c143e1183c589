/* SPDX-License-Identifier: MIT
 * One instruction at a time, on a warp made by hand: for tests of handlers. */
#pragma once

#include "ptx/exec/cured-ptx-exec-private.h"

/* Registers of the bench, each as wide as a test wants it. */
#define EXEC_BENCH_REGISTERS 64

/* A register of @bytes per lane (1: a predicate), as an initializer. */
#define REGISTER(index, bytes, negation)                                                           \
  {                                                                                                \
    .offset = (index) *256, .base = CURED_BASE_REGISTERS, .width = (bytes),                        \
    .is_negated = (negation)                                                                       \
  }
#define R(index, bytes)      ((CuredPtxOperand) REGISTER (index, bytes, 0))
#define PREDICATE(index)     R (index, 1)
#define NOT_PREDICATE(index) ((CuredPtxOperand) REGISTER (index, 1, 1))
/* An optional operand that is missing, or a '_'. */
#define NONE ((CuredPtxOperand){ 0 })

/* One of the builds of the handlers. */
typedef enum
{
  EXEC_BENCH_BASELINE, /* for every processor */
  EXEC_BENCH_V3,       /* x86-64-v3; the same as BASELINE where there is none */
  EXEC_BENCH_N_BUILDS
} ExecBenchBuild;

/* For TEST_ROWS (). */
typedef struct
{
  const char *name;
  ExecBenchBuild build;
} ExecBuild;

static const ExecBuild exec_builds[] G_GNUC_UNUSED = { { "baseline", EXEC_BENCH_BASELINE },
                                                       { "v3", EXEC_BENCH_V3 } };

#define exec_build_of(data) (((const ExecBuild *) (data))->build)

typedef struct
{
  CuredWarp *warp;
  CuredBlock block;
  CuredCluster cluster;
  CuredPtxGrid grid;
  uint8_t *registers; /* EXEC_BENCH_REGISTERS × 256 bytes */
  CuredPtxOperand operands[64];
  CuredPtxInst inst;
  ExecBenchBuild build;
  char *reason; /* why the instruction was refused last */
} ExecBench;

ExecBench *exec_bench_new (ExecBenchBuild build);
void exec_bench_free (ExecBench *self);
const char *exec_bench_set (ExecBench *self, const char *mnemonic, guint n_operands,
                            const CuredPtxOperand *operands);
void exec_bench_group (ExecBench *self, guint letter, guint count);
const char *exec_bench_select (ExecBench *self);
void exec_bench_run (ExecBench *self, uint32_t mask);
void *exec_bench_lanes (ExecBench *self, CuredPtxOperand operand);

/* Sets an instruction of scalar operands and runs it for @mask; a refusal fails the test. */
#define exec_bench_do(self, mask, mnemonic, ...)                                                   \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const CuredPtxOperand operands_[] = { __VA_ARGS__ };                                           \
                                                                                                   \
    g_assert_cmpstr (exec_bench_set (self, mnemonic, G_N_ELEMENTS (operands_), operands_), ==,     \
                     NULL);                                                                        \
    exec_bench_run (self, mask);                                                                   \
  }                                                                                                \
  G_STMT_END

/* Asserts that an instruction of scalar operands is refused. */
#define exec_bench_assert_refused(self, mnemonic, ...)                                             \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const CuredPtxOperand operands_[] = { __VA_ARGS__ };                                           \
                                                                                                   \
    g_assert_nonnull (exec_bench_set (self, mnemonic, G_N_ELEMENTS (operands_), operands_));       \
  }                                                                                                \
  G_STMT_END

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ExecBench, exec_bench_free)
