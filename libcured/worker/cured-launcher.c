/* SPDX-License-Identifier: MIT
 * Launchers: command prefixes for devices of another machine or of a batch system. */
#include "worker/cured-launcher-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"
#include "base/cured-json-internal.h"
#include "device/cured-device-internal.h"
#include "worker/cured-message-private.h"
#include "worker/cured-worker.h"

/* Limit of a list of devices, which has a few kilobytes per device. */
#define MAX_LIST_BYTES ((gsize) 16 << 20)

/* Bytes kept of a command's standard error. */
#define MAX_WORDS_BYTES ((gsize) 64 << 10)

typedef struct
{
  GInputStream *stream;
  GCancellable *cancellable;
  gsize max_bytes;
  gboolean stops; /* stop reading one byte beyond @max_bytes */
} Reading;

static gpointer
read_thread (gpointer data)
{
  const Reading *self = data;
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[16384];
  gssize n;

  while (!(self->stops && text->len > self->max_bytes) &&
         (n = g_input_stream_read (self->stream, buffer, sizeof buffer, self->cancellable, NULL)) >
             0)
    g_string_append_len (text, buffer, (gssize) MIN ((gsize) n, self->max_bytes + 1 - text->len));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Whether the launcher passes its arguments to a shell, which splits them again. */
static gboolean
is_read_by_shell (char **words)
{
  g_autofree char *name = words[0] != NULL ? g_path_get_basename (words[0]) : g_strdup ("");

  return g_str_equal (name, "ssh") || g_str_equal (name, "rsh") || g_str_equal (name, "autossh");
}

static GPtrArray *
split_launcher (const char *launcher, gboolean *is_shell, GError **error)
{
  g_autoptr (GPtrArray) command = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) words = NULL;

  if (!g_shell_parse_argv (launcher, NULL, &words, error))
    {
      g_prefix_error (error, _ ("The launcher “%s”: "), launcher);
      return NULL;
    }
  *is_shell = is_read_by_shell (words);
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (command, g_strdup (words[i]));
  return g_steal_pointer (&command);
}

static GPtrArray *
make_command (const char *launcher, const char *program, GError **error)
{
  gboolean is_shell;
  GPtrArray *command = split_launcher (launcher, &is_shell, error);

  if (command != NULL)
    g_ptr_array_add (command, program == NULL ? g_strdup ("cured")
                              : is_shell      ? g_shell_quote (program)
                                              : g_strdup (program));
  return command;
}

/* @launcher: (nullable): a command prefix that starts a program elsewhere, to be split like by a
 *   shell: `ssh gpu-server`, `srun --gpus=1`; NULL or empty: on this machine
 * @error: a G_SHELL_ERROR, for a quote that has no end
 * Returns: (transfer full) (array zero-terminated=1): the command of a worker, for
 *   cured_worker_device_new() */
char **
cured_launcher_get_worker (const char *launcher, GError **error)
{
  return cured_launcher_get_worker_of (launcher, NULL, error);
}

/* @launcher: (nullable): as for cured_launcher_get_worker()
 * @program: (nullable): Cured's path there, from cured_launcher_push(); NULL: `cured`, found by its
 *   path
 * @error: a G_SHELL_ERROR, for a quote that has no end
 * Returns: (transfer full) (array zero-terminated=1): the command of a worker, for
 *   cured_worker_device_new() */
char **
cured_launcher_get_worker_of (const char *launcher, const char *program, GError **error)
{
  if (launcher == NULL || *launcher == '\0')
    return cured_worker_default_command ();
  g_autoptr (GPtrArray) command = make_command (launcher, program, error);
  if (command == NULL)
    return NULL;
  g_ptr_array_add (command, g_strdup ("worker"));
  g_ptr_array_add (command, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&command), FALSE);
}

static const char *
get_text (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
                 json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static void
read_limits (JsonObject *object, CuredLimits *limits)
{
  JsonNode *node = json_object_get_member (object, "limits");
  gsize n_infos;
  const CuredLimitInfo *infos = cured_limits_list (&n_infos);

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return;
  for (gsize i = 0; i < n_infos; i++)
    {
      JsonNode *value = json_object_get_member (json_node_get_object (node), infos[i].name);

      if (value != NULL && JSON_NODE_HOLDS_VALUE (value))
        G_STRUCT_MEMBER (gint64, limits, infos[i].offset) = json_node_get_int (value);
    }
}

static CuredDeviceFound *
read_device (JsonObject *object)
{
  CuredDeviceFound *found = g_new0 (CuredDeviceFound, 1);
  const struct
  {
    const char *name;
    gsize offset;
  } texts[] = {
    { "id", G_STRUCT_OFFSET (CuredDeviceInfo, id) },
    { "kind", G_STRUCT_OFFSET (CuredDeviceInfo, kind) },
    { "name", G_STRUCT_OFFSET (CuredDeviceInfo, name) },
    { "uuid", G_STRUCT_OFFSET (CuredDeviceInfo, uuid) },
    { "arch", G_STRUCT_OFFSET (CuredDeviceInfo, arch) },
    { "driver", G_STRUCT_OFFSET (CuredDeviceInfo, driver) },
    { "runtime", G_STRUCT_OFFSET (CuredDeviceInfo, runtime) },
    { "compiler", G_STRUCT_OFFSET (CuredDeviceInfo, compiler) },
    { "host", G_STRUCT_OFFSET (CuredDeviceInfo, host) },
  };

  found->id = g_strdup (get_text (object, "id"));
  found->reason = g_strdup (get_text (object, "reason"));
  if (!json_object_get_boolean_member_with_default (object, "usable", FALSE))
    return found;
  found->info = g_new (CuredDeviceInfo, 1);
  cured_device_info_init (found->info);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      char **text = &G_STRUCT_MEMBER (char *, found->info, texts[i].offset);
      const char *value = get_text (object, texts[i].name);

      g_free (*text);
      *text = g_strdup (value != NULL ? value : "");
    }
  read_limits (object, &found->info->limits);
  return found;
}

GPtrArray *
_cured_launcher_read_devices (const char *text, GError **error)
{
  g_autoptr (JsonNode) root = _cured_json_parse (text, MAX_LIST_BYTES, error);
  g_autoptr (GPtrArray) list =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_device_found_free);

  if (root == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_ARRAY (root))
    return cured_fail_null (error, CURED_ERROR_PROTOCOL, _ ("expected a list of devices"));
  JsonArray *array = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (JSON_NODE_HOLDS_OBJECT (node) && get_text (json_node_get_object (node), "id") != NULL)
        g_ptr_array_add (list, read_device (json_node_get_object (node)));
    }
  return g_steal_pointer (&list);
}

/* @launcher: (nullable): as for cured_launcher_get_worker()
 *
 * Lists the devices of the command behind @launcher or, without a launcher, of this machine. Blocks
 * while connecting. The emulator is listed as each of its chips.
 * Returns: (transfer container) (element-type CuredDeviceFound): the devices; NULL with
 *   CURED_ERROR_NO_DEVICE if the launcher can't be started or its command fails, with
 *   CURED_ERROR_PROTOCOL if its output is not a list, or with G_IO_ERROR_CANCELLED */
GPtrArray *
cured_launcher_list_devices (const char *launcher, GCancellable *cancellable, GError **error)
{
  GPtrArray *list = cured_launcher_list_devices_of (launcher, NULL, cancellable, error);

  if (list != NULL)
    cured_device_list_chips (list);
  return list;
}

/* @launcher: (nullable): as for cured_launcher_get_worker()
 * @program: (nullable): as for cured_launcher_get_worker_of()
 *
 * As cured_launcher_list_devices(), but the emulator is listed once, as by
 * cured_device_list().
 * Returns: (transfer container) (element-type CuredDeviceFound): the devices */
GPtrArray *
cured_launcher_list_devices_of (const char *launcher, const char *program,
                                GCancellable *cancellable, GError **error)
{
  g_autoptr (GCancellable) done = g_cancellable_new ();
  Reading complaints = { .max_bytes = MAX_WORDS_BYTES };
  Reading list_reading = { .max_bytes = MAX_LIST_BYTES, .stops = TRUE };
  g_autoptr (GError) local_error = NULL;

  if (launcher == NULL || *launcher == '\0')
    return cured_device_list ();
  g_autoptr (GPtrArray) command = make_command (launcher, program, error);
  if (command == NULL)
    return NULL;
  g_ptr_array_add (command, g_strdup ("devices"));
  g_ptr_array_add (command, g_strdup ("--json"));
  g_ptr_array_add (command, NULL);

  g_autoptr (GSubprocess) process = g_subprocess_newv (
      (const char *const *) command->pdata,
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &local_error);
  if (process == NULL)
    return cured_fail_null (error, CURED_ERROR_NO_DEVICE, _ ("Can't start “%s”: %s"), launcher,
                            local_error->message);
  /* In a thread, so that neither a long error output nor a long list blocks the
   * command. */
  complaints.stream = g_subprocess_get_stderr_pipe (process);
  complaints.cancellable = done;
  GThread *thread = g_thread_try_new ("cured-launcher", read_thread, &complaints, error);
  if (thread == NULL)
    {
      g_subprocess_force_exit (process);
      return NULL;
    }
  list_reading.stream = g_subprocess_get_stdout_pipe (process);
  list_reading.cancellable = cancellable;
  g_autofree char *output = read_thread (&list_reading);
  if (strlen (output) > MAX_LIST_BYTES || g_cancellable_is_cancelled (cancellable))
    {
      g_subprocess_force_exit (process);
      g_cancellable_cancel (done);
    }
  g_autofree char *complaint = g_thread_join (thread);
  g_autofree char *words = g_utf8_make_valid (complaint, -1);
  if (!g_subprocess_wait (process, cancellable, error))
    return NULL;
  if (!g_subprocess_get_successful (process) && strlen (output) <= MAX_LIST_BYTES)
    {
      gboolean is_missing = g_subprocess_get_if_exited (process) &&
                            g_subprocess_get_exit_status (process) == CURED_LAUNCHER_NO_PROGRAM;

      return cured_fail_null (
          error, CURED_ERROR_NO_DEVICE,
          is_missing ? _ ("There is no Cured where “%s” leads; unpack it there, or let "
                          "“--push” copy it. It says: %s")
                     : _ ("“%s cured devices” failed; try it in a terminal. It says: %s"),
          launcher, words != NULL && *words != '\0' ? g_strstrip (words) : "-");
    }
  g_autoptr (GPtrArray) list = _cured_launcher_read_devices (output, &local_error);
  if (list == NULL)
    return cured_fail_null (error, CURED_ERROR_PROTOCOL,
                            _ ("“%s cured devices” says something else than its devices: %s"),
                            launcher, local_error != NULL ? local_error->message : "…");
  return g_steal_pointer (&list);
}

/* -- Copying the program -- */

/* A shell's answer is a word and a path. */
#define MAX_ANSWER_BYTES 4096

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Collects the files of @folder below @name, sorted, skipping everything but regular files and real
 * folders. */
static void
list_files (const char *folder, const char *name, GPtrArray *files)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *entry;

  if (dir == NULL)
    {
      g_ptr_array_add (files, g_strdup (name));
      return;
    }
  while ((entry = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names,
                     *name != '\0' ? g_build_filename (name, entry, NULL) : g_strdup (entry));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    list_files (folder, g_ptr_array_index (names, i), files);
}

static gboolean
add_file (GChecksum *checksum, const char *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, error);

  if (file == NULL)
    return FALSE;
  g_checksum_update (checksum, (const guchar *) name, (gssize) strlen (name) + 1);
  g_checksum_update (checksum, (const guchar *) g_mapped_file_get_contents (file),
                     (gssize) g_mapped_file_get_length (file));
  return TRUE;
}

/* The folder to copy, and the program in it: a whole unpacked bundle, or only the
 * program. */
static gboolean
find_program (char **folder, char **program, GError **error)
{
  g_auto (GStrv) command = cured_worker_default_command ();
  g_autofree char *found = g_find_program_in_path (command[0]);
  g_autofree char *path = found != NULL ? g_file_read_link (found, NULL) : NULL;

  if (found == NULL)
    return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("“%s”, the program to copy, is not found"),
                       command[0]);
  g_autofree char *bin = g_path_get_dirname (found);
  g_autofree char *absolute =
      g_canonicalize_filename (path != NULL ? path : found, path != NULL ? bin : NULL);
  g_free (g_steal_pointer (&bin));
  bin = g_path_get_dirname (absolute);
  g_autofree char *root = g_path_get_dirname (bin), *base = g_path_get_basename (bin);
  g_autofree char *lib = g_build_filename (root, "lib", "libglib-2.0.so.0", NULL);
  /* A bundle has its libraries beside it; so does an installed system, which is not copied. */
  if (g_str_equal (base, "bin") && !g_str_has_prefix (root, "/usr") &&
      g_file_test (lib, G_FILE_TEST_EXISTS))
    {
      g_autofree char *name = g_path_get_basename (absolute);

      *program = g_build_filename ("bin", name, NULL);
      *folder = g_steal_pointer (&root);
      return TRUE;
    }
  *program = g_path_get_basename (absolute);
  *folder = g_steal_pointer (&bin);
  return TRUE;
}

/* Runs @script in a shell there, with @input (or nothing) as its standard input, and returns its
 * output. */
static char *
ask_shell (const char *launcher, const char *script, GInputStream *input, GCancellable *cancellable,
           GError **error)
{
  gboolean is_shell;
  g_autoptr (GPtrArray) command = split_launcher (launcher, &is_shell, error);
  Reading reading = { .max_bytes = MAX_ANSWER_BYTES, .stops = TRUE };
  gboolean is_sent = TRUE;

  if (command == NULL)
    return NULL;
  g_ptr_array_add (command, g_strdup ("sh"));
  g_ptr_array_add (command, g_strdup ("-c"));
  g_ptr_array_add (command, is_shell ? g_shell_quote (script) : g_strdup (script));
  g_ptr_array_add (command, NULL);
  g_autoptr (GSubprocess) process =
      g_subprocess_newv ((const char *const *) command->pdata,
                         G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, error);
  if (process == NULL)
    {
      g_prefix_error (error, _ ("Can't start “%s”: "), launcher);
      return NULL;
    }
  if (input != NULL)
    is_sent = g_output_stream_splice (g_subprocess_get_stdin_pipe (process), input,
                                      G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, cancellable, NULL) >= 0;
  else
    g_output_stream_close (g_subprocess_get_stdin_pipe (process), NULL, NULL);
  reading.stream = g_subprocess_get_stdout_pipe (process);
  reading.cancellable = cancellable;
  g_autofree char *answer = read_thread (&reading);
  if (g_cancellable_is_cancelled (cancellable) || strlen (answer) > MAX_ANSWER_BYTES)
    g_subprocess_force_exit (process);
  if (!g_subprocess_wait (process, cancellable, error))
    return NULL;
  if (is_sent && g_subprocess_get_successful (process) && strlen (answer) <= MAX_ANSWER_BYTES)
    return g_steal_pointer (&answer);
  return cured_fail_null (
      error, CURED_ERROR_NO_DEVICE,
      _ ("“%s sh” failed while the program was copied; it needs a shell, tar and a cache "
         "folder that can be written. Try it in a terminal."),
      launcher);
}

/* The path in an answer, whose last line is a word and a path. */
static char *
read_answer (char *answer, const char *word)
{
  g_auto (GStrv) lines = g_strsplit (g_strstrip (answer), "\n", -1);
  guint n_lines = g_strv_length (lines);
  const char *last = n_lines > 0 ? lines[n_lines - 1] : "";

  return g_str_has_prefix (last, word) && last[strlen (word)] == ' ' &&
                 last[strlen (word) + 1] == '/'
             ? g_strdup (last + strlen (word) + 1)
             : NULL;
}

static char *
copy_program (const char *launcher, const char *folder, const char *program, GPtrArray *files,
              const char *target, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) tar = g_ptr_array_new ();
  g_autofree char *quoted = g_shell_quote (target), *quoted_program = g_shell_quote (program);
  g_autofree char *script = g_strdup_printf (
      "d=%s; t=\"$d.$$\"; mkdir -p \"$t\" && tar -xf - -C \"$t\" && { [ -d \"$d\" ] || mv \"$t\" "
      "\"$d\"; }; rm -rf \"$t\"; [ -x \"$d\"/%s ] && echo \"have $d\"",
      quoted, quoted_program);

  g_ptr_array_add (tar, (char *) "tar");
  g_ptr_array_add (tar, (char *) "-cf");
  g_ptr_array_add (tar, (char *) "-");
  g_ptr_array_add (tar, (char *) "-C");
  g_ptr_array_add (tar, (char *) folder);
  g_ptr_array_add (tar, (char *) "--");
  for (guint i = 0; i < files->len; i++)
    g_ptr_array_add (tar, g_ptr_array_index (files, i));
  g_ptr_array_add (tar, NULL);
  g_autoptr (GSubprocess) packer =
      g_subprocess_newv ((const char *const *) tar->pdata, G_SUBPROCESS_FLAGS_STDOUT_PIPE, error);
  return packer != NULL ? ask_shell (launcher, script, g_subprocess_get_stdout_pipe (packer),
                                     cancellable, error)
                        : NULL;
}

/* @launcher: a launcher
 *
 * Copies this program to the cache of the user behind @launcher, over its standard input: its whole
 * bundle, or only the program. The folder's name depends on the contents, so it is copied only
 * once. Blocks.
 *
 * Fails with CURED_ERROR_NO_DEVICE if the launcher can't be started, or the other side has no shell
 * or no tar.
 * Returns: (transfer full) (nullable): the program's path there */
char *
cured_launcher_push (const char *launcher, GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = NULL, *program = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  g_return_val_if_fail (launcher != NULL && *launcher != '\0', NULL);

  if (!find_program (&folder, &program, error))
    return NULL;
  if (g_str_has_prefix (program, "bin" G_DIR_SEPARATOR_S))
    list_files (folder, "", files);
  else
    g_ptr_array_add (files, g_strdup (program));
  for (guint i = 0; i < files->len; i++)
    if (!add_file (checksum, folder, g_ptr_array_index (files, i), error))
      return NULL;
  g_autofree char *quoted = g_shell_quote (program);
  g_autofree char *script =
      g_strdup_printf ("d=\"${XDG_CACHE_HOME:-$HOME/.cache}/cured/pushed/%s\"; if [ -x "
                       "\"$d\"/%s ]; then echo \"have $d\"; else echo \"want $d\"; fi",
                       g_checksum_get_string (checksum), quoted);
  g_autofree char *answer = ask_shell (launcher, script, NULL, cancellable, error);
  if (answer == NULL)
    return NULL;
  g_autofree char *target = read_answer (answer, "want");
  if (target != NULL)
    {
      g_free (answer);
      answer = copy_program (launcher, folder, program, files, target, cancellable, error);
      if (answer == NULL)
        return NULL;
      g_free (g_steal_pointer (&target));
    }
  target = read_answer (answer, "have");
  if (target != NULL)
    return g_build_filename (target, program, NULL);
  return cured_fail_null (error, CURED_ERROR_PROTOCOL,
                          _ ("“%s sh” says something else than where the program is: %s"), launcher,
                          answer);
}
