/* SPDX-License-Identifier: MIT
 * The best cells of several files, one after the other. */
#include "study/cured-history.h"

#include "base/cured-base-internal.h"
#include "study/cured-study-internal.h"

CURED_FREE_FUNC (CuredHistorySeries, series_free, title, g_free, entries, g_array_unref)

/* The title of a series: kernel, device and problem. */
static char *
describe_problem (CuredResult *result, const gboolean *is_problem, const gsize *positions)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  GString *text = g_string_new (cured_result_get_kernel_id (result));

  g_string_append_printf (text, " · %s", *device->name != '\0' ? device->name : device->id);
  for (gsize i = 0; i < n_axes; i++)
    if (is_problem[i])
      {
        g_autofree char *value = cured_axis_format_value (axes[i].values, positions[i]);

        g_string_append_printf (text, " · %s = %s", axes[i].name, value);
      }
  return g_string_free (text, FALSE);
}

static CuredHistorySeries *
find_series (GPtrArray *all, GHashTable *by_title, const char *title)
{
  CuredHistorySeries *series = g_hash_table_lookup (by_title, title);

  if (series != NULL)
    return series;
  series = CURED_NEW (CuredHistorySeries, .title = g_strdup (title),
                      .entries = g_array_new (FALSE, FALSE, sizeof (CuredHistoryEntry)));
  g_ptr_array_add (all, series);
  g_hash_table_insert (by_title, series->title, series);
  return series;
}

/* The entry of a file, which must be the last one added. */
static CuredHistoryEntry *
find_entry (CuredHistorySeries *series, guint file)
{
  CuredHistoryEntry entry = { file, -1, { -1, -1, NAN, NAN, NAN, NAN, CURED_VERDICT_SAME } };

  if (series->entries->len == 0 ||
      g_array_index (series->entries, CuredHistoryEntry, series->entries->len - 1).file != file)
    g_array_append_val (series->entries, entry);
  return &g_array_index (series->entries, CuredHistoryEntry, series->entries->len - 1);
}

/* Whether a cell has the values of @like's cell on all common axes, and no choice on
 * others. */
static gboolean
is_alike (CuredResult *result, const gsize *positions, CuredResult *like, const gsize *wanted)
{
  gsize n_axes, n_like;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredResultAxis *like_axes = cured_result_get_axes (like, &n_like);

  for (gsize i = 0; i < n_axes; i++)
    {
      gsize k = 0, position;

      while (k < n_like && !g_str_equal (like_axes[k].name, axes[i].name))
        k++;
      if (k == n_like ? cured_axis_get_length (axes[i].values) > 1
                      : !cured_match_find_value (like_axes[k].values, wanted[k], axes[i].values,
                                                 &position) ||
                            position != positions[i])
        return FALSE;
    }
  return TRUE;
}

static void
add_result (GPtrArray *all, GHashTable *by_title, CuredResult *result, guint file,
            const CuredFigures *figures, CuredResult *like, const gsize *wanted)
{
  gsize n_axes;

  cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  g_autofree gboolean *is_problem = g_new0 (gboolean, n_axes + 1);
  for (gsize i = 0; i < n_axes; i++)
    is_problem[i] = like != NULL || cured_match_is_problem (result, i);
  CURED_EACH_CELL (result, cell)
    {
      double value = cured_result_get_state (result, cell) == CURED_STATE_OK
                         ? cured_figures_get_value (figures, cell)
                         : NAN;

      if (cured_result_get_state (result, cell) == CURED_STATE_NOT_LAUNCHABLE)
        continue;
      cured_result_get_positions (result, cell, positions);
      if (like != NULL && !is_alike (result, positions, like, wanted))
        continue;
      g_autofree char *title = describe_problem (result, is_problem, positions);
      CuredHistoryEntry *entry = find_entry (find_series (all, by_title, title), file);
      if (!isfinite (value) ||
          (entry->cell >= 0 && !(figures->better == CURED_BETTER_HIGHER ? value > entry->pair.b
                                                                        : value < entry->pair.b)))
        continue;
      entry->cell = cell;
      entry->pair.b = value;
    }
}

/* Compares each entry with the last one before it that has a value. */
static void
compare (CuredHistorySeries *series, const CuredFigures *figures)
{
  const CuredHistoryEntry *last = NULL;

  CURED_EACH (CuredHistoryEntry, entry, series->entries)
    {
      if (last != NULL)
        {
          entry->pair.cell_a = last->cell;
          entry->pair.cell_b = entry->cell;
          entry->pair.a = last->pair.b;
          entry->pair.ratio = entry->pair.b / entry->pair.a;
          cured_pair_judge (&figures[last->file], &figures[entry->file], &entry->pair);
        }
      if (entry->cell >= 0)
        last = entry;
    }
}

/* @results: (array length=n_results): in the order of their dates
 * @metric: id of a metric with a better end
 * @like: (nullable): a result with a cell to follow; NULL: follow the best of each file
 * @like_cell: that cell
 * @error: set to CURED_ERROR_NOT_FOUND where a result lacks the metric, to CURED_ERROR_INVALID
 *   where neither end is better, or to an error of reading
 *
 * Finds the best cell of each file, of each of its problems, or the one with the values of
 * @like_cell, and whether it differs from the one before by more than the noise, as
 * cured_comparison_new() does.
 * Returns: (transfer container) (element-type CuredHistorySeries) (nullable): a series for each
 *   kernel, device and problem, whose title has all values of a followed cell; keeps no pointers
 *   into the results */
GPtrArray *
cured_history_new (CuredResult *const *results, guint n_results, const char *metric,
                   CuredResult *like, gint64 like_cell, GError **error)
{
  gsize n_axes = 0;

  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (series_free);
  g_autoptr (GHashTable) by_title = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree CuredFigures *figures = g_new0 (CuredFigures, n_results + 1);

  g_return_val_if_fail (results != NULL && metric != NULL, NULL);

  if (like != NULL)
    cured_result_get_axes (like, &n_axes);
  g_autofree gsize *wanted = g_new0 (gsize, n_axes + 1);
  if (like != NULL)
    cured_result_get_positions (like, like_cell, wanted);
  for (guint i = 0; i < n_results; i++)
    {
      gsize index;

      if (!cured_result_find_metric (results[i], metric, &index))
        return cured_fail_null (error, CURED_ERROR_NOT_FOUND, _ ("“%s” has no metric “%s”."),
                                cured_result_get_path (results[i]), metric);
      if (cured_result_get_metrics (results[i], NULL)[index].better == CURED_BETTER_NEITHER)
        return cured_fail_null (error, CURED_ERROR_INVALID,
                                _ ("neither end of “%s” is better, so that no cell is the best"),
                                metric);
      if (!cured_figures_load (&figures[i], results[i], metric, error))
        return NULL;
      add_result (all, by_title, results[i], i, &figures[i], like, wanted);
    }
  for (guint i = 0; i < all->len; i++)
    compare (all->pdata[i], figures);
  return g_steal_pointer (&all);
}
