/* SPDX-License-Identifier: MIT
 * The names of a compiled image's kernels, behind its last byte.
 *
 * C++ mangles kernel names: `scale<float, 4>` is `_Z5scaleIfLi4EEvPT_`. The image carries both
 * names, and programs that do not know them (a driver, a reader of PTX) stop before: PTX ends with
 * a zero, and a cubin's header has its length. */
#include "sass/cured-image-internal.h"

#include <string.h>

/* The last bytes, behind the size of the names. */
#define MAGIC      "CUREDSYM"
#define MAGIC_SIZE 8

/* @image with the names; @image itself if there are none. */
GBytes *
_cured_image_add_names (GBytes *image, const char *const *names)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (image, &size);
  guint32 n = 0;

  if (names[0] == NULL)
    return image;
  g_autoptr (GByteArray) all = g_byte_array_new ();
  g_byte_array_append (all, data, (guint) size);
  for (; *names != NULL; names++)
    {
      guint length = (guint) strlen (*names) + 1;

      g_byte_array_append (all, (const guint8 *) *names, length);
      n += length;
    }
  n = GUINT32_TO_LE (n);
  g_byte_array_append (all, (const guint8 *) &n, sizeof n);
  g_byte_array_append (all, (const guint8 *) MAGIC, MAGIC_SIZE);
  g_bytes_unref (image);
  return g_byte_array_free_to_bytes (g_steal_pointer (&all));
}

/* The names from _cured_image_add_names(), an even number; empty if there are none. */
char **
_cured_image_list_names (GBytes *image)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gsize size;
  const char *data = g_bytes_get_data (image, &size);
  guint32 n;

  if (size > MAGIC_SIZE + sizeof n && memcmp (data + size - MAGIC_SIZE, MAGIC, MAGIC_SIZE) == 0)
    {
      const char *end = data + size - MAGIC_SIZE - sizeof n;

      memcpy (&n, end, sizeof n);
      n = GUINT32_FROM_LE (n);
      if (n <= (gsize) (end - data) && n > 0 && end[-1] == '\0')
        for (const char *at = end - n; at < end; at += strlen (at) + 1)
          g_ptr_array_add (names, g_strdup (at));
    }
  if (names->len % 2 != 0)
    g_ptr_array_set_size (names, 0);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* The kernel's symbol; @entry if the image has no other. */
char *
_cured_image_find_symbol (GBytes *image, const char *entry)
{
  g_auto (GStrv) names = _cured_image_list_names (image);

  for (guint i = 0; names[i] != NULL; i += 2)
    if (g_str_equal (names[i], entry))
      return g_strdup (names[i + 1]);
  return g_strdup (entry);
}
