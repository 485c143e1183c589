/* SPDX-License-Identifier: MIT
 * Where the parts of an access's picture are: no drawing. */
#include "config.h"

#include "plot/bank/cured-bank-plot-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include "plot/bank/cured-bank-plot-internal.h"

/* Of a cell, in user units. */
#define LEAST_WIDTH   6.0
#define NATURAL_WIDTH 28.0
#define MOST_WIDTH    56.0
#define LEAST_HEIGHT  12.0
#define USUAL_HEIGHT  18.0
#define MOST_HEIGHT   48.0

/* The height of a line of text that these are for; larger text has larger cells. */
#define USUAL_LINE 18.0

/* Of a cell with room, to its width: three lanes' numbers stand in it. */
#define NATURAL_RATIO 1.3

/* In lines of text: below it there are no labels. */
#define HEIGHT_FOR_LABELS 4
#define WIDTH_FOR_LABELS  12

/* Smaller cells than this have narrower gaps. */
#define SMALL 10.0

typedef struct
{
  double line;
  double pad;
  double labels; /* width left of the cells */
  double head;   /* height above them */
  double scale;  /* of a cell's sizes: 1, or more where the text is large */
} Frame;

/* The widest label of the rows, and their title. */
static double
measure_labels (const CuredBankPlot *plot, CuredBankPlotMode mode, CuredPlotText *text)
{
  double width = 0;
  char label[16];

  if (mode == CURED_BANK_PLOT_BANKS)
    {
      g_snprintf (label, sizeof label, "%u", plot->counts.wavefronts);
      width = _cured_plot_text_measure (text, label);
      return MAX (width, _cured_plot_text_measure (text, _ ("wavefront")));
    }
  if (plot->rows->len > 0)
    {
      g_snprintf (label, sizeof label, "%u",
                  g_array_index (plot->rows, CuredBankPlotRow, plot->rows->len - 1).word);
      width = _cured_plot_text_measure (text, label);
    }
  return MAX (width, _cured_plot_text_measure (text, _ ("word")));
}

static void
frame_init (Frame *self, const CuredBankPlot *plot, CuredBankPlotMode mode,
            const CuredPlotStyle *style)
{
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();

  _cured_plot_text_begin (text, NULL, style, 1);
  self->line = ceil (_cured_plot_text_get_line_height (text));
  self->scale = MAX (self->line / USUAL_LINE, 1);
  self->pad = round (self->line / 2);
  self->labels = ceil (measure_labels (plot, mode, text)) + self->pad + self->pad / 2;
  /* Title, numbers, marks of conflicts. */
  self->head = 2 * self->line + self->pad;
}

static double
get_natural_height (const CuredBankPlot *plot, CuredBankPlotMode mode, double cell_width,
                    double scale)
{
  guint n_parts = mode == CURED_BANK_PLOT_BANKS ? MAX (plot->n_parts, plot->parts_beside) : 1;

  return CLAMP (cell_width * NATURAL_RATIO, USUAL_HEIGHT * scale, MOST_HEIGHT * scale) * n_parts;
}

/**
 * cured_bank_plot_align:
 * @self: a picture that is not drawn yet
 * @beside: (nullable): the one that stands beside it, in as much room
 *
 * Gives its rows the height that they have in both pictures, so that 32 wavefronts beside 1 are
 * seen to be more. The other one is to be aligned likewise.
 */
void
cured_bank_plot_align (CuredBankPlot *self, const CuredBankPlot *beside)
{
  for (int mode = 0; mode < 2; mode++)
    self->rows_beside[mode] =
        beside != NULL ? _cured_bank_plot_get_n_rows (beside, (CuredBankPlotMode) mode) : 0;
  self->parts_beside = beside != NULL ? beside->n_parts : 0;
}

/**
 * cured_bank_plot_measure:
 * @self: a picture
 * @mode: what rows and columns are
 * @style: only the font is looked at
 * @for_width: for which the height is wanted; negative: the natural one
 * @least_width: (out): below it, columns are too narrow to be seen
 * @natural_width: (out): with which the numbers can be read
 * @natural_height: (out): at which nothing has to be scrolled
 *
 * What a widget asks for.
 */
void
cured_bank_plot_measure (const CuredBankPlot *self, CuredBankPlotMode mode,
                         const CuredPlotStyle *style, double for_width, double *least_width,
                         double *natural_width, double *natural_height)
{
  guint n_columns = _cured_bank_plot_get_n_columns (self);
  guint n_rows = MAX (_cured_bank_plot_get_n_rows (self, mode), 1);
  double width;
  Frame frame;

  frame_init (&frame, self, mode, style);
  width = NATURAL_WIDTH * frame.scale;
  if (for_width >= 0)
    width = CLAMP ((for_width - frame.labels - frame.pad) / n_columns, LEAST_WIDTH,
                   MOST_WIDTH * frame.scale);
  *least_width = ceil (frame.labels + frame.pad + n_columns * LEAST_WIDTH);
  *natural_width = ceil (frame.labels + frame.pad + n_columns * NATURAL_WIDTH * frame.scale);
  *natural_height =
      ceil (frame.head + frame.pad + n_rows * get_natural_height (self, mode, width, frame.scale));
}

/**
 * cured_bank_plot_geometry_init:
 * @self: (out caller-allocates): a geometry
 * @plot: what will be drawn
 * @mode: what rows and columns are
 * @style: only the font is looked at
 * @width: of the whole drawing, in user units
 * @height: likewise
 *
 * Lays a picture out, from its first row on. All sizes are 0 or more, whatever
 * @width and @height are.
 */
void
cured_bank_plot_geometry_init (CuredBankPlotGeometry *self, const CuredBankPlot *plot,
                               CuredBankPlotMode mode, const CuredPlotStyle *style, double width,
                               double height)
{
  guint n_columns = _cured_bank_plot_get_n_columns (plot);
  guint n_rows = MAX (_cured_bank_plot_get_n_rows (plot, mode), 1);
  double left;
  double top;
  double natural;
  double least;
  Frame frame;

  width = MAX (width, 0);
  height = MAX (height, 0);
  frame_init (&frame, plot, mode, style);
  *self = (CuredBankPlotGeometry){
    .mode = mode,
    .width = width,
    .height = height,
    .line_height = frame.line,
    .has_labels =
        height >= HEIGHT_FOR_LABELS * frame.line && width >= WIDTH_FOR_LABELS * frame.line,
  };
  left = self->has_labels ? frame.labels : MIN (frame.pad / 2, width / 4);
  top = self->has_labels ? frame.head : MIN (frame.pad / 2, height / 4);
  self->cell_width = MIN (MAX (width - left - MIN (frame.pad, width / 4), 0) / n_columns,
                          MOST_WIDTH * frame.scale);
  natural = get_natural_height (plot, mode, self->cell_width, frame.scale);
  least = MIN (natural, MAX (LEAST_HEIGHT, frame.line));
  self->cell_height = CLAMP ((height - top - frame.pad / 2) / MAX (n_rows, plot->rows_beside[mode]),
                             least, natural);
  self->content_height = n_rows * self->cell_height;
  /* What is left over on the right is shared out. */
  left += floor (MAX (width - left - frame.pad - n_columns * self->cell_width, 0) / 2);
  self->plot = (CuredRect){
    left,
    top,
    n_columns * self->cell_width,
    CLAMP (height - top, 0, self->content_height),
  };
}

/**
 * cured_bank_plot_geometry_set_scroll:
 * @self: a geometry
 * @scroll: what is to be above the part that is seen; any number
 */
void
cured_bank_plot_geometry_set_scroll (CuredBankPlotGeometry *self, double scroll)
{
  self->scroll = CLAMP (scroll, 0, MAX (self->content_height - self->plot.height, 0));
}

/* Chips of one bank and wavefront share its cell, one above the other. */
static void
get_part (const CuredBankPlot *plot, CuredBankPlotMode mode, gsize chip, guint *part,
          guint *n_parts)
{
  const CuredBankChip *here = _cured_bank_plot_get_chip (plot, mode, chip);
  gsize n_chips;
  const CuredBankChip *chips = cured_bank_plot_get_chips (plot, mode, &n_chips);

  *part = 0;
  *n_parts = 1;
  if (mode != CURED_BANK_PLOT_BANKS)
    return;
  for (gsize i = chip;
       i > 0 && chips[i - 1].bank == here->bank && chips[i - 1].wavefront == here->wavefront; i--)
    (*part)++;
  *n_parts += *part;
  for (gsize i = chip + 1;
       i < n_chips && chips[i].bank == here->bank && chips[i].wavefront == here->wavefront; i++)
    (*n_parts)++;
}

/* The cell, or the part of it that is the chip's, without a gap. */
static void
get_cell (const CuredBankPlotGeometry *self, const CuredBankPlot *plot, gsize chip, CuredRect *rect)
{
  const CuredBankChip *here = _cured_bank_plot_get_chip (plot, self->mode, chip);
  gboolean is_banks = self->mode == CURED_BANK_PLOT_BANKS;
  double height = self->cell_height * (is_banks ? here->n_wavefronts : 1);
  guint column;
  guint row;
  guint part;
  guint n_parts;

  _cured_bank_plot_get_place (plot, self->mode, here, &column, &row);
  get_part (plot, self->mode, chip, &part, &n_parts);
  *rect = (CuredRect){
    self->plot.x + column * self->cell_width,
    self->plot.y - self->scroll + row * self->cell_height + part * height / n_parts,
    self->cell_width * here->n_words,
    height / n_parts,
  };
}

/**
 * cured_bank_plot_geometry_get_chip:
 * @self: a geometry
 * @plot: what it is of
 * @chip: index of a chip
 * @rect: (out caller-allocates): where it is drawn; may be scrolled out of
 *   @plot of the geometry
 */
void
cured_bank_plot_geometry_get_chip (const CuredBankPlotGeometry *self, const CuredBankPlot *plot,
                                   gsize chip, CuredRect *rect)
{
  CuredRect cell;
  double x2;
  double y2;

  get_cell (self, plot, chip, &cell);
  *rect = cell;
  if (MIN (self->cell_width, cell.height) >= SMALL)
    {
      /* Edges on whole pixels: the gaps are all alike. */
      x2 = round (cell.x + cell.width) - 2;
      y2 = round (cell.y + cell.height) - 2;
      rect->x = round (cell.x);
      rect->y = round (cell.y);
      rect->width = x2 - rect->x;
      rect->height = y2 - rect->y;
    }
  else if (MIN (self->cell_width, cell.height) >= 3)
    {
      rect->width -= 1;
      rect->height -= 1;
    }
}

/**
 * cured_bank_plot_geometry_pick:
 * @self: a geometry
 * @plot: what it is of
 * @x: in the drawing
 * @y: likewise
 * @chip: (out): index of the chip that is there
 *
 * The gaps between chips belong to them.
 *
 * Returns: FALSE: there is none
 */
gboolean
cured_bank_plot_geometry_pick (const CuredBankPlotGeometry *self, const CuredBankPlot *plot,
                               double x, double y, gsize *chip)
{
  gsize n_chips;

  if (x < self->plot.x || x >= self->plot.x + self->plot.width || y < self->plot.y ||
      y >= self->plot.y + self->plot.height)
    return FALSE;
  cured_bank_plot_get_chips (plot, self->mode, &n_chips);
  for (gsize i = 0; i < n_chips; i++)
    {
      CuredRect cell;

      get_cell (self, plot, i, &cell);
      if (x >= cell.x && x < cell.x + cell.width && y >= cell.y && y < cell.y + cell.height)
        {
          *chip = i;
          return TRUE;
        }
    }
  return FALSE;
}

/**
 * cured_bank_plot_geometry_reveal:
 * @self: a geometry
 * @plot: what it is of
 * @chip: index of a chip
 *
 * Scrolls as little as shows the chip.
 */
void
cured_bank_plot_geometry_reveal (CuredBankPlotGeometry *self, const CuredBankPlot *plot, gsize chip)
{
  CuredRect cell;
  double end = self->plot.y + self->plot.height;

  get_cell (self, plot, chip, &cell);
  if (cell.y + cell.height > end)
    cured_bank_plot_geometry_set_scroll (self, self->scroll + cell.y + cell.height - end);
  get_cell (self, plot, chip, &cell);
  if (cell.y < self->plot.y)
    cured_bank_plot_geometry_set_scroll (self, self->scroll + cell.y - self->plot.y);
}
