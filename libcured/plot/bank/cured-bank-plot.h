/* SPDX-License-Identifier: MIT
 * The picture of one access of a warp to the banks of shared memory. */
#pragma once

#include "bank/cured-bank-model.h"
#include "plot/cured-chart.h"

/* The meaning of rows and columns. */
typedef enum
{
  CURED_BANK_PLOT_BANKS, /* a row per wavefront, a column per bank */
  /* shared memory itself, in rows of words, from the first to the last accessed
   * one */
  CURED_BANK_PLOT_ADDRESSES,
} CuredBankPlotMode;

/* A piece of the picture.
 *
 * With banks: the lanes that one word serves in one wavefront. With addresses: the words that one
 * lane, or several with equal addresses, access in the instruction. */
typedef struct
{
  guint32 word;    /* index of the first word: address / 4 */
  guint n_words;   /* consecutive words; always 1 in %CURED_BANK_PLOT_BANKS */
  guint32 lanes;   /* lanes that access them, as a mask */
  guint n_lanes;   /* number of bits in @lanes */
  guint bank;      /* bank of @word */
  guint wavefront; /* first wavefront that serves it, from 0 */
  /* number of wavefronts that serve it; in %CURED_BANK_PLOT_BANKS more than 1 only if turns take
   * two */
  guint n_wavefronts;
  guint group; /* group of lanes that are served together, from 0; with addresses, the first one */
  /* one of its banks had served the same group before, with another word or for another lane */
  gboolean is_conflict;
  gboolean is_broadcast; /* one access serves several lanes; for addresses, in any wavefront */
} CuredBankChip;

/* One access, laid out. Read-only except for cured_bank_plot_align(); may be used by any
 * thread. */
typedef struct
{
  CuredChart chart;       /* items are chips, steps are wavefronts */
  CuredBankAccess access; /* the access that is shown */
  CuredBankPlotMode mode; /* the meaning of rows and columns */
  gboolean is_known;      /* the bank model has a rule for the access; otherwise without chips */
  guint n_banks;          /* 16 or 32 */
  CuredBankCounts counts; /* cost of the access */
  /* (element-type CuredBankChip): in reading order: row by row, from left to
   * right */
  GArray *chips;

  /*< private >*/
  GArray *turns; /* chips of CURED_BANK_PLOT_BANKS */
  GArray *rows;  /* rows of %CURED_BANK_PLOT_ADDRESSES */
  guint n_parts; /* greatest number of words that a bank serves at once */
  guint rows_beside, parts_beside;
} CuredBankPlot;

CuredBankPlot *cured_bank_plot_new (const CuredBankAccess *access, CuredBankPlotMode mode);
void cured_bank_plot_align (CuredBankPlot *self, const CuredBankPlot *beside);
gboolean cured_bank_plot_is_served (const CuredBankPlot *self, gsize chip, guint wavefront);
gssize cured_bank_plot_find_lane (const CuredBankPlot *self, guint lane);
char *cured_bank_lanes_format (guint32 lanes);
void cured_bank_lane_get_colours (guint lane, CuredColour *fill, CuredColour *text);
