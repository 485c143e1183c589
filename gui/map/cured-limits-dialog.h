/* SPDX-License-Identifier: MIT
 * Asks where the colours of a map begin and end. */
#pragma once

#include "model/cured-map-view.h"
#include <adwaita.h>

void cured_limits_dialog_show (GtkWidget *beside, CuredMapView *view);
