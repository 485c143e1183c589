/* SPDX-License-Identifier: MIT
 * Shared by the files of the heat map. */
#pragma once

#include "map/cured-gui-map.h"

struct _CuredHeatMap
{
  GtkWidget parent_instance;

  /* Template children */
  GtkGesture *click, *drag;

  /* Owned */
  CuredMapView *view; /* nullable */
  CuredPlotCache *cache;
  GskRenderNode *node; /* nullable: the part that moves with zoom and pan */
  GskRenderNode *keys; /* nullable: titles and legend */

  CuredPlotStyle style;
  CuredPlotGeometry geometry;
  gboolean has_geometry;
  gboolean is_zoomed; /* as last notified */
  guint fit_id;

  gsize nx; /* of the last grid; 0: none */
  gsize ny;
  gsize x_axis; /* the view's, at the last grid */
  gsize y_axis;
  gssize selected; /* index in the grid of the view's cell, or -1 */
  char *reason;    /* nullable: why the cell at reason_index has no value */
  gsize reason_index;
  gboolean is_hovered;
  gsize hovered_column, hovered_row;
  double pointer_x, pointer_y, began_x, began_y, dragged_x, dragged_y;
  gboolean is_dragging;
  gboolean is_panning; /* the drag pans instead of selecting */
  double pinched;

  GMenuModel *menu_model; /* nullable; owned */
  GtkWidget *menu;        /* nullable: not created yet */
};

/* (nullable) */
static inline const CuredGrid *
_cured_heat_map_get_grid (CuredHeatMap *self)
{
  return self->view != NULL ? cured_map_view_get_grid (self->view) : NULL;
}

static inline void
_cured_heat_map_ensure_cache (CuredHeatMap *self)
{
  if (self->cache == NULL)
    self->cache = cured_plot_cache_new (_cured_heat_map_get_grid (self));
}

static inline gboolean
_cured_heat_map_get_cursor (CuredHeatMap *self, gsize *column, gsize *row)
{
  return self->view != NULL && cured_map_view_get_cursor (self->view, column, row);
}

void _cured_heat_map_draw (CuredHeatMap *self, GtkSnapshot *snapshot, gsize column, gsize row);
