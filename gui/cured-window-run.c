/* SPDX-License-Identifier: MIT
 * The sweeps of a window. */
#include <config.h>

#include "cured-window-private.h"

#include <glib/gi18n.h>

gboolean
_cured_window_is_sweeping (CuredWindow *self)
{
  return self->sweep != NULL && cured_sweep_is_active (self->sweep);
}

void
_cured_window_update_run (CuredWindow *self)
{
  CuredResult *result = cured_document_get_result (self->document);

  gtk_widget_action_set_enabled (
      GTK_WIDGET (self), "win.cancel-sweep", _cured_window_is_sweeping (self));
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self),
      "win.resume-sweep",
      !_cured_window_is_sweeping (self) &&
          (result == NULL || cured_result_get_imported (result) == NULL));
}

static void
update_run_bar (CuredWindow *self)
{
  cured_run_bar_update (
      self->run_bar, self->sweep, cured_document_get_result (self->document));
}

void
_cured_window_set_sweep (CuredWindow *self, CuredSweep *sweep)
{
  if (self->sweep != NULL)
    g_signal_handlers_disconnect_by_data (self->sweep, self);
  g_set_object (&self->sweep, sweep);
  cured_result_page_set_sweep (self->page, sweep);
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

static void
sweep_started_cb (CuredWindow *self)
{
  CuredResult *result = cured_sweep_get_result (self->sweep);

  if (cured_result_page_get_result (self->page) != result)
    {
      g_autoptr (GFile) file =
          g_file_new_for_path (cured_sweep_get_path (self->sweep));

      g_set_object (&self->file, file);
      _cured_window_show_result (self, result);
    }
  _cured_window_update_run (self);
}

static void
explain_sweep_error (CuredWindow *self, const GError *error)
{
  GtkWidget *dialog = adw_message_dialog_new (
      GTK_WINDOW (self), _ ("The Sweep Stopped"), error->message);

  adw_message_dialog_add_response (
      ADW_MESSAGE_DIALOG (dialog), "close", _ ("_Close"));
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
sweep_finished_cb (CuredWindow *self, GError *error)
{
  gboolean is_cancelled =
      g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  update_run_bar (self);
  _cured_window_update_run (self);
  if (self->is_closing)
    {
      gtk_window_destroy (GTK_WINDOW (self));
      return;
    }
  /* Nothing was run: there is no result to go back to. */
  if (cured_result_page_get_result (self->page) !=
          cured_sweep_get_result (self->sweep) ||
      cured_sweep_get_result (self->sweep) == NULL)
    _cured_window_show_start (self);

  /* After a cancel the bar under the map says what is missing. */
  if (error == NULL)
    _cured_window_toast (self, _ ("The sweep is finished"));
  else if (!is_cancelled)
    explain_sweep_error (self, error);
}

static void
sweep_ready_cb (CuredWindow *self, CuredSweep *sweep)
{
  CuredWindow *window = self;

  /* A result that is shown stays; only an idle start page is reused. */
  if (!_cured_window_is_idle (self))
    window = cured_window_new (gtk_window_get_application (GTK_WINDOW (self)));
  cured_window_run (window, sweep);
  gtk_window_present (GTK_WINDOW (window));
}

void
_cured_window_present_sweep_dialog (CuredWindow *self, const char *kernel)
{
  CuredSweepDialog *dialog = cured_sweep_dialog_new (GTK_WINDOW (self));

  g_signal_connect_object (
      dialog, "ready", G_CALLBACK (sweep_ready_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
  if (kernel != NULL)
    cured_sweep_dialog_choose_kernel (dialog, kernel);
}

static void
new_sweep_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  _cured_window_present_sweep_dialog (CURED_WINDOW (widget), NULL);
}

void
_cured_window_cancel_sweep (CuredWindow *self)
{
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
  CuredResult *result = cured_result_page_get_result (self->page);
  g_autoptr (CuredSweep) sweep = NULL;

  if (result == NULL || _cured_window_is_sweeping (self))
    return;
  sweep = cured_sweep_new_resume (result);
  cured_window_run (self, sweep);
}

/**
 * cured_window_run:
 * @self: a window in which no sweep runs
 * @sweep: a sweep that has not started
 *
 * Starts @sweep and shows how its map fills.
 */
void
cured_window_run (CuredWindow *self, CuredSweep *sweep)
{
  g_return_if_fail (CURED_IS_WINDOW (self));
  g_return_if_fail (!_cured_window_is_sweeping (self));

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
  if (cured_sweep_get_result (sweep) == NULL)
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

/**
 * _cured_window_init_run:
 * @self: a window
 *
 * Fills the menu beside the run button, and lets the run bar follow the
 * document.
 */
void
_cured_window_init_run (CuredWindow *self)
{
  g_autoptr (GMenu) menu = g_menu_new ();

  g_menu_append (menu, _ ("_New Sweep…"), "win.new-sweep");
  g_menu_append (menu, _ ("_Resume"), "win.resume-sweep");
  g_menu_append (menu, _ ("_Cancel"), "win.cancel-sweep");
  adw_split_button_set_menu_model (ADW_SPLIT_BUTTON (self->run),
                                   G_MENU_MODEL (menu));
  g_signal_connect_object (self->document,
                           "result-changed",
                           G_CALLBACK (update_run_bar),
                           self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document,
                           "result-changed",
                           G_CALLBACK (_cured_window_update_run),
                           self,
                           G_CONNECT_SWAPPED);
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
  gtk_widget_class_install_action (klass, "win.new-sweep", NULL, new_sweep_cb);
  gtk_widget_class_install_action (
      klass, "win.cancel-sweep", NULL, cancel_sweep_cb);
  gtk_widget_class_install_action (
      klass, "win.resume-sweep", NULL, resume_sweep_cb);
}
