/* SPDX-License-Identifier: MIT
 * The progress of a run, for people. */

#include "base/cured-base-internal.h"
#include "run/cured-runner.h"

/* @self: the progress of a run
 * Returns: the share that is done, from 0 to 1, as far as is known */
double
cured_progress_get_fraction (const CuredProgress *self)
{
  gint64 n = self->n_measured + self->n_left;

  return n > 0 ? (double) self->n_measured / (double) n : 0;
}

/* @self: the progress of a run
 * Returns: (transfer full) (nullable): the current round, unless it is the first, and remarks on
 *   the clock; for people */
char *
cured_progress_describe (const CuredProgress *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *waits = cured_format_count (self->n_waits);
  g_autofree char *throttled = cured_format_count (self->n_throttled);

  if (self->round > 1)
    /* Translators: of samples. */
    g_string_append_printf (text, _ ("round %u"), self->round);
  if (self->n_waits > 0)
    {
      g_string_append (text, text->len > 0 ? ", " : "");
      g_string_append_printf (text,
                              ngettext ("waited %s time for the clock",
                                        "waited %s times for the clock", (gulong) self->n_waits),
                              waits);
    }
  if (self->n_throttled > 0)
    {
      g_string_append (text, text->len > 0 ? ", " : "");
      g_string_append_printf (text,
                              /* Translators: a number of cells whose samples
                               * were taken at a low clock. */
                              ngettext ("%s throttled", "%s throttled", (gulong) self->n_throttled),
                              throttled);
    }
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}
