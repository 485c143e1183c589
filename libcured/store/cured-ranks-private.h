/* SPDX-License-Identifier: MIT
 * The cells of a sparse result that hold something, by number and by rank. */
#pragma once

#include <glib.h>

/* A bit for each cell, and how many bits are set before each word: a cell's rank among those that
 * are held takes no search. */
typedef struct _CuredRanks CuredRanks;

CuredRanks *_cured_ranks_new (const guint8 *states, gint64 n_cells);
gint64 _cured_ranks_find (const CuredRanks *self, gint64 cell);
gint64 _cured_ranks_next (const CuredRanks *self, gint64 cell);
void _cured_ranks_free (CuredRanks *self);
