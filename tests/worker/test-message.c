/* SPDX-License-Identifier: MIT
 * The worker protocol's messages: there and back, and from a hostile side. */
#include <glib.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "base/cured-limits-internal.h"
#include "base/cured-units.h"
#include "measure/cured-outcome-internal.h"
#include "measure/cured-sampler-internal.h"
#include "other-values.h"
#include "worker/cured-message-private.h"

/* Through the text, as between two processes. */
static JsonObject *
send_through (JsonObject *message)
{
  g_autofree char *line = _cured_message_to_line (message);
  g_autoptr (GError) error = NULL;
  const char *type;
  JsonObject *received;

  g_assert_true (g_str_has_suffix (line, "\n"));
  line[strlen (line) - 1] = '\0';
  g_assert_null (strchr (line, '\n'));
  received = _cured_message_parse (line, &type, &error);
  g_assert_no_error (error);
  return received;
}

static CuredOutcome *
make_outcome (void)
{
  CuredOutcome *outcome = cured_outcome_new ();
  CuredExcerpt *excerpt;
  CuredSample samples[] = { { 1234.5678901234567, 1.98e9, FALSE },
                            { 0.1, CURED_MISSING, TRUE },
                            { 1e15, 1.2e9, TRUE } };
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
  excerpt = g_new0 (CuredExcerpt, 1);
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

static void
test_outcome (void)
{
  g_autoptr (CuredOutcome) sent = make_outcome ();
  g_autoptr (CuredOutcome) got = cured_outcome_new ();
  g_autoptr (JsonObject) message = _cured_message_new ("outcome");
  g_autoptr (JsonObject) received = NULL;
  g_autoptr (GError) error = NULL;
  const CuredMismatch *mismatch;

  _cured_outcome_to_json (sent, message);
  received = send_through (message);
  g_assert_true (_cured_outcome_from_json (received, got, &error));
  g_assert_no_error (error);

  g_assert_cmpint (got->state, ==, CURED_STATE_WRONG);
  g_assert_cmpstr (got->reason, ==, sent->reason);
  for (int i = 0; i < CURED_N_METRICS; i++)
    if (isnan (sent->metrics[i]))
      g_assert_true (isnan (got->metrics[i]));
    else
      g_assert_cmpfloat (got->metrics[i], ==, sent->metrics[i]);
  g_assert_cmpuint (got->cold->samples->len, ==, 3);
  g_assert_cmpint (got->cold->mode, ==, CURED_TIMING_COLD);
  g_assert_cmpint (got->cold->stop, ==, CURED_STOP_STABLE);
  for (guint i = 0; i < 3; i++)
    {
      const CuredSample *a = &g_array_index (sent->cold->samples, CuredSample, i);
      const CuredSample *b = &g_array_index (got->cold->samples, CuredSample, i);

      g_assert_cmpfloat (a->time_ns, ==, b->time_ns);
      g_assert_true (isnan (a->sm_clock_hz) == isnan (b->sm_clock_hz));
      if (!isnan (a->sm_clock_hz))
        g_assert_cmpfloat (a->sm_clock_hz, ==, b->sm_clock_hz);
      g_assert_cmpint (a->throttled, ==, b->throttled);
    }
  g_assert_cmpfloat (got->cold->statistics.median, ==, 1234.5678901234567);
  g_assert_cmpuint (got->hot->samples->len, ==, 0);
  g_assert_cmpuint (got->hot->runs, ==, 250);
  g_assert_cmpint (got->hot->stop, ==, CURED_STOP_TIME);
  g_assert_cmpuint (got->n_mismatches, ==, 1000);
  g_assert_cmpuint (got->mismatches->len, ==, 1);
  mismatch = g_ptr_array_index (got->mismatches, 0);
  g_assert_cmpstr (mismatch->buffer, ==, "out");
  g_assert_cmpint (mismatch->index, ==, -7);
  g_assert_cmpstr (mismatch->got, ==, "unwritten");
  g_assert_cmpstr (mismatch->expected, ==, "42");
  g_assert_nonnull (got->excerpts);
  g_assert_cmpuint (got->excerpts->len, ==, 1);
  {
    const CuredExcerpt *excerpt = g_ptr_array_index (got->excerpts, 0);

    g_assert_cmpstr (excerpt->buffer, ==, "out");
    g_assert_cmpstr (excerpt->type, ==, "f32");
    g_assert_cmpint (excerpt->length, ==, G_GINT64_CONSTANT (1) << 39);
    g_assert_cmpint (excerpt->first, ==, 5);
    g_assert_cmpstr (excerpt->before[1], ==, "nan");
    g_assert_cmpstr (excerpt->after[0], ==, "1e30");
    g_assert_cmpstr (excerpt->after[1], ==, "-inf");
    g_assert_null (excerpt->after[2]);
  }
  g_assert_cmpuint (got->findings->len, ==, 1);
  {
    g_autofree char *a = cured_finding_to_string (g_ptr_array_index (sent->findings, 0));
    g_autofree char *b = cured_finding_to_string (g_ptr_array_index (got->findings, 0));
    const CuredFinding *finding = g_ptr_array_index (got->findings, 0);

    g_assert_cmpstr (a, ==, b);
    g_assert_cmpint (finding->here.ptx_line, ==, 420);
    g_assert_cmpuint (finding->here.block[2], ==, G_MAXUINT);
    g_assert_null (finding->detail);
  }
  g_assert_cmpstr (got->output, ==, sent->output);
  for (int i = 0; i < CURED_N_STAGES; i++)
    g_assert_cmpint (got->stage_ns[i], ==, sent->stage_ns[i]);
}

static JsonArray *
parse_array (const char *text)
{
  g_autoptr (JsonNode) node = json_from_string (text, NULL);

  g_assert_nonnull (node);
  return json_array_ref (json_node_get_array (node));
}

/* What a runner may ask to see, and what a worker may not be made to do. */
static void
test_ranges (void)
{
  static const char *const wrong[] = {
    "[{}]",
    "[1]",
    "[{\"buffer\":1}]",
    "[{\"buffer\":\"a\",\"first\":-1}]",
    "[{\"buffer\":\"a\",\"length\":0}]",
    "[{\"buffer\":\"a\",\"length\":65537}]",
  };
  g_autoptr (JsonArray) array =
      parse_array ("[{\"buffer\":\"a\"},{\"buffer\":\"b\",\"first\":7,\"length\":65536}]");
  g_autoptr (GPtrArray) ranges = _cured_ranges_from_json (array, NULL);
  g_autoptr (JsonArray) back = NULL;
  g_autoptr (GPtrArray) again = NULL;
  g_autoptr (JsonArray) many = json_array_new ();
  const CuredRange *range;

  g_assert_nonnull (ranges);
  g_assert_cmpuint (ranges->len, ==, 2);
  back = _cured_ranges_to_json (ranges);
  again = _cured_ranges_from_json (back, NULL);
  g_assert_nonnull (again);
  range = g_ptr_array_index (again, 0);
  g_assert_cmpint (range->first, ==, 0);
  g_assert_cmpint (range->length, ==, CURED_EXCERPT_ELEMENTS);
  range = g_ptr_array_index (again, 1);
  g_assert_cmpstr (range->buffer, ==, "b");
  g_assert_cmpint (range->first, ==, 7);
  g_assert_cmpint (range->length, ==, 65536);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (JsonArray) bad = parse_array (wrong[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (_cured_ranges_from_json (bad, &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
    }
  for (guint i = 0; i <= CURED_EXCERPT_MAX; i++)
    {
      JsonObject *one = json_object_new ();

      json_object_set_string_member (one, "buffer", "a");
      json_array_add_object_element (many, one);
    }
  g_assert_null (_cured_ranges_from_json (many, NULL));
}

/* Arrays of two lengths would be read past the end of one. */
static void
test_excerpts_uneven (void)
{
  static const char *const wrong[] = {
    "{\"state\":\"ok\",\"excerpts\":[{\"buffer\":\"a\",\"type\":\"i32\",\"before\":[\"1\"],"
    "\"after\":[\"1\",\"2\"]}]}",
    "{\"state\":\"ok\",\"excerpts\":[{\"buffer\":\"a\",\"type\":\"i32\",\"after\":[1]}]}",
    "{\"state\":\"ok\",\"excerpts\":[{\"buffer\":\"a\",\"type\":\"i32\"}]}",
    "{\"state\":\"ok\",\"excerpts\":[7]}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (JsonNode) node = json_from_string (wrong[i], NULL);
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (node);
      g_assert_false (_cured_outcome_from_json (json_node_get_object (node), outcome, &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
    }
}

static void
test_outcome_empty (void)
{
  g_autoptr (CuredOutcome) sent = cured_outcome_new ();
  g_autoptr (CuredOutcome) got = cured_outcome_new ();
  g_autoptr (JsonObject) message = _cured_message_new ("outcome");
  g_autoptr (JsonObject) received = NULL;
  g_autoptr (GError) error = NULL;

  cured_outcome_set_state (sent, CURED_STATE_OK, NULL);
  sent->metrics[CURED_METRIC_time] = INFINITY;
  _cured_outcome_to_json (sent, message);
  received = send_through (message);
  g_assert_true (_cured_outcome_from_json (received, got, &error));
  g_assert_no_error (error);
  g_assert_cmpint (got->state, ==, CURED_STATE_OK);
  g_assert_null (got->reason);
  g_assert_null (got->cold);
  g_assert_null (got->output);
  g_assert_true (isnan (got->metrics[CURED_METRIC_time]));
}

/* As it was before there was a table of options. */
static void
test_options_old (void)
{
  static const char line[] =
      "{\"type\":\"x\",\"seed\":\"18446744073709551615\",\"limit_s\":0.1,\"min_samples\":3,\"max_"
      "samples\":7,\"sampling_s\":1.25,\"precision\":0.003,\"check\":false,\"cold\":false,\"hot\":"
      "false,\"compile_options\":\"-lineinfo -DX=\\\"a "
      "b\\\"\",\"unsafe_options\":\"-v\",\"shuffle\":\"5\",\"blocks\":\"0..7\"}";
  g_auto (CuredOptions) got = { 0 };
  g_autoptr (GError) error = NULL;
  const char *type;
  g_autoptr (JsonObject) json = _cured_message_parse (line, &type, &error);

  g_assert_no_error (error);
  cured_options_init (&got);
  g_assert_true (_cured_options_from_json (json, &got, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (got.seed, ==, G_MAXUINT64);
  g_assert_cmpfloat (got.limit_s, ==, 0.1);
  g_assert_cmpuint (got.min_samples, ==, 3);
  g_assert_cmpuint (got.max_samples, ==, 7);
  g_assert_cmpfloat (got.sampling_s, ==, 1.25);
  g_assert_cmpfloat (got.precision, ==, 0.003);
  g_assert_false (got.check || got.cold || got.hot);
  g_assert_cmpstr (got.compile_options, ==, "-lineinfo -DX=\"a b\"");
  g_assert_cmpstr (got.unsafe_options, ==, "-v");
  g_assert_cmpuint (got.shuffle, ==, 5);
  g_assert_cmpstr (got.blocks, ==, "0..7");
}

static void
test_options (void)
{
  g_auto (CuredOptions) sent = { 0 };
  g_auto (CuredOptions) got = { 0 };
  g_autoptr (JsonObject) json = NULL;
  g_autoptr (JsonObject) received = NULL;
  g_autoptr (GError) error = NULL;

  other_options_init (&sent);
  cured_options_init (&got);
  json = _cured_options_to_json (&sent);
  json_object_set_string_member (json, "type", "options");
  received = send_through (json);
  g_assert_true (_cured_options_from_json (received, &got, &error));
  g_assert_no_error (error);
  assert_same_options (&sent, &got, 0);

  json_object_set_string_member (json, "blocks", "some");
  g_assert_false (_cured_options_from_json (json, &got, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
}

static void
test_device (void)
{
  CuredDeviceInfo sent;
  CuredDeviceInfo got;
  g_autoptr (JsonObject) json = NULL;
  g_autoptr (GError) error = NULL;
  gsize n_limits;
  const CuredLimitInfo *limits = cured_limits_list (&n_limits);

  cured_device_info_init (&sent);
  g_free (sent.name);
  sent.name = g_strdup ("A device");
  g_free (sent.arch);
  sent.arch = g_strdup ("sm_90");
  for (gsize i = 0; i < n_limits; i++)
    cured_limits_set (&sent.limits, limits[i].name, (gint64) (i * i + 1) << 32);
  sent.calibration.cold_overhead_ns = 2712.5;
  sent.ceilings.fp32_flops = 5.1e13;
  sent.ceilings.date = g_strdup ("2026-01-02");

  json = _cured_device_info_to_json (&sent);
  g_assert_true (_cured_device_info_from_json (json, &got, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (got.name, ==, "A device");
  g_assert_cmpstr (got.arch, ==, "sm_90");
  g_assert_cmpstr (got.uuid, ==, "");
  g_assert_cmpstr (got.host, ==, sent.host);
  g_assert_cmpmem (&got.limits, sizeof got.limits, &sent.limits, sizeof sent.limits);
  g_assert_cmpfloat (got.calibration.cold_overhead_ns, ==, 2712.5);
  g_assert_true (isnan (got.calibration.resolution_ns));
  g_assert_cmpfloat (got.ceilings.fp32_flops, ==, 5.1e13);
  g_assert_true (isnan (got.ceilings.copy_bytes_per_s));
  g_assert_cmpstr (got.ceilings.date, ==, "2026-01-02");
  cured_device_info_clear (&sent);
  cured_device_info_clear (&got);
}

/* All of it; then as a worker said it that knew of no table. */
static void
test_device_facts (void)
{
  static const char line[] =
      "{\"type\":\"x\",\"id\":\"cuda:0\",\"host\":\"there\",\"limits\":{\"sms\":132},"
      "\"calibration\":{\"cold_overhead_ns\":1.5,\"resolution_ns\":32},\"ceilings\":{\"copy_bytes_"
      "per_s\":4e12,\"read_bytes_per_s\":5e12,\"fp32_flops\":6e13,\"date\":\"2026-01-02\"}}";
  g_autoptr (JsonObject) json = NULL;
  g_autoptr (JsonObject) received = NULL;
  g_autoptr (JsonObject) old = NULL;
  g_autoptr (GError) error = NULL;
  CuredDeviceInfo sent;
  CuredDeviceInfo got;
  const char *type;

  other_device_init (&sent);
  json = _cured_device_info_to_json (&sent);
  json_object_set_string_member (json, "type", "device");
  received = send_through (json);
  g_assert_true (_cured_device_info_from_json (received, &got, &error));
  g_assert_no_error (error);
  assert_same_device (&sent, &got);
  cured_device_info_clear (&sent);
  cured_device_info_clear (&got);

  old = _cured_message_parse (line, &type, &error);
  g_assert_no_error (error);
  g_assert_true (_cured_device_info_from_json (old, &got, &error));
  g_assert_cmpstr (got.id, ==, "cuda:0");
  g_assert_cmpstr (got.host, ==, "there");
  g_assert_cmpstr (got.uuid, ==, "");
  g_assert_cmpint (got.limits.sms, ==, 132);
  g_assert_cmpfloat (got.calibration.cold_overhead_ns, ==, 1.5);
  g_assert_cmpfloat (got.calibration.resolution_ns, ==, 32);
  g_assert_cmpfloat (got.ceilings.copy_bytes_per_s, ==, 4e12);
  g_assert_cmpfloat (got.ceilings.read_bytes_per_s, ==, 5e12);
  g_assert_cmpfloat (got.ceilings.fp32_flops, ==, 6e13);
  g_assert_cmpstr (got.ceilings.date, ==, "2026-01-02");
  cured_device_info_clear (&got);
}

static void
test_error (void)
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
static void
test_error_place (void)
{
  g_autoptr (GError) sent = NULL;
  g_autoptr (GError) got = NULL;
  g_autoptr (GError) half = NULL;
  g_autoptr (GError) negative = NULL;
  g_autoptr (JsonObject) message = NULL;
  const CuredErrorPlace *place;

  cured_set_error_at (&sent, CURED_ERROR_SYNTAX, "k.cu", 6, 3, "odd: very");
  cured_error_set_log (sent, "k.cu(6): error: odd");
  g_prefix_error (&sent, "first: ");
  message = _cured_error_to_message (sent);
  got = _cured_error_from_message (message);
  g_assert_error (got, CURED_ERROR, CURED_ERROR_SYNTAX);
  g_assert_cmpstr (got->message, ==, "first: k.cu:6:3: odd: very");
  place = cured_error_get_place (got);
  g_assert_nonnull (place);
  g_assert_cmpstr (place->file, ==, "k.cu");
  g_assert_cmpint (place->line, ==, 6);
  g_assert_cmpint (place->column, ==, 3);
  g_assert_cmpstr (place->text, ==, "odd: very");
  g_assert_cmpstr (cured_error_get_log (got), ==, "k.cu(6): error: odd");

  /* The other side is not trusted. */
  json_object_set_int_member (message, "line", -6);
  negative = _cured_error_from_message (message);
  g_assert_null (cured_error_get_place (negative));
  json_object_set_int_member (message, "line", 6);
  json_object_set_int_member (message, "file", 7);
  half = _cured_error_from_message (message);
  g_assert_error (half, CURED_ERROR, CURED_ERROR_SYNTAX);
  g_assert_null (cured_error_get_place (half));
}

static void
test_malformed (void)
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

static void
test_deep (void)
{
  g_autoptr (GString) line = g_string_new ("{\"type\":\"hello\",\"x\":");
  g_autoptr (GError) error = NULL;
  const char *type;

  for (int i = 0; i < 1000000; i++)
    g_string_append_c (line, '[');
  g_assert_null (_cured_message_parse (line->str, &type, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
  g_assert_nonnull (strstr (error->message, "deep"));
}

static void
test_wrong_types (void)
{
  const char *const lines[] = {
    "{\"type\":\"outcome\"}",
    "{\"type\":\"outcome\",\"state\":1}",
    "{\"type\":\"outcome\",\"state\":\"splendid\"}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"metrics\":[1]}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"metrics\":{\"time\":\"1\"}}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"metrics\":{\"time\":1e999}}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"stage_ns\":{\"compile\":1.5}}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"stage_ns\":{\"compile\":-1}}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"mismatches\":[1]}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"findings\":[1]}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"findings\":[{\"kind\":1}]}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"findings\":[{\"here\":{\"block\":[{}]}}]}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"mismatches\":[{\"index\":{}}]}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"reason\":{}}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"cold\":7}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"cold\":{\"time_ns\":[\"a\"]}}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"cold\":{\"time_ns\":[1],\"sm_clock_hz\":[1,2]}}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"cold\":{\"time_ns\":[1],\"throttled\":[1]}}",
    "{\"type\":\"outcome\",\"state\":\"ok\",\"cold\":{\"time_ns\":[1],\"throttled\":[-1]}}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      g_autoptr (JsonObject) message = NULL;
      g_autoptr (GError) error = NULL;
      const char *type;

      message = _cured_message_parse (lines[i], &type, &error);
      g_assert_no_error (error);
      g_assert_false (_cured_outcome_from_json (message, outcome, &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL);
    }
}

/* What is unknown is left out, whatever it is. */
static void
test_unknown (void)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (JsonObject) message = NULL;
  g_autoptr (GError) error = NULL;
  const char *type;

  message = _cured_message_parse (
      "{\"type\":\"outcome\",\"state\":\"ok\",\"later\":[[{}]],\"metrics\":{\"time\":5,\"beauty\":"
      "\"high\"},\"cold\":{\"stop\":\"bored\"},\"reason\":null}",
      &type, &error);
  g_assert_no_error (error);
  g_assert_true (_cured_outcome_from_json (message, outcome, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time], ==, 5);
  g_assert_null (outcome->reason);
}

/* A good message with bytes changed, cut out and doubled: an error or an outcome, never a crash. */
static void
test_fuzz (void)
{
  g_autoptr (CuredOutcome) sent = make_outcome ();
  g_autoptr (JsonObject) message = _cured_message_new ("outcome");
  g_autofree char *line = NULL;
  gsize length;
  guint n_parsed = 0;

  _cured_outcome_to_json (sent, message);
  line = _cured_message_to_line (message);
  length = strlen (line);
  for (int round = 0; round < 3000; round++)
    {
      g_autofree char *damaged = g_strdup (line);
      g_autoptr (JsonObject) received = NULL;
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
      received = _cured_message_parse (damaged, &type, NULL);
      if (received != NULL)
        {
          _cured_outcome_from_json (received, got, NULL);
          n_parsed++;
        }
    }
  g_test_message ("%u of 3000 were still JSON", n_parsed);
  g_assert_cmpuint (n_parsed, >, 0);
}

static void
test_lines (void)
{
  g_auto (CuredLines) lines = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  int fds[2];

  g_assert_cmpint (pipe (fds), ==, 0);
  _cured_lines_init (&lines, fds[0]);
  g_assert_cmpint (write (fds[1], "on", 2), ==, 2);
  g_assert_cmpint (_cured_lines_read (&lines, &error), ==, CURED_LINES_MORE);
  g_assert_null (_cured_lines_take (&lines));
  g_assert_cmpint (write (fds[1], "e\n\nthree", 8), ==, 8);
  g_assert_cmpint (_cured_lines_read (&lines, &error), ==, CURED_LINES_MORE);
  first = _cured_lines_take (&lines);
  second = _cured_lines_take (&lines);
  g_assert_cmpstr (first, ==, "one");
  g_assert_cmpstr (second, ==, "");
  g_assert_null (_cured_lines_take (&lines));
  close (fds[1]);
  g_assert_cmpint (_cured_lines_read (&lines, &error), ==, CURED_LINES_END);
  g_assert_no_error (error);
  close (fds[0]);
}

static void
test_long_line (void)
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
static void
test_documented (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), "..", "..", "docs",
                                            "worker-protocol.md", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) lines = NULL;
  const char *const all[] = { "hello", "kernel", "measure", "stage", "outcome", "error", NULL };

  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autoptr (JsonObject) message = NULL;
      const char *type;

      if (lines[i][0] != '{')
        continue;
      message = _cured_message_parse (lines[i], &type, &error);
      g_assert_no_error (error);
      g_hash_table_add (types, g_strdup (type));
      if (g_str_equal (type, "outcome"))
        {
          g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

          _cured_outcome_from_json (message, outcome, &error);
        }
      else if (json_object_has_member (message, "device"))
        {
          CuredDeviceInfo info;

          if (_cured_device_info_from_json (json_object_get_object_member (message, "device"),
                                            &info, &error))
            cured_device_info_clear (&info);
        }
      else if (json_object_has_member (message, "options"))
        {
          g_auto (CuredOptions) options = { 0 };

          cured_options_init (&options);
          _cured_options_from_json (json_object_get_object_member (message, "options"), &options,
                                    &error);
        }
      g_assert_no_error (error);
    }
  for (guint i = 0; all[i] != NULL; i++)
    g_assert_true (g_hash_table_contains (types, all[i]));
}

static void
test_locale (void)
{
  /* Where there is no such locale, the C locale says the same. */
  setlocale (LC_ALL, "de_DE.UTF-8");
  test_outcome ();
  test_options ();
  setlocale (LC_ALL, "C.UTF-8");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/message/outcome", test_outcome);
  g_test_add_func ("/message/outcome-empty", test_outcome_empty);
  g_test_add_func ("/message/ranges", test_ranges);
  g_test_add_func ("/message/excerpts-uneven", test_excerpts_uneven);
  g_test_add_func ("/message/options", test_options);
  g_test_add_func ("/message/options/old", test_options_old);
  g_test_add_func ("/message/device", test_device);
  g_test_add_func ("/message/device/facts", test_device_facts);
  g_test_add_func ("/message/error", test_error);
  g_test_add_func ("/message/error/place", test_error_place);
  g_test_add_func ("/message/malformed", test_malformed);
  g_test_add_func ("/message/deep", test_deep);
  g_test_add_func ("/message/wrong-types", test_wrong_types);
  g_test_add_func ("/message/unknown", test_unknown);
  g_test_add_func ("/message/fuzz", test_fuzz);
  g_test_add_func ("/message/lines", test_lines);
  g_test_add_func ("/message/long-line", test_long_line);
  g_test_add_func ("/message/documented", test_documented);
  g_test_add_func ("/message/locale", test_locale);
  return g_test_run ();
}
