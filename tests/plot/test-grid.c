/* SPDX-License-Identifier: MIT
 * The slice of a result that a view shows, and where its values stand. */
#include "cured-plot.h"
#include "make-result.h"

#include <math.h>
#include "measure/cured-measure-internal.h"
#include "plot/cured-colour-map-internal.h"
#include "plot/map/cured-grid-internal.h"
#include "test.h"

/* A result as it is while it is measured: no file behind it. */
static CuredResult *
make_live (const MakeResult *what, CuredPlan **plan)
{
  CuredDeviceInfo device;

  *plan = make_plan (what);
  make_device_info (&device);
  CuredResult *result = cured_result_new (*plan, &device, NULL);
  cured_device_info_clear (&device);
  return result;
}

static void
set_time (CuredResult *result, gint64 cell, double time_ns)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->metrics[CURED_METRIC_time] = time_ns;
  outcome->metrics[CURED_METRIC_time_low] = time_ns * 0.9;
  outcome->metrics[CURED_METRIC_time_high] = time_ns * 1.1;
  outcome->metrics[CURED_METRIC_registers] = time_ns / 2;
  outcome->metrics[CURED_METRIC_bandwidth] = 1e15 / time_ns;
  outcome->metrics[CURED_METRIC_instructions] = time_ns * 3;
  outcome->metrics[CURED_METRIC_sectors_per_request] = time_ns / 100;
  cured_result_set_outcome (result, cell, outcome);
}

static void
fill (CuredResult *result)
{
  for (gint64 i = 0; i < cured_result_get_n_cells (result); i++)
    if (cured_result_get_state (result, i) != CURED_STATE_NOT_LAUNCHABLE)
      set_time (result, i, 1000 + (double) ((i * 7919) % 997));
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

static void
choose_metric (CuredResult *result, CuredView *view, CuredMetric metric)
{
  g_assert_true (cured_result_find_metric (result, cured_metric_info (metric)->id, &view->metric));
}

TEST ("/grid/slice")
{
  MakeResult what = { .n_tiles = 8, .n_blocks = 5, .n_sizes = 3 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };
  gsize n_ok = 0;

  fill (result);
  cured_view_init (&view, result);
  g_assert_cmpuint (view.x_axis, ==, find_axis (result, "tile"));
  g_assert_cmpuint (view.y_axis, ==, find_axis (result, "blocks"));
  view.positions[find_axis (result, "n")] = 1;
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);

  g_assert_cmpuint (grid->nx, ==, 8);
  g_assert_cmpuint (grid->ny, ==, 5);
  g_assert_cmpstr (grid->x_title, ==, "tile");
  g_assert_cmpstr (grid->y_title, ==, "blocks");
  g_assert_cmpstr (grid->x_summary, ==, "Threads per block");
  g_assert_false (cured_grid_is_line (grid));
  g_assert_null (grid->lows);
  for (gsize y = 0; y < grid->ny; y++)
    for (gsize x = 0; x < grid->nx; x++)
      {
        gsize i = y * grid->nx + x;
        gsize positions[3];

        cured_result_get_positions (result, grid->cells[i], positions);
        g_assert_cmpuint (positions[view.x_axis], ==, x);
        g_assert_cmpuint (positions[view.y_axis], ==, y);
        g_assert_cmpuint (positions[find_axis (result, "n")], ==, 1);
        g_assert_cmpuint (grid->states[i], ==, cured_result_get_state (result, grid->cells[i]));
        if (grid->states[i] != CURED_STATE_OK)
          {
            g_assert_true (isnan (grid->values[i]));
            continue;
          }
        n_ok++;
        g_assert_cmpfloat (grid->values[i], ==,
                           cured_result_get_value (result, grid->cells[i], view.metric));
        g_assert_cmpfloat (grid->values[i], >=, grid->low);
        g_assert_cmpfloat (grid->values[i], <=, grid->high);
        g_assert_cmpfloat (grid->values[i], >=, grid->values[grid->best]);
      }
  g_assert_cmpuint (n_ok, ==, grid->n_states[CURED_STATE_OK]);
  g_assert_cmpuint (n_ok, ==, 35);
  g_assert_cmpuint (grid->n_states[CURED_STATE_NOT_LAUNCHABLE], ==, 5);
  g_assert_cmpfloat (grid->low, ==, grid->values[grid->best]);
}

TEST ("/grid/transposed")
{
  MakeResult what = { .n_tiles = 4, .n_blocks = 3 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 }, other = { 0 };

  fill (result);
  cured_view_init (&view, result);
  cured_view_copy (&view, result, &other);
  other.x_axis = view.y_axis;
  other.y_axis = view.x_axis;
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_autoptr (CuredGrid) turned = cured_grid_new (result, &other);
  for (gsize y = 0; y < grid->ny; y++)
    for (gsize x = 0; x < grid->nx; x++)
      g_assert_cmpint (grid->cells[y * grid->nx + x], ==, turned->cells[x * turned->nx + y]);
}

TEST ("/grid/line")
{
  MakeResult what = { .n_tiles = 1, .n_blocks = 7 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };

  fill (result);
  cured_view_init (&view, result);
  /* The file's X has one value here: the axis that runs takes its place. */
  g_assert_cmpuint (view.x_axis, ==, find_axis (result, "blocks"));
  g_assert_cmpuint (view.y_axis, ==, CURED_AXIS_NONE);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_assert_true (cured_grid_is_line (grid));
  g_assert_cmpuint (grid->nx, ==, 7);
  g_assert_cmpuint (grid->ny, ==, 1);
  g_assert_nonnull (grid->lows);
  for (gsize i = 0; i < 7; i++)
    {
      g_assert_cmpfloat (grid->lows[i], <, grid->values[i]);
      g_assert_cmpfloat (grid->highs[i], >, grid->values[i]);
    }
  choose_metric (result, &view, CURED_METRIC_registers);
  g_autoptr (CuredGrid) registers = cured_grid_new (result, &view);
  g_assert_null (registers->lows);
}

/* Another result is looked at as the one before it was, as far as it goes. */
TEST ("/grid/adopt")
{
  MakeResult what = { .n_tiles = 8, .n_blocks = 5, .n_sizes = 3 };
  MakeResult line = { .n_tiles = 8, .n_blocks = 1 };
  g_autoptr (CuredPlan) plan = NULL, other_plan = NULL, line_plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_autoptr (CuredResult) other = make_live (&what, &other_plan);
  g_autoptr (CuredResult) narrow = make_live (&line, &line_plan);
  g_auto (CuredView) old = { 0 }, view = { 0 }, line_view = { 0 };

  fill (result);
  fill (narrow);
  cured_view_init (&old, result);
  choose_metric (result, &old, CURED_METRIC_registers);
  old.x_axis = find_axis (result, "n");
  old.y_axis = find_axis (result, "tile");
  old.contour = cured_metric_info (CURED_METRIC_bandwidth)->id;
  old.logarithmic = !old.logarithmic;

  /* Nothing was run yet, nor will be: axes alone. */
  cured_view_init (&view, other);
  gsize time = view.metric;
  cured_view_adopt (&view, other, &old, result, FALSE);
  g_assert_cmpuint (view.metric, ==, time);
  g_assert_null (view.contour);
  g_assert_cmpuint (view.x_axis, ==, find_axis (other, "n"));
  g_assert_cmpuint (view.y_axis, ==, find_axis (other, "tile"));
  /* It comes in. */
  cured_view_adopt (&view, other, &old, result, TRUE);
  g_assert_cmpstr (cured_result_get_metrics (other, NULL)[view.metric].id, ==,
                   cured_metric_info (CURED_METRIC_registers)->id);
  g_assert_cmpstr (view.contour, ==, old.contour);
  g_assert_cmpint (view.logarithmic, ==, old.logarithmic);

  /* One with values. */
  cured_view_init (&line_view, narrow);
  cured_view_adopt (&line_view, narrow, &old, result, FALSE);
  g_assert_cmpstr (cured_result_get_metrics (narrow, NULL)[line_view.metric].id, ==,
                   cured_metric_info (CURED_METRIC_registers)->id);
}

TEST ("/grid/single")
{
  MakeResult what = { .n_tiles = 1, .n_blocks = 1 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };

  set_time (result, 0, 4000);
  cured_view_init (&view, result);
  g_assert_cmpuint (view.y_axis, ==, CURED_AXIS_NONE);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_assert_cmpuint (grid->nx * grid->ny, ==, 1);
  g_assert_false (cured_grid_is_line (grid));
  g_assert_cmpfloat (cured_grid_get_position (grid, 4000), ==, 0.5);
}

TEST ("/grid/empty")
{
  MakeResult what = { .n_tiles = 4, .n_blocks = 3 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };
  gsize n;

  cured_view_init (&view, result);
  g_assert_cmpstr (cured_result_get_metrics (result, &n)[view.metric].id, ==, "time");
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_assert_true (isnan (grid->low));
  g_assert_true (isnan (grid->high));
  g_assert_cmpint (grid->best, ==, -1);
  g_assert_true (isnan (cured_grid_get_position (grid, 5)));
  g_assert_true (isnan (cured_grid_get_value (grid, 0.5)));
  g_assert_cmpuint (grid->n_states[CURED_STATE_NOT_RUN], ==, 9);
}

/* Cells that are ok and lack the metric are not those that did not run. */
TEST ("/grid/lacking")
{
  MakeResult what = { .n_tiles = 2, .n_blocks = 2 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_auto (CuredView) view = { 0 };
  gsize n;

  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->metrics[CURED_METRIC_registers] = 40;
  cured_result_set_outcome (result, 0, outcome);
  cured_view_init (&view, result);
  g_assert_cmpstr (cured_result_get_metrics (result, &n)[view.metric].id, ==, "registers");
  choose_metric (result, &view, CURED_METRIC_time);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_assert_cmpuint (grid->n_empty, ==, 1);
  g_assert_cmpuint (grid->n_states[CURED_STATE_OK], ==, 1);
  g_assert_cmpint (grid->best, ==, -1);
}

/* A file of the emulator has no time: the first count that varies. */
TEST ("/grid/default/count")
{
  MakeResult what = { .n_tiles = 2, .n_blocks = 1 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };
  gsize n;

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
      outcome->metrics[CURED_METRIC_compile_time] = 1000 + i;
      outcome->metrics[CURED_METRIC_shared_wavefronts] = 64;
      outcome->metrics[CURED_METRIC_excess_wavefronts] = 0;
      outcome->metrics[CURED_METRIC_global_sectors] = 8 + i;
      outcome->metrics[CURED_METRIC_instructions] = 100 + i;
      cured_result_set_outcome (result, i, outcome);
    }
  cured_view_init (&view, result);
  g_assert_cmpstr (cured_result_get_metrics (result, &n)[view.metric].id, ==, "global_sectors");
}

TEST ("/grid/default/positions")
{
  MakeResult what = { .n_tiles = 3, .n_blocks = 3, .n_sizes = 2 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  gsize n_axis = find_axis (result, "n");
  gsize positions[3] = { 0 };

  /* The first size is the default; only the second one has a value. */
  positions[n_axis] = 1;
  gint64 cell = cured_result_get_cell (result, positions);
  set_time (result, cell, 5000);
  {
    g_auto (CuredView) view = { 0 };

    cured_view_init (&view, result);
    g_assert_cmpuint (view.positions[n_axis], ==, 1);
  }
  positions[n_axis] = 0;
  set_time (result, cured_result_get_cell (result, positions), 9000);
  {
    g_auto (CuredView) view = { 0 };

    cured_view_init (&view, result);
    g_assert_cmpuint (view.positions[n_axis], ==, 0);
  }
}

TEST ("/grid/default/logarithm")
{
  MakeResult what = { .n_tiles = 2, .n_blocks = 2 };

  for (int wide = 0; wide < 2; wide++)
    {
      g_autoptr (CuredPlan) plan = NULL;
      g_autoptr (CuredResult) result = make_live (&what, &plan);
      g_auto (CuredView) view = { 0 };

      set_time (result, 0, 1000);
      set_time (result, 1, wide ? 2100 : 1900);
      cured_view_init (&view, result);
      g_assert_cmpint (view.logarithmic, ==, wide);
    }
}

static void
check_inverse (const CuredGrid *grid)
{
  for (int i = 0; i <= 10; i++)
    {
      double value = cured_grid_get_value (grid, i / 10.0);

      g_assert_cmpfloat_with_epsilon (cured_grid_get_position (grid, value), i / 10.0, 1e-9);
    }
}

TEST ("/grid/position")
{
  CuredGrid grid = {
    .low = 10,
    .high = 1000,
    .metric = { .better = CURED_BETTER_LOWER },
  };

  /* The good end is bright, whichever it is. */
  g_assert_cmpfloat (cured_grid_get_position (&grid, 10), ==, 1);
  g_assert_cmpfloat (cured_grid_get_position (&grid, 1000), ==, 0);
  g_assert_cmpfloat_with_epsilon (cured_grid_get_position (&grid, 505), 0.5, 1e-12);
  check_inverse (&grid);
  grid.logarithmic = TRUE;
  g_assert_cmpfloat_with_epsilon (cured_grid_get_position (&grid, 100), 0.5, 1e-12);
  check_inverse (&grid);

  grid.metric.better = CURED_BETTER_HIGHER;
  g_assert_cmpfloat (cured_grid_get_position (&grid, 10), ==, 0);
  g_assert_cmpfloat (cured_grid_get_position (&grid, 1000), ==, 1);
  check_inverse (&grid);
  grid.metric.better = CURED_BETTER_NEITHER;
  g_assert_cmpfloat (cured_grid_get_position (&grid, 1000), ==, 1);

  /* What is outside the range is as its end. */
  g_assert_cmpfloat (cured_grid_get_position (&grid, 1e9), ==, 1);
  g_assert_cmpfloat (cured_grid_get_position (&grid, -5), ==, 0);
  g_assert_true (isnan (cured_grid_get_position (&grid, NAN)));
}

/* A logarithm of 0 is not a position: such a grid is linear. */
TEST ("/grid/zero")
{
  CuredGrid grid = {
    .low = 0,
    .high = 100,
    .logarithmic = TRUE,
    .metric = { .better = CURED_BETTER_HIGHER },
  };

  g_assert_cmpfloat (cured_grid_get_position (&grid, 0), ==, 0);
  g_assert_cmpfloat (cured_grid_get_position (&grid, 50), ==, 0.5);
  check_inverse (&grid);
  grid.low = -100;
  g_assert_cmpfloat (cured_grid_get_position (&grid, 0), ==, 0.5);
  check_inverse (&grid);
  grid.low = 100;
  g_assert_cmpfloat (cured_grid_get_position (&grid, 100), ==, 0.5);
}

/* Limits of one's own: what is beyond has the end's colour. */
TEST ("/grid/limits")
{
  CuredGrid grid = {
    .low = 10,
    .high = 1000,
    .limits = { .has_low = TRUE, .low = 100, .has_high = TRUE, .high = 300 },
    .metric = { .better = CURED_BETTER_HIGHER },
  };

  g_assert_cmpfloat (cured_grid_get_position (&grid, 10), ==, 0);
  g_assert_cmpfloat (cured_grid_get_position (&grid, 200), ==, 0.5);
  g_assert_cmpfloat (cured_grid_get_position (&grid, 1000), ==, 1);
  check_inverse (&grid);
  /* One end alone; beyond all values, too. */
  grid.limits.has_high = FALSE;
  g_assert_cmpfloat (cured_grid_get_position (&grid, 550), ==, 0.5);
  grid.limits.low = 2000;
  g_assert_cmpfloat (cured_grid_get_position (&grid, 1000), ==, 0);
  /* The logarithm needs an end above 0. */
  grid.limits.low = 0;
  grid.logarithmic = TRUE;
  g_assert_cmpfloat (cured_grid_get_position (&grid, 500), ==, 0.5);

  /* Of a ratio, either side has a scale of its own. */
  grid.other = (CuredResult *) &grid;
  grid.limits = (CuredColourLimits){ .has_high = TRUE, .high = 8, .has_centre = TRUE, .centre = 2 };
  grid.low = 0.5;
  grid.high = 100;
  g_assert_cmpfloat_with_epsilon (cured_grid_get_position (&grid, 2), 0.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (cured_grid_get_position (&grid, 4), 0.75, 1e-12);
  g_assert_cmpfloat_with_epsilon (cured_grid_get_position (&grid, 100), 1, 1e-12);
  check_inverse (&grid);
}

TEST ("/grid/limits-refused")
{
  static const struct
  {
    CuredColourLimits limits;
    gboolean is_ratio;
    gboolean is_right;
  } rows[] = {
    { { 0 }, FALSE, TRUE },
    { { .has_low = TRUE, .low = 2, .has_high = TRUE, .high = 3 }, FALSE, TRUE },
    { { .has_low = TRUE, .low = 3, .has_high = TRUE, .high = 3 }, FALSE, FALSE },
    { { .has_centre = TRUE, .centre = 1 }, FALSE, FALSE },
    { { .has_low = TRUE, .low = 0.5, .has_high = TRUE, .high = 3 }, TRUE, TRUE },
    { { .has_low = TRUE, .low = 2, .has_high = TRUE, .high = 3 }, TRUE, FALSE },
    { { .has_low = TRUE, .low = 2, .has_centre = TRUE, .centre = 2.5 }, TRUE, TRUE },
    { { .has_low = TRUE, .low = 0 }, TRUE, FALSE },
    { { .has_centre = TRUE, .centre = 0 }, TRUE, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_test_message ("row %zu", i);
      if (rows[i].is_right)
        MUST (cured_colour_limits_check (&rows[i].limits, rows[i].is_ratio, &fail));
      else
        FAILS (cured_colour_limits_check (&rows[i].limits, rows[i].is_ratio, &fail), CURED_ERROR,
               CURED_ERROR_INVALID, "colours");
    }
}

TEST ("/grid/neither")
{
  MakeResult what = { .n_tiles = 3, .n_blocks = 2 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };

  fill (result);
  cured_view_init (&view, result);
  choose_metric (result, &view, CURED_METRIC_registers);
  g_autoptr (CuredGrid) registers = cured_grid_new (result, &view);
  g_assert_cmpint (registers->best, ==, -1);
  choose_metric (result, &view, CURED_METRIC_bandwidth);
  g_autoptr (CuredGrid) bandwidth = cured_grid_new (result, &view);
  g_assert_cmpfloat (bandwidth->values[bandwidth->best], ==, bandwidth->high);
}

/* The axes of both files; a cell says which file has it. */
/* Work of the whole run grows with the grid: the least is no better. What is per request is. */
TEST ("/grid/totals")
{
  static const struct
  {
    CuredMetric metric;
    gboolean has_best;
  } rows[] = {
    { CURED_METRIC_instructions, FALSE },
    { CURED_METRIC_sectors_per_request, TRUE },
    { CURED_METRIC_time, TRUE },
  };
  MakeResult what = { .n_tiles = 4, .n_blocks = 3 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);

  fill (result);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (CuredView) view = { 0 };

      cured_view_init (&view, result);
      choose_metric (result, &view, rows[i].metric);
      g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
      g_assert_cmpint (grid->best >= 0, ==, rows[i].has_best);
      g_assert_cmpint (cured_grid_has_region (grid), ==, rows[i].has_best && grid->n_near_best > 1);
      g_assert_false (isnan (grid->low));
    }
}

/* The fastest cell races: another one is the best. */
TEST ("/grid/best/no-finding")
{
  MakeResult what = { .n_tiles = 4, .n_blocks = 3 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };

  fill (result);
  cured_view_init (&view, result);
  choose_metric (result, &view, CURED_METRIC_time);
  g_autoptr (CuredGrid) clean = cured_grid_new (result, &view);
  g_autoptr (CuredOutcome) racing = cured_outcome_new ();
  cured_outcome_set_state (racing, CURED_STATE_OK, NULL);
  racing->metrics[CURED_METRIC_time] = clean->low;
  racing->metrics[CURED_METRIC_findings] = 1;
  cured_result_set_outcome (result, clean->cells[clean->best], racing);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_assert_cmpfloat (grid->low, ==, clean->low);
  g_assert_cmpint (grid->best, >=, 0);
  g_assert_cmpint (grid->best, !=, clean->best);
  g_assert_false (cured_grid_is_near_best (grid, (gsize) clean->best));
}

/* Times of problems of several sizes: each has its best, and multiples are of that. */
TEST ("/grid/problems")
{
  MakeResult what = { .n_tiles = 4, .n_blocks = 1, .n_sizes = 3 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };
  g_autoptr (CuredGrid) relative = NULL;
  gsize positions[3], standard;

  for (gint64 i = 0; i < cured_result_get_n_cells (result); i++)
    {
      cured_result_get_positions (result, i, positions);
      /* Tile 1 is the best of each size, and a size takes ten times as long as the one before. */
      set_time (result, i,
                pow (10, (double) positions[find_axis (result, "n")]) *
                    (positions[find_axis (result, "tile")] == 1 ? 1000 : 2000));
    }
  cured_view_init (&view, result);
  choose_metric (result, &view, CURED_METRIC_time);
  view.x_axis = find_axis (result, "tile");
  view.y_axis = find_axis (result, "n");
  g_assert_true (cured_view_suggests_relative (&view, result));
  g_assert_true (cured_result_find_problem (result, view.y_axis, &standard));
  view.relative = FALSE;
  g_autoptr (CuredGrid) plain = cured_grid_new (result, &view);
  g_assert_cmpuint (plain->n_bests, ==, 3);
  for (gsize y = 0; y < 3; y++)
    g_assert_cmpint (plain->bests[y], ==, (gssize) (y * plain->nx + 1));
  g_assert_cmpint (plain->best, ==, plain->bests[standard]);
  g_assert_cmpint (cured_result_find_best (result, view.metric), ==, plain->cells[plain->best]);
  g_assert_false (cured_grid_is_near_best (plain, 0));
  g_assert_false (cured_grid_has_region (plain));
  view.relative = TRUE;
  relative = cured_grid_new (result, &view);
  for (gsize i = 0; i < relative->nx * 3; i++)
    {
      g_assert_cmpfloat_with_epsilon (relative->values[i], i % relative->nx == 1 ? 1 : 2, 1e-12);
      g_assert_cmpfloat_with_epsilon (cured_grid_get_raw (relative, i), plain->values[i], 1e-6);
    }
  g_assert_cmpfloat (relative->high, ==, 2);
  /* A rate is one for all sizes; along the sizes alone, nothing is better than anything. */
  choose_metric (result, &view, CURED_METRIC_bandwidth);
  g_assert_false (cured_view_suggests_relative (&view, result));
  choose_metric (result, &view, CURED_METRIC_time);
  view.x_axis = view.y_axis;
  view.y_axis = CURED_AXIS_NONE;
  g_autoptr (CuredGrid) line = cured_grid_new (result, &view);
  g_assert_cmpint (line->best, ==, -1);
}

TEST ("/grid/ratio")
{
  MakeResult what = { .n_tiles = 4, .n_blocks = 3 };
  MakeResult more = { .n_tiles = 6, .n_blocks = 2 };
  g_autoptr (CuredPlan) plan = NULL, other_plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_autoptr (CuredResult) other = make_live (&more, &other_plan);
  g_auto (CuredView) view = { 0 }, copy = { 0 };

  for (gint64 i = 0; i < cured_result_get_n_cells (result); i++)
    if (cured_result_get_state (result, i) != CURED_STATE_NOT_LAUNCHABLE)
      set_time (result, i, 1000);
  for (gint64 i = 0; i < cured_result_get_n_cells (other); i++)
    if (cured_result_get_state (other, i) != CURED_STATE_NOT_LAUNCHABLE)
      set_time (other, i, i == 0 ? 4000 : 500);
  cured_view_init (&view, result);
  choose_metric (result, &view, CURED_METRIC_time);
  view.other = g_object_ref (other);
  cured_view_copy (&view, result, &copy);
  g_assert_true (copy.other == other);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &copy);

  g_assert_true (cured_grid_is_ratio (grid));
  g_assert_true (cured_colour_map_is_diverging (grid->colours));
  g_assert_cmpstr (grid->metric.id, ==, "time");
  g_assert_cmpstr (grid->metric.unit, ==, "");
  g_assert_cmpint (grid->best, ==, -1);
  g_assert_cmpuint (grid->nx, ==, 6);
  g_assert_cmpuint (grid->ny, ==, 3);
  for (gsize y = 0; y < 3; y++)
    for (gsize x = 0; x < 6; x++)
      {
        gsize i = y * 6 + x;
        /* 2048 threads per block are too many in both; other has no third row, and this one neither
         * the fourth nor the fifth column. */
        guint look = x == 5            ? (guint) CURED_STATE_NOT_LAUNCHABLE
                     : y == 2 && x > 2 ? (guint) CURED_STATE_NOT_RUN
                     : y == 2          ? (guint) CURED_LOOK_ONLY_THIS
                     : x > 2           ? (guint) CURED_LOOK_ONLY_OTHER
                                       : (guint) CURED_STATE_OK;

        g_assert_cmpuint (cured_grid_get_look (grid, i), ==, look);
        g_assert_cmpint (grid->cells[i] < 0, ==, x == 3 || x == 4);
        g_assert_cmpint (grid->other_cells[i] < 0, ==, y == 2);
        if (look == CURED_STATE_OK)
          g_assert_cmpfloat (grid->values[i], ==, i == 0 ? 4.0 : 0.5);
        else
          g_assert_true (isnan (grid->values[i]));
      }
  g_assert_cmpuint (grid->n_states[CURED_LOOK_ONLY_THIS], ==, 3);
  g_assert_cmpuint (grid->n_states[CURED_LOOK_ONLY_OTHER], ==, 4);

  /* 1 is in the middle, and less time is better. */
  g_assert_cmpfloat (cured_grid_get_position (grid, 1), ==, 0.5);
  g_assert_cmpfloat_with_epsilon (cured_grid_get_position (grid, 4), 0, 1e-12);
  g_assert_cmpfloat_with_epsilon (cured_grid_get_position (grid, 0.5), 0.75, 1e-12);
  g_assert_cmpfloat_with_epsilon (cured_grid_get_value (grid, 0), 4, 1e-12);
  g_assert_cmpfloat_with_epsilon (cured_grid_get_value (grid, 1), 0.25, 1e-12);

  /* A file beside itself has no strong colours. */
  g_clear_pointer (&grid, cured_grid_free);
  g_set_object (&view.other, result);
  grid = cured_grid_new (result, &view);
  g_assert_cmpfloat (grid->low, ==, 1);
  g_assert_cmpfloat (cured_grid_get_position (grid, 1), ==, 0.5);
  g_assert_cmpfloat (cured_grid_get_value (grid, 0), <, 1.1);
}

static CuredResult *
load_recorded (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_RESULTS"), name, NULL);
  return MUST (cured_result_load (path, NULL, &fail));
}

static void
choose_axes (CuredResult *result, CuredView *view, const char *x, const char *y)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  for (gsize i = 0; i < n_axes; i++)
    {
      if (g_str_equal (axes[i].name, x))
        view->x_axis = i;
      if (g_str_equal (axes[i].name, y))
        view->y_axis = i;
    }
}

/* Of two kernels, one of which has a parameter more: the map shows the pairs that the table of
 * changes has, and the parameter itself as an axis. */
TEST ("/grid/ratio-kernels")
{
  g_autoptr (CuredResult) shared = load_recorded ("transpose-shared-h200.cured");
  g_autoptr (CuredResult) padded = load_recorded ("transpose-padded-h200.cured");
  g_auto (CuredView) view = { 0 }, back = { 0 };
  guint n_pairs = 0;

  g_autoptr (CuredComparison) comparison =
      MUST (cured_comparison_new (shared, padded, "time", &fail));
  cured_view_init (&view, shared);
  choose_metric (shared, &view, CURED_METRIC_time);
  choose_axes (shared, &view, "tile", "rows");
  view.other = g_object_ref (padded);
  g_autoptr (CuredGrid) grid = cured_grid_new (shared, &view);
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    for (guint j = 0; j < comparison->pairs->len; j++)
      {
        const CuredPair *pair = &g_array_index (comparison->pairs, CuredPair, j);

        if (pair->cell_a != grid->cells[i] || pair->cell_b < 0)
          continue;
        g_assert_cmpint (grid->other_cells[i], ==, pair->cell_b);
        g_assert_cmpfloat (grid->values[i], ==, pair->ratio);
        n_pairs++;
      }
  g_assert_cmpuint (n_pairs, ==, 3);

  cured_view_init (&back, padded);
  choose_metric (padded, &back, CURED_METRIC_time);
  choose_axes (padded, &back, "tile", "padding");
  back.other = g_object_ref (shared);
  g_autoptr (CuredGrid) turned = cured_grid_new (padded, &back);
  g_assert_cmpuint (turned->ny, ==, 6);
  for (gsize x = 0; x < turned->nx; x++)
    for (gsize y = 1; y < turned->ny; y++)
      {
        gsize i = y * turned->nx + x;
        gsize below = i - turned->nx;

        g_assert_cmpint (turned->other_cells[i], ==, turned->other_cells[below]);
        /* Padded was not recorded at the least tile. */
        if (turned->cells[i] >= 0)
          g_assert_cmpint (turned->cells[i], !=, turned->cells[below]);
      }
}

/* 0 ÷ 0 has no place on the map, as it has none in the list of changes. */
TEST ("/grid/ratio-zeros")
{
  MakeResult what = { .n_tiles = 2, .n_blocks = 2 };
  g_autoptr (CuredPlan) plan = NULL, other_plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_autoptr (CuredResult) other = make_live (&what, &other_plan);
  g_auto (CuredView) view = { 0 };
  guint n_ratios = 0;

  fill (result);
  fill (other);
  set_time (result, 0, 0);
  set_time (other, 0, 0);
  cured_view_init (&view, result);
  choose_metric (result, &view, CURED_METRIC_time);
  view.other = g_object_ref (other);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_assert_true (isnan (grid->values[0]));
  g_assert_cmpuint (cured_grid_get_look (grid, 0), ==, CURED_LOOK_EMPTY);
  g_assert_cmpuint (grid->n_empty, ==, 1);

  g_autoptr (CuredComparison) comparison = cured_comparison_new (result, other, "time", NULL);
  for (guint i = 0; i < comparison->pairs->len; i++)
    {
      const CuredPair *pair = &g_array_index (comparison->pairs, CuredPair, i);

      for (gsize j = 0; j < grid->nx * grid->ny; j++)
        if (grid->cells[j] == pair->cell_a)
          {
            g_assert_cmpint (isnan (grid->values[j]), ==, isnan (pair->ratio));
            n_ratios += !isnan (pair->ratio);
          }
    }
  g_assert_cmpuint (n_ratios, ==, 1);
}

TEST ("/grid/summary")
{
  MakeResult what = { .n_tiles = 5, .n_blocks = 4 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };
  CuredGridSummary summary;

  fill (result);
  cured_view_init (&view, result);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  cured_grid_summarize (grid, &(CuredGridRect){ 0, 0, grid->nx, grid->ny }, &summary);
  g_assert_cmpuint (summary.n_cells, ==, 20);
  g_assert_cmpuint (summary.n_values, ==, 16);
  g_assert_cmpfloat (summary.low, ==, grid->low);
  g_assert_cmpfloat (summary.high, ==, grid->high);

  /* Two cells, one of which can't be launched. */
  cured_grid_summarize (grid, &(CuredGridRect){ 3, 1, 2, 1 }, &summary);
  g_assert_cmpuint (summary.n_cells, ==, 2);
  g_assert_cmpuint (summary.n_values, ==, 1);
  g_assert_cmpfloat (summary.low, ==, grid->values[1 * grid->nx + 3]);

  cured_grid_summarize (grid, &(CuredGridRect){ 4, 0, 1, 4 }, &summary);
  g_assert_cmpuint (summary.n_values, ==, 0);
  g_assert_true (isnan (summary.low));
}

/* Two parameters whose values have names are the axes, the longer one upwards; what counts
 * repetitions is not. */
TEST ("/grid/default/named")
{
  static const char text[] = "/*! cured\n * [Kernel]\n * Title=Named\n *\n"
                             " * [Parameter work]\n * Kind=problem\n * Values=0..2\n"
                             " * Names=sum,dot,add\n * Default=0\n *\n"
                             " * [Parameter side]\n * Kind=problem\n * Values=0,1\n"
                             " * Names=mine,theirs\n * Default=0\n *\n"
                             " * [Parameter round]\n * Kind=problem\n * Values=1..7\n * Default=1\n"
                             " *\n"
                             " * [Launch]\n * Entry=named\n * Grid=1\n * Block=1\n */\n"
                             "extern \"C\" __global__ void named () {}\n";
  static const char *const names[] = { "work", "side", "round" };
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "named", NULL, &fail));
  g_auto (CuredView) view = { 0 };
  CuredDeviceInfo device;

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      MUST (cured_spec_set_axis (spec, names[i], kernel->parameters[i].values, &fail));
    }
  make_device_info (&device);
  g_autoptr (CuredPlan) plan = MUST (cured_plan_new (spec, &device.limits, &fail));
  g_autoptr (CuredResult) result = cured_result_new (plan, &device, NULL);
  cured_device_info_clear (&device);
  cured_view_init (&view, result);
  g_assert_cmpuint (view.x_axis, ==, find_axis (result, "side"));
  g_assert_cmpuint (view.y_axis, ==, find_axis (result, "work"));
}

/* A file that declares 90,000 cells and holds 150: its map has no row and no column without one. */
TEST ("/grid/sparse")
{
  MakeResult what = { .n_tiles = 300, .n_blocks = 300, .no_samples = TRUE, .every = 601 };
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "sparse.cured", NULL);
  g_auto (CuredView) view = { 0 };
  gint64 n_cells = 0;
  gsize n_ok = 0, n_seen = 0, time;

  make_result (path, &what);
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  g_assert_true (cured_result_is_sparse (result));
  g_assert_true (cured_result_find_metric (result, "time", &time));
  for (gint64 cell = cured_result_next_cell (result, 0); cell >= 0;
       cell = cured_result_next_cell (result, cell + 1))
    {
      g_assert_cmpint (cell, ==, n_cells++ * what.every);
      g_assert_cmpint (isnan (cured_result_get_value (result, cell, time)), ==,
                       cured_result_get_state (result, cell) != CURED_STATE_OK);
      n_ok += cured_result_get_state (result, cell) == CURED_STATE_OK;
      g_assert_true (isnan (cured_result_get_value (result, cell + 1, time)));
    }
  g_assert_cmpint (n_cells, ==, 150);

  cured_view_init (&view, result);
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_assert_cmpuint (grid->nx, <=, 150);
  g_assert_cmpuint (grid->ny, <=, 150);
  g_assert_cmpuint (cured_axis_get_length (grid->x_values), ==, grid->nx);
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    {
      gsize positions[3], at;

      cured_result_get_positions (result, grid->cells[i], positions);
      g_assert_true (cured_axis_find (
          grid->x_values,
          cured_axis_get_value (cured_result_get_axes (result, NULL)[view.x_axis].values,
                                positions[view.x_axis]),
          &at));
      g_assert_cmpuint (at, ==, i % grid->nx);
      n_seen += !isnan (grid->values[i]);
    }
  g_assert_cmpuint (n_ok, >, 100);
  g_assert_cmpuint (n_seen, ==, n_ok);

  /* A sweep that goes on has places for all. */
  double first = cured_result_get_value (result, 601, time);
  set_time (result, 5, 1234);
  g_assert_false (cured_result_is_sparse (result));
  g_assert_cmpfloat (cured_result_get_value (result, 5, time), ==, 1234);
  g_assert_cmpfloat (cured_result_get_value (result, 601, time), ==, first);
  g_assert_true (isnan (cured_result_get_value (result, 602, time)));
  g_clear_object (&result);
  remove_folder (g_steal_pointer (&folder));
}

/* Each place has the best over the parameters that are not on the map, at one problem. */
TEST ("/grid/best-over")
{
  MakeResult what = { .n_tiles = 8, .n_blocks = 5, .n_sizes = 3 };
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = make_live (&what, &plan);
  g_auto (CuredView) view = { 0 };
  gsize blocks = find_axis (result, "blocks");
  gsize n = find_axis (result, "n");

  fill (result);
  cured_view_init (&view, result);
  view.x_axis = find_axis (result, "tile");
  view.y_axis = CURED_AXIS_NONE;
  view.positions[n] = 2;
  view.best_over = TRUE;
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_assert_cmpuint (grid->nx, ==, 8);
  for (gsize x = 0; x < grid->nx; x++)
    {
      gsize positions[3] = { 0 };
      double least = INFINITY;

      positions[view.x_axis] = x;
      positions[n] = 2;
      for (positions[blocks] = 0; positions[blocks] < 5; positions[blocks]++)
        {
          gint64 cell = cured_result_get_cell (result, positions);

          if (cured_result_get_state (result, cell) == CURED_STATE_OK)
            least = MIN (least, cured_result_get_value (result, cell, view.metric));
        }
      if (isinf (least))
        g_assert_cmpuint (grid->states[x], ==, CURED_STATE_NOT_LAUNCHABLE);
      else
        g_assert_cmpfloat (grid->values[x], ==, least);
    }
}
