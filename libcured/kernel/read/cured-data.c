/* SPDX-License-Identifier: MIT
 * Files that a kernel's text carries: raw and NumPy inputs, and included files. */
#include "config.h"

#include "kernel/read/cured-data-private.h"

#include <glib/gstdio.h>
#if CURED_HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/cured-base-internal.h"
#include "kernel/cured-element-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-sources-internal.h"

/* Implementation notes
 *
 * A copy of a kernel's text must be self-contained: in a result file, in another process, on
 * another machine. So the contents of files are written below the code, into the closing comment,
 * as for Like=. That limits their size: for inputs beyond MAX_BYTES, the text has only the digest,
 * and they are read from the folder of the kernel file, wherever the text is used. */

/* Limit for the inputs, and again for the included files; encoded, they are a third longer. */
#define MAX_BYTES CURED_DATA_MAX_BYTES

/* Characters of one line. */
#define LINE 65536

/* (transfer full): the contents of @name, beside the kernel file @path. */
static GBytes *
load (const char *path, const char *name, GError **error)
{
  g_autofree char *real = _cured_find_beside (path, name, error);
  char *bytes;
  gsize size;
  GStatBuf info;

  if (real == NULL)
    return NULL;
  if (g_stat (real, &info) == 0 &&
      (!S_ISREG (info.st_mode) || info.st_size > CURED_MAX_INPUT_BYTES))
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("%s: expected a file of numbers, of at most %d MiB"), real,
                            CURED_MAX_INPUT_BYTES >> 20);
  if (!g_file_get_contents (real, &bytes, &size, error))
    return NULL;
  if (size > 0)
    return g_bytes_new_take (bytes, size);
  g_free (bytes);
  return cured_fail_null (error, CURED_ERROR_INVALID,
                          _ ("%s is empty; expected the elements of a buffer"), real);
}

static void
append (GString *lines, const char *form, const char *name, gconstpointer bytes, gsize size)
{
  g_autofree char *text = g_base64_encode (bytes, size);
  gsize length = strlen (text);
  guint n = 0;

  g_string_append_printf (lines, " *\n * [%s%s]\n * Bytes=%zu\n", form, name, size);
  for (gsize at = 0; at < length; at += LINE)
    {
      g_string_append_printf (lines, " * %u=", ++n);
      g_string_append_len (lines, text + at, (gssize) MIN (LINE, length - at));
      g_string_append_c (lines, '\n');
    }
}

/* @text with @lines below the code: in the comment that ends at @closing; if that is 0, in a new
 * one. */
static char *
add_below (const char *text, gsize closing, const char *lines)
{
  g_autoptr (GString) result = NULL;

  if (closing == 0)
    {
      result = g_string_new (text);
      if (result->len > 0 && result->str[result->len - 1] != '\n')
        g_string_append_c (result, '\n');
      g_string_append (result, "\n/*! cured\n");
    }
  else
    {
      result = g_string_new_len (text, (gssize) closing);
      while (result->len > 0 && g_ascii_isspace (result->str[result->len - 1]))
        g_string_truncate (result, result->len - 1);
      g_string_append_c (result, '\n');
    }
  g_string_append_printf (result, "%s */\n", lines);
  return g_string_free (g_steal_pointer (&result), FALSE);
}

/* Adds the files that buffers name below the code, unless they are there
 * already; for files that are too large, only the digest. If there was a
 * file to add, @source becomes the self-contained text, and @header its
 * header. */
gboolean
_cured_data_embed (const char *text, const char *path, CuredHeader **header, const char *file,
                   char **source, GError **error)
{
  const char *const *groups = _cured_header_get_groups (*header);
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gsize n_bytes = 0;

  for (const char *const *group = groups; *group != NULL; group++)
    {
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) local = NULL;

      if (!g_str_has_prefix (*group, "Buffer ") && !g_str_has_prefix (*group, "Constant "))
        continue;
      g_autofree char *name = _cured_header_get (*header, *group, "File");
      if (name == NULL || *name == '\0' || path == NULL)
        continue;
      g_autofree char *own = g_strconcat (CURED_DATA_FILE, name, NULL);
      if (g_strv_contains (groups, own) || !g_hash_table_add (known, g_strdup (name)))
        continue;
      if (strpbrk (name, "[]=#*\n") == NULL)
        bytes = load (path, name, &local);
      else
        local = g_error_new (CURED_ERROR, CURED_ERROR_INVALID,
                             _ ("expected a name without [ ] = # and *"));
      if (local != NULL)
        return _cured_header_fail (*header, *group, "File",
                                   local->domain == CURED_ERROR ? local->code
                                                                : CURED_ERROR_NOT_FOUND,
                                   error, "File=%s: %s", name, local->message);
      if (g_bytes_get_size (bytes) <= MAX_BYTES - n_bytes)
        {
          n_bytes += g_bytes_get_size (bytes);
          append (lines, CURED_DATA_FILE, name, g_bytes_get_data (bytes, NULL),
                  g_bytes_get_size (bytes));
        }
      else
        {
          g_autofree char *digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);

          g_string_append_printf (lines,
                                  " *\n * [" CURED_DATA_FILE "%s]\n * Bytes=%zu\n"
                                  " * " CURED_DATA_DIGEST "=%s\n",
                                  name, g_bytes_get_size (bytes), digest);
        }
    }
  if (lines->len == 0)
    return TRUE;
  g_autofree char *result = add_below (text, _cured_header_get_closing (*header), lines->str);
  CuredHeader *embedded = _cured_header_new (result, file, error);
  if (embedded == NULL)
    return FALSE;
  _cured_header_free (*header);
  *header = embedded;
  g_free (*source);
  *source = g_steal_pointer (&result);
  return TRUE;
}

/* (transfer full) (nullable): @text with the files that it includes below the code, unless they are
 * there already; NULL if they are too many, or a name is impossible for a group. */
char *
_cured_data_carry (const char *text, const CuredSources *there, GPtrArray *names, GPtrArray *texts)
{
  g_autoptr (CuredHeader) header = _cured_header_new (text, "", NULL);
  g_autoptr (GString) lines = g_string_new (NULL);
  gsize n_bytes = 0;

  if (header == NULL || names->len > CURED_DATA_MAX_FILES)
    return NULL;
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];
      gsize size = strlen (texts->pdata[i]);

      if (there != NULL && g_strv_contains ((const char *const *) there->names, name))
        continue;
      n_bytes += size;
      if (n_bytes > MAX_BYTES || strpbrk (name, "[]=#*\n") != NULL)
        return NULL;
      append (lines, CURED_DATA_INCLUDE, name, texts->pdata[i], size);
    }
  return lines->len > 0 ? add_below (text, _cured_header_get_closing (header), lines->str)
                        : g_strdup (text);
}

/* (transfer full): the contents of the file in a group [FORM NAME]. */
GBytes *
_cured_data_read (const CuredHeader *header, const char *group)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize size = 0;

  for (guint i = 1; i <= CURED_DATA_MAX_LINES; i++)
    {
      g_autofree char *key = g_strdup_printf ("%u", i);
      g_autofree char *line = _cured_header_get (header, group, key);

      if (line == NULL)
        break;
      g_string_append (text, line);
    }
  guchar *bytes = g_base64_decode (text->str, &size);
  return g_bytes_new_take (bytes, size);
}

/* (transfer full) (nullable): the file beside the kernel file @path whose digest is in [File NAME];
 * NULL without an error if it is missing */
GBytes *
_cured_data_load_named (const CuredHeader *header, const char *group, const char *path,
                        GError **error)
{
  const char *name = group + strlen (CURED_DATA_FILE);
  g_autofree char *wanted = _cured_header_get (header, group, CURED_DATA_DIGEST);
  g_autofree char *real = path != NULL ? _cured_find_beside (path, name, NULL) : NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (real == NULL || !g_file_test (real, G_FILE_TEST_EXISTS) ||
      (bytes = load (path, name, error)) == NULL)
    return NULL;
  g_autofree char *digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  if (g_strcmp0 (digest, wanted) == 0)
    return g_steal_pointer (&bytes);
  return cured_fail_null (
      error, CURED_ERROR_INVALID,
      _ ("%s is another file than the one that the kernel had: its SHA-256 is %s; expected "
         "%s. Open the kernel file again"),
      real, digest, wanted);
}

/* (transfer full): the contents of a file, at most @most bytes; decompresses it with zstd if its
 * name ends in .zst. */
GBytes *
_cured_data_expand (GBytes *bytes, const char *name, gsize most, GError **error)
{
  gboolean is_packed = g_str_has_suffix (name, ".zst");
  guint64 expanded = g_bytes_get_size (bytes);
#if CURED_HAVE_ZSTD
  gsize size = 0;
  const void *data = g_bytes_get_data (bytes, &size);
  g_autofree guint8 *to = NULL;

  if (is_packed)
    expanded = ZSTD_getFrameContentSize (data, size);
  if (expanded == ZSTD_CONTENTSIZE_ERROR || expanded == ZSTD_CONTENTSIZE_UNKNOWN)
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("%s: expected one frame of zstd that says its size, as zstd FILE writes it"), name);
#endif
  if (expanded > most)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("all files together have at most %d MiB"),
                            CURED_MAX_INPUT_BYTES >> 20);
  if (!is_packed)
    return g_bytes_ref (bytes);
#if CURED_HAVE_ZSTD
  to = g_try_malloc (MAX (expanded, 1));
  if (to != NULL && ZSTD_decompress (to, (gsize) expanded, data, size) == (gsize) expanded)
    return g_bytes_new_take (g_steal_pointer (&to), (gsize) expanded);
  g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
               _ ("%s is damaged: zstd can't expand it; save it again"), name);
#else
  g_set_error (
      error, CURED_ERROR, CURED_ERROR_INVALID,
      _ ("%s is compressed with zstd, which this build of Cured can't read; expand it with "
         "zstd -d, and name what comes out"),
      name);
#endif
  return NULL;
}

/* ---- NumPy's form ---- */

/* The value behind "'KEY':" in the dictionary of a .npy. */
static const char *
find_value (const char *text, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("'%s'", key);
  const char *at = strstr (text, quoted);

  if (at == NULL)
    return NULL;
  at += strlen (quoted);
  at += strspn (at, " ");
  return *at == ':' ? at + 1 + strspn (at + 1, " ") : NULL;
}

/* "<f4" for f32; types that NumPy lacks are stored as bytes. */
static gboolean
is_like (const char *descr, CuredElement type)
{
  gsize size = cured_element_get_size (type);
  gint64 low = -1, high;
  char kind = 'f';

  if (cured_element_is_integer (type))
    {
      cured_element_get_range (type, &low, &high);
      kind = low < 0 ? 'i' : 'u';
    }
  if (strlen (descr) < 4 || (*descr != '<' && *descr != '|' && *descr != '=') ||
      descr[2] != (char) ('0' + size) || descr[3] != '\'')
    return FALSE;
  return (descr[1] == kind && type != CURED_ELEMENT_BF16) ||
         (type == CURED_ELEMENT_U8 && descr[1] == 'b') ||
         ((type == CURED_ELEMENT_BF16 || type == CURED_ELEMENT_E4M3 ||
           type == CURED_ELEMENT_E5M2) &&
          (descr[1] == 'u' || descr[1] == 'V'));
}

/* The elements of @buffer in a file: behind a NumPy header, which must state the same type, or the
 * whole file. */
GBytes *
_cured_data_get_elements (GBytes *whole, const CuredBuffer *buffer, GError **error)
{
  static const char magic[] = "\x93NUMPY";
  gsize size;
  const guint8 *bytes = g_bytes_get_data (whole, &size);

  if (size < 10 || memcmp (bytes, magic, strlen (magic)) != 0)
    return g_bytes_ref (whole);
  gsize begin = bytes[6] >= 2 ? 12 : 10, length = (gsize) bytes[8] | (gsize) bytes[9] << 8;
  if (bytes[6] >= 2 && size >= 12)
    length |= (gsize) bytes[10] << 16 | (gsize) bytes[11] << 24;
  if (size < begin || length > size - begin)
    return cured_fail_null (error, CURED_ERROR_SYNTAX,
                            _ ("the header of NumPy's .npy ends early; save the array again"));
  g_autofree char *text = g_strndup ((const char *) bytes + begin, length);
  const char *descr = find_value (text, "descr"), *order = find_value (text, "fortran_order");
  if (descr == NULL || *descr != '\'' || order == NULL ||
      (buffer->record != NULL && !buffer->record->is_plain) || !is_like (descr + 1, buffer->type))
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("a NumPy array of %.*s, and the buffer is %s; expected one type: "
                               "array.astype () changes it"),
                            descr != NULL ? (int) strcspn (descr, ",") : 1,
                            descr != NULL ? descr : "?", cured_buffer_get_type_name (buffer));
  if (g_str_has_prefix (order, "True"))
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("a NumPy array in Fortran's order; expected C's: numpy.ascontiguousarray ()"));
  return g_bytes_new_from_bytes (whole, begin + length, size - begin - length);
}
