/* SPDX-License-Identifier: MIT
 * A lesson as a handout: its map, banks and questions. */

#include "base/cured-base-internal.h"
#include "plot/export/cured-drawing-internal.h"
#include "plot/map/cured-map-plot-private.h"

/* A4 upright, in units of 1/96 inch, without the margins of a drawing. */
#define PAGE_WIDTH  770.0
#define PAGE_HEIGHT 1040.0

#define HEADING_FONT "Sans Bold 11"
#define GAP          12.0

/* Height of a line for a handwritten answer. */
#define LINE_FOR_ANSWER 26.0

/* Greatest shares of the page's height. */
#define MAP_SHARE     0.36
#define BANKS_SHARE   0.20
#define THREADS_SHARE 0.28

typedef struct
{
  const CuredLesson *lesson;
  CuredDrawing *map;   /* nullable */
  CuredDrawing *banks; /* nullable; or threads and elements */
  char **questions;
  char **answers; /* nullable */
} Lesson;

/* Returns the top of the next line. */
static double
draw_text (cairo_t *cr, const CuredPlotStyle *style, const char *font, const char *text, double x,
           double y, double width)
{
  g_autoptr (PangoLayout) layout = pango_cairo_create_layout (cr);
  PangoFontDescription *description = pango_font_description_from_string (font);
  int height;

  pango_layout_set_font_description (layout, description);
  pango_font_description_free (description);
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_size (layout, NULL, &height);
  _cured_plot_set_colour (cr, style->foreground, 1);
  cairo_move_to (cr, x, y);
  pango_cairo_show_layout (cr, layout);
  return y + height;
}

static double
draw_part (cairo_t *cr, const CuredPlotStyle *style, const char *heading, const char *text,
           double y, double width)
{
  y = draw_text (cr, style, HEADING_FONT, heading, 0, y, width);
  return draw_text (cr, style, style->font, text, 0, y + 2, width) + GAP;
}

/* Fits a drawing into the width, and into a share of the height. */
static double
draw_picture (cairo_t *cr, const CuredPlotStyle *style, const CuredDrawing *drawing, double y,
              double width, double most)
{
  double natural_width, natural_height;

  if (drawing == NULL)
    return y;
  cured_drawing_get_size (drawing, &natural_width, &natural_height);
  double scale = MIN (MIN (width / natural_width, most / natural_height), 1);
  cairo_save (cr);
  cairo_translate (cr, 0, y);
  cairo_scale (cr, scale, scale);
  cured_drawing_draw (drawing, cr, style, natural_width, natural_height);
  cairo_restore (cr);
  return y + natural_height * scale + GAP;
}

static double
draw_questions (const Lesson *self, cairo_t *cr, const CuredPlotStyle *style, double y,
                double width)
{
  y = draw_text (cr, style, HEADING_FONT,
                 self->answers != NULL ? _ ("What was found") : _ ("Write down before"), 0, y,
                 width) +
      2;
  for (gsize i = 0; self->questions[i] != NULL; i++)
    {
      y = draw_text (cr, style, style->font, self->questions[i], 0, y + 4, width);
      if (self->answers != NULL)
        {
          y = draw_text (cr, style, style->font, self->answers[i], 20, y, width - 20);
          continue;
        }
      y += LINE_FOR_ANSWER;
      _cured_plot_add_line (cr, 0, y, width, y);
      _cured_plot_stroke (cr, style->dim, 1, 0.5);
    }
  return y;
}

static void
lesson_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
             double height)
{
  const Lesson *self = data;
  double y = 0;

  y = draw_part (cr, style, _ ("What the text says"), _ (self->lesson->says), y, width);
  y = draw_picture (cr, style, self->map, y, width, height * MAP_SHARE);
  y = draw_part (cr, style, _ ("What to see"), _ (self->lesson->see), y, width);
  y = draw_picture (cr, style, self->banks, y, width,
                    height * (self->lesson->small[0] != NULL ? THREADS_SHARE : BANKS_SHARE));
  y = draw_part (cr, style, _ ("Try it"), _ (self->lesson->attempt), y, width);
  draw_questions (self, cr, style, y, width);
}

CURED_FREE_FUNC (Lesson, lesson_free, map, cured_drawing_unref, banks, cured_drawing_unref,
                 questions, g_strfreev, answers, g_strfreev)

static const CuredDrawingClass lesson_class = {
  .draw = lesson_draw,
  .free = lesson_free,
};

/* @map: (nullable): drawing of its recording
 * @banks: (nullable): drawing of an access of its kernel; for a lesson with a small case, of its
 *   threads and the elements that they touch
 * @questions: (array zero-terminated=1): questions whose answers are figures
 * @answers: (nullable) (array zero-terminated=1): one per question; NULL: lines to write on
 * Returns: (transfer full): a page without a table */
CuredDrawing *
cured_drawing_new_lesson (const CuredLesson *lesson, CuredDrawing *map, CuredDrawing *banks,
                          const char *const *questions, const char *const *answers)
{
  Lesson *self = CURED_NEW (
      Lesson, .lesson = lesson, .map = map != NULL ? cured_drawing_ref (map) : NULL,
      .banks = banks != NULL ? cured_drawing_ref (banks) : NULL,
      .questions = g_strdupv ((char **) questions), .answers = g_strdupv ((char **) answers));

  CuredDrawing *drawing =
      cured_drawing_new (&lesson_class, self, lesson->id, PAGE_WIDTH, PAGE_HEIGHT);
  cured_drawing_set_caption (drawing, _ (lesson->title), NULL, NULL, NULL);
  return drawing;
}
