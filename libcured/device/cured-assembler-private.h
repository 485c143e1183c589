/* SPDX-License-Identifier: MIT
 * Assembles PTX to machine code. */
#pragma once

#include <glib.h>

GBytes *_cured_assemble (const char *ptx, const char *name, const char *arch, const char *folder,
                         char **log, GError **error);
