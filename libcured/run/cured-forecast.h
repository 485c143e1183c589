/* SPDX-License-Identifier: MIT
 * Predicted times of a plan's cells, to order them and to guide searches. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device-info.h"
#include "plan/cured-plan.h"

/* Limit of cells predicted ahead of a run; predicting more would take longer than it
 * saves. */
#define CURED_FORECAST_MAX_CELLS 8192

/* Predicted times of a plan's cells, by the machine facts of their devices. Immutable. */
typedef struct _CuredForecast CuredForecast;

/* *
 * CuredForecastProgressFunc:
 * @n_done: cells that were predicted, or can't be predicted
 * @n_cells: total number of cells
 *
 * Called with a lock held, from any thread. */
typedef void (*CuredForecastProgressFunc) (gint64 n_done, gint64 n_cells, gpointer user_data);

CuredForecast *cured_forecast_new (CuredPlan *plan, const CuredDeviceInfo *const *devices,
                                   gsize n_devices, CuredForecastProgressFunc func,
                                   gpointer user_data, GCancellable *cancellable, GError **error);
void cured_forecast_free (CuredForecast *self);
const double *cured_forecast_get_times (const CuredForecast *self);
char *cured_forecast_describe (const CuredForecast *self);
gint64 *cured_forecast_order (const CuredForecast *self, gsize *n_cells);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredForecast, cured_forecast_free)
