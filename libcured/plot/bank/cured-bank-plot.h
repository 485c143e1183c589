/* SPDX-License-Identifier: MIT
 * The picture of one access of a warp to the banks of shared memory. */
#pragma once

#include "bank/cured-bank-model.h"
#include "plot/cured-chart.h"

/* What rows and columns are. */
typedef enum
{
  CURED_BANK_PLOT_BANKS, /* a row per wavefront, a column per bank */
  /* shared memory itself, a row of words after the other, from the first that is touched to the
   * last */
  CURED_BANK_PLOT_ADDRESSES,
} CuredBankPlotMode;

/* A piece of the picture.
 *
 * Of banks: the lanes that one word serves in one wavefront. Of addresses: the words that one
 * lane, or several alike, access with the instruction. */
typedef struct
{
  guint32 word;    /* address / 4, of the first one */
  guint n_words;   /* neighbours; always 1 in %CURED_BANK_PLOT_BANKS */
  guint32 lanes;   /* whose they are, as a mask */
  guint n_lanes;   /* as many */
  guint bank;      /* of @word */
  guint wavefront; /* the first that serves it, from 0 */
  /* that serve it; in %CURED_BANK_PLOT_BANKS more than 1 only where each turn takes two */
  guint n_wavefronts;
  guint group; /* of lanes that are served together, from 0; of addresses, the first */
  /* one of its banks had served the same group before, with another word or for another lane */
  gboolean is_conflict;
  gboolean is_broadcast; /* one read or write is for several lanes; of addresses, any */
} CuredBankChip;

/* One access, laid out. To be read only, but for cured_bank_plot_align(); may be used by any
 * thread. */
typedef struct
{
  CuredChart chart;       /* items are chips, steps are wavefronts */
  CuredBankAccess access; /* what it is of */
  CuredBankPlotMode mode; /* what rows and columns are */
  gboolean is_known;      /* the bank model has a rule for the access; else there are no chips */
  guint n_banks;          /* 16 or 32 */
  CuredBankCounts counts; /* what the access costs */
  /* (element-type CuredBankChip): in the order in which one reads: row by row, from left to
   * right */
  GArray *chips;

  /*< private >*/
  GArray *turns; /* chips of CURED_BANK_PLOT_BANKS */
  GArray *rows;  /* of addresses */
  guint n_parts; /* the most words that a bank serves at once */
  guint rows_beside, parts_beside;
} CuredBankPlot;

CuredBankPlot *cured_bank_plot_new (const CuredBankAccess *access, CuredBankPlotMode mode);
void cured_bank_plot_align (CuredBankPlot *self, const CuredBankPlot *beside);
gboolean cured_bank_plot_is_served (const CuredBankPlot *self, gsize chip, guint wavefront);
gssize cured_bank_plot_find_lane (const CuredBankPlot *self, guint lane);
char *cured_bank_lanes_format (guint32 lanes);
void cured_bank_lane_get_colours (guint lane, CuredColour *fill, CuredColour *text);
