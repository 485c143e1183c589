/* SPDX-License-Identifier: MIT
 * Where the parts of an access's picture are: no drawing. */
#include "config.h"

#include "plot/bank/cured-bank-plot-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

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
measure_labels (const CuredBankPlot *plot, CuredPlotText *text)
{
  double width = 0;
  char label[16];

  if (plot->mode == CURED_BANK_PLOT_BANKS)
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
frame_init (Frame *self, const CuredBankPlot *plot, const CuredPlotStyle *style)
{
  CuredPlotText *text = _cured_plot_text_for (style);

  self->line = ceil (_cured_plot_text_get_line_height (text));
  self->scale = MAX (self->line / USUAL_LINE, 1);
  self->pad = round (self->line / 2);
  self->labels = ceil (measure_labels (plot, text)) + self->pad + self->pad / 2;
  /* Title, numbers, marks of conflicts. */
  self->head = 2 * self->line + self->pad;
}

static double
get_natural_height (const CuredBankPlot *plot, double cell_width, double scale)
{
  guint n_parts = plot->mode == CURED_BANK_PLOT_BANKS ? MAX (plot->n_parts, plot->parts_beside) : 1;

  return CLAMP (cell_width * NATURAL_RATIO, USUAL_HEIGHT * scale, MOST_HEIGHT * scale) * n_parts;
}

void
_cured_bank_plot_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
                          double *least_width, double *width, double *height)
{
  const CuredBankPlot *self = (const CuredBankPlot *) chart;
  guint n_rows = MAX (_cured_bank_plot_get_n_rows (self), 1);
  Frame frame;

  frame_init (&frame, self, style);
  double cell = NATURAL_WIDTH * frame.scale;
  if (for_width >= 0)
    cell = CLAMP ((for_width - frame.labels - frame.pad) / self->n_banks, LEAST_WIDTH,
                  MOST_WIDTH * frame.scale);
  *least_width = ceil (frame.labels + frame.pad + self->n_banks * LEAST_WIDTH);
  *width = ceil (frame.labels + frame.pad + self->n_banks * NATURAL_WIDTH * frame.scale);
  *height = ceil (frame.head + frame.pad + n_rows * get_natural_height (self, cell, frame.scale));
}

/* All sizes are 0 or more, whatever room there is. */
void
_cured_bank_plot_geometry_init (CuredBankPlotGeometry *self, const CuredBankPlot *plot,
                                const CuredChartShown *shown)
{
  guint n_rows = MAX (_cured_bank_plot_get_n_rows (plot), 1);
  double width = MAX (shown->width, 0);
  double height = MAX (shown->height, 0);
  Frame frame;

  frame_init (&frame, plot, shown->style);
  *self = (CuredBankPlotGeometry){
    .width = width,
    .height = height,
    .line_height = frame.line,
    .has_labels =
        height >= HEIGHT_FOR_LABELS * frame.line && width >= WIDTH_FOR_LABELS * frame.line,
  };
  double left = self->has_labels ? frame.labels : MIN (frame.pad / 2, width / 4);
  double top = self->has_labels ? frame.head : MIN (frame.pad / 2, height / 4);
  self->cell_width = MIN (MAX (width - left - MIN (frame.pad, width / 4), 0) / plot->n_banks,
                          MOST_WIDTH * frame.scale);
  double natural = get_natural_height (plot, self->cell_width, frame.scale);
  double least = MIN (natural, MAX (LEAST_HEIGHT, frame.line));
  self->cell_height =
      CLAMP ((height - top - frame.pad / 2) / MAX (n_rows, plot->rows_beside), least, natural);
  self->content_height = n_rows * self->cell_height;
  /* What is left over on the right is shared out. */
  left += floor (MAX (width - left - frame.pad - plot->n_banks * self->cell_width, 0) / 2);
  self->plot = (CuredRect){
    left,
    top,
    plot->n_banks * self->cell_width,
    CLAMP (height - top, 0, self->content_height),
  };
  self->scroll = CLAMP (shown->scroll, 0, MAX (self->content_height - self->plot.height, 0));
}

void
_cured_bank_plot_get_rows (const CuredChart *chart, const CuredChartShown *shown,
                           CuredChartRows *rows)
{
  CuredBankPlotGeometry geometry;

  _cured_bank_plot_geometry_init (&geometry, (const CuredBankPlot *) chart, shown);
  *rows = (CuredChartRows){ geometry.plot.y, geometry.content_height, geometry.plot.height,
                            geometry.cell_height };
}

/* Chips of one bank and wavefront share its cell, one above the other. */
static void
get_part (const CuredBankPlot *plot, gsize chip, guint *part, guint *n_parts)
{
  const CuredBankChip *here = _cured_bank_plot_get_chip (plot, chip);
  const CuredBankChip *chips = _cured_bank_plot_get_chip (plot, 0);

  *part = 0;
  *n_parts = 1;
  if (plot->mode != CURED_BANK_PLOT_BANKS)
    return;
  for (gsize i = chip;
       i > 0 && chips[i - 1].bank == here->bank && chips[i - 1].wavefront == here->wavefront; i--)
    (*part)++;
  *n_parts += *part;
  for (gsize i = chip + 1;
       i < plot->chips->len && chips[i].bank == here->bank && chips[i].wavefront == here->wavefront;
       i++)
    (*n_parts)++;
}

/* The cell, or the part of it that is the chip's, without a gap; it may be scrolled out of sight. */
static void
get_cell (const CuredBankPlotGeometry *self, const CuredBankPlot *plot, gsize chip, CuredRect *rect)
{
  const CuredBankChip *here = _cured_bank_plot_get_chip (plot, chip);
  gboolean is_banks = plot->mode == CURED_BANK_PLOT_BANKS;
  double height = self->cell_height * (is_banks ? here->n_wavefronts : 1);
  guint column, row, part, n_parts;

  _cured_bank_plot_get_place (plot, here, &column, &row);
  get_part (plot, chip, &part, &n_parts);
  *rect = (CuredRect){
    self->plot.x + column * self->cell_width,
    self->plot.y - self->scroll + row * self->cell_height + part * height / n_parts,
    self->cell_width * here->n_words,
    height / n_parts,
  };
}

/* Where the chip is drawn: with a gap. */
void
_cured_bank_plot_geometry_get_chip (const CuredBankPlotGeometry *self, const CuredBankPlot *plot,
                                    gsize chip, CuredRect *rect)
{
  CuredRect cell;

  get_cell (self, plot, chip, &cell);
  *rect = cell;
  if (MIN (self->cell_width, cell.height) >= SMALL)
    {
      /* Edges on whole pixels: the gaps are all alike. */
      rect->x = round (cell.x);
      rect->y = round (cell.y);
      rect->width = round (cell.x + cell.width) - 2 - rect->x;
      rect->height = round (cell.y + cell.height) - 2 - rect->y;
    }
  else if (MIN (self->cell_width, cell.height) >= 3)
    {
      rect->width -= 1;
      rect->height -= 1;
    }
}

void
_cured_bank_plot_locate (const CuredChart *chart, const CuredChartShown *shown, gsize item,
                         CuredRect *rect)
{
  const CuredBankPlot *self = (const CuredBankPlot *) chart;
  CuredBankPlotGeometry geometry;

  _cured_bank_plot_geometry_init (&geometry, self, shown);
  get_cell (&geometry, self, item, rect);
}

/* The gaps between chips belong to them. */
gssize
_cured_bank_plot_pick (const CuredChart *chart, const CuredChartShown *shown, double x, double y)
{
  const CuredBankPlot *self = (const CuredBankPlot *) chart;
  CuredBankPlotGeometry geometry;

  _cured_bank_plot_geometry_init (&geometry, self, shown);
  if (y < geometry.plot.y || y >= geometry.plot.y + geometry.plot.height)
    return -1;
  for (guint i = 0; i < self->chips->len; i++)
    {
      CuredRect cell;

      get_cell (&geometry, self, i, &cell);
      if (x >= cell.x && x < cell.x + cell.width && y >= cell.y && y < cell.y + cell.height)
        return i;
    }
  return -1;
}
