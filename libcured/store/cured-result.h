/* SPDX-License-Identifier: MIT
 * A result in memory, which views show: from a file, or live from a run. */
#pragma once

#include <gio/gio.h>

#include "measure/cured-anchor.h"
#include "measure/cured-outcome.h"
#include "plan/cured-plan.h"

/* One parameter of the kernel with its values in this result; an axis with one value was kept
 * constant. */
typedef struct
{
  const char *name;
  const char *summary; /* nullable */
  CuredParameterKind kind;
  CuredAxis *values;
} CuredResultAxis;

/* One of the devices that measured. */
typedef struct
{
  gint64 number;        /* in the file */
  gsize place;          /* its position on the axis of devices; 0 if there is none */
  CuredDeviceInfo info; /* its identity and host */
} CuredResultDevice;

#define CURED_TYPE_RESULT (cured_result_get_type ())
/* States and metrics of every cell as columns; samples and messages of a cell are read on request.
 * Cell numbers are those of #CuredPlan: the index in the product of the axes, the last axis
 * fastest. Belongs to one thread at a time.
 *
 * Signals: `cell-changed` (gint64 cell), after cured_result_set_outcome(); `remark-changed` (gint64
 * cell), after cured_result_set_remark(). */
G_DECLARE_FINAL_TYPE (CuredResult, cured_result, CURED, RESULT, GObject)

CuredResult *cured_result_load (const char *path, GCancellable *cancellable, GError **error);
CuredResult *cured_result_load_ready (const char *path, GCancellable *cancellable, GError **error);
CuredResult *cured_result_load_again (CuredResult *self, GCancellable *cancellable, GError **error);
gint64 cured_result_peek_stages (const char *path, gint64 *stage_ns, GError **error);
char *cured_result_peek_kernel_id (const char *path, GError **error);
CuredResult *cured_result_new (CuredPlan *plan, const CuredDeviceInfo *device, const char *path);

/* All (transfer none): the file (nullable); the kernel, with one parameter per axis (NULL: its
 * source can't be parsed, or there is none); its title; the id of the #CuredImportFormat from which
 * the file was imported (NULL: Cured measured it): such a result can't be run, inspected or
 * continued. */
const char *cured_result_get_path (CuredResult *self);
CuredKernel *cured_result_get_kernel (CuredResult *self);
const char *cured_result_get_kernel_id (CuredResult *self);
const char *cured_result_get_imported (CuredResult *self);
const char *cured_result_get_title (CuredResult *self);
const char *cured_result_get_source (CuredResult *self);
const CuredDeviceInfo *cured_result_get_device (CuredResult *self);
const CuredResultDevice *cured_result_get_devices (CuredResult *self, gsize *n_devices);
gboolean cured_result_get_cell_device (CuredResult *self, gint64 cell, gsize *device);
const CuredDeviceInfo *cured_result_get_device_of (CuredResult *self, gint64 cell);
const CuredAnchor *cured_result_get_anchors (CuredResult *self, gsize *n_anchors);
const CuredDeviceNote *cured_result_get_notes (CuredResult *self, gsize *n_notes);
char *cured_result_describe_note (CuredResult *self, const CuredDeviceNote *note);
char *cured_result_describe_cell_rounds (CuredResult *self, gint64 cell);
char *cured_result_describe_rounds (CuredResult *self);
const CuredOptions *cured_result_get_options (CuredResult *self);
GDateTime *cured_result_get_created (CuredResult *self);
GDateTime *cured_result_get_changed (CuredResult *self);
const char *cured_result_get_cured_version (CuredResult *self);
gboolean cured_result_is_finished (CuredResult *self);

const CuredResultAxis *cured_result_get_axes (CuredResult *self, gsize *n_axes);
gboolean cured_result_rename_axis (CuredResult *self, const char *from, const char *to,
                                   GError **error);
gint64 cured_result_get_n_cells (CuredResult *self);
gint64 cured_result_get_cell (CuredResult *self, const gsize *positions);
void cured_result_get_positions (CuredResult *self, gint64 cell, gsize *positions);
CuredState cured_result_get_state (CuredResult *self, gint64 cell);
gint64 cured_result_count_state (CuredResult *self, CuredState state);
const guint8 *cured_result_get_states (CuredResult *self);
gint64 cured_result_next_cell (CuredResult *self, gint64 cell);

/* Iterates over the numbers of non-empty cells. */
#define CURED_EACH_CELL(result, cell)                                                              \
  for (gint64 cell = cured_result_next_cell (result, 0); cell >= 0;                                \
       cell = cured_result_next_cell (result, cell + 1))

gboolean cured_result_is_sparse (CuredResult *self);

const CuredMetricInfo *cured_result_get_metrics (CuredResult *self, gsize *n_metrics);
gboolean cured_result_find_metric (CuredResult *self, const char *id, gsize *metric);
gboolean cured_result_has_values (CuredResult *self, gsize metric);
gboolean cured_result_load_column (CuredResult *self, gsize metric, GCancellable *cancellable,
                                   GError **error);
double cured_result_get_value (CuredResult *self, gint64 cell, gsize metric);
char *cured_result_format_value (CuredResult *self, gint64 cell, gsize metric);

gboolean cured_result_load_work (CuredResult *self, gint64 cell, CuredWorkload **work,
                                 GError **error);
void cured_result_set_column (CuredResult *self, CuredMetric metric, const double *values);
CuredOutcome *cured_result_load_outcome (CuredResult *self, gint64 cell, GError **error);
void cured_result_load_outcome_async (CuredResult *self, gint64 cell, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
CuredOutcome *cured_result_load_outcome_finish (CuredResult *self, GAsyncResult *answer,
                                                GError **error);
void cured_result_set_outcome (CuredResult *self, gint64 cell, const CuredOutcome *outcome);
