/* SPDX-License-Identifier: MIT
 * Asks how an exported picture is to look. */
#include <config.h>

#include "app/cured-export-dialog.h"

#include <glib/gi18n.h>

#include "widgets/cured-ask.h"
#include "widgets/cured-widget.h"

#define USUAL_DPI  192.0
#define USUAL_FONT 10.0

#define UNITS_PER_CM (96 / 2.54)

typedef struct
{
  /* Borrowed */
  AdwComboRow *format;
  GtkEditable *size;
  GtkSpinButton *font, *dpi;
  GtkSwitch *dark;
  GtkLabel *problem;

  GPtrArray *formats; /* owned; of const CuredExportFormat * */
  CuredExportChosen chosen;
} Dialog;

static void
dialog_free (gpointer data)
{
  g_ptr_array_unref (((Dialog *) data)->formats);
  g_free (data);
}

static const CuredExportFormat *
get_format (const Dialog *self)
{
  return self->formats->pdata[adw_combo_row_get_selected (self->format)];
}

/* Figures as they usually are stay zero, so that PDF keeps its scale. */
static gboolean
read_options (const Dialog *self, CuredExportOptions *options, GError **error)
{
  const char *size = gtk_editable_get_text (self->size);
  double font = gtk_spin_button_get_value (self->font);
  double dpi = gtk_spin_button_get_value (self->dpi);

  *options = (CuredExportOptions){ .dark = gtk_switch_get_active (self->dark),
                                   .font_size = font != USUAL_FONT ? font : 0,
                                   .dpi = dpi != USUAL_DPI ? dpi : 0 };
  return size[strspn (size, " ")] == '\0' ||
         cured_export_parse_size (size, &options->width, &options->height, error);
}

static void
changed_cb (AdwMessageDialog *dialog)
{
  Dialog *self = g_object_get_data (G_OBJECT (dialog), "export");
  g_autoptr (GError) error = NULL;
  CuredExportOptions options;
  gboolean is_right = read_options (self, &options, &error);

  adw_message_dialog_set_response_enabled (dialog, "export", is_right);
  gtk_widget_set_sensitive (GTK_WIDGET (self->dpi), g_str_equal (get_format (self)->id, "png"));
  gtk_widget_set_visible (GTK_WIDGET (self->problem), !is_right);
  cured_widget_say (self->problem, is_right ? "" : error->message);
}

static void
answered_cb (gpointer owner, const char *response, AdwMessageDialog *dialog)
{
  Dialog *self = g_object_get_data (G_OBJECT (dialog), "export");
  CuredExportOptions options;

  if (g_str_equal (response, "export") && read_options (self, &options, NULL))
    self->chosen (owner, get_format (self), &options);
}

static GtkWidget *
add_row (GtkWidget *list, const char *title, GtkWidget *control)
{
  GtkWidget *row = cured_widget_new_row (title, NULL, 0);

  gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
  cured_widget_name (control, title, NULL);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), control);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), control);
  gtk_list_box_append (GTK_LIST_BOX (list), row);
  return control;
}

static GtkWidget *
add_number (GtkWidget *list, const char *title, double least, double most, double step,
            double value)
{
  GtkWidget *spin = gtk_spin_button_new_with_range (least, most, step);

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), value);
  return add_row (list, title, spin);
}

static void
add_formats (Dialog *self, GtkWidget *list)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  gsize n_formats;
  const CuredExportFormat *formats = cured_export_formats (&n_formats);
  GtkWidget *row = adw_combo_row_new ();

  for (gsize i = 0; i < n_formats; i++)
    if (formats[i].is_picture && !g_str_equal (formats[i].id, "html"))
      {
        g_ptr_array_add (self->formats, (gpointer) &formats[i]);
        gtk_string_list_append (titles, _ (formats[i].title));
      }
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Format"));
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (titles));
  gtk_list_box_append (GTK_LIST_BOX (list), row);
  self->format = ADW_COMBO_ROW (row);
}

static char *
format_size (const CuredExportOptions *options)
{
  if (!(options->width > 0))
    return g_strdup ("");
  if (!(options->height > 0))
    return g_strdup_printf ("%.4gcm", options->width / UNITS_PER_CM);
  return g_strdup_printf ("%.4gx%.4gcm", options->width / UNITS_PER_CM,
                          options->height / UNITS_PER_CM);
}

/* Asks over @parent for a picture's format and look, at first @options; @chosen follows while @owner
 * is there. */
void
cured_export_dialog_show (GtkWindow *parent, const CuredDrawing *drawing,
                          const CuredExportOptions *options, gpointer owner,
                          CuredExportChosen chosen)
{
  static const CuredAnswer answers[] = {
    { "cancel", N_ ("_Cancel") },
    { "export", N_ ("Choose _File…"), ADW_RESPONSE_SUGGESTED },
    { NULL },
  };
  AdwMessageDialog *dialog =
      cured_ask (parent, _ ("Export Picture"), NULL, answers, owner, answered_cb);
  GtkWidget *box = cured_widget_new (GTK_TYPE_BOX, NULL, "orientation", GTK_ORIENTATION_VERTICAL,
                                     "spacing", 6, NULL);
  GtkWidget *list = cured_widget_new (GTK_TYPE_LIST_BOX, "boxed-list", "selection-mode",
                                      GTK_SELECTION_NONE, NULL);
  GtkWidget *size = adw_entry_row_new ();
  Dialog *self = g_new0 (Dialog, 1);
  g_autofree char *text = format_size (options);
  double width, height;

  self->formats = g_ptr_array_new ();
  self->chosen = chosen;
  g_object_set_data_full (G_OBJECT (dialog), "export", self, dialog_free);
  add_formats (self, list);
  cured_drawing_get_size (drawing, &width, &height);
  /* Translators: a width and a height, in centimetres, that are taken where none is typed. */
  g_autofree char *title = g_strdup_printf (_ ("Size, such as 12x8cm (%.1f × %.1f cm)"),
                                            width / UNITS_PER_CM, height / UNITS_PER_CM);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (size), title);
  gtk_editable_set_text (GTK_EDITABLE (size), text);
  adw_entry_row_set_activates_default (ADW_ENTRY_ROW (size), TRUE);
  gtk_list_box_append (GTK_LIST_BOX (list), size);
  self->size = GTK_EDITABLE (size);
  self->font =
      GTK_SPIN_BUTTON (add_number (list, _ ("Font size, points"), 4, 72, 1,
                                   options->font_size > 0 ? options->font_size : USUAL_FONT));
  self->dpi = GTK_SPIN_BUTTON (add_number (list, _ ("Resolution, pixels per inch"), 10, 2400, 24,
                                           options->dpi > 0 ? options->dpi : USUAL_DPI));
  self->dark = GTK_SWITCH (add_row (list, _ ("Dark"), gtk_switch_new ()));
  gtk_switch_set_active (self->dark, options->dark);
  self->problem = GTK_LABEL (cured_widget_new (GTK_TYPE_LABEL, "error", "wrap", TRUE, "xalign", 0.0,
                                               "max-width-chars", 40, "visible", FALSE,
                                               "accessible-role", GTK_ACCESSIBLE_ROLE_ALERT, NULL));
  CURED_APPEND (box, list, self->problem);
  adw_message_dialog_set_extra_child (dialog, box);
  g_signal_connect_object (size, "changed", G_CALLBACK (changed_cb), dialog, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->format, "notify::selected", G_CALLBACK (changed_cb), dialog,
                           G_CONNECT_SWAPPED);
}
