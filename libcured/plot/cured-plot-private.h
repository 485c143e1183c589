/* SPDX-License-Identifier: MIT
 * What the files that draw a plot share. */
#pragma once

#include <pango/pangocairo.h>

#include "plot/cured-plot.h"

G_BEGIN_DECLS

/* Text. Numbers are drawn glyph by glyph, from glyphs that were shaped once:
 * a frame can hold thousands of them. */
typedef struct _CuredPlotText CuredPlotText;

typedef enum
{
  CURED_ALIGN_START,
  CURED_ALIGN_CENTRE,
  CURED_ALIGN_END,
} CuredAlign;

CuredPlotText *_cured_plot_text_new (void);
void _cured_plot_text_free (CuredPlotText *self);
void _cured_plot_text_begin (CuredPlotText *self,
                             cairo_t *cr,
                             const CuredPlotStyle *style,
                             double scale);
double _cured_plot_text_get_line_height (CuredPlotText *self);
double _cured_plot_text_measure (CuredPlotText *self, const char *text);
double _cured_plot_text_draw (CuredPlotText *self,
                              cairo_t *cr,
                              const char *text,
                              CuredAlign align,
                              double x,
                              double y,
                              double max_width);
double _cured_plot_text_measure_number (CuredPlotText *self, const char *text);
void _cured_plot_text_add_number (CuredPlotText *self,
                                  const char *text,
                                  CuredAlign align,
                                  double x,
                                  double y);
void _cured_plot_text_flush_numbers (CuredPlotText *self, cairo_t *cr);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPlotText, _cured_plot_text_free)

/**
 * CuredPlotScale:
 *
 * How the numbers of one metric are written: in one common unit, or each with
 * its own where their range is too wide for that.
 */
typedef struct
{
  const char *metric_unit;
  double factor;    /* metric's units in one shown unit */
  const char *unit; /* shown; "" where each number carries its own */
  gboolean is_individual;
} CuredPlotScale;

void _cured_plot_scale_init (CuredPlotScale *self,
                             const char *unit,
                             double low,
                             double high);
char *_cured_plot_scale_format (const CuredPlotScale *self, double value);
char *_cured_plot_scale_format_tick (const CuredPlotScale *self,
                                     double value,
                                     double step);

/* The most ticks that are ever asked for. */
#define CURED_PLOT_MAX_TICKS 64

gsize _cured_plot_ticks_linear (double low,
                                double high,
                                gsize max_ticks,
                                double ticks[CURED_PLOT_MAX_TICKS],
                                double *step);
gsize _cured_plot_ticks_logarithmic (double low,
                                     double high,
                                     gsize max_ticks,
                                     double ticks[CURED_PLOT_MAX_TICKS]);
void _cured_plot_axis_ticks (const CuredAxis *axis,
                             gsize min_step,
                             gsize *first,
                             gsize *step);

/* Of numbers in narrow cells and of notes, to the font's size. */
#define CURED_PLOT_SMALL_SCALE 0.8

struct _CuredPlotCache
{
  const CuredGrid *grid; /* borrowed */
  CuredPlotText *text;
  CuredPlotText *small_text; /* of numbers in narrow cells */
  guint32 *pixels;           /* a cell each, nullable: not made yet */
  CuredColour background;    /* that @pixels was made for */
  CuredColour foreground;
  cairo_surface_t *image; /* nullable */
  CuredPlotScale scale;
  GArray *levels;      /* nullable: of the region, not made yet */
  GPtrArray *contours; /* nullable: likewise */
};

/* The range of columns and rows that are at least partly seen. */
typedef struct
{
  gsize x_begin;
  gsize x_end;
  gsize y_begin;
  gsize y_end;
} CuredPlotRange;

void _cured_plot_geometry_get_range (const CuredPlotGeometry *self,
                                     const CuredGrid *grid,
                                     CuredPlotRange *range);

void _cured_plot_set_colour (cairo_t *cr, CuredColour colour, double alpha);
CuredColour _cured_plot_mix (CuredColour a, CuredColour b, double of_b);
double _cured_plot_lightness (CuredColour colour);
gboolean _cured_plot_is_light (CuredColour colour);
void _cured_plot_add_rect (cairo_t *cr, const CuredRect *rect);
void _cured_plot_draw_star (cairo_t *cr,
                            const CuredPlotStyle *style,
                            double x,
                            double y,
                            double radius);

/* The look of a cell that has no value. @state is a #CuredState or a
 * #CuredLook. */
CuredColour _cured_plot_state_fill (const CuredPlotStyle *style, guint state);
void _cured_plot_draw_hatch (cairo_t *cr, const CuredPlotStyle *style);
void _cured_plot_draw_state_mark (cairo_t *cr,
                                  const CuredPlotStyle *style,
                                  guint state,
                                  const CuredRect *rect);
const char *_cured_plot_state_title (guint state);

void _cured_plot_draw_cells (cairo_t *cr,
                             const CuredGrid *grid,
                             CuredPlotCache *cache,
                             const CuredPlotGeometry *geometry,
                             const CuredPlotStyle *style);
void _cured_plot_draw_line (cairo_t *cr,
                            const CuredGrid *grid,
                            CuredPlotCache *cache,
                            const CuredPlotGeometry *geometry,
                            const CuredPlotStyle *style);

/* The vertical axis of a line plot, in the metric's unit. */
typedef struct
{
  double low;
  double high;
  gboolean logarithmic;
} CuredPlotSpan;

void _cured_plot_span_init (CuredPlotSpan *self, const CuredGrid *grid);
double _cured_plot_span_get_y (const CuredPlotSpan *self,
                               const CuredRect *plot,
                               double value);
gsize _cured_plot_span_get_ticks (const CuredPlotSpan *self,
                                  const CuredPlotScale *scale,
                                  gsize max_ticks,
                                  double ticks[CURED_PLOT_MAX_TICKS],
                                  double *step);

/* The region of nearly best cells. */

/* Between two corners of cells, straight. */
typedef struct
{
  gsize x1;
  gsize y1;
  gsize x2;
  gsize y2;
} CuredPlotEdge;

void _cured_plot_find_outline (const guint8 *inside,
                               gsize nx,
                               gsize ny,
                               const CuredPlotRange *range,
                               GArray *edges);
void _cured_plot_stroke_region (cairo_t *cr);
void _cured_plot_draw_region (cairo_t *cr,
                              const CuredGrid *grid,
                              CuredPlotCache *cache,
                              const CuredPlotGeometry *geometry);

/* Contours. */

typedef struct
{
  double x;
  double y;
} CuredPlotPoint;

typedef struct
{
  double level;
  gboolean is_closed;
  GArray *points; /* of CuredPlotPoint, in cells */
} CuredPlotContour;

GPtrArray *_cured_plot_find_contours (const double *values,
                                      gsize nx,
                                      gsize ny,
                                      const double *levels,
                                      gsize n_levels);
void _cured_plot_stroke_contour (cairo_t *cr);
void _cured_plot_draw_contours (cairo_t *cr,
                                CuredPlotCache *cache,
                                const CuredPlotGeometry *geometry,
                                const CuredPlotStyle *style);

void _cured_plot_draw_axes (cairo_t *cr,
                            const CuredGrid *grid,
                            CuredPlotCache *cache,
                            const CuredPlotGeometry *geometry,
                            const CuredPlotStyle *style);
void _cured_plot_draw_legend (cairo_t *cr,
                              const CuredGrid *grid,
                              CuredPlotCache *cache,
                              const CuredPlotGeometry *geometry,
                              const CuredPlotStyle *style);
double _cured_plot_layout_keys (cairo_t *cr,
                                CuredPlotText *text,
                                const CuredGrid *grid,
                                const CuredPlotScale *scale,
                                const CuredPlotStyle *style,
                                const CuredRect *keys,
                                double line_height);
char *_cured_plot_metric_text (const CuredGrid *grid,
                               const CuredPlotScale *scale);

G_END_DECLS
