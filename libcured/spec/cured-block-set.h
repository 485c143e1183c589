/* SPDX-License-Identifier: MIT
 * Subsets of the blocks of a grid. */
#pragma once

#include <glib.h>

gboolean cured_block_set_check (const char *text, GError **error);
