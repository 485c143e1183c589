/* SPDX-License-Identifier: MIT
 * Replays searches on a complete result file, to evaluate the search. */
#include "run/cured-search-replay.h"

#include "base/cured-base-internal.h"
#include "run/cured-search-internal.h"

/* A search that ends within this part of the optimum found it. */
#define NEAR 0.01

/* A cell within this part of the optimum is close enough for most users. */
#define CLOSE 0.02

/* The score covers the visits that random search needs for this part of the way from the median to
 * the optimum, but at most SCORED_MOST. */
#define SCORED_WAY  0.95
#define SCORED_MOST 200

/* Larger grids are not replayed. */
#define MOST_CELLS ((gint64) 1 << 26)

/* Each search has a model of some megabytes. */
#define MOST_THREADS 16

/* ORDER: ascending. */
#define SCORED_POINTS                                                                              \
  {                                                                                                \
    10, 25, 50, 100, 200                                                                           \
  }

/* The space of a file's cells. */
typedef struct
{
  CuredResult *result;
  gsize *lengths, n_axes;
  gint64 n_grid;
  gsize metric;
  const double *predicted; /* nullable: times; NaN: not predicted */
  double sign;             /* 1, or -1 where higher is better */
  double *sorted;          /* (array length=n_cells): sign × value, best first; failed ones last */
  gint64 n_cells;
} Space;

static gboolean
is_recorded (gint64 cell, gpointer user_data)
{
  CuredState state = cured_result_get_state (((Space *) user_data)->result, cell);

  return state != CURED_STATE_NOT_RUN && state != CURED_STATE_NOT_LAUNCHABLE;
}

static double
get_worth (const Space *self, gint64 cell)
{
  return cured_result_get_state (self->result, cell) == CURED_STATE_OK
             ? self->sign * cured_result_get_value (self->result, cell, self->metric)
             : NAN;
}

static gboolean
open_space (Space *self, CuredResult *result, gsize metric, GError **error)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, &self->n_axes);
  double worst = -INFINITY;
  gint64 n_valued = 0;

  self->result = result;
  self->n_grid = cured_result_get_n_cells (result);
  if (!cured_result_load_column (result, metric, NULL, error))
    return FALSE;
  self->metric = metric;
  self->sign =
      cured_result_get_metrics (result, NULL)[metric].better == CURED_BETTER_HIGHER ? -1 : 1;
  self->lengths = g_new0 (gsize, self->n_axes + 1);
  for (gsize i = 0; i < self->n_axes; i++)
    {
      self->lengths[i] = cured_axis_get_length (axes[i].values);
      if (axes[i].kind == CURED_PARAMETER_PROBLEM && self->lengths[i] > 1)
        return cured_fail (
            error, CURED_ERROR_INVALID,
            _ ("The file has several problems (%s), whose best cells can't be compared; "
               "import or run one of them"),
            axes[i].name);
    }
  if (self->n_grid > MOST_CELLS)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("The grid is too large to be searched over and over"));
  self->sorted = g_new (double, self->n_grid + 1);
  for (gint64 cell = 0; cell < self->n_grid; cell++)
    if (is_recorded (cell, self))
      {
        double worth = get_worth (self, cell);

        self->sorted[self->n_cells++] = worth;
        n_valued += !isnan (worth);
        if (worth > worst)
          worst = worth;
      }
  if (n_valued < 2)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("The file has fewer than two cells with that metric, so that there "
                          "is nothing to search"));
  for (gint64 i = 0; i < self->n_cells; i++)
    if (isnan (self->sorted[i]))
      self->sorted[i] = worst;
  qsort (self->sorted, (size_t) self->n_cells, sizeof *self->sorted, _cured_compare_doubles);
  return TRUE;
}

CURED_CLEAR_FUNC (Space, close_space, lengths, g_free, sorted, g_free)

/* The expected value of the best of @n cells drawn without replacement. */
static double
expect_random (const Space *self, gint64 n)
{
  /* The chance that this cell is drawn, but none before it. */
  double none = 1, mean = 0;

  for (gint64 i = 0; i <= self->n_cells - n; i++)
    {
      double is_drawn = (double) n / (double) (self->n_cells - i);

      mean += none * is_drawn * self->sorted[i];
      none *= 1 - is_drawn;
      if (none < 1e-15)
        break;
    }
  return mean;
}

/* The number of visits after which random search has come far enough. */
static gint64
find_scored (const Space *self)
{
  double optimum = self->sorted[0], median = self->sorted[self->n_cells / 2];
  double wanted = median - SCORED_WAY * (median - optimum);
  gint64 low = 1, high = MIN (self->n_cells, SCORED_MOST);

  while (low < high)
    {
      gint64 n = low + (high - low) / 2;

      if (expect_random (self, n) <= wanted)
        high = n;
      else
        low = n + 1;
    }
  return low;
}

/* The best value after each of the first @n visits, or at the end of a search with fewer. Sets
 * @to_close to the number of visits until it was close to the optimum. Returns the number of
 * visits. */
static gint64
search_once (Space *self, guint64 seed, gint64 budget, double *curve, gint64 n, double *to_close,
             double *end)
{
  g_autoptr (CuredSearch) search =
      cured_search_new (self->lengths, self->n_axes, is_recorded, self, FALSE, seed);
  double best = self->sorted[self->n_cells - 1];
  double close = self->sorted[0] + CLOSE * fabs (self->sorted[0]);
  gint64 n_visited = 0, cell;

  if (budget > 0)
    cured_search_set_budget (search, budget, 0);
  if (self->predicted != NULL)
    cured_search_set_predicted (search, self->predicted);
  *to_close = (double) self->n_cells;
  while (cured_search_next (search, &cell))
    {
      double worth = get_worth (self, cell);

      cured_search_add (search, cell, worth, worth, worth);
      if (worth < best)
        best = worth;
      if (n_visited < n)
        curve[n_visited] = best;
      n_visited++;
      if (best <= close)
        *to_close = MIN (*to_close, (double) n_visited);
    }
  for (gint64 i = n_visited; i < n; i++)
    curve[i] = best;
  *end = best;
  return n_visited;
}

/* 0: like random search; 1: the optimum from the first visit on. */
static double
get_score (const Space *self, const double *curve, const double *random, gint64 n)
{
  double sum = 0;
  gint64 n_terms = 0;

  for (gint64 i = 0; i < n; i++)
    if (random[i] > self->sorted[0])
      {
        sum += (random[i] - curve[i]) / (random[i] - self->sorted[0]);
        n_terms++;
      }
  return n_terms > 0 ? sum / (double) n_terms : 0;
}

static double
get_part (const Space *self, double worth)
{
  return self->sign > 0 ? self->sorted[0] / worth : worth / self->sorted[0];
}

static void
get_quartiles (GArray *numbers, double *quartiles)
{
  g_array_sort (numbers, _cured_compare_doubles);
  for (guint i = 0; i < 3; i++)
    quartiles[i] = g_array_index (numbers, double, (numbers->len - 1) * (i + 1) / 4);
}

/* The result of one search. */
typedef struct
{
  double *curve, n_visited, n_close, end;
} Trace;

/* All searches, run on all cores. */
typedef struct
{
  Space *space;
  gint64 budget;
  gint64 n;      /* length of a curve */
  Trace *traces; /* one per seed */
  guint n_seeds;
  CuredSearchReplayFunc func;
  gpointer user_data;
  GCancellable *cancellable;
  GMutex lock; /* for @n_done and @func */
  guint n_done;
} Replays;

/* @seed: from 1 on */
static void
replay_seed (gpointer seed, gpointer user_data)
{
  Replays *self = user_data;
  guint number = GPOINTER_TO_UINT (seed);
  Trace *trace = &self->traces[number - 1];

  if (g_cancellable_is_cancelled (self->cancellable))
    return;
  trace->n_visited = (double) search_once (self->space, number, self->budget, trace->curve, self->n,
                                           &trace->n_close, &trace->end);
  g_mutex_lock (&self->lock);
  self->n_done++;
  if (self->func != NULL)
    self->func (self->n_done, self->n_seeds, self->user_data);
  g_mutex_unlock (&self->lock);
}

static gboolean
run_replays (Replays *self, GError **error)
{
  GThreadPool *pool = g_thread_pool_new (
      replay_seed, self, (gint) MIN (g_get_num_processors (), MOST_THREADS), FALSE, error);

  if (pool == NULL)
    return FALSE;
  for (guint seed = 1; seed <= self->n_seeds; seed++)
    g_thread_pool_push (pool, GUINT_TO_POINTER (seed), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

static void
sum_up (const Replays *self, gint64 n_scored, CuredSearchReplay *replay)
{
  static const gint64 points[] = SCORED_POINTS;
  g_autoptr (GArray) visits = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) scores = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) to_close = g_array_new (FALSE, FALSE, sizeof (double));
  const Space *space = self->space;
  g_autofree double *mean = g_new0 (double, self->n), *random = g_new (double, self->n);
  double near = space->sorted[0] + NEAR * fabs (space->sorted[0]);

  G_STATIC_ASSERT (G_N_ELEMENTS (points) == CURED_SEARCH_REPLAY_POINTS);
  *replay = (CuredSearchReplay){
    .n_cells = space->n_cells,
    .optimum = space->sign * space->sorted[0],
    .n_seeds = self->n_seeds,
    .n_scored = n_scored,
  };
  for (gint64 i = 0; i < self->n; i++)
    random[i] = expect_random (space, MIN (i + 1, space->n_cells));
  for (guint k = 0; k < self->n_seeds; k++)
    {
      const Trace *trace = &self->traces[k];
      double score = get_score (space, trace->curve, random, n_scored);

      replay->n_near += trace->end <= near;
      replay->n_at_optimum += trace->end <= space->sorted[0];
      g_array_append_val (visits, trace->n_visited);
      g_array_append_val (scores, score);
      g_array_append_val (to_close, trace->n_close);
      for (gint64 i = 0; i < self->n; i++)
        mean[i] += trace->curve[i] / self->n_seeds;
    }
  get_quartiles (visits, replay->visits);
  get_quartiles (scores, replay->score);
  get_quartiles (to_close, replay->to_close);
  replay->mean_score = get_score (space, mean, random, n_scored);
  for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
    {
      replay->points[i] = points[i];
      replay->reached[i] = get_part (space, mean[points[i] - 1]);
      replay->random[i] = get_part (space, random[points[i] - 1]);
    }
}

static gboolean
replay_space (Replays *self, CuredSearchReplay *replay, GError **error)
{
  static const gint64 points[] = SCORED_POINTS;
  gint64 n_scored = find_scored (self->space);
  g_autofree Trace *traces = g_new0 (Trace, self->n_seeds);

  self->n = MAX (n_scored, points[G_N_ELEMENTS (points) - 1]);
  self->traces = traces;
  g_autofree double *curves = g_new0 (double, (gsize) self->n * self->n_seeds);
  for (guint k = 0; k < self->n_seeds; k++)
    traces[k].curve = curves + (gsize) k * (gsize) self->n;
  g_mutex_init (&self->lock);
  gboolean is_done = run_replays (self, error);
  g_mutex_clear (&self->lock);
  if (is_done)
    sum_up (self, n_scored, replay);
  return is_done;
}

/* @result: a result; only cells with a state are visited
 * @metric: the metric to optimize
 * @n_seeds: searches, with the seeds from 1 on; at least 1
 * @budget: cells that a search may visit; 0: no limit
 * @predicted: (nullable): the predicted time of each cell of the grid, as from
 *   cured_forecast_get_times(); NULL: search without predictions
 * @func: (nullable): called with progress
 * @user_data: for @func
 * @cancellable: (nullable): stops after the running searches
 * @replay: (out caller-allocates): the results
 *
 * Runs searches on the cells of @result as if they were still to be measured, on all cores; the
 * result does not depend on their number. Blocks.
 * Returns: FALSE with %CURED_ERROR_INVALID if there is nothing to search, with
 *   %G_IO_ERROR_CANCELLED, or an error of the file's */
gboolean
cured_search_replay (CuredResult *result, gsize metric, guint n_seeds, gint64 budget,
                     const double *predicted, CuredSearchReplayFunc func, gpointer user_data,
                     GCancellable *cancellable, CuredSearchReplay *replay, GError **error)
{
  Space space = { .predicted = predicted };
  Replays replays = {
    .space = &space,
    .budget = budget,
    .n_seeds = n_seeds,
    .func = func,
    .user_data = user_data,
    .cancellable = cancellable,
  };

  g_return_val_if_fail (result != NULL && replay != NULL && n_seeds > 0 && budget >= 0, FALSE);

  gboolean is_done =
      open_space (&space, result, metric, error) && replay_space (&replays, replay, error);
  close_space (&space);
  return is_done;
}
