/* SPDX-License-Identifier: MIT
 * Several files in one window: how tabs come, go, and move to another window. */
#include <glib/gstdio.h>

#include <malloc.h>
#include <string.h>

#include "app/cured-window-private.h"
#include "gui-test.h"
#include "make-result.h"

/* Of an address or memory sanitizer, which has an allocator of its own; or NULL. */
extern size_t __sanitizer_get_current_allocated_bytes (void) __attribute__ ((weak));

static AdwTabPage *
nth_page (CuredWindow *window, int i)
{
  return adw_tab_view_get_nth_page (window->tabs, i);
}

static CuredTab *
nth_tab (CuredWindow *window, int i)
{
  return CURED_TAB (adw_tab_page_get_child (nth_page (window, i)));
}

static guint
count_windows (void)
{
  guint n = 0;

  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    n += CURED_IS_WINDOW (l->data);
  return n;
}

/* What `cured-gtk A B C` does. */
static CuredWindow *
open_three (void)
{
  static const char *const names[] = { "small.cured", "sizes.cured", "line.cured" };
  GFile *files[G_N_ELEMENTS (names)];

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = in_folder (names[i]);

      files[i] = g_file_new_for_path (path);
    }
  g_application_open (G_APPLICATION (application), files, G_N_ELEMENTS (files), "");
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_object_unref (files[i]);
  assert_soon (count_windows () == 1);
  CuredWindow *window = CURED_WINDOW (gtk_application_get_windows (application)->data);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 3);
  for (int i = 0; i < 3; i++)
    assert_soon (g_str_equal (cured_tab_get_view_name (nth_tab (window, i)), "result"));
  settle ();
  return window;
}

/* Each tab has a result of its own, and what is seen follows the keys. */
TEST ("/tabs/open")
{
  CuredWindow *window = open_three ();
  AdwWindowTitle *title = ADW_WINDOW_TITLE (get (window, "title"));
  g_autofree char *path = in_folder ("sizes.cured");

  assert_soon_cmpstr (adw_tab_page_get_title (nth_page (window, 0)), ==, "small");
  assert_soon_cmpstr (adw_tab_page_get_title (nth_page (window, 2)), ==, "line");
  assert_soon (window->tab == nth_tab (window, 0));
  for (int i = 0; i < 3; i++)
    {
      CuredResult *result = cured_document_get_result (nth_tab (window, i)->document);

      assert_soon (result != NULL);
      assert_soon (window->tab == nth_tab (window, i));
      assert_soon (strstr (adw_window_title_get_subtitle (title),
                           adw_tab_page_get_title (nth_page (window, i))));
      /* The map of a tab that is seen for the first time has the keys. */
      assert_soon (
          gtk_widget_has_focus (GTK_WIDGET (cured_result_page_get_map (window->tab->page))));
      shoot ("tabs");
      press ("ctrl+Tab");
    }
  assert_soon (window->tab == nth_tab (window, 0));
  press ("ctrl+shift+Tab");
  assert_soon (window->tab == nth_tab (window, 2));

  /* A file that is open is gone to, not opened again. */
  assert_soon (open_path (path) == window);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 3);
  assert_soon (window->tab == nth_tab (window, 1));
}

/* What is done to one tab leaves the others alone. */
TEST ("/tabs/state")
{
  CuredWindow *window = open_three ();
  CuredTab *first = nth_tab (window, 0);
  CuredTab *second = nth_tab (window, 1);
  gsize y_axis = cured_map_view_get_view (cured_document_get_map_view (second->document))->y_axis;

  press ("ctrl+Tab ctrl+shift+a alt+2");
  assert_soon_cmpstr (adw_view_stack_get_visible_child_name (second->views), ==, "banks");
  assert_soon_cmpuint (
      cured_map_view_get_view (cured_document_get_map_view (second->document))->x_axis, ==, y_axis);
  assert_soon_cmpstr (adw_view_stack_get_visible_child_name (first->views), ==, "map");
  assert_soon_cmpuint (
      cured_map_view_get_view (cured_document_get_map_view (first->document))->x_axis, ==, 0);

  /* A pane that is hidden in one is hidden in all. */
  press ("ctrl+shift+Tab F9");
  assert_soon_not (adw_flap_get_reveal_flap (cured_result_page_get_flap (first->page)));
  press ("ctrl+Tab alt+1");
  assert_soon_not (adw_flap_get_reveal_flap (cured_result_page_get_flap (second->page)));
  press ("F9");
  assert_soon (adw_flap_get_reveal_flap (cured_result_page_get_flap (second->page)));
}

/* In KiB: what is allocated and was not given back. What an allocator keeps of what was given back
 * is no part of it. */
static guint64
get_memory (void)
{
  struct mallinfo2 info = mallinfo2 ();

  if (__sanitizer_get_current_allocated_bytes != NULL)
    return __sanitizer_get_current_allocated_bytes () / 1024;
  return (info.uordblks + info.hblkhd) / 1024;
}

static void
gone_cb (gpointer n_alive, GObject *object)
{
  (*(guint *) n_alive)--;
}

static void
count_alive (guint *n_alive, gpointer object)
{
  (*n_alive)++;
  g_object_weak_ref (object, gone_cb, n_alive);
}

/* What a tab took is given back when it closes: its widgets and its document, and their memory. */
TEST ("/tabs/memory")
{
  enum
  {
    MOST_KIB = 8 * 1024 /* not two tabs */
  };
  const guint n_tabs = g_test_slow () ? 20 : 6;
  static guint n_alive;
  g_autofree char *path =
      g_build_filename (CURED_SOURCE_DATADIR, "results", "matmul-tiled-h200.cured", NULL);
  CuredWindow *window = open_path (path);
  guint64 before = 0;

  /* What the first ones take stays: fonts, icons, pictures of widgets. */
  for (int round = 0; round < 2; round++)
    {
      for (guint i = 0; i < n_tabs; i++)
        {
          g_autoptr (GFile) file = g_file_new_for_path (path);

          gtk_widget_activate_action (GTK_WIDGET (window), "win.new-tab", NULL);
          cured_tab_open (cured_window_get_tab (window), file);
          assert_soon (g_str_equal (get_shown (window), "result"));
          count_alive (&n_alive, cured_window_get_tab (window));
          count_alive (&n_alive, cured_window_get_tab (window)->document);
          count_alive (&n_alive, get_page (window));
        }
      settle ();
      guint64 now = get_memory ();
      /* The last one stays, and goes with the window. */
      assert_soon_cmpuint (n_alive, ==, 3 * n_tabs + 3 * (guint) round);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.close-other-tabs", NULL);
      assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 1);
      assert_soon_cmpuint (n_alive, ==, 3);
      settle ();
      g_test_message ("%" G_GUINT64_FORMAT " MiB with %u tabs more, %" G_GUINT64_FORMAT " without",
                      now / 1024, n_tabs, get_memory () / 1024);
      if (round == 0)
        before = get_memory ();
      else
        assert_soon_cmpuint (get_memory (), <, before + MOST_KIB);
    }
  close_window (window);
  assert_soon (n_alive == 0);
}

/* Closed tabs come back, the last one first; without its last tab a window shows the start page,
 * and without that it goes. */
TEST ("/tabs/close")
{
  CuredWindow *window = open_three ();

  press ("ctrl+w");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
  press ("ctrl+w");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 1);
  assert_soon_cmpstr (get_shown (window), ==, "result");
  press ("ctrl+w");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 1);
  assert_soon_cmpstr (get_shown (window), ==, "start");
  assert_soon_cmpstr (adw_tab_page_get_title (nth_page (window, 0)), ==, "New Tab");

  press ("ctrl+shift+t");
  assert_soon (g_str_equal (get_shown (window), "result"));
  assert_soon_cmpstr (adw_tab_page_get_title (nth_page (window, 0)), ==, "line");
  press ("ctrl+shift+t");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
  assert_soon_cmpstr (adw_tab_page_get_title (nth_page (window, 1)), ==, "sizes");
  assert_soon (g_str_equal (get_shown (window), "result"));

  press ("ctrl+t");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 3);
  assert_soon_cmpstr (get_shown (window), ==, "start");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-other-tabs", NULL);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 1);
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  press ("ctrl+w");
  assert_soon (window == NULL);
}

static GtkWidget *
find_popover (GtkWidget *root)
{
  GtkWidget *found = GTK_IS_POPOVER (root) ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_popover (child);
  return found;
}

/* A window goes right after a tab's menu has closed: the tab bar, when idle, tells the tab view
 * that it has. */
TEST ("/tabs/menu")
{
  CuredWindow *window = open_three ();
  AdwTabBar *bar = window->tab_bar;
  AdwTabView *tabs = window->tabs;

  gtk_widget_child_focus (GTK_WIDGET (bar), GTK_DIR_TAB_FORWARD);
  press ("shift+F10");
  assert_soon (find_popover (GTK_WIDGET (bar)) != NULL);
  GtkWidget *menu = find_popover (GTK_WIDGET (bar));
  assert_soon (gtk_widget_get_mapped (menu));
  g_object_add_weak_pointer (G_OBJECT (bar), (gpointer *) &bar);
  g_object_add_weak_pointer (G_OBJECT (tabs), (gpointer *) &tabs);
  gtk_popover_popdown (GTK_POPOVER (menu));
  close_window (window);
  assert_soon (bar == NULL);
  assert_soon (tabs == NULL);
  settle ();
}

/* A tab goes to a window of its own as it is; dragged away with nothing left, its window goes. */
TEST ("/tabs/move")
{
  CuredWindow *window = open_three ();
  CuredTab *tab;

  press ("ctrl+Tab alt+4");
  tab = window->tab;
  CuredResult *result = cured_document_get_result (tab->document);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.detach-tab", NULL);
  assert_soon_cmpuint (count_windows (), ==, 2);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
  CuredWindow *other = CURED_WINDOW (gtk_widget_get_root (GTK_WIDGET (tab)));
  assert_soon (other != window);
  assert_soon (other->tab == tab);
  assert_soon (cured_document_get_result (tab->document) == result);
  assert_soon_cmpstr (adw_view_stack_get_visible_child_name (tab->views), ==, "source");
  assert_soon_nonnull (
      strstr (gtk_window_get_title (GTK_WINDOW (other)), cured_result_get_title (result)));

  /* Its signals reach the new window, and no longer the old one. */
  cured_document_set_source (tab->document, "edited");
  assert_soon (adw_tab_page_get_indicator_icon (nth_page (other, 0)) != NULL);
  cured_document_set_source (tab->document, cured_document_get_original (tab->document));

  g_object_add_weak_pointer (G_OBJECT (other), (gpointer *) &other);
  adw_tab_view_transfer_page (other->tabs, nth_page (other, 0), window->tabs, 0);
  assert_soon (other == NULL);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 3);
  assert_soon (nth_tab (window, 0) == tab);
}

static int
count_shown_tabs (GtkWidget *widget)
{
  int n = g_str_equal (G_OBJECT_TYPE_NAME (widget), "AdwTab");

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_shown_tabs (child);
  return n;
}

/* A tab leaves the bar in one motion, after another one was moved to a place that there is no more;
 * dropped beside the bar, it has a window of its own. */
TEST ("/tabs/drag-out")
{
  CuredWindow *window = open_three ();
  GtkWidget *bar = GTK_WIDGET (window->tab_bar);
  CuredTab *tab;

  press ("ctrl+shift+Next ctrl+shift+Next");
  assert_soon (window->tab == nth_tab (window, 2));
  press ("ctrl+w");
  assert_soon (cured_window_get_n_tabs (window) == 2);
  tab = nth_tab (window, 0);
  /* The bar shows the tab that goes for a while. */
  assert_soon (count_shown_tabs (bar) == 2);
  move_pointer_to (bar, 60, gtk_widget_get_height (bar) / 2);
  xdotool ("mousedown 1");
  move_pointer_to (bar, 60, 300);
  assert_soon (adw_tab_view_get_is_transferring_page (window->tabs));
  xdotool ("mouseup 1");
  assert_soon_cmpuint (count_windows (), ==, 2);
  CuredWindow *other = CURED_WINDOW (gtk_widget_get_root (GTK_WIDGET (tab)));
  assert_soon (other != window);
  assert_soon_cmpuint (cured_window_get_n_tabs (other), ==, 1);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 1);
  close_window (other);
}

/* A tab is dragged while it goes: the bar gets the motion before the frame in which the tab has
 * gone, as the main loop does not run meanwhile. */
TEST ("/tabs/drag-closing")
{
  GtkSettings *settings = gtk_settings_get_default ();
  CuredWindow *window = open_three ();
  GtkWidget *bar = GTK_WIDGET (window->tab_bar);

  move_pointer_to (bar, 60, gtk_widget_get_height (bar) / 2);
  xdotool ("mousedown 1");
  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  adw_tab_view_close_page (window->tabs, nth_page (window, 0));
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
  assert_soon_cmpint (count_shown_tabs (bar), ==, 3);
  xdotool ("mousemove_relative --sync 40 0");
  assert_soon_cmpint (count_shown_tabs (bar), ==, 2);
  xdotool ("mousemove_relative --sync 10 0 mouseup 1");
  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
}

/* No tab goes while one is dragged. */
TEST ("/tabs/drag-close")
{
  CuredWindow *window = open_three ();
  GtkWidget *bar = GTK_WIDGET (window->tab_bar);

  move_pointer_to (bar, 60, gtk_widget_get_height (bar) / 2);
  xdotool ("mousedown 1 mousemove_relative --sync 40 0");
  press ("ctrl+w");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.detach-tab", NULL);
  adw_tab_view_close_page (window->tabs, nth_page (window, 2));
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 3);
  xdotool ("mouseup 1");
  press ("ctrl+w");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
}

/* A sweep of vector/add over some blocks, in the selected tab. */
static CuredSweep *
sweep_in (CuredWindow *window, const char *faults, const char *blocks)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("vector/add", &fail));
  g_autofree char *path = in_folder ("tab-swept.cured");

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  MUST (cured_spec_parse_axis (spec, blocks, &fail));
  MUST (cured_spec_parse_axis (spec, "n=1024", &fail));
  cured_spec_get_options (spec)->limit_s = 3000;
  g_setenv ("CURED_FAKE", faults, TRUE);
  CuredSweep *sweep = cured_sweep_new (spec, "fake:0", path, TRUE);
  cured_tab_run (window->tab, sweep);
  return sweep;
}

static gboolean
has_done_some (gpointer data)
{
  CuredProgress progress;

  return cured_sweep_get_progress (data, &progress) && progress.n_done >= 3;
}

/* A sweep shows in its tab wherever one looks, and is asked about. */
TEST ("/tabs/sweep")
{
  CuredWindow *window = open_result ("small.cured");

  press ("ctrl+t");
  CuredTab *running = window->tab;
  AdwTabPage *page = nth_page (window, 1);
  g_autoptr (CuredSweep) sweep = sweep_in (window, "wait=5,until=/dev/null/never", "blocks=1..80");
  assert_soon (has_done_some (sweep));
  assert_soon (adw_tab_page_get_loading (page));
  assert_soon_cmpstr (adw_tab_page_get_title (page), ==, "tab-swept");

  /* The tab beside it can be used, and closed, meanwhile. */
  press ("ctrl+shift+Tab");
  assert_soon (window->tab != running);
  assert_soon_not (adw_tab_page_get_loading (nth_page (window, 0)));
  shoot ("tabs-sweep");
  press ("ctrl+w");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 1);
  assert_soon (window->tab == running);
  open_result ("line.cured");
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);

  /* Its own end, and the window's, are asked about; and no is no. */
  adw_tab_view_close_page (window->tabs, page);
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  assert_soon (window->tab == running);
  press ("Escape");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) == NULL);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
  press ("ctrl+shift+w");
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  press ("Escape");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) == NULL);
  assert_soon (cured_sweep_is_active (sweep));

  /* Its end is announced where another tab is shown. */
  press ("ctrl+Tab");
  assert_soon (window->tab != running);
  assert_soon_not (adw_tab_page_get_needs_attention (page));
  cured_run_controller_cancel (running->controller);
  assert_soon (!cured_sweep_is_active (sweep));
  assert_soon (!adw_tab_page_get_loading (page));
}

/* A sweep that ends in a tab that is not seen calls. */
TEST ("/tabs/attention")
{
  CuredWindow *window = open_result ("small.cured");
  CuredTab *first = window->tab;

  press ("ctrl+t");
  g_autoptr (CuredSweep) sweep = sweep_in (window, "ms=1", "blocks=1..3");
  adw_tab_view_set_selected_page (window->tabs, nth_page (window, 0));
  assert_soon (window->tab == first);
  assert_soon (is_over (sweep));
  assert_soon (adw_tab_page_get_needs_attention (nth_page (window, 1)));
  press ("ctrl+Tab");
  assert_soon_not (adw_tab_page_get_needs_attention (nth_page (window, 1)));
}

/* Each tab with an edited source is asked about before a window goes, and what was answered holds
 * for this time only. */
TEST ("/tabs/edited")
{
  CuredWindow *window = open_three ();

  for (int i = 0; i < 2; i++)
    {
      CuredTab *tab = nth_tab (window, i);

      if (cured_document_get_source (tab->document) == NULL)
        {
          g_test_skip ("the made-up results have no source");
          close_window (window);
          return;
        }
      g_autofree char *text =
          g_strconcat (cured_document_get_source (tab->document), "// edited\n", NULL);
      cured_document_set_source (tab->document, text);
    }
  gtk_window_close (GTK_WINDOW (window));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  assert_soon (window->tab == nth_tab (window, 0));
  press ("alt+d");
  assert_soon (window->tab == nth_tab (window, 1));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  press ("Escape");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) == NULL);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 3);

  gtk_window_close (GTK_WINDOW (window));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  assert_soon (window->tab == nth_tab (window, 0));
  press ("alt+d");
  assert_soon (window->tab == nth_tab (window, 1));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  press ("alt+d");
  assert_soon (window == NULL);
}

static void
edit (CuredTab *tab)
{
  g_autofree char *text =
      g_strconcat (cured_document_get_original (tab->document), "// edited\n", NULL);

  cured_document_set_source (tab->document, text);
}

static void
undo_edit (CuredTab *tab)
{
  cured_document_set_source (tab->document, cured_document_get_original (tab->document));
}

/* What was answered for a later tab does not hold the next time either. */
TEST ("/tabs/edited-again")
{
  CuredWindow *window = open_three ();

  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  for (int i = 0; i < 3; i++)
    edit (nth_tab (window, i));
  gtk_window_close (GTK_WINDOW (window));
  for (int i = 0; i < 2; i++)
    {
      assert_soon (window->tab == nth_tab (window, i));
      wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
      press ("alt+d");
    }
  assert_soon (window->tab == nth_tab (window, 2));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  press ("Escape");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) == NULL);

  undo_edit (nth_tab (window, 2));
  gtk_window_close (GTK_WINDOW (window));
  assert_soon (window->tab == nth_tab (window, 0));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  press ("alt+d");
  assert_soon (window == NULL || window->tab == nth_tab (window, 1));
  g_assert (window != NULL);
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  press ("alt+d");
  assert_soon (window == NULL);
}

/* A tab whose sweep was stopped for a window that then stayed does not close it when another sweep
 * ends. */
TEST ("/tabs/kept")
{
  CuredWindow *window = open_result ("small.cured");
  CuredTab *edited = window->tab;

  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  press ("ctrl+t");
  CuredTab *running = window->tab;
  g_autoptr (CuredSweep) sweep = sweep_in (window, "wait=5,until=/dev/null/never", "blocks=1..80");
  assert_soon (has_done_some (sweep));
  adw_tab_view_reorder_first (window->tabs, nth_page (window, 1));
  edit (edited);
  gtk_window_close (GTK_WINDOW (window));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  press ("alt+s");
  assert_soon (window->tab == edited);
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  press ("Escape");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) == NULL);

  undo_edit (edited);
  assert_soon_not (cured_run_controller_is_running (running->controller));
  cured_run_controller_resume (running->controller);
  assert_soon (cured_run_controller_is_running (running->controller));
  g_object_add_weak_pointer (G_OBJECT (running), (gpointer *) &running);
  cured_run_controller_cancel (running->controller);
  assert_soon (running == NULL || !cured_run_controller_is_running (running->controller));
  settle ();
  g_assert (window != NULL);
  g_object_remove_weak_pointer (G_OBJECT (running), (gpointer *) &running);
}

/* Where a file can't be opened, nothing remains of the page before. */
TEST ("/tabs/error")
{
  CuredWindow *window = open_result ("small.cured");
  g_autofree char *path = in_folder ("missing.cured");
  g_autoptr (GFile) file = g_file_new_for_path (path);

  cured_tab_open (window->tab, file);
  assert_soon (g_str_equal (get_shown (window), "error"));
  g_assert (cured_document_get_result (window->tab->document) == NULL);
}

static gboolean
tells (CuredWindow *window, const char *part)
{
  const char *text = cured_toast_overlay_get_text (window->toasts);

  return text != NULL && strstr (text, part) != NULL;
}

/* Names that begin alike are shortened to what differs, and a file that disappears is announced. */
TEST ("/tabs/alike")
{
  static const char *const names[] = { "small-of-a-sweep-2026-one.cured",
                                       "small-of-a-sweep-2026-two.cured" };
  g_autofree char *from = in_folder ("small.cured");
  g_autoptr (GFile) source = g_file_new_for_path (from);
  CuredWindow *window = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = in_folder (names[i]);
      g_autoptr (GFile) file = g_file_new_for_path (path);

      MUST (g_file_copy (source, file, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, &fail));
      window = open_path (path);
      assert_soon (g_str_equal (cured_tab_get_view_name (window->tab), "result"));
    }
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 2);
  assert_soon_cmpstr (adw_tab_page_get_title (nth_page (window, 0)), ==, "…one");
  assert_soon_cmpstr (adw_tab_page_get_title (nth_page (window, 1)), ==, "…two");
  shoot ("tabs-alike");
  for (gsize i = G_N_ELEMENTS (names); i-- > 0;)
    {
      g_autofree char *path = in_folder (names[i]);

      g_assert_cmpint (g_unlink (path), ==, 0);
      assert_soon (tells (window, names[i]));
    }
}
