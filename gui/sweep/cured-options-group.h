/* SPDX-License-Identifier: MIT
 * How cells are measured, as it is being chosen: a row for each option. */
#pragma once

#include <adwaita.h>

#include "cured.h"

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
