/* SPDX-License-Identifier: MIT
 * Cured's kernels beside their peers, in one process, taking turns.
 *
 * usage: peers LIBRARY WORKS [--rounds N] [--result FILE] [--markdown FILE]
 *              [--command TEXT] [WORK...]
 *        peers --dry-run WORKS [WORK...]
 *
 * LIBRARY is peers.cu, compiled to a shared library; WORKS says what is compared (works.ini).
 * lab/measure-peers builds the one and starts this.
 * --dry-run reads WORKS and all the kernels, measures nothing, and needs neither a GPU nor LIBRARY.
 *
 * A peer is measured as a kernel is: its kernel file has the header of Cured's kernel, so the same
 * inputs, sizes and check, and an empty kernel as its one launch. This program is linked so that
 * launches of libcured go through it (--wrap of the linker): where the empty kernel would be
 * launched, the library is called with its arguments and the stream. Flush, hold, events, overhead
 * and samples are those of any other cell. */
#include <cuda_runtime_api.h>
#include <cured.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "kernel/program/cured-program-internal.h"
#include "measure/cured-measure-internal.h"
#include "run/cured-search-internal.h"
#include "store/cured-store-internal.h"

/* What the entries of peers begin with. */
#define PEER_PREFIX "peer_"

#define DEFAULT_ROUNDS 7

/* The number of best cells that are looked at again. */
#define FINALISTS 6

/* The chip whose limits a dry run uses. */
#define DRY_ARCH "sm_90"

/* Of one cell of the search for the best parameters, and of one round; slow kernels have fewer
 * samples. */
#define SEARCH_SAMPLES 15
#define SEARCH_S       0.1
#define ROUND_SAMPLES  60
#define ROUND_S        0.3

typedef int (*PeersRun) (const char *name, void **arguments, void *stream);
typedef const char *(*PeersGetVersion) (void);

static PeersRun peers_run;
static GHashTable *peer_entries; /* (element-type cudaKernel_t utf8) */

/* -- launches -- */

cudaError_t __real_cudaLibraryGetKernel (cudaKernel_t *kernel, cudaLibrary_t library,
                                         const char *name);
cudaError_t __wrap_cudaLibraryGetKernel (cudaKernel_t *kernel, cudaLibrary_t library,
                                         const char *name);
cudaError_t __real_cudaLaunchKernel (const void *function, dim3 grid, dim3 block, void **arguments,
                                     size_t shared, cudaStream_t stream);
cudaError_t __wrap_cudaLaunchKernel (const void *function, dim3 grid, dim3 block, void **arguments,
                                     size_t shared, cudaStream_t stream);

/* Remembers which kernels represent peers. A handle may come again for another kernel after its
 * library was unloaded. */
cudaError_t
__wrap_cudaLibraryGetKernel (cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
  cudaError_t result = __real_cudaLibraryGetKernel (kernel, library, name);

  if (result == cudaSuccess && g_str_has_prefix (name, PEER_PREFIX))
    g_hash_table_insert (peer_entries, *kernel, g_strdup (name + strlen (PEER_PREFIX)));
  else if (result == cudaSuccess)
    g_hash_table_remove (peer_entries, *kernel);
  return result;
}

cudaError_t
__wrap_cudaLaunchKernel (const void *function, dim3 grid, dim3 block, void **arguments,
                         size_t shared, cudaStream_t stream)
{
  const char *peer = g_hash_table_lookup (peer_entries, function);

  if (peer == NULL)
    return __real_cudaLaunchKernel (function, grid, block, arguments, shared, stream);
  return peers_run (peer, arguments, stream) == 0 ? cudaSuccess : cudaErrorLaunchFailure;
}

/* -- works -- */

typedef enum
{
  SIDE_CURED,
  SIDE_PEER,
  N_SIDES
} Side;

/* One side of a comparison: a kernel file at one point. */
typedef struct
{
  CuredKernel *kernel;
  gint64 *values;
  GPtrArray *outcomes; /* (element-type CuredOutcome): one a round */
  double time_ns;      /* median of the rounds' medians */
  double rate;         /* in the work's metric */
} Contender;

typedef struct
{
  char *id;
  char *title;
  char *peer;               /* as the library calls it */
  char *note;               /* nullable */
  gboolean is_checked;      /* Cured's output against the reference */
  gboolean is_peer_checked; /* and the peer's */
  double target;
  double aim;         /* NaN: none beyond the target */
  double target_rate; /* NaN: the target is a ratio */
  CuredMetric metric; /* the rate that is compared */
  Contender sides[N_SIDES];
  double ratio; /* Cured's rate over the peer's: median of the rounds' */
  double ratio_low;
  double ratio_high;
  char *failure; /* nullable: why there are no numbers */
} Work;

static void
work_free (gpointer data)
{
  Work *self = data;

  for (int i = 0; i < N_SIDES; i++)
    {
      Contender *side = &self->sides[i];

      g_clear_pointer (&side->kernel, cured_kernel_unref);
      g_clear_pointer (&side->outcomes, g_ptr_array_unref);
      g_free (side->values);
    }
  g_free (self->id);
  g_free (self->title);
  g_free (self->peer);
  g_free (self->note);
  g_free (self->failure);
  g_free (self);
}

/* A kernel file that has @kernel's parameters, buffers and check, and one launch: of @peer, with
 * the arguments @call. @bytes (nullable) takes the place of what the header says. */
static CuredKernel *
make_peer (CuredKernel *kernel, const char *peer, const char *call, const char *bytes,
           GError **error)
{
  g_autoptr (GString) header = g_string_new (NULL);
  g_autofree char *id = g_strconcat (PEER_PREFIX, peer, NULL);
  g_auto (GStrv) lines = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_kept = FALSE;

  /* It opens the file, and may close it. */
  for (const char *at = strstr (kernel->source, "/*! cured"); at != NULL;
       at = strstr (at, "/*! cured"))
    {
      const char *end = strstr (at, "*/");

      at = strchr (at, '\n');
      g_string_append_len (header, at, end - at);
    }
  lines = g_strsplit (header->str, "\n", -1);
  g_string_append (text, "/*! cured\n");
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      const char *line = lines[i] + strspn (lines[i], " *");

      if (*line == '[')
        is_kept = g_str_has_prefix (line, "[Kernel]") || g_str_has_prefix (line, "[Parameter ") ||
                  g_str_has_prefix (line, "[Buffer ") || g_str_has_prefix (line, "[Check]");
      if (!is_kept || *line == '\0' || g_str_has_prefix (line, "Options=") ||
          g_str_has_prefix (line, "Defect=") ||
          (bytes != NULL && g_str_has_prefix (line, "Bytes=")))
        continue;
      if (g_str_has_prefix (line, "Title="))
        g_string_append_printf (text, "Title=%s\n", peer);
      else if (!g_str_has_prefix (line, "Summary=") || strstr (text->str, "[Parameter ") != NULL)
        g_string_append_printf (text, "%s\n", line);
      if (g_str_has_prefix (line, "[Kernel]") && bytes != NULL)
        g_string_append_printf (text, "Bytes=%s\n", bytes);
    }
  g_string_append_printf (text,
                          "[Launch]\n"
                          "Entry=%s%s\n"
                          "Grid=1\n"
                          "Block=1\n"
                          "Arguments=%s\n"
                          "*/\n"
                          "extern \"C\" __global__ void %s%s () {}\n",
                          PEER_PREFIX, peer, call, PEER_PREFIX, peer);
  return cured_kernel_new_from_text (text->str, id, NULL, error);
}

/* The axes of @text, NAME=AXIS with spaces between, over the kernel file's own sweep. */
static CuredSpec *
make_spec (CuredKernel *kernel, const char *text, gboolean is_swept, GError **error)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", " ", -1);

  if (is_swept)
    {
      cured_spec_use_default_sweep (spec);
      cured_spec_use_one_problem (spec);
    }
  for (gsize i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0' && !cured_spec_parse_axis (spec, words[i], error))
      return NULL;
  return g_steal_pointer (&spec);
}

static void
init_options (CuredOptions *options, guint samples, double seconds, gboolean check)
{
  options->min_samples = samples;
  options->max_samples = samples;
  options->sampling_s = seconds;
  options->limit_s = 600;
  options->hot = FALSE;
  options->check = check;
}

/* One cell. FALSE: the device is of no more use. */
static gboolean
measure_cell (CuredDevice *device, CuredPlan *plan, gint64 cell, CuredOutcome *outcome,
              GError **error)
{
  CuredSpec *spec = cured_plan_get_spec (plan);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  gsize n_parameters;
  g_autofree gint64 *values = NULL;
  CuredJob job = {
    .kernel = kernel,
    .options = cured_spec_get_options (spec),
  };

  n_parameters = kernel->n_parameters;
  values = g_new0 (gint64, n_parameters + 1);
  cured_plan_get_values (plan, cell, values);
  job.values = values;
  if (outcome != NULL)
    return cured_measure (device, &job, outcome, NULL, error);
  cured_prepare (device, &job);
  return TRUE;
}

/* The best cell of @plan: searched for with a few samples per cell; those that these can't tell
 * from it are looked at again with more. -1: none runs. */
static gint64
search_best (CuredDevice *device, CuredPlan *plan, double *time_ns, GError **error)
{
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (plan));
  g_autoptr (CuredSearch) search =
      cured_search_new_for_plan (plan, CURED_METRIC_time, options->seed);
  g_autoptr (GArray) alike = NULL;
  CuredSearchReport report;
  double best_ns = CURED_MISSING;
  gint64 best = -1;
  gint64 cell;

  init_options (options, SEARCH_SAMPLES, SEARCH_S, FALSE);
  while (cured_search_next (search, &cell))
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      gint64 ahead;

      for (guint i = 0; cured_search_peek (search, i, &ahead); i++)
        measure_cell (device, plan, ahead, NULL, NULL);
      if (!measure_cell (device, plan, cell, outcome, error))
        return -1;
      cured_search_add_outcome (search, cell, outcome);
    }
  cured_search_get_report (search, &report);
  if (report.best < 0)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID, "no cell of %s ran",
                   cured_spec_get_kernel (cured_plan_get_spec (plan))->id);
      return -1;
    }
  alike = cured_search_list_alike (search);
  g_array_prepend_val (alike, report.best);
  init_options (options, ROUND_SAMPLES, ROUND_S, FALSE);
  for (guint i = 0; i < MIN (alike->len, FINALISTS); i++)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      cell = g_array_index (alike, gint64, i);
      if (!measure_cell (device, plan, cell, outcome, error))
        return -1;
      if (outcome->state == CURED_STATE_OK && !(outcome->metrics[CURED_METRIC_time] >= best_ns))
        {
          best_ns = outcome->metrics[CURED_METRIC_time];
          best = cell;
        }
    }
  g_print ("         searched %s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
           " cells, %u of %u descents agree\n",
           cured_spec_get_kernel (cured_plan_get_spec (plan))->id, report.n_visited, report.n_cells,
           report.n_agreeing, report.n_descents);
  return best;
}

/* Leaves the values of the best cell of @spec and its time; without a device, of any cell. */
static gboolean
find_best (CuredDevice *device, const CuredLimits *limits, CuredSpec *spec, gint64 **values,
           double *time_ns, GError **error)
{
  g_autoptr (CuredPlan) plan = cured_plan_new (spec, limits, error);
  gint64 best;
  gsize n_parameters;

  if (plan == NULL)
    return FALSE;
  if (cured_plan_get_n_launchable (plan) == 0)
    {
      g_set_error_literal (error, CURED_ERROR, CURED_ERROR_INVALID,
                           cured_plan_get_reason (plan, 0));
      return FALSE;
    }
  *time_ns = CURED_MISSING;
  best = cured_plan_get_ordered (plan, 0);
  if (device != NULL)
    best = search_best (device, plan, time_ns, error);
  if (best < 0)
    return FALSE;
  n_parameters = cured_spec_get_kernel (spec)->n_parameters;
  *values = g_new0 (gint64, n_parameters + 1);
  cured_plan_get_values (plan, best, *values);
  return TRUE;
}

static double
get_double (GKeyFile *file, const char *group, const char *key)
{
  g_autoptr (GError) error = NULL;
  double value = g_key_file_get_double (file, group, key, &error);

  return error == NULL ? value : CURED_MISSING;
}

static char *
get_string (GKeyFile *file, const char *group, const char *key)
{
  return g_key_file_get_string (file, group, key, NULL);
}

/* Values of the one cell of @text, for a peer, which has nothing to search. */
static gboolean
set_values (Contender *side, const char *text, const CuredLimits *limits, GError **error)
{
  g_autoptr (CuredSpec) spec = make_spec (side->kernel, text, FALSE, error);
  gsize n_parameters;

  if (spec == NULL)
    return FALSE;
  n_parameters = side->kernel->n_parameters;
  side->values = g_new0 (gint64, n_parameters + 1);
  for (gsize i = 0; i < n_parameters; i++)
    side->values[i] = cured_axis_get_value (cured_spec_get_axis (spec, i), 0);
  return cured_program_check (side->kernel, side->values, limits, error);
}

/* Of the kernels that @names has, the one that is fastest at its best; one that can't be launched
 * on this problem is left out while another can. Other kernels are in
 * @folder. */
static gboolean
choose_kernel (Contender *side, const char *names, const char *values, const char *folder,
               CuredDevice *device, const CuredLimits *limits, GError **error)
{
  g_auto (GStrv) words = g_strsplit (names, " ", -1);
  double best_ns = CURED_MISSING;
  g_autoptr (GError) refusal = NULL;

  for (gsize i = 0; words[i] != NULL; i++)
    {
      g_autoptr (GError) problem = NULL;
      g_autofree char *path = g_str_has_suffix (words[i], ".cu")
                                  ? g_build_filename (folder, words[i], NULL)
                                  : g_strdup (words[i]);
      g_autoptr (CuredKernel) kernel = cured_catalogue_load (path, error);
      g_autoptr (CuredSpec) spec = NULL;
      g_autofree gint64 *found = NULL;
      double time_ns;

      if (kernel == NULL)
        return FALSE;
      spec = make_spec (kernel, values, TRUE, error);
      if (spec == NULL)
        {
          g_prefix_error (error, "%s: ", words[i]);
          return FALSE;
        }
      if (!find_best (device, limits, spec, &found, &time_ns, &problem))
        {
          g_prefix_error (&problem, "%s: ", words[i]);
          if (!g_error_matches (problem, CURED_ERROR, CURED_ERROR_INVALID))
            {
              g_propagate_error (error, g_steal_pointer (&problem));
              return FALSE;
            }
          g_clear_error (&refusal);
          refusal = g_steal_pointer (&problem);
          continue;
        }
      if (side->kernel != NULL && !(time_ns < best_ns))
        continue;
      best_ns = time_ns;
      g_clear_pointer (&side->kernel, cured_kernel_unref);
      g_free (side->values);
      side->kernel = g_steal_pointer (&kernel);
      side->values = g_steal_pointer (&found);
    }
  if (side->kernel == NULL)
    g_propagate_error (error, g_steal_pointer (&refusal));
  return side->kernel != NULL;
}

/* Reads what is to be compared; finds the parameters of Cured's side. A peer that is a kernel file
 * is in @folder. */
static gboolean
prepare (Work *self, GKeyFile *file, const char *folder, CuredDevice *device,
         const CuredLimits *limits, GError **error)
{
  g_autofree char *kernels = get_string (file, self->id, "Kernel");
  g_autofree char *values = get_string (file, self->id, "Values");
  g_autofree char *call = get_string (file, self->id, "Call");
  g_autofree char *bytes = get_string (file, self->id, "PeerBytes");
  g_autofree char *peer_values = get_string (file, self->id, "PeerValues");
  g_autofree char *unchecked = get_string (file, self->id, "Unchecked");
  Contender *cured = &self->sides[SIDE_CURED];
  Contender *peer = &self->sides[SIDE_PEER];

  if (kernels == NULL || self->peer == NULL || self->title == NULL)
    {
      g_set_error_literal (error, CURED_ERROR, CURED_ERROR_INVALID,
                           "needs Title=, Kernel= and Peer=");
      return FALSE;
    }
  self->is_checked = g_strcmp0 (unchecked, "both") != 0;
  self->is_peer_checked = unchecked == NULL;
  if (!choose_kernel (cured, kernels, values, folder, device, limits, error))
    return FALSE;
  self->metric =
      cured->kernel->ceiling == CURED_CEILING_FP32 ||
              (cured->kernel->ceiling == CURED_CEILING_NONE && cured->kernel->flops != NULL)
          ? CURED_METRIC_flop_rate
          : CURED_METRIC_bandwidth;

  if (call == NULL)
    return choose_kernel (peer, self->peer, peer_values, folder, device, limits, error);
  peer->kernel = make_peer (cured->kernel, self->peer, call, bytes, error);
  return peer->kernel != NULL &&
         set_values (peer, peer_values != NULL ? peer_values : values, limits, error);
}

static gboolean
measure (CuredDevice *device, Contender *side, gboolean check, GError **error)
{
  g_auto (CuredOptions) options = { 0 };
  CuredJob job = {
    .kernel = side->kernel,
    .values = side->values,
    .options = &options,
  };
  CuredOutcome *outcome = cured_outcome_new ();

  cured_options_init (&options);
  init_options (&options, ROUND_SAMPLES, ROUND_S, check);
  g_ptr_array_add (side->outcomes, outcome);
  if (!cured_measure (device, &job, outcome, NULL, error))
    return FALSE;
  if (outcome->state == CURED_STATE_OK)
    return TRUE;
  g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID, "%s is %s: %s", side->kernel->id,
               cured_state_to_string (outcome->state),
               outcome->reason != NULL ? outcome->reason : "?");
  if (outcome->mismatches->len > 0)
    {
      const CuredMismatch *first = g_ptr_array_index (outcome->mismatches, 0);

      g_prefix_error (error, "%s[%" G_GINT64_FORMAT "] is %s instead of %s: ", first->buffer,
                      first->index, first->got, first->expected);
    }
  return FALSE;
}

static double
get_metric (const Contender *side, guint round, CuredMetric metric)
{
  const CuredOutcome *outcome = g_ptr_array_index (side->outcomes, round);

  return outcome->metrics[metric];
}

/* The rounds: the peer, Cured, the peer, Cured … Outputs are checked in the first one. */
static gboolean
compare (Work *self, CuredDevice *device, guint n_rounds, GError **error)
{
  g_autofree double *ratios = g_new (double, n_rounds);
  g_autofree double *times = g_new (double, n_rounds);
  CuredStatistics statistics;

  for (int i = 0; i < N_SIDES; i++)
    self->sides[i].outcomes = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_outcome_free);
  for (guint round = 0; round < n_rounds; round++)
    if (!measure (device, &self->sides[SIDE_PEER], round == 0 && self->is_peer_checked, error) ||
        !measure (device, &self->sides[SIDE_CURED], round == 0 && self->is_checked, error))
      return FALSE;

  for (int i = 0; i < N_SIDES; i++)
    {
      Contender *side = &self->sides[i];

      for (guint round = 0; round < n_rounds; round++)
        times[round] = get_metric (side, round, CURED_METRIC_time);
      cured_statistics_init (&statistics, times, n_rounds);
      side->time_ns = statistics.median;
      side->rate = get_metric (side, 0, self->metric) * get_metric (side, 0, CURED_METRIC_time) /
                   side->time_ns;
    }
  for (guint round = 0; round < n_rounds; round++)
    ratios[round] = get_metric (&self->sides[SIDE_CURED], round, self->metric) /
                    get_metric (&self->sides[SIDE_PEER], round, self->metric);
  cured_statistics_init (&statistics, ratios, n_rounds);
  self->ratio = statistics.median;
  self->ratio_low = statistics.min;
  self->ratio_high = statistics.max;
  return TRUE;
}

/* -- what people read -- */

static char *
describe_values (const Contender *side)
{
  const CuredParameter *parameters = side->kernel->parameters;
  gsize n_parameters = side->kernel->n_parameters;
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; side->values != NULL && i < n_parameters; i++)
    {
      g_autofree char *value = cured_axis_value_to_string (parameters[i].values, side->values[i]);

      g_string_append_printf (text, "%s%s=%s", i > 0 ? " " : "", parameters[i].name, value);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static const char *
get_unit (const Work *self)
{
  return cured_metric_info (self->metric)->unit;
}

static gboolean
is_met (const Work *self)
{
  return isnan (self->target_rate) ? self->ratio >= self->target
                                   : self->sides[SIDE_CURED].rate >= self->target_rate;
}

static char *
describe_target (const Work *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (!isnan (self->target_rate))
    {
      g_autofree char *rate = cured_format_quantity (self->target_rate, get_unit (self));

      g_string_append_printf (text, "%s", rate);
    }
  else
    g_string_append_printf (text, "%.2f", self->target);
  if (!isnan (self->aim))
    g_string_append_printf (text, " (aim %.2f)", self->aim);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
append_row (GString *text, const Work *self)
{
  g_autofree char *target = describe_target (self);
  g_autofree char *values = NULL;

  if (self->failure != NULL || self->sides[SIDE_PEER].outcomes == NULL)
    {
      g_string_append_printf (text, "| %s | | | | %s | | | | %s | no: %s |\n", self->title,
                              self->peer, target,
                              self->failure != NULL ? self->failure : "not measured");
      return;
    }
  values = describe_values (&self->sides[SIDE_CURED]);
  g_string_append_printf (text, "| %s%s ", self->title,
                          !self->is_checked        ? " **"
                          : !self->is_peer_checked ? " *"
                                                   : "");
  for (int i = 0; i < N_SIDES; i++)
    {
      const Contender *side = &self->sides[i];
      g_autofree char *time = cured_format_quantity (side->time_ns, "ns");
      g_autofree char *rate = cured_format_quantity (side->rate, get_unit (self));

      if (i == SIDE_CURED)
        g_string_append_printf (text, "| `%s` %s ", side->kernel->id, values);
      else
        g_string_append_printf (
            text, "| %s ",
            g_str_has_prefix (side->kernel->id, PEER_PREFIX) ? self->peer : side->kernel->id);
      g_string_append_printf (text, "| %s | %s ", time, rate);
    }
  g_string_append_printf (text, "| %.3f (%.3f–%.3f) | %s | %s |\n", self->ratio, self->ratio_low,
                          self->ratio_high, target, is_met (self) ? "yes" : "no");
}

static char *
make_page (GPtrArray *works, const CuredDeviceInfo *info, const char *version, const char *command,
           guint n_rounds)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%d");

  g_string_append_printf (
      text,
      "# Cured beside its peers\n"
      "\n"
      "Made by `%s` on %s: %s, driver %s, %s, %s; %s.\n"
      "\n"
      "Both sides run in one process and take turns, the peer first: %u rounds of up to %d samples "
      "each. They get the same inputs, and both outputs are checked against the same reference; of "
      "works with a *, only Cured's output is checked, and of those with **, neither is checked "
      "here. A time is the median of the rounds' medians, each of single runs with a flushed L2 "
      "cache, less the event overhead: [measuring.md](measuring.md). Rates count the bytes or "
      "operations that the problem needs. The last columns are Cured's rate over the peer's (the "
      "median of the rounds, with their minimum and maximum), the target, and whether it is met. "
      "Cured's parameters are the best that a search of the kernel file's own sweep found.\n"
      "\n"
      "| work | Cured | time | rate | peer | time | rate | Cured / peer | target | met |\n"
      "|---|---|--:|--:|---|--:|--:|--:|--:|---|\n",
      command, date, info->name, info->driver, info->runtime, info->compiler, version, n_rounds,
      ROUND_SAMPLES);
  for (guint i = 0; i < works->len; i++)
    append_row (text, g_ptr_array_index (works, i));
  for (guint i = 0; i < works->len; i++)
    {
      const Work *work = g_ptr_array_index (works, i);

      if (work->note != NULL)
        g_string_append_printf (text, "\n%s: %s\n", work->title, work->note);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* -- kept results -- */

/* A result file is about one kernel. This one's parameters are the work, the side and the round; it
 * does nothing, and its comment is the table. */
static CuredKernel *
make_table (GPtrArray *works, guint n_rounds, const char *page, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (guint i = 0; i < works->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? "," : "",
                            ((Work *) g_ptr_array_index (works, i))->id);
  text = g_strdup_printf (
      "/*! cured\n"
      "[Kernel]\n"
      "Title=Cured beside its peers\n"
      "[Parameter work]\n"
      "Kind=problem\n"
      "Values=0..%u\n"
      "Names=%s\n"
      "Default=0\n"
      "Summary=what is done\n"
      "[Parameter side]\n"
      "Kind=problem\n"
      "Values=0..1\n"
      "Names=cured,peer\n"
      "Default=0\n"
      "Summary=whose kernel does it\n"
      "[Parameter round]\n"
      "Kind=problem\n"
      "Values=1..%u\n"
      "Default=1\n"
      "Summary=both sides take turns\n"
      "[Require a program]\n"
      "If=0\n"
      "Reason=both sides are programs of their own, which this file does not have\n"
      "[Launch]\n"
      "Entry=peers\n"
      "Grid=1\n"
      "Block=1\n"
      "[Sweep]\n"
      "X=side\n"
      "Y=work\n"
      "work=0..%u\n"
      "side=0..1\n"
      "round=1..%u\n"
      "*/\n"
      "/*\n%s*/\n"
      "extern \"C\" __global__ void\n"
      "peers ()\n"
      "{\n"
      "}\n",
      works->len - 1, names->str, n_rounds, works->len - 1, n_rounds, page);
  return cured_kernel_new_from_text (text, "peers", NULL, error);
}

static gboolean
write_result (GPtrArray *works, const CuredDeviceInfo *info, guint n_rounds, const char *page,
              const char *path, GError **error)
{
  g_autoptr (CuredKernel) kernel = make_table (works, n_rounds, page, error);
  g_autoptr (CuredSpec) spec = NULL;
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredStore) store = NULL;

  if (kernel == NULL)
    return FALSE;
  spec = cured_spec_new (kernel);
  cured_spec_use_default_sweep (spec);
  init_options (cured_spec_get_options (spec), ROUND_SAMPLES, ROUND_S, TRUE);
  plan = cured_plan_new (spec, &info->limits, error);
  if (plan == NULL)
    return FALSE;
  store = cured_store_create (path, plan, info, TRUE, error);
  if (store == NULL || !cured_store_begin_batch (store, error))
    return FALSE;
  for (guint i = 0; i < works->len; i++)
    for (guint side = 0; side < N_SIDES; side++)
      {
        const Work *work = g_ptr_array_index (works, i);
        GPtrArray *outcomes = work->sides[side].outcomes;

        for (guint round = 0; outcomes != NULL && round < outcomes->len; round++)
          if (!cured_store_append (store, (gint64) (i * N_SIDES + side) * n_rounds + round,
                                   g_ptr_array_index (outcomes, round), error))
            return FALSE;
      }
  return cured_store_end_batch (store, error) && cured_store_finish (store, error);
}

/* -- */

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredDeviceInfo, cured_device_info_clear)

static gboolean
load_library (const char *path, const char **version, GError **error)
{
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  PeersGetVersion get_version;

  if (library != NULL)
    {
      *(void **) &peers_run = dlsym (library, "peers_run");
      *(void **) &get_version = dlsym (library, "peers_get_version");
      if (peers_run != NULL && get_version != NULL)
        {
          *version = get_version ();
          return TRUE;
        }
    }
  g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND, "%s: %s", path, dlerror ());
  return FALSE;
}

static gboolean
is_wanted (const char *id, char **wanted)
{
  return wanted == NULL || g_strv_contains ((const char *const *) wanted, id);
}

static gboolean
run (const char *works_path, const char *version, const char *command, guint n_rounds,
     char **wanted, const char *result_path, const char *page_path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (CuredDevice) device = NULL;
  g_autoptr (GPtrArray) works = g_ptr_array_new_with_free_func (work_free);
  g_auto (GStrv) groups = NULL;
  g_autofree char *folder = g_path_get_dirname (works_path);
  g_autofree char *page = NULL;
  g_auto (CuredDeviceInfo) dry_info = { 0 };
  const CuredDeviceInfo *info = &dry_info;
  guint n_failed = 0;

  cured_device_info_init (&dry_info);
  if (!g_key_file_load_from_file (file, works_path, G_KEY_FILE_NONE, error))
    return FALSE;
  if (peers_run != NULL)
    {
      device = cured_device_open ("cuda:0", error);
      if (device == NULL)
        return FALSE;
      info = cured_device_get_info (device);
    }
  else
    dry_info.limits = cured_profile_find (DRY_ARCH)->limits;
  groups = g_key_file_get_groups (file, NULL);
  for (gsize i = 0; groups[i] != NULL; i++)
    {
      Work *work;
      g_autoptr (GError) problem = NULL;
      g_autoptr (GString) row = g_string_new (NULL);
      gint64 began_us = g_get_monotonic_time ();

      if (!is_wanted (groups[i], wanted))
        continue;
      work = g_new0 (Work, 1);
      g_ptr_array_add (works, work);
      work->id = g_strdup (groups[i]);
      work->title = get_string (file, groups[i], "Title");
      work->peer = get_string (file, groups[i], "Peer");
      work->note = get_string (file, groups[i], "Note");
      work->target = get_double (file, groups[i], "Target");
      work->aim = get_double (file, groups[i], "Aim");
      work->target_rate = get_double (file, groups[i], "TargetRate");
      if (!prepare (work, file, folder, device, &info->limits, &problem) ||
          (device != NULL && !compare (work, device, n_rounds, &problem)))
        {
          n_failed++;
          work->failure = g_strdup (problem->message);
          g_strdelimit (work->failure, "|\n", ' ');
          if (g_error_matches (problem, CURED_ERROR, CURED_ERROR_STICKY))
            {
              g_propagate_error (error, g_steal_pointer (&problem));
              return FALSE;
            }
        }
      if (device == NULL)
        {
          g_print ("%s: %s\n", work->id, work->failure != NULL ? work->failure : "ok");
          continue;
        }
      append_row (row, work);
      g_print ("%6.1f s %s", (double) (g_get_monotonic_time () - began_us) / 1e6, row->str);
    }
  if (works->len == 0)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND, "%s has no such work", works_path);
      return FALSE;
    }
  page = make_page (works, info, version, command, n_rounds);
  if ((page_path != NULL && !g_file_set_contents (page_path, page, -1, error)) ||
      (result_path != NULL && !write_result (works, info, n_rounds, page, result_path, error)))
    return FALSE;
  if (n_failed == 0)
    return TRUE;
  g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID, "%u of %u works have no numbers", n_failed,
               works->len);
  return FALSE;
}

/* As it is, in whatever locale: what is printed is UTF-8, as the page is. */
static void
print_raw (const char *text)
{
  fputs (text, stdout);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  int n_rounds = DEFAULT_ROUNDS;
  g_autofree char *result_path = NULL;
  g_autofree char *page_path = NULL;
  g_autofree char *command = NULL;
  gboolean is_dry = FALSE;
  g_auto (GStrv) rest = NULL;
  const GOptionEntry entries[] = {
    { "dry-run", 0, 0, G_OPTION_ARG_NONE, &is_dry, "Measure nothing", NULL },
    { "rounds", 0, 0, G_OPTION_ARG_INT, &n_rounds, "Rounds", "N" },
    { "result", 0, 0, G_OPTION_ARG_FILENAME, &result_path, "Result file to write", "FILE" },
    { "markdown", 0, 0, G_OPTION_ARG_FILENAME, &page_path, "Page to write", "FILE" },
    { "command", 0, 0, G_OPTION_ARG_STRING, &command, "What the page says it was made by", "TEXT" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, NULL, "LIBRARY WORKS [WORK…]" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  const char *version = NULL;
  guint n_words;

  peer_entries = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, g_free);
  g_set_print_handler (print_raw);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("peers: %s\n", error->message);
      return 2;
    }
  n_words = is_dry ? 1 : 2;
  if (rest == NULL || g_strv_length (rest) < n_words || n_rounds < 1)
    {
      g_printerr ("peers: wants LIBRARY and WORKS, and 1 round at least\n");
      return 2;
    }
  if ((!is_dry && !load_library (rest[0], &version, &error)) ||
      !run (rest[n_words - 1], version, command != NULL ? command : "lab/measure-peers",
            (guint) n_rounds, rest[n_words] != NULL ? rest + n_words : NULL, result_path, page_path,
            &error))
    {
      g_printerr ("peers: %s\n", error->message);
      return 1;
    }
  return 0;
}
