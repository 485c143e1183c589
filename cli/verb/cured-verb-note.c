/* SPDX-License-Identifier: MIT
 * cured note: notes of people about a file and its cells. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-note.def"
#include "cured-verb.h"

static void
print_notes (CuredResult *result, gboolean of_one, gint64 wanted)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("ll");
  gsize n_remarks;
  const CuredRemark *remarks = cured_result_get_remarks (result, &n_remarks);

  cured_cli_json_put ("{notes[");
  for (gsize i = 0; i < n_remarks; i++)
    {
      gint64 cell = remarks[i].cell;

      if (of_one && cell != wanted)
        continue;
      cured_cli_table_add (table,
                           cell >= 0 ? cured_cli_describe_cell (result, cell) : _ ("the file"),
                           remarks[i].text);
      cured_cli_json_put ("{cell:");
      cured_cli_json_add_cell (result, cell);
      cured_cli_json ("text}", remarks[i].text);
    }
  cured_cli_json_put ("]}");
  cured_cli_table_print (table, "");
}

static int
run (int argc, char **argv, GError **error)
{
  g_autoptr (CuredResult) result = cured_result_load (argv[1], NULL, error);
  gint64 cell = CURED_REMARK_OF_FILE;

  if (result == NULL || (given.at != NULL && !cured_cli_find_cell (result, given.at, &cell, error)))
    return CURED_EXIT_USAGE;
  if (argc > 2)
    return cured_remark_write (argv[1], cured_result_get_created (result), cell, argv[2], error)
               ? CURED_EXIT_OK
               : CURED_EXIT_USAGE;
  print_notes (result, given.at != NULL, cell);
  return CURED_EXIT_OK;
}
