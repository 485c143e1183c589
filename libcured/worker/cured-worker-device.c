/* SPDX-License-Identifier: MIT
 * The device that forwards whole cells to another process. */
#include "config.h"

#include "worker/cured-worker-internal.h"

#include <inttypes.h>
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib-unix.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "base/cured-own.h"
#include "kernel/cured-compile-options-internal.h"
#include "kernel/cured-sources-internal.h"
#include "measure/cured-measure-internal.h"
#include "measure/cured-share-internal.h"
#include "worker/cured-launcher-private.h"
#include "worker/cured-message-private.h"

/* From the start of the process to its hello: a driver on a machine with many GPUs, behind a
 * launcher, is slow. */
#define START_LIMIT_S 60.0

/* Limit of restarts of a worker that worked before: the cause of its death may be
 * temporary. */
#define RESTART_ATTEMPTS 3

/* Grace on a limit: the worker's own clock started later. */
#define GRACE_S 0.1

/* The emulator enforces the limit itself, and reports where the kernel was; it is killed if it does
 * not, such as while compiling. */
#define EMULATOR_GRACE_S 5.0

/* Least limit for compiling a variant, and again for its inputs and reference, whatever the cell's
 * limit. */
#define PREPARE_LIMIT_S 10.0

/* How long a worker may take to confirm a cancellation; starting another one takes
 * longer. */
#define CANCEL_LIMIT_S 0.5

/* How long a worker may take to end by itself: when its result is no longer needed, and when
 * another one follows. */
#define CLOSE_LIMIT_S 0.5
#define RENEW_LIMIT_S 2.0

/* How long the end of a worker may take before the next one is started beside it. A driver needs
 * seconds to clean up after a hanging kernel. */
#define LEAVE_LIMIT_S 10.0

/* The exit status of ssh when its connection is lost. */
#define CONNECTION_LOST 255

/* Time in which all processes of a killed job die. */
#define JOB_DEATH_US 250000

/* The part of a worker's standard error that is kept, to explain its death. */
#define WORDS_KEPT_BYTES 4096
#define WORDS_KEPT_LINES 3

/* Hints are dropped, not queued, if this many bytes are still to be sent. */
#define QUEUE_MAX_HINTS_BYTES (1 << 20)

/* Bytes of a file's contents per message: a multiple of 3, so that only the last is padded. */
#define INPUT_PIECE_BYTES ((gsize) 6 << 20)

/* The worker's descriptor of the share. */
#define SHARE_FD 3

/* A process, and our ends of its streams. */
typedef struct
{
  GPid pid;   /* 0: none */
  int input;  /* socket to its standard input */
  int output; /* its standard output */
  int errors; /* its standard error */
} Process;

typedef struct
{
  CuredDevice parent;

  char **argv;
  char *command;         /* @argv for messages */
  gboolean is_immediate; /* without a launcher */
  CuredShare *share;     /* nullable: shared by the workers of this process */
  double start_limit_s, prepare_limit_s;
  gint64 start_ns;

  Process spare; /* started, but not greeted, so without a device */
  GPid pid;      /* 0: no process */
  GPid leaving;  /* asked to quit or killed, but not reaped yet; 0: none */
  gboolean is_greeted;
  int input;  /* socket to its standard input */
  int errors; /* its standard error; -1: closed */
  CuredLines lines;
  GByteArray *queue; /* to be sent */
  gsize n_sent;      /* bytes of it that were sent */
  GString *words;    /* the end of what it wrote on its standard error */

  GHashTable *kernels; /* CuredKernel → Known: kernels sent to this process */
  gint64 next_kernel;
  gint64 memory_bytes; /* limit of the process; 0: it is not confined */
  double grace_s;
  gint64 next_id;
} WorkerDevice;

/* A kernel that was sent. */
typedef struct
{
  gint64 number;
  CuredSources *sources;
  gboolean has_reference; /* the reference was sent, or is not needed */
} Known;

typedef enum
{
  WAIT_LINE,
  WAIT_END,
  WAIT_LIMIT,
  WAIT_CANCELLED,
  WAIT_GARBAGE,
} Wait;

CURED_FREE_FUNC (Known, known_free, sources, cured_sources_unref)

/* -- The process -- */

static void
child_setup_cb (gpointer user_data)
{
  /* A new session, so that a launcher's children can be killed with it, and Ctrl+C at the terminal
   * reaches only the runner. */
  setsid ();
}

/* Whether a process died while it was idle. */
static gboolean
is_dead (GPid pid)
{
  siginfo_t info = { 0 };

  return waitid (P_PID, (id_t) pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid != 0;
}

static gpointer
reap_thread (gpointer data)
{
  waitpid (GPOINTER_TO_INT (data), NULL, 0);
  return NULL;
}

static void
clear_queue (WorkerDevice *self)
{
  g_byte_array_set_size (self->queue, 0);
  self->n_sent = 0;
}

static void
forget_process (WorkerDevice *self)
{
  close (self->input);
  close (self->lines.fd);
  if (self->errors >= 0)
    close (self->errors);
  _cured_lines_clear (&self->lines);
  clear_queue (self);
  g_hash_table_remove_all (self->kernels);
  self->pid = 0;
  self->is_greeted = FALSE;
}

/* @seconds from now, by the monotonic clock. */
static gint64
get_deadline (double seconds)
{
  return g_get_monotonic_time () + (gint64) (seconds * 1e6);
}

/* Waits up to @limit_s for the process that was killed last. */
static gboolean
wait_for_leaving (WorkerDevice *self, double limit_s, GCancellable *cancellable, GError **error)
{
  gint64 deadline_us = get_deadline (limit_s);

  while (self->leaving != 0)
    {
      if (waitpid (self->leaving, NULL, WNOHANG) != 0)
        self->leaving = 0;
      else if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      else if (g_get_monotonic_time () >= deadline_us)
        {
          GThread *reaper =
              g_thread_try_new ("cured-reap", reap_thread, GINT_TO_POINTER (self->leaving), NULL);

          g_clear_pointer (&reaper, g_thread_unref);
          self->leaving = 0;
        }
      else
        g_usleep (2000);
    }
  return TRUE;
}

/* Waits for the process that was asked to quit, since nothing may be measured beside it. */
static gboolean
see_off (WorkerDevice *self, GCancellable *cancellable, GError **error)
{
  gint64 deadline_us = get_deadline (RENEW_LIMIT_S);

  while (self->leaving != 0 && !is_dead (self->leaving) && g_get_monotonic_time () < deadline_us)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      g_usleep (2000);
    }
  if (self->leaving != 0 && !is_dead (self->leaving))
    {
      kill (-self->leaving, SIGKILL);
      kill (self->leaving, SIGKILL);
    }
  return wait_for_leaving (self, LEAVE_LIMIT_S, cancellable, error);
}

/* Kills the process and its children. Does not wait, since a driver may take seconds to release a
 * process whose kernel hangs. */
static void
kill_process (WorkerDevice *self)
{
  if (self->pid == 0)
    return;
  if (self->leaving != 0)
    wait_for_leaving (self, 0, NULL, NULL);
  /* Kill before waiting, while the pid can't belong to another process. */
  kill (-self->pid, SIGKILL);
  kill (self->pid, SIGKILL);
  self->leaving = self->pid;
  forget_process (self);
}

static gboolean
spawn_process (WorkerDevice *self, Process *process, GError **error)
{
  g_autoptr (GError) spawn_error = NULL;
  int share_fd = self->share != NULL ? _cured_share_get_fd (self->share) : -1;
  const int target_fd = SHARE_FD;
  int sockets[2];

  /* A socket, because writing to a dead one can be kept from raising
   * SIGPIPE. */
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                   _ ("Can't make a socket for a worker: %s"), g_strerror (errno));
      return FALSE;
    }
  if (!g_spawn_async_with_pipes_and_fds (
          NULL, (const char *const *) self->argv, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES, child_setup_cb,
          NULL, sockets[1], -1, -1, &share_fd, &target_fd, share_fd >= 0 ? 1 : 0, &process->pid,
          NULL, &process->output, &process->errors, &spawn_error))
    {
      process->pid = 0;
      close (sockets[0]);
      close (sockets[1]);
      return cured_fail (error, CURED_ERROR_NO_DEVICE, _ ("Can't start the worker “%s”: %s"),
                         self->command, spawn_error->message);
    }
  close (sockets[1]);
  process->input = sockets[0];
  g_unix_set_fd_nonblocking (process->input, TRUE, NULL);
  g_unix_set_fd_nonblocking (process->output, TRUE, NULL);
  g_unix_set_fd_nonblocking (process->errors, TRUE, NULL);
  return TRUE;
}

/* A spare process has no device to close, and is killed at once. */
static void
kill_spare (WorkerDevice *self)
{
  if (self->spare.pid == 0)
    return;
  kill (-self->spare.pid, SIGKILL);
  kill (self->spare.pid, SIGKILL);
  waitpid (self->spare.pid, NULL, 0);
  close (self->spare.input);
  close (self->spare.output);
  close (self->spare.errors);
  self->spare.pid = 0;
}

static void
queue_message (WorkerDevice *self, JsonObject *message)
{
  g_autofree char *line = _cured_message_to_line (message);

  g_byte_array_append (self->queue, (const guint8 *) line, strlen (line));
}

/* Takes the spare process, if any, and greets it, whereupon it opens the device. */
static gboolean
start_process (WorkerDevice *self, GError **error)
{
  CuredHello hello = { .protocol = CURED_WORKER_PROTOCOL, .version = (char *) CURED_VERSION };

  if (self->spare.pid != 0 && is_dead (self->spare.pid))
    kill_spare (self);
  if (self->spare.pid == 0 && !spawn_process (self, &self->spare, error))
    return FALSE;
  Process process = self->spare;
  self->spare.pid = 0;
  self->pid = process.pid;
  self->input = process.input;
  self->errors = process.errors;
  self->is_greeted = FALSE;
  g_string_truncate (self->words, 0);
  _cured_lines_init (&self->lines, process.output);

  if (self->share != NULL)
    hello.share = SHARE_FD;
  g_autoptr (JsonObject) message = _cured_message_of ("hello", &_cured_hello_record, &hello);
  queue_message (self, message);
  return TRUE;
}

/* -- Communication -- */

/* Sends as much as possible. Ignores errors, since the end of the worker's output follows. */
static void
flush_queue (WorkerDevice *self)
{
  while (self->n_sent < self->queue->len)
    {
      gssize n = send (self->input, self->queue->data + self->n_sent,
                       self->queue->len - self->n_sent, MSG_NOSIGNAL | MSG_DONTWAIT);

      if (n > 0)
        self->n_sent += (gsize) n;
      else if (n < 0 && errno == EINTR)
        continue;
      else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return;
      else
        break;
    }
  clear_queue (self);
}

static void
read_errors (WorkerDevice *self)
{
  char buffer[4096];
  gssize n = -1;

  if (self->errors < 0)
    return;
  /* Limited, since a worker may write faster than this reads. */
  for (int i = 0; i < 16 && (n = read (self->errors, buffer, sizeof buffer)) > 0; i++)
    {
      g_string_append_len (self->words, buffer, n);
      if (self->words->len > 2 * WORDS_KEPT_BYTES)
        g_string_erase (self->words, 0, (gssize) self->words->len - WORDS_KEPT_BYTES);
    }
  if (n == 0)
    {
      close (self->errors);
      self->errors = -1;
    }
}

static int
poll_timeout_ms (gint64 deadline_us)
{
  gint64 left_us = deadline_us - g_get_monotonic_time ();

  if (deadline_us == G_MAXINT64)
    return -1;
  return (int) CLAMP ((left_us + 999) / 1000, 0, G_MAXINT);
}

/* Waits for the worker's next line until the deadline, even if the worker writes without end. Sets
 * @error only for WAIT_GARBAGE. */
static Wait
wait_for_line (WorkerDevice *self, gint64 deadline_us, GCancellable *cancellable, char **line,
               GError **error)
{
  GPollFD cancel_fd = { .fd = -1 };
  gboolean has_cancel_fd = g_cancellable_make_pollfd (cancellable, &cancel_fd);
  gboolean is_late = g_get_monotonic_time () > deadline_us, is_last = FALSE;
  Wait result = WAIT_LIMIT;

  for (;;)
    {
      struct pollfd fds[4] = {
        { .fd = self->lines.fd, .events = POLLIN },
        { .fd = self->errors, .events = POLLIN },
        { .fd = cancel_fd.fd, .events = POLLIN },
        { .fd = self->input, .events = POLLOUT },
      };
      CuredLinesStatus status = CURED_LINES_NOTHING;

      if (g_cancellable_is_cancelled (cancellable))
        {
          result = WAIT_CANCELLED;
          break;
        }
      if (is_late)
        break;
      *line = _cured_lines_take (&self->lines);
      if (*line != NULL)
        {
          result = WAIT_LINE;
          break;
        }
      if (is_last)
        break;
      /* Lines that arrived while waiting count. */
      is_last = g_get_monotonic_time () >= deadline_us;
      flush_queue (self);
      if (self->queue->len == 0)
        fds[3].fd = -1;
      poll (fds, G_N_ELEMENTS (fds), poll_timeout_ms (deadline_us));
      read_errors (self);
      if (fds[0].revents != 0)
        status = _cured_lines_read (&self->lines, error);
      if (status == CURED_LINES_END)
        {
          result = WAIT_END;
          break;
        }
      if (status == CURED_LINES_ERROR)
        {
          result = WAIT_GARBAGE;
          break;
        }
    }
  if (has_cancel_fd)
    g_cancellable_release_fd (cancellable);
  return result;
}

/* The last lines that the worker wrote on its standard error, in one line. */
static char *
last_words (WorkerDevice *self)
{
  g_autofree char *valid = g_utf8_make_valid (self->words->str, (gssize) self->words->len);
  g_auto (GStrv) lines = g_strsplit_set (valid, "\r\n", -1);
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_kept = 0;

  for (guint i = g_strv_length (lines); i > 0 && n_kept < WORDS_KEPT_LINES; i--)
    {
      const char *line = g_strstrip (lines[i - 1]);

      if (*line == '\0')
        continue;
      if (n_kept > 0)
        g_string_prepend (text, " | ");
      g_string_prepend (text, line);
      n_kept++;
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Reaps a worker whose output ended. Returns a description of its end; @status: its exit status, or
 * -1. */
static char *
bury_process (WorkerDevice *self, int *status)
{
  g_autofree char *how = NULL;
  siginfo_t info = { 0 };

  /* The output ends shortly before the process. */
  for (int i = 0; i < 500 && info.si_pid == 0; i++)
    {
      if (waitid (P_PID, (id_t) self->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        break;
      if (info.si_pid == 0)
        g_usleep (2000);
    }
  /* No kernel causes this signal. If a batch system kills all processes of a job, this one will be
   * killed soon, and the cell did not crash. */
  if (info.si_code == CLD_KILLED && info.si_status == SIGKILL)
    g_usleep (JOB_DEATH_US);
  read_errors (self);

  *status = info.si_pid != 0 && info.si_code == CLD_EXITED ? info.si_status : -1;
  if (info.si_pid == 0)
    how = g_strdup (_ ("the worker closed its output"));
  else if (*status == CURED_LAUNCHER_NO_PROGRAM)
    how = g_strdup (
        _ ("there is no Cured where the launcher leads; unpack it there, or let “--push” copy it"));
  else if (*status == 0 && !self->is_greeted && !self->is_immediate)
    how = g_strdup (_ ("the worker had nothing to read; the launcher has to pass its standard "
                       "input on, as “docker run -i” and “kubectl exec -i” do"));
  else if (info.si_code == CLD_EXITED)
    how = g_strdup_printf (_ ("the worker ended with exit status %d"), info.si_status);
  else
    how = g_strdup_printf (_ ("the worker was killed by signal %d (%s)"), info.si_status,
                           g_strsignal (info.si_status));
  g_autofree char *words = last_words (self);
  if (self->memory_bytes > 0 &&
      (info.si_pid == 0 || info.si_code != CLD_EXITED || info.si_status != 0))
    {
      g_autofree char *memory =
          g_format_size_full ((guint64) self->memory_bytes, G_FORMAT_SIZE_IEC_UNITS);
      g_autofree char *plain = g_steal_pointer (&how);

      /* Translators: how a process ended, as “the worker was killed by signal 11”, and an amount of
       * memory. */
      how = g_strdup_printf (_ ("%s; it may have %s of memory"), plain, memory);
    }
  kill_process (self);
  wait_for_leaving (self, info.si_pid != 0 ? 1 : 0, NULL, NULL);
  return *words == '\0' ? g_steal_pointer (&how) : g_strdup_printf ("%s: %s", how, words);
}

/* -- The handshake -- */

/* Takes the device out of @hello, which the caller owns. */
static gboolean
check_hello (WorkerDevice *self, CuredHello *hello, GError **error)
{
  CuredDeviceInfo *info = &self->parent.info;

  if (hello->protocol != CURED_WORKER_PROTOCOL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                 _ ("Expected protocol %d, which this program speaks (Cured %s), and the worker "
                    "speaks %" PRId64 " (Cured %s): install the same version on both sides"),
                 CURED_WORKER_PROTOCOL, CURED_VERSION, hello->protocol,
                 hello->version != NULL ? hello->version : "?");
  else if (info->id == NULL)
    {
      *info = hello->device;
      hello->device = (CuredDeviceInfo){ 0 };
      return TRUE;
    }
  /* A replaced worker must have the device that the sweep's file names. */
  else if (!g_str_equal (info->name, hello->device.name) ||
           !g_str_equal (info->uuid, hello->device.uuid))
    g_set_error (error, CURED_ERROR, CURED_ERROR_DEVICE,
                 _ ("Expected the device %s %s, and the worker that was started again has %s %s"),
                 info->name, info->uuid, hello->device.name, hello->device.uuid);
  else
    return TRUE;
  return FALSE;
}

static gboolean
read_hello (WorkerDevice *self, JsonObject *message, GError **error)
{
  CuredHello hello = { 0 };

  cured_device_info_init (&hello.device);
  /* Not this machine's name: the other side sends its own. */
  *hello.device.host = '\0';
  gboolean ok = _cured_record_from_json (&_cured_hello_record, message, &hello, error) &&
                check_hello (self, &hello, error) &&
                (json_object_has_member (message, "device") ||
                 _cured_json_fail (error, "device", _ ("an object")));
  self->memory_bytes = hello.memory_bytes;
  _cured_record_clear (&_cured_hello_record, &hello);
  return ok;
}

static gboolean
wait_for_hello (WorkerDevice *self, GCancellable *cancellable, GError **error)
{
  gint64 deadline_us = get_deadline (self->start_limit_s);
  g_autofree char *line = NULL, *death = NULL;
  const char *type;
  int status;

  switch (wait_for_line (self, deadline_us, cancellable, &line, error))
    {
    case WAIT_LINE: break;
    case WAIT_END:
      see_off (self, cancellable, NULL);
      death = bury_process (self, &status);
      return cured_fail (error, CURED_ERROR_CRASHED,
                         _ ("Expected the worker “%s” to say hello: %s"), self->command, death);
    case WAIT_LIMIT:
      return cured_fail (error, CURED_ERROR_TIMED_OUT,
                         _ ("Expected the worker “%s” to say hello within %g s"), self->command,
                         self->start_limit_s);
    case WAIT_CANCELLED: g_cancellable_set_error_if_cancelled (cancellable, error); return FALSE;
    case WAIT_GARBAGE:
    default: return FALSE;
    }

  g_autoptr (JsonObject) message = _cured_message_parse (line, &type, error);
  if (message == NULL)
    {
      g_prefix_error (error, _ ("The worker “%s”: "), self->command);
      return FALSE;
    }
  if (g_str_equal (type, "hello"))
    return read_hello (self, message, error);
  if (g_str_equal (type, "error"))
    g_propagate_error (error, _cured_error_from_message (message));
  else
    g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                 _ ("Expected the worker “%s” to say “hello” first, and got “%s”"), self->command,
                 type);
  return FALSE;
}

static gboolean
try_to_start (WorkerDevice *self, GCancellable *cancellable, GError **error)
{
  if (self->pid == 0 &&
      (!wait_for_leaving (self, LEAVE_LIMIT_S, cancellable, error) || !start_process (self, error)))
    return FALSE;
  if (!wait_for_hello (self, cancellable, error))
    {
      see_off (self, cancellable, NULL);
      kill_process (self);
      return FALSE;
    }
  return TRUE;
}

static gboolean
ensure_started (WorkerDevice *self, GCancellable *cancellable, GError **error)
{
  gint64 began_us = g_get_monotonic_time ();
  g_autoptr (GError) local_error = NULL;
  gboolean is_again;
  int n_attempts = self->parent.info.id == NULL ? 1 : RESTART_ATTEMPTS;

  if (self->pid != 0 && self->is_greeted && is_dead (self->pid))
    kill_process (self);
  if (self->pid != 0 && self->is_greeted)
    return TRUE;

  do
    {
      /* Not every device has memory for two processes, or allows them. */
      gboolean is_beside = self->pid != 0 && self->leaving != 0;

      g_clear_error (&local_error);
      self->is_greeted = try_to_start (self, cancellable, &local_error);
      is_again = local_error != NULL &&
                 (is_beside || g_error_matches (local_error, CURED_ERROR, CURED_ERROR_CRASHED)) &&
                 !g_cancellable_is_cancelled (cancellable);
    }
  while (--n_attempts > 0 && is_again);
  if (self->is_greeted && !see_off (self, cancellable, &local_error))
    kill_process (self);
  self->start_ns += (g_get_monotonic_time () - began_us) * 1000;
  if (local_error != NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  return self->is_greeted;
}

/* -- Cells -- */

/* File names may contain any bytes, but id and path are for people, so make them valid UTF-8. */
static char *
dup_name (const char *name)
{
  return name != NULL ? g_filename_display_name (name) : NULL;
}

static CuredKernelMessage *
kernel_to_message (gint64 number, const CuredKernel *kernel, const CuredSources *sources)
{
  CuredKernelMessage *self = _cured_record_new (&_cured_kernel_record);

  self->number = number;
  self->id = dup_name (kernel->id);
  self->path = dup_name (kernel->path);
  self->source = g_strdup (kernel->source);
  if (!g_str_equal (sources->text, kernel->source))
    self->compiled = g_strdup (sources->text);
  self->included = g_ptr_array_new_with_free_func (_cured_included_record.free);
  for (gsize i = 0; i < sources->n; i++)
    {
      CuredIncluded *file = g_new0 (CuredIncluded, 1);

      file->name = g_strdup (sources->names[i]);
      file->text = g_strdup (sources->texts[i]);
      g_ptr_array_add (self->included, file);
    }
  return self;
}

/* Sends files of buffers that are too large for the kernel's text, except those in @digests, since
 * a worker may be confined, or on another machine. */
static void
queue_inputs (WorkerDevice *self, const CuredKernel *kernel, GHashTable *digests)
{
  for (gsize i = 0; i < kernel->n_buffers; i++)
    {
      const CuredBuffer *buffer = &kernel->buffers[i];
      gsize size = 0;

      if (!buffer->is_apart || buffer->contents == NULL ||
          !g_hash_table_add (digests, buffer->checksum))
        continue;
      const guint8 *bytes = g_bytes_get_data (buffer->contents, &size);
      for (gsize at = 0; at < size; at += INPUT_PIECE_BYTES)
        {
          g_autofree char *text = g_base64_encode (bytes + at, MIN (INPUT_PIECE_BYTES, size - at));
          CuredInput piece = { .digest = buffer->checksum, .bytes = text };
          g_autoptr (JsonObject) message =
              _cured_message_of ("input", &_cured_input_record, &piece);

          queue_message (self, message);
        }
    }
}

/* Sends a kernel once to each process, and again if a file that it includes has changed. Its
 * reference is sent with it if the job needs it: a source from a result file can be inspected even
 * if its reference is missing. */
static gboolean
queue_kernel (WorkerDevice *self, const CuredJob *job, gboolean has_check, gint64 *number,
              GError **error)
{
  g_autoptr (CuredSources) sources =
      _cured_workbench_get_sources (job->kernel, job->options, error);
  g_autoptr (CuredSources) reference_sources = NULL;
  g_autoptr (CuredKernel) reference = NULL;
  Known *known = g_hash_table_lookup (self->kernels, job->kernel);

  if (sources == NULL)
    return FALSE;
  if (known != NULL && cured_sources_equal (known->sources, sources) &&
      (known->has_reference || !has_check))
    {
      *number = known->number;
      return TRUE;
    }
  if (has_check && !cured_job_load_reference (job, &reference, error))
    return FALSE;
  if (reference != NULL)
    {
      reference_sources = _cured_workbench_get_sources (reference, job->options, error);
      if (reference_sources == NULL)
        return FALSE;
    }

  *number = known != NULL ? known->number : self->next_kernel++;
  g_autoptr (GHashTable) digests = g_hash_table_new (g_str_hash, g_str_equal);
  queue_inputs (self, job->kernel, digests);
  if (reference != NULL)
    queue_inputs (self, reference, digests);
  CuredKernelMessage *sent = kernel_to_message (*number, job->kernel, sources);
  if (reference != NULL)
    sent->reference = kernel_to_message (0, reference, reference_sources);
  g_autoptr (JsonObject) message = _cured_message_of ("kernel", &_cured_kernel_record, sent);
  _cured_kernel_record.free (sent);
  queue_message (self, message);
  known = g_new0 (Known, 1);
  known->number = *number;
  known->has_reference = has_check;
  known->sources = g_steal_pointer (&sources);
  g_hash_table_replace (self->kernels, cured_kernel_ref (job->kernel), known);
  return TRUE;
}

static void
queue_request (WorkerDevice *self, const char *type, CuredWorkerRequest *request,
               const CuredJob *job, gint64 id, gint64 number)
{
  JsonObject *parameters = json_object_new ();

  request->id = id;
  request->kernel = number;
  cured_options_clear (&request->options);
  cured_options_copy (job->options, &request->options);
  g_autoptr (JsonObject) message = _cured_message_of (type, &_cured_request_record, request);
  for (gsize i = 0; i < job->kernel->n_parameters; i++)
    json_object_set_int_member (parameters, job->kernel->parameters[i].name, job->values[i]);
  json_object_set_object_member (message, "parameters", parameters);
  queue_message (self, message);
}

static void
queue_job (WorkerDevice *self, const char *type, const CuredJob *job, gint64 id, gint64 number)
{
  CuredWorkerRequest request;

  _cured_request_init (&request);
  if (job->ranges != NULL && id >= 0)
    request.ranges = g_ptr_array_ref ((GPtrArray *) job->ranges);
  queue_request (self, type, &request, job, id, number);
  _cured_record_clear (&_cured_request_record, &request);
}

static void
worker_device_prepare (CuredDevice *device, const CuredJob *job)
{
  WorkerDevice *self = (WorkerDevice *) device;
  gint64 number;

  /* Replaces a killed process already here, so that it can start and compile; measuring the
   * next cell waits for its hello. Does not do so, or wait, while the old process has not
   * ended. */
  if (self->pid == 0)
    {
      if (self->leaving != 0 && waitpid (self->leaving, NULL, WNOHANG) == 0)
        return;
      self->leaving = 0;
      if (!start_process (self, NULL))
        return;
    }
  if (self->queue->len > QUEUE_MAX_HINTS_BYTES ||
      !queue_kernel (self, job, job->options->check, &number, NULL))
    return;
  queue_job (self, "prepare", job, -1, number);
  flush_queue (self);
}

/* The progress of a cell, as reported by its worker. */
typedef struct
{
  CuredStage stage;
  gint64 since_us, spent_ns[CURED_N_STAGES];
  double limit_s;     /* the current limit */
  gint64 deadline_us; /* G_MAXINT64: none */
  double grace_s;
} Whereabouts;

static void
enter_stage (Whereabouts *self, CuredStage stage)
{
  gint64 now_us = g_get_monotonic_time ();

  self->spent_ns[self->stage] += (now_us - self->since_us) * 1000;
  self->stage = stage;
  self->since_us = now_us;
}

/* Keeps the stages' times of a cell whose worker died. */
static void
keep_stages (Whereabouts *self, CuredOutcome *outcome)
{
  enter_stage (self, self->stage);
  memcpy (outcome->stage_ns, self->spent_ns, sizeof outcome->stage_ns);
}

static void
set_crashed (Whereabouts *self, CuredOutcome *outcome, const char *how)
{
  keep_stages (self, outcome);
  cured_outcome_set_state (outcome, CURED_STATE_CRASHED,
                           /* Translators: what a cell was in, as “compile”, and how its process
                            * ended, as “killed by signal 11”. */
                           _ ("in the stage “%s” %s"), cured_stage_get_title (self->stage), how);
}

static void
set_timed_out (Whereabouts *self, CuredOutcome *outcome)
{
  keep_stages (self, outcome);
  cured_outcome_set_state (outcome, CURED_STATE_TIMED_OUT,
                           /* Translators: seconds, and what it was in, as “compile”. */
                           _ ("exceeded its limit of %g s in the stage “%s”"), self->limit_s,
                           cured_stage_get_title (self->stage));
}

/* Returns TRUE if the cell is finished. */
static gboolean
handle_line (WorkerDevice *self, const char *line, gint64 id, const CuredJob *job,
             CuredOutcome *outcome, Whereabouts *where, gboolean *is_lost, GError **fatal,
             GError **garbage)
{
  CuredReply reply = { .id = -1 };
  const char *type;
  g_autoptr (JsonObject) message = _cured_message_parse (line, &type, garbage);

  if (message == NULL)
    return TRUE;
  if (g_str_equal (type, "error"))
    {
      g_propagate_error (fatal, _cured_error_from_message (message));
      return TRUE;
    }
  if (g_str_equal (type, "stage"))
    {
      reply.stage = where->stage;
      if (!_cured_record_from_json (&_cured_loaded_program_record, message, &reply, garbage))
        return TRUE;
      if (reply.id == id)
        {
          /* The time of the compiler and the reference does not count against the kernel. */
          if (where->stage <= CURED_STAGE_PREPARE && reply.stage > where->stage &&
              where->deadline_us < G_MAXINT64)
            {
              where->limit_s = reply.stage == CURED_STAGE_PREPARE
                                   ? MAX (job->options->limit_s, self->prepare_limit_s)
                                   : job->options->limit_s;
              where->deadline_us = get_deadline (where->limit_s + where->grace_s);
            }
          enter_stage (where, reply.stage);
          cured_job_enter_stage (job, reply.stage);
        }
      return FALSE;
    }
  if (!g_str_equal (type, "outcome"))
    return FALSE;
  if (!_cured_record_from_json (&_cured_reply_record, message, &reply, garbage))
    return TRUE;
  if (reply.id != id)
    return FALSE;
  *is_lost = reply.is_lost;
  /* Only this side decides whether a process died. */
  if (_cured_record_from_json (&_cured_outcome_record, message, outcome, garbage) &&
      (outcome->state == CURED_STATE_NOT_RUN || outcome->state == CURED_STATE_CRASHED))
    _cured_json_fail (garbage, "state", _ ("the name of a cell's state"));
  return TRUE;
}

/* As worker_device_measure(). @was_lost: (nullable): set if the connection may have been lost;
 * @outcome is then unchanged. */
static gboolean
measure_once (WorkerDevice *self, const CuredJob *job, CuredOutcome *outcome, gboolean *was_lost,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) local_error = NULL, garbage = NULL;
  g_autofree char *reason = NULL;
  Whereabouts where = { .stage = CURED_STAGE_COMPILE, .deadline_us = G_MAXINT64 };
  gboolean is_lost = FALSE, is_over = FALSE;
  double limit_s = job->options->limit_s;
  gint64 id = self->next_id++, number;
  int status;

  if (!ensure_started (self, cancellable, error))
    return FALSE;
  if (!queue_kernel (self, job, job->options->check, &number, &local_error))
    {
      cured_outcome_set_state (outcome, CURED_STATE_FAILED, "%s", local_error->message);
      return TRUE;
    }
  queue_job (self, "measure", job, id, number);
  where.since_us = g_get_monotonic_time ();

  where.grace_s = self->grace_s;
  if (limit_s > 0 && limit_s < 1e9)
    {
      where.limit_s = MAX (limit_s, self->prepare_limit_s);
      where.deadline_us = get_deadline (where.limit_s + self->grace_s);
    }
  while (!is_over)
    {
      g_autofree char *line = NULL;
      Wait wait = wait_for_line (self, where.deadline_us, cancellable, &line, &garbage);

      if (wait == WAIT_LINE)
        is_over =
            handle_line (self, line, id, job, outcome, &where, &is_lost, &local_error, &garbage);
      if (wait == WAIT_CANCELLED)
        {
          kill_process (self);
          g_cancellable_set_error_if_cancelled (cancellable, error);
          return FALSE;
        }
      if (wait == WAIT_LIMIT)
        {
          kill_process (self);
          set_timed_out (&where, outcome);
          return TRUE;
        }
      if (wait == WAIT_END)
        {
          reason = bury_process (self, &status);
          if (was_lost != NULL && status == CONNECTION_LOST)
            *was_lost = TRUE;
          else
            set_crashed (&where, outcome, reason);
          return TRUE;
        }
      is_over |= garbage != NULL;
    }

  if (local_error != NULL)
    {
      kill_process (self);
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  if (garbage != NULL)
    {
      kill_process (self);
      /* Discard a partly read outcome. */
      for (int i = 0; i < CURED_N_METRICS; i++)
        outcome->metrics[i] = (double) NAN;
      g_clear_pointer (&outcome->cold, cured_samples_free);
      g_clear_pointer (&outcome->hot, cured_samples_free);
      reason = g_strdup_printf (_ ("the worker can't be understood: %s"), garbage->message);
      set_crashed (&where, outcome, reason);
    }
  else if (is_lost)
    kill_process (self);
  return TRUE;
}

static gboolean
worker_device_measure (CuredDevice *device, const CuredJob *job, CuredOutcome *outcome,
                       GCancellable *cancellable, GError **error)
{
  WorkerDevice *self = (WorkerDevice *) device;
  gboolean was_lost = FALSE;

  if (!measure_once (self, job, outcome, &was_lost, cancellable, error))
    return FALSE;
  /* ssh's exit status is the same for a kernel that kills its process and for a lost connection;
   * but only the kernel does it again. */
  return !was_lost || measure_once (self, job, outcome, NULL, cancellable, error);
}

/* -- Answers -- */

/* Whether @line is the answer to request @id. */
static gboolean
handle_answer (const char *line, gint64 id, const CuredRecordInfo *record, gpointer answer,
               GError **refusal, GError **garbage)
{
  CuredReply reply = { .id = -1 };
  const char *type = NULL;
  g_autoptr (JsonObject) message = _cured_message_parse (line, &type, garbage);

  if (message == NULL)
    return TRUE;
  if (g_str_equal (type, "error"))
    {
      g_propagate_error (garbage, _cured_error_from_message (message));
      return TRUE;
    }
  if (!g_str_equal (type, "answer") && !g_str_equal (type, "refusal"))
    return FALSE;
  if (!_cured_record_from_json (&_cured_reply_record, message, &reply, garbage))
    return TRUE;
  if (reply.id != id)
    return FALSE;
  JsonNode *data = json_object_get_member (message, "data");
  if (g_str_equal (type, "refusal"))
    g_propagate_error (refusal, _cured_error_from_message (message));
  else if (data == NULL || !JSON_NODE_HOLDS_OBJECT (data))
    _cured_json_fail (garbage, "data", _ ("an object"));
  else if (record != NULL)
    _cured_record_from_json (record, json_node_get_object (data), answer, garbage);
  return TRUE;
}

/* Cancels the request; the worker is kept if it confirms soon. */
static void
give_up (WorkerDevice *self, gint64 id)
{
  g_autoptr (JsonObject) cancel = _cured_message_new ("cancel");
  gint64 deadline_us = get_deadline (CANCEL_LIMIT_S);

  json_object_set_int_member (cancel, "id", id);
  queue_message (self, cancel);
  for (;;)
    {
      g_autofree char *line = NULL;
      g_autoptr (GError) refusal = NULL, garbage = NULL;

      if (wait_for_line (self, deadline_us, NULL, &line, &garbage) != WAIT_LINE)
        break;
      if (handle_answer (line, id, NULL, NULL, &refusal, &garbage) && garbage == NULL)
        return;
      if (garbage != NULL)
        break;
    }
  kill_process (self);
}

/* Lets the process end by itself, so that a launcher ends, too. */
static void
end_process (WorkerDevice *self, double limit_s)
{
  gint64 deadline_us = get_deadline (limit_s);

  if (self->pid != 0 && self->is_greeted)
    {
      g_autoptr (JsonObject) quit = _cured_message_new ("quit");

      queue_message (self, quit);
      flush_queue (self);
      while (!is_dead (self->pid) && g_get_monotonic_time () < deadline_us)
        g_usleep (2000);
    }
  kill_process (self);
  wait_for_leaving (self, 0.2, NULL, NULL);
}

/* While a process measures, starts the next one as far as possible without the device. With a
 * launcher, there may be no resources for two. */
static void
worker_device_foresee (CuredDevice *device)
{
  WorkerDevice *self = (WorkerDevice *) device;

  if (self->is_immediate && self->is_greeted && self->spare.pid == 0)
    spawn_process (self, &self->spare, NULL);
}

/* If the next process has been started, it opens the device while the old one cleans up, and
 * measures when that has ended. */
static void
worker_device_renew (CuredDevice *device)
{
  WorkerDevice *self = (WorkerDevice *) device;
  gint64 began_us = g_get_monotonic_time ();

  if (self->spare.pid != 0 && self->is_greeted && wait_for_leaving (self, 0, NULL, NULL))
    {
      g_autoptr (JsonObject) quit = _cured_message_new ("quit");

      queue_message (self, quit);
      flush_queue (self);
      self->leaving = self->pid;
      forget_process (self);
      if (start_process (self, NULL))
        flush_queue (self);
    }
  else
    end_process (self, RENEW_LIMIT_S);
  self->start_ns += (g_get_monotonic_time () - began_us) * 1000;
}

static void
worker_device_close (CuredDevice *device)
{
  WorkerDevice *self = (WorkerDevice *) device;

  /* A driver needs time to clean up after both. */
  if (self->spare.pid != 0)
    kill (-self->spare.pid, SIGKILL);
  end_process (self, CLOSE_LIMIT_S);
  kill_spare (self);
  g_strfreev (self->argv);
  g_free (self->command);
  g_byte_array_unref (self->queue);
  g_string_free (self->words, TRUE);
  g_hash_table_unref (self->kernels);
  cured_device_info_clear (&self->parent.info);
  if (self->share != NULL)
    _cured_share_leave ();
  g_free (self);
}

static const CuredCellClass worker_device_class = {
  .parent = { .close = worker_device_close },
  .measure = worker_device_measure,
  .prepare = worker_device_prepare,
  .foresee = worker_device_foresee,
  .renew = worker_device_renew,
};

/* Sends the request @type about the kernel of @job, waits at most @limit_s seconds, and fills
 * @answer by @record. FALSE with %CURED_ERROR_CRASHED or %CURED_ERROR_TIMED_OUT, when the worker
 * has ended, %CURED_ERROR_PROTOCOL, %G_IO_ERROR_CANCELLED, or the worker's error. */
gboolean
_cured_worker_device_ask (CuredDevice *device, const char *type, CuredWorkerRequest *request,
                          const CuredJob *job, const CuredRecordInfo *record, gpointer answer,
                          double limit_s, GCancellable *cancellable, GError **error)
{
  WorkerDevice *self = (WorkerDevice *) device;
  g_autoptr (GError) refusal = NULL, garbage = NULL;
  g_autofree char *death = NULL;
  gint64 id = self->next_id++, number;
  gboolean is_over = FALSE;
  int status;

  if (!ensure_started (self, cancellable, error) ||
      !queue_kernel (self, job, FALSE, &number, error))
    return FALSE;
  queue_request (self, type, request, job, id, number);
  gint64 deadline_us = get_deadline (limit_s);
  while (!is_over)
    {
      g_autofree char *line = NULL;

      switch (wait_for_line (self, deadline_us, cancellable, &line, &garbage))
        {
        case WAIT_LINE:
          is_over = handle_answer (line, id, record, answer, &refusal, &garbage);
          break;
        case WAIT_CANCELLED:
          give_up (self, id);
          g_cancellable_set_error_if_cancelled (cancellable, error);
          return FALSE;
        case WAIT_LIMIT:
          kill_process (self);
          return cured_fail (error, CURED_ERROR_TIMED_OUT,
                             _ ("Compiling and emulating took longer than %g s and was stopped"),
                             limit_s);
        case WAIT_END:
          death = bury_process (self, &status);
          return cured_fail (
              error, CURED_ERROR_CRASHED,
              _ ("The process that compiles and emulates did not survive this kernel: %s"), death);
        case WAIT_GARBAGE:
        default: is_over = TRUE; break;
        }
    }
  if (garbage != NULL)
    {
      kill_process (self);
      g_propagate_error (error, g_steal_pointer (&garbage));
      return FALSE;
    }
  if (refusal != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&refusal));
      return FALSE;
    }
  return TRUE;
}

/* Nanoseconds spent waiting for workers to start since the last call; 0 if @device is in this
 * process. */
gint64
_cured_worker_device_take_start_ns (CuredDevice *device)
{
  WorkerDevice *self = (WorkerDevice *) device;

  if (device->klass != &worker_device_class.parent)
    return 0;
  gint64 start_ns = self->start_ns;
  self->start_ns = 0;
  return start_ns;
}

/* @start_s: from the start of a process to its hello
 * @prepare_s: least limit for compiling a variant, and for its inputs and reference */
void
_cured_worker_device_set_limits (CuredDevice *device, double start_s, double prepare_s)
{
  WorkerDevice *self = (WorkerDevice *) device;

  self->start_limit_s = start_s;
  self->prepare_limit_s = prepare_s;
}

/* The pid of its process; 0 if there is none now. */
int
_cured_worker_device_get_pid (CuredDevice *device)
{
  return ((WorkerDevice *) device)->pid;
}

/* Whether @command is the worker itself, with its environment: a program without arguments, or with
 * the only argument `worker`. With other arguments, it may be a launcher, such as `ssh host`. */
static gboolean
is_immediate (const char *const *command)
{
  if (g_str_equal (command[0], "env"))
    for (command++; command[0] != NULL && strchr (command[0], '=') != NULL;)
      command++;
  return command[0] != NULL &&
         (command[1] == NULL || (g_str_equal (command[1], "worker") && command[2] == NULL));
}

/* @command: (array zero-terminated=1): the program and its arguments, optionally with a launcher
 *   before it (`ssh host cured worker`); gets `--device` and @id appended
 * @id: id of the device in the worker, such as `cuda:0`
 *
 * Starts a worker and waits for its device. The worker is restarted when it dies, or is
 * killed for a cell that exceeds its limit. Blocks while its driver starts, at most a
 * minute.
 * Returns: (transfer full): a device that measures whole cells in the other process. NULL with
 *   CURED_ERROR_NO_DEVICE if the command can't be started or has no such device,
 *   CURED_ERROR_PROTOCOL if it is not a worker of this version, CURED_ERROR_CRASHED or
 *   CURED_ERROR_TIMED_OUT if it does not answer */
CuredDevice *
cured_worker_device_new (const char *const *command, const char *id, GError **error)
{
  g_return_val_if_fail (command != NULL && command[0] != NULL && id != NULL, NULL);

  guint n_words = g_strv_length ((char **) command);
  WorkerDevice *self = g_new0 (WorkerDevice, 1);
  self->parent.klass = &worker_device_class.parent;
  self->argv = g_new0 (char *, n_words + 3);
  for (guint i = 0; i < n_words; i++)
    self->argv[i] = g_strdup (command[i]);
  self->argv[n_words] = g_strdup ("--device");
  self->argv[n_words + 1] = g_strdup (id);
  self->command = g_strjoinv (" ", self->argv);
  self->is_immediate = is_immediate (command);
  /* An emulator is not allowed to open files, and another host's worker can't open these. */
  if (self->is_immediate && !cured_device_is_emulated (id))
    self->share = _cured_share_enter ();
  _cured_worker_device_set_limits (&self->parent, START_LIMIT_S, PREPARE_LIMIT_S);
  self->errors = -1;
  self->queue = g_byte_array_new ();
  self->words = g_string_new (NULL);
  self->kernels =
      g_hash_table_new_full (NULL, NULL, (GDestroyNotify) cured_kernel_unref, known_free);
  self->grace_s = cured_device_is_emulated (id) ? EMULATOR_GRACE_S : GRACE_S;

  if (!ensure_started (self, NULL, error))
    {
      worker_device_close (&self->parent);
      return NULL;
    }
  return &self->parent;
}
