/* SPDX-License-Identifier: MIT
 * Formats whose files are tables: CSV of benchmarks, profilers and users' scripts. */

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"

#define IGNORED(name)                                                                              \
  {                                                                                                \
    name, CURED_IMPORT_IGNORED, -1, 1                                                              \
  }
#define FIGURE(name, id, scale)                                                                    \
  {                                                                                                \
    name, CURED_IMPORT_AS_FIGURE, CURED_METRIC_##id, scale                                         \
  }
#define USE(name, use)                                                                             \
  {                                                                                                \
    name, CURED_IMPORT_AS_##use, -1, 1                                                             \
  }
#define END                                                                                        \
  {                                                                                                \
    NULL, CURED_IMPORT_AS_UNKNOWN, -1, 1                                                           \
  }

/* ORDER: the first that fits counts. */
static const CuredImportKnown nvbench_columns[] = {
  USE ("Benchmark", TITLE),
  IGNORED ("Device"),
  USE ("Device Name", DEVICE),
  USE ("Skipped", STATE),
  FIGURE ("Samples", time_samples, 1),
  { "CPU Time (sec)", CURED_IMPORT_AS_CPU_TIME, -1, 1e9 },
  FIGURE ("GPU Time (sec)", time_mean, 1e9),
  FIGURE ("Samples (2)", time_hot_samples, 1),
  FIGURE ("Batch GPU (sec)", time_hot, 1e9),
  FIGURE ("GlobalMem BW (bytes/sec)", bandwidth, 1),
  END,
};
static const char *const nvbench_after[] = { "Benchmark", "Device", "Device Name", NULL };
static const char *const nvbench_before[] = { "Skipped", "Samples", "CPU Time (sec)",
                                              "GPU Time (sec)", NULL };

/* Parameters of later benchmarks are the first of the columns that these add: integers or words,
 * without a unit. */
static void
find_later_parameters (CuredImportReader *self)
{
  const char *first = NULL;
  gboolean is_after = FALSE;

  CURED_EACH_POINTER (CuredImportColumn, column, self->columns)
    {
      gboolean is_new = TRUE, is_fraction = FALSE;

      CURED_EACH_POINTER (CuredImportRow, row, self->rows)
        {
          const char *title = _cured_import_get_text (self, row, "Benchmark");
          const char *text = _cured_import_get_text (self, row, column->name);
          double number = _cured_import_get_figure (self, row, column->name);

          first = first != NULL ? first : title;
          if (text == NULL || *text == '\0')
            continue;
          is_new &= g_strcmp0 (title, first) != 0;
          is_fraction |= floor (number) != number && !isnan (number);
        }
      if (is_after && is_new && !is_fraction && strchr (column->name, '(') == NULL)
        column->use = CURED_IMPORT_AS_PARAMETER;
      is_after |= g_str_equal (column->name, "Skipped");
    }
}

/* The exponent is in a column beside the value. */
static gboolean
read_nvbench (CuredImportReader *self, GError **error)
{
  static const CuredImportFlat flat = { .known = nvbench_columns,
                                        .after = nvbench_after,
                                        .before = nvbench_before };

  CURED_EACH_POINTER (CuredImportColumn, column, self->columns)
    if (g_str_has_suffix (column->name, " (pow2)"))
      column->use = CURED_IMPORT_IGNORED;
  find_later_parameters (self);
  return _cured_import_read_flat (self, &flat, error);
}

/* Makes the columns that match @pattern parameters, named @name, or by the part that "*"
 * matches. */
static void
take_columns (CuredImportReader *self, const char *pattern, const char *name)
{
  gsize length = strcspn (pattern, "*");
  guint n_columns = self->columns->len;

  for (guint i = 0; i < n_columns; i++)
    {
      CuredImportColumn *column = g_ptr_array_index (self->columns, i);

      if (strncmp (column->name, pattern, length) != 0 ||
          (pattern[length] == '\0' && column->name[length] != '\0'))
        continue;
      const char *parameter = name != NULL ? name : column->name + length;
      column->use = CURED_IMPORT_IGNORED;
      CURED_EACH_POINTER (CuredImportRow, row, self->rows)
        {
          JsonNode *node = _cured_import_get_field (self, row, column->name);

          if (node != NULL)
            _cured_import_put (self, row, parameter, CURED_IMPORT_AS_PARAMETER, node);
        }
    }
}

static const CuredImportKnown nsight_columns[] = {
  USE ("Annotation", KEY), USE ("Metric", KEY_NAME), IGNORED ("AvgValue"),
  USE ("Kernel", TITLE),   USE ("GPU", DEVICE),      END,
};
static const CuredImportKnown profiler_figures[] = {
  FIGURE ("gpu__time_duration.sum", time, 1),
  FIGURE ("Duration", time, 1),
  FIGURE ("launch__registers_per_thread", registers, 1),
  FIGURE ("Registers Per Thread", registers, 1),
  END,
};
static const char *const nsight_after[] = { "Metric", NULL };
static const char *const nsight_before[] = { "AvgValue", NULL };

static gboolean
read_nsight (CuredImportReader *self, GError **error)
{
  static const CuredImportFlat flat = { .known = nsight_columns,
                                        .after = nsight_after,
                                        .before = nsight_before,
                                        .name_column = "Metric",
                                        .value_column = "AvgValue",
                                        .figures = profiler_figures };

  return _cured_import_read_flat (self, &flat, error);
}

static const CuredImportKnown ncu_columns[] = {
  USE ("Kernel Name", TITLE),
  USE ("Block Size", PARAMETER),
  USE ("Grid Size", PARAMETER),
  USE ("CC", ARCH),
  USE ("device__attribute_display_name", DEVICE),
  USE ("ID", KEY),
  FIGURE ("gpu__time_duration.sum", time, 1),
  FIGURE ("launch__registers_per_thread", registers, 1),
  FIGURE ("launch__shared_mem_per_block_static", shared_static, 1),
  FIGURE ("launch__shared_mem_per_block_dynamic", shared_dynamic, 1),
  IGNORED ("Process*"),
  IGNORED ("Host Name"),
  IGNORED ("Context"),
  IGNORED ("Stream"),
  IGNORED ("Device"),
  IGNORED ("device__*"),
  IGNORED ("numa__*"),
  IGNORED ("nvlink__*"),
  IGNORED ("profiler__*"),
  IGNORED ("c2clink__*"),
  IGNORED ("Kernel Time"),
  IGNORED ("Section Name"),
  IGNORED ("Metric *"),
  IGNORED ("Rule *"),
  IGNORED ("Estimated *"),
  END,
};
static const char *const ncu_after[] = { "Grid Size", NULL };
static const char *const ncu_before[] = { "Device", "CC", NULL };

/* "(64, 1, 1)" is 64, and "(32, 8, 1)" 32x8. */
static void
shorten_size (CuredImportReader *self, CuredImportRow *row, const char *name)
{
  const char *text = _cured_import_get_text (self, row, name);

  if (text == NULL || *text != '(')
    return;
  g_autoptr (GString) made = g_string_new_len (text + 1, (gssize) strcspn (text + 1, ")"));
  while (g_str_has_suffix (made->str, ", 1"))
    g_string_truncate (made, made->len - 3);
  g_string_replace (made, ", ", "x", 0);
  _cured_import_put_text (self, row, name, CURED_IMPORT_AS_UNKNOWN, made->str);
}

static gboolean
read_ncu (CuredImportReader *self, GError **error)
{
  static const CuredImportFlat wide = { .known = ncu_columns,
                                        .after = ncu_after,
                                        .before = ncu_before };
  static const CuredImportFlat folded = { .known = ncu_columns,
                                          .after = ncu_after,
                                          .before = ncu_before,
                                          .name_column = "Metric Name",
                                          .unit_column = "Metric Unit",
                                          .value_column = "Metric Value",
                                          .figures = profiler_figures };
  gboolean is_folded = g_hash_table_contains (self->column_of, "Metric Value");

  /* The second line has the units. */
  if (self->rows != NULL && self->rows->len > 0 &&
      _cured_import_get_field (self, g_ptr_array_index (self->rows, 0), "ID") == NULL)
    {
      const CuredImportRow *units = g_ptr_array_index (self->rows, 0);

      CURED_EACH_POINTER (CuredImportColumn, column, self->columns)
        {
          const char *unit = _cured_import_get_text (self, units, column->name);
          double scale = unit != NULL ? _cured_import_scale_unit (&unit) : 1;

          if (strstr (column->name, "__") != NULL)
            column->use = CURED_IMPORT_AS_FIGURE;
          if (unit == NULL)
            continue;
          column->unit = g_intern_string (unit);
          for (guint j = 1; j < self->rows->len; j++)
            {
              CuredImportRow *row = g_ptr_array_index (self->rows, j);

              _cured_import_put_number (self, row, column->name,
                                        scale * _cured_import_get_figure (self, row, column->name));
            }
        }
      g_ptr_array_remove_index (self->rows, 0);
    }
  for (guint i = 0; self->rows != NULL && i < self->rows->len; i++)
    {
      shorten_size (self, g_ptr_array_index (self->rows, i), "Block Size");
      shorten_size (self, g_ptr_array_index (self->rows, i), "Grid Size");
    }
  return _cured_import_read_flat (self, is_folded ? &folded : &wide, error);
}

/* Before ncu wrote sizes, launches were only distinguished by numbers. */
static gboolean
read_early_ncu (CuredImportReader *self, GError **error)
{
  take_columns (self, "ID", "launch");
  return read_ncu (self, error);
}

static const CuredImportKnown cutlass_columns[] = {
  IGNORED ("Problem"),
  IGNORED ("Provider"),
  USE ("OperationKind", TITLE),
  IGNORED ("Operation"),
  USE ("Disposition", STATE),
  USE ("Status", STATE),
  FIGURE ("Runtime", time, 1e6),
  /* The profiler divides by 2^30. */
  FIGURE ("GB/s", bandwidth, 0x1p30),
  FIGURE ("GFLOPs", flop_rate, 1e9),
  END,
};
static const char *const cutlass_after[] = { "Status", NULL };
static const char *const cutlass_before[] = { "Bytes", "Flops", "Runtime", NULL };

static gboolean
read_cutlass (CuredImportReader *self, GError **error)
{
  static const CuredImportFlat flat = { .known = cutlass_columns,
                                        .after = cutlass_after,
                                        .before = cutlass_before };

  return _cured_import_read_flat (self, &flat, error);
}

/* hyperfine: without parameters, the command becomes one; if several commands have the same
 * parameters, their index does. */
void
_cured_import_take_commands (CuredImportReader *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  CuredImportColumn *command = _cured_import_add_column (self, "command", CURED_IMPORT_IGNORED);
  gboolean has_parameters = FALSE;
  guint n_most = 0;

  command->use = CURED_IMPORT_IGNORED;
  CURED_EACH_POINTER (CuredImportColumn, column, self->columns)
    has_parameters |= column->use == CURED_IMPORT_AS_PARAMETER;
  for (guint i = 0; has_parameters && i < self->rows->len; i++)
    {
      CuredImportRow *row = g_ptr_array_index (self->rows, i);
      g_autoptr (GString) key = g_string_new (NULL);

      CURED_EACH_POINTER (CuredImportColumn, column, self->columns)
        if (column->use == CURED_IMPORT_AS_PARAMETER)
          {
            const char *text = _cured_import_get_text (self, row, column->name);

            g_string_append_printf (key, "%s\x1f", text != NULL ? text : "");
          }
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (seen, key->str)) + 1;
      g_hash_table_insert (seen, g_strdup (key->str), GUINT_TO_POINTER (n));
      _cured_import_put_number (self, row, "command", n);
      n_most = MAX (n_most, n);
    }
  if (!has_parameters || n_most > 1)
    command->use = CURED_IMPORT_AS_PARAMETER;
}

/* All are seconds. */
static const CuredImportKnown hyperfine_columns[] = {
  FIGURE ("median", time, 1e9),
  FIGURE ("mean", time_mean, 1e9),
  FIGURE ("min", time_min, 1e9),
  END,
};
static const char *const everywhere[] = { "", NULL };

static gboolean
read_hyperfine (CuredImportReader *self, GError **error)
{
  static const CuredImportFlat flat = { .known = hyperfine_columns, .after = everywhere };
  static const char *const others[] = { "stddev", "user", "system", "max", NULL };

  take_columns (self, "parameter_*", NULL);
  CURED_EACH_POINTER (CuredImportColumn, column, self->columns)
    {
      if (g_strv_contains (others, column->name))
        {
          column->use = CURED_IMPORT_AS_FIGURE;
          column->unit = "s";
        }
    }
  _cured_import_take_commands (self);
  return _cured_import_read_flat (self, &flat, error);
}

/* study.trials_dataframe (). */
static const CuredImportKnown optuna_columns[] = {
  USE ("value", FIGURE), USE ("values_*", FIGURE),   USE ("user_attrs_*", FIGURE),
  USE ("state", STATE),  IGNORED ("number"),         IGNORED ("datetime_*"),
  IGNORED ("duration"),  IGNORED ("system_attrs_*"), END,
};

static gboolean
read_optuna (CuredImportReader *self, GError **error)
{
  static const CuredImportFlat flat = { .known = optuna_columns, .after = everywhere };

  take_columns (self, "params_*", NULL);
  return _cured_import_read_flat (self, &flat, error);
}

static const CuredImportKnown plain_columns[] = {
  USE ("kernel_name", TITLE),  USE ("device_name", DEVICE), USE ("state", STATE),
  USE ("correct", VERDICT),    USE ("is_correct", VERDICT), USE ("passed", VERDICT),
  USE ("__error__", STATE),    IGNORED ("reason"),          IGNORED ("timestamp"),
  FIGURE ("times", time, 1e6), IGNORED ("strategy_time"),   IGNORED ("verification_time"),
  IGNORED ("benchmark_time"),  IGNORED ("framework_time"),  END,
};

static gboolean
read_plain (CuredImportReader *self, GError **error)
{
  static const CuredImportFlat flat = { .known = plain_columns, .says_unit = TRUE };

  return _cured_import_read_flat (self, &flat, error);
}

/* Reads a list that users of Kernel Tuner save: json.dump (results). */
static gboolean
read_list (CuredImportReader *self, GError **error)
{
  /* Members that only Kernel Tuner writes; its times are milliseconds. */
  static const char *const tuner_members[] = { "times", "strategy_time", "verification_time",
                                               "benchmark_time", "framework_time" };
  CuredImportFlat flat = { .known = plain_columns, .says_unit = TRUE };

  /* json.dump (tune_kernel (…)): the list, and the environment. */
  JsonArray *list = self->list;
  JsonArray *first = json_array_get_length (list) > 0
                         ? _cured_import_to_array (json_array_get_element (list, 0))
                         : NULL;
  if (first != NULL && json_array_get_length (list) == 2)
    {
      JsonObject *environment = _cured_import_to_object (json_array_get_element (list, 1));

      self->device =
          environment != NULL ? _cured_import_get_string (environment, "device_name") : NULL;
      list = first;
    }
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *record = _cured_import_get_element (self, list, i, "", error);

      if (record == NULL)
        return FALSE;
      CuredImportRow *row = _cured_import_add_row (self);
      for (CuredImportMember at = { 0 }; _cured_import_next (record, &at);)
        _cured_import_put (self, row, at.name, CURED_IMPORT_AS_UNKNOWN, at.node);
    }
  for (gsize i = 0; self->column_of != NULL && i < G_N_ELEMENTS (tuner_members); i++)
    if (g_hash_table_contains (self->column_of, tuner_members[i]))
      flat.says_unit = FALSE;
  return _cured_import_read_flat (self, &flat, error);
}

#define KEYS(...)                                                                                  \
  (const char *const[]) { __VA_ARGS__, NULL }
#define FORMAT(name, form, ...)                                                                    \
  const CuredImportFormat _cured_import_##name = { .shape = CURED_IMPORT_##form, __VA_ARGS__ }

FORMAT (nvbench_csv, CSV, .id = "nvbench-csv", .title = N_ ("nvbench CSV"),
        .keys = KEYS ("Benchmark", "Samples"), .read = read_nvbench);
FORMAT (nsight_python, CSV, .id = "nsight-python", .title = N_ ("Nsight Python CSV"),
        .keys = KEYS ("Metric", "AvgValue"), .read = read_nsight);
FORMAT (ncu, CSV, .id = "ncu", .title = N_ ("Nsight Compute CSV"),
        .keys = KEYS ("Kernel Name", "Block Size", "Grid Size"), .read = read_ncu);
FORMAT (ncu_early, CSV, .id = "ncu-early", .title = N_ ("Nsight Compute CSV without sizes"),
        .keys = KEYS ("ID", "Kernel Name", "Metric Name", "Metric Value"), .read = read_early_ncu);
FORMAT (hyperfine_csv, CSV, .id = "hyperfine-csv", .title = N_ ("hyperfine CSV"),
        .keys = KEYS ("command", "mean", "stddev", "user", "system"), .read = read_hyperfine);
FORMAT (optuna, CSV, .id = "optuna", .title = N_ ("trials of Optuna as CSV"),
        .keys = KEYS ("number", "state", "datetime_start"), .read = read_optuna);
FORMAT (cutlass, CSV, .id = "cutlass", .title = N_ ("cutlass_profiler CSV"),
        .keys = KEYS ("Provider", "Operation", "Runtime"), .read = read_cutlass);
FORMAT (csv, CSV, .id = "csv", .title = N_ ("CSV or TSV of a sweep"), .keys = NULL,
        .read = read_plain);
FORMAT (list, LIST, .id = "list", .title = N_ ("JSON list of records"), .keys = NULL,
        .read = read_list);
