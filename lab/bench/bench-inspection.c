/* SPDX-License-Identifier: MIT
 * From an edit to refreshed banks, findings and counts: every kernel of the catalogue at its
 * defaults, as the window does it. */
#include <cured.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A delay that is hardly noticed while typing. */
#define WANTED_MS 300.0

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  const CuredLimits *limits = &cured_profile_find ("sm_90")->limits;
  g_auto (GStrv) ids = cured_catalogue_list ();
  guint n_slow = 0;
  guint n = 0;

  if (compiler == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 77;
    }
  g_print ("%-34s %10s %10s %10s %9s\n", "kernel", "compile/ms", "run/ms", "total/ms", "findings");
  for (char **id = ids; *id != NULL; id++)
    {
      g_autoptr (CuredKernel) catalogue = cured_catalogue_get (*id, NULL);
      g_autoptr (CuredKernel) kernel = NULL;
      g_autoptr (CuredInspection) inspection = NULL;
      g_autofree char *edited = NULL;
      const char *code;
      g_autofree gint64 *values = NULL;
      const CuredParameter *parameters;
      CuredBankQuery query;
      gsize n_values;
      gint64 start_us;
      double total_ms;

      if (argc > 1 && strstr (*id, argv[1]) == NULL)
        continue;
      /* Another text each time: nobody compiled it before. */
      code = strstr (catalogue->source, "*/\n") + strlen ("*/\n");
      edited = g_strdup_printf ("%.*s// %" PRId64 "\n%s", (int) (code - catalogue->source),
                                catalogue->source, g_get_real_time (), code);
      start_us = g_get_monotonic_time ();
      kernel = cured_kernel_new_from_text (edited, *id, NULL, NULL);
      parameters = kernel->parameters;
      n_values = kernel->n_parameters;
      values = g_new (gint64, n_values + 1);
      for (gsize i = 0; i < n_values; i++)
        values[i] = parameters[i].default_value;
      cured_bank_query_init (&query);
      inspection = cured_inspection_new (compiler, kernel, values, limits, &query,
                                         CURED_INSPECTION_FIRST_LIMIT_MS, NULL, &error);
      total_ms = (double) (g_get_monotonic_time () - start_us) / 1000;
      g_assert_no_error (error);
      n_slow += total_ms > WANTED_MS;
      n++;
      g_print ("%-34s %10.1f %10.1f %10.1f %9u%s\n", *id, (double) inspection->compile_ns / 1e6,
               (double) inspection->run_ns / 1e6, total_ms, inspection->findings->len,
               total_ms > WANTED_MS ? "  slow" : "");
      for (guint i = 0; i < inspection->diagnostics->len; i++)
        g_print ("    %s\n", ((CuredDiagnostic *) inspection->diagnostics->pdata[i])->text);
    }
  g_print ("%u of %u take more than %.0f ms\n", n_slow, n, WANTED_MS);
  return EXIT_SUCCESS;
}
