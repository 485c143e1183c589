/* SPDX-License-Identifier: MIT
 * The steps of a family beside its peers and the device's limit. */
#pragma once

#include <gio/gio.h>

#include "explain/cured-explain-cell.h"
#include "kernel/cured-kernel.h"
#include "store/cured-result.h"

G_BEGIN_DECLS

/**
 * CuredLadderCell: a cell of a recording.
 * @number: of the recording's cell
 * @problem: index of a problem of the ladder
 * @values: one per parameter of the step's kernel, in the kernel's order
 * @where: its parameters but those of the problem: "block=512 loads=4"
 * @metrics: one a #CuredMetric; NaN where there is none
 */
typedef struct
{
  gint64 number;
  gsize problem;
  gint64 *values;
  char *where;
  double metrics[CURED_N_METRICS];
} CuredLadderCell;

/**
 * CuredLadderStep: a kernel of the family.
 * @kernel: as it was recorded where the file is the user's own
 * @path: (nullable): the recording; NULL: there is none
 * @device: (nullable): what it was recorded on
 * @is_own: the recording is one of those that were asked for by name
 * @best: (element-type CuredLadderCell): the fastest cell of each problem that
 *   was recorded
 * @standard: (element-type CuredLadderCell): the cell at the kernel's defaults,
 *   likewise
 */
typedef struct
{
  CuredKernel *kernel;
  char *path, *device;
  gboolean is_own;
  GPtrArray *best, *standard;
} CuredLadderStep;

/**
 * CuredLadderPeer: what somebody else's library takes for the same work.
 * @name: "CUB"
 * @problem: index of a problem of the ladder
 * @time: ns: the median of the recorded rounds
 * @rate: in bytes or operations per second, as the ladder's rate
 */
typedef struct
{
  char *name;
  gsize problem;
  double time, rate;
} CuredLadderPeer;

/**
 * CuredLadder:
 * @family: its name
 * @device: (nullable): on which all of it was recorded; NULL: nothing was
 * @steps: (element-type CuredLadderStep): in their order
 * @problems: (array zero-terminated=1): sizes that were recorded, those of most
 *   steps first: "n=4096"
 * @peers: (element-type CuredLadderPeer): that are known for the family
 * @rate: %CURED_METRIC_bandwidth or %CURED_METRIC_flop_rate, as the family's
 *   kernels name their limit
 * @limit: the device's own limit of that sort, measured, as of the newest
 *   recording; NaN: not known
 * @limit_name: (nullable): what @limit is: "read limit"
 * @left_out: (element-type filename): the user's own files that are no times of
 *   a step of the family
 * @n_foreign: steps that were recorded on another device alone
 *
 * Immutable, reference-counted; may be used by any thread.
 */
typedef struct
{
  char *family, *device;
  GPtrArray *steps;
  GStrv problems;
  guint *n_steps;
  GPtrArray *peers;
  CuredMetric rate;
  double limit;
  const char *limit_name;
  GPtrArray *left_out;
  guint n_foreign;
} CuredLadder;

/**
 * CuredRung: a step of the ladder at one problem.
 * @step: the step
 * @cell: (nullable): its fastest cell; NULL: it was not recorded
 * @standard: (nullable): at its defaults, at the problem of @cell
 * @is_scaled: @cell is of another problem, or of another amount of work: @time
 *   is what its rate makes of the work of this one
 * @time: ns
 * @standard_time: likewise, of @standard; NaN: not recorded
 * @rate: bytes or operations per second
 * @of_limit: @rate over the limit that was measured with it; NaN: not known
 * @limiter: the limit of @cell, a value of the metric `limiter`; -1: not known, as
 *   long as nobody called cured_ladder_view_explain()
 * @limiter_share: the share of the busiest resource; NaN: not known
 */
typedef struct
{
  const CuredLadderStep *step;
  const CuredLadderCell *cell, *standard;
  gboolean is_scaled;
  double time, standard_time, rate, of_limit;
  int limiter;
  double limiter_share;
} CuredRung;

/**
 * CuredLadderView: a ladder at one problem.
 * @ladder: whose
 * @problem: index of the problem
 * @rungs: (element-type CuredRung): one a step
 * @peers: (element-type CuredLadderPeer): of exactly this problem
 * @work: bytes or operations that the problem takes; NaN: not known
 * @limit_time: ns that the work takes at the limit; NaN: not known
 * @n_recorded: steps that have a figure
 * @n_scaled: steps of another problem
 *
 * Immutable but for cured_ladder_view_explain(); keeps the ladder alive.
 */
typedef struct
{
  CuredLadder *ladder;
  gsize problem;
  GArray *rungs;
  GPtrArray *peers;
  double work, limit_time;
  guint n_recorded, n_scaled;
} CuredLadderView;

char *cured_ladder_find_next (const CuredKernel *kernel);
char **cured_ladder_list_families (void);
char **cured_ladder_list_steps (const char *family);

CuredLadder *cured_ladder_new (const char *family, const char *folder, const char *const *own,
                               GCancellable *cancellable, GError **error);
CuredLadder *cured_ladder_ref (CuredLadder *self);
void cured_ladder_unref (CuredLadder *self);
gboolean cured_ladder_find_problem (const CuredLadder *self, const char *text, gsize *problem,
                                    GError **error);

CuredLadderView *cured_ladder_view_new (CuredLadder *ladder, gsize problem);
void cured_ladder_view_free (CuredLadderView *self);
const CuredRung *cured_ladder_view_get_before (const CuredLadderView *self, guint rung);
double cured_ladder_view_get_factor (const CuredLadderView *self, guint rung, gboolean is_standard);
gboolean cured_ladder_view_explain (CuredLadderView *self, CuredExaminer *examiner,
                                    CuredExplainFunc func, gpointer user_data,
                                    GCancellable *cancellable, GError **error);
gboolean cured_ladder_view_write_json (const CuredLadderView *self, GOutputStream *stream,
                                       GCancellable *cancellable, GError **error);

/**
 * CuredLadderCounts: what the emulator counts of two steps at one small problem.
 * @problem: which: "n=512"
 * @before: one a #CuredMetric; NaN where there is none
 * @after: likewise
 */
typedef struct
{
  char *problem;
  double before[CURED_N_METRICS], after[CURED_N_METRICS];
} CuredLadderCounts;

const CuredMetric *cured_ladder_recorded_metrics (gsize *n_metrics);
const CuredMetric *cured_ladder_counted_metrics (gsize *n_metrics);
CuredLadderCounts *cured_ladder_count (const CuredRung *before, const CuredRung *after,
                                       GCancellable *cancellable, GError **error);
void cured_ladder_counts_free (CuredLadderCounts *self);
char *cured_ladder_get_prose (const CuredKernel *kernel);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredLadder, cured_ladder_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredLadderView, cured_ladder_view_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredLadderCounts, cured_ladder_counts_free)

G_END_DECLS
