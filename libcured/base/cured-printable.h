/* SPDX-License-Identifier: MIT
 * Text that a terminal takes for nothing but text. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void cured_append_printable (GString *text, const char *more, gsize length);

G_END_DECLS
