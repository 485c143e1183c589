/* SPDX-License-Identifier: MIT
 * A sweep that runs behind a window: worker, file and result together. */
#pragma once

#include "cured.h"

#define CURED_TYPE_SWEEP (cured_sweep_get_type ())
/* Opens a worker and the file off the main thread, runs, and keeps a #CuredResult up to date.
 * Signals, all on the main thread: `started` once there is a result; `progress` after each cell,
 * and when it is paused or goes on; `finished` (GError *error) in the end: nullable;
 * G_IO_ERROR_CANCELLED after a cancel. */
G_DECLARE_FINAL_TYPE (CuredSweep, cured_sweep, CURED, SWEEP, GObject)

char *cured_sweep_get_folder (void);
char *cured_sweep_propose_path (const char *kernel_id, const char *folder);
CuredSweep *cured_sweep_new (CuredSpec *spec, const char *device_id, const char *path,
                             gboolean overwrite);
CuredSweep *cured_sweep_new_resume (CuredResult *result);
CuredSweep *cured_sweep_new_again (CuredResult *result, const gint64 *cells, gsize n_cells,
                                   const char *path);
void cured_sweep_set_launcher (CuredSweep *self, const char *launcher);
const char *cured_sweep_get_launcher (CuredSweep *self);
CuredKernel *cured_sweep_get_kernel (CuredSweep *self);
gboolean cured_sweep_is_copy (CuredSweep *self);
const char *cured_sweep_get_device_id (CuredSweep *self);
void cured_sweep_start (CuredSweep *self);
void cured_sweep_cancel (CuredSweep *self);
void cured_sweep_set_paused (CuredSweep *self, gboolean is_paused);
gboolean cured_sweep_is_paused (CuredSweep *self);
gboolean cured_sweep_is_active (CuredSweep *self);
gboolean cured_sweep_is_cancelled (CuredSweep *self);
CuredResult *cured_sweep_get_result (CuredSweep *self);
const char *cured_sweep_get_path (CuredSweep *self);
gboolean cured_sweep_get_progress (CuredSweep *self, CuredProgress *progress);
gboolean cured_sweep_get_predicting (CuredSweep *self, gint64 *n_done, gint64 *n_cells);
const char *cured_sweep_get_note (CuredSweep *self);
