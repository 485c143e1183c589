/* SPDX-License-Identifier: MIT
 * Runs a plan on devices into a result file. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device.h"
#include "plan/cured-plan.h"
#include "run/cured-search.h"
#include "store/cured-store.h"

/* A run stops after this many consecutive deaths of workers without a finished cell. A cell that
 * exceeded its time limit counts as finished. */
#define CURED_RUNNER_MAX_DEATHS 5

/* The progress of a run. Times in nanoseconds of wall time. */
typedef struct
{
  gint64 n_cells; /* to run: launchable and not finished before; in a search an upper bound */
  gint64 n_done;
  gint64 n_left;                   /* known remaining measurements: new cells, further rounds */
  gint64 n_measured;               /* measurements of cells in this run */
  guint round;                     /* the current one, from 1 */
  gint64 n_waits;                  /* waits for the clock, summed over the cells */
  gint64 n_throttled;              /* cells with over a tenth of their samples still throttled */
  gint64 n_states[CURED_N_STATES]; /* of the cells done in this run */
  gint64 best_cell;                /* -1: none yet */
  double best_ns;                  /* least `time` of an ok cell; NaN: none yet */
  gint64 elapsed_ns;
  gint64 cells_ns;                 /* cells done, over all devices; no pauses or abandoned cells */
  gint64 eta_ns;                   /* -1: not known yet */
  gint64 stage_ns[CURED_N_STAGES]; /* summed over the devices */
  gint64 start_ns;                 /* starting and replacing workers, summed */
  gint64 store_ns;                 /* waiting for the file */
  guint n_devices;                 /* devices that still run cells */
} CuredProgress;

double cured_progress_get_fraction (const CuredProgress *self);
char *cured_progress_describe (const CuredProgress *self);

#define CURED_TYPE_RUNNER (cured_runner_get_type ())
/* One thread per device takes cells from the plan in order, measures them and appends them to the
 * file: round after round, each in a fresh process, until every cell has the rounds that it needs.
 * Signals are emitted on the thread-default main context of the thread that called
 * cured_runner_start():
 *
 * `cell-finished` (gint64 cell, CuredOutcome *outcome): the cell is on disk; again for each further
 * round, with the outcome of all rounds; `device-failed` (CuredDevice *device, GError *error): the
 * run goes on with the others; `finished` (GError *error): nullable; G_IO_ERROR_CANCELLED after a
 * cancel. */
G_DECLARE_FINAL_TYPE (CuredRunner, cured_runner, CURED, RUNNER, GObject)

CuredRunner *cured_runner_new (CuredPlan *plan, CuredStore *store);
void cured_runner_add_device (CuredRunner *self, CuredDevice *device);
void cured_runner_set_search (CuredRunner *self, CuredSearch *search);
void cured_runner_set_cells (CuredRunner *self, const gint64 *cells, gsize n_cells);
void cured_runner_set_part (CuredRunner *self, const gint64 *cells, gsize n_cells);
void cured_runner_show (CuredRunner *self, GPtrArray *ranges, gint64 cell);
void cured_runner_set_order (CuredRunner *self, const gint64 *cells, gsize n_cells);
void cured_runner_set_anchors (CuredRunner *self, double interval_s);
void cured_runner_start (CuredRunner *self);
void cured_runner_cancel (CuredRunner *self);
void cured_runner_stop (CuredRunner *self);
void cured_runner_set_paused (CuredRunner *self, gboolean paused);
void cured_runner_get_progress (CuredRunner *self, CuredProgress *progress);
gboolean cured_runner_run (CuredRunner *self, GCancellable *cancellable, GError **error);
