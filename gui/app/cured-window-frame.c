/* SPDX-License-Identifier: MIT
 * What a window shows: its page, its titles, which actions there are. */
#include <config.h>

#include "app/cured-window-private.h"

#include <glib/gi18n.h>

#include "widgets/cured-text.h"

/**
 * cured_window_new:
 * @application: the application
 *
 * Creates a window that shows the start page; not yet presented.
 *
 * Returns: (transfer none): the window, which GTK owns
 */
CuredWindow *
cured_window_new (GtkApplication *application)
{
  return g_object_new (CURED_TYPE_WINDOW, "application", application, NULL);
}

/* Of what a page shows. */
static const char *const page_actions[] = {
  "win.export",     "win.export-as", "win.export-table", "win.copy-picture",
  "win.copy-table", "win.print",     "win.show-view",
};

/* They need a result. */
static const char *const result_actions[] = {
  "win.zoom-in",    "win.zoom-out",  "win.zoom-reset", "win.swap-axes",
  "win.go-to-best", "win.copy-cell", "win.compare",    "win.tour",
};

/**
 * _cured_window_settled:
 * @self: a window
 *
 * Tells that it shows what it was told to show.
 */
void
_cured_window_settled (CuredWindow *self)
{
  g_signal_emit_by_name (self, "settled");
}

void
_cured_window_toast (CuredWindow *self, const char *text)
{
  cured_toast_overlay_show (self->toasts, text);
}

/**
 * _cured_window_shows:
 * @self: a window
 * @name: as cured_window_get_view_name() returns it
 *
 * On another page, the document may still have what was shown before.
 *
 * Returns: whether the window shows @name
 */
gboolean
_cured_window_shows (CuredWindow *self, const char *name)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), name) == 0;
}

/* Which actions and buttons there are, for what is shown. */
static void
update_actions (CuredWindow *self)
{
  gboolean is_page = _cured_window_shows (self, "result");
  gboolean is_start = _cured_window_shows (self, "start");
  gboolean has_result =
      is_page && cured_document_get_result (self->document) != NULL;
  const char *page = adw_view_stack_get_visible_child_name (self->views);
  CuredKernel *kernel = cured_document_get_kernel (self->document);

  for (gsize i = 0; i < G_N_ELEMENTS (page_actions); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), page_actions[i], is_page);
  for (gsize i = 0; i < G_N_ELEMENTS (result_actions); i++)
    gtk_widget_action_set_enabled (
        GTK_WIDGET (self), result_actions[i], has_result);
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self),
      "win.open-recorded",
      is_page && !has_result && kernel != NULL &&
          cured_kernel_list_get_recording (self->kernels, kernel->id) != NULL);
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self), "win.save", is_page && kernel != NULL);
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self), "win.start-page", !is_start);
  gtk_widget_set_visible (GTK_WIDGET (self->export), is_page);
  gtk_widget_set_visible (self->compare, is_page);
  gtk_widget_set_visible (self->show_details,
                          has_result && g_strcmp0 (page, "map") == 0);
  /* The start page has these, larger. */
  gtk_widget_set_visible (GTK_WIDGET (self->open), !is_start);
  gtk_widget_set_visible (self->run, !is_start);
}

void
_cured_window_show_view (CuredWindow *self, const char *name)
{
  gtk_stack_set_visible_child_name (self->stack, name);
  update_actions (self);
  gtk_spinner_set_spinning (self->spinner, g_str_equal (name, "loading"));
}

void
_cured_window_set_titles (CuredWindow *self,
                          const char *title,
                          const char *subtitle)
{
  adw_window_title_set_title (self->title, title);
  adw_window_title_set_subtitle (self->title, subtitle);
  gtk_window_set_title (GTK_WINDOW (self), title);
}

/* Translators: between the parts of what a window shows: a kernel, a device, a
 * date, a file. */
#define SEPARATOR _ (" · ")

/* What is shown, in the title; the kernel, the device, the date and the file
 * below it. */
static void
update_titles (CuredWindow *self)
{
  CuredResult *result = cured_document_get_result (self->document);
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *subtitle = NULL;

  if (!_cured_window_shows (self, "result"))
    return;
  if (result != NULL)
    {
      GDateTime *created = cured_result_get_created (result);

      g_ptr_array_add (parts, g_strdup (cured_result_get_kernel_id (result)));
      g_ptr_array_add (parts,
                       cured_text_device (cured_result_get_device (result)));
      if (created != NULL)
        g_ptr_array_add (parts, cured_format_date (created));
      g_ptr_array_add (parts,
                       g_path_get_basename (cured_result_get_path (result)));
    }
  else if (kernel != NULL)
    {
      g_ptr_array_add (parts, g_strdup (kernel->id));
      g_ptr_array_add (parts, g_strdup (_ ("not measured yet")));
    }
  if (cured_document_is_edited (self->document))
    /* Translators: the source of a kernel, by the user. */
    g_ptr_array_add (parts, g_strdup (_ ("edited")));
  g_ptr_array_add (parts, NULL);
  subtitle = g_strjoinv (SEPARATOR, (char **) parts->pdata);
  _cured_window_set_titles (self,
                            result != NULL   ? cured_result_get_title (result)
                            : kernel != NULL ? kernel->title
                                             : _ ("Cured"),
                            subtitle);
}

void
_cured_window_show_start (CuredWindow *self)
{
  g_clear_object (&self->file);
  _cured_window_set_titles (self, _ ("Cured"), "");
  cured_kernel_list_set_shown (self->kernels, NULL);
  cured_document_set_result (self->document, NULL);
  cured_start_page_refresh (self->start_page);
  _cured_window_show_view (self, "start");
}

void
_cured_window_show_result (CuredWindow *self, CuredResult *result)
{
  cured_document_set_result (self->document, result);
  cured_kernel_list_set_shown (self->kernels,
                               cured_result_get_kernel_id (result));
  _cured_window_show_view (self, "result");
  update_titles (self);
  if (g_strcmp0 (adw_view_stack_get_visible_child_name (self->views), "map") ==
      0)
    gtk_widget_grab_focus (GTK_WIDGET (cured_result_page_get_map (self->page)));
}

/**
 * _cured_window_show_kernel:
 * @self: a window
 * @kernel: of which there is no result
 *
 * Shows a kernel in the pages that need no result.
 */
void
_cured_window_show_kernel (CuredWindow *self, CuredKernel *kernel)
{
  g_clear_object (&self->file);
  cured_run_controller_forget (self->controller);
  cured_document_set_kernel (self->document, kernel);
  cured_kernel_list_set_shown (self->kernels, kernel->id);
  _cured_window_show_view (self, "result");
  update_titles (self);
}

/**
 * _cured_window_is_edited:
 * @self: a window
 *
 * Returns: whether the source was edited, and would be lost
 */
gboolean
_cured_window_is_edited (CuredWindow *self)
{
  if (!_cured_window_shows (self, "result"))
    return FALSE;
  cured_source_page_commit (self->source_page);
  return cured_document_is_edited (self->document);
}

/**
 * _cured_window_is_idle:
 * @self: a window
 *
 * Returns: whether something else can be opened here, with nothing lost
 */
gboolean
_cured_window_is_idle (CuredWindow *self)
{
  return self->file == NULL && !_cured_window_shows (self, "result") &&
         !cured_run_controller_is_running (self->controller);
}

/* Edits that are not saved. */

typedef struct
{
  CuredWindow *window;
  void (*proceed) (CuredWindow *self, gpointer data);
  gpointer data;
  GDestroyNotify free_data;
} Question;

static void
question_free (Question *self)
{
  if (self->free_data != NULL)
    self->free_data (self->data);
  g_object_unref (self->window);
  g_free (self);
}

static void
edits_response_cb (Question *self, const char *response)
{
  if (g_str_equal (response, "discard"))
    self->proceed (self->window, self->data);
}

/**
 * _cured_window_if_edits_may_go:
 * @self: a window
 * @proceed: what to do then
 * @data: for @proceed
 * @free_data: (nullable): of @data
 *
 * Calls @proceed, at once where nothing was edited; else after a question, and
 * never where the user would rather keep the edited source.
 */
void
_cured_window_if_edits_may_go (CuredWindow *self,
                               void (*proceed) (CuredWindow *self,
                                                gpointer data),
                               gpointer data,
                               GDestroyNotify free_data)
{
  Question *question = g_new0 (Question, 1);
  GtkWidget *dialog;

  question->window = g_object_ref (self);
  question->proceed = proceed;
  question->data = data;
  question->free_data = free_data;
  if (!_cured_window_is_edited (self))
    {
      proceed (self, data);
      question_free (question);
      return;
    }

  dialog = adw_message_dialog_new (
      GTK_WINDOW (self),
      _ ("Discard the Edited Source?"),
      _ ("The kernel's source was edited, and is not saved as a file."));
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog),
                                    "keep",
                                    _ ("_Keep Editing"),
                                    "discard",
                                    _ ("_Discard"),
                                    NULL);
  adw_message_dialog_set_response_appearance (
      ADW_MESSAGE_DIALOG (dialog), "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "keep");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "keep");
  g_object_set_data_full (
      G_OBJECT (dialog), "question", question, (GDestroyNotify) question_free);
  g_signal_connect_swapped (
      dialog, "response", G_CALLBACK (edits_response_cb), question);
  gtk_window_present (GTK_WINDOW (dialog));
}

/**
 * cured_window_get_view_name:
 * @self: a window
 *
 * Returns: what it shows: `start`, `loading`, `error` or `result`
 */
const char *
cured_window_get_view_name (CuredWindow *self)
{
  g_return_val_if_fail (CURED_IS_WINDOW (self), NULL);
  return gtk_stack_get_visible_child_name (self->stack);
}

/**
 * _cured_window_init_frame:
 * @self: a window
 *
 * Lets actions and titles follow what is shown.
 */
void
_cured_window_init_frame (CuredWindow *self)
{
  g_signal_connect_swapped (
      self->views, "notify::visible-child", G_CALLBACK (update_actions), self);
  g_signal_connect_object (self->document,
                           "result-changed",
                           G_CALLBACK (update_actions),
                           self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document,
                           "source-changed",
                           G_CALLBACK (update_titles),
                           self,
                           G_CONNECT_SWAPPED);
}
