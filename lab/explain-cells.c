/* SPDX-License-Identifier: MIT
 * How busy each resource is, of launches whose time is known: lab/compare-explain reads it.
 *
 * usage: explain-cells [--traffic-ms N] MACHINE < CELLS
 *
 * CELLS has a line a cell: the kernel, a tab, its parameters as "n=7 tile=3", a tab, and of each
 * launch what it took in ns, a colon and the clock of the multiprocessors in Hz, with commas
 * between. Prints a line a launch: kernel, parameters, number of the launch, entry, whether all of
 * it was counted, then name=value of what was counted, of what caches let through (which the cache
 * model says where a guess gives it no more than N ms; 0: never), with the second cache empty
 * before each launch, and of the share of each resource. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cured.h>

#include "cell-values.h"

/* Exit status with which Meson counts a test as skipped. */
#define EXIT_SKIPPED 77

#define SMS          132
#define GLOBAL_BYTES ((gint64) 1 << 37)

/* Generous, since no result depends on the load of the processors. */
#define TIME_LIMIT_MS 600000

static void
print_launch (const CuredWorkLaunch *launch, const CuredMachine *machine, double time_ns,
              double clock)
{
  g_autoptr (GPtrArray) only = g_ptr_array_new ();
  CuredWorkload work = { .launches = only };
  CuredResourceUse uses[CURED_N_RESOURCES];
  double repeats = (double) launch->repeats;
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  g_ptr_array_add (only, (gpointer) launch);
  cured_workload_get_uses (&work, machine, clock, uses);
  for (gsize i = 0; i < n_fields; i++)
    printf ("\t%s=%.9g", fields[i].name, cured_work_get (&launch->total, &fields[i]) / repeats);
#define PRINT(name) printf ("\t" #name "=%.9g", launch->traffic.name / repeats)
  PRINT (l1_hits);
  PRINT (l2_read);
  PRINT (l2_written);
  PRINT (memory_read);
  PRINT (memory_written);
#undef PRINT
  for (int i = 0; i < CURED_N_RESOURCES; i++)
    printf ("\tshare_%s=%.6g%s", cured_resource_to_string ((CuredResource) i),
            uses[i].time_ns / repeats / time_ns, uses[i].is_most ? "<" : "");
}

static void
print_cell (CuredCompiler *compiler, const CuredMachine *machine, gint64 traffic_ms,
            const char *cell)
{
  g_auto (GStrv) parts = g_strsplit (cell, "\t", 3);
  g_auto (GStrv) times = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredWorkload) work = NULL;
  g_autofree gint64 *values = NULL;
  CuredLimits limits = cured_profile_find ("sm_90")->limits;
  CuredWorkQuery query;
  guint n = 0;

  if (g_strv_length (parts) != 3)
    {
      fprintf (stderr, "%s: three columns were expected\n", cell);
      return;
    }
  limits.global_bytes = GLOBAL_BYTES;
  limits.sms = SMS;
  cured_work_query_init (&query);
  query.time_limit_ms = TIME_LIMIT_MS;
  query.traffic_ms = traffic_ms;
  query.is_flushing = TRUE;
  kernel = cured_catalogue_load (parts[0], &error);
  if (kernel != NULL)
    {
      values = g_new0 (gint64, kernel->n_parameters + 1);
      if (cell_values_read (kernel, parts[1], values))
        work = cured_workload_count (compiler, kernel, values, &limits, &query, NULL, &error);
    }
  if (work == NULL)
    {
      fprintf (stderr, "%s: %s\n", cell, error != NULL ? error->message : "no such parameter");
      return;
    }
  times = g_strsplit (parts[2], ",", -1);
  for (guint i = 0; i < work->launches->len; i++)
    {
      const CuredWorkLaunch *launch = g_ptr_array_index (work->launches, i);

      for (guint64 k = 0; k < launch->repeats && times[n] != NULL; k++)
        {
          char *clock = strchr (times[n], ':');

          printf ("%s\t%s\t%u\t%s\t%s", parts[0], parts[1], n, launch->entry,
                  launch->end != NULL ? "cut short" : "whole");
          print_launch (launch, machine, g_ascii_strtod (times[n], NULL),
                        clock != NULL ? g_ascii_strtod (clock + 1, NULL) : 0);
          printf ("\n");
          n++;
        }
    }
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  gint64 traffic_ms = 0;
  const GOptionEntry entries[] = { { "traffic-ms", 0, 0, G_OPTION_ARG_INT64, &traffic_ms,
                                     "that the cache model may take for a cell", "N" },
                                   { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new ("MACHINE");
  g_autoptr (CuredCompiler) compiler = NULL;
  g_autoptr (CuredMachine) machine = NULL;
  g_autoptr (GError) error = NULL;
  char line[65536];

  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error) && argc == 2)
    machine = cured_machine_find (argv[1], &error);
  if (machine == NULL)
    {
      fprintf (stderr, "%s\n", error != NULL ? error->message : "usage: explain-cells MACHINE");
      return EXIT_FAILURE;
    }
  compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return EXIT_SKIPPED;
    }
  while (fgets (line, sizeof line, stdin) != NULL)
    print_cell (compiler, machine, traffic_ms, g_strchomp (line));
  return EXIT_SUCCESS;
}
