/* SPDX-License-Identifier: MIT
 * The result files of a folder, in a list. */
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "app/cured-window-private.h"
#include "gui-test.h"
#include "make-result.h"

/* Of the test's own folder: three good files, one that is cut, one of a stranger, and a pipe, which
 * would never end. */
static char *
fill_folder (void)
{
  char *folder = in_folder ("list");
  g_autofree char *cut = g_build_filename (folder, "cut.cured", NULL);
  g_autofree char *pipe_path = g_build_filename (folder, "pipe.cured", NULL);
  g_autofree char *foreign = g_build_filename (folder, "foreign.cured", NULL);
  g_autofree char *other = g_build_filename (folder, "notes.txt", NULL);
  g_autofree char *contents = NULL;
  gsize length;

  if (g_mkdir (folder, 0755) != 0)
    return folder;
  for (int i = 0; i < 3; i++)
    {
      static const char *const names[] = { "a.cured", "b.cured", "c.cured" };
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      make_result (path, &(MakeResult){ .n_tiles = 2 + 2 * (guint) i, .factor = 3.0 - i });
      if (i == 0)
        g_file_get_contents (path, &contents, &length, NULL);
    }
  g_file_set_contents (cut, contents, (gssize) length / 2, NULL);
  g_file_set_contents (foreign, "<b>not</b> a result\n", -1, NULL);
  g_file_set_contents (other, "nothing\n", -1, NULL);
  assert_soon_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  return folder;
}

static GListModel *
get_model (CuredWindow *window)
{
  return G_LIST_MODEL (gtk_list_view_get_model (
      GTK_LIST_VIEW (get (GTK_WIDGET (window->tab->folder_page), "list"))));
}

static const char *
nth_name (CuredWindow *window, guint i)
{
  g_autoptr (CuredSummary) file = g_list_model_get_item (get_model (window), i);

  return file != NULL ? cured_summary_get_name (file) : NULL;
}

static const CuredFacts *
nth_facts (CuredWindow *window, guint i)
{
  g_autoptr (CuredSummary) file = g_list_model_get_item (get_model (window), i);

  return file != NULL ? cured_summary_get_facts (file) : NULL;
}

static CuredWindow *
open_folder (void)
{
  g_autofree char *folder = fill_folder ();
  CuredWindow *window = open_path (folder);

  assert_soon_cmpstr (get_shown (window), ==, "folder");
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), ==, 6);
  for (guint i = 0; i < 6; i++)
    assert_soon_nonnull (nth_facts (window, i));
  settle ();
  return window;
}

/* Each file is reported, whatever it is; the others in the folder are not. */
TEST ("/folder/list")
{
  CuredWindow *window = open_folder ();

  assert_soon_cmpstr (adw_tab_page_get_title (adw_tab_view_get_nth_page (window->tabs, 0)), ==,
                      "list");
  for (guint i = 0; i < 6; i++)
    {
      const char *name = nth_name (window, i);
      const CuredFacts *facts = nth_facts (window, i);
      gboolean is_good = strlen (name) == 1;

      assert_soon ((facts->error == NULL) == is_good);
      assert_soon ((facts->picture != NULL) == is_good);
      assert_soon ((facts->best != NULL) == is_good);
    }
  const char *told =
      gtk_label_get_label (GTK_LABEL (get (GTK_WIDGET (window->tab->folder_page), "told")));
  assert_soon (
      strstr (gtk_label_get_label (GTK_LABEL (get (GTK_WIDGET (window->tab->folder_page), "told"))),
              "3 can't be read") != NULL);
  g_test_message ("%s", told);
  shoot ("folder");
}

static void
set_order (CuredWindow *window, guint order)
{
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (GTK_WIDGET (window->tab->folder_page), "order")),
                              order);
}

TEST ("/folder/order")
{
  CuredWindow *window = open_folder ();
  GtkWidget *page = GTK_WIDGET (window->tab->folder_page);

  assert_soon_cmpstr (nth_name (window, 0), ==, "a");
  assert_soon_cmpstr (nth_name (window, 5), ==, "pipe");
  /* Sorted by the best time, files without one come last. */
  set_order (window, 4);
  for (guint i = 0; i < 2; i++)
    assert_soon_cmpfloat (nth_facts (window, i)->best_ns, <=, nth_facts (window, i + 1)->best_ns);
  assert_soon_nonnull (nth_facts (window, 5)->error);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (page, "reverse")), TRUE);
  assert_soon_cmpfloat (nth_facts (window, 5)->best_ns, <=, nth_facts (window, 4)->best_ns);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (page, "reverse")), FALSE);

  /* Every word of a search is somewhere in what a row says. */
  gtk_editable_set_text (GTK_EDITABLE (get (page, "search")), "SYNTHETIC b");
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), >=, 1);
  gtk_editable_set_text (GTK_EDITABLE (get (page, "search")), "foreign");
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), ==, 1);
  assert_soon_cmpstr (nth_name (window, 0), ==, "foreign");
  gtk_editable_set_text (GTK_EDITABLE (get (page, "search")), "nothing at all");
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), ==, 0);
  assert_soon (gtk_widget_get_mapped (get (page, "none")));
  shoot ("folder-none");
  gtk_editable_set_text (GTK_EDITABLE (get (page, "search")), "");
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), ==, 6);
}

/* With the keyboard: Enter opens a file beside the list, two that are selected are compared. */
TEST ("/folder/choose")
{
  CuredWindow *window = open_folder ();
  GtkWidget *page = GTK_WIDGET (window->tab->folder_page);
  CuredTab *list = window->tab;

  gtk_widget_grab_focus (get (page, "list"));
  press ("Home Return");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
  assert_soon_cmpstr (get_shown (window), ==, "result");
  press ("ctrl+shift+Tab");
  assert_soon (window->tab == list);

  /* A broken one says so in its tab, and no more. */
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (get_model (window)), 4, TRUE);
  gtk_widget_activate_action (page, "folder.open", NULL);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 3);
  assert_soon (g_str_equal (get_shown (window), "error"));
  press ("ctrl+w");

  adw_tab_view_set_selected_page (window->tabs, adw_tab_view_get_nth_page (window->tabs, 0));
  gtk_widget_grab_focus (get (page, "list"));
  press ("Home space shift+Down");
  gtk_widget_activate_action (page, "folder.compare", NULL);
  assert_soon_cmpstr (get_shown (window), ==, "result");
  assert_soon (window->tab != list);
  wait_for_view (window, "compare");
  assert_soon (cured_compare_page_get_comparison (window->tab->compare_page) != NULL);
  assert_soon_cmpstr (adw_view_stack_get_visible_child_name (window->tab->views), ==, "compare");
  shoot ("folder-compare");
}

/* A file that was written meanwhile is there when the list is seen again; what is selected stays
 * where nothing came or went. */
TEST ("/folder/again")
{
  CuredWindow *window = open_folder ();
  g_autofree char *folder = in_folder ("list");
  g_autofree char *path = g_build_filename (folder, "new.cured", NULL);

  gtk_selection_model_select_item (GTK_SELECTION_MODEL (get_model (window)), 1, TRUE);
  press ("ctrl+t ctrl+shift+Tab");
  assert_soon_cmpstr (get_shown (window), ==, "folder");
  settle ();
  assert_soon (gtk_selection_model_is_selected (GTK_SELECTION_MODEL (get_model (window)), 1));
  press ("ctrl+Tab");
  make_result (path, &(MakeResult){ 0 });
  press ("ctrl+shift+Tab");
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), ==, 7);
  g_unlink (path);
  press ("ctrl+Tab ctrl+shift+Tab");
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), ==, 6);
}

/* The recordings are a click away. */
TEST ("/folder/recordings")
{
  CuredWindow *window = cured_window_new (application);
  g_autofree char *folder = cured_recordings_find_folder ();
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);

  gtk_window_present (GTK_WINDOW (window));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.open-recordings", NULL);
  assert_soon_cmpstr (get_shown (window), ==, "folder");
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), ==, paths->len);
  for (guint i = 0; i < paths->len; i++)
    {
      assert_soon_nonnull (nth_facts (window, i));
      assert_soon_null (nth_facts (window, i)->error);
      /* Three significant digits each, so that a column of them can be read. */
      if (nth_facts (window, i)->best != NULL)
        assert_soon (g_regex_match_simple ("^(\\d\\.\\d\\d|\\d\\d\\.\\d|\\d{3,}) ",
                                           nth_facts (window, i)->best, 0, 0));
    }
  shoot ("folder-recordings");
}

/* What another folder had is gone at once. */
TEST ("/folder/other")
{
  CuredWindow *window = open_folder ();
  g_autofree char *path = in_folder ("other");
  g_autoptr (GFile) other = g_file_new_for_path (path);

  assert_soon_cmpint (g_mkdir_with_parents (path, 0755), ==, 0);
  cured_folder_page_open (window->tab->folder_page, other);
  assert_soon_cmpuint (g_list_model_get_n_items (get_model (window)), ==, 0);
}

/* The best cells of the files of a folder, by date; Enter opens the file of a point. */
TEST ("/folder/history")
{
  CuredWindow *window = open_folder ();

  /* In whatever order the list has them. */
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (get (GTK_WIDGET (window->tab->folder_page), "reverse")), TRUE);
  gtk_widget_activate_action (GTK_WIDGET (window->tab->folder_page), "folder.history", NULL);
  GtkWindow *history = wait_for_dialog (CURED_TYPE_HISTORY_WINDOW);
  assert_soon (cured_picture_get_chart (CURED_PICTURE (get (history, "chart"))) != NULL);
  CuredPicture *chart = CURED_PICTURE (get (GTK_WIDGET (history), "chart"));
  assert_soon_cmpuint (cured_picture_get_chart (chart)->n_items, ==, 3);
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 2);
  assert_soon_nonnull (
      strstr (gtk_label_get_label (GTK_LABEL (get (GTK_WIDGET (history), "read_out"))), "better"));
  settle ();
  shoot ("folder-history");
  press ("Left");
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 1);
  press ("Return");
  assert_soon (find_dialog (CURED_TYPE_HISTORY_WINDOW) == NULL);
  assert_soon_cmpstr (get_shown (window), ==, "result");
  close_window (window);
}

static gboolean
has_chosen (gpointer chooser)
{
  g_autoptr (GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (chooser));

  return g_list_model_get_n_items (files) == 1;
}

/* A cell of the map is followed through files that are chosen; the map's own is one of them. */
TEST ("/folder/follow")
{
  g_autofree char *folder = fill_folder ();
  g_autofree char *first = g_build_filename (folder, "a.cured", NULL);
  g_autofree char *second = g_build_filename (folder, "b.cured", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (second);
  CuredWindow *window = open_path (first);

  cured_map_view_set_cursor (get_view (window), 0, 1);
  gint64 cell = cured_map_view_get_cell (get_view (window));
  assert_soon_not (cured_map_view_is_best (get_view (window), cell));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.history", NULL);
  GtkWindow *chooser = wait_for_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG);
  gtk_file_chooser_set_file (GTK_FILE_CHOOSER (chooser), file, NULL);
  assert_soon (has_chosen (chooser));
  gtk_dialog_response (GTK_DIALOG (chooser), GTK_RESPONSE_ACCEPT);
  GtkWindow *history = wait_for_dialog (CURED_TYPE_HISTORY_WINDOW);
  assert_soon (cured_picture_get_chart (CURED_PICTURE (get (history, "chart"))) != NULL);
  const CuredChart *chart =
      cured_picture_get_chart (CURED_PICTURE (get (GTK_WIDGET (history), "chart")));
  assert_soon_cmpuint (chart->n_items, ==, 2);
  for (gssize i = 0; i < 2; i++)
    {
      g_autofree char *text = chart->klass->describe (chart, i, -1);

      assert_soon_nonnull (strstr (text, "132"));
    }
  settle ();
  shoot ("folder-follow");
  gtk_window_close (history);
  close_window (window);
}
