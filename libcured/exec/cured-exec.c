/* SPDX-License-Identifier: MIT
 * Runs a whole CUDA program with the emulator as its device: starts it with the client library in
 * place of CUDA's, answers its calls, and reports. */
#include "exec/cured-exec.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cured-base-internal.h"
#include "exec/cured-exec-private.h"
#include "ptx/cured-finding-internal.h"

#define DEFAULT_ARCH "sm_90"

/* The chip whose results and counts were recorded. */
#define RECORDED_ARCH "sm_90"

#define LIBRARY "libcured-exec.so"

/* The dynamic loader calls it for libraries that are loaded later. */
#define AUDIT "libcured-audit.so"

/* The dynamic loader calls it in a program that uses its GPU. */
#define RECORDER "libcured-recorder.so"

/* Names that programs load; all denote the client library. */
static const char *const library_names[] = { "libcudart.so.12", "libcudart.so.13", "libcuda.so.1",
                                             NULL };

/* A program that does not terminate within this time is killed. */
#define GRACE_MS 300

#define PROGRESS_MS 200

/* From the resource compiler; registering twice does no harm. */
void cured_exec_register_resource (void);

typedef struct
{
  CuredExec exec;
  char *folder;
  int listener;
  GThread *acceptor;
  GPtrArray *threads; /* (element-type GThread) */
  GArray *connections;
  GSubprocess *process;
  gboolean is_over;
} Run;

typedef struct
{
  CuredExec *exec;
  int fd;
} Connection;

/* ---- The program's side ---- */

/* Writes a library of the resource to the folder. */
static gboolean
write_file (const Run *self, const char *name, GError **error)
{
  g_autofree char *resource = g_strconcat ("/io/github/cured/exec/", name, NULL);
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr (GBytes) bytes =
      g_resources_lookup_data (resource, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  gsize size = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return data != NULL && g_file_set_contents_full (path, data, (gssize) size,
                                                   G_FILE_SET_CONTENTS_NONE, 0700, error);
}

/* Writes the libraries to the folder that the program searches. */
static gboolean
write_libraries (Run *self, GError **error)
{
  cured_exec_register_resource ();
  if (self->exec.options->is_gpu)
    return write_file (self, RECORDER, error);
  if (!write_file (self, LIBRARY, error) || !write_file (self, AUDIT, error))
    return FALSE;
  for (guint i = 0; library_names[i] != NULL; i++)
    {
      g_autofree char *name = g_build_filename (self->folder, library_names[i], NULL);

      if (symlink (LIBRARY, name) != 0)
        {
          int code = errno;

          g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s", name,
                       g_strerror (code));
          return FALSE;
        }
    }
  return TRUE;
}

static void
remove_folder (const Run *self)
{
  const char *const others[] = { LIBRARY, AUDIT, RECORDER, "socket", NULL };

  for (guint i = 0; i < 2; i++)
    for (const char *const *name = i == 0 ? library_names : others; *name != NULL; name++)
      {
        g_autofree char *path = g_build_filename (self->folder, *name, NULL);

        g_unlink (path);
      }
  g_rmdir (self->folder);
}

static gboolean
listen_at (Run *self, const char *path, GError **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  self->listener = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (self->listener >= 0 && strlen (path) < sizeof address.sun_path &&
      bind (self->listener, (const struct sockaddr *) &address, sizeof address) == 0 &&
      listen (self->listener, 16) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s", path,
               g_strerror (errno));
  return FALSE;
}

static gpointer
serve (gpointer data)
{
  Connection *connection = data;

  _cured_exec_serve (connection->exec, connection->fd);
  g_free (connection);
  return NULL;
}

static gpointer
accept_all (gpointer data)
{
  Run *self = data;

  for (;;)
    {
      int fd = accept4 (self->listener, NULL, NULL, SOCK_CLOEXEC);

      if (fd < 0 && errno == EINTR)
        continue;
      if (fd < 0)
        return NULL;
      Connection *connection = g_new (Connection, 1);
      *connection = (Connection){ &self->exec, fd };
      /* A duplicate, so that it can be shut down while its thread reads. */
      int own_fd = dup (fd);
      GThread *thread = g_thread_try_new ("cured-exec", serve, connection, NULL);

      g_array_append_val (self->connections, own_fd);
      if (thread != NULL)
        g_ptr_array_add (self->threads, thread);
      else
        {
          /* This makes the program lose its device. */
          shutdown (fd, SHUT_RDWR);
          close (fd);
          g_free (connection);
        }
    }
}

static void
put_first (GSubprocessLauncher *launcher, const char *variable, const char *value)
{
  const char *old = g_subprocess_launcher_getenv (launcher, variable);
  g_autofree char *both = g_strdup_printf ("%s:%s", value, old != NULL ? old : "");

  g_subprocess_launcher_setenv (launcher, variable, old != NULL && old[0] != '\0' ? both : value,
                                TRUE);
}

/* Sets an error with a remedy if the program is missing. */
static void
fail_to_start (const char *program, const GError *failure, GError **error)
{
  g_autofree char *stem = g_strndup (program, strlen (program) - MIN (strlen (program), 3));
  gboolean is_file = g_file_test (program, G_FILE_TEST_IS_REGULAR);

  if (is_file && g_str_has_suffix (program, ".cu"))
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("%s is a source, and no program yet; build it: nvcc -g -lineinfo -o %s %s"),
                 program, stem, program);
  else if (is_file && strchr (program, '/') == NULL &&
           g_error_matches (failure, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("%s is not in PATH; write ./%s for the one in this folder"), program, program);
  else if (g_error_matches (failure, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("There is no program %s; build it first, as with nvcc -g -lineinfo -o mine "
                    "mine.cu"),
                 program);
  else
    g_set_error_literal (error, failure->domain, failure->code, failure->message);
}

static gboolean
start (Run *self, char **argv, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_INHERIT);

  self->folder = g_dir_make_tmp ("cured-exec-XXXXXX", error);
  if (self->folder == NULL || !write_libraries (self, error))
    return FALSE;
  g_autofree char *path = g_build_filename (self->folder, "socket", NULL);
  if (!listen_at (self, path, error))
    return FALSE;
  g_autofree char *library = g_build_filename (self->folder, LIBRARY, NULL);
  g_autofree char *audit =
      g_build_filename (self->folder, self->exec.options->is_gpu ? RECORDER : AUDIT, NULL);
  if (self->exec.options->is_quiet)
    g_subprocess_launcher_take_stdout_fd (launcher, dup (STDERR_FILENO));
  put_first (launcher, "LD_AUDIT", audit);
  g_subprocess_launcher_setenv (launcher, EXEC_SOCKET_VARIABLE, path, TRUE);
  if (self->exec.options->is_gpu && self->exec.options->save != NULL)
    g_subprocess_launcher_setenv (launcher, EXEC_SAVE_VARIABLE, "1", TRUE);
  if (!self->exec.options->is_gpu)
    {
      put_first (launcher, "LD_PRELOAD", library);
      put_first (launcher, "LD_LIBRARY_PATH", self->folder);
    }
  /* Otherwise CuPy compiles machine code. */
  g_subprocess_launcher_setenv (launcher, "CUPY_COMPILE_WITH_PTX", "1", TRUE);
  self->process = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv, &failure);
  if (self->process == NULL)
    {
      fail_to_start (argv[0], failure, error);
      return FALSE;
    }
  self->acceptor = g_thread_try_new ("cured-exec-accept", accept_all, self, error);
  if (self->acceptor == NULL)
    g_subprocess_force_exit (self->process);
  return self->acceptor != NULL;
}

/* ---- While it runs ---- */

static void
ended_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Run *self = data;

  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  self->is_over = TRUE;
}

static gboolean
wake_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* Returns the number of launches. */
static guint64
tell_progress (Run *self)
{
  const CuredExecOptions *options = self->exec.options;
  CuredExecProgress progress;

  g_mutex_lock (&self->exec.mutex);
  self->exec.report->progress.elapsed_us = g_get_monotonic_time () - self->exec.begin_us;
  progress = self->exec.report->progress;
  g_mutex_unlock (&self->exec.mutex);
  if (options->progress != NULL)
    options->progress (&progress, options->progress_data);
  return progress.n_launches;
}

static void
wait_for_end (Run *self, GCancellable *cancellable)
{
  const CuredExecOptions *options = self->exec.options;
  gint64 limit_us = options->limit_us;
  guint64 n_launches = 0;
  gint64 kill_us = 0;
  guint timer = g_timeout_add (PROGRESS_MS, wake_cb, NULL);

  g_subprocess_wait_async (self->process, NULL, ended_cb, self);
  while (!self->is_over)
    {
      gint64 now_us = g_get_monotonic_time ();
      gboolean is_late = (limit_us > 0 && now_us - self->exec.begin_us > limit_us) ||
                         (options->n_launches > 0 && n_launches >= options->n_launches);

      if (kill_us == 0 && (is_late || g_cancellable_is_cancelled (cancellable)))
        {
          self->exec.report->is_stopped = TRUE;
          g_cancellable_cancel (self->exec.cancellable);
          g_subprocess_send_signal (self->process, SIGTERM);
          kill_us = now_us + GRACE_MS * 1000;
        }
      else if (kill_us != 0 && now_us > kill_us)
        g_subprocess_force_exit (self->process);
      g_main_context_iteration (NULL, TRUE);
      n_launches = tell_progress (self);
    }
  g_source_remove (timer);
  self->exec.report->program_status = g_subprocess_get_if_exited (self->process)
                                          ? g_subprocess_get_exit_status (self->process)
                                          : 128 + g_subprocess_get_term_sig (self->process);
}

/* Closes all connections, so that processes left behind lose the device. */
static void
stop (Run *self)
{
  if (self->listener >= 0)
    shutdown (self->listener, SHUT_RDWR);
  if (self->acceptor != NULL)
    g_thread_join (self->acceptor);
  g_cancellable_cancel (self->exec.cancellable);
  for (guint i = 0; i < self->connections->len; i++)
    {
      int fd = g_array_index (self->connections, int, i);

      shutdown (fd, SHUT_RDWR);
      close (fd);
    }
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (g_ptr_array_index (self->threads, i));
  if (self->listener >= 0)
    close (self->listener);
  if (self->folder != NULL)
    remove_folder (self);
}

/* ---- The report ---- */

typedef struct
{
  CuredExec *exec;
  GString *places; /* buffers that were named, with their allocations */
} Naming;

static gboolean
name_cb (const GMatchInfo *match, GString *result, gpointer data)
{
  Naming *naming = data;
  g_autofree char *number = g_match_info_fetch (match, 1);
  guint64 i = g_ascii_strtoull (number, NULL, 10);

  if (i == 0 || i > naming->exec->buffers->len)
    return FALSE;
  CuredExecBuffer *buffer = g_ptr_array_index (naming->exec->buffers, i - 1);
  g_autofree char *name = _cured_exec_get_buffer_name (naming->exec, buffer);
  g_autofree char *place = _cured_exec_site_to_string (buffer->site);
  g_string_append (result, name);
  if (place == NULL)
    return FALSE;
  /* Translators: a buffer's name, and a file and line. */
  g_autofree char *sentence = g_strdup_printf (_ ("%s was allocated at %s"), name, place);
  if (strstr (naming->places->str, sentence) == NULL)
    g_string_append_printf (naming->places, "%s%s", naming->places->len > 0 ? "; " : "", sentence);
  return FALSE;
}

/* Replaces the numbers of buffers by their names. */
static void
name_buffers (Naming *naming, const GRegex *regex, char **text)
{
  if (*text == NULL)
    return;
  char *named = g_regex_replace_eval (regex, *text, -1, 0, 0, name_cb, naming, NULL);
  g_free (*text);
  *text = named;
}

static void
finish_findings (CuredExec *self)
{
  GPtrArray *findings = self->report->findings;
  g_autoptr (GRegex) regex = g_regex_new ("allocation (\\d+)", 0, 0, NULL);

  CURED_EACH_POINTER (CuredExecHostFinding, host, self->host)
    {
      _cured_exec_site_resolve (host->site);
      host->finding->here.file = g_strdup (host->site->file);
      host->finding->here.line = host->site->line;
      if (host->other != NULL)
        {
          _cured_exec_site_resolve (host->other);
          host->finding->there.file = g_strdup (host->other->file);
          host->finding->there.line = host->other->line;
        }
      cured_findings_add (findings, host->finding);
    }
  CURED_EACH_POINTER (CuredFinding, finding, findings)
    {
      Naming naming = { self, g_string_new (NULL) };

      name_buffers (&naming, regex, &finding->object);
      name_buffers (&naming, regex, &finding->detail);
      if (naming.places->len > 0)
        {
          char *detail = finding->detail == NULL
                             ? g_strdup (naming.places->str)
                             : g_strdup_printf ("%s; %s", finding->detail, naming.places->str);

          g_free (finding->detail);
          finding->detail = detail;
        }
      g_string_free (naming.places, TRUE);
    }
}

/* Lists memory that was never freed, one line per call. */
static void
find_leaks (CuredExec *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->buffers->len; i++)
    {
      CuredExecBuffer *buffer = g_ptr_array_index (self->buffers, i);
      guint64 n_bytes = 0;
      guint n = 0;
      g_autofree char *size = NULL, *name = NULL, *place = NULL;

      if (buffer->is_freed || buffer->kind == EXEC_GRAPH_MEMORY ||
          !g_hash_table_add (seen, buffer->site))
        continue;
      for (guint k = i; k < self->buffers->len; k++)
        {
          const CuredExecBuffer *other = g_ptr_array_index (self->buffers, k);

          if (other->is_freed || other->site != buffer->site)
            continue;
          n_bytes += other->size;
          n++;
        }
      size = cured_format_count ((gint64) n_bytes);
      name = _cured_exec_get_buffer_name (self, buffer);
      place = _cured_exec_site_to_string (buffer->site);
      if (n > 1)
        {
          char *several = g_strdup_printf ("%u × %s", n, name);

          g_free (name);
          name = several;
        }
      g_ptr_array_add (
          self->report->leaks,
          place != NULL
              /* Translators: a buffer, its size, and a file and line. */
              ? g_strdup_printf (_ ("%s, %s bytes, allocated at %s"), name, size, place)
              : g_strdup_printf (_ ("%s, %s bytes"), name, size));
    }
}

/* Names of instructions, sorted; none: "". */
static char *
list_names (GHashTable *names)
{
  g_autofree gpointer *keys = g_hash_table_get_keys_as_array (names, NULL);

  qsort (keys, g_hash_table_size (names), sizeof *keys, _cured_compare_texts);
  return g_strjoinv (", ", (char **) keys);
}

/* (nullable): a text on the reliability of results and counts */
static char *
describe_fidelity (CuredExec *self)
{
  g_autofree char *inexact = list_names (self->inexact), *unruled = list_names (self->unruled);
  const char *arch = self->profile->arch;
  gboolean is_recorded = g_str_has_prefix (arch, RECORDED_ARCH);
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_watched = FALSE;

  for (guint i = 0; i < self->report->kernels->len; i++)
    is_watched |= ((CuredExecKernel *) g_ptr_array_index (self->report->kernels, i))->n_watched > 0;
  if (!is_watched)
    return NULL;
  g_string_append (text, _ ("Instructions of the watched launches give what an H200 gives, to the "
                            "bit."));
  if (*inexact != '\0' && !is_recorded)
    /* Translators: names of instructions, and of a chip, as sm_80. */
    g_string_append_printf (text,
                            _ (" Those of %s are approximations: an %s may differ in the last "
                               "bits."),
                            inexact, arch);
  if (!is_recorded)
    g_string_append_printf (text,
                            _ (" Bank conflicts and sectors are counted by rules measured on an "
                               "H200, and not confirmed on an %s."),
                            arch);
  if (*unruled != '\0')
    g_string_append_printf (
        text, _ (" Bank conflicts of %s are not counted: no rule has been measured."), unruled);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Summarizes the times of launches on a GPU. */
static void
sum_times (CuredExec *self)
{
  GHashTableIter iter;
  gpointer key = NULL, value = NULL;

  g_hash_table_iter_init (&iter, self->times);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      CuredExecKernel *kernel = key;
      GArray *times = value;
      double *ns = (double *) (gpointer) times->data;

      kernel->n_timed = times->len;
      if (times->len == 0)
        continue;
      kernel->least_ns = ns[0];
      for (guint i = 0; i < times->len; i++)
        {
          kernel->total_ns += ns[i];
          kernel->least_ns = MIN (kernel->least_ns, ns[i]);
        }
      kernel->median_ns = _cured_median (ns, times->len);
    }
}

CURED_FREE_FUNC (CuredExecKernel, kernel_free, name, g_free, path, g_free)

/* @self: a program's progress
 * Returns: (transfer full): "4 launches, 8.89 k instructions, 0.3 s" */
char *
cured_exec_progress_to_string (const CuredExecProgress *self)
{
  g_autofree char *launches = cured_format_count ((gint64) self->n_launches);
  g_autofree char *instructions = cured_format_quantity ((double) self->instructions, "");

  /* Translators: launches, instructions, and seconds. */
  return g_strdup_printf (ngettext ("%s launch, %s instructions, %.1f s",
                                    "%s launches, %s instructions, %.1f s",
                                    (gulong) self->n_launches),
                          launches, instructions, (double) self->elapsed_us / G_USEC_PER_SEC);
}

/* @self: a report, or zeros */
CURED_DEFINE_CLEAR (CuredExecReport, cured_exec_report_clear, kernels, g_ptr_array_unref, findings,
                    g_ptr_array_unref, notes, g_ptr_array_unref, leaks, g_ptr_array_unref, saved,
                    g_ptr_array_unref, fidelity, g_free)

/* @options: how to run it
 * @argv: the program with its arguments, searched in PATH
 * @report: (out caller-allocates): the report; clear it also after an error
 * @cancellable: (nullable): stops the program within a second; the report has the findings so far
 * @error: return location
 *
 * Runs a program, with the caller's privileges, whose CUDA device is the emulator. Blocks, and runs
 * the default main context meanwhile. Errors of the program are in the report, and return TRUE.
 * Returns: FALSE if it could not be started: %CURED_ERROR_NOT_FOUND (no such chip), or an error of
 *   GIO's or GLib's */
gboolean
cured_exec_run (const CuredExecOptions *options, char **argv, CuredExecReport *report,
                GCancellable *cancellable, GError **error)
{
  const char *arch = options->arch != NULL ? options->arch : DEFAULT_ARCH;
  Run run = { .listener = -1 };

  g_return_val_if_fail (options != NULL && argv != NULL && argv[0] != NULL, FALSE);

  *report = (CuredExecReport){
    .kernels = g_ptr_array_new_with_free_func ((GDestroyNotify) kernel_free),
    .findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free),
    .notes = g_ptr_array_new_with_free_func (g_free),
    .leaks = g_ptr_array_new_with_free_func (g_free),
    .saved = g_ptr_array_new_with_free_func (g_free),
  };
  run.exec.profile = cured_profile_find (arch);
  if (run.exec.profile == NULL || !run.exec.profile->is_emulated)
    return cured_fail (error, CURED_ERROR_NOT_FOUND,
                       _ ("There is no emulator of “%s”; “cured devices” lists them"), arch);
  run.exec.options = options;
  run.exec.report = report;
  run.exec.cancellable = g_cancellable_new ();
  run.exec.begin_us = g_get_monotonic_time ();
  g_mutex_init (&run.exec.mutex);
  run.exec.kernels = g_hash_table_new (g_str_hash, g_str_equal);
  run.exec.geometries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run.exec.times = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  run.exec.inexact = g_hash_table_new (g_str_hash, g_str_equal);
  run.exec.unruled = g_hash_table_new (g_str_hash, g_str_equal);
  run.exec.stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run.exec.launches = g_ptr_array_new_with_free_func ((GDestroyNotify) _cured_exec_saved_free);
  run.exec.sites =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) _cured_exec_site_free);
  run.exec.notes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run.exec.buffers = g_ptr_array_new_with_free_func (g_free);
  run.exec.host = g_ptr_array_new_with_free_func ((GDestroyNotify) _cured_exec_host_finding_free);
  run.threads = g_ptr_array_new ();
  run.connections = g_array_new (FALSE, FALSE, sizeof (int));

  gboolean is_started = start (&run, argv, error);
  if (is_started)
    wait_for_end (&run, cancellable);
  stop (&run);
  if (is_started)
    {
      report->progress.elapsed_us = g_get_monotonic_time () - run.exec.begin_us;
      finish_findings (&run.exec);
      /* A stopped program had no chance to free memory. */
      if (!report->is_stopped && !options->is_gpu)
        find_leaks (&run.exec);
      sum_times (&run.exec);
      _cured_exec_save_sweeps (&run.exec);
      report->fidelity = describe_fidelity (&run.exec);
    }
  g_clear_object (&run.process);
  g_ptr_array_unref (run.threads);
  g_array_unref (run.connections);
  g_hash_table_unref (run.exec.kernels);
  g_hash_table_unref (run.exec.geometries);
  g_hash_table_unref (run.exec.times);
  g_hash_table_unref (run.exec.inexact);
  g_hash_table_unref (run.exec.unruled);
  g_hash_table_unref (run.exec.stems);
  g_ptr_array_unref (run.exec.launches);
  g_hash_table_unref (run.exec.sites);
  g_hash_table_unref (run.exec.notes);
  g_ptr_array_unref (run.exec.buffers);
  g_ptr_array_unref (run.exec.host);
  g_object_unref (run.exec.cancellable);
  g_mutex_clear (&run.exec.mutex);
  g_free (run.folder);
  return is_started;
}
