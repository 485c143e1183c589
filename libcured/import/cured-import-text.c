/* SPDX-License-Identifier: MIT
 * The text of an imported file or of standard input, plain or compressed. */
#include "config.h"

#if CURED_HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"

/* Importing takes about nine times as much memory. */
#define MAX_FILE_BYTES ((gsize) 256 * 1024 * 1024)

/* A small file may not become a large one: no table of measurements shrinks like this. */
#define MAX_RATIO  100
#define FREE_BYTES ((gsize) 16 * 1024 * 1024)

#define CHUNK_BYTES ((gsize) 64 * 1024)

static gboolean
is_gzip (const GByteArray *bytes)
{
  return bytes->len > 2 && memcmp (bytes->data, "\x1f\x8b", 2) == 0;
}

static gboolean
is_zstd (const GByteArray *bytes)
{
  return bytes->len > 4 && memcmp (bytes->data, "\x28\xb5\x2f\xfd", 4) == 0;
}

/* Appends up to @most bytes. */
static gboolean
read_stream (GInputStream *stream, GByteArray *bytes, gsize most, GCancellable *cancellable,
             GError **error)
{
  g_autofree guint8 *chunk = g_malloc (CHUNK_BYTES);

  while (bytes->len < most)
    {
      gssize n = g_input_stream_read (stream, chunk, MIN (CHUNK_BYTES, most - bytes->len),
                                      cancellable, error);

      if (n <= 0)
        return n == 0;
      g_byte_array_append (bytes, chunk, (guint) n);
    }
  return TRUE;
}

static gboolean
expand_gzip (const GByteArray *bytes, GByteArray *text, gsize most, GError **error)
{
  g_autoptr (GInputStream) raw =
      g_memory_input_stream_new_from_data (bytes->data, (gssize) bytes->len, NULL);
  g_autoptr (GConverter) converter =
      G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  g_autoptr (GInputStream) stream = g_converter_input_stream_new (raw, converter);

  if (read_stream (stream, text, most, NULL, NULL))
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                       _ ("the compressed data end too early or are damaged"));
  return FALSE;
}

static gboolean
expand_zstd (const GByteArray *bytes, GByteArray *text, gsize most, GError **error)
{
#if CURED_HAVE_ZSTD
  ZSTD_DStream *stream = ZSTD_createDStream ();
  ZSTD_inBuffer in = { bytes->data, bytes->len, 0 };
  g_autofree guint8 *chunk = g_malloc (CHUNK_BYTES);
  gsize left = 1;
  gboolean is_full = FALSE;

  do
    {
      ZSTD_outBuffer out = { chunk, CHUNK_BYTES, 0 };

      left = ZSTD_decompressStream (stream, &out, &in);
      if (ZSTD_isError (left))
        break;
      g_byte_array_append (text, chunk, (guint) MIN (out.pos, most - text->len));
      is_full = out.pos == CHUNK_BYTES;
    }
  while ((in.pos < in.size || is_full) && text->len < most);
  ZSTD_freeDStream (stream);
  if (!ZSTD_isError (left) && (left == 0 || text->len == most))
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                       _ ("the compressed data end too early or are damaged"));
#else
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                       _ ("this build of Cured can't read zstd; uncompress the file first"));
#endif
  return FALSE;
}

/* Converts UTF-16 with a byte order mark, as written by Windows, to UTF-8. */
static void
recode (GByteArray **bytes)
{
  const guint8 *data = (*bytes)->data;
  gsize length = 0;
  gboolean is_little = (*bytes)->len >= 2 && data[0] == 0xff && data[1] == 0xfe;
  gboolean is_big = (*bytes)->len >= 2 && data[0] == 0xfe && data[1] == 0xff;

  if (!is_little && !is_big)
    return;
  char *text = g_convert ((const char *) data + 2, (gssize) (*bytes)->len / 2 * 2 - 2, "UTF-8",
                          is_little ? "UTF-16LE" : "UTF-16BE", NULL, &length, NULL);
  if (text == NULL)
    return;
  g_byte_array_unref (*bytes);
  *bytes = g_byte_array_new_take ((guint8 *) text, length);
}

/* Up to @most bytes of the text of the file. */
static GByteArray *
load_bytes (const char *path, gsize most, GCancellable *cancellable, GError **error)
{
  g_autoptr (GFile) file =
      g_file_new_for_path (g_str_equal (path, CURED_IMPORT_STDIN) ? "/dev/stdin" : path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, cancellable, error);
  g_autoptr (GByteArray) bytes = g_byte_array_new (), text = g_byte_array_new ();

  if (stream == NULL || !read_stream (G_INPUT_STREAM (stream), bytes, most, cancellable, error))
    return NULL;
  if (!is_gzip (bytes) && !is_zstd (bytes))
    {
      recode (&bytes);
      return g_steal_pointer (&bytes);
    }
  gsize limit = MAX (MAX_RATIO * (gsize) bytes->len, FREE_BYTES);
  if (!(is_gzip (bytes) ? expand_gzip : expand_zstd) (bytes, text, MIN (limit + 1, most), error))
    return NULL;
  if (text->len <= limit || limit >= most)
    return g_steal_pointer (&text);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
               _ ("it becomes more than %d times as large; uncompress it first, if that is right"),
               MAX_RATIO);
  return NULL;
}

/* The beginning of the text of a regular file, with a NUL behind it. */
char *
_cured_import_load_head (const char *path, gsize *length)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GByteArray) bytes = g_byte_array_new (), text = g_byte_array_new ();
  GByteArray *head = bytes;

  /* Opening a pipe would wait for its other end. */
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, NULL);
  if (stream == NULL ||
      !read_stream (G_INPUT_STREAM (stream), bytes, CURED_IMPORT_HEAD_BYTES, NULL, NULL))
    return NULL;
  if (is_gzip (bytes) || is_zstd (bytes))
    {
      /* Its end is missing: ignore the error after the existing data. */
      (is_gzip (bytes) ? expand_gzip : expand_zstd) (bytes, text, CURED_IMPORT_HEAD_BYTES, NULL);
      head = text;
    }
  else
    {
      recode (&bytes);
      head = bytes;
    }
  *length = head->len;
  return g_strndup ((const char *) head->data, head->len);
}

gboolean
_cured_import_load (CuredImportReader *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  const char *bad = NULL;

  /* A pipe or a device may never end. */
  if (!g_str_equal (self->path, CURED_IMPORT_STDIN) &&
      g_file_test (self->path, G_FILE_TEST_EXISTS) &&
      !g_file_test (self->path, G_FILE_TEST_IS_REGULAR))
    return cured_fail (error, CURED_ERROR_FOREIGN, "%s: %s", self->name,
                       g_file_test (self->path, G_FILE_TEST_IS_DIR)
                           ? _ ("this is a folder; name the file in it")
                           : _ ("this is not a regular file; save it to one"));
  g_autoptr (GByteArray) bytes =
      load_bytes (self->path, MAX_FILE_BYTES + 1, cancellable, &local_error);
  if (bytes == NULL && g_error_matches (local_error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _ ("There is no file “%s”."),
                   self->name);
      return FALSE;
    }
  if (bytes == NULL && g_error_matches (local_error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  if (bytes == NULL)
    return _cured_import_fail (self, error, "%s", local_error->message);
  if (bytes->len > MAX_FILE_BYTES)
    return _cured_import_fail (
        self, error,
        _ ("the file has more than %d MiB, the most that can be imported; measure fewer points "
           "per file"),
        (int) (MAX_FILE_BYTES / (1024 * 1024)));
  self->length = bytes->len;
  g_byte_array_append (bytes, (const guint8 *) "", 1);
  self->text = (char *) g_byte_array_free (g_steal_pointer (&bytes), FALSE);
  if (!g_utf8_validate (self->text, (gssize) self->length, &bad))
    {
      guint line = 1;

      for (const char *at = self->text; at < bad; at++)
        line += *at == '\n';
      /* Keep the line of the error; other programs' binary files may still be recognized. */
      self->bad_line = line;
      self->is_nul = *bad == '\0';
    }
  return TRUE;
}

/* Options */

/* Limit of an option's values in the message if nothing matches. */
#define MAX_LEFT_OUT 16

/* The path without suffixes of format and compression. */
char *
_cured_import_drop_suffixes (const char *path)
{
  static const char *const suffixes[] = { ".gz",  ".zst", ".json",     ".csv",
                                          ".tsv", ".txt", ".autotune", ".ncu-rep" };
  char *stem = g_strdup (g_str_equal (path, CURED_IMPORT_STDIN) ? "imported" : path);

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      gsize length = strlen (suffixes[i]);

      if (g_str_has_suffix (stem, suffixes[i]) && strlen (stem) > length &&
          !g_str_has_suffix (stem, "/"))
        stem[strlen (stem) - length] = '\0';
    }
  return stem;
}

/* Records an omitted part, for the message if nothing matches. @option: such as “--device”; @value:
 * (nullable): the value that would have included it */
void
_cured_import_leave_out (CuredImportReader *self, const char *option, const char *value)
{
  g_autofree char *text = g_strdup_printf ("%s %s", option, value != NULL ? value : "");

  if (value != NULL && self->left_out->len < MAX_LEFT_OUT &&
      !g_ptr_array_find_with_equal_func (self->left_out, text, g_str_equal, NULL))
    g_ptr_array_add (self->left_out, g_steal_pointer (&text));
}

/* Whether an option's value includes this one. */
gboolean
_cured_import_is_wanted (CuredImportReader *self, const char *option, const char *wanted,
                         const char *value)
{
  if (wanted == NULL || g_strcmp0 (wanted, value) == 0)
    return TRUE;
  _cured_import_leave_out (self, option, value);
  return FALSE;
}
