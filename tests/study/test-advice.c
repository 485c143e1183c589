/* SPDX-License-Identifier: MIT
 * What to change next, of what was recorded. */
#include <cured.h>
#include <math.h>
#include <string.h>

#include "test.h"

typedef struct
{
  guint n_cells;    /* with a time */
  guint n_advised;  /* where something on a line is faster */
  guint n_towards;  /* of these, where the neighbour in that direction is faster than the cell */
  guint n_promised; /* of these, where the cell that is named is as fast as it says */
} Tally;

static double
get_time (CuredResult *result, gsize metric, const gsize *positions)
{
  gint64 cell = cured_result_get_cell (result, positions);

  return cured_result_get_state (result, cell) == CURED_STATE_OK
             ? cured_result_get_value (result, cell, metric)
             : NAN;
}

/* Steps once along the axis, over cells that could not be launched. */
static double
get_neighbour (CuredResult *result, gsize metric, gsize axis, gsize *positions, gsize goal)
{
  gsize own = positions[axis];
  double time = NAN;

  while (isnan (time) && positions[axis] != goal)
    {
      positions[axis] = goal > positions[axis] ? positions[axis] + 1 : positions[axis] - 1;
      time = get_time (result, metric, positions);
    }
  positions[axis] = own;
  return time;
}

static void
tally (CuredResult *result, Tally *to)
{
  gsize n_axes, metric;
  cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  g_autofree gsize *goal = g_new0 (gsize, n_axes + 1);

  if (!cured_result_find_metric (result, "time", &metric) ||
      !cured_result_has_values (result, metric))
    return;
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    {
      g_autoptr (CuredAdvice) advice = cured_advice_new (result, cell);

      cured_result_get_positions (result, cell, positions);
      double time = get_time (result, metric, positions);
      to->n_cells += time > 0;
      if (advice == NULL)
        continue;
      cured_result_get_positions (result, advice->cell, goal);
      to->n_advised++;
      to->n_promised += cured_result_get_value (result, advice->cell, metric) <= time * 0.98 &&
                        fabs (advice->time_ns / time - (1 - advice->gain)) < 1e-9;
      to->n_towards +=
          get_neighbour (result, metric, advice->axis, positions, goal[advice->axis]) < time;
    }
}

/* The first step in the direction of the advice is nearly always faster. */
TEST ("/advice/recorded")
{
  g_autoptr (GPtrArray) paths =
      MUST (cured_recordings_list (g_getenv ("CURED_TEST_RESULTS"), &fail));
  Tally all = { 0 };

  for (guint i = 0; i < paths->len; i++)
    {
      g_autoptr (CuredResult) result = MUST (cured_result_load (paths->pdata[i], NULL, &fail));

      tally (result, &all);
    }
  g_test_message ("%u cells, %u advised, %u towards, %u promised", all.n_cells, all.n_advised,
                  all.n_towards, all.n_promised);
  g_assert_cmpuint (all.n_advised, >, 1000);
  g_assert_cmpuint (all.n_promised, ==, all.n_advised);
  g_assert_cmpfloat (all.n_towards, >=, 0.9 * all.n_advised);
}

/* A smaller problem is no advice, and neither is what the best cell lacks. */
TEST ("/advice/best")
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_RESULTS"), "matmul-tiled-h200.cured", NULL);
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  gsize metric, n_axes, positions[8];

  g_assert_true (cured_result_find_metric (result, "time", &metric));
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  gint64 best = cured_result_find_best (result, metric);
  g_autoptr (CuredAdvice) of_best = cured_advice_new (result, best);
  g_assert_null (of_best);
  cured_result_get_positions (result, best, positions);
  for (gsize i = 0; i < n_axes; i++)
    if (cured_result_find_problem (result, i, NULL))
      {
        g_assert_cmpstr (axes[i].name, ==, "n");
        positions[i] = cured_axis_get_length (axes[i].values) - 1;
      }
    else if (g_str_equal (axes[i].name, "tile"))
      g_assert_true (cured_axis_find (axes[i].values, 8, &positions[i]));
  {
    g_autoptr (CuredAdvice) advice =
        cured_advice_new (result, cured_result_get_cell (result, positions));

    g_assert_nonnull (advice);
    g_assert_cmpstr (axes[advice->axis].name, ==, "tile");
    g_assert_true (advice->is_more);
    g_assert_cmpfloat (advice->gain, >, 0.02);
    g_assert_nonnull (strstr (advice->sentence, "tile = 32"));
  }
}
