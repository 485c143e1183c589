/* SPDX-License-Identifier: MIT
 * Which blocks of a grid run, where not all of them do. */
#pragma once

#include <glib.h>

gboolean cured_block_set_check (const char *text, GError **error);
