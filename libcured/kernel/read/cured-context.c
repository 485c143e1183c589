/* SPDX-License-Identifier: MIT
 * Text of kernel files, and of the files that they include from their own folder. */
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "base/cured-base-internal.h"
#include "kernel/cured-ptx-text-internal.h"

#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-sources-internal.h"
#include "kernel/cured-tokens-internal.h"

/* A compiler's modules have some megabytes; messages to a worker may have twice this size. */
#define MAX_TEXT_BYTES (32 << 20)

/* Limits: number of files, and total bytes after which no more are read. */
#define MAX_INCLUDES      32
#define MAX_CONTEXT_BYTES (1 << 20)

gboolean
_cured_kernel_check_size (const char *name, gint64 n_bytes, GError **error)
{
  return n_bytes <= MAX_TEXT_BYTES ||
         cured_fail (error, CURED_ERROR_INVALID,
                     _ ("%s: %" PRId64 " bytes are too many for a kernel file; at most %d are "
                        "read"),
                     name, n_bytes, MAX_TEXT_BYTES);
}

/* (transfer full): the text of a file, if it can be a kernel file. */
char *
_cured_kernel_load_text (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize length;
  GStatBuf info;

  /* Don't try to read a folder, a FIFO or a huge file. */
  if (g_stat (path, &info) == 0)
    {
      if (!S_ISREG (info.st_mode))
        return cured_fail_null (error, CURED_ERROR_INVALID,
                                _ ("%s: not a regular file; expected a kernel file"), path);
      if (!_cured_kernel_check_size (path, info.st_size, error))
        return NULL;
    }
  if (g_access (path, R_OK) != 0 && errno == ENOENT)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _ ("%s: there is no such file; “cured kernels” lists the kernels that come with "
                      "Cured"),
                   path);
      return NULL;
    }
  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;
  /* The size of NVRTC's PTX includes its NUL, which some programs write to the file. */
  while (length > 0 && text[length - 1] == '\0')
    length--;
  const char *nul = memchr (text, '\0', length);
  if (nul != NULL && g_str_has_prefix (text, "SQLite format 3"))
    {
      g_autofree char *name = g_filename_display_name (path);

      return cured_fail_null (
          error, CURED_ERROR_INVALID,
          _ ("%s is a result file; expected a kernel. “cured show %s” names the kernel of a file "
             "that wasn't imported."),
          name, name);
    }
  if (nul != NULL)
    {
      cured_set_error_at (error, CURED_ERROR_SYNTAX, path, _cured_text_count_lines (text, nul), 0,
                          _ ("a NUL byte; expected a text file"));
      return NULL;
    }
  return g_steal_pointer (&text);
}

/* Adds the files that @text includes in quotes, recursively. */
static void
add_includes (const char *path, const char *text, GHashTable *known, GString *context)
{
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (text);

  CURED_EACH (const CuredDirective, line, tokens->directives)
    {
      const char *at = text + line->begin + 1;

      at += strspn (at, " \t");
      if (!g_str_has_prefix (at, "include"))
        continue;
      at += strlen ("include");
      at += strspn (at, " \t");
      const char *close = *at == '"' ? strchr (at + 1, '"') : NULL;
      if (close == NULL || close > text + line->end)
        continue;
      g_autofree char *name = g_strndup (at + 1, (gsize) (close - at) - 1);
      g_autofree char *file = _cured_find_beside (path, name, NULL);
      if (file == NULL || g_hash_table_size (known) >= MAX_INCLUDES ||
          context->len > MAX_CONTEXT_BYTES || !g_hash_table_add (known, g_strdup (file)))
        continue;
      g_autofree char *more = _cured_kernel_load_text (file, NULL);
      if (more == NULL || strlen (more) > MAX_CONTEXT_BYTES || !g_utf8_validate (more, -1, NULL))
        continue;
      add_includes (file, more, known, context);
      g_string_append_printf (context, "%s\n", more);
    }
}

/* (transfer full) (nullable): the text of the included files; NULL if there are none. */
char *
_cured_kernel_read_context (const char *path, const char *source)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *context = g_string_new (NULL);

  add_includes (path, source, known, context);
  return g_string_free (context, context->len == 0);
}
