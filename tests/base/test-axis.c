/* SPDX-License-Identifier: MIT
 * Axes: notation, errors that teach, and the way back to text. */
#include "cured.h"

#include <string.h>
#include "base/cured-axis-internal.h"
#include "test.h"

static char *
list (const CuredAxis *axis)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < cured_axis_get_length (axis); i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "",
                            cured_axis_get_value (axis, i));
  return g_string_free (text, FALSE);
}

TEST ("/axis/notation")
{
  static const struct
  {
    const char *text, *values, *back;
  } rows[] = {
    { "5", "5", "5" },
    { "-5", "-5", "-5" },
    { "1,2,4", "1 2 4", "1,2,4" },
    { " 1 , 2 ,4 ", "1 2 4", "1,2,4" },
    { "4..8", "4 5 6 7 8", "4..8" },
    { "4 .. 8 : 2", "4 6 8", "4,6,8" },
    { "4..32:4", "4 8 12 16 20 24 28 32", "4..32:4" },
    { "4..30:4", "4 8 12 16 20 24 28", "4..28:4" },
    { "8..4", "8 7 6 5 4", "8..4" },
    { "8..4:-2", "8 6 4", "8,6,4" },
    { "-4..4:4", "-4 0 4", "-4,0,4" },
    { "3..3", "3", "3" },
    { "2^4..2^8", "16 32 64 128 256", "2^4..2^8" },
    { "2^0..2^2", "1 2 4", "1,2,4" },
    { "10^6..10^8", "1000000 10000000 100000000", "10^6..10^8" },
    { "2^8..2^6", "256 128 64", "256,128,64" },
    { "2^2..2^4:4", "4 8 12 16", "4,8,12,16" },
    { "2^2..3^2", "4 5 6 7 8 9", "4..9" },
    { "10^3", "1000", "1000" },
    { "64,256,1024,4096,16384", "64 256 1024 4096 16384", "64,256,1024,4096,16384" },
    { "1_000,2'000", "1000 2000", "1000,2000" },
    { "1,2,64..256:64", "1 2 64 128 192 256", "1,2,64,128,192,256" },
    { "0,1,2,4,8,16,32,64", "0 1 2 4 8 16 32 64", "0,2^0..2^6" },
    { "8,24,66,132,264", "8 24 66 132 264", "8,24,66,132,264" },
    { "3,1,2", "3 1 2", "3,1,2" },
    { "9223372036854775806..9223372036854775807", "9223372036854775806 9223372036854775807",
      "9223372036854775806,9223372036854775807" },
    { "2^61..2^62", "2305843009213693952 4611686018427387904",
      "2305843009213693952,4611686018427387904" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredAxis) axis = MUST (cured_axis_parse (rows[i].text, &fail));

      g_autofree char *values = list (axis);
      g_assert_cmpstr (values, ==, rows[i].values);
      g_autofree char *back = cured_axis_to_string (axis);
      g_assert_cmpstr (back, ==, rows[i].back);
    }
}

TEST ("/axis/errors")
{
  static const struct
  {
    const char *text;
    CuredError code;
    const char *part;
  } rows[] = {
    { "", CURED_ERROR_SYNTAX, "at least one value" },
    { "  ", CURED_ERROR_SYNTAX, "at least one value" },
    { "..", CURED_ERROR_SYNTAX, "column 1: expected a number" },
    { "4..", CURED_ERROR_SYNTAX, "column 4: expected a number" },
    { "1,2,", CURED_ERROR_SYNTAX, "column 5: expected a number" },
    { ",1", CURED_ERROR_SYNTAX, "column 1: expected a number" },
    { "1,,2", CURED_ERROR_SYNTAX, "column 3: expected a number" },
    { "1..8:", CURED_ERROR_SYNTAX, "column 6: expected a number" },
    { "1 2", CURED_ERROR_SYNTAX, "column 3: expected “,” or “..”" },
    { "2.5", CURED_ERROR_SYNTAX, "column 2" },
    { "64K", CURED_ERROR_SYNTAX, "64_000" },
    { "2^", CURED_ERROR_SYNTAX, "column 3: expected an exponent" },
    { "2^-1", CURED_ERROR_SYNTAX, "column 3: expected an exponent" },
    { "tile", CURED_ERROR_SYNTAX, "column 1: expected a number" },
    { "1..8:0", CURED_ERROR_INVALID, "stride is 0" },
    { "1..8:-1", CURED_ERROR_INVALID, "leads away" },
    { "8..1:1", CURED_ERROR_INVALID, "leads away" },
    { "1,2,1", CURED_ERROR_INVALID, "has 1 twice" },
    { "1..8,4", CURED_ERROR_INVALID, "has 4 twice" },
    { "1..10^9", CURED_ERROR_INVALID, "has 1000000000 values" },
    { "1..1048577", CURED_ERROR_INVALID, "has 1048577 values" },
    { "-9223372036854775807..9223372036854775807", CURED_ERROR_INVALID,
      "has 18446744073709551615 values" },
    { "2^63", CURED_ERROR_OVERFLOW, "2^63 does not fit" },
    { "1..9223372036854775808", CURED_ERROR_OVERFLOW, "9223372036854775808 does not fit" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredAxis) axis = cured_axis_parse (rows[i].text, &error);

      g_test_message ("%s", rows[i].text);
      g_assert_null (axis);
      g_assert_error (error, CURED_ERROR, (int) rows[i].code);
      g_assert_nonnull (strstr (error->message, rows[i].part));
    }
}

TEST ("/axis/longest")
{
  g_autoptr (CuredAxis) axis = MUST (cured_axis_parse ("1..1048576", &fail));
  gsize index = 0;

  g_assert_cmpuint (cured_axis_get_length (axis), ==, CURED_AXIS_MAX_VALUES);
  g_assert_true (cured_axis_find (axis, 777777, &index));
  g_assert_cmpuint (index, ==, 777776);
  g_autofree char *back = cured_axis_to_string (axis);
  g_assert_cmpstr (back, ==, "1..1048576");

  FAILS (cured_axis_parse ("2..1048577,1", &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
  FAILS (cured_axis_parse ("3..1048577,2^0..2^1", &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
}

TEST ("/axis/new")
{
  const gint64 values[] = { 30, -1, 7 };
  const gint64 twice[] = { 30, -1, 30 };
  g_autoptr (CuredAxis) axis = cured_axis_new (values, G_N_ELEMENTS (values));
  gsize index = 99;

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_assert_true (cured_axis_find (axis, values[i], &index));
      g_assert_cmpuint (index, ==, i);
    }
  g_assert_false (cured_axis_find (axis, 8, &index));
  g_assert_false (cured_axis_find (axis, 31, &index));
  g_assert_false (cured_axis_find (axis, -2, NULL));
  g_assert_cmpuint (index, ==, 2);
  g_assert_null (cured_axis_new (twice, G_N_ELEMENTS (twice)));
  g_assert_null (cured_axis_new (twice, 0));
}

/* Whatever its values, the text of an axis gives the same axis back. */
TEST ("/axis/round-trip")
{
  for (int i = 0; i < 3000; i++)
    {
      gint64 values[24];
      gsize n_values = 0;
      gsize wanted = (gsize) g_test_rand_int_range (1, 25);
      gint64 value = g_test_rand_int_range (-20, 20);
      gint64 step = g_test_rand_int_range (-3, 4);

      while (n_values < wanted)
        {
          gboolean known = FALSE;

          if (g_test_rand_int_range (0, 4) == 0)
            step = g_test_rand_int_range (-3, 4);
          if (g_test_rand_int_range (0, 5) == 0)
            value = G_GINT64_CONSTANT (1) << g_test_rand_int_range (0, 40);
          else
            value = step == 3 ? value * 2 : value + step;
          if (value > G_MAXINT32 || value < G_MININT32)
            value = g_test_rand_int ();
          for (gsize j = 0; j < n_values; j++)
            known = known || values[j] == value;
          if (!known)
            values[n_values++] = value;
          else
            step = g_test_rand_int_range (1, 4);
        }
      g_autoptr (CuredAxis) axis = cured_axis_new (values, n_values);
      g_assert_nonnull (axis);
      g_autofree char *text = cured_axis_to_string (axis);
      g_autoptr (CuredAxis) again = MUST (cured_axis_parse (text, &fail));
      g_assert_cmpuint (cured_axis_get_length (again), ==, n_values);
      for (gsize j = 0; j < n_values; j++)
        g_assert_cmpint (cured_axis_get_value (again, j), ==, values[j]);
    }
}

/* Random texts of the notation's own pieces: an axis or an error, and no axis longer than
 * allowed. */
TEST ("/axis/fuzz")
{
  static const char *const pieces[] = {
    "1",  "2",   "0",    "9", "-",
    "..", ":",   ",",    "^", "_",
    " ",  "2^4", "10^9", "K", "9223372036854775807",
  };

  for (int i = 0; i < 5000; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      int length = g_test_rand_int_range (0, 10);

      for (int j = 0; j < length; j++)
        g_string_append (text, pieces[g_test_rand_int_range (0, (int) G_N_ELEMENTS (pieces))]);
      g_autoptr (CuredAxis) axis = cured_axis_parse (text->str, &error);
      g_assert_true ((axis != NULL) == (error == NULL));
      if (axis != NULL)
        g_assert_cmpuint (cured_axis_get_length (axis), <=, CURED_AXIS_MAX_VALUES);
    }
}

TEST ("/axis/integer")
{
  g_autoptr (GError) error = NULL;
  gint64 value = 0;

  g_assert_true (cured_parse_integer (" 10^8 ", &value, &error));
  g_assert_cmpint (value, ==, 100000000);
  g_assert_true (cured_parse_integer ("-1_000", &value, &error));
  g_assert_cmpint (value, ==, -1000);
  g_assert_true (cured_parse_integer ("+3", &value, &error));
  g_assert_cmpint (value, ==, 3);
  FAILS (cured_parse_integer ("3,4", &value, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");
  FAILS (cured_parse_integer ("", &value, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");
  FAILS (cured_parse_integer ("10^19", &value, &fail), CURED_ERROR, CURED_ERROR_OVERFLOW, "");
  g_assert_cmpint (value, ==, 3);
}

/* Names map to values, both ways. */
TEST ("/axis/names")
{
  static const char *const words[] = { "sum", "max-of_2", "min", NULL };
  static const char *const few[] = { "sum", "min", NULL };
  static const char *const twice[] = { "a", "b", "a", NULL };
  static const char *const empty[] = { "a", "b", "", NULL };
  static const char *const strange[] = { "0.5", "-1e3", "7", NULL };
  const gint64 numbers[] = { 4, 2, 7 };
  const gint64 others[] = { 7, 9 };
  g_autoptr (CuredAxis) plain = cured_axis_new (numbers, 3);
  g_autoptr (CuredAxis) named = cured_axis_new_named (plain, words);
  g_autoptr (CuredAxis) foreign = cured_axis_new_named (plain, strange);
  g_autoptr (CuredAxis) unnamed = cured_axis_new (others, 2);
  g_autoptr (CuredAxis) like = cured_axis_new_like (unnamed, named);
  g_autoptr (CuredAxis) same = cured_axis_new_like (unnamed, plain);
  g_autoptr (GError) error = NULL;
  gint64 value = 0;

  g_assert_null (cured_axis_new_named (plain, few));
  g_assert_null (cured_axis_new_named (plain, twice));
  g_assert_null (cured_axis_new_named (plain, empty));
  g_assert_true (cured_axis_is_named (named));
  g_assert_false (cured_axis_is_named (plain));
  g_assert_false (cured_axis_is_named (NULL));
  g_autofree char *text = cured_axis_to_string (named);
  g_assert_cmpstr (text, ==, "sum,max-of_2,min");
  g_assert_cmpstr (cured_axis_get_name (named, 7), ==, "min");
  g_assert_null (cured_axis_get_name (named, 0));
  g_assert_null (cured_axis_get_name (plain, 7));

  g_autoptr (CuredAxis) parsed = MUST (cured_axis_parse_named (" min , 4,max-of_2", named, &fail));
  g_assert_cmpint (cured_axis_get_value (parsed, 0), ==, 7);
  g_assert_cmpint (cured_axis_get_value (parsed, 1), ==, 4);
  g_assert_cmpint (cured_axis_get_value (parsed, 2), ==, 2);
  g_autofree char *label = cured_axis_format_value (parsed, 1);
  g_assert_cmpstr (label, ==, "sum");
  g_assert_null (cured_axis_parse_named ("min,most", named, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "“most”"));
  g_assert_nonnull (strstr (error->message, "sum, max-of_2, min"));
  g_clear_error (&error);
  FAILS (cured_axis_parse_named ("min,7", named, &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
  FAILS (cured_axis_parse_named ("sum..min", named, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");
  FAILS (cured_axis_parse_named ("sum", plain, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");

  g_autofree char *like_text = cured_axis_to_string (like);
  g_assert_cmpstr (like_text, ==, "min,9");
  g_autofree char *number = cured_axis_format_value (like, 1);
  g_assert_cmpstr (number, ==, "9");
  g_assert_true (same == unnamed);

  g_assert_true (cured_axis_parse_value (named, " max-of_2 ", &value, &error));
  g_assert_cmpint (value, ==, 2);
  g_assert_true (cured_axis_parse_value (like, "12", &value, &error));
  g_assert_cmpint (value, ==, 12);
  FAILS (cured_axis_parse_value (named, "sum,min", &value, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
         "");
  FAILS (cured_axis_parse_value (NULL, "sum", &value, &fail), CURED_ERROR, CURED_ERROR_SYNTAX, "");
  g_assert_cmpint (value, ==, 12);

  /* Names that no kernel file could have are read whole: "7" is the name of 7 here, and "4" is a
   * number. */
  g_assert_true (cured_axis_parse_value (foreign, "-1e3", &value, &error));
  g_assert_cmpint (value, ==, 2);
  g_assert_true (cured_axis_parse_value (foreign, "0.5", &value, &error));
  g_assert_cmpint (value, ==, 4);
  g_assert_false (cured_axis_parse_value (foreign, "0.7", &value, &error));
}

static void
assert_finer (const char *text, gsize first, gsize last, const char *allowed_text,
              const char *expected)
{
  g_autoptr (CuredAxis) axis = cured_axis_parse (text, NULL);
  g_autoptr (CuredAxis) allowed =
      allowed_text != NULL ? cured_axis_parse (allowed_text, NULL) : NULL;
  g_autoptr (CuredAxis) finer = cured_axis_refine (axis, first, last, allowed);
  g_autoptr (CuredAxis) wanted = cured_axis_parse (expected, NULL);
  g_autofree char *got = cured_axis_to_string (finer);
  g_autofree char *want = cured_axis_to_string (wanted);

  g_assert_cmpstr (got, ==, want);
}

TEST ("/axis/refine")
{
  /* Equal steps stay equal. */
  assert_finer ("16..64:16", 0, 3, NULL, "16..64:8");
  assert_finer ("0..400:4", 0, 100, NULL, "0..400:2");
  assert_finer ("1,2,3", 0, 2, NULL, "1,2,3");
  /* Powers of 4 become powers of 2; between these stand their means. */
  assert_finer ("16,64,256,1024", 0, 3, NULL, "16,32,64,128,256,512,1024");
  assert_finer ("16,64,256,1024", 1, 2, NULL, "64,128,256");
  assert_finer ("10,100,1000", 0, 2, NULL, "10,32,100,316,1000");
  assert_finer ("32,64,128,256", 0, 3, NULL, "32,48,64,96,128,192,256");
  assert_finer ("4,8,16,32", 0, 2, NULL, "4,6,8,12,16");
  /* Lists have what is in the middle. */
  assert_finer ("1,3,4", 0, 2, NULL, "1,2,3,4");
  assert_finer ("10,40,45", 0, 2, NULL, "10,25,40,42,45");
  assert_finer ("16,8", 0, 1, NULL, "16,12,8");
  assert_finer ("16,64", 0, 1, NULL, "16,40,64");
  /* A single value: its surroundings. */
  assert_finer ("8,16,32", 1, 1, NULL, "12,16,24");
  assert_finer ("8,16,32", 0, 0, NULL, "8,12");
  assert_finer ("8,16,32", 2, 2, NULL, "24,32");
  assert_finer ("8", 0, 0, NULL, "8");
  assert_finer ("4,5,6", 1, 1, NULL, "5");
  /* Only what the kernel allows, and not all of that. */
  assert_finer ("384..1024:64", 0, 3, "32..1024", "384..576:32");
  assert_finer ("384,512,768,1024", 0, 3, "1..1024", "384,448,512,640,768,896,1024");
  assert_finer ("32,64,128,256", 0, 3, "32..1024:32", "32,64,96,128,192,256");
  assert_finer ("32,64,128", 0, 2, "16,32,64,128,256", "32,64,128");
  assert_finer ("8,32", 0, 1, "4,8,16,24,32,64", "8,16,32");
  assert_finer ("32,8", 0, 1, "64,32,16,8", "32,16,8");
  /* An unordered axis would get a value twice: it stays as it is. */
  assert_finer ("1,9,5", 0, 2, NULL, "1,9,5");
  assert_finer ("-9223372036854775807,9223372036854775807", 0, 1, NULL,
                "-9223372036854775807,0,9223372036854775807");
}
