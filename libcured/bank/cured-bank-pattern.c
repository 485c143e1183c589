/* SPDX-License-Identifier: MIT
 * Accesses of a warp as lines of text, with what was measured of them. */
#include "bank/cured-bank-pattern.h"

#include "base/cured-base-internal.h"

typedef struct
{
  const char *name;
  CuredBankKind kind;
  unsigned width;
} Op;

/* clang-format off */
#define WIDTHS(name, kind) { name ".b8", kind, 8 }, { name ".b16", kind, 16 }, \
  { name ".b32", kind, 32 }, { name ".b64", kind, 64 }, { name ".b128", kind, 128 }
/* clang-format on */

static const Op ops[] = {
  WIDTHS ("ld", CURED_BANK_KIND_LOAD),
  WIDTHS ("st", CURED_BANK_KIND_STORE),
  { "red.u32", CURED_BANK_KIND_REDUCTION, 32 },
  { "ldmatrix.x1", CURED_BANK_KIND_LDMATRIX_X1, 128 },
  { "ldmatrix.x2", CURED_BANK_KIND_LDMATRIX_X2, 128 },
  { "ldmatrix.x4", CURED_BANK_KIND_LDMATRIX_X4, 128 },
  { "stmatrix.x1", CURED_BANK_KIND_STMATRIX_X1, 128 },
  { "stmatrix.x2", CURED_BANK_KIND_STMATRIX_X2, 128 },
  { "stmatrix.x4", CURED_BANK_KIND_STMATRIX_X4, 128 },
  { "stmatrix.x4.trans", CURED_BANK_KIND_STMATRIX_X4, 128 },
  { "cp.async.ca.4", CURED_BANK_KIND_COPY, 32 },
  { "cp.async.ca.8", CURED_BANK_KIND_COPY, 64 },
  { "cp.async.ca.16", CURED_BANK_KIND_COPY, 128 },
  { "red.inc.u32", CURED_BANK_KIND_INCREMENT, 32 },
  { "atom.add.u32", CURED_BANK_KIND_ATOMIC, 32 },
  { "atom.min.s32", CURED_BANK_KIND_ATOMIC, 32 },
  { "atom.exch.b32", CURED_BANK_KIND_EXCHANGE, 32 },
  { "atom.exch.b64", CURED_BANK_KIND_EXCHANGE, 64 },
  { "atom.cas.b32", CURED_BANK_KIND_SWAP, 32 },
  { "atom.cas.b64", CURED_BANK_KIND_SWAP, 64 },
  WIDTHS ("remote.ld", CURED_BANK_KIND_REMOTE_LOAD),
  WIDTHS ("remote.st", CURED_BANK_KIND_REMOTE_STORE),
  { "remote.st.async.b32", CURED_BANK_KIND_REMOTE_ASYNC_STORE, 32 },
  { "remote.st.async.b64", CURED_BANK_KIND_REMOTE_ASYNC_STORE, 64 },
  { "remote.st.async.b128", CURED_BANK_KIND_REMOTE_ASYNC_STORE, 128 },
  { "remote.red.async.u32", CURED_BANK_KIND_REMOTE_ASYNC_REDUCTION, 32 },
  { "remote.red.async.u64", CURED_BANK_KIND_REMOTE_ASYNC_REDUCTION, 64 },
  { "remote.red.u32", CURED_BANK_KIND_REMOTE_REDUCTION, 32 },
  { "remote.red.u64", CURED_BANK_KIND_REMOTE_REDUCTION, 64 },
  { "remote.atom.u32", CURED_BANK_KIND_REMOTE_ATOMIC, 32 },
  { "remote.atom.exch.b64", CURED_BANK_KIND_REMOTE_ATOMIC, 64 },
  { "remote.atom.cas.b32", CURED_BANK_KIND_REMOTE_SWAP, 32 },
  { "remote.atom.cas.b64", CURED_BANK_KIND_REMOTE_SWAP, 64 },
};

/* Validates and shortens a line of any content for a message. */
static char *
quote (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  if (g_utf8_strlen (valid, -1) <= 40)
    return g_steal_pointer (&valid);
  *g_utf8_offset_to_pointer (valid, 39) = '\0';
  return g_strconcat (valid, "…", NULL);
}

static gboolean
parse_op (const char *text, CuredBankPattern *pattern, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      if (g_str_equal (text, ops[i].name))
        {
          pattern->op = ops[i].name;
          pattern->access.kind = ops[i].kind;
          pattern->access.width = ops[i].width;
          return TRUE;
        }
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", ops[i].name);
    }
  g_autofree char *quoted = quote (text);
  return cured_fail (error, CURED_ERROR_SYNTAX,
                     _ ("no rule for the access “%s”; those that were measured are %s"), quoted,
                     names->str);
}

static gboolean
parse_mask (const char *text, guint32 *mask, GError **error)
{
  guint64 value = 0;

  if (g_ascii_string_to_unsigned (text, 16, 0, G_MAXUINT32, &value, NULL))
    {
      *mask = (guint32) value;
      return TRUE;
    }
  g_autofree char *quoted = quote (text);
  return cured_fail (error, CURED_ERROR_SYNTAX,
                     _ ("“%s” is not a mask of lanes; expected up to 8 hexadecimal digits, such as "
                        "ffffffff, where lane 0 is bit 0"),
                     quoted);
}

static gboolean
parse_addresses (const char *text, guint32 *addresses, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  guint n_words = g_strv_length (words);

  if (n_words != CURED_BANK_LANES)
    return cured_fail (error, CURED_ERROR_SYNTAX,
                       _ ("%u addresses; expected %d with commas between them, lane 0 first"),
                       n_words, CURED_BANK_LANES);
  for (guint i = 0; i < n_words; i++)
    {
      guint64 value = 0;

      if (!g_ascii_string_to_unsigned (words[i], 10, 0, G_MAXUINT32, &value, NULL))
        {
          g_autofree char *quoted = quote (words[i]);

          return cured_fail (
              error, CURED_ERROR_SYNTAX,
              _ ("“%s”, of lane %u, is not an address; expected bytes from 0 to 4294967295"),
              quoted, i);
        }
      addresses[i] = (guint32) value;
    }
  return TRUE;
}

static gboolean
parse_count (const char *text, guint32 *count, GError **error)
{
  guint64 value = 0;

  if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &value, NULL))
    {
      *count = (guint32) value;
      return TRUE;
    }
  g_autofree char *quoted = quote (text);
  return cured_fail (error, CURED_ERROR_SYNTAX,
                     _ ("“%s” is not a measured number; expected wavefronts and conflicts as whole "
                        "numbers, or neither"),
                     quoted);
}

static gboolean
parse_line (const char *line, CuredBankPattern *pattern, GError **error)
{
  g_auto (GStrv) columns = g_strsplit (line, "\t", -1);
  guint n_columns = g_strv_length (columns);

  if (!parse_op (columns[0], pattern, error))
    return FALSE;
  if (n_columns != 3 && n_columns != 5)
    return cured_fail (
        error, CURED_ERROR_SYNTAX,
        _ ("%u columns; expected an access, its mask of lanes and 32 addresses, and of "
           "a measured one wavefronts and conflicts, with tabs between them"),
        n_columns);
  pattern->is_measured = n_columns == 5;
  return parse_mask (columns[1], &pattern->access.mask, error) &&
         parse_addresses (columns[2], pattern->access.addresses, error) &&
         (!pattern->is_measured || (parse_count (columns[3], &pattern->wavefronts, error) &&
                                    parse_count (columns[4], &pattern->conflicts, error)));
}

/* @text: (array length=length): the file; zero bytes are a syntax error
 * @length: bytes
 * @path: for messages
 * @error: %CURED_ERROR_SYNTAX with @path, the line and what was expected
 *
 * Reads lines of an access, its active mask in hexadecimal, 32 byte addresses separated by commas
 * and, if measured, wavefronts and conflicts; fields are separated by tabs. Empty lines and
 * those that begin with `#` are skipped.
 * Returns: (transfer full) (element-type CuredBankPattern): the accesses in their order, or NULL */
GArray *
cured_bank_patterns_parse (const char *text, gsize length, const char *path, GError **error)
{
  g_autoptr (GArray) patterns = g_array_new (FALSE, TRUE, sizeof (CuredBankPattern));
  const char *end = text + length;
  guint n_lines = 0;

  g_return_val_if_fail ((text != NULL || length == 0) && path != NULL, NULL);
  while (text < end)
    {
      const char *newline = memchr (text, '\n', (gsize) (end - text));
      gsize n_bytes = (gsize) ((newline != NULL ? newline : end) - text);
      gboolean has_zero = memchr (text, '\0', n_bytes) != NULL;
      g_autofree char *line = g_strndup (text, n_bytes);
      CuredBankPattern pattern = { .line = ++n_lines };

      text = newline != NULL ? newline + 1 : end;
      g_strchomp (line);
      if (!has_zero && (line[0] == '\0' || line[0] == '#'))
        continue;
      if (has_zero)
        return cured_fail_null (error, CURED_ERROR_SYNTAX,
                                _ ("%s:%u: a byte of zero; expected a text file"), path, n_lines);
      if (!parse_line (line, &pattern, error))
        {
          g_prefix_error (error, "%s:%u: ", path, n_lines);
          return NULL;
        }
      g_array_append_val (patterns, pattern);
    }
  return g_steal_pointer (&patterns);
}
