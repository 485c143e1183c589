/* SPDX-License-Identifier: MIT
 * Source places of a program's calls, and names of buffers in its source. */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/cured-base-internal.h"
#include "exec/cured-exec-private.h"

/* Longer names of kernels are shortened. */
#define MAX_NAME 48

/* ---- Kernels ---- */

/* In a long name, replaces the text in <> by one character, and if needed removes namespaces. */
static void
shorten (char *name)
{
  int depth = 0;
  char *to = name;

  if (strlen (name) <= MAX_NAME)
    return;
  for (const char *at = name; *at != '\0'; at++)
    {
      depth -= *at == '>' && depth > 0;
      if (depth == 0)
        *to++ = *at;
      else if (depth == 1 && to[-1] == '<')
        *to++ = '*';
      depth += *at == '<';
    }
  *to = '\0';
  const char *last = g_strrstr (name, "::");
  if (strlen (name) > MAX_NAME && last != NULL)
    memmove (name, last + 2, strlen (last + 2) + 1);
}

/* @symbol: of a kernel
 * Returns: (transfer full): its name in the source, with template arguments and without parameters;
 *   @symbol if this machine has no C++ library */
char *
_cured_exec_demangle_whole (const char *symbol)
{
  static char *(*demangle) (const char *, char *, size_t *, int *);
  static gsize is_looked_up;
  char *full = NULL, *name = NULL;
  gsize end = 0;
  int depth = 0;

  if (g_once_init_enter (&is_looked_up))
    {
      void *library = dlopen ("libstdc++.so.6", RTLD_LAZY);

      if (library != NULL)
        *(void **) &demangle = dlsym (library, "__cxa_demangle");
      g_once_init_leave (&is_looked_up, 1);
    }
  /* Without the prefix, a name such as f would be demangled as a type. */
  if (demangle != NULL && g_str_has_prefix (symbol, "_Z"))
    full = demangle (symbol, NULL, NULL, NULL);
  if (full == NULL)
    return g_strdup (symbol);
  /* The last pair of parentheses outside of <> is the parameters. */
  for (end = strlen (full); end > 0; end--)
    {
      depth += (full[end - 1] == ')') - (full[end - 1] == '(');
      if (depth == 0 && full[end - 1] == '(')
        {
          end--;
          break;
        }
    }
  name = g_strndup (full, end > 0 ? end : strlen (full));
  free (full);
  /* "void sum<float>": for templates, the result comes first. */
  if (g_str_has_prefix (name, "void "))
    memmove (name, name + 5, strlen (name + 5) + 1);
  return name;
}

/* (transfer full): likewise, and not too long for a table. */
char *
_cured_exec_demangle (const char *symbol)
{
  char *name = _cured_exec_demangle_whole (symbol);

  shorten (name);
  return name;
}

/* ---- Places ---- */

/* Whether a frame is of CUDA's headers, of the C++ library, or of nvcc's wrapper of a launch, and
 * not of the program. */
static gboolean
is_foreign (const char *function, const char *file)
{
  return g_str_has_prefix (function, "cuda") || strstr (function, "__device_stub__") != NULL ||
         strstr (function, "thrust::") != NULL || strstr (function, "cub::") != NULL ||
         strstr (function, "std::") != NULL ||
         (file != NULL &&
          (g_str_has_suffix (file, ".stub.c") || strstr (file, "/include/") != NULL ||
           strstr (file, "/thrust/") != NULL || strstr (file, "/cub/") != NULL));
}

/* @self: a program that runs
 * @frames: as sent by the client
 *
 * Any thread.
 * Returns: (transfer none): the site of these frames */
CuredExecSite *
_cured_exec_get_site (CuredExec *self, const char *frames)
{
  g_mutex_lock (&self->mutex);
  CuredExecSite *site = g_hash_table_lookup (self->sites, frames);
  if (site == NULL)
    {
      site = g_new0 (CuredExecSite, 1);
      site->frames = g_strdup (frames);
      g_hash_table_insert (self->sites, site->frames, site);
    }
  g_mutex_unlock (&self->mutex);
  return site;
}

/* Takes addr2line's output for a frame; FALSE if it is not in the program's source. */
static gboolean
take_frame (CuredExecSite *self, const char *offset, char *function, char *place)
{
  char *colon = strrchr (place, ':');

  if (colon != NULL)
    *colon++ = '\0';
  if (is_foreign (function, place[0] == '?' ? NULL : place))
    {
      self->is_launch |= strstr (function, "__device_stub__") != NULL;
      return FALSE;
    }
  /* Its stub is called by a function that has the kernel's name. */
  if (self->is_launch)
    {
      self->is_launch = FALSE;
      return FALSE;
    }
  function[strcspn (function, "(")] = '\0';
  self->offset = g_ascii_strtoull (offset, NULL, 16);
  self->function = function[0] != '?' ? g_strdup (function) : NULL;
  if (place[0] != '?' && colon != NULL)
    {
      self->file = g_strdup (place);
      self->line = atoi (colon);
    }
  return TRUE;
}

/* Resolves the frames of one file, from the @i-th on. Returns TRUE if one is the program's. */
static gboolean
resolve_file (CuredExecSite *self, char **frames, guint *i)
{
  gsize length = (gsize) (strrchr (frames[*i], '+') - frames[*i]);
  g_autofree char *path = g_strndup (frames[*i], length);
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_autofree char *output = NULL;
  guint first = *i, frame = 0;

  g_ptr_array_add (command, (gpointer) "addr2line");
  g_ptr_array_add (command, (gpointer) "-aiCfe");
  g_ptr_array_add (command, path);
  for (; frames[*i] != NULL && strncmp (frames[*i], path, length) == 0 && frames[*i][length] == '+';
       (*i)++)
    g_ptr_array_add (command, frames[*i] + length + 1);
  g_ptr_array_add (command, NULL);
  if (strstr (path, "/libc.so") != NULL ||
      !g_spawn_sync (NULL, (char **) command->pdata, NULL,
                     G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL,
                     NULL, NULL))
    return FALSE;
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);
  /* For each frame a line with its address, and two for each function that is inlined there. */
  for (guint k = 0; lines[k] != NULL && lines[k + 1] != NULL; k++)
    if (g_str_has_prefix (lines[k], "0x"))
      frame++;
    else if (frame > 0 && first + frame - 1 < *i &&
             take_frame (self, frames[first + frame - 1] + length + 1, lines[k], lines[k + 1]))
      return TRUE;
    else
      k++;
  return FALSE;
}

/* @self: a place with frames
 *
 * Finds the source line of the first frame in the program's source, by addr2line if that is
 * installed. Blocks. */
void
_cured_exec_site_resolve (CuredExecSite *self)
{
  g_auto (GStrv) frames = NULL;
  guint i = 0;

  if (self->is_resolved)
    return;
  self->is_resolved = TRUE;
  frames = g_strsplit (self->frames, "\n", -1);
  while (frames[i] != NULL && strrchr (frames[i], '+') != NULL && !resolve_file (self, frames, &i))
    ;
}

/* @self: a place
 * Returns: (transfer full) (nullable): "main.cu:31", or "main"; NULL: unknown */
char *
_cured_exec_site_to_string (CuredExecSite *self)
{
  _cured_exec_site_resolve (self);
  if (self->file != NULL && self->line > 0)
    {
      g_autofree char *name = g_path_get_basename (self->file);

      return g_strdup_printf ("%s:%d", name, self->line);
    }
  return g_strdup (self->function);
}

CURED_DEFINE_FREE (CuredExecSite, _cured_exec_site_free, frames, g_free, file, g_free, function,
                   g_free)

/* ---- Buffers ---- */

/* A line of a source file. (transfer full) (nullable) */
static char *
read_line (const char *path, int line)
{
  g_autofree char *text = NULL;

  if (path == NULL || line <= 0 || !g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  const char *at = text;
  while (--line > 0 && at != NULL)
    at = strchr (at, '\n') != NULL ? strchr (at, '\n') + 1 : NULL;
  return at != NULL ? g_strndup (at, strcspn (at, "\n")) : NULL;
}

/* Number of calls on the same line before this one. */
static guint
get_rank (CuredExec *self, const CuredExecSite *site)
{
  GHashTableIter iter;
  gpointer value = NULL;
  guint rank = 0;

  g_hash_table_iter_init (&iter, self->sites);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      CuredExecSite *other = value;

      _cured_exec_site_resolve (other);
      rank += other->offset < site->offset && other->line == site->line &&
              g_strcmp0 (other->file, site->file) == 0;
    }
  return rank;
}

/* @self: a program that has ended
 * @buffer: an allocation of it
 * Returns: (transfer full): the pointer's name in the source line of its allocation, or its
 *   number */
char *
_cured_exec_get_buffer_name (CuredExec *self, CuredExecBuffer *buffer)
{
  g_autoptr (GRegex) regex =
      g_regex_new ("(?:[mM]alloc|Alloc)\\w*\\s*(?:<[^>]*>\\s*)?\\(\\s*(?:\\([^)]*\\)\\s*)?&?\\s*"
                   "(?:\\([^)]*\\)\\s*)?&?\\s*([A-Za-z_][\\w.]*(?:->\\w+)*)",
                   0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *line = NULL;
  guint rank = 0;

  _cured_exec_site_resolve (buffer->site);
  line = read_line (buffer->site->file, buffer->site->line);
  if (line != NULL && g_regex_match (regex, line, 0, &match))
    {
      rank = get_rank (self, buffer->site);
      while (rank > 0 && g_match_info_next (match, NULL))
        rank--;
      if (g_match_info_matches (match))
        return g_match_info_fetch (match, 1);
    }
  return g_strdup_printf (CURED_EXEC_BUFFER_NAME, buffer->number);
}

CURED_DEFINE_FREE (CuredExecHostFinding, _cured_exec_host_finding_free, finding, cured_finding_free)

/* ---- The report ---- */

/* @self: a program that runs
 * @format: of a sentence for the report
 *
 * Any thread. The same sentence is printed only once. */
void
_cured_exec_note (CuredExec *self, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_mutex_lock (&self->mutex);
  if (g_hash_table_contains (self->notes, text))
    g_free (text);
  else
    {
      g_hash_table_add (self->notes, text);
      g_ptr_array_add (self->report->notes, g_strdup (text));
    }
  g_mutex_unlock (&self->mutex);
}

/* (nullable): the buffer of a connection that contains @address. */
CuredExecBuffer *
_cured_exec_find_buffer (GHashTable *buffers, guint64 address)
{
  GHashTableIter iter;
  gpointer value = NULL;

  g_hash_table_iter_init (&iter, buffers);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      CuredExecBuffer *buffer = value;

      if (address - buffer->address < buffer->size)
        return buffer;
    }
  return NULL;
}
