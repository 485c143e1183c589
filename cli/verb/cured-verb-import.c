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

  cured_cli_json (builder, "{format files[", import->format->id);
  for (guint i = 0; i < import->files->len; i++)
    {
      const CuredImportedFile *file = g_ptr_array_index (import->files, i);
      g_autofree char *name = g_filename_display_name (file->path);

      cured_cli_json (builder, "{path title device cells known ok}", name, file->title,
                      file->device, file->n_cells, file->n_known, file->n_ok);
    }
  cured_cli_json_put (builder, "] notes[");
  for (guint i = 0; i < import->notes->len; i++)
    cured_cli_json (builder, ".", g_ptr_array_index (import->notes, i));
  cured_cli_json_put (builder, "]}");
  cured_cli_print_json (builder);
}

static struct
{
  char *output;
  gboolean force;
  gboolean merge;
  char *benchmark;
  char *device;
  char **only;
  char **parameters;
  char *metric;
  gboolean json;
} given;

/* clang-format off */
static const CuredCliOption rows[] = {
  { "output", 'o', CURED_CLI_FILE, &given.output, N_ ("The result file to write [FILE's name, .cured]"), N_ ("OUT") },
  { "force", 0, CURED_CLI_FLAG, &given.force, N_ ("Replace existing files") },
  { "merge", 0, CURED_CLI_FLAG, &given.merge, N_ ("Add to the results that exist") },
  { "benchmark", 0, CURED_CLI_TEXT, &given.benchmark, N_ ("Only this benchmark or kernel"), N_ ("NAME") },
  { "device", 0, CURED_CLI_TEXT, &given.device, N_ ("Only of this device; its number or name"), N_ ("DEVICE") },
  { "only", 0, CURED_CLI_TEXTS, &given.only, N_ ("Only points with this value; may be repeated"), N_ ("PARAMETER=VALUE") },
  { "parameters", 0, CURED_CLI_TEXTS, &given.parameters, N_ ("A CSV column that is a parameter; repeatable"), N_ ("COLUMN") },
  { "metric", 0, CURED_CLI_TEXT, &given.metric, N_ ("The CSV column with the measured value"), N_ ("COLUMN") },
  { "json", 0, CURED_CLI_FLAG, &given.json, N_ ("Print as JSON") },
  { NULL },
};
/* clang-format on */

static int
import (const char *const *paths, const CuredImportOptions *options, GError **error)
{
  g_autoptr (CuredImport) import = cured_import_files (paths, options, NULL, error);

  if (import == NULL)
    return CURED_EXIT_USAGE;
  if (given.json)
    {
      print_json (import);
      return CURED_EXIT_OK;
    }
  for (guint j = 0; j < import->files->len; j++)
    print_file (g_ptr_array_index (import->files, j));
  for (guint j = 0; j < import->notes->len; j++)
    g_print (_ ("Note: %s\n"), (char *) g_ptr_array_index (import->notes, j));
  return CURED_EXIT_OK;
}

static int
run_import (int argc, char **argv, GError **error)
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
    {
      g_set_error_literal (error, CURED_ERROR, CURED_ERROR_INVALID,
                           _ ("--merge adds to a result, and --force replaces it: give one"));
      return CURED_EXIT_USAGE;
    }
  if (!cured_cli_check_output (given.output, argv + 1, TRUE))
    return CURED_EXIT_USAGE;
  /* With -o, all files make one result; without, each its own. */
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

const CuredVerb cured_verb_import = {
  .name = "import",
  .arguments = N_ ("FILE…"),
  .summary = N_ ("Turn another program's measurements into result files"),
  .description =
      N_ ("FILE is a result of nvbench, Kernel Tuner, KTT, Triton's autotuner, Nsight\n"
          "Compute, cutlass_profiler, Google Benchmark or pytest-benchmark, or a CSV file\n"
          "with a row for each point; plain or compressed by gzip or zstd; - is standard\n"
          "input. The format is detected. Without -o, the result is written beside FILE.\n"
          "With it, several files of one format become one result, whatever their order;\n"
          "--merge adds to a result that exists.\n"
          "\n"
          "A file with several benchmarks or devices makes several result files: of\n"
          "OUT.cured, OUT-BENCHMARK.cured; choose one with --benchmark and --device.\n"
          "The results have no kernel source, so they can't be continued, nor inspected by\n“cured "
          "banks”.\n"
          "\n"
          "Examples:\n"
          "  cured import convolution.json\n"
          "  cured import sweep.csv --parameters tile --parameters blocks --metric time_ms\n"
          "  cured import bench.json --benchmark transpose -o transpose.cured\n"
          "  cured import day-1.json day-2.json -o both.cured\n"
          "  cured import cache.json --only tile=16 --force && cured show cache.cured\n"),
  .words = CURED_CLI_WORDS_FILES,
  .options = { rows },
  .least = 1,
  .most = 0,
  .usage = N_ ("import needs one file, such as “cured import cache.json -o tuned.cured”"),
  .run = run_import,
};
