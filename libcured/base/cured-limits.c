/* SPDX-License-Identifier: MIT
 * A device's limits, by C name and by the name that expressions use. */
#include "base/cured-limits-internal.h"

static const CuredLimitInfo limits[] = {
#define CURED_LIMITS_ROW(name, unit, meaning)                                                      \
  { #name, unit, meaning, G_STRUCT_OFFSET (CuredLimits, name) },
  CURED_LIMITS_FIELDS (CURED_LIMITS_ROW)
#undef CURED_LIMITS_ROW
};

static gint64 *
find_field (CuredLimits *self, const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    if (g_str_equal (limits[i].name, name))
      return (gint64 *) G_STRUCT_MEMBER_P (self, limits[i].offset);
  return NULL;
}

/* Returns: (transfer none): the table of limits, in the order of the struct */
const CuredLimitInfo *
cured_limits_list (gsize *n_limits)
{
  *n_limits = G_N_ELEMENTS (limits);
  return limits;
}

/* @name: a name of the table
 * @value: (out): the value, in the table's unit
 * Returns: FALSE for an unknown name; @value is then unchanged */
gboolean
cured_limits_get (const CuredLimits *self, const char *name, gint64 *value)
{
  const gint64 *field = find_field ((CuredLimits *) self, name);

  if (field == NULL)
    return FALSE;
  *value = *field;
  return TRUE;
}

/* @name: a name of the table
 * @value: a device's value
 * Returns: FALSE if @value is 0 because the device did not report it */
gboolean
cured_limits_is_known (const char *name, gint64 value)
{
  return value != 0 || g_str_equal (name, "compute_minor") || g_str_equal (name, "emulated");
}

/* FALSE for an unknown name. */
gboolean
cured_limits_set (CuredLimits *self, const char *name, gint64 value)
{
  gint64 *field = find_field (self, name);

  if (field == NULL)
    return FALSE;
  *field = value;
  return TRUE;
}
