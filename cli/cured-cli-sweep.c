/* SPDX-License-Identifier: MIT
 * Options of the sweep of run and predict: kernel, preset, axes and options. */
#include <glib/gi18n.h>
#include <string.h>

#include "cured-cli-sweep.h"

CuredCliSweep cured_cli_sweep = { .n_replays = CURED_CLI_NOT_GIVEN,
                                  .anchor_minutes = CURED_CLI_NOT_GIVEN,
                                  .order = CURED_CLI_NOT_GIVEN };

static CuredCliSweep *const given = &cured_cli_sweep;

/* clang-format off */
const CuredCliOption cured_cli_sweep_rows[] = {
#define OPTION(type, member, name, letter, ...)                                                    \
  { name, letter, CURED_CLI_##type, &cured_cli_sweep.member, __VA_ARGS__ },
#include "cured-cli-sweep.def"
  { "json", 0, CURED_CLI_FLAG, &cured_cli_is_json, N_ ("Print the summary as JSON") },
  { NULL },
};

const CuredCliOption cured_cli_run_rows[] = {
#include "cured-cli-run.def"
#undef OPTION
  { NULL },
};
/* clang-format on */

/* Writes what was given on the command line over the spec's options. */
static gboolean
apply_options (const CuredKernel *kernel, CuredOptions *options, GError **error)
{
  if (!cured_cli_switches_apply (kernel, options, error))
    return FALSE;
  /* This overrides a file or a preset, too. */
  if (given->order != CURED_CLI_NOT_GIVEN)
    options->predict = given->order == CURED_CLI_ORDER_PREDICTED;
  return cured_options_check (options, error);
}

static gboolean
apply_axes (CuredSpec *spec, GError **error)
{
  if (given->sweep || given->best)
    cured_spec_use_default_sweep (spec);
  if (given->best)
    cured_spec_use_one_problem (spec);
  return (given->preset == NULL || cured_preset_apply (given->preset, spec, error)) &&
         cured_cli_set_axes (spec, given->axes, error);
}

static gboolean
is_preset_file (const char *name)
{
  return strchr (name, G_DIR_SEPARATOR) != NULL || g_str_has_suffix (name, CURED_PRESET_SUFFIX);
}

/* The file may be untrusted. */
static gboolean
load_preset_file (GError **error)
{
  given->preset = cured_preset_new_from_file (given->preset_name, error);
  if (given->preset == NULL)
    return FALSE;
  if (given->preset->launcher == NULL || given->worker != NULL)
    return TRUE;
  g_autofree char *text =
      g_strdup_printf (_ ("a preset file may not start a program (%s); start the device process "
                          "with --worker COMMAND"),
                       given->preset->launcher);
  cured_set_error_at (error, CURED_ERROR_INVALID, given->preset_name, given->preset->launcher_line,
                      0, text);
  return FALSE;
}

static gboolean
load_preset (const char *kernel_id, GError **error)
{
  g_autoptr (GError) problem = NULL;

  given->preset = cured_presets_load (kernel_id, given->preset_name, &problem);
  if (given->preset != NULL)
    return TRUE;
  if (!g_error_matches (problem, CURED_ERROR, CURED_ERROR_NOT_FOUND))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (is_preset_file (given->preset_name))
    return load_preset_file (error);
  g_auto (GStrv) names = cured_presets_list (kernel_id);
  if (names[0] == NULL)
    g_set_error (
        error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
        _ ("%s; the window saves presets under New Sweep; a preset file is given by its path"),
        problem->message);
  else
    cured_cli_set_unknown (
        error, problem->message, given->preset_name,
        (char **) g_memdup2 (names, (g_strv_length (names) + 1) * sizeof *names));
  return FALSE;
}

/* Finds the kernel by --preset and KERNEL: a preset file may name its kernel. */
static CuredKernel *
load_kernel (const char *name, GError **error)
{
  const char *preset = given->preset_name;

  if (name == NULL && is_preset_file (preset))
    {
      if (!load_preset_file (error))
        return NULL;
      name = given->preset->kernel_id;
    }
  if (name == NULL)
    {
      cured_cli_refuse (
          error,
          _ ("--preset %s names no kernel; add one, as in “cured run matmul/tiled --preset %s”"),
          preset, preset);
      return NULL;
    }
  g_autoptr (CuredKernel) kernel = cured_catalogue_load (name, error);
  if (kernel == NULL ||
      (preset != NULL && given->preset == NULL && !load_preset (kernel->id, error)))
    return NULL;
  return g_steal_pointer (&kernel);
}

/* The best of several problems would be the smallest. */
static gboolean
check_problem (CuredSpec *spec, GError **error)
{
  const CuredParameter *parameters = cured_spec_get_kernel (spec)->parameters;
  gsize n_parameters = cured_spec_get_kernel (spec)->n_parameters;

  for (gsize i = 0; i < n_parameters; i++)
    if (cured_spec_is_problem (spec, i) &&
        cured_axis_get_length (cured_spec_get_axis (spec, i)) > 1)
      return cured_cli_refuse (
          error, _ ("--best searches one problem, but “%s” has several values; choose one with -p"),
          parameters[i].name);
  return TRUE;
}

/* The axes and options that @store was made with, for @kernel if given: it may know its reference's
 * folder, which the file does not. */
static CuredSpec *
load_spec (CuredStore *store, CuredKernel *kernel, GError **error)
{
  g_autoptr (CuredSpec) stored = cured_store_load_spec (store, error);
  gsize n_parameters = 0;
  const CuredParameter *parameters = NULL;

  if (stored == NULL || kernel == NULL)
    return g_steal_pointer (&stored);
  CuredKernel *stored_kernel = cured_spec_get_kernel (stored);
  if (!g_str_equal (kernel->source, stored_kernel->source))
    {
      cured_cli_refuse (
          error,
          _ ("%s was made with another version of the kernel; omit the kernel to continue "
             "with the file's own, or write a new file with -o"),
          cured_store_get_path (store));
      return NULL;
    }
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  parameters = kernel->parameters;
  n_parameters = kernel->n_parameters;
  for (gsize i = 0; i < n_parameters; i++)
    if (!cured_spec_set_axis (spec, parameters[i].name,
                              (CuredAxis *) cured_spec_get_axis (stored, i), error))
      return NULL;
  cured_options_clear (cured_spec_get_options (spec));
  cured_options_copy (cured_spec_get_options (stored), cured_spec_get_options (spec));
  return g_steal_pointer (&spec);
}

/* When resuming, the file's sweep applies, unless the command line repeats it. */
CuredSpec *
cured_cli_sweep_make_spec (const char *kernel_name, CuredStore *store, GError **error)
{
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredSpec) spec = NULL;

  if (kernel_name != NULL || given->preset_name != NULL)
    {
      kernel = load_kernel (kernel_name, error);
      if (kernel == NULL || !cured_cli_refill (&kernel, given->fills, error))
        return NULL;
    }
  if (store != NULL && given->axes == NULL && !given->sweep)
    {
      spec = load_spec (store, kernel, error);
      return spec != NULL && (!given->best || check_problem (spec, error)) &&
                     apply_options (kernel, cured_spec_get_options (spec), error)
                 ? g_steal_pointer (&spec)
                 : NULL;
    }
  if (kernel != NULL)
    spec = cured_spec_new (kernel);
  else
    cured_cli_refuse (
        error, _ ("-p and --sweep need a kernel; omit them to continue the file's own sweep"));
  if (spec == NULL || !apply_axes (spec, error) || (given->best && !check_problem (spec, error)) ||
      !apply_options (kernel, cured_spec_get_options (spec), error))
    return NULL;
  return g_steal_pointer (&spec);
}

/* Reads --print. */
gboolean
cured_cli_sweep_parse_ranges (const CuredKernel *kernel, GError **error)
{
  if (given->prints == NULL)
    return TRUE;
  given->ranges = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_range_free);
  if (g_strv_length (given->prints) > CURED_EXCERPT_MAX)
    return cured_cli_refuse (error, _ ("--print: at most %d are allowed"), CURED_EXCERPT_MAX);
  for (gsize i = 0; given->prints[i] != NULL; i++)
    {
      CuredRange *range = cured_range_parse (given->prints[i], kernel, error);

      if (range == NULL)
        return cured_cli_prefix (error, "--print: ");
      g_ptr_array_add (given->ranges, range);
    }
  return TRUE;
}

/* “200” or “60s”. */
gboolean
cured_cli_sweep_parse_budget (void)
{
  char *end = NULL;
  guint64 n_cells = 0;

  if (given->budget == NULL)
    return TRUE;
  if (!given->best)
    return cured_cli_deny (_ ("--budget limits --best; add --best"));
  if (g_ascii_string_to_unsigned (given->budget, 10, 1, G_MAXINT32, &n_cells, NULL))
    {
      given->budget_cells = (gint64) n_cells;
      return TRUE;
    }
  double seconds = g_ascii_strtod (given->budget, &end);
  if (end != given->budget && g_str_equal (end, "s") && seconds > 0 && seconds <= 1e7)
    {
      given->budget_s = seconds;
      return TRUE;
    }
  return cured_cli_deny (
      _ ("--budget %s: expected a number of cells, such as 200, or seconds, such as 60s"),
      given->budget);
}

/* FALSE after a message: the options do not go together. */
static gboolean
check_options (const char *kernel)
{
  const struct
  {
    gboolean is_wrong;
    const char *message;
  } rules[] = {
    { given->resume && given->preset_name != NULL,
      _ ("--resume continues the file's own sweep; omit --preset") },
    { given->resume && given->force, _ ("--resume and --force exclude each other") },
    { given->shard_text != NULL && given->best,
      _ ("--best and --shard exclude each other: a search needs the results of all cells") },
    { given->worker != NULL && cured_cli_places.launchers != NULL,
      _ ("--launcher and --worker exclude each other: both start the device process") },
    { given->cell != NULL && given->prints == NULL,
      _ ("--cell selects the buffers of --print; add --print BUFFER") },
    { given->order != CURED_CLI_NOT_GIVEN && given->best,
      _ ("--best has its own order; add --predict to start with the predicted best cells") },
    { given->metric != NULL && !given->best, _ ("--metric is the metric of --best; add --best") },
    { given->resume && given->output == NULL,
      _ ("--resume needs a file, such as “cured run --resume tiles.cured”") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (rules[i].is_wrong)
      return cured_cli_deny ("%s", rules[i].message);
  if (kernel == NULL && !given->resume && given->preset_name == NULL)
    {
      /* Translators: “cured run”, twice. */
      return cured_cli_deny (
          _ ("%s needs a kernel, such as “%s matmul/tiled”; “cured kernels” lists them"),
          g_get_prgname (), g_get_prgname ());
    }
  if (given->output != NULL && !given->resume && !given->force && !given->dry_run &&
      g_file_test (given->output, G_FILE_TEST_IS_REGULAR))
    return cured_cli_deny (_ ("%s exists; --resume runs what it lacks, --force replaces it"),
                           given->output);
  return given->dry_run || cured_cli_check_output (given->output, NULL, TRUE);
}

/* Finds KERNEL and FILE among the arguments. FALSE after a message. */
gboolean
cured_cli_sweep_parse (int argc, char **argv, const char **kernel)
{
  *kernel = NULL;
  for (int i = 1; i < argc; i++)
    if (given->resume && given->output == NULL && g_str_has_suffix (argv[i], ".cured"))
      given->output = argv[i];
    else if (*kernel == NULL)
      *kernel = argv[i];
    else
      return cured_cli_deny (_ ("“%s”: one kernel at a time"), argv[i]);
  return check_options (*kernel) && cured_cli_check_places ();
}
