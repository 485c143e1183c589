/* SPDX-License-Identifier: MIT
 * The picture of one access of a warp to the banks of shared memory: its chips, and what they
 * say. */
#include "config.h"

#include "plot/bank/cured-bank-plot-private.h"

#include <glib/gi18n-lib.h>
#include "plot/bank/cured-bank-plot-internal.h"

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
  for (guint i = 0; i < chips->len; i++)
    {
      CuredBankChip *chip = &g_array_index (chips, CuredBankChip, i);

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
      CuredBankChip *known = find_chip (self->chips, served);
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
          g_array_append_val (self->chips, chip);
          known = &g_array_index (self->chips, CuredBankChip, self->chips->len - 1);
        }
      known->lanes |= 1u << served->lane;
    }
  for (guint i = 0; i < self->chips->len; i++)
    {
      CuredBankChip *chip = &g_array_index (self->chips, CuredBankChip, i);

      chip->n_lanes = (guint) __builtin_popcount (chip->lanes);
      chip->is_broadcast = chip->n_lanes > 1;
    }
  g_array_sort (self->chips, compare_chip);
}

/* A lane accesses words that begin at a multiple of its width: those of two lanes are the same
 * ones, or have none in common. */
static void
make_elements (CuredBankPlot *self)
{
  guint n_words = MAX (self->access.width / 32, 1);

  for (guint i = 0; i < self->chips->len; i++)
    {
      const CuredBankChip *chip = &g_array_index (self->chips, CuredBankChip, i);
      guint32 word = chip->word - chip->word % n_words;
      CuredBankChip *element = NULL;

      for (guint j = 0; j < self->elements->len && element == NULL; j++)
        if (g_array_index (self->elements, CuredBankChip, j).word == word)
          element = &g_array_index (self->elements, CuredBankChip, j);
      if (element == NULL)
        {
          /* Chips come in the order of the wavefronts: it is the first. */
          g_array_append_val (self->elements, *chip);
          element = &g_array_index (self->elements, CuredBankChip, self->elements->len - 1);
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
  g_array_sort (self->elements, compare_element);
  for (guint i = 0; i < self->elements->len; i++)
    {
      CuredBankChip *element = &g_array_index (self->elements, CuredBankChip, i);

      element->n_lanes = (guint) __builtin_popcount (element->lanes);
      for (guint w = 0; w < self->counts.wavefronts; w++)
        element->n_wavefronts += cured_bank_plot_is_served (self, CURED_BANK_PLOT_ADDRESSES, i, w);
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
  guint n_columns = _cured_bank_plot_get_n_columns (self);
  gint64 last = -1; /* row of shared memory */

  for (guint i = 0; i < self->elements->len; i++)
    {
      gint64 row = g_array_index (self->elements, CuredBankChip, i).word / n_columns;

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
  for (guint i = 1; i < self->chips->len; i++)
    {
      const CuredBankChip *chip = &g_array_index (self->chips, CuredBankChip, i);

      n_parts =
          chip[-1].wavefront == chip->wavefront && chip[-1].bank == chip->bank ? n_parts + 1 : 1;
      self->n_parts = MAX (self->n_parts, n_parts);
    }
}

/**
 * cured_bank_plot_new:
 * @access: an access; its array is copied
 *
 * Lays out what cured_bank_model_explain() says of it.
 *
 * Returns: (transfer full): its picture; one without chips where the model has
 *   no rule for it, or no lane takes part
 */
CuredBankPlot *
cured_bank_plot_new (const CuredBankAccess *access)
{
  CuredBankPlot *self = g_new0 (CuredBankPlot, 1);
  CuredBankPicture picture;

  self->access = *access;
  self->is_known = cured_bank_model_explain (access, &picture);
  self->n_banks = picture.n_banks;
  self->counts = picture.counts;
  self->chips = g_array_new (FALSE, FALSE, sizeof (CuredBankChip));
  self->elements = g_array_new (FALSE, FALSE, sizeof (CuredBankChip));
  self->rows = g_array_new (FALSE, FALSE, sizeof (CuredBankPlotRow));
  make_chips (self, &picture);
  make_elements (self);
  make_rows (self);
  count_parts (self);
  return self;
}

/**
 * cured_bank_plot_free:
 * @self: (transfer full): a picture
 */
void
cured_bank_plot_free (CuredBankPlot *self)
{
  g_array_unref (self->chips);
  g_array_unref (self->elements);
  g_array_unref (self->rows);
  g_free (self);
}

/**
 * cured_bank_plot_is_known:
 * @self: a picture
 *
 * Returns: whether the bank model has a rule for the access
 */
gboolean
cured_bank_plot_is_known (const CuredBankPlot *self)
{
  return self->is_known;
}

/**
 * cured_bank_plot_get_access:
 * @self: a picture
 *
 * Returns: (transfer none): what it is of
 */
const CuredBankAccess *
cured_bank_plot_get_access (const CuredBankPlot *self)
{
  return &self->access;
}

/**
 * cured_bank_plot_get_counts:
 * @self: a picture
 * @counts: (out caller-allocates): what the access costs
 */
void
cured_bank_plot_get_counts (const CuredBankPlot *self, CuredBankCounts *counts)
{
  *counts = self->counts;
}

/**
 * cured_bank_plot_get_n_banks:
 * @self: a picture
 *
 * Returns: 16 or 32
 */
guint
cured_bank_plot_get_n_banks (const CuredBankPlot *self)
{
  return self->n_banks;
}

/**
 * cured_bank_plot_get_n_wavefronts:
 * @self: a picture
 *
 * Returns: rows of %CURED_BANK_PLOT_BANKS
 */
guint
cured_bank_plot_get_n_wavefronts (const CuredBankPlot *self)
{
  return self->counts.wavefronts;
}

/**
 * cured_bank_plot_get_bank_turns:
 * @self: a picture
 * @bank: a bank
 *
 * Returns: wavefronts in which it serves
 */
guint
cured_bank_plot_get_bank_turns (const CuredBankPlot *self, guint bank)
{
  gint64 last = -1;
  guint n = 0;

  for (guint i = 0; i < self->chips->len; i++)
    {
      const CuredBankChip *chip = &g_array_index (self->chips, CuredBankChip, i);

      if (chip->bank != bank || chip->wavefront == last)
        continue;
      last = chip->wavefront;
      n += chip->n_wavefronts;
    }
  return n;
}

/**
 * cured_bank_plot_is_bank_in_conflict:
 * @self: a picture
 * @bank: a bank
 *
 * Returns: whether it has to serve a group of lanes more than once
 */
gboolean
cured_bank_plot_is_bank_in_conflict (const CuredBankPlot *self, guint bank)
{
  for (guint i = 0; i < self->chips->len; i++)
    {
      const CuredBankChip *chip = &g_array_index (self->chips, CuredBankChip, i);

      if (chip->bank == bank && chip->is_conflict)
        return TRUE;
    }
  return FALSE;
}

static GArray *
get_array (const CuredBankPlot *self, CuredBankPlotMode mode)
{
  return mode == CURED_BANK_PLOT_BANKS ? self->chips : self->elements;
}

/**
 * cured_bank_plot_get_chips:
 * @self: a picture
 * @mode: what rows and columns are
 * @n_chips: (out): how many
 *
 * Chips of the two modes are other ones: their indices have nothing to do with each other.
 *
 * Returns: (transfer none) (array length=n_chips): in the order in which one
 *   reads: row by row, from left to right
 */
const CuredBankChip *
cured_bank_plot_get_chips (const CuredBankPlot *self, CuredBankPlotMode mode, gsize *n_chips)
{
  GArray *array = get_array (self, mode);

  *n_chips = array->len;
  return (const CuredBankChip *) (gconstpointer) array->data;
}

const CuredBankChip *
_cured_bank_plot_get_chip (const CuredBankPlot *self, CuredBankPlotMode mode, gsize chip)
{
  return &g_array_index (get_array (self, mode), CuredBankChip, chip);
}

/**
 * cured_bank_plot_is_served:
 * @self: a picture
 * @mode: what rows and columns are
 * @chip: index of a chip
 * @wavefront: from 0
 *
 * Returns: whether that wavefront serves the chip, or a word of it
 */
gboolean
cured_bank_plot_is_served (const CuredBankPlot *self, CuredBankPlotMode mode, gsize chip,
                           guint wavefront)
{
  const CuredBankChip *asked = _cured_bank_plot_get_chip (self, mode, chip);

  for (guint i = 0; i < self->chips->len; i++)
    {
      const CuredBankChip *here = &g_array_index (self->chips, CuredBankChip, i);

      if (here->word >= asked->word && here->word - asked->word < asked->n_words &&
          (mode == CURED_BANK_PLOT_ADDRESSES || here == asked) && wavefront >= here->wavefront &&
          wavefront < here->wavefront + here->n_wavefronts)
        return TRUE;
    }
  return FALSE;
}

/**
 * cured_bank_plot_find_lane:
 * @self: a picture
 * @mode: what rows and columns are
 * @lane: of the warp
 *
 * Returns: index of the lane's first chip; -1: it takes no part
 */
gssize
cured_bank_plot_find_lane (const CuredBankPlot *self, CuredBankPlotMode mode, guint lane)
{
  GArray *array = get_array (self, mode);

  g_return_val_if_fail (lane < CURED_BANK_LANES, -1);
  for (guint i = 0; i < array->len; i++)
    if ((g_array_index (array, CuredBankChip, i).lanes >> lane & 1) != 0)
      return i;
  return -1;
}

/* ---- Rows and columns ---- */

guint
_cured_bank_plot_get_n_columns (const CuredBankPlot *self)
{
  return self->n_banks;
}

guint
_cured_bank_plot_get_n_rows (const CuredBankPlot *self, CuredBankPlotMode mode)
{
  return mode == CURED_BANK_PLOT_BANKS ? self->counts.wavefronts : self->rows->len;
}

void
_cured_bank_plot_get_place (const CuredBankPlot *self, CuredBankPlotMode mode,
                            const CuredBankChip *chip, guint *column, guint *row)
{
  guint n_columns = _cured_bank_plot_get_n_columns (self);

  *column = chip->bank;
  *row = chip->wavefront;
  if (mode == CURED_BANK_PLOT_BANKS)
    return;
  *column = chip->word % n_columns;
  for (*row = 0; *row + 1 < self->rows->len; (*row)++)
    if (g_array_index (self->rows, CuredBankPlotRow, *row).word == chip->word - *column)
      break;
}

/* The chip of another row that is the nearest to a column; -1: the row has none. */
static gssize
find_nearest (const CuredBankPlot *self, CuredBankPlotMode mode, guint column, gint64 row)
{
  GArray *array = get_array (self, mode);
  gssize best = -1;
  int best_distance = 0;

  for (guint i = 0; i < array->len; i++)
    {
      guint here;
      guint here_row;
      int distance;

      _cured_bank_plot_get_place (self, mode, &g_array_index (array, CuredBankChip, i), &here,
                                  &here_row);
      if (here_row != row)
        continue;
      distance = ABS ((int) here - (int) column);
      if (best < 0 || distance < best_distance)
        {
          best = i;
          best_distance = distance;
        }
    }
  return best;
}

/**
 * cured_bank_plot_move:
 * @self: a picture
 * @mode: what rows and columns are
 * @chip: index of a chip; -1: none
 * @columns: by how many chips to the right, or to the left
 * @rows: by how many rows with chips down, or up
 *
 * For the keyboard. After the last chip of a row comes the first of the next one, so that moving to
 * the right reaches all.
 *
 * Returns: index of a chip: the first where there was none, and @chip where
 *   there is nothing further; -1 where there are no chips
 */
gssize
cured_bank_plot_move (const CuredBankPlot *self, CuredBankPlotMode mode, gssize chip, int columns,
                      int rows)
{
  gssize n_chips = get_array (self, mode)->len;
  gint64 n_rows = _cured_bank_plot_get_n_rows (self, mode);
  int step = rows > 0 ? 1 : -1;
  gint64 at;
  guint column;
  guint row;

  if (n_chips == 0)
    return -1;
  if (chip < 0 || chip >= n_chips)
    return 0;
  _cured_bank_plot_get_place (self, mode, _cured_bank_plot_get_chip (self, mode, (gsize) chip),
                              &column, &row);
  at = row;
  while (rows != 0 && at + step >= 0 && at + step < n_rows)
    {
      gssize next = find_nearest (self, mode, column, at += step);

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

/**
 * cured_bank_plot_describe:
 * @self: a picture
 * @mode: what rows and columns are
 * @chip: index of a chip
 *
 * Returns: (transfer full): one sentence for people and screen readers, without
 *   a full stop; translated
 */
char *
cured_bank_plot_describe (const CuredBankPlot *self, CuredBankPlotMode mode, gsize chip)
{
  const CuredBankChip *here;

  g_return_val_if_fail (chip < get_array (self, mode)->len, NULL);
  here = _cured_bank_plot_get_chip (self, mode, chip);
  if (here->n_words > 1)
    return describe_element (self, here);
  if (mode == CURED_BANK_PLOT_ADDRESSES && here->n_wavefronts > 1)
    return describe_word (self, here);
  return describe_turn (self, here);
}
