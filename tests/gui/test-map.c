/* SPDX-License-Identifier: MIT
 * The heat map and its details in the real window, by keyboard and pointer. */
#include <math.h>
#include <string.h>

#include "banks/cured-gui-banks.h"
#include "map/cured-gui-map.h"
#include "gui-test.h"
#include "make-result.h"
#include "plot/map/cured-grid-internal.h"
#include "store/cured-store-internal.h"

static CuredHeatMap *
get_map (CuredWindow *window)
{
  return cured_result_page_get_map (get_page (window));
}

static const CuredGrid *
get_grid (CuredWindow *window)
{
  return cured_map_view_get_grid (get_view (window));
}

static void
assert_selection (CuredWindow *window, gsize column, gsize row, gsize width, gsize height)
{
  CuredGridRect rect;

  assert_soon (cured_map_view_get_selection (get_view (window), &rect) && rect.column == column &&
               rect.row == row && rect.n_columns == width && rect.n_rows == height);
}

TEST ("/map/selection")
{
  CuredWindow *window = open_result ("sizes.cured");
  const CuredGrid *grid = get_grid (window);
  CuredSelectedAxis x, y;
  CuredGridRect rect;

  assert_soon_not (cured_map_view_get_selection (get_view (window), &rect));
  assert_soon_null (cured_map_view_get_selected_cells (get_view (window)));

  press ("ctrl+Left ctrl+Down Right Up");
  press ("shift+Right shift+Right shift+Up");
  assert_selection (window, 1, 1, 3, 2);
  g_autoptr (GArray) cells = cured_map_view_get_selected_cells (get_view (window));
  assert_soon_cmpuint (cells->len, ==, 6);
  for (guint i = 0; i < 6; i++)
    assert_soon_cmpint (g_array_index (cells, gint64, i), ==,
                        grid->cells[(1 + i / 3) * grid->nx + 1 + i % 3]);
  assert_soon (cured_map_view_get_selection_axes (get_view (window), &x, &y));
  assert_soon_cmpuint (x.axis, ==, cured_map_view_get_view (get_view (window))->x_axis);
  assert_soon_cmpuint (y.axis, ==, cured_map_view_get_view (get_view (window))->y_axis);
  assert_soon_cmpuint (x.first, ==, 1);
  assert_soon_cmpuint (x.last, ==, 3);
  assert_soon_cmpint (x.least, ==, cured_axis_get_value (grid->x_values, 1));
  assert_soon_cmpint (x.most, ==, cured_axis_get_value (grid->x_values, 3));
  assert_soon_cmpint (y.least, ==, cured_axis_get_value (grid->y_values, 1));
  assert_soon_cmpint (y.most, ==, cured_axis_get_value (grid->y_values, 2));

  /* Back over the beginning; another slice keeps it; Escape clears it. */
  press ("shift+Left shift+Left shift+Left");
  assert_selection (window, 0, 1, 2, 2);
  shoot ("map-selection");
  gtk_range_set_value (
      GTK_RANGE (gtk_grid_get_child_at (GTK_GRID (get (get (window, "slices"), "grid")), 1, 0)),
      1.0);
  settle ();
  assert_selection (window, 0, 1, 2, 2);
  press ("Escape");
  assert_soon_not (cured_map_view_get_selection (get_view (window), &rect));
  assert_soon_not (cured_map_view_get_selection_axes (get_view (window), &x, &y));

  press ("ctrl+a");
  grid = get_grid (window);
  assert_selection (window, 0, 0, grid->nx, grid->ny);
  /* Other axes are other cells. */
  press ("ctrl+shift+a");
  assert_soon_not (cured_map_view_get_selection (get_view (window), &rect));
}

static gboolean
shows_metric (CuredWindow *window, const char *part)
{
  CuredMapView *view = get_view (window);
  gsize metric = cured_map_view_get_view (view)->metric;
  g_autofree char *title = cured_text_metric_of (
      cured_map_view_get_result (view),
      &cured_result_get_metrics (cured_map_view_get_result (view), NULL)[metric]);

  return strstr (title, part) != NULL;
}

/* A copy of a recording that does not say what limits its cells. */
static CuredWindow *
open_unexplained (const char *name)
{
  g_autofree char *recorded = g_build_filename (g_getenv ("CURED_TEST_RESULTS"), name, NULL);
  g_autofree char *path = in_folder (name);

  copy_unexplained (recorded, path);
  return open_path (path);
}

static GtkWidget *
get_popover_of_focus (CuredWindow *window)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));

  return focus != NULL ? gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) : NULL;
}

/* Any part of a metric's name finds it in the long list, also one with a space. */
TEST ("/map/metric-search")
{
  static const struct
  {
    const char *keys, *text, *found;
  } rows[] = { { "b l o c k", "block", "block" }, { "p e r space e l", "per el", "per element" } };
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_RESULTS"), "matmul-tiled-h200.cured", NULL);
  CuredWindow *window = open_path (path);

  assert_soon (gtk_drop_down_get_enable_search (GTK_DROP_DOWN (get (get_page (window), "metric"))));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GtkWidget *list = NULL;

      assert_soon_not (shows_metric (window, rows[i].found));
      press ("alt+m");
      /* Keys that come before the list has the focus are another's. */
      assert_soon_nonnull (list = get_popover_of_focus (window));
      press (rows[i].keys);
      assert_soon_cmpstr (gtk_editable_get_text (GTK_EDITABLE (get (list, "GtkSearchEntry"))), ==,
                          rows[i].text);
      settle ();
      shoot ("map-metric-search");
      press ("Down Return");
      assert_soon (shows_metric (window, rows[i].found));
    }
  close_window (window);
}

static const char *
get_label (CuredWindow *window, const char *id)
{
  return gtk_label_get_label (GTK_LABEL (get (window, id)));
}

/* Shift and the pointer, over the middles of cells. */
static void
move_pointer (CuredWindow *window, gsize column, gsize row)
{
  CuredHeatMap *map = get_map (window);
  const CuredGrid *grid = get_grid (window);
  CuredPlotStyle style;
  CuredPlotGeometry geometry;
  CuredRect cell;

  /* Laid out as the widget does it: the same function, the same size. */
  cured_plot_style_init (&style, FALSE);
  cured_plot_geometry_init (&geometry, grid, &style, gtk_widget_get_width (GTK_WIDGET (map)),
                            gtk_widget_get_height (GTK_WIDGET (map)));
  cured_plot_geometry_get_cell (&geometry, grid, column, row, &cell);
  move_pointer_to (GTK_WIDGET (map), cell.x + cell.width / 2, cell.y + cell.height / 2);
}

/* The cursor is there, and so are the details. */
static void
assert_cursor_shown (CuredWindow *window, gsize column, gsize row)
{
  const CuredGrid *grid = get_grid (window);
  gint64 cell = grid->cells[row * grid->nx + column];
  gsize at_column, at_row;

  assert_soon (cured_map_view_get_cursor (get_view (window), &at_column, &at_row) &&
               at_column == column && at_row == row);
  assert_soon_cmpint (cured_map_view_get_cell (get_view (window)), ==, cell);
  g_autofree char *values =
      cured_text_values (cured_map_view_get_result (get_view (window)), cell, FALSE);
  assert_soon_cmpstr (gtk_label_get_label (GTK_LABEL (get (get (window, "details"), "title"))), ==,
                      values);
}

/* The menu that belongs to the map. */
static GtkWidget *
find_menu (CuredWindow *window)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (get_map (window))); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER_MENU (child))
      return child;
  return NULL;
}

/* Whether the menu's item that has the keys has such a word. */
static gboolean
is_focused (CuredWindow *window, const char *word)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));
  g_autofree char *text = NULL;

  if (focus == NULL || g_object_class_find_property (G_OBJECT_GET_CLASS (focus), "text") == NULL)
    return FALSE;
  g_object_get (focus, "text", &text, NULL);
  return text != NULL && strstr (text, word) != NULL;
}

TEST ("/map/menu")
{
  CuredWindow *window = open_result ("small.cured");
  CuredGridRect rect;

  press ("ctrl+Left ctrl+Down Right Up");
  assert_cursor_shown (window, 1, 1);
  assert_soon_null (find_menu (window));
  press ("Menu");
  GtkWidget *menu = find_menu (window);
  assert_soon_nonnull (menu);
  assert_soon (is_mapped (menu));
  shoot ("map-menu");
  press ("Escape");
  assert_soon (is_unmapped (menu));
  /* The map has the keys again. */
  press ("Right");
  assert_cursor_shown (window, 2, 1);
  press ("shift+F10");
  assert_soon (is_mapped (menu));
  press ("Escape");
  assert_soon (is_unmapped (menu));

  /* The right button moves the cursor, and keeps the cells that are selected where it is one of
   * them. */
  cured_map_view_set_selection (
      get_view (window), &(CuredGridRect){ .column = 1, .row = 1, .n_columns = 2, .n_rows = 2 });
  move_pointer (window, 2, 2);
  xdotool ("click 3");
  assert_soon (is_mapped (menu));
  assert_cursor_shown (window, 2, 2);
  assert_selection (window, 1, 1, 2, 2);

  /* Down to the banks, which leads there. */
  for (int i = 0; i < 6 && !is_focused (window, "Banks"); i++)
    press ("Down");
  assert_soon (is_focused (window, "Banks"));
  press ("Return");
  assert_soon (is_unmapped (GTK_WIDGET (get_map (window))));
  assert_soon_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (get (window, "views"))), ==, "banks");
  close_window (window);

  /* Elsewhere, nothing is selected any more. */
  window = open_result ("small.cured");
  cured_map_view_set_selection (
      get_view (window), &(CuredGridRect){ .column = 1, .row = 1, .n_columns = 2, .n_rows = 2 });
  move_pointer (window, 3, 1);
  xdotool ("click 3");
  assert_soon (is_mapped (find_menu (window)));
  assert_cursor_shown (window, 3, 1);
  assert_soon_not (cured_map_view_get_selection (get_view (window), &rect));
  press ("Escape");
}

/* What is zoomed into is moved with the middle button, or with Ctrl. */
TEST ("/map/pan")
{
  static const char *const down[] = { "mousedown 2", "keydown ctrl mousedown 1" };
  static const char *const up[] = { "mouseup 2", "mouseup 1 keyup ctrl" };
  CuredWindow *window = open_result ("small.cured");
  CuredHeatMap *map = get_map (window);
  CuredGridRect rect;
  gsize before[2], after[2];

  cured_map_view_set_cursor (get_view (window), 2, 2);
  cured_heat_map_zoom (map, 2.0);
  settle ();
  for (gsize i = 0; i < G_N_ELEMENTS (down); i++)
    {
      move_pointer (window, 2, 2);
      assert_soon (cured_heat_map_get_hovered (map, &before[0], &before[1]));
      xdotool (down[i]);
      xdotool ("mousemove_relative --sync 40 30");
      xdotool ("mousemove_relative --sync 60 30");
      /* The cell under the pointer goes with it. */
      assert_soon (cured_heat_map_get_hovered (map, &after[0], &after[1]));
      xdotool (up[i]);
      assert_soon_cmpuint (before[0], ==, after[0]);
      assert_soon_cmpuint (before[1], ==, after[1]);
      cured_heat_map_pan (map, -100.0, -60.0);
      settle ();
    }
  assert_soon_not (cured_map_view_get_selection (get_view (window), &rect));
}

TEST ("/map/pointer")
{
  CuredWindow *window = open_result ("small.cured");
  CuredGridRect rect;
  gsize column, row;

  move_pointer (window, 1, 1);
  assert_soon (cured_heat_map_get_hovered (get_map (window), &column, &row) && column == 1 &&
               row == 1);
  int map_height = gtk_widget_get_height (GTK_WIDGET (get_map (window)));
  xdotool ("mousedown 1");
  move_pointer (window, 2, 2);
  move_pointer (window, 4, 3);
  xdotool ("mouseup 1");
  assert_selection (window, 1, 1, 4, 3);
  assert_soon (gtk_widget_get_mapped (get (window, "selection_bar")));
  /* It lies over the map, which stays as large as it was. */
  assert_soon_cmpint (gtk_widget_get_height (GTK_WIDGET (get_map (window))), ==, map_height);
  assert_cursor_shown (window, 4, 3);
  shoot ("map-dragged");
  assert_soon_nonnull (strstr (get_label (window, "selection"), "12 cells"));
  assert_soon_nonnull (strstr (get_label (window, "selection"), " selected: "));

  /* A click elsewhere selects that one cell, and no rectangle. */
  move_pointer (window, 0, 0);
  xdotool ("click 1");
  assert_soon_not (cured_map_view_get_selection (get_view (window), &rect));
  assert_soon_not (gtk_widget_get_mapped (get (window, "selection_bar")));
  /* With Shift, from the cursor to here. */
  move_pointer (window, 2, 1);
  xdotool ("keydown shift click 1 keyup shift");
  assert_selection (window, 0, 0, 3, 2);
  gtk_widget_activate (get (window, "clear_selection"));
  settle ();
  assert_soon_not (cured_map_view_get_selection (get_view (window), &rect));
}

/* While cells come in, the panned view stays, and the cell under the pointer is named. */
TEST ("/map/live")
{
  CuredWindow *window = open_result ("small.cured");
  CuredHeatMap *map = get_map (window);
  CuredResult *result = cured_map_view_get_result (get_view (window));
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  gsize column, row, new_column, new_row;

  cured_map_view_set_cursor (get_view (window), 0, 0);
  cured_heat_map_zoom (map, 4.0);
  cured_heat_map_pan (map, -400.0, 200.0);
  xdotool ("mousemove 2 2");
  move_pointer (window, 2, 2);
  assert_soon (cured_heat_map_get_hovered (map, &column, &row));
  g_autofree char *read_out = g_strdup (get_label (window, "read_out"));

  outcome->state = CURED_STATE_OK;
  outcome->metrics[CURED_METRIC_time] = 12345.0;
  cured_result_set_outcome (result, get_grid (window)->cells[0], outcome);
  assert_soon (get_grid (window)->values[0] == 12345.0);
  assert_soon (cured_heat_map_get_hovered (map, &new_column, &new_row));
  assert_soon_cmpuint (new_column, ==, column);
  assert_soon_cmpuint (new_row, ==, row);
  assert_soon_cmpstr (get_label (window, "read_out"), ==, read_out);
  /* The pointer is still over the same cell. */
  xdotool ("mousemove_relative --sync 1 0");
  assert_soon (cured_heat_map_get_hovered (map, &new_column, &new_row));
  assert_soon_cmpuint (new_column, ==, column);
  assert_soon_cmpuint (new_row, ==, row);
}

static gboolean
tells_threads (gpointer label)
{
  return strstr (gtk_label_get_label (label), "2048") != NULL &&
         strstr (gtk_label_get_label (label), "1024") != NULL;
}

/* The reason why a cell can't be launched is shown on it, and read once. */
TEST ("/map/reason")
{
  CuredWindow *window = open_result ("small.cured");
  const CuredGrid *grid = get_grid (window);
  GtkWidget *read_out = get (window, "read_out");

  /* A window under the pointer would describe that cell. */
  xdotool ("mousemove 2 2");
  press ("ctrl+Right ctrl+Down");
  assert_soon_cmpuint (grid->states[grid->nx - 1], ==, CURED_STATE_NOT_LAUNCHABLE);
  assert_soon (tells_threads (read_out));
  press ("Left");
  assert_soon_not (tells_threads (read_out));
  press ("Right");
  assert_soon (tells_threads (read_out));
  move_pointer (window, grid->nx - 1, 2);
  assert_soon (tells_threads (read_out));
  pause_ms (900);
  shoot ("map-reason");
}

/* A file of which one cell failed with a page of text. */
static char *
make_failed (void)
{
  char *path = in_folder ("failed.cured");
  const MakeResult what = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredPlan) plan = make_plan (&what);
  g_autoptr (GString) reason = g_string_new ("line 1");
  CuredDeviceInfo info;

  for (int i = 2; i <= 25; i++)
    g_string_append_printf (reason, "\nline %d", i);
  make_device_info (&info);
  g_autoptr (CuredStore) store = cured_store_create (path, plan, &info, TRUE, &error);
  cured_device_info_clear (&info);
  g_assert_no_error (error);
  for (gint64 cell = 0; cell < cured_plan_get_n_cells (plan); cell++)
    {
      if (cured_store_get_state (store, cell) != CURED_STATE_NOT_RUN)
        continue;
      g_autoptr (CuredOutcome) outcome = make_outcome (&what, plan, cell);
      if (cell == 0)
        {
          g_clear_pointer (&outcome, cured_outcome_free);
          outcome = cured_outcome_new ();
          outcome->state = CURED_STATE_FAILED;
          outcome->reason = g_strdup (reason->str);
        }
      MUST (cured_store_append (store, cell, outcome, &fail));
    }
  return path;
}

/* However much a failure says, the map stays as large as it was; all of it is there on demand. */
TEST ("/map/long-reason")
{
  g_autofree char *path = make_failed ();
  CuredWindow *window = open_path (path);
  const CuredGrid *grid = get_grid (window);
  GtkWidget *map = GTK_WIDGET (get_map (window));
  GtkWidget *reason = get (window, "reason");
  GtkWidget *whole = get (window, "whole_reason");
  int height = gtk_widget_get_height (map);
  gsize at = 0;

  xdotool ("mousemove 2 2");
  assert_soon_not (gtk_widget_get_mapped (whole));
  while (grid->cells[at] != 0)
    at++;
  cured_map_view_set_cursor (get_view (window), at % grid->nx, at / grid->nx);
  assert_soon (g_str_has_suffix (get_label (window, "read_out"), "line 1…"));
  assert_soon_cmpint (gtk_widget_get_height (map), ==, height);
  g_autofree char *tooltip = g_strdup (gtk_widget_get_tooltip_text (get (window, "read_out")));
  assert_soon_nonnull (strstr (tooltip, "line 12…"));
  assert_soon_null (strstr (tooltip, "line 13"));

  assert_soon (is_mapped (whole));
  shoot ("map-failure");
  assert_soon (g_str_has_suffix (gtk_label_get_label (GTK_LABEL (reason)), "line 8…"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (whole), TRUE);
  settle ();
  assert_soon (g_str_has_suffix (gtk_label_get_label (GTK_LABEL (reason)), "line 25"));
  /* Another cell begins anew. */
  press ("b");
  assert_soon_not (gtk_widget_get_mapped (whole));
}

/* A cell that fails again, for another reason. */
TEST ("/map/reason/re-run")
{
  g_autofree char *path = make_failed ();
  CuredWindow *window = open_path (path);
  const CuredGrid *grid = get_grid (window);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  gsize at = 0;

  xdotool ("mousemove 2 2");
  while (grid->cells[at] != 0)
    at++;
  cured_map_view_set_cursor (get_view (window), at % grid->nx, at / grid->nx);
  assert_soon (g_str_has_suffix (get_label (window, "read_out"), "line 1…"));
  outcome->state = CURED_STATE_CRASHED;
  outcome->reason = g_strdup ("out of luck");
  g_autoptr (CuredStore) store = MUST (cured_store_open (path, &fail));
  MUST (cured_store_append (store, 0, outcome, &fail));
  cured_result_set_outcome (cured_map_view_get_result (get_view (window)), 0, outcome);
  assert_soon (g_str_has_suffix (get_label (window, "read_out"), "out of luck"));
}

TEST ("/map/first-lines")
{
  static const struct
  {
    const char *text;
    guint n_lines;
    const char *lines;
  } rows[] = {
    { "", 1, "" },
    { "one", 1, "one" },
    { "one\n", 1, "one" },
    { "one\ntwo", 1, "one…" },
    { "one\ntwo", 2, "one\ntwo" },
    { "one\n\nthree\nfour", 3, "one\n\nthree…" },
  };
  g_autoptr (GString) text = g_string_new ("x");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *lines = cured_text_first_lines (rows[i].text, rows[i].n_lines);

      assert_soon_cmpstr (lines, ==, rows[i].lines);
    }
  /* Nor is a line longer than a person reads, or cut within a character. */
  for (int i = 0; i < 500; i++)
    g_string_append (text, "ü");
  g_autofree char *umlauts = cured_text_first_lines (text->str, 1);
  assert_soon (g_utf8_validate (umlauts, -1, NULL));
  assert_soon (g_str_has_suffix (umlauts, "ü…"));
  assert_soon_cmpuint (strlen (umlauts), <, 300);
}

static void
choose_contour (CuredWindow *window, const char *id)
{
  CuredResult *result = cured_map_view_get_result (get_view (window));
  GtkDropDown *contour = GTK_DROP_DOWN (get (window, "contour"));
  GListModel *model = gtk_drop_down_get_model (contour);
  gsize metric = 0;

  if (id != NULL)
    {
      assert_soon (cured_result_find_metric (result, id, &metric));
      metric++;
    }
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (CuredChoice) choice = g_list_model_get_item (model, i);

      if (cured_choice_get_index (choice) == metric)
        gtk_drop_down_set_selected (contour, i);
    }
  settle ();
}

/* A map for each value of the third parameter, in the place of one; Enter makes one of them large. */
TEST ("/map/multiples")
{
  CuredWindow *window = open_result ("sizes.cured");
  CuredMapView *view = get_view (window);
  const CuredResultAxis *axes = cured_result_get_axes (cured_map_view_get_result (view), NULL);
  GtkDropDown *show_as = GTK_DROP_DOWN (get (window, "show_as"));
  CuredPicture *chart = CURED_PICTURE (get (window, "chart"));
  gsize number;

  assert_soon_not (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  gtk_drop_down_set_selected (show_as, 1);
  assert_soon (cured_choice_get_selected (show_as, &number));
  assert_soon_cmpuint (number, ==, 3);
  assert_soon_cmpstr (axes[number - 1].name, ==, "n");
  assert_soon (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  assert_soon_not (gtk_widget_get_mapped (GTK_WIDGET (get (window, "map"))));
  assert_soon_cmpuint (cured_picture_get_chart (chart)->n_items, ==, 3);
  shoot ("map-multiples");
  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (GTK_WIDGET (get_page (window)));
  assert_soon_not (cured_drawing_has_table (drawing));

  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("Home Right");
  assert_soon_cmpuint (cured_map_view_get_view (view)->positions[2], ==, 1);
  assert_soon (strstr (gtk_label_get_label (GTK_LABEL (get (window, "read_out"))), "n\u00a0"));
  press ("Return");
  assert_soon_not (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  assert_soon (gtk_widget_get_mapped (GTK_WIDGET (get (window, "map"))));
  assert_soon_cmpuint (gtk_drop_down_get_selected (show_as), ==, 0);
  assert_soon_cmpuint (cured_map_view_get_view (view)->positions[2], ==, 1);

  /* A parameter that the map shows is none to make maps of. */
  gtk_drop_down_set_selected (show_as, 1);
  cured_map_view_set_axes (view, 2, 1);
  assert_soon_cmpuint (gtk_drop_down_get_selected (show_as), ==, 0);
  assert_soon_not (gtk_widget_get_mapped (GTK_WIDGET (chart)));
}

/* Details are beside the map or over it by the window's width, whatever the metric is called. */
TEST ("/map/folding")
{
  CuredWindow *window = open_result ("sizes.cured");
  CuredMapView *view = get_view (window);
  AdwFlap *flap = cured_result_page_get_flap (get_page (window));
  gsize n_metrics;
  gboolean was_folded[2];

  cured_result_get_metrics (cured_map_view_get_result (view), &n_metrics);
  for (int width = 1000; width <= 1240; width += 240)
    {
      gboolean *is_folded = &was_folded[width > 1000];

      gtk_window_set_default_size (GTK_WINDOW (window), width, 700);
      settle ();
      *is_folded = adw_flap_get_folded (flap);
      for (gsize i = 0; i < n_metrics; i++)
        {
          cured_map_view_set_metric (view, i);
          settle ();
          g_assert_cmpint (adw_flap_get_folded (flap), ==, *is_folded);
        }
    }
  g_assert_true (was_folded[0]);
  g_assert_false (was_folded[1]);
}

/* Outline, curves and contour are switched in a popover, which the keyboard opens. */
TEST ("/map/view")
{
  CuredWindow *window = open_result ("small.cured");
  GtkWidget *popover = get (window, "view_popover");

  assert_soon (get_grid (window)->region);
  assert_soon (get_grid (window)->marginals);
  assert_soon_null (get_grid (window)->contour_values);
  press ("alt+v");
  assert_soon (is_mapped (popover));
  press ("alt+w alt+u");
  assert_soon_not (get_grid (window)->region);
  assert_soon_not (get_grid (window)->marginals);
  press ("alt+w alt+u");
  assert_soon (get_grid (window)->region);
  assert_soon (get_grid (window)->marginals);
  press ("Escape");
  assert_soon (is_unmapped (popover));

  choose_contour (window, "bandwidth");
  assert_soon_nonnull (get_grid (window)->contour_values);
  assert_soon_cmpstr (get_grid (window)->contour_metric.id, ==, "bandwidth");
  shoot ("map-contour");
  choose_contour (window, NULL);
  assert_soon_null (get_grid (window)->contour_values);
}

/* The main figures come first, and lead to the banks. */
TEST ("/map/details")
{
  CuredWindow *window = open_result ("small.cured");
  g_autofree char *tooltip = NULL;

  assert_soon_nonnull (strstr (get_label (window, "headline"), "µs ± "));
  assert_soon_nonnull (strstr (get_label (window, "rate"), "B/s"));
  g_object_get (get (window, "headline"), "tooltip-text", &tooltip, NULL);
  assert_soon_nonnull (strstr (tooltip, "Measured"));
  assert_soon_nonnull (strstr (tooltip, "Formula"));
  assert_soon_cmpuint (count_rows (get (window, "main_figures")), >, 0);
  /* Each row has a name and a figure. */
  for (GtkWidget *row = gtk_widget_get_first_child (get (window, "main_figures")); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *box = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row));

      assert_soon (gtk_widget_get_first_child (box) != gtk_widget_get_last_child (box));
    }
  assert_soon (gtk_widget_get_mapped (get (window, "show_banks")));
  /* What can't be launched has neither figures nor banks. */
  press ("ctrl+Right Return");
  assert_soon_not (gtk_widget_get_mapped (get (window, "show_banks")));
}

/* Every metric says what it is, its origin and, if it is computed, how. */
TEST ("/map/explained")
{
  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      const CuredMetricInfo *info = cured_metric_info ((CuredMetric) i);
      g_autofree char *tooltip = cured_text_metric_tooltip (info);

      assert_soon_nonnull (strstr (tooltip, info->title));
      assert_soon_nonnull (strstr (tooltip, info->description));
      if (info->origin == CURED_ORIGIN_DERIVED)
        assert_soon_nonnull (strstr (tooltip, "Formula: "));
    }
}

/* A kernel without a result: what to do is said, and the button does it. There is nothing to open
 * where nothing was recorded. */
TEST ("/map/empty")
{
  g_autoptr (CuredDocument) document = cured_document_new ();
  GtkWidget *page = g_object_new (CURED_TYPE_RESULT_PAGE, NULL);
  GtkWidget *window = gtk_window_new ();
  int least;

  gtk_window_set_default_size (GTK_WINDOW (window), 790, 500);
  gtk_window_set_child (GTK_WINDOW (window), page);
  cured_page_open (page, document, NULL);
  GtkStack *stack = GTK_STACK (get (page, "stack"));
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("transpose/naive", &fail));
  cured_document_set_kernel (document, kernel);
  gtk_window_present (GTK_WINDOW (window));
  settle ();
  assert_soon_cmpstr (gtk_stack_get_visible_child_name (stack), ==, "empty");
  assert_soon_nonnull (strstr (
      adw_status_page_get_description (ADW_STATUS_PAGE (get (page, "empty"))), kernel->title));
  assert_soon_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (get (page, "run"))), ==,
                      "win.new-sweep");
  assert_soon_not (gtk_widget_get_mapped (get (page, "open_recorded")));
  shoot ("map-empty");

  /* All of it fits a small window. */
  gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  assert_soon_cmpint (least, <, 780);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* ---- Why ---- */

/* Whether the map can show a metric of this title. */
static gboolean
offers (CuredWindow *window, const char *title)
{
  GListModel *model = gtk_drop_down_get_model (GTK_DROP_DOWN (get (window, "metric")));

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (CuredChoice) choice = g_list_model_get_item (model, i);

      if (g_str_equal (cured_choice_get_title (choice), title))
        return TRUE;
    }
  return FALSE;
}

static gboolean
says (gpointer window, const char *id, const char *text)
{
  return strstr (get_label (window, id), text) != NULL;
}

/* A screen reader says the name and the figures behind a bar. */
static void
check_first_bar (CuredWindow *window, const char *title)
{
  GtkListBoxRow *row =
      gtk_list_box_get_row_at_index (GTK_LIST_BOX (get (get (window, "why"), "bars")), 0);
  GtkWidget *label = gtk_widget_get_first_child (gtk_list_box_row_get_child (row));

  assert_soon_cmpstr (gtk_label_get_label (GTK_LABEL (label)), ==, title);
  assert_soon_nonnull (strstr (gtk_widget_get_tooltip_text (GTK_WIDGET (row)), "Counted: "));
  assert_soon_nonnull (strstr (gtk_widget_get_tooltip_text (GTK_WIDGET (row)), "Rate of"));
  assert_soon (gtk_widget_get_focusable (GTK_WIDGET (row)));
}

TEST ("/map/why")
{
  static const struct
  {
    const char *file, *sentence, *bar;
  } rows[] = {
    { "banks-stride-h200.cured", "Shared memory is busy", "Shared memory" },
    { "reduce-packed-h200.cured", "Memory is busy", "Memory" },
  };

  NEED_COMPILER ();
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredWindow *window = open_recorded (rows[i].file);

      assert_soon (says (get (window, "why"), "text", rows[i].sentence));
      assert_soon (gtk_widget_get_visible (get (get (window, "why"), "bars")));
      assert_soon_not (
          gtk_spinner_get_spinning (GTK_SPINNER (get (get (window, "why"), "spinner"))));
      assert_soon (says (get (window, "why"), "facts", "132 of 132 multiprocessors"));
      check_first_bar (window, rows[i].bar);
      shoot (rows[i].bar);
      close_window (window);
    }
}

/* A kernel that was never on a measured chip has no bars, and no such map; the card names the
 * missing facts. */
TEST ("/map/why-not")
{
  CuredWindow *window = open_result ("small.cured");

  assert_soon (says (get (window, "why"), "text", "no machine facts for “Synthetic"));
  assert_soon_not (gtk_widget_get_visible (get (get (window, "why"), "bars")));
  assert_soon_not (offers (window, "Limiter"));
}

/* The map knows a faster cell: the card names it, and goes there. */
TEST ("/map/advice")
{
  CuredWindow *window = open_recorded ("reduce-two-launch-h200.cured");
  GtkWidget *card = get (window, "why");
  CuredMapView *view = get_view (window);
  CuredResult *result = cured_map_view_get_result (view);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  gsize positions[8] = { 0 }, metric;

  /* The best cell needs none. */
  assert_soon_not (gtk_widget_get_visible (get (card, "advice")));
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, "block"))
      assert_soon (cured_axis_find (axes[i].values, 256, &positions[i]));
    else if (g_str_equal (axes[i].name, "blocks"))
      assert_soon (cured_axis_find (axes[i].values, 264, &positions[i]));
  assert_soon (cured_result_find_metric (result, "time", &metric));
  cured_map_view_set_cell (view, cured_result_get_cell (result, positions));
  double before = cured_result_get_value (result, cured_map_view_get_cell (view), metric);
  assert_soon (gtk_widget_get_visible (get (card, "go_to_cell")));
  assert_soon (says (card, "advice", "Too few threads in flight"));
  shoot ("map-advice");
  g_signal_emit_by_name (get (card, "go_to_cell"), "clicked");
  assert_soon_cmpfloat (cured_result_get_value (result, cured_map_view_get_cell (view), metric), <,
                        0.8 * before);
}

static gboolean
has_diagnosis (gpointer window)
{
  GtkWidget *card = get (window, "diagnosis");
  const char *text = gtk_label_get_label (GTK_LABEL (get (card, "text")));

  return gtk_widget_get_mapped (card) && strstr (text, "Line ") != NULL;
}

/* A cell that the device only says took too long: where threads wait. */
TEST ("/map/diagnosis")
{
  NEED_COMPILER ();
  CuredWindow *window = open_recorded ("specimens-two-barriers-h200.cured");
  assert_soon (has_diagnosis (window));
  assert_soon_nonnull (strstr (
      gtk_label_get_label (GTK_LABEL (get (get (window, "diagnosis"), "text"))), "barrier"));
  assert_soon_null (
      strstr (gtk_label_get_label (GTK_LABEL (get (get (window, "diagnosis"), "text"))), "lanes"));
  GtkWidget *button = get (get (window, "diagnosis"), "show_source");
  assert_soon (gtk_widget_get_visible (button));
  shoot ("map-diagnosis");
  g_signal_emit_by_name (button, "clicked");
  settle ();
  assert_soon_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (get (window, "views"))), ==, "source");
  close_window (window);

  /* What went well needs none. */
  window = open_recorded ("banks-stride-h200.cured");
  assert_soon_not (gtk_widget_get_mapped (get (window, "diagnosis")));
}

/* Has the map's metric drawn over another one. Returns that one's index. */
static gsize
show_against (CuredWindow *window, const char *metric)
{
  CuredResult *result = cured_map_view_get_result (get_view (window));
  GtkDropDown *show_as = GTK_DROP_DOWN (get (window, "show_as"));
  GListModel *choices = gtk_drop_down_get_model (show_as);
  gsize n_axes;
  gsize index;

  cured_result_get_axes (result, &n_axes);
  MUST (cured_result_find_metric (result, metric, &index));
  for (guint i = 0; i < g_list_model_get_n_items (choices); i++)
    {
      g_autoptr (CuredChoice) choice = g_list_model_get_item (choices, i);

      if (cured_choice_get_index (choice) == n_axes + 1 + index)
        gtk_drop_down_set_selected (show_as, i);
    }
  assert_soon (gtk_widget_get_mapped (get (window, "chart")));
  return index;
}

/* A point for each cell: the time against another metric. */
TEST ("/map/against")
{
  CuredWindow *window = open_recorded ("reduce-two-launch-h200.cured");
  CuredMapView *view = get_view (window);
  CuredResult *result = cured_map_view_get_result (view);
  CuredPicture *chart = CURED_PICTURE (get (window, "chart"));
  gsize threads = show_against (window, "threads_in_flight");

  assert_soon_cmpuint (cured_picture_get_chart (chart)->n_items, ==, 81);
  assert_soon_cmpint (cured_map_chart_get_cell (cured_picture_get_chart (chart),
                                                (gsize) cured_picture_get_item (chart)),
                      ==, cured_map_view_get_cell (view));
  shoot ("map-against");
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("Home");
  gint64 first = cured_map_chart_get_cell (cured_picture_get_chart (chart), 0);
  assert_soon_cmpint (cured_map_view_get_cell (view), ==, first);
  for (gint64 cell = 0; cell < 81; cell++)
    assert_soon_cmpfloat (cured_result_get_value (result, first, threads), <=,
                          cured_result_get_value (result, cell, threads));
}

/* Bytes in flight are an axis as well, although the file has none: they are computed while the chart
 * is shown. */
TEST ("/map/against-bytes-in-flight")
{
  NEED_COMPILER ();
  CuredWindow *window = open_unexplained ("reduce-two-launch-h200.cured");
  CuredResult *result = cured_map_view_get_result (get_view (window));
  CuredPicture *chart = CURED_PICTURE (get (window, "chart"));
  gsize bytes = show_against (window, "bytes_in_flight");
  double last = 0;

  assert_soon_cmpuint (cured_picture_get_chart (chart)->n_items, >=, 3);
  for (gsize i = 0; i < cured_picture_get_chart (chart)->n_items; i++)
    {
      gint64 cell = cured_map_chart_get_cell (cured_picture_get_chart (chart), i);
      double value = cured_result_get_value (result, cell, bytes);

      assert_soon_cmpfloat (value, >=, last);
      last = value;
    }
  assert_soon_cmpfloat (last, >, 0);
  close_window (window);
}

/* A kernel that is wrong has no best cell, and no star in its map. */
TEST ("/map/wrong-kernel")
{
  CuredWindow *window = open_recorded ("reduce-single-launch-h200.cured");
  CuredMapView *view = get_view (window);

  assert_soon (gtk_widget_get_visible (get (window, "defect")));
  assert_soon_cmpint (cured_map_view_get_cell (view), >=, 0);
  assert_soon_cmpint (cured_map_view_get_best (view), ==, -1);
  assert_soon_not (gtk_widget_get_visible (get (get (window, "details"), "best")));
}

static void
test_limiters (void)
{
  gsize metric;

  NEED_COMPILER ();
  CuredWindow *window = open_unexplained ("banks-stride-h200.cured");
  assert_soon (offers (window, "Limiter"));
  assert_soon (
      cured_result_find_metric (cured_map_view_get_result (get_view (window)), "limiter", &metric));
  cured_map_view_set_metric (get_view (window), metric);
  const CuredGrid *grid = get_grid (window);
  assert_soon (cured_grid_is_named (grid));
  /* One after the other, by itself. */
  for (gsize left = get_grid (window)->n_empty; left > 0; left = get_grid (window)->n_empty)
    assert_soon_cmpuint (get_grid (window)->n_empty, <, left);
  grid = get_grid (window);
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    assert_soon_cmpint ((int) grid->values[i], ==, CURED_RESOURCE_SHARED);
  assert_soon (says (window, "read_out", "held by Shared memory, "));
  assert_soon (says (window, "read_out", "; next: Load and store at 0."));
  /* What is for numbers alone would do nothing. */
  assert_soon_not (gtk_widget_get_sensitive (get (window, "logarithmic")));
  assert_soon_not (gtk_widget_get_sensitive (get (window, "colours")));
  shoot ("map-limiters");
  cured_map_view_set_metric (get_view (window), 0);
  assert_soon (gtk_widget_get_sensitive (get (window, "logarithmic")));
  close_window (window);
}

/* What is drawn follows the desktop's text size, as labels do. */
TEST ("/map/text-size")
{
  enum
  {
    USUAL_DPI = 96 * PANGO_SCALE,
  };
  GtkSettings *settings = gtk_settings_get_default ();
  GtkWidget *window = gtk_window_new ();
  GtkWidget *chart = g_object_new (CURED_TYPE_PICTURE, NULL);
  CuredBankStride stride;
  CuredBankAccess access;
  CuredPlotStyle style = { 0 };
  int usual = 0, large = 0;

  cured_bank_stride_init (&stride);
  cured_bank_stride_get_access (&stride, &access);
  cured_bank_picture_show (CURED_PICTURE (chart), &access, CURED_BANK_PLOT_BANKS, NULL);
  gtk_window_set_child (GTK_WINDOW (window), chart);
  gtk_window_present (GTK_WINDOW (window));
  g_object_set (settings, "gtk-xft-dpi", (int) USUAL_DPI, NULL);
  settle ();
  gtk_widget_measure (chart, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &usual, NULL, NULL);
  assert_soon (cured_plot_look_update (&style, chart, 1.0));
  assert_soon_not (cured_plot_look_update (&style, chart, 1.0));
  const char *usual_font = style.font;

  g_object_set (settings, "gtk-xft-dpi", USUAL_DPI * 3 / 2, NULL);
  settle ();
  gtk_widget_measure (chart, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &large, NULL, NULL);
  assert_soon_cmpint (large, >, usual * 5 / 4);
  assert_soon (cured_plot_look_update (&style, chart, 1.0));
  assert_soon_cmpstr (style.font, !=, usual_font);

  g_object_set (settings, "gtk-xft-dpi", (int) USUAL_DPI, NULL);
  settle ();
  assert_soon (cured_plot_look_update (&style, chart, 1.0));
  assert_soon_cmpstr (style.font, ==, usual_font);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Times that were recorded without counts have contours of conflicts: cells are counted
 * afterwards. */
TEST ("/map/sampled-excess")
{
  gsize metric, padded = 0, bare = 0, nx;

  NEED_COMPILER ();
  CuredWindow *window = open_unexplained ("transpose-padded-h200.cured");
  assert_soon (cured_result_find_metric (cured_map_view_get_result (get_view (window)),
                                         "sampled_excess", &metric));
  g_object_set (get_view (window), "contour", (guint64) metric + 1, NULL);
  const CuredGrid *grid = get_grid (window);
  assert_soon_nonnull (grid->contour_values);
  /* The highest tile: without padding all lanes use one bank. */
  for (gsize x = 0; x < grid->nx; x++)
    if (cured_axis_get_value (grid->x_values, x) == 0)
      bare = (grid->ny - 1) * grid->nx + x;
    else if (cured_axis_get_value (grid->x_values, x) == 1)
      padded = (grid->ny - 1) * grid->nx + x;
  assert_soon_cmpuint (bare, !=, padded);
  nx = grid->nx;
  /* The cell whose details are seen comes before all others. */
  cured_map_view_set_cursor (get_view (window), bare % nx, bare / nx);
  assert_soon_not (isnan (get_grid (window)->contour_values[bare]));
  cured_map_view_set_cursor (get_view (window), padded % nx, padded / nx);
  assert_soon_not (isnan (get_grid (window)->contour_values[padded]));
  grid = get_grid (window);
  assert_soon_cmpfloat (grid->contour_values[bare], >, 0);
  assert_soon_cmpfloat (grid->contour_values[padded], ==, 0);
  shoot ("map-sampled-excess");
}

static gboolean
has_limits (CuredResult *result, const gint64 *cells, gsize n_cells)
{
  gsize metric;

  if (!cured_result_find_metric (result, "limiter", &metric))
    return FALSE;
  for (gsize i = 0; i < n_cells; i++)
    if (cured_result_get_state (result, cells[i]) == CURED_STATE_OK &&
        isnan (cured_result_get_value (result, cells[i], metric)))
      return FALSE;
  return TRUE;
}

static gboolean
file_has_limits (const char *path, const gint64 *cells, gsize n_cells)
{
  g_autoptr (CuredResult) now = MUST (cured_result_load_ready (path, NULL, &fail));

  return has_limits (now, cells, n_cells);
}

/* Limits go into the file of a sweep that ran here. One that ended before it ran a cell leaves the
 * file that is seen as it was opened. */
TEST ("/map/kept")
{
  g_autofree char *recorded =
      g_build_filename (g_getenv ("CURED_TEST_RESULTS"), "banks-conflict-h200.cured", NULL);
  g_autofree char *path = in_folder ("kept.cured");
  g_autofree char *before = NULL, *after = NULL;
  gsize length, new_length, metric;

  NEED_COMPILER ();
  copy_unexplained (recorded, path);
  MUST (g_file_get_contents (path, &before, &length, &fail));
  CuredWindow *window = open_path (path);
  CuredResult *result = cured_map_view_get_result (get_view (window));
  assert_soon (cured_result_find_metric (result, "limiter", &metric));
  g_object_set (get_view (window), "metric", (guint64) metric, "is-live", TRUE, NULL);
  g_object_set (get_view (window), "is-live", FALSE, NULL);
  gsize n_cells = get_grid (window)->nx * get_grid (window)->ny;
  g_autofree gint64 *cells = g_memdup2 (get_grid (window)->cells, n_cells * sizeof *cells);
  assert_soon (has_limits (result, cells, n_cells));
  /* Anything that is still to be written. */
  pause_ms (300);
  MUST (g_file_get_contents (path, &after, &new_length, &fail));
  g_assert_cmpmem (before, length, after, new_length);

  g_object_set (get_view (window), "is-live", TRUE, NULL);
  g_autoptr (CuredOutcome) outcome = MUST (cured_result_load_outcome (result, cells[0], &fail));
  cured_result_set_outcome (result, cells[0], outcome);
  assert_soon_not (file_has_limits (path, cells, n_cells));
  g_object_set (get_view (window), "is-live", FALSE, NULL);
  assert_soon (file_has_limits (path, cells, n_cells));
}

/* What is zoomed to has colours of its own, until R asks for those of all. */
TEST ("/map/range")
{
  CuredWindow *window = open_result ("small.cured");
  CuredHeatMap *map = get_map (window);
  const CuredGrid *grid = get_grid (window);
  double low, high;

  assert_soon_not (cured_heat_map_get_range (map, &low, &high));
  assert_soon_not (gtk_widget_get_visible (get (get_page (window), "fit_button")));
  cured_map_view_set_cursor (get_view (window), 0, 0);
  cured_heat_map_zoom (map, 3.0);
  assert_soon (cured_heat_map_get_range (map, &low, &high));
  assert_soon (high - low < grid->high - grid->low);
  assert_soon (gtk_widget_get_visible (get (get_page (window), "fit_button")));
  shoot ("map-range");
  gtk_widget_grab_focus (GTK_WIDGET (map));
  press ("r");
  assert_soon_not (cured_heat_map_get_range (map, &low, &high));
  press ("r");
  assert_soon (cured_heat_map_get_range (map, &low, &high));
  cured_heat_map_zoom_reset (map);
  assert_soon_not (cured_heat_map_get_range (map, &low, &high));
}

static void
type_limit (CuredHeatMap *map, const char *keys)
{
  gtk_widget_grab_focus (GTK_WIDGET (map));
  press ("l");
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  press (keys);
  settle ();
}

/* L asks for the limits of the colours; they hold until Reset. */
TEST ("/map/limits")
{
  CuredWindow *window = open_result ("small.cured");
  CuredHeatMap *map = get_map (window);
  double low;
  double high;

  /* The least is 0.357 ms, and the legend is in µs. */
  type_limit (map, "1");
  assert_soon (adw_message_dialog_get_response_enabled (
      ADW_MESSAGE_DIALOG (find_dialog (ADW_TYPE_MESSAGE_DIALOG)), "apply"));
  press ("x");
  assert_soon_not (adw_message_dialog_get_response_enabled (
      ADW_MESSAGE_DIALOG (find_dialog (ADW_TYPE_MESSAGE_DIALOG)), "apply"));
  press ("BackSpace");
  shoot ("map-limits-dialog");
  press ("Return");
  assert_soon (get_grid (window)->limits.has_low);
  assert_soon (cured_heat_map_get_range (map, &low, &high));
  assert_soon_cmpfloat (low, ==, 1000);
  shoot ("map-limits");
  type_limit (map, "Escape");
  assert_soon (get_grid (window)->limits.has_low);
  gtk_widget_grab_focus (GTK_WIDGET (map));
  press ("l");
  GtkWindow *dialog = wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "reset");
  gtk_window_destroy (dialog);
  assert_soon_not (cured_heat_map_get_range (map, &low, &high));
  close_window (window);
}

static gboolean
has_remark (gpointer data)
{
  CuredResult *result = get_grid (data)->result;
  gint64 cell = cured_map_view_get_cell (get_view (data));

  return cured_result_get_remark (result, cell) != NULL;
}

/* N writes a note on the cell, into the file; Ctrl+Z takes it back. */
TEST ("/map/note")
{
  g_autofree char *path = in_folder ("noted.cured");

  make_result (path, &(MakeResult){ 0 });
  CuredWindow *window = open_path (path);
  gtk_widget_grab_focus (GTK_WIDGET (get_map (window)));
  cured_map_view_set_cursor (get_view (window), 1, 1);
  press ("n");
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  settle ();
  press ("a");
  press ("b");
  settle ();
  shoot ("map-note-dialog");
  press ("ctrl+Return");
  assert_soon (has_remark (window));
  gint64 cell = cured_map_view_get_cell (get_view (window));
  assert_soon_cmpstr (cured_result_get_remark (get_grid (window)->result, cell), ==, "ab");
  assert_soon_cmpuint (get_grid (window)->n_noted, ==, 1);
  assert_soon_cmpstr (gtk_label_get_label (GTK_LABEL (get (get (window, "details"), "note"))), ==,
                      "Note: ab");
  shoot ("map-note");
  g_autoptr (CuredResult) read = MUST (cured_result_load (path, NULL, &fail));
  g_assert_cmpstr (cured_result_get_remark (read, cell), ==, "ab");
  gtk_widget_grab_focus (GTK_WIDGET (get_map (window)));
  press ("ctrl+z");
  assert_soon (!has_remark (window));
  assert_soon_cmpuint (get_grid (window)->n_noted, ==, 0);
  g_autoptr (CuredResult) after = MUST (cured_result_load (path, NULL, &fail));
  g_assert_null (cured_result_get_remark (after, cell));
  close_window (window);
}

/* The names in a file can't dictate how wide the details are. */
TEST ("/map/long-names")
{
  g_autofree char *path = in_folder ("sizes.cured");
  g_autofree char *name = g_strnfill (300, 'n');
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  GtkWidget *details = g_object_ref_sink (g_object_new (CURED_TYPE_CELL_DETAILS, NULL));
  int least;

  assert_soon (cured_result_rename_axis (result, cured_result_get_axes (result, NULL)[0].name, name,
                                         &error));
  cured_cell_details_set_cell (CURED_CELL_DETAILS (details), result, 0, FALSE);
  gtk_widget_measure (details, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  assert_soon_cmpint (least, >, 0);
  assert_soon_cmpint (least, <, 500);
  g_object_unref (details);
}

int
main (int argc, char **argv)
{
  begin (&argc, &argv);
  /* All cells of a recording are counted. */
  if (g_test_slow ())
    g_test_add_func ("/map/limiters", test_limiters);
  return run_and_end ();
}
