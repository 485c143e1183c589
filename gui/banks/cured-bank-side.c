/* SPDX-License-Identifier: MIT
 * One of the pictures side by side, with its figures. */
#include <config.h>

#include "banks/cured-gui-banks.h"

#include <string.h>

struct _CuredBankSide
{
  AdwBin parent_instance;

  /* Template widgets */
  AdwBin *head;
  GtkGrid *figures; /* names and values, under titles of groups */
  GtkStack *stack;
  CuredPicture *chart;
  GtkLabel *why, *message_title, *message;

  GtkWidget *group; /* nullable, borrowed: the last title */
  int n_figures, n_of_group;

  CuredBankAccess access; /* drawn last */
  CuredBankPlotMode mode;
  gboolean has_access, is_narrow;
};

CURED_DEFINE_TEMPLATE_TYPE (CuredBankSide, cured_bank_side, ADW_TYPE_BIN)

static void
cured_bank_side_class_init (CuredBankSideClass *klass)
{
  CURED_NEEDS (PICTURE);
  cured_template_set (klass, "cured-bank-side");
  CURED_BIND (CuredBankSide, head, figures, stack, chart, why, message_title, message);
}

/* (transfer none) */
CURED_GETTER (CuredPicture *, cured_bank_side_get_chart, CuredBankSide, chart)

void
cured_bank_side_set_mode (CuredBankSide *self, CuredBankPlotMode mode)
{
  self->mode = mode;
  cured_bank_picture_set_mode (self->chart, mode);
}

/* @head: (nullable): a widget above the figures; NULL: none. */
void
cured_bank_side_set_head (CuredBankSide *self, GtkWidget *head)
{
  adw_bin_set_child (self->head, head);
  gtk_widget_set_visible (GTK_WIDGET (self->head), head != NULL);
}

void
cured_bank_side_clear_figures (CuredBankSide *self)
{
  cured_widget_empty (self->figures);
  self->group = NULL;
  self->n_figures = 0;
}

/* Baseline-aligned, since fallback fonts may differ in height. */
static GtkWidget *
add_label (CuredBankSide *self, int row, const char *text, const char *classes)
{
  GtkWidget *label =
      cured_widget_new (GTK_TYPE_LABEL, classes, "label", text, "ellipsize", PANGO_ELLIPSIZE_END,
                        "xalign", 0.0, "valign", GTK_ALIGN_BASELINE, NULL);

  gtk_grid_attach (self->figures, label, self->n_figures, row, 1, 1);
  return label;
}

/* Adds a group of figures to the right of the previous one. */
void
cured_bank_side_add_group (CuredBankSide *self, const char *title, const char *narrow_title)
{
  self->group =
      add_label (self, 0, self->is_narrow ? narrow_title : title, "dim-label caption-heading");
  self->n_of_group = 0;
  gtk_widget_set_tooltip_text (self->group, title);
}

void
cured_bank_side_add_figure (CuredBankSide *self, const char *caption, const char *value,
                            const char *narrow_value, const char *tooltip)
{
  /* Translators: a figure: what it is, and its value. */
  g_autofree char *name = g_strdup_printf (_ ("%s: %s"), caption, value);
  g_autofree char *text = g_strdup_printf ("%s\n%s", name, tooltip);

  g_return_if_fail (self->group != NULL);

  GtkWidget *over = add_label (self, 1, caption, "dim-label caption");
  GtkWidget *label = add_label (self, 2, self->is_narrow ? narrow_value : value, "numeric");
  gtk_widget_set_tooltip_text (over, text);
  gtk_widget_set_tooltip_text (label, text);
  cured_widget_name (label, name, tooltip);
  g_object_set (gtk_layout_manager_get_layout_child (
                    gtk_widget_get_layout_manager (GTK_WIDGET (self->figures)), self->group),
                "column-span", ++self->n_of_group, NULL);
  self->n_figures++;
}

void
cured_bank_side_set_narrow (CuredBankSide *self, gboolean is_narrow)
{
  self->is_narrow = is_narrow;
  gtk_grid_set_column_spacing (self->figures, is_narrow ? 9 : 18);
  cured_widget_set_class (self->figures, "narrow-figures", is_narrow);
}

/* Draws an access and explains its number of wavefronts or its error. Does nothing if it is already
 * drawn. */
void
cured_bank_side_show_access (CuredBankSide *self, const CuredBankSite *site,
                             const CuredBankAccess *access)
{
  gtk_stack_set_visible_child_name (self->stack, "chart");
  g_autofree char *why = cured_bank_site_describe (site, access);
  if (self->has_access && memcmp (&self->access, access, sizeof *access) == 0 &&
      g_str_equal (gtk_label_get_label (self->why), why))
    return;
  self->has_access = TRUE;
  self->access = *access;
  gtk_label_set_label (self->why, why);
  cured_widget_set_class (self->why, "error", site->fault != NULL);
  cured_bank_picture_show (self->chart, access, self->mode, why);
}

void
cured_bank_side_show_message (CuredBankSide *self, const char *title, const char *text)
{
  self->has_access = FALSE;
  cured_bank_picture_show (self->chart, NULL, self->mode, NULL);
  gtk_label_set_label (self->message_title, title);
  gtk_label_set_label (self->message, text);
  gtk_stack_set_visible_child_name (self->stack, "message");
}
