/* SPDX-License-Identifier: MIT
 * Lessons lead somewhere: to a recording, to claims, to figures. */
#include "cured-plot.h"
#include "test.h"

#include <string.h>

#include "base/cured-own.h"

static guint64
count_excess (CuredSpec *spec)
{
  g_autoptr (CuredExaminer) examiner = cured_examiner_new (NULL);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  g_autofree gint64 *values = g_new (gint64, kernel->n_parameters);
  CuredBankQuery query;
  guint64 excess = 0;

  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = cured_axis_get_value (cured_spec_get_axis (spec, i), 0);
  cured_bank_query_init (&query);
  g_autoptr (CuredBankView) view = MUST (cured_examiner_view_banks (
      examiner, kernel, values, &cured_profile_find ("sm_90")->limits, &query, NULL, &fail));
  for (gsize i = 0; i < view->n_sites; i++)
    excess += view->sites[i].wavefronts - view->sites[i].least;
  return excess;
}

/* What is drawn is a case of the kernel's own; of a lesson about banks, one with a conflict. */
static void
check_case (const CuredLesson *lesson)
{
  gboolean is_of_banks = g_str_has_prefix (lesson->recording, "banks/");
  const char *const *points = is_of_banks ? lesson->banks : lesson->small;
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_load (lesson->recording, &fail));

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  for (gsize i = 0; points[i] != NULL; i++)
    {
      MUST (cured_spec_parse_axis (spec, points[i], &fail));
    }
  g_autoptr (CuredCompiler) compiler = is_of_banks ? cured_compiler_new (NULL) : NULL;
  if (compiler != NULL)
    g_assert_cmpuint (count_excess (spec), >, 0);
}

/* A change can be made in the source that comes along and in the recording's, once. */
static void
check_change (const CuredLesson *lesson, const char *path)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_load (lesson->recording, &fail));
  g_autoptr (CuredResult) recording = MUST (cured_result_load (path, NULL, &fail));
  const char *const sources[] = { kernel->source, cured_result_get_source (recording) };

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      g_autofree char *changed = cured_lesson_change (lesson, sources[i]);

      g_assert_cmpint (changed != NULL, ==, lesson->change[0] != NULL);
      if (changed == NULL)
        continue;
      for (gsize k = 0; lesson->change[k] != NULL; k += 2)
        g_assert_null (strstr (strstr (sources[i], lesson->change[k]) + 1, lesson->change[k]));
      g_autofree char *again = cured_lesson_change (lesson, changed);
      g_assert_null (again);
    }
}

TEST ("/lesson/table")
{
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);
  const char *folder = g_getenv ("CURED_TEST_RESULTS");
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);

  g_assert_cmpuint (n_lessons, >=, 12);
  for (gsize i = 0; i < n_lessons; i++)
    {
      const CuredLesson *lesson = &lessons[i];
      const char *path = cured_recordings_find (paths, lesson->recording, NULL);

      g_assert_true (cured_lesson_find (lesson->id) == lesson);
      g_assert_nonnull (path);
      g_autofree char *kernel_id = cured_result_peek_kernel_id (path, NULL);
      g_assert_cmpstr (kernel_id, ==, lesson->recording);
      g_assert_nonnull (lesson->questions[0]);
      for (gsize k = 0; lesson->questions[k] != NULL; k++)
        {
          const CuredClaim *claim = NULL;
          g_autoptr (CuredKernel) kernel =
              MUST (cured_lesson_load_question (lesson->questions[k], &claim, &fail));

          g_autofree char *asked = cured_claim_ask (kernel, claim);
          g_assert_true (g_str_has_suffix (asked, "?"));
          /* A question does not contain its answer. */
          g_assert_null (strstr (asked, claim->text));
        }
      check_case (lesson);
      check_change (lesson, path);
    }
  g_assert_null (cured_lesson_find ("none"));
}

TEST ("/lesson/answers")
{
  static const struct
  {
    const char *guess, *judged;
  } guesses[] = {
    { "1.4", "Right. 1.4" },      { "1,5", "Right. 1.4" },   { "2.9", "Not quite. 1.4" },
    { "-1.4", "Not quite. 1.4" }, { "0", "Not quite. 1.4" }, { "no idea", "1.4" },
  };
  g_autoptr (GError) none = NULL, other = NULL;
  g_autofree char *answer = MUST (cured_lesson_answer ("matmul/tiled:odd", NULL, &fail));

  g_assert_true (g_str_has_prefix (answer, "1.4"));
  g_assert_nonnull (strstr (answer, "recorded"));
  for (gsize i = 0; i < G_N_ELEMENTS (guesses); i++)
    {
      g_autofree char *judged =
          MUST (cured_lesson_answer ("matmul/tiled:odd", guesses[i].guess, &fail));

      g_assert_true (g_str_has_prefix (judged, guesses[i].judged));
    }
  g_assert_null (cured_lesson_answer ("matmul/tiled:none", NULL, &none));
  g_assert_error (none, CURED_ERROR, CURED_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (none->message, "cured claims matmul/tiled"));
  g_assert_null (cured_lesson_answer ("nothing", NULL, &other));
  g_assert_nonnull (other);
}

/* An inspection of a block with findings of a kind, and a line with excess wavefronts. */
static void
fill_inspection (CuredInspection *self, CuredBankView *banks, CuredFindingKind kind, guint n,
                 guint64 excess)
{
  CuredLineCounts counts = { .line = 7, .wavefronts = excess + 4, .least = 4 };

  self->banks = banks;
  self->findings = g_ptr_array_new_with_free_func (g_free);
  self->lines = g_array_new (FALSE, FALSE, sizeof (CuredLineCounts));
  g_array_append_val (self->lines, counts);
  for (guint i = 0; i < n; i++)
    {
      CuredFinding *finding = g_new0 (CuredFinding, 1);

      finding->kind = kind;
      g_ptr_array_add (self->findings, finding);
    }
}

CURED_CLEAR_FUNC (CuredInspection, clear_inspection, findings, g_ptr_array_unref, lines,
                  g_array_unref)

/* The effect of a student's change is shown beside the unchanged kernel. */
TEST ("/lesson/change")
{
  CuredBankView banks = { 0 };
  CuredInspection text = { 0 }, own = { 0 }, broken = { 0 };

  fill_inspection (&text, &banks, CURED_FINDING_RACE_SHARED, 2, 31);
  fill_inspection (&own, &banks, CURED_FINDING_OUT_OF_BOUNDS, 1, 0);
  fill_inspection (&broken, NULL, CURED_FINDING_RACE_SHARED, 0, 0);
  g_autofree char *nothing = cured_lesson_compare (NULL, NULL);
  g_assert_cmpstr (nothing, ==, "");
  g_autofree char *before = cured_lesson_compare (&text, NULL);
  g_assert_cmpstr (before, ==, "Original kernel: 2 findings, 31 excess wavefronts.");
  g_autofree char *both = cured_lesson_compare (&text, &own);
  g_assert_true (g_str_has_prefix (both, before));
  g_assert_nonnull (strstr (both, " Your change: 1 finding, 0 excess wavefronts."));
  g_autofree char *came =
      g_strdup_printf (" New: %s.", cured_finding_info (CURED_FINDING_OUT_OF_BOUNDS)->title);
  g_autofree char *went =
      g_strdup_printf (" Gone: %s.", cured_finding_info (CURED_FINDING_RACE_SHARED)->title);
  g_assert_nonnull (strstr (both, came));
  g_assert_nonnull (strstr (both, went));
  g_assert_null (strstr (both, "no difference"));
  g_autofree char *same = cured_lesson_compare (&own, &own);
  g_assert_true (g_str_has_suffix (same, " One block shows no difference; a sweep on the emulator "
                                         "runs all of them."));
  g_autofree char *typing = cured_lesson_compare (&text, &broken);
  g_assert_nonnull (strstr (typing, " Your change does not compile"));
  /* The kernel as the lesson has it could not be inspected: the first sentence needs no space. */
  g_autofree char *alone = cured_lesson_compare (NULL, &own);
  g_assert_cmpstr (alone, ==, "Your change: 1 finding, 0 excess wavefronts.");
  g_autofree char *broken_alone = cured_lesson_compare (NULL, &broken);
  g_assert_cmpstr (broken_alone, ==, "Your change does not compile or run yet.");
  clear_inspection (&text);
  clear_inspection (&own);
  clear_inspection (&broken);
}

/* A page of the handout's size, with lines to write on or with answers. */
TEST ("/lesson/handout")
{
  const CuredLesson *lesson = cured_lesson_find ("strides");
  const char *const questions[] = { "How many?", NULL };
  const char *const answers[] = { "7, counted", NULL };

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (CuredDrawing) drawing =
          cured_drawing_new_lesson (lesson, NULL, NULL, questions, i == 0 ? NULL : answers);
      g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
      double width, height;

      cured_drawing_get_size (drawing, &width, &height);
      /* Upright, as paper is. */
      g_assert_cmpfloat (height / width, >, 1.3);
      g_assert_cmpfloat (height / width, <, 1.5);
      g_assert_true (MUST (cured_export_format_find ("pdf")->write (
          drawing, &(CuredExportOptions){ 0 }, stream, NULL, &fail)));
      g_assert_cmpuint (g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)), >,
                        4000);
      g_assert_false (cured_drawing_has_table (drawing));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *folder = g_path_get_dirname (g_getenv ("CURED_TEST_RESULTS"));
  g_setenv ("CURED_DATA_DIR", folder, TRUE);
  return run_tests ();
}
