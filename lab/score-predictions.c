/* SPDX-License-Identifier: MIT
 * score-predictions [--cells N] [--for CHIP] [--table FILE] [--traffic-ms N] RESULT.cured...: how
 * well the model puts recorded cells in order. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "predicted.h"

int
main (int argc, char **argv)
{
  int max_cells = 0;
  int traffic_ms = 0;
  g_autofree char *machine_id = g_strdup ("h200");
  g_autofree char *table_path = NULL;
  g_auto (GStrv) files = NULL;
  const GOptionEntry entries[] = {
    { "cells", 0, 0, G_OPTION_ARG_INT, &max_cells,
      "At most this many cells of a file, drawn; 0: all", "N" },
    { "for", 0, 0, G_OPTION_ARG_STRING, &machine_id, "Machine facts", "ID" },
    { "table", 0, 0, G_OPTION_ARG_FILENAME, &table_path, "A JSON object per line and cell",
      "FILE" },
    { "traffic-ms", 0, 0, G_OPTION_ARG_INT, &traffic_ms,
      "Ask the cache model where it takes so long at most [0: nowhere]", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, NULL, "FILE" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) scores = g_array_new (FALSE, FALSE, sizeof (Score));
  g_autoptr (CuredMachine) machine = NULL;
  FILE *table = NULL;
  Scores all;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) ||
      (machine = cured_machine_find (machine_id, &error)) == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  if (table_path != NULL && (table = fopen (table_path, "w")) == NULL)
    {
      g_printerr ("%s: %s\n", table_path, g_strerror (errno));
      return 2;
    }
  printf ("| kernel | cells | slowest / fastest | rank correlation | pairs in order | predicted "
          "best | best of 8 | error |\n"
          "|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; files != NULL && files[i] != NULL; i++)
    {
      g_autofree char *name = g_path_get_basename (files[i]);
      Score score;

      if (!predicted_init (&score, files[i], machine, (guint) MAX (max_cells, 0),
                           MAX (traffic_ms, 0), table))
        continue;
      g_array_append_val (scores, score);
      printf ("| %s | %u | %.4g | %.3f | %.1f %% | %.3f | %.3f | %.0f %% |\n", name, score.n,
              score.spread, score.spearman,
              score.pairs > 0 ? 100.0 * score.ordered / score.pairs : 100.0, score.best, score.top,
              score.error * 100);
      fflush (stdout);
    }
  if (table != NULL)
    fclose (table);
  scores_init (&all, (const Score *) (gpointer) scores->data, scores->len);
  printf ("\n%u kernels: median rank correlation %.3f (%.3f where the slowest cell takes 1.5 times "
          "the fastest or more; least %.3f); %.1f %% of the pairs that differ by 10 %% in order; "
          "predicted best within 10 %% of the true best for %.0f %%; best of the predicted first 8 "
          "within 2 %% for %.0f %%; median error %.0f %%\n",
          all.n, all.spearman, all.wide_spearman, all.least, all.ordered * 100, all.best * 100,
          all.top * 100, all.error * 100);
  return 0;
}
