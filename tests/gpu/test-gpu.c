/* SPDX-License-Identifier: MIT
 * The CUDA device on a real GPU. Exits 77 where there is none. */
#include <cured.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/cured-limits-internal.h"
#include "measure/cured-measure-internal.h"
#include "test.h"

static CuredDevice *device;

/* (transfer full) */
static CuredOutcome *
measure_cell (CuredDevice *where, CuredKernel *kernel, const gint64 *values)
{
  g_autoptr (GError) error = NULL;
  g_auto (CuredOptions) options;
  CuredOutcome *outcome = cured_outcome_new ();
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };

  cured_options_init (&options);
  options.min_samples = 10;
  options.sampling_s = 0.05;
  options.limit_s = 5;
  if (!cured_measure (where, &job, outcome, NULL, &error))
    g_test_message ("%s", error->message);
  return outcome;
}

/* Measures the catalogue's or an own kernel at its defaults, but for the assignments in
 * @assignments ("n=1000 block=64"). */
static CuredOutcome *
measure (CuredDevice *where, CuredKernel *kernel, const char *assignments)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_auto (GStrv) words = g_strsplit (assignments, " ", -1);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      {
        cured_spec_parse_axis (spec, words[i], &error);
        g_assert_no_error (error);
      }
  g_autoptr (CuredPlan) plan = cured_plan_new (spec, &where->info.limits, &error);
  g_assert_no_error (error);
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  cured_plan_get_values (plan, 0, values);
  return measure_cell (where, kernel, values);
}

static CuredKernel *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  CuredKernel *kernel = cured_kernel_new_from_text (text, "own", "own.cu", &error);

  g_assert_no_error (error);
  return kernel;
}

/* One buffer, one launch; the body comes behind. */
#define OWN(length, grid, block, check, body)                                                      \
  "/*! cured\n"                                                                                    \
  " * [Kernel]\n"                                                                                  \
  " * Title=Own\n"                                                                                 \
  " * [Parameter n]\n"                                                                             \
  " * Kind=problem\n"                                                                              \
  " * Default=1000\n"                                                                              \
  " * [Buffer a]\n"                                                                                \
  " * Type=i32\n"                                                                                  \
  " * Length=n\n"                                                                                  \
  " * Fill=ramp\n"                                                                                 \
  " * [Buffer b]\n"                                                                                \
  " * Type=i32\n"                                                                                  \
  " * Length=n\n"                                                                                  \
  " * Fill=ramp\n"                                                                                 \
  " * [Buffer out]\n"                                                                              \
  " * Type=i32\n"                                                                                  \
  " * Length=" length "\n"                                                                         \
  " * Fill=poison\n"                                                                               \
  " * [Launch]\n"                                                                                  \
  " * Entry=own\n"                                                                                 \
  " * Grid=" grid "\n"                                                                             \
  " * Block=" block "\n"                                                                           \
  " * Arguments=a,b,out,n\n" check " */\n"                                                         \
  "extern \"C\" __global__ void own (const int *a, const int *b, int *c, int n)\n" body

#define ADDS                                                                                       \
  " * [Check]\n"                                                                                   \
  " * Output=out\n"                                                                                \
  " * Reference=vector-add\n"

/* At the small sizes that `cured check` takes. */
static void
test_catalogue (gconstpointer data)
{
  const char *id = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (id, &error);

  g_assert_no_error (error);
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  cured_spec_use_small_sizes (spec, &device->info.limits);
  g_autoptr (CuredPlan) plan = cured_plan_new (spec, &device->info.limits, &error);
  g_assert_no_error (error);
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  gint64 n_cells = MIN (cured_plan_get_n_cells (plan), 8);
  for (gint64 i = 0; i < n_cells; i++)
    {
      cured_plan_get_values (plan, i, values);
      g_autoptr (CuredOutcome) outcome = measure_cell (device, kernel, values);
      g_test_message ("%s, cell %" G_GINT64_FORMAT ": %s %s", id, i,
                      cured_state_to_string (outcome->state),
                      outcome->reason != NULL ? outcome->reason : "");
      /* Some need rows of a multiple of 4 elements. */
      if (outcome->state == CURED_STATE_NOT_LAUNCHABLE)
        continue;
      g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
      g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time], >, 0);
    }
}

TEST ("/gpu/wrong")
{
  g_autoptr (CuredKernel) right = parse (
      OWN ("n", "1", "1024", ADDS, "{ int i = threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }\n"));
  g_autoptr (CuredKernel) wrong =
      parse (OWN ("n", "1", "1024", ADDS,
                  "{ int i = threadIdx.x; if (i < n - 1) c[i] = a[i] + b[i] + (i == 7); }\n"));
  g_autoptr (CuredOutcome) good = measure (device, right, "");
  g_autoptr (CuredOutcome) bad = measure (device, wrong, "");

  g_assert_cmpint (good->state, ==, CURED_STATE_OK);
  g_assert_cmpint (bad->state, ==, CURED_STATE_WRONG);
  g_assert_cmpuint (bad->n_mismatches, ==, 2);
  const CuredMismatch *mismatch = bad->mismatches->pdata[0];
  g_assert_cmpint (mismatch->index, ==, 7);
  g_assert_cmpstr (mismatch->expected, ==, "14");
  g_assert_cmpstr (mismatch->got, ==, "15");
  mismatch = bad->mismatches->pdata[1];
  g_assert_cmpint (mismatch->index, ==, 999);
  g_assert_cmpstr (mismatch->got, ==, "unwritten");
  g_assert_true (isnan (bad->metrics[CURED_METRIC_time]));
}

/* A write just past the end does no harm on the device, and is found. */
TEST ("/gpu/guard")
{
  g_autoptr (CuredKernel) kernel = parse (
      OWN ("n", "1", "1024", ADDS,
           "{ int i = threadIdx.x; if (i <= n) c[i] = a[min (i, n - 1)] + b[min (i, n - 1)]; }\n"));
  g_autoptr (CuredOutcome) outcome = measure (device, kernel, "");

  g_assert_cmpint (outcome->state, ==, CURED_STATE_WRONG);
  const CuredMismatch *mismatch = outcome->mismatches->pdata[0];
  g_assert_cmpstr (mismatch->buffer, ==, "out");
  g_assert_cmpint (mismatch->index, ==, 1000);
}

TEST ("/gpu/does-not-compile")
{
  g_autoptr (CuredKernel) kernel = parse (OWN ("n", "1", "32", "", "{ undeclared (); }\n"));
  g_autoptr (CuredOutcome) outcome = measure (device, kernel, "");

  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
  g_assert_nonnull (strstr (outcome->reason, "undeclared"));
  g_assert_nonnull (strstr (outcome->reason, "own.cu("));
}

/* A kernel that reads the clock for 50 us: what Cured says of it against what it says of itself,
 * whatever the multiprocessors' clock. */
TEST ("/gpu/known-time")
{
  g_autoptr (CuredKernel) kernel = parse (OWN (
      "n", "1", "32", "",
      "{ unsigned long long s, t; asm volatile (\"mov.u64 %0, %%globaltimer;\" : \"=l\"(s)); do "
      "asm volatile (\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t)); while (t - s < 50000); }\n"));
  g_autoptr (CuredOutcome) outcome = measure (device, kernel, "");
  double time_ns = outcome->metrics[CURED_METRIC_time];

  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_test_message ("50 us read as %.0f ns cold, %.0f ns hot", time_ns,
                  outcome->metrics[CURED_METRIC_time_hot]);
  g_assert_cmpfloat_with_epsilon (time_ns, 51000, 1500);
  g_assert_cmpfloat_with_epsilon (outcome->metrics[CURED_METRIC_time_hot], 51000, 1500);
}

/* 16 MB stay in the L2 of today's devices from one run to the next, and not over a flush. */
TEST ("/gpu/cold-and-hot")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("reduce/two-launch", &error);

  if (device->info.limits.l2_bytes < (32 << 20))
    {
      g_test_skip ("the L2 cache is too small");
      return;
    }
  g_autoptr (CuredOutcome) outcome = measure (device, kernel, "n=4000000");
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time_hot], <,
                     0.95 * outcome->metrics[CURED_METRIC_time]);
}

TEST ("/gpu/ceilings")
{
  const CuredCeilings *ceilings = &device->info.ceilings;

  g_test_message (
      "copy %.0f GB/s, read %.0f GB/s, fp32 %.1f TFLOP/s, overhead %.0f ns, resolution %.0f ns",
      ceilings->copy_bytes_per_s * 1e-9, ceilings->read_bytes_per_s * 1e-9,
      ceilings->fp32_flops * 1e-12, device->info.calibration.cold_overhead_ns,
      device->info.calibration.resolution_ns);
  g_assert_cmpfloat (ceilings->copy_bytes_per_s, >, 1e9);
  g_assert_cmpfloat (ceilings->read_bytes_per_s, >, 1e9);
  g_assert_cmpfloat (ceilings->fp32_flops, >, 1e10);
  g_assert_cmpfloat (device->info.calibration.cold_overhead_ns, <, 20000);
}

/* In a worker: kernels that would take this process with them. */
static CuredDevice *
open_worker (void)
{
  g_auto (GStrv) command = cured_worker_default_command ();
  g_autoptr (GError) error = NULL;
  CuredDevice *worker = cured_worker_device_new ((const char *const *) command, "cuda:0", &error);

  if (worker == NULL)
    g_test_skip (error->message);
  return worker;
}

TEST ("/gpu/worker")
{
  g_autoptr (CuredDevice) worker = open_worker ();
  g_autoptr (CuredKernel) hangs =
      parse (OWN ("n", "1", "32", "", "{ while (((volatile int *) c)[0] != 12345); }\n"));
  g_autoptr (CuredKernel) faults = parse (OWN ("n", "1", "32", "", "{ c[1ll << 40] = 1; }\n"));
  g_autoptr (CuredKernel) prints =
      parse ("/*! cured\n * [Kernel]\n * Title=Prints\n * [Buffer a]\n * Type=i32\n"
             " * Length=1\n * Fill=poison\n * [Launch]\n * Entry=prints\n * Grid=1\n"
             " * Block=2\n */\n"
             "extern \"C\" __global__ void prints () { printf (\"lane %d\\n\", threadIdx.x); }\n");
  g_autoptr (CuredKernel) good = parse (
      OWN ("n", "1", "1024", ADDS, "{ int i = threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }\n"));

  if (worker == NULL)
    return;
  for (int turn = 0; turn < 2; turn++)
    {
      g_autoptr (CuredOutcome) hung = measure (worker, hangs, "");
      g_autoptr (CuredOutcome) fault = measure (worker, faults, "");
      g_autoptr (CuredOutcome) fine = measure (worker, good, "");

      g_assert_cmpint (hung->state, ==, CURED_STATE_TIMED_OUT);
      g_assert_cmpint (fault->state, ==, CURED_STATE_FAILED);
      g_assert_nonnull (strstr (fault->reason, "cudaErrorIllegalAddress"));
      g_assert_cmpint (fine->state, ==, CURED_STATE_OK);
    }
  {
    g_autoptr (CuredOutcome) printed = measure (worker, prints, "");

    g_assert_cmpint (printed->state, ==, CURED_STATE_OK);
    g_assert_nonnull (printed->output);
    g_assert_true (g_str_has_prefix (printed->output, "lane 0\nlane 1\n"));
  }
  {
    g_autoptr (CuredKernel) specimen = cured_catalogue_get ("reduce/single-launch", NULL);
    g_autoptr (CuredOutcome) many = measure (worker, specimen, "");
    g_autoptr (CuredOutcome) one = measure (worker, specimen, "blocks=1");

    g_assert_cmpint (many->state, ==, CURED_STATE_TIMED_OUT);
    g_assert_cmpint (one->state, ==, CURED_STATE_OK);
  }
}

/* A launch at any block size and shared memory, with registers to choose. */
static const char occupant[] = "/*! cured\n * [Kernel]\n * Title=Occupant\n"
                               " * [Parameter live]\n * Kind=compile\n * Values=1..240\n"
                               " * Default=1\n"
                               " * [Parameter threads]\n * Kind=launch\n * Default=32\n"
                               " * [Parameter shared]\n * Kind=launch\n * Default=0\n"
                               " * [Buffer out]\n * Type=f32\n * Length=1024\n * Fill=poison\n"
                               " * [Launch]\n * Entry=occupant\n * Grid=1\n * Block=threads\n"
                               " * Shared=shared\n * Arguments=out,threads\n */\n"
                               "extern \"C\" __global__ void\noccupant (float *out, int n)\n{\n"
                               "  float v[LIVE], sum = 0;\n"
                               "#pragma unroll\n"
                               "  for (int i = 0; i < LIVE; i++)\n"
                               "    v[i] = ((volatile float *) out)[i * n];\n"
                               "  for (int k = 0; k < n; k++)\n"
                               "#pragma unroll\n"
                               "    for (int i = 0; i < LIVE; i++)\n"
                               "      v[i] = v[i] * v[(i + 1) % LIVE] + k;\n"
                               "#pragma unroll\n"
                               "  for (int i = 0; i < LIVE; i++)\n"
                               "    sum += v[i];\n"
                               "  out[threadIdx.x] = sum;\n}\n";

/* The driver's own figure, for many needs. Nothing runs. */
TEST ("/gpu/occupancy")
{
  static const int live[] = { 1, 20, 40, 56, 80, 110, 150, 200, 230 };
  g_autoptr (CuredKernel) kernel = parse (occupant);
  const CuredProfile *profile = cured_profile_find (device->info.arch);
  g_auto (CuredOptions) options;
  int n_compared = 0;

  if (profile == NULL)
    {
      g_test_skip ("a chip that the table does not have");
      return;
    }
  cured_options_init (&options);
  for (gsize i = 0; i < G_N_ELEMENTS (live); i++)
    for (gint64 threads = 1; threads <= 1024; threads += threads < 97 ? 32 : 93)
      for (gint64 shared = 0; shared <= profile->limits.shared_per_block_optin; shared += 9999)
        {
          const gint64 values[] = { live[i], threads, shared };
          CuredJob job = { .kernel = kernel, .values = values, .options = &options };
          g_autoptr (GError) error = NULL;
          g_autoptr (GPtrArray) demands = cured_inspect (device, &job, &error);
          CuredOccupancy occupancy;

          g_assert_no_error (error);
          g_assert_cmpuint (demands->len, ==, 1);
          const CuredDemand *demand = demands->pdata[0];
          cured_occupancy_init (&occupancy, profile, demand->threads, demand->info.registers,
                                demand->info.shared_static + demand->shared_dynamic);
          g_assert_cmpint (demand->info.max_threads_per_block, ==,
                           cured_occupancy_get_max_threads (profile, demand->info.registers));
          g_assert_cmpint (occupancy.blocks, ==, demand->info.blocks_per_sm);
          n_compared++;
        }
  g_test_message ("%d needs compared", n_compared);
  g_assert_cmpint (n_compared, >, 1000);
}

/* A load from shared memory takes some tens of cycles on every chip. */
TEST ("/gpu/cycles")
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("latency/shared", NULL);
  g_autoptr (CuredOutcome) outcome = measure (device, kernel, "");

  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_cycles], >, 10);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_cycles], <, 100);
}

/* Copies of the host take what a link takes: pinned memory is no slower than pageable, and a small
 * copy takes no longer than a large one. */
TEST ("/gpu/host-copies")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) left_out = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = cured_machine_measure (device, NULL, NULL, left_out, NULL, &error);
  g_autofree char *folder = g_dir_make_tmp ("machine-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "this.ini", NULL);

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_autoptr (CuredMachine) machine = cured_machine_load (path, &error);
  g_assert_no_error (error);
  g_test_message ("pinned %.1f and %.1f GB/s, pageable %.1f and %.1f", machine->to_device * 1e-9,
                  machine->to_host * 1e-9, machine->pageable_to_device * 1e-9,
                  machine->pageable_to_host * 1e-9);
  g_assert_cmpfloat (machine->pageable_to_device, >, 1e8);
  g_assert_cmpfloat (machine->pageable_to_host, >, 1e8);
  g_assert_cmpfloat (machine->to_device, >, 0.9 * machine->pageable_to_device);
  g_assert_cmpfloat (machine->to_host, >, 0.9 * machine->pageable_to_host);
  g_assert_cmpfloat (machine->to_device, <, machine->memory_read);
  g_assert_cmpfloat (machine->to_device_ns, >, 100);
  g_assert_cmpfloat (machine->to_device_ns, <, 1e6);
  g_assert_cmpfloat (machine->to_host_ns, >, 100);
  g_assert_cmpfloat (machine->to_host_ns, <, 1e6);
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  device = cured_device_open ("cuda:0", &error);
  if (device == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 77;
    }
  g_auto (GStrv) ids = cured_catalogue_list ();
  for (gsize i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_get (ids[i], NULL);
      g_autofree char *path = g_strconcat ("/gpu/catalogue/", ids[i], NULL);

      /* Specimens may hang; sweeps of them run in workers. */
      if (kernel != NULL && kernel->defect == NULL)
        g_test_add_data_func (path, ids[i], test_catalogue);
    }
  int status = run_tests ();
  cured_device_close (device);
  return status;
}
