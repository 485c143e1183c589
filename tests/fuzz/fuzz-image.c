/* SPDX-License-Identifier: MIT
 * Fuzz target: any bytes are fat binaries, or PTX; a text comes of them, or an error. */
#include <string.h>

#include "cured.h"
#include "exec/cured-exec-image-private.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const int arches[] = { 75, 90, 120 };

  for (gsize i = 0; i < G_N_ELEMENTS (arches); i++)
    {
      g_autoptr (GError) error = NULL;
      int target = -1;
      g_autofree char *ptx = _cured_exec_image_get_ptx (data, size, arches[i], &target, &error);

      g_assert_true ((ptx == NULL) == (error != NULL));
      g_assert_cmpint (target, >=, 0);
      if (ptx != NULL)
        g_assert_cmpuint (strlen (ptx), <=, (gsize) 1 << 31);
    }
  return 0;
}
