/* SPDX-License-Identifier: MIT
 * What runs behind a window, on a device that needs no GPU. No display. */
#include <string.h>

#include "make-result.h"
#include "model/cured-gui-model.h"
#include "soon.h"
#include "test.h"

static char *folder;

/* A controller, and what it reported. */
typedef struct
{
  CuredDocument *document;
  CuredInspector *inspector;
  CuredRunController *controller;
  guint n_changed, n_started, n_finished, n_asked, n_permitted, n_inconsistent;
  GError *error; /* of the last one that finished */
  char *message; /* nullable: the last one */
} Bench;

static gboolean
is (Bench *bench, const char *property)
{
  gboolean value;

  g_object_get (bench->controller, property, &value, NULL);
  return value;
}

/* As a window does: the new result is shown. */
static void
started_cb (Bench *bench, CuredResult *result)
{
  bench->n_started++;
  if (cured_document_get_result (bench->document) != result)
    cured_document_set_result (bench->document, result);
}

static void
finished_cb (Bench *bench, const GError *error)
{
  bench->n_finished++;
  g_clear_error (&bench->error);
  bench->error = error != NULL ? g_error_copy (error) : NULL;
}

static void
changed_cb (Bench *bench)
{
  bench->n_changed++;
}

static void
asked_cb (Bench *bench, CuredResult *result)
{
  g_assert_true (cured_document_get_result (bench->document) == result);
  bench->n_asked++;
}

static void
permitted_cb (Bench *bench, CuredSweep *sweep)
{
  bench->n_permitted++;
  cured_run_controller_start (bench->controller, sweep);
}

static void
message_cb (Bench *bench, const char *text)
{
  g_free (bench->message);
  bench->message = g_strdup (text);
}

/* Whoever hears of one property may read all others: nothing can be run beside what runs, and what
 * is paused runs. */
static void
notify_cb (Bench *bench)
{
  gboolean can_run =
      is (bench, "can-resume") || is (bench, "can-run-again") || is (bench, "can-run-cells");

  if ((is (bench, "is-running") && can_run) ||
      (is (bench, "is-paused") && !is (bench, "is-running")) ||
      is (bench, "is-running") != cured_run_controller_is_running (bench->controller))
    bench->n_inconsistent++;
}

static void
set_up (Bench *bench)
{
  static const struct
  {
    const char *signal;
    GCallback callback;
  } rows[] = {
    { "notify", G_CALLBACK (notify_cb) },           { "changed", G_CALLBACK (changed_cb) },
    { "started", G_CALLBACK (started_cb) },         { "finished", G_CALLBACK (finished_cb) },
    { "permission-needed", G_CALLBACK (asked_cb) }, { "permitted", G_CALLBACK (permitted_cb) },
    { "message", G_CALLBACK (message_cb) },
  };

  *bench = (Bench){ .document = cured_document_new () };
  bench->inspector = cured_inspector_new (bench->document);
  bench->controller = cured_run_controller_new (bench->document, bench->inspector);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_signal_connect_swapped (bench->controller, rows[i].signal, rows[i].callback, bench);
}

static void
tear_down (Bench *bench)
{
  g_assert_cmpuint (bench->n_inconsistent, ==, 0);
  g_object_run_dispose (G_OBJECT (bench->controller));
  g_assert_finalize_object (bench->controller);
  g_object_unref (bench->inspector);
  g_assert_finalize_object (bench->document);
  g_clear_error (&bench->error);
  g_free (bench->message);
}

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* A sweep of vector/add over some blocks. */
static CuredSweep *
make_sweep (const char *blocks, const char *name)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("vector/add", &fail));
  g_autofree char *path = in_folder (name);

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_assert_true (cured_spec_parse_axis (spec, blocks, NULL));
  g_assert_true (cured_spec_parse_axis (spec, "n=1024", NULL));
  cured_spec_get_options (spec)->limit_s = 3000;
  cured_spec_get_options (spec)->sampling_s = 0.1;
  return cured_sweep_new (spec, "fake:0", path, FALSE);
}

static void
start (Bench *bench, const char *faults, const char *blocks, const char *name)
{
  g_autoptr (CuredSweep) sweep = make_sweep (blocks, name);

  g_setenv ("CURED_FAKE", faults, TRUE);
  cured_run_controller_start (bench->controller, sweep);
}

static gint64
count_done (Bench *bench)
{
  CuredProgress progress;
  CuredSweep *sweep = cured_run_controller_get_sweep (bench->controller);

  return cured_sweep_get_progress (sweep, &progress) ? progress.n_done : 0;
}

static gint64
count_state (Bench *bench, CuredState state)
{
  return cured_result_count_state (cured_document_get_result (bench->document), state);
}

TEST ("/run-controller/start")
{
  Bench bench;
  gboolean is_live;

  set_up (&bench);
  g_assert_false (is (&bench, "is-running"));
  g_assert_null (cured_run_controller_get_sweep (bench.controller));
  start (&bench, "", "blocks=1..5", "start.cured");
  g_assert_true (is (&bench, "is-running"));
  g_assert_cmpuint (bench.n_started, ==, 0);
  g_assert_false (cured_run_controller_is_shown (bench.controller));
  assert_soon (bench.n_started == 1);
  g_assert_true (cured_run_controller_is_shown (bench.controller));
  g_object_get (cured_document_get_map_view (bench.document), "is-live", &is_live, NULL);
  g_assert_true (is_live);
  bench.n_changed = 0;
  assert_soon (bench.n_finished == 1);
  g_assert_no_error (bench.error);
  /* Each cell, and the end. */
  g_assert_cmpuint (bench.n_changed, >=, 6);
  g_assert_cmpint (count_done (&bench), ==, 5);
  g_assert_false (is (&bench, "is-running"));
  g_assert_false (is (&bench, "can-resume"));
  g_assert_true (is (&bench, "can-run-again"));
  g_assert_true (is (&bench, "can-run-cells"));
  g_assert_true (is (&bench, "can-refine"));
  g_assert_true (is (&bench, "has-best"));
  g_object_get (cured_document_get_map_view (bench.document), "is-live", &is_live, NULL);
  g_assert_false (is_live);

  /* Something else is shown. */
  cured_run_controller_forget (bench.controller);
  g_assert_null (cured_run_controller_get_sweep (bench.controller));
  g_assert_false (is (&bench, "has-best"));
  bench.n_changed = 0;
  cured_document_set_result (bench.document, NULL);
  g_assert_cmpuint (bench.n_changed, >, 0);
  g_assert_false (is (&bench, "can-run-again"));
  g_assert_false (is (&bench, "can-refine"));
  tear_down (&bench);
}

TEST ("/run-controller/pause")
{
  Bench bench;
  g_autofree char *gate = in_folder ("gate");
  g_autofree char *faults = g_strconcat ("wait=4,until=", gate, NULL);

  set_up (&bench);
  /* There is nothing to pause. */
  g_object_set (bench.controller, "is-paused", TRUE, NULL);
  g_assert_false (is (&bench, "is-paused"));
  start (&bench, faults, "blocks=1..40", "pause.cured");
  assert_soon (count_done (&bench) >= 2);
  g_object_set (bench.controller, "is-paused", TRUE, NULL);
  g_assert_true (is (&bench, "is-paused"));
  g_assert_true (is (&bench, "is-running"));
  gint64 n_done = count_done (&bench);
  g_assert_true (g_file_set_contents (gate, "", 0, NULL));
  pause_ms (500);
  /* The cell that runs is finished first, and one may be on its way here. */
  g_assert_cmpint (count_done (&bench), <=, n_done + 2);
  g_assert_cmpuint (bench.n_finished, ==, 0);
  g_object_set (bench.controller, "is-paused", FALSE, NULL);
  g_assert_false (is (&bench, "is-paused"));
  assert_soon (bench.n_finished == 1);
  g_assert_no_error (bench.error);
  g_assert_cmpint (count_state (&bench, CURED_STATE_OK), ==, 40);
  tear_down (&bench);
}

TEST ("/run-controller/cancel")
{
  Bench bench;
  g_autofree char *path = in_folder ("cancel.cured");

  set_up (&bench);
  start (&bench, "wait=4,until=/dev/null/never", "blocks=1..40", "cancel.cured");
  assert_soon (count_done (&bench) >= 2);
  g_object_set (bench.controller, "is-paused", TRUE, NULL);
  cured_run_controller_cancel (bench.controller);
  assert_soon (bench.n_finished == 1);
  g_assert_error (bench.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false (is (&bench, "is-paused"));
  g_assert_cmpint (count_state (&bench, CURED_STATE_NOT_RUN), >, 0);
  g_assert_true (is (&bench, "can-resume"));

  /* The rest of it, into the same file. */
  g_setenv ("CURED_FAKE", "", TRUE);
  cured_run_controller_resume (bench.controller);
  g_assert_true (is (&bench, "is-running"));
  assert_soon (bench.n_finished == 2);
  g_assert_no_error (bench.error);
  g_assert_cmpint (count_state (&bench, CURED_STATE_OK), ==, 40);
  g_assert_cmpstr (cured_result_get_path (cured_document_get_result (bench.document)), ==, path);
  g_assert_false (is (&bench, "can-resume"));
  /* What was given to a person's question: none. */
  g_assert_cmpuint (bench.n_asked, ==, 0);
  tear_down (&bench);

  /* Before its worker is there. */
  set_up (&bench);
  start (&bench, "", "blocks=1..4", "early.cured");
  cured_run_controller_cancel (bench.controller);
  assert_soon (bench.n_finished == 1);
  g_assert_error (bench.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (bench.n_started, ==, 0);
  g_assert_false (is (&bench, "is-running"));
  cured_run_controller_cancel (bench.controller);
  g_assert_cmpuint (bench.n_finished, ==, 1);
  tear_down (&bench);
}

/* Whenever a sweep is cancelled, a file that is there is of one that started. */
TEST ("/run-controller/no-file")
{
  for (guint i = 0; i < 24; i++)
    {
      g_autofree char *name = g_strdup_printf ("none-%u.cured", i);
      g_autofree char *path = in_folder (name);
      g_autoptr (CuredSweep) sweep = make_sweep ("blocks=1..4", name);
      Bench bench;

      set_up (&bench);
      g_setenv ("CURED_FAKE", "", TRUE);
      cured_run_controller_start (bench.controller, sweep);
      pause_ms (i * 8);
      if (bench.n_started == 0)
        {
          cured_run_controller_cancel (bench.controller);
          assert_soon (bench.n_finished == 1);
          g_assert_error (bench.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
          g_assert_cmpuint (bench.n_started, ==, 0);
          g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
        }
      else
        assert_soon (bench.n_finished == 1);
      tear_down (&bench);
    }
  /* A thread that goes on makes none either. */
  pause_ms (300);
  for (guint i = 0; i < 24; i++)
    {
      g_autofree char *name = g_strdup_printf ("none-%u.cured", i);
      g_autofree char *path = in_folder (name);
      g_autoptr (CuredResult) result = cured_result_load (path, NULL, NULL);

      if (result == NULL)
        g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      else
        g_assert_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), ==, 0);
    }
}

TEST ("/run-controller/failure")
{
  Bench bench;

  set_up (&bench);
  start (&bench, "open=fail", "blocks=1..4", "failure.cured");
  assert_soon (bench.n_finished == 1);
  g_assert_nonnull (bench.error);
  g_assert_cmpuint (bench.n_started, ==, 0);
  g_assert_false (is (&bench, "can-resume"));

  /* The next one may do well, and so may the rest of one that did not. */
  start (&bench, "crash=*", "blocks=1..20", "deaths.cured");
  assert_soon (bench.n_finished == 2);
  g_assert_nonnull (bench.error);
  g_assert_false (g_error_matches (bench.error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
  g_assert_cmpint (count_state (&bench, CURED_STATE_CRASHED), ==, 5);
  g_assert_true (is (&bench, "can-resume"));
  g_setenv ("CURED_FAKE", "", TRUE);
  cured_run_controller_resume (bench.controller);
  assert_soon (bench.n_finished == 3);
  g_assert_no_error (bench.error);
  g_assert_cmpint (count_state (&bench, CURED_STATE_OK), ==, 15);
  tear_down (&bench);
}

/* Again: all of it, some of it, and more between. */
TEST ("/run-controller/again")
{
  Bench bench;
  g_autofree char *path = in_folder ("again.cured");
  gsize blocks;

  set_up (&bench);
  start (&bench, "fail=16", "blocks=8,16,24,32", "again.cured");
  assert_soon (bench.n_finished == 1);
  g_assert_cmpint (count_state (&bench, CURED_STATE_FAILED), ==, 1);
  g_setenv ("CURED_FAKE", "", TRUE);
  cured_map_view_set_selection (
      cured_document_get_map_view (bench.document),
      cured_map_view_get_grid (cured_document_get_map_view (bench.document))->nx > 1
          ? &(CuredGridRect){ .column = 1, .n_columns = 2, .n_rows = 1 }
          : &(CuredGridRect){ .row = 1, .n_columns = 1, .n_rows = 2 });
  cured_run_controller_run_cells (bench.controller);
  assert_soon (bench.n_finished == 2);
  g_assert_cmpint (count_done (&bench), ==, 2);
  g_assert_cmpint (count_state (&bench, CURED_STATE_OK), ==, 4);
  g_autofree char *copy =
      g_path_get_basename (cured_result_get_path (cured_document_get_result (bench.document)));
  g_assert_cmpstr (copy, !=, "again.cured");
  g_assert_nonnull (strstr (bench.message, copy));
  /* What was recorded is as it was. */
  g_autoptr (CuredResult) before = cured_result_load (path, NULL, NULL);
  g_assert_cmpint (cured_result_count_state (before, CURED_STATE_FAILED), ==, 1);

  /* What is selected stays so in a result of the same cells. */
  g_autoptr (CuredSpec) finer = cured_run_controller_make_finer_spec (bench.controller);
  g_assert_true (cured_kernel_find_parameter (cured_spec_get_kernel (finer), "blocks", &blocks));
  g_autofree char *values = cured_axis_to_string (cured_spec_get_axis (finer, blocks));
  g_assert_cmpstr (values, ==, "16,20,24");

  g_clear_pointer (&bench.message, g_free);
  cured_run_controller_run_again (bench.controller);
  assert_soon (bench.n_finished == 3);
  g_assert_cmpint (count_done (&bench), ==, 4);
  g_assert_null (bench.message);
  tear_down (&bench);
}

/* A sweep of the result's kernel, edited. */
static CuredSweep *
make_edited (CuredResult *result, const char *line, const char *name)
{
  g_autofree char *text = g_strdup_printf ("%s%s\n", cured_result_get_source (result), line);
  g_autofree char *path = in_folder (name);
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (text, cured_result_get_kernel_id (result), NULL, &fail));

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  return cured_sweep_new (spec, "fake:0", path, FALSE);
}

/* The answer to a question counts for the source that it showed, and for no other that was to run
 * meanwhile. In a process of its own, which trusts nothing yet. */
TEST ("/run-controller/asked")
{
  Bench bench;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  g_autofree char *path = in_folder ("asked.cured");
  make_result (path, &(MakeResult){ .n_tiles = 2, .n_blocks = 2 });
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, NULL);
  g_autoptr (CuredSweep) first = make_edited (result, "/* Shown. */", "first.cured");
  g_autoptr (CuredSweep) second = make_edited (result, "/* Not shown. */", "second.cured");
  set_up (&bench);
  g_setenv ("CURED_FAKE", "", TRUE);
  cured_document_set_result (bench.document, result);
  cured_run_controller_request (bench.controller, first);
  cured_run_controller_request (bench.controller, second);
  g_assert_cmpuint (bench.n_asked, ==, 1);
  cured_run_controller_permit (bench.controller, TRUE);
  g_assert_true (cured_run_controller_get_sweep (bench.controller) == first);
  const CuredKernel *kernel = cured_sweep_get_kernel (first);
  g_assert_true (cured_trust_has (kernel->id, kernel->source));
  kernel = cured_sweep_get_kernel (second);
  g_assert_false (cured_trust_has (kernel->id, kernel->source));
  cured_run_controller_cancel (bench.controller);
  assert_soon (bench.n_finished == 1);
  tear_down (&bench);
}

/* The source of a file that somebody sent runs after a question alone, which is asked once.
 * Last: nothing of that kernel ran from here yet. */
TEST ("/run-controller/permission")
{
  Bench bench;
  g_autofree char *path = in_folder ("sent.cured");
  g_autoptr (CuredSweep) own = make_sweep ("blocks=1..2", "own.cured");

  make_result (path, &(MakeResult){ .n_tiles = 2, .n_blocks = 2 });
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, NULL);
  set_up (&bench);
  g_setenv ("CURED_FAKE", "", TRUE);
  cured_document_set_result (bench.document, result);
  g_object_set (bench.controller, "runs-on-change", TRUE, NULL);
  cured_run_controller_run_again (bench.controller);
  g_assert_cmpuint (bench.n_asked, ==, 1);
  g_assert_false (is (&bench, "is-running"));
  /* One question at a time. */
  cured_run_controller_run_again (bench.controller);
  g_assert_cmpuint (bench.n_asked, ==, 1);
  cured_run_controller_permit (bench.controller, FALSE);
  g_assert_null (cured_run_controller_get_sweep (bench.controller));
  g_assert_false (is (&bench, "runs-on-change"));
  /* There is nothing any more that could be answered. */
  cured_run_controller_permit (bench.controller, TRUE);
  g_assert_null (cured_run_controller_get_sweep (bench.controller));

  /* The catalogue's own needs no question, whatever is shown. */
  cured_run_controller_request (bench.controller, own);
  g_assert_cmpuint (bench.n_permitted, ==, 1);
  g_assert_cmpuint (bench.n_asked, ==, 1);
  assert_soon (bench.n_finished == 1);

  cured_document_set_result (bench.document, result);
  cured_run_controller_run_again (bench.controller);
  g_assert_cmpuint (bench.n_asked, ==, 2);
  cured_run_controller_permit (bench.controller, TRUE);
  g_assert_true (is (&bench, "is-running"));
  assert_soon (bench.n_finished == 2);
  cured_run_controller_run_again (bench.controller);
  g_assert_cmpuint (bench.n_asked, ==, 2);
  assert_soon (bench.n_finished == 3);
  tear_down (&bench);
}

int
main (int argc, char **argv)
{
  g_setenv ("CURED_WORKER", g_getenv ("CURED_TEST_WORKER"), TRUE);
  g_test_init (&argc, &argv, NULL);
  folder = make_folder ();
  int result = run_tests ();
  remove_folder (folder);
  return result;
}
