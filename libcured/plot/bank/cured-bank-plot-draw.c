/* SPDX-License-Identifier: MIT
 * Drawing of an access with Cairo: chips, head and rows. */
#include "config.h"

#include "plot/bank/cured-bank-plot-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "base/cured-each-internal.h"

/* Below it, numbers are left out. */
#define LEAST_WIDTH_FOR_TEXT  14.0
#define LEAST_HEIGHT_FOR_TEXT 10.0

/* Of the font's size, where a number is too wide for its chip. */
#define SMALL_SCALE 0.75

/* How much of a chip is left of those that a wavefront does not serve. */
#define DIMMED 0.22

#define MAX_RADIUS 5.0

/* Smaller ones have thinner edges. */
#define SMALL_CHIP 18.0

typedef struct
{
  cairo_t *cr;
  const CuredBankPlot *plot;
  const CuredBankPlotGeometry *geometry;
  const CuredPlotStyle *style;
  CuredPlotText *text;
  CuredPlotText *small_text;
  gboolean lists_fit; /* of lanes, into all chips that have several */
} Drawing;

/* ---- Colours ---- */

/* Hues of equal distance once around, every other one darker, so that neighbours differ in two
 * ways. All are light enough for dark text: the contrast is 7 or more, on any ground. CIE76
 * distance of any two is 16 or more. */
static const guint32 lane_colours[CURED_BANK_LANES] = {
  0xfda1bd, 0xfc5f7f, 0xfda4a0, 0xf46b52, 0xfda67f, 0xdf7d2f, 0xfea94f, 0xc78a16,
  0xe1b63b, 0xa6970d, 0xbbc33f, 0x7fa220, 0x8fcc56, 0x4ea941, 0x56d377, 0x15ab6a,
  0x1ed49c, 0x16a98d, 0x1fd1c4, 0x17a6ac, 0x21cdea, 0x19a2ca, 0x67c5fd, 0x1c9ded,
  0x9abcfd, 0x748ffc, 0xc3b0fd, 0xb77ceb, 0xef9efd, 0xda6dd1, 0xfd9cde, 0xf260af,
};

static const CuredColour lane_text = { 0, 0, 0 };

/**
 * cured_bank_lane_get_colours:
 * @lane: of the warp
 * @fill: (out) (optional): of its chips, on light and dark grounds
 * @text: (out) (optional): of the number on it
 */
void
cured_bank_lane_get_colours (guint lane, CuredColour *fill, CuredColour *text)
{
  g_return_if_fail (lane < CURED_BANK_LANES);
  guint32 colour = lane_colours[lane];
  if (fill != NULL)
    *fill = (CuredColour){ (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0,
                           (colour & 0xff) / 255.0 };
  if (text != NULL)
    *text = lane_text;
}

/* ---- Chips ---- */

/* Round: served at once. With straight edges: had to wait. */
static void
add_chip_path (cairo_t *cr, const CuredRect *rect, gboolean is_conflict)
{
  double radius = MIN (MIN (rect->width, rect->height) / 4, MAX_RADIUS);
  double x2 = rect->x + rect->width;
  double y2 = rect->y + rect->height;

  cairo_new_path (cr);
  if (is_conflict)
    {
      _cured_plot_add_rect (cr, rect);
      return;
    }
  cairo_arc (cr, x2 - radius, rect->y + radius, radius, -G_PI_2, 0);
  cairo_arc (cr, x2 - radius, y2 - radius, radius, 0, G_PI_2);
  cairo_arc (cr, rect->x + radius, y2 - radius, radius, G_PI_2, G_PI);
  cairo_arc (cr, rect->x + radius, rect->y + radius, radius, G_PI, 3 * G_PI_2);
  cairo_close_path (cr);
}

static char *
make_label (const CuredBankChip *chip, gboolean as_list)
{
  return as_list || chip->n_lanes == 1 ? cured_bank_lanes_format (chip->lanes)
                                       : g_strdup_printf ("×%u", chip->n_lanes);
}

static gboolean
do_lists_fit (const Drawing *self)
{
  for (guint i = 0; i < self->plot->chips->len; i++)
    {
      g_autofree char *label = make_label (_cured_bank_plot_get_chip (self->plot, i), TRUE);
      CuredRect rect;

      _cured_bank_plot_geometry_get_chip (self->geometry, self->plot, i, &rect);
      if (_cured_plot_text_measure_number (self->small_text, label) > rect.width)
        return FALSE;
    }
  return TRUE;
}

/* A strip of all its lanes\' colours: what the fill can't say of several. */
static void
draw_lanes (const Drawing *self, const CuredBankChip *chip, const CuredRect *rect, double strength)
{
  double height = MAX (floor (rect->height / 5), 2);
  guint n = 0;

  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    {
      CuredColour fill;
      double x1 = rect->x + rect->width * n / chip->n_lanes;

      if ((chip->lanes >> lane & 1) == 0)
        continue;
      n++;
      cured_bank_lane_get_colours (lane, &fill, NULL);
      _cured_plot_fill_rect (self->cr,
                             &(CuredRect){ x1, rect->y + rect->height - height,
                                           rect->x + rect->width * n / chip->n_lanes - x1, height },
                             _cured_plot_mix (self->style->background, fill, strength), 1);
    }
}

/* “0–3”, or “×4” where not all such lists find room. */
static void
draw_number (const Drawing *self, const CuredBankChip *chip, const CuredRect *rect,
             gboolean is_dimmed)
{
  g_autofree char *label = make_label (chip, self->lists_fit);
  CuredPlotText *text = self->text;

  /* All lanes alike: one digit is not larger than two. */
  if (MAX (_cured_plot_text_measure_number (text, label),
           _cured_plot_text_measure_number (text, "00")) > rect->width - 4)
    text = self->small_text;
  if (_cured_plot_text_measure_number (text, label) > rect->width)
    return;
  _cured_plot_set_colour (self->cr, is_dimmed ? self->style->foreground : lane_text,
                          is_dimmed ? 0.5 : 1);
  _cured_plot_text_add_number (text, label, CURED_ALIGN_CENTRE, rect->x + rect->width / 2,
                               rect->y + rect->height / 2);
  _cured_plot_text_flush_numbers (text, self->cr);
}

/* A marked corner and an edge: seen without colours too. All chips are light: the dark red suits
 * both grounds. */
static void
draw_conflict (const Drawing *self, const CuredRect *rect, double strength)
{
  cairo_t *cr = self->cr;
  CuredColour colour =
      _cured_plot_mix (self->style->background, (CuredColour){ 0.72, 0.07, 0.13 }, strength);
  double size = MIN (rect->width, rect->height);
  double side = MIN (size * 0.3, 9);
  double edge = size < SMALL_CHIP ? 1 : 2;

  cairo_new_path (cr);
  _cured_plot_set_colour (cr, colour, 1);
  if (size < LEAST_HEIGHT_FOR_TEXT)
    {
      cairo_rectangle (cr, rect->x, rect->y, rect->width, 1.5);
      cairo_fill (cr);
      return;
    }
  cairo_set_line_width (cr, edge);
  cairo_rectangle (cr, rect->x + edge / 2, rect->y + edge / 2, rect->width - edge,
                   rect->height - edge);
  cairo_stroke (cr);
  _cured_plot_add_triangle (cr, rect->x + rect->width - side - 1, rect->y, rect->x + rect->width,
                            rect->y, rect->x + rect->width, rect->y + side + 1);
  cairo_fill (cr);
}

static void
draw_chip (const Drawing *self, gsize index, gboolean is_dimmed)
{
  cairo_t *cr = self->cr;
  const CuredBankChip *chip = _cured_bank_plot_get_chip (self->plot, index);
  double strength = is_dimmed ? DIMMED : 1;
  CuredColour back = self->style->background;
  CuredColour fill;
  CuredRect rect;

  _cured_bank_plot_geometry_get_chip (self->geometry, self->plot, index, &rect);
  cured_bank_lane_get_colours ((guint) g_bit_nth_lsf (chip->lanes, -1), &fill, NULL);
  cairo_save (cr);
  add_chip_path (cr, &rect, chip->is_conflict);
  _cured_plot_set_colour (cr, _cured_plot_mix (back, fill, strength), 1);
  cairo_fill_preserve (cr);
  if (MIN (rect.width, rect.height) >= LEAST_HEIGHT_FOR_TEXT)
    {
      cairo_clip (cr);
      if (chip->n_lanes > 1)
        {
          draw_lanes (self, chip, &rect, strength);
          add_chip_path (cr, &rect, chip->is_conflict);
          _cured_plot_set_colour (cr, self->style->foreground, strength * 0.8);
          cairo_set_line_width (cr, 3); /* half of it is clipped */
          cairo_stroke (cr);
        }
    }
  cairo_restore (cr);
  if (chip->is_conflict)
    draw_conflict (self, &rect, is_dimmed ? 2 * DIMMED : 1);
  if (self->geometry->cell_width >= LEAST_WIDTH_FOR_TEXT && rect.height >= LEAST_HEIGHT_FOR_TEXT)
    draw_number (self, chip, &rect, is_dimmed);
}

/* ---- Around them ---- */

static CuredColour
get_warning_colour (const CuredPlotStyle *style)
{
  return _cured_plot_is_light (style->background) ? (CuredColour){ 0.75, 0.11, 0.16 }
                                                  : (CuredColour){ 1.0, 0.48, 0.39 };
}

static void
draw_chips (const Drawing *self, gssize wavefront, gssize highlighted)
{
  const CuredBankPlotGeometry *geometry = self->geometry;
  cairo_t *cr = self->cr;
  gsize n_chips = self->plot->chips->len;

  for (gsize i = 0; i < n_chips; i++)
    {
      gboolean is_dimmed =
          wavefront >= 0 && !cured_bank_plot_is_served (self->plot, i, (guint) wavefront);
      CuredRect rect;

      _cured_bank_plot_geometry_get_chip (geometry, self->plot, i, &rect);
      if (rect.y + rect.height < geometry->plot.y ||
          rect.y > geometry->plot.y + geometry->plot.height)
        continue;
      draw_chip (self, i, is_dimmed);
    }
  if (highlighted >= 0 && highlighted < (gssize) n_chips)
    {
      CuredRect rect;

      _cured_bank_plot_geometry_get_chip (geometry, self->plot, (gsize) highlighted, &rect);
      cairo_new_path (cr);
      cairo_rectangle (cr, rect.x - 1, rect.y - 1, rect.width + 2, rect.height + 2);
      _cured_plot_set_colour (cr, self->style->background, 1);
      cairo_set_line_width (cr, 5);
      cairo_stroke_preserve (cr);
      _cured_plot_stroke (cr, self->style->accent, 1, 3);
    }
}

static guint
get_group (const Drawing *self, guint wavefront)
{
  guint group = 0;

  CURED_EACH (const CuredBankChip, turn, self->plot->turns)
    {
      if (turn->wavefront > wavefront)
        break;
      group = turn->group;
    }
  return group;
}

/* Lines between cells; stronger ones between groups of lanes. */
static void
draw_grid (const Drawing *self)
{
  const CuredBankPlotGeometry *geometry = self->geometry;
  const CuredRect *plot = &geometry->plot;
  cairo_t *cr = self->cr;
  guint n_columns = self->plot->n_banks;
  guint n_rows = _cured_bank_plot_get_n_rows (self->plot);
  double end = plot->y + MIN (plot->height, geometry->content_height);

  cairo_new_path (cr);
  for (guint column = 0; column <= n_columns; column++)
    {
      double x = round (plot->x + column * geometry->cell_width) - 1;

      cairo_rectangle (cr, x, plot->y, 1, end - plot->y);
    }
  for (guint row = 0; row <= n_rows; row++)
    {
      double y = plot->y - geometry->scroll + row * geometry->cell_height;

      cairo_rectangle (cr, plot->x, round (y) - 1, plot->width, 1);
    }
  _cured_plot_fill (cr, self->style->foreground, 0.10);
  for (guint row = 1; row < n_rows && self->plot->mode == CURED_BANK_PLOT_BANKS; row++)
    if (get_group (self, row) != get_group (self, row - 1))
      cairo_rectangle (cr, plot->x,
                       round (plot->y - geometry->scroll + row * geometry->cell_height) - 1,
                       plot->width, 1);
  _cured_plot_fill (cr, self->style->foreground, 0.55);
}

/* ▼ above a bank that has to serve again. */
static void
draw_head_mark (const Drawing *self, double x, double y)
{
  double r = CLAMP (self->geometry->cell_width / 5, 2, 4);

  cairo_new_path (self->cr);
  _cured_plot_add_triangle (self->cr, x - r, y - r, x + r, y - r, x, y + r * 0.6);
  _cured_plot_fill (self->cr, get_warning_colour (self->style), 1);
}

static void
draw_head (const Drawing *self)
{
  const CuredBankPlotGeometry *geometry = self->geometry;
  const CuredPlotStyle *style = self->style;
  gboolean is_banks = self->plot->mode == CURED_BANK_PLOT_BANKS;
  guint n_columns = self->plot->n_banks;
  double line = geometry->line_height;
  double y = geometry->plot.y - round (line / 2) - line;
  double widest = _cured_plot_text_measure_number (self->text, "00") + 4;
  /* Two words side by side are one bank there. */
  gboolean has_banks = is_banks || self->plot->access.arch != CURED_BANK_ARCH_3_WIDE;
  guint step = 1;

  while (step * geometry->cell_width < widest)
    step *= 2;
  _cured_plot_set_colour (self->cr, style->dim, 1);
  _cured_plot_text_draw (self->text, self->cr, has_banks ? _ ("bank") : _ ("word modulo 32"),
                         CURED_ALIGN_CENTRE, geometry->plot.x + geometry->plot.width / 2, y - line,
                         geometry->plot.width);
  _cured_plot_text_draw (self->text, self->cr, is_banks ? _ ("wavefront") : _ ("word"),
                         CURED_ALIGN_END, geometry->plot.x - round (line / 4), y, geometry->plot.x);
  for (guint column = 0; column < n_columns; column++)
    {
      double x = geometry->plot.x + (column + 0.5) * geometry->cell_width;
      gboolean is_conflict = has_banks && _cured_bank_plot_is_bank_in_conflict (self->plot, column);
      char label[16];

      if (is_conflict)
        draw_head_mark (self, x, geometry->plot.y - round (line / 4));
      if (column % step != 0)
        continue;
      g_snprintf (label, sizeof label, "%u", column);
      _cured_plot_set_colour (self->cr,
                              is_conflict ? get_warning_colour (style) : style->foreground, 1);
      _cured_plot_text_add_number (self->text, label, CURED_ALIGN_CENTRE, x, y + line / 2);
      _cured_plot_text_flush_numbers (self->text, self->cr);
    }
}

/* Numbers of rows, clipped like the rows themselves. */
static void
draw_rows (const Drawing *self)
{
  const CuredBankPlotGeometry *geometry = self->geometry;
  gboolean is_banks = self->plot->mode == CURED_BANK_PLOT_BANKS;
  guint n_rows = _cured_bank_plot_get_n_rows (self->plot);
  double line = geometry->line_height;
  guint step = (guint) MAX (ceil (line / MAX (geometry->cell_height, 1)), 1);

  for (guint row = 0; row < n_rows; row++)
    {
      double y = geometry->plot.y - geometry->scroll + (row + 0.5) * geometry->cell_height;
      guint number = row + 1;
      char label[16];

      if (!is_banks)
        {
          const CuredBankPlotRow *here = &g_array_index (self->plot->rows, CuredBankPlotRow, row);

          if (here->n_skipped > 0)
            {
              g_autofree char *text =
                  g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "⋯ %u row that no lane touches",
                                                "⋯ %u rows that no lane touches", here->n_skipped),
                                   here->n_skipped);
              CuredRect band = { geometry->plot.x, round (y - geometry->cell_height / 2),
                                 geometry->plot.width, round (geometry->cell_height) - 1 };

              _cured_plot_fill_rect (self->cr, &band, self->style->background, 1);
              _cured_plot_text_paint (self->text, self->cr, self->style->dim, text,
                                      CURED_ALIGN_CENTRE, band.x + band.width / 2, y - line / 2,
                                      band.width);
              continue;
            }
          number = here->word;
        }
      if (!geometry->has_labels || row % step != 0)
        continue;
      g_snprintf (label, sizeof label, "%u", number);
      _cured_plot_set_colour (self->cr, self->style->foreground, 1);
      _cured_plot_text_add_number (self->text, label, CURED_ALIGN_END,
                                   geometry->plot.x - round (line / 4), y);
      _cured_plot_text_flush_numbers (self->text, self->cr);
    }
}

void
_cured_bank_plot_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const CuredBankPlot *plot = (const CuredBankPlot *) chart;
  const CuredPlotStyle *style = shown->style;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  g_autoptr (CuredPlotText) small_text = _cured_plot_text_new ();
  CuredBankPlotGeometry geometry;
  Drawing self = { cr, plot, &geometry, style, text, small_text, TRUE };

  _cured_bank_plot_geometry_init (&geometry, plot, shown);
  cairo_save (cr);
  _cured_plot_text_begin (text, cr, style, 1);
  _cured_plot_text_begin (small_text, cr, style, SMALL_SCALE);
  self.lists_fit = do_lists_fit (&self);
  if (style->draw_background)
    _cured_plot_fill_rect (cr, &(CuredRect){ 0, 0, geometry.width, geometry.height },
                           style->background, 1);
  if (geometry.has_labels)
    draw_head (&self);
  cairo_rectangle (cr, 0, geometry.plot.y - 1, geometry.width, geometry.plot.height + 2);
  cairo_clip (cr);
  draw_grid (&self);
  draw_rows (&self);
  draw_chips (&self, shown->step, shown->hovered >= 0 ? shown->hovered : shown->item);
  cairo_restore (cr);
}
