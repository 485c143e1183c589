/* SPDX-License-Identifier: MIT
 * The page of a folder's results, and a file's history. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- The result files of a folder ---- */

#define CURED_TYPE_FOLDER_PAGE (cured_folder_page_get_type ())
/* A sorted, searchable list of result files. Signals: `open-file` (GFile *): the user opened a
 * file; `compare` (GFile *first, GFile *second): the user wants to compare two. */
G_DECLARE_FINAL_TYPE (CuredFolderPage, cured_folder_page, CURED, FOLDER_PAGE, AdwBin)

void cured_folder_page_open (CuredFolderPage *self, GFile *folder);

/* ---- A line chart over several files, of their best cells or of one cell ---- */

#define CURED_TYPE_HISTORY_WINDOW (cured_history_window_get_type ())
/* Signal: `open-file` (GFile *): the user wants to see the file of a point. */
G_DECLARE_FINAL_TYPE (CuredHistoryWindow, cured_history_window, CURED, HISTORY_WINDOW, AdwWindow)

CuredHistoryWindow *cured_history_window_new (GtkWindow *parent, const char *const *paths,
                                              CuredResult *like, gint64 cell);

/* ---- A result file in a list, with a thumbnail of its map ---- */

/* Displayed size of the picture. */
#define CURED_SUMMARY_WIDTH  72
#define CURED_SUMMARY_HEIGHT 48

typedef struct
{
  char *error;         /* (nullable): why the file can't be read; the rest is then unset */
  char *title;         /* the kernel's */
  char *kernel_id;     /* of the kernel */
  char *device;        /* its name */
  GDateTime *created;  /* (nullable): when the sweep began */
  gint64 n_cells;      /* of the result */
  double best_ns;      /* the least time of all cells; NaN: there is none */
  char *best;          /* (nullable): @best_ns as text */
  CuredOrigin origin;  /* of @best_ns */
  GdkTexture *picture; /* (nullable): the map without axes */
} CuredFacts;

#define CURED_TYPE_SUMMARY (cured_summary_get_type ())
/* A result file in a list. Main thread only. Signal: `read`: the facts were read or changed. */
G_DECLARE_FINAL_TYPE (CuredSummary, cured_summary, CURED, SUMMARY, GObject)

CuredSummary *cured_summary_get (const char *path);
const char *cured_summary_get_path (CuredSummary *self);
const char *cured_summary_get_name (CuredSummary *self);
const CuredFacts *cured_summary_get_facts (CuredSummary *self);
char *cured_summary_describe (CuredSummary *self);
gboolean cured_summary_matches (CuredSummary *self, char **words);
void cured_summary_read (CuredSummary *self, CuredTask **slot, gpointer owner,
                         void (*read) (gpointer owner));
