/* SPDX-License-Identifier: MIT
 * The elements of buffers that a run prints. */
#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "cured-cli.h"

/* Elements per line, after the index of the first one. */
#define PER_LINE 8

/* Whether the run changed the element. */
static gboolean
has_changed (const CuredExcerpt *excerpt)
{
  for (gsize i = 0; excerpt->before != NULL && excerpt->after[i] != NULL; i++)
    if (!g_str_equal (excerpt->before[i], excerpt->after[i]))
      return TRUE;
  return FALSE;
}

static void
print_changes (const CuredExcerpt *excerpt)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rrr");

  cured_cli_table_add (table, "", C_ ("buffer", "before"), C_ ("buffer", "after"));
  for (gsize i = 0; excerpt->after[i] != NULL; i++)
    cured_cli_table_add (table, cured_cli_printf ("%" PRId64, excerpt->first + (gint64) i),
                         excerpt->before[i], excerpt->after[i]);
  cured_cli_table_print (table, "  ");
}

static void
print_elements (const CuredExcerpt *excerpt)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rrrrrrrrr");
  gsize length = g_strv_length (excerpt->after);

  for (gsize i = 0; i < length; i += PER_LINE)
    {
      const char *cells[PER_LINE];

      for (gsize j = 0; j < PER_LINE; j++)
        cells[j] = i + j < length ? excerpt->after[i + j] : "";
      cured_cli_table_add (table, cured_cli_printf ("%" PRId64, excerpt->first + (gint64) i),
                           cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6],
                           cells[7]);
    }
  cured_cli_table_print (table, "  ");
}

/* A number if JSON can represent it, null for poison, otherwise a text. */
static void
add_element (const char *text)
{
  char *end = NULL;
  gint64 integer;

  if (g_str_equal (text, "unwritten"))
    {
      cured_cli_json_put ("~");
      return;
    }
  if (g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &integer, NULL))
    {
      cured_cli_json (".", integer);
      return;
    }
  double real = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && g_ascii_isdigit (end[-1]) && strpbrk (text, ".eE") != NULL)
    cured_cli_json (".", real);
  else
    cured_cli_json (".", text);
}

static void
add_elements (const char *name, char **texts)
{
  cured_cli_json ("$[", name);
  for (gsize i = 0; texts[i] != NULL; i++)
    add_element (texts[i]);
  cured_cli_json_put ("]");
}

/* Prints each as a table: one element a line if the run changed some, otherwise several; in JSON,
 * as the member `buffers`. */
void
cured_cli_print_excerpts (const GPtrArray *excerpts)
{
  cured_cli_json_put ("buffers[");
  for (guint i = 0; i < excerpts->len; i++)
    {
      const CuredExcerpt *excerpt = g_ptr_array_index (excerpts, i);
      gsize length = g_strv_length (excerpt->after);
      const char *total = cured_cli_count (excerpt->length);

      cured_cli_json ("{buffer type length first", excerpt->buffer, excerpt->type, excerpt->length,
                      excerpt->first);
      if (excerpt->before != NULL)
        add_elements ("before", excerpt->before);
      add_elements ("after", excerpt->after);
      cured_cli_json_put ("}");
      if (length == 0)
        /* Translators: a buffer, its type, and how many elements it has. */
        g_print (_ ("\n%s, %s, has %s elements, and none from %" PRId64 " on\n"), excerpt->buffer,
                 excerpt->type, total, excerpt->first);
      else
        /* Translators: a buffer, its type, and which of how many elements. */
        g_print (_ ("\n%s, %s, elements %" PRId64 " to %" PRId64 " of %s\n"), excerpt->buffer,
                 excerpt->type, excerpt->first, excerpt->first + (gint64) length - 1, total);
      if (has_changed (excerpt))
        print_changes (excerpt);
      else
        print_elements (excerpt);
    }
  cured_cli_json_put ("]");
}
