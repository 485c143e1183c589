/* SPDX-License-Identifier: MIT
 * The recently used launchers. */
#include "worker/cured-launcher.h"

#include <glib/gstdio.h>
#include <string.h>

/* Limit of launchers that are kept. */
#define MOST 10

/* The file, also read by the completions, has one launcher per line. */
static char *
get_path (void)
{
  return g_build_filename (g_get_user_config_dir (), "cured", "launchers", NULL);
}

/* Returns: (transfer full) (array zero-terminated=1): the launchers remembered by the command and
 *   by the window, newest first */
char **
cured_launcher_list_recent (void)
{
  g_autofree char *path = get_path (), *text = NULL;
  g_autoptr (GStrvBuilder) found = g_strv_builder_new ();
  guint n_found = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_new0 (char *, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL && n_found < MOST; i++)
    if (*lines[i] != '\0' && g_utf8_validate (lines[i], -1, NULL))
      {
        g_strv_builder_add (found, lines[i]);
        n_found++;
      }
  return g_strv_builder_end (found);
}

/* @launcher: (nullable): one that worked; %NULL or empty: this machine, which is not
 *   remembered
 *
 * Puts it first in the list. The file is readable only by this user, since a launcher may contain
 * private information. If it can't be written, nothing is remembered. */
void
cured_launcher_remember (const char *launcher)
{
  g_autofree char *path = get_path (), *folder = g_path_get_dirname (path);
  g_autofree char *first = g_strstrip (g_strdup (launcher != NULL ? launcher : ""));

  if (*first == '\0' || strchr (first, '\n') != NULL || !g_utf8_validate (first, -1, NULL))
    return;
  g_auto (GStrv) others = cured_launcher_list_recent ();
  g_autoptr (GString) text = g_string_new (first);
  g_string_append_c (text, '\n');
  for (gsize i = 0, n = 1; others[i] != NULL && n < MOST; i++)
    if (!g_str_equal (others[i], first))
      {
        g_string_append_printf (text, "%s\n", others[i]);
        n++;
      }
  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_file_set_contents_full (path, text->str, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL);
}
