/* SPDX-License-Identifier: MIT
 * Sweeps of a tab, and questions about them. */
#include <config.h>

#include "app/cured-tab-private.h"

/* Signals of the controller. */

/* The new result has the source that runs; edits made while the worker started are newer, and are
 * kept. */
static void
started_cb (CuredTab *self, CuredResult *result)
{
  CuredDocument *document = self->document;
  g_autoptr (GFile) file = g_file_new_for_path (cured_result_get_path (result));
  g_autofree char *typed = NULL;

  if (cured_document_get_result (document) == result)
    return;
  if (_cured_tab_is_edited (self))
    typed = g_strdup (cured_document_get_source (document));
  CuredKernel *kernel = cured_document_get_kernel (document);
  if (kernel == NULL || !g_str_equal (kernel->id, cured_result_get_kernel_id (result)))
    g_clear_pointer (&typed, g_free);
  g_set_object (&self->file, file);
  _cured_tab_show_result (self, result);
  if (typed != NULL && cured_document_get_kernel (document) != NULL)
    cured_document_set_source (document, typed);
}

static void
stopped_response_cb (gpointer owner, const char *response, AdwMessageDialog *dialog)
{
  CuredTab *self = owner;
  gboolean can_resume;

  g_object_get (self->controller, "can-resume", &can_resume, NULL);
  if (can_resume && g_str_equal (response, "resume"))
    cured_run_controller_resume (self->controller);
}

/* Shows an error that stopped a sweep, such as repeated crashes of the worker, a full disk or a
 * lost device. */
static void
explain_error (CuredTab *self, const GError *error)
{
  static const CuredAnswer answers[] = { { "close", N_ ("_Close") },
                                         { "resume", N_ ("_Resume") },
                                         { NULL } };
  gboolean can_resume;

  _cured_tab_call (self);
  g_object_get (self->controller, "can-resume", &can_resume, NULL);
  can_resume = can_resume && cured_run_controller_is_shown (self->controller);
  cured_ask (_cured_tab_get_parent (self), _ ("The Sweep Stopped"), error->message,
             can_resume ? answers : cured_answer_close, self, stopped_response_cb);
}

static void
finished_cb (CuredTab *self, const GError *error)
{
  CuredSweep *sweep = cured_run_controller_get_sweep (self->controller);

  if (self->is_closing)
    {
      /* Another tab may keep the window open, and a sweep may start here again. */
      self->is_closing = FALSE;
      _cured_tab_let_go (self);
      return;
    }
  /* Nothing was run, so the previous or the start page is shown. */
  if (cured_sweep_get_result (sweep) == NULL)
    {
      if (cured_document_get_kernel (self->document) != NULL)
        _cured_tab_show_view (self, "result");
      else
        _cured_tab_show_start (self);
    }

  else
    {
      g_autoptr (GFile) file =
          g_file_new_for_path (cured_result_get_path (cured_sweep_get_result (sweep)));

      _cured_tab_remember_file (file);
    }

  /* After a cancel, the bar under the map lists the missing cells. */
  if (error == NULL)
    {
      _cured_tab_toast (self, _ ("The sweep is finished"));
      _cured_tab_call (self);
    }
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    explain_error (self, error);
}

/* Makes text from an untrusted file a single line of printable characters. */
static char *
flatten (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *line = g_string_new (NULL);

  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      g_string_append_unichar (line, g_unichar_isprint (c) ? c : ' ');
    }
  return g_string_free (line, FALSE);
}

static void
permission_response_cb (gpointer self, const char *response, AdwMessageDialog *dialog)
{
  cured_run_controller_permit (CURED_TAB (self)->controller, g_str_equal (response, "run"));
}

static void
permission_needed_cb (CuredTab *self, CuredResult *result)
{
  static const CuredAnswer answers[] = { { "cancel", N_ ("_Cancel") },
                                         { "run", N_ ("_Run"), ADW_RESPONSE_DESTRUCTIVE },
                                         { NULL } };
  g_autofree char *base = g_filename_display_basename (cured_result_get_path (result));
  g_autofree char *name = flatten (base);
  g_autofree char *id = flatten (cured_result_get_kernel_id (result));
  /* Translators: a file's name; a kernel's. */
  g_autofree char *text = g_strdup_printf (
      _ ("The file “%s” contains the source of the kernel “%s”. Running it runs code from this "
         "file on the GPU, with your permissions. Look at the source first."),
      name, id);

  cured_ask (_cured_tab_get_parent (self), _ ("Run Code from This File?"), text, answers, self,
             permission_response_cb);
}

/* Reuses a start page or an unmeasured kernel, but not a displayed result or another kernel with
 * unsaved edits. */
static gboolean
is_free_for (CuredTab *self, CuredSweep *sweep)
{
  return _cured_tab_is_idle (self) || (!cured_run_controller_is_running (self->controller) &&
                                       cured_document_get_result (self->document) == NULL &&
                                       (!_cured_tab_is_edited (self) ||
                                        g_str_equal (cured_document_get_kernel (self->document)->id,
                                                     cured_sweep_get_kernel (sweep)->id)));
}

static void
start (CuredTab *self, CuredSweep *sweep)
{
  _cured_tab_choose_view (self, "map");
  cured_run_controller_start (self->controller, sweep);
}

static void
permitted_cb (CuredTab *self, CuredSweep *sweep)
{
  if (is_free_for (self, sweep))
    start (self, sweep);
  else
    g_signal_emit_by_name (self, "sweep-ready", sweep);
}

/* While the worker of a first sweep starts, nothing else can be shown. */
static void
sweep_changed_cb (CuredTab *self)
{
  if (!cured_run_controller_is_running (self->controller) ||
      cured_sweep_get_result (cured_run_controller_get_sweep (self->controller)) != NULL ||
      _cured_tab_shows (self, "result"))
    return;
  adw_status_page_set_title (self->loading, _ ("Starting the Sweep…"));
  adw_status_page_set_description (self->loading,
                                   _ ("The device's worker is starting. The first time on a device "
                                      "it also measures what the device itself can reach."));
  _cured_tab_show_view (self, "loading");
}

/* Actions that run sweeps of the displayed result. */
static void
run_shown_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  if (!_cured_tab_shows (self, "result"))
    return;
  if (g_str_equal (action, "win.run-again"))
    cured_run_controller_run_again (self->controller);
  else if (g_str_equal (action, "win.rerun-cells"))
    cured_run_controller_run_cells (self->controller);
  else
    cured_run_controller_resume (self->controller);
}

static void
cancel_sweep_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  cured_run_controller_cancel (self->controller);
}

static void
go_to_fastest_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  CuredProgress progress;

  cured_sweep_get_progress (cured_run_controller_get_sweep (self->controller), &progress);
  cured_document_set_cell (self->document, progress.best_cell);
  adw_view_stack_set_visible_child_name (self->views, "map");
  gtk_widget_grab_focus (GTK_WIDGET (cured_result_page_get_map (self->page)));
}

/* The sweep dialog. */

static CuredSweepDialog *
present_dialog (CuredTab *self)
{
  CuredSweepDialog *dialog = cured_sweep_dialog_new (_cured_tab_get_parent (self));
  CuredResult *result = cured_document_get_result (self->document);

  g_signal_connect_object (dialog, "ready", G_CALLBACK (cured_run_controller_request),
                           self->controller, G_CONNECT_SWAPPED);
  if (result != NULL)
    {
      const char *launcher = cured_run_controller_get_launcher (self->controller);
      g_autofree char *preferred = cured_settings_get_string ("launcher");

      cured_sweep_dialog_set_example (dialog, result);
      cured_sweep_dialog_set_device (dialog, cured_result_get_device (result)->id,
                                     launcher != NULL ? launcher : preferred);
    }
  gtk_window_present (GTK_WINDOW (dialog));
  return dialog;
}

static char *
describe_origin (CuredResult *result)
{
  g_autofree char *shown = g_filename_display_basename (cured_result_get_path (result));

  /* Translators: a file's name; the same values of the parameters. */
  return g_strdup_printf (_ ("As in %s"), shown);
}

/* With the displayed kernel, as edited, and the values of the displayed result. */
static void
new_sweep_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  CuredResult *result = cured_document_get_result (self->document);
  CuredSweepDialog *dialog = present_dialog (self);
  g_autofree char *origin = result != NULL ? describe_origin (result) : NULL;

  if (!_cured_tab_shows (self, "result") || cured_document_get_kernel (self->document) == NULL)
    return;
  if (result == NULL)
    {
      cured_sweep_dialog_set_kernel (dialog, cured_document_get_kernel (self->document));
      return;
    }
  g_autoptr (CuredSpec) spec = cured_run_controller_make_spec (self->controller);
  cured_sweep_dialog_set_spec (dialog, spec, origin);
}

static void
run_preset_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  CuredSweepDialog *dialog = present_dialog (self);

  cured_sweep_dialog_set_kernel (dialog, cured_document_get_kernel (self->document));
  cured_sweep_dialog_choose_preset (dialog, g_variant_get_string (parameter, NULL));
}

static void
run_finer_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  g_autoptr (CuredSpec) spec = _cured_tab_shows (self, "result")
                                   ? cured_run_controller_make_finer_spec (self->controller)
                                   : NULL;

  if (spec != NULL)
    cured_sweep_dialog_set_spec (present_dialog (self), spec,
                                 _ ("The selection, with intermediate values"));
}

/* Starts @sweep and shows its map while it fills. @sweep: has not started; its source is trusted
 * from now on. */
void
cured_tab_run (CuredTab *self, CuredSweep *sweep)
{
  cured_trust_add (cured_sweep_get_kernel (sweep)->source);
  start (self, sweep);
}

CuredSweep *
cured_tab_get_sweep (CuredTab *self)
{
  return cured_run_controller_get_sweep (self->controller);
}

void
_cured_tab_init_run (CuredTab *self)
{
  CURED_CONNECT (self->controller, "notify::sweep", sweep_changed_cb);
  CURED_CONNECT (self->controller, "started", started_cb);
  CURED_CONNECT (self->controller, "finished", finished_cb);
  CURED_CONNECT (self->controller, "permission-needed", permission_needed_cb);
  CURED_CONNECT (self->controller, "permitted", permitted_cb);
  CURED_CONNECT (self->controller, "message", _cured_tab_toast);
  cured_run_bar_set_controller (self->run_bar, self->controller);
}

const CuredTabAction _cured_tab_run_actions[] = {
  { "win.new-sweep", NULL, new_sweep_cb, TRUE },
  { "win.run-again", NULL, run_shown_cb },
  { "win.rerun-cells", NULL, run_shown_cb },
  { "win.run-finer", NULL, run_finer_cb },
  { "win.run-preset", "s", run_preset_cb },
  { "win.go-to-fastest", NULL, go_to_fastest_cb },
  { "win.cancel-sweep", NULL, cancel_sweep_cb },
  { "win.resume-sweep", NULL, run_shown_cb },
  { NULL },
};
