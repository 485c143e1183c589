/* SPDX-License-Identifier: MIT
 * One cell on one device: what is checked, timed, derived and reported. */
#include <cured.h>
#include <math.h>
#include <string.h>

#include "fake-device.h"
#include "device/cured-device-internal.h"
#include "make-result.h"
#include "test.h"

static CuredDevice *
open_fake (const char *faults)
{
  g_setenv ("CURED_FAKE", faults, TRUE);
  return MUST (fake_device_open ("fake:0", &fail));
}

/* Defaults, but for one assignment; a small problem and few samples. */
static gboolean
measure_with (CuredDevice *device, CuredKernel *kernel, const char *assignment,
              const CuredOptions *options, CuredOutcome *outcome, GCancellable *cancellable,
              GError **error)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  CuredJob job = { .kernel = kernel, .options = options };
  g_autoptr (GError) problem = NULL;

  if (assignment != NULL)
    cured_spec_parse_axis (spec, assignment, &problem);
  g_assert_no_error (problem);
  if (assignment == NULL || !g_str_has_prefix (assignment, "n="))
    cured_spec_parse_axis (spec, "n=1000", &problem);
  g_assert_no_error (problem);
  gsize n_parameters = kernel->n_parameters;
  g_autofree gint64 *values = g_new0 (gint64, n_parameters);
  for (gsize i = 0; i < n_parameters; i++)
    values[i] = cured_axis_get_value (cured_spec_get_axis (spec, i), 0);
  job.values = values;
  return cured_measure (device, &job, outcome, cancellable, error);
}

static guint scripted_rounds; /* that a cell is expected to have */
static guint scripted_least;  /* samples of a round; 0: the default */

static CuredOutcome *
measure (CuredDevice *device, const char *id, const char *assignment)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_load (id, &fail));
  CuredOutcome *outcome = cured_outcome_new ();
  g_auto (CuredOptions) options;

  cured_options_init (&options);
  options.rounds = scripted_rounds;
  if (scripted_least > 0)
    options.min_samples = scripted_least;
  MUST (measure_with (device, kernel, assignment, &options, outcome, NULL, &fail));
  return outcome;
}

TEST ("/measure/ok")
{
  g_autoptr (CuredDevice) device = open_fake ("");
  g_autoptr (CuredOutcome) outcome = measure (device, "reduce/two-launch", "blocks=24");
  const double *metrics = outcome->metrics;

  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_null (outcome->reason);
  g_assert_cmpuint (outcome->n_mismatches, ==, 0);
  g_assert_cmpuint (outcome->cold->samples->len, >=, 4);
  g_assert_cmpuint (outcome->cold->runs, ==, 1);
  g_assert_cmpuint (outcome->hot->runs, >, 1);
  g_assert_cmpfloat (metrics[CURED_METRIC_time], >, 0);
  /* The fake's hot runs take four fifths of its cold ones. Its overhead is in both spans, and has
   * to be out of both times. */
  g_assert_cmpfloat_with_epsilon (metrics[CURED_METRIC_time_hot] / metrics[CURED_METRIC_time], 0.8,
                                  0.002);
  g_assert_cmpfloat_with_epsilon (metrics[CURED_METRIC_bandwidth],
                                  4 * 1000 / metrics[CURED_METRIC_time] * 1e9, 1);
  /* The fake reads 1 TB/s. */
  g_assert_cmpfloat_with_epsilon (metrics[CURED_METRIC_of_ceiling],
                                  metrics[CURED_METRIC_bandwidth] / 1e12, 1e-9);
  g_assert_cmpfloat (metrics[CURED_METRIC_registers], ==, 32);
  g_assert_cmpfloat (metrics[CURED_METRIC_grid_blocks], ==, 24);
  g_assert_cmpfloat (metrics[CURED_METRIC_occupancy], ==, 1);
  g_assert_true (isnan (metrics[CURED_METRIC_compile_time]));
}

/* Setup of each run is outside of the runs of a span. */
TEST ("/measure/setup")
{
  static const char text[] = "/*! cured\n[Kernel]\nTitle=In place\n"
                             "[Parameter n]\nKind=problem\nDefault=1000\n"
                             "[Buffer work]\nType=u32\nLength=n\nFill=uniform\n"
                             "[Constant mask]\nType=u32\nLength=4\nFill=uniform\n"
                             "[Launch 1]\nMemset=work\nValue=0\nSetup=%s\n"
                             "[Launch 2]\nEntry=k\nGrid=1\nBlock=32\nArguments=work,n\n*/\n";
  static const char *const setups[] = { "once", "each" };

  for (gsize i = 0; i < G_N_ELEMENTS (setups); i++)
    {
      g_autoptr (CuredDevice) device = open_fake ("");
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      g_autoptr (GString) source = g_string_new (text);
      g_auto (CuredOptions) options;

      g_string_replace (source, "%s", setups[i], 1);
      g_autoptr (CuredKernel) kernel =
          MUST (cured_kernel_new_from_text (source->str, "k", NULL, &fail));
      g_assert_cmpint (kernel->steps[0].setup, ==, i == 0 ? CURED_SETUP_ONCE : CURED_SETUP_EACH);
      g_assert_cmpint (kernel->steps[1].setup, ==, CURED_SETUP_NO);
      cured_options_init (&options);
      MUST (measure_with (device, kernel, NULL, &options, outcome, NULL, &fail));
      g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
      if (i == 0)
        g_assert_cmpuint (outcome->hot->runs, >, 1);
      else
        g_assert_cmpuint (outcome->hot->runs, ==, 1);
    }
}

/* The median of the written elements, by Per; the odd ones stay unwritten. */
TEST ("/measure/cycles")
{
  static const char text[] = "/*! cured\n"
                             "[Kernel]\nTitle=Clock\n"
                             "[Parameter n]\nKind=problem\nDefault=1000\n"
                             "[Parameter blocks]\nKind=launch\nDefault=6\n"
                             "[Buffer ticks]\nType=u32\nLength=blocks\nFill=poison\n"
                             "[Launch]\nEntry=clock\nGrid=blocks\nBlock=1\nArguments=ticks,n\n"
                             "[Cycles]\nBuffer=ticks\nPer=n/10\n"
                             "*/\n";
  g_autoptr (CuredDevice) device = open_fake ("");
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "clock", NULL, &fail));
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (CuredOutcome) without = measure (device, "vector/add", "blocks=8");
  g_auto (CuredOptions) options;

  cured_options_init (&options);
  MUST (measure_with (device, kernel, NULL, &options, outcome, NULL, &fail));
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpfloat_with_epsilon (outcome->metrics[CURED_METRIC_cycles], 10.02, 1e-9);
  g_assert_true (isnan (without->metrics[CURED_METRIC_cycles]));
}

TEST ("/measure/wrong")
{
  g_autoptr (CuredDevice) device = open_fake ("lie=7");
  g_autoptr (CuredOutcome) lie = measure (device, "vector/add", "blocks=7");
  g_autoptr (CuredOutcome) truth = measure (device, "vector/add", "blocks=8");

  g_assert_cmpint (lie->state, ==, CURED_STATE_WRONG);
  g_assert_cmpuint (lie->n_mismatches, ==, 1);
  g_assert_cmpuint (lie->mismatches->len, ==, 1);
  g_assert_true (isnan (lie->metrics[CURED_METRIC_time]));
  g_assert_null (lie->cold);
  g_assert_cmpint (truth->state, ==, CURED_STATE_OK);
}

TEST ("/measure/unchecked")
{
  g_autoptr (CuredDevice) device = open_fake ("lie=*");
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("vector/add", NULL);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_auto (CuredOptions) options;

  cured_options_init (&options);
  options.check = FALSE;
  options.hot = FALSE;
  MUST (measure_with (device, kernel, NULL, &options, outcome, NULL, &fail));
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_nonnull (outcome->cold);
  g_assert_null (outcome->hot);
  g_assert_true (isnan (outcome->metrics[CURED_METRIC_time_hot]));
}

TEST ("/measure/failed")
{
  g_autoptr (CuredDevice) device = open_fake ("fail=7");
  g_autoptr (CuredOutcome) bad = measure (device, "vector/add", "blocks=7");
  g_autoptr (CuredOutcome) good = measure (device, "vector/add", "blocks=8");

  g_assert_cmpint (bad->state, ==, CURED_STATE_FAILED);
  g_assert_nonnull (strstr (bad->reason, "as told"));
  g_assert_cmpint (good->state, ==, CURED_STATE_OK);
}

TEST ("/measure/sticky")
{
  g_autoptr (CuredDevice) device = open_fake ("sticky=7");
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("vector/add", NULL);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_auto (CuredOptions) options;

  cured_options_init (&options);
  FAILS (measure_with (device, kernel, "blocks=7", &options, outcome, NULL, &fail), CURED_ERROR,
         CURED_ERROR_STICKY, "");
  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
}

TEST ("/measure/not-launchable")
{
  g_autoptr (CuredDevice) device = open_fake ("");
  g_autoptr (CuredOutcome) none = measure (device, "vector/add", "n=0");
  g_autoptr (CuredOutcome) huge = measure (device, "vector/add", "n=3000000000");

  g_assert_cmpint (none->state, ==, CURED_STATE_NOT_LAUNCHABLE);
  g_assert_nonnull (strstr (none->reason, "no elements"));
  g_assert_cmpint (huge->state, ==, CURED_STATE_NOT_LAUNCHABLE);
  g_assert_nonnull (huge->reason);
}

TEST ("/measure/cancelled")
{
  g_autoptr (CuredDevice) device = open_fake ("");
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("vector/add", NULL);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (CuredOptions) options;

  cured_options_init (&options);
  g_cancellable_cancel (cancellable);
  FAILS (measure_with (device, kernel, NULL, &options, outcome, cancellable, &fail), G_IO_ERROR,
         G_IO_ERROR_CANCELLED, "");
  g_assert_cmpint (outcome->state, ==, CURED_STATE_NOT_RUN);
}

/* The reference may be another kernel, by id or by path. The one beside calls its grid otherwise:
 * the fake, which lies where `blocks` is 7, tells the truth there, and only the kernel under test
 * is wrong. */
TEST ("/measure/reference-kernel")
{
  static const char *const references[] = { "kernel:vector/add", "./add.cu" };
  g_autoptr (CuredKernel) add = cured_catalogue_get ("vector/add", NULL);
  const char *folder = test_folder ();
  g_autofree char *beside = g_build_filename (folder, "add.cu", NULL);
  g_autofree char *path = g_build_filename (folder, "mine.cu", NULL);
  g_autoptr (GString) other = g_string_new (add->source);

  g_assert_cmpuint (g_string_replace (other, "[Parameter blocks]", "[Parameter grid]", 0), ==, 1);
  g_string_replace (other, "=blocks", "=grid", 0);
  g_string_replace (other, " * blocks=", " * grid=", 0);
  g_string_replace (other, ",blocks=", ",grid=", 0);
  g_assert_true (g_file_set_contents (beside, other->str, -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (references); i++)
    {
      g_autoptr (CuredDevice) device = open_fake ("lie=7");
      g_autofree char *line = g_strconcat ("Reference=", references[i], NULL);
      g_autoptr (GString) source = g_string_new (add->source);

      g_assert_cmpuint (g_string_replace (source, "Reference=vector-add", line, 0), ==, 1);
      g_assert_true (g_file_set_contents (path, source->str, -1, NULL));
      g_autoptr (CuredOutcome) good = measure (device, path, "blocks=8");
      g_assert_cmpint (good->state, ==, CURED_STATE_OK);
      if (i == 1)
        {
          g_autoptr (CuredOutcome) bad = measure (device, path, "blocks=7");

          g_assert_cmpint (bad->state, ==, CURED_STATE_WRONG);
        }
    }
}

/* -- the sampler, on a device that says what a test wants -- */

static CuredDeviceClass scripted_class;
static double scripted_ns;
static double scripted_hz;
static double scripted_hot = 1; /* what a hot run takes of that */
static guint most_runs;
static guint n_spans;

static gboolean
scripted_span (CuredDevice *device, CuredModule *module, const CuredProgram *program,
               const CuredDevicePtr *bindings, CuredTimingMode mode, guint runs, CuredSpan *span,
               GError **error)
{
  if (n_spans == 0 && !device->klass->launch->run (device, module, program, bindings, error))
    return FALSE;
  most_runs = MAX (most_runs, runs);
  n_spans++;
  span->elapsed_ns = scripted_ns * (mode == CURED_TIMING_HOT ? scripted_hot : 1) * runs +
                     device->info.calibration.cold_overhead_ns;
  span->runs = runs;
  span->sm_clock_hz = scripted_hz;
  return TRUE;
}

static CuredOutcome *
measure_scripted (double ns, double hz)
{
  g_autoptr (CuredDevice) device = open_fake ("");

  scripted_class = *device->klass;
  scripted_class.span = scripted_span;
  device->klass = &scripted_class;
  scripted_ns = ns;
  scripted_hz = hz;
  n_spans = 0;
  most_runs = 0;
  return measure (device, "vector/add", NULL);
}

TEST ("/sampler/overhead")
{
  g_autoptr (CuredOutcome) outcome = measure_scripted (12345, 1.98e9);

  g_assert_cmpfloat_with_epsilon (outcome->metrics[CURED_METRIC_time], 12345, 1e-6);
  g_assert_cmpfloat_with_epsilon (outcome->metrics[CURED_METRIC_time_hot], 12345, 1e-6);
  g_assert_cmpint (outcome->cold->stop, ==, CURED_STOP_PRECISE);
}

/* Where a long program takes as long hot as it did cold, one sample of each says so, in each round of
 * several, unless more are asked for. */
TEST ("/sampler/hot-known")
{
  static const struct
  {
    double ns, hot;
    guint rounds, least;
    gboolean is_one_cold, is_one_hot;
  } rows[] = {
    { 5e6, 1, 2, 2, TRUE, TRUE },    { 5e6, 1.001, 2, 2, TRUE, TRUE },
    { 5e6, 0.9, 2, 2, TRUE, FALSE }, { 5e6, 1, 2, 8, FALSE, TRUE },
    { 5e6, 1, 1, 2, FALSE, FALSE },  { 1e6, 1, 2, 2, FALSE, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      scripted_rounds = rows[i].rounds;
      scripted_least = rows[i].least;
      scripted_hot = rows[i].hot;
      g_autoptr (CuredOutcome) outcome = measure_scripted (rows[i].ns, 1.98e9);
      g_assert_cmpint (outcome->cold->samples->len == 1, ==, rows[i].is_one_cold);
      g_assert_cmpint (outcome->hot->samples->len == 1, ==, rows[i].is_one_hot);
      g_assert_cmpfloat_with_epsilon (outcome->metrics[CURED_METRIC_time_hot],
                                      rows[i].ns * rows[i].hot, 1);
    }
  scripted_rounds = 0;
  scripted_least = 0;
  scripted_hot = 1;
}

/* A hot span is long enough to drown the events, and never endless. */
TEST ("/sampler/hot-runs")
{
  g_autoptr (CuredOutcome) middling = measure_scripted (50000, 1.98e9);

  g_assert_cmpuint (most_runs, ==, 4);
  g_assert_cmpuint (middling->hot->runs, ==, 4);
  /* The first run is checked, and two spans tell how many runs make a sample: the caches are cold
   * before. */
  g_assert_cmpuint (n_spans, ==, middling->cold->samples->len + middling->hot->samples->len + 3);
  {
    g_autoptr (CuredOutcome) tiny = measure_scripted (10, 1.98e9);

    g_assert_cmpuint (most_runs, ==, 256);
    /* Under ten times the resolution there is a time, and no rate. */
    g_assert_cmpfloat_with_epsilon (tiny->metrics[CURED_METRIC_time], 10, 1e-6);
    g_assert_true (isnan (tiny->metrics[CURED_METRIC_bandwidth]));
    g_assert_true (isnan (tiny->metrics[CURED_METRIC_of_ceiling]));
  }
  {
    g_autoptr (CuredOutcome) slow = measure_scripted (1e7, 1.98e9);

    g_assert_cmpuint (most_runs, ==, 1);
    g_assert_false (isnan (slow->metrics[CURED_METRIC_bandwidth]));
    /* A hot run that takes long is a sample. */
    g_assert_cmpuint (n_spans, ==, slow->cold->samples->len + slow->hot->samples->len + 1);
  }
  {
    g_autoptr (CuredOutcome) quick = measure_scripted (1.9e6, 1.98e9);
    guint n_quick = n_spans - quick->cold->samples->len - quick->hot->samples->len;
    g_autoptr (CuredOutcome) longer = measure_scripted (2.1e6, 1.98e9);

    /* From 2 ms on, the span that chooses the number of runs is a sample. */
    g_assert_cmpuint (n_spans - longer->cold->samples->len - longer->hot->samples->len, <, n_quick);
  }
  {
    g_autoptr (CuredOutcome) slower = measure_scripted (2.1e7, 1.98e9);

    /* So is the first run. */
    g_assert_cmpuint (n_spans, ==, slower->cold->samples->len + slower->hot->samples->len);
  }
  {
    g_autoptr (CuredOutcome) rising = measure_scripted (2.1e7, 1.9e9);

    /* Not while the clock rises. */
    g_assert_cmpuint (n_spans, ==, rising->cold->samples->len + rising->hot->samples->len + 1);
  }
}

TEST ("/sampler/throttled")
{
  g_autoptr (CuredOutcome) full = measure_scripted (50000, 1.6e9);
  g_autoptr (CuredOutcome) low = measure_scripted (50000, 1.4e9);
  g_autoptr (CuredOutcome) unknown = measure_scripted (50000, NAN);

  /* Of 1.98 GHz; marked and counted, and still samples. */
  g_assert_cmpfloat (full->metrics[CURED_METRIC_throttled], ==, 0);
  g_assert_cmpfloat (low->metrics[CURED_METRIC_throttled], ==, low->cold->samples->len);
  g_assert_false (isnan (low->metrics[CURED_METRIC_time]));
  g_assert_cmpfloat (low->metrics[CURED_METRIC_sm_clock], ==, 1.4e9);
  g_assert_true (isnan (unknown->metrics[CURED_METRIC_sm_clock]));
}

/* Samples at a low clock are marked; where they are too many, sampling waits and begins again, and
 * the figures say so. */
TEST ("/measure/waits")
{
  g_autoptr (CuredDevice) device = open_fake ("throttle=4");
  g_autoptr (CuredOutcome) outcome = measure (device, "reduce/two-launch", "blocks=24");
  const double *metrics = outcome->metrics;

  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpfloat (metrics[CURED_METRIC_throttle_waits], ==, 1);
  g_assert_cmpuint (outcome->cold->n_waits, ==, 1);
  g_assert_cmpuint (outcome->hot->n_waits, ==, 0);
  g_assert_cmpfloat (metrics[CURED_METRIC_throttled], ==, 0);
  g_assert_cmpfloat (metrics[CURED_METRIC_sm_clock], ==, 1980e6);
  g_assert_cmpfloat (metrics[CURED_METRIC_sm_clock_hot], ==, 1980e6);
}

/* A clock that stays low is waited for three times, and then no more. */
TEST ("/measure/stays-slow")
{
  g_autoptr (CuredDevice) device = open_fake ("throttle=1000000");
  g_autoptr (CuredOutcome) first = measure (device, "reduce/two-launch", "blocks=24");
  g_autoptr (CuredOutcome) next = measure (device, "reduce/two-launch", "blocks=48");

  g_assert_cmpint (first->state, ==, CURED_STATE_OK);
  g_assert_cmpuint (first->cold->n_waits, ==, 3);
  g_assert_cmpuint (first->hot->n_waits, ==, 0);
  g_assert_cmpfloat (first->metrics[CURED_METRIC_throttled], ==,
                     first->metrics[CURED_METRIC_time_samples]);
  g_assert_true (isnan (next->metrics[CURED_METRIC_throttle_waits]));
  g_assert_cmpfloat (next->metrics[CURED_METRIC_throttled], ==,
                     next->metrics[CURED_METRIC_time_samples]);
}
