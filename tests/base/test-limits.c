/* SPDX-License-Identifier: MIT
 * The tables of limits and metrics: every row can be found and is complete. */
#include "cured.h"

#include <string.h>
#include "base/cured-limits-internal.h"
#include "base/cured-metric.h"
#include "test.h"

TEST ("/limits/table")
{
  CuredLimits limits = { 0 };
  gsize n_limits = 0;
  const CuredLimitInfo *rows = cured_limits_list (&n_limits);
  gint64 value = -1;

  g_assert_cmpuint (n_limits, ==, sizeof (CuredLimits) / sizeof (gint64));
  for (gsize i = 0; i < n_limits; i++)
    {
      g_assert_cmpuint (strlen (rows[i].meaning), >, 0);
      g_assert_true (cured_limits_set (&limits, rows[i].name, (gint64) i + 100));
    }
  /* After all were set, so that two rows of one offset would show. */
  for (gsize i = 0; i < n_limits; i++)
    {
      g_assert_true (cured_limits_get (&limits, rows[i].name, &value));
      g_assert_cmpint (value, ==, (gint64) i + 100);
    }
  g_assert_true (cured_limits_get (&limits, "sms", &value));
  g_assert_cmpint (value, ==, limits.sms);

  g_assert_true (cured_limits_is_known ("sms", 1));
  g_assert_false (cured_limits_is_known ("sms", 0));
  g_assert_true (cured_limits_is_known ("compute_minor", 0));
  g_assert_true (cured_limits_is_known ("emulated", 0));
  g_assert_false (cured_limits_get (&limits, "SMS", &value));
  g_assert_false (cured_limits_set (&limits, "", 1));
  g_assert_cmpint (value, ==, limits.sms);
}

TEST ("/metric/table")
{
  static const char *const units[] = { "ns",     "Hz",    "B",     "B/s",    "FLOP/s",
                                       "cycles", "ratio", "limit", "FLOP/B", "" };
  CuredMetric metric = CURED_METRIC_time;

  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      const CuredMetricInfo *info = cured_metric_info ((CuredMetric) i);
      gboolean is_known = FALSE;

      g_assert_true (cured_metric_from_id (info->id, &metric));
      g_assert_cmpint (metric, ==, i);
      for (gsize j = 0; j < G_N_ELEMENTS (units); j++)
        is_known = is_known || g_str_equal (units[j], info->unit);
      g_assert_true (is_known);
      g_assert_cmpuint (strlen (info->title), >, 0);
      g_assert_cmpuint (strlen (info->description), >, 0);
      g_assert_nonnull (cured_origin_to_string (info->origin));
    }
  g_assert_true (cured_metric_info (CURED_METRIC_time)->is_timed);
  g_assert_true (cured_metric_info (CURED_METRIC_time_hot)->is_timed);
  g_assert_true (cured_metric_info (CURED_METRIC_of_ceiling)->is_timed);
  g_assert_true (cured_metric_info (CURED_METRIC_cycles)->is_timed);
  g_assert_true (cured_metric_info (CURED_METRIC_compile_time)->is_timed);
  g_assert_false (cured_metric_info (CURED_METRIC_shared_wavefronts)->is_timed);
  g_assert_false (cured_metric_info (CURED_METRIC_registers)->is_timed);
  g_assert_false (cured_metric_info (CURED_METRIC_occupancy)->is_timed);
  g_assert_false (cured_metric_from_id ("speed", &metric));
  g_assert_cmpint (metric, ==, CURED_N_METRICS - 1);
}
