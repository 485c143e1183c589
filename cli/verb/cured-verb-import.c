/* SPDX-License-Identifier: MIT
 * cured import: makes a result file of another program's measurements. */
#include <glib/gi18n.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-import.def"
#include "cured-verb.h"

static void
print_file (const CuredImportedFile *file)
{
  const char *name = cured_cli_lend (g_filename_display_name (file->path));

  cured_cli_json ("{path title device cells known ok}", name, file->title, file->device,
                  file->n_cells, file->n_known, file->n_ok);
  if (file->device[0] != '\0')
    /* Translators: name of what was measured, and of the device. */
    g_print (_ ("%s on %s\n"), file->title, file->device);
  else
    g_print ("%s\n", file->title);
  /* Translators: three numbers of points of a sweep. */
  g_print (ngettext ("  %s point, %s in the file, %s with values\n",
                     "  %s points, %s of them in the file, %s of these with values\n",
                     (gulong) file->n_cells),
           cured_cli_count (file->n_cells), cured_cli_count (file->n_known),
           cured_cli_count (file->n_ok));
  g_print (_ ("  written to %s\n"), name);
}

static int
import (const char *const *paths, const CuredImportOptions *options, GError **error)
{
  g_autoptr (CuredImport) import = cured_import_files (paths, options, NULL, error);

  if (import == NULL)
    return CURED_EXIT_USAGE;
  cured_cli_json ("{format files[", import->format->id);
  for (guint j = 0; j < import->files->len; j++)
    print_file (g_ptr_array_index (import->files, j));
  for (guint j = 0; j < import->notes->len; j++)
    g_print (_ ("Note: %s\n"), (char *) g_ptr_array_index (import->notes, j));
  cured_cli_json ("] notes}", import->notes);
  return CURED_EXIT_OK;
}

static int
run (int argc, char **argv, GError **error)
{
  const CuredImportOptions options = {
    .out_path = given.output,
    .overwrite = given.force,
    .merge = given.merge,
    .benchmark = given.benchmark,
    .device = given.device,
    .only = (const char *const *) given.only,
    .parameters = (const char *const *) given.parameters,
    .metric = given.metric,
  };

  if (given.merge && given.force)
    return cured_cli_fail (_ ("--merge adds to a result, and --force replaces it: give one"));
  if (!cured_cli_check_output (given.output, argv + 1, TRUE))
    return CURED_EXIT_USAGE;
  /* With -o, all files become one result; otherwise each becomes a separate one. */
  if (given.output != NULL)
    return import ((const char *const *) argv + 1, &options, error);
  for (int i = 1; i < argc; i++)
    {
      const char *const paths[] = { argv[i], NULL };
      int code = import (paths, &options, error);

      if (code != CURED_EXIT_OK)
        return code;
    }
  return CURED_EXIT_OK;
}
