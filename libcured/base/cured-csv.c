/* SPDX-License-Identifier: MIT
 * Writes tables as CSV, in the format of RFC 4180. */

#include "base/cured-base-internal.h"

/* Whether a spreadsheet would evaluate it as a formula. Some skip leading zero-width characters,
 * and accept full-width signs. */
static gboolean
is_formula (const char *text)
{
  static const char *const signs[] = { "=", "+", "-", "@", "＝", "＋", "－", "＠" };
  const char *first = text;
  char *end = NULL;
  gboolean is_sign = FALSE;

  while (*first != '\0' && (g_unichar_isspace (g_utf8_get_char (first)) ||
                            g_unichar_iszerowidth (g_utf8_get_char (first)) ||
                            g_unichar_iscntrl (g_utf8_get_char (first))))
    first = g_utf8_next_char (first);
  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    is_sign |= g_str_has_prefix (first, signs[i]);
  if (!is_sign)
    return FALSE;
  /* Names of values may be numbers. */
  g_ascii_strtod (first, &end);
  return end == first || *end != '\0';
}

/* Appends a field, in quotation marks if needed, as valid UTF-8.
 * Untrusted text may be a formula: a leading apostrophe makes it a
 * text. */
void
_cured_csv_text (GString *csv, const char *text)
{
  g_autofree char *made = g_utf8_make_valid (text != NULL ? text : "", -1);
  g_autofree char *valid = g_strconcat (is_formula (made) ? "'" : "", made, NULL);

  if (valid[strcspn (valid, ",\"\r\n")] == '\0')
    {
      g_string_append_printf (csv, "%s,", valid);
      return;
    }
  g_string_append_c (csv, '"');
  for (const char *p = valid; *p != '\0'; p++)
    {
      if (*p == '"')
        g_string_append_c (csv, '"');
      g_string_append_c (csv, *p);
    }
  g_string_append (csv, "\",");
}

void
_cured_csv_texts (GString *csv, const char *const *texts, gsize n_texts)
{
  for (gsize i = 0; i < n_texts; i++)
    _cured_csv_text (csv, texts[i]);
}

void
_cured_csv_integer (GString *csv, gint64 value)
{
  g_string_append_printf (csv, "%" PRId64 ",", value);
}

void
_cured_csv_number (GString *csv, double value)
{
  g_autofree char *number = isfinite (value) ? cured_format_file_number (value) : g_strdup ("");

  g_string_append_printf (csv, "%s,", number);
}

/* Ends a row of at least one field. */
void
_cured_csv_end (GString *csv)
{
  g_string_truncate (csv, csv->len - 1);
  g_string_append (csv, "\r\n");
}
