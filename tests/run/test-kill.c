/* SPDX-License-Identifier: MIT
 * Kill −9 of the worker and of the runner at random moments: no finished cell is lost. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake-plan.h"
#include "run/cured-runner.h"
#include "make-result.h"
#include "test.h"
#include "worker/cured-worker-internal.h"
#include "store/cured-result.h"

/* How many times something is killed in each test. */
static int
get_n_kills (void)
{
  return g_test_slow () ? 100 : 30;
}

/* Whether a process runs; one that only waits to be waited for does not. */
static gboolean
is_alive (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
  g_autofree char *stat = NULL;

  if (!g_file_get_contents (path, &stat, NULL, NULL))
    return FALSE;
  const char *rest = strrchr (stat, ')');
  return rest != NULL && rest[1] == ' ' && rest[2] != 'Z' && rest[2] != 'X';
}

#define TO_THE_END -1

/* Starts the sweep and kills it soon after it has said @n_lines lines, of which the first names its
 * worker and each further one per cell; fills @finished with the cells that it said were finished.
 * Returns TRUE where it was done before that. */
static gboolean
sweep_and_kill (const char *path, const char *how, int n_lines, GHashTable *finished)
{
  const char *argv[] = { g_getenv ("CURED_TEST_SWEEP"), path, how, NULL };
  g_autoptr (GString) output = g_string_new (NULL);
  gboolean is_killed = FALSE;
  char letter;
  gboolean is_done = FALSE;
  GPid pid;
  int out, status;

  MUST (g_spawn_async_with_pipes (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                  &pid, NULL, &out, NULL, &fail));
  for (;;)
    {
      if (n_lines == 0 && !is_killed)
        {
          g_usleep ((gulong) g_test_rand_int_range (0, 10 * 1000));
          kill (pid, SIGKILL);
          is_killed = TRUE;
        }
      if (read (out, &letter, 1) != 1)
        break;
      g_string_append_c (output, letter);
      n_lines -= letter == '\n' && n_lines > 0;
    }
  close (out);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  /* It was killed, or it had succeeded: it never fails by itself. */
  g_assert_true (WIFSIGNALED (status) ? WTERMSIG (status) == SIGKILL : WEXITSTATUS (status) == 0);

  g_auto (GStrv) lines = g_strsplit (output->str, "\n", -1);
  /* The last piece is empty, or was cut by the kill. */
  for (guint i = 1; lines[0] != NULL && lines[i] != NULL && lines[i + 1] != NULL; i++)
    if (g_str_equal (lines[i], "done"))
      is_done = TRUE;
    else
      g_hash_table_add (finished, GINT_TO_POINTER (atoi (lines[i]) + 1));

  /* The worker notices that its pipe is closed. */
  if (lines[0] != NULL && lines[1] != NULL)
    {
      while (is_alive (atoi (lines[0])))
        g_usleep (2000);
    }
  return is_done;
}

/* Every cell that was said to be finished is in the file. */
static void
check_file (const char *path, GHashTable *finished)
{
  GHashTableIter iter;
  gpointer key;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      /* Killed before it made the file. */
      g_assert_cmpuint (g_hash_table_size (finished), ==, 0);
      return;
    }
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  g_hash_table_iter_init (&iter, finished);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      gint64 cell = GPOINTER_TO_INT (key) - 1;

      g_assert_cmpint (cured_result_get_state (result, cell), ==, CURED_STATE_OK);
      g_autoptr (CuredOutcome) outcome = MUST (cured_result_load_outcome (result, cell, &fail));
      g_assert_cmpuint (outcome->cold->samples->len, ==, 5);
    }
  /* At most one more: on the disk, and killed before it said so. */
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), >=,
                   g_hash_table_size (finished));
}

TEST ("/kill/runner")
{
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "sweep.cured", NULL);
  g_autoptr (GHashTable) finished = g_hash_table_new (NULL, NULL);
  guint n_sweeps = 0, n_cells = 0;

  for (int i = 0; i < get_n_kills (); i++)
    {
      int n_lines = g_test_rand_int_range (0, 12);
      gboolean is_done = sweep_and_kill (path, NULL, n_lines, finished);

      check_file (path, finished);
      if (!is_done)
        continue;
      g_assert_cmpuint (g_hash_table_size (finished), <=, 48);
      n_cells += g_hash_table_size (finished);
      n_sweeps++;
      g_remove (path);
      g_hash_table_remove_all (finished);
    }

  /* The last one, to its end. */
  g_assert_true (sweep_and_kill (path, NULL, TO_THE_END, finished));
  {
    g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
    g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 48);
  }
  g_test_message ("%d kills, %u whole sweeps before the last, %u cells", get_n_kills (), n_sweeps,
                  n_cells);
}

/* A cell that runs again is what it was or what it became, and never
 * nothing. */
TEST ("/kill/again")
{
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "sweep.cured", NULL);
  g_autoptr (GHashTable) finished = g_hash_table_new (NULL, NULL);
  guint n_cells = 0;

  g_assert_true (sweep_and_kill (path, NULL, TO_THE_END, finished));
  for (int i = 0; i < get_n_kills () / 2; i++)
    {
      int n_lines = g_test_rand_int_range (0, 12);
      g_autoptr (GHashTable) again = g_hash_table_new (NULL, NULL);

      sweep_and_kill (path, "again", n_lines, again);
      n_cells += g_hash_table_size (again);
      g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
      g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 48);
      g_assert_true (cured_result_is_finished (result));
      check_file (path, finished);
    }
  g_test_message ("%d kills, %u cells again", get_n_kills () / 2, n_cells);
  g_assert_cmpuint (n_cells, >, 0);
}

typedef struct
{
  CuredRunner *runner;
  CuredDevice *device;
  int n_kills;
  int is_over; /* atomic */
} Killer;

static void
count_cb (CuredRunner *runner, gint64 cell, CuredOutcome *outcome, gpointer data)
{
  GHashTable *finished = data;

  g_assert_true (g_hash_table_insert (finished, GINT_TO_POINTER ((int) cell + 1),
                                      GINT_TO_POINTER ((int) outcome->state)));
}

/* Kills whatever worker there is, each time after another cell came through: without that, the run
 * would stop by its own rule. */
static gpointer
killer_thread (gpointer data)
{
  Killer *self = data;
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  gint64 n_ok = 0;

  while (!g_atomic_int_get (&self->is_over))
    {
      CuredProgress progress;

      g_usleep ((gulong) g_rand_int_range (random, 0, 12 * 1000));
      cured_runner_get_progress (self->runner, &progress);
      int pid = _cured_worker_device_get_pid (self->device);
      if (pid <= 1 || progress.n_states[CURED_STATE_OK] == n_ok)
        continue;
      n_ok = progress.n_states[CURED_STATE_OK];
      kill (pid, SIGKILL);
      self->n_kills++;
    }
  return NULL;
}

TEST ("/kill/worker")
{
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "sweep.cured", NULL);
  g_autoptr (CuredSpec) spec = fake_spec_new ("1,2,4,8,16,32", "1..8");
  g_autoptr (CuredPlan) plan = fake_plan_new (spec);
  int n_kills = 0;
  gint64 n_crashed = 0;

  while (n_kills < get_n_kills ())
    {
      g_autoptr (GHashTable) finished = g_hash_table_new (NULL, NULL);
      g_autoptr (GError) error = NULL;
      GHashTableIter iter;
      gpointer key, value;
      Killer killer = { 0 };

      g_autoptr (CuredDevice) device = MUST (fake_worker_open ("ms=4", "fake:0", &fail));
      g_autoptr (CuredStore) store =
          MUST (cured_store_create (path, plan, cured_device_get_info (device), TRUE, &fail));
      g_autoptr (CuredRunner) runner = cured_runner_new (plan, store);
      cured_runner_add_device (runner, device);
      g_signal_connect (runner, "cell-finished", G_CALLBACK (count_cb), finished);
      killer.runner = runner;
      killer.device = device;
      GThread *thread = g_thread_new ("killer", killer_thread, &killer);
      cured_runner_run (runner, NULL, &error);
      g_atomic_int_set (&killer.is_over, TRUE);
      g_thread_join (thread);
      g_assert_no_error (error);
      n_kills += killer.n_kills;

      g_assert_cmpuint (g_hash_table_size (finished), ==, 48);
      g_clear_pointer (&store, cured_store_close);
      g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
      g_hash_table_iter_init (&iter, finished);
      while (g_hash_table_iter_next (&iter, &key, &value))
        g_assert_cmpint (cured_result_get_state (result, GPOINTER_TO_INT (key) - 1), ==,
                         GPOINTER_TO_INT (value));
      n_crashed += cured_result_count_state (result, CURED_STATE_CRASHED);
      g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK) +
                           cured_result_count_state (result, CURED_STATE_CRASHED),
                       ==, 48);
      g_assert_finalize_object (g_steal_pointer (&runner));
    }
  g_test_message ("%d kills, %" G_GINT64_FORMAT " cells crashed", n_kills, n_crashed);
  g_assert_cmpint (n_crashed, >, 0);
  g_assert_cmpint (n_crashed, <=, n_kills);
}
