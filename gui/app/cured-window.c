/* SPDX-License-Identifier: MIT
 * A window: tabs and the list of kernels, under one header bar. */
#include <config.h>

#include "app/cured-window-private.h"

G_DEFINE_FINAL_TYPE (CuredWindow, cured_window, ADW_TYPE_APPLICATION_WINDOW)

/* Actions of the selected tab. */

static const CuredTabAction *const tab_actions[] = {
  _cured_tab_actions,
  _cured_tab_run_actions,
  _cured_tab_export_actions,
  _cured_tab_note_actions,
};

static void
tab_action_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredTab *tab = CURED_WINDOW (widget)->tab;

  for (gsize i = 0; tab != NULL && i < G_N_ELEMENTS (tab_actions); i++)
    for (const CuredTabAction *row = tab_actions[i]; row->name != NULL; row++)
      if (g_str_equal (row->name, action))
        {
          _cured_tab_act (tab, row, parameter);
          return;
        }
}

/* The frame: the sidebar, the views and the panes. */

static void
stride_explorer_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_window_present (GTK_WINDOW (cured_stride_explorer_new (GTK_WINDOW (widget))));
}

static void
export_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_menu_button_popup (CURED_WINDOW (widget)->export);
}

static gboolean
has_focus (GtkWidget *pane)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (pane));

  return focus != NULL && (focus == pane || gtk_widget_is_ancestor (focus, pane));
}

/* F6 cycles through the visible panes: tabs, kernels, views, the page, the run bar; the header
 * bar's buttons are reached with F10 and Tab. */
static void
next_pane_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  CuredTab *tab = self->tab;
  GtkWidget *panes[] = {
    GTK_WIDGET (self->tab_bar),
    GTK_WIDGET (self->kernels),
    tab != NULL ? tab->switcher : NULL,
    tab != NULL ? _cured_tab_get_shown (tab) : NULL,
    tab != NULL ? GTK_WIDGET (tab->run_bar) : NULL,
  };
  gsize n_panes = G_N_ELEMENTS (panes);
  gsize step = g_str_equal (action, "win.next-pane") ? 1 : n_panes - 1;
  gsize at = 0;

  for (gsize i = 0; i < n_panes; i++)
    if (panes[i] != NULL && gtk_widget_get_mapped (panes[i]) && has_focus (panes[i]))
      at = i;
  for (gsize i = 1; i < n_panes; i++)
    {
      GtkWidget *pane = panes[(at + i * step) % n_panes];

      if (pane != NULL && gtk_widget_get_mapped (pane) && gtk_widget_get_child_visible (pane) &&
          gtk_widget_child_focus (pane, GTK_DIR_TAB_FORWARD))
        return;
    }
}

static void
find_kernel_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  cured_pane_ask (self->sidebar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->kernels));
}

/* Printed once; tests/gui/check-start.py measures the time until then. */
static void
painted_cb (GdkFrameClock *clock, gpointer user_data)
{
  g_debug ("first frame");
  g_signal_handler_disconnect (clock, *(gulong *) user_data);
}

static void
mapped_cb (GtkWidget *widget)
{
  static gulong id;

  if (id == 0)
    id = g_signal_connect (gtk_widget_get_frame_clock (widget), "after-paint",
                           G_CALLBACK (painted_cb), &id);
}

/* A new window has the size of the last one; other open windows keep theirs. */
static void
bind_size (CuredWindow *self)
{
  static const struct
  {
    const char *key, *property;
  } rows[] = {
    { "width", "default-width" },
    { "height", "default-height" },
    { "maximized", "maximized" },
  };

  for (gsize i = 0; cured_settings_get () != NULL && i < G_N_ELEMENTS (rows); i++)
    g_settings_bind (cured_settings_get (), rows[i].key, self, rows[i].property,
                     G_SETTINGS_BIND_DEFAULT | G_SETTINGS_BIND_GET_NO_CHANGES);
}

static gboolean
cured_window_close_request (GtkWindow *window)
{
  if (!_cured_window_may_close (CURED_WINDOW (window)))
    return TRUE;
  return GTK_WINDOW_CLASS (cured_window_parent_class)->close_request (window);
}

/* A property action holds a reference to its object, with all of its widgets. Widgets with actions
 * of their own refer to the window's, which would be a cycle. */
static void
remove_actions (CuredWindow *self)
{
  g_auto (GStrv) names = g_action_group_list_actions (G_ACTION_GROUP (self));

  for (gsize i = 0; names[i] != NULL; i++)
    g_action_map_remove_action (G_ACTION_MAP (self), names[i]);
}

static gboolean
let_go (gpointer object)
{
  return G_SOURCE_REMOVE;
}

/* After a tab's context menu closes, possibly with its window, the tab bar notifies the tab view
 * when idle, without a reference to either: both must live until then. */
static void
keep_tabs (CuredWindow *self)
{
  g_idle_add_full (G_PRIORITY_LOW, let_go, g_object_ref (self->tab_bar), g_object_unref);
  g_idle_add_full (G_PRIORITY_LOW, let_go, g_object_ref (self->tabs), g_object_unref);
}

static void
cured_window_dispose (GObject *object)
{
  CuredWindow *self = CURED_WINDOW (object);

  _cured_window_end_tour (self);
  if (self->sidebar != NULL)
    {
      remove_actions (self);
      keep_tabs (self);
    }
  _cured_window_leave_tabs (self);
  cured_template_dispose (object);
}

static void
cured_window_class_init (CuredWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  GTK_WINDOW_CLASS (klass)->close_request = cured_window_close_request;

  cured_class_add_signal (klass, "settled", 0);

  CURED_NEEDS (KERNEL_LIST, TOAST_OVERLAY);
  cured_template_set (klass, "cured-window");
  CURED_BIND (CuredWindow, title, export, show_details, compare, menu, run, open, toasts);
  CURED_BIND (CuredWindow, tab_bar, tabs, kernels, sidebar, recent_menu, preset_menu, picture_menu,
              table_menu);
  CURED_FREES (CuredWindow, g_ptr_array_unref, closed);
  G_OBJECT_CLASS (klass)->dispose = cured_window_dispose;

  CURED_ACTION ("win.stride-explorer", NULL, stride_explorer_cb);
  CURED_ACTION ("win.export", NULL, export_cb);
  CURED_ACTION ("win.next-pane", NULL, next_pane_cb);
  CURED_ACTION ("win.previous-pane", NULL, next_pane_cb);
  CURED_ACTION ("win.find-kernel", NULL, find_kernel_cb);
  for (gsize i = 0; i < G_N_ELEMENTS (tab_actions); i++)
    for (const CuredTabAction *row = tab_actions[i]; row->name != NULL; row++)
      gtk_widget_class_install_action (widget_class, row->name, row->parameter, tab_action_cb);
  _cured_window_class_install_tabs (widget_class);
  _cured_window_class_install_tour (widget_class);
}

static void
cured_window_init (CuredWindow *self)
{
  /* A modal dialog must block only its own window: GTK puts it into its parent's group. */
  g_autoptr (GtkWindowGroup) group = gtk_window_group_new ();

  gtk_window_group_add_window (group, GTK_WINDOW (self));
  gtk_widget_init_template (GTK_WIDGET (self));
  g_autoptr (GPropertyAction) show_sidebar =
      g_property_action_new ("show-sidebar", self->sidebar, "reveal-flap");
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (show_sidebar));
  g_signal_connect (self, "map", G_CALLBACK (mapped_cb), NULL);
  cured_pane_remember (self->sidebar, "sidebar");
  _cured_window_init_frame (self);
  _cured_window_init_tabs (self);
  bind_size (self);
}

/* Returns: (nullable): the selected tab; NULL while the last one is dragged away */
CURED_GETTER (CuredTab *, cured_window_get_tab, CuredWindow, tab)

guint
cured_window_get_n_tabs (CuredWindow *self)
{
  return (guint) adw_tab_view_get_n_pages (self->tabs);
}
