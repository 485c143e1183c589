/* SPDX-License-Identifier: MIT
 * A result in memory, which views show: from a file, or live from a run. */
#include "store/cured-result.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-sources-internal.h"
#include "store/cured-database-private.h"
#include "store/cured-ranks-private.h"
#include "store/cured-remarks-private.h"
#include "store/cured-result-private.h"

/* Columns with up to this many numbers in total are read with the file, in the loading thread;
 * larger ones on request. */
#define PRELOADED_NUMBERS (4 * 1000 * 1000)

/* A file with more cells than SPARSE_FROM, of which fewer than 1 in SPARSE_PART are non-empty, is
 * sparse: columns have places only for those. */
#define SPARSE_FROM (1 << 16)
#define SPARSE_PART 16

/* One metric of a result. */
typedef struct
{
  gint64 number;   /* in the file */
  double *values;  /* nullable: not loaded, or none yet; one number per place */
  gboolean exists; /* some cell has a value */
} Column;

struct _CuredResult
{
  GObject parent_instance;

  char *path;
  CuredHead *head;
  CuredKernel *kernel; /* nullable: the source can't be parsed */
  gint64 *strides;

  GArray *anchors;       /* (element-type CuredAnchor) (nullable) */
  GArray *notes;         /* (element-type CuredDeviceNote) (nullable) */
  GArray *remarks;       /* (element-type CuredRemark) (nullable): by cells */
  guint16 *cell_devices; /* (nullable): 1 + index among the devices; 0: unknown
                          */

  guint8 *states;
  gint64 n_states[CURED_N_STATES];
  CuredRanks *ranks; /* NULL: not sparse */
  gint64 n_places;   /* of numbers in a column: all cells, or the non-empty ones */

  GArray *infos; /* (element-type CuredMetricInfo): with texts that they own */
  Column *columns;
  gssize known[CURED_N_METRICS]; /* column of a metric; -1: none */

  CuredDatabase *database; /* NULL: a live result that read nothing yet */
  gboolean is_live;        /* columns come from cured_result_set_outcome() */
};

enum
{
  SIGNAL_CELL_CHANGED,
  SIGNAL_REMARK_CHANGED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredResult, cured_result, G_TYPE_OBJECT)

static void
cured_result_finalize (GObject *object)
{
  CuredResult *self = CURED_RESULT (object);

  for (guint i = 0; self->columns != NULL && i < self->infos->len; i++)
    g_free (self->columns[i].values);
  CURED_CLEAR (columns, g_free, infos, g_array_unref, states, g_free, ranks, _cured_ranks_free,
               cell_devices, g_free, anchors, g_array_unref, notes, g_array_unref, remarks,
               g_array_unref, strides, g_free, kernel, cured_kernel_unref, head, _cured_head_free,
               database, _cured_database_close);
  CURED_CLEAR (path, g_free);

  G_OBJECT_CLASS (cured_result_parent_class)->finalize (object);
}

static void
cured_result_class_init (CuredResultClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = cured_result_finalize;

  /* *
   * CuredResult::cell-changed:
   * @self: the result
   * @cell: number of the cell whose state or metrics changed */
  signals[SIGNAL_CELL_CHANGED] =
      g_signal_new ("cell-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_INT64);

  /* *
   * CuredResult::remark-changed:
   * @self: the result
   * @cell: number of the cell whose note changed, or %CURED_REMARK_OF_FILE
   */
  signals[SIGNAL_REMARK_CHANGED] =
      g_signal_new ("remark-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
cured_result_init (CuredResult *self)
{
  for (int i = 0; i < CURED_N_METRICS; i++)
    self->known[i] = -1;
}

/* Making */

static void
compute_strides (CuredResult *self)
{
  gint64 stride = 1;

  self->strides = g_new (gint64, self->head->n_axes + 1);
  for (gsize i = self->head->n_axes; i-- > 0;)
    {
      self->strides[i] = stride;
      stride *= (gint64) cured_axis_get_length (self->head->axes[i].values);
    }
}

static void
count_states (CuredResult *self)
{
  memset (self->n_states, 0, sizeof self->n_states);
  for (gint64 cell = 0; cell < self->head->n_cells; cell++)
    self->n_states[self->states[cell]]++;
  self->n_places = self->head->n_cells;
}

/* Called after counting. From here on, cells that a file declares but lacks cost one byte each. */
static void
rank_held (CuredResult *self)
{
  gint64 n_held = self->n_places - self->n_states[CURED_STATE_NOT_RUN];

  if (self->n_places <= SPARSE_FROM || n_held >= self->n_places / SPARSE_PART)
    return;
  self->ranks = _cured_ranks_new (self->states, self->n_places);
  self->n_places = n_held;
}

/* The index in columns of a cell; -1 if there is none. */
static gint64
get_place (const CuredResult *self, gint64 cell)
{
  return self->ranks != NULL ? _cured_ranks_find (self->ranks, cell) : cell;
}

/* Views match axes and parameters by position; a source with other parameters is treated like one
 * that can't be parsed. */
static gboolean
kernel_has_axes (CuredKernel *kernel, const CuredHead *head)
{
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;
  /* An additional last axis may be the devices. */
  if (n_parameters != head->n_axes &&
      (n_parameters + 1 != head->n_axes || head->axes[n_parameters].kind != CURED_PARAMETER_DEVICE))
    return FALSE;
  for (gsize i = 0; i < n_parameters; i++)
    if (!g_str_equal (parameters[i].name, head->axes[i].name))
      return FALSE;
  return TRUE;
}

static void
set_words (char **words, const char *newer)
{
  if (newer == NULL || *newer == '\0')
    return;
  g_free (*words);
  *words = g_strdup (newer);
}

static void
parse_kernel (CuredResult *self)
{
  g_autoptr (CuredKernel) kernel =
      cured_kernel_new_from_text (self->head->source, self->head->kernel_id, NULL, NULL);
  if (kernel == NULL || !kernel_has_axes (kernel, self->head))
    return;
  /* Titles come from the file, not from its source, since texts of recordings are revised after the
   * run. */
  set_words (&kernel->title, self->head->title);
  /* The file has numbers; their names are in the source. */
  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      CuredResultAxis *axis = &self->head->axes[i];
      CuredAxis *like = cured_axis_new_like (axis->values, kernel->parameters[i].values);

      set_words (&kernel->parameters[i].summary, axis->summary);
      cured_axis_unref (axis->values);
      axis->values = like;
    }
  self->kernel = g_steal_pointer (&kernel);
}

static CuredMetricInfo *
get_info (const CuredResult *self, gsize metric)
{
  return &g_array_index (self->infos, CuredMetricInfo, metric);
}

static void
set_texts (CuredMetricInfo *info, const char *title, const char *description)
{
  g_free ((char *) info->title);
  info->title = g_strdup (title);
  g_free ((char *) info->description);
  info->description = g_strdup (description);
}

/* For metrics known to this version, use its own texts, which are translated, whichever version
 * wrote the file. For another program's figures, Cured's texts would be wrong. */
static void
describe_metric (CuredResult *self, gsize index)
{
  CuredMetricInfo *info = get_info (self, index);
  CuredMetric metric;

  if (!cured_metric_from_id (info->id, &metric))
    return;
  self->known[metric] = (gssize) index;
  const CuredMetricInfo *own = cured_metric_info (metric);
  if (!g_str_equal (info->unit, own->unit))
    return;
  set_texts (info, own->title,
             self->head->imported == NULL ? own->description
             : metric == CURED_METRIC_time
                 ? N_ ("Median of the samples of the imported file, or else the figure that it has")
                 : N_ ("As the imported file has it"));
}

static gboolean
load_metrics (CuredResult *self, GError **error)
{
  g_autoptr (GArray) numbers = NULL;

  self->infos = _cured_database_read_metrics (self->database, &numbers, error);
  if (self->infos == NULL)
    return FALSE;
  self->columns = g_new0 (Column, self->infos->len);
  g_autoptr (sqlite3_stmt) find = _cured_database_prepare (
      self->database, "SELECT 1 FROM measurement WHERE metric = ?1 LIMIT 1", error);
  for (guint i = 0; i < self->infos->len; i++)
    {
      self->columns[i].number = g_array_index (numbers, gint64, i);
      if (find != NULL)
        sqlite3_bind_int64 (find, 1, self->columns[i].number);
      int has_row = _cured_database_next (self->database, find, error);
      if (has_row < 0)
        return FALSE;
      self->columns[i].exists = has_row > 0;
      sqlite3_reset (find);
      describe_metric (self, i);
    }
  return TRUE;
}

/* Adds a metric that the file may lack, and returns its index. */
static gsize
add_metric (CuredResult *self, CuredMetric metric)
{
  CuredMetricInfo info = *cured_metric_info (metric);

  if (self->infos == NULL)
    {
      self->infos = g_array_new (FALSE, TRUE, sizeof info);
      g_array_set_clear_func (self->infos, _cured_metric_clear);
    }
  info.id = g_strdup (info.id);
  info.unit = g_strdup (info.unit);
  info.title = g_strdup (info.title);
  info.description = g_strdup (info.description);
  g_array_append_val (self->infos, info);
  self->columns = g_renew (Column, self->columns, self->infos->len);
  self->columns[self->infos->len - 1] = (Column){ .number = -1 };
  self->known[metric] = (gssize) self->infos->len - 1;
  return self->infos->len - 1;
}

static gboolean
load_devices (CuredResult *self, GError **error)
{
  if (!_cured_database_read_cell_devices (self->database, self->head->devices, self->head->n_cells,
                                          &self->cell_devices, error))
    return FALSE;
  self->anchors = _cured_database_read_anchors (self->database, self->head->devices, error);
  if (self->anchors == NULL)
    return FALSE;
  self->notes = _cured_database_read_notes (self->database, self->head->devices, error);
  return self->notes != NULL;
}

static gboolean
load_tables (CuredResult *self, GError **error)
{
  self->head = _cured_head_read (self->database, error);
  if (self->head == NULL)
    return FALSE;
  self->states = _cured_database_read_states (self->database, self->head->n_cells, error);
  if (self->states == NULL || !load_metrics (self, error) || !load_devices (self, error))
    return FALSE;
  self->remarks = _cured_database_read_remarks (self->database, self->head->n_cells, error);
  return self->remarks != NULL;
}

/* Opens a result's file again, and checks that it was not replaced, since cell numbers would then
 * mean other cells.
 *
 * @created: (nullable): NULL: this program is writing the file */
static CuredDatabase *
open_again (const char *path, GDateTime *created, GError **error)
{
  CuredDatabase *database = _cured_database_open (path, FALSE, error);

  if (database != NULL && created != NULL && !_cured_database_is_of (database, created, error))
    g_clear_pointer (&database, _cured_database_close);
  return database;
}

static GDateTime *
get_created (CuredResult *self)
{
  return self->is_live ? NULL : self->head->created;
}

static CuredResult *
load (const char *path, GDateTime *created, GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredResult) self = g_object_new (CURED_TYPE_RESULT, NULL);

  self->path = g_strdup (path);
  self->database = open_again (path, created, error);
  if (self->database == NULL)
    return NULL;
  _cured_database_set_cancellable (self->database, cancellable);
  /* One transaction, so that a writer can't interfere. */
  if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
      !_cured_database_exec (self->database, "BEGIN", error))
    return NULL;
  gboolean ok = load_tables (self, error);
  if (!_cured_database_exec (self->database, "COMMIT", ok ? error : NULL))
    ok = FALSE;
  _cured_database_set_cancellable (self->database, NULL);
  if (!ok)
    return NULL;
  compute_strides (self);
  count_states (self);
  rank_held (self);
  parse_kernel (self);
  return g_steal_pointer (&self);
}

/* @cancellable: (nullable): ends loading with G_IO_ERROR_CANCELLED
 * @error: set to G_IO_ERROR_NOT_FOUND, CURED_ERROR_FOREIGN, _NEWER, _DAMAGED or _STORAGE
 *
 * Reads axes and states; blocks. A sweep may still be writing the file: the result has the cells
 * finished by then. The file is not changed, and stays open.
 * Returns: (transfer full) (nullable): the result */
CuredResult *
cured_result_load (const char *path, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);

  return load (path, NULL, cancellable, error);
}

/* @self: a result that has a file
 * @cancellable: (nullable): ends loading with G_IO_ERROR_CANCELLED
 * @error: as from cured_result_load(); CURED_ERROR_NOT_FOUND if the file has been replaced by
 *   another sweep
 *
 * Loads a copy for another thread, and may be called from there: it reads only constant members of
 * @self. Blocks.
 * Returns: (transfer full) (nullable): the result as its file has it now */
CuredResult *
cured_result_load_again (CuredResult *self, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && self->path != NULL, NULL);

  return load (self->path, get_created (self), cancellable, error);
}

/* Views need the first metric at once, and small files are read whole, so that the window's thread
 * never waits for the disk. */
static gboolean
preload (CuredResult *self, GCancellable *cancellable, GError **error)
{
  gint64 budget = PRELOADED_NUMBERS;

  for (gsize i = 0; i < self->infos->len; i++)
    {
      if (!self->columns[i].exists)
        continue;
      if (budget < self->n_places && budget != PRELOADED_NUMBERS)
        break;
      budget -= self->n_places;
      if (!cured_result_load_column (self, i, cancellable, error))
        return FALSE;
    }
  return TRUE;
}

/* @cancellable: (nullable): stops loading with G_IO_ERROR_CANCELLED
 *
 * As cured_result_load(); the first metric that has values is read too, and all of them if the file
 * is not large.
 * Returns: (transfer full) (nullable): the result */
CuredResult *
cured_result_load_ready (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredResult) result = cured_result_load (path, cancellable, error);

  if (result == NULL || !preload (result, cancellable, error) ||
      g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  return g_steal_pointer (&result);
}

/* @plan: the plan that runs
 * @device: the device that runs it
 * @path: (nullable): the file that the run writes
 *
 * Makes a live result, without any cell; cured_result_set_outcome() adds those that run. For a run
 * that continues a file, load the file instead and add cells in the same way.
 * Returns: (transfer full): the result */
CuredResult *
cured_result_new (CuredPlan *plan, const CuredDeviceInfo *device, const char *path)
{
  g_return_val_if_fail (plan != NULL && device != NULL, NULL);

  CuredResult *self = g_object_new (CURED_TYPE_RESULT, NULL);
  self->is_live = TRUE;
  self->path = g_strdup (path);
  self->head = _cured_head_new (plan, device);
  self->kernel = cured_kernel_ref (cured_spec_get_kernel (cured_plan_get_spec (plan)));
  self->states = g_malloc0 ((gsize) self->head->n_cells);
  for (gint64 cell = 0; cell < self->head->n_cells; cell++)
    if (cured_plan_get_reason (plan, cell) != NULL)
      self->states[cell] = CURED_STATE_NOT_LAUNCHABLE;
  for (int i = 0; i < CURED_N_METRICS; i++)
    add_metric (self, (CuredMetric) i);
  compute_strides (self);
  count_states (self);
  return self;
}

/* Getters of data about the whole file, documented in the header. */

#define GETTER(type, name, value)                                                                  \
  type cured_result_##name (CuredResult *self)                                                     \
  {                                                                                                \
    g_return_val_if_fail (CURED_IS_RESULT (self), (type) 0);                                       \
    return value;                                                                                  \
  }

/* clang-format off */
GETTER (const char *, get_path, self->path)
GETTER (CuredKernel *, get_kernel, self->kernel)
GETTER (const char *, get_kernel_id, self->head->kernel_id)
GETTER (const char *, get_imported, self->head->imported)
GETTER (const char *, get_title, self->head->title)
GETTER (const char *, get_source, self->head->source)
GETTER (const CuredDeviceInfo *, get_device, &self->head->device)
GETTER (const CuredOptions *, get_options, &self->head->options)
GETTER (GDateTime *, get_created, self->head->created)
GETTER (GDateTime *, get_changed, self->head->changed)
GETTER (const char *, get_cured_version, self->head->cured_version)
GETTER (gboolean, is_finished, self->head->finished)
GETTER (gint64, get_n_cells, self->head->n_cells)
GETTER (const guint8 *, get_states, self->states)
/* clang-format on */

/* Arrays, and their lengths. */

const CuredResultDevice *
cured_result_get_devices (CuredResult *self, gsize *n_devices)
{
  *n_devices = self->head->devices->len;
  return (const void *) self->head->devices->data;
}

static gconstpointer
get_array (GArray *array, gsize *n)
{
  *n = array != NULL ? array->len : 0;
  return *n > 0 ? array->data : NULL;
}

const CuredAnchor *
cured_result_get_anchors (CuredResult *self, gsize *n_anchors)
{
  return get_array (self->anchors, n_anchors);
}

/* Returns: (array length=n_remarks): notes, by cells; the one about the file comes first */
const CuredRemark *
cured_result_get_remarks (CuredResult *self, gsize *n_remarks)
{
  return get_array (self->remarks, n_remarks);
}

/* @cell: number of a cell, or %CURED_REMARK_OF_FILE
 * Returns: (transfer none) (nullable): the note; valid until it is set */
const char *
cured_result_get_remark (CuredResult *self, gint64 cell)
{
  guint index;

  return self->remarks != NULL && _cured_remarks_find (self->remarks, cell, &index)
             ? g_array_index (self->remarks, CuredRemark, index).text
             : NULL;
}

/* @cell: number of a cell, or %CURED_REMARK_OF_FILE
 * @text: the note; an empty one removes it
 *
 * Changes the note in memory, after cured_remark_write() has changed the file. Emits
 * `remark-changed` with @cell. */
void
cured_result_set_remark (CuredResult *self, gint64 cell, const char *text)
{
  CuredRemark remark = { .cell = cell, .text = _cured_remark_clean (text) };
  guint index;

  g_return_if_fail (cell >= CURED_REMARK_OF_FILE && cell < self->head->n_cells);

  if (self->remarks == NULL)
    self->remarks = _cured_remarks_new ();
  if (_cured_remarks_find (self->remarks, cell, &index))
    g_array_remove_index (self->remarks, index);
  if (remark.text != NULL)
    g_array_insert_val (self->remarks, index, remark);
  g_signal_emit (self, signals[SIGNAL_REMARK_CHANGED], 0, cell);
}

const CuredDeviceNote *
cured_result_get_notes (CuredResult *self, gsize *n_notes)
{
  return get_array (self->notes, n_notes);
}

const CuredResultAxis *
cured_result_get_axes (CuredResult *self, gsize *n_axes)
{
  if (n_axes != NULL)
    *n_axes = self->head->n_axes;
  return self->head->axes;
}

const CuredMetricInfo *
cured_result_get_metrics (CuredResult *self, gsize *n_metrics)
{
  if (n_metrics != NULL)
    *n_metrics = self->infos->len;
  return (const void *) self->infos->data;
}

/* @device: (out): index in cured_result_get_devices() of the device that measured it
 * Returns: FALSE if it is unknown */
gboolean
cured_result_get_cell_device (CuredResult *self, gint64 cell, gsize *device)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && cell >= 0 && cell < self->head->n_cells, FALSE);

  if (self->cell_devices == NULL || self->cell_devices[cell] == 0)
    return FALSE;
  *device = (gsize) self->cell_devices[cell] - 1;
  return TRUE;
}

/* Returns: (transfer none): the device that measured the cell, or else one of the kind that it is
 *   for */
const CuredDeviceInfo *
cured_result_get_device_of (CuredResult *self, gint64 cell)
{
  gsize place = 0, device;

  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);

  GArray *devices = self->head->devices;
  if (cured_result_get_cell_device (self, cell, &device))
    return &g_array_index (devices, CuredResultDevice, device).info;
  gsize last = self->head->n_axes;
  if (last > 0 && self->head->axes[last - 1].kind == CURED_PARAMETER_DEVICE)
    place = (gsize) (cell % (gint64) cured_axis_get_length (self->head->axes[last - 1].values));
  for (guint i = 0; i < devices->len; i++)
    if (g_array_index (devices, CuredResultDevice, i).place == place)
      return &g_array_index (devices, CuredResultDevice, i).info;
  return &self->head->device;
}

/* Cells */

/* @from: the name of one of its parameters
 * @to: its new name
 * @error: set to CURED_ERROR_NOT_FOUND, or to CURED_ERROR_INVALID if another parameter has that
 *   name
 *
 * Renames a parameter in memory, so that it matches one of another result. The file is not
 * changed. */
gboolean
cured_result_rename_axis (CuredResult *self, const char *from, const char *to, GError **error)
{
  CuredResultAxis *found = NULL;

  g_return_val_if_fail (CURED_IS_RESULT (self) && from != NULL && to != NULL && *to != '\0', FALSE);

  for (gsize i = 0; i < self->head->n_axes; i++)
    {
      CuredResultAxis *axis = &self->head->axes[i];

      if (g_str_equal (axis->name, from))
        found = axis;
      else if (g_str_equal (axis->name, to))
        return cured_fail (error, CURED_ERROR_INVALID, _ ("“%s” has a parameter “%s” already"),
                           self->path != NULL ? self->path : self->head->kernel_id, to);
    }
  if (found == NULL)
    return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("“%s” has no parameter “%s”"),
                       self->path != NULL ? self->path : self->head->kernel_id, from);
  g_free ((char *) found->name);
  found->name = g_strdup (to);
  return TRUE;
}

/* @positions: an index into each axis
 * Returns: the cell's number */
gint64
cured_result_get_cell (CuredResult *self, const gsize *positions)
{
  gint64 cell = 0;

  g_return_val_if_fail (CURED_IS_RESULT (self), -1);
  for (gsize i = 0; i < self->head->n_axes; i++)
    {
      gsize length = cured_axis_get_length (self->head->axes[i].values);

      g_return_val_if_fail (positions[i] < length, -1);
      cell += (gint64) positions[i] * self->strides[i];
    }
  return cell;
}

/* @positions: (out caller-allocates): an index into each axis */
void
cured_result_get_positions (CuredResult *self, gint64 cell, gsize *positions)
{
  g_return_if_fail (CURED_IS_RESULT (self));
  g_return_if_fail (cell >= 0 && cell < self->head->n_cells);

  for (gsize i = 0; i < self->head->n_axes; i++)
    {
      gint64 length = (gint64) cured_axis_get_length (self->head->axes[i].values);

      positions[i] = (gsize) (cell / self->strides[i] % length);
    }
}

/* Returns: the cell's state */
CuredState
cured_result_get_state (CuredResult *self, gint64 cell)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && cell >= 0 && cell < self->head->n_cells,
                        CURED_STATE_NOT_RUN);
  return (CuredState) self->states[cell];
}

/* Returns: number of cells in this state */
gint64
cured_result_count_state (CuredResult *self, CuredState state)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && (guint) state < CURED_N_STATES, 0);
  return self->n_states[state];
}

/* @cell: a cell's number, or the number of cells
 *
 * Iterates over non-empty cells, without a step for each empty one: `for (cell =
 * cured_result_next_cell (result, 0); cell >= 0; cell = cured_result_next_cell (result, cell +
 * 1))`.
 * Returns: the first cell from @cell on that was run, or is known not to be launchable; -1: none */
gint64
cured_result_next_cell (CuredResult *self, gint64 cell)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && cell >= 0, -1);

  if (self->ranks != NULL)
    return _cured_ranks_next (self->ranks, cell);
  while (cell < self->head->n_cells && self->states[cell] == CURED_STATE_NOT_RUN)
    cell++;
  return cell < self->head->n_cells ? cell : -1;
}

/* Returns: whether its axes declare far more cells than it has: only existing ones are then written
 *   and drawn */
gboolean
cured_result_is_sparse (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  return self->ranks != NULL;
}

/* Metrics */

/* @id: a metric's id
 * @metric: (out) (optional): its index in cured_result_get_metrics()
 * Returns: FALSE if the file lacks it; @metric is then unchanged */
gboolean
cured_result_find_metric (CuredResult *self, const char *id, gsize *metric)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  for (gsize i = 0; i < self->infos->len; i++)
    if (g_str_equal (get_info (self, i)->id, id))
      {
        if (metric != NULL)
          *metric = i;
        return TRUE;
      }
  return FALSE;
}

/* @metric: its index in cured_result_get_metrics()
 * Returns: whether any cell has a value */
gboolean
cured_result_has_values (CuredResult *self, gsize metric)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && metric < self->infos->len, FALSE);
  return self->columns[metric].exists;
}

static double *
make_column (gint64 n_places)
{
  double *values = g_new (double, (gsize) n_places);

  for (gint64 place = 0; place < n_places; place++)
    values[place] = CURED_MISSING;
  return values;
}

/* If a sweep continues a sparse file, every cell needs a place. */
static void
unrank (CuredResult *self)
{
  for (guint i = 0; i < self->infos->len; i++)
    {
      double *values = self->columns[i].values;

      if (values == NULL)
        continue;
      self->columns[i].values = make_column (self->head->n_cells);
      for (gint64 cell = cured_result_next_cell (self, 0), place = 0; cell >= 0;
           cell = cured_result_next_cell (self, cell + 1))
        self->columns[i].values[cell] = values[place++];
      g_free (values);
    }
  g_clear_pointer (&self->ranks, _cured_ranks_free);
  self->n_places = self->head->n_cells;
}

static gboolean
read_column (CuredResult *self, Column *column, double *values, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = _cured_database_query (
      self->database, error, "SELECT cell, value FROM measurement WHERE metric = ?1", "i",
      column->number);
  int has_row;

  while ((has_row = _cured_database_next (self->database, statement, error)) > 0)
    {
      gint64 cell = sqlite3_column_int64 (statement, 0);
      double value = _cured_database_get_double (statement, 1);

      if (cell < 0 || cell >= self->head->n_cells || isnan (value))
        return _cured_database_damaged (self->database, error, _ ("cell %lld has no number for %s"),
                                        (long long) cell,
                                        get_info (self, (gsize) (column - self->columns))->id);
      /* A sweep may have added cells since the states were read. */
      if (self->states[cell] != CURED_STATE_NOT_RUN)
        values[get_place (self, cell)] = value;
    }
  return has_row == 0;
}

/* @metric: its index in cured_result_get_metrics()
 * @cancellable: (nullable): ends loading with G_IO_ERROR_CANCELLED
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 *
 * Reads a metric's numbers, unless they are loaded, in about a tenth of a second per million cells;
 * blocks. From then on, cured_result_get_value() reads no file. */
gboolean
cured_result_load_column (CuredResult *self, gsize metric, GCancellable *cancellable,
                          GError **error)
{
  g_autofree double *values = NULL;

  g_return_val_if_fail (CURED_IS_RESULT (self) && metric < self->infos->len, FALSE);

  Column *column = &self->columns[metric];
  if (column->values != NULL)
    return TRUE;
  values = make_column (self->n_places);
  if (!self->is_live && column->exists)
    {
      _cured_database_set_cancellable (self->database, cancellable);
      gboolean ok = read_column (self, column, values, error);
      _cured_database_set_cancellable (self->database, NULL);
      if (!ok)
        return FALSE;
    }
  column->values = g_steal_pointer (&values);
  return TRUE;
}

/* NaN if there is none, or it can't be read. */
static double
read_value (CuredResult *self, const Column *column, gint64 cell)
{
  g_autoptr (sqlite3_stmt) statement = _cured_database_query (
      self->database, NULL, "SELECT value FROM measurement WHERE metric = ?1 AND cell = ?2", "ii",
      column->number, cell);

  return self->states[cell] != CURED_STATE_NOT_RUN &&
                 _cured_database_next (self->database, statement, NULL) > 0
             ? _cured_database_get_double (statement, 0)
             : CURED_MISSING;
}

/* @metric: its index in cured_result_get_metrics()
 *
 * In a large file, does not load a whole column for one number, but reads it from the file. For
 * many cells, call cured_result_load_column() first.
 * Returns: the cell's number; NaN if there is none, or it can't be read */
double
cured_result_get_value (CuredResult *self, gint64 cell, gsize metric)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && metric < self->infos->len && cell >= 0 &&
                            cell < self->head->n_cells,
                        CURED_MISSING);

  const Column *column = &self->columns[metric];
  if (column->values == NULL)
    {
      if (!column->exists)
        return CURED_MISSING;
      if (!self->is_live && self->database != NULL && self->n_places > PRELOADED_NUMBERS / 64)
        return read_value (self, column, cell);
      if (!cured_result_load_column (self, metric, NULL, NULL))
        self->columns[metric].values = make_column (self->n_places);
    }
  gint64 place = get_place (self, cell);
  return place >= 0 ? column->values[place] : CURED_MISSING;
}

/* Whether two metrics describe one quantity: time_low, time and time_high. */
static gboolean
are_related (const char *a, const char *b)
{
  static const char *const suffixes[] = { "_low", "_high", "_min", "_mean" };
  gsize a_length = strlen (a), b_length = strlen (b);

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      if (g_str_has_suffix (a, suffixes[i]))
        a_length = strlen (a) - strlen (suffixes[i]);
      if (g_str_has_suffix (b, suffixes[i]))
        b_length = strlen (b) - strlen (suffixes[i]);
    }
  return a_length == b_length && strncmp (a, b, a_length) == 0;
}

/* For people, in the locale of the process: with the metric's unit, and with enough digits to
 * distinguish related values, such as a time's median and its bounds; with two digits if it is
 * predicted.
 * Returns: (transfer full): the text; an en dash where there is no number */
char *
cured_result_format_value (CuredResult *self, gint64 cell, gsize metric)
{
  gsize n_others = 0;

  g_return_val_if_fail (CURED_IS_RESULT (self) && metric < self->infos->len, NULL);

  const CuredMetricInfo *info = get_info (self, metric);
  if (info->origin == CURED_ORIGIN_PREDICTED)
    return cured_format_rough (cured_result_get_value (self, cell, metric), info->unit);
  g_autofree double *others = g_new (double, self->infos->len);
  for (gsize i = 0; i < self->infos->len; i++)
    if (g_str_equal (get_info (self, i)->unit, info->unit) &&
        are_related (get_info (self, i)->id, info->id))
      others[n_others++] = cured_result_get_value (self, cell, i);
  return cured_format_quantity_among (cured_result_get_value (self, cell, metric), info->unit,
                                      others, n_others);
}

/* Outcomes */

static gboolean
ensure_database (CuredResult *self, GError **error)
{
  if (self->database != NULL)
    return TRUE;
  if (self->path == NULL)
    return cured_fail (
        error, CURED_ERROR_NOT_FOUND,
        _ ("This sweep is not written to a file, and only a file keeps a cell's samples."));
  self->database = open_again (self->path, get_created (self), error);
  return self->database != NULL;
}

static CuredOutcome *
read_outcome (CuredDatabase *database, gint64 cell, GError **error)
{
  if (!_cured_database_exec (database, "BEGIN", error))
    return NULL;
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  gboolean ok = _cured_database_read_outcome (database, cell, outcome, error);
  _cured_database_exec (database, "COMMIT", NULL);
  return ok ? g_steal_pointer (&outcome) : NULL;
}

/* Adds source lines to the findings from files that the kernel came with; the result file stores no
 * lines, since its source contains these files. */
static void
quote (CuredResult *self, CuredOutcome *outcome)
{
  if (outcome != NULL && self->kernel != NULL && self->kernel->carried != NULL)
    _cured_sources_quote (self->kernel->carried, outcome->findings);
}

/* @error: set to CURED_ERROR_DAMAGED, _STORAGE, or _NOT_FOUND for a live result without a file, or
 *   if the file was replaced
 *
 * Reads everything of one cell. Blocks for about a millisecond, and longer while a sweep
 * writes.
 * Returns: (transfer full) (nullable): the outcome; its state is %CURED_STATE_NOT_RUN if the file
 *   lacks it */
CuredOutcome *
cured_result_load_outcome (CuredResult *self, gint64 cell, GError **error)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && cell >= 0 && cell < self->head->n_cells, NULL);

  if (!ensure_database (self, error))
    return NULL;
  CuredOutcome *outcome = read_outcome (self->database, cell, error);
  quote (self, outcome);
  return outcome;
}

/* @work: (out) (transfer full) (nullable): the work of its launches; %NULL if the file lacks
 *   it
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 *
 * Reads the counts of a cell. Blocks for a few milliseconds. */
gboolean
cured_result_load_work (CuredResult *self, gint64 cell, CuredWorkload **work, GError **error)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && cell >= 0 && cell < self->head->n_cells, FALSE);

  *work = NULL;
  if (self->path == NULL && self->database == NULL)
    return TRUE;
  return ensure_database (self, error) &&
         _cured_database_read_work (self->database, cell, work, error);
}

/* @metric: a metric that the file may lack
 * @values: (array): one number per cell; NaN: none, as for all empty cells
 *
 * Adds derived values in memory, as if they were in the file. Indices from
 * cured_result_find_metric() stay valid. */
void
cured_result_set_column (CuredResult *self, CuredMetric metric, const double *values)
{
  g_return_if_fail (CURED_IS_RESULT (self));

  if (self->known[metric] < 0)
    add_metric (self, metric);
  Column *column = &self->columns[self->known[metric]];
  g_free (column->values);
  column->values = make_column (self->n_places);
  column->exists = FALSE;
  CURED_EACH_CELL (self, cell)
    {
      column->values[get_place (self, cell)] = values[cell];
      column->exists = column->exists || !isnan (values[cell]);
    }
}

typedef struct
{
  char *path;
  GDateTime *created;
  gint64 cell;
} OutcomeRequest;

CURED_FREE_FUNC (OutcomeRequest, outcome_request_free, path, g_free, created, g_date_time_unref)

/* On a separate connection, since the result's belongs to the result's thread. */
static void
load_outcome_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const OutcomeRequest *request = data;
  CuredOutcome *outcome = NULL;
  GError *error = NULL;

  CuredDatabase *database = open_again (request->path, request->created, &error);
  if (database != NULL)
    {
      outcome = read_outcome (database, request->cell, &error);
      _cured_database_close (database);
    }
  if (outcome != NULL)
    g_task_return_pointer (task, outcome, (GDestroyNotify) cured_outcome_free);
  else
    g_task_return_error (task, error);
}

/* @self: a result with a file
 * @cancellable: (nullable): cancels with `G_IO_ERROR_CANCELLED`
 * @callback: called in the thread-default main context
 *
 * As cured_result_load_outcome(), in another thread. */
void
cured_result_load_outcome_async (CuredResult *self, gint64 cell, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (CURED_IS_RESULT (self));
  g_return_if_fail (cell >= 0 && cell < self->head->n_cells);

  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);
  if (self->path == NULL)
    {
      GError *error = NULL;

      ensure_database (self, &error);
      g_task_return_error (task, error);
      return;
    }
  OutcomeRequest *request = g_new0 (OutcomeRequest, 1);
  request->path = g_strdup (self->path);
  if (get_created (self) != NULL)
    request->created = g_date_time_ref (get_created (self));
  request->cell = cell;
  g_task_set_task_data (task, request, outcome_request_free);
  g_task_run_in_thread (task, load_outcome_thread);
}

/* @answer: the callback's result
 * @error: as from cured_result_load_outcome()
 * Returns: (transfer full) (nullable): the outcome */
CuredOutcome *
cured_result_load_outcome_finish (CuredResult *self, GAsyncResult *answer, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (answer, self), NULL);

  CuredOutcome *outcome = g_task_propagate_pointer (G_TASK (answer), error);
  quote (self, outcome);
  return outcome;
}

/* @outcome: (transfer none): its outcome, which is already on disk
 *
 * Brings states and columns up to date and emits #CuredResult::cell-changed. */
void
cured_result_set_outcome (CuredResult *self, gint64 cell, const CuredOutcome *outcome)
{
  g_return_if_fail (CURED_IS_RESULT (self));
  g_return_if_fail (outcome != NULL);
  g_return_if_fail (cell >= 0 && cell < self->head->n_cells);
  g_return_if_fail ((guint) outcome->state < CURED_N_STATES);

  if (get_place (self, cell) < 0)
    unrank (self);
  self->n_states[self->states[cell]]--;
  self->states[cell] = (guint8) outcome->state;
  self->n_states[outcome->state]++;
  g_date_time_unref (self->head->changed);
  self->head->changed = g_date_time_new_now_utc ();

  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      double value = outcome->metrics[i];

      if (self->known[i] < 0)
        continue;
      Column *column = &self->columns[self->known[i]];
      if (!isnan (value))
        {
          column->exists = TRUE;
          if (column->values == NULL && self->is_live)
            column->values = make_column (self->head->n_cells);
        }
      /* A column that is not loaded yet will be read from the file. */
      if (column->values != NULL)
        column->values[get_place (self, cell)] = value;
    }
  g_signal_emit (self, signals[SIGNAL_CELL_CHANGED], 0, cell);
}

/* Reasons */

struct _CuredReasons
{
  CuredDatabase *database;
  sqlite3_stmt *statement;
  gint64 cell; /* of @statement's row; G_MAXINT64 after the last */
};

static void
next_reason (CuredReasons *self)
{
  if (_cured_database_next (self->database, self->statement, NULL) > 0)
    self->cell = sqlite3_column_int64 (self->statement, 0);
  else
    self->cell = G_MAXINT64;
}

/* (transfer full) (nullable): for a result that outlives it */
CuredReasons *
_cured_reasons_new (CuredResult *result, GError **error)
{
  g_autoptr (CuredReasons) self = g_new0 (CuredReasons, 1);

  self->cell = G_MAXINT64;
  /* A live result without a file has no reasons. */
  if (result->database == NULL && result->path == NULL)
    return g_steal_pointer (&self);
  if (!ensure_database (result, error))
    return NULL;
  self->database = result->database;
  self->statement = _cured_database_prepare (
      self->database, "SELECT cell, reason FROM cell WHERE reason IS NOT NULL ORDER BY cell",
      error);
  if (self->statement == NULL)
    return NULL;
  next_reason (self);
  return g_steal_pointer (&self);
}

/* (transfer none) (nullable): until the next call, whose @cell is not less */
const char *
_cured_reasons_get (CuredReasons *self, gint64 cell)
{
  while (self->cell < cell)
    next_reason (self);
  return self->cell != cell ? NULL : (const char *) sqlite3_column_text (self->statement, 1);
}

CURED_DEFINE_FREE (CuredReasons, _cured_reasons_free, statement, sqlite3_finalize)
