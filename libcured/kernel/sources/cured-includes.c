/* SPDX-License-Identifier: MIT
 * Collects the files that a compilation of a kernel reads. */
#include "kernel/cured-sources-internal.h"

#include <glib/gstdio.h>
#include <stdlib.h>

#include "base/cured-base-internal.h"
#include "kernel/cured-compile-options-internal.h"
#include "kernel/read/cured-data-private.h"
#include "kernel/sources/cured-host-code-internal.h"
#include "kernel/sources/cured-include-macro-internal.h"
#include "kernel/cured-ptx-text-internal.h"
#include "kernel/sources/cured-stub-headers-internal.h"

/* Implementation notes
 *
 * NVRTC reads files by itself, wherever a directive leads, and quotes them in its errors. So the
 * permitted files are read here beforehand, and passed to NVRTC by name; it finds no others. The
 * list of files and contents is also the key of a cached image, and the input of a worker on
 * another machine.
 *
 * NVRTC looks a name up as it is written in the directive. Two files that are both written "b.h" in
 * different folders, or one file with two spellings, which `#pragma once` would let through twice,
 * need names of their own: so the names in directives are replaced by each file's path from its
 * root.
 *
 * Every `#` followed by the word counts as a directive, in comments and strings,
 * too. A missed directive would be a security hole; a false one costs
 * nothing. */

/* Far more than any kernel has. */
#define MAX_FILES      4096
#define MAX_FILE_BYTES (16 << 20)
#define MAX_BYTES      ((gsize) 64 << 20)

/* Limit for comments between two words of a directive, and for a name: bounds the search behind
 * each `#`. */
#define MAX_LOOK_BYTES 1000

typedef struct
{
  const CuredKernel *kernel;
  char *label;          /* the kernel file's name in messages */
  char *own;            /* nullable: the kernel file's folder */
  GPtrArray *roots;     /* (element-type utf8): @own and the folders of -I, as real paths */
  GHashTable *names;    /* real path → name */
  GHashTable *taken;    /* name → itself, borrowed from @names */
  GPtrArray *queue;     /* (element-type utf8): real paths, in order of @texts */
  GPtrArray *texts;     /* (element-type utf8): owned */
  GHashTable *stubs;    /* name → text of a file's stub */
  gboolean is_portable; /* the text will be read without its folder */
  gsize n_bytes;
} Collector;

typedef enum
{
  KIND_INCLUDE,
  KIND_NEXT,
  KIND_HAS,
} Kind;

static const struct
{
  const char *word;
  Kind kind;
} words[] = {
  { "include", KIND_INCLUDE },
  { "include_next", KIND_NEXT },
  { "import", KIND_INCLUDE },
  { "embed", KIND_INCLUDE },
};

static const char *const has_words[] = {
  "__has_include",
  "__has_include_next",
  "__has_embed",
};

static void
collector_clear (Collector *self)
{
  if (self->roots == NULL)
    return;
  CURED_CLEAR (label, g_free, own, g_free, roots, g_ptr_array_unref, taken, g_hash_table_unref,
               names, g_hash_table_unref, queue, g_ptr_array_unref, texts, g_ptr_array_unref, stubs,
               g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Collector, collector_clear)

static gboolean
fail (GError **error, const char *label, const char *text, const char *at, const char *message)
{
  guint line = 1;

  for (const char *p = text; p < at; p++)
    line += *p == '\n';
  cured_set_error_at (error, CURED_ERROR_INVALID, label, line, 0, message);
  return FALSE;
}

/* -- Directives -- */

/* Skips line continuations, also as trigraphs. */
static const char *
skip_splices (const char *at)
{
  for (;;)
    {
      const char *end = at;

      if (*end == '\\')
        end++;
      else if (strncmp (end, "?\?/", 3) == 0)
        end += 3;
      else
        return at;
      while (*end == ' ' || *end == '\t' || *end == '\r')
        end++;
      if (*end != '\n')
        return at;
      at = end + 1;
    }
}

/* Skips the text between two words of a directive; NULL if it is too long. */
static const char *
skip_blanks (const char *at)
{
  const char *begin = at;

  while (at - begin <= MAX_LOOK_BYTES)
    {
      at = skip_splices (at);
      if (*at == ' ' || *at == '\t' || *at == '\v' || *at == '\f' || *at == '\r')
        at++;
      else if (*at == '/' && *skip_splices (at + 1) == '*')
        {
          at = skip_splices (at + 1) + 1;
          while (*at != '\0' && at - begin <= MAX_LOOK_BYTES &&
                 !(*at == '*' && *skip_splices (at + 1) == '/'))
            at++;
          if (*at == '*')
            at = skip_splices (at + 1) + 1;
        }
      else
        return at;
    }
  return NULL;
}

/* Reads the word at @at, without line continuations, and returns its end. Long words are cut, as
 * none of them matters. */
static const char *
read_word (const char *at, char *word, gsize size)
{
  gsize n = 0;

  at = skip_splices (at);
  while (n + 1 < size && (g_ascii_isalnum (*at) || *at == '_'))
    {
      word[n++] = *at;
      at = skip_splices (at + 1);
    }
  word[n] = '\0';
  return at;
}

/* Whether a directive can begin at @at: only blanks and comments precede it in its line. Only there
 * is a directive without a file name an error. */
static gboolean
is_first_of_line (const char *text, const char *at)
{
  while (at > text &&
         (at[-1] == ' ' || at[-1] == '\t' || at[-1] == '\v' || at[-1] == '\f' || at[-1] == '\r'))
    at--;
  return at == text || at[-1] == '\n' || (at - text >= 2 && at[-1] == '/' && at[-2] == '*');
}

static gboolean
fail_long (GError **error, const char *label, const char *text, const char *directive)
{
  return fail (error, label, text, directive,
               _ ("this directive is too long; write its comments elsewhere"));
}

/* Reads the name, in quotes or angle brackets, of the directive at @directive; @at is NULL if that
 * is too far away. FALSE with an error if the directive could include any file. @name is NULL if
 * there is no name, which is harmless. */
static gboolean
read_name (const char *label, const char *text, const char *directive, const char *at, Kind kind,
           char **name, const char **end, GError **error)
{
  char close = '"';

  *name = NULL;
  *end = at;
  if (at == NULL)
    return fail_long (error, label, text, directive);
  if (*at == '<')
    close = '>';
  else if (*at != '"')
    {
      if ((g_ascii_isalpha (*at) || strchr ("_$\\", *at) != NULL || *at < 0) && *at != '\0' &&
          (kind == KIND_HAS ||
           ((kind != KIND_INCLUDE || *directive != '#' || !(g_ascii_isalpha (*at) || *at == '_')) &&
            is_first_of_line (text, directive))))
        return fail (
            error, label, text, directive,
            _ ("name the file that is included; Cured reads it before it compiles, and can't "
               "expand a macro"));
      /* Other macros are expanded after all texts are read. */
      return TRUE;
    }
  at++;
  *end = at;
  while (**end != '\0' && **end != '\n' && **end != close)
    {
      if (skip_splices (*end) != *end)
        return fail (error, label, text, directive, _ ("a file's name goes on in the next line"));
      *end += 1;
      if (*end - at > MAX_LOOK_BYTES)
        return fail_long (error, label, text, directive);
    }
  if (**end == close && *end > at)
    *name = g_strndup (at, (gsize) (*end - at));
  return TRUE;
}

/* -- Files -- */

static gboolean
has_parent (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);

  return g_strv_contains ((const char *const *) parts, "..");
}

/* Real path of @name, relative to @folder; NULL if there is no such file. */
static char *
find_in (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *real = realpath (path, NULL);
  GStatBuf info;

  if (real == NULL || g_stat (real, &info) != 0 || !S_ISREG (info.st_mode))
    return NULL;
  return g_strdup (real);
}

/* Path of a file relative to its root; NULL for a file outside of all roots. */
static const char *
get_path_from_root (const Collector *self, const char *real)
{
  CURED_EACH_POINTER (const char, root, self->roots)
    if (_cured_is_below (real, root))
      return real + strlen (root) + (g_str_equal (root, "/") ? 0 : 1);
  return NULL;
}

/* The file's name for the compiler. */
static const char *
add_file (Collector *self, const char *real)
{
  const char *known = g_hash_table_lookup (self->names, real);

  if (known != NULL)
    return known;
  char *name = g_strdup (get_path_from_root (self, real));
  /* Two folders of -I may have files of one name. */
  for (guint i = 2; g_hash_table_contains (self->taken, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%u/%s", i, get_path_from_root (self, real));
    }
  g_hash_table_insert (self->names, g_strdup (real), name);
  g_hash_table_add (self->taken, name);
  g_ptr_array_add (self->queue, g_strdup (real));
  return name;
}

/* Prefix of files that the text carries, in the queue. No path begins like this. */
#define CARRIED "carried:"

/* The text of a file that the kernel's text carries; NULL for other files. */
static const char *
find_carried (const Collector *self, const char *name)
{
  const CuredSources *carried = self->kernel->carried;

  for (gsize i = 0; carried != NULL && i < carried->n; i++)
    if (g_str_equal (carried->names[i], name))
      return carried->texts[i];
  return NULL;
}

/* A carried file's name for the compiler: the directives of carried files use these
 * names. */
static const char *
add_carried (Collector *self, const char *name)
{
  g_autofree char *key = g_strconcat (CARRIED, name, NULL);
  const char *known = g_hash_table_lookup (self->names, key);

  if (known != NULL)
    return known;
  char *copy = g_strdup (name);
  g_ptr_array_add (self->queue, g_strdup (key));
  g_hash_table_insert (self->names, g_steal_pointer (&key), copy);
  g_hash_table_add (self->taken, copy);
  return copy;
}

/* Headers of the toolkit, which the compiler finds by itself. */
static gboolean
is_of_toolkit (const char *name)
{
  static const char *const prefixes[] = { "cuda.h",
                                          "cuda/",
                                          "cuda_runtime",
                                          "cuda_fp",
                                          "cuda_bf16",
                                          "cuda_pipeline",
                                          "cuda_awbarrier",
                                          "cub/",
                                          "cooperative_groups",
                                          "curand",
                                          "mma.h",
                                          "math_constants",
                                          "nv/",
                                          "crt/",
                                          "cuComplex",
                                          "sm_",
                                          "nvtx3/",
                                          "device_",
                                          "host_" };

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return TRUE;
  return FALSE;
}

/* Prefix of the names of stubs for missing files. */
#define OPTIONAL "cured/optional-"

/* Adds a stub for a missing file. Returns its name for the compiler; NULL if there is no
 * stub. */
static const char *
add_stub (Collector *self, const char *name, gboolean is_quoted)
{
  const char *text = _cured_stub_header_find (name);
  g_autofree char *known = NULL;

  if (text != NULL)
    {
      known = g_strdup (name);
      static const char *const bases[] = { CURED_STUB_BASE, CURED_STUB_STD };

      for (gsize i = 0; i < G_N_ELEMENTS (bases); i++)
        g_hash_table_insert (self->stubs, g_strdup (bases[i]),
                             g_strdup (_cured_stub_header_find (bases[i])));
      g_hash_table_insert (self->stubs, g_strdup (name), g_strdup (text));
    }
  else if ((is_of_toolkit (name) && !is_quoted) ||
           /* It will be missing where the text is read, too. */
           (self->is_portable && !has_parent (name)) ||
           strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_./+-") != strlen (name))
    return NULL;
  else
    {
      /* Unlike the path, its hash can't lead out of the folder. */
      known = g_strdup_printf (OPTIONAL "%08x", g_str_hash (name));
      g_hash_table_insert (self->stubs, g_strdup (known),
                           _cured_stub_header_make_optional (name, !g_path_is_absolute (name) &&
                                                                       !has_parent (name)));
    }
  if (g_hash_table_size (self->stubs) > MAX_FILES)
    return NULL;
  return g_hash_table_lookup_extended (self->stubs, known, (gpointer *) &text, NULL) ? text : NULL;
}

/* Whether a missing file is only a warning: one that an included file names in quotes, such as
 * "../common/book.h", is mostly for host code. */
static gboolean
may_be_missing (const char *name, gboolean is_quoted, gboolean is_included)
{
  return is_included && is_quoted && !g_path_is_absolute (name);
}

/* FALSE with an error if @name is a forbidden path; @found is NULL if there is no such file here:
 * it is a header of the toolkit, or missing. */
static gboolean
resolve (Collector *self, const char *label, const char *text, const char *at, const char *folder,
         const char *name, gboolean is_quoted, gboolean is_included, const char **found,
         GError **error)
{
  g_autofree char *real = NULL, *message = NULL;

  *found = NULL;
  if (find_carried (self, name) != NULL)
    {
      *found = add_carried (self, name);
      return TRUE;
    }
  if (self->roots->len == 0)
    {
      if (!g_path_is_absolute (name) && !has_parent (name))
        {
          if (is_included)
            *found = add_stub (self, name, is_quoted);
          return TRUE;
        }
      if (may_be_missing (name, is_quoted, is_included))
        *found = add_stub (self, name, is_quoted);
      if (*found != NULL)
        return TRUE;
      message = g_strdup_printf (
          /* Translators: a file's name. */
          _ ("“%s” is not included: a kernel that came in a result file includes only what that "
             "carries and the CUDA Toolkit's headers"),
          name);
      return fail (error, label, text, at, message);
    }
  if (g_path_is_absolute (name))
    real = find_in ("/", name);
  else if (is_quoted && folder != NULL)
    real = find_in (folder, name);
  for (guint i = 0; i < self->roots->len && real == NULL; i++)
    if (i > 0 || is_quoted || self->own == NULL)
      real = find_in (self->roots->pdata[i], name);
  if (real == NULL)
    {
      /* There is no file to quote from, but NVRTC must not search for it either. */
      if (may_be_missing (name, is_quoted, is_included) ||
          (is_included && !g_path_is_absolute (name) && !has_parent (name)))
        *found = add_stub (self, name, is_quoted);
      if (*found != NULL || (!g_path_is_absolute (name) && !has_parent (name)))
        return TRUE;
    }
  else if (get_path_from_root (self, real) != NULL)
    {
      *found = add_file (self, real);
      return TRUE;
    }
  else if (has_parent (name) && may_be_missing (name, is_quoted, is_included))
    {
      *found = add_stub (self, name, is_quoted);
      if (*found != NULL)
        return TRUE;
    }
  message = g_strdup_printf (
      /* Translators: a file's name. */
      _ ("“%s” is not included: it lies neither in the kernel file's folder nor in one that "
         "--option=-IFOLDER names"),
      name);
  return fail (error, label, text, at, message);
}

/* Reads the directive that begins at @at. @operand is the text behind its word, or NULL if that is
 * too far away. FALSE if no directive begins there. */
static gboolean
read_directive (const char *text, const char *at, Kind *kind, gboolean *is_embed,
                const char **operand)
{
  const char *next = NULL;
  char word[24];

  if (*at == '#' || (*at == '%' && *skip_splices (at + 1) == ':') || strncmp (at, "?\?=", 3) == 0)
    {
      next = *at == '#' ? at + 1 : *at == '%' ? skip_splices (at + 1) + 1 : at + 3;
      next = skip_blanks (next);
      *operand = NULL;
      if (next == NULL)
        return TRUE;
      next = read_word (next, word, sizeof word);
      for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
        if (g_str_equal (word, words[i].word))
          {
            *kind = words[i].kind;
            *is_embed = g_str_equal (word, "embed");
            *operand = skip_blanks (next);
            return TRUE;
          }
    }
  else if (*at == '_' && skip_splices (at + 1)[0] == '_' &&
           (at == text || !(g_ascii_isalnum (at[-1]) || at[-1] == '_')))
    {
      next = read_word (at, word, sizeof word);
      for (gsize i = 0; i < G_N_ELEMENTS (has_words); i++)
        if (g_str_equal (word, has_words[i]))
          {
            *kind = KIND_HAS;
            next = skip_blanks (next);
            *operand = next != NULL && *next == '(' ? skip_blanks (next + 1) : NULL;
            return next == NULL || *next == '(';
          }
    }
  return FALSE;
}

/* The text with file names replaced by those for the compiler, and without a byte-order mark, which
 * NVRTC takes for code. */
static char *
rewrite (Collector *self, const char *label, const char *text, const char *folder, GError **error)
{
  g_autoptr (GString) result = g_string_new (NULL);
  const char *done;

  text += g_str_has_prefix (text, "\xEF\xBB\xBF") ? 3 : 0;
  done = text;
  for (const char *at = text; *at != '\0'; at++)
    {
      g_autofree char *name = NULL;
      const char *next = NULL, *end = NULL, *found = NULL;
      Kind kind = KIND_HAS;
      gboolean is_embed = FALSE;

      if (!read_directive (text, at, &kind, &is_embed, &next))
        continue;
      if (!read_name (label, text, at, next, kind, &name, &end, error))
        return NULL;
      if (name == NULL)
        continue;
      if (!resolve (self, label, text, at, folder, name, *end == '"',
                    kind == KIND_INCLUDE && !is_embed, &found, error))
        return NULL;
      if (found != NULL && kind == KIND_NEXT)
        {
          fail (error, label, text, at,
                _ ("#include_next is for the toolkit's headers; write #include"));
          return NULL;
        }
      if (found != NULL)
        {
          g_string_append_len (result, done, end - strlen (name) - done);
          g_string_append (result, found);
          done = end;
        }
      at = end - 1;
    }
  g_string_append (result, done);
  return g_string_free (g_steal_pointer (&result), FALSE);
}

/* Text that includes the first of @names that exists; if none does, the compiler fails when it
 * reaches it. */
static char *
make_choice (Collector *self, const char *label, const char *text, const char *at,
             const char *folder, const GPtrArray *names, const char *operand, GError **error)
{
  g_autoptr (GString) choice = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++)
    {
      const char *item = names->pdata[i];
      gboolean is_quoted = *item == '"';
      g_autofree char *name = g_strndup (item + 1, strlen (item) - 2);
      const char *found = NULL;

      if (!resolve (self, label, text, at, folder, name, is_quoted, TRUE, &found, error))
        return NULL;
      g_string_append_printf (choice, "#%s __has_include(%c%s%c)\n#include %c%s%c\n",
                              i == 0 ? "if" : "elif", found != NULL ? '"' : *item,
                              found != NULL ? found : name, found != NULL || is_quoted ? '"' : '>',
                              found != NULL ? '"' : *item, found != NULL ? found : name,
                              found != NULL || is_quoted ? '"' : '>');
    }
  g_string_append_printf (choice, "%s#error \"%s names no file that is there\"\n%s",
                          names->len > 0 ? "#else\n" : "", operand,
                          names->len > 0 ? "#endif\n" : "");
  return g_string_free (g_steal_pointer (&choice), FALSE);
}

/* Makes each `#include MACRO (x)` of @text include a generated file, which includes the possible
 * expansions of the macro. @is_last: also for macros that no text defines. */
static gboolean
expand_includes (Collector *self, const char *label, char **text, const char *folder,
                 const char *const *texts, gboolean is_last, GError **error)
{
  g_autoptr (GString) result = NULL;
  const char *done = *text;

  for (const char *at = *text; (at = strchr (at, '#')) != NULL; at++)
    {
      Kind kind = KIND_HAS;
      gboolean is_embed = FALSE;
      const char *next = NULL;

      if (!read_directive (*text, at, &kind, &is_embed, &next) || next == NULL ||
          kind != KIND_INCLUDE || !(g_ascii_isalpha (*next) || *next == '_') ||
          !is_first_of_line (*text, at))
        continue;
      const char *end = _cured_include_macro_skip (next);
      g_autofree char *operand =
          g_strdelimit (g_strndup (next, (gsize) (end - next)), "\\\"\n\r\t", ' ');
      g_autoptr (GPtrArray) names = _cured_include_macro_expand (texts, operand);
      if (names->len == 0 && !is_last)
        continue;
      g_autofree char *choice = make_choice (self, label, *text, at, folder, names, operand, error);
      if (choice == NULL)
        return FALSE;
      g_autofree char *file = g_strdup_printf (OPTIONAL "%08x", g_str_hash (choice));
      if (result == NULL)
        result = g_string_new (NULL);
      g_string_append_len (result, done, next - done);
      g_string_append_printf (result, "\"%s\"", file);
      g_hash_table_insert (self->stubs, g_steal_pointer (&file), g_steal_pointer (&choice));
      done = end;
      at = end - 1;
    }
  if (result != NULL)
    {
      g_string_append (result, done);
      g_free (*text);
      *text = g_string_free (g_steal_pointer (&result), FALSE);
    }
  return TRUE;
}

static gboolean
read_file (Collector *self, const char *real, GError **error)
{
  const char *label = g_hash_table_lookup (self->names, real);
  gboolean is_carried = g_str_has_prefix (real, CARRIED);
  g_autofree char *folder = is_carried ? NULL : g_path_get_dirname (real);
  g_autofree char *text = is_carried ? g_strdup (find_carried (self, label)) : NULL;
  GStatBuf info;
  gsize length = is_carried ? strlen (text) : 0;

  if (!is_carried && g_stat (real, &info) == 0 && info.st_size <= MAX_FILE_BYTES &&
      !g_file_get_contents (real, &text, &length, error))
    return FALSE;
  self->n_bytes += length;
  if (text == NULL || self->n_bytes > MAX_BYTES || self->queue->len > MAX_FILES)
    return cured_fail (
        error, CURED_ERROR_INVALID,
        _ ("%s: the files that it includes are too many or too large; the last one was “%s”"),
        self->label, label);
  /* Usually an author's name in a comment, in another encoding. */
  if (strlen (text) == length && !g_utf8_validate (text, -1, NULL))
    {
      char *valid = g_utf8_make_valid (text, -1);

      g_free (text);
      text = valid;
      length = strlen (text);
    }
  if (strlen (text) != length)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("%s: “%s”, which it includes, is not UTF-8 text"), self->label, label);
  g_autofree char *rewritten = rewrite (self, label, text, folder, error);
  if (rewritten == NULL)
    return FALSE;
  g_ptr_array_add (self->texts, g_steal_pointer (&rewritten));
  return TRUE;
}

/* FALSE with an error if a folder that the kernel file names is outside of the file's own
 * folder. */
static gboolean
add_roots (Collector *self, const char *const *options, GError **error)
{
  const char *path = self->kernel->path;
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);

  if (path == NULL)
    return TRUE;
  g_autofree char *folder = g_path_get_dirname (path);
  self->own = realpath (folder, NULL);
  /* The kernel's folder may not exist. */
  if (self->own == NULL)
    return TRUE;
  g_ptr_array_add (self->roots, g_strdup (self->own));
  g_auto (GStrv) others = cured_compile_options_take_folders (options, folders);
  guint n_given = folders->len;
  g_auto (GStrv) own_others = cured_compile_options_take_folders (self->kernel->options, folders);
  for (char **include = self->kernel->includes; *include != NULL; include++)
    g_ptr_array_add (folders, g_strdup (*include));
  for (guint i = 0; i < folders->len; i++)
    {
      const char *name = folders->pdata[i];
      g_autofree char *joined = i < n_given || g_path_is_absolute (name)
                                    ? g_strdup (name)
                                    : g_build_filename (self->own, name, NULL);
      g_autofree char *real = realpath (joined, NULL);

      if (i >= n_given && real != NULL && !g_str_equal (real, self->own) &&
          !_cured_is_below (real, self->own))
        return cured_fail (
            error, CURED_ERROR_INVALID,
            _ ("%s: the folder “%s”, of Include= or -I, is outside the file's; name it "
               "with --option=-I"),
            self->label, name);
      if (real != NULL)
        g_ptr_array_add (self->roots, g_strdup (real));
    }
  return TRUE;
}

/* Whether functions without a mark are device code. */
static gboolean
is_all_device (const char *const *options)
{
  for (; options != NULL && *options != NULL; options++)
    if (g_str_equal (*options, "-default-device") ||
        g_str_has_prefix (*options, "--device-as-default-execution-space"))
      return TRUE;
  return FALSE;
}

/* Removes host code from all files. */
static void
cut_host_code (Collector *self, char **text)
{
  g_auto (CuredHostCode) code = { 0 };
  g_autoptr (GHashTable) from_cuda = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean is_cut = FALSE;
  char *cut;

  _cured_host_code_init (&code);
  /* Twice, since a macro may use one from a later file. */
  for (guint turn = 0; turn < 2; turn++)
    {
      for (guint i = 0; i < self->texts->len; i++)
        _cured_host_code_learn (&code, self->texts->pdata[i]);
      _cured_host_code_learn (&code, *text);
    }
  for (guint i = self->texts->len; i > 0; i--)
    {
      char **file = (char **) &self->texts->pdata[i - 1];

      cut = _cured_host_code_cut (&code, *file);
      is_cut |= !g_str_equal (cut, *file);
      g_free (*file);
      *file = cut;
    }
  cut = _cured_host_code_cut (&code, *text);
  is_cut |= !g_str_equal (cut, *text);
  g_free (*text);
  *text = cut;
  is_cut |= g_hash_table_contains (self->stubs, CURED_STUB_BASE);
  for (guint i = 0; i < self->texts->len && is_cut; i++)
    _cured_stub_header_collect_std (self->texts->pdata[i], from_cuda);
  if (!is_cut)
    return;
  _cured_stub_header_collect_std (*text, from_cuda);
  g_hash_table_insert (self->stubs, g_strdup (CURED_STUB_BASE),
                       g_strdup (_cured_stub_header_find (CURED_STUB_BASE)));
  g_hash_table_insert (self->stubs, g_strdup (CURED_STUB_STD),
                       _cured_stub_header_make_std (from_cuda));
}

/* (transfer container) (array zero-terminated=1): all texts, with @more in front. */
static GPtrArray *
list_texts (const Collector *self, const char *more)
{
  GPtrArray *texts = g_ptr_array_new ();

  g_ptr_array_add (texts, (gpointer) more);
  for (guint i = 0; i < self->texts->len; i++)
    g_ptr_array_add (texts, self->texts->pdata[i]);
  return texts;
}

/* Initializes the collector from the kernel file. */
static void
collector_init (Collector *self, const CuredKernel *kernel)
{
  *self = (Collector){
    .kernel = kernel,
    .label = cured_kernel_get_file_name (kernel),
    .roots = g_ptr_array_new_with_free_func (g_free),
    .names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
    .taken = g_hash_table_new (g_str_hash, g_str_equal),
    .queue = g_ptr_array_new_with_free_func (g_free),
    .texts = g_ptr_array_new_with_free_func (g_free),
    .stubs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
  };
}

/* (transfer full): `-DNAME=VALUE` of the options, as lines of a file. */
static char *
list_defines (const char *const *own, const char *const *given)
{
  static const char *const fronts[] = { "--define-macro=", "-D" };
  const char *const *lists[] = { own, given };
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const char *const *option = lists[i]; option != NULL && *option != NULL; option++)
      for (gsize k = 0; k < G_N_ELEMENTS (fronts); k++)
        if (g_str_has_prefix (*option, fronts[k]))
          {
            const char *name = *option + strlen (fronts[k]);
            gsize length = strcspn (name, "=");

            g_string_append_printf (text, "#define %.*s %s\n", (int) length, name,
                                    name + length + (name[length] == '='));
          }
  return g_string_free (text, FALSE);
}

static gboolean
expand_all (Collector *self, char **text, char *defines, gboolean is_last, GError **error)
{
  for (guint i = 0; i <= self->texts->len; i++)
    {
      gboolean is_own = i == self->texts->len;
      char **one = is_own ? text : (char **) &self->texts->pdata[i];
      const char *real = is_own ? NULL : self->queue->pdata[i];
      g_autofree char *folder = is_own                             ? g_strdup (self->own)
                                : g_str_has_prefix (real, CARRIED) ? NULL
                                                                   : g_path_get_dirname (real);
      g_autoptr (GPtrArray) texts = list_texts (self, *text);

      g_ptr_array_add (texts, defines);
      g_ptr_array_add (texts, NULL);
      if (!expand_includes (self, is_own ? self->label : g_hash_table_lookup (self->names, real),
                            one, folder, (const char *const *) texts->pdata, is_last, error))
        return FALSE;
    }
  return TRUE;
}

/* (transfer full): the kernel's text without host code and with replaced file names; reads all
 * included files. */
static char *
collect (Collector *self, const char *const *options, GPtrArray *names, GError **error)
{
  gboolean is_second = FALSE, is_last = FALSE;

  if (!add_roots (self, options, error))
    return NULL;
  g_autofree char *text = rewrite (self, self->label, self->kernel->source, self->own, error);
  if (text == NULL)
    return NULL;
  g_autofree char *defines = list_defines (self->kernel->options, options);
  /* A file that a macro names may define another macro. */
  do
    {
      guint n = self->texts->len;

      is_last = is_second && n == self->queue->len;
      is_second = TRUE;
      for (guint i = n; i < self->queue->len; i++)
        {
          const char *real = self->queue->pdata[i];

          if (!read_file (self, real, error))
            return NULL;
          g_ptr_array_add (names, g_strdup (g_hash_table_lookup (self->names, real)));
        }
      if (!expand_all (self, &text, defines, is_last, error))
        return NULL;
    }
  while (!is_last || self->queue->len > self->texts->len);
  return g_steal_pointer (&text);
}

/* Reads the source files that PTX names by `.file`, to show their lines: those that the text
 * carries, else files in the folders from which a `.cu` may include. Folders in those names are of
 * the compiling machine, and ignored. A missing or forbidden file is skipped; FALSE with an error
 * only if the kernel file names a forbidden folder. */
static gboolean
collect_of_ptx (Collector *self, const char *const *options, GPtrArray *names, GError **error)
{
  g_auto (GStrv) files = _cured_ptx_text_list_files (self->kernel->source);

  if (!add_roots (self, options, error))
    return FALSE;
  for (char **file = files; *file != NULL; file++)
    {
      g_autofree char *text = g_strdup (find_carried (self, *file)), *real = NULL;
      gsize length = text != NULL ? strlen (text) : 0;
      GStatBuf info;

      for (guint i = 0; i < self->roots->len && text == NULL && real == NULL; i++)
        real = find_in (self->roots->pdata[i], *file);
      if (real != NULL &&
          (get_path_from_root (self, real) == NULL || g_stat (real, &info) != 0 ||
           info.st_size > MAX_FILE_BYTES || !g_file_get_contents (real, &text, &length, NULL)))
        continue;
      if (text == NULL || (self->n_bytes += length) > MAX_BYTES || strlen (text) != length ||
          !g_utf8_validate (text, -1, NULL))
        continue;
      g_ptr_array_add (names, g_strdup (*file));
      g_ptr_array_add (self->texts, g_steal_pointer (&text));
    }
  return TRUE;
}

/* Appends the stubs behind the included files, in a fixed order, since a cached image's key depends
 * on it. */
static void
add_stubs (Collector *self, const char *text, GPtrArray *names)
{
  if (g_hash_table_contains (self->stubs, CURED_STUB_BASE))
    {
      g_autoptr (GPtrArray) texts = list_texts (self, text);

      g_ptr_array_add (texts, NULL);
      g_hash_table_insert (self->stubs, g_strdup (CURED_STUB_BASE),
                           _cured_stub_header_make_base ((const char *const *) texts->pdata));
    }
  g_autoptr (GList) stubs = g_hash_table_get_keys (self->stubs);
  stubs = g_list_sort (stubs, (GCompareFunc) strcmp);
  for (GList *stub = stubs; stub != NULL; stub = stub->next)
    {
      g_ptr_array_add (names, g_strdup (stub->data));
      g_ptr_array_add (self->texts, g_strdup (g_hash_table_lookup (self->stubs, stub->data)));
    }
}

/* @options: (nullable) (array zero-terminated=1): options for NVRTC from the user, besides those of
 *   the kernel file
 *
 * A kernel's text in a result file must be self-contained: it carries the files that the kernel
 * includes from its own folders, or the source files of PTX, in groups `[Include NAME]` below the
 * code. Blocks on the files.
 * Returns: (transfer full): the kernel's text with its included files; without them if there are
 *   none, if they can't be read, or if they exceed %CURED_DATA_MAX_BYTES */
char *
cured_sources_carry (const CuredKernel *kernel, const char *const *options)
{
  g_auto (Collector) collector = { 0 };
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) standard = NULL;
  char *carried = NULL;

  if (kernel->sources != NULL || kernel->path == NULL)
    return g_strdup (kernel->source);
  collector_init (&collector, kernel);
  if (kernel->is_ptx)
    {
      if (collect_of_ptx (&collector, options, names, NULL) && names->len > 0)
        carried = _cured_data_carry (kernel->source, kernel->carried, names, collector.texts);
      return carried != NULL ? carried : g_strdup (kernel->source);
    }
  collector.is_portable = TRUE;
  g_autofree char *text = collect (&collector, options, names, NULL);
  if (text != NULL)
    {
      GHashTableIter iter;
      gpointer name;

      /* Stubs of the C library's headers exist everywhere. */
      g_hash_table_iter_init (&iter, collector.stubs);
      while (g_hash_table_iter_next (&iter, &name, NULL))
        if (!g_str_has_prefix (name, OPTIONAL))
          g_hash_table_iter_remove (&iter);
      add_stubs (&collector, text, names);
      if (names->len > 0)
        carried = _cured_data_carry (text, kernel->carried, names, collector.texts);
    }
  return carried != NULL ? carried : g_strdup (kernel->source);
}

/* @options: (nullable) (array zero-terminated=1): options for NVRTC from the user, besides those of
 *   the kernel file
 * @error: %CURED_ERROR_INVALID for a file that must not be included, with file and line; or of
 *   reading one
 *
 * Reads the files that the kernel includes: files that its text carries come first; others are
 * read from the folder of its path, and from those that `Include=` and `-I` name. A kernel
 * from a result file has no such folders. PTX includes nothing; its source files are read if
 * they are in those folders. The toolkit's headers are left to the compiler. Blocks on the
 * files.
 * Returns: (transfer full): %NULL with an error */
CuredSources *
cured_sources_new (const CuredKernel *kernel, const char *const *options, GError **error)
{
  g_auto (Collector) collector = { 0 };
  CuredSources *known = kernel->sources;
  g_autofree char *text = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (known != NULL)
    return cured_sources_ref (known);
  collector_init (&collector, kernel);
  if (kernel->is_ptx)
    {
      if (!collect_of_ptx (&collector, options, names, error))
        return NULL;
      text = g_strdup (kernel->source);
    }
  else
    {
      text = collect (&collector, options, names, error);
      if (text == NULL)
        return NULL;
      if (!is_all_device (kernel->options) && !is_all_device (options))
        cut_host_code (&collector, &text);
    }
  add_stubs (&collector, text, names);
  g_ptr_array_add (names, NULL);
  g_ptr_array_add (collector.texts, NULL);
  return _cured_sources_new_take (g_steal_pointer (&text),
                                  (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE),
                                  g_strdupv ((char **) collector.texts->pdata));
}
