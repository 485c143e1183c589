/* SPDX-License-Identifier: MIT
 * A dialog for the look of an exported picture. */
#include <config.h>

#include "app/cured-gui-app.h"

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
  CuredExportChosenFunc chosen;
} Dialog;

CURED_FREE_FUNC (Dialog, dialog_free, formats, g_ptr_array_unref)

static const CuredExportFormat *
get_format (const Dialog *self)
{
  return self->formats->pdata[adw_combo_row_get_selected (self->format)];
}

/* Default values stay zero, so that PDF keeps its scale. */
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

static void
add_formats (Dialog *self)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  gsize n_formats;
  const CuredExportFormat *formats = cured_export_formats (&n_formats);

  for (gsize i = 0; i < n_formats; i++)
    if (formats[i].is_picture && !g_str_equal (formats[i].id, "html"))
      {
        g_ptr_array_add (self->formats, (gpointer) &formats[i]);
        gtk_string_list_append (titles, _ (formats[i].title));
      }
  adw_combo_row_set_model (self->format, G_LIST_MODEL (titles));
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

/* Opens the dialog over @parent, with @options as initial values; @chosen is called unless @owner
 * is gone by then. */
void
cured_export_dialog_show (GtkWindow *parent, const CuredDrawing *drawing,
                          const CuredExportOptions *options, gpointer owner,
                          CuredExportChosenFunc chosen)
{
  static const CuredAnswer answers[] = {
    { "cancel", N_ ("_Cancel") },
    { "export", N_ ("Choose _File…"), ADW_RESPONSE_SUGGESTED },
    { NULL },
  };
  g_autoptr (GtkBuilder) builder =
      gtk_builder_new_from_resource ("/io/github/cured/Cured/cured-export-form.ui");
  AdwMessageDialog *dialog =
      cured_ask (parent, _ ("Export Picture"), NULL, answers, owner, answered_cb);
  Dialog *self = g_new0 (Dialog, 1);
  g_autofree char *text = format_size (options);
  double width, height;

  *self = (Dialog){ .format = ADW_COMBO_ROW (gtk_builder_get_object (builder, "format")),
                    .size = GTK_EDITABLE (gtk_builder_get_object (builder, "size")),
                    .font = GTK_SPIN_BUTTON (gtk_builder_get_object (builder, "font")),
                    .dpi = GTK_SPIN_BUTTON (gtk_builder_get_object (builder, "dpi")),
                    .dark = GTK_SWITCH (gtk_builder_get_object (builder, "dark")),
                    .problem = GTK_LABEL (gtk_builder_get_object (builder, "problem")),
                    .formats = g_ptr_array_new (),
                    .chosen = chosen };
  g_object_set_data_full (G_OBJECT (dialog), "export", self, dialog_free);
  add_formats (self);
  cured_drawing_get_size (drawing, &width, &height);
  /* Translators: a width and a height, in centimetres, that are taken where none is typed. */
  g_autofree char *title = g_strdup_printf (_ ("Size, such as 12x8cm (%.1f × %.1f cm)"),
                                            width / UNITS_PER_CM, height / UNITS_PER_CM);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->size), title);
  gtk_editable_set_text (self->size, text);
  if (options->font_size > 0)
    gtk_spin_button_set_value (self->font, options->font_size);
  if (options->dpi > 0)
    gtk_spin_button_set_value (self->dpi, options->dpi);
  gtk_switch_set_active (self->dark, options->dark);
  adw_message_dialog_set_extra_child (dialog,
                                      GTK_WIDGET (gtk_builder_get_object (builder, "form")));
  g_signal_connect_object (self->size, "changed", G_CALLBACK (changed_cb), dialog,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->format, "notify::selected", G_CALLBACK (changed_cb), dialog,
                           G_CONNECT_SWAPPED);
}
