/* SPDX-License-Identifier: MIT
 * The slice of a result that one heat map shows. */
#include "config.h"

#include "plot/map/cured-grid-internal.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "base/cured-limit.h"
#include "base/cured-units.h"
#include "plot/cured-colour-map-internal.h"
#include "study/cured-comparison.h"
#include "study/cured-study-internal.h"

/* A map of ratios reaches at least from the inverse of this to this. */
#define LEAST_REACH 1.05

static gboolean
is_better (const CuredMetricInfo *metric, double value, double than)
{
  switch (metric->better)
    {
    case CURED_BETTER_LOWER:
      return value < than;
    case CURED_BETTER_HIGHER:
      return value > than;
    case CURED_BETTER_NEITHER:
    default:
      return FALSE;
    }
}

static gboolean
is_logarithm_sensible (double low, double high)
{
  return low > 0 && high / low > CURED_VIEW_LOGARITHMIC_FROM;
}

/* Whether two cells differ in a metric. */
static gboolean
varies (CuredResult *result, gsize metric)
{
  const double *column = cured_result_get_column (result, metric);
  const guint8 *states = cured_result_get_states (result);
  gint64 n_cells = cured_result_get_n_cells (result);
  double first = NAN;

  for (gint64 i = 0; i < n_cells; i++)
    {
      if (states[i] != CURED_STATE_OK || !isfinite (column[i]))
        continue;
      if (isnan (first))
        first = column[i];
      else if (column[i] != first)
        return TRUE;
    }
  return FALSE;
}

/* The time, which a device with a clock or a model will have. Where there is none, as on the
 * emulator, the first count in which cells differ: a map of one colour says little. What is counted
 * per access tells which cell is better, so it goes first. */
static gsize
find_default_metric (CuredResult *result)
{
  static const CuredMetric times[] = { CURED_METRIC_time, CURED_METRIC_time_hot,
                                       CURED_METRIC_predicted_time };
  static const CuredMetric per_access[] = { CURED_METRIC_conflict_ways,
                                            CURED_METRIC_sectors_per_request };
  const CuredDeviceInfo *device = cured_result_get_device (result);
  const CuredMetricInfo *metrics;
  gsize metric = 0;
  gsize n;

  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    if (cured_result_find_metric (result, cured_metric_info (times[i])->id, &metric) &&
        cured_result_has_values (result, metric))
      return metric;
  metrics = cured_result_get_metrics (result, &n);
  for (gsize i = 0; i < G_N_ELEMENTS (per_access); i++)
    if (cured_result_find_metric (result, cured_metric_info (per_access[i])->id, &metric) &&
        varies (result, metric))
      return metric;
  for (gsize i = 0; i < n; i++)
    if (metrics[i].origin == CURED_ORIGIN_COUNTED && varies (result, i))
      return i;
  for (gsize i = 0; i < n; i++)
    if (cured_result_has_values (result, i))
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

/* The axis of the name @name, if it has more than one value. */
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

/* The longest axis but @other; the earlier one of equally long ones. */
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

/* Where values of two axes have names, these are what is held against what, and a number beside
 * them counts repetitions. The longer one runs upwards, where a name has room. */
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

static void
choose_axes (CuredView *self, CuredKernel *kernel, const CuredResultAxis *axes, gsize n_axes)
{
  gsize x = CURED_AXIS_NONE;
  gsize y = CURED_AXIS_NONE;

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
  if (x == CURED_AXIS_NONE)
    x = find_longest_axis (axes, n_axes, y);
  if (x == CURED_AXIS_NONE)
    {
      /* One axis runs: a line is drawn from left to right. */
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
choose_positions (CuredView *self, CuredResult *result, CuredKernel *kernel,
                  const CuredResultAxis *axes, gsize n_axes)
{
  gint64 best = cured_result_find_best (result, self->metric);

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

      /* The defaults show nothing, and there is something to show. */
      if (isnan (grid->low))
        cured_result_get_positions (result, best, self->positions);
    }
}

/**
 * cured_view_init:
 * @self: (out caller-allocates): a view
 * @result: what it will look at
 *
 * Chooses what to look at first. The axes are those that the kernel file names, else the two whose
 * values have names, if there are two, else the two longest; the metric is the time, cold or else
 * hot; without
 * any, the first count in which cells differ, else the first metric that has values; the other
 * parameters stand at their defaults, else where the
 * best cell is; colours are logarithmic where the values' range is wide. To be freed with
 * cured_view_clear().
 */
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
  choose_axes (self, kernel, axes, n_axes);
  choose_positions (self, result, kernel, axes, n_axes);
  self->logarithmic = cured_view_suggests_logarithm (self, result);
  self->relative = cured_view_suggests_relative (self, result);
}

/**
 * cured_view_suggests_logarithm:
 * @self: a view
 * @result: what it looks at
 *
 * Returns: whether the values of its metric differ by more than
 *   %CURED_VIEW_LOGARITHMIC_FROM in what it shows; linear colours then have
 *   most cells alike
 */
gboolean
cured_view_suggests_logarithm (const CuredView *self, CuredResult *result)
{
  g_autoptr (CuredGrid) grid = cured_grid_new (result, self);

  return is_logarithm_sensible (grid->low, grid->high);
}

/**
 * cured_view_suggests_relative:
 * @self: a view
 * @result: what it looks at
 *
 * Returns: whether multiples of the best say more than the values: where they are
 *   predicted, since a model is better at saying how much worse a cell is than
 *   how long it takes; and where times of problems of several sizes are side by side
 */
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

/**
 * cured_view_copy:
 * @self: a view
 * @result: the result that it looks at
 * @copy: (out caller-allocates): its copy, to be freed with
 *   cured_view_clear()
 */
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

/* Where the metric has values, or will have some soon. */
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

/**
 * cured_view_adopt:
 * @self: a view that was initialised
 * @result: what it looks at
 * @old: how another result was looked at
 * @old_result: that one
 * @is_live: cells of @result are coming in
 *
 * Looks at a result in the same way as at another one, as far as it has what that takes: metric
 * with logarithm, axes, contour. The positions stay.
 */
void
cured_view_adopt (CuredView *self, CuredResult *result, const CuredView *old,
                  CuredResult *old_result, gboolean is_live)
{
  const CuredResultAxis *axes = cured_result_get_axes (old_result, NULL);
  const CuredMetricInfo *metrics = cured_result_get_metrics (old_result, NULL);
  gsize x_axis;
  gsize y_axis;
  gsize contour;

  /* What one kind of device measures, another one may not. */
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

/**
 * cured_view_clear:
 * @self: a view
 *
 * Frees what the view holds, and not the view.
 */
void
cured_view_clear (CuredView *self)
{
  g_clear_pointer (&self->positions, g_free);
  g_clear_object (&self->other);
}

/* The ends of the confidence interval go with the two medians only. */
static const double *
get_interval_column (CuredResult *result, const char *metric, const char *end)
{
  g_autofree char *id = NULL;
  gsize index;

  if (!g_str_equal (metric, cured_metric_info (CURED_METRIC_time)->id) &&
      !g_str_equal (metric, cured_metric_info (CURED_METRIC_time_hot)->id))
    return NULL;
  id = g_strconcat (metric, "_", end, NULL);
  if (!cured_result_find_metric (result, id, &index) || !cured_result_has_values (result, index))
    return NULL;
  return cured_result_get_column (result, index);
}

static void
fill_interval (CuredGrid *self, CuredResult *result)
{
  const double *lows = get_interval_column (result, self->metric.id, "low");
  const double *highs = get_interval_column (result, self->metric.id, "high");

  if (lows == NULL || highs == NULL)
    return;
  self->lows = g_new (double, self->nx);
  self->highs = g_new (double, self->nx);
  for (gsize i = 0; i < self->nx; i++)
    {
      self->lows[i] = isnan (self->values[i]) ? NAN : lows[self->cells[i]];
      self->highs[i] = isnan (self->values[i]) ? NAN : highs[self->cells[i]];
    }
}

/* Of cured_grid_get_raw(). */
static const char *
get_unit (const CuredGrid *self)
{
  return self->best_values != NULL ? self->unit : self->metric.unit;
}

/* Which of the problems a cell belongs to. */
static gsize
get_problem (const CuredGrid *self, gsize index)
{
  return self->is_problem_x ? index % self->nx : index / self->nx;
}

static void
add_value (CuredGrid *self, gsize index, double value)
{
  self->values[index] = value;
  /* Written so that the first value replaces NaN. */
  if (!(value >= self->low))
    self->low = value;
  if (!(value <= self->high))
    self->high = value;
  if (self->has_best && self->other == NULL)
    {
      gssize *best = self->bests != NULL ? &self->bests[get_problem (self, index)] : &self->best;

      if (*best < 0 || is_better (&self->metric, value, self->values[*best]))
        *best = (gssize) index;
    }
}

/* Of a relative grid, values become multiples of their problem's best. @standard: which problem
 * stands for the others. */
static void
finish_bests (CuredGrid *self, gsize standard)
{
  gsize n = self->nx * self->ny;

  if (self->bests == NULL)
    return;
  self->best = self->bests[standard];
  for (gsize i = self->n_bests; i-- > 0 && self->best < 0;)
    self->best = self->bests[i];
  if (!self->relative || self->best < 0)
    return;
  self->best_values = g_new (double, self->n_bests);
  for (gsize i = 0; i < self->n_bests; i++)
    self->best_values[i] = self->bests[i] >= 0 ? self->values[self->bests[i]] : NAN;
  self->low = self->high = NAN;
  self->unit = self->metric.unit;
  self->metric.unit = "";
  for (gsize i = 0; i < n; i++)
    if (!isnan (self->values[i]))
      {
        self->values[i] /= self->best_values[get_problem (self, i)];
        self->low = fmin (self->low, self->values[i]);
        self->high = fmax (self->high, self->values[i]);
      }
}

/* A cell whose output is right, and in which the emulator found a race or a stray access. */
static void
fill_flags (CuredGrid *self, CuredResult *result)
{
  const double *findings;
  gsize metric;

  if (!cured_result_find_metric (result, cured_metric_info (CURED_METRIC_findings)->id, &metric))
    return;
  findings = cured_result_get_column (result, metric);
  self->is_flagged = g_new0 (guint8, self->nx * self->ny);
  for (gsize i = 0; i < self->nx * self->ny; i++)
    {
      self->is_flagged[i] = self->states[i] == CURED_STATE_OK && findings[self->cells[i]] > 0;
      self->n_flagged += self->is_flagged[i];
    }
}

static void
fill_values (CuredGrid *self, CuredResult *result, gsize metric)
{
  const double *column = cured_result_get_column (result, metric);
  const guint8 *states = cured_result_get_states (result);

  for (gsize i = 0; i < self->nx * self->ny; i++)
    {
      gint64 cell = self->cells[i];

      self->states[i] = MIN (states[cell], CURED_N_STATES - 1);
      self->n_states[self->states[i]]++;
      self->values[i] = NAN;
      if (self->states[i] != CURED_STATE_OK)
        continue;
      if (isfinite (column[cell]))
        add_value (self, i, column[cell]);
      else
        self->n_empty++;
    }
}

/* The metric of the contours, and how many cells are nearly the best. */
static void
fill_overlays (CuredGrid *self, CuredResult *result, const CuredView *view)
{
  const guint8 *states = cured_result_get_states (result);
  gsize n_cells = self->nx * self->ny;
  const double *column;
  gsize metric;

  if (view->x_axis != CURED_AXIS_NONE)
    self->column = MIN (view->positions[view->x_axis], self->nx - 1);
  if (view->y_axis != CURED_AXIS_NONE)
    self->row = MIN (view->positions[view->y_axis], self->ny - 1);
  for (gsize i = 0; i < n_cells; i++)
    self->n_near_best += cured_grid_is_near_best (self, i);
  if (view->contour == NULL || cured_grid_is_line (self) || cured_grid_is_named (self) ||
      !cured_result_find_metric (result, view->contour, &metric))
    return;
  column = cured_result_get_column (result, metric);
  self->contour_metric = cured_result_get_metrics (result, NULL)[metric];
  self->contour_values = g_new (double, n_cells);
  for (gsize i = 0; i < n_cells; i++)
    {
      gint64 cell = self->cells[i];

      self->contour_values[i] =
          cell >= 0 && states[cell] == CURED_STATE_OK && isfinite (column[cell]) ? column[cell]
                                                                                 : NAN;
    }
}

/* Ratios */

static double
get_ok_value (const double *column, const guint8 *states, gint64 cell)
{
  return cell >= 0 && column != NULL && states[cell] == CURED_STATE_OK && isfinite (column[cell])
             ? column[cell]
             : NAN;
}

static void
fill_ratios (CuredGrid *self, gsize metric)
{
  const double *column = cured_result_get_column (self->result, metric);
  const guint8 *states = cured_result_get_states (self->result);
  const guint8 *other_states = cured_result_get_states (self->other);
  const double *other_column = NULL;
  gsize index;

  if (cured_result_find_metric (self->other, self->metric.id, &index))
    other_column = cured_result_get_column (self->other, index);
  for (gsize i = 0; i < self->nx * self->ny; i++)
    {
      double value = get_ok_value (column, states, self->cells[i]);
      double other = get_ok_value (other_column, other_states, self->other_cells[i]);
      /* As of a CuredPair: of two zeros there is none, and the cell is empty. */
      double ratio = other / value;
      guint state = self->cells[i] >= 0 ? states[self->cells[i]] : (guint) CURED_STATE_NOT_RUN;

      self->values[i] = NAN;
      if (!isnan (value) && isnan (other))
        state = CURED_LOOK_ONLY_THIS;
      else if (isnan (value) && !isnan (other))
        state = CURED_LOOK_ONLY_OTHER;
      self->states[i] = (guint8) state;
      self->n_states[state]++;
      if (state != CURED_STATE_OK)
        continue;
      if (isfinite (ratio) && ratio > 0)
        add_value (self, i, ratio);
      else
        self->n_empty++;
    }
}

/* Cells of which nobody can tell whether they changed: as
 * cured_comparison_new() judges them. */
static void
fill_alike (CuredGrid *self)
{
  CuredFigures figures;
  CuredFigures others;
  gsize index;

  self->is_alike = g_new0 (guint8, self->nx * self->ny);
  if (!cured_result_find_metric (self->other, self->metric.id, &index) ||
      !cured_figures_load (&figures, self->result, self->metric.id, NULL) ||
      !cured_figures_load (&others, self->other, self->metric.id, NULL))
    return;
  for (gsize i = 0; i < self->nx * self->ny; i++)
    {
      CuredFigure figure;
      CuredFigure other;
      double significance;

      if (isnan (self->values[i]))
        continue;
      cured_figures_get (&figures, self->cells[i], &figure);
      cured_figures_get (&others, self->other_cells[i], &other);
      self->is_alike[i] = !cured_figure_differs (&figure, &other, &significance);
    }
}

static gssize
find_axis (const CuredResultAxis *axes, gsize n_axes, const char *name)
{
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, name))
      return (gssize) i;
  return -1;
}

static int
compare_values (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* The names of @values in either axis; NULL: they can't have any. */
static CuredAxis *
name_merged (CuredAxis *values, const CuredAxis *axis, const CuredAxis *other)
{
  g_auto (GStrv) names = g_new0 (char *, cured_axis_get_length (values) + 1);

  for (gsize i = 0; i < cured_axis_get_length (values); i++)
    {
      gint64 value = cured_axis_get_value (values, i);

      names[i] = cured_axis_value_to_string (
          cured_axis_get_name (axis, value) != NULL ? axis : other, value);
    }
  return cured_axis_new_named (values, (const char *const *) names);
}

/* The values of two axes of one parameter: in ascending order, unless the second has none that the
 * first lacks. Names are in no order but their own. */
static CuredAxis *
merge_axes (CuredAxis *axis, const CuredAxis *other)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (CuredAxis) merged = NULL;
  CuredAxis *named = NULL;
  gsize length = cured_axis_get_length (axis);
  gsize position;

  for (gsize i = 0; i < length; i++)
    {
      gint64 value = cured_axis_get_value (axis, i);

      g_array_append_val (values, value);
    }
  for (gsize i = 0; i < cured_axis_get_length (other); i++)
    {
      gint64 value = cured_axis_get_value (other, i);

      if (!cured_axis_find (axis, value, &position))
        g_array_append_val (values, value);
    }
  if (values->len == length)
    return cured_axis_ref (axis);
  if (!cured_axis_is_named (axis) && !cured_axis_is_named (other))
    {
      g_array_sort (values, compare_values);
      return cured_axis_new ((const gint64 *) (void *) values->data, values->len);
    }
  merged = cured_axis_new ((const gint64 *) (void *) values->data, values->len);
  named = name_merged (merged, axis, other);
  return named != NULL ? named : g_steal_pointer (&merged);
}

/* The position of each of @values on an axis, or -1. */
static gint64 *
find_positions (const CuredAxis *values, const CuredAxis *axis)
{
  gsize n = values != NULL ? cured_axis_get_length (values) : 1;
  gint64 *positions = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    {
      gsize position = 0;

      if (values == NULL || axis == NULL ||
          cured_axis_find (axis, cured_axis_get_value (values, i), &position))
        positions[i] = (gint64) position;
      else
        positions[i] = -1;
    }
  return positions;
}

/* What the best is chosen over, but for the parameters that the map shows: with these, each of
 * their values stands for itself. */
static CuredMatchSide
get_hidden_side (const CuredMatchSide *side, gssize x_axis, gssize y_axis)
{
  CuredMatchSide hidden = { .rank = side->rank };

  hidden.over = g_new (gsize, MAX (side->n_over, 1));
  for (gsize i = 0; i < side->n_over; i++)
    if ((gssize) side->over[i] != x_axis && (gssize) side->over[i] != y_axis)
      hidden.over[hidden.n_over++] = side->over[i];
  return hidden;
}

/* The cells of one result at the grid's values; the other parameters are at
 * @positions, or at their best. */
static void
fill_cells (CuredGrid *self, CuredResult *result, const CuredMatchSide *side, gsize *positions,
            gint64 *cells)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  gssize x_axis = self->x_title != NULL ? find_axis (axes, n_axes, self->x_title) : -1;
  gssize y_axis = self->y_title != NULL ? find_axis (axes, n_axes, self->y_title) : -1;
  g_autofree gint64 *columns =
      find_positions (self->x_values, x_axis >= 0 ? axes[x_axis].values : NULL);
  g_autofree gint64 *rows =
      find_positions (self->y_values, y_axis >= 0 ? axes[y_axis].values : NULL);
  CuredMatchSide hidden = get_hidden_side (side, x_axis, y_axis);

  for (gsize y = 0; y < self->ny; y++)
    for (gsize x = 0; x < self->nx; x++)
      {
        gint64 *cell = &cells[y * self->nx + x];

        *cell = -1;
        if (columns[x] < 0 || rows[y] < 0)
          continue;
        if (x_axis >= 0)
          positions[x_axis] = (gsize) columns[x];
        if (y_axis >= 0)
          positions[y_axis] = (gsize) rows[y];
        *cell = cured_match_find_cell (&hidden, result, positions);
      }
  g_free (hidden.over);
}

/* Where the other result has the slice of @view; NULL: nowhere. */
static gsize *
find_other_positions (CuredResult *result, CuredResult *other, const CuredView *view)
{
  gsize n_axes;
  gsize n_others;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredResultAxis *others = cured_result_get_axes (other, &n_others);
  g_autofree gsize *positions = g_new0 (gsize, MAX (n_others, 1));

  for (gsize i = 0; i < n_others; i++)
    {
      gssize axis = find_axis (axes, n_axes, others[i].name);

      if (axis >= 0 && (gsize) axis != view->x_axis && (gsize) axis != view->y_axis &&
          !cured_match_find_value (axes[axis].values, view->positions[axis], others[i].values,
                                   &positions[i]))
        return NULL;
    }
  return g_steal_pointer (&positions);
}

static void
merge_axis (CuredAxis **values, CuredResult *other, const char *name)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (other, &n_axes);
  gssize axis = name != NULL ? find_axis (axes, n_axes, name) : -1;
  CuredAxis *merged;

  if (axis < 0)
    return;
  merged = merge_axes (*values, axes[axis].values);
  cured_axis_unref (*values);
  *values = merged;
}

/* Turns a grid that has its axes, and no cells yet, into one of ratios. */
static void
fill_ratio (CuredGrid *self, const CuredView *view)
{
  gsize n_maps;
  gsize n_axes;
  gsize n_cells;
  g_autofree gsize *positions = NULL;
  g_autofree gsize *other_positions = NULL;
  g_autoptr (CuredMatch) match = cured_match_new (self->result, view->other, self->metric.id, NULL);
  const CuredMatchSide alone = { 0 };

  if (match != NULL)
    other_positions = find_other_positions (self->result, view->other, view);
  self->other = g_object_ref (view->other);
  if (!cured_colour_map_is_diverging (self->colours))
    self->colours = &cured_colour_map_diverging (&n_maps)[0];
  self->ratio_title = g_strdup_printf (
      /* Translators: a figure of two files, one divided by the other, as in "Time: other ÷
       * this". */
      _ ("%s: other ÷ this"), _ (self->metric.title));
  self->metric.title = self->ratio_title;
  self->metric.unit = "";
  self->metric.origin = CURED_ORIGIN_DERIVED;
  if (other_positions != NULL)
    {
      merge_axis (&self->x_values, self->other, self->x_title);
      merge_axis (&self->y_values, self->other, self->y_title);
      if (self->x_values != NULL)
        self->nx = cured_axis_get_length (self->x_values);
      if (self->y_values != NULL)
        self->ny = cured_axis_get_length (self->y_values);
    }
  n_cells = self->nx * self->ny;
  self->values = g_new (double, n_cells);
  self->states = g_new (guint8, n_cells);
  self->cells = g_new (gint64, n_cells);
  self->other_cells = g_new (gint64, n_cells);
  cured_result_get_axes (self->result, &n_axes);
  positions = g_memdup2 (view->positions, MAX (n_axes, 1) * sizeof (gsize));
  fill_cells (self, self->result, match != NULL ? &match->a : &alone, positions, self->cells);
  if (other_positions != NULL)
    fill_cells (self, self->other, &match->b, other_positions, self->other_cells);
  else
    for (gsize i = 0; i < n_cells; i++)
      self->other_cells[i] = -1;
  fill_ratios (self, view->metric);
  fill_alike (self);
  self->hide_alike = view->hide_alike;
}

/* Where times are of problems of several sizes, each problem has a best; where both axes are
 * problems, or a line runs over them, there is nothing to be better than. */
static void
choose_bests (CuredGrid *self, const CuredView *view, gsize *standard)
{
  gsize standard_y = 0;
  gboolean is_y = FALSE;

  if (view->other != NULL || !self->has_best || view->x_axis == CURED_AXIS_NONE ||
      cured_metric_get_scope (&self->metric) != CURED_SCOPE_PROBLEM)
    return;
  self->is_problem_x = cured_result_find_problem (self->result, view->x_axis, standard);
  if (view->y_axis != CURED_AXIS_NONE)
    is_y = cured_result_find_problem (self->result, view->y_axis, &standard_y);
  if (self->is_problem_x && (is_y || self->ny == 1))
    self->has_best = FALSE;
  else if (self->is_problem_x || (is_y && self->nx > 1))
    {
      self->n_bests = self->is_problem_x ? self->nx : self->ny;
      *standard = self->is_problem_x ? *standard : standard_y;
      self->bests = g_new (gssize, self->n_bests);
      for (gsize i = 0; i < self->n_bests; i++)
        self->bests[i] = -1;
    }
  else if (is_y)
    self->has_best = FALSE;
}

/**
 * cured_grid_new:
 * @result: what to look at
 * @view: which part of it
 *
 * Takes one slice out of a result. Costs one pass over the slice.
 *
 * With a second result, values are ratios, of cells that are matched as
 * cured_comparison_new() does it; where that would be an error, each cell is one that only one of
 * them has. A parameter that the other lacks may be an axis: then each of its values meets the same
 * cell of the other. Where it is none, its position in the view does not count, since the best over
 * it does.
 *
 * Returns: (transfer full): the slice
 */
CuredGrid *
cured_grid_new (CuredResult *result, const CuredView *view)
{
  gsize n_axes;
  gsize n_metrics;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);
  g_autofree gsize *positions = NULL;
  gint64 origin;
  gint64 x_stride = 0;
  gint64 y_stride = 0;
  CuredGrid *self;
  gsize n_cells;
  gsize standard = 0;

  g_return_val_if_fail (view->metric < n_metrics, NULL);
  g_return_val_if_fail (view->x_axis < n_axes || n_axes == 0, NULL);
  g_return_val_if_fail (view->y_axis == CURED_AXIS_NONE || view->y_axis < n_axes, NULL);
  g_return_val_if_fail (view->x_axis != view->y_axis || n_axes == 0, NULL);

  self = g_new0 (CuredGrid, 1);
  self->nx = 1;
  self->ny = 1;
  self->best = -1;
  self->low = NAN;
  self->high = NAN;
  self->metric = metrics[view->metric];
  self->has_best = cured_metric_get_scope (&self->metric) != CURED_SCOPE_NONE;
  self->colours = view->colours;
  self->logarithmic = view->logarithmic;
  self->relative = view->relative;
  self->region = view->region;
  /* Names have no order. */
  self->marginals = view->marginals && !cured_grid_is_named (self);
  self->result = g_object_ref (result);
  positions = g_memdup2 (view->positions, MAX (n_axes, 1) * sizeof (gsize));
  if (view->x_axis != CURED_AXIS_NONE)
    {
      const CuredResultAxis *axis = &axes[view->x_axis];

      self->nx = cured_axis_get_length (axis->values);
      self->x_title = g_strdup (axis->name);
      self->x_summary = g_strdup (axis->summary);
      self->x_values = cured_axis_ref (axis->values);
      positions[view->x_axis] = 0;
    }
  if (view->y_axis != CURED_AXIS_NONE)
    {
      const CuredResultAxis *axis = &axes[view->y_axis];

      self->ny = cured_axis_get_length (axis->values);
      self->y_title = g_strdup (axis->name);
      self->y_summary = g_strdup (axis->summary);
      self->y_values = cured_axis_ref (axis->values);
      positions[view->y_axis] = 0;
    }
  choose_bests (self, view, &standard);
  if (view->other != NULL)
    {
      fill_ratio (self, view);
      fill_overlays (self, result, view);
      return self;
    }

  /* A cell's number is its index in the product of the axes: a step along one axis is always as
   * long. */
  origin = cured_result_get_cell (result, positions);
  if (self->nx > 1)
    {
      positions[view->x_axis] = 1;
      x_stride = cured_result_get_cell (result, positions) - origin;
      positions[view->x_axis] = 0;
    }
  if (self->ny > 1)
    {
      positions[view->y_axis] = 1;
      y_stride = cured_result_get_cell (result, positions) - origin;
    }
  /* A product of two axes of the result: the result holds as many cells. */
  n_cells = self->nx * self->ny;
  self->values = g_new (double, n_cells);
  self->states = g_new (guint8, n_cells);
  self->cells = g_new (gint64, n_cells);
  for (gsize y = 0; y < self->ny; y++)
    for (gsize x = 0; x < self->nx; x++)
      self->cells[y * self->nx + x] = origin + (gint64) x * x_stride + (gint64) y * y_stride;
  fill_values (self, result, view->metric);
  finish_bests (self, standard);
  fill_flags (self, result);
  fill_overlays (self, result, view);
  if (cured_grid_is_line (self))
    fill_interval (self, result);
  return self;
}

/**
 * cured_grid_free:
 * @self: (nullable) (transfer full): a grid
 */
void
cured_grid_free (CuredGrid *self)
{
  if (self == NULL)
    return;
  g_free (self->values);
  g_free (self->states);
  g_free (self->cells);
  g_free (self->other_cells);
  g_free (self->is_alike);
  g_free (self->bests);
  g_free (self->best_values);
  g_free (self->is_flagged);
  g_free (self->contour_values);
  g_free (self->lows);
  g_free (self->highs);
  g_free (self->x_title);
  g_free (self->x_summary);
  g_free (self->y_title);
  g_free (self->y_summary);
  g_clear_pointer (&self->x_values, cured_axis_unref);
  g_clear_pointer (&self->y_values, cured_axis_unref);
  g_clear_object (&self->result);
  g_clear_object (&self->other);
  g_free (self->ratio_title);
  g_free (self);
}

/**
 * cured_grid_get_best_of:
 * @self: a grid
 * @index: into its arrays
 *
 * Returns: the best cell of those that the cell is compared with: all, or those of its problem; -1:
 *   there is none
 */
gssize
cured_grid_get_best_of (const CuredGrid *self, gsize index)
{
  return self->bests != NULL ? self->bests[get_problem (self, index)] : self->best;
}

/**
 * cured_grid_is_best:
 * @self: a grid
 * @index: into its arrays
 *
 * Returns: whether it is the best cell of those that it is compared with
 */
gboolean
cured_grid_is_best (const CuredGrid *self, gsize index)
{
  return cured_grid_get_best_of (self, index) == (gssize) index;
}

/**
 * cured_grid_get_raw:
 * @self: a grid
 * @index: into its arrays
 *
 * Returns: the value of the cell in the unit of the metric, also where the grid has multiples
 */
double
cured_grid_get_raw (const CuredGrid *self, gsize index)
{
  double value = self->values[index];

  return self->best_values != NULL ? value * self->best_values[get_problem (self, index)] : value;
}

/**
 * cured_grid_is_near_best:
 * @self: a grid
 * @index: into its arrays
 *
 * Returns: whether a cell is within %CURED_GRID_NEAR_BEST per cent of the best
 *   one of cured_grid_get_best_of(); no cell is where there is no best one
 */
gboolean
cured_grid_is_near_best (const CuredGrid *self, gsize index)
{
  gssize best_index = cured_grid_get_best_of (self, index);
  double best;
  double margin;

  if (best_index < 0)
    return FALSE;
  best = self->values[best_index];
  margin = fabs (best) * CURED_GRID_NEAR_BEST / 100;
  return self->metric.better == CURED_BETTER_LOWER ? self->values[index] <= best + margin
                                                   : self->values[index] >= best - margin;
}

/**
 * cured_grid_has_region:
 * @self: a grid
 *
 * Returns: whether the cells that are nearly the best are outlined: that was
 *   asked for, and they are some of the cells of a map
 */
gboolean
cured_grid_has_region (const CuredGrid *self)
{
  return self->region && self->best >= 0 && !cured_grid_is_line (self) &&
         self->n_near_best > MAX (self->n_bests, 1);
}

/**
 * cured_grid_get_look:
 * @self: a grid
 * @index: into its arrays
 *
 * Returns: what a cell without a value is drawn as: its state or a #CuredLook
 */
guint
cured_grid_get_look (const CuredGrid *self, gsize index)
{
  if (self->states[index] == CURED_STATE_OK && isnan (self->values[index]))
    return CURED_LOOK_EMPTY;
  return self->states[index];
}

/* The logarithm of the ratio that is farthest from 1, or of one that is well beyond noise: a map of
 * two alike files has no strong colours. */
static double
get_reach (const CuredGrid *self)
{
  double reach = MAX (fabs (log (self->low)), fabs (log (self->high)));

  return MAX (reach, log (LEAST_REACH));
}

static gboolean
uses_logarithm (const CuredGrid *self)
{
  return self->logarithmic && self->low > 0;
}

/**
 * cured_grid_get_position:
 * @self: a grid
 * @value: a value in the metric's unit
 *
 * Where @value stands among the grid's values, so that 1 is always the better end: the least time
 * and the greatest bandwidth look the same. Of a metric with no better end, 1 is the greatest
 * value. A logarithmic grid with a value of 0 or less is linear. Ratios are always logarithmic, and
 * 0.5 is the ratio of 1.
 *
 * Returns: 0 … 1; 0.5 where all values are equal; NaN for NaN
 */
double
cured_grid_get_position (const CuredGrid *self, double value)
{
  double low = self->low;
  double high = self->high;
  double position;

  if (isnan (value) || isnan (low))
    return NAN;
  /* A ratio's scale goes as far either way, beyond its nearer end. */
  if (self->other == NULL)
    value = CLAMP (value, low, high);
  if (self->other != NULL)
    position = 0.5 + 0.5 * CLAMP (log (value) / get_reach (self), -1, 1);
  else if (!(high > low))
    return 0.5;
  else if (uses_logarithm (self))
    position = log (value / low) / log (high / low);
  else
    position = (value - low) / (high - low);
  return self->metric.better == CURED_BETTER_LOWER ? 1 - position : position;
}

/* The inverse of cured_grid_get_position(). Returns the value that stands there; NaN where the
 * grid has no value. @position: 0 … 1; clamped. */
double
cured_grid_get_value (const CuredGrid *self, double position)
{
  position = CLAMP (position, 0, 1);
  if (self->metric.better == CURED_BETTER_LOWER)
    position = 1 - position;
  if (self->other != NULL && !isnan (self->low))
    return exp ((2 * position - 1) * get_reach (self));
  if (uses_logarithm (self))
    return self->low * pow (self->high / self->low, position);
  return self->low + position * (self->high - self->low);
}

/**
 * cured_grid_summarize:
 * @self: a grid
 * @rect: cells of it, all inside
 * @summary: (out caller-allocates): what they hold
 *
 * Costs one pass over the rectangle.
 */
void
cured_grid_summarize (const CuredGrid *self, const CuredGridRect *rect, CuredGridSummary *summary)
{
  g_return_if_fail (rect->n_columns <= self->nx && rect->column <= self->nx - rect->n_columns);
  g_return_if_fail (rect->n_rows <= self->ny && rect->row <= self->ny - rect->n_rows);

  *summary = (CuredGridSummary){
    .n_cells = rect->n_columns * rect->n_rows,
    .best = -1,
    .low = NAN,
    .high = NAN,
  };
  for (gsize y = rect->row; y < rect->row + rect->n_rows; y++)
    for (gsize x = rect->column; x < rect->column + rect->n_columns; x++)
      {
        gsize index = y * self->nx + x;
        double value = self->values[index];

        if (isnan (value))
          continue;
        summary->n_values++;
        /* Written so that the first value replaces NaN. */
        if (!(value >= summary->low))
          summary->low = value;
        if (!(value <= summary->high))
          summary->high = value;
        if (self->has_best && (self->bests == NULL || self->best_values != NULL) &&
            (summary->best < 0 || is_better (&self->metric, value, self->values[summary->best])))
          summary->best = (gssize) index;
      }
}

static void
append_axis_value (GString *text, const CuredAxis *values, gsize position)
{
  g_autofree char *value = NULL;

  if (values == NULL)
    return;
  value = cured_axis_value_to_string (values, cured_axis_get_value (values, position));
  g_string_append (text, value);
}

/* What is seen as a table for a spreadsheet: a heading that names the metric, its unit and both
 * parameters, a column for each value of the parameter that runs to the right, and a row for
 * each of the one that runs upwards, the uppermost first. Numbers are in the metric's own unit
 * and in the locale's notation, as a spreadsheet of the same user reads them; a cell without a
 * value is empty. Cells are separated by tabs. Returns: (transfer full): the table, of lines
 * that all end in a line feed. */
char *
cured_grid_to_table (const CuredGrid *self)
{
  g_autoptr (GString) text = g_string_new (_ (self->metric.title));

  if (*get_unit (self) != '\0' && !cured_grid_is_named (self))
    g_string_append_printf (text, " (%s)", get_unit (self));
  if (self->y_title != NULL && self->x_title != NULL)
    g_string_append_printf (text, ": %s \\ %s", self->y_title, self->x_title);
  else if (self->x_title != NULL)
    g_string_append_printf (text, ": %s", self->x_title);
  for (gsize x = 0; x < self->nx; x++)
    {
      g_string_append_c (text, '\t');
      append_axis_value (text, self->x_values, x);
    }
  g_string_append_c (text, '\n');
  for (gsize y = self->ny; y-- > 0;)
    {
      append_axis_value (text, self->y_values, y);
      for (gsize x = 0; x < self->nx; x++)
        {
          double value = cured_grid_get_raw (self, y * self->nx + x);

          g_string_append_c (text, '\t');
          if (!isnan (value) && cured_grid_is_named (self))
            g_string_append (text, cured_limit_get_title (cured_limit_from_value (value)));
          else if (!isnan (value))
            g_string_append_printf (text, "%.10g", value);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * cured_grid_is_relative:
 * @self: a grid
 *
 * Returns: whether its values are written as multiples of the best one. Nothing
 *   is the best where no end is better, where values are ratios already or
 *   names, or where there is none.
 */
gboolean
cured_grid_is_relative (const CuredGrid *self)
{
  return self->relative && !cured_grid_is_ratio (self) && self->best >= 0 &&
         self->values[self->best] > 0;
}

/**
 * cured_grid_format_value:
 * @self: a grid
 * @value: one of its values, or between them
 *
 * Returns: (transfer full): the value as people read it: "106 µs", or "×1.43" of
 *   the best one where the grid is relative; with two digits where it is
 *   predicted
 */
char *
cured_grid_format_value (const CuredGrid *self, double value)
{
  if (cured_grid_is_relative (self))
    return cured_format_multiple (value / self->values[self->best],
                                  cured_grid_is_predicted (self) ? 2 : 3);
  return cured_grid_is_predicted (self) ? cured_format_rough (value, self->metric.unit)
                                        : cured_format_quantity (value, self->metric.unit);
}

/**
 * cured_grid_format_best:
 * @self: a grid that has a best value
 *
 * Returns: (transfer full): the best value, with its unit: what the others are
 *   multiples of
 */
char *
cured_grid_format_best (const CuredGrid *self)
{
  g_return_val_if_fail (self->best >= 0, NULL);

  return cured_grid_format_raw (self, (gsize) self->best);
}

/**
 * cured_grid_format_raw:
 * @self: a grid
 * @index: of a cell that has a value
 *
 * Returns: (transfer full): the value with its unit, also where the grid is
 *   relative
 */
char *
cured_grid_format_raw (const CuredGrid *self, gsize index)
{
  double value = cured_grid_get_raw (self, index);

  return cured_grid_is_predicted (self) ? cured_format_rough (value, get_unit (self))
                                        : cured_format_quantity (value, get_unit (self));
}

static char *
name_metric (const CuredMetricInfo *metric)
{
  const char *unit = g_str_equal (metric->unit, "ns") || g_str_equal (metric->unit, "limit") ? ""
                     : g_str_equal (metric->unit, "ratio")                                   ? "%"
                                                           : metric->unit;

  if (*unit == '\0')
    return g_strdup (_ (metric->title));
  /* Translators: a figure and its unit, as in "Bandwidth (B/s)". */
  return g_strdup_printf (_ ("%s (%s)"), _ (metric->title), unit);
}

/**
 * cured_grid_name_metric:
 * @result: (nullable): a result
 * @metric: one of its figures
 *
 * Names a figure with its unit, where it has one of its own: "Bandwidth (B/s)". A time has none,
 * since every number chooses its own, from ns to s. Of a result, a share says which of the device's
 * limits the kernel is held against. Menus and legends have the same name.
 *
 * Returns: (transfer full): a translated text
 */
char *
cured_grid_name_metric (CuredResult *result, const CuredMetricInfo *metric)
{
  CuredKernel *kernel = result != NULL ? cured_result_get_kernel (result) : NULL;

  if (kernel == NULL || !g_str_equal (metric->id, cured_metric_info (CURED_METRIC_of_ceiling)->id))
    return name_metric (metric);
  switch (kernel->ceiling)
    {
    case CURED_CEILING_READ:
      /* Translators: a share of what the device can read a second. xgettext:no-c-format */
      return g_strdup (_ ("% of the read limit"));
    case CURED_CEILING_COPY:
      /* Translators: a share of what the device can copy per second. xgettext:no-c-format */
      return g_strdup (_ ("% of the copy limit"));
    case CURED_CEILING_FP32:
      /* Translators: a share of the device's arithmetic rate in single precision.
       * xgettext:no-c-format */
      return g_strdup (_ ("% of the FP32 limit"));
    case CURED_CEILING_NONE:
    default:
      return name_metric (metric);
    }
}
