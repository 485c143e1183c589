/* SPDX-License-Identifier: MIT
 * The files of a source's own folder that it includes. */
#include "config.h"

#include <string.h>

#include "base/cured-each-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-sources-internal.h"
#include "kernel/cured-tokens-internal.h"

/* Files, and bytes of one, and of those that others are read after. */
#define MAX_INCLUDES      32
#define MAX_CONTEXT_BYTES (1 << 20)

/* Adds the files that @text names in quotes, and what those name. */
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

/* (transfer full) (nullable): their text; NULL where there is none. */
char *
_cured_kernel_read_context (const char *path, const char *source)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *context = g_string_new (NULL);

  add_includes (path, source, known, context);
  return g_string_free (context, context->len == 0);
}
