/* SPDX-License-Identifier: MIT
 * Machine code as text, beside the source. */
#include <config.h>

#include "source/cured-gui-source.h"

static void
append_barriers (GString *text, guint barriers, int width)
{
  int n = 0;

  for (guint i = 0; i < 6; i++)
    if ((barriers & 1u << i) != 0)
      {
        g_string_append_printf (text, "%u", i);
        n++;
      }
  g_string_append_printf (text, "%*s", MAX (width - n, 1), "");
}

/* Appends a heading. Returns: the column's width in characters, with the space after it */
static int
append_heading (GString *text, const char *heading)
{
  g_string_append_printf (text, "%s ", heading);
  return (int) g_utf8_strlen (heading, -1) + 1;
}

/* Writes machine code as a table with an instruction per row. The other columns are only as wide as
 * their headings and numbers, to leave room for the instruction.
 * @lines: (element-type int): gets the source line of each row; 0: none
 * Returns: (transfer full): the text */
char *
cured_machine_text (const CuredMachineView *machine, GArray *lines)
{
  GString *text = g_string_new (NULL);
  /* Translators: headings of columns, short: how often an instruction ran, its stall cycles,
   * barriers that it waits for and that it sets. */
  const char *executed = C_ ("machine code", "executed");
  const char *stall = C_ ("machine code", "stall");
  int n_executed = (int) g_utf8_strlen (executed, -1);
  int n_stall = (int) g_utf8_strlen (stall, -1);
  int none = 0;

  for (gsize i = 0; i < machine->n_lines; i++)
    {
      g_autofree char *count = cured_format_count ((gint64) machine->lines[i].executed);

      n_executed = MAX (n_executed, (int) g_utf8_strlen (count, -1) + 1);
    }
  g_string_append_printf (text, "%-6s%*s%s %s ", machine->arch,
                          n_executed - (int) g_utf8_strlen (executed, -1), "", executed, stall);
  int n_waits = append_heading (text, C_ ("machine code", "waits"));
  int n_sets = append_heading (text, C_ ("machine code", "sets"));
  g_string_append_printf (text, "%s\n", machine->entry);
  g_array_append_val (lines, none);
  for (gsize i = 0; i < machine->n_lines; i++)
    {
      const CuredMachineLine *line = &machine->lines[i];
      g_autofree char *count = cured_format_count ((gint64) line->executed);

      g_string_append_printf (text, "%04x  %*s%s%s %*u ", (guint) line->offset,
                              n_executed - 1 - (int) g_utf8_strlen (count, -1), "",
                              line->is_exact ? " " : "~", count, n_stall, line->stall);
      append_barriers (text, line->waits, n_waits);
      append_barriers (text, line->sets, n_sets);
      g_string_append_printf (text, "%s\n", line->text);
      g_array_append_val (lines, line->line);
    }
  return g_string_free (text, FALSE);
}
