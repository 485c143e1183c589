/* SPDX-License-Identifier: MIT
 * The heat map on screen: zoom, pan, pointer and keyboard cursor. */
#include <config.h>

#include "map/cured-heat-map.h"

#include <math.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "widgets/cured-text.h"

/* Implementation notes: the map itself is drawn by the plot module into one
 * texture, of the cells, and one Cairo node, which are kept until grid, size,
 * zoom or colours change. Cursor, selection and the cell under the pointer are
 * borders on top of it, so that moving them never draws the map again. */

#define ZOOM_STEP 1.25
/* Least side of a marked cell on screen, so that a cell of a big map that is
 * smaller than a pixel can still be found. */
#define MARK_MIN 7.0

/* A cell with a shorter side than this is narrow. */
#define NARROW 18.0

struct _CuredHeatMap
{
  GtkWidget parent_instance;

  /* Owned */
  CuredGrid *grid; /* nullable */
  CuredPlotCache *cache;
  GskRenderNode *node;

  CuredPlotStyle style;
  CuredPlotGeometry geometry;
  gboolean has_geometry;

  gsize column;
  gsize row;
  gint64 selected_cell; /* of the result, or -1 */
  gssize selected;      /* its index in the grid, or -1 */
  char *reason; /* nullable: why the cell at reason_index has no value */
  gsize reason_index;
  gboolean has_selection;
  gsize from_column; /* of the selection: where it began */
  gsize from_row;
  gsize to_column; /* and where it ends, on any side */
  gsize to_row;
  gboolean is_hovered;
  gsize hovered_column;
  gsize hovered_row;
  double pointer_x;
  double pointer_y;
  double began_x;
  double began_y;
  double dragged_x;
  double dragged_y;
  gboolean is_dragging;
  gboolean is_selecting; /* by dragging */
  double pinched;
};

enum
{
  CURSOR_MOVED,
  HOVERED,
  CELL_SELECTED,
  CELL_ACTIVATED,
  SELECTION_CHANGED,
  ZOOMED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredHeatMap, cured_heat_map, GTK_TYPE_WIDGET)

static void
invalidate (CuredHeatMap *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
update_geometry (CuredHeatMap *self, gboolean keep_visible)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  int height = gtk_widget_get_height (GTK_WIDGET (self));

  keep_visible = keep_visible && self->has_geometry;
  self->has_geometry = self->grid != NULL && width > 0 && height > 0;
  if (self->has_geometry && keep_visible)
    cured_plot_geometry_resize (
        &self->geometry, self->grid, &self->style, width, height);
  else if (self->has_geometry)
    cured_plot_geometry_init (
        &self->geometry, self->grid, &self->style, width, height);
  invalidate (self);
}

static gboolean
has_reason (CuredHeatMap *self, gsize column, gsize row)
{
  return self->reason != NULL &&
         self->reason_index == row * self->grid->nx + column;
}

static void
update_accessible (CuredHeatMap *self)
{
  g_autofree char *label = NULL;
  g_autofree char *description = NULL;
  CuredGridRect rect;

  if (self->grid == NULL)
    return;
  label = cured_text_read_out (self->grid, self->column, self->row);
  if (has_reason (self, self->column, self->row))
    {
      g_autofree char *plain = g_steal_pointer (&label);

      label = g_strdup_printf (_ ("%s: %s"), plain, self->reason);
    }
  if (cured_heat_map_get_selection (self, &rect))
    {
      g_autofree char *plain = g_steal_pointer (&label);
      g_autofree char *selection = NULL;
      CuredGridSummary summary;

      cured_grid_summarize (self->grid, &rect, &summary);
      selection = cured_text_selection (self->grid, &summary);
      label = g_strdup_printf ("%s. %s", plain, selection);
    }
  if (self->grid->y_title != NULL)
    description = g_strdup_printf (
        /* Translators: metric, parameter to the right, parameter upwards. */
        _ ("Heat map of %s over %s and %s. The arrow keys move from cell to "
           "cell, Enter shows all of a cell, B goes to the best cell."),
        _ (self->grid->metric.title),
        self->grid->x_title,
        self->grid->y_title);
  else
    description = g_strdup_printf (
        /* Translators: metric, parameter to the right. */
        _ ("Heat map of %s over %s. The arrow keys move from cell to cell, "
           "Enter shows all of a cell, B goes to the best cell."),
        _ (self->grid->metric.title),
        self->grid->x_title);
  if (self->grid->contour_values != NULL)
    {
      g_autofree char *plain = g_steal_pointer (&description);
      g_autofree char *contour = g_strdup_printf (
          /* Translators: a figure, of which lines of equal value are drawn. */
          _ ("Contours of %s."),
          _ (self->grid->contour_metric.title));

      description = g_strdup_printf ("%s %s", plain, contour);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  description,
                                  -1);
}

static void
style_changed_cb (CuredHeatMap *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  cured_plot_style_init (&self->style, adw_style_manager_get_dark (manager));
  self->style.draw_background = FALSE;
  self->style.vector = FALSE;
  /* They move with the cursor. */
  self->style.draw_marginals = FALSE;
  invalidate (self);
}

static void
find_selected (CuredHeatMap *self)
{
  gsize n_cells = self->grid != NULL ? self->grid->nx * self->grid->ny : 0;

  self->selected = -1;
  for (gsize i = 0; self->selected_cell >= 0 && i < n_cells; i++)
    if (self->grid->cells[i] == self->selected_cell)
      {
        self->selected = (gssize) i;
        break;
      }
}

/* Moves the visible part so that the cursor's cell is in it. */
static void
reveal_cursor (CuredHeatMap *self)
{
  CuredRect visible = self->geometry.visible;

  if (!self->has_geometry)
    return;
  cured_plot_geometry_reveal (
      &self->geometry, self->grid, self->column, self->row);
  if (memcmp (&visible, &self->geometry.visible, sizeof visible) != 0)
    invalidate (self);
}

static void
move_cursor_to (CuredHeatMap *self, gsize column, gsize row)
{
  self->column = column;
  self->row = row;
  /* The read-out is the cursor's until the pointer moves again. */
  self->is_hovered = FALSE;
  reveal_cursor (self);
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[CURSOR_MOVED], 0);
}

/* Selection: from the cell where it began to the one where it ends. */

static void
selection_changed (CuredHeatMap *self)
{
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

static void
clear_selection (CuredHeatMap *self)
{
  if (!self->has_selection)
    return;
  self->has_selection = FALSE;
  selection_changed (self);
}

/* From the cursor, unless the cursor is where the selection ended. */
static void
extend_selection (CuredHeatMap *self, gsize column, gsize row)
{
  if (!self->has_selection || self->to_column != self->column ||
      self->to_row != self->row)
    {
      self->from_column = self->column;
      self->from_row = self->row;
    }
  self->has_selection = TRUE;
  self->to_column = column;
  self->to_row = row;
  move_cursor_to (self, column, row);
  selection_changed (self);
}

static void
update_hovered (CuredHeatMap *self, gboolean is_inside)
{
  gsize column = 0;
  gsize row = 0;
  gboolean is_hovered = is_inside && self->has_geometry &&
                        cured_plot_geometry_pick (&self->geometry,
                                                  self->grid,
                                                  self->pointer_x,
                                                  self->pointer_y,
                                                  &column,
                                                  &row);

  if (is_hovered == self->is_hovered &&
      (!is_hovered ||
       (column == self->hovered_column && row == self->hovered_row)))
    return;
  self->is_hovered = is_hovered;
  self->hovered_column = column;
  self->hovered_row = row;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[HOVERED], 0);
}

static void
zoom_at (CuredHeatMap *self, double factor, double x, double y)
{
  if (!self->has_geometry)
    return;
  cured_plot_geometry_zoom (&self->geometry, self->grid, factor, x, y);
  invalidate (self);
  g_signal_emit (self, signals[ZOOMED], 0);
}

/* Keyboard: gtk_widget_class_add_binding() calls these. */

/* To the cell that is as many columns and rows from the cursor as @args say, or
 * to the last one on the way there. */
static gboolean
go (GtkWidget *widget,
    GVariant *args,
    void (*go_to) (CuredHeatMap *self, gsize column, gsize row))
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  gssize column;
  gssize row;
  int by_column;
  int by_row;

  if (self->grid == NULL)
    return FALSE;
  g_variant_get (args, "(ii)", &by_column, &by_row);
  column =
      CLAMP ((gssize) self->column + by_column, 0, (gssize) self->grid->nx - 1);
  row = CLAMP ((gssize) self->row + by_row, 0, (gssize) self->grid->ny - 1);
  go_to (self, (gsize) column, (gsize) row);
  return TRUE;
}

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  return go (widget, args, move_cursor_to);
}

static gboolean
extend_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  return go (widget, args, extend_selection);
}

static gboolean
select_all_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);

  if (self->grid == NULL)
    return FALSE;
  cured_heat_map_set_selection (
      self, &(CuredGridRect){ 0, 0, self->grid->nx, self->grid->ny });
  return TRUE;
}

/* Where nothing is selected, Escape is somebody else's. */
static gboolean
escape_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);

  if (!self->has_selection)
    return FALSE;
  clear_selection (self);
  return TRUE;
}

static gboolean
page_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  int direction;
  gssize step;
  gssize row;

  if (self->grid == NULL)
    return FALSE;
  g_variant_get (args, "(i)", &direction);
  step = MAX (1, (gssize) self->grid->ny / 10);
  row = CLAMP (
      (gssize) self->row + direction * step, 0, (gssize) self->grid->ny - 1);
  move_cursor_to (self, self->column, (gsize) row);
  return TRUE;
}

static gboolean
pan_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  int right;
  int up;

  if (!self->has_geometry)
    return FALSE;
  g_variant_get (args, "(ii)", &right, &up);
  cured_heat_map_pan (self,
                      -right * self->geometry.plot.width / 8.0,
                      up * self->geometry.plot.height / 8.0);
  return TRUE;
}

static gboolean
best_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  cured_heat_map_go_to_best (CURED_HEAT_MAP (widget));
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
    cured_heat_map_zoom (CURED_HEAT_MAP (widget),
                         direction > 0 ? ZOOM_STEP : 1.0 / ZOOM_STEP);
  return TRUE;
}

static gboolean
activate_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);

  if (self->grid == NULL)
    return FALSE;
  g_signal_emit (self, signals[CELL_SELECTED], 0);
  g_signal_emit (self, signals[CELL_ACTIVATED], 0);
  return TRUE;
}

/* Pointer. */

static void
motion_cb (CuredHeatMap *self, double x, double y)
{
  /* GTK tells of a motion, too, where a pointer stands and what is under it was
   * laid out anew. */
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
scroll_cb (CuredHeatMap *self,
           double dx,
           double dy,
           GtkEventControllerScroll *controller)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (controller));

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
is_shift_down (GtkEventController *controller)
{
  return (gtk_event_controller_get_current_event_state (controller) &
          GDK_SHIFT_MASK) != 0;
}

static void
released_cb (
    CuredHeatMap *self, int n_press, double x, double y, GtkGesture *gesture)
{
  gsize column;
  gsize row;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->is_dragging || !self->has_geometry ||
      !cured_plot_geometry_pick (
          &self->geometry, self->grid, x, y, &column, &row))
    return;
  if (is_shift_down (GTK_EVENT_CONTROLLER (gesture)))
    {
      extend_selection (self, column, row);
      return;
    }
  clear_selection (self);
  move_cursor_to (self, column, row);
  g_signal_emit (self, signals[CELL_SELECTED], 0);
  if (n_press == 2)
    g_signal_emit (self, signals[CELL_ACTIVATED], 0);
}

static void
drag_begin_cb (CuredHeatMap *self, double x, double y, GtkGesture *gesture)
{
  self->is_dragging = FALSE;
  self->is_selecting = is_shift_down (GTK_EVENT_CONTROLLER (gesture));
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
  cured_plot_geometry_pick (&self->geometry, self->grid, x, y, column, row);
}

static void
drag_selection (CuredHeatMap *self, double x, double y)
{
  gsize column = self->column;
  gsize row = self->row;

  pick_nearest (self, self->began_x + x, self->began_y + y, &column, &row);
  if (self->is_dragging && column == self->to_column && row == self->to_row)
    return;
  if (!self->is_dragging)
    {
      self->has_selection = TRUE;
      pick_nearest (self,
                    self->began_x,
                    self->began_y,
                    &self->from_column,
                    &self->from_row);
    }
  self->to_column = column;
  self->to_row = row;
  move_cursor_to (self, column, row);
  selection_changed (self);
}

static void
drag_update_cb (CuredHeatMap *self, double x, double y)
{
  if (!self->has_geometry ||
      (!self->is_selecting && !cured_heat_map_is_zoomed (self)))
    return;
  if (!self->is_dragging &&
      !gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int) x, (int) y))
    return;
  if (self->is_selecting)
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

/* Drawing. */

static void
snapshot_mark (CuredHeatMap *self,
               GtkSnapshot *snapshot,
               gsize column,
               gsize row,
               float width,
               const GdkRGBA *outer,
               const GdkRGBA *inner)
{
  CuredRect cell;
  graphene_rect_t bounds;
  GskRoundedRect outline;
  float widths[4] = { width, width, width, width };
  GdkRGBA outers[4] = { *outer, *outer, *outer, *outer };
  GdkRGBA inners[4] = { *inner, *inner, *inner, *inner };

  cured_plot_geometry_get_cell (
      &self->geometry, self->grid, column, row, &cell);
  if (cell.width < MARK_MIN)
    {
      cell.x -= (MARK_MIN - cell.width) / 2.0;
      cell.width = MARK_MIN;
    }
  if (cell.height < MARK_MIN)
    {
      cell.y -= (MARK_MIN - cell.height) / 2.0;
      cell.height = MARK_MIN;
    }
  graphene_rect_init (&bounds,
                      (float) cell.x,
                      (float) cell.y,
                      (float) cell.width,
                      (float) cell.height);
  /* In a narrow cell both rings go around it, so that its colour is seen. */
  if (MIN (cell.width, cell.height) < NARROW)
    graphene_rect_inset (&bounds, -width, -width);
  gsk_rounded_rect_init_from_rect (&outline, &bounds, 0.0f);
  gtk_snapshot_append_border (snapshot, &outline, widths, inners);
  graphene_rect_inset (&bounds, -width, -width);
  gsk_rounded_rect_init_from_rect (&outline, &bounds, 1.0f);
  gtk_snapshot_append_border (snapshot, &outline, widths, outers);
}

/* The selected cells: a veil of the accent's colour and an outline. */
static void
snapshot_selection (CuredHeatMap *self, GtkSnapshot *snapshot)
{
  GdkRGBA accent = { (float) self->style.accent.red,
                     (float) self->style.accent.green,
                     (float) self->style.accent.blue,
                     1.0f };
  GdkRGBA white = { 1.0f, 1.0f, 1.0f, 0.95f };
  GdkRGBA accents[4] = { accent, accent, accent, accent };
  GdkRGBA whites[4] = { white, white, white, white };
  float widths[4] = { 2.0f, 2.0f, 2.0f, 2.0f };
  graphene_rect_t bounds;
  GskRoundedRect outline;
  CuredGridRect rect;
  CuredRect first;
  CuredRect last;

  if (!cured_heat_map_get_selection (self, &rect))
    return;
  cured_plot_geometry_get_cell (&self->geometry,
                                self->grid,
                                rect.column,
                                rect.row + rect.n_rows - 1,
                                &first);
  cured_plot_geometry_get_cell (&self->geometry,
                                self->grid,
                                rect.column + rect.n_columns - 1,
                                rect.row,
                                &last);
  graphene_rect_init (&bounds,
                      (float) first.x,
                      (float) first.y,
                      (float) (last.x + last.width - first.x),
                      (float) (last.y + last.height - first.y));
  accent.alpha = 0.18f;
  gtk_snapshot_append_color (snapshot, &accent, &bounds);
  gsk_rounded_rect_init_from_rect (&outline, &bounds, 0.0f);
  gtk_snapshot_append_border (snapshot, &outline, widths, whites);
  graphene_rect_inset (&bounds, -2.0f, -2.0f);
  gsk_rounded_rect_init_from_rect (&outline, &bounds, 1.0f);
  gtk_snapshot_append_border (snapshot, &outline, widths, accents);
}

/* Along the row and the column of the cell under the pointer or, without one,
 * of the cursor. */
static void
snapshot_marginals (CuredHeatMap *self, GtkSnapshot *snapshot)
{
  const CuredRect *parts[] = { &self->geometry.along_x,
                               &self->geometry.along_y };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      /* The upper part goes on to the edge: its notes are in the corner. */
      double width =
          i == 0 ? self->geometry.width - parts[i]->x - 1 : parts[i]->width;
      cairo_t *cr;

      if (parts[i]->width < 1 || parts[i]->height < 1)
        return;
      cr = gtk_snapshot_append_cairo (
          snapshot,
          &GRAPHENE_RECT_INIT ((float) parts[i]->x,
                               (float) parts[i]->y,
                               (float) width,
                               (float) parts[i]->height));
      cured_plot_draw_marginals (
          cr,
          self->grid,
          self->cache,
          &self->geometry,
          &self->style,
          self->is_hovered ? self->hovered_column : self->column,
          self->is_hovered ? self->hovered_row : self->row);
      cairo_destroy (cr);
    }
}

/* A GPU takes the cells as a texture. Where GTK draws with Cairo, a texture is
 * copied once more for each frame, which costs more than all the rest of a map
 * of a million cells; there they are drawn with the rest. */
static gboolean
uses_texture (CuredHeatMap *self)
{
  GtkNative *native = gtk_widget_get_native (GTK_WIDGET (self));

  return native != NULL &&
         !GSK_IS_CAIRO_RENDERER (gtk_native_get_renderer (native));
}

/* The cells' colours, as many pixels as the screen has there. */
static void
snapshot_cells (CuredHeatMap *self, GtkSnapshot *snapshot)
{
  const CuredRect *plot = &self->geometry.plot;
  g_autoptr (GBytes) pixels = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  int width;
  int height;

  pixels =
      cured_plot_render_cells (self->grid,
                               self->cache,
                               &self->geometry,
                               &self->style,
                               gtk_widget_get_scale_factor (GTK_WIDGET (self)),
                               &width,
                               &height);
  if (pixels == NULL)
    return;
  texture = gdk_memory_texture_new (
      width, height, GDK_MEMORY_DEFAULT, pixels, (gsize) width * 4);
  gtk_snapshot_append_texture (snapshot,
                               texture,
                               &GRAPHENE_RECT_INIT ((float) plot->x,
                                                    (float) plot->y,
                                                    (float) plot->width,
                                                    (float) plot->height));
}

/* A line has few points: it is drawn anew each time, marks and all. */
static void
snapshot_line (CuredHeatMap *self, GtkSnapshot *snapshot)
{
  GtkWidget *widget = GTK_WIDGET (self);
  CuredPlotCursor cursor = { self->is_hovered, self->hovered_column, 0 };
  CuredPlotCursor selection = { self->selected >= 0,
                                (gsize) MAX (self->selected, 0),
                                0 };
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot,
      &GRAPHENE_RECT_INIT (0,
                           0,
                           (float) gtk_widget_get_width (widget),
                           (float) gtk_widget_get_height (widget)));

  if (!self->is_hovered && gtk_widget_has_focus (widget))
    cursor = (CuredPlotCursor){ TRUE, self->column, 0 };
  if (self->cache == NULL)
    self->cache = cured_plot_cache_new (self->grid);
  cured_plot_draw (cr,
                   self->grid,
                   self->cache,
                   &self->geometry,
                   &self->style,
                   &cursor,
                   &selection);
  cairo_destroy (cr);
  snapshot_selection (self, snapshot);
}

static void
cured_heat_map_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  static const GdkRGBA black = { 0.0f, 0.0f, 0.0f, 0.85f };
  static const GdkRGBA white = { 1.0f, 1.0f, 1.0f, 0.95f };
  static const GdkRGBA veil = { 1.0f, 1.0f, 1.0f, 0.7f };
  const CuredRect *plot = &self->geometry.plot;
  graphene_rect_t clip;

  if (!self->has_geometry)
    return;

  if (cured_grid_is_line (self->grid))
    {
      snapshot_line (self, snapshot);
      return;
    }

  if (self->node == NULL)
    {
      GtkSnapshot *map = gtk_snapshot_new ();
      cairo_t *cr;

      if (self->cache == NULL)
        self->cache = cured_plot_cache_new (self->grid);
      self->style.draw_cells = !uses_texture (self);
      if (!self->style.draw_cells)
        snapshot_cells (self, map);
      cr = gtk_snapshot_append_cairo (
          map,
          &GRAPHENE_RECT_INIT (0,
                               0,
                               (float) gtk_widget_get_width (widget),
                               (float) gtk_widget_get_height (widget)));
      cured_plot_draw (cr,
                       self->grid,
                       self->cache,
                       &self->geometry,
                       &self->style,
                       NULL,
                       NULL);
      cairo_destroy (cr);
      self->node = gtk_snapshot_free_to_node (map);
    }
  if (self->node != NULL)
    gtk_snapshot_append_node (snapshot, self->node);
  snapshot_marginals (self, snapshot);

  clip = GRAPHENE_RECT_INIT ((float) plot->x - 4.0f,
                             (float) plot->y - 4.0f,
                             (float) plot->width + 8.0f,
                             (float) plot->height + 8.0f);
  gtk_snapshot_push_clip (snapshot, &clip);
  snapshot_selection (self, snapshot);
  if (self->is_hovered)
    snapshot_mark (self,
                   snapshot,
                   self->hovered_column,
                   self->hovered_row,
                   1.0f,
                   &veil,
                   &black);
  if (self->selected >= 0)
    snapshot_mark (self,
                   snapshot,
                   (gsize) self->selected % self->grid->nx,
                   (gsize) self->selected / self->grid->nx,
                   2.0f,
                   &black,
                   &white);
  if (gtk_widget_has_focus (widget))
    {
      GdkRGBA accent = { (float) self->style.accent.red,
                         (float) self->style.accent.green,
                         (float) self->style.accent.blue,
                         1.0f };

      snapshot_mark (
          self, snapshot, self->column, self->row, 2.0f, &accent, &white);
    }
  gtk_snapshot_pop (snapshot);
}

static void
cured_heat_map_size_allocate (GtkWidget *widget,
                              int width,
                              int height,
                              int baseline)
{
  update_geometry (CURED_HEAT_MAP (widget), TRUE);
}

static void
cured_heat_map_measure (GtkWidget *widget,
                        GtkOrientation orientation,
                        int for_size,
                        int *minimum,
                        int *natural,
                        int *minimum_baseline,
                        int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 280 : 180;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 560 : 360;
}

static gboolean
cured_heat_map_query_tooltip (
    GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  CuredHeatMap *self = CURED_HEAT_MAP (widget);
  gsize column = self->column;
  gsize row = self->row;
  g_autofree char *text = NULL;
  CuredRect cell;

  if (!self->has_geometry || self->reason == NULL)
    return FALSE;
  if (!keyboard && !cured_plot_geometry_pick (
                       &self->geometry, self->grid, x, y, &column, &row))
    return FALSE;
  if (!has_reason (self, column, row))
    return FALSE;
  text = cured_text_read_out (self->grid, column, row);
  cured_plot_geometry_get_cell (
      &self->geometry, self->grid, column, row, &cell);
  gtk_tooltip_set_tip_area (tooltip,
                            &(GdkRectangle){ (int) cell.x,
                                             (int) cell.y,
                                             (int) ceil (cell.width),
                                             (int) ceil (cell.height) });
  {
    g_autofree char *both = g_strdup_printf ("%s\n%s", text, self->reason);

    gtk_tooltip_set_text (tooltip, both);
  }
  return TRUE;
}

static void
cured_heat_map_dispose (GObject *object)
{
  CuredHeatMap *self = CURED_HEAT_MAP (object);

  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->cache, cured_plot_cache_free);
  g_clear_pointer (&self->grid, cured_grid_free);
  g_clear_pointer (&self->reason, g_free);
  self->has_geometry = FALSE;
  G_OBJECT_CLASS (cured_heat_map_parent_class)->dispose (object);
}

static void
add_binding (GtkWidgetClass *klass,
             guint key,
             GdkModifierType modifiers,
             GtkShortcutFunc func,
             int first,
             int second)
{
  gtk_widget_class_add_binding (
      klass, key, modifiers, func, "(ii)", first, second);
}

static void
add_bindings (GtkWidgetClass *klass)
{
  static const struct
  {
    guint keys[2];
    int column;
    int row;
  } arrows[] = {
    { { GDK_KEY_Left, GDK_KEY_KP_Left }, -1, 0 },
    { { GDK_KEY_Right, GDK_KEY_KP_Right }, 1, 0 },
    { { GDK_KEY_Up, GDK_KEY_KP_Up }, 0, 1 },
    { { GDK_KEY_Down, GDK_KEY_KP_Down }, 0, -1 },
  };
  /* Farther than any axis is long. */
  const int far = CURED_AXIS_MAX_VALUES;

  for (gsize i = 0; i < G_N_ELEMENTS (arrows); i++)
    for (gsize k = 0; k < 2; k++)
      {
        guint key = arrows[i].keys[k];
        int column = arrows[i].column;
        int row = arrows[i].row;

        add_binding (klass, key, 0, move_cb, column, row);
        add_binding (
            klass, key, GDK_CONTROL_MASK, move_cb, column * far, row * far);
        add_binding (klass, key, GDK_SHIFT_MASK, extend_cb, column, row);
        add_binding (
            klass, key, GDK_SHIFT_MASK | GDK_CONTROL_MASK, pan_cb, column, row);
      }
  gtk_widget_class_add_binding (
      klass, GDK_KEY_a, GDK_CONTROL_MASK, select_all_cb, NULL);
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
  gtk_widget_class_add_binding (
      klass, GDK_KEY_Page_Down, 0, page_cb, "(i)", -1);

  gtk_widget_class_add_binding (klass, GDK_KEY_Return, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_Enter, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_space, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_b, 0, best_cb, NULL);

  gtk_widget_class_add_binding (klass, GDK_KEY_plus, 0, zoom_cb, "(i)", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_equal, 0, zoom_cb, "(i)", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_Add, 0, zoom_cb, "(i)", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_minus, 0, zoom_cb, "(i)", -1);
  gtk_widget_class_add_binding (
      klass, GDK_KEY_KP_Subtract, 0, zoom_cb, "(i)", -1);
  gtk_widget_class_add_binding (klass, GDK_KEY_0, 0, zoom_cb, "(i)", 0);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_0, 0, zoom_cb, "(i)", 0);

  gtk_widget_class_add_binding_action (
      klass, GDK_KEY_c, GDK_CONTROL_MASK, "win.copy-cell", NULL);
}

static void
cured_heat_map_class_init (CuredHeatMapClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  static const char *const names[N_SIGNALS] = {
    "cursor-moved",   "hovered",           "cell-selected",
    "cell-activated", "selection-changed", "zoomed",
  };

  object_class->dispose = cured_heat_map_dispose;
  widget_class->snapshot = cured_heat_map_snapshot;
  widget_class->size_allocate = cured_heat_map_size_allocate;
  widget_class->measure = cured_heat_map_measure;
  widget_class->query_tooltip = cured_heat_map_query_tooltip;

  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i],
                               CURED_TYPE_HEAT_MAP,
                               G_SIGNAL_RUN_LAST,
                               0,
                               NULL,
                               NULL,
                               NULL,
                               G_TYPE_NONE,
                               0);

  gtk_widget_class_set_css_name (widget_class, "heatmap");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  add_bindings (widget_class);
}

static void
cured_heat_map_init (CuredHeatMap *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *controller;
  GtkGesture *drag;
  GtkGesture *click;

  self->selected_cell = -1;
  self->selected = -1;
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_has_tooltip (widget, TRUE);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_widget_set_vexpand (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);

  controller = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (controller, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (controller, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (controller, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (widget, controller);

  controller =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect_swapped (controller, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (widget, controller);

  controller = gtk_event_controller_focus_new ();
  g_signal_connect_swapped (
      controller, "enter", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (
      controller, "leave", G_CALLBACK (gtk_widget_queue_draw), self);
  gtk_widget_add_controller (widget, controller);

  drag = gtk_gesture_drag_new ();
  g_signal_connect_swapped (
      drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (
      drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));

  click = gtk_gesture_click_new ();
  g_signal_connect_swapped (click, "released", G_CALLBACK (released_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_gesture_group (click, drag);

  click = gtk_gesture_zoom_new ();
  g_signal_connect_swapped (click, "begin", G_CALLBACK (pinch_begin_cb), self);
  g_signal_connect_swapped (
      click, "scale-changed", G_CALLBACK (pinch_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));

  g_signal_connect_object (adw_style_manager_get_default (),
                           "notify::dark",
                           G_CALLBACK (style_changed_cb),
                           self,
                           G_CONNECT_SWAPPED);
  style_changed_cb (self);
}

/**
 * cured_heat_map_new:
 *
 * Creates an empty map.
 *
 * Returns: (transfer floating): the widget
 */
GtkWidget *
cured_heat_map_new (void)
{
  return g_object_new (CURED_TYPE_HEAT_MAP, NULL);
}

/**
 * cured_heat_map_set_grid:
 * @self: a heat map
 * @grid: (transfer full) (nullable): what to show
 *
 * Shows another grid. Zoom and cursor stay where they are if the new grid has
 * the size of the old one.
 */
void
cured_heat_map_set_grid (CuredHeatMap *self, CuredGrid *grid)
{
  gboolean is_same_size;

  g_return_if_fail (CURED_IS_HEAT_MAP (self));

  is_same_size = self->grid != NULL && grid != NULL &&
                 self->grid->nx == grid->nx && self->grid->ny == grid->ny;
  g_clear_pointer (&self->cache, cured_plot_cache_free);
  g_clear_pointer (&self->grid, cured_grid_free);
  self->grid = grid;
  if (!is_same_size)
    {
      self->column = 0;
      self->row = 0;
      self->is_hovered = FALSE;
      clear_selection (self);
    }
  g_clear_pointer (&self->reason, g_free);
  find_selected (self);
  update_geometry (self, is_same_size);
  update_accessible (self);
}

/**
 * cured_heat_map_get_grid:
 * @self: a heat map
 *
 * Returns: (transfer none) (nullable): what is shown
 */
const CuredGrid *
cured_heat_map_get_grid (CuredHeatMap *self)
{
  g_return_val_if_fail (CURED_IS_HEAT_MAP (self), NULL);
  return self->grid;
}

/**
 * cured_heat_map_get_cursor:
 * @self: a heat map
 * @column: (out): where the keyboard cursor is
 * @row: (out): likewise, from the bottom
 *
 * Returns: %FALSE where there is no grid, and so no cursor
 */
gboolean
cured_heat_map_get_cursor (CuredHeatMap *self, gsize *column, gsize *row)
{
  g_return_val_if_fail (CURED_IS_HEAT_MAP (self), FALSE);
  *column = self->column;
  *row = self->row;
  return self->grid != NULL;
}

/**
 * cured_heat_map_set_cursor:
 * @self: a heat map with a grid
 * @column: inside the grid
 * @row: inside the grid
 *
 * Moves the keyboard cursor, and the visible part with it where need be.
 */
void
cured_heat_map_set_cursor (CuredHeatMap *self, gsize column, gsize row)
{
  g_return_if_fail (CURED_IS_HEAT_MAP (self));
  g_return_if_fail (self->grid != NULL);
  g_return_if_fail (column < self->grid->nx && row < self->grid->ny);
  move_cursor_to (self, column, row);
}

/**
 * cured_heat_map_get_hovered:
 * @self: a heat map
 * @column: (out): of the cell under the pointer
 * @row: (out): likewise, from the bottom
 *
 * Returns: %FALSE where the pointer is over no cell
 */
gboolean
cured_heat_map_get_hovered (CuredHeatMap *self, gsize *column, gsize *row)
{
  g_return_val_if_fail (CURED_IS_HEAT_MAP (self), FALSE);
  *column = self->hovered_column;
  *row = self->hovered_row;
  return self->is_hovered && self->grid != NULL;
}

/**
 * cured_heat_map_set_selected:
 * @self: a heat map
 * @cell: a cell of the result, or -1
 *
 * Marks the cell whose details are shown, where the grid has it.
 */
void
cured_heat_map_set_selected (CuredHeatMap *self, gint64 cell)
{
  g_return_if_fail (CURED_IS_HEAT_MAP (self));
  self->selected_cell = cell;
  find_selected (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * cured_heat_map_get_selection:
 * @self: a heat map
 * @rect: (out caller-allocates): the cells that are selected
 *
 * Returns: %FALSE where no rectangle of cells is selected; @rect is then
 *   unchanged
 */
gboolean
cured_heat_map_get_selection (CuredHeatMap *self, CuredGridRect *rect)
{
  g_return_val_if_fail (CURED_IS_HEAT_MAP (self), FALSE);
  if (!self->has_selection || self->grid == NULL)
    return FALSE;
  *rect = (CuredGridRect){
    .column = MIN (self->from_column, self->to_column),
    .row = MIN (self->from_row, self->to_row),
    .n_columns = MAX (self->from_column, self->to_column) -
                 MIN (self->from_column, self->to_column) + 1,
    .n_rows = MAX (self->from_row, self->to_row) -
              MIN (self->from_row, self->to_row) + 1,
  };
  return TRUE;
}

/**
 * cured_heat_map_set_selection:
 * @self: a heat map with a grid
 * @rect: (nullable): cells of the grid; %NULL selects none
 *
 * Selects a rectangle of cells. The cursor stays where it is.
 */
void
cured_heat_map_set_selection (CuredHeatMap *self, const CuredGridRect *rect)
{
  g_return_if_fail (CURED_IS_HEAT_MAP (self));

  if (rect == NULL)
    {
      clear_selection (self);
      return;
    }
  g_return_if_fail (self->grid != NULL);
  g_return_if_fail (rect->n_columns > 0 && rect->n_rows > 0 &&
                    rect->column + rect->n_columns <= self->grid->nx &&
                    rect->row + rect->n_rows <= self->grid->ny);
  self->has_selection = TRUE;
  self->from_column = rect->column;
  self->from_row = rect->row;
  self->to_column = rect->column + rect->n_columns - 1;
  self->to_row = rect->row + rect->n_rows - 1;
  selection_changed (self);
}

/**
 * cured_heat_map_set_reason:
 * @self: a heat map with a grid
 * @column: of a cell
 * @row: likewise
 * @reason: (nullable): why the cell has no value
 *
 * Shows @reason as the cell's tooltip, and tells it to screen readers.
 */
void
cured_heat_map_set_reason (CuredHeatMap *self,
                           gsize column,
                           gsize row,
                           const char *reason)
{
  gsize index;

  g_return_if_fail (CURED_IS_HEAT_MAP (self));
  g_return_if_fail (self->grid != NULL);
  index = row * self->grid->nx + column;
  if (self->reason_index == index && g_strcmp0 (self->reason, reason) == 0)
    return;
  g_free (self->reason);
  self->reason = g_strdup (reason);
  self->reason_index = index;
  update_accessible (self);
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
}

/**
 * cured_heat_map_zoom:
 * @self: a heat map
 * @factor: over 1 shows fewer cells
 *
 * Zooms around the keyboard cursor, so that it stays in sight.
 */
void
cured_heat_map_zoom (CuredHeatMap *self, double factor)
{
  CuredRect cell;

  g_return_if_fail (CURED_IS_HEAT_MAP (self));
  if (!self->has_geometry)
    return;
  reveal_cursor (self);
  cured_plot_geometry_get_cell (
      &self->geometry, self->grid, self->column, self->row, &cell);
  zoom_at (self, factor, cell.x + cell.width / 2.0, cell.y + cell.height / 2.0);
}

/**
 * cured_heat_map_pan:
 * @self: a heat map
 * @by_x: units that the cells move to the right
 * @by_y: units that the cells move downwards
 *
 * Moves what is seen of the grid, up to its edge.
 */
void
cured_heat_map_pan (CuredHeatMap *self, double by_x, double by_y)
{
  g_return_if_fail (CURED_IS_HEAT_MAP (self));
  if (!self->has_geometry)
    return;
  cured_plot_geometry_pan (&self->geometry, self->grid, by_x, by_y);
  invalidate (self);
}

/**
 * cured_heat_map_zoom_reset:
 * @self: a heat map
 *
 * Shows all cells.
 */
void
cured_heat_map_zoom_reset (CuredHeatMap *self)
{
  g_return_if_fail (CURED_IS_HEAT_MAP (self));
  update_geometry (self, FALSE);
  g_signal_emit (self, signals[ZOOMED], 0);
}

/**
 * cured_heat_map_is_zoomed:
 * @self: a heat map
 *
 * Returns: whether some cells are out of sight
 */
gboolean
cured_heat_map_is_zoomed (CuredHeatMap *self)
{
  g_return_val_if_fail (CURED_IS_HEAT_MAP (self), FALSE);
  return self->has_geometry &&
         (self->geometry.visible.width < (double) self->grid->nx - 1e-6 ||
          self->geometry.visible.height < (double) self->grid->ny - 1e-6);
}

/**
 * cured_heat_map_go_to_best:
 * @self: a heat map
 *
 * Moves the keyboard cursor to the best cell, where there is one.
 */
void
cured_heat_map_go_to_best (CuredHeatMap *self)
{
  g_return_if_fail (CURED_IS_HEAT_MAP (self));
  if (self->grid == NULL || self->grid->best < 0)
    return;
  move_cursor_to (self,
                  (gsize) self->grid->best % self->grid->nx,
                  (gsize) self->grid->best / self->grid->nx);
}
