/* SPDX-License-Identifier: MIT
 * Named sweeps, saved in a file each, for command and window. */
#include "spec/cured-preset.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>

#include "base/cured-base-internal.h"
#include "spec/cured-options-internal.h"

/* Implementation notes: a file is a key file of three groups,
 *
 *   [Preset] Version=1 Kernel=vector/add Device=cuda:0 Launcher=ssh host [Parameters] blocks=1,2,4
 *   [Options] limit_s=20
 *
 * with the names of the table of options. Lines are read here, so that errors have line numbers;
 * GKeyFile unescapes the values. */

#define VERSION 1

/* Files are untrusted. A preset has some twenty lines. */
#define MAX_BYTES (64 * 1024)

/* A component of a path has 255 bytes; longer ones end in a digest. */
#define MAX_FOLDER_NAME 200

typedef struct
{
  CuredPreset parent;
  guint *lines; /* line numbers of the axes; NULL: not read from a file */
  int n_refs;
} Preset;

static Preset *
preset_new (void)
{
  Preset *self = g_new0 (Preset, 1);

  self->n_refs = 1;
  cured_options_init (&self->parent.options);
  return self;
}

/* @name: its name
 * @spec: the axes and the options
 * @device_id: (nullable): the device
 * @launcher: (nullable): the command that starts the worker there
 * Returns: (transfer full): a preset, not yet saved */
CuredPreset *
cured_preset_new (const char *name, CuredSpec *spec, const char *device_id, const char *launcher)
{
  CuredPreset *self = &preset_new ()->parent;
  const CuredKernel *kernel = cured_spec_get_kernel (spec);

  self->kernel_id = g_strdup (kernel->id);
  self->name = g_strdup (name);
  self->axes = g_new0 (char *, kernel->n_parameters + 1);
  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      g_autofree char *values = cured_axis_to_string (cured_spec_get_axis (spec, i));

      self->axes[i] = g_strdup_printf ("%s=%s", kernel->parameters[i].name, values);
    }
  cured_options_copy (cured_spec_get_options (spec), &self->options);
  g_clear_pointer (&self->options.unsafe_options, g_free);
  self->device_id = g_strdup (device_id);
  self->launcher = g_strdup (launcher);
  return self;
}

CuredPreset *
cured_preset_ref (CuredPreset *self)
{
  g_atomic_int_inc (&((Preset *) self)->n_refs);
  return self;
}

void
cured_preset_unref (CuredPreset *self)
{
  if (!g_atomic_int_dec_and_test (&((Preset *) self)->n_refs))
    return;
  CURED_CLEAR (name, g_free, kernel_id, g_free, axes, g_strfreev);
  cured_options_clear (&self->options);
  CURED_CLEAR (device_id, g_free, launcher, g_free, path, g_free);
  g_free (((Preset *) self)->lines);
  g_free (self);
}

/* Reading. */

typedef struct
{
  Preset *preset;
  const char *path;
  GKeyFile *keys;    /* the parsed text */
  GPtrArray *axes;   /* of char * */
  GArray *lines;     /* of guint, line numbers of the axes */
  const char *group; /* current group; nullable: none yet */
  guint line;
  guint options_line; /* line number of the last option */
} Reader;

static const char *const groups[] = { "Preset", "Parameters", "Options", NULL };

static gboolean G_GNUC_PRINTF (3, 4)
    fail (const Reader *self, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  cured_set_error_at (error, CURED_ERROR_SYNTAX, self->path, self->line, 0, text);
  return FALSE;
}

static gboolean
read_group (Reader *self, const char *line, GError **error)
{
  gsize length = strlen (line);

  for (gsize i = 0; groups[i] != NULL; i++)
    if (length == strlen (groups[i]) + 2 && line[length - 1] == ']' &&
        g_str_has_prefix (line + 1, groups[i]))
      {
        self->group = groups[i];
        return TRUE;
      }
  return fail (self, error, _ ("expected [Preset], [Parameters] or [Options], not “%s”"), line);
}

static gboolean
read_head (Reader *self, const char *name, const char *value, GError **error)
{
  CuredPreset *preset = &self->preset->parent;
  guint64 version;

  if (g_str_equal (name, "Version"))
    {
      if (!g_ascii_string_to_unsigned (value, 10, 1, G_MAXUINT, &version, NULL))
        return fail (self, error, _ ("expected Version=%d"), VERSION);
      if (version <= VERSION)
        return TRUE;
      cured_set_error_at (error, CURED_ERROR_NEWER, self->path, self->line, 0,
                          _ ("the preset was saved by a later version of Cured"));
      return FALSE;
    }
  if (g_str_equal (name, "Kernel"))
    preset->kernel_id = g_strdup (value);
  else if (g_str_equal (name, "Device"))
    preset->device_id = g_strdup (value);
  else if (g_str_equal (name, "Launcher"))
    {
      preset->launcher = g_strdup (value);
      preset->launcher_line = self->line;
    }
  else
    return fail (self, error, _ ("expected Version, Kernel, Device or Launcher, not “%s”"), name);
  return TRUE;
}

static char *
list_option_names (void)
{
  g_autoptr (GString) names = g_string_new (NULL);
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    if ((rows[i].flags & CURED_OPTION_UNSAFE) == 0)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", rows[i].name);
  return g_string_free (g_steal_pointer (&names), FALSE);
}

static gboolean
read_option (Reader *self, const char *name, const char *value, GError **error)
{
  const CuredOptionInfo *row = cured_option_find (name);
  g_autoptr (GError) problem = NULL;
  g_autofree char *names = NULL;

  if (row == NULL || (row->flags & CURED_OPTION_UNSAFE) != 0)
    {
      names = list_option_names ();
      return fail (self, error, _ ("there is no option “%s” for a preset; there are %s"), name,
                   names);
    }
  self->options_line = self->line;
  return cured_option_parse (row, &self->preset->parent.options, value, &problem) ||
         fail (self, error, "%s=%s: %s", name, value, problem->message);
}

static gboolean
read_value (Reader *self, char *line, GError **error)
{
  char *equals = strchr (line, '=');
  g_autoptr (GError) problem = NULL;

  if (self->group == NULL)
    return fail (self, error, _ ("expected [Preset], not “%s”"), line);
  if (equals == NULL)
    return fail (self, error, _ ("expected NAME=VALUE, not “%s”"), line);
  *equals = '\0';
  const char *name = g_strchomp (line);
  if (*name == '\0')
    return fail (self, error, _ ("expected a name before the “=”"));
  if (g_key_file_has_key (self->keys, self->group, name, NULL))
    return fail (self, error, _ ("“%s” is there twice"), name);
  g_key_file_set_value (self->keys, self->group, name, g_strchug (equals + 1));
  g_autofree char *value = g_key_file_get_string (self->keys, self->group, name, &problem);
  if (problem != NULL)
    return fail (self, error, "%s: %s", name, problem->message);
  if (self->group == groups[0])
    return read_head (self, name, value, error);
  if (self->group == groups[2])
    return read_option (self, name, value, error);
  g_ptr_array_add (self->axes, g_strdup_printf ("%s=%s", name, value));
  g_array_append_val (self->lines, self->line);
  return TRUE;
}

static gboolean
read_lines (Reader *self, const char *text, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GError) problem = NULL;

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      char *line = g_strstrip (lines[i]);

      self->line = (guint) i + 1;
      if (*line == '\0' || *line == '#')
        continue;
      if (*line == '[' ? !read_group (self, line, error) : !read_value (self, line, error))
        return FALSE;
    }
  if (self->group == NULL)
    return fail (self, error, _ ("it is no preset: there is no [Preset]"));
  self->line = MAX (self->options_line, 1);
  return cured_options_check (&self->preset->parent.options, &problem) ||
         fail (self, error, "%s", problem->message);
}

/* The file's name without its suffix. */
static char *
name_of (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);

  if (g_str_has_suffix (base, CURED_PRESET_SUFFIX))
    base[strlen (base) - strlen (CURED_PRESET_SUFFIX)] = '\0';
  return g_steal_pointer (&base);
}

/* @text: in the format of cured_preset_to_text(), UTF-8; missing options have their defaults
 * @name: the preset's name
 * @path: the file's name in errors
 * @error: %CURED_ERROR_SYNTAX, or %CURED_ERROR_NEWER for a later version's, with file, line and the
 *   expected text
 *
 * The axes are checked against a kernel later, by cured_preset_apply().
 * Returns: (transfer full): a preset */
CuredPreset *
cured_preset_new_from_text (const char *text, const char *name, const char *path, GError **error)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  g_autoptr (GPtrArray) axes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (CuredPreset) preset = &preset_new ()->parent;
  Reader reader = {
    .preset = (Preset *) preset, .path = path, .keys = keys, .axes = axes, .lines = lines, .line = 1
  };

  preset->path = g_strdup (path);
  preset->name = g_strdup (name);
  if (!read_lines (&reader, text, error))
    return NULL;
  g_ptr_array_add (axes, NULL);
  preset->axes = (char **) g_ptr_array_steal (axes, NULL);
  ((Preset *) preset)->lines = (guint *) (gpointer) g_array_free (g_steal_pointer (&lines), FALSE);
  return g_steal_pointer (&preset);
}

/* @path: a preset file
 * @error: as from cured_preset_new_from_text(); or the operating system's
 *
 * Reads a preset, which is named after its file. Blocks.
 * Returns: (transfer full): a preset */
CuredPreset *
cured_preset_new_from_file (const char *path, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, error);
  g_autofree char *text = g_malloc0 (MAX_BYTES + 2), *name = name_of (path);
  gsize length;

  if (stream == NULL ||
      !g_input_stream_read_all (G_INPUT_STREAM (stream), text, MAX_BYTES + 1, &length, NULL, error))
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }
  if (length > MAX_BYTES || !g_utf8_validate (text, (gssize) length, NULL))
    {
      cured_set_error_at (error, CURED_ERROR_SYNTAX, path, 1, 0,
                          _ ("it is no preset: expected at most 64 KiB of UTF-8 text"));
      return NULL;
    }
  return cured_preset_new_from_text (text, name, path, error);
}

static void
set_text (GKeyFile *file, const char *name, const char *text)
{
  if (text != NULL && *text != '\0')
    g_key_file_set_string (file, "Preset", name, text);
}

/* Returns: (transfer full): the text of its file, with every option that presets have */
char *
cured_preset_to_text (const CuredPreset *self)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  g_key_file_set_integer (file, "Preset", "Version", VERSION);
  set_text (file, "Kernel", self->kernel_id);
  set_text (file, "Device", self->device_id);
  set_text (file, "Launcher", self->launcher);
  for (gsize i = 0; self->axes[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (self->axes[i], "=", 2);

      g_key_file_set_string (file, "Parameters", parts[0], parts[1]);
    }
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *text = cured_option_to_string (&rows[i], &self->options);

      if ((rows[i].flags & CURED_OPTION_UNSAFE) == 0)
        g_key_file_set_string (file, "Options", rows[i].name, text);
    }
  return g_key_file_to_data (file, NULL, NULL);
}

/* @spec: a kernel's spec
 * @error: %CURED_ERROR_NOT_FOUND for a parameter that the kernel lacks, %CURED_ERROR_INVALID or
 *   others from cured_spec_parse_axis() for invalid values; with file and line if the preset was
 *   read from a file
 *
 * Sets the axes that the preset names, and the options.
 * Returns: FALSE with the first error; @spec then has all valid values */
gboolean
cured_preset_apply (const CuredPreset *self, CuredSpec *spec, GError **error)
{
  const guint *lines = ((const Preset *) self)->lines;
  CuredOptions *options = cured_spec_get_options (spec);
  g_autoptr (GError) first = NULL;

  for (gsize i = 0; self->axes[i] != NULL; i++)
    {
      g_autoptr (GError) problem = NULL;

      if (cured_spec_parse_axis (spec, self->axes[i], &problem) || first != NULL)
        continue;
      if (lines != NULL && problem->domain == CURED_ERROR)
        cured_set_error_at (&first, (CuredError) problem->code, self->path, lines[i], 0,
                            problem->message);
      else
        first = g_steal_pointer (&problem);
    }
  cured_options_clear (options);
  cured_options_copy (&self->options, options);
  if (first == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/* The user's presets: a folder for each kernel. */

static char *
escape (const char *name)
{
  return g_uri_escape_string (name, " !'()+,;=@[]{}", TRUE);
}

static char *
get_folder (const char *kernel_id)
{
  g_autofree char *name = escape (kernel_id);

  if (strlen (name) > MAX_FOLDER_NAME)
    {
      g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, kernel_id, -1);

      g_free (name);
      name = g_steal_pointer (&digest);
    }
  return g_build_filename (g_get_user_config_dir (), "cured", "presets", name, NULL);
}

static char *
get_path (const char *kernel_id, const char *name)
{
  g_autofree char *folder = get_folder (kernel_id), *base = escape (name);
  g_autofree char *file = g_strconcat (base, CURED_PRESET_SUFFIX, NULL);

  return g_build_filename (folder, file, NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_utf8_collate (*(const char *const *) a, *(const char *const *) b);
}

/* Returns: (transfer full) (array zero-terminated=1): the names of the user's presets for the
 *   kernel, in alphabetical order */
char **
cured_presets_list (const char *kernel_id)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *path = get_folder (kernel_id);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *file;

  while (folder != NULL && (file = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *base = name_of (file);
      char *name = g_uri_unescape_string (base, NULL);

      /* A name that does not unescape is not a preset's. */
      if (g_str_has_suffix (file, CURED_PRESET_SUFFIX) && name != NULL && *name != '\0' &&
          g_utf8_validate (name, -1, NULL))
        g_ptr_array_add (names, name);
      else
        g_free (name);
    }
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* @name: a preset of the kernel
 * @error: as from cured_preset_new_from_file(); %CURED_ERROR_NOT_FOUND if none has that name
 * Returns: (transfer full): the user's preset */
CuredPreset *
cured_presets_load (const char *kernel_id, const char *name, GError **error)
{
  g_autofree char *path = get_path (kernel_id, name);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return cured_fail_null (error, CURED_ERROR_NOT_FOUND, _ ("there is no preset “%s” of %s"), name,
                            kernel_id);
  g_autoptr (CuredPreset) preset = cured_preset_new_from_file (path, error);
  if (preset == NULL)
    return NULL;
  g_free (preset->name);
  preset->name = g_strdup (name);
  if (preset->kernel_id == NULL)
    preset->kernel_id = g_strdup (kernel_id);
  return g_steal_pointer (&preset);
}

static gboolean
fail_file (const char *path, int code, GError **error)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", path,
               g_strerror (code));
  return FALSE;
}

/* @preset: a kernel's preset
 * @error: the operating system's
 *
 * Saves a preset atomically; replaces one of the same kernel and
 * name.
 * Returns: whether it was saved */
gboolean
cured_presets_save (const CuredPreset *preset, GError **error)
{
  g_autofree char *path = get_path (preset->kernel_id, preset->name);
  g_autofree char *folder = g_path_get_dirname (path), *text = cured_preset_to_text (preset);

  if (g_mkdir_with_parents (folder, 0700) != 0)
    return fail_file (folder, errno, error);
  return g_file_set_contents (path, text, -1, error);
}

/* @name: a preset of the kernel
 * @to: the new name; an existing preset of that name is replaced
 * @error: the operating system's
 * Returns: TRUE on success */
gboolean
cured_presets_rename (const char *kernel_id, const char *name, const char *to, GError **error)
{
  g_autofree char *from_path = get_path (kernel_id, name), *to_path = get_path (kernel_id, to);

  return g_rename (from_path, to_path) == 0 || fail_file (from_path, errno, error);
}

/* @name: a preset of the kernel
 * @error: the operating system's
 *
 * Deletes a preset; to undo this, cured_presets_save() one that was loaded before.
 * Returns: TRUE on success */
gboolean
cured_presets_delete (const char *kernel_id, const char *name, GError **error)
{
  g_autofree char *path = get_path (kernel_id, name);

  return g_unlink (path) == 0 || fail_file (path, errno, error);
}
