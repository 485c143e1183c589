/* SPDX-License-Identifier: MIT
 * A sweep that runs in the background: worker, file and result together. */
#include <config.h>

#include "model/cured-gui-model.h"

#include <glib/gstdio.h>

/* Opening a worker takes seconds (driver, calibration, measured limits) and closing a file waits
 * for the disk, so both are tasks. A cancel while a worker is being opened takes effect at once,
 * and no file is created; while the file is being created, it takes effect afterwards, and the file
 * is deleted. */

typedef enum
{
  PHASE_NEW,
  PHASE_OPENING,
  PHASE_RUNNING,
  PHASE_CLOSING,
  PHASE_DONE,
} Phase;

struct _CuredSweep
{
  GObject parent_instance;

  /* Owned */
  CuredSpec *spec;
  char *device_id;
  char *launcher; /* nullable */
  char *path;
  GArray *cells;       /* nullable: all that the file lacks; gint64 */
  CuredResult *origin; /* nullable: @path will be a copy of its file */
  CuredResult *result; /* NULL before it has started */
  CuredPlan *plan;     /* likewise */
  CuredRunner *runner; /* NULL unless it is running */
  CuredDevice *device; /* likewise */
  CuredStore *store;   /* likewise */
  CuredTask *opening, *closing;
  GError *error;

  CuredProgress progress; /* as last reported by the runner */
  gboolean has_progress, is_paused, overwrite, is_cancelled;
  char *note; /* nullable: about the predicted order */
  Phase phase;
};

/* Whether a file is created; determined by the first thread to set it. */
enum
{
  FILE_UNDECIDED,
  FILE_WANTED,
  FILE_UNWANTED,
};

/* The input of the opening task: copies of the sweep's fields. */
typedef struct
{
  CuredSpec *spec;
  char *device_id, *launcher, *path;
  char *origin_path; /* nullable: @path becomes a copy of it */
  gboolean overwrite;
  gboolean is_continued; /* @path exists */
  gboolean has_order;    /* cells are predicted, to run the best ones first */

  int n_predicted;  /* atomic: cells so far */
  int n_to_predict; /* atomic: their total; 0: no prediction */
  int file;         /* atomic */
} Opening;

/* The output of the opening task. */
typedef struct
{
  CuredDevice *device;
  CuredPlan *plan;
  CuredStore *store;
  CuredResult *result; /* nullable: of a copied file */
  char *note;          /* nullable */
  gint64 *order;       /* nullable: cells in their order */
  gsize n_order;
  char *unwanted; /* nullable: path of a file to delete when all is closed */
} Opened;

/* Files of active sweeps: they may not exist yet, but no other sweep may use their names. Main
 * thread only. */
static GHashTable *taken_paths;

CURED_DEFINE_PLAIN_TYPE (CuredSweep, cured_sweep, G_TYPE_OBJECT)

CURED_FREE_FUNC (Opening, opening_free, spec, cured_spec_unref, device_id, g_free, launcher, g_free,
                 path, g_free, origin_path, g_free)

static void
opened_free (gpointer data)
{
  Opened *self = data;

  g_clear_pointer (&self->store, cured_store_close);
  g_clear_pointer (&self->device, cured_device_close);
  g_clear_pointer (&self->plan, cured_plan_unref);
  g_clear_object (&self->result);
  g_free (self->note);
  g_free (self->order);
  if (self->unwanted != NULL)
    g_unlink (self->unwanted);
  g_free (self->unwanted);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Opened, opened_free)

static void
release_path (CuredSweep *self)
{
  if (taken_paths != NULL)
    g_hash_table_remove (taken_paths, self->path);
}

static void
finish (CuredSweep *self)
{
  g_object_ref (self);
  self->phase = PHASE_DONE;
  release_path (self);
  g_signal_emit_by_name (self, "finished", self->error);
  g_object_unref (self);
}

static void
set_cancelled (CuredSweep *self)
{
  g_set_error_literal (&self->error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                       "The sweep was cancelled before it started");
}

static void
close_work (CuredTask *task)
{
  opened_free (g_steal_pointer (&task->input));
}

static void
closed_cb (gpointer owner, CuredTask *task)
{
  finish (owner);
}

static const CuredTaskKind close_task = CURED_TASK_KIND (close_work, closed_cb, opened_free, NULL);

static void
close_all (CuredSweep *self, Opened *opened)
{
  self->phase = PHASE_CLOSING;
  cured_task_start (&self->closing, self, &close_task, opened);
}

static void
runner_finished_cb (CuredSweep *self, GError *error)
{
  Opened *opened = g_new0 (Opened, 1);

  if (error != NULL)
    self->error = g_error_copy (error);
  cured_runner_get_progress (self->runner, &self->progress);
  self->has_progress = TRUE;
  cured_estimate_learn (self->plan, cured_result_get_device (self->result), &self->progress);
  g_clear_object (&self->runner);
  opened->device = g_steal_pointer (&self->device);
  opened->store = g_steal_pointer (&self->store);
  close_all (self, opened);
}

static void
cell_finished_cb (CuredSweep *self, gint64 cell, const CuredOutcome *outcome)
{
  cured_result_set_outcome (self->result, cell, outcome);
  g_signal_emit_by_name (self, "progress");
}

static void
predicted_cb (gint64 n_done, gint64 n_cells, gpointer user_data)
{
  Opening *opening = user_data;

  g_atomic_int_set (&opening->n_predicted, (int) n_done);
  g_atomic_int_set (&opening->n_to_predict, (int) n_cells);
}

/* Orders the cells by prediction, best first. A failed prediction does not prevent measurements;
 * FALSE: cancelled. */
static gboolean
predict_order (Opening *opening, Opened *opened, GCancellable *cancellable, GError **error)
{
  const CuredDeviceInfo *info = cured_device_get_info (opened->device);
  g_autoptr (GError) problem = NULL;
  g_autoptr (CuredForecast) forecast =
      cured_forecast_new (opened->plan, &info, 1, predicted_cb, opening, cancellable, &problem);

  if (forecast != NULL)
    {
      opened->order = cured_forecast_order (forecast, &opened->n_order);
      opened->note = cured_forecast_describe (forecast);
    }
  else if (g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  else
    /* Translators: why. */
    opened->note = g_strdup_printf (_ ("Cells run in the default order: %s"), problem->message);
  return TRUE;
}

/* Opens everything except a new file. */
static gboolean
open_worker (Opening *self, Opened *opened, GCancellable *cancellable, GError **error)
{
  if (self->origin_path != NULL)
    {
      if (!cured_store_copy (self->origin_path, self->path, error))
        return FALSE;
      /* A copy in which nothing was run is useless. */
      opened->unwanted = g_strdup (self->path);
      opened->result = cured_result_load (self->path, cancellable, error);
      if (opened->result == NULL)
        return FALSE;
    }
  if (self->is_continued || self->origin_path != NULL)
    {
      opened->store = cured_store_open (self->path, error);
      if (opened->store == NULL)
        return FALSE;
    }
  g_auto (GStrv) command = cured_launcher_get_worker (self->launcher, error);
  if (command == NULL)
    return FALSE;
  opened->device = cured_worker_device_new ((const char *const *) command, self->device_id, error);
  if (opened->device == NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  opened->plan =
      cured_plan_new (self->spec, &cured_device_get_info (opened->device)->limits, error);
  return opened->plan != NULL &&
         (!self->has_order || predict_order (self, opened, cancellable, error));
}

static void
open_work (CuredTask *task)
{
  Opening *self = task->input;
  g_autoptr (Opened) opened = g_new0 (Opened, 1);

  if (!open_worker (self, opened, task->cancellable, &task->error) ||
      !g_atomic_int_compare_and_exchange (&self->file, FILE_UNDECIDED, FILE_WANTED))
    return;
  if (opened->store != NULL)
    {
      if (!cured_store_matches (opened->store, opened->plan, cured_device_get_info (opened->device),
                                &task->error))
        return;
    }
  else
    {
      opened->store =
          cured_store_create (self->path, opened->plan, cured_device_get_info (opened->device),
                              self->overwrite, &task->error);
      if (opened->store == NULL)
        return;
      opened->unwanted = g_strdup (self->path);
    }
  task->output = g_steal_pointer (&opened);
}

static void
opened_cb (CuredSweep *self, CuredTask *task)
{
  g_autoptr (Opened) opened = g_steal_pointer (&task->output);

  if (opened == NULL)
    {
      self->error = g_steal_pointer (&task->error);
      finish (self);
      return;
    }
  if (self->is_cancelled)
    {
      set_cancelled (self);
      close_all (self, g_steal_pointer (&opened));
      return;
    }
  g_clear_pointer (&opened->unwanted, g_free);
  if (opened->result != NULL)
    self->result = g_steal_pointer (&opened->result);
  else if (self->result == NULL)
    self->result =
        cured_result_new (opened->plan, cured_device_get_info (opened->device), self->path);
  self->plan = g_steal_pointer (&opened->plan);
  self->runner = cured_runner_new (self->plan, opened->store);
  self->store = g_steal_pointer (&opened->store);
  self->device = g_steal_pointer (&opened->device);
  cured_runner_add_device (self->runner, self->device);
  CURED_CONNECT (self->runner, "cell-finished", cell_finished_cb);
  CURED_CONNECT (self->runner, "finished", runner_finished_cb);
  if (self->cells != NULL)
    cured_runner_set_cells (self->runner, (const gint64 *) (gpointer) self->cells->data,
                            self->cells->len);
  if (opened->order != NULL)
    cured_runner_set_order (self->runner, opened->order, opened->n_order);
  self->note = g_steal_pointer (&opened->note);
  cured_runner_set_paused (self->runner, self->is_paused);
  self->phase = PHASE_RUNNING;
  cured_runner_start (self->runner);
  g_signal_emit_by_name (self, "started");
}

static const CuredTaskKind open_task =
    CURED_TASK_KIND (open_work, opened_cb, opening_free, opened_free);

static void
cured_sweep_finalize (GObject *object)
{
  CuredSweep *self = CURED_SWEEP (object);

  if (cured_sweep_is_active (self))
    release_path (self);
  cured_class_finalize (object);
}

static void
cured_sweep_class_init (CuredSweepClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = cured_sweep_finalize;

  cured_class_add_signal (klass, "started", 0);
  cured_class_add_signal (klass, "progress", 0);
  cured_class_add_signal (klass, "finished", 1, G_TYPE_ERROR);
  CURED_FREES (CuredSweep, cured_spec_unref, spec);
  CURED_FREES (CuredSweep, g_object_unref, runner);
  CURED_FREES (CuredSweep, cured_plan_unref, plan);
  CURED_FREES (CuredSweep, cured_device_close, device);
  CURED_FREES (CuredSweep, cured_store_close, store);
  CURED_FREES (CuredSweep, g_object_unref, result, origin);
  CURED_FREES (CuredSweep, g_error_free, error);
  CURED_FREES (CuredSweep, g_array_unref, cells);
  CURED_FREES (CuredSweep, g_free, device_id, launcher, path, note);
}

static gboolean
is_taken (const char *path, gpointer user_data)
{
  return taken_paths != NULL && g_hash_table_contains (taken_paths, path);
}

/* Main thread only. Returns: (transfer full): the default folder of results: the user's setting or
 * a folder in the user's documents */
char *
cured_sweep_get_folder (void)
{
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  char *set = cured_settings_get_string ("results-folder");

  if (set != NULL)
    return set;
  return g_build_filename (documents != NULL ? documents : g_get_home_dir (), "Cured", NULL);
}

/* Names a file like cured_recordings_propose_path(). @folder: (nullable): NULL: the default folder.
 * Returns: (transfer full): a path without a file and not used by a sweep of this process */
char *
cured_sweep_propose_path (const char *kernel_id, const char *folder)
{
  g_autofree char *place = cured_sweep_get_folder ();

  return cured_recordings_propose_path (kernel_id, folder != NULL ? folder : place, is_taken, NULL);
}

/* Creates a new sweep. @spec: must not be changed any more. Returns: (transfer full): a sweep that
 * has not started */
CuredSweep *
cured_sweep_new (CuredSpec *spec, const char *device_id, const char *path, gboolean overwrite)
{
  CuredSweep *self = g_object_new (CURED_TYPE_SWEEP, NULL);

  self->spec = cured_spec_ref (spec);
  self->device_id = g_strdup (device_id);
  self->path = g_strdup (path);
  self->overwrite = overwrite;
  return self;
}

/* Creates a sweep of the rest of a file, on the device recorded in it. @result: of a file with
 * cells that were not run, and with a kernel. Returns: (transfer full): a sweep that has not
 * started */
CuredSweep *
cured_sweep_new_resume (CuredResult *result)
{
  CuredSweep *self = g_object_new (CURED_TYPE_SWEEP, NULL);

  self->result = g_object_ref (result);
  self->spec = cured_spec_new_from_result (result, cured_result_get_kernel (result));
  self->device_id = g_strdup (cured_result_get_device (result)->id);
  self->path = g_strdup (cured_result_get_path (result));
  return self;
}

/* Creates a sweep that runs cells of a file again, on the device recorded in it, into a copy, so
 * that both outcomes are kept. Each cell has its old outcome until the new one is known. @result:
 * of a file, with a kernel; @path: (nullable): of the copy, not existing yet; NULL: the same file,
 * where new outcomes replace the old ones. Returns: (transfer full): a sweep that has not
 * started */
CuredSweep *
cured_sweep_new_again (CuredResult *result, const gint64 *cells, gsize n_cells, const char *path)
{
  CuredSweep *self = cured_sweep_new_resume (result);

  self->cells = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_vals (self->cells, cells, (guint) n_cells);
  if (path != NULL)
    {
      cured_set_string (&self->path, path);
      self->origin = g_steal_pointer (&self->result);
    }
  return self;
}

/* @launcher: (nullable): the command that starts the worker, for cured_launcher_get_worker() */
void
cured_sweep_set_launcher (CuredSweep *self, const char *launcher)
{
  g_return_if_fail (self->phase == PHASE_NEW);
  cured_set_string (&self->launcher, launcher);
}

/* Returns: (nullable): the command that starts the worker */
CURED_GETTER (const char *, cured_sweep_get_launcher, CuredSweep, launcher)

CURED_GETTER (const char *, cured_sweep_get_device_id, CuredSweep, device_id)

CuredKernel *
cured_sweep_get_kernel (CuredSweep *self)
{
  return cured_spec_get_kernel (self->spec);
}

gboolean
cured_sweep_is_copy (CuredSweep *self)
{
  return self->origin != NULL;
}

/* Starts opening the worker; returns at once. Signals report all events. */
void
cured_sweep_start (CuredSweep *self)
{
  g_return_if_fail (self->phase == PHASE_NEW);

  self->phase = PHASE_OPENING;
  if (taken_paths == NULL)
    taken_paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (taken_paths, g_strdup (self->path));
  Opening *input = g_new0 (Opening, 1);
  input->spec = cured_spec_ref (self->spec);
  input->device_id = g_strdup (self->device_id);
  input->launcher = g_strdup (self->launcher);
  input->path = g_strdup (self->path);
  if (self->origin != NULL)
    input->origin_path = g_strdup (cured_result_get_path (self->origin));
  input->overwrite = self->overwrite;
  input->is_continued = self->result != NULL;
  input->has_order = cured_spec_get_options (self->spec)->predict && self->cells == NULL;
  cured_task_start (&self->opening, self, &open_task, input);
}

/* Ends the sweep within a second; emits `finished` later. Finished cells are in the file. */
void
cured_sweep_cancel (CuredSweep *self)
{
  if (!cured_sweep_is_active (self))
    return;
  self->is_cancelled = TRUE;
  if (self->phase == PHASE_RUNNING)
    cured_runner_cancel (self->runner);
  else if (self->phase == PHASE_OPENING &&
           g_atomic_int_compare_and_exchange (&((Opening *) self->opening->input)->file,
                                              FILE_UNDECIDED, FILE_UNWANTED))
    {
      cured_task_cancel (&self->opening);
      set_cancelled (self);
      finish (self);
    }
}

/* Pauses after the current cell, or continues. Emits `progress`. */
void
cured_sweep_set_paused (CuredSweep *self, gboolean is_paused)
{
  if (self->is_paused == is_paused)
    return;
  self->is_paused = is_paused;
  if (self->phase == PHASE_RUNNING)
    cured_runner_set_paused (self->runner, is_paused);
  g_signal_emit_by_name (self, "progress");
}

CURED_GETTER (gboolean, cured_sweep_is_paused, CuredSweep, is_paused)

gboolean
cured_sweep_is_active (CuredSweep *self)
{
  return self->phase != PHASE_NEW && self->phase != PHASE_DONE;
}

CURED_GETTER (gboolean, cured_sweep_is_cancelled, CuredSweep, is_cancelled)

/* Returns: (nullable): the result so far; NULL before `started` */
CURED_GETTER (CuredResult *, cured_sweep_get_result, CuredSweep, result)

CURED_GETTER (const char *, cured_sweep_get_path, CuredSweep, path)

/* Returns: FALSE before `started`, when the progress is unknown */
gboolean
cured_sweep_get_progress (CuredSweep *self, CuredProgress *progress)
{
  if (self->runner != NULL)
    cured_runner_get_progress (self->runner, progress);
  else if (self->has_progress)
    *progress = self->progress;
  else
    return FALSE;
  return TRUE;
}

/* @n_done: (out): cells predicted so far; @n_cells: (out): their total. Returns: whether the order
 * of the cells is being predicted, before `started` */
gboolean
cured_sweep_get_predicting (CuredSweep *self, gint64 *n_done, gint64 *n_cells)
{
  const Opening *input = self->opening != NULL ? self->opening->input : NULL;

  *n_done = input != NULL ? g_atomic_int_get (&input->n_predicted) : 0;
  *n_cells = input != NULL ? g_atomic_int_get (&input->n_to_predict) : 0;
  return *n_done < *n_cells;
}

/* Returns: (nullable): after `started`, how the order of the cells was determined; NULL: the
 * default order was requested */
CURED_GETTER (const char *, cured_sweep_get_note, CuredSweep, note)
