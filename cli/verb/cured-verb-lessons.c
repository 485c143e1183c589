/* SPDX-License-Identifier: MIT
 * cured lessons: compares a textbook's statements with measurements. */
#include <errno.h>
#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-lessons.def"
#include "cured-verb.h"

/* A lesson's questions, and their answers. */
typedef struct
{
  GPtrArray *asked;   /* of texts; NULL ends them */
  GPtrArray *answers; /* one per question; "" if there is no figure */
  GPtrArray *claims;  /* one per question: the claims of the kernel files */
} Questions;

CURED_CLEAR_FUNC (Questions, questions_clear, asked, g_ptr_array_unref, answers, g_ptr_array_unref,
                  claims, g_ptr_array_unref)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Questions, questions_clear)

static gboolean
questions_init (Questions *self, const CuredLesson *lesson, CuredCliClaims *claims,
                gboolean answers, GError **error)
{
  self->asked = g_ptr_array_new_with_free_func (g_free);
  self->answers = g_ptr_array_new_with_free_func (g_free);
  self->claims = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; lesson->questions[i] != NULL; i++)
    {
      const CuredClaim *claim = NULL;
      g_autoptr (CuredKernel) kernel =
          cured_lesson_load_question (lesson->questions[i], &claim, error);
      g_auto (CuredClaimResult) result = { .value = NAN };

      if (kernel == NULL)
        return FALSE;
      if (answers && !cured_cli_claims_find_out (claims, kernel, claim, &result, error))
        return FALSE;
      g_autofree char *figure = cured_claim_describe_figure (claim, &result);
      g_ptr_array_add (self->asked, cured_claim_ask (kernel, claim));
      g_ptr_array_add (
          self->answers,
          figure == NULL
              ? g_strdup ("")
              : g_strdup_printf ("%s, %s", figure,
                                 cured_claim_is_counted (claim) ? _ ("counted") : _ ("recorded")));
      g_ptr_array_add (self->claims, g_strdup (claim->text));
    }
  g_ptr_array_add (self->asked, NULL);
  g_ptr_array_add (self->answers, NULL);
  g_ptr_array_add (self->claims, NULL);
  return TRUE;
}

static void
print_list (void)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lll");
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);

  for (gsize i = 0; i < n_lessons; i++)
    cured_cli_table_add (table, lessons[i].id, _ (lessons[i].title), lessons[i].recording);
  cured_cli_table_print (table, "");
}

static void
print_lesson (const CuredLesson *lesson, CuredResult *recording, const Questions *questions,
              gboolean answers)
{
  const struct
  {
    const char *title, *text;
  } parts[] = {
    { _ ("What the text says"), _ (lesson->says) },
    { _ ("What to see"), _ (lesson->see) },
    { _ ("Try it"), _ (lesson->attempt) },
  };

  g_print ("%s\n\n", _ (lesson->title));
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_print ("%s\n  %s\n\n", parts[i].title, parts[i].text);
      if (i == 0 && recording != NULL)
        g_print ("%s\n  cured show %s\n\n", _ ("Open the map"), cured_result_get_path (recording));
    }
  g_print ("%s\n", answers ? _ ("What was found") : _ ("Write down before"));
  cured_cli_json ("{id title says recording see try questions[", lesson->id, _ (lesson->title),
                  _ (lesson->says), lesson->recording, _ (lesson->see), _ (lesson->attempt));
  for (guint i = 0; questions->asked->pdata[i] != NULL; i++)
    {
      const char *asked = questions->asked->pdata[i];
      const char *answer = questions->answers->pdata[i];
      const char *claim = questions->claims->pdata[i];

      cured_cli_json ("{question answer claim}", asked, answer, claim);
      g_print ("  %s\n", asked);
      if (answers)
        g_print ("    %s: %s\n", *answer != '\0' ? answer : _ ("not recorded"), claim);
    }
  cured_cli_json_put ("]}");
}

/* The accesses of a block of the kernel. @point: values of parameters other than their defaults;
 * (transfer full) (nullable): NULL without a compiler */
static CuredBankView *
view_block (CuredKernel *kernel, const char *const *point, guint64 block)
{
  g_autoptr (CuredExaminer) examiner = cured_examiner_new (NULL);
  g_autofree gint64 *values = cured_cli_get_point (kernel, (char **) point, "lessons", NULL);
  const CuredProfile *profile = cured_profile_find ("sm_90");
  CuredBankQuery query;

  cured_bank_query_init (&query);
  query.block = block;
  return values != NULL ? cured_examiner_view_banks (examiner, kernel, values, &profile->limits,
                                                     &query, NULL, NULL)
                        : NULL;
}

/* Draws which thread accesses which element of the lesson's small case; NULL without a
 * compiler. */
static CuredDrawing *
draw_threads (CuredKernel *kernel, const CuredLesson *lesson)
{
  g_autoptr (CuredBankView) view = view_block (kernel, lesson->small, lesson->block);
  g_autofree char *point = g_strjoinv (" ", (char **) lesson->small);

  return view != NULL ? cured_drawing_new_threads (view, -1, "threads", kernel->id, point, NULL)
                      : NULL;
}

/* Draws the worst access of one block of the lesson's case; NULL if it has no shared memory, or
 * without a compiler. */
static CuredDrawing *
draw_banks (CuredKernel *kernel, const CuredLesson *lesson)
{
  g_autoptr (CuredBankView) view = view_block (kernel, lesson->banks, 0);
  g_autofree char *point = g_strjoinv (" ", (char **) lesson->banks);
  CuredBankShown shown = { 0 };

  for (gsize i = 0; view != NULL && i < view->n_sites; i++)
    {
      const CuredBankSite *site = &view->sites[i];

      if (!site->is_known || site->n_patterns == 0 ||
          (shown.view != NULL &&
           site->wavefronts - site->least <=
               view->sites[shown.site].wavefronts - view->sites[shown.site].least))
        continue;
      shown = (CuredBankShown){
        .view = view,
        .site = i,
        .access = site->patterns[0].access,
      };
    }
  return shown.view != NULL
             ? cured_drawing_new_banks (&shown, 1, CURED_BANK_PLOT_BANKS, "banks", kernel->id,
                                        *point != '\0' ? point : NULL, NULL)
             : NULL;
}

static gboolean
write_handout (const CuredLesson *lesson, CuredResult *recording, const Questions *questions,
               gboolean answers, CuredCliExportOptions *options, GError **error)
{
  g_autoptr (CuredDrawing) map = NULL;

  const CuredExportFormat *format = cured_cli_export_options_get_format (options, error);
  if (format == NULL)
    return FALSE;
  if (recording != NULL)
    {
      g_auto (CuredView) view = { 0 };

      cured_view_init (&view, recording);
      map = cured_drawing_new_map (recording, &view);
    }
  g_autoptr (CuredKernel) kernel = cured_catalogue_load (lesson->recording, error);
  if (kernel == NULL)
    return FALSE;
  g_autoptr (CuredDrawing) banks =
      lesson->small[0] != NULL ? draw_threads (kernel, lesson) : draw_banks (kernel, lesson);
  g_autoptr (CuredDrawing) handout =
      cured_drawing_new_lesson (lesson, map, banks, (const char *const *) questions->asked->pdata,
                                answers ? (const char *const *) questions->answers->pdata : NULL);
  return cured_cli_export (options, handout, format, error);
}

/* Writes a handout if @export has an output. */
static gboolean
show_lesson (const CuredLesson *lesson, CuredCliClaims *claims, gboolean answers,
             CuredCliExportOptions *export, GError **error)
{
  CuredResult *recording = cured_cli_claims_find_recording (claims, lesson->recording);
  g_auto (Questions) questions = { 0 };

  if (!questions_init (&questions, lesson, claims, answers, error))
    return FALSE;
  if (export->output != NULL)
    return write_handout (lesson, recording, &questions, answers, export, error);
  print_lesson (lesson, recording, &questions, answers);
  return TRUE;
}

/* Two files per lesson, "01-one-launch.pdf" with lines to write on and "01-one-launch-answers.pdf"
 * with the answers. */
static int
write_handouts (const char *folder, CuredCliClaims *claims, GError **error)
{
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);

  if (g_mkdir_with_parents (folder, 0777) < 0)
    return cured_cli_fail (_ ("%s: can't make the folder: %s"), folder, g_strerror (errno));
  for (gsize i = 0; i < n_lessons; i++)
    for (int answers = 0; answers < 2; answers++)
      {
        g_autofree char *name =
            g_strdup_printf ("%02zu-%s%s.pdf", i + 1, lessons[i].id, answers ? "-answers" : "");
        g_autofree char *path = g_build_filename (folder, name, NULL);
        CuredCliExportOptions export = { .output = path };

        if (!show_lesson (&lessons[i], claims, answers, &export, error))
          return CURED_EXIT_USAGE;
      }
  return CURED_EXIT_OK;
}

static int
run (int argc, char **argv, GError **error)
{
  CuredCliExportOptions *export = &cured_cli_export_options;
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);
  const CuredLesson *one = NULL;

  export->is_picture = TRUE;
  if (export->output != NULL && cured_cli_is_json)
    return cured_cli_fail (_ ("--json and -o exclude each other"));
  if (export->output != NULL && argc < 2)
    return cured_cli_fail (
        _ ("-o writes the handout of one lesson, such as “cured lessons strides -o strides.pdf”"));
  if (!cured_cli_export_options_check (export, argv + 1) ||
      !cured_cli_check_with (given.answers, "--answers", argc > 1 || cured_cli_is_json, "LESSON"))
    return CURED_EXIT_USAGE;
  if (given.handouts != NULL && (argc > 1 || cured_cli_is_json || export->output != NULL))
    return cured_cli_fail (_ ("--handouts is for all lessons; omit the lesson, --json and -o"));
  if (argc == 1 && !cured_cli_is_json && given.handouts == NULL)
    {
      print_list ();
      return CURED_EXIT_OK;
    }
  if (argc == 2 && (one = cured_lesson_find (argv[1])) == NULL)
    return cured_cli_set_unknown (error, cured_cli_printf (_ ("no lesson “%s”"), argv[1]), argv[1],
                                  CURED_CLI_COLLECT (lessons, n_lessons, id));
  if (given.folder == NULL)
    given.folder = cured_recordings_find_folder ();
  g_autoptr (CuredCliClaims) claims = cured_cli_claims_new (given.folder, error);
  if (claims == NULL)
    return CURED_EXIT_USAGE;
  if (given.handouts != NULL)
    return write_handouts (given.handouts, claims, error);
  cured_cli_json_put ("[");
  for (gsize i = 0; i < n_lessons; i++)
    if ((one == NULL || one == &lessons[i]) &&
        !show_lesson (&lessons[i], claims, given.answers, export, error))
      return CURED_EXIT_USAGE;
  cured_cli_json_put ("]");
  return CURED_EXIT_OK;
}
