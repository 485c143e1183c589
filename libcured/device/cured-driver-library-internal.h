/* SPDX-License-Identifier: MIT
 * The driver's libraries, where the loader does not find them by itself. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void *_cured_driver_library_open (const char *name, const char *beside);

G_END_DECLS
