/* SPDX-License-Identifier: MIT
 * A result in memory: what views look at, from a file or live from a run. */
#include "config.h"

#include "store/cured-result.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "base/cured-error.h"
#include "base/cured-units.h"
#include "kernel/cured-sources-internal.h"
#include "measure/cured-sampler-internal.h"
#include "ptx/cured-finding-internal.h"
#include "store/cured-database-private.h"
#include "store/cured-result-private.h"

/* Columns of this many numbers in all are read along with the file, in the loading thread; larger
 * ones when they are asked for. */
#define PRELOADED_NUMBERS (4 * 1000 * 1000)

/* Far above what Cured or an import has. */
#define MAX_METRICS 4096

/* The rows of `cell` under the names of this version: what version 3 calls sampling_ns was time_ns
 * before, and a file may be migrated while it is open. */
#define WITH_CELL_ROWS                                                                             \
  "WITH row (cell, state, reason, output, n_mismatches, finished, compile_ns, prepare_ns, "        \
  "check_ns, sampling_ns) AS (SELECT * FROM cell) "

/* One metric of a result. */
typedef struct
{
  char *id;
  char *unit;
  char *title;
  char *description;
  gint64 number;   /* in the file */
  double *values;  /* nullable: not loaded, or none yet */
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
  guint16 *cell_devices; /* (nullable): 1 + index among the devices; 0: not known
                          */

  guint8 *states;
  gint64 n_states[CURED_N_STATES];

  CuredMetricInfo *infos; /* strings of @columns */
  Column *columns;
  gsize n_metrics;
  gssize known[CURED_N_METRICS]; /* column of a metric; -1: none */

  CuredDatabase *database; /* nullable: a live result that read nothing yet */
  gboolean is_live;        /* columns come from cured_result_set_outcome() */
};

enum
{
  SIGNAL_CELL_CHANGED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredResult, cured_result, G_TYPE_OBJECT)

static void
cured_result_finalize (GObject *object)
{
  CuredResult *self = CURED_RESULT (object);

  for (gsize i = 0; i < self->n_metrics; i++)
    {
      g_free (self->columns[i].id);
      g_free (self->columns[i].unit);
      g_free (self->columns[i].title);
      g_free (self->columns[i].description);
      g_free (self->columns[i].values);
    }
  g_free (self->columns);
  g_free (self->infos);
  g_free (self->states);
  g_free (self->cell_devices);
  g_clear_pointer (&self->anchors, g_array_unref);
  g_clear_pointer (&self->notes, g_array_unref);
  g_free (self->strides);
  g_clear_pointer (&self->kernel, cured_kernel_unref);
  g_clear_pointer (&self->head, _cured_head_free);
  g_clear_pointer (&self->database, _cured_database_close);
  g_free (self->path);

  G_OBJECT_CLASS (cured_result_parent_class)->finalize (object);
}

static void
cured_result_class_init (CuredResultClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = cured_result_finalize;

  /**
   * CuredResult::cell-changed:
   * @self: the result
   * @cell: number of the cell whose state or figures are new
   */
  signals[SIGNAL_CELL_CHANGED] =
      g_signal_new ("cell-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
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
}

/* Views match axes and parameters by position; a source that says otherwise is no better than one
 * that can't be parsed. */
static gboolean
kernel_has_axes (CuredKernel *kernel, const CuredHead *head)
{
  const CuredParameter *parameters;
  gsize n_parameters;

  parameters = kernel->parameters;
  n_parameters = kernel->n_parameters;
  /* The devices may be one more, the last. */
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
  g_autoptr (CuredKernel) kernel = NULL;

  kernel = cured_kernel_new_from_text (self->head->source, self->head->kernel_id, NULL, NULL);
  if (kernel == NULL || !kernel_has_axes (kernel, self->head))
    return;
  /* What things are called the file says, not its source: recordings are given newer words than
   * those that their source was run with. */
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

static void
add_column (GArray *columns, GArray *infos, Column *column)
{
  CuredMetricInfo info = {
    .id = column->id,
    .unit = column->unit,
    .title = column->title,
    .description = column->description,
    .origin = CURED_ORIGIN_DERIVED,
    .better = CURED_BETTER_NEITHER,
  };

  g_array_append_vals (columns, column, 1);
  g_array_append_val (infos, info);
}

static void
take_columns (CuredResult *self, GArray *columns, GArray *infos)
{
  self->n_metrics = columns->len;
  self->columns = (void *) g_array_free (columns, FALSE);
  self->infos = (void *) g_array_free (infos, FALSE);
  for (gsize i = 0; i < self->n_metrics; i++)
    {
      CuredMetric metric;

      if (cured_metric_from_id (self->infos[i].id, &metric))
        self->known[metric] = (gssize) i;
    }
}

static CuredOrigin
parse_origin (const char *text)
{
  if (g_strcmp0 (text, "measured") == 0)
    return CURED_ORIGIN_MEASURED;
  if (g_strcmp0 (text, "counted") == 0)
    return CURED_ORIGIN_COUNTED;
  if (g_strcmp0 (text, "predicted") == 0)
    return CURED_ORIGIN_PREDICTED;
  return CURED_ORIGIN_DERIVED;
}

static CuredBetter
parse_better (const char *text)
{
  if (g_strcmp0 (text, "lower") == 0)
    return CURED_BETTER_LOWER;
  if (g_strcmp0 (text, "higher") == 0)
    return CURED_BETTER_HIGHER;
  return CURED_BETTER_NEITHER;
}

/* Of a metric that this version has, its own words are the ones that are translated, whichever
 * version wrote the file. What an imported file says of its metrics stays. */
static void
describe_column (CuredResult *self, Column *column)
{
  const CuredMetricInfo *info;
  CuredMetric metric;

  if (!cured_metric_from_id (column->id, &metric))
    return;
  info = cured_metric_info (metric);
  if (!g_str_equal (column->unit, info->unit))
    return;
  g_free (column->title);
  column->title = g_strdup (info->title);
  if (self->head->imported != NULL)
    return;
  g_free (column->description);
  column->description = g_strdup (info->description);
}

/* The file's own table: one written by a Cured that knows more metrics shows them all. */
static gboolean
load_metrics (CuredResult *self, GError **error)
{
  GArray *columns = g_array_new (FALSE, TRUE, sizeof (Column));
  GArray *infos = g_array_new (FALSE, TRUE, sizeof (CuredMetricInfo));
  g_autoptr (sqlite3_stmt) statement = NULL;
  gint64 last = G_MININT64;
  gboolean has_row = TRUE;
  gboolean ok;

  statement = _cured_database_prepare (
      self->database,
      "SELECT metric, id, unit, title, description, origin, better, EXISTS (SELECT 1 FROM "
      "measurement WHERE measurement.metric = metric.metric) FROM metric ORDER BY metric",
      error);
  ok = statement != NULL;
  while (ok && has_row)
    {
      Column column = { 0 };
      CuredMetricInfo *info;
      const char *origin;
      const char *better;

      ok = _cured_database_step (self->database, statement, &has_row, error);
      if (!ok || !has_row)
        break;
      ok = _cured_database_check_order (self->database, statement, 0, &last, error);
      if (!ok)
        break;
      column.number = sqlite3_column_int64 (statement, 0);
      column.id = _cured_database_dup_text (statement, 1);
      column.unit = _cured_database_dup_text (statement, 2);
      column.title = _cured_database_dup_text (statement, 3);
      column.description = _cured_database_dup_text (statement, 4);
      column.exists = sqlite3_column_int (statement, 7) != 0;
      if (column.id == NULL || column.unit == NULL || column.title == NULL ||
          column.description == NULL || columns->len >= MAX_METRICS)
        ok = _cured_database_damaged (self->database, error, _ ("a metric is broken"));
      else
        describe_column (self, &column);
      add_column (columns, infos, &column);
      info = &g_array_index (infos, CuredMetricInfo, infos->len - 1);
      origin = (const char *) sqlite3_column_text (statement, 5);
      info->origin = parse_origin (origin);
      better = (const char *) sqlite3_column_text (statement, 6);
      info->better = parse_better (better);
    }
  if (ok && columns->len == 0)
    ok = _cured_database_damaged (self->database, error, _ ("there are no metrics"));
  if (ok)
    take_columns (self, columns, infos);
  else
    {
      /* Not yet known by id: some may be missing. */
      self->n_metrics = columns->len;
      self->columns = (void *) g_array_free (columns, FALSE);
      self->infos = (void *) g_array_free (infos, FALSE);
    }
  return ok;
}

static void
make_live_metrics (CuredResult *self)
{
  GArray *columns = g_array_new (FALSE, TRUE, sizeof (Column));
  GArray *infos = g_array_new (FALSE, TRUE, sizeof (CuredMetricInfo));

  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      const CuredMetricInfo *metric = cured_metric_info ((CuredMetric) i);
      Column column = {
        .id = g_strdup (metric->id),
        .unit = g_strdup (metric->unit),
        .title = g_strdup (metric->title),
        .description = g_strdup (metric->description),
      };
      CuredMetricInfo *info;

      add_column (columns, infos, &column);
      info = &g_array_index (infos, CuredMetricInfo, infos->len - 1);
      info->origin = metric->origin;
      info->better = metric->better;
    }
  take_columns (self, columns, infos);
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
  return self->states != NULL && load_metrics (self, error) && load_devices (self, error);
}

/* The file that a result was loaded from: what another one in its place has of a cell belongs to
 * another cell.
 *
 * @created: (nullable): NULL: a sweep of this program writes the file */
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
  gboolean ok;

  self->path = g_strdup (path);
  self->database = open_again (path, created, error);
  if (self->database == NULL)
    return NULL;
  _cured_database_set_cancellable (self->database, cancellable);
  /* One transaction, so that a writer can't get in between. */
  if (!_cured_database_exec (self->database, "BEGIN", error))
    return NULL;
  ok = load_tables (self, error);
  if (!_cured_database_exec (self->database, "COMMIT", ok ? error : NULL))
    ok = FALSE;
  _cured_database_set_cancellable (self->database, NULL);
  if (!ok)
    return NULL;
  compute_strides (self);
  count_states (self);
  parse_kernel (self);
  return g_steal_pointer (&self);
}

/**
 * cured_result_load:
 * @path: a result file
 * @cancellable: (nullable): ends loading with G_IO_ERROR_CANCELLED
 * @error: set to G_IO_ERROR_NOT_FOUND, CURED_ERROR_FOREIGN, _NEWER, _DAMAGED
 *   or _STORAGE
 *
 * Reads axes and states; blocks. A sweep may still be writing the file: what was finished when it
 * was read is there. The file itself is not changed, and stays open.
 *
 * Returns: (transfer full) (nullable): the result
 */
CuredResult *
cured_result_load (const char *path, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);

  return load (path, NULL, cancellable, error);
}

/**
 * cured_result_load_again:
 * @self: a result that has a file
 * @cancellable: (nullable): ends loading with G_IO_ERROR_CANCELLED
 * @error: as of cured_result_load(); CURED_ERROR_NOT_FOUND where the file's sweep
 *   is another one now
 *
 * Loads a copy for another thread, and may be called from there: it reads only what never changes
 * of @self. Blocks.
 *
 * Returns: (transfer full) (nullable): the result as its file has it now
 */
CuredResult *
cured_result_load_again (CuredResult *self, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (CURED_IS_RESULT (self) && self->path != NULL, NULL);

  return load (self->path, get_created (self), cancellable, error);
}

/**
 * cured_result_peek_kernel_id:
 * @path: a result file
 * @error: as of cured_result_load()
 *
 * Reads which kernel a file is of, and nothing else of it. Blocks.
 *
 * Returns: (transfer full) (nullable): the kernel's id
 */
char *
cured_result_peek_kernel_id (const char *path, GError **error)
{
  g_autoptr (CuredDatabase) database = NULL;
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_row;

  g_return_val_if_fail (path != NULL, NULL);

  database = _cured_database_open (path, FALSE, error);
  if (database == NULL)
    return NULL;
  statement = _cured_database_prepare (database, "SELECT id FROM kernel", error);
  if (statement == NULL || !_cured_database_step (database, statement, &has_row, error))
    return NULL;
  if (!has_row)
    {
      _cured_database_damaged (database, error, _ ("it names no kernel"));
      return NULL;
    }
  return _cured_database_dup_text (statement, 0);
}

/**
 * cured_result_peek_stages:
 * @path: a result file
 * @stage_ns: (out caller-allocates) (array fixed-size=4): wall time of each
 *   #CuredStage, summed over the cells that ran, nanoseconds
 * @error: as of cured_result_load()
 *
 * Reads how long the cells of a file took, and nothing else of it. Blocks.
 *
 * Returns: how many cells ran, or -1 with @error set
 */
gint64
cured_result_peek_stages (const char *path, gint64 *stage_ns, GError **error)
{
  g_autoptr (CuredDatabase) database = NULL;
  g_autofree char *sql = NULL;
  sqlite3_stmt *statement;
  gboolean has_row;
  gint64 n_cells = -1;

  g_return_val_if_fail (path != NULL && stage_ns != NULL, -1);

  database = _cured_database_open (path, FALSE, error);
  if (database == NULL)
    return -1;
  sql = g_strdup_printf (WITH_CELL_ROWS
                         "SELECT count(*), total(compile_ns), total(prepare_ns), total(check_ns), "
                         "total(sampling_ns) FROM row WHERE state NOT IN (%d, %d)",
                         CURED_STATE_NOT_RUN, CURED_STATE_NOT_LAUNCHABLE);
  statement = _cured_database_prepare (database, sql, error);
  if (statement == NULL)
    return -1;
  if (_cured_database_step (database, statement, &has_row, error))
    {
      n_cells = sqlite3_column_int64 (statement, 0);
      for (int i = 0; i < CURED_N_STAGES; i++)
        stage_ns[i] = sqlite3_column_int64 (statement, 1 + i);
    }
  sqlite3_finalize (statement);
  return n_cells;
}

/* Whoever shows the result asks for its first metric at once, and small files are read whole, so
 * that the thread of the window never waits for the disk. */
static gboolean
preload (CuredResult *self, GCancellable *cancellable, GError **error)
{
  gint64 budget = PRELOADED_NUMBERS;

  for (gsize i = 0; i < self->n_metrics; i++)
    {
      if (!self->columns[i].exists)
        continue;
      if (budget < self->head->n_cells && budget != PRELOADED_NUMBERS)
        break;
      budget -= self->head->n_cells;
      if (!cured_result_load_column (self, i, cancellable, error))
        return FALSE;
    }
  return TRUE;
}

static void
load_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  g_autoptr (CuredResult) result = NULL;
  GError *error = NULL;

  result = cured_result_load (task_data, cancellable, &error);
  if (result == NULL || !preload (result, cancellable, &error))
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_steal_pointer (&result), g_object_unref);
}

/**
 * cured_result_load_async:
 * @path: a result file
 * @cancellable: (nullable): ends loading with G_IO_ERROR_CANCELLED
 * @callback: called on the thread-default main context of the caller
 * @user_data: for @callback
 *
 * As cured_result_load(), in a thread; the first metric that has values is read too, and all of
 * them where the file is not large.
 */
void
cured_result_load_async (const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (GTask) task = NULL;

  g_return_if_fail (path != NULL);

  task = g_task_new (NULL, cancellable, callback, user_data);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, load_in_thread);
}

/**
 * cured_result_load_finish:
 * @result: what the callback got
 * @error: as cured_result_load()
 *
 * Returns: (transfer full) (nullable): the result
 */
CuredResult *
cured_result_load_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

/**
 * cured_result_new:
 * @plan: what runs
 * @device: on what
 * @path: (nullable): the file that the run writes
 *
 * A live result: no cell has run, and cured_result_set_outcome() tells it of those that do. For a
 * run that continues a file, load the file instead and tell it likewise.
 *
 * Returns: (transfer full): the result
 */
CuredResult *
cured_result_new (CuredPlan *plan, const CuredDeviceInfo *device, const char *path)
{
  CuredResult *self;

  g_return_val_if_fail (plan != NULL && device != NULL, NULL);

  self = g_object_new (CURED_TYPE_RESULT, NULL);
  self->is_live = TRUE;
  self->path = g_strdup (path);
  self->head = _cured_head_new (plan, device);
  self->kernel = cured_kernel_ref (cured_spec_get_kernel (cured_plan_get_spec (plan)));
  self->states = g_malloc0 ((gsize) self->head->n_cells);
  for (gint64 cell = 0; cell < self->head->n_cells; cell++)
    if (cured_plan_get_reason (plan, cell) != NULL)
      self->states[cell] = CURED_STATE_NOT_LAUNCHABLE;
  make_live_metrics (self);
  compute_strides (self);
  count_states (self);
  return self;
}

/* What the file says of the whole */

/**
 * cured_result_get_path:
 * @self: a result
 *
 * Returns: (transfer none) (nullable): its file
 */
const char *
cured_result_get_path (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->path;
}

/**
 * cured_result_get_kernel:
 * @self: a result
 *
 * Returns: (transfer none) (nullable): the kernel, with one parameter an axis;
 *   NULL where the source in the file can't be parsed by this Cured, and where
 *   there is none (cured_result_get_imported())
 */
CuredKernel *
cured_result_get_kernel (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->kernel;
}

/**
 * cured_result_get_kernel_id:
 * @self: a result
 *
 * Returns: (transfer none): the kernel's id
 */
const char *
cured_result_get_kernel_id (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->head->kernel_id;
}

/**
 * cured_result_get_imported:
 * @self: a result
 *
 * Returns: (transfer none) (nullable): id of the #CuredImportFormat that the
 *   file was imported from: there is no source then, and nothing of it can be
 *   run, looked into or continued; NULL: Cured measured it
 */
const char *
cured_result_get_imported (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->head->imported;
}

/**
 * cured_result_get_title:
 * @self: a result
 *
 * Returns: (transfer none): the kernel's title
 */
const char *
cured_result_get_title (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->head->title;
}

/**
 * cured_result_get_source:
 * @self: a result
 *
 * Returns: (transfer none): the kernel file that was measured; "" in a file
 *   that was imported
 */
const char *
cured_result_get_source (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->head->source;
}

/**
 * cured_result_get_device:
 * @self: a result
 *
 * Returns: (transfer none): the device that measured
 */
const CuredDeviceInfo *
cured_result_get_device (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return &self->head->device;
}

/**
 * cured_result_get_devices:
 * @self: a result
 * @n_devices: (out): how many, at least 1
 *
 * Returns: (transfer none) (array length=n_devices): all devices that measured,
 *   or were to, each of them on each host and with each driver and compiler;
 *   the first is cured_result_get_device()
 */
const CuredResultDevice *
cured_result_get_devices (CuredResult *self, gsize *n_devices)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  *n_devices = self->head->devices->len;
  return (const void *) self->head->devices->data;
}

/**
 * cured_result_get_cell_device:
 * @self: a result
 * @cell: a cell
 * @device: (out): index in cured_result_get_devices() of who measured it
 *
 * Returns: FALSE where the file does not say
 */
gboolean
cured_result_get_cell_device (CuredResult *self, gint64 cell, gsize *device)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  g_return_val_if_fail (cell >= 0 && cell < self->head->n_cells, FALSE);

  if (self->cell_devices == NULL || self->cell_devices[cell] == 0)
    return FALSE;
  *device = (gsize) self->cell_devices[cell] - 1;
  return TRUE;
}

/**
 * cured_result_get_device_of:
 * @self: a result
 * @cell: a cell
 *
 * Returns: (transfer none): the device that measured the cell, or else one of
 *   the sort that it is for
 */
const CuredDeviceInfo *
cured_result_get_device_of (CuredResult *self, gint64 cell)
{
  GArray *devices;
  gsize last;
  gsize place = 0;
  gsize device;

  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);

  devices = self->head->devices;
  if (cured_result_get_cell_device (self, cell, &device))
    return &g_array_index (devices, CuredResultDevice, device).info;
  last = self->head->n_axes;
  if (last > 0 && self->head->axes[last - 1].kind == CURED_PARAMETER_DEVICE)
    place = (gsize) (cell % (gint64) cured_axis_get_length (self->head->axes[last - 1].values));
  for (guint i = 0; i < devices->len; i++)
    if (g_array_index (devices, CuredResultDevice, i).place == place)
      return &g_array_index (devices, CuredResultDevice, i).info;
  return &self->head->device;
}

/**
 * cured_result_get_anchors:
 * @self: a result
 * @n_anchors: (out): how many
 *
 * Returns: (transfer none) (array length=n_anchors): what was measured again to
 *   see whether devices are alike, in the order in which it was measured;
 *   devices are indices in cured_result_get_devices()
 */
const CuredAnchor *
cured_result_get_anchors (CuredResult *self, gsize *n_anchors)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  *n_anchors = self->anchors != NULL ? self->anchors->len : 0;
  return *n_anchors > 0 ? (const void *) self->anchors->data : NULL;
}

/**
 * cured_result_get_notes:
 * @self: a result
 * @n_notes: (out): how many
 *
 * Returns: (transfer none) (array length=n_notes): which devices are not like
 *   their peers, drift, or are shared
 */
const CuredDeviceNote *
cured_result_get_notes (CuredResult *self, gsize *n_notes)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  *n_notes = self->notes != NULL ? self->notes->len : 0;
  return *n_notes > 0 ? (const void *) self->notes->data : NULL;
}

/**
 * cured_result_describe_note:
 * @self: a result
 * @note: one of cured_result_get_notes()
 *
 * Returns: (transfer full): a line for people, which names the device
 */
char *
cured_result_describe_note (CuredResult *self, const CuredDeviceNote *note)
{
  const CuredDeviceInfo *info;
  g_autofree char *who = NULL;
  g_autofree char *percent = NULL;

  g_return_val_if_fail (CURED_IS_RESULT (self) && note != NULL, NULL);
  g_return_val_if_fail (note->device < self->head->devices->len, NULL);

  info = &g_array_index (self->head->devices, CuredResultDevice, note->device).info;
  who = *info->uuid != '\0'
            ? g_strdup_printf ("%s (%s, %s, %s)", info->name, info->id, info->host, info->uuid)
            : g_strdup_printf ("%s (%s, %s)", info->name, info->id, info->host);
  percent = g_strdup_printf ("%.1f", fabs (note->value) * 100);
  switch (note->kind)
    {
    case CURED_DEVICE_NOTE_OFF_PEERS:
      /* Translators: a device, and a number. */
      return g_strdup_printf (
          note->value > 0
              ? _ ("%s: its anchor cell takes %s %% longer than on devices of the same name")
              : _ ("%s: its anchor cell takes %s %% less time than on devices of the same name"),
          who, percent);
    case CURED_DEVICE_NOTE_DRIFT:
      return g_strdup_printf (note->value > 0
                                  ? _ ("%s: its anchor cell became %s %% slower during the sweep")
                                  : _ ("%s: its anchor cell became %s %% faster during the sweep"),
                              who, percent);
    case CURED_DEVICE_NOTE_SHARED:
      /* Translators: a device, and who else uses it, as “MIG 1g.10gb”. */
      return g_strdup_printf (_ ("%s: a part of a chip, or not alone on it: %s"), who,
                              note->detail);
    default:
      g_return_val_if_reached (NULL);
    }
}

/**
 * cured_result_get_options:
 * @self: a result
 *
 * Returns: (transfer none): how it measured
 */
const CuredOptions *
cured_result_get_options (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return &self->head->options;
}

/**
 * cured_result_get_created:
 * @self: a result
 *
 * Returns: (transfer none): when the file was made, UTC
 */
GDateTime *
cured_result_get_created (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->head->created;
}

/**
 * cured_result_get_changed:
 * @self: a result
 *
 * Returns: (transfer none): when the last cell was added, UTC
 */
GDateTime *
cured_result_get_changed (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->head->changed;
}

/**
 * cured_result_get_cured_version:
 * @self: a result
 *
 * Returns: (transfer none): the Cured that made the file
 */
const char *
cured_result_get_cured_version (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->head->cured_version;
}

/**
 * cured_result_is_finished:
 * @self: a result
 *
 * Returns: whether the file said, when it was loaded, that every cell that can
 *   run has run
 */
gboolean
cured_result_is_finished (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  return self->head->finished;
}

/* Cells */

/**
 * cured_result_get_axes:
 * @self: a result
 * @n_axes: (out) (optional): how many
 *
 * Returns: (transfer none) (array length=n_axes): one axis a parameter of the
 *   kernel, in the kernel's order
 */
const CuredResultAxis *
cured_result_get_axes (CuredResult *self, gsize *n_axes)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  if (n_axes != NULL)
    if (n_axes != NULL)
      *n_axes = self->head->n_axes;
  return self->head->axes;
}

/**
 * cured_result_rename_axis:
 * @self: a result
 * @from: the name of one of its parameters
 * @to: what it is called from now on
 * @error: set to CURED_ERROR_NOT_FOUND, or to CURED_ERROR_INVALID where another
 *   parameter has that name
 *
 * Has a parameter be known by another name, so that it is the same as one of another result's. The
 * file stays as it is.
 */
gboolean
cured_result_rename_axis (CuredResult *self, const char *from, const char *to, GError **error)
{
  CuredResultAxis *found = NULL;

  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  g_return_val_if_fail (from != NULL && to != NULL && *to != '\0', FALSE);

  for (gsize i = 0; i < self->head->n_axes; i++)
    {
      CuredResultAxis *axis = &self->head->axes[i];

      if (g_str_equal (axis->name, from))
        found = axis;
      else if (g_str_equal (axis->name, to))
        {
          g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                       _ ("“%s” has a parameter “%s” already"),
                       self->path != NULL ? self->path : self->head->kernel_id, to);
          return FALSE;
        }
    }
  if (found == NULL)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND, _ ("“%s” has no parameter “%s”"),
                   self->path != NULL ? self->path : self->head->kernel_id, from);
      return FALSE;
    }
  g_free ((char *) found->name);
  found->name = g_strdup (to);
  return TRUE;
}

/**
 * cured_result_get_n_cells:
 * @self: a result
 *
 * Returns: the product of the axes' lengths
 */
gint64
cured_result_get_n_cells (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), 0);
  return self->head->n_cells;
}

/**
 * cured_result_get_cell:
 * @self: a result
 * @positions: an index into each axis
 *
 * Returns: the cell's number
 */
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

/**
 * cured_result_get_positions:
 * @self: a result
 * @cell: a cell's number
 * @positions: (out caller-allocates): an index into each axis
 */
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

/**
 * cured_result_get_state:
 * @self: a result
 * @cell: a cell's number
 *
 * Returns: what became of the cell
 */
CuredState
cured_result_get_state (CuredResult *self, gint64 cell)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), CURED_STATE_NOT_RUN);
  g_return_val_if_fail (cell >= 0 && cell < self->head->n_cells, CURED_STATE_NOT_RUN);
  return (CuredState) self->states[cell];
}

/**
 * cured_result_count_state:
 * @self: a result
 * @state: a state
 *
 * Returns: how many cells are in it
 */
gint64
cured_result_count_state (CuredResult *self, CuredState state)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), 0);
  g_return_val_if_fail ((guint) state < CURED_N_STATES, 0);
  return self->n_states[state];
}

/**
 * cured_result_get_states:
 * @self: a result
 *
 * Returns: (transfer none): a #CuredState a cell; kept up to date
 */
const guint8 *
cured_result_get_states (CuredResult *self)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  return self->states;
}

/* Metrics */

/**
 * cured_result_get_metrics:
 * @self: a result
 * @n_metrics: (out) (optional): how many
 *
 * Returns: (transfer none) (array length=n_metrics): the metrics that the file
 *   knows, in its order; cured_result_has_values() tells which are in use
 */
const CuredMetricInfo *
cured_result_get_metrics (CuredResult *self, gsize *n_metrics)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  if (n_metrics != NULL)
    if (n_metrics != NULL)
      *n_metrics = self->n_metrics;
  return self->infos;
}

/**
 * cured_result_find_metric:
 * @self: a result
 * @id: a metric's id
 * @metric: (out) (optional): its index in cured_result_get_metrics()
 *
 * Returns: FALSE where the file does not know it; @metric is then unchanged
 */
gboolean
cured_result_find_metric (CuredResult *self, const char *id, gsize *metric)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  for (gsize i = 0; i < self->n_metrics; i++)
    if (g_str_equal (self->infos[i].id, id))
      {
        if (metric != NULL)
          *metric = i;
        return TRUE;
      }
  return FALSE;
}

/**
 * cured_result_has_values:
 * @self: a result
 * @metric: its index in cured_result_get_metrics()
 *
 * Returns: whether any cell has a value
 */
gboolean
cured_result_has_values (CuredResult *self, gsize metric)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  g_return_val_if_fail (metric < self->n_metrics, FALSE);
  return self->columns[metric].exists;
}

static double *
make_column (gint64 n_cells)
{
  double *values = g_new (double, (gsize) n_cells);

  for (gint64 cell = 0; cell < n_cells; cell++)
    values[cell] = CURED_MISSING;
  return values;
}

static gboolean
read_column (CuredResult *self, Column *column, double *values, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gint64 n_cells = self->head->n_cells;
  gboolean has_row;

  statement = _cured_database_prepare (
      self->database, "SELECT cell, value FROM measurement WHERE metric = ?1", error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, column->number);
  while (TRUE)
    {
      gint64 cell;
      double value;

      if (!_cured_database_step (self->database, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      cell = sqlite3_column_int64 (statement, 0);
      value = _cured_database_get_double (statement, 1);
      if (cell < 0 || cell >= n_cells || isnan (value))
        return _cured_database_damaged (self->database, error, _ ("cell %lld has no number for %s"),
                                        (long long) cell, column->id);
      /* A sweep may have gone on since the states were read. */
      if (self->states[cell] != CURED_STATE_NOT_RUN)
        values[cell] = value;
    }
}

/**
 * cured_result_load_column:
 * @self: a result
 * @metric: its index in cured_result_get_metrics()
 * @cancellable: (nullable): ends loading with G_IO_ERROR_CANCELLED
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 *
 * Reads a metric's column, if it is not there yet; blocks. Callers that don't care why a column is
 * empty need not call this:
 * cured_result_get_column() does.
 */
gboolean
cured_result_load_column (CuredResult *self, gsize metric, GCancellable *cancellable,
                          GError **error)
{
  g_autofree double *values = NULL;
  Column *column;

  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  g_return_val_if_fail (metric < self->n_metrics, FALSE);

  column = &self->columns[metric];
  if (column->values != NULL)
    return TRUE;
  values = make_column (self->head->n_cells);
  if (!self->is_live && column->exists)
    {
      gboolean ok;

      _cured_database_set_cancellable (self->database, cancellable);
      ok = read_column (self, column, values, error);
      _cured_database_set_cancellable (self->database, NULL);
      if (!ok)
        return FALSE;
    }
  column->values = g_steal_pointer (&values);
  return TRUE;
}

/**
 * cured_result_get_column:
 * @self: a result
 * @metric: its index in cured_result_get_metrics()
 *
 * The first call for a metric reads its column off the file, in about a tenth of a second a million
 * cells.
 *
 * Returns: (transfer none): a number per cell, NaN where there is none, or
 *   where the column can't be read; kept up to date
 */
const double *
cured_result_get_column (CuredResult *self, gsize metric)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  g_return_val_if_fail (metric < self->n_metrics, NULL);

  if (!cured_result_load_column (self, metric, NULL, NULL))
    self->columns[metric].values = make_column (self->head->n_cells);
  return self->columns[metric].values;
}

/* NaN where there is none, or where it can't be read. */
static double
read_value (CuredResult *self, const Column *column, gint64 cell)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_row;

  if (self->states[cell] == CURED_STATE_NOT_RUN)
    return CURED_MISSING;
  statement = _cured_database_prepare (
      self->database, "SELECT value FROM measurement WHERE metric = ?1 AND cell = ?2", NULL);
  if (statement == NULL)
    return CURED_MISSING;
  sqlite3_bind_int64 (statement, 1, column->number);
  sqlite3_bind_int64 (statement, 2, cell);
  if (!_cured_database_step (self->database, statement, &has_row, NULL) || !has_row)
    return CURED_MISSING;
  return _cured_database_get_double (statement, 0);
}

/**
 * cured_result_get_value:
 * @self: a result
 * @cell: a cell's number
 * @metric: its index in cured_result_get_metrics()
 *
 * Of a large file, a column that nobody asked for is not read for one number's sake: all numbers of
 * a cell cost little time, and no memory. Whoever wants those of many cells asks for the column.
 *
 * Returns: the cell's number, as cured_result_get_column()
 */
double
cured_result_get_value (CuredResult *self, gint64 cell, gsize metric)
{
  const Column *column;

  g_return_val_if_fail (CURED_IS_RESULT (self), CURED_MISSING);
  g_return_val_if_fail (metric < self->n_metrics, CURED_MISSING);
  g_return_val_if_fail (cell >= 0 && cell < self->head->n_cells, CURED_MISSING);

  column = &self->columns[metric];
  if (column->values != NULL)
    return column->values[cell];
  if (!column->exists)
    return CURED_MISSING;
  if (!self->is_live && self->database != NULL && self->head->n_cells > PRELOADED_NUMBERS / 64)
    return read_value (self, column, cell);
  return cured_result_get_column (self, metric)[cell];
}

/* Whether two metrics are of one quantity: time_low, time and time_high. */
static gboolean
are_related (const char *a, const char *b)
{
  static const char *const suffixes[] = { "_low", "_high", "_min", "_mean" };
  gsize a_length = strlen (a);
  gsize b_length = strlen (b);

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      if (g_str_has_suffix (a, suffixes[i]))
        a_length = strlen (a) - strlen (suffixes[i]);
      if (g_str_has_suffix (b, suffixes[i]))
        b_length = strlen (b) - strlen (suffixes[i]);
    }
  return a_length == b_length && strncmp (a, b, a_length) == 0;
}

/**
 * cured_result_format_value:
 * @self: a result
 * @cell: number of the cell
 * @metric: its index
 *
 * For people, in the locale of the process: with the metric's unit, and with as many digits as tell
 * it apart from the figures that stand beside it, the low and the high of a time beside its median;
 * with two where it is predicted.
 *
 * Returns: (transfer full): the text; an en dash where there is no number
 */
char *
cured_result_format_value (CuredResult *self, gint64 cell, gsize metric)
{
  const CuredMetricInfo *info;
  g_autofree double *others = NULL;
  gsize n_others = 0;

  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  g_return_val_if_fail (metric < self->n_metrics, NULL);

  info = &self->infos[metric];
  if (info->origin == CURED_ORIGIN_PREDICTED)
    return cured_format_rough (cured_result_get_value (self, cell, metric), info->unit);
  others = g_new (double, self->n_metrics);
  for (gsize i = 0; i < self->n_metrics; i++)
    if (g_str_equal (self->infos[i].unit, info->unit) && are_related (self->infos[i].id, info->id))
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
    {
      g_set_error_literal (
          error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
          _ ("This sweep is not written to a file, and only a file keeps a cell's samples."));
      return FALSE;
    }
  self->database = open_again (self->path, get_created (self), error);
  return self->database != NULL;
}

static sqlite3_stmt *
prepare_for_cell (CuredDatabase *database, const char *sql, gint64 cell, GError **error)
{
  sqlite3_stmt *statement = _cured_database_prepare (database, sql, error);

  if (statement != NULL)
    sqlite3_bind_int64 (statement, 1, cell);
  return statement;
}

static gboolean
load_cell (CuredDatabase *database, gint64 cell, CuredOutcome *outcome, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  g_autofree char *finished = NULL;
  gboolean has_row;
  int state;

  statement = prepare_for_cell (
      database,
      WITH_CELL_ROWS "SELECT state, reason, output, n_mismatches, compile_ns, prepare_ns, "
                     "check_ns, sampling_ns, finished FROM row WHERE cell = ?1",
      cell, error);
  if (statement == NULL || !_cured_database_step (database, statement, &has_row, error))
    return FALSE;
  if (!has_row)
    return TRUE;
  state = sqlite3_column_int (statement, 0);
  if (state <= CURED_STATE_NOT_RUN || state >= CURED_N_STATES)
    return _cured_database_damaged (database, error, _ ("cell %lld has state %d"), (long long) cell,
                                    state);
  outcome->state = (CuredState) state;
  outcome->reason = _cured_database_dup_text (statement, 1);
  outcome->output = _cured_database_dup_text (statement, 2);
  outcome->n_mismatches = (guint64) MAX (sqlite3_column_int64 (statement, 3), 0);
  for (int i = 0; i < CURED_N_STAGES; i++)
    outcome->stage_ns[i] = MAX (sqlite3_column_int64 (statement, 4 + i), 0);
  finished = _cured_database_dup_text (statement, 4 + CURED_N_STAGES);
  if (finished != NULL)
    outcome->finished = g_date_time_new_from_iso8601 (finished, NULL);
  return TRUE;
}

/**
 * _cured_database_read_figures:
 * @database: a database of any version
 * @cell: a cell
 * @outcome: gets the metrics that the file has of it
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_read_figures (CuredDatabase *database, gint64 cell, CuredOutcome *outcome,
                              GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_row;

  /* Asked metric by metric, since that is how the table is sorted. */
  statement =
      prepare_for_cell (database,
                        "SELECT id, (SELECT value FROM measurement WHERE measurement.metric = "
                        "metric.metric AND measurement.cell = ?1) FROM metric",
                        cell, error);
  if (statement == NULL)
    return FALSE;
  while (TRUE)
    {
      g_autofree char *id = NULL;
      CuredMetric metric;

      if (!_cured_database_step (database, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      id = _cured_database_dup_text (statement, 0);
      if (id != NULL && cured_metric_from_id (id, &metric))
        outcome->metrics[metric] = _cured_database_get_double (statement, 1);
    }
}

/* Files of before version 6 have one round. */
static gboolean
load_sample_rows (CuredDatabase *database, gint64 cell, CuredSamples *samples, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gint64 last = G_MININT64;
  gboolean has_round;
  gboolean has_row;

  if (!_cured_database_has_column (database, "sample", "round", &has_round, error))
    return FALSE;
  statement =
      prepare_for_cell (database,
                        has_round ? "SELECT time_ns, sm_clock_hz, throttled, round, number FROM "
                                    "sample WHERE cell = ?1 AND mode = ?2 ORDER BY number"
                                  : "SELECT time_ns, sm_clock_hz, throttled, 0, number FROM sample "
                                    "WHERE cell = ?1 AND mode = ?2 ORDER BY number",
                        cell, error);
  if (statement == NULL)
    return FALSE;
  _cured_database_bind_text (statement, 2, cured_timing_mode_to_string (samples->mode));
  while (TRUE)
    {
      CuredSample sample;

      if (!_cured_database_step (database, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        break;
      if (!_cured_database_check_order (database, statement, 4, &last, error))
        return FALSE;
      sample.time_ns = _cured_database_get_double (statement, 0);
      sample.sm_clock_hz = _cured_database_get_double (statement, 1);
      sample.throttled = sqlite3_column_int (statement, 2) != 0;
      sample.round = (guint) CLAMP (sqlite3_column_int64 (statement, 3), 0, G_MAXINT);
      g_array_append_val (samples->samples, sample);
    }
  cured_samples_update (samples);
  return TRUE;
}

static gboolean
load_samples (CuredDatabase *database, gint64 cell, CuredTimingMode mode, CuredSamples **loaded,
              GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  g_autoptr (CuredSamples) samples = NULL;
  g_autofree char *stop = NULL;
  gboolean has_row;
  gint64 runs;

  statement = prepare_for_cell (
      database, "SELECT runs, stop FROM sample_set WHERE cell = ?1 AND mode = ?2", cell, error);
  if (statement == NULL)
    return FALSE;
  _cured_database_bind_text (statement, 2, cured_timing_mode_to_string (mode));
  if (!_cured_database_step (database, statement, &has_row, error))
    return FALSE;
  if (!has_row)
    return TRUE;
  runs = sqlite3_column_int64 (statement, 0);
  if (runs < 1 || runs > G_MAXUINT)
    return _cured_database_damaged (database, error, _ ("cell %lld has %lld runs per sample"),
                                    (long long) cell, (long long) runs);
  stop = _cured_database_dup_text (statement, 1);
  samples = cured_samples_new (mode, (guint) runs);
  samples->stop = _cured_stop_from_string (stop);
  if (!load_sample_rows (database, cell, samples, error))
    return FALSE;
  *loaded = g_steal_pointer (&samples);
  return TRUE;
}

static gboolean
load_mismatches (CuredDatabase *database, gint64 cell, CuredOutcome *outcome, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gint64 last = G_MININT64;
  gboolean has_row;

  statement = prepare_for_cell (
      database,
      "SELECT buffer, element, got, expected, number FROM mismatch WHERE cell = ?1 ORDER BY number",
      cell, error);
  if (statement == NULL)
    return FALSE;
  while (TRUE)
    {
      g_autoptr (CuredMismatch) mismatch = NULL;

      if (!_cured_database_step (database, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      if (!_cured_database_check_order (database, statement, 4, &last, error))
        return FALSE;
      mismatch = g_new0 (CuredMismatch, 1);
      mismatch->buffer = _cured_database_dup_text (statement, 0);
      mismatch->index = sqlite3_column_int64 (statement, 1);
      mismatch->got = _cured_database_dup_text (statement, 2);
      mismatch->expected = _cured_database_dup_text (statement, 3);
      if (mismatch->buffer == NULL || mismatch->got == NULL || mismatch->expected == NULL)
        return _cured_database_damaged (database, error, _ ("a mismatch of cell %lld is broken"),
                                        (long long) cell);
      g_ptr_array_add (outcome->mismatches, g_steal_pointer (&mismatch));
    }
}

static void
read_side (sqlite3_stmt *statement, int first, CuredFinding *finding, CuredFindingSide *side)
{
  cured_finding_take_what (finding, side, _cured_database_dup_text (statement, first));
  side->file = _cured_database_dup_text (statement, first + 1);
  side->line = MAX (sqlite3_column_int (statement, first + 2), 0);
  side->ptx_line = MAX (sqlite3_column_int (statement, first + 3), 0);
  for (int i = 0; i < 3; i++)
    side->block[i] = (guint) sqlite3_column_int64 (statement, first + 4 + i);
  side->warp = (guint) sqlite3_column_int64 (statement, first + 7);
  side->lanes = (guint32) sqlite3_column_int64 (statement, first + 8);
}

/* A file of version 1 has none; a kind that a later Cured added is left out. */
static gboolean
load_findings (CuredDatabase *database, gint64 cell, CuredOutcome *outcome, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gint64 last = G_MININT64;
  gboolean has_row;

  if (!_cured_database_has_table (database, "finding", &has_row, error))
    return FALSE;
  if (!has_row)
    return TRUE;
  statement = prepare_for_cell (
      database,
      "SELECT kind, kernel, object, detail, count, what, file, line, ptx_line, block_x, block_y, "
      "block_z, warp, lanes, there_what, there_file, there_line, there_ptx_line, there_block_x, "
      "there_block_y, there_block_z, there_warp, there_lanes, number FROM finding WHERE cell = ?1 "
      "ORDER BY number",
      cell, error);
  if (statement == NULL)
    return FALSE;
  while (TRUE)
    {
      g_autoptr (CuredFinding) finding = NULL;
      g_autofree char *kind = NULL;

      if (!_cured_database_step (database, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      if (!_cured_database_check_order (database, statement, 23, &last, error))
        return FALSE;
      kind = _cured_database_dup_text (statement, 0);
      finding = g_new0 (CuredFinding, 1);
      if (kind == NULL || !cured_finding_kind_from_id (kind, &finding->kind))
        continue;
      finding->kernel = _cured_database_dup_text (statement, 1);
      finding->object = _cured_database_dup_text (statement, 2);
      finding->detail = _cured_database_dup_text (statement, 3);
      finding->count = (guint64) MAX (sqlite3_column_int64 (statement, 4), 0);
      read_side (statement, 5, finding, &finding->here);
      read_side (statement, 14, finding, &finding->there);
      g_ptr_array_add (outcome->findings, g_steal_pointer (&finding));
    }
}

/**
 * _cured_database_read_outcome:
 * @database: a database of any version
 * @cell: a cell
 * @outcome: a fresh outcome, which gets everything that the file has of it
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_read_outcome (CuredDatabase *database, gint64 cell, CuredOutcome *outcome,
                              GError **error)
{
  return load_cell (database, cell, outcome, error) &&
         _cured_database_read_figures (database, cell, outcome, error) &&
         load_samples (database, cell, CURED_TIMING_COLD, &outcome->cold, error) &&
         load_samples (database, cell, CURED_TIMING_HOT, &outcome->hot, error) &&
         load_mismatches (database, cell, outcome, error) &&
         load_findings (database, cell, outcome, error);
}

static CuredOutcome *
read_outcome (CuredDatabase *database, gint64 cell, GError **error)
{
  g_autoptr (CuredOutcome) outcome = NULL;
  gboolean ok;

  if (!_cured_database_exec (database, "BEGIN", error))
    return NULL;
  outcome = cured_outcome_new ();
  ok = _cured_database_read_outcome (database, cell, outcome, error);
  _cured_database_exec (database, "COMMIT", NULL);
  return ok ? g_steal_pointer (&outcome) : NULL;
}

/* Lines of files that the kernel came with, for the findings; a file has none, since they are below
 * its source. */
static void
quote (CuredResult *self, CuredOutcome *outcome)
{
  if (outcome != NULL && self->kernel != NULL && self->kernel->carried != NULL)
    _cured_sources_quote (self->kernel->carried, outcome->findings);
}

/**
 * cured_result_load_outcome:
 * @self: a result
 * @cell: a cell's number
 * @error: set to CURED_ERROR_DAMAGED, _STORAGE, or _NOT_FOUND for a live result
 *   without a file and where another result is in the file's place
 *
 * Reads everything that the file has on one cell. Blocks for about a millisecond, and longer while
 * a sweep writes.
 *
 * Returns: (transfer full) (nullable): the outcome; its state is
 *   %CURED_STATE_NOT_RUN where the file has nothing
 */
CuredOutcome *
cured_result_load_outcome (CuredResult *self, gint64 cell, GError **error)
{
  CuredOutcome *outcome;

  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);
  g_return_val_if_fail (cell >= 0 && cell < self->head->n_cells, NULL);

  if (!ensure_database (self, error))
    return NULL;
  outcome = read_outcome (self->database, cell, error);
  quote (self, outcome);
  return outcome;
}

/**
 * cured_result_load_work:
 * @self: a result
 * @cell: a cell's number
 * @work: (out) (transfer full) (nullable): what its launches ask of the chip;
 *   %NULL: the file does not say
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 *
 * Reads what was counted of a cell. Blocks for a few milliseconds.
 */
gboolean
cured_result_load_work (CuredResult *self, gint64 cell, CuredWorkload **work, GError **error)
{
  g_return_val_if_fail (CURED_IS_RESULT (self), FALSE);
  g_return_val_if_fail (cell >= 0 && cell < self->head->n_cells, FALSE);

  *work = NULL;
  if (self->path == NULL && self->database == NULL)
    return TRUE;
  return ensure_database (self, error) &&
         _cured_database_read_work (self->database, cell, work, error);
}

/**
 * cured_result_set_column:
 * @self: a result
 * @metric: a figure that the file need not have
 * @values: (array): one number per cell; NaN: it has none
 *
 * Shows what was found out of the file as if it were in it; the file stays as it is. Numbers of
 * metrics that cured_result_find_metric() gave stay valid.
 */
void
cured_result_set_column (CuredResult *self, CuredMetric metric, const double *values)
{
  const CuredMetricInfo *info = cured_metric_info (metric);
  gsize n_cells = (gsize) self->head->n_cells;
  Column *column;

  g_return_if_fail (CURED_IS_RESULT (self));

  if (self->known[metric] < 0)
    {
      self->infos = g_renew (CuredMetricInfo, self->infos, self->n_metrics + 1);
      self->columns = g_renew (Column, self->columns, self->n_metrics + 1);
      column = &self->columns[self->n_metrics];
      *column = (Column){
        .id = g_strdup (info->id),
        .unit = g_strdup (info->unit),
        .title = g_strdup (info->title),
        .description = g_strdup (info->description),
        .number = -1,
      };
      self->infos[self->n_metrics] = *info;
      self->known[metric] = (gssize) self->n_metrics++;
    }
  column = &self->columns[self->known[metric]];
  g_free (column->values);
  column->values = g_memdup2 (values, n_cells * sizeof *values);
  column->exists = FALSE;
  for (gsize i = 0; i < n_cells; i++)
    column->exists = column->exists || !isnan (values[i]);
}

typedef struct
{
  char *path;
  GDateTime *created;
  gint64 cell;
} OutcomeRequest;

static void
outcome_request_free (gpointer data)
{
  OutcomeRequest *request = data;

  g_free (request->path);
  g_clear_pointer (&request->created, g_date_time_unref);
  g_free (request);
}

/* On a connection of its own: the result's belongs to the result's thread. */
static void
load_outcome_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const OutcomeRequest *request = data;
  CuredDatabase *database;
  CuredOutcome *outcome = NULL;
  GError *error = NULL;

  database = open_again (request->path, request->created, &error);
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

/**
 * cured_result_load_outcome_async:
 * @self: a result with a file
 * @cell: a cell's number
 * @cancellable: (nullable): the answer is then `G_IO_ERROR_CANCELLED`
 * @callback: called in the thread-default main context
 * @user_data: for @callback
 *
 * As cured_result_load_outcome(), in another thread.
 */
void
cured_result_load_outcome_async (CuredResult *self, gint64 cell, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  OutcomeRequest *request;

  g_return_if_fail (CURED_IS_RESULT (self));
  g_return_if_fail (cell >= 0 && cell < self->head->n_cells);

  task = g_task_new (self, cancellable, callback, user_data);
  if (self->path == NULL)
    {
      GError *error = NULL;

      ensure_database (self, &error);
      g_task_return_error (task, error);
      return;
    }
  request = g_new0 (OutcomeRequest, 1);
  request->path = g_strdup (self->path);
  if (get_created (self) != NULL)
    request->created = g_date_time_ref (get_created (self));
  request->cell = cell;
  g_task_set_task_data (task, request, outcome_request_free);
  g_task_run_in_thread (task, load_outcome_thread);
}

/**
 * cured_result_load_outcome_finish:
 * @self: the result
 * @answer: what the callback was given
 * @error: as of cured_result_load_outcome()
 *
 * Returns: (transfer full) (nullable): the outcome
 */
CuredOutcome *
cured_result_load_outcome_finish (CuredResult *self, GAsyncResult *answer, GError **error)
{
  CuredOutcome *outcome;

  g_return_val_if_fail (g_task_is_valid (answer, self), NULL);

  outcome = g_task_propagate_pointer (G_TASK (answer), error);
  quote (self, outcome);
  return outcome;
}

/**
 * cured_result_set_outcome:
 * @self: a result
 * @cell: a cell's number
 * @outcome: (transfer none): what became of it, which is on the disk already
 *
 * Brings states and columns up to date and emits #CuredResult::cell-changed.
 */
void
cured_result_set_outcome (CuredResult *self, gint64 cell, const CuredOutcome *outcome)
{
  g_return_if_fail (CURED_IS_RESULT (self));
  g_return_if_fail (outcome != NULL);
  g_return_if_fail (cell >= 0 && cell < self->head->n_cells);
  g_return_if_fail ((guint) outcome->state < CURED_N_STATES);

  self->n_states[self->states[cell]]--;
  self->states[cell] = (guint8) outcome->state;
  self->n_states[outcome->state]++;
  g_date_time_unref (self->head->changed);
  self->head->changed = g_date_time_new_now_utc ();

  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      double value = outcome->metrics[i];
      Column *column;

      if (self->known[i] < 0)
        continue;
      column = &self->columns[self->known[i]];
      if (!isnan (value))
        {
          column->exists = TRUE;
          if (column->values == NULL && self->is_live)
            column->values = make_column (self->head->n_cells);
        }
      /* A column that was not read yet will find the value in the file. */
      if (column->values != NULL)
        column->values[cell] = value;
    }
  g_signal_emit (self, signals[SIGNAL_CELL_CHANGED], 0, cell);
}

/* Reasons */

struct _CuredReasons
{
  CuredDatabase *database;
  sqlite3_stmt *statement;
  gint64 cell; /* on which @statement stands; G_MAXINT64 after the last */
};

static void
next_reason (CuredReasons *self)
{
  gboolean has_row;

  if (_cured_database_step (self->database, self->statement, &has_row, NULL) && has_row)
    self->cell = sqlite3_column_int64 (self->statement, 0);
  else
    self->cell = G_MAXINT64;
}

/**
 * _cured_reasons_new:
 * @result: a result; it must outlive this
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 *
 * Returns: (transfer full) (nullable): the reasons of its cells
 */
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

/**
 * _cured_reasons_get:
 * @self: the reasons
 * @cell: a cell's number, not less than that of the last call
 *
 * Returns: (transfer none) (nullable): its reason, until the next call
 */
const char *
_cured_reasons_get (CuredReasons *self, gint64 cell)
{
  while (self->cell < cell)
    next_reason (self);
  if (self->cell != cell)
    return NULL;
  return (const char *) sqlite3_column_text (self->statement, 1);
}

/**
 * _cured_reasons_free:
 * @self: (transfer full): the reasons
 */
void
_cured_reasons_free (CuredReasons *self)
{
  sqlite3_finalize (self->statement);
  g_free (self);
}
