/* SPDX-License-Identifier: MIT
 * The list of tests, and running them. */
#include "test.h"

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
