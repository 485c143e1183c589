/* SPDX-License-Identifier: MIT
 * The settings that the application remembers between runs. */
#pragma once

#include <gio/gio.h>

GSettings *cured_settings_get (void);

char *cured_settings_get_string (const char *key);
void cured_settings_set_string (const char *key, const char *value);
gboolean cured_settings_get_boolean (const char *key, gboolean fallback);
void cured_settings_set_boolean (const char *key, gboolean value);
int cured_settings_get_int (const char *key, int fallback);
void cured_settings_set_int (const char *key, int value);
gboolean cured_settings_get_toggle (const char *name, gboolean fallback);
gboolean cured_settings_find_toggle (const char *name, gboolean *value);
void cured_settings_set_toggle (const char *name, gboolean value);
