/* SPDX-License-Identifier: MIT
 * The identity of a device, its limits and its measured rates. */
#include "device/cured-device-internal.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define TEXT(field, title)                                                                         \
  {                                                                                                \
#field, NULL, #field, CURED_DEVICE_FACT_TEXT, "", title,                                       \
        G_STRUCT_OFFSET(CuredDeviceInfo, field)                                                    \
  }
#define NUMBER(group, field, unit, title)                                                          \
  {                                                                                                \
#field, #group, #field, CURED_DEVICE_FACT_NUMBER, unit, title,                                 \
        G_STRUCT_OFFSET(CuredDeviceInfo, group.field)                                              \
  }
#define DATE(column, group, field)                                                                 \
  {                                                                                                \
    column, #group, #field, CURED_DEVICE_FACT_DATE, "", NULL,                                      \
        G_STRUCT_OFFSET (CuredDeviceInfo, group.field)                                             \
  }

/* ORDER: as the columns of result files. */
static const CuredDeviceFact facts[] = {
  TEXT (id, NULL),
  TEXT (kind, NULL),
  TEXT (name, NULL),
  TEXT (uuid, N_ ("uuid")),
  TEXT (arch, N_ ("compiles for")),
  TEXT (driver, N_ ("driver")),
  TEXT (runtime, N_ ("runtime")),
  TEXT (compiler, NULL),
  TEXT (host, NULL),
  NUMBER (calibration, cold_overhead_ns, "ns", NULL),
  NUMBER (calibration, resolution_ns, "ns", NULL),
  NUMBER (ceilings, copy_bytes_per_s, "B/s", N_ ("copying")),
  NUMBER (ceilings, read_bytes_per_s, "B/s", N_ ("reading")),
  NUMBER (ceilings, fp32_flops, "FLOP/s", N_ ("fp32")),
  DATE ("ceilings_date", ceilings, date),
  TEXT (sharing, N_ ("shared")),
};

#undef TEXT
#undef NUMBER
#undef DATE

#define FIELD(type, of, fact) G_STRUCT_MEMBER (type, of, (fact)->offset)

/* @self: (out caller-allocates): the info
 *
 * Sets every string to "" except the host, which is this machine, and every number to unknown. */
void
cured_device_info_init (CuredDeviceInfo *self)
{
  *self = (CuredDeviceInfo){ 0 };
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    if (facts[i].type == CURED_DEVICE_FACT_TEXT)
      FIELD (char *, self, &facts[i]) = g_strdup ("");
    else if (facts[i].type == CURED_DEVICE_FACT_NUMBER)
      FIELD (double, self, &facts[i]) = NAN;
  g_free (self->host);
  self->host = g_strdup (g_get_host_name ());
}

/* @copy: (out caller-allocates): a deep copy; free its strings with cured_device_info_clear() */
void
cured_device_info_copy (const CuredDeviceInfo *self, CuredDeviceInfo *copy)
{
  *copy = *self;
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    if (facts[i].type != CURED_DEVICE_FACT_NUMBER)
      FIELD (char *, copy, &facts[i]) = g_strdup (FIELD (char *, self, &facts[i]));
}

/* @self: the info, whose strings are freed */
void
cured_device_info_clear (CuredDeviceInfo *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    if (facts[i].type != CURED_DEVICE_FACT_NUMBER)
      g_clear_pointer (&FIELD (char *, self, &facts[i]), g_free);
}

/* Returns: (transfer none): the table of device facts, in the order of result files; limits are in
 *   cured_limits_list() */
const CuredDeviceFact *
cured_device_facts (gsize *n_facts)
{
  *n_facts = G_N_ELEMENTS (facts);
  return facts;
}

/* @self: a row of a text or date
 * @of: a device
 * Returns: (transfer none) (nullable): the text; "", or NULL for a date, where it is unknown */
const char *
cured_device_fact_get_text (const CuredDeviceFact *self, const CuredDeviceInfo *of)
{
  g_return_val_if_fail (self->type != CURED_DEVICE_FACT_NUMBER, NULL);

  const char *text = FIELD (char *, of, self);
  return text == NULL && self->type == CURED_DEVICE_FACT_TEXT ? "" : text;
}

/* @self: a row that is a number
 * @of: a device
 * Returns: the number in the row's unit; NaN where it is unknown */
double
cured_device_fact_get_number (const CuredDeviceFact *self, const CuredDeviceInfo *of)
{
  g_return_val_if_fail (self->type == CURED_DEVICE_FACT_NUMBER, NAN);
  return FIELD (double, of, self);
}

/* @self: a row of a text or date
 * @of: a device
 * @text: (nullable): NULL where it is unknown */
void
cured_device_fact_set_text (const CuredDeviceFact *self, CuredDeviceInfo *of, const char *text)
{
  char *copy = g_strdup (text == NULL && self->type == CURED_DEVICE_FACT_TEXT ? "" : text);

  g_return_if_fail (self->type != CURED_DEVICE_FACT_NUMBER);

  g_free (FIELD (char *, of, self));
  FIELD (char *, of, self) = copy;
}

/* @self: a row that is a number
 * @of: a device
 * @number: in the row's unit; NaN where it is unknown */
void
cured_device_fact_set_number (const CuredDeviceFact *self, CuredDeviceInfo *of, double number)
{
  g_return_if_fail (self->type == CURED_DEVICE_FACT_NUMBER);
  FIELD (double, of, self) = number;
}

/* @name: a CUDA device's name, as from the driver
 *
 * Finds out who else may use the chip, as far as the process can see: the driver names MIG slices,
 * and a client of the multi-process service has its environment.
 * Returns: (transfer full): “MIG 1g.10gb” or “MPS”; "" if nobody is known */
char *
cured_device_describe_sharing (const char *name)
{
  const char *slice = name != NULL ? strstr (name, " MIG ") : NULL;

  if (slice != NULL)
    return g_strdup (slice + 1);
  if (g_getenv ("CUDA_MPS_PIPE_DIRECTORY") != NULL ||
      g_getenv ("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") != NULL)
    return g_strdup ("MPS");
  return g_strdup ("");
}

/* @self: the identity of a device
 * Returns: whether it measures time: the emulator counts instead, and a model predicts */
gboolean
cured_device_info_has_time (const CuredDeviceInfo *self)
{
  return !g_str_equal (self->kind, "emulator") && !g_str_equal (self->kind, "model");
}
