/* SPDX-License-Identifier: MIT
 * Outcomes: states, and the figures that come from samples. */
#include "cured.h"

#include <math.h>
#include "measure/cured-measure-internal.h"
#include "test.h"

static CuredSamples *
samples_new (CuredTimingMode mode, const double *times_ns, guint n)
{
  CuredSamples *samples = cured_samples_new (mode, 1);

  for (guint i = 0; i < n; i++)
    {
      CuredSample sample = { times_ns[i], 1.98e9, FALSE };

      g_array_append_val (samples->samples, sample);
    }
  return samples;
}

TEST ("/outcome/names")
{
  g_assert_cmpstr (cured_state_to_string (CURED_STATE_TIMED_OUT), ==, "timed out");
  g_assert_cmpstr (cured_state_to_string (CURED_STATE_NOT_LAUNCHABLE), ==, "not launchable");
  g_assert_cmpstr (cured_stage_to_string (CURED_STAGE_COMPILE), ==, "compile");
  g_assert_cmpstr (cured_stage_to_string (CURED_STAGE_TIME), ==, "time");
}

TEST ("/outcome/new")
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  g_assert_cmpint (outcome->state, ==, CURED_STATE_NOT_RUN);
  g_assert_null (outcome->reason);
  for (int i = 0; i < CURED_N_METRICS; i++)
    g_assert_true (isnan (outcome->metrics[i]));
  g_assert_cmpuint (outcome->mismatches->len, ==, 0);
  for (int i = 0; i < CURED_N_STAGES; i++)
    g_assert_cmpint (outcome->stage_ns[i], ==, 0);
}

TEST ("/outcome/times")
{
  const double cold[] = { 130, 100, 110, 120, 140, 1000 };
  const double hot[] = { 90, 80 };
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  const double *metrics = outcome->metrics;

  /* Nothing from nothing. */
  cured_outcome_fill_times (outcome);
  g_assert_true (isnan (metrics[CURED_METRIC_time]));
  outcome->cold = samples_new (CURED_TIMING_COLD, NULL, 0);
  cured_outcome_fill_times (outcome);
  g_assert_true (isnan (metrics[CURED_METRIC_time]));
  g_assert_true (isnan (metrics[CURED_METRIC_time_samples]));
  cured_samples_free (outcome->cold);

  outcome->cold = samples_new (CURED_TIMING_COLD, cold, G_N_ELEMENTS (cold));
  outcome->hot = samples_new (CURED_TIMING_HOT, hot, G_N_ELEMENTS (hot));
  /* Unknown clocks are left out of the median, not taken as 0. */
  g_array_index (outcome->cold->samples, CuredSample, 0).sm_clock_hz = CURED_MISSING;
  g_array_index (outcome->cold->samples, CuredSample, 5).sm_clock_hz = 1.2e9;
  g_array_index (outcome->cold->samples, CuredSample, 5).throttled = TRUE;
  outcome->metrics[CURED_METRIC_bandwidth] = 5;
  cured_outcome_fill_times (outcome);

  g_assert_cmpfloat (metrics[CURED_METRIC_time], ==, 125);
  g_assert_cmpfloat (metrics[CURED_METRIC_time_low], ==, 100);
  g_assert_cmpfloat (metrics[CURED_METRIC_time_high], ==, 1000);
  g_assert_cmpfloat (metrics[CURED_METRIC_time_min], ==, 100);
  g_assert_cmpfloat_with_epsilon (metrics[CURED_METRIC_time_mean], 1600.0 / 6, 1e-9);
  g_assert_cmpfloat_with_epsilon (metrics[CURED_METRIC_time_spread], 25.0 / 125, 1e-9);
  g_assert_cmpfloat (metrics[CURED_METRIC_time_samples], ==, 6);
  g_assert_cmpfloat (metrics[CURED_METRIC_time_hot], ==, 85);
  g_assert_true (isnan (metrics[CURED_METRIC_time_hot_low]));
  g_assert_cmpfloat (metrics[CURED_METRIC_time_hot_samples], ==, 2);
  g_assert_cmpfloat (metrics[CURED_METRIC_sm_clock], ==, 1.98e9);
  g_assert_cmpfloat (metrics[CURED_METRIC_throttled], ==, 1);
  g_assert_cmpfloat (metrics[CURED_METRIC_bandwidth], ==, 5);
  g_assert_cmpfloat (outcome->cold->statistics.q3, ==, 137.5);
}

/* A cell that is not ok has no time, even where one was measured. */
TEST ("/outcome/state")
{
  const double cold[] = { 100, 110, 120 };
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  outcome->cold = samples_new (CURED_TIMING_COLD, cold, G_N_ELEMENTS (cold));
  outcome->metrics[CURED_METRIC_registers] = 32;
  cured_outcome_fill_times (outcome);
  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_null (outcome->reason);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time], ==, 110);

  cured_outcome_set_state (outcome, CURED_STATE_WRONG, "%d of %s differ", 3, "out");
  g_assert_cmpint (outcome->state, ==, CURED_STATE_WRONG);
  g_assert_cmpstr (outcome->reason, ==, "3 of out differ");
  g_assert_null (outcome->cold);
  g_assert_true (isnan (outcome->metrics[CURED_METRIC_time]));
  g_assert_true (isnan (outcome->metrics[CURED_METRIC_time_samples]));
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_registers], ==, 32);

  cured_outcome_set_state (outcome, CURED_STATE_CRASHED, NULL);
  g_assert_null (outcome->reason);
}
