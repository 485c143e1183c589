/* SPDX-License-Identifier: MIT
 * The settings that the application remembers between runs. */
#include <config.h>

#include "model/cured-gui-model.h"

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

#define SETTING(Type, name)                                                                        \
  Type cured_settings_get_##name (const char *key, Type fallback)                                  \
  {                                                                                                \
    GSettings *settings = settings_with (key);                                                     \
    return settings != NULL ? g_settings_get_##name (settings, key) : fallback;                    \
  }                                                                                                \
  void cured_settings_set_##name (const char *key, Type value)                                     \
  {                                                                                                \
    if (settings_with (key) != NULL)                                                               \
      g_settings_set_##name (cured_settings_get (), key, value);                                   \
  }

SETTING (gboolean, boolean)
SETTING (int, int)

/* Without a schema: the toggles, until the program ends. */
static GVariant *memory;

/* (transfer full) (nullable): an a{sb} */
static GVariant *
get_toggles (void)
{
  GSettings *settings = settings_with ("toggles");

  if (settings != NULL)
    return g_settings_get_value (settings, "toggles");
  return memory != NULL ? g_variant_ref (memory) : NULL;
}

/* Finds what a switch of a view is, as `marginals`; @value stays where it was not used. Returns:
 * whether it was used */
gboolean
cured_settings_find_toggle (const char *name, gboolean *value)
{
  g_autoptr (GVariant) toggles = get_toggles ();

  return toggles != NULL && g_variant_lookup (toggles, name, "b", value);
}

gboolean
cured_settings_get_toggle (const char *name, gboolean fallback)
{
  cured_settings_find_toggle (name, &fallback);
  return fallback;
}

void
cured_settings_set_toggle (const char *name, gboolean value)
{
  g_autoptr (GVariant) old = get_toggles ();
  GVariantBuilder builder;
  GVariantIter iter;
  const char *key;
  gboolean is_on;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sb}"));
  if (old != NULL)
    {
      g_variant_iter_init (&iter, old);
      while (g_variant_iter_next (&iter, "{&sb}", &key, &is_on))
        if (!g_str_equal (key, name))
          g_variant_builder_add (&builder, "{sb}", key, is_on);
    }
  g_variant_builder_add (&builder, "{sb}", name, value);
  g_autoptr (GVariant) toggles = g_variant_ref_sink (g_variant_builder_end (&builder));
  if (settings_with ("toggles") != NULL)
    g_settings_set_value (cured_settings_get (), "toggles", toggles);
  else
    {
      g_clear_pointer (&memory, g_variant_unref);
      memory = g_steal_pointer (&toggles);
    }
}
