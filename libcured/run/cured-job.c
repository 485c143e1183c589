/* SPDX-License-Identifier: MIT
 * What one cell is asked to do: its progress and its reference. */
#include "run/cured-measure.h"

#include "kernel/cured-catalogue.h"

/**
 * cured_job_enter_stage:
 * @job: a cell
 * @stage: what begins now
 *
 * Tells the job's owner, who may be in another process, where the cell is.
 */
void
cured_job_enter_stage (const CuredJob *job, CuredStage stage)
{
  if (job->stage_func != NULL)
    job->stage_func (stage, job->stage_data);
}

/**
 * cured_job_load_reference:
 * @job: a cell
 * @reference: (out) (transfer full) (nullable): the kernel file that computes
 *   the expected output; NULL where the reference is a C function
 *
 * The one way from a kernel's `Reference=` to another kernel file:
 * `kernel:ID` is looked up in the catalogue, a path (it ends in `.cu`) is taken
 * relative to the kernel's own file.
 *
 * Returns: FALSE with @error set where the file can't be read or parsed
 */
gboolean
cured_job_load_reference (const CuredJob *job,
                          CuredKernel **reference,
                          GError **error)
{
  const char *name = cured_kernel_get_reference (job->kernel);
  const char *path = cured_kernel_get_path (job->kernel);
  g_autofree char *file = NULL;

  *reference = NULL;
  if (job->reference != NULL)
    {
      *reference = cured_kernel_ref (job->reference);
      return TRUE;
    }
  if (name == NULL)
    return TRUE;
  if (g_str_has_prefix (name, "kernel:"))
    {
      *reference = cured_catalogue_get (name + strlen ("kernel:"), error);
      return *reference != NULL;
    }
  if (!g_str_has_suffix (name, ".cu"))
    return TRUE;

  if (path == NULL || g_path_is_absolute (name))
    file = g_strdup (name);
  else
    {
      g_autofree char *folder = g_path_get_dirname (path);

      file = g_build_filename (folder, name, NULL);
    }
  *reference = cured_kernel_new_from_file (file, error);
  return *reference != NULL;
}
