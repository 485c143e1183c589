/* SPDX-License-Identifier: MIT
 * The default view of a result. */
#include "plot/map/cured-grid-internal.h"

#include "base/cured-base-internal.h"
#include "study/cured-comparison.h"
#include "study/cured-importance.h"

static gboolean
is_logarithm_sensible (double low, double high)
{
  return low > 0 && high / low > CURED_VIEW_LOGARITHMIC_FROM;
}

/* Whether two cells differ in a metric. */
static gboolean
varies (CuredResult *result, gsize metric)
{
  double first = NAN;

  cured_result_load_column (result, metric, NULL, NULL);
  CURED_EACH_CELL (result, i)
    {
      double value = _cured_grid_get_ok_value (result, metric, i);

      if (isnan (value))
        continue;
      if (isnan (first))
        first = value;
      else if (value != first)
        return TRUE;
    }
  return FALSE;
}

/* The time, if the device has a clock or a model. If there is none, as on the emulator, the first
 * count in which cells differ, since a map of one colour says little. Counts per access come first,
 * as they show which cell is better. */
static gsize
find_default_metric (CuredResult *result)
{
  static const CuredMetric times[] = { CURED_METRIC_time, CURED_METRIC_time_hot,
                                       CURED_METRIC_predicted_time };
  static const CuredMetric per_access[] = { CURED_METRIC_conflict_ways,
                                            CURED_METRIC_sectors_per_request };
  const CuredDeviceInfo *device = cured_result_get_device (result);
  gsize metric = 0, n;

  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    if (cured_result_find_metric (result, cured_metric_info (times[i])->id, &metric) &&
        cured_result_has_values (result, metric))
      return metric;
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n);
  for (gsize i = 0; i < G_N_ELEMENTS (per_access); i++)
    if (cured_result_find_metric (result, cured_metric_info (per_access[i])->id, &metric) &&
        varies (result, metric))
      return metric;
  for (gsize i = 0; i < n; i++)
    if (metrics[i].origin == CURED_ORIGIN_COUNTED && varies (result, i))
      return i;
  /* The first cells are not representative. */
  for (gsize i = 0; i < n; i++)
    if (metrics[i].origin == CURED_ORIGIN_COUNTED && cured_result_has_values (result, i))
      return i;
  /* A tuner records the time to compile besides its objective. */
  for (int turn = 0; turn < 2; turn++)
    for (gsize i = 0; i < n; i++)
      if (cured_result_has_values (result, i) &&
          (turn == 1 ||
           !g_str_equal (metrics[i].id, cured_metric_info (CURED_METRIC_compile_time)->id)))
        return i;
  /* Nothing was run yet. */
  cured_result_find_metric (
      result,
      cured_metric_info (g_str_equal (device->kind, "model")   ? CURED_METRIC_predicted_time
                         : cured_device_info_has_time (device) ? CURED_METRIC_time
                                                               : CURED_METRIC_instructions)
          ->id,
      &metric);
  return metric;
}

/* The axis named @name, if it has more than one value. */
static gsize
find_running_axis (const CuredResultAxis *axes, gsize n_axes, const char *name)
{
  if (name == NULL)
    return CURED_AXIS_NONE;
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, name) && cured_axis_get_length (axes[i].values) > 1)
      return i;
  return CURED_AXIS_NONE;
}

/* The longest axis except @other; the first of equally long ones. */
static gsize
find_longest_axis (const CuredResultAxis *axes, gsize n_axes, gsize other)
{
  gsize longest = CURED_AXIS_NONE;

  for (gsize i = 0; i < n_axes; i++)
    {
      gsize length = cured_axis_get_length (axes[i].values);

      if (i != other && length > 1 &&
          (longest == CURED_AXIS_NONE || length > cured_axis_get_length (axes[longest].values)))
        longest = i;
    }
  return longest;
}

/* If two axes have named values, the names are meant to be compared, and a third, numeric axis
 * counts repetitions. The longer axis is vertical, where names have room. */
static gboolean
find_named_axes (const CuredResultAxis *axes, gsize n_axes, gsize *x, gsize *y)
{
  gsize named[2] = { CURED_AXIS_NONE, CURED_AXIS_NONE };
  gsize n_named = 0;

  for (gsize i = 0; i < n_axes; i++)
    if (cured_axis_is_named (axes[i].values) && cured_axis_get_length (axes[i].values) > 1)
      {
        if (n_named < 2)
          named[n_named] = i;
        n_named++;
      }
  if (n_named != 2)
    return FALSE;
  *x = named[0];
  *y = named[1];
  if (cured_axis_get_length (axes[*x].values) > cured_axis_get_length (axes[*y].values))
    {
      *x = named[1];
      *y = named[0];
    }
  return TRUE;
}

/* The two axes whose map through @centre is the largest and fullest: maximizes the number of cells
 * that ran, times their share of the map. In a full space, these are the two longest. In a space
 * with restrictions, most maps may have only one cell. */
static gboolean
find_fullest_axes (CuredResult *result, const CuredResultAxis *axes, gsize n_axes, gint64 centre,
                   gsize *x, gsize *y)
{
  g_autofree gsize *origin = g_new0 (gsize, n_axes + 1), *positions = g_new0 (gsize, n_axes + 1);
  /* Number of cells that differ from the centre on these two axes; on the diagonal: only on that
   * one. */
  g_autofree gint64 *counts = g_new0 (gint64, n_axes * n_axes + 1);
  double most = 0;

  cured_result_get_positions (result, centre, origin);
  CURED_EACH_CELL (result, cell)
    {
      gsize other[2] = { 0, 0 };
      gsize n_other = 0;

      if (!_cured_grid_has_run (result, cell))
        continue;
      cured_result_get_positions (result, cell, positions);
      for (gsize i = 0; i < n_axes && n_other <= 2; i++)
        if (positions[i] != origin[i] && n_other++ < 2)
          other[n_other - 1] = i;
      if (n_other == 1 || n_other == 2)
        counts[other[0] * n_axes + other[n_other - 1]]++;
    }
  for (gsize i = 0; i < n_axes; i++)
    for (gsize j = i + 1; j < n_axes; j++)
      {
        double n_i = (double) cured_axis_get_length (axes[i].values);
        double n_j = (double) cured_axis_get_length (axes[j].values);
        double n_run =
            (double) (1 + counts[i * n_axes + i] + counts[j * n_axes + j] + counts[i * n_axes + j]);

        if (n_i < 2 || n_j < 2 || n_run * n_run / (n_i * n_j) <= most)
          continue;
        most = n_run * n_run / (n_i * n_j);
        *x = n_j > n_i ? j : i;
        *y = n_j > n_i ? i : j;
      }
  return most > 0;
}

/* The two parameters that matter most, if most cells of the space ran; the one with more values is
 * horizontal. */
static gboolean
find_important_axes (CuredResult *result, gsize metric, const CuredResultAxis *axes, gsize *x,
                     gsize *y)
{
  gint64 n_cells = cured_result_get_n_cells (result);

  /* Skip the analysis if few cells of a large space have run. */
  if (cured_result_count_state (result, CURED_STATE_OK) * 2 < n_cells)
    return FALSE;
  g_autoptr (CuredImportance) importance = cured_importance_new (result, metric);
  if (importance == NULL || importance->n_parameters < 3 || importance->n_cells * 2 < n_cells)
    return FALSE;
  *x = importance->parameters[0].axis;
  *y = importance->parameters[1].axis;
  if (cured_axis_get_length (axes[*y].values) > cured_axis_get_length (axes[*x].values))
    {
      *x = importance->parameters[1].axis;
      *y = importance->parameters[0].axis;
    }
  return TRUE;
}

static void
choose_axes (CuredView *self, CuredResult *result, CuredKernel *kernel, gint64 best,
             const CuredResultAxis *axes, gsize n_axes)
{
  gsize x = CURED_AXIS_NONE, y = CURED_AXIS_NONE;

  if (kernel != NULL)
    {
      x = find_running_axis (axes, n_axes, kernel->sweep_x);
      y = find_running_axis (axes, n_axes, kernel->sweep_y);
    }
  if (x == y)
    y = CURED_AXIS_NONE;
  if (x == CURED_AXIS_NONE && y == CURED_AXIS_NONE &&
      find_named_axes (axes, n_axes, &self->x_axis, &self->y_axis))
    return;
  if (x == CURED_AXIS_NONE && y == CURED_AXIS_NONE &&
      find_important_axes (result, self->metric, axes, &self->x_axis, &self->y_axis))
    return;
  if (kernel == NULL && best >= 0 &&
      find_fullest_axes (result, axes, n_axes, best, &self->x_axis, &self->y_axis))
    return;
  if (x == CURED_AXIS_NONE)
    x = find_longest_axis (axes, n_axes, y);
  if (x == CURED_AXIS_NONE)
    {
      /* One axis varies: draw a line from left to right. */
      x = y;
      y = CURED_AXIS_NONE;
    }
  else if (y == CURED_AXIS_NONE)
    y = find_longest_axis (axes, n_axes, x);
  if (x == CURED_AXIS_NONE && n_axes > 0)
    x = 0;
  self->x_axis = x;
  self->y_axis = y;
}

static void
choose_positions (CuredView *self, CuredResult *result, CuredKernel *kernel, gint64 best,
                  const CuredResultAxis *axes, gsize n_axes)
{
  if (best >= 0)
    cured_result_get_positions (result, best, self->positions);
  if (kernel == NULL)
    return;
  for (gsize i = 0; i < n_axes; i++)
    {
      gsize parameter;

      if (cured_kernel_find_parameter (kernel, axes[i].name, &parameter))
        cured_axis_find (axes[i].values, kernel->parameters[parameter].default_value,
                         &self->positions[i]);
    }
  if (best >= 0)
    {
      g_autoptr (CuredGrid) grid = cured_grid_new (result, self);

      /* If the slice at the defaults is empty, show that of the best cell. */
      if (isnan (grid->low))
        cured_result_get_positions (result, best, self->positions);
    }
}

/* @self: (out caller-allocates): a view
 * @result: the result to look at
 *
 * Chooses the first view. Axes: those that the kernel file names, else the two with named values,
 * if there are two, else the two that matter most, if most cells ran, else, in an imported file,
 * the two with the fullest map, else the two longest. Metric: the time, cold or else hot; else the
 * first count in which cells differ; else the first metric with values. The other parameters are at
 * their defaults, else at the best cell. Colours are logarithmic if the values' range is wide. Free
 * with cured_view_clear(). */
void
cured_view_init (CuredView *self, CuredResult *result)
{
  CuredKernel *kernel = cured_result_get_kernel (result);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  *self = (CuredView){
    .metric = find_default_metric (result),
    .positions = g_new0 (gsize, MAX (n_axes, 1)),
    .colours = cured_colour_map_find (NULL),
    .region = TRUE,
  };
  gint64 best = cured_result_find_best (result, self->metric);
  choose_axes (self, result, kernel, best, axes, n_axes);
  choose_positions (self, result, kernel, best, axes, n_axes);
  self->logarithmic = cured_view_suggests_logarithm (self, result);
  self->relative = cured_view_suggests_relative (self, result);
}

/* Returns: whether the metric has values and, for a count or a derived metric, cells differ in it.
 *   While a sweep fills @result, another metric may say more: cured_view_init() of a new view
 *   chooses it. */
gboolean
cured_view_tells (const CuredView *self, CuredResult *result)
{
  const CuredMetricInfo *info = &cured_result_get_metrics (result, NULL)[self->metric];

  return cured_result_has_values (result, self->metric) &&
         ((info->origin != CURED_ORIGIN_COUNTED && info->origin != CURED_ORIGIN_DERIVED) ||
          varies (result, self->metric));
}

/* Returns: whether the visible values of its metric differ by more than
 *   %CURED_VIEW_LOGARITHMIC_FROM; with linear colours, most cells would then look alike */
gboolean
cured_view_suggests_logarithm (const CuredView *self, CuredResult *result)
{
  g_autoptr (CuredGrid) grid = cured_grid_new (result, self);

  return is_logarithm_sensible (grid->low, grid->high);
}

/* Returns: whether multiples of the best say more than the values: if they are predicted, since a
 *   model is better at ratios than at times, or if times of problems of several sizes are
 *   shown */
gboolean
cured_view_suggests_relative (const CuredView *self, CuredResult *result)
{
  const CuredMetricInfo *metric = &cured_result_get_metrics (result, NULL)[self->metric];

  if (metric->origin == CURED_ORIGIN_PREDICTED)
    return TRUE;
  if (cured_metric_get_scope (metric) != CURED_SCOPE_PROBLEM || self->x_axis == CURED_AXIS_NONE ||
      self->y_axis == CURED_AXIS_NONE)
    return FALSE;
  return cured_result_find_problem (result, self->x_axis, NULL) !=
         cured_result_find_problem (result, self->y_axis, NULL);
}

/* @result: the view's result
 * @copy: (out caller-allocates): its copy, to be freed with cured_view_clear() */
void
cured_view_copy (const CuredView *self, CuredResult *result, CuredView *copy)
{
  gsize n_axes;

  cured_result_get_axes (result, &n_axes);
  *copy = *self;
  if (copy->other != NULL)
    g_object_ref (copy->other);
  copy->positions = g_memdup2 (self->positions, MAX (n_axes, 1) * sizeof (gsize));
}

static gboolean
find_axis_number (CuredResult *result, const char *name, gsize *axis)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  for (*axis = 0; *axis < n_axes; (*axis)++)
    if (g_str_equal (axes[*axis].name, name))
      return TRUE;
  return FALSE;
}

/* Finds the metric if it has values, or will have some soon. */
static gboolean
find_shown_metric (CuredResult *result, const char *id, gboolean is_live, gsize *metric)
{
  gsize found;

  if (!cured_result_find_metric (result, id, &found) ||
      !(is_live || cured_result_has_values (result, found)))
    return FALSE;
  *metric = found;
  return TRUE;
}

/* @self: a view that was initialised
 * @old: the view of another result
 * @old_result: that result
 * @is_live: a sweep is filling @result
 *
 * Adopts another result's view, as far as @result has them: metric with logarithm, axes, contour.
 * The positions do not change. */
void
cured_view_adopt (CuredView *self, CuredResult *result, const CuredView *old,
                  CuredResult *old_result, gboolean is_live)
{
  const CuredResultAxis *axes = cured_result_get_axes (old_result, NULL);
  const CuredMetricInfo *metrics = cured_result_get_metrics (old_result, NULL);
  gsize x_axis, y_axis, contour;

  /* Another kind of device may not measure the same metrics. */
  is_live = is_live && g_str_equal (cured_result_get_device (result)->kind,
                                    cured_result_get_device (old_result)->kind);
  if (find_shown_metric (result, metrics[old->metric].id, is_live, &self->metric))
    {
      self->logarithmic = old->logarithmic;
      self->relative = old->relative;
    }
  if (old->x_axis != CURED_AXIS_NONE && old->y_axis != CURED_AXIS_NONE &&
      find_axis_number (result, axes[old->x_axis].name, &x_axis) &&
      find_axis_number (result, axes[old->y_axis].name, &y_axis))
    {
      self->x_axis = x_axis;
      self->y_axis = y_axis;
    }
  if (old->contour != NULL && find_shown_metric (result, old->contour, is_live, &contour))
    self->contour = cured_result_get_metrics (result, NULL)[contour].id;
}

/* Frees the view's members, not the view. */
CURED_DEFINE_CLEAR (CuredView, cured_view_clear, positions, g_free, other, g_object_unref)
