/* SPDX-License-Identifier: MIT
 * The page of shared memory's banks. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- The accesses of a kernel's warps to the banks of shared memory ---- */

#define CURED_TYPE_BANK_PAGE (cured_bank_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredBankPage, cured_bank_page, CURED, BANK_PAGE, CuredPage)

/* ---- A picture of an access to the banks: adds lanes to #CuredPicture ---- */

CuredBankPlot *cured_bank_picture_get_plot (CuredPicture *picture);
void cured_bank_picture_show (CuredPicture *picture, const CuredBankAccess *access,
                              CuredBankPlotMode mode, const char *why);
void cured_bank_picture_set_mode (CuredPicture *picture, CuredBankPlotMode mode);
void cured_bank_picture_set_wavefront (CuredPicture *picture, gssize wavefront);
int cured_bank_picture_get_lane (CuredPicture *picture);
void cured_bank_picture_point_at_lane (CuredPicture *picture, int lane);
void cured_bank_picture_align (CuredPicture *picture, CuredPicture *beside);

/* ---- Plays the wavefronts of an access, or the accesses of a warp ---- */

/* The kinds of steps to play. @CURED_BANK_PLAY_THREADS: of the block; step 0 shows all together;
 * not in the player's list, but set by a view that plays nothing else */
typedef enum
{
  CURED_BANK_PLAY_WAVEFRONTS, /* of one access; step 0 shows all together */
  CURED_BANK_PLAY_ACCESSES,   /* of the warp, in time */
  CURED_BANK_PLAY_THREADS,
  CURED_BANK_N_PLAYS
} CuredBankPlay;

#define CURED_TYPE_BANK_PLAYER (cured_bank_player_get_type ())
/* Buttons, a slider and a timer, which only runs while the player is visible and animations are
 * enabled. Signal: `moved`: the step or the kind of steps changed. */
G_DECLARE_FINAL_TYPE (CuredBankPlayer, cured_bank_player, CURED, BANK_PLAYER, AdwBin)

void cured_bank_player_set_length (CuredBankPlayer *self, CuredBankPlay play, gsize length);
CuredBankPlay cured_bank_player_get_play (CuredBankPlayer *self);
void cured_bank_player_set_play (CuredBankPlayer *self, CuredBankPlay play);
gsize cured_bank_player_get_step (CuredBankPlayer *self);
void cured_bank_player_set_step (CuredBankPlayer *self, gsize step);
void cured_bank_player_move (CuredBankPlayer *self, int by);
void cured_bank_player_toggle (CuredBankPlayer *self);
gboolean cured_bank_player_is_playing (CuredBankPlayer *self);

/* ---- One of the pictures side by side, with its figures ---- */

#define CURED_TYPE_BANK_SIDE (cured_bank_side_get_type ())
G_DECLARE_FINAL_TYPE (CuredBankSide, cured_bank_side, CURED, BANK_SIDE, AdwBin)

CuredPicture *cured_bank_side_get_chart (CuredBankSide *self);
void cured_bank_side_set_mode (CuredBankSide *self, CuredBankPlotMode mode);
void cured_bank_side_set_head (CuredBankSide *self, GtkWidget *head);
void cured_bank_side_clear_figures (CuredBankSide *self);
void cured_bank_side_add_group (CuredBankSide *self, const char *title, const char *narrow_title);
void cured_bank_side_add_figure (CuredBankSide *self, const char *caption, const char *value,
                                 const char *narrow_value, const char *tooltip);
void cured_bank_side_set_narrow (CuredBankSide *self, gboolean is_narrow);
void cured_bank_side_show_access (CuredBankSide *self, const CuredBankSite *site,
                                  const CuredBankAccess *access);
void cured_bank_side_show_message (CuredBankSide *self, const char *title, const char *text);

/* ---- The list of a warp's accesses to shared memory, by source line ---- */

#define CURED_TYPE_BANK_SITES (cured_bank_sites_get_type ())
/* A table with sortable columns, initially worst first. Similar sites of a line share a row.
 * Signals: `selected`: the selection changed; `activated`: Enter or a double click. */
G_DECLARE_FINAL_TYPE (CuredBankSites, cured_bank_sites, CURED, BANK_SITES, AdwBin)

void cured_bank_sites_set_view (CuredBankSites *self, CuredBankView *view);
const CuredBankSite *cured_bank_sites_get_selected (CuredBankSites *self);
gboolean cured_bank_sites_is_selected (CuredBankSites *self, gsize site);
gboolean cured_bank_sites_select (CuredBankSites *self, gsize site);
gboolean cured_bank_sites_select_line (CuredBankSites *self, const CuredKernel *kernel, int line);
guint cured_bank_sites_get_n_rows (CuredBankSites *self);
void cured_bank_sites_set_wide (CuredBankSites *self, gboolean is_wide);

/* ---- Texts of the bank page ---- */

char *cured_bank_text_widths (const CuredBankView *view, const CuredBankSite *site);
char *cured_bank_text_note (const CuredBankView *view);
char *cured_bank_text_problems (const CuredInspection *inspection);
char *cured_bank_text_no_shared (CuredKernel *kernel, const CuredBankView *view);
char *cured_bank_text_site (const CuredBankSite *site);
void cured_bank_text_fill_figures (CuredBankSide *side, CuredResult *result, gint64 cell,
                                   const CuredBankView *view, const CuredBankAccess *access);

/* ---- A tile in CuTe's or Triton's notation, and one access to it ---- */

#define CURED_TYPE_LAYOUT_PANEL (cured_layout_panel_get_type ())
/* Signal: `changed`: the access changed. */
G_DECLARE_FINAL_TYPE (CuredLayoutPanel, cured_layout_panel, CURED, LAYOUT_PANEL, GtkBox)

const CuredBankAccess *cured_layout_panel_get_access (CuredLayoutPanel *self);
char *cured_layout_panel_describe (CuredLayoutPanel *self);

/* ---- The bank model alone: a stride or a tile, and its bank conflicts ---- */

#define CURED_TYPE_STRIDE_EXPLORER (cured_stride_explorer_get_type ())
G_DECLARE_FINAL_TYPE (CuredStrideExplorer, cured_stride_explorer, CURED, STRIDE_EXPLORER, AdwWindow)

CuredStrideExplorer *cured_stride_explorer_new (GtkWindow *parent);
