/* SPDX-License-Identifier: MIT
 * What can be found out of a kernel by compiling it and running one block. */
#pragma once

#include "inspect/cured-bank-view.h"

G_BEGIN_DECLS

/**
 * CuredSeverity: how bad a remark of the compiler is.
 */
typedef enum
{
  CURED_SEVERITY_ERROR,
  CURED_SEVERITY_WARNING,
  CURED_SEVERITY_NOTE,
} CuredSeverity;

/**
 * CuredDiagnostic:
 * @severity: how bad it is
 * @line: of the source, from 1; 0: not known
 * @text: the problem, for people
 *
 * A remark of NVRTC's, of the emulator's parser, or of the check that comes before a launch.
 */
typedef struct
{
  CuredSeverity severity;
  int line;
  char *text;
} CuredDiagnostic;

/**
 * CuredLineCounts: what one line of the source did in the block that ran.
 * @line: from 1
 * @issued: instructions of warps
 * @shared_requests: accesses of warps to shared memory
 * @wavefronts: of shared memory
 * @least: wavefronts that the same accesses need without a conflict
 * @requests: accesses of warps to global memory
 * @sectors: of 32 bytes of global memory
 * @diverged: times that a branch split a warp
 */
typedef struct
{
  int line;
  guint64 issued, shared_requests, wavefronts, least, requests, sectors, diverged;
} CuredLineCounts;

/**
 * CURED_INSPECTION_TIME_LIMIT_MS: what a block needs that does not wait for another one
 */
#define CURED_INSPECTION_TIME_LIMIT_MS 2000

/**
 * CURED_INSPECTION_FIRST_LIMIT_MS: the longest wait for a first answer while the user types, all
 * in all
 */
#define CURED_INSPECTION_FIRST_LIMIT_MS 280

/**
 * CuredInspection:
 * @banks: (nullable): what the warp does to the banks, without machine code;
 *   NULL where nothing could be run
 * @ptx: (nullable): the text
 * @ptx_lines: (array length=n_ptx_lines): the source's line of each line of
 *   @ptx, of the kernel file alone; 0: it has none
 * @lines: (element-type CuredLineCounts): of all warps of the block, in the
 *   order of the source
 * @findings: (element-type CuredFinding): of that block; without bank
 *   conflicts, which @banks and @lines tell of
 * @diagnostics: (element-type CuredDiagnostic): errors first; warnings of the
 *   compiler though it runs
 * @n_blocks: of the grid, of which one ran; 0: none
 * @is_partial: the block was stopped because its time was over
 * @compile_ns: wall time of the compiler: short where it had done it before
 * @run_ns: wall time of the emulator, with what it needs before and after
 *
 * Immutable, reference-counted; may be used by any thread.
 */
typedef struct
{
  CuredBankView *banks;
  char *ptx;
  int *ptx_lines;
  gsize n_ptx_lines;
  GArray *lines;
  GPtrArray *findings, *diagnostics;
  guint64 n_blocks;
  gboolean is_partial;
  gint64 compile_ns, run_ns;
} CuredInspection;

CuredInspection *cured_inspection_new (CuredCompiler *compiler, CuredKernel *kernel,
                                       const gint64 *values, const CuredLimits *limits,
                                       const CuredBankQuery *query, gint64 time_limit_ms,
                                       GCancellable *cancellable, GError **error);
CuredInspection *cured_inspection_ref (CuredInspection *self);
void cured_inspection_unref (CuredInspection *self);

const CuredLineCounts *cured_inspection_find_line (const CuredInspection *self, int line);
guint64 cured_inspection_count_excess (const CuredInspection *self);

GPtrArray *cured_diagnostics_new (const GError *error, const char *file_name);
const char *cured_severity_to_string (CuredSeverity severity);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredInspection, cured_inspection_unref)

G_END_DECLS
