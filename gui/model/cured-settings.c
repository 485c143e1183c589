/* SPDX-License-Identifier: MIT
 * Persistent settings of the application. */
#include <config.h>

#include "model/cured-gui-model.h"

/* Implementation notes: GSettings aborts if a schema is missing, so the schema is searched for
 * first: in the build folder, in the installation's and in the desktop's. Without it there are
 * defaults, and settings are not stored. */

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

/* Main thread only. Returns: (nullable): the application's settings, for bindings; NULL if their
 * schema is not installed */
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

/* GSettings aborts for an unknown key, and another version's schema may lack one. */
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

/* Returns: (transfer full) (nullable): a text, or NULL if it is empty */
char *
cured_settings_get_string (const char *key)
{
  GSettings *settings = settings_with (key);
  g_autofree char *value = settings != NULL ? g_settings_get_string (settings, key) : NULL;

  return value != NULL && value[0] != '\0' ? g_steal_pointer (&value) : NULL;
}

/* @value: ignored if not UTF-8, as a path may be, since settings must be. */
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

/* Looks up a toggle of a view, such as `marginals`; @value is unchanged if it was never set.
 * Returns: whether it was set */
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
