/* SPDX-License-Identifier: MIT
 * Formats of JSON whose records become rows: names of parameters and times in each program. */

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"

static const CuredImportKnown columns[] = {
  { "time", CURED_IMPORT_AS_FIGURE, CURED_METRIC_time, 1 },
  { "time_mean", CURED_IMPORT_AS_FIGURE, CURED_METRIC_time_mean, 1 },
  { "time_min", CURED_IMPORT_AS_FIGURE, CURED_METRIC_time_min, 1 },
  { "time_samples", CURED_IMPORT_AS_FIGURE, CURED_METRIC_time_samples, 1 },
  { "samples", CURED_IMPORT_AS_FIGURE, CURED_METRIC_time, 1 },
  { "registers", CURED_IMPORT_AS_FIGURE, CURED_METRIC_registers, 1 },
  { "bytes_per_second", CURED_IMPORT_AS_FIGURE, CURED_METRIC_bandwidth, 1 },
  { NULL, CURED_IMPORT_AS_UNKNOWN, -1, 1 },
};
/* Parameters are stored as such; nothing is guessed. */
static const char *const after[] = { "", NULL };
static const CuredImportFlat flat = { .known = columns, .after = after };

/* Takes the samples. */
static void
put_array (CuredImportReader *self, CuredImportRow *row, JsonArray *samples)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_ARRAY);

  json_node_take_array (node, samples);
  _cured_import_put (self, row, "samples", CURED_IMPORT_AS_FIGURE, node);
}

/* @times: (nullable): in units of @scale nanoseconds */
static void
put_samples (CuredImportReader *self, CuredImportRow *row, JsonArray *times, double scale)
{
  if (times == NULL)
    return;
  JsonArray *samples = json_array_new ();
  for (guint i = 0; i < json_array_get_length (times); i++)
    json_array_add_double_element (
        samples, _cured_import_to_number (json_array_get_element (times, i)) * scale);
  put_array (self, row, samples);
}

/* Stores each member as a parameter, except null. */
static void
put_parameters (CuredImportReader *self, CuredImportRow *row, JsonObject *parameters)
{

  if (parameters == NULL)
    return;
  for (CuredImportMember at = { 0 }; _cured_import_next (parameters, &at);)
    if (!JSON_NODE_HOLDS_NULL (at.node))
      _cured_import_put (self, row, at.name, CURED_IMPORT_AS_PARAMETER, at.node);
}

/* Stores an argument of the kernel that is not part of the configuration. */
static void
put_problem (CuredImportReader *self, CuredImportRow *row, const char *name, JsonNode *value)
{
  _cured_import_add_column (self, name, CURED_IMPORT_AS_PARAMETER)->kind = CURED_PARAMETER_PROBLEM;
  _cured_import_put (self, row, name, CURED_IMPORT_AS_PARAMETER, value);
}

/* Nanoseconds of the unit; NaN if it is unknown. */
static double
get_scale (const CuredImportReader *self, const char *unit, GError **error)
{
  const char *ours = unit;
  double scale = _cured_import_scale_unit (&ours);

  if (g_str_equal (ours, "ns"))
    return scale;
  _cured_import_fail_unit (self, unit, error);
  return CURED_MISSING;
}

static JsonArray *
get_list (CuredImportReader *self, const char *member, GError **error)
{
  JsonArray *list = NULL;

  if (!_cured_import_get_array (self, self->root, "", member, &list, error))
    return NULL;
  if (list == NULL)
    _cured_import_fail (self, error, _ ("%s: expected a list, [ … ]"), member);
  return list;
}

/* "float32" for "torch.float32"; NULL if it is not a type. */
static const char *
get_type (JsonNode *node)
{
  const char *text =
      JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
          ? json_node_get_string (node)
          : "";

  return g_str_has_prefix (text, "torch.") ? text + strlen ("torch.") : NULL;
}

/* Stores the arguments for which the kernel was tuned, which have no names, followed by the types
 * of all tensors: they distinguish the files of a cache folder. */
static void
put_key (CuredImportReader *self, CuredImportRow *row, JsonArray *key)
{
  guint n = _cured_import_count (key), n_arguments = n;
  g_autoptr (GString) types = g_string_new (NULL);

  while (n_arguments > 0 && get_type (json_array_get_element (key, n_arguments - 1)) != NULL)
    n_arguments--;
  for (guint i = 0; i < n_arguments; i++)
    {
      g_autofree char *name = g_strdup_printf ("key%u", i);

      put_problem (self, row, name, json_array_get_element (key, i));
    }
  for (guint i = n_arguments; i < n; i++)
    g_string_append_printf (types, "%s%s", i > n_arguments ? "," : "",
                            get_type (json_array_get_element (key, i)));
  if (n_arguments < n)
    {
      g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), types->str);

      put_problem (self, row, "types", node);
    }
}

static gboolean
read_triton (CuredImportReader *self, GError **error)
{
  JsonArray *list = get_list (self, "configs_timings", error), *key = NULL;

  if (list == NULL || !_cured_import_get_array (self, self->root, "", "key", &key, error))
    return FALSE;
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonNode *pair = json_array_get_element (list, i);
      JsonArray *parts = JSON_NODE_HOLDS_ARRAY (pair) ? json_node_get_array (pair) : NULL;
      CuredImportRow *row = _cured_import_add_row (self);

      if (parts == NULL || json_array_get_length (parts) != 2)
        return _cured_import_fail (
            self, error, _ ("configs_timings[%u]: expected a configuration and its times"), i);
      JsonObject *config = _cured_import_get_element (self, parts, 0, "configs_timings", error);
      if (config == NULL)
        return FALSE;
      put_key (self, row, key);
      put_parameters (self, row, _cured_import_find_object (config, "kwargs"));
      for (CuredImportMember at = { 0 }; _cured_import_next (config, &at);)
        if (JSON_NODE_HOLDS_VALUE (at.node))
          _cured_import_put (self, row, at.name, CURED_IMPORT_AS_PARAMETER, at.node);
      /* The median, and the percentiles of 20 % and 80 %. */
      JsonNode *timing = json_array_get_element (parts, 1);
      if (!JSON_NODE_HOLDS_ARRAY (timing))
        _cured_import_put_number (self, row, "time", _cured_import_to_number (timing) * 1e6);
      else
        {
          static const char *const names[] = { "time", "time 20 % (ns)", "time 80 % (ns)" };
          JsonArray *times = json_node_get_array (timing);

          for (guint j = 0; j < MIN (json_array_get_length (times), 3); j++)
            _cured_import_put_number (self, row, names[j],
                                      _cured_import_to_number (json_array_get_element (times, j)) *
                                          1e6);
        }
    }
  return _cured_import_read_flat (self, &flat, error);
}

/* KTT: counters of the profiler, by their names there. */
static void
put_profile (CuredImportReader *self, CuredImportRow *row, JsonObject *data)
{
  JsonArray *counters = data != NULL ? _cured_import_find_array (data, "Counters") : NULL;

  for (guint i = 0; i < _cured_import_count (counters); i++)
    {
      JsonObject *counter = _cured_import_to_object (json_array_get_element (counters, i));
      const char *name = counter != NULL ? _cured_import_get_string (counter, "Name") : NULL;

      if (name != NULL && _cured_import_get_field (self, row, name) == NULL)
        _cured_import_put_number (self, row, name, _cured_import_get_number (counter, "Value"));
    }
}

static gboolean
read_ktt (CuredImportReader *self, GError **error)
{
  JsonArray *list = get_list (self, "Results", error);
  JsonObject *metadata = _cured_import_find_object (self->root, "Metadata");
  const char *unit = metadata != NULL ? _cured_import_get_string (metadata, "TimeUnit") : NULL;

  if (list == NULL)
    return FALSE;
  if (unit == NULL)
    return _cured_import_fail (self, error, _ ("Metadata.TimeUnit: expected a unit of time"));
  double scale = get_scale (self, unit, error);
  if (isnan (scale))
    return FALSE;
  self->device = _cured_import_get_string (metadata, "Device");
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *result = _cured_import_get_element (self, list, i, "Results", error);
      JsonArray *configuration = NULL, *computed = NULL;

      if (result == NULL ||
          !_cured_import_get_array (self, result, "Results.", "Configuration", &configuration,
                                    error) ||
          !_cured_import_get_array (self, result, "Results.", "ComputationResults", &computed,
                                    error))
        return FALSE;
      CuredImportRow *row = _cured_import_add_row (self);
      _cured_import_put_text (self, row, "KernelName", CURED_IMPORT_AS_TITLE,
                              _cured_import_get_string (result, "KernelName"));
      _cured_import_put_text (self, row, "Status", CURED_IMPORT_AS_STATE,
                              _cured_import_get_string (result, "Status"));
      for (guint j = 0; j < _cured_import_count (configuration); j++)
        {
          JsonObject *pair =
              _cured_import_get_element (self, configuration, j, "Configuration", error);
          const char *name = pair != NULL ? _cured_import_get_string (pair, "Name") : NULL;

          if (pair == NULL)
            return FALSE;
          if (name != NULL)
            _cured_import_put (self, row, name, CURED_IMPORT_AS_PARAMETER,
                               json_object_get_member (pair, "Value"));
        }
      _cured_import_put_number (self, row, "time",
                                _cured_import_get_number (result, "TotalDuration") * scale);
      if (computed != NULL && json_array_get_length (computed) > 0)
        {
          JsonObject *first = _cured_import_get_element (self, computed, 0, "", error);
          JsonObject *compiled = _cured_import_find_object (first, "CompilationData");

          if (first == NULL)
            return FALSE;
          if (compiled != NULL)
            _cured_import_put_number (self, row, "registers",
                                      _cured_import_get_number (compiled, "RegistersCount"));
          put_profile (self, row, _cured_import_find_object (first, "ProfilingData"));
        }
    }
  return _cured_import_read_flat (self, &flat, error);
}

/* CLTune and CLBlast's tuners. The latter's files differ by the arguments for which they were
 * tuned. */
static gboolean
read_cltune (CuredImportReader *self, GError **error)
{
  JsonArray *list = get_list (self, "results", error);

  if (list == NULL)
    return FALSE;
  self->device = _cured_import_get_string (self->root, "device");
  self->title = _cured_import_get_string (self->root, "kernel_family");
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *result = _cured_import_get_element (self, list, i, "results", error);

      if (result == NULL)
        return FALSE;
      CuredImportRow *row = _cured_import_add_row (self);
      if (self->title == NULL)
        _cured_import_put_text (self, row, "kernel", CURED_IMPORT_AS_TITLE,
                                _cured_import_get_string (result, "kernel"));
      for (CuredImportMember at = { 0 }; _cured_import_next (self->root, &at);)
        if (g_str_has_prefix (at.name, "arg_") || g_str_equal (at.name, "precision"))
          put_problem (self, row, at.name, at.node);
      put_parameters (self, row, _cured_import_find_object (result, "parameters"));
      _cured_import_put_number (self, row, "time", _cured_import_get_number (result, "time") * 1e6);
    }
  return _cured_import_read_flat (self, &flat, error);
}

/* Titles of benchmarks in more than one file. */
static GHashTable *
find_shared_titles (JsonArray *list)
{
  g_autoptr (GHashTable) files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTable *shared = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *benchmark = _cured_import_to_object (json_array_get_element (list, i));
      const char *name = benchmark != NULL ? _cured_import_get_string (benchmark, "name") : NULL;
      const char *fullname = name != NULL ? _cured_import_get_string (benchmark, "fullname") : NULL;

      if (fullname == NULL)
        continue;
      g_autofree char *title = g_strndup (name, strcspn (name, "["));
      g_autofree char *file = g_strndup (fullname, strcspn (fullname, ":"));
      const char *first = g_hash_table_lookup (files, title);
      if (first == NULL)
        g_hash_table_insert (files, g_steal_pointer (&title), g_steal_pointer (&file));
      else if (!g_str_equal (first, file))
        g_hash_table_add (shared, g_steal_pointer (&title));
    }
  return shared;
}

/* Stores additional numbers of the test. */
static void
put_extra_info (CuredImportReader *self, CuredImportRow *row, JsonObject *info)
{
  if (info == NULL)
    return;
  for (CuredImportMember at = { 0 }; _cured_import_next (info, &at);)
    if (_cured_import_get_field (self, row, at.name) == NULL)
      _cured_import_put_number (self, row, at.name, _cured_import_to_number (at.node));
}

static gboolean
read_pytest (CuredImportReader *self, GError **error)
{
  static const struct
  {
    const char *member, *column;
    double scale;
  } figures[] = {
    { "median", "time", 1e9 },       { "mean", "time_mean", 1e9 }, { "min", "time_min", 1e9 },
    { "rounds", "time_samples", 1 }, { "max", "max (ns)", 1e9 },   { "stddev", "stddev (ns)", 1e9 },
  };
  JsonArray *list = get_list (self, "benchmarks", error);

  if (list == NULL)
    return FALSE;
  g_autoptr (GHashTable) shared = find_shared_titles (list);
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *benchmark = _cured_import_get_element (self, list, i, "benchmarks", error);
      const char *name = benchmark != NULL ? _cured_import_get_string (benchmark, "name") : NULL;
      const char *fullname =
          benchmark != NULL ? _cured_import_get_string (benchmark, "fullname") : NULL;
      g_autofree char *title = name != NULL ? g_strndup (name, strcspn (name, "[")) : NULL;
      if (title != NULL && fullname != NULL && g_hash_table_contains (shared, title))
        {
          g_free (title);
          title = g_strndup (fullname, strcspn (fullname, "["));
        }
      JsonObject *stats = _cured_import_find_object (benchmark, "stats");
      JsonArray *data = NULL;

      if (benchmark == NULL)
        return FALSE;
      CuredImportRow *row = _cured_import_add_row (self);
      _cured_import_put_text (self, row, "name", CURED_IMPORT_AS_TITLE, title);
      if (_cured_import_find_object (benchmark, "params") != NULL)
        put_parameters (self, row, _cured_import_find_object (benchmark, "params"));
      else
        _cured_import_put_text (self, row, "param", CURED_IMPORT_AS_PARAMETER,
                                _cured_import_get_string (benchmark, "param"));
      put_extra_info (self, row, _cured_import_find_object (benchmark, "extra_info"));
      if (stats == NULL)
        continue;
      for (gsize j = 0; j < G_N_ELEMENTS (figures); j++)
        _cured_import_put_number (self, row, figures[j].column,
                                  _cured_import_get_number (stats, figures[j].member) *
                                      figures[j].scale);
      if (!_cured_import_get_array (self, stats, "stats.", "data", &data, error))
        return FALSE;
      put_samples (self, row, data, 1e9);
    }
  return _cured_import_read_flat (self, &flat, error);
}

/* Times are seconds. */
static gboolean
read_hyperfine (CuredImportReader *self, GError **error)
{
  static const struct
  {
    const char *member, *column;
  } figures[] = {
    { "median", "time" },        { "mean", "time_mean" }, { "min", "time_min" },
    { "max", "max (ns)" },       { "user", "user (ns)" }, { "system", "system (ns)" },
    { "stddev", "stddev (ns)" },
  };
  JsonArray *list = get_list (self, "results", error);

  if (list == NULL)
    return FALSE;
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *result = _cured_import_get_element (self, list, i, "results", error);
      JsonArray *times = NULL;

      if (result == NULL ||
          !_cured_import_get_array (self, result, "results.", "times", &times, error))
        return FALSE;
      CuredImportRow *row = _cured_import_add_row (self);
      _cured_import_put_text (self, row, "command", CURED_IMPORT_IGNORED,
                              _cured_import_get_string (result, "command"));
      put_parameters (self, row, _cured_import_find_object (result, "parameters"));
      for (gsize j = 0; j < G_N_ELEMENTS (figures); j++)
        _cured_import_put_number (self, row, figures[j].column,
                                  _cured_import_get_number (result, figures[j].member) * 1e9);
      put_samples (self, row, times, 1e9);
    }
  _cured_import_take_commands (self);
  return _cured_import_read_flat (self, &flat, error);
}

/* "BM_mm/16/n:64/manual_time": arguments are numbered where they have no name. */
static char *
put_arguments (CuredImportReader *self, CuredImportRow *row, const char *name)
{
  static const char *const options[] = { "min_time", "min_warmup_time", "iterations", "repeats",
                                         NULL };
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  guint n_arguments = 0;
  g_autoptr (GString) title = g_string_new (parts[0]);

  for (guint i = 1; parts[0] != NULL && parts[i] != NULL; i++)
    {
      char *colon = strchr (parts[i], ':');
      g_autofree char *number = g_strdup_printf ("arg%u", n_arguments);

      if (colon != NULL && colon[1] != ':')
        {
          *colon = '\0';
          if (!g_strv_contains (options, parts[i]))
            _cured_import_put_text (self, row, parts[i], CURED_IMPORT_AS_PARAMETER, colon + 1);
        }
      else if (g_ascii_isdigit (*parts[i]) || *parts[i] == '-')
        {
          _cured_import_put_text (self, row, number, CURED_IMPORT_AS_PARAMETER, parts[i]);
          n_arguments++;
        }
      else if (!g_str_has_suffix (parts[i], "_time"))
        g_string_append_printf (title, "/%s", parts[i]);
    }
  return g_string_free (g_steal_pointer (&title), FALSE);
}

/* Counters are additional members of a run. */
static void
put_counters (CuredImportReader *self, CuredImportRow *row, JsonObject *run)
{
  static const char *const own[] = {
    "family_index",     "error_occurred",   "per_family_instance_index",
    "repetitions",      "repetition_index", "threads",
    "iterations",       "real_time",        "cpu_time",
    "bytes_per_second", "items_per_second", NULL
  };

  for (CuredImportMember at = { 0 }; _cured_import_next (run, &at);)
    if (!g_strv_contains (own, at.name) && JSON_NODE_HOLDS_VALUE (at.node) &&
        json_node_get_value_type (at.node) != G_TYPE_STRING)
      _cured_import_put_number (self, row, at.name, _cured_import_to_number (at.node));
}

static gboolean
is_skipped (JsonObject *run)
{
  JsonNode *node = json_object_get_member (run, "skipped");

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_boolean (node);
}

/* Repetitions of a point are its samples; some files have only their mean and median. */
static gboolean
read_runs (CuredImportReader *self, JsonArray *list, GError **error)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *run = _cured_import_get_element (self, list, i, "benchmarks", error);
      const char *name = run != NULL ? _cured_import_get_string (run, "run_name") : NULL;
      const char *unit = run != NULL ? _cured_import_get_string (run, "time_unit") : NULL;
      const char *aggregate = run != NULL ? _cured_import_get_string (run, "aggregate_name") : NULL;
      double scale = 1;

      if (run == NULL)
        return FALSE;
      if (name == NULL)
        name = _cured_import_get_string (run, "name");
      if (name == NULL)
        return _cured_import_fail (self, error, _ ("%sname: expected the benchmark's name"),
                                   "benchmarks.");
      /* A fit to all points of a benchmark is not a point. */
      if (g_strcmp0 (aggregate, "BigO") == 0 || g_strcmp0 (aggregate, "RMS") == 0)
        continue;
      CuredImportRow *row = g_hash_table_lookup (rows, name);
      if (row == NULL)
        {
          row = _cured_import_add_row (self);
          g_hash_table_insert (rows, (gpointer) name, row);
          g_autofree char *title = put_arguments (self, row, name);
          _cured_import_put_text (self, row, "run_name", CURED_IMPORT_AS_TITLE, title);
        }
      _cured_import_put_text (self, row, "error_message", CURED_IMPORT_AS_STATE,
                              _cured_import_get_string (run, "error_message"));
      if (is_skipped (run))
        _cured_import_put_text (self, row, "skipped", CURED_IMPORT_AS_STATE, "yes");
      scale = unit != NULL ? get_scale (self, unit, error) : 1;
      if (isnan (scale))
        return FALSE;
      double time = _cured_import_get_number (run, "real_time") * scale;
      if (aggregate != NULL && g_str_equal (aggregate, "median"))
        _cured_import_put_number (self, row, "time", time);
      else if (aggregate != NULL && g_str_equal (aggregate, "mean"))
        _cured_import_put_number (self, row, "time_mean", time);
      if (aggregate != NULL || isnan (time))
        continue;
      _cured_import_put_number (self, row, "cpu_time (ns)",
                                _cured_import_get_number (run, "cpu_time") * scale);
      _cured_import_put_number (self, row, "bytes_per_second",
                                _cured_import_get_number (run, "bytes_per_second"));
      _cured_import_put_number (self, row, "items_per_second (1/s)",
                                _cured_import_get_number (run, "items_per_second"));
      put_counters (self, row, run);
      if (_cured_import_get_field (self, row, "samples") == NULL)
        put_array (self, row, json_array_new ());
      json_array_add_double_element (
          json_node_get_array (_cured_import_get_field (self, row, "samples")), time);
    }
  return _cured_import_read_flat (self, &flat, error);
}

static gboolean
read_google (CuredImportReader *self, GError **error)
{
  JsonArray *list = get_list (self, "benchmarks", error);

  return list != NULL && read_runs (self, list, error);
}

/* The same as CSV: members are columns, and an aggregate is at the end of the name. */
static gboolean
read_google_csv (CuredImportReader *self, GError **error)
{
  static const char *const aggregates[] = { "mean", "median", "stddev", "cv", "BigO", "RMS", NULL };
  g_autoptr (JsonArray) list = json_array_new ();

  for (guint i = 0; self->rows != NULL && i < self->rows->len; i++)
    {
      const CuredImportRow *row = g_ptr_array_index (self->rows, i);
      g_autofree char *name = g_strdup (_cured_import_get_text (self, row, "name"));
      char *last = name != NULL ? strrchr (name, '_') : NULL;
      JsonObject *run = json_object_new ();

      CURED_EACH_POINTER (const CuredImportColumn, column, self->columns)
        {
          const char *text = _cured_import_get_text (self, row, column->name);
          double number = _cured_import_get_figure (self, row, column->name);

          if (!isnan (number))
            json_object_set_double_member (run, column->name, number);
          else if (text != NULL && *text != '\0')
            json_object_set_string_member (run, column->name, text);
        }
      if (last != NULL && g_strv_contains (aggregates, last + 1))
        {
          json_object_set_string_member (run, "aggregate_name", last + 1);
          *last = '\0';
        }
      if (name != NULL)
        json_object_set_string_member (run, "run_name", name);
      json_array_add_object_element (list, run);
    }
  g_ptr_array_set_size (self->rows, 0);
  g_ptr_array_set_size (self->columns, 0);
  g_hash_table_remove_all (self->column_of);
  return read_runs (self, list, error);
}

#define KEYS(...)                                                                                  \
  (const char *const[]) { __VA_ARGS__, NULL }
#define FORMAT(name, ...)                                                                          \
  const CuredImportFormat _cured_import_##name = { .shape = CURED_IMPORT_OBJECT, __VA_ARGS__ }

FORMAT (triton, .id = "triton", .title = N_ ("Triton autotuner cache"),
        .keys = KEYS ("configs_timings"), .read = read_triton);
FORMAT (ktt, .id = "ktt", .title = N_ ("KTT results"), .keys = KEYS ("Metadata", "Results"),
        .read = read_ktt);
FORMAT (cltune, .id = "cltune", .title = N_ ("CLTune or CLBlast results"),
        .keys = KEYS ("results", "parameters", "time"), .read = read_cltune);
FORMAT (hyperfine, .id = "hyperfine", .title = N_ ("hyperfine JSON"),
        .keys = KEYS ("results", "command", "mean", "user"), .read = read_hyperfine);
FORMAT (pytest, .id = "pytest-benchmark", .title = N_ ("pytest-benchmark JSON"),
        .keys = KEYS ("machine_info", "benchmarks"), .read = read_pytest);
FORMAT (google, .id = "google-benchmark", .title = N_ ("Google Benchmark JSON"),
        .keys = KEYS ("context", "benchmarks"), .read = read_google);
const CuredImportFormat _cured_import_google_csv = {
  .id = "google-benchmark-csv",
  .title = N_ ("Google Benchmark CSV"),
  .shape = CURED_IMPORT_CSV,
  .keys = KEYS ("name", "iterations", "real_time", "time_unit"),
  .read = read_google_csv,
};
