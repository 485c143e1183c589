/* SPDX-License-Identifier: MIT
 * The source page in a real window: typing, problems, PTX, finding, saving, and the dialog for
 * files that have no header. */
#include <string.h>

#include <glib/gstdio.h>
#include <gtksourceview/gtksource.h>

#include "app/cured-window-private.h"
#include "gui-test.h"

static const char source[] = "/*! cured\n * [Kernel]\n * Title=Rows\n *\n"
                             " * [Buffer in]\n * Type=f32\n * Length=4096\n * Fill=ramp\n *\n"
                             " * [Buffer out]\n * Type=f32\n * Length=4096\n * Fill=poison\n *\n"
                             " * [Launch]\n * Entry=rows\n * Grid=64\n * Block=64\n"
                             " * Arguments=in,out\n */\n"
                             "extern \"C\" __global__ void\nrows (const float *in, float *out)\n{\n"
                             "  __shared__ float tile[64 * 32];\n"
                             "  unsigned i = 64 * blockIdx.x + threadIdx.x;\n\n"
                             "  tile[threadIdx.x] = in[i];\n"
                             "  __syncthreads ();\n"
                             "  out[i] = tile[63 - threadIdx.x];\n}\n";

static CuredWindow *
open_kernel (const char *name, const char *text)
{
  g_autofree char *path = in_folder (name);

  MUST (g_file_set_contents (path, text, -1, &fail));
  return open_path (path);
}

static GtkTextBuffer *
get_buffer (CuredWindow *window, const char *id)
{
  return gtk_text_view_get_buffer (
      GTK_TEXT_VIEW (get (get (GTK_WIDGET (window), "source_page"), id)));
}

static char *
get_text (GtkTextBuffer *buffer)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

static gboolean
has_text (GtkTextBuffer *buffer, const char *part)
{
  g_autofree char *text = get_text (buffer);

  return strstr (text, part) != NULL;
}

static int
get_line (GtkTextBuffer *buffer)
{
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  return gtk_text_iter_get_line (&iter) + 1;
}

static const char *
get_label (CuredWindow *window, const char *id)
{
  return gtk_label_get_text (GTK_LABEL (get (get (GTK_WIDGET (window), "source_page"), id)));
}

static guint
count_problems (CuredWindow *window)
{
  return cured_problem_list_get_n_rows (CURED_PROBLEM_LIST (get (GTK_WIDGET (window), "problems")));
}

/* What is waited for. */
typedef struct
{
  CuredWindow *window;
  const char *label; /* nullable */
  const char *text;
  guint n_problems;
} Wanted;

static gboolean
is_there (gpointer data)
{
  const Wanted *wanted = data;

  if (wanted->label != NULL)
    return strstr (get_label (wanted->window, wanted->label), wanted->text) != NULL;
  return count_problems (wanted->window) == wanted->n_problems;
}

static void
wait_for_label (CuredWindow *window, const char *label, const char *text)
{
  Wanted wanted = { .window = window, .label = label, .text = text };
  gboolean is_right = wait_for (is_there, &wanted);

  if (!is_right)
    g_test_message ("%s is “%s”", label, get_label (window, label));
  assert_soon (is_right);
}

static void
wait_for_problems (CuredWindow *window, guint n)
{
  Wanted wanted = { .window = window, .n_problems = n };

  gboolean is_right = wait_for (is_there, &wanted);

  if (!is_right)
    shoot ("source-failed");
  assert_soon (is_right);
}

static GtkWidget *
find_widget (GtkWidget *widget, GType type)
{
  GtkWidget *found = G_TYPE_CHECK_INSTANCE_TYPE (widget, type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_widget (child, type);
  return found;
}

/* Whether the gutter has figures of a line. */
static gboolean
has_figures (CuredWindow *window, int line)
{
  GtkWidget *view = get (get (GTK_WIDGET (window), "source_page"), "view");
  GtkWidget *gutter = find_widget (view, CURED_TYPE_EXCESS_GUTTER);
  g_autoptr (GtkTooltip) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
  GtkTextIter iter;
  int buffer_y, y;
  gboolean has = FALSE;

  gtk_text_buffer_get_iter_at_line (get_buffer (window, "view"), &iter, line - 1);
  gtk_text_view_get_line_yrange (GTK_TEXT_VIEW (view), &iter, &buffer_y, NULL);
  gtk_text_view_buffer_to_window_coords (GTK_TEXT_VIEW (view), GTK_TEXT_WINDOW_WIDGET, 0, buffer_y,
                                         NULL, &y);
  g_signal_emit_by_name (gutter, "query-tooltip", 0, y, TRUE, tooltip, &has);
  return has;
}

/* Typing makes a conflict, an error takes the figures away but not the banks, undo brings all of it
 * back. */
TEST ("/source/type")
{
  GtkTextIter iter;
  int line = find_line (source, "tile[threadIdx.x]");

  NEED_COMPILER ();
  CuredWindow *window = open_kernel ("rows.cu", source);
  GtkTextBuffer *buffer = get_buffer (window, "view");
  wait_for_label (window, "excess", "0 excess");
  assert_soon_cmpuint (count_problems (window), ==, 0);
  assert_soon_cmpstr (get_label (window, "state"), ==, "rows.cu");
  assert_soon_cmpint (get_line (buffer), ==, find_line (source, "__global__"));

  /* tile[threadIdx.x] → tile[threadIdx.x * 32] */
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  press ("ctrl+i");
  g_autofree char *digits = g_strdup_printf ("%d %d", line / 10, line % 10);
  press (digits);
  press ("Return");
  assert_soon_cmpint (get_line (buffer), ==, line);
  /* Behind threadIdx.x. */
  press ("Home");
  press ("--repeat 18 Right");
  press ("space asterisk space 3 2");
  wait_for_label (window, "excess", "62 excess");
  wait_for_label (window, "state", "edited");
  assert_soon (has_figures (window, line));
  assert_soon (has_text (buffer, "tile[threadIdx.x * 32]"));
  shoot ("source-conflict");

  /* A letter too many: an error with its line, underlined. */
  wait_for_problems (window, 1);
  press ("z");
  GtkTextTag *tag =
      gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (buffer), "cured-error");
  gtk_text_buffer_get_iter_at_line (buffer, &iter, line - 1);
  gtk_text_iter_forward_chars (&iter, 4);
  assert_soon (gtk_text_iter_has_tag (&iter, tag));
  wait_for_problems (window, 1);
  /* A text that can't be compiled has no findings. */
  wait_for_label (window, "excess", "");
  assert_soon_cmpstr (get_label (window, "excess"), ==, "");
  assert_soon_cmpstr (get_label (window, "compile_time"), ==, "");
  assert_soon_cmpstr (get_label (window, "findings"), ==, "");
  assert_soon_not (has_figures (window, line));
  shoot ("source-error");
  press ("ctrl+Home");
  assert_soon_cmpint (get_line (buffer), ==, 1);
  press ("F4");
  assert_soon_cmpint (get_line (buffer), ==, line);

  gtk_widget_activate_action (get (GTK_WIDGET (window), "source_page"), "source.revert", NULL);
  wait_for_problems (window, 0);
  wait_for_label (window, "excess", "0 excess");
  assert_soon_cmpstr (get_label (window, "state"), ==, "rows.cu");
  assert_soon (has_text (buffer, source));
  assert_soon_cmpint (gtk_text_buffer_get_char_count (buffer), ==, g_utf8_strlen (source, -1));

  /* Even that can be undone. */
  press ("ctrl+z");
  assert_soon (has_text (buffer, "threadIdx.x * 32z]"));
  press ("ctrl+shift+z");
  wait_for_label (window, "state", "rows.cu");
}

/* Warnings of the compiler are listed and underlined as warnings, and the kernel runs
 * nevertheless. */
TEST ("/source/warning")
{
  GtkTextIter iter;
  int line = find_line (source, "__syncthreads");

  NEED_COMPILER ();
  CuredWindow *window = open_kernel ("rows.cu", source);
  GtkTextBuffer *buffer = get_buffer (window, "view");
  GtkTextTagTable *tags = gtk_text_buffer_get_tag_table (buffer);
  wait_for_label (window, "excess", "0 excess");
  gtk_text_buffer_get_iter_at_line (buffer, &iter, line - 1);
  gtk_text_iter_forward_to_line_end (&iter);
  gtk_text_buffer_insert (buffer, &iter, " int spare;", -1);
  wait_for_problems (window, 1);
  shoot ("source-warning");
  gtk_text_buffer_get_iter_at_line_offset (buffer, &iter, line - 1, 4);
  assert_soon (gtk_text_iter_has_tag (&iter, gtk_text_tag_table_lookup (tags, "cured-warning")));
  assert_soon_not (gtk_text_iter_has_tag (&iter, gtk_text_tag_table_lookup (tags, "cured-error")));
  assert_soon_nonnull (strstr (get_label (window, "excess"), "0 excess"));
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  press ("ctrl+Home F4");
  assert_soon_cmpint (get_line (buffer), ==, line);
  press ("ctrl+z");
  wait_for_problems (window, 0);
  pause_ms (300);
}

static gboolean
is_cursor_in_sight (CuredWindow *window)
{
  GtkTextView *view = GTK_TEXT_VIEW (get (get (GTK_WIDGET (window), "source_page"), "view"));
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  GtkTextIter iter;
  GdkRectangle line, visible;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  gtk_text_view_get_iter_location (view, &iter, &line);
  gtk_text_view_get_visible_rect (view, &visible);
  return line.y >= visible.y && line.y + line.height <= visible.y + visible.height;
}

static gboolean
has_inspection (gpointer data)
{
  CuredWindow *window = data;

  return cured_inspector_get_inspection (window->tab->inspector) != NULL &&
         !cured_inspector_is_busy (window->tab->inspector);
}

/* A kernel far down in a long text is in sight, though all that is found in it was found before the
 * page is seen. */
TEST ("/source/far-down")
{
  g_autofree char *path =
      g_build_filename (CURED_SOURCE_DATADIR, "results", "matmul-best-h200.cured", NULL);

  NEED_COMPILER ();
  CuredWindow *window = open_path (path);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "banks");
  assert_soon (has_inspection (window));
  settle ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "source");
  assert_soon (wait_for (is_mapped, get (get (GTK_WIDGET (window), "source_page"), "view")));
  assert_soon_cmpint (get_line (get_buffer (window, "view")), >, 500);
  assert_soon (is_cursor_in_sight (window));
  /* And stays there. */
  settle ();
  assert_soon (is_cursor_in_sight (window));
}

/* A header with an error has its line, too. */
TEST ("/source/header-error")
{
  g_autofree char *recorded =
      g_build_filename (CURED_SOURCE_DATADIR, "results", "transpose-padded-h200.cured", NULL);

  NEED_COMPILER ();
  CuredWindow *window = open_kernel ("rows.cu", source);
  GtkTextBuffer *buffer = get_buffer (window, "view");
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  press ("ctrl+Home Down Down Home Right Right Right x");
  wait_for_problems (window, 1);
  assert_soon_cmpstr (get_label (window, "compile_time"), ==, "");
  assert_soon_cmpstr (get_label (window, "findings"), ==, "");
  press ("ctrl+Home F4");
  assert_soon_cmpint (get_line (buffer), ==, 3);
  press ("ctrl+z");
  wait_for_problems (window, 0);
  close_window (window);

  /* In a source that is no file of its own, too. */
  window = open_path (recorded);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "source");
  assert_soon (wait_for (is_mapped, get (get (GTK_WIDGET (window), "source_page"), "view")));
  buffer = get_buffer (window, "view");
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  press ("ctrl+Home Down Down Down End BackSpace");
  wait_for_problems (window, 1);
  press ("ctrl+Home F4");
  assert_soon_cmpint (get_line (buffer), ==, 4);
  press ("ctrl+z");
  wait_for_problems (window, 0);
}

/* A line of the source and its lines of the PTX, both ways; and the bank page's line. */
TEST ("/source/ptx")
{
  GtkTextIter iter, end;
  int line = find_line (source, "out[i]");

  NEED_COMPILER ();
  CuredWindow *window = open_kernel ("rows.cu", source);
  /* It comes only on request. */
  assert_soon_not (gtk_widget_get_mapped (get (window, "code")));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (window, "show_ptx")), TRUE);
  GtkTextBuffer *buffer = get_buffer (window, "view");
  GtkTextBuffer *ptx = get_buffer (window, "code");
  wait_for_label (window, "excess", "0 excess");
  g_autofree char *text = get_text (ptx);
  const char *found = strstr (text, "st.global");
  assert_soon_nonnull (found);
  gtk_text_buffer_get_start_iter (ptx, &iter);
  assert_soon (gtk_text_iter_forward_search (&iter, "st.global", GTK_TEXT_SEARCH_TEXT_ONLY, &iter,
                                             &end, NULL));

  /* From the PTX to the source. */
  gtk_text_buffer_place_cursor (ptx, &iter);
  assert_soon_cmpint (get_line (buffer), ==, line);
  assert_soon_cmpint (cured_document_get_line (window->tab->document), ==, line);

  /* And back. */
  GtkTextTag *tag = gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (ptx), "cured-linked");
  assert_soon (gtk_text_iter_has_tag (&iter, tag));
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  press ("Up Up");
  assert_soon_not (gtk_text_iter_has_tag (&iter, tag));
  press ("Down Down");
  assert_soon (gtk_text_iter_has_tag (&iter, tag));
  cured_document_set_line (window->tab->document, line - 2);
  assert_soon_cmpint (get_line (buffer), ==, line - 2);
  shoot ("source-ptx");

  press ("alt+p");
  assert_soon_not (gtk_widget_get_mapped (get (GTK_WIDGET (window), "code")));
}

static const char tiles[] = "/*! cured\n * [Kernel]\n * Title=Tiles\n *\n"
                            " * [Buffer out]\n * Type=f32\n * Length=4096\n * Fill=poison\n *\n"
                            " * [Launch]\n * Entry=tiles\n * Grid=4096/64\n * Block=64\n"
                            " * Arguments=out\n */\n"
                            "#define TILE 64\n"
                            "const int twice = 2;\n"
                            "extern \"C\" __global__ void\ntiles (float *out)\n{\n"
                            "  out[TILE * blockIdx.x + threadIdx.x] = twice;\n}\n";

static gboolean
has_tile (gpointer window)
{
  CuredKernel *kernel = cured_document_get_kernel (((CuredWindow *) window)->tab->document);
  gsize index;

  return kernel != NULL && cured_kernel_find_parameter (kernel, "tile", &index);
}

static gboolean
is_untouched (gpointer buffer)
{
  g_autofree char *text = get_text (buffer);

  return g_str_equal (text, tiles);
}

/* A constant becomes a parameter, which the launch follows, and one undo takes it back. */
TEST ("/source/make-parameter")
{
  CuredWindow *window = open_kernel ("tiles.cu", tiles);
  GtkTextBuffer *buffer = get_buffer (window, "view");

  assert_soon_not (has_tile (window));
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  cured_document_set_line (window->tab->document, 16);
  assert_soon_cmpint (get_line (buffer), ==, 16);
  press ("ctrl+shift+m");
  assert_soon (has_tile (window));
  g_autofree char *text = get_text (buffer);
  assert_soon_nonnull (strstr (text, " * [Parameter tile]\n * Kind=compile\n"
                                     " * Values=16,32,64,128,256\n * Default=64\n"));
  assert_soon_nonnull (strstr (text, " * Grid=4096/tile\n * Block=tile\n"));
  assert_soon_nonnull (strstr (text, "#ifndef TILE\n#define TILE 64\n#endif\n"));
  shoot ("source-make-parameter");
  press ("ctrl+z");
  assert_soon (is_untouched (buffer));
  close_window (window);
}

static gboolean
has_stores (gpointer data)
{
  g_autofree char *text = get_text (data);

  return strstr (text, "STG") != NULL;
}

/* Machine code with what both warps of the block ran, and the source's line both ways. */
TEST ("/source/machine-code")
{
  GtkTextIter start, iter, end;
  int line = find_line (source, "out[i]");

  NEED_COMPILER ();
  CuredWindow *window = open_kernel ("rows.cu", source);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (window, "show_ptx")), TRUE);
  press ("alt+a");
  assert_soon_not (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (get (window, "show_ptx"))));
  GtkTextBuffer *buffer = get_buffer (window, "view");
  GtkTextBuffer *code = get_buffer (window, "code");
  assert_soon (has_stores (code));
  gtk_text_buffer_get_start_iter (code, &start);
  assert_soon (
      gtk_text_iter_forward_search (&start, "STG", GTK_TEXT_SEARCH_TEXT_ONLY, &iter, &end, NULL));
  start = iter;
  gtk_text_iter_set_line_offset (&start, 0);
  g_autofree char *row = gtk_text_buffer_get_text (code, &start, &iter, TRUE);
  g_auto (GStrv) words = g_regex_split_simple (" +", row, 0, 0);
  assert_soon_cmpstr (words[1], ==, "2");
  assert_soon_cmpint ((int) g_ascii_strtoll (words[2], NULL, 10), >, 0);

  gtk_text_buffer_place_cursor (code, &iter);
  assert_soon_cmpint (get_line (buffer), ==, line);
  GtkTextTag *tag =
      gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (code), "cured-linked");
  assert_soon (gtk_text_iter_has_tag (&iter, tag));
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  press ("Up Up");
  assert_soon_not (gtk_text_iter_has_tag (&iter, tag));
  shoot ("source-machine-code");

  press ("alt+a");
  assert_soon_not (gtk_widget_get_mapped (get (GTK_WIDGET (window), "code")));
}

/* Findings in one kernel are not reported for the next one; the same kernel keeps it,
 * as when a sweep of it begins. */
TEST ("/source/another-kernel")
{
  const char *conflict = "tile[threadIdx.x * 32]";
  const char *at = strstr (source, "tile[threadIdx.x]");

  NEED_COMPILER ();
  g_autofree char *slow = g_strdup_printf ("%.*s%s%s", (int) (at - source), source, conflict,
                                           at + strlen ("tile[threadIdx.x]"));
  CuredWindow *window = open_kernel ("slow.cu", slow);
  wait_for_label (window, "excess", "62 excess");
  g_autoptr (CuredKernel) same = cured_kernel_new_from_text (
      slow, cured_document_get_kernel (window->tab->document)->id, NULL, NULL);
  cured_document_set_kernel (window->tab->document, same);
  assert_soon_nonnull (strstr (get_label (window, "excess"), "62"));
  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (window->tab->source_page);
  assert_soon_nonnull (drawing);

  g_autoptr (CuredKernel) other = cured_kernel_new_from_text (source, "other", NULL, NULL);
  cured_document_set_kernel (window->tab->document, other);
  assert_soon_cmpstr (get_label (window, "excess"), ==, "");
  assert_soon_null (cured_inspector_get_inspection (window->tab->inspector));
  assert_soon_null (cured_page_get_drawing (window->tab->source_page));
  wait_for_label (window, "excess", "0 excess");

  /* Nor its problems. */
  g_autofree char *broken = g_strdup_printf ("%sstatic_assert (false);\n", source);
  cured_document_set_source (window->tab->document, broken);
  wait_for_problems (window, 1);
  cured_document_set_kernel (window->tab->document, other);
  assert_soon_cmpuint (count_problems (window), ==, 0);
  wait_for_label (window, "excess", "0 excess");
}

TEST ("/source/find")
{
  CuredWindow *window = open_kernel ("rows.cu", source);
  GtkTextBuffer *buffer = get_buffer (window, "view");

  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  press ("ctrl+Home ctrl+f");
  press ("t i l e");
  wait_for_label (window, "matches", "3 matches");
  assert_soon_cmpint (get_line (buffer), ==, find_line (source, "tile[64"));
  press ("Return");
  assert_soon_cmpint (get_line (buffer), ==, find_line (source, "tile[threadIdx.x]"));
  press ("Escape");
  assert_soon (gtk_widget_has_focus (get (GTK_WIDGET (window), "view")));
}

static gboolean
has_remedies (gpointer data)
{
  const GPtrArray *remedies = cured_inspector_get_remedies (((CuredWindow *) data)->tab->inspector);

  return remedies != NULL && remedies->len > 0;
}

static gboolean
has_no_finding (gpointer data)
{
  CuredInspector *inspector = ((CuredWindow *) data)->tab->inspector;
  CuredInspection *newest = cured_inspector_get_newest (inspector);

  return newest != NULL && !cured_inspector_is_busy (inspector) && newest->findings->len == 0;
}

static GtkWidget *
find_button (GtkWidget *root)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = GTK_IS_BUTTON (child) ? child : find_button (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* What helps is tried before it is offered, applied by a click, and taken back by one step of
 * Undo. */
TEST ("/source/remedy")
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("specimens/reversal", &fail));
  g_autofree char *before = NULL, *after = NULL, *undone = NULL;

  NEED_COMPILER ();
  CuredWindow *window = open_kernel ("race.cu", kernel->source);
  GtkTextBuffer *buffer = get_buffer (window, "view");
  g_object_get (buffer, "text", &before, NULL);
  assert_soon (has_remedies (window));
  settle ();
  GtkWidget *button = find_button (get (GTK_WIDGET (window), "problems"));
  assert_soon_nonnull (button);
  shoot ("source-remedy");
  g_signal_emit_by_name (button, "clicked");
  settle ();
  g_object_get (buffer, "text", &after, NULL);
  assert_soon_cmpuint (strlen (after), ==, strlen (before) + strlen ("  __syncthreads ();\n"));
  assert_soon (has_no_finding (window));
  assert_soon_null (find_button (get (GTK_WIDGET (window), "problems")));
  press ("ctrl+z");
  g_object_get (buffer, "text", &undone, NULL);
  assert_soon_cmpstr (undone, ==, before);
}

static gboolean
is_caret_in_sight (gpointer data)
{
  GtkTextView *view = GTK_TEXT_VIEW (get (get (GTK_WIDGET (data), "source_page"), "view"));
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  GdkRectangle seen, line;
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  gtk_text_view_get_iter_location (view, &iter, &line);
  gtk_text_view_get_visible_rect (view, &seen);
  return line.y >= seen.y &&
         line.y + line.height <= seen.y + gtk_widget_get_height (GTK_WIDGET (view));
}

/* What is found takes its room from the text, and the line that is worked on stays. */
TEST ("/source/caret")
{
  CuredWindow *window = open_kernel ("caret.cu", source);
  GtkTextBuffer *buffer = get_buffer (window, "view");
  g_autoptr (GString) text = g_string_new (NULL);
  GtkTextIter iter;

  gtk_window_set_default_size (GTK_WINDOW (window), 1000, 600);
  for (int i = 0; i < 60; i++)
    g_string_append (text, "// more\n");
  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  gtk_text_buffer_set_text (buffer, source, -1);
  gtk_text_buffer_insert_at_cursor (buffer, text->str, -1);
  press ("ctrl+End");
  settle ();
  assert_soon (is_caret_in_sight (window));
  int height = gtk_widget_get_height (get (get (GTK_WIDGET (window), "source_page"), "view"));
  /* The header's error is a row below. */
  gtk_text_buffer_get_iter_at_line (buffer, &iter, 1);
  gtk_text_buffer_insert (buffer, &iter, " * [Nonsense]\n", -1);
  wait_for_problems (window, 1);
  settle ();
  assert_soon_cmpint (
      gtk_widget_get_height (get (get (GTK_WIDGET (window), "source_page"), "view")), <, height);
  assert_soon (is_caret_in_sight (window));
  gtk_widget_activate_action (get (GTK_WIDGET (window), "source_page"), "source.revert", NULL);
}

static gboolean
is_not_edited (gpointer data)
{
  return !cured_document_is_edited (((CuredWindow *) data)->tab->document);
}

TEST ("/source/save")
{
  CuredWindow *window = open_kernel ("rows.cu", source);
  g_autofree char *path = in_folder ("rows.cu");
  g_autofree char *saved = NULL;

  gtk_widget_grab_focus (get (GTK_WIDGET (window), "view"));
  press ("ctrl+End slash slash x");
  wait_for_label (window, "state", "edited");
  press ("ctrl+s");
  assert_soon (is_not_edited (window));
  g_file_get_contents (path, &saved, NULL, NULL);
  assert_soon (g_str_has_suffix (saved, "}\n//x"));
  assert_soon_cmpstr (get_label (window, "state"), ==, "rows.cu");
}

static void
check_file (const char *path, const char *wanted)
{
  g_autofree char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  assert_soon_cmpstr (text, ==, wanted);
}

static void
answer (const char *response)
{
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) != NULL);
  GtkWindow *dialog = find_dialog (ADW_TYPE_MESSAGE_DIALOG);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), response);
  gtk_window_destroy (dialog);
  settle ();
}

/* What another program wrote meanwhile is overwritten after a question
 * alone. */
TEST ("/source/save-over")
{
  CuredWindow *window = open_kernel ("over.cu", source);
  g_autofree char *path = in_folder ("over.cu");
  g_autofree char *mine = g_strconcat (source, "// mine\n", NULL);
  g_autofree char *second = g_strconcat (source, "// second\n", NULL);
  g_autofree char *theirs = g_strconcat (source, "// theirs\n", NULL);

  /* Touched, but not changed: there is nothing to be asked. */
  MUST (g_file_set_contents (path, source, -1, &fail));
  cured_document_set_source (window->tab->document, mine);
  press ("ctrl+s");
  assert_soon (is_not_edited (window));
  check_file (path, mine);

  MUST (g_file_set_contents (path, theirs, -1, &fail));
  cured_document_set_source (window->tab->document, second);
  press ("ctrl+s");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) != NULL);
  shoot ("source-overwrite");
  answer ("cancel");
  check_file (path, theirs);
  assert_soon (cured_document_is_edited (window->tab->document));
  press ("ctrl+s");
  answer ("save");
  assert_soon (is_not_edited (window));
  check_file (path, second);

  /* A file that is gone is written anew. */
  assert_soon_cmpint (g_unlink (path), ==, 0);
  cured_document_set_source (window->tab->document, mine);
  press ("ctrl+s");
  assert_soon (is_not_edited (window));
  check_file (path, mine);
}

static gboolean
is_theirs (gpointer data)
{
  const char *text = cured_document_get_source (((CuredWindow *) data)->tab->document);

  return g_str_has_suffix (text, "// theirs\n");
}

/* A file that another program changed, and that is watched, is shown anew: that is not an edit of
 * the window's. */
TEST ("/source/follow")
{
  CuredWindow *window = open_kernel ("follow.cu", source);
  g_autofree char *path = in_folder ("follow.cu");
  g_autofree char *theirs = g_strconcat (source, "// theirs\n", NULL);
  g_autofree char *mine = g_strconcat (source, "// mine\n", NULL);
  g_autoptr (CuredChange) change = cured_change_new (window->tab->document, window->tab->inspector);

  cured_change_set_active (change, TRUE);
  MUST (g_file_set_contents (path, theirs, -1, &fail));
  assert_soon (is_theirs (window));
  assert_soon_not (cured_document_is_edited (window->tab->document));

  /* So that it is what the next saving holds the file against. */
  cured_document_set_source (window->tab->document, mine);
  press ("ctrl+s");
  assert_soon (is_not_edited (window));
  check_file (path, mine);
  cured_change_set_active (change, FALSE);
}

/* What was typed a moment ago counts as edited, too; a file's name is no markup. */
TEST ("/source/close")
{
  CuredWindow *window = open_kernel ("rows & <more>.cu", source);
  GtkTextBuffer *buffer = get_buffer (window, "view");

  gtk_text_buffer_insert_at_cursor (buffer, "x", 1);
  gtk_window_close (GTK_WINDOW (window));
  settle ();
  GtkWindow *question = find_dialog (ADW_TYPE_MESSAGE_DIALOG);
  assert_soon_nonnull (question);
  gtk_window_close (question);
  settle ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.save", NULL);
  assert_soon (is_not_edited (window));
  settle ();
}

/* A file without a header gets one; what it says can be mended. */
TEST ("/source/dialog")
{
  static const char bare[] = "__global__ void scale (const float *in, float *out, int n)\n{\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n)\n"
                             "    out[i] = 2 * in[i];\n}\n";
  CuredHeaderDialog *made = cured_header_dialog_new (NULL, "/nowhere/scale.cu", bare);

  gtk_window_present (GTK_WINDOW (made));
  settle ();
  GtkWindow *dialog = find_dialog (CURED_TYPE_HEADER_DIALOG);
  assert_soon (dialog == GTK_WINDOW (made));
  shoot ("header-dialog");
  GtkTextBuffer *preview = gtk_text_view_get_buffer (GTK_TEXT_VIEW (get (made, "preview")));
  g_autofree char *text = get_text (preview);
  assert_soon_nonnull (strstr (text, "Entry=scale"));
  assert_soon_nonnull (strstr (text, "Grid=ceil(n/threads)"));
  assert_soon (gtk_widget_get_sensitive (get (made, "use")));

  /* A fault is shown immediately. */
  gtk_editable_set_text (GTK_EDITABLE (get (made, "grid")), "ceil(m/threads");
  assert_soon_not (gtk_widget_get_sensitive (get (made, "use")));
  gtk_editable_set_text (GTK_EDITABLE (get (made, "grid")), "ceil(n/threads)");
  assert_soon (gtk_widget_get_sensitive (get (made, "use")));
  gtk_switch_set_active (GTK_SWITCH (get (made, "extern_c")), FALSE);
  assert_soon (gtk_widget_get_sensitive (get (made, "use")));
  gtk_window_destroy (dialog);

  made = cured_header_dialog_new (NULL, "/nowhere/empty.cu", "int x;\n");
  gtk_window_present (GTK_WINDOW (made));
  settle ();
  assert_soon_not (gtk_widget_get_sensitive (get (made, "use")));
  gtk_window_destroy (GTK_WINDOW (made));
}

/* Of 10^5 warnings the first ones are shown, and the error behind them is. */
TEST ("/source/many-warnings")
{
  g_autoptr (GPtrArray) diagnostics = g_ptr_array_new ();
  CuredDiagnostic warning = { CURED_SEVERITY_WARNING, 1, (char *) "#warning" };
  CuredDiagnostic fault = { CURED_SEVERITY_ERROR, 2, (char *) "fault" };
  GtkWidget *list = g_object_ref_sink (g_object_new (CURED_TYPE_PROBLEM_LIST, NULL));

  for (guint i = 0; i < 500; i++)
    g_ptr_array_add (diagnostics, &warning);
  cured_problem_list_set (CURED_PROBLEM_LIST (list), NULL, diagnostics, NULL, NULL);
  assert_soon_cmpuint (cured_problem_list_get_n_rows (CURED_PROBLEM_LIST (list)), ==, 500);
  for (guint i = 0; i < 99500; i++)
    g_ptr_array_add (diagnostics, &warning);
  g_ptr_array_add (diagnostics, &fault);
  cured_problem_list_set (CURED_PROBLEM_LIST (list), NULL, diagnostics, NULL, NULL);
  assert_soon_cmpuint (cured_problem_list_get_n_rows (CURED_PROBLEM_LIST (list)), ==, 502);
  g_object_unref (list);
}

/* Changes of a source before it is shown: it is there, and can be undone. */
TEST ("/source/unseen")
{
  const int line = 10;
  CuredWindow *window = open_result ("small.cured");
  CuredDocument *document = window->tab->document;
  g_autofree char *original = g_strdup (cured_document_get_source (document));
  g_autofree char *edited = g_strconcat (original, "// edited\n", NULL);

  /* A view is built when it is first seen. */
  g_assert (window->tab->bank_page == NULL);
  g_assert (window->tab->ladder_page == NULL);
  g_assert (window->tab->source_page == NULL);
  g_assert (window->tab->compare_page == NULL);
  cured_document_set_source (document, edited);
  cured_document_set_line (document, line);
  press ("alt+4");
  wait_for_view (window, "source");
  GtkTextBuffer *buffer = get_buffer (window, "view");
  assert_soon (has_text (buffer, edited));
  assert_soon_cmpint (get_line (buffer), ==, line);
  assert_soon (cured_document_is_edited (document));

  gtk_text_buffer_undo (buffer);
  g_autofree char *text = get_text (buffer);
  assert_soon_cmpstr (text, ==, original);
  g_assert (!gtk_text_buffer_get_can_undo (buffer));
  assert_soon (!cured_document_is_edited (document));
}

/* Closing offers to save what was edited, and closes once that is written. */
TEST ("/source/save-on-close")
{
  CuredWindow *window = open_kernel ("closed.cu", source);
  g_autofree char *path = in_folder ("closed.cu");
  g_autofree char *edited = g_strconcat (source, "// edited\n", NULL);
  g_autofree char *written = NULL;

  cured_document_set_source (window->tab->document, edited);
  gtk_window_close (GTK_WINDOW (window));
  wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  press ("alt+s");
  assert_soon (window == NULL);
  g_assert_true (g_file_get_contents (path, &written, NULL, NULL));
  g_assert_nonnull (strstr (written, "// edited"));
}
