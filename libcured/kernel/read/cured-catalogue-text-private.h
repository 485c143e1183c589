/* SPDX-License-Identifier: MIT
 * The texts of the kernel files that are compiled into the library. */
#pragma once

#include <glib.h>

char **_cured_catalogue_list (void);
char *_cured_catalogue_load_text (const char *id, GError **error);
