/* SPDX-License-Identifier: MIT
 * Asks for files to open or to write. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

#define KEY "cured-chooser"

/* Hidden choosers for reuse; each is referenced. GTK 4.8's chooser continues to read its folder
 * after it was closed, and then accesses freed widgets. Even freeing it a minute later was not
 * always safe, so none is ever freed. */
static GQueue idle = G_QUEUE_INIT;

static void
visible_changed_cb (GtkFileChooserNative *native)
{
  if (!gtk_native_dialog_get_visible (GTK_NATIVE_DIALOG (native)) &&
      g_queue_find (&idle, native) == NULL)
    g_queue_push_tail (&idle, g_object_ref (native));
}

/* An open question, stored as the asking object's data. */
typedef struct
{
  GtkFileChooserNative *native;
  CuredChosenFunc chosen; /* nullable: @all_chosen is set instead */
  void (*all_chosen) (gpointer self, GListModel *files);
  gulong destroy_id; /* of the widget */
} Question;

/* Withdraws the object's question. */
static void
give_up (gpointer self)
{
  Question *question = g_object_steal_data (self, KEY);

  if (question == NULL)
    return;
  g_signal_handler_disconnect (self, question->destroy_id);
  g_signal_handlers_disconnect_by_data (question->native, self);
  gtk_native_dialog_hide (GTK_NATIVE_DIALOG (question->native));
  g_object_unref (question->native);
  g_free (question);
}

/* The next chooser starts in this folder. */
static void
remember_folder (GtkFileChooser *chooser)
{
  g_autoptr (GFile) folder = gtk_file_chooser_get_current_folder (chooser);
  g_autofree char *path = folder != NULL ? g_file_get_path (folder) : NULL;

  if (path != NULL)
    cured_settings_set_string ("folder", path);
}

static void
response_cb (gpointer self, int response, GtkFileChooser *files)
{
  Question *question = g_object_get_data (self, KEY);
  CuredChosenFunc chosen = question->chosen;
  void (*all_chosen) (gpointer, GListModel *) = question->all_chosen;
  g_autoptr (GListModel) answer = NULL;

  g_object_ref (self);
  if (response == GTK_RESPONSE_ACCEPT)
    {
      remember_folder (files);
      answer = gtk_file_chooser_get_files (files);
    }
  give_up (self);
  if (all_chosen != NULL && answer != NULL)
    all_chosen (self, answer);
  for (guint i = 0; chosen != NULL && answer != NULL && i < g_list_model_get_n_items (answer); i++)
    {
      g_autoptr (GFile) file = g_list_model_get_item (answer, i);

      chosen (self, file);
    }
  if (chosen != NULL && answer == NULL)
    chosen (self, NULL);
  g_object_unref (self);
}

static void
add_filter (GtkFileChooser *chooser, const CuredChooserFilter *about)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, about->title);
  if (about->suffixes[0] == NULL)
    gtk_file_filter_add_pattern (filter, "*");
  for (gsize i = 0; i < G_N_ELEMENTS (about->suffixes) && about->suffixes[i] != NULL; i++)
    gtk_file_filter_add_suffix (filter, about->suffixes[i]);
  gtk_file_chooser_add_filter (chooser, filter);
}

/* (transfer full): a chooser with these filters. One is kept for each of the few sets of filters,
 * since GTK 4.8 frees filters twice on removal. */
static GtkFileChooserNative *
take_native (const CuredChooser *chooser)
{
  g_autoptr (GString) filters = g_string_new (NULL);
  GtkFileChooserNative *native;

  for (gsize i = 0; i < chooser->n_filters; i++)
    g_string_append_printf (filters, "%s\n", chooser->filters[i].title);
  for (GList *l = idle.head; l != NULL; l = l->next)
    if (g_strcmp0 (g_object_get_data (l->data, KEY), filters->str) == 0)
      {
        native = l->data;
        g_queue_delete_link (&idle, l);
        return native;
      }
  native =
      gtk_file_chooser_native_new (NULL, NULL, GTK_FILE_CHOOSER_ACTION_OPEN, NULL, _ ("_Cancel"));
  for (gsize i = 0; i < chooser->n_filters; i++)
    add_filter (GTK_FILE_CHOOSER (native), &chooser->filters[i]);
  g_object_set_data_full (G_OBJECT (native), KEY, g_strdup (filters->str), g_free);
  g_signal_connect (native, "notify::visible", G_CALLBACK (visible_changed_cb), NULL);
  return native;
}

/* Shows a modal chooser over @self's window. An earlier question of @self is withdrawn. @chosen:
 * (nullable): called with @self and the answer, but never after @self was destroyed. */
void
cured_chooser_ask (gpointer self, const CuredChooser *chooser, CuredChosenFunc chosen)
{
  g_autoptr (GFile) folder = NULL;

  g_return_if_fail (chooser != NULL && (chosen == NULL) == (chooser->all_chosen != NULL));

  give_up (self);
  GtkRoot *root = gtk_widget_get_root (self);
  GtkFileChooserNative *native = take_native (chooser);
  GtkFileChooser *files = GTK_FILE_CHOOSER (native);
  gtk_native_dialog_set_title (GTK_NATIVE_DIALOG (native), chooser->title);
  gtk_native_dialog_set_transient_for (GTK_NATIVE_DIALOG (native), GTK_WINDOW (root));
  gtk_file_chooser_set_action (files, chooser->action);
  gtk_file_chooser_native_set_accept_label (native, chooser->accept);
  gtk_file_chooser_set_select_multiple (files, chooser->is_multiple);
  g_autofree char *last = cured_settings_get_string ("folder");
  if (chooser->folder != NULL)
    folder = g_object_ref (chooser->folder);
  else if (last != NULL && g_file_test (last, G_FILE_TEST_IS_DIR))
    folder = g_file_new_for_path (last);
  else if (chooser->beside != NULL)
    folder = g_file_get_parent (chooser->beside);
  if (folder != NULL)
    gtk_file_chooser_set_current_folder (files, folder, NULL);
  if (chooser->name != NULL)
    gtk_file_chooser_set_current_name (files, chooser->name);

  Question *question = g_new0 (Question, 1);
  question->native = native;
  question->chosen = chosen;
  question->all_chosen = chooser->all_chosen;
  g_object_set_data (self, KEY, question);
  question->destroy_id = g_signal_connect (self, "destroy", G_CALLBACK (give_up), NULL);
  g_signal_connect_swapped (native, "response", G_CALLBACK (response_cb), self);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (native), TRUE);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (native));
}
