/* SPDX-License-Identifier: MIT
 * The kernels that come with Cured, and the user's own files. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

char **cured_catalogue_list (void);
CuredKernel *cured_catalogue_get (const char *id, GError **error);
CuredKernel *cured_catalogue_load (const char *id_or_path, GError **error);
