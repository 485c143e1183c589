/* SPDX-License-Identifier: MIT
 * What the application remembers between two runs. */
#include <config.h>

#include "model/cured-settings.h"

#include <string.h>

#include "cured.h"

/* Implementation notes: GSettings ends the program where a schema is missing, so the schema is
 * looked for first: beside the build, where the installation put it, and where the desktop's are.
 * Without one there are defaults, and nothing is remembered. */

#define SCHEMA "io.github.cured.Cured"

static GSettings *
open_schema (const char *folder)
{
  GSettingsSchemaSource *parent = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchemaSource) source = NULL;
  g_autoptr (GSettingsSchema) schema = NULL;

  if (folder != NULL)
    source = g_settings_schema_source_new_from_directory (folder, parent, FALSE, NULL);
  else if (parent != NULL)
    source = g_settings_schema_source_ref (parent);
  if (source != NULL)
    schema = g_settings_schema_source_lookup (source, SCHEMA, folder == NULL);
  return schema != NULL ? g_settings_new_full (schema, NULL, NULL) : NULL;
}

/* Main thread only. Returns: (nullable): the application's settings, for bindings; NULL where
 * their schema is not installed */
GSettings *
cured_settings_get (void)
{
  static const char *const folders[] = { CURED_SCHEMADIR, CURED_DATADIR "/glib-2.0/schemas", NULL };
  static GSettings *settings;
  static gboolean is_looked_up;

  for (gsize i = 0; i < G_N_ELEMENTS (folders) && !is_looked_up; i++)
    {
      settings = open_schema (folders[i]);
      is_looked_up = settings != NULL || folders[i] == NULL;
    }
  return settings;
}

/* GSettings ends the program for a key that it does not know, which another version's schema may
 * not have. */
static GSettings *
settings_with (const char *key)
{
  GSettings *settings = cured_settings_get ();
  g_autoptr (GSettingsSchema) schema = NULL;

  if (settings == NULL)
    return NULL;
  g_object_get (settings, "settings-schema", &schema, NULL);
  return g_settings_schema_has_key (schema, key) ? settings : NULL;
}

/* Returns: (transfer full) (nullable): a text, or NULL where it is empty */
char *
cured_settings_get_string (const char *key)
{
  GSettings *settings = settings_with (key);
  g_autofree char *value = settings != NULL ? g_settings_get_string (settings, key) : NULL;

  return value != NULL && value[0] != '\0' ? g_steal_pointer (&value) : NULL;
}

/* @value: what to remember; of a path that is no UTF-8, which no setting can be, nothing is. */
void
cured_settings_set_string (const char *key, const char *value)
{
  if (settings_with (key) != NULL && g_utf8_validate (value, -1, NULL))
    g_settings_set_string (cured_settings_get (), key, value);
}

/* Returns: a switch */
gboolean
cured_settings_get_boolean (const char *key, gboolean fallback)
{
  GSettings *settings = settings_with (key);

  return settings != NULL ? g_settings_get_boolean (settings, key) : fallback;
}

void
cured_settings_set_boolean (const char *key, gboolean value)
{
  if (settings_with (key) != NULL)
    g_settings_set_boolean (cured_settings_get (), key, value);
}

static GVariantDict *
get_dict (const char *key)
{
  g_autoptr (GVariant) value =
      settings_with (key) != NULL ? g_settings_get_value (cured_settings_get (), key) : NULL;
  GVariantDict *dict = g_variant_dict_new (NULL);

  for (gsize i = 0; value != NULL && i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (value, i);
      g_autoptr (GVariant) name = g_variant_get_child_value (entry, 0);
      g_autoptr (GVariant) inner = g_variant_get_child_value (entry, 1);

      g_variant_dict_insert_value (dict, g_variant_get_string (name, NULL), inner);
    }
  return dict;
}

/* A dictionary of variants becomes one of @type, as "{sb}". */
static void
set_dict (const char *key, const char *type, GVariantDict *dict)
{
  g_autoptr (GVariant) variants = g_variant_ref_sink (g_variant_dict_end (dict));
  GVariantBuilder builder;
  GVariantIter iter;
  const char *name;
  GVariant *value;
  g_autofree char *array = g_strconcat ("a", type, NULL);

  if (settings_with (key) == NULL)
    return;
  g_variant_builder_init (&builder, G_VARIANT_TYPE (array));
  g_variant_iter_init (&iter, variants);
  while (g_variant_iter_loop (&iter, "{&sv}", &name, &value))
    g_variant_builder_add_value (&builder,
                                 g_variant_new_dict_entry (g_variant_new_string (name), value));
  g_settings_set_value (cured_settings_get (), key, g_variant_builder_end (&builder));
}

/* Returns: what a view shows */
gboolean
cured_settings_get_toggle (const char *name, gboolean fallback)
{
  g_autoptr (GVariantDict) dict = get_dict ("toggles");
  gboolean value = fallback;

  g_variant_dict_lookup (dict, name, "b", &value);
  return value;
}

/* @value: (out): what it is; unchanged where nobody used it. Returns: whether somebody used it */
gboolean
cured_settings_find_toggle (const char *name, gboolean *value)
{
  g_autoptr (GVariantDict) dict = get_dict ("toggles");

  return g_variant_dict_lookup (dict, name, "b", value);
}

void
cured_settings_set_toggle (const char *name, gboolean value)
{
  g_autoptr (GVariantDict) dict = get_dict ("toggles");

  g_variant_dict_insert (dict, name, "b", value);
  set_dict ("toggles", "{sb}", dict);
}

/* What versions before preset files kept: the kernel's id, a line's end and the name, and a key
 * file of one group. What was damaged there has its default. */
static CuredPreset *
read_old_preset (const char *key, const char *text)
{
  const char *end = strchr (key, '\n');
  g_autoptr (GKeyFile) old = g_key_file_new ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *kernel_id = NULL;
  g_autofree char *device = NULL;
  g_autofree char *launcher = NULL;
  g_autofree char *written = NULL;
  g_auto (CuredOptions) options = { 0 };
  g_auto (GStrv) axes = NULL;
  g_autoptr (CuredPreset) preset = NULL;
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  if (end == NULL || !g_key_file_load_from_data (old, text, strlen (text), 0, NULL))
    return NULL;
  kernel_id = g_strndup (key, (gsize) (end - key));
  device = g_key_file_get_string (old, "Sweep", "device", NULL);
  launcher = g_key_file_get_string (old, "Sweep", "launcher", NULL);
  axes = g_key_file_get_string_list (old, "Sweep", "axes", NULL, NULL);
  g_key_file_set_string (file, "Preset", "Kernel", kernel_id);
  if (device != NULL)
    g_key_file_set_string (file, "Preset", "Device", device);
  if (launcher != NULL)
    g_key_file_set_string (file, "Preset", "Launcher", launcher);
  for (gsize i = 0; axes != NULL && axes[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (axes[i], "=", 2);

      if (g_strv_length (parts) == 2)
        g_key_file_set_string (file, "Parameters", parts[0], parts[1]);
    }
  cured_options_init (&options);
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *name = g_strdelimit (g_strdup (rows[i].name), "_", '-');
      g_autofree char *value = g_key_file_get_string (old, "Sweep", name, NULL);

      if (value != NULL && rows[i].title != NULL &&
          cured_option_parse (&rows[i], &options, value, NULL))
        g_key_file_set_string (file, "Options", rows[i].name, value);
    }
  if (!cured_options_check (&options, NULL))
    g_key_file_remove_group (file, "Options", NULL);
  written = g_key_file_to_data (file, NULL, NULL);
  return cured_preset_new_from_text (written, end + 1, key, NULL);
}

/* Saves the presets that earlier versions kept in the settings as files, and forgets them once
 * they are saved. One that can't be, or that would replace another, stays where it is. */
void
cured_settings_move_presets (void)
{
  g_autoptr (GVariantDict) dict = get_dict ("presets");
  g_autoptr (GVariantDict) left = g_variant_dict_new (NULL);
  g_autoptr (GVariant) entries = g_variant_ref_sink (g_variant_dict_end (dict));
  GVariantIter iter;
  const char *key;
  GVariant *value;
  gboolean is_moved = FALSE;

  g_variant_iter_init (&iter, entries);
  while (g_variant_iter_loop (&iter, "{&sv}", &key, &value))
    {
      g_autoptr (CuredPreset) preset = read_old_preset (key, g_variant_get_string (value, NULL));
      g_autoptr (CuredPreset) saved =
          preset != NULL ? cured_presets_load (preset->kernel_id, preset->name, NULL) : NULL;

      if (preset != NULL &&
          (saved != NULL ? cured_preset_equal (preset, saved) : cured_presets_save (preset, NULL)))
        is_moved = TRUE;
      else
        g_variant_dict_insert_value (left, key, value);
    }
  if (is_moved)
    set_dict ("presets", "{ss}", left);
}
