/* SPDX-License-Identifier: MIT
 * Devices that measure whole cells in another process. */
#pragma once

#include "device/cured-device-internal.h"
#include "kernel/program/cured-program.h"
#include "measure/cured-compare.h"
#include "measure/cured-excerpt.h"
#include "measure/cured-measure.h"
#include "measure/cured-outcome.h"
#include "measure/cured-rounds.h"
#include "measure/cured-sampler.h"
#include "measure/cured-stop-rule.h"

/* A device that measures whole cells, in another process. */
typedef struct
{
  CuredDeviceClass parent; /* its @launch is %NULL */
  /* as cured_measure(); one thread at a time for one device */
  gboolean (*measure) (CuredDevice *self, const CuredJob *job, CuredOutcome *outcome,
                       GCancellable *cancellable, GError **error);
  /* as cured_prepare(); never blocks for long */
  void (*prepare) (CuredDevice *self, const CuredJob *job);
  /* announces a renewal; never blocks for long */
  void (*foresee) (CuredDevice *self);
  /* ends the process, so that a fresh one measures the next cell */
  void (*renew) (CuredDevice *self);
} CuredCellClass;

CuredSources *_cured_workbench_get_sources (const CuredKernel *kernel, const CuredOptions *options,
                                            GError **error);
gboolean cured_device_can_renew (CuredDevice *device);
void cured_device_foresee_renewal (CuredDevice *device);
void cured_device_renew (CuredDevice *device);
gboolean cured_job_load_reference (const CuredJob *job, CuredKernel **reference, GError **error);
GPtrArray *cured_inspect (CuredDevice *device, const CuredJob *job, GError **error);
void cured_job_enter_stage (const CuredJob *job, CuredStage stage);

/* ---- Compare ---- */

gboolean cured_is_poison (const void *element, gsize size);
char *cured_buffer_element_to_text (const CuredBuffer *buffer, const void *data, gint64 index);
guint64 cured_compare_buffer (const CuredBuffer *buffer, gint64 length, const void *got,
                              const void *expected, double tolerance, double relative,
                              GPtrArray *mismatches);
guint64 cured_compare (CuredElement type, gint64 length, const void *got, const void *expected,
                       double tolerance, double relative, const char *buffer,
                       GPtrArray *mismatches);

/* ---- Excerpt ---- */

void cured_range_clip (const CuredRange *self, gint64 length, gint64 *first, gint64 *count);
CuredExcerpt *cured_excerpt_new (const CuredProgramBuffer *buffer, gint64 first, gint64 count,
                                 const void *before, const void *after);

/* ---- Outcome ---- */

const char *cured_stage_get_title (CuredStage stage);
void cured_outcome_fill_times (CuredOutcome *self);
void cured_outcome_add_round (CuredOutcome *self, const CuredOutcome *earlier);
guint cured_outcome_get_missing_rounds (const CuredOutcome *self, guint n_wanted);
void cured_outcome_fill_work (CuredOutcome *self);
void cured_outcome_set_state (CuredOutcome *self, CuredState state, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
const char *cured_stage_to_string (CuredStage stage);

/* ---- Rounds ---- */

void cured_rounds_judge (CuredRounds *self, const double *medians, const double *errors, guint n);
double cured_rounds_widen (double median, double low, double high);
guint cured_rounds_get_least (double time_ns);
guint cured_rounds_get_wanted (guint n, double time_ns, double between);

/* ---- Sampler ---- */

/* A run of this length is a valid sample, whatever its purpose, and warms up for all that follow:
 * the effect of the caches' state is far under a percent. */
#define CURED_SLOW_NS 10e6

gboolean cured_sampler_take (CuredDevice *device, CuredModule *module, const CuredProgram *program,
                             const CuredDevicePtr *bindings, CuredTimingMode mode,
                             const CuredSamples *cold, const CuredOptions *options,
                             const CuredSpan *first, CuredSamples **samples,
                             GCancellable *cancellable, GError **error);
const char *cured_timing_mode_to_string (CuredTimingMode mode);
CuredSamples *cured_samples_new (CuredTimingMode mode, guint runs);
void cured_samples_add_round (CuredSamples *self, const CuredSamples *earlier);
CuredSamples *cured_samples_as (const CuredSamples *self, CuredTimingMode mode);
gboolean cured_samples_agree (const CuredSamples *cold, const CuredSamples *hot);
guint cured_samples_count_throttled (const CuredSamples *self);

/* ---- Stop rule ---- */

CuredStop cured_stop_rule_add (CuredStopRule *self, double sample_ns, double seconds_so_far);
double _cured_rounds_get_expected (double time_ns);
double _cured_rounds_get_slack (double time_ns);
void _cured_stop_rule_expect_rounds (CuredStopRule *self);
CuredStopRule *cured_stop_rule_new (guint min_samples, guint max_samples, double max_seconds,
                                    double precision);
