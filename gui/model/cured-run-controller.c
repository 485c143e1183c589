/* SPDX-License-Identifier: MIT
 * The sweep of a tab, and possible next sweeps. */
#include <config.h>

#include "model/cured-gui-model.h"

#include <unistd.h>
#include <glib/gstdio.h>

/* Implementation notes
 *
 * GPU code runs with the user's privileges, without a sandbox, so the source of a received file
 * needs permission.
 *
 * Permission depends on the source text. It is not requested for a kernel of the catalogue; for a
 * `.cu`, which the user opened; for a text that already ran from here or was permitted; and for an
 * edited version of these, which is why the displayed result's source counts if the sweep's own
 * text is new. */

/* What happens to a sweep once it is permitted. */
typedef enum
{
  PURPOSE_ANYWHERE, /* the window decides where */
  PURPOSE_HERE,     /* unless another sweep is running by then */
  PURPOSE_CHANGE,   /* replaces the running sweep */
} Purpose;

/* The flags that tell_changes() updates. */
enum
{
  IS_RUNNING,
  IS_PAUSED,
  CAN_RESUME,
  CAN_RUN_AGAIN,
  CAN_RUN_CELLS,
  CAN_REFINE,
  HAS_BEST,
  N_FLAGS
};

/* ORDER: same as above. */
static const char *const flag_names[N_FLAGS] = {
  "is-running",    "is-paused",  "can-resume", "can-run-again",
  "can-run-cells", "can-refine", "has-best",
};

struct _CuredRunController
{
  GObject parent_instance;

  /* Owned */
  CuredDocument *document;
  CuredChange *change;       /* of the kernel, to run it again */
  CuredSweep *sweep;         /* nullable */
  CuredSweep *next;          /* nullable: starts when @sweep has ended */
  CuredSweep *asked;         /* nullable: awaiting the user's permission */
  CuredResult *asked_result; /* nullable: with the source to be permitted */

  Purpose purpose;       /* of @asked */
  gboolean is_automatic; /* @sweep runs because the kernel was changed */
  gboolean told[N_FLAGS];
};

CURED_DEFINE_PLAIN_TYPE (CuredRunController, cured_run_controller, G_TYPE_OBJECT)

/* ---- Sources that may run on a GPU without permission ---- */

/* Digests of texts that ran from here or were permitted. Main thread only. */
static GHashTable *trusted;

static char *
get_digest (const char *source)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, source, -1);
}

/* Permits @source in all windows until the program ends. */
void
cured_trust_add (const char *source)
{
  if (trusted == NULL)
    trusted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (trusted, get_digest (source));
}

/* Returns: whether @source is the catalogue's or was added */
gboolean
cured_trust_has (const char *kernel_id, const char *source)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (kernel_id, NULL);
  g_autofree char *digest = get_digest (source);

  return (kernel != NULL && g_str_equal (kernel->source, source)) ||
         (trusted != NULL && g_hash_table_contains (trusted, digest));
}

static void
tell (CuredRunController *self, const char *text)
{
  g_signal_emit_by_name (self, "message", text);
}

static gboolean
has_best (CuredRunController *self)
{
  CuredProgress progress;

  return cured_run_controller_is_shown (self) &&
         cured_sweep_get_progress (self->sweep, &progress) && progress.best_cell >= 0;
}

/* Notifies all changes, including of the sweep if @is_other_sweep, after all of them are made. */
static void
tell_changes (CuredRunController *self, gboolean is_other_sweep)
{
  CuredResult *result = cured_document_get_result (self->document);
  gboolean is_running = cured_run_controller_is_running (self);
  /* Imported measurements have no kernel to run. */
  gboolean can_run = result != NULL && !is_running && cured_result_get_kernel (result) != NULL;
  gboolean is_edited_fit = cured_document_get_kernel (self->document) != NULL;
  const gboolean now[N_FLAGS] = {
    [IS_RUNNING] = is_running,
    [IS_PAUSED] = is_running && cured_sweep_is_paused (self->sweep),
    [CAN_RESUME] = can_run && cured_result_count_state (result, CURED_STATE_NOT_RUN) > 0,
    [CAN_RUN_AGAIN] = can_run && is_edited_fit,
    [CAN_RUN_CELLS] = can_run,
    [CAN_REFINE] = result != NULL && is_edited_fit,
    [HAS_BEST] = has_best (self),
  };

  g_object_ref (self);
  g_object_freeze_notify (G_OBJECT (self));
  if (is_other_sweep)
    g_object_notify (G_OBJECT (self), "sweep");
  for (guint i = 0; i < N_FLAGS; i++)
    if (self->told[i] != now[i])
      {
        self->told[i] = now[i];
        g_object_notify (G_OBJECT (self), flag_names[i]);
      }
  g_object_thaw_notify (G_OBJECT (self));
  g_signal_emit_by_name (self, "changed");
  g_object_unref (self);
}

static void
update (CuredRunController *self)
{
  tell_changes (self, FALSE);
}

static void
document_changed_cb (CuredRunController *self, CuredDocumentChange what)
{
  if ((what & (CURED_DOCUMENT_RESULT | CURED_DOCUMENT_KERNEL)) != 0)
    update (self);
}

/* Signals of the sweep. */

static void
started_cb (CuredRunController *self)
{
  g_signal_emit_by_name (self, "started", cured_sweep_get_result (self->sweep));
  if (self->sweep != NULL && cured_sweep_get_note (self->sweep) != NULL)
    tell (self, cured_sweep_get_note (self->sweep));
  update (self);
}

static void
finished_cb (CuredRunController *self, const GError *error)
{
  g_autoptr (CuredSweep) next = g_steal_pointer (&self->next);

  if (next != NULL)
    {
      cured_run_controller_start (self, next);
      self->is_automatic = TRUE;
      return;
    }
  g_object_ref (self);
  update (self);
  g_signal_emit_by_name (self, "finished", error);
  g_object_unref (self);
}

static void
set_sweep (CuredRunController *self, CuredSweep *sweep)
{
  if (self->sweep != NULL)
    g_signal_handlers_disconnect_by_data (self->sweep, self);
  g_set_object (&self->sweep, sweep);
  if (sweep != NULL)
    {
      CURED_CONNECT (sweep, "started", started_cb);
      CURED_CONNECT (sweep, "progress", update);
      CURED_CONNECT (sweep, "finished", finished_cb);
    }
}

/* Starts @sweep without checking permission; returns at once. Emits `started` and `finished`
 * later. */
void
cured_run_controller_start (CuredRunController *self, CuredSweep *sweep)
{
  g_return_if_fail (!cured_run_controller_is_running (self));

  self->is_automatic = FALSE;
  set_sweep (self, sweep);
  cured_sweep_start (sweep);
  tell_changes (self, TRUE);
}

/* Permission. */

static gboolean
is_own (CuredRunController *self, CuredSweep *sweep)
{
  CuredResult *result = cured_document_get_result (self->document);
  CuredKernel *kernel = cured_sweep_get_kernel (sweep);

  return result == NULL || kernel->path != NULL || cured_trust_has (kernel->id, kernel->source) ||
         cured_trust_has (cured_result_get_kernel_id (result), cured_result_get_source (result));
}

static void
proceed (CuredRunController *self, CuredSweep *sweep, Purpose purpose)
{
  if (purpose == PURPOSE_ANYWHERE)
    g_signal_emit_by_name (self, "permitted", sweep);
  else if (!cured_run_controller_is_running (self))
    {
      if (cured_sweep_is_copy (sweep))
        {
          g_autofree char *shown = g_filename_display_basename (cured_sweep_get_path (sweep));
          /* Translators: a file's name. */
          g_autofree char *text =
              g_strdup_printf (_ ("The new results go into a copy, “%s”"), shown);

          tell (self, text);
        }
      cured_run_controller_start (self, sweep);
      self->is_automatic = purpose == PURPOSE_CHANGE;
    }
  else if (purpose == PURPOSE_CHANGE)
    {
      g_set_object (&self->next, sweep);
      cured_sweep_cancel (self->sweep);
    }
}

/* Proceeds at once if @sweep runs on the emulator or its source is trusted; otherwise only after
 * the user's permission. */
static void
run_if_permitted (CuredRunController *self, CuredSweep *sweep, Purpose purpose)
{
  CuredResult *result = cured_document_get_result (self->document);

  if (is_own (self, sweep))
    {
      cured_trust_add (cured_sweep_get_kernel (sweep)->source);
      proceed (self, sweep, purpose);
    }
  else if (cured_device_is_emulated (cured_sweep_get_device_id (sweep)))
    proceed (self, sweep, purpose);
  else if (self->asked == NULL)
    {
      g_set_object (&self->asked, sweep);
      self->purpose = purpose;
      g_set_object (&self->asked_result, result);
      g_signal_emit_by_name (self, "permission-needed", self->asked_result);
    }
  /* Permission is only for the displayed source, so a sweep with another source is dropped. */
  else if (result == self->asked_result &&
           g_str_equal (cured_sweep_get_kernel (sweep)->source,
                        cured_sweep_get_kernel (self->asked)->source))
    {
      g_set_object (&self->asked, sweep);
      self->purpose = purpose;
    }
}

/* Requests permission to run @sweep; emits `permitted` if granted. @sweep: a sweep that has not
 * started, of the document's kernel or of another. */
void
cured_run_controller_request (CuredRunController *self, CuredSweep *sweep)
{
  run_if_permitted (self, sweep, PURPOSE_ANYWHERE);
}

/* Answers `permission-needed`. A refusal also disables runs on change, since the next change would
 * ask again. */
void
cured_run_controller_permit (CuredRunController *self, gboolean may_run)
{
  g_autoptr (CuredSweep) sweep = g_steal_pointer (&self->asked);
  g_autoptr (CuredResult) result = g_steal_pointer (&self->asked_result);
  if (sweep == NULL)
    return;
  if (!may_run)
    {
      g_object_set (self, "runs-on-change", FALSE, NULL);
      return;
    }
  cured_trust_add (cured_result_get_source (result));
  cured_trust_add (cured_sweep_get_kernel (sweep)->source);
  proceed (self, sweep, self->purpose);
}

/* Starting sweeps. */

/* The cells to run again: the selected ones or, without a selection, the current one. */
static GArray *
get_chosen_cells (CuredRunController *self)
{
  GArray *cells = cured_map_view_get_selected_cells (cured_document_get_map_view (self->document));
  gint64 cell = cured_document_get_cell (self->document);

  if (cells != NULL || cell < 0)
    return cells;
  cells = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (cells, cell);
  return cells;
}

/* (transfer full): of a new file next to the displayed one */
static char *
propose_path (CuredRunController *self)
{
  CuredResult *result = cured_document_get_result (self->document);
  g_autofree char *folder = g_path_get_dirname (cured_result_get_path (result));

  /* The folder of recorded samples is read-only. */
  if (g_access (folder, W_OK) != 0)
    g_clear_pointer (&folder, g_free);
  g_autofree char *proposed =
      cured_sweep_propose_path (cured_result_get_kernel_id (result), folder);
  if (folder == NULL)
    {
      folder = g_path_get_dirname (proposed);
      g_mkdir_with_parents (folder, 0755);
    }
  return g_steal_pointer (&proposed);
}

/* Replaces @path or, if that is NULL, creates a file next to the displayed one. */
static void
run_result (CuredRunController *self, const char *path, Purpose purpose)
{
  CuredResult *result = cured_document_get_result (self->document);
  g_autoptr (CuredSpec) spec = cured_run_controller_make_spec (self);
  g_autofree char *proposed = path == NULL ? propose_path (self) : NULL;
  g_autoptr (CuredSweep) sweep = cured_sweep_new (spec, cured_result_get_device (result)->id,
                                                  path != NULL ? path : proposed, path != NULL);

  cured_sweep_set_launcher (sweep, cured_run_controller_get_launcher (self));
  run_if_permitted (self, sweep, purpose);
}

/* Creates a spec of the result's sweep with the document's kernel, which may have been edited
 * since; without a result, of the kernel's default sweep. Returns: (transfer full): the spec */
CuredSpec *
cured_run_controller_make_spec (CuredRunController *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  CuredResult *result = cured_document_get_result (self->document);
  if (result != NULL)
    return cured_spec_new_from_result (result, kernel);
  CuredSpec *spec = cured_spec_new (kernel);
  cured_spec_use_default_sweep (spec);
  return spec;
}

/* Adds values between those of an axis that the selection covers; other axes are fixed. */
static void
refine_axis (CuredRunController *self, CuredSpec *spec, gsize axis, gint64 cell)
{
  CuredResult *result = cured_document_get_result (self->document);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  CuredSelectedAxis x, y;
  gsize last;
  gboolean has_selection =
      cured_map_view_get_selection_axes (cured_document_get_map_view (self->document), &x, &y);

  cured_result_get_positions (result, cell, positions);
  gsize first = last = positions[axis];
  if (has_selection && x.axis == axis)
    {
      first = x.first;
      last = x.last;
    }
  else if (has_selection && y.axis == axis)
    {
      first = y.first;
      last = y.last;
    }
  else if (has_selection)
    {
      gint64 value = cured_axis_get_value (axes[axis].values, first);
      g_autoptr (CuredAxis) still = cured_axis_new (&value, 1);

      cured_spec_set_axis (spec, axes[axis].name, still, NULL);
      return;
    }
  cured_spec_refine (spec, result, axis, first, last);
}

/* Creates a spec of the selected or the current cells, with values between theirs. Emits a message
 * if there are none. Returns: (transfer full) (nullable): the spec */
CuredSpec *
cured_run_controller_make_finer_spec (CuredRunController *self)
{
  gsize n_axes;

  g_autoptr (GArray) cells = get_chosen_cells (self);
  if (cells == NULL || cells->len == 0)
    {
      tell (self, _ ("Select a part of the map first."));
      return NULL;
    }
  CuredSpec *spec = cured_run_controller_make_spec (self);
  cured_result_get_axes (cured_document_get_result (self->document), &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    refine_axis (self, spec, i, g_array_index (cells, gint64, 0));
  return spec;
}

/* Runs the result's whole sweep, with the document's kernel, into a file next to the result's. */
void
cured_run_controller_run_again (CuredRunController *self)
{
  g_return_if_fail (self->told[CAN_RUN_AGAIN]);
  run_result (self, NULL, PURPOSE_HERE);
}

/* Runs the selected cells, or the current one. Recorded outcomes are kept: if one of the cells has
 * an outcome, the new ones are stored in a copy of the file next to it. */
void
cured_run_controller_run_cells (CuredRunController *self)
{
  g_autofree char *path = NULL;
  gboolean has_outcome = FALSE;

  g_return_if_fail (self->told[CAN_RUN_CELLS]);

  CuredResult *result = cured_document_get_result (self->document);
  g_autoptr (GArray) cells = get_chosen_cells (self);
  g_autoptr (GArray) launchable = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; cells != NULL && i < cells->len; i++)
    {
      gint64 cell = g_array_index (cells, gint64, i);
      CuredState state = cured_result_get_state (result, cell);

      if (state == CURED_STATE_NOT_LAUNCHABLE)
        continue;
      has_outcome |= state != CURED_STATE_NOT_RUN;
      g_array_append_val (launchable, cell);
    }
  if (launchable->len == 0)
    {
      tell (self, _ ("Select cells that can be launched first."));
      return;
    }
  if (has_outcome)
    path = propose_path (self);
  g_autoptr (CuredSweep) sweep = cured_sweep_new_again (
      result, (const gint64 *) (gpointer) launchable->data, launchable->len, path);
  cured_sweep_set_launcher (sweep, cured_run_controller_get_launcher (self));
  run_if_permitted (self, sweep, PURPOSE_HERE);
}

/* Runs the result's missing cells, into its file. */
void
cured_run_controller_resume (CuredRunController *self)
{
  g_return_if_fail (self->told[CAN_RESUME]);

  g_autoptr (CuredSweep) sweep =
      cured_sweep_new_resume (cured_document_get_result (self->document));
  cured_sweep_set_launcher (sweep, cured_run_controller_get_launcher (self));
  run_if_permitted (self, sweep, PURPOSE_HERE);
}

/* Ends the running sweep within a second, and discards a queued one. Emits `finished` if a sweep
 * was running. */
void
cured_run_controller_cancel (CuredRunController *self)
{
  g_clear_object (&self->next);
  if (!cured_run_controller_is_running (self))
    return;
  /* The sweep may end at once, and the window with it. */
  g_object_ref (self);
  cured_sweep_cancel (self->sweep);
  update (self);
  g_object_unref (self);
}

/* Forgets the last sweep before something else is shown. */
void
cured_run_controller_forget (CuredRunController *self)
{
  if (self->sweep == NULL)
    return;
  set_sweep (self, NULL);
  tell_changes (self, TRUE);
}

/* Runs again after a change of the source. An incomplete file of an earlier change is useless and
 * therefore replaced; a complete one is kept. */
static void
kernel_ready_cb (CuredRunController *self)
{
  CuredResult *result = cured_document_get_result (self->document);
  gboolean is_cut = self->is_automatic && cured_run_controller_is_shown (self) &&
                    cured_result_count_state (result, CURED_STATE_NOT_RUN) > 0;

  if (result != NULL)
    run_result (self, is_cut ? cured_result_get_path (result) : NULL, PURPOSE_CHANGE);
}

static void
set_runs_on_change (CuredRunController *self, const GValue *value)
{
  gboolean is_active = g_value_get_boolean (value);

  if (cured_change_is_active (self->change) == is_active)
    return;
  cured_change_set_active (self->change, is_active);
  g_object_notify (G_OBJECT (self), "runs-on-change");
  if (is_active && cured_document_get_result (self->document) == NULL)
    tell (self, _ ("Run a sweep first; it is what will run again."));
}

static gboolean
runs_on_change (CuredRunController *self)
{
  return cured_change_is_active (self->change);
}

static void
set_paused (CuredRunController *self, const GValue *value)
{
  if (cured_run_controller_is_running (self))
    cured_sweep_set_paused (self->sweep, g_value_get_boolean (value));
}

static void
cured_run_controller_dispose (GObject *object)
{
  CuredRunController *self = CURED_RUN_CONTROLLER (object);

  set_sweep (self, NULL);
  if (self->change != NULL)
    g_object_run_dispose (G_OBJECT (self->change));
  cured_class_dispose (object);
}

static void
cured_run_controller_class_init (CuredRunControllerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = cured_run_controller_dispose;
  CURED_PROPERTY (CuredRunController, "sweep", CURED_TYPE_SWEEP, sweep, NULL);
  cured_class_add_property (klass, "runs-on-change", G_TYPE_BOOLEAN, 0,
                            (CuredIsFunc) runs_on_change, (CuredSetFunc) set_runs_on_change);
  for (gsize i = 0; i < N_FLAGS; i++)
    cured_class_add_property (klass, flag_names[i], G_TYPE_BOOLEAN,
                              G_STRUCT_OFFSET (CuredRunController, told) + i * sizeof (gboolean),
                              NULL, i == IS_PAUSED ? (CuredSetFunc) set_paused : NULL);
  cured_class_add_signal (klass, "changed", 0);
  cured_class_add_signal (klass, "started", 1, CURED_TYPE_RESULT);
  cured_class_add_signal (klass, "finished", 1, G_TYPE_ERROR);
  cured_class_add_signal (klass, "permission-needed", 1, CURED_TYPE_RESULT);
  cured_class_add_signal (klass, "permitted", 1, CURED_TYPE_SWEEP);
  cured_class_add_signal (klass, "message", 1, G_TYPE_STRING);
  CURED_OWNS (CuredRunController, next, asked, asked_result, change, document);
}

/* Creates a controller without a sweep. The document's map is live while a sweep runs. Returns:
 * (transfer full): the controller */
CuredRunController *
cured_run_controller_new (CuredDocument *document, CuredInspector *inspector)
{
  CuredRunController *self = g_object_new (CURED_TYPE_RUN_CONTROLLER, NULL);

  self->document = g_object_ref (document);
  self->change = cured_change_new (document, inspector);
  CURED_CONNECT (self->change, "ready", kernel_ready_cb);
  CURED_CONNECT (self->change, "refused", tell);
  CURED_CONNECT (document, "changed", document_changed_cb);
  g_object_bind_property (self, "is-running", cured_document_get_map_view (document), "is-live",
                          G_BINDING_SYNC_CREATE);
  update (self);
  return self;
}

CURED_GETTER (CuredDocument *, cured_run_controller_get_document, CuredRunController, document)

/* Returns: (nullable): the running or last sweep */
CURED_GETTER (CuredSweep *, cured_run_controller_get_sweep, CuredRunController, sweep)

/* Returns: (nullable): the launcher of the worker that measured the displayed result */
const char *
cured_run_controller_get_launcher (CuredRunController *self)
{
  return cured_run_controller_is_shown (self) ? cured_sweep_get_launcher (self->sweep) : NULL;
}

gboolean
cured_run_controller_is_running (CuredRunController *self)
{
  return self->sweep != NULL && cured_sweep_is_active (self->sweep);
}

/* Returns: whether the document shows the result of the running or last sweep */
gboolean
cured_run_controller_is_shown (CuredRunController *self)
{
  return self->sweep != NULL && cured_sweep_get_result (self->sweep) != NULL &&
         cured_sweep_get_result (self->sweep) == cured_document_get_result (self->document);
}
