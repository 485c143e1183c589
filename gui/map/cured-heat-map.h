/* SPDX-License-Identifier: MIT
 * The heat map on screen: zoom, pan, pointer and keyboard cursor. */
#pragma once

#include <gtk/gtk.h>

#include "model/cured-map-view.h"

#define CURED_TYPE_HEAT_MAP (cured_heat_map_get_type ())
/* Shows the grid of its `view`, and moves the cursor and the selection in it. Other properties:
 * `hovered`, notified after the cell under the pointer changed; `is-zoomed`, whether some cells are
 * out of sight; `menu-model`, what may be done with the cursor's cell or with the selected ones, or
 * NULL. Signal: `cell-activated` when the details of the cursor's cell are asked for, with Enter, a
 * double click or the action `map.show-cell`. */
G_DECLARE_FINAL_TYPE (CuredHeatMap, cured_heat_map, CURED, HEAT_MAP, GtkWidget)

CuredMapView *cured_heat_map_get_view (CuredHeatMap *self);
void cured_heat_map_set_view (CuredHeatMap *self, CuredMapView *view);
gboolean cured_heat_map_get_pointed (CuredHeatMap *self, gsize *column, gsize *row);
gboolean cured_heat_map_get_hovered (CuredHeatMap *self, gsize *column, gsize *row);
gboolean cured_heat_map_get_cell_area (CuredHeatMap *self, gsize column, gsize row,
                                       graphene_rect_t *area);
void cured_heat_map_set_reason (CuredHeatMap *self, gsize column, gsize row, const char *reason);
void cured_heat_map_zoom (CuredHeatMap *self, double factor);
void cured_heat_map_pan (CuredHeatMap *self, double by_x, double by_y);
void cured_heat_map_zoom_reset (CuredHeatMap *self);
gboolean cured_heat_map_is_zoomed (CuredHeatMap *self);
gboolean cured_heat_map_get_range (CuredHeatMap *self, double *low, double *high);
