/* SPDX-License-Identifier: MIT
 * A tab: the start page, a folder, or one result or kernel. */
#include <config.h>

#include "app/cured-tab-private.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

G_DEFINE_FINAL_TYPE (CuredTab, cured_tab, ADW_TYPE_BIN)

/* Actions. */

static void
map_action_cb (CuredTab *self, const char *action, GVariant *parameter)
{
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
show_start (CuredTab *self, gpointer data)
{
  cured_loader_cancel (self->loader);
  _cured_tab_show_start (self);
}

static void
cancel_loading_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  if (cured_run_controller_is_running (self->controller))
    /* The start page is shown when it has ended. */
    cured_run_controller_cancel (self->controller);
  else
    show_start (self, NULL);
}

static void
show_view_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  const char *name = g_variant_get_string (parameter, NULL);

  if (adw_view_stack_get_child_by_name (self->views, name) == NULL)
    {
      g_warning ("there is no view %s", name);
      return;
    }
  _cured_tab_choose_view (self, name);
  /* The focus moves to the visible page. */
  if (g_str_equal (name, "map") && cured_document_get_result (self->document) != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (cured_result_page_get_map (self->page)));
  else
    gtk_widget_child_focus (_cured_tab_get_view (self), GTK_DIR_TAB_FORWARD);
}

static void
save_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  _cured_tab_need_view (self, "source");
  gtk_widget_activate_action (GTK_WIDGET (self->source_page), "source.save", NULL);
}

static void
compare_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  _cured_tab_choose_view (self, "compare");
  gtk_widget_activate_action (GTK_WIDGET (self->compare_page), "compare.choose", NULL);
}

static void
history_file_cb (CuredTab *self, GFile *file)
{
  g_signal_emit_by_name (self, "open-file", file);
}

/* Includes the map's own file, even if not chosen. */
static void
history_chosen_cb (gpointer user_data, GListModel *files)
{
  CuredTab *self = user_data;
  CuredResult *result = cured_document_get_result (self->document);
  gint64 cell = cured_map_view_get_cell (cured_document_get_map_view (self->document));
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  if (result == NULL || cell < 0)
    return;
  for (guint i = 0; i <= g_list_model_get_n_items (files); i++)
    {
      g_autoptr (GFile) file = g_list_model_get_item (files, i);
      char *path =
          file != NULL ? g_file_get_path (file) : g_strdup (cured_result_get_path (result));

      if (path != NULL && !g_ptr_array_find_with_equal_func (paths, path, g_str_equal, NULL))
        g_ptr_array_add (paths, path);
      else
        g_free (path);
    }
  g_ptr_array_add (paths, NULL);
  CuredHistoryWindow *window = cured_history_window_new (
      _cured_tab_get_parent (self), (const char *const *) paths->pdata, result, cell);
  CURED_CONNECT (window, "open-file", history_file_cb);
  gtk_window_present (GTK_WINDOW (window));
}

static void
history_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  const CuredChooserFilter results = { _ ("Cured results"), { "cured" } };

  cured_chooser_ask (self,
                     &(CuredChooser){
                         .title = _ ("Follow the Cell through Files"),
                         .accept = _ ("_Follow"),
                         .beside = self->file,
                         .filters = &results,
                         .n_filters = 1,
                         .is_multiple = TRUE,
                         .all_chosen = history_chosen_cb,
                     },
                     NULL);
}

const CuredTabAction _cured_tab_actions[] = {
  { "win.zoom-in", NULL, map_action_cb },
  { "win.zoom-out", NULL, map_action_cb },
  { "win.zoom-reset", NULL, map_action_cb },
  { "win.swap-axes", NULL, map_action_cb },
  { "win.go-to-best", NULL, map_action_cb },
  { "win.cancel-loading", NULL, cancel_loading_cb },
  { "win.show-view", "s", show_view_cb, TRUE },
  { "win.save", NULL, save_cb },
  { "win.compare", NULL, compare_cb },
  { "win.history", NULL, history_cb },
  { NULL },
};

/* Closing. */

static void
give_up (CuredTab *self, gpointer data)
{
  self->is_giving_up = TRUE;
  _cured_tab_let_go (self);
}

static void
close_response_cb (gpointer owner, const char *response, AdwMessageDialog *dialog)
{
  CuredTab *self = owner;

  if (!g_str_equal (response, "stop"))
    return;
  if (cured_run_controller_is_running (self->controller))
    {
      self->is_closing = TRUE;
      /* Nor may another one start. */
      g_object_set (self->controller, "runs-on-change", FALSE, NULL);
      cured_run_controller_cancel (self->controller);
    }
  else
    _cured_tab_let_go (self);
}

static void
ask_to_stop (CuredTab *self)
{
  static const CuredAnswer answers[] = {
    { "keep", N_ ("_Keep Running") },
    { "stop", N_ ("_Stop and Close"), ADW_RESPONSE_DESTRUCTIVE },
    { NULL },
  };

  cured_ask (_cured_tab_get_parent (self), _ ("Stop the Sweep?"),
             _ ("The file keeps the cells that are done; the rest can be run later, with Resume."),
             answers, self, close_response_cb);
}

static void
cured_tab_dispose (GObject *object)
{
  CuredTab *self = CURED_TAB (object);

  if (self->loader != NULL)
    cured_loader_cancel (self->loader);
  _cured_tab_await (self, NULL, NULL);
  g_clear_weak_pointer (&self->focus_before);
  if (self->controller != NULL)
    g_object_run_dispose (G_OBJECT (self->controller));
  _cured_tab_stop_watching (self);
  self->bank_page = NULL;
  self->ladder_page = NULL;
  self->source_page = NULL;
  self->compare_page = NULL;
  cured_template_dispose (object);
}

static gboolean
trim_cb (gpointer user_data)
{
#ifdef __GLIBC__
  malloc_trim (0);
#endif
  return G_SOURCE_REMOVE;
}

/* Memory is returned after the last frame. */
static void
cured_tab_finalize (GObject *object)
{
  cured_class_finalize (object);
  g_idle_add_full (G_PRIORITY_LOW, trim_cb, NULL, NULL);
}

static void
cured_tab_class_init (CuredTabClass *klass)
{
  cured_class_add_signal (klass, "changed", 0);
  cured_class_add_signal (klass, "settled", 0);
  cured_class_add_signal (klass, "message", 1, G_TYPE_STRING);
  cured_class_add_signal (klass, "written", 2, G_TYPE_STRING, G_TYPE_STRING);
  cured_class_add_signal (klass, "open-file", 1, G_TYPE_FILE);
  cured_class_add_signal (klass, "compare", 2, G_TYPE_FILE, G_TYPE_FILE);
  cured_class_add_signal (klass, "sweep-ready", 1, CURED_TYPE_SWEEP);
  cured_class_add_signal (klass, "attention", 0);
  cured_class_add_signal (klass, "closable", 0);

  CURED_NEEDS (LESSON_BAR, START_PAGE, FOLDER_PAGE, PROGRAM_PAGE, RESULT_PAGE, RUN_BAR);
  cured_template_set (klass, "cured-tab");
  CURED_BIND (CuredTab, stack, start_page, folder_page, program_page, loading, spinner, error,
              open_another);
  CURED_BIND (CuredTab, lesson_bar, switcher, views, page, run_bar);
  CURED_OWNS (CuredTab, loader, controller, inspector, document, print_settings, file, other);
  CURED_OWNS (CuredTab, noted);
  CURED_FREES (CuredTab, g_free, bare_text, title, subtitle, note_before);
  G_OBJECT_CLASS (klass)->dispose = cured_tab_dispose;
  G_OBJECT_CLASS (klass)->finalize = cured_tab_finalize;
}

static void
cured_tab_init (CuredTab *self)
{
  self->document = cured_document_new ();
  self->inspector = cured_inspector_new (self->document);
  self->controller = cured_run_controller_new (self->document, self->inspector);
  gtk_widget_init_template (GTK_WIDGET (self));
  cured_page_open (self->page, self->document, self->inspector);
  cured_lesson_bar_set_document (self->lesson_bar, self->document, self->inspector);
  cured_pane_remember (cured_result_page_get_flap (self->page), "details");
  _cured_tab_init_frame (self);
  _cured_tab_init_run (self);
  _cured_tab_init_open (self);
  _cured_tab_show_start (self);
}

CURED_DEFINE_NEW (CuredTab, cured_tab)

void
cured_tab_show_start (CuredTab *self)
{
  _cured_tab_if_edits_may_go (self, show_start, NULL, NULL);
}

/* Asks about an edited source and a running sweep, one question at a time; emits `closable` if the
 * answer permits closing. @is_again: whether called because of `closable`, so that previous answers
 * are valid. Returns: whether @self can be closed without losing anything */
gboolean
cured_tab_may_close (CuredTab *self, gboolean is_again)
{
  if (!is_again)
    self->is_giving_up = FALSE;
  if (!self->is_giving_up && _cured_tab_is_edited (self))
    {
      _cured_tab_if_edits_may_go (self, give_up, NULL, NULL);
      return FALSE;
    }
  if (cured_run_controller_is_running (self->controller))
    {
      ask_to_stop (self);
      return FALSE;
    }
  return TRUE;
}

CURED_GETTER (CuredResultPage *, cured_tab_get_page, CuredTab, page)

/* Returns: (nullable): the error message, as markup */
const char *
cured_tab_get_error (CuredTab *self)
{
  return adw_status_page_get_description (self->error);
}
