/* SPDX-License-Identifier: MIT
 * Texts about cells and figures. */
#pragma once

#include "cured-plot.h"

/* A tooltip has no more lines than people read there */
#define CURED_TEXT_TOOLTIP_LINES 12

const char *cured_text_origin (CuredOrigin origin);
char *cured_text_metric (const CuredMetricInfo *metric);
char *cured_text_metric_of (CuredResult *result, const CuredMetricInfo *metric);
char *cured_text_metric_tooltip (const CuredMetricInfo *metric);
char *cured_text_grouped (const char *text);
char *cured_text_values (CuredResult *result, gint64 cell, gboolean all);
char *cured_text_figure (CuredResult *result, gint64 cell, gsize metric);
char *cured_text_read_out (const CuredGrid *grid, gsize column, gsize row);
char *cured_text_selection (const CuredGrid *grid, const CuredGridSummary *summary);
char *cured_text_cell (CuredResult *result, gint64 cell, const CuredOutcome *outcome);
char *cured_text_first_lines (const char *text, guint n_lines);
char *cured_text_failures (const gint64 *n_states);
char *cured_text_file (GFile *file);
char *cured_text_place (const char *path);
char *cured_text_device (const CuredDeviceInfo *device);
