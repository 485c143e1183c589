/* SPDX-License-Identifier: MIT
 * Text that a terminal takes for nothing but text. */
#pragma once

#include <glib.h>

void cured_append_printable (GString *text, const char *more, gsize length);
