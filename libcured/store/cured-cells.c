/* SPDX-License-Identifier: MIT
 * Cells in a result file: outcomes, metrics, samples and work. */
#include "store/cured-database-private.h"

#include "base/cured-base-internal.h"
#include "measure/cured-measure-internal.h"
#include "store/cured-outcome-records-internal.h"

/* A sample with its key. */
typedef struct
{
  CuredTimingMode mode;
  gint64 number;
  CuredSample sample;
} SampleRow;

static const char *
name_mode (int value)
{
  return cured_timing_mode_to_string ((CuredTimingMode) value);
}

/* clang-format off */
static const CuredFieldInfo sample_row_fields[] = {
  CURED_FIELD_NAMES ("mode", SampleRow, mode, name_mode, CURED_TIMING_HOT + 1, CURED_FIELD_REQUIRED),
  CURED_FIELD (SampleRow, number, INTEGER, "", 0, 0, 0),
  CURED_FIELD_OF ("sample", SampleRow, sample, RECORD, &_cured_sample_record, 0, 0, ""),
};

static const CuredRecordInfo sample_row_info = CURED_RECORD (SampleRow, "sample", sample_row_fields, NULL);

#define ROWS(name_, info_, end_, ...)                                                              \
  { .name = name_, .info = info_, .end = end_, .keys = (const char *const[]){ __VA_ARGS__, NULL } }
#define OF_CELL ", FOREIGN KEY (cell) REFERENCES cell) STRICT, WITHOUT ROWID"
#define OF_LAUNCH ", FOREIGN KEY (cell, launch) REFERENCES work_launch) STRICT, WITHOUT ROWID"

const CuredRows _cured_rows_cell = {
  .name = "cell", .info = &_cured_outcome_record, .keys = (const char *const[]){ "cell", NULL },
  .end = ", PRIMARY KEY (cell), FOREIGN KEY (state) REFERENCES state) STRICT", .is_replaced = TRUE,
};
const CuredRows _cured_rows_sample_set = ROWS ("sample_set", &_cured_samples_record, ", PRIMARY KEY (cell, mode)" OF_CELL, "cell");
const CuredRows _cured_rows_sample = ROWS ("sample", &sample_row_info,
    ", PRIMARY KEY (cell, mode, number), FOREIGN KEY (cell, mode) REFERENCES sample_set) STRICT, WITHOUT ROWID", "cell");
const CuredRows _cured_rows_mismatch = ROWS ("mismatch", &_cured_mismatch_record, ", PRIMARY KEY (cell, number)" OF_CELL, "cell", "number");
const CuredRows _cured_rows_finding = ROWS ("finding", &_cured_finding_record, ", PRIMARY KEY (cell, number)" OF_CELL, "cell", "number");
const CuredRows _cured_rows_launch = ROWS ("work_launch", &_cured_launch_record, ", PRIMARY KEY (cell, number)" OF_CELL, "cell", "number");
const CuredRows _cured_rows_site = ROWS ("work_site", &_cured_site_record, ", PRIMARY KEY (cell, launch, site)" OF_LAUNCH, "cell", "launch", "site");
const CuredRows _cured_rows_buffer = ROWS ("work_buffer", &_cured_buffer_record, ", PRIMARY KEY (cell, launch, number)" OF_LAUNCH, "cell", "launch", "number");
/* clang-format on */

/* Writing. The caller has begun a transaction. */

/* Writes the metrics of a cell that has none yet. */
gboolean
_cured_database_write_figures (CuredDatabase *self, gint64 cell, const CuredOutcome *outcome,
                               const gint64 *metric_numbers, GError **error)
{
  for (int i = 0; i < CURED_N_METRICS; i++)
    if (!isnan (outcome->metrics[i]) &&
        !_cured_database_run (self, error, "INSERT INTO measurement VALUES (?1, ?2, ?3)", "iir",
                              metric_numbers[i], cell, outcome->metrics[i]))
      return FALSE;
  return TRUE;
}

/* Writes the samples from number @first on; the file has the others. */
gboolean
_cured_database_write_samples (CuredDatabase *self, gint64 cell, const CuredSamples *samples,
                               guint first, GError **error)
{
  if (samples == NULL)
    return TRUE;
  /* The number of runs is that of the first round. */
  if (!(first == 0
            ? _cured_rows_insert (self, &_cured_rows_sample_set, &cell, samples, error)
            : _cured_database_run (
                  self, error, "UPDATE sample_set SET stop = ?3 WHERE cell = ?1 AND mode = ?2",
                  "itt", cell, name_mode (samples->mode), _cured_stop_to_string (samples->stop))))
    return FALSE;
  for (guint i = first; i < samples->samples->len; i++)
    {
      SampleRow row = { samples->mode, i, g_array_index (samples->samples, CuredSample, i) };

      if (!_cured_rows_insert (self, &_cured_rows_sample, &cell, &row, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_numbered (CuredDatabase *self, const CuredRows *rows, gint64 cell, GPtrArray *list,
                GError **error)
{
  for (guint i = 0; list != NULL && i < list->len; i++)
    if (!_cured_rows_insert (self, rows, (const gint64[]){ cell, i }, list->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
write_work (CuredDatabase *self, gint64 cell, const CuredWorkload *work, GError **error)
{
  if (work == NULL)
    return TRUE;
  if (!write_numbered (self, &_cured_rows_launch, cell, work->launches, error))
    return FALSE;
  for (guint i = 0; i < work->launches->len; i++)
    {
      const CuredWorkLaunch *launch = work->launches->pdata[i];

      CURED_EACH_POINTER (const CuredWorkSite, site, launch->sites)
        if (!_cured_rows_insert (self, &_cured_rows_site, (const gint64[]){ cell, i, site->site },
                                 site, error))
          return FALSE;
      for (guint k = 0; k < launch->buffers->len; k++)
        if (!_cured_rows_insert (self, &_cured_rows_buffer, (const gint64[]){ cell, i, k },
                                 launch->buffers->pdata[k], error))
          return FALSE;
    }
  return TRUE;
}

/* Writes a cell of which the file has nothing. */
gboolean
_cured_database_write_outcome (CuredDatabase *self, gint64 cell, const CuredOutcome *outcome,
                               const gint64 *metric_numbers, GError **error)
{
  return _cured_rows_insert (self, &_cured_rows_cell, &cell, outcome, error) &&
         _cured_database_write_figures (self, cell, outcome, metric_numbers, error) &&
         _cured_database_write_samples (self, cell, outcome->cold, 0, error) &&
         _cured_database_write_samples (self, cell, outcome->hot, 0, error) &&
         write_numbered (self, &_cured_rows_mismatch, cell, outcome->mismatches, error) &&
         write_numbered (self, &_cured_rows_finding, cell, outcome->findings, error) &&
         write_work (self, cell, outcome->work, error);
}

/* Deletes all of a cell except its row in `cell`. */
gboolean
_cured_database_delete_cell (CuredDatabase *self, gint64 cell, GError **error)
{
  static const char *const texts[] = {
    "DELETE FROM work_buffer WHERE cell = ?1",
    "DELETE FROM work_site WHERE cell = ?1",
    "DELETE FROM work_launch WHERE cell = ?1",
    "DELETE FROM sample WHERE cell = ?1",
    "DELETE FROM sample_set WHERE cell = ?1",
    "DELETE FROM mismatch WHERE cell = ?1",
    "DELETE FROM finding WHERE cell = ?1",
    "DELETE FROM cell_device WHERE cell = ?1",
    "DELETE FROM measurement WHERE cell = ?1 AND metric IN (SELECT metric FROM metric)",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (!_cured_database_run (self, error, texts[i], "i", cell))
      return FALSE;
  return TRUE;
}

/* Reading */

/* (transfer full) (nullable) (array length=n_cells): a #CuredState per cell */
guint8 *
_cured_database_read_states (CuredDatabase *self, gint64 n_cells, GError **error)
{
  g_autofree guint8 *states = g_malloc0 ((gsize) n_cells);
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "SELECT cell, state FROM cell ORDER BY cell", error);
  gint64 last = G_MININT64;
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      gint64 cell = sqlite3_column_int64 (statement, 0);
      int state = sqlite3_column_int (statement, 1);

      if (!_cured_database_check_order (self, statement, 0, &last, error))
        return NULL;
      if (cell < 0 || cell >= n_cells || state <= CURED_STATE_NOT_RUN || state >= CURED_N_STATES)
        {
          _cured_database_damaged (self, error, _ ("cell %lld has state %d"), (long long) cell,
                                   state);
          return NULL;
        }
      states[cell] = (guint8) state;
    }
  return has_row == 0 ? g_steal_pointer (&states) : NULL;
}

static gboolean
read_cell (CuredDatabase *self, gint64 cell, CuredOutcome *outcome, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select_of (self, &_cured_rows_cell, "", cell, error);
  int has_row = _cured_database_next (self, statement, error);

  if (has_row <= 0)
    return has_row == 0;
  if (!_cured_rows_get (self, &_cured_rows_cell, statement, outcome, error))
    return FALSE;
  return outcome->state != CURED_STATE_NOT_RUN ||
         _cured_database_damaged (self, error, _ ("cell %lld has state %d"), (long long) cell, 0);
}

/* Reads the metrics of a cell. */
gboolean
_cured_database_read_figures (CuredDatabase *self, gint64 cell, CuredOutcome *outcome,
                              GError **error)
{
  /* One query per metric, since the table is sorted by metric. */
  g_autoptr (sqlite3_stmt) statement = _cured_database_query (
      self, error,
      "SELECT id, (SELECT value FROM measurement WHERE measurement.metric = metric.metric AND "
      "measurement.cell = ?1) FROM metric",
      "i", cell);
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      g_autofree char *id = _cured_database_dup_text (statement, 0, 0);
      CuredMetric metric;

      if (id != NULL && cured_metric_from_id (id, &metric))
        outcome->metrics[metric] = _cured_database_get_double (statement, 1);
    }
  return has_row == 0;
}

static gboolean
read_samples (CuredDatabase *self, gint64 cell, CuredSamples *samples, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = _cured_rows_select_of (
      self, &_cured_rows_sample, "AND mode = ?2 ORDER BY number", cell, error);
  gint64 last = G_MININT64;
  int has_row;

  if (statement != NULL)
    _cured_database_bind_text (statement, 2, name_mode (samples->mode));
  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      SampleRow row = { 0 };

      if (!_cured_database_check_order (self, statement, 2, &last, error) ||
          !_cured_rows_get (self, &_cured_rows_sample, statement, &row, error))
        return FALSE;
      g_array_append_val (samples->samples, row.sample);
    }
  cured_samples_update (samples);
  return has_row == 0;
}

static gboolean
read_sample_sets (CuredDatabase *self, gint64 cell, CuredOutcome *outcome, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select_of (self, &_cured_rows_sample_set, "", cell, error);
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      g_autoptr (CuredSamples) samples = _cured_record_new (&_cured_samples_record);

      if (!_cured_rows_get (self, &_cured_rows_sample_set, statement, samples, error) ||
          !read_samples (self, cell, samples, error))
        return FALSE;
      CuredSamples **place = samples->mode == CURED_TIMING_HOT ? &outcome->hot : &outcome->cold;
      g_clear_pointer (place, cured_samples_free);
      *place = g_steal_pointer (&samples);
    }
  return has_row == 0;
}

/* Reads everything of a cell except its work; @outcome is new. */
gboolean
_cured_database_read_outcome (CuredDatabase *self, gint64 cell, CuredOutcome *outcome,
                              GError **error)
{
  return read_cell (self, cell, outcome, error) &&
         _cured_database_read_figures (self, cell, outcome, error) &&
         read_sample_sets (self, cell, outcome, error) &&
         _cured_rows_read (self, &_cured_rows_mismatch, cell, outcome->mismatches, error) &&
         _cured_rows_read (self, &_cured_rows_finding, cell, outcome->findings, error);
}

/* Sites, or buffers, of all launches. */
static gboolean
read_of_launches (CuredDatabase *self, const CuredRows *rows, gint64 cell,
                  const CuredWorkload *work, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select_of (self, rows, "ORDER BY 2, 3", cell, error);
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      gint64 number = sqlite3_column_int64 (statement, 1);
      gboolean is_site = rows == &_cured_rows_site;

      if (number < 0 || number >= work->launches->len)
        return _cured_database_damaged (self, error, _ ("the counts of cell %lld are broken"),
                                        (long long) cell);
      CuredWorkLaunch *launch = work->launches->pdata[number];
      GPtrArray *list = is_site ? launch->sites : launch->buffers;
      if (!_cured_rows_take (self, rows, statement, list, error))
        return FALSE;
      if (is_site)
        ((CuredWorkSite *) list->pdata[list->len - 1])->site =
            (guint) sqlite3_column_int64 (statement, 2);
    }
  return has_row == 0;
}

/* The work of a cell's launches; NULL if the file does not have it. */
gboolean
_cured_database_read_work (CuredDatabase *self, gint64 cell, CuredWorkload **work, GError **error)
{
  g_autoptr (CuredWorkload) read = cured_workload_new ();

  *work = NULL;
  if (!_cured_rows_read (self, &_cured_rows_launch, cell, read->launches, error) ||
      !read_of_launches (self, &_cured_rows_site, cell, read, error) ||
      !read_of_launches (self, &_cured_rows_buffer, cell, read, error))
    return FALSE;
  if (read->launches->len > 0)
    *work = g_steal_pointer (&read);
  return TRUE;
}
