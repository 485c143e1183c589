/* SPDX-License-Identifier: MIT
 * A part of a plan, for one of several independent runs. */
#include "run/cured-shard.h"

#include "base/cured-base-internal.h"
#include "run/cured-estimate-internal.h"

/* Implementation notes: each run divides the plan by itself and takes its own part, so the division
 * may depend only on the plan: not on a clock, an earlier sweep, or a file. It follows the order in
 * which a plan runs, in equal shares of the estimated cost: neighbours share inputs, references and
 * compiled variants, which every part would need again if cells were dealt out in turn. A cell
 * belongs to the part that contains the middle of its cost, so that each cell is in exactly one
 * part despite rounding. */

static gboolean
read_variable (const char *name, gint64 least, gint64 *value, GError **error)
{
  const char *text = g_getenv (name);

  if (text != NULL && g_ascii_string_to_signed (text, 10, least, G_MAXINT32, value, NULL))
    return TRUE;
  return cured_fail (
      error, CURED_ERROR_INVALID,
      _ ("--shard slurm: %s is “%s”, and not a number; it is set in the tasks of a job "
         "array (sbatch --array)"),
      name, text != NULL ? text : "");
}

static gboolean
read_slurm (int *shard, int *n_shards, GError **error)
{
  gint64 id, count, least, most;

  if (!read_variable ("SLURM_ARRAY_TASK_ID", 0, &id, error) ||
      !read_variable ("SLURM_ARRAY_TASK_COUNT", 1, &count, error) ||
      !read_variable ("SLURM_ARRAY_TASK_MIN", 0, &least, error))
    return FALSE;
  /* In an array with gaps, task numbers are not positions. */
  if (g_getenv ("SLURM_ARRAY_TASK_MAX") != NULL &&
      (!read_variable ("SLURM_ARRAY_TASK_MAX", 0, &most, error)))
    return FALSE;
  if (g_getenv ("SLURM_ARRAY_TASK_MAX") == NULL)
    most = least + count - 1;
  if (most - least + 1 != count || id < least || id > most || count > CURED_SHARD_MAX)
    return cured_fail (
        error, CURED_ERROR_INVALID,
        _ ("--shard slurm: the job array has gaps, so that its numbers are no shards; "
           "submit it as --array=0-%d, or say which shard with --shard I/N"),
        (int) MIN (count, CURED_SHARD_MAX) - 1);
  *shard = (int) (id - least + 1);
  *n_shards = (int) count;
  return TRUE;
}

/* @text: `3/16`, or `slurm`: from the environment of a job array's task
 * @shard: (out): number of the part, from 1
 * @n_shards: (out): number of parts
 * @error: set to CURED_ERROR_INVALID */
gboolean
cured_shard_parse (const char *text, int *shard, int *n_shards, GError **error)
{
  guint64 first, second;

  g_return_val_if_fail (text != NULL, FALSE);

  if (g_str_equal (text, "slurm"))
    return read_slurm (shard, n_shards, error);
  g_auto (GStrv) words = g_strsplit (text, "/", 3);
  if (g_strv_length (words) == 2 &&
      g_ascii_string_to_unsigned (words[1], 10, 1, CURED_SHARD_MAX, &second, NULL) &&
      g_ascii_string_to_unsigned (words[0], 10, 1, second, &first, NULL))
    {
      *shard = (int) first;
      *n_shards = (int) second;
      return TRUE;
    }
  return cured_fail (error, CURED_ERROR_INVALID,
                     _ ("--shard %s: expected I/N with I from 1 to N, such as 3/16, or slurm"),
                     text);
}

/* @plan: all cells
 * @limits: (array): limits of the device of each place of the plan
 * @shard: number of the part, from 1 to @n_shards
 * @n_shards: number of parts
 * @n_cells: (out): number of cells in the part
 *
 * Divides the launchable cells of a plan into parts of about the same cost. The same plan always
 * gives the same parts. A part may be empty if there are more parts than cells.
 * Returns: (transfer full) (array length=n_cells): the cells of the part */
gint64 *
cured_shard_cells (CuredPlan *plan, const CuredLimits *const *limits, int shard, int n_shards,
                   gsize *n_cells)
{
  gint64 n_launchable = cured_plan_get_n_launchable (plan);
  g_autofree double *costs = g_new0 (double, (gsize) n_launchable + 1);
  g_autofree gint64 *cells = g_new0 (gint64, (gsize) n_launchable + 1);
  double sum = 0, before = 0;

  g_return_val_if_fail (shard >= 1 && shard <= n_shards, NULL);

  _cured_estimate_costs (plan, limits, costs);
  for (gint64 i = 0; i < n_launchable; i++)
    sum += costs[i];
  *n_cells = 0;
  for (gint64 i = 0; i < n_launchable; i++)
    {
      double middle = (before + costs[i] / 2) / sum * n_shards;

      if ((int) CLAMP (middle, 0, n_shards - 1) == shard - 1)
        cells[(*n_cells)++] = cured_plan_get_ordered (plan, i);
      before += costs[i];
    }
  return g_steal_pointer (&cells);
}
