/* SPDX-License-Identifier: MIT
 * The job of measuring one cell: its progress and its reference. */
#include "measure/cured-measure-internal.h"

#include "kernel/read/cured-catalogue-internal.h"

/* @stage: the stage that begins
 *
 * Reports the stage to the job's owner, possibly in another process. */
void
cured_job_enter_stage (const CuredJob *job, CuredStage stage)
{
  if (job->stage_func != NULL)
    job->stage_func (stage, job->stage_data);
}

/* @reference: (out) (transfer full) (nullable): the kernel file that computes the expected output;
 *   NULL if the reference is a C function
 *
 * Gives the reference that came with the job, or else that from cured_catalogue_load_reference().
 * Returns: FALSE with @error set if the file can't be read or parsed */
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
