/* SPDX-License-Identifier: MIT
 * cured doctor: checks whether this machine is suitable for measuring. */
#include <glib/gi18n.h>

#include "cured-cli.h"

#define CURED_VERB "machine/cured-verb-doctor.def"
#include "cured-verb.h"

static void
print (GPtrArray *lines)
{
  /* ORDER: as CuredCheckupState. */
  static const char *const states[] = {
    NC_ ("checkup", "ok"),
    NC_ ("checkup", "note"),
    NC_ ("checkup", "warning"),
    NC_ ("checkup", "fault"),
  };

  cured_cli_json_put ("[");
  for (guint i = 0; i < lines->len; i++)
    {
      const CuredCheckupLine *line = g_ptr_array_index (lines, i);

      g_print ("%s%s: %s: %s\n", line->gpu < 0 ? "" : cured_cli_printf ("cuda:%d ", line->gpu),
               line->id, g_dpgettext2 (NULL, "checkup", states[line->state]), line->text);
      if (line->remedy != NULL)
        g_print ("    → %s\n", line->remedy);
      cured_cli_json ("{id", line->id);
      if (line->gpu >= 0)
        cured_cli_json ("gpu", line->gpu);
      cured_cli_json ("state text remedy}", cured_checkup_state_get_id (line->state), line->text,
                      line->remedy);
    }
  cured_cli_json_put ("]");
}

static int
run (int argc, char **argv, GError **error)
{
  gboolean has_fault = FALSE;

  g_autoptr (GPtrArray) lines = cured_checkup_run (NULL, NULL);
  for (guint i = 0; i < lines->len; i++)
    {
      const CuredCheckupLine *line = g_ptr_array_index (lines, i);

      has_fault = has_fault || line->state == CURED_CHECKUP_FAULT;
    }
  print (lines);
  return has_fault ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}
