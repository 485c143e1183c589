/* SPDX-License-Identifier: MIT
 * Every kernel of the catalogue, translated and interpreted: the same metrics, findings and
 * verdict. That its buffers are right, the test `outputs` shows, which runs it translated. */
#include <cured.h>
#include <sched.h>
#include <string.h>

#include "device/cured-device-internal.h"
#include "device/cured-kind-private.h"
#include "test.h"

/* Of what may differ from run to run. */
#define N_REPEATS 12

/* Longest sizes of problems: by the first word of a kernel's name, and of all others. */
static gint64
limit_size (const CuredKernel *kernel, gint64 value)
{
  gboolean is_long =
      g_str_has_prefix (kernel->id, "matmul") || g_str_has_prefix (kernel->id, "transpose") ||
      g_str_has_prefix (kernel->id, "elementwise") || g_str_has_prefix (kernel->id, "banks");

  return MIN (value, is_long ? 100 : 5003);
}

static CuredOutcome *
measure (CuredKernel *kernel, gboolean is_translated)
{
  /* Each has a heap of its own. */
  CuredDevice *device = MUST (_cured_emulator_kind.open (NULL, &fail));
  CuredOutcome *outcome = cured_outcome_new ();
  g_auto (CuredOptions) options = { 0 };
  g_autofree gint64 *values = g_new (gint64, kernel->n_parameters + 1);
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = kernel->parameters[i].kind == CURED_PARAMETER_PROBLEM
                    ? limit_size (kernel, kernel->parameters[i].default_value)
                    : kernel->parameters[i].default_value;
  cured_options_init (&options);
  options.check = TRUE;
  g_setenv ("CURED_TRANSLATE", is_translated ? "1" : "0", TRUE);
  if (!cured_measure (device, &job, outcome, NULL, &error))
    g_test_message ("%s", error->message);
  g_unsetenv ("CURED_TRANSLATE");
  cured_device_close (device);
  return outcome;
}

/* (nullable): what differs. Which block is first to see a finding depends on the host's threads. */
static const char *
find_difference (const CuredKernel *kernel, const CuredOutcome *a, const CuredOutcome *b)
{
  /* It computes with what happened to be in memory. */
  gboolean is_undefined = (kernel->defects >> CURED_FINDING_UNINITIALIZED & 1) != 0;
  guint n = a->findings != NULL ? a->findings->len : 0;

  if (a->state != b->state)
    return "state";
  if (!is_undefined &&
      (a->n_mismatches != b->n_mismatches || g_strcmp0 (a->output, b->output) != 0))
    return "output";
  for (int m = 0; m < CURED_N_METRICS; m++)
    if (memcmp (&a->metrics[m], &b->metrics[m], sizeof (double)) != 0)
      return cured_metric_info ((CuredMetric) m)->id;
  if (n != (b->findings != NULL ? b->findings->len : 0))
    return "findings";
  for (guint i = 0; i < n; i++)
    {
      const CuredFinding *here = a->findings->pdata[i], *there = b->findings->pdata[i];

      if (here->kind != there->kind || here->here.line != there->here.line ||
          here->there.line != there->there.line)
        return "finding";
    }
  return NULL;
}

static void
test_kernel (gconstpointer data)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (data, &fail));
  g_autoptr (CuredOutcome) interpreted = measure (kernel, FALSE);
  g_autoptr (CuredOutcome) translated = measure (kernel, TRUE);
  const char *difference = find_difference (kernel, interpreted, translated);

  /* Where blocks race, or wait for each other, the interpreter differs from itself as well. */
  for (int i = 0; i < N_REPEATS && difference != NULL; i++)
    {
      g_autoptr (CuredOutcome) again = measure (kernel, FALSE);

      if (find_difference (kernel, interpreted, again) != NULL)
        return;
    }
  g_assert_cmpstr (difference, ==, NULL);
}

static void
test_none (gconstpointer data)
{
  g_test_skip (data);
}

int
main (int argc, char **argv)
{
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autoptr (GError) error = NULL;
  cpu_set_t one;

  /* One host thread runs the blocks, in the same order each time. */
  CPU_ZERO (&one);
  CPU_SET ((unsigned) MAX (sched_getcpu (), 0), &one);
  sched_setaffinity (0, sizeof one, &one);
  g_test_init (&argc, &argv, NULL);
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    g_test_add_data_func ("/translation/kernels", error->message, test_none);
  else
    {
      for (guint i = 0; ids[i] != NULL; i++)
        {
          g_autofree char *path = g_strconcat ("/translation/", ids[i], NULL);

          g_test_add_data_func (path, ids[i], test_kernel);
        }
    }
  return g_test_run ();
}
