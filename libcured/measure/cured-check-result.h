/* SPDX-License-Identifier: MIT
 * Whether a kernel does what its file says: right results, declared defects and no others. */
#pragma once

#include "measure/cured-outcome.h"
#include "kernel/cured-kernel.h"

G_BEGIN_DECLS

/**
 * CuredCheckResult:
 * @kernel: whose cells are judged
 * @declared: the defects that its file declares: bit k is #CuredFindingKind k
 * @found: of these, those that a detector found
 * @has_detectors: the device has detectors; otherwise results alone count
 * @n_cells: cells that ran
 * @n_right: of these, those that ran to their ends, with a right result if it is compared
 * @n_bad: of these, those that speak against the kernel: not right, and nothing
 *   declared explains it
 * @excess: wavefronts that bank conflicts add, over all cells
 * @findings: (element-type CuredFinding): of all cells, the same one once
 * @n_undeclared: of @findings, those of no declared defect; bank conflicts are
 *   slow and not wrong, and count only where they are declared
 * @state: of the first bad cell
 * @reason: (nullable): of the first bad cell
 * @n_claims: claims of the file that were looked at
 * @n_broken: of these, those that are not so
 * @n_unlaunchable: cells that break a limit of the device
 * @limit: (nullable): what the first of these breaks
 * @refusal: (nullable): of the first cell that the kernel file refuses
 *
 * What the cells of one kernel say together.
 */
typedef struct
{
  CuredKernel *kernel;
  guint32 declared, found;
  gboolean has_detectors;
  guint n_cells, n_right, n_bad;
  double excess;
  GPtrArray *findings;
  guint n_undeclared;
  CuredState state;
  char *reason;
  guint n_claims, n_broken, n_unlaunchable;
  char *limit, *refusal;
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

G_END_DECLS
