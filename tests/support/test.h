/* SPDX-License-Identifier: MIT
 * A test is declared where it is defined:
 *
 *   TEST ("/axis/errors")
 *   {
 *     …
 *   }
 *
 * Tests run in the order of their file. A program without a main() of its own gets the one of
 * test-main.c; any other ends with run_tests () after g_test_init (). */
#pragma once

#include <glib.h>
#include <string.h>

typedef struct _Test Test;

struct _Test
{
  const char *path;
  GTestFixtureFunc run;
  gsize fixture_size;
  GTestFixtureFunc set_up, tear_down;
  gconstpointer rows;
  gsize n_rows, row_size;
  Test *next;
};

void declare_test (Test *test);
int run_tests (void);
int find_line (const char *text, const char *words);
double draw_normal (GRand *random);
void remove_all (const char *path);
void refuse_threads (gboolean refused);

/* The value of a call that may not fail; its error goes to @fail:
 *
 *   g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_load ("vector/add", &fail)); */
#define MUST(call)                                                                                 \
  __extension__({                                                                                  \
    GError *fail = NULL;                                                                           \
    __auto_type value_ = (call);                                                                   \
    g_assert_no_error (fail);                                                                      \
    value_;                                                                                        \
  })

/* That a call fails: it returns NULL or FALSE, and the message of its error has @part. */
#define FAILS(call, domain, code, part)                                                            \
  G_STMT_START                                                                                     \
  {                                                                                                \
    GError *fail = NULL;                                                                           \
    g_assert_true (!(call));                                                                       \
    g_assert_error (fail, domain, code);                                                           \
    g_assert_nonnull (strstr (fail->message, part));                                               \
    g_error_free (fail);                                                                           \
  }                                                                                                \
  G_STMT_END

/* The same, whatever the error is. */
#define REFUSES(call, part)                                                                        \
  G_STMT_START                                                                                     \
  {                                                                                                \
    GError *fail = NULL;                                                                           \
    g_assert_true (!(call));                                                                       \
    g_assert_nonnull (fail);                                                                       \
    g_assert_nonnull (strstr (fail->message, part));                                               \
    g_error_free (fail);                                                                           \
  }                                                                                                \
  G_STMT_END

#define TEST(path)                                                                                 \
  TEST_NAMED (G_PASTE (test_, __LINE__), G_PASTE (declare_, __LINE__), (void), path, 0)
/* One test for each row of a table, with the row as its data. A row begins with its name, which is
 * “%s” in the path. */
#define TEST_ROWS(path, rows)                                                                      \
  TEST_NAMED (G_PASTE (test_, __LINE__), G_PASTE (declare_, __LINE__), (gconstpointer data), path, \
              0, NULL, NULL, rows, G_N_ELEMENTS (rows), sizeof rows[0])
#define TEST_FIXTURE(path, Fixture, set_up, tear_down)                                             \
  TEST_NAMED (G_PASTE (test_, __LINE__), G_PASTE (declare_, __LINE__),                             \
              (Fixture * self, G_GNUC_UNUSED gconstpointer data), path, sizeof (Fixture),          \
              (GTestFixtureFunc) set_up, (GTestFixtureFunc) tear_down)
#define TEST_NAMED(name, declare, parameters, path, ...)                                           \
  static void name parameters;                                                                     \
  __attribute__ ((constructor)) static void declare (void)                                         \
  {                                                                                                \
    static Test test = { path, (GTestFixtureFunc) (void (*) (void)) name, __VA_ARGS__ };           \
    declare_test (&test);                                                                          \
  }                                                                                                \
  static void name parameters
