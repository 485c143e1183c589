/* SPDX-License-Identifier: MIT
 * Preferences: the folder of results, devices, colours, digits. */
#pragma once

#include <adwaita.h>

#define CURED_TYPE_PREFERENCES (cured_preferences_get_type ())
G_DECLARE_FINAL_TYPE (CuredPreferences, cured_preferences, CURED, PREFERENCES, AdwPreferencesWindow)

/* Of a figure in the window, where nothing else is set. */
#define CURED_DIGITS 3

CuredPreferences *cured_preferences_new (GtkWindow *parent);
