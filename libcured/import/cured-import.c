/* SPDX-License-Identifier: MIT
 * Imports other programs' measurements as result files. */
#include "import/cured-import-internal.h"

#include "base/cured-base-internal.h"
#include "import/cured-import-table-private.h"

#define CURED_IMPORT_ROW(name) &_cured_import_##name,
static const CuredImportFormat *const formats[] = { CURED_IMPORT_FORMATS (CURED_IMPORT_ROW) NULL };

/* Known formats that are refused, by words in them. */
static const struct
{
  const char *words[3], *program, *advice;
} refused[] = {
  { { "\"abort_condition\"", "\"search_technique\"" }, "pyATF", NULL },
  { { "\"tvm_version\"" }, "TVM", NULL },
  { { "\"i\"", "\"r\"", "\"v\"" }, "TVM", NULL },
  { { "\"op_code\"", "\"worker_id\"" }, "Optuna", N_ ("write study.trials_dataframe () as CSV") },
  { { "SQLite format 3", "trial_params" },
    "Optuna",
    N_ ("write study.trials_dataframe () as CSV") },
  { { "SQLite format 3", "CUPTI_ACTIVITY" }, "Nsight Systems", NULL },
};

/* The formats that can be imported. */
const CuredImportFormat *const *
cured_import_formats (void)
{
  return formats;
}

CURED_FREE_FUNC (CuredImportedFile, file_free, path, g_free, title, g_free, device, g_free)

/* @self: (nullable): an import */
CURED_DEFINE_FREE (CuredImport, cured_import_free, files, g_ptr_array_unref, notes,
                   g_ptr_array_unref)

static gboolean
has_keys (const CuredImportFormat *format, const char *head)
{
  for (gsize i = 0; format->keys[i] != NULL; i++)
    {
      g_autofree char *key = g_strdup_printf ("\"%s\"", format->keys[i]);

      if (strstr (head, key) == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_columns (const CuredImportFormat *format, GPtrArray *columns)
{
  for (gsize i = 0; format->keys[i] != NULL; i++)
    if (!g_ptr_array_find_with_equal_func (columns, format->keys[i], g_str_equal, NULL))
      return FALSE;
  return TRUE;
}

/* A table as from any script: a line of names, and one with a number. */
static gboolean
is_table (GPtrArray *columns, GPtrArray *first)
{
  guint n_numbers = 0;

  if (columns->len < 2 || first->len != columns->len)
    return FALSE;
  for (guint i = 0; i < columns->len; i++)
    {
      const char *name = g_ptr_array_index (columns, i);

      if (_cured_import_is_numeric (name) || strlen (name) > 200 ||
          name[strcspn (name, "{};=")] != '\0')
        return FALSE;
      n_numbers += _cured_import_is_numeric (g_ptr_array_index (first, i));
    }
  return n_numbers > 0;
}

static const CuredImportFormat *
recognise_table (const char *head)
{
  g_autoptr (GPtrArray) first = NULL, columns = _cured_import_read_columns (head, &first);

  for (gsize i = 0; formats[i] != NULL; i++)
    if (formats[i]->shape == CURED_IMPORT_CSV &&
        (formats[i]->keys != NULL ? has_columns (formats[i], columns) : is_table (columns, first)))
      return formats[i];
  return NULL;
}

static const CuredImportFormat *
recognise (const char *head)
{
  CuredImportShape shape = CURED_IMPORT_OBJECT;

  if (g_str_has_prefix (head, "\xEF\xBB\xBF"))
    head += 3;
  while (g_ascii_isspace (*head))
    head++;
  if (*head != '{' && *head != '[')
    return recognise_table (head);
  const char *rest = head + 1 + strspn (head + 1, " \t\r\n");
  if (*head == '[')
    shape = CURED_IMPORT_LIST;
  if (*head == '[' && *rest == '[')
    rest += 1 + strspn (rest + 1, " \t\r\n");
  if (*head == '[' && *rest != '{')
    return NULL;
  for (gsize i = 0; formats[i] != NULL; i++)
    if (formats[i]->shape == shape && (formats[i]->keys == NULL || has_keys (formats[i], head)))
      return formats[i];
  return NULL;
}

/* @path: any file
 *
 * Checks the first 64 KiB of a regular file, whatever its name; blocks while
 * reading.
 * Returns: (transfer none) (nullable): its probable format; NULL if it can't be read or has none of
 *   them */
const CuredImportFormat *
cured_import_recognise (const char *path)
{
  gsize length = 0;

  g_return_val_if_fail (path != NULL, NULL);

  g_autofree char *head = _cured_import_load_head (path, &length);
  return head != NULL && strlen (head) == length ? recognise (head) : NULL;
}

static gboolean
has_word (const CuredImportReader *self, const char *word)
{
  gsize length = MIN (self->length, CURED_IMPORT_HEAD_BYTES), n = strlen (word);

  for (gsize i = 0; i + n <= length; i++)
    if (memcmp (self->text + i, word, n) == 0)
      return TRUE;
  return FALSE;
}

/* Sets the reason why the file was not recognised, the most likely first. */
static gboolean
fail_unrecognised (const CuredImportReader *self, GError **error)
{
  g_autoptr (GString) titles = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (gsize i = 0; text == NULL && i < G_N_ELEMENTS (refused); i++)
    {
      gboolean is_it = TRUE;

      for (gsize j = 0; j < 3 && refused[i].words[j] != NULL; j++)
        is_it = is_it && has_word (self, refused[i].words[j]);
      if (!is_it)
        continue;
      text =
          refused[i].advice != NULL
              ? g_strdup_printf (_ ("this is a file of %s, which can't be imported as it is; %s"),
                                 refused[i].program, _ (refused[i].advice))
              : g_strdup_printf (_ ("this is a file of %s, which can't be imported; write its "
                                    "points as CSV"),
                                 refused[i].program);
    }
  for (gsize i = 0; formats[i] != NULL; i++)
    g_string_append_printf (titles, "%s%s", i > 0 ? ", " : "", _ (formats[i]->title));
  if (text == NULL && self->length == 0)
    text = g_strdup (_ ("the file is empty; was it written to the end?"));
  else if (text == NULL && g_str_has_prefix (self->text, "SQLite format 3"))
    text = g_strdup (_ ("this is a result file already, or another database; open it as it is"));
  else if (text == NULL)
    text = g_strdup_printf (_ ("this is not a file that can be imported, nor the beginning of one: "
                               "%s. cured-importing(7) shows how they look."),
                            titles->str);
  return cured_fail (error, CURED_ERROR_FOREIGN, "%s: %s", self->name, text);
}

/* Where results go */

/* A name that is valid in any file system, and in a shell without quotes. */
static char *
make_label (const char *text)
{
  char *label = g_strdup (text);

  for (char *at = label; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && *at != '-' && *at != '_' && *at != '.')
      *at = '-';
  if (strlen (label) > 80)
    label[80] = '\0';
  return label;
}

/* The path of a single result, without suffix. */
static char *
make_out_stem (const CuredImportReader *self)
{
  const char *out_path = self->options->out_path;

  return out_path == NULL ? _cured_import_drop_suffixes (self->path)
         : g_str_has_suffix (out_path, ".cured")
             ? g_strndup (out_path, strlen (out_path) - strlen (".cured"))
             : g_strdup (out_path);
}

/* One path per table. */
static GPtrArray *
make_paths (const CuredImportReader *self, GPtrArray *tables)
{
  const char *out_path = self->options->out_path;
  g_autofree char *stem = make_out_stem (self);
  g_autoptr (GHashTable) used = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);

  if (tables->len == 1)
    {
      g_ptr_array_add (paths,
                       out_path != NULL ? g_strdup (out_path) : g_strconcat (stem, ".cured", NULL));
      return paths;
    }
  CURED_EACH_POINTER (const CuredImportTable, table, tables)
    {
      g_autofree char *label = make_label (_cured_import_table_get_label (table));
      char *path = g_strdup_printf ("%s-%s.cured", stem, label);

      for (guint n = 2; g_hash_table_contains (used, path); n++)
        {
          g_free (path);
          path = g_strdup_printf ("%s-%s-%u.cured", stem, label, n);
        }
      g_hash_table_add (used, path);
      g_ptr_array_add (paths, path);
    }
  return paths;
}

static gboolean
may_replace (const CuredImportReader *self, const char *path)
{
  return self->options->overwrite || self->options->merge ||
         (self->options->overwrite_named && g_strcmp0 (path, self->options->out_path) == 0);
}

/* Checks before writing, so that either all files are written or none. */
static gboolean
check_paths (const CuredImportReader *self, GPtrArray *paths, GError **error)
{
  CURED_EACH_POINTER (const char, path, paths)
    {
      if (!may_replace (self, path) && g_file_test (path, G_FILE_TEST_EXISTS))
        {
          g_autofree char *name = g_filename_display_name (path);

          return cured_fail (
              error, CURED_ERROR_STORAGE,
              _ ("“%s” exists already. Choose another name, or have it replaced (--force)."), name);
        }
    }
  return TRUE;
}

/* Reading */

static gboolean
check_options (const CuredImportReader *self, GError **error)
{
  const char *const *only = self->options->only;

  for (gsize i = 0; only != NULL && only[i] != NULL; i++)
    if (strchr (only[i], '=') == NULL || only[i][0] == '=')
      return cured_fail (error, CURED_ERROR_INVALID,
                         _ ("“%s” is not PARAMETER=VALUE, such as tile=16"), only[i]);
  return TRUE;
}

static gboolean
fail_empty (CuredImportReader *self, GError **error)
{
  if (self->left_out->len > 0)
    {
      g_ptr_array_add (self->left_out, NULL);
      g_autofree char *list = g_strjoinv (", ", (char **) self->left_out->pdata);
      return _cured_import_fail (self, error, _ ("nothing in it matches; there are: %s"), list);
    }
  if (self->options->benchmark != NULL || self->options->device != NULL ||
      self->options->only != NULL)
    return _cured_import_fail (
        self, error, _ ("nothing in it matches; omit some of --benchmark, --device and --only"));
  return _cured_import_fail (self, error,
                             _ ("there is no measurement in it (%s); measure something first"),
                             _ (self->format->title));
}

static gboolean
read_file (CuredImportReader *self, GCancellable *cancellable, GError **error)
{
  if (!_cured_import_load (self, cancellable, error))
    return FALSE;
  if (_cured_import_is_report (self) && !_cured_import_convert_report (self, cancellable, error))
    return FALSE;
  /* A file that resembles a format counts as one with a mistake. */
  self->format = recognise (self->text);
  if (self->format == NULL)
    return fail_unrecognised (self, error);
  if (self->bad_line > 0)
    return _cured_import_fail (self, error,
                               self->is_nul
                                   ? _ ("line %u: a NUL byte; expected a text file")
                                   : _ ("line %u: this is not UTF-8; expected a text file"),
                               self->bad_line);
  if (!(self->format->shape == CURED_IMPORT_CSV
            ? _cured_import_parse_csv (self, cancellable, error)
            : _cured_import_parse (self, self->format->may_be_cut, cancellable, error)) ||
      !self->format->read (self, error))
    return FALSE;
  return TRUE;
}

/* Merges the tables of all files. */
static GPtrArray *
merge_tables (GPtrArray *readers, GError **error)
{
  CuredImportReader *first = g_ptr_array_index (readers, 0);
  g_autoptr (GPtrArray) tables = g_ptr_array_new ();

  CURED_EACH_POINTER (CuredImportReader, reader, readers)
    {
      if (reader->format != first->format)
        {
          _cured_import_fail (reader, error,
                              _ ("it is of another format (%s) than “%s” (%s); import it alone"),
                              _ (reader->format->title), first->name, _ (first->format->title));
          return NULL;
        }
      CURED_EACH_POINTER (CuredImportTable, table, reader->tables)
        {
          CuredImportTable *found = NULL;

          for (guint i = 0; reader != first && found == NULL && i < tables->len; i++)
            if (_cured_import_table_matches (g_ptr_array_index (tables, i), table))
              found = g_ptr_array_index (tables, i);
          if (_cured_import_table_is_empty (table))
            continue;
          if (found != NULL)
            _cured_import_table_absorb (found, table);
          else
            g_ptr_array_add (tables, table);
        }
    }
  if (tables->len > 0)
    return g_steal_pointer (&tables);
  fail_empty (g_ptr_array_index (readers, readers->len - 1), error);
  return NULL;
}

static gboolean
add_result (CuredImportReader *self, CuredImportTable *table, const char *path,
            GCancellable *cancellable, GError **error)
{
  return !self->options->merge || !g_file_test (path, G_FILE_TEST_EXISTS) ||
         _cured_import_table_add_result (table, self, path, cancellable, error);
}

static CuredImport *
import (GPtrArray *readers, GCancellable *cancellable, GError **error)
{
  CuredImportReader *self = g_ptr_array_index (readers, 0);

  if (!check_options (self, error))
    return NULL;
  CURED_EACH_POINTER (CuredImportReader, reader, readers)
    if (!read_file (reader, cancellable, error))
      return NULL;
  g_autoptr (GPtrArray) tables = merge_tables (readers, error);
  if (tables == NULL)
    return NULL;
  if (readers->len > 1)
    {
      g_autofree char *stem = make_out_stem (self), *base = g_path_get_basename (stem);

      CURED_EACH_POINTER (CuredImportTable, table, tables)
        _cured_import_table_rename (table, base);
    }
  g_autoptr (GPtrArray) paths = make_paths (self, tables);
  if (!check_paths (self, paths, error))
    return NULL;
  for (guint i = 0; i < tables->len; i++)
    if (!add_result (self, g_ptr_array_index (tables, i), g_ptr_array_index (paths, i), cancellable,
                     error))
      return NULL;

  g_autoptr (CuredImport) made = CURED_NEW (CuredImport, .format = self->format,
                                            .files = g_ptr_array_new_with_free_func (file_free),
                                            .notes = g_ptr_array_ref (self->notes));
  for (guint i = 0; i < tables->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);
      CuredImportedFile *file = _cured_import_table_write (
          g_ptr_array_index (tables, i), self, path, may_replace (self, path), cancellable, error);

      if (file == NULL)
        return NULL;
      g_ptr_array_add (made->files, file);
    }
  CURED_EACH_POINTER (const CuredImportReader, reader, readers)
    {
      if (reader->is_cpu)
        {
          g_ptr_array_add (self->notes,
                           g_strdup (_ ("The times are of the CPU: it has no others")));
          break;
        }
    }
  return g_steal_pointer (&made);
}

CURED_FREE_FUNC (CuredImportReader, reader_free, tables, g_ptr_array_unref, notes,
                 g_ptr_array_unref, left_out, g_ptr_array_unref, parser, g_object_unref, made,
                 json_node_unref, rows, g_ptr_array_unref, column_of, g_hash_table_unref, columns,
                 g_ptr_array_unref, text, g_free, name, g_free)

static int
compare_readers (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const CuredImportReader *const *) a)->path,
                 (*(const CuredImportReader *const *) b)->path);
}

/* @paths: (array zero-terminated=1): one or more files of one format, plain or compressed by gzip
 *   or zstd; `-` is standard input
 * @options: (nullable): what to import, and the destination; NULL: everything, beside the file.
 *   Several files need an @out_path
 * @cancellable: (nullable): cancels with G_IO_ERROR_CANCELLED
 * @error: CURED_ERROR_FOREIGN if it can't be imported, CURED_ERROR_SYNTAX with the place and what
 *   was expected, CURED_ERROR_INVALID for options and for files of different formats,
 *   CURED_ERROR_STORAGE, or an error of reading
 *
 * Reads the files and writes one result file for each benchmark and device, with the
 * points of all files. The order of the files does not matter: of a point in several
 * files, a result is preferred to a failure, then more samples, then the shorter time.
 * Blocks: up to a second for 10 MB. After an error, written files are complete, and others
 * unchanged.
 * Returns: (transfer full) (nullable): the files that were written */
CuredImport *
cured_import_files (const char *const *paths, const CuredImportOptions *options,
                    GCancellable *cancellable, GError **error)
{
  static const CuredImportOptions everything;
  g_autoptr (GPtrArray) readers = g_ptr_array_new_with_free_func (reader_free);
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) left_out = g_ptr_array_new_with_free_func (g_free);

  g_return_val_if_fail (paths != NULL && paths[0] != NULL, NULL);
  g_return_val_if_fail (paths[1] == NULL || (options != NULL && options->out_path != NULL), NULL);

  for (gsize i = 0; paths[i] != NULL; i++)
    {
      CuredImportReader *reader = CURED_NEW (
          CuredImportReader, .path = paths[i],
          .name = g_str_equal (paths[i], CURED_IMPORT_STDIN) ? g_strdup (_ ("standard input"))
                                                             : g_filename_display_name (paths[i]),
          .options = options != NULL ? options : &everything,
          .tables = g_ptr_array_new_with_free_func (_cured_import_table_free),
          .notes = g_ptr_array_ref (notes), .left_out = g_ptr_array_ref (left_out));

      g_ptr_array_add (readers, reader);
    }
  g_ptr_array_sort (readers, compare_readers);
  return import (readers, cancellable, error);
}

/* @path: a file, as for cured_import_files()
 * @options: (nullable): what to import, and the destination; NULL: everything, beside the file.
 *   Several results get different names by benchmark
 * @cancellable: (nullable): cancels with G_IO_ERROR_CANCELLED
 * @error: as from cured_import_files()
 *
 * Imports one file.
 * Returns: (transfer full) (nullable): the files that were written */
CuredImport *
cured_import_file (const char *path, const CuredImportOptions *options, GCancellable *cancellable,
                   GError **error)
{
  const char *const paths[] = { path, NULL };

  return cured_import_files (paths, options, cancellable, error);
}
