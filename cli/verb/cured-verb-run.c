/* SPDX-License-Identifier: MIT
 * cured run: a sweep from a kernel to a result file. */
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "cured-cli-job.h"
#include "cured-cli-progress.h"
#include "cured-cli-sweep.h"

#define CURED_VERB       "verb/cured-verb-run.def"
#define CURED_VERB_GIVEN cured_cli_sweep
#include "cured-verb.h"

/* Usual interval of anchors. */
#define ANCHOR_MINUTES 10

static CuredCliSweep *const given = &cured_cli_sweep;

/* clang-format off */
static const CuredCliOption predict_rows[] = {
  { "for", 0, CURED_CLI_TEXT, &cured_cli_sweep.chip, N_ ("The chip, by its machine facts [h200]"), N_ ("CHIP") },
  { NULL },
};
/* clang-format on */

/* Options that have an effect although nothing runs. */
static const char *const predict_switches[] = {
  "seed", "limit_s", "compile_options", "unsafe_options", "where", NULL,
};

typedef struct
{
  /* Borrowed */
  CuredPlan *plan;
  CuredRunner *runner;
  CuredCliProgress *progress;
  GMainLoop *loop;
  gboolean is_terminated; /* stopped by SIGTERM */
  guint grace;            /* source: ends the grace period of the cells in flight */

  /* Owned */
  GError *error;
  GPtrArray *excerpts; /* nullable */
  gint64 shown;        /* the cell of @excerpts */

  guint n_interrupts, n_devices;
  guint n_failed; /* devices that failed */
} Run;

/* Adds a device for each id with one command. */
static gboolean
add_openings (char **ids, const char *wanted, char **command, GPtrArray *openings, GError **error)
{
  /* An empty text has no element. */
  for (gsize i = 0; i == 0 || ids[i] != NULL; i++)
    {
      if (ids[i] == NULL || *g_strstrip (ids[i]) == '\0')
        return cured_cli_refuse (
            error,
            _ ("--device %s: expected names with commas between them, such as cuda:0,cuda:1"),
            wanted);
      if (cured_cli_switches_has_emulator () &&
          (!cured_device_is_emulated (ids[i]) || cured_device_is_model (ids[i])))
        return cured_cli_refuse (
            error,
            _ ("--blocks and --shuffle are for the emulator; %s runs all blocks in its own order"),
            ids[i]);
      g_ptr_array_add (openings, cured_cli_opening_new (command, ids[i]));
    }
  return TRUE;
}

static CuredCliDevices *
open_devices (GError **error)
{
  g_autoptr (GPtrArray) openings = g_ptr_array_new_with_free_func (cured_cli_opening_free);
  g_autoptr (CuredCliDevices) devices = NULL;
  const CuredPreset *preset = given->preset;
  const char *wanted = given->devices != NULL                        ? given->devices
                       : preset != NULL && preset->device_id != NULL ? preset->device_id
                                                                     : "cuda:0";
  g_auto (GStrv) ids = g_strsplit (wanted, ",", -1);
  g_auto (GStrv) command = NULL;

  if (given->worker != NULL && !g_shell_parse_argv (given->worker, NULL, &command, error))
    {
      g_prefix_error (error, "--worker: ");
      return NULL;
    }
  if (given->worker == NULL && cured_cli_places.launchers == NULL && preset != NULL &&
      preset->launcher != NULL)
    {
      command = cured_launcher_get_worker (preset->launcher, error);
      if (command == NULL)
        return NULL;
    }
  if (cured_cli_places.launchers == NULL && !add_openings (ids, wanted, command, openings, error))
    return NULL;
  for (gsize i = 0; cured_cli_places.launchers != NULL && cured_cli_places.launchers[i] != NULL;
       i++)
    {
      g_clear_pointer (&command, g_strfreev);
      command = cured_cli_launch_worker (cured_cli_places.launchers[i], error);
      if (command == NULL || !add_openings (ids, wanted, command, openings, error))
        return NULL;
    }
  devices = cured_cli_open_all (openings, error);
  for (gsize i = 0; devices != NULL && cured_cli_places.launchers != NULL &&
                    cured_cli_places.launchers[i] != NULL;
       i++)
    cured_launcher_remember (cured_cli_places.launchers[i]);
  return g_steal_pointer (&devices);
}

/* An emulator's file is resumed on the emulator, as no other device could. */
static gboolean
find_devices (GError **error)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  const CuredResultDevice *devices;
  gsize n_devices;

  if (given->devices != NULL)
    return TRUE;
  g_autoptr (CuredResult) result = cured_result_load (given->output, NULL, error);
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
    given->devices = g_strjoinv (",", (char **) ids->pdata);
  return TRUE;
}

/* The kinds of devices. */
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

/* Makes the plan for the devices, or for those of a resumed file. */
static CuredPlan *
make_plan (CuredSpec *spec, CuredStore *store, GPtrArray *devices, GError **error)
{
  g_autoptr (GPtrArray) infos = find_places (devices);
  g_autofree CuredPlanPlace *places = g_new0 (CuredPlanPlace, infos->len);

  for (guint i = 0; i < infos->len; i++)
    {
      const CuredDeviceInfo *info = g_ptr_array_index (infos, i);

      places[i] = (CuredPlanPlace){ info->name, info->arch, &info->limits };
    }
  if (infos->len > 1 && given->best)
    {
      cured_cli_refuse (error,
                        _ ("--best searches one kind of device, and there are %s and %s; name one"),
                        places[0].name, places[1].name);
      return NULL;
    }
  if (store != NULL)
    return cured_store_new_plan (store, spec, places[0].limits, error);
  return cured_plan_new_on (spec, places, infos->len, error);
}

/* The cells of the shard, for the runner; NULL with @error set. */
static gint64 *
choose_part (CuredPlan *plan, GPtrArray *devices, gsize *n_cells, GError **error)
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
        cured_cli_refuse (
            error, _ ("--shard needs every kind of device in the file; name them with --device"));
        return NULL;
      }
  return cured_shard_cells (plan, limits, given->shard, given->n_shards, n_cells);
}

/* Which part of the plan runs: by the command line, or by the file. */
static gboolean
find_shard (CuredStore *store, GError **error)
{
  int shard, n_shards;

  if (given->shard_text != NULL &&
      !cured_shard_parse (given->shard_text, &given->shard, &given->n_shards, error))
    return FALSE;
  if (store == NULL)
    return TRUE;
  cured_store_get_shard (store, &shard, &n_shards);
  if (given->shard_text != NULL && (shard != given->shard || n_shards != given->n_shards))
    return cured_cli_refuse (error,
                             n_shards > 0 ? _ ("%s is shard %d/%d; omit --shard to continue it")
                                          : _ ("%s is not a shard; omit --shard to continue it"),
                             cured_store_get_path (store), shard, n_shards);
  given->shard = shard;
  given->n_shards = n_shards;
  return TRUE;
}

/* Looks up the metric of the search; devices without times have counts. */
static gboolean
find_metric (const CuredOptions *options, const CuredDeviceInfo *device, GError **error)
{
  gboolean has_time = cured_device_info_has_time (device);
  const char *id = given->metric != NULL                 ? given->metric
                   : g_str_equal (device->kind, "model") ? "predicted_time"
                   : !has_time                           ? "instructions"
                   : options->cold                       ? "time"
                                                         : "time_hot";

  if (cured_metric_from_id (id, &given->best_metric) &&
      cured_metric_info (given->best_metric)->better != CURED_BETTER_NEITHER)
    return TRUE;
  char **ids = g_new0 (char *, CURED_N_METRICS + 1);
  for (gsize i = 0, n = 0; i < CURED_N_METRICS; i++)
    {
      const CuredMetricInfo *info = cured_metric_info ((CuredMetric) i);

      if (info->better != CURED_BETTER_NEITHER)
        ids[n++] = (char *) info->id;
    }
  return cured_cli_set_unknown (error, cured_cli_printf (_ ("no metric “%s” to optimize"), id), id,
                                ids);
}

/* Makes a search of @plan that knows the cells of @store. */
static CuredSearch *
make_search (CuredPlan *plan, CuredStore *store, GError **error)
{
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (plan));

  g_autoptr (CuredSearch) search =
      cured_search_new_for_plan (plan, given->best_metric, options->seed);
  cured_search_set_budget (search, given->budget_cells, given->budget_s);
  if (!given->resume)
    return g_steal_pointer (&search);
  g_autoptr (CuredResult) result = cured_result_load (cured_store_get_path (store), NULL, error);
  if (result == NULL)
    return NULL;
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    {
      CuredState state = cured_result_get_state (result, cell);

      if (state == CURED_STATE_NOT_RUN || state == CURED_STATE_NOT_LAUNCHABLE)
        continue;
      g_autoptr (CuredOutcome) outcome = cured_result_load_outcome (result, cell, error);
      if (outcome == NULL)
        return NULL;
      cured_search_add_outcome (search, cell, outcome);
    }
  return g_steal_pointer (&search);
}

static gboolean
interrupt_cb (gpointer user_data)
{
  Run *self = user_data;

  self->n_interrupts++;
  if (self->n_interrupts > 1)
    {
      cured_cli_line_clear ();
      /* All finished cells are on disk already. */
      _exit (CURED_EXIT_CANCELLED);
    }
  cured_cli_progress_print (self->progress, _ ("Stopping; Ctrl+C again stops at once"));
  cured_runner_cancel (self->runner);
  return G_SOURCE_CONTINUE;
}

/* By default, Slurm sends SIGKILL 30 s after SIGTERM. */
#define GRACE_S 20

static gboolean
grace_cb (gpointer user_data)
{
  Run *self = user_data;

  self->grace = 0;
  cured_runner_cancel (self->runner);
  return G_SOURCE_REMOVE;
}

/* The scheduler is about to end the job: the cells in flight may finish within the grace period. */
static gboolean
terminate_cb (gpointer user_data)
{
  Run *self = user_data;

  if (self->is_terminated)
    return interrupt_cb (user_data);
  self->is_terminated = TRUE;
  cured_cli_progress_print (self->progress, _ ("Stopping after the current cell, as SIGTERM asks"));
  self->grace = g_timeout_add_seconds (GRACE_S, grace_cb, self);
  cured_runner_stop (self->runner);
  return G_SOURCE_CONTINUE;
}

static gboolean
tick_cb (gpointer user_data)
{
  Run *self = user_data;
  CuredProgress progress;

  cured_runner_get_progress (self->runner, &progress);
  cured_cli_progress_update (self->progress, &progress);
  if (!self->is_terminated && cured_cli_progress_is_abandoned (self->progress))
    terminate_cb (self);
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
  g_autoptr (GString) text = g_string_new (_ (cured_state_to_string (outcome->state)));
  double time_ns = outcome->metrics[CURED_METRIC_time];

  if (isnan (time_ns))
    time_ns = outcome->metrics[CURED_METRIC_time_hot];
  if (!isnan (time_ns))
    cured_cli_append_item (text, cured_cli_quantity (time_ns, "ns"));
  if (outcome->metrics[CURED_METRIC_findings] > 0)
    {
      gint64 n_findings = (gint64) outcome->metrics[CURED_METRIC_findings];
      g_autofree char *count =
          g_strdup_printf (ngettext ("%s finding", "%s findings", (gulong) n_findings),
                           cured_cli_count (n_findings));

      cured_cli_append_item (text, count);
    }
  if (outcome->reason != NULL)
    cured_cli_append_item (text, outcome->reason);
  /* Translators: a cell, and “ok, 12 µs, 1 finding”. */
  cured_cli_progress_print (
      self->progress,
      cured_cli_printf (_ ("%s: %s"), cured_cli_lend (cured_plan_describe_cell (self->plan, cell)),
                        text->str));
}

static void
device_failed_cb (CuredRunner *runner, CuredDevice *device, const GError *error, Run *self)
{
  /* A single device's failure is reported at the end of the run. */
  if (++self->n_failed == self->n_devices)
    return;
  cured_cli_progress_print (self->progress,
                            cured_cli_printf (_ ("%s failed; continuing on the others: %s"),
                                              cured_device_get_info (device)->id, error->message));
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

  self->loop = loop;
  if (given->verbose)
    g_signal_connect (self->runner, "cell-finished", G_CALLBACK (cell_finished_cb), self);
  if (given->ranges != NULL)
    g_signal_connect (self->runner, "cell-finished", G_CALLBACK (keep_excerpts_cb), self);
  g_signal_connect (self->runner, "device-failed", G_CALLBACK (device_failed_cb), self);
  g_signal_connect (self->runner, "finished", G_CALLBACK (finished_cb), self);
  guint interrupt = g_unix_signal_add (SIGINT, interrupt_cb, self);
  guint terminate = g_unix_signal_add (SIGTERM, terminate_cb, self);
  guint tick = g_timeout_add (100, tick_cb, self);

  cured_runner_start (self->runner);
  tick_cb (self);
  g_main_loop_run (loop);
  tick_cb (self);

  g_source_remove (tick);
  g_source_remove (interrupt);
  g_source_remove (terminate);
  if (self->grace != 0)
    g_source_remove (self->grace);
  cured_cli_line_clear ();
  self->loop = NULL;
}

/* 1 if there are findings that the kernel file does not declare. */
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

/* Whether a single cell runs just to print its buffers, without a result file. */
static gboolean
is_for_print (CuredPlan *plan)
{
  return given->ranges != NULL && given->output == NULL && cured_plan_get_n_cells (plan) == 1;
}

static void
print_start (const Run *self, const CuredDeviceInfo *device, const char *path)
{
  gint64 n_cells = cured_plan_get_n_cells (self->plan);

  if (is_for_print (self->plan))
    return;
  g_autofree char *line =
      g_strdup_printf (ngettext ("%s on %s (%s): %s cell, to %s", "%s on %s (%s): %s cells, to %s",
                                 (gulong) n_cells),
                       cured_spec_get_kernel (cured_plan_get_spec (self->plan))->id, device->name,
                       device->id, cured_cli_count (n_cells), path);
  cured_cli_progress_print (self->progress, line);
}

/* Shorter estimates are not printed. */
#define WORTH_SAYING_S 5.0

/* A long run is announced, not refused: the kernel files' default sizes are meant for
 * GPUs. */
static void
print_estimate (const Run *self, CuredDevice *device)
{
  const CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (self->plan));
  CuredEstimate estimate;
  g_autofree char *duration = NULL, *line = NULL;

  if (cured_device_is_model (cured_device_get_info (device)->id))
    return;
  cured_estimate_sweep (self->plan, cured_device_get_info (device), NULL, NULL, &estimate);
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
                 ? g_strdup_printf (_ ("It takes %s; --blocks sample:64 runs only some blocks"),
                                    duration)
                 : g_strdup_printf (_ ("It takes %s"), duration);
    }
  if (line != NULL)
    cured_cli_progress_print (self->progress, line);
}

/* Selects the cell whose buffers are printed. */
static gboolean
show_cell (CuredRunner *runner, CuredStore *store, GError **error)
{
  g_autoptr (CuredResult) result = NULL;
  gint64 cell = -1;

  if (given->ranges == NULL)
    return TRUE;
  if (given->cell != NULL)
    {
      result = cured_result_load (cured_store_get_path (store), NULL, error);
      if (result == NULL || !cured_cli_find_cell (result, given->cell, &cell, error))
        return FALSE;
      if (cured_result_get_state (result, cell) != CURED_STATE_NOT_RUN)
        {
          return cured_cli_refuse (error,
                                   cured_result_get_state (result, cell) ==
                                           CURED_STATE_NOT_LAUNCHABLE
                                       ? _ ("--cell: %s can't be launched")
                                       : _ ("--cell: %s is finished, and files keep no buffers; "
                                            "run it to another file with -o"),
                                   cured_cli_describe_cell (result, cell));
        }
    }
  cured_runner_show (runner, given->ranges, cell);
  return TRUE;
}

/* Prints the elements that --print asked for, at the end. */
static void
print_excerpts (const Run *self)
{
  if (given->ranges == NULL)
    return;
  if (self->excerpts == NULL)
    {
      g_printerr (_ ("--print: nothing to print: the cell did not finish\n"));
      return;
    }
  if (cured_cli_is_json)
    return;
  g_print (_ ("\nBuffers at %s after one run:\n"),
           cured_cli_lend (cured_plan_describe_cell (self->plan, self->shown)));
  cured_cli_print_excerpts (self->excerpts);
}

/* ---- Predictions before the run ---- */

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

/* Predicts the cells of the run. Returns NULL after a message if data is lacking, and with @run's
 * error set if it was cancelled. */
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
    line = g_strdup_printf (_ ("Not predicted; the order is as without --predict: %s"),
                            error->message);
  if (line != NULL)
    cured_cli_progress_print (run->progress, line);
  return self.forecast;
}

/* Whether the best cell of @metric is the fastest one. */
static gboolean
is_about_time (CuredMetric metric)
{
  return metric == CURED_METRIC_time || metric == CURED_METRIC_time_hot ||
         metric == CURED_METRIC_bandwidth || metric == CURED_METRIC_flop_rate ||
         metric == CURED_METRIC_of_ceiling;
}

/* Puts the predicted best cells first, in the order of the run or of its search. FALSE:
 * cancelled. */
static gboolean
predict_first (Run *run, GPtrArray *devices, CuredSearch *search)
{
  g_autofree gint64 *cells = NULL;
  gsize n_cells;

  if (search != NULL && !is_about_time (given->best_metric))
    {
      cured_cli_progress_print (
          run->progress, cured_cli_printf (
                             /* Translators: a metric's id. */
                             _ ("Not predicted: --predict is about time, but %s is optimized"),
                             cured_metric_info (given->best_metric)->id));
      return TRUE;
    }
  g_autoptr (CuredForecast) predicted = make_forecast (run, devices);
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

/* Runs @plan into the open @store and prints a summary. */
static int
run_and_report (CuredPlan *plan, CuredStore *store, GPtrArray *devices)
{
  g_autofree gint64 *part = NULL;
  gsize n_part = 0;
  g_autoptr (CuredSearch) search = NULL;
  g_autoptr (CuredRunner) runner = cured_runner_new (plan, store);
  g_autoptr (CuredCliProgress) progress =
      cured_cli_progress_new (plan, given->progress == CURED_CLI_PROGRESS_JSON);
  g_autoptr (GError) error = NULL;
  const CuredDeviceInfo *info = cured_device_get_info (g_ptr_array_index (devices, 0));
  CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (plan));
  const char *path = cured_store_get_path (store);
  CuredProgress final;
  int status = CURED_EXIT_OK;
  Run run = {
    .plan = plan,
    .runner = runner,
    .progress = progress,
    .n_devices = devices->len,
  };

  if (given->best)
    {
      search = make_search (plan, store, &error);
      if (search == NULL)
        return cured_cli_fail_error (error);
      cured_runner_set_search (runner, search);
    }
  if (!show_cell (runner, store, &error))
    return cured_cli_fail_error (error);
  for (guint i = 0; i < devices->len; i++)
    cured_runner_add_device (runner, g_ptr_array_index (devices, i));
  if (given->n_shards > 0)
    {
      part = choose_part (plan, devices, &n_part, &error);
      if (part == NULL)
        return cured_cli_fail_error (error);
      cured_runner_set_part (runner, part, n_part);
    }
  /* A count is the same on all devices. */
  if (cured_device_info_has_time (info))
    cured_runner_set_anchors (
        runner, 60.0 * (given->anchor_minutes != CURED_CLI_NOT_GIVEN ? given->anchor_minutes
                        : devices->len > 1 || given->n_shards > 0    ? ANCHOR_MINUTES
                                                                     : 0));
  print_start (&run, info, path);
  print_estimate (&run, g_ptr_array_index (devices, 0));
  if (!cured_spec_get_options (cured_plan_get_spec (plan))->predict ||
      predict_first (&run, devices, search))
    run_plan (&run);
  cured_runner_get_progress (runner, &final);
  cured_estimate_learn (plan, info, &final);

  g_autoptr (CuredResult) result = cured_result_load (path, NULL, &error);
  /* If the file was removed while it was written, this is the error. */
  if (result == NULL)
    status = cured_cli_fail_error (run.error != NULL ? run.error : error);
  else if (cured_cli_is_json)
    cured_cli_print_summary_json (result, &final, search, is_for_print (plan) ? NULL : path,
                                  run.excerpts, run.error);
  else if (!is_for_print (plan))
    cured_cli_print_summary (result, &final, search, path);
  else if (run.excerpts == NULL && !cured_cli_print_cell (result, 0, &error))
    status = cured_cli_fail_error (error);
  print_excerpts (&run);
  if (given->verbose)
    cured_cli_print_breakdown (&final, devices->len);

  if (g_error_matches (run.error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    status = run.is_terminated ? CURED_EXIT_RESUME : CURED_EXIT_CANCELLED;
  else if (run.error != NULL && result != NULL)
    status = cured_cli_fail_error (run.error);
  else if (result != NULL && status == CURED_EXIT_OK)
    status = judge (result, kernel);
  if (run.error != NULL && result != NULL && !is_for_print (plan))
    g_printerr (status == CURED_EXIT_USAGE
                    ? _ ("Finished cells are kept. Continue with: cured run --resume %s\n")
                : given->best ? _ ("Stopped. Continue with: cured run --best --resume %s\n")
                              : _ ("Stopped. Continue with: cured run --resume %s\n"),
                path);
  g_clear_error (&run.error);
  g_clear_pointer (&run.excerpts, g_ptr_array_unref);
  return status;
}

static CuredStore *
create_store (CuredPlan *plan, GPtrArray *devices, const char *path, GError **error)
{
  g_autofree const CuredDeviceInfo **infos = g_new0 (const CuredDeviceInfo *, devices->len);

  for (guint i = 0; i < devices->len; i++)
    infos[i] = cured_device_get_info (g_ptr_array_index (devices, i));
  return cured_store_create_on (path, plan, infos, devices->len, given->shard, given->n_shards,
                                given->force, error);
}

/* Whether --predict was given-> */
static gboolean
wants_prediction (void)
{
  g_auto (CuredOptions) options = { 0 };

  cured_options_init (&options);
  return cured_cli_switches_apply (NULL, &options, NULL) && options.predict;
}

/* Estimates the time of the cells of a file. */
static CuredForecast *
forecast_file (CuredResult *result, GError **error)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);
  CuredKernel *kernel = cured_result_get_kernel (result);

  if (kernel == NULL)
    {
      cured_cli_refuse (error, _ ("the file has no kernel to predict; omit --predict"));
      return NULL;
    }
  g_autoptr (CuredSpec) spec = cured_spec_new_from_result (result, kernel);
  g_autoptr (CuredPlan) plan = cured_plan_new (spec, &device->limits, error);
  if (plan == NULL)
    return NULL;
  if (cured_plan_get_n_cells (plan) != cured_result_get_n_cells (result))
    {
      cured_cli_refuse (
          error, _ ("the file's axes are not those of one sweep on one device; omit --predict"));
      return NULL;
    }
  return cured_forecast_new (plan, &device, 1, NULL, NULL, NULL, error);
}

typedef struct
{
  CuredResult *result;
  gsize metric;
  guint n_seeds;
  const double *predicted; /* nullable */
  CuredSearchReplay replay;
} Replays;

static gboolean
replay_work (CuredCliJob *job, gpointer user_data, GCancellable *cancellable, GError **error)
{
  Replays *self = user_data;

  return cured_search_replay (self->result, self->metric, self->n_seeds, given->budget_cells,
                              self->predicted, cured_cli_job_report, job, cancellable,
                              &self->replay, error);
}

/* Searches a file's cells again; nothing runs. */
static int
replay_file (int argc, GError **error)
{
  const char *id = given->metric != NULL ? given->metric : "time";
  guint n_replays = given->n_replays != CURED_CLI_NOT_GIVEN ? (guint) given->n_replays : 50;
  gboolean is_predicted = wants_prediction ();
  g_autoptr (CuredForecast) forecast = NULL;
  Replays replays = { .n_seeds = n_replays };
  gsize metric = 0;

  if (!given->best)
    return cured_cli_fail (_ ("--replay is a kind of --best; add --best"));
  if (argc > 1 || given->resume)
    return cured_cli_fail (_ ("--replay takes its cells from the file, and no kernel"));
  if (given->output != NULL || given->devices != NULL || given->dry_run || given->axes != NULL ||
      given->fills != NULL || given->sweep || given->preset_name != NULL || given->force ||
      given->shard_text != NULL || given->anchor_minutes != CURED_CLI_NOT_GIVEN ||
      cured_cli_places.launchers != NULL || cured_cli_places.push || given->worker != NULL ||
      given->prints != NULL || given->cell != NULL || given->order != CURED_CLI_NOT_GIVEN)
    return cured_cli_fail (_ ("--replay runs nothing; it allows only --best, --metric, --budget, "
                              "--predict, --replays and --json"));
  if (given->budget_s > 0)
    return cured_cli_fail (
        _ ("--replay measures nothing: give --budget in cells, such as --budget 200"));
  g_autoptr (CuredResult) result = cured_result_load (given->replay, NULL, error);
  if (result == NULL)
    return CURED_EXIT_USAGE;
  if (!cured_cli_find_metric (result, id, &metric, error) ||
      (is_predicted && !cured_search_replay (result, metric, 1, 0, NULL, NULL, NULL, NULL,
                                             &replays.replay, error)) ||
      (is_predicted && (forecast = forecast_file (result, error)) == NULL))
    {
      g_prefix_error (error, "%s: ", given->replay);
      return CURED_EXIT_USAGE;
    }
  replays.result = result;
  replays.metric = metric;
  replays.predicted = forecast != NULL ? cured_forecast_get_times (forecast) : NULL;
  /* Translators: what goes on while searches are tried on recorded cells. */
  if (!cured_cli_job_run (_ ("Searching"), replay_work, &replays, NULL, error))
    {
      g_prefix_error (error, "%s: ", given->replay);
      return CURED_EXIT_USAGE;
    }
  cured_cli_print_replay (&replays.replay);
  return CURED_EXIT_OK;
}

/* Opens the devices; without one, --dry-run goes on. FALSE with an error. */
static gboolean
find_or_miss_devices (CuredCliDevices **devices, GError **error)
{
  g_autoptr (GError) local_error = NULL;

  *devices = open_devices (&local_error);
  if (*devices != NULL)
    return TRUE;
  if (given->dry_run)
    {
      /* A plan is useful without a device, too, only less exact. */
      g_printerr (_ ("No device: %s\n"), local_error->message);
      return TRUE;
    }
  if (given->devices == NULL && g_error_matches (local_error, CURED_ERROR, CURED_ERROR_NO_DEVICE))
    {
      cured_cli_fail_error (local_error);
      g_printerr (_ ("“--device emulator” needs no GPU: it counts instead of timing\n"));
      return FALSE;
    }
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

/* Runs into a temporary file. */
static int
run_for_print (CuredPlan *plan, GPtrArray *devices, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("cured-XXXXXX", error);
  int status = CURED_EXIT_USAGE;

  if (folder == NULL)
    return status;
  g_autofree char *path = g_build_filename (folder, "print.cured", NULL);
  CuredStore *store = create_store (plan, devices, path, error);
  if (store != NULL)
    status = run_and_report (plan, store, devices);
  g_clear_pointer (&store, cured_store_close);
  g_remove (path);
  g_rmdir (folder);
  return status;
}

/* The reason of the first cell that is not left out. */
static const char *
find_reason (CuredPlan *plan)
{
  gint64 cell = 0;

  while (cured_plan_is_left_out (plan, cell))
    cell++;
  return cured_plan_get_reason (plan, cell);
}

static int
run (int argc, char **argv, GError **error)
{
  const char *kernel_name = NULL;
  g_autofree char *path = NULL;
  g_autoptr (CuredStore) store = NULL;
  g_autoptr (CuredCliDevices) devices = NULL;
  const CuredDeviceInfo *info = NULL;
  const CuredLimits unknown_limits = { 0 };

  if (!cured_cli_sweep_parse_budget () ||
      !cured_cli_check_with (given->n_replays != CURED_CLI_NOT_GIVEN, "--replays",
                             given->replay != NULL, "--replay FILE"))
    return CURED_EXIT_USAGE;
  if (given->replay != NULL)
    return replay_file (argc, error);
  if (!cured_cli_sweep_parse (argc, argv, &kernel_name))
    return CURED_EXIT_USAGE;
  if (given->chip != NULL)
    {
      given->devices = g_strconcat ("model:", given->chip, NULL);
      given->sweep |= given->axes == NULL && !given->resume;
    }

  /* Neither a worker that died nor a closed standard output may end this process and its
   * sweep. */
  signal (SIGPIPE, SIG_IGN);

  if (given->resume && (kernel_name == NULL || g_file_test (given->output, G_FILE_TEST_EXISTS)))
    {
      store = cured_store_open (given->output, error);
      if (store == NULL || !find_devices (error))
        return CURED_EXIT_USAGE;
    }
  g_autoptr (CuredSpec) spec = cured_cli_sweep_make_spec (kernel_name, store, error);
  if (spec == NULL || !cured_cli_sweep_parse_ranges (cured_spec_get_kernel (spec), error))
    return CURED_EXIT_USAGE;
  if (given->ranges != NULL && given->devices != NULL && cured_device_is_model (given->devices))
    return cured_cli_fail (
        _ ("--print shows what a kernel wrote, and %s runs none; use --device emulator or cuda:0"),
        given->devices);
  if (!find_or_miss_devices (&devices, error))
    return CURED_EXIT_USAGE;
  if (devices != NULL)
    info = cured_device_get_info (g_ptr_array_index (devices, 0));
  /* A preset may have been saved for the emulator. */
  if (given->preset != NULL && info != NULL && info->limits.emulated == 0)
    cured_options_drop_emulated (cured_spec_get_options (spec));
  if (!find_shard (store, error))
    return CURED_EXIT_USAGE;
  g_autoptr (CuredPlan) plan = devices != NULL ? make_plan (spec, store, devices, error)
                                               : cured_plan_new (spec, &unknown_limits, error);
  if (plan == NULL)
    return CURED_EXIT_USAGE;
  if (given->dry_run)
    cured_cli_print_plan (plan, devices != NULL ? g_ptr_array_index (devices, 0) : NULL,
                          given->verbose);
  if (cured_plan_get_n_left_out (plan) == cured_plan_get_n_cells (plan))
    return cured_cli_fail (_ ("no cell meets %s; give the parameters other values, or another "
                              "condition"),
                           cured_spec_get_options (spec)->where);
  if (cured_plan_get_n_launchable (plan) == 0)
    return cured_cli_fail (_ ("no cell can be launched on %s: %s"),
                           /* Translators: on which no cell can be launched. */
                           info != NULL ? info->name : _ ("any device"), find_reason (plan));
  if (given->dry_run)
    return CURED_EXIT_OK;

  if ((given->best && !find_metric (cured_spec_get_options (spec), info, error)) ||
      (store != NULL && !cured_store_matches (store, plan, info, error)))
    return CURED_EXIT_USAGE;
  if (is_for_print (plan))
    return run_for_print (plan, devices, error);
  if (store == NULL)
    {
      path =
          given->output != NULL
              ? g_strdup (given->output)
              : cured_recordings_propose_path (cured_spec_get_kernel (spec)->id, NULL, NULL, NULL);
      store = create_store (plan, devices, path, error);
      if (store == NULL)
        return CURED_EXIT_USAGE;
    }
  return run_and_report (plan, store, devices);
}

static int
run_predict (int argc, char **argv, GError **error)
{
  if (given->chip == NULL)
    given->chip = (char *) "h200";
  return run (argc, argv, error);
}

const CuredVerb cured_verb_predict = {
  .name = "predict",
  .arguments = N_ ("KERNEL[.cu]"),
  .summary = N_ ("Predict a kernel's times without running it"),
  .description = N_ ("As “cured run --device model:CHIP”: no GPU is needed. A few blocks of "
                     "each\ncell are counted on the emulator, and the chip's machine facts turn "
                     "the counts\ninto times. Without -p, the kernel file's sweep is predicted. "
                     "The metric is\npredicted_time; cured-predict(7) describes its accuracy.\n"
                     "\n"
                     "Examples:\n"
                     "  cured predict matmul/tiled -o tiles.cured\n"
                     "  cured predict mine.cu -p block=32..1024:32 --for h200"),
  .options = { cured_cli_sweep_rows, predict_rows },
  .switches = predict_switches,
  .run = run_predict,
};
