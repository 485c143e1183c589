/* SPDX-License-Identifier: MIT
 * Every kernel that is not wrong on purpose, at awkward sizes and with a spread
 * of its parameters, on the emulator: the result is right, nothing is written
 * outside of the buffers, and no detector finds anything. CURED_TEST_DEVICE
 * names another device: cuda:0 under compute-sanitizer, say; with
 * CURED_TEST_SPECIMENS, what is wrong on purpose runs too, and shows that such a
 * tool sees it.
 *
 * The quick part: each kernel at its defaults at one of the sizes, another with
 * each kernel, and once with every other parameter at an end of its values, low
 * and high in turn. */
#include <cured.h>
#include <math.h>

#include "device/cured-device-internal.h"
#include "kernel/cured-program-internal.h"
#include "part.h"

/* One, two, a warp less and more than one, a round number, a prime, and one
 * less and more than a power of two. Where the work of a size takes minutes, as
 * a product of matrices does, @smaller has what the size is there for. */
static const struct
{
  gint64 size;
  gint64 smaller;
} sizes[] = {
  { 1, 1 },       { 2, 2 },     { 31, 31 },    { 33, 33 },
  { 1000, 1000 }, { 1009, 97 }, { 1023, 127 }, { 1025, 129 },
};

/* Cells a size: the first has the kernel's defaults. A further one, of one size,
 * has the ends. */
#define SPREAD 2
#define ENDS   SPREAD

/* Of a problem parameter that sizes no buffer: how often a thing is done. */
#define MAX_REPETITIONS 33

/* More than this takes minutes with the detectors. */
#define MAX_WATCHED_FLOPS 1e8

/* And this, seconds. */
#define MAX_QUICK_FLOPS 1e6

/* What a launch parameter that may have any value gets. */
static const gint64 any_values[] = { 1, 2, 3, 7, 33 };

static CuredDevice *device;

/* The emulator, but for its detectors, where they would take minutes. */
static gboolean is_watched;
static CuredDeviceClass klass;
static CuredEmulatorClass emulator;
static const CuredDeviceClass *original;

static void
emulate (CuredDevice *self, const CuredEmulation *emulation)
{
  CuredEmulation copy = *emulation;

  if (!is_watched)
    copy.watch = 0;
  original->emulator->emulate (self, &copy);
}

/* Whether a problem parameter makes a buffer longer. */
static gboolean
sizes_a_buffer (CuredKernel *kernel, const gint64 *values, gsize parameter)
{
  g_autofree gint64 *larger = NULL;
  g_autoptr (CuredProgram) a = NULL;
  g_autoptr (CuredProgram) b = NULL;
  gsize n;

  n = kernel->n_parameters;
  larger = g_memdup2 (values, n * sizeof *values);
  larger[parameter] *= 2;
  a = cured_program_new (kernel, values, &device->info.limits, NULL);
  b = cured_program_new (kernel, larger, &device->info.limits, NULL);
  if (a == NULL || b == NULL)
    return TRUE;
  for (gsize i = 0; i < a->n_buffers; i++)
    if (a->buffers[i].length != b->buffers[i].length)
      return TRUE;
  return FALSE;
}

/* NaN where the kernel file has no formula. */
static double
count_flops (CuredKernel *kernel, const gint64 *values)
{
  g_autoptr (CuredProgram) program =
      cured_program_new (kernel, values, &device->info.limits, NULL);

  return program != NULL ? program->flops : NAN;
}

static gint64
draw (const CuredParameter *parameter, GRand *rand)
{
  if (parameter->values == NULL)
    return any_values[g_rand_int_range (rand, 0, G_N_ELEMENTS (any_values))];
  return cured_axis_get_value (
      parameter->values,
      (gsize) g_rand_int_range (
          rand, 0, (gint32) cured_axis_get_length (parameter->values)));
}

/* What a problem parameter is at a size. */
static gint64
get_problem (CuredKernel *kernel,
             const gint64 *values,
             gsize parameter,
             gsize size,
             gboolean is_small,
             GRand *rand)
{
  const CuredParameter *problem = &kernel->parameters[parameter];
  gint64 wanted = is_small ? sizes[size].smaller : sizes[size].size;

  if (problem->values != NULL)
    return cured_axis_find (problem->values, wanted, NULL)
               ? wanted
               : draw (problem, rand);
  return sizes_a_buffer (kernel, values, parameter)
             ? wanted
             : MIN (wanted, MAX_REPETITIONS);
}

/* Puts each compile and launch parameter to an end, low and high in turn; to the
 * other end where that one does not go with the rest. */
static void
move_to_ends (CuredKernel *kernel, gboolean is_high, gint64 *values)
{
  const CuredParameter *parameters = kernel->parameters;
  gsize n = kernel->n_parameters;

  for (gsize i = 0; i < n; i++)
    if (parameters[i].kind != CURED_PARAMETER_PROBLEM)
      {
        const CuredAxis *list = parameters[i].values;
        gint64 old = values[i];
        gint64 ends[2] = { any_values[0],
                           any_values[G_N_ELEMENTS (any_values) - 1] };

        if (list != NULL)
          {
            ends[0] = cured_axis_get_value (list, 0);
            ends[1] =
                cured_axis_get_value (list, cured_axis_get_length (list) - 1);
          }
        values[i] = ends[is_high];
        if (!cured_program_check (kernel, values, &device->info.limits, NULL))
          values[i] = ends[!is_high];
        if (!cured_program_check (kernel, values, &device->info.limits, NULL))
          values[i] = old;
        is_high = !is_high;
      }
}

/* The parameters of cell @nth of a size; FALSE: none of this size can be
 * launched. */
static gboolean
choose (CuredKernel *kernel,
        gsize size,
        gboolean is_small,
        guint nth,
        gint64 *values,
        GRand *rand)
{
  const CuredParameter *parameters = kernel->parameters;
  gsize n = kernel->n_parameters;

  for (guint attempt = 0; attempt < 50; attempt++)
    {
      gboolean is_default = attempt == 0 && nth != 1;
      gsize n_problem = 0;

      for (gsize i = 0; i < n; i++)
        values[i] = is_default ? parameters[i].default_value
                               : draw (&parameters[i], rand);
      /* Not square by accident, but where nothing else will do. */
      for (gsize i = 0; i < n; i++)
        if (parameters[i].kind == CURED_PARAMETER_PROBLEM)
          values[i] = get_problem (kernel,
                                   values,
                                   i,
                                   (size + (attempt < 25 ? n_problem++ : 0)) %
                                       G_N_ELEMENTS (sizes),
                                   is_small,
                                   rand);
      if (!cured_program_check (kernel, values, &device->info.limits, NULL))
        continue;
      if (nth == ENDS)
        move_to_ends (kernel, size % 2 != 0, values);
      return TRUE;
    }
  return FALSE;
}

/* Measures a cell, unless it takes too long; whether it did. */
static gboolean
try_cell (CuredKernel *kernel, gsize size, guint nth)
{
  const char *id = kernel->id;
  g_autoptr (GRand) rand = g_rand_new_with_seed (
      g_str_hash (id) ^ (guint32) (size * 8 + nth) * 2654435761u);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GString) cell = g_string_new (id);
  g_autoptr (GError) error = NULL;
  g_auto (CuredOptions) options = { 0 };
  g_autofree gint64 *values = NULL;
  CuredJob job = { .kernel = kernel, .options = &options };
  guint n_findings = 0;
  const CuredParameter *parameters = kernel->parameters;
  gsize n = kernel->n_parameters;

  job.values = values = g_new (gint64, n + 1);
  if (!choose (kernel, size, FALSE, nth, values, rand))
    return FALSE;
  if (count_flops (kernel, values) > MAX_WATCHED_FLOPS &&
      (nth > 0 || sizes[size].smaller != sizes[size].size) &&
      !choose (kernel, size, TRUE, nth, values, rand))
    return FALSE;
  is_watched = !(count_flops (kernel, values) > MAX_WATCHED_FLOPS);
  if (!is_watched && nth > 0)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (
        cell, " %s=%" G_GINT64_FORMAT, parameters[i].name, values[i]);
  cured_options_init (&options);
  options.limit_s = 3000;
  options.cold = options.hot = FALSE;
  options.shuffle = nth;
  cured_measure (device, &job, outcome, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; outcome->findings != NULL && i < outcome->findings->len;
       i++)
    {
      const CuredFinding *finding = outcome->findings->pdata[i];
      g_autofree char *text = cured_finding_to_string (finding);

      /* Slow is not wrong. */
      if (finding->kind == CURED_FINDING_BANK_CONFLICT)
        continue;
      g_test_message ("%s: %s", cell->str, text);
      n_findings++;
    }
  if (outcome->state != CURED_STATE_OK)
    g_test_message ("%s: %s, %s",
                    cell->str,
                    cured_state_to_string (outcome->state),
                    outcome->reason != NULL ? outcome->reason : "");
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpuint (n_findings, ==, 0);
  return TRUE;
}

/* Another size with each kernel: the @nth, or the next that can be launched and
 * takes no seconds, or the first of those that do. */
static gsize
find_quick_size (CuredKernel *kernel, guint nth)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (nth);
  g_autofree gint64 *values = g_new (gint64, kernel->n_parameters + 1);
  gsize found = G_N_ELEMENTS (sizes);

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gsize size = (nth + i) % G_N_ELEMENTS (sizes);

      if (!choose (kernel, size, FALSE, 0, values, rand))
        continue;
      if (!(count_flops (kernel, values) > MAX_QUICK_FLOPS))
        return size;
      found = MIN (found, size);
    }
  return found < G_N_ELEMENTS (sizes) ? found : nth % G_N_ELEMENTS (sizes);
}

typedef struct
{
  const char *id;
  guint nth;
} Case;

static void
test_kernel (gconstpointer data)
{
  const Case *one = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (one->id, &error);
  gsize quick_size;
  guint n_cells = 0;

  g_assert_no_error (error);
  quick_size = find_quick_size (kernel, one->nth);
  for (guint size = 0; size < G_N_ELEMENTS (sizes); size++)
    for (guint nth = 0; nth < SPREAD; nth++)
      if (part_has_cell (nth == 0 && size == quick_size))
        n_cells += try_cell (kernel, size, nth);
  if (part_has_cell (TRUE))
    n_cells += try_cell (kernel, quick_size, ENDS);
  g_test_message ("%u cells", n_cells);
  if (n_cells == 0)
    g_test_skip ("this device can't run it");
}

int
main (int argc, char *argv[])
{
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autoptr (CuredCompiler) compiler = NULL;
  g_autoptr (GError) error = NULL;
  const char *name = g_getenv ("CURED_TEST_DEVICE");
  g_autoptr (GArray) cases = g_array_new (FALSE, FALSE, sizeof (Case));
  int status;

  part_init (&argc, argv);
  g_test_init (&argc, &argv, NULL);
  compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  device = cured_device_open (name != NULL ? name : "emulator", &error);
  g_assert_no_error (error);
  original = device->klass;
  klass = *original;
  if (original->emulator != NULL)
    {
      emulator = *original->emulator;
      emulator.emulate = emulate;
      klass.emulator = &emulator;
    }
  device->klass = &klass;
  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_get (ids[i], &error);
      Case one = { ids[i], cases->len };

      g_assert_no_error (error);
      if (kernel->defects == 0 || g_getenv ("CURED_TEST_SPECIMENS") != NULL)
        g_array_append_val (cases, one);
    }
  for (guint i = 0; i < cases->len; i++)
    {
      Case *one = &g_array_index (cases, Case, i);
      g_autofree char *path = g_strconcat ("/sizes/", one->id, NULL);

      if (part_has_case (i))
        g_test_add_data_func (path, one, test_kernel);
    }
  status = g_test_run ();
  device->klass = original;
  g_clear_pointer (&device, cured_device_close);
  return status;
}
