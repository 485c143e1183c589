/* SPDX-License-Identifier: MIT
 * How a result's map is seen: what follows from what, and what is notified. No display. */
#include <stdlib.h>

#include <math.h>

#include "make-result.h"
#include "model/cured-gui-model.h"
#include "soon.h"
#include "test.h"

/* What was notified since the last look. */
typedef struct
{
  CuredMapView *view;
  GPtrArray *names;
  gsize n_rows; /* of the grid, at the first notification */
} Heard;

static void
heard_cb (Heard *heard, GParamSpec *pspec)
{
  const CuredGrid *grid = cured_map_view_get_grid (heard->view);

  if (heard->names->len == 0)
    heard->n_rows = grid != NULL ? grid->ny : 0;
  g_ptr_array_add (heard->names, (gpointer) pspec->name);
}

static void
listen (Heard *heard, CuredMapView *view)
{
  heard->view = view;
  heard->names = g_ptr_array_new ();
  g_signal_connect_swapped (view, "notify", G_CALLBACK (heard_cb), heard);
}

static void
stop_listening (Heard *heard)
{
  g_signal_handlers_disconnect_by_data (heard->view, heard);
  g_ptr_array_unref (heard->names);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

static char *
sort_names (const GPtrArray *names)
{
  GString *sorted = g_string_new (NULL);

  qsort (names->pdata, names->len, sizeof (gpointer), compare_names);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (sorted, "%s ", (const char *) names->pdata[i]);
  return g_string_free (sorted, FALSE);
}

/* Each of @expected once, in whatever order, and nothing else. */
static void
assert_heard (Heard *heard, const char *expected)
{
  g_auto (GStrv) split = g_strsplit (expected, " ", -1);
  GPtrArray names = { (gpointer *) split, *expected != '\0' ? g_strv_length (split) : 0 };
  g_autofree char *should = sort_names (&names);
  g_autofree char *is = sort_names (heard->names);

  g_assert_cmpstr (is, ==, should);
  g_ptr_array_set_size (heard->names, 0);
}

#define EVERYTHING                                                                                 \
  "result grid x-axis y-axis has-y-axis positions metric contour colours logarithmic relative "    \
  "fit-colours limits region best-over marginals hide-alike is-live cursor selection cell"

/* A result as it is while it is measured: no file behind it. */
static CuredResult *
make_live (const MakeResult *what)
{
  g_autoptr (CuredPlan) plan = make_plan (what);
  CuredDeviceInfo device;

  make_device_info (&device);
  CuredResult *result = cured_result_new (plan, &device, NULL);
  cured_device_info_clear (&device);
  return result;
}

static void
fill_cell (CuredResult *result, const MakeResult *what, gint64 cell)
{
  g_autoptr (CuredPlan) plan = make_plan (what);
  g_autoptr (CuredOutcome) outcome = make_outcome (what, plan, cell);

  cured_result_set_outcome (result, cell, outcome);
}

static CuredResult *
make_whole (const MakeResult *what)
{
  g_autoptr (CuredPlan) plan = make_plan (what);
  CuredResult *result = make_live (what);

  for (gint64 i = 0; i < cured_result_get_n_cells (result); i++)
    if (cured_result_get_state (result, i) != CURED_STATE_NOT_LAUNCHABLE)
      {
        g_autoptr (CuredOutcome) outcome = make_outcome (what, plan, i);

        cured_result_set_outcome (result, i, outcome);
      }
  return result;
}

/* Of another kernel. */
static CuredResult *
make_other (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("vector/add", &fail));
  CuredDeviceInfo device;

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_assert_true (cured_spec_parse_axis (spec, "blocks=1..7", &error));
  make_device_info (&device);
  g_autoptr (CuredPlan) plan = MUST (cured_plan_new (spec, &device.limits, &fail));
  CuredResult *result = cured_result_new (plan, &device, NULL);
  cured_device_info_clear (&device);
  return result;
}

static gsize
find_axis (CuredResult *result, const char *name)
{
  gsize n;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n);

  for (gsize i = 0; i < n; i++)
    if (g_str_equal (axes[i].name, name))
      return i;
  g_assert_not_reached ();
}

static gsize
find_metric (CuredResult *result, const char *id)
{
  gsize metric;

  g_assert_true (cured_result_find_metric (result, id, &metric));
  return metric;
}

/* The cell under the cursor. */
static gint64
get_cursor_cell (CuredMapView *view)
{
  const CuredGrid *grid = cured_map_view_get_grid (view);
  gsize column, row;

  g_assert_true (cured_map_view_get_cursor (view, &column, &row));
  return grid->cells[row * grid->nx + column];
}

TEST ("/map-view/result")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ 0 });
  Heard heard;
  gsize column, row;

  listen (&heard, view);
  g_assert_null (cured_map_view_get_grid (view));
  g_assert_false (cured_map_view_get_cursor (view, &column, &row));
  cured_map_view_set_result (view, result, -1);
  /* Whoever hears of one property may read all others. */
  const CuredGrid *grid = cured_map_view_get_grid (view);
  g_assert_cmpuint (heard.n_rows, ==, grid->ny);
  assert_heard (&heard, EVERYTHING);
  g_assert_cmpint (grid->best, >=, 0);
  g_assert_cmpint (cured_map_view_get_cell (view), ==, grid->cells[grid->best]);
  g_assert_cmpint (get_cursor_cell (view), ==, cured_map_view_get_cell (view));
  g_assert_true (cured_map_view_is_best (view, cured_map_view_get_cell (view)));

  cured_map_view_set_result (view, result, -1);
  assert_heard (&heard, "");
  cured_map_view_set_result (view, NULL, -1);
  assert_heard (&heard, EVERYTHING);
  g_assert_null (cured_map_view_get_grid (view));
  g_assert_cmpint (cured_map_view_get_cell (view), ==, -1);
  stop_listening (&heard);
  g_assert_finalize_object (g_steal_pointer (&view));
}

TEST ("/map-view/metric")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ 0 });
  gsize bandwidth = find_metric (result, "bandwidth");
  guint64 metric;
  Heard heard;

  cured_map_view_set_result (view, result, -1);
  gint64 cell = cured_map_view_get_cell (view);
  double before = cured_map_view_get_grid (view)->values[0];
  listen (&heard, view);
  g_object_set (view, "metric", (guint64) bandwidth, NULL);
  assert_heard (&heard, "grid metric");
  g_object_get (view, "metric", &metric, NULL);
  g_assert_cmpuint (metric, ==, bandwidth);
  g_assert_cmpfloat (cured_map_view_get_grid (view)->values[0], !=, before);
  g_assert_cmpint (cured_map_view_get_cell (view), ==, cell);

  /* The same, and one that there is not. */
  g_object_set (view, "metric", (guint64) bandwidth, NULL);
  g_object_set (view, "metric", (guint64) 100000, NULL);
  assert_heard (&heard, "");
  g_assert_cmpuint (cured_map_view_get_view (view)->metric, ==, bandwidth);
  stop_listening (&heard);
}

/* What one test chose, the next one does not find. */
static void
forget_choices (void)
{
  if (cured_settings_get () != NULL)
    g_settings_reset (cured_settings_get (), "toggles");
}

TEST ("/map-view/looks")
{
  static const char *const flags[] = { "logarithmic", "region", "best-over", "marginals",
                                       "hide-alike" };
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ 0 });
  Heard heard;

  cured_map_view_set_result (view, result, -1);
  listen (&heard, view);
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      g_autofree char *expected = g_strconcat ("grid ", flags[i], NULL);
      gboolean was, is;

      g_object_get (view, flags[i], &was, NULL);
      g_object_set (view, flags[i], !was, NULL);
      assert_heard (&heard, expected);
      g_object_get (view, flags[i], &is, NULL);
      g_assert_cmpint (is, ==, !was);
      g_object_set (view, flags[i], !was, NULL);
      assert_heard (&heard, "");
    }
  g_object_set (view, "colours", (guint64) 1, NULL);
  assert_heard (&heard, "grid colours");
  g_object_set (view, "colours", (guint64) 1, NULL);
  g_object_set (view, "colours", (guint64) 100000, NULL);
  assert_heard (&heard, "");

  /* One more than a metric's index; 0: none. */
  guint64 number = find_metric (result, "bandwidth") + 1;
  g_object_set (view, "contour", number, NULL);
  assert_heard (&heard, "grid contour");
  g_assert_cmpstr (cured_map_view_get_view (view)->contour, ==, "bandwidth");
  g_object_get (view, "contour", &number, NULL);
  g_assert_cmpuint (number, ==, find_metric (result, "bandwidth") + 1);
  g_object_set (view, "contour", (guint64) 0, NULL);
  assert_heard (&heard, "grid contour");
  g_assert_null (cured_map_view_get_view (view)->contour);
  stop_listening (&heard);
  forget_choices ();
}

/* What was chosen for a metric is there when it is shown again. */
TEST ("/map-view/logarithm-per-metric")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ 0 });
  gsize bandwidth = find_metric (result, "bandwidth");
  gsize time = find_metric (result, "time");

  cured_map_view_set_result (view, result, -1);
  gboolean was = cured_map_view_get_view (view)->logarithmic;
  g_object_set (view, "logarithmic", !was, NULL);
  cured_map_view_set_metric (view, bandwidth);
  g_object_set (view, "logarithmic", cured_map_view_get_view (view)->logarithmic, NULL);
  cured_map_view_set_metric (view, time);
  g_assert_cmpint (cured_map_view_get_view (view)->logarithmic, ==, !was);
  g_object_set (view, "logarithmic", was, NULL);
  cured_map_view_set_metric (view, bandwidth);
  cured_map_view_set_metric (view, time);
  g_assert_cmpint (cured_map_view_get_view (view)->logarithmic, ==, was);
  forget_choices ();
}

/* … and by another view, of another result. */
TEST ("/map-view/choices-stay")
{
  static const char *const flags[] = { "logarithmic", "relative", "fit-colours" };
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ 0 });
  g_autoptr (CuredResult) later = make_whole (&(MakeResult){ 0 });

  if (cured_settings_get () == NULL)
    {
      g_test_skip ("the settings' schema is not there");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      g_autoptr (CuredMapView) view = cured_map_view_new ();
      g_autoptr (CuredMapView) other = cured_map_view_new ();
      gboolean was, is;

      cured_map_view_set_result (view, result, -1);
      g_object_get (view, flags[i], &was, NULL);
      g_object_set (view, flags[i], !was, NULL);
      cured_map_view_set_result (other, later, -1);
      g_object_get (other, flags[i], &is, NULL);
      g_assert_cmpint (is, ==, !was);
      /* Of this metric alone. */
      cured_map_view_set_metric (other, find_metric (result, "bandwidth"));
      g_object_get (other, flags[i], &is, NULL);
      if (i > 0)
        g_assert_cmpint (is, ==, was);
      forget_choices ();
    }
}

/* Limits are of a metric, and go with another kernel. */
TEST ("/map-view/limits")
{
  const CuredColourLimits limits = { .has_high = TRUE, .high = 2000 };
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ 0 });
  g_autoptr (CuredResult) later = make_whole (&(MakeResult){ 0 });
  gsize time = find_metric (result, "time");

  cured_map_view_set_result (view, result, -1);
  cured_map_view_set_metric (view, time);
  Heard heard;
  listen (&heard, view);
  cured_map_view_set_limits (view, &limits);
  assert_heard (&heard, "limits grid");
  cured_map_view_set_limits (view, &limits);
  assert_heard (&heard, "");
  stop_listening (&heard);
  g_assert_cmpfloat (cured_map_view_get_grid (view)->limits.high, ==, 2000);
  cured_map_view_set_metric (view, find_metric (result, "bandwidth"));
  g_assert_false (cured_map_view_get_grid (view)->limits.has_high);
  cured_map_view_set_metric (view, time);
  g_assert_true (cured_map_view_get_grid (view)->limits.has_high);
  cured_map_view_set_result (view, later, -1);
  g_assert_true (cured_map_view_get_grid (view)->limits.has_high);
  cured_map_view_set_limits (view, &(CuredColourLimits){ 0 });
  g_assert_false (cured_map_view_get_grid (view)->limits.has_high);
  cured_map_view_set_limits (view, &limits);
  cured_map_view_set_result (view, NULL, -1);
  cured_map_view_set_result (view, result, -1);
  g_assert_false (cured_map_view_get_grid (view)->limits.has_high);
  forget_choices ();
}

TEST ("/map-view/axes")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ .n_blocks = 5, .n_sizes = 3 });
  gsize tile = find_axis (result, "tile");
  gsize blocks = find_axis (result, "blocks");
  gsize n = find_axis (result, "n");
  Heard heard;

  cured_map_view_set_result (view, result, -1);
  const CuredView *about = cured_map_view_get_view (view);
  g_assert_cmpuint (about->x_axis, ==, tile);
  g_assert_cmpuint (about->y_axis, ==, blocks);
  cured_map_view_set_cursor (view, 2, 3);
  gint64 cell = get_cursor_cell (view);
  cured_map_view_begin_selection (view, 2, 3);
  listen (&heard, view);

  /* The axis that the other one has: they are swapped, and the cursor stays on its cell. */
  g_object_set (view, "x-axis", (guint64) blocks, NULL);
  assert_heard (&heard, "grid x-axis y-axis has-y-axis positions cursor selection");
  g_assert_cmpuint (about->x_axis, ==, blocks);
  g_assert_cmpuint (about->y_axis, ==, tile);
  g_assert_cmpuint (cured_map_view_get_grid (view)->nx, ==, 5);
  g_assert_cmpint (get_cursor_cell (view), ==, cell);
  g_object_set (view, "y-axis", (guint64) tile, NULL);
  g_object_set (view, "y-axis", (guint64) 100000, NULL);
  assert_heard (&heard, "");

  cured_map_view_set_axes (view, n, blocks);
  g_assert_cmpuint (cured_map_view_get_grid (view)->nx, ==, 3);
  g_assert_cmpint (get_cursor_cell (view), ==, cell);
  stop_listening (&heard);
}

TEST ("/map-view/slices")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ .n_blocks = 5, .n_sizes = 3 });
  gsize n = find_axis (result, "n");
  gsize positions[3] = { 0 };
  Heard heard;

  cured_map_view_set_result (view, result, -1);
  cured_map_view_set_position (view, n, 0);
  cured_map_view_set_cursor (view, 2, 3);
  gint64 cell = cured_map_view_get_cell (view);
  listen (&heard, view);
  cured_map_view_set_position (view, n, 2);
  assert_heard (&heard, "grid positions cell");
  cured_map_view_set_position (view, n, 2);
  assert_heard (&heard, "");
  /* The map has other cells, and the details follow. */
  g_assert_cmpint (cured_map_view_get_cell (view), ==, get_cursor_cell (view));
  cured_result_get_positions (result, get_cursor_cell (view), positions);
  g_assert_cmpuint (positions[n], ==, 2);

  /* A cell of another slice brings its slice and the cursor. */
  cured_result_get_positions (result, cell, positions);
  positions[n] = 1;
  positions[find_axis (result, "tile")] = 4;
  gint64 other = cured_result_get_cell (result, positions);
  cured_map_view_set_cell (view, other);
  assert_heard (&heard, "grid positions cursor cell");
  g_assert_cmpint (get_cursor_cell (view), ==, other);
  g_assert_cmpuint (cured_map_view_get_view (view)->positions[n], ==, 1);
  cured_map_view_set_cell (view, other);
  assert_heard (&heard, "");
  /* One of the same slice brings the cursor alone. */
  positions[find_axis (result, "tile")] = 1;
  other = cured_result_get_cell (result, positions);
  cured_map_view_set_cell (view, other);
  assert_heard (&heard, "cursor cell");
  g_assert_cmpint (get_cursor_cell (view), ==, other);
  /* None. */
  cured_map_view_set_cell (view, -1);
  assert_heard (&heard, "cell");
  g_assert_cmpint (get_cursor_cell (view), ==, other);
  stop_listening (&heard);
}

/* Each place has the best of all slices, and the details are those of the cell that is. */
TEST ("/map-view/best-over")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ .n_blocks = 5, .n_sizes = 3 });
  gsize tile = find_axis (result, "tile");
  gsize blocks = find_axis (result, "blocks");
  gsize n_tiles = cured_axis_get_length (cured_result_get_axes (result, NULL)[tile].values);
  g_autofree double *best = g_new (double, n_tiles * 3);
  gsize positions[3];
  const CuredGrid *grid;
  guint n_elsewhere = 0;

  forget_choices ();
  cured_map_view_set_result (view, result, -1);
  cured_map_view_set_axes (view, tile, find_axis (result, "n"));
  for (gsize i = 0; i < 5; i++)
    {
      cured_map_view_set_position (view, blocks, i);
      grid = cured_map_view_get_grid (view);
      g_assert_cmpuint (grid->nx * grid->ny, ==, n_tiles * 3);
      for (gsize k = 0; k < n_tiles * 3; k++)
        best[k] = i == 0 ? grid->values[k] : fmin (best[k], grid->values[k]);
    }
  cured_map_view_set_position (view, blocks, 0);
  g_object_set (view, "best-over", TRUE, NULL);
  grid = cured_map_view_get_grid (view);
  for (gsize k = 0; k < n_tiles * 3; k++)
    {
      if (!isnan (best[k]))
        g_assert_cmpfloat (grid->values[k], ==, best[k]);
      cured_result_get_positions (result, grid->cells[k], positions);
      n_elsewhere += positions[blocks] != 0;
    }
  g_assert_cmpuint (n_elsewhere, >, 0);
  cured_map_view_set_cursor (view, 1, 1);
  g_assert_cmpint (cured_map_view_get_cell (view), ==, get_cursor_cell (view));
  forget_choices ();
}

TEST ("/map-view/selection")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) result = make_whole (&(MakeResult){ .n_blocks = 5 });
  CuredGridRect rect = { 0 };
  CuredSelectedAxis x, y;
  Heard heard;

  cured_map_view_set_result (view, result, -1);
  const CuredGrid *grid = cured_map_view_get_grid (view);
  g_assert_false (cured_map_view_get_selection (view, &rect));
  g_assert_null (cured_map_view_get_selected_cells (view));
  listen (&heard, view);
  cured_map_view_begin_selection (view, 3, 2);
  assert_heard (&heard, "cursor selection cell");
  /* To the left and down. */
  cured_map_view_extend_selection (view, 2, 1);
  assert_heard (&heard, "cursor selection cell");
  cured_map_view_extend_selection (view, 1, 1);
  assert_heard (&heard, "cursor selection cell");
  g_assert_true (cured_map_view_get_selection (view, &rect));
  g_assert_cmpuint (rect.column, ==, 1);
  g_assert_cmpuint (rect.row, ==, 1);
  g_assert_cmpuint (rect.n_columns, ==, 3);
  g_assert_cmpuint (rect.n_rows, ==, 2);
  g_autoptr (GArray) cells = cured_map_view_get_selected_cells (view);
  g_assert_cmpuint (cells->len, ==, 6);
  g_assert_cmpint (g_array_index (cells, gint64, 0), ==, grid->cells[1 * grid->nx + 1]);
  g_assert_cmpint (g_array_index (cells, gint64, 5), ==, grid->cells[2 * grid->nx + 3]);
  g_assert_true (cured_map_view_get_selection_axes (view, &x, &y));
  g_assert_cmpuint (x.axis, ==, find_axis (result, "tile"));
  g_assert_cmpuint (x.first, ==, 1);
  g_assert_cmpuint (x.last, ==, 3);
  g_assert_cmpint (x.least, ==, 64);
  g_assert_cmpint (x.most, ==, 128);
  g_assert_cmpuint (y.last - y.first, ==, 1);

  /* The cursor went elsewhere: from there. */
  cured_map_view_set_cursor (view, 5, 4);
  assert_heard (&heard, "cursor cell");
  cured_map_view_extend_selection (view, 4, 4);
  assert_heard (&heard, "cursor selection cell");
  g_assert_true (cured_map_view_get_selection (view, &rect));
  g_assert_cmpuint (rect.column, ==, 4);
  g_assert_cmpuint (rect.n_columns, ==, 2);

  /* Another metric is of the same cells. */
  g_object_set (view, "metric", (guint64) find_metric (result, "bandwidth"), NULL);
  assert_heard (&heard, "grid metric");
  g_assert_true (cured_map_view_get_selection (view, &rect));
  cured_map_view_set_selection (view, NULL);
  assert_heard (&heard, "selection");
  g_assert_false (cured_map_view_get_selection (view, &rect));
  cured_map_view_set_selection (view, NULL);
  assert_heard (&heard, "");
  cured_map_view_set_selection (view, &(CuredGridRect){ .n_columns = 2, .n_rows = 1 });
  assert_heard (&heard, "selection");
  stop_listening (&heard);
}

/* A result of the same kernel is looked at as the one before it was. */
TEST ("/map-view/next")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  const MakeResult what = { .n_blocks = 5, .n_sizes = 3 };
  g_autoptr (CuredResult) result = make_whole (&what);
  g_autoptr (CuredResult) again = make_whole (&what);
  g_autoptr (CuredResult) larger = make_whole (&(MakeResult){ .n_blocks = 6, .n_sizes = 3 });
  g_autoptr (CuredResult) other = make_other ();
  gsize bandwidth = find_metric (result, "bandwidth");
  CuredGridRect rect;
  Heard heard;

  cured_map_view_set_result (view, result, -1);
  const CuredView *about = cured_map_view_get_view (view);
  cured_map_view_swap_axes (view);
  cured_map_view_set_position (view, find_axis (result, "n"), 2);
  g_object_set (view, "metric", (guint64) bandwidth, "logarithmic", !about->logarithmic, "contour",
                (guint64) bandwidth + 1, NULL);
  cured_map_view_set_cursor (view, 1, 1);
  gint64 cell = cured_map_view_get_cell (view);
  cured_map_view_begin_selection (view, 1, 1);
  cured_map_view_extend_selection (view, 2, 2);
  listen (&heard, view);

  cured_map_view_set_result (view, again, cell);
  assert_heard (&heard, EVERYTHING);
  g_assert_cmpuint (about->x_axis, ==, find_axis (result, "blocks"));
  g_assert_cmpuint (about->metric, ==, bandwidth);
  g_assert_cmpstr (about->contour, ==, "bandwidth");
  g_assert_cmpuint (about->positions[find_axis (result, "n")], ==, 2);
  g_assert_cmpint (cured_map_view_get_cell (view), ==, cell);
  g_assert_true (cured_map_view_get_selection (view, &rect));
  g_assert_cmpuint (rect.n_columns, ==, 2);

  /* In a grid of another size, other cells would be selected. */
  cured_map_view_set_result (view, larger, -1);
  g_assert_cmpuint (about->x_axis, ==, find_axis (result, "blocks"));
  g_assert_cmpuint (about->metric, ==, bandwidth);
  g_assert_false (cured_map_view_get_selection (view, &rect));
  g_assert_true (cured_map_view_is_best (view, cured_map_view_get_cell (view)));

  /* Of another kernel, nothing stays; nor is there a moment with the old grid and the new
   * result. */
  g_ptr_array_set_size (heard.names, 0);
  cured_map_view_set_result (view, other, -1);
  assert_heard (&heard, "grid " EVERYTHING);
  g_assert_cmpuint (heard.n_rows, ==, 0);
  g_assert_null (about->contour);
  g_assert_cmpuint (about->metric, !=, bandwidth);
  stop_listening (&heard);
}

/* A view of a sweep that has just begun. */
static CuredMapView *
watch (CuredResult *result)
{
  CuredMapView *view = cured_map_view_new ();

  g_object_set (view, "is-live", TRUE, NULL);
  cured_map_view_set_result (view, result, -1);
  return view;
}

/* While a sweep fills a result, many cells are one notification. */
TEST ("/map-view/live")
{
  const MakeResult what = { 0 };
  g_autoptr (CuredResult) result = make_live (&what);
  g_autoptr (CuredMapView) view = watch (result);
  Heard heard;

  g_assert_cmpint (cured_map_view_get_cell (view), ==, -1);
  listen (&heard, view);
  for (gint64 i = 0; i < 20; i++)
    fill_cell (result, &what, i);
  assert_heard (&heard, "");
  assert_soon (heard.names->len > 0);
  assert_heard (&heard, "grid logarithmic");
  g_assert_cmpint (cured_map_view_get_grid (view)->best, >=, 0);
  g_assert_cmpint (cured_map_view_get_cell (view), ==, -1);

  /* At its end there is a best cell to look at. */
  fill_cell (result, &what, 20);
  g_object_set (view, "is-live", FALSE, NULL);
  assert_heard (&heard, "grid is-live cursor cell");
  g_assert_true (cured_map_view_is_best (view, cured_map_view_get_cell (view)));
  g_object_set (view, "is-live", FALSE, NULL);
  assert_heard (&heard, "");
  /* One that is let go of is not listened to. */
  fill_cell (result, &what, 21);
  stop_listening (&heard);
  g_assert_finalize_object (g_steal_pointer (&view));
  fill_cell (result, &what, 22);
}

static gsize
get_metric (CuredMapView *view)
{
  guint64 metric;

  g_object_get (view, "metric", &metric, NULL);
  return (gsize) metric;
}

/* A count that is the same in all cells gives way to one that is not, unless a person chose it. */
TEST ("/map-view/live-counts")
{
  for (int is_chosen = 0; is_chosen < 2; is_chosen++)
    {
      const MakeResult what = { 0 };
      g_autoptr (CuredResult) result = make_live (&what);
      g_autoptr (CuredMapView) view = watch (result);
      gsize ways = find_metric (result, "conflict_ways");
      gsize other = find_metric (result, "shared_wavefronts");

      for (gint64 cell = 0; cell < 3; cell++)
        {
          g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

          outcome->state = CURED_STATE_OK;
          outcome->metrics[CURED_METRIC_intensity] = 8;
          outcome->metrics[CURED_METRIC_shared_wavefronts] = 1000;
          outcome->metrics[CURED_METRIC_conflict_ways] = cell < 2 ? 1 : 2;
          cured_result_set_outcome (result, cell, outcome);
          if (cell != 1)
            continue;
          /* Neither differs yet. */
          assert_soon (get_metric (view) == other);
          if (is_chosen)
            {
              g_object_set (view, "metric", (guint64) ways, NULL);
              g_object_set (view, "metric", (guint64) other, NULL);
            }
        }
      assert_soon (get_metric (view) == (is_chosen ? other : ways));
    }
}

/* Colours become logarithmic as soon as the range is wide, unless the user chose otherwise. */
TEST ("/map-view/live-colours")
{
  const MakeResult what = { 0 };
  g_autoptr (CuredResult) result = make_live (&what);
  g_autoptr (CuredMapView) view = watch (result);
  gboolean is_logarithmic;

  g_object_get (view, "logarithmic", &is_logarithmic, NULL);
  g_assert_false (is_logarithmic);
  for (gint64 cell = 0; cell < 3; cell++)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      outcome->state = CURED_STATE_OK;
      outcome->metrics[CURED_METRIC_shared_wavefronts] = cell == 0 ? 10 : 100000.0 * (double) cell;
      cured_result_set_outcome (result, cell, outcome);
    }
  assert_soon ((g_object_get (view, "logarithmic", &is_logarithmic, NULL), is_logarithmic));
}

/* The ratio of two results: its grid comes when both have their figures. */
TEST ("/map-view/pair")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) a = make_whole (&(MakeResult){ .n_blocks = 5 });
  g_autoptr (CuredResult) b = make_whole (&(MakeResult){ .n_blocks = 5, .factor = 2 });
  gsize bandwidth = find_metric (a, "bandwidth");
  Heard heard;

  listen (&heard, view);
  cured_map_view_set_pair (view, a, b);
  assert_heard (&heard, EVERYTHING);
  g_assert_null (cured_map_view_get_grid (view));
  cured_map_view_load_pair (view, a, b);
  assert_heard (&heard, "grid");
  const CuredGrid *grid = cured_map_view_get_grid (view);
  g_assert_cmpuint (grid->ny, ==, 5);
  cured_map_view_set_metric (view, bandwidth);
  assert_heard (&heard, "metric");
  g_assert_true (cured_map_view_get_grid (view) == grid);
  cured_map_view_load_pair (view, a, b);
  assert_heard (&heard, "grid");
  /* A cell is marked alone. */
  cured_map_view_set_cell (view, 3);
  assert_heard (&heard, "cell");
  stop_listening (&heard);
}

/* Of a pair, a file was replaced by one of fewer values and of another last axis while it was
 * looked at. */
TEST ("/map-view/pair-replaced")
{
  g_autoptr (CuredMapView) view = cured_map_view_new ();
  g_autoptr (CuredResult) large =
      make_whole (&(MakeResult){ .n_tiles = 4, .n_blocks = 5, .n_sizes = 3 });
  g_autoptr (CuredResult) small = make_whole (&(MakeResult){ .n_tiles = 2, .n_blocks = 3 });
  gsize n_axes;

  cured_result_get_axes (large, &n_axes);
  g_assert_cmpuint (n_axes, ==, 3);
  cured_map_view_set_pair (view, large, large);
  for (gsize i = 0; i < n_axes; i++)
    {
      gsize length = cured_axis_get_length (cured_result_get_axes (large, NULL)[i].values);

      cured_map_view_set_position (view, i, length - 1);
    }
  cured_map_view_load_pair (view, large, large);
  const CuredGrid *grid = cured_map_view_get_grid (view);
  cured_map_view_set_cursor (view, grid->nx - 1, grid->ny - 1);

  /* The second one, and then both. */
  cured_map_view_load_pair (view, large, small);
  g_assert_nonnull (cured_map_view_get_grid (view));
  cured_map_view_load_pair (view, small, small);
  grid = cured_map_view_get_grid (view);
  g_assert_nonnull (grid);
  g_assert_cmpuint (grid->nx * grid->ny, ==, 6);
  g_assert_true (cured_map_view_get_result (view) == small);
  for (gsize i = 0; i < n_axes; i++)
    g_assert_cmpuint (cured_map_view_get_view (view)->positions[i], <,
                      cured_axis_get_length (cured_result_get_axes (small, NULL)[i].values));
}
