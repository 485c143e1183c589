/* SPDX-License-Identifier: MIT
 * Which cells are explained, when, and what is forgotten. No display. */
#include <glib/gstdio.h>
#include <math.h>

#include "make-result.h"
#include "model/cured-gui-model.h"
#include "soon.h"
#include "store/cured-store-internal.h"
#include "test.h"
#include "worker/cured-examiner-internal.h"

/* Cells that the explainer saves at once. */
#define AT_ONCE 16

typedef struct
{
  CuredExplainer *explainer;
  CuredResult *result;
  GArray *told; /* of gint64: cells, in the order in which they were reported */
  guint n_limiters;
} Bench;

static void
explained_cb (Bench *bench, gint64 cell)
{
  g_array_append_val (bench->told, cell);
}

static void
limiters_cb (Bench *bench)
{
  bench->n_limiters++;
}

static void
set_up (Bench *bench, CuredResult *result)
{
  *bench = (Bench){ .explainer = cured_explainer_new (),
                    .result = g_object_ref (result),
                    .told = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  g_signal_connect_swapped (bench->explainer, "explained", G_CALLBACK (explained_cb), bench);
  g_signal_connect_swapped (bench->explainer, "limiters-changed", G_CALLBACK (limiters_cb), bench);
  cured_explainer_set_result (bench->explainer, result);
}

static void
tear_down (Bench *bench)
{
  g_assert_finalize_object (bench->explainer);
  g_object_unref (bench->result);
  g_array_unref (bench->told);
}

static CuredResult *
load_named (const char *name)
{
  g_autofree char *recorded = g_build_filename (g_getenv ("CURED_TEST_RESULTS"), name, NULL);
  g_autofree char *path = g_build_filename (test_folder (), name, NULL);

  copy_unexplained (recorded, path);
  return MUST (cured_result_load_ready (path, NULL, &fail));
}

static CuredResult *
load_recorded (void)
{
  return load_named ("vector-add-h200.cured");
}

/* The @index-th cell that ran well. */
static gint64
find_ok (CuredResult *result, guint index)
{
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    if (cured_result_get_state (result, cell) == CURED_STATE_OK && index-- == 0)
      return cell;
  g_assert_not_reached ();
}

static gboolean
is_known (Bench *bench, gint64 cell)
{
  const char *problem;

  return cured_explainer_get_explanation (bench->explainer, cell, &problem) != NULL;
}

static gint64
get_told (Bench *bench, guint index)
{
  return index < bench->told->len ? g_array_index (bench->told, gint64, index) : -1;
}

TEST ("/explainer/cell")
{
  g_autoptr (CuredResult) result = load_recorded ();
  Bench bench;
  gint64 cell = find_ok (result, 0);
  gsize metric;

  set_up (&bench, result);
  g_assert_null (cured_explainer_get_problem (bench.explainer));
  g_assert_nonnull (cured_explainer_get_machine (bench.explainer));
  g_assert_true (cured_result_find_metric (result, "limiter", &metric));
  g_assert_false (cured_result_has_values (result, metric));
  cured_explainer_set_cell (bench.explainer, cell);
  assert_soon_cmpint (get_told (&bench, 0), ==, cell);
  g_assert_true (is_known (&bench, cell));
  g_assert_cmpuint (bench.n_limiters, ==, 1);
  g_assert_true (cured_result_has_values (result, metric));
  tear_down (&bench);
}

/* A recording comes with its limits: a map of them waits for no emulation. */
TEST ("/explainer/recorded")
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_RESULTS"), "reduce-two-launch-h200.cured", NULL);
  g_autoptr (CuredResult) result = MUST (cured_result_load_ready (path, NULL, &fail));
  guint n_cells = (guint) cured_result_get_n_cells (result), n_done, n_all;
  g_autofree gint64 *cells = g_new (gint64, n_cells);
  Bench bench;
  gsize metric;

  for (guint i = 0; i < n_cells; i++)
    cells[i] = i;
  set_up (&bench, result);
  g_assert_true (cured_result_find_metric (result, "limiter", &metric));
  cured_explainer_set_cells (bench.explainer, cells, n_cells);
  g_assert_false (cured_explainer_get_progress (bench.explainer, &n_done, &n_all));
  g_assert_cmpuint (n_all, ==, n_cells);
  for (guint i = 0; i < n_cells; i++)
    g_assert_cmpint (isnan (cured_result_get_value (result, cells[i], metric)), ==,
                     cured_result_get_state (result, cells[i]) != CURED_STATE_OK);
  g_assert_cmpuint (bench.told->len, ==, 0);
  tear_down (&bench);
}

/* A copy that may be written, of a recording with more cells than are saved at once. */
static CuredResult *
load_copy (void)
{
  g_autoptr (CuredResult) recorded = load_named ("banks-conflict-h200.cured");
  g_autofree char *path = g_build_filename (test_folder (), "copy.cured", NULL);

  g_unlink (path);
  MUST (cured_store_copy (cured_result_get_path (recorded), path, &fail));
  return MUST (cured_result_load_ready (path, NULL, &fail));
}

static GBytes *
read_file (CuredResult *result)
{
  char *text;
  gsize length;

  MUST (g_file_get_contents (cured_result_get_path (result), &text, &length, &fail));
  return g_bytes_new_take (text, length);
}

/* (nullable): as the file is now, where it has the limit of every cell */
static CuredResult *
load_if_kept (CuredResult *result)
{
  g_autoptr (CuredResult) now =
      MUST (cured_result_load_ready (cured_result_get_path (result), NULL, &fail));
  gsize metric;

  g_assert_true (cured_result_find_metric (now, "limiter", &metric));
  for (gint64 cell = 0; cell < cured_result_get_n_cells (now); cell++)
    if (cured_result_get_state (now, cell) == CURED_STATE_OK &&
        isnan (cured_result_get_value (now, cell, metric)))
      return NULL;
  return g_steal_pointer (&now);
}

static void
saved_cb (guint *n_saved)
{
  *n_saved += 1;
}

/* The limits of a sweep's cells go into its file: the next reader has them at once, and a map asks
 * for no cell again. */
TEST ("/explainer/keep")
{
  g_autoptr (CuredResult) result = load_copy ();
  guint n_ok = (guint) cured_result_count_state (result, CURED_STATE_OK);
  gsize metric;
  guint n_saved = 0;
  Bench bench;

  set_up (&bench, result);
  g_signal_connect_swapped (bench.explainer, "saved", G_CALLBACK (saved_cb), &n_saved);
  cured_explainer_set_paused (bench.explainer, TRUE);
  cured_explainer_forget_cell (bench.explainer, find_ok (result, 0));
  g_assert_cmpuint (bench.told->len, ==, 0);
  cured_explainer_set_paused (bench.explainer, FALSE);
  g_autoptr (CuredResult) again = NULL;
  assert_soon (n_saved > 0 && bench.told->len == n_ok && (again = load_if_kept (result)) != NULL);
  tear_down (&bench);

  gint64 cell = find_ok (again, 0);
  g_assert_true (cured_result_find_metric (again, "limiter", &metric));
  set_up (&bench, again);
  gsize before;
  g_assert_true (cured_result_find_metric (result, "limiter", &before));
  g_assert_cmpfloat (cured_result_get_value (again, cell, metric), ==,
                     cured_result_get_value (result, cell, before));
  cured_explainer_set_cells (bench.explainer, &cell, 1);
  guint n_done, n_all;
  g_assert_false (cured_explainer_get_progress (bench.explainer, &n_done, &n_all));
  /* Run again, it is another cell. */
  cured_explainer_forget_cell (bench.explainer, cell);
  assert_soon_cmpint (get_told (&bench, 0), ==, cell);
  tear_down (&bench);
}

/* Puts the limits of all cells into the result's file. */
static void
keep_all (CuredResult *result)
{
  guint n_saved = 0;
  Bench bench;

  set_up (&bench, result);
  g_signal_connect_swapped (bench.explainer, "saved", G_CALLBACK (saved_cb), &n_saved);
  cured_explainer_forget_cell (bench.explainer, find_ok (result, 0));
  g_autoptr (CuredResult) now = NULL;
  assert_soon (n_saved > 0 && (now = load_if_kept (result)) != NULL);
  tear_down (&bench);
}

/* The last cell, found while the file was still being written for those before, goes there, too. */
TEST ("/explainer/last")
{
  g_autoptr (CuredResult) result = load_copy ();
  guint n_saved = 0;
  Bench bench;

  keep_all (result);
  g_autoptr (CuredResult) again =
      MUST (cured_result_load_ready (cured_result_get_path (result), NULL, &fail));
  g_autoptr (CuredStore) store = MUST (cured_store_open (cured_result_get_path (result), &fail));
  set_up (&bench, again);
  g_signal_connect_swapped (bench.explainer, "saved", G_CALLBACK (saved_cb), &n_saved);
  cured_explainer_set_paused (bench.explainer, TRUE);
  for (guint i = 0; i < AT_ONCE + 1; i++)
    cured_explainer_forget_cell (bench.explainer, find_ok (again, i));
  /* The writer waits. */
  MUST (cured_store_begin_batch (store, &fail));
  cured_explainer_set_paused (bench.explainer, FALSE);
  assert_soon_cmpuint (bench.told->len, ==, AT_ONCE + 1);
  g_assert_cmpuint (n_saved, ==, 0);
  MUST (cured_store_end_batch (store, &fail));
  assert_soon_cmpuint (n_saved, ==, 2);
  tear_down (&bench);
}

/* A file that was opened is not written, whatever is explained of it, nor where a sweep ended before
 * it ran a cell. */
TEST ("/explainer/opened")
{
  g_autoptr (CuredResult) result = load_copy ();
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GBytes) before = read_file (result);
  guint n_saved = 0;
  Bench bench;

  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    g_array_append_val (cells, cell);
  set_up (&bench, result);
  g_signal_connect_swapped (bench.explainer, "saved", G_CALLBACK (saved_cb), &n_saved);
  cured_explainer_set_paused (bench.explainer, TRUE);
  cured_explainer_set_paused (bench.explainer, FALSE);
  cured_explainer_set_cells (bench.explainer, (const gint64 *) (gpointer) cells->data, cells->len);
  assert_soon_cmpint (bench.told->len, ==, cured_result_count_state (result, CURED_STATE_OK));
  /* Anything that is still to be written. */
  pause_ms (300);
  g_autoptr (GBytes) after = read_file (result);
  g_assert_cmpuint (n_saved, ==, 0);
  g_assert_true (g_bytes_equal (before, after));
  tear_down (&bench);
}

/* The one that is looked at comes before those of the map, each once. */
TEST ("/explainer/order")
{
  g_autoptr (CuredResult) result = load_copy ();
  Bench bench;
  const gint64 cells[] = { find_ok (result, 0), find_ok (result, 1) };
  gint64 first = find_ok (result, 2);

  set_up (&bench, result);
  cured_explainer_set_cells (bench.explainer, cells, G_N_ELEMENTS (cells));
  cured_explainer_set_cell (bench.explainer, first);
  assert_soon_cmpuint (bench.told->len, ==, 3);
  g_assert_cmpint (get_told (&bench, 0), ==, first);
  g_assert_cmpint (get_told (&bench, 1), ==, cells[0]);
  g_assert_cmpint (get_told (&bench, 2), ==, cells[1]);

  /* A cell that was run again is explained again, and nothing of the old figures is kept. */
  cured_explainer_forget_cell (bench.explainer, cells[1]);
  g_assert_false (is_known (&bench, cells[1]));
  g_assert_true (is_known (&bench, cells[0]));
  assert_soon_cmpuint (bench.told->len, >=, 4);
  g_assert_cmpint (get_told (&bench, 3), ==, cells[1]);
  g_assert_true (is_known (&bench, cells[1]));

  /* Another result's cells are other ones. */
  cured_explainer_set_result (bench.explainer, NULL);
  g_assert_false (is_known (&bench, first));
  tear_down (&bench);
}

/* While a sweep runs, nothing is explained: another caller's cell is, meanwhile. */
TEST ("/explainer/paused")
{
  g_autoptr (CuredResult) result = load_recorded ();
  g_autoptr (CuredResult) again = load_recorded ();
  Bench bench, other;
  gint64 cell = find_ok (result, 0);
  const char *problem;

  set_up (&bench, result);
  set_up (&other, again);
  cured_explainer_set_paused (bench.explainer, TRUE);
  cured_explainer_set_cell (bench.explainer, cell);
  cured_explainer_set_cell (other.explainer, cell);
  assert_soon (is_known (&other, cell));
  g_assert_null (cured_explainer_get_explanation (bench.explainer, cell, &problem));
  g_assert_nonnull (problem);
  g_assert_cmpuint (bench.told->len, ==, 0);
  cured_explainer_set_paused (bench.explainer, FALSE);
  /* The wait is announced immediately. */
  g_assert_cmpuint (bench.told->len, ==, 1);
  assert_soon (is_known (&bench, cell));
  tear_down (&bench);
  tear_down (&other);
}

/* What has no rates, or no time, can't be explained. */
TEST ("/explainer/problem")
{
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "a.cured", NULL);
  Bench bench;
  const char *problem;

  make_result (path, &(MakeResult){ 0 });
  g_autoptr (CuredResult) result = cured_result_load_ready (path, NULL, NULL);
  set_up (&bench, result);
  if (cured_explainer_get_machine (bench.explainer) == NULL)
    {
      g_assert_nonnull (cured_explainer_get_problem (bench.explainer));
      g_assert_null (cured_explainer_get_explanation (bench.explainer, 0, &problem));
      g_assert_cmpstr (problem, ==, cured_explainer_get_problem (bench.explainer));
    }
  tear_down (&bench);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  CuredCompiler *compiler = cured_compiler_new (&error);
  cured_compiler_free (compiler);
  if (error != NULL)
    return 77;
  cured_examiner_set_limit (cured_examiner_get_shared (), 600);
  return run_tests ();
}
