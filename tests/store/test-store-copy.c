/* SPDX-License-Identifier: MIT
 * Copies of result files, and files that nobody may read. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "make-result.h"
#include "store/cured-store-internal.h"

typedef struct
{
  char *folder;
  char *path;
  char *copy;
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

/* All of the file, and what is added to the copy is not in the file. */
static void
test_copy (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (CuredResult) copy = NULL;
  g_autoptr (CuredStore) store = NULL;
  g_autoptr (CuredOutcome) outcome = NULL;
  g_autoptr (CuredPlan) plan = make_plan (&(MakeResult){ .n_tiles = 65 });
  gint64 last;
  gint64 cell;

  g_assert_true (cured_store_copy (self->path, self->copy, &error));
  g_assert_no_error (error);
  result = cured_result_load (self->path, NULL, &error);
  g_assert_no_error (error);
  copy = cured_result_load (self->copy, NULL, &error);
  g_assert_no_error (error);
  last = cured_result_get_n_cells (result) - 1;
  g_assert_cmpint (cured_result_get_n_cells (copy), ==, last + 1);
  g_assert_cmpmem (cured_result_get_states (copy), (gsize) last + 1,
                   cured_result_get_states (result), (gsize) last + 1);
  for (cell = 0; cured_result_get_state (result, cell) != CURED_STATE_NOT_RUN; cell++)
    g_assert_cmpint (cell, <, last);
  g_clear_object (&result);
  g_clear_object (&copy);

  store = cured_store_open (self->copy, &error);
  g_assert_no_error (error);
  outcome = make_outcome (&(MakeResult){ .n_tiles = 65 }, plan, 0);
  cured_store_append (store, cell, outcome, &error);
  g_assert_no_error (error);
  g_clear_pointer (&store, cured_store_close);
  result = cured_result_load (self->path, NULL, &error);
  g_assert_no_error (error);
  copy = cured_result_load (self->copy, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cured_result_get_state (result, cell), ==, CURED_STATE_NOT_RUN);
  g_assert_cmpint (cured_result_get_state (copy, cell), !=, CURED_STATE_NOT_RUN);
}

/* A file that is there stays, and one that can't be copied leaves none. */
static void
test_refused (Fixture *self, gconstpointer data)
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
  g_assert_false (cured_store_copy (self->path, self->copy, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_FOREIGN);
  g_assert_false (g_file_test (self->copy, G_FILE_TEST_EXISTS));
}

/* Who only reads is not told of writing. */
static void
test_unreadable (Fixture *self, gconstpointer data)
{
  pid_t child;
  int status;

  g_assert_cmpint (g_chmod (self->path, 0), ==, 0);
  g_assert_cmpint (g_chmod (self->folder, 0755), ==, 0);
  child = fork ();
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)
  ADD ("/store-copy/copy", test_copy);
  ADD ("/store-copy/refused", test_refused);
  ADD ("/store-copy/unreadable", test_unreadable);
#undef ADD
  return g_test_run ();
}
