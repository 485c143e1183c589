/* SPDX-License-Identifier: MIT
 * Kernel files that are compiled into the library. */
#include "config.h"

#include "kernel/cured-catalogue.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>

#include "base/cured-error.h"
#include "kernel/cured-header-private.h"
#include "kernel/cured-kernel-private.h"
#include "kernel/cured-sources-internal.h"

#define PREFIX "/io/github/cured/kernels/"

/* From the resource compiler; see kernels/meson.build. */
void cured_kernels_register_resource (void);

/* A constructor that registers the resource would be lost when this library
 * is linked, so the first user does it. */
static gpointer
register_once (gpointer data)
{
  cured_kernels_register_resource ();
  return NULL;
}

static void
ensure_registered (void)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, register_once, NULL);
}

static void
collect (const char *folder, GPtrArray *ids)
{
  g_autofree char *path = g_strconcat (PREFIX, folder, NULL);
  g_auto (GStrv) names =
      g_resources_enumerate_children (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *name = g_strconcat (folder, names[i], NULL);

      if (g_str_has_suffix (name, "/"))
        collect (name, ids);
      else if (g_str_has_suffix (name, ".cu"))
        g_ptr_array_add (ids, g_strndup (name, strlen (name) - 3));
    }
}

static gint
compare_cb (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/**
 * cured_catalogue_list:
 *
 * Returns: (transfer full) (array zero-terminated=1): the ids of the built-in
 *   kernels, in alphabetical order
 */
char **
cured_catalogue_list (void)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);

  ensure_registered ();
  collect ("", ids);
  g_ptr_array_sort (ids, compare_cb);
  g_ptr_array_add (ids, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&ids), FALSE);
}

/* (transfer full): the text of a built-in kernel, as its file has it. */
char *
_cured_catalogue_load_text (const char *id, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (GBytes) text = NULL;

  ensure_registered ();
  path = g_strconcat (PREFIX, id, ".cu", NULL);
  text = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  if (text == NULL)
    {
      g_auto (GStrv) ids = cured_catalogue_list ();
      const char *nearest = _cured_nearest (id, (const char *const *) ids);

      g_autofree char *prefix = g_strconcat (id, "/", NULL);
      const char *first = NULL;

      for (gsize i = 0; ids[i] != NULL && first == NULL; i++)
        if (g_str_has_prefix (ids[i], prefix))
          first = ids[i];
      if (first != NULL)
        g_set_error (error,
                     CURED_ERROR,
                     CURED_ERROR_NOT_FOUND,
                     _ ("%s is a family of kernels, such as %s; "
                        "“cured kernels” lists them"),
                     id,
                     first);
      else if (nearest != NULL)
        g_set_error (error,
                     CURED_ERROR,
                     CURED_ERROR_NOT_FOUND,
                     _ ("no kernel is called %s; did you mean %s? "
                        "“cured kernels” lists them"),
                     id,
                     nearest);
      else
        g_set_error (error,
                     CURED_ERROR,
                     CURED_ERROR_NOT_FOUND,
                     _ ("no kernel is called %s; “cured kernels” lists "
                        "them, and a file of your own ends in .cu"),
                     id);
      return NULL;
    }
  /* A resource's data ends with a NUL that its size does not count. */
  return g_strdup (g_bytes_get_data (text, NULL));
}

/**
 * cured_catalogue_get:
 * @id: an id, as `reduce/two-launch`
 * @error: (nullable): CURED_ERROR_NOT_FOUND
 *
 * Returns: (transfer full): the built-in kernel
 */
CuredKernel *
cured_catalogue_get (const char *id, GError **error)
{
  g_autofree char *text = NULL;

  g_return_val_if_fail (id != NULL, NULL);

  text = _cured_catalogue_load_text (id, error);
  if (text == NULL)
    return NULL;
  return cured_kernel_new_from_text (text, id, NULL, error);
}

/**
 * cured_catalogue_load:
 * @id_or_path: an id of the catalogue, or a path: what ends in `.cu`, or names
 *   a file that is there
 * @error: (nullable): as of cured_catalogue_get() and
 *   cured_kernel_new_from_file()
 *
 * Returns: (transfer full): the kernel
 */
CuredKernel *
cured_catalogue_load (const char *id_or_path, GError **error)
{
  g_return_val_if_fail (id_or_path != NULL, NULL);

  if (g_str_has_suffix (id_or_path, ".cu") ||
      g_file_test (id_or_path, G_FILE_TEST_IS_REGULAR))
    return cured_kernel_new_from_file (id_or_path, error);
  return cured_catalogue_get (id_or_path, error);
}

/* (transfer full): the file that the kernel file @file, NULL where that came in
 * a result file, means by @name, a path that starts in its folder or is
 * absolute. What it leads to, links and all, lies in that folder or below: a
 * kernel file that somebody sent names no other file here. */
char *
_cured_find_beside (const char *file, const char *name, GError **error)
{
  g_autofree char *folder = NULL;
  g_autofree char *path = NULL;
  g_autofree char *own = NULL;
  g_autofree char *real = NULL;
  gboolean is_outside = g_path_is_absolute (name);

  if (file != NULL)
    {
      folder = g_path_get_dirname (file);
      path =
          is_outside ? g_strdup (name) : g_build_filename (folder, name, NULL);
      own = realpath (folder, NULL);
      real = realpath (path, NULL);
      is_outside =
          real != NULL && (own == NULL || !_cured_is_below (real, own));
    }
  if (is_outside)
    g_set_error (error,
                 CURED_ERROR,
                 CURED_ERROR_INVALID,
                 _ ("“%s” points outside the kernel file's folder; expected a "
                    "file in it, or a built-in kernel"),
                 name);
  else if (file == NULL)
    g_set_error (error,
                 CURED_ERROR,
                 CURED_ERROR_NOT_FOUND,
                 _ ("“%s” is a file beside the kernel file, and where that is "
                    "is not known"),
                 name);
  else
    return g_strdup (real != NULL ? real : path);
  return NULL;
}

/**
 * cured_catalogue_load_reference:
 * @kernel: a kernel whose reference is `kernel:ID` or a path that ends in
 *   `.cu`. A path starts in the folder of @kernel's own file, and stays there.
 * @error: (nullable): CURED_ERROR_NOT_FOUND, also for a path where @kernel came
 *   in a result file; CURED_ERROR_INVALID where the path leads elsewhere, or
 *   the reference has no output to compare; or as of cured_catalogue_load()
 *
 * Returns: (transfer full): the kernel that computes what @kernel should
 */
CuredKernel *
cured_catalogue_load_reference (const CuredKernel *kernel, GError **error)
{
  const char *name = kernel->reference;
  g_autoptr (CuredKernel) reference = NULL;

  g_return_val_if_fail (name != NULL, NULL);

  if (g_str_has_prefix (name, "kernel:"))
    reference = cured_catalogue_get (name + strlen ("kernel:"), error);
  else
    {
      g_autofree char *path = _cured_find_beside (kernel->path, name, error);

      if (path != NULL)
        reference = cured_kernel_new_from_file (path, error);
    }
  if (reference == NULL)
    {
      g_prefix_error (error, _ ("Reference=%s of %s: "), name, kernel->id);
      return NULL;
    }
  if (reference->output < 0)
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_INVALID,
                   _ ("Reference=%s of %s has no [Check] with an Output="),
                   name,
                   kernel->id);
      return NULL;
    }
  return g_steal_pointer (&reference);
}
