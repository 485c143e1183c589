/* SPDX-License-Identifier: MIT
 * One access of a warp to the banks of shared memory: its chips, their layout, drawing and
 * description. */
#include "plot/bank/cured-bank-plot.h"

#include "base/cured-base-internal.h"
#include "plot/cured-paint-private.h"

/* A row of the picture of addresses. */
typedef struct
{
  guint32 word;    /* first word of the row, a multiple of the number of columns */
  guint n_skipped; /* 0: a row of words; else a gap of this many untouched rows */
} Row;

/* The layout of a picture. */
typedef struct
{
  double width, height;
  CuredRect plot;     /* chips outside of it are clipped */
  double cell_width;  /* of a bank or word */
  double cell_height; /* of a wavefront or row of words */
  double content_height;
  double scroll; /* height of the content above the plot */
  double line_height;
  gboolean has_labels;
} Geometry;

static const CuredBankChip *
get_chip (const CuredBankPlot *self, gsize chip)
{
  return &g_array_index (self->chips, CuredBankChip, chip);
}

/* Up to this many consecutive untouched rows are drawn. */
#define MAX_EMPTY_ROWS 2

/* ---- Chips ---- */

CURED_COMPARE_FUNC (CuredBankChip, compare_chip, wavefront, bank, word)

CURED_COMPARE_FUNC (CuredBankChip, compare_element, word)

static CuredBankChip *
find_chip (GArray *chips, const CuredBankServed *served)
{
  CURED_EACH (CuredBankChip, chip, chips)
    if (chip->word == served->word && chip->wavefront == served->wavefront)
      return chip;
  return NULL;
}

/* The first wavefront of a group: banks without a conflict serve it in this one. */
static guint
get_begin (const CuredBankPicture *picture, guint group)
{
  guint begin = G_MAXUINT;

  for (gsize i = 0; i < picture->n_served; i++)
    if (picture->served[i].group == group)
      begin = MIN (begin, picture->served[i].wavefront);
  return begin;
}

static void
make_chips (CuredBankPlot *self, const CuredBankPicture *picture)
{
  guint n_wavefronts = self->access.kind == CURED_BANK_KIND_SWAP ? 2 : 1; /* per turn */

  for (gsize i = 0; i < picture->n_served; i++)
    {
      const CuredBankServed *served = &picture->served[i];
      CuredBankChip *known = find_chip (self->turns, served);
      CuredBankChip chip = {
        .word = served->word,
        .n_words = 1,
        .bank = served->bank,
        .wavefront = served->wavefront,
        .n_wavefronts = n_wavefronts,
        .group = served->group,
        .is_conflict = served->wavefront > get_begin (picture, served->group),
      };

      if (known == NULL)
        {
          g_array_append_val (self->turns, chip);
          known = &g_array_index (self->turns, CuredBankChip, self->turns->len - 1);
        }
      known->lanes |= 1u << served->lane;
    }
  CURED_EACH (CuredBankChip, chip, self->turns)
    {
      chip->n_lanes = (guint) __builtin_popcount (chip->lanes);
      chip->is_broadcast = chip->n_lanes > 1;
    }
  g_array_sort (self->turns, compare_chip);
}

/* A lane's words are aligned to its width: the words of two lanes are equal or
 * disjoint. */
static void
make_elements (CuredBankPlot *self)
{
  guint n_words = MAX (self->access.width / 32, 1);

  CURED_EACH (const CuredBankChip, chip, self->turns)
    {
      guint32 word = chip->word - chip->word % n_words;
      CuredBankChip *element = NULL;

      for (guint j = 0; j < self->chips->len && element == NULL; j++)
        if (g_array_index (self->chips, CuredBankChip, j).word == word)
          element = &g_array_index (self->chips, CuredBankChip, j);
      if (element == NULL)
        {
          /* Chips are sorted by wavefront, so this is the first. */
          g_array_append_val (self->chips, *chip);
          element = &g_array_index (self->chips, CuredBankChip, self->chips->len - 1);
          element->n_words = n_words;
          element->word = word;
          element->n_wavefronts = 0;
          element->is_conflict = FALSE;
          element->is_broadcast = FALSE;
        }
      if (chip->word == word)
        element->bank = chip->bank;
      element->lanes |= chip->lanes;
      element->is_conflict |= chip->is_conflict;
      element->is_broadcast |= chip->is_broadcast;
    }
  g_array_sort (self->chips, compare_element);
  for (guint i = 0; i < self->chips->len; i++)
    {
      CuredBankChip *element = &g_array_index (self->chips, CuredBankChip, i);

      element->n_lanes = (guint) __builtin_popcount (element->lanes);
      for (guint w = 0; w < self->counts.wavefronts; w++)
        element->n_wavefronts += cured_bank_plot_is_served (self, i, w);
    }
}

static void
add_row (CuredBankPlot *self, guint32 word, guint n_skipped)
{
  Row row = { .word = word, .n_skipped = n_skipped };

  g_array_append_val (self->rows, row);
}

static void
make_rows (CuredBankPlot *self)
{
  guint n_columns = self->n_banks;
  gint64 last = -1; /* row of shared memory */

  for (guint i = 0; i < self->chips->len; i++)
    {
      gint64 row = g_array_index (self->chips, CuredBankChip, i).word / n_columns;

      if (row == last)
        continue;
      if (last >= 0 && row - last - 1 > MAX_EMPTY_ROWS)
        add_row (self, (guint32) ((last + 1) * n_columns), (guint) (row - last - 1));
      else
        for (gint64 empty = last + 1; last >= 0 && empty < row; empty++)
          add_row (self, (guint32) (empty * n_columns), 0);
      add_row (self, (guint32) (row * n_columns), 0);
      last = row;
    }
}

static void
count_parts (CuredBankPlot *self)
{
  guint n_parts = 1;

  self->n_parts = 1;
  for (guint i = 1; i < self->turns->len; i++)
    {
      const CuredBankChip *chip = &g_array_index (self->turns, CuredBankChip, i);

      n_parts =
          chip[-1].wavefront == chip->wavefront && chip[-1].bank == chip->bank ? n_parts + 1 : 1;
      self->n_parts = MAX (self->n_parts, n_parts);
    }
}

/* Whether the bank serves a group of lanes more than once. */
static gboolean
is_bank_in_conflict (const CuredBankPlot *self, guint bank)
{
  CURED_EACH (const CuredBankChip, chip, self->turns)
    if (chip->bank == bank && chip->is_conflict)
      return TRUE;
  return FALSE;
}

/* @chip: index of a chip
 * @wavefront: from 0
 * Returns: whether that wavefront serves at least one word of the chip */
gboolean
cured_bank_plot_is_served (const CuredBankPlot *self, gsize chip, guint wavefront)
{
  const CuredBankChip *asked = get_chip (self, chip);

  CURED_EACH (const CuredBankChip, here, self->turns)
    if (here->word >= asked->word && here->word - asked->word < asked->n_words &&
        (self->mode == CURED_BANK_PLOT_ADDRESSES || here == asked) &&
        wavefront >= here->wavefront && wavefront < here->wavefront + here->n_wavefronts)
      return TRUE;
  return FALSE;
}

/* @lane: of the warp
 * Returns: index of the lane's first chip; -1 if it is inactive */
gssize
cured_bank_plot_find_lane (const CuredBankPlot *self, guint lane)
{
  g_return_val_if_fail (lane < CURED_BANK_LANES, -1);
  for (guint i = 0; i < self->chips->len; i++)
    if ((get_chip (self, i)->lanes >> lane & 1) != 0)
      return i;
  return -1;
}

/* ---- Rows and columns ---- */

static guint
get_n_rows (const CuredBankPlot *self)
{
  return self->mode == CURED_BANK_PLOT_BANKS ? self->counts.wavefronts : self->rows->len;
}

static void
get_place (const CuredBankPlot *self, const CuredBankChip *chip, guint *column, guint *row)
{
  *column = chip->bank;
  *row = chip->wavefront;
  if (self->mode == CURED_BANK_PLOT_BANKS)
    return;
  *column = chip->word % self->n_banks;
  for (*row = 0; *row + 1 < self->rows->len; (*row)++)
    if (g_array_index (self->rows, Row, *row).word == chip->word - *column)
      break;
}

/* The chip of a row that is nearest to a column; -1 if the row has none. */
static gssize
find_nearest (const CuredBankPlot *self, guint column, gint64 row)
{
  gssize best = -1;
  int best_distance = 0;

  for (guint i = 0; i < self->chips->len; i++)
    {
      guint here, here_row;

      get_place (self, get_chip (self, i), &here, &here_row);
      int distance = ABS ((int) here - (int) column);
      if (here_row == row && (best < 0 || distance < best_distance))
        {
          best = i;
          best_distance = distance;
        }
    }
  return best;
}

/* The first chip of the next row follows the last one of a row, so that moving to the right reaches
 * all; up and down skip rows without chips. */
static gssize
bank_plot_move (const CuredChart *chart, gssize chip, int columns, int rows, int pages)
{
  const CuredBankPlot *self = (const CuredBankPlot *) chart;
  gssize n_chips = self->chips->len;
  int step = rows > 0 ? 1 : -1;
  guint column, row;

  if (n_chips == 0)
    return -1;
  if (chip < 0 || chip >= n_chips)
    return 0;
  get_place (self, get_chip (self, (gsize) chip), &column, &row);
  gint64 at = row;
  while (rows != 0 && at + step >= 0 && at + step < get_n_rows (self))
    {
      gssize next = find_nearest (self, column, at += step);

      if (next < 0)
        continue;
      chip = next;
      rows -= step;
    }
  return CLAMP (chip + columns, 0, n_chips - 1);
}

/* ---- Texts ---- */

/* @lanes: a mask; lane 0 is bit 0
 * Returns: (transfer full): their numbers, such as “0–3, 8, 12–15” */
char *
cured_bank_lanes_format (guint32 lanes)
{
  GString *text = g_string_new (NULL);

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    {
      guint last = n;

      if ((lanes >> n & 1) == 0)
        continue;
      while (last + 1 < CURED_BANK_LANES && (lanes >> (last + 1) & 1) != 0)
        last++;
      g_string_append_printf (text, "%s%u", text->len > 0 ? ", " : "", n);
      if (last > n)
        g_string_append_printf (text, "%s%u", last > n + 1 ? "–" : ", ", last);
      n = last;
    }
  return g_string_free (text, FALSE);
}

static char *
describe_turn (const CuredBankPlot *self, const CuredBankChip *chip)
{
  g_autofree char *lanes = cured_bank_lanes_format (chip->lanes);

  return g_strdup_printf (
      chip->is_conflict
          /* Translators: “Lanes 0–3, 8: word 32, bank 0, wavefront 2 of 8, a conflict” */
          ? g_dngettext (
                GETTEXT_PACKAGE, "Lane %s: word %u, bank %u, wavefront %u of %u, a conflict",
                "Lanes %s: word %u, bank %u, wavefront %u of %u, a conflict", chip->n_lanes)
          : g_dngettext (GETTEXT_PACKAGE, "Lane %s: word %u, bank %u, wavefront %u of %u",
                         "Lanes %s: word %u, bank %u, wavefront %u of %u", chip->n_lanes),
      lanes, chip->word, chip->bank, chip->wavefront + 1, self->counts.wavefronts);
}

static char *
describe_element (const CuredBankPlot *self, const CuredBankChip *chip)
{
  g_autofree char *lanes = cured_bank_lanes_format (chip->lanes);
  guint last = chip->word + chip->n_words - 1;

  return g_strdup_printf (
      chip->is_conflict
          /* Translators: “Lanes 0–3, 8: words 32 to 35, from bank 0 on, in 2 of 8 wavefronts, with a
         * conflict” */
          ? g_dngettext (
                GETTEXT_PACKAGE,
                "Lane %s: words %u to %u, from bank %u on, in %u of %u wavefronts, with a conflict",
                "Lanes %s: words %u to %u, from bank %u on, in %u of %u wavefronts, with a "
                "conflict",
                chip->n_lanes)
          : g_dngettext (
                GETTEXT_PACKAGE, "Lane %s: words %u to %u, from bank %u on, in %u of %u wavefronts",
                "Lanes %s: words %u to %u, from bank %u on, in %u of %u wavefronts", chip->n_lanes),
      lanes, chip->word, last, chip->bank, chip->n_wavefronts, self->counts.wavefronts);
}

/* Describes a word that several wavefronts serve. */
static char *
describe_word (const CuredBankPlot *self, const CuredBankChip *chip)
{
  g_autofree char *lanes = cured_bank_lanes_format (chip->lanes);

  return g_strdup_printf (
      chip->is_conflict
          /* Translators: “Lanes 0–3, 8: word 32, bank 0, in 2 of 8 wavefronts, with a conflict” */
          ? g_dngettext (GETTEXT_PACKAGE,
                         "Lane %s: word %u, bank %u, in %u of %u wavefronts, with a conflict",
                         "Lanes %s: word %u, bank %u, in %u of %u wavefronts, with a conflict",
                         chip->n_lanes)
          : g_dngettext (GETTEXT_PACKAGE, "Lane %s: word %u, bank %u, in %u of %u wavefronts",
                         "Lanes %s: word %u, bank %u, in %u of %u wavefronts", chip->n_lanes),
      lanes, chip->word, chip->bank, chip->n_wavefronts, self->counts.wavefronts);
}

static char *
bank_plot_describe (const CuredChart *chart, gssize item, gssize step)
{
  const CuredBankPlot *self = (const CuredBankPlot *) chart;

  if (item < 0 && !self->is_known)
    return g_strdup (_ ("There is no measured rule for this access."));
  if (item < 0)
    return g_strdup_printf (
        /* Translators: of one access to shared memory: how many turns the memory takes, and how
         * many it would take without a conflict. */
        g_dngettext (GETTEXT_PACKAGE, "%u wavefront; %u if conflict-free",
                     "%u wavefronts; %u if conflict-free", self->counts.wavefronts),
        self->counts.wavefronts, self->counts.least);
  const CuredBankChip *chip = get_chip (self, (gsize) item);
  if (chip->n_words > 1)
    return describe_element (self, chip);
  if (self->mode == CURED_BANK_PLOT_ADDRESSES && chip->n_wavefronts > 1)
    return describe_word (self, chip);
  return describe_turn (self, chip);
}

/* ---- Geometry ---- */

/* Width of a cell, in user units. */
#define LEAST_WIDTH   6.0
#define NATURAL_WIDTH 28.0
#define MOST_WIDTH    56.0
#define LEAST_HEIGHT  12.0
#define USUAL_HEIGHT  18.0
#define MOST_HEIGHT   48.0

/* The line height that these sizes are for; larger text has larger cells. */
#define USUAL_LINE 18.0

/* Height of a cell over its width if there is room: three lanes' numbers fit. */
#define NATURAL_RATIO 1.3

/* In lines of text; smaller pictures have no labels. */
#define HEIGHT_FOR_LABELS 4
#define WIDTH_FOR_LABELS  12

/* Smaller cells than this have narrower gaps. */
#define SMALL 10.0

typedef struct
{
  double line, pad;
  double labels; /* width left of the cells */
  double head;   /* height above them */
  double scale;  /* factor of cells' sizes: 1, or more with large text */
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
                  g_array_index (plot->rows, Row, plot->rows->len - 1).word);
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
  /* Title, numbers, conflict marks. */
  self->head = 2 * self->line + self->pad;
}

static double
get_natural_height (const CuredBankPlot *plot, double cell_width, double scale)
{
  guint n_parts = plot->mode == CURED_BANK_PLOT_BANKS ? MAX (plot->n_parts, plot->parts_beside) : 1;

  return CLAMP (cell_width * NATURAL_RATIO, USUAL_HEIGHT * scale, MOST_HEIGHT * scale) * n_parts;
}

static void
bank_plot_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
                   double *least_width, double *width, double *height)
{
  const CuredBankPlot *self = (const CuredBankPlot *) chart;
  guint n_rows = MAX (get_n_rows (self), 1);
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
static void
geometry_init (Geometry *self, const CuredBankPlot *plot, const CuredChartShown *shown)
{
  guint n_rows = MAX (get_n_rows (plot), 1);
  double width = MAX (shown->width, 0), height = MAX (shown->height, 0);
  Frame frame;

  frame_init (&frame, plot, shown->style);
  *self = (Geometry){
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
  /* Spare width is split between both sides. */
  left += floor (MAX (width - left - frame.pad - plot->n_banks * self->cell_width, 0) / 2);
  self->plot = (CuredRect){
    left,
    top,
    plot->n_banks * self->cell_width,
    CLAMP (height - top, 0, self->content_height),
  };
  self->scroll = CLAMP (shown->scroll, 0, MAX (self->content_height - self->plot.height, 0));
}

static void
bank_plot_get_rows (const CuredChart *chart, const CuredChartShown *shown, CuredChartRows *rows)
{
  Geometry geometry;

  geometry_init (&geometry, (const CuredBankPlot *) chart, shown);
  *rows = (CuredChartRows){ geometry.plot.y, geometry.content_height, geometry.plot.height,
                            geometry.cell_height };
}

/* Chips of one bank and wavefront share a cell, stacked. */
static void
get_part (const CuredBankPlot *plot, gsize chip, guint *part, guint *n_parts)
{
  const CuredBankChip *here = get_chip (plot, chip), *chips = get_chip (plot, 0);

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

/* The chip's cell, or its part of a shared one, without a gap; it may be scrolled out of view. */
static void
get_cell (const Geometry *self, const CuredBankPlot *plot, gsize chip, CuredRect *rect)
{
  const CuredBankChip *here = get_chip (plot, chip);
  gboolean is_banks = plot->mode == CURED_BANK_PLOT_BANKS;
  double height = self->cell_height * (is_banks ? here->n_wavefronts : 1);
  guint column, row, part, n_parts;

  get_place (plot, here, &column, &row);
  get_part (plot, chip, &part, &n_parts);
  *rect = (CuredRect){
    self->plot.x + column * self->cell_width,
    self->plot.y - self->scroll + row * self->cell_height + part * height / n_parts,
    self->cell_width * here->n_words,
    height / n_parts,
  };
}

/* The rectangle of the drawn chip, with a gap around it. */
static void
geometry_get_chip (const Geometry *self, const CuredBankPlot *plot, gsize chip, CuredRect *rect)
{
  CuredRect cell;

  get_cell (self, plot, chip, &cell);
  *rect = cell;
  if (MIN (self->cell_width, cell.height) >= SMALL)
    {
      /* Edges are on whole pixels, so that all gaps look alike. */
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

static void
bank_plot_locate (const CuredChart *chart, const CuredChartShown *shown, gsize item,
                  CuredRect *rect)
{
  const CuredBankPlot *self = (const CuredBankPlot *) chart;
  Geometry geometry;

  geometry_init (&geometry, self, shown);
  get_cell (&geometry, self, item, rect);
}

/* The gaps between chips belong to them. */
static gssize
bank_plot_pick (const CuredChart *chart, const CuredChartShown *shown, double x, double y)
{
  const CuredBankPlot *self = (const CuredBankPlot *) chart;
  Geometry geometry;

  geometry_init (&geometry, self, shown);
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

/* ---- Drawing ---- */

/* Below it, numbers are left out. */
#define LEAST_WIDTH_FOR_TEXT  14.0
#define LEAST_HEIGHT_FOR_TEXT 10.0

/* Share of the font size, for a number that is too wide for its chip. */
#define SMALL_SCALE 0.75

/* Opacity of chips that the shown wavefront does not serve. */
#define DIMMED 0.22

#define MAX_RADIUS 5.0

/* Smaller ones have thinner edges. */
#define SMALL_CHIP 18.0

typedef struct
{
  cairo_t *cr;
  const CuredBankPlot *plot;
  const Geometry *geometry;
  const CuredPlotStyle *style;
  CuredPlotText *text, *small_text;
  gboolean lists_fit; /* all chips with several lanes have room for the list */
} Drawing;

/* ---- Colours ---- */

/* Equidistant hues around the circle, every other one darker, so that neighbours differ in two
 * ways. All are light enough for dark text: the contrast is 7 or more, on any ground. CIE76
 * distance of any two is 16 or more. */
static const guint32 lane_colours[CURED_BANK_LANES] = {
  0xfda1bd, 0xfc5f7f, 0xfda4a0, 0xf46b52, 0xfda67f, 0xdf7d2f, 0xfea94f, 0xc78a16,
  0xe1b63b, 0xa6970d, 0xbbc33f, 0x7fa220, 0x8fcc56, 0x4ea941, 0x56d377, 0x15ab6a,
  0x1ed49c, 0x16a98d, 0x1fd1c4, 0x17a6ac, 0x21cdea, 0x19a2ca, 0x67c5fd, 0x1c9ded,
  0x9abcfd, 0x748ffc, 0xc3b0fd, 0xb77ceb, 0xef9efd, 0xda6dd1, 0xfd9cde, 0xf260af,
};

static const CuredColour lane_text = { 0, 0, 0 };

/* @lane: of the warp
 * @fill: (out) (optional): colour of its chips, on light and dark backgrounds
 * @text: (out) (optional): colour of the number on them */
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

/* Rounded corners if it was served at once, straight edges if it had to wait. */
static void
add_chip_path (cairo_t *cr, const CuredRect *rect, gboolean is_conflict)
{
  double radius = MIN (MIN (rect->width, rect->height) / 4, MAX_RADIUS), x2 = rect->x + rect->width;
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
      g_autofree char *label = make_label (get_chip (self->plot, i), TRUE);
      CuredRect rect;

      geometry_get_chip (self->geometry, self->plot, i, &rect);
      if (_cured_plot_text_measure_number (self->small_text, label) > rect.width)
        return FALSE;
    }
  return TRUE;
}

/* A strip with the colours of all its lanes, since the fill shows only the first. */
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

/* “0–3”, or “×4” if one of the lists does not fit. */
static void
draw_number (const Drawing *self, const CuredBankChip *chip, const CuredRect *rect,
             gboolean is_dimmed)
{
  g_autofree char *label = make_label (chip, self->lists_fit);
  CuredPlotText *text = self->text;

  /* One font for all lanes: one digit is not larger than two. */
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

/* A marked corner and an edge, which are visible without colours, too. All chips are light, so the
 * dark red suits both backgrounds. */
static void
draw_conflict (const Drawing *self, const CuredRect *rect, double strength)
{
  cairo_t *cr = self->cr;
  CuredColour colour =
      _cured_plot_mix (self->style->background, (CuredColour){ 0.72, 0.07, 0.13 }, strength);
  double size = MIN (rect->width, rect->height), side = MIN (size * 0.3, 9);
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
  const CuredBankChip *chip = get_chip (self->plot, index);
  double strength = is_dimmed ? DIMMED : 1;
  CuredColour back = self->style->background;
  CuredColour fill;
  CuredRect rect;

  geometry_get_chip (self->geometry, self->plot, index, &rect);
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

/* ---- Grid and labels ---- */

static void
draw_chips (const Drawing *self, gssize wavefront, gssize highlighted)
{
  const Geometry *geometry = self->geometry;
  cairo_t *cr = self->cr;
  gsize n_chips = self->plot->chips->len;

  for (gsize i = 0; i < n_chips; i++)
    {
      gboolean is_dimmed =
          wavefront >= 0 && !cured_bank_plot_is_served (self->plot, i, (guint) wavefront);
      CuredRect rect;

      geometry_get_chip (geometry, self->plot, i, &rect);
      if (rect.y + rect.height < geometry->plot.y ||
          rect.y > geometry->plot.y + geometry->plot.height)
        continue;
      draw_chip (self, i, is_dimmed);
    }
  if (highlighted >= 0 && highlighted < (gssize) n_chips)
    {
      CuredRect rect;

      geometry_get_chip (geometry, self->plot, (gsize) highlighted, &rect);
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
  const Geometry *geometry = self->geometry;
  const CuredRect *plot = &geometry->plot;
  cairo_t *cr = self->cr;
  guint n_columns = self->plot->n_banks, n_rows = get_n_rows (self->plot);
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

/* ▼ above a bank with a conflict. */
static void
draw_head_mark (const Drawing *self, double x, double y)
{
  double r = CLAMP (self->geometry->cell_width / 5, 2, 4);

  cairo_new_path (self->cr);
  _cured_plot_add_triangle (self->cr, x - r, y - r, x + r, y - r, x, y + r * 0.6);
  _cured_plot_fill (self->cr, _cured_plot_warning_colour (self->style), 1);
}

static void
draw_head (const Drawing *self)
{
  const Geometry *geometry = self->geometry;
  const CuredPlotStyle *style = self->style;
  gboolean is_banks = self->plot->mode == CURED_BANK_PLOT_BANKS;
  guint n_columns = self->plot->n_banks;
  double line = geometry->line_height, y = geometry->plot.y - round (line / 2) - line;
  double widest = _cured_plot_text_measure_number (self->text, "00") + 4;
  /* There, two adjacent words form one bank. */
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
      gboolean is_conflict = has_banks && is_bank_in_conflict (self->plot, column);
      char label[16];

      if (is_conflict)
        draw_head_mark (self, x, geometry->plot.y - round (line / 4));
      if (column % step != 0)
        continue;
      g_snprintf (label, sizeof label, "%u", column);
      _cured_plot_set_colour (
          self->cr, is_conflict ? _cured_plot_warning_colour (style) : style->foreground, 1);
      _cured_plot_text_add_number (self->text, label, CURED_ALIGN_CENTRE, x, y + line / 2);
      _cured_plot_text_flush_numbers (self->text, self->cr);
    }
}

/* Numbers of rows, clipped like the rows themselves. */
static void
draw_rows (const Drawing *self)
{
  const Geometry *geometry = self->geometry;
  gboolean is_banks = self->plot->mode == CURED_BANK_PLOT_BANKS;
  guint n_rows = get_n_rows (self->plot);
  double line = geometry->line_height;
  guint step = (guint) MAX (ceil (line / MAX (geometry->cell_height, 1)), 1);

  for (guint row = 0; row < n_rows; row++)
    {
      double y = geometry->plot.y - geometry->scroll + (row + 0.5) * geometry->cell_height;
      guint number = row + 1;
      char label[16];

      if (!is_banks)
        {
          const Row *here = &g_array_index (self->plot->rows, Row, row);

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

static void
bank_plot_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const CuredBankPlot *plot = (const CuredBankPlot *) chart;
  const CuredPlotStyle *style = shown->style;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new (), small_text = _cured_plot_text_new ();
  Geometry geometry;
  Drawing self = { cr, plot, &geometry, style, text, small_text, TRUE };

  geometry_init (&geometry, plot, shown);
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

/* ---- The picture ---- */

CURED_FREE_FUNC (CuredBankPlot, bank_plot_free, turns, g_array_unref, chips, g_array_unref, rows,
                 g_array_unref)

static const CuredChartClass bank_plot_class = {
  .measure = bank_plot_measure,
  .draw = bank_plot_draw,
  .pick = bank_plot_pick,
  .locate = bank_plot_locate,
  .move = bank_plot_move,
  .describe = bank_plot_describe,
  .get_rows = bank_plot_get_rows,
  .free = bank_plot_free,
};

/* @access: an access; its array is copied
 * @mode: the meaning of rows and columns
 *
 * Lays out the result of cured_bank_model_explain(). Chips have the colour and number of their
 * lane; with several lanes, those of the first, and a strip of all colours. Chips that waited for
 * their bank have straight edges and a marked corner.
 * Returns: (transfer full): its picture; without chips if the model has no rule for the access, or
 *   no lane is active */
CuredBankPlot *
cured_bank_plot_new (const CuredBankAccess *access, CuredBankPlotMode mode)
{
  CuredBankPlot *self = g_new0 (CuredBankPlot, 1);
  CuredBankPicture picture;

  self->chart.klass = &bank_plot_class;
  self->access = *access;
  self->mode = mode;
  self->is_known = cured_bank_model_explain (access, &picture);
  self->n_banks = picture.n_banks;
  self->counts = picture.counts;
  self->turns = g_array_new (FALSE, FALSE, sizeof (CuredBankChip));
  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  make_chips (self, &picture);
  if (mode == CURED_BANK_PLOT_BANKS)
    self->chips = g_array_ref (self->turns);
  else
    {
      self->chips = g_array_new (FALSE, FALSE, sizeof (CuredBankChip));
      make_elements (self);
      make_rows (self);
    }
  count_parts (self);
  self->chart.n_items = self->chips->len;
  self->chart.n_steps = self->counts.wavefronts;
  return self;
}

/* @self: a picture that has not been drawn yet
 * @beside: (nullable): the one beside it, of the same size
 *
 * Gives rows the same height in both pictures, so that 32 wavefronts beside 1 look like more. Align
 * the other picture, too. */
void
cured_bank_plot_align (CuredBankPlot *self, const CuredBankPlot *beside)
{
  self->rows_beside = beside != NULL ? get_n_rows (beside) : 0;
  self->parts_beside = beside != NULL ? beside->n_parts : 0;
}
