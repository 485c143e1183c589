/* SPDX-License-Identifier: MIT
 * The heat map and its details in the real window, by keyboard and pointer. */
#include <math.h>
#include <string.h>

#include "gui-test.h"
#include "make-result.h"

static CuredHeatMap *
get_map (CuredWindow *window)
{
  return cured_result_page_get_map (cured_window_get_page (window));
}

static const CuredGrid *
get_grid (CuredWindow *window)
{
  return cured_heat_map_get_grid (get_map (window));
}

static void
assert_selection (
    CuredWindow *window, gsize column, gsize row, gsize width, gsize height)
{
  CuredGridRect rect;

  g_assert_true (cured_heat_map_get_selection (get_map (window), &rect));
  g_assert_cmpuint (rect.column, ==, column);
  g_assert_cmpuint (rect.row, ==, row);
  g_assert_cmpuint (rect.n_columns, ==, width);
  g_assert_cmpuint (rect.n_rows, ==, height);
}

static void
test_selection (void)
{
  CuredWindow *window = open_result ("sizes.cured");
  CuredResultPage *page = cured_window_get_page (window);
  const CuredGrid *grid = get_grid (window);
  g_autoptr (GArray) cells = NULL;
  CuredSelectedAxis x;
  CuredSelectedAxis y;
  CuredGridRect rect;
  gsize n_cells;

  g_assert_false (cured_heat_map_get_selection (get_map (window), &rect));
  g_assert_null (cured_result_page_get_selected_cells (page, &n_cells));
  g_assert_cmpuint (n_cells, ==, 0);

  press ("ctrl+Left ctrl+Down Right Up");
  press ("shift+Right shift+Right shift+Up");
  assert_selection (window, 1, 1, 3, 2);
  cells = cured_result_page_get_selected_cells (page, &n_cells);
  g_assert_cmpuint (n_cells, ==, 6);
  g_assert_cmpuint (cells->len, ==, 6);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpint (g_array_index (cells, gint64, i),
                     ==,
                     grid->cells[(1 + i / 3) * grid->nx + 1 + i % 3]);
  g_assert_true (cured_result_page_get_selection_axes (page, &x, &y));
  g_assert_cmpuint (x.axis, ==, cured_result_page_get_view (page)->x_axis);
  g_assert_cmpuint (y.axis, ==, cured_result_page_get_view (page)->y_axis);
  g_assert_cmpuint (x.first, ==, 1);
  g_assert_cmpuint (x.last, ==, 3);
  g_assert_cmpint (x.least, ==, cured_axis_get_value (grid->x_values, 1));
  g_assert_cmpint (x.most, ==, cured_axis_get_value (grid->x_values, 3));
  g_assert_cmpint (y.least, ==, cured_axis_get_value (grid->y_values, 1));
  g_assert_cmpint (y.most, ==, cured_axis_get_value (grid->y_values, 2));

  /* Back over the beginning; another slice keeps it; Escape clears it. */
  press ("shift+Left shift+Left shift+Left");
  assert_selection (window, 0, 1, 2, 2);
  shoot ("map-selection");
  gtk_range_set_value (GTK_RANGE (gtk_grid_get_child_at (
                           GTK_GRID (get (window, "slices")), 1, 0)),
                       1.0);
  settle ();
  assert_selection (window, 0, 1, 2, 2);
  press ("Escape");
  g_assert_false (cured_heat_map_get_selection (get_map (window), &rect));
  g_assert_false (cured_result_page_get_selection_axes (page, &x, &y));

  press ("ctrl+a");
  grid = get_grid (window);
  assert_selection (window, 0, 0, grid->nx, grid->ny);
  /* Other axes are other cells. */
  press ("ctrl+t");
  g_assert_false (cured_heat_map_get_selection (get_map (window), &rect));
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin (&argc, &argv);
  g_test_add_func ("/map/selection", test_selection);
  return run_and_end ();
}
