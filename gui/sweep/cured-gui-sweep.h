/* SPDX-License-Identifier: MIT
 * What a sweep is asked for with, and shows as it runs. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- One parameter of a new sweep: its values, as they are being typed ---- */

#define CURED_TYPE_AXIS_ROW (cured_axis_row_get_type ())
/* Signals: `changed` when the text changed; `activate` on Enter. */
G_DECLARE_FINAL_TYPE (CuredAxisRow, cured_axis_row, CURED, AXIS_ROW, GtkListBoxRow)

GtkWidget *cured_axis_row_new (const CuredParameter *parameter, const CuredAxis *values);
gboolean cured_axis_row_apply (CuredAxisRow *self, CuredSpec *spec);
void cured_axis_row_set_text (CuredAxisRow *self, const char *text);

/* ---- The devices that there are, as they are found ---- */

#define CURED_TYPE_DEVICE_ITEM (cured_device_item_get_type ())
/* A device that can be used. Property `name`: for people, with its id. */
G_DECLARE_FINAL_TYPE (CuredDeviceItem, cured_device_item, CURED, DEVICE_ITEM, GObject)

const char *cured_device_item_get_id (CuredDeviceItem *self);
const CuredDeviceInfo *cured_device_item_get_info (CuredDeviceItem *self);

#define CURED_TYPE_DEVICE_FINDER (cured_device_finder_get_type ())
/* A list model of the devices that can be used (#CuredDeviceItem), which are looked for in a
 * thread. Properties: `launcher` (string): where, as cured_launcher_list_devices() takes it, ""
 * being this machine; another one begins another search; `searching` (boolean, read-only); `usable`
 * (boolean, read-only): whether there is any; `problem` (string, read-only): why devices can't be
 * used, "" if all can. Items come and go while `searching` is TRUE. */
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

/* ---- How cells are measured, as it is being chosen: a row for each option ---- */

#define CURED_TYPE_OPTIONS_GROUP (cured_options_group_get_type ())
/* The table of options as rows. Each option is a property that is called as the table has it, with
 * hyphens: a boolean of a flag, a double in the table's unit of a number, and of all others the
 * text that is typed, which may be wrong. Property `emulated` (boolean): whether there is an
 * emulator, for the options that are for it alone. Signal `changed`: any of these is another. The
 * controls are named as the table names their options. */
G_DECLARE_FINAL_TYPE (CuredOptionsGroup, cured_options_group, CURED, OPTIONS_GROUP,
                      AdwPreferencesGroup)

void cured_options_group_set_options (CuredOptionsGroup *self, const CuredOptions *options);
gboolean cured_options_group_read (CuredOptionsGroup *self, CuredOptions *options, GError **error);

/* ---- Chooses the saved sweep of a kernel that a new sweep starts from ---- */

#define CURED_TYPE_PRESET_ROW (cured_preset_row_get_type ())
/* Chooses, saves, renames and deletes presets of one kernel. Signals: `chosen` (const char *name):
 * another one was chosen, "" being the default sweep; `save` (const char *name): what is set up is
 * to be saved; `deleted` (CuredPreset *preset): what cured_presets_save() brings back. Failures
 * are shown in the toast overlay around it. */
G_DECLARE_FINAL_TYPE (CuredPresetRow, cured_preset_row, CURED, PRESET_ROW, AdwActionRow)

void cured_preset_row_set_kernel (CuredPresetRow *self, const char *kernel_id);
void cured_preset_row_show (CuredPresetRow *self, const char *name, const char *origin);
void cured_preset_row_set_changed (CuredPresetRow *self, gboolean is_changed);

/* ---- The bar under a map: progress of a sweep, or an offer to resume one ---- */

#define CURED_TYPE_RUN_BAR (cured_run_bar_get_type ())
G_DECLARE_FINAL_TYPE (CuredRunBar, cured_run_bar, CURED, RUN_BAR, AdwBin)

void cured_run_bar_set_controller (CuredRunBar *self, CuredRunController *controller);

/* ---- A new sweep: which kernel, where, over what, into which file ---- */

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
