/* SPDX-License-Identifier: MIT
 * Types and functions that the files of the runner share. */
#pragma once

#include "run/cured-runner-internal.h"
#include "run/cured-search-internal.h"

/* Number of cells that define the recent pace. */
#define PACE_CELLS 32

G_STATIC_ASSERT (CURED_PLAN_MAX_CELLS <= G_MAXUINT32);

typedef struct
{
  CuredRunner *runner; /* (transfer none): joins this thread before it is freed */
  CuredDevice *device;
  guint index;           /* index among the seats of the place */
  gsize place;           /* index of a place of the plan */
  gint64 number;         /* of the device in the file */
  gint64 anchored_us;    /* time of the last measurement of its anchor; 0: never */
  guint n_prepared;      /* todo cells below this index were announced */
  GHashTable *announced; /* (element-type gint64): announced cells of a search */
  GHashTable *measured;  /* (element-type guint): cells that its process measured */
  guint n_measured;      /* todo cells below this index are among them */
  gboolean is_worn;      /* it needs a fresh process */
  guint n_unwritten;     /* records not yet in the file; guarded by the lock */
  guint n_deaths;        /* consecutive deaths of its process */
  GError *error;         /* (nullable): why it ended early */
} Seat;

/* One measurement of a cell. */
typedef struct
{
  guint32 cell;
  guint16 n_missing;   /* rounds that it lacks, as far as is known */
  guint16 round;       /* of this run, from 0 */
  gboolean is_further; /* the file has previous rounds of it, to be kept */
  gboolean is_alike;   /* in these, hot and cold times are the same */
  gboolean is_counted; /* this run has measured it before */
} Work;

/* The work for one kind of device. A cell that lacks rounds goes to the end, so that its rounds are
 * spread over the run. A round is one process's measurement, so a process measures a cell only
 * once; a device that has measured all remaining cells gets a fresh process. With several devices,
 * each can measure cells of another one, so few fresh processes are needed. */
typedef struct
{
  GArray *todo;   /* (element-type Work): in the plan's order */
  guint position; /* index of the next cell in @todo */
  guint n_in_flight, n_seats;
  gboolean is_searched; /* of a search: only further rounds are left */
  gint64 anchor;        /* the anchor cell, which is measured repeatedly; -1: none */
} Place;

/* A measurement, queued for writing to the file. */
typedef struct
{
  Work work;
  Seat *seat;            /* NULL: end of the queue */
  CuredOutcome *outcome; /* nullable */
  gint64 wall_us;
} Record;

struct _CuredRunner
{
  GObject parent_instance;

  /* Constant while it runs. */
  CuredPlan *plan;
  CuredStore *store;
  CuredSearch *search;     /* (nullable) (transfer none): guarded by the lock */
  GArray *chosen;          /* (nullable) (element-type gint64): cells to run again */
  GArray *part;            /* (nullable) (element-type gint64): only these cells */
  GPtrArray *ranges;       /* (nullable) (element-type CuredRange): excerpts to show */
  GArray *order;           /* (nullable) (element-type gint64): order of the plan's cells */
  double anchor_s;         /* seconds between two measurements of the anchor; 0: none */
  GPtrArray *seats;        /* (element-type Seat) */
  guint n_rounds;          /* rounds of every cell; 0: as many as each needs */
  CuredOptions options[3]; /* for first rounds, further ones, and further ones without hot times */
  GMainContext *context;
  GWeakRef *weak_self; /* created while the runner can't be finalized */
  GThread *thread;
  GCancellable *cancellable; /* for the cells in flight */
  GAsyncQueue *records;      /* (element-type Record): to be written */

  GMutex lock;
  GCond changed;
  gboolean is_running; /* from start to the `finished` signal */
  gboolean is_cancelled;
  gboolean is_stopping; /* no further cell is begun */
  gboolean is_paused;
  gint64 shown; /* the cell of @ranges; -1: the first that runs */
  Place *places;
  gsize n_places;
  GError *error; /* (nullable): the error that stops the run */
  CuredProgress progress;
  gint64 began_us;
  gint64 ended_us;            /* 0: not yet */
  double pace_ns[PACE_CELLS]; /* a ring of the last cells' wall times */
  gint64 n_paced;
  double sum_ns;
  GHashTable *missing; /* (element-type gint64 guint): missing rounds of visited cells */
};

void _cured_runner_assign_seats (CuredRunner *self);
void _cured_runner_choose_rounds (CuredRunner *self);
gboolean _cured_runner_list_cells (CuredRunner *self, GError **error);
gboolean _cured_runner_is_complete (CuredRunner *self);
