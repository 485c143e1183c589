/* SPDX-License-Identifier: MIT
 * cured merge: one result file of several. */
#include <glib/gi18n.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-merge.def"
#include "cured-verb.h"

/* ORDER: as the words of --on-conflict. */
static const CuredMergeRule rules[] = {
  CURED_MERGE_REFUSE,
  CURED_MERGE_NEWEST,
  CURED_MERGE_OLDEST,
  CURED_MERGE_FIRST,
};

static const struct
{
  const char *name;
  CuredMergeAccept what;
} differences[] = {
  { "source", CURED_MERGE_ACCEPT_SOURCE },
  { "options", CURED_MERGE_ACCEPT_OPTIONS },
  { "axes", CURED_MERGE_ACCEPT_AXES },
};

static gboolean
parse_accept (const char *text, CuredMergeAccept *accept)
{
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", ",", -1);

  *accept = CURED_MERGE_ACCEPT_NONE;
  for (gsize i = 0; words[i] != NULL; i++)
    {
      gboolean is_known = FALSE;

      for (gsize j = 0; j < G_N_ELEMENTS (differences); j++)
        if (g_str_equal (g_strstrip (words[i]), differences[j].name))
          {
            *accept |= differences[j].what;
            is_known = TRUE;
          }
      if (!is_known)
        return cured_cli_deny (_ ("--accept %s: expected some of source, options, axes"), text);
    }
  return TRUE;
}

/* Prints the report of a merge. */
void
cured_cli_print_merge (const CuredMergeReport *report, const char *path)
{
  const char *name = cured_cli_lend (g_filename_display_name (path));

  cured_cli_json ("{path files cells written missing repeated conflicts differences}", name,
                  report->n_files, report->n_cells, report->n_written, report->n_missing,
                  report->n_repeated, report->n_conflicts, report->differences);
  for (guint i = 0; i < report->differences->len; i++)
    g_print (_ ("Accepted: %s\n"), (char *) g_ptr_array_index (report->differences, i));
  for (guint i = 0; i < report->conflicts->len; i++)
    g_print (_ ("Measured twice: %s\n"), (char *) g_ptr_array_index (report->conflicts, i));
  if (report->n_conflicts > (gint64) report->conflicts->len)
    g_print (_ ("Measured twice: %s more\n"),
             cured_cli_count (report->n_conflicts - (gint64) report->conflicts->len));
  /* Translators: numbers, and a file. */
  g_print (ngettext ("%s file, %s of %s cells: written to %s\n",
                     "%s files, %s of %s cells: written to %s\n", (gulong) report->n_files),
           cured_cli_count ((gint64) report->n_files), cured_cli_count (report->n_written),
           cured_cli_count (report->n_cells), name);
  if (report->n_missing > 0)
    g_print (ngettext ("%s cell is in no file\n", "%s cells are in no file\n",
                       (gulong) report->n_missing),
             cured_cli_count (report->n_missing));
}

static int
run (int argc, char **argv, GError **error)
{
  CuredMergeAccept accept;

  if (argc < 2 || given.output == NULL)
    return cured_cli_fail (_ ("merge needs result files and where to write, such as “cured merge "
                              "0.cured 1.cured -o all.cured”"));
  if (!cured_cli_check_output (given.output, NULL, given.force) ||
      !parse_accept (given.accept_text, &accept))
    return CURED_EXIT_USAGE;
  g_autoptr (CuredMergeReport) report =
      cured_merge ((const char *const *) argv + 1, given.output, rules[given.rule], accept,
                   given.force, NULL, error);
  if (report == NULL)
    return CURED_EXIT_USAGE;
  cured_cli_print_merge (report, given.output);
  return CURED_EXIT_OK;
}
