/* SPDX-License-Identifier: MIT
 * Notes on cells and on a file: entered, written in a thread, undone. */
#include <config.h>

#include "app/cured-tab-private.h"

/* A note being written to a file. */
typedef struct
{
  CuredResult *result; /* main thread only */
  char *path;
  GDateTime *created;
  gint64 cell;
  char *text;
  char *before; /* replaced by @text */
  gboolean is_undo;
} Note;

CURED_FREE_FUNC (Note, note_free, result, g_object_unref, path, g_free, created, g_date_time_unref,
                 text, g_free, before, g_free)

static void
write_work (CuredTask *task)
{
  const Note *self = task->input;

  cured_remark_write (self->path, self->created, self->cell, self->text, &task->error);
}

static void
written_cb (gpointer owner, CuredTask *task)
{
  CuredTab *self = owner;
  Note *note = task->input;

  if (task->error != NULL)
    {
      /* Translators: why a note can't be written. */
      g_autofree char *text =
          g_strdup_printf (_ ("The note could not be saved: %s"), task->error->message);
      _cured_tab_toast (self, text);
      _cured_tab_settled (self);
      return;
    }
  cured_result_set_remark (note->result, note->cell, note->text);
  g_clear_pointer (&self->note_before, g_free);
  CuredResult *noted = note->is_undo ? NULL : note->result;
  g_set_object (&self->noted, noted);
  if (!note->is_undo)
    {
      self->note_before = g_strdup (note->before);
      self->noted_cell = note->cell;
    }
  _cured_tab_toast (self, note->is_undo         ? _ ("Note restored")
                          : *note->text == '\0' ? _ ("Note removed. Press Ctrl+Z to undo.")
                                                : _ ("Note saved. Press Ctrl+Z to undo."));
  _cured_tab_settled (self);
}

static const CuredTaskKind write_task = CURED_TASK_KIND (write_work, written_cb, note_free, NULL);

static const char *
get_text (CuredResult *result, gint64 cell)
{
  const char *text = cured_result_get_remark (result, cell);

  return text != NULL ? text : "";
}

static void
write_note (CuredTab *self, CuredResult *result, gint64 cell, const char *text, gboolean is_undo)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));

  if (cured_result_get_path (result) == NULL || g_str_equal (stripped, get_text (result, cell)))
    return;
  Note *note = g_new0 (Note, 1);
  note->result = g_object_ref (result);
  note->path = g_strdup (cured_result_get_path (result));
  note->created = g_date_time_ref (cured_result_get_created (result));
  note->cell = cell;
  note->text = g_steal_pointer (&stripped);
  note->before = g_strdup (get_text (result, cell));
  note->is_undo = is_undo;
  cured_task_start (NULL, self, &write_task, note);
}

/* The subject of a dialog; by the time of the answer, the tab may show another result. */
typedef struct
{
  CuredResult *result;
  gint64 cell;
} Asked;

CURED_FREE_FUNC (Asked, asked_free, result, g_object_unref)

static GtkTextBuffer *
get_buffer (AdwMessageDialog *dialog)
{
  GtkWidget *scrolled = adw_message_dialog_get_extra_child (dialog);

  return gtk_text_view_get_buffer (
      GTK_TEXT_VIEW (gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (scrolled))));
}

static void
answered_cb (gpointer owner, const char *response, AdwMessageDialog *dialog)
{
  const Asked *asked = g_object_get_data (G_OBJECT (dialog), "asked");
  g_autofree char *text = NULL;

  if (!g_str_equal (response, "save"))
    return;
  g_object_get (get_buffer (dialog), "text", &text, NULL);
  write_note (owner, asked->result, asked->cell, text, FALSE);
}

static void
typed_cb (AdwMessageDialog *dialog)
{
  g_autofree char *text = NULL;

  g_object_get (get_buffer (dialog), "text", &text, NULL);
  adw_message_dialog_set_response_enabled (dialog, "save", strlen (text) <= CURED_REMARK_BYTES);
}

static void
save_cb (AdwMessageDialog *dialog)
{
  if (adw_message_dialog_get_response_enabled (dialog, "save"))
    {
      adw_message_dialog_response (dialog, "save");
      gtk_window_close (GTK_WINDOW (dialog));
    }
}

static gboolean
save_key_cb (GtkWidget *widget, GVariant *args, gpointer dialog)
{
  save_cb (dialog);
  return TRUE;
}

/* Enter inserts a line break, so Ctrl+Enter saves. */
static void
add_text (AdwMessageDialog *dialog, const char *text)
{
  g_autoptr (GtkBuilder) builder =
      gtk_builder_new_from_resource ("/io/github/cured/Cured/cured-note-text.ui");
  GtkWidget *view = GTK_WIDGET (gtk_builder_get_object (builder, "text"));
  GtkEventController *keys = gtk_shortcut_controller_new ();
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));

  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("<Control>Return|<Control>KP_Enter"),
                        gtk_callback_action_new (save_key_cb, dialog, NULL)));
  gtk_widget_add_controller (view, keys);
  gtk_text_buffer_begin_irreversible_action (buffer);
  gtk_text_buffer_set_text (buffer, text, -1);
  gtk_text_buffer_end_irreversible_action (buffer);
  adw_message_dialog_set_extra_child (dialog,
                                      GTK_WIDGET (gtk_builder_get_object (builder, "scrolled")));
  g_signal_connect_object (buffer, "changed", G_CALLBACK (typed_cb), dialog, G_CONNECT_SWAPPED);
  gtk_widget_grab_focus (view);
}

static void
ask (CuredTab *self, gint64 cell)
{
  static const CuredAnswer answers[] = {
    { "cancel", N_ ("_Cancel") },
    { "save", N_ ("_Save"), ADW_RESPONSE_SUGGESTED },
    { NULL },
  };
  CuredResult *result = cured_document_get_result (self->document);
  g_autofree char *values = NULL;

  if (result == NULL || cured_result_get_path (result) == NULL)
    {
      _cured_tab_toast (self, _ ("A note needs a result file."));
      return;
    }
  if (cell >= 0)
    values = cured_text_values (result, cell, FALSE);
  AdwMessageDialog *dialog = cured_ask (_cured_tab_get_parent (self),
                                        cell >= 0 ? _ ("Note on a Cell") : _ ("Note on the File"),
                                        values, answers, self, answered_cb);
  Asked *asked = g_new0 (Asked, 1);
  asked->result = g_object_ref (result);
  asked->cell = cell;
  g_object_set_data_full (G_OBJECT (dialog), "asked", asked, asked_free);
  add_text (dialog, get_text (result, cell));
}

static void
note_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  gint64 cell = cured_map_view_get_cell (cured_document_get_map_view (self->document));

  if (g_str_equal (action, "win.file-note"))
    ask (self, CURED_REMARK_OF_FILE);
  else if (cell >= 0)
    ask (self, cell);
  else
    _cured_tab_toast (self, _ ("Choose a cell first."));
}

/* Undoes the last note, once. */
static void
undo_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  if (self->noted != NULL && self->noted == cured_document_get_result (self->document))
    write_note (self, self->noted, self->noted_cell, self->note_before, TRUE);
}

const CuredTabAction _cured_tab_note_actions[] = {
  { "win.note", NULL, note_cb },
  { "win.file-note", NULL, note_cb },
  { "win.undo-note", NULL, undo_cb },
  { NULL },
};
