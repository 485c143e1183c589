/* SPDX-License-Identifier: MIT
 * What one cell is asked to do: its progress and its reference. */
#include "measure/cured-measure-internal.h"

#include "kernel/read/cured-catalogue-internal.h"

/* @stage: what begins now
 *
 * Tells the job's owner, who may be in another process, where the cell is. */
void
cured_job_enter_stage (const CuredJob *job, CuredStage stage)
{
  if (job->stage_func != NULL)
    job->stage_func (stage, job->stage_data);
}

/* @reference: (out) (transfer full) (nullable): the kernel file that computes the expected output;
 *   NULL where the reference is a C function
 *
 * The kernel that came along with the job, or else what cured_catalogue_load_reference() finds.
 * Returns: FALSE with @error set where the file can't be read or parsed */
gboolean
cured_job_load_reference (const CuredJob *job, CuredKernel **reference, GError **error)
{
  const char *name = job->kernel->reference;

  *reference = NULL;
  if (job->reference != NULL)
    *reference = cured_kernel_ref (job->reference);
  else if (name != NULL && (g_str_has_prefix (name, "kernel:") || cured_kernel_is_file_name (name)))
    {
      *reference = cured_catalogue_load_reference (job->kernel, error);
      return *reference != NULL;
    }
  return TRUE;
}
