/* SPDX-License-Identifier: MIT
 * Two results, cell by cell. */
#include "config.h"

#include "store/cured-comparison.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "base/cured-error.h"
#include "base/cured-units.h"

/* A metric of one result: its numbers, and the ends of their confidence
 * intervals where it has them. */
typedef struct
{
  CuredBetter better;
  const double *values;
  const double *low;  /* nullable */
  const double *high; /* nullable, as @low */
} Figures;

/* Where the axes of one result are in the other. */
typedef struct
{
  gsize n_axes;
  gssize *other;     /* axis of the other result; -1: it has none */
  gint64 **position; /* of each value on the other's axis; -1: not there */
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

static gboolean
load_figures (CuredResult *result,
              const char *metric,
              Figures *figures,
              GError **error)
{
  g_autofree char *low_id = g_strconcat (metric, "_low", NULL);
  g_autofree char *high_id = g_strconcat (metric, "_high", NULL);
  gsize index;
  gsize low;
  gsize high;

  if (!cured_result_find_metric (result, metric, &index))
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_NOT_FOUND,
                   _ ("“%s” has no metric “%s”."),
                   cured_result_get_path (result) != NULL
                       ? cured_result_get_path (result)
                       : cured_result_get_kernel_id (result),
                   metric);
      return FALSE;
    }
  if (!cured_result_load_column (result, index, NULL, error))
    return FALSE;
  figures->better = cured_result_get_metrics (result, NULL)[index].better;
  figures->values = cured_result_get_column (result, index);
  figures->low = NULL;
  figures->high = NULL;
  if (!cured_result_find_metric (result, low_id, &low) ||
      !cured_result_find_metric (result, high_id, &high))
    return TRUE;
  if (!cured_result_load_column (result, low, NULL, error) ||
      !cured_result_load_column (result, high, NULL, error))
    return FALSE;
  figures->low = cured_result_get_column (result, low);
  figures->high = cured_result_get_column (result, high);
  return TRUE;
}

/* A parameter that only one of two results has must have been held still. */
static gboolean
check_lone_axes (CuredResult *result,
                 const CuredResultAxis *axes,
                 gsize n_axes,
                 const CuredResultAxis *others,
                 gsize n_others,
                 GError **error)
{
  for (gsize i = 0; i < n_axes; i++)
    if (find_axis (others, n_others, axes[i].name) < 0 &&
        cured_axis_get_length (axes[i].values) > 1)
      {
        g_set_error (error,
                     CURED_ERROR,
                     CURED_ERROR_INVALID,
                     _ ("Only one of the two results has the parameter “%s”, "
                        "and there it has more than one value, so that their "
                        "cells can't be matched."),
                     axes[i].name);
        return FALSE;
      }
  return TRUE;
}

static Mapping *
make_mapping (CuredResult *a, CuredResult *b, GError **error)
{
  g_autoptr (Mapping) mapping = NULL;
  const CuredResultAxis *axes_a;
  const CuredResultAxis *axes_b;
  gsize n_axes_a;
  gsize n_axes_b;

  axes_a = cured_result_get_axes (a, &n_axes_a);
  axes_b = cured_result_get_axes (b, &n_axes_b);
  if (!check_lone_axes (a, axes_a, n_axes_a, axes_b, n_axes_b, error) ||
      !check_lone_axes (b, axes_b, n_axes_b, axes_a, n_axes_a, error))
    return NULL;

  mapping = g_new0 (Mapping, 1);
  mapping->n_axes = n_axes_a;
  mapping->other = g_new0 (gssize, n_axes_a);
  mapping->position = g_new0 (gint64 *, n_axes_a);
  for (gsize i = 0; i < n_axes_a; i++)
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
              cured_axis_find (axes_b[mapping->other[i]].values,
                               cured_axis_get_value (axes_a[i].values, j),
                               &found)
                  ? (gint64) found
                  : -1;
        }
    }
  return g_steal_pointer (&mapping);
}

/* The cell of the other result, or -1. */
static gint64
map_cell (const Mapping *mapping,
          CuredResult *a,
          CuredResult *b,
          gint64 cell,
          gsize *positions_a,
          gsize *positions_b)
{
  cured_result_get_positions (a, cell, positions_a);
  for (gsize i = 0; i < mapping->n_axes; i++)
    {
      if (mapping->other[i] < 0)
        continue;
      if (mapping->position[i][positions_a[i]] < 0)
        return -1;
      positions_b[mapping->other[i]] =
          (gsize) mapping->position[i][positions_a[i]];
    }
  return cured_result_get_cell (b, positions_b);
}

static gboolean
has_interval (const Figures *figures, gint64 cell)
{
  return figures->low != NULL && !isnan (figures->low[cell]) &&
         !isnan (figures->high[cell]);
}

static CuredVerdict
judge (const Figures *a, const Figures *b, const CuredPair *pair)
{
  gboolean is_lower;

  if (isnan (pair->b))
    return CURED_VERDICT_ONLY_A;
  if (isnan (pair->a))
    return CURED_VERDICT_ONLY_B;
  if (pair->a == pair->b || a->better == CURED_BETTER_NEITHER)
    return CURED_VERDICT_SAME;
  if (has_interval (a, pair->cell_a) && has_interval (b, pair->cell_b) &&
      a->low[pair->cell_a] <= b->high[pair->cell_b] &&
      b->low[pair->cell_b] <= a->high[pair->cell_a])
    return CURED_VERDICT_SAME;
  is_lower = pair->b < pair->a;
  return is_lower == (a->better == CURED_BETTER_LOWER) ? CURED_VERDICT_BETTER
                                                       : CURED_VERDICT_WORSE;
}

/* How many times as bad @b is: 1 where nothing was lost. */
static double
loss (const Figures *figures, const CuredPair *pair)
{
  if (pair->verdict != CURED_VERDICT_BETTER &&
      pair->verdict != CURED_VERDICT_WORSE)
    return 1;
  return figures->better == CURED_BETTER_LOWER ? pair->b / pair->a
                                               : pair->a / pair->b;
}

static double
get_significance (const Figures *a, const Figures *b, const CuredPair *pair)
{
  double reach;

  if (isnan (pair->ratio) || !has_interval (a, pair->cell_a) ||
      !has_interval (b, pair->cell_b))
    return CURED_MISSING;
  if (pair->a == pair->b)
    return 0;
  reach = pair->b > pair->a ? (a->high[pair->cell_a] - pair->a) +
                                  (pair->b - b->low[pair->cell_b])
                            : (pair->a - a->low[pair->cell_a]) +
                                  (b->high[pair->cell_b] - pair->b);
  return fabs (pair->b - pair->a) / reach;
}

/* What a geometric mean is made of. */
typedef struct
{
  double logarithms;
  guint n;
} Sum;

static void
add_pair (CuredComparison *self,
          const Figures *a,
          const Figures *b,
          gint64 cell_a,
          gint64 cell_b,
          Sum *sum)
{
  CuredPair pair = {
    .cell_a = cell_a,
    .cell_b = cell_b,
    .a = cell_a >= 0 ? a->values[cell_a] : CURED_MISSING,
    .b = cell_b >= 0 ? b->values[cell_b] : CURED_MISSING,
  };

  if (isnan (pair.a) && isnan (pair.b))
    return;
  pair.ratio = pair.b / pair.a;
  pair.verdict = judge (a, b, &pair);
  pair.significance = get_significance (a, b, &pair);
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

/**
 * cured_comparison_new:
 * @a: a result
 * @b: the one to compare with it
 * @metric: id of the metric to compare
 * @error: set to CURED_ERROR_NOT_FOUND where one has no such metric,
 *   CURED_ERROR_INVALID where their cells can't be matched, or what reading
 *   them says
 *
 * Pairs are in the order of @a's cells, then those that only @b has; cells
 * without a value in either are left out. Of a metric that has no better end
 * nothing is better or worse. The worst ratio counts only cells whose
 * confidence intervals are apart; it is NaN where no cell has both values.
 *
 * Returns: (transfer full) (nullable): the comparison
 */
CuredComparison *
cured_comparison_new (CuredResult *a,
                      CuredResult *b,
                      const char *metric,
                      GError **error)
{
  g_autoptr (CuredComparison) self = NULL;
  g_autoptr (Mapping) mapping = NULL;
  g_autofree gsize *positions_a = NULL;
  g_autofree gsize *positions_b = NULL;
  g_autofree guint8 *is_matched = NULL;
  Figures figures_a;
  Figures figures_b;
  gint64 n_cells_a;
  gint64 n_cells_b;
  gsize n_axes;
  Sum sum = { 0 };

  g_return_val_if_fail (CURED_IS_RESULT (a) && CURED_IS_RESULT (b), NULL);
  g_return_val_if_fail (metric != NULL, NULL);

  if (!load_figures (a, metric, &figures_a, error) ||
      !load_figures (b, metric, &figures_b, error))
    return NULL;
  mapping = make_mapping (a, b, error);
  if (mapping == NULL)
    return NULL;

  self = g_new0 (CuredComparison, 1);
  self->pairs = g_array_new (FALSE, FALSE, sizeof (CuredPair));
  self->worst = CURED_MISSING;
  self->best = CURED_MISSING;
  positions_a = g_new0 (gsize, mapping->n_axes + 1);
  cured_result_get_axes (b, &n_axes);
  positions_b = g_new0 (gsize, n_axes + 1);
  n_cells_a = cured_result_get_n_cells (a);
  n_cells_b = cured_result_get_n_cells (b);
  is_matched = g_malloc0 ((gsize) n_cells_b);

  for (gint64 cell = 0; cell < n_cells_a; cell++)
    {
      gint64 other = map_cell (mapping, a, b, cell, positions_a, positions_b);

      if (other >= 0)
        is_matched[other] = TRUE;
      add_pair (self, &figures_a, &figures_b, cell, other, &sum);
    }
  for (gint64 cell = 0; cell < n_cells_b; cell++)
    if (!is_matched[cell])
      add_pair (self, &figures_a, &figures_b, -1, cell, &sum);
  self->geometric_mean =
      sum.n > 0 ? exp (sum.logarithms / sum.n) : CURED_MISSING;
  return g_steal_pointer (&self);
}

/**
 * cured_verdict_to_string:
 * @verdict: a verdict
 *
 * Returns: (transfer none): "same", "better" …; to be translated
 */
const char *
cured_verdict_to_string (CuredVerdict verdict)
{
  static const char *const words[] = {
    /* Translators: what a cell of file B is to the same cell of file A. */
    N_ ("same"),
    N_ ("better"),
    N_ ("worse"),
    N_ ("only in A"),
    N_ ("only in B")
  };

  g_return_val_if_fail ((guint) verdict < G_N_ELEMENTS (words), "");
  return words[verdict];
}

/* What a pair is worth: a cell that has lost its value, or gained one, before
 * all changes; one that the other never had after them. */
static double
get_size (const CuredPair *pair)
{
  /* Of two zeros there is no ratio, and no change. */
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
  guint index_a = *(const guint *) a;
  guint index_b = *(const guint *) b;
  double size_a = get_size (&pairs[index_a]);
  double size_b = get_size (&pairs[index_b]);

  if (size_a != size_b)
    return size_a < size_b ? 1 : -1;
  return (index_a > index_b) - (index_a < index_b);
}

/**
 * cured_comparison_list_largest:
 * @self: a comparison
 * @n_most: how many are wanted at most; 0: all
 * @significant_only: without pairs that are the same
 * @n_left_out: (out) (optional): pairs that are not listed
 *
 * Sorts pairs by the size of their change: first cells that have a value in one
 * alone though both have the cell, then the largest ratio either way, at last
 * cells that only one has.
 *
 * Returns: (transfer full) (element-type guint): indices of @pairs
 */
GArray *
cured_comparison_list_largest (const CuredComparison *self,
                               guint n_most,
                               gboolean significant_only,
                               guint *n_left_out)
{
  GArray *indices = NULL;

  g_return_val_if_fail (self != NULL, NULL);

  indices = g_array_new (FALSE, FALSE, sizeof (guint));
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

/**
 * cured_comparison_free:
 * @self: (transfer full): a comparison
 */
void
cured_comparison_free (CuredComparison *self)
{
  g_array_unref (self->pairs);
  g_free (self);
}
