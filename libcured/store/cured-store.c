/* SPDX-License-Identifier: MIT
 * The result file: an SQLite database that is consistent after every cell. */
#include "store/cured-store.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cured-base-internal.h"
#include "kernel/read/cured-catalogue.h"
#include "measure/cured-measure-internal.h"
#include "store/cured-store-internal.h"

/* Implementation notes
 *
 * A rollback journal, not WAL: between transactions the result is one file that can be copied,
 * mailed and opened on a read-only medium; WAL keeps the newest cells in a second file, and needs
 * shared memory to be read.
 *
 * journal_mode = DELETE leaves nothing beside the file, where TRUNCATE and PERSIST leave an empty
 * journal. synchronous = FULL costs two or three flushes per cell, a few milliseconds, while
 * measuring a cell takes tenths of a second; with NORMAL a power failure at the wrong moment can
 * damage the file on some file systems. */

struct _CuredStore
{
  GMutex lock; /* for everything below */
  CuredDatabase *database;
  gint64 metric_numbers[CURED_N_METRICS];
  guint8 *states;
  gint64 n_cells;
  gboolean is_batch;

  char *path; /* constant */
};

static gboolean
register_metrics (CuredStore *self, GError **error)
{
  if (!_cured_database_exec (self->database, "BEGIN IMMEDIATE", error))
    return FALSE;
  /* Refuse a file that can't be written now, not at its first cell. */
  if (_cured_database_exec (self->database, "UPDATE sweep SET changed = changed", error) &&
      _cured_database_register_metrics (self->database, self->metric_numbers, error) &&
      _cured_database_exec (self->database, "COMMIT", error))
    return TRUE;
  _cured_database_exec (self->database, "ROLLBACK", NULL);
  return FALSE;
}

/* @error: set to G_IO_ERROR_NOT_FOUND, CURED_ERROR_FOREIGN, _NEWER, _DAMAGED or _STORAGE
 *
 * Opens an existing file to append to it. The unfinished write of a killed writer is rolled back.
 * Blocks; other processes may read the file meanwhile.
 * Returns: (transfer full) (nullable): the store */
CuredStore *
cured_store_open (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);

  g_autoptr (CuredStore) self = g_new0 (CuredStore, 1);
  g_mutex_init (&self->lock);
  self->path = g_strdup (path);
  self->database = _cured_database_open (path, TRUE, error);
  if (self->database == NULL)
    return NULL;
  g_autoptr (CuredHead) head = _cured_head_read (self->database, error);
  if (head == NULL)
    return NULL;
  self->n_cells = head->n_cells;
  self->states = _cured_database_read_states (self->database, head->n_cells, error);
  return self->states == NULL || !register_metrics (self, error) ? NULL : g_steal_pointer (&self);
}

static gboolean
fail_errno (const char *path, int saved_errno, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  return cured_fail (error, CURED_ERROR_STORAGE,
                     _ ("“%s” can't be written (%s). Check the folder, or choose another one."),
                     name, g_strerror (saved_errno));
}

static gboolean
fail_exists (const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  return cured_fail (
      error, CURED_ERROR_STORAGE,
      _ ("“%s” exists already. Choose another name, or have it continued (--resume) or "
         "replaced (--force)."),
      name);
}

/* A journal left behind by a previous file of that name would be applied to the new one. */
static void
remove_journal (const char *path)
{
  g_autofree char *journal = g_strconcat (path, "-journal", NULL);

  g_unlink (journal);
}

/* Two writers that begin at once must not both get the name. */
static gboolean
move_to_new_name (const char *from, const char *path, GError **error)
{
  if (renameat2 (AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
    return TRUE;
  if (errno == EEXIST)
    return fail_exists (path, error);
  if (errno != EINVAL && errno != ENOSYS)
    return fail_errno (path, errno, error);
  /* Some file systems do not support flags: there, reserve the name by an empty file, which may be
   * replaced. */
  int fd = g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno == EEXIST ? fail_exists (path, error) : fail_errno (path, errno, error);
  close (fd);
  if (g_rename (from, path) != 0)
    {
      fail_errno (path, errno, error);
      g_unlink (path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
move_into_place (const char *from, const char *path, gboolean overwrite, GError **error)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return fail_errno (path, EISDIR, error);
  if (!overwrite && g_file_test (path, G_FILE_TEST_EXISTS))
    return fail_exists (path, error);
  remove_journal (path);
  if (!overwrite)
    return move_to_new_name (from, path, error);
  if (g_rename (from, path) != 0)
    return fail_errno (path, errno, error);
  return TRUE;
}

/* Makes an empty file of an unused name, in the folder of @path, so that it can be renamed
 * to it. */
static char *
make_temporary (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *base = g_path_get_basename (path);
  g_autofree char *name = g_strdup_printf (".%s.XXXXXX", base);
  g_autofree char *temporary = g_build_filename (folder, name, NULL);
  int fd = g_mkstemp_full (temporary, O_RDWR | O_CLOEXEC, 0666);

  if (fd < 0)
    {
      fail_errno (path, errno, error);
      return NULL;
    }
  close (fd);
  return g_steal_pointer (&temporary);
}

/* Report the user's path, not the temporary name. */
static void
propagate_as (GError **error, GError *local_error, const char *temporary, const char *path)
{
  g_autoptr (GString) message = g_string_new (local_error->message);
  g_autofree char *name = g_filename_display_name (path);
  g_autofree char *temporary_name = g_filename_display_name (temporary);

  g_string_replace (message, temporary_name, name, 0);
  g_set_error_literal (error, local_error->domain, local_error->code, message->str);
  g_error_free (local_error);
}

static gboolean
check_target (const char *path, gboolean overwrite, GError **error)
{
  /* Never replace a device or a folder by a file. */
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_autofree char *name = g_filename_display_name (path);

      return cured_fail (error, CURED_ERROR_STORAGE,
                         _ ("%s is not a file that could be replaced; name another one"), name);
    }
  if (!overwrite && g_file_test (path, G_FILE_TEST_EXISTS))
    return fail_exists (path, error);
  return TRUE;
}

static gboolean
write_new_file (const char *temporary, const CuredHead *head, CuredPlan *plan, CuredStoreFill fill,
                gpointer data, GError **error)
{
  g_autoptr (CuredDatabase) database = _cured_database_create (temporary, error);

  if (database == NULL || !_cured_head_write (head, database, plan, error))
    return FALSE;
  if (fill == NULL)
    return TRUE;
  g_clear_pointer (&database, _cured_database_close);
  g_autoptr (CuredStore) store = cured_store_open (temporary, error);
  if (store != NULL)
    store->database->is_new = TRUE;
  /* Without flushes, since it has no name yet: flush_file() follows. */
  return store != NULL &&
         _cured_database_exec (store->database, "PRAGMA synchronous = OFF", error) &&
         cured_store_begin_batch (store, error) && fill (store, data, error) &&
         cured_store_end_batch (store, error) &&
         (!head->finished || cured_store_finish (store, error));
}

/* Flushes a file to the disk, which SQLite otherwise does for each transaction. */
static gboolean
flush_file (const char *path, GError **error)
{
  int fd = g_open (path, O_RDWR | O_CLOEXEC, 0);
  gboolean ok = fd >= 0 && g_fsync (fd) == 0;

  if (!ok)
    fail_errno (path, errno, error);
  if (fd >= 0)
    close (fd);
  return ok;
}

/* Makes a file that appears under its name once complete; after an error there is no new file, and
 * an existing one is unchanged. */
static gboolean
make_file (const char *path, const CuredHead *head, CuredPlan *plan, gboolean overwrite,
           CuredStoreFill fill, gpointer data, GError **error)
{
  GError *local_error = NULL;

  if (!check_target (path, overwrite, error))
    return FALSE;
  g_autofree char *temporary = make_temporary (path, error);
  if (temporary == NULL)
    return FALSE;
  if (!write_new_file (temporary, head, plan, fill, data, &local_error) ||
      !flush_file (temporary, &local_error))
    propagate_as (error, local_error, temporary, path);
  else if (move_into_place (temporary, path, overwrite, error))
    return TRUE;
  g_unlink (temporary);
  remove_journal (temporary);
  return FALSE;
}

/* @path: path of the file
 * @plan: the plan to run; its cells that can't be launched are written at once
 * @device: the device that will run it
 * @overwrite: replace an existing file
 * @error: set to CURED_ERROR_STORAGE
 *
 * Makes a new result file. It appears under its name once complete; after an error there is no new
 * file, and an existing one is unchanged.
 * Returns: (transfer full) (nullable): the store */
CuredStore *
cured_store_create (const char *path, CuredPlan *plan, const CuredDeviceInfo *device,
                    gboolean overwrite, GError **error)
{
  return cured_store_create_on (path, plan, &device, 1, 0, 0, overwrite, error);
}

/* @path: path of the file
 * @plan: as for cured_store_create()
 * @devices: (array length=n_devices): devices that will run it; at least one for each place of the
 *   plan
 * @shard: number of the part of the plan that the file is for, from 1; 0: all
 * @n_shards: number of parts; 0: not divided
 * @overwrite: replace an existing file
 * @error: set to CURED_ERROR_STORAGE
 *
 * As cured_store_create(), for several devices or a part of a plan.
 * Returns: (transfer full) (nullable): the store */
CuredStore *
cured_store_create_on (const char *path, CuredPlan *plan, const CuredDeviceInfo *const *devices,
                       gsize n_devices, int shard, int n_shards, gboolean overwrite, GError **error)
{
  g_return_val_if_fail (path != NULL && *path != '\0' && plan != NULL && devices != NULL &&
                            n_devices > 0 && shard >= 0 && shard <= n_shards,
                        NULL);

  g_autoptr (CuredHead) head = _cured_head_new (plan, devices[0]);
  for (gsize i = 1; i < n_devices; i++)
    _cured_head_add_device (head, plan, devices[i]);
  head->shard = shard;
  head->n_shards = n_shards;
  return make_file (path, head, plan, overwrite, NULL, NULL, error) ? cured_store_open (path, error)
                                                                    : NULL;
}

/* @self: (transfer full): a store
 *
 * Closes the file, which is consistent even without this. */
void
cured_store_close (CuredStore *self)
{
  CURED_CLEAR (database, _cured_database_close, states, g_free, path, g_free);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Returns: (transfer none): the path, as given */
CURED_GETTER (const char *, cured_store_get_path, const CuredStore, path)

/* The cell's state in the file; %CURED_STATE_NOT_RUN if the file lacks it. */
CuredState
cured_store_get_state (CuredStore *self, gint64 cell)
{
  g_return_val_if_fail (cell >= 0 && cell < self->n_cells, CURED_STATE_NOT_RUN);

  g_mutex_lock (&self->lock);
  CuredState state = (CuredState) self->states[cell];
  g_mutex_unlock (&self->lock);
  return state;
}

/* Appending. All of these need the lock and a transaction. */

static gboolean
append_device (CuredStore *self, gint64 cell, guint round, gint64 device, GError **error)
{
  return device == 0 ||
         _cured_database_run (self->database, error, "INSERT INTO cell_device VALUES (?1, ?2, ?3)",
                              "iii", cell, (gint64) round, device);
}

/* Commits the transaction, unless it is a batch's. */
static gboolean
commit (CuredStore *self, gboolean is_finished, GError **error)
{
  g_autofree char *now = _cured_database_now ();

  return self->is_batch ||
         (_cured_database_run (self->database, error,
                               "UPDATE sweep SET changed = ?1, finished = max (finished, ?2)", "ti",
                               now, (gint64) is_finished) &&
          _cured_database_exec (self->database, "COMMIT", error));
}

static gboolean
begin (CuredStore *self, GError **error)
{
  return self->is_batch || _cured_database_exec (self->database, "BEGIN IMMEDIATE", error);
}

/* The cells appended since the batch began are lost. */
static void
roll_back (CuredStore *self)
{
  _cured_database_exec (self->database, "ROLLBACK", NULL);
  if (!self->is_batch)
    return;
  self->is_batch = FALSE;
  g_autofree guint8 *states = _cured_database_read_states (self->database, self->n_cells, NULL);
  if (states != NULL)
    memcpy (self->states, states, (gsize) self->n_cells);
}

/* Writes a cell in one transaction; when this returns TRUE, it is on the disk. An existing
 * cell is replaced. After an error the file is unchanged, and the store can still be
 * used. */
gboolean
cured_store_append (CuredStore *self, gint64 cell, const CuredOutcome *outcome, GError **error)
{
  return _cured_store_append_from (self, cell, outcome, 0, error);
}

/* Checks that no other writer has added the cell since the file was opened. Needs a transaction. */
static gboolean
check_writer (CuredStore *self, gint64 cell, GError **error)
{
  gint64 state;

  if (!_cured_database_look_up (self->database, "SELECT state FROM cell WHERE cell = ?1", cell,
                                &state, error))
    return FALSE;
  return state == self->states[cell] ||
         cured_fail (error, CURED_ERROR_STORAGE,
                     _ ("Another sweep writes “%s”, too. Let it end, then continue with --resume."),
                     self->database->name);
}

/* As cured_store_append(). @device: the measuring device's number from _cured_store_add_device();
 * 0: unknown */
gboolean
_cured_store_append_from (CuredStore *self, gint64 cell, const CuredOutcome *outcome, gint64 device,
                          GError **error)
{
  g_return_val_if_fail (self != NULL && outcome != NULL && cell >= 0 && cell < self->n_cells &&
                            outcome->state > CURED_STATE_NOT_RUN && outcome->state < CURED_N_STATES,
                        FALSE);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (!begin (self, error))
    return FALSE;
  if (check_writer (self, cell, error) &&
      (self->states[cell] == CURED_STATE_NOT_RUN ||
       _cured_database_delete_cell (self->database, cell, error)) &&
      _cured_database_write_outcome (self->database, cell, outcome, self->metric_numbers, error) &&
      append_device (self, cell, 0, device, error) && commit (self, FALSE, error))
    {
      self->states[cell] = (guint8) outcome->state;
      return TRUE;
    }
  roll_back (self);
  return FALSE;
}

static const char delete_figures[] =
    "DELETE FROM measurement WHERE cell = ?1 AND metric IN (SELECT metric FROM metric)";

static guint
count_samples (const CuredSamples *samples)
{
  return samples != NULL ? samples->samples->len : 0;
}

static guint
count_rounds (const CuredSamples *samples)
{
  return samples != NULL ? samples->rounds.n : 0;
}

/* Adds a round to a cell that is ok, in one transaction like
 * _cured_store_append_from(). @outcome: the outcome in a fresh process; becomes that of
 * all rounds. */
gboolean
_cured_store_add_round (CuredStore *self, gint64 cell, CuredOutcome *outcome, gint64 device,
                        GError **error)
{
  guint round;

  g_return_val_if_fail (self != NULL && outcome != NULL && cell >= 0 && cell < self->n_cells &&
                            outcome->state == CURED_STATE_OK,
                        FALSE);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_return_val_if_fail (self->states[cell] == CURED_STATE_OK, FALSE);
  if (!begin (self, error))
    return FALSE;
  g_autoptr (CuredOutcome) earlier = cured_outcome_new ();
  if (check_writer (self, cell, error) &&
      _cured_database_read_outcome (self->database, cell, earlier, error))
    {
      round = MAX (count_rounds (earlier->cold), count_rounds (earlier->hot));
      cured_outcome_add_round (outcome, earlier);
      outcome->n_mismatches = earlier->n_mismatches;
      if (_cured_rows_insert (self->database, &_cured_rows_cell, &cell, outcome, error) &&
          _cured_database_run (self->database, error, delete_figures, "i", cell) &&
          _cured_database_write_figures (self->database, cell, outcome, self->metric_numbers,
                                         error) &&
          _cured_database_write_samples (self->database, cell, outcome->cold,
                                         count_samples (earlier->cold), error) &&
          _cured_database_write_samples (self->database, cell, outcome->hot,
                                         count_samples (earlier->hot), error) &&
          append_device (self, cell, round, device, error) && commit (self, FALSE, error))
        return TRUE;
    }
  roll_back (self);
  return FALSE;
}

/* The number of rounds that a cell lacks: at least one if it was not run, none if it is not ok.
 * @n_wanted: rounds for every cell; 0: as many as each needs */
gboolean
_cured_store_get_missing_rounds (CuredStore *self, gint64 cell, guint n_wanted, guint *n_missing,
                                 GError **error)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  g_return_val_if_fail (cell >= 0 && cell < self->n_cells, FALSE);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  outcome->state = (CuredState) self->states[cell];
  /* Usually there is no need to query the file. */
  if (outcome->state == CURED_STATE_OK && n_wanted != 1 &&
      !_cured_database_read_figures (self->database, cell, outcome, error))
    return FALSE;
  *n_missing = cured_outcome_get_missing_rounds (outcome, n_wanted);
  return TRUE;
}

/* Ends a change, made in its own transaction or in the batch's. */
static gboolean
end_change (CuredStore *self, gboolean ok, GError **error)
{
  if (ok && (self->is_batch || _cured_database_exec (self->database, "COMMIT", error)))
    return TRUE;
  roll_back (self);
  return FALSE;
}

/* A device that the file already has keeps its @number. */
gboolean
_cured_store_add_device (CuredStore *self, const CuredDeviceInfo *device, gsize place,
                         gint64 *number, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return begin (self, error) &&
         end_change (self,
                     _cured_database_add_device (self->database, device, place, number, error),
                     error);
}

/* Adds a time of the anchor cell, if there is one; the cell itself does not change. */
gboolean
_cured_store_add_anchor (CuredStore *self, gint64 device, gint64 cell, const CuredOutcome *outcome,
                         GError **error)
{
  const double *metrics = outcome->metrics;
  gboolean is_cold = !isnan (metrics[CURED_METRIC_time]);
  g_autofree char *now = _cured_database_now ();
  CuredAnchor anchor = {
    .cell = cell,
    .measured = now,
    .time_ns = metrics[is_cold ? CURED_METRIC_time : CURED_METRIC_time_hot],
    .low_ns = metrics[is_cold ? CURED_METRIC_time_low : CURED_METRIC_time_hot_low],
    .high_ns = metrics[is_cold ? CURED_METRIC_time_high : CURED_METRIC_time_hot_high],
  };
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return outcome->state != CURED_STATE_OK || !(anchor.time_ns > 0) ||
         (begin (self, error) &&
          end_change (self, _cured_database_add_anchor (self->database, device, &anchor, error),
                      error));
}

/* Writes notes about devices that differ from their peers, that drift, or that are shared. */
gboolean
_cured_store_write_notes (CuredStore *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return begin (self, error) &&
         end_change (self, _cured_database_write_notes (self->database, error), error);
}

/* Makes all writes up to cured_store_end_batch() one transaction: much faster, but everything is
 * lost if it is not committed. An error within ends it. */
gboolean
cured_store_begin_batch (CuredStore *self, GError **error)
{
  g_return_val_if_fail (!self->is_batch, FALSE);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->is_batch = begin (self, error);
  return self->is_batch;
}

/* If an error in another thread ended the batch, it is lost. */
gboolean
cured_store_end_batch (CuredStore *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!self->is_batch)
    return fail_errno (self->path, EIO, error);
  self->is_batch = FALSE;
  if (commit (self, FALSE, error))
    return TRUE;
  self->is_batch = TRUE;
  roll_back (self);
  return FALSE;
}

/* Records in the file that every cell that can run has run. */
gboolean
cured_store_finish (CuredStore *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return begin (self, error) && (commit (self, TRUE, error) || end_change (self, FALSE, error));
}

/* Importing */

/* Writes a complete result file, for an import: @fill appends the cells. */
gboolean
_cured_store_write (const char *path, const CuredHead *head, gboolean overwrite,
                    CuredStoreFill fill, gpointer data, GError **error)
{
  return make_file (path, head, NULL, overwrite, fill, data, error);
}

/* The database of a store that is in a batch and has no other user. */
CURED_GETTER (CuredDatabase *, _cured_store_get_database, CuredStore, database)

/* In a batch: adds a metric that Cured does not know; its id must not be in Cured's table. */
gboolean
_cured_store_add_metric (CuredStore *self, const CuredMetricInfo *metric, gint64 *number,
                         GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return _cured_database_add_metric (self->database, metric, number, error);
}

/* In a batch: sets the value of an appended cell that has none of this metric yet. */
gboolean
_cured_store_set_value (CuredStore *self, gint64 number, gint64 cell, double value, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return _cured_database_run (self->database, error, "INSERT INTO measurement VALUES (?1, ?2, ?3)",
                              "iir", number, cell, value);
}

/* In a batch: sets or replaces a value of an appended cell. */
gboolean
_cured_store_set_figure (CuredStore *self, CuredMetric metric, gint64 cell, double value,
                         GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return _cured_database_run (self->database, error,
                              "INSERT OR REPLACE INTO measurement VALUES (?1, ?2, ?3)", "iir",
                              self->metric_numbers[metric], cell, value);
}

/* Resuming */

static CuredHead *
read_head (CuredStore *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return _cured_head_read (self->database, error);
}

static void
note_text (GPtrArray *differences, const char *what, const char *there, const char *here)
{
  if (g_strcmp0 (there, here) != 0)
    g_ptr_array_add (
        differences,
        /* Translators: “kernel”, “device”, the name of an option …, and what it is. */
        g_strdup_printf (_ ("%s: the file has “%s”, and this sweep “%s”"), what, there, here));
}

static void
note_axes (GPtrArray *differences, const CuredHead *head, CuredSpec *spec)
{
  gsize n_axes = _cured_head_count_parameters (head);

  const CuredParameter *parameters = cured_spec_get_kernel (spec)->parameters;
  gsize n_parameters = cured_spec_get_kernel (spec)->n_parameters;
  for (gsize i = 0; i < MIN (n_axes, n_parameters); i++)
    {
      const CuredAxis *here = cured_spec_get_axis (spec, i);
      const CuredResultAxis *there = &head->axes[i];

      if (!g_str_equal (there->name, parameters[i].name))
        {
          note_text (differences, C_ ("other than in the file", "parameter"), there->name,
                     parameters[i].name);
          continue;
        }
      if (cured_axis_equal (here, there->values))
        continue;
      g_autofree char *here_text = cured_axis_to_string (here);
      g_autofree char *there_text = cured_axis_to_string (there->values);
      g_ptr_array_add (differences,
                       /* Translators: a parameter, and its values, as
           * “16..64:16”. */
                       g_strdup_printf (_ ("%s: the file has %s, and this sweep %s"), there->name,
                                        there_text, here_text));
    }
  g_autofree char *there_count = g_strdup_printf ("%zu", n_axes);
  g_autofree char *here_count = g_strdup_printf ("%zu", n_parameters);
  note_text (differences, C_ ("other than in the file", "number of parameters"), there_count,
             here_count);
}

static void
note_options (GPtrArray *differences, const CuredOptions *there, const CuredOptions *here)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    if ((rows[i].flags & (CURED_OPTION_RESUMABLE | CURED_OPTION_UNSAFE)) == 0)
      {
        g_autofree char *old = cured_option_to_string (&rows[i], there);
        g_autofree char *new = cured_option_to_string (&rows[i], here);

        note_text (differences, rows[i].name, old, new);
      }
}

static void
note_device (GPtrArray *differences, const CuredHead *head, CuredPlan *plan,
             const CuredDeviceInfo *device)
{
  gboolean has_places = _cured_head_count_parameters (head) < head->n_axes;
  const CuredAxis *here = cured_plan_get_places (plan);

  if (has_places || here != NULL)
    {
      g_autofree char *there_names =
          has_places ? cured_axis_to_string (head->axes[head->n_axes - 1].values)
                     : g_strdup (head->device.name);
      g_autofree char *here_names =
          here != NULL ? cured_axis_to_string (here) : g_strdup (device->name);

      note_text (differences, C_ ("other than in the file", "device"), there_names, here_names);
      return;
    }
  note_text (differences, C_ ("other than in the file", "device"), head->device.name, device->name);
  note_text (differences, C_ ("other than in the file", "architecture"), head->device.arch,
             device->arch);
}

/* @plan: the plan to run
 * @device: the device to run it
 * @error: set to CURED_ERROR_INVALID, naming every difference
 *
 * Checks whether the rest of @plan may be appended: the same kernel source, axes and options
 * (except the time limit), and the same kind of device. */
gboolean
cured_store_matches (CuredStore *self, CuredPlan *plan, const CuredDeviceInfo *device,
                     GError **error)
{
  g_autoptr (GPtrArray) differences = g_ptr_array_new_with_free_func (g_free);
  CuredSpec *spec = cured_plan_get_spec (plan);
  CuredKernel *kernel = cured_spec_get_kernel (spec);

  g_autoptr (CuredHead) head = read_head (self, error);
  if (head == NULL)
    return FALSE;

  g_autofree char *source = _cured_head_get_source (spec);
  if (g_strcmp0 (head->kernel_id, kernel->id) != 0)
    note_text (differences, C_ ("other than in the file", "kernel"), head->kernel_id, kernel->id);
  else if (g_strcmp0 (head->source, source) != 0)
    g_ptr_array_add (
        differences,
        g_strdup_printf (_ ("the source of kernel “%s” has changed since"), head->kernel_id));
  note_axes (differences, head, spec);
  note_options (differences, &head->options, cured_spec_get_options (spec));
  note_device (differences, head, plan, device);
  if (differences->len == 0)
    return TRUE;

  g_ptr_array_add (differences, NULL);
  g_autofree char *joined = g_strjoinv ("; ", (char **) differences->pdata);
  return cured_fail (
      error, CURED_ERROR_INVALID,
      /* Translators: a file, and all that is not the same, each as “seed: the file has 1,
                * and this sweep 2”. */
      _ ("“%s” can't be continued: %s. Ask for what the file has, or write to another file."),
      self->database->name, joined);
}

/* Load a kernel of the catalogue from there if it is unchanged, since its reference may be a
 * neighbour. */
static CuredKernel *
load_kernel (const CuredHead *head, GError **error)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (head->kernel_id, NULL);
  if (kernel != NULL && g_strcmp0 (kernel->source, head->source) == 0)
    return g_steal_pointer (&kernel);
  return cured_kernel_new_from_text (head->source, head->kernel_id, NULL, error);
}

/* @error: set to CURED_ERROR_DAMAGED, CURED_ERROR_INVALID for a file that was imported, or an error
 *   of the kernel file's parser
 *
 * Reads the spec for which the file was made: its kernel, axes and options.
 * Returns: (transfer full) (nullable): the spec */
CuredSpec *
cured_store_load_spec (CuredStore *self, GError **error)
{
  g_autoptr (CuredKernel) kernel = NULL;

  g_autoptr (CuredHead) head = read_head (self, error);
  if (head == NULL)
    return NULL;
  if (head->imported != NULL)
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("“%s” was imported (%s): the kernel is not in it, so it can't be continued "
           "or run again. Write a kernel file for it, and sweep that."),
        self->database->name, head->imported);
  kernel = load_kernel (head, error);
  if (kernel == NULL)
    return NULL;
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  for (gsize i = 0; i < _cured_head_count_parameters (head); i++)
    if (!cured_spec_set_axis (spec, head->axes[i].name, head->axes[i].values, error))
      return NULL;
  CuredOptions *options = cured_spec_get_options (spec);
  cured_options_clear (options);
  cured_options_copy (&head->options, options);
  return g_steal_pointer (&spec);
}

/* @spec: the spec to run, from cured_store_load_spec()
 * @limits: limits of the available device
 * @error: as from cured_plan_new(), or CURED_ERROR_DAMAGED
 *
 * Makes the file's plan; if its devices are of different kinds, for these devices, whether they are
 * available now or not.
 * Returns: (transfer full) (nullable): the plan */
CuredPlan *
cured_store_new_plan (CuredStore *self, CuredSpec *spec, const CuredLimits *limits, GError **error)
{
  g_autoptr (CuredHead) head = read_head (self, error);
  if (head == NULL)
    return NULL;
  if (_cured_head_count_parameters (head) == head->n_axes)
    return cured_plan_new (spec, limits, error);
  gsize n_places = cured_axis_get_length (head->axes[head->n_axes - 1].values);
  g_autofree CuredPlanPlace *places = g_new0 (CuredPlanPlace, n_places);
  for (guint i = head->devices->len; i-- > 0;)
    {
      const CuredResultDevice *device = &g_array_index (head->devices, CuredResultDevice, i);

      places[device->place] =
          (CuredPlanPlace){ device->info.name, device->info.arch, &device->info.limits };
    }
  for (gsize i = 0; i < n_places; i++)
    if (places[i].name == NULL)
      {
        _cured_database_damaged (self->database, error, _ ("the device table is broken"));
        return NULL;
      }
  return cured_plan_new_on (spec, places, n_places, error);
}

/* @shard: (out): number of the part of the plan that the file is for, from 1
 * @n_shards: (out): number of parts
 * Returns: FALSE if the file is for the whole plan, or that can't be read */
gboolean
cured_store_get_shard (CuredStore *self, int *shard, int *n_shards)
{
  g_autoptr (CuredHead) head = read_head (self, NULL);
  *shard = head != NULL ? head->shard : 0;
  *n_shards = head != NULL ? head->n_shards : 0;
  return *n_shards > 0;
}
