/* SPDX-License-Identifier: MIT
 * What is inspected for whom, and what is given up. No display. */

#include "model/cured-gui-model.h"
#include "soon.h"
#include "test.h"
#include "worker/cured-examiner-internal.h"

typedef struct
{
  CuredDocument *document;
  CuredInspector *inspector;
  guint n_told;
  gboolean was_there; /* an inspection, when it was told last */
  gboolean is_past;   /* the moment of hold_until_started () */
} Bench;

static void
inspected_cb (Bench *bench)
{
  bench->n_told++;
  bench->was_there = cured_inspector_get_inspection (bench->inspector) != NULL;
}

static void
show (Bench *bench, const char *id)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));

  cured_document_set_kernel (bench->document, kernel);
}

static void
set_up (Bench *bench, const char *id)
{
  *bench = (Bench){ .document = cured_document_new () };
  bench->inspector = cured_inspector_new (bench->document);
  show (bench, id);
  g_signal_connect_swapped (bench->inspector, "notify::inspection", G_CALLBACK (inspected_cb),
                            bench);
}

static void
tear_down (Bench *bench)
{
  g_assert_finalize_object (bench->inspector);
  g_assert_finalize_object (bench->document);
}

/* Until it came to its end. */
static void
inspect (Bench *bench)
{
  assert_soon (!cured_inspector_is_busy (bench->inspector));
  g_assert_no_error (cured_inspector_get_error (bench->inspector));
  g_assert_nonnull (cured_inspector_get_inspection (bench->inspector));
}

static void
set_value (Bench *bench, const char *name, gint64 value)
{
  gsize parameter;

  g_assert_true (
      cured_kernel_find_parameter (cured_document_get_kernel (bench->document), name, &parameter));
  cured_document_set_value (bench->document, parameter, value);
}

/* Nothing is done while it is not shown: whoever looks in gets it meanwhile. */
TEST ("/inspector/hold")
{
  Bench idle, bench;

  set_up (&idle, "transpose/padded");
  set_up (&bench, "transpose/padded");
  set_value (&idle, "n", 128);
  g_assert_false (cured_inspector_is_busy (idle.inspector));
  cured_inspector_hold (bench.inspector);
  g_assert_true (cured_inspector_is_busy (bench.inspector));
  inspect (&bench);
  g_assert_cmpuint (bench.n_told, >=, 1);
  g_assert_true (bench.was_there);
  g_assert_null (cured_inspector_get_inspection (idle.inspector));
  g_assert_cmpuint (idle.n_told, ==, 0);

  /* An inspection stays, and is not done again for the next one. */
  cured_inspector_release (bench.inspector);
  cured_inspector_hold (bench.inspector);
  g_assert_false (cured_inspector_is_busy (bench.inspector));
  cured_inspector_release (bench.inspector);
  tear_down (&idle);
  tear_down (&bench);
}

/* The inspector's own timer, of 60 ms, came first: its task has been started, and its end is heard
 * of in a later turn of the main loop, however late this one is. */
static gboolean
release_cb (gpointer user_data)
{
  Bench *bench = user_data;

  cured_inspector_release (bench->inspector);
  bench->is_past = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
move_cb (gpointer user_data)
{
  Bench *bench = user_data;

  set_value (bench, "n", 96);
  bench->is_past = TRUE;
  return G_SOURCE_REMOVE;
}

static void
hold_until_started (Bench *bench, GSourceFunc then)
{
  bench->is_past = FALSE;
  cured_inspector_hold (bench->inspector);
  g_timeout_add (61, then, bench);
  assert_soon (bench->is_past);
}

/* A running inspection is cancelled when it is no longer shown, and when the point changes. */
TEST ("/inspector/cancel")
{
  Bench bench, other;

  set_up (&bench, "transpose/padded");
  set_up (&other, "transpose/padded");
  hold_until_started (&bench, release_cb);
  g_assert_false (cured_inspector_is_busy (bench.inspector));
  cured_inspector_hold (other.inspector);
  inspect (&other);
  g_assert_null (cured_inspector_get_inspection (bench.inspector));
  g_assert_cmpuint (bench.n_told, ==, 0);

  /* It is made up for. */
  hold_until_started (&bench, move_cb);
  inspect (&bench);
  g_assert_cmpuint (bench.n_told, ==, 1);
  cured_inspector_release (bench.inspector);
  cured_inspector_release (other.inspector);
  tear_down (&bench);
  tear_down (&other);
}

static char *
replace (const char *text, const char *old, const char *new)
{
  GString *string = g_string_new (text);

  g_assert_cmpuint (g_string_replace (string, old, new, 1), ==, 1);
  return g_string_free (string, FALSE);
}

/* While a word is half typed, the banks stay; of another kernel they go at once. */
TEST ("/inspector/edit")
{
  Bench bench;

  set_up (&bench, "transpose/padded");
  cured_inspector_hold (bench.inspector);
  inspect (&bench);
  CuredInspection *before = cured_inspector_get_inspection (bench.inspector);
  g_assert_nonnull (before->banks);
  g_autofree char *good = g_strdup (cured_document_get_source (bench.document));
  g_autofree char *bad = replace (good, "__syncthreads", "__syncth");
  cured_document_set_source (bench.document, bad);
  inspect (&bench);
  g_assert_true (cured_inspector_get_inspection (bench.inspector) == before);
  g_assert_null (cured_inspector_get_newest (bench.inspector)->banks);
  g_assert_cmpuint (cured_inspector_get_newest (bench.inspector)->diagnostics->len, >, 0);
  cured_document_set_source (bench.document, good);
  inspect (&bench);
  g_assert_true (cured_inspector_get_inspection (bench.inspector) ==
                 cured_inspector_get_newest (bench.inspector));

  bench.n_told = 0;
  show (&bench, "transpose/naive");
  g_assert_cmpuint (bench.n_told, ==, 1);
  g_assert_false (bench.was_there);
  inspect (&bench);
  cured_document_set_kernel (bench.document, NULL);
  g_assert_false (cured_inspector_is_busy (bench.inspector));
  g_assert_null (cured_inspector_get_inspection (bench.inspector));
  cured_inspector_release (bench.inspector);
  tear_down (&bench);
}

/* A remedy is searched while it is wanted, and uses the inspection. */
TEST ("/inspector/remedies")
{
  Bench bench, other;

  set_up (&bench, "specimens/reversal");
  set_up (&other, "specimens/reversal");
  cured_inspector_hold (bench.inspector);
  cured_inspector_hold_remedies (bench.inspector);
  inspect (&bench);
  cured_inspector_release (bench.inspector);
  cured_inspector_hold (other.inspector);
  cured_inspector_hold_remedies (other.inspector);
  assert_soon (cured_inspector_get_remedies (other.inspector) != NULL);
  g_assert_null (cured_inspector_get_remedies (bench.inspector));
  cured_inspector_hold (bench.inspector);
  assert_soon (cured_inspector_get_remedies (bench.inspector) != NULL);

  cured_inspector_release_remedies (bench.inspector);
  g_assert_nonnull (cured_inspector_get_remedies (bench.inspector));
  /* Of another point they are others. */
  cured_inspector_set_query (bench.inspector, cured_inspector_get_query (bench.inspector));
  g_assert_null (cured_inspector_get_remedies (bench.inspector));
  cured_inspector_release (bench.inspector);
  cured_inspector_release_remedies (other.inspector);
  cured_inspector_release (other.inspector);
  tear_down (&bench);
  tear_down (&other);
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
