/* SPDX-License-Identifier: MIT
 * The dialog for a new sweep, and the bar that shows its progress. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- One parameter of a new sweep, with an entry for its values ---- */

#define CURED_TYPE_AXIS_ROW (cured_axis_row_get_type ())
/* Signals: `changed` when the text changed; `activate` on Enter. */
G_DECLARE_FINAL_TYPE (CuredAxisRow, cured_axis_row, CURED, AXIS_ROW, GtkListBoxRow)

GtkWidget *cured_axis_row_new (const CuredParameter *parameter, const CuredAxis *values);
gboolean cured_axis_row_apply (CuredAxisRow *self, CuredSpec *spec);
void cured_axis_row_set_text (CuredAxisRow *self, const char *text);

/* ---- The available devices, listed as they are found ---- */

#define CURED_TYPE_DEVICE_ITEM (cured_device_item_get_type ())
/* A usable device. Property `name`: its name and id, for display. */
G_DECLARE_FINAL_TYPE (CuredDeviceItem, cured_device_item, CURED, DEVICE_ITEM, GObject)

const char *cured_device_item_get_id (CuredDeviceItem *self);
const CuredDeviceInfo *cured_device_item_get_info (CuredDeviceItem *self);

#define CURED_TYPE_DEVICE_FINDER (cured_device_finder_get_type ())
/* A list model of usable devices (#CuredDeviceItem); a thread searches for them. Properties:
 * `launcher` (string): as cured_launcher_list_devices() takes it, "" for this machine; a new value
 * starts a search; `searching` (boolean, read-only); `usable` (boolean, read-only): whether there
 * is any; `problem` (string, read-only): why devices can't be used, "" if all can. Items are added
 * and removed while `searching` is TRUE. */
G_DECLARE_FINAL_TYPE (CuredDeviceFinder, cured_device_finder, CURED, DEVICE_FINDER, GObject)

void cured_device_finder_search (CuredDeviceFinder *self);
void cured_device_finder_stop (CuredDeviceFinder *self);
void cured_device_finder_set_found (CuredDeviceFinder *self, GPtrArray *found);
void cured_device_finder_set_launcher (CuredDeviceFinder *self, const char *launcher);
const char *cured_device_finder_get_launcher (CuredDeviceFinder *self);
gboolean cured_device_finder_is_searching (CuredDeviceFinder *self);
gboolean cured_device_finder_get_nearest (CuredDeviceFinder *self, const CuredDeviceInfo *like,
                                          guint *position);
gboolean cured_device_finder_get_default (CuredDeviceFinder *self, const char *arch,
                                          const char *model, guint *position);
gboolean cured_device_finder_get_position (CuredDeviceFinder *self, const char *id,
                                           guint *position);

/* ---- Options for measuring, a row each ---- */

#define CURED_TYPE_OPTIONS_GROUP (cured_options_group_get_type ())
/* The table of options as rows. Each option is a property named as in the table, with hyphens: a
 * boolean for a flag, a double in the table's unit for a number, and otherwise the typed text,
 * which may be invalid. Property `emulated` (boolean): whether the device is an emulator, which
 * enables its options. Signal `changed`: any of these changed. The controls have the table's names
 * of their options. */
G_DECLARE_FINAL_TYPE (CuredOptionsGroup, cured_options_group, CURED, OPTIONS_GROUP,
                      AdwPreferencesGroup)

void cured_options_group_set_options (CuredOptionsGroup *self, const CuredOptions *options);
gboolean cured_options_group_read (CuredOptionsGroup *self, CuredOptions *options, GError **error);

/* ---- Chooses the preset that a new sweep starts from ---- */

#define CURED_TYPE_PRESET_ROW (cured_preset_row_get_type ())
/* Chooses, saves, renames and deletes presets of one kernel. Signals: `chosen` (const char *name):
 * another one was chosen, "" being the default sweep; `save` (const char *name): the current
 * settings are to be saved; `deleted` (CuredPreset *preset): cured_presets_save() can restore it.
 * Errors are shown in the enclosing toast overlay. */
G_DECLARE_FINAL_TYPE (CuredPresetRow, cured_preset_row, CURED, PRESET_ROW, AdwActionRow)

void cured_preset_row_set_kernel (CuredPresetRow *self, const char *kernel_id);
void cured_preset_row_show (CuredPresetRow *self, const char *name, const char *origin);
void cured_preset_row_set_changed (CuredPresetRow *self, gboolean is_changed);

/* ---- The bar under a map: progress of a sweep, or an offer to resume one ---- */

#define CURED_TYPE_RUN_BAR (cured_run_bar_get_type ())
G_DECLARE_FINAL_TYPE (CuredRunBar, cured_run_bar, CURED, RUN_BAR, AdwBin)

void cured_run_bar_set_controller (CuredRunBar *self, CuredRunController *controller);

/* ---- A new sweep: kernel, device, parameters and file ---- */

#define CURED_TYPE_SWEEP_DIALOG (cured_sweep_dialog_get_type ())
/* Signals: `ready` (CuredSweep *sweep) when Run was pressed, after which the dialog closes;
 * `counted` whenever the number of cells was computed. */
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
