/* SPDX-License-Identifier: MIT
 * Drawings, which may also have a table: the input of exports, the clipboard and the
 * printer. */
#include "plot/export/cured-drawing-internal.h"

#include "base/cured-base-internal.h"
#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"

/* User units: pixels of a PNG at 1:1, points of a PDF. */
#define MARGIN 12.0

#define TITLE_SCALE 1.3
/* Limit of a note, which may have a page of text. */
#define MOST_NOTE_BYTES 240

#define FOOTNOTE_SCALE 0.85

struct _CuredDrawing
{
  const CuredDrawingClass *klass;
  gpointer data;
  char *name;
  char *title;    /* nullable */
  char *lines[3]; /* lines below the title; nullable */
  char *footnote; /* nullable */
  double width;   /* size of the class's drawing */
  double height;
};

/* Heights above and below the class's drawing. */
typedef struct
{
  double line, title, header, footer;
} Caption;

static void
caption_init (Caption *self, const CuredDrawing *drawing, const CuredPlotStyle *style)
{
  CuredPlotText *text = _cured_plot_text_for (style);

  *self = (Caption){
    .line = ceil (_cured_plot_text_get_line_height (text)) + 2,
  };
  self->title = round (self->line * 1.5);
  if (drawing->title != NULL)
    self->header = self->title + MARGIN / 2;
  for (gsize i = 0; i < G_N_ELEMENTS (drawing->lines); i++)
    if (drawing->lines[i] != NULL)
      self->header += self->line;
  /* The footnote wraps; two lines hold the longest of the metrics' table. */
  if (drawing->footnote != NULL)
    self->footer = 2 * self->line + MARGIN / 2;
}

/* (transfer full): a drawing without a caption. @klass: (transfer none): its functions; must be
 * static. */
CuredDrawing *
cured_drawing_new (const CuredDrawingClass *klass, gpointer data, const char *name, double width,
                   double height)
{
  CuredDrawing *self = g_atomic_rc_box_new0 (CuredDrawing);

  self->klass = klass;
  self->data = data;
  self->name = g_strdup (name);
  self->width = width;
  self->height = height;
  return self;
}

/* ---- A chart ---- */

typedef struct
{
  CuredChart *chart;
  gssize item;
  double width, height;
} Fitted;

/* Draws in the chart's own units. */
static void
fitted_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
             double height)
{
  const Fitted *self = data;
  CuredChartShown shown = { style, self->width, self->height, 0, self->item, -1, -1 };
  double scale = MIN (width / self->width, height / self->height);

  cairo_save (cr);
  cairo_scale (cr, scale, scale);
  self->chart->klass->draw (self->chart, cr, &shown);
  cairo_restore (cr);
}

CURED_FREE_FUNC (Fitted, fitted_free, chart, cured_chart_free)

static const CuredDrawingClass fitted_class = { .draw = fitted_draw, .free = fitted_free };

/* (transfer full): a drawing without a table or a caption. @item: the marked one; -1: none. */
CuredDrawing *
cured_drawing_new_chart (CuredChart *chart, gssize item, const char *name)
{
  Fitted *self = g_new0 (Fitted, 1);
  CuredPlotStyle style;
  double least_width;

  cured_plot_style_init (&style, FALSE);
  self->chart = chart;
  self->item = item;
  chart->klass->measure (chart, &style, -1, &least_width, &self->width, &self->height);
  return cured_drawing_new (&fitted_class, self, name, self->width, self->height);
}

static void
clear (gpointer data)
{
  CuredDrawing *self = data;

  if (self->klass->free != NULL)
    self->klass->free (self->data);
  g_free (self->name);
  g_free (self->title);
  g_free (self->lines[0]);
  g_free (self->lines[1]);
  g_free (self->lines[2]);
  g_free (self->footnote);
}

CURED_DEFINE_RC (CuredDrawing, cured_drawing, clear)

/* Sets the texts that exports and print add. @first_line: (nullable): place and time of
 * measurement. @second_line: (nullable): fixed parameters. @footnote: (nullable): meaning of the
 * figures. */
void
cured_drawing_set_caption (CuredDrawing *self, const char *title, const char *first_line,
                           const char *second_line, const char *footnote)
{
  self->title = g_strdup (title);
  self->lines[0] = g_strdup (first_line);
  self->lines[1] = g_strdup (second_line);
  self->footnote = g_strdup (footnote);
}

/* @note: (nullable): a note, of which one line is shown below the rest of the caption */
void
cured_drawing_set_note (CuredDrawing *self, const char *note)
{
  g_autofree char *line = note != NULL ? g_strndup (note, strcspn (note, "\n")) : NULL;

  g_free (self->lines[2]);
  self->lines[2] = line != NULL ? _cured_text_shorten (line, MOST_NOTE_BYTES) : NULL;
}

/* Returns: (transfer none): its name for a file, without a suffix */
CURED_GETTER (const char *, cured_drawing_get_name, const CuredDrawing, name)

/* (transfer none): its title, or its name without a caption. */
const char *
cured_drawing_get_title (const CuredDrawing *self)
{
  return self->title != NULL ? self->title : self->name;
}

/* (transfer full) (nullable): the visible figures; %NULL if the class makes no such text. */
char *
cured_drawing_get_markup (const CuredDrawing *self, CuredMarkup markup)
{
  return self->klass->get_markup != NULL ? self->klass->get_markup (self->data, markup) : NULL;
}

/* Returns: whether it has figures to write as CSV and JSON */
gboolean
cured_drawing_has_table (const CuredDrawing *self)
{
  return self->klass->write_csv != NULL && self->klass->write_json != NULL;
}

/* @width: (out): its natural width, with caption and margins, in units of 1/96 inch
 * @height: (out): its natural height */
void
cured_drawing_get_size (const CuredDrawing *self, double *width, double *height)
{
  CuredPlotStyle style;
  Caption caption;

  cured_plot_style_init (&style, FALSE);
  caption_init (&caption, self, &style);
  *width = self->width + 2 * MARGIN;
  *height = self->height + caption.header + caption.footer + 2 * MARGIN;
}

static void
draw_footnote (const CuredDrawing *self, cairo_t *cr, const CuredPlotStyle *style, double x,
               double y, double width)
{
  g_autoptr (PangoLayout) layout = pango_cairo_create_layout (cr);
  PangoFontDescription *description = pango_font_description_from_string (style->font);

  pango_font_description_set_size (
      description, (int) (pango_font_description_get_size (description) * FOOTNOTE_SCALE));
  pango_layout_set_font_description (layout, description);
  pango_font_description_free (description);
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_height (layout, -2);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_text (layout, self->footnote, -1);
  _cured_plot_set_colour (cr, style->dim, 1);
  cairo_move_to (cr, x, y);
  pango_cairo_show_layout (cr, layout);
}

static void
draw_header (const CuredDrawing *self, cairo_t *cr, const CuredPlotStyle *style,
             const Caption *caption, double width)
{
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  CuredPlotStyle large = *style;
  double y = MARGIN;

  if (self->title == NULL)
    return;
  PangoFontDescription *description = pango_font_description_from_string (style->font);
  pango_font_description_set_weight (description, PANGO_WEIGHT_BOLD);
  g_autofree char *bold = pango_font_description_to_string (description);
  pango_font_description_free (description);
  large.font = bold;
  _cured_plot_text_begin (text, cr, &large, TITLE_SCALE);
  _cured_plot_text_paint (text, cr, style->foreground, self->title, CURED_ALIGN_START, MARGIN, y,
                          width);
  y += caption->title;
  _cured_plot_text_begin (text, cr, style, 1);
  _cured_plot_set_colour (cr, style->dim, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (self->lines); i++)
    if (self->lines[i] != NULL)
      {
        _cured_plot_text_draw (text, cr, self->lines[i], CURED_ALIGN_START, MARGIN, y, width);
        y += caption->line;
      }
}

/* @width: total width, with caption and margins
 * @height: total height
 *
 * Draws it with background, caption and margins. */
void
cured_drawing_draw (const CuredDrawing *self, cairo_t *cr, const CuredPlotStyle *style,
                    double width, double height)
{
  double inner = MAX (width - 2 * MARGIN, 1);
  CuredPlotStyle plain = *style;
  Caption caption;

  caption_init (&caption, self, style);
  cairo_save (cr);
  _cured_plot_fill_rect (cr, &(CuredRect){ 0, 0, width, height }, style->background, 1);
  draw_header (self, cr, style, &caption, inner);
  cairo_save (cr);
  cairo_translate (cr, MARGIN, MARGIN + caption.header);
  plain.draw_background = FALSE;
  self->klass->draw (self->data, cr, &plain, inner,
                     MAX (height - caption.header - caption.footer - 2 * MARGIN, 1));
  cairo_restore (cr);
  if (self->footnote != NULL)
    draw_footnote (self, cr, style, MARGIN, height - MARGIN - 2 * caption.line, inner);
  cairo_restore (cr);
}

static gboolean
set_no_table (const CuredDrawing *self, GError **error)
{
  return cured_fail (error, CURED_ERROR_INVALID,
                     /* Translators: the name of a drawing. */
                     _ ("%s has no table; export it as a picture"), self->name);
}

gboolean
_cured_drawing_write_csv (const CuredDrawing *self, GOutputStream *stream,
                          GCancellable *cancellable, GError **error)
{
  if (self->klass->write_csv == NULL)
    return set_no_table (self, error);
  return self->klass->write_csv (self->data, stream, cancellable, error);
}

gboolean
_cured_drawing_write_json (const CuredDrawing *self, GOutputStream *stream,
                           GCancellable *cancellable, GError **error)
{
  if (self->klass->write_json == NULL)
    return set_no_table (self, error);
  return self->klass->write_json (self->data, stream, cancellable, error);
}

/* Writes the page of a class that makes its own; otherwise writes nothing and does not set
 * @error. */
gboolean
_cured_drawing_write_own_page (const CuredDrawing *self, const CuredExportOptions *options,
                               GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  return self->klass->write_page != NULL &&
         self->klass->write_page (self->data, options, stream, cancellable, error);
}
