/* SPDX-License-Identifier: MIT
 * The picture of one access of a warp to the banks of shared memory. */
#pragma once

#include "bank/cured-bank-model.h"
#include "plot/cured-chart.h"

G_BEGIN_DECLS

/**
 * CuredBankPlotMode: what rows and columns are.
 * @CURED_BANK_PLOT_BANKS: a row per wavefront, a column per bank
 * @CURED_BANK_PLOT_ADDRESSES: shared memory itself, a row of words after the
 *   other, from the first that is touched to the last
 */
typedef enum
{
  CURED_BANK_PLOT_BANKS,
  CURED_BANK_PLOT_ADDRESSES,
} CuredBankPlotMode;

/**
 * CuredBankChip: a piece of the picture.
 * @word: address / 4, of the first one
 * @n_words: neighbours; always 1 in %CURED_BANK_PLOT_BANKS
 * @lanes: whose they are, as a mask
 * @n_lanes: as many
 * @bank: of @word
 * @wavefront: the first that serves it, from 0
 * @n_wavefronts: that serve it; in %CURED_BANK_PLOT_BANKS more than 1 only
 *   where each turn takes two
 * @group: of lanes that are served together, from 0; of addresses, the first
 * @is_conflict: one of its banks had served the same group before, with another
 *   word or for another lane
 * @is_broadcast: one read or write is for several lanes; of addresses, any
 *
 * Of banks: the lanes that one word serves in one wavefront. Of addresses: the words that one lane,
 * or several alike, access with the instruction.
 */
typedef struct
{
  guint32 word;
  guint n_words;
  guint32 lanes;
  guint n_lanes;
  guint bank;
  guint wavefront;
  guint n_wavefronts;
  guint group;
  gboolean is_conflict;
  gboolean is_broadcast;
} CuredBankChip;

/**
 * CuredBankPlot:
 * @chart: items are chips, steps are wavefronts
 * @access: what it is of
 * @mode: what rows and columns are
 * @is_known: the bank model has a rule for the access; else there are no chips
 * @n_banks: 16 or 32
 * @counts: what the access costs
 * @chips: (element-type CuredBankChip): in the order in which one reads: row by row, from left to
 *   right
 *
 * One access, laid out. To be read only, but for cured_bank_plot_align(); may be used by any thread.
 */
typedef struct
{
  CuredChart chart;
  CuredBankAccess access;
  CuredBankPlotMode mode;
  gboolean is_known;
  guint n_banks;
  CuredBankCounts counts;
  GArray *chips;

  /*< private >*/
  GArray *turns; /* chips of CURED_BANK_PLOT_BANKS */
  GArray *rows;  /* of addresses */
  guint n_parts; /* the most words that a bank serves at once */
  guint rows_beside;
  guint parts_beside;
} CuredBankPlot;

CuredBankPlot *cured_bank_plot_new (const CuredBankAccess *access, CuredBankPlotMode mode);
void cured_bank_plot_align (CuredBankPlot *self, const CuredBankPlot *beside);
gboolean cured_bank_plot_is_served (const CuredBankPlot *self, gsize chip, guint wavefront);
gssize cured_bank_plot_find_lane (const CuredBankPlot *self, guint lane);
char *cured_bank_lanes_format (guint32 lanes);
void cured_bank_lane_get_colours (guint lane, CuredColour *fill, CuredColour *text);

G_END_DECLS
