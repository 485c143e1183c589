/* SPDX-License-Identifier: MIT
 * Chooses the preset that a new sweep starts from. */
#include <config.h>

#include "sweep/cured-gui-sweep.h"

struct _CuredPresetRow
{
  AdwActionRow parent_instance;

  /* Template widgets */
  GtkMenuButton *menu;

  /* Owned */
  char *kernel_id; /* nullable: none yet */
  char *name;      /* nullable: not one of the presets */

  gboolean is_changed;
};

CURED_DEFINE_TEMPLATE_TYPE (CuredPresetRow, cured_preset_row, ADW_TYPE_ACTION_ROW)

static void
update_menu (CuredPresetRow *self)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) presets = g_menu_new ();
  g_autoptr (GMenu) edit = g_menu_new ();
  g_auto (GStrv) names = cured_presets_list (self->kernel_id);

  g_menu_append (presets, _ ("_Default Sweep"), "preset.use::");
  for (gsize i = 0; names[i] != NULL; i++)
    cured_menu_append_name (presets, names[i], "preset.use", names[i]);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (presets));
  g_menu_append (edit, _ ("_Rename…"), "preset.rename");
  g_menu_append (edit, _ ("D_elete"), "preset.delete");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (edit));
  gtk_menu_button_set_menu_model (self->menu, G_MENU_MODEL (menu));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "preset.rename", self->name != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "preset.delete", self->name != NULL);
}

static void
update_subtitle (CuredPresetRow *self)
{
  const char *text = self->name != NULL ? _ ("A preset, saved with values, options and device")
                                        : _ ("The values that are tried");

  if (self->is_changed)
    text = _ ("Changed since it was chosen");
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), text);
}

static void
tell (CuredPresetRow *self, const GError *error)
{
  GtkWidget *toasts = gtk_widget_get_ancestor (GTK_WIDGET (self), CURED_TYPE_TOAST_OVERLAY);

  if (toasts != NULL)
    cured_toast_overlay_show (CURED_TOAST_OVERLAY (toasts), error->message);
}

/* Asking for a name. */

static void
name_changed_cb (CuredPresetRow *self, GtkEditable *entry)
{
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (gtk_widget_get_root (GTK_WIDGET (entry)));
  gboolean is_rename = adw_message_dialog_has_response (dialog, "rename");
  g_autofree char *name = g_strstrip (g_strdup (gtk_editable_get_text (entry)));
  g_auto (GStrv) names = cured_presets_list (self->kernel_id);
  gboolean is_known = g_strv_contains ((const char *const *) names, name);

  if (is_rename)
    adw_message_dialog_set_response_enabled (dialog, "rename", *name != '\0' && !is_known);
  else
    adw_message_dialog_set_response_enabled (dialog, "save", *name != '\0');
  adw_message_dialog_set_body (dialog, !is_known ? _ ("A name for this kernel's sweep.")
                                       : !is_rename
                                           ? _ ("There is a preset of that name; it is replaced.")
                                           : _ ("There is a preset of that name."));
}

static void
name_response_cb (gpointer owner, const char *response, AdwMessageDialog *dialog)
{
  CuredPresetRow *self = owner;
  GtkEditable *entry = GTK_EDITABLE (adw_message_dialog_get_extra_child (dialog));
  g_autofree char *name = g_strstrip (g_strdup (gtk_editable_get_text (entry)));
  g_autoptr (GError) error = NULL;

  if (g_str_equal (response, "save"))
    {
      g_signal_emit_by_name (self, "save", name);
      return;
    }
  if (!g_str_equal (response, "rename") || self->name == NULL)
    return;
  if (cured_presets_rename (self->kernel_id, self->name, name, &error))
    cured_preset_row_show (self, name, NULL);
  else
    tell (self, error);
}

static void
ask_for_name (CuredPresetRow *self, const char *title, const char *response, const char *label)
{
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  const CuredAnswer answers[] = { { "cancel", N_ ("_Cancel") },
                                  { response, label, ADW_RESPONSE_SUGGESTED },
                                  { NULL } };
  AdwMessageDialog *dialog = cured_ask (parent, title, NULL, answers, self, name_response_cb);
  GtkWidget *entry = gtk_entry_new ();

  cured_widget_name (entry, _ ("Name"), NULL);
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_entry_set_max_length (GTK_ENTRY (entry), 80);
  adw_message_dialog_set_extra_child (dialog, entry);
  CURED_CONNECT (entry, "changed", name_changed_cb);
  gtk_editable_set_text (GTK_EDITABLE (entry), self->name != NULL ? self->name : "");
  name_changed_cb (self, GTK_EDITABLE (entry));
  gtk_widget_grab_focus (entry);
}

/* Actions. */

static void
use_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_signal_emit_by_name (widget, "chosen", g_variant_get_string (parameter, NULL));
}

static void
save_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ask_for_name (CURED_PRESET_ROW (widget), _ ("Save as Preset"), "save", N_ ("_Save"));
}

static void
rename_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ask_for_name (CURED_PRESET_ROW (widget), _ ("Rename the Preset"), "rename", N_ ("_Rename"));
}

static void
delete_cb (CuredPresetRow *self, const char *action, GVariant *parameter)
{
  g_autoptr (GError) error = NULL;

  if (self->name == NULL)
    return;
  g_autoptr (CuredPreset) preset = cured_presets_load (self->kernel_id, self->name, &error);
  if (preset == NULL || !cured_presets_delete (self->kernel_id, self->name, &error))
    {
      tell (self, error);
      return;
    }
  /* The values are kept, but no longer belong to a preset. */
  cured_preset_row_show (self, NULL, _ ("No preset"));
  g_signal_emit_by_name (self, "deleted", preset);
}

static void
cured_preset_row_class_init (CuredPresetRowClass *klass)
{
  cured_class_add_signal (klass, "chosen", 1, G_TYPE_STRING);
  cured_class_add_signal (klass, "save", 1, G_TYPE_STRING);
  cured_class_add_signal (klass, "deleted", 1, G_TYPE_POINTER);
  cured_template_set (klass, "cured-preset-row");
  CURED_BIND (CuredPresetRow, menu);
  CURED_ACTION ("preset.use", "s", use_cb);
  CURED_ACTION ("preset.save", NULL, save_cb);
  CURED_ACTION ("preset.rename", NULL, rename_cb);
  CURED_ACTION ("preset.delete", NULL, delete_cb);
  CURED_FREES (CuredPresetRow, g_free, kernel_id, name);
}

void
cured_preset_row_set_kernel (CuredPresetRow *self, const char *kernel_id)
{
  cured_set_string (&self->kernel_id, kernel_id);
  cured_preset_row_show (self, NULL, NULL);
}

/* Shows the current preset, and updates the menu. @name: (nullable): of the current preset;
 * @origin: (nullable): the source of the current values if they are from no preset; NULL: the
 * kernel's default sweep. */
void
cured_preset_row_show (CuredPresetRow *self, const char *name, const char *origin)
{
  g_return_if_fail (self->kernel_id != NULL);
  cured_set_string (&self->name, name);
  self->is_changed = FALSE;
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), self->name != NULL ? self->name
                                                             : origin != NULL
                                                                 ? origin
                                                                 : _ ("Default sweep"));
  update_subtitle (self);
  update_menu (self);
}

/* @is_changed: whether the current settings differ from the preset's. */
void
cured_preset_row_set_changed (CuredPresetRow *self, gboolean is_changed)
{
  if (self->is_changed == is_changed)
    return;
  self->is_changed = is_changed;
  update_subtitle (self);
}
