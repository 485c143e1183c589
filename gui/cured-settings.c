/* SPDX-License-Identifier: MIT
 * What the window remembers between two runs. */
#include <config.h>

#include "cured-settings.h"

/* Implementation notes: a key file of a few lines, not GSettings, so that a
 * build that was never installed remembers too: a schema is only found where
 * it was compiled into a known folder. A file that can't be read or written
 * means defaults, never an error. */

#define GROUP "Window"

static char *
settings_path (void)
{
  return g_build_filename (
      g_get_user_config_dir (), "cured", "window.ini", NULL);
}

static GKeyFile *
load (void)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = settings_path ();

  g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL);
  return g_steal_pointer (&file);
}

static void
save (GKeyFile *file)
{
  g_autofree char *path = settings_path ();
  g_autofree char *folder = g_path_get_dirname (path);

  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_key_file_save_to_file (file, path, NULL);
}

/**
 * cured_settings_get_string:
 * @key: what to look up
 *
 * Reads one remembered text.
 *
 * Returns: (transfer full) (nullable): the text, or %NULL where none was kept
 */
char *
cured_settings_get_string (const char *key)
{
  g_autoptr (GKeyFile) file = load ();

  return g_key_file_get_string (file, GROUP, key, NULL);
}

/**
 * cured_settings_set_string:
 * @key: what to keep
 * @value: the text
 *
 * Remembers one text. The file is small and written at once.
 */
void
cured_settings_set_string (const char *key, const char *value)
{
  g_autoptr (GKeyFile) file = load ();
  g_autofree char *old = g_key_file_get_string (file, GROUP, key, NULL);

  if (g_strcmp0 (old, value) == 0)
    return;
  g_key_file_set_string (file, GROUP, key, value);
  save (file);
}

/**
 * cured_settings_get_int:
 * @key: what to look up
 * @fallback: what it is where none was kept
 *
 * Reads one remembered number.
 *
 * Returns: the number
 */
int
cured_settings_get_int (const char *key, int fallback)
{
  g_autoptr (GKeyFile) file = load ();
  g_autoptr (GError) error = NULL;
  int value = g_key_file_get_integer (file, GROUP, key, &error);

  return error != NULL ? fallback : value;
}

/**
 * cured_settings_set_int:
 * @key: what to keep
 * @value: the number
 *
 * Remembers one number.
 */
void
cured_settings_set_int (const char *key, int value)
{
  g_autofree char *text = g_strdup_printf ("%d", value);

  cured_settings_set_string (key, text);
}
