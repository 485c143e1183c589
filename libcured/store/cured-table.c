/* SPDX-License-Identifier: MIT
 * A result as text for other programs: CSV and JSON, always in C locale. */
#include "store/cured-table-internal.h"

#include "base/cured-base-internal.h"
#include "store/cured-remarks.h"
#include "store/cured-result-private.h"
#include "store/cured-store.h"

/* Text is collected up to this many bytes before it is written. */
#define BUFFER_BYTES (64 * 1024)

/* State of the writers of both formats, cell by cell. */
typedef struct
{
  CuredResult *result;
  GOutputStream *stream;
  GCancellable *cancellable;
  GString *buffer;

  const CuredResultAxis *axes;
  gsize n_axes;
  const CuredMetricInfo *metrics;
  gsize n_metrics;
  gboolean has_remarks; /* a cell has a note */
  gboolean *has_column; /* by metric: it was requested, or some cell has a value */
  CuredReasons *reasons;
  gsize *positions;
  gint64 n_written; /* cells */
} Table;

static void
table_clear (Table *self)
{
  g_string_free (self->buffer, TRUE);
  CURED_CLEAR (has_column, g_free, positions, g_free, reasons, _cured_reasons_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_clear)

static gboolean
table_init (Table *self, CuredResult *result, const char *const *metrics, GOutputStream *stream,
            GCancellable *cancellable, GError **error)
{
  self->result = result;
  self->stream = stream;
  self->cancellable = cancellable;
  self->buffer = g_string_sized_new (BUFFER_BYTES + 4096);
  self->axes = cured_result_get_axes (result, &self->n_axes);
  self->metrics = cured_result_get_metrics (result, &self->n_metrics);
  self->has_column = g_new0 (gboolean, self->n_metrics + 1);
  self->positions = g_new0 (gsize, self->n_axes + 1);
  for (gsize i = 0; i < self->n_metrics; i++)
    {
      if (metrics != NULL ? !g_strv_contains (metrics, self->metrics[i].id)
                          : !cured_result_has_values (result, i))
        continue;
      if (!cured_result_load_column (result, i, cancellable, error))
        return FALSE;
      self->has_column[i] = TRUE;
    }
  gsize n_remarks;
  const CuredRemark *remarks = cured_result_get_remarks (result, &n_remarks);
  self->has_remarks = n_remarks > 0 && remarks[n_remarks - 1].cell >= 0;
  self->reasons = _cured_reasons_new (result, error);
  return self->reasons != NULL;
}

static gboolean
flush (Table *self, GError **error)
{
  /* Not every stream checks the cancellable. */
  gboolean ok = !g_cancellable_set_error_if_cancelled (self->cancellable, error) &&
                g_output_stream_write_all (self->stream, self->buffer->str, self->buffer->len, NULL,
                                           self->cancellable, error);

  g_string_truncate (self->buffer, 0);
  return ok;
}

static gboolean
flush_if_full (Table *self, GError **error)
{
  return self->buffer->len < BUFFER_BYTES || flush (self, error);
}

/* Whether the metric's values denote names, which are written in their place. */
static gboolean
is_named (const CuredMetricInfo *metric)
{
  return g_str_equal (metric->unit, "limit");
}

static const char *
get_name (double value)
{
  return cured_factor_to_string (cured_factor_from_value (value));
}

static void
append_integer (GString *buffer, gint64 value)
{
  g_string_append_printf (buffer, "%" PRId64, value);
}

static gint64
get_parameter (Table *self, gsize axis)
{
  return cured_axis_get_value (self->axes[axis].values, self->positions[axis]);
}

/* Only non-empty cells of an imported or a sparse file; all cells of a
 * sweep. */
static gint64
next_cell (CuredResult *result, gint64 cell)
{
  if (cured_result_get_imported (result) != NULL || cured_result_is_sparse (result))
    return cured_result_next_cell (result, cell);
  return cell < cured_result_get_n_cells (result) ? cell : -1;
}

/* CSV */

static void
append_csv_header (Table *self)
{
  for (gsize i = 0; i < self->n_axes; i++)
    _cured_csv_text (self->buffer, self->axes[i].name);
  _cured_csv_text (self->buffer, "state");
  _cured_csv_text (self->buffer, "reason");
  if (self->has_remarks)
    _cured_csv_text (self->buffer, "note");
  for (gsize i = 0; i < self->n_metrics; i++)
    {
      g_autoptr (GString) title = g_string_new (self->metrics[i].id);

      if (!self->has_column[i])
        continue;
      if (self->metrics[i].unit[0] != '\0' && !is_named (&self->metrics[i]))
        g_string_append_printf (title, " [%s]", self->metrics[i].unit);
      _cured_csv_text (self->buffer, title->str);
    }
  _cured_csv_end (self->buffer);
}

static void
append_csv_row (Table *self, gint64 cell)
{
  CuredState state = cured_result_get_state (self->result, cell);

  cured_result_get_positions (self->result, cell, self->positions);
  for (gsize i = 0; i < self->n_axes; i++)
    {
      gint64 value = get_parameter (self, i);
      const char *name = cured_axis_get_name (self->axes[i].values, value);

      if (name != NULL)
        _cured_csv_text (self->buffer, name);
      else
        _cured_csv_integer (self->buffer, value);
    }
  _cured_csv_text (self->buffer, cured_state_to_string (state));
  _cured_csv_text (self->buffer, _cured_reasons_get (self->reasons, cell));
  if (self->has_remarks)
    _cured_csv_text (self->buffer, cured_result_get_remark (self->result, cell));
  for (gsize i = 0; i < self->n_metrics; i++)
    if (!self->has_column[i])
      continue;
    else if (is_named (&self->metrics[i]))
      _cured_csv_text (self->buffer, get_name (cured_result_get_value (self->result, cell, i)));
    else
      _cured_csv_number (self->buffer, cured_result_get_value (self->result, cell, i));
  _cured_csv_end (self->buffer);
}

/* Writes one row per cell, in the format of RFC 4180: a column per parameter, with the values'
 * names if they have some, the state, the reason, the note if any cell has one, and a column for
 * every metric that has a value anywhere, or for each of @metrics, with its unit in the header. A
 * missing number is an empty field. Blocks. */
gboolean
cured_table_write_csv (CuredResult *result, const char *const *metrics, GOutputStream *stream,
                       GCancellable *cancellable, GError **error)
{
  g_auto (Table) table = { 0 };
  g_return_val_if_fail (CURED_IS_RESULT (result) && G_IS_OUTPUT_STREAM (stream), FALSE);

  if (!table_init (&table, result, metrics, stream, cancellable, error))
    return FALSE;
  append_csv_header (&table);
  for (gint64 cell = next_cell (result, 0); cell >= 0; cell = next_cell (result, cell + 1))
    {
      append_csv_row (&table, cell);
      if (!flush_if_full (&table, error))
        return FALSE;
    }
  return flush (&table, error);
}

/* JSON. Written by hand, since json-glib holds a whole document in memory. */

static void
append_string (GString *buffer, const char *text)
{
  if (text == NULL)
    {
      g_string_append (buffer, "null");
      return;
    }
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_string_append_c (buffer, '"');
  for (const char *p = valid; *p != '\0'; p++)
    switch (*p)
      {
      case '"':
      case '\\':
        g_string_append_c (buffer, '\\');
        g_string_append_c (buffer, *p);
        break;
      case '\n': g_string_append (buffer, "\\n"); break;
      case '\t': g_string_append (buffer, "\\t"); break;
      default:
        if ((guchar) *p < 0x20)
          g_string_append_printf (buffer, "\\u%04x", (guint) *p);
        else
          g_string_append_c (buffer, *p);
        break;
      }
  g_string_append_c (buffer, '"');
}

static void
append_number (GString *buffer, double value)
{
  if (!isfinite (value))
    {
      g_string_append (buffer, "null");
      return;
    }
  g_autofree char *number = cured_format_file_number (value);
  g_string_append (buffer, number);
}

/* A comma before all but the first member, which follows its bracket. */
static void
append_key (GString *buffer, const char *key)
{
  char last = buffer->str[buffer->len - 1];

  if (last != '{' && last != '[')
    g_string_append_c (buffer, ',');
  append_string (buffer, key);
  g_string_append_c (buffer, ':');
}

static void
append_string_member (GString *buffer, const char *key, const char *text)
{
  append_key (buffer, key);
  append_string (buffer, text);
}

static void
append_number_member (GString *buffer, const char *key, double value)
{
  append_key (buffer, key);
  append_number (buffer, value);
}

static void
append_flag_member (GString *buffer, const char *key, gboolean value)
{
  append_key (buffer, key);
  g_string_append (buffer, value ? "true" : "false");
}

static void
append_date_member (GString *buffer, const char *key, GDateTime *date)
{
  g_autofree char *text = g_date_time_format_iso8601 (date);

  append_string_member (buffer, key, text);
}

static void
append_device (GString *buffer, const CuredDeviceInfo *device)
{
  const CuredLimitInfo *limits;
  gsize n_limits, n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  append_key (buffer, "device");
  g_string_append_c (buffer, '{');
  for (gsize i = 0; i < n_facts; i++)
    if (facts[i].type == CURED_DEVICE_FACT_NUMBER)
      append_number_member (buffer, facts[i].column,
                            cured_device_fact_get_number (&facts[i], device));
    else
      append_string_member (buffer, facts[i].column,
                            cured_device_fact_get_text (&facts[i], device));
  append_key (buffer, "limits");
  g_string_append_c (buffer, '{');
  limits = cured_limits_list (&n_limits);
  for (gsize i = 0; i < n_limits; i++)
    {
      gint64 value = 0;

      cured_limits_get (&device->limits, limits[i].name, &value);
      append_key (buffer, limits[i].name);
      append_integer (buffer, value);
    }
  g_string_append (buffer, "}}");
}

static void
append_options (GString *buffer, const CuredOptions *options)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  append_key (buffer, "options");
  g_string_append_c (buffer, '{');
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *text = cured_option_to_string (&rows[i], options);

      if ((rows[i].flags & CURED_OPTION_UNSAFE) != 0)
        continue;
      append_key (buffer, rows[i].name);
      switch (rows[i].type)
        {
        case CURED_OPTION_FLAG: g_string_append (buffer, text[0] == '1' ? "true" : "false"); break;
        case CURED_OPTION_COUNT:
          /* "auto" must be quoted. */
          if (g_ascii_isdigit (text[0]))
            g_string_append (buffer, text);
          else
            append_string (buffer, text);
          break;
        case CURED_OPTION_NUMBER:
        case CURED_OPTION_SEED: g_string_append (buffer, text); break;
        case CURED_OPTION_WORDS:
        case CURED_OPTION_BLOCKS:
        case CURED_OPTION_CONDITION: append_string (buffer, text[0] != '\0' ? text : NULL); break;
        }
    }
  g_string_append_c (buffer, '}');
}

/* One name per value, if the kernel file names them. */
static void
append_names (GString *buffer, const CuredAxis *values)
{
  if (!cured_axis_is_named (values))
    return;
  append_key (buffer, "names");
  g_string_append_c (buffer, '[');
  for (gsize i = 0; i < cured_axis_get_length (values); i++)
    {
      g_autofree char *name = cured_axis_value_to_string (values, cured_axis_get_value (values, i));

      if (i > 0)
        g_string_append_c (buffer, ',');
      append_string (buffer, name);
    }
  g_string_append_c (buffer, ']');
}

static gboolean
append_axes (Table *self, GError **error)
{
  GString *buffer = self->buffer;

  append_key (buffer, "axes");
  g_string_append_c (buffer, '[');
  for (gsize i = 0; i < self->n_axes; i++)
    {
      const CuredAxis *values = self->axes[i].values;
      gsize length = cured_axis_get_length (values);

      g_string_append (buffer, i > 0 ? ",{" : "{");
      append_string_member (buffer, "name", self->axes[i].name);
      append_string_member (buffer, "summary", self->axes[i].summary);
      append_key (buffer, "values");
      g_string_append_c (buffer, '[');
      for (gsize j = 0; j < length; j++)
        {
          if (j > 0)
            g_string_append_c (buffer, ',');
          append_integer (buffer, cured_axis_get_value (values, j));
          if (!flush_if_full (self, error))
            return FALSE;
        }
      g_string_append_c (buffer, ']');
      append_names (buffer, values);
      g_string_append_c (buffer, '}');
    }
  g_string_append_c (buffer, ']');
  return TRUE;
}

static void
append_metrics (Table *self)
{
  GString *buffer = self->buffer;

  append_key (buffer, "metrics");
  g_string_append_c (buffer, '[');
  for (gsize i = 0; i < self->n_metrics; i++)
    {
      const CuredMetricInfo *metric = &self->metrics[i];

      if (!self->has_column[i])
        continue;
      if (buffer->str[buffer->len - 1] != '[')
        g_string_append_c (buffer, ',');
      g_string_append_c (buffer, '{');
      append_string_member (buffer, "id", metric->id);
      append_string_member (buffer, "title", metric->title);
      append_string_member (buffer, "unit", metric->unit);
      append_string_member (buffer, "origin", cured_origin_to_string (metric->origin));
      append_string_member (buffer, "description", metric->description);
      g_string_append_c (buffer, '}');
    }
  g_string_append_c (buffer, ']');
}

static gboolean
append_json_head (Table *self, GError **error)
{
  GString *buffer = self->buffer;
  CuredResult *result = self->result;

  g_string_append_c (buffer, '{');
  append_string_member (buffer, "format", "cured-result");
  append_number_member (buffer, "version", CURED_STORE_VERSION);
  append_string_member (buffer, "cured", cured_result_get_cured_version (result));
  append_date_member (buffer, "created", cured_result_get_created (result));
  append_date_member (buffer, "changed", cured_result_get_changed (result));
  append_flag_member (buffer, "finished", cured_result_is_finished (result));
  if (cured_result_get_remark (result, CURED_REMARK_OF_FILE) != NULL)
    append_string_member (buffer, "note", cured_result_get_remark (result, CURED_REMARK_OF_FILE));
  append_key (buffer, "kernel");
  g_string_append_c (buffer, '{');
  append_string_member (buffer, "id", cured_result_get_kernel_id (result));
  append_string_member (buffer, "title", cured_result_get_title (result));
  append_string_member (buffer, "source", cured_result_get_source (result));
  g_string_append_c (buffer, '}');
  append_device (buffer, cured_result_get_device (result));
  if (cured_result_get_imported (result) == NULL)
    append_options (buffer, cured_result_get_options (result));
  else
    append_string_member (buffer, "imported", cured_result_get_imported (result));
  if (!append_axes (self, error))
    return FALSE;
  append_metrics (self);
  append_key (buffer, "cells");
  g_string_append_c (buffer, '[');
  return TRUE;
}

static void
append_json_cell (Table *self, gint64 cell)
{
  GString *buffer = self->buffer;
  CuredState state = cured_result_get_state (self->result, cell);

  g_string_append (buffer, self->n_written++ > 0 ? ",\n{" : "\n{");
  append_key (buffer, "parameters");
  g_string_append_c (buffer, '{');
  cured_result_get_positions (self->result, cell, self->positions);
  for (gsize i = 0; i < self->n_axes; i++)
    {
      append_key (buffer, self->axes[i].name);
      append_integer (buffer, get_parameter (self, i));
    }
  g_string_append_c (buffer, '}');
  append_string_member (buffer, "state", cured_state_to_string (state));
  append_string_member (buffer, "reason", _cured_reasons_get (self->reasons, cell));
  if (self->has_remarks)
    append_string_member (buffer, "note", cured_result_get_remark (self->result, cell));
  append_key (buffer, "metrics");
  g_string_append_c (buffer, '{');
  for (gsize i = 0; i < self->n_metrics; i++)
    if (!self->has_column[i])
      continue;
    else if (is_named (&self->metrics[i]))
      append_string_member (buffer, self->metrics[i].id,
                            get_name (cured_result_get_value (self->result, cell, i)));
    else
      append_number_member (buffer, self->metrics[i].id,
                            cured_result_get_value (self->result, cell, i));
  g_string_append (buffer, "}}");
}

/* Writes one object: the file's data about the sweep, its axes, the metrics that have a value
 * anywhere, and `cells`, one per line. A missing number is `null`. Blocks. */
gboolean
cured_table_write_json (CuredResult *result, const char *const *metrics, GOutputStream *stream,
                        GCancellable *cancellable, GError **error)
{
  g_auto (Table) table = { 0 };

  g_return_val_if_fail (CURED_IS_RESULT (result) && G_IS_OUTPUT_STREAM (stream), FALSE);

  if (!table_init (&table, result, metrics, stream, cancellable, error) ||
      !append_json_head (&table, error))
    return FALSE;
  for (gint64 cell = next_cell (result, 0); cell >= 0; cell = next_cell (result, cell + 1))
    {
      append_json_cell (&table, cell);
      if (!flush_if_full (&table, error))
        return FALSE;
    }
  g_string_append (table.buffer, "\n]}\n");
  return flush (&table, error);
}
