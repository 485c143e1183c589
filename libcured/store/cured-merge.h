/* SPDX-License-Identifier: MIT
 * Merges result files: shards of a plan, or sweeps on different devices. */
#pragma once

#include <gio/gio.h>

/* What to do with a cell that two files measured. */
typedef enum
{
  CURED_MERGE_REFUSE, /* merge nothing */
  CURED_MERGE_NEWEST, /* the later measurement */
  CURED_MERGE_OLDEST, /* the earlier one */
  CURED_MERGE_FIRST,  /* that of the first file */
} CuredMergeRule;

/* Differences of files that are accepted. */
typedef enum
{
  CURED_MERGE_ACCEPT_NONE = 0,         /* none */
  CURED_MERGE_ACCEPT_SOURCE = 1 << 0,  /* the kernel's source: keep the first file's */
  CURED_MERGE_ACCEPT_OPTIONS = 1 << 1, /* the options: keep the first file's */
  CURED_MERGE_ACCEPT_AXES = 1 << 2,    /* the values of parameters: keep all */
} CuredMergeAccept;

typedef struct
{
  gsize n_files;        /* files that were read */
  gint64 n_cells;       /* cells of the merged sweep */
  gint64 n_written;     /* cells that it has, including those that can't be launched */
  gint64 n_missing;     /* cells that no file has */
  gint64 n_repeated;    /* cells that another file has as well, with the same content */
  gint64 n_conflicts;   /* cells that two files measured with different results */
  GPtrArray *conflicts; /* (element-type utf8): the first of them, for people */
  /* (element-type utf8): differences of the files that were accepted */
  GPtrArray *differences;
} CuredMergeReport;

CuredMergeReport *cured_merge (const char *const *paths, const char *out_path, CuredMergeRule rule,
                               CuredMergeAccept accept, gboolean overwrite,
                               GCancellable *cancellable, GError **error);
void cured_merge_report_free (CuredMergeReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMergeReport, cured_merge_report_free)
