/* SPDX-License-Identifier: MIT
 * A new sweep: which kernel, where, over what, into which file. */
#pragma once

#include <adwaita.h>

#include "model/cured-sweep.h"

#define CURED_TYPE_SWEEP_DIALOG (cured_sweep_dialog_get_type ())
/* Signals: `ready` (CuredSweep *sweep) when Run was pressed, after which the dialog closes;
 * `counted` whenever the number of cells is known anew. */
G_DECLARE_FINAL_TYPE (CuredSweepDialog, cured_sweep_dialog, CURED, SWEEP_DIALOG, AdwWindow)

CuredSweepDialog *cured_sweep_dialog_new (GtkWindow *parent);
void cured_sweep_dialog_choose_kernel (CuredSweepDialog *self, const char *id_or_path);
void cured_sweep_dialog_set_kernel (CuredSweepDialog *self, CuredKernel *kernel);
void cured_sweep_dialog_set_spec (CuredSweepDialog *self, CuredSpec *spec, const char *origin);
void cured_sweep_dialog_choose_preset (CuredSweepDialog *self, const char *name);
void cured_sweep_dialog_set_device (CuredSweepDialog *self, const char *id, const char *launcher);
void cured_sweep_dialog_set_example (CuredSweepDialog *self, CuredResult *example);
void cured_sweep_dialog_set_devices (CuredSweepDialog *self, GPtrArray *devices);
void cured_sweep_dialog_set_axis (CuredSweepDialog *self, const char *parameter, const char *text);
void cured_sweep_dialog_set_path (CuredSweepDialog *self, const char *path);
const char *cured_sweep_dialog_get_status (CuredSweepDialog *self);
gboolean cured_sweep_dialog_run (CuredSweepDialog *self);
