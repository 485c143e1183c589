/* SPDX-License-Identifier: MIT
 * Finds what limits the cells of a result. */
#include "explain/cured-explain-cell.h"

#include "base/cured-base-internal.h"
#include "store/cured-store-internal.h"

/* Time limit of the cache model for a cell, in milliseconds. */
#define TRAFFIC_MS 2000

static double
get_metric (CuredResult *result, gint64 cell, const char *id)
{
  gsize metric;

  return cured_result_find_metric (result, id, &metric)
             ? cured_result_get_value (result, cell, metric)
             : NAN;
}

/* @result: a result of any device
 * @id: (nullable): id of machine facts; NULL: those of the result's device
 * Returns: (transfer full): the facts; NULL with %CURED_ERROR_NOT_FOUND: there are none */
CuredMachine *
cured_explain_find_machine (CuredResult *result, const char *id, GError **error)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);

  if (id != NULL)
    return cured_machine_find (id, error);
  CuredMachine *machine = cured_machine_for_device (device);
  if (machine == NULL && device->name[0] == '\0')
    g_set_error_literal (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                         _ ("The file does not say which device it was measured on, so there are "
                            "no rates to compare with."));
  else if (machine == NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("There are no machine facts of “%s”. Name those of another chip that is like "
                    "it, such as --machine h200."),
                 device->name);
  return machine;
}

/* @result: a result with a kernel file
 * @cell: a cell of @result
 * @examiner: compiles and emulates
 *
 * Gets the work of the cell's launches: from the file, or else counted now. Blocks.
 * Returns: (transfer full): the launches; NULL with %CURED_ERROR_INVALID if the file was imported,
 *   or as from cured_examiner_count() */
CuredWorkload *
cured_explain_count (CuredResult *result, gint64 cell, CuredExaminer *examiner,
                     GCancellable *cancellable, GError **error)
{
  CuredKernel *kernel = cured_result_get_kernel (result);
  const CuredDeviceInfo *device = cured_result_get_device_of (result, cell);
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new (gsize, n_axes + 1);
  g_autofree gint64 *values = g_new (gint64, n_axes + 1);
  double registers = get_metric (result, cell, "registers");
  CuredWorkload *work = NULL;
  CuredWorkQuery query;

  if (!cured_result_load_work (result, cell, &work, error))
    return NULL;
  if (work != NULL)
    return work;
  if (kernel == NULL)
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("The file was imported and has no kernel in it, so that nothing can be counted"));
  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < n_axes; i++)
    values[i] = cured_axis_get_value (axes[i].values, positions[i]);
  cured_work_query_init (&query);
  query.traffic_ms = TRAFFIC_MS;
  query.seed = cured_result_get_options (result)->seed;
  if (registers > 0 && registers < 1024)
    query.registers = (int) registers;
  return cured_examiner_count (examiner, kernel, values, &device->limits, &query, cancellable,
                               error);
}

/* @result: a measured result
 * @cell: a cell of @result
 * @examiner: compiles and emulates if the file has no counts
 *
 * Explains the cold time of a cell. Blocks.
 * Returns: (transfer full): the explanation; NULL with %CURED_ERROR_NOT_FOUND if the cell has no
 *   time, or as from cured_explain_count() */
CuredExplanation *
cured_explain_cell (CuredResult *result, gint64 cell, const CuredMachine *machine,
                    CuredExaminer *examiner, GCancellable *cancellable, GError **error)
{
  double time_ns = get_metric (result, cell, "time");

  if (!(time_ns > 0))
    return cured_fail_null (
        error, CURED_ERROR_NOT_FOUND,
        _ ("The cell has no cold time: only GPU measurements can be explained"));
  g_autoptr (CuredWorkload) work = cured_explain_count (result, cell, examiner, cancellable, error);
  if (work == NULL)
    return NULL;
  return cured_explanation_new (work, machine, time_ns, get_metric (result, cell, "sm_clock"));
}

/* ORDER: as the columns of a #CuredLimiters. */
static const CuredMetric metrics[CURED_N_LIMITER_METRICS] = {
  CURED_METRIC_limiter,        CURED_METRIC_limiter_share,
  CURED_METRIC_limiter_next,   CURED_METRIC_limiter_next_share,
  CURED_METRIC_sampled_excess, CURED_METRIC_bytes_in_flight,
};

/* @id: (nullable): id of a metric
 * Returns: whether cured_limiters_show() adds the metric */
gboolean
cured_limiters_has_metric (const char *id)
{
  for (gsize i = 0; id != NULL && i < G_N_ELEMENTS (metrics); i++)
    if (g_str_equal (id, cured_metric_info (metrics[i])->id))
      return TRUE;
  return FALSE;
}

/* @n_cells: number of cells of a result
 * Returns: (transfer full): the limits of cells, all of them unknown */
CuredLimiters *
cured_limiters_new (gint64 n_cells)
{
  CuredLimiters *self = g_new0 (CuredLimiters, 1);

  self->n_cells = n_cells;
  for (gsize k = 0; k < CURED_N_LIMITER_METRICS; k++)
    {
      self->columns[k] = g_new (double, (gsize) n_cells);
      for (gint64 i = 0; i < n_cells; i++)
        self->columns[k][i] = NAN;
    }
  return self;
}

/* Returns: (transfer full) (nullable): the limits that cured_limiters_show() added to the result;
 *   %NULL if it has none */
CuredLimiters *
cured_limiters_new_from (CuredResult *result)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  gsize metric;

  if (!cured_result_find_metric (result, cured_metric_info (metrics[0])->id, &metric) ||
      !cured_result_has_values (result, metric))
    return NULL;
  CuredLimiters *self = cured_limiters_new (n_cells);
  for (gsize k = 0; k < CURED_N_LIMITER_METRICS; k++)
    if (cured_result_find_metric (result, cured_metric_info (metrics[k])->id, &metric))
      CURED_EACH_CELL (result, cell)
        self->columns[k][cell] = cured_result_get_value (result, cell, metric);
  return self;
}

/* @self: the limits of a result
 * @cell: one of its cells
 * @explanation: (nullable): the cell's explanation; %NULL: it becomes unknown */
void
cured_limiters_set (CuredLimiters *self, gint64 cell, const CuredExplanation *explanation)
{
  g_return_if_fail (cell >= 0 && cell < self->n_cells);

  if (explanation == NULL)
    {
      for (gsize k = 0; k < CURED_N_LIMITER_METRICS; k++)
        self->columns[k][cell] = NAN;
      return;
    }
  double values[CURED_N_LIMITER_METRICS] = {
    cured_explanation_get_limiter (explanation),
    explanation->uses[explanation->limit].share,
    explanation->next,
    explanation->uses[explanation->next].share,
    NAN,
    explanation->parallelism.bytes,
  };
  if (explanation->work != NULL)
    {
      CuredWork total;

      cured_workload_get_total (explanation->work, &total);
      values[CURED_N_LIMITER_METRICS - 2] = round (total.wavefronts - total.least);
    }

  for (gsize k = 0; k < CURED_N_LIMITER_METRICS; k++)
    self->columns[k][cell] = values[k];
}

/* @cell: of the result
 * Returns: whether the limit of the cell is known */
gboolean
cured_limiters_has (const CuredLimiters *self, gint64 cell)
{
  g_return_val_if_fail (cell >= 0 && cell < self->n_cells, FALSE);

  return !isnan (self->columns[0][cell]);
}

/* @self: the limits of @result
 * @result: a result; its file is not changed
 *
 * Adds to the result the metrics `limiter`, `limiter_share`, `limiter_next`, `limiter_next_share`,
 * `sampled_excess` and `bytes_in_flight`. */
void
cured_limiters_show (const CuredLimiters *self, CuredResult *result)
{
  g_return_if_fail (self->n_cells == cured_result_get_n_cells (result));

  for (gsize k = 0; k < CURED_N_LIMITER_METRICS; k++)
    cured_result_set_column (result, metrics[k], self->columns[k]);
}

/* @self: the limits of a result
 * @path: the result's file
 * @error: as from cured_store_open()
 *
 * Writes the known limits into the file, so that they need not be counted again. Other cells'
 * limits stay in the file, and a cell that is run again loses its limits. Blocks.
 * Returns: FALSE if the file can't be written; it is then unchanged */
gboolean
cured_limiters_save (const CuredLimiters *self, const char *path, GError **error)
{
  g_autoptr (CuredStore) store = cured_store_open (path, error);

  if (store == NULL || !cured_store_begin_batch (store, error))
    return FALSE;
  for (gint64 cell = 0; cell < self->n_cells; cell++)
    {
      if (!cured_limiters_has (self, cell) || cured_store_get_state (store, cell) != CURED_STATE_OK)
        continue;
      for (gsize k = 0; k < CURED_N_LIMITER_METRICS; k++)
        if (!isnan (self->columns[k][cell]) &&
            !_cured_store_set_figure (store, metrics[k], cell, self->columns[k][cell], error))
          return FALSE;
    }
  return cured_store_end_batch (store, error);
}

/* @self: (nullable) (transfer full): the limits of cells */
void
cured_limiters_free (CuredLimiters *self)
{
  if (self == NULL)
    return;
  for (gsize k = 0; k < CURED_N_LIMITER_METRICS; k++)
    g_free (self->columns[k]);
  g_free (self);
}

/* @result: a measured result
 * @examiner: compiles and emulates if the file has no counts
 * @func: (nullable): called with progress
 *
 * Finds what limits each cell with a time, and adds the metrics of cured_limiters_show(). The file
 * is not changed. A cell that can't be counted has none, and one whose limits are in the file, by
 * the rates of the same chip, is not counted again. Blocks.
 * Returns: FALSE with %G_IO_ERROR_CANCELLED, or, if no cell could be counted, with the first one's
 *   error */
gboolean
cured_explain_limiters (CuredResult *result, const CuredMachine *machine, CuredExaminer *examiner,
                        CuredExplainFunc func, gpointer user_data, GCancellable *cancellable,
                        GError **error)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  gint64 n_all = cured_result_count_state (result, CURED_STATE_OK);
  g_autoptr (CuredMachine) own = cured_machine_for_device (cured_result_get_device (result));
  g_autoptr (CuredLimiters) limiters =
      own != NULL && g_str_equal (own->id, machine->id) ? cured_limiters_new_from (result) : NULL;
  g_autoptr (GError) first = NULL;
  gint64 n_done = 0;
  gboolean has_value = FALSE;

  if (limiters == NULL)
    limiters = cured_limiters_new (n_cells);
  CURED_EACH_CELL (result, cell)
    {
      g_autoptr (GError) problem = NULL;

      if (cured_result_get_state (result, cell) != CURED_STATE_OK)
        continue;
      if (cured_limiters_has (limiters, cell))
        {
          has_value = TRUE;
          n_done++;
          continue;
        }
      g_autoptr (CuredExplanation) explanation =
          cured_explain_cell (result, cell, machine, examiner, cancellable, &problem);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (explanation != NULL)
        cured_limiters_set (limiters, cell, explanation);
      else if (first == NULL)
        first = g_steal_pointer (&problem);
      has_value = has_value || explanation != NULL;
      if (func != NULL)
        func (++n_done, n_all, user_data);
    }
  if (!has_value && first != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&first));
      return FALSE;
    }
  cured_limiters_show (limiters, result);
  return TRUE;
}
