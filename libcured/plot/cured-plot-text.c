/* SPDX-License-Identifier: MIT
 * Text of a plot: Pango for words, shaped glyphs for thousands of numbers. */
#include "plot/cured-paint-private.h"

#include "base/cured-base-internal.h"

/* Implementation notes
 *
 * A zoomed heat map shows thousands of numbers per frame, and a PangoLayout for each costs more
 * than the rest of the frame. The few characters of numbers are shaped once, and a number is drawn
 * as a run of their glyphs. Kerning between digits is lost, which columns of numbers do not want
 * anyway; numbers contain no complex scripts, only foreign digits and separators, which are single
 * glyphs.
 *
 * Titles and names are the same in each frame, and shaping them took a sixth of the time of a frame
 * while panning. So their layouts are kept, too. */

/* Limit of a line; no display has room for more. */
#define MAX_BYTES 4096

/* Limit of cached layouts: more than a plot has. */
#define MAX_LAYOUTS 256

typedef struct
{
  cairo_scaled_font_t *font; /* NULL: a blank */
  gulong index;
  double advance;
} Glyph;

struct _CuredPlotText
{
  PangoContext *context;
  PangoLayout *layout;
  char *font;
  double scale;
  cairo_font_options_t *options; /* nullable: of the last drawing */
  cairo_matrix_t matrix;         /* likewise */
  guint serial;                  /* serial of the context for which everything below was shaped */
  double line_height, ascent;
  GHashTable *layouts;           /* (element-type utf8 PangoLayout) */
  GHashTable *glyphs;            /* (element-type gunichar Glyph) */
  cairo_scaled_font_t *run_font; /* borrowed from @glyphs, nullable */
  GArray *run;                   /* (element-type cairo_glyph_t) */
  GArray *other_run;             /* glyphs of other fonts, rare: Placed */
};

typedef struct
{
  cairo_scaled_font_t *font;
  cairo_glyph_t glyph;
} Placed;

static void
glyph_free (gpointer data)
{
  Glyph *self = data;

  if (self->font != NULL)
    cairo_scaled_font_destroy (self->font);
  g_free (self);
}

CuredPlotText *
_cured_plot_text_new (void)
{
  CuredPlotText *self = g_new0 (CuredPlotText, 1);

  self->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  self->layout = pango_layout_new (self->context);
  self->layouts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  self->glyphs = g_hash_table_new_full (NULL, NULL, NULL, glyph_free);
  self->run = g_array_new (FALSE, FALSE, sizeof (cairo_glyph_t));
  self->other_run = g_array_new (FALSE, FALSE, sizeof (Placed));
  return self;
}

CURED_DEFINE_FREE (CuredPlotText, _cured_plot_text_free, layouts, g_hash_table_unref, glyphs,
                   g_hash_table_unref, run, g_array_unref, other_run, g_array_unref, layout,
                   g_object_unref, context, g_object_unref, options, cairo_font_options_destroy,
                   font, g_free)

/* pango_cairo_update_context() causes all text to be shaped again, even if nothing changed: so it
 * is called only after a change. */
static void
update_context (CuredPlotText *self, cairo_t *cr)
{
  cairo_font_options_t *options = cairo_font_options_create ();
  cairo_matrix_t matrix;

  cairo_surface_get_font_options (cairo_get_target (cr), options);
  cairo_get_matrix (cr, &matrix);
  /* The translation does not affect the shape of text. */
  matrix.x0 = matrix.y0 = 0;
  if (self->options != NULL && cairo_font_options_equal (options, self->options) &&
      memcmp (&matrix, &self->matrix, sizeof matrix) == 0)
    {
      cairo_font_options_destroy (options);
      return;
    }
  g_clear_pointer (&self->options, cairo_font_options_destroy);
  self->options = options;
  self->matrix = matrix;
  pango_cairo_update_context (cr, self->context);
}

/* @cr: (nullable): NULL only to measure. @scale: factor of the font size. */
void
_cured_plot_text_begin (CuredPlotText *self, cairo_t *cr, const CuredPlotStyle *style, double scale)
{
  if (cr != NULL)
    update_context (self, cr);
  if (g_strcmp0 (self->font, style->font) != 0 || self->scale != scale)
    {
      PangoFontDescription *description = pango_font_description_from_string (style->font);

      double size = pango_font_description_get_size (description) * scale;

      /* "Sans 13px" is absolute, "Sans 10" is in points. */
      if (pango_font_description_get_size_is_absolute (description))
        pango_font_description_set_absolute_size (description, size);
      else
        pango_font_description_set_size (description, (int) size);
      pango_layout_set_font_description (self->layout, description);
      pango_context_set_font_description (self->context, description);
      pango_font_description_free (description);
      g_free (self->font);
      self->font = g_strdup (style->font);
      self->scale = scale;
      self->line_height = 0;
    }
  if (self->line_height <= 0 || self->serial != pango_context_get_serial (self->context))
    {
      PangoFontMetrics *metrics = pango_context_get_metrics (self->context, NULL, NULL);

      self->ascent = (double) pango_font_metrics_get_ascent (metrics) / PANGO_SCALE;
      self->line_height =
          self->ascent + (double) pango_font_metrics_get_descent (metrics) / PANGO_SCALE;
      pango_font_metrics_unref (metrics);
      g_hash_table_remove_all (self->layouts);
      g_hash_table_remove_all (self->glyphs);
      self->serial = pango_context_get_serial (self->context);
    }
}

/* (transfer none): a text of this thread to measure with; valid until another style is
 * requested. */
CuredPlotText *
_cured_plot_text_for (const CuredPlotStyle *style)
{
  static GPrivate measuring = G_PRIVATE_INIT ((GDestroyNotify) _cured_plot_text_free);
  CuredPlotText *self = g_private_get (&measuring);

  if (self == NULL)
    g_private_set (&measuring, self = _cured_plot_text_new ());
  _cured_plot_text_begin (self, NULL, style, 1);
  return self;
}

CURED_GETTER (double, _cured_plot_text_get_line_height, CuredPlotText, line_height)

/* (transfer none): a layout of one line, without a limit of its width. */
static PangoLayout *
get_layout (CuredPlotText *self, const char *text)
{
  PangoLayout *layout = g_hash_table_lookup (self->layouts, text);

  if (layout != NULL)
    return layout;
  if (g_hash_table_size (self->layouts) == MAX_LAYOUTS)
    g_hash_table_remove_all (self->layouts);
  g_autofree char *shown = _cured_text_shorten (text, MAX_BYTES);
  layout = pango_layout_new (self->context);
  pango_layout_set_text (layout, shown, -1);
  g_hash_table_insert (self->layouts, g_strdup (text), layout);
  return layout;
}

double
_cured_plot_text_measure (CuredPlotText *self, const char *text)
{
  int width;

  pango_layout_get_size (get_layout (self, text), &width, NULL);
  return (double) width / PANGO_SCALE;
}

/* Draws in the current colour; @y is the top of the line. Text wider than @max_width (negative: no
 * limit) ends in an ellipsis. Returns the width. */
double
_cured_plot_text_draw (CuredPlotText *self, cairo_t *cr, const char *text, CuredAlign align,
                       double x, double y, double max_width)
{
  double width = _cured_plot_text_measure (self, text);
  PangoLayout *layout = get_layout (self, text);

  if (max_width >= 0 && width > max_width)
    {
      if (max_width < self->line_height)
        return 0;
      layout = self->layout;
      pango_layout_context_changed (layout);
      pango_layout_set_text (layout, pango_layout_get_text (get_layout (self, text)), -1);
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
      pango_layout_set_width (layout, (int) (max_width * PANGO_SCALE));
      width = max_width;
    }
  if (align == CURED_ALIGN_CENTRE)
    x -= width / 2;
  else if (align == CURED_ALIGN_END)
    x -= width;
  /* On the baseline of numbers, also where another font is higher. */
  cairo_move_to (cr, x,
                 y + self->ascent - (double) pango_layout_get_baseline (layout) / PANGO_SCALE);
  pango_cairo_show_layout (cr, layout);
  pango_layout_set_ellipsize (self->layout, PANGO_ELLIPSIZE_NONE);
  pango_layout_set_width (self->layout, -1);
  return width;
}

/* As _cured_plot_text_draw(), in a colour that becomes the current one. */
double
_cured_plot_text_paint (CuredPlotText *self, cairo_t *cr, CuredColour colour, const char *text,
                        CuredAlign align, double x, double y, double max_width)
{
  _cured_plot_set_colour (cr, colour, 1);
  return _cured_plot_text_draw (self, cr, text, align, x, y, max_width);
}

static const Glyph *
get_glyph (CuredPlotText *self, gunichar character)
{
  Glyph *glyph = g_hash_table_lookup (self->glyphs, GUINT_TO_POINTER (character));
  char utf8[7] = { 0 };

  if (glyph != NULL)
    return glyph;
  glyph = g_new0 (Glyph, 1);
  g_hash_table_insert (self->glyphs, GUINT_TO_POINTER (character), glyph);
  utf8[g_unichar_to_utf8 (character, utf8)] = '\0';
  pango_layout_set_text (self->layout, utf8, -1);
  PangoLayoutLine *line = pango_layout_get_line_readonly (self->layout, 0);
  if (line == NULL || line->runs == NULL)
    return glyph;
  PangoGlyphItem *item = line->runs->data;
  if (item->glyphs->num_glyphs < 1)
    return glyph;
  glyph->advance = (double) item->glyphs->glyphs[0].geometry.width / PANGO_SCALE;
  if (item->glyphs->glyphs[0].glyph != PANGO_GLYPH_EMPTY &&
      !(item->glyphs->glyphs[0].glyph & PANGO_GLYPH_UNKNOWN_FLAG) &&
      PANGO_IS_CAIRO_FONT (item->item->analysis.font))
    {
      glyph->index = item->glyphs->glyphs[0].glyph;
      glyph->font = cairo_scaled_font_reference (
          pango_cairo_font_get_scaled_font (PANGO_CAIRO_FONT (item->item->analysis.font)));
    }
  return glyph;
}

double
_cured_plot_text_measure_number (CuredPlotText *self, const char *text)
{
  double width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    width += get_glyph (self, g_utf8_get_char (p))->advance;
  return width;
}

/* @y is the middle of the line. Drawn by _cured_plot_text_flush_numbers(). */
void
_cured_plot_text_add_number (CuredPlotText *self, const char *text, CuredAlign align, double x,
                             double y)
{
  if (align == CURED_ALIGN_CENTRE)
    x -= _cured_plot_text_measure_number (self, text) / 2;
  else if (align == CURED_ALIGN_END)
    x -= _cured_plot_text_measure_number (self, text);
  /* Whole pixels, so that cairo caches one image of a glyph, not four. */
  x = round (x);
  y = round (y - self->line_height / 2 + self->ascent);
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      const Glyph *glyph = get_glyph (self, g_utf8_get_char (p));
      cairo_glyph_t placed = { glyph->index, x, y };

      x += glyph->advance;
      if (glyph->font == NULL)
        continue;
      if (self->run_font == NULL)
        self->run_font = glyph->font;
      if (glyph->font == self->run_font)
        g_array_append_val (self->run, placed);
      else
        {
          Placed other = { glyph->font, placed };

          g_array_append_val (self->other_run, other);
        }
    }
}

/* Draws the added numbers in the current colour. */
void
_cured_plot_text_flush_numbers (CuredPlotText *self, cairo_t *cr)
{
  if (self->run->len > 0)
    {
      cairo_set_scaled_font (cr, self->run_font);
      cairo_show_glyphs (cr, (cairo_glyph_t *) (void *) self->run->data, (int) self->run->len);
    }
  CURED_EACH (Placed, other, self->other_run)
    {
      cairo_set_scaled_font (cr, other->font);
      cairo_show_glyphs (cr, &other->glyph, 1);
    }
  g_array_set_size (self->run, 0);
  g_array_set_size (self->other_run, 0);
  self->run_font = NULL;
}
