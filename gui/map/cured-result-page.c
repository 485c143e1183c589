/* SPDX-License-Identifier: MIT
 * One result: the map, its settings, and the details beside it. */
#include <config.h>

#include "map/cured-gui-map.h"

struct _CuredResultPage
{
  CuredPage page;

  /* Template widgets */
  AdwFlap *flap;
  GtkDropDown *metric, *x_axis, *y_axis, *colours, *contour, *show_as;
  GtkToggleButton *logarithmic, *fit_button;
  GtkCheckButton *relative, *fit_colours, *show_region, *best_over, *show_marginals;
  GtkPopover *view_popover;
  GtkWidget *limits, *charts;
  CuredPicture *chart;
  GtkLabel *selection, *read_out, *progress;
  GtkStack *stack;
  AdwStatusPage *empty;
  CuredSlices *slices;
  CuredHeatMap *map;
  GtkButton *best;
  CuredCellDetails *details;

  /* Owned */
  CuredMapView *view;  /* the document's */
  CuredResult *result; /* nullable: the view's */
  CuredExplainer *explainer;

  gboolean is_details_stale;
  gboolean is_stopped; /* cells are not explained for the map until its settings change */
  guint details_id, chart_id;
  gsize shown_as; /* ONE_MAP, one more than an axis, or a metric after those */

  /* Owned: why cells have no value, for cells visited so far. */
  GHashTable *reasons;   /* of gint64: "" without a reason */
  GCancellable *reading; /* nullable: no read is pending */
  gint64 reason_cell;    /* the next to read */
  guint reason_id;
};

#define ONE_MAP 0

/* The pointer crosses cells faster than reasons can be read. */
#define REASON_DELAY_MS 60

G_DEFINE_FINAL_TYPE (CuredResultPage, cured_result_page, CURED_TYPE_PAGE)

static void update_read_out (CuredResultPage *self);

/* Why a cell has no value: read from the file once, in a thread. */

static void
reason_read_cb (GObject *source, GAsyncResult *answer, gpointer user_data)
{
  g_autoptr (CuredResultPage) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredOutcome) outcome =
      cured_result_load_outcome_finish (CURED_RESULT (source), answer, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->reading);
  gint64 *cell = g_memdup2 (&self->reason_cell, sizeof *cell);
  g_hash_table_insert (
      self->reasons, cell,
      g_strdup (outcome != NULL && outcome->reason != NULL ? outcome->reason : ""));
  update_read_out (self);
}

static void
stop_reason (CuredResultPage *self)
{
  g_clear_handle_id (&self->reason_id, g_source_remove);
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
}

static void
read_reason_cb (CuredResultPage *self)
{
  self->reading = g_cancellable_new ();
  cured_result_load_outcome_async (self->result, self->reason_cell, self->reading, reason_read_cb,
                                   g_object_ref (self));
}

/* Returns: (nullable): the reason, if it is known and worth showing; otherwise it is requested, and
 * the read-out is updated later. */
static const char *
get_reason (CuredResultPage *self, const CuredGrid *grid, gsize index)
{
  gint64 cell = grid->cells[index];

  switch (cured_grid_get_look (grid, index))
    {
    case CURED_STATE_NOT_LAUNCHABLE:
    case CURED_STATE_WRONG:
    case CURED_STATE_FAILED:
    case CURED_STATE_CRASHED:
    case CURED_STATE_TIMED_OUT: break;
    default: stop_reason (self); return NULL;
    }
  const char *reason = g_hash_table_lookup (self->reasons, &cell);
  if (reason != NULL)
    {
      stop_reason (self);
      return *reason != '\0' ? reason : NULL;
    }
  if (cell == self->reason_cell && (self->reason_id != 0 || self->reading != NULL))
    return NULL;
  stop_reason (self);
  self->reason_cell = cell;
  CURED_LATER (reason_id, REASON_DELAY_MS, read_reason_cb);
  return NULL;
}

static void
show_line (CuredResultPage *self, const char *text)
{
  /* A compiler's message can be long; the details have all of it. */
  g_autofree char *line = cured_text_first_lines (text, 1);
  g_autofree char *tooltip = cured_text_first_lines (text, CURED_TEXT_TOOLTIP_LINES);

  gtk_label_set_label (self->read_out, line);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->read_out), tooltip);
}

static void
update_read_out (CuredResultPage *self)
{
  const CuredGrid *grid = self->view != NULL ? cured_map_view_get_grid (self->view) : NULL;
  gsize column, row;

  if (self->shown_as != ONE_MAP)
    {
      g_autofree char *told = cured_picture_get_read_out (self->chart);

      show_line (self, told);
      return;
    }
  if (grid == NULL || !cured_heat_map_get_pointed (self->map, &column, &row))
    return;
  g_autofree char *text = cured_text_read_out (grid, column, row);
  const char *reason = get_reason (self, grid, row * grid->nx + column);
  if (reason != NULL)
    {
      g_autofree char *plain = g_steal_pointer (&text);

      /* Translators: what a cell is, and why: "tile 2048: not launchable: 2048 threads per block
       * are more than 1024". */
      text = g_strdup_printf (_ ("%s: %s"), plain, reason);
    }
  cured_heat_map_set_reason (self->map, column, row, reason);
  show_line (self, text);
}

static void
update_selection (CuredResultPage *self)
{
  CuredGridRect rect;
  CuredGridSummary summary;

  if (!cured_map_view_get_selection (self->view, &rect))
    return;
  cured_grid_summarize (cured_map_view_get_grid (self->view), &rect, &summary);
  g_autofree char *text = cured_text_selection (cured_map_view_get_grid (self->view), &summary);
  cured_widget_say (self->selection, text);
}

static void
clear_selection_cb (CuredResultPage *self)
{
  cured_map_view_set_selection (self->view, NULL);
  gtk_widget_grab_focus (GTK_WIDGET (self->map));
}

static void
limits_cb (CuredResultPage *self)
{
  gtk_popover_popdown (self->view_popover);
  cured_limits_dialog_show (GTK_WIDGET (self), self->view);
}

static void
update_best (CuredResultPage *self)
{
  const CuredGrid *grid = cured_map_view_get_grid (self->view);
  gssize best = cured_map_view_get_best (self->view);
  g_autofree char *label = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->best), best >= 0);
  if (best < 0)
    return;
  g_autofree char *figure = cured_grid_format_raw (grid, (gsize) best);
  if (cured_grid_is_predicted (grid))
    /* Translators: what a model says is the best, as in "Predicted best: 110 µs". */
    label = g_strdup_printf (_ ("Predicted best: %s"), figure);
  else
    /* Translators: the best figure that a map shows, as in "Best: 106 µs". */
    label = g_strdup_printf (_ ("Best: %s"), figure);
  gtk_button_set_label (self->best, label);
}

/* Each of several problems side by side has its own best cell. */
static void
cursor_changed_cb (CuredResultPage *self)
{
  update_read_out (self);
  if (cured_map_view_get_grid (self->view) != NULL)
    update_best (self);
}

static void
reveal_details (CuredResultPage *self)
{
  adw_flap_set_reveal_flap (self->flap, TRUE);
}

static void
show_details (CuredResultPage *self)
{
  gint64 cell = cured_map_view_get_cell (self->view);

  g_clear_handle_id (&self->details_id, g_source_remove);
  self->is_details_stale = FALSE;
  if (self->result != NULL)
    cured_cell_details_set_metric (self->details, cured_map_view_get_view (self->view)->metric);
  cured_cell_details_set_cell (self->details, self->result, cell,
                               cured_map_view_is_best (self->view, cell));
}

static gboolean
show_details_cb (CuredResultPage *self)
{
  self->details_id = 0;
  /* The cursor may have returned meanwhile; then the details need no update. */
  if (cured_map_view_get_cell (self->view) != cured_cell_details_get_cell (self->details))
    show_details (self);
  return G_SOURCE_REMOVE;
}

/* A key held down moves the cursor faster than one can read, so the map has priority. */
static void
follow_cell (CuredResultPage *self)
{
  if (self->details_id == 0)
    self->details_id =
        g_idle_add_full (G_PRIORITY_LOW, G_SOURCE_FUNC (show_details_cb), self, NULL);
}

static gboolean
shows_limiters (CuredResultPage *self)
{
  const CuredGrid *grid = cured_map_view_get_grid (self->view);

  return grid != NULL && cured_limiters_has_metric (grid->metric.id);
}

/* Whether the contours are of a metric that the explainer counts. */
static gboolean
shows_sampled_excess (CuredResultPage *self)
{
  return self->result != NULL &&
         g_strcmp0 (cured_map_view_get_view (self->view)->contour,
                    cured_metric_info (CURED_METRIC_sampled_excess)->id) == 0;
}

static void update_progress (CuredResultPage *self);

/* The metric against which the map's is plotted; -1: none. */
static gssize
get_against (CuredResultPage *self)
{
  gsize n_axes = 0;

  if (self->result != NULL)
    cured_result_get_axes (self->result, &n_axes);
  return self->shown_as > n_axes ? (gssize) (self->shown_as - n_axes - 1) : -1;
}

/* Whether another chart shows a metric that the explainer computes. */
static gboolean
charts_found (CuredResultPage *self)
{
  gssize metric = get_against (self);

  return metric >= 0 &&
         cured_limiters_has_metric (cured_result_get_metrics (self->result, NULL)[metric].id);
}

/* Cells are explained while the map, its contours or the chart need this. */
static void
explain_map (CuredResultPage *self)
{
  const CuredGrid *grid = cured_map_view_get_grid (self->view);
  gboolean is_wanted =
      grid != NULL && !self->is_stopped &&
      (shows_limiters (self) || shows_sampled_excess (self) || charts_found (self)) &&
      gtk_widget_get_mapped (GTK_WIDGET (self->read_out));

  cured_explainer_set_cells (self->explainer, is_wanted ? grid->cells : NULL,
                             is_wanted ? grid->nx * grid->ny : 0);
  update_progress (self);
}

static void
stop_explaining_cb (CuredResultPage *self)
{
  self->is_stopped = TRUE;
  explain_map (self);
}

static void
update_progress (CuredResultPage *self)
{
  guint n_done, n_all;
  gboolean is_working = cured_explainer_get_progress (self->explainer, &n_done, &n_all);

  gtk_widget_set_visible (GTK_WIDGET (self->progress), is_working);
  if (!is_working)
    return;
  /* Translators: numbers of cells whose limiter is computed. */
  cured_widget_print (self->progress, _ ("Explaining cells: %u of %u"), n_done, n_all);
}

static void
limiters_changed_cb (CuredResultPage *self)
{
  if (shows_limiters (self) || shows_sampled_excess (self) || charts_found (self))
    cured_map_view_refresh (self->view);
}

/* Whether there are parameters, except the map's, to take the best over. */
static gboolean
has_others (CuredResultPage *self)
{
  const CuredView *view = cured_map_view_get_view (self->view);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (self->result, &n_axes);

  for (gsize i = 0; i < n_axes; i++)
    if (i != view->x_axis && i != view->y_axis && cured_axis_get_length (axes[i].values) > 1 &&
        !cured_match_is_problem (self->result, i))
      return TRUE;
  return FALSE;
}

/* (transfer full): the chart that replaces the single map */
static CuredChart *
make_chart (CuredResultPage *self)
{
  const CuredView *view = cured_map_view_get_view (self->view);
  gssize metric = get_against (self);

  return metric >= 0 ? cured_scatter_new (self->result, view, (gsize) metric)
                     : cured_multiples_new (self->result, view, self->shown_as - 1);
}

/* Keeps the marked map or point. */
static void
update_chart (CuredResultPage *self)
{
  gboolean is_shown = self->shown_as != ONE_MAP && self->result != NULL;
  gssize item = cured_picture_get_item (self->chart);

  g_clear_handle_id (&self->chart_id, g_source_remove);
  if (is_shown)
    {
      CuredChart *chart = make_chart (self);
      gssize found = cured_map_chart_find_item (chart, cured_map_view_get_cell (self->view));

      if (found >= 0 || item >= (gssize) chart->n_items)
        item = found;
      cured_picture_set_chart (self->chart, chart, item);
    }
  gtk_widget_set_visible (self->charts, is_shown);
  update_read_out (self);
}

static void
grid_changed_cb (CuredResultPage *self)
{
  const CuredGrid *grid = cured_map_view_get_grid (self->view);
  GtkWidget *const of_numbers[] = {
    GTK_WIDGET (self->logarithmic),    GTK_WIDGET (self->colours),
    GTK_WIDGET (self->contour),        GTK_WIDGET (self->show_region),
    GTK_WIDGET (self->show_marginals), GTK_WIDGET (self->fit_colours),
    GTK_WIDGET (self->fit_button),     self->limits,
  };

  if (grid == NULL)
    return;
  /* Names have neither order nor mean, and colours of their own. */
  for (gsize i = 0; i < G_N_ELEMENTS (of_numbers); i++)
    gtk_widget_set_sensitive (of_numbers[i], !cured_grid_is_named (grid));
  gtk_widget_set_sensitive (GTK_WIDGET (self->relative),
                            grid->metric.better != CURED_BETTER_NEITHER);
  gtk_widget_set_sensitive (GTK_WIDGET (self->best_over),
                            self->result != NULL && has_others (self));
  explain_map (self);
  update_read_out (self);
  if (self->shown_as != ONE_MAP && self->result != NULL)
    CURED_LATER (chart_id, 0, update_chart);
  update_selection (self);
  update_best (self);
  if (self->is_details_stale)
    show_details (self);
  else
    cured_cell_details_update_counts (self->details);
}

/* Figures. The view updates itself. */
static void
cell_changed_cb (CuredResultPage *self, gint64 cell)
{
  g_hash_table_remove (self->reasons, &cell);
  cured_explainer_forget_cell (self->explainer, cell);
  if (cell == cured_map_view_get_cell (self->view))
    self->is_details_stale = TRUE;
}

/* The drop-downs. */

/* Limiters and sampled counts are computed on demand, if the explainer can. */
static gboolean
can_explain (CuredResultPage *self, const CuredMetricInfo *metric)
{
  static const CuredMetric found[] = { CURED_METRIC_limiter, CURED_METRIC_sampled_excess,
                                       CURED_METRIC_bytes_in_flight };

  for (gsize i = 0; i < G_N_ELEMENTS (found); i++)
    if (g_str_equal (metric->id, cured_metric_info (found[i])->id))
      return cured_explainer_get_problem (self->explainer) == NULL;
  return FALSE;
}

/* In groups by origin. */
static void
fill_metric (CuredResultPage *self)
{
  static const CuredOrigin groups[] = { CURED_ORIGIN_MEASURED, CURED_ORIGIN_PREDICTED,
                                        CURED_ORIGIN_DERIVED, CURED_ORIGIN_COUNTED };
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (self->result, &n_metrics);
  gsize metric = cured_map_view_get_view (self->view)->metric;

  for (gsize k = 0; k < n_metrics * G_N_ELEMENTS (groups); k++)
    {
      gsize i = k % n_metrics;

      if (metrics[i].origin != groups[k / n_metrics] ||
          (!cured_map_view_is_live (self->view) && i != metric &&
           !can_explain (self, &metrics[i]) && !cured_result_has_values (self->result, i)))
        continue;
      g_autofree char *title = cured_text_metric_of (self->result, &metrics[i]);
      g_autofree char *tooltip = cured_text_metric_tooltip (&metrics[i]);

      cured_choice_add (store, i, title, cured_text_origin (metrics[i].origin), tooltip);
    }
  /* Its map has a second file and its own colours, so it is on another page. */
  cured_choice_add (
      store, n_metrics, _ ("Ratio to a second file"), cured_text_origin (CURED_ORIGIN_DERIVED),
      _ ("Each cell's value in a second file divided by the one in this file. Shown in Compare."));
  cured_choice_fill (self->metric, store, metric);
}

/* Index 0 is none; others are one more than the metric's. */
static void
fill_contour (CuredResultPage *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (self->result, &n_metrics);
  const char *contour = cured_map_view_get_view (self->view)->contour;

  cured_choice_add (store, 0,
                    /* Translators: no contour is drawn over the map. */
                    _ ("None"), NULL,
                    _ ("Draw lines of equal value of a second metric over the map"));
  for (gsize i = 0; i < n_metrics; i++)
    {
      /* Names have no contours. */
      if (g_str_equal (metrics[i].unit, "limit") ||
          (g_strcmp0 (contour, metrics[i].id) != 0 && !can_explain (self, &metrics[i]) &&
           !cured_result_has_values (self->result, i)))
        continue;
      g_autofree char *title = cured_text_metric_of (self->result, &metrics[i]);
      g_autofree char *tooltip = cured_text_metric_tooltip (&metrics[i]);

      cured_choice_add (store, i + 1, title, cured_text_origin (metrics[i].origin), tooltip);
    }
  cured_choice_fill (self->contour, store, 0);
}

/* One map, a map for each value of a parameter not on its axes, or a metric against another. */
static void
fill_show_as (CuredResultPage *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize n_axes, n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (self->result, &n_metrics);
  const CuredView *view = cured_map_view_get_view (self->view);

  cured_result_get_axes (self->result, &n_axes);
  if (self->shown_as <= n_axes && !cured_slices_may_split (self->result, view, self->shown_as))
    self->shown_as = ONE_MAP;
  cured_slices_add_splits (store, self->result, view);
  for (gsize i = 0; i < n_metrics; i++)
    {
      g_autofree char *name = cured_text_metric_of (self->result, &metrics[i]);
      /* Translators: the name of a figure that the map's is drawn over. */
      g_autofree char *title = g_strdup_printf (_ ("Against %s"), name);
      g_autofree char *tooltip = cured_text_metric_tooltip (&metrics[i]);

      if (i != view->metric && !g_str_equal (metrics[i].unit, "limit") &&
          (can_explain (self, &metrics[i]) || cured_result_has_values (self->result, i)))
        cured_choice_add (store, n_axes + 1 + i, title, cured_text_origin (metrics[i].origin),
                          tooltip);
    }
  cured_choice_fill (self->show_as, store, self->shown_as);
}

static void
show_as (CuredResultPage *self, gsize number)
{
  self->shown_as = number;
  self->is_stopped = FALSE;
  cured_choice_set_selected (self->show_as, number);
  explain_map (self);
  update_chart (self);
}

static void
show_as_chosen_cb (CuredResultPage *self)
{
  gsize number;

  if (self->result != NULL && cured_choice_get_selected (self->show_as, &number) &&
      number != self->shown_as)
    show_as (self, number);
}

static void
chart_marked_cb (CuredResultPage *self)
{
  gssize item = cured_picture_get_item (self->chart);

  if (item >= 0)
    cured_map_view_set_cell (
        self->view, cured_map_chart_get_cell (cured_picture_get_chart (self->chart), (gsize) item));
}

/* Shows a small map's cell in the single map, or a point's details. */
static void
chart_activated_cb (CuredResultPage *self)
{
  chart_marked_cb (self);
  if (get_against (self) < 0)
    {
      show_as (self, ONE_MAP);
      gtk_widget_grab_focus (GTK_WIDGET (self->map));
    }
  else
    reveal_details (self);
}

static GdkPaintable *
colour_swatch (const CuredColourMap *colours)
{
  enum
  {
    WIDTH = 48,
    HEIGHT = 12,
  };
  guint32 *pixels = g_new (guint32, WIDTH * HEIGHT);

  for (gsize x = 0; x < WIDTH; x++)
    for (gsize y = 0; y < HEIGHT; y++)
      pixels[y * WIDTH + x] =
          cured_colour_map_get_pixel (colours, (double) x / (double) (WIDTH - 1));
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, WIDTH * HEIGHT * sizeof (guint32));
  return GDK_PAINTABLE (
      gdk_memory_texture_new (WIDTH, HEIGHT, GDK_MEMORY_DEFAULT, bytes, WIDTH * sizeof (guint32)));
}

static void
fill_colours (CuredResultPage *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize n_maps;
  const CuredColourMap *maps = cured_colour_map_list (&n_maps);

  for (gsize i = 0; i < n_maps; i++)
    {
      g_autoptr (GdkPaintable) swatch = colour_swatch (&maps[i]);
      /* Translators: the name of a colour map. */
      g_autofree char *tooltip = g_strdup_printf (_ ("Colours: %s"), _ (maps[i].title));
      g_autoptr (CuredChoice) choice =
          cured_choice_new (i, _ (maps[i].title), NULL, tooltip, swatch);

      g_list_store_append (store, choice);
    }
  cured_choice_fill (self->colours, store, 0);
}

/* Fills the drop-downs with the choices of the current result. */
static void
fill_choices (CuredResultPage *self)
{
  if (self->result == NULL)
    return;
  fill_metric (self);
  fill_contour (self);
  fill_show_as (self);
}

static void
axes_changed_cb (CuredResultPage *self)
{
  if (self->result == NULL)
    return;
  fill_show_as (self);
  update_chart (self);
}

static void
metric_chosen_cb (CuredResultPage *self)
{
  gsize n_metrics, metric;

  if (self->result == NULL || !cured_choice_get_selected (self->metric, &metric))
    return;
  cured_result_get_metrics (self->result, &n_metrics);
  if (metric < n_metrics)
    {
      cured_map_view_set_metric (self->view, metric);
      return;
    }
  cured_choice_set_selected (self->metric, cured_map_view_get_view (self->view)->metric);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-view", "s", "compare");
}

static void
metric_changed_cb (CuredResultPage *self)
{
  if (self->result == NULL)
    return;
  cured_choice_set_selected (self->metric, cured_map_view_get_view (self->view)->metric);
  self->is_stopped = FALSE;
  explain_map (self);
  fill_show_as (self);
  show_details (self);
}

static void
drop_result (CuredResultPage *self)
{
  stop_reason (self);
  g_hash_table_remove_all (self->reasons);
  if (self->result != NULL)
    g_signal_handlers_disconnect_by_data (self->result, self);
  g_clear_object (&self->result);
}

static CuredDrawing *
get_drawing (CuredResultPage *self)
{
  if (self->result == NULL)
    return NULL;
  if (self->shown_as != ONE_MAP)
    return cured_drawing_new_map_chart (self->result, make_chart (self),
                                        cured_picture_get_item (self->chart));
  return cured_drawing_new_map (self->result, cured_map_view_get_view (self->view));
}

/* Without a result there is at most a kernel, which can be run. */
static void
update_empty (CuredResultPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);

  gtk_stack_set_visible_child_name (
      self->stack, cured_document_get_result (self->page.document) != NULL ? "map" : "empty");
  if (kernel == NULL)
    return;
  g_autofree char *title = g_markup_escape_text (cured_kernel_translate (kernel->title), -1);
  g_autofree char *text = g_strdup_printf (
      /* Translators: the title of a kernel. */
      _ ("Run “%s” over its parameters, and its times or counts appear here as a heat map."),
      title);
  adw_status_page_set_description (self->empty, text);
}

static void
result_changed_cb (CuredResultPage *self)
{
  drop_result (self);
  g_set_object (&self->result, cured_map_view_get_result (self->view));
  if (self->result != NULL)
    CURED_CONNECT (self->result, "cell-changed", cell_changed_cb);
  cured_explainer_set_result (self->explainer, self->result);
  self->shown_as = ONE_MAP;
  self->is_stopped = FALSE;
  update_chart (self);
  fill_choices (self);
}

/* While a sweep runs, all metrics are selectable; afterwards those with values. */
static void
live_changed_cb (CuredResultPage *self)
{
  cured_explainer_set_paused (self->explainer, cured_map_view_is_live (self->view));
  fill_choices (self);
  if (self->result != NULL)
    show_details (self);
}

static void
bind_view (CuredResultPage *self)
{
  const struct
  {
    gpointer button;
    const char *property;
  } toggles[] = {
    { self->logarithmic, "logarithmic" },  { self->relative, "relative" },
    { self->fit_colours, "fit-colours" },  { self->fit_button, "fit-colours" },
    { self->show_region, "region" },       { self->best_over, "best-over" },
    { self->show_marginals, "marginals" },
  };

  CURED_CONNECT (self->view, "notify::result", result_changed_cb);
  CURED_CONNECT (self->view, "notify::grid", grid_changed_cb);
  CURED_CONNECT (self->view, "notify::metric", metric_changed_cb);
  CURED_CONNECT (self->view, "notify::x-axis", axes_changed_cb);
  CURED_CONNECT (self->view, "notify::is-live", live_changed_cb);
  CURED_CONNECT (self->view, "notify::cursor", cursor_changed_cb);
  CURED_CONNECT (self->view, "notify::selection", update_selection);
  CURED_CONNECT (self->view, "notify::cell", follow_cell);
  for (gsize i = 0; i < G_N_ELEMENTS (toggles); i++)
    g_object_bind_property (self->view, toggles[i].property, toggles[i].button, "active",
                            G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  cured_choice_connect (self->metric, G_CALLBACK (metric_chosen_cb), self);
  cured_choice_connect (self->show_as, G_CALLBACK (show_as_chosen_cb), self);
  cured_choice_bind (self->contour, self->view, "contour");
  cured_choice_bind (self->colours, self->view, "colours");
  fill_colours (self);
  cured_slices_set_view (self->slices, self->view, self->x_axis, self->y_axis);
}

static void
opened_cb (CuredResultPage *self)
{
  self->view = g_object_ref (cured_document_get_map_view (self->page.document));
  cured_cell_details_set_explainer (self->details, self->page.document, self->explainer);
  if (self->page.inspector != NULL)
    cured_cell_details_set_inspector (self->details, self->page.document, self->page.inspector);
  g_object_notify (G_OBJECT (self), "map-view");
  bind_view (self);
}

static void
cured_result_page_dispose (GObject *object)
{
  CuredResultPage *self = CURED_RESULT_PAGE (object);

  drop_result (self);
  if (self->explainer != NULL)
    cured_explainer_set_result (self->explainer, NULL);
  cured_template_dispose (object);
}

static void
cured_result_page_class_init (CuredResultPageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = cured_result_page_dispose;

  CURED_PROPERTY (CuredResultPage, "map-view", CURED_TYPE_MAP_VIEW, view, NULL);

  CURED_NEEDS (CELL_DETAILS, HEAT_MAP, PICTURE, SLICES);
  cured_template_set (klass, "cured-result-page");
  CURED_CALLBACKS (explain_map);
  CURED_OWNS (CuredResultPage, explainer, view);
  CURED_PAGE_DOES (opened, opened_cb);
  CURED_PAGE_DOES (changed, update_empty);
  CURED_PAGE_DOES (get_drawing, get_drawing);
  CURED_TIMERS (CuredResultPage, details_id, chart_id);
  CURED_BIND (CuredResultPage, flap, metric, x_axis, y_axis, colours, logarithmic, relative,
              fit_colours);
  CURED_BIND (CuredResultPage, fit_button, contour, show_region, best_over, show_marginals,
              selection, stack, empty);
  CURED_BIND (CuredResultPage, slices, map, read_out, progress, best, details, show_as, charts);
  CURED_BIND (CuredResultPage, chart, view_popover, limits);
  CURED_CALLBACKS (clear_selection_cb, limits_cb, stop_explaining_cb, reveal_details,
                   update_read_out, chart_marked_cb, chart_activated_cb);
  CURED_FREES (CuredResultPage, g_hash_table_unref, reasons);
}

static void
cured_result_page_init (CuredResultPage *self)
{
  self->reasons = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->explainer = cured_explainer_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  CURED_CONNECT (self->explainer, "limiters-changed", limiters_changed_cb);
  g_signal_connect_object (self->explainer, "explained", G_CALLBACK (update_progress), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

CURED_GETTER (CuredMapView *, cured_result_page_get_map_view, CuredResultPage, view)

CURED_GETTER (CuredHeatMap *, cured_result_page_get_map, CuredResultPage, map)

CURED_GETTER (AdwFlap *, cured_result_page_get_flap, CuredResultPage, flap)

/* (transfer full) (nullable): the selected cell as text. */
char *
cured_result_page_get_cell_text (CuredResultPage *self)
{
  if (self->details_id != 0)
    show_details (self);
  return cured_cell_details_to_text (self->details);
}
