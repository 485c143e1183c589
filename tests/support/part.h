/* SPDX-License-Identifier: MIT
 * Long tests in parts: what the quick tier runs of them, and shards of the rest. */
#pragma once

#include <glib.h>

void part_init (int *argc, char **argv);
gboolean part_has_case (guint nth);
gboolean part_has_cell (gboolean is_quick);
gboolean part_is_whole (void);
