/* SPDX-License-Identifier: MIT
 * Every kernel that is not wrong on purpose, at awkward sizes and with a spread of its parameters,
 * on the emulator: the result is right, nothing is written outside of the buffers, and no detector
 * finds anything. CURED_TEST_DEVICE names another device: cuda:0 under compute-sanitizer, say; with
 * CURED_TEST_SPECIMENS, specimens run too, to show that such a tool sees them.
 *
 * The quick part: each kernel at its defaults at one of the sizes, another with each kernel, and
 * once with every other parameter at an end of its values, low and high in turn. The shards: each
 * kernel at each of the other sizes, and with each value of its other parameters. By hand, each
 * size also at the defaults and at drawn parameters. */
#include <cured.h>
#include <math.h>

#include "device/cured-device-internal.h"
#include "cell-values.h"
#include "cover.h"
#include "kernel/program/cured-program-internal.h"
#include "part.h"
#include "test.h"

/* One, two, a warp less and more than one, a round number, a prime, and one less and more than a
 * power of two. Where the work of a size takes minutes, as a product of matrices does, @smaller has
 * what the size is there for. */
static const struct
{
  gint64 size, smaller;
} sizes[] = {
  { 1, 1 },       { 2, 2 },     { 31, 31 },    { 33, 33 },
  { 1000, 1000 }, { 1009, 97 }, { 1023, 127 }, { 1025, 129 },
};

/* The cells of a size. COVER + n is the n-th cell that tries the parameters' values, whatever the
 * size. */
enum
{
  DEFAULTS,
  DRAWN,
  ENDS,
  COVER
};

/* Places for the parameters until they go with the size, half of these with all problem parameters
 * alike. */
#define ATTEMPTS 50

/* Of a problem parameter that sizes no buffer: how often a thing is done. */
#define MAX_REPETITIONS 33

/* More than this takes minutes with the detectors. */
#define MAX_WATCHED_FLOPS 1e8

/* And this, seconds. */
#define MAX_QUICK_FLOPS 1e6

static CuredDevice *device;

/* A kernel, the cells that have all values of its parameters, and what was tried as text. */
typedef struct
{
  CuredKernel *kernel;
  GPtrArray *cover;
  GHashTable *tried;
} Trial;

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

/* Whether a problem parameter makes a buffer longer, one that has something in it or gets the
 * result: what blocks keep for each repetition is no size. */
static gboolean
sizes_a_buffer (CuredKernel *kernel, const gint64 *values, gsize parameter)
{
  gsize n = kernel->n_parameters;
  g_autofree gint64 *larger = g_memdup2 (values, n * sizeof *values);
  larger[parameter] *= 2;
  g_autoptr (CuredProgram) a = cured_program_new (kernel, values, &device->info.limits, NULL);
  g_autoptr (CuredProgram) b = cured_program_new (kernel, larger, &device->info.limits, NULL);
  if (a == NULL || b == NULL)
    return TRUE;
  for (gsize i = 0; i < a->n_buffers; i++)
    if (a->buffers[i].length != b->buffers[i].length &&
        (a->buffers[i].buffer->fill != CURED_FILL_POISON || (int) i == kernel->output))
      return TRUE;
  return FALSE;
}

/* NaN where the kernel file has no formula. */
static double
count_flops (CuredKernel *kernel, const gint64 *values)
{
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, &device->info.limits, NULL);

  return program != NULL ? program->flops : NAN;
}

static gint64
draw (const CuredParameter *parameter, GRand *rand)
{
  if (parameter->values == NULL)
    return cover_any_values[g_rand_int_range (rand, 0, COVER_N_ANY_VALUES)];
  return cured_axis_get_value (
      parameter->values,
      (gsize) g_rand_int_range (rand, 0, (gint32) cured_axis_get_length (parameter->values)));
}

/* What a problem parameter is at a size. */
static gint64
get_problem (CuredKernel *kernel, const gint64 *values, gsize parameter, gsize size,
             gboolean is_small, GRand *rand)
{
  const CuredParameter *problem = &kernel->parameters[parameter];
  gint64 wanted = is_small ? sizes[size].smaller : sizes[size].size;

  if (problem->values != NULL)
    return cured_axis_find (problem->values, wanted, NULL) ? wanted : draw (problem, rand);
  return sizes_a_buffer (kernel, values, parameter) ? wanted : MIN (wanted, MAX_REPETITIONS);
}

/* Puts each compile and launch parameter to an end, low and high in turn; to the other end where
 * that one does not go with the rest. */
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
        gint64 ends[2] = { cover_any_values[0], cover_any_values[COVER_N_ANY_VALUES - 1] };

        if (list != NULL)
          {
            ends[0] = cured_axis_get_value (list, 0);
            ends[1] = cured_axis_get_value (list, cured_axis_get_length (list) - 1);
          }
        values[i] = ends[is_high];
        if (!cured_program_check (kernel, values, &device->info.limits, NULL))
          values[i] = ends[!is_high];
        if (!cured_program_check (kernel, values, &device->info.limits, NULL))
          values[i] = old;
        is_high = !is_high;
      }
}

/* What the parameters are at an attempt, but for the size. Where all covering cells had their turn,
 * parameters that are not compiled in are drawn: that costs little. */
static void
begin (const Trial *self, guint nth, guint attempt, gint64 *values, GRand *rand)
{
  const CuredParameter *parameters = self->kernel->parameters;
  const gint64 *covering =
      nth >= COVER && self->cover->len > 0
          ? g_ptr_array_index (self->cover, (nth - COVER + attempt) % self->cover->len)
          : NULL;
  gboolean is_again = nth >= COVER + self->cover->len;

  for (gsize i = 0; i < self->kernel->n_parameters; i++)
    if (covering != NULL && (parameters[i].kind == CURED_PARAMETER_COMPILE ||
                             (parameters[i].kind == CURED_PARAMETER_LAUNCH && !is_again)))
      values[i] = covering[i];
    else if (covering == NULL && attempt == 0 && nth != DRAWN)
      values[i] = parameters[i].default_value;
    else
      values[i] = draw (&parameters[i], rand);
}

/* The parameters of cell @nth of a size; FALSE: none of this size can be launched. */
static gboolean
choose (const Trial *self, gsize size, gboolean is_small, guint nth, gint64 *values, GRand *rand)
{
  CuredKernel *kernel = self->kernel;

  for (guint attempt = 0; attempt < ATTEMPTS; attempt++)
    {
      gsize n_problem = 0;

      begin (self, nth, attempt, values, rand);
      /* Not square by accident, but where nothing else will do. */
      for (gsize i = 0; i < kernel->n_parameters; i++)
        if (kernel->parameters[i].kind == CURED_PARAMETER_PROBLEM)
          values[i] = get_problem (kernel, values, i,
                                   (size + (attempt < ATTEMPTS / 2 ? n_problem++ : 0)) %
                                       G_N_ELEMENTS (sizes),
                                   is_small, rand);
      if (!cured_program_check (kernel, values, &device->info.limits, NULL))
        continue;
      if (nth == ENDS)
        move_to_ends (kernel, size % 2 != 0, values);
      return TRUE;
    }
  return nth >= COVER && choose (self, size, is_small, DRAWN, values, rand);
}

/* Measures a cell, @cell as text: all is well. */
static void
measure_cell (CuredKernel *kernel, const gint64 *values, guint shuffle, const char *cell)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_auto (CuredOptions) options = { 0 };
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };
  guint n_findings = 0;

  cured_options_init (&options);
  options.limit_s = 3000;
  options.cold = options.hot = FALSE;
  options.shuffle = shuffle;
  MUST (cured_measure (device, &job, outcome, NULL, &fail));
  for (guint i = 0; outcome->findings != NULL && i < outcome->findings->len; i++)
    {
      const CuredFinding *finding = outcome->findings->pdata[i];
      g_autofree char *text = cured_finding_to_string (finding);

      /* Slow is not wrong. */
      if (finding->kind == CURED_FINDING_BANK_CONFLICT)
        continue;
      g_test_message ("%s: %s", cell, text);
      n_findings++;
    }
  if (outcome->state != CURED_STATE_OK)
    g_test_message ("%s: %s, %s", cell, cured_state_to_string (outcome->state),
                    outcome->reason != NULL ? outcome->reason : "");
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpuint (n_findings, ==, 0);
}

/* Measures a cell, unless it takes too long or was measured before; whether it did. */
static gboolean
try_cell (const Trial *self, gsize size, guint nth)
{
  CuredKernel *kernel = self->kernel;
  g_autoptr (GRand) rand =
      g_rand_new_with_seed (g_str_hash (kernel->id) ^ (guint32) (size * 8 + nth) * 2654435761u);
  g_autoptr (GString) cell = g_string_new (kernel->id);
  g_autofree gint64 *values = g_new (gint64, kernel->n_parameters + 1);

  if (!choose (self, size, FALSE, nth, values, rand))
    return FALSE;
  if (count_flops (kernel, values) > MAX_WATCHED_FLOPS &&
      (nth > 0 || sizes[size].smaller != sizes[size].size) &&
      !choose (self, size, TRUE, nth, values, rand))
    return FALSE;
  is_watched = !(count_flops (kernel, values) > MAX_WATCHED_FLOPS);
  if (!is_watched && nth > 0)
    return FALSE;
  for (gsize i = 0; i < kernel->n_parameters; i++)
    g_string_append_printf (cell, " %s=%" G_GINT64_FORMAT, kernel->parameters[i].name, values[i]);
  if (!g_hash_table_add (self->tried, g_strdup (cell->str)))
    return FALSE;
  measure_cell (kernel, values, nth, cell->str);
  return TRUE;
}

/* Another size with each kernel: the @nth, or the next that can be launched and takes no seconds,
 * or the first of those that do. */
static gsize
find_quick_size (const Trial *self, guint nth)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (nth);
  g_autofree gint64 *values = g_new (gint64, self->kernel->n_parameters + 1);
  gsize found = G_N_ELEMENTS (sizes);

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gsize size = (nth + i) % G_N_ELEMENTS (sizes);

      if (!choose (self, size, FALSE, DEFAULTS, values, rand))
        continue;
      if (!(count_flops (self->kernel, values) > MAX_QUICK_FLOPS))
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
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (one->id, &fail));
  g_autoptr (GPtrArray) cover = NULL;
  g_autoptr (GHashTable) tried = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Trial trial = { .kernel = kernel, .tried = tried };
  guint n_cells = 0;

  trial.cover = cover = cover_parameters (kernel, &device->info.limits, FALSE);
  gsize quick_size = find_quick_size (&trial, one->nth);
  if (part_has_cell (TRUE))
    {
      n_cells += try_cell (&trial, quick_size, DEFAULTS);
      n_cells += try_cell (&trial, quick_size, ENDS);
    }
  if (part_has_cell (FALSE))
    for (guint k = 1; k < MAX (G_N_ELEMENTS (sizes), cover->len + 1); k++)
      n_cells += try_cell (&trial, (quick_size + k) % G_N_ELEMENTS (sizes), COVER + k - 1);
  if (part_is_whole ())
    for (guint size = 0; size < G_N_ELEMENTS (sizes); size++)
      {
        n_cells += try_cell (&trial, size, DEFAULTS);
        n_cells += try_cell (&trial, size, DRAWN);
      }
  g_test_message ("%u cells", n_cells);
  if (n_cells == 0)
    g_test_skip ("this device can't run it");
}

/* Cells that were wrong once. */
static void
test_once_wrong (void)
{
  static const struct
  {
    const char *kernel, *values;
  } rows[] = {
    /* Boxes whose rows lie farther apart than they are wide: on each other. */
    { "banks/tensor-copy", "type=0 width=32 height=40 swizzle=128 copies=2" },
    /* Half a million numbers that one thread adds: outside of the tolerance. */
    { "squared-error/stride", "block=1 blocks=2 n=1023" },
  };

  is_watched = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (rows[i].kernel, &fail));

      g_autofree gint64 *values = g_new (gint64, kernel->n_parameters + 1);
      g_assert_true (cell_values_read (kernel, rows[i].values, values));
      g_assert_true (cured_program_check (kernel, values, &device->info.limits, NULL));
      measure_cell (kernel, values, 0, rows[i].kernel);
    }
}

int
main (int argc, char *argv[])
{
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autoptr (GError) error = NULL;
  const char *name = g_getenv ("CURED_TEST_DEVICE");
  g_autoptr (GArray) cases = g_array_new (FALSE, FALSE, sizeof (Case));

  part_init (&argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  device = MUST (cured_device_open (name != NULL ? name : "emulator", &fail));
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
      g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (ids[i], &fail));
      Case one = { ids[i], cases->len };

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
  if (part_has_cell (TRUE))
    g_test_add_func ("/sizes/once-wrong", test_once_wrong);
  int status = g_test_run ();
  device->klass = original;
  g_clear_pointer (&device, cured_device_close);
  return status;
}
