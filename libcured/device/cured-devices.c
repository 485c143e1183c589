/* SPDX-License-Identifier: MIT
 * Devices by id: the table of kinds. */
#include "device/cured-device-internal.h"

#include "base/cured-base-internal.h"
#include "device/cured-kind-private.h"

static const CuredDeviceKind *const kinds[] = {
  &_cured_cuda_kind,
  &_cured_emulator_kind,
  &_cured_model_kind,
  NULL,
};

static const CuredDeviceKind *
find_kind (const char *id)
{
  gsize length = strcspn (id, ":");

  for (gsize i = 0; kinds[i] != NULL; i++)
    if (strlen (kinds[i]->name) == length && strncmp (kinds[i]->name, id, length) == 0)
      return kinds[i];
  return NULL;
}

/* Loads the device's driver, which takes long, without opening the device, which another process
 * may be using. Missing parts are not reported. */
void
_cured_device_load (const char *id)
{
  const CuredDeviceKind *kind = find_kind (id);

  if (kind != NULL && kind->load != NULL)
    kind->load ();
}

/* @id: "cuda:0", "emulator", "emulator:sm_86" or "model:h200"
 *
 * Opens a device in this process: a kernel that faults ends the process (use
 * cured_worker_device_new() if that matters). Blocks; the first time with a device and driver,
 * measures its limits, which takes about a second.
 * Returns: (transfer full): the device, or NULL with %CURED_ERROR_NOT_FOUND (no such kind),
 *   %CURED_ERROR_NO_DEVICE or %CURED_ERROR_NO_COMPILER */
CuredDevice *
cured_device_open (const char *id, GError **error)
{
  g_return_val_if_fail (id != NULL, NULL);

  const CuredDeviceKind *kind = find_kind (id);
  const char *colon = strchr (id, ':');
  if (kind != NULL)
    return kind->open (colon != NULL ? colon + 1 : NULL, error);
  return cured_fail_null (
      error, CURED_ERROR_NOT_FOUND,
      _ ("There is no device “%s”; devices are called cuda:0, cuda:1 and so on, emulator, "
         "or model:h200, and “cured devices” lists them"),
      id);
}

/* Looks for devices of every kind. Unusable ones are listed with the reason. Creates no context,
 * but loads the driver; blocks for about a second. Calibration is unknown until a device is opened,
 * and limits until they were measured once.
 * Returns: (transfer container) (element-type CuredDeviceFound): the devices */
GPtrArray *
cured_device_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_device_found_free);

  for (gsize i = 0; kinds[i] != NULL; i++)
    kinds[i]->list (list);
  return list;
}

/* @list: (element-type CuredDeviceFound): from cured_device_list()
 *
 * Replaces the emulator by one entry for each chip that it emulates, `emulator:sm_90` and so on, to
 * choose from. */
void
cured_device_list_chips (GPtrArray *list)
{
  gsize n_profiles;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  for (guint i = 0; i < list->len; i++)
    {
      const CuredDeviceFound *found = g_ptr_array_index (list, i);

      if (!g_str_equal (found->id, "emulator") || found->info == NULL)
        continue;
      g_autoptr (CuredDeviceFound) emulator = g_ptr_array_steal_index (list, i);
      for (gsize k = 0; k < n_profiles; k++)
        {
          if (!profiles[k].is_emulated)
            continue;
          CuredDeviceFound *chip = g_new0 (CuredDeviceFound, 1);
          chip->info = g_new (CuredDeviceInfo, 1);
          cured_device_info_copy (emulator->info, chip->info);
          _cured_emulator_become (&profiles[k], chip->info);
          chip->id = g_strdup (chip->info->id);
          chip->reason = g_strdup (emulator->reason);
          g_ptr_array_insert (list, (int) i++, chip);
        }
      i--;
    }
}
