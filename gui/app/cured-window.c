/* SPDX-License-Identifier: MIT
 * A window: the start page, or one result. */
#include <config.h>

#include "app/cured-window-private.h"

#include <glib/gi18n.h>

#include "model/cured-settings.h"
#include "banks/cured-stride-explorer.h"

G_DEFINE_FINAL_TYPE (CuredWindow, cured_window, ADW_TYPE_APPLICATION_WINDOW)

/* Map actions. */

static const char *const map_actions[] = {
  "win.zoom-in",   "win.zoom-out",   "win.zoom-reset",
  "win.swap-axes", "win.go-to-best",
};

static void
map_action_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  CuredHeatMap *map = cured_result_page_get_map (self->page);
  CuredMapView *view = cured_document_get_map_view (self->document);

  if (g_str_equal (action, "win.zoom-in"))
    cured_heat_map_zoom (map, 1.25);
  else if (g_str_equal (action, "win.zoom-out"))
    cured_heat_map_zoom (map, 1.0 / 1.25);
  else if (g_str_equal (action, "win.zoom-reset"))
    cured_heat_map_zoom_reset (map);
  else if (g_str_equal (action, "win.swap-axes"))
    cured_map_view_swap_axes (view);
  else
    {
      cured_map_view_go_to_best (view);
      cured_map_view_choose_cursor (view);
      gtk_widget_grab_focus (GTK_WIDGET (map));
    }
}

static void
show_start (CuredWindow *self, gpointer data)
{
  cured_loader_cancel (self->loader);
  _cured_window_show_start (self);
}

static void
start_page_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);

  if (cured_run_controller_is_running (self->controller))
    gtk_window_present (GTK_WINDOW (
        cured_window_new (gtk_window_get_application (GTK_WINDOW (self)))));
  else
    _cured_window_if_edits_may_go (self, show_start, NULL, NULL);
}

static void
cancel_loading_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);

  if (cured_run_controller_is_running (self->controller))
    {
      /* Its end leads back to the start page. */
      cured_run_controller_cancel (self->controller);
      return;
    }
  cured_loader_cancel (self->loader);
  _cured_window_show_start (self);
}

/* The frame: the sidebar, the views and the panes. */

static void
stride_explorer_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_window_present (
      GTK_WINDOW (cured_stride_explorer_new (GTK_WINDOW (widget))));
}

static void
show_view_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  const char *name = g_variant_get_string (parameter, NULL);

  if (adw_view_stack_get_child_by_name (self->views, name) == NULL)
    {
      g_warning ("there is no view %s", name);
      return;
    }
  adw_view_stack_set_visible_child_name (self->views, name);
  /* The keys go to what is seen now. */
  if (g_str_equal (name, "map") &&
      cured_document_get_result (self->document) != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (cured_result_page_get_map (self->page)));
  else
    gtk_widget_child_focus (adw_view_stack_get_visible_child (self->views),
                            GTK_DIR_TAB_FORWARD);
}

static void
save_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_widget_activate_action (
      GTK_WIDGET (CURED_WINDOW (widget)->source_page), "source.save", NULL);
}

static void
compare_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);

  adw_view_stack_set_visible_child_name (self->views, "compare");
  gtk_widget_activate_action (
      GTK_WIDGET (self->compare_page), "compare.choose", NULL);
}

static gboolean
has_focus (GtkWidget *pane)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (pane));

  return focus != NULL &&
         (focus == pane || gtk_widget_is_ancestor (focus, pane));
}

/* F6 walks over what can be seen: kernels, views, the page, the run bar, the
 * header bar's buttons are reached with F10 and Tab. */
static void
next_pane_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);
  GtkWidget *panes[] = {
    GTK_WIDGET (self->kernels),
    GTK_WIDGET (self->switcher),
    _cured_window_shows (self, "result")
        ? adw_view_stack_get_visible_child (self->views)
        : gtk_stack_get_visible_child (self->stack),
    GTK_WIDGET (self->run_bar),
  };
  gsize n_panes = G_N_ELEMENTS (panes);
  gsize step = g_str_equal (action, "win.next-pane") ? 1 : n_panes - 1;
  gsize at = 0;

  for (gsize i = 0; i < n_panes; i++)
    if (gtk_widget_get_mapped (panes[i]) && has_focus (panes[i]))
      at = i;
  for (gsize i = 1; i < n_panes; i++)
    {
      GtkWidget *pane = panes[(at + i * step) % n_panes];

      if (gtk_widget_get_mapped (pane) && gtk_widget_get_child_visible (pane) &&
          gtk_widget_child_focus (pane, GTK_DIR_TAB_FORWARD))
        return;
    }
}

static void
find_kernel_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredWindow *self = CURED_WINDOW (widget);

  adw_flap_set_reveal_flap (self->sidebar, TRUE);
  gtk_widget_child_focus (GTK_WIDGET (self->kernels), GTK_DIR_TAB_FORWARD);
}

/* Where it would cover the page, a flap comes when it is asked for only;
 * where it stands beside, it is as the user left it. */
static void
flap_folded_cb (AdwFlap *flap, GParamSpec *pspec, CuredWindow *self)
{
  const char *key = g_object_get_data (G_OBJECT (flap), "key");

  self->is_folding = TRUE;
  adw_flap_set_reveal_flap (flap,
                            !adw_flap_get_folded (flap) &&
                                cured_settings_get_boolean (key, TRUE));
  self->is_folding = FALSE;
}

static void
flap_revealed_cb (AdwFlap *flap, GParamSpec *pspec, CuredWindow *self)
{
  if (!self->is_folding && !adw_flap_get_folded (flap))
    cured_settings_set_boolean (g_object_get_data (G_OBJECT (flap), "key"),
                                adw_flap_get_reveal_flap (flap));
}

/* Remembers under @key, of the settings, whether a flap is shown. */
static void
add_flap (CuredWindow *self, AdwFlap *flap, const char *action, const char *key)
{
  g_autoptr (GPropertyAction) show =
      g_property_action_new (action, flap, "reveal-flap");

  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (show));
  adw_flap_set_locked (flap, TRUE);
  g_object_set_data (G_OBJECT (flap), "key", (gpointer) key);
  flap_folded_cb (flap, NULL, self);
  g_signal_connect (flap, "notify::folded", G_CALLBACK (flap_folded_cb), self);
  g_signal_connect (
      flap, "notify::reveal-flap", G_CALLBACK (flap_revealed_cb), self);
}

/* Told once: tests/gui/check-start.py holds it against the clock. */
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
    id = g_signal_connect (gtk_widget_get_frame_clock (widget),
                           "after-paint",
                           G_CALLBACK (painted_cb),
                           &id);
}

static void
init_frame (CuredWindow *self)
{
  g_signal_connect (self, "map", G_CALLBACK (mapped_cb), NULL);
  add_flap (self, self->sidebar, "show-sidebar", "sidebar");
  add_flap (
      self, cured_result_page_get_flap (self->page), "show-details", "details");
  _cured_window_init_frame (self);
}

/* Closing. */

static void
close_response_cb (CuredWindow *self, const char *response)
{
  if (!g_str_equal (response, "stop"))
    {
      /* The next close asks again for what is edited until then. */
      self->is_giving_up = FALSE;
      return;
    }
  self->is_closing = TRUE;
  if (cured_run_controller_is_running (self->controller))
    {
      /* Nor does another one follow. */
      g_object_set (self->controller, "runs-on-change", FALSE, NULL);
      cured_run_controller_cancel (self->controller);
    }
  else
    gtk_window_close (GTK_WINDOW (self));
}

/* A new window is as large as the last one was; another one that is open stays as
 * it is. */
static void
bind_size (CuredWindow *self)
{
  static const struct
  {
    const char *key;
    const char *property;
  } rows[] = {
    { "width", "default-width" },
    { "height", "default-height" },
    { "maximized", "maximized" },
  };

  for (gsize i = 0; cured_settings_get () != NULL && i < G_N_ELEMENTS (rows);
       i++)
    g_settings_bind (cured_settings_get (),
                     rows[i].key,
                     self,
                     rows[i].property,
                     G_SETTINGS_BIND_DEFAULT | G_SETTINGS_BIND_GET_NO_CHANGES);
}

static void
give_up (CuredWindow *self, gpointer data)
{
  self->is_giving_up = TRUE;
  gtk_window_close (GTK_WINDOW (self));
}

static gboolean
cured_window_close_request (GtkWindow *window)
{
  CuredWindow *self = CURED_WINDOW (window);
  GtkWidget *dialog;

  if (_cured_window_is_edited (self) && !self->is_giving_up)
    {
      _cured_window_if_edits_may_go (self, give_up, NULL, NULL);
      return TRUE;
    }
  if (!cured_run_controller_is_running (self->controller))
    {
      cured_loader_cancel (self->loader);
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

static void
cured_window_dispose (GObject *object)
{
  CuredWindow *self = CURED_WINDOW (object);

  _cured_window_end_tour (self);
  if (self->loader != NULL)
    cured_loader_cancel (self->loader);
  g_clear_object (&self->loader);
  if (self->controller != NULL)
    g_object_run_dispose (G_OBJECT (self->controller));
  g_clear_object (&self->controller);
  g_clear_object (&self->inspector);
  g_clear_object (&self->document);
  g_clear_pointer (&self->bare_text, g_free);
  g_clear_object (&self->print_settings);
  g_clear_object (&self->file);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_WINDOW);
  G_OBJECT_CLASS (cured_window_parent_class)->dispose (object);
}

static void
cured_window_class_init (CuredWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = cured_window_close_request;

  g_signal_new ("settled",
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
  g_type_ensure (CURED_TYPE_RUN_BAR);
  g_type_ensure (CURED_TYPE_TOAST_OVERLAY);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, CuredWindow, name)
  BIND (title);
  BIND (export);
  BIND (show_details);
  BIND (compare);
  BIND (menu);
  BIND (run);
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
  BIND (switcher);
  BIND (views);
  BIND (page);
  BIND (bank_page);
  BIND (ladder_page);
  BIND (source_page);
  BIND (compare_page);
  BIND (run_bar);
  BIND (recent_menu);
  BIND (preset_menu);
  BIND (picture_menu);
  BIND (table_menu);
#undef BIND

  gtk_widget_class_install_action (
      widget_class, "win.start-page", NULL, start_page_cb);
  gtk_widget_class_install_action (
      widget_class, "win.show-view", "s", show_view_cb);
  gtk_widget_class_install_action (
      widget_class, "win.stride-explorer", NULL, stride_explorer_cb);
  gtk_widget_class_install_action (widget_class, "win.save", NULL, save_cb);
  gtk_widget_class_install_action (
      widget_class, "win.compare", NULL, compare_cb);
  gtk_widget_class_install_action (
      widget_class, "win.next-pane", NULL, next_pane_cb);
  gtk_widget_class_install_action (
      widget_class, "win.previous-pane", NULL, next_pane_cb);
  gtk_widget_class_install_action (
      widget_class, "win.find-kernel", NULL, find_kernel_cb);
  gtk_widget_class_install_action (
      widget_class, "win.cancel-loading", NULL, cancel_loading_cb);
  _cured_window_class_install_open (widget_class);
  _cured_window_class_install_run (widget_class);
  _cured_window_class_install_export (widget_class);
  _cured_window_class_install_tour (widget_class);
  for (gsize i = 0; i < G_N_ELEMENTS (map_actions); i++)
    gtk_widget_class_install_action (
        widget_class, map_actions[i], NULL, map_action_cb);
}

/* GTK 4.8 leaves the focus in a submenu that has gone, where no key is heard
 * any more. */
static gboolean
leave_menu (gpointer user_data)
{
  GtkWidget *button = user_data;
  GtkRoot *root = gtk_widget_get_root (button);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (root != NULL && (focus == NULL || !gtk_widget_get_mapped (focus)))
    gtk_widget_child_focus (button, GTK_DIR_TAB_FORWARD);
  return G_SOURCE_REMOVE;
}

/* The focus moves while the menu closes. */
static void
menu_closed_cb (GtkWidget *button)
{
  g_idle_add_full (
      G_PRIORITY_LOW, leave_menu, g_object_ref (button), g_object_unref);
}

static void
init_menus (CuredWindow *self)
{
  g_signal_connect_object (gtk_menu_button_get_popover (self->menu),
                           "closed",
                           G_CALLBACK (menu_closed_cb),
                           self->menu,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (
      adw_split_button_get_popover (ADW_SPLIT_BUTTON (self->run)),
      "closed",
      G_CALLBACK (menu_closed_cb),
      self->run,
      G_CONNECT_SWAPPED);
}

/* A screen reader hears a view called as its tab is. */
static void
name_views (CuredWindow *self)
{
  g_autoptr (GtkSelectionModel) pages = adw_view_stack_get_pages (self->views);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (pages));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AdwViewStackPage) page =
          g_list_model_get_item (G_LIST_MODEL (pages), i);
      g_auto (GStrv) parts =
          g_strsplit (adw_view_stack_page_get_title (page), "_", -1);
      g_autofree char *name = g_strjoinv (NULL, parts);

      gtk_accessible_update_property (
          GTK_ACCESSIBLE (adw_view_stack_page_get_child (page)),
          GTK_ACCESSIBLE_PROPERTY_LABEL,
          name,
          -1);
    }
}

static void
cured_window_init (CuredWindow *self)
{
  /* A dialog of one window leaves the others free: GTK puts it into the group
   * of its parent. */
  g_autoptr (GtkWindowGroup) group = gtk_window_group_new ();

  gtk_window_group_add_window (group, GTK_WINDOW (self));
  self->document = cured_document_new ();
  self->inspector = cured_inspector_new (self->document);
  self->controller = cured_run_controller_new (self->document, self->inspector);
  gtk_widget_init_template (GTK_WIDGET (self));
  name_views (self);
  cured_result_page_set_document (self->page, self->document);
  cured_result_page_set_inspector (self->page, self->inspector);
  cured_bank_page_set_document (
      self->bank_page, self->document, self->inspector);
  cured_ladder_page_set_document (self->ladder_page, self->document);
  cured_source_page_set_document (
      self->source_page, self->document, self->inspector);
  g_signal_connect_object (self->source_page,
                           "message",
                           G_CALLBACK (_cured_window_toast),
                           self,
                           G_CONNECT_SWAPPED);
  cured_compare_page_set_document (self->compare_page, self->document);
  init_frame (self);
  _cured_window_init_run (self);
  _cured_window_init_export (self);
  _cured_window_init_tour (self);
  _cured_window_init_open (self);
  init_menus (self);
  bind_size (self);
  _cured_window_show_start (self);
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
