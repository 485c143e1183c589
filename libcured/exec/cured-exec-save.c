/* SPDX-License-Identifier: MIT
 * Saves a launch as a kernel file: its PTX, the header beside it, and the contents of its
 * buffers. */
#include "config.h"

#include <glib/gstdio.h>
#if CURED_HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/cured-base-internal.h"
#include "exec/cured-exec-image-private.h"
#include "exec/cured-exec-nested-private.h"
#include "exec/cured-exec-private.h"
#include "kernel/cured-kernel-internal.h"

/* A file of more bytes is compressed. */
#define MAX_PLAIN_BYTES ((gsize) 2 << 20)

/* POISON of kernel files: the contents of unwritten outputs. */
#define POISON 0xaa

/* The limit of a saved run, unless another one is given. */
#define MAX_SAVED_BYTES ((guint64) 4 << 30)

/* A list of the files that a run wrote, one per line, which the next run replaces. */
#define LIST ".cured-launches"

/* The input of a reference that copies; no buffer of the program gets this name. */
#define EXPECTED "in"

typedef struct
{
  const char *name;
  guint64 address;
  gsize size;
  guint8 *before; /* (nullable): zeros, or unwritten */
  gboolean is_undefined;
} Buffer;

CURED_FREE_FUNC (Buffer, buffer_free, before, g_free)

typedef CuredExecSave Save;

/* A record of a launch until the program's end, to compare with the kernel's other launches. */
struct _CuredExecSaved
{
  char *symbol;
  ExecLaunch launch;
  GArray *numbers;      /* gint64: each argument's value, or -1 */
  GPtrArray *arguments; /* (element-type utf8): as in the kernel file */
  char *path;           /* (nullable): of its kernel file; NULL: it was not saved */
  char *head;           /* [Kernel] without a title, buffers */
  char *output;         /* (nullable): the changed buffer */
  char *length_name, *block_name;
};

struct _CuredExecSave
{
  CuredExecSaving saving;
  char *stem;      /* of the files */
  GPtrArray *held; /* (element-type Buffer) */
  GString *buffers, *arguments, *check;
  CuredExecSaved *kept;
  GHashTable *names; /* address of an allocation → its name here */
  GHashTable *taken; /* names */
  GPtrArray *files;  /* (element-type utf8): that were written */
  gsize n_bytes;
  char *why; /* (nullable): why it can't be saved */
};

static void
refuse (Save *self, char *why)
{
  if (self->why == NULL)
    self->why = why;
  else
    g_free (why);
}

/* A unique name of letters, digits and _. */
static char *
make_name (GHashTable *taken, const char *text, const char *rest)
{
  g_autofree char *plain = g_strdup (text);
  char *name = NULL;

  g_strcanon (plain, G_CSET_A_2_Z G_CSET_a_2_z "0123456789_", '_');
  if (g_ascii_isdigit (plain[0]) || g_str_equal (plain, "X") || g_str_equal (plain, "Y"))
    name = g_strconcat ("b_", plain, NULL);
  else
    name = g_strdup (plain);
  for (guint i = 2; g_hash_table_contains (taken, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s%s%u", plain, rest, i);
    }
  g_hash_table_add (taken, g_strdup (name));
  return name;
}

/* Whether all bytes are the same. */
static gboolean
is_constant (const guint8 *bytes, gsize size)
{
  return size == 0 || memcmp (bytes, bytes + 1, size - 1) == 0;
}

static gboolean
holds_addresses (Save *self, const guint8 *bytes, gsize size)
{
  for (gsize i = 0; i + 8 <= size; i += 8)
    {
      guint64 word = 0;

      memcpy (&word, bytes + i, sizeof word);
      if (word >> 40 == CURED_MEMORY_FIRST >> 40 &&
          cured_memory_map (self->saving.memory, word, 1) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* ---- Files ---- */

/* Writes a file to the folder, within the run's limit. */
static gboolean
write_file (CuredExec *exec, const char *name, const void *bytes, gsize size)
{
  const CuredExecOptions *options = exec->options;
  guint64 limit = options->save_bytes > 0 ? options->save_bytes : MAX_SAVED_BYTES;
  g_autofree char *path = g_build_filename (options->save, name, NULL);
  g_autofree char *list = g_build_filename (options->save, LIST, NULL);

  g_mutex_lock (&exec->mutex);
  gboolean is_full = size > limit - MIN (exec->saved_bytes, limit);
  if (!is_full)
    exec->saved_bytes += size;
  g_mutex_unlock (&exec->mutex);
  if (is_full)
    {
      _cured_exec_note (exec,
                        _ ("Not all launches were saved: files of one run have at most %" PRIu64
                           " MiB together; --save-limit and --kernel choose otherwise"),
                        limit >> 20);
      return FALSE;
    }
  /* Update the list first, so that no file is missing in it. */
  FILE *file = g_fopen (list, "ae");
  if (file == NULL)
    return FALSE;
  fprintf (file, "%s\n", name);
  return fclose (file) == 0 && g_file_set_contents (path, bytes, (gssize) size, NULL);
}

/* @exec: a program that begins
 *
 * Removes only the files that an earlier run saved to the folder. */
void
_cured_exec_save_replace (CuredExec *exec)
{
  const char *folder = exec->options->save;
  g_autofree char *list = NULL, *text = NULL;
  g_auto (GStrv) names = NULL;

  g_mutex_lock (&exec->mutex);
  if (folder != NULL && !exec->is_replaced)
    {
      list = g_build_filename (folder, LIST, NULL);
      if (g_file_get_contents (list, &text, NULL, NULL))
        names = g_strsplit (text, "\n", -1);
      for (guint i = 0; names != NULL && names[i] != NULL; i++)
        {
          g_autofree char *path = g_build_filename (folder, names[i], NULL);

          if (names[i][0] != '\0' && strchr (names[i], '/') == NULL)
            g_unlink (path);
        }
      g_unlink (list);
    }
  exec->is_replaced = TRUE;
  g_mutex_unlock (&exec->mutex);
}

/* Writes bytes beside the kernel file. (transfer full) (nullable): the name of that file, *.bin or
 * *.bin.zst; NULL if they are too many, or can't be written */
static char *
write_bytes (Save *self, const char *name, const guint8 *bytes, gsize size)
{
  g_autofree char *file = g_strdup_printf ("%s.%s.bin", self->stem, name), *path = NULL;
  g_autofree void *packed = NULL;

  if (size > CURED_MAX_INPUT_BYTES - self->n_bytes)
    return NULL;
  self->n_bytes += size;
#if CURED_HAVE_ZSTD
  if (size > MAX_PLAIN_BYTES && (packed = g_try_malloc (ZSTD_compressBound (size))) != NULL)
    {
      gsize n = ZSTD_compress (packed, ZSTD_compressBound (size), bytes, size, 1);

      if (!ZSTD_isError (n) && n < size)
        {
          char *plain = g_steal_pointer (&file);

          file = g_strconcat (plain, ".zst", NULL);
          g_free (plain);
          bytes = packed;
          size = n;
        }
    }
#endif
  path = g_build_filename (self->saving.folder, file, NULL);
  if (!write_file (self->saving.exec, file, bytes, size))
    return NULL;
  g_ptr_array_add (self->files, g_steal_pointer (&path));
  return g_steal_pointer (&file);
}

/* Fill= and what goes with it. Returns FALSE if all bytes are 0. */
static gboolean
add_fill (Save *self, const char *name, const guint8 *bytes, gsize size)
{
  g_autofree char *file = NULL;

  if (is_constant (bytes, size) && bytes[0] == 0)
    {
      g_string_append (self->buffers, "Fill=constant\nLow=0\n");
      return FALSE;
    }
  if (holds_addresses (self, bytes, size))
    refuse (self, g_strdup_printf (_ ("“%s” holds addresses"), name));
  else if ((file = write_bytes (self, name, bytes, size)) == NULL)
    refuse (self, g_strdup_printf (_ ("what its buffers hold is more than %d MiB, or can't be "
                                      "written"),
                                   CURED_MAX_INPUT_BYTES >> 20));
  g_string_append_printf (self->buffers, "Fill=file\nFile=%s\n", file != NULL ? file : "");
  return TRUE;
}

/* Adds a buffer that an argument points into. (transfer none): its name */
static const char *
add_buffer (Save *self, CuredExecBuffer *buffer)
{
  char *name = g_hash_table_lookup (self->names, &buffer->address);
  gsize element = buffer->size % 4 == 0 ? 4 : 1;

  if (name != NULL)
    return name;
  g_autofree char *full = _cured_exec_get_buffer_name (self->saving.exec, buffer);
  name = make_name (self->taken, full, "_");
  g_hash_table_insert (self->names, &buffer->address, name);
  const guint8 *bytes = cured_memory_map (self->saving.memory, buffer->address, buffer->size);
  Buffer *held =
      CURED_NEW (Buffer, .name = name, .address = buffer->address, .size = buffer->size,
                 .is_undefined = cured_memory_is_undefined (self->saving.memory, buffer->address));
  g_ptr_array_add (self->held, held);
  g_string_append_printf (self->buffers, "\n[Buffer %s]\nType=%s\nLength=%" PRIu64 "\n", name,
                          element == 4 ? "u32" : "u8", buffer->size / element);
  if (held->is_undefined)
    g_string_append (self->buffers, "Fill=poison\n");
  else if (add_fill (self, name, bytes, buffer->size) && self->why == NULL)
    held->before = g_memdup2 (bytes, buffer->size);
  return name;
}

/* "x", "x+4"; FALSE if it points to no buffer. */
static gboolean
add_pointer (Save *self, guint64 address)
{
  CuredExecBuffer *buffer = _cured_exec_find_buffer (self->saving.buffers, address);

  if (buffer == NULL)
    return FALSE;
  const char *name = add_buffer (self, buffer);
  guint64 offset = address - buffer->address;
  gsize element = buffer->size % 4 == 0 ? 4 : 1;
  if (offset % element != 0)
    refuse (self, g_strdup_printf (_ ("an argument points between elements of “%s”"), name));
  g_string_append (self->arguments, name);
  if (offset > 0)
    g_string_append_printf (self->arguments, "+%" PRIu64, offset / element);
  return TRUE;
}

static void
add_real (Save *self, double value, const char *format, const char *type)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    refuse (self, g_strdup (_ ("an argument is not a finite number")));
  g_ascii_formatd (text, sizeof text, format, value);
  g_string_append_printf (self->arguments, "%s:%s", text, type);
}

/* A parameter of any size: words of four bytes, pointers, and single bytes at the end. */
static void
add_struct (Save *self, const guint8 *bytes, gsize size)
{
  g_autoptr (GString) fields = g_string_new (NULL);
  gsize i = 0;

  g_string_append_c (self->arguments, '(');
  while (i < size)
    {
      guint64 word = 0;
      gsize width = size - i >= 4 ? 4 : 1;
      const char *type = width == 4 ? "u32" : "u8";

      if (i > 0)
        g_string_append_c (self->arguments, ',');
      if (i % 8 == 0 && size - i >= 8)
        memcpy (&word, bytes + i, 8);
      if (word != 0 && add_pointer (self, word))
        {
          type = "ptr";
          width = 8;
        }
      else
        {
          word = 0;
          memcpy (&word, bytes + i, width);
          g_string_append_printf (self->arguments, "%" PRIu64, word);
        }
      g_string_append_printf (fields, "%s%s f%zu", i > 0 ? ", " : "", type, i);
      i += width;
    }
  g_string_append_printf (self->arguments, "):struct:(%s)", fields->str);
}

static void
add_argument (Save *self, const CuredPtxParameter *parameter)
{
  const guint8 *bytes = self->saving.parameters + parameter->offset;
  guint64 word = 0;
  float single = 0;
  double real = 0;

  if (parameter->size > 8 || (parameter->size & (parameter->size - 1)) != 0 ||
      parameter->offset % parameter->size != 0)
    {
      add_struct (self, bytes, parameter->size);
      return;
    }
  memcpy (&word, bytes, parameter->size);
  memcpy (&single, bytes, MIN (parameter->size, sizeof single));
  memcpy (&real, bytes, parameter->size);
  /* Sign extension. */
  gint64 number = (gint64) (word << (64 - 8 * parameter->size)) >> (64 - 8 * parameter->size);
  if (parameter->is_float && parameter->size == 4)
    add_real (self, single, "%.9g", "f32");
  else if (parameter->is_float && parameter->size == 8)
    add_real (self, real, "%.17g", "f64");
  else if (parameter->size != 8 || !add_pointer (self, word))
    g_string_append_printf (self->arguments, "%" PRId64 ":i%zu", number, 8 * parameter->size);
}

/* Adds the module's variables that kernels use, and that changed after loading. */
static void
add_variables (Save *self)
{
  const char *name = NULL;
  guint64 address = 0;
  gsize size = 0;

  for (guint i = 0; cured_ptx_module_get_variable (self->saving.ptx, i, &name, &address, &size);
       i++)
    {
      const guint8 *bytes = cured_memory_map (self->saving.memory, address, size);
      gsize element = size % 4 == 0 ? 4 : 1;

      g_hash_table_add (self->taken, g_strdup (name));
      if (size == 0 || bytes == NULL || (is_constant (bytes, size) && bytes[0] == 0) ||
          g_str_has_prefix (name, "$") || g_str_has_prefix (name, CURED_EXEC_QUEUE) ||
          strstr (name, "cub") != NULL)
        continue;
      g_string_append_printf (self->buffers, "\n[Constant %s]\nType=%s\nLength=%zu\n", name,
                              element == 4 ? "u32" : "u8", size / element);
      add_fill (self, name, bytes, size);
    }
}

static void
append_sizes (GString *text, const char *key, const guint *sizes)
{
  g_string_append_printf (text, "%s=%u,%u,%u\n", key, sizes[0], sizes[1], sizes[2]);
}

/* Adds the contents, after the launch, of the first buffer that it changed, as the expected
 * output. */
static void
add_expected (Save *self)
{
  CURED_EACH_POINTER (const Buffer, held, self->held)
    {
      const guint8 *bytes = cured_memory_map (self->saving.memory, held->address, held->size);
      g_autofree guint8 *after = NULL;
      g_autofree char *name = g_strconcat (held->name, ".after", NULL), *file = NULL;
      gsize element = held->size % 4 == 0 ? 4 : 1;

      if (held->before != NULL ? memcmp (held->before, bytes, held->size) == 0
          : held->is_undefined ? cured_memory_is_undefined (self->saving.memory, held->address)
                               : is_constant (bytes, held->size) && bytes[0] == 0)
        continue;
      after = g_memdup2 (bytes, held->size);
      for (gsize k = 0; k < held->size && held->is_undefined; k++)
        if (!cured_memory_is_defined (self->saving.memory, held->address + k, 1))
          after[k] = POISON;
      if (holds_addresses (self, after, held->size) ||
          (file = write_bytes (self, name, after, held->size)) == NULL)
        return;
      self->kept->output = g_strdup (held->name);
      g_string_append_printf (self->buffers,
                              "\n# What %s held after the launch.\n[Buffer " EXPECTED
                              "]\nType=%s\nLength=%zu\nFill=file\nFile=%s\n",
                              held->name, element == 4 ? "u32" : "u8", held->size / element, file);
      g_string_append_printf (self->check, "\n[Check]\nOutput=%s\nReference=copy\n", held->name);
      return;
    }
}

static void
write_files (Save *self)
{
  const CuredExecSaving *saving = &self->saving;
  const ExecLaunch *launch = saving->launch;
  g_autofree char *source = g_strdup_printf ("%s.ptx", self->stem);
  g_autofree char *header = g_strdup_printf ("%s.kernel", self->stem);
  g_autofree char *header_path = g_build_filename (saving->folder, header, NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "[Kernel]\nTitle=%s, as it was launched\nSource=%s\n%s",
                          saving->name, source, self->buffers->str);
  g_string_append_printf (text, "\n[Launch]\nEntry=%s\n", saving->symbol);
  append_sizes (text, "Grid", launch->grid);
  append_sizes (text, "Block", launch->block);
  if (launch->cluster[0] > 0)
    append_sizes (text, "Cluster", launch->cluster);
  if (launch->is_cooperative != 0)
    g_string_append (text, "Cooperative=true\n");
  if (launch->shared_bytes > 0)
    g_string_append_printf (text, "Shared=%" PRIu64 "\n", launch->shared_bytes);
  if (self->arguments->len > 0)
    g_string_append_printf (text, "Arguments=%s\n", self->arguments->str);
  g_string_append (text, self->check->str);
  if (!write_file (saving->exec, source, saving->text, strlen (saving->text)) ||
      !write_file (saving->exec, header, text->str, text->len))
    {
      refuse (self, g_strdup_printf (_ ("%s can't be written"), header_path));
      return;
    }
  self->kept->path = g_strdup (header_path);
  g_mutex_lock (&saving->exec->mutex);
  CuredExecKernel *row = g_hash_table_lookup (saving->exec->kernels, saving->name);
  if (row != NULL && row->path == NULL)
    row->path = g_strdup (header_path);
  g_ptr_array_add (saving->exec->report->saved, g_steal_pointer (&header_path));
  g_mutex_unlock (&saving->exec->mutex);
}

/* Whether a kernel's own text uses the variable that replaces reserved memory. */
static gboolean
needs_reserved (const CuredExecSaving *saving)
{
  g_autofree char *entry = g_strdup_printf (".entry %s(", saving->symbol);
  const char *begin = strstr (saving->text, entry);
  const char *end = begin != NULL ? strstr (begin, "\n}") : NULL;

  return end != NULL && g_strstr_len (begin, end - begin, CURED_EXEC_RESERVED) != NULL;
}

/* The value of an argument that may be a length; else -1. */
static void
keep_number (Save *self, const CuredPtxParameter *parameter)
{
  gint64 number = -1;
  gint32 narrow = 0;
  const guint8 *bytes = self->saving.parameters + parameter->offset;

  if (!parameter->is_float && parameter->size == 8)
    memcpy (&number, bytes, sizeof number);
  if (!parameter->is_float && parameter->size == 4)
    {
      memcpy (&narrow, bytes, sizeof narrow);
      number = narrow;
    }
  g_array_append_val (self->kept->numbers, number);
}

/* @saving: a launch that has not run yet
 *
 * Records a launch's arguments, and the contents of its buffers. Blocks.
 * Returns: (transfer full): for _cured_exec_save_end() */
CuredExecSave *
_cured_exec_save_begin (const CuredExecSaving *saving)
{
  Save *self = g_new0 (Save, 1);
  g_autofree char *short_name = g_strndup (saving->name, strcspn (saving->name, "<("));
  const char *last = g_strrstr (short_name, "::");
  CuredPtxParameter parameter;

  self->saving = *saving;
  self->held = g_ptr_array_new_with_free_func ((GDestroyNotify) buffer_free);
  self->buffers = g_string_new (NULL);
  self->arguments = g_string_new (NULL);
  self->check = g_string_new (NULL);
  self->kept = g_new0 (CuredExecSaved, 1);
  self->kept->symbol = g_strdup (saving->symbol);
  self->kept->launch = *saving->launch;
  self->kept->numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->kept->arguments = g_ptr_array_new_with_free_func (g_free);
  self->names = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  self->taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->files = g_ptr_array_new_with_free_func (g_free);
  g_hash_table_add (self->taken, g_strdup (EXPECTED));
  if (needs_reserved (saving))
    refuse (self, g_strdup (_ ("it needs shared memory that a chip reserves")));
  if (g_mkdir_with_parents (saving->folder, 0777) != 0)
    refuse (self, g_strdup_printf (_ ("%s can't be made"), saving->folder));
  g_mutex_lock (&saving->exec->mutex);
  self->stem = make_name (saving->exec->stems, last != NULL ? last + 2 : short_name, "-");
  g_mutex_unlock (&saving->exec->mutex);
  for (guint i = 0; cured_ptx_module_get_parameter (saving->ptx, saving->symbol, i, &parameter);
       i++)
    {
      keep_number (self, &parameter);
      if (self->why != NULL)
        continue;
      if (i > 0)
        g_string_append_c (self->arguments, ',');
      gsize begin = self->arguments->len;
      add_argument (self, &parameter);
      g_ptr_array_add (self->kept->arguments, g_strdup (self->arguments->str + begin));
    }
  if (self->why == NULL)
    add_variables (self);
  return self;
}

/* @self: (transfer full): a launch
 * @is_done: it succeeded
 *
 * Writes a launch as a kernel file, with the expected output if it succeeded. On failure, adds a
 * note with the reason. Blocks. */
void
_cured_exec_save_end (CuredExecSave *self, gboolean is_done)
{
  self->kept->head = g_strdup_printf ("Source=%s.ptx\n%s", self->stem, self->buffers->str);
  if (self->why == NULL && is_done)
    add_expected (self);
  if (self->why == NULL)
    write_files (self);
  if (self->why != NULL)
    {
      _cured_exec_note (self->saving.exec, _ ("A launch of %s was not saved: %s"),
                        self->saving.name, self->why);
      for (guint i = 0; i < self->files->len; i++)
        g_unlink (g_ptr_array_index (self->files, i));
    }
  self->kept->length_name = make_name (self->taken, "n", "_");
  self->kept->block_name = make_name (self->taken, "block", "_");
  g_mutex_lock (&self->saving.exec->mutex);
  g_ptr_array_add (self->saving.exec->launches, self->kept);
  g_mutex_unlock (&self->saving.exec->mutex);
  g_free (self->stem);
  g_free (self->why);
  g_string_free (self->buffers, TRUE);
  g_string_free (self->arguments, TRUE);
  g_string_free (self->check, TRUE);
  CURED_CLEAR (names, g_hash_table_unref, taken, g_hash_table_unref, files, g_ptr_array_unref, held,
               g_ptr_array_unref);
  g_free (self);
}

/* ---- Deriving sweeps from several launches ---- */

CURED_DEFINE_FREE (CuredExecSaved, _cured_exec_saved_free, symbol, g_free, numbers, g_array_unref,
                   arguments, g_ptr_array_unref, path, g_free, head, g_free, output, g_free,
                   length_name, g_free, block_name, g_free)

static gint64
get_number (const CuredExecSaved *self, guint argument)
{
  return g_array_index (self->numbers, gint64, argument);
}

/* Whether the grid is ceil(n/block) of an argument, and nothing else depends on the block. */
static gboolean
follows (const CuredExecSaved *self, guint argument)
{
  gint64 n = get_number (self, argument);
  const ExecLaunch *launch = &self->launch;

  return n > 0 && n <= G_MAXINT32 && launch->grid[1] == 1 && launch->grid[2] == 1 &&
         launch->block[1] == 1 && launch->block[2] == 1 && launch->cluster[0] == 0 &&
         launch->is_cooperative == 0 && launch->shared_bytes == 0 && launch->block[0] > 0 &&
         (n + launch->block[0] - 1) / launch->block[0] == launch->grid[0];
}

/* The only argument that determines the grid in all launches of a kernel, at least two of which
 * have several blocks; -1 if there is none, or more than one. */
static int
find_length (const CuredExec *exec, const char *symbol, guint *n_launches)
{
  guint n_arguments = G_MAXUINT, n_wide = 0;
  int found = -1;

  *n_launches = 0;
  CURED_EACH_POINTER (const CuredExecSaved, saved, exec->launches)
    {
      if (!g_str_equal (saved->symbol, symbol))
        continue;
      ++*n_launches;
      n_wide += saved->launch.grid[0] > 1;
      n_arguments = MIN (n_arguments, saved->numbers->len);
    }
  for (guint k = 0; n_wide >= 2 && k < n_arguments; k++)
    {
      gboolean is_length = TRUE;

      for (guint i = 0; i < exec->launches->len && is_length; i++)
        {
          const CuredExecSaved *saved = exec->launches->pdata[i];

          is_length = !g_str_equal (saved->symbol, symbol) || follows (saved, k);
        }
      if (is_length && found >= 0)
        return -1;
      if (is_length)
        found = (int) k;
    }
  return found;
}

static char *
make_launch (const CuredExecSaved *self, guint length, const char *block, const char *reference)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "\n[Launch]\nEntry=%s\nGrid=ceil(%s/%s)\nBlock=%s\nArguments=",
                          self->symbol, self->length_name, block, block);
  for (guint i = 0; i < self->arguments->len; i++)
    {
      const char *argument = self->arguments->pdata[i];

      g_string_append (text, i > 0 ? "," : "");
      if (i == length)
        g_string_append_printf (text, "%s%s", self->length_name, strrchr (argument, ':'));
      else
        g_string_append (text, argument);
    }
  g_string_append_printf (text, "\n\n[Check]\nOutput=%s\nReference=%s\n", self->output, reference);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Changes a launch's kernel file into one that sweeps its block and its length; the original launch
 * gets another name. The recorded output is valid only for one length, so the expected output of a
 * cell comes from the launch with its own block, in a third file. */
static void
write_sweep (CuredExec *exec, const CuredExecSaved *self, guint length, guint n_launches)
{
  gint64 n = get_number (self, length);
  g_autofree char *block = g_strdup_printf ("%u", self->launch.block[0]);
  g_autofree char *stem = g_strndup (self->path, strlen (self->path) - strlen (".kernel"));
  g_autofree char *name = g_path_get_basename (stem);
  g_autofree char *recorded = g_strconcat (stem, ".launch.kernel", NULL);
  g_autofree char *recorded_name = g_strconcat (name, ".launch.kernel", NULL);
  g_autofree char *own = g_strconcat (stem, ".block.kernel", NULL);
  g_autofree char *swept_name = g_strconcat (name, ".kernel", NULL);
  g_autofree char *own_name = g_strconcat (name, ".block.kernel", NULL);
  g_autofree char *parameter = g_strdup_printf (
      "\n# Derived from %u launches, in each of which the grid was ceil(%s/%s).\n[Parameter %s]\n"
      "Kind=problem\nValues=%" PRId64 "..%" PRId64 "\nDefault=%" PRId64 "\n",
      n_launches, self->length_name, self->block_name, self->length_name, n / 8, n, n);
  g_autofree char *own_launch = make_launch (self, length, block, swept_name);
  g_autofree char *launch = make_launch (self, length, self->block_name, own_name);
  g_autofree char *own_text = g_strdup_printf ("[Kernel]\nTitle=%s, in blocks of %s\n%s%s%s", name,
                                               block, self->head, parameter, own_launch);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text,
                          "[Kernel]\nTitle=%s, derived from %u launches\n%s%s\n[Parameter %s]\n"
                          "Kind=launch\nValues=1..1024\nDefault=%s\n%s\n[Sweep]\n"
                          "%s=64,128,256,512,1024\n%s=",
                          name, n_launches, self->head, parameter, self->block_name, block, launch,
                          self->block_name, self->length_name);
  for (gint64 part = 8; part >= 1; part /= 2)
    g_string_append_printf (text, "%" PRId64 "%s", n / part, part > 1 ? "," : "\n");
  g_string_append_printf (text, "X=%s\nY=%s\n", self->block_name, self->length_name);
  /* Write a placeholder first, so that the name is in the list. */
  if (!write_file (exec, recorded_name, "", 0) || g_rename (self->path, recorded) != 0)
    return;
  if (write_file (exec, own_name, own_text, strlen (own_text)) &&
      write_file (exec, swept_name, text->str, text->len))
    {
      g_ptr_array_add (exec->report->saved, g_steal_pointer (&recorded));
      return;
    }
  g_unlink (own);
  g_rename (recorded, self->path);
}

/* @exec: a program that has ended
 *
 * If one argument and the block determine the grid in all launches of a kernel, changes the kernel
 * file of the longest saved launch into one that sweeps both. Blocks. */
void
_cured_exec_save_sweeps (CuredExec *exec)
{
  g_autoptr (GHashTable) done = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < exec->launches->len; i++)
    {
      const CuredExecSaved *first = exec->launches->pdata[i], *best = NULL;
      guint n_launches = 0;
      int length = -1;

      if (!g_hash_table_add (done, first->symbol))
        continue;
      length = find_length (exec, first->symbol, &n_launches);
      for (guint k = i; length >= 0 && k < exec->launches->len; k++)
        {
          const CuredExecSaved *saved = exec->launches->pdata[k];

          if (g_str_equal (saved->symbol, first->symbol) && saved->path != NULL &&
              saved->output != NULL && get_number (saved, (guint) length) >= 8 &&
              (best == NULL ||
               get_number (saved, (guint) length) > get_number (best, (guint) length)))
            best = saved;
        }
      if (best != NULL)
        write_sweep (exec, best, (guint) length, n_launches);
    }
}
