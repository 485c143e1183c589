/* SPDX-License-Identifier: MIT
 * What a file is taken for, and which signals follow. No display. */
#include <string.h>

#include "make-result.h"
#include "model/cured-gui-model.h"
#include "soon.h"
#include "test.h"

static char *folder;

/* A loader, and what it answered last. */
typedef struct
{
  CuredLoader *loader;
  guint n_answers;
  const char *answer;
  char *detail; /* nullable */
} Bench;

static void
answer (Bench *bench, const char *name, const char *detail)
{
  g_assert_cmpuint (cured_loader_get_status (bench->loader), ==, CURED_LOADER_IDLE);
  bench->n_answers++;
  bench->answer = name;
  g_free (bench->detail);
  bench->detail = g_strdup (detail);
}

static void
result_cb (Bench *bench, CuredResult *result)
{
  answer (bench, "result", cured_result_get_path (result));
}

static void
kernel_cb (Bench *bench, CuredKernel *kernel)
{
  answer (bench, "kernel", kernel->path);
}

static void
bare_kernel_cb (Bench *bench, const char *text)
{
  answer (bench, "bare-kernel", text);
}

static void
imported_cb (Bench *bench, CuredImport *import)
{
  answer (bench, "imported", NULL);
}

static void
path_needed_cb (Bench *bench)
{
  answer (bench, "path-needed", NULL);
}

static void
failed_cb (Bench *bench, const GError *error)
{
  answer (bench, "failed", error->message);
}

static void
set_up (Bench *bench)
{
  *bench = (Bench){ .loader = cured_loader_new () };
  g_signal_connect_swapped (bench->loader, "result", G_CALLBACK (result_cb), bench);
  g_signal_connect_swapped (bench->loader, "kernel", G_CALLBACK (kernel_cb), bench);
  g_signal_connect_swapped (bench->loader, "bare-kernel", G_CALLBACK (bare_kernel_cb), bench);
  g_signal_connect_swapped (bench->loader, "imported", G_CALLBACK (imported_cb), bench);
  g_signal_connect_swapped (bench->loader, "path-needed", G_CALLBACK (path_needed_cb), bench);
  g_signal_connect_swapped (bench->loader, "failed", G_CALLBACK (failed_cb), bench);
}

static void
tear_down (Bench *bench)
{
  g_assert_finalize_object (bench->loader);
  g_free (bench->detail);
}

static char *
write_file (const char *name, const char *text)
{
  char *path = g_build_filename (folder, name, NULL);

  MUST (g_file_set_contents (path, text, -1, &fail));
  return path;
}

static char *
get_source (void)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("vector/add", NULL);

  return g_strdup (kernel->source);
}

TEST ("/loader/kinds")
{
  g_autofree char *result = g_build_filename (folder, "a.cured", NULL);
  g_autofree char *source = get_source ();
  g_autofree char *kernel = write_file ("own.cu", source);
  g_autofree char *bare = write_file ("bare.cu", "__global__ void f (float *x) { *x = 1; }\n");
  g_autofree char *wrong = write_file ("wrong.cu", "/*! cured\n * [Nonsense]\n */\n");
  g_autofree char *noise = write_file ("noise.cured", "no database");
  g_autofree char *missing = g_build_filename (folder, "missing.cured", NULL);
  const struct
  {
    const char *path, *answer;
    const char *detail; /* in the answer's */
  } rows[] = {
    { result, "result", "a.cured" },       { kernel, "kernel", "own.cu" },
    { bare, "bare-kernel", "__global__" }, { wrong, "failed", "wrong.cu" },
    { noise, "failed", "noise.cured" },    { missing, "failed", "missing.cured" },
  };
  Bench bench;

  make_result (result, &(MakeResult){ .n_tiles = 2 });
  set_up (&bench);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      cured_loader_load (bench.loader, rows[i].path);
      g_assert_cmpuint (cured_loader_get_status (bench.loader), ==, CURED_LOADER_OPENING);
      assert_soon_cmpuint (bench.n_answers, ==, i + 1);
      g_assert_cmpstr (bench.answer, ==, rows[i].answer);
      g_assert_nonnull (strstr (bench.detail, rows[i].detail));
    }
  tear_down (&bench);
}

/* Beside what was measured, once; then where a person says. */
TEST ("/loader/import")
{
  g_autofree char *sample =
      g_build_filename (g_getenv ("CURED_TEST_DATA"), "import", "kernel-tuner.json", NULL);
  g_autofree char *text = NULL;
  g_autofree char *chosen = g_build_filename (folder, "chosen.cured", NULL);
  Bench bench;

  g_assert_true (g_file_get_contents (sample, &text, NULL, NULL));
  g_autofree char *path = write_file ("tuned.json", text);
  set_up (&bench);
  cured_loader_load (bench.loader, path);
  assert_soon_cmpuint (bench.n_answers, ==, 1);
  g_assert_cmpstr (bench.answer, ==, "imported");
  cured_loader_load (bench.loader, path);
  assert_soon_cmpuint (bench.n_answers, ==, 2);
  g_assert_cmpstr (bench.answer, ==, "path-needed");
  cured_loader_import (bench.loader, chosen);
  g_assert_cmpuint (cured_loader_get_status (bench.loader), ==, CURED_LOADER_IMPORTING);
  assert_soon_cmpuint (bench.n_answers, ==, 3);
  g_assert_cmpstr (bench.answer, ==, "imported");
  tear_down (&bench);
}

/* Of what was given up nothing is heard. */
TEST ("/loader/overtaken")
{
  g_autofree char *source = get_source ();
  g_autofree char *first = write_file ("first.cu", source);
  g_autofree char *second = write_file ("second.cu", source);
  Bench bench, other;

  set_up (&bench);
  set_up (&other);
  cured_loader_load (bench.loader, first);
  cured_loader_load (bench.loader, second);
  assert_soon_cmpuint (bench.n_answers, ==, 1);
  g_assert_true (g_str_has_suffix (bench.detail, "second.cu"));
  cured_loader_load (bench.loader, first);
  cured_loader_cancel (bench.loader);
  g_assert_cmpuint (cured_loader_get_status (bench.loader), ==, CURED_LOADER_IDLE);
  cured_loader_load (other.loader, first);
  assert_soon_cmpuint (other.n_answers, ==, 1);
  g_assert_cmpuint (bench.n_answers, ==, 1);
  /* One that goes while it reads. */
  cured_loader_load (bench.loader, first);
  tear_down (&bench);
  tear_down (&other);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = make_folder ();
  int result = run_tests ();
  remove_folder (folder);
  return result;
}
