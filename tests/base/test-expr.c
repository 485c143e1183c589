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
#include "expr-whole.def"
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
#include "expr-real.def"
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
    const char *text, *message;
  } rows[] = {
#include "expr-syntax.def"
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
#include "expr-domain.def"
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
