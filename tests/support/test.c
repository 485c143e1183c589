/* SPDX-License-Identifier: MIT
 * The list of tests, and running them. */
#include "test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <pthread.h>

static Test *first;
static Test **end = &first;

void
declare_test (Test *test)
{
  *end = test;
  end = &test->next;
}

static void
add (const Test *test, const char *path, gconstpointer row)
{
  g_test_add_vtable (path, test->fixture_size, row, test->set_up, test->run, test->tear_down);
}

/* The tests that were declared, after those that were added. */
int
run_tests (void)
{
  for (const Test *test = first; test != NULL; test = test->next)
    if (test->rows == NULL)
      add (test, test->path, NULL);
    else
      for (gsize i = 0; i < test->n_rows; i++)
        {
          gconstpointer row = (const char *) test->rows + i * test->row_size;
          g_auto (GStrv) parts = g_strsplit (test->path, "%s", -1);
          g_autofree char *path = g_strjoinv (*(const char *const *) row, parts);

          add (test, path, row);
        }
  return g_test_run ();
}

/* The line of @text that has @words, from 1. */
int
find_line (const char *text, const char *words)
{
  const char *at = strstr (text, words);
  int line = 1;

  g_assert_nonnull (at);
  for (; at > text; at--)
    line += at[-1] == '\n';
  return line;
}

double
draw_normal (GRand *random)
{
  double u = g_rand_double_range (random, 1e-12, 1);

  return sqrt (-2 * log (u)) * cos (2 * G_PI * g_rand_double (random));
}

/* A file, or a folder and what is in it. */
/* A new thread's stack is larger than memory. */
void
refuse_threads (gboolean refused)
{
  pthread_attr_t attributes;

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, refused ? G_MAXSSIZE / 2 : 2 << 20);
  g_assert_cmpint (pthread_setattr_default_np (&attributes), ==, 0);
  pthread_attr_destroy (&attributes);
}

void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name = NULL;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_all (child);
    }
  g_remove (path);
}
