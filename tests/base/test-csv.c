/* SPDX-License-Identifier: MIT
 * Rows of CSV, as RFC 4180 has them. */
#include <locale.h>

#include "base/cured-csv-internal.h"
#include "base/cured-units.h"
#include "test.h"

static void
test_rows (void)
{
  static const char *const names[] = { "name", "number" };
  g_autoptr (GString) csv = g_string_new (NULL);

  _cured_csv_texts (csv, names, 2);
  _cured_csv_end (csv);
  _cured_csv_text (csv, "plain; text");
  _cured_csv_number (csv, 0.1);
  _cured_csv_end (csv);
  _cured_csv_text (csv, "a,b");
  _cured_csv_integer (csv, G_MININT64);
  _cured_csv_end (csv);
  _cured_csv_text (csv, "“a” \"b\"");
  _cured_csv_number (csv, CURED_MISSING);
  _cured_csv_end (csv);
  _cured_csv_text (csv, "two\nlines");
  _cured_csv_text (csv, "");
  _cured_csv_end (csv);
  _cured_csv_text (csv, NULL);
  _cured_csv_text (csv, "not UTF-8: \xff");
  _cured_csv_end (csv);
  g_assert_cmpstr (csv->str, ==,
                   "name,number\r\n"
                   "plain; text,0.1\r\n"
                   "\"a,b\",-9223372036854775808\r\n"
                   "\"“a” \"\"b\"\"\",\r\n"
                   "\"two\nlines\",\r\n"
                   ",not UTF-8: �\r\n");
}

/* What a spreadsheet would compute is a text, and what only looks so stays. */
TEST ("/csv/formulas")
{
  static const char *const texts[] = {
    "=HYPERLINK(\"x\")",
    "+a",
    "-a",
    "@a",
    " \t=a",
    "\r@a",
    "-5a",
    "-",
    "-5",
    "+1e3",
    "a=b",
    "",
    "\ta - b;",
    "'=a",
    "＝a",
    "\xEF\xBB\xBF=a",
    "\xE2\x80\x8B@a",
  };
  g_autoptr (GString) csv = g_string_new (NULL);

  _cured_csv_texts (csv, texts, G_N_ELEMENTS (texts));
  _cured_csv_end (csv);
  g_assert_cmpstr (csv->str, ==,
                   "\"'=HYPERLINK(\"\"x\"\")\",'+a,'-a,'@a,' "
                   "\t=a,\"'\r@a\",'-5a,'-,-5,+1e3,a=b,,\ta - b;,'=a,'＝a,'\xEF\xBB\xBF=a,"
                   "'\xE2\x80\x8B@a\r\n");
}

TEST ("/csv/locale")
{
  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    g_test_skip ("no German locale");
  else
    test_rows ();
  setlocale (LC_ALL, "");
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/csv/rows", test_rows);
  return run_tests ();
}
