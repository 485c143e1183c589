/* SPDX-License-Identifier: MIT
 * Rows of lists: their widgets, and the item that each of them shows. */
#pragma once

#include <gtk/gtk.h>

/* How a list makes its rows. @show: has the row show an item: of a tree, that of the tree's row */
typedef struct
{
  const char *ui; /* (nullable): the resource that has the row as its object `row`; NULL: a label */
  const char *classes; /* (nullable): of the label, separated by spaces */
  void (*show) (GtkWidget *row, gpointer item, gpointer data);
  const char *signal; /* (nullable): of an item, after which it is shown again */
} CuredListRows;

GtkListItemFactory *cured_list_rows_new (const CuredListRows *rows, gpointer data);
gpointer cured_list_rows_get (GtkWidget *row, const char *id);
void cured_list_rows_set_text (GtkWidget *row, const char *id, const char *text);
