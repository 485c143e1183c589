/* SPDX-License-Identifier: MIT
 * A line chart over several files, of their best cells or of one cell. */
#include <config.h>

#include "folder/cured-gui-folder.h"

struct _CuredHistoryWindow
{
  AdwWindow parent_instance;

  /* Template widgets */
  GtkDropDown *series;
  GtkStack *stack;
  CuredPicture *chart;
  AdwStatusPage *empty;
  GtkLabel *read_out;

  /* Owned */
  CuredTask *reading;
  GPtrArray *results; /* nullable: not read yet; of CuredResult, by date */
  GPtrArray *history; /* nullable; of CuredHistorySeries */
  char *metric;       /* nullable: its id */
};

G_DEFINE_FINAL_TYPE (CuredHistoryWindow, cured_history_window, ADW_TYPE_WINDOW)

/* ---- In a thread ---- */

/* What to read. */
typedef struct
{
  GStrv paths;
  CuredResult *like; /* nullable: with the cell to follow */
  gint64 cell;
} Order;

CURED_FREE_FUNC (Order, order_free, paths, g_strfreev, like, g_object_unref)

typedef struct
{
  GPtrArray *results, *history;
  char *metric;
} Found;

CURED_FREE_FUNC (Found, found_free, history, g_ptr_array_unref, results, g_ptr_array_unref, metric,
                 g_free)

static int
compare_dates (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (cured_result_get_created (*(CuredResult *const *) a),
                              cured_result_get_created (*(CuredResult *const *) b));
}

/* The time, or else the default metric of the newest file. */
static char *
choose_metric (CuredResult *newest)
{
  g_auto (CuredView) view = { 0 };
  gsize time;

  if (cured_result_find_metric (newest, "time", &time) && cured_result_has_values (newest, time))
    return g_strdup ("time");
  cured_view_init (&view, newest);
  return g_strdup (cured_result_get_metrics (newest, NULL)[view.metric].id);
}

/* A file that can't be read, or lacks the metric, has no point. */
static void
read_work (CuredTask *task)
{
  const Order *order = task->input;
  GStrv paths = order->paths;
  Found *found = g_new0 (Found, 1);

  task->output = found;
  found->results = g_ptr_array_new_with_free_func (g_object_unref);
  for (gsize i = 0; paths[i] != NULL && !g_cancellable_is_cancelled (task->cancellable); i++)
    {
      CuredResult *result = cured_result_load (paths[i], task->cancellable, NULL);

      if (result != NULL)
        g_ptr_array_add (found->results, result);
    }
  if (found->results->len == 0)
    return;
  g_ptr_array_sort (found->results, compare_dates);
  found->metric = choose_metric (found->results->pdata[found->results->len - 1]);
  for (guint i = 0; i < found->results->len;)
    {
      gsize metric;

      if (cured_result_find_metric (found->results->pdata[i], found->metric, &metric))
        i++;
      else
        g_ptr_array_remove_index (found->results, i);
    }
  found->history =
      cured_history_new ((CuredResult *const *) found->results->pdata, found->results->len,
                         found->metric, order->like, order->cell, &task->error);
}

/* ---- In the window ---- */

static void
update_read_out (CuredHistoryWindow *self)
{
  g_autofree char *text = cured_picture_get_read_out (self->chart);

  cured_widget_say (self->read_out, text);
}

static const CuredHistorySeries *
get_series (CuredHistoryWindow *self)
{
  gsize index = 0;

  cured_choice_get_selected (self->series, &index);
  return self->history->pdata[index];
}

static void
show_series (CuredHistoryWindow *self)
{
  CuredChart *chart = cured_history_plot_new ((CuredResult *const *) self->results->pdata,
                                              get_series (self), self->metric);

  cured_picture_set_chart (self->chart, chart, (gssize) chart->n_items - 1);
  update_read_out (self);
}

static void
activated_cb (CuredHistoryWindow *self)
{
  gssize item = cured_picture_get_item (self->chart);

  if (item < 0 || self->history == NULL)
    return;
  guint file = g_array_index (get_series (self)->entries, CuredHistoryEntry, (guint) item).file;
  g_autoptr (GFile) opened =
      g_file_new_for_path (cured_result_get_path (self->results->pdata[file]));
  g_signal_emit_by_name (self, "open-file", opened);
  gtk_window_close (GTK_WINDOW (self));
}

static void
fill_series (CuredHistoryWindow *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize longest = 0;

  for (guint i = 0; i < self->history->len; i++)
    {
      const CuredHistorySeries *series = self->history->pdata[i];
      const CuredHistorySeries *best = self->history->pdata[longest];

      cured_choice_add (store, i, series->title, NULL, NULL);
      if (series->entries->len > best->entries->len)
        longest = i;
    }
  cured_choice_fill (self->series, store, longest);
  gtk_widget_set_visible (GTK_WIDGET (self->series), TRUE);
}

static void
read_cb (CuredHistoryWindow *self, CuredTask *task)
{
  Found *found = task->output;

  if (found == NULL || found->history == NULL || found->history->len == 0)
    {
      adw_status_page_set_description (self->empty, task->error != NULL
                                                        ? task->error->message
                                                        : _ ("None of the files can be read."));
      gtk_stack_set_visible_child_name (self->stack, "empty");
      return;
    }
  self->results = g_steal_pointer (&found->results);
  self->history = g_steal_pointer (&found->history);
  self->metric = g_steal_pointer (&found->metric);
  fill_series (self);
  show_series (self);
  gtk_stack_set_visible_child_name (self->stack, "chart");
  gtk_widget_grab_focus (GTK_WIDGET (self->chart));
}

static const CuredTaskKind read_task = CURED_TASK_KIND (read_work, read_cb, order_free, found_free);

static void
cured_history_window_dispose (GObject *object)
{
  CuredHistoryWindow *self = CURED_HISTORY_WINDOW (object);

  cured_task_cancel (&self->reading);
  adw_window_set_content (ADW_WINDOW (object), NULL);
  cured_template_dispose (object);
}

static void
cured_history_window_class_init (CuredHistoryWindowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = cured_history_window_dispose;
  CURED_NEEDS (PICTURE);
  cured_class_add_signal (klass, "open-file", 1, G_TYPE_FILE);
  cured_template_set (klass, "cured-history-window");
  CURED_BIND (CuredHistoryWindow, series, stack, chart, empty, read_out);
  CURED_CALLBACKS (update_read_out, activated_cb);
  CURED_FREES (CuredHistoryWindow, g_ptr_array_unref, history, results);
  CURED_FREES (CuredHistoryWindow, g_free, metric);
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close",
                                       NULL);
}

static void
cured_history_window_init (CuredHistoryWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  cured_choice_connect (self->series, G_CALLBACK (show_series), self);
}

/* Creates a window of these files' best cells, or of the cells with the same values as a given one;
 * a thread reads the files. @like: (nullable): the result with the given cell; @cell: its index.
 * Returns: (transfer none): the window, owned by GTK, not yet presented. */
CuredHistoryWindow *
cured_history_window_new (GtkWindow *parent, const char *const *paths, CuredResult *like,
                          gint64 cell)
{
  Order *order = g_new0 (Order, 1);
  CuredHistoryWindow *self =
      g_object_new (CURED_TYPE_HISTORY_WINDOW, "transient-for", parent, "modal", TRUE, NULL);

  order->paths = g_strdupv ((char **) paths);
  g_set_object (&order->like, like);
  order->cell = cell;
  cured_task_start (&self->reading, self, &read_task, order);
  return self;
}
