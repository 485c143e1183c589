/* SPDX-License-Identifier: MIT
 * Every kernel of the catalogue, translated and interpreted: the same metrics, findings and
 * verdict. That its buffers are right, the test `outputs` shows, which runs it translated. */
#include <cured.h>
#include <string.h>

#include "device/cured-device-internal.h"
#include "device/cured-kind-private.h"
#include "test.h"

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

static void
test_kernel (gconstpointer data)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (data, &fail));
  g_autoptr (CuredOutcome) interpreted = measure (kernel, FALSE);
  g_autoptr (CuredOutcome) translated = measure (kernel, TRUE);
  guint n = interpreted->findings != NULL ? interpreted->findings->len : 0;

  /* What blocks see that race, or stop the others, depends on which is first. */
  if ((kernel->defects & (1u << CURED_FINDING_RACE_GLOBAL | 1u << CURED_FINDING_HEAP |
                          1u << CURED_FINDING_TRAP)) != 0)
    return;
  g_assert_cmpint (interpreted->state, ==, translated->state);
  g_assert_cmpuint (interpreted->n_mismatches, ==, translated->n_mismatches);
  g_assert_cmpstr (interpreted->output, ==, translated->output);
  for (int m = 0; m < CURED_N_METRICS; m++)
    if (memcmp (&interpreted->metrics[m], &translated->metrics[m], sizeof (double)) != 0)
      g_error ("%s, %s: %g interpreted, %g translated", kernel->id,
               cured_metric_info ((CuredMetric) m)->id, interpreted->metrics[m],
               translated->metrics[m]);
  g_assert_cmpuint (n, ==, translated->findings != NULL ? translated->findings->len : 0);
  for (guint i = 0; i < n; i++)
    {
      const CuredFinding *here = interpreted->findings->pdata[i];
      const CuredFinding *there = translated->findings->pdata[i];

      /* Which block is first to see it depends on the host's threads. */
      g_assert_cmpint (here->kind, ==, there->kind);
      g_assert_cmpint (here->here.line, ==, there->here.line);
      g_assert_cmpint (here->there.line, ==, there->there.line);
      g_assert_cmpstr (here->here.what, ==, there->here.what);
    }
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
