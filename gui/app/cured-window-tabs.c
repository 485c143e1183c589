/* SPDX-License-Identifier: MIT
 * The tabs of a window: opening, closing, and moving to another window. */
#include <config.h>

#include "app/cured-window-private.h"

#include <math.h>

/* Maximum number of closed tabs that can be reopened. */
#define MAX_CLOSED 20

static AdwTabPage *
get_page (CuredWindow *self, CuredTab *tab)
{
  return adw_tab_view_get_page (self->tabs, GTK_WIDGET (tab));
}

static CuredTab *
get_nth_tab (CuredWindow *self, int i)
{
  return CURED_TAB (adw_tab_page_get_child (adw_tab_view_get_nth_page (self->tabs, i)));
}

/* ---- Signals of a tab ---- */

/* Longer titles may be shortened if they share a prefix with others. */
#define LONG_TITLE 16

/* Length in bytes of the common prefix of @name and @other, up to its last separator of words. */
static gsize
count_alike (const char *name, const char *other)
{
  gsize alike = 0;

  for (gsize i = 0; name[i] != '\0' && name[i] == other[i]; i++)
    if (strchr ("-_. ", name[i]) != NULL)
      alike = i + 1;
  return alike;
}

/* Removes common prefixes of several tabs from titles that have no room. */
static void
update_titles (CuredWindow *self)
{
  int n_tabs = adw_tab_view_get_n_pages (self->tabs);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < n_tabs; i++)
    g_ptr_array_add (names, cured_tab_get_name (get_nth_tab (self, i)));
  for (int i = 0; i < n_tabs; i++)
    {
      AdwTabPage *page = adw_tab_view_get_nth_page (self->tabs, i);
      const char *name = names->pdata[i];
      gsize alike = 0;

      for (int k = 0; strlen (name) > LONG_TITLE && k < n_tabs; k++)
        if (k != i && !g_str_equal (name, names->pdata[k]))
          alike = MAX (alike, count_alike (name, names->pdata[k]));
      g_autofree char *title = alike > 0 && name[alike] != '\0'
                                   ? g_strdup_printf ("…%s", name + alike)
                                   : g_strdup (name);
      if (g_strcmp0 (adw_tab_page_get_title (page), title) != 0)
        adw_tab_page_set_title (page, title);
    }
}

static void
update_page (CuredWindow *self, CuredTab *tab)
{
  AdwTabPage *page = get_page (self, tab);
  gboolean is_edited = cured_document_is_edited (tab->document);
  g_autoptr (GIcon) icon = is_edited ? g_themed_icon_new ("document-edit-symbolic") : NULL;
  g_autofree char *tooltip = *tab->subtitle != '\0'
                                 ? g_markup_printf_escaped ("%s\n%s", tab->title, tab->subtitle)
                                 : g_markup_escape_text (tab->title, -1);

  update_titles (self);
  adw_tab_page_set_tooltip (page, tooltip);
  adw_tab_page_set_loading (page, cured_tab_is_busy (tab));
  adw_tab_page_set_indicator_icon (page, icon);
  adw_tab_page_set_indicator_tooltip (page, is_edited ? _ ("Edited") : "");
}

static void
changed_cb (CuredWindow *self, CuredTab *tab)
{
  update_page (self, tab);
  if (tab == self->tab)
    _cured_window_update (self);
}

static void
settled_cb (CuredWindow *self)
{
  g_signal_emit_by_name (self, "settled");
}

static void
message_cb (CuredWindow *self, const char *text)
{
  cured_toast_overlay_show (self->toasts, text);
}

static void
show_folder_cb (CuredToastOverlay *toasts, gpointer data)
{
  g_autofree char *folder = g_path_get_dirname (data);
  g_autofree char *uri = g_filename_to_uri (folder, NULL, NULL);

  if (uri != NULL)
    gtk_show_uri (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (toasts))), uri, GDK_CURRENT_TIME);
}

static void
written_cb (CuredWindow *self, const char *text, const char *path)
{
  g_autofree char *place = g_canonicalize_filename (path, NULL);

  cured_toast_overlay_offer (self->toasts, text, _ ("_Show in Folder"), show_folder_cb,
                             g_steal_pointer (&place), g_free);
}

static void
attention_cb (CuredWindow *self, CuredTab *tab)
{
  if (tab != self->tab)
    adw_tab_page_set_needs_attention (get_page (self, tab), TRUE);
}

static void
compare_cb (CuredWindow *self, GFile *first, GFile *second)
{
  CuredWindow *window =
      cured_window_open_somewhere (gtk_window_get_application (GTK_WINDOW (self)), first);

  if (window->tab != NULL)
    cured_tab_compare (window->tab, second);
}

static void
sweep_ready_cb (CuredWindow *self, CuredSweep *sweep)
{
  CuredTab *tab = _cured_window_add_tab (self);

  cured_run_controller_start (tab->controller, sweep);
}

/* The tab's questions are answered, so closing continues: of the tab or of the window. */
static void
closable_cb (CuredWindow *self, CuredTab *tab)
{
  self->is_again = TRUE;
  if (self->is_closing)
    gtk_window_close (GTK_WINDOW (self));
  else
    adw_tab_view_close_page (self->tabs, get_page (self, tab));
  self->is_again = FALSE;
}

static void
attached_cb (CuredWindow *self, AdwTabPage *page)
{
  CuredTab *tab = CURED_TAB (adw_tab_page_get_child (page));

  CURED_CONNECT (tab, "changed", changed_cb);
  CURED_CONNECT (tab, "attention", attention_cb);
  CURED_CONNECT (tab, "closable", closable_cb);
  CURED_CONNECT (tab, "settled", settled_cb);
  CURED_CONNECT (tab, "message", message_cb);
  CURED_CONNECT (tab, "open-file", _cured_window_open_file);
  CURED_CONNECT (tab, "compare", compare_cb);
  CURED_CONNECT (tab, "sweep-ready", sweep_ready_cb);
  CURED_CONNECT (tab, "written", written_cb);
  update_page (self, tab);
  _cured_window_update (self);
}

/* ---- Opening ---- */

/* Adds a tab with the start page, and selects it. Returns: the tab */
CuredTab *
_cured_window_add_tab (CuredWindow *self)
{
  CuredTab *tab = cured_tab_new ();

  adw_tab_view_set_selected_page (self->tabs, adw_tab_view_append (self->tabs, GTK_WIDGET (tab)));
  return tab;
}

static void
new_tab_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  _cured_window_add_tab (CURED_WINDOW (widget));
}

static void
selected_cb (CuredWindow *self)
{
  AdwTabPage *page = adw_tab_view_get_selected_page (self->tabs);

  _cured_window_end_tour (self);
  self->tab = page != NULL ? CURED_TAB (adw_tab_page_get_child (page)) : NULL;
  if (page == NULL)
    return;
  adw_tab_page_set_needs_attention (page, FALSE);
  _cured_window_follow (self);
  _cured_tab_take_keys (self->tab);
}

/* ---- Dragging ---- */

/* AdwTabBox of libadwaita 1.2 crashes if a tab leaves the bar in the first motion of a drag and
 * there are fewer tabs than at the last move of one; if a tab that is being closed is dragged; and
 * if a tab is closed during a drag. */

/* Whether a tab is being dragged with the primary button. A drag that left the bar ends without an
 * event here, so the pointer's state is checked, too. */
static gboolean
is_dragging (CuredWindow *self)
{
  GdkSeat *seat = gdk_display_get_default_seat (gtk_widget_get_display (GTK_WIDGET (self)));
  GdkModifierType state = 0;

  if (self->is_dragged && seat != NULL)
    gdk_surface_get_device_position (gtk_native_get_surface (GTK_NATIVE (self)),
                                     gdk_seat_get_pointer (seat), NULL, NULL, &state);
  return (state & GDK_BUTTON1_MASK) != 0;
}

/* The number of tabs in the bar, including those whose closing is still animated. */
static int
count_shown (GtkWidget *widget)
{
  int n = g_str_equal (G_OBJECT_TYPE_NAME (widget), "AdwTab");

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_shown (child);
  return n;
}

/* A drag out of the bar starts at the index of the last move; this makes it a valid one. */
static void
move_and_move_back (CuredWindow *self)
{
  if (adw_tab_view_get_n_pages (self->tabs) < 2)
    return;
  /* The bar would scroll to a selected one. */
  AdwTabPage *page = adw_tab_view_get_nth_page (self->tabs, 0);
  int from = adw_tab_page_get_selected (page) ? 1 : 0;
  page = adw_tab_view_get_nth_page (self->tabs, from);
  adw_tab_view_reorder_page (self->tabs, page, 1 - from);
  adw_tab_view_reorder_page (self->tabs, page, from);
}

/* Receives each event before the bar does. */
static gboolean
bar_event_cb (CuredWindow *self, GdkEvent *event)
{
  GdkEventType type = gdk_event_get_event_type (event);
  gboolean is_motion =
      type == GDK_MOTION_NOTIFY && (gdk_event_get_modifier_state (event) & GDK_BUTTON1_MASK) != 0;
  int threshold;
  double x, y;

  if (!gdk_event_get_position (event, &x, &y))
    return GDK_EVENT_PROPAGATE;
  if ((type == GDK_BUTTON_PRESS || type == GDK_BUTTON_RELEASE) &&
      gdk_button_event_get_button (event) == GDK_BUTTON_PRIMARY)
    {
      self->is_dragged = FALSE;
      self->pressed_x = x;
      self->pressed_y = y;
    }
  if ((is_motion || type == GDK_TOUCH_UPDATE) &&
      count_shown (GTK_WIDGET (self->tab_bar)) > adw_tab_view_get_n_pages (self->tabs))
    return GDK_EVENT_STOP;
  if (!is_motion || self->is_dragged)
    return GDK_EVENT_PROPAGATE;
  /* The bar's own threshold. */
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-dnd-drag-threshold", &threshold,
                NULL);
  if (fabs (x - self->pressed_x) > threshold || fabs (y - self->pressed_y) > threshold)
    {
      self->is_dragged = TRUE;
      move_and_move_back (self);
    }
  return GDK_EVENT_PROPAGATE;
}

static void
watch_drags (CuredWindow *self)
{
  GtkEventController *controller = gtk_event_controller_legacy_new ();

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  CURED_CONNECT (controller, "event", bar_event_cb);
  gtk_widget_add_controller (GTK_WIDGET (self->tab_bar), controller);
}

/* ---- Closing ---- */

static void
remember_closed (CuredWindow *self, CuredTab *tab)
{
  if (tab->file == NULL)
    return;
  if (self->closed->len == MAX_CLOSED)
    g_ptr_array_remove_index (self->closed, 0);
  g_ptr_array_add (self->closed, g_object_ref (tab->file));
}

/* Closing the last tab shows the start page; closing that closes the window. */
static gboolean
close_page_cb (CuredWindow *self, AdwTabPage *page)
{
  CuredTab *tab = CURED_TAB (adw_tab_page_get_child (page));
  gboolean is_last = adw_tab_view_get_n_pages (self->tabs) == 1;
  gboolean may_close = FALSE;

  if (is_dragging (self))
    /* It can be closed afterwards. */;
  else if (is_last && _cured_tab_shows (tab, "start"))
    gtk_window_close (GTK_WINDOW (self));
  else
    {
      self->is_closing = FALSE;
      may_close = cured_tab_may_close (tab, self->is_again);
      if (!may_close)
        adw_tab_view_set_selected_page (self->tabs, page);
      else if (is_last)
        _cured_window_add_tab (self);
    }
  if (may_close)
    remember_closed (self, tab);
  adw_tab_view_close_page_finish (self->tabs, page, may_close);
  return GDK_EVENT_STOP;
}

/* Asks one tab after the other; the window is closed again after each permission. Returns: whether
 * all tabs can be closed without losing anything */
gboolean
_cured_window_may_close (CuredWindow *self)
{
  int n_tabs = adw_tab_view_get_n_pages (self->tabs);

  self->is_closing = TRUE;
  /* All tabs, including those after the first that asks. */
  for (int i = 0; i < n_tabs && !self->is_again; i++)
    get_nth_tab (self, i)->is_giving_up = FALSE;
  for (int i = 0; i < n_tabs; i++)
    if (!cured_tab_may_close (get_nth_tab (self, i), self->is_again))
      {
        adw_tab_view_set_selected_page (self->tabs, adw_tab_view_get_nth_page (self->tabs, i));
        return FALSE;
      }
  return TRUE;
}

/* The page of the context menu or, without one, the selected one. */
static AdwTabPage *
get_meant (CuredWindow *self)
{
  return self->menu_page != NULL ? self->menu_page : adw_tab_view_get_selected_page (self->tabs);
}

static void
setup_menu_cb (CuredWindow *self, AdwTabPage *page)
{
  self->menu_page = page;
}

static void
close_tab_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  AdwTabPage *page = get_meant (self);

  if (page != NULL)
    adw_tab_view_close_page (self->tabs, page);
}

static void
close_others_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  AdwTabPage *page = get_meant (self);

  if (page != NULL)
    adw_tab_view_close_other_pages (self->tabs, page);
}

static void
reopen_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  if (self->closed->len == 0)
    return;
  g_autoptr (GFile) file = g_ptr_array_steal_index (self->closed, self->closed->len - 1);
  _cured_window_update (self);
  _cured_window_open_file (self, file);
}

/* ---- Moving to another window ---- */

static CuredWindow *
new_empty (CuredWindow *self)
{
  CuredWindow *window = g_object_new (CURED_TYPE_WINDOW, "application",
                                      gtk_window_get_application (GTK_WINDOW (self)), NULL);

  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static AdwTabView *
create_window_cb (CuredWindow *self)
{
  return new_empty (self)->tabs;
}

static void
detach_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  AdwTabPage *page = get_meant (self);

  if (page != NULL && adw_tab_view_get_n_pages (self->tabs) > 1 && !is_dragging (self))
    adw_tab_view_transfer_page (self->tabs, page, new_empty (self)->tabs, 0);
}

/* A window whose last tab was dragged away is closed. */
static gboolean
leave_if_empty (CuredWindow *self)
{
  if (self->tabs != NULL && adw_tab_view_get_n_pages (self->tabs) == 0 &&
      !adw_tab_view_get_is_transferring_page (self->tabs))
    gtk_window_destroy (GTK_WINDOW (self));
  return G_SOURCE_REMOVE;
}

static void
transferring_cb (CuredWindow *self)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, G_SOURCE_FUNC (leave_if_empty), g_object_ref (self),
                   g_object_unref);
}

static void
detached_cb (CuredWindow *self, AdwTabPage *page)
{
  g_signal_handlers_disconnect_by_data (adw_tab_page_get_child (page), self);
  if (self->menu_page == page)
    self->menu_page = NULL;
  if (adw_tab_view_get_n_pages (self->tabs) == 0)
    transferring_cb (self);
  else
    _cured_window_update (self);
}

/* ---- Files ---- */

/* The most recently used window. */
static CuredWindow *
find_window (GtkApplication *application)
{
  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (CURED_IS_WINDOW (l->data))
      return l->data;
  return NULL;
}

/* (nullable): the window with @file open; selects its tab */
static CuredWindow *
find_file (GtkApplication *application, GFile *file)
{
  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    {
      CuredWindow *window = CURED_IS_WINDOW (l->data) ? l->data : NULL;
      int n_tabs = window != NULL ? adw_tab_view_get_n_pages (window->tabs) : 0;

      for (int i = 0; i < n_tabs; i++)
        {
          CuredTab *tab = get_nth_tab (window, i);

          if (tab->file == NULL || !g_file_equal (tab->file, file))
            continue;
          adw_tab_view_set_selected_page (window->tabs, get_page (window, tab));
          return window;
        }
    }
  return NULL;
}

/* Creates a window with one tab, which shows the start page; it is not presented yet. Returns: the
 * window, owned by GTK */
CuredWindow *
cured_window_new (GtkApplication *application)
{
  CuredWindow *self = g_object_new (CURED_TYPE_WINDOW, "application", application, NULL);

  _cured_window_add_tab (self);
  return self;
}

/* Opens @file: in the tab that already has it, in one that shows the start page, or in a new one of
 * the most recently used window. @file: a result file, a kernel file, another program's
 * measurements, which are imported, or a folder. Returns: the window */
CuredWindow *
cured_window_open_somewhere (GtkApplication *application, GFile *file)
{
  CuredWindow *window = find_file (application, file);

  if (window == NULL)
    {
      window = find_window (application);
      if (window == NULL)
        window = cured_window_new (application);
      cured_tab_open (window->tab != NULL && _cured_tab_is_idle (window->tab)
                          ? window->tab
                          : _cured_window_add_tab (window),
                      file);
    }
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

void
_cured_window_open_file (CuredWindow *self, GFile *file)
{
  cured_window_open_somewhere (gtk_window_get_application (GTK_WINDOW (self)), file);
}

static void
open_chosen_cb (gpointer self, GFile *file)
{
  if (file != NULL)
    _cured_window_open_file (self, file);
}

static void
open_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  const CuredChooserFilter filters[] = {
    { _ ("All supported files"), { "cured", "cu", "json" } },
    { _ ("Cured results"), { "cured" } },
    { _ ("Kernel files"), { "cu" } },
    { _ ("All files"), { NULL } },
  };
  CuredChooser chooser = { .title = _ ("Open a CUDA Program"), .accept = _ ("_Open") };

  if (g_str_equal (action, "win.open"))
    {
      chooser.title = _ ("Open a Result File");
      chooser.beside = self->tab != NULL ? self->tab->file : NULL;
      chooser.filters = filters;
      chooser.n_filters = G_N_ELEMENTS (filters);
      chooser.is_multiple = TRUE;
    }
  else if (g_str_equal (action, "win.open-folder"))
    {
      chooser.title = _ ("Open a Folder of Result Files");
      chooser.action = GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER;
    }
  cured_chooser_ask (self, &chooser, open_chosen_cb);
}

static void
open_recordings_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  g_autofree char *path = cured_recordings_find_folder ();
  g_autoptr (GFile) folder = path != NULL ? g_file_new_for_path (path) : NULL;

  if (folder != NULL)
    _cured_window_open_file (self, folder);
  else
    cured_toast_overlay_show (self->toasts, _ ("The recordings were not installed."));
}

static void
open_recent_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (parameter, NULL));

  _cured_window_open_file (CURED_WINDOW (widget), file);
}

/* Drag and drop. */

static gboolean
drop_cb (CuredWindow *self, const GValue *value)
{
  g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));

  for (GSList *l = files; l != NULL; l = l->next)
    _cured_window_open_file (self, l->data);
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
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  CURED_CONNECT (target, "drop", drop_cb);
  CURED_CONNECT (target, "enter", drag_enter_cb);
  CURED_CONNECT (target, "leave", drag_leave_cb);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}

/* ---- Kernels of the catalogue ---- */

/* Opens it in the selected tab or, while a sweep is running there, in a new one. */
static void
open_kernel (CuredWindow *self, const char *id)
{
  if (self->tab == NULL)
    return;
  cured_pane_ask (self->sidebar, FALSE);
  _cured_tab_open_kernel (cured_run_controller_is_running (self->tab->controller)
                              ? _cured_window_add_tab (self)
                              : self->tab,
                          id, cured_kernel_list_get_recording (self->kernels, id));
}

static void
open_kernel_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  open_kernel (CURED_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
open_recorded_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  CuredKernel *kernel = self->tab != NULL ? cured_document_get_kernel (self->tab->document) : NULL;

  if (kernel != NULL)
    open_kernel (self, kernel->id);
}

static void
start_page_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  if (self->tab == NULL || cured_run_controller_is_running (self->tab->controller))
    _cured_window_add_tab (self);
  else
    cured_tab_show_start (self->tab);
}

/* Connects the window to its tabs, before there are any, and to dropped files. */
void
_cured_window_init_tabs (CuredWindow *self)
{
  self->closed = g_ptr_array_new_with_free_func (g_object_unref);
  CURED_CONNECT (self->tabs, "page-attached", attached_cb);
  CURED_CONNECT (self->tabs, "page-detached", detached_cb);
  CURED_CONNECT (self->tabs, "notify::selected-page", selected_cb);
  CURED_CONNECT (self->tabs, "notify::is-transferring-page", transferring_cb);
  CURED_CONNECT (self->tabs, "close-page", close_page_cb);
  CURED_CONNECT (self->tabs, "create-window", create_window_cb);
  CURED_CONNECT (self->tabs, "setup-menu", setup_menu_cb);
  /* Alt with a digit selects a view. */
  adw_tab_view_set_shortcuts (self->tabs, ADW_TAB_VIEW_SHORTCUT_CONTROL_TAB |
                                              ADW_TAB_VIEW_SHORTCUT_CONTROL_SHIFT_TAB |
                                              ADW_TAB_VIEW_SHORTCUT_CONTROL_PAGE_UP |
                                              ADW_TAB_VIEW_SHORTCUT_CONTROL_PAGE_DOWN |
                                              ADW_TAB_VIEW_SHORTCUT_CONTROL_SHIFT_PAGE_UP |
                                              ADW_TAB_VIEW_SHORTCUT_CONTROL_SHIFT_PAGE_DOWN);
  watch_drags (self);
  add_drop_target (self);
  CURED_CONNECT (self->kernels, "chosen", open_kernel);
}

/* Disconnects from the tabs before they are disposed of. */
void
_cured_window_leave_tabs (CuredWindow *self)
{
  self->tab = NULL;
  if (self->tabs == NULL)
    return;
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    g_signal_handlers_disconnect_by_data (get_nth_tab (self, i), self);
  g_signal_handlers_disconnect_by_data (self->tabs, self);
}

void
_cured_window_class_install_tabs (GtkWidgetClass *klass)
{
  CURED_ACTION ("win.new-tab", NULL, new_tab_cb);
  CURED_ACTION ("win.close-tab", NULL, close_tab_cb);
  CURED_ACTION ("win.close-other-tabs", NULL, close_others_cb);
  CURED_ACTION ("win.reopen-tab", NULL, reopen_cb);
  CURED_ACTION ("win.detach-tab", NULL, detach_cb);
  CURED_ACTION ("win.start-page", NULL, start_page_cb);
  CURED_ACTION ("win.open", NULL, open_cb);
  CURED_ACTION ("win.open-folder", NULL, open_cb);
  CURED_ACTION ("win.open-program", NULL, open_cb);
  CURED_ACTION ("win.open-recordings", NULL, open_recordings_cb);
  CURED_ACTION ("win.open-recent", "s", open_recent_cb);
  CURED_ACTION ("win.open-kernel", "s", open_kernel_cb);
  CURED_ACTION ("win.open-recorded", NULL, open_recorded_cb);
}
