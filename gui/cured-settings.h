/* SPDX-License-Identifier: MIT
 * What the window remembers between two runs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *cured_settings_get_string (const char *key);
void cured_settings_set_string (const char *key, const char *value);
int cured_settings_get_int (const char *key, int fallback);
void cured_settings_set_int (const char *key, int value);

G_END_DECLS
