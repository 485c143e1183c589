/* SPDX-License-Identifier: MIT
 * Checks a kernel against its file: right results, declared defects and no others. */
#pragma once

#include "measure/cured-outcome.h"
#include "kernel/cured-kernel.h"

/* The combined result of one kernel's cells. */
typedef struct
{
  CuredKernel *kernel;    /* the kernel */
  guint32 declared;       /* the defects that its file declares: bit k is #CuredFindingKind k */
  guint32 found;          /* of @declared, those that a detector found */
  gboolean has_detectors; /* the device has detectors; otherwise only results count */
  guint n_cells;          /* cells that ran */
  guint n_right;          /* of these, those that finished, with a right result if it is compared */
  /* of these, those that are not right without a declared defect that explains it */
  guint n_bad;
  double excess;       /* wavefronts that bank conflicts add, over all cells */
  GPtrArray *findings; /* (element-type CuredFinding): of all cells, each once */
  /* number of @findings without a declared defect; bank conflicts, which are slow but not wrong,
   * count only if they are declared */
  guint n_undeclared;
  CuredState state;     /* of the first bad cell */
  char *reason;         /* (nullable): of the first bad cell */
  guint n_claims;       /* claims of the file that were checked */
  guint n_broken;       /* of these, those that do not hold */
  guint n_unlaunchable; /* cells that break a limit of the device */
  char *limit;          /* (nullable): the limit that the first of these breaks */
  char *refusal;        /* (nullable): the kernel file's reason to refuse the first such cell */
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
