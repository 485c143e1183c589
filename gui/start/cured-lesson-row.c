/* SPDX-License-Identifier: MIT
 * The row of a lesson, with its text, map and questions. */
#include <config.h>

#include "start/cured-gui-start.h"

struct _CuredLessonRow
{
  AdwExpanderRow parent_instance;

  const CuredLesson *lesson; /* static */
  gboolean is_filled;
};

G_DEFINE_FINAL_TYPE (CuredLessonRow, cured_lesson_row, ADW_TYPE_EXPANDER_ROW)

static AdwActionRow *
add_row (CuredLessonRow *self, const char *title, const char *text)
{
  AdwActionRow *row = ADW_ACTION_ROW (cured_widget_new_row (title, text, 0));

  adw_action_row_set_title_lines (row, 0);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), GTK_WIDGET (row));
  return row;
}

/* Returns: (transfer full) (nullable): a lesson's recorded map; NULL: it is not installed */
GFile *
cured_lesson_row_find_recording (const CuredLesson *lesson)
{
  g_autofree char *folder = cured_recordings_find_folder ();
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);
  const char *path = paths != NULL ? cured_recordings_find (paths, lesson->recording, NULL) : NULL;

  return path != NULL ? g_file_new_for_path (path) : NULL;
}

static void
open_cb (CuredLessonRow *self)
{
  g_autoptr (GFile) file = cured_lesson_row_find_recording (self->lesson);

  if (file != NULL)
    g_signal_emit_by_name (self, "open-file", file);
}

static void
add_map (CuredLessonRow *self)
{
  g_autoptr (GFile) file = cured_lesson_row_find_recording (self->lesson);
  AdwActionRow *row = add_row (self, _ ("Open the map"),
                               file != NULL ? self->lesson->recording : _ ("It is not installed"));

  cured_widget_lead_on (row);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), file != NULL);
  CURED_CONNECT (row, "activated", open_cb);
}

/* ---- A question ---- */

static void
answered_cb (gpointer row, const char *answer)
{
  adw_action_row_set_subtitle (row, answer);
}

/* The answer appears below the question once there is a guess. */
static void
compare_cb (GtkEntry *entry, gpointer user_data)
{
  AdwActionRow *row = user_data;
  const char *question = g_object_get_data (G_OBJECT (row), "question");

  if (*gtk_editable_get_text (GTK_EDITABLE (entry)) == '\0')
    return;
  adw_action_row_set_subtitle (row, _ ("Finding out…"));
  cured_question_answer (g_object_get_data (G_OBJECT (row), "task"), row, question,
                         gtk_editable_get_text (GTK_EDITABLE (entry)), answered_cb);
}

static void
add_question (CuredLessonRow *self, const char *question)
{
  const CuredClaim *claim = NULL;
  g_autoptr (CuredKernel) kernel = cured_lesson_load_question (question, &claim, NULL);

  if (kernel == NULL)
    return;
  g_autofree char *text = cured_claim_ask (kernel, claim);
  AdwActionRow *row = add_row (self, text, NULL);
  GtkWidget *entry = cured_widget_new (
      GTK_TYPE_ENTRY, NULL, "width-chars", 8, "max-width-chars", 8, "placeholder-text",
      _ ("Your guess"), "input-purpose", GTK_INPUT_PURPOSE_NUMBER, "tooltip-text",
      _ ("Write a number; Enter shows the answer"), "valign", GTK_ALIGN_CENTER, NULL);
  cured_widget_name (entry, text, NULL);
  g_object_set_data_full (G_OBJECT (row), "question", g_strdup (question), g_free);
  g_object_set_data_full (G_OBJECT (row), "task", g_new0 (CuredTask *, 1), g_free);
  g_signal_connect_object (entry, "activate", G_CALLBACK (compare_cb), row, 0);
  adw_action_row_add_suffix (row, entry);
}

/* Fills a lesson when it is first opened. */
static void
expanded_cb (CuredLessonRow *self)
{
  const CuredLesson *lesson = self->lesson;

  if (self->is_filled || !adw_expander_row_get_expanded (ADW_EXPANDER_ROW (self)))
    return;
  self->is_filled = TRUE;
  add_row (self, _ ("What the text says"), _ (lesson->says));
  add_map (self);
  add_row (self, _ ("What to see"), _ (lesson->see));
  add_row (self, _ ("Try it"), _ (lesson->attempt));
  for (gsize i = 0; lesson->questions[i] != NULL; i++)
    add_question (self, lesson->questions[i]);
}

static void
cured_lesson_row_class_init (CuredLessonRowClass *klass)
{
  cured_class_add_signal (klass, "open-file", 1, G_TYPE_FILE);
}

static void
cured_lesson_row_init (CuredLessonRow *self)
{
  g_signal_connect (self, "notify::expanded", G_CALLBACK (expanded_cb), NULL);
}

GtkWidget *
cured_lesson_row_new (const CuredLesson *lesson)
{
  CuredLessonRow *self = g_object_new (CURED_TYPE_LESSON_ROW, NULL);

  self->lesson = lesson;
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ (lesson->title));
  return GTK_WIDGET (self);
}

CURED_GETTER (const CuredLesson *, cured_lesson_row_get_lesson, CuredLessonRow, lesson)
