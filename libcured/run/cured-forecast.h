/* SPDX-License-Identifier: MIT
 * Predicted times of a plan's cells, for those that have to choose. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device-info.h"
#include "plan/cured-plan.h"

/* The most cells that are predicted ahead of a run: of more, the predictions would take longer than
 * what they save. */
#define CURED_FORECAST_MAX_CELLS 8192

/* What the cells of a plan would take, by the machine facts of their devices. Immutable. */
typedef struct _CuredForecast CuredForecast;

/**
 * CuredForecastProgressFunc:
 * @n_done: cells that were predicted, or can't be
 * @n_cells: all of them
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
