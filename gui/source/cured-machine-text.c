/* SPDX-License-Identifier: MIT
 * Machine code as text, beside the source. */
#include <config.h>

#include "source/cured-machine-text.h"

#include <glib/gi18n.h>

static void
append_barriers (GString *text, guint barriers)
{
  guint n = 0;

  for (guint i = 0; i < 6; i++)
    if ((barriers & 1u << i) != 0)
      {
        g_string_append_printf (text, "%u", i);
        n++;
      }
  g_string_append_printf (text, "%*s", (int) (8 - n), "");
}

/* Writes machine code as a table of fixed width, an instruction a row.
 * @lines: (element-type int): gets the line of the source of each row, 0 of none
 * Returns: (transfer full): the text */
char *
cured_machine_text (const CuredMachineView *machine, GArray *lines)
{
  GString *text = g_string_new (NULL);
  int none = 0;

  g_string_append_printf (text, "%-6s%11s %5s  %-8s%-8s%s\n", machine->arch,
                          /* Translators: headings of columns, at most 10 and 5 and 7 letters: how
                           * often an instruction ran, its stall cycles, barriers that it waits for
                           * and that it sets. */
                          C_ ("machine code", "executed"), C_ ("machine code", "stall"),
                          C_ ("machine code", "waits"), C_ ("machine code", "sets"),
                          machine->entry);
  g_array_append_val (lines, none);
  for (gsize i = 0; i < machine->n_lines; i++)
    {
      const CuredMachineLine *line = &machine->lines[i];
      g_autofree char *count = cured_format_count ((gint64) line->executed);

      g_string_append_printf (text, "%04x  %s%*s %5u  ", (guint) line->offset,
                              line->is_exact ? " " : "~", 10, count, line->stall);
      append_barriers (text, line->waits);
      append_barriers (text, line->sets);
      g_string_append_printf (text, "%s\n", line->text);
      g_array_append_val (lines, line->line);
    }
  return g_string_free (text, FALSE);
}
