/* SPDX-License-Identifier: MIT
 * The importance of a sweep's parameters, by a functional analysis of variance. */
#include "study/cured-importance.h"

#include "base/cured-base-internal.h"

/* Fewer cells show nothing. */
#define LEAST_CELLS 3

/* Rounding error of a variance, relative to the mean's square. */
#define ROUNDING 1e-24

/* Cells with the same value of a parameter. */
typedef struct
{
  double sum;
  gint64 n;
} Group;

/* The values of the cells, by the number of the cell; NaN: none. Logarithms if all are positive, so
 * that a parameter which halves the time has the same effect at all values of the others. */
static double *
collect (CuredResult *result, gsize metric, CuredImportance *self)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  double *values = g_new (double, MAX (n_cells, 1));

  self->is_logarithmic = TRUE;
  for (gint64 cell = 0; cell < n_cells; cell++)
    {
      values[cell] = cured_result_get_state (result, cell) == CURED_STATE_OK
                         ? cured_result_get_value (result, cell, metric)
                         : NAN;
      self->n_cells += !isnan (values[cell]);
      self->is_logarithmic = self->is_logarithmic && !(values[cell] <= 0);
    }
  for (gint64 cell = 0; cell < n_cells && self->is_logarithmic; cell++)
    values[cell] = log (values[cell]);
  return values;
}

/* The sum of squares around the mean. */
static double
sum_squares (const double *values, gint64 n_cells, double *mean)
{
  double sum = 0;
  gint64 n = 0;

  for (gint64 cell = 0; cell < n_cells; cell++)
    if (!isnan (values[cell]))
      {
        sum += values[cell];
        n++;
      }
  *mean = sum / (double) n;
  sum = 0;
  for (gint64 cell = 0; cell < n_cells; cell++)
    if (!isnan (values[cell]))
      sum += (values[cell] - *mean) * (values[cell] - *mean);
  return sum;
}

/* The sum of squares between a parameter's values: of their means around the mean of all. */
static double
sum_between (const Group *groups, gsize n_groups, double mean)
{
  double sum = 0;

  for (gsize i = 0; i < n_groups; i++)
    if (groups[i].n > 0)
      {
        double distance = groups[i].sum / (double) groups[i].n - mean;

        sum += (double) groups[i].n * distance * distance;
      }
  return sum;
}

/* (transfer full) (element-type GArray): of each axis, a Group for each of its values */
static GPtrArray *
group (CuredResult *result, const double *values)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (gsize i = 0; i < n_axes; i++)
    {
      GArray *groups = g_array_new (FALSE, TRUE, sizeof (Group));

      g_array_set_size (groups, (guint) cured_axis_get_length (axes[i].values));
      g_ptr_array_add (all, groups);
    }
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    {
      if (isnan (values[cell]))
        continue;
      cured_result_get_positions (result, cell, positions);
      for (gsize i = 0; i < n_axes; i++)
        {
          Group *own = &g_array_index ((GArray *) all->pdata[i], Group, positions[i]);

          own->sum += values[cell];
          own->n++;
        }
    }
  return all;
}

static int
compare_shares (const void *a, const void *b)
{
  const CuredParameterShare *first = a, *second = b;

  return first->share != second->share
             ? (first->share < second->share ? 1 : -1)
             : (first->axis > second->axis) - (first->axis < second->axis);
}

/* @metric: index of a metric of the result
 *
 * Computes the share of the variance over the sweep that each parameter explains by itself: the
 * variance of the means of its values over all cells with a figure. In a full sweep, these are the
 * main effects of the functional analysis of variance, and the rest is due to interactions. If
 * cells are missing, shares overlap, and there may be no rest.
 * Returns: (transfer full) (nullable): the shares; %NULL if fewer than three cells have a value, no
 *   parameter has two values, or nothing varies */
CuredImportance *
cured_importance_new (CuredResult *result, gsize metric)
{
  g_autoptr (CuredImportance) self = g_new0 (CuredImportance, 1);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  gint64 n_cells = cured_result_get_n_cells (result);
  double mean;

  if (!cured_result_load_column (result, metric, NULL, NULL))
    return NULL;
  g_autofree double *values = collect (result, metric, self);
  if (self->n_cells < LEAST_CELLS)
    return NULL;
  double all = sum_squares (values, n_cells, &mean);
  /* Equal values differ from their mean by rounding. */
  if (!(all > ROUNDING * (double) self->n_cells * mean * mean) || !isfinite (all))
    return NULL;
  g_autoptr (GPtrArray) groups = group (result, values);
  self->parameters = g_new0 (CuredParameterShare, n_axes + 1);
  self->together = 1;
  for (gsize i = 0; i < n_axes; i++)
    {
      if (cured_axis_get_length (axes[i].values) < 2)
        continue;
      const GArray *own = groups->pdata[i];
      CuredParameterShare share = {
        .axis = i,
        .share = MIN (sum_between ((const Group *) (gpointer) own->data, own->len, mean) / all, 1),
      };
      self->together -= share.share;
      self->parameters[self->n_parameters++] = share;
    }
  self->together = CLAMP (self->together, 0, 1);
  qsort (self->parameters, self->n_parameters, sizeof *self->parameters, compare_shares);
  return self->n_parameters > 0 ? g_steal_pointer (&self) : NULL;
}

/* @result: its result
 * Returns: (transfer full): a sentence on the most important parameter */
char *
cured_importance_describe (const CuredImportance *self, CuredResult *result)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  const CuredParameterShare *most = &self->parameters[0];
  g_autofree char *share = cured_format_quantity (most->share, "ratio");
  g_autofree char *together = cured_format_quantity (self->together, "ratio");

  if (self->together > most->share)
    /* Translators: a percentage. */
    return g_strdup_printf (
        _ ("Parameters interact: %s of the variance comes from their combinations."), together);
  /* Translators: a parameter's name, and a percentage. */
  return g_strdup_printf (_ ("%s matters most: it explains %s of the variance by itself."),
                          axes[most->axis].name, share);
}

/* @self: (nullable) (transfer full): shares */
CURED_DEFINE_FREE (CuredImportance, cured_importance_free, parameters, g_free)
