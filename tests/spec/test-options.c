/* SPDX-License-Identifier: MIT
 * The table of options: every row there and back, and what a row refuses. */
#include <glib.h>
#include <string.h>

#include "base/cured-error.h"
#include "other-values.h"
#include "spec/cured-options-internal.h"
#include "test.h"

TEST ("/options/defaults")
{
  g_auto (CuredOptions) options = { 0 };

  cured_options_init (&options);
  g_assert_cmpuint (options.seed, ==, 1);
  g_assert_cmpfloat (options.limit_s, ==, 20);
  g_assert_cmpuint (options.min_samples, ==, 4);
  g_assert_cmpuint (options.max_samples, ==, 200);
  g_assert_cmpuint (options.rounds, ==, 0);
  g_assert_cmpfloat (options.sampling_s, ==, 0.5);
  g_assert_cmpfloat (options.precision, ==, 0.003);
  g_assert_true (options.check && options.cold && options.hot);
  g_assert_null (options.compile_options);
  g_assert_null (options.unsafe_options);
  g_assert_cmpuint (options.shuffle, ==, 0);
  g_assert_null (options.blocks);
  MUST (cured_options_check (&options, &fail));
}

TEST ("/options/rows")
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);
  g_auto (CuredOptions) other = { 0 }, copy = { 0 }, read = { 0 };

  other_options_init (&other);
  cured_options_copy (&other, &copy);
  assert_same_options (&other, &copy, 0);
  g_assert_true (copy.blocks != other.blocks);

  cured_options_init (&read);
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *text = cured_option_to_string (&rows[i], &other);

      g_assert_true (cured_option_find (rows[i].name) == &rows[i]);
      g_assert_cmpstr (text, ==, other_option (&rows[i]));
      g_assert_true (cured_option_read (&rows[i], &read, text));
      /* What the command prints beside the switch, in 80 columns. */
      g_assert_cmpuint (strlen (rows[i].help), <=, 50);
      /* Dialogs have all but what is for the command alone. */
      g_assert_true ((rows[i].title == NULL) == ((rows[i].flags & CURED_OPTION_UNSAFE) != 0));
    }
  assert_same_options (&other, &read, 0);
  g_assert_null (cured_option_find ("later"));
}

/* Files may say more than people may ask for. */
TEST ("/options/refused")
{
  static const struct
  {
    const char *name, *text;
    gboolean is_read;
  } cases[] = {
    { "seed", "-1", FALSE },
    { "seed", "x", FALSE },
    { "limit_s", "0", TRUE },
    { "limit_s", "-1", FALSE },
    { "limit_s", "nan", FALSE },
    { "limit_s", "inf", FALSE },
    { "limit_s", "1,5", FALSE },
    { "min_samples", "0", TRUE },
    { "min_samples", "4294967296", FALSE },
    { "max_samples", "many", FALSE },
    { "precision", "1.5", TRUE },
    { "rounds", "some", FALSE },
    { "rounds", "65", TRUE },
    { "check", "2", FALSE },
    { "compile_options", "--output-directory=/", TRUE },
    { "blocks", "some", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const CuredOptionInfo *row = cured_option_find (cases[i].name);
      g_auto (CuredOptions) options = { 0 }, defaults = { 0 };
      g_autoptr (GError) error = NULL;

      g_test_message ("%s=%s", cases[i].name, cases[i].text);
      cured_options_init (&options);
      cured_options_init (&defaults);
      g_assert_false (cured_option_parse (row, &options, cases[i].text, &error));
      g_assert_nonnull (error);
      assert_same_options (&options, &defaults, 0);
      g_assert_cmpint (cured_option_read (row, &options, cases[i].text), ==, cases[i].is_read);
      g_autofree char *read = cured_option_to_string (row, &options);
      g_autofree char *usual = cured_option_to_string (row, &defaults);
      g_assert_cmpint (g_str_equal (read, usual), !=, cases[i].is_read);
    }
}

/* A count that is left to Cured has a word. */
TEST ("/options/auto")
{
  const CuredOptionInfo *row = cured_option_find ("rounds");
  g_auto (CuredOptions) options = { 0 };

  cured_options_init (&options);
  g_assert_true (cured_option_parse (row, &options, "3", NULL));
  g_assert_cmpuint (options.rounds, ==, 3);
  g_autofree char *few = cured_option_to_string (row, &options);
  g_assert_cmpstr (few, ==, "3");
  g_assert_true (cured_option_parse (row, &options, "auto", NULL));
  g_assert_cmpuint (options.rounds, ==, 0);
  g_autofree char *word = cured_option_to_string (row, &options);
  g_assert_cmpstr (word, ==, "auto");
  g_assert_false (cured_option_parse (row, &options, "0", NULL));
}

TEST ("/options/together")
{
  g_auto (CuredOptions) options = { 0 };

  cured_options_init (&options);
  options.cold = FALSE;
  g_assert_true (cured_options_check (&options, NULL));
  options.hot = FALSE;
  FAILS (cured_options_check (&options, &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
  options.hot = TRUE;
  options.min_samples = options.max_samples;
  g_assert_true (cured_options_check (&options, NULL));
  options.min_samples++;
  FAILS (cured_options_check (&options, &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
}
