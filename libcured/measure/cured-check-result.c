/* SPDX-License-Identifier: MIT
 * Checks a kernel against its file: right results, declared defects and no others. */
#include "measure/cured-check-result.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "base/cured-each-internal.h"
#include "base/cured-own.h"
#include "ptx/cured-finding-internal.h"

/* @kernel: the kernel to check
 * @has_detectors: the device has detectors
 * Returns: (transfer full): a result without cells */
CuredCheckResult *
cured_check_result_new (CuredKernel *kernel, gboolean has_detectors)
{
  CuredCheckResult *self = g_new0 (CuredCheckResult, 1);

  self->kernel = cured_kernel_ref (kernel);
  self->declared = kernel->defects;
  self->has_detectors = has_detectors;
  self->findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  return self;
}

/* @self: (nullable): a result
 *
 * Frees it with all that it owns. */
CURED_DEFINE_FREE (CuredCheckResult, cured_check_result_free, kernel, cured_kernel_unref, findings,
                   g_ptr_array_unref, reason, g_free, limit, g_free, refusal, g_free)

/* Keeps each finding once, since cells of other sizes repeat it. */
static void
add_finding (CuredCheckResult *self, const CuredFinding *finding)
{
  gboolean is_declared = cured_check_result_is_declared (self, finding);

  if (is_declared)
    self->found |= 1u << finding->kind;
  if (!cured_findings_add (self->findings, finding))
    return;
  if (!is_declared && finding->kind != CURED_FINDING_BANK_CONFLICT)
    self->n_undeclared++;
}

/* Describes the cell and the first mismatch: element, value and expected value. */
static char *
describe_outcome (const CuredOutcome *outcome, const char *where)
{
  const char *reason = outcome->reason != NULL ? outcome->reason : "";
  GString *text = g_string_new (NULL);

  if (where != NULL && *where != '\0')
    g_string_append_printf (text, "%s: ", where);
  g_string_append (text, reason);
  if (outcome->state == CURED_STATE_WRONG && outcome->mismatches->len > 0)
    {
      const CuredMismatch *first = outcome->mismatches->pdata[0];

      /* Translators: an element of a buffer, and what it is and should be. */
      g_string_append_printf (text, _ (": %s[%" PRId64 "] = %s, not %s"), first->buffer,
                              first->index, first->got, first->expected);
    }
  return g_string_free (text, FALSE);
}

/* @outcome: outcome of a cell
 * @where: (nullable): name of the cell, such as "n=96"
 *
 * Takes a cell into account. One that can't be launched is ignored. */
void
cured_check_result_add (CuredCheckResult *self, const CuredOutcome *outcome, const char *where)
{
  gboolean is_explained = FALSE;

  if (outcome->state == CURED_STATE_NOT_LAUNCHABLE)
    cured_check_result_add_unlaunchable (self, outcome->reason);
  if (outcome->state == CURED_STATE_NOT_RUN || outcome->state == CURED_STATE_NOT_LAUNCHABLE)
    return;
  self->n_cells++;
  CURED_EACH_POINTER (const CuredFinding, finding, outcome->findings)
    {
      add_finding (self, finding);
      /* Bank conflicts do not make results wrong. */
      if (finding->kind != CURED_FINDING_BANK_CONFLICT &&
          cured_check_result_is_declared (self, finding))
        is_explained = TRUE;
    }
  if (outcome->metrics[CURED_METRIC_excess_wavefronts] > 0)
    self->excess += outcome->metrics[CURED_METRIC_excess_wavefronts];
  if (outcome->state == CURED_STATE_OK)
    {
      self->n_right++;
      return;
    }
  /* Without detectors, any declared defect explains it. */
  if (is_explained || (!self->has_detectors && self->declared != 0))
    return;
  self->n_bad++;
  if (self->n_bad == 1)
    self->state = outcome->state;
  if (self->reason == NULL)
    self->reason = describe_outcome (outcome, where);
}

/* @reason: of cured_program_find_refusal()
 *
 * Takes a cell into account that the kernel file refuses. A kernel whose file refuses all cells
 * passes. */
void
cured_check_result_add_refusal (CuredCheckResult *self, const char *reason)
{
  if (self->refusal == NULL)
    self->refusal = g_strdup (reason);
}

/* @reason: (nullable): the limit of the device that the cell breaks
 *
 * Takes a cell into account that the device can't launch. */
void
cured_check_result_add_unlaunchable (CuredCheckResult *self, const char *reason)
{
  self->n_unlaunchable++;
  if (self->limit == NULL)
    self->limit = g_strdup (reason);
}

/* @is_broken: whether a claim of the kernel file does not hold
 *
 * Takes a claim into account. */
void
cured_check_result_add_claim (CuredCheckResult *self, gboolean is_broken)
{
  self->n_claims++;
  if (is_broken)
    self->n_broken++;
}

/* Returns: whether the kernel file refuses all cells on this device, as by `[Require]` with
 *   `If=!emulated` */
gboolean
cured_check_result_is_refused (const CuredCheckResult *self)
{
  return self->n_cells == 0 && self->n_unlaunchable == 0 && self->refusal != NULL;
}

/* @finding: one of its findings
 * Returns: whether the kernel file declares a defect of this kind */
gboolean
cured_check_result_is_declared (const CuredCheckResult *self, const CuredFinding *finding)
{
  return (self->declared >> finding->kind & 1) != 0;
}

/* Returns: whether some cell ran, every cell is right or wrong for a declared reason, exactly the
 *   declared defects were found (if there are detectors), and no claim is broken; or the kernel
 *   file refuses all cells on this device */
gboolean
cured_check_result_is_good (const CuredCheckResult *self)
{
  if (self->n_broken > 0)
    return FALSE;
  if (cured_check_result_is_refused (self))
    return TRUE;
  if (self->n_cells == 0 || self->n_bad > 0 || self->n_undeclared > 0)
    return FALSE;
  return !self->has_detectors || self->found == self->declared;
}
