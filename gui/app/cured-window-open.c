/* SPDX-License-Identifier: MIT
 * What comes into a window: results, kernel files, what others measured. */
#include <config.h>

#include "app/cured-window-private.h"

#include <string.h>

#include <glib/gi18n.h>

#include "source/cured-header-dialog.h"
#include "widgets/cured-menu.h"
#include "model/cured-settings.h"

/* (transfer full): an address may have no last part to name it by */
static char *
get_display_name (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file);

  return base != NULL ? g_filename_display_name (base)
                      : g_file_get_parse_name (file);
}

static void
show_error (CuredWindow *self, GFile *file, const char *message)
{
  g_autofree char *name = get_display_name (file);
  g_autofree char *title = NULL;
  g_autofree char *description = g_markup_escape_text (message, -1);

  /* Translators: a file's name. */
  title = g_strdup_printf (_ ("“%s” Can't Be Opened"), name);
  adw_status_page_set_title (self->error, title);
  adw_status_page_set_description (self->error, description);
  g_clear_object (&self->file);
  _cured_window_set_titles (self, _ ("Cured"), "");
  _cured_window_show_view (self, "error");
  gtk_widget_grab_focus (self->open_another);
}

/* Loading. */

/* Opens a file here, whatever is shown; no sweep runs. Returns at once; `settled`
 * follows. */
static void
load (CuredWindow *self, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *name = get_display_name (file);
  g_autofree char *markup = g_markup_escape_text (name, -1);

  cured_loader_cancel (self->loader);
  cured_run_controller_forget (self->controller);
  if (path == NULL)
    {
      show_error (self,
                  file,
                  _ ("It is not a file of this machine. Copy it here first, "
                     "then open the copy."));
      _cured_window_settled (self);
      return;
    }
  g_set_object (&self->file, file);
  _cured_window_set_titles (self, name, "");
  adw_status_page_set_description (self->loading, markup);
  cured_loader_load (self->loader, path);
}

static void
remember_file (GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);
  GtkRecentData data = {
    .mime_type =
        (char *) (g_str_has_suffix (uri, ".cu") ? "text/x-c++src"
                                                : "application/x-cured"),
    .app_name = (char *) "Cured",
    .app_exec = (char *) "cured-gtk %f",
    .is_private = FALSE,
  };

  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

static void
failed_cb (CuredWindow *self, const GError *error)
{
  g_autoptr (GFile) file = g_object_ref (self->file);

  show_error (self, file, error->message);
  _cured_window_settled (self);
}

static void
result_cb (CuredWindow *self, CuredResult *result)
{
  g_autoptr (GFile) file = g_object_ref (self->file);

  _cured_window_show_result (self, result);
  if (!self->is_browsing)
    remember_file (file);
  _cured_window_settled (self);
}

static void
show_notes (CuredWindow *self, const CuredImport *import)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GtkWidget *dialog;
  g_autofree char *title = NULL;

  for (guint i = 0; i < import->files->len; i++)
    {
      const CuredImportedFile *file = import->files->pdata[i];

      g_string_append_printf (text, "%s\n", file->path);
    }
  for (guint i = 0; i < import->notes->len; i++)
    g_string_append_printf (
        text, "\n%s", (const char *) import->notes->pdata[i]);
  /* Translators: the name of a program's format, as "nvbench". */
  title = g_strdup_printf (_ ("Imported from %s"), _ (import->format->title));
  dialog = adw_message_dialog_new (GTK_WINDOW (self), title, text->str);
  adw_message_dialog_add_response (
      ADW_MESSAGE_DIALOG (dialog), "close", _ ("_Close"));
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
import_chosen_cb (gpointer user_data, GFile *file)
{
  CuredWindow *self = user_data;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    cured_loader_import (self->loader, path);
  else
    {
      _cured_window_show_start (self);
      _cured_window_settled (self);
    }
}

/* The result is there already, or its folder can't be written: where to? */
static void
ask_where (CuredWindow *self)
{
  g_autofree char *base = g_file_get_basename (self->file);
  g_autofree char *name = NULL;
  char *dot = strrchr (base, '.');

  if (dot != NULL)
    *dot = '\0';
  name = g_strconcat (base, ".cured", NULL);
  cured_chooser_ask (self,
                     &(CuredChooser){
                         .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                         .title = _ ("Save the Imported Result"),
                         .accept = _ ("_Import"),
                         .name = name,
                         .beside = self->file,
                     },
                     import_chosen_cb);
}

static void
imported_cb (CuredWindow *self, const CuredImport *import)
{
  const CuredImportedFile *first;
  g_autoptr (GFile) file = NULL;

  for (guint i = 0; i < import->files->len; i++)
    {
      const CuredImportedFile *made = import->files->pdata[i];
      g_autoptr (GFile) result = g_file_new_for_path (made->path);

      remember_file (result);
    }
  first = import->files->pdata[0];
  file = g_file_new_for_path (first->path);
  load (self, file);
  if (import->files->len > 1 || import->notes->len > 0)
    show_notes (self, import);
  else
    {
      g_autofree char *name = g_path_get_basename (first->path);
      /* Translators: a file's name. */
      g_autofree char *text = g_strdup_printf (_ ("Imported as “%s”"), name);

      _cured_window_toast (self, text);
    }
}

/* The page of what is being read. */
static void
status_changed_cb (CuredWindow *self)
{
  CuredLoaderStatus status = cured_loader_get_status (self->loader);

  if (status == CURED_LOADER_IDLE)
    return;
  adw_status_page_set_title (self->loading,
                             status == CURED_LOADER_IMPORTING ? _ ("Importing…")
                                                              : _ ("Opening…"));
  _cured_window_show_view (self, "loading");
}

static void
kernel_cb (CuredWindow *self, CuredKernel *kernel)
{
  g_autoptr (GFile) file = g_object_ref (self->file);

  _cured_window_show_kernel (self, kernel);
  /* So that it is not opened twice. */
  g_set_object (&self->file, file);
  adw_view_stack_set_visible_child_name (self->views, "source");
  remember_file (file);
  _cured_window_settled (self);
}

/* A file without a header: the dialog puts one on top of its text, and the
 * file itself stays as it is until the source is saved. */

static void
header_ready_cb (CuredWindow *self, const char *text)
{
  g_autofree char *path = g_file_get_path (self->file);
  g_autofree char *base = g_file_get_basename (self->file);
  g_autofree char *original = g_steal_pointer (&self->bare_text);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = NULL;

  base[strlen (base) - strlen (".cu")] = '\0';
  kernel = cured_kernel_new_from_text (text, base, path, &error);
  if (kernel == NULL)
    {
      g_autoptr (GFile) file = g_object_ref (self->file);

      show_error (self, file, error->message);
      _cured_window_settled (self);
      return;
    }
  kernel_cb (self, kernel);
  cured_document_set_original (self->document, original);
}

/* Closed without a header: there is nothing to show. */
static gboolean
header_closed_cb (CuredWindow *self)
{
  if (self->bare_text != NULL)
    {
      g_clear_pointer (&self->bare_text, g_free);
      _cured_window_show_start (self);
      _cured_window_settled (self);
    }
  return GDK_EVENT_PROPAGATE;
}

static void
bare_kernel_cb (CuredWindow *self, const char *text)
{
  g_autofree char *path = g_file_get_path (self->file);
  CuredHeaderDialog *dialog =
      cured_header_dialog_new (GTK_WINDOW (self), path, text);

  g_free (self->bare_text);
  self->bare_text = g_strdup (text);
  gtk_window_set_modal (GTK_WINDOW (dialog), TRUE);
  g_signal_connect_object (
      dialog, "ready", G_CALLBACK (header_ready_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (dialog,
                           "close-request",
                           G_CALLBACK (header_closed_cb),
                           self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
open_file_cb (CuredWindow *self, GFile *file)
{
  cured_window_open_somewhere (gtk_window_get_application (GTK_WINDOW (self)),
                               file);
}

static void
open_chosen_cb (gpointer self, GFile *file)
{
  if (file != NULL)
    open_file_cb (self, file);
}

static void
open_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  const CuredChooserFilter filters[] = {
    { _ ("All that Cured reads"), { "cured", "cu", "json" } },
    { _ ("Cured results"), { "cured" } },
    { _ ("Kernel files"), { "cu" } },
    { _ ("All files"), { NULL } },
  };

  cured_chooser_ask (widget,
                     &(CuredChooser){
                         .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                         .title = _ ("Open a Result File"),
                         .accept = _ ("_Open"),
                         .beside = CURED_WINDOW (widget)->file,
                         .filters = filters,
                         .n_filters = G_N_ELEMENTS (filters),
                         .is_multiple = TRUE,
                     },
                     open_chosen_cb);
}

/* Kernels of the catalogue. */

static void
open_kernel_here (CuredWindow *self, gpointer data)
{
  const char *id = data;
  const char *path = cured_kernel_list_get_recording (self->kernels, id);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = NULL;

  if (adw_flap_get_folded (self->sidebar))
    adw_flap_set_reveal_flap (self->sidebar, FALSE);
  /* Recordings are one click away: they are not listed as recent files. */
  self->is_browsing = TRUE;
  if (path != NULL)
    {
      g_autoptr (GFile) file = g_file_new_for_path (path);

      load (self, file);
      return;
    }
  cured_loader_cancel (self->loader);
  kernel = cured_catalogue_get (id, &error);
  if (kernel != NULL)
    _cured_window_show_kernel (self, kernel);
  else
    _cured_window_toast (self, error->message);
}

/* Shows the recorded sweep of a kernel of the catalogue, or the kernel alone where
 * there is none: here, or in a new window while a sweep runs here. */
static void
open_kernel (CuredWindow *self, const char *id)
{
  if (cured_run_controller_is_running (self->controller))
    {
      self = cured_window_new (gtk_window_get_application (GTK_WINDOW (self)));
      gtk_window_present (GTK_WINDOW (self));
    }
  _cured_window_if_edits_may_go (self, open_kernel_here, g_strdup (id), g_free);
}

static void
open_kernel_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  open_kernel (CURED_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
open_recorded_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  CuredKernel *kernel = cured_document_get_kernel (self->document);

  if (kernel != NULL)
    open_kernel (self, kernel->id);
}

/* Recent files, in the menu beside Open. */

#define MAX_RECENT 10

static void
fill_recent (CuredWindow *self)
{
  const char *const suffixes[] = { ".cured", ".cu", ".ptx", ".kernel", NULL };
  g_autoptr (GPtrArray) files = cured_menu_list_recent (suffixes);

  g_menu_remove_all (self->recent_menu);
  for (guint i = 0; i < MIN (files->len, MAX_RECENT); i++)
    cured_menu_append_name (self->recent_menu,
                            gtk_recent_info_get_display_name (files->pdata[i]),
                            "win.open-recent",
                            gtk_recent_info_get_uri (files->pdata[i]));
}

static void
open_recent_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autoptr (GFile) file =
      g_file_new_for_uri (g_variant_get_string (parameter, NULL));

  open_file_cb (CURED_WINDOW (widget), file);
}

/* Drag and drop. */

static gboolean
drop_cb (CuredWindow *self, const GValue *value)
{
  g_autoptr (GSList) files =
      gdk_file_list_get_files (g_value_get_boxed (value));

  for (GSList *l = files; l != NULL; l = l->next)
    open_file_cb (self, l->data);
  return files != NULL;
}

static GdkDragAction
drag_enter_cb (CuredWindow *self)
{
  gtk_widget_add_css_class (GTK_WIDGET (self), "drop-here");
  return GDK_ACTION_COPY;
}

static void
drag_leave_cb (CuredWindow *self)
{
  gtk_widget_remove_css_class (GTK_WIDGET (self), "drop-here");
}

static void
add_drop_target (CuredWindow *self)
{
  GtkDropTarget *target =
      gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect_swapped (target, "drop", G_CALLBACK (drop_cb), self);
  g_signal_connect_swapped (target, "enter", G_CALLBACK (drag_enter_cb), self);
  g_signal_connect_swapped (target, "leave", G_CALLBACK (drag_leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}

static void
saved_cb (CuredWindow *self, GFile *file)
{
  remember_file (file);
  /* A kernel's own file, from now on; a result stays what it is. */
  if (cured_document_get_result (self->document) == NULL)
    g_set_object (&self->file, file);
}

/**
 * _cured_window_init_open:
 * @self: a window
 *
 * Fills the menu of recent files, takes what is dropped here, and shows what the
 * loader reads.
 */
void
_cured_window_init_open (CuredWindow *self)
{
  static const struct
  {
    const char *signal;
    GCallback callback;
  } rows[] = {
    { "notify::status", G_CALLBACK (status_changed_cb) },
    { "result", G_CALLBACK (result_cb) },
    { "kernel", G_CALLBACK (kernel_cb) },
    { "bare-kernel", G_CALLBACK (bare_kernel_cb) },
    { "imported", G_CALLBACK (imported_cb) },
    { "path-needed", G_CALLBACK (ask_where) },
    { "failed", G_CALLBACK (failed_cb) },
  };

  self->loader = cured_loader_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_signal_connect_object (self->loader,
                             rows[i].signal,
                             rows[i].callback,
                             self,
                             G_CONNECT_SWAPPED);
  fill_recent (self);
  g_signal_connect_object (gtk_recent_manager_get_default (),
                           "changed",
                           G_CALLBACK (fill_recent),
                           self,
                           G_CONNECT_SWAPPED);
  add_drop_target (self);
  g_signal_connect_swapped (
      self->kernels, "chosen", G_CALLBACK (open_kernel), self);
  g_signal_connect_object (self->source_page,
                           "saved",
                           G_CALLBACK (saved_cb),
                           self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->start_page,
                           "open-file",
                           G_CALLBACK (open_file_cb),
                           self,
                           G_CONNECT_SWAPPED);
}

/**
 * _cured_window_class_install_open:
 * @klass: the window's class
 *
 * Installs the actions of this file.
 */
void
_cured_window_class_install_open (GtkWidgetClass *klass)
{
  gtk_widget_class_install_action (klass, "win.open", NULL, open_cb);
  gtk_widget_class_install_action (
      klass, "win.open-recent", "s", open_recent_cb);
  gtk_widget_class_install_action (
      klass, "win.open-kernel", "s", open_kernel_cb);
  gtk_widget_class_install_action (
      klass, "win.open-recorded", NULL, open_recorded_cb);
}

/**
 * cured_window_open_somewhere:
 * @application: the application
 * @file: a result file, a kernel file, or what another program measured
 *
 * Opens @file: in the window that has it already, in one that shows its start
 * page, or in a new one. What another program measured is imported.
 *
 * Returns: (transfer none): the window
 */
CuredWindow *
cured_window_open_somewhere (GtkApplication *application, GFile *file)
{
  CuredWindow *window = NULL;

  for (GList *l = gtk_application_get_windows (application); l != NULL;
       l = l->next)
    {
      CuredWindow *candidate =
          CURED_IS_WINDOW (l->data) ? CURED_WINDOW (l->data) : NULL;

      if (candidate == NULL)
        continue;
      if (candidate->file != NULL && g_file_equal (candidate->file, file))
        {
          gtk_window_present (GTK_WINDOW (candidate));
          return candidate;
        }
      if (window == NULL && _cured_window_is_idle (candidate))
        window = candidate;
    }
  if (window == NULL)
    window = cured_window_new (application);
  gtk_window_present (GTK_WINDOW (window));
  window->is_browsing = FALSE;
  load (window, file);
  return window;
}

/**
 * cured_window_open:
 * @self: a window
 * @file: a result file, a kernel file, or what another program measured
 *
 * Opens @file in this window, whatever it shows. Returns at once; `settled`
 * follows.
 */
void
cured_window_open (CuredWindow *self, GFile *file)
{
  g_return_if_fail (CURED_IS_WINDOW (self));
  g_return_if_fail (!cured_run_controller_is_running (self->controller));
  self->is_browsing = FALSE;
  load (self, file);
}
