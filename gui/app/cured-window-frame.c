/* SPDX-License-Identifier: MIT
 * The titles, actions and menus of a window, for its selected tab. */
#include <config.h>

#include "app/cured-window-private.h"

/* Actions on the contents of a page. */
static const char *const page_actions[] = {
  "win.export",       "win.export-as",  "win.export-table", "win.export-options",
  "win.copy-picture", "win.copy-table", "win.print",
};

/* Actions that need a result. */
static const char *const result_actions[] = {
  "win.zoom-in",    "win.zoom-out",  "win.zoom-reset", "win.swap-axes",
  "win.go-to-best", "win.copy-cell", "win.compare",    "win.tour",
  "win.note",       "win.file-note", "win.undo-note",  "win.history",
};

/* Actions that depend on the controller. */
static const struct
{
  const char *property; /* of the controller */
  const char *action;
} run_actions[] = {
  { "is-running", "win.cancel-sweep" }, { "can-resume", "win.resume-sweep" },
  { "can-run-again", "win.run-again" }, { "can-run-cells", "win.rerun-cells" },
  { "can-refine", "win.run-finer" },    { "has-best", "win.go-to-fastest" },
};

static void
enable (CuredWindow *self, const char *action, gboolean is_enabled)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), action, is_enabled);
}

static void
update_actions (CuredWindow *self)
{
  CuredTab *tab = self->tab;
  gboolean is_page = _cured_tab_shows (tab, "result");
  gboolean is_start = _cured_tab_shows (tab, "start");
  gboolean has_result = is_page && cured_document_get_result (tab->document) != NULL;
  const char *page = adw_view_stack_get_visible_child_name (tab->views);
  CuredKernel *kernel = cured_document_get_kernel (tab->document);

  for (gsize i = 0; i < G_N_ELEMENTS (page_actions); i++)
    enable (self, page_actions[i], is_page);
  for (gsize i = 0; i < G_N_ELEMENTS (result_actions); i++)
    enable (self, result_actions[i], has_result);
  for (gsize i = 0; i < G_N_ELEMENTS (run_actions); i++)
    {
      gboolean is_enabled;

      g_object_get (tab->controller, run_actions[i].property, &is_enabled, NULL);
      enable (self, run_actions[i].action, is_enabled);
    }
  enable (self, "win.open-recorded",
          is_page && !has_result && kernel != NULL &&
              cured_kernel_list_get_recording (self->kernels, kernel->id) != NULL);
  enable (self, "win.show-view", is_page || _cured_tab_is_reading (tab));
  enable (self, "win.save", is_page && kernel != NULL);
  enable (self, "win.start-page", !is_start);
  enable (self, "win.run-preset", kernel != NULL);
  enable (self, "win.detach-tab", adw_tab_view_get_n_pages (self->tabs) > 1);
  enable (self, "win.close-other-tabs", adw_tab_view_get_n_pages (self->tabs) > 1);
  enable (self, "win.reopen-tab", self->closed->len > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->export), is_page);
  gtk_widget_set_visible (self->compare, is_page);
  gtk_widget_set_visible (self->show_details, has_result && g_strcmp0 (page, "map") == 0);
  /* The start page has larger ones. */
  gtk_widget_set_visible (GTK_WIDGET (self->open), !is_start);
  gtk_widget_set_visible (self->run, !is_start);
}

static void
update_titles (CuredWindow *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->tab->document);

  adw_window_title_set_title (self->title, self->tab->title);
  adw_window_title_set_subtitle (self->title, self->tab->subtitle);
  gtk_window_set_title (GTK_WINDOW (self), self->tab->title);
  cured_kernel_list_set_shown (
      self->kernels, _cured_tab_shows (self->tab, "result") && kernel != NULL ? kernel->id : NULL);
}

void
_cured_window_update (CuredWindow *self)
{
  if (self->tab == NULL)
    return;
  update_actions (self);
  update_titles (self);
  _cured_window_offer_tour (self);
}

/* Stateful actions, with the state of the selected tab. */

static void
pause_changed_cb (CuredRunController *controller, GVariant *value)
{
  g_object_set (controller, "is-paused", g_variant_get_boolean (value), NULL);
}

static gboolean
to_state (GBinding *binding, const GValue *from, GValue *to, gpointer user_data)
{
  g_value_take_variant (to,
                        g_variant_ref_sink (g_variant_new_boolean (g_value_get_boolean (from))));
  return TRUE;
}

/* Enabled only while a sweep is running. */
static GAction *
new_pause_action (CuredRunController *controller)
{
  GSimpleAction *pause =
      g_simple_action_new_stateful ("pause-sweep", NULL, g_variant_new_boolean (FALSE));

  g_object_bind_property (controller, "is-running", pause, "enabled", G_BINDING_SYNC_CREATE);
  g_object_bind_property_full (controller, "is-paused", pause, "state", G_BINDING_SYNC_CREATE,
                               to_state, NULL, NULL, NULL);
  g_signal_connect_object (pause, "change-state", G_CALLBACK (pause_changed_cb), controller,
                           G_CONNECT_SWAPPED);
  return G_ACTION (pause);
}

/* Binds the stateful actions to the selected tab, and updates the window. */
void
_cured_window_follow (CuredWindow *self)
{
  g_autoptr (GPropertyAction) details = g_property_action_new (
      "show-details", cured_result_page_get_flap (self->tab->page), "reveal-flap");
  g_autoptr (GPropertyAction) change =
      g_property_action_new ("run-on-change", self->tab->controller, "runs-on-change");
  g_autoptr (GAction) pause = new_pause_action (self->tab->controller);

  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (details));
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (change));
  g_action_map_add_action (G_ACTION_MAP (self), pause);
  _cured_window_update (self);
}

/* Menus. */

#define MAX_RECENT 10

static void
fill_recent (CuredWindow *self)
{
  const char *const suffixes[] = { ".cured", ".cu", ".ptx", ".kernel", NULL };
  g_autoptr (GPtrArray) files = cured_menu_list_recent (suffixes);

  g_menu_remove_all (self->recent_menu);
  for (guint i = 0; i < MIN (files->len, MAX_RECENT); i++)
    cured_menu_append_name (self->recent_menu, gtk_recent_info_get_display_name (files->pdata[i]),
                            "win.open-recent", gtk_recent_info_get_uri (files->pdata[i]));
}

/* Filled when the menu opens, since presets may change in any window. */
static void
fill_presets (CuredWindow *self)
{
  CuredKernel *kernel = self->tab != NULL ? cured_document_get_kernel (self->tab->document) : NULL;

  g_menu_remove_all (self->preset_menu);
  if (kernel == NULL)
    return;
  g_menu_append (self->preset_menu, _ ("_Default Sweep"), "win.run-preset::");
  g_auto (GStrv) names = cured_presets_list (kernel->id);
  for (gsize i = 0; names[i] != NULL; i++)
    cured_menu_append_name (self->preset_menu, names[i], "win.run-preset", names[i]);
}

/* Updated when the menu opens: only pages with figures have a table. */
static void
update_export_menu (GtkMenuButton *button, gpointer user_data)
{
  CuredWindow *self = user_data;
  gboolean has_table = self->tab != NULL && _cured_tab_has_table (self->tab);

  enable (self, "win.export-table", has_table);
  enable (self, "win.copy-table", has_table);
}

static void
fill_formats (CuredWindow *self)
{
  gsize n_formats;
  const CuredExportFormat *formats = cured_export_formats (&n_formats);

  g_menu_append (self->picture_menu, _ ("_Picture of Chosen Size…"), "win.export-options");
  for (gsize i = 0; i < n_formats; i++)
    {
      /* Translators: the name of a file format. */
      g_autofree char *label = g_strdup_printf (_ ("%s…"), _ (formats[i].title));
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      g_menu_item_set_action_and_target (
          item, formats[i].is_picture ? "win.export-as" : "win.export-table", "s", formats[i].id);
      g_menu_append_item (formats[i].is_picture ? self->picture_menu : self->table_menu, item);
    }
}

/* GTK 4.8 leaves the focus in a closed submenu, where it receives no key events. */
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

/* Deferred, since the focus moves while the menu closes. */
static void
menu_closed_cb (GtkWidget *button)
{
  g_idle_add_full (G_PRIORITY_LOW, leave_menu, g_object_ref (button), g_object_unref);
}

void
_cured_window_init_frame (CuredWindow *self)
{
  GtkPopover *run = adw_split_button_get_popover (ADW_SPLIT_BUTTON (self->run));

  g_signal_connect_object (gtk_menu_button_get_popover (self->menu), "closed",
                           G_CALLBACK (menu_closed_cb), self->menu, G_CONNECT_SWAPPED);
  g_signal_connect_object (run, "closed", G_CALLBACK (menu_closed_cb), self->run,
                           G_CONNECT_SWAPPED);
  CURED_CONNECT (run, "show", fill_presets);
  fill_recent (self);
  CURED_CONNECT (gtk_recent_manager_get_default (), "changed", fill_recent);
  fill_formats (self);
  gtk_menu_button_set_create_popup_func (self->export, update_export_menu, self, NULL);
}
