/* SPDX-License-Identifier: MIT
 * Shared by the files of the heat map. */
#pragma once

#include "map/cured-gui-map.h"

struct _CuredHeatMap
{
  GtkWidget parent_instance;

  /* Of the template */
  GtkGesture *click, *drag;

  /* Owned */
  CuredMapView *view; /* nullable */
  CuredPlotCache *cache;
  GskRenderNode *node; /* nullable: what moves with what is seen */
  GskRenderNode *keys; /* nullable: titles and legend */

  CuredPlotStyle style;
  CuredPlotGeometry geometry;
  gboolean has_geometry;
  gboolean is_zoomed; /* as it was told last */
  guint fit_id;

  gsize nx; /* of the last grid; 0: there was none */
  gsize ny;
  gsize x_axis; /* of the view, in the last grid */
  gsize y_axis;
  gssize selected; /* the view's cell's index in the grid, or -1 */
  char *reason;    /* nullable: why the cell at reason_index has no value */
  gsize reason_index;
  gboolean is_hovered;
  gsize hovered_column, hovered_row;
  double pointer_x, pointer_y, began_x, began_y, dragged_x, dragged_y;
  gboolean is_dragging;
  gboolean is_panning; /* by dragging, rather than selecting */
  double pinched;

  GMenuModel *menu_model; /* nullable; owned */
  GtkWidget *menu;        /* nullable: not asked for yet */
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
