/* SPDX-License-Identifier: MIT
 * The steps of a family, of what was recorded: what is compared with what. */
#include "make-result.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include "study/cured-study-internal.h"
#include "test.h"

#define SLACK 1e-9

static CuredLadder *
load (const char *family)
{
  CuredLadder *ladder =
      MUST (cured_ladder_new (family, g_getenv ("CURED_TEST_RESULTS"), NULL, NULL, &fail));

  g_assert_nonnull (ladder);
  return ladder;
}

static const CuredRung *
find_rung (const CuredLadderView *view, const char *id)
{
  for (guint i = 0; i < view->rungs->len; i++)
    {
      const CuredRung *rung = &g_array_index (view->rungs, CuredRung, i);

      if (g_str_equal (rung->step->kernel->id, id))
        return rung;
    }
  g_error ("%s is no step", id);
}

/* Neither a specimen nor its careful twin is a step. */
TEST ("/ladder/steps")
{
  g_auto (GStrv) families = cured_ladder_list_families ();
  g_auto (GStrv) steps = cured_ladder_list_steps ("reduce");
  g_auto (GStrv) none = cured_ladder_list_steps ("no-such-family");

  g_assert_true (g_strv_contains ((const char *const *) families, "transpose"));
  g_assert_false (g_strv_contains ((const char *const *) families, "specimens"));
  g_assert_cmpstr (steps[0], ==, "reduce/interleaved-modulo");
  g_assert_cmpstr (steps[1], ==, "reduce/interleaved-strided");
  g_assert_cmpstr (steps[2], ==, "reduce/sequential");
  g_assert_false (g_strv_contains ((const char *const *) steps, "reduce/single-launch"));
  g_assert_false (g_strv_contains ((const char *const *) steps, "reduce/single-launch-fixed"));
  g_assert_cmpuint (g_strv_length (none), ==, 0);
}

/* All at the size that most steps have, beside the peer at that size. */
TEST ("/ladder/view")
{
  g_autoptr (CuredLadder) ladder = load ("reduce");
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  const CuredRung *first = &g_array_index (view->rungs, CuredRung, 0);
  const CuredRung *packed = find_rung (view, "reduce/packed");

  g_assert_cmpstr (ladder->device, ==, "NVIDIA H200");
  g_assert_cmpstr (ladder->problems[0], ==, "n=100000000");
  g_assert_cmpint (ladder->rate, ==, CURED_METRIC_bandwidth);
  g_assert_cmpstr (ladder->limit_name, ==, "read limit");
  g_assert_cmpuint (view->n_recorded, ==, view->rungs->len);
  g_assert_cmpuint (view->n_scaled, ==, 0);
  g_assert_cmpfloat_with_epsilon (view->work, 4e8, 1);
  g_assert_cmpfloat_with_epsilon (view->limit_time, 4e8 / ladder->limit * 1e9,
                                  SLACK * view->limit_time);
  g_assert_cmpfloat (packed->time, <, first->time / 5);
  g_assert_cmpfloat (packed->rate, >, first->rate * 5);
  g_assert_cmpfloat (packed->time, <=, packed->standard_time);
  g_assert_cmpfloat (packed->of_limit, >, 0.9);
  g_assert_cmpuint (view->peers->len, ==, 1);
  const CuredLadderPeer *peer = view->peers->pdata[0];
  g_assert_cmpstr (peer->name, ==, "CUB");
  g_assert_cmpfloat_with_epsilon (peer->rate * peer->time * 1e-9, 4e8, 4e5);
  g_assert_null (cured_ladder_view_get_before (view, 0));
  g_assert_true (cured_ladder_view_get_before (view, 1) == first);
}

/* Detours with one number are compared with the step before both, and so is the step after them. */
TEST ("/ladder/beside")
{
  g_autoptr (CuredLadder) ladder = load ("matmul");
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  static const char *const rows[][2] = {
    { "matmul/tiled", "matmul/naive" },
    { "matmul/tile-lab", "matmul/tiled" },
    { "matmul/tile-padding", "matmul/tiled" },
    { "matmul/coarsened", "matmul/tiled" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const CuredRung *rung = find_rung (view, rows[i][0]);
      guint index = (guint) (rung - &g_array_index (view->rungs, CuredRung, 0));
      const CuredRung *before = cured_ladder_view_get_before (view, index);

      g_assert_nonnull (before);
      g_assert_cmpstr (before->step->kernel->id, ==, rows[i][1]);
    }
}

/* Like with like: a sum of matrices is no squared error, a copy no transpose, and rates of
 * different resources scale nothing. */
TEST ("/ladder/factor")
{
  static const struct
  {
    const char *family, *id;
    gboolean has_factor;
  } rows[] = {
    { "elementwise", "elementwise/add-tile", TRUE },
    { "elementwise", "elementwise/error-tile", FALSE },
    { "elementwise", "elementwise/error-tiles", TRUE },
    { "transpose", "transpose/naive", FALSE },
    { "transpose", "transpose/shared", TRUE },
    { "matmul", "matmul/registers", TRUE },
    { "features", "features/dynamic-shared", TRUE },
    { "features", "features/divergence", FALSE },
    { "bandwidth", "bandwidth/shared", FALSE },
    { "bandwidth", "bandwidth/constant", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredLadder) ladder = load (rows[i].family);
      g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
      const CuredRung *rung = find_rung (view, rows[i].id);
      guint index = (guint) (rung - &g_array_index (view->rungs, CuredRung, 0));
      const CuredRung *before = cured_ladder_view_get_before (view, index);
      double factor = cured_ladder_view_get_factor (view, index, FALSE);

      g_assert_nonnull (before);
      if (rows[i].has_factor)
        g_assert_cmpfloat (factor, ==, before->time / rung->time);
      else
        g_assert_true (isnan (factor));
    }
}

/* A detour is compared with the step before it, and is before no step. */
TEST ("/ladder/detour")
{
  g_autoptr (CuredLadder) ladder = load ("reduce");
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  static const char *const rows[][2] = {
    { "reduce/host-sum", "reduce/two-launch" },
    { "reduce/last-block", "reduce/two-launch" },
    { "reduce/packed", "reduce/atomic" },
  };

  g_assert_true (find_rung (view, rows[0][0])->step->kernel->is_detour);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const CuredRung *rung = find_rung (view, rows[i][0]);
      guint index = (guint) (rung - &g_array_index (view->rungs, CuredRung, 0));

      g_assert_cmpstr (cured_ladder_view_get_before (view, index)->step->kernel->id, ==,
                       rows[i][1]);
    }
}

/* A step of another size is compared by its rate, and says so. */
TEST ("/ladder/scaled")
{
  g_autoptr (CuredLadder) ladder = load ("matmul");
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  const CuredRung *naive = find_rung (view, "matmul/naive");
  const CuredRung *best = find_rung (view, "matmul/best");
  gsize problem;

  g_assert_cmpstr (ladder->problems[0], ==, "n=4096");
  g_assert_cmpint (ladder->rate, ==, CURED_METRIC_flop_rate);
  g_assert_true (naive->is_scaled);
  g_assert_cmpstr (ladder->problems[naive->cell->problem], ==, "n=2048");
  /* Twice the size is eight times the operations. */
  g_assert_cmpfloat_with_epsilon (naive->time, 8 * naive->cell->metrics[CURED_METRIC_time],
                                  1e-6 * naive->time);
  g_assert_cmpfloat_with_epsilon (naive->rate * naive->time * 1e-9, view->work, 1e-6 * view->work);
  g_assert_false (best->is_scaled);
  g_assert_cmpfloat (best->time, ==, best->cell->metrics[CURED_METRIC_time]);
  g_assert_cmpuint (view->n_scaled, ==, 4);

  g_assert_true (cured_ladder_find_problem (ladder, "n=2^11", &problem, NULL));
  g_autoptr (CuredLadderView) small = cured_ladder_view_new (ladder, problem);
  naive = find_rung (small, "matmul/naive");
  g_assert_false (naive->is_scaled);
  g_assert_cmpfloat (naive->time, ==, naive->cell->metrics[CURED_METRIC_time]);
  /* There is no peer of that size. */
  g_assert_cmpuint (small->peers->len, ==, 0);
}

/* Steps that do other work at the same size are not equals either. */
TEST ("/ladder/other-work")
{
  g_autoptr (CuredLadder) ladder = load ("elementwise");
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);

  g_assert_false (find_rung (view, "elementwise/add")->is_scaled);
  g_assert_false (find_rung (view, "elementwise/add-tiles")->is_scaled);
  g_assert_true (find_rung (view, "elementwise/error-tile")->is_scaled);
}

TEST ("/ladder/problems")
{
  g_autoptr (CuredLadder) ladder = load ("transpose");
  gsize problem = 99;

  g_assert_true (MUST (cured_ladder_find_problem (ladder, "n=8192, m=8192", &problem, &fail)));
  g_assert_cmpuint (problem, ==, 0);
  FAILS (cured_ladder_find_problem (ladder, "n=5,m=7", &problem, &fail), CURED_ERROR,
         CURED_ERROR_NOT_FOUND, "m=8192,n=8192");
}

/* A file of one's own is a step, on its own device: what was recorded on another one is left
 * out. */
TEST ("/ladder/own")
{
  const MakeResult what = { 0 };
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "mine.cured", NULL);
  const char *const own[] = { path, NULL };

  make_result (path, &what);
  g_autoptr (CuredLadder) ladder =
      MUST (cured_ladder_new ("vector", g_getenv ("CURED_TEST_RESULTS"), own, NULL, &fail));
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  g_assert_cmpstr (ladder->device, ==, "Synthetic device");
  g_assert_cmpuint (view->rungs->len, ==, 4);
  g_assert_cmpuint (view->n_recorded, ==, 1);
  g_assert_cmpuint (ladder->n_foreign, ==, 3);
  g_assert_cmpuint (view->peers->len, ==, 0);
  const CuredRung *mine = find_rung (view, "synthetic/sum");
  g_assert_true (mine->step->is_own);
  g_assert_cmpstr (mine->step->path, ==, path);
  g_assert_cmpstr (ladder->problems[mine->cell->problem], ==, "n=1048576");
}

/* A ladder of one recording of @n_sizes sizes, and the seconds of this thread that reading it and
 * choosing a size took. */
static CuredLadder *
load_sizes (gsize n_sizes, double *elapsed_s)
{
  const MakeResult what = { .n_tiles = 1, .n_blocks = 1, .n_sizes = n_sizes, .no_samples = TRUE };
  char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "sizes.cured", NULL);
  const char *const own[] = { path, NULL };
  struct timespec start, end;

  make_result (path, &what);
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &start);
  CuredLadder *ladder = MUST (cured_ladder_new ("vector", NULL, own, NULL, &fail));
  CuredLadderView *view = cured_ladder_view_new (ladder, g_strv_length (ladder->problems) - 1);
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &end);
  *elapsed_s = (double) (end.tv_sec - start.tv_sec) + (double) (end.tv_nsec - start.tv_nsec) * 1e-9;
  g_assert_cmpuint (view->n_recorded, ==, 1);
  cured_ladder_view_free (view);
  remove_folder (folder);
  return ladder;
}

/* However many sizes were recorded, each is found once, the longest first. */
TEST ("/ladder/many-sizes")
{
  const gsize n_sizes = 10000;
  double many_s;
  g_autoptr (CuredLadder) ladder = load_sizes (n_sizes, &many_s);
  /* Some of the made-up cells have failed. */
  gsize n = g_strv_length (ladder->problems);
  g_autofree const CuredLadderCell **cells = g_new0 (const CuredLadderCell *, n);

  g_assert_cmpuint (n, >, n_sizes * 9 / 10);
  for (guint i = 0; i < ladder->steps->len; i++)
    {
      const CuredLadderStep *step = ladder->steps->pdata[i];

      for (guint j = 0; j < step->best->len; j++)
        {
          const CuredLadderCell *cell = step->best->pdata[j];
          g_autofree char *problem = g_strdup_printf ("n=%" G_GINT64_FORMAT, cell->values[2]);

          g_assert_cmpstr (ladder->problems[cell->problem], ==, problem);
          g_assert_null (cells[cell->problem]);
          cells[cell->problem] = cell;
        }
    }
  for (gsize i = 0; i < n; i++)
    {
      g_assert_cmpuint (ladder->n_steps[i], ==, 1);
      g_assert_nonnull (cells[i]);
      if (i > 0)
        g_assert_cmpfloat (cells[i]->metrics[CURED_METRIC_time], <=,
                           cells[i - 1]->metrics[CURED_METRIC_time]);
    }
  g_test_message ("%zu sizes: %.3f s", n_sizes, many_s);
  if (g_test_perf ())
    {
      double more_s;
      g_autoptr (CuredLadder) larger = load_sizes (4 * n_sizes, &more_s);

      g_test_message ("%zu sizes: %.3f s", 4 * n_sizes, more_s);
      /* Quadratic would be 16. */
      g_assert_cmpfloat (more_s, <, 9 * many_s);
    }
}

TEST ("/ladder/nothing")
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  char *folder = make_folder ();
  g_autoptr (CuredLadder) ladder = MUST (cured_ladder_new ("reduce", folder, NULL, NULL, &fail));

  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  g_assert_cmpuint (view->n_recorded, ==, 0);
  g_assert_null (ladder->device);
  g_assert_null (ladder->problems[0]);
  g_assert_true (isnan (view->limit_time));

  FAILS (cured_ladder_new ("reduces", folder, NULL, NULL, &fail), CURED_ERROR,
         CURED_ERROR_NOT_FOUND, "");
  remove_folder (folder);
  FAILS (cured_ladder_new ("reduce", "/nowhere/at/all", NULL, NULL, &fail), G_FILE_ERROR,
         G_FILE_ERROR_NOENT, "");
  g_cancellable_cancel (cancellable);
  FAILS (cured_ladder_new ("reduce", g_getenv ("CURED_TEST_RESULTS"), NULL, cancellable, &fail),
         G_IO_ERROR, G_IO_ERROR_CANCELLED, "");
}

TEST ("/ladder/tables")
{
  g_autoptr (CuredLadder) ladder = load ("transpose");
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  g_autoptr (GOutputStream) csv = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) json = g_memory_output_stream_new_resizable ();
  g_autoptr (JsonParser) parser = json_parser_new ();

  MUST (cured_ladder_view_write_csv (view, csv, NULL, &fail));
  g_output_stream_write_all (csv, "", 1, NULL, NULL, NULL);
  g_auto (GStrv) lines =
      g_strsplit (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (csv)), "\n", -1);
  /* A heading, the steps, two peers, the limit, the end. */
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + view->rungs->len + 2 + 1 + 1);
  for (gsize i = 1; lines[i + 1] != NULL; i++)
    {
      gboolean is_quoted = FALSE;

      for (char *p = lines[i]; *p != '\0'; p++)
        {
          if (*p == '"')
            is_quoted = !is_quoted;
          if (is_quoted && *p == ',')
            *p = ';';
        }
      g_auto (GStrv) fields = g_strsplit (lines[i], ",", -1);
      g_assert_cmpuint (g_strv_length (fields), ==, 16);
    }

  MUST (cured_ladder_view_write_json (view, json, NULL, &fail));
  MUST (json_parser_load_from_data (
      parser, g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (json)),
      (gssize) g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (json)), &fail));
  JsonObject *root = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpstr (json_object_get_string_member (root, "problem"), ==, "m=8192,n=8192");
  JsonArray *steps = json_object_get_array_member (root, "steps");
  g_assert_cmpuint (json_array_get_length (steps), ==, view->rungs->len);
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (steps, 1), "time"), ==,
      g_array_index (view->rungs, CuredRung, 1).time);
}

TEST ("/ladder/prose")
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("reduce/first-add", NULL);
  g_autofree char *text = cured_ladder_get_prose (kernel);
  const MakeResult what = { 0 };
  g_autoptr (CuredPlan) plan = make_plan (&what);

  g_assert_true (g_str_has_prefix (
      text, "Before: instruction issue, of the tree. Now: instruction issue, still.\n\nAgainst"));
  g_assert_null (strchr (text, '*'));
  g_autoptr (CuredKernel) bare =
      cured_kernel_ref (cured_spec_get_kernel (cured_plan_get_spec (plan)));
  g_autofree char *nothing = cured_ladder_get_prose (bare);
  g_assert_null (nothing);
}

/* @text: (nullable): is among @words, as a string of a program. */
static void
assert_words (const char *words, const CuredKernel *kernel, const char *text)
{
  g_autoptr (GString) escaped = g_string_new ("N_(\"");

  if (text == NULL)
    return;
  for (const char *at = text; *at != '\0'; at++)
    g_string_append_printf (escaped, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
  g_string_append (escaped, "\")");
  if (strstr (words, escaped->str) == NULL)
    {
      g_test_message ("%s: %s", kernel->id, text);
      g_test_fail ();
    }
}

/* Translators are given all that a ladder says of its steps. */
TEST ("/ladder/words")
{
  const char *kernels = g_getenv ("CURED_KERNELS_DIR");
  g_autofree char *folder = g_path_get_dirname (kernels);
  g_autofree char *program = g_build_filename (folder, "dev", "kernel-words", NULL);
  const char *const argv[] = { program, NULL };
  g_autofree char *words = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) ids = cured_catalogue_list ();
  guint n = 0;
  int status;

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &words, NULL, &status,
                     &error))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_cmpint (status, ==, 0);
  for (gsize i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_get (ids[i], &error);

      g_assert_no_error (error);
      assert_words (words, kernel, kernel->title);
      assert_words (words, kernel, kernel->summary);
      for (gsize j = 0; j < kernel->n_parameters; j++)
        assert_words (words, kernel, kernel->parameters[j].summary);
      g_autofree char *prose = kernel->rung > 0 ? cured_ladder_get_prose (kernel) : NULL;
      g_auto (GStrv) paragraphs = g_strsplit (prose != NULL ? prose : "", "\n\n", -1);
      for (gsize j = 0; paragraphs[j] != NULL; j++, n++)
        assert_words (words, kernel, paragraphs[j]);
    }
  g_assert_cmpuint (n, >, 100);
}

/* Half of the barriers, as the kernel file claims: both at one size. */
TEST ("/ladder/count")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredLadder) ladder = load ("reduce");
  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  g_autoptr (CuredLadderCounts) counts = cured_ladder_count (
      find_rung (view, "reduce/sequential"), find_rung (view, "reduce/first-add"), NULL, &error);

  if (g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_COMPILER))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (counts->problem, "n="));
  g_assert_cmpfloat (counts->before[CURED_METRIC_instructions], >,
                     counts->after[CURED_METRIC_instructions]);
  g_assert_cmpfloat (counts->after[CURED_METRIC_barriers], >, 0);
}
