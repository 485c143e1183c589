/* SPDX-License-Identifier: MIT
 * Drawings, which may also have a table: the input of exports, the clipboard and the
 * printer. */
#pragma once

#include <cairo.h>

#include "plot/cured-chart.h"
#include "plot/export/cured-export.h"
#include "plot/map/cured-map-plot.h"
#include "study/cured-ladder.h"
#include "study/cured-lesson.h"
#include "inspect/cured-inspection.h"

/* Text formats that other programs typeset. */
typedef enum
{
  CURED_MARKUP_MARKDOWN, /* a table */
  CURED_MARKUP_LATEX,    /* a table */
  CURED_MARKUP_PGFPLOTS, /* a drawing that LaTeX makes from the numbers */
} CuredMarkup;

/* The functions of one kind of drawing.
 *
 * None of them changes @data. */
typedef struct
{
  /* draws into a rectangle of this size at the origin, on a painted background; may be called
   * repeatedly, and from any thread */
  void (*draw) (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
                double height);
  /* (nullable): writes the visible figures, or all */
  gboolean (*write_csv) (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                         GError **error);
  /* (nullable): likewise */
  gboolean (*write_json) (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                          GError **error);
  /* (nullable): the visible figures as text in a markup; NULL or no such function: for Markdown and
   * LaTeX, the table of @write_csv is converted */
  char *(*get_markup) (gconstpointer data, CuredMarkup markup);
  /* (nullable): a whole HTML document; otherwise one is made from the picture and the table */
  gboolean (*write_page) (gconstpointer data, const CuredExportOptions *options,
                          GOutputStream *stream, GCancellable *cancellable, GError **error);
  void (*free) (gpointer data); /* (nullable): frees @data */
} CuredDrawingClass;

/* Immutable, reference-counted; may be used by any thread. #CuredDrawing is declared by the export
 * formats, which write it. */

CuredDrawing *cured_drawing_new_map (CuredResult *result, const CuredView *view);
CuredDrawing *cured_drawing_new_map_chart (CuredResult *result, CuredChart *chart, gssize item);
CuredDrawing *cured_drawing_new_ladder (const CuredLadderView *view, CuredMetric metric);
CuredDrawing *cured_drawing_new_ratio (CuredResult *result, const CuredView *view);
CuredDrawing *cured_drawing_new_source (CuredInspection *inspection, const char *source,
                                        const char *name, const char *title, const char *point);
CuredDrawing *cured_drawing_new_lesson (const CuredLesson *lesson, CuredDrawing *map,
                                        CuredDrawing *banks, const char *const *questions,
                                        const char *const *answers);
CuredDrawing *cured_drawing_new_roofline (CuredResult *result, GError **error);
CuredDrawing *cured_drawing_ref (CuredDrawing *self);
void cured_drawing_unref (CuredDrawing *self);
const char *cured_drawing_get_name (const CuredDrawing *self);
gboolean cured_drawing_has_table (const CuredDrawing *self);
void cured_drawing_get_size (const CuredDrawing *self, double *width, double *height);
void cured_drawing_draw (const CuredDrawing *self, cairo_t *cr, const CuredPlotStyle *style,
                         double width, double height);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDrawing, cured_drawing_unref)
