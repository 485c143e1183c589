/* SPDX-License-Identifier: MIT
 * The sweeps of a window. */
#include <config.h>

#include "app/cured-window-private.h"

#include <unistd.h>

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "widgets/cured-menu.h"
#include "model/cured-presets.h"
#include "model/cured-settings.h"

/* On the start page, the document still has what was shown before it. */
static gboolean
is_shown (CuredWindow *self)
{
  return g_strcmp0 (cured_window_get_view_name (self), "result") == 0;
}

gboolean
_cured_window_is_sweeping (CuredWindow *self)
{
  return self->sweep != NULL && cured_sweep_is_active (self->sweep);
}

/* What is run again: the selected cells, or the one that is looked at. */
static GArray *
get_chosen_cells (CuredWindow *self)
{
  GArray *cells = cured_map_view_get_selected_cells (
      cured_document_get_map_view (self->document));
  gint64 cell = cured_document_get_cell (self->document);

  if (cells != NULL || cell < 0)
    return cells;
  cells = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (cells, cell);
  return cells;
}

static gboolean
has_fastest (CuredWindow *self)
{
  CuredProgress progress;

  return self->sweep != NULL && cured_sweep_get_result (self->sweep) != NULL &&
         cured_sweep_get_result (self->sweep) ==
             cured_document_get_result (self->document) &&
         cured_sweep_get_progress (self->sweep, &progress) &&
         progress.best_cell >= 0;
}

void
_cured_window_update_run (CuredWindow *self)
{
  CuredResult *result = cured_document_get_result (self->document);
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  gboolean is_sweeping = _cured_window_is_sweeping (self);
  /* What was imported has no kernel that could be run. */
  gboolean can_run = result != NULL && !is_sweeping &&
                     cured_result_get_imported (result) == NULL;
  gboolean has_missing =
      can_run && cured_result_count_state (result, CURED_STATE_NOT_RUN) > 0;
  const struct
  {
    const char *action;
    gboolean is_enabled;
  } rows[] = {
    { "win.cancel-sweep", is_sweeping },
    { "win.resume-sweep", has_missing },
    { "win.run-again", can_run && kernel != NULL },
    { "win.rerun-cells", can_run },
    { "win.run-finer", result != NULL && kernel != NULL },
    { "win.run-preset", kernel != NULL },
    { "win.go-to-fastest", has_fastest (self) },
  };
  GAction *pause =
      g_action_map_lookup_action (G_ACTION_MAP (self), "pause-sweep");

  g_object_set (cured_document_get_map_view (self->document),
                "is-live",
                is_sweeping,
                NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    gtk_widget_action_set_enabled (
        GTK_WIDGET (self), rows[i].action, rows[i].is_enabled);
  if (pause != NULL)
    {
      g_simple_action_set_enabled (G_SIMPLE_ACTION (pause), is_sweeping);
      g_simple_action_set_state (
          G_SIMPLE_ACTION (pause),
          g_variant_new_boolean (is_sweeping &&
                                 cured_sweep_is_paused (self->sweep)));
    }
}

static void
update_run_bar (CuredWindow *self)
{
  CuredResult *result = cured_document_get_result (self->document);

  /* Without a kernel, as where another program measured, there is nothing that
   * could be run for the cells that are missing. */
  if (result != NULL && cured_result_get_kernel (result) == NULL)
    result = NULL;
  cured_run_bar_update (self->run_bar, self->sweep, result);
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self), "win.go-to-fastest", has_fastest (self));
}

void
_cured_window_set_sweep (CuredWindow *self, CuredSweep *sweep)
{
  if (self->sweep != NULL)
    g_signal_handlers_disconnect_by_data (self->sweep, self);
  g_set_object (&self->sweep, sweep);
  if (sweep != NULL)
    {
      g_signal_connect_object (sweep,
                               "started",
                               G_CALLBACK (update_run_bar),
                               self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (sweep,
                               "progress",
                               G_CALLBACK (update_run_bar),
                               self,
                               G_CONNECT_SWAPPED);
    }
  update_run_bar (self);
  _cured_window_update_run (self);
}

/* The new result carries the source that runs. What was typed while the worker
 * started is newer, and stays. */
static void
show_result_of_sweep (CuredWindow *self, CuredResult *result)
{
  gboolean is_edited = _cured_window_is_edited (self);
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  g_autofree char *source =
      g_strdup (cured_document_get_source (self->document));
  gboolean is_same_kernel =
      kernel != NULL &&
      g_str_equal (kernel->id, cured_result_get_kernel_id (result));

  _cured_window_show_result (self, result);
  if (is_same_kernel && is_edited && source != NULL &&
      cured_document_get_kernel (self->document) != NULL)
    cured_document_set_source (self->document, source);
}

static void
sweep_started_cb (CuredWindow *self)
{
  CuredResult *result = cured_sweep_get_result (self->sweep);

  if (cured_document_get_result (self->document) != result)
    {
      g_autoptr (GFile) file =
          g_file_new_for_path (cured_sweep_get_path (self->sweep));

      g_set_object (&self->file, file);
      show_result_of_sweep (self, result);
    }
  _cured_window_update_run (self);
}

static void
stopped_response_cb (CuredWindow *self, const char *response)
{
  if (g_str_equal (response, "resume"))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.resume-sweep", NULL);
}

/* A worker that dies again and again, a full disk, a device that is gone. */
static void
explain_sweep_error (CuredWindow *self, const GError *error)
{
  CuredResult *result = cured_document_get_result (self->document);
  GtkWidget *dialog = adw_message_dialog_new (
      GTK_WINDOW (self), _ ("The Sweep Stopped"), error->message);

  adw_message_dialog_add_response (
      ADW_MESSAGE_DIALOG (dialog), "close", _ ("_Close"));
  if (result != NULL && result == cured_sweep_get_result (self->sweep) &&
      cured_result_count_state (result, CURED_STATE_NOT_RUN) > 0)
    adw_message_dialog_add_response (
        ADW_MESSAGE_DIALOG (dialog), "resume", _ ("_Resume"));
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "close");
  g_signal_connect_object (dialog,
                           "response",
                           G_CALLBACK (stopped_response_cb),
                           self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void run_sweep (CuredWindow *self, CuredSweep *sweep);

static void
sweep_finished_cb (CuredWindow *self, GError *error)
{
  g_autoptr (CuredSweep) next = g_steal_pointer (&self->next_sweep);
  gboolean is_cancelled =
      g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  update_run_bar (self);
  _cured_window_update_run (self);
  if (self->is_closing)
    {
      gtk_window_destroy (GTK_WINDOW (self));
      return;
    }
  if (next != NULL)
    {
      run_sweep (self, next);
      self->is_automatic = TRUE;
      return;
    }
  /* Nothing was run: back to what was there before, or to the start. */
  if (cured_sweep_get_result (self->sweep) == NULL)
    {
      if (cured_document_get_kernel (self->document) != NULL)
        _cured_window_show_view (self, "result");
      else
        _cured_window_show_start (self);
    }

  /* After a cancel the bar under the map says what is missing. */
  if (error == NULL)
    _cured_window_toast (self, _ ("The sweep is finished"));
  else if (!is_cancelled)
    explain_sweep_error (self, error);
}

/* The dialog. */

static void
run_somewhere (CuredWindow *self, CuredSweep *sweep)
{
  CuredWindow *window = self;

  /* A result that is shown stays, and so does another kernel that is being
   * edited; a start page is reused, and so is a kernel that was never
   * measured. */
  if (!_cured_window_is_idle (self) &&
      (_cured_window_is_sweeping (self) ||
       cured_document_get_result (self->document) != NULL ||
       (_cured_window_is_edited (self) &&
        !g_str_equal (cured_document_get_kernel (self->document)->id,
                      cured_sweep_get_kernel_id (sweep)))))
    window = cured_window_new (gtk_window_get_application (GTK_WINDOW (self)));
  run_sweep (window, sweep);
  gtk_window_present (GTK_WINDOW (window));
}

static void
sweep_ready_cb (CuredWindow *self, CuredSweep *sweep)
{
  _cured_window_if_may_run (self, sweep, run_somewhere);
}

static CuredSweepDialog *
new_dialog (CuredWindow *self)
{
  CuredSweepDialog *dialog = cured_sweep_dialog_new (GTK_WINDOW (self));
  CuredResult *result = cured_document_get_result (self->document);

  g_signal_connect_object (
      dialog, "ready", G_CALLBACK (sweep_ready_cb), self, G_CONNECT_SWAPPED);
  if (result != NULL)
    {
      cured_sweep_dialog_set_example (dialog, result);
      cured_sweep_dialog_set_device (
          dialog,
          cured_result_get_device (result)->id,
          self->sweep != NULL && cured_sweep_get_result (self->sweep) == result
              ? cured_sweep_get_launcher (self->sweep)
              : NULL);
    }
  return dialog;
}

/* The sweep of a result with the document's kernel, which may have been edited
 * since: axes of parameters that it has not any more are left out. */
static CuredSpec *
make_spec (CuredWindow *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  CuredResult *result = cured_document_get_result (self->document);
  CuredSpec *spec;

  if (result != NULL)
    return cured_spec_new_from_result (result, kernel);
  spec = cured_spec_new (kernel);
  cured_spec_use_default_sweep (spec);
  return spec;
}

static char *
describe_origin (CuredResult *result)
{
  g_autofree char *name = g_path_get_basename (cured_result_get_path (result));
  g_autofree char *shown = g_filename_display_name (name);

  /* Translators: a file's name; the same values of the parameters. */
  return g_strdup_printf (_ ("As in %s"), shown);
}

/**
 * _cured_window_present_sweep_dialog:
 * @self: a window
 * @kernel: (nullable): id or path of a kernel; %NULL: what the window shows
 *
 * Asks for a new sweep. Of the kernel that is shown, it is the one that is
 * being edited, with the values of the result that is shown.
 */
void
_cured_window_present_sweep_dialog (CuredWindow *self, const char *kernel)
{
  CuredSweepDialog *dialog = new_dialog (self);
  CuredResult *result = cured_document_get_result (self->document);

  gtk_window_present (GTK_WINDOW (dialog));
  if (kernel != NULL)
    cured_sweep_dialog_choose_kernel (dialog, kernel);
  else if (is_shown (self) &&
           cured_document_get_kernel (self->document) != NULL)
    {
      g_autoptr (CuredSpec) spec = make_spec (self);
      g_autofree char *origin =
          result != NULL ? describe_origin (result) : NULL;

      cured_sweep_dialog_set_spec (dialog, spec, origin);
    }
}

static void
new_sweep_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  _cured_window_present_sweep_dialog (CURED_WINDOW (widget), NULL);
}

static void
run_preset_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  CuredSweepDialog *dialog = new_dialog (self);

  gtk_window_present (GTK_WINDOW (dialog));
  cured_sweep_dialog_set_kernel (dialog,
                                 cured_document_get_kernel (self->document));
  cured_sweep_dialog_choose_preset (dialog,
                                    g_variant_get_string (parameter, NULL));
}

/* Sweeps with no dialog. */

/* (transfer full): of a new file beside the one that is shown */
static char *
propose_path (CuredWindow *self)
{
  CuredResult *result = cured_document_get_result (self->document);
  g_autofree char *folder = g_path_get_dirname (cured_result_get_path (result));
  g_autofree char *proposed = NULL;

  /* Recorded samples lie where nobody can write. */
  if (g_access (folder, W_OK) != 0)
    g_clear_pointer (&folder, g_free);
  proposed =
      cured_sweep_propose_path (cured_result_get_kernel_id (result), folder);
  if (folder == NULL)
    {
      folder = g_path_get_dirname (proposed);
      g_mkdir_with_parents (folder, 0755);
    }
  return g_steal_pointer (&proposed);
}

/* @path is replaced where it is given; otherwise it is a new file beside the
 * one that is shown. */
static CuredSweep *
make_sweep (CuredWindow *self, const char *path)
{
  CuredResult *result = cured_document_get_result (self->document);
  g_autoptr (CuredSpec) spec = make_spec (self);
  g_autofree char *proposed = propose_path (self);
  CuredSweep *sweep;

  sweep = cured_sweep_new (spec,
                           cured_result_get_device (result)->id,
                           path != NULL ? path : proposed,
                           path != NULL);
  if (self->sweep != NULL && cured_sweep_get_result (self->sweep) == result)
    cured_sweep_set_launcher (sweep, cured_sweep_get_launcher (self->sweep));
  return sweep;
}

/* What was asked for may have been overtaken. */
static void
run_here (CuredWindow *self, CuredSweep *sweep)
{
  if (!_cured_window_is_sweeping (self))
    run_sweep (self, sweep);
}

static void
run_again_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  g_autoptr (CuredSweep) sweep = NULL;

  if (!is_shown (self))
    return;
  sweep = make_sweep (self, NULL);
  _cured_window_if_may_run (self, sweep, run_here);
}

static void
rerun_here (CuredWindow *self, CuredSweep *sweep)
{
  CuredResult *result = cured_document_get_result (self->document);
  const char *path = cured_sweep_get_path (sweep);

  if (result != NULL && !g_str_equal (path, cured_result_get_path (result)))
    {
      g_autofree char *name = g_path_get_basename (path);
      g_autofree char *shown = g_filename_display_name (name);
      /* Translators: a file's name. */
      g_autofree char *text =
          g_strdup_printf (_ ("The new results go into a copy, “%s”"), shown);

      _cured_window_toast (self, text);
    }
  run_here (self, sweep);
}

static void
rerun_cells_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  CuredResult *result = cured_document_get_result (self->document);
  g_autoptr (GArray) cells = get_chosen_cells (self);
  g_autoptr (GArray) launchable = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (CuredSweep) sweep = NULL;
  g_autofree char *path = NULL;
  gboolean has_outcome = FALSE;

  if (!is_shown (self))
    return;
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
      _cured_window_toast (self,
                           _ ("Select cells that can be launched first."));
      return;
    }
  /* What was recorded stays as it was: as with all of a sweep that is run
   * again, the new figures go into a file beside it. */
  if (has_outcome)
    path = propose_path (self);
  sweep = cured_sweep_new_again (result,
                                 (const gint64 *) (gpointer) launchable->data,
                                 launchable->len,
                                 path);
  if (self->sweep != NULL && cured_sweep_get_result (self->sweep) == result)
    cured_sweep_set_launcher (sweep, cured_sweep_get_launcher (self->sweep));
  _cured_window_if_may_run (self, sweep, rerun_here);
}

/* An axis that the selection covers gets values between; another one stays
 * where it is. */
static void
refine_axis (CuredWindow *self, CuredSpec *spec, gsize axis, gint64 cell)
{
  CuredResult *result = cured_document_get_result (self->document);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  CuredSelectedAxis x;
  CuredSelectedAxis y;
  gsize first;
  gsize last;
  gboolean has_selection = cured_map_view_get_selection_axes (
      cured_document_get_map_view (self->document), &x, &y);

  cured_result_get_positions (result, cell, positions);
  first = last = positions[axis];
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

static void
run_finer_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  CuredResult *result = cured_document_get_result (self->document);
  g_autoptr (GArray) cells = get_chosen_cells (self);
  g_autoptr (CuredSpec) spec = NULL;
  CuredSweepDialog *dialog;
  gsize n_axes;

  if (!is_shown (self))
    return;
  if (cells == NULL || cells->len == 0)
    {
      _cured_window_toast (self, _ ("Select a part of the map first."));
      return;
    }
  spec = make_spec (self);
  cured_result_get_axes (result, &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    refine_axis (self, spec, i, g_array_index (cells, gint64, 0));
  dialog = new_dialog (self);
  gtk_window_present (GTK_WINDOW (dialog));
  cured_sweep_dialog_set_spec (
      dialog, spec, _ ("The selection, with values between"));
}

void
_cured_window_cancel_sweep (CuredWindow *self)
{
  g_clear_object (&self->next_sweep);
  cured_sweep_cancel (self->sweep);
  update_run_bar (self);
}

static void
cancel_sweep_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  _cured_window_cancel_sweep (CURED_WINDOW (widget));
}

static void
resume_sweep_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  CuredResult *result = cured_document_get_result (self->document);
  g_autoptr (CuredSweep) sweep = NULL;

  if (result == NULL || _cured_window_is_sweeping (self))
    return;
  sweep = cured_sweep_new_resume (result);
  if (self->sweep != NULL && cured_sweep_get_result (self->sweep) == result)
    cured_sweep_set_launcher (sweep, cured_sweep_get_launcher (self->sweep));
  _cured_window_if_may_run (self, sweep, run_here);
}

static void
pause_changed_cb (GSimpleAction *action, GVariant *value, gpointer user_data)
{
  CuredWindow *self = user_data;

  if (!_cured_window_is_sweeping (self))
    return;
  g_simple_action_set_state (action, value);
  cured_sweep_set_paused (self->sweep, g_variant_get_boolean (value));
}

static void
go_to_fastest_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  CuredProgress progress;

  if (!has_fastest (self))
    return;
  cured_sweep_get_progress (self->sweep, &progress);
  cured_document_set_cell (self->document, progress.best_cell);
  adw_view_stack_set_visible_child_name (self->views, "map");
  gtk_widget_grab_focus (GTK_WIDGET (cured_result_page_get_map (self->page)));
}

/* Running again when the source changes. */

static void
run_automatically (CuredWindow *self, CuredSweep *sweep)
{
  if (_cured_window_is_sweeping (self))
    {
      g_set_object (&self->next_sweep, sweep);
      cured_sweep_cancel (self->sweep);
      return;
    }
  run_sweep (self, sweep);
  self->is_automatic = TRUE;
}

/* A file that an earlier change began and the next one cut short is no use to
 * anybody, and is replaced; a whole one is kept. */
static void
kernel_ready_cb (CuredWindow *self)
{
  CuredResult *result = cured_document_get_result (self->document);
  gboolean is_cut = self->is_automatic && self->sweep != NULL &&
                    result != NULL &&
                    cured_sweep_get_result (self->sweep) == result &&
                    cured_result_count_state (result, CURED_STATE_NOT_RUN) > 0;
  g_autoptr (CuredSweep) sweep = NULL;

  if (result == NULL)
    return;
  sweep = make_sweep (self, is_cut ? cured_result_get_path (result) : NULL);
  _cured_window_if_may_run (self, sweep, run_automatically);
}

static void
run_on_change_changed_cb (GSimpleAction *action,
                          GVariant *value,
                          gpointer user_data)
{
  CuredWindow *self = user_data;

  g_simple_action_set_state (action, value);
  cured_change_set_active (self->change, g_variant_get_boolean (value));
  if (g_variant_get_boolean (value) &&
      cured_document_get_result (self->document) == NULL)
    _cured_window_toast (self,
                         _ ("Run a sweep first; it is what will run again."));
}

static void
run_sweep (CuredWindow *self, CuredSweep *sweep)
{
  self->is_automatic = FALSE;
  g_signal_connect_object (
      sweep, "started", G_CALLBACK (sweep_started_cb), self, G_CONNECT_SWAPPED);
  cured_sweep_start (sweep);
  _cured_window_set_sweep (self, sweep);
  /* After the page's own handler, so that the page shows the end first. */
  g_signal_connect_object (sweep,
                           "finished",
                           G_CALLBACK (sweep_finished_cb),
                           self,
                           G_CONNECT_SWAPPED);
  if (cured_sweep_get_result (sweep) == NULL && !is_shown (self))
    {
      adw_status_page_set_title (self->loading, _ ("Starting the Sweep…"));
      adw_status_page_set_description (
          self->loading,
          _ ("The device's worker is starting. The first time on a device it "
             "also measures what the device itself can reach."));
      _cured_window_show_view (self, "loading");
    }
}

/**
 * cured_window_run:
 * @self: a window in which no sweep runs
 * @sweep: a sweep that has not started, and that the person wants
 *
 * Starts @sweep and shows how its map fills.
 */
void
cured_window_run (CuredWindow *self, CuredSweep *sweep)
{
  g_return_if_fail (CURED_IS_WINDOW (self));
  g_return_if_fail (!_cured_window_is_sweeping (self));

  _cured_window_trust_sweep (sweep);
  run_sweep (self, sweep);
}

/**
 * cured_window_get_sweep:
 * @self: a window
 *
 * Returns: (transfer none) (nullable): what runs or ran here
 */
CuredSweep *
cured_window_get_sweep (CuredWindow *self)
{
  g_return_val_if_fail (CURED_IS_WINDOW (self), NULL);
  return self->sweep;
}

/* The menu. */

static void
update_preset_menu (CuredWindow *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  g_auto (GStrv) names = NULL;

  g_menu_remove_all (self->preset_menu);
  if (kernel == NULL)
    return;
  g_menu_append (self->preset_menu, _ ("_Default Sweep"), "win.run-preset::");
  names = cured_presets_list (kernel->id);
  for (gsize i = 0; names[i] != NULL; i++)
    cured_menu_append_name (
        self->preset_menu, names[i], "win.run-preset", names[i]);
}

static void
document_changed_cb (CuredWindow *self)
{
  update_run_bar (self);
  _cured_window_update_run (self);
  update_preset_menu (self);
}

/**
 * _cured_window_init_run:
 * @self: a window
 *
 * Lets the run bar follow the document.
 */
void
_cured_window_init_run (CuredWindow *self)
{
  static const GActionEntry entries[] = {
    { "pause-sweep", NULL, NULL, "false", pause_changed_cb },
    { "run-on-change", NULL, NULL, "false", run_on_change_changed_cb },
  };

  g_action_map_add_action_entries (
      G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  self->change = cured_change_new (self->document, self->inspector);
  g_signal_connect_object (self->change,
                           "ready",
                           G_CALLBACK (kernel_ready_cb),
                           self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->change,
                           "refused",
                           G_CALLBACK (_cured_window_toast),
                           self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document,
                           "result-changed",
                           G_CALLBACK (document_changed_cb),
                           self,
                           G_CONNECT_SWAPPED);
  if (cured_settings_get () != NULL)
    g_signal_connect_object (cured_settings_get (),
                             "changed::presets",
                             G_CALLBACK (update_preset_menu),
                             self,
                             G_CONNECT_SWAPPED);
}

/**
 * _cured_window_dispose_run:
 * @self: a window that goes
 *
 * Lets go of sweeps and menus.
 */
void
_cured_window_dispose_run (CuredWindow *self)
{
  if (self->sweep != NULL)
    g_signal_handlers_disconnect_by_data (self->sweep, self);
  g_clear_object (&self->sweep);
  g_clear_object (&self->next_sweep);
  g_clear_object (&self->asked_sweep);
  if (self->change != NULL)
    g_object_run_dispose (G_OBJECT (self->change));
  g_clear_object (&self->change);
}

/**
 * _cured_window_class_install_run:
 * @klass: the window's class
 *
 * Installs the actions of this file.
 */
void
_cured_window_class_install_run (GtkWidgetClass *klass)
{
  static const struct
  {
    const char *action;
    const char *parameter;
    GtkWidgetActionActivateFunc activate;
  } rows[] = {
    { "win.new-sweep", NULL, new_sweep_cb },
    { "win.run-again", NULL, run_again_cb },
    { "win.rerun-cells", NULL, rerun_cells_cb },
    { "win.run-finer", NULL, run_finer_cb },
    { "win.run-preset", "s", run_preset_cb },
    { "win.go-to-fastest", NULL, go_to_fastest_cb },
    { "win.cancel-sweep", NULL, cancel_sweep_cb },
    { "win.resume-sweep", NULL, resume_sweep_cb },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    gtk_widget_class_install_action (
        klass, rows[i].action, rows[i].parameter, rows[i].activate);
}
