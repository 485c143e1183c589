/* SPDX-License-Identifier: MIT
 * Reads nvbench's JSON: one table per benchmark and device. */
#include <glib/gstdio.h>

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"
#include "kernel/cured-sources-internal.h"
#include "measure/cured-measure-internal.h"

/* Limit of one state's samples. */
#define MAX_SAMPLES (1 << 24)

/* More than a machine has. */
#define MAX_DEVICES 1000

/* Summaries that are one of Cured's metrics, by their tag. Older files say "ir" for the
 * interquartile range. */
static const struct
{
  const char *tag;
  CuredMetric metric;
  double scale;
} mapped[] = {
  { "nv/cold/time/gpu/median", CURED_METRIC_time, 1e9 },
  { "nv/cold/time/gpu/mean", CURED_METRIC_time_mean, 1e9 },
  { "nv/cold/time/gpu/min", CURED_METRIC_time_min, 1e9 },
  { "nv/cold/time/gpu/iqr/relative", CURED_METRIC_time_spread, 1 },
  { "nv/cold/time/gpu/ir/relative", CURED_METRIC_time_spread, 1 },
  { "nv/cold/sample_size", CURED_METRIC_time_samples, 1 },
  { "nv/cold/bw/global/bytes_per_second", CURED_METRIC_bandwidth, 1 },
  { "nv/cold/sm_clock_rate/mean", CURED_METRIC_sm_clock, 1 },
  { "nv/batch/time/gpu/mean", CURED_METRIC_time_hot, 1e9 },
  { "nv/batch/sample_size", CURED_METRIC_time_hot_samples, 1 },
  { "nv/cpu_only/time/cpu/mean", CURED_METRIC_time_mean, 1e9 },
  { "nv/cpu_only/sample_size", CURED_METRIC_time_samples, 1 },
};

/* Before version 1.0, lists were objects with names as keys, and a summary's name was for
 * people. */
static const struct
{
  const char *name, *tag;
} old_names[] = {
  { "Average GPU Time (Cold)", "nv/cold/time/gpu/mean" },
  { "GPU Relative Standard Deviation (Cold)", "nv/cold/time/gpu/stdev/relative" },
  { "Average CPU Time (Cold)", "nv/cold/time/cpu/mean" },
  { "Number of Samples (Cold)", "nv/cold/sample_size" },
  { "Average GPU Time (Batch)", "nv/batch/time/gpu/mean" },
  { "Number of Samples (Batch)", "nv/batch/sample_size" },
  { "Global Memory Throughput", "nv/cold/bw/global/bytes_per_second" },
};

/* The unit of a summary's number, by its hint. Percentages are fractions. */
static const struct
{
  const char *hint, *unit;
  double scale;
  CuredBetter better;
} hints[] = {
  { "duration", "ns", 1e9, CURED_BETTER_LOWER },
  { "percentage", "ratio", 1, CURED_BETTER_NEITHER },
  { "item_rate", "1/s", 1, CURED_BETTER_HIGHER },
  { "byte_rate", "B/s", 1, CURED_BETTER_HIGHER },
  { "bytes", "B", 1, CURED_BETTER_NEITHER },
  { "frequency", "Hz", 1, CURED_BETTER_NEITHER },
};

/* The device's block, by the names that Cured's limits have. */
static const struct
{
  const char *member, *limit;
  double scale;
} limits[] = {
  { "number_of_sms", "sms", 1 },
  { "max_blocks_per_sm", "max_blocks_per_sm", 1 },
  { "max_threads_per_sm", "max_threads_per_sm", 1 },
  { "max_threads_per_block", "max_threads_per_block", 1 },
  { "registers_per_sm", "registers_per_sm", 1 },
  { "registers_per_block", "registers_per_block", 1 },
  { "global_memory_size", "global_bytes", 1 },
  { "global_memory_bus_width", "memory_bus_bits", 1 },
  { "global_memory_bus_peak_clock_rate", "memory_clock_khz", 1e-3 },
  { "l2_cache_size", "l2_bytes", 1 },
  { "shared_memory_per_sm", "shared_per_sm", 1 },
  { "shared_memory_per_block", "shared_per_block", 1 },
  { "sm_default_clock_rate", "sm_clock_khz", 1e-3 },
};

/* A summary's data are named; nearly all have only a "value". */
static JsonNode *
find_datum (JsonObject *summary, const char *name)
{
  JsonArray *data = _cured_import_find_array (summary, "data");

  for (guint i = 0; i < _cured_import_count (data); i++)
    {
      JsonObject *datum = _cured_import_to_object (json_array_get_element (data, i));

      if (datum != NULL && g_strcmp0 (_cured_import_get_string (datum, "name"), name) == 0)
        return json_object_get_member (datum, "value");
    }
  return NULL;
}

/* Side files */

/* The bytes of a list of float32, or NULL if it is missing or invalid. */
static char *
read_side_file (const CuredImportReader *reader, const char *name, gsize n_samples)
{
  g_autofree char *path = _cured_find_beside (reader->path, name, NULL), *bytes = NULL;
  gsize length = 0;
  GStatBuf info;

  /* A file of another size is not read. */
  if (path == NULL || g_stat (path, &info) != 0 || !S_ISREG (info.st_mode) ||
      (gsize) info.st_size != n_samples * 4 || !g_file_get_contents (path, &bytes, &length, NULL) ||
      length != n_samples * 4)
    return NULL;
  return g_steal_pointer (&bytes);
}

/* The name is relative to the JSON's folder; in older versions to nvbench's working directory, so
 * that only its last two parts are usable. A name that leads elsewhere, even by a link, is not
 * followed. */
static char *
find_side_file (const CuredImportReader *reader, const char *name, gsize n_samples)
{
  g_autofree char *parent = g_path_get_dirname (name), *last = g_path_get_basename (parent);
  g_autofree char *base = g_path_get_basename (name), *near = g_build_filename (last, base, NULL);
  char *bytes = read_side_file (reader, name, n_samples);

  return bytes != NULL ? bytes : read_side_file (reader, near, n_samples);
}

/* Little-endian float32, wherever this runs. */
static double
get_float (const char *bytes, gsize index)
{
  guint32 raw = 0;
  float value = 0;

  memcpy (&raw, bytes + index * 4, 4);
  raw = GUINT32_FROM_LE (raw);
  memcpy (&value, &raw, 4);
  return (double) value;
}

static char *
read_samples (const CuredImportReader *reader, JsonObject *summary, gsize *n_samples)
{
  JsonNode *name = find_datum (summary, "filename");
  double size = _cured_import_to_number (find_datum (summary, "size"));

  if (name == NULL || !JSON_NODE_HOLDS_VALUE (name) ||
      json_node_get_value_type (name) != G_TYPE_STRING || !(size > 0) || size > MAX_SAMPLES)
    return NULL;
  *n_samples = (gsize) size;
  return find_side_file (reader, json_node_get_string (name), *n_samples);
}

static void
add_samples (CuredImportCell *cell, JsonObject *times, JsonObject *clocks)
{
  gsize n_times = 0, n_clocks = 0;
  g_autofree char *time_bytes = read_samples (cell->reader, times, &n_times);
  g_autofree char *clock_bytes =
      clocks != NULL ? read_samples (cell->reader, clocks, &n_clocks) : NULL;

  if (time_bytes == NULL)
    {
      _cured_import_drop (cell, "samples whose side file is not there");
      return;
    }
  for (gsize i = 0; i < n_times; i++)
    _cured_import_add_sample (
        cell, get_float (time_bytes, i) * 1e9,
        clock_bytes != NULL && n_clocks == n_times ? get_float (clock_bytes, i) : CURED_MISSING);
}

/* Cells */

static void
add_summary (CuredImportCell *cell, const char *tag, JsonObject *summary)
{
  double value = _cured_import_to_number (find_datum (summary, "value"));
  const char *hint = _cured_import_get_string (summary, "hint");
  const char *name = _cured_import_get_string (summary, "name"), *unit = "";
  CuredBetter better = CURED_BETTER_NEITHER;

  cell->reader->is_cpu |= g_str_equal (tag, "nv/cpu_only/time/cpu/mean");
  for (gsize i = 0; i < G_N_ELEMENTS (old_names); i++)
    if (g_str_equal (old_names[i].name, tag))
      tag = old_names[i].tag;
  for (gsize i = 0; i < G_N_ELEMENTS (mapped); i++)
    if (g_str_equal (mapped[i].tag, tag))
      {
        _cured_import_set_metric (cell, mapped[i].metric, value * mapped[i].scale);
        return;
      }
  /* Data that nvbench hides are not a column here either. */
  if (json_object_has_member (summary, "hide"))
    {
      _cured_import_drop (cell, tag);
      return;
    }
  for (gsize i = 0; hint != NULL && i < G_N_ELEMENTS (hints); i++)
    if (g_str_equal (hints[i].hint, hint))
      {
        unit = hints[i].unit;
        better = hints[i].better;
        value *= hints[i].scale;
      }
  if (find_datum (summary, "value") == NULL)
    _cured_import_drop (cell, tag);
  else
    _cured_import_set_extra (
        cell, g_str_has_prefix (tag, "nv/") ? tag + 3 : tag, name != NULL ? name : tag,
        _cured_import_get_string (summary, "description"), unit, better, value);
}

/* Returns the number of summaries. */
static guint
add_summaries (CuredImportCell *cell, JsonObject *state)
{
  JsonArray *summaries = _cured_import_find_array (state, "summaries");
  JsonObject *times = NULL, *clocks = NULL;

  for (guint i = 0; i < _cured_import_count (summaries); i++)
    {
      JsonObject *summary = _cured_import_to_object (json_array_get_element (summaries, i));
      const char *tag = summary != NULL ? _cured_import_get_string (summary, "tag") : NULL;

      if (tag == NULL)
        continue;
      if (g_str_equal (tag, "nv/json/bin:nv/cold/sample_times"))
        times = summary;
      else if (g_str_equal (tag, "nv/json/freqs-bin:nv/cold/sample_freqs"))
        clocks = summary;
      else
        add_summary (cell, tag, summary);
    }
  if (times != NULL)
    add_samples (cell, times, clocks);
  return _cured_import_count (summaries);
}

static gboolean
get_flag (JsonObject *object, const char *member)
{
  JsonNode *node = json_object_get_member (object, member);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
         json_node_get_value_type (node) == G_TYPE_BOOLEAN && json_node_get_boolean (node);
}

/* nvbench skips states that the benchmark's author excluded, and those that threw; only the reason
 * distinguishes them. */
static void
interpret_state (CuredImportCell *cell, gpointer state)
{
  CuredOutcome *outcome = cell->outcome;

  if (get_flag (state, "is_skipped"))
    {
      const char *reason = _cured_import_get_string (state, "skip_reason");

      if (reason == NULL || *reason == '\0')
        reason = N_ ("nvbench skipped it and gives no reason");
      cured_outcome_set_state (outcome,
                               strstr (reason, "nexpected error") != NULL
                                   ? CURED_STATE_FAILED
                                   : CURED_STATE_NOT_LAUNCHABLE,
                               "%s", reason);
      return;
    }
  if (add_summaries (cell, state) == 0)
    return;
  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  _cured_import_finish_times (cell);
  if (outcome->metrics[CURED_METRIC_time_samples] == 0)
    cured_outcome_set_state (
        outcome, CURED_STATE_FAILED, "%s",
        N_ ("nvbench kept no sample of it: all of them were throttled, or it was stopped"));
}

/* Structure */

static JsonObject *
find_device (const CuredImportReader *self, JsonArray *devices, gint64 id)
{
  for (guint i = 0; i < MIN (_cured_import_count (devices), MAX_DEVICES); i++)
    {
      JsonObject *device = _cured_import_to_object (json_array_get_element (devices, i));

      if (device != NULL && _cured_import_get_number (device, "id") == (double) id)
        return device;
    }
  return NULL;
}

static void
fill_device (CuredDeviceInfo *info, JsonObject *device, gint64 id)
{
  const char *name = device != NULL ? _cured_import_get_string (device, "name") : NULL;
  double version = device != NULL ? _cured_import_get_number (device, "sm_version") : CURED_MISSING;

  /* It measured the CPU. */
  if (id < 0)
    return;
  g_free (info->id);
  info->id = g_strdup_printf ("cuda:%" PRId64, id);
  g_free (info->kind);
  info->kind = g_strdup ("cuda");
  if (name != NULL)
    {
      g_free (info->name);
      info->name = g_strdup (name);
    }
  if (device == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      double value = _cured_import_get_number (device, limits[i].member) * limits[i].scale;

      if (value > 0 && value < 0x1p62)
        cured_limits_set (&info->limits, limits[i].limit, (gint64) round (value));
    }
  /* 900 is compute capability 9.0. */
  if (version >= 100 && version < 100000)
    {
      g_free (info->arch);
      info->arch = g_strdup_printf ("sm_%d", (int) version / 10);
      cured_limits_set (&info->limits, "compute_major", (gint64) version / 100);
      cured_limits_set (&info->limits, "compute_minor", (gint64) version / 10 % 10);
    }
}

static gboolean
is_wanted_device (CuredImportReader *self, JsonObject *device, gint64 id)
{
  const char *wanted = self->options->device;
  const char *title = device != NULL ? _cured_import_get_string (device, "name") : NULL;
  g_autofree char *number = g_strdup_printf ("%" PRId64, id);
  g_autofree char *name = g_strdup_printf ("cuda:%" PRId64, id);

  if (wanted == NULL || g_str_equal (wanted, number) || g_str_equal (wanted, name) ||
      g_strcmp0 (title, wanted) == 0)
    return TRUE;
  _cured_import_leave_out (self, "--device", title != NULL ? title : name);
  return FALSE;
}

/* A type is compiled in; all other parameters are passed at run time. */
static CuredParameterKind
get_kind (JsonObject *axis)
{
  return g_strcmp0 (_cured_import_get_string (axis, "type"), "type") == 0 ? CURED_PARAMETER_COMPILE
                                                                          : CURED_PARAMETER_LAUNCH;
}

static gboolean
list_axes (const CuredImportReader *self, CuredImportTable *table, JsonObject *benchmark,
           const char *place, GError **error)
{
  JsonArray *axes = NULL;
  g_autofree char *list = g_strconcat (place, "axes", NULL);

  if (!_cured_import_get_array (self, benchmark, place, "axes", &axes, error))
    return FALSE;
  for (guint i = 0; i < _cured_import_count (axes); i++)
    {
      JsonObject *axis = _cured_import_get_element (self, axes, i, list, error);
      const char *name = NULL;
      JsonArray *values = NULL;
      g_autofree char *here = g_strdup_printf ("%s[%u].", list, i);
      g_autofree char *there = g_strconcat (here, "values", NULL);

      if (axis == NULL)
        return FALSE;
      name = _cured_import_get_string (axis, "name");
      if (name == NULL)
        return _cured_import_fail (self, error, _ ("%sname: expected the axis's name"), here);
      _cured_import_add_axis (table, name, get_kind (axis));
      if (!_cured_import_get_array (self, axis, here, "values", &values, error))
        return FALSE;
      for (guint j = 0; j < _cured_import_count (values); j++)
        {
          JsonObject *value = _cured_import_get_element (self, values, j, there, error);
          const char *member = "value";

          if (value == NULL)
            return FALSE;
          if (get_kind (axis) == CURED_PARAMETER_COMPILE)
            member = "input_string";
          if (json_object_has_member (value, "is_active") && !get_flag (value, "is_active"))
            continue;
          if (json_object_has_member (value, member))
            _cured_import_list_value (table, name, json_object_get_member (value, member));
        }
    }
  return TRUE;
}

static gboolean
read_state (CuredImportReader *self, CuredImportTable *table, JsonObject *state, const char *place,
            GError **error)
{
  JsonArray *values = NULL;
  g_autofree char *list = g_strconcat (place, "axis_values", NULL);

  if (!_cured_import_get_array (self, state, place, "axis_values", &values, error))
    return FALSE;
  _cured_import_begin_record (table, state);
  for (guint i = 0; i < _cured_import_count (values); i++)
    {
      JsonObject *value = _cured_import_get_element (self, values, i, list, error);
      const char *name = value != NULL ? _cured_import_get_string (value, "name") : NULL;

      if (value == NULL)
        return FALSE;
      if (name == NULL)
        return _cured_import_fail (self, error, _ ("%s[%u].name: expected the axis's name"), list,
                                   i);
      _cured_import_set_value (table, name, CURED_PARAMETER_LAUNCH,
                               json_object_get_member (value, "value"));
    }
  return _cured_import_end_record (self, table, error);
}

/* The table of one device, made when its first state comes. */
static CuredImportTable *
get_table (CuredImportReader *self, GHashTable *tables, JsonObject *benchmark, const char *place,
           JsonObject *device, gint64 id, GError **error)
{
  const char *name = _cured_import_get_string (benchmark, "name");
  CuredImportTable *table = g_hash_table_lookup (tables, &id);

  if (table != NULL)
    return table;
  if (!_cured_import_has_room (self, error))
    return NULL;
  g_autofree char *label = g_hash_table_size (tables) > 0
                               ? g_strdup_printf ("%s-gpu%" PRId64, name, id)
                               : g_strdup (name);
  table = _cured_import_add_table (self, label, name, interpret_state);
  fill_device (_cured_import_get_device (table), device, id);
  g_hash_table_insert (tables, g_memdup2 (&id, sizeof id), table);
  return list_axes (self, table, benchmark, place, error) ? table : NULL;
}

static gboolean
read_benchmark (CuredImportReader *self, JsonObject *benchmark, JsonArray *devices,
                const char *place, GError **error)
{
  JsonArray *states = NULL;
  g_autofree char *list = g_strconcat (place, "states", NULL);
  g_autoptr (GHashTable) tables = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  if (!_cured_import_get_array (self, benchmark, place, "states", &states, error))
    return FALSE;
  for (guint i = 0; i < _cured_import_count (states); i++)
    {
      JsonObject *state = _cured_import_get_element (self, states, i, list, error);
      g_autofree char *here = g_strdup_printf ("%s[%u].", list, i);
      JsonObject *device = NULL;

      if (state == NULL)
        return FALSE;
      double number = _cured_import_get_number (state, "device");
      gint64 id = number >= 0 && number < 0x1p31 ? (gint64) number : -1;
      device = find_device (self, devices, id);
      if (!is_wanted_device (self, device, id))
        continue;
      CuredImportTable *table = get_table (self, tables, benchmark, place, device, id, error);
      if (table == NULL || !read_state (self, table, state, here, error))
        return FALSE;
    }
  return TRUE;
}

static JsonNode *modernise (JsonNode *node, const char *key);

static JsonNode *
list_members (JsonObject *object, const char *member, const char *key)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  json_node_take_array (node, json_array_new ());
  for (CuredImportMember at = { 0 }; _cured_import_next (object, &at);)
    {
      JsonNode *made = modernise (at.node, key);
      JsonObject *element = _cured_import_to_object (made);

      if (element != NULL && !json_object_has_member (element, member))
        json_object_set_string_member (element, member, at.name);
      json_array_add_element (json_node_get_array (node), made);
    }
  return node;
}

/* {"hint": {"type": "string", "value": "duration"}, "value": {…}}: in today's format of a
 * summary. */
static JsonNode *
modernise_summary (JsonObject *summary)
{
  static const char *const members[][2] = { { "hint", "hint" }, { "short_name", "name" } };
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *made = json_object_new (), *holder = _cured_import_find_object (summary, "value");

  json_node_take_object (node, made);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      JsonObject *found = _cured_import_find_object (summary, members[i][0]);
      const char *text = found != NULL ? _cured_import_get_string (found, "value") : NULL;

      if (text != NULL)
        json_object_set_string_member (made, members[i][1], text);
    }
  if (holder != NULL)
    {
      JsonArray *data = json_array_new ();
      JsonObject *datum = json_object_new ();
      JsonNode *value = json_object_get_member (holder, "value");

      json_object_set_string_member (datum, "name", "value");
      if (value != NULL)
        json_object_set_member (datum, "value", json_node_copy (value));
      json_array_add_object_element (data, datum);
      json_object_set_array_member (made, "data", data);
    }
  return node;
}

static JsonNode *
modernise (JsonNode *node, const char *key)
{
  static const char *const lists[] = { "axes", "states", "axis_values", "summaries", NULL };
  JsonArray *array = _cured_import_to_array (node);
  JsonObject *object = _cured_import_to_object (node);

  if (array != NULL)
    {
      JsonNode *made = json_node_new (JSON_NODE_ARRAY);

      json_node_take_array (made, json_array_new ());
      for (guint i = 0; i < json_array_get_length (array); i++)
        json_array_add_element (json_node_get_array (made),
                                modernise (json_array_get_element (array, i), ""));
      return made;
    }
  if (object == NULL)
    return json_node_copy (node);
  if (g_str_equal (key, "summaries"))
    return modernise_summary (object);
  JsonNode *made = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (made, json_object_new ());
  for (CuredImportMember at = { 0 }; _cured_import_next (object, &at);)
    {
      JsonObject *named =
          g_strv_contains (lists, at.name) ? _cured_import_to_object (at.node) : NULL;

      json_object_set_member (
          json_node_get_object (made), at.name,
          named != NULL
              ? list_members (named, g_str_equal (at.name, "summaries") ? "tag" : "name", at.name)
              : modernise (at.node, ""));
    }
  return made;
}

static gboolean
is_old (JsonObject *root)
{
  JsonArray *list = _cured_import_find_array (root, "benchmarks");
  JsonObject *first = _cured_import_count (list) > 0
                          ? _cured_import_to_object (json_array_get_element (list, 0))
                          : NULL;

  return _cured_import_find_object (first, "states") != NULL;
}

static gboolean
read_nvbench (CuredImportReader *self, GError **error)
{
  JsonArray *benchmarks = NULL, *devices = NULL;

  if (is_old (self->root))
    {
      self->made = modernise (json_parser_get_root (self->parser), "");
      self->root = json_node_get_object (self->made);
    }
  if (!_cured_import_get_array (self, self->root, "", "devices", &devices, error) ||
      !_cured_import_get_array (self, self->root, "", "benchmarks", &benchmarks, error))
    return FALSE;
  for (guint i = 0; i < _cured_import_count (benchmarks); i++)
    {
      JsonObject *benchmark = _cured_import_get_element (self, benchmarks, i, "benchmarks", error);
      g_autofree char *place = g_strdup_printf ("benchmarks[%u].", i);
      const char *name = NULL;

      if (benchmark == NULL)
        return FALSE;
      name = _cured_import_get_string (benchmark, "name");
      if (name == NULL && json_object_has_member (benchmark, "runs"))
        return _cured_import_fail (
            self, error,
            _ ("this is a file of pyperf, which can't be imported; write its points as CSV"));
      if (name == NULL)
        return _cured_import_fail (self, error, _ ("%sname: expected the benchmark's name"), place);
      if (_cured_import_is_wanted (self, "--benchmark", self->options->benchmark, name) &&
          !read_benchmark (self, benchmark, devices, place, error))
        return FALSE;
    }
  return TRUE;
}

static const char *const keys[] = { "benchmarks", NULL };

const CuredImportFormat _cured_import_nvbench = {
  .id = "nvbench",
  .title = N_ ("nvbench JSON"),
  .keys = keys,
  .read = read_nvbench,
};
