/* SPDX-License-Identifier: MIT
 * A loop over a range, on all cores. */
#pragma once

#include <gio/gio.h>

/* @begin: first index of a chunk
 * @end: one past its last index
 *
 * Called by several threads at once, for each chunk once. */
typedef void (*CuredParallelFunc) (gint64 begin, gint64 end, gpointer user_data);

gboolean _cured_parallel (gint64 n, gint64 chunk, CuredParallelFunc func, gpointer user_data,
                          GCancellable *cancellable);
