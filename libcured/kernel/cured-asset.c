/* SPDX-License-Identifier: MIT
 * Texts that are part of the library. */
#include "kernel/cured-asset-internal.h"

#include <gio/gio.h>

#include "cured-asset-resource.h"

/* @path: a file of `cured-asset.gresource.xml`, below libcured/. Returns: its text, which is never
 *   freed. */
const char *
_cured_asset_get (const char *path)
{
  static gsize is_registered = 0;
  g_autofree char *whole = g_strconcat ("/io/github/cured/library/", path, NULL);

  if (g_once_init_enter (&is_registered))
    {
      cured_asset_register_resource ();
      g_once_init_leave (&is_registered, 1);
    }
  g_autoptr (GBytes) bytes = g_resource_lookup_data (cured_asset_get_resource (), whole,
                                                     G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  /* The texts are in the program's image, each with a NUL behind it. */
  return g_bytes_get_data (bytes, NULL);
}
