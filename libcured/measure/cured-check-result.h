/* SPDX-License-Identifier: MIT
 * Whether a kernel does what its file says: right results, declared defects and no others. */
#pragma once

#include "measure/cured-outcome.h"
#include "kernel/cured-kernel.h"

/* What the cells of one kernel say together. */
typedef struct
{
  CuredKernel *kernel;    /* whose cells are judged */
  guint32 declared;       /* the defects that its file declares: bit k is #CuredFindingKind k */
  guint32 found;          /* of these, those that a detector found */
  gboolean has_detectors; /* the device has detectors; otherwise results alone count */
  guint n_cells;          /* cells that ran */
  guint n_right; /* of these, those that ran to their ends, with a right result if it is compared */
  /* of these, those that speak against the kernel: not right, and nothing declared explains it */
  guint n_bad;
  double excess;       /* wavefronts that bank conflicts add, over all cells */
  GPtrArray *findings; /* (element-type CuredFinding): of all cells, the same one once */
  /* of @findings, those of no declared defect; bank conflicts are slow and not wrong, and count
   * only where they are declared */
  guint n_undeclared;
  CuredState state;     /* of the first bad cell */
  char *reason;         /* (nullable): of the first bad cell */
  guint n_claims;       /* claims of the file that were looked at */
  guint n_broken;       /* of these, those that are not so */
  guint n_unlaunchable; /* cells that break a limit of the device */
  char *limit;          /* (nullable): what the first of these breaks */
  char *refusal;        /* (nullable): of the first cell that the kernel file refuses */
} CuredCheckResult;

CuredCheckResult *cured_check_result_new (CuredKernel *kernel, gboolean has_detectors);
void cured_check_result_free (CuredCheckResult *self);
void cured_check_result_add (CuredCheckResult *self, const CuredOutcome *outcome,
                             const char *where);
void cured_check_result_add_refusal (CuredCheckResult *self, const char *reason);
void cured_check_result_add_unlaunchable (CuredCheckResult *self, const char *reason);
void cured_check_result_add_claim (CuredCheckResult *self, gboolean is_broken);
gboolean cured_check_result_is_refused (const CuredCheckResult *self);
gboolean cured_check_result_is_declared (const CuredCheckResult *self, const CuredFinding *finding);
gboolean cured_check_result_is_good (const CuredCheckResult *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCheckResult, cured_check_result_free)
