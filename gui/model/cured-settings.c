/* SPDX-License-Identifier: MIT
 * What the application remembers between two runs. */
#include <config.h>

#include "model/cured-settings.h"

/* Implementation notes: GSettings ends the program where a schema is missing,
 * so the schema is looked for first: beside the build, where the installation
 * put it, and where the desktop's are. Without one there are defaults, and
 * nothing is remembered. */

#define SCHEMA "io.github.cured.Cured"

static GSettings *
open_schema (const char *folder)
{
  GSettingsSchemaSource *parent = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchemaSource) source = NULL;
  g_autoptr (GSettingsSchema) schema = NULL;

  if (folder != NULL)
    source = g_settings_schema_source_new_from_directory (
        folder, parent, FALSE, NULL);
  else if (parent != NULL)
    source = g_settings_schema_source_ref (parent);
  if (source != NULL)
    schema = g_settings_schema_source_lookup (source, SCHEMA, folder == NULL);
  return schema != NULL ? g_settings_new_full (schema, NULL, NULL) : NULL;
}

/**
 * cured_settings_get:
 *
 * Main thread only.
 *
 * Returns: (transfer none) (nullable): the application's settings, for
 *   bindings; %NULL where their schema is not installed
 */
GSettings *
cured_settings_get (void)
{
  static const char *const folders[] = { CURED_SCHEMADIR,
                                         CURED_DATADIR "/glib-2.0/schemas",
                                         NULL };
  static GSettings *settings;
  static gboolean is_looked_up;

  for (gsize i = 0; i < G_N_ELEMENTS (folders) && !is_looked_up; i++)
    {
      settings = open_schema (folders[i]);
      is_looked_up = settings != NULL || folders[i] == NULL;
    }
  return settings;
}

/* GSettings ends the program for a key that it does not know, which another
 * version's schema may not have. */
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

/**
 * cured_settings_get_string:
 * @key: of the schema
 *
 * Returns: (transfer full) (nullable): a text, or %NULL where it is empty
 */
char *
cured_settings_get_string (const char *key)
{
  GSettings *settings = settings_with (key);
  g_autofree char *value =
      settings != NULL ? g_settings_get_string (settings, key) : NULL;

  return value != NULL && value[0] != '\0' ? g_steal_pointer (&value) : NULL;
}

/**
 * cured_settings_set_string:
 * @key: of the schema
 * @value: what to remember
 */
void
cured_settings_set_string (const char *key, const char *value)
{
  if (settings_with (key) != NULL)
    g_settings_set_string (cured_settings_get (), key, value);
}

/**
 * cured_settings_get_boolean:
 * @key: of the schema
 * @fallback: what it is where nothing can be remembered
 *
 * Returns: a switch
 */
gboolean
cured_settings_get_boolean (const char *key, gboolean fallback)
{
  GSettings *settings = settings_with (key);

  return settings != NULL ? g_settings_get_boolean (settings, key) : fallback;
}

/**
 * cured_settings_set_boolean:
 * @key: of the schema
 * @value: what to remember
 */
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
      settings_with (key) != NULL
          ? g_settings_get_value (cured_settings_get (), key)
          : NULL;
  GVariantDict *dict = g_variant_dict_new (NULL);

  for (gsize i = 0; value != NULL && i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (value, i);
      g_autoptr (GVariant) name = g_variant_get_child_value (entry, 0);
      g_autoptr (GVariant) inner = g_variant_get_child_value (entry, 1);

      g_variant_dict_insert_value (
          dict, g_variant_get_string (name, NULL), inner);
    }
  return dict;
}

/* A dictionary of variants becomes one of @type, as "{sb}". */
static void
set_dict (const char *key, const char *type, GVariantDict *dict)
{
  g_autoptr (GVariant) variants =
      g_variant_ref_sink (g_variant_dict_end (dict));
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
    g_variant_builder_add_value (
        &builder,
        g_variant_new_dict_entry (g_variant_new_string (name), value));
  g_settings_set_value (
      cured_settings_get (), key, g_variant_builder_end (&builder));
}

/**
 * cured_settings_get_toggle:
 * @name: of a switch of a view, as `marginals`
 * @fallback: what it is where nobody used it
 *
 * Returns: what a view shows
 */
gboolean
cured_settings_get_toggle (const char *name, gboolean fallback)
{
  g_autoptr (GVariantDict) dict = get_dict ("toggles");
  gboolean value = fallback;

  g_variant_dict_lookup (dict, name, "b", &value);
  return value;
}

/**
 * cured_settings_set_toggle:
 * @name: of a switch of a view
 * @value: what to remember
 */
void
cured_settings_set_toggle (const char *name, gboolean value)
{
  g_autoptr (GVariantDict) dict = get_dict ("toggles");

  g_variant_dict_insert (dict, name, "b", value);
  set_dict ("toggles", "{sb}", dict);
}

/**
 * cured_settings_get_preset:
 * @name: of a sweep that was saved
 *
 * Returns: (transfer full) (nullable): what was saved
 */
char *
cured_settings_get_preset (const char *name)
{
  g_autoptr (GVariantDict) dict = get_dict ("presets");
  char *value = NULL;

  g_variant_dict_lookup (dict, name, "s", &value);
  return value;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_utf8_collate (*(const char *const *) a, *(const char *const *) b);
}

/**
 * cured_settings_list_presets:
 *
 * Returns: (transfer full) (array zero-terminated=1): the names of the sweeps
 *   that were saved, in alphabetical order
 */
char **
cured_settings_list_presets (void)
{
  g_autoptr (GVariantDict) dict = get_dict ("presets");
  g_autoptr (GVariant) entries = g_variant_ref_sink (g_variant_dict_end (dict));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GVariantIter iter;
  const char *name;
  GVariant *value;

  g_variant_iter_init (&iter, entries);
  while (g_variant_iter_loop (&iter, "{&sv}", &name, &value))
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/**
 * cured_settings_set_preset:
 * @name: of a sweep
 * @value: (nullable): what to save; %NULL: forgets it
 */
void
cured_settings_set_preset (const char *name, const char *value)
{
  g_autoptr (GVariantDict) dict = get_dict ("presets");

  if (value != NULL)
    g_variant_dict_insert (dict, name, "s", value);
  else
    g_variant_dict_remove (dict, name);
  set_dict ("presets", "{ss}", dict);
}
