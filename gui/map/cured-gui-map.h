/* SPDX-License-Identifier: MIT
 * The page of a result: its map and the details of a cell. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- A card of the details that requests data about a cell while the card is visible ---- */

/* The parts of a card; all except title and text are initially hidden. */
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

/* @ask: starts or stops requesting data about the cell; @update: shows the known data; returns
 * %FALSE if there is nothing to show */
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

/* ---- The details of one cell and of its sweep ---- */

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
/* For a cell that was wrong, failed, crashed or timed out on a device: runs it on the emulator
 * while the card is visible, and shows the findings with their lines. */
G_DECLARE_FINAL_TYPE (CuredDiagnosisCard, cured_diagnosis_card, CURED, DIAGNOSIS_CARD,
                      CuredCellCard)

void cured_diagnosis_card_set_inspector (CuredDiagnosisCard *self, CuredDocument *document,
                                         CuredInspector *inspector);

/* ---- The heat map widget: zoom, pan, pointer and keyboard cursor ---- */

#define CURED_TYPE_HEAT_MAP (cured_heat_map_get_type ())
/* Shows the grid of its `view`, and moves the view's cursor and selection. Other properties:
 * `hovered`, notified after the cell under the pointer changed; `is-zoomed`, whether some cells are
 * out of view; `menu-model`, the context menu of the cursor's cell or of the selected ones, or
 * NULL. Signal: `cell-activated`, emitted on Enter, a double click or the action `map.show-cell` to
 * request the details of the cursor's cell. */
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

/* ---- A dialog for the limits of a map's colours ---- */

void cured_limits_dialog_show (GtkWidget *beside, CuredMapView *view);

/* ---- One result: the map, its settings, and the details beside it ---- */

#define CURED_TYPE_RESULT_PAGE (cured_result_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredResultPage, cured_result_page, CURED, RESULT_PAGE, CuredPage)

CuredMapView *cured_result_page_get_map_view (CuredResultPage *self);
CuredHeatMap *cured_result_page_get_map (CuredResultPage *self);
AdwFlap *cured_result_page_get_flap (CuredResultPage *self);
char *cured_result_page_get_cell_text (CuredResultPage *self);

/* ---- A list row with a name, a bar and a share ---- */

void cured_share_row_add (GtkListBox *list, const char *title, double share, const char *value,
                          gboolean is_main, const char *tooltip, GtkSizeGroup *titles,
                          GtkSizeGroup *values);

/* ---- The slice of a result shown by a map: its axes, and sliders for the other ones ---- */

#define CURED_TYPE_SLICES (cured_slices_get_type ())
/* The sliders; the drop-downs of the axes are elsewhere. All are bound to the view. */
G_DECLARE_FINAL_TYPE (CuredSlices, cured_slices, CURED, SLICES, AdwBin)

void cured_slices_set_view (CuredSlices *self, CuredMapView *view, GtkDropDown *x_axis,
                            GtkDropDown *y_axis);
gboolean cured_slices_may_split (CuredResult *result, const CuredView *view, gsize number);
void cured_slices_add_splits (GListStore *choices, CuredResult *result, const CuredView *view);

/* ---- The limiter of a cell: a sentence, and a bar for each resource ---- */

#define CURED_TYPE_WHY_CARD (cured_why_card_get_type ())
/* While visible, requests a cell's explanation from the explainer and shows it. */
G_DECLARE_FINAL_TYPE (CuredWhyCard, cured_why_card, CURED, WHY_CARD, CuredCellCard)

void cured_why_card_set_explainer (CuredWhyCard *self, CuredDocument *document,
                                   CuredExplainer *explainer);
