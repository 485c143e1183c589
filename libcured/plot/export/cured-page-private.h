/* SPDX-License-Identifier: MIT
 * Functions that the parts of web pages share. */
#pragma once

#include "plot/export/cured-drawing.h"

/* Parts of a page besides its text. */
typedef struct
{
  gboolean script; /* the page has a script */
  /* (nullable): a JSON document that the script reads; escaped so that it can't end its
   * element */
  const char *data;
} CuredPageParts;

/* Text: everything from a file must go through one of these. */
void _cured_page_append_text (GString *page, const char *text);
void _cured_page_append_element (GString *page, const char *tag, const char *text);
void _cured_page_append_colour (GString *page, CuredColour colour);

/* A document */
void _cured_page_begin (GString *page, const char *title, gboolean dark);
void _cured_page_end (GString *page, const CuredPageParts *parts);
gboolean _cured_page_write (GString *page, GOutputStream *stream, GCancellable *cancellable,
                            GError **error);

/* One metric in one slice, drawn. */
typedef struct
{
  CuredGrid *grid;
  char *label; /* in the list of views */
  char *title; /* of the metric, with its unit */
  char *place; /* position of the cells, as the transform of an SVG group whose unit is a cell */
  double width, height;
  GString *svgs[2]; /* light and dark */
} CuredPageView;

/* Parts of a result's page */
gboolean _cured_page_append_data (GString *text, CuredResult *result, const GPtrArray *views,
                                  GHashTable *sentences, GError **error);
void _cured_page_append_source (GString *page, CuredResult *result, gint64 cell,
                                GCancellable *cancellable);
void _cured_page_explain (CuredResult *result, GHashTable *sentences);

/* Documents */
gboolean _cured_page_write_drawing (const CuredDrawing *drawing, const CuredExportOptions *options,
                                    GOutputStream *stream, GCancellable *cancellable,
                                    GError **error);
gboolean _cured_page_write_map (CuredResult *result, const CuredView *view,
                                const CuredExportOptions *options, GOutputStream *stream,
                                GCancellable *cancellable, GError **error);
