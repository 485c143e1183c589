/* SPDX-License-Identifier: MIT
 * The texts of the kernel files that are compiled into the library. */
#include "kernel/read/cured-catalogue-text-private.h"

#include <gio/gio.h>

#include "base/cured-base-internal.h"
#include "kernel/cured-kernel-private.h"

#define PREFIX "/io/github/cured/kernels/"

/* From the resource compiler; see kernels/meson.build. */
void cured_kernels_register_resource (void);

/* A constructor that registers the resource would be lost when this library is linked, so the first
 * user does it. */
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
  g_auto (GStrv) names = g_resources_enumerate_children (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *name = g_strconcat (folder, names[i], NULL);

      if (g_str_has_suffix (name, "/"))
        collect (name, ids);
      else if (g_str_has_suffix (name, ".cu"))
        g_ptr_array_add (ids, g_strndup (name, strlen (name) - 3));
    }
}

/* As cured_catalogue_list (). */
char **
_cured_catalogue_list (void)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);

  ensure_registered ();
  collect ("", ids);
  g_ptr_array_sort (ids, _cured_compare_texts);
  g_ptr_array_add (ids, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&ids), FALSE);
}

/* (transfer full): the text of a built-in kernel's file. */
char *
_cured_catalogue_load_text (const char *id, GError **error)
{
  ensure_registered ();
  g_autofree char *path = g_strconcat (PREFIX, id, ".cu", NULL);
  g_autoptr (GBytes) text = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  if (text == NULL)
    {
      g_auto (GStrv) ids = _cured_catalogue_list ();
      const char *nearest = _cured_nearest (id, (const char *const *) ids);

      g_autofree char *prefix = g_strconcat (id, "/", NULL);
      const char *first = NULL;

      for (gsize i = 0; ids[i] != NULL && first == NULL; i++)
        if (g_str_has_prefix (ids[i], prefix))
          first = ids[i];
      if (first != NULL)
        g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                     _ ("%s is a family of kernels, such as %s; “cured kernels” lists them"), id,
                     first);
      else if (nearest != NULL)
        g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                     _ ("no kernel is called %s; did you mean %s? “cured kernels” lists them"), id,
                     nearest);
      else
        g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                     _ ("no kernel is called %s; “cured kernels” lists them, and a file of your "
                        "own ends in .cu"),
                     id);
      return NULL;
    }
  /* A resource's data ends with a NUL that its size does not count. */
  return g_strdup (g_bytes_get_data (text, NULL));
}
