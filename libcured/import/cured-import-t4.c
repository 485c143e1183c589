/* SPDX-License-Identifier: MIT
 * Reads results in the T4 format, which several tuners write. */

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"
#include "measure/cured-measure-internal.h"

/* "correctness" is always 1, so only this word counts. */
static const struct
{
  const char *word;
  CuredState state;
  const char *reason;
} invalidities[] = {
  { "timeout", CURED_STATE_TIMED_OUT, N_ ("the tuner stopped it") },
  { "compile", CURED_STATE_FAILED, N_ ("it did not compile") },
  { "runtime", CURED_STATE_FAILED, N_ ("it failed when it was run") },
  { "correctness", CURED_STATE_WRONG, N_ ("its result was wrong") },
  { "constraints", CURED_STATE_NOT_LAUNCHABLE, N_ ("the point breaks a constraint") },
};

/* Older writers follow the schema, newer ones do not. */
static const struct
{
  const char *member;
  CuredStage stage;
} stages[] = {
  { "compilation", CURED_STAGE_COMPILE },
  { "compilation_time", CURED_STAGE_COMPILE },
  { "validation", CURED_STAGE_CHECK },
  { "benchmark", CURED_STAGE_TIME },
};

static const char *
get_objective (JsonObject *result)
{
  JsonArray *objectives = _cured_import_find_array (result, "objectives");
  JsonNode *first =
      _cured_import_count (objectives) > 0 ? json_array_get_element (objectives, 0) : NULL;

  return first != NULL && JSON_NODE_HOLDS_VALUE (first) ? json_node_get_string (first) : NULL;
}

/* "TotalDuration", "runtime". */
static gboolean
is_time (const char *name)
{
  g_autofree char *folded = g_ascii_strdown (name, -1);

  return strstr (folded, "time") != NULL || strstr (folded, "duration") != NULL;
}

/* The unit of the measurement that is the objective, or of the first time. */
static const char *
find_unit (JsonObject *result)
{
  JsonArray *measurements = _cured_import_find_array (result, "measurements");
  const char *objective = get_objective (result), *found = NULL;

  for (guint i = 0; i < _cured_import_count (measurements); i++)
    {
      JsonNode *node = json_array_get_element (measurements, i);
      JsonObject *measurement = _cured_import_to_object (node);
      const char *unit =
          measurement != NULL ? _cured_import_get_string (measurement, "unit") : NULL;
      const char *name =
          measurement != NULL ? _cured_import_get_string (measurement, "name") : NULL;
      const char *ours = unit;

      if (unit == NULL || name == NULL)
        continue;
      _cured_import_scale_unit (&ours);
      if (!g_str_equal (ours, "ns"))
        continue;
      if (g_strcmp0 (name, objective) == 0)
        return unit;
      if (found == NULL)
        found = unit;
    }
  return found;
}

/* Nanoseconds of the unit of the record's times; the writers know milliseconds. */
static double
get_time_scale (const CuredImportReader *reader, JsonObject *result)
{
  JsonObject *metadata = _cured_import_find_object (reader->root, "metadata");
  const char *unit = metadata != NULL ? _cured_import_get_string (metadata, "timeunit") : NULL;

  if (unit == NULL)
    unit = find_unit (result);
  const char *ours = unit != NULL ? unit : "ms";
  return _cured_import_scale_unit (&ours);
}

static void
add_times (CuredImportCell *cell, JsonObject *result, JsonObject *times)
{
  double scale = get_time_scale (cell->reader, result);
  JsonArray *runtimes = _cured_import_find_array (times, "runtimes");

  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      double ns = _cured_import_get_number (times, stages[i].member) * scale;

      if (!(ns > 0) || ns > 1e18)
        continue;
      cell->outcome->stage_ns[stages[i].stage] = (gint64) ns;
      if (stages[i].stage == CURED_STAGE_COMPILE)
        _cured_import_set_metric (cell, CURED_METRIC_compile_time, ns);
    }
  if (cell->outcome->state != CURED_STATE_OK)
    return;
  for (guint i = 0; i < _cured_import_count (runtimes); i++)
    _cured_import_add_sample (
        cell, _cured_import_to_number (json_array_get_element (runtimes, i)) * scale,
        CURED_MISSING);
}

static void
add_measurement (CuredImportCell *cell, JsonObject *result, JsonObject *measurement)
{
  const char *name = _cured_import_get_string (measurement, "name");
  const char *unit = _cured_import_get_string (measurement, "unit");
  JsonNode *node = json_object_get_member (measurement, "value");
  double value = _cured_import_to_number (node);

  if (name == NULL || g_str_equal (name, "__error__"))
    return;
  if (isnan (value))
    {
      if (node != NULL && !JSON_NODE_HOLDS_NULL (node))
        _cured_import_drop (cell, name);
      return;
    }
  if (unit == NULL)
    unit = "";
  if (g_str_equal (name, "time"))
    {
      const char *ours = *unit != '\0' ? unit : "ns";
      double scale =
          *unit != '\0' ? _cured_import_scale_unit (&ours) : get_time_scale (cell->reader, result);

      if (value >= 0 && g_str_equal (ours, "ns"))
        _cured_import_set_metric (cell, CURED_METRIC_time_mean, value * scale);
      else
        _cured_import_drop (cell, name);
    }
  else
    _cured_import_set_named (cell, name, unit, value);
}

static void
set_state (CuredOutcome *outcome, const char *word)
{
  if (word == NULL || g_str_equal (word, "correct"))
    {
      outcome->state = CURED_STATE_OK;
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (invalidities); i++)
    if (g_str_equal (invalidities[i].word, word))
      {
        cured_outcome_set_state (outcome, invalidities[i].state, "%s", invalidities[i].reason);
        return;
      }
  cured_outcome_set_state (outcome, CURED_STATE_FAILED, "invalidity: %s", word);
}

static void
interpret_result (CuredImportCell *cell, gpointer result)
{
  JsonObject *times = _cured_import_find_object (result, "times");
  JsonArray *measurements = _cured_import_find_array (result, "measurements");
  CuredOutcome *outcome = cell->outcome;

  _cured_import_set_date (cell, result);
  set_state (outcome, _cured_import_get_string (result, "invalidity"));
  if (times != NULL)
    add_times (cell, result, times);
  if (outcome->state != CURED_STATE_OK)
    return;
  for (guint i = 0; i < _cured_import_count (measurements); i++)
    {
      JsonNode *node = json_array_get_element (measurements, i);

      if (JSON_NODE_HOLDS_OBJECT (node))
        add_measurement (cell, result, json_node_get_object (node));
    }
  _cured_import_finish_times (cell);
}

static gboolean
read_result (CuredImportReader *self, CuredImportTable *table, JsonObject *result,
             const char *place, GError **error)
{
  JsonObject *configuration = NULL;

  if (!_cured_import_get_object (self, result, place, "configuration", &configuration, error))
    return FALSE;
  if (configuration == NULL)
    return _cured_import_fail (
        self, error, _ ("%sconfiguration: expected the values of the parameters, { … }"), place);
  _cured_import_begin_record (table, result);
  for (CuredImportMember at = { 0 }; _cured_import_next (configuration, &at);)
    _cured_import_set_value (table, at.name, CURED_PARAMETER_COMPILE, at.node);
  return _cured_import_end_record (self, table, error);
}

/* Without metadata, the units of measurements count: those of a time must be known. */
static gboolean
check_measurements (const CuredImportReader *self, JsonObject *result, gboolean *is_assumed,
                    GError **error)
{
  JsonObject *metadata = _cured_import_find_object (self->root, "metadata");
  JsonObject *times = _cured_import_find_object (result, "times");
  JsonArray *measurements = _cured_import_find_array (result, "measurements");

  if (metadata != NULL && _cured_import_get_string (metadata, "timeunit") != NULL)
    return TRUE;
  const char *objective = get_objective (result);
  for (guint i = 0; i < _cured_import_count (measurements); i++)
    {
      JsonObject *measurement = _cured_import_to_object (json_array_get_element (measurements, i));
      const char *name =
          measurement != NULL ? _cured_import_get_string (measurement, "name") : NULL;
      const char *unit =
          measurement != NULL ? _cured_import_get_string (measurement, "unit") : NULL;
      const char *ours = unit;

      if (name == NULL || unit == NULL || *unit == '\0' ||
          (g_ascii_strcasecmp (name, "time") != 0 &&
           (g_strcmp0 (name, objective) != 0 || !is_time (name))))
        continue;
      _cured_import_scale_unit (&ours);
      if (!g_str_equal (ours, "ns"))
        return _cured_import_fail_unit (self, unit, error);
    }
  if (times != NULL && _cured_import_count (_cured_import_find_array (times, "runtimes")) > 0 &&
      find_unit (result) == NULL)
    *is_assumed = TRUE;
  return TRUE;
}

/* A wrong guess would be off by a factor of a thousand. */
static gboolean
check_unit (const CuredImportReader *self, GError **error)
{
  JsonObject *metadata = _cured_import_find_object (self->root, "metadata");
  JsonNode *node = metadata != NULL ? json_object_get_member (metadata, "timeunit") : NULL;
  const char *unit = node != NULL ? _cured_import_get_string (metadata, "timeunit") : NULL;
  const char *ours = unit;

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (unit == NULL)
    return _cured_import_fail (self, error, _ ("metadata.timeunit: expected a unit of time"));
  _cured_import_scale_unit (&ours);
  return g_str_equal (ours, "ns") || _cured_import_fail_unit (self, unit, error);
}

static gboolean
read_t4 (CuredImportReader *self, GError **error)
{
  JsonArray *results = NULL;
  gboolean is_assumed = FALSE;
  g_autofree char *whole = g_path_get_basename (self->name);
  g_autofree char *base = _cured_import_drop_suffixes (whole);

  if (!check_unit (self, error) ||
      !_cured_import_get_array (self, self->root, "", "results", &results, error))
    return FALSE;
  /* Neither the kernel nor the device is in the file. */
  if (!_cured_import_is_wanted (self, "--benchmark", self->options->benchmark, base) ||
      self->options->device != NULL)
    return TRUE;
  CuredImportTable *table = _cured_import_add_table (self, base, base, interpret_result);
  _cured_import_set_sorted (table);
  _cured_import_set_file_named (table);
  for (guint i = 0; i < _cured_import_count (results); i++)
    {
      JsonObject *result = _cured_import_get_element (self, results, i, "results", error);
      g_autofree char *place = g_strdup_printf ("results[%u].", i);

      if (result == NULL || !check_measurements (self, result, &is_assumed, error) ||
          !read_result (self, table, result, place, error))
        return FALSE;
    }
  if (is_assumed)
    g_ptr_array_add (self->notes, g_strdup_printf (_ ("“%s” has no unit; milliseconds are assumed"),
                                                   "runtimes"));
  return TRUE;
}

static const char *const keys[] = { "results", "configuration", NULL };

const CuredImportFormat _cured_import_t4 = {
  .id = "t4",
  .title = N_ ("T4 results"),
  .keys = keys,
  .read = read_t4,
};
