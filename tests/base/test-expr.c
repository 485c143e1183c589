/* SPDX-License-Identifier: MIT
 * Expressions: values, precedence, exactness, and every way to fail. */
#include "cured.h"

#include <string.h>
#include "base/cured-expr-internal.h"
#include "test.h"

static gboolean
lookup (const char *name, CuredNumber *value, gpointer user_data)
{
  value->is_double = FALSE;
  if (g_str_equal (name, "n"))
    value->integer = 1000;
  else if (g_str_equal (name, "tile"))
    value->integer = 16;
  else if (g_str_equal (name, "big"))
    value->integer = (G_GINT64_CONSTANT (1) << 53) + 1;
  else if (g_str_equal (name, "zero"))
    value->integer = 0;
  else if (g_str_equal (name, "least"))
    value->integer = G_MININT64;
  else if (g_str_equal (name, "half"))
    *value = (CuredNumber){ .is_double = TRUE, .real = 0.5 };
  else
    return FALSE;
  return TRUE;
}

static CuredNumber
value_of (const char *text)
{
  g_autoptr (CuredExpr) expr = MUST (cured_expr_parse (text, &fail));
  CuredNumber value;

  g_assert_cmpstr (cured_expr_get_text (expr), ==, text);
  MUST (cured_expr_evaluate (expr, lookup, NULL, &value, &fail));
  return value;
}

TEST ("/expr/integers")
{
  static const struct
  {
    const char *text;
    gint64 value;
  } rows[] = {
    { "7", 7 },
    { " 1_000_000 ", 1000000 },
    { "1'000", 1000 },
    { "10^8", 100000000 },
    { "2^3^2", 512 },
    { "-2^2", -4 },
    { "(-2)^2", 4 },
    { "2^62", G_GINT64_CONSTANT (1) << 62 },
    { "1^9223372036854775807", 1 },
    { "9223372036854775807", G_MAXINT64 },
    { "1+2*3", 7 },
    { "(1+2)*3", 9 },
    { "10-4-3", 3 },
    { "12/3/2", 2 },
    { "7%3", 1 },
    { "-7%3", -1 },
    { "least%-1", 0 },
    { "- -3", 3 },
    { "!0 + !5", 1 },
    { "1<2", 1 },
    { "2<=1", 0 },
    { "2>=2", 1 },
    { "2>2", 0 },
    { "n==1000", 1 },
    { "n!=1000", 0 },
    { "1<2==1", 1 },
    { "1 || 0 && 0", 1 },
    { "2 && 3", 1 },
    { "0 && 1/zero", 0 },
    { "1 || 1/zero", 1 },
    { "zero ? 1/zero : 5", 5 },
    { "1 ? 2 : 0 ? 3 : 4", 2 },
    { "0 ? 2 : 0 ? 3 : 4", 4 },
    { "min(3, 1, 2)", 1 },
    { "max(3, n, 2)", 1000 },
    { "max(4)", 4 },
    { "ceil(n/tile)", 63 },
    { "floor(n/tile)", 62 },
    { "ceil(-7/2)", -3 },
    { "floor(-7/2)", -4 },
    { "ceil(7/-2)", -3 },
    { "ceil(2.1)", 3 },
    { "floor(-2.1)", -3 },
    /* A double has no 2^53 + 1: these are exact or wrong by one. */
    { "big/1", (G_GINT64_CONSTANT (1) << 53) + 1 },
    { "ceil(big/1)", (G_GINT64_CONSTANT (1) << 53) + 1 },
    { "ceil(big/2)", (G_GINT64_CONSTANT (1) << 52) + 1 },
    { "floor(big/2)", G_GINT64_CONSTANT (1) << 52 },
    { "floor((2^62+1)/2^61)", 2 },
    { "ceil((2^62+1)/2^61)", 3 },
    { "pow2(10)", 1024 },
    { "pow2(62)", G_GINT64_CONSTANT (1) << 62 },
    { "log2(1024)", 10 },
    { "log2(2^62)", 62 },
    { "abs(-3)", 3 },
    { "sqrt(144)", 12 },
    { "sqrt(9223372030926249001)", 3037000499 },
    { "min(2, half) == half", 1 },
    { "n/tile*tile == n", 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredNumber value = value_of (rows[i].text);

      g_test_message ("%s", rows[i].text);
      g_assert_false (value.is_double);
      g_assert_cmpint (value.integer, ==, rows[i].value);
    }
}

TEST ("/expr/doubles")
{
  static const struct
  {
    const char *text;
    double value;
  } rows[] = {
    { "2.5", 2.5 },
    { "1e-5", 1e-5 },
    { "1_000.5e3", 1000500 },
    { "n/tile", 62.5 },
    { "1/3", 1.0 / 3 },
    { "2^-1", 0.5 },
    { "10^-5", 1e-5 },
    { "2*half", 1 },
    { "half-1", -0.5 },
    { "-half", -0.5 },
    { "2.0^half", 1.4142135623730951 },
    { "log2(10)", 3.3219280948873622 },
    { "pow2(half)", 1.4142135623730951 },
    { "pow2(-1)", 0.5 },
    { "sqrt(2)", 1.4142135623730951 },
    { "abs(-half)", 0.5 },
    { "max(half, 0)", 0.5 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredNumber value = value_of (rows[i].text);

      g_test_message ("%s", rows[i].text);
      g_assert_true (value.is_double);
      g_assert_cmpfloat_with_epsilon (value.real, rows[i].value, 1e-15 * ABS (rows[i].value));
    }
}

TEST ("/expr/syntax-errors")
{
  static const struct
  {
    const char *text;
    const char *message;
  } rows[] = {
    { "", "column 1: expected a number, a name or “(”, but the text ends" },
    { "  ", "column 3: expected a number, a name or “(”, but the text ends" },
    { "n*(2+", "column 6: expected a number, a name or “(”, but the text ends" },
    { "n*)", "column 3: expected a number, a name or “(”, not “)”" },
    { "(n", "column 3: expected an operator or “)”, but the text ends" },
    { "2n", "column 2: expected an operator, not “n”" },
    { "n n", "column 3: expected an operator, not “n”" },
    { "n = 2", "column 3: expected an operator, not “=”" },
    { "n & 2", "column 3: expected an operator, not “&”" },
    { "1 ? 2", "column 6: expected an operator or “:”, but the text ends" },
    { "min(1;2)", "column 6: expected “,” or “)”, not “;”" },
    { "min()", "column 5: expected a number, a name or “(”, not “)”" },
    { "ceil(1,2)", "column 7: expected “)”, not “,”" },
    { "2 + foo(3)", "column 5: there is no function “foo”; there are min, max, ceil, floor, pow2, "
                    "log2, abs, sqrt" },
    { "2.", "column 2: expected an operator, not “.”" },
    { "1__0", "column 2: expected an operator, not “_”" },
    { "3×4", "column 2: expected an operator, not “×”" },
    { "3\xff", "column 2: expected an operator" },
    { "3\x01", "column 2: expected an operator" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredExpr) expr = cured_expr_parse (rows[i].text, &error);

      g_assert_null (expr);
      g_assert_error (error, CURED_ERROR, CURED_ERROR_SYNTAX);
      g_assert_cmpstr (error->message, ==, rows[i].message);
    }
}

TEST ("/expr/values-that-fail")
{
  static const struct
  {
    const char *text;
    CuredError code;
    const char *part;
  } rows[] = {
    { "9223372036854775807 + 1", CURED_ERROR_OVERFLOW, "9223372036854775807 + 1 does not fit" },
    { "0 - 9223372036854775807 - 2", CURED_ERROR_OVERFLOW, "does not fit" },
    { "2^32 * 2^31", CURED_ERROR_OVERFLOW, "4294967296 * 2147483648 does not fit" },
    { "2^63", CURED_ERROR_OVERFLOW, "2 ^ 63 does not fit" },
    { "10^9223372036854775807", CURED_ERROR_OVERFLOW, "does not fit" },
    { "-least", CURED_ERROR_OVERFLOW, "does not fit" },
    { "least/-1", CURED_ERROR_OVERFLOW, "does not fit" },
    { "ceil(least/-1)", CURED_ERROR_OVERFLOW, "does not fit" },
    { "abs(least)", CURED_ERROR_OVERFLOW, "abs(" },
    { "pow2(63)", CURED_ERROR_OVERFLOW, "pow2(63) does not fit" },
    { "1e300*1e300", CURED_ERROR_OVERFLOW, "does not fit" },
    { "ceil(1e19)", CURED_ERROR_OVERFLOW, "ceil(1e+19) does not fit" },
    { "1/zero", CURED_ERROR_INVALID, "1 / 0 divides by zero" },
    { "ceil(n/zero)", CURED_ERROR_INVALID, "1000 / 0 divides by zero" },
    { "1%zero", CURED_ERROR_INVALID, "1 % 0 divides by zero" },
    { "0.5/0.0", CURED_ERROR_INVALID, "0.5 / 0 divides by zero" },
    { "half%2", CURED_ERROR_INVALID, "needs two integers" },
    { "log2(0)", CURED_ERROR_INVALID, "log2(0) is not defined" },
    { "sqrt(-1)", CURED_ERROR_INVALID, "sqrt(-1) is not defined" },
    { "zero^-1", CURED_ERROR_INVALID, "negative power" },
    { "(-1)^half", CURED_ERROR_INVALID, "not an integer" },
    { "n*blocks", CURED_ERROR_NOT_FOUND, "there is no “blocks”" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredExpr) expr = cured_expr_parse (rows[i].text, &error);
      CuredNumber value;

      g_test_message ("%s", rows[i].text);
      g_assert_no_error (error);
      g_assert_false (cured_expr_evaluate (expr, lookup, NULL, &value, &error));
      g_assert_error (error, CURED_ERROR, (int) rows[i].code);
      g_assert_nonnull (strstr (error->message, rows[i].part));
      g_assert_nonnull (strstr (error->message, rows[i].text));
    }
}

TEST ("/expr/literal-overflow")
{
  FAILS (cured_expr_parse ("2+9223372036854775808", &fail), CURED_ERROR, CURED_ERROR_OVERFLOW,
         "column 3");
  FAILS (cured_expr_parse ("1e999", &fail), CURED_ERROR, CURED_ERROR_OVERFLOW, "");
}

TEST ("/expr/whole")
{
  g_autoptr (CuredExpr) whole = cured_expr_parse ("1e3/2", NULL);
  g_autoptr (CuredExpr) broken = cured_expr_parse ("n/tile", NULL);
  g_autoptr (CuredExpr) large = cured_expr_parse ("2.0^63", NULL);
  g_autoptr (GError) error = NULL;
  gint64 value = 0;
  double real = 0;

  g_assert_true (cured_expr_evaluate_integer (whole, lookup, NULL, &value, &error));
  g_assert_cmpint (value, ==, 500);
  g_assert_true (cured_expr_evaluate_double (broken, lookup, NULL, &real, &error));
  g_assert_cmpfloat (real, ==, 62.5);

  g_assert_false (cured_expr_evaluate_integer (broken, lookup, NULL, &value, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "62.5"));
  g_assert_cmpint (value, ==, 500);
  g_clear_error (&error);

  FAILS (cured_expr_evaluate_integer (large, lookup, NULL, &value, &fail), CURED_ERROR,
         CURED_ERROR_OVERFLOW, "");
}

static void
collect_cb (const char *name, gpointer user_data)
{
  g_string_append_printf (user_data, "%s;", name);
}

TEST ("/expr/names")
{
  g_autoptr (CuredExpr) expr = cured_expr_parse ("max(n, tile) * (n > 2 ? min : 1)", NULL);
  g_autoptr (GString) names = g_string_new (NULL);

  g_assert_nonnull (expr);
  cured_expr_foreach_name (expr, collect_cb, names);
  g_assert_cmpstr (names->str, ==, "n;tile;n;min;");
}

/* Text of any length from a file must not reach the end of the stack. */
TEST ("/expr/depth")
{
  static const char *const units[] = { "(", "-", "!", "2^", "1?", "1+", "min(1,", "1?1:", "1*" };

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      for (int j = 0; j < 200000; j++)
        g_string_append (text, units[i]);
      g_string_append (text, "1");
      FAILS (cured_expr_parse (text->str, &fail), CURED_ERROR, CURED_ERROR_SYNTAX,
             "too long or nested too deep");
    }
  g_assert_cmpint (value_of ("((((((((((((((((((((1))))))))))))))))))))").integer, ==, 1);
}

/* Random texts of the language's own pieces: no crash, and an answer or an error, never both or
 * none. */
TEST ("/expr/fuzz")
{
  static const char *const pieces[] = {
    "n",     "tile",
    "zero",  "half",
    "big",   "least",
    "1",     "2",
    "63",    "1e9",
    "+",     "-",
    "*",     "/",
    "%",     "^",
    "(",     ")",
    "?",     ":",
    ",",     "<",
    "<=",    "==",
    "!",     "&&",
    "||",    "min(",
    "ceil(", "floor(",
    "log2(", "pow2(",
    " ",     "9223372036854775807",
  };

  for (int i = 0; i < 20000; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      CuredNumber value;
      int length = g_test_rand_int_range (1, 12);

      for (int j = 0; j < length; j++)
        g_string_append (text, pieces[g_test_rand_int_range (0, (int) G_N_ELEMENTS (pieces))]);
      g_autoptr (CuredExpr) expr = cured_expr_parse (text->str, &error);
      g_assert_true ((expr != NULL) == (error == NULL));
      if (expr != NULL)
        g_assert_true (cured_expr_evaluate (expr, lookup, NULL, &value, &error) == (error == NULL));
    }
}
