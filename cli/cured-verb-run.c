/* SPDX-License-Identifier: MIT
 * cured run: a sweep from a kernel to a result file. */
#include "config.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli-devices.h"
#include "cured-cli-job.h"
#include "cured-cli-launch.h"
#include "cured-cli-progress.h"
#include "cured-cli.h"

typedef struct
{
  /* Owned */
  CuredCliSwitches *switches;
  char **axes;
  char **fills; /* nullable */
  char *devices;
  char *output;
  char *worker;
  char **launchers; /* nullable */
  char *shard_text; /* nullable */
  char *metric;
  char *preset_name;
  char *budget;
  char *replay;
  char **prints;     /* nullable */
  char *cell;        /* nullable: whose buffers are printed */
  GPtrArray *ranges; /* nullable: what @prints are */
  char *order;       /* nullable */
  char *anchor;      /* nullable: as it is as a rule */
  int n_replays;
  CuredPreset *preset; /* nullable: what @preset_name is */

  int shard; /* 0: all */
  int n_shards;
  double anchor_minutes; /* what @anchor is */
  gboolean push;
  gint64 budget_cells;     /* 0: none */
  double budget_s;         /* 0: none */
  CuredMetric best_metric; /* what @metric is, or stands for */
  gboolean sweep;
  gboolean best;
  gboolean resume;
  gboolean force;
  gboolean dry_run;
  gboolean verbose;
  gboolean json;
} RunOptions;

typedef struct
{
  /* Borrowed */
  const RunOptions *options;
  CuredPlan *plan;
  CuredRunner *runner;
  CuredCliProgress *progress;
  GMainLoop *loop;
  gboolean is_terminated; /* by SIGTERM */
  guint grace;            /* source: how long the cells in flight may take */

  /* Owned */
  GError *error;
  GPtrArray *excerpts; /* nullable */
  gint64 shown;        /* the cell that they are of */

  guint n_interrupts;
  guint n_devices;
  guint n_failed; /* of them */
} Run;

static void
run_options_clear (RunOptions *self)
{
  g_clear_pointer (&self->switches, cured_cli_switches_free);
  g_strfreev (self->axes);
  g_strfreev (self->fills);
  g_free (self->devices);
  g_free (self->output);
  g_free (self->worker);
  g_strfreev (self->launchers);
  g_free (self->shard_text);
  g_free (self->metric);
  g_free (self->preset_name);
  g_free (self->budget);
  g_free (self->replay);
  g_strfreev (self->prints);
  g_free (self->cell);
  g_clear_pointer (&self->ranges, g_ptr_array_unref);
  g_free (self->order);
  g_free (self->anchor);
  g_clear_pointer (&self->preset, cured_preset_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunOptions, run_options_clear)

static gboolean
parse_run_options (RunOptions *self, GOptionContext *context, int *argc, char ***argv)
{
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "parameter", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &self->axes,
      N_ ("Its values: 1,2,4 or 4..32:4 or 2^4..2^12"), N_ ("NAME=AXIS") },
    { "fill", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->fills,
      N_ ("What a buffer begins with, such as a=ramp"), N_ ("BUFFER=FILL") },
    { "sweep", 's', 0, G_OPTION_ARG_NONE, &self->sweep, N_ ("The kernel file's own sweep, except for -p"), NULL },
    { "preset", 0, 0, G_OPTION_ARG_FILENAME, &self->preset_name,
      N_ ("A saved sweep, except for what is given here"), N_ ("NAME|FILE") },
    { "best", 'b', 0, G_OPTION_ARG_NONE, &self->best, N_ ("Search that sweep for its best cell"), NULL },
    { "metric", 'm', 0, G_OPTION_ARG_STRING, &self->metric, N_ ("What is best [time; instructions]"), N_ ("ID") },
    { "budget", 0, 0, G_OPTION_ARG_STRING, &self->budget, N_ ("Cells that --best visits, or its seconds"), N_ ("N|60s") },
    { "replay", 0, 0, G_OPTION_ARG_FILENAME, &self->replay, N_ ("Rate --best on the cells that FILE has"), N_ ("FILE") },
    { "replays", 0, 0, G_OPTION_ARG_INT, &self->n_replays, N_ ("How many searches --replay tries [50]"), N_ ("N") },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &self->devices,
      N_ ("Where: cuda:0, cuda:0,cuda:1, emulator [cuda:0]"), N_ ("ID,…") },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &self->output,
      N_ ("The result file [after the kernel and date]"), N_ ("FILE") },
    { "resume", 0, 0, G_OPTION_ARG_NONE, &self->resume, N_ ("Run the cells that FILE lacks"), NULL },
    { "force", 0, 0, G_OPTION_ARG_NONE, &self->force, N_ ("Replace FILE"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  /* clang-format on */
  /* clang-format off */
  const GOptionEntry more_entries[] = {
    { "order", 0, 0, G_OPTION_ARG_STRING, &self->order, N_ ("Cells in this order: plan, predicted [plan]"), N_ ("ORDER") },
    { "shard", 0, 0, G_OPTION_ARG_STRING, &self->shard_text,
      N_ ("The I-th of N parts; slurm: of this job array"), N_ ("I/N|slurm") },
    { "anchor", 0, 0, G_OPTION_ARG_STRING, &self->anchor,
      N_ ("Measure one cell anew so often; 0: never [10]"), N_ ("MINUTES") },
    CURED_CLI_LAUNCH_ENTRIES (self->launchers, self->push),
    { "worker", 0, 0, G_OPTION_ARG_STRING, &self->worker,
      N_ ("What starts a device process [cured worker]"), N_ ("COMMAND") },
    { "print", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->prints,
      N_ ("Print elements of a buffer, such as c[0..15]"), N_ ("BUFFER[RANGE]") },
    { "cell", 'c', 0, G_OPTION_ARG_STRING, &self->cell, N_ ("Whose buffers, such as n=64 [the first]"), N_ ("CELL") },
    { "dry-run", 'n', 0, G_OPTION_ARG_NONE, &self->dry_run, N_ ("Print the plan and run nothing"), NULL },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &self->verbose, N_ ("Print every cell, and where the time went"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self->json, N_ ("Print the summary as JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  /* clang-format on */

  self->switches = cured_cli_switches_new (NULL);
  cured_cli_add_entries (context, entries);
  cured_cli_switches_add (self->switches, context);
  return cured_cli_parse (context, more_entries, argc, argv);
}

/* Writes what was given on the command line over the spec's options. */
static gboolean
apply_options (const RunOptions *self, const CuredKernel *kernel, CuredOptions *options,
               GError **error)
{
  if (!cured_cli_switches_apply (self->switches, kernel, options, error))
    return FALSE;
  /* What a file or a preset says, too. */
  if (self->order != NULL)
    options->predict = g_str_equal (self->order, "predicted");
  return cured_options_check (options, error);
}

static gboolean
apply_axes (const RunOptions *self, CuredSpec *spec, GError **error)
{
  if (self->sweep || self->best)
    cured_spec_use_default_sweep (spec);
  if (self->best)
    cured_spec_use_one_problem (spec);
  return (self->preset == NULL || cured_preset_apply (self->preset, spec, error)) &&
         cured_cli_set_axes (spec, self->axes, error);
}

static gboolean
is_preset_file (const char *name)
{
  return strchr (name, G_DIR_SEPARATOR) != NULL || g_str_has_suffix (name, CURED_PRESET_SUFFIX);
}

/* A file may be a stranger's. */
static gboolean
load_preset_file (RunOptions *self, GError **error)
{
  g_autofree char *text = NULL;

  self->preset = cured_preset_new_from_file (self->preset_name, error);
  if (self->preset == NULL)
    return FALSE;
  if (self->preset->launcher == NULL || self->worker != NULL)
    return TRUE;
  text = g_strdup_printf (_ ("a preset file may not choose a program to start (%s); say with "
                             "--worker COMMAND what starts the device process"),
                          self->preset->launcher);
  cured_set_error_at (error, CURED_ERROR_INVALID, self->preset_name, self->preset->launcher_line, 0,
                      text);
  return FALSE;
}

static gboolean
load_preset (RunOptions *self, const char *kernel_id, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_auto (GStrv) names = NULL;

  self->preset = cured_presets_load (kernel_id, self->preset_name, &problem);
  if (self->preset != NULL)
    return TRUE;
  if (!g_error_matches (problem, CURED_ERROR, CURED_ERROR_NOT_FOUND))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (is_preset_file (self->preset_name))
    return load_preset_file (self, error);
  names = cured_presets_list (kernel_id);
  if (names[0] == NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("%s; the window saves them under New Sweep, and a file is named by its path"),
                 problem->message);
  else
    cured_cli_set_unknown (
        error, g_strdup (problem->message), self->preset_name,
        (char **) g_memdup2 (names, (g_strv_length (names) + 1) * sizeof *names));
  return FALSE;
}

/* What --preset and KERNEL say together: a file may name its kernel. */
static CuredKernel *
load_kernel (RunOptions *self, const char *name, GError **error)
{
  const char *preset = self->preset_name;
  g_autoptr (CuredKernel) kernel = NULL;

  if (name == NULL && is_preset_file (preset))
    {
      if (!load_preset_file (self, error))
        return NULL;
      name = self->preset->kernel_id;
    }
  if (name == NULL)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   _ ("--preset %s does not say of which kernel; add one, as in “cured run "
                      "matmul/tiled --preset %s”"),
                   preset, preset);
      return NULL;
    }
  kernel = cured_catalogue_load (name, error);
  if (kernel == NULL ||
      (preset != NULL && self->preset == NULL && !load_preset (self, kernel->id, error)))
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
      {
        g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                     _ ("--best looks for the best way to solve one problem, and “%s” has several "
                        "values; choose one with -p"),
                     parameters[i].name);
        return FALSE;
      }
  return TRUE;
}

/* The axes and options that @store was made with, of @kernel where it is given: it may know its
 * reference's folder, which the file does not. */
static CuredSpec *
load_spec (CuredStore *store, CuredKernel *kernel, GError **error)
{
  g_autoptr (CuredSpec) stored = cured_store_load_spec (store, error);
  g_autoptr (CuredSpec) spec = NULL;
  CuredKernel *stored_kernel = NULL;
  gsize n_parameters = 0;
  const CuredParameter *parameters = NULL;

  if (stored == NULL || kernel == NULL)
    return g_steal_pointer (&stored);
  stored_kernel = cured_spec_get_kernel (stored);
  if (!g_str_equal (kernel->source, stored_kernel->source))
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   _ ("%s was made with another kernel or another version of it; leave the kernel "
                      "out to go on with the file's own, or write a new file with -o"),
                   cured_store_get_path (store));
      return NULL;
    }
  spec = cured_spec_new (kernel);
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

/* The file says what was asked for, unless the command line says it again. */
static CuredSpec *
make_spec (RunOptions *self, const char *kernel_name, CuredStore *store, GError **error)
{
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredSpec) spec = NULL;

  if (kernel_name != NULL || self->preset_name != NULL)
    {
      kernel = load_kernel (self, kernel_name, error);
      if (kernel == NULL || !cured_cli_refill (&kernel, self->fills, error))
        return NULL;
    }
  if (store != NULL && self->axes == NULL && !self->sweep)
    {
      spec = load_spec (store, kernel, error);
      return spec != NULL && (!self->best || check_problem (spec, error)) &&
                     apply_options (self, kernel, cured_spec_get_options (spec), error)
                 ? g_steal_pointer (&spec)
                 : NULL;
    }
  if (kernel != NULL)
    spec = cured_spec_new (kernel);
  else
    g_set_error_literal (
        error, CURED_ERROR, CURED_ERROR_INVALID,
        _ ("-p and --sweep need a kernel; leave them out to resume with the file's own"));
  if (spec == NULL || !apply_axes (self, spec, error) ||
      (self->best && !check_problem (spec, error)) ||
      !apply_options (self, kernel, cured_spec_get_options (spec), error))
    return NULL;
  return g_steal_pointer (&spec);
}

/* Adds a device for each id with one command. */
static gboolean
add_openings (const RunOptions *self, char **ids, const char *wanted, char **command,
              GPtrArray *openings, GError **error)
{
  /* Of an empty text, there is not even one. */
  for (gsize i = 0; i == 0 || ids[i] != NULL; i++)
    {
      if (ids[i] == NULL || *g_strstrip (ids[i]) == '\0')
        {
          g_set_error (
              error, CURED_ERROR, CURED_ERROR_INVALID,
              _ ("--device %s: expected names with commas between them, such as cuda:0,cuda:1"),
              wanted);
          return FALSE;
        }
      if (cured_cli_switches_has_emulator (self->switches) &&
          (!cured_device_is_emulated (ids[i]) || cured_device_is_model (ids[i])))
        {
          g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                       _ ("--blocks and --shuffle are for the emulator; %s runs all blocks, in an "
                          "order of its own"),
                       ids[i]);
          return FALSE;
        }
      g_ptr_array_add (openings, cured_cli_opening_new (command, ids[i]));
    }
  return TRUE;
}

static CuredCliDevices *
open_devices (const RunOptions *self, GError **error)
{
  g_autoptr (GPtrArray) openings = g_ptr_array_new_with_free_func (cured_cli_opening_free);
  g_autoptr (CuredCliDevices) devices = NULL;
  const CuredPreset *preset = self->preset;
  const char *wanted = self->devices != NULL                         ? self->devices
                       : preset != NULL && preset->device_id != NULL ? preset->device_id
                                                                     : "cuda:0";
  g_auto (GStrv) ids = g_strsplit (wanted, ",", -1);
  g_auto (GStrv) command = NULL;

  if (self->worker != NULL && !g_shell_parse_argv (self->worker, NULL, &command, error))
    {
      g_prefix_error (error, "--worker: ");
      return NULL;
    }
  if (self->worker == NULL && self->launchers == NULL && preset != NULL && preset->launcher != NULL)
    {
      command = cured_launcher_get_worker (preset->launcher, error);
      if (command == NULL)
        return NULL;
    }
  if (self->launchers == NULL && !add_openings (self, ids, wanted, command, openings, error))
    return NULL;
  for (gsize i = 0; self->launchers != NULL && self->launchers[i] != NULL; i++)
    {
      g_clear_pointer (&command, g_strfreev);
      command = cured_cli_launch_worker (self->launchers[i], self->push, error);
      if (command == NULL || !add_openings (self, ids, wanted, command, openings, error))
        return NULL;
    }
  devices = cured_cli_open_all (openings, error);
  for (gsize i = 0; devices != NULL && self->launchers != NULL && self->launchers[i] != NULL; i++)
    cured_launcher_remember (self->launchers[i]);
  return g_steal_pointer (&devices);
}

/* A file of the emulator goes on there, since nowhere else it could. */
static gboolean
find_devices (RunOptions *self, GError **error)
{
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  const CuredResultDevice *devices;
  gsize n_devices;

  if (self->devices != NULL)
    return TRUE;
  result = cured_result_load (self->output, NULL, error);
  if (result == NULL)
    return FALSE;
  devices = cured_result_get_devices (result, &n_devices);
  for (gsize i = 0; i < n_devices; i++)
    {
      char *id = devices[i].info.id;

      if (id != NULL && cured_device_is_emulated (id) &&
          !g_ptr_array_find_with_equal_func (ids, id, g_str_equal, NULL))
        g_ptr_array_add (ids, id);
    }
  g_ptr_array_add (ids, NULL);
  if (ids->len > 1)
    self->devices = g_strjoinv (",", (char **) ids->pdata);
  return TRUE;
}

/* One of each sort of device. */
static GPtrArray *
find_places (GPtrArray *devices)
{
  GPtrArray *places = g_ptr_array_new ();

  for (guint i = 0; i < devices->len; i++)
    {
      const CuredDeviceInfo *info = cured_device_get_info (g_ptr_array_index (devices, i));
      gboolean is_known = FALSE;

      for (guint j = 0; j < places->len; j++)
        {
          const CuredDeviceInfo *other = g_ptr_array_index (places, j);

          is_known |=
              g_str_equal (other->name, info->name) && g_str_equal (other->arch, info->arch);
        }
      if (!is_known)
        g_ptr_array_add (places, (gpointer) info);
    }
  return places;
}

/* What runs where: a file that is resumed has said so. */
static CuredPlan *
make_plan (const RunOptions *self, CuredSpec *spec, CuredStore *store, GPtrArray *devices,
           GError **error)
{
  g_autoptr (GPtrArray) infos = find_places (devices);
  g_autofree CuredPlanPlace *places = g_new0 (CuredPlanPlace, infos->len);

  for (guint i = 0; i < infos->len; i++)
    {
      const CuredDeviceInfo *info = g_ptr_array_index (infos, i);

      places[i] = (CuredPlanPlace){ info->name, info->arch, &info->limits };
    }
  if (infos->len > 1 && self->best)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   _ ("--best looks for the best cell of one sort of device, and there are %s and "
                      "%s; name one"),
                   places[0].name, places[1].name);
      return NULL;
    }
  if (store != NULL)
    return cured_store_new_plan (store, spec, places[0].limits, error);
  return cured_plan_new_on (spec, places, infos->len, error);
}

/* The cells of the shard, for the runner; NULL with @error set. */
static gint64 *
choose_part (const RunOptions *self, CuredPlan *plan, GPtrArray *devices, gsize *n_cells,
             GError **error)
{
  g_autofree const CuredLimits **limits =
      g_new0 (const CuredLimits *, cured_plan_get_n_places (plan));

  for (guint i = 0; i < devices->len; i++)
    {
      const CuredDeviceInfo *info = cured_device_get_info (g_ptr_array_index (devices, i));
      gsize place;

      if (cured_plan_find_place (plan, info->name, info->arch, &place))
        limits[place] = &info->limits;
    }
  for (gsize i = 0; i < cured_plan_get_n_places (plan); i++)
    if (limits[i] == NULL)
      {
        g_set_error_literal (
            error, CURED_ERROR, CURED_ERROR_INVALID,
            _ ("--shard needs all sorts of devices that the file is for; name them with --device"));
        return NULL;
      }
  return cured_shard_cells (plan, limits, self->shard, self->n_shards, n_cells);
}

/* Which part of the plan runs: as the command line says, or as the file does. */
static gboolean
find_shard (RunOptions *self, CuredStore *store, GError **error)
{
  int shard;
  int n_shards;

  if (self->shard_text != NULL &&
      !cured_shard_parse (self->shard_text, &self->shard, &self->n_shards, error))
    return FALSE;
  if (store == NULL)
    return TRUE;
  cured_store_get_shard (store, &shard, &n_shards);
  if (self->shard_text != NULL && (shard != self->shard || n_shards != self->n_shards))
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   n_shards > 0 ? _ ("%s is shard %d/%d; leave --shard out to go on with it")
                                : _ ("%s is no shard; leave --shard out to go on with it"),
                   cured_store_get_path (store), shard, n_shards);
      return FALSE;
    }
  self->shard = shard;
  self->n_shards = n_shards;
  return TRUE;
}

/* Looks up what the search is for; a device that has no time counts. */
static gboolean
find_metric (RunOptions *self, const CuredOptions *options, const CuredDeviceInfo *device,
             GError **error)
{
  gboolean has_time = cured_device_info_has_time (device);
  const char *id = self->metric != NULL                  ? self->metric
                   : g_str_equal (device->kind, "model") ? "predicted_time"
                   : !has_time                           ? "instructions"
                   : options->cold                       ? "time"
                                                         : "time_hot";
  char **ids = NULL;

  if (cured_metric_from_id (id, &self->best_metric) &&
      cured_metric_info (self->best_metric)->better != CURED_BETTER_NEITHER)
    return TRUE;
  ids = g_new0 (char *, CURED_N_METRICS + 1);
  for (gsize i = 0, n = 0; i < CURED_N_METRICS; i++)
    {
      const CuredMetricInfo *info = cured_metric_info ((CuredMetric) i);

      if (info->better != CURED_BETTER_NEITHER)
        ids[n++] = (char *) info->id;
    }
  cured_cli_set_unknown (error, g_strdup_printf (_ ("no metric “%s” to be best in"), id), id, ids);
  return FALSE;
}

/* A search of @plan that knows what @store has. */
static CuredSearch *
make_search (const RunOptions *self, CuredPlan *plan, CuredStore *store, GError **error)
{
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (plan));
  g_autoptr (CuredSearch) search = NULL;
  g_autoptr (CuredResult) result = NULL;

  search = cured_search_new_for_plan (plan, self->best_metric, options->seed);
  cured_search_set_budget (search, self->budget_cells, self->budget_s);
  if (!self->resume)
    return g_steal_pointer (&search);
  result = cured_result_load (cured_store_get_path (store), NULL, error);
  if (result == NULL)
    return NULL;
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    {
      CuredState state = cured_result_get_state (result, cell);
      g_autoptr (CuredOutcome) outcome = NULL;

      if (state == CURED_STATE_NOT_RUN || state == CURED_STATE_NOT_LAUNCHABLE)
        continue;
      outcome = cured_result_load_outcome (result, cell, error);
      if (outcome == NULL)
        return NULL;
      cured_search_add_outcome (search, cell, outcome);
    }
  return g_steal_pointer (&search);
}

static gboolean
tick_cb (gpointer user_data)
{
  Run *self = user_data;
  CuredProgress progress;

  cured_runner_get_progress (self->runner, &progress);
  cured_cli_progress_update (self->progress, &progress);
  return G_SOURCE_CONTINUE;
}

static gboolean
interrupt_cb (gpointer user_data)
{
  Run *self = user_data;

  self->n_interrupts++;
  if (self->n_interrupts > 1)
    {
      cured_cli_progress_clear (self->progress);
      /* Every finished cell is on disk already. */
      _exit (CURED_EXIT_CANCELLED);
    }
  cured_cli_progress_print (self->progress, _ ("Stopping; Ctrl+C again stops at once"));
  cured_runner_cancel (self->runner);
  return G_SOURCE_CONTINUE;
}

/* Slurm sends SIGKILL half a minute after SIGTERM, if nobody changed that. */
#define GRACE_S 20

static gboolean
grace_cb (gpointer user_data)
{
  Run *self = user_data;

  self->grace = 0;
  cured_runner_cancel (self->runner);
  return G_SOURCE_REMOVE;
}

/* A scheduler wants the machine back: the cells in flight are finished, if they make haste. */
static gboolean
terminate_cb (gpointer user_data)
{
  Run *self = user_data;

  if (self->is_terminated)
    return interrupt_cb (user_data);
  self->is_terminated = TRUE;
  cured_cli_progress_print (self->progress, _ ("Stopping after the cell in hand, as SIGTERM asks"));
  self->grace = g_timeout_add_seconds (GRACE_S, grace_cb, self);
  cured_runner_stop (self->runner);
  return G_SOURCE_CONTINUE;
}

static void
keep_excerpts_cb (CuredRunner *runner, gint64 cell, const CuredOutcome *outcome, Run *self)
{
  if (outcome->excerpts == NULL)
    return;
  g_clear_pointer (&self->excerpts, g_ptr_array_unref);
  self->excerpts = g_ptr_array_ref (outcome->excerpts);
  self->shown = cell;
}

static void
cell_finished_cb (CuredRunner *runner, gint64 cell, const CuredOutcome *outcome, Run *self)
{
  g_autofree char *where = cured_plan_describe_cell (self->plan, cell);
  g_autoptr (GString) text = g_string_new (_ (cured_state_to_string (outcome->state)));
  g_autofree char *line = NULL;
  double time_ns = outcome->metrics[CURED_METRIC_time];

  if (isnan (time_ns))
    time_ns = outcome->metrics[CURED_METRIC_time_hot];
  if (!isnan (time_ns))
    {
      g_autofree char *quantity = cured_format_quantity (time_ns, "ns");

      cured_cli_append_item (text, quantity);
    }
  if (outcome->metrics[CURED_METRIC_findings] > 0)
    {
      gint64 n_findings = (gint64) outcome->metrics[CURED_METRIC_findings];
      g_autofree char *number = cured_format_count (n_findings);
      g_autofree char *count =
          g_strdup_printf (ngettext ("%s finding", "%s findings", (gulong) n_findings), number);

      cured_cli_append_item (text, count);
    }
  if (outcome->reason != NULL)
    cured_cli_append_item (text, outcome->reason);
  /* Translators: a cell, and “ok, 12 µs, 1 finding”. */
  line = g_strdup_printf (_ ("%s: %s"), where, text->str);
  cured_cli_progress_print (self->progress, line);
}

static void
device_failed_cb (CuredRunner *runner, CuredDevice *device, const GError *error, Run *self)
{
  g_autofree char *line = NULL;

  /* Of the only one, the end of the run tells. */
  if (++self->n_failed == self->n_devices)
    return;
  line = g_strdup_printf (_ ("%s failed; continuing on the others: %s"),
                          cured_device_get_info (device)->id, error->message);
  cured_cli_progress_print (self->progress, line);
}

static void
finished_cb (CuredRunner *runner, const GError *error, Run *self)
{
  if (error != NULL)
    self->error = g_error_copy (error);
  g_main_loop_quit (self->loop);
}

/* Runs to the end, to an error or to Ctrl+C; the error, if any, is in @self. */
static void
run_plan (Run *self)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  guint tick = 0;
  guint interrupt = 0;
  guint terminate = 0;

  self->loop = loop;
  if (self->options->verbose)
    g_signal_connect (self->runner, "cell-finished", G_CALLBACK (cell_finished_cb), self);
  if (self->options->ranges != NULL)
    g_signal_connect (self->runner, "cell-finished", G_CALLBACK (keep_excerpts_cb), self);
  g_signal_connect (self->runner, "device-failed", G_CALLBACK (device_failed_cb), self);
  g_signal_connect (self->runner, "finished", G_CALLBACK (finished_cb), self);
  interrupt = g_unix_signal_add (SIGINT, interrupt_cb, self);
  terminate = g_unix_signal_add (SIGTERM, terminate_cb, self);
  tick = g_timeout_add (100, tick_cb, self);

  cured_runner_start (self->runner);
  tick_cb (self);
  g_main_loop_run (loop);

  g_source_remove (tick);
  g_source_remove (interrupt);
  g_source_remove (terminate);
  if (self->grace != 0)
    g_source_remove (self->grace);
  cured_cli_progress_clear (self->progress);
  self->loop = NULL;
}

/* 1 where something was found that the kernel file does not declare. */
static int
judge (CuredResult *result, const CuredKernel *kernel)
{
  if (kernel->defect != NULL)
    return CURED_EXIT_OK;
  for (guint i = CURED_STATE_WRONG; i <= CURED_STATE_TIMED_OUT; i++)
    if (cured_result_count_state (result, (CuredState) i) > 0)
      return CURED_EXIT_FINDING;
  return CURED_EXIT_OK;
}

static void
print_start (const Run *self, const CuredDeviceInfo *device, const char *path)
{
  gint64 n_cells = cured_plan_get_n_cells (self->plan);
  g_autofree char *cells = cured_format_count (n_cells);
  g_autofree char *line =
      g_strdup_printf (ngettext ("%s on %s (%s): %s cell, to %s", "%s on %s (%s): %s cells, to %s",
                                 (gulong) n_cells),
                       cured_spec_get_kernel (cured_plan_get_spec (self->plan))->id, device->name,
                       device->id, cells, path);

  cured_cli_progress_print (self->progress, line);
}

/* Between two anchors, as a rule. */
#define ANCHOR_MINUTES 10.0

/* Nobody has to be told of less. */
#define WORTH_SAYING_S 5.0

/* What was asked for is run, but nobody has to wait without knowing it: the kernel files' own sizes
 * are a GPU's. */
static void
print_estimate (const Run *self, CuredDevice *device)
{
  const CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (self->plan));
  gboolean is_emulated = !cured_device_has_time (device);
  CuredEstimate estimate;
  g_autofree char *duration = NULL;
  g_autofree char *line = NULL;

  if (cured_device_is_model (cured_device_get_info (device)->id))
    return;
  cured_estimate_sweep (self->plan, cured_device_get_info (device), is_emulated ? device : NULL,
                        NULL, NULL, &estimate);
  if (isinf (estimate.first_s))
    line = g_strdup (_ ("The problem is large for the emulator: some blocks alone take seconds. -p "
                        "makes it smaller, --blocks 0 runs one block"));
  else if (estimate.first_s > MAX (options->limit_s, WORTH_SAYING_S))
    {
      duration = cured_format_seconds (estimate.first_s);
      line = g_strdup_printf (
          _ ("The first cell would take about %s, and the limit of a cell is %g s. Emulate some of "
             "its blocks (--blocks sample:64) or a smaller problem (-p), or raise --limit"),
          duration, options->limit_s);
    }
  else if (estimate.sweep_s > WORTH_SAYING_S)
    {
      duration = cured_estimate_describe (&estimate, NULL);
      line = estimate.basis == CURED_ESTIMATE_BLOCKS
                 ? g_strdup_printf (
                       _ ("It takes %s; --blocks sample:64 runs some of the blocks only"), duration)
                 : g_strdup_printf (_ ("It takes %s"), duration);
    }
  if (line != NULL)
    cured_cli_progress_print (self->progress, line);
}

/* Reads --print. */
static gboolean
parse_ranges (RunOptions *self, const CuredKernel *kernel, GError **error)
{
  if (self->prints == NULL)
    return TRUE;
  self->ranges = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_range_free);
  if (g_strv_length (self->prints) > CURED_EXCERPT_MAX)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID, _ ("--print: %d of them are the most"),
                   CURED_EXCERPT_MAX);
      return FALSE;
    }
  for (gsize i = 0; self->prints[i] != NULL; i++)
    {
      CuredRange *range = cured_range_parse (self->prints[i], kernel, error);

      if (range == NULL)
        {
          g_prefix_error (error, "--print: ");
          return FALSE;
        }
      g_ptr_array_add (self->ranges, range);
    }
  return TRUE;
}

/* Tells the runner whose buffers are printed. */
static gboolean
show_cell (const RunOptions *self, CuredRunner *runner, CuredStore *store, GError **error)
{
  g_autoptr (CuredResult) result = NULL;
  gint64 cell = -1;

  if (self->ranges == NULL)
    return TRUE;
  if (self->cell != NULL)
    {
      result = cured_result_load (cured_store_get_path (store), NULL, error);
      if (result == NULL || !cured_cli_find_cell (result, self->cell, &cell, error))
        return FALSE;
      if (cured_result_get_state (result, cell) != CURED_STATE_NOT_RUN)
        {
          g_autofree char *where = cured_cli_describe_cell (result, cell);

          g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                       cured_result_get_state (result, cell) == CURED_STATE_NOT_LAUNCHABLE
                           ? _ ("--cell: %s can't be launched")
                           : _ ("--cell: %s is finished, and files keep no buffers; run it into "
                                "another file with -o"),
                       where);
          return FALSE;
        }
    }
  cured_runner_show (runner, self->ranges, cell);
  return TRUE;
}

/* What --print asked for, at the end. */
static void
print_excerpts (const Run *self)
{
  g_autofree char *where = NULL;

  if (self->options->ranges == NULL)
    return;
  if (self->excerpts == NULL)
    {
      g_printerr (_ ("--print: no buffer was seen: the cell did not run to its end\n"));
      return;
    }
  if (self->options->json)
    return;
  where = cured_plan_describe_cell (self->plan, self->shown);
  g_print (_ ("\nBuffers at %s after one run:\n"), where);
  cured_cli_print_excerpts (self->excerpts);
}

/* ---- What is predicted ahead ---- */

typedef struct
{
  const Run *run;
  GPtrArray *infos; /* (element-type CuredDeviceInfo) */
  CuredForecast *forecast;
} Forecasting;

static gboolean
forecast (CuredCliJob *job, gpointer user_data, GCancellable *cancellable, GError **error)
{
  Forecasting *self = user_data;

  self->forecast =
      cured_forecast_new (self->run->plan, (const CuredDeviceInfo *const *) self->infos->pdata,
                          self->infos->len, cured_cli_job_report, job, cancellable, error);
  return self->forecast != NULL;
}

/* Predicts the cells of the run. Returns NULL after a message where there is nothing to go by, and
 * with @run's error set where it was cancelled. */
static CuredForecast *
make_forecast (Run *run, GPtrArray *devices)
{
  g_autoptr (GPtrArray) infos = find_places (devices);
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;
  Forecasting self = { .run = run, .infos = infos };

  /* Translators: what goes on while cells are predicted. */
  if (cured_cli_job_run (_ ("Predicting"), forecast, &self, &run->is_terminated, &error))
    line = cured_forecast_describe (self.forecast);
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    run->error = g_steal_pointer (&error);
  else
    /* Translators: why. */
    line = g_strdup_printf (_ ("Not predicted, so that the order is as without --predict: %s"),
                            error->message);
  if (line != NULL)
    cured_cli_progress_print (run->progress, line);
  return self.forecast;
}

/* Whether what is best is so because it takes little time. */
static gboolean
is_about_time (CuredMetric metric)
{
  return metric == CURED_METRIC_time || metric == CURED_METRIC_time_hot ||
         metric == CURED_METRIC_bandwidth || metric == CURED_METRIC_flop_rate ||
         metric == CURED_METRIC_of_ceiling;
}

/* Puts the predicted best cells first, in the order of the run or in its search. FALSE: it was
 * cancelled. */
static gboolean
predict_first (Run *run, GPtrArray *devices, CuredSearch *search)
{
  g_autoptr (CuredForecast) predicted = NULL;
  g_autofree gint64 *cells = NULL;
  gsize n_cells;

  if (search != NULL && !is_about_time (run->options->best_metric))
    {
      g_autofree char *line = g_strdup_printf (
          /* Translators: a metric's id. */
          _ ("Not predicted: --predict is about time, and the best %s is looked for"),
          cured_metric_info (run->options->best_metric)->id);

      cured_cli_progress_print (run->progress, line);
      return TRUE;
    }
  predicted = make_forecast (run, devices);
  if (predicted == NULL)
    return run->error == NULL;
  if (search != NULL)
    cured_search_set_predicted (search, cured_forecast_get_times (predicted));
  else
    {
      cells = cured_forecast_order (predicted, &n_cells);
      cured_runner_set_order (run->runner, cells, n_cells);
    }
  return TRUE;
}

/* Runs @plan into the open @store and tells how it went. */
static int
run_and_report (const RunOptions *options, CuredPlan *plan, CuredStore *store, GPtrArray *devices)
{
  g_autofree gint64 *part = NULL;
  gsize n_part = 0;
  g_autoptr (CuredSearch) search = NULL;
  g_autoptr (CuredRunner) runner = cured_runner_new (plan, store);
  g_autoptr (CuredCliProgress) progress = cured_cli_progress_new (plan);
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (GError) error = NULL;
  const CuredDeviceInfo *info = cured_device_get_info (g_ptr_array_index (devices, 0));
  CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (plan));
  const char *path = cured_store_get_path (store);
  CuredProgress final;
  int status = CURED_EXIT_OK;
  Run run = {
    .options = options,
    .plan = plan,
    .runner = runner,
    .progress = progress,
    .n_devices = devices->len,
  };

  if (options->best)
    {
      search = make_search (options, plan, store, &error);
      if (search == NULL)
        return cured_cli_fail_error (error);
      cured_runner_set_search (runner, search);
    }
  if (!show_cell (options, runner, store, &error))
    return cured_cli_fail_error (error);
  for (guint i = 0; i < devices->len; i++)
    cured_runner_add_device (runner, g_ptr_array_index (devices, i));
  if (options->n_shards > 0)
    {
      part = choose_part (options, plan, devices, &n_part, &error);
      if (part == NULL)
        return cured_cli_fail_error (error);
      cured_runner_set_part (runner, part, n_part);
    }
  /* A count is the same on all devices. */
  if (cured_device_info_has_time (info))
    cured_runner_set_anchors (runner,
                              60 * (options->anchor != NULL ? options->anchor_minutes
                                    : devices->len > 1 || options->n_shards > 0 ? ANCHOR_MINUTES
                                                                                : 0));
  print_start (&run, info, path);
  print_estimate (&run, g_ptr_array_index (devices, 0));
  if (!cured_spec_get_options (cured_plan_get_spec (plan))->predict ||
      predict_first (&run, devices, search))
    run_plan (&run);
  cured_runner_get_progress (runner, &final);
  cured_estimate_learn (plan, info, &final);

  result = cured_result_load (path, NULL, &error);
  if (result == NULL)
    status = cured_cli_fail_error (error);
  else if (options->json)
    cured_cli_print_summary_json (result, &final, search, path, run.excerpts, run.error);
  else
    cured_cli_print_summary (result, &final, search, path);
  print_excerpts (&run);
  if (options->verbose && !options->json)
    cured_cli_print_breakdown (&final, devices->len);

  if (g_error_matches (run.error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_printerr (options->best ? _ ("Stopped. Go on with: cured run --best --resume %s\n")
                                : _ ("Stopped. Go on with: cured run --resume %s\n"),
                  path);
      status = run.is_terminated ? CURED_EXIT_RESUME : CURED_EXIT_CANCELLED;
    }
  else if (run.error != NULL)
    {
      status = cured_cli_fail_error (run.error);
      g_printerr (_ ("What was finished is kept. Go on with: cured run --resume %s\n"), path);
    }
  else if (result != NULL)
    status = judge (result, kernel);
  g_clear_error (&run.error);
  g_clear_pointer (&run.excerpts, g_ptr_array_unref);
  return status;
}

static CuredStore *
create_store (const RunOptions *self, CuredPlan *plan, GPtrArray *devices, const char *path,
              GError **error)
{
  g_autofree const CuredDeviceInfo **infos = g_new0 (const CuredDeviceInfo *, devices->len);

  for (guint i = 0; i < devices->len; i++)
    infos[i] = cured_device_get_info (g_ptr_array_index (devices, i));
  return cured_store_create_on (path, plan, infos, devices->len, self->shard, self->n_shards,
                                self->force, error);
}

/* “200” or “60s”. */
static gboolean
parse_budget (RunOptions *self)
{
  char *end = NULL;
  guint64 n_cells = 0;
  double seconds;

  if (self->budget == NULL)
    return TRUE;
  if (!self->best)
    {
      cured_cli_fail (_ ("--budget says how long --best searches; add --best"));
      return FALSE;
    }
  if (g_ascii_string_to_unsigned (self->budget, 10, 1, G_MAXINT32, &n_cells, NULL))
    {
      self->budget_cells = (gint64) n_cells;
      return TRUE;
    }
  seconds = g_ascii_strtod (self->budget, &end);
  if (end != self->budget && g_str_equal (end, "s") && seconds > 0 && seconds <= 1e7)
    {
      self->budget_s = seconds;
      return TRUE;
    }
  cured_cli_fail (
      _ ("--budget %s: expected a number of cells, such as 200, or seconds, such as 60s"),
      self->budget);
  return FALSE;
}

static gboolean
parse_anchor (RunOptions *self)
{
  char *end = NULL;

  if (self->anchor == NULL)
    return TRUE;
  self->anchor_minutes = g_ascii_strtod (self->anchor, &end);
  if (end != self->anchor && *end == '\0' && self->anchor_minutes >= 0 &&
      self->anchor_minutes <= 1e7)
    return TRUE;
  cured_cli_fail (_ ("--anchor %s: expected a number of minutes, such as 10, or 0 for never"),
                  self->anchor);
  return FALSE;
}

/* Whether --predict was given. */
static gboolean
wants_prediction (const RunOptions *self)
{
  g_auto (CuredOptions) options = { 0 };

  cured_options_init (&options);
  return cured_cli_switches_apply (self->switches, NULL, &options, NULL) && options.predict;
}

/* What the cells of a file would take. */
static CuredForecast *
forecast_file (CuredResult *result, GError **error)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);
  CuredKernel *kernel = cured_result_get_kernel (result);
  g_autoptr (CuredSpec) spec = NULL;
  g_autoptr (CuredPlan) plan = NULL;

  if (kernel == NULL)
    {
      g_set_error_literal (
          error, CURED_ERROR, CURED_ERROR_INVALID,
          _ ("the file has no kernel, whose times could be predicted; leave --predict out"));
      return NULL;
    }
  spec = cured_spec_new_from_result (result, kernel);
  plan = cured_plan_new (spec, &device->limits, error);
  if (plan == NULL)
    return NULL;
  if (cured_plan_get_n_cells (plan) != cured_result_get_n_cells (result))
    {
      g_set_error_literal (
          error, CURED_ERROR, CURED_ERROR_INVALID,
          _ ("the file's axes are not those of one sweep on one device; leave --predict out"));
      return NULL;
    }
  return cured_forecast_new (plan, &device, 1, NULL, NULL, NULL, error);
}

/* Searches over again what a file has; nothing is run. */
static int
replay_file (const RunOptions *self, int argc)
{
  const char *id = self->metric != NULL ? self->metric : "time";
  int n_replays = self->n_replays != CURED_CLI_NOT_GIVEN ? self->n_replays : 50;
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (CuredForecast) forecast = NULL;
  g_autoptr (GError) error = NULL;
  CuredSearchReplay replay;
  gsize metric = 0;

  if (!self->best)
    return cured_cli_fail (_ ("--replay tries what --best does; add --best"));
  if (argc > 1 || self->resume)
    return cured_cli_fail (_ ("--replay takes the cells from its file, and no kernel"));
  if (self->output != NULL || self->devices != NULL || self->dry_run || self->axes != NULL ||
      self->fills != NULL || self->sweep || self->preset_name != NULL || self->force ||
      self->shard_text != NULL || self->anchor != NULL || self->launchers != NULL || self->push ||
      self->worker != NULL || self->prints != NULL || self->cell != NULL || self->order != NULL)
    return cured_cli_fail (_ ("--replay runs nothing; of the options of run, only --best, "
                              "--metric, --budget, --predict, --replays and --json go with it"));
  if (self->budget_s > 0)
    return cured_cli_fail (
        _ ("--replay measures nothing: give --budget in cells, such as --budget 200"));
  if (n_replays < 1 || n_replays > 10000)
    return cured_cli_fail (_ ("--replays %d: expected 1 to 10000"), n_replays);
  result = cured_result_load (self->replay, NULL, &error);
  if (result == NULL)
    return cured_cli_fail_error (error);
  if (!cured_cli_find_metric (result, id, &metric, &error) ||
      (wants_prediction (self) &&
       !cured_search_replay (result, metric, 1, 0, NULL, &replay, &error)) ||
      (wants_prediction (self) && (forecast = forecast_file (result, &error)) == NULL) ||
      !cured_search_replay (result, metric, (guint) n_replays, self->budget_cells,
                            forecast != NULL ? cured_forecast_get_times (forecast) : NULL, &replay,
                            &error))
    {
      g_prefix_error (&error, "%s: ", self->replay);
      return cured_cli_fail_error (error);
    }
  if (self->json)
    cured_cli_print_replay_json (&replay);
  else
    cured_cli_print_replay (&replay);
  return CURED_EXIT_OK;
}

/* Finds out what is KERNEL and what is FILE. Returns FALSE after a message. */
static gboolean
parse_arguments (RunOptions *options, int argc, char **argv, const char **kernel)
{
  *kernel = NULL;
  for (int i = 1; i < argc; i++)
    if (options->resume && options->output == NULL && g_str_has_suffix (argv[i], ".cured"))
      options->output = g_strdup (argv[i]);
    else if (*kernel == NULL)
      *kernel = argv[i];
    else
      {
        cured_cli_fail (_ ("“%s”: one kernel at a time"), argv[i]);
        return FALSE;
      }
  if (options->resume && options->preset_name != NULL)
    {
      cured_cli_fail (_ ("--resume goes on with the file's own sweep; leave --preset out"));
      return FALSE;
    }
  if (options->resume && options->force)
    {
      cured_cli_fail (_ ("--resume and --force exclude each other"));
      return FALSE;
    }
  if (options->shard_text != NULL && options->best)
    {
      cured_cli_fail (_ ("--best goes where the last cells lead it, and --shard knows of no other "
                         "shard; leave one of them out"));
      return FALSE;
    }
  if (options->worker != NULL && options->launchers != NULL)
    {
      cured_cli_fail (_ ("--launcher is put before “cured worker”, which --worker replaces; leave "
                         "one of them out"));
      return FALSE;
    }
  if (!cured_cli_check_launchers (options->launchers, options->push))
    return FALSE;
  if (options->cell != NULL && options->prints == NULL)
    {
      cured_cli_fail (_ ("--cell says whose buffers --print shows; add --print BUFFER"));
      return FALSE;
    }
  if (options->order != NULL && options->best)
    {
      cured_cli_fail (_ (
          "--best has an order of its own; --predict has it begin with the predicted best cells"));
      return FALSE;
    }
  if (options->order != NULL && !g_str_equal (options->order, "plan") &&
      !g_str_equal (options->order, "predicted"))
    {
      cured_cli_fail (_ ("--order %s: expected plan or predicted"), options->order);
      return FALSE;
    }
  if (options->metric != NULL && !options->best)
    {
      cured_cli_fail (_ ("--metric says what --best looks for; add --best"));
      return FALSE;
    }
  if (options->resume && options->output == NULL)
    {
      cured_cli_fail (_ ("--resume needs a file, such as “cured run --resume tiles.cured”"));
      return FALSE;
    }
  if (*kernel == NULL && !options->resume && options->preset_name == NULL)
    {
      /* Translators: “cured run”, twice. */
      cured_cli_fail (
          _ ("%s needs a kernel, such as “%s matmul/tiled”; “cured kernels” lists them"),
          g_get_prgname (), g_get_prgname ());
      return FALSE;
    }
  if (options->output != NULL && !options->resume && !options->force && !options->dry_run &&
      g_file_test (options->output, G_FILE_TEST_IS_REGULAR))
    {
      cured_cli_fail (_ ("%s exists; --resume runs what it lacks, --force replaces it"),
                      options->output);
      return FALSE;
    }
  return cured_cli_check_output (options->output, NULL, TRUE);
}

/* @chip: (nullable): where parsing puts the id of the chip whose times are predicted; NULL: the
 * kernel runs. */
static int
run_sweep (GOptionContext *context, char *const *chip, int argc, char **argv)
{
  g_auto (RunOptions) options = { 0 };
  const char *kernel_name = NULL;
  g_autofree char *path = NULL;
  g_autoptr (CuredStore) store = NULL;
  g_autoptr (CuredSpec) spec = NULL;
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredCliDevices) devices = NULL;
  g_autoptr (GError) error = NULL;
  const CuredDeviceInfo *info = NULL;
  const CuredLimits unknown_limits = { 0 };

  options.n_replays = CURED_CLI_NOT_GIVEN;
  if (!parse_run_options (&options, context, &argc, &argv) || !parse_budget (&options) ||
      !parse_anchor (&options))
    return CURED_EXIT_USAGE;
  if (!cured_cli_check_with (options.n_replays != CURED_CLI_NOT_GIVEN, "--replays",
                             options.replay != NULL, "--replay FILE"))
    return CURED_EXIT_USAGE;
  if (options.replay != NULL)
    return replay_file (&options, argc);
  if (!parse_arguments (&options, argc, argv, &kernel_name))
    return CURED_EXIT_USAGE;
  if (chip != NULL)
    {
      if (options.devices != NULL)
        return cured_cli_fail (_ ("predict runs on no device: --for %s names the chip"), *chip);
      options.devices = g_strconcat ("model:", *chip, NULL);
      options.sweep |= options.axes == NULL && !options.resume;
    }

  /* A worker that died must not take this process with it, nor a reader of standard output that
   * went away the sweep. */
  signal (SIGPIPE, SIG_IGN);

  if (options.resume && (kernel_name == NULL || g_file_test (options.output, G_FILE_TEST_EXISTS)))
    {
      store = cured_store_open (options.output, &error);
      if (store == NULL || !find_devices (&options, &error))
        return cured_cli_fail_error (error);
    }
  spec = make_spec (&options, kernel_name, store, &error);
  if (spec == NULL || !parse_ranges (&options, cured_spec_get_kernel (spec), &error))
    return cured_cli_fail_error (error);
  if (options.ranges != NULL && options.devices != NULL && cured_device_is_model (options.devices))
    return cured_cli_fail (
        _ ("--print shows what a kernel wrote, and %s runs none; use --device emulator or cuda:0"),
        options.devices);
  devices = open_devices (&options, &error);
  if (devices == NULL && options.dry_run)
    {
      /* A plan is of use where no device is, only less exact. */
      g_printerr (_ ("No device: %s\n"), error->message);
      g_clear_error (&error);
    }
  else if (devices == NULL)
    {
      cured_cli_fail_error (error);
      if (options.devices == NULL && g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_DEVICE))
        g_printerr (_ ("“--device emulator” needs no GPU: it counts instead of timing\n"));
      return CURED_EXIT_USAGE;
    }
  else
    info = cured_device_get_info (g_ptr_array_index (devices, 0));
  /* A preset may have been saved for the emulator. */
  if (options.preset != NULL && info != NULL && info->limits.emulated == 0)
    cured_options_drop_emulated (cured_spec_get_options (spec));
  if (!find_shard (&options, store, &error))
    return cured_cli_fail_error (error);
  plan = devices != NULL ? make_plan (&options, spec, store, devices, &error)
                         : cured_plan_new (spec, &unknown_limits, &error);
  if (plan == NULL)
    return cured_cli_fail_error (error);
  if (options.dry_run)
    {
      if (options.json)
        cured_cli_print_plan_json (plan, info, options.verbose);
      else
        cured_cli_print_plan (plan, info, options.verbose);
    }
  if (cured_plan_get_n_launchable (plan) == 0)
    return cured_cli_fail (_ ("no cell can be launched on %s: %s"),
                           /* Translators: on which no cell can be launched. */
                           info != NULL ? info->name : _ ("any device"),
                           cured_plan_get_reason (plan, 0));
  if (options.dry_run)
    return CURED_EXIT_OK;

  if (options.best && !find_metric (&options, cured_spec_get_options (spec), info, &error))
    return cured_cli_fail_error (error);
  if (store != NULL)
    {
      if (!cured_store_matches (store, plan, info, &error))
        return cured_cli_fail_error (error);
    }
  else
    {
      path =
          options.output != NULL
              ? g_strdup (options.output)
              : cured_recordings_propose_path (cured_spec_get_kernel (spec)->id, NULL, NULL, NULL);
      store = create_store (&options, plan, devices, path, &error);
      if (store == NULL)
        return cured_cli_fail_error (error);
    }
  return run_and_report (&options, plan, store, devices);
}

static int
run_run (GOptionContext *context, int argc, char **argv)
{
  return run_sweep (context, NULL, argc, argv);
}

/* The chip that --for names, taken out of the arguments: run's own know none. */
static int
run_predict (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *chip = g_strdup ("h200");
  const GOptionEntry entries[] = {
    { "for", 0, 0, G_OPTION_ARG_STRING, &chip, N_ ("The chip, by its machine facts [h200]"),
      N_ ("CHIP") },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
  return run_sweep (context, &chip, argc, argv);
}

const CuredVerb cured_verb_run = {
  .name = "run",
  .arguments = N_ ("KERNEL[.cu]"),
  .summary = N_ ("Run a kernel over its parameters, into a result file"),
  .description =
      N_ ("Parameters that are not named have one value, the kernel file's default.\n"
          "Ctrl+C stops and keeps what is finished; a second one stops at once.\n"
          "The emulator needs no GPU: it counts instead of timing, and looks for races,\n"
          "accesses out of bounds and the like.\n"
          "\n"
          "Exit code 1: a cell is wrong, failed, crashed or timed out, and the kernel file\n"
          "declares no defect. 75: SIGTERM came before the end; --resume goes on.\n"
          "\n"
          "Examples:\n"
          "  cured run matmul/tiled\n"
          "  cured run matmul/tiled -p tile=4..32:4 -p n=1024,2048 -o tiles.cured\n"
          "  cured run mine.cu --sweep --device cuda:0,cuda:1\n"
          "  cured run mine.cu --sweep --launcher 'ssh a' --push\n"
          "  cured run mine.cu --sweep --shard 3/16 -o 3.cured\n"
          "  cured run matmul/tiled -p n=128 -p tile=8..32:8 --device emulator\n"
          "  cured run reduce/two-launch --device emulator --blocks sample:64\n"
          "  cured run vector/add -p n=1000 -d emulator --print 'out[0..7]'\n"
          "  cured run --resume tiles.cured\n"
          "  cured run matmul/tiled --preset coarse --device emulator\n"
          "  cured run --best matmul/tiled -p n=4096\n"
          "  cured run --best mine.cu --sweep --budget 60s\n"
          "  cured run --best --predict matmul/tiled -p n=4096\n"
          "  cured run mine.cu --sweep --order predicted\n"
          "  cured run --best --replay tiles.cured\n"),
  .words = CURED_CLI_WORDS_KERNELS,
  .run = run_run,
};

const CuredVerb cured_verb_predict = {
  .name = "predict",
  .arguments = N_ ("KERNEL[.cu]"),
  .summary = N_ ("Predict the times of a kernel that nobody has run"),
  .description = N_ ("As “cured run --device model:CHIP”: no GPU is needed. A few blocks of each\n"
                     "cell are counted on the emulator, and the chip's machine facts say how long\n"
                     "that takes. Without -p, it is the sweep of the kernel file. The metric is\n"
                     "predicted_time; cured-predict(7) says what it is good for.\n"
                     "\n"
                     "Examples:\n"
                     "  cured predict matmul/tiled -o tiles.cured\n"
                     "  cured predict mine.cu -p block=32..1024:32 --for h200"),
  .run = run_predict,
};
