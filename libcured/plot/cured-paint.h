/* SPDX-License-Identifier: MIT
 * Style and rectangles of all plots. */
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
  gboolean vector;         /* draw cells as rectangles if there are few */
  gboolean draw_cells;     /* draw the cells' colours; FALSE if a texture shows them */
  gboolean draw_marginals; /* draw the view's marginals, if there is room */
  gboolean draw_keys;      /* draw titles and legend, the parts that never move */
} CuredPlotStyle;

void cured_plot_style_init (CuredPlotStyle *self, gboolean dark);

typedef struct
{
  double x, y, width, height;
} CuredRect;
