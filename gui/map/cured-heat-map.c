/* SPDX-License-Identifier: MIT
 * The heat map widget: zoom, pan, pointer and keyboard cursor. */
#include <config.h>

#include "map/cured-heat-map-private.h"

#include <math.h>

/* Implementation notes: the plot module draws the map itself: the cells into a texture, and the
 * rest into Cairo nodes, one for the part that moves with zoom and pan, the others for titles and
 * legend. They are cached until grid, size, zoom or colours change. Cursor, selection and the cell
 * under the pointer are borders on top, so that moving them never redraws the map. GTK's Cairo
 * renderer makes an image of each node in the drawn area, so none is larger than necessary. */

#define ZOOM_STEP 1.25

/* Time without zooming or panning before colours are rescaled, since rescaling during a motion
 * would flicker. */
#define FIT_DELAY_MS 120

G_DEFINE_FINAL_TYPE (CuredHeatMap, cured_heat_map, GTK_TYPE_WIDGET)

static void
invalidate_seen (CuredHeatMap *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
invalidate (CuredHeatMap *self)
{
  g_clear_pointer (&self->keys, gsk_render_node_unref);
  invalidate_seen (self);
}

/* Rescales colours to the visible cells, if this is enabled and the map is zoomed. */
static void
fit_colours (CuredHeatMap *self)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  gboolean is_wanted = FALSE;
  double low = NAN;
  double high = NAN;

  g_clear_handle_id (&self->fit_id, g_source_remove);
  if (!self->has_geometry || cured_grid_is_line (grid) || cured_grid_is_named (grid))
    return;
  g_object_get (self->view, "fit-colours", &is_wanted, NULL);
  if (is_wanted && cured_heat_map_is_zoomed (self))
    cured_plot_geometry_get_seen (&self->geometry, grid, &low, &high);
  _cured_heat_map_ensure_cache (self);
  if (cured_plot_cache_set_range (self->cache, low, high))
    invalidate (self);
}

static void
fit_soon (CuredHeatMap *self)
{
  g_clear_handle_id (&self->fit_id, g_source_remove);
  if (cured_heat_map_is_zoomed (self))
    CURED_LATER (fit_id, FIT_DELAY_MS, fit_colours);
  else
    fit_colours (self);
}

static void
tell_zoomed (CuredHeatMap *self)
{
  gboolean is_zoomed = cured_heat_map_is_zoomed (self);

  if (self->is_zoomed == is_zoomed)
    return;
  self->is_zoomed = is_zoomed;
  g_object_notify (G_OBJECT (self), "is-zoomed");
}

static void
update_geometry (CuredHeatMap *self, gboolean keep_visible)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  int height = gtk_widget_get_height (GTK_WIDGET (self));

  keep_visible = keep_visible && self->has_geometry;
  self->has_geometry = grid != NULL && width > 0 && height > 0;
  if (self->has_geometry && keep_visible)
    cured_plot_geometry_resize (&self->geometry, grid, &self->style, width, height);
  else if (self->has_geometry)
    cured_plot_geometry_init (&self->geometry, grid, &self->style, width, height);
  invalidate (self);
  fit_colours (self);
}

static gboolean
has_reason (CuredHeatMap *self, gsize column, gsize row)
{
  return self->reason != NULL &&
         self->reason_index == row * _cured_heat_map_get_grid (self)->nx + column;
}

static void
update_accessible (CuredHeatMap *self)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  g_autofree char *description = NULL;
  CuredGridRect rect;
  gsize column, row;

  if (!_cured_heat_map_get_cursor (self, &column, &row))
    return;
  g_autofree char *label = cured_text_read_out (grid, column, row);
  if (has_reason (self, column, row))
    {
      g_autofree char *plain = g_steal_pointer (&label);

      label = g_strdup_printf (_ ("%s: %s"), plain, self->reason);
    }
  if (cured_map_view_get_selection (self->view, &rect))
    {
      g_autofree char *plain = g_steal_pointer (&label);
      CuredGridSummary summary;

      cured_grid_summarize (grid, &rect, &summary);
      g_autofree char *selection = cured_text_selection (grid, &summary);
      label = g_strdup_printf ("%s. %s", plain, selection);
    }
  if (grid->y_title != NULL)
    description = g_strdup_printf (
        /* Translators: metric, parameter to the right, parameter upwards. */
        _ ("Heat map of %s over %s and %s. The arrow keys move from cell to cell, Enter shows all "
           "of a cell, B goes to the best cell."),
        _ (grid->metric.title), grid->x_title, grid->y_title);
  else
    description = g_strdup_printf (
        /* Translators: metric, parameter to the right. */
        _ ("Heat map of %s over %s. The arrow keys move from cell to cell, Enter shows all of a "
           "cell, B goes to the best cell."),
        _ (grid->metric.title), grid->x_title);
  if (grid->contour_values != NULL)
    {
      g_autofree char *plain = g_steal_pointer (&description);
      g_autofree char *contour = g_strdup_printf (
          /* Translators: a figure, of which lines of equal value are drawn. */
          _ ("Contours of %s."), _ (grid->contour_metric.title));

      description = g_strdup_printf ("%s %s", plain, contour);
    }
  cured_widget_name (self, label, description);
}

static void
style_changed_cb (CuredHeatMap *self)
{
  if (!cured_plot_look_update (&self->style, GTK_WIDGET (self), 1.0))
    return;
  /* Marginals move with the cursor. */
  self->style.draw_marginals = FALSE;
  /* Keys do not move at all. */
  self->style.draw_keys = FALSE;
  /* The text's size affects the area of the cells. */
  update_geometry (self, TRUE);
}

static void
find_selected (CuredHeatMap *self)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  gsize n_cells = grid != NULL ? grid->nx * grid->ny : 0;
  gint64 cell = cured_map_view_get_cell (self->view);
  gsize column, row;

  self->selected = -1;
  /* Usually the cursor is there. */
  if (cell >= 0 && _cured_heat_map_get_cursor (self, &column, &row) &&
      grid->cells[row * grid->nx + column] == cell)
    {
      self->selected = (gssize) (row * grid->nx + column);
      return;
    }
  for (gsize i = 0; cell >= 0 && i < n_cells; i++)
    if (grid->cells[i] == cell)
      {
        self->selected = (gssize) i;
        break;
      }
}

/* Pans so that the cursor's cell is visible. */
static void
reveal_cursor (CuredHeatMap *self)
{
  CuredRect visible = self->geometry.visible;
  gsize column, row;

  if (!self->has_geometry || !_cured_heat_map_get_cursor (self, &column, &row))
    return;
  cured_plot_geometry_reveal (&self->geometry, _cured_heat_map_get_grid (self), column, row);
  if (memcmp (&visible, &self->geometry.visible, sizeof visible) == 0)
    return;
  invalidate_seen (self);
  fit_soon (self);
}

static void
forget_hovered (CuredHeatMap *self)
{
  if (!self->is_hovered)
    return;
  self->is_hovered = FALSE;
  g_object_notify (G_OBJECT (self), "hovered");
}

/* Signals of the view. */

static void
cell_changed_cb (CuredHeatMap *self)
{
  find_selected (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
cursor_changed_cb (CuredHeatMap *self)
{
  /* The read-out shows the cursor's cell until the pointer moves again. */
  forget_hovered (self);
  reveal_cursor (self);
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
selection_changed_cb (CuredHeatMap *self)
{
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Zoom and pan are kept if the new grid has the same shape and axes. */
static void
grid_changed_cb (CuredHeatMap *self)
{
  const CuredView *view = cured_map_view_get_view (self->view);
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  gboolean is_same_shape = grid != NULL && self->nx == grid->nx && self->ny == grid->ny &&
                           self->x_axis == view->x_axis && self->y_axis == view->y_axis;

  self->nx = grid != NULL ? grid->nx : 0;
  self->ny = grid != NULL ? grid->ny : 0;
  self->x_axis = view->x_axis;
  self->y_axis = view->y_axis;
  g_clear_pointer (&self->cache, cured_plot_cache_free);
  if (!is_same_shape)
    forget_hovered (self);
  find_selected (self);
  update_geometry (self, is_same_shape);
  update_accessible (self);
  tell_zoomed (self);
}

static void
update_hovered (CuredHeatMap *self, gboolean is_inside)
{
  gsize column = 0;
  gsize row = 0;
  gboolean is_hovered = is_inside && self->has_geometry &&
                        cured_plot_geometry_pick (&self->geometry, _cured_heat_map_get_grid (self),
                                                  self->pointer_x, self->pointer_y, &column, &row);

  if (is_hovered == self->is_hovered &&
      (!is_hovered || (column == self->hovered_column && row == self->hovered_row)))
    return;
  self->is_hovered = is_hovered;
  self->hovered_column = column;
  self->hovered_row = row;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify (G_OBJECT (self), "hovered");
}

static void
zoom_at (CuredHeatMap *self, double factor, double x, double y)
{
  if (!self->has_geometry)
    return;
  cured_plot_geometry_zoom (&self->geometry, _cured_heat_map_get_grid (self), factor, x, y);
  invalidate_seen (self);
  fit_soon (self);
  tell_zoomed (self);
}

/* Keyboard: gtk_widget_class_add_binding() calls these. */

/* Moves by the columns and rows in @args, at most to the edge of the grid. */
static gboolean
go (GtkWidget *widget, GVariant *args, void (*go_to) (CuredMapView *view, gsize column, gsize row))
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  gsize column, row;
  int by_column, by_row;

  if (!_cured_heat_map_get_cursor (self, &column, &row))
    return FALSE;
  g_variant_get (args, "(ii)", &by_column, &by_row);
  go_to (self->view, (gsize) CLAMP ((gssize) column + by_column, 0, (gssize) grid->nx - 1),
         (gsize) CLAMP ((gssize) row + by_row, 0, (gssize) grid->ny - 1));
  return TRUE;
}

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  return go (widget, args, cured_map_view_set_cursor);
}

static gboolean
extend_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  return go (widget, args, cured_map_view_extend_selection);
}

static gboolean
select_all_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  const CuredGrid *grid = _cured_heat_map_get_grid (self);

  if (grid == NULL)
    return FALSE;
  cured_map_view_set_selection (self->view, &(CuredGridRect){ 0, 0, grid->nx, grid->ny });
  return TRUE;
}

/* Without a selection, Escape is propagated. */
static gboolean
escape_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  CuredGridRect rect;

  if (self->view == NULL || !cured_map_view_get_selection (self->view, &rect))
    return FALSE;
  cured_map_view_set_selection (self->view, NULL);
  return TRUE;
}

static gboolean
page_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  int direction;
  gsize column, row;

  if (!_cured_heat_map_get_cursor (self, &column, &row))
    return FALSE;
  g_variant_get (args, "(i)", &direction);
  gssize step = MAX (1, (gssize) grid->ny / 10);
  cured_map_view_set_cursor (
      self->view, column,
      (gsize) CLAMP ((gssize) row + direction * step, 0, (gssize) grid->ny - 1));
  return TRUE;
}

static gboolean
pan_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  int right, up;

  if (!self->has_geometry)
    return FALSE;
  g_variant_get (args, "(ii)", &right, &up);
  cured_heat_map_pan (self, -right * self->geometry.plot.width / 8.0,
                      up * self->geometry.plot.height / 8.0);
  return TRUE;
}

static gboolean
best_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);

  if (self->view != NULL)
    cured_map_view_go_to_best (self->view);
  return TRUE;
}

static gboolean
zoom_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  int direction;

  g_variant_get (args, "(i)", &direction);
  if (direction == 0)
    cured_heat_map_zoom_reset (CURED_HEAT_MAP (widget));
  else
    cured_heat_map_zoom (CURED_HEAT_MAP (widget), direction > 0 ? ZOOM_STEP : 1.0 / ZOOM_STEP);
  return TRUE;
}

/* Toggles between colours for the visible cells and for all. */
static gboolean
fit_key_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  gboolean is_fitting = FALSE;

  if (self->view == NULL)
    return FALSE;
  g_object_get (self->view, "fit-colours", &is_fitting, NULL);
  g_object_set (self->view, "fit-colours", !is_fitting, NULL);
  return TRUE;
}

static void
show_limits_cb (CuredHeatMap *self, const char *action, GVariant *parameter)
{
  cured_limits_dialog_show (GTK_WIDGET (self), self->view);
}

static gboolean
activate_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);

  if (_cured_heat_map_get_grid (self) == NULL)
    return FALSE;
  cured_map_view_choose_cursor (self->view);
  g_signal_emit_by_name (self, "cell-activated");
  return TRUE;
}

static void
show_cell_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  activate_cb (widget, NULL, NULL);
}

/* The context menu of a cell or of the selected ones. */

/* GTK 4.8 leaves the focus in a closed menu, where it receives no key events. The item's action may
 * have moved the focus meanwhile. */
static gboolean
leave_menu (CuredHeatMap *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (root != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)) &&
      (focus == NULL || !gtk_widget_get_mapped (focus)))
    gtk_widget_grab_focus (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

static void
menu_closed_cb (CuredHeatMap *self)
{
  g_idle_add_full (G_PRIORITY_LOW, G_SOURCE_FUNC (leave_menu), g_object_ref (self), g_object_unref);
}

static void
pop_up_menu (CuredHeatMap *self, const GdkRectangle *at)
{
  if (self->menu == NULL)
    {
      self->menu = gtk_popover_menu_new_from_model (self->menu_model);
      gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
      gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
      cured_widget_name (self->menu, _ ("Cell"), NULL);
      gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
      CURED_CONNECT (self->menu, "closed", menu_closed_cb);
    }
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), at);
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

/* Moves the cursor there. The selection is kept if it contains the cell. */
static void
menu_at (CuredHeatMap *self, double x, double y)
{
  CuredGridRect rect;
  gsize column, row;

  if (self->menu_model == NULL || !self->has_geometry ||
      !cured_plot_geometry_pick (&self->geometry, _cured_heat_map_get_grid (self), x, y, &column,
                                 &row))
    return;
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (cured_map_view_get_selection (self->view, &rect) &&
      (column - rect.column >= rect.n_columns || row - rect.row >= rect.n_rows))
    cured_map_view_set_selection (self->view, NULL);
  cured_map_view_set_cursor (self->view, column, row);
  pop_up_menu (self, &(GdkRectangle){ (int) x, (int) y, 1, 1 });
}

static gboolean
menu_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  CuredRect cell;
  gsize column, row;

  if (self->menu_model == NULL || !self->has_geometry ||
      !_cured_heat_map_get_cursor (self, &column, &row))
    return FALSE;
  reveal_cursor (self);
  cured_map_view_choose_cursor (self->view);
  cured_plot_geometry_get_cell (&self->geometry, _cured_heat_map_get_grid (self), column, row,
                                &cell);
  pop_up_menu (self, &(GdkRectangle){ (int) (cell.x + cell.width / 2.0),
                                      (int) (cell.y + cell.height / 2.0), 1, 1 });
  return TRUE;
}

/* On release rather than on press: the menu must not receive the release of the click that opened
 * it. */
static void
menu_released_cb (CuredHeatMap *self, int n_press, double x, double y)
{
  menu_at (self, x, y);
}

static void
long_pressed_cb (CuredHeatMap *self, double x, double y, GtkGesture *gesture)
{
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  menu_at (self, x, y);
}

/* Pointer. */

static void
motion_cb (CuredHeatMap *self, double x, double y)
{
  /* GTK also emits a motion if the pointer rests and the layout under it changes. */
  if (x == self->pointer_x && y == self->pointer_y)
    return;
  self->pointer_x = x;
  self->pointer_y = y;
  update_hovered (self, TRUE);
}

static void
leave_cb (CuredHeatMap *self)
{
  self->pointer_x = -1.0;
  self->pointer_y = -1.0;
  update_hovered (self, FALSE);
}

static gboolean
scroll_cb (CuredHeatMap *self, double dx, double dy, GtkEventControllerScroll *controller)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));

  if (!self->has_geometry)
    return FALSE;
  if ((state & GDK_SHIFT_MASK) != 0)
    cured_heat_map_pan (self, -(dx + dy) * 40.0, 0.0);
  else
    zoom_at (self, pow (ZOOM_STEP, -dy), self->pointer_x, self->pointer_y);
  update_hovered (self, TRUE);
  return TRUE;
}

static gboolean
is_down (gpointer controller, GdkModifierType modifier)
{
  return (gtk_event_controller_get_current_event_state (controller) & modifier) != 0;
}

/* The colour bar and its labels. */
static gboolean
is_in_legend (CuredHeatMap *self, double x, double y)
{
  const CuredRect *legend = &self->geometry.legend;

  return legend->width > 0 && x >= legend->x && y >= legend->y && y <= legend->y + legend->height;
}

static void
released_cb (CuredHeatMap *self, int n_press, double x, double y, GtkGesture *gesture)
{
  gsize column, row;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (!self->is_dragging && self->has_geometry && is_in_legend (self, x, y))
    cured_limits_dialog_show (GTK_WIDGET (self), self->view);
  if (self->is_dragging || !self->has_geometry ||
      !cured_plot_geometry_pick (&self->geometry, _cured_heat_map_get_grid (self), x, y, &column,
                                 &row))
    return;
  if (is_down (gesture, GDK_SHIFT_MASK))
    {
      cured_map_view_extend_selection (self->view, column, row);
      return;
    }
  cured_map_view_set_selection (self->view, NULL);
  cured_map_view_set_cursor (self->view, column, row);
  cured_map_view_choose_cursor (self->view);
  if (n_press == 2)
    g_signal_emit_by_name (self, "cell-activated");
}

/* A drag selects cells; with the middle button, with Ctrl, or with a finger, it pans. */
static gboolean
is_for_panning (GtkGesture *gesture)
{
  GdkDevice *device =
      gtk_event_controller_get_current_event_device (GTK_EVENT_CONTROLLER (gesture));

  return gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture)) ==
             GDK_BUTTON_MIDDLE ||
         is_down (gesture, GDK_CONTROL_MASK) ||
         (device != NULL && gdk_device_get_source (device) == GDK_SOURCE_TOUCHSCREEN);
}

static void
drag_begin_cb (CuredHeatMap *self, double x, double y, GtkGesture *gesture)
{
  self->is_dragging = FALSE;
  self->is_panning = is_for_panning (gesture);
  self->began_x = x;
  self->began_y = y;
  self->dragged_x = 0.0;
  self->dragged_y = 0.0;
}

/* The cell at a point, or the nearest one. */
static void
pick_nearest (CuredHeatMap *self, double x, double y, gsize *column, gsize *row)
{
  const CuredRect *plot = &self->geometry.plot;

  x = CLAMP (x, plot->x + 0.5, plot->x + plot->width - 0.5);
  y = CLAMP (y, plot->y + 0.5, plot->y + plot->height - 0.5);
  cured_plot_geometry_pick (&self->geometry, _cured_heat_map_get_grid (self), x, y, column, row);
}

/* Pans if the pointer is past an edge. */
static void
pan_to (CuredHeatMap *self, double x, double y)
{
  const CuredRect *plot = &self->geometry.plot;
  double to_x = CLAMP (x, plot->x, plot->x + plot->width);
  double to_y = CLAMP (y, plot->y, plot->y + plot->height);

  if (cured_heat_map_is_zoomed (self) && (to_x != x || to_y != y))
    cured_heat_map_pan (self, (to_x - x) / 4.0, (to_y - y) / 4.0);
}

static void
drag_selection (CuredHeatMap *self, double x, double y)
{
  gsize column, row;

  _cured_heat_map_get_cursor (self, &column, &row);
  if (!self->is_dragging)
    {
      gtk_widget_grab_focus (GTK_WIDGET (self));
      pick_nearest (self, self->began_x, self->began_y, &column, &row);
      cured_map_view_begin_selection (self->view, column, row);
    }
  pan_to (self, self->began_x + x, self->began_y + y);
  gsize to_column = column;
  gsize to_row = row;
  pick_nearest (self, self->began_x + x, self->began_y + y, &to_column, &to_row);
  if (to_column != column || to_row != row)
    cured_map_view_extend_selection (self->view, to_column, to_row);
}

static void
drag_update_cb (CuredHeatMap *self, double x, double y)
{
  if (!self->has_geometry || (self->is_panning && !cured_heat_map_is_zoomed (self)))
    return;
  if (!self->is_dragging && !gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int) x, (int) y))
    return;
  if (!self->is_panning)
    {
      drag_selection (self, x, y);
      self->is_dragging = TRUE;
      return;
    }
  self->is_dragging = TRUE;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
  cured_heat_map_pan (self, x - self->dragged_x, y - self->dragged_y);
  self->dragged_x = x;
  self->dragged_y = y;
}

static void
drag_end_cb (CuredHeatMap *self)
{
  gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
}

static void
pinch_begin_cb (CuredHeatMap *self)
{
  self->pinched = 1.0;
}

static void
pinch_cb (CuredHeatMap *self, double scale, GtkGesture *gesture)
{
  double x = 0.0;
  double y = 0.0;

  gtk_gesture_get_bounding_box_center (gesture, &x, &y);
  zoom_at (self, scale / self->pinched, x, y);
  self->pinched = scale;
}

static void
cured_heat_map_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);

  update_geometry (self, TRUE);
  if (self->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->menu));
}

static void
cured_heat_map_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (cured_heat_map_parent_class)->css_changed (widget, change);
  style_changed_cb (CURED_HEAT_MAP (widget));
}

static void
cured_heat_map_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                        int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 280 : 180;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 560 : 360;
}

static gboolean
cured_heat_map_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard,
                              GtkTooltip *tooltip)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  gsize column, row;
  CuredRect cell;

  if (!self->has_geometry || self->reason == NULL)
    return FALSE;
  _cured_heat_map_get_cursor (self, &column, &row);
  if (!keyboard && !cured_plot_geometry_pick (&self->geometry, grid, x, y, &column, &row))
    return FALSE;
  if (!has_reason (self, column, row))
    return FALSE;
  g_autofree char *text = cured_text_read_out (grid, column, row);
  cured_plot_geometry_get_cell (&self->geometry, grid, column, row, &cell);
  gtk_tooltip_set_tip_area (tooltip,
                            &(GdkRectangle){ (int) cell.x, (int) cell.y, (int) ceil (cell.width),
                                             (int) ceil (cell.height) });
  {
    g_autofree char *both = g_strdup_printf ("%s\n%s", text, self->reason);
    g_autofree char *bounded = cured_text_first_lines (both, CURED_TEXT_TOOLTIP_LINES);

    gtk_tooltip_set_text (tooltip, bounded);
  }
  return TRUE;
}

static void
drop_menu (CuredHeatMap *self)
{
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_object (&self->menu_model);
}

static void
set_menu_model (CuredHeatMap *self, const GValue *value)
{
  GMenuModel *model = g_value_get_object (value);

  drop_menu (self);
  g_set_object (&self->menu_model, model);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_HAS_POPUP,
                                  model != NULL, -1);
}

static void
set_view (CuredHeatMap *self, const GValue *value)
{
  cured_heat_map_set_view (self, g_value_get_object (value));
}

static void
cured_heat_map_dispose (GObject *object)
{
  CuredHeatMap *self = CURED_HEAT_MAP (object);

  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->keys, gsk_render_node_unref);
  drop_menu (self);
  cured_heat_map_set_view (self, NULL);
  cured_template_dispose (object);
}

static void
add_binding (GtkWidgetClass *klass, guint key, GdkModifierType modifiers, GtkShortcutFunc func,
             int first, int second)
{
  gtk_widget_class_add_binding (klass, key, modifiers, func, "(ii)", first, second);
}

static void
add_bindings (GtkWidgetClass *klass)
{
  static const struct
  {
    guint keys[2];
    int column, row;
  } arrows[] = {
    { { GDK_KEY_Left, GDK_KEY_KP_Left }, -1, 0 },
    { { GDK_KEY_Right, GDK_KEY_KP_Right }, 1, 0 },
    { { GDK_KEY_Up, GDK_KEY_KP_Up }, 0, 1 },
    { { GDK_KEY_Down, GDK_KEY_KP_Down }, 0, -1 },
  };
  /* Exceeds the length of any axis. */
  const int far = CURED_AXIS_MAX_VALUES;

  for (gsize i = 0; i < G_N_ELEMENTS (arrows); i++)
    for (gsize k = 0; k < 2; k++)
      {
        guint key = arrows[i].keys[k];
        int column = arrows[i].column;
        int row = arrows[i].row;

        add_binding (klass, key, 0, move_cb, column, row);
        add_binding (klass, key, GDK_CONTROL_MASK, move_cb, column * far, row * far);
        add_binding (klass, key, GDK_SHIFT_MASK, extend_cb, column, row);
        add_binding (klass, key, GDK_SHIFT_MASK | GDK_CONTROL_MASK, pan_cb, column, row);
      }
  gtk_widget_class_add_binding (klass, GDK_KEY_a, GDK_CONTROL_MASK, select_all_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Escape, 0, escape_cb, NULL);
  add_binding (klass, GDK_KEY_Home, GDK_SHIFT_MASK, extend_cb, -far, 0);
  add_binding (klass, GDK_KEY_End, GDK_SHIFT_MASK, extend_cb, far, 0);
  add_binding (klass, GDK_KEY_Page_Up, GDK_SHIFT_MASK, extend_cb, 0, far);
  add_binding (klass, GDK_KEY_Page_Down, GDK_SHIFT_MASK, extend_cb, 0, -far);
  add_binding (klass, GDK_KEY_Home, 0, move_cb, -far, 0);
  add_binding (klass, GDK_KEY_End, 0, move_cb, far, 0);
  add_binding (klass, GDK_KEY_Home, GDK_CONTROL_MASK, move_cb, -far, far);
  add_binding (klass, GDK_KEY_End, GDK_CONTROL_MASK, move_cb, far, -far);
  gtk_widget_class_add_binding (klass, GDK_KEY_Page_Up, 0, page_cb, "(i)", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_Page_Down, 0, page_cb, "(i)", -1);

  gtk_widget_class_add_binding (klass, GDK_KEY_Return, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_Enter, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_space, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_b, 0, best_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_r, 0, fit_key_cb, NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_l, 0, "map.limits", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_n, 0, "win.note", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_n, GDK_SHIFT_MASK, "win.file-note", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_z, GDK_CONTROL_MASK, "win.undo-note", NULL);

  gtk_widget_class_add_binding (klass, GDK_KEY_plus, 0, zoom_cb, "(i)", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_equal, 0, zoom_cb, "(i)", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_Add, 0, zoom_cb, "(i)", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_minus, 0, zoom_cb, "(i)", -1);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_Subtract, 0, zoom_cb, "(i)", -1);
  gtk_widget_class_add_binding (klass, GDK_KEY_0, 0, zoom_cb, "(i)", 0);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_0, 0, zoom_cb, "(i)", 0);

  gtk_widget_class_add_binding (klass, GDK_KEY_Menu, 0, menu_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_F10, GDK_SHIFT_MASK, menu_cb, NULL);

  gtk_widget_class_add_binding_action (klass, GDK_KEY_c, GDK_CONTROL_MASK, "win.copy-cell", NULL);
}

static void
cured_heat_map_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  gsize column, row;

  cured_heat_map_get_pointed (CURED_HEAT_MAP (widget), &column, &row);
  _cured_heat_map_draw (CURED_HEAT_MAP (widget), snapshot, column, row);
}

static void
cured_heat_map_class_init (CuredHeatMapClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = cured_heat_map_dispose;
  widget_class->snapshot = cured_heat_map_snapshot;
  widget_class->size_allocate = cured_heat_map_size_allocate;
  widget_class->css_changed = cured_heat_map_css_changed;
  widget_class->measure = cured_heat_map_measure;
  widget_class->query_tooltip = cured_heat_map_query_tooltip;

  CURED_PROPERTY (CuredHeatMap, "view", CURED_TYPE_MAP_VIEW, view, set_view);
  CURED_PROPERTY (CuredHeatMap, "hovered", G_TYPE_BOOLEAN, is_hovered, NULL);
  CURED_FLAG ("is-zoomed", cured_heat_map_is_zoomed);
  CURED_PROPERTY (CuredHeatMap, "menu-model", G_TYPE_MENU_MODEL, menu_model, set_menu_model);

  cured_class_add_signal (klass, "cell-activated", 0);

  cured_template_set (klass, "cured-heat-map");
  CURED_BIND (CuredHeatMap, click, drag);
  CURED_CALLBACKS (motion_cb, leave_cb, scroll_cb, gtk_widget_queue_draw, released_cb,
                   drag_begin_cb, drag_update_cb, drag_end_cb);
  CURED_CALLBACKS (menu_released_cb, long_pressed_cb, pinch_begin_cb, pinch_cb);
  gtk_widget_class_set_css_name (widget_class, "heatmap");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  CURED_ACTION ("map.show-cell", NULL, show_cell_cb);
  CURED_ACTION ("map.limits", NULL, show_limits_cb);
  add_bindings (widget_class);
  CURED_FREES (CuredHeatMap, cured_plot_cache_free, cache);
  CURED_FREES (CuredHeatMap, g_free, reason);
}

static void
cured_heat_map_init (CuredHeatMap *self)
{
  self->selected = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_gesture_group (self->click, self->drag);
  CURED_CONNECT (adw_style_manager_get_default (), "notify::dark", style_changed_cb);
  style_changed_cb (self);
}

CURED_GETTER (CuredMapView *, cured_heat_map_get_view, CuredHeatMap, view)

/* Sets the view whose grid is shown. @view: (nullable) */
void
cured_heat_map_set_view (CuredHeatMap *self, CuredMapView *view)
{
  if (self->view == view)
    return;
  if (self->view != NULL)
    g_signal_handlers_disconnect_by_data (self->view, self);
  g_clear_handle_id (&self->fit_id, g_source_remove);
  self->nx = 0;
  self->has_geometry = FALSE;
  g_set_object (&self->view, view);
  if (view != NULL)
    {
      CURED_CONNECT (view, "notify::grid", grid_changed_cb);
      CURED_CONNECT (view, "notify::cursor", cursor_changed_cb);
      CURED_CONNECT (view, "notify::selection", selection_changed_cb);
      CURED_CONNECT (view, "notify::cell", cell_changed_cb);
      CURED_CONNECT (view, "notify::fit-colours", fit_colours);
    }
  if (view != NULL)
    grid_changed_cb (self);
  g_object_notify (G_OBJECT (self), "view");
}

/* %FALSE if there is no grid. */
gboolean
cured_heat_map_get_pointed (CuredHeatMap *self, gsize *column, gsize *row)
{
  return cured_heat_map_get_hovered (self, column, row) ||
         _cured_heat_map_get_cursor (self, column, row);
}

/* %FALSE if the pointer is not over a cell. */
gboolean
cured_heat_map_get_hovered (CuredHeatMap *self, gsize *column, gsize *row)
{
  *column = self->hovered_column;
  *row = self->hovered_row;
  return self->is_hovered && _cured_heat_map_get_grid (self) != NULL &&
         *column < _cured_heat_map_get_grid (self)->nx &&
         *row < _cured_heat_map_get_grid (self)->ny;
}

/* @area: (out): in the coordinates of @self. Returns: %FALSE if the cell is not completely
 * visible */
gboolean
cured_heat_map_get_cell_area (CuredHeatMap *self, gsize column, gsize row, graphene_rect_t *area)
{
  CuredRect cell;
  graphene_rect_t all;

  if (!self->has_geometry)
    return FALSE;
  cured_plot_geometry_get_cell (&self->geometry, _cured_heat_map_get_grid (self), column, row,
                                &cell);
  graphene_rect_init (area, (float) cell.x, (float) cell.y, (float) cell.width,
                      (float) cell.height);
  graphene_rect_init (&all, 0, 0, (float) gtk_widget_get_width (GTK_WIDGET (self)),
                      (float) gtk_widget_get_height (GTK_WIDGET (self)));
  return graphene_rect_contains_rect (&all, area);
}

/* Shows @reason in the cell's tooltip and to screen readers. @reason: (nullable): why the cell has
 * no value. */
void
cured_heat_map_set_reason (CuredHeatMap *self, gsize column, gsize row, const char *reason)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);

  g_return_if_fail (grid != NULL);
  gsize index = row * grid->nx + column;
  if (self->reason_index == index && g_strcmp0 (self->reason, reason) == 0)
    return;
  cured_set_string (&self->reason, reason);
  self->reason_index = index;
  update_accessible (self);
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
}

/* Zooms around the keyboard cursor, which stays visible. */
void
cured_heat_map_zoom (CuredHeatMap *self, double factor)
{
  CuredRect cell;
  gsize column, row;

  if (!self->has_geometry || !_cured_heat_map_get_cursor (self, &column, &row))
    return;
  reveal_cursor (self);
  cured_plot_geometry_get_cell (&self->geometry, _cured_heat_map_get_grid (self), column, row,
                                &cell);
  zoom_at (self, factor, cell.x + cell.width / 2.0, cell.y + cell.height / 2.0);
}

/* Pans, at most to the edge of the grid. */
void
cured_heat_map_pan (CuredHeatMap *self, double by_x, double by_y)
{
  if (!self->has_geometry)
    return;
  cured_plot_geometry_pan (&self->geometry, _cured_heat_map_get_grid (self), by_x, by_y);
  invalidate_seen (self);
  fit_soon (self);
}

void
cured_heat_map_zoom_reset (CuredHeatMap *self)
{
  update_geometry (self, FALSE);
  tell_zoomed (self);
}

gboolean
cured_heat_map_is_zoomed (CuredHeatMap *self)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  return self->has_geometry && (self->geometry.visible.width < (double) grid->nx - 1e-6 ||
                                self->geometry.visible.height < (double) grid->ny - 1e-6);
}

/* Whether the colours are scaled to the visible values instead of all values. @low: (out): the
 * value at one end of the colours; NaN: none. */
gboolean
cured_heat_map_get_range (CuredHeatMap *self, double *low, double *high)
{
  *low = NAN;
  *high = NAN;
  return self->cache != NULL && cured_plot_cache_get_range (self->cache, low, high);
}
