/* SPDX-License-Identifier: MIT
 * Recorded cells, and what the model says of them. */
#pragma once

#include <cured.h>
#include <stdio.h>

#include "scores.h"

gboolean predicted_init (Score *score, const char *path, const CuredMachine *machine,
                         guint max_cells, gint64 traffic_ms, FILE *table);
