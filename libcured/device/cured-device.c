/* SPDX-License-Identifier: MIT
 * Functions common to all devices. */
#include "device/cured-device.h"

#include "base/cured-base-internal.h"
#include "device/cured-device-internal.h"

/* @id: id of a device
 * Returns: whether it is the emulator, as any of its chips, or a model, for which kernels run on
 *   the emulator, too */
gboolean
cured_device_is_emulated (const char *id)
{
  return g_str_equal (id, "emulator") || g_str_has_prefix (id, "emulator:") ||
         cured_device_is_model (id);
}

/* @id: id of a device
 * Returns: whether it is the model of a chip, which predicts times */
gboolean
cured_device_is_model (const char *id)
{
  return g_str_has_prefix (id, "model:");
}

/* Returns: (transfer none): its identity; valid until the device is closed */
const CuredDeviceInfo *
cured_device_get_info (const CuredDevice *self)
{
  return &self->info;
}

/* @self: a device in this process or in another one
 * Returns: whether it measures time; the emulator counts instead */
gboolean
cured_device_has_time (const CuredDevice *self)
{
  return cured_device_info_has_time (&self->info);
}

/* @self: (transfer full): a device
 *
 * Frees all resources of the device. */
void
cured_device_close (CuredDevice *self)
{
  if (self->workbench_free != NULL)
    self->workbench_free (self->workbench);
  self->workbench = NULL;
  self->klass->close (self);
}

/* @self: (transfer full): a found device */
void
cured_device_found_free (CuredDeviceFound *self)
{
  g_free (self->id);
  g_free (self->reason);
  if (self->info != NULL)
    cured_device_info_clear (self->info);
  g_free (self->info);
  g_free (self);
}

/* Frees the members and sets all to 0; the caller owns the struct itself. */
void
_cured_counts_clear (CuredCounts *self)
{
  CURED_CLEAR (work, cured_workload_unref, findings, g_ptr_array_unref, output, g_free);
  memset (self, 0, sizeof *self);
}
