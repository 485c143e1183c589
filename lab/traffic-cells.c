/* SPDX-License-Identifier: MIT
 * What the cache model says of cells: lab/compare-caches reads it.
 *
 * usage: traffic-cells [--arch ARCH] [--launches N] < CELLS
 *
 * CELLS has a line a cell: the kernel, a tab, its parameters as "n=7 tile=3". Prints a line a
 * launch, of at most N a cell, with the second cache empty before each: cell, launch, figures of
 * CuredCacheTraffic, blocks that ran, seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cured.h>

#include "cell-values.h"

/* Exit status with which Meson counts a test as skipped. */
#define EXIT_SKIPPED 77

/* Time limit of one cell. */
#define TIME_LIMIT_MS 300000

static void
print_launch (const char *cell, guint n, const CuredLaunchTraffic *launch)
{
  printf ("%s\t%u\t%s", cell, n, launch->entry);
#define PRINT(name, meaning) printf ("\t%.10g", launch->traffic.name);
  CURED_CACHE_TRAFFIC_FIELDS (PRINT)
#undef PRINT
  printf ("\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT "\t%u\t%" G_GSIZE_FORMAT, launch->blocks,
          launch->blocks_run, launch->resident_blocks, launch->l1_bytes);
}

static void
print_cell (CuredCompiler *compiler, const char *cell, const char *arch, gint64 n_launches)
{
  g_auto (GStrv) parts = g_strsplit (cell, "\t", 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (parts[0], &error);
  g_autoptr (GPtrArray) launches = NULL;
  g_autofree gint64 *values = NULL;
  gint64 start_us = g_get_monotonic_time ();
  gint64 n = 0;
  double seconds;

  if (kernel != NULL)
    {
      values = g_new0 (gint64, kernel->n_parameters + 1);
      if (cell_values_read (kernel, parts[1] != NULL ? parts[1] : "", values))
        launches = cured_traffic_view_new (compiler, kernel, values, arch, CURED_TRAFFIC_FLUSHED,
                                           TIME_LIMIT_MS, NULL, &error);
    }
  if (launches == NULL)
    {
      fprintf (stderr, "%s: %s\n", cell, error != NULL ? error->message : "no such parameter");
      return;
    }
  seconds = (double) (g_get_monotonic_time () - start_us) / 1e6;
  for (guint i = 0; i < launches->len && n < n_launches; i++)
    {
      const CuredLaunchTraffic *launch = launches->pdata[i];

      for (gint64 k = 0; k < launch->repeat && n < n_launches; k++)
        {
          print_launch (cell, (guint) n++, launch);
          printf ("\t%.2f\n", seconds);
        }
    }
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  g_autofree char *arch = g_strdup ("sm_90");
  gint64 n_launches = 8;
  const GOptionEntry entries[] = { { "arch", 0, 0, G_OPTION_ARG_STRING, &arch, "the chip", "ARCH" },
                                   { "launches", 0, 0, G_OPTION_ARG_INT64, &n_launches, "of a cell",
                                     "N" },
                                   { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (CuredCompiler) compiler = NULL;
  g_autoptr (GError) error = NULL;
  char line[4096];

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return EXIT_FAILURE;
    }
  compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return EXIT_SKIPPED;
    }
  printf ("kernel\tparameters\tlaunch\tentry");
#define PRINT(name, meaning) printf ("\t" #name);
  CURED_CACHE_TRAFFIC_FIELDS (PRINT)
#undef PRINT
  printf ("\tblocks\tblocks_run\tresident\tl1_bytes\tseconds\n");
  while (fgets (line, sizeof line, stdin) != NULL)
    print_cell (compiler, g_strchomp (line), arch, n_launches);
  cured_compiler_free (g_steal_pointer (&compiler));
  return EXIT_SUCCESS;
}
