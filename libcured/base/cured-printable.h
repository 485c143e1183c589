/* SPDX-License-Identifier: MIT
 * Makes text safe for terminals. */
#pragma once

#include <glib.h>

void cured_append_printable (GString *text, const char *more, gsize length);
