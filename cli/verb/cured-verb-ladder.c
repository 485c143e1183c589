/* SPDX-License-Identifier: MIT
 * cured ladder: the steps of a family beside its peers and the limit. */
#include <glib/gi18n.h>
#include <math.h>
#include <unistd.h>

#include "cured-cli-job.h"
#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-ladder.def"
#include "cured-verb.h"

/* Least and greatest width of a bar, in columns of the terminal. */
#define LEAST_BAR 12
#define MOST_BAR  40

/* Approximate width of the other columns of the table. */
#define OTHER_COLUMNS 90

static int
list_families (void)
{
  g_auto (GStrv) families = cured_ladder_list_families ();
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrl");

  cured_cli_table_add (table, _ ("family"), _ ("steps"), _ ("from … to"));
  cured_cli_json_put ("[");
  for (gsize i = 0; families[i] != NULL; i++)
    {
      g_auto (GStrv) steps = cured_ladder_list_steps (families[i]);
      guint n_steps = g_strv_length (steps);

      cured_cli_table_add (table, families[i], cured_cli_printf ("%u", n_steps),
                           cured_cli_printf ("%s … %s", steps[0], steps[n_steps - 1]));
      cured_cli_json ("{family steps}", families[i], steps);
    }
  cured_cli_json_put ("]");
  cured_cli_table_print (table, "");
  g_print (_ ("\nTry: cured ladder %s\n"), families[0] != NULL ? families[0] : "reduce");
  return CURED_EXIT_OK;
}

/* Eighths of a column. */
static char *
draw_bar (double value, double most, int columns)
{
  static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
  GString *text = g_string_new (NULL);
  long n;

  if (isnan (value) || !(most > 0))
    return g_string_free (text, FALSE);
  n = lround (value / most * columns * 8);
  for (long i = 0; i < n / 8; i++)
    g_string_append (text, "█");
  g_string_append (text, n > 0 ? eighths[n % 8] : "");
  return g_string_free (text, FALSE);
}

/* The rate, if there is one: its bars grow as the kernels improve. */
static double
get_value (const CuredLadderView *self, double rate, double time)
{
  return isnan (self->work) ? time : rate;
}

static double
get_most (const CuredLadderView *self)
{
  double most = 0;

  for (guint i = 0; i < self->rungs->len; i++)
    {
      const CuredRung *rung = &g_array_index (self->rungs, CuredRung, i);

      most = fmax (most, get_value (self, rung->rate, rung->time));
    }
  for (guint i = 0; i < self->peers->len; i++)
    {
      const CuredLadderPeer *peer = self->peers->pdata[i];

      most = fmax (most, get_value (self, peer->rate, peer->time));
    }
  return fmax (most, get_value (self, self->ladder->limit, self->limit_time));
}

static char *
format_number (double value, const char *unit)
{
  return isnan (value) ? g_strdup ("") : cured_format_quantity (value, unit);
}

static char *
format_time (double time, gboolean is_scaled)
{
  g_autofree char *figure = format_number (time, "ns");

  return g_strconcat (is_scaled && *figure != '\0' ? "≈ " : "", figure, NULL);
}

static char *
format_factor (double factor)
{
  return isnan (factor) ? g_strdup ("") : g_strdup_printf ("%.2f×", factor);
}

static void
add_row (CuredCliTable *table, const CuredLadderView *self, const char *number, const char *name,
         gboolean is_scaled, double time, double factor, double standard, double standard_factor,
         double rate, double of_limit, int columns)
{
  const char *unit = cured_metric_info (self->ladder->rate)->unit;
  cured_cli_table_add (
      table, number, name, cured_cli_lend (format_time (time, is_scaled)),
      cured_cli_lend (format_factor (factor)), cured_cli_lend (format_time (standard, is_scaled)),
      cured_cli_lend (format_factor (standard_factor)), cured_cli_lend (format_number (rate, unit)),
      cured_cli_lend (cured_explain_is_at_limit (of_limit) ? g_strdup (_ ("at limit"))
                                                           : format_number (of_limit, "ratio")),
      cured_cli_lend (draw_bar (get_value (self, rate, time), get_most (self), columns)));
}

static gboolean
explain (CuredCliJob *job, gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredExaminer) examiner = cured_examiner_new (NULL);

  return cured_ladder_view_explain (user_data, examiner, cured_cli_job_report, job, cancellable,
                                    error);
}

/* Prints the limit of each step, and whether it changed. */
static void
print_limits (const CuredLadderView *self)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rlrll");
  int before = -1;

  cured_cli_table_add (table, _ ("step"), _ ("kernel"), _ ("busy"), _ ("limited by"), "");
  for (guint i = 0; i < self->rungs->len; i++)
    {
      const CuredRung *rung = &g_array_index (self->rungs, CuredRung, i);
      g_autofree char *moved = NULL;

      if (before >= 0 && rung->limiter >= 0 && rung->limiter != before)
        /* Translators: the limit of the step before this one. */
        moved = g_strdup_printf (_ ("before: %s"), cured_factor_get_title (before));
      cured_cli_table_add (table, cured_cli_printf ("%d", rung->step->kernel->rung),
                           rung->step->kernel->id,
                           cured_cli_lend (format_number (rung->limiter_share, "ratio")),
                           rung->limiter >= 0 ? cured_factor_get_title (rung->limiter) : "–",
                           moved != NULL ? moved : "");
      if (rung->limiter >= 0)
        before = rung->limiter;
    }
  g_print ("\n");
  cured_cli_table_print (table, "");
}

static void
print_notes (const CuredLadderView *self)
{
  const CuredLadder *ladder = self->ladder;
  guint n_missing = self->rungs->len - self->n_recorded;

  if (self->n_scaled > 0)
    {
      g_print (_ ("\n"
                  "≈ recorded at another size or workload; the time is scaled by the rate:\n"));
      for (guint i = 0; i < self->rungs->len; i++)
        {
          const CuredRung *rung = &g_array_index (self->rungs, CuredRung, i);

          if (rung->is_scaled)
            g_print ("  %s: %s\n", rung->step->kernel->id, ladder->problems[rung->cell->problem]);
        }
    }
  if (n_missing > ladder->n_foreign)
    g_print (ngettext ("%u step was not recorded.\n", "%u steps were not recorded.\n",
                       n_missing - ladder->n_foreign),
             n_missing - ladder->n_foreign);
  if (ladder->n_foreign > 0)
    g_print (ngettext ("%u step was recorded only on another device.\n",
                       "%u steps were recorded only on another device.\n", ladder->n_foreign),
             ladder->n_foreign);
  if (ladder->problems[0] != NULL && ladder->problems[1] != NULL)
    g_print (_ ("Sizes (--size): %s\n"), cured_cli_lend (g_strjoinv ("  ", ladder->problems)));
}

static void
print_text (const CuredLadderView *self, gboolean limits)
{
  const CuredLadder *ladder = self->ladder;
  int columns = CLAMP (cured_cli_get_columns (STDOUT_FILENO) - OTHER_COLUMNS, LEAST_BAR, MOST_BAR);
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rlrrrrrrl");
  gboolean has_detours = FALSE;

  g_print ("%s", ladder->family);
  if (ladder->device != NULL)
    g_print (" · %s · %s", ladder->device,
             ladder->problems[0] != NULL ? ladder->problems[self->problem] : "");
  g_print ("\n\n");
  cured_cli_table_add (table, _ ("step"), _ ("kernel"), _ ("best time"), _ ("speed-up"),
                       _ ("at defaults"), _ ("speed-up"), _ ("rate"), _ ("of limit"), "");
  for (guint i = 0; i < self->rungs->len; i++)
    {
      const CuredRung *rung = &g_array_index (self->rungs, CuredRung, i);
      gboolean is_detour = rung->step->kernel->is_detour;
      g_autofree char *number =
          g_strdup_printf (is_detour ? "(%d)" : "%d", rung->step->kernel->rung);

      has_detours = has_detours || is_detour;
      add_row (table, self, number, rung->step->kernel->id, rung->is_scaled, rung->time,
               cured_ladder_view_get_factor (self, i, FALSE), rung->standard_time,
               cured_ladder_view_get_factor (self, i, TRUE), rung->rate, rung->of_limit, columns);
    }
  for (guint i = 0; i < self->peers->len; i++)
    {
      const CuredLadderPeer *peer = self->peers->pdata[i];

      add_row (table, self, "", peer->name, FALSE, peer->time, CURED_MISSING, CURED_MISSING,
               CURED_MISSING, peer->rate, peer->rate / ladder->limit, columns);
    }
  if (!isnan (ladder->limit))
    add_row (table, self, "", _ (ladder->limit_name), FALSE, self->limit_time, CURED_MISSING,
             CURED_MISSING, CURED_MISSING, ladder->limit, 1.0, columns);
  cured_cli_table_print (table, "");
  if (has_detours)
    g_print (_ ("\n(step): a detour; the next step is compared with the one before it\n"));
  if (limits)
    print_limits (self);
  print_notes (self);
}

static gboolean
print_json (const CuredLadderView *view, GError **error)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();

  if (!cured_ladder_view_write_json (view, stream, NULL, error))
    return FALSE;
  g_output_stream_write (stream, "", 1, NULL, NULL);
  cured_cli_print_document (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (stream)));
  return TRUE;
}

static int
run (int argc, char **argv, GError **error)
{
  gsize problem = 0;

  if (!cured_cli_check_with (given.limits, "--limits", argc > 1, "FAMILY") ||
      !cured_cli_check_with (given.size != NULL, "--size", argc > 1, "FAMILY"))
    return CURED_EXIT_USAGE;
  if (argc == 1)
    return list_families ();
  if (given.folder == NULL)
    given.folder = cured_recordings_find_folder ();
  g_autoptr (CuredLadder) ladder =
      cured_ladder_new (argv[1], given.folder, (const char *const *) argv + 2, NULL, error);
  if (ladder == NULL)
    return CURED_EXIT_USAGE;
  for (guint i = 0; i < ladder->left_out->len && !cured_cli_is_quiet; i++)
    /* Translators: a file, and a family of kernels. */
    g_printerr (_ ("%s is ignored: it has no times of a step of “%s”\n"),
                (const char *) g_ptr_array_index (ladder->left_out, i), ladder->family);
  if (given.size != NULL && !cured_ladder_find_problem (ladder, given.size, &problem, error))
    {
      g_prefix_error (error, "--size: ");
      return CURED_EXIT_USAGE;
    }
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, problem);
  /* Translators: what goes on while cells are counted. */
  if (given.limits && !cured_cli_job_run (_ ("Counting"), explain, view, NULL, error))
    return CURED_EXIT_USAGE;
  if (!cured_cli_is_json)
    print_text (view, given.limits);
  else if (!print_json (view, error))
    return CURED_EXIT_USAGE;
  return CURED_EXIT_OK;
}
