/* SPDX-License-Identifier: MIT
 * A model that predicts a search's unseen cells from those seen. */
#pragma once

#include <glib.h>

typedef struct _CuredSearchModel CuredSearchModel;

CuredSearchModel *_cured_search_model_new (const gsize *lengths, gsize n_axes, const gint64 *cells,
                                           gsize n_cells);
void _cured_search_model_free (CuredSearchModel *self);
void _cured_search_model_see (CuredSearchModel *self, gint64 cell);
gint64 _cured_search_model_get_seen (CuredSearchModel *self, gsize i);
gsize _cured_search_model_count_seen (CuredSearchModel *self);
void _cured_search_model_rate (CuredSearchModel *self, const double *values, double *bounds);
double _cured_search_model_get_gain (const CuredSearchModel *self, gsize cell);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSearchModel, _cured_search_model_free)
