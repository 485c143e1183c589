/* SPDX-License-Identifier: MIT
 * Text, scales and colours, shared by the files that draw plots. */
#pragma once

#include <pango/pangocairo.h>

#include "base/cured-axis.h"
#include "plot/cured-paint.h"

/* Text. Numbers are drawn from glyphs that are shaped once, since a frame can hold
 * thousands. */
typedef struct _CuredPlotText CuredPlotText;

typedef enum
{
  CURED_ALIGN_START,
  CURED_ALIGN_CENTRE,
  CURED_ALIGN_END,
} CuredAlign;

CuredPlotText *_cured_plot_text_new (void);
void _cured_plot_text_free (CuredPlotText *self);
void _cured_plot_text_begin (CuredPlotText *self, cairo_t *cr, const CuredPlotStyle *style,
                             double scale);
CuredPlotText *_cured_plot_text_for (const CuredPlotStyle *style);
double _cured_plot_text_get_line_height (CuredPlotText *self);
double _cured_plot_text_measure (CuredPlotText *self, const char *text);
double _cured_plot_text_draw (CuredPlotText *self, cairo_t *cr, const char *text, CuredAlign align,
                              double x, double y, double max_width);
double _cured_plot_text_paint (CuredPlotText *self, cairo_t *cr, CuredColour colour,
                               const char *text, CuredAlign align, double x, double y,
                               double max_width);
double _cured_plot_text_measure_number (CuredPlotText *self, const char *text);
void _cured_plot_text_add_number (CuredPlotText *self, const char *text, CuredAlign align, double x,
                                  double y);
void _cured_plot_text_flush_numbers (CuredPlotText *self, cairo_t *cr);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPlotText, _cured_plot_text_free)

/* The format of one metric's numbers: a common unit, or one for each number if their range is too
 * wide for that. */
typedef struct
{
  const char *metric_unit;
  double factor;    /* metric's units in one shown unit */
  const char *unit; /* the shown unit; "" if each number has its own */
  gboolean is_individual;
  gboolean is_relative; /* multiples of @factor: "×1.4" */
  guint digits;         /* significant digits; 0: all */
} CuredPlotScale;

void _cured_plot_scale_init (CuredPlotScale *self, const char *unit, double low, double high);
char *_cured_plot_scale_format (const CuredPlotScale *self, double value);
char *_cured_plot_scale_format_tick (const CuredPlotScale *self, double value, double step);

/* Limit of ticks that callers may request. */
#define CURED_PLOT_MAX_TICKS 64

gsize _cured_plot_ticks_linear (double low, double high, gsize max_ticks,
                                double ticks[CURED_PLOT_MAX_TICKS], double *step);
gsize _cured_plot_ticks_logarithmic (double low, double high, gsize max_ticks,
                                     double ticks[CURED_PLOT_MAX_TICKS]);
void _cured_plot_axis_ticks (const CuredAxis *axis, gsize min_step, gsize *first, gsize *step);

/* Size of notes and of numbers in narrow cells, relative to the font's. */
#define CURED_PLOT_SMALL_SCALE 0.8

/* Colours and marks. */
void _cured_plot_set_colour (cairo_t *cr, CuredColour colour, double alpha);
CuredColour _cured_plot_mix (CuredColour a, CuredColour b, double of_b);
gboolean _cured_plot_is_light (CuredColour colour);
CuredColour _cured_plot_warning_colour (const CuredPlotStyle *style);
void _cured_plot_add_rect (cairo_t *cr, const CuredRect *rect);
void _cured_plot_add_line (cairo_t *cr, double x1, double y1, double x2, double y2);
void _cured_plot_add_triangle (cairo_t *cr, double x1, double y1, double x2, double y2, double x3,
                               double y3);
void _cured_plot_fill (cairo_t *cr, CuredColour colour, double alpha);
void _cured_plot_fill_rect (cairo_t *cr, const CuredRect *rect, CuredColour colour, double alpha);
void _cured_plot_stroke (cairo_t *cr, CuredColour colour, double alpha, double line_width);
void _cured_plot_begin_clip (cairo_t *cr, const CuredRect *rect);
void _cured_plot_hatch_rect (cairo_t *cr, const CuredPlotStyle *style, const CuredRect *rect);
void _cured_plot_draw_star (cairo_t *cr, const CuredPlotStyle *style, double x, double y,
                            double radius);
void _cured_plot_draw_hatch (cairo_t *cr, const CuredPlotStyle *style);
