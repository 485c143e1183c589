/* SPDX-License-Identifier: MIT
 * CSV and JSON: read back by other code, in any locale. */
#include "make-result.h"

#include <json-glib/json-glib.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include "measure/cured-measure-internal.h"
#include "store/cured-table-internal.h"
#include "test.h"

typedef gboolean (*WriteFunc) (CuredResult *result, const char *const *metrics,
                               GOutputStream *stream, GCancellable *cancellable, GError **error);

typedef struct
{
  char *folder, *path;
  CuredResult *result;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = make_folder ();
  self->path = g_build_filename (self->folder, "a.cured", NULL);
  make_result (self->path, &(MakeResult){ .n_tiles = 20, .n_blocks = 20, .unfinished = TRUE });
  self->result = MUST (cured_result_load (self->path, NULL, &fail));
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_assert_finalize_object (self->result);
  g_free (self->path);
  remove_folder (self->folder);
}

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Fixture, set_up, tear_down)

static char *
write_text (CuredResult *result, WriteFunc func)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();

  g_assert_true (MUST (func (result, NULL, stream, NULL, &fail)));
  g_assert_true (g_output_stream_write_all (stream, "", 1, NULL, NULL, NULL));
  g_output_stream_close (stream, NULL, NULL);
  return g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (stream));
}

/* One row of RFC 4180; moves @text past it. */
static char **
read_row (const char **text)
{
  g_autoptr (GStrvBuilder) row = g_strv_builder_new ();
  g_autoptr (GString) field = g_string_new (NULL);
  const char *p = *text;
  gboolean is_quoted = FALSE;

  for (; *p != '\0' && (is_quoted || *p != '\r'); p++)
    if (is_quoted && p[0] == '"' && p[1] == '"')
      g_string_append_c (field, *p++);
    else if (*p == '"')
      is_quoted = !is_quoted;
    else if (*p == ',' && !is_quoted)
      {
        g_strv_builder_add (row, field->str);
        g_string_truncate (field, 0);
      }
    else
      g_string_append_c (field, *p);
  g_strv_builder_add (row, field->str);
  g_assert_cmpmem (p, 2, "\r\n", 2);
  *text = p + 2;
  return g_strv_builder_end (row);
}

static guint
find_column (char **header, const char *name)
{
  guint i = 0;

  for (; header[i] != NULL; i++)
    if (g_str_equal (header[i], name))
      return i;
  g_error ("no column %s", name);
}

static void
check_csv (Fixture *self)
{
  g_autofree char *text = write_text (self->result, cured_table_write_csv);
  const char *p = text;
  g_auto (GStrv) header = read_row (&p);
  guint time = find_column (header, "time [ns]");
  guint reason = find_column (header, "reason");
  guint n_quotes = 0;
  gsize n_axes, metric;

  g_assert_cmpstr (header[0], ==, "tile");
  g_assert_cmpstr (header[1], ==, "blocks");
  g_assert_cmpstr (header[2], ==, "n");
  g_assert_cmpstr (header[3], ==, "state");
  g_assert_false (g_strv_contains ((const char *const *) header, "local_bytes [B]"));
  find_column (header, "registers");
  const CuredResultAxis *axes = cured_result_get_axes (self->result, &n_axes);
  cured_result_find_metric (self->result, "time", &metric);
  for (gint64 cell = 0; cell < 400; cell++)
    {
      g_auto (GStrv) row = read_row (&p);
      CuredState state = cured_result_get_state (self->result, cell);
      double value = cured_result_get_value (self->result, cell, metric);
      gsize positions[3];

      g_assert_cmpuint (g_strv_length (row), ==, g_strv_length (header));
      cured_result_get_positions (self->result, cell, positions);
      for (int i = 0; i < 3; i++)
        g_assert_cmpint (g_ascii_strtoll (row[i], NULL, 10), ==,
                         cured_axis_get_value (axes[i].values, positions[i]));
      g_assert_cmpstr (row[3], ==, cured_state_to_string (state));
      if (isnan (value))
        g_assert_cmpstr (row[time], ==, "");
      else
        g_assert_cmpfloat (g_ascii_strtod (row[time], NULL), ==, value);
      g_assert_cmpint (row[reason][0] == '\0', ==,
                       state == CURED_STATE_OK || state == CURED_STATE_NOT_RUN);
      n_quotes += strstr (row[reason], "says \"no\", twice") != NULL;
    }
  g_assert_cmpstr (p, ==, "");
  g_assert_cmpuint (n_quotes, >, 0);
}

/* A count is a number, of one digit too, or a word. */
static void
check_options (JsonObject *object, const CuredOptions *options)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *text = cured_option_to_string (&rows[i], options);
      JsonNode *node = json_object_get_member (object, rows[i].name);

      if ((rows[i].flags & CURED_OPTION_UNSAFE) != 0)
        g_assert_null (node);
      else if (rows[i].type == CURED_OPTION_FLAG)
        g_assert_cmpint (json_node_get_boolean (node), ==, g_str_equal (text, "1"));
      else if (rows[i].type == CURED_OPTION_COUNT && g_ascii_isdigit (text[0]))
        g_assert_cmpint (json_node_get_int (node), ==, g_ascii_strtoll (text, NULL, 10));
      else if (rows[i].type == CURED_OPTION_COUNT)
        g_assert_cmpstr (json_node_get_string (node), ==, text);
    }
}

static void
check_json (Fixture *self)
{
  g_autofree char *text = write_text (self->result, cured_table_write_json);
  g_autoptr (JsonParser) parser = json_parser_new ();
  gsize metric;

  MUST (json_parser_load_from_data (parser, text, -1, &fail));
  JsonObject *object = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpstr (json_object_get_string_member (object, "format"), ==, "cured-result");
  g_assert_false (json_object_get_boolean_member (object, "finished"));
  JsonObject *kernel = json_object_get_object_member (object, "kernel");
  g_assert_cmpstr (json_object_get_string_member (kernel, "id"), ==,
                   cured_result_get_kernel_id (self->result));
  g_assert_cmpstr (json_object_get_string_member (kernel, "title"), ==,
                   cured_result_get_title (self->result));
  g_assert_cmpstr (json_object_get_string_member (kernel, "source"), ==,
                   cured_result_get_source (self->result));
  check_options (json_object_get_object_member (object, "options"),
                 cured_result_get_options (self->result));
  JsonObject *device = json_object_get_object_member (object, "device");
  g_assert_cmpfloat (json_object_get_double_member (device, "cold_overhead_ns"), ==, 1312.5);
  g_assert_true (json_object_get_null_member (device, "fp32_flops"));
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (device, "limits"), "sms"), ==,
      132);
  JsonArray *cells = json_object_get_array_member (object, "cells");
  g_assert_cmpuint (json_array_get_length (cells), ==, 400);
  cured_result_find_metric (self->result, "time", &metric);
  for (guint cell = 0; cell < 400; cell++)
    {
      JsonObject *row = json_array_get_object_element (cells, cell);
      JsonObject *metrics = json_object_get_object_member (row, "metrics");
      CuredState state = cured_result_get_state (self->result, cell);
      double value = cured_result_get_value (self->result, cell, metric);

      g_assert_cmpstr (json_object_get_string_member (row, "state"), ==,
                       cured_state_to_string (state));
      if (isnan (value))
        g_assert_true (json_object_get_null_member (metrics, "time"));
      else
        g_assert_cmpfloat (json_object_get_double_member (metrics, "time"), ==, value);
      g_assert_cmpint (json_object_get_null_member (row, "reason"), ==,
                       state == CURED_STATE_OK || state == CURED_STATE_NOT_RUN);
    }
}

FIXTURE_TEST ("/table/csv") { check_csv (self); }

FIXTURE_TEST ("/table/json") { check_json (self); }

FIXTURE_TEST ("/table/locale")
{
  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("there is no locale de_DE.UTF-8");
      return;
    }
  check_csv (self);
  check_json (self);
  setlocale (LC_ALL, "C.UTF-8");
}

/* A stream that fails, or a user who cancels. */
FIXTURE_TEST ("/table/errors")
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  char room[100];
  g_autoptr (GOutputStream) small = g_memory_output_stream_new (room, sizeof room, NULL, NULL);
  g_autoptr (GOutputStream) large = g_memory_output_stream_new_resizable ();

  FAILS (cured_table_write_csv (self->result, NULL, small, NULL, &fail), G_IO_ERROR,
         G_IO_ERROR_NO_SPACE, "");
  g_cancellable_cancel (cancellable);
  FAILS (cured_table_write_json (self->result, NULL, large, cancellable, &fail), G_IO_ERROR,
         G_IO_ERROR_CANCELLED, "");
}

/* A result without a file has no reasons, and is written all the same. */
FIXTURE_TEST ("/table/live")
{
  const MakeResult what = { .n_tiles = 2, .n_blocks = 1 };
  g_autoptr (CuredPlan) plan = make_plan (&what);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  CuredDeviceInfo device;

  make_device_info (&device);
  g_autoptr (CuredResult) result = cured_result_new (plan, &device, NULL);
  cured_device_info_clear (&device);
  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->metrics[CURED_METRIC_time] = 1.5;
  outcome->metrics[CURED_METRIC_time_samples] = 3;
  cured_result_set_outcome (result, 0, outcome);
  g_autofree char *text = write_text (result, cured_table_write_csv);
  g_assert_cmpstr (text, ==,
                   "tile,blocks,n,state,reason,time [ns],time_samples\r\n"
                   "32,66,1048576,ok,,1.5,3\r\n"
                   "2048,66,1048576,not launchable,,,\r\n");
}
