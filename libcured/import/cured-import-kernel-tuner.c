/* SPDX-License-Identifier: MIT
 * Reads a cache of Kernel Tuner, of a finished or unfinished run. */

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"
#include "measure/cured-measure-internal.h"

/* Old files have this time for a failure, instead of an error's name. */
#define FAILED_TIME 1e20

/* Times of the tuner itself, in milliseconds. */
static const struct
{
  const char *member;
  CuredStage stage;
} stages[] = {
  { "compile_time", CURED_STAGE_COMPILE },
  { "verification_time", CURED_STAGE_CHECK },
  { "benchmark_time", CURED_STAGE_TIME },
};

/* Not figures of the kernel. */
static const char *const skipped[] = {
  "time",           "times",
  "compile_time",   "timestamp",
  "strategy_time",  "verification_time",
  "benchmark_time", "framework_time",
  "__error__",      NULL,
};

/* The names of errors, in all generations. */
static const struct
{
  const char *name;
  CuredState state;
  const char *reason;
} errors[] = {
  { "CompilationFailedConfig", CURED_STATE_FAILED, N_ ("Kernel Tuner: it did not compile") },
  { "RuntimeFailedConfig", CURED_STATE_FAILED, N_ ("Kernel Tuner: it failed when it was run") },
  { "InvalidConfig", CURED_STATE_NOT_LAUNCHABLE,
    N_ ("Kernel Tuner: the point breaks a restriction or a limit of the device") },
  { "ErrorConfig", CURED_STATE_FAILED, N_ ("Kernel Tuner: it failed") },
};

static void
set_error (CuredOutcome *outcome, const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    if (g_str_equal (errors[i].name, name))
      {
        cured_outcome_set_state (outcome, errors[i].state, "%s", errors[i].reason);
        return;
      }
  cured_outcome_set_state (outcome, CURED_STATE_FAILED, "Kernel Tuner: %s", name);
}

/* The name of the error, which older files have instead of the objective's value. */
static const char *
find_error (const CuredImportReader *reader, JsonObject *record)
{
  const char *objective = _cured_import_get_string (reader->root, "objective");
  const char *const members[] = { "__error__", "time", objective };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      const char *text = members[i] != NULL ? _cured_import_get_string (record, members[i]) : NULL;

      if (text != NULL && isnan (_cured_import_get_number (record, members[i])))
        return text;
    }
  return NULL;
}

static void
add_samples (CuredImportCell *cell, JsonObject *record)
{
  JsonArray *times = _cured_import_find_array (record, "times");

  for (guint i = 0; i < _cured_import_count (times); i++)
    _cured_import_add_sample (
        cell, _cured_import_to_number (json_array_get_element (times, i)) * 1e6, CURED_MISSING);
}

static gboolean
is_parameter (const CuredImportReader *reader, const char *name)
{
  JsonArray *names = json_object_get_array_member (reader->root, "tune_params_keys");

  for (guint i = 0; i < json_array_get_length (names); i++)
    {
      JsonNode *node = json_array_get_element (names, i);

      if (g_strcmp0 (json_node_get_string (node), name) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
add_figures (CuredImportCell *cell, JsonObject *record)
{

  for (CuredImportMember at = { 0 }; _cured_import_next (record, &at);)
    {
      if (g_strv_contains (skipped, at.name) || is_parameter (cell->reader, at.name))
        continue;
      if (JSON_NODE_HOLDS_VALUE (at.node) && json_node_get_value_type (at.node) != G_TYPE_BOOLEAN &&
          !isnan (_cured_import_to_number (at.node)))
        _cured_import_set_named (cell, at.name, "", _cured_import_to_number (at.node));
      else if (!JSON_NODE_HOLDS_NULL (at.node))
        _cured_import_drop (cell, at.name);
    }
}

/* The objective may be an energy: then there is no time. */
static gboolean
has_objective (const CuredImportCell *cell, JsonObject *record)
{
  const char *objective = _cured_import_get_string (cell->reader->root, "objective");

  return objective != NULL && !g_str_equal (objective, "time") &&
         isfinite (_cured_import_get_number (record, objective));
}

static void
interpret_record (CuredImportCell *cell, gpointer record)
{
  CuredOutcome *outcome = cell->outcome;
  double time_ms = _cured_import_get_number (record, "time");
  double compile_ms = _cured_import_get_number (record, "compile_time");
  const char *failure = find_error (cell->reader, record);

  _cured_import_set_date (cell, record);
  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      double ms = _cured_import_get_number (record, stages[i].member);

      if (ms > 0 && ms < 1e12)
        outcome->stage_ns[stages[i].stage] = (gint64) (ms * 1e6);
    }
  if (compile_ms > 0)
    _cured_import_set_metric (cell, CURED_METRIC_compile_time, compile_ms * 1e6);
  if (failure == NULL && time_ms >= FAILED_TIME)
    failure = "ErrorConfig";
  if (failure != NULL)
    {
      set_error (outcome, failure);
      return;
    }
  outcome->state = CURED_STATE_OK;
  if (time_ms >= 0)
    _cured_import_set_metric (cell, CURED_METRIC_time_mean, time_ms * 1e6);
  add_samples (cell, record);
  add_figures (cell, record);
  _cured_import_finish_times (cell);
  if (isnan (outcome->metrics[CURED_METRIC_time]) && !has_objective (cell, record))
    cured_outcome_set_state (outcome, CURED_STATE_FAILED, "%s",
                             N_ ("Kernel Tuner: there is no time, and no word on why"));
}

/* Structure */

static gboolean
list_parameters (CuredImportReader *self, CuredImportTable *table, JsonArray *names, GError **error)
{
  JsonObject *listed = NULL;

  if (!_cured_import_get_object (self, self->root, "", "tune_params", &listed, error))
    return FALSE;
  for (guint i = 0; i < json_array_get_length (names); i++)
    {
      JsonNode *node = json_array_get_element (names, i);
      const char *name = NULL;
      JsonArray *values = NULL;

      if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
        return _cured_import_fail (self, error,
                                   _ ("tune_params_keys[%u]: expected a parameter's name"), i);
      name = json_node_get_string (node);
      _cured_import_add_axis (table, name, CURED_PARAMETER_COMPILE);
      if (listed == NULL)
        continue;
      if (!_cured_import_get_array (self, listed, "tune_params.", name, &values, error))
        return FALSE;
      for (guint j = 0; j < _cured_import_count (values); j++)
        _cured_import_list_value (table, name, json_array_get_element (values, j));
    }
  return TRUE;
}

/* "mm, 4096 × 4096": a number, a list of them, or a word. */
static char *
make_name (const CuredImportReader *self)
{
  const char *kernel = _cured_import_get_string (self->root, "kernel_name");
  JsonNode *size = json_object_get_member (self->root, "problem_size");
  g_autoptr (GString) name = g_string_new (kernel != NULL ? kernel : "kernel");
  JsonArray *sizes = NULL;

  if (size == NULL || JSON_NODE_HOLDS_NULL (size))
    return g_string_free (g_steal_pointer (&name), FALSE);
  if (JSON_NODE_HOLDS_ARRAY (size))
    sizes = json_node_get_array (size);
  for (guint i = 0; i < (sizes != NULL ? json_array_get_length (sizes) : 1); i++)
    {
      JsonNode *node = sizes != NULL ? json_array_get_element (sizes, i) : size;
      double number = _cured_import_to_number (node);

      if (isnan (number))
        continue;
      g_string_append_printf (name, "%s%.0f", i == 0 ? ", " : " × ", number);
    }
  return g_string_free (g_steal_pointer (&name), FALSE);
}

static gboolean
read_records (CuredImportReader *self, CuredImportTable *table, JsonArray *names, JsonObject *cache,
              GError **error)
{
  JsonObjectIter iter;
  const char *key = NULL;
  JsonNode *node = NULL;

  json_object_iter_init_ordered (&iter, cache);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    {
      if (!JSON_NODE_HOLDS_OBJECT (node))
        return _cured_import_fail (self, error, _ ("cache[“%s”]: expected an object, { … }"), key);
      JsonObject *record = json_node_get_object (node);
      _cured_import_begin_record (table, record);
      for (guint i = 0; i < json_array_get_length (names); i++)
        {
          const char *name = json_array_get_string_element (names, i);

          _cured_import_set_value (table, name, CURED_PARAMETER_COMPILE,
                                   json_object_get_member (record, name));
        }
      if (!_cured_import_end_record (self, table, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_cache (CuredImportReader *self, GError **error)
{
  const char *device = _cured_import_get_string (self->root, "device_name");
  const char *kernel = _cured_import_get_string (self->root, "kernel_name");
  JsonArray *names = NULL;
  JsonObject *cache = NULL;

  if (!_cured_import_get_array (self, self->root, "", "tune_params_keys", &names, error) ||
      !_cured_import_get_object (self, self->root, "", "cache", &cache, error))
    return FALSE;
  if (names == NULL || cache == NULL)
    return _cured_import_fail (self, error,
                               _ ("expected the lists “tune_params_keys” and “cache”; was the file "
                                  "cut before its first record?"));
  g_autofree char *name = make_name (self);
  if (!_cured_import_is_wanted (self, "--benchmark", self->options->benchmark, kernel) ||
      !_cured_import_is_wanted (self, "--device", self->options->device, device))
    return TRUE;

  CuredImportTable *table = _cured_import_add_table (self, name, name, interpret_record);
  CuredDeviceInfo *info = _cured_import_get_device (table);
  if (device != NULL)
    {
      g_free (info->name);
      info->name = g_strdup (device);
    }
  if (!list_parameters (self, table, names, error) ||
      !read_records (self, table, names, cache, error))
    return FALSE;
  if (self->is_cut)
    g_ptr_array_add (self->notes,
                     g_strdup_printf (ngettext ("the cache is cut or broken: its first record is "
                                                "kept, and what follows is left out",
                                                "the cache is cut or broken: its first %u records "
                                                "are kept, and what follows is left out",
                                                json_object_get_size (cache)),
                                      json_object_get_size (cache)));
  return TRUE;
}

static const char *const keys[] = { "tune_params_keys", NULL };

const CuredImportFormat _cured_import_kernel_tuner = {
  .id = "kernel-tuner",
  .title = N_ ("Kernel Tuner cache"),
  .keys = keys,
  .may_be_cut = TRUE,
  .read = read_cache,
};
