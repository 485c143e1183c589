/* SPDX-License-Identifier: MIT
 * Fat binaries: their PTX, uncompressed, and joined if a program was linked from parts. */
#include "config.h"

#include "exec/cured-exec-image-private.h"

#if CURED_HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/cured-base-internal.h"
#include "exec/cured-exec-nested-private.h"

#define MAGIC        0xba55ed50u
#define HEADER_BYTES 16
#define ENTRY_BYTES  64 /* at least */
#define KIND_PTX     1
#define FLAG_LZ4     0x2000
#define FLAG_ZSTD    0x8000

/* Compilers make no larger text. */
#define MAX_TEXT_BYTES ((guint64) 1 << 30)

/* File numbers of part n start at n times this. */
#define FILE_STEP 4096

static guint64
get_le (const guint8 *at, guint n_bytes)
{
  guint64 value = 0;

  for (guint i = 0; i < n_bytes; i++)
    value |= (guint64) at[i] << 8 * i;
  return value;
}

/* Reads a length of LZ4: 15 continues in the following bytes. FALSE at the end of the data. */
static gboolean
read_lz4_length (const guint8 **at, const guint8 *end, gsize *length)
{
  guint8 more = 255;

  while (*length >= 15 && more == 255)
    {
      if (*at >= end)
        return FALSE;
      more = *(*at)++;
      *length += more;
    }
  return TRUE;
}

/* A block of LZ4 (lz4_Block_format.md of the LZ4 project). FALSE: it is damaged. */
static gboolean
expand_lz4 (const guint8 *at, gsize size, char *to, gsize n_to)
{
  const guint8 *end = at + size;
  gsize n = 0;

  while (at < end)
    {
      gsize literals = *at >> 4, match = *at++ & 15;

      if (!read_lz4_length (&at, end, &literals) || literals > (gsize) (end - at) ||
          literals > n_to - n)
        return FALSE;
      memcpy (to + n, at, literals);
      n += literals;
      at += literals;
      if (at == end)
        break;
      if (end - at < 2)
        return FALSE;
      gsize distance = (gsize) get_le (at, 2);
      at += 2;
      if (!read_lz4_length (&at, end, &match) || distance == 0 || distance > n ||
          match + 4 > n_to - n)
        return FALSE;
      for (match += 4; match > 0; match--, n++)
        to[n] = to[n - distance];
    }
  return n == n_to;
}

/* (transfer full): NULL if it is damaged, or this build can't decompress it */
static char *
expand (const guint8 *entry, const guint8 *data, gsize size, GError **error)
{
  guint64 flags = get_le (entry + 40, 8), compressed = get_le (entry + 16, 4);
  guint64 expanded = get_le (entry + 56, 8);
  gboolean is_done = FALSE;

  if ((flags & (FLAG_LZ4 | FLAG_ZSTD)) == 0)
    return g_strndup ((const char *) data, size);
  if (compressed > 0 && compressed < size)
    size = (gsize) compressed;
  /* A byte of LZ4 expands to at most 255. */
  if (expanded > MAX_TEXT_BYTES || ((flags & FLAG_LZ4) != 0 && expanded / 256 > size))
    expanded = 0;
  g_autofree char *text = g_malloc0 ((gsize) expanded + 1);
  if ((flags & FLAG_LZ4) != 0)
    is_done = expand_lz4 (data, size, text, (gsize) expanded);
#if CURED_HAVE_ZSTD
  else
    is_done = ZSTD_decompress (text, (gsize) expanded, data, size) == (gsize) expanded;
#else
  else
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("The program's device code is compressed with zstd, which this build "
           "of Cured can't read; build the program with "
           "NVCC_APPEND_FLAGS=-no-compress"));
#endif
  if (is_done)
    return g_steal_pointer (&text);
  return cured_fail_null (error, CURED_ERROR_INVALID,
                          _ ("The program's device code is damaged: it can't be uncompressed"));
}

/* Whether @arch suits @wanted better than @best does: the highest that is not higher, or else the
 * lowest. */
static gboolean
is_better (int arch, int best, int wanted)
{
  if (best == 0)
    return TRUE;
  if (arch <= wanted)
    return best > wanted || arch > best;
  return best > wanted && arch < best;
}

/* One fat binary's best PTX. (transfer full) (nullable): NULL without an error if it has none */
static char *
find_ptx (const guint8 *data, gsize size, int wanted, int *target, gboolean *has_cubin,
          GError **error)
{
  const guint8 *best = NULL;
  gsize at = 0;
  int best_arch = 0;

  while (size - at >= ENTRY_BYTES)
    {
      const guint8 *entry = data + at;
      guint64 header = get_le (entry + 4, 4), length = get_le (entry + 8, 8);
      int arch = (int) (get_le (entry + 28, 4) & G_MAXINT);

      if (header < ENTRY_BYTES || header > size - at || length > size - at - header)
        break;
      if (get_le (entry, 2) != KIND_PTX)
        *has_cubin = TRUE;
      else if (is_better (arch, best_arch, wanted))
        {
          best = entry;
          best_arch = arch;
        }
      at += (gsize) (header + length);
    }
  if (best == NULL)
    return NULL;
  *target = MAX (*target, best_arch);
  return expand (best, best + get_le (best + 4, 4), (gsize) get_le (best + 8, 8), error);
}

/* ---- Parts ---- */

/* The state of joining the parts of a program. */
typedef struct
{
  GString *text;
  GHashTable *names;   /* utf8: names that parts define */
  GHashTable *renamed; /* utf8 → utf8: names of the part's own that an earlier one has, too */
  guint n_parts;
} Joining;

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '%';
}

/* The name that a line at the outermost level declares. (transfer full) (nullable) */
static char *
get_declared (const char *line)
{
  static const char *const prefixes[] = { ".visible", ".weak", ".extern", ".common", ".global",
                                          ".const",   ".func", ".entry",  ".shared" };
  const char *end = line + strcspn (line, "[=;(");
  const char *at = NULL;
  gboolean is_one = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    is_one |= g_str_has_prefix (line, prefixes[i]);
  if (!is_one)
    return NULL;
  /* A function's result precedes its name. */
  if (*end == '(' && strstr (line, ".func") != NULL && strchr (end, ')') != NULL &&
      is_name (*(strchr (end, ')') + 1 + strspn (strchr (end, ')') + 1, " \t"))))
    {
      at = strchr (end, ')') + 1;
      at += strspn (at, " \t");
      end = at + strcspn (at, " \t(;");
      return g_strndup (at, (gsize) (end - at));
    }
  while (end > line && !is_name (end[-1]))
    end--;
  for (at = end; at > line && is_name (at[-1]);)
    at--;
  return at == end || (at > line && at[-1] == '.') ? NULL : g_strndup (at, (gsize) (end - at));
}

/* Adds a line with new names. */
static void
append_renamed (const Joining *self, const char *line)
{
  if (g_hash_table_size (self->renamed) == 0)
    g_string_append (self->text, line);
  while (g_hash_table_size (self->renamed) > 0 && *line != '\0')
    {
      gsize n = 0;

      while (is_name (line[n]))
        n++;
      g_autofree char *word = g_strndup (line, n);
      const char *renamed = n > 0 ? g_hash_table_lookup (self->renamed, word) : NULL;
      if (renamed != NULL)
        g_string_append (self->text, renamed);
      else
        g_string_append_len (self->text, line, (gssize) MAX (n, 1));
      line += MAX (n, 1);
    }
  g_string_append_c (self->text, '\n');
}

/* Renumbers files, so that parts do not collide. FALSE if the line has no file. */
static gboolean
append_file (const Joining *self, const char *word)
{
  gboolean is_loc = g_str_has_prefix (word, ".loc");
  char *rest = NULL;
  guint64 file = 0;

  /* Not .local. */
  if ((!is_loc || !g_ascii_isspace (word[strlen (".loc")])) && !g_str_has_prefix (word, ".file"))
    return FALSE;
  file = g_ascii_strtoull (word + strcspn (word, " \t"), &rest, 10);
  g_string_append_printf (self->text, "%s %" PRIu64, is_loc ? ".loc" : ".file",
                          file + self->n_parts * FILE_STEP);
  const char *inlined = is_loc ? strstr (rest, "inlined_at ") : NULL;
  if (inlined != NULL)
    {
      inlined += strlen ("inlined_at ");
      g_string_append_len (self->text, rest, inlined - rest);
      file = g_ascii_strtoull (inlined, &rest, 10);
      g_string_append_printf (self->text, "%" PRIu64, file + self->n_parts * FILE_STEP);
    }
  g_string_append (self->text, rest);
  g_string_append_c (self->text, '\n');
  return TRUE;
}

/* Handles the first line of a declaration. A local name is changed if an earlier part has it, too.
 * FALSE if the declaration is left out, since an earlier part has it. */
static gboolean
take_declaration (Joining *self, const char *line, const char *name)
{
  gboolean is_known = g_hash_table_contains (self->names, name);

  if (g_str_has_prefix (line, ".weak"))
    return !is_known;
  if (is_known && !g_str_has_prefix (line, ".visible") && !g_str_has_prefix (line, ".extern") &&
      !g_hash_table_contains (self->renamed, name))
    g_hash_table_insert (self->renamed, g_strdup (name),
                         g_strdup_printf ("%s$%u", name, self->n_parts));
  return TRUE;
}

static gboolean
is_variable (const char *line)
{
  return strstr (line, ".func") == NULL && strstr (line, ".entry") == NULL;
}

/* Appends a part's text, without its header except for the first. */
static void
append_text (Joining *self, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *name = NULL; /* name in the current declaration */
  gboolean is_kept = TRUE, is_defined = FALSE;
  int depth = 0;

  g_hash_table_remove_all (self->renamed);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *line = g_strchomp (lines[i]), *word = line + strspn (line, " \t");
      char last = '\0';

      if (self->n_parts > 0 &&
          (g_str_has_prefix (word, ".version") || g_str_has_prefix (word, ".target") ||
           g_str_has_prefix (word, ".address_size")))
        continue;
      if (depth == 0 && name == NULL && line[0] == '.' && (name = get_declared (line)) != NULL)
        {
          is_kept = take_declaration (self, line, name);
          is_defined = is_variable (line);
        }
      if (is_kept && (self->n_parts == 0 || !append_file (self, word)))
        append_renamed (self, line);
      for (const char *at = line; *at != '\0' && *at != '"' && strncmp (at, "//", 2) != 0; at++)
        {
          depth += (*at == '{') - (*at == '}');
          last = g_ascii_isspace (*at) ? last : *at;
        }
      if (depth != 0 || (last != '}' && last != ';'))
        continue;
      if (name != NULL && (is_defined || last == '}'))
        g_hash_table_add (self->names, g_steal_pointer (&name));
      g_clear_pointer (&name, g_free);
      is_kept = TRUE;
    }
  self->n_parts++;
}

/* Cooperative groups keep data of larger tiles in 288 bytes of reserved shared memory. The emulator
 * reserves none: a variable in the text replaces it. */
static void
replace_reserved (GString *text)
{
  static const char head[] = ".address_size 64\n";
  const char *at = strstr (text->str, head);

  if (at != NULL && g_string_replace (text, "%reserved_smem_offset_1", CURED_EXEC_RESERVED, 0) > 0)
    g_string_insert (text, strstr (text->str, head) - text->str + (gssize) strlen (head),
                     ".shared .align 16 .b8 " CURED_EXEC_RESERVED "[288];\n");
}

/* @data: concatenated fat binaries, or PTX
 * @size: bytes
 * @arch: the device's, 90 for sm_90
 * @target: (out): target of the PTX, 0: unknown
 * @error: return location
 * Returns: (transfer full): PTX; NULL with %CURED_ERROR_INVALID or %CURED_ERROR_NOT_FOUND if there
 *   is none */
char *
_cured_exec_image_get_ptx (const guint8 *data, gsize size, int arch, int *target, GError **error)
{
  g_autoptr (GString) joined = g_string_new (NULL);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) renamed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Joining joining = { joined, names, renamed, 0 };
  gboolean has_cubin = size >= 4 && memcmp (data, "\177ELF", 4) == 0;
  const char *nested = NULL;
  gsize at = 0;

  *target = 0;
  if (size >= 4 && get_le (data, 4) != MAGIC && !has_cubin)
    return g_strndup ((const char *) data, size);
  while (size - at >= HEADER_BYTES && get_le (data + at, 4) == MAGIC)
    {
      guint64 header = get_le (data + at + 6, 2), length = get_le (data + at + 8, 8);

      if (header < HEADER_BYTES || header > size - at || length > size - at - header)
        break;
      g_autofree char *text =
          find_ptx (data + at + header, (gsize) length, arch, target, &has_cubin, error);
      if (text == NULL && error != NULL && *error != NULL)
        return NULL;
      if (text != NULL && !_cured_exec_nested_is_runtime (text))
        append_text (&joining, text);
      at += (gsize) (header + length);
    }
  if (joining.n_parts > 0)
    {
      replace_reserved (joined);
      nested = _cured_exec_nested_get_text (joined->str);
      g_string_append (joined, nested != NULL ? nested : "");
      return g_string_free (g_steal_pointer (&joined), FALSE);
    }
  return cured_fail_null (error, CURED_ERROR_NOT_FOUND,
                          has_cubin
                              ? _ ("The program has machine code of a chip and no PTX, which "
                                   "the emulator needs; build it with "
                                   "NVCC_APPEND_FLAGS=\"-gencode arch=compute_90,"
                                   "code=compute_90\"")
                              : _ ("The program has no device code that the emulator can read"));
}
