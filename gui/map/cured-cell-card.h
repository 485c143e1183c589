/* SPDX-License-Identifier: MIT
 * A card of the details, which asks about a cell while it is visible. */
#pragma once

#include <adwaita.h>

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

/* @ask: somebody looks at the cell, or nobody does any more; @update: shows what is known; FALSE:
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
