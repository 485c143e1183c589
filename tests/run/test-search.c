/* SPDX-License-Identifier: MIT
 * The search for the best cell, on made-up and on recorded numbers. */
#include <gio/gio.h>
#include <math.h>

#include "run/cured-search-internal.h"
#include "store/cured-result.h"
#include "test.h"

/* What a search found that was fed with the numbers of a grid. */
typedef struct
{
  CuredSearchReport report;
  gint64 n_asked;
} Found;

/* Cells whose value is NaN failed. */
static Found
search_grid (CuredSearch *search, const double *values)
{
  Found found = { 0 };
  gint64 cell;

  while (cured_search_next (search, &cell))
    {
      found.n_asked++;
      cured_search_add (search, cell, values[cell], values[cell], values[cell]);
    }
  cured_search_get_report (search, &found.report);
  g_assert_true (found.report.is_finished);
  g_assert_cmpint (found.report.n_visited, ==, found.n_asked);
  return found;
}

static gboolean
is_even (gint64 cell, gpointer user_data)
{
  return cell % 2 == 0;
}

static gboolean
is_last (gint64 cell, gpointer user_data)
{
  return cell == *(const gint64 *) user_data;
}

/* A bowl: one descent from anywhere finds the bottom. */
static void
fill_bowl (double *values, gsize rows, gsize columns, gsize row, gsize column)
{
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < columns; j++)
      values[i * columns + j] = 100 + pow ((double) i - (double) row, 2) +
                                2 * pow ((double) j - (double) column, 2) +
                                ((double) i - (double) row) * ((double) j - (double) column);
}

/* 50 searches in the long tier, 10 in the quick one. */
TEST ("/search/many/bowl")
{
  const gsize lengths[] = { 40, 1, 50 };
  double values[2000];

  fill_bowl (values, 40, 50, 31, 7);
  for (guint64 seed = 0; seed < (g_test_slow () ? 50 : 10); seed++)
    {
      g_autoptr (CuredSearch) search = cured_search_new (lengths, 3, NULL, NULL, FALSE, seed);
      Found found = search_grid (search, values);

      g_assert_cmpint (found.report.n_cells, ==, 2000);
      g_assert_cmpint (found.report.best, ==, 31 * 50 + 7);
      g_assert_cmpfloat (found.report.value, ==, 100);
      g_assert_cmpuint (found.report.n_descents, >=, 1);
      g_assert_cmpuint (found.report.n_agreeing, ==, found.report.n_descents);
      g_assert_cmpint (found.n_asked, <=, 300);
      g_assert_cmpint (found.report.n_drawn, ==, 16);
      /* (1 - 0.17)^16 = 0.05 */
      g_assert_cmpint (found.report.n_better, >, 300);
      g_assert_cmpint (found.report.n_better, <, 350);
    }
}

/* The highest is the best: the same grid, upside down. */
TEST ("/search/higher")
{
  const gsize lengths[] = { 40, 50 };
  double values[2000];
  g_autoptr (CuredSearch) search = cured_search_new (lengths, 2, NULL, NULL, TRUE, 1);

  fill_bowl (values, 40, 50, 3, 49);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = -values[i];
  Found found = search_grid (search, values);
  g_assert_cmpint (found.report.best, ==, 3 * 50 + 49);
  g_assert_cmpfloat (found.report.value, ==, -100);
}

/* A grid with as many cells as a search wants anyway is visited whole. */
TEST ("/search/tiny")
{
  const gsize lengths[] = { 2, 3 };
  const double values[] = { 5, 4, 3, 2, 1, 0 };
  g_autoptr (CuredSearch) search = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);
  g_autoptr (CuredSearch) single = cured_search_new (NULL, 0, NULL, NULL, FALSE, 1);
  Found found = search_grid (search, values);

  g_assert_cmpint (found.n_asked, ==, 6);
  g_assert_cmpint (found.report.best, ==, 5);
  g_assert_cmpint (found.report.n_better, ==, 0);
  found = search_grid (single, values);
  g_assert_cmpint (found.n_asked, ==, 1);
  g_assert_cmpint (found.report.best, ==, 0);
}

/* Where two of five axes matter, that is soon found out. One of 256 cells is as good as the best:
 * 60 drawn ones have one in a fifth of the searches. The long tier has 50 searches of 65,536 cells,
 * the quick one 20 of 2,048. */
TEST ("/search/many/axes-that-matter")
{
  const gsize other = g_test_slow () ? 4 : 2;
  const guint64 n_seeds = g_test_slow () ? 50 : 20;
  const gsize lengths[] = { other, 16, other, 16, other };
  const gint64 step = (gint64) other;
  guint n_found = 0;

  for (guint64 seed = 1; seed <= n_seeds; seed++)
    {
      g_autoptr (CuredSearch) search = cured_search_new (lengths, 5, NULL, NULL, FALSE, seed);
      gboolean is_found = FALSE;
      gint64 cell;

      for (int i = 0; i < 60 && cured_search_next (search, &cell); i++)
        {
          double value = 100 + 10 * fabs ((double) (cell / (16 * step * step) % 16) - 11) +
                         3 * fabs ((double) (cell / step % 16) - 2);

          cured_search_add (search, cell, value, value, value);
          is_found |= value == 100;
        }
      n_found += is_found;
    }
  g_test_message ("%u of %u found it", n_found, (guint) n_seeds);
  g_assert_cmpuint (n_found, >=, 2 * n_seeds / 5);
}

/* Cells that can't be launched are not asked for, and cells that fail are not the best ones. */
TEST ("/search/closed")
{
  const gsize lengths[] = { 40, 50 };
  const gsize large[] = { 1000, 1000 };
  gint64 last = 999999;
  double values[2000];
  gint64 cell;
  g_autoptr (CuredSearch) search = cured_search_new (lengths, 2, is_even, NULL, FALSE, 1);
  g_autoptr (CuredSearch) narrow = cured_search_new (large, 2, is_last, &last, FALSE, 1);

  fill_bowl (values, 40, 50, 20, 20);
  values[20 * 50 + 20] = NAN;
  Found found = search_grid (search, values);
  g_assert_cmpint (found.report.n_cells, ==, 1000);
  g_assert_cmpint (found.report.best % 2, ==, 0);
  g_assert_cmpfloat (found.report.value, <=, 104);

  g_assert_true (cured_search_next (narrow, &cell));
  g_assert_cmpint (cell, ==, last);
  cured_search_add (narrow, cell, 1, 1, 1);
  g_assert_false (cured_search_next (narrow, &cell));
}

TEST ("/search/all-failed")
{
  const gsize lengths[] = { 40, 50 };
  double values[2000];
  g_autoptr (CuredSearch) search = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = NAN;
  Found found = search_grid (search, values);
  g_assert_cmpint (found.report.best, ==, -1);
  g_assert_true (isnan (found.report.value));
  g_assert_cmpint (found.n_asked, <=, 1000);
  g_autoptr (GArray) alike = cured_search_list_alike (search);
  g_assert_cmpuint (alike->len, ==, 0);
}

/* An axis may have a million values, of which a square has no memory. */
TEST ("/search/long")
{
  const gsize lengths[] = { 1000000, 2 };
  g_autoptr (CuredSearch) search = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);
  gint64 cell;

  cured_search_set_budget (search, 20, 0);
  for (guint i = 0; i < 20; i++)
    {
      g_assert_true (cured_search_next (search, &cell));
      cured_search_add (search, cell, 1.0 + (double) cell, 1.0 + (double) cell,
                        1.0 + (double) cell);
    }
  g_assert_false (cured_search_next (search, &cell));
}

/* Where nothing better is found any more, every other cell is one beside the best cell; by chance 2
 * % of these would be. */
TEST ("/search/beside")
{
  const gsize lengths[] = { 12, 12, 12 };
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autoptr (CuredSearch) search = cured_search_new (lengths, 3, NULL, NULL, FALSE, 1);
  double values[1728];
  double had = INFINITY;
  gint64 best = -1, cell;
  guint n_in_vain = 0, n_late = 0, n_beside = 0, n_asked = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = 100 + g_rand_double (random);
  for (; cured_search_next (search, &cell); n_asked++)
    {
      if (n_in_vain >= 8 && n_late < 40)
        {
          guint n_other = (cell % 12 != best % 12) + (cell / 12 % 12 != best / 12 % 12) +
                          (cell / 144 != best / 144);

          n_late++;
          n_beside += n_other == 1;
        }
      n_in_vain++;
      if (values[cell] < had)
        {
          had = values[cell];
          best = cell;
          n_in_vain = 0;
        }
      cured_search_add (search, cell, values[cell], values[cell], values[cell]);
    }
  g_assert_cmpuint (n_late, ==, 40);
  g_assert_cmpuint (n_beside, >=, 14);
  /* It is not known earlier that nothing better comes. */
  g_assert_cmpuint (n_asked, >=, 280);
  g_assert_cmpuint (n_asked, <, 340);
}

/* Several cells may be out at once; an answer may come late. */
TEST ("/search/waiting")
{
  const gsize lengths[] = { 40, 50 };
  double values[2000];
  g_autoptr (CuredSearch) search = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);
  CuredSearchReport report;
  gint64 out[64], peeked;
  guint n_out = 0;

  fill_bowl (values, 40, 50, 31, 7);
  for (;;)
    {
      gboolean is_known = cured_search_peek (search, 0, &peeked);

      while (cured_search_next (search, &out[n_out]))
        {
          g_assert_true (!is_known || out[n_out] == peeked);
          is_known = FALSE;
          n_out++;
          g_assert_cmpuint (n_out, <, G_N_ELEMENTS (out));
        }
      if (n_out == 0)
        break;
      /* The last one first. */
      n_out--;
      cured_search_add (search, out[n_out], values[out[n_out]], values[out[n_out]],
                        values[out[n_out]]);
    }
  cured_search_get_report (search, &report);
  g_assert_true (report.is_finished);
  g_assert_cmpint (report.best, ==, 31 * 50 + 7);
}

/* What is known already is not asked for. */
TEST ("/search/known")
{
  const gsize lengths[] = { 40, 50 };
  double values[2000];
  g_autoptr (CuredSearch) first = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);
  g_autoptr (CuredSearch) second = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);
  CuredSearchReport report;
  gint64 cell;

  fill_bowl (values, 40, 50, 31, 7);
  while (cured_search_next (first, &cell))
    {
      cured_search_add (first, cell, values[cell], values[cell], values[cell]);
      cured_search_add (second, cell, values[cell], values[cell], values[cell]);
    }
  g_assert_false (cured_search_next (second, &cell));
  cured_search_get_report (second, &report);
  g_assert_true (report.is_finished);
  g_assert_cmpint (report.best, ==, 31 * 50 + 7);
  g_assert_cmpuint (report.n_agreeing, >=, 1);
}

/* With a budget the search asks for as many cells, no fewer and no more, and stops at once where
 * there is no time; without one it stops by itself. */
TEST ("/search/budget")
{
  const gsize lengths[] = { 40, 50 };
  const gint64 budgets[] = { 1, 7, 25, 200, 1500, 5000 };
  double values[2000];
  double last = INFINITY;
  g_autoptr (CuredSearch) late = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);
  gint64 n_late, cell;

  fill_bowl (values, 40, 50, 31, 7);
  for (gsize i = 0; i < G_N_ELEMENTS (budgets); i++)
    {
      g_autoptr (CuredSearch) search = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);

      cured_search_set_budget (search, budgets[i], 0);
      Found found = search_grid (search, values);
      g_assert_cmpint (found.n_asked, ==, MIN (budgets[i], 2000));
      /* The same cells first: more of them are never worse. */
      g_assert_cmpfloat (found.report.value, <=, last);
      last = found.report.value;
    }
  g_assert_cmpfloat (last, ==, 100);

  cured_search_set_budget (late, 0, 1e-9);
  for (n_late = 0; cured_search_next (late, &cell); n_late++)
    cured_search_add (late, cell, values[cell], values[cell], values[cell]);
  g_assert_cmpint (n_late, <, 2000);
}

/* Predicted times lead to the best cell at once where they are right, and where they are wrong by a
 * factor that changes slowly, after some cells; where they are the wrong way round the best one is
 * found all the same. */
TEST ("/search/predicted")
{
  const gsize lengths[] = { 40, 50 };
  double values[2000], times[2000];

  fill_bowl (values, 40, 50, 31, 7);
  for (int kind = 0; kind < 3; kind++)
    for (guint64 seed = 1; seed <= 20; seed++)
      {
        g_autoptr (CuredSearch) search = cured_search_new (lengths, 2, NULL, NULL, FALSE, seed);
        gint64 n_asked = 0, n_to_best = 0;
        CuredSearchReport report;
        gint64 cell;

        for (gint64 i = 0; i < 2000; i++)
          times[i] = kind == 0   ? 3 * values[i]
                     : kind == 1 ? values[i] * (1 + 0.02 * (double) (i / 50))
                                 : 1 / values[i];
        times[31 * 50 + 8] = NAN;
        cured_search_set_predicted (search, times);
        while (cured_search_next (search, &cell))
          {
            n_asked++;
            if (cell == 31 * 50 + 7)
              n_to_best = n_asked;
            cured_search_add (search, cell, values[cell], values[cell], values[cell]);
          }
        cured_search_get_report (search, &report);
        g_assert_true (report.is_finished);
        g_assert_cmpint (report.best, ==, 31 * 50 + 7);
        g_assert_cmpint (report.n_visited, ==, n_asked);
        g_assert_cmpint (report.n_guided, >=, 8);
        g_assert_cmpint (report.n_drawn, ==, 16);
        g_assert_cmpint (n_asked, <=, 1000);
        if (kind == 0)
          g_assert_cmpint (n_to_best, ==, 1);
        else if (kind == 1)
          g_assert_cmpint (n_to_best, <=, 40);
      }
}

/* Without a prediction of any cell the search is as without predictions; with a budget it asks for
 * no more than that. */
TEST ("/search/predicted-budget")
{
  const gsize lengths[] = { 40, 50 };
  double values[2000], times[2000];
  g_autoptr (CuredSearch) plain = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);
  g_autoptr (CuredSearch) blind = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);
  g_autoptr (CuredSearch) brief = cured_search_new (lengths, 2, NULL, NULL, FALSE, 1);

  fill_bowl (values, 40, 50, 31, 7);
  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    times[i] = NAN;
  cured_search_set_predicted (blind, times);
  Found found = search_grid (blind, values);
  g_assert_cmpint (found.report.n_guided, ==, 0);
  g_assert_cmpint (found.n_asked, ==, search_grid (plain, values).n_asked);

  cured_search_set_budget (brief, 3, 0);
  cured_search_set_predicted (brief, values);
  found = search_grid (brief, values);
  g_assert_cmpint (found.n_asked, ==, 3);
  g_assert_cmpint (found.report.best, ==, 31 * 50 + 7);
}

/* Cells whose intervals overlap the best one's can't be distinguished from it. */
TEST ("/search/alike")
{
  const gsize lengths[] = { 5 };
  g_autoptr (CuredSearch) search = cured_search_new (lengths, 1, NULL, NULL, FALSE, 1);
  CuredSearchReport report;

  cured_search_add (search, 0, 12, 11, 13);
  cured_search_add (search, 1, 10, 9.5, 10.5);
  cured_search_add (search, 2, 11, 10.5, 12);
  cured_search_add (search, 3, 10.2, 10, 10.4);
  cured_search_add (search, 4, NAN, NAN, NAN);
  g_autoptr (GArray) alike = cured_search_list_alike (search);
  g_assert_cmpuint (alike->len, ==, 2);
  g_assert_cmpint (g_array_index (alike, gint64, 0), ==, 3);
  g_assert_cmpint (g_array_index (alike, gint64, 1), ==, 2);
  cured_search_get_report (search, &report);
  g_assert_cmpint (report.best, ==, 1);
  g_assert_cmpfloat (report.low, ==, 9.5);
  g_assert_cmpfloat (report.high, ==, 10.5);
}

/* Recorded sweeps, a search for each of some seeds: how many of them end within 2 % of the true
 * best, over all sweeps and in the one that is the hardest. Sweeps of a few cells are visited
 * whole. */
#define SEEDS          100
#define WORTH_A_SEARCH 32
#define WITHIN         0.02
#define NEAR_OVERALL   0.95
#define NEAR_EACH      0.4

/* Of the smaller sweeps, this part is visited at most, in the mean; and of each as many searches
 * are near as drawing as many cells would be, but for chance. */
#define SMALL_MOST      130
#define VISITED_OVERALL 0.42
#define VISITED_CHANCE  0.46
#define CHANCE          0.08

typedef struct
{
  CuredResult *result;
  gsize metric;
} Replay;

static gboolean
is_recorded (gint64 cell, gpointer user_data)
{
  const Replay *replay = user_data;
  CuredState state = cured_result_get_state (replay->result, cell);

  return state != CURED_STATE_NOT_RUN && state != CURED_STATE_NOT_LAUNCHABLE;
}

/* The chance that one of @n cells which are drawn is within 2 % of the best. */
static double
expect_near (const Replay *replay, gint64 n_cells, double best, gint64 n)
{
  gint64 n_near = 0;
  double none = 1;

  for (gint64 i = 0; i < cured_result_get_n_cells (replay->result); i++)
    n_near += cured_result_get_value (replay->result, i, replay->metric) <= (1 + WITHIN) * best;
  for (gint64 i = 0; i < n; i++)
    none *= (double) MAX (n_cells - n_near - i, 0) / (double) (n_cells - i);
  return 1 - none;
}

static void
replay_file (const char *path, guint *n_near_all, guint *n_all, double *visited, guint *n_small)
{
  g_autoptr (GError) error = NULL;
  Replay replay = { .result = MUST (cured_result_load (path, NULL, &fail)) };
  g_autofree double *values = NULL;
  double best = INFINITY;
  guint n_near = 0;
  double n_expected = 0;
  gint64 n_most_asked = 0, n_asked = 0, n_cells = 0;
  g_autofree gsize *lengths = NULL;
  gsize n_axes;

  if (!cured_result_find_metric (replay.result, "time", &replay.metric))
    goto out;
  g_assert_true (cured_result_load_column (replay.result, replay.metric, NULL, &error));
  const CuredResultAxis *axes = cured_result_get_axes (replay.result, &n_axes);
  lengths = g_new0 (gsize, n_axes + 1);
  for (gsize i = 0; i < n_axes; i++)
    {
      lengths[i] = cured_axis_get_length (axes[i].values);
      /* The best of several problems is not looked for. */
      if (axes[i].kind == CURED_PARAMETER_PROBLEM && lengths[i] > 1)
        goto out;
    }
  values = g_new (double, (gsize) cured_result_get_n_cells (replay.result));
  for (gint64 i = 0; i < cured_result_get_n_cells (replay.result); i++)
    {
      if (is_recorded (i, &replay))
        n_cells++;
      values[i] = cured_result_get_value (replay.result, i, replay.metric);
      if (values[i] < best)
        best = values[i];
    }
  if (n_cells < WORTH_A_SEARCH || isinf (best))
    goto out;

  for (guint64 seed = 1; seed <= SEEDS; seed++)
    {
      g_autoptr (CuredSearch) search =
          cured_search_new (lengths, n_axes, is_recorded, &replay, FALSE, seed);
      Found found = search_grid (search, values);

      g_assert_cmpint (found.report.n_cells, ==, n_cells);
      n_asked += found.n_asked;
      n_most_asked = MAX (n_most_asked, found.n_asked);
      n_expected += expect_near (&replay, n_cells, best, found.n_asked);
      if (found.report.value <= (1 + WITHIN) * best)
        n_near++;
    }
  {
    g_autofree char *name = g_path_get_basename (path);

    g_test_message ("%s: %" G_GINT64_FORMAT
                    " cells, %.1f of them visited in the mean, %" G_GINT64_FORMAT
                    " at most; %u of %d seeds within 2 %%",
                    name, n_cells, (double) n_asked / SEEDS, n_most_asked, n_near, SEEDS);
  }
  g_assert_cmpint (2 * n_most_asked, <=, n_cells);
  g_assert_cmpfloat (n_near, >=, NEAR_EACH * SEEDS);
  g_assert_cmpfloat (n_near, >=, n_expected - CHANCE * SEEDS);
  if (n_cells <= SMALL_MOST)
    {
      *visited += (double) n_asked / SEEDS / (double) n_cells;
      (*n_small)++;
    }
  *n_near_all += n_near;
  *n_all += SEEDS;

out:
  g_object_unref (replay.result);
}

TEST ("/search/recorded")
{
  const char *folder = g_getenv ("CURED_TEST_RESULTS");
  g_autoptr (GDir) dir = MUST (g_dir_open (folder, 0, &fail));
  const char *name;
  guint n_near = 0, n_all = 0;
  double visited = 0;
  guint n_small = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".cured"))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        replay_file (path, &n_near, &n_all, &visited, &n_small);
      }
  g_test_message ("%u of %u searches ended within 2 %%", n_near, n_all);
  g_assert_cmpuint (n_all, >, 0);
  g_test_message ("%.1f %% visited of the smaller ones", 100 * visited / n_small);
  g_assert_cmpfloat (visited, <=, VISITED_OVERALL * n_small);
  g_assert_cmpfloat (n_near, >=, NEAR_OVERALL * n_all);
}

/* Made-up small spaces, of kinds that real ones have something of. */
#define SPACES      60
#define SPACE_SEEDS 10
#define SPACE_LEAST 32
#define SPACE_MOST  128
#define SPACE_AXES  4

/* And large ones, in which there is room for descents; fewer in the quick tier. */
#define LARGE_SPACES (g_test_slow () ? 12 : 2)
#define LARGE_SEEDS  (g_test_slow () ? 5 : 1)
#define LARGE_LEAST  500
#define LARGE_MOST   4096
#define LARGE_AXES   6

typedef struct
{
  const char *name;
  gboolean is_smooth; /* a valley; FALSE: each position of an axis has its own */
  gboolean is_chance; /* no axis has any */
  double noise;       /* of a cell, relative */
  double failing;     /* part of the cells */
  double outlier;     /* by how much one cell is faster */
  double near;        /* of the searches, within 1 %, at least */
} SpaceKind;

static const SpaceKind space_kinds[] = {
  { "smooth, 1 % noise", TRUE, FALSE, 0.01, 0, 0, 0.9 },
  { "an effect of each axis, 2 % noise, 15 % fail", FALSE, FALSE, 0.02, 0.15, 0, 0.78 },
  { "smooth, 10 % noise", TRUE, FALSE, 0.1, 0, 0, 0.66 },
  { "pure chance", FALSE, TRUE, 0.3, 0, 0, 0.3 },
  { "an effect of each axis, one cell 40 % faster", FALSE, FALSE, 0.02, 0, 0.4, 0.7 },
};

typedef struct
{
  gsize lengths[LARGE_AXES], n_axes, n_cells;
  double values[LARGE_MOST];
} Space;

static void
make_space (const SpaceKind *kind, gboolean is_large, GRand *random, Space *self)
{
  const int n_axes = is_large ? LARGE_AXES : SPACE_AXES;
  const gsize least = is_large ? LARGE_LEAST : SPACE_LEAST;
  const gsize most = is_large ? LARGE_MOST : SPACE_MOST;
  static const gsize lengths[] = { 2, 3, 4, 5, 6, 8, 12, 16 };
  double effects[LARGE_AXES][16], centre[LARGE_AXES], weight[LARGE_AXES];
  double trade = g_rand_double_range (random, -0.5, 0.5);

  do
    {
      self->n_axes = (gsize) g_rand_int_range (random, 2, n_axes + 1);
      self->n_cells = 1;
      for (gsize axis = 0; axis < self->n_axes; axis++)
        {
          self->lengths[axis] = lengths[g_rand_int_range (random, 0, G_N_ELEMENTS (lengths))];
          self->n_cells *= self->lengths[axis];
        }
    }
  while (self->n_cells < least || self->n_cells > most);
  for (gsize axis = 0; axis < self->n_axes; axis++)
    {
      centre[axis] = g_rand_double (random);
      weight[axis] = g_rand_double_range (random, 0.2, 2);
      for (gsize i = 0; i < G_N_ELEMENTS (effects[axis]); i++)
        effects[axis][i] = 0.2 * draw_normal (random);
    }
  for (gsize cell = 0; cell < self->n_cells; cell++)
    {
      double value = 1, last = 0;
      gsize rest = cell;

      for (gsize axis = self->n_axes; axis-- > 0;)
        {
          gsize at = rest % self->lengths[axis];
          double distance = (double) at / (double) (self->lengths[axis] - 1) - centre[axis];

          rest /= self->lengths[axis];
          if (kind->is_smooth)
            value += weight[axis] * distance * distance + trade * last * distance;
          else if (!kind->is_chance)
            value *= exp (effects[axis][at]);
          last = distance;
        }
      value *= exp (kind->noise * draw_normal (random));
      self->values[cell] = g_rand_double (random) < kind->failing ? NAN : value;
    }
  if (kind->outlier > 0)
    self->values[g_rand_int_range (random, 0, (gint32) self->n_cells)] *= 1 - kind->outlier;
}

/* Searches of made-up spaces visit few cells and find the best; the messages are a table of
 * docs/measuring.md. */
TEST ("/search/made-up")
{
  for (gsize k = 0; k < G_N_ELEMENTS (space_kinds); k++)
    {
      const SpaceKind *kind = &space_kinds[k];
      g_autoptr (GRand) random = g_rand_new_with_seed (7);
      guint n_near = 0, n_nearer = 0;
      double visited = 0, drawn = 0;

      for (int i = 0; i < SPACES; i++)
        {
          Space space;
          double best = INFINITY;
          gint64 n_good = 0;

          make_space (kind, FALSE, random, &space);
          for (gsize cell = 0; cell < space.n_cells; cell++)
            if (space.values[cell] < best)
              best = space.values[cell];
          for (gsize cell = 0; cell < space.n_cells; cell++)
            n_good += space.values[cell] <= 1.01 * best;
          for (guint64 seed = 1; seed <= SPACE_SEEDS; seed++)
            {
              g_autoptr (CuredSearch) search =
                  cured_search_new (space.lengths, space.n_axes, NULL, NULL, FALSE, seed);
              Found found = search_grid (search, space.values);
              double none = 1;

              n_nearer += found.report.value <= 1.01 * best;
              n_near += found.report.value <= 1.02 * best;
              visited += (double) found.n_asked / (double) space.n_cells;
              for (gint64 j = 0; j < found.n_asked; j++)
                none *= (double) MAX ((gint64) space.n_cells - n_good - j, 0) /
                        (double) ((gint64) space.n_cells - j);
              drawn += 1 - none;
            }
        }
      g_test_message (
          "| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |", kind->name,
          100 * visited / (SPACES * SPACE_SEEDS), 100.0 * n_nearer / (SPACES * SPACE_SEEDS),
          100.0 * n_near / (SPACES * SPACE_SEEDS), 100 * drawn / (SPACES * SPACE_SEEDS));
      g_assert_cmpfloat (visited, <=, VISITED_CHANCE * SPACES * SPACE_SEEDS);
      g_assert_cmpfloat (n_nearer, >=, kind->near * SPACES * SPACE_SEEDS);
      /* Where there is nothing to be learnt, chance does as well. */
      g_assert_cmpfloat (n_nearer, >=, drawn - 0.05 * SPACES * SPACE_SEEDS);
    }
}

/* The best over what a search had after a number of cells; the messages of the long tier are a
 * table of docs/measuring.md. */
#define LARGE_AT_50 0.9

TEST ("/search/made-up-large")
{
  static const gint64 points[] = { 10, 25, 50, 100, 200 };

  for (gsize k = 0; k < G_N_ELEMENTS (space_kinds); k++)
    {
      const SpaceKind *kind = &space_kinds[k];
      g_autoptr (GRand) random = g_rand_new_with_seed (7);
      double quality[G_N_ELEMENTS (points)] = { 0 };
      guint n_near = 0;
      gint64 visited = 0;
      guint n = (guint) (LARGE_SPACES * LARGE_SEEDS);

      for (int i = 0; i < LARGE_SPACES; i++)
        {
          Space space;
          double best = INFINITY;

          make_space (kind, TRUE, random, &space);
          for (gsize cell = 0; cell < space.n_cells; cell++)
            if (space.values[cell] < best)
              best = space.values[cell];
          for (guint64 seed = 1; seed <= (guint64) LARGE_SEEDS; seed++)
            {
              g_autoptr (CuredSearch) search =
                  cured_search_new (space.lengths, space.n_axes, NULL, NULL, FALSE, seed);
              double had = INFINITY;
              gint64 n_asked = 0;
              gsize at = 0;
              gint64 cell;

              while (cured_search_next (search, &cell))
                {
                  double value = space.values[cell];

                  n_asked++;
                  cured_search_add (search, cell, value, value, value);
                  if (value < had)
                    had = value;
                  if (at < G_N_ELEMENTS (points) && n_asked == points[at])
                    quality[at++] += best / had / n;
                }
              for (; at < G_N_ELEMENTS (points); at++)
                quality[at] += best / had / n;
              n_near += had <= 1.01 * best;
              visited += n_asked;
            }
        }
      g_test_message ("| %s | %.1f | %.1f %% | %.3f / %.3f / %.3f / %.3f / %.3f |", kind->name,
                      (double) visited / n, 100.0 * n_near / n, quality[0], quality[1], quality[2],
                      quality[3], quality[4]);
      g_assert_cmpfloat (quality[2], >=, kind->is_chance ? 0 : LARGE_AT_50);
    }
}
