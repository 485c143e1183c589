/* SPDX-License-Identifier: MIT
 * Inspects a kernel by compiling it and running one block. */
#pragma once

#include "inspect/cured-bank-view.h"

/* The severity of a compiler's remark. */
typedef enum
{
  CURED_SEVERITY_ERROR,
  CURED_SEVERITY_WARNING,
  CURED_SEVERITY_NOTE,
} CuredSeverity;

/* A remark of NVRTC, of the emulator's parser, or of the check before a launch. */
typedef struct
{
  CuredSeverity severity; /* its severity */
  int line;               /* of the source, from 1; 0: not known */
  char *text;             /* the problem, for people */
} CuredDiagnostic;

/* Counts of one source line in the block that ran. */
typedef struct
{
  int line;                /* from 1 */
  guint64 issued;          /* instructions of warps */
  guint64 shared_requests; /* accesses of warps to shared memory */
  guint64 wavefronts;      /* of shared memory */
  guint64 least;           /* wavefronts that the same accesses need without a conflict */
  guint64 requests;        /* accesses of warps to global memory */
  guint64 sectors;         /* of 32 bytes of global memory */
  guint64 diverged;        /* number of times that a branch split a warp */
} CuredLineCounts;

/* Enough time for a block that does not wait for another one. */
#define CURED_INSPECTION_TIME_LIMIT_MS 2000

/* Limit of a first answer while the user types, in total. */
#define CURED_INSPECTION_FIRST_LIMIT_MS 280

/* Immutable, reference-counted; may be used by any thread. */
typedef struct
{
  /* (nullable): the warp's accesses to the banks, without machine code; NULL if nothing could be
   * run */
  CuredBankView *banks;
  char *ptx; /* (nullable): the text */
  /* (array length=n_ptx_lines): the line in the kernel file of each line of @ptx; 0:
   * none */
  int *ptx_lines;
  gsize n_ptx_lines;
  /* (element-type CuredLineCounts): of all warps of the block, in the order of the source */
  GArray *lines;
  /* (element-type CuredFinding): of that block; without bank conflicts, which are in @banks and
   * @lines */
  GPtrArray *findings;
  /* (element-type CuredDiagnostic): errors first; may have warnings even if it runs */
  GPtrArray *diagnostics;
  guint64 n_blocks;    /* blocks of the grid, of which one ran; 0: none */
  gboolean is_partial; /* the block was stopped by the time limit */
  gint64 compile_ns;   /* wall time of the compiler; short if it was cached */
  gint64 run_ns;       /* wall time of the emulator, with preparation and evaluation */
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
