/* SPDX-License-Identifier: MIT
 * Fat binaries: the PTX in them. */
#pragma once

#include <glib.h>

/* The variable that replaces a chip's reserved shared memory. */
#define CURED_EXEC_RESERVED "cured_reserved"

char *_cured_exec_image_get_ptx (const guint8 *data, gsize size, int arch, int *target,
                                 GError **error);
