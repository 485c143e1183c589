/* SPDX-License-Identifier: MIT
 * A kernel's source with counts for each line, as a drawing and as a table. */
#include "config.h"

#include "base/cured-base-internal.h"
#include "plot/export/cured-drawing-internal.h"
#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"

/* Longer lines are cut. */
#define LINE_BYTES 4096

#define FONT        "Monospace 9"
#define HEAD_FONT   "Sans 8"
#define LINE_HEIGHT 16.0
#define WIDTH       860.0
/* Height above the lines: three lines of a column's name. */
#define HEAD_HEIGHT 44.0
/* From the left: numbers of lines end here, then excess, marks, the text. */
#define NUMBER_END 40.0
#define EXCESS_END 128.0
#define MARK_AT    138.0
#define TEXT_AT    150.0
/* Longer files are cut in pictures; the table has all lines. */
#define MAX_LINES 1500

typedef struct
{
  CuredInspection *inspection;
  char **lines; /* of the source */
  guint n_lines;
  guint64 most; /* greatest excess of a line */
} Source;

static guint64
get_excess (const CuredLineCounts *counts)
{
  return counts != NULL ? counts->wavefronts - counts->least : 0;
}

/* Findings and errors on a line. */
static guint
count_remarks (const Source *self, int line)
{
  guint n = 0;

  CURED_EACH_POINTER (const CuredFinding, finding, self->inspection->findings)
    n += finding->here.line == line;
  CURED_EACH_POINTER (const CuredDiagnostic, diagnostic, self->inspection->diagnostics)
    n += diagnostic->line == line;
  return n;
}

static void
draw_text (cairo_t *cr, PangoLayout *layout, const char *text, CuredAlign align, double x, double y)
{
  g_autofree char *shown = _cured_text_shorten (text, LINE_BYTES);
  int width;

  pango_layout_set_text (layout, shown, -1);
  pango_layout_get_pixel_size (layout, &width, NULL);
  cairo_move_to (cr, align == CURED_ALIGN_END ? x - width : x, y);
  pango_cairo_show_layout (cr, layout);
}

/* A column's name, above the line under the heads. */
static void
draw_head (cairo_t *cr, PangoLayout *layout, const char *text, CuredAlign align, double x,
           double width)
{
  int height;

  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_alignment (layout,
                              align == CURED_ALIGN_END ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_size (layout, NULL, &height);
  cairo_move_to (cr, align == CURED_ALIGN_END ? x - width : x, MAX (HEAD_HEIGHT - 6 - height, 0));
  pango_cairo_show_layout (cr, layout);
}

static void
draw_heads (cairo_t *cr, const CuredPlotStyle *style)
{
  g_autoptr (PangoLayout) layout = pango_cairo_create_layout (cr);
  PangoFontDescription *font = pango_font_description_from_string (HEAD_FONT);

  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  _cured_plot_set_colour (cr, style->dim, 1);
  draw_head (cr, layout, _ ("Line"), CURED_ALIGN_END, NUMBER_END, NUMBER_END);
  draw_head (cr, layout, _ (cured_metric_info (CURED_METRIC_excess_wavefronts)->title),
             CURED_ALIGN_END, EXCESS_END, EXCESS_END - NUMBER_END - 6);
  draw_head (cr, layout, _ ("Source"), CURED_ALIGN_START, TEXT_AT, WIDTH - TEXT_AT);
  cairo_rectangle (cr, 0, HEAD_HEIGHT - 4, WIDTH, 1);
  cairo_fill (cr);
}

static double
get_height (const Source *self)
{
  return HEAD_HEIGHT + self->n_lines * LINE_HEIGHT;
}

static void
source_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
             double height)
{
  static const CuredColour red = { 0.88, 0.11, 0.14 };
  const Source *self = data;
  g_autoptr (PangoLayout) layout = pango_cairo_create_layout (cr);
  PangoFontDescription *font = pango_font_description_from_string (FONT);
  double scale = MIN (width / WIDTH, height / get_height (self));

  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  cairo_save (cr);
  cairo_scale (cr, scale, scale);
  cairo_rectangle (cr, 0, 0, width / scale, height / scale);
  cairo_clip (cr);
  draw_heads (cr, style);
  for (guint i = 0; i < self->n_lines; i++)
    {
      int line = (int) i + 1;
      const CuredLineCounts *counts = cured_inspection_find_line (self->inspection, line);
      guint64 excess = get_excess (counts);
      double y = HEAD_HEIGHT + i * LINE_HEIGHT;
      g_autofree char *number = g_strdup_printf ("%d", line);

      _cured_plot_set_colour (cr, style->dim, 1);
      draw_text (cr, layout, number, CURED_ALIGN_END, NUMBER_END, y);
      if (counts != NULL && counts->shared_requests > 0)
        {
          g_autofree char *figure = g_strdup_printf ("%" PRIu64, excess);

          if (excess > 0)
            _cured_plot_fill_rect (
                cr, &(CuredRect){ NUMBER_END + 8, y, EXCESS_END - NUMBER_END - 4, LINE_HEIGHT },
                red, 0.15 + 0.35 * (double) excess / (double) self->most);
          _cured_plot_set_colour (cr, excess > 0 ? style->foreground : style->dim, 1);
          draw_text (cr, layout, figure, CURED_ALIGN_END, EXCESS_END, y);
        }
      if (count_remarks (self, line) > 0)
        {
          _cured_plot_set_colour (cr, red, 1);
          cairo_new_path (cr);
          cairo_arc (cr, MARK_AT, y + LINE_HEIGHT / 2, 3.5, 0, 2 * G_PI);
          cairo_fill (cr);
        }
      _cured_plot_set_colour (cr, style->foreground, 1);
      draw_text (cr, layout, self->lines[i], CURED_ALIGN_START, TEXT_AT, y);
    }
  cairo_restore (cr);
}

/* ORDER: as in source_write_csv(). */
static const char *const columns[] = { "line",     "instructions", "accesses", "wavefronts",
                                       "least",    "excess",       "requests", "sectors",
                                       "diverged", "remarks",      "source" };

static void
get_figures (const Source *self, guint i, guint64 figures[10])
{
  const CuredLineCounts none = { 0 };
  const CuredLineCounts *counts = cured_inspection_find_line (self->inspection, (int) i + 1);
  const CuredLineCounts *at = counts != NULL ? counts : &none;
  const guint64 all[10] = { i + 1,
                            at->issued,
                            at->shared_requests,
                            at->wavefronts,
                            at->least,
                            get_excess (counts),
                            at->requests,
                            at->sectors,
                            at->diverged,
                            count_remarks (self, (int) i + 1) };

  memcpy (figures, all, sizeof all);
}

static gboolean
source_write_csv (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                  GError **error)
{
  const Source *self = data;
  g_autoptr (GString) text = g_string_new (NULL);

  _cured_csv_texts (text, columns, G_N_ELEMENTS (columns));
  _cured_csv_end (text);
  for (guint i = 0; self->lines[i] != NULL; i++)
    {
      guint64 figures[10];

      get_figures (self, i, figures);
      for (gsize k = 0; k < G_N_ELEMENTS (figures); k++)
        _cured_csv_integer (text, (gint64) figures[k]);
      _cured_csv_text (text, self->lines[i]);
      _cured_csv_end (text);
    }
  return g_output_stream_write_all (stream, text->str, text->len, NULL, cancellable, error);
}

static gboolean
source_write_json (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                   GError **error)
{
  const Source *self = data;
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  _cured_json_begin_array (builder, "lines");
  for (guint i = 0; self->lines[i] != NULL; i++)
    {
      guint64 figures[10];

      get_figures (self, i, figures);
      json_builder_begin_object (builder);
      for (gsize k = 0; k < G_N_ELEMENTS (figures); k++)
        _cured_json_add_int (builder, columns[k], (gint64) figures[k]);
      _cured_json_add_text (builder, "source", self->lines[i]);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  _cured_json_begin_array (builder, "findings");
  CURED_EACH_POINTER (const CuredFinding, finding, self->inspection->findings)
    {
      json_builder_begin_object (builder);
      _cured_json_add_text (builder, "kind", cured_finding_info (finding->kind)->id);
      _cured_json_add_int (builder, "line", finding->here.line);
      _cured_json_add_int (builder, "count", (gint64) finding->count);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return _cured_export_write_builder (builder, stream, cancellable, error);
}

CURED_FREE_FUNC (Source, source_free, inspection, cured_inspection_unref, lines, g_strfreev)

static const CuredDrawingClass source_class = {
  .draw = source_draw,
  .write_csv = source_write_csv,
  .write_json = source_write_json,
  .free = source_free,
};

/* @source: the inspected text
 * @name: name for a file, without a suffix
 * @title: title of the kernel
 * @point: (nullable): values of its parameters
 *
 * Draws lines with their excess wavefronts, and marks lines with findings. The table has a row per
 * line.
 * Returns: (transfer full): the source as a drawing */
CuredDrawing *
cured_drawing_new_source (CuredInspection *inspection, const char *source, const char *name,
                          const char *title, const char *point)
{
  const CuredMetricInfo *info = cured_metric_info (CURED_METRIC_excess_wavefronts);
  Source *self = CURED_NEW (Source, .inspection = cured_inspection_ref (inspection),
                            .lines = g_strsplit (source, "\n", -1));

  self->n_lines = g_strv_length (self->lines);
  /* There is no line behind the last newline. */
  if (self->n_lines > 0 && *self->lines[self->n_lines - 1] == '\0')
    g_clear_pointer (&self->lines[--self->n_lines], g_free);
  self->n_lines = CLAMP (self->n_lines, 1, MAX_LINES);
  if (self->lines[0] == NULL)
    {
      g_strfreev (self->lines);
      self->lines = g_strsplit (" ", "\n", -1);
    }
  CURED_EACH (const CuredLineCounts, counts, inspection->lines)
    self->most = MAX (self->most, get_excess (counts));
  CuredDrawing *drawing = cured_drawing_new (&source_class, self, name, WIDTH, get_height (self));
  g_autofree char *footnote = g_strdup_printf ("%s: %s. Cured\u00a0%s", _ (info->title),
                                               _ (info->description), CURED_VERSION);
  cured_drawing_set_caption (drawing, title, point, NULL, footnote);
  return drawing;
}
