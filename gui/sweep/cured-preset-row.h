/* SPDX-License-Identifier: MIT
 * Chooses the saved sweep of a kernel that a new sweep starts from. */
#pragma once

#include <adwaita.h>

#include "cured.h"

#define CURED_TYPE_PRESET_ROW (cured_preset_row_get_type ())
/* Chooses, saves, renames and deletes presets of one kernel. Signals: `chosen` (const char *name):
 * another one was chosen, "" being the default sweep; `save` (const char *name): what is set up is
 * to be saved; `deleted` (CuredPreset *preset): what cured_presets_save() brings back. What fails
 * is told in the toast overlay around it. */
G_DECLARE_FINAL_TYPE (CuredPresetRow, cured_preset_row, CURED, PRESET_ROW, AdwActionRow)

void cured_preset_row_set_kernel (CuredPresetRow *self, const char *kernel_id);
void cured_preset_row_show (CuredPresetRow *self, const char *name, const char *origin);
void cured_preset_row_set_changed (CuredPresetRow *self, gboolean is_changed);
