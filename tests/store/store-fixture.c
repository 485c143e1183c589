/* SPDX-License-Identifier: MIT
 * What a test of the store makes, changes and compares. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "make-result.h"
#include "record-fill.h"
#include "store/cured-outcome-records-internal.h"
#include "store-fixture.h"

void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = make_folder ();
  self->path = g_build_filename (self->folder, "a.cured", NULL);
  self->plan = make_plan (&(MakeResult){ 0 });
  make_device_info (&self->device);
}

void
tear_down (Fixture *self, gconstpointer data)
{
  cured_device_info_clear (&self->device);
  cured_plan_unref (self->plan);
  g_free (self->path);
  remove_folder (self->folder);
}

CuredStore *
create (Fixture *self)
{
  return MUST (cured_store_create (self->path, self->plan, &self->device, FALSE, &fail));
}

void
append (CuredStore *store, gint64 cell, const CuredOutcome *outcome)
{
  MUST (cured_store_append (store, cell, outcome, &fail));
}

/* Without the flushes of g_file_set_contents(): there are hundreds. */
void
write_file (const char *path, const char *contents, gsize length)
{
  FILE *file = fopen (path, "wb");

  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (contents, 1, length, file), ==, length);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* Changes a file behind Cured's back. */
void
change_file (const char *path, const char *sql)
{
  sqlite3 *handle = NULL;
  char *message = NULL;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  sqlite3_exec (handle, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (handle);
}

/* The rows of @sql, columns joined by '|', rows by '\n', as any other program reads them. */
char *
query (const char *path, const char *sql)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (sqlite3_stmt) statement = NULL;
  sqlite3 *handle = NULL;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  if (sqlite3_prepare_v2 (handle, sql, -1, &statement, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (handle));
  while (sqlite3_step (statement) == SQLITE_ROW)
    for (int i = 0; i < sqlite3_column_count (statement); i++)
      {
        const char *value = (const char *) sqlite3_column_text (statement, i);

        if (text->len > 0)
          g_string_append_c (text, i > 0 ? '|' : '\n');
        g_string_append (text, value != NULL ? value : "NULL");
      }
  g_clear_pointer (&statement, sqlite3_finalize);
  sqlite3_close (handle);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n_files = 0;

  while (g_dir_read_name (dir) != NULL)
    n_files++;
  return n_files;
}

/* Each member of each struct, by its table. */
void
assert_same_outcome (const CuredOutcome *a, const CuredOutcome *b)
{
  g_autofree char *a_text = record_to_text (&_cured_outcome_record, a);
  g_autofree char *b_text = record_to_text (&_cured_outcome_record, b);

  g_assert_cmpstr (a_text, ==, b_text);
}

CuredResult *
load (const char *path)
{
  return MUST (cured_result_load (path, NULL, &fail));
}

void
assert_cell (CuredResult *result, gint64 cell, const CuredOutcome *expected)
{
  g_autoptr (CuredOutcome) outcome = MUST (cured_result_load_outcome (result, cell, &fail));

  assert_same_outcome (expected, outcome);
}

/* An outcome with something in every field, and numbers that a rounding text would change. */
CuredOutcome *
make_full_outcome (void)
{
  g_autoptr (CuredPlan) plan = make_plan (&(MakeResult){ 0 });
  g_autoptr (CuredOutcome) ok = make_outcome (&(MakeResult){ 0 }, plan, 0);
  CuredOutcome *outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, CURED_STATE_WRONG, "two\nlines, “quoted”");
  for (int i = 0; i < CURED_N_METRICS; i++)
    outcome->metrics[i] = (i + 1) / 3.0 * pow (10, i * 11 - 150);
  outcome->metrics[3] = NAN;
  outcome->metrics[4] = 0;
  outcome->metrics[5] = G_MAXDOUBLE;
  outcome->metrics[6] = G_MINDOUBLE;
  outcome->output = g_strdup ("grüße\n");
  outcome->n_mismatches = G_GUINT64_CONSTANT (1) << 40;
  for (int i = 0; i < CURED_N_STAGES; i++)
    outcome->stage_ns[i] = ok->stage_ns[i];
  outcome->cold = g_steal_pointer (&ok->cold);
  outcome->hot = g_steal_pointer (&ok->hot);
  outcome->cold->stop = CURED_STOP_TIME;
  for (guint i = 0; i < 3; i++)
    {
      CuredMismatch *mismatch = g_new0 (CuredMismatch, 1);

      mismatch->buffer = g_strdup ("c");
      mismatch->index = (gint64) i * G_MAXINT - 1;
      mismatch->got = g_strdup ("nan");
      mismatch->expected = g_strdup ("0x1.8p+3");
      g_ptr_array_add (outcome->mismatches, mismatch);
    }
  for (guint i = 0; i < 2; i++)
    {
      CuredFinding *finding = g_new0 (CuredFinding, 1);

      finding->kind = i == 0 ? CURED_FINDING_RACE_GLOBAL : CURED_FINDING_OUT_OF_BOUNDS;
      finding->kernel = g_strdup ("entry");
      finding->here.file = g_strdup ("größe.cu");
      finding->here.line = 12;
      finding->here.ptx_line = 34;
      finding->here.what = "write";
      finding->here.block[2] = G_MAXUINT;
      finding->here.lanes = 0xf0000001;
      if (i == 0)
        finding->there = (CuredFindingSide){ .what = "read", .lanes = 1 };
      else
        finding->object = g_strdup ("c[-1]");
      finding->count = G_GUINT64_CONSTANT (1) << 40;
      g_ptr_array_add (outcome->findings, finding);
    }
  return outcome;
}

void
assert_refused (const char *path, GQuark domain, int code, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, &error);

  g_assert_null (result);
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, what));
  g_clear_error (&error);
  g_autoptr (CuredStore) store = cured_store_open (path, &error);
  g_assert_null (store);
  g_assert_error (error, domain, code);
}
