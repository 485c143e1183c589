/* SPDX-License-Identifier: MIT
 * The table of every figure that a cell can carry. */
#include "config.h"

#include "base/cured-metric-internal.h"

#include <glib/gi18n-lib.h>

static const CuredMetricInfo metrics[] = {
#define CURED_METRIC_ROW(id, unit, origin, better, title, description)                             \
  { #id, unit, CURED_ORIGIN_##origin, CURED_BETTER_##better, title, description },
  CURED_METRICS (CURED_METRIC_ROW)
#undef CURED_METRIC_ROW
};

/* Of what is computed from other figures; names of a kernel file's keys stand as they are written
 * there. */
#define PIPE_SLOTS                                                                                 \
  N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")

/* clang-format off */
static const char *const formulas[CURED_N_METRICS] = {
  [CURED_METRIC_time] = N_ ("median of the cold samples − event overhead"),
  [CURED_METRIC_time_mean] = N_ ("sum of the cold samples ÷ their number"),
  [CURED_METRIC_time_spread] = N_ ("(third quartile − first quartile) ÷ median"),
  [CURED_METRIC_time_between] = N_ ("standard deviation of the rounds' medians ÷ time"),
  [CURED_METRIC_time_hot_between] = N_ ("standard deviation of the rounds' medians ÷ time"),
  [CURED_METRIC_time_hot] = N_ ("median over batches of (span of the batch ÷ runs in it)"),
  [CURED_METRIC_time_hot_spread] = N_ ("(third quartile − first quartile) ÷ median"),
  [CURED_METRIC_bandwidth] = N_ ("Bytes ÷ time"),
  [CURED_METRIC_flop_rate] = N_ ("Flops ÷ time"),
  [CURED_METRIC_of_ceiling] = N_ ("bandwidth or arithmetic rate ÷ the device's measured limit"),
  [CURED_METRIC_cycles] = N_ ("median of the clock's differences ÷ Per"),
  [CURED_METRIC_excess_wavefronts] = N_ ("wavefronts − wavefronts of the same accesses without conflicts"),
  [CURED_METRIC_sectors_per_request] = N_ ("global sectors ÷ accesses of warps to global memory"),
  [CURED_METRIC_flops_per_load] = N_ ("floating-point operations ÷ elements loaded from global memory"),
  [CURED_METRIC_lanes_active] = N_ ("lanes that took part ÷ (32 × instructions)"),
  [CURED_METRIC_l1_hit_rate] = N_ ("sectors that the first cache has ÷ sectors that it is asked for"),
  [CURED_METRIC_l2_sectors] = N_ ("sectors read + sectors written + sectors of atomic operations"),
  [CURED_METRIC_l2_hit_rate] = N_ ("L2 sectors that need nothing from memory ÷ L2 sectors"),
  [CURED_METRIC_dram_bytes] = N_ ("bytes read + bytes written"),
  [CURED_METRIC_slots_fp32] = PIPE_SLOTS,
  [CURED_METRIC_slots_imad] = PIPE_SLOTS,
  [CURED_METRIC_slots_alu] = PIPE_SLOTS,
  [CURED_METRIC_slots_half] = PIPE_SLOTS,
  [CURED_METRIC_slots_fp64] = PIPE_SLOTS,
  [CURED_METRIC_slots_mufu] = PIPE_SLOTS,
  [CURED_METRIC_slots_lsu] = PIPE_SLOTS,
  [CURED_METRIC_slots_tensor] = PIPE_SLOTS,
  [CURED_METRIC_slots_control] = PIPE_SLOTS,
  [CURED_METRIC_limiter] = N_ ("the resource with the highest share of what the chip's rate allows"),
  [CURED_METRIC_waves] = N_ ("blocks ÷ (blocks per multiprocessor × multiprocessors)"),
  [CURED_METRIC_tail] = N_ ("1 − waves ÷ waves rounded up"),
  [CURED_METRIC_limiter_share] = N_ ("work ÷ (rate × time), the greatest"),
  [CURED_METRIC_limiter_next] = N_ ("the resource of the second greatest work ÷ (rate × time)"),
  [CURED_METRIC_limiter_next_share] = N_ ("work ÷ (rate × time), the second greatest"),
  [CURED_METRIC_sampled_excess] = N_ ("wavefronts − wavefronts without a conflict, scaled up to all blocks"),
  [CURED_METRIC_occupancy] = N_ ("resident warps ÷ the maximum that a multiprocessor holds"),
};
/* clang-format on */

/**
 * cured_metric_get_formula:
 * @id: a metric's id; it may be one that this version does not know
 *
 * Returns: (transfer none) (nullable): how the figure is computed,
 *   untranslated; %NULL where there is nothing to compute
 */
const char *
cured_metric_get_formula (const char *id)
{
  CuredMetric metric;

  return cured_metric_from_id (id, &metric) ? formulas[metric] : NULL;
}

/**
 * cured_metric_info:
 * @metric: a metric
 *
 * Returns: (transfer none): its row of the table
 */
const CuredMetricInfo *
cured_metric_info (CuredMetric metric)
{
  g_return_val_if_fail ((guint) metric < CURED_N_METRICS, NULL);
  return &metrics[metric];
}

/**
 * cured_metric_is_timed:
 * @metric: a metric
 *
 * Returns: whether the figure needs a device's clock, at first or second hand;
 *   the others are the same every time, and the emulator has them
 */
gboolean
cured_metric_is_timed (CuredMetric metric)
{
  /* ORDER: the table begins with them. */
  return metric <= CURED_METRIC_throttled || metric == CURED_METRIC_compile_time;
}

/**
 * cured_metric_from_id:
 * @id: an id, as files and the protocol write it
 * @metric: (out): the metric
 *
 * Returns: FALSE for an unknown id; @metric is then unchanged
 */
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

/**
 * cured_origin_to_string:
 * @origin: where a figure comes from
 *
 * Returns: (transfer none): "measured", "counted", "derived" or "predicted", as
 *   files have it
 */
const char *
cured_origin_to_string (CuredOrigin origin)
{
  switch (origin)
    {
    case CURED_ORIGIN_MEASURED:
      return "measured";
    case CURED_ORIGIN_COUNTED:
      return "counted";
    case CURED_ORIGIN_DERIVED:
      return "derived";
    case CURED_ORIGIN_PREDICTED:
      return "predicted";
    default:
      g_return_val_if_reached (NULL);
    }
}
