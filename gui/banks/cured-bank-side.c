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
  GtkBox *figures;
  GtkStack *stack;
  CuredPicture *chart;
  GtkLabel *why, *message_title, *message;

  GtkBox *row; /* nullable, borrowed: the last group's figures */

  CuredBankAccess access; /* that is drawn */
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

/* (transfer none): its picture. */
CURED_GETTER (CuredPicture *, cured_bank_side_get_chart, CuredBankSide, chart)

void
cured_bank_side_set_mode (CuredBankSide *self, CuredBankPlotMode mode)
{
  self->mode = mode;
  cured_bank_picture_set_mode (self->chart, mode);
}

/* @head: (nullable): a widget over the figures; NULL: none. */
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
  self->row = NULL;
}

static int
get_spacing (CuredBankSide *self)
{
  return self->is_narrow ? 9 : 18;
}

static GtkWidget *
make_caption (const char *text, const char *classes)
{
  return cured_widget_new (GTK_TYPE_LABEL, classes, "label", text, "ellipsize", PANGO_ELLIPSIZE_END,
                           NULL);
}

static GtkWidget *
make_group (const char *name, const char *description)
{
  GtkWidget *group = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL,
                                   "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);

  cured_widget_name (group, name, description);
  return group;
}

/* Begins another group of figures, beside the one before. */
void
cured_bank_side_add_group (CuredBankSide *self, const char *title, const char *narrow_title)
{
  GtkWidget *group = make_group (title, NULL);
  GtkWidget *label =
      make_caption (self->is_narrow ? narrow_title : title, "dim-label caption-heading");

  gtk_widget_set_tooltip_text (label, title);
  self->row = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, get_spacing (self)));
  CURED_APPEND (group, label, self->row);
  gtk_box_append (self->figures, group);
}

void
cured_bank_side_add_figure (CuredBankSide *self, const char *caption, const char *value,
                            const char *narrow_value, const char *tooltip)
{
  /* Translators: a figure: what it is, and its value. */
  g_autofree char *label = g_strdup_printf (_ ("%s: %s"), caption, value);
  g_autofree char *text = g_strdup_printf ("%s\n%s", label, tooltip);
  GtkWidget *box = make_group (label, tooltip);

  g_return_if_fail (self->row != NULL);

  CURED_APPEND (box, make_caption (caption, "dim-label caption"),
                make_caption (self->is_narrow ? narrow_value : value, "numeric"));
  gtk_widget_set_tooltip_text (box, text);
  gtk_box_append (self->row, box);
}

void
cured_bank_side_set_narrow (CuredBankSide *self, gboolean is_narrow)
{
  self->is_narrow = is_narrow;
  gtk_box_set_spacing (self->figures, get_spacing (self));
  cured_widget_set_class (self->figures, "narrow-figures", is_narrow);
}

/* Draws an access and says why it takes as many wavefronts as it does, or which error it
 * has. One that is drawn already stays as it is. */
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
