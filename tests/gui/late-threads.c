/* SPDX-License-Identifier: MIT
 * Preloaded into a program: its threads begin and end late, at random, as they do where the machine
 * is busy elsewhere. What does not wait for them is found so.
 *
 * CURED_TEST_LATE: the seed */
#include <dlfcn.h>

#include <gio/gio.h>

#define MAX_LATE_MS 1500

/* More than a third are not late at all, and few are very late. */
static void
be_late (void)
{
  static GMutex mutex;
  static GRand *chance;
  const char *seed = g_getenv ("CURED_TEST_LATE");

  g_mutex_lock (&mutex);
  if (chance == NULL)
    chance = g_rand_new_with_seed (seed != NULL ? g_str_hash (seed) : 0);
  double drawn = MAX (g_rand_double_range (chance, -0.6, 1), 0);
  g_mutex_unlock (&mutex);
  g_usleep ((gulong) (drawn * drawn * MAX_LATE_MS * 1000));
}

static gpointer
find_real (const char *name)
{
  return dlsym (RTLD_NEXT, name);
}

static void
late_task (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const GTaskThreadFunc *func = g_object_get_data (G_OBJECT (task), "late-threads");

  be_late ();
  (*func) (task, source, task_data, cancellable);
  /* The thread is the last that has the task, and what the task has. */
  be_late ();
}

void
g_task_run_in_thread (GTask *task, GTaskThreadFunc func)
{
  void (*real) (GTask * task, GTaskThreadFunc func);

  *(gpointer *) &real = find_real ("g_task_run_in_thread");
  g_object_set_data_full (G_OBJECT (task), "late-threads", g_memdup2 (&func, sizeof func), g_free);
  real (task, late_task);
}

typedef struct
{
  GThreadFunc func;
  gpointer data;
} Late;

static gpointer
late_thread (gpointer data)
{
  Late late = *(Late *) data;

  g_free (data);
  be_late ();
  return late.func (late.data);
}

GThread *
g_thread_new (const char *name, GThreadFunc func, gpointer data)
{
  GThread *(*real) (const char *name, GThreadFunc func, gpointer data);
  Late *late = g_new (Late, 1);

  *(gpointer *) &real = find_real ("g_thread_new");
  late->func = func;
  late->data = data;
  return real (name, late_thread, late);
}
