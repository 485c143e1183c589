/* SPDX-License-Identifier: MIT
 * What the cells that a search has seen say of the others. */
#include "config.h"

#include "run/cured-search-model-private.h"

#include <math.h>
#include <string.h>

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

/* Weights are looked for anew whenever there are so many times the cells, and no longer where there
 * are many: by then they are known. */
#define LEARN_AGAIN 1.3
#define LEARN_MOST  300
#define LEARN_TURNS 2

struct _CuredSearchModel
{
  gsize n_axes; /* of those that have several positions */
  gsize *strides, *lengths;
  double *weights;
  double **alike; /* of each axis: by how far apart two positions are */

  gsize n_cells;
  guint32 *places;  /* of the cells, on the axes */
  double *variance; /* of the cells, given what was seen */

  GArray *seen;        /* (element-type gint64) */
  GArray *seen_places; /* (element-type guint32) */
  GPtrArray *factor;   /* rows of the Cholesky factor, of those seen */
  GPtrArray *rows;     /* the same for the cells */
  gsize learn_at;      /* cells seen by then */
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

/* Forgets all that depends on the weights. */
static void
forget (CuredSearchModel *self)
{
  g_ptr_array_set_size (self->factor, 0);
  g_ptr_array_set_size (self->rows, 0);
  for (gsize i = 0; i < self->n_cells; i++)
    self->variance[i] = 1;
}

/* One more row of the factor of the matrix of likenesses. */
static double *
extend_factor (const CuredSearchModel *self, GPtrArray *factor)
{
  gsize n = factor->len;
  double *row = g_new (double, n + 1), rest = 1 + NUGGET;

  for (gsize i = 0; i < n; i++)
    {
      const double *above = factor->pdata[i];
      double sum = get_likeness (self, get_seen_places (self, n), get_seen_places (self, i));

      for (gsize j = 0; j < i; j++)
        sum -= row[j] * above[j];
      row[i] = sum / above[i];
      rest -= row[i] * row[i];
    }
  row[n] = sqrt (MAX (rest, 1e-9));
  g_ptr_array_add (factor, row);
  return row;
}

/* Several numbers at once; one after the other, they are the same. */
typedef double Numbers __attribute__ ((vector_size (32), aligned (8), may_alias));
#define N_NUMBERS (sizeof (Numbers) / sizeof (double))

/* So many cells are gone through at a time: what all rows have of them fits a core's own cache. */
#define CHUNK 256

/* to += factor × row */
__attribute__ ((always_inline)) static inline void
add_numbers (double *to, const double *row, double factor, gsize first, gsize end)
{
  gsize i = first;

  for (; i + N_NUMBERS <= end; i += N_NUMBERS)
    *(Numbers *) (to + i) += factor * *(const Numbers *) (row + i);
  for (; i < end; i++)
    to[i] += factor * row[i];
}

#ifdef __x86_64__
__attribute__ ((target ("avx2"))) static void
add_row_wide (double *to, const double *row, double factor, gsize first, gsize end)
{
  add_numbers (to, row, factor, first, end);
}
#endif

/* As wide as the processor can, which changes no number. */
static void
add_row (double *to, const double *row, double factor, gsize first, gsize end)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    {
      add_row_wide (to, row, factor, first, end);
      return;
    }
#endif
  add_numbers (to, row, factor, first, end);
}

/* A row of the same for the cells that may be looked at next, once those before it are there. */
static void
fill_row (CuredSearchModel *self, gsize n, gsize first, gsize end)
{
  const double *factor = self->factor->pdata[n];
  const guint32 *places = get_seen_places (self, n);
  double *row = self->rows->pdata[n];

  for (gsize i = first; i < end; i++)
    row[i] = get_likeness (self, places, self->places + i * self->n_axes);
  for (gsize j = 0; j < n; j++)
    add_row (row, self->rows->pdata[j], -factor[j], first, end);
  for (gsize i = first; i < end; i++)
    {
      row[i] /= factor[n];
      self->variance[i] -= row[i] * row[i];
    }
}

/* Extends the rows by those of the cells that were seen since, and sums them up in @sums, each
 * times one of @rest. */
static void
extend (CuredSearchModel *self, gsize n_before, const double *rest, double *sums)
{
  gsize n = self->factor->len;

  for (gsize i = n_before; i < n; i++)
    g_ptr_array_add (self->rows, g_new (double, self->n_cells));
  memset (sums, 0, self->n_cells * sizeof *sums);
  for (gsize first = 0; first < self->n_cells; first += CHUNK)
    {
      gsize end = MIN (first + CHUNK, self->n_cells);

      for (gsize i = n_before; i < n; i++)
        fill_row (self, i, first, end);
      for (gsize j = 0; j < n; j++)
        add_row (sums, self->rows->pdata[j], rest[j], first, end);
    }
}

/* What is left of @ranks, once what each says of the later ones is taken off. */
static double *
solve (GPtrArray *factor, const double *ranks)
{
  double *rest = g_new (double, factor->len);

  for (gsize i = 0; i < factor->len; i++)
    {
      const double *row = factor->pdata[i];

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
  g_autoptr (GPtrArray) factor = g_ptr_array_new_with_free_func (g_free);
  double sum = 0;

  for (gsize i = 0; i < self->seen->len; i++)
    sum -= log (extend_factor (self, factor)[i]);
  g_autofree double *rest = solve (factor, ranks);
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
  self->places = g_new (guint32, n_cells * self->n_axes + 1);
  self->variance = g_new (double, n_cells + 1);
  for (gsize i = 0; i < n_cells; i++)
    locate (self, cells[i], self->places + i * self->n_axes);
  self->seen = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->seen_places = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->factor = g_ptr_array_new_with_free_func (g_free);
  self->rows = g_ptr_array_new_with_free_func (g_free);
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
  g_ptr_array_unref (self->factor);
  g_ptr_array_unref (self->rows);
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
  gsize n_before = self->factor->len;
  while (self->factor->len < n)
    extend_factor (self, self->factor);
  g_autofree double *rest = solve (self->factor, ranks);
  double sd = sqrt (get_mean_square (rest, n));
  for (gsize i = 0; i < n; i++)
    best = MIN (best, ranks[i]);

  extend (self, n_before, rest, gains);
  for (gsize i = 0; i < self->n_cells; i++)
    {
      double own_sd = MAX (sd * sqrt (MAX (self->variance[i], 0)), 1e-9);
      double ahead = (best - gains[i]) / own_sd;

      gains[i] = own_sd * (ahead * 0.5 * erfc (-ahead * G_SQRT2 / 2) +
                           exp (-ahead * ahead / 2) / sqrt (2 * G_PI));
    }
}
