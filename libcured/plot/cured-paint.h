/* SPDX-License-Identifier: MIT
 * What all plots are drawn with: style, rectangles. */
#pragma once

#include <cairo.h>
#include <pango/pango.h>

#include "plot/cured-colour-map.h"

/* Everything that differs between screen, paper, light and dark. */
typedef struct
{
  CuredColour background, foreground;
  CuredColour dim;    /* secondary text and ticks */
  CuredColour accent; /* cursor and selection */
  const char *font;   /* Pango font description */
  gboolean draw_background;
  gboolean vector;         /* cells as rectangles, where there are few */
  gboolean draw_cells;     /* their colours; a texture may have them */
  gboolean draw_marginals; /* those of the view, where there is room */
  gboolean draw_keys;      /* titles and legend: what never moves */
} CuredPlotStyle;

void cured_plot_style_init (CuredPlotStyle *self, gboolean dark);

typedef struct
{
  double x, y, width, height;
} CuredRect;
