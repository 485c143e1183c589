/* SPDX-License-Identifier: MIT
 * Numbers to text: for people in their locale, for files in C. */

#include <errno.h>
#include <limits.h>
#include <locale.h>

#include "base/cured-base-internal.h"

/* Values that differ only beyond these decimals look equal. */
#define MAX_MORE_DECIMALS 4

/* Significant digits of a quantity; 0: three or four. */
static gint shown_digits;

typedef struct
{
  double scale; /* size in plain units */
  const char *symbol;
} Prefix;

static const Prefix time_prefixes[] = {
  { 1e-3, "ps" }, { 1, "ns" }, { 1e3, "µs" }, { 1e6, "ms" }, { 1e9, "s" },
};
static const Prefix memory_prefixes[] = {
  { 1, "B" }, { 0x1p10, "KiB" }, { 0x1p20, "MiB" }, { 0x1p30, "GiB" }, { 0x1p40, "TiB" },
};
static const Prefix bandwidth_prefixes[] = {
  { 1, "B/s" },    { 1e3, "kB/s" },  { 1e6, "MB/s" },
  { 1e9, "GB/s" }, { 1e12, "TB/s" }, { 1e15, "PB/s" },
};
static const Prefix rate_prefixes[] = {
  { 1, "FLOP/s" },    { 1e3, "kFLOP/s" },  { 1e6, "MFLOP/s" },
  { 1e9, "GFLOP/s" }, { 1e12, "TFLOP/s" }, { 1e15, "PFLOP/s" },
};
static const Prefix frequency_prefixes[] = {
  { 1, "Hz" },
  { 1e3, "kHz" },
  { 1e6, "MHz" },
  { 1e9, "GHz" },
};
static const Prefix kilohertz_prefixes[] = {
  { 1, "kHz" },
  { 1e3, "MHz" },
  { 1e6, "GHz" },
};
static const Prefix ratio_prefixes[] = {
  { 0.01, "%" },
};

typedef struct
{
  const char *unit;       /* the plain one */
  const Prefix *prefixes; /* the least first */
  gsize n_prefixes;
} Scale;

static const Scale scales[] = {
  { "ns", time_prefixes, G_N_ELEMENTS (time_prefixes) },
  { "B", memory_prefixes, G_N_ELEMENTS (memory_prefixes) },
  { "B/s", bandwidth_prefixes, G_N_ELEMENTS (bandwidth_prefixes) },
  { "FLOP/s", rate_prefixes, G_N_ELEMENTS (rate_prefixes) },
  { "Hz", frequency_prefixes, G_N_ELEMENTS (frequency_prefixes) },
  { "kHz", kilohertz_prefixes, G_N_ELEMENTS (kilohertz_prefixes) },
  { "ratio", ratio_prefixes, G_N_ELEMENTS (ratio_prefixes) },
};

static const Scale *
find_scale (const char *unit)
{
  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
    if (g_str_equal (scales[i].unit, unit))
      return &scales[i];
  return NULL;
}

/* The largest prefix with which @value, rounded to the shown digits, is at least 1: 999.96 ns is
 * 1.00 µs. */
static const Prefix *
find_prefix (const Scale *scale, double value)
{
  int digits = g_atomic_int_get (&shown_digits);
  double least = 1 - 0.5 * pow (10, digits > 0 ? -digits : -4);
  gsize i = scale->n_prefixes - 1;

  while (i > 0 && fabs (value) < least * scale->prefixes[i].scale)
    i--;
  /* Show 0 in the plain unit, not in picoseconds. */
  if (value == 0 || !isfinite (value))
    for (i = 0; scale->prefixes[i].scale < 1 && i + 1 < scale->n_prefixes;)
      i++;
  return &scale->prefixes[i];
}

static char *
append_unit (char *number, const char *symbol)
{
  if (*symbol == '\0')
    return number;
  char *text = g_strdup_printf ("%s %s", number, symbol);
  g_free (number);
  return text;
}

static char *
format_not_finite (double value)
{
  if (isnan (value))
    return g_strdup ("–");
  return g_strdup (value > 0 ? "∞" : "−∞");
}

static gboolean
is_whole (double value)
{
  return fabs (value) < 0x1p53 && floor (value) == value;
}

/* Groups digits in threes, like for a count; numbers beyond all prefixes get a power of ten. */
static char *
format_fixed (double value, int decimals)
{
  if (fabs (value) >= 1e15)
    return g_strdup_printf ("%.3g", value);
  if (decimals > 0 || fabs (value) < 9999.5)
    return g_strdup_printf ("%.*f", decimals, value);
  return cured_format_count ((gint64) rint (value));
}

/* Number of decimals that gives @value, after rounding, @digits significant digits: one for 9.996
 * with three. */
static int
count_decimals (double value, int digits)
{
  double magnitude = value != 0 ? floor (log10 (fabs (value))) : 0;

  if (fabs (value) >= pow (10, magnitude + 1) * (1 - 0.5 * pow (10, -digits)))
    magnitude++;
  return (int) CLAMP (digits - 1 - magnitude, 0, 12);
}

/* At most four significant digits, without trailing zeros. */
static char *
format_short (double value)
{
  double magnitude = value != 0 ? floor (log10 (fabs (value))) : 0;
  int decimals = (int) CLAMP (3 - magnitude, 0, 12);

  while (decimals > 0)
    {
      double unit = pow (10, decimals - 1);

      if (fabs (round (value * unit) / unit - value) > fabs (value) * 0.5e-4)
        break;
      decimals--;
    }
  return format_fixed (value, decimals);
}

static char *
format_scaled (double value, const Scale *scale, const Prefix *prefix, int more_decimals)
{
  double scaled = value / prefix->scale;
  int digits = g_atomic_int_get (&shown_digits);
  int decimals;

  if (scaled == 0 || (scale->prefixes == memory_prefixes && is_whole (scaled)))
    decimals = 0;
  else if (digits > 0)
    decimals = count_decimals (scaled, digits);
  else
    decimals = fabs (scaled) < 9.995 ? 2 : fabs (scaled) < 9999.5 ? 1 : 0;
  return append_unit (format_fixed (scaled, decimals + more_decimals), prefix->symbol);
}

/* @value: the value in @unit; NaN: missing
 * @unit: "ns", "B", "B/s", "FLOP/s", "Hz", "kHz", "ratio", "limit" (a name), "" (a count), or any
 *   other, which is appended
 *
 * For people, in the locale of the process: three or four digits and the prefix that suits the
 * value. `106.3 µs`, `3.76 TB/s`, `88.1 %`, `1.98 GHz`; powers of 1024 for memory (`48 KiB`), of
 * 1000 for all else. Counts keep all their digits. A missing value is an en dash.
 * Returns: (transfer full): the text, in UTF-8 */
char *
cured_format_quantity (double value, const char *unit)
{
  g_return_val_if_fail (unit != NULL, NULL);

  if (!isfinite (value))
    return format_not_finite (value);
  if (g_str_equal (unit, "limit") && cured_factor_from_value (value) >= 0)
    return g_strdup (cured_factor_get_title (cured_factor_from_value (value)));
  const Scale *scale = find_scale (unit);
  int digits = g_atomic_int_get (&shown_digits);
  if (scale == NULL)
    return append_unit (is_whole (value) ? cured_format_count ((gint64) value)
                        : digits > 0     ? format_fixed (value, count_decimals (value, digits))
                                         : format_short (value),
                        unit);

  return format_scaled (value, scale, find_prefix (scale, value), 0);
}

/* @digits: number of significant digits of quantities; 0, the default: three or four
 *
 * For the whole process. Counts keep all their digits, and so does memory in whole units. */
void
cured_format_set_digits (guint digits)
{
  g_atomic_int_set (&shown_digits, (gint) MIN (digits, 12));
}

/* @value: the value in @unit; NaN: missing
 * @unit: as for cured_format_quantity()
 *
 * As cured_format_quantity(), with two significant digits: `14 µs`. For predictions, which are not
 * more precise.
 * Returns: (transfer full): the text, in UTF-8 */
char *
cured_format_rough (double value, const char *unit)
{
  if (!isfinite (value) || value == 0)
    return cured_format_quantity (value, unit);
  double step = pow (10, floor (log10 (fabs (value))) - 1);
  value = round (value / step) * step;
  return cured_format_quantity_aligned (value, unit, value);
}

/* @multiple: a multiple of a quantity named beside it; NaN: missing
 * @digits: number of significant digits, at least 1
 * Returns: (transfer full): the text, in UTF-8: `×1.4` with two digits, `×1.43` with three */
char *
cured_format_multiple (double multiple, guint digits)
{
  g_return_val_if_fail (digits > 0, NULL);

  if (!isfinite (multiple))
    return format_not_finite (multiple);
  if (multiple == 0)
    return g_strdup ("×0");
  double step = pow (10, floor (log10 (fabs (multiple))) - digits + 1);
  multiple = round (multiple / step) * step;
  /* 0.996 is 1.0: rounding can add a digit. */
  int magnitude = (int) floor (log10 (fabs (multiple)) + 1e-9);
  return g_strdup_printf ("×%.*f", CLAMP ((int) digits - 1 - magnitude, 0, 12), multiple);
}

/* Number of additional digits that distinguish @a and @b; 0 if none do. */
static int
count_more_decimals (double a, double b, const Scale *scale)
{
  const Prefix *prefix = find_prefix (scale, a);

  if (!isfinite (b) || find_prefix (scale, b) != prefix)
    return 0;
  for (int more = 0; more <= MAX_MORE_DECIMALS; more++)
    {
      g_autofree char *a_text = format_scaled (a, scale, prefix, more);
      g_autofree char *b_text = format_scaled (b, scale, prefix, more);

      if (!g_str_equal (a_text, b_text))
        return more;
    }
  return 0;
}

/* @value: the value in @unit; NaN: missing
 * @unit: as for cured_format_quantity()
 * @others: (array length=n_others): values shown beside it, in @unit; may include @value
 *   itself
 * @n_others: their number
 *
 * As cured_format_quantity(), with enough digits to distinguish all the values: the low, the median
 * and the high of a time are `11.07 ms`, `11.12 ms` and `11.14 ms` rather than three times `11.1
 * ms`. Values that differ by less than a ten thousandth are not distinguished.
 * Returns: (transfer full): the text, in UTF-8 */
char *
cured_format_quantity_among (double value, const char *unit, const double *others, gsize n_others)
{
  int more = 0;

  g_return_val_if_fail (unit != NULL, NULL);

  const Scale *scale = find_scale (unit);
  if (scale == NULL || !isfinite (value))
    return cured_format_quantity (value, unit);
  const Prefix *prefix = find_prefix (scale, value);
  for (gsize i = 0; i < n_others; i++)
    {
      if (!isfinite (others[i]) || find_prefix (scale, others[i]) != prefix)
        continue;
      more = MAX (more, count_more_decimals (others[i], value, scale));
      for (gsize k = 0; k < i; k++)
        more = MAX (more, count_more_decimals (others[i], others[k], scale));
    }
  return format_scaled (value, scale, prefix, more);
}

/* For the ticks of a legend, which share one prefix: with @scale_of 100 µs, 2500 ns is `2.5 µs`.
 * At most four significant digits, without trailing zeros. */
char *
cured_format_quantity_aligned (double value, const char *unit, double scale_of)
{
  g_return_val_if_fail (unit != NULL, NULL);

  const Scale *scale = find_scale (unit);
  if (scale == NULL || !isfinite (value))
    return cured_format_quantity (value, unit);
  const Prefix *prefix = find_prefix (scale, scale_of);
  return append_unit (format_short (value / prefix->scale), prefix->symbol);
}

static gboolean
is_symbol (const char *text, const char *symbol)
{
  /* The micro sign, which many keyboards lack, and the Greek letter, which some have. */
  if (g_str_has_prefix (symbol, "µ") &&
      ((*text == 'u' && g_str_equal (text + 1, symbol + strlen ("µ"))) ||
       (g_str_has_prefix (text, "μ") && g_str_equal (text + strlen ("μ"), symbol + strlen ("µ")))))
    return TRUE;
  return g_str_equal (text, symbol);
}

/* @text: the user's input: `2.5 ms`, `800GB/s`, `90 %`, `1.5`
 * @unit: as for cured_format_quantity()
 * @bare: value of 1 without a unit, in @unit
 * @value: (out): in @unit
 *
 * The inverse of cured_format_quantity(), with a decimal point or the locale's own. `us` is `µs`.
 * Returns: FALSE with %CURED_ERROR_SYNTAX if @text is not a number with such a unit */
gboolean
cured_parse_quantity (const char *text, const char *unit, double bare, double *value,
                      GError **error)
{
  g_autofree char *plain = g_strstrip (g_strdup (text));
  const Scale *scale = find_scale (unit);
  const char *point = localeconv ()->decimal_point;
  char *number = plain;
  char *after;

  if (g_str_has_prefix (number, "×"))
    number = g_strchug (number + strlen ("×"));
  if (g_str_equal (point, ",") && strchr (number, '.') == NULL)
    g_strdelimit (number, ",", '.');
  double figure = g_ascii_strtod (number, &after);
  gboolean is_number = after != number && isfinite (figure);
  while (*after == ' ' || g_str_has_prefix (after, "\u00a0") || g_str_has_prefix (after, "\u202f"))
    after = g_utf8_next_char (after);
  double factor = *after == '\0' ? bare : is_symbol (after, unit) ? 1 : 0;
  for (gsize i = 0; scale != NULL && i < scale->n_prefixes; i++)
    if (is_symbol (after, scale->prefixes[i].symbol))
      factor = scale->prefixes[i].scale;
  if (!is_number || factor == 0)
    {
      g_autofree char *example = cured_format_quantity (1, unit);

      return cured_fail (error, CURED_ERROR_SYNTAX,
                         /* Translators: what was typed, and an example: “1.00 ns”. */
                         _ ("“%s” is no figure, such as %s"), text, example);
    }
  *value = figure * factor;
  return TRUE;
}

/* @unit: as for cured_format_quantity()
 * @scale_of: the value that determines the prefix
 * @factor: (out): size of the returned unit, in @unit
 *
 * For columns of bare numbers below one unit: with "ns" and a @scale_of of 2500, the unit is "µs"
 * and @factor 1000.
 * Returns: (transfer none): the unit with its prefix */
const char *
cured_unit_choose (const char *unit, double scale_of, double *factor)
{
  g_return_val_if_fail (unit != NULL, NULL);

  *factor = 1;
  const Scale *scale = find_scale (unit);
  if (scale == NULL)
    return unit;
  const Prefix *prefix = find_prefix (scale, scale_of);
  *factor = prefix->scale;
  return prefix->symbol;
}

/* The separator of thousands if the locale has none: a comma, or a narrow space that no reader
 * takes for a decimal comma. */
static const char *
get_separator (void)
{
  return g_str_equal (localeconv ()->decimal_point, ".") ? "," : "\u202f";
}

/* In threes; for a locale that groups nothing, as C. */
static char *
group_digits (gint64 count)
{
  g_autofree char *digits = g_strdup_printf ("%" PRId64, count);
  const char *separator = get_separator ();
  GString *text = g_string_new (NULL);
  gsize length = strlen (digits);

  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
        g_string_append (text, separator);
      g_string_append_c (text, digits[i]);
    }
  return g_string_free (text, FALSE);
}

/* @count: a number of things
 *
 * For people. Numbers of up to four digits are written together.
 * Returns: (transfer full): all digits, grouped by the locale's rule, or in threes if it has none:
 *   `4224`, `546,637` */
char *
cured_format_count (gint64 count)
{
  const char *grouping = localeconv ()->grouping;

  if (count > -10000 && count < 10000)
    return g_strdup_printf ("%" PRId64, count);
  if (*grouping == '\0' || *grouping == CHAR_MAX)
    return group_digits (count);
    /* The flag ' is POSIX, not ISO C, about which -Wpedantic warns. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
  return g_strdup_printf ("%'" PRId64, count);
#pragma GCC diagnostic pop
}

/* @date: a moment
 *
 * For people: in the time zone of the process, to the minute, in ISO order, which sorts,
 * `2026-01-31 17:05`.
 * Returns: (transfer full): the text */
char *
cured_format_date (GDateTime *date)
{
  g_autoptr (GDateTime) local = g_date_time_to_local (date);

  /* Not g_date_time_format(), whose digits are those of the locale. */
  return g_strdup_printf ("%04d-%02d-%02d %02d:%02d", g_date_time_get_year (local),
                          g_date_time_get_month (local), g_date_time_get_day_of_month (local),
                          g_date_time_get_hour (local), g_date_time_get_minute (local));
}

/* @seconds: a duration; negative or NaN: unknown
 *
 * For people: `0.4 s`, `42 s`, `2 min 5 s`, `1 h 20 min`, `3 d 4 h`.
 * Returns: (transfer full): the text, in the user's language */
char *
cured_format_seconds (double seconds)
{
  if (!(seconds >= 0) || seconds > 1e15)
    return g_strdup ("–");
  if (seconds < 9.95)
    return g_strdup_printf (_ ("%.1f s"), seconds);

  gint64 whole = (gint64) (seconds + 0.5);
  if (whole < 60)
    return g_strdup_printf (_ ("%d s"), (int) whole);
  if (whole < 3600)
    return g_strdup_printf (_ ("%d min %d s"), (int) (whole / 60), (int) (whole % 60));
  if (whole < 86400)
    return g_strdup_printf (_ ("%d h %d min"), (int) (whole / 3600), (int) (whole / 60 % 60));
  return g_strdup_printf (_ ("%" PRId64 " d %d h"), whole / 86400, (int) (whole / 3600 % 24));
}

/* @value: any double
 *
 * The shortest decimal text that reads back as the same double, in the C locale. NaN is `nan`, and
 * the infinities are `inf` and `-inf`.
 * Returns: (transfer full): the text */
char *
cured_format_file_number (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    return g_strdup ("nan");
  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");
  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  return g_strdup (buffer);
}

/* Reads what cured_format_file_number() writes. Fails with CURED_ERROR_SYNTAX, or
 * CURED_ERROR_OVERFLOW for a number that is too large. */
gboolean
cured_parse_file_number (const char *text, double *value, GError **error)
{
  char *end;

  g_return_val_if_fail (text != NULL && value != NULL, FALSE);

  errno = 0;
  double number = g_ascii_strtod (text, &end);
  int saved_errno = errno;
  if (end == text || *end != '\0' || g_ascii_isspace (*text))
    return cured_fail (error, CURED_ERROR_SYNTAX, _ ("“%s” is not a number (write 2.5 or 1e-5)"),
                       text);
  if (saved_errno == ERANGE && fabs (number) > 1)
    return cured_fail (error, CURED_ERROR_OVERFLOW, _ ("%s does not fit in a double"), text);
  *value = number;
  return TRUE;
}
