/* SPDX-License-Identifier: MIT
 * Preferences: the folder of results, devices, colours, digits. */
#include <config.h>

#include "app/cured-gui-app.h"

struct _CuredPreferences
{
  AdwPreferencesWindow parent_instance;

  /* Template widgets */
  AdwActionRow *folder;
  GtkWidget *reset_folder;
  AdwEntryRow *device, *launcher;
  AdwComboRow *colours;
  GtkSpinButton *digits;
  GtkSwitch *ptx;
};

G_DEFINE_FINAL_TYPE (CuredPreferences, cured_preferences, ADW_TYPE_PREFERENCES_WINDOW)

static void
show_folder (CuredPreferences *self)
{
  g_autofree char *path = cured_sweep_get_folder ();
  g_autofree char *place = cured_text_place (path);
  g_autofree char *set = cured_settings_get_string ("results-folder");
  g_autofree char *escaped = g_markup_escape_text (place, -1);

  adw_action_row_set_subtitle (self->folder, escaped);
  gtk_widget_set_sensitive (self->reset_folder, set != NULL);
}

static void
folder_chosen_cb (gpointer self, GFile *file)
{
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path == NULL)
    return;
  cured_settings_set_string ("results-folder", path);
  show_folder (self);
}

static void
choose_folder_cb (CuredPreferences *self)
{
  cured_chooser_ask (self,
                     &(CuredChooser){ .action = GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                      .title = _ ("Folder for Results"),
                                      .accept = _ ("_Use") },
                     folder_chosen_cb);
}

static void
reset_folder_cb (CuredPreferences *self)
{
  cured_settings_set_string ("results-folder", "");
  show_folder (self);
}

static void
device_changed_cb (CuredPreferences *self)
{
  cured_settings_set_string ("device", gtk_editable_get_text (GTK_EDITABLE (self->device)));
}

/* Stored only when applied, since each letter would be another launcher. */
static void
launcher_applied_cb (CuredPreferences *self)
{
  cured_settings_set_string ("launcher", gtk_editable_get_text (GTK_EDITABLE (self->launcher)));
}

/* As the dialog is closed, a typed number arrives after the template's children are gone. */
static void
digits_changed_cb (CuredPreferences *self, GtkSpinButton *spin)
{
  int digits = gtk_spin_button_get_value_as_int (spin);

  cured_settings_set_int ("digits", digits);
  cured_format_set_digits ((guint) digits);
}

/* The toggle of the source page, which shows either the PTX or the machine code. */
static void
ptx_changed_cb (CuredPreferences *self)
{
  gboolean is_on = gtk_switch_get_active (self->ptx);

  cured_settings_set_toggle ("ptx", is_on);
  if (is_on)
    cured_settings_set_toggle ("sass", FALSE);
}

static void
colours_changed_cb (CuredPreferences *self)
{
  gsize n_maps;
  const CuredColourMap *maps = cured_colour_map_list (&n_maps);
  guint selected = adw_combo_row_get_selected (self->colours);

  if (selected < n_maps)
    cured_settings_set_string ("colours", maps[selected].id);
}

static void
fill (CuredPreferences *self)
{
  gsize n_maps;
  const CuredColourMap *maps = cured_colour_map_list (&n_maps);
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  g_autofree char *chosen = cured_settings_get_string ("colours");
  g_autofree char *device = cured_settings_get_string ("device");
  g_autofree char *launcher = cured_settings_get_string ("launcher");
  guint selected = 0;

  for (gsize i = 0; i < n_maps; i++)
    {
      gtk_string_list_append (titles, _ (maps[i].title));
      if (g_strcmp0 (chosen, maps[i].id) == 0)
        selected = (guint) i;
    }
  adw_combo_row_set_model (self->colours, G_LIST_MODEL (titles));
  adw_combo_row_set_selected (self->colours, selected);
  gtk_editable_set_text (GTK_EDITABLE (self->device), device != NULL ? device : "");
  gtk_editable_set_text (GTK_EDITABLE (self->launcher), launcher != NULL ? launcher : "");
  gtk_spin_button_set_value (self->digits, cured_settings_get_int ("digits", CURED_DIGITS));
  gtk_switch_set_active (self->ptx, cured_settings_get_toggle ("ptx", FALSE));
}

static void
cured_preferences_class_init (CuredPreferencesClass *klass)
{
  cured_template_set (klass, "cured-preferences");
  CURED_BIND (CuredPreferences, folder, reset_folder, device, launcher, colours, digits, ptx);
  CURED_CALLBACKS (choose_folder_cb, reset_folder_cb);
}

static void
cured_preferences_init (CuredPreferences *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  fill (self);
  show_folder (self);
  CURED_CONNECT (self->device, "changed", device_changed_cb);
  CURED_CONNECT (self->launcher, "apply", launcher_applied_cb);
  CURED_CONNECT (self->colours, "notify::selected", colours_changed_cb);
  CURED_CONNECT (self->digits, "value-changed", digits_changed_cb);
  CURED_CONNECT (self->ptx, "notify::active", ptx_changed_cb);
}

CuredPreferences *
cured_preferences_new (GtkWindow *parent)
{
  return g_object_new (CURED_TYPE_PREFERENCES, "transient-for", parent, NULL);
}
