/* SPDX-License-Identifier: MIT
 * The slice of a result that one heat map shows. */
#include "plot/map/cured-grid-internal.h"

#include "base/cured-base-internal.h"
#include "plot/cured-colour-map-internal.h"
#include "store/cured-remarks.h"
#include "study/cured-comparison.h"
#include "study/cured-study-internal.h"

/* The scale of ratios reaches at least from this factor's inverse to the factor. */
#define LEAST_REACH 1.05

static gboolean
is_better (const CuredMetricInfo *metric, double value, double than)
{
  switch (metric->better)
    {
    case CURED_BETTER_LOWER: return value < than;
    case CURED_BETTER_HIGHER: return value > than;
    case CURED_BETTER_NEITHER:
    default: return FALSE;
    }
}

/* Only the two medians have confidence intervals. */
static gboolean
find_interval (CuredResult *result, const char *metric, const char *end, gsize *index)
{
  g_autofree char *id = NULL;

  if (!g_str_equal (metric, cured_metric_info (CURED_METRIC_time)->id) &&
      !g_str_equal (metric, cured_metric_info (CURED_METRIC_time_hot)->id))
    return FALSE;
  id = g_strconcat (metric, "_", end, NULL);
  return cured_result_find_metric (result, id, index) && cured_result_has_values (result, *index);
}

static void
fill_interval (CuredGrid *self, CuredResult *result)
{
  gsize low, high;

  if (!find_interval (result, self->metric.id, "low", &low) ||
      !find_interval (result, self->metric.id, "high", &high))
    return;
  self->lows = g_new (double, self->nx);
  self->highs = g_new (double, self->nx);
  for (gsize i = 0; i < self->nx; i++)
    {
      gboolean has_value = !isnan (self->values[i]);

      self->lows[i] = has_value ? cured_result_get_value (result, self->cells[i], low) : NAN;
      self->highs[i] = has_value ? cured_result_get_value (result, self->cells[i], high) : NAN;
    }
}

/* Unit of cured_grid_get_raw(). */
static const char *
get_unit (const CuredGrid *self)
{
  return self->best_values != NULL ? self->unit : self->metric.unit;
}

/* Index of the problem to which a cell belongs. */
static gsize
get_problem (const CuredGrid *self, gsize index)
{
  return self->is_problem_x ? index % self->nx : index / self->nx;
}

/* Whether its output is right, but the emulator found a race or a stray access: such a cell is
 * never the best. */
static gboolean
is_flagged (const CuredGrid *self, gsize index)
{
  return self->is_flagged != NULL && self->is_flagged[index];
}

static void
add_value (CuredGrid *self, gsize index, double value)
{
  self->values[index] = value;
  /* Negated so that the first value replaces NaN. */
  if (!(value >= self->low))
    self->low = value;
  if (!(value <= self->high))
    self->high = value;
  if (self->has_best && self->other == NULL && !is_flagged (self, index))
    {
      gssize *best = self->bests != NULL ? &self->bests[get_problem (self, index)] : &self->best;

      if (*best < 0 || is_better (&self->metric, value, self->values[*best]))
        *best = (gssize) index;
    }
}

/* In a relative grid, values become multiples of their problem's best. @standard: index of the
 * problem that represents all. */
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

static void
fill_notes (CuredGrid *self, CuredResult *result)
{
  gsize n_remarks;

  cured_result_get_remarks (result, &n_remarks);
  if (n_remarks == 0)
    return;
  self->is_noted = g_new0 (guint8, self->nx * self->ny);
  for (gsize i = 0; i < self->nx * self->ny; i++)
    {
      self->is_noted[i] =
          self->cells[i] >= 0 && cured_result_get_remark (result, self->cells[i]) != NULL;
      self->n_noted += self->is_noted[i];
    }
}

static void
fill_values (CuredGrid *self, CuredResult *result, gsize metric)
{
  const guint8 *states = cured_result_get_states (result);
  gsize findings;

  cured_result_load_column (result, metric, NULL, NULL);
  if (cured_result_find_metric (result, cured_metric_info (CURED_METRIC_findings)->id, &findings))
    {
      cured_result_load_column (result, findings, NULL, NULL);
      self->is_flagged = g_new0 (guint8, self->nx * self->ny);
    }
  for (gsize i = 0; i < self->nx * self->ny; i++)
    {
      gint64 cell = self->cells[i];

      self->states[i] = MIN (states[cell], CURED_N_STATES - 1);
      self->n_states[self->states[i]]++;
      self->values[i] = NAN;
      if (self->states[i] != CURED_STATE_OK)
        continue;
      if (self->is_flagged != NULL)
        self->n_flagged += self->is_flagged[i] =
            cured_result_get_value (result, cell, findings) > 0;
      double value = cured_result_get_value (result, cell, metric);
      if (isfinite (value))
        add_value (self, i, value);
      else
        self->n_empty++;
    }
}

/* The metric of the contours, and how many cells are nearly the best. */
static void
fill_overlays (CuredGrid *self, CuredResult *result, const CuredView *view)
{
  gsize n_cells = self->nx * self->ny;
  gsize metric;

  for (gsize i = 0; i < n_cells; i++)
    self->n_near_best += cured_grid_is_near_best (self, i);
  if (view->contour == NULL || cured_grid_is_line (self) || cured_grid_is_named (self) ||
      !cured_result_find_metric (result, view->contour, &metric))
    return;
  cured_result_load_column (result, metric, NULL, NULL);
  self->contour_metric = cured_result_get_metrics (result, NULL)[metric];
  self->contour_values = g_new (double, n_cells);
  for (gsize i = 0; i < n_cells; i++)
    self->contour_values[i] =
        self->cells[i] >= 0 ? _cured_grid_get_ok_value (result, metric, self->cells[i]) : NAN;
}

/* Ratios */

static void
fill_ratios (CuredGrid *self, gsize metric)
{
  const guint8 *states = cured_result_get_states (self->result);
  gsize index;
  gboolean other_has = cured_result_find_metric (self->other, self->metric.id, &index);

  cured_result_load_column (self->result, metric, NULL, NULL);
  if (other_has)
    cured_result_load_column (self->other, index, NULL, NULL);
  for (gsize i = 0; i < self->nx * self->ny; i++)
    {
      double value = self->cells[i] >= 0
                         ? _cured_grid_get_ok_value (self->result, metric, self->cells[i])
                         : NAN;
      double other = other_has && self->other_cells[i] >= 0
                         ? _cured_grid_get_ok_value (self->other, index, self->other_cells[i])
                         : NAN;
      /* As in CuredPair: two zeros have no ratio, and the cell is empty. */
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

/* Cells whose change can't be judged, by cured_comparison_new(). */
static void
fill_alike (CuredGrid *self)
{
  CuredFigures figures, others;
  gsize index;

  self->is_alike = g_new0 (guint8, self->nx * self->ny);
  if (!cured_result_find_metric (self->other, self->metric.id, &index) ||
      !cured_figures_load (&figures, self->result, self->metric.id, NULL) ||
      !cured_figures_load (&others, self->other, self->metric.id, NULL))
    return;
  for (gsize i = 0; i < self->nx * self->ny; i++)
    {
      CuredFigure figure, other;
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

/* The names of @values in either axis; NULL if they can't have any. */
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

/* The values of two axes of one parameter, in ascending order; in the first axis's order if that
 * has all of them. Names keep their order. */
static CuredAxis *
merge_axes (CuredAxis *axis, const CuredAxis *other)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
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
      g_array_sort (values, _cured_compare_integers);
      return cured_axis_new ((const gint64 *) (void *) values->data, values->len);
    }
  g_autoptr (CuredAxis) merged =
      cured_axis_new ((const gint64 *) (void *) values->data, values->len);
  CuredAxis *named = name_merged (merged, axis, other);
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

/* The parameters over which the best is chosen, without those on the map's axes, whose values are
 * shown separately. */
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

/* Positions of @view's slice in the other result; NULL if it has no such slice. */
static gsize *
find_other_positions (CuredResult *result, CuredResult *other, const CuredView *view)
{
  gsize n_axes, n_others;
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

  if (axis < 0)
    return;
  CuredAxis *merged = merge_axes (*values, axes[axis].values);
  cured_axis_unref (*values);
  *values = merged;
}

/* The values of one axis of the map, and the view's position on it. */
static void
init_axis (CuredAxis **values, gsize *n, gsize *at, const CuredView *view, gsize axis,
           const CuredResultAxis *axes)
{
  if (axis == CURED_AXIS_NONE)
    return;
  *values = cured_axis_ref (axes[axis].values);
  *n = cured_axis_get_length (*values);
  *at = MIN (view->positions[axis], *n - 1);
}

/* Fills a grid that has axes, but no cells yet, with ratios. */
static void
fill_ratio (CuredGrid *self, const CuredView *view)
{
  gsize n_maps, n_axes;
  g_autofree gsize *other_positions = NULL;
  g_autoptr (CuredMatch) match = cured_match_new (self->result, view->other, self->metric.id, NULL);
  const CuredMatchSide alone = { 0 };
  const CuredResultAxis *axes = cured_result_get_axes (self->result, &n_axes);

  init_axis (&self->x_values, &self->nx, &self->column, view, view->x_axis, axes);
  init_axis (&self->y_values, &self->ny, &self->row, view, view->y_axis, axes);
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
  gsize n_cells = self->nx * self->ny;
  self->values = g_new (double, n_cells);
  self->states = g_new (guint8, n_cells);
  self->cells = g_new (gint64, n_cells);
  self->other_cells = g_new (gint64, n_cells);
  g_autofree gsize *positions = g_memdup2 (view->positions, MAX (n_axes, 1) * sizeof (gsize));
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

/* If times are of problems of several sizes, each problem has a best; if both axes are problem
 * sizes, or a line runs over them, there is no best. */
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

/* The positions on an axis that the map shows, and the index of each position among them. */
typedef struct
{
  gsize n, *positions;
  gssize *places; /* (array length=axis): -1: not shown */
  gint64 stride;
} Shown;

CURED_CLEAR_FUNC (Shown, shown_clear, positions, g_free, places, g_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Shown, shown_clear)

/* @is_used: (nullable): positions to show; NULL: all, also if none but @at is used */
static void
shown_init (Shown *self, const CuredResultAxis *axis, const gboolean *is_used, gsize at)
{
  gsize length = axis != NULL ? cured_axis_get_length (axis->values) : 1;

  self->positions = g_new (gsize, length);
  self->places = g_new (gssize, length);
  for (gsize i = 0; i < length; i++)
    {
      self->places[i] = is_used == NULL || is_used[i] ? (gssize) self->n : -1;
      if (self->places[i] >= 0)
        self->positions[self->n++] = i;
    }
  if (self->n == 0)
    {
      self->positions[self->n++] = at;
      self->places[at] = 0;
    }
}

/* The shown values, possibly not all of the axis's. */
static CuredAxis *
shown_get_values (const Shown *self, const CuredAxis *axis)
{
  if (self->n == cured_axis_get_length (axis))
    return cured_axis_ref ((CuredAxis *) axis);
  g_autofree gint64 *values = g_new (gint64, self->n);
  for (gsize i = 0; i < self->n; i++)
    values[i] = cured_axis_get_value (axis, self->positions[i]);
  g_autoptr (CuredAxis) some = cured_axis_new (values, self->n);
  return cured_axis_new_like (some, axis);
}

/* Positions of two axes that have any cell, in any map, so that all maps of a result have the same
 * ones. */
static void
find_used (CuredResult *result, const CuredView *view, gboolean *x_used, gboolean *y_used)
{
  gsize n_axes;

  cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  CURED_EACH_CELL (result, cell)
    {
      cured_result_get_positions (result, cell, positions);
      if (x_used != NULL)
        x_used[positions[view->x_axis]] = TRUE;
      if (y_used != NULL)
        y_used[positions[view->y_axis]] = TRUE;
    }
}

static void
show_axes (CuredResult *result, const CuredView *view, Shown *x, Shown *y)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  const CuredResultAxis *x_axis = view->x_axis != CURED_AXIS_NONE ? &axes[view->x_axis] : NULL;
  const CuredResultAxis *y_axis = view->y_axis != CURED_AXIS_NONE ? &axes[view->y_axis] : NULL;
  g_autofree gboolean *x_used = NULL, *y_used = NULL;

  if (cured_result_is_sparse (result))
    {
      if (x_axis != NULL)
        x_used = g_new0 (gboolean, cured_axis_get_length (x_axis->values));
      if (y_axis != NULL)
        y_used = g_new0 (gboolean, cured_axis_get_length (y_axis->values));
      find_used (result, view, x_used, y_used);
    }
  shown_init (x, x_axis, x_used, x_axis != NULL ? view->positions[view->x_axis] : 0);
  shown_init (y, y_axis, y_used, y_axis != NULL ? view->positions[view->y_axis] : 0);
}

/* Difference of cell numbers between neighbouring positions of the axis. */
static gint64
get_stride (CuredResult *result, gsize axis)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  gint64 stride = 1;

  for (gsize i = axis + 1; i < n_axes; i++)
    stride *= (gint64) cured_axis_get_length (axes[i].values);
  return stride;
}

/* Whether a cell belongs to the view's problem. */
static gboolean
is_of_problem (const CuredView *view, const gboolean *is_fixed, gsize n_axes,
               const gsize *positions)
{
  for (gsize i = 0; i < n_axes; i++)
    if (is_fixed[i] && positions[i] != view->positions[i])
      return FALSE;
  return TRUE;
}

/* Puts the best cell over the other parameters into each place of the map. */
static void
choose_over (CuredGrid *self, CuredResult *result, const CuredView *view, const Shown *x,
             const Shown *y)
{
  gsize n_axes;
  g_autofree double *values = g_new (double, self->nx * self->ny);
  g_autofree guint8 *has_any = g_new0 (guint8, self->nx * self->ny);

  cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  g_autofree gboolean *is_fixed = g_new0 (gboolean, n_axes + 1);
  for (gsize i = 0; i < n_axes; i++)
    is_fixed[i] = i != view->x_axis && i != view->y_axis && cured_match_is_problem (result, i);
  cured_result_load_column (result, view->metric, NULL, NULL);
  CURED_EACH_CELL (result, cell)
    {
      double value = _cured_grid_get_ok_value (result, view->metric, cell);
      gsize place = 0;

      cured_result_get_positions (result, cell, positions);
      if (!is_of_problem (view, is_fixed, n_axes, positions))
        continue;
      if (view->x_axis != CURED_AXIS_NONE)
        place += (gsize) x->places[positions[view->x_axis]];
      if (view->y_axis != CURED_AXIS_NONE)
        place += (gsize) y->places[positions[view->y_axis]] * self->nx;
      /* Prefer a cell that ran to one that can't be launched; if neither end of the metric is
       * better, choose the least value. */
      if (has_any[place] == 0 || (!isnan (value) && isnan (values[place])) ||
          (isnan (values[place]) && _cured_grid_has_run (result, cell) &&
           !_cured_grid_has_run (result, self->cells[place])) ||
          (self->metric.better == CURED_BETTER_HIGHER ? value > values[place]
                                                      : value < values[place]))
        {
          has_any[place] = 1;
          values[place] = value;
          self->cells[place] = cell;
        }
    }
}

/* @view: the part to show
 *
 * Takes one slice out of a result. Costs one pass over the slice.
 *
 * With a second result, values are ratios of cells that are matched as in cured_comparison_new();
 * where that would fail, each cell counts as present in only one result. A parameter that the other
 * result lacks may be an axis: then each of its values is compared to the same cell. If it is not
 * an axis, its position in the view is ignored, and the best over it is taken.
 * Returns: (transfer full): the slice */
CuredGrid *
cured_grid_new (CuredResult *result, const CuredView *view)
{
  gsize n_axes, n_metrics;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);
  g_auto (Shown) shown_x = { 0 }, shown_y = { 0 };
  gsize standard = 0;

  g_return_val_if_fail (view->metric < n_metrics && (view->x_axis < n_axes || n_axes == 0) &&
                            (view->y_axis == CURED_AXIS_NONE || view->y_axis < n_axes) &&
                            (view->x_axis != view->y_axis || n_axes == 0),
                        NULL);

  CuredGrid *self = CURED_NEW (CuredGrid, .nx = 1, .ny = 1, .best = -1, .low = NAN, .high = NAN,
                               .metric = metrics[view->metric]);
  /* A kernel that is deliberately wrong has no best cell. */
  const CuredKernel *kernel = cured_result_get_kernel (result);
  self->has_best = cured_metric_get_scope (&self->metric) != CURED_SCOPE_NONE &&
                   (kernel == NULL || kernel->defect == NULL);
  self->colours = view->colours;
  self->logarithmic = view->logarithmic;
  self->relative = view->relative;
  self->limits = view->limits;
  self->region = view->region;
  /* Names have no order. */
  self->marginals = view->marginals && !cured_grid_is_named (self);
  self->result = g_object_ref (result);
  g_autofree gsize *positions = g_memdup2 (view->positions, MAX (n_axes, 1) * sizeof (gsize));
  if (view->x_axis != CURED_AXIS_NONE)
    {
      const CuredResultAxis *axis = &axes[view->x_axis];

      self->x_title = g_strdup (axis->name);
      self->x_summary = g_strdup (cured_kernel_translate (axis->summary));
      positions[view->x_axis] = 0;
    }
  if (view->y_axis != CURED_AXIS_NONE)
    {
      const CuredResultAxis *axis = &axes[view->y_axis];

      self->y_title = g_strdup (axis->name);
      self->y_summary = g_strdup (cured_kernel_translate (axis->summary));
      positions[view->y_axis] = 0;
    }
  if (view->other != NULL)
    {
      fill_ratio (self, view);
      fill_overlays (self, result, view);
      return self;
    }

  /* A cell's number is its index in the product of the axes, so steps along one axis are
   * equal. */
  gint64 origin = cured_result_get_cell (result, positions);
  show_axes (result, view, &shown_x, &shown_y);
  self->nx = shown_x.n;
  self->ny = shown_y.n;
  if (view->x_axis != CURED_AXIS_NONE)
    {
      shown_x.stride = get_stride (result, view->x_axis);
      self->x_values = shown_get_values (&shown_x, axes[view->x_axis].values);
      self->column = (gsize) MAX (shown_x.places[view->positions[view->x_axis]], 0);
    }
  if (view->y_axis != CURED_AXIS_NONE)
    {
      shown_y.stride = get_stride (result, view->y_axis);
      self->y_values = shown_get_values (&shown_y, axes[view->y_axis].values);
      self->row = (gsize) MAX (shown_y.places[view->positions[view->y_axis]], 0);
    }
  choose_bests (self, view, &standard);
  if (self->bests != NULL)
    standard = (gsize) MAX ((self->is_problem_x ? shown_x : shown_y).places[standard], 0);
  /* Can't overflow: the result declares at least this many cells. */
  gsize n_cells = self->nx * self->ny;
  self->values = g_new (double, n_cells);
  self->states = g_new (guint8, n_cells);
  self->cells = g_new (gint64, n_cells);
  for (gsize y = 0; y < self->ny; y++)
    for (gsize x = 0; x < self->nx; x++)
      self->cells[y * self->nx + x] = origin + (gint64) shown_x.positions[x] * shown_x.stride +
                                      (gint64) shown_y.positions[y] * shown_y.stride;
  if (view->best_over)
    choose_over (self, result, view, &shown_x, &shown_y);
  fill_values (self, result, view->metric);
  finish_bests (self, standard);
  fill_notes (self, result);
  fill_overlays (self, result, view);
  if (cured_grid_is_line (self))
    fill_interval (self, result);
  return self;
}

/* @self: (nullable) (transfer full): a grid */
void
cured_grid_free (CuredGrid *self)
{
  if (self == NULL)
    return;
  CURED_CLEAR (values, g_free, states, g_free, cells, g_free, other_cells, g_free, is_alike, g_free,
               bests, g_free, best_values, g_free, is_flagged, g_free, is_noted, g_free,
               contour_values, g_free, lows, g_free, highs, g_free);
  CURED_CLEAR (x_title, g_free, x_summary, g_free, y_title, g_free, y_summary, g_free, x_values,
               cured_axis_unref, y_values, cured_axis_unref);
  g_clear_object (&self->result);
  g_clear_object (&self->other);
  g_free (self->ratio_title);
  g_free (self);
}

/* @index: into its arrays
 * Returns: the best of the cells that the cell is compared with: all, or those of its problem; -1:
 *   none */
gssize
cured_grid_get_best_of (const CuredGrid *self, gsize index)
{
  return self->bests != NULL ? self->bests[get_problem (self, index)] : self->best;
}

/* @index: into its arrays
 * Returns: whether it is the best of the cells that it is compared with */
gboolean
cured_grid_is_best (const CuredGrid *self, gsize index)
{
  return cured_grid_get_best_of (self, index) == (gssize) index;
}

/* @index: into its arrays
 * Returns: the value of the cell in the metric's unit, even if the grid has multiples */
double
cured_grid_get_raw (const CuredGrid *self, gsize index)
{
  double value = self->values[index];

  return self->best_values != NULL ? value * self->best_values[get_problem (self, index)] : value;
}

/* @index: into its arrays
 * Returns: whether a cell is within %CURED_GRID_NEAR_BEST per cent of the best one of
 *   cured_grid_get_best_of(); FALSE if there is no best one */
gboolean
cured_grid_is_near_best (const CuredGrid *self, gsize index)
{
  gssize best_index = cured_grid_get_best_of (self, index);

  if (best_index < 0 || is_flagged (self, index))
    return FALSE;
  double best = self->values[best_index], margin = fabs (best) * CURED_GRID_NEAR_BEST / 100;
  return self->metric.better == CURED_BETTER_LOWER ? self->values[index] <= best + margin
                                                   : self->values[index] >= best - margin;
}

/* Returns: whether the nearly best cells are outlined: that was requested, and they are some, not
 *   all, of a map's cells */
gboolean
cured_grid_has_region (const CuredGrid *self)
{
  return self->region && self->best >= 0 && !cured_grid_is_line (self) &&
         self->n_near_best > MAX (self->n_bests, 1);
}

/* @index: into its arrays
 * Returns: the look of a cell without a value: its state or a #CuredLook */
guint
cured_grid_get_look (const CuredGrid *self, gsize index)
{
  if (self->states[index] == CURED_STATE_OK && isnan (self->values[index]))
    return CURED_LOOK_EMPTY;
  return self->states[index];
}

/* @self: limits of colours
 * @is_ratio: the values are ratios of two results
 *
 * Returns: FALSE with %CURED_ERROR_INVALID if the ends are in the wrong order, or a ratio's are not
 *   on both sides of the centre */
gboolean
cured_colour_limits_check (const CuredColourLimits *self, gboolean is_ratio, GError **error)
{
  double centre = self->has_centre ? self->centre : 1;

  if (self->has_low && self->has_high && !(self->low < self->high))
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("the lower limit of the colours must be below the upper one"));
  if (!is_ratio && self->has_centre)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("only the colours of a comparison have a centre"));
  if (is_ratio && (!(centre > 0) || (self->has_low && !(self->low > 0 && self->low < centre)) ||
                   (self->has_high && !(self->high > centre))))
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("the centre of the colours must be between their limits, which are "
                          "above 0"));
  return TRUE;
}

/* Least and greatest value of the scale of colours, whichever end is better. */
void
_cured_grid_get_ends (const CuredGrid *self, double *low, double *high)
{
  *low = self->limits.has_low ? self->limits.low : self->low;
  *high = self->limits.has_high ? self->limits.high : self->high;
}

static double
get_centre (const CuredGrid *self)
{
  return self->limits.has_centre ? self->limits.centre : 1;
}

/* The logarithm of the ratio at one end of the scale over the one in its middle. Without a limit,
 * of the farthest ratio, but at least of one well beyond noise, so that a map of two similar files
 * has no strong colours. */
static double
get_reach (const CuredGrid *self, gboolean is_above)
{
  double centre = get_centre (self);
  double reach = MAX (fabs (log (self->low / centre)), fabs (log (self->high / centre)));

  if (is_above && self->limits.has_high && self->limits.high > centre)
    return log (self->limits.high / centre);
  if (!is_above && self->limits.has_low && self->limits.low < centre)
    return log (centre / self->limits.low);
  return MAX (reach, log (LEAST_REACH));
}

static gboolean
uses_logarithm (const CuredGrid *self)
{
  double low, high;

  _cured_grid_get_ends (self, &low, &high);
  return self->logarithmic && low > 0;
}

/* @value: a value in the metric's unit
 *
 * The position of @value in the grid's range, with 1 for the better end: the least time and the
 * greatest bandwidth look the same. If a metric has no better end, 1 is the greatest value. A
 * logarithmic grid with a value of 0 or less is linear. Ratios are always logarithmic, and 0.5 is
 * the ratio of 1, or the centre of the grid's limits.
 * Returns: 0 … 1; 0.5 if all values are equal; NaN for NaN */
double
cured_grid_get_position (const CuredGrid *self, double value)
{
  double low, high, position;

  if (isnan (value) || isnan (self->low))
    return NAN;
  _cured_grid_get_ends (self, &low, &high);
  /* A ratio's scale is symmetric, beyond its nearer end. */
  if (self->other != NULL)
    {
      double above = log (value / get_centre (self));

      position = 0.5 + 0.5 * CLAMP (above / get_reach (self, above > 0), -1, 1);
    }
  else if (!(high > low))
    /* A limit may be beyond all values. */
    position = value < low ? 0 : value > high ? 1 : 0.5;
  else if (uses_logarithm (self))
    position = log (CLAMP (value, low, high) / low) / log (high / low);
  else
    position = (CLAMP (value, low, high) - low) / (high - low);
  return self->metric.better == CURED_BETTER_LOWER ? 1 - position : position;
}

/* The inverse of cured_grid_get_position(). Returns the value; NaN if the grid has no value.
 * @position: 0 … 1; clamped. */
double
cured_grid_get_value (const CuredGrid *self, double position)
{
  double low, high;

  _cured_grid_get_ends (self, &low, &high);
  position = CLAMP (position, 0, 1);
  if (self->metric.better == CURED_BETTER_LOWER)
    position = 1 - position;
  if (self->other != NULL && !isnan (self->low))
    return get_centre (self) * exp ((2 * position - 1) * get_reach (self, position > 0.5));
  if (uses_logarithm (self))
    return low * pow (high / low, position);
  return low + position * (high - low);
}

/* @rect: cells of the grid, all inside
 * @summary: (out caller-allocates): their number and range
 *
 * Costs one pass over the rectangle. */
void
cured_grid_summarize (const CuredGrid *self, const CuredGridRect *rect, CuredGridSummary *summary)
{
  g_return_if_fail (rect->n_columns <= self->nx && rect->column <= self->nx - rect->n_columns);
  g_return_if_fail (rect->n_rows <= self->ny && rect->row <= self->ny - rect->n_rows);

  *summary = (CuredGridSummary){
    .n_cells = rect->n_columns * rect->n_rows,
    .low = NAN,
    .high = NAN,
  };
  for (gsize y = rect->row; y < rect->row + rect->n_rows; y++)
    for (gsize x = rect->column; x < rect->column + rect->n_columns; x++)
      {
        double value = self->values[y * self->nx + x];

        if (isnan (value))
          continue;
        summary->n_values++;
        /* Negated so that the first value replaces NaN. */
        if (!(value >= summary->low))
          summary->low = value;
        if (!(value <= summary->high))
          summary->high = value;
      }
}

/* Returns: whether its values are written as multiples of the best one. FALSE if the metric has no
 *   better end, if values are ratios or names, or if there is no best one. */
gboolean
cured_grid_is_relative (const CuredGrid *self)
{
  return self->relative && !cured_grid_is_ratio (self) && self->best >= 0 &&
         self->values[self->best] > 0;
}

/* @value: one of its values, or between them
 * Returns: (transfer full): the value as people read it: "106 µs", or in a relative grid "×1.43";
 *   with two digits if it is predicted */
char *
cured_grid_format_value (const CuredGrid *self, double value)
{
  if (cured_grid_is_relative (self))
    return cured_format_multiple (value / self->values[self->best],
                                  cured_grid_is_predicted (self) ? 2 : 3);
  return cured_grid_is_predicted (self) ? cured_format_rough (value, self->metric.unit)
                                        : cured_format_quantity (value, self->metric.unit);
}

/* @self: a grid that has a best value
 * Returns: (transfer full): the best value with its unit, of which the others are multiples */
char *
cured_grid_format_best (const CuredGrid *self)
{
  g_return_val_if_fail (self->best >= 0, NULL);

  return cured_grid_format_raw (self, (gsize) self->best);
}

/* @index: of a cell that has a value
 * Returns: (transfer full): the value with its unit, even if the grid is relative */
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

/* @result: (nullable): a result
 * @metric: one of its metrics
 *
 * Names a metric with its unit, if that is fixed: "Bandwidth (B/s)". A time has no fixed unit,
 * since every number chooses its own, from ns to s. With a result, a share names the device limit
 * that it is a share of. Menus and legends use the same name.
 * Returns: (transfer full): a translated text */
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
    default: return name_metric (metric);
    }
}
