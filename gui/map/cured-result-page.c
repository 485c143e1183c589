/* SPDX-License-Identifier: MIT
 * One result: the map, what it shows, and the details beside it. */
#include <config.h>

#include "map/cured-result-page.h"

#include <glib/gi18n.h>

#include "map/cured-cell-details.h"
#include "widgets/cured-choice.h"
#include "widgets/cured-exportable.h"
#include "model/cured-settings.h"
#include "map/cured-slices.h"
#include "widgets/cured-text.h"

/* While a sweep runs, the map is made anew at most this often, and never so
 * often that more than a tenth of the time goes into it. */
#define REFRESH_MS 100

struct _CuredResultPage
{
  AdwBin parent_instance;

  /* Template widgets */
  AdwFlap *flap;
  GtkDropDown *metric;
  GtkDropDown *x_axis;
  GtkDropDown *y_axis;
  GtkWidget *swap;
  GtkDropDown *colours;
  GtkToggleButton *logarithmic;
  GtkWidget *colours_label;
  GtkWidget *contour_label;
  GtkDropDown *contour;
  GtkCheckButton *show_region;
  GtkCheckButton *show_marginals;
  GtkWidget *selection_bar;
  GtkLabel *selection;
  GtkWidget *clear_selection;
  GtkStack *stack;
  AdwStatusPage *empty;
  GtkWidget *open_recorded;
  CuredSlices *slices;
  CuredHeatMap *map;
  GtkLabel *read_out;
  GtkWidget *zoom_reset;
  GtkButton *best;
  CuredCellDetails *details;

  /* Owned */
  CuredDocument *document;
  CuredResult *result; /* nullable */
  CuredSweep *sweep;   /* nullable */

  CuredView view; /* of the result */
  gint64 selected;
  gboolean is_filling; /* the controls are being set, not used */
  gboolean is_details_stale;
  guint refresh_id;
  guint refresh_ms;

  /* Owned: why cells have no value, as far as somebody looked at them. */
  GHashTable *reasons;   /* of gint64: "" where there is none to tell */
  GCancellable *reading; /* nullable: no reason is being read */
  gint64 reason_cell;    /* which is wanted next */
  guint reason_id;
};

/* The pointer crosses cells faster than reasons can be read. */
#define REASON_DELAY_MS 60

static void exportable_init (CuredExportableInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (CuredResultPage,
                               cured_result_page,
                               ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (CURED_TYPE_EXPORTABLE,
                                                      exportable_init))

static void update_read_out (CuredResultPage *self);

/* Why a cell has no value: read from the file in a thread, once. */

static void
reason_read_cb (GObject *source, GAsyncResult *answer, gpointer user_data)
{
  g_autoptr (CuredResultPage) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredOutcome) outcome =
      cured_result_load_outcome_finish (CURED_RESULT (source), answer, &error);
  gint64 *cell;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->reading);
  cell = g_memdup2 (&self->reason_cell, sizeof *cell);
  g_hash_table_insert (self->reasons,
                       cell,
                       g_strdup (outcome != NULL && outcome->reason != NULL
                                     ? outcome->reason
                                     : ""));
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

static gboolean
read_reason_cb (gpointer user_data)
{
  CuredResultPage *self = user_data;

  self->reason_id = 0;
  self->reading = g_cancellable_new ();
  cured_result_load_outcome_async (self->result,
                                   self->reason_cell,
                                   self->reading,
                                   reason_read_cb,
                                   g_object_ref (self));
  return G_SOURCE_REMOVE;
}

/* Returns: (nullable): the reason, if it is known already and worth telling;
 * otherwise it is asked for, and the read-out follows. */
static const char *
get_reason (CuredResultPage *self, const CuredGrid *grid, gsize index)
{
  gint64 cell = grid->cells[index];
  const char *reason;

  switch (cured_grid_get_look (grid, index))
    {
    case CURED_STATE_NOT_LAUNCHABLE:
    case CURED_STATE_WRONG:
    case CURED_STATE_FAILED:
    case CURED_STATE_CRASHED:
    case CURED_STATE_TIMED_OUT:
      break;
    default:
      stop_reason (self);
      return NULL;
    }
  reason = g_hash_table_lookup (self->reasons, &cell);
  if (reason != NULL)
    {
      stop_reason (self);
      return *reason != '\0' ? reason : NULL;
    }
  if (cell == self->reason_cell &&
      (self->reason_id != 0 || self->reading != NULL))
    return NULL;
  stop_reason (self);
  self->reason_cell = cell;
  self->reason_id = g_timeout_add (REASON_DELAY_MS, read_reason_cb, self);
  return NULL;
}

static gboolean
get_read_out_cell (CuredResultPage *self, gsize *column, gsize *row)
{
  return cured_heat_map_get_grid (self->map) != NULL &&
         (cured_heat_map_get_hovered (self->map, column, row) ||
          cured_heat_map_get_cursor (self->map, column, row));
}

static void
update_read_out (CuredResultPage *self)
{
  const CuredGrid *grid = cured_heat_map_get_grid (self->map);
  g_autofree char *text = NULL;
  const char *reason;
  gsize column;
  gsize row;

  gtk_widget_set_visible (self->zoom_reset,
                          cured_heat_map_is_zoomed (self->map));
  if (!get_read_out_cell (self, &column, &row))
    return;
  text = cured_text_read_out (grid, column, row);
  reason = get_reason (self, grid, row * grid->nx + column);
  if (reason != NULL)
    {
      g_autofree char *plain = g_steal_pointer (&text);

      /* Translators: what a cell is, and why: "tile 2048: not launchable: 2048
       * threads per block are more than 1024". */
      text = g_strdup_printf (_ ("%s: %s"), plain, reason);
    }
  cured_heat_map_set_reason (self->map, column, row, reason);
  gtk_label_set_label (self->read_out, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->read_out), text);
}

static void
update_selection (CuredResultPage *self)
{
  const CuredGrid *grid = cured_heat_map_get_grid (self->map);
  CuredGridRect rect;
  CuredGridSummary summary;
  g_autofree char *text = NULL;

  if (grid == NULL || !cured_heat_map_get_selection (self->map, &rect))
    {
      gtk_widget_set_visible (self->selection_bar, FALSE);
      return;
    }
  cured_grid_summarize (grid, &rect, &summary);
  text = cured_text_selection (grid, &summary);
  gtk_label_set_label (self->selection, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->selection), text);
  gtk_widget_set_visible (self->selection_bar, TRUE);
}

static void
clear_selection_cb (CuredResultPage *self)
{
  cured_heat_map_set_selection (self->map, NULL);
  gtk_widget_grab_focus (GTK_WIDGET (self->map));
}

static void
update_best (CuredResultPage *self)
{
  const CuredGrid *grid = cured_heat_map_get_grid (self->map);
  g_autofree char *figure = NULL;
  g_autofree char *label = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->best), grid->best >= 0);
  if (grid->best < 0)
    return;
  figure = cured_format_quantity (grid->values[grid->best], grid->metric.unit);
  /* Translators: the best figure that a map shows, as in "Best: 106 µs". */
  label = g_strdup_printf (_ ("Best: %s"), figure);
  gtk_button_set_label (self->best, label);
}

static gboolean
is_best (CuredResultPage *self, gint64 cell)
{
  const CuredGrid *grid = cured_heat_map_get_grid (self->map);

  return grid != NULL && grid->best >= 0 && grid->cells[grid->best] == cell;
}

static void
select_cell (CuredResultPage *self, gint64 cell)
{
  self->selected = cell;
  self->is_details_stale = FALSE;
  cured_heat_map_set_selected (self->map, cell);
  cured_cell_details_set_cell (
      self->details, self->result, cell, is_best (self, cell));
  if (cell >= 0)
    cured_document_set_cell (self->document, cell);
}

static void
select_best (CuredResultPage *self)
{
  const CuredGrid *grid = cured_heat_map_get_grid (self->map);

  cured_heat_map_go_to_best (self->map);
  select_cell (self, grid->best >= 0 ? grid->cells[grid->best] : -1);
}

static void
reveal_details (CuredResultPage *self)
{
  adw_flap_set_reveal_flap (self->flap, TRUE);
}

/* Where the cursor is on all axes becomes the view's slice, so that another
 * choice of axes keeps the cursor's cell in the map. */
static void
keep_cursor_cell (CuredResultPage *self)
{
  const CuredGrid *grid = cured_heat_map_get_grid (self->map);
  gsize column;
  gsize row;

  if (grid == NULL || !cured_heat_map_get_cursor (self->map, &column, &row))
    return;
  cured_result_get_positions (
      self->result, grid->cells[row * grid->nx + column], self->view.positions);
}

static void
update_grid (CuredResultPage *self)
{
  CuredGrid *grid = cured_grid_new (self->result, &self->view);
  gsize column = self->view.positions[self->view.x_axis];
  gsize row = self->view.y_axis == CURED_AXIS_NONE
                  ? 0
                  : self->view.positions[self->view.y_axis];
  gsize at_column;
  gsize at_row;

  cured_heat_map_set_grid (self->map, grid);
  /* A cursor that is there already is not looked for: what was panned to, and
   * the cell under the pointer, stay. */
  if (column < grid->nx && row < grid->ny &&
      !(cured_heat_map_get_cursor (self->map, &at_column, &at_row) &&
        column == at_column && row == at_row))
    cured_heat_map_set_cursor (self->map, column, row);
  update_read_out (self);
  update_selection (self);
  update_best (self);
}

/* The same axes and the same cursor, newer figures. */
static void
refresh (CuredResultPage *self)
{
  keep_cursor_cell (self);
  update_grid (self);
  if (self->is_details_stale)
    select_cell (self, self->selected);
  else
    cured_cell_details_update_counts (self->details);
}

static gboolean
refresh_cb (gpointer user_data)
{
  CuredResultPage *self = user_data;
  gint64 start_us = g_get_monotonic_time ();

  self->refresh_id = 0;
  refresh (self);
  self->refresh_ms = MAX (
      REFRESH_MS, (guint) ((g_get_monotonic_time () - start_us) / 1000 * 10));
  return G_SOURCE_REMOVE;
}

static void
cell_changed_cb (CuredResultPage *self, gint64 cell)
{
  g_hash_table_remove (self->reasons, &cell);
  if (cell == self->selected)
    self->is_details_stale = TRUE;
  if (self->refresh_id == 0)
    self->refresh_id = g_timeout_add (self->refresh_ms, refresh_cb, self);
}

/* The axes or the slice are others. */
static void
view_changed_cb (CuredResultPage *self, gboolean is_turned)
{
  if (is_turned)
    {
      cured_heat_map_zoom_reset (self->map);
      cured_heat_map_set_selection (self->map, NULL);
    }
  update_grid (self);
  if (is_turned)
    select_cell (self, self->selected);
}

/* The drop-downs. */

static gboolean
is_live (CuredResultPage *self)
{
  return self->sweep != NULL && cured_sweep_is_active (self->sweep);
}

static void
fill_metric (CuredResultPage *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  g_autoptr (CuredChoice) ratio = NULL;
  gsize n_metrics;
  const CuredMetricInfo *metrics =
      cured_result_get_metrics (self->result, &n_metrics);

  for (gsize i = 0; i < n_metrics; i++)
    {
      g_autofree char *title = NULL;
      g_autofree char *tooltip = NULL;
      g_autoptr (CuredChoice) choice = NULL;

      if (!is_live (self) && i != self->view.metric &&
          !cured_result_has_values (self->result, i))
        continue;
      title = cured_text_metric_of (self->result, &metrics[i]);
      tooltip = cured_text_metric_tooltip (&metrics[i]);
      choice = cured_choice_new (
          i, title, cured_text_origin (metrics[i].origin), tooltip, NULL);
      g_list_store_append (store, choice);
    }
  /* Its map has a second file and colours of its own: another view. */
  ratio = cured_choice_new (n_metrics,
                            _ ("Ratio to a second file"),
                            cured_text_origin (CURED_ORIGIN_DERIVED),
                            _ ("Each cell's value in a second file divided by "
                               "the one in this file. Shown in Compare."),
                            NULL);
  g_list_store_append (store, ratio);
  cured_choice_fill (self->metric, store, self->view.metric);
}

/* Index 0 stands for none, the others for one more than the metric's. */
static void
fill_contour (CuredResultPage *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  g_autoptr (CuredChoice) none = NULL;
  gsize selected = 0;
  gsize n_metrics;
  const CuredMetricInfo *metrics =
      cured_result_get_metrics (self->result, &n_metrics);

  none = cured_choice_new (
      0,
      /* Translators: no contour is drawn over the map. */
      _ ("None"),
      NULL,
      _ ("Draw lines of equal value of a second metric over the map"),
      NULL);
  g_list_store_append (store, none);
  for (gsize i = 0; i < n_metrics; i++)
    {
      g_autofree char *title = NULL;
      g_autofree char *tooltip = NULL;
      g_autoptr (CuredChoice) choice = NULL;

      gboolean is_shown = g_strcmp0 (self->view.contour, metrics[i].id) == 0;

      if (!is_shown && !cured_result_has_values (self->result, i))
        continue;
      if (is_shown)
        selected = i + 1;
      title = cured_text_metric_of (self->result, &metrics[i]);
      tooltip = cured_text_metric_tooltip (&metrics[i]);
      choice = cured_choice_new (
          i + 1, title, cured_text_origin (metrics[i].origin), tooltip, NULL);
      g_list_store_append (store, choice);
    }
  cured_choice_fill (self->contour, store, selected);
}

static GdkPaintable *
colour_swatch (const CuredColourMap *colours)
{
  enum
  {
    WIDTH = 48,
    HEIGHT = 12,
  };
  g_autoptr (GBytes) bytes = NULL;
  guint32 *pixels = g_new (guint32, WIDTH * HEIGHT);

  for (gsize x = 0; x < WIDTH; x++)
    for (gsize y = 0; y < HEIGHT; y++)
      pixels[y * WIDTH + x] = cured_colour_map_get_pixel (
          colours, (double) x / (double) (WIDTH - 1));
  bytes = g_bytes_new_take (pixels, WIDTH * HEIGHT * sizeof (guint32));
  return GDK_PAINTABLE (gdk_memory_texture_new (
      WIDTH, HEIGHT, GDK_MEMORY_DEFAULT, bytes, WIDTH * sizeof (guint32)));
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
      g_autofree char *tooltip =
          g_strdup_printf (_ ("Colours: %s"), _ (maps[i].title));
      g_autoptr (CuredChoice) choice =
          cured_choice_new (i, _ (maps[i].title), NULL, tooltip, swatch);

      g_list_store_append (store, choice);
    }
  cured_choice_fill (self->colours, store, (gsize) (self->view.colours - maps));
}

static void
fill_controls (CuredResultPage *self)
{
  gboolean has_y = self->view.y_axis != CURED_AXIS_NONE;

  self->is_filling = TRUE;
  cured_slices_set_view (self->slices, self->result, &self->view);
  /* Where one parameter runs, there is nothing to choose. */
  gtk_widget_set_visible (self->swap, has_y);
  gtk_widget_set_visible (self->colours_label, has_y);
  gtk_widget_set_visible (GTK_WIDGET (self->colours), has_y);
  gtk_widget_set_visible (self->contour_label, has_y);
  gtk_widget_set_visible (GTK_WIDGET (self->contour), has_y);
  gtk_widget_set_visible (GTK_WIDGET (self->show_region), has_y);
  gtk_widget_set_visible (GTK_WIDGET (self->show_marginals), has_y);
  fill_metric (self);
  fill_contour (self);
  fill_colours (self);
  gtk_toggle_button_set_active (self->logarithmic, self->view.logarithmic);
  gtk_check_button_set_active (self->show_region, self->view.region);
  gtk_check_button_set_active (self->show_marginals, self->view.marginals);
  self->is_filling = FALSE;
}

static void
metric_changed_cb (CuredResultPage *self)
{
  gsize n_metrics;
  gsize metric;

  if (self->is_filling || !cured_choice_get_selected (self->metric, &metric) ||
      metric == self->view.metric)
    return;
  cured_result_get_metrics (self->result, &n_metrics);
  if (metric == n_metrics)
    {
      cured_choice_set_selected (self->metric, self->view.metric);
      gtk_widget_activate_action (
          GTK_WIDGET (self), "win.show-view", "s", "compare");
      return;
    }
  keep_cursor_cell (self);
  self->view.metric = metric;
  update_grid (self);
  select_cell (self, self->selected);
}

static void
colours_changed_cb (CuredResultPage *self)
{
  gsize n_maps;
  gsize index;

  if (self->is_filling || !cured_choice_get_selected (self->colours, &index))
    return;
  self->view.colours = &cured_colour_map_list (&n_maps)[index];
  cured_settings_set_string ("colours", self->view.colours->id);
  refresh (self);
}

static void
contour_changed_cb (CuredResultPage *self)
{
  gsize index;

  if (self->is_filling || !cured_choice_get_selected (self->contour, &index))
    return;
  self->view.contour =
      index == 0 ? NULL
                 : cured_result_get_metrics (self->result, NULL)[index - 1].id;
  refresh (self);
}

static void
toggles_changed_cb (CuredResultPage *self)
{
  if (self->is_filling || self->result == NULL)
    return;
  self->view.region = gtk_check_button_get_active (self->show_region);
  self->view.marginals = gtk_check_button_get_active (self->show_marginals);
  cured_settings_set_toggle ("region", self->view.region);
  cured_settings_set_toggle ("marginals", self->view.marginals);
  refresh (self);
}

static void
logarithmic_changed_cb (CuredResultPage *self)
{
  if (self->is_filling)
    return;
  self->view.logarithmic = gtk_toggle_button_get_active (self->logarithmic);
  refresh (self);
}

static void
sweep_finished_cb (CuredResultPage *self)
{
  if (self->result == NULL)
    return;
  refresh (self);
  self->is_filling = TRUE;
  fill_metric (self);
  fill_contour (self);
  self->is_filling = FALSE;
  if (self->selected < 0)
    select_best (self);
  else
    select_cell (self, self->selected);
}

static void
disconnect_sweep (CuredResultPage *self)
{
  if (self->sweep != NULL)
    g_signal_handlers_disconnect_by_data (self->sweep, self);
  g_clear_object (&self->sweep);
}

static void
disconnect_result (CuredResultPage *self)
{
  g_clear_handle_id (&self->refresh_id, g_source_remove);
  stop_reason (self);
  g_hash_table_remove_all (self->reasons);
  if (self->result != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->result, self);
      cured_slices_set_view (self->slices, NULL, NULL);
      cured_view_clear (&self->view);
    }
  g_clear_object (&self->result);
}

static CuredDrawing *
get_drawing (CuredExportable *exportable)
{
  CuredResultPage *self = CURED_RESULT_PAGE (exportable);

  if (self->result == NULL)
    return NULL;
  keep_cursor_cell (self);
  return cured_drawing_new_map (self->result, &self->view);
}

static void
exportable_init (CuredExportableInterface *iface)
{
  iface->get_drawing = get_drawing;
}

static void
cured_result_page_dispose (GObject *object)
{
  CuredResultPage *self = CURED_RESULT_PAGE (object);

  disconnect_sweep (self);
  disconnect_result (self);
  g_clear_object (&self->document);
  /* A template child that is also the bin's would be dropped twice. */
  adw_bin_set_child (ADW_BIN (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_RESULT_PAGE);
  G_OBJECT_CLASS (cured_result_page_parent_class)->dispose (object);
}

static void
cured_result_page_finalize (GObject *object)
{
  CuredResultPage *self = CURED_RESULT_PAGE (object);

  g_hash_table_unref (self->reasons);
  G_OBJECT_CLASS (cured_result_page_parent_class)->finalize (object);
}

static void
cured_result_page_class_init (CuredResultPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_result_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = cured_result_page_finalize;

  g_type_ensure (CURED_TYPE_CELL_DETAILS);
  g_type_ensure (CURED_TYPE_HEAT_MAP);
  g_type_ensure (CURED_TYPE_SLICES);
  gtk_widget_class_set_accessible_role (widget_class,
                                        GTK_ACCESSIBLE_ROLE_TAB_PANEL);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-result-page.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, CuredResultPage, name)
  BIND (flap);
  BIND (metric);
  BIND (x_axis);
  BIND (y_axis);
  BIND (swap);
  BIND (colours);
  BIND (logarithmic);
  BIND (colours_label);
  BIND (contour_label);
  BIND (contour);
  BIND (show_region);
  BIND (show_marginals);
  BIND (selection_bar);
  BIND (selection);
  BIND (clear_selection);
  BIND (stack);
  BIND (empty);
  BIND (open_recorded);
  BIND (slices);
  BIND (map);
  BIND (read_out);
  BIND (zoom_reset);
  BIND (best);
  BIND (details);
#undef BIND
}

static void
connect_choice (CuredResultPage *self, GtkDropDown *drop_down, GCallback cb)
{
  cured_choice_set_up (drop_down);
  g_signal_connect_swapped (drop_down, "notify::selected", cb, self);
}

static void
cured_result_page_init (CuredResultPage *self)
{
  self->selected = -1;
  self->refresh_ms = REFRESH_MS;
  self->reasons =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  gtk_widget_init_template (GTK_WIDGET (self));

  connect_choice (self, self->metric, G_CALLBACK (metric_changed_cb));
  cured_slices_set_drop_downs (self->slices, self->x_axis, self->y_axis);
  g_signal_connect_swapped (
      self->slices, "changing", G_CALLBACK (keep_cursor_cell), self);
  g_signal_connect_swapped (
      self->slices, "changed", G_CALLBACK (view_changed_cb), self);
  connect_choice (self, self->colours, G_CALLBACK (colours_changed_cb));
  connect_choice (self, self->contour, G_CALLBACK (contour_changed_cb));
  g_signal_connect_swapped (
      self->logarithmic, "toggled", G_CALLBACK (logarithmic_changed_cb), self);
  g_signal_connect_swapped (
      self->show_region, "toggled", G_CALLBACK (toggles_changed_cb), self);
  g_signal_connect_swapped (
      self->show_marginals, "toggled", G_CALLBACK (toggles_changed_cb), self);
  /* The window disables its action where nothing was recorded. */
  g_object_bind_property (self->open_recorded,
                          "sensitive",
                          self->open_recorded,
                          "visible",
                          G_BINDING_SYNC_CREATE);
  g_signal_connect_swapped (
      self->clear_selection, "clicked", G_CALLBACK (clear_selection_cb), self);
  g_signal_connect_swapped (
      self->map, "selection-changed", G_CALLBACK (update_selection), self);
  g_signal_connect_swapped (
      self->map, "cursor-moved", G_CALLBACK (update_read_out), self);
  g_signal_connect_swapped (
      self->map, "hovered", G_CALLBACK (update_read_out), self);
  g_signal_connect_swapped (
      self->map, "zoomed", G_CALLBACK (update_read_out), self);
  g_signal_connect_swapped (self->map,
                            "cell-selected",
                            G_CALLBACK (cured_result_page_select_cursor),
                            self);
  g_signal_connect_swapped (
      self->map, "cell-activated", G_CALLBACK (reveal_details), self);
}

/* Without a result there is a kernel at most, and something to do with it. */
static void
update_empty (CuredResultPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  g_autofree char *title = NULL;
  g_autofree char *text = NULL;

  gtk_stack_set_visible_child_name (
      self->stack,
      cured_document_get_result (self->document) != NULL ? "map" : "empty");
  if (kernel == NULL)
    return;
  title = g_markup_escape_text (kernel->title, -1);
  text = g_strdup_printf (
      /* Translators: the title of a kernel. */
      _ ("Run “%s” over its parameters, and its times or counts appear here "
         "as a heat map."),
      title);
  adw_status_page_set_description (self->empty, text);
}

/* Shows the document's result with its own choice of axes, and its best cell;
 * after another one of the same kernel with the axes of that, and the cell
 * where it was. */
static void
result_changed_cb (CuredResultPage *self)
{
  CuredResult *result = cured_document_get_result (self->document);
  g_autofree char *colours = cured_settings_get_string ("colours");
  g_autoptr (CuredResult) before = NULL;
  g_auto (CuredView) old = { 0 };
  gint64 cell;

  if (result == self->result)
    return;
  if (self->result != NULL && result != NULL &&
      g_str_equal (cured_result_get_kernel_id (self->result),
                   cured_result_get_kernel_id (result)))
    {
      before = g_object_ref (self->result);
      cured_view_copy (&self->view, before, &old);
    }
  disconnect_result (self);
  update_empty (self);
  /* Nor does the map keep what is gone: it still tells what is hovered. */
  if (before == NULL)
    cured_heat_map_set_grid (self->map, NULL);
  if (result == NULL)
    return;
  self->result = g_object_ref (result);
  cured_view_init (&self->view, result);
  if (before != NULL)
    cured_view_adopt (&self->view, result, &old, before, is_live (self));
  cell = before != NULL ? cured_document_get_cell (self->document) : -1;
  if (cell >= 0)
    cured_result_get_positions (result, cell, self->view.positions);
  if (colours != NULL && cured_colour_map_find (colours) != NULL)
    self->view.colours = cured_colour_map_find (colours);
  self->view.region = cured_settings_get_toggle ("region", TRUE);
  self->view.marginals = cured_settings_get_toggle ("marginals", TRUE);
  g_signal_connect_swapped (
      result, "cell-changed", G_CALLBACK (cell_changed_cb), self);

  update_grid (self);
  fill_controls (self);
  if (cell >= 0)
    select_cell (self, cell);
  else
    select_best (self);
}

/* Another page moved: the map shows the slice in which the point lies. */
static void
point_changed_cb (CuredResultPage *self)
{
  gint64 cell = cured_document_get_cell (self->document);

  if (self->result == NULL || cell < 0 || cell == self->selected ||
      self->result != cured_document_get_result (self->document))
    return;
  cured_result_get_positions (self->result, cell, self->view.positions);
  cured_slices_set_view (self->slices, self->result, &self->view);
  update_grid (self);
  select_cell (self, cell);
}

/**
 * cured_result_page_set_document:
 * @self: a result page that has no document yet
 * @document: whose result to show
 */
void
cured_result_page_set_document (CuredResultPage *self, CuredDocument *document)
{
  g_return_if_fail (CURED_IS_RESULT_PAGE (self));

  self->document = g_object_ref (document);
  g_signal_connect_object (document,
                           "kernel-changed",
                           G_CALLBACK (update_empty),
                           self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document,
                           "result-changed",
                           G_CALLBACK (result_changed_cb),
                           self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document,
                           "point-changed",
                           G_CALLBACK (point_changed_cb),
                           self,
                           G_CONNECT_SWAPPED);
}

/**
 * cured_result_page_get_result:
 * @self: a result page
 *
 * Returns: (transfer none) (nullable): what is shown
 */
CuredResult *
cured_result_page_get_result (CuredResultPage *self)
{
  g_return_val_if_fail (CURED_IS_RESULT_PAGE (self), NULL);
  return self->result;
}

/**
 * cured_result_page_set_sweep:
 * @self: a result page
 * @sweep: (nullable): what fills the result
 *
 * Lets the map follow @sweep.
 */
void
cured_result_page_set_sweep (CuredResultPage *self, CuredSweep *sweep)
{
  g_return_if_fail (CURED_IS_RESULT_PAGE (self));

  disconnect_sweep (self);
  if (sweep != NULL)
    {
      self->sweep = g_object_ref (sweep);
      g_signal_connect_swapped (
          sweep, "finished", G_CALLBACK (sweep_finished_cb), self);
    }
}

/**
 * cured_result_page_get_view:
 * @self: a result page that shows a result
 *
 * Returns: (transfer none): what of the result is shown, and how
 */
const CuredView *
cured_result_page_get_view (CuredResultPage *self)
{
  g_return_val_if_fail (CURED_IS_RESULT_PAGE (self), NULL);
  return &self->view;
}

/**
 * cured_result_page_get_map:
 * @self: a result page
 *
 * Returns: (transfer none): its heat map
 */
CuredHeatMap *
cured_result_page_get_map (CuredResultPage *self)
{
  g_return_val_if_fail (CURED_IS_RESULT_PAGE (self), NULL);
  return self->map;
}

/**
 * cured_result_page_get_flap:
 * @self: a result page
 *
 * Returns: (transfer none): what shows and hides the details
 */
AdwFlap *
cured_result_page_get_flap (CuredResultPage *self)
{
  g_return_val_if_fail (CURED_IS_RESULT_PAGE (self), NULL);
  return self->flap;
}

/**
 * cured_result_page_swap_axes:
 * @self: a result page
 *
 * Turns the map: X becomes Y. Does nothing where there is one axis only.
 */
void
cured_result_page_swap_axes (CuredResultPage *self)
{
  g_return_if_fail (CURED_IS_RESULT_PAGE (self));
  if (self->result != NULL && self->view.y_axis != CURED_AXIS_NONE)
    cured_slices_set_axes (self->slices, self->view.y_axis, self->view.x_axis);
}

/**
 * cured_result_page_select_cursor:
 * @self: a result page
 *
 * Shows the details of the cell under the cursor.
 */
void
cured_result_page_select_cursor (CuredResultPage *self)
{
  const CuredGrid *grid;
  gsize column;
  gsize row;

  g_return_if_fail (CURED_IS_RESULT_PAGE (self));

  grid = cured_heat_map_get_grid (self->map);
  if (grid == NULL || !cured_heat_map_get_cursor (self->map, &column, &row))
    return;
  select_cell (self, grid->cells[row * grid->nx + column]);
}

/**
 * cured_result_page_get_cell_text:
 * @self: a result page
 *
 * Returns: (transfer full) (nullable): the selected cell as text
 */
char *
cured_result_page_get_cell_text (CuredResultPage *self)
{
  g_return_val_if_fail (CURED_IS_RESULT_PAGE (self), NULL);
  return cured_cell_details_to_text (self->details);
}

/**
 * cured_result_page_get_table_text:
 * @self: a result page
 *
 * The slice that the map shows, for a spreadsheet: see cured_grid_to_table().
 *
 * Returns: (transfer full) (nullable): the table; %NULL where there is no map
 */
char *
cured_result_page_get_table_text (CuredResultPage *self)
{
  const CuredGrid *grid;

  g_return_val_if_fail (CURED_IS_RESULT_PAGE (self), NULL);
  grid = cured_heat_map_get_grid (self->map);
  return grid != NULL ? cured_grid_to_table (grid) : NULL;
}

/**
 * cured_result_page_get_selected_cells:
 * @self: a result page
 * @n_cells: (out) (optional): how many they are
 *
 * The cells of the rectangle that is selected in the map, row by row from the
 * bottom. The map's `selection-changed` tells when they change.
 *
 * Returns: (transfer full) (nullable) (element-type gint64): cells of the
 *   result; %NULL where none is selected
 */
GArray *
cured_result_page_get_selected_cells (CuredResultPage *self, gsize *n_cells)
{
  g_autoptr (GArray) cells = NULL;
  const CuredGrid *grid;
  CuredGridRect rect;

  g_return_val_if_fail (CURED_IS_RESULT_PAGE (self), NULL);

  if (n_cells != NULL)
    *n_cells = 0;
  if (!cured_heat_map_get_selection (self->map, &rect))
    return NULL;
  grid = cured_heat_map_get_grid (self->map);
  cells = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gsize y = rect.row; y < rect.row + rect.n_rows; y++)
    for (gsize x = rect.column; x < rect.column + rect.n_columns; x++)
      if (grid->cells[y * grid->nx + x] >= 0)
        g_array_append_val (cells, grid->cells[y * grid->nx + x]);
  if (n_cells != NULL)
    *n_cells = cells->len;
  return g_steal_pointer (&cells);
}

static void
get_selected_axis (CuredResultPage *self,
                   gsize axis,
                   gsize first,
                   gsize n_values,
                   CuredSelectedAxis *selected)
{
  const CuredAxis *values;

  *selected =
      (CuredSelectedAxis){ .axis = axis, .first = first, .last = first };
  if (axis == CURED_AXIS_NONE)
    return;
  values = cured_result_get_axes (self->result, NULL)[axis].values;
  selected->last = first + n_values - 1;
  selected->least = selected->most = cured_axis_get_value (values, first);
  for (gsize i = first + 1; i <= selected->last; i++)
    {
      gint64 value = cured_axis_get_value (values, i);

      selected->least = MIN (selected->least, value);
      selected->most = MAX (selected->most, value);
    }
}

/**
 * cured_result_page_get_selection_axes:
 * @self: a result page
 * @x: (out caller-allocates): what is selected of the parameter that runs to
 *   the right
 * @y: (out caller-allocates): likewise, upwards
 *
 * The other parameters are held at the positions of
 * cured_result_page_get_view().
 *
 * Returns: %FALSE where no cells are selected; @x and @y are then unchanged
 */
gboolean
cured_result_page_get_selection_axes (CuredResultPage *self,
                                      CuredSelectedAxis *x,
                                      CuredSelectedAxis *y)
{
  CuredGridRect rect;

  g_return_val_if_fail (CURED_IS_RESULT_PAGE (self), FALSE);

  if (!cured_heat_map_get_selection (self->map, &rect))
    return FALSE;
  get_selected_axis (self, self->view.x_axis, rect.column, rect.n_columns, x);
  get_selected_axis (self, self->view.y_axis, rect.row, rect.n_rows, y);
  return TRUE;
}
