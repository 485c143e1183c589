/* SPDX-License-Identifier: MIT
 * Progress of a run: a bar on a terminal, plain lines elsewhere, or lines of JSON. */
#include "cured-cli-progress.h"

#include <glib/gi18n.h>
#include <math.h>
#include <poll.h>
#include <unistd.h>

#include "cured-cli.h"

#define MIN_BAR_WIDTH 10
#define MAX_BAR_WIDTH 40

struct _CuredCliProgress
{
  CuredPlan *plan;
  gboolean is_json, is_utf8;
  char *last; /* line of JSON; NULL: none yet */
};

/* Returns a progress that writes to standard error, so that standard output keeps the answer
 * alone. */
CuredCliProgress *
cured_cli_progress_new (CuredPlan *plan, gboolean is_json)
{
  CuredCliProgress *self = g_new0 (CuredCliProgress, 1);

  self->plan = cured_plan_ref (plan);
  self->is_json = is_json;
  self->is_utf8 = g_get_charset (NULL);
  return self;
}

void
cured_cli_progress_free (CuredCliProgress *self)
{
  cured_cli_line_clear ();
  cured_plan_unref (self->plan);
  g_free (self->last);
  g_free (self);
}

static char *
cut (const char *text, gsize width)
{
  const char *at = text;
  gsize used = 0;

  for (; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);
      gsize needs = g_unichar_iszerowidth (character) ? 0 : g_unichar_iswide (character) ? 2 : 1;

      if (used + needs > width)
        break;
      used += needs;
    }
  return g_strndup (text, (gsize) (at - text));
}

static void
append_states (GString *text, const CuredProgress *progress)
{
  for (guint i = CURED_STATE_WRONG; i <= CURED_STATE_TIMED_OUT; i++)
    if (progress->n_states[i] > 0)
      g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "",
                              cured_cli_count (progress->n_states[i]),
                              _ (cured_state_to_string ((CuredState) i)));
}

/* Returns one line, at most @columns - 1 columns wide: the last column would make some terminals
 * wrap. */
static char *
compose (const CuredCliProgress *self, const CuredProgress *progress, int columns)
{
  g_autoptr (GString) rest = g_string_new (NULL);
  g_autoptr (GString) states = g_string_new (NULL);
  g_autofree char *course = cured_progress_describe (progress);

  append_states (states, progress);
  g_string_append_printf (rest, "%s/%s", cured_cli_count (progress->n_done),
                          cured_cli_count (progress->n_cells));
  if (progress->eta_ns >= 0 && progress->n_left > 0)
    {
      /* Translators: a time. */

      cured_cli_append_item (
          rest,
          cured_cli_printf (_ ("%s left"), cured_cli_seconds ((double) progress->eta_ns / 1e9)));
    }
  if (course != NULL)
    cured_cli_append_item (rest, course);
  /* Failures before the best: a narrow terminal must not cut them. */
  if (states->len > 0)
    cured_cli_append_item (rest, states->str);
  if (progress->best_cell >= 0 && !isnan (progress->best_ns))
    {
      cured_cli_append_item (
          rest, cured_cli_lend (/* Translators: a time, and a cell. */
                                g_strdup_printf (_ ("best %s at %s"),
                                                 cured_cli_quantity (progress->best_ns, "ns"),
                                                 cured_cli_lend (cured_plan_describe_cell (
                                                     self->plan, progress->best_cell)))));
    }
  if (columns <= 0)
    return g_string_free (g_steal_pointer (&rest), FALSE);

  gsize width = (gsize) MAX (columns - 1, 1);
  if (cured_cli_get_width (rest->str) + MIN_BAR_WIDTH + 1 > width)
    return cut (rest->str, width);
  width = MIN (width - cured_cli_get_width (rest->str) - 1, MAX_BAR_WIDTH);
  gsize filled = (gsize) ((double) width * cured_progress_get_fraction (progress));
  g_autoptr (GString) bar = g_string_new (NULL);
  for (gsize i = 0; i < width; i++)
    g_string_append (bar, self->is_utf8 ? (i < filled ? "█" : "░") : (i < filled ? "#" : "."));
  g_string_append_printf (bar, " %s", rest->str);
  return g_string_free (g_steal_pointer (&bar), FALSE);
}

/* For programs: a line for each change. */
static void
update_json (CuredCliProgress *self, const CuredProgress *progress)
{
  g_autofree char *best = NULL;

  if (progress->best_cell >= 0)
    best = cured_plan_describe_cell (self->plan, progress->best_cell);
  g_autofree char *line = cured_cli_json_line (
      "{done cells fraction left_s best best_ns}", progress->n_done, progress->n_cells,
      cured_progress_get_fraction (progress),
      progress->eta_ns < 0 ? NAN : (double) progress->eta_ns / 1e9, best, progress->best_ns);
  if (g_strcmp0 (line, self->last) == 0)
    return;
  g_printerr ("%s\n", line);
  g_free (self->last);
  self->last = g_steal_pointer (&line);
}

/* Redraws the bar, or prints a plain line if the last one is old enough. Call it ten times per
 * second. */
void
cured_cli_progress_update (CuredCliProgress *self, const CuredProgress *progress)
{
  int columns = cured_cli_line_is_redrawn () ? cured_cli_get_columns (STDERR_FILENO) : 0;

  if (self->is_json && !cured_cli_is_quiet)
    update_json (self, progress);
  else if (cured_cli_line_is_due ())
    cured_cli_line_show (cured_cli_lend (compose (self, progress, columns)));
}

/* Prints a separate line above the bar. */
void
cured_cli_progress_print (CuredCliProgress *self, const char *line)
{
  if (cured_cli_is_quiet)
    return;
  cured_cli_line_clear ();
  g_printerr ("%s\n", line);
}

/* Whether the reader of the lines of JSON has exited, so that nobody needs the run any more. */
gboolean
cured_cli_progress_is_abandoned (const CuredCliProgress *self)
{
  struct pollfd reader = { .fd = STDERR_FILENO };

  return self->is_json && poll (&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0;
}
