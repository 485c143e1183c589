/* SPDX-License-Identifier: MIT
 * Devices of another machine, or of a batch system: what is put before the
 * command. */
#include "config.h"

#include "worker/cured-launcher-private.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "base/cured-error.h"
#include "device/cured-devices-internal.h"
#include "worker/cured-message-private.h"
#include "worker/cured-worker.h"

/* A list of devices is a few kilobytes for each. */
#define MAX_LIST_BYTES ((gsize) 16 << 20)

/* What is kept of a command's standard error. */
#define MAX_WORDS_BYTES ((gsize) 64 << 10)

typedef struct
{
  GInputStream *stream;
  GCancellable *cancellable;
  gsize max_bytes;
  gboolean stops; /* reads no more than one byte beyond @max_bytes */
} Reading;

static gpointer
read_thread (gpointer data)
{
  const Reading *self = data;
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[16384];
  gssize n;

  while (!(self->stops && text->len > self->max_bytes) &&
         (n = g_input_stream_read (
              self->stream, buffer, sizeof buffer, self->cancellable, NULL)) >
             0)
    g_string_append_len (
        text,
        buffer,
        (gssize) MIN ((gsize) n, self->max_bytes + 1 - text->len));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static GPtrArray *
make_command (const char *launcher, GError **error)
{
  g_autoptr (GPtrArray) command = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) words = NULL;

  if (!g_shell_parse_argv (launcher, NULL, &words, error))
    {
      g_prefix_error (error, _ ("The launcher “%s”: "), launcher);
      return NULL;
    }
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (command, g_strdup (words[i]));
  g_ptr_array_add (command, g_strdup ("cured"));
  return g_steal_pointer (&command);
}

/**
 * cured_launcher_get_worker:
 * @launcher: (nullable): what starts a program elsewhere, as a shell would
 *   split it: `ssh gpu-server`, `srun --gpus=1`; NULL or empty: here
 * @error: a G_SHELL_ERROR, for a quote that has no end
 *
 * Returns: (transfer full) (array zero-terminated=1): the command of a worker,
 *   for cured_worker_device_new()
 */
char **
cured_launcher_get_worker (const char *launcher, GError **error)
{
  g_autoptr (GPtrArray) command = NULL;

  if (launcher == NULL || *launcher == '\0')
    return cured_worker_default_command ();
  command = make_command (launcher, error);
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
      JsonNode *value =
          json_object_get_member (json_node_get_object (node), infos[i].name);

      if (value != NULL && JSON_NODE_HOLDS_VALUE (value))
        G_STRUCT_MEMBER (gint64, limits, infos[i].offset) =
            json_node_get_int (value);
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

/**
 * _cured_launcher_read_devices:
 * @text: what “cured devices --json” prints
 * @error: set to a G_JSON_PARSER_ERROR or to CURED_ERROR_PROTOCOL
 *
 * Returns: (transfer full) (element-type CuredDeviceFound) (nullable): the
 *   devices
 */
GPtrArray *
_cured_launcher_read_devices (const char *text, GError **error)
{
  g_autoptr (JsonNode) root = _cured_json_parse (text, MAX_LIST_BYTES, error);
  g_autoptr (GPtrArray) list =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_device_found_free);
  JsonArray *array;

  if (root == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_ARRAY (root))
    {
      g_set_error_literal (error,
                           CURED_ERROR,
                           CURED_ERROR_PROTOCOL,
                           _ ("expected a list of devices"));
      return NULL;
    }
  array = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (JSON_NODE_HOLDS_OBJECT (node) &&
          get_text (json_node_get_object (node), "id") != NULL)
        g_ptr_array_add (list, read_device (json_node_get_object (node)));
    }
  return g_steal_pointer (&list);
}

/**
 * cured_launcher_list_devices:
 * @launcher: (nullable): as cured_launcher_get_worker() takes it
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * Asks the command behind @launcher for its devices; without a launcher, looks
 * on this machine. Blocks for as long as a connection takes. The emulator is
 * there as each of its chips.
 *
 * Returns: (transfer container) (element-type CuredDeviceFound): the devices;
 *   NULL with CURED_ERROR_NO_DEVICE where the launcher can't be started or its
 *   command fails, with CURED_ERROR_PROTOCOL where it says something else, or
 *   with G_IO_ERROR_CANCELLED
 */
GPtrArray *
cured_launcher_list_devices (const char *launcher,
                             GCancellable *cancellable,
                             GError **error)
{
  g_autoptr (GPtrArray) command = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GCancellable) done = g_cancellable_new ();
  g_autofree char *complaint = NULL;
  Reading complaints = { .max_bytes = MAX_WORDS_BYTES };
  Reading list_reading = { .max_bytes = MAX_LIST_BYTES, .stops = TRUE };
  GThread *thread = NULL;
  g_autoptr (GPtrArray) list = NULL;
  g_autoptr (GError) local_error = NULL;
  g_autofree char *output = NULL;
  g_autofree char *words = NULL;

  if (launcher == NULL || *launcher == '\0')
    {
      list = cured_device_list ();
      cured_device_list_chips (list);
      return g_steal_pointer (&list);
    }
  command = make_command (launcher, error);
  if (command == NULL)
    return NULL;
  g_ptr_array_add (command, g_strdup ("devices"));
  g_ptr_array_add (command, g_strdup ("--json"));
  g_ptr_array_add (command, NULL);

  process = g_subprocess_newv ((const char *const *) command->pdata,
                               G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                                   G_SUBPROCESS_FLAGS_STDERR_PIPE,
                               &local_error);
  if (process == NULL)
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_NO_DEVICE,
                   _ ("Can't start “%s”: %s"),
                   launcher,
                   local_error->message);
      return NULL;
    }
  /* In a thread, so that a command that complains at length does not wait for
   * its list to be read, and the other way round. */
  complaints.stream = g_subprocess_get_stderr_pipe (process);
  complaints.cancellable = done;
  thread = g_thread_new ("cured-launcher", read_thread, &complaints);
  list_reading.stream = g_subprocess_get_stdout_pipe (process);
  list_reading.cancellable = cancellable;
  output = read_thread (&list_reading);
  if (strlen (output) > MAX_LIST_BYTES ||
      g_cancellable_is_cancelled (cancellable))
    {
      g_subprocess_force_exit (process);
      g_cancellable_cancel (done);
    }
  complaint = g_thread_join (thread);
  words = g_utf8_make_valid (complaint, -1);
  if (!g_subprocess_wait (process, cancellable, error))
    return NULL;
  if (!g_subprocess_get_successful (process) &&
      strlen (output) <= MAX_LIST_BYTES)
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_NO_DEVICE,
                   _ ("“%s cured devices” failed; try it in a terminal. It "
                      "says: %s"),
                   launcher,
                   words != NULL && *words != '\0' ? g_strstrip (words) : "-");
      return NULL;
    }
  list = _cured_launcher_read_devices (output, &local_error);
  if (list == NULL)
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_PROTOCOL,
                   _ ("“%s cured devices” says something else than its "
                      "devices: %s"),
                   launcher,
                   local_error != NULL ? local_error->message : "…");
      return NULL;
    }
  cured_device_list_chips (list);
  return g_steal_pointer (&list);
}
