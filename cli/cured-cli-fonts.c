/* SPDX-License-Identifier: MIT
 * What a bundle brings along, in place of the machine's: fonts, for pictures
 * made on a server. */
#include <glib.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "cured-cli.h"

/* The path that the program was started by serves where there is no /proc. */
static char *
find_program (void)
{
  char *path = realpath ("/proc/self/exe", NULL);

  if (path == NULL)
    path = realpath ((const char *) getauxval (AT_EXECFN), NULL);
  return path;
}

/**
 * cured_cli_use_bundled_fonts:
 *
 * Points Fontconfig at `share/cured/fonts.conf` beside the program's folder,
 * which only a bundle has; that file includes the machine's own configuration.
 * A bundle's GIO loads no modules either: the machine's were built for another
 * GLib, and nothing here asks for one. Machine facts come from the same folder.
 * Has to be called before the first text is
 * laid out, and before a second thread starts. What the user chose with
 * FONTCONFIG_FILE, GIO_MODULE_DIR and CURED_DATA_DIR stays.
 */
void
cured_cli_use_bundled_fonts (void)
{
  char *program = find_program ();

  if (program != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (program);
      g_autofree char *prefix = g_path_get_dirname (folder);
      g_autofree char *file =
          g_build_filename (prefix, "share", "cured", "fonts.conf", NULL);

      g_autofree char *modules =
          g_build_filename (prefix, "lib", "gio-modules", NULL);
      g_autofree char *data = g_path_get_dirname (file);

      if (g_file_test (file, G_FILE_TEST_EXISTS))
        {
          g_setenv ("FONTCONFIG_FILE", file, FALSE);
          g_setenv ("GIO_MODULE_DIR", modules, FALSE);
          g_setenv ("CURED_DATA_DIR", data, FALSE);
        }
    }
  free (program);
}
