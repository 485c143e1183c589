/* SPDX-License-Identifier: MIT
 * cured merge: one result file of several. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

static const struct
{
  const char *name;
  CuredMergeRule rule;
} rules[] = {
  { "fail", CURED_MERGE_REFUSE },
  { "newest", CURED_MERGE_NEWEST },
  { "oldest", CURED_MERGE_OLDEST },
  { "first", CURED_MERGE_FIRST },
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
parse_rule (const char *text, CuredMergeRule *rule)
{
  *rule = CURED_MERGE_REFUSE;
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (text == NULL || g_str_equal (text, rules[i].name))
      {
        *rule = rules[i].rule;
        return TRUE;
      }
  cured_cli_fail (_ ("--on-conflict %s: expected fail, newest, oldest or first"), text);
  return FALSE;
}

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
        {
          cured_cli_fail (_ ("--accept %s: expected some of source, options, axes"), text);
          return FALSE;
        }
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

      g_print (ngettext ("%s cell is in none of them\n", "%s cells are in none of them\n",
                         (gulong) report->n_missing),
               n_missing);
    }
}

static void
print_json (const CuredMergeReport *report, const char *path)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *name = g_filename_display_name (path);

  json_builder_begin_object (builder);
  cured_cli_json_add_string (builder, "path", name);
  cured_cli_json_add_int (builder, "files", (gint64) report->n_files);
  cured_cli_json_add_int (builder, "cells", report->n_cells);
  cured_cli_json_add_int (builder, "written", report->n_written);
  cured_cli_json_add_int (builder, "missing", report->n_missing);
  cured_cli_json_add_int (builder, "repeated", report->n_repeated);
  cured_cli_json_add_int (builder, "conflicts", report->n_conflicts);
  json_builder_set_member_name (builder, "differences");
  json_builder_begin_array (builder);
  for (guint i = 0; i < report->differences->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (report->differences, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
}

static int
run_merge (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *output = NULL;
  g_autofree char *on_conflict = NULL;
  g_autofree char *accept_text = NULL;
  gboolean force = FALSE;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_ ("The result file to write"),
      N_ ("FILE") },
    { "on-conflict", 0, 0, G_OPTION_ARG_STRING, &on_conflict,
      N_ ("Measured twice: fail, newest, oldest, first [fail]"), N_ ("RULE") },
    { "accept", 0, 0, G_OPTION_ARG_STRING, &accept_text,
      N_ ("Merge though these differ: source, options, axes"), N_ ("WHAT,…") },
    { "force", 0, 0, G_OPTION_ARG_NONE, &force, N_ ("Replace FILE"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (CuredMergeReport) report = NULL;
  g_autoptr (GError) error = NULL;
  CuredMergeRule rule;
  CuredMergeAccept accept;

  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc < 2 || output == NULL)
    return cured_cli_fail (_ ("merge needs result files and where to write, such as “cured merge "
                              "0.cured 1.cured -o all.cured”"));
  if (!cured_cli_check_output (output, NULL, force))
    return CURED_EXIT_USAGE;
  if (!parse_rule (on_conflict, &rule) || !parse_accept (accept_text, &accept))
    return CURED_EXIT_USAGE;
  report = cured_merge ((const char *const *) argv + 1, output, rule, accept, force, NULL, &error);
  if (report == NULL)
    return cured_cli_fail_error (error);
  if (json)
    print_json (report, output);
  else
    cured_cli_print_merge (report, output);
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
  .run = run_merge,
};
