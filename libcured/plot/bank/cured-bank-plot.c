/* SPDX-License-Identifier: MIT
 * The picture of one access of a warp to the banks of shared memory: its chips, and what they
 * say. */
#include "config.h"

#include "plot/bank/cured-bank-plot-private.h"

#include <glib/gi18n-lib.h>

#include "base/cured-each-internal.h"

/* Rows that nobody touches are drawn up to this many in a row. */
#define MAX_EMPTY_ROWS 2

/* ---- Chips ---- */

static gint
compare_chip (gconstpointer a, gconstpointer b)
{
  const CuredBankChip *chip_a = a;
  const CuredBankChip *chip_b = b;

  if (chip_a->wavefront != chip_b->wavefront)
    return chip_a->wavefront < chip_b->wavefront ? -1 : 1;
  if (chip_a->bank != chip_b->bank)
    return chip_a->bank < chip_b->bank ? -1 : 1;
  return (chip_a->word > chip_b->word) - (chip_a->word < chip_b->word);
}

static gint
compare_element (gconstpointer a, gconstpointer b)
{
  const CuredBankChip *chip_a = a;
  const CuredBankChip *chip_b = b;

  return (chip_a->word > chip_b->word) - (chip_a->word < chip_b->word);
}

static CuredBankChip *
find_chip (GArray *chips, const CuredBankServed *served)
{
  CURED_EACH (CuredBankChip, chip, chips)
    {
      if (chip->word == served->word && chip->wavefront == served->wavefront)
        return chip;
    }
  return NULL;
}

/* The first wavefront of a group, and so the one in which a bank serves it without a conflict. */
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
  guint n_wavefronts = self->access.kind == CURED_BANK_KIND_SWAP ? 2 : 1; /* of a turn */

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

/* A lane accesses words that begin at a multiple of its width: those of two lanes are the same
 * ones, or have none in common. */
static void
make_elements (CuredBankPlot *self)
{
  guint n_words = MAX (self->access.width / 32, 1);

  for (guint i = 0; i < self->turns->len; i++)
    {
      const CuredBankChip *chip = &g_array_index (self->turns, CuredBankChip, i);
      guint32 word = chip->word - chip->word % n_words;
      CuredBankChip *element = NULL;

      for (guint j = 0; j < self->chips->len && element == NULL; j++)
        if (g_array_index (self->chips, CuredBankChip, j).word == word)
          element = &g_array_index (self->chips, CuredBankChip, j);
      if (element == NULL)
        {
          /* Chips come in the order of the wavefronts: it is the first. */
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
  CuredBankPlotRow row = { .word = word, .n_skipped = n_skipped };

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

/* Whether it has to serve a group of lanes more than once. */
gboolean
_cured_bank_plot_is_bank_in_conflict (const CuredBankPlot *self, guint bank)
{
  CURED_EACH (const CuredBankChip, chip, self->turns)
    {
      if (chip->bank == bank && chip->is_conflict)
        return TRUE;
    }
  return FALSE;
}

/**
 * cured_bank_plot_is_served:
 * @chip: index of a chip
 * @wavefront: from 0
 *
 * Returns: whether that wavefront serves the chip, or a word of it
 */
gboolean
cured_bank_plot_is_served (const CuredBankPlot *self, gsize chip, guint wavefront)
{
  const CuredBankChip *asked = _cured_bank_plot_get_chip (self, chip);

  CURED_EACH (const CuredBankChip, here, self->turns)
    {
      if (here->word >= asked->word && here->word - asked->word < asked->n_words &&
          (self->mode == CURED_BANK_PLOT_ADDRESSES || here == asked) &&
          wavefront >= here->wavefront && wavefront < here->wavefront + here->n_wavefronts)
        return TRUE;
    }
  return FALSE;
}

/**
 * cured_bank_plot_find_lane:
 * @lane: of the warp
 *
 * Returns: index of the lane's first chip; -1: it takes no part
 */
gssize
cured_bank_plot_find_lane (const CuredBankPlot *self, guint lane)
{
  g_return_val_if_fail (lane < CURED_BANK_LANES, -1);
  for (guint i = 0; i < self->chips->len; i++)
    if ((_cured_bank_plot_get_chip (self, i)->lanes >> lane & 1) != 0)
      return i;
  return -1;
}

/* ---- Rows and columns ---- */

guint
_cured_bank_plot_get_n_rows (const CuredBankPlot *self)
{
  return self->mode == CURED_BANK_PLOT_BANKS ? self->counts.wavefronts : self->rows->len;
}

void
_cured_bank_plot_get_place (const CuredBankPlot *self, const CuredBankChip *chip, guint *column,
                            guint *row)
{
  *column = chip->bank;
  *row = chip->wavefront;
  if (self->mode == CURED_BANK_PLOT_BANKS)
    return;
  *column = chip->word % self->n_banks;
  for (*row = 0; *row + 1 < self->rows->len; (*row)++)
    if (g_array_index (self->rows, CuredBankPlotRow, *row).word == chip->word - *column)
      break;
}

/* The chip of another row that is the nearest to a column; -1: the row has none. */
static gssize
find_nearest (const CuredBankPlot *self, guint column, gint64 row)
{
  gssize best = -1;
  int best_distance = 0;

  for (guint i = 0; i < self->chips->len; i++)
    {
      guint here, here_row;

      _cured_bank_plot_get_place (self, _cured_bank_plot_get_chip (self, i), &here, &here_row);
      int distance = ABS ((int) here - (int) column);
      if (here_row == row && (best < 0 || distance < best_distance))
        {
          best = i;
          best_distance = distance;
        }
    }
  return best;
}

/* After the last chip of a row comes the first of the next one, so that moving to the right reaches
 * all; up and down go from row with chips to row with chips. */
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
  _cured_bank_plot_get_place (self, _cured_bank_plot_get_chip (self, (gsize) chip), &column, &row);
  gint64 at = row;
  while (rows != 0 && at + step >= 0 && at + step < _cured_bank_plot_get_n_rows (self))
    {
      gssize next = find_nearest (self, column, at += step);

      if (next < 0)
        continue;
      chip = next;
      rows -= step;
    }
  return CLAMP (chip + columns, 0, n_chips - 1);
}

/* ---- Words ---- */

/**
 * cured_bank_lanes_format:
 * @lanes: a mask; lane 0 is bit 0
 *
 * Returns: (transfer full): their numbers, such as “0–3, 8, 12–15”
 */
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

  if (chip->is_conflict)
    return g_strdup_printf (
        /* Translators: “Lanes 0–3, 8: word 32, bank 0, wavefront 2 of 8, a conflict” */
        g_dngettext (GETTEXT_PACKAGE, "Lane %s: word %u, bank %u, wavefront %u of %u, a conflict",
                     "Lanes %s: word %u, bank %u, wavefront %u of %u, a conflict", chip->n_lanes),
        lanes, chip->word, chip->bank, chip->wavefront + 1, self->counts.wavefronts);
  return g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "Lane %s: word %u, bank %u, wavefront %u of %u",
                   "Lanes %s: word %u, bank %u, wavefront %u of %u", chip->n_lanes),
      lanes, chip->word, chip->bank, chip->wavefront + 1, self->counts.wavefronts);
}

static char *
describe_element (const CuredBankPlot *self, const CuredBankChip *chip)
{
  g_autofree char *lanes = cured_bank_lanes_format (chip->lanes);
  guint last = chip->word + chip->n_words - 1;

  if (chip->is_conflict)
    return g_strdup_printf (
        /* Translators: “Lanes 0–3, 8: words 32 to 35, from bank 0 on, in 2 of 8 wavefronts, with a
         * conflict” */
        g_dngettext (
            GETTEXT_PACKAGE,
            "Lane %s: words %u to %u, from bank %u on, in %u of %u wavefronts, with a conflict",
            "Lanes %s: words %u to %u, from bank %u on, in %u of %u wavefronts, with a conflict",
            chip->n_lanes),
        lanes, chip->word, last, chip->bank, chip->n_wavefronts, self->counts.wavefronts);
  return g_strdup_printf (
      g_dngettext (
          GETTEXT_PACKAGE, "Lane %s: words %u to %u, from bank %u on, in %u of %u wavefronts",
          "Lanes %s: words %u to %u, from bank %u on, in %u of %u wavefronts", chip->n_lanes),
      lanes, chip->word, last, chip->bank, chip->n_wavefronts, self->counts.wavefronts);
}

/* One word that several wavefronts serve. */
static char *
describe_word (const CuredBankPlot *self, const CuredBankChip *chip)
{
  g_autofree char *lanes = cured_bank_lanes_format (chip->lanes);

  if (chip->is_conflict)
    return g_strdup_printf (
        /* Translators: “Lanes 0–3, 8: word 32, bank 0, in 2 of 8 wavefronts, with a conflict” */
        g_dngettext (
            GETTEXT_PACKAGE, "Lane %s: word %u, bank %u, in %u of %u wavefronts, with a conflict",
            "Lanes %s: word %u, bank %u, in %u of %u wavefronts, with a conflict", chip->n_lanes),
        lanes, chip->word, chip->bank, chip->n_wavefronts, self->counts.wavefronts);
  return g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "Lane %s: word %u, bank %u, in %u of %u wavefronts",
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
  const CuredBankChip *chip = _cured_bank_plot_get_chip (self, (gsize) item);
  if (chip->n_words > 1)
    return describe_element (self, chip);
  if (self->mode == CURED_BANK_PLOT_ADDRESSES && chip->n_wavefronts > 1)
    return describe_word (self, chip);
  return describe_turn (self, chip);
}

/* ---- The picture ---- */

static void
bank_plot_free (CuredChart *chart)
{
  CuredBankPlot *self = (CuredBankPlot *) chart;

  g_array_unref (self->turns);
  g_array_unref (self->chips);
  g_array_unref (self->rows);
  g_free (self);
}

static const CuredChartClass bank_plot_class = {
  .measure = _cured_bank_plot_measure,
  .draw = _cured_bank_plot_draw,
  .pick = _cured_bank_plot_pick,
  .locate = _cured_bank_plot_locate,
  .move = bank_plot_move,
  .describe = bank_plot_describe,
  .get_rows = _cured_bank_plot_get_rows,
  .free = bank_plot_free,
};

/**
 * cured_bank_plot_new:
 * @access: an access; its array is copied
 * @mode: what rows and columns are
 *
 * Lays out what cured_bank_model_explain() says of it. Chips have the colour and number of their
 * lane, the first of several, and then a strip of the colours of all. Those that had to wait for
 * their bank have straight edges and a marked corner.
 *
 * Returns: (transfer full): its picture; one without chips where the model has
 *   no rule for it, or no lane takes part
 */
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
  self->rows = g_array_new (FALSE, FALSE, sizeof (CuredBankPlotRow));
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
  self->rows_beside = beside != NULL ? _cured_bank_plot_get_n_rows (beside) : 0;
  self->parts_beside = beside != NULL ? beside->n_parts : 0;
}
