/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "run/cured-search.h"

void cured_search_add (CuredSearch *self, gint64 cell, double value, double low, double high);
gboolean cured_search_next (CuredSearch *self, gint64 *cell);
gboolean cured_search_peek (CuredSearch *self, guint ahead, gint64 *cell);
