/* SPDX-License-Identifier: MIT
 * A card of the details that requests data about a cell while the card is visible. */
#include <config.h>

#include "map/cured-gui-map.h"

typedef CuredCellCardParts CuredCellCardPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (CuredCellCard, cured_cell_card, ADW_TYPE_BIN)

CuredCellCardParts *
cured_cell_card_get_parts (CuredCellCard *self)
{
  return cured_cell_card_get_instance_private (self);
}

/* A hidden card requests nothing. */
static void
ask (CuredCellCard *self)
{
  CURED_CELL_CARD_GET_CLASS (self)->ask (self, gtk_widget_get_mapped (GTK_WIDGET (self)) &&
                                                   cured_cell_card_get_parts (self)->cell >= 0);
}

static void
cured_cell_card_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (cured_cell_card_parent_class)->map (widget);
  ask (CURED_CELL_CARD (widget));
  cured_cell_card_update (CURED_CELL_CARD (widget));
}

static void
cured_cell_card_unmap (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (cured_cell_card_parent_class)->unmap (widget);
  ask (CURED_CELL_CARD (widget));
}

static void
cured_cell_card_dispose (GObject *object)
{
  cured_cell_card_get_parts (CURED_CELL_CARD (object))->cell = -1;
  /* GTK 4.8 looks for the template in the subclass, which has none; AdwBin drops its child. */
  G_OBJECT_CLASS (cured_cell_card_parent_class)->dispose (object);
}

static void
cured_cell_card_class_init (CuredCellCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_cell_card_dispose;
  widget_class->map = cured_cell_card_map;
  widget_class->unmap = cured_cell_card_unmap;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/cured/Cured/cured-cell-card.ui");
#define BIND(name) gtk_widget_class_bind_template_child_private (widget_class, CuredCellCard, name)
  BIND (title);
  BIND (spinner);
  BIND (text);
  BIND (bars);
  BIND (facts);
  BIND (advice);
  BIND (go_to_cell);
  BIND (next_step);
  BIND (show_source);
#undef BIND
}

static void
cured_cell_card_init (CuredCellCard *self)
{
  cured_cell_card_get_parts (self)->cell = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* Sets the cell; -1: none. Shows known data at once, the rest when it arrives. */
void
cured_cell_card_set_cell (CuredCellCard *self, gint64 cell)
{
  cured_cell_card_get_parts (self)->cell = cell;
  cured_cell_card_update (self);
  ask (self);
  cured_cell_card_update (self);
}

void
cured_cell_card_update (CuredCellCard *self)
{
  CuredCellCardParts *parts = cured_cell_card_get_parts (self);

  gtk_widget_set_visible (GTK_WIDGET (self),
                          parts->cell >= 0 &&
                              CURED_CELL_CARD_GET_CLASS (self)->update (self, parts));
}

void
cured_cell_card_set_text (CuredCellCard *self, const char *text, gboolean is_busy)
{
  CuredCellCardParts *parts = cured_cell_card_get_parts (self);

  gtk_label_set_label (parts->text, text);
  gtk_spinner_set_spinning (parts->spinner, is_busy);
  gtk_widget_set_visible (GTK_WIDGET (parts->spinner), is_busy);
}
