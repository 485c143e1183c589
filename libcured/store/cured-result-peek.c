/* SPDX-License-Identifier: MIT
 * A few facts of a result file, without reading the rest of it. */
#include <glib/gi18n-lib.h>

#include "store/cured-database-private.h"
#include "store/cured-result.h"

/* @error: as from cured_result_load()
 *
 * Reads only the kernel's id from a file. Blocks.
 * Returns: (transfer full) (nullable): the kernel's id */
char *
cured_result_peek_kernel_id (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);

  g_autoptr (CuredDatabase) database = _cured_database_open (path, FALSE, error);
  if (database == NULL)
    return NULL;
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (database, "SELECT id FROM kernel", error);
  int has_row = _cured_database_next (database, statement, error);
  if (has_row == 0)
    _cured_database_damaged (database, error, _ ("it names no kernel"));
  return has_row > 0 ? _cured_database_dup_text (statement, 0, 0) : NULL;
}

/* @stage_ns: (out caller-allocates) (array fixed-size=4): wall time of each #CuredStage, summed
 *   over the cells that ran, nanoseconds
 * @error: as from cured_result_load()
 *
 * Reads only the wall times of the cells from a file. Blocks.
 * Returns: number of cells that ran, or -1 with @error set */
gint64
cured_result_peek_stages (const char *path, gint64 *stage_ns, GError **error)
{
  g_return_val_if_fail (path != NULL && stage_ns != NULL, -1);

  g_autoptr (CuredDatabase) database = _cured_database_open (path, FALSE, error);
  if (database == NULL)
    return -1;
  g_autoptr (sqlite3_stmt) statement = _cured_database_prepare (
      database,
      "SELECT count(*), total(compile_ns), total(prepare_ns), total(check_ns), total(sampling_ns) "
      "FROM cell WHERE state NOT IN (SELECT state FROM state WHERE name IN ('not run', 'not "
      "launchable'))",
      error);
  if (_cured_database_next (database, statement, error) <= 0)
    return -1;
  for (int i = 0; i < CURED_N_STAGES; i++)
    stage_ns[i] = sqlite3_column_int64 (statement, 1 + i);
  return sqlite3_column_int64 (statement, 0);
}
