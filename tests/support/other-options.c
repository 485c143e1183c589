/* SPDX-License-Identifier: MIT
 * Options of a run of which none has its default. */
#include "other-options.h"

/* A value that is not the row's default, as files have it. */
const char *
other_option (const CuredOptionInfo *row)
{
  switch (row->type)
    {
    case CURED_OPTION_FLAG:
      return "0";
    case CURED_OPTION_COUNT:
      return "77";
    case CURED_OPTION_SEED:
      return "18446744073709551615";
    case CURED_OPTION_NUMBER:
      return "0.0625";
    case CURED_OPTION_WORDS:
      return "-lineinfo --use_fast_math";
    case CURED_OPTION_BLOCKS:
      return "sample:64";
    }
  g_assert_not_reached ();
}

void
other_options_init (CuredOptions *self)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);
  g_auto (CuredOptions) defaults = { 0 };

  cured_options_init (self);
  cured_options_init (&defaults);
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (
          cured_option_parse (&rows[i], self, other_option (&rows[i]), &error));
      g_assert_no_error (error);
      g_assert_false (cured_option_equal (&rows[i], self, &defaults));
    }
}

/* @but: flags of rows that @b has as they are by default */
void
assert_same_options (const CuredOptions *a, const CuredOptions *b, guint but)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);
  g_auto (CuredOptions) defaults = { 0 };

  cured_options_init (&defaults);
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *first = cured_option_to_string (
          &rows[i], (rows[i].flags & but) != 0 ? &defaults : a);
      g_autofree char *second = cured_option_to_string (&rows[i], b);

      g_test_message ("%s", rows[i].name);
      g_assert_cmpstr (first, ==, second);
    }
}
