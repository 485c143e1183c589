/* SPDX-License-Identifier: MIT
 * The heat map on screen: zoom, pan, pointer and keyboard cursor. */
#pragma once

#include <gtk/gtk.h>

#include "cured-plot.h"

G_BEGIN_DECLS

#define CURED_TYPE_HEAT_MAP (cured_heat_map_get_type ())
/**
 * CuredHeatMap:
 *
 * Shows one grid. Signals: `cursor-moved` after the keyboard cursor moved;
 * `hovered` after the cell under the pointer changed; `cell-selected` when the
 * cursor's cell was chosen with Enter or a click; `cell-activated` when its
 * details are asked for, with Enter or a double click; `selection-changed`
 * after another rectangle of cells was selected, or none; `zoomed` after more or
 * fewer cells came to be in sight.
 */
G_DECLARE_FINAL_TYPE (CuredHeatMap, cured_heat_map, CURED, HEAT_MAP, GtkWidget)

GtkWidget *cured_heat_map_new (void);
void cured_heat_map_set_grid (CuredHeatMap *self, CuredGrid *grid);
const CuredGrid *cured_heat_map_get_grid (CuredHeatMap *self);
gboolean
cured_heat_map_get_cursor (CuredHeatMap *self, gsize *column, gsize *row);
void cured_heat_map_set_cursor (CuredHeatMap *self, gsize column, gsize row);
gboolean
cured_heat_map_get_hovered (CuredHeatMap *self, gsize *column, gsize *row);
void cured_heat_map_set_selected (CuredHeatMap *self, gint64 cell);
gboolean cured_heat_map_get_selection (CuredHeatMap *self, CuredGridRect *rect);
void cured_heat_map_set_selection (CuredHeatMap *self,
                                   const CuredGridRect *rect);
void cured_heat_map_set_reason (CuredHeatMap *self,
                                gsize column,
                                gsize row,
                                const char *reason);
void cured_heat_map_zoom (CuredHeatMap *self, double factor);
void cured_heat_map_pan (CuredHeatMap *self, double by_x, double by_y);
void cured_heat_map_zoom_reset (CuredHeatMap *self);
gboolean cured_heat_map_is_zoomed (CuredHeatMap *self);
void cured_heat_map_go_to_best (CuredHeatMap *self);

G_END_DECLS
