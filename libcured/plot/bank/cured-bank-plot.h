/* SPDX-License-Identifier: MIT
 * The picture of one access of a warp to the banks of shared memory: what is where, and its drawing
 * with Cairo. */
#pragma once

#include "bank/cured-bank-model.h"
#include "plot/cured-paint.h"

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
 * CuredBankChip: what is drawn as one piece.
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
 *
 * One access, laid out. Immutable but for cured_bank_plot_align(); may be used by any thread.
 */
typedef struct _CuredBankPlot CuredBankPlot;

CuredBankPlot *cured_bank_plot_new (const CuredBankAccess *access);
void cured_bank_plot_free (CuredBankPlot *self);
void cured_bank_plot_align (CuredBankPlot *self, const CuredBankPlot *beside);
gboolean cured_bank_plot_is_known (const CuredBankPlot *self);
void cured_bank_plot_get_counts (const CuredBankPlot *self, CuredBankCounts *counts);
guint cured_bank_plot_get_n_wavefronts (const CuredBankPlot *self);
const CuredBankChip *cured_bank_plot_get_chips (const CuredBankPlot *self, CuredBankPlotMode mode,
                                                gsize *n_chips);
gboolean cured_bank_plot_is_served (const CuredBankPlot *self, CuredBankPlotMode mode, gsize chip,
                                    guint wavefront);
gssize cured_bank_plot_find_lane (const CuredBankPlot *self, CuredBankPlotMode mode, guint lane);
gssize cured_bank_plot_move (const CuredBankPlot *self, CuredBankPlotMode mode, gssize chip,
                             int columns, int rows);
char *cured_bank_plot_describe (const CuredBankPlot *self, CuredBankPlotMode mode, gsize chip);
char *cured_bank_lanes_format (guint32 lanes);
void cured_bank_lane_get_colours (guint lane, CuredColour *fill, CuredColour *text);

/**
 * CuredBankPlotGeometry:
 * @mode: what rows and columns are
 * @width: of the whole drawing, in user units
 * @height: likewise
 * @plot: where chips are seen: what is scrolled out of it is clipped
 * @cell_width: of a bank or word
 * @cell_height: of a wavefront or row of words
 * @content_height: of all rows together; where it is more than that of @plot,
 *   they can be scrolled
 * @scroll: what of @content_height is above @plot: 0 to
 *   @content_height − @plot.height. The head with the banks' numbers stays
 *   where it is. A program that scrolls the whole drawing instead gives it
 *   the height of cured_bank_plot_measure(), and leaves this 0
 * @line_height: of the text
 * @has_labels: there is room for the numbers of rows and columns
 */
typedef struct
{
  CuredBankPlotMode mode;
  double width;
  double height;
  CuredRect plot;
  double cell_width;
  double cell_height;
  double content_height;
  double scroll;
  double line_height;
  gboolean has_labels;
} CuredBankPlotGeometry;

void cured_bank_plot_measure (const CuredBankPlot *self, CuredBankPlotMode mode,
                              const CuredPlotStyle *style, double for_width, double *least_width,
                              double *natural_width, double *natural_height);
void cured_bank_plot_geometry_init (CuredBankPlotGeometry *self, const CuredBankPlot *plot,
                                    CuredBankPlotMode mode, const CuredPlotStyle *style,
                                    double width, double height);
void cured_bank_plot_geometry_set_scroll (CuredBankPlotGeometry *self, double scroll);
void cured_bank_plot_geometry_reveal (CuredBankPlotGeometry *self, const CuredBankPlot *plot,
                                      gsize chip);
gboolean cured_bank_plot_geometry_pick (const CuredBankPlotGeometry *self,
                                        const CuredBankPlot *plot, double x, double y, gsize *chip);
void cured_bank_plot_draw (cairo_t *cr, const CuredBankPlot *plot,
                           const CuredBankPlotGeometry *geometry, const CuredPlotStyle *style,
                           gssize wavefront, gssize chip);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredBankPlot, cured_bank_plot_free)

G_END_DECLS
