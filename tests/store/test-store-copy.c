/* SPDX-License-Identifier: MIT
 * Copies of result files, and unreadable files. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "make-result.h"
#include "store/cured-store-internal.h"
#include "test.h"

typedef struct
{
  char *folder, *path, *copy;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = make_folder ();
  self->path = g_build_filename (self->folder, "a.cured", NULL);
  self->copy = g_build_filename (self->folder, "b.cured", NULL);
  make_result (self->path, &(MakeResult){ .n_tiles = 65, .unfinished = TRUE });
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_free (self->path);
  g_free (self->copy);
  remove_folder (self->folder);
}

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Fixture, set_up, tear_down)

/* All of the file, and what is added to the copy is not in the file. */
FIXTURE_TEST ("/store-copy/copy")
{
  g_autoptr (CuredResult) copy = NULL;
  g_autoptr (CuredPlan) plan = make_plan (&(MakeResult){ .n_tiles = 65 });
  gint64 cell;

  g_assert_true (MUST (cured_store_copy (self->path, self->copy, &fail)));
  g_autoptr (CuredResult) result = MUST (cured_result_load (self->path, NULL, &fail));
  copy = MUST (cured_result_load (self->copy, NULL, &fail));
  gint64 last = cured_result_get_n_cells (result) - 1;
  g_assert_cmpint (cured_result_get_n_cells (copy), ==, last + 1);
  g_assert_cmpmem (cured_result_get_states (copy), (gsize) last + 1,
                   cured_result_get_states (result), (gsize) last + 1);
  for (cell = 0; cured_result_get_state (result, cell) != CURED_STATE_NOT_RUN; cell++)
    g_assert_cmpint (cell, <, last);
  g_clear_object (&result);
  g_clear_object (&copy);

  g_autoptr (CuredStore) store = MUST (cured_store_open (self->copy, &fail));
  g_autoptr (CuredOutcome) outcome = make_outcome (&(MakeResult){ .n_tiles = 65 }, plan, 0);
  MUST (cured_store_append (store, cell, outcome, &fail));
  g_clear_pointer (&store, cured_store_close);
  result = MUST (cured_result_load (self->path, NULL, &fail));
  copy = MUST (cured_result_load (self->copy, NULL, &fail));
  g_assert_cmpint (cured_result_get_state (result, cell), ==, CURED_STATE_NOT_RUN);
  g_assert_cmpint (cured_result_get_state (copy, cell), !=, CURED_STATE_NOT_RUN);
}

/* A file that is there stays, and one that can't be copied leaves none. */
FIXTURE_TEST ("/store-copy/refused")
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_true (g_file_set_contents (self->copy, "mine", -1, NULL));
  g_assert_false (cured_store_copy (self->path, self->copy, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_true (g_file_get_contents (self->copy, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");
  g_clear_error (&error);

  g_assert_cmpint (g_unlink (self->copy), ==, 0);
  g_assert_true (g_file_set_contents (self->path, "no result", -1, NULL));
  FAILS (cured_store_copy (self->path, self->copy, &fail), CURED_ERROR, CURED_ERROR_FOREIGN, "");
  g_assert_false (g_file_test (self->copy, G_FILE_TEST_EXISTS));
}

/* A reader is not told about writing. */
FIXTURE_TEST ("/store-copy/unreadable")
{
  int status;

  g_assert_cmpint (g_chmod (self->path, 0), ==, 0);
  g_assert_cmpint (g_chmod (self->folder, 0755), ==, 0);
  pid_t child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      g_autoptr (GError) error = NULL;

      /* The superuser may read everything. */
      if (geteuid () == 0 && (setgid (65534) != 0 || setuid (65534) != 0))
        _exit (77);
      g_assert_null (cured_result_load (self->path, NULL, &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
      g_assert_nonnull (strstr (error->message, "can't be read"));
      g_assert_null (strstr (error->message, "written"));
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    g_test_skip ("another user can't be tried here");
  else
    g_assert_cmpint (status, ==, 0);
}
