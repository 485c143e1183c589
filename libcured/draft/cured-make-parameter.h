/* SPDX-License-Identifier: MIT
 * Makes a parameter of a constant in a kernel file. */
#pragma once

#include <glib.h>

char *cured_make_parameter (const char *source, int line, char **name, GError **error);
