/* SPDX-License-Identifier: MIT
 * Fuzz target: whatever a launcher's command prints as its devices, it is a list of devices or
 * refused with a reason. */
#include "cured.h"
#include "device/cured-device-internal.h"
#include "fuzz.h"
#include "worker/cured-launcher-private.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = _cured_launcher_read_devices (text, &error);

  g_assert_true ((list == NULL) == (error != NULL));
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const CuredDeviceFound *found = g_ptr_array_index (list, i);

      g_assert_nonnull (found->id);
      g_assert_true (found->info == NULL || found->info->name != NULL);
    }
  if (list != NULL)
    cured_device_list_chips (list);
  g_clear_error (&error);
  g_strfreev (cured_launcher_get_worker (text, &error));
  return 0;
}
