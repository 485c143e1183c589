/* SPDX-License-Identifier: MIT
 * Options of a run, and a device, of which nothing is as it is by default. */
#include "base/cured-limits-internal.h"
#include "device/cured-device-internal.h"
#include "other-values.h"
#include "test.h"

/* A value that is not the row's default, as files have it. */
const char *
other_option (const CuredOptionInfo *row)
{
  g_auto (CuredOptions) defaults = { 0 };

  cured_options_init (&defaults);
  switch (row->type)
    {
    case CURED_OPTION_FLAG: return cured_option_get_number (row, &defaults) != 0 ? "0" : "1";
    case CURED_OPTION_COUNT: return row->max < 77 ? "7" : "77";
    case CURED_OPTION_SEED: return "18446744073709551615";
    case CURED_OPTION_NUMBER:
      /* Long enough for a cell on a machine that does much else. */
      return g_str_equal (row->unit, "s") ? "100.5" : "0.0625";
    case CURED_OPTION_WORDS: return "-lineinfo --use_fast_math";
    case CURED_OPTION_BLOCKS: return "sample:64";
    case CURED_OPTION_CONDITION: return "1<2";
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
      g_assert_true (MUST (cured_option_parse (&rows[i], self, other_option (&rows[i]), &fail)));
      g_autofree char *other = cured_option_to_string (&rows[i], self);
      g_autofree char *usual = cured_option_to_string (&rows[i], &defaults);
      g_assert_cmpstr (other, !=, usual);
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
      g_autofree char *first =
          cured_option_to_string (&rows[i], (rows[i].flags & but) != 0 ? &defaults : a);
      g_autofree char *second = cured_option_to_string (&rows[i], b);

      g_test_message ("%s", rows[i].name);
      g_assert_cmpstr (first, ==, second);
    }
}

void
other_device_init (CuredDeviceInfo *self)
{
  gsize n_facts, n_limits;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);
  const CuredLimitInfo *limits = cured_limits_list (&n_limits);

  cured_device_info_init (self);
  for (gsize i = 0; i < n_facts; i++)
    {
      g_autofree char *text = g_strdup_printf ("some %s", facts[i].column);

      if (facts[i].type == CURED_DEVICE_FACT_NUMBER)
        cured_device_fact_set_number (&facts[i], self, 1.5 + (double) i);
      else
        cured_device_fact_set_text (&facts[i], self, text);
    }
  for (gsize i = 0; i < n_limits; i++)
    cured_limits_set (&self->limits, limits[i].name, (gint64) (i * i + 1) << 32);
}

void
assert_same_device (const CuredDeviceInfo *a, const CuredDeviceInfo *b)
{
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  /* Every field is a pointer, a double or a limit: none has no row. */
  g_assert_cmpuint (sizeof *a, ==, n_facts * sizeof (double) + sizeof (CuredLimits));
  g_assert_cmpmem (&a->limits, sizeof a->limits, &b->limits, sizeof b->limits);
  for (gsize i = 0; i < n_facts; i++)
    {
      g_test_message ("%s", facts[i].column);
      if (facts[i].type == CURED_DEVICE_FACT_NUMBER)
        g_assert_cmpfloat (cured_device_fact_get_number (&facts[i], a), ==,
                           cured_device_fact_get_number (&facts[i], b));
      else
        g_assert_cmpstr (cured_device_fact_get_text (&facts[i], a), ==,
                         cured_device_fact_get_text (&facts[i], b));
    }
}
