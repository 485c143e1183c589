/* SPDX-License-Identifier: MIT
 * The values that one parameter takes in a sweep. */

#include "base/cured-number-private.h"
#include "base/cured-base-internal.h"

struct _CuredAxis
{
  gsize n_values;
  gint64 *values;
  guint32 *sorted; /* indices in ascending order of their values */
  char **names;    /* nullable: one per value */
  CuredAxis *like; /* nullable: the axis with the names of these values */
};

/* A number as it was written: `2^4` keeps base and exponent, since a range between two powers of
 * one base goes from power to power. */
typedef struct
{
  gint64 value;
  gint64 base; /* 0: not written as a power */
  gint64 exponent;
} Number;

typedef struct
{
  const char *text, *at;
  const CuredAxis *named; /* nullable: an axis with names of numbers */
} Scanner;

static void
skip_space (Scanner *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
accept (Scanner *self, const char *token)
{
  skip_space (self);
  if (!g_str_has_prefix (self->at, token))
    return FALSE;
  self->at += strlen (token);
  skip_space (self);
  return TRUE;
}

static gboolean
fail_expected (Scanner *self, const char *expected, GError **error)
{
  skip_space (self);
  return cured_fail (error, CURED_ERROR_SYNTAX, _ ("“%s”, column %d: expected %s"), self->text,
                     (int) (self->at - self->text) + 1, expected);
}

static gboolean
scan_number (Scanner *self, Number *number, GError **error)
{
  gboolean fits;

  skip_space (self);
  const char *start = self->at;
  gboolean is_negative = *self->at == '-';
  if (*self->at == '-' || *self->at == '+')
    self->at++;
  *number = (Number){ 0 };
  if (!_cured_scan_digits (&self->at, &number->value, &fits))
    return fail_expected (self, _ ("a number"), error);
  if (*self->at == '^')
    {
      gboolean exponent_fits;

      self->at++;
      if (!_cured_scan_digits (&self->at, &number->exponent, &exponent_fits))
        return fail_expected (self, _ ("an exponent"), error);
      number->base = is_negative ? 0 : number->value;
      fits = fits && exponent_fits &&
             _cured_integer_power (number->value, number->exponent, &number->value);
    }
  if (!fits)
    return cured_fail (error, CURED_ERROR_OVERFLOW, _ ("%.*s does not fit in 64 bits"),
                       (int) (self->at - start), start);
  if (is_negative)
    number->value = -number->value;
  if (g_ascii_isalnum (*self->at) || *self->at == '_')
    return fail_expected (self, _ ("the number to end (write 64K as 64_000 or 2^16)"), error);
  return TRUE;
}

static gboolean
add_range (GArray *values, const char *text, gsize length, gint64 first, gint64 last, gint64 step,
           GError **error)
{
  if (step == 0)
    return cured_fail (error, CURED_ERROR_INVALID, _ ("“%.*s”: the stride is 0"), (int) length,
                       text);
  if ((step > 0 && first > last) || (step < 0 && first < last))
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("“%.*s” has no values: the stride leads away from the end"), (int) length,
                       text);

  /* In unsigned arithmetic, because the span may be the whole range. */
  guint64 span = step > 0 ? (guint64) last - (guint64) first : (guint64) first - (guint64) last;
  guint64 stride = step > 0 ? (guint64) step : -(guint64) step, n_values = span / stride;
  if (n_values >= CURED_AXIS_MAX_VALUES || values->len + n_values >= CURED_AXIS_MAX_VALUES)
    return cured_fail (
        error, CURED_ERROR_INVALID,
        _ ("“%.*s” has %" PRIu64
           " values, and an axis may have %d in all; a stride makes them fewer (1..1000:8)"),
        (int) length, text, n_values == G_MAXUINT64 ? n_values : n_values + 1,
        CURED_AXIS_MAX_VALUES);
  for (guint64 i = 0; i <= n_values; i++)
    {
      gint64 value = (gint64) ((guint64) first + i * (guint64) step);

      g_array_append_val (values, value);
    }
  return TRUE;
}

/* The axis with the names of @self's values. */
static const CuredAxis *
get_naming (const CuredAxis *self)
{
  return self == NULL || self->names != NULL ? self : self->like;
}

static gboolean
is_name_start (char c)
{
  return g_ascii_isalpha (c) || c == '_';
}

static gsize
get_name_length (const char *text)
{
  gsize length = 0;

  while (is_name_start (text[length]) ||
         (length > 0 && (g_ascii_isdigit (text[length]) || text[length] == '-')))
    length++;
  return length;
}

static gboolean
scan_name (Scanner *self, gint64 *value, GError **error)
{
  gsize length = get_name_length (self->at);

  for (gsize i = 0; i < self->named->n_values; i++)
    if (strlen (self->named->names[i]) == length &&
        memcmp (self->named->names[i], self->at, length) == 0)
      {
        *value = self->named->values[i];
        self->at += length;
        return TRUE;
      }
  g_autofree char *list = g_strjoinv (", ", self->named->names);
  return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("no value is called “%.*s”; there are %s"),
                     (int) length, self->at, list);
}

static gboolean
scan_item (Scanner *self, GArray *values, GError **error)
{
  Number first, last, step = { 0 };

  skip_space (self);
  const char *start = self->at;
  if (self->named != NULL && is_name_start (*start))
    {
      gint64 value = 0;

      if (!scan_name (self, &value, error))
        return FALSE;
      g_array_append_val (values, value);
      return TRUE;
    }
  if (!scan_number (self, &first, error))
    return FALSE;
  if (!accept (self, ".."))
    return add_range (values, start, (gsize) (self->at - start), first.value, first.value, 1,
                      error);
  if (!scan_number (self, &last, error))
    return FALSE;

  if (accept (self, ":"))
    {
      if (!scan_number (self, &step, error))
        return FALSE;
    }
  else if (first.base >= 2 && first.base == last.base)
    {
      /* Both ends fit, so there are at most 63 powers between them: checking the total before the
       * next range is soon enough. */
      gint64 direction = first.exponent <= last.exponent ? 1 : -1;

      for (gint64 e = first.exponent; e != last.exponent + direction; e += direction)
        {
          gint64 value;

          _cured_integer_power (first.base, e, &value);
          g_array_append_val (values, value);
        }
      return TRUE;
    }
  else
    step.value = first.value <= last.value ? 1 : -1;

  return add_range (values, start, (gsize) (self->at - start), first.value, last.value, step.value,
                    error);
}

static int
compare_indices (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const gint64 *values = user_data;
  gint64 x = values[*(const guint32 *) a], y = values[*(const guint32 *) b];

  return (x > y) - (x < y);
}

/* Takes @values, which are not empty and not too many. NULL if a value occurs twice; *@duplicate is
 * then this value. */
static CuredAxis *
axis_new_take (gint64 *values, gsize n_values, gint64 *duplicate)
{
  g_autoptr (CuredAxis) self = g_atomic_rc_box_new0 (CuredAxis);

  self->n_values = n_values;
  self->values = values;
  self->sorted = g_new (guint32, n_values);
  for (gsize i = 0; i < n_values; i++)
    self->sorted[i] = (guint32) i;
  g_qsort_with_data (self->sorted, (int) n_values, sizeof (guint32), compare_indices, values);
  for (gsize i = 1; i < n_values; i++)
    if (values[self->sorted[i]] == values[self->sorted[i - 1]])
      {
        *duplicate = values[self->sorted[i]];
        return NULL;
      }
  return g_steal_pointer (&self);
}

/* @text: `1,2,4`, `4..32`, `4..32:4`, `2^4..2^12`, or a comma-separated mix
 *
 * A range without a step goes up or down by 1; a range between two powers of the same base, both
 * written with `^`, goes from power to power. With a step, it continues while it does not pass the
 * end.
 *
 * Fails with CURED_ERROR_SYNTAX; CURED_ERROR_OVERFLOW for a number that does not fit;
 * CURED_ERROR_INVALID for a range with no values or too many, and for a value that occurs twice.
 * Returns: (transfer full) (nullable): the axis */
CuredAxis *
cured_axis_parse (const char *text, GError **error)
{
  return cured_axis_parse_named (text, NULL, error);
}

/* @text: as for cured_axis_parse(); single values may be names
 * @named: (nullable): an axis that may have names
 *
 * Fails as cured_axis_parse() does, and with CURED_ERROR_NOT_FOUND for a name that @named
 * lacks.
 * Returns: (transfer full) (nullable): the axis, with the names of
 *   @named */
CuredAxis *
cured_axis_parse_named (const char *text, const CuredAxis *named, GError **error)
{
  Scanner scanner = { text, text, get_naming (named) };
  gint64 duplicate = 0;

  g_return_val_if_fail (text != NULL, NULL);

  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  skip_space (&scanner);
  if (*scanner.at == '\0')
    return cured_fail_null (error, CURED_ERROR_SYNTAX,
                            _ ("an axis needs at least one value: 1,2,4 or 4..32:4 or 2^4..2^12"));
  do
    if (!scan_item (&scanner, values, error))
      return NULL;
  while (accept (&scanner, ","));
  if (*scanner.at != '\0')
    {
      fail_expected (&scanner, _ ("“,” or “..”, or the end"), error);
      return NULL;
    }

  gsize n_values = values->len;
  if (n_values > CURED_AXIS_MAX_VALUES)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("%zu values, and an axis may have %d in all"), n_values,
                            CURED_AXIS_MAX_VALUES);
  CuredAxis *self = axis_new_take (
      (gint64 *) (void *) g_array_free (g_steal_pointer (&values), FALSE), n_values, &duplicate);
  if (self == NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID, _ ("“%s” has %" PRId64 " twice"), text,
                 duplicate);
  else if (scanner.named != NULL)
    self->like = cured_axis_ref ((CuredAxis *) scanner.named);
  return self;
}

/* Up to 2^53, where two texts of one number are one value. */
static gboolean
is_same_number (const char *a, const char *b)
{
  char *end_a = NULL, *end_b = NULL;
  double x = g_ascii_strtod (a, &end_a), y = g_ascii_strtod (b, &end_b);

  return end_a != a && *end_a == '\0' && end_b != b && *end_b == '\0' && x == y &&
         fabs (x) <= 0x1p53;
}

/* @named: (nullable): an axis that may have names
 * @text: a name, or a number as for cured_parse_integer()
 * @value: (out): the value; unchanged after a failure
 *
 * Fails as cured_parse_integer() does, and with CURED_ERROR_NOT_FOUND for a name that @named lacks.
 * Does not check that a number is a value of @named.
 * Returns: TRUE on success */
gboolean
cured_axis_parse_value (const CuredAxis *named, const char *text, gint64 *value, GError **error)
{
  Scanner scanner = { text, text, get_naming (named) };

  g_return_val_if_fail (text != NULL && value != NULL, FALSE);

  skip_space (&scanner);
  /* Names from other programs may look like numbers: 0.5, 16x16; at last, "1.000" is 1. */
  for (int turn = 0; turn < 2; turn++)
    for (gsize i = 0; scanner.named != NULL && i < scanner.named->n_values; i++)
      if (turn == 0 ? g_str_equal (scanner.named->names[i], scanner.at)
                    : is_same_number (scanner.named->names[i], scanner.at))
        {
          *value = scanner.named->values[i];
          return TRUE;
        }
  if (scanner.named != NULL && is_name_start (*scanner.at))
    {
      gint64 found = 0;

      if (!scan_name (&scanner, &found, error))
        return FALSE;
      skip_space (&scanner);
      if (*scanner.at != '\0')
        return fail_expected (&scanner, _ ("one name and no more"), error);
      *value = found;
      return TRUE;
    }
  return cured_parse_integer (text, value, error);
}

/* Returns: whether it can name a value: letters, digits, `_` and `-`, and neither a digit nor `-`
 *   at the start */
gboolean
cured_axis_is_name (const char *text)
{
  g_return_val_if_fail (text != NULL, FALSE);
  return *text != '\0' && get_name_length (text) == strlen (text);
}

/* @names: (array zero-terminated=1): one name per value, in the order of the axis
 *
 * A name that is invalid for cured_axis_is_name() is shown like others, but only read by
 * cured_axis_parse_value(), as a whole text.
 * Returns: (transfer full) (nullable): the same values with names; NULL if the number of names is
 *   wrong, one is empty, or one occurs twice */
CuredAxis *
cured_axis_new_named (const CuredAxis *values, const char *const *names)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  g_return_val_if_fail (values != NULL && names != NULL, NULL);

  if (g_strv_length ((char **) names) != values->n_values)
    return NULL;
  for (gsize i = 0; names[i] != NULL; i++)
    if (*names[i] == '\0' || !g_hash_table_add (seen, (gpointer) names[i]))
      return NULL;
  CuredAxis *self = cured_axis_new (values->values, values->n_values);
  self->names = g_strdupv ((char **) names);
  return self;
}

/* @texts: (array length=n_texts): values that are not numbers, without duplicates; none is empty
 * @n_texts: at least one
 *
 * Assigns numbers to the texts, the same in every file, so that values of two files are equal if
 * their numbers are. They are from 2^52 to 2^53, which JSON preserves and no parameter uses.
 * Returns: (transfer full) (nullable): the axis with the texts as names; NULL if one is empty or
 *   occurs twice */
CuredAxis *
cured_axis_new_texts (const char *const *texts, gsize n_texts)
{
  g_autoptr (GHashTable) used = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autofree gint64 *numbers = g_new (gint64, MAX (n_texts, 1));
  g_autofree const char **names = g_new0 (const char *, n_texts + 1);

  g_return_val_if_fail (texts != NULL && n_texts > 0, NULL);

  for (gsize i = 0; i < n_texts; i++)
    {
      names[i] = texts[i];
      numbers[i] = _cured_axis_number_text (texts[i]);
      while (g_hash_table_contains (used, &numbers[i]))
        numbers[i]++;
      g_hash_table_add (used, &numbers[i]);
    }
  g_autoptr (CuredAxis) axis = cured_axis_new (numbers, n_texts);
  return cured_axis_new_named (axis, names);
}

/* The number of a text for cured_axis_new_texts(); two texts may collide. */
gint64
_cured_axis_number_text (const char *text)
{
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  const guint64 half = G_GUINT64_CONSTANT (1) << 52;

  /* FNV-1a */
  for (const char *at = text; *at != '\0'; at++)
    hash = (hash ^ (guchar) *at) * G_GUINT64_CONSTANT (0x100000001b3);
  return (gint64) (half + hash % half);
}

/* @named: (nullable): an axis that may have names
 * Returns: (transfer full): the values of @self with the names of @named; @self if @named has
 *   none */
CuredAxis *
cured_axis_new_like (CuredAxis *self, const CuredAxis *named)
{
  g_return_val_if_fail (self != NULL, NULL);

  const CuredAxis *naming = get_naming (named);
  if (naming == NULL || get_naming (self) == naming)
    return cured_axis_ref (self);
  CuredAxis *like = cured_axis_new (self->values, self->n_values);
  like->like = cured_axis_ref ((CuredAxis *) naming);
  return like;
}

/* @self: (nullable): an axis
 * Returns: whether its values have names */
gboolean
cured_axis_is_named (const CuredAxis *self)
{
  return get_naming (self) != NULL;
}

/* @self: (nullable): an axis
 * Returns: (transfer none) (nullable): its name; NULL where it has none */
const char *
cured_axis_get_name (const CuredAxis *self, gint64 value)
{
  const CuredAxis *naming = get_naming (self);
  gsize index;

  return naming == NULL || !cured_axis_find (naming, value, &index) ? NULL : naming->names[index];
}

/* @self: (nullable): an axis that may have names
 * Returns: (transfer full): its name, or the number in the C locale: cured_axis_parse_value() reads
 *   both */
char *
cured_axis_value_to_string (const CuredAxis *self, gint64 value)
{
  const char *name = cured_axis_get_name (self, value);

  return name != NULL ? g_strdup (name) : g_strdup_printf ("%" PRId64, value);
}

/* @index: less than its length
 * Returns: (transfer full): the value for people: its name, or as from cured_format_count() */
char *
cured_axis_format_value (const CuredAxis *self, gsize index)
{
  gint64 value = cured_axis_get_value (self, index);
  const char *name = cured_axis_get_name (self, value);

  return name != NULL ? g_strdup (name) : cured_format_count (value);
}

/* @values: (array length=n_values): the values, in order; copied
 * Returns: (transfer full) (nullable): the axis; NULL if there is no value, more than
 *   CURED_AXIS_MAX_VALUES, or one occurs twice */
CuredAxis *
cured_axis_new (const gint64 *values, gsize n_values)
{
  gint64 duplicate;

  if (n_values == 0 || n_values > CURED_AXIS_MAX_VALUES)
    return NULL;
  return axis_new_take (g_memdup2 (values, n_values * sizeof *values), n_values, &duplicate);
}

CURED_CLEAR_FUNC (CuredAxis, clear, values, g_free, sorted, g_free, names, g_strfreev, like,
                  cured_axis_unref)

CURED_DEFINE_RC (CuredAxis, cured_axis, clear)

/* Returns: how many values it has; at least 1 */
CURED_GETTER (gsize, cured_axis_get_length, const CuredAxis, n_values)

/* @index: less than its length
 * Returns: the value */
gint64
cured_axis_get_value (const CuredAxis *self, gsize index)
{
  g_return_val_if_fail (self != NULL && index < self->n_values, 0);
  return self->values[index];
}

/* @b: another
 * Returns: whether both have the same values in the same order, whatever their names */
gboolean
cured_axis_equal (const CuredAxis *a, const CuredAxis *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);
  return a->n_values == b->n_values &&
         memcmp (a->values, b->values, a->n_values * sizeof *a->values) == 0;
}

/* @index: (out) (optional): its index
 *
 * By binary search.
 * Returns: whether the axis has it */
gboolean
cured_axis_find (const CuredAxis *self, gint64 value, gsize *index)
{
  gsize low = 0;

  g_return_val_if_fail (self != NULL, FALSE);

  gsize high = self->n_values;
  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (self->values[self->sorted[middle]] < value)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == self->n_values || self->values[self->sorted[low]] != value)
    return FALSE;
  if (index != NULL)
    *index = self->sorted[low];
  return TRUE;
}

/* The midpoint, rounded towards @from. The distance may exceed a signed number. */
static gint64
go_half_way (gint64 from, gint64 to)
{
  guint64 way = from < to ? (guint64) to - (guint64) from : (guint64) from - (guint64) to;

  return (gint64) (from < to ? (guint64) from + way / 2 : (guint64) from - way / 2);
}

/* Whether the values are a geometric series, ascending or descending. */
static gboolean
is_geometric (const gint64 *values, gsize n_values)
{
  for (gsize i = 0; i < n_values; i++)
    if (values[i] <= 0 || (i > 1 && (double) values[i] * (double) values[i - 2] !=
                                        (double) values[i - 1] * (double) values[i - 1]))
      return FALSE;
  return n_values > 2;
}

/* A value between two: in a series of powers, the power in between, if there is one; else the mean,
 * which is 3 · 2^k between two powers of 2. */
static gint64
find_middle (gint64 from, gint64 to, gboolean is_power)
{
  gint64 least = MIN (from, to), most = MAX (from, to);

  if (is_power && most / 2 > least)
    return (gint64) llround (sqrt ((double) from) * sqrt ((double) to));
  return go_half_way (from, to);
}

/* Appends the value nearest to the middle, strictly between a value of @axis and the next one, if
 * there is one. */
static void
append_between (GArray *values, const CuredAxis *axis, gsize index, gboolean is_power,
                const CuredAxis *allowed)
{
  gint64 from = axis->values[index], to = axis->values[index + 1], least = MIN (from, to);
  gint64 most = MAX (from, to), wanted = find_middle (from, to, is_power), nearest = wanted;
  gboolean is_found = allowed == NULL && wanted > least && wanted < most;

  for (gsize i = 0; allowed != NULL && i < allowed->n_values; i++)
    {
      gint64 value = allowed->values[i];

      if (value > least && value < most &&
          (!is_found ||
           fabs ((double) value - (double) wanted) < fabs ((double) nearest - (double) wanted)))
        {
          nearest = value;
          is_found = TRUE;
        }
    }
  if (is_found)
    g_array_append_val (values, nearest);
}

/* @first: index of a value
 * @last: index of a value, @first or more
 * @allowed: (nullable): the only allowed values
 *
 * Refines a part of an axis about twofold: the values from @first to @last, with one more
 * between each two, if possible. Equal steps stay equal, powers of 4 become powers of 2, and
 * powers of 2 get their means. A single value gets one more on each side, halfway to its
 * neighbours.
 * Returns: (transfer full): the finer axis */
CuredAxis *
cured_axis_refine (const CuredAxis *self, gsize first, gsize last, const CuredAxis *allowed)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  gsize n_values = last - first + 1;

  g_return_val_if_fail (self != NULL && first <= last && last < self->n_values, NULL);

  /* For two values, use the whole axis to recognize the series. */
  gboolean is_power = n_values > 2 ? is_geometric (self->values + first, n_values)
                                   : is_geometric (self->values, self->n_values);
  if (first == last && first > 0)
    append_between (values, self, first - 1, is_power, allowed);
  for (gsize i = first; i <= last; i++)
    {
      g_array_append_val (values, self->values[i]);
      if (i < last || (first == last && last + 1 < self->n_values))
        append_between (values, self, i, is_power, allowed);
    }
  CuredAxis *finer = cured_axis_new ((const gint64 *) (gpointer) values->data, values->len);
  /* There is no value in between, or an unordered axis already has it. */
  return finer != NULL ? finer : cured_axis_new (self->values + first, n_values);
}

/* The number of values from @start on with the same difference, and this difference. */
static gsize
arithmetic_run (const CuredAxis *self, gsize start, gint64 *step)
{
  gsize end = start + 1;
  gint64 difference;

  *step = 0;
  for (; end < self->n_values; end++)
    {
      if (__builtin_sub_overflow (self->values[end], self->values[end - 1], &difference) ||
          (end > start + 1 && difference != *step))
        break;
      *step = difference;
    }
  return end - start;
}

/* How many values from @start on are consecutive powers of one base. */
static gsize
power_run (const CuredAxis *self, gsize start, gint64 *base, gint64 *exponent)
{
  gint64 value = self->values[start];
  gsize end = start + 1;

  *exponent = 0;
  if (end == self->n_values || value < 1 || self->values[end] % value != 0)
    return 1;
  *base = self->values[end] / value;
  if (*base < 2)
    return 1;
  for (; value % *base == 0; value /= *base)
    ++*exponent;
  if (value != 1)
    return 1;
  while (end < self->n_values && self->values[end] / *base == self->values[end - 1] &&
         self->values[end] % *base == 0)
    end++;
  return end - start;
}

/* Shorter runs are easier to read as numbers; powers of ten are not. */
#define RUN_LEAST 5

/* Long runs are written as ranges where that is shorter than the list, so that cured_axis_parse()
 * gives the same axis: `4..32:4`, `2^4..2^12`, `1,2,64..512:64`. Values that have names are written
 * by them. In the C locale.
 * Returns: (transfer full): the text */
char *
cured_axis_to_string (const CuredAxis *self)
{
  gsize i = 0;

  g_return_val_if_fail (self != NULL, NULL);

  GString *text = g_string_new (NULL);
  if (get_naming (self) != NULL)
    {
      for (; i < self->n_values; i++)
        {
          g_autofree char *value = cured_axis_value_to_string (self, self->values[i]);

          g_string_append_printf (text, "%s%s", i > 0 ? "," : "", value);
        }
      return g_string_free (text, FALSE);
    }
  while (i < self->n_values)
    {
      gint64 step = 0, base = 0, exponent;
      gsize run = arithmetic_run (self, i, &step), powers = power_run (self, i, &base, &exponent);
      g_autoptr (GString) range = g_string_new (NULL), list = g_string_new (NULL);

      gsize least = RUN_LEAST;

      if (powers > run && (base == 2 || base == 10))
        {
          run = powers;
          if (base == 10)
            least = 3;
          g_string_printf (range, "%" PRId64 "^%" PRId64 "..%" PRId64 "^%" PRId64, base, exponent,
                           base, exponent + (gint64) run - 1);
        }
      else
        {
          g_string_printf (range, "%" PRId64 "..%" PRId64, self->values[i],
                           self->values[i + run - 1]);
          if (step != 1 && step != -1)
            g_string_append_printf (range, ":%" PRId64, step);
        }
      /* A range is three numbers at most: from six values on it is shorter than their list, which
       * need not be written whole. */
      for (gsize j = 0; j < MIN (run, 6); j++)
        g_string_append_printf (list, "%s%" PRId64, j > 0 ? "," : "", self->values[i + j]);

      if (text->len > 0)
        g_string_append_c (text, ',');
      if (run < least || range->len >= list->len)
        {
          run = 1;
          g_string_printf (range, "%" PRId64, self->values[i]);
        }
      g_string_append (text, range->str);
      i += run;
    }
  return g_string_free (text, FALSE);
}

/* Reads one whole number, in the notation of axes. Fails with CURED_ERROR_SYNTAX or
 * CURED_ERROR_OVERFLOW. */
gboolean
cured_parse_integer (const char *text, gint64 *value, GError **error)
{
  Scanner scanner = { text, text, NULL };
  Number number;

  g_return_val_if_fail (text != NULL && value != NULL, FALSE);

  if (!scan_number (&scanner, &number, error))
    return FALSE;
  skip_space (&scanner);
  if (*scanner.at != '\0')
    return fail_expected (&scanner, _ ("one whole number and no more"), error);
  *value = number.value;
  return TRUE;
}
