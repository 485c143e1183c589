/* SPDX-License-Identifier: MIT
 * Records of another program, as the axes and cells of a result file. */
#include "import/cured-import-table-private.h"

#include "base/cured-base-internal.h"
#include "measure/cured-measure-internal.h"
#include "store/cured-store-internal.h"

/* Listed values without records are kept up to this many points, or this many per record, so that
 * the work is bounded by the file's contents. */
#define MAX_LISTED           100000
#define MAX_LISTED_PER_POINT 64

/* A file has a column for each. */
#define MAX_EXTRAS 256

/* Longer than any date. */
#define MAX_DATE_BYTES 64

/* Limit of result files. */
#define MAX_AXES 256

/* Limit of a name or a title, so that it fits result files even with a number appended. */
#define MAX_TEXT_BYTES 960

/* A parameter that a record lacks. */
#define NO_VALUE G_MAXUINT32

/* One value of a parameter, as its text. */
typedef struct
{
  char *text;
  double number;  /* NaN: not a number */
  gint64 integer; /* where @is_integer */
  gboolean is_integer;
  gboolean is_used; /* some record has it */
  guint position;   /* on the finished axis */
} Value;

/* A point of a file. */
typedef struct
{
  CuredImportReader *reader; /* NULL: a point of the existing result */
  union
  {
    gpointer source; /* not owned */
    gint64 cell;     /* where @reader is NULL */
  };
} Record;

typedef struct
{
  char *name;
  CuredParameterKind kind;
  GPtrArray *values; /* (element-type Value) */
  GHashTable *texts; /* text → index of @values, plus 1 */
  gboolean differs;  /* the merged files have other values of it, or in another order */
} Axis;

/* A figure in the file that is not one of Cured's metrics. */
typedef struct
{
  char *id, *unit;
  gint64 number;
} Extra;

typedef struct
{
  guint extra;
  double value;
} ExtraValue;

struct _CuredImportTable
{
  CuredImportReader *reader; /* of the first of its files */
  CuredResult *result;       /* (nullable): the existing result to add to */
  char *label, *name;
  gboolean is_file_named;
  gboolean needs_name; /* its files have different ones */
  CuredImportInterpret interpret;
  CuredDeviceInfo device;
  gboolean is_sorted; /* by value: the source has no order of its own */

  GPtrArray *axes;     /* (element-type Axis) */
  GHashTable *by_name; /* name → index of @axes, plus 1 */
  gboolean differs;    /* the merged files have other axes, or in another order */
  GArray *records;     /* (element-type Record) */
  GPtrArray *points;   /* (element-type guint32): number of axes, then an index for each axis */
  guint32 *point;      /* of the record that is being read */
  gsize n_point;

  GPtrArray *extras;    /* (element-type Extra) */
  GHashTable *extra_of; /* id → index of @extras, plus 1 */
  GHashTable *dropped;  /* names without figures */
  guint n_repeated, n_conflicts;
  gint64 n_cells, n_known, n_ok;
};

CURED_FREE_FUNC (Value, value_free, text, g_free)

CURED_FREE_FUNC (Axis, axis_free, name, g_free, values, g_ptr_array_unref, texts,
                 g_hash_table_unref)

CURED_FREE_FUNC (Extra, extra_free, id, g_free, unit, g_free)

void
_cured_import_table_free (gpointer data)
{
  CuredImportTable *self = data;

  g_free (self->label);
  g_free (self->name);
  cured_device_info_clear (&self->device);
  CURED_CLEAR (axes, g_ptr_array_unref, by_name, g_hash_table_unref, records, g_array_unref);
  g_clear_object (&self->result);
  CURED_CLEAR (points, g_ptr_array_unref, point, g_free, extras, g_ptr_array_unref, extra_of,
               g_hash_table_unref, dropped, g_hash_table_unref);
  g_free (self);
}

/* Makes a file's text safe for one line in a terminal; different long texts stay different. */
static char *
make_line (const char *text)
{
  GString *line = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      if (line->len >= MAX_TEXT_BYTES)
        {
          g_string_append_printf (line, "… (%" PRIx64 ")", _cured_axis_number_text (text));
          break;
        }
      gunichar c = g_utf8_get_char (at);

      if (g_unichar_iscntrl (c))
        g_string_append_printf (line, "\\u%04x", c);
      else
        g_string_append_unichar (line, c);
    }
  return g_string_free (line, FALSE);
}

static void
set_text (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
}

static CuredImportTable *
table_new (CuredImportReader *self, const char *label, const char *name,
           CuredImportInterpret interpret)
{
  CuredImportTable *table = CURED_NEW (CuredImportTable, .reader = self, .label = g_strdup (label),
                                       .name = make_line (name), .interpret = interpret);

  cured_device_info_init (&table->device);
  set_text (&table->device.id, "imported");
  set_text (&table->device.kind, "imported");
  /* It was measured on another host. */
  set_text (&table->device.host, "");
  table->axes = g_ptr_array_new_with_free_func (axis_free);
  table->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  table->records = g_array_new (FALSE, FALSE, sizeof (Record));
  table->points = g_ptr_array_new_with_free_func (g_free);
  table->extras = g_ptr_array_new_with_free_func (extra_free);
  table->extra_of = g_hash_table_new (g_str_hash, g_str_equal);
  table->dropped = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return table;
}

/* FALSE with an error if the file has too many tables. */
gboolean
_cured_import_has_room (const CuredImportReader *self, GError **error)
{
  return self->tables->len < MAX_TABLES ||
         _cured_import_fail (self, error,
                             _ ("it has more than %d benchmarks, with those of each device; import "
                                "one with --benchmark"),
                             MAX_TABLES);
}

/* A table without axes and records. */
CuredImportTable *
_cured_import_add_table (CuredImportReader *self, const char *label, const char *name,
                         CuredImportInterpret interpret)
{
  CuredImportTable *table = table_new (self, label, name, interpret);

  g_ptr_array_add (self->tables, table);
  return table;
}

/* The device of its records, to be filled in. */
CuredDeviceInfo *
_cured_import_get_device (CuredImportTable *self)
{
  return &self->device;
}

void
_cured_import_set_sorted (CuredImportTable *self)
{
  self->is_sorted = TRUE;
}

/* Axes and values */

static Axis *
get_axis (CuredImportTable *self, const char *name, CuredParameterKind kind, gsize *index)
{
  g_autofree char *line = make_line (name);
  gsize found = GPOINTER_TO_SIZE (g_hash_table_lookup (self->by_name, line));
  Axis *axis = NULL;

  if (found == 0)
    {
      axis = CURED_NEW (Axis, .name = g_steal_pointer (&line), .kind = kind,
                        .values = g_ptr_array_new_with_free_func (value_free),
                        .texts = g_hash_table_new (g_str_hash, g_str_equal));
      g_ptr_array_add (self->axes, axis);
      found = self->axes->len;
      g_hash_table_insert (self->by_name, axis->name, GSIZE_TO_POINTER (found));
    }
  if (index != NULL)
    *index = found - 1;
  return g_ptr_array_index (self->axes, found - 1);
}

/* 32, 32.0 and "32" are the same number. */
static Value *
make_value (JsonNode *node)
{
  Value *self = g_new0 (Value, 1);
  double number = _cured_import_to_number (node);

  self->number = CURED_MISSING;
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    self->text = g_strdup ("null");
  else if (!JSON_NODE_HOLDS_VALUE (node))
    {
      g_autofree char *text = json_to_string (node, FALSE);

      self->text = make_line (text);
    }
  else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    self->text = g_strdup (json_node_get_boolean (node) ? "True" : "False");
  else if (json_node_get_value_type (node) == G_TYPE_INT64)
    {
      self->integer = json_node_get_int (node);
      self->is_integer = TRUE;
      self->number = (double) self->integer;
      self->text = g_strdup_printf ("%" PRId64, self->integer);
    }
  else if (json_node_get_value_type (node) == G_TYPE_STRING &&
           g_ascii_string_to_signed (json_node_get_string (node), 10, G_MININT64, G_MAXINT64,
                                     &self->integer, NULL))
    {
      self->is_integer = TRUE;
      self->number = (double) self->integer;
      self->text = g_strdup_printf ("%" PRId64, self->integer);
    }
  /* An integer of more than 64 bits becomes a name, since others may round to the same number. */
  else if (json_node_get_value_type (node) == G_TYPE_STRING &&
           (isnan (number) ||
            (fabs (number) > 0x1p53 && strpbrk (json_node_get_string (node), ".eE") == NULL)))
    {
      self->number = number;
      self->text = make_line (json_node_get_string (node));
    }
  else if (isnan (number))
    self->text = g_strdup ("nan");
  else
    {
      self->number = number;
      self->is_integer = fabs (number) <= 0x1p53 && floor (number) == number;
      self->integer = self->is_integer ? (gint64) number : 0;
      self->text = self->is_integer ? g_strdup_printf ("%" PRId64, self->integer)
                                    : cured_format_file_number (number);
    }
  /* Visible, unlike an empty name. */
  if (*self->text == '\0')
    {
      g_free (self->text);
      self->text = g_strdup ("\"\"");
    }
  return self;
}

/* Takes the value. */
static guint32
put_value (Axis *axis, Value *value, gboolean is_used)
{
  guint32 index = GPOINTER_TO_UINT (g_hash_table_lookup (axis->texts, value->text));

  if (index != 0)
    value_free (value);
  else
    {
      g_ptr_array_add (axis->values, value);
      index = axis->values->len;
      g_hash_table_insert (axis->texts, value->text, GUINT_TO_POINTER (index));
    }
  value = g_ptr_array_index (axis->values, index - 1);
  value->is_used |= is_used;
  return index - 1;
}

static guint32
add_value (Axis *axis, JsonNode *node, gboolean is_used)
{
  return put_value (axis, make_value (node), is_used);
}

/* Its name is that of its file, so it may match a table in another file. */
void
_cured_import_set_file_named (CuredImportTable *self)
{
  self->is_file_named = TRUE;
}

/* Adds a parameter, in order, unless it exists. */
void
_cured_import_add_axis (CuredImportTable *self, const char *name, CuredParameterKind kind)
{
  get_axis (self, name, kind, NULL);
}

void
_cured_import_list_value (CuredImportTable *self, const char *axis, JsonNode *value)
{
  add_value (get_axis (self, axis, CURED_PARAMETER_LAUNCH, NULL), value, FALSE);
}

/* Records */

void
_cured_import_begin_record (CuredImportTable *self, gpointer record)
{
  Record made = { .reader = self->reader, .source = record };

  g_array_append_val (self->records, made);
  for (gsize i = 0; i < self->n_point; i++)
    self->point[i] = NO_VALUE;
}

void
_cured_import_set_value (CuredImportTable *self, const char *axis, CuredParameterKind kind,
                         JsonNode *value)
{
  gsize index = 0;
  Axis *found = get_axis (self, axis, kind, &index);

  if (index >= self->n_point)
    {
      self->point = g_renew (guint32, self->point, index + 1);
      while (self->n_point <= index)
        self->point[self->n_point++] = NO_VALUE;
    }
  self->point[index] = add_value (found, value, FALSE);
}

/* Whether a text is the value, as in the axis or as in the file: "1.000". */
static gboolean
is_same_value (const Value *value, const char *text)
{
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), text);
  Value *wanted = make_value (node);
  gboolean same = g_str_equal (wanted->text, value->text);

  value_free (wanted);
  return same;
}

/* "tile=16" of CuredImportOptions.only, against the record's text. */
static gboolean
is_wanted (const CuredImportTable *self, CuredImportReader *reader)
{
  const CuredImportOptions *options = reader->options;

  for (gsize i = 0; options->only != NULL && options->only[i] != NULL; i++)
    {
      const char *equals = strchr (options->only[i], '=');
      g_autofree char *name = g_strndup (options->only[i], (gsize) (equals - options->only[i]));
      gsize found = GPOINTER_TO_SIZE (g_hash_table_lookup (self->by_name, name));

      for (guint k = 0; found == 0 && k < self->axes->len; k++)
        _cured_import_leave_out (reader, "--only",
                                 ((const Axis *) g_ptr_array_index (self->axes, k))->name);
      if (found == 0 || found > self->n_point || self->point[found - 1] == NO_VALUE)
        return FALSE;
      const Axis *axis = g_ptr_array_index (self->axes, found - 1);
      const Value *value = g_ptr_array_index (axis->values, self->point[found - 1]);
      if (!is_same_value (value, equals + 1))
        {
          g_autofree char *text = g_strdup_printf ("%s=%s", name, value->text);

          _cured_import_leave_out (reader, "--only", text);
          return FALSE;
        }
    }
  return TRUE;
}

/* Takes the record, or leaves it where the options want other ones. */
gboolean
_cured_import_end_record (CuredImportReader *self, CuredImportTable *table, GError **error)
{
  /* Check before each record has an index for each axis. */
  if (table->axes->len > MAX_AXES)
    return _cured_import_fail (
        self, error, _ ("%s has more than %d parameters, the most that a result file can have"),
        table->name, MAX_AXES);
  if (!is_wanted (table, self))
    {
      g_array_set_size (table->records, table->records->len - 1);
      return TRUE;
    }
  guint32 *point = g_new (guint32, table->n_point + 1);
  point[0] = (guint32) table->n_point;
  for (gsize i = 0; i < table->n_point; i++)
    {
      const Axis *axis = g_ptr_array_index (table->axes, i);

      point[i + 1] = table->point[i];
      if (table->point[i] != NO_VALUE)
        ((Value *) g_ptr_array_index (axis->values, table->point[i]))->is_used = TRUE;
    }
  g_ptr_array_add (table->points, point);
  return TRUE;
}

/* Parameters that a record lacks become null. */
static void
fill_gaps (CuredImportTable *self)
{
  for (gsize i = 0; i < self->axes->len; i++)
    {
      Axis *axis = g_ptr_array_index (self->axes, i);
      guint32 null = NO_VALUE;

      for (guint j = 0; j < self->points->len; j++)
        {
          guint32 *point = g_ptr_array_index (self->points, j);

          if (i < point[0] && point[i + 1] != NO_VALUE)
            continue;
          if (null == NO_VALUE)
            null = add_value (axis, NULL, TRUE);
          if (i >= point[0])
            {
              guint n_before = point[0];

              point = g_renew (guint32, point, self->axes->len + 1);
              g_ptr_array_index (self->points, j) = point;
              point[0] = (guint32) self->axes->len;
              for (gsize k = n_before; k < self->axes->len; k++)
                point[k + 1] = NO_VALUE;
            }
          point[i + 1] = null;
        }
    }
}

static int
compare_axes (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Axis *const *) a)->name, (*(const Axis *const *) b)->name);
}

/* Sorts axes by name, after filling gaps, so that the order of the files does not matter. */
static void
sort_axes (CuredImportTable *self)
{
  g_autofree guint32 *sorted = g_new (guint32, self->axes->len + 1);

  g_ptr_array_sort (self->axes, compare_axes);
  CURED_EACH_POINTER (guint32, point, self->points)
    {
      for (guint i = 0; i < self->axes->len; i++)
        {
          gsize from = GPOINTER_TO_SIZE (g_hash_table_lookup (
              self->by_name, ((Axis *) g_ptr_array_index (self->axes, i))->name));

          sorted[i] = point[from];
        }
      memcpy (point + 1, sorted, self->axes->len * sizeof *sorted);
    }
  for (guint i = 0; i < self->axes->len; i++)
    {
      Axis *axis = g_ptr_array_index (self->axes, i);

      g_hash_table_replace (self->by_name, axis->name, GSIZE_TO_POINTER ((gsize) i + 1));
    }
}

static int
compare_values (gconstpointer a, gconstpointer b)
{
  const Value *x = *(const Value *const *) a, *y = *(const Value *const *) b;

  if (isnan (x->number) || isnan (y->number))
    return (int) isnan (x->number) - (int) isnan (y->number);
  return (x->number > y->number) - (x->number < y->number);
}

/* The same, with an order of texts that does not depend on files. */
static int
compare_merged (gconstpointer a, gconstpointer b)
{
  int order = compare_values (a, b);

  return order != 0 ? order
                    : strcmp ((*(const Value *const *) a)->text, (*(const Value *const *) b)->text);
}

/* The values of the axis, in order. */
static GPtrArray *
choose_values (const CuredImportTable *self, const Axis *axis, gboolean all)
{
  GPtrArray *chosen = g_ptr_array_new ();

  CURED_EACH_POINTER (const Value, value, axis->values)
    if (all || value->is_used)
      g_ptr_array_add (chosen, (gpointer) value);
  /* Texts keep their original order, since the sort is stable. */
  if (axis->differs)
    g_ptr_array_sort (chosen, compare_merged);
  else if (self->is_sorted)
    g_ptr_array_sort (chosen, compare_values);
  for (guint i = 0; i < chosen->len; i++)
    ((Value *) g_ptr_array_index (chosen, i))->position = i;
  return chosen;
}

/* The number for a text value, derived from the text, so that values of two files are equal
 * if their numbers are. It is from 2^52 to 2^53, which JSON preserves and no parameter
 * uses. */
static gint64
number_text (const char *text, GHashTable *used)
{
  g_autofree gint64 *number = g_new (gint64, 1);

  *number = _cured_axis_number_text (text);
  while (g_hash_table_contains (used, number))
    ++*number;
  g_hash_table_add (used, g_memdup2 (number, sizeof *number));
  return *number;
}

/* Integers stay numbers; if any value is not one, all have names. */
static CuredAxis *
make_axis (GPtrArray *values)
{
  g_autoptr (GHashTable) used = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree gint64 *numbers = g_new (gint64, values->len);
  g_autofree const char **names = g_new0 (const char *, values->len + 1);
  gboolean is_named = FALSE;

  for (guint i = 0; i < values->len; i++)
    {
      const Value *value = g_ptr_array_index (values, i);

      names[i] = value->text;
      is_named |= !value->is_integer;
      if (!value->is_integer)
        continue;
      numbers[i] = value->integer;
      g_hash_table_add (used, g_memdup2 (&value->integer, sizeof value->integer));
    }
  for (guint i = 0; i < values->len; i++)
    if (!((Value *) g_ptr_array_index (values, i))->is_integer)
      numbers[i] = number_text (names[i], used);
  g_autoptr (CuredAxis) axis = cured_axis_new (numbers, values->len);
  return is_named ? cured_axis_new_named (axis, names) : g_steal_pointer (&axis);
}

/* -1: more than a result file can have. */
static gint64
count_cells (const CuredImportTable *self, gboolean all)
{
  gint64 n_cells = 1;

  CURED_EACH_POINTER (const Axis, axis, self->axes)
    {
      gint64 n_values = 0;

      for (guint j = 0; j < axis->values->len; j++)
        n_values += all || ((Value *) g_ptr_array_index (axis->values, j))->is_used;
      if (n_values > CURED_AXIS_MAX_VALUES ||
          (n_values > 0 && n_cells > CURED_PLAN_MAX_CELLS / n_values))
        return -1;
      n_cells *= MAX (n_values, 1);
    }
  return n_cells;
}

static gboolean
make_axes (CuredImportTable *self, CuredImportReader *reader, CuredHead *head, GError **error)
{
  gboolean all = reader->options->only == NULL;

  fill_gaps (self);
  if (self->differs)
    sort_axes (self);
  gint64 n_listed = count_cells (self, TRUE);
  if (all && n_listed > MAX_LISTED && n_listed / MAX_LISTED_PER_POINT > self->records->len)
    all = FALSE;
  else if (all && n_listed < 0)
    {
      all = FALSE;
      g_ptr_array_add (reader->notes,
                       g_strdup_printf (_ ("%s: all listed values together make too many points, "
                                           "so that only values that were measured are kept"),
                                        self->name));
    }
  head->n_cells = count_cells (self, all);
  if (head->n_cells < 0)
    return _cured_import_fail (
        reader, error,
        _ ("the values of the %u parameters of %s make more points than a result file can have "
           "(%" PRId64 "). Import a part of them: with --only, choose values of some parameters, "
           "as in “--only %s=VALUE”."),
        self->axes->len, self->name, CURED_PLAN_MAX_CELLS,
        ((Axis *) g_ptr_array_index (self->axes, 0))->name);

  head->n_axes = 0;
  head->axes = g_new0 (CuredResultAxis, self->axes->len + 1);
  CURED_EACH_POINTER (const Axis, axis, self->axes)
    {
      g_autoptr (GPtrArray) values = choose_values (self, axis, all);
      CuredResultAxis *made = &head->axes[head->n_axes];

      /* A parameter without values in records or lists. */
      if (values->len == 0)
        continue;
      if (*axis->name == '\0')
        return _cured_import_fail (reader, error, _ ("%s: a parameter has no name"), self->name);
      made->name = g_strdup (axis->name);
      made->kind = axis->kind;
      made->values = make_axis (values);
      head->n_axes++;
    }
  return TRUE;
}

static gint64
find_cell (const CuredImportTable *self, const CuredHead *head, guint record)
{
  const guint32 *point = g_ptr_array_index (self->points, record);
  gint64 cell = 0;
  gsize made = 0;

  for (guint i = 0; i < self->axes->len; i++)
    {
      const Axis *axis = g_ptr_array_index (self->axes, i);

      if (axis->values->len == 0)
        continue;
      const Value *value = g_ptr_array_index (axis->values, point[i + 1]);
      cell = cell * (gint64) cured_axis_get_length (head->axes[made++].values) + value->position;
    }
  return cell;
}

/* Merging */

static gboolean
has_same_axes (const CuredImportTable *self, const CuredImportTable *other)
{
  gboolean same = self->axes->len == other->axes->len;

  for (guint i = 0; same && i < self->axes->len; i++)
    same = g_str_equal (((const Axis *) g_ptr_array_index (self->axes, i))->name,
                        ((const Axis *) g_ptr_array_index (other->axes, i))->name);
  return same;
}

static gboolean
has_same_values (const Axis *self, const Axis *other)
{
  gboolean same = self->values->len == other->values->len;

  for (guint i = 0; same && i < self->values->len; i++)
    same = g_str_equal (((const Value *) g_ptr_array_index (self->values, i))->text,
                        ((const Value *) g_ptr_array_index (other->values, i))->text);
  return same;
}

/* Whether both are of the same benchmark on the same device. */
gboolean
_cured_import_table_matches (const CuredImportTable *self, const CuredImportTable *other)
{
  return self->is_file_named == other->is_file_named &&
         (self->is_file_named || g_str_equal (self->name, other->name)) &&
         g_strcmp0 (self->device.name, other->device.name) == 0;
}

/* Takes the points of another file. Differing axes and values are sorted later, so that the order
 * of files does not matter. */
void
_cured_import_table_absorb (CuredImportTable *self, CuredImportTable *other)
{
  g_autofree gsize *axis_of = g_new0 (gsize, other->axes->len + 1);
  g_autoptr (GPtrArray) value_of = g_ptr_array_new_with_free_func (g_free);

  self->differs |= other->differs || !has_same_axes (self, other);
  self->is_sorted |= other->is_sorted;
  self->needs_name |= self->is_file_named && !g_str_equal (self->name, other->name);
  CURED_EACH_POINTER (Axis, axis, self->axes)
    axis->differs |= !g_hash_table_contains (other->by_name, axis->name);
  for (guint i = 0; i < other->axes->len; i++)
    {
      Axis *from = g_ptr_array_index (other->axes, i);
      gboolean is_new = !g_hash_table_contains (self->by_name, from->name);
      Axis *to = get_axis (self, from->name, from->kind, &axis_of[i]);
      guint32 *indices = g_new (guint32, from->values->len + 1);

      to->differs |= from->differs || is_new || !has_same_values (to, from);
      for (guint j = 0; j < from->values->len; j++)
        {
          Value *value = g_ptr_array_index (from->values, j);
          Value *copy = g_memdup2 (value, sizeof *value);

          copy->text = g_strdup (value->text);
          indices[j] = put_value (to, copy, value->is_used);
        }
      g_ptr_array_add (value_of, indices);
    }
  CURED_EACH_POINTER (const guint32, point, other->points)
    {
      guint32 *made = g_new (guint32, self->axes->len + 1);

      made[0] = self->axes->len;
      for (guint i = 0; i < self->axes->len; i++)
        made[i + 1] = NO_VALUE;
      for (guint i = 0; i < point[0]; i++)
        if (point[i + 1] != NO_VALUE)
          made[axis_of[i] + 1] = ((guint32 *) g_ptr_array_index (value_of, i))[point[i + 1]];
      g_ptr_array_add (self->points, made);
    }
  g_array_append_vals (self->records, other->records->data, other->records->len);
  if (other->result != NULL)
    g_set_object (&self->result, other->result);
}

/* Recreates the value that make_value() made when it was first imported. */
static Value *
make_value_again (const CuredAxis *axis, gsize index)
{
  gint64 number = cured_axis_get_value (axis, index);
  const char *name = cured_axis_get_name (axis, number);
  g_autofree char *text = name != NULL ? g_strdup (name) : g_strdup_printf ("%" PRId64, number);
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), text);
  Value *self = make_value (node);

  if (!g_str_equal (self->text, text))
    {
      g_free (self->text);
      self->text = g_steal_pointer (&text);
      self->is_integer = FALSE;
    }
  return self;
}

static void
read_result_points (CuredImportTable *self, CuredResult *result)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);

  for (gsize i = 0; i < n_axes; i++)
    for (gsize j = 0; j < cured_axis_get_length (axes[i].values); j++)
      put_value (get_axis (self, axes[i].name, axes[i].kind, NULL),
                 make_value_again (axes[i].values, j), FALSE);
  CURED_EACH_CELL (result, cell)
    {
      Record record = { .cell = cell };
      guint32 *point = g_new (guint32, n_axes + 1);

      cured_result_get_positions (result, cell, positions);
      point[0] = (guint32) n_axes;
      for (gsize i = 0; i < n_axes; i++)
        {
          Axis *axis = g_ptr_array_index (self->axes, i);

          point[i + 1] = (guint32) positions[i];
          ((Value *) g_ptr_array_index (axis->values, positions[i]))->is_used = TRUE;
        }
      g_array_append_val (self->records, record);
      g_ptr_array_add (self->points, point);
    }
}

/* Takes the points of a result file that was imported from the same format. */
gboolean
_cured_import_table_add_result (CuredImportTable *self, CuredImportReader *reader, const char *path,
                                GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredResult) result = cured_result_load (path, cancellable, error);
  g_autofree char *file = g_filename_display_name (path);

  if (result == NULL)
    return FALSE;
  if (g_strcmp0 (cured_result_get_imported (result), reader->format->id) != 0)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("“%s” was not imported from a file of this format (%s), so that nothing "
                          "can be added to it"),
                       file, _ (reader->format->title));
  const char *title = cured_result_get_title (result);
  const char *device = cured_result_get_device (result)->name;
  if (self->is_file_named)
    set_text (&self->name, title);
  if (!g_str_equal (self->name, title) || g_strcmp0 (self->device.name, device) != 0)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("“%s” is of “%s” on “%s”, and this is of “%s” on “%s”"), file, title,
                       device, self->name, self->device.name);
  gsize n_metrics = 0;
  cured_result_get_metrics (result, &n_metrics);
  for (gsize i = CURED_N_METRICS; i < n_metrics; i++)
    if (!cured_result_load_column (result, i, cancellable, error))
      return FALSE;
  CuredImportTable *other = table_new (reader, title, title, NULL);
  other->result = g_object_ref (result);
  read_result_points (other, result);
  _cured_import_table_absorb (self, other);
  _cured_import_table_free (other);
  return TRUE;
}

/* Renames the table if its files have different names. */
void
_cured_import_table_rename (CuredImportTable *self, const char *name)
{
  if (!self->needs_name)
    return;
  set_text (&self->name, name);
  set_text (&self->label, name);
}

/* Figures */

void
_cured_import_set_metric (CuredImportCell *self, CuredMetric metric, double value)
{
  /* Tuners write a failure as a time of 0 or -1. */
  if (isfinite (value) &&
      (value > 0 || (metric != CURED_METRIC_time && metric != CURED_METRIC_time_mean &&
                     metric != CURED_METRIC_time_min)))
    self->outcome->metrics[metric] = value;
}

/* A name for a column that is not one of Cured's. */
static char *
make_id (const char *text)
{
  g_autoptr (GString) id = g_string_new (NULL);
  CuredMetric metric;

  for (const char *at = text; *at != '\0'; at++)
    if (g_ascii_isalnum (*at))
      g_string_append_c (id, g_ascii_tolower (*at));
    else if (id->len > 0 && id->str[id->len - 1] != '_')
      g_string_append_c (id, '_');
  while (id->len > 0 && id->str[id->len - 1] == '_')
    g_string_truncate (id, id->len - 1);
  if (id->len == 0)
    g_string_assign (id, "figure");
  if (g_ascii_isdigit (id->str[0]))
    g_string_prepend_c (id, '_');
  while (cured_metric_from_id (id->str, &metric))
    g_string_append_c (id, '_');
  return g_string_free (g_steal_pointer (&id), FALSE);
}

/* Keeps an unknown figure: adds a row to the file's own table of metrics. */
void
_cured_import_set_extra (CuredImportCell *self, const char *id, const char *title,
                         const char *description, const char *unit, CuredBetter better,
                         double value)
{
  CuredImportTable *table = self->table;
  g_autofree char *column = make_id (id), *line = make_line (title);
  ExtraValue made = { .value = value };

  if (!isfinite (value) || self->error != NULL)
    return;
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (table->extra_of, column));
  if (index == 0)
    {
      CuredMetricInfo info = {
        .id = column,
        .unit = unit,
        .origin = CURED_ORIGIN_MEASURED,
        .better = better,
        .title = *line != '\0' ? line : column,
        .description = description != NULL && *description != '\0'
                           ? description
                           : N_ ("As the imported file has it"),
      };
      gint64 number = 0;

      if (table->extras->len >= MAX_EXTRAS)
        {
          _cured_import_drop (self, id);
          return;
        }
      if (!_cured_store_add_metric (self->store, &info, &number, &self->error))
        return;
      Extra *extra = CURED_NEW (Extra, .id = g_steal_pointer (&column), .unit = g_strdup (unit),
                                .number = number);
      g_ptr_array_add (table->extras, extra);
      index = table->extras->len;
      g_hash_table_insert (table->extra_of, extra->id, GUINT_TO_POINTER (index));
    }
  made.extra = index - 1;
  const Extra *known = g_ptr_array_index (table->extras, made.extra);
  if (!g_str_equal (known->unit, unit))
    {
      _cured_import_fail (table->reader, &self->error, _ ("“%s” is in “%s” and in “%s”"), title,
                          known->unit, unit);
      return;
    }
  /* Two names in the source may map to one of ours: the later one counts. */
  for (guint i = 0; i < self->extras->len; i++)
    if (g_array_index (self->extras, ExtraValue, i).extra == made.extra)
      {
        g_array_index (self->extras, ExtraValue, i) = made;
        return;
      }
  g_array_append_val (self->extras, made);
}

/* Whether the cell has any figure. */
gboolean
_cured_import_has_figure (const CuredImportCell *self)
{
  for (gsize i = 0; i < CURED_N_METRICS; i++)
    if (i != CURED_METRIC_compile_time && isfinite (self->outcome->metrics[i]))
      return TRUE;
  return self->extras->len > 0;
}

void
_cured_import_add_sample (CuredImportCell *self, double time_ns, double sm_clock_hz)
{
  CuredSample sample = { .time_ns = time_ns, .sm_clock_hz = sm_clock_hz };

  if (!isfinite (time_ns) || time_ns < 0)
    return;
  if (self->outcome->cold == NULL)
    self->outcome->cold = cured_samples_new (CURED_TIMING_COLD, 1);
  g_array_append_val (self->outcome->cold->samples, sample);
}

void
_cured_import_set_date (CuredImportCell *self, JsonObject *record)
{
  const char *text = _cured_import_get_string (record, "timestamp");
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();

  if (text == NULL || strlen (text) > MAX_DATE_BYTES)
    return;
  g_autoptr (GDateTime) date = g_date_time_new_from_iso8601 (text, utc);
  /* Ignore dates of clocks that were never set. */
  if (date == NULL || g_date_time_get_year (date) < 1971 || g_date_time_get_year (date) > 9998)
    return;
  g_clear_pointer (&self->outcome->finished, g_date_time_unref);
  self->outcome->finished = g_steal_pointer (&date);
}

void
_cured_import_drop (CuredImportCell *self, const char *what)
{
  if (!g_hash_table_contains (self->table->dropped, what))
    g_hash_table_add (self->table->dropped, make_line (what));
}

/* Computes times from its samples, if any. Without a time, it is not ok. */
void
_cured_import_finish_times (CuredImportCell *self)
{
  double *metrics = self->outcome->metrics;
  double clock_hz = metrics[CURED_METRIC_sm_clock];

  if (self->outcome->cold != NULL)
    {
      cured_outcome_fill_times (self->outcome);
      /* It was not checked. */
      metrics[CURED_METRIC_throttled] = CURED_MISSING;
      metrics[CURED_METRIC_rounds] = CURED_MISSING;
      if (isnan (metrics[CURED_METRIC_sm_clock]))
        metrics[CURED_METRIC_sm_clock] = clock_hz;
    }
  /* If only the mean was kept, it is better than no map at all. */
  if (isnan (metrics[CURED_METRIC_time]))
    metrics[CURED_METRIC_time] = metrics[CURED_METRIC_time_mean];
}

/* Writing */

/* Reads a cell of the existing result. */
static void
interpret_again (CuredImportCell *cell, CuredResult *result, gint64 number)
{
  gsize n_metrics = 0;
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);

  cell->outcome = cured_result_load_outcome (result, number, &cell->error);
  for (gsize i = CURED_N_METRICS; cell->outcome != NULL && i < n_metrics; i++)
    _cured_import_set_extra (cell, metrics[i].id, metrics[i].title, metrics[i].description,
                             metrics[i].unit, metrics[i].better,
                             cured_result_get_value (result, number, i));
}

static gboolean
interpret (CuredImportCell *cell, const Record *record, GError **error)
{
  g_array_set_size (cell->extras, 0);
  cell->reader = record->reader;
  if (record->reader == NULL)
    interpret_again (cell, cell->table->result, record->cell);
  else
    {
      cell->outcome = cured_outcome_new ();
      cell->table->interpret (cell, record->source);
    }
  if (cell->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cell->error));
  return FALSE;
}

static guint64
hash_number (guint64 hash, double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  hash = (hash ^ bits) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ (hash >> 32);
}

/* A hash of everything that may differ between two files for a point. */
static guint64
hash_cell (const CuredImportCell *self)
{
  const CuredOutcome *outcome = self->outcome;
  guint64 hash = outcome->reason != NULL ? g_str_hash (outcome->reason) : 0, sum = 0;

  for (gsize i = 0; i < CURED_N_METRICS; i++)
    if (isfinite (outcome->metrics[i]))
      hash = hash_number (hash + i, outcome->metrics[i]);
  for (guint i = 0; outcome->cold != NULL && i < outcome->cold->samples->len; i++)
    hash = hash_number (hash, g_array_index (outcome->cold->samples, CuredSample, i).time_ns);
  /* Files have them in different orders. */
  CURED_EACH (const ExtraValue, value, self->extras)
    {
      const Extra *extra = g_ptr_array_index (self->table->extras, value->extra);

      sum += hash_number (g_str_hash (extra->id), value->value);
    }
  return hash ^ sum;
}

/* Chooses between two records of a point, independent of the order of files: one with a
 * result, then more samples, then the shorter time, then any. Negative: @a; 0: they are
 * equal. */
static int
compare_cells (const CuredImportCell *a, const CuredImportCell *b)
{
  static const guint8 ranks[CURED_N_STATES] = {
    [CURED_STATE_OK] = 0,      [CURED_STATE_WRONG] = 1,     [CURED_STATE_FAILED] = 2,
    [CURED_STATE_CRASHED] = 3, [CURED_STATE_TIMED_OUT] = 4, [CURED_STATE_NOT_LAUNCHABLE] = 5,
    [CURED_STATE_NOT_RUN] = 6,
  };
  int order = ranks[a->outcome->state] - ranks[b->outcome->state];
  guint n_a = a->outcome->cold != NULL ? a->outcome->cold->samples->len : 0;
  guint n_b = b->outcome->cold != NULL ? b->outcome->cold->samples->len : 0;
  double time_a = a->outcome->metrics[CURED_METRIC_time];
  double time_b = b->outcome->metrics[CURED_METRIC_time];

  if (order == 0)
    order = (n_a < n_b) - (n_a > n_b);
  if (order == 0)
    order = isnan (time_a) || isnan (time_b) ? (int) isnan (time_a) - (int) isnan (time_b)
                                             : (time_a > time_b) - (time_a < time_b);
  if (order == 0)
    {
      guint64 hash_a = hash_cell (a), hash_b = hash_cell (b);

      order = (hash_a > hash_b) - (hash_a < hash_b);
    }
  return order;
}

static gboolean
write_cell (CuredImportCell *cell, GError **error)
{
  CuredImportTable *table = cell->table;

  if (cell->outcome->state == CURED_STATE_NOT_RUN)
    return TRUE;
  gboolean ok = cured_store_append (cell->store, cell->number, cell->outcome, error);
  for (guint i = 0; ok && i < cell->extras->len; i++)
    {
      const ExtraValue *value = &g_array_index (cell->extras, ExtraValue, i);
      const Extra *extra = g_ptr_array_index (table->extras, value->extra);

      ok = _cured_store_set_value (cell->store, extra->number, cell->number, value->value, error);
    }
  return ok;
}

typedef struct
{
  CuredImportReader *reader;
  CuredImportTable *table;
  const CuredHead *head;
  GCancellable *cancellable;
} Filling;

/* Takes the other record if it is preferred; if both are equal, only its date. */
static void
choose (CuredImportCell *best, CuredImportCell *other, gboolean *is_conflict)
{
  int order = compare_cells (best, other);
  GDateTime *date = best->outcome->finished, *other_date = other->outcome->finished;

  *is_conflict |= order != 0;
  if (order > 0 || (order == 0 && other_date != NULL &&
                    (date == NULL || g_date_time_compare (other_date, date) < 0)))
    {
      CuredImportCell swapped = *best;

      *best = *other;
      *other = swapped;
    }
}

/* Writes the cell of a record, and of those of other files before it. */
static gboolean
fill_cell (Filling *self, CuredImportCell cells[2], const guint32 *previous, guint record,
           GError **error)
{
  const Record *records = (const Record *) (void *) self->table->records->data;
  gboolean is_conflict = FALSE, ok = interpret (&cells[0], &records[record], error);

  for (guint i = previous[record]; ok && i != 0; i = previous[i - 1])
    {
      ok = interpret (&cells[1], &records[i - 1], error);
      if (ok)
        choose (&cells[0], &cells[1], &is_conflict);
      g_clear_pointer (&cells[1].outcome, cured_outcome_free);
    }
  self->table->n_conflicts += is_conflict;
  ok = ok && write_cell (&cells[0], error);
  g_clear_pointer (&cells[0].outcome, cured_outcome_free);
  return ok;
}

static gboolean
fill (CuredStore *store, gpointer data, GError **error)
{
  Filling *self = data;
  CuredImportTable *table = self->table;
  CuredImportCell cells[2] = { { .table = table, .store = store }, { 0 } };
  const Record *records = (const Record *) (void *) table->records->data;
  gboolean ok = TRUE;
  /* Plus 1. Within one file, earlier records of a point are not read. */
  g_autofree guint32 *last_of_cell = g_new0 (guint32, (gsize) self->head->n_cells);
  g_autofree guint32 *previous = g_new0 (guint32, table->records->len + 1);

  cells[1] = cells[0];
  for (gsize i = 0; i < 2; i++)
    cells[i].extras = g_array_new (FALSE, FALSE, sizeof (ExtraValue));
  for (guint i = 0; i < table->records->len; i++)
    {
      guint32 *last = &last_of_cell[find_cell (table, self->head, i)];
      gboolean is_repeated = *last != 0 && records[*last - 1].reader == records[i].reader;

      table->n_repeated += is_repeated;
      previous[i] = is_repeated ? previous[*last - 1] : *last;
      *last = i + 1;
    }
  for (guint i = 0; ok && i < table->records->len; i++)
    {
      gint64 cell = find_cell (table, self->head, i);

      if (last_of_cell[cell] != i + 1)
        continue;
      cells[0].number = cells[1].number = cell;
      ok = !g_cancellable_set_error_if_cancelled (self->cancellable, error) &&
           fill_cell (self, cells, previous, i, error);
    }
  g_array_unref (cells[0].extras);
  g_array_unref (cells[1].extras);
  for (gint64 i = 0; ok && i < self->head->n_cells; i++)
    {
      CuredState state = cured_store_get_state (store, i);

      table->n_known += state != CURED_STATE_NOT_RUN;
      table->n_ok += state == CURED_STATE_OK;
    }
  return ok;
}

static void
note_dropped (const CuredImportTable *self, CuredImportReader *reader)
{
  guint n_dropped = g_hash_table_size (self->dropped);
  g_autoptr (GList) keys = g_hash_table_get_keys (self->dropped);
  g_autoptr (GString) list = g_string_new (NULL);
  guint n_listed = 0;

  if (n_dropped == 0)
    return;
  keys = g_list_sort (keys, (GCompareFunc) strcmp);
  for (GList *at = keys; at != NULL && n_listed < 4; at = at->next, n_listed++)
    g_string_append_printf (list, "%s%s", n_listed > 0 ? ", " : "", (const char *) at->data);
  if (n_listed < n_dropped)
    g_string_append (list, ", …");
  g_ptr_array_add (
      reader->notes,
      g_strdup_printf (
          /* Translators: name of what was measured, a number, a list. */
          ngettext ("%s: %u entry of its records has no place in a result file (%s)",
                    "%s: %u entries of its records have no place in a result file (%s)", n_dropped),
          self->name, n_dropped, list->str));
}

static void
note_repeated (const CuredImportTable *self, CuredImportReader *reader)
{
  if (self->n_repeated == 0)
    return;
  g_ptr_array_add (
      reader->notes,
      g_strdup_printf (
          ngettext (
              "%s: %u record is of a point that another one has too; the last one of each counts",
              "%s: %u records are of points that others have too; the last one of each counts",
              self->n_repeated),
          self->name, self->n_repeated));
}

static void
note_conflicts (const CuredImportTable *self, CuredImportReader *reader)
{
  if (self->n_conflicts == 0)
    return;
  g_ptr_array_add (
      reader->notes,
      g_strdup_printf (
          ngettext ("%s: %u point has different results in the files; a result counts before a "
                    "failure, then more samples, then the shorter time",
                    "%s: %u points have different results in the files; a result counts before a "
                    "failure, then more samples, then the shorter time",
                    self->n_conflicts),
          self->name, self->n_conflicts));
}

static gboolean
is_finished (const CuredImportTable *self)
{
  gboolean is_finished = self->result == NULL || cured_result_is_finished (self->result);

  CURED_EACH (const Record, record, self->records)
    is_finished &= record->reader == NULL || !record->reader->is_cut;
  return is_finished;
}

/* The label that distinguishes its file from others. */
CURED_GETTER (const char *, _cured_import_table_get_label, const CuredImportTable, label)

/* Whether it has no record. */
gboolean
_cured_import_table_is_empty (const CuredImportTable *self)
{
  return self->records->len == 0;
}

/* Writes the result file. */
CuredImportedFile *
_cured_import_table_write (CuredImportTable *self, CuredImportReader *reader, const char *path,
                           gboolean overwrite, GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredHead) head = g_new0 (CuredHead, 1);
  Filling filling = { reader, self, head, cancellable };

  head->kernel_id = g_strdup (reader->format->id);
  head->title = g_strdup (self->name);
  head->source = g_strdup ("");
  head->imported = g_strdup (reader->format->id);
  head->finished = is_finished (self);
  cured_options_init (&head->options);
  cured_device_info_copy (&self->device, &head->device);
  if (!make_axes (self, reader, head, error) ||
      !_cured_store_write (path, head, overwrite, fill, &filling, error))
    return NULL;
  note_repeated (self, reader);
  note_conflicts (self, reader);
  note_dropped (self, reader);

  CuredImportedFile *file =
      CURED_NEW (CuredImportedFile, .path = g_strdup (path), .title = g_strdup (self->name),
                 .device = g_strdup (self->device.name), .n_cells = head->n_cells,
                 .n_known = self->n_known, .n_ok = self->n_ok);
  return file;
}
