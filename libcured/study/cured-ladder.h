/* SPDX-License-Identifier: MIT
 * The steps of a family beside its peers and the device's limit. */
#pragma once

#include <gio/gio.h>

#include "explain/cured-explain-cell.h"
#include "kernel/cured-kernel.h"
#include "store/cured-result.h"

/* A cell of a recording. */
typedef struct
{
  gint64 number;  /* of the recording's cell */
  gsize problem;  /* index of a problem of the ladder */
  gint64 *values; /* one per parameter of the step's kernel, in the kernel's order */
  char *where;    /* its parameters except problem sizes: "block=512 loads=4" */
  double metrics[CURED_N_METRICS]; /* one per #CuredMetric; NaN: none */
} CuredLadderCell;

/* A kernel of the family. */
typedef struct
{
  CuredKernel *kernel; /* as recorded, if the file is the user's own */
  char *path;          /* (nullable): the recording; NULL: there is none */
  char *device;        /* (nullable): the device of the recording */
  gboolean is_own;     /* the recording is one of the user's own files */
  /* (element-type CuredLadderCell): the fastest cell of each problem that was recorded */
  GPtrArray *best;
  /* (element-type CuredLadderCell): the cell at the kernel's defaults, likewise */
  GPtrArray *standard;
} CuredLadderStep;

/* The time of a vendor's library for the same work. */
typedef struct
{
  char *name;    /* "CUB" */
  gsize problem; /* index of a problem of the ladder */
  double time;   /* ns: the median of the recorded rounds */
  double rate;   /* in bytes or operations per second, as the ladder's rate */
} CuredLadderPeer;

/* Immutable, reference-counted; may be used by any thread. */
typedef struct
{
  char *family;     /* its name */
  char *device;     /* (nullable): the device of all recordings; NULL: there are none */
  GPtrArray *steps; /* (element-type CuredLadderStep): in order */
  /* (array zero-terminated=1): recorded sizes, those with most steps first: "n=4096" */
  GStrv problems;
  guint *n_steps;
  GPtrArray *peers; /* (element-type CuredLadderPeer): known peers of the family */
  /* %CURED_METRIC_bandwidth or %CURED_METRIC_flop_rate, as the family's kernels name their limit */
  CuredMetric rate;
  /* the device's measured limit of @rate, from the newest recording; NaN: unknown */
  double limit;
  const char *limit_name; /* (nullable): name of @limit: "read limit" */
  /* (element-type filename): the user's own files that have no times of a step of the family */
  GPtrArray *left_out;
  guint n_foreign; /* steps that were only recorded on another device */
} CuredLadder;

/* A step of the ladder at one problem. */
typedef struct
{
  const CuredLadderStep *step;     /* the step */
  const CuredLadderCell *cell;     /* (nullable): its fastest cell; NULL: it was not recorded */
  const CuredLadderCell *standard; /* (nullable): at its defaults, at the problem of @cell */
  /* @cell is of another problem, or of another amount of work: @time is scaled by its
   * rate */
  gboolean is_scaled;
  double time;          /* ns */
  double standard_time; /* likewise, of @standard; NaN: not recorded */
  double rate;          /* bytes or operations per second */
  double of_limit;      /* @rate over the limit measured with it; NaN: unknown */
  /* the limit of @cell, a value of the metric `limiter`; -1: unknown before
   * cured_ladder_view_explain() */
  int limiter;
  double limiter_share; /* the share of the busiest resource; NaN: not known */
} CuredRung;

/* A ladder at one problem.
 *
 * Immutable but for cured_ladder_view_explain(); keeps the ladder alive. */
typedef struct
{
  CuredLadder *ladder; /* its ladder */
  gsize problem;       /* index of the problem */
  GArray *rungs;       /* (element-type CuredRung): one per step */
  GPtrArray *peers;    /* (element-type CuredLadderPeer): of exactly this problem */
  double work;         /* bytes or operations of the problem; NaN: unknown */
  double limit_time;   /* ns that the work takes at the limit; NaN: not known */
  guint n_recorded;    /* steps with a time */
  guint n_scaled;      /* steps of another problem */
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

/* The emulator's counts of two steps at one small problem. */
typedef struct
{
  char *problem;                  /* the problem: "n=512" */
  double before[CURED_N_METRICS]; /* one per #CuredMetric; NaN: none */
  double after[CURED_N_METRICS];  /* likewise */
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
