/* SPDX-License-Identifier: MIT
 * When a kernel that was changed is fit to run again. No display. */
#include <string.h>

#include "make-result.h"
#include "model/cured-gui-model.h"
#include "soon.h"
#include "test.h"
#include "worker/cured-examiner-internal.h"

static char *folder;

typedef struct
{
  CuredDocument *document;
  CuredInspector *inspector;
  CuredChange *change;
  char *path; /* of the kernel's file */
  char *source;
  guint n_ready, n_refused;
  char *reason; /* nullable: the last one */
} Bench;

static void
ready_cb (Bench *bench)
{
  bench->n_ready++;
}

static void
refused_cb (Bench *bench, const char *reason)
{
  bench->n_refused++;
  g_free (bench->reason);
  bench->reason = g_strdup (reason);
}

static void
write_file (Bench *bench, const char *text)
{
  MUST (g_file_set_contents (bench->path, text, -1, &fail));
}

static void
set_up (Bench *bench, const char *name)
{
  g_autoptr (CuredKernel) add = cured_catalogue_get ("transpose/padded", NULL);

  *bench = (Bench){ .document = cured_document_new (),
                    .path = g_build_filename (folder, name, NULL),
                    .source = g_strdup (add->source) };
  write_file (bench, bench->source);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_file (bench->path, &fail));
  bench->inspector = cured_inspector_new (bench->document);
  bench->change = cured_change_new (bench->document, bench->inspector);
  cured_document_set_kernel (bench->document, kernel);
  g_signal_connect_swapped (bench->change, "ready", G_CALLBACK (ready_cb), bench);
  g_signal_connect_swapped (bench->change, "refused", G_CALLBACK (refused_cb), bench);
}

static void
tear_down (Bench *bench)
{
  g_object_run_dispose (G_OBJECT (bench->change));
  g_assert_finalize_object (bench->change);
  g_assert_finalize_object (bench->inspector);
  g_assert_finalize_object (bench->document);
  g_free (bench->path);
  g_free (bench->source);
  g_free (bench->reason);
}

static char *
add_line (const char *source, const char *line)
{
  return g_strdup_printf ("%s\n%s\n", source, line);
}

TEST ("/change/edit")
{
  Bench bench, idle;

  set_up (&bench, "edit.cu");
  set_up (&idle, "idle.cu");
  g_autofree char *good = add_line (bench.source, "/* The same. */");
  g_autofree char *bad = g_strdup (good);
  memcpy (strstr (bad, "__syncthreads"), "__sinkthreads", strlen ("__sinkthreads"));
  cured_change_set_active (bench.change, TRUE);
  g_assert_true (cured_change_is_active (bench.change));
  cured_document_set_source (idle.document, good);
  cured_document_set_source (bench.document, good);
  g_assert_cmpuint (bench.n_ready, ==, 0);
  assert_soon_cmpuint (bench.n_ready, ==, 1);
  /* That one is not watched. */
  g_assert_cmpuint (idle.n_ready, ==, 0);
  cured_document_set_source (bench.document, bad);
  assert_soon_cmpuint (bench.n_refused, ==, 1);
  g_assert_cmpuint (bench.n_ready, ==, 1);
  /* Nothing is reported twice. */
  cured_document_set_source (bench.document, good);
  assert_soon_cmpuint (bench.n_ready, ==, 2);
  tear_down (&bench);
  tear_down (&idle);
}

/* What was opened, or switched off, is no change; of several, the last counts. */
TEST ("/change/opened")
{
  Bench bench, other;
  g_autoptr (CuredKernel) padded = cured_catalogue_get ("transpose/naive", NULL);

  set_up (&bench, "opened.cu");
  set_up (&other, "other.cu");
  g_autofree char *good = add_line (bench.source, "/* The same. */");
  g_autofree char *better = add_line (bench.source, "/* The same again. */");
  cured_change_set_active (bench.change, TRUE);
  cured_change_set_active (other.change, TRUE);
  cured_document_set_source (bench.document, good);
  cured_document_set_kernel (bench.document, padded);
  cured_document_set_source (other.document, good);
  cured_document_set_source (other.document, better);
  assert_soon_cmpuint (other.n_ready, ==, 1);
  g_assert_cmpuint (bench.n_ready + bench.n_refused, ==, 0);
  cured_document_set_source (other.document, good);
  cured_change_set_active (other.change, FALSE);
  cured_change_set_active (bench.change, FALSE);
  cured_change_set_active (bench.change, TRUE);
  {
    g_autofree char *edited = add_line (padded->source, "/* Another. */");

    cured_document_set_source (bench.document, edited);
  }
  assert_soon_cmpuint (bench.n_ready, ==, 1);
  g_assert_cmpuint (other.n_ready, ==, 1);
  tear_down (&bench);
  tear_down (&other);
}

/* The file: taken where nothing is edited here, otherwise reported. */
TEST ("/change/file")
{
  Bench bench;

  set_up (&bench, "file.cu");
  g_autofree char *theirs = add_line (bench.source, "/* Theirs. */");
  g_autofree char *mine = add_line (bench.source, "/* Mine. */");
  cured_change_set_active (bench.change, TRUE);
  write_file (&bench, theirs);
  assert_soon_cmpstr (cured_document_get_source (bench.document), ==, theirs);
  g_assert_false (cured_document_is_edited (bench.document));
  assert_soon_cmpuint (bench.n_ready, ==, 1);

  cured_document_set_source (bench.document, mine);
  write_file (&bench, bench.source);
  assert_soon (bench.n_refused > 0);
  g_assert_cmpstr (cured_document_get_source (bench.document), ==, mine);
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
  folder = make_folder ();
  int result = run_tests ();
  remove_folder (folder);
  return result;
}
