/* SPDX-License-Identifier: MIT
 * The bar that leads through a lesson, above the views of its kernel. */
#include <config.h>

#include "start/cured-gui-start.h"

/* ORDER: the steps before the questions. */
enum
{
  STEP_SAYS,
  STEP_SEE,
  STEP_ATTEMPT,
  N_TEXTS
};

struct _CuredLessonBar
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkLabel *heading, *passage, *answer;
  GtkEditable *guess;
  GtkWidget *make_change, *open_source, *back, *next;

  /* Owned */
  CuredDocument *document;
  CuredInspector *inspector;
  CuredInspection *original; /* nullable: of the unedited kernel */

  const CuredLesson *lesson; /* nullable; static */
  CuredTask *answering;
  guint step;
  gboolean is_trying; /* @inspector is held */
};

CURED_DEFINE_TEMPLATE_TYPE (CuredLessonBar, cured_lesson_bar, ADW_TYPE_BIN)

static guint
count_steps (CuredLessonBar *self)
{
  return N_TEXTS + g_strv_length ((GStrv) (gpointer) self->lesson->questions);
}

/* (nullable): the step's question */
static const char *
get_question (CuredLessonBar *self)
{
  return self->step >= N_TEXTS ? self->lesson->questions[self->step - N_TEXTS] : NULL;
}

/* The lesson's number, from 1. */
static guint
get_number (CuredLessonBar *self)
{
  gsize n;

  return (guint) (self->lesson - cured_lessons (&n)) + 1;
}

static char *
describe_step (CuredLessonBar *self)
{
  const CuredClaim *claim = NULL;
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (GError) error = NULL;

  switch (self->step)
    {
    case STEP_SAYS: return g_strdup (_ (self->lesson->says));
    case STEP_SEE: return g_strdup (_ (self->lesson->see));
    case STEP_ATTEMPT: return g_strdup (_ (self->lesson->attempt));
    default:
      kernel = cured_lesson_load_question (get_question (self), &claim, &error);
      return kernel != NULL ? cured_claim_ask (kernel, claim) : g_strdup (error->message);
    }
}

/* (transfer full) (nullable): the source with the lesson's change; NULL: none, or already made. */
static char *
make_changed (CuredLessonBar *self)
{
  const char *source = cured_document_get_source (self->document);

  return self->is_trying && source != NULL ? cured_lesson_change (self->lesson, source) : NULL;
}

static void
update_change (CuredLessonBar *self)
{
  g_autofree char *changed = make_changed (self);

  gtk_widget_set_sensitive (self->make_change, changed != NULL);
  gtk_widget_set_visible (self->make_change, self->is_trying && self->lesson->change[0] != NULL);
}

/* Compares the edited kernel with the original one. */
static void
compare (CuredLessonBar *self)
{
  CuredInspection *newest = cured_inspector_get_newest (self->inspector);
  gboolean is_edited = cured_document_is_edited (self->document);

  if (!self->is_trying || cured_inspector_is_busy (self->inspector))
    return;
  if (!is_edited)
    {
      g_clear_pointer (&self->original, cured_inspection_unref);
      self->original = newest != NULL ? cured_inspection_ref (newest) : NULL;
    }
  g_autofree char *text = cured_lesson_compare (self->original, is_edited ? newest : NULL);
  cured_widget_say (self->answer, text);
  gtk_widget_set_visible (GTK_WIDGET (self->answer), *text != '\0');
}

/* The unedited kernel's inspection is only valid for the same result and parameters. */
static void
document_changed_cb (CuredLessonBar *self, CuredDocumentChange what)
{
  update_change (self);
  if ((what & CURED_DOCUMENT_SOURCE) == 0 &&
      (what & (CURED_DOCUMENT_RESULT | CURED_DOCUMENT_POINT)) != 0)
    g_clear_pointer (&self->original, cured_inspection_unref);
}

/* The kernel is inspected while a change is tried. */
static void
set_trying (CuredLessonBar *self, gboolean is_trying)
{
  if (self->is_trying == is_trying)
    return;
  self->is_trying = is_trying;
  if (is_trying)
    cured_inspector_hold (self->inspector);
  else
    cured_inspector_release (self->inspector);
}

static void
update (CuredLessonBar *self)
{
  const char *const names[] = { _ ("What the text says"), _ ("What to see"), _ ("Try it"),
                                /* Translators: of a lesson; its answer is a number to guess. */
                                _ ("A question") };
  g_autofree char *text = describe_step (self);
  gboolean is_last = self->step + 1 >= count_steps (self);
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);
  g_autofree char *heading =
      /* Translators: which lesson of how many, its title, what its step is, and which step of how
       * many, as in "Lesson 3 of 15 · Bank conflicts · Try it (3 of 5)". */
      g_strdup_printf (_ ("Lesson %u of %u · %s · %s (%u of %u)"), get_number (self),
                       (guint) n_lessons, _ (self->lesson->title), names[MIN (self->step, N_TEXTS)],
                       self->step + 1, count_steps (self));

  cured_task_cancel (&self->answering);
  gtk_label_set_label (self->heading, heading);
  cured_widget_say (self->passage, text);
  gtk_widget_set_visible (GTK_WIDGET (self->answer), FALSE);
  set_trying (self, self->step == STEP_ATTEMPT);
  update_change (self);
  compare (self);
  gtk_editable_set_text (self->guess, "");
  gtk_widget_set_visible (GTK_WIDGET (self->guess), get_question (self) != NULL);
  gtk_widget_set_sensitive (self->back, self->step > 0);
  gtk_widget_set_visible (self->open_source, self->step == STEP_ATTEMPT);
  const char *next = is_last ? _ ("Next lesson") : _ ("Forward");
  gtk_widget_set_sensitive (self->next, !is_last || self->lesson + 1 < lessons + n_lessons);
  gtk_widget_set_tooltip_text (self->next, next);
  cured_widget_name (self->next, next, NULL);
}

static void
back_cb (CuredLessonBar *self)
{
  self->step--;
  update (self);
}

static void
next_cb (CuredLessonBar *self)
{
  if (self->step + 1 >= count_steps (self))
    {
      g_signal_emit_by_name (self, "next-lesson");
      return;
    }
  self->step++;
  update (self);
}

static void
open_source_cb (CuredLessonBar *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-view", "s", "source");
}

/* Makes the change in the editor, not in the file. */
static void
make_change_cb (CuredLessonBar *self)
{
  g_autofree char *changed = make_changed (self);

  if (changed != NULL)
    cured_document_set_source (self->document, changed);
  open_source_cb (self);
}

static void
close_cb (CuredLessonBar *self)
{
  g_signal_emit_by_name (self, "closed");
}

static void
answered_cb (gpointer owner, const char *answer)
{
  gtk_label_set_label (CURED_LESSON_BAR (owner)->answer, answer);
}

/* The answer appears below the question once there is a guess. */
static void
guessed_cb (CuredLessonBar *self)
{
  const char *question = get_question (self);

  if (question == NULL || *gtk_editable_get_text (self->guess) == '\0')
    return;
  gtk_label_set_label (self->answer, _ ("Finding out…"));
  gtk_widget_set_visible (GTK_WIDGET (self->answer), TRUE);
  cured_question_answer (&self->answering, self, question, gtk_editable_get_text (self->guess),
                         answered_cb);
}

static void
cured_lesson_bar_dispose (GObject *object)
{
  CuredLessonBar *self = CURED_LESSON_BAR (object);

  if (self->inspector != NULL)
    set_trying (self, FALSE);
  cured_template_dispose (object);
}

static void
cured_lesson_bar_class_init (CuredLessonBarClass *klass)
{
  cured_class_add_signal (klass, "closed", 0);
  cured_class_add_signal (klass, "next-lesson", 0);

  CURED_OWNS (CuredLessonBar, document, inspector);
  CURED_FREES (CuredLessonBar, cured_inspection_unref, original);
  G_OBJECT_CLASS (klass)->dispose = cured_lesson_bar_dispose;
  cured_template_set (klass, "cured-lesson-bar");
  CURED_BIND (CuredLessonBar, heading, passage, answer, guess, make_change, open_source, back,
              next);
  CURED_CALLBACKS (guessed_cb, back_cb, next_cb, make_change_cb, open_source_cb, close_cb);
}

/* Sets the document with the lessons' kernel; called once. */
void
cured_lesson_bar_set_document (CuredLessonBar *self, CuredDocument *document,
                               CuredInspector *inspector)
{
  g_set_object (&self->document, document);
  g_set_object (&self->inspector, inspector);
  CURED_CONNECT (document, "changed", document_changed_cb);
  CURED_CONNECT (inspector, "notify::busy", compare);
  CURED_CONNECT (inspector, "notify::inspection", compare);
}

/* Begins a lesson at its second step, what to see, or hides the bar. @lesson: (nullable): a row of
 * cured_lessons(). */
void
cured_lesson_bar_set_lesson (CuredLessonBar *self, const CuredLesson *lesson)
{
  self->lesson = lesson;
  self->step = STEP_SEE;
  gtk_widget_set_visible (GTK_WIDGET (self), lesson != NULL);
  if (lesson != NULL)
    update (self);
  else
    set_trying (self, FALSE);
}

/* Returns: (nullable): the shown lesson */
CURED_GETTER (const CuredLesson *, cured_lesson_bar_get_lesson, CuredLessonBar, lesson)
