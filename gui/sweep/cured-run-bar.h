/* SPDX-License-Identifier: MIT
 * The bar under a map: progress of a sweep, or an offer to resume one. */
#pragma once

#include <adwaita.h>

#include "model/cured-run-controller.h"

#define CURED_TYPE_RUN_BAR (cured_run_bar_get_type ())
G_DECLARE_FINAL_TYPE (CuredRunBar, cured_run_bar, CURED, RUN_BAR, AdwBin)

void cured_run_bar_set_controller (CuredRunBar *self, CuredRunController *controller);
