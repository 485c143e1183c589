/* SPDX-License-Identifier: MIT
 * The view of a result on a map, to which all controls bind. */
#include <config.h>

#include "model/cured-gui-model.h"

/* While a sweep runs, the grid is rebuilt at most this often, and takes at most a tenth of the
 * time. */
#define REFRESH_MS 100

struct _CuredMapView
{
  GObject parent_instance;

  /* Owned */
  CuredResult *result; /* nullable */
  CuredGrid *grid;     /* nullable: not made yet, or no result */
  CuredView view;      /* of @result; cleared if that is NULL */

  gsize column; /* of the cursor */
  gsize row;
  gint64 cell; /* of @result, shown in the details; -1: none */
  gboolean has_selection;
  gsize from_column; /* the selection's first corner */
  gsize from_row;
  gsize to_column; /* the opposite corner, in any direction */
  gsize to_row;
  gboolean fit_colours;
  GHashTable *limits;        /* owned; scale (char *) to CuredColourLimits */
  gboolean is_metric_chosen; /* by the user */
  gboolean is_live;
  guint refresh_id, refresh_ms;
};

/* ORDER: of notification: properties that determine others come first. */
enum
{
  PROP_0,
  PROP_RESULT,
  PROP_GRID,
  PROP_X_AXIS,
  PROP_Y_AXIS,
  PROP_HAS_Y_AXIS,
  PROP_POSITIONS,
  PROP_METRIC,
  PROP_CONTOUR,
  PROP_COLOURS,
  PROP_LOGARITHMIC,
  PROP_RELATIVE,
  PROP_FIT_COLOURS,
  PROP_LIMITS,
  PROP_REGION,
  PROP_BEST_OVER,
  PROP_MARGINALS,
  PROP_HIDE_ALIKE,
  PROP_IS_LIVE,
  PROP_CURSOR,
  PROP_SELECTION,
  PROP_CELL,
  N_PROPERTIES
};

#define BIT(property) (1u << (property))
#define AXES          (BIT (PROP_X_AXIS) | BIT (PROP_Y_AXIS) | BIT (PROP_HAS_Y_AXIS))
#define EVERYTHING    (BIT (N_PROPERTIES) - BIT (PROP_RESULT))

static GParamSpec *properties[N_PROPERTIES];

/* How a user's choice is remembered. */
typedef enum
{
  REMEMBER_NOT,
  REMEMBER_FOR_METRIC,
  REMEMBER_FOR_ALL,
} Remember;

/* Properties stored in a field. */
static const struct
{
  const char *name;
  gsize offset;
  Remember remember;
} flags[N_PROPERTIES] = {
  [PROP_LOGARITHMIC] = { "logarithmic", G_STRUCT_OFFSET (CuredMapView, view.logarithmic),
                         REMEMBER_FOR_METRIC },
  [PROP_RELATIVE] = { "relative", G_STRUCT_OFFSET (CuredMapView, view.relative),
                      REMEMBER_FOR_METRIC },
  [PROP_FIT_COLOURS] = { "fit-colours", G_STRUCT_OFFSET (CuredMapView, fit_colours),
                         REMEMBER_FOR_METRIC },
  [PROP_REGION] = { "region", G_STRUCT_OFFSET (CuredMapView, view.region), REMEMBER_FOR_ALL },
  [PROP_BEST_OVER] = { "best-over", G_STRUCT_OFFSET (CuredMapView, view.best_over),
                       REMEMBER_FOR_ALL },
  [PROP_MARGINALS] = { "marginals", G_STRUCT_OFFSET (CuredMapView, view.marginals),
                       REMEMBER_FOR_ALL },
  [PROP_HIDE_ALIKE] = { "hide-alike", G_STRUCT_OFFSET (CuredMapView, view.hide_alike) },
  [PROP_IS_LIVE] = { "is-live", G_STRUCT_OFFSET (CuredMapView, is_live) },
};

G_DEFINE_FINAL_TYPE (CuredMapView, cured_map_view, G_TYPE_OBJECT)

/* Notifies all changes after all of them are made. */
static void
publish (CuredMapView *self, guint changes)
{
  g_object_ref (self);
  for (guint i = PROP_RESULT; i < N_PROPERTIES; i++)
    if ((changes & BIT (i)) != 0)
      g_object_notify_by_pspec (G_OBJECT (self), properties[i]);
  g_object_unref (self);
}

static gboolean
is_pair (CuredMapView *self)
{
  return self->view.other != NULL;
}

static gsize
get_position (CuredMapView *self, gsize axis)
{
  return axis != CURED_AXIS_NONE ? self->view.positions[axis] : 0;
}

/* The cursor's index in the grid's arrays. */
static gsize
get_index (CuredMapView *self)
{
  return self->row * self->grid->nx + self->column;
}

/* Moves the cursor to the view's position. The grid of a pair may have columns that the first
 * result lacks; there the cursor stays, if possible. Returns: the changes */
static guint
update_cursor (CuredMapView *self, gboolean can_stay)
{
  gsize column = can_stay ? self->column : 0;
  gsize row = can_stay ? self->row : 0;

  if (!is_pair (self))
    {
      column = get_position (self, self->view.x_axis);
      row = get_position (self, self->view.y_axis);
    }
  if (column == self->column && row == self->row)
    return 0;
  self->column = column;
  self->row = row;
  return BIT (PROP_CURSOR);
}

/* Makes the grid of the view. Returns: the changes */
static guint
update_grid (CuredMapView *self)
{
  g_autoptr (CuredGrid) old = g_steal_pointer (&self->grid);
  guint changes = BIT (PROP_GRID);

  self->grid = cured_grid_new (self->result, &self->view);
  gboolean is_same_size = old != NULL && old->nx == self->grid->nx && old->ny == self->grid->ny;
  if (!is_same_size && self->has_selection)
    {
      self->has_selection = FALSE;
      changes |= BIT (PROP_SELECTION);
    }
  return changes | update_cursor (self, is_same_size);
}

/* Sets another slice, and the cursor in it. Returns: the changes */
static guint
take_positions (CuredMapView *self, const gsize *positions)
{
  gsize n_axes;
  gboolean is_other_slice = FALSE;

  cured_result_get_axes (self->result, &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    {
      if (i != self->view.x_axis && i != self->view.y_axis)
        is_other_slice |= positions[i] != self->view.positions[i];
      self->view.positions[i] = positions[i];
    }
  if (!is_other_slice)
    return 0;
  return BIT (PROP_POSITIONS) | (self->grid != NULL ? update_grid (self) : 0);
}

/* The view's slice is the cursor's position on all axes, so that after a change of axes the map
 * still has the cursor's cell. */
static void
put_cursor (CuredMapView *self, gsize column, gsize row)
{
  self->column = column;
  self->row = row;
  if (!is_pair (self))
    cured_result_get_positions (self->result, self->grid->cells[row * self->grid->nx + column],
                                self->view.positions);
}

/* Selects the cursor's cell for the details. Returns: the changes */
static guint
follow_cursor (CuredMapView *self)
{
  if (is_pair (self) || self->grid == NULL)
    return 0;
  gint64 cell = self->grid->cells[get_index (self)];
  if (cell == self->cell)
    return 0;
  self->cell = cell;
  return BIT (PROP_CELL);
}

static guint
put_on_best (CuredMapView *self)
{
  gssize best = self->grid->best;

  self->cell = best >= 0 ? self->grid->cells[best] : -1;
  if (best >= 0)
    put_cursor (self, (gsize) best % self->grid->nx, (gsize) best / self->grid->nx);
  return BIT (PROP_CURSOR) | BIT (PROP_CELL);
}

static guint choose_scale (CuredMapView *self);

/* Updates of figures. */

/* Replaces a metric that the user did not choose by one that tells cells apart, and fits the colours
 * to the present values. Returns the changes. */
static guint
follow_values (CuredMapView *self)
{
  g_auto (CuredView) fresh = { 0 };
  guint changes = 0;

  if (is_pair (self))
    return 0;
  if (!self->is_metric_chosen && !cured_view_tells (&self->view, self->result))
    {
      cured_view_init (&fresh, self->result);
      changes = fresh.metric != self->view.metric ? BIT (PROP_METRIC) : 0;
      self->view.metric = fresh.metric;
    }
  return changes | choose_scale (self);
}

static void
refresh_cb (CuredMapView *self)
{
  gint64 start_us = g_get_monotonic_time ();

  guint changes = follow_values (self);
  publish (self, changes | update_grid (self));
  self->refresh_ms = MAX (REFRESH_MS, (guint) ((g_get_monotonic_time () - start_us) / 1000 * 10));
}

static void
cell_changed_cb (CuredMapView *self)
{
  if (self->refresh_id == 0)
    CURED_LATER (refresh_id, self->refresh_ms, refresh_cb);
}

static void
drop_result (CuredMapView *self)
{
  g_clear_handle_id (&self->refresh_id, g_source_remove);
  if (self->result != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->result, self);
      cured_view_clear (&self->view);
      self->view.contour = NULL;
      self->view.limits = (CuredColourLimits){ 0 };
    }
  g_clear_object (&self->result);
}

static void
drop_grid (CuredMapView *self)
{
  g_clear_pointer (&self->grid, cured_grid_free);
  self->has_selection = FALSE;
}

static void
recall_settings (CuredMapView *self)
{
  g_autofree char *colours = cured_settings_get_string ("colours");

  if (colours != NULL && cured_colour_map_find (colours) != NULL)
    self->view.colours = cured_colour_map_find (colours);
  self->view.region = cured_settings_get_toggle ("region", TRUE);
  self->view.best_over = cured_settings_get_toggle ("best-over", FALSE);
  self->view.marginals = cured_settings_get_toggle ("marginals", TRUE);
}

static void
cured_map_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  CuredMapView *self = CURED_MAP_VIEW (object);
  const CuredView *view = &self->view;
  gsize number = 0;
  gsize n_maps;

  if (flags[id].name != NULL)
    {
      g_value_set_boolean (value, G_STRUCT_MEMBER (gboolean, self, flags[id].offset));
      return;
    }
  switch (id)
    {
    case PROP_RESULT: g_value_set_object (value, self->result); break;
    case PROP_GRID: g_value_set_pointer (value, self->grid); break;
    case PROP_X_AXIS: g_value_set_uint64 (value, view->x_axis); break;
    case PROP_Y_AXIS: g_value_set_uint64 (value, view->y_axis); break;
    case PROP_HAS_Y_AXIS:
      g_value_set_boolean (value, self->result != NULL && view->y_axis != CURED_AXIS_NONE);
      break;
    case PROP_POSITIONS: g_value_set_pointer (value, view->positions); break;
    case PROP_METRIC: g_value_set_uint64 (value, view->metric); break;
    case PROP_CONTOUR:
      if (view->contour != NULL && cured_result_find_metric (self->result, view->contour, &number))
        number++;
      g_value_set_uint64 (value, number);
      break;
    case PROP_COLOURS:
      if (view->colours != NULL)
        number = (gsize) (view->colours - cured_colour_map_list (&n_maps));
      g_value_set_uint64 (value, number);
      break;
    case PROP_LIMITS:
      g_value_set_boolean (value, cured_colour_limits_is_set (&view->limits));
      break;
    case PROP_CURSOR: g_value_set_uint64 (value, self->grid != NULL ? get_index (self) : 0); break;
    case PROP_SELECTION: g_value_set_boolean (value, self->has_selection); break;
    case PROP_CELL: g_value_set_int64 (value, self->cell); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static const char *
get_metric_id (CuredMapView *self)
{
  return cured_result_get_metrics (self->result, NULL)[self->view.metric].id;
}

/* (transfer full): the key of the metric's choice in the settings */
static char *
get_choice_name (CuredMapView *self, const char *choice)
{
  return g_strconcat (choice, ":", get_metric_id (self), NULL);
}

/* Remembers a choice of the user for results of any kernel. A control that merely shows a value
 * sets it without a change, which is not a choice. */
static void
remember (CuredMapView *self, const char *choice, gboolean value, gboolean now)
{
  if (self->result == NULL || value == now)
    return;
  g_autofree char *name = get_choice_name (self, choice);
  cured_settings_set_toggle (name, value);
}

static gboolean
recall (CuredMapView *self, const char *choice, gboolean *value)
{
  g_autofree char *name = get_choice_name (self, choice);

  return cured_settings_find_toggle (name, value);
}

/* (transfer full): the scale of colour limits: values, multiples of the best, or ratios. */
static char *
get_scale_name (CuredMapView *self)
{
  const char *kind = is_pair (self) ? "ratio" : self->view.relative ? "relative" : "";

  return g_strconcat (kind, ":", get_metric_id (self), NULL);
}

/* Limits belong to a scale, so another metric has its own. Returns: the changes */
static guint
recall_limits (CuredMapView *self)
{
  g_autofree char *name = get_scale_name (self);
  const CuredColourLimits *found = g_hash_table_lookup (self->limits, name);
  CuredColourLimits limits = found != NULL ? *found : (CuredColourLimits){ 0 };
  CuredColourLimits old = self->view.limits;

  self->view.limits = limits;
  return old.has_low != limits.has_low || old.has_high != limits.has_high ||
                 old.has_centre != limits.has_centre || old.low != limits.low ||
                 old.high != limits.high || old.centre != limits.centre
             ? BIT (PROP_LIMITS)
             : 0;
}

/* As the user last had this metric or, by default, as its values suggest. Returns: the changes */
static guint
choose_scale (CuredMapView *self)
{
  CuredView *view = &self->view;
  gboolean logarithmic = view->logarithmic;
  gboolean relative = view->relative;
  gboolean fit_colours = self->fit_colours;

  if (!recall (self, "logarithmic", &view->logarithmic))
    view->logarithmic = cured_view_suggests_logarithm (view, self->result);
  if (!recall (self, "relative", &view->relative))
    view->relative = cured_view_suggests_relative (view, self->result);
  if (!recall (self, "fit-colours", &self->fit_colours))
    self->fit_colours = TRUE;
  return recall_limits (self) | (view->logarithmic != logarithmic ? BIT (PROP_LOGARITHMIC) : 0) |
         (view->relative != relative ? BIT (PROP_RELATIVE) : 0) |
         (self->fit_colours != fit_colours ? BIT (PROP_FIT_COLOURS) : 0);
}

/* Ignored without a result, which has no metrics. */
static void
set_contour (CuredMapView *self, gsize number)
{
  gsize n_metrics;

  if (self->result == NULL)
    return;
  const CuredMetricInfo *metrics = cured_result_get_metrics (self->result, &n_metrics);
  if (number > n_metrics)
    return;
  const char *contour = number > 0 ? metrics[number - 1].id : NULL;
  if (g_strcmp0 (contour, self->view.contour) == 0)
    return;
  self->view.contour = contour;
  publish (self, BIT (PROP_CONTOUR) | update_grid (self));
}

static void
set_colours (CuredMapView *self, gsize index)
{
  gsize n_maps;
  const CuredColourMap *maps = cured_colour_map_list (&n_maps);

  if (self->result == NULL || index >= n_maps || self->view.colours == &maps[index])
    return;
  self->view.colours = &maps[index];
  cured_settings_set_string ("colours", maps[index].id);
  publish (self, BIT (PROP_COLOURS) | update_grid (self));
}

/* At the end of a sweep, there may be a first best cell. */
static void
set_live (CuredMapView *self, gboolean is_live)
{
  guint changes = BIT (PROP_IS_LIVE);

  if (self->is_live == is_live)
    return;
  self->is_live = is_live;
  if (!is_live && self->grid != NULL)
    {
      changes |= follow_values (self);
      changes |= update_grid (self);
      if (self->cell < 0 && !is_pair (self))
        changes |= put_on_best (self);
    }
  publish (self, changes);
}

/* If the parameter is on the other axis, both are swapped. */
static void
set_axis (CuredMapView *self, guint property, gsize axis)
{
  gsize x_axis = self->view.x_axis;
  gsize y_axis = self->view.y_axis;
  gsize n_axes = 0;

  if (self->result != NULL)
    cured_result_get_axes (self->result, &n_axes);
  if (axis >= n_axes)
    return;
  if (property == PROP_X_AXIS)
    cured_map_view_set_axes (self, axis, axis == y_axis ? x_axis : y_axis);
  else
    cured_map_view_set_axes (self, axis == x_axis ? y_axis : x_axis, axis);
}

/* Flags affect the colours of the same slice; “fit-colours” is not part of the grid. */
static void
set_flag (CuredMapView *self, guint id, gboolean value)
{
  gboolean *flag = &G_STRUCT_MEMBER (gboolean, self, flags[id].offset);
  gboolean has_grid = self->grid != NULL && id != PROP_FIT_COLOURS;

  if (flags[id].remember == REMEMBER_FOR_METRIC)
    remember (self, flags[id].name, value, *flag);
  else if (flags[id].remember == REMEMBER_FOR_ALL)
    cured_settings_set_toggle (flags[id].name, value);
  if (*flag == value)
    return;
  *flag = value;
  guint changes = BIT (id);
  if (id == PROP_RELATIVE && self->result != NULL)
    changes |= recall_limits (self);
  publish (self, changes | (has_grid ? update_grid (self) : 0));
}

static void
cured_map_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  CuredMapView *self = CURED_MAP_VIEW (object);

  switch (id)
    {
    case PROP_X_AXIS:
    case PROP_Y_AXIS: set_axis (self, id, g_value_get_uint64 (value)); break;
    case PROP_METRIC: cured_map_view_set_metric (self, g_value_get_uint64 (value)); break;
    case PROP_CONTOUR: set_contour (self, g_value_get_uint64 (value)); break;
    case PROP_COLOURS: set_colours (self, g_value_get_uint64 (value)); break;
    case PROP_IS_LIVE: set_live (self, g_value_get_boolean (value)); break;
    default: set_flag (self, id, g_value_get_boolean (value));
    }
}

static void
cured_map_view_finalize (GObject *object)
{
  drop_result (CURED_MAP_VIEW (object));
  drop_grid (CURED_MAP_VIEW (object));
  g_hash_table_unref (CURED_MAP_VIEW (object)->limits);
  G_OBJECT_CLASS (cured_map_view_parent_class)->finalize (object);
}

static void
cured_map_view_class_init (CuredMapViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags told = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags chosen = told | G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = cured_map_view_get_property;
  object_class->set_property = cured_map_view_set_property;
  object_class->finalize = cured_map_view_finalize;

  properties[PROP_RESULT] = g_param_spec_object ("result", NULL, NULL, CURED_TYPE_RESULT, told);
  properties[PROP_GRID] = g_param_spec_pointer ("grid", NULL, NULL, told);
  properties[PROP_X_AXIS] = g_param_spec_uint64 ("x-axis", NULL, NULL, 0, G_MAXUINT64, 0, chosen);
  properties[PROP_Y_AXIS] = g_param_spec_uint64 ("y-axis", NULL, NULL, 0, G_MAXUINT64, 0, chosen);
  properties[PROP_HAS_Y_AXIS] = g_param_spec_boolean ("has-y-axis", NULL, NULL, FALSE, told);
  properties[PROP_POSITIONS] = g_param_spec_pointer ("positions", NULL, NULL, told);
  properties[PROP_METRIC] = g_param_spec_uint64 ("metric", NULL, NULL, 0, G_MAXUINT64, 0, chosen);
  properties[PROP_CONTOUR] = g_param_spec_uint64 ("contour", NULL, NULL, 0, G_MAXUINT64, 0, chosen);
  properties[PROP_COLOURS] = g_param_spec_uint64 ("colours", NULL, NULL, 0, G_MAXUINT64, 0, chosen);
  for (guint i = 0; i < N_PROPERTIES; i++)
    if (flags[i].name != NULL)
      properties[i] = g_param_spec_boolean (flags[i].name, NULL, NULL, FALSE, chosen);
  properties[PROP_LIMITS] = g_param_spec_boolean ("limits", NULL, NULL, FALSE, told);
  properties[PROP_CURSOR] = g_param_spec_uint64 ("cursor", NULL, NULL, 0, G_MAXUINT64, 0, told);
  properties[PROP_SELECTION] = g_param_spec_boolean ("selection", NULL, NULL, FALSE, told);
  properties[PROP_CELL] = g_param_spec_int64 ("cell", NULL, NULL, -1, G_MAXINT64, -1, told);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
cured_map_view_init (CuredMapView *self)
{
  self->fit_colours = TRUE;
  self->limits = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->cell = -1;
  self->refresh_ms = REFRESH_MS;
}

CURED_DEFINE_NEW (CuredMapView, cured_map_view)

/* Resets the view to @result; with @before, adopts its view @old. */
static void
look_at (CuredMapView *self, CuredResult *result, const CuredView *old, CuredResult *before)
{
  self->result = g_object_ref (result);
  cured_view_init (&self->view, result);
  if (before != NULL)
    cured_view_adopt (&self->view, result, old, before, self->is_live);
}

/* Sets a result, with default axes and at its best cell; if the previous result has the same
 * kernel, its view is adopted. The view is updated with measurements. @result: (nullable); @cell:
 * the cell to select if the kernel is the same; -1: the best one. */
void
cured_map_view_set_result (CuredMapView *self, CuredResult *result, gint64 cell)
{
  g_autoptr (CuredResult) before = NULL;
  g_auto (CuredView) old = { 0 };
  guint changes = EVERYTHING;

  if (result == self->result)
    return;
  gboolean had_grid = self->grid != NULL;
  if (self->result != NULL && result != NULL &&
      g_str_equal (cured_result_get_kernel_id (self->result), cured_result_get_kernel_id (result)))
    {
      before = g_object_ref (self->result);
      cured_view_copy (&self->view, before, &old);
    }
  drop_result (self);
  self->cell = -1;
  self->is_metric_chosen = FALSE;
  /* For the same kernel, a selection is kept if the grid keeps its size. */
  if (before == NULL)
    {
      drop_grid (self);
      g_hash_table_remove_all (self->limits);
    }
  /* The map must drop the old grid, since it still reports the hovered cell. */
  if (had_grid && before == NULL && result != NULL)
    publish (self, BIT (PROP_GRID));
  if (result != NULL)
    {
      look_at (self, result, &old, before);
      recall_settings (self);
      choose_scale (self);
      CURED_CONNECT (result, "cell-changed", cell_changed_cb);
      CURED_CONNECT (result, "remark-changed", cell_changed_cb);
      if (before != NULL && cell >= 0)
        {
          cured_result_get_positions (result, cell, self->view.positions);
          self->cell = cell;
          update_grid (self);
        }
      else
        {
          update_grid (self);
          put_on_best (self);
          /* Without a best cell, the cursor's is selected. */
          if (self->cell < 0 && !self->is_live)
            follow_cursor (self);
        }
    }
  publish (self, changes);
}

/* Sets a pair of results to show their ratio, adopting the view of the previous pair. There is no
 * grid until cured_map_view_load_pair() is called. */
void
cured_map_view_set_pair (CuredMapView *self, CuredResult *a, CuredResult *b)
{
  g_autoptr (CuredResult) before = NULL;
  g_auto (CuredView) old = { 0 };

  gboolean hide_alike = self->view.hide_alike;
  if (self->result != NULL)
    {
      before = g_object_ref (self->result);
      cured_view_copy (&self->view, before, &old);
    }
  drop_result (self);
  drop_grid (self);
  look_at (self, a, &old, before);
  self->view.other = g_object_ref (b);
  self->view.hide_alike = hide_alike;
  recall_limits (self);
  self->cell = -1;
  publish (self, EVERYTHING);
}

/* Whether the view's axes, positions and metric have the same meaning in both. One may have
 * additional metrics at its end, such as the explainer's limiter. */
static gboolean
is_alike (CuredMapView *self, CuredResult *b)
{
  CuredResult *a = self->result;
  gsize n_axes_a, n_axes_b;
  const CuredResultAxis *axes_a = cured_result_get_axes (a, &n_axes_a);
  const CuredResultAxis *axes_b = cured_result_get_axes (b, &n_axes_b);
  gsize n_metrics_a, n_metrics_b;
  const CuredMetricInfo *metrics_a = cured_result_get_metrics (a, &n_metrics_a);
  const CuredMetricInfo *metrics_b = cured_result_get_metrics (b, &n_metrics_b);

  if (n_axes_a != n_axes_b || self->view.metric >= n_metrics_b)
    return FALSE;
  for (gsize i = 0; i < n_axes_a; i++)
    if (!cured_axis_equal (axes_a[i].values, axes_b[i].values))
      return FALSE;
  for (gsize i = 0; i < MIN (n_metrics_a, n_metrics_b); i++)
    if (!g_str_equal (metrics_a[i].id, metrics_b[i].id))
      return FALSE;
  return TRUE;
}

/* Makes the grid of the pair from results with all figures loaded; only this updates the grid after
 * a change of the metric. If @a has other axes or metrics, as after its file was replaced, the axes
 * are chosen again. @a: the pair's first result, or newer figures of it. */
void
cured_map_view_load_pair (CuredMapView *self, CuredResult *a, CuredResult *b)
{
  g_return_if_fail (self->result != NULL && is_pair (self));

  if (is_alike (self, a))
    {
      g_set_object (&self->result, a);
      g_set_object (&self->view.other, b);
    }
  else
    cured_map_view_set_pair (self, a, b);
  publish (self, update_grid (self));
}

/* Returns: (nullable): the result, or the first of the pair */
CURED_GETTER (CuredResult *, cured_map_view_get_result, CuredMapView, result)

const CuredView *
cured_map_view_get_view (CuredMapView *self)
{
  return &self->view;
}

/* Returns: (nullable): the map's grid, valid until `grid` is notified */
CURED_GETTER (const CuredGrid *, cured_map_view_get_grid, CuredMapView, grid)

CURED_GETTER (gboolean, cured_map_view_is_live, CuredMapView, is_live)

void
cured_map_view_refresh (CuredMapView *self)
{
  if (self->result != NULL)
    cell_changed_cb (self);
}

/* Selects another metric, with a logarithmic or linear scale as last used for it or, by default, as
 * its values suggest. */
void
cured_map_view_set_metric (CuredMapView *self, gsize metric)
{
  gsize n_metrics = 0;
  guint changes = 0;

  if (self->result != NULL)
    cured_result_get_metrics (self->result, &n_metrics);
  if (metric >= n_metrics || metric == self->view.metric)
    return;
  self->view.metric = metric;
  self->is_metric_chosen = TRUE;
  /* For a pair, the compare page makes the grid. */
  if (is_pair (self))
    changes = recall_limits (self);
  else
    changes = choose_scale (self) | update_grid (self);
  publish (self, BIT (PROP_METRIC) | changes);
}

/* Sets the user's limits and, for a pair, centre of the colours. They belong to the metric and last
 * as long as @self. @limits: valid according to cured_colour_limits_check(); if empty, colours
 * cover all values */
void
cured_map_view_set_limits (CuredMapView *self, const CuredColourLimits *limits)
{
  g_return_if_fail (self->result != NULL &&
                    cured_colour_limits_check (limits, is_pair (self), NULL));

  g_hash_table_insert (self->limits, get_scale_name (self), g_memdup2 (limits, sizeof *limits));
  guint changes = recall_limits (self);
  if (changes != 0)
    publish (self, changes | (self->grid != NULL ? update_grid (self) : 0));
}

/* Sets the axes. The cursor keeps its cell; the selection is cleared. @y_axis: the vertical axis;
 * %CURED_AXIS_NONE: none */
void
cured_map_view_set_axes (CuredMapView *self, gsize x_axis, gsize y_axis)
{
  guint changes = AXES | BIT (PROP_POSITIONS);

  g_return_if_fail (CURED_IS_MAP_VIEW (self) && self->result != NULL);

  if (x_axis == self->view.x_axis && y_axis == self->view.y_axis)
    return;
  self->view.x_axis = x_axis;
  self->view.y_axis = y_axis;
  if (self->has_selection)
    changes |= BIT (PROP_SELECTION);
  self->has_selection = FALSE;
  publish (self, changes | (self->grid != NULL ? update_grid (self) : 0));
}

/* Swaps the axes. Does nothing if there is only one. */
void
cured_map_view_swap_axes (CuredMapView *self)
{
  if (self->result != NULL && self->view.y_axis != CURED_AXIS_NONE)
    cured_map_view_set_axes (self, self->view.y_axis, self->view.x_axis);
}

/* Sets the slice. Positions on the map's own axes move the cursor. The details follow the cursor's
 * cell. */
void
cured_map_view_set_positions (CuredMapView *self, const gsize *positions)
{
  g_return_if_fail (CURED_IS_MAP_VIEW (self) && self->result != NULL);
  guint changes = take_positions (self, positions);
  publish (self, changes | follow_cursor (self));
}

void
cured_map_view_set_position (CuredMapView *self, gsize axis, gsize position)
{
  gsize n_axes;

  g_return_if_fail (CURED_IS_MAP_VIEW (self) && self->result != NULL);

  cured_result_get_axes (self->result, &n_axes);
  g_return_if_fail (axis < n_axes);
  g_autofree gsize *positions = g_memdup2 (self->view.positions, n_axes * sizeof (gsize));
  positions[axis] = position;
  cured_map_view_set_positions (self, positions);
}

/* @column: (out): the cursor's; @row: (out): likewise, from the bottom. Returns: FALSE if there is
 * no grid, and thus no cursor */
gboolean
cured_map_view_get_cursor (CuredMapView *self, gsize *column, gsize *row)
{
  *column = self->column;
  *row = self->row;
  return self->grid != NULL;
}

/* Moves the cursor and, except for a pair, the details. `cursor` is notified even if it does not
 * move, since the cell was requested. */
void
cured_map_view_set_cursor (CuredMapView *self, gsize column, gsize row)
{
  g_return_if_fail (self->grid != NULL);
  g_return_if_fail (column < self->grid->nx && row < self->grid->ny);
  put_cursor (self, column, row);
  publish (self, BIT (PROP_CURSOR) | follow_cursor (self));
}

/* Returns: the best cell of the grid to compare with the cursor's; -1: none */
gssize
cured_map_view_get_best (CuredMapView *self)
{
  return self->grid != NULL ? cured_grid_get_best_of (self->grid, get_index (self)) : -1;
}

/* Moves the cursor to the best cell, if there is one, and the details with it. */
void
cured_map_view_go_to_best (CuredMapView *self)
{
  gssize best = cured_map_view_get_best (self);

  if (best >= 0)
    cured_map_view_set_cursor (self, (gsize) best % self->grid->nx, (gsize) best / self->grid->nx);
}

CURED_GETTER (gint64, cured_map_view_get_cell, CuredMapView, cell)

/* Selects a cell: its details and its slice are shown. For a pair, the cell is only marked. */
void
cured_map_view_set_cell (CuredMapView *self, gint64 cell)
{
  guint changes = BIT (PROP_CELL);

  if (cell == self->cell)
    return;
  self->cell = cell;
  if (cell >= 0 && self->grid != NULL && !is_pair (self))
    {
      gsize n_axes;

      cured_result_get_axes (self->result, &n_axes);
      g_autofree gsize *positions = g_new0 (gsize, MAX (n_axes, 1));
      cured_result_get_positions (self->result, cell, positions);
      changes |= take_positions (self, positions) | update_cursor (self, TRUE);
    }
  publish (self, changes);
}

/* Shows the details of the cell under the cursor. Does nothing for a pair. */
void
cured_map_view_choose_cursor (CuredMapView *self)
{
  if (self->grid != NULL && !is_pair (self))
    cured_map_view_set_cell (self, self->grid->cells[get_index (self)]);
}

/* Returns: whether @cell is a best one of the map */
gboolean
cured_map_view_is_best (CuredMapView *self, gint64 cell)
{
  if (self->grid == NULL || cell < 0)
    return FALSE;
  for (gsize i = 0; i < self->grid->n_bests; i++)
    if (self->grid->bests[i] >= 0 && self->grid->cells[self->grid->bests[i]] == cell)
      return TRUE;
  return self->grid->best >= 0 && self->grid->cells[self->grid->best] == cell;
}

/* @rect: (out caller-allocates): the selected cells. Returns: FALSE if none are selected; @rect is
 * then unchanged */
gboolean
cured_map_view_get_selection (CuredMapView *self, CuredGridRect *rect)
{
  if (!self->has_selection || self->grid == NULL)
    return FALSE;
  *rect = (CuredGridRect){
    .column = MIN (self->from_column, self->to_column),
    .row = MIN (self->from_row, self->to_row),
    .n_columns =
        MAX (self->from_column, self->to_column) - MIN (self->from_column, self->to_column) + 1,
    .n_rows = MAX (self->from_row, self->to_row) - MIN (self->from_row, self->to_row) + 1,
  };
  return TRUE;
}

/* Selects a rectangle of cells without moving the cursor. @rect: (nullable): cells of the grid;
 * NULL: none. */
void
cured_map_view_set_selection (CuredMapView *self, const CuredGridRect *rect)
{
  if (rect == NULL && !self->has_selection)
    return;
  if (rect != NULL)
    {
      g_return_if_fail (self->grid != NULL);
      g_return_if_fail (rect->n_columns > 0 && rect->n_rows > 0 &&
                        rect->column + rect->n_columns <= self->grid->nx &&
                        rect->row + rect->n_rows <= self->grid->ny);
      self->from_column = rect->column;
      self->from_row = rect->row;
      self->to_column = rect->column + rect->n_columns - 1;
      self->to_row = rect->row + rect->n_rows - 1;
    }
  self->has_selection = rect != NULL;
  publish (self, BIT (PROP_SELECTION));
}

/* Selects one cell, as the start for cured_map_view_extend_selection(). Moves the cursor and the
 * details there. */
void
cured_map_view_begin_selection (CuredMapView *self, gsize column, gsize row)
{
  g_return_if_fail (self->grid != NULL);
  g_return_if_fail (column < self->grid->nx && row < self->grid->ny);

  self->has_selection = TRUE;
  self->from_column = self->to_column = column;
  self->from_row = self->to_row = row;
  put_cursor (self, column, row);
  publish (self, BIT (PROP_CURSOR) | BIT (PROP_SELECTION) | follow_cursor (self));
}

/* Extends the selection from its start or, if the cursor is not at its end, from the cursor. Moves
 * the cursor and the details there. */
void
cured_map_view_extend_selection (CuredMapView *self, gsize column, gsize row)
{
  g_return_if_fail (self->grid != NULL);
  g_return_if_fail (column < self->grid->nx && row < self->grid->ny);

  if (!self->has_selection || self->to_column != self->column || self->to_row != self->row)
    {
      self->from_column = self->column;
      self->from_row = self->row;
    }
  self->has_selection = TRUE;
  self->to_column = column;
  self->to_row = row;
  put_cursor (self, column, row);
  publish (self, BIT (PROP_CURSOR) | BIT (PROP_SELECTION) | follow_cursor (self));
}

/* The cells of the selected rectangle, row by row from the bottom. Returns: (transfer full)
 * (nullable) (element-type gint64): cells of the result; NULL: no selection */
GArray *
cured_map_view_get_selected_cells (CuredMapView *self)
{
  CuredGridRect rect;

  if (!cured_map_view_get_selection (self, &rect))
    return NULL;
  GArray *cells = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gsize y = rect.row; y < rect.row + rect.n_rows; y++)
    for (gsize x = rect.column; x < rect.column + rect.n_columns; x++)
      if (self->grid->cells[y * self->grid->nx + x] >= 0)
        g_array_append_val (cells, self->grid->cells[y * self->grid->nx + x]);
  return cells;
}

static void
get_selected_axis (CuredMapView *self, gsize axis, gsize first, gsize n_values,
                   CuredSelectedAxis *selected)
{
  *selected = (CuredSelectedAxis){ .axis = axis, .first = first, .last = first };
  if (axis == CURED_AXIS_NONE)
    return;
  const CuredAxis *values = cured_result_get_axes (self->result, NULL)[axis].values;
  selected->last = first + n_values - 1;
  selected->least = selected->most = cured_axis_get_value (values, first);
  for (gsize i = first + 1; i <= selected->last; i++)
    {
      gint64 value = cured_axis_get_value (values, i);

      selected->least = MIN (selected->least, value);
      selected->most = MAX (selected->most, value);
    }
}

/* Other parameters have the positions of cured_map_view_get_view(). @x: (out caller-allocates): the
 * selected values of the horizontal parameter. Returns: FALSE if no cells are selected; @x and @y
 * are then unchanged */
gboolean
cured_map_view_get_selection_axes (CuredMapView *self, CuredSelectedAxis *x, CuredSelectedAxis *y)
{
  CuredGridRect rect;

  if (!cured_map_view_get_selection (self, &rect))
    return FALSE;
  get_selected_axis (self, self->view.x_axis, rect.column, rect.n_columns, x);
  get_selected_axis (self, self->view.y_axis, rect.row, rect.n_rows, y);
  return TRUE;
}
