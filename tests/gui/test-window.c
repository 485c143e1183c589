/* SPDX-License-Identifier: MIT
 * A tour through the real window: files, keyboard, controls, export, sweeps. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/cured-own.h"
#include "app/cured-window-private.h"
#include "gui-test.h"
#include "make-result.h"

static const CuredGrid *
get_grid (CuredWindow *window)
{
  return cured_map_view_get_grid (get_view (window));
}

static void
assert_cursor (CuredWindow *window, gsize column, gsize row)
{
  gsize at_column, at_row;

  assert_soon (cured_map_view_get_cursor (get_view (window), &at_column, &at_row) &&
               at_column == column && at_row == row);
}

static gboolean
has_other_cell_text (CuredWindow *window, const char *before)
{
  g_autofree char *now = cured_result_page_get_cell_text (get_page (window));

  return now != NULL && !g_str_equal (now, before);
}

TEST ("/window/start")
{
  CuredWindow *window = cured_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  assert_soon (count_rows (get (window, "recorded")) > 0);
  assert_soon_cmpstr (get_shown (window), ==, "start");

  /* Enter on the first sample opens it in this window. */
  gtk_widget_activate (
      GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (get (window, "recorded")), 0)));
  assert_soon (is_loaded (window));
  settle ();
  assert_soon_cmpstr (get_shown (window), ==, "result");

  /* And the start page now knows it. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start-page", NULL);
  assert_soon (count_rows (get (window, "recent")) > 0);
}

static GtkWidget *
find_by_type (GtkWidget *widget, GType type)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_by_type (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The row whose title or subtitle begins so. */
static GtkWidget *
find_row (GtkWidget *widget, const char *text)
{
  if (ADW_IS_ACTION_ROW (widget) &&
      (g_str_has_prefix (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), text) ||
       (adw_action_row_get_subtitle (ADW_ACTION_ROW (widget)) != NULL &&
        g_str_has_prefix (adw_action_row_get_subtitle (ADW_ACTION_ROW (widget)), text))))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_row (child, text);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Why there is no answer stands where the answer would, and the question can be asked again. */
TEST ("/window/failed-answer")
{
  g_autofree char *compiler = g_strdup (g_getenv ("CURED_NVRTC"));
  CuredWindow *window = cured_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  GtkWidget *lessons = get (window, "lessons");
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (lessons), TRUE);
  GtkWidget *lesson = find_by_type (lessons, g_type_from_name ("CuredLessonRow"));
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (lesson), TRUE);
  assert_soon (find_row (lesson, "The text says that a shared") != NULL);
  GtkWidget *entry = find_by_type (lesson, GTK_TYPE_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (entry), "4096");

  g_setenv ("CURED_NVRTC", "/nowhere/libnvrtc.so", TRUE);
  g_signal_emit_by_name (entry, "activate");
  assert_soon (find_row (lesson, "CURED_NVRTC names ") != NULL);
  assert_soon_null (find_row (lesson, "32768 B"));

  if (compiler != NULL)
    g_setenv ("CURED_NVRTC", compiler, TRUE);
  else
    g_unsetenv ("CURED_NVRTC");
  g_signal_emit_by_name (entry, "activate");
  assert_soon (find_row (lesson, "CURED_NVRTC names ") == NULL &&
               (find_row (lesson, "Not quite. 32768 B, counted") != NULL ||
                find_row (lesson, "NVRTC") != NULL));
}

/* What is tried is a copy: its results are shown beside those of the original. */
static void
check_attempt (CuredWindow *window, GtkWidget *bar)
{
  GtkLabel *answer = GTK_LABEL (get (bar, "answer"));
  CuredDocument *document = window->tab->document;
  g_autofree char *original = g_strdup (cured_document_get_source (document));
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (NULL);

  g_signal_emit_by_name (get (bar, "open_source"), "clicked");
  assert_soon_cmpstr (adw_view_stack_get_visible_child_name (window->tab->views), ==, "source");
  if (compiler == NULL)
    return;
  assert_soon (g_str_has_prefix (gtk_label_get_label (answer), "Original kernel: "));
  assert_soon (strstr (gtk_label_get_label (answer), "Your change") == NULL);
  assert_soon (gtk_widget_get_sensitive (get (bar, "make_change")));
  g_signal_emit_by_name (get (bar, "make_change"), "clicked");
  assert_soon (cured_document_is_edited (document));
  assert_soon (strstr (gtk_label_get_label (answer), " Your change: ") != NULL);
  assert_soon (strstr (gtk_label_get_label (answer), " Gone: ") != NULL);
  shoot ("lesson-change");
  /* Once. */
  assert_soon_not (gtk_widget_get_sensitive (get (bar, "make_change")));
  assert_soon (g_str_has_prefix (gtk_label_get_label (answer), "Original kernel: "));
  cured_document_set_source (document, original);
  assert_soon (strstr (gtk_label_get_label (answer), "Your change") == NULL);
}

/* A lesson asks before it answers, and leads to its map. */
TEST ("/window/lessons")
{
  CuredWindow *window = cured_window_new (application);
  graphene_rect_t bounds;

  gtk_window_present (GTK_WINDOW (window));
  GtkWidget *lessons = get (window, "lessons");
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (lessons), TRUE);
  GtkWidget *lesson = find_by_type (lessons, g_type_from_name ("CuredLessonRow"));
  assert_soon_nonnull (lesson);
  assert_soon_null (find_row (lesson, "The text says that a shared"));
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (lesson), TRUE);
  assert_soon (find_row (lesson, "The text says that a shared") != NULL);

  /* Nothing is announced without a reason. */
  GtkWidget *entry = find_by_type (lesson, GTK_TYPE_ENTRY);
  g_signal_emit_by_name (entry, "activate");
  assert_soon_null (find_row (lesson, "32768 B"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "4096");
  g_signal_emit_by_name (entry, "activate");
  assert_soon (find_row (lesson, "Not quite. 32768 B, counted") != NULL ||
               find_row (lesson, "NVRTC") != NULL);

  gtk_widget_activate (find_row (lesson, "Open the map"));
  assert_soon (is_loaded (window));
  settle ();
  assert_soon_cmpstr (get_shown (window), ==, "result");

  /* It goes on above the views, as wide as they are: the other steps, and a question that is not
   * answered before there is a guess. */
  GtkWidget *bar = get (window, "lesson_bar");
  assert_soon (gtk_widget_get_mapped (bar));
  assert_soon (gtk_widget_compute_bounds (bar, bar, &bounds));
  assert_soon_cmpfloat (bounds.size.width, ==, gtk_widget_get_width (get (window, "tabs")));
  shoot ("lesson-bar");
  assert_soon_not (gtk_widget_get_visible (get (bar, "guess")));
  g_signal_emit_by_name (get (bar, "next"), "clicked");
  check_attempt (window, bar);
  g_signal_emit_by_name (get (bar, "next"), "clicked");
  assert_soon (gtk_widget_get_visible (get (bar, "guess")));
  g_signal_emit_by_name (get (bar, "guess"), "activate");
  assert_soon_not (gtk_widget_get_visible (get (bar, "answer")));
  gtk_editable_set_text (GTK_EDITABLE (get (bar, "guess")), "4096");
  g_signal_emit_by_name (get (bar, "guess"), "activate");
  GtkLabel *answer = GTK_LABEL (get (bar, "answer"));
  assert_soon (strstr (gtk_label_get_label (answer), "32768 B") != NULL ||
               strstr (gtk_label_get_label (answer), "NVRTC") != NULL);
  g_signal_emit_by_name (get (bar, "next"), "clicked");
  assert_soon_not (gtk_widget_get_visible (GTK_WIDGET (answer)));
  /* After the last step comes the next lesson. */
  assert_soon (gtk_widget_get_sensitive (get (bar, "next")));
  assert_soon (strstr (gtk_label_get_label (GTK_LABEL (get (bar, "heading"))), " of 16") != NULL);

  /* Another kernel has nothing to do with it. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start-page", NULL);
  assert_soon_not (gtk_widget_get_mapped (bar));
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

/* One recording in eight, or in 32: a window takes a second, and test-claims reads all. */
TEST ("/window/recorded")
{
  const char *data = g_getenv ("CURED_DATA_DIR");
  g_autofree char *results = g_build_filename (data, "results", NULL);
  g_autoptr (GDir) dir = g_dir_open (results, 0, NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".cured"))
      g_ptr_array_add (paths, g_build_filename (results, name, NULL));
  g_ptr_array_sort (paths, compare_paths);
  assert_soon_cmpuint (paths->len, >, 0);
  for (guint i = 0; i < paths->len; i += g_test_slow () ? 8 : 32)
    {
      CuredWindow *window = open_path (paths->pdata[i]);

      g_test_message ("%s", (const char *) paths->pdata[i]);
      assert_soon_cmpstr (get_shown (window), ==, "result");
      assert_soon_cmpuint (get_grid (window)->nx, >, 0);
      close_window (window);
    }
}

TEST ("/window/keyboard")
{
  CuredWindow *window = open_result ("small.cured");
  const CuredGrid *grid = get_grid (window);
  gsize best_column = (gsize) grid->best % grid->nx;
  gsize best_row = (gsize) grid->best / grid->nx;
  CuredHeatMap *map = cured_result_page_get_map (get_page (window));

  assert_soon (gtk_widget_has_focus (GTK_WIDGET (map)));
  assert_cursor (window, best_column, best_row);

  press ("ctrl+Left ctrl+Down");
  assert_cursor (window, 0, 0);
  press ("Right Right Up");
  assert_cursor (window, 2, 1);
  press ("Left");
  assert_cursor (window, 1, 1);
  press ("Left Left Left");
  assert_cursor (window, 0, 1);
  press ("End");
  assert_cursor (window, grid->nx - 1, 1);
  press ("Home ctrl+Up");
  assert_cursor (window, 0, grid->ny - 1);
  shoot ("cursor");
  press ("b");
  assert_cursor (window, best_column, best_row);

  g_autofree char *before = cured_result_page_get_cell_text (get_page (window));
  assert_soon_nonnull (before);
  press ("ctrl+Left Return");
  assert_cursor (window, 0, best_row);
  assert_soon (has_other_cell_text (window, before));

  assert_soon_not (cured_heat_map_is_zoomed (map));
  press ("plus plus");
  assert_soon (cured_heat_map_is_zoomed (map));
  press ("ctrl+Right");
  assert_cursor (window, grid->nx - 1, best_row);
  press ("0");
  assert_soon_not (cured_heat_map_is_zoomed (map));
  press ("ctrl+plus");
  assert_soon (cured_heat_map_is_zoomed (map));
}

static void
choose (CuredWindow *window, const char *drop_down, guint position)
{
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (window, drop_down)), position);
  settle ();
}

TEST ("/window/metric")
{
  CuredWindow *window = open_result ("small.cured");
  GtkDropDown *metric = GTK_DROP_DOWN (get (window, "metric"));
  guint n_metrics = g_list_model_get_n_items (gtk_drop_down_get_model (metric));

  assert_soon_cmpstr (get_grid (window)->metric.id, ==, "time");
  assert_soon_cmpuint (n_metrics, >, 5);
  for (guint i = 1; i < n_metrics - 1; i++)
    {
      choose (window, "metric", i);
      assert_soon_cmpstr (get_grid (window)->metric.id, !=, "time");
      /* A metric explains itself. */
      assert_soon_nonnull (gtk_widget_get_tooltip_text (GTK_WIDGET (metric)));
    }
  choose (window, "metric", 0);
  assert_soon_cmpstr (get_grid (window)->metric.id, ==, "time");

  /* The last one is of two files: another view shows it. */
  choose (window, "metric", n_metrics - 1);
  wait_for_view (window, "compare");
  assert_soon_cmpuint (gtk_drop_down_get_selected (metric), ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "map");
  settle ();

  /* By keyboard: the mnemonic, then the list. */
  press ("alt+m");
  assert_soon (gtk_window_get_focus (GTK_WINDOW (window)) != NULL &&
               gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (window)),
                                        GTK_TYPE_DROP_DOWN) == GTK_WIDGET (metric));
  press ("space");
  assert_soon (gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (window)),
                                        GTK_TYPE_POPOVER) != NULL);
  press ("Down Down Return");
  assert_soon (gtk_drop_down_get_selected (metric) == 2);
  assert_soon_cmpstr (get_grid (window)->metric.id, !=, "time");
}

TEST ("/window/axes")
{
  CuredWindow *window = open_result ("sizes.cured");
  gsize x_axis = cured_map_view_get_view (get_view (window))->x_axis;
  gsize y_axis = cured_map_view_get_view (get_view (window))->y_axis;
  gsize column, row;

  /* The cursor stays on its cell, whatever is X and Y. */
  cured_map_view_set_cursor (get_view (window), 3, 2);
  gint64 cell = get_grid (window)->cells[2 * get_grid (window)->nx + 3];
  press ("ctrl+shift+a");
  assert_soon_cmpuint (cured_map_view_get_view (get_view (window))->x_axis, ==, y_axis);
  assert_soon_cmpuint (cured_map_view_get_view (get_view (window))->y_axis, ==, x_axis);
  cured_map_view_get_cursor (get_view (window), &column, &row);
  assert_soon_cmpint (get_grid (window)->cells[row * get_grid (window)->nx + column], ==, cell);

  /* Another slice has other values. */
  GtkWidget *scale = gtk_grid_get_child_at (GTK_GRID (get (get (window, "slices"), "grid")), 1, 0);
  assert_soon (GTK_IS_SCALE (scale));
  double value = get_grid (window)->high;
  gtk_range_set_value (GTK_RANGE (scale), 0.0);
  settle ();
  gtk_range_set_value (GTK_RANGE (scale), 2.0);
  assert_soon (get_grid (window)->high != value);

  /* A third axis to the right: the one that was there becomes a slice. */
  choose (window, "x_axis", 2);
  assert_soon_cmpuint (cured_map_view_get_view (get_view (window))->x_axis, ==, 2);
  assert_soon_cmpuint (get_grid (window)->nx, ==, 3);
  /* A parameter that the other axis has is swapped. */
  choose (window, "y_axis", gtk_drop_down_get_selected (GTK_DROP_DOWN (get (window, "x_axis"))));
  assert_soon_cmpuint (cured_map_view_get_view (get_view (window))->y_axis, ==, 2);

  choose (window, "colours", 1);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (window, "logarithmic")), TRUE);
  assert_soon (get_grid (window)->logarithmic);
}

TEST ("/window/line")
{
  CuredWindow *window = open_result ("line.cured");

  assert_soon_cmpuint (get_grid (window)->ny, ==, 1);
  press ("ctrl+Left Right");
  assert_cursor (window, 1, 0);
  press ("plus Up Down 0 Return");
}

/* Whether the details of the cell that is chosen say @what. */
static gboolean
tells (CuredWindow *window, const char *what)
{
  g_autofree char *text = cured_result_page_get_cell_text (get_page (window));

  return text != NULL && strstr (text, what) != NULL;
}

TEST ("/window/states")
{
  CuredWindow *window = open_result ("states.cured");
  CuredResult *result = cured_map_view_get_result (get_view (window));
  const CuredGrid *grid = get_grid (window);
  gboolean is_seen[CURED_N_STATES] = { FALSE };

  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    {
      if (is_seen[grid->states[i]])
        continue;
      is_seen[grid->states[i]] = TRUE;
      cured_map_view_set_cursor (get_view (window), i % grid->nx, i / grid->nx);
      cured_map_view_choose_cursor (get_view (window));
      pause_ms (50);
      g_autofree char *text = cured_result_page_get_cell_text (get_page (window));
      assert_soon_nonnull (text);
      if (grid->states[i] == CURED_STATE_WRONG)
        shoot ("wrong");
      if (grid->states[i] == CURED_STATE_WRONG)
        assert_soon (tells (window, "unwritten"));
    }
  for (int state = 0; state < CURED_N_STATES; state++)
    assert_soon (is_seen[state] == (cured_result_count_state (result, (CuredState) state) > 0));
}

static void
export_to (CuredWindow *window, const char *format, const char *name, const char *start)
{
  g_autofree char *path = in_folder (name);
  g_autofree char *contents = NULL;
  gboolean is_settled = FALSE;
  gulong id = g_signal_connect_swapped (window, "settled", G_CALLBACK (set_cb), &is_settled);

  cured_tab_export (cured_window_get_tab (window), cured_export_format_find (format), path);
  assert_soon (is_set (&is_settled));
  g_signal_handler_disconnect (window, id);
  MUST (g_file_get_contents (path, &contents, NULL, &fail));
  if (start != NULL)
    assert_soon_cmpint (strncmp (contents, start, strlen (start)), ==, 0);
}

TEST ("/window/export")
{
  CuredWindow *window = open_result ("sizes.cured");
  gboolean is_settled = FALSE;
  gsize n_formats;
  const CuredExportFormat *formats = cured_export_formats (&n_formats);

  export_to (window, "png", "map.png", "\x89PNG");
  export_to (window, "csv", "map.csv", NULL);
  for (gsize i = 0; i < n_formats; i++)
    {
      g_autofree char *name = g_strdup_printf ("all.%s", formats[i].id);

      export_to (window, formats[i].id, name, NULL);
    }

  g_signal_connect_swapped (window, "settled", G_CALLBACK (set_cb), &is_settled);
  press ("ctrl+shift+c");
  assert_soon (is_set (&is_settled));

  /* A folder that is not there: a toast, and no file. */
  is_settled = FALSE;
  cured_tab_export (cured_window_get_tab (window), cured_export_format_find ("png"),
                    "/nowhere/at/all.png");
  assert_soon (is_set (&is_settled));
}

static const char *
get_message (CuredWindow *window)
{
  return cured_toast_overlay_get_text (CURED_TOAST_OVERLAY (get (window, "toasts")));
}

/* Messages that come, are replaced and are dismissed while the last one still moves. */
TEST ("/window/messages")
{
  CuredWindow *window = open_result ("small.cured");

  for (guint ms = 0; ms <= 300; ms += 50)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.copy-picture", NULL);
      assert_soon (get_message (window) != NULL);
      g_autofree char *picture = g_strdup (get_message (window));
      pause_ms (ms);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.copy-table", NULL);
      assert_soon (g_strcmp0 (get_message (window), picture) != 0);
      assert_soon_nonnull (get_message (window));
      pause_ms (ms);
      press ("Escape Escape Escape");
      assert_soon (get_message (window) == NULL);
      press ("alt+3");
      wait_for_view (window, "ladder");
      press ("alt+1");
    }

  /* It disappears by itself. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.copy-table", NULL);
  assert_soon (get_message (window) != NULL);
  assert_soon (get_message (window) == NULL);
}

static GtkWindow *
find_shown (GType type)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *l = windows; l != NULL; l = l->next)
    if (g_type_is_a (G_OBJECT_TYPE (l->data), type) && gtk_widget_get_mapped (l->data))
      return l->data;
  return NULL;
}

/* What a chooser still reads when it is closed comes to a widget that is there; it is kept, and
 * asks the next question. */
TEST ("/window/chooser")
{
  CuredWindow *window = open_result ("small.cured");

  gtk_widget_activate_action (GTK_WIDGET (window), "win.open", NULL);
  assert_soon (find_shown (GTK_TYPE_FILE_CHOOSER_DIALOG) != NULL);
  GtkWindow *chooser = find_shown (GTK_TYPE_FILE_CHOOSER_DIALOG);
  gtk_dialog_response (GTK_DIALOG (chooser), GTK_RESPONSE_CANCEL);
  assert_soon (find_shown (GTK_TYPE_FILE_CHOOSER_DIALOG) == NULL);
  settle ();
  assert_soon (find_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG) == chooser);

  /* With its window. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.open", NULL);
  assert_soon (find_shown (GTK_TYPE_FILE_CHOOSER_DIALOG) != NULL);
  assert_soon (find_shown (GTK_TYPE_FILE_CHOOSER_DIALOG) == chooser);
  close_window (window);
  assert_soon (find_shown (GTK_TYPE_FILE_CHOOSER_DIALOG) == NULL);
  settle ();
}

/* Ctrl+Shift+E asks for the look of a picture before it asks for a file. */
TEST ("/window/export-options")
{
  CuredWindow *window = open_result ("sizes.cured");

  press ("ctrl+shift+e");
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG));
  settle ();
  shoot ("export-options");
  assert_soon (adw_message_dialog_get_response_enabled (dialog, "export"));
  GtkWidget *list = gtk_widget_get_first_child (adw_message_dialog_get_extra_child (dialog));
  GtkListBoxRow *size = gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 1);
  gtk_editable_set_text (GTK_EDITABLE (size), "12xcm");
  assert_soon_not (adw_message_dialog_get_response_enabled (dialog, "export"));
  gtk_editable_set_text (GTK_EDITABLE (size), "12x8cm");
  assert_soon (adw_message_dialog_get_response_enabled (dialog, "export"));
  adw_message_dialog_response (dialog, "export");
  gtk_window_destroy (GTK_WINDOW (dialog));
  assert_soon (find_shown (GTK_TYPE_FILE_CHOOSER_DIALOG) != NULL);
  GtkWindow *chooser = find_shown (GTK_TYPE_FILE_CHOOSER_DIALOG);
  gtk_dialog_response (GTK_DIALOG (chooser), GTK_RESPONSE_CANCEL);
  close_window (window);
}

static void
assert_refused (const char *path)
{
  CuredWindow *window = open_path (path);

  assert_soon_cmpstr (get_shown (window), ==, "error");
  assert_soon_cmpuint (strlen (get_error (window)), >, 10);
  g_test_message ("%s", get_error (window));
  shoot ("error");
  close_window (window);
}

/* An address that has no last part to name it by. */
TEST ("/window/nowhere")
{
  const char *const addresses[] = { "", "http://" };

  for (gsize i = 0; i < G_N_ELEMENTS (addresses); i++)
    {
      g_autoptr (GFile) file = g_file_new_for_uri (addresses[i]);
      CuredWindow *window = cured_window_open_somewhere (application, file);

      settle ();
      assert_soon_cmpstr (get_shown (window), ==, "error");
      assert_soon_nonnull (strstr (get_error (window), "Copy it"));
      close_window (window);
    }
}

static CuredWindow *
begin_to_open (const char *name)
{
  g_autofree char *path = in_folder (name);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  CuredWindow *window = cured_window_open_somewhere (application, file);

  assert_soon_cmpstr (get_shown (window), ==, "loading");
  return window;
}

/* Keys that are pressed before the file is there. */
static CuredWindow *
open_and_act (const char *name, const char *action, const char *parameter)
{
  CuredWindow *window = begin_to_open (name);

  gtk_widget_activate_action (GTK_WIDGET (window), action, parameter != NULL ? "s" : NULL,
                              parameter);
  assert_soon_null (find_dialog (CURED_TYPE_SWEEP_DIALOG));
  assert_soon (is_loaded (window));
  return window;
}

TEST ("/window/ahead")
{
  CuredWindow *window = open_and_act ("small.cured", "win.new-sweep", NULL);
  GtkWindow *dialog = wait_for_dialog (CURED_TYPE_SWEEP_DIALOG);

  /* Of this reading, and not of any kernel. */
  assert_soon_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (get (dialog, "stack"))), ==,
                      "set-up");
  close_window (dialog);
  close_window (window);

  window = open_and_act ("small.cured", "win.show-view", "source");
  assert_soon_cmpstr (get_shown (window), ==, "result");
  assert_soon_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (get (window, "views"))), ==, "source");
  close_window (window);

  /* Where no file comes of it, nor does a later one take it for its own. */
  window = open_and_act ("missing.cured", "win.new-sweep", NULL);
  assert_soon_cmpstr (get_shown (window), ==, "error");
  assert_soon (open_result ("small.cured") == window);
  settle ();
  assert_soon_null (find_dialog (CURED_TYPE_SWEEP_DIALOG));
}

/* A file that is read while its window closes finds the tab, which lives a little longer, but no
 * window. */
TEST ("/window/gone")
{
  CuredWindow *window = begin_to_open ("small.cured");
  g_autoptr (GtkWidget) tabs = g_object_ref (get (window, "tabs"));
  CuredTab *tab = window->tab;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "source");
  gtk_window_destroy (GTK_WINDOW (window));
  assert_soon (cured_document_get_result (((CuredTab *) tab)->document) != NULL);
  assert_soon_null (gtk_widget_get_root (GTK_WIDGET (tab)));
  settle ();
}

/* Nor does the map take the focus from a view that was chosen meanwhile. */
TEST ("/window/elsewhere")
{
  CuredWindow *window = open_and_act ("small.cured", "win.find-kernel", NULL);
  assert_soon (is_mapped (cured_result_page_get_map (get_page (window))));
  settle ();
  assert_soon (GTK_IS_TEXT (gtk_window_get_focus (GTK_WINDOW (window))));

  /* And back from the list. */
  assert_soon (gtk_widget_child_focus (get (get (window, "kernels"), "list"), GTK_DIR_TAB_FORWARD));
  assert_soon_not (GTK_IS_TEXT (gtk_window_get_focus (GTK_WINDOW (window))));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.find-kernel", NULL);
  assert_soon (GTK_IS_TEXT (gtk_window_get_focus (GTK_WINDOW (window))));
  close_window (window);

  window = begin_to_open ("small.cured");
  gtk_menu_button_popup (GTK_MENU_BUTTON (get (window, "menu")));
  assert_soon (is_loaded (window));
  assert_soon (is_mapped (cured_result_page_get_map (get_page (window))));
  settle ();
  assert_soon_nonnull (
      gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (window)), GTK_TYPE_POPOVER));
  close_window (window);

  window = open_result ("small.cured");
  assert_soon (gtk_window_get_focus (GTK_WINDOW (window)) ==
               GTK_WIDGET (cured_result_page_get_map (get_page (window))));
}

TEST ("/window/refused")
{
  g_autofree char *foreign = in_folder ("foreign.cured");
  g_autofree char *cut = in_folder ("cut.cured");
  g_autofree char *missing = in_folder ("missing.cured");
  g_autofree char *whole = in_folder ("small.cured");
  g_autofree char *contents = NULL;
  gsize length;

  g_file_set_contents (foreign, "Not a database <at> all & so on\n", -1, NULL);
  assert_refused (foreign);
  MUST (g_file_get_contents (whole, &contents, &length, &fail));
  g_file_set_contents (cut, contents, (gssize) length / 2, NULL);
  assert_refused (cut);
  assert_refused (missing);
}

static CuredWindow *
find_sweeping (void)
{
  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (CURED_IS_WINDOW (l->data) && get_sweep (l->data) != NULL)
      return l->data;
  return NULL;
}

static gboolean
has_done_some (gpointer data)
{
  CuredProgress progress;

  return cured_sweep_get_progress (data, &progress) && progress.n_done >= 3;
}

CURED_FREE_FUNC (CuredDeviceFound, found_free, info, cured_device_info_clear, info, g_free, id,
                 g_free)

static GPtrArray *
fake_devices (void)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func (found_free);
  CuredDeviceFound *found = g_new0 (CuredDeviceFound, 1);

  found->id = g_strdup ("fake:0");
  found->info = g_new0 (CuredDeviceInfo, 1);
  make_device_info (found->info);
  g_ptr_array_add (devices, found);
  return devices;
}

TEST ("/window/sweep")
{
  CuredWindow *window = cured_window_new (application);
  CuredProgress progress;
  g_autoptr (GPtrArray) devices = fake_devices ();
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  g_autofree char *path = in_folder ("swept.cured");

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  press ("ctrl+n");
  CuredSweepDialog *dialog = CURED_SWEEP_DIALOG (wait_for_dialog (CURED_TYPE_SWEEP_DIALOG));

  cured_sweep_dialog_set_devices (dialog, none);
  cured_sweep_dialog_choose_kernel (dialog, "vector/add");
  assert_soon (strstr (cured_sweep_dialog_get_status (dialog), "device"));
  assert_soon_not (gtk_widget_is_sensitive (get (dialog, "run")));
  assert_soon_not (cured_sweep_dialog_run (dialog));

  cured_sweep_dialog_set_devices (dialog, devices);
  cured_sweep_dialog_set_axis (dialog, "blocks", "1..");
  assert_soon (!strstr (cured_sweep_dialog_get_status (dialog), "device"));
  assert_soon_not (gtk_widget_is_sensitive (get (dialog, "run")));
  shoot ("dialog-error");
  cured_sweep_dialog_set_axis (dialog, "blocks", "1..16");
  cured_sweep_dialog_set_axis (dialog, "n", "1024");
  cured_sweep_dialog_set_path (dialog, path);
  /* It does not end before it is cancelled. */
  g_object_set (get (dialog, "options"), "limit-s", 3000.0, NULL);
  assert_soon (gtk_widget_is_sensitive (get (dialog, "run")));
  g_test_message ("%s", cured_sweep_dialog_get_status (dialog));
  shoot ("dialog-ready");

  g_setenv ("CURED_FAKE", "wait=5,until=/dev/null/never", TRUE);
  press ("ctrl+Return");
  assert_soon (find_dialog (CURED_TYPE_SWEEP_DIALOG) == NULL);
  window = find_sweeping ();
  assert_soon_nonnull (window);
  CuredSweep *sweep = g_object_ref (get_sweep (window));
  assert_soon (has_done_some (sweep));
  assert_soon (is_mapped (get (window, "cancel")));
  shoot ("sweep-running");

  /* Closing asks; nothing is lost by saying no. */
  press ("ctrl+w");
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  shoot ("close-question");
  press ("Escape");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) == NULL);
  assert_soon (cured_sweep_is_active (sweep));

  /* Cancel ends it soon, and the file keeps what was done. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel-sweep", NULL);
  assert_soon (is_over (sweep));
  assert_soon (cured_sweep_get_progress (sweep, &progress));
  settle ();
  CuredResult *result = cured_map_view_get_result (get_view (window));
  gint64 n_missing = cured_result_count_state (result, CURED_STATE_NOT_RUN);
  assert_soon_cmpint (n_missing, >, 0);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, progress.n_done);
  assert_soon (is_mapped (get (window, "resume")));
  shoot ("sweep-cancelled");
  g_object_unref (sweep);
  close_window (window);

  /* Opened again, it can be resumed to its end. */
  window = open_result ("swept.cured");
  result = cured_map_view_get_result (get_view (window));
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), ==, n_missing);
  g_setenv ("CURED_FAKE", "ms=1,crash=7,fail=9", TRUE);
  /* A button shows that it was pressed before it acts. */
  gtk_widget_activate (get (window, "resume"));
  assert_soon (get_sweep (window) != NULL);
  sweep = g_object_ref (get_sweep (window));
  assert_soon (is_over (sweep));
  assert_soon (cured_result_count_state (result, CURED_STATE_NOT_RUN) == 0);
  assert_soon (is_unmapped (get (window, "resume")));
  g_object_unref (sweep);
}

/* A worker that can't be started leads back, with a reason. */
TEST ("/window/no-worker")
{
  g_autofree char *worker = g_strdup (g_getenv ("CURED_WORKER"));
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("vector/add", &fail));
  g_autofree char *path = in_folder ("never.cured");
  CuredWindow *window = cured_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  g_setenv ("CURED_WORKER", "/nowhere/worker", TRUE);
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_autoptr (CuredSweep) sweep = cured_sweep_new (spec, "fake:0", path, FALSE);
  cured_tab_run (cured_window_get_tab (window), sweep);
  assert_soon (is_over (sweep));
  g_setenv ("CURED_WORKER", worker, TRUE);
  GtkWindow *explanation = wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  assert_soon_cmpstr (get_shown (window), ==, "start");
  shoot ("no-worker");
  assert_soon_not (g_file_test (path, G_FILE_TEST_EXISTS));
  gtk_window_destroy (explanation);
}

static GtkWidget *
find_label (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), text))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, text);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The button with the version copies it, and shows no AdwToast: one that goes while it replaces
 * another ends the program. */
static void
check_about (GtkWidget *about)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (about);
  GtkWidget *button = gtk_widget_get_ancestor (find_label (about, CURED_VERSION), GTK_TYPE_BUTTON);
  g_auto (GValue) text = G_VALUE_INIT;

  for (guint i = 0; i < 2; i++)
    g_signal_emit_by_name (button, "clicked");
  assert_soon (gdk_clipboard_get_content (clipboard) != NULL);
  g_value_init (&text, G_TYPE_STRING);
  assert_soon (gdk_content_provider_get_value (gdk_clipboard_get_content (clipboard), &text, NULL));
  assert_soon_cmpstr (g_value_get_string (&text), ==, "Cured " CURED_VERSION);
  assert_soon_null (find_by_type (about, g_type_from_name ("AdwToastWidget")));
}

TEST ("/window/dialogs")
{
  CuredWindow *window = open_result ("small.cured");

  press ("ctrl+question");
  wait_for_dialog (GTK_TYPE_SHORTCUTS_WINDOW);
  shoot ("shortcuts");
  gtk_window_close (find_dialog (GTK_TYPE_SHORTCUTS_WINDOW));
  g_action_group_activate_action (G_ACTION_GROUP (application), "about", NULL);
  check_about (GTK_WIDGET (wait_for_dialog (ADW_TYPE_ABOUT_WINDOW)));
  shoot ("about");
  gtk_window_destroy (find_dialog (ADW_TYPE_ABOUT_WINDOW));

  g_action_group_change_action_state (G_ACTION_GROUP (application), "colour-scheme",
                                      g_variant_new_string ("dark"));
  assert_soon (adw_style_manager_get_dark (adw_style_manager_get_default ()));
  g_action_group_change_action_state (G_ACTION_GROUP (application), "colour-scheme",
                                      g_variant_new_string ("light"));
  assert_soon (!adw_style_manager_get_dark (adw_style_manager_get_default ()));

  press ("F9");
  assert_soon_not (adw_flap_get_reveal_flap (ADW_FLAP (get (window, "flap"))));
  press ("F9");
  assert_soon (adw_flap_get_reveal_flap (ADW_FLAP (get (window, "flap"))));
}

/* Where a file manager drops: the pointer can't bring a file from outside of the test's display, so
 * the controller makes up one. */
TEST ("/window/drop")
{
  CuredWindow *window = cured_window_new (application);
  g_autofree char *path = in_folder ("line.cured");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GSList files = { file, NULL };
  g_auto (GValue) value = G_VALUE_INIT;
  GtkDropTarget *target = NULL;
  gboolean is_taken = FALSE;

  gtk_window_present (GTK_WINDOW (window));
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (window));
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        target = GTK_DROP_TARGET (controller);
    }
  assert_soon_nonnull (target);
  assert_soon (
      gdk_content_formats_contain_gtype (gtk_drop_target_get_formats (target), GDK_TYPE_FILE_LIST));
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_list (&files));
  g_signal_emit_by_name (target, "drop", &value, 1.0, 1.0, &is_taken);
  assert_soon (is_taken);
  assert_soon (g_strcmp0 (get_shown (window), "result") == 0);
}

static void
copy_to (const char *from, const char *name)
{
  g_autofree char *path = in_folder (name);
  g_autoptr (GFile) source = g_file_new_for_path (from);
  g_autoptr (GFile) target = g_file_new_for_path (path);

  MUST (g_file_copy (source, target, G_FILE_COPY_NONE, NULL, NULL, NULL, &fail));
}

/* A name in another encoding, with what is markup elsewhere; any message of a library ends the
 * test. */
TEST ("/window/names")
{
  static const char *const views[] = { "map", "banks", "ladder", "source", "compare" };
  g_autofree char *recorded =
      g_build_filename (CURED_SOURCE_DATADIR, "results", "transpose-padded-h200.cured", NULL);
  g_autofree char *source =
      g_build_filename (g_getenv ("CURED_KERNELS_DIR"), "transpose", "padded.cu", NULL);
  g_autofree char *other = in_folder ("\351\303.cured");

  copy_to (recorded, "caf\351_<b>&.cured");
  copy_to (recorded, "\351\303.cured");
  copy_to (source, "noy\351_<i>&.cu");
  g_autofree char *uri = g_filename_to_uri (other, NULL, NULL);

  CuredWindow *window = open_result ("caf\351_<b>&.cured");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.new-sweep", NULL);
  close_window (wait_for_dialog (CURED_TYPE_SWEEP_DIALOG));
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", views[i]);
      settle ();
    }
  gtk_widget_activate_action (GTK_WIDGET (window->tab->compare_page), "compare.file", "s", uri);
  assert_soon (strstr (gtk_label_get_label (GTK_LABEL (get (window->tab->compare_page, "name_b"))),
                       ".cured") != NULL);
  close_window (window);

  window = open_result ("noy\351_<i>&.cu");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "source");
  settle ();
  assert_soon (g_utf8_validate (cured_document_get_kernel (window->tab->document)->id, -1, NULL));
}
