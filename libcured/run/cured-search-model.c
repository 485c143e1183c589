/* SPDX-License-Identifier: MIT
 * What the cells that a search has seen say of the others. */
#include "config.h"

#include "run/cured-search-model-private.h"

#include <math.h>
#include <string.h>

#include "base/cured-own.h"

/* Implementation notes: a Gaussian process over the ranks of the values that were seen. Two cells
 * are the more alike the nearer they are on each axis, as far as that axis matters: exp (-Σ weight
 * × distance). The weights are those under which what was seen is the likeliest. Ranks know no
 * units, no zeros and no outliers, and what is worse than most counts as equally bad: how bad says
 * nothing of where the best is. Replayed on 25 public spaces of 2,442 to 17,956 cells, logarithms
 * of times, axes of one weight each, and bad cells told apart all did worse. Sums of effects of
 * single axes and of pairs of them, which need no matrix, stuck early. */

/* Of two different positions on an axis the distance is this part, and the rest for how far they
 * are apart: values are names as much as they are numbers. */
#define DISTANCE_LEAST 0.2

/* What an axis weighs before anything is known, and how far from that it may get to be, in the
 * logarithm: two standard deviations. */
#define WEIGHT_USUAL 0.25
#define WEIGHT_LEAST 1e-3
#define WEIGHT_MOST  20.0
#define WEIGHT_SD    2.0

/* Variance that no axis explains, beside 1. */
#define NUGGET 1e-3

/* Ranks above this part of the values are one. */
#define RANKED_PART 0.7

/* Weights are looked for anew whenever the cells have grown by this factor, and no longer where
 * there are many: by then they are known. */
#define LEARN_AGAIN 1.3
#define LEARN_MOST  300
#define LEARN_TURNS 2

/* Cells gone through at a time, in four Numbers: what all rows have of them is in one
 * place, and is read from memory once. */
#define TILE 16

/* The Cholesky factor of the likenesses of those seen: its rows, and the same TILE rows at a time,
 * column by column. */
typedef struct
{
  GPtrArray *rows, *bundles;
} Factor;

struct _CuredSearchModel
{
  gsize n_axes; /* of those that have several positions */
  gsize *strides, *lengths;
  double *weights;
  double **alike; /* of each axis: by how far apart two positions are */

  gsize n_cells, n_tiles;
  guint32 *places;  /* of the cells, by tile and axis */
  double *variance; /* of the cells, given what was seen */

  GArray *seen;        /* (element-type gint64) */
  GArray *seen_places; /* (element-type guint32) */
  Factor factor;
  double **tiles;     /* the same for the cells: of each tile, all rows */
  gsize n_rows, room; /* for rows */
  gsize learn_at;     /* cells seen by then */
};

static double
get_distance (const CuredSearchModel *self, gsize axis, gsize apart)
{
  return apart == 0 ? 0
                    : DISTANCE_LEAST + (1 - DISTANCE_LEAST) * (double) apart /
                                           (double) (self->lengths[axis] - 1);
}

static void
locate (const CuredSearchModel *self, gint64 cell, guint32 *places)
{
  for (gsize i = 0; i < self->n_axes; i++)
    places[i] = (guint32) ((gsize) cell / self->strides[i] % self->lengths[i]);
}

/* Of the cells of a tile, on an axis. */
static guint32 *
get_places (const CuredSearchModel *self, gsize tile, gsize axis)
{
  return self->places + (tile * self->n_axes + axis) * TILE;
}

static void
fill_axis (CuredSearchModel *self, gsize axis)
{
  for (gsize apart = 0; apart < self->lengths[axis]; apart++)
    self->alike[axis][apart] = exp (-self->weights[axis] * get_distance (self, axis, apart));
}

static const guint32 *
get_seen_places (const CuredSearchModel *self, gsize i)
{
  return &g_array_index (self->seen_places, guint32, i * self->n_axes);
}

static double
get_likeness (const CuredSearchModel *self, const guint32 *a, const guint32 *b)
{
  double product = 1;

  for (gsize i = 0; i < self->n_axes; i++)
    product *= self->alike[i][a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]];
  return product;
}

static Factor
new_factor (void)
{
  return (Factor){ g_ptr_array_new_with_free_func (g_free),
                   g_ptr_array_new_with_free_func (g_free) };
}

CURED_CLEAR_FUNC (Factor, clear_factor, rows, g_ptr_array_unref, bundles, g_ptr_array_unref)

/* Forgets all that depends on the weights. */
static void
forget (CuredSearchModel *self)
{
  clear_factor (&self->factor);
  self->factor = new_factor ();
  self->n_rows = 0;
  for (gsize i = 0; i < self->n_tiles * TILE; i++)
    self->variance[i] = 1;
}

/* Several numbers at once; one after the other, they are the same. */
typedef double Numbers __attribute__ ((vector_size (32), aligned (8), may_alias));

/* to -= Σ factor × row; what is summed up stays in registers. */
__attribute__ ((always_inline)) static inline void
subtract (double *to, const double *rows, const double *factors, gsize n)
{
  Numbers *sums = (Numbers *) to;
  Numbers a = sums[0], b = sums[1], c = sums[2], d = sums[3];

  for (gsize i = 0; i < n; i++)
    {
      const Numbers *row = (const Numbers *) (rows + i * TILE);

      a -= factors[i] * row[0];
      b -= factors[i] * row[1];
      c -= factors[i] * row[2];
      d -= factors[i] * row[3];
    }
  sums[0] = a;
  sums[1] = b;
  sums[2] = c;
  sums[3] = d;
}

#ifdef __x86_64__
__attribute__ ((target ("avx2"))) static void
subtract_wide (double *to, const double *rows, const double *factors, gsize n)
{
  subtract (to, rows, factors, n);
}
#endif

/* As wide as the processor can, which changes no number. */
static void
subtract_rows (double *to, const double *rows, const double *factors, gsize n)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    {
      subtract_wide (to, rows, factors, n);
      return;
    }
#endif
  subtract (to, rows, factors, n);
}

/* One more row of the factor of the matrix of likenesses. */
static double *
extend_factor (const CuredSearchModel *self, Factor *factor)
{
  gsize n = factor->rows->len;
  double *row = g_new (double, n + 1), rest = 1 + NUGGET;

  if (n % TILE == 0)
    g_ptr_array_add (factor->bundles, g_new0 (double, (n + TILE) * TILE));
  for (gsize first = 0; first <= n; first += TILE)
    {
      double *bundle = factor->bundles->pdata[first / TILE], sums[TILE] = { 0 };
      gsize end = MIN (first + TILE, n);

      for (gsize i = first; i < end; i++)
        sums[i - first] = get_likeness (self, get_seen_places (self, n), get_seen_places (self, i));
      subtract_rows (sums, bundle, row, first);
      for (gsize i = first; i < end; i++)
        {
          const double *column = bundle + i * TILE;

          row[i] = sums[i - first] / column[i - first];
          rest -= row[i] * row[i];
          for (gsize k = 0; k < TILE; k++)
            sums[k] -= row[i] * column[k];
        }
      if (n < first + TILE)
        {
          row[n] = sqrt (MAX (rest, 1e-9));
          for (gsize j = 0; j <= n; j++)
            bundle[j * TILE + n - first] = row[j];
        }
    }
  g_ptr_array_add (factor->rows, row);
  return row;
}

/* A row of the same for the cells of a tile, once those before it are there. */
static void
fill_row (CuredSearchModel *self, gsize tile, gsize n)
{
  const double *factor = self->factor.rows->pdata[n];
  const guint32 *places = get_seen_places (self, n), *others = get_places (self, tile, 0);
  double *row = self->tiles[tile] + n * TILE, *variance = self->variance + tile * TILE;

  for (gsize k = 0; k < TILE; k++)
    row[k] = 1;
  for (gsize i = 0; i < self->n_axes; i++)
    for (gsize k = 0; k < TILE; k++)
      {
        guint32 other = others[i * TILE + k];

        row[k] *= self->alike[i][MAX (places[i], other) - MIN (places[i], other)];
      }
  subtract_rows (row, self->tiles[tile], factor, n);
  for (gsize k = 0; k < TILE; k++)
    {
      row[k] /= factor[n];
      variance[k] -= row[k] * row[k];
    }
}

/* Makes room for that many rows in each tile. */
static void
make_room (CuredSearchModel *self, gsize n)
{
  if (n <= self->room)
    return;
  self->room = MAX (n, self->room + self->room / 2);
  for (gsize i = 0; i < self->n_tiles; i++)
    self->tiles[i] = g_renew (double, self->tiles[i], self->room *TILE);
}

/* The rest of @ranks, once what each says of the later ones is subtracted. */
static double *
solve (const Factor *factor, const double *ranks)
{
  double *rest = g_new (double, factor->rows->len);

  for (gsize i = 0; i < factor->rows->len; i++)
    {
      const double *row = factor->rows->pdata[i];

      rest[i] = ranks[i];
      for (gsize j = 0; j < i; j++)
        rest[i] -= row[j] * rest[j];
      rest[i] /= row[i];
    }
  return rest;
}

static double
get_mean_square (const double *numbers, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += numbers[i] * numbers[i];
  return sum / (double) n;
}

/* How likely what was seen is under the weights, as a logarithm. */
static double
rate_weights (const CuredSearchModel *self, const double *ranks)
{
  Factor factor = new_factor ();
  double sum = 0;

  for (gsize i = 0; i < self->seen->len; i++)
    sum -= log (extend_factor (self, &factor)[i]);
  g_autofree double *rest = solve (&factor, ranks);
  clear_factor (&factor);
  sum -=
      0.5 * (double) self->seen->len * log (MAX (get_mean_square (rest, self->seen->len), 1e-12));
  for (gsize i = 0; i < self->n_axes; i++)
    sum -= 0.5 * pow (log (self->weights[i] / WEIGHT_USUAL) / WEIGHT_SD, 2);
  return sum;
}

/* Which axes matter: tries twice and half of each weight. */
static void
learn (CuredSearchModel *self, const double *ranks)
{
  double best = rate_weights (self, ranks);

  for (int turn = 0; turn < LEARN_TURNS; turn++)
    for (gsize i = 0; i < self->n_axes; i++)
      for (int up = 0; up < 2; up++)
        {
          double before = self->weights[i];

          self->weights[i] = CLAMP (up ? 2 * before : before / 2, WEIGHT_LEAST, WEIGHT_MOST);
          fill_axis (self, i);
          double rating = rate_weights (self, ranks);
          if (rating > best)
            {
              best = rating;
              continue;
            }
          self->weights[i] = before;
          fill_axis (self, i);
        }
  forget (self);
}

/* A model that has seen nothing. */
CuredSearchModel *
_cured_search_model_new (const gsize *lengths, gsize n_axes, const gint64 *cells, gsize n_cells)
{
  CuredSearchModel *self = g_new0 (CuredSearchModel, 1);
  gsize stride = 1;

  self->lengths = g_new (gsize, n_axes + 1);
  self->strides = g_new (gsize, n_axes + 1);
  self->weights = g_new (double, n_axes + 1);
  self->alike = g_new0 (double *, n_axes + 1);
  for (gsize i = n_axes; i-- > 0; stride *= lengths[i])
    if (lengths[i] > 1)
      {
        gsize axis = self->n_axes++;

        self->lengths[axis] = lengths[i];
        self->strides[axis] = stride;
        self->weights[axis] = WEIGHT_USUAL;
        self->alike[axis] = g_new (double, lengths[i]);
        fill_axis (self, axis);
      }
  self->n_cells = n_cells;
  self->n_tiles = (n_cells + TILE - 1) / TILE;
  self->tiles = g_new0 (double *, self->n_tiles + 1);
  self->places = g_new0 (guint32, self->n_tiles * TILE * self->n_axes + 1);
  self->variance = g_new (double, self->n_tiles *TILE + 1);
  g_autofree guint32 *places = g_new (guint32, self->n_axes + 1);
  for (gsize i = 0; i < n_cells; i++)
    {
      locate (self, cells[i], places);
      for (gsize j = 0; j < self->n_axes; j++)
        get_places (self, i / TILE, j)[i % TILE] = places[j];
    }
  self->seen = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->seen_places = g_array_new (FALSE, TRUE, sizeof (guint32));
  forget (self);
  return self;
}

void
_cured_search_model_free (CuredSearchModel *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < self->n_axes; i++)
    g_free (self->alike[i]);
  g_free (self->alike);
  g_free (self->lengths);
  g_free (self->strides);
  g_free (self->weights);
  g_free (self->places);
  g_free (self->variance);
  g_array_unref (self->seen);
  g_array_unref (self->seen_places);
  clear_factor (&self->factor);
  for (gsize i = 0; i < self->n_tiles; i++)
    g_free (self->tiles[i]);
  g_free (self->tiles);
  g_free (self);
}

/* Takes the cell among those seen. */
void
_cured_search_model_see (CuredSearchModel *self, gint64 cell)
{
  gsize n = self->seen->len;

  g_array_append_val (self->seen, cell);
  g_array_set_size (self->seen_places, (guint) ((n + 1) * self->n_axes));
  if (self->n_axes > 0)
    locate (self, cell, &g_array_index (self->seen_places, guint32, n * self->n_axes));
}

/* How many cells were seen. */
gsize
_cured_search_model_count_seen (CuredSearchModel *self)
{
  return self->seen->len;
}

/* A cell that was seen. */
gint64
_cured_search_model_get_seen (CuredSearchModel *self, gsize i)
{
  return g_array_index (self->seen, gint64, i);
}

static int
compare_values (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const double *values = user_data;
  double x = values[*(const gsize *) a], y = values[*(const gsize *) b];

  return (x > y) - (x < y);
}

/* Where each value is in the order of all, from 0 for the best to at most RANKED_PART, less the
 * mean of that. Equal values are in one place. */
static double *
rank (const double *values, gsize n)
{
  g_autofree gsize *order = g_new (gsize, n);
  double *ranks = g_new (double, n), mean = 0;

  for (gsize i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) n, sizeof *order, compare_values, (gpointer) values);
  for (gsize i = 0; i < n; i++)
    {
      gboolean is_equal = i > 0 && values[order[i]] == values[order[i - 1]];
      double place = MIN ((double) i / (double) n, RANKED_PART);

      ranks[order[i]] = is_equal ? ranks[order[i - 1]] : place;
      mean += ranks[order[i]] / (double) n;
    }
  for (gsize i = 0; i < n; i++)
    ranks[i] -= mean;
  return ranks;
}

/* How much better than the best a cell is in the mean that is expected to be @ahead of it. */
static double
expect_gain (double ahead, double sd)
{
  sd = MAX (sd, 1e-9);
  ahead /= sd;
  return sd *
         (ahead * 0.5 * erfc (-ahead * G_SQRT2 / 2) + exp (-ahead * ahead / 2) / sqrt (2 * G_PI));
}

void
_cured_search_model_rate (CuredSearchModel *self, const double *values, double *gains)
{
  gsize n = self->seen->len;
  g_autofree double *ranks = rank (values, n);
  double best = INFINITY;

  if (n >= self->learn_at && n <= LEARN_MOST)
    {
      learn (self, ranks);
      self->learn_at = (gsize) ((double) n * LEARN_AGAIN) + 1;
    }
  while (self->factor.rows->len < n)
    extend_factor (self, &self->factor);
  g_autofree double *rest = solve (&self->factor, ranks);
  double sd = sqrt (get_mean_square (rest, n));
  for (gsize i = 0; i < n; i++)
    best = MIN (best, ranks[i]);

  make_room (self, n);
  for (gsize tile = 0; tile < self->n_tiles; tile++)
    {
      gsize first = tile * TILE, end = MIN (first + TILE, self->n_cells);
      double sums[TILE] = { 0 };

      for (gsize i = self->n_rows; i < n; i++)
        fill_row (self, tile, i);
      subtract_rows (sums, self->tiles[tile], rest, n);
      for (gsize i = first; i < end; i++)
        gains[i] = expect_gain (best + sums[i - first], sd * sqrt (MAX (self->variance[i], 0)));
    }
  self->n_rows = n;
}
