/* SPDX-License-Identifier: MIT
 * The table of metrics of a cell. */
#include "base/cured-base-internal.h"

static const CuredMetricInfo metrics[] = {
#define TIMED TRUE
#define SAME  FALSE
#define CURED_METRIC_ROW(id, unit, origin, better, clock, title, description, formula)             \
  { #id, unit, CURED_ORIGIN_##origin, CURED_BETTER_##better, clock, title, description, formula },
  CURED_METRICS (CURED_METRIC_ROW)
#undef CURED_METRIC_ROW
#undef TIMED
#undef SAME
};

/* @id: a metric's id, possibly unknown to this version
 * Returns: (transfer none) (nullable): the formula, untranslated; %NULL if it is not
 *   computed */
const char *
cured_metric_get_formula (const char *id)
{
  CuredMetric metric;

  return cured_metric_from_id (id, &metric) ? metrics[metric].formula : NULL;
}

/* Returns: (transfer none): its row of the table */
const CuredMetricInfo *
cured_metric_info (CuredMetric metric)
{
  g_return_val_if_fail ((guint) metric < CURED_N_METRICS, NULL);
  return &metrics[metric];
}

/* @id: an id, as in files and in the protocol
 * @metric: (out): the metric
 * Returns: FALSE for an unknown id; @metric is then unchanged */
gboolean
cured_metric_from_id (const char *id, CuredMetric *metric)
{
  for (guint i = 0; i < CURED_N_METRICS; i++)
    if (g_str_equal (metrics[i].id, id))
      {
        *metric = (CuredMetric) i;
        return TRUE;
      }
  return FALSE;
}

/* @origin: origin of a figure
 * Returns: (transfer none): "measured", "counted", "derived" or "predicted", as in files */
const char *
cured_origin_to_string (CuredOrigin origin)
{
  static const char *const names[] = { "measured", "counted", "derived", "predicted" };

  g_return_val_if_fail ((guint) origin < G_N_ELEMENTS (names), NULL);
  return names[origin];
}

/* @info: a metric, of the table or of a file
 * Returns: the cells whose figures can be compared */
CuredScope
cured_metric_get_scope (const CuredMetricInfo *info)
{
  static const CuredMetric totals[] = {
    CURED_METRIC_shared_wavefronts, CURED_METRIC_excess_wavefronts, CURED_METRIC_global_sectors,
    CURED_METRIC_global_loads,      CURED_METRIC_instructions,      CURED_METRIC_divergent_branches,
    CURED_METRIC_l2_sectors,        CURED_METRIC_dram_bytes,        CURED_METRIC_findings,
    CURED_METRIC_global_lines,      CURED_METRIC_constant_accesses, CURED_METRIC_atomic_operations,
    CURED_METRIC_sampled_excess,    CURED_METRIC_throttled,         CURED_METRIC_throttle_waits,
  };

  if (info->better == CURED_BETTER_NEITHER || g_str_has_prefix (info->id, "slots_"))
    return CURED_SCOPE_NONE;
  for (gsize i = 0; i < G_N_ELEMENTS (totals); i++)
    if (g_str_equal (info->id, cured_metric_info (totals[i])->id))
      return CURED_SCOPE_NONE;
  return g_str_equal (info->unit, "ns") ? CURED_SCOPE_PROBLEM : CURED_SCOPE_ALL;
}
