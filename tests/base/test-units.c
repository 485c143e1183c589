/* SPDX-License-Identifier: MIT
 * Numbers to text and back, in the C locale and in one with a decimal comma. */
#include "cured.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include "base/cured-expr-internal.h"
#include "base/cured-units-internal.h"
#include "test.h"

static void
assert_quantity (double value, const char *unit, const char *expected)
{
  g_autofree char *text = cured_format_quantity (value, unit);

  g_assert_cmpstr (text, ==, expected);
}

TEST ("/units/quantity")
{
  assert_quantity (106300, "ns", "106.3 µs");
  assert_quantity (2700, "ns", "2.70 µs");
  assert_quantity (5, "ns", "5.00 ns");
  assert_quantity (0.25, "ns", "250.0 ps");
  assert_quantity (0, "ns", "0 ns");
  assert_quantity (999.94, "ns", "999.9 ns");
  assert_quantity (999.96, "ns", "1.00 µs");
  assert_quantity (9.996, "ns", "10.0 ns");
  assert_quantity (1.5e9, "ns", "1.50 s");
  assert_quantity (3600e9, "ns", "3600.0 s");
  assert_quantity (12345678e9, "ns", "12,345,678 s");
  /* What a damaged file says has no three hundred digits. */
  assert_quantity (1e308, "ns", "1e+299 s");
  assert_quantity (-106300, "ns", "-106.3 µs");
  assert_quantity (3.7624e12, "B/s", "3.76 TB/s");
  assert_quantity (999.99e9, "B/s", "1.00 TB/s");
  assert_quantity (8.93e12, "FLOP/s", "8.93 TFLOP/s");
  assert_quantity (0.881, "ratio", "88.1 %");
  assert_quantity (1, "ratio", "100.0 %");
  assert_quantity (0.0042, "ratio", "0.42 %");
  assert_quantity (0, "ratio", "0 %");
  assert_quantity (12, "ratio", "1200.0 %");
  assert_quantity (2048, "B", "2 KiB");
  assert_quantity (48 * 1024, "B", "48 KiB");
  assert_quantity (100, "B", "100 B");
  assert_quantity (0, "B", "0 B");
  assert_quantity (1536, "B", "1.50 KiB");
  assert_quantity (4e8, "B", "381.5 MiB");
  assert_quantity (1.98e9, "Hz", "1.98 GHz");
  assert_quantity (1980000, "kHz", "1.98 GHz");
  assert_quantity (4224, "", "4224");
  assert_quantity (546637, "", "546,637");
  assert_quantity (-12345678, "", "-12,345,678");
  assert_quantity (2.5, "", "2.5");
  assert_quantity (1024, "threads", "1024 threads");
  assert_quantity (CURED_MISSING, "ns", "–");
  assert_quantity ((double) INFINITY, "ns", "∞");
  assert_quantity ((double) -INFINITY, "", "−∞");
}

static void
assert_date (void)
{
  g_autoptr (GDateTime) date = g_date_time_new_local (2026, 1, 31, 17, 5, 59);
  g_autoptr (GDateTime) other = g_date_time_to_utc (date);
  g_autofree char *text = cured_format_date (date);
  g_autofree char *other_text = cured_format_date (other);

  g_assert_cmpstr (text, ==, "2026-01-31 17:05");
  g_assert_cmpstr (other_text, ==, text);
}

TEST ("/units/date") { assert_date (); }

static void
assert_among (const double *values, const char *unit, const char *expected)
{
  g_auto (GStrv) wanted = g_strsplit (expected, ", ", 3);

  for (gsize i = 0; i < 3; i++)
    {
      g_autofree char *text = cured_format_quantity_among (values[i], unit, values, 3);

      g_assert_cmpstr (text, ==, wanted[i]);
    }
}

/* As many digits as tell them apart, and no more. */
TEST ("/units/among")
{
  assert_among ((double[]){ 11.068e6, 11.124e6, 11.139e6 }, "ns", "11.07 ms, 11.12 ms, 11.14 ms");
  assert_among ((double[]){ 11.1e6, 11.2e6, 11.3e6 }, "ns", "11.1 ms, 11.2 ms, 11.3 ms");
  /* All have the digits that two of them need. */
  assert_among ((double[]){ 11.1001e6, 11.1002e6, 12e6 }, "ns",
                "11.1001 ms, 11.1002 ms, 12.0000 ms");
  /* What is the same, or as good as, stays alike. */
  assert_among ((double[]){ 5e3, 5e3, 5e3 }, "ns", "5.00 µs, 5.00 µs, 5.00 µs");
  assert_among ((double[]){ 5e3, 5e3 + 1e-9, 5e3 }, "ns", "5.00 µs, 5.00 µs, 5.00 µs");
  /* Across a prefix, and beside nothing. */
  assert_among ((double[]){ 999.94, 999.97, CURED_MISSING }, "ns", "999.9 ns, 1.00 µs, –");
  assert_among ((double[]){ 100001, 100002, 3 }, "", "100,001, 100,002, 3");
}

static void
assert_aligned (double value, const char *unit, double scale_of, const char *expected)
{
  g_autofree char *text = cured_format_quantity_aligned (value, unit, scale_of);

  g_assert_cmpstr (text, ==, expected);
}

/* As many digits as a person asks for. */
TEST ("/units/digits")
{
  static const struct
  {
    double value;
    const char *unit;
    guint digits;
    const char *text;
  } rows[] = {
    { 123456, "ns", 3, "123 µs" },
    { 12345, "ns", 3, "12.3 µs" },
    { 1234, "ns", 3, "1.23 µs" },
    { 9.996, "ns", 3, "10.0 ns" },
    { 99.96, "ns", 3, "100 ns" },
    { 999.6, "ns", 3, "1.00 µs" },
    { 123456, "ns", 5, "123.46 µs" },
    { 1, "ratio", 3, "100 %" },
    { 0.5625, "ratio", 3, "56.2 %" },
    { 8192, "B", 3, "8 KiB" },
    { 12345, "", 3, "12,345" },
    { 0.123456, "", 3, "0.123" },
    { 2.5, "W", 4, "2.500 W" },
    { 0, "ns", 3, "0 ns" },
    { NAN, "ns", 3, "–" },
    { 123456, "ns", 0, "123.5 µs" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      cured_format_set_digits (rows[i].digits);
      g_autofree char *text = cured_format_quantity (rows[i].value, rows[i].unit);
      g_assert_cmpstr (text, ==, rows[i].text);
    }
  cured_format_set_digits (0);
}

TEST ("/units/rough")
{
  static const struct
  {
    double value;
    const char *unit, *text;
  } rows[] = {
    { 14321, "ns", "14 µs" },  { 1449, "ns", "1.4 µs" },   { 996e3, "ns", "1 ms" },
    { 994e3, "ns", "990 µs" }, { 0.5555, "ns", "560 ps" }, { 0, "ns", "0 ns" },
    { NAN, "ns", "–" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = cured_format_rough (rows[i].value, rows[i].unit);

      g_assert_cmpstr (text, ==, rows[i].text);
    }
}

TEST ("/units/multiple")
{
  static const struct
  {
    double value;
    guint digits;
    const char *text;
  } rows[] = {
    { 1, 2, "×1.0" },      { 1, 3, "×1.00" },  { 1.449, 2, "×1.4" }, { 1.449, 3, "×1.45" },
    { 0.996, 2, "×1.0" },  { 9.96, 2, "×10" }, { 14.5, 2, "×15" },   { 1449, 2, "×1400" },
    { 0.714, 2, "×0.71" }, { 0, 2, "×0" },     { NAN, 2, "–" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = cured_format_multiple (rows[i].value, rows[i].digits);

      g_assert_cmpstr (text, ==, rows[i].text);
    }
}

TEST ("/units/aligned")
{
  assert_aligned (25000, "ns", 100e3, "25 µs");
  assert_aligned (2500, "ns", 100e3, "2.5 µs");
  assert_aligned (100, "ns", 100e3, "0.1 µs");
  assert_aligned (0, "ns", 100e3, "0 µs");
  assert_aligned (1000, "ns", 100e6, "0.001 ms");
  assert_aligned (1e9, "ns", 1000, "1,000,000 µs");
  assert_aligned (-2500, "ns", -100e3, "-2.5 µs");
  assert_aligned (106349, "ns", 100e3, "106.3 µs");
  assert_aligned (0.25, "ratio", 1, "25 %");
  assert_aligned (512, "B", 4096, "0.5 KiB");
  assert_aligned (4224, "", 1, "4224");
  assert_aligned (CURED_MISSING, "ns", 1, "–");
  assert_aligned (25, "ns", CURED_MISSING, "25 ns");
}

TEST ("/units/seconds")
{
  static const struct
  {
    double seconds;
    const char *text;
  } rows[] = {
    { 0, "0.0 s" },         { 0.42, "0.4 s" },     { 9.94, "9.9 s" },    { 9.96, "10 s" },
    { 42.4, "42 s" },       { 59.6, "1 min 0 s" }, { 125, "2 min 5 s" }, { 3599.7, "1 h 0 min" },
    { 4800, "1 h 20 min" }, { 273600, "3 d 4 h" }, { -1, "–" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = cured_format_seconds (rows[i].seconds);

      g_assert_cmpstr (text, ==, rows[i].text);
    }
}

TEST ("/units/file-number")
{
  static const struct
  {
    double value;
    const char *text;
  } rows[] = {
    { 0.1, "0.1" },
    { 1.0 / 3, "0.3333333333333333" },
    { 1000000, "1000000" },
    { 106300.5, "106300.5" },
    { -2.5e-7, "-2.5e-07" },
    { 0.1 + 0.2, "0.30000000000000004" },
    { DBL_MAX, "1.7976931348623157e+308" },
    { (double) NAN, "nan" },
    { (double) -INFINITY, "-inf" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = cured_format_file_number (rows[i].value);

      g_assert_cmpstr (text, ==, rows[i].text);
    }

  for (int i = 0; i < 10000; i++)
    {
      union
      {
        guint64 bits;
        double value;
      } number = { ((guint64) g_test_rand_int () << 32) ^ (guint32) g_test_rand_int () };
      g_autofree char *text = cured_format_file_number (number.value);
      double back;

      g_assert_true (MUST (cured_parse_file_number (text, &back, &fail)));
      g_assert_true (back == number.value || (isnan (back) && isnan (number.value)));
    }
}

TEST ("/units/parse")
{
  static const char *const wrong[] = { "", " ", "1,5", "1.5 ", " 1", "1e", "1.5s", "x", "--1" };
  g_autoptr (GError) error = NULL;
  double value = 7;

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      FAILS (cured_parse_file_number (wrong[i], &value, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
             "");
    }
  FAILS (cured_parse_file_number ("1e999", &value, &fail), CURED_ERROR, CURED_ERROR_OVERFLOW, "");
  g_assert_cmpfloat (value, ==, 7);

  /* The least subnormal double; it is a number, though strtod reports it. */
  g_assert_true (cured_parse_file_number ("4.9406564584124654e-324", &value, &error));
  g_assert_cmpfloat (value, >, 0);
}

TEST ("/units/decimal-comma")
{
  g_autoptr (GError) error = NULL;
  double value = 0;

  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("no locale de_DE.UTF-8 here");
      return;
    }
  assert_quantity (106300, "ns", "106,3 µs");
  assert_quantity (0.881, "ratio", "88,1 %");
  assert_aligned (2500, "ns", 100e3, "2,5 µs");
  assert_among ((double[]){ 11.068e6, 11.124e6, 11.139e6 }, "ns", "11,07 ms, 11,12 ms, 11,14 ms");
  assert_quantity (4224, "", "4224");
  assert_quantity (546637, "", "546.637");
  assert_date ();
  g_autofree char *count = cured_format_count (1048576);
  g_assert_cmpstr (count, ==, "1.048.576");
  g_autofree char *seconds = cured_format_seconds (0.42);
  g_assert_cmpstr (seconds, ==, "0,4 s");

  g_autofree char *file_number = cured_format_file_number (106300.5);
  g_assert_cmpstr (file_number, ==, "106300.5");
  g_assert_true (cured_parse_file_number ("2.5", &value, &error));
  g_assert_cmpfloat (value, ==, 2.5);
  g_assert_false (cured_parse_file_number ("2,5", &value, &error));
  g_clear_error (&error);
  {
    g_autoptr (CuredExpr) expr = MUST (cured_expr_parse ("2.5*2", &fail));

    g_assert_true (cured_expr_evaluate_double (expr, NULL, NULL, &value, &error));
    g_assert_cmpfloat (value, ==, 5);
  }
  setlocale (LC_ALL, "C.UTF-8");
}

/* What somebody types is what cured_format_quantity () writes. */
TEST ("/units/quantity-typed")
{
  static const struct
  {
    const char *text;
    const char *unit;
    double value; /* NaN: refused */
  } rows[] = {
    { "2.5 ms", "ns", 2.5e6 },
    { " 95us ", "ns", 95e3 },
    { "95 \u03bcs", "ns", 95e3 },
    { "95\u00a0µs", "ns", 95e3 },
    { "7", "ns", 7e3 }, /* a bare number, in thousands */
    { "3.76 TB/s", "B/s", 3.76e12 },
    { "48 KiB", "B", 48 * 1024 },
    { "88.1 %", "ratio", 0.881 },
    { "×1.5", "", 1500 },
    { "-3", "x", -3000 },
    { "4 x", "x", 4 },
    { "", "ns", NAN },
    { "ms", "ns", NAN },
    { "2 GB", "ns", NAN },
    { "2.5 ms more", "ns", NAN },
    { "nan", "ns", NAN },
    { "1e999", "ns", NAN },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      double value = NAN;

      g_test_message ("%s in %s", rows[i].text, rows[i].unit);
      if (isnan (rows[i].value))
        FAILS (cured_parse_quantity (rows[i].text, rows[i].unit, 1000, &value, &fail), CURED_ERROR,
               CURED_ERROR_SYNTAX, rows[i].text);
      else
        MUST (cured_parse_quantity (rows[i].text, rows[i].unit, 1000, &value, &fail));
      if (!isnan (rows[i].value))
        g_assert_cmpfloat_with_epsilon (value, rows[i].value, 1e-9 * fabs (rows[i].value));
    }
}
