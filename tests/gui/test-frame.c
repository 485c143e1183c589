/* SPDX-License-Identifier: MIT
 * The frame of the window: the kernels, the views, the panes, the settings. */
#include <string.h>

#include <glib/gstdio.h>

#include "app/cured-window-private.h"
#include "gui-test.h"

static CuredKernelList *
get_kernels (CuredWindow *window)
{
  CuredKernelList *kernels = CURED_KERNEL_LIST (get (window, "kernels"));

  assert_soon (cured_kernel_list_is_loaded (kernels));
  settle ();
  return kernels;
}

static guint
count_kernel_rows (CuredWindow *window)
{
  return g_list_model_get_n_items (G_LIST_MODEL (
      gtk_list_view_get_model (GTK_LIST_VIEW (get (get (window, "kernels"), "list")))));
}

static const char *
get_page_name (CuredWindow *window)
{
  return adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (get (window, "views")));
}

static CuredWindow *
open_empty (void)
{
  CuredWindow *window = cured_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  get_kernels (window);
  return window;
}

TEST ("/frame/kernels")
{
  CuredWindow *window = open_empty ();
  guint n_families = count_kernel_rows (window);

  assert_soon_cmpuint (n_families, >=, 10);

  /* Search with the keyboard, and take what was found. */
  press ("ctrl+k");
  press ("t i l e d space m a t m u l");
  assert_soon (count_kernel_rows (window) < n_families);
  press ("Return");
  assert_soon (is_loaded (window));
  settle ();
  assert_soon_cmpstr (get_shown (window), ==, "result");
  CuredResult *result = cured_map_view_get_result (get_view (window));
  assert_soon_nonnull (result);
  assert_soon (g_str_has_prefix (cured_result_get_kernel_id (result), "matmul/"));
  shoot ("kernels");

  /* Nothing is found of nonsense, and Escape ends the search. */
  press ("ctrl+k");
  press ("ctrl+a q q q q");
  assert_soon (count_kernel_rows (window) == 0);
  shoot ("kernels-none");
  press ("Escape");
  assert_soon (count_kernel_rows (window) > n_families);
}

/* Rows open and close with the keyboard. */
TEST ("/frame/families")
{
  CuredWindow *window = open_empty ();
  guint n_families = count_kernel_rows (window);

  press ("ctrl+k Tab Return");
  assert_soon_cmpuint (count_kernel_rows (window), >, n_families);
  press ("Return");
  assert_soon_cmpuint (count_kernel_rows (window), ==, n_families);
}

/* A kernel that was never recorded is shown without a result; one that was, with it. */
TEST ("/frame/kernel")
{
  CuredWindow *window = open_empty ();
  CuredKernelList *kernels = get_kernels (window);
  g_auto (GStrv) ids = cured_catalogue_list ();
  const char *bare = NULL;
  AdwWindowTitle *title = ADW_WINDOW_TITLE (get (window, "title"));

  for (char **id = ids; *id != NULL && bare == NULL; id++)
    if (cured_kernel_list_get_recording (kernels, *id) == NULL)
      bare = *id;
  if (bare != NULL)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.open-kernel", "s", bare);
      assert_soon (g_strcmp0 (get_shown (window), "result") == 0);
      settle ();
      assert_soon_nonnull (strstr (adw_window_title_get_subtitle (title), bare));
      for (int i = 1; i <= 5; i++)
        {
          g_autofree char *key = g_strdup_printf ("alt+%d", i);
          g_autofree char *name = g_strdup_printf ("bare-%d", i);

          press (key);
          shoot (name);
        }
    }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.open-kernel", "s", "matmul/tiled");
  assert_soon (is_loaded (window));
  settle ();
  assert_soon_nonnull (strstr (adw_window_title_get_subtitle (title), "matmul/tiled"));
  assert_soon_cmpstr (adw_window_title_get_title (title), ==,
                      cured_result_get_title (cured_map_view_get_result (get_view (window))));
}

TEST ("/frame/views")
{
  static const char *const names[] = {
    "map", "banks", "ladder", "source", "compare",
  };
  CuredWindow *window = open_result ("small.cured");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *key = g_strdup_printf ("alt+%u", i + 1);

      press (key);
      assert_soon_cmpstr (get_page_name (window), ==, names[i]);
    }
}

static gboolean
is_in (CuredWindow *window, const char *pane)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));
  GtkWidget *widget = get (window, pane);

  return focus != NULL && (focus == widget || gtk_widget_is_ancestor (focus, widget));
}

TEST ("/frame/panes")
{
  CuredWindow *window = open_result ("small.cured");

  get_kernels (window);
  assert_soon (is_in (window, "views"));
  press ("F6");
  assert_soon (is_in (window, "kernels"));
  press ("F6");
  assert_soon (is_in (window, "switcher"));
  press ("F6");
  assert_soon (is_in (window, "views"));
  press ("shift+F6");
  assert_soon (is_in (window, "switcher"));

  assert_soon (adw_flap_get_reveal_flap (ADW_FLAP (get (window, "sidebar"))));
  press ("F8");
  assert_soon_not (adw_flap_get_reveal_flap (ADW_FLAP (get (window, "sidebar"))));
  assert_soon_not (cured_settings_get_boolean ("sidebar", TRUE));
  press ("F8");
  assert_soon (cured_settings_get_boolean ("sidebar", FALSE));
}

TEST ("/frame/settings")
{
  /* A build that is not installed finds its schema. */
  assert_soon_nonnull (cured_settings_get ());

  assert_soon (cured_settings_get_toggle ("marginals", TRUE));
  cured_settings_set_toggle ("marginals", FALSE);
  assert_soon_not (cured_settings_get_toggle ("marginals", TRUE));
  assert_soon_null (cured_settings_get_string ("colours"));
}

/* What is seen goes to the clipboard as a picture and as a table, and to a printer. */
static void
wait_settled (CuredWindow *window, const char *keys)
{
  gboolean is_settled = FALSE;
  gulong id = g_signal_connect_swapped (window, "settled", G_CALLBACK (set_cb), &is_settled);

  press (keys);
  assert_soon (is_set (&is_settled));
  g_signal_handler_disconnect (window, id);
}

static void
text_ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  *(char **) user_data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);
}

TEST ("/frame/copy")
{
  CuredWindow *window = open_result ("small.cured");
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
  g_autofree char *text = NULL;

  wait_settled (window, "ctrl+shift+c");
  assert_soon (
      gdk_content_formats_contain_gtype (gdk_clipboard_get_formats (clipboard), GDK_TYPE_TEXTURE));
  wait_settled (window, "ctrl+alt+c");
  gdk_clipboard_read_text_async (clipboard, NULL, text_ready_cb, &text);
  assert_soon (text != NULL);
  assert_soon_nonnull (strstr (text, "tile"));
  assert_soon_nonnull (strchr (text, '\n'));
}

TEST ("/frame/print")
{
  CuredWindow *window = open_result ("small.cured");
  g_autofree char *path = in_folder ("printed.pdf");
  g_autofree char *contents = NULL;
  gboolean is_settled = FALSE;
  gsize length;

  g_signal_connect_swapped (window, "settled", G_CALLBACK (set_cb), &is_settled);
  cured_tab_print (cured_window_get_tab (window), path);
  assert_soon (is_set (&is_settled));
  MUST (g_file_get_contents (path, &contents, &length, &fail));
  assert_soon_cmpuint (length, >, 2000);
  assert_soon_cmpint (strncmp (contents, "%PDF", 4), ==, 0);
}

static char *
copy_data (const char *from, const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), from, NULL);
  g_autofree char *contents = NULL;
  char *copy = in_folder (name);
  gsize length;

  MUST (g_file_get_contents (path, &contents, &length, &fail));
  MUST (g_file_set_contents (copy, contents, (gssize) length, &fail));
  return copy;
}

/* What another program measured is recognised by its content, and what it became is shown. */
TEST ("/frame/import")
{
  static const char *const names[] = { "kernel-tuner.json", "t4.json" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *from = g_build_filename ("import", names[i], NULL);
      g_autofree char *name = g_strdup_printf ("other-%u.txt", i);
      g_autofree char *path = copy_data (from, name);
      g_autofree char *cured = NULL;
      CuredWindow *window = open_path (path);

      assert_soon (is_loaded (window));
      assert_soon (g_strcmp0 (get_shown (window), "result") == 0);
      settle ();
      CuredResult *result = cured_map_view_get_result (get_view (window));
      assert_soon_nonnull (result);
      assert_soon_cmpint (cured_result_get_n_cells (result), >, 1);
      assert_soon (g_file_test (cured_result_get_path (result), G_FILE_TEST_IS_REGULAR));
      /* There is no kernel that could run the missing cells. */
      assert_soon_not (gtk_widget_get_mapped (get (get (window, "run_bar"), "resume")));
      shoot (names[i]);
      GtkWindow *notes = find_dialog (ADW_TYPE_MESSAGE_DIALOG);
      if (notes != NULL)
        gtk_window_destroy (notes);
      settle ();
      close_window (window);
    }
}

/* A damaged one names the fault. */
TEST ("/frame/import-cut")
{
  g_autofree char *path = copy_data ("import/nvbench.json", "cut.json");
  g_autofree char *contents = NULL;
  gsize length;

  g_file_get_contents (path, &contents, &length, NULL);
  g_file_set_contents (path, contents, (gssize) (length / 2), NULL);
  CuredWindow *window = open_path (path);
  assert_soon_cmpstr (get_shown (window), ==, "error");
  g_test_message ("%s", get_error (window));
}

static char *
copy_kernel (const char *name)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("vector/add", &fail));
  char *path = in_folder (name);

  MUST (g_file_set_contents (path, kernel->source, -1, &fail));
  return path;
}

/* A kernel of the user's own is shown without a result, in every view. */
TEST ("/frame/kernel-file")
{
  g_autofree char *path = copy_kernel ("mine.cu");
  CuredWindow *window = open_path (path);
  AdwWindowTitle *title = ADW_WINDOW_TITLE (get (window, "title"));

  assert_soon_cmpstr (get_shown (window), ==, "result");
  assert_soon_cmpstr (get_page_name (window), ==, "source");
  assert_soon_null (cured_map_view_get_result (get_view (window)));
  for (int i = 1; i <= 5; i++)
    {
      g_autofree char *key = g_strdup_printf ("alt+%d", i);
      g_autofree char *name = g_strdup_printf ("bare-%d", i);

      press (key);
      shoot (name);
    }
  g_test_message ("%s", adw_window_title_get_subtitle (title));
  /* It is not opened a second time. */
  assert_soon (open_path (path) == window);
}

/* A CUDA file without a header: a dialog helps, the kernel counts as edited, and is not lost
 * without a question. */
TEST ("/frame/bare-file")
{
  g_autofree char *path = in_folder ("bare.cu");
  GtkWindow *dialog;

  MUST (g_file_set_contents (path,
                             "extern \"C\" __global__ void\n"
                             "add (float *out, const float *in, int n)\n{\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n)\n"
                             "    out[i] = in[i] + 1.0f;\n}\n",
                             -1, &fail));

  CuredWindow *window = open_empty ();
  {
    g_autoptr (GFile) file = g_file_new_for_path (path);

    cured_tab_open (cured_window_get_tab (window), file);
    dialog = wait_for_dialog (CURED_TYPE_HEADER_DIALOG);
    shoot ("header");
    gtk_window_close (dialog);
    settle ();
    assert_soon_cmpstr (get_shown (window), ==, "start");

    cured_tab_open (cured_window_get_tab (window), file);
  }
  dialog = wait_for_dialog (CURED_TYPE_HEADER_DIALOG);
  assert_soon (gtk_widget_is_sensitive (get (dialog, "use")));
  gtk_widget_activate (get (dialog, "use"));
  assert_soon (find_dialog (CURED_TYPE_HEADER_DIALOG) == NULL);
  settle ();
  assert_soon_cmpstr (get_shown (window), ==, "result");
  AdwWindowTitle *title = ADW_WINDOW_TITLE (get (window, "title"));
  assert_soon_nonnull (strstr (adw_window_title_get_subtitle (title), "edited"));

  gtk_window_close (GTK_WINDOW (window));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  shoot ("discard");
  press ("Escape");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) == NULL);
  gtk_window_close (GTK_WINDOW (window));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  press ("alt+d");
  assert_soon (window == NULL);
}

/* The window of shortcuts lists all of them, and nothing else. */
TEST ("/frame/shortcuts")
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data ("/io/github/cured/Cured/gtk/help-overlay.ui",
                                                      G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) actions = gtk_application_list_action_descriptions (application);
  const char *at = text;
  guint n_actions = 0;

  for (char **action = actions; *action != NULL; action++)
    {
      g_autofree char *entry = g_strdup_printf (">%s<", *action);

      g_test_message ("%s", *action);
      assert_soon_nonnull (strstr (text, entry));
    }
  while ((at = strstr (at, "\"action-name\">")) != NULL)
    {
      const char *start = at + strlen ("\"action-name\">");
      g_autofree char *name = g_strndup (start, strcspn (start, "<"));

      at = start;
      n_actions++;
      g_test_message ("%s", name);
      g_auto (GStrv) accels = gtk_application_get_accels_for_action (application, name);
      assert_soon_nonnull (accels[0]);
    }
  assert_soon_cmpuint (n_actions, ==, g_strv_length (actions));
}

TEST ("/frame/help")
{
  CuredWindow *window = open_empty ();

  press ("F1");
  GtkWindow *help = wait_for_dialog (CURED_TYPE_HELP);
  GtkWidget *derived = get (help, "derived");
  assert_soon (gtk_widget_get_visible (derived));
  shoot ("help");
  press ("o c c u p a n c y");
  assert_soon (!gtk_widget_get_visible (get (help, "measured")));
  shoot ("help-search");
  assert_soon (gtk_widget_get_visible (get (help, "counted")) ||
               gtk_widget_get_visible (get (help, "derived")));
  press ("F1");
  press ("Escape Escape");
  assert_soon (find_dialog (CURED_TYPE_HELP) == NULL);
  /* What closes a tab closes a window without tabs. */
  press ("F1");
  wait_for_dialog (CURED_TYPE_HELP);
  press ("ctrl+w");
  assert_soon (find_dialog (CURED_TYPE_HELP) == NULL);
  assert_soon_cmpuint (cured_window_get_n_tabs (window), ==, 1);
}

/* The card that is shown. */
static GtkWidget *
find_card (CuredWindow *window)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (window)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_has_css_class (child, "tour-card") && gtk_widget_get_mapped (child))
      return child;
  return NULL;
}

/* Its heading. */
static const char *
get_card_title (CuredWindow *window)
{
  GtkWidget *card = find_card (window);
  GtkWidget *box = card != NULL ? gtk_popover_get_child (GTK_POPOVER (card)) : NULL;

  return box != NULL ? gtk_label_get_label (GTK_LABEL (gtk_widget_get_first_child (box))) : NULL;
}

/* Pixels of a card's content that are below its lower edge. */
static int
count_cut (CuredWindow *window)
{
  GtkWidget *box = gtk_popover_get_child (GTK_POPOVER (find_card (window)));
  GtkWidget *contents = gtk_widget_get_parent (box);
  graphene_rect_t bounds;
  int least = 0;

  assert_soon (gtk_widget_compute_bounds (box, contents, &bounds));
  gtk_widget_measure (box, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width (box), &least, NULL, NULL,
                      NULL);
  return (int) graphene_rect_get_y (&bounds) + least - gtk_widget_get_height (contents);
}

static gboolean
has_card (gpointer window)
{
  return find_card (window) != NULL;
}

static gboolean
has_no_card (gpointer window)
{
  return find_card (window) == NULL;
}

/* Four cards, once: each leads to the next one, and Escape skips the rest. */
TEST ("/frame/tour")
{
  static const char *const titles[] = { "The map", "A cell", "The banks", "The source" };

  cured_settings_set_boolean ("tour-seen", FALSE);
  CuredWindow *window = open_result ("small.cured");
  assert_soon (has_card (window));
  for (gsize i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      g_autofree char *name = g_strdup_printf ("tour-%zu", i + 1);

      settle ();
      shoot (name);
      assert_soon_cmpstr (get_card_title (window), ==, titles[i]);
      assert_soon_cmpint (count_cut (window), <=, 0);
      press ("Return");
    }
  assert_soon (has_no_card (window));
  assert_soon (cured_settings_get_boolean ("tour-seen", FALSE));
  /* The map has the keys again. */
  assert_soon (gtk_widget_has_focus (get (GTK_WIDGET (window), "map")));

  /* Again, from the menu, and skipped. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.tour", NULL);
  assert_soon (has_card (window));
  GtkWidget *skipped = g_object_ref (find_card (window));
  assert_soon (gtk_widget_get_state_flags (skipped) & GTK_STATE_FLAG_FOCUS_WITHIN);
  press ("Escape");
  assert_soon (has_no_card (window));
  assert_soon (gtk_widget_has_focus (get (GTK_WIDGET (window), "map")));
  /* A card with references left does not come back, wherever the focus goes. */
  assert_soon (gtk_widget_get_parent (skipped) == NULL);
  g_object_notify (G_OBJECT (window), "is-active");
  g_assert_false (gtk_widget_get_visible (skipped));
  g_object_unref (skipped);

  /* A click elsewhere leaves the card, another view takes it. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.tour", NULL);
  assert_soon (has_card (window));
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "map"));
  press ("Right");
  settle ();
  assert_soon (has_card (window));
  press ("alt+4");
  assert_soon (has_no_card (window));
  press ("alt+1");

  /* A window that is closed takes its card along. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.tour", NULL);
  assert_soon (has_card (window));
}

/* ---- Large text ---- */

enum
{
  USUAL_DPI = 96 * PANGO_SCALE,
  SMALL_WIDTH = 800,
};

static int
get_natural_width (gpointer widget)
{
  int natural;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return natural;
}

/* The first widget that ends right of @root, but for what is scrolled. */
static GtkWidget *
find_cut (GtkWidget *root, GtkWidget *widget)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      graphene_rect_t bounds;
      GtkWidget *cut = NULL;

      if (!gtk_widget_get_mapped (child) || GTK_IS_NATIVE (child))
        continue;
      if (!GTK_IS_SCROLLABLE (child) && !GTK_IS_RANGE (child))
        cut = find_cut (root, child);
      if (cut != NULL)
        return cut;
      if (gtk_widget_compute_bounds (child, root, &bounds) &&
          bounds.origin.x + bounds.size.width > (float) gtk_widget_get_width (root) + 0.5f)
        return child;
    }
  return NULL;
}

static gboolean
is_whole (gpointer window)
{
  GtkWidget *content = get (window, "toasts");

  return find_cut (content, content) == NULL;
}

static CuredWindow *
make_small (CuredWindow *window)
{
  gtk_window_set_default_size (GTK_WINDOW (window), SMALL_WIDTH, 600);
  settle ();
  return window;
}

/* It is as wide as requested, and shows everything. */
static void
assert_fits (gpointer window, const char *what)
{
  settle ();
  assert_soon_cmpint (get_least_width (window), <=, SMALL_WIDTH);
  assert_soon_cmpint (gtk_widget_get_width (window), <=, SMALL_WIDTH);
  if (!wait_for (is_whole, window))
    {
      GtkWidget *content = get (window, "toasts");
      GtkWidget *cut = find_cut (content, content);
      g_autoptr (GString) path = g_string_new (NULL);

      for (GtkWidget *at = cut; at != NULL; at = gtk_widget_get_parent (at))
        {
          const char *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (at));

          g_string_append_printf (path, " %s %d", id != NULL ? id : G_OBJECT_TYPE_NAME (at),
                                  get_least_width (at));
        }
      g_error ("%s is cut:%s", what, path->str);
    }
}

static gboolean
is_stack_at (GtkWidget *page, const char *name)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (get (page, "stack"))), name) == 0;
}

static void
show_large (CuredWindow *window, const char *view)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", view);
  assert_soon_cmpstr (get_page_name (window), ==, view);
}

static void
check_large_banks (CuredWindow *window)
{
  static const char *const looks[] = { "banks", "addresses", "flow", "threads" };

  show_large (window, "banks");
  GtkWidget *page = wait_for_view (window, "banks");
  GtkWidget *what = get (get (page, "player"), "what");
  assert_soon (is_stack_at (page, "view"));
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      g_autofree char *shot = g_strdup_printf ("large-%s", looks[i]);

      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (page, looks[i])), TRUE);
      assert_fits (window, looks[i]);
      if (gtk_widget_get_mapped (what))
        assert_soon_cmpint (gtk_widget_get_width (what), >=, get_natural_width (what));
      shoot (shot);
    }
}

/* The window comes back as it was left. Late: other tests leave it large. */
TEST ("/frame/remembered")
{
  CuredWindow *window = open_empty ();
  int width, height;

  gtk_window_set_default_size (GTK_WINDOW (window), 900, 640);
  settle ();
  close_window (window);
  window = open_empty ();
  gtk_window_get_default_size (GTK_WINDOW (window), &width, &height);
  assert_soon_cmpint (width, ==, 900);
  assert_soon_cmpint (height, ==, 640);
  g_settings_reset (cured_settings_get (), "width");
  g_settings_reset (cured_settings_get (), "height");
}

static gboolean
has_cut_title (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_cut_title (child))
      return TRUE;
  return FALSE;
}

/* Beside the kernels, too, a small window tells "blocks" from "block". */
TEST ("/frame/axes")
{
  CuredWindow *window = make_small (open_recorded ("reduce-two-launch-h200.cured"));

  assert_soon (gtk_widget_get_mapped (get (window, "kernels")));
  assert_soon_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, SMALL_WIDTH);
  assert_soon_not (has_cut_title (get (window, "x_axis")));
  assert_soon_not (has_cut_title (get (window, "y_axis")));
  /* Nor where there is less room. */
  assert_soon_cmpint (get_least_width (get (window, "x_axis")), ==,
                      get_natural_width (get (window, "x_axis")));
  shoot ("small-axes");
}

/* With text that is half as large again, no view asks for more than a small screen has, and none is
 * cut off. */
TEST ("/frame/large-text")
{
  static const char *const names[] = { "map", "source", "compare" };
  g_autofree char *results = g_build_filename (CURED_SOURCE_DATADIR, "results", NULL);
  g_autofree char *path = g_build_filename (results, "transpose-shared-h200.cured", NULL);
  g_autofree char *other = g_build_filename (results, "transpose-padded-h200.cured", NULL);
  g_autofree char *launches = g_build_filename (results, "reduce-two-launch-h200.cured", NULL);
  GtkSettings *settings = gtk_settings_get_default ();

  NEED_COMPILER ();
  g_object_set (settings, "gtk-xft-dpi", USUAL_DPI * 3 / 2, NULL);

  CuredWindow *window = make_small (open_empty ());
  assert_fits (window, "start");
  shoot ("large-start");
  close_window (window);

  window = make_small (open_path (results));
  assert_fits (window, "folder");
  shoot ("large-folder");
  close_window (window);

  window = make_small (open_path (path));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *shot = g_strdup_printf ("large-%s", names[i]);

      show_large (window, names[i]);
      if (i == 2)
        cured_compare_page_open (window->tab->compare_page, other);
      assert_fits (window, names[i]);
      shoot (shot);
    }
  show_large (window, "ladder");
  assert_soon (is_stack_at (GTK_WIDGET (window->tab->ladder_page), "ladder"));
  assert_fits (window, "ladder");
  shoot ("large-ladder");
  check_large_banks (window);
  close_window (window);

  window = make_small (open_path (launches));
  check_large_banks (window);
  close_window (window);
  g_object_set (settings, "gtk-xft-dpi", (int) USUAL_DPI, NULL);
}
