/* SPDX-License-Identifier: MIT
 * The non-empty cells of a sparse result, by number and by rank. */
#pragma once

#include <glib.h>

/* A bit for each cell, and the number of bits before each word, so that a cell's rank among the
 * non-empty ones is found without a search. */
typedef struct _CuredRanks CuredRanks;

CuredRanks *_cured_ranks_new (const guint8 *states, gint64 n_cells);
gint64 _cured_ranks_find (const CuredRanks *self, gint64 cell);
gint64 _cured_ranks_next (const CuredRanks *self, gint64 cell);
void _cured_ranks_free (CuredRanks *self);
