/* SPDX-License-Identifier: MIT
 * What the files of a runner share. */
#pragma once

#include "run/cured-runner-internal.h"
#include "run/cured-search-internal.h"

/* How many cells the recent pace is taken over. */
#define PACE_CELLS 32

G_STATIC_ASSERT (CURED_PLAN_MAX_CELLS <= G_MAXUINT32);

typedef struct
{
  CuredRunner *runner; /* (transfer none): joins its threads before it goes */
  CuredDevice *device;
  guint index;           /* among the seats of the place */
  gsize place;           /* of the plan */
  gint64 number;         /* of the device in the file */
  gint64 anchored_us;    /* when its anchor was measured last; 0: never */
  guint n_prepared;      /* cells to do below this one were announced */
  GHashTable *announced; /* (element-type gint64): cells of a search */
  GHashTable *measured;  /* (element-type guint): cells, by its process */
  guint n_measured;      /* cells to do below this one are such */
  gboolean is_worn;      /* it needs another process */
  guint n_unwritten;     /* records: with the lock held */
  guint n_deaths;        /* in a row */
  GError *error;         /* (nullable): why it ended early */
} Seat;

/* A cell to measure once. */
typedef struct
{
  guint32 cell;
  guint16 n_missing;   /* rounds that it lacks, as far as is known */
  guint16 round;       /* of this run, from 0 */
  gboolean is_further; /* the file has earlier rounds of it, which stay */
  gboolean is_alike;   /* of these, hot times that are the cold ones */
  gboolean is_counted; /* this run has measured it before */
} Work;

/* What there is to do for one sort of device. A cell that lacks rounds goes to the end, so that its
 * rounds are spread over the run, and a process measures a cell once: a round is what one process
 * says of a cell. A device that has measured all that is left gets a fresh process. Several devices
 * measure what another one has measured before, and need few. */
typedef struct
{
  GArray *todo;   /* (element-type Work): in the plan's order */
  guint position; /* in @todo, of the next cell */
  guint n_in_flight, n_seats;
  gboolean is_searched; /* of a search: all but further rounds is known */
  gint64 anchor;        /* the cell that is measured again; -1: none */
} Place;

/* What was measured, on its way to the file. */
typedef struct
{
  Work work;
  Seat *seat;            /* NULL: nothing more comes */
  CuredOutcome *outcome; /* nullable */
  gint64 wall_us;
} Record;

struct _CuredRunner
{
  GObject parent_instance;

  /* Constant while it runs. */
  CuredPlan *plan;
  CuredStore *store;
  CuredSearch *search;     /* (nullable) (transfer none): with the lock held */
  GArray *chosen;          /* (nullable) (element-type gint64): to run again */
  GArray *part;            /* (nullable) (element-type gint64): no others */
  GPtrArray *ranges;       /* (nullable) (element-type CuredRange): to show */
  GArray *order;           /* (nullable) (element-type gint64): the plan's cells */
  double anchor_s;         /* between two anchors; 0: none are measured */
  GPtrArray *seats;        /* (element-type Seat) */
  guint n_rounds;          /* of every cell; 0: what each needs */
  CuredOptions options[3]; /* of a first round, of a further one, and of such without hot times */
  GMainContext *context;
  GWeakRef *weak_self; /* made where the runner can't be going away */
  GThread *thread;
  GCancellable *cancellable; /* of the cells in flight */
  GAsyncQueue *records;      /* (element-type Record): to be written */

  GMutex lock;
  GCond changed;
  gboolean is_running; /* from start to the `finished` signal */
  gboolean is_cancelled;
  gboolean is_stopping; /* no further cell is begun */
  gboolean is_paused;
  gint64 shown; /* the cell that @ranges are of; -1: the first that runs */
  Place *places;
  gsize n_places;
  GError *error; /* (nullable): what stops the run */
  CuredProgress progress;
  gint64 began_us;
  gint64 ended_us;            /* 0: not yet */
  double pace_ns[PACE_CELLS]; /* a ring of the last cells' wall times */
  gint64 n_paced;
  double sum_ns;
  GHashTable *missing; /* (element-type gint64 guint): rounds that cells which a
                        * search has visited lack */
};

void _cured_runner_assign_seats (CuredRunner *self);
void _cured_runner_choose_rounds (CuredRunner *self);
gboolean _cured_runner_list_cells (CuredRunner *self, GError **error);
gboolean _cured_runner_is_complete (CuredRunner *self);
