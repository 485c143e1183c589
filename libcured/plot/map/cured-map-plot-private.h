/* SPDX-License-Identifier: MIT
 * Functions that the files that draw a heat map share. */
#pragma once

#include <math.h>

#include "plot/cured-paint-private.h"
#include "plot/cured-factor-colour.h"
#include "plot/map/cured-map-plot.h"

struct _CuredPlotCache
{
  const CuredGrid *grid; /* borrowed */
  CuredPlotText *text;
  CuredPlotText *small_text; /* for numbers in narrow cells */
  CuredPlotText *large_text; /* for numbers in large ones */
  guint32 *pixels;           /* one per cell; NULL: not made yet */
  CuredColour background;    /* for which @pixels was made */
  CuredColour foreground;
  cairo_surface_t *images[2]; /* nullable; used alternately */
  guint n_pictures;           /* number of pictures drawn */
  CuredPlotScale scale;
  CuredGrid shades;     /* @grid with the colours' ends; its pointers belong to @grid */
  gboolean is_rescaled; /* the colours do not span all values */
  GArray *levels;       /* levels of the region; NULL: not made yet */
  GPtrArray *contours;  /* NULL: not made yet */
  double number_width;  /* width of the widest number in a cell of this frame; 0: none */
  double number_height;
};

/* The range of columns and rows that are at least partly visible. */
typedef struct
{
  gsize x_begin, x_end, y_begin, y_end;
} CuredPlotRange;

static inline void
cured_plot_geometry_get_range (const CuredPlotGeometry *self, const CuredGrid *grid,
                               CuredPlotRange *range)
{
  const CuredRect *v = &self->visible;

  range->x_begin = (gsize) MAX (floor (v->x), 0);
  range->x_end = MIN ((gsize) ceil (v->x + v->width), grid->nx);
  range->y_begin = (gsize) MAX (floor (v->y), 0);
  range->y_end = MIN ((gsize) ceil (v->y + v->height), grid->ny);
}

/* The look of a cell that has no value. @state is a #CuredState or a #CuredLook. */
CuredColour _cured_plot_state_fill (const CuredPlotStyle *style, guint state);
void _cured_plot_draw_state_mark (cairo_t *cr, const CuredPlotStyle *style, guint state,
                                  const CuredRect *rect);
void _cured_plot_draw_flag (cairo_t *cr, const CuredPlotStyle *style, const CuredRect *rect);
void _cured_plot_draw_note (cairo_t *cr, const CuredPlotStyle *style, const CuredRect *rect);
const char *_cured_plot_state_title (guint state);

void _cured_plot_draw_cells (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                             const CuredPlotGeometry *geometry, const CuredPlotStyle *style);
void _cured_plot_draw_line (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                            const CuredPlotGeometry *geometry, const CuredPlotStyle *style);

/* The vertical axis of a line plot, in the metric's unit. */
typedef struct
{
  double low, high;
  gboolean logarithmic;
} CuredPlotSpan;

void _cured_plot_span_init (CuredPlotSpan *self, const CuredGrid *grid);
double _cured_plot_span_get_y (const CuredPlotSpan *self, const CuredRect *plot, double value);
gsize _cured_plot_span_get_ticks (const CuredPlotSpan *self, const CuredPlotScale *scale,
                                  gsize max_ticks, double ticks[CURED_PLOT_MAX_TICKS],
                                  double *step);

/* The region of nearly best cells. */

/* Between two corners of cells, straight. */
typedef struct
{
  gsize x1, y1, x2, y2;
} CuredPlotEdge;

void _cured_plot_find_outline (const guint8 *inside, gsize nx, gsize ny,
                               const CuredPlotRange *range, GArray *edges);
void _cured_plot_stroke_region (cairo_t *cr);
void _cured_plot_draw_region (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                              const CuredPlotGeometry *geometry);

/* Regions of one name. */

void _cured_plot_draw_names (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                             const CuredPlotGeometry *geometry);
void _cured_plot_draw_borders (cairo_t *cr, const CuredGrid *grid,
                               const CuredPlotGeometry *geometry, const CuredPlotStyle *style);

/* Contours. */

typedef struct
{
  double x, y;
} CuredPlotPoint;

typedef struct
{
  double level;
  gboolean is_closed;
  GArray *points; /* of CuredPlotPoint, in cells */
} CuredPlotContour;

GPtrArray *_cured_plot_find_contours (const double *values, gsize nx, gsize ny,
                                      const double *levels, gsize n_levels);
void _cured_plot_stroke_contour (cairo_t *cr);
/* Of a grid with contours: the mean of each block of cells. */
typedef struct
{
  double *values;
  gsize nx, ny;
  gsize width; /* of a block, in cells */
  gsize height;
} CuredPlotBlocks;

gsize _cured_plot_blocks_init (CuredPlotBlocks *self, const CuredGrid *grid,
                               double levels[CURED_PLOT_MAX_TICKS]);
void _cured_plot_draw_contours (cairo_t *cr, CuredPlotCache *cache,
                                const CuredPlotGeometry *geometry, const CuredPlotStyle *style);

/* Share of the background in the colour of a cell that may be the same in both files. */
#define CURED_PLOT_FAINT 0.7

void _cured_plot_draw_axes (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                            const CuredPlotGeometry *geometry, const CuredPlotStyle *style);
void _cured_plot_draw_titles (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                              const CuredPlotGeometry *geometry, const CuredPlotStyle *style);
void _cured_plot_draw_legend (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                              const CuredPlotGeometry *geometry, const CuredPlotStyle *style);
double _cured_plot_layout_keys (cairo_t *cr, CuredPlotText *text, const CuredGrid *grid,
                                const CuredPlotScale *scale, const CuredPlotStyle *style,
                                const CuredRect *keys, double line_height);
void _cured_plot_scale_init_grid (CuredPlotScale *self, const CuredGrid *grid);
char *_cured_plot_multiple_text (const CuredGrid *grid);
char *_cured_plot_metric_text (const CuredGrid *grid, const CuredPlotScale *scale);

/* A grid without a window, for all drawings of maps. */
void _cured_plot_measure_grid (const CuredGrid *grid, double *width, double *height);
void _cured_plot_draw_grid (gconstpointer grid, cairo_t *cr, const CuredPlotStyle *style,
                            double width, double height);
