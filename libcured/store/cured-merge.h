/* SPDX-License-Identifier: MIT
 * One result file of several: shards of a plan, or sweeps of unlike devices. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * CuredMergeRule: what becomes of a cell that two files measured.
 * @CURED_MERGE_REFUSE: nothing is merged
 * @CURED_MERGE_NEWEST: the later measurement
 * @CURED_MERGE_OLDEST: the earlier one
 * @CURED_MERGE_FIRST: that of the file that is named first
 */
typedef enum
{
  CURED_MERGE_REFUSE,
  CURED_MERGE_NEWEST,
  CURED_MERGE_OLDEST,
  CURED_MERGE_FIRST,
} CuredMergeRule;

/**
 * CuredMergeAccept: differences of files that are no obstacle.
 * @CURED_MERGE_ACCEPT_NONE: none
 * @CURED_MERGE_ACCEPT_SOURCE: the kernel's source; the first file's is kept
 * @CURED_MERGE_ACCEPT_OPTIONS: how it was measured; the first file's is kept
 * @CURED_MERGE_ACCEPT_AXES: the values of the parameters; all are kept
 */
typedef enum
{
  CURED_MERGE_ACCEPT_NONE = 0,
  CURED_MERGE_ACCEPT_SOURCE = 1 << 0,
  CURED_MERGE_ACCEPT_OPTIONS = 1 << 1,
  CURED_MERGE_ACCEPT_AXES = 1 << 2,
} CuredMergeAccept;

/**
 * CuredMergeReport:
 * @n_files: files that were read
 * @n_cells: cells of the merged sweep
 * @n_written: cells that it has, those that can't be launched included
 * @n_missing: cells that no file has
 * @n_repeated: cells that another file has as well, word for word
 * @n_conflicts: cells that two files measured with different results
 * @conflicts: (element-type utf8): the first of them, for people
 * @differences: (element-type utf8): what the files do not have in common, and
 *   was accepted
 */
typedef struct
{
  gsize n_files;
  gint64 n_cells;
  gint64 n_written;
  gint64 n_missing;
  gint64 n_repeated;
  gint64 n_conflicts;
  GPtrArray *conflicts;
  GPtrArray *differences;
} CuredMergeReport;

CuredMergeReport *cured_merge (const char *const *paths, const char *out_path, CuredMergeRule rule,
                               CuredMergeAccept accept, gboolean overwrite,
                               GCancellable *cancellable, GError **error);
void cured_merge_report_free (CuredMergeReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMergeReport, cured_merge_report_free)

G_END_DECLS
