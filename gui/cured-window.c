/* SPDX-License-Identifier: MIT
 * A window: the start page, or one result. */
#include <config.h>

#include "cured-window-private.h"

#include <glib/gi18n.h>

#include "cured-settings.h"
#include "cured-text.h"

enum
{
  SETTLED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredWindow, cured_window, ADW_TYPE_APPLICATION_WINDOW)

static const char *const result_actions[] = {
  "win.export",     "win.export-as", "win.copy-picture", "win.copy-cell",
  "win.swap-axes",  "win.zoom-in",   "win.zoom-out",     "win.zoom-reset",
  "win.go-to-best", "win.start-page"
};

void
_cured_window_settled (CuredWindow *self)
{
  g_signal_emit (self, signals[SETTLED], 0);
}

void
_cured_window_toast (CuredWindow *self, const char *text)
{
  AdwToast *message = adw_toast_new (text);

  adw_toast_set_timeout (message, 5);
  adw_toast_overlay_add_toast (self->toasts, message);
}

void
_cured_window_show_view (CuredWindow *self, const char *name)
{
  gboolean is_result = g_str_equal (name, "result");
  gboolean is_start = g_str_equal (name, "start");

  gtk_stack_set_visible_child_name (self->stack, name);
  for (gsize i = 0; i < G_N_ELEMENTS (result_actions); i++)
    gtk_widget_action_set_enabled (
        GTK_WIDGET (self), result_actions[i], is_result);
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self), "win.start-page", !is_start);
  gtk_widget_set_visible (GTK_WIDGET (self->export), is_result);
  gtk_widget_set_visible (self->show_details, is_result);
  /* The start page has these, larger. */
  gtk_widget_set_visible (self->open, !is_start);
  gtk_widget_set_visible (self->new_sweep, !is_start);
  gtk_spinner_set_spinning (self->spinner, g_str_equal (name, "loading"));
}

static void
set_titles (CuredWindow *self, const char *title, const char *subtitle)
{
  adw_window_title_set_title (self->title, title);
  adw_window_title_set_subtitle (self->title, subtitle);
  gtk_window_set_title (GTK_WINDOW (self), title);
}

void
_cured_window_show_start (CuredWindow *self)
{
  g_clear_object (&self->file);
  set_titles (self, _ ("Cured"), "");
  cured_start_page_refresh (self->start_page);
  _cured_window_show_view (self, "start");
}

static void
show_error (CuredWindow *self, GFile *file, const char *message)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *title = NULL;
  g_autofree char *description = g_markup_escape_text (message, -1);

  /* Translators: a file's name. */
  title = g_strdup_printf (_ ("“%s” Can't Be Opened"), name);
  adw_status_page_set_title (self->error, title);
  adw_status_page_set_description (self->error, description);
  g_clear_object (&self->file);
  set_titles (self, _ ("Cured"), "");
  _cured_window_show_view (self, "error");
  gtk_widget_grab_focus (self->open_another);
}

void
_cured_window_show_result (CuredWindow *self, CuredResult *result)
{
  g_autofree char *device =
      cured_text_device (cured_result_get_device (result));
  g_autofree char *name = g_path_get_basename (cured_result_get_path (result));
  g_autoptr (GString) subtitle = g_string_new (NULL);
  GDateTime *created = cured_result_get_created (result);

  g_string_append_printf (
      subtitle, "%s · %s", cured_result_get_kernel_id (result), device);
  if (created != NULL)
    {
      g_autoptr (GDateTime) local = g_date_time_to_local (created);
      g_autofree char *date = g_date_time_format (local, "%x");

      g_string_append_printf (subtitle, " · %s", date);
    }
  g_string_append_printf (subtitle, " · %s", name);
  set_titles (self, cured_result_get_title (result), subtitle->str);
  cured_document_set_result (self->document, result);
  _cured_window_show_view (self, "result");
  gtk_widget_grab_focus (GTK_WIDGET (cured_result_page_get_map (self->page)));
}

/* Loading. */

static void
loaded_cb (GObject *source, GAsyncResult *async, gpointer user_data)
{
  g_autoptr (CuredWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load_finish (async, &error);
  g_autoptr (GFile) file = NULL;

  /* Another file was opened meanwhile, or the window is gone. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
      self->file == NULL)
    return;

  g_clear_object (&self->cancellable);
  file = g_object_ref (self->file);
  if (result == NULL)
    show_error (self, file, error->message);
  else
    {
      g_autofree char *uri = g_file_get_uri (file);
      GtkRecentData data = {
        .mime_type = (char *) "application/x-cured",
        .app_name = (char *) "Cured",
        .app_exec = (char *) "cured-gtk %f",
        .is_private = FALSE,
      };

      _cured_window_show_result (self, result);
      gtk_recent_manager_add_full (
          gtk_recent_manager_get_default (), uri, &data);
    }
  _cured_window_settled (self);
}

void
_cured_window_cancel_loading (CuredWindow *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
load (CuredWindow *self, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *name = g_file_get_basename (file);

  _cured_window_cancel_loading (self);
  _cured_window_set_sweep (self, NULL);
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
  self->cancellable = g_cancellable_new ();
  set_titles (self, name, "");
  adw_status_page_set_title (self->loading, _ ("Opening…"));
  adw_status_page_set_description (self->loading, name);
  _cured_window_show_view (self, "loading");
  cured_result_load_async (
      path, self->cancellable, loaded_cb, g_object_ref (self));
}

static void
open_file_cb (CuredWindow *self, GFile *file)
{
  cured_window_open_somewhere (gtk_window_get_application (GTK_WINDOW (self)),
                               file);
}

/* File choosers: one at a time, kept until it answers. */

void
_cured_window_present_chooser (CuredWindow *self,
                               GtkFileChooserNative *chooser,
                               GCallback response_cb)
{
  g_set_object (&self->chooser, chooser);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  g_signal_connect_object (
      chooser, "response", response_cb, self, G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

static void
open_response_cb (CuredWindow *self, int response)
{
  g_autoptr (GListModel) files = NULL;
  g_autoptr (GtkFileChooserNative) chooser = g_steal_pointer (&self->chooser);

  if (response != GTK_RESPONSE_ACCEPT)
    return;
  files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (chooser));
  for (guint i = 0; i < g_list_model_get_n_items (files); i++)
    {
      g_autoptr (GFile) file = g_list_model_get_item (files, i);

      open_file_cb (self, file);
    }
}

static void
open_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  g_autoptr (GtkFileChooserNative) chooser =
      gtk_file_chooser_native_new (_ ("Open a Result File"),
                                   GTK_WINDOW (self),
                                   GTK_FILE_CHOOSER_ACTION_OPEN,
                                   _ ("_Open"),
                                   _ ("_Cancel"));
  g_autoptr (GtkFileFilter) results = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) kernels = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();

  gtk_file_filter_set_name (results, _ ("Cured results"));
  gtk_file_filter_add_suffix (results, "cured");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), results);
  gtk_file_filter_set_name (kernels, _ ("Kernel files"));
  gtk_file_filter_add_suffix (kernels, "cu");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), kernels);
  gtk_file_filter_set_name (all, _ ("All files"));
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), all);
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (chooser), TRUE);
  if (self->file != NULL)
    {
      g_autoptr (GFile) folder = g_file_get_parent (self->file);

      gtk_file_chooser_set_current_folder (
          GTK_FILE_CHOOSER (chooser), folder, NULL);
    }
  _cured_window_present_chooser (self, chooser, G_CALLBACK (open_response_cb));
}

/* Map actions. */

static void
map_action_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  CuredHeatMap *map = cured_result_page_get_map (self->page);

  if (g_str_equal (action, "win.zoom-in"))
    cured_heat_map_zoom (map, 1.25);
  else if (g_str_equal (action, "win.zoom-out"))
    cured_heat_map_zoom (map, 1.0 / 1.25);
  else if (g_str_equal (action, "win.zoom-reset"))
    cured_heat_map_zoom_reset (map);
  else if (g_str_equal (action, "win.swap-axes"))
    cured_result_page_swap_axes (self->page);
  else
    {
      cured_heat_map_go_to_best (map);
      cured_result_page_select_cursor (self->page);
      gtk_widget_grab_focus (GTK_WIDGET (map));
    }
}

static void
start_page_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);

  if (_cured_window_is_sweeping (self))
    gtk_window_present (GTK_WINDOW (
        cured_window_new (gtk_window_get_application (GTK_WINDOW (self)))));
  else
    {
      _cured_window_cancel_loading (self);
      _cured_window_show_start (self);
    }
}

static void
cancel_loading_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);

  if (_cured_window_is_sweeping (self))
    {
      /* Its end leads back to the start page. */
      cured_sweep_cancel (self->sweep);
      return;
    }
  _cured_window_cancel_loading (self);
  _cured_window_show_start (self);
}

/* Closing. */

static void
close_response_cb (CuredWindow *self, const char *response)
{
  if (!g_str_equal (response, "stop"))
    return;
  self->is_closing = TRUE;
  if (_cured_window_is_sweeping (self))
    _cured_window_cancel_sweep (self);
  else
    gtk_window_close (GTK_WINDOW (self));
}

static void
remember (CuredWindow *self)
{
  int width;
  int height;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  cured_settings_set_int ("maximized",
                          gtk_window_is_maximized (GTK_WINDOW (self)));
  if (width > 0 && height > 0)
    {
      cured_settings_set_int ("width", width);
      cured_settings_set_int ("height", height);
    }
}

static gboolean
cured_window_close_request (GtkWindow *window)
{
  CuredWindow *self = CURED_WINDOW (window);
  GtkWidget *dialog;

  remember (self);
  if (!_cured_window_is_sweeping (self))
    {
      _cured_window_cancel_loading (self);
      return GTK_WINDOW_CLASS (cured_window_parent_class)
          ->close_request (window);
    }

  dialog = adw_message_dialog_new (
      window,
      _ ("Stop the Sweep?"),
      _ ("The file keeps the cells that are done; the rest can be run later, "
         "with Resume."));
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog),
                                    "keep",
                                    _ ("_Keep Running"),
                                    "stop",
                                    _ ("_Stop and Close"),
                                    NULL);
  adw_message_dialog_set_response_appearance (
      ADW_MESSAGE_DIALOG (dialog), "stop", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "keep");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "keep");
  g_signal_connect_object (dialog,
                           "response",
                           G_CALLBACK (close_response_cb),
                           self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
  return TRUE;
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
cured_window_dispose (GObject *object)
{
  CuredWindow *self = CURED_WINDOW (object);

  _cured_window_cancel_loading (self);
  if (self->sweep != NULL)
    g_signal_handlers_disconnect_by_data (self->sweep, self);
  g_clear_object (&self->sweep);
  g_clear_object (&self->inspector);
  g_clear_object (&self->document);
  g_clear_object (&self->chooser);
  g_clear_object (&self->file);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_WINDOW);
  G_OBJECT_CLASS (cured_window_parent_class)->dispose (object);
}

static void
cured_window_class_init (CuredWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  static const char *const map_actions[] = { "win.zoom-in",    "win.zoom-out",
                                             "win.zoom-reset", "win.swap-axes",
                                             "win.go-to-best", NULL };

  G_OBJECT_CLASS (klass)->dispose = cured_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = cured_window_close_request;

  signals[SETTLED] = g_signal_new ("settled",
                                   CURED_TYPE_WINDOW,
                                   G_SIGNAL_RUN_LAST,
                                   0,
                                   NULL,
                                   NULL,
                                   NULL,
                                   G_TYPE_NONE,
                                   0);

  g_type_ensure (CURED_TYPE_START_PAGE);
  g_type_ensure (CURED_TYPE_KERNEL_LIST);
  g_type_ensure (CURED_TYPE_RESULT_PAGE);
  g_type_ensure (CURED_TYPE_BANK_PAGE);
  g_type_ensure (CURED_TYPE_LADDER_PAGE);
  g_type_ensure (CURED_TYPE_SOURCE_PAGE);
  g_type_ensure (CURED_TYPE_COMPARE_PAGE);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, CuredWindow, name)
  BIND (title);
  BIND (export);
  BIND (show_details);
  BIND (new_sweep);
  BIND (open);
  BIND (open_another);
  BIND (toasts);
  BIND (stack);
  BIND (start_page);
  BIND (loading);
  BIND (spinner);
  BIND (error);
  BIND (kernels);
  BIND (sidebar);
  BIND (views);
  BIND (page);
  BIND (bank_page);
  BIND (ladder_page);
  BIND (source_page);
  BIND (compare_page);
#undef BIND

  gtk_widget_class_install_action (widget_class, "win.open", NULL, open_cb);
  gtk_widget_class_install_action (
      widget_class, "win.start-page", NULL, start_page_cb);
  gtk_widget_class_install_action (
      widget_class, "win.cancel-loading", NULL, cancel_loading_cb);
  _cured_window_class_install_run (widget_class);
  _cured_window_class_install_export (widget_class);
  for (gsize i = 0; map_actions[i] != NULL; i++)
    gtk_widget_class_install_action (
        widget_class, map_actions[i], NULL, map_action_cb);
}

static void
cured_window_init (CuredWindow *self)
{
  g_autoptr (GPropertyAction) show_details = NULL;

  self->document = cured_document_new ();
  self->inspector = cured_inspector_new (self->document);
  gtk_widget_init_template (GTK_WIDGET (self));
  cured_result_page_set_document (self->page, self->document);
  cured_bank_page_set_document (
      self->bank_page, self->document, self->inspector);
  cured_ladder_page_set_document (self->ladder_page, self->document);
  cured_source_page_set_document (
      self->source_page, self->document, self->inspector);
  cured_compare_page_set_document (self->compare_page, self->document);
  show_details = g_property_action_new (
      "show-details", cured_result_page_get_flap (self->page), "reveal-flap");
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (show_details));
  _cured_window_init_export (self);
  add_drop_target (self);
  g_signal_connect_object (self->start_page,
                           "open-file",
                           G_CALLBACK (open_file_cb),
                           self,
                           G_CONNECT_SWAPPED);
  _cured_window_update_run (self);
  gtk_window_set_default_size (GTK_WINDOW (self),
                               cured_settings_get_int ("width", 1200),
                               cured_settings_get_int ("height", 760));
  if (cured_settings_get_int ("maximized", FALSE))
    gtk_window_maximize (GTK_WINDOW (self));
  _cured_window_show_start (self);
}

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

/**
 * cured_window_open_somewhere:
 * @application: the application
 * @file: a result file, or a kernel file
 *
 * Opens @file: in the window that has it already, in one that shows its start
 * page, or in a new one. A kernel file (`.cu`) is offered as a new sweep.
 *
 * Returns: (transfer none): the window
 */
CuredWindow *
cured_window_open_somewhere (GtkApplication *application, GFile *file)
{
  CuredWindow *window = NULL;
  g_autofree char *path = g_file_get_path (file);

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
      if (window == NULL && candidate->file == NULL &&
          !_cured_window_is_sweeping (candidate))
        window = candidate;
    }
  if (window == NULL)
    window = cured_window_new (application);
  gtk_window_present (GTK_WINDOW (window));
  if (path != NULL && g_str_has_suffix (path, ".cu"))
    _cured_window_present_sweep_dialog (window, path);
  else
    load (window, file);
  return window;
}

/**
 * cured_window_open:
 * @self: a window
 * @file: a result file
 *
 * Opens @file in this window, whatever it shows. Returns at once; `settled`
 * follows.
 */
void
cured_window_open (CuredWindow *self, GFile *file)
{
  g_return_if_fail (CURED_IS_WINDOW (self));
  g_return_if_fail (!_cured_window_is_sweeping (self));
  load (self, file);
}

/**
 * cured_window_get_page:
 * @self: a window
 *
 * Returns: (transfer none): the page that shows results
 */
CuredResultPage *
cured_window_get_page (CuredWindow *self)
{
  g_return_val_if_fail (CURED_IS_WINDOW (self), NULL);
  return self->page;
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
 * cured_window_get_error:
 * @self: a window that shows an error
 *
 * Returns: (transfer none) (nullable): what it says, as markup
 */
const char *
cured_window_get_error (CuredWindow *self)
{
  g_return_val_if_fail (CURED_IS_WINDOW (self), NULL);
  return adw_status_page_get_description (self->error);
}
