/* SPDX-License-Identifier: MIT
 * A part of a plan, for one of several independent runs. */
#pragma once

#include <glib.h>

#include "plan/cured-plan.h"

/* Limit of a plan's parts. */
#define CURED_SHARD_MAX 1000000

gboolean cured_shard_parse (const char *text, int *shard, int *n_shards, GError **error);
gint64 *cured_shard_cells (CuredPlan *plan, const CuredLimits *const *limits, int shard,
                           int n_shards, gsize *n_cells);
