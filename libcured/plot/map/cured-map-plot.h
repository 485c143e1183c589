/* SPDX-License-Identifier: MIT
 * A heat map's geometry and its drawing with Cairo: on screen and in files. */
#pragma once

#include "plot/cured-chart.h"
#include "plot/map/cured-grid.h"

typedef struct
{
  double width;      /* of the whole drawing, in user units */
  double height;     /* likewise */
  CuredRect plot;    /* rectangle of the cells */
  CuredRect legend;  /* rectangle of the colour bar; of size 0 if there is none */
  CuredRect keys;    /* rectangle of the keys of the cells' states; likewise */
  CuredRect along_x; /* rectangle of the curve along a row; likewise */
  CuredRect along_y; /* rectangle of the curve along a column; likewise */
  /* the part of the grid that @plot shows, in cells; zoom and pan change nothing else. `y` counts
   * from the bottom row upwards. */
  CuredRect visible;
  double line_height;   /* of the text */
  double x_label_width; /* of the widest label on the horizontal axis */
  gboolean has_titles;  /* there is room for the titles of axes and metric */
} CuredPlotGeometry;

void cured_plot_geometry_init (CuredPlotGeometry *self, const CuredGrid *grid,
                               const CuredPlotStyle *style, double width, double height);
void cured_plot_geometry_resize (CuredPlotGeometry *self, const CuredGrid *grid,
                                 const CuredPlotStyle *style, double width, double height);
void cured_plot_geometry_zoom (CuredPlotGeometry *self, const CuredGrid *grid, double factor,
                               double at_x, double at_y);
void cured_plot_geometry_pan (CuredPlotGeometry *self, const CuredGrid *grid, double by_x,
                              double by_y);
gboolean cured_plot_geometry_pick (const CuredPlotGeometry *self, const CuredGrid *grid, double x,
                                   double y, gsize *column, gsize *row);
void cured_plot_geometry_get_moving (const CuredPlotGeometry *self, CuredRect *rect);
void cured_plot_geometry_get_cell (const CuredPlotGeometry *self, const CuredGrid *grid,
                                   gsize column, gsize row, CuredRect *rect);

gboolean cured_plot_geometry_get_seen (const CuredPlotGeometry *self, const CuredGrid *grid,
                                       double *low, double *high);
void cured_plot_geometry_reveal (CuredPlotGeometry *self, const CuredGrid *grid, gsize column,
                                 gsize row);

/* A cell that is marked, or none. */
typedef struct
{
  gboolean is_shown;
  gsize column, row;
} CuredPlotCursor;

typedef struct _CuredPlotCache CuredPlotCache;

CuredPlotCache *cured_plot_cache_new (const CuredGrid *grid);
void cured_plot_cache_free (CuredPlotCache *self);
gboolean cured_plot_cache_set_range (CuredPlotCache *self, double low, double high);
gboolean cured_plot_cache_get_range (const CuredPlotCache *self, double *low, double *high);
void cured_plot_draw (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                      const CuredPlotGeometry *geometry, const CuredPlotStyle *style,
                      const CuredPlotCursor *cursor, const CuredPlotCursor *selection);
void cured_plot_draw_keys (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                           const CuredPlotGeometry *geometry, const CuredPlotStyle *style);
GBytes *cured_plot_render_cells (const CuredGrid *grid, CuredPlotCache *cache,
                                 const CuredPlotGeometry *geometry, const CuredPlotStyle *style,
                                 double scale, int *width, int *height);
void cured_plot_draw_marginals (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                                const CuredPlotGeometry *geometry, const CuredPlotStyle *style,
                                gsize column, gsize row);
CuredChart *cured_samples_plot_new (const CuredOutcome *outcome, const CuredOutcome *beside);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPlotCache, cured_plot_cache_free)
