/* SPDX-License-Identifier: MIT
 * What the tests of the window share: the application, waiting, keys, pointer. */
#include <config.h>

#include "gui-test.h"

#include <locale.h>

#include <gdk/x11/gdkx.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "app/cured-window-private.h"
#include "make-result.h"
#include "worker/cured-examiner-internal.h"

GtkApplication *application;
static char *folder;

/* Until the window had nothing to do for a moment, or has moved by itself for some seconds. Times
 * that it was looked at are counted: on a busy machine the clock runs on while this process does
 * not. */
void
settle (void)
{
  gint64 end_us = g_get_monotonic_time () + 3 * (gint64) G_USEC_PER_SEC;
  guint n_idle = 0, n_in_a_row = 0;

  while (n_in_a_row < 20 && (n_idle < 20 || g_get_monotonic_time () < end_us))
    if (g_main_context_iteration (NULL, FALSE))
      n_in_a_row = 0;
    else
      {
        g_usleep (5000);
        n_idle++;
        n_in_a_row++;
      }
}

gboolean
wait_for (Condition condition, gpointer data)
{
  gint64 end_us = g_get_monotonic_time () + soon_limit_us ();

  while (!condition (data))
    {
      if (g_get_monotonic_time () > end_us)
        return FALSE;
      pause_ms (5);
    }
  return TRUE;
}

/* Of the tab that is selected. */

const char *
get_shown (gpointer window)
{
  return cured_tab_get_view_name (cured_window_get_tab (window));
}

CuredResultPage *
get_page (gpointer window)
{
  return cured_tab_get_page (cured_window_get_tab (window));
}

CuredSweep *
get_sweep (gpointer window)
{
  return cured_tab_get_sweep (cured_window_get_tab (window));
}

const char *
get_error (gpointer window)
{
  return cured_tab_get_error (cured_window_get_tab (window));
}

gboolean
is_loaded (gpointer data)
{
  return g_strcmp0 (get_shown (data), "loading") != 0;
}

gboolean
is_set (gpointer data)
{
  return *(gboolean *) data;
}

gboolean
is_mapped (gpointer data)
{
  return gtk_widget_get_mapped (data);
}

gboolean
is_unmapped (gpointer data)
{
  return !gtk_widget_get_mapped (data);
}

void
set_cb (gboolean *flag)
{
  *flag = TRUE;
}

/* Widgets by the names that their .ui files give them. */

GtkWidget *
find (GtkWidget *root, const char *id)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (g_strcmp0 (gtk_buildable_get_buildable_id (GTK_BUILDABLE (child)), id) == 0 ||
          g_str_equal (gtk_widget_get_name (child), id))
        return child;
      GtkWidget *found = find (child, id);
      if (found != NULL)
        return found;
    }
  return NULL;
}

GtkWidget *
get (gpointer root, const char *id)
{
  GtkWidget *widget = find (root, id);

  if (widget == NULL)
    g_error ("there is no widget %s", id);
  return widget;
}

/* A view is built when it is first seen: it is there once the window shows it. */
GtkWidget *
wait_for_view (CuredWindow *window, const char *name)
{
  assert_soon (g_strcmp0 (adw_view_stack_get_visible_child_name (window->tab->views), name) == 0 &&
               gtk_widget_get_mapped (_cured_tab_get_view (window->tab)));
  return _cured_tab_get_view (window->tab);
}

guint
count_rows (GtkWidget *list)
{
  guint n_rows = 0;

  while (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), (int) n_rows))
    n_rows++;
  return n_rows;
}

/* Keys and the pointer go the whole way: through the X server, as a user's do. */
void
xdotool (const char *words)
{
  g_autofree char *command = g_strdup_printf ("xdotool %s", words);

  MUST (g_spawn_command_line_sync (command, NULL, NULL, NULL, &fail));
  /* The server has sent them before it answers this. */
  gdk_display_sync (gdk_display_get_default ());
  settle ();
}

void
press (const char *keys)
{
  g_autofree char *words = g_strdup_printf ("key %s", keys);

  xdotool (words);
}

/* In one motion, to a point in the coordinates of @widget. */
void
move_pointer_to (GtkWidget *widget, double x, double y)
{
  GtkNative *native = gtk_widget_get_native (widget);
  graphene_point_t point;
  double left, top;

  assert_soon (gtk_widget_compute_point (widget, GTK_WIDGET (native),
                                         &GRAPHENE_POINT_INIT ((float) x, (float) y), &point));
  gtk_native_get_surface_transform (native, &left, &top);
  g_autofree char *words =
      g_strdup_printf ("mousemove --sync --window %lu %d %d",
                       gdk_x11_surface_get_xid (gtk_native_get_surface (native)),
                       (int) (point.x + left), (int) (point.y + top));
  xdotool (words);
}

/* A picture of the screen, where CURED_SHOTS names a folder for it. */
void
shoot (const char *name)
{
  const char *shots = g_getenv ("CURED_SHOTS");

  if (shots == NULL)
    return;
  pause_ms (400);
  g_autofree char *command = g_strdup_printf ("import -window root %s/%s.png", shots, name);
  g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL);
}

char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

CuredWindow *
open_path (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  CuredWindow *window = cured_window_open_somewhere (application, file);

  assert_soon (wait_for (is_loaded, window));
  settle ();
  return window;
}

CuredWindow *
open_result (const char *name)
{
  g_autofree char *path = in_folder (name);
  CuredWindow *window = open_path (path);

  assert_soon_cmpstr (get_shown (window), ==, "result");
  return window;
}

/* How the map is seen. */
CuredMapView *
get_view (CuredWindow *window)
{
  return cured_result_page_get_map_view (get_page (window));
}

void
close_window (gpointer window)
{
  g_object_add_weak_pointer (G_OBJECT (window), &window);
  gtk_window_close (GTK_WINDOW (window));
  assert_soon (window == NULL);
}

void
close_windows (gpointer fixture, gconstpointer data)
{
  GList *windows;

  while ((windows = gtk_application_get_windows (application)) != NULL)
    close_window (windows->data);
}

GtkWindow *
find_dialog (GType type)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *l = windows; l != NULL; l = l->next)
    if (g_type_is_a (G_OBJECT_TYPE (l->data), type))
      return l->data;
  return NULL;
}

/* A dialog may come after an answer of a thread, and gets the keys later than it is seen. */
GtkWindow *
wait_for_dialog (GType type)
{
  assert_soon (find_dialog (type) != NULL && gtk_window_is_active (find_dialog (type)));
  settle ();
  return find_dialog (type);
}

static void
make (const char *name, const MakeResult *what)
{
  g_autofree char *path = in_folder (name);

  make_result (path, what);
}

static void
make_files (void)
{
  folder = g_dir_make_tmp ("cured-gui-XXXXXX", NULL);
  make ("small.cured", &(MakeResult){ 0 });
  make ("sizes.cured", &(MakeResult){ .n_sizes = 3 });
  make ("line.cured", &(MakeResult){ .n_blocks = 1 });
  make ("states.cured", &(MakeResult){ .n_tiles = 20, .n_blocks = 20, .unfinished = TRUE });
}

static int
remove_entry (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      remove_entry (child);
    }
  return g_remove (path);
}

static gboolean
has_recorded (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".cured"))
      return TRUE;
  return FALSE;
}

/* What toolkit-says.txt says that GTK says by itself. */
static GRegex *
read_harmless (void)
{
  g_autoptr (GString) pattern = g_string_new (NULL);
  g_autofree char *text = NULL;

  MUST (g_file_get_contents (TOOLKIT_SAYS, &text, NULL, &fail));
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (**line != '#')
      g_string_append_printf (pattern, "%s%s", pattern->len > 0 ? "|" : "", *line);
  GRegex *regex = MUST (g_regex_new (pattern->str, 0, 0, &fail));
  return regex;
}

/* Whatever else is said ends the test (G_DEBUG=fatal-warnings). */
static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE") && fields[i].length < 0 &&
        g_regex_match (user_data, fields[i].value, 0, NULL))
      return G_LOG_WRITER_HANDLED;
  return g_log_writer_default (level, fields, n_fields, user_data);
}

/* The texts of a language, for all that a process shows. */
static void
speak (const char *language)
{
  g_setenv ("LANGUAGE", language, TRUE);
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, g_getenv ("CURED_TEST_LOCALEDIR"));
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

void
begin (int *argc, char ***argv)
{
  const char *language = g_getenv ("CURED_TEST_LANGUAGE");
  const char *worker = g_getenv ("CURED_TEST_WORKER");

  if (worker != NULL)
    g_setenv ("CURED_WORKER", worker, TRUE);
  if (language != NULL)
    speak (language);
  g_log_set_writer_func (write_log, read_harmless (), (GDestroyNotify) g_regex_unref);
  g_test_init (argc, argv, NULL);
  make_files ();

  /* Recorded samples: the project's own, or made-up ones. */
  if (has_recorded (CURED_SOURCE_DATADIR "/results"))
    g_setenv ("CURED_DATA_DIR", CURED_SOURCE_DATADIR, TRUE);
  else
    {
      g_autofree char *results = in_folder ("results");
      g_autofree char *sample = g_build_filename (results, "a.cured", NULL);

      g_mkdir (results, 0755);
      make_result (sample, &(MakeResult){ 0 });
      g_setenv ("CURED_DATA_DIR", folder, TRUE);
    }

  application = GTK_APPLICATION (cured_application_new ());
  g_application_set_flags (G_APPLICATION (application),
                           G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_OPEN);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  g_application_hold (G_APPLICATION (application));
  /* Its cards would have the keys; one test has them. */
  cured_settings_set_boolean ("tour-seen", TRUE);
  /* Beside other work, a worker may get little of a core. */
  cured_examiner_set_limit (cured_examiner_get_shared (), 600);
  /* What moves by itself would never settle. */
  g_object_set (gtk_settings_get_default (), "gtk-cursor-blink", FALSE, "gtk-enable-animations",
                FALSE, NULL);
}

int
run_and_end (void)
{
  int result = run_tests ();

  g_application_release (G_APPLICATION (application));
  g_object_unref (application);
  remove_entry (folder);
  g_free (folder);
  return result;
}

/* A recording of the repository. */
CuredWindow *
open_recorded (const char *name)
{
  g_autofree char *path = g_build_filename (CURED_SOURCE_DATADIR, "results", name, NULL);

  return open_path (path);
}

/* Whether a sweep has ended. */
gboolean
is_over (gpointer data)
{
  return !cured_sweep_is_active (data);
}

/* Whether a page's stack shows its child @name. */
gboolean
shows (gpointer page, const char *name)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (get (page, "stack"))), name) == 0;
}

int
get_least_width (gpointer widget)
{
  int least;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  return least;
}
