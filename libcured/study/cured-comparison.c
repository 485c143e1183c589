/* SPDX-License-Identifier: MIT
 * Two results, cell by cell. */
#include "study/cured-comparison.h"

#include "base/cured-base-internal.h"
#include "study/cured-study-internal.h"

/* Maps positions of common parameters to the other result. */
typedef struct
{
  gsize n_axes;
  gssize *other;     /* axis of the other result; -1: it has none */
  gint64 **position; /* of each value on the other's axis; -1: missing */
} Mapping;

static void
mapping_free (Mapping *self)
{
  for (gsize i = 0; i < self->n_axes; i++)
    g_free (self->position[i]);
  g_free (self->position);
  g_free (self->other);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Mapping, mapping_free)

static gssize
find_axis (const CuredResultAxis *axes, gsize n_axes, const char *name)
{
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, name))
      return (gssize) i;
  return -1;
}

static Mapping *
make_mapping (CuredResult *a, CuredResult *b)
{
  Mapping *mapping = g_new0 (Mapping, 1);
  gsize n_axes_b;
  const CuredResultAxis *axes_a = cured_result_get_axes (a, &mapping->n_axes);
  const CuredResultAxis *axes_b = cured_result_get_axes (b, &n_axes_b);

  mapping->other = g_new0 (gssize, mapping->n_axes + 1);
  mapping->position = g_new0 (gint64 *, mapping->n_axes + 1);
  for (gsize i = 0; i < mapping->n_axes; i++)
    {
      gsize length = cured_axis_get_length (axes_a[i].values);

      mapping->other[i] = find_axis (axes_b, n_axes_b, axes_a[i].name);
      if (mapping->other[i] < 0)
        continue;
      mapping->position[i] = g_new (gint64, length);
      for (gsize j = 0; j < length; j++)
        {
          gsize found;

          mapping->position[i][j] =
              cured_match_find_value (axes_a[i].values, j, axes_b[mapping->other[i]].values, &found)
                  ? (gint64) found
                  : -1;
        }
    }
  return mapping;
}

/* Maps a position to the other result, for the parameters that both have; FALSE if the other lacks
 * a value. */
static gboolean
map_positions (const Mapping *mapping, const gsize *positions_a, gsize *positions_b)
{
  for (gsize i = 0; i < mapping->n_axes; i++)
    {
      if (mapping->other[i] < 0)
        continue;
      if (mapping->position[i][positions_a[i]] < 0)
        return FALSE;
      positions_b[mapping->other[i]] = (gsize) mapping->position[i][positions_a[i]];
    }
  return TRUE;
}

/* A result's cells by the parameters that both results have: the best cell of each of their points.
 * The points are numbered in the order of the cells. */
typedef struct
{
  CuredResult *result;
  const CuredMatchSide *side;
  gsize n_axes;
  gsize *strides;  /* of an axis in the points' numbers; 0: not a common axis */
  guint8 *is_held; /* (array length=n_points): one of the results has the point */
  gint64 n_points;
} Points;

CURED_CLEAR_FUNC (Points, points_clear, strides, g_free, is_held, g_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Points, points_clear)

static void
points_init (Points *self, CuredResult *result, const CuredMatchSide *side)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, &self->n_axes);
  gsize stride = 1;

  self->result = result;
  self->side = side;
  self->strides = g_new0 (gsize, self->n_axes + 1);
  for (gsize i = self->n_axes; i > 0; i--)
    {
      gboolean is_over = FALSE;

      for (gsize j = 0; j < side->n_over; j++)
        is_over = is_over || side->over[j] == i - 1;
      if (is_over)
        continue;
      self->strides[i - 1] = stride;
      stride *= cured_axis_get_length (axes[i - 1].values);
    }
  self->n_points = (gint64) stride;
  self->is_held = g_malloc0 (stride);
}

static void
points_get_positions (const Points *self, gint64 point, gsize *positions)
{
  const CuredResultAxis *axes = cured_result_get_axes (self->result, NULL);

  for (gsize i = 0; i < self->n_axes; i++)
    positions[i] = self->strides[i] > 0
                       ? (gsize) point / self->strides[i] % cured_axis_get_length (axes[i].values)
                       : 0;
}

static gint64
points_get_number (const Points *self, const gsize *positions)
{
  gsize number = 0;

  for (gsize i = 0; i < self->n_axes; i++)
    number += positions[i] * self->strides[i];
  return (gint64) number;
}

/* Marks the points of @result's cells. @mapping: (nullable): from @result to that of @self; NULL:
 * they are the same. Unmarked points need not be visited. */
static void
points_hold (Points *self, CuredResult *result, const Mapping *mapping)
{
  gsize n_axes;
  g_autofree gsize *own = g_new0 (gsize, self->n_axes + 1);

  cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  CURED_EACH_CELL (result, cell)
    {
      cured_result_get_positions (result, cell, positions);
      if (mapping == NULL)
        self->is_held[points_get_number (self, positions)] = TRUE;
      else if (map_positions (mapping, positions, own))
        self->is_held[points_get_number (self, own)] = TRUE;
    }
}

/* Sets verdict and significance. */
void
cured_pair_judge (const CuredFigures *a, const CuredFigures *b, CuredPair *pair)
{
  CuredFigure figure_a, figure_b;

  pair->significance = CURED_MISSING;
  if (isnan (pair->b))
    {
      pair->verdict = CURED_VERDICT_ONLY_A;
      return;
    }
  if (isnan (pair->a))
    {
      pair->verdict = CURED_VERDICT_ONLY_B;
      return;
    }
  cured_figures_get (a, pair->cell_a, &figure_a);
  cured_figures_get (b, pair->cell_b, &figure_b);
  gboolean is_lower = pair->b < pair->a;
  if (!cured_figure_differs (&figure_a, &figure_b, &pair->significance) ||
      a->better == CURED_BETTER_NEITHER)
    pair->verdict = CURED_VERDICT_SAME;
  else
    pair->verdict =
        is_lower == (a->better == CURED_BETTER_LOWER) ? CURED_VERDICT_BETTER : CURED_VERDICT_WORSE;
}

/* The factor by which @b is worse; 1 if it is not. */
static double
loss (const CuredFigures *figures, const CuredPair *pair)
{
  if (pair->verdict != CURED_VERDICT_BETTER && pair->verdict != CURED_VERDICT_WORSE)
    return 1;
  return figures->better == CURED_BETTER_LOWER ? pair->b / pair->a : pair->a / pair->b;
}

/* State of a geometric mean. */
typedef struct
{
  double logarithms;
  guint n;
} Sum;

static void
add_pair (CuredComparison *self, const CuredFigures *a, const CuredFigures *b, gint64 cell_a,
          gint64 cell_b, Sum *sum)
{
  CuredPair pair = {
    .cell_a = cell_a,
    .cell_b = cell_b,
    .a = cell_a >= 0 ? cured_figures_get_value (a, cell_a) : CURED_MISSING,
    .b = cell_b >= 0 ? cured_figures_get_value (b, cell_b) : CURED_MISSING,
  };

  if (isnan (pair.a) && isnan (pair.b))
    return;
  pair.ratio = pair.b / pair.a;
  cured_pair_judge (a, b, &pair);
  g_array_append_val (self->pairs, pair);
  self->n_verdicts[pair.verdict]++;
  if (isnan (pair.ratio))
    return;
  self->worst = fmax (self->worst, loss (a, &pair));
  self->best = fmax (self->best, 1 / loss (a, &pair));
  if (isfinite (pair.ratio) && pair.ratio > 0)
    {
      sum->logarithms += log (pair.ratio);
      sum->n++;
    }
}

/* @b: the one to compare with it
 * @metric: id of the metric to compare
 * @error: as from cured_match_new(), or of reading the results
 *
 * If one result has parameters with several values that the other lacks, each cell of a pair is
 * its best over these (see @match). The best of many measured cells is biased: a little too
 * good.
 *
 * Pairs are in the order of @a's cells, then those that only @b has; cells without a value in
 * either are left out. With a metric without a better end, nothing is better or worse. Better or
 * worse cells differ by more than both intervals and by at least half a percent, also in cycles
 * if the clocks are known; the interval of a cell with one round is widened to the usual
 * difference of processes. The worst ratio is only over such cells; it is NaN if no cell has both
 * values.
 * Returns: (transfer full) (nullable): the comparison */
CuredComparison *
cured_comparison_new (CuredResult *a, CuredResult *b, const char *metric, GError **error)
{
  g_auto (Points) points_a = { 0 }, points_b = { 0 };
  CuredFigures figures_a, figures_b;
  Sum sum = { 0 };

  g_return_val_if_fail (CURED_IS_RESULT (a) && CURED_IS_RESULT (b) && metric != NULL, NULL);

  g_autoptr (CuredMatch) match = cured_match_new (a, b, metric, error);
  if (match == NULL || !cured_result_load_column (a, match->a.rank, NULL, error) ||
      !cured_result_load_column (b, match->b.rank, NULL, error) ||
      !cured_figures_load (&figures_a, a, metric, error) ||
      !cured_figures_load (&figures_b, b, metric, error))
    return NULL;

  points_init (&points_a, a, &match->a);
  points_init (&points_b, b, &match->b);
  g_autoptr (Mapping) mapping = make_mapping (a, b), back = make_mapping (b, a);
  points_hold (&points_a, a, NULL);
  points_hold (&points_a, b, back);
  points_hold (&points_b, b, NULL);
  g_autoptr (CuredComparison) self =
      CURED_NEW (CuredComparison, .match = g_steal_pointer (&match),
                 .pairs = g_array_new (FALSE, FALSE, sizeof (CuredPair)), .worst = CURED_MISSING,
                 .best = CURED_MISSING);
  g_autofree gsize *positions_a = g_new0 (gsize, points_a.n_axes + 1);
  g_autofree gsize *positions_b = g_new0 (gsize, points_b.n_axes + 1);
  g_autofree guint8 *is_matched = g_malloc0 ((gsize) points_b.n_points);

  for (gint64 point = 0; point < points_a.n_points; point++)
    {
      gint64 other = -1;

      if (!points_a.is_held[point])
        continue;
      points_get_positions (&points_a, point, positions_a);
      if (map_positions (mapping, positions_a, positions_b))
        {
          is_matched[points_get_number (&points_b, positions_b)] = TRUE;
          other = cured_match_find_cell (&self->match->b, b, positions_b);
        }
      add_pair (self, &figures_a, &figures_b,
                cured_match_find_cell (&self->match->a, a, positions_a), other, &sum);
    }
  for (gint64 point = 0; point < points_b.n_points; point++)
    {
      if (is_matched[point] || !points_b.is_held[point])
        continue;
      points_get_positions (&points_b, point, positions_b);
      add_pair (self, &figures_a, &figures_b, -1,
                cured_match_find_cell (&self->match->b, b, positions_b), &sum);
    }
  self->geometric_mean = sum.n > 0 ? exp (sum.logarithms / sum.n) : CURED_MISSING;
  return g_steal_pointer (&self);
}

/* The problem of a cell: its values on the axes that are problem sizes. */
typedef struct
{
  CuredResult *result;
  gsize n_axes;
  gboolean *is_problem; /* by axis */
  gboolean has_any;
  gsize *wanted;    /* positions of the cell */
  gsize *positions; /* of the cell to compare */
} Problem;

CURED_CLEAR_FUNC (Problem, problem_clear, is_problem, g_free, wanted, g_free, positions, g_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Problem, problem_clear)

/* @cell: -1: any problem */
static void
problem_init (Problem *self, CuredResult *result, gint64 cell)
{
  self->result = result;
  cured_result_get_axes (result, &self->n_axes);
  self->is_problem = g_new0 (gboolean, self->n_axes + 1);
  self->wanted = g_new0 (gsize, self->n_axes + 1);
  self->positions = g_new0 (gsize, self->n_axes + 1);
  if (cell < 0)
    return;
  cured_result_get_positions (result, cell, self->wanted);
  for (gsize i = 0; i < self->n_axes; i++)
    {
      self->is_problem[i] = cured_match_is_problem (result, i);
      self->has_any = self->has_any || self->is_problem[i];
    }
}

static gboolean
problem_has (Problem *self, gint64 cell)
{
  if (!self->has_any)
    return TRUE;
  cured_result_get_positions (self->result, cell, self->positions);
  for (gsize i = 0; i < self->n_axes; i++)
    if (self->is_problem[i] && self->positions[i] != self->wanted[i])
      return FALSE;
  return TRUE;
}

static gboolean
is_better_value (const CuredFigures *figures, double value, double than)
{
  if (isnan (value) || isnan (than))
    return !isnan (value);
  return figures->better == CURED_BETTER_LOWER ? value < than : value > than;
}

/* @a: the first
 * @b: the second
 * @metric: id of the metric that is compared
 * @like: (nullable): one of its pairs; only cells of the same problem are considered; NULL: all
 * @best: (out caller-allocates): the best cell of @a and the best one of @b
 *
 * Compares best with best, whatever their parameters, which is what matters for a choice. The best
 * of many measured cells is biased: a little too good.
 * Returns: FALSE if one of them has no value, or the metric has no better end; @best is then
 *   unchanged */
gboolean
cured_comparison_get_best (const CuredComparison *self, CuredResult *a, CuredResult *b,
                           const char *metric, const CuredPair *like, CuredPair *best)
{
  CuredFigures figures_a, figures_b;
  g_auto (Problem) problem_a = { 0 }, problem_b = { 0 };
  CuredPair pair = { .cell_a = -1, .cell_b = -1, .a = CURED_MISSING, .b = CURED_MISSING };

  g_return_val_if_fail (self != NULL && metric != NULL, FALSE);

  if (!cured_figures_load (&figures_a, a, metric, NULL) ||
      !cured_figures_load (&figures_b, b, metric, NULL) || figures_a.better == CURED_BETTER_NEITHER)
    return FALSE;
  problem_init (&problem_a, a, like != NULL ? like->cell_a : -1);
  problem_init (&problem_b, b, like != NULL ? like->cell_b : -1);
  CURED_EACH (const CuredPair, other, self->pairs)
    {
      if (is_better_value (&figures_a, other->a, pair.a) && problem_has (&problem_a, other->cell_a))
        {
          pair.a = other->a;
          pair.cell_a = other->cell_a;
        }
      if (is_better_value (&figures_a, other->b, pair.b) && problem_has (&problem_b, other->cell_b))
        {
          pair.b = other->b;
          pair.cell_b = other->cell_b;
        }
    }
  if (pair.cell_a < 0 || pair.cell_b < 0)
    return FALSE;
  pair.ratio = pair.b / pair.a;
  cured_pair_judge (&figures_a, &figures_b, &pair);
  *best = pair;
  return TRUE;
}

/* Changes up to this factor are printed in per cent, larger ones as a factor. */
#define MOST_PER_CENT 1.1

/* @metric: metric of its values
 * Returns: (transfer full): the difference of the second to the first, in a few translated words:
 *   “2.1 % slower”, “1.84× as fast” */
char *
cured_pair_describe_change (const CuredPair *self, const CuredMetricInfo *metric)
{
  g_return_val_if_fail (self != NULL && metric != NULL, NULL);

  if (self->verdict == CURED_VERDICT_ONLY_A || self->verdict == CURED_VERDICT_ONLY_B)
    return g_strdup (_ (cured_verdict_to_string (self->verdict)));
  if (self->a == self->b)
    return g_strdup (_ ("no difference"));
  if (!isfinite (self->ratio) || self->ratio <= 0)
    return g_strdup (self->b > self->a ? _ ("more") : _ ("less"));
  gboolean is_time = g_str_equal (metric->unit, "ns");
  double factor = self->ratio > 1 ? self->ratio : 1 / self->ratio;
  if (factor < MOST_PER_CENT)
    {
      double share = fabs (self->ratio - 1) * 100;

      if (is_time)
        return g_strdup_printf (self->ratio > 1
                                    /* Translators: of a time. xgettext:c-format */
                                    ? _ ("%.2g %% slower")
                                    : _ ("%.2g %% faster"),
                                share);
      return g_strdup_printf (self->ratio > 1 ? _ ("%.2g %% more") : _ ("%.2g %% less"), share);
    }
  if (is_time)
    return g_strdup_printf (self->ratio > 1 ? _ ("%.3g× as slow") : _ ("%.3g× as fast"), factor);
  return g_strdup_printf (_ ("%.3g× as much"), self->ratio);
}

/* @metric: metric of its values
 * Returns: (transfer full): the difference of the second to the first, and whether it exceeds the
 *   noise, translated: “2.1 % slower; the difference exceeds the noise” */
char *
cured_pair_describe (const CuredPair *self, const CuredMetricInfo *metric)
{
  g_autofree char *change = cured_pair_describe_change (self, metric);

  g_return_val_if_fail (change != NULL, NULL);

  /* Counts have no spread. */
  if (self->a == self->b || isnan (self->significance))
    return g_steal_pointer (&change);
  if (self->significance <= 1)
    /* Translators: a change, such as "2.1 % slower". */
    return g_strdup_printf (_ ("%s; the difference is within the noise"), change);
  if (self->verdict == CURED_VERDICT_SAME)
    /* Translators: a change, such as "0.3 % slower". */
    return g_strdup_printf (_ ("%s; the difference exceeds the noise, but is too small to matter"),
                            change);
  /* Translators: a change, such as "2.1 % slower". */
  return g_strdup_printf (_ ("%s; the difference exceeds the noise"), change);
}

/* The names of the parameters over which a result's best is chosen. */
static char *
join_over (const CuredMatchSide *side, CuredResult *result)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (gsize i = 0; i < side->n_over; i++)
    g_strv_builder_add (names, axes[side->over[i]].name);
  g_auto (GStrv) list = g_strv_builder_end (names);
  return g_strjoinv (", ", list);
}

/* Appends a sentence. */
static void
append (GString *text, char *sentence)
{
  if (text->len > 0)
    g_string_append_c (text, ' ');
  g_string_append (text, sentence);
  g_free (sentence);
}

/* Names parameters without a common value, so that no cells match. */
static void
append_unequal (GString *text, CuredResult *a, CuredResult *b)
{
  g_autoptr (Mapping) mapping = make_mapping (a, b);
  const CuredResultAxis *axes = cured_result_get_axes (a, NULL);

  for (gsize i = 0; i < mapping->n_axes; i++)
    {
      gboolean is_equal = mapping->other[i] < 0;

      for (gsize j = 0; !is_equal && j < cured_axis_get_length (axes[i].values); j++)
        is_equal = mapping->position[i][j] >= 0;
      if (!is_equal)
        append (text,
                /* Translators: the name of a parameter. */
                g_strdup_printf (_ ("No value of %s is in both files."), axes[i].name));
    }
}

/* @a: the first
 * @b: the second
 * @metric: id of the metric that is compared
 *
 * Describes which cells are compared, unless it is simply equal ones.
 * Returns: (transfer full) (nullable): sentences for people, translated, which call the results A
 *   and B */
char *
cured_comparison_describe (const CuredComparison *self, CuredResult *a, CuredResult *b,
                           const char *metric)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_return_val_if_fail (self != NULL && metric != NULL, NULL);

  const CuredMatch *match = self->match;
  g_autofree char *shared = g_strjoinv (", ", match->shared), *over_a = join_over (&match->a, a);
  g_autofree char *over_b = join_over (&match->b, b);
  const CuredMetricInfo *rank = &cured_result_get_metrics (a, NULL)[match->a.rank];
  if (cured_match_is_best (match) && shared[0] != '\0')
    append (text,
            g_strdup_printf (
                /* Translators: of two result files; names of parameters. */
                _ ("The parameters differ: cells are compared at equal values of %s."), shared));
  else if (cured_match_is_best (match))
    append (text,
            g_strdup (_ ("The two have no parameter in common: the best cells are compared.")));
  if (match->a.n_over > 0)
    append (text,
            /* Translators: names of parameters. */
            g_strdup_printf (_ ("A is at its best over %s."), over_a));
  if (match->b.n_over > 0)
    append (text, g_strdup_printf (_ ("B is at its best over %s."), over_b));
  if (cured_match_is_best (match) && !g_str_equal (rank->id, metric))
    append (text,
            /* Translators: the title and the id of a metric. */
            g_strdup_printf (_ ("Which cell is the best is decided by another metric: %s (%s)."),
                             _ (rank->title), rank->id));
  if (match->a.held != NULL)
    append (text,
            /* Translators: parameters and their values, as “padding=1”. */
            g_strdup_printf (_ ("Only A has %s."), match->a.held));
  if (match->b.held != NULL)
    append (text, g_strdup_printf (_ ("Only B has %s."), match->b.held));
  append_unequal (text, a, b);
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* Returns: (transfer none): "same", "better" …; to be translated */
const char *
cured_verdict_to_string (CuredVerdict verdict)
{
  static const char *const words[] = {
    /* Translators: what a cell of file B is to the same cell of file A. */
    N_ ("same"), N_ ("better"), N_ ("worse"), N_ ("only in A"), N_ ("only in B")
  };

  g_return_val_if_fail ((guint) verdict < G_N_ELEMENTS (words), "");
  return words[verdict];
}

/* The sort key of a pair: cells that lost or gained their value first, then changes, last the cells
 * that only one result has. */
static double
get_size (const CuredPair *pair)
{
  /* Two zeros have no ratio, and did not change. */
  if (pair->a == pair->b)
    return 0;
  if (!isnan (pair->ratio) && pair->ratio > 0)
    return fabs (log (pair->ratio));
  return pair->cell_a >= 0 && pair->cell_b >= 0 ? G_MAXDOUBLE : -1;
}

static int
compare_size (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const CuredPair *pairs = user_data;
  guint index_a = *(const guint *) a, index_b = *(const guint *) b;
  double size_a = get_size (&pairs[index_a]), size_b = get_size (&pairs[index_b]);

  if (size_a != size_b)
    return size_a < size_b ? 1 : -1;
  return (index_a > index_b) - (index_a < index_b);
}

/* @n_most: greatest number; 0: all
 * @significant_only: without pairs that are the same
 * @n_left_out: (out) (optional): pairs that are not listed
 *
 * Sorts pairs by the size of their change: first cells that both have, but only one with a value,
 * then by the largest ratio in either direction, last cells that only one has.
 * Returns: (transfer full) (element-type guint): indices of @pairs */
GArray *
cured_comparison_list_largest (const CuredComparison *self, guint n_most, gboolean significant_only,
                               guint *n_left_out)
{
  g_return_val_if_fail (self != NULL, NULL);

  GArray *indices = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < self->pairs->len; i++)
    if (!significant_only ||
        g_array_index (self->pairs, CuredPair, i).verdict != CURED_VERDICT_SAME)
      g_array_append_val (indices, i);
  g_array_sort_with_data (indices, compare_size, self->pairs->data);
  if (n_most > 0 && indices->len > n_most)
    g_array_set_size (indices, n_most);
  if (n_left_out != NULL)
    *n_left_out = self->pairs->len - indices->len;
  return indices;
}

CURED_DEFINE_FREE (CuredComparison, cured_comparison_free, match, cured_match_free, pairs,
                   g_array_unref)

/* @axis: one of its axes
 * @position: (out) (optional): position of the problem that represents all: the kernel's default,
 *   else the last one
 * Returns: whether the axis runs over problems of several sizes */
gboolean
cured_result_find_problem (CuredResult *result, gsize axis, gsize *position)
{
  CuredKernel *kernel = cured_result_get_kernel (result);
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  gsize length = cured_axis_get_length (axes[axis].values);
  gsize parameter, found;

  if (kernel == NULL || length < 2 ||
      !cured_kernel_find_parameter (kernel, axes[axis].name, &parameter) ||
      kernel->parameters[parameter].kind != CURED_PARAMETER_PROBLEM)
    return FALSE;
  if (!cured_axis_find (axes[axis].values, kernel->parameters[parameter].default_value, &found))
    found = length - 1;
  if (position != NULL)
    *position = found;
  return TRUE;
}

/* The best cell of one problem, or of all. */
static gint64
find_best (CuredResult *result, gsize metric, gboolean of_problem)
{
  CuredBetter better = cured_result_get_metrics (result, NULL)[metric].better;
  double best_value = NAN;
  gint64 best = -1;
  gsize n_axes;
  cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1), *problems = g_new (gsize, n_axes + 1);

  for (gsize k = 0; k < n_axes; k++)
    if (!of_problem || !cured_result_find_problem (result, k, &problems[k]))
      problems[k] = G_MAXSIZE;
  cured_result_load_column (result, metric, NULL, NULL);
  CURED_EACH_CELL (result, i)
    {
      gboolean is_other = FALSE;
      double value = cured_result_get_state (result, i) == CURED_STATE_OK
                         ? cured_result_get_value (result, i, metric)
                         : NAN;

      if (!isfinite (value) ||
          (best >= 0 && !(better == CURED_BETTER_HIGHER ? value > best_value : value < best_value)))
        continue;
      if (of_problem)
        cured_result_get_positions (result, i, positions);
      for (gsize k = 0; of_problem && k < n_axes; k++)
        is_other |= problems[k] != G_MAXSIZE && positions[k] != problems[k];
      if (!is_other)
        {
          best = i;
          best_value = value;
        }
    }
  return best;
}

/* @metric: index of its metric
 *
 * For a time with varying problem sizes, the best is that of the problem from
 * cured_result_find_problem(), if any of its cells has a value.
 * Returns: the ok cell with the best value (the least one if the metric has no better end), or
 *   -1 */
gint64
cured_result_find_best (CuredResult *result, gsize metric)
{
  const CuredMetricInfo *info = &cured_result_get_metrics (result, NULL)[metric];
  gint64 best = find_best (result, metric, cured_metric_get_scope (info) == CURED_SCOPE_PROBLEM);

  return best >= 0 ? best : find_best (result, metric, FALSE);
}
