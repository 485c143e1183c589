/* SPDX-License-Identifier: MIT
 * Writing a result file in one go, for importers. */
#pragma once

#include "store/cured-database-private.h"
#include "store/cured-store.h"

typedef gboolean (*CuredStoreFill) (CuredStore *store, gpointer data, GError **error);

gboolean _cured_store_write (const char *path, const CuredHead *head, gboolean overwrite,
                             CuredStoreFill fill, gpointer data, GError **error);
gboolean _cured_store_add_metric (CuredStore *self, const CuredMetricInfo *metric, gint64 *number,
                                  GError **error);
gboolean _cured_store_set_value (CuredStore *self, gint64 number, gint64 cell, double value,
                                 GError **error);
gboolean _cured_store_set_figure (CuredStore *self, CuredMetric metric, gint64 cell, double value,
                                  GError **error);
gboolean cured_store_append (CuredStore *self, gint64 cell, const CuredOutcome *outcome,
                             GError **error);
gboolean _cured_store_append_from (CuredStore *self, gint64 cell, const CuredOutcome *outcome,
                                   gint64 device, GError **error);
gboolean _cured_store_add_round (CuredStore *self, gint64 cell, CuredOutcome *outcome,
                                 gint64 device, GError **error);
gboolean _cured_store_get_missing_rounds (CuredStore *self, gint64 cell, guint n_wanted,
                                          guint *n_missing, GError **error);
gboolean _cured_store_add_device (CuredStore *self, const CuredDeviceInfo *device, gsize place,
                                  gint64 *number, GError **error);
gboolean _cured_store_add_anchor (CuredStore *self, gint64 device, gint64 cell,
                                  const CuredOutcome *outcome, GError **error);
CuredDatabase *_cured_store_get_database (CuredStore *self);
gboolean _cured_store_write_notes (CuredStore *self, GError **error);
gboolean cured_store_begin_batch (CuredStore *self, GError **error);
gboolean cured_store_end_batch (CuredStore *self, GError **error);
gboolean cured_store_finish (CuredStore *self, GError **error);
CuredState cured_store_get_state (CuredStore *self, gint64 cell);
