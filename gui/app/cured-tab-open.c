/* SPDX-License-Identifier: MIT
 * Opening files in a tab: results, kernel files, imported measurements. */
#include <config.h>

#include "app/cured-tab-private.h"

#include <string.h>

static void
show_error (CuredTab *self, GFile *file, const char *message)
{
  g_autofree char *name = cured_text_file (file);
  g_autofree char *description = g_markup_escape_text (message, -1);

  /* Translators: a file's name. */
  g_autofree char *title = g_strdup_printf (_ ("“%s” Can't Be Opened"), name);
  adw_status_page_set_title (self->error, title);
  adw_status_page_set_description (self->error, description);
  g_clear_object (&self->file);
  cured_document_set_result (self->document, NULL);
  _cured_tab_set_titles (self, _ ("Cured"), "");
  _cured_tab_show_view (self, "error");
  if (cured_widget_may_focus (self, self->focus_before))
    gtk_widget_grab_focus (self->open_another);
}

/* Loading. */

/* Loads a file into this tab; no sweep is running. Returns at once; emits `settled` later. */
static void
load (CuredTab *self, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *name = cured_text_file (file);
  g_autofree char *markup = g_markup_escape_text (name, -1);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  g_set_weak_pointer (&self->focus_before, root != NULL ? gtk_root_get_focus (root) : NULL);
  cured_loader_cancel (self->loader);
  cured_run_controller_forget (self->controller);
  g_clear_object (&self->other);
  if (path == NULL)
    {
      show_error (self, file,
                  _ ("It is not a file of this machine. Copy it here first, then open the copy."));
      _cured_tab_settled (self);
      return;
    }
  g_set_object (&self->file, file);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      _cured_tab_show_folder (self);
      _cured_tab_settled (self);
      return;
    }
  if (cured_program_page_can_open (file))
    {
      _cured_tab_show_program (self);
      _cured_tab_settled (self);
      return;
    }
  _cured_tab_set_titles (self, name, "");
  adw_status_page_set_description (self->loading, markup);
  cured_loader_load (self->loader, path);
}

static void
failed_cb (CuredTab *self, const GError *error)
{
  g_autoptr (GFile) file = g_object_ref (self->file);

  show_error (self, file, error->message);
  _cured_tab_settled (self);
}

static void
show_other (CuredTab *self)
{
  g_autoptr (GFile) other = g_steal_pointer (&self->other);
  g_autofree char *path = other != NULL ? g_file_get_path (other) : NULL;

  if (path == NULL)
    return;
  _cured_tab_need_view (self, "compare");
  cured_compare_page_open (self->compare_page, path);
  _cured_tab_choose_view (self, "compare");
}

static void
act_on_file (CuredTab *self)
{
  const CuredTabAction *action = self->awaited;
  g_autoptr (GVariant) parameter = g_steal_pointer (&self->awaited_parameter);

  self->awaited = NULL;
  /* The window may have been closed meanwhile. */
  if (action != NULL && gtk_widget_get_root (GTK_WIDGET (self)) != NULL)
    action->activate (self, action->name, parameter);
}

/* ---- Deleted and moved files ---- */

static void
sought_cb (GObject *source, GAsyncResult *answer, gpointer user_data)
{
  g_autoptr (CuredTab) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info = g_file_query_info_finish (G_FILE (source), answer, &error);

  /* The tab may have other contents meanwhile, or the file may have been replaced. */
  if (info != NULL || !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ||
      self->file == NULL || !g_file_equal (self->file, G_FILE (source)))
    return;
  g_autofree char *name = cured_text_file (G_FILE (source));
  /* Translators: a file's name. */
  g_autofree char *text =
      g_strdup_printf (_ ("“%s” was moved or deleted. Its contents stay open here."), name);
  _cured_tab_toast (self, text);
}

static void
file_event_cb (CuredTab *self, GFile *file, GFile *other, GFileMonitorEvent event)
{
  if (event == G_FILE_MONITOR_EVENT_DELETED && self->file != NULL &&
      g_file_equal (file, self->file))
    g_file_query_info_async (file, G_FILE_ATTRIBUTE_STANDARD_TYPE, G_FILE_QUERY_INFO_NONE,
                             G_PRIORITY_DEFAULT, NULL, sought_cb, g_object_ref (self));
}

/* Watches the file for being moved or deleted. */
static void
watch_file (CuredTab *self, GFile *file)
{
  _cured_tab_stop_watching (self);
  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_NONE, NULL, NULL);
  if (self->monitor != NULL)
    CURED_CONNECT (self->monitor, "changed", file_event_cb);
}

void
_cured_tab_stop_watching (CuredTab *self)
{
  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
}

static void
result_cb (CuredTab *self, CuredResult *result)
{
  g_autoptr (GFile) file = g_object_ref (self->file);

  _cured_tab_show_result (self, result);
  show_other (self);
  if (!self->is_browsing)
    _cured_tab_remember_file (file);
  watch_file (self, file);
  act_on_file (self);
  _cured_tab_settled (self);
}

static void
show_notes (CuredTab *self, const CuredImport *import)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < import->files->len; i++)
    {
      const CuredImportedFile *file = import->files->pdata[i];

      g_string_append_printf (text, "%s\n", file->path);
    }
  for (guint i = 0; i < import->notes->len; i++)
    g_string_append_printf (text, "\n%s", (const char *) import->notes->pdata[i]);
  /* Translators: the name of a program's format, as "nvbench". */
  g_autofree char *title = g_strdup_printf (_ ("Imported from %s"), _ (import->format->title));
  cured_ask (_cured_tab_get_parent (self), title, text->str, cured_answer_close, self, NULL);
}

static void
import_chosen_cb (gpointer user_data, GFile *file)
{
  CuredTab *self = user_data;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    cured_loader_import (self->loader, path);
  else
    {
      _cured_tab_show_start (self);
      _cured_tab_settled (self);
    }
}

/* Asks for a path, since the result exists already or its folder is not writable. */
static void
ask_where (CuredTab *self)
{
  g_autofree char *base = cured_text_file (self->file);
  char *dot = strrchr (base, '.');

  if (dot != NULL)
    *dot = '\0';
  g_autofree char *name = g_strconcat (base, ".cured", NULL);
  cured_chooser_ask (self,
                     &(CuredChooser){ .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                      .title = _ ("Save the Imported Result"),
                                      .accept = _ ("_Import"),
                                      .name = name,
                                      .beside = self->file },
                     import_chosen_cb);
}

static void
imported_cb (CuredTab *self, const CuredImport *import)
{
  for (guint i = 0; i < import->files->len; i++)
    {
      const CuredImportedFile *made = import->files->pdata[i];
      g_autoptr (GFile) result = g_file_new_for_path (made->path);

      _cured_tab_remember_file (result);
    }
  const CuredImportedFile *first = import->files->pdata[0];
  g_autoptr (GFile) file = g_file_new_for_path (first->path);
  load (self, file);
  if (import->files->len > 1 || import->notes->len > 0)
    show_notes (self, import);
  else
    {
      g_autofree char *name = g_filename_display_basename (first->path);
      /* Translators: a file's name. */
      g_autofree char *text = g_strdup_printf (_ ("Imported as “%s”"), name);

      _cured_tab_toast (self, text);
    }
}

static void
status_changed_cb (CuredTab *self)
{
  CuredLoaderStatus status = cured_loader_get_status (self->loader);

  if (status == CURED_LOADER_IDLE)
    return;
  adw_status_page_set_title (self->loading,
                             status == CURED_LOADER_IMPORTING ? _ ("Importing…") : _ ("Opening…"));
  _cured_tab_show_view (self, "loading");
}

static void
kernel_cb (CuredTab *self, CuredKernel *kernel)
{
  g_autoptr (GFile) file = g_object_ref (self->file);

  _cured_tab_show_kernel (self, kernel);
  /* So that it is not opened twice. */
  g_set_object (&self->file, file);
  _cured_tab_choose_view (self, "source");
  _cured_tab_remember_file (file);
  watch_file (self, file);
  act_on_file (self);
  _cured_tab_settled (self);
}

/* A file without a header: the dialog adds one to its text, but the file itself is unchanged until
 * the source is saved. */

static void
header_ready_cb (CuredTab *self, const char *text)
{
  g_autofree char *path = g_file_get_path (self->file);
  g_autofree char *base = cured_text_file (self->file);
  g_autofree char *original = g_steal_pointer (&self->bare_text);
  g_autoptr (GError) error = NULL;

  base[strlen (base) - strlen (".cu")] = '\0';
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, base, path, &error);
  if (kernel == NULL)
    {
      g_autoptr (GFile) file = g_object_ref (self->file);

      show_error (self, file, error->message);
      _cured_tab_settled (self);
      return;
    }
  kernel_cb (self, kernel);
  cured_document_set_original (self->document, original);
}

/* Closed without creating a header, so there is nothing to show. */
static gboolean
header_closed_cb (CuredTab *self)
{
  if (self->bare_text != NULL)
    {
      g_clear_pointer (&self->bare_text, g_free);
      _cured_tab_show_start (self);
      _cured_tab_settled (self);
    }
  return GDK_EVENT_PROPAGATE;
}

static void
bare_kernel_cb (CuredTab *self, const char *text)
{
  g_autofree char *path = g_file_get_path (self->file);
  CuredHeaderDialog *dialog = cured_header_dialog_new (_cured_tab_get_parent (self), path, text);

  cured_set_string (&self->bare_text, text);
  gtk_window_set_modal (GTK_WINDOW (dialog), TRUE);
  CURED_CONNECT (dialog, "ready", header_ready_cb);
  CURED_CONNECT (dialog, "close-request", header_closed_cb);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* Kernels of the catalogue. */

typedef struct
{
  char *id;
  char *path; /* nullable */
} Chosen;

CURED_FREE_FUNC (Chosen, chosen_free, id, g_free, path, g_free)

static void
open_chosen (CuredTab *self, gpointer data)
{
  const Chosen *chosen = data;
  g_autoptr (GError) error = NULL;

  _cured_tab_await (self, NULL, NULL);
  /* Recordings are not listed as recent files, since they are one click away. */
  self->is_browsing = TRUE;
  if (chosen->path != NULL)
    {
      g_autoptr (GFile) file = g_file_new_for_path (chosen->path);

      load (self, file);
      return;
    }
  cured_loader_cancel (self->loader);
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (chosen->id, &error);
  if (kernel != NULL)
    _cured_tab_show_kernel (self, kernel);
  else
    _cured_tab_toast (self, error->message);
}

/* Shows the recorded sweep of a kernel or, without one, the kernel alone, unless the user keeps
 * unsaved edits. @path: (nullable): of its recorded sweep. */
void
_cured_tab_open_kernel (CuredTab *self, const char *id, const char *path)
{
  Chosen *chosen = g_new0 (Chosen, 1);

  chosen->id = g_strdup (id);
  chosen->path = g_strdup (path);
  _cured_tab_if_edits_may_go (self, open_chosen, chosen, chosen_free);
}

static void
open_file_cb (CuredTab *self, GFile *file)
{
  g_signal_emit_by_name (self, "open-file", file);
}

static void
compare_cb (CuredTab *self, GFile *first, GFile *second)
{
  g_signal_emit_by_name (self, "compare", first, second);
}

static void
next_lesson_cb (CuredTab *self)
{
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);
  const CuredLesson *next = cured_lesson_bar_get_lesson (self->lesson_bar) + 1;
  g_autoptr (GFile) file =
      next < lessons + n_lessons ? cured_lesson_row_find_recording (next) : NULL;

  if (file == NULL || cured_run_controller_is_running (self->controller))
    {
      _cured_tab_toast (self, _ ("The next lesson's map can't be opened here."));
      return;
    }
  cured_lesson_bar_set_lesson (self->lesson_bar, next);
  cured_tab_open (self, file);
}

/* Connects signals of the loader and of pages that open files. */
void
_cured_tab_init_open (CuredTab *self)
{
  self->loader = cured_loader_new ();
  CURED_CONNECT (self->loader, "notify::status", status_changed_cb);
  CURED_CONNECT (self->loader, "result", result_cb);
  CURED_CONNECT (self->loader, "kernel", kernel_cb);
  CURED_CONNECT (self->loader, "bare-kernel", bare_kernel_cb);
  CURED_CONNECT (self->loader, "imported", imported_cb);
  CURED_CONNECT (self->loader, "path-needed", ask_where);
  CURED_CONNECT (self->loader, "failed", failed_cb);
  CURED_CONNECT (self->lesson_bar, "next-lesson", next_lesson_cb);
  CURED_CONNECT (self->start_page, "open-file", open_file_cb);
  CURED_CONNECT (self->folder_page, "open-file", open_file_cb);
  CURED_CONNECT (self->program_page, "open-file", open_file_cb);
  CURED_CONNECT (self->folder_page, "compare", compare_cb);
}

gboolean
_cured_tab_is_reading (CuredTab *self)
{
  return cured_loader_get_status (self->loader) != CURED_LOADER_IDLE;
}

/* Runs @action, at once or when the file it needs is loaded. @parameter: (nullable): of @action. */
void
_cured_tab_act (CuredTab *self, const CuredTabAction *action, GVariant *parameter)
{
  if (action->is_of_file && _cured_tab_is_reading (self))
    _cured_tab_await (self, action, parameter);
  else
    action->activate (self, action->name, parameter);
}

void
cured_tab_compare (CuredTab *self, GFile *other)
{
  g_set_object (&self->other, other);
  if (_cured_tab_shows (self, "result"))
    show_other (self);
}

/* Opens @file in this tab, replacing its contents. Returns at once; emits `settled` later. @file: a
 * result file, a kernel file, another program's measurements, a program, or a folder. */
void
cured_tab_open (CuredTab *self, GFile *file)
{
  g_return_if_fail (!cured_run_controller_is_running (self->controller));
  _cured_tab_await (self, NULL, NULL);
  self->is_browsing = FALSE;
  load (self, file);
}
