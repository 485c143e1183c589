/* SPDX-License-Identifier: MIT
 * How long a cell takes: what the last sweep of a kernel on a device needed. */
#include <config.h>

#include "model/cured-pace.h"

/* Implementation notes: a key file in the user's cache folder, a group for each
 * kernel and device. It may go at any time: there is no estimate then until the
 * next sweep has run. The names of groups are digests, since the id of an own
 * kernel file is its path, which may have what a group's name may not. */

static char *
pace_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "cured", "pace.ini", NULL);
}

static char *
pace_group (const char *kernel_id, const char *device_name)
{
  g_autofree char *text = g_strdup_printf ("%s\n%s", kernel_id, device_name);

  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

static int
count_modes (const CuredOptions *options)
{
  return MAX ((options->cold ? 1 : 0) + (options->hot ? 1 : 0), 1);
}

/**
 * cured_pace_learn:
 * @result: that was run
 * @progress: where the run ended
 *
 * Keeps the mean time of the cells that were done. Neither pauses nor starting
 * a worker is in it.
 */
void
cured_pace_learn (CuredResult *result, const CuredProgress *progress)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = pace_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  const CuredOptions *options = cured_result_get_options (result);
  const char *device = cured_result_get_device (result)->name;
  g_autofree char *group = NULL;
  double cell_s;
  double timing_s;

  if (progress->n_done < 1 || progress->cells_ns < 1)
    return;
  cell_s = (double) progress->cells_ns / 1e9 / (double) progress->n_done;
  timing_s = (double) progress->stage_ns[CURED_STAGE_TIME] / 1e9 /
             (double) progress->n_done;
  group = pace_group (cured_result_get_kernel_id (result), device);
  g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS, NULL);
  g_key_file_set_string (
      file, group, "kernel", cured_result_get_kernel_id (result));
  g_key_file_set_string (file, group, "device", device);
  g_key_file_set_double (file, group, "rest-s", MAX (cell_s - timing_s, 0));
  /* Of cold or of hot samples: a later sweep may take others. */
  g_key_file_set_double (
      file, group, "timing-s", timing_s / count_modes (options));
  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_key_file_save_to_file (file, path, NULL);
}

/**
 * cured_pace_estimate:
 * @kernel_id: a kernel
 * @device_name: of a device
 * @options: how cells are measured
 * @n_cells: how many that can be launched
 *
 * Goes by the last sweep of the same kernel on a device of that name: its mean
 * cell, with as much sampling as @options ask for.
 *
 * Returns: seconds; NaN: there was no such sweep
 */
double
cured_pace_estimate (const char *kernel_id,
                     const char *device_name,
                     const CuredOptions *options,
                     gint64 n_cells)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = pace_path ();
  g_autofree char *group = pace_group (kernel_id, device_name);
  g_autoptr (GError) error = NULL;
  double rest_s;
  double timing_s;

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return CURED_MISSING;
  rest_s = g_key_file_get_double (file, group, "rest-s", &error);
  if (error != NULL)
    return CURED_MISSING;
  timing_s = g_key_file_get_double (file, group, "timing-s", &error);
  if (error != NULL || !(rest_s >= 0) || !(timing_s >= 0))
    return CURED_MISSING;
  timing_s = MIN (timing_s, options->sampling_s) * count_modes (options);
  return (double) n_cells * (rest_s + timing_s);
}

/**
 * cured_pace_estimate_by_file:
 * @path: a result file of the same kernel on such a device
 * @measured: how its cells were measured
 * @options: how cells are to be measured
 * @n_cells: how many that can be launched
 *
 * Goes by the mean cell of a file. Blocks: reads the file.
 *
 * Returns: seconds; NaN: the file does not tell
 */
double
cured_pace_estimate_by_file (const char *path,
                             const CuredOptions *measured,
                             const CuredOptions *options,
                             gint64 n_cells)
{
  gint64 stage_ns[CURED_N_STAGES];
  gint64 n_measured = cured_result_peek_stages (path, stage_ns, NULL);
  double rest_s = 0;
  double timing_s;

  if (n_measured < 1)
    return CURED_MISSING;
  for (int i = 0; i < CURED_N_STAGES; i++)
    if (i != CURED_STAGE_TIME)
      rest_s += (double) stage_ns[i] / 1e9 / (double) n_measured;
  timing_s = (double) stage_ns[CURED_STAGE_TIME] / 1e9 / (double) n_measured;
  /* An imported file says nothing of it. */
  if (!(rest_s + timing_s > 0))
    return CURED_MISSING;
  timing_s = MIN (timing_s / count_modes (measured), options->sampling_s) *
             count_modes (options);
  return (double) n_cells * (rest_s + timing_s);
}
