/* SPDX-License-Identifier: MIT
 * A result file in a folder of its own, for tests of the store. */
#pragma once

#include "cured.h"

#include "measure/cured-measure-internal.h"
#include "store/cured-store-internal.h"
#include "test.h"

typedef struct
{
  char *folder, *path;
  CuredPlan *plan;
  CuredDeviceInfo device;
} Fixture;

void set_up (Fixture *self, gconstpointer data);
void tear_down (Fixture *self, gconstpointer data);
CuredStore *create (Fixture *self);
void append (CuredStore *store, gint64 cell, const CuredOutcome *outcome);
void write_file (const char *path, const char *contents, gsize length);
void change_file (const char *path, const char *sql);
char *query (const char *path, const char *sql);
guint count_files (const char *folder);
void assert_same_outcome (const CuredOutcome *a, const CuredOutcome *b);
CuredResult *load (const char *path);
void assert_cell (CuredResult *result, gint64 cell, const CuredOutcome *expected);
CuredOutcome *make_full_outcome (void);
void assert_refused (const char *path, GQuark domain, int code, const char *what);

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Fixture, set_up, tear_down)

#define assert_query(path, sql, expected)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *found_ = query (path, sql);                                                   \
                                                                                                   \
    g_assert_cmpstr (found_, ==, expected);                                                        \
  }                                                                                                \
  G_STMT_END
