/* SPDX-License-Identifier: MIT
 * Measured limits of devices, kept between runs: one group per device and driver. */
#include "device/cured-kind-private.h"

static char *
get_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "cured", "ceilings.ini", NULL);
}

/* GKeyFile allows no brackets in a group's name. */
static char *
get_group (const CuredDeviceInfo *info)
{
  return g_strdelimit (g_strdup_printf ("%s %s %s", info->uuid, info->name, info->driver), "[]\n",
                       '_');
}

/* @info: a device; its measured limits are set if the file has them
 * Returns: FALSE when they were never measured on this device and driver */
gboolean
_cured_ceilings_load (CuredDeviceInfo *info)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = get_path (), *group = get_group (info);

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  double copy = g_key_file_get_double (file, group, "Copy", NULL);
  double read = g_key_file_get_double (file, group, "Read", NULL);
  double fp32 = g_key_file_get_double (file, group, "Fp32", NULL);
  g_autofree char *date = g_key_file_get_string (file, group, "Date", NULL);
  if (!(copy > 0) || !(read > 0) || !(fp32 > 0) || date == NULL)
    return FALSE;
  info->ceilings.copy_bytes_per_s = copy;
  info->ceilings.read_bytes_per_s = read;
  info->ceilings.fp32_flops = fp32;
  g_free (info->ceilings.date);
  info->ceilings.date = g_steal_pointer (&date);
  return TRUE;
}

/* Keeps the limits; if that fails, they are measured again next time. */
void
_cured_ceilings_save (const CuredDeviceInfo *info)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = get_path (), *folder = g_path_get_dirname (path);
  g_autofree char *group = get_group (info);
  g_autoptr (GError) error = NULL;

  g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL);
  g_key_file_set_double (file, group, "Copy", info->ceilings.copy_bytes_per_s);
  g_key_file_set_double (file, group, "Read", info->ceilings.read_bytes_per_s);
  g_key_file_set_double (file, group, "Fp32", info->ceilings.fp32_flops);
  g_key_file_set_string (file, group, "Date", info->ceilings.date);
  if (g_mkdir_with_parents (folder, 0700) != 0 || !g_key_file_save_to_file (file, path, &error))
    g_debug ("%s: %s", path, error != NULL ? error->message : g_strerror (errno));
}
