/* SPDX-License-Identifier: MIT
 * Matches the cells of two results. */
#include "study/cured-study-internal.h"

#include "base/cured-base-internal.h"
#include "spec/cured-spec.h"

static gboolean
has_axis (const CuredResultAxis *axes, gsize n_axes, const char *name)
{
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, name))
      return TRUE;
  return FALSE;
}

/* Whether two values of an axis are two problems, according to the kernel file, if the result has a
 * readable one. */
static gboolean
is_problem (CuredResult *result, const CuredResultAxis *axis)
{
  CuredKernel *kernel = cured_result_get_kernel (result);

  if (axis->kind == CURED_PARAMETER_PROBLEM)
    return TRUE;
  if (kernel == NULL)
    return FALSE;
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;
  for (gsize i = 0; i < n_parameters; i++)
    if (g_str_equal (parameters[i].name, axis->name))
      return cured_spec_is_problem (spec, i);
  return FALSE;
}

static char *
describe_result (CuredResult *result)
{
  const char *path = cured_result_get_path (result);

  return path != NULL ? g_filename_display_basename (path)
                      : g_strdup (cured_result_get_kernel_id (result));
}

/* Fills in the parameters that @result has and @other lacks. */
static gboolean
init_side (CuredMatchSide *self, CuredResult *result, CuredResult *other, GError **error)
{
  g_autoptr (GString) held = g_string_new (NULL);
  gsize n_axes, n_others;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredResultAxis *others = cured_result_get_axes (other, &n_others);

  self->over = g_new (gsize, MAX (n_axes, 1));
  for (gsize i = 0; i < n_axes; i++)
    {
      if (has_axis (others, n_others, axes[i].name))
        continue;
      if (cured_axis_get_length (axes[i].values) == 1)
        {
          g_autofree char *value = cured_axis_format_value (axes[i].values, 0);

          g_string_append_printf (held, "%s%s=%s", held->len > 0 ? " " : "", axes[i].name, value);
          continue;
        }
      if (is_problem (result, &axes[i]))
        {
          g_autofree char *name = describe_result (result), *other_name = describe_result (other);

          return cured_fail (
              error,
              CURED_ERROR_INVALID, /* Translators: the names of a file, a parameter and another file. */
              _ ("“%s” has several values of “%s”, which are different problems, and “%s” has no "
                 "such parameter: record the first at one value of it to compare them."),
              name, axes[i].name, other_name);
        }
      self->over[self->n_over++] = i;
    }
  if (held->len > 0)
    self->held = g_string_free (g_steal_pointer (&held), FALSE);
  return TRUE;
}

static gboolean
find_metric (CuredResult *result, const char *metric, gsize *index, GError **error)
{
  if (cured_result_find_metric (result, metric, index))
    return TRUE;
  g_autofree char *name = describe_result (result);
  return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("“%s” has no metric “%s”."), name, metric);
}

/* Chooses the metric that defines the best cell: @metric or, if that has no better end, the first
 * common one that has. */
static gboolean
find_rank (CuredMatch *self, CuredResult *a, CuredResult *b, const char *metric, GError **error)
{
  gsize n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (a, &n_metrics);

  if (!find_metric (a, metric, &self->a.rank, error) ||
      !find_metric (b, metric, &self->b.rank, error))
    return FALSE;
  if (!cured_match_is_best (self) || metrics[self->a.rank].better != CURED_BETTER_NEITHER)
    return TRUE;
  for (gsize i = 0; i < n_metrics; i++)
    if (metrics[i].better != CURED_BETTER_NEITHER && cured_result_has_values (a, i) &&
        cured_result_find_metric (b, metrics[i].id, &self->b.rank) &&
        cured_result_has_values (b, self->b.rank))
      {
        self->a.rank = i;
        return TRUE;
      }
  return cured_fail (
      error, CURED_ERROR_INVALID,
      _ ("The two results have different parameters, and no metric in common that says "
         "which cells of “%s” are the best."),
      metric);
}

/* @b: another
 * @metric: id of the metric that is compared
 * @error: set to CURED_ERROR_NOT_FOUND if one has no such metric, and to
 *   CURED_ERROR_INVALID if only one has a problem size with several values, or no metric
 *   defines the best cells
 *
 * Without a common parameter, the best cells of both match.
 * Returns: (transfer full) (nullable): the matching of their cells */
CuredMatch *
cured_match_new (CuredResult *a, CuredResult *b, const char *metric, GError **error)
{
  g_autoptr (CuredMatch) self = g_new0 (CuredMatch, 1);
  g_autoptr (GStrvBuilder) shared = g_strv_builder_new ();
  gsize n_axes, n_others;

  g_return_val_if_fail (CURED_IS_RESULT (a) && CURED_IS_RESULT (b) && metric != NULL, NULL);

  const CuredResultAxis *axes = cured_result_get_axes (a, &n_axes);
  const CuredResultAxis *others = cured_result_get_axes (b, &n_others);
  for (gsize i = 0; i < n_axes; i++)
    if (has_axis (others, n_others, axes[i].name))
      g_strv_builder_add (shared, axes[i].name);
  self->shared = g_strv_builder_end (shared);
  if (!init_side (&self->a, a, b, error) || !init_side (&self->b, b, a, error) ||
      !find_rank (self, a, b, metric, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* @self: (transfer full): a matching */
CURED_DEFINE_FREE (CuredMatch, cured_match_free, shared, g_strfreev, a.over, g_free, a.held, g_free,
                   b.over, g_free, b.held, g_free)

/* @axis: the number of one of its axes
 * Returns: whether two values of the axis are two problems, whose best cells are
 *   unrelated */
gboolean
cured_match_is_problem (CuredResult *result, gsize axis)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  g_return_val_if_fail (axis < n_axes, FALSE);
  return is_problem (result, &axes[axis]);
}

/* @self: a matching
 * Returns: whether cells of one of them are chosen among several; FALSE: every cell matches at most
 *   one */
gboolean
cured_match_is_best (const CuredMatch *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->a.n_over > 0 || self->b.n_over > 0;
}

/* Of cells without a figure, one that ran is preferred. */
static gboolean
has_run (CuredState state)
{
  return state != CURED_STATE_NOT_RUN && state != CURED_STATE_NOT_LAUNCHABLE;
}

/* @side: the result's side of the matching
 * @positions: (inout): a position on each axis; on the axes over which the best is chosen, set to
 *   the best
 *
 * Takes time proportional to the number of choices. Cells that are not ok are only chosen if all
 * are: then one that ran.
 * Returns: the best cell */
gint64
cured_match_find_cell (const CuredMatchSide *side, CuredResult *result, gsize *positions)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  const guint8 *states = cured_result_get_states (result);
  double best_value = NAN;
  gint64 best = -1, failed = -1;
  gsize i;

  if (side->n_over == 0)
    return cured_result_get_cell (result, positions);
  cured_result_load_column (result, side->rank, NULL, NULL);
  gboolean is_higher =
      cured_result_get_metrics (result, NULL)[side->rank].better == CURED_BETTER_HIGHER;
  for (i = 0; i < side->n_over; i++)
    positions[side->over[i]] = 0;
  do
    {
      gint64 cell = cured_result_get_cell (result, positions);

      double value =
          states[cell] == CURED_STATE_OK ? cured_result_get_value (result, cell, side->rank) : NAN;

      if (isnan (value))
        {
          if (failed < 0 ||
              (has_run ((CuredState) states[cell]) && !has_run ((CuredState) states[failed])))
            failed = cell;
        }
      else if (best < 0 || (is_higher ? value > best_value : value < best_value))
        {
          best = cell;
          best_value = value;
        }
      for (i = side->n_over; i > 0; i--)
        {
          gsize axis = side->over[i - 1];

          if (++positions[axis] < cured_axis_get_length (axes[axis].values))
            break;
          positions[axis] = 0;
        }
    }
  while (i > 0);
  return best >= 0 ? best : failed;
}

/* @axis: an axis of one result
 * @index: index of a value on it
 * @other: the axis of the same parameter in the other
 * @position: (out): index of the same value on it
 * Returns: FALSE if it lacks the value */
gboolean
cured_match_find_value (const CuredAxis *axis, gsize index, const CuredAxis *other, gsize *position)
{
  gint64 value = cured_axis_get_value (axis, index);
  const char *name = cured_axis_get_name (axis, value);
  gboolean is_there = cured_axis_find (other, value, position);

  if (name == NULL || !cured_axis_is_named (other))
    return is_there;
  if (is_there && g_strcmp0 (cured_axis_get_name (other, value), name) == 0)
    return TRUE;
  for (gsize i = 0; i < cured_axis_get_length (other); i++)
    if (g_strcmp0 (cured_axis_get_name (other, cured_axis_get_value (other, i)), name) == 0)
      {
        *position = i;
        return TRUE;
      }
  return FALSE;
}
