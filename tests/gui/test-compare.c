/* SPDX-License-Identifier: MIT
 * Two files beside each other, in a real window. */
#include <math.h>
#include <string.h>

#include "compare/cured-gui-compare.h"
#include "map/cured-gui-map.h"
#include "gui-test.h"
#include "make-result.h"

static gboolean
shows_view (gpointer data)
{
  return shows (data, "view");
}

static gboolean
shows_empty (gpointer data)
{
  return shows (data, "empty");
}

static GtkWidget *
show_page (CuredWindow *window)
{
  press ("alt+5");
  GtkWidget *page = wait_for_view (window, "compare");
  settle ();
  return page;
}

/* A second file: times of the first one times @factor. */
static char *
make_other (const char *name, double factor, gsize n_tiles)
{
  const MakeResult what = { .factor = factor, .n_tiles = n_tiles };
  char *path = in_folder (name);

  make_result (path, &what);
  return path;
}

static CuredComparison *
compare_files (const char *a, const char *b, const char *metric)
{
  g_autoptr (CuredResult) result_a = MUST (cured_result_load (a, NULL, &fail));
  g_autoptr (CuredResult) result_b = MUST (cured_result_load (b, NULL, &fail));

  CuredComparison *comparison = MUST (cured_comparison_new (result_a, result_b, metric, &fail));
  return comparison;
}

static const CuredGrid *
get_grid (GtkWidget *page)
{
  return cured_map_view_get_grid (cured_heat_map_get_view (CURED_HEAT_MAP (get (page, "map"))));
}

static guint
get_n_rows (GtkWidget *page)
{
  return g_list_model_get_n_items (
      G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (get (page, "list")))));
}

/* What a strip of samples says; NULL while it is empty. */
static char *
read_strip (gpointer page, const char *name)
{
  const CuredChart *chart = cured_picture_get_chart (CURED_PICTURE (get (page, name)));

  return chart != NULL ? chart->klass->describe (chart, -1, -1) : NULL;
}

static gboolean
has_strips (gpointer page)
{
  g_autofree char *a = read_strip (page, "strip_a");
  g_autofree char *b = read_strip (page, "strip_b");

  return a != NULL && b != NULL;
}

/* The same of a cell of a file. */
static char *
describe_samples (const char *path, gint64 cell)
{
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  g_autoptr (CuredOutcome) outcome = MUST (cured_result_load_outcome (result, cell, &fail));
  CuredChart *chart = cured_samples_plot_new (outcome, NULL);
  char *text = chart->klass->describe (chart, -1, -1);

  cured_chart_free (chart);
  return text;
}

/* What the window shows is what cured compare prints: one function. */
TEST ("/compare/ratio")
{
  g_autofree char *first = make_other ("first.cured", 1, 0);
  g_autofree char *second = make_other ("second.cured", 1.25, 0);
  CuredWindow *window = open_path (first);
  GtkWidget *page = show_page (window);
  g_autoptr (CuredComparison) expected = compare_files (first, second, "time");

  assert_soon (shows_empty (page));
  assert_soon_null (cured_page_get_drawing (page));
  cured_compare_page_open (CURED_COMPARE_PAGE (page), second);
  assert_soon (shows_view (page));
  settle ();
  const CuredComparison *shown = cured_compare_page_get_comparison (CURED_COMPARE_PAGE (page));
  for (guint i = 0; i < CURED_N_VERDICTS; i++)
    assert_soon_cmpuint (shown->n_verdicts[i], ==, expected->n_verdicts[i]);
  assert_soon_cmpfloat (shown->geometric_mean, ==, expected->geometric_mean);
  g_assert_cmpfloat_with_epsilon (shown->geometric_mean, 1.25, 1e-9);
  assert_soon_nonnull (
      strstr (gtk_label_get_label (GTK_LABEL (get (page, "best"))), "B is 1.25× as slow"));
  assert_soon_nonnull (strstr (gtk_label_get_label (GTK_LABEL (get (page, "change"))),
                               "B is 1.25× as slow; the difference exceeds the noise"));
  /* Each file's samples in its own strip. */
  assert_soon (has_strips (page));
  gint64 cell =
      cured_map_view_get_cell (cured_heat_map_get_view (CURED_HEAT_MAP (get (page, "map"))));
  g_autofree char *strip_a = read_strip (page, "strip_a");
  g_autofree char *strip_b = read_strip (page, "strip_b");
  g_autofree char *samples_a = describe_samples (first, cell);
  g_autofree char *samples_b = describe_samples (second, cell);
  g_assert_cmpstr (strip_a, ==, samples_a);
  g_assert_cmpstr (strip_b, ==, samples_b);
  g_assert_cmpstr (strip_a, !=, strip_b);
  assert_soon_cmpuint (get_n_rows (page), ==, expected->pairs->len);
  assert_soon_nonnull (strstr (gtk_label_get_label (GTK_LABEL (get (page, "summary"))), "1.25"));
  assert_soon (cured_grid_is_ratio (get_grid (page)));
  g_assert_cmpfloat_with_epsilon (get_grid (page)->high, 1.25, 1e-9);
  shoot ("compare");

  /* The other way round. */
  gtk_widget_activate_action (page, "compare.swap", NULL);
  assert_soon (shows_view (page));
  settle ();
  shown = cured_compare_page_get_comparison (CURED_COMPARE_PAGE (page));
  g_assert_cmpfloat_with_epsilon (shown->geometric_mean, 0.8, 1e-9);

  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (page);
  assert_soon_nonnull (drawing);
  assert_soon (cured_drawing_has_table (drawing));
}

/* The list leads to the map's cell, and the map to the list's row. */
TEST ("/compare/cursor")
{
  g_autofree char *first = make_other ("first.cured", 1, 0);
  g_autofree char *second = make_other ("wider.cured", 1.1, 10);
  CuredWindow *window = open_path (first);
  GtkWidget *page = show_page (window);
  CuredHeatMap *map = CURED_HEAT_MAP (get (page, "map"));
  gsize column, row;

  cured_compare_page_open (CURED_COMPARE_PAGE (page), second);
  assert_soon (shows_view (page));
  settle ();
  GtkSingleSelection *rows =
      GTK_SINGLE_SELECTION (gtk_column_view_get_model (GTK_COLUMN_VIEW (get (page, "list"))));
  /* Some tiles are in the second file alone: the map has them all. */
  assert_soon_cmpuint (get_grid (page)->nx, >, 8);
  gtk_single_selection_set_selected (rows, 3);
  settle ();
  assert_soon (cured_map_view_get_cursor (cured_heat_map_get_view (map), &column, &row));
  assert_soon_not (isnan (get_grid (page)->values[row * get_grid (page)->nx + column]));

  gtk_widget_grab_focus (GTK_WIDGET (map));
  press (column > 0 ? "Left" : "Right");
  assert_soon_cmpuint (gtk_single_selection_get_selected (rows), !=, 3);
  assert_soon (g_str_has_prefix (gtk_label_get_label (GTK_LABEL (get (page, "value_a"))), "A: "));
}

/* The ratio at each value of a further parameter, on one scale. */
TEST ("/compare/multiples")
{
  const MakeResult what = { .factor = 1.2, .n_sizes = 3 };
  g_autofree char *first = in_folder ("sizes-a.cured");
  g_autofree char *second = in_folder ("sizes-b.cured");

  make_result (first, &(MakeResult){ .n_sizes = 3 });
  make_result (second, &what);
  CuredWindow *window = open_path (first);
  GtkWidget *page = show_page (window);
  CuredPicture *chart = CURED_PICTURE (get (page, "chart"));
  CuredMapView *view = cured_heat_map_get_view (CURED_HEAT_MAP (get (page, "map")));

  cured_compare_page_open (CURED_COMPARE_PAGE (page), second);
  assert_soon (shows_view (page));
  settle ();
  assert_soon (gtk_widget_get_visible (get (page, "show_as")));
  assert_soon_not (gtk_widget_get_mapped (get (page, "charts")));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (page, "show_as")), 1);
  assert_soon (gtk_widget_get_mapped (get (page, "charts")));
  assert_soon_not (gtk_widget_get_mapped (get (page, "map")));
  assert_soon_cmpuint (cured_picture_get_chart (chart)->n_items, ==, 3);
  CuredChart *shown = cured_picture_get_chart (chart);
  g_autofree char *text = shown->klass->describe (shown, 2, -1);
  assert_soon_nonnull (strstr (text, "1.2"));
  shoot ("compare-multiples");
  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (page);
  assert_soon_not (cured_drawing_has_table (drawing));
  /* Enter shows the map of the marked one. */
  cured_picture_set_item (chart, 2);
  g_signal_emit_by_name (chart, "activated");
  assert_soon (gtk_widget_get_mapped (get (page, "map")));
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (cured_map_view_get_result (view), &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, "n"))
      assert_soon_cmpuint (cured_map_view_get_view (view)->positions[i], ==, 2);
  close_window (window);
}

/* Cells without a verdict are left out when asked. */
TEST ("/compare/significant")
{
  g_autofree char *first = make_other ("first.cured", 1, 0);
  g_autofree char *same = make_other ("same.cured", 1.0001, 0);
  CuredWindow *window = open_path (first);
  GtkWidget *page = show_page (window);

  cured_compare_page_open (CURED_COMPARE_PAGE (page), same);
  assert_soon (shows_view (page));
  settle ();
  const CuredComparison *shown = cured_compare_page_get_comparison (CURED_COMPARE_PAGE (page));
  assert_soon_cmpuint (shown->n_verdicts[CURED_VERDICT_SAME], ==, shown->pairs->len);
  assert_soon_cmpuint (get_n_rows (page), ==, shown->pairs->len);
  assert_soon_nonnull (get_grid (page)->is_alike);
  press ("alt+g");
  settle ();
  assert_soon (gtk_check_button_get_active (GTK_CHECK_BUTTON (get (page, "significant"))));
  assert_soon_cmpuint (get_n_rows (page), ==, 0);
  assert_soon (get_grid (page)->hide_alike);
  shoot ("compare-significant");
}

/* Files that do not go together say why. */
TEST ("/compare/errors")
{
  /* Three sizes of a problem, of which the other knows nothing. */
  g_autofree char *foreign =
      g_build_filename (CURED_SOURCE_DATADIR, "results", "bandwidth-copy-h200.cured", NULL);
  CuredWindow *window = open_result ("sizes.cured");
  GtkWidget *page = show_page (window);
  AdwStatusPage *empty = ADW_STATUS_PAGE (get (page, "empty"));

  cured_compare_page_open (CURED_COMPARE_PAGE (page), foreign);
  assert_soon (shows_empty (page) &&
               strstr (adw_status_page_get_description (empty), "different problems"));
  assert_soon (cured_compare_page_get_comparison (CURED_COMPARE_PAGE (page)) == NULL);
  cured_compare_page_open (CURED_COMPARE_PAGE (page), "/nowhere/none.cured");
  assert_soon (shows_empty (page) &&
               strstr (adw_status_page_get_description (empty), "none.cured"));
}

/* By the keyboard alone: the recording of the kernel that is open. */
TEST ("/compare/recorded")
{
  g_autofree char *source =
      g_build_filename (CURED_SOURCE_DATADIR, "results", "reduce-two-launch-h200.cured", NULL);
  g_autofree char *mine = in_folder ("mine.cured");
  g_autoptr (GFile) from = g_file_new_for_path (source);
  g_autoptr (GFile) to = g_file_new_for_path (mine);

  MUST (g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, &fail));
  CuredWindow *window = open_path (mine);
  GtkWidget *page = show_page (window);
  press ("alt+d");
  assert_soon (shows_view (page));
  settle ();
  assert_soon_cmpstr (gtk_label_get_label (GTK_LABEL (get (page, "name_b"))), ==,
                      "reduce-two-launch-h200.cured");
  shoot ("compare-recorded");
}

/* Both files are shown at the slice and on the axes that are chosen, and the axis chosen before
 * takes the other place. */
/* The names beside the sliders. */
static gboolean
has_slider (GtkWidget *page, const char *name)
{
  GtkWidget *grid = get (get (page, "slices"), "grid");

  for (GtkWidget *child = gtk_widget_get_first_child (grid); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_LABEL (child) && g_str_equal (gtk_label_get_label (GTK_LABEL (child)), name))
      return TRUE;
  return FALSE;
}

static const char *
get_summary (GtkWidget *page)
{
  return gtk_label_get_label (GTK_LABEL (get (page, "summary")));
}

/* Two kernels, one of which has a parameter more: what can be compared is, and the page says
 * how. */
TEST ("/compare/kernels")
{
  g_autofree char *shared =
      g_build_filename (CURED_SOURCE_DATADIR, "results", "transpose-shared-h200.cured", NULL);
  g_autofree char *padded =
      g_build_filename (CURED_SOURCE_DATADIR, "results", "transpose-padded-h200.cured", NULL);
  CuredWindow *window = open_path (shared);
  GtkWidget *page = show_page (window);
  gsize n_values = 0;

  cured_compare_page_open (CURED_COMPARE_PAGE (page), padded);
  assert_soon (shows_view (page));
  settle ();
  assert_soon_nonnull (strstr (get_summary (page), "B is at its best over padding."));
  /* What tells them apart. */
  assert_soon_cmpstr (gtk_label_get_label (GTK_LABEL (get (page, "name_a"))), ==,
                      "transpose/shared");
  assert_soon_cmpstr (gtk_label_get_label (GTK_LABEL (get (page, "name_b"))), ==,
                      "transpose/padded");
  assert_soon_cmpuint (get_n_rows (page), >, 0);
  const CuredGrid *grid = get_grid (page);
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    n_values += !isnan (grid->values[i]);
  assert_soon_cmpuint (n_values, >, 0);
  shoot ("compare-kernels");

  /* The other way round, nothing is held at one padding. */
  gtk_widget_activate_action (page, "compare.swap", NULL);
  assert_soon (shows_view (page));
  assert_soon (strstr (get_summary (page), "A is at its best over padding.") != NULL);
  assert_soon_not (has_slider (page, "padding"));
  shoot ("compare-kernels-swapped");
}

/* Large text, names of many letters and all metrics: the window need not be wider than it is. */
TEST ("/compare/fits")
{
  static const char *const pairs[][2] = {
    { "matmul-tiled-h200.cured", "matmul-vector-h200.cured" },
    { "transpose-shared-h200.cured", "transpose-padded-h200.cured" },
    { "matmul-coarsened-h200.cured", "matmul-registers-h200.cured" },
  };
  enum
  {
    USUAL_DPI = 96 * PANGO_SCALE,
    WIDTH = 900
  };
  GtkSettings *settings = gtk_settings_get_default ();

  g_object_set (settings, "gtk-xft-dpi", USUAL_DPI * 5 / 4, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *a = g_build_filename (CURED_SOURCE_DATADIR, "results", pairs[i][0], NULL);
      g_autofree char *b = g_build_filename (CURED_SOURCE_DATADIR, "results", pairs[i][1], NULL);
      CuredWindow *window = open_path (a);
      GtkWidget *page = show_page (window);

      gtk_window_set_default_size (GTK_WINDOW (window), WIDTH, 640);
      cured_compare_page_open (CURED_COMPARE_PAGE (page), b);
      assert_soon (shows_view (page));
      GtkDropDown *metric = GTK_DROP_DOWN (get (page, "metric"));
      guint n = g_list_model_get_n_items (gtk_drop_down_get_model (metric));
      for (guint k = 0; k < n; k++)
        {
          gtk_drop_down_set_selected (metric, k);
          settle ();
          g_test_message ("%s, metric %u: %d, page %d", pairs[i][0], k, get_least_width (window),
                          get_least_width (page));
          assert_soon_cmpint (get_least_width (window), <=, WIDTH);
        }
      /* Nor is the list cut off. */
      GtkAdjustment *list = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (get (page, "list")));
      assert_soon_cmpfloat (gtk_adjustment_get_upper (list), <=,
                            gtk_adjustment_get_page_size (list));
      shoot ("compare-fits");
      close_window (window);
    }
  g_object_set (settings, "gtk-xft-dpi", (int) USUAL_DPI, NULL);
}

TEST ("/compare/slices")
{
  const MakeResult what = { .n_sizes = 3, .factor = 2 };
  g_autofree char *second = in_folder ("twice.cured");
  CuredWindow *window = open_result ("sizes.cured");
  GtkWidget *page = show_page (window);
  gsize nx;

  make_result (second, &what);
  cured_compare_page_open (CURED_COMPARE_PAGE (page), second);
  assert_soon (shows_view (page));
  settle ();
  GtkWidget *slider = gtk_grid_get_child_at (GTK_GRID (get (get (page, "slices"), "grid")), 1, 0);
  gtk_range_set_value (GTK_RANGE (slider), 0);
  settle ();
  gint64 cell = get_grid (page)->cells[0];
  g_autofree char *value = g_strdup (gtk_label_get_label (GTK_LABEL (get (page, "value_a"))));
  gtk_widget_grab_focus (slider);
  press ("Right");
  assert_soon_cmpfloat (gtk_range_get_value (GTK_RANGE (slider)), ==, 1);
  assert_soon_cmpint (get_grid (page)->cells[0], !=, cell);
  /* The samples are of the cell under the cursor. */
  assert_soon_cmpstr (gtk_label_get_label (GTK_LABEL (get (page, "value_a"))), !=, value);
  assert_soon_cmpint (get_grid (page)->other_cells[0], ==, get_grid (page)->cells[0]);
  shoot ("compare-slices");

  nx = get_grid (page)->nx;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (page, "x_axis")), 1);
  settle ();
  assert_soon_cmpuint (get_grid (page)->ny, ==, nx);
  assert_soon_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (get (page, "y_axis"))), ==, 0);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (page, "x_axis")), 2);
  settle ();
  assert_soon_cmpuint (get_grid (page)->nx, ==, 3);
  assert_soon_cmpuint (get_grid (page)->ny, ==, nx);
}
