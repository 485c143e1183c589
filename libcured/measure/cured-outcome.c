/* SPDX-License-Identifier: MIT
 * The outcome of one cell. */
#include "measure/cured-measure-internal.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdarg.h>

#include "base/cured-own.h"
#include "base/cured-units.h"

/* ORDER: as CuredState. Words for files and the protocol; for people, there is
 * cured_state_get_title(). */
static const char *const state_names[CURED_N_STATES] = {
  "not run", "ok", "wrong", "failed", "crashed", "timed out", "not launchable",
};

/* ORDER: as CuredStage. */
static const char *const stage_names[CURED_N_STAGES] = {
  "compile",
  "prepare",
  "check",
  "time",
};

/* Returns: (transfer none): "not run", "ok", "wrong", "failed", "crashed", "timed out" or "not
 *   launchable"; untranslated */
const char *
cured_state_to_string (CuredState state)
{
  g_return_val_if_fail ((guint) state < CURED_N_STATES, NULL);
  return state_names[state];
}

/* @state: the state of a cell
 *
 * Names a state for people; for files, use cured_state_to_string().
 * Returns: (transfer none): a translated text */
const char *
cured_state_get_title (CuredState state)
{
  static const char *const titles[CURED_N_STATES] = {
    [CURED_STATE_NOT_RUN] = N_ ("not run"),
    [CURED_STATE_OK] = N_ ("ok"),
    [CURED_STATE_WRONG] = N_ ("wrong result"),
    [CURED_STATE_FAILED] = N_ ("failed"),
    [CURED_STATE_CRASHED] = N_ ("crashed"),
    [CURED_STATE_TIMED_OUT] = N_ ("timed out"),
    [CURED_STATE_NOT_LAUNCHABLE] = N_ ("not launchable"),
  };

  g_return_val_if_fail ((guint) state < CURED_N_STATES, "");
  return _ (titles[state]);
}

/* Returns: (transfer none): "compile", "prepare", "check" or "time"; untranslated */
const char *
cured_stage_to_string (CuredStage stage)
{
  g_return_val_if_fail ((guint) stage < CURED_N_STAGES, NULL);
  return stage_names[stage];
}

/* Returns: (transfer none): as cured_stage_to_string(), for people; translated */
const char *
cured_stage_get_title (CuredStage stage)
{
  static const char *const titles[CURED_N_STAGES] = {
    [CURED_STAGE_COMPILE] = NC_ ("stage of a cell", "compile"),
    [CURED_STAGE_PREPARE] = NC_ ("stage of a cell", "prepare"),
    [CURED_STAGE_CHECK] = NC_ ("stage of a cell", "check"),
    [CURED_STAGE_TIME] = NC_ ("stage of a cell", "time"),
  };

  g_return_val_if_fail ((guint) stage < CURED_N_STAGES, NULL);
  return g_dpgettext2 (GETTEXT_PACKAGE, "stage of a cell", titles[stage]);
}

/* Metrics that need a right result that was timed. */
static const CuredMetric time_metrics[] = {
  CURED_METRIC_time,
  CURED_METRIC_time_low,
  CURED_METRIC_time_high,
  CURED_METRIC_time_min,
  CURED_METRIC_time_mean,
  CURED_METRIC_time_p75,
  CURED_METRIC_time_p90,
  CURED_METRIC_time_p99,
  CURED_METRIC_time_spread,
  CURED_METRIC_time_samples,
  CURED_METRIC_rounds,
  CURED_METRIC_time_between,
  CURED_METRIC_time_hot,
  CURED_METRIC_time_hot_low,
  CURED_METRIC_time_hot_high,
  CURED_METRIC_time_hot_spread,
  CURED_METRIC_time_hot_samples,
  CURED_METRIC_time_hot_between,
  CURED_METRIC_bandwidth,
  CURED_METRIC_flop_rate,
  CURED_METRIC_time_per_element,
  CURED_METRIC_of_ceiling,
  CURED_METRIC_cycles,
  CURED_METRIC_sm_clock,
  CURED_METRIC_sm_clock_hot,
  CURED_METRIC_throttled,
  CURED_METRIC_throttle_waits,
};

static void
clear_times (CuredOutcome *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (time_metrics); i++)
    self->metrics[time_metrics[i]] = CURED_MISSING;
}

/* Returns: (transfer full): an outcome that is not run, without metrics */
CuredOutcome *
cured_outcome_new (void)
{
  CuredOutcome *self = g_new0 (CuredOutcome, 1);

  self->state = CURED_STATE_NOT_RUN;
  for (int i = 0; i < CURED_N_METRICS; i++)
    self->metrics[i] = CURED_MISSING;
  self->mismatches = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_mismatch_free);
  self->findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  return self;
}

/* @self: (nullable): an outcome
 *
 * Frees it with all that it owns. */
CURED_DEFINE_FREE (CuredOutcome, cured_outcome_free, reason, g_free, cold, cured_samples_free, hot,
                   cured_samples_free, mismatches, g_ptr_array_unref, findings, g_ptr_array_unref,
                   output, g_free, finished, g_date_time_unref, work, cured_workload_unref,
                   excerpts, g_ptr_array_unref)

/* @self: an outcome, with or without @work
 *
 * Sets the metrics that are sums over its launches. */
void
cured_outcome_fill_work (CuredOutcome *self)
{
  double *metrics = self->metrics;
  CuredWork total;

  if (self->work == NULL)
    return;
  cured_workload_get_total (self->work, &total);
  metrics[CURED_METRIC_slots_fp32] = total.fp32;
  metrics[CURED_METRIC_slots_imad] = total.imad;
  metrics[CURED_METRIC_slots_alu] = total.alu;
  metrics[CURED_METRIC_slots_half] = total.half;
  metrics[CURED_METRIC_slots_fp64] = total.fp64;
  metrics[CURED_METRIC_slots_mufu] = total.mufu;
  metrics[CURED_METRIC_slots_lsu] = total.lsu;
  metrics[CURED_METRIC_slots_tensor] = total.tensor;
  metrics[CURED_METRIC_slots_control] = total.control;
  metrics[CURED_METRIC_global_lines] = total.lines;
  metrics[CURED_METRIC_constant_accesses] = total.constants;
  metrics[CURED_METRIC_atomic_operations] = total.atomics;
  metrics[CURED_METRIC_atomic_addresses] = total.addresses;
}

/* @state: the new state
 * @format: (nullable): the reason, a printf format; NULL: none
 *
 * Replaces state and reason. A state other than CURED_STATE_OK drops samples and everything derived
 * from them: a wrong cell has no time, even if it was measured before. */
void
cured_outcome_set_state (CuredOutcome *self, CuredState state, const char *format, ...)
{
  g_return_if_fail (self != NULL && (guint) state < CURED_N_STATES);

  self->state = state;
  g_clear_pointer (&self->reason, g_free);
  if (format != NULL)
    {
      va_list arguments;

      va_start (arguments, format);
      self->reason = g_strdup_vprintf (format, arguments);
      va_end (arguments);
    }
  if (state != CURED_STATE_OK)
    {
      g_clear_pointer (&self->cold, cured_samples_free);
      g_clear_pointer (&self->hot, cured_samples_free);
      clear_times (self);
    }
}

static double
median_clock (const CuredSamples *samples)
{
  g_autofree double *clocks = g_new (double, MAX (samples->samples->len, 1));
  CuredStatistics statistics;
  gsize n_clocks = 0;

  for (guint i = 0; i < samples->samples->len; i++)
    {
      double clock_hz = g_array_index (samples->samples, CuredSample, i).sm_clock_hz;

      if (!isnan (clock_hz))
        clocks[n_clocks++] = clock_hz;
    }
  cured_statistics_init (&statistics, clocks, n_clocks);
  return statistics.median;
}

/* Recomputes the statistics of its samples, and the metrics that come from samples alone: times,
 * spreads, numbers of samples, the clock and the throttled ones. Rates need the kernel file's
 * formulas and are not changed. The metrics of a mode without samples become missing. */
void
cured_outcome_fill_times (CuredOutcome *self)
{
  g_return_if_fail (self != NULL);

  double *metrics = self->metrics;
  if (self->cold != NULL && self->cold->samples->len > 0)
    {
      const CuredStatistics *cold = &self->cold->statistics;

      cured_samples_update (self->cold);
      metrics[CURED_METRIC_time] = cold->median;
      metrics[CURED_METRIC_time_low] = cold->low;
      metrics[CURED_METRIC_time_high] = cold->high;
      metrics[CURED_METRIC_time_min] = cold->min;
      metrics[CURED_METRIC_time_mean] = cold->mean;
      metrics[CURED_METRIC_time_p75] = cold->q3;
      metrics[CURED_METRIC_time_p90] = cold->p90;
      metrics[CURED_METRIC_time_p99] = cold->p99;
      metrics[CURED_METRIC_time_spread] = (cold->q3 - cold->q1) / cold->median;
      metrics[CURED_METRIC_time_samples] = (double) cold->n;
      metrics[CURED_METRIC_sm_clock] = median_clock (self->cold);
      metrics[CURED_METRIC_throttled] = cured_samples_count_throttled (self->cold);
      metrics[CURED_METRIC_time_between] = self->cold->rounds.between;
    }
  if (self->hot != NULL && self->hot->samples->len > 0)
    {
      const CuredStatistics *hot = &self->hot->statistics;

      cured_samples_update (self->hot);
      metrics[CURED_METRIC_time_hot] = hot->median;
      metrics[CURED_METRIC_time_hot_low] = hot->low;
      metrics[CURED_METRIC_time_hot_high] = hot->high;
      metrics[CURED_METRIC_time_hot_spread] = (hot->q3 - hot->q1) / hot->median;
      metrics[CURED_METRIC_time_hot_samples] = (double) hot->n;
      metrics[CURED_METRIC_time_hot_between] = self->hot->rounds.between;
      metrics[CURED_METRIC_sm_clock_hot] = median_clock (self->hot);
    }
  guint n_rounds = MAX (self->cold != NULL ? self->cold->rounds.n : 0,
                        self->hot != NULL ? self->hot->rounds.n : 0);
  guint n_waits =
      (self->cold != NULL ? self->cold->n_waits : 0) + (self->hot != NULL ? self->hot->n_waits : 0);
  if (n_rounds > 0)
    metrics[CURED_METRIC_rounds] = n_rounds;
  if (n_waits > 0)
    metrics[CURED_METRIC_throttle_waits] = n_waits;
}

/* Metrics that are a constant divided by the time. */
static const CuredMetric rates[] = {
  CURED_METRIC_bandwidth,
  CURED_METRIC_flop_rate,
  CURED_METRIC_of_ceiling,
};

/* @self: a fresh process's outcome of a cell that is ok
 * @earlier: the outcome of previous rounds
 *
 * Makes @self the outcome of all rounds: it gets the samples of @earlier, and the metrics of both;
 * those derived from samples are recomputed. If only cold samples were taken, because hot ones
 * would be the same, they count as both. */
void
cured_outcome_add_round (CuredOutcome *self, const CuredOutcome *earlier)
{
  g_return_if_fail (self != NULL && self->state == CURED_STATE_OK && earlier != NULL);

  double *metrics = self->metrics, earlier_ns = earlier->metrics[CURED_METRIC_time];
  double n_waits = fmax (earlier->metrics[CURED_METRIC_throttle_waits], 0) +
                   fmax (metrics[CURED_METRIC_throttle_waits], 0);
  for (int i = 0; i < CURED_N_METRICS; i++)
    if (!isnan (earlier->metrics[i]))
      metrics[i] = earlier->metrics[i];
  if (self->hot == NULL && self->cold != NULL && earlier->hot != NULL)
    self->hot = cured_samples_as (self->cold, CURED_TIMING_HOT);
  if (self->cold != NULL)
    cured_samples_add_round (self->cold, earlier->cold);
  if (self->hot != NULL)
    cured_samples_add_round (self->hot, earlier->hot);
  cured_outcome_fill_times (self);
  if (n_waits > 0)
    metrics[CURED_METRIC_throttle_waits] = n_waits;
  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++)
    metrics[rates[i]] *= earlier_ns / metrics[CURED_METRIC_time];
  metrics[CURED_METRIC_time_per_element] *= metrics[CURED_METRIC_time] / earlier_ns;
  for (int i = 0; i < CURED_N_STAGES; i++)
    self->stage_ns[i] += earlier->stage_ns[i];
  g_free (self->output);
  self->output = g_strdup (earlier->output);
}

/* @self: an outcome, of which only the metrics are used
 * @n_wanted: rounds for every cell; 0: as many as each needs for intervals that hold between
 *   processes
 * Returns: number of rounds that the cell lacks: at least one if it was not run, none if it is not
 *   ok, or was not timed by Cured */
guint
cured_outcome_get_missing_rounds (const CuredOutcome *self, guint n_wanted)
{
  const double *metrics = self->metrics;

  if (self->state == CURED_STATE_NOT_RUN)
    return MAX (n_wanted, 1);
  if (self->state != CURED_STATE_OK ||
      (isnan (metrics[CURED_METRIC_time]) && isnan (metrics[CURED_METRIC_time_hot])))
    return 0;
  /* Files that predate rounds have one. */
  guint n = isnan (metrics[CURED_METRIC_rounds])
                ? 1
                : (guint) CLAMP (metrics[CURED_METRIC_rounds], 1, G_MAXINT);
  if (n_wanted == 0)
    n_wanted = MAX (
        cured_rounds_get_wanted (n, metrics[CURED_METRIC_time], metrics[CURED_METRIC_time_between]),
        cured_rounds_get_wanted (n, metrics[CURED_METRIC_time_hot],
                                 metrics[CURED_METRIC_time_hot_between]));
  return n_wanted > n ? n_wanted - n : 0;
}
