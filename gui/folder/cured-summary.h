/* SPDX-License-Identifier: MIT
 * What a list says of a result file, with a small picture of its map. */
#pragma once

#include <gtk/gtk.h>

#include "cured-plot.h"
#include "model/cured-task.h"

/* Of the picture, as it is shown. */
#define CURED_SUMMARY_WIDTH  72
#define CURED_SUMMARY_HEIGHT 48

/**
 * CuredFacts:
 * @error: (nullable): why the file can't be read; nothing else is told then
 * @title: what the kernel is called
 * @kernel_id: of the kernel
 * @device: its name
 * @created: (nullable): when the sweep began
 * @n_cells: of the result
 * @best_ns: the least time of all cells; NaN: there is none
 * @best: (nullable): @best_ns as text
 * @origin: of @best_ns
 * @picture: (nullable): the map without axes
 */
typedef struct
{
  char *error;
  char *title;
  char *kernel_id;
  char *device;
  GDateTime *created;
  gint64 n_cells;
  double best_ns;
  char *best;
  CuredOrigin origin;
  GdkTexture *picture;
} CuredFacts;

#define CURED_TYPE_SUMMARY (cured_summary_get_type ())
/**
 * CuredSummary:
 *
 * A result file in a list. Main thread only. Signal: `read`: the facts are known, or are other
 * ones.
 */
G_DECLARE_FINAL_TYPE (CuredSummary, cured_summary, CURED, SUMMARY, GObject)

CuredSummary *cured_summary_get (const char *path);
const char *cured_summary_get_path (CuredSummary *self);
const char *cured_summary_get_name (CuredSummary *self);
const CuredFacts *cured_summary_get_facts (CuredSummary *self);
char *cured_summary_describe (CuredSummary *self);
gboolean cured_summary_matches (CuredSummary *self, char **words);
void cured_summary_read (CuredSummary *self, CuredTask **slot, gpointer owner,
                         void (*read) (gpointer owner));
