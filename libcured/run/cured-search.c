/* SPDX-License-Identifier: MIT
 * Looks for the best cell of a sweep without visiting all of them. */
#include "run/cured-search-internal.h"

#include "base/cured-base-internal.h"
#include "run/cured-search-model-private.h"

/* Cells that are drawn at random: a part of the grid, within these bounds. The search begins with
 * them, and they bound the number of better cells. */
#define DRAWN_PART  0.2
#define DRAWN_LEAST 8
#define DRAWN_MOST  16

/* At most this part of the grid is visited, unless it is tiny. */
#define VISITED_PART  0.5
#define VISITED_LEAST 16

/* Along an axis, a descent tries steps up to this size, and both ends. */
#define FARTHEST_STEP 2

/* With predicted times, this many descents begin at the best of the cells drawn; the others at the
 * best cell, and at kicks of it: the best of KICKED_CELLS cells that differ from it on two axes. */
#define FRESH_STARTS 1
#define KICKED_CELLS 3

/* The search ends after this many kicks that find nothing better; a small grid needs fewer: one for
 * each KICKS_PER cells. */
#define KICKS_ENOUGH 8
#define KICKS_PER    32

/* A descent that is worse than the best cell by more than this part, once around all axes, is given
 * up. */
#define HOPELESS 0.5

/* The search ends after this many cells that were chosen by their predicted times but are no better
 * than the best one. */
#define PROMISED_ENOUGH 8

/* The same for cells chosen by the model: one for each GAINFUL_PER cells, within these bounds,
 * once a least part of the grid or number of cells was visited. Replayed on public spaces of
 * 2,442 to 17,956 cells, kicks and more descents instead found less in as many visits, and so
 * did more patience without a least number of visits: on some spaces the best is found
 * late. */
#define GAINFUL_PER   16
#define GAINFUL_LEAST 6
#define GAINFUL_MOST  50
#define SEEN_PART     0.25
#define SEEN_MOST     280

/* After this many guided cells in vain, every second one is a neighbour of the best cell, which
 * differs on one axis. Doing so from the first one on was worse after 25 and 50 cells; cells that
 * differ on two axes found less in the end. */
#define BESIDE_FROM 6

/* A grid of this many cells is searched by the model alone, as descents and kicks would visit
 * half of it. The search ends once SMALL_VAIN_PART of the cells, and at least SMALL_VAIN_LEAST,
 * were no better in a row, and the next one's expected gain in rank is below SMALL_GAIN. In the
 * second half of these, every other one is drawn, to find a best cell that is unlike all
 * others. */
#define SMALL_LEAST      32
#define SMALL_MOST       130
#define SMALL_VAIN_PART  0.15
#define SMALL_VAIN_LEAST 6
#define SMALL_GAIN       0.004

/* Cells chosen at a time: the second is compiled while the first is measured. */
#define GUIDED_AT_ONCE 2

/* Number of drawn cells at the beginning, fewer in a small grid. With two fewer or more, searches
 * were worse after 10 and 25 cells. */
#define FIRST_DRAWN       5
#define FIRST_DRAWN_SMALL 3

/* The distance of two different positions on an axis is at least this, plus a part that grows with
 * their separation. */
#define AXIS_LEAST 0.2

/* Greatest number of cells that the model rates. */
#define CANDIDATES_MOST (1 << 14)

/* Limit of attempts to draw a cell that was not visited yet. */
#define MOST_TURNS 200

/* Descents that end less than this worse than the best count as agreeing. */
#define AGREEING_WITHIN 0.005

/* Probability that there are more than n_better better cells. */
#define DOUBT 0.05

/* The state of a descent: the axis to try, or the number of axes. */
typedef struct
{
  gint64 cell; /* current cell; -1: no descent is running */
  gsize axis;
  gboolean has_moved;
} Descent;

/* A visited cell's value: lower is better. */
typedef struct
{
  double value, low, high;
  gboolean is_known; /* FALSE: requested */
} Visit;

/* A cell whose time was predicted. */
typedef struct
{
  gint64 cell;
  double log_time; /* predicted */
} Promise;

struct _CuredSearch
{
  CuredPlan *plan; /* nullable */
  CuredMetric metric;
  gsize *lengths, n_axes;
  CuredSearchAllowedFunc is_allowed;
  gpointer user_data;
  double sign; /* 1, or -1 where higher is better */
  gint64 n_grid;
  gint64 n_cells; /* cells that may be visited */
  gint64 n_most;
  GHashTable *visits; /* (element-type gint64 Visit) */
  GQueue queue;       /* (element-type gint64): cells to request */
  guint n_waiting;    /* requested, but not known */
  gint64 n_known;
  GRand *rand;
  GArray *kicked;     /* (element-type gint64): the best of them is the next start */
  guint n_kicks;      /* kicks since the best cell was found */
  gint64 kicked_from; /* the best cell at the last kick */
  GArray *drawn;      /* (element-type gint64); in order of value once known */
  GArray *draws;      /* (element-type gint64): cells that each of @drawn was drawn from */
  guint n_started;
  Descent descent;
  GArray *tried; /* (element-type gint64): cells that the descent tries now */
  GArray *ends;  /* (element-type gint64): ends of descents */
  gint64 best;   /* -1: none */
  gboolean is_finished;
  gboolean knows_earlier; /* it knows cells that it did not request */
  gboolean is_guided;     /* cells are chosen by predictions or the model, for now */
  GArray *promised;       /* (element-type Promise): cells with predicted times */
  gint64 n_guided;
  guint n_in_vain; /* guided cells since the best cell was found */
  gboolean has_begun, has_asked_drawn;
  CuredSearchModel *model; /* (nullable): fitted to the visited cells */
  GArray *candidates;      /* (element-type gint64): cells that the model rates */
  double *bounds;          /* (array length=candidates): upper bounds of their gains */
  gboolean is_rated;       /* the bounds include all known cells */
  GArray *beside;          /* (element-type guint): candidates that are neighbours of… */
  gint64 beside_of;        /* …this cell; -1: none */
  gboolean has_budget;
  double budget_s;    /* 0: without end */
  gint64 deadline_us; /* of g_get_monotonic_time(); 0: none yet */
};

static Visit *
find_visit (CuredSearch *self, gint64 cell)
{
  return g_hash_table_lookup (self->visits, &cell);
}

/* A failed cell is worse than all others. */
static double
get_value (CuredSearch *self, gint64 cell)
{
  const Visit *visit = find_visit (self, cell);

  return visit != NULL && !isnan (visit->value) ? visit->value : INFINITY;
}

static gboolean
can_visit (CuredSearch *self, gint64 cell)
{
  return self->is_allowed == NULL || self->is_allowed (cell, self->user_data);
}

/* Requests a cell, unless it was requested before. FALSE: the search has reached its limit. */
static gboolean
ask (CuredSearch *self, gint64 cell)
{
  if (find_visit (self, cell) != NULL)
    return TRUE;
  if ((gint64) g_hash_table_size (self->visits) >= self->n_most)
    return FALSE;
  Visit *visit = g_new0 (Visit, 1);
  visit->value = NAN;
  g_hash_table_insert (self->visits, g_memdup2 (&cell, sizeof cell), visit);
  g_queue_push_tail (&self->queue, g_memdup2 (&cell, sizeof cell));
  return TRUE;
}

static int
compare_values (gconstpointer a, gconstpointer b, gpointer user_data)
{
  double x = get_value (user_data, *(const gint64 *) a);
  double y = get_value (user_data, *(const gint64 *) b);

  if (x != y)
    return x < y ? -1 : 1;
  return _cured_compare_integers (a, b);
}

static gboolean
is_drawn (CuredSearch *self, gint64 cell)
{
  for (guint i = 0; i < self->drawn->len; i++)
    if (g_array_index (self->drawn, gint64, i) == cell)
      return TRUE;
  return FALSE;
}

/* Draws cells uniformly, to be requested later. If most of the grid is not allowed, takes the
 * next allowed cell from a random one on instead of drawing for ever, which is not quite
 * uniform. */
static void
draw (CuredSearch *self)
{
  guint n_drawn = (guint) MIN (
      CLAMP ((gint64) ceil ((double) self->n_cells * DRAWN_PART), DRAWN_LEAST, DRAWN_MOST),
      self->n_cells);

  while (self->drawn->len < n_drawn)
    {
      gint64 cell = (gint64) (g_rand_double (self->rand) * (double) self->n_grid);

      for (int turn = 0; turn < 1000 && (is_drawn (self, cell) || !can_visit (self, cell)); turn++)
        cell = (gint64) (g_rand_double (self->rand) * (double) self->n_grid);
      while (is_drawn (self, cell) || !can_visit (self, cell))
        cell = (cell + 1) % self->n_grid;
      g_array_append_val (self->drawn, cell);
    }
}

/* The distance of two cells, over all axes. */
static double
get_distance (const CuredSearch *self, gint64 a, gint64 b)
{
  double distance = 0;

  for (gsize i = self->n_axes; i-- > 0;)
    {
      gint64 length = (gint64) self->lengths[i], apart = ABS (a % length - b % length);

      if (apart > 0)
        distance += AXIS_LEAST + (1 - AXIS_LEAST) * (double) apart / (double) (length - 1);
      a /= length;
      b /= length;
    }
  return distance;
}

/* Reorders the drawn cells so that the first @n are far from each other: each is the one farthest
 * from the nearest of those before it. */
static void
spread (CuredSearch *self, guint n)
{
  gint64 *drawn = (gint64 *) (void *) self->drawn->data;

  for (guint i = 1; i < MIN (n, self->drawn->len); i++)
    {
      guint chosen = i;
      double most = -1;

      for (guint j = i; j < self->drawn->len; j++)
        {
          double nearest = INFINITY;

          for (guint k = 0; k < i; k++)
            nearest = MIN (nearest, get_distance (self, drawn[j], drawn[k]));
          if (nearest > most)
            {
              most = nearest;
              chosen = j;
            }
        }
      gint64 cell = drawn[i];
      drawn[i] = drawn[chosen];
      drawn[chosen] = cell;
    }
}

/* Requests cells in the order in which they were drawn, since the grid's begins with small values,
 * which are seldom good. */
static void
ask_drawn (CuredSearch *self, guint n)
{
  for (guint i = 0; i < MIN (n, self->drawn->len); i++)
    ask (self, g_array_index (self->drawn, gint64, i));
}

static void
note_draw (CuredSearch *self, gint64 n_cells)
{
  g_array_append_val (self->draws, n_cells);
}

static gint64
get_stride (const CuredSearch *self, gsize axis)
{
  gint64 stride = 1;

  for (gsize i = self->n_axes - 1; i > axis; i--)
    stride *= (gint64) self->lengths[i];
  return stride;
}

static gint64
get_position (const CuredSearch *self, gint64 cell, gsize axis)
{
  return cell / get_stride (self, axis) % (gint64) self->lengths[axis];
}

/* Finds the cell @steps further along @axis from @from, if there is one. */
static gboolean
find_cell (const CuredSearch *self, gint64 from, gsize axis, gint64 steps, gint64 *cell)
{
  gint64 position = get_position (self, from, axis) + steps;

  *cell = from + steps * get_stride (self, axis);
  return position >= 0 && position < (gint64) self->lengths[axis];
}

/* FALSE: the search has reached its limit. */
static gboolean
try_cell (CuredSearch *self, gint64 cell)
{
  if (cell == self->descent.cell || !can_visit (self, cell))
    return TRUE;
  g_array_append_val (self->tried, cell);
  return ask (self, cell);
}

static gboolean
try_axis (CuredSearch *self, gsize axis)
{
  gint64 from = self->descent.cell, length = (gint64) self->lengths[axis];
  gint64 position = get_position (self, from, axis);
  gboolean is_open = TRUE;
  gint64 cell;

  for (gint64 steps = 1; steps < length && steps <= FARTHEST_STEP; steps *= 2)
    for (int sign = -1; sign <= 1; sign += 2)
      if (find_cell (self, from, axis, sign * steps, &cell))
        is_open = try_cell (self, cell) && is_open;
  find_cell (self, from, axis, -position, &cell);
  is_open = try_cell (self, cell) && is_open;
  find_cell (self, from, axis, length - 1 - position, &cell);
  return try_cell (self, cell) && is_open;
}

/* Parameters often compensate each other: twice the threads and half the blocks. */
static gboolean
try_diagonals (CuredSearch *self)
{
  gint64 from = self->descent.cell;
  gboolean is_open = TRUE;
  gint64 beside, cell;

  for (gsize i = 0; i < self->n_axes; i++)
    for (gsize j = 0; j < i; j++)
      for (int turn = 0; turn < 4; turn++)
        if (find_cell (self, from, i, turn % 2 * 2 - 1, &beside) &&
            find_cell (self, beside, j, turn / 2 * 2 - 1, &cell))
          is_open = try_cell (self, cell) && is_open;
  return is_open;
}

static gboolean
is_alike (CuredSearch *self, gint64 cell)
{
  const Visit *best = find_visit (self, self->best), *visit = find_visit (self, cell);

  return visit != NULL && visit->is_known && !isnan (visit->value) && visit->low <= best->high;
}

static guint
count_agreeing (CuredSearch *self)
{
  double best = get_value (self, self->best);
  guint n_agreeing = 0;

  if (self->best < 0)
    return 0;
  for (guint i = 0; i < self->ends->len; i++)
    {
      gint64 end = g_array_index (self->ends, gint64, i);

      if (is_alike (self, end) || get_value (self, end) <= best + AGREEING_WITHIN * fabs (best))
        n_agreeing++;
    }
  return n_agreeing;
}

/* Moves to the best of the tried cells, if it is better. */
static void
move (CuredSearch *self)
{
  for (guint i = 0; i < self->tried->len; i++)
    {
      gint64 cell = g_array_index (self->tried, gint64, i);

      if (get_value (self, cell) < get_value (self, self->descent.cell))
        {
          self->descent.cell = cell;
          self->descent.has_moved = TRUE;
        }
    }
  g_array_set_size (self->tried, 0);
}

/* The best cell, with two axes at other positions. */
static gint64
draw_kick (CuredSearch *self)
{
  gint64 cell = self->best;
  gsize n_long = 0;

  for (gsize i = 0; i < self->n_axes; i++)
    n_long += self->lengths[i] > 1;
  for (int i = 0; i < 2 && n_long > 0; i++)
    {
      gsize nth = (gsize) (g_rand_double (self->rand) * (double) n_long), axis = 0;

      while (self->lengths[axis] <= 1 || nth-- > 0)
        axis++;
      gint64 to = (gint64) (g_rand_double (self->rand) * (double) self->lengths[axis]);
      cell += (to - get_position (self, cell, axis)) * get_stride (self, axis);
    }
  return cell;
}

/* Requests cells, one of which becomes the next start. FALSE: there are none, or the search has
 * reached its limit. */
static gboolean
kick (CuredSearch *self)
{
  gint64 cell;

  for (int turn = 0; turn < MOST_TURNS && self->kicked->len < KICKED_CELLS; turn++)
    {
      cell = draw_kick (self);
      if (find_visit (self, cell) != NULL || !can_visit (self, cell))
        continue;
      if (!ask (self, cell))
        break;
      g_array_append_val (self->kicked, cell);
    }
  /* With a budget, continue even if all neighbours of the best cell are known. */
  if (self->kicked->len == 0 && self->has_budget && self->n_known < self->n_cells)
    {
      cell = (gint64) (g_rand_double (self->rand) * (double) self->n_grid);
      while (find_visit (self, cell) != NULL || !can_visit (self, cell))
        cell = (cell + 1) % self->n_grid;
      if (ask (self, cell))
        g_array_append_val (self->kicked, cell);
    }
  return self->kicked->len > 0;
}

/* The number of axes on which two cells differ; stops counting above @most. */
static guint
count_other (const CuredSearch *self, gint64 a, gint64 b, guint most)
{
  guint n_other = 0;

  for (gsize i = self->n_axes; i-- > 0 && n_other <= most;)
    {
      gint64 length = (gint64) self->lengths[i];

      n_other += a % length != b % length;
      a /= length;
      b /= length;
    }
  return n_other;
}

/* Estimates the kicks of the best cell that an earlier search made, from the cells that differ from
 * it on at most two axes. */
static guint
count_earlier_kicks (CuredSearch *self)
{
  GHashTableIter iter;
  gpointer key;
  guint n_around = 0;

  g_hash_table_iter_init (&iter, self->visits);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    n_around += count_other (self, *(const gint64 *) key, self->best, 2) <= 2;
  return n_around / KICKED_CELLS;
}

/* Finds the start of the next descent. FALSE: it is not known yet, or there is none. */
static gboolean
find_start (CuredSearch *self, gint64 *cell)
{
  guint n_fresh = self->model == NULL ? FRESH_STARTS : 0;
  guint n_enough =
      self->model == NULL ? (guint) CLAMP (self->n_cells / KICKS_PER, 1, KICKS_ENOUGH) : 0;

  if (self->n_started == 0)
    g_array_sort_with_data (self->drawn, compare_values, self);
  if (self->kicked->len > 0)
    {
      g_array_sort_with_data (self->kicked, compare_values, self);
      *cell = g_array_index (self->kicked, gint64, 0);
      g_array_set_size (self->kicked, 0);
      return TRUE;
    }
  if (!self->has_asked_drawn)
    {
      self->has_asked_drawn = TRUE;
      ask_drawn (self, self->drawn->len);
      for (guint i = self->draws->len; i < self->drawn->len; i++)
        note_draw (self, self->n_cells - i);
      if (!g_queue_is_empty (&self->queue))
        return FALSE;
    }
  if (self->n_started < self->drawn->len && (self->n_started < n_fresh || self->best < 0))
    {
      *cell = g_array_index (self->drawn, gint64, self->n_started++);
      return TRUE;
    }
  if (self->kicked_from != self->best)
    {
      self->kicked_from = self->best;
      self->n_kicks = self->knows_earlier ? count_earlier_kicks (self) : 0;
    }
  if (self->best < 0 || (self->n_kicks >= n_enough && !self->has_budget) || !kick (self))
    self->is_finished = TRUE;
  self->n_kicks++;
  return FALSE;
}

/* Whether a descent that has tried all axes once is too far from the best cell. */
static gboolean
is_hopeless (CuredSearch *self)
{
  double best = get_value (self, self->best);

  return get_value (self, self->descent.cell) > best + HOPELESS * fabs (best);
}

/* ---- Predicted times ---- */

static gint64
count_steps (const CuredSearch *self, gint64 a, gint64 b)
{
  gint64 n_steps = 0;

  for (gsize i = self->n_axes; i-- > 0;)
    {
      gint64 length = (gint64) self->lengths[i];

      n_steps += ABS (a % length - b % length);
      a /= length;
      b /= length;
    }
  return n_steps;
}

/* A visited cell with a predicted time, and its error. */
typedef struct
{
  gint64 cell;
  double log_ratio; /* measured over predicted time */
} Lesson;

static GArray *
list_lessons (CuredSearch *self)
{
  GArray *lessons = g_array_new (FALSE, FALSE, sizeof (Lesson));

  CURED_EACH (const Promise, promise, self->promised)
    {
      const Visit *visit = find_visit (self, promise->cell);
      double cost = visit != NULL ? (self->sign > 0 ? visit->value : -1 / visit->value) : NAN;
      Lesson lesson = { promise->cell, log (cost) - promise->log_time };

      if (cost > 0 && isfinite (cost))
        g_array_append_val (lessons, lesson);
    }
  return lessons;
}

/* The logarithm of the time expected of @promise: the predicted one, corrected by visited cells'
 * ratios of measured to predicted time, weighted by the inverse square of their distance. */
static double
get_promise (const CuredSearch *self, const Promise *promise, const GArray *lessons)
{
  double sum = 0, weights = 0;

  CURED_EACH (const Lesson, lesson, lessons)
    {
      double distance = (double) count_steps (self, promise->cell, lesson->cell);
      double weight = 1 / (distance * distance);

      sum += weight * lesson->log_ratio;
      weights += weight;
    }
  return promise->log_time + (weights > 0 ? sum / weights : 0);
}

/* The most promising cell that was not requested; -1: none. */
static gint64
find_promising (CuredSearch *self)
{
  g_autoptr (GArray) lessons = list_lessons (self);
  double least = INFINITY;
  gint64 cell = -1;

  CURED_EACH (const Promise, promise, self->promised)
    {
      if (find_visit (self, promise->cell) != NULL)
        continue;
      double log_time = get_promise (self, promise, lessons);
      if (log_time < least)
        {
          least = log_time;
          cell = promise->cell;
        }
    }
  return cell;
}

/* Makes the model rate the candidates by all known cells. */
static void
rate (CuredSearch *self)
{
  gsize n_seen = _cured_search_model_count_seen (self->model);
  g_autofree double *values = g_new (double, n_seen + 1);

  for (gsize i = 0; i < n_seen; i++)
    values[i] = get_value (self, _cured_search_model_get_seen (self->model, i));
  if (self->bounds == NULL)
    self->bounds = g_new (double, self->candidates->len + 1);
  _cured_search_model_rate (self->model, values, self->bounds);
  self->is_rated = TRUE;
}

/* Lists the candidates that differ from the best cell on one axis, unless they are listed. */
static void
list_beside (CuredSearch *self)
{
  if (self->beside_of == self->best)
    return;
  self->beside_of = self->best;
  g_array_set_size (self->beside, 0);
  for (guint i = 0; i < self->candidates->len; i++)
    if (count_other (self, g_array_index (self->candidates, gint64, i), self->best, 1) == 1)
      g_array_append_val (self->beside, i);
}

/* Takes the candidate @i if its expected gain exceeds @most, that of @found; the first of equal
 * ones. */
static void
weigh (CuredSearch *self, guint i, guint *found, double *most)
{
  if (self->bounds[i] < *most ||
      find_visit (self, g_array_index (self->candidates, gint64, i)) != NULL)
    return;
  double gain = _cured_search_model_get_gain (self->model, i);
  if (gain > *most || (gain == *most && i < *found))
    {
      *most = gain;
      *found = i;
    }
}

/* The cell with the greatest expected gain, of all or of the best cell's neighbours; -1: none. */
static gint64
find_gainful (CuredSearch *self, gboolean is_beside, double *gain)
{
  guint found = G_MAXUINT, top = 0;

  *gain = -1;
  if (_cured_search_model_count_seen (self->model) == 0)
    return -1;
  if (!self->is_rated)
    rate (self);
  if (is_beside)
    {
      list_beside (self);
      for (guint i = 0; i < self->beside->len; i++)
        weigh (self, g_array_index (self->beside, guint, i), &found, gain);
    }
  else
    {
      /* The greatest bound first, since it usually rules out the others. */
      for (guint i = 1; i < self->candidates->len; i++)
        if (self->bounds[i] > self->bounds[top])
          top = i;
      if (self->candidates->len > 0)
        weigh (self, top, &found, gain);
      for (guint i = 0; i < self->candidates->len; i++)
        weigh (self, i, &found, gain);
    }
  return found == G_MAXUINT ? -1 : g_array_index (self->candidates, gint64, found);
}

/* A random candidate that was not requested; -1: none. */
static gint64
draw_candidate (CuredSearch *self)
{
  guint n = self->candidates->len;

  for (int turn = 0; n > 0 && turn < MOST_TURNS; turn++)
    {
      gint64 cell = g_array_index (self->candidates, gint64,
                                   (guint) g_rand_int_range (self->rand, 0, (gint32) n));

      if (find_visit (self, cell) == NULL)
        return cell;
    }
  return -1;
}

/* The number of cells in vain that ends the search of a small grid. */
static gint64
get_small_vain (const CuredSearch *self)
{
  return MAX ((gint64) ((double) self->n_cells * SMALL_VAIN_PART), SMALL_VAIN_LEAST);
}

/* Whether the search of a small grid, by the model alone, is done: @n_in_vain cells were no better,
 * and the next one is not expected to be. */
static gboolean
is_enough (const CuredSearch *self, gint64 n_in_vain, double gain)
{
  return self->best >= 0 && n_in_vain >= get_small_vain (self) && gain < SMALL_GAIN;
}

/* Requests the most promising cells. When they are exhausted, the first descent begins at the best
 * cell, followed by the drawn cells. May be called while cells are outstanding. */
static void
guide (CuredSearch *self)
{
  gboolean is_small = self->model != NULL && !self->has_budget && self->n_cells >= SMALL_LEAST &&
                      self->n_cells <= SMALL_MOST;
  gint64 n_least =
      self->model == NULL ? 0 : MIN ((gint64) ((double) self->n_cells * SEEN_PART), SEEN_MOST);
  gint64 n_enough = is_small ? self->n_cells
                    : self->model == NULL
                        ? PROMISED_ENOUGH
                        : CLAMP (self->n_cells / GAINFUL_PER, GAINFUL_LEAST, GAINFUL_MOST);

  for (guint i = 0; i < GUIDED_AT_ONCE; i++)
    {
      gint64 n_out = self->n_waiting + self->queue.length, n_in_vain = self->n_in_vain + n_out;
      double gain = 0;
      gint64 drawn = -1, cell = -1;

      if (n_in_vain >= n_enough &&
          (n_out >= n_enough || (gint64) g_hash_table_size (self->visits) >= n_least))
        break;
      if (self->model == NULL)
        cell = find_promising (self);
      else if (i % 2 == 1 && n_in_vain >= BESIDE_FROM && !is_small && self->best >= 0)
        cell = find_gainful (self, TRUE, &gain);
      if (self->model != NULL && cell < 0)
        cell = find_gainful (self, FALSE, &gain);
      /* Drawing finds cells that the model does not expect. */
      if (is_small && n_in_vain % 2 == 1 && 2 * n_in_vain >= get_small_vain (self))
        drawn = draw_candidate (self);
      if (drawn >= 0)
        {
          cell = drawn;
          note_draw (self, self->n_cells - (gint64) g_hash_table_size (self->visits));
        }
      if (cell < 0 || (is_small && is_enough (self, n_in_vain, gain)) || !ask (self, cell))
        break;
      self->n_guided += self->model == NULL;
    }
  if (!g_queue_is_empty (&self->queue) || self->n_waiting > 0)
    return;
  self->is_guided = FALSE;
  self->is_finished = is_small && self->best >= 0;
  if (self->best >= 0)
    g_array_append_val (self->kicked, self->best);
}

/* Called when all requested cells are known: fills the queue with the next ones, or ends the
 * search. */
static void
go_on (CuredSearch *self)
{
  Descent *descent = &self->descent;

  while (!self->is_finished && g_queue_is_empty (&self->queue))
    {
      gboolean is_open = TRUE;

      move (self);
      if (descent->cell < 0)
        {
          if (self->n_known == self->n_cells)
            self->is_finished = TRUE;
          if (self->is_finished || !find_start (self, &descent->cell))
            continue;
          descent->axis = 0;
          descent->has_moved = FALSE;
        }
      if (descent->axis > self->n_axes || (descent->axis == self->n_axes && descent->has_moved))
        {
          /* All axes were tried. If it moved, try again from the first axis on. */
          if (!descent->has_moved)
            {
              g_array_append_val (self->ends, descent->cell);
              descent->cell = -1;
              continue;
            }
          descent->axis = 0;
          descent->has_moved = FALSE;
          if (is_hopeless (self))
            {
              descent->cell = -1;
              continue;
            }
        }
      if (descent->axis < self->n_axes)
        is_open = try_axis (self, descent->axis);
      else if (self->model == NULL && descent->cell == self->best)
        is_open = try_diagonals (self);
      descent->axis++;
      if (!is_open && g_queue_is_empty (&self->queue))
        self->is_finished = TRUE;
    }
}

/* Counts a cell, and makes it a candidate; of many cells, a uniform sample. */
static void
add_candidate (CuredSearch *self, gint64 cell)
{
  gint64 place = self->n_cells++;

  if (self->candidates->len < CANDIDATES_MOST)
    {
      g_array_append_val (self->candidates, cell);
      return;
    }
  place = (gint64) (g_rand_double (self->rand) * (double) self->n_cells);
  if (place < CANDIDATES_MOST)
    g_array_index (self->candidates, gint64, place) = cell;
}

/* @lengths: (array length=n_axes): lengths of the axes; cells are numbered as in #CuredPlan, the
 *   last axis fastest
 * @n_axes: number of axes
 * @is_allowed: (nullable): which cells may be visited; NULL: all
 * @user_data: for @is_allowed; must outlive the search
 * @higher_is_better: whether the best value is the highest
 * @seed: seed of the random generator
 *
 * Calls @is_allowed once for every cell, to count them.
 * Returns: (transfer full): a search that has seen nothing */
CuredSearch *
cured_search_new (const gsize *lengths, gsize n_axes, CuredSearchAllowedFunc is_allowed,
                  gpointer user_data, gboolean higher_is_better, guint64 seed)
{
  g_return_val_if_fail (lengths != NULL || n_axes == 0, NULL);

  CuredSearch *self = CURED_NEW (
      CuredSearch, .lengths = g_memdup2 (lengths, n_axes * sizeof *lengths), .n_axes = n_axes,
      .is_allowed = is_allowed, .user_data = user_data, .sign = higher_is_better ? -1 : 1,
      .visits = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free));
  g_queue_init (&self->queue);
  self->drawn = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->draws = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->kicked = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->kicked_from = -1;
  self->promised = g_array_new (FALSE, FALSE, sizeof (Promise));
  self->candidates = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->beside = g_array_new (FALSE, FALSE, sizeof (guint));
  self->beside_of = -1;
  self->tried = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->ends = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->descent.cell = -1;
  self->best = -1;
  self->n_grid = 1;
  for (gsize i = 0; i < n_axes; i++)
    self->n_grid *= (gint64) lengths[i];
  self->rand =
      g_rand_new_with_seed_array ((guint32[]){ (guint32) seed, (guint32) (seed >> 32) }, 2);
  for (gint64 cell = 0; cell < self->n_grid; cell++)
    if (can_visit (self, cell))
      add_candidate (self, cell);
  self->n_most =
      MIN (MAX ((gint64) ((double) self->n_cells * VISITED_PART), VISITED_LEAST), self->n_cells);
  draw (self);
  self->model = _cured_search_model_new (
      self->lengths, n_axes, (const gint64 *) self->candidates->data, self->candidates->len);
  self->is_guided = TRUE;
  return self;
}

/* @self: a search that was neither asked for a cell nor given one yet
 * @n_cells: limit of cells to visit, besides those known before; 0: none
 * @seconds: limit of the search, from the first cell on; 0: none
 *
 * With a budget, a search does not end by itself, but continues from new cells until the budget is
 * spent, or all cells are visited. */
void
cured_search_set_budget (CuredSearch *self, gint64 n_cells, double seconds)
{
  g_return_if_fail (self != NULL && n_cells >= 0 && seconds >= 0);

  self->has_budget = n_cells > 0 || seconds > 0;
  self->budget_s = seconds;
  if (!self->has_budget)
    return;
  self->n_most = self->n_cells;
  if (n_cells > 0)
    self->n_most = MIN (g_hash_table_size (self->visits) + n_cells, self->n_cells);
}

/* @self: a search that was not asked for a cell yet, but has its budget and the cells known
 *   before
 * @times: predicted time of each cell of the grid, in any unit; NaN: not predicted
 *
 * Makes the search begin with the most promising cells. */
void
cured_search_set_predicted (CuredSearch *self, const double *times)
{
  g_return_if_fail (self != NULL && times != NULL);

  g_array_set_size (self->promised, 0);
  for (gint64 cell = 0; cell < self->n_grid; cell++)
    if (times[cell] > 0 && isfinite (times[cell]) && can_visit (self, cell))
      {
        Promise promise = { cell, log (times[cell]) };

        g_array_append_val (self->promised, promise);
      }
  if (self->promised->len > 0)
    g_clear_pointer (&self->model, _cured_search_model_free);
}

static gboolean
is_launchable (gint64 cell, gpointer user_data)
{
  return cured_plan_get_reason (user_data, cell) == NULL &&
         !cured_plan_is_left_out (user_data, cell);
}

/* @plan: the sweep
 * @metric: the metric to optimize; if neither of its ends is better, the lowest value is
 *   searched
 * @seed: seed of the random generator
 * Returns: (transfer full): a search among the cells of @plan that can be launched, for
 *   cured_search_add_outcome() */
CuredSearch *
cured_search_new_for_plan (CuredPlan *plan, CuredMetric metric, guint64 seed)
{
  g_return_val_if_fail (plan != NULL, NULL);

  CuredSpec *spec = cured_plan_get_spec (plan);
  gsize n_axes = cured_spec_get_kernel (spec)->n_parameters;
  g_autofree gsize *lengths = g_new (gsize, n_axes + 1);
  for (gsize i = 0; i < n_axes; i++)
    lengths[i] = cured_axis_get_length (cured_spec_get_axis (spec, i));
  CuredSearch *self =
      cured_search_new (lengths, n_axes, is_launchable, plan,
                        cured_metric_info (metric)->better == CURED_BETTER_HIGHER, seed);
  self->plan = cured_plan_ref (plan);
  self->metric = metric;
  return self;
}

/* @self: (nullable): a search */
void
cured_search_free (CuredSearch *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->plan, cured_plan_unref);
  g_hash_table_unref (self->visits);
  g_queue_clear_full (&self->queue, g_free);
  CURED_CLEAR (drawn, g_array_unref, draws, g_array_unref, kicked, g_array_unref, rand, g_rand_free,
               promised, g_array_unref, candidates, g_array_unref, beside, g_array_unref, bounds,
               g_free, model, _cured_search_model_free, tried, g_array_unref, ends, g_array_unref,
               lengths, g_free);
  g_free (self);
}

/* @self: a search of a plan
 * Returns: the metric to optimize */
CURED_GETTER (CuredMetric, cured_search_get_metric, const CuredSearch, metric)

/* Removes cells from the queue's head that were added before they were requested. */
static void
drop_known (CuredSearch *self)
{
  gint64 *head;

  while ((head = g_queue_peek_head (&self->queue)) != NULL && find_visit (self, *head)->is_known)
    g_free (g_queue_pop_head (&self->queue));
}

/* FALSE if there is none: for now, if requested cells have not been added yet; otherwise for
 * good. */
gboolean
cured_search_next (CuredSearch *self, gint64 *cell)
{
  g_return_val_if_fail (self != NULL && cell != NULL, FALSE);

  if (self->budget_s > 0 && self->deadline_us == 0)
    self->deadline_us = g_get_monotonic_time () + (gint64) (self->budget_s * G_USEC_PER_SEC);
  if (self->deadline_us > 0 && g_get_monotonic_time () >= self->deadline_us)
    {
      self->is_finished = TRUE;
      return FALSE;
    }
  if (!self->has_begun)
    {
      self->has_begun = TRUE;
      if (self->model != NULL)
        {
          guint n = self->n_cells <= SMALL_MOST ? FIRST_DRAWN_SMALL : FIRST_DRAWN;

          spread (self, n);
          ask_drawn (self, n);
          /* The others were chosen by their position. */
          note_draw (self, self->n_cells);
        }
    }
  drop_known (self);
  if (self->is_guided && g_queue_is_empty (&self->queue))
    {
      guide (self);
      drop_known (self);
    }
  while (g_queue_is_empty (&self->queue) && self->n_waiting == 0 && !self->is_guided &&
         !self->is_finished)
    {
      go_on (self);
      drop_known (self);
    }
  g_autofree gint64 *head = g_queue_pop_head (&self->queue);
  if (head == NULL)
    return FALSE;
  *cell = *head;
  self->n_waiting++;
  return TRUE;
}

/* A cell of the queue, to prepare it ahead of time. */
gboolean
cured_search_peek (CuredSearch *self, guint ahead, gint64 *cell)
{
  g_return_val_if_fail (self != NULL && cell != NULL, FALSE);

  const gint64 *found = g_queue_peek_nth (&self->queue, ahead);
  if (found == NULL)
    return FALSE;
  *cell = *found;
  return TRUE;
}

static void
set_visit (CuredSearch *self, Visit *visit, double value, double low, double high)
{
  visit->value = self->sign * value;
  visit->low = self->sign * (self->sign > 0 ? low : high);
  visit->high = self->sign * (self->sign > 0 ? high : low);
}

/* Finds the best cell again, as it may have become worse in another round. Of equal ones, the first
 * in the grid. */
static void
find_best (CuredSearch *self)
{
  GHashTableIter iter;
  gpointer key, data;

  self->best = -1;
  g_hash_table_iter_init (&iter, self->visits);
  while (g_hash_table_iter_next (&iter, &key, &data))
    {
      const Visit *visit = data;
      gint64 cell = *(const gint64 *) key;

      if (!visit->is_known || isnan (visit->value))
        continue;
      if (self->best < 0 || visit->value < get_value (self, self->best) ||
          (visit->value == get_value (self, self->best) && cell < self->best))
        self->best = cell;
    }
}

/* A cell that was not requested counts as visited, but not as drawn. For a known cell, measured in
 * another round, the new value counts. */
void
cured_search_add (CuredSearch *self, gint64 cell, double value, double low, double high)
{
  g_return_if_fail (self != NULL && cell >= 0 && cell < self->n_grid);

  self->is_rated = FALSE;
  Visit *visit = find_visit (self, cell);
  if (visit == NULL)
    {
      /* Known before the search: does not count against the budget. */
      visit = g_new0 (Visit, 1);
      g_hash_table_insert (self->visits, g_memdup2 (&cell, sizeof cell), visit);
      self->n_most = MIN (self->n_most + 1, self->n_cells);
      self->knows_earlier = TRUE;
    }
  else if (visit->is_known)
    {
      set_visit (self, visit, value, low, high);
      find_best (self);
      return;
    }
  else if (g_queue_find_custom (&self->queue, &cell, _cured_compare_integers) == NULL)
    self->n_waiting--;
  visit->is_known = TRUE;
  set_visit (self, visit, value, low, high);
  self->n_known++;
  if (self->model != NULL)
    _cured_search_model_see (self->model, cell);
  if (self->is_guided)
    self->n_in_vain++;
  if (!isnan (value) && (self->best < 0 || visit->value < get_value (self, self->best)))
    {
      self->best = cell;
      self->n_in_vain = 0;
    }
}

/* @self: a search of a plan
 * @cell: as in cured_search_add()
 * @outcome: outcome of the cell; only ok ones count
 *
 * The interval is that of the median if the metric is a time or derived from one; for a count, both
 * ends are the value. */
void
cured_search_add_outcome (CuredSearch *self, gint64 cell, const CuredOutcome *outcome)
{
  double down = 1; /* the interval's ends over the value */
  double up = 1;

  g_return_if_fail (self != NULL && self->plan != NULL && outcome != NULL);

  const double *metrics = outcome->metrics;
  double value = outcome->state == CURED_STATE_OK ? metrics[self->metric] : NAN;
  switch ((guint) self->metric)
    {
    case CURED_METRIC_time:
      down = metrics[CURED_METRIC_time_low] / value;
      up = metrics[CURED_METRIC_time_high] / value;
      break;
    case CURED_METRIC_time_hot:
      down = metrics[CURED_METRIC_time_hot_low] / value;
      up = metrics[CURED_METRIC_time_hot_high] / value;
      break;
    case CURED_METRIC_bandwidth:
    case CURED_METRIC_flop_rate:
    case CURED_METRIC_of_ceiling:
      down = metrics[CURED_METRIC_time] / metrics[CURED_METRIC_time_high];
      up = metrics[CURED_METRIC_time] / metrics[CURED_METRIC_time_low];
      break;
    default: break;
    }
  cured_search_add (self, cell, value, isnan (down) ? value : value * down,
                    isnan (up) ? value : value * up);
}

/* The greatest number of better cells in the grid for which the chance to have drawn none of them
 * is above DOUBT. None was drawn, since the best cell is at least as good as any that was drawn. */
static gint64
count_better (CuredSearch *self, guint n_drawn)
{
  gint64 low = 0, high = self->n_cells - self->n_known;

  while (low < high)
    {
      gint64 n_better = low + (high - low + 1) / 2;
      double chance = 1;

      for (guint i = 0; i < n_drawn; i++)
        {
          gint64 n_cells = g_array_index (self->draws, gint64, i);

          chance *= (double) MAX (n_cells - n_better, 0) / (double) n_cells;
        }
      if (chance > DOUBT)
        low = n_better;
      else
        high = n_better - 1;
    }
  return low;
}

/* @report: (out caller-allocates): its state */
void
cured_search_get_report (CuredSearch *self, CuredSearchReport *report)
{
  g_return_if_fail (self != NULL && report != NULL);

  *report = (CuredSearchReport){
    .n_cells = self->n_cells,
    .n_visited = self->n_known,
    .n_guided = self->n_guided,
    .n_most = self->n_most,
    .best = self->best,
    .value = NAN,
    .low = NAN,
    .high = NAN,
    .n_descents = self->ends->len,
    .is_finished = self->is_finished,
  };
  guint n_drawn = (guint) MIN ((gint64) self->draws->len, self->n_known);
  report->n_drawn = n_drawn;
  report->n_better = count_better (self, n_drawn);
  if (self->best < 0)
    return;
  const Visit *best = find_visit (self, self->best);
  report->value = self->sign * best->value;
  report->low = self->sign * (self->sign > 0 ? best->low : best->high);
  report->high = self->sign * (self->sign > 0 ? best->high : best->low);
  report->n_agreeing = count_agreeing (self);
}

/* Returns: (transfer full) (element-type gint64): the visited cells whose intervals overlap the
 *   best one's, without the best one; the better ones first */
GArray *
cured_search_list_alike (CuredSearch *self)
{
  GArray *alike = g_array_new (FALSE, FALSE, sizeof (gint64));
  GHashTableIter iter;
  gpointer key;

  g_return_val_if_fail (self != NULL, alike);

  if (self->best < 0)
    return alike;
  g_hash_table_iter_init (&iter, self->visits);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      gint64 cell = *(const gint64 *) key;

      if (cell != self->best && is_alike (self, cell))
        g_array_append_val (alike, cell);
    }
  g_array_sort_with_data (alike, compare_values, self);
  return alike;
}
