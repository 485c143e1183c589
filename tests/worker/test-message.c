/* SPDX-License-Identifier: MIT
 * The worker protocol's messages: there and back, and from a hostile side. */
#include <glib.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "base/cured-units.h"
#include "measure/cured-measure-internal.h"
#include "other-values.h"
#include "record-fill.h"
#include "test.h"
#include "worker/cured-message-private.h"

/* Through the text, as between two processes. */
static JsonObject *
send_through (JsonObject *message)
{
  g_autofree char *line = _cured_message_to_line (message);
  const char *type;

  g_assert_true (g_str_has_suffix (line, "\n"));
  line[strlen (line) - 1] = '\0';
  g_assert_null (strchr (line, '\n'));
  JsonObject *received = MUST (_cured_message_parse (line, &type, &fail));
  return received;
}

static CuredOutcome *
make_outcome (void)
{
  CuredOutcome *outcome = cured_outcome_new ();
  CuredSample samples[] = { { 1234.5678901234567, 1.98e9, FALSE, 0 },
                            { CURED_MISSING, CURED_MISSING, TRUE, 0 },
                            { 1e15, 1.2e9, TRUE, 0 } };
  CuredMismatch *mismatch = g_new0 (CuredMismatch, 1);
  CuredFinding *finding = g_new0 (CuredFinding, 1);

  cured_outcome_set_state (outcome, CURED_STATE_WRONG, "a “reason”\nin lines");
  outcome->metrics[CURED_METRIC_time] = 12345.678901234567;
  outcome->metrics[CURED_METRIC_registers] = 32;
  outcome->metrics[CURED_METRIC_bandwidth] = 4.1e12;
  outcome->cold = cured_samples_new (CURED_TIMING_COLD, 1);
  outcome->cold->stop = CURED_STOP_STABLE;
  g_array_append_vals (outcome->cold->samples, samples, 3);
  outcome->hot = cured_samples_new (CURED_TIMING_HOT, 250);
  outcome->hot->stop = CURED_STOP_TIME;
  mismatch->buffer = g_strdup ("out");
  mismatch->index = -7;
  mismatch->got = g_strdup ("unwritten");
  mismatch->expected = g_strdup ("42");
  g_ptr_array_add (outcome->mismatches, mismatch);
  outcome->n_mismatches = 1000;
  finding->kind = CURED_FINDING_RACE_SHARED;
  finding->kernel = g_strdup ("reduce");
  finding->here = (CuredFindingSide){
    .file = g_strdup ("reduce.cu"),
    .line = 31,
    .ptx_line = 420,
    .what = "write",
    .block = { 1, 2, G_MAXUINT },
    .warp = 3,
    .lanes = 0x80000001,
  };
  finding->there.what = "read";
  finding->object = g_strdup ("tile[3]");
  finding->count = 640;
  g_ptr_array_add (outcome->findings, finding);
  outcome->output = g_strdup ("one\ntwo\t\x01 – drei");
  outcome->excerpts = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_excerpt_free);
  CuredExcerpt *excerpt = g_new0 (CuredExcerpt, 1);
  excerpt->buffer = g_strdup ("out");
  excerpt->type = g_strdup ("f32");
  excerpt->length = G_GINT64_CONSTANT (1) << 39;
  excerpt->first = 5;
  excerpt->before = g_strsplit ("1,nan", ",", -1);
  excerpt->after = g_strsplit ("1e30,-inf", ",", -1);
  g_ptr_array_add (outcome->excerpts, excerpt);
  outcome->stage_ns[CURED_STAGE_CHECK] = G_GINT64_CONSTANT (9007199254740993);
  return outcome;
}

/* Of what a worker measured, each member of each struct. */
static void
test_outcome (void)
{
  g_autoptr (CuredOutcome) sent = make_outcome ();
  g_autoptr (CuredOutcome) got = cured_outcome_new ();
  g_autoptr (JsonObject) message = _cured_message_of ("outcome", &_cured_outcome_record, sent);
  g_autoptr (JsonObject) received = send_through (message);
  g_autofree char *before = record_to_text (&_cured_outcome_record, sent);

  g_assert_true (MUST (_cured_record_from_json (&_cured_outcome_record, received, got, &fail)));
  g_autofree char *after = record_to_text (&_cured_outcome_record, got);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpint (got->state, ==, CURED_STATE_WRONG);
  g_assert_cmpfloat (got->metrics[CURED_METRIC_time], ==, 12345.678901234567);
  g_assert_true (isnan (got->metrics[CURED_METRIC_time_low]));
  g_assert_cmpint (got->cold->mode, ==, CURED_TIMING_COLD);
  g_assert_cmpuint (got->cold->samples->len, ==, 3);
  g_assert_cmpuint (got->cold->statistics.n, ==, 2);
  g_assert_cmpint (got->hot->mode, ==, CURED_TIMING_HOT);
  g_assert_cmpint (got->stage_ns[CURED_STAGE_CHECK], ==, G_GINT64_CONSTANT (9007199254740993));
  {
    g_autofree char *a = cured_finding_to_string (g_ptr_array_index (sent->findings, 0));
    g_autofree char *b = cured_finding_to_string (g_ptr_array_index (got->findings, 0));

    g_assert_cmpstr (a, ==, b);
  }
}

/* Of everything else, by its table: what is sent is what arrives, and is sent on alike. */
static void
test_records (void)
{
  const CuredRecordInfo *const infos[] = {
    &_cured_hello_record,          &_cured_kernel_record,   &_cured_reply_record,
    &_cured_loaded_program_record, &_cured_failure_record,  &_cured_limits_record,
    &_cured_device_record,         &_cured_mismatch_record, &_cured_finding_record,
    &_cured_sample_record,         &_cured_site_record,     &_cured_buffer_record,
    &_cured_anchor_record,         &_cured_note_record,     &_cured_demands_record,
    &_cured_input_record,
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (2);

  for (gsize i = 0; i < G_N_ELEMENTS (infos); i++)
    for (int turn = 0; turn < 20; turn++)
      {
        gpointer sent = _cured_record_new (infos[i]);
        gpointer got = _cured_record_new (infos[i]);
        g_autofree char *again = NULL;

        g_test_message ("%s", infos[i]->name);
        record_fill (infos[i], sent, random);
        g_autofree char *text = record_to_text (infos[i], sent);
        g_autoptr (JsonNode) node = json_from_string (text, NULL);
        if (JSON_NODE_HOLDS_OBJECT (node))
          {
            MUST (_cured_record_from_json (infos[i], json_node_get_object (node), got, &fail));
            again = record_to_text (infos[i], got);
            g_assert_cmpstr (text, ==, again);
          }
        for (int k = 0; k < 2; k++)
          {
            gpointer of = k == 0 ? sent : got;

            if (infos[i]->free != NULL)
              infos[i]->free (of);
            else
              {
                _cured_record_clear (infos[i], of);
                g_free (of);
              }
          }
      }
}

/* What is asked of a worker, with options that are not the defaults. */
TEST ("/message/request")
{
  CuredWorkerRequest sent, got;
  CuredRange *range = g_new0 (CuredRange, 1);

  _cured_request_init (&sent);
  _cured_request_init (&got);
  cured_options_clear (&sent.options);
  other_options_init (&sent.options);
  range->buffer = g_strdup ("out");
  range->length = 7;
  sent.ranges = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_range_free);
  g_ptr_array_add (sent.ranges, range);
  sent.kernel = 3;
  g_autoptr (JsonObject) message = _cured_message_of ("measure", &_cured_request_record, &sent);
  g_assert_true (MUST (_cured_record_from_json (&_cured_request_record, message, &got, &fail)));
  assert_same_options (&sent.options, &got.options, 0);
  g_assert_cmpint (got.step, ==, -1);
  g_assert_cmpint (((const CuredRange *) got.ranges->pdata[0])->length, ==, 7);
  json_object_set_string_member (json_object_get_object_member (message, "options"), "blocks",
                                 "some");
  FAILS (_cured_record_from_json (&_cured_request_record, message, &got, &fail), CURED_ERROR,
         CURED_ERROR_PROTOCOL, "");
  _cured_record_clear (&_cured_request_record, &sent);
  _cured_record_clear (&_cured_request_record, &got);
}

/* Every field of a message has its row in the documentation. */
TEST ("/message/documented/fields")
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), "..", "..", "docs",
                                            "worker-protocol.md", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const CuredRecordInfo *const *info = _cured_worker_records (); *info != NULL; info++)
    for (gsize i = 0; i < (*info)->n_fields; i++)
      {
        const CuredFieldInfo *field = &(*info)->fields[i];

        g_test_message ("%s.%s", (*info)->name, field->name);
        if ((field->flags & CURED_FIELD_NO_JSON) == 0 && field->type != CURED_FIELD_DATE)
          g_assert_true (page_names_field (text, field->name));
      }
}

TEST ("/message/error")
{
  for (int code = CURED_ERROR_SYNTAX; code <= CURED_ERROR_STORAGE; code++)
    {
      g_autoptr (GError) sent = g_error_new (CURED_ERROR, code, "message %d", code);
      g_autoptr (JsonObject) message = _cured_error_to_message (sent);
      g_autoptr (GError) got = _cured_error_from_message (message);

      g_assert_error (got, CURED_ERROR, code);
      g_assert_cmpstr (got->message, ==, sent->message);
      g_assert_null (cured_error_get_place (got));
      g_assert_null (cured_error_get_log (got));
    }
}

/* Where an error is survives the way, prefix and all. */
TEST ("/message/error/place")
{
  g_autoptr (GError) sent = NULL;

  cured_set_error_at (&sent, CURED_ERROR_SYNTAX, "k.cu", 6, 3, "odd: very");
  cured_error_set_log (sent, "k.cu(6): error: odd");
  g_prefix_error (&sent, "first: ");
  g_autoptr (JsonObject) message = _cured_error_to_message (sent);
  g_autoptr (GError) got = _cured_error_from_message (message);
  g_assert_error (got, CURED_ERROR, CURED_ERROR_SYNTAX);
  g_assert_cmpstr (got->message, ==, "first: k.cu:6:3: odd: very");
  const CuredErrorPlace *place = cured_error_get_place (got);
  g_assert_nonnull (place);
  g_assert_cmpstr (place->file, ==, "k.cu");
  g_assert_cmpint (place->line, ==, 6);
  g_assert_cmpint (place->column, ==, 3);
  g_assert_cmpstr (place->text, ==, "odd: very");
  g_assert_cmpstr (cured_error_get_log (got), ==, "k.cu(6): error: odd");

  /* The other side is not trusted. */
  json_object_set_int_member (message, "line", -6);
  g_autoptr (GError) negative = _cured_error_from_message (message);
  g_assert_null (cured_error_get_place (negative));
  json_object_set_int_member (message, "line", 6);
  json_object_set_int_member (message, "file", 7);
  g_autoptr (GError) half = _cured_error_from_message (message);
  g_assert_error (half, CURED_ERROR, CURED_ERROR_SYNTAX);
  g_assert_null (cured_error_get_place (half));
}

TEST ("/message/malformed")
{
  const char *const lines[] = {
    "",
    "   ",
    "hello",
    "[]",
    "42",
    "null",
    "\"hello\"",
    "{",
    "{}",
    "{\"type\":7}",
    "{\"type\":null}",
    "{\"type\":\"hello\"} trailing",
    "{\"type\":\"hello\",}",
    "{\"type\":\"\xff\xfe\"}",
    "\x01\x02\x03",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (GError) error = NULL;
      const char *type;

      g_assert_null (_cured_message_parse (lines[i], &type, &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
      g_assert_true (g_str_has_prefix (error->message, "Expected"));
    }
}

TEST ("/message/deep")
{
  g_autoptr (GString) line = g_string_new ("{\"type\":\"hello\",\"x\":");
  const char *type;

  for (int i = 0; i < 1000000; i++)
    g_string_append_c (line, '[');
  FAILS (_cured_message_parse (line->str, &type, &fail), CURED_ERROR, CURED_ERROR_PROTOCOL, "deep");
}

TEST ("/message/wrong-types")
{
  static const char *const rests[] = {
    "",
    ",\"state\":1",
    ",\"state\":\"splendid\"",
    ",\"state\":\"ok\",\"metrics\":[1]",
    ",\"state\":\"ok\",\"metrics\":{\"time\":\"1\"}",
    ",\"state\":\"ok\",\"metrics\":{\"time\":1e999}",
    ",\"state\":\"ok\",\"compile_ns\":1.5",
    ",\"state\":\"ok\",\"compile_ns\":-1",
    ",\"state\":\"ok\",\"mismatches\":[1]",
    ",\"state\":\"ok\",\"findings\":[{\"kind\":1}]",
    ",\"state\":\"ok\",\"findings\":[{\"here\":{\"block\":[{}]}}]",
    ",\"state\":\"ok\",\"reason\":{}",
    ",\"state\":\"ok\",\"cold\":7",
    ",\"state\":\"ok\",\"cold\":{\"samples\":[[\"a\"]]}",
    ",\"state\":\"ok\",\"cold\":{\"samples\":[[-1.0]]}",
    ",\"state\":\"ok\",\"cold\":{\"runs\":0}",
    ",\"state\":\"ok\",\"excerpts\":[{\"buffer\":\"a\",\"type\":\"i32\",\"before\":[\"1\"],"
    "\"after\":[\"1\",\"2\"]}]",
    ",\"state\":\"ok\",\"excerpts\":[{\"buffer\":\"a\",\"type\":\"i32\"}]",
    ",\"state\":\"ok\",\"work\":{\"launches\":[{\"entry\":\"k\",\"grid\":[0,1,1]}]}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rests); i++)
    {
      g_autofree char *line = g_strdup_printf ("{\"type\":\"outcome\"%s}", rests[i]);
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      const char *type;

      g_test_message ("%s", line);
      g_autoptr (JsonObject) message = MUST (_cured_message_parse (line, &type, &fail));
      FAILS (_cured_record_from_json (&_cured_outcome_record, message, outcome, &fail), CURED_ERROR,
             CURED_ERROR_PROTOCOL, "");
    }
}

/* What is unknown is left out, whatever it is; a missing sample keeps its place, and counts for
 * nothing. */
TEST ("/message/unknown")
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  const char *type;

  g_autoptr (JsonObject) message = MUST (_cured_message_parse (
      "{\"type\":\"outcome\",\"state\":\"ok\",\"later\":[[{}]],\"metrics\":{\"time\":5,\"beauty\":"
      "\"high\"},\"cold\":{\"stop\":\"bored\",\"samples\":[[10.0],[null],[20],[],[30.0]]},"
      "\"reason\":null,\"findings\":[{\"kind\":\"later\"}]}",
      &type, &fail));
  g_assert_true (MUST (_cured_record_from_json (&_cured_outcome_record, message, outcome, &fail)));
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time], ==, 5);
  g_assert_null (outcome->reason);
  g_assert_cmpuint (outcome->findings->len, ==, 0);
  g_assert_cmpfloat (outcome->cold->statistics.median, ==, 20.0);
  g_assert_cmpuint (outcome->cold->samples->len, ==, 5);
}

/* A good message with bytes changed, cut out and doubled: an error or an outcome, never a crash. */
TEST ("/message/fuzz")
{
  g_autoptr (CuredOutcome) sent = make_outcome ();
  g_autoptr (JsonObject) message = _cured_message_new ("outcome");
  guint n_parsed = 0;

  _cured_record_add_to_json (&_cured_outcome_record, sent, message);
  g_autofree char *line = _cured_message_to_line (message);
  gsize length = strlen (line);
  for (int round = 0; round < 3000; round++)
    {
      g_autofree char *damaged = g_strdup (line);
      g_autoptr (CuredOutcome) got = cured_outcome_new ();
      const char *type;
      const char charset[] = "{}[]\",:0123456789-+eE.\\untrfalse\n\x80 ";
      int n_changes = g_test_rand_int_range (1, 6);

      for (int i = 0; i < n_changes; i++)
        {
          gint32 at = g_test_rand_int_range (0, (gint32) length);

          if (g_test_rand_bit ())
            damaged[at] = charset[g_test_rand_int_range (0, sizeof charset - 1)];
          else if (g_test_rand_bit ())
            damaged[at] = '\0';
          else
            memmove (damaged + at, damaged + at / 2, (length - (gsize) at) / 2);
        }
      g_autoptr (JsonObject) received = _cured_message_parse (damaged, &type, NULL);
      if (received != NULL)
        {
          _cured_record_from_json (&_cured_outcome_record, received, got, NULL);
          n_parsed++;
        }
    }
  g_test_message ("%u of 3000 were still JSON", n_parsed);
  g_assert_cmpuint (n_parsed, >, 0);
}

TEST ("/message/lines")
{
  g_auto (CuredLines) lines = { 0 };
  g_autoptr (GError) error = NULL;
  int fds[2];

  g_assert_cmpint (pipe (fds), ==, 0);
  _cured_lines_init (&lines, fds[0]);
  g_assert_cmpint (write (fds[1], "on", 2), ==, 2);
  g_assert_cmpint (_cured_lines_read (&lines, &error), ==, CURED_LINES_MORE);
  g_assert_null (_cured_lines_take (&lines));
  g_assert_cmpint (write (fds[1], "e\n\nthree", 8), ==, 8);
  g_assert_cmpint (_cured_lines_read (&lines, &error), ==, CURED_LINES_MORE);
  g_autofree char *first = _cured_lines_take (&lines);
  g_autofree char *second = _cured_lines_take (&lines);
  g_assert_cmpstr (first, ==, "one");
  g_assert_cmpstr (second, ==, "");
  g_assert_null (_cured_lines_take (&lines));
  close (fds[1]);
  g_assert_cmpint (MUST (_cured_lines_read (&lines, &fail)), ==, CURED_LINES_END);
  close (fds[0]);
}

TEST ("/message/long-line")
{
  g_auto (CuredLines) lines = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *block = g_malloc (1 << 16);
  CuredLinesStatus status = CURED_LINES_MORE;
  gsize sent = 0;
  int fds[2];

  memset (block, 'x', 1 << 16);
  g_assert_cmpint (pipe (fds), ==, 0);
  _cured_lines_init (&lines, fds[0]);
  while (status == CURED_LINES_MORE && sent < 2 * CURED_MESSAGE_MAX_BYTES)
    {
      sent += (gsize) write (fds[1], block, 1 << 15);
      status = _cured_lines_read (&lines, &error);
      if (status == CURED_LINES_MORE)
        g_assert_null (_cured_lines_take (&lines));
    }
  g_assert_cmpint (status, ==, CURED_LINES_ERROR);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
  g_assert_cmpuint (sent, <=, CURED_MESSAGE_MAX_BYTES + (1 << 16));
  close (fds[0]);
  close (fds[1]);
}

/* The examples of the documentation are messages. */
TEST ("/message/documented")
{
  static const struct
  {
    const char *type;
    const CuredRecordInfo *info;
  } all[] = {
    { "hello", &_cured_hello_record },     { "kernel", &_cured_kernel_record },
    { "measure", &_cured_request_record }, { "stage", &_cured_loaded_program_record },
    { "outcome", &_cured_outcome_record }, { "error", &_cured_failure_record },
  };
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), "..", "..", "docs",
                                            "worker-protocol.md", NULL);
  g_autofree char *text = NULL;
  guint n_found = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize k = 0; k < G_N_ELEMENTS (all); k++)
    for (guint i = 0; lines[i] != NULL; i++)
      {
        const char *type;

        if (lines[i][0] != '{')
          continue;
        g_autoptr (JsonObject) message = MUST (_cured_message_parse (lines[i], &type, &fail));
        if (!g_str_equal (type, all[k].type))
          continue;
        gpointer of = _cured_record_new (all[k].info);
        MUST (_cured_record_from_json (all[k].info, message, of, &fail));
        _cured_record_clear (all[k].info, of);
        g_free (of);
        n_found |= 1u << k;
      }
  g_assert_cmpuint (n_found, ==, (1u << G_N_ELEMENTS (all)) - 1);
}

TEST ("/message/locale")
{
  /* Where there is no such locale, the C locale says the same. */
  setlocale (LC_ALL, "de_DE.UTF-8");
  test_outcome ();
  test_records ();
  setlocale (LC_ALL, "C.UTF-8");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/message/outcome", test_outcome);
  g_test_add_func ("/message/records", test_records);
  return run_tests ();
}
