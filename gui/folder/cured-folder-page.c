/* SPDX-License-Identifier: MIT
 * The sorted, searchable list of result files in a folder, with small maps. */
#include <config.h>

#include "folder/cured-gui-folder.h"

#include <math.h>

/* Maximum files in the list. */
#define MAX_FILES 1000

/* Maximum files read concurrently, and tabs opened at once. */
#define N_READERS  2
#define MAX_OPENED 10

/* Delay of sorting while files are being read. */
#define SORT_MS 400

typedef enum
{
  ORDER_NAME,
  ORDER_DATE,
  ORDER_KERNEL,
  ORDER_DEVICE,
  ORDER_TIME,
  N_ORDERS
} Order;

/* ORDER: as the enumeration. */
static const char *const order_titles[N_ORDERS] = {
  N_ ("Name"), N_ ("Date"), N_ ("Kernel"), N_ ("Device"), N_ ("Best time"),
};

struct _CuredFolderPage
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkEditable *search;
  GtkDropDown *order;
  GtkToggleButton *reverse;
  GtkStack *stack;
  GtkListView *list;
  AdwStatusPage *none;
  GtkLabel *told;

  /* Owned */
  GFile *folder;     /* nullable: none was opened yet */
  GListStore *files; /* (element-type CuredSummary) */
  GtkCustomFilter *filter;
  GtkCustomSorter *sorter;
  GtkMultiSelection *selection;
  char **words; /* of the search */
  CuredTask *listing, *reading[N_READERS];
  GPtrArray *unread; /* (element-type CuredSummary): the next one last */

  guint n_all; /* in the folder */
  guint sort_id;
};

G_DEFINE_FINAL_TYPE (CuredFolderPage, cured_folder_page, ADW_TYPE_BIN)

/* ---- Order and search ---- */

static int
compare_texts (const char *a, const char *b)
{
  return g_utf8_collate (a != NULL ? a : "", b != NULL ? b : "");
}

static int
compare_facts (const CuredFacts *a, const CuredFacts *b, Order order)
{
  switch (order)
    {
    case ORDER_DATE:
      if (a->created == NULL || b->created == NULL)
        return (a->created == NULL) - (b->created == NULL);
      /* The newest first. */
      return g_date_time_compare (b->created, a->created);
    case ORDER_KERNEL: return compare_texts (a->kernel_id, b->kernel_id);
    case ORDER_DEVICE: return compare_texts (a->device, b->device);
    case ORDER_TIME:
      if (isnan (a->best_ns) || isnan (b->best_ns))
        return isnan (a->best_ns) - isnan (b->best_ns);
      return (a->best_ns > b->best_ns) - (a->best_ns < b->best_ns);
    case ORDER_NAME:
    case N_ORDERS:
    default: return 0;
    }
}

static gboolean
is_readable (CuredSummary *summary)
{
  const CuredFacts *facts = cured_summary_get_facts (summary);

  return facts != NULL && facts->error == NULL;
}

/* Files that are unreadable or not read yet come last; ties are sorted by name. */
static int
compare_cb (gconstpointer first, gconstpointer second, gpointer user_data)
{
  CuredFolderPage *self = user_data;
  CuredSummary *a = CURED_SUMMARY ((gpointer) first);
  CuredSummary *b = CURED_SUMMARY ((gpointer) second);
  gsize order = ORDER_NAME;
  int found = 0;

  cured_choice_get_selected (self->order, &order);
  if (order != ORDER_NAME)
    {
      if (!is_readable (a) || !is_readable (b))
        found = is_readable (b) - is_readable (a);
      else
        found = compare_facts (cured_summary_get_facts (a), cured_summary_get_facts (b), order);
    }
  if (found == 0)
    found = compare_texts (cured_summary_get_name (a), cured_summary_get_name (b));
  return gtk_toggle_button_get_active (self->reverse) ? -found : found;
}

static gboolean
matches_cb (gpointer item, gpointer user_data)
{
  CuredFolderPage *self = user_data;

  return self->words == NULL || cured_summary_matches (item, self->words);
}

static void
order_cb (CuredFolderPage *self)
{
  gtk_sorter_changed (GTK_SORTER (self->sorter), GTK_SORTER_CHANGE_DIFFERENT);
}

/* ---- Status ---- */

static void
update_actions (CuredFolderPage *self)
{
  g_autoptr (GtkBitset) chosen =
      gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));
  guint64 n = gtk_bitset_get_size (chosen);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "folder.open", n > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "folder.compare", n == 2);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "folder.history",
                                 g_list_model_get_n_items (G_LIST_MODEL (self->selection)) > 1);
}

static guint
count_unread (CuredFolderPage *self)
{
  guint n_unread = self->unread->len;

  for (gsize i = 0; i < N_READERS; i++)
    n_unread += self->reading[i] != NULL;
  return n_unread;
}

static void
update_told (CuredFolderPage *self)
{
  guint n_unread = count_unread (self);
  guint n_files = g_list_model_get_n_items (G_LIST_MODEL (self->files));
  guint n_shown = g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  guint n_broken = 0;
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n_files; i++)
    {
      g_autoptr (CuredSummary) file = g_list_model_get_item (G_LIST_MODEL (self->files), i);

      n_broken += cured_summary_get_facts (file) != NULL && !is_readable (file);
    }
  if (n_shown < self->n_all)
    g_string_append_printf (text,
                            ngettext ("%u of %u result file", "%u of %u result files", self->n_all),
                            n_shown, self->n_all);
  else
    g_string_append_printf (text, ngettext ("%u result file", "%u result files", n_shown), n_shown);
  if (n_unread > 0)
    g_string_append_printf (text,
                            /* Translators: after how many files there are. */
                            ngettext (" · loading %u more", " · loading %u more", n_unread),
                            n_unread);
  if (n_broken > 0)
    g_string_append_printf (text,
                            /* Translators: after how many files there are. */
                            ngettext (" · %u can't be read", " · %u can't be read", n_broken),
                            n_broken);
  gtk_label_set_label (self->told, text->str);
  gtk_stack_set_visible_child_name (self->stack, n_shown > 0 ? "list" : "none");
  adw_status_page_set_title (self->none,
                             n_files > 0 ? _ ("No Matching Files") : _ ("No Result Files Here"));
}

static void
search_cb (CuredFolderPage *self)
{
  g_autofree char *text = g_utf8_casefold (gtk_editable_get_text (self->search), -1);

  g_strfreev (self->words);
  self->words = g_strsplit_set (text, " ", -1);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
  update_told (self);
}

/* ---- Reading ---- */

static void read_next (CuredFolderPage *self);

static void
sort_cb (CuredFolderPage *self)
{
  order_cb (self);
  if (self->words != NULL && self->words[0] != NULL && *self->words[0] != '\0')
    gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
  update_told (self);
}

static void
read_cb (gpointer owner)
{
  CuredFolderPage *self = owner;

  if (self->sort_id == 0)
    CURED_LATER (sort_id, SORT_MS, sort_cb);
  read_next (self);
}

static void
read_next (CuredFolderPage *self)
{
  for (gsize i = 0; i < N_READERS && self->unread->len > 0; i++)
    if (self->reading[i] == NULL)
      {
        g_autoptr (CuredSummary) file =
            g_ptr_array_steal_index (self->unread, self->unread->len - 1);

        cured_summary_read (file, &self->reading[i], self, read_cb);
      }
}

static void
stop_reading (CuredFolderPage *self)
{
  cured_task_cancel (&self->listing);
  for (gsize i = 0; i < N_READERS; i++)
    cured_task_cancel (&self->reading[i]);
  g_clear_handle_id (&self->sort_id, g_source_remove);
  g_ptr_array_set_size (self->unread, 0);
}

/* Whether the list has exactly these files. */
static gboolean
has_files (CuredFolderPage *self, GPtrArray *files)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (self->files)) != files->len)
    return FALSE;
  for (guint i = 0; i < files->len; i++)
    {
      g_autoptr (CuredSummary) file = g_list_model_get_item (G_LIST_MODEL (self->files), i);

      if (file != files->pdata[i])
        return FALSE;
    }
  return TRUE;
}

static void
listed_cb (CuredFolderPage *self, CuredTask *task)
{
  const GPtrArray *paths = task->output;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  if (paths == NULL)
    {
      update_told (self);
      adw_status_page_set_title (self->none, task->error->message);
      return;
    }
  for (guint i = 0; i < MIN (paths->len, MAX_FILES); i++)
    g_ptr_array_add (files, cured_summary_get (paths->pdata[i]));
  gboolean is_first = self->n_all == 0;
  self->n_all = paths->len;
  /* Keep the selection if the files are the same. */
  if (!has_files (self, files))
    g_list_store_splice (self->files, 0, g_list_model_get_n_items (G_LIST_MODEL (self->files)),
                         files->pdata, files->len);
  for (guint i = files->len; i > 0; i--)
    g_ptr_array_add (self->unread, g_object_ref (files->pdata[i - 1]));
  read_next (self);
  update_told (self);
  if (is_first && gtk_widget_get_mapped (GTK_WIDGET (self)) && cured_widget_may_focus (self, NULL))
    gtk_widget_grab_focus (GTK_WIDGET (self->list));
}

static void
list_work (CuredTask *task)
{
  task->output = cured_recordings_list (task->input, &task->error);
}

static const CuredTaskKind list_task =
    CURED_TASK_KIND (list_work, listed_cb, g_free, g_ptr_array_unref);

/* ---- Rows ---- */

static void
show_row (GtkWidget *row, gpointer item, gpointer data)
{
  CuredSummary *file = item;
  const CuredFacts *facts = cured_summary_get_facts (file);
  g_autofree char *line = cured_summary_describe (file);
  gboolean has_best = is_readable (file) && facts->best != NULL;
  gboolean is_broken = facts != NULL && facts->error != NULL;

  cured_list_rows_set_text (row, "name", cured_summary_get_name (file));
  cured_list_rows_set_text (row, "title", is_readable (file) ? facts->title : NULL);
  cured_list_rows_set_text (row, "detail", line);
  cured_widget_set_class (cured_list_rows_get (row, "detail"), "dim-label", !is_broken);
  cured_widget_set_class (cured_list_rows_get (row, "detail"), "error", is_broken);
  gtk_picture_set_paintable (cured_list_rows_get (row, "picture"),
                             facts != NULL ? GDK_PAINTABLE (facts->picture) : NULL);
  cured_list_rows_set_text (row, "best", has_best ? facts->best : NULL);
  cured_list_rows_set_text (row, "origin", has_best ? cured_text_origin (facts->origin) : NULL);
}

static const CuredListRows rows = { .ui = "cured-folder-row", .show = show_row, .signal = "read" };

/* ---- Choosing ---- */

static GFile *
get_file (CuredFolderPage *self, guint position)
{
  g_autoptr (CuredSummary) file = g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  return g_file_new_for_path (cured_summary_get_path (file));
}

static void
activate_cb (CuredFolderPage *self, guint position)
{
  g_autoptr (GFile) file = get_file (self, position);

  g_signal_emit_by_name (self, "open-file", file);
}

static void
open_cb (CuredFolderPage *self, const char *action, GVariant *parameter)
{
  g_autoptr (GtkBitset) chosen =
      gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));
  guint64 n = MIN (gtk_bitset_get_size (chosen), MAX_OPENED);

  for (guint64 i = 0; i < n; i++)
    activate_cb (self, gtk_bitset_get_nth (chosen, (guint) i));
}

static void
compare_files_cb (CuredFolderPage *self, const char *action, GVariant *parameter)
{
  g_autoptr (GtkBitset) chosen =
      gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));

  if (gtk_bitset_get_size (chosen) != 2)
    return;
  g_autoptr (GFile) first = get_file (self, gtk_bitset_get_nth (chosen, 0));
  g_autoptr (GFile) second = get_file (self, gtk_bitset_get_nth (chosen, 1));
  g_signal_emit_by_name (self, "compare", first, second);
}

static void
history_file_cb (CuredFolderPage *self, GFile *file)
{
  g_signal_emit_by_name (self, "open-file", file);
}

/* Shows the history of the selected files, or of all shown ones if fewer than two are selected. */
static void
history_cb (CuredFolderPage *self, const char *action, GVariant *parameter)
{
  GListModel *model = G_LIST_MODEL (self->selection);
  g_autoptr (GtkBitset) chosen =
      gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));
  gboolean has_chosen = gtk_bitset_get_size (chosen) > 1;
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (CuredSummary) file = g_list_model_get_item (model, i);

      if (!has_chosen || gtk_bitset_contains (chosen, i))
        g_strv_builder_add (paths, cured_summary_get_path (file));
    }
  g_auto (GStrv) all = g_strv_builder_end (paths);
  CuredHistoryWindow *window = cured_history_window_new (
      GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), (const char *const *) all, NULL, -1);
  CURED_CONNECT (window, "open-file", history_file_cb);
  gtk_window_present (GTK_WINDOW (window));
}

/* ---- The page ---- */

static void
list (CuredFolderPage *self)
{
  stop_reading (self);
  cured_task_start (&self->listing, self, &list_task, g_file_get_path (self->folder));
}

/* A sweep may have written a file while another tab was shown. */
static void
cured_folder_page_map (GtkWidget *widget)
{
  CuredFolderPage *self = CURED_FOLDER_PAGE (widget);

  GTK_WIDGET_CLASS (cured_folder_page_parent_class)->map (widget);
  if (self->folder != NULL && count_unread (self) == 0)
    list (self);
}

static void
cured_folder_page_dispose (GObject *object)
{
  stop_reading (CURED_FOLDER_PAGE (object));
  cured_template_dispose (object);
}

static void
cured_folder_page_class_init (CuredFolderPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->map = cured_folder_page_map;
  cured_class_add_signal (klass, "open-file", 1, G_TYPE_FILE);
  cured_class_add_signal (klass, "compare", 2, G_TYPE_FILE, G_TYPE_FILE);
  cured_template_set (klass, "cured-folder-page");
  CURED_CALLBACKS (order_cb, search_cb, activate_cb);
  CURED_BIND (CuredFolderPage, search, order, reverse, stack, list, none, told);
  CURED_OWNS (CuredFolderPage, folder, selection, filter, sorter, files);
  CURED_TIMERS (CuredFolderPage, sort_id);
  CURED_FREES (CuredFolderPage, g_ptr_array_unref, unread);
  CURED_FREES (CuredFolderPage, g_strfreev, words);
  G_OBJECT_CLASS (klass)->dispose = cured_folder_page_dispose;
  CURED_ACTION ("folder.open", NULL, open_cb);
  CURED_ACTION ("folder.compare", NULL, compare_files_cb);
  CURED_ACTION ("folder.history", NULL, history_cb);
}

static void
init_model (CuredFolderPage *self)
{
  self->files = g_list_store_new (CURED_TYPE_SUMMARY);
  self->filter = gtk_custom_filter_new (matches_cb, self, NULL);
  self->sorter = gtk_custom_sorter_new (compare_cb, self, NULL);
  GListModel *model = G_LIST_MODEL (gtk_filter_list_model_new (
      G_LIST_MODEL (g_object_ref (self->files)), GTK_FILTER (g_object_ref (self->filter))));
  model = G_LIST_MODEL (gtk_sort_list_model_new (model, GTK_SORTER (g_object_ref (self->sorter))));
  self->selection = gtk_multi_selection_new (model);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
  CURED_CONNECT (self->selection, "selection-changed", update_actions);
  CURED_CONNECT (self->selection, "items-changed", update_actions);
}

static void
init_order (CuredFolderPage *self)
{
  g_autoptr (GListStore) choices = g_list_store_new (CURED_TYPE_CHOICE);

  for (gsize i = 0; i < N_ORDERS; i++)
    cured_choice_add (choices, i, _ (order_titles[i]), NULL, NULL);
  cured_choice_fill (self->order, choices, ORDER_NAME);
}

static void
cured_folder_page_init (CuredFolderPage *self)
{
  self->unread = g_ptr_array_new_with_free_func (g_object_unref);
  gtk_widget_init_template (GTK_WIDGET (self));
  init_model (self);
  init_order (self);
  g_autoptr (GtkListItemFactory) factory = cured_list_rows_new (&rows, NULL);
  gtk_list_view_set_factory (self->list, factory);
  update_actions (self);
}

/* Lists the first thousand result files of @folder. Returns at once; facts and pictures appear as
 * threads read the files. */
void
cured_folder_page_open (CuredFolderPage *self, GFile *folder)
{
  if (self->folder != NULL && !g_file_equal (self->folder, folder))
    {
      g_list_store_remove_all (self->files);
      gtk_label_set_label (self->told, "");
    }
  g_set_object (&self->folder, folder);
  self->n_all = 0;
  list (self);
}
