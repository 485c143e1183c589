/* SPDX-License-Identifier: MIT
 * The page of a tab before a file is open. */
#include <config.h>

#include "start/cured-gui-start.h"
#include "folder/cured-gui-folder.h"

#define MAX_RECENT 5

/* Maximum recordings from a folder without featured ones, that is, not Cured's own. */
#define MAX_OWN 8

struct _CuredStartPage
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkImage *icon;
  AdwExpanderRow *lessons;
  GtkWidget *recent_group, *recorded_group;
  GtkListBox *recent, *recorded;
};

G_DEFINE_FINAL_TYPE (CuredStartPage, cured_start_page, ADW_TYPE_BIN)

static void
row_activated_cb (CuredStartPage *self, AdwActionRow *row)
{
  GFile *file = g_object_get_data (G_OBJECT (row), "file");

  g_signal_emit_by_name (self, "open-file", file);
}

static AdwActionRow *
add_row (CuredStartPage *self, GtkListBox *list, GFile *file, const char *title,
         const char *subtitle)
{
  GtkWidget *row = cured_widget_new_row (title, subtitle, 2);

  cured_widget_lead_on (row);
  g_object_set_data_full (G_OBJECT (row), "file", g_object_ref (file), g_object_unref);
  CURED_CONNECT (row, "activated", row_activated_cb);
  gtk_list_box_append (list, row);
  return ADW_ACTION_ROW (row);
}

/* Adds the folder of the user's own sweeps. */
static void
add_own (CuredStartPage *self)
{
  g_autofree char *path = cured_sweep_get_folder ();
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *place = cured_text_place (path);

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    add_row (self, self->recent, file, _ ("All My Results"), place);
}

static void
fill_recent (CuredStartPage *self)
{
  const char *const suffixes[] = { ".cured", NULL };
  g_autoptr (GPtrArray) files = cured_menu_list_recent (suffixes);

  cured_widget_empty (self->recent);
  for (guint i = 0; i < MIN (files->len, MAX_RECENT); i++)
    {
      g_autoptr (GFile) file = g_file_new_for_uri (gtk_recent_info_get_uri (files->pdata[i]));
      g_autofree char *name = cured_text_file (file);
      g_autoptr (GFile) parent = g_file_get_parent (file);
      g_autofree char *path = g_file_get_path (parent);
      g_autofree char *folder = cured_text_place (path);

      add_row (self, self->recent, file, name, folder);
    }
  add_own (self);
  gtk_widget_set_visible (self->recent_group,
                          gtk_list_box_get_row_at_index (self->recent, 0) != NULL);
}

/* Recorded samples. */

static void
show_facts (AdwActionRow *row, CuredSummary *summary)
{
  const CuredFacts *facts = cured_summary_get_facts (summary);
  g_autofree char *line = cured_summary_describe (summary);
  GtkWidget *picture = g_object_get_data (G_OBJECT (row), "picture");

  adw_action_row_set_subtitle (row, line);
  if (facts == NULL || facts->error != NULL)
    return;
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), facts->title);
  gtk_picture_set_paintable (GTK_PICTURE (picture), GDK_PAINTABLE (facts->picture));
}

static void
add_picture (AdwActionRow *row)
{
  GtkWidget *picture = cured_widget_new (
      GTK_TYPE_PICTURE, "thumbnail", "content-fit", GTK_CONTENT_FIT_FILL, "width-request",
      CURED_SUMMARY_WIDTH, "height-request", CURED_SUMMARY_HEIGHT, "valign", GTK_ALIGN_CENTER,
      "margin-top", 6, "margin-bottom", 6, "overflow", GTK_OVERFLOW_HIDDEN, NULL);

  adw_action_row_add_prefix (row, picture);
  g_object_set_data (G_OBJECT (row), "picture", picture);
}

static void
add_recording (CuredStartPage *self, const char *path)
{
  g_autoptr (CuredSummary) summary = cured_summary_get (path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  AdwActionRow *row = add_row (self, self->recorded, file, cured_summary_get_name (summary), "");

  add_picture (row);
  show_facts (row, summary);
  g_signal_connect_object (summary, "read", G_CALLBACK (show_facts), row, G_CONNECT_SWAPPED);
  g_object_set_data_full (G_OBJECT (row), "summary", g_object_ref (summary), g_object_unref);
  cured_summary_read (summary, NULL, self, NULL);
}

/* ORDER: as shown. The recordings with the most instructive maps for a newcomer; another row leads
 * to the rest. */
static const char *const featured[] = {
  "reduce-two-launch", "matmul-tiled", "average-shared", "transpose-naive",
  "latency-global",    "banks-stride", "vector-add",     "reduce-single-launch",
};

static void
fill_recorded (CuredStartPage *self)
{
  g_autofree char *folder = cured_recordings_find_folder ();
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);
  guint n_paths = paths != NULL ? paths->len : 0;
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();

  cured_widget_empty (self->recorded);
  for (gsize i = 0; n_paths > 0 && i < G_N_ELEMENTS (featured); i++)
    {
      const char *path = cured_recordings_find (paths, featured[i], NULL);

      if (path != NULL)
        g_ptr_array_add (shown, (gpointer) path);
    }
  guint n_featured = shown->len;
  for (guint i = 0; n_featured == 0 && i < MIN (n_paths, MAX_OWN); i++)
    g_ptr_array_add (shown, paths->pdata[i]);
  for (guint i = 0; i < shown->len; i++)
    add_recording (self, shown->pdata[i]);
  if (n_paths > shown->len)
    {
      g_autoptr (GFile) file = g_file_new_for_path (folder);
      g_autofree char *place = cured_text_place (folder);
      g_autofree char *title =
          g_strdup_printf (ngettext ("All %u Recording", "All %u Recordings", n_paths), n_paths);

      add_row (self, self->recorded, file, title, place);
    }
  gtk_widget_set_visible (self->recorded_group, n_paths > 0);
}

static void
lesson_open_cb (CuredStartPage *self, GFile *file, CuredLessonRow *row)
{
  g_signal_emit_by_name (self, "lesson-chosen", (gpointer) cured_lesson_row_get_lesson (row));
  g_signal_emit_by_name (self, "open-file", file);
}

static void
add_lessons (CuredStartPage *self)
{
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);

  for (gsize i = 0; i < n_lessons; i++)
    {
      GtkWidget *row = cured_lesson_row_new (&lessons[i]);

      adw_expander_row_add_row (self->lessons, row);
      CURED_CONNECT (row, "open-file", lesson_open_cb);
    }
}

static void
cured_start_page_class_init (CuredStartPageClass *klass)
{
  cured_class_add_signal (klass, "open-file", 1, G_TYPE_FILE);
  cured_class_add_signal (klass, "lesson-chosen", 1, G_TYPE_POINTER);

  cured_template_set (klass, "cured-start-page");
  CURED_BIND (CuredStartPage, icon, lessons, recent_group, recent, recorded_group, recorded);
}

static void
cured_start_page_init (CuredStartPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_image_set_from_icon_name (self->icon, CURED_APP_ID);
  add_lessons (self);
  CURED_CONNECT (gtk_recent_manager_get_default (), "changed", fill_recent);
}

/* Updates the lists of recent files and recordings. Titles and pictures of recordings appear as a
 * thread reads their files. */
void
cured_start_page_refresh (CuredStartPage *self)
{
  fill_recent (self);
  fill_recorded (self);
}
