/* SPDX-License-Identifier: MIT
 * A model that predicts a search's unseen cells from those seen. */
#include "run/cured-search-model-private.h"

#include "base/cured-base-internal.h"

/* Implementation notes: a Gaussian process over the ranks of the values seen. The covariance of two
 * cells is exp (-Σ weight × distance) over the axes. The weights are those of the greatest
 * likelihood. Ranks have no units, zeros or outliers, and all cells worse than most get the same
 * rank, since how bad they are does not help to find the best. Replayed on 25 public spaces of
 * 2,442 to 17,956 cells, logarithms of times, one weight for all axes, and distinct ranks for bad
 * cells all did worse. Sums of effects of single axes and of pairs of them, which need no matrix,
 * got stuck early. */

/* The distance of two different positions on an axis is at least this, plus a part that grows with
 * their separation: values may be names as well as numbers. */
#define DISTANCE_LEAST 0.2

/* Prior of an axis's weight, its bounds, and its two standard deviations in the
 * logarithm. */
#define WEIGHT_USUAL 0.25
#define WEIGHT_LEAST 1e-3
#define WEIGHT_MOST  20.0
#define WEIGHT_SD    2.0

/* Variance that no axis explains, relative to 1. */
#define NUGGET 1e-3

/* All ranks above this part of the values are equal. */
#define RANKED_PART 0.7

/* Weights are fitted again when the number of cells has grown by this factor, until there are
 * LEARN_MOST, when they have converged. */
#define LEARN_AGAIN 1.3
#define LEARN_MOST  300
#define LEARN_TURNS 2

/* Cells processed together, in four Numbers. */
#define TILE  16
#define WIDTH 4

/* Sums computed in one pass over the rows. A search usually adds two cells: one sum for each one's
 * effect on the variance, and one for the expectation. */
#define SUMS 3

/* Cost of a tile, and of a pattern, which is read from memory, relative to an outer part's. */
#define TILE_COST    4
#define PATTERN_COST 12

/* The Cholesky factor of the covariance of the cells seen: its rows, and a copy in blocks of TILE
 * rows, column by column. */
typedef struct
{
  GPtrArray *rows, *bundles;
} Factor;

/* Cells that differ only on the inner axes, and their positions on these. A cell's covariance with
 * one seen is a product of an outer and an inner factor, and most inner parts occur many times:
 * together they are small enough for a core's cache. */
typedef struct
{
  gsize first, n_cells, outer, pattern;
} Tile;

/* The axes are split into outer and inner ones; the last tiles may be padded. */
typedef struct
{
  gint64 stride; /* cells of an inner part */
  gsize n_inner;
  GArray *tiles;    /* (element-type Tile) */
  GArray *outers;   /* (element-type gint64): the first cell of each */
  GArray *patterns; /* (element-type gint64): TILE cells of each, as if the outer part were 0 */
} Split;

struct _CuredSearchModel
{
  gsize n_axes; /* number of axes with several positions */
  gsize *strides, *lengths;
  double *weights;
  double **alike;      /* of each axis: covariance by signed difference of positions */
  const double **from; /* of each axis: the same, relative to one position */

  gsize n_cells;
  double *variance; /* of the cells, given the values seen */
  double *ahead;    /* expected gain of the cells over the best one */
  double sd;        /* prior standard deviation of a cell */
  Split split;
  guint32 *inner_places; /* of the cells of patterns, by inner axis */
  guint32 *outer_places; /* of outer parts, by outer axis */
  double **outer_rows;   /* of each outer part: its factor for each cell seen */
  double **inner_rows;   /* of each pattern: TILE factors for each cell seen */
  double **inverse;      /* of the Cholesky factor: its rows, with zeros after the diagonal */
  double *factors[SUMS]; /* of a tile: multipliers of its rows */

  GArray *seen;         /* (element-type gint64) */
  GArray **seen_places; /* (element-type guint32): of each axis */
  Factor factor;
  gsize n_rows, room; /* cells seen that are in the rows, and room for them */
  gsize learn_at;     /* fit the weights at this number of cells seen */
};

static double
get_distance (const CuredSearchModel *self, gsize axis, gsize apart)
{
  return apart == 0 ? 0
                    : DISTANCE_LEAST + (1 - DISTANCE_LEAST) * (double) apart /
                                           (double) (self->lengths[axis] - 1);
}

static guint32
locate (const CuredSearchModel *self, gint64 cell, gsize axis)
{
  return (guint32) ((gsize) cell / self->strides[axis] % self->lengths[axis]);
}

static void
fill_axis (CuredSearchModel *self, gsize axis)
{
  double *middle = self->alike[axis] + self->lengths[axis] - 1;

  for (gsize apart = 0; apart < self->lengths[axis]; apart++)
    middle[apart] = *(middle - apart) =
        exp (-self->weights[axis] * get_distance (self, axis, apart));
}

/* Covariances of positions on an axis with that of a cell seen. */
static const double *
get_alike (const CuredSearchModel *self, gsize axis, gsize n)
{
  return self->alike[axis] + self->lengths[axis] - 1 -
         g_array_index (self->seen_places[axis], guint32, n);
}

/* Covariances of a cell seen with each one before it. */
static void
fill_likenesses (const CuredSearchModel *self, gsize n, double *likenesses)
{
  for (gsize i = 0; i < n; i++)
    likenesses[i] = 1;
  for (gsize axis = 0; axis < self->n_axes; axis++)
    {
      const guint32 *places = (const guint32 *) (void *) self->seen_places[axis]->data;
      const double *alike = get_alike (self, axis, n);

      for (gsize i = 0; i < n; i++)
        likenesses[i] *= alike[places[i]];
    }
}

static Factor
new_factor (void)
{
  return (Factor){ g_ptr_array_new_with_free_func (g_free),
                   g_ptr_array_new_with_free_func (g_free) };
}

CURED_CLEAR_FUNC (Factor, clear_factor, rows, g_ptr_array_unref, bundles, g_ptr_array_unref)

/* Discards everything that depends on the weights. */
static void
forget (CuredSearchModel *self)
{
  clear_factor (&self->factor);
  self->factor = new_factor ();
  self->n_rows = 0;
  for (gsize i = 0; i < self->n_cells; i++)
    self->variance[i] = 1;
}

/* A vector of numbers, with the same results as scalar code. */
typedef double Numbers __attribute__ ((vector_size (8 * WIDTH), aligned (8), may_alias));

/* to -= Σ factor × row; the sums stay in registers. */
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

/* The same for SUMS sums, starting at 0 and adding. */
__attribute__ ((always_inline)) static inline void
sum_up (double (*to)[TILE], const double *rows, double *const *factors, gsize n)
{
  const double *u = factors[0], *v = factors[1], *w = factors[2];
  Numbers a = { 0 }, b = a, c = a, d = a, e = a, f = a, g = a, h = a, p = a, q = a, r = a, s = a;

  for (gsize i = 0; i < n; i++)
    {
      const Numbers *row = (const Numbers *) (rows + i * TILE);

      a += u[i] * row[0];
      b += u[i] * row[1];
      c += u[i] * row[2];
      d += u[i] * row[3];
      e += v[i] * row[0];
      f += v[i] * row[1];
      g += v[i] * row[2];
      h += v[i] * row[3];
      p += w[i] * row[0];
      q += w[i] * row[1];
      r += w[i] * row[2];
      s += w[i] * row[3];
    }
  memcpy (to[0], (Numbers[]){ a, b, c, d }, sizeof to[0]);
  memcpy (to[1], (Numbers[]){ e, f, g, h }, sizeof to[1]);
  memcpy (to[2], (Numbers[]){ p, q, r, s }, sizeof to[2]);
}

/* to += factor × row, of whole Numbers. */
__attribute__ ((always_inline)) static inline void
add_scaled (double *to, const double *row, double factor, gsize n)
{
  for (gsize i = 0; i < n; i += WIDTH)
    *(Numbers *) (to + i) += factor * *(const Numbers *) (row + i);
}

/* to = a × b, of whole Numbers. */
__attribute__ ((always_inline)) static inline void
multiply (double *to, const double *a, const double *b, gsize n)
{
  for (gsize i = 0; i < n; i += WIDTH)
    *(Numbers *) (to + i) = *(const Numbers *) (a + i) * *(const Numbers *) (b + i);
}

/* Defines NAME_rows(), with vectors as wide as the processor supports; results do not depend on
 * it. */
#ifdef __x86_64__
#define ROWS(name, parameters, arguments)                                                          \
  __attribute__ ((target ("avx2"))) static void name##_wide parameters { name arguments; }         \
                                                                                                   \
  static void name##_rows parameters                                                               \
  {                                                                                                \
    if (__builtin_cpu_supports ("avx2"))                                                           \
      name##_wide arguments;                                                                       \
    else                                                                                           \
      name arguments;                                                                              \
  }
#else
#define ROWS(name, parameters, arguments)                                                          \
  static void name##_rows parameters { name arguments; }
#endif

ROWS (subtract, (double *to, const double *rows, const double *factors, gsize n),
      (to, rows, factors, n))
ROWS (sum_up, (double (*to)[TILE], const double *rows, double *const *factors, gsize n),
      (to, rows, factors, n))
ROWS (add_scaled, (double *to, const double *row, double factor, gsize n), (to, row, factor, n))
ROWS (multiply, (double *to, const double *a, const double *b, gsize n), (to, a, b, n))

/* Appends a row to the factor of the covariance matrix. */
static void
extend_factor (const CuredSearchModel *self, Factor *factor)
{
  gsize n = factor->rows->len;
  double *row = g_new (double, n + 1), rest = 1 + NUGGET;

  fill_likenesses (self, n, row);
  if (n % TILE == 0)
    g_ptr_array_add (factor->bundles, g_new0 (double, (n + TILE) * TILE));
  for (gsize first = 0; first <= n; first += TILE)
    {
      double *bundle = factor->bundles->pdata[first / TILE], sums[TILE] = { 0 };
      gsize end = MIN (first + TILE, n);

      if (end > first)
        memcpy (sums, row + first, (end - first) * sizeof *sums);
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
}

/* Appends TILE rows, which do not wait for each other's divisions, except in the triangle at the
 * end. Gives the same numbers as extend_factor(). */
static void
extend_factor_by_tile (const CuredSearchModel *self, Factor *factor)
{
  gsize n = factor->rows->len;
  double *bundle = g_new0 (double, (n + TILE) * TILE), *rows[TILE], rests[TILE];

  for (gsize k = 0; k < TILE; k++)
    {
      rows[k] = g_new (double, n + k + 1);
      fill_likenesses (self, n + k, rows[k]);
      rests[k] = 1 + NUGGET;
    }
  for (gsize i = 0; i < n + TILE; i++)
    {
      double *column = bundle + i * TILE, *row = i < n ? factor->rows->pdata[i] : rows[i - n];
      gsize first = i < n ? 0 : i - n + 1; /* below the diagonal */

      for (gsize k = first; k < TILE; k++)
        column[k] = rows[k][i];
      subtract_rows (column, bundle, row, i);
      if (i >= n)
        {
          memset (column, 0, first * sizeof *column);
          row[i] = column[first - 1] = sqrt (MAX (rests[first - 1], 1e-9));
        }
      for (gsize k = first; k < TILE; k++)
        {
          column[k] /= row[i];
          rests[k] -= column[k] * column[k];
          rows[k][i] = column[k];
        }
    }
  g_ptr_array_add (factor->bundles, bundle);
  for (gsize k = 0; k < TILE; k++)
    g_ptr_array_add (factor->rows, rows[k]);
}

/* Appends all missing rows. */
static void
complete_factor (const CuredSearchModel *self, Factor *factor)
{
  gsize n = self->seen->len;

  while (factor->rows->len < n)
    if (factor->rows->len % TILE == 0 && n - factor->rows->len >= TILE)
      extend_factor_by_tile (self, factor);
    else
      extend_factor (self, factor);
}

/* ---- Tiles ---- */

static void
clear_split (Split *split)
{
  g_array_unref (split->tiles);
  g_array_unref (split->outers);
  g_array_unref (split->patterns);
}

/* The pattern of a tile's cells, an existing one or a new one. */
static gsize
find_pattern (Split *self, GHashTable *patterns, const gint64 *cells, gsize n_cells)
{
  gint64 inner[TILE];

  for (gsize k = 0; k < TILE; k++)
    inner[k] = cells[MIN (k, n_cells - 1)] % self->stride;
  g_autoptr (GBytes) key = g_bytes_new (inner, sizeof inner);
  gpointer found;
  if (g_hash_table_lookup_extended (patterns, key, NULL, &found))
    return GPOINTER_TO_SIZE (found);
  gsize pattern = g_hash_table_size (patterns);
  g_hash_table_insert (patterns, g_steal_pointer (&key), GSIZE_TO_POINTER (pattern));
  g_array_append_vals (self->patterns, inner, TILE);
  return pattern;
}

/* @stride: number of cells of an inner part */
static Split
make_split (gsize n_inner, gint64 stride, const gint64 *cells, gsize n_cells)
{
  Split self = {
    .stride = stride,
    .n_inner = n_inner,
    .tiles = g_array_new (FALSE, FALSE, sizeof (Tile)),
    .outers = g_array_new (FALSE, FALSE, sizeof (gint64)),
    .patterns = g_array_new (FALSE, FALSE, sizeof (gint64)),
  };
  g_autoptr (GHashTable) patterns =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);

  for (gsize first = 0; first < n_cells;)
    {
      gint64 outer = cells[first] / stride * stride;
      gsize n = 1;

      while (n < TILE && first + n < n_cells && cells[first + n] / stride * stride == outer)
        n++;
      if (self.outers->len == 0 ||
          g_array_index (self.outers, gint64, self.outers->len - 1) != outer)
        g_array_append_val (self.outers, outer);
      Tile tile = { first, n, self.outers->len - 1,
                    find_pattern (&self, patterns, cells + first, n) };
      g_array_append_val (self.tiles, tile);
      first += n;
    }
  return self;
}

static gsize
get_cost (const Split *self)
{
  return TILE_COST * self->tiles->len + self->outers->len +
         PATTERN_COST * (self->patterns->len / TILE);
}

/* Splits the axes at the least cost. */
static Split
find_split (const CuredSearchModel *self, const gint64 *cells, gsize n_cells)
{
  Split best = make_split (self->n_axes, G_MAXINT64, cells, n_cells);

  for (gsize n_inner = 1; n_inner < self->n_axes; n_inner++)
    {
      Split split = make_split (n_inner, (gint64) self->strides[n_inner], cells, n_cells);

      if (get_cost (&split) < get_cost (&best))
        {
          clear_split (&best);
          best = split;
        }
      else
        clear_split (&split);
    }
  return best;
}

/* @cells: (element-type gint64): their positions on the axes from @first to before @end are
 *   listed */
static guint32 *
list_places (const CuredSearchModel *self, const GArray *cells, gsize first, gsize end)
{
  guint32 *places = g_new (guint32, cells->len * (end - first) + 1), *place = places;

  for (gsize i = 0; i < cells->len; i++)
    for (gsize axis = first; axis < end; axis++)
      *place++ = locate (self, g_array_index (cells, gint64, i), axis);
  return places;
}

static gsize
count_patterns (const CuredSearchModel *self)
{
  return self->split.patterns->len / TILE;
}

/* Makes room for @n cells seen. */
static void
make_room (CuredSearchModel *self, gsize n)
{
  gsize before = self->room;

  if (n <= before)
    return;
  self->room = (MAX (n, before + before / 2) + WIDTH - 1) / WIDTH * WIDTH;
  for (gsize i = 0; i < self->split.outers->len; i++)
    self->outer_rows[i] = g_renew (double, self->outer_rows[i], self->room);
  for (gsize i = 0; i < count_patterns (self); i++)
    self->inner_rows[i] = g_renew (double, self->inner_rows[i], self->room *TILE);
  for (gsize i = 0; i < SUMS; i++)
    self->factors[i] = g_renew (double, self->factors[i], self->room);
  self->inverse = g_renew (double *, self->inverse, self->room);
  for (gsize i = 0; i < self->room; i++)
    {
      double *row = i < before ? self->inverse[i] : NULL;

      self->inverse[i] = g_renew (double, row, self->room);
      memset (self->inverse[i] + (row != NULL ? before : 0), 0,
              (self->room - (row != NULL ? before : 0)) * sizeof (double));
    }
}

/* Covariance factors of all cells' parts with those of a cell seen. */
static void
fill_rows (CuredSearchModel *self, gsize n)
{
  const guint32 *inner = self->inner_places, *outer = self->outer_places;

  for (gsize i = 0; i < self->n_axes; i++)
    self->from[i] = get_alike (self, i, n);
  for (gsize i = 0; i < self->split.patterns->len; i++)
    {
      double product = 1;

      for (gsize axis = 0; axis < self->split.n_inner; axis++)
        product *= self->from[axis][*inner++];
      self->inner_rows[i / TILE][n * TILE + i % TILE] = product;
    }
  for (gsize i = 0; i < self->split.outers->len; i++)
    {
      double product = 1;

      for (gsize axis = self->split.n_inner; axis < self->n_axes; axis++)
        product *= self->from[axis][*outer++];
      self->outer_rows[i][n] = product;
    }
}

/* Computes a row of the inverse from those before it. */
static void
invert_row (CuredSearchModel *self, gsize n)
{
  const double *factor = self->factor.rows->pdata[n];
  double *row = self->inverse[n];

  memset (row, 0, n * sizeof *row);
  for (gsize i = 0; i < n; i++)
    add_scaled_rows (row, self->inverse[i], -factor[i], i + 1);
  for (gsize j = 0; j < n; j++)
    row[j] /= factor[n];
  row[n] = 1 / factor[n];
}

/* Reduces the variance of all cells by @n_rows rows from @first on, at most SUMS. With fewer than
 * SUMS, also computes the expectation from @weights of the first @n cells seen. */
static void
add_rows (CuredSearchModel *self, gsize first, gsize n_rows, const double *weights, gsize n)
{
  gsize outer = G_MAXSIZE;

  CURED_EACH (const Tile, tile, self->split.tiles)
    {
      double sums[SUMS][TILE];

      for (gsize k = 0; k < SUMS && tile->outer != outer; k++)
        multiply_rows (self->factors[k], k < n_rows ? self->inverse[first + k] : weights,
                       self->outer_rows[tile->outer], n);
      outer = tile->outer;
      sum_up_rows (sums, self->inner_rows[tile->pattern], self->factors, n);
      for (gsize i = 0; i < tile->n_cells; i++)
        {
          for (gsize k = 0; k < n_rows; k++)
            self->variance[tile->first + i] -= sums[k][i] * sums[k][i];
          if (n_rows < SUMS)
            self->ahead[tile->first + i] = sums[SUMS - 1][i];
        }
    }
}

/* Solves the factor's triangular system for @ranks by forward substitution. */
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

/* The logarithm of the likelihood of the values seen under the weights. */
static double
rate_weights (const CuredSearchModel *self, const double *ranks)
{
  Factor factor = new_factor ();
  double sum = 0;

  complete_factor (self, &factor);
  for (gsize i = 0; i < self->seen->len; i++)
    sum -= log (((double *) factor.rows->pdata[i])[i]);
  g_autofree double *rest = solve (&factor, ranks);
  clear_factor (&factor);
  sum -=
      0.5 * (double) self->seen->len * log (MAX (get_mean_square (rest, self->seen->len), 1e-12));
  for (gsize i = 0; i < self->n_axes; i++)
    sum -= 0.5 * pow (log (self->weights[i] / WEIGHT_USUAL) / WEIGHT_SD, 2);
  return sum;
}

/* Fits the weights: tries twice and half of each one. */
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
  self->from = g_new0 (const double *, n_axes + 1);
  self->seen_places = g_new0 (GArray *, n_axes + 1);
  for (gsize i = n_axes; i-- > 0; stride *= lengths[i])
    if (lengths[i] > 1)
      {
        gsize axis = self->n_axes++;

        self->lengths[axis] = lengths[i];
        self->strides[axis] = stride;
        self->weights[axis] = WEIGHT_USUAL;
        self->alike[axis] = g_new (double, 2 * lengths[i] - 1);
        self->seen_places[axis] = g_array_new (FALSE, FALSE, sizeof (guint32));
        fill_axis (self, axis);
      }
  self->n_cells = n_cells;
  self->variance = g_new (double, n_cells + 1);
  self->ahead = g_new (double, n_cells + 1);
  self->split = find_split (self, cells, n_cells);
  self->outer_rows = g_new0 (double *, self->split.outers->len + 1);
  self->inner_rows = g_new0 (double *, count_patterns (self) + 1);
  self->inner_places = list_places (self, self->split.patterns, 0, self->split.n_inner);
  self->outer_places = list_places (self, self->split.outers, self->split.n_inner, self->n_axes);
  self->seen = g_array_new (FALSE, FALSE, sizeof (gint64));
  forget (self);
  return self;
}

void
_cured_search_model_free (CuredSearchModel *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < self->n_axes; i++)
    {
      g_free (self->alike[i]);
      g_array_unref (self->seen_places[i]);
    }
  CURED_CLEAR (alike, g_free, from, g_free, seen_places, g_free, lengths, g_free, strides, g_free,
               weights, g_free, inner_places, g_free, outer_places, g_free, variance, g_free, ahead,
               g_free, seen, g_array_unref);
  clear_factor (&self->factor);
  for (gsize i = 0; i < self->split.outers->len; i++)
    g_free (self->outer_rows[i]);
  for (gsize i = 0; i < count_patterns (self); i++)
    g_free (self->inner_rows[i]);
  for (gsize i = 0; i < self->room; i++)
    g_free (self->inverse[i]);
  for (gsize i = 0; i < SUMS; i++)
    g_free (self->factors[i]);
  CURED_CLEAR (outer_rows, g_free, inner_rows, g_free, inverse, g_free);
  clear_split (&self->split);
  g_free (self);
}

/* Adds the cell to those seen. */
void
_cured_search_model_see (CuredSearchModel *self, gint64 cell)
{
  g_array_append_val (self->seen, cell);
  for (gsize axis = 0; axis < self->n_axes; axis++)
    {
      guint32 place = locate (self, cell, axis);

      g_array_append_val (self->seen_places[axis], place);
    }
}

/* Number of cells seen. */
gsize
_cured_search_model_count_seen (CuredSearchModel *self)
{
  return self->seen->len;
}

/* A cell seen, by index. */
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

/* The rank of each value, from 0 for the best to at most RANKED_PART, less the mean rank. Equal
 * values have equal ranks. */
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

/* The expected improvement over the best of a cell with mean lead @ahead and deviation @sd. */
static double
expect_gain (double ahead, double sd)
{
  ahead /= sd;
  return sd *
         (ahead * 0.5 * erfc (-ahead * G_SQRT2 / 2) + exp (-ahead * ahead / 2) / sqrt (2 * G_PI));
}

/* A lower bound of e^x for x ≥ 0, at least 0.96 of it up to x = 700: as 2^t, with an exact power
 * and a truncated series for the fraction. */
static double
bound_exp (double x)
{
  double t = MIN (x, 700) / G_LN2, whole = floor (t), rest = (t - whole) * G_LN2;

  return ldexp (1 + rest * (1 + rest / 2), (int) whole);
}

/* An upper bound of expect_gain(): a normal distribution's tail above z > 0 is at least 2 / (z +
 * √(z² + 4)) times its density at z (Birnbaum 1942). The factor is slightly more than 1 / √2π. */
static double
bound_gain (double ahead, double sd)
{
  double z = fabs (ahead) / sd;

  return MAX (ahead, 0) +
         0.3990 * sd * (1 - 2 * z / (z + sqrt (z * z + 4))) / bound_exp (z * z / 2);
}

static double
get_sd (const CuredSearchModel *self, gsize cell)
{
  return MAX (self->sd * sqrt (MAX (self->variance[cell], 0)), 1e-9);
}

/* Rates all cells, given the values of those seen. @bounds gets an upper bound of each cell's gain,
 * which takes much less time than the gain. */
void
_cured_search_model_rate (CuredSearchModel *self, const double *values, double *bounds)
{
  gsize n = self->seen->len;
  g_autofree double *ranks = rank (values, n);
  double best = INFINITY;

  if (n >= self->learn_at && n <= LEARN_MOST)
    {
      learn (self, ranks);
      self->learn_at = (gsize) ((double) n * LEARN_AGAIN) + 1;
    }
  complete_factor (self, &self->factor);
  g_autofree double *rest = solve (&self->factor, ranks);
  self->sd = sqrt (get_mean_square (rest, n));
  for (gsize i = 0; i < n; i++)
    best = MIN (best, ranks[i]);

  make_room (self, n);
  for (gsize i = self->n_rows; i < n; i++)
    {
      fill_rows (self, i);
      invert_row (self, i);
    }
  /* Weights of the expectation, by cell seen. */
  g_autofree double *weights = g_new0 (double, self->room);
  for (gsize i = 0; i < n; i++)
    add_scaled_rows (weights, self->inverse[i], -rest[i], i + 1);
  for (; n - self->n_rows >= SUMS; self->n_rows += SUMS)
    add_rows (self, self->n_rows, SUMS, weights, self->n_rows + SUMS);
  add_rows (self, self->n_rows, n - self->n_rows, weights, n);
  self->n_rows = n;
  for (gsize i = 0; i < self->n_cells; i++)
    {
      self->ahead[i] += best;
      bounds[i] = bound_gain (self->ahead[i], get_sd (self, i));
    }
}

/* The expected improvement of a rated cell over the best one seen. */
double
_cured_search_model_get_gain (const CuredSearchModel *self, gsize cell)
{
  return expect_gain (self->ahead[cell], get_sd (self, cell));
}
