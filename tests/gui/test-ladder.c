/* SPDX-License-Identifier: MIT
 * The ladder of a family, in a real window, by the keyboard. */
#include <math.h>
#include <string.h>

#include "app/cured-window-private.h"
#include "gui-test.h"

static const CuredBars *
get_bars (CuredPicture *chart)
{
  return (const CuredBars *) cured_picture_get_chart (chart);
}

/* As a person does. */
static void
mark (GtkWidget *page, gssize bar)
{
  cured_picture_set_item (CURED_PICTURE (get (page, "chart")), bar);
  g_signal_emit_by_name (get (page, "chart"), "marked");
}

static gboolean
shows_ladder (gpointer data)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (get (data, "stack"))), "ladder") ==
         0;
}

static gboolean
shows_empty (gpointer data)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (get (data, "stack"))), "empty") ==
         0;
}

static gboolean
shows_diff (gpointer data)
{
  g_autofree char *text = cured_diff_view_get_text (CURED_DIFF_VIEW (get (data, "diff")));

  return strstr (text, "\n@@ ") != NULL;
}

/* Counts are there, or why there are none: not every machine has NVRTC. */
static gboolean
is_counted (gpointer data)
{
  for (GtkWidget *child = gtk_widget_get_first_child (get (data, "changes")); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (strstr (gtk_label_get_label (GTK_LABEL (child)), "Counting on") != NULL)
      return FALSE;
  return TRUE;
}

/* What is counted, of how large a problem, and why that is another one than was timed. */
static gboolean
tells_problem (gpointer data)
{
  gboolean has_size = FALSE, has_reason = FALSE;

  for (GtkWidget *child = gtk_widget_get_first_child (get (data, "changes")); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      const char *text = gtk_label_get_label (GTK_LABEL (child));

      has_size |= strstr (text, "Counted on") != NULL && strchr (strstr (text, "n="), ',') != NULL;
      has_reason |= g_str_has_prefix (text, "Counted for a smaller problem");
    }
  return has_size && has_reason;
}

static GtkWidget *
show_ladder (CuredWindow *window)
{
  press ("alt+3");
  GtkWidget *page = wait_for_view (window, "ladder");
  assert_soon (shows_ladder (page));
  settle ();
  return page;
}

static const char *
get_heading (GtkWidget *page)
{
  return gtk_label_get_label (GTK_LABEL (get (page, "heading")));
}

TEST ("/ladder/steps")
{
  CuredWindow *window = open_recorded ("reduce-sequential-h200.cured");
  GtkWidget *page = show_ladder (window);
  CuredPicture *chart = CURED_PICTURE (get (page, "chart"));
  const CuredBars *bars = get_bars (chart);

  assert_soon_cmpuint (bars->bars->len, ==, 16);
  assert_soon_cmpuint (bars->lines->len, ==, 2);
  /* The kernel of the window is marked and selected. */
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 2);
  assert_soon (g_array_index (bars->bars, CuredBar, 2).is_current);
  assert_soon_nonnull (strstr (get_heading (page), "1.20 times as fast"));
  assert_soon (shows_diff (page));
  assert_soon (is_counted (page));
  assert_soon (tells_problem (page));
  shoot ("ladder");

  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("Down");
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 3);
  assert_soon_nonnull (strstr (get_heading (page), "First addition during load"));
  assert_soon (shows_diff (page));
  g_autofree char *text = cured_diff_view_get_text (CURED_DIFF_VIEW (get (page, "diff")));
  assert_soon_nonnull (strstr (text, "Before: instruction issue"));
  assert_soon_nonnull (strstr (text, "\n+  if (i + BLOCK < n)"));
  assert_soon_nonnull (strstr (text, "--- reduce/sequential"));
  assert_soon_null (strstr (text, "[Parameter"));
  press ("Home");
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 0);
  assert_soon_nonnull (strstr (get_heading (page), "the first step"));
  press ("End");
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 15);

  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (page);
  assert_soon_nonnull (drawing);
  assert_soon (cured_drawing_has_table (drawing));
}

TEST ("/ladder/choices")
{
  CuredWindow *window = open_recorded ("matmul-tiled-h200.cured");
  GtkWidget *page = show_ladder (window);
  CuredPicture *chart = CURED_PICTURE (get (page, "chart"));
  double time = g_array_index (get_bars (chart)->bars, CuredBar, 0).value;

  /* Scaled to the size of most, and said so. */
  assert_soon (g_array_index (get_bars (chart)->bars, CuredBar, 0).is_soft);
  assert_soon (gtk_widget_get_visible (get (page, "note")));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (page, "problem")), 1);
  settle ();
  assert_soon_not (g_array_index (get_bars (chart)->bars, CuredBar, 0).is_soft);
  g_assert_cmpfloat_with_epsilon (g_array_index (get_bars (chart)->bars, CuredBar, 0).value,
                                  time / 8, 1e-6 * time);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (page, "metric")), 2);
  settle ();
  assert_soon_cmpstr (get_bars (chart)->unit, ==, "FLOP/s");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (page, "metric")), 0);
  settle ();
  shoot ("ladder-small-size");
}

static gboolean
has_label (GtkWidget *grid, const char *text)
{
  for (GtkWidget *child = gtk_widget_get_first_child (grid); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (g_strcmp0 (gtk_label_get_label (GTK_LABEL (child)), text) == 0)
      return TRUE;
  return FALSE;
}

/* A step that is faster than the limit: its bar and its figures have the same share. */
TEST ("/ladder/at-limit")
{
  CuredWindow *window = open_recorded ("vector-add-h200.cured");
  GtkWidget *page = show_ladder (window);
  CuredPicture *chart = CURED_PICTURE (get (page, "chart"));

  for (guint i = 1; !g_str_equal (get_bars (chart)->unit, "ratio"); i++)
    {
      gtk_drop_down_set_selected (GTK_DROP_DOWN (get (page, "metric")), i);
      settle ();
    }
  const CuredBar *bar = &g_array_index (get_bars (chart)->bars, CuredBar, 1);
  g_assert_cmpfloat (bar->value, >, 1);
  g_autofree char *share = cured_format_quantity (bar->value, "ratio");
  assert_soon_cmpstr (bar->text, ==, share);
  mark (page, 1);
  assert_soon (has_label (get (page, "changes"), share));
  close_window (window);
}

/* Enter opens the selected step's kernel; the ladder marks it. */
TEST ("/ladder/open")
{
  CuredWindow *window = open_recorded ("transpose-naive-h200.cured");
  GtkWidget *page = show_ladder (window);
  CuredPicture *chart = CURED_PICTURE (get (page, "chart"));

  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("Down");
  press ("Return");
  assert_soon (shows_ladder (page) && get_bars (chart) != NULL &&
               g_array_index (get_bars (chart)->bars, CuredBar, 2).is_current);
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 2);
}

/* A device without recordings: one's own file is the only bar. */
TEST ("/ladder/own")
{
  CuredWindow *window = open_result ("small.cured");
  GtkWidget *page = show_ladder (window);
  CuredPicture *chart = CURED_PICTURE (get (page, "chart"));
  const CuredBars *bars = get_bars (chart);
  guint n = 0;

  for (guint i = 0; i < bars->bars->len; i++)
    n += !isnan (g_array_index (bars->bars, CuredBar, i).value);
  assert_soon_cmpuint (n, ==, 1);
  assert_soon_nonnull (
      strstr (gtk_label_get_label (GTK_LABEL (get (page, "note"))), "another device"));
}

TEST ("/ladder/empty")
{
  CuredWindow *window = open_recorded ("peers-h200.cured");

  press ("alt+3");
  GtkWidget *page = wait_for_view (window, "ladder");
  assert_soon (shows_empty (page));
  assert_soon_cmpstr (adw_status_page_get_title (ADW_STATUS_PAGE (get (page, "empty"))), ==,
                      "This Kernel Has No Family");
  assert_soon_null (cured_page_get_drawing (page));
}

/* What was about to be counted is of another family by then. */
TEST ("/ladder/replace")
{
  CuredWindow *window = open_recorded ("reduce-sequential-h200.cured");
  GtkWidget *page = show_ladder (window);
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("transpose/naive", NULL);

  assert_soon_nonnull (kernel);
  mark (page, 5);
  cured_document_set_kernel (window->tab->document, kernel);
  pause_ms (400);
  assert_soon (shows_ladder (page));

  /* Nor is it exported after that. */
  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (page);
  assert_soon_nonnull (drawing);
  cured_document_set_kernel (window->tab->document, NULL);
  assert_soon (shows_empty (page));
  assert_soon_null (cured_page_get_drawing (page));
}

/* The bars of the family before are still in the chart, and there are more of them. */
TEST ("/ladder/unrecorded")
{
  CuredWindow *window = open_recorded ("reduce-sequential-h200.cured");
  GtkWidget *page = show_ladder (window);
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("vector/one", NULL);
  g_autofree char *data = g_strdup (g_getenv ("CURED_DATA_DIR"));
  g_autofree char *results = in_folder ("empty/results");
  g_autofree char *empty = in_folder ("empty");

  g_mkdir_with_parents (results, 0755);
  g_setenv ("CURED_DATA_DIR", empty, TRUE);
  mark (page, 5);
  cured_document_set_kernel (window->tab->document, kernel);
  assert_soon (shows_empty (page));
  assert_soon_null (cured_page_get_drawing (page));
  /* Looked at again. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "map");
  assert_soon (is_unmapped (page));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "ladder");
  assert_soon (is_mapped (page));
  settle ();
  assert_soon (shows_empty (page));
  g_setenv ("CURED_DATA_DIR", data, TRUE);
}
