/* SPDX-License-Identifier: MIT
 * Tables: decides which columns are parameters, and which metrics the others are. */

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"
#include "measure/cured-measure-internal.h"

#define NO_METRIC (-1)

/* Limit of columns named in a message. */
#define MAX_SHOWN 16

CURED_FREE_FUNC (CuredImportColumn, column_free, name, g_free, label, g_free)

static void
row_free (gpointer data)
{
  CuredImportRow *self = data;

  for (guint i = 0; i < self->n_fields; i++)
    json_node_unref (self->fields[i].node);
  g_free (self->fields);
  g_free (self);
}

CuredImportColumn *
_cured_import_add_column (CuredImportReader *self, const char *name, CuredImportUse use)
{
  if (self->columns == NULL)
    {
      self->columns = g_ptr_array_new_with_free_func (column_free);
      self->column_of = g_hash_table_new (g_str_hash, g_str_equal);
      if (self->rows == NULL)
        self->rows = g_ptr_array_new_with_free_func (row_free);
    }
  CuredImportColumn *column = g_hash_table_lookup (self->column_of, name);
  if (column != NULL)
    return column;
  column = CURED_NEW (CuredImportColumn, .name = g_strdup (name), .label = g_strdup (name),
                      .index = self->columns->len, .use = use, .metric = NO_METRIC,
                      .kind = CURED_PARAMETER_LAUNCH, .scale = 1, .unit = "");
  g_ptr_array_add (self->columns, column);
  g_hash_table_insert (self->column_of, column->name, column);
  return column;
}

/* One more row, without values. */
CuredImportRow *
_cured_import_add_row (CuredImportReader *self)
{
  CuredImportRow *row = g_new0 (CuredImportRow, 1);

  if (self->rows == NULL)
    self->rows = g_ptr_array_new_with_free_func (row_free);
  g_ptr_array_add (self->rows, row);
  return row;
}

/* Index of the field of the column, or of the one that it goes before. */
static guint
find_field (const CuredImportRow *row, guint column)
{
  guint low = 0, high = row->n_fields;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (row->fields[middle].column < column)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Takes the node. */
static void
set_field (CuredImportRow *row, const CuredImportColumn *column, JsonNode *node)
{
  guint at = find_field (row, column->index);

  if (at < row->n_fields && row->fields[at].column == column->index)
    json_node_unref (row->fields[at].node);
  else
    {
      /* They are full where their number is a power of two. */
      if ((row->n_fields & (row->n_fields - 1)) == 0)
        row->fields = g_renew (CuredImportField, row->fields, MAX (2 * row->n_fields, 1));
      memmove (&row->fields[at + 1], &row->fields[at],
               (row->n_fields++ - at) * sizeof *row->fields);
    }
  row->fields[at] = (CuredImportField){ column->index, node };
}

/* Sets a value of the row. @use: of the column, where it is new; @value: (nullable): shared; NULL:
 * there is but the column */
void
_cured_import_put (CuredImportReader *self, CuredImportRow *row, const char *name,
                   CuredImportUse use, JsonNode *value)
{
  CuredImportColumn *column = _cured_import_add_column (self, name, use);

  if (value != NULL)
    set_field (row, column, json_node_ref (value));
}

/* @text: (nullable): nothing is put */
void
_cured_import_put_text (CuredImportReader *self, CuredImportRow *row, const char *name,
                        CuredImportUse use, const char *text)
{
  if (text != NULL)
    set_field (row, _cured_import_add_column (self, name, use),
               json_node_init_string (json_node_alloc (), text));
}

/* A figure; @value: not finite: nothing is put. */
void
_cured_import_put_number (CuredImportReader *self, CuredImportRow *row, const char *name,
                          double value)
{
  if (isfinite (value))
    set_field (row, _cured_import_add_column (self, name, CURED_IMPORT_AS_FIGURE),
               json_node_init_double (json_node_alloc (), value));
}

static JsonNode *
get_field (const CuredImportRow *row, const CuredImportColumn *column)
{
  guint at = column != NULL ? find_field (row, column->index) : row->n_fields;

  return at < row->n_fields && row->fields[at].column == column->index ? row->fields[at].node
                                                                       : NULL;
}

/* (nullable) (transfer none): the row's value */
JsonNode *
_cured_import_get_field (const CuredImportReader *self, const CuredImportRow *row, const char *name)
{
  return self->column_of != NULL ? get_field (row, g_hash_table_lookup (self->column_of, name))
                                 : NULL;
}

/* As of _cured_import_to_string(). */
const char *
_cured_import_get_text (const CuredImportReader *self, const CuredImportRow *row, const char *name)
{
  return _cured_import_to_string (_cured_import_get_field (self, row, name));
}

/* As of _cured_import_to_number(). */
double
_cured_import_get_figure (const CuredImportReader *self, const CuredImportRow *row,
                          const char *name)
{
  return _cured_import_to_number (_cured_import_get_field (self, row, name));
}

/* Meanings of columns */

static gboolean
is_one_of (const char *token, const char *const *words)
{
  for (gsize i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (token, words[i]) == 0)
      return TRUE;
  return FALSE;
}

static const char *const time_words[] = { "time",    "runtime", "duration", "latency",
                                          "elapsed", "Times",   NULL };
static const char *const statistic_words[] = { "median", "mean",    "avg", "average", "min",
                                               "max",    "minimum", "std", "stddev",  NULL };

/* The metric of a time, by the words of its name; FALSE if it is not a time. */
static gboolean
find_time (CuredImportColumn *column, const char *stem, gboolean has_unit)
{
  static const struct
  {
    const char *word;
    int metric;
  } meanings[] = {
    { "compile", CURED_METRIC_compile_time },
    { "timeout", NO_METRIC },
    { "ci", NO_METRIC },
    { "low", NO_METRIC },
    { "high", NO_METRIC },
    { "lower", NO_METRIC },
    { "upper", NO_METRIC },
    { "err", NO_METRIC },
    { "error", NO_METRIC },
    { "sd", NO_METRIC },
    { "var", NO_METRIC },
    { "p75", CURED_METRIC_time_p75 },
    { "p90", CURED_METRIC_time_p90 },
    { "p95", NO_METRIC },
    { "p99", CURED_METRIC_time_p99 },
    { "median", CURED_METRIC_time },
    { "mean", CURED_METRIC_time_mean },
    { "avg", CURED_METRIC_time_mean },
    { "average", CURED_METRIC_time_mean },
    { "min", CURED_METRIC_time_min },
    { "minimum", CURED_METRIC_time_min },
    { "cpu", NO_METRIC },
    { "max", NO_METRIC },
    { "std", NO_METRIC },
    { "stddev", NO_METRIC },
    { "framework", NO_METRIC },
    { "strategy", NO_METRIC },
    { "verification", NO_METRIC },
    { "benchmark", NO_METRIC },
  };
  g_auto (GStrv) tokens = g_strsplit_set (stem, " _-./,", -1);
  guint n_time = 0, n_statistic = 0, n = g_strv_length (tokens);

  for (guint i = 0; i < n; i++)
    {
      /* "time_steps" is a number of steps. */
      if (!has_unit && (is_one_of (tokens[i], (const char *const[]){ "step", "steps", NULL })))
        return FALSE;
      n_time += is_one_of (tokens[i], time_words);
      n_statistic += is_one_of (tokens[i], statistic_words);
    }
  if (!has_unit && n_time == 0 && (n == 0 || n_statistic < n))
    return FALSE;
  column->metric = CURED_METRIC_time;
  for (gsize i = 0; i < G_N_ELEMENTS (meanings); i++)
    for (guint j = 0; j < n; j++)
      if (g_ascii_strcasecmp (tokens[j], meanings[i].word) == 0)
        {
          column->metric = meanings[i].metric;
          return TRUE;
        }
  return TRUE;
}

/* "power_w" is measured, and "power_limit" is not. */
static gboolean
is_measure (const char *stem)
{
  static const char *const measures[] = { "power",   "energy",     "bandwidth", "throughput",
                                          "speedup", "efficiency", NULL };
  static const char *const choices[] = { "limit", "cap", "target", "mode", "max", "level", NULL };
  g_auto (GStrv) tokens = g_strsplit_set (stem, " _-./,", -1);
  gboolean is_found = FALSE;

  for (gsize i = 0; tokens[i] != NULL; i++)
    {
      if (is_one_of (tokens[i], choices))
        return FALSE;
      is_found |= is_one_of (tokens[i], measures);
    }
  return is_found;
}

static gboolean
is_suffix (const char *text, gboolean is_whole)
{
  static const char *const suffixes[] = { "gbps", "gbs", "gflops", "tflops", "mhz", NULL };
  const char *ours = text;

  if (is_whole && strlen (text) > strlen ("µs"))
    return FALSE;
  _cured_import_scale_unit (&ours);
  return (g_str_equal (ours, "ns") && (!is_whole || g_ascii_strcasecmp (text, "s") != 0)) ||
         (!is_whole && is_one_of (text, suffixes));
}

/* Where the last word of "time_ms", "time-us" or "timeUs" begins. */
static const char *
find_last_word (const char *name)
{
  const char *word = name;

  for (const char *at = name; *at != '\0'; at++)
    if (strchr ("_ -.,", *at) != NULL ||
        (g_ascii_isupper (at[1]) && g_ascii_islower (*at) && at[2] != '\0'))
      word = at + 1;
  return word;
}

/* "GPU Time (sec)", "time [ns]", "time_ms": the text before the unit, and the unit. */
static char *
split_unit (const char *name, const char **unit)
{
  gsize length = strlen (name);
  const char *open = NULL;

  *unit = "";
  if (length > 2 && (name[length - 1] == ')' || name[length - 1] == ']'))
    {
      open = strrchr (name, name[length - 1] == ')' ? '(' : '[');
      if (open == NULL)
        return g_strdup (name);
      g_autofree char *inner = g_strndup (open + 1, length - (gsize) (open - name) - 2);
      /* The second column of a name. */
      if (g_ascii_isdigit (*inner))
        return g_strdup (name);
      *unit = g_intern_string (inner);
      return g_strchomp (g_strndup (name, (gsize) (open - name)));
    }
  const char *word = find_last_word (name);
  gsize n_stem = (gsize) (word - name);
  while (n_stem > 0 && strchr ("_ -.,", name[n_stem - 1]) != NULL)
    n_stem--;
  /* "items_per_s" is not a time. */
  if (!is_suffix (word, word == name) ||
      (n_stem >= 3 && g_ascii_strncasecmp (name + n_stem - 3, "per", 3) == 0))
    return g_strdup (name);
  *unit = g_intern_string (word);
  return g_strndup (name, n_stem);
}

static void
set_label (CuredImportColumn *column, char *label)
{
  g_free (column->label);
  column->label = label;
}

static gboolean
matches (const char *pattern, const char *name)
{
  gsize length = strlen (pattern);

  return length > 0 && pattern[length - 1] == '*' ? strncmp (pattern, name, length - 1) == 0
                                                  : g_ascii_strcasecmp (pattern, name) == 0;
}

static const CuredImportKnown *
find_known (const CuredImportKnown *known, const char *name)
{
  for (; known != NULL && known->column != NULL; known++)
    if (matches (known->column, name))
      return known;
  return NULL;
}

/* The unit of the nearest time before it; NULL if there is none. */
static const char *
find_time_unit (const CuredImportReader *self, const CuredImportColumn *column)
{
  const char *found = NULL;

  CURED_EACH_POINTER (const CuredImportColumn, other, self->columns)
    {
      const char *ours = other->unit;

      if (other == column)
        break;
      _cured_import_scale_unit (&ours);
      if (other->use == CURED_IMPORT_AS_FIGURE && g_str_equal (ours, "ns"))
        found = other->unit;
    }
  return found;
}

/* Of several columns for one time, keeps the first one with a unit, or the first one. A plain "std"
 * has the unit of the columns before it. */
static void
keep_one (const CuredImportFlat *flat, const CuredImportReader *self, CuredImportColumn *column)
{
  CURED_EACH_POINTER (CuredImportColumn, other, self->columns)
    {
      if (other == column)
        return;
      if (other->use != CURED_IMPORT_AS_FIGURE || other->metric != column->metric ||
          column->metric == NO_METRIC || find_known (flat->known, other->name) != NULL)
        continue;
      if (other->is_assumed && !column->is_assumed)
        other->metric = NO_METRIC;
      else
        column->metric = NO_METRIC;
    }
}

/* Whether no metric and no other column has the name. */
static gboolean
is_free (const CuredImportReader *self, const char *name)
{
  CuredMetric metric;

  if (*name == '\0' || cured_metric_from_id (name, &metric))
    return FALSE;
  CURED_EACH_POINTER (const CuredImportColumn, column, self->columns)
    if (g_ascii_strcasecmp (column->name, name) == 0 ||
        g_ascii_strcasecmp (column->label, name) == 0)
      return FALSE;
  return TRUE;
}

/* Of a figure whose metric is known. */
static void
set_unit (const CuredImportFlat *flat, CuredImportReader *self, CuredImportColumn *column,
          const char *unit)
{
  const char *ours = unit;
  double scale = _cured_import_scale_unit (&ours);

  keep_one (flat, self, column);
  column->scale = column->metric == NO_METRIC ? 1 : scale;
  column->unit = unit;
}

/* Recognizes a column of figures, and its metric, by its name. */
static gboolean
find_figure (const CuredImportFlat *flat, CuredImportReader *self, CuredImportColumn *column)
{
  const char *unit = "";
  g_autofree char *stem = split_unit (column->name, &unit);
  const char *ours = unit;
  CuredMetric metric;

  _cured_import_scale_unit (&ours);
  if (*unit != '\0' && cured_metric_from_id (stem, &metric) &&
      g_str_equal (cured_metric_info (metric)->unit, ours))
    {
      column->metric = (int) metric;
      set_unit (flat, self, column, unit);
      return TRUE;
    }
  /* "n_s" is not a time. */
  if (g_str_equal (ours, "ns") && g_ascii_strcasecmp (unit, "s") == 0 &&
      strpbrk (column->name, ")]") == NULL && !find_time (column, stem, FALSE))
    {
      column->metric = NO_METRIC;
      return FALSE;
    }
  if (g_str_equal (ours, "ns"))
    {
      find_time (column, stem, TRUE);
      set_unit (flat, self, column, unit);
      if (column->metric == NO_METRIC && is_free (self, stem))
        set_label (column, g_steal_pointer (&stem));
      return TRUE;
    }
  if (*unit == '\0' && find_time (column, stem, FALSE))
    {
      g_auto (GStrv) words = g_strsplit_set (stem, " _-.()[]", -1);

      /* "latency_us_p50" and "Time (us) mean" */
      for (gsize i = 0; words[i] != NULL; i++)
        if (is_suffix (words[i], TRUE))
          {
            set_unit (flat, self, column, g_intern_string (words[i]));
            return TRUE;
          }
      const char *before = is_one_of (stem, statistic_words) ? find_time_unit (self, column) : NULL;
      column->is_assumed = TRUE;
      set_unit (flat, self, column, before != NULL ? before : "ms");
      if (before == NULL && flat->says_unit)
        g_ptr_array_add (
            self->notes,
            g_strdup_printf (_ ("“%s” has no unit; milliseconds are assumed"), column->name));
      return TRUE;
    }
  if (*unit != '\0' || _cured_import_is_named (column->name))
    {
      set_label (column, g_steal_pointer (&stem));
      column->unit = unit;
      return TRUE;
    }
  return FALSE;
}

static gboolean
has_fractions (const CuredImportReader *self, const char *name, gboolean *is_number)
{
  gboolean found = FALSE;

  *is_number = TRUE;
  CURED_EACH_POINTER (const CuredImportRow, row, self->rows)
    {
      JsonNode *node = _cured_import_get_field (self, row, name);
      double number = _cured_import_to_number (node);

      if (node != NULL && isnan (number))
        *is_number = FALSE;
      found |= !isnan (number) && floor (number) != number;
    }
  return found;
}

/* Whether a column has fractions without duplicates. */
static gboolean
is_measured (const CuredImportReader *self, guint index)
{
  const CuredImportColumn *column = g_ptr_array_index (self->columns, index);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean is_number = TRUE;

  if (column->use != CURED_IMPORT_AS_UNKNOWN || self->rows->len < 2 ||
      !has_fractions (self, column->name, &is_number) || !is_number)
    return FALSE;
  CURED_EACH_POINTER (CuredImportRow, row, self->rows)
    {
      const char *text = _cured_import_get_text (self, row, column->name);

      if (text != NULL && !g_hash_table_add (seen, (gpointer) text))
        return FALSE;
    }
  return TRUE;
}

/* Whether all numbers have equally many decimals, as in Triton's perf_report. */
static gboolean
has_one_format (const CuredImportReader *self)
{
  gsize n_decimals = 0;

  CURED_EACH_POINTER (CuredImportRow, row, self->rows)
    {
      for (guint i = 0; i < row->n_fields; i++)
        {
          JsonNode *node = row->fields[i].node;
          const char *text = _cured_import_to_string (node);
          const char *point = text != NULL ? strchr (text, '.') : NULL;

          if (text == NULL || *text == '\0')
            continue;
          if (point == NULL || isnan (_cured_import_to_number (node)) ||
              (n_decimals != 0 && strlen (point) != n_decimals))
            return FALSE;
          n_decimals = strlen (point);
        }
    }
  return n_decimals > 3;
}

/* If no name shows a figure: the first of the columns that look measured, which are the last one
 * and similar ones before it. */
static guint
guess_first (const CuredImportReader *self)
{
  guint last = self->columns->len - 1, first = 0;
  gboolean is_number = TRUE;

  /* In that format, integers are parameters. */
  if (has_one_format (self))
    while (first < last &&
           !has_fractions (self, ((CuredImportColumn *) self->columns->pdata[first])->name,
                           &is_number))
      first++;
  if (first > 0)
    return first;
  for (first = last; first > 1 && is_measured (self, first - 1) && is_measured (self, first);)
    first--;
  return first;
}

/* pandas writes the number of a row as well. */
static gboolean
is_index (const char *name)
{
  return *name == '\0' || g_str_equal (name, "Unnamed: 0") || g_str_equal (name, "index");
}

/* Several columns may be in one word, between commas. */
static char **
split_wanted (const CuredImportReader *self)
{
  GPtrArray *names = g_ptr_array_new ();

  for (const char *const *at = self->options->parameters; *at != NULL; at++)
    {
      g_auto (GStrv) parts = g_strsplit (*at, ",", -1);

      if (g_hash_table_contains (self->column_of, *at))
        g_ptr_array_add (names, g_strdup (*at));
      else
        for (gsize i = 0; parts[i] != NULL; i++)
          g_ptr_array_add (names, g_strdup (parts[i]));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

static gboolean
fail_column (const CuredImportReader *self, const char *name, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < MIN (self->columns->len, MAX_SHOWN); i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "",
                            ((CuredImportColumn *) g_ptr_array_index (self->columns, i))->name);
  if (self->columns->len > MAX_SHOWN)
    g_string_append (list, ", …");
  return _cured_import_fail (self, error, _ ("there is no column “%s”; there are: %s"), name,
                             list->str);
}

static gboolean
apply_choice (const CuredImportFlat *flat, CuredImportReader *self, GError **error)
{
  g_auto (GStrv) wanted = self->options->parameters != NULL ? split_wanted (self) : NULL;
  const char *metric = self->options->metric;

  CURED_EACH_POINTER (CuredImportColumn, column, self->columns)
    {
      if (wanted != NULL)
        column->use = g_strv_contains ((const char *const *) wanted, column->name)
                          ? CURED_IMPORT_AS_PARAMETER
                      : column->use == CURED_IMPORT_AS_PARAMETER ? CURED_IMPORT_IGNORED
                                                                 : column->use;
      if (metric == NULL)
        continue;
      if (g_str_equal (column->name, metric))
        {
          column->use = CURED_IMPORT_AS_FIGURE;
          find_figure (flat, self, column);
        }
      else if (column->use == CURED_IMPORT_AS_FIGURE)
        column->use = CURED_IMPORT_IGNORED;
    }
  for (gsize i = 0; wanted != NULL && wanted[i] != NULL; i++)
    if (g_hash_table_lookup (self->column_of, wanted[i]) == NULL)
      return fail_column (self, wanted[i], error);
  if (metric != NULL && g_hash_table_lookup (self->column_of, metric) == NULL)
    return fail_column (self, metric, error);
  return TRUE;
}

static gboolean
is_constant (const CuredImportReader *self, const char *name)
{
  const char *first = NULL;

  CURED_EACH_POINTER (CuredImportRow, row, self->rows)
    {
      const char *text = _cured_import_get_text (self, row, name);

      first = first != NULL ? first : text;
      if (g_strcmp0 (text, first) != 0 || text == NULL)
        return FALSE;
    }
  return self->rows->len > 1;
}

/* Whether two columns are equal in each row, but not constant. */
static gboolean
are_twins (const CuredImportReader *self, const char *a, const char *b)
{
  gboolean differs = FALSE;

  CURED_EACH_POINTER (const CuredImportRow, row, self->rows)
    {
      double number = _cured_import_get_figure (self, row, a);

      if (!(number == _cured_import_get_figure (self, row, b)))
        return FALSE;
      differs |= number != _cured_import_get_figure (self, g_ptr_array_index (self->rows, 0), a);
    }
  return differs;
}

/* Keeps one of M, N and K if they are equal in all rows, as in Triton's perf_report of square
 * matrices, since a map of two of them would be a diagonal. */
static void
drop_twins (CuredImportReader *self)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      const CuredImportColumn *column = g_ptr_array_index (self->columns, i);

      for (guint j = i + 1; column->use == CURED_IMPORT_AS_PARAMETER && j < self->columns->len; j++)
        {
          CuredImportColumn *other = g_ptr_array_index (self->columns, j);

          if (other->use != CURED_IMPORT_AS_PARAMETER ||
              !are_twins (self, column->name, other->name))
            continue;
          other->use = CURED_IMPORT_IGNORED;
          g_ptr_array_add (self->notes,
                           g_strdup_printf (_ ("“%s” is “%s” in each row, and left out "
                                               "(--parameters keeps it)"),
                                            other->name, column->name));
        }
    }
}

/* Columns before the first figure are parameters, unless their name is that of a measurement, and
 * numbers behind it are figures; if those before do not identify points, integers behind it are
 * parameters, too. */
static void
guess_columns (CuredImportReader *self, guint first)
{
  gboolean any_before = FALSE;

  for (guint i = 0; i < first; i++)
    {
      const CuredImportColumn *column = g_ptr_array_index (self->columns, i);

      any_before |= column->use == CURED_IMPORT_AS_UNKNOWN && !is_measure (column->name) &&
                    !is_constant (self, column->name);
    }
  for (guint i = 0; i < self->columns->len; i++)
    {
      CuredImportColumn *column = g_ptr_array_index (self->columns, i);
      gboolean is_number = TRUE;

      if (column->use != CURED_IMPORT_AS_UNKNOWN)
        continue;
      gboolean has_fraction = has_fractions (self, column->name, &is_number);
      if (i < first && any_before && is_number && is_measure (column->name))
        column->use = CURED_IMPORT_AS_FIGURE;
      else if (i < first || (!any_before && !has_fraction))
        column->use = CURED_IMPORT_AS_PARAMETER;
      else
        column->use = is_number ? CURED_IMPORT_AS_FIGURE : CURED_IMPORT_IGNORED;
    }
  if (has_one_format (self))
    drop_twins (self);
}

static gboolean
classify (const CuredImportFlat *flat, CuredImportReader *self, GError **error)
{
  gboolean is_between = flat->after == NULL;
  guint first = self->columns->len;

  for (guint i = 0; i < self->columns->len; i++)
    {
      CuredImportColumn *column = g_ptr_array_index (self->columns, i);
      const CuredImportKnown *known = find_known (flat->known, column->name);

      if (flat->before != NULL && g_strv_contains (flat->before, column->name))
        is_between = FALSE;
      if (known != NULL)
        {
          column->use = known->use;
          column->metric = known->metric;
          column->scale = known->scale;
          if (known->use == CURED_IMPORT_AS_CPU_TIME)
            set_label (column, g_strdup ("cpu_time"));
        }
      else if (column->use == CURED_IMPORT_AS_FIGURE && strchr (column->name, '(') != NULL)
        set_label (column, split_unit (column->name, &column->unit));
      else if (column->use == CURED_IMPORT_AS_UNKNOWN && is_index (column->name))
        column->use = CURED_IMPORT_IGNORED;
      else if (flat->after != NULL && is_between && column->use == CURED_IMPORT_AS_UNKNOWN)
        column->use = CURED_IMPORT_AS_PARAMETER;
      else if (column->use == CURED_IMPORT_AS_UNKNOWN &&
               (find_figure (flat, self, column) || flat->after != NULL))
        column->use = CURED_IMPORT_AS_FIGURE;
      if (column->use == CURED_IMPORT_AS_FIGURE)
        first = MIN (first, i);
      if (flat->after != NULL && g_strv_contains (flat->after, column->name))
        is_between = TRUE;
    }
  if (first == self->columns->len && first > 0)
    first = guess_first (self);
  if (flat->after == NULL && self->options->parameters == NULL)
    guess_columns (self, first);
  return apply_choice (flat, self, error);
}

/* Cells */

static const struct
{
  const char *word;
  CuredState state;
} words[] = {
  { "ok", CURED_STATE_OK },
  { "success", CURED_STATE_OK },
  { "COMPLETE", CURED_STATE_OK }, /* Optuna */
  { "passed", CURED_STATE_OK },
  { "not_verified", CURED_STATE_OK },
  { "not_run", CURED_STATE_OK }, /* cutlass_profiler: the verification */
  { "no", CURED_STATE_OK },
  { "incorrect", CURED_STATE_WRONG },
  { "wrong", CURED_STATE_WRONG },
  { "ValidationFailed", CURED_STATE_WRONG },
  { "yes", CURED_STATE_NOT_LAUNCHABLE },
  { "not launchable", CURED_STATE_NOT_LAUNCHABLE },
  { "not_supported", CURED_STATE_NOT_LAUNCHABLE },
  { "DeviceLimitsExceeded", CURED_STATE_NOT_LAUNCHABLE },
  { "InvalidConfig", CURED_STATE_NOT_LAUNCHABLE },
  { "timed out", CURED_STATE_TIMED_OUT },
  { "timeout", CURED_STATE_TIMED_OUT },
};

static void
set_state (CuredOutcome *outcome, const CuredImportColumn *column, const char *word)
{
  if (outcome->state != CURED_STATE_OK || *word == '\0')
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (words[i].word, word) == 0)
      {
        if (words[i].state != CURED_STATE_OK)
          cured_outcome_set_state (outcome, words[i].state, "%s: %s", column->name, word);
        return;
      }
  cured_outcome_set_state (outcome, CURED_STATE_FAILED, "%s: %s", column->name, word);
}

/* Whether a word in place of a time is a reason why there is none, such as "OOM". */
static gboolean
is_reason (const char *text)
{
  static const char *const none[] = { "nan", "inf", "infinity", "na", "n/a", "none", "null", NULL };

  return g_ascii_isalpha (*text) && !is_one_of (text, none);
}

/* Sets the verdict on the result, in the words of benchmark tables. */
static void
set_verdict (CuredOutcome *outcome, const CuredImportColumn *column, JsonNode *node)
{
  static const char *const right[] = {
    "true", "yes", "1", "ok", "pass", "passed", "correct", NULL
  };
  g_autofree char *text = JSON_NODE_HOLDS_VALUE (node) ? json_to_string (node, FALSE) : NULL;
  const char *word = node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
                         ? json_node_get_string (node)
                         : text;

  if (word != NULL && *word != '\0' && !is_one_of (word, right))
    cured_outcome_set_state (outcome, CURED_STATE_WRONG, "%s: %s", column->name, word);
}

/* "10.5 us". */
static gboolean
add_with_unit (CuredImportCell *cell, const CuredImportColumn *column, JsonNode *node)
{
  CuredMetric metric = (CuredMetric) column->metric;
  const char *text =
      JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
          ? json_node_get_string (node)
          : "";
  char *end = NULL;
  double number = g_ascii_strtod (text, &end);
  const char *unit = end + strspn (end, " ");

  if (end == text || *unit == '\0' || !isfinite (number))
    return FALSE;
  double scale = _cured_import_scale_unit (&unit);
  if (!g_str_equal (unit, cured_metric_info (metric)->unit))
    return FALSE;
  _cured_import_set_metric (cell, metric, number * scale);
  return TRUE;
}

static void
add_figure (CuredImportCell *cell, const CuredImportColumn *column, JsonNode *node)
{
  double number = _cured_import_to_number (node);

  if (JSON_NODE_HOLDS_ARRAY (node) && column->metric == CURED_METRIC_time)
    {
      JsonArray *samples = json_node_get_array (node);

      for (guint i = 0; i < json_array_get_length (samples); i++)
        _cured_import_add_sample (
            cell, _cured_import_to_number (json_array_get_element (samples, i)) * column->scale,
            CURED_MISSING);
    }
  else if (isnan (number) && column->metric != NO_METRIC && add_with_unit (cell, column, node))
    return;
  else if (isnan (number))
    {
      if (!JSON_NODE_HOLDS_NULL (node))
        _cured_import_drop (cell, column->name);
    }
  else if (column->metric != NO_METRIC)
    _cured_import_set_metric (cell, (CuredMetric) column->metric, number * column->scale);
  else
    _cured_import_set_named (cell, column->label, column->unit, number);
}

static void
interpret_row (CuredImportCell *cell, gpointer record)
{
  const CuredImportRow *row = record;
  CuredOutcome *outcome = cell->outcome;
  double cpu_ns = CURED_MISSING;

  outcome->state = CURED_STATE_OK;
  for (guint i = 0; i < row->n_fields; i++)
    {
      JsonNode *node = row->fields[i].node;
      const CuredImportColumn *column =
          g_ptr_array_index (cell->reader->columns, row->fields[i].column);
      const char *text = _cured_import_to_string (node);

      if (text != NULL && (column->use == CURED_IMPORT_AS_STATE ||
                           (column->use == CURED_IMPORT_AS_FIGURE &&
                            column->metric == CURED_METRIC_time && is_reason (text))))
        set_state (outcome, column, text);
      else if (column->use == CURED_IMPORT_AS_VERDICT && outcome->state == CURED_STATE_OK)
        set_verdict (outcome, column, node);
    }
  /* Figures of a failure are meaningless. */
  if (outcome->state != CURED_STATE_OK)
    return;
  for (guint i = 0; i < row->n_fields; i++)
    {
      JsonNode *node = row->fields[i].node;
      const CuredImportColumn *column =
          g_ptr_array_index (cell->reader->columns, row->fields[i].column);

      if (column->use == CURED_IMPORT_AS_FIGURE)
        add_figure (cell, column, node);
      else if (column->use == CURED_IMPORT_AS_CPU_TIME)
        {
          cpu_ns = _cured_import_to_number (node) * column->scale;
          _cured_import_set_named (cell, column->label, "ns", cpu_ns);
        }
    }
  if (isnan (outcome->metrics[CURED_METRIC_time]) && outcome->cold == NULL)
    {
      cell->reader->is_cpu |= !isnan (cpu_ns) && isnan (outcome->metrics[CURED_METRIC_time_mean]);
      if (isnan (outcome->metrics[CURED_METRIC_time_mean]))
        _cured_import_set_metric (cell, CURED_METRIC_time_mean, cpu_ns);
    }
  _cured_import_finish_times (cell);
  if (!_cured_import_has_figure (cell))
    cured_outcome_set_state (outcome, CURED_STATE_FAILED, "%s",
                             N_ ("The file has no figure of it"));
}

/* Rows */

static const char *
get_text (const CuredImportReader *self, const CuredImportRow *row, CuredImportUse use)
{
  CURED_EACH_POINTER (const CuredImportColumn, column, self->columns)
    {
      const char *text =
          column->use == use ? _cured_import_to_string (get_field (row, column)) : NULL;

      if (text != NULL)
        return text;
    }
  return NULL;
}

/* Joins rows with one figure each, whose name is in a column, into one row per point. */
static void
fold (CuredImportReader *self, const CuredImportFlat *flat)
{
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) units = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) rows = self->rows;

  self->rows = g_ptr_array_new_with_free_func (row_free);
  CURED_EACH_POINTER (CuredImportRow, row, rows)
    {
      g_autoptr (GString) key = g_string_new (NULL);
      const char *name = _cured_import_get_text (self, row, flat->name_column);
      const char *unit =
          flat->unit_column != NULL ? _cured_import_get_text (self, row, flat->unit_column) : NULL;
      CuredImportColumn *column = NULL;
      double number = _cured_import_get_figure (self, row, flat->value_column);

      for (guint j = 0; j < self->columns->len; j++)
        {
          column = g_ptr_array_index (self->columns, j);
          if (column->use != CURED_IMPORT_AS_PARAMETER && column->use != CURED_IMPORT_AS_TITLE &&
              column->use != CURED_IMPORT_AS_DEVICE && column->use != CURED_IMPORT_AS_KEY)
            continue;
          g_string_append_printf (key, "%s\x1f",
                                  _cured_import_get_text (self, row, column->name) != NULL
                                      ? _cured_import_get_text (self, row, column->name)
                                      : "");
        }
      CuredImportRow *point = g_hash_table_lookup (made, key->str);
      if (point == NULL)
        {
          point = _cured_import_add_row (self);
          g_hash_table_insert (made, g_steal_pointer (&key->str), point);
          key->str = g_strdup ("");
          for (guint j = 0; j < self->columns->len; j++)
            {
              column = g_ptr_array_index (self->columns, j);
              JsonNode *node =
                  column->use != CURED_IMPORT_AS_FIGURE ? get_field (row, column) : NULL;
              if (node != NULL)
                set_field (point, column, json_node_ref (node));
            }
        }
      if (name == NULL || *name == '\0' || isnan (number))
        continue;
      if (unit != NULL)
        number *= _cured_import_scale_unit (&unit);
      unit = unit != NULL ? g_intern_string (unit) : "";
      const char *first_unit = g_hash_table_lookup (units, g_intern_string (name));
      g_autofree char *other = NULL;
      if (first_unit == NULL)
        g_hash_table_insert (units, (gpointer) g_intern_string (name), (gpointer) unit);
      else if (!g_str_equal (first_unit, unit))
        name = other = g_strdup_printf ("%s (%s)", name, unit);
      column = _cured_import_add_column (self, name, CURED_IMPORT_AS_FIGURE);
      column->use = CURED_IMPORT_AS_FIGURE;
      column->unit = unit;
      for (const CuredImportKnown *known = flat->figures; known != NULL && known->column != NULL;
           known++)
        if (matches (known->column, name))
          {
            column->metric = known->metric;
            column->scale = known->scale;
          }
      _cured_import_put_number (self, point, name, number);
    }
}

static CuredImportTable *
get_table (CuredImportReader *self, GHashTable *tables, const char *title, const char *device,
           const char *arch, gboolean is_file_named, GError **error)
{
  g_autofree char *key = g_strdup_printf ("%s\x1f%s", title, device);
  CuredImportTable *table = g_hash_table_lookup (tables, key);

  if (table != NULL)
    return table;
  if (!_cured_import_has_room (self, error))
    return NULL;
  g_autofree char *label = *device != '\0' && self->tables->len > 0
                               ? g_strdup_printf ("%s-%s", title, device)
                               : g_strdup (title);
  table = _cured_import_add_table (self, label, title, interpret_row);
  if (is_file_named)
    _cured_import_set_file_named (table);
  CuredDeviceInfo *info = _cured_import_get_device (table);
  g_free (info->name);
  info->name = g_strdup (device);
  if (arch != NULL && strlen (arch) == 3 && arch[1] == '.')
    {
      g_free (info->arch);
      info->arch = g_strdup_printf ("sm_%c%c", arch[0], arch[2]);
    }
  g_hash_table_insert (tables, g_steal_pointer (&key), table);
  return table;
}

/* The name of the file, without suffixes. */
static char *
make_stem (const CuredImportReader *self)
{
  g_autofree char *base = g_path_get_basename (self->name);

  return _cured_import_drop_suffixes (base);
}

gboolean
_cured_import_read_flat (CuredImportReader *self, const CuredImportFlat *flat, GError **error)
{
  g_autoptr (GHashTable) tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *stem = make_stem (self);

  if (self->columns == NULL || self->rows == NULL)
    return TRUE;
  if (!classify (flat, self, error))
    return FALSE;
  if (flat->name_column != NULL)
    fold (self, flat);
  CURED_EACH_POINTER (CuredImportRow, row, self->rows)
    {
      const char *title = get_text (self, row, CURED_IMPORT_AS_TITLE);
      const char *device = get_text (self, row, CURED_IMPORT_AS_DEVICE);

      if (title == NULL || *title == '\0')
        title = self->title;
      gboolean is_file_named = title == NULL;
      if (is_file_named)
        title = stem;
      if (device == NULL)
        device = self->device != NULL ? self->device : "";
      if (!_cured_import_is_wanted (self, "--benchmark", self->options->benchmark, title) ||
          !_cured_import_is_wanted (self, "--device", self->options->device, device))
        continue;
      CuredImportTable *table =
          get_table (self, tables, title, device, get_text (self, row, CURED_IMPORT_AS_ARCH),
                     is_file_named, error);
      if (table == NULL)
        return FALSE;
      _cured_import_begin_record (table, row);
      CURED_EACH_POINTER (const CuredImportColumn, column, self->columns)
        {
          JsonNode *node = get_field (row, column);

          if (column->use == CURED_IMPORT_AS_PARAMETER && node != NULL)
            _cured_import_set_value (table, column->name, column->kind, node);
        }
      if (!_cured_import_end_record (self, table, error))
        return FALSE;
    }
  return TRUE;
}
