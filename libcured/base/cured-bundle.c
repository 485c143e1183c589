/* SPDX-License-Identifier: MIT
 * Files in archives of dev/bundle, which replace the machine's. */
#include "base/cured-bundle.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include "config.h"

/* A file or folder below the archive's folder, or a word; MARK says which archives have it. The
 * machine's modules were built for another GLib and GTK, so the folder may be empty or missing, to
 * load none. The machine's GL drivers need its own C library, so windows are drawn without them. */
static const struct
{
  const char *variable, *mark, *path, *word;
} settings[] = {
  { "FONTCONFIG_FILE", "fonts.conf", "share/cured/fonts.conf", NULL },
  { "GIO_MODULE_DIR", "fonts.conf", "lib/gio-modules", NULL },
  { "CURED_DATA_DIR", "fonts.conf", "share/cured", NULL },
  { "CURED_LOCALEDIR", "loaders.cache", "share/locale", NULL },
  { "GDK_PIXBUF_MODULE_FILE", "loaders.cache", "share/cured/loaders.cache", NULL },
  { "GSETTINGS_SCHEMA_DIR", "loaders.cache", "share/glib-2.0/schemas", NULL },
  { "GSETTINGS_BACKEND", "loaders.cache", NULL, "keyfile" },
  { "GTK_EXE_PREFIX", "loaders.cache", "lib/gtk", NULL },
  { "GSK_RENDERER", "loaders.cache", NULL, "cairo" },
  { "GDK_DEBUG", "loaders.cache", NULL, "gl-disable" },
};

/* Without /proc, use the path by which the program was started. */
static char *
find_prefix (void)
{
  g_autofree char *folder = NULL;
  char *program = realpath ("/proc/self/exe", NULL), *prefix = NULL;

  if (program == NULL)
    program = realpath ((const char *) getauxval (AT_EXECFN), NULL);
  if (program != NULL)
    {
      folder = g_path_get_dirname (program);
      prefix = g_path_get_dirname (folder);
    }
  free (program);
  return prefix;
}

static gboolean
has_mark (const char *prefix, const char *mark)
{
  g_autofree char *path = g_build_filename (prefix, "share", "cured", mark, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Icons, and what describes languages to the editor; the machine's follow. */
static void
add_data_folder (const char *prefix)
{
  const char *machine = g_getenv ("XDG_DATA_DIRS");
  g_autofree char *own = g_build_filename (prefix, "share", NULL);
  g_autofree char *all = g_strconcat (
      own, ":", machine != NULL && machine[0] != '\0' ? machine : "/usr/local/share:/usr/share",
      NULL);

  /* A process of the window's has it already. */
  if (machine == NULL || !g_str_has_prefix (machine, own))
    g_setenv ("XDG_DATA_DIRS", all, TRUE);
}

/* Points the libraries at the contents of the folder above the program's, if that is an archive of
 * `dev/bundle`: fonts, machine facts, and for the window translations, icons, schemas and the
 * loader of its icons. The machine's own fonts and icons are found as well. Does nothing for any
 * other program.
 *
 * Sets environment variables, so it must be called first: before the first text is laid out, and
 * before a second thread starts. The user's settings are kept. */
void
cured_bundle_use (void)
{
  g_autofree char *prefix = find_prefix ();

  if (prefix == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autofree char *path = settings[i].path != NULL
                                  ? g_build_filename (prefix, settings[i].path, NULL)
                                  : g_strdup (settings[i].word);

      if (has_mark (prefix, settings[i].mark))
        g_setenv (settings[i].variable, path, FALSE);
    }
  if (has_mark (prefix, "loaders.cache"))
    add_data_folder (prefix);
}

/* Returns: the folder of translations: the one that `CURED_LOCALEDIR` names (owned by the
 *   environment), or the installed one */
const char *
cured_bundle_get_locale_folder (void)
{
  const char *folder = g_getenv ("CURED_LOCALEDIR");

  return folder != NULL ? folder : LOCALEDIR;
}
