/* SPDX-License-Identifier: MIT
 * The page of a result: its map, and what is known of a cell. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- A card of the details, which asks about a cell while it is visible ---- */

/* The parts of a card; all but title and text are hidden at first. */
typedef struct
{
  GtkLabel *title;
  GtkSpinner *spinner;
  GtkLabel *text;
  GtkListBox *bars;
  GtkLabel *facts, *advice;
  GtkWidget *go_to_cell;
  GtkButton *next_step;
  GtkWidget *show_source;
  gint64 cell; /* -1: none */
} CuredCellCardParts;

#define CURED_TYPE_CELL_CARD (cured_cell_card_get_type ())
G_DECLARE_DERIVABLE_TYPE (CuredCellCard, cured_cell_card, CURED, CELL_CARD, AdwBin)

/* @ask: the cell is looked at, or no longer is; @update: shows what is known; FALSE:
 * there is nothing to show */
struct _CuredCellCardClass
{
  AdwBinClass parent_class;

  void (*ask) (CuredCellCard *self, gboolean is_wanted);
  gboolean (*update) (CuredCellCard *self, CuredCellCardParts *parts);
};

void cured_cell_card_set_cell (CuredCellCard *self, gint64 cell);
void cured_cell_card_update (CuredCellCard *self);
void cured_cell_card_set_text (CuredCellCard *self, const char *text, gboolean is_busy);
CuredCellCardParts *cured_cell_card_get_parts (CuredCellCard *self);

/* ---- All that is known of one cell, and of the sweep that it belongs to ---- */

#define CURED_TYPE_CELL_DETAILS (cured_cell_details_get_type ())
G_DECLARE_FINAL_TYPE (CuredCellDetails, cured_cell_details, CURED, CELL_DETAILS, AdwBin)

gint64 cured_cell_details_get_cell (CuredCellDetails *self);
void cured_cell_details_set_metric (CuredCellDetails *self, gsize metric);
void cured_cell_details_set_explainer (CuredCellDetails *self, CuredDocument *document,
                                       CuredExplainer *explainer);
void cured_cell_details_set_inspector (CuredCellDetails *self, CuredDocument *document,
                                       CuredInspector *inspector);
void cured_cell_details_set_cell (CuredCellDetails *self, CuredResult *result, gint64 cell,
                                  gboolean is_best);
void cured_cell_details_update_counts (CuredCellDetails *self);
char *cured_cell_details_to_text (CuredCellDetails *self);

/* ---- The emulator's findings in a cell that failed on a device ---- */

#define CURED_TYPE_DIAGNOSIS_CARD (cured_diagnosis_card_get_type ())
/* For a cell that a device called wrong or timed out: runs it on the emulator while the card is
 * visible, and shows the findings with their lines. */
G_DECLARE_FINAL_TYPE (CuredDiagnosisCard, cured_diagnosis_card, CURED, DIAGNOSIS_CARD,
                      CuredCellCard)

void cured_diagnosis_card_set_inspector (CuredDiagnosisCard *self, CuredDocument *document,
                                         CuredInspector *inspector);

/* ---- The heat map on screen: zoom, pan, pointer and keyboard cursor ---- */

#define CURED_TYPE_HEAT_MAP (cured_heat_map_get_type ())
/* Shows the grid of its `view`, and moves the cursor and the selection in it. Other properties:
 * `hovered`, notified after the cell under the pointer changed; `is-zoomed`, whether some cells are
 * out of sight; `menu-model`, what may be done with the cursor's cell or with the selected ones, or
 * NULL. Signal: `cell-activated` when the details of the cursor's cell are asked for, with Enter, a
 * double click or the action `map.show-cell`. */
G_DECLARE_FINAL_TYPE (CuredHeatMap, cured_heat_map, CURED, HEAT_MAP, GtkWidget)

CuredMapView *cured_heat_map_get_view (CuredHeatMap *self);
void cured_heat_map_set_view (CuredHeatMap *self, CuredMapView *view);
gboolean cured_heat_map_get_pointed (CuredHeatMap *self, gsize *column, gsize *row);
gboolean cured_heat_map_get_hovered (CuredHeatMap *self, gsize *column, gsize *row);
gboolean cured_heat_map_get_cell_area (CuredHeatMap *self, gsize column, gsize row,
                                       graphene_rect_t *area);
void cured_heat_map_set_reason (CuredHeatMap *self, gsize column, gsize row, const char *reason);
void cured_heat_map_zoom (CuredHeatMap *self, double factor);
void cured_heat_map_pan (CuredHeatMap *self, double by_x, double by_y);
void cured_heat_map_zoom_reset (CuredHeatMap *self);
gboolean cured_heat_map_is_zoomed (CuredHeatMap *self);
gboolean cured_heat_map_get_range (CuredHeatMap *self, double *low, double *high);

/* ---- Asks where the colours of a map begin and end ---- */

void cured_limits_dialog_show (GtkWidget *beside, CuredMapView *view);

/* ---- One result: the map, what it shows, and the details beside it ---- */

#define CURED_TYPE_RESULT_PAGE (cured_result_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredResultPage, cured_result_page, CURED, RESULT_PAGE, CuredPage)

CuredMapView *cured_result_page_get_map_view (CuredResultPage *self);
CuredHeatMap *cured_result_page_get_map (CuredResultPage *self);
AdwFlap *cured_result_page_get_flap (CuredResultPage *self);
char *cured_result_page_get_cell_text (CuredResultPage *self);

/* ---- A row of a list: a name, a bar, a share ---- */

void cured_share_row_add (GtkListBox *list, const char *title, double share, const char *value,
                          gboolean is_main, const char *tooltip, GtkSizeGroup *titles,
                          GtkSizeGroup *values);

/* ---- The slice of a result that a map shows: its axes, and a slider for each other ---- */

#define CURED_TYPE_SLICES (cured_slices_get_type ())
/* The sliders; the drop-downs of the axes are elsewhere. Both are bound to the view. */
G_DECLARE_FINAL_TYPE (CuredSlices, cured_slices, CURED, SLICES, AdwBin)

void cured_slices_set_view (CuredSlices *self, CuredMapView *view, GtkDropDown *x_axis,
                            GtkDropDown *y_axis);
gboolean cured_slices_may_split (CuredResult *result, const CuredView *view, gsize number);
void cured_slices_add_splits (GListStore *choices, CuredResult *result, const CuredView *view);

/* ---- The limit of a cell: a sentence, and a bar for each resource ---- */

#define CURED_TYPE_WHY_CARD (cured_why_card_get_type ())
/* Asks an explainer of one cell while it is seen, and shows what that says. */
G_DECLARE_FINAL_TYPE (CuredWhyCard, cured_why_card, CURED, WHY_CARD, CuredCellCard)

void cured_why_card_set_explainer (CuredWhyCard *self, CuredDocument *document,
                                   CuredExplainer *explainer);
