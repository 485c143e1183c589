/* SPDX-License-Identifier: MIT
 * cured import: what another program measured, as a result file. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

static void
print_file (const CuredImportedFile *file)
{
  g_autofree char *n_cells = cured_format_count (file->n_cells);
  g_autofree char *n_known = cured_format_count (file->n_known);
  g_autofree char *n_ok = cured_format_count (file->n_ok);
  g_autofree char *name = g_filename_display_name (file->path);

  if (file->device[0] != '\0')
    /* Translators: name of what was measured, and of the device. */
    g_print (_ ("%s on %s\n"), file->title, file->device);
  else
    g_print ("%s\n", file->title);
  /* Translators: three numbers of points of a sweep. */
  g_print (ngettext ("  %s point, %s in the file, %s with values\n",
                     "  %s points, %s of them in the file, %s of these with values\n",
                     (gulong) file->n_cells),
           n_cells, n_known, n_ok);
  g_print (_ ("  written to %s\n"), name);
}

static void
print_json (const CuredImport *import)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  cured_cli_json_add_string (builder, "format", import->format->id);
  json_builder_set_member_name (builder, "files");
  json_builder_begin_array (builder);
  for (guint i = 0; i < import->files->len; i++)
    {
      const CuredImportedFile *file = g_ptr_array_index (import->files, i);
      g_autofree char *name = g_filename_display_name (file->path);

      json_builder_begin_object (builder);
      cured_cli_json_add_string (builder, "path", name);
      cured_cli_json_add_string (builder, "title", file->title);
      cured_cli_json_add_string (builder, "device", file->device);
      cured_cli_json_add_int (builder, "cells", file->n_cells);
      cured_cli_json_add_int (builder, "known", file->n_known);
      cured_cli_json_add_int (builder, "ok", file->n_ok);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "notes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < import->notes->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (import->notes, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
}

static int
run_import (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *output = NULL;
  g_autofree char *benchmark = NULL;
  g_autofree char *device = NULL;
  g_auto (GStrv) only = NULL;
  gboolean force = FALSE;
  gboolean json = FALSE;
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_ ("The result file to write [FILE's name, .cured]"), N_ ("OUT") },
    { "force", 0, 0, G_OPTION_ARG_NONE, &force, N_ ("Replace files that are there"), NULL },
    { "benchmark", 0, 0, G_OPTION_ARG_STRING, &benchmark, N_ ("Only this benchmark or kernel"), N_ ("NAME") },
    { "device", 0, 0, G_OPTION_ARG_STRING, &device, N_ ("Only of this device; its number or name"), N_ ("DEVICE") },
    { "only", 0, 0, G_OPTION_ARG_STRING_ARRAY, &only,
      N_ ("Only points with this value; may be repeated"), N_ ("PARAMETER=VALUE") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  /* clang-format on */
  CuredImportOptions options = { 0 };
  g_autoptr (CuredImport) import = NULL;
  g_autoptr (GError) error = NULL;

  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc != 2)
    return cured_cli_fail (
        _ ("import needs one file, such as “cured import cache.json -o tuned.cured”"));
  if (!cured_cli_check_output (output, argv + 1, TRUE))
    return CURED_EXIT_USAGE;
  options.out_path = output;
  options.overwrite = force;
  options.benchmark = benchmark;
  options.device = device;
  options.only = (const char *const *) only;
  import = cured_import_file (argv[1], &options, NULL, &error);
  if (import == NULL)
    return cured_cli_fail_error (error);

  if (json)
    {
      print_json (import);
      return CURED_EXIT_OK;
    }
  for (guint i = 0; i < import->files->len; i++)
    print_file (g_ptr_array_index (import->files, i));
  for (guint i = 0; i < import->notes->len; i++)
    g_print (_ ("Note: %s\n"), (char *) g_ptr_array_index (import->notes, i));
  return CURED_EXIT_OK;
}

const CuredVerb cured_verb_import = {
  .name = "import",
  .arguments = N_ ("FILE"),
  .summary = N_ ("Turn another program's measurements into result files"),
  .description =
      N_ ("FILE is what nvbench writes with --json, a cache of Kernel Tuner (also of a\n"
          "run that was stopped: what is whole is taken), or results in the T4 format.\n"
          "Which of them it is, its contents tell. Without -o, the result lies beside it.\n"
          "\n"
          "A file with several benchmarks or devices makes several result files: of\n"
          "OUT.cured, OUT-BENCHMARK.cured; choose one with --benchmark and --device.\n"
          "Everything that opens result files opens these. The kernel's source is not in\n"
          "them, so they can't be continued, nor inspected by “cured banks”.\n"
          "\n"
          "Examples:\n"
          "  cured import convolution.json\n"
          "  cured import bench.json --benchmark transpose -o transpose.cured\n"
          "  cured import cache.json --only tile=16 --force && cured show cache.cured\n"),
  .words = CURED_CLI_WORDS_FILES,
  .run = run_import,
};
