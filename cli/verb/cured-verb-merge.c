/* SPDX-License-Identifier: MIT
 * cured merge: one result file of several. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

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

/* Says what became of the files. */
void
cured_cli_print_merge (const CuredMergeReport *report, const char *path)
{
  g_autofree char *name = g_filename_display_name (path);
  g_autofree char *n_files = cured_format_count ((gint64) report->n_files);
  g_autofree char *n_written = cured_format_count (report->n_written);
  g_autofree char *n_cells = cured_format_count (report->n_cells);

  for (guint i = 0; i < report->differences->len; i++)
    g_print (_ ("Accepted: %s\n"), (char *) g_ptr_array_index (report->differences, i));
  for (guint i = 0; i < report->conflicts->len; i++)
    g_print (_ ("Measured twice: %s\n"), (char *) g_ptr_array_index (report->conflicts, i));
  if (report->n_conflicts > (gint64) report->conflicts->len)
    {
      g_autofree char *rest =
          cured_format_count (report->n_conflicts - (gint64) report->conflicts->len);

      g_print (_ ("Measured twice: %s more\n"), rest);
    }
  /* Translators: numbers, and a file. */
  g_print (ngettext ("%s file, %s of %s cells: written to %s\n",
                     "%s files, %s of %s cells: written to %s\n", (gulong) report->n_files),
           n_files, n_written, n_cells, name);
  if (report->n_missing > 0)
    {
      g_autofree char *n_missing = cured_format_count (report->n_missing);

      g_print (ngettext ("%s cell is in no file\n", "%s cells are in no file\n",
                         (gulong) report->n_missing),
               n_missing);
    }
}

static void
print_json (const CuredMergeReport *report, const char *path)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *name = g_filename_display_name (path);

  cured_cli_json (builder, "{path files cells written missing repeated conflicts differences[",
                  name, report->n_files, report->n_cells, report->n_written, report->n_missing,
                  report->n_repeated, report->n_conflicts);
  for (guint i = 0; i < report->differences->len; i++)
    cured_cli_json (builder, ".", g_ptr_array_index (report->differences, i));
  cured_cli_json_put (builder, "]}");
  cured_cli_print_json (builder);
}

static struct
{
  char *output;
  int rule;
  char *accept_text;
  gboolean force;
  gboolean json;
} given;

/* clang-format off */
static const CuredCliOption rows[] = {
  { "output", 'o', CURED_CLI_FILE, &given.output, N_ ("The result file to write"), N_ ("FILE") },
  { "on-conflict", 0, CURED_CLI_WORD, &given.rule,
    N_ ("Measured twice: fail, newest, oldest, first [fail]"), N_ ("RULE"), "fail|newest|oldest|first" },
  { "accept", 0, CURED_CLI_TEXT, &given.accept_text,
    N_ ("Allow differences: source, options, axes"), N_ ("WHAT,…"), "source|options|axes" },
  { "force", 0, CURED_CLI_FLAG, &given.force, N_ ("Replace FILE") },
  { "json", 0, CURED_CLI_FLAG, &given.json, N_ ("Print as JSON") },
  { NULL },
};
/* clang-format on */

static int
run_merge (int argc, char **argv, GError **error)
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
  if (given.json)
    print_json (report, given.output);
  else
    cured_cli_print_merge (report, given.output);
  return CURED_EXIT_OK;
}

const CuredVerb cured_verb_merge = {
  .name = "merge",
  .arguments = N_ ("FILE…"),
  .summary = N_ ("Make one result file of several"),
  .description =
      N_ ("The files are shards of a sweep (“cured run --shard”), or the same sweep on\n"
          "several devices. Each cell keeps its samples, its date and the device, host,\n"
          "driver and compiler that it was measured with. Devices of several names become\n"
          "an axis.\n"
          "\n"
          "Examples:\n"
          "  cured merge shards/*.cured -o all.cured\n"
          "  cured merge h100.cured h200.cured -o both.cured\n"
          "  cured merge a.cured b.cured --on-conflict newest -o all.cured\n"),
  .words = CURED_CLI_WORDS_RESULTS,
  .options = { rows },
  .run = run_merge,
};
