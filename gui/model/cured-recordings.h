/* SPDX-License-Identifier: MIT
 * The recorded samples that come with Cured. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *cured_recordings_get_folder (void);
GHashTable *cured_recordings_read (void);

G_END_DECLS
