/* SPDX-License-Identifier: MIT
 * The device process: messages in, cells measured, outcomes out. */
#include "config.h"

#include "device/cured-device-internal.h"
#include "worker/cured-worker-internal.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cured-bundle.h"
#include "base/cured-confine-internal.h"
#include "base/cured-error.h"
#include "base/cured-own.h"
#include "device/cured-compiler-internal.h"
#include "inspect/cured-workload-count.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-sources-internal.h"
#include "measure/cured-measure-internal.h"
#include "measure/cured-share-internal.h"
#include "worker/cured-message-private.h"

/* Printed output beyond this is dropped. */
#define OUTPUT_MAX_BYTES (64 << 10)

/* Freed memory that malloc() keeps. */
#define KEPT_BYTES (256 << 20)

enum
{
  EXIT_ERROR = 1,
  EXIT_DEVICE_LOST = 3,
};

/* Standard output, which is drained all the time, so that a kernel that prints without end fills
 * neither a pipe nor the memory. */
typedef struct
{
  GMutex lock;
  int fd; /* non-blocking */
  GString *kept;
  gboolean is_cut;
} Output;

typedef struct
{
  CuredKernel *kernel;
  CuredKernel *reference; /* nullable */
} WorkerKernel;

typedef struct
{
  int input, output;
  GAsyncQueue *lines; /* (element-type utf8): from the reading thread */
  GHashTable *kernels;
  GHashTable *inputs; /* (element-type utf8 GByteArray): by digests, for the next kernel */
  gsize n_input_bytes;
  CuredDevice *device;
  CuredCompiler *compiler; /* nullable: compiler for answers */
  Output printed;
  char *run_output; /* nullable: printed output of the cell's first run */
  gboolean has_run; /* the first run has ended, and others follow */
  GMutex write_lock;
  gint64 id; /* id of the cell that is being measured */
  GMutex cancel_lock;
  gint64 cancelled_id;       /* requests up to this id are cancelled */
  gint64 asked_id;           /* id of the request that is being answered */
  GCancellable *cancellable; /* nullable: for that request */
  int status;                /* atomic: exit status at the input's end */
} Worker;

CURED_FREE_FUNC (WorkerKernel, worker_kernel_free, kernel, cured_kernel_unref, reference,
                 cured_kernel_unref)

/* Ends the process if the other side is gone. */
static void
send_message (Worker *self, JsonObject *message)
{
  g_autofree char *line = _cured_message_to_line (message);
  gsize length = strlen (line), done = 0;

  g_mutex_lock (&self->write_lock);
  while (done < length)
    {
      gssize n = write (self->output, line + done, length - done);

      if (n >= 0)
        done += (gsize) n;
      else if (errno != EINTR)
        _exit (EXIT_ERROR);
    }
  g_mutex_unlock (&self->write_lock);
}

static void
send_error (Worker *self, const GError *error)
{
  g_autoptr (JsonObject) message = _cured_error_to_message (error);

  send_message (self, message);
}

/* -- Standard output -- */

static void
output_drain (Output *self)
{
  char buffer[4096];
  gssize n;

  while ((n = read (self->fd, buffer, sizeof buffer)) > 0)
    {
      gsize room = OUTPUT_MAX_BYTES - self->kept->len;

      g_string_append_len (self->kept, buffer, (gssize) MIN ((gsize) n, room));
      self->is_cut |= (gsize) n > room;
    }
}

static gpointer
output_thread (gpointer data)
{
  Output *self = data;
  struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };

  while (poll (&poll_fd, 1, -1) >= 0 || errno == EINTR)
    {
      g_mutex_lock (&self->lock);
      output_drain (self);
      g_mutex_unlock (&self->lock);
      if ((poll_fd.revents & (POLLHUP | POLLERR)) != 0)
        break;
    }
  return NULL;
}

static char *
output_take (Output *self)
{
  char *text = NULL;

  fflush (stdout);
  g_mutex_lock (&self->lock);
  output_drain (self);
  if (self->kept->len > 0)
    {
      g_autofree char *valid = g_utf8_make_valid (self->kept->str, (gssize) self->kept->len);

      text = self->is_cut
                 ? g_strdup_printf (_ ("%s\n(cut after %d bytes)"), valid, OUTPUT_MAX_BYTES)
                 : g_steal_pointer (&valid);
    }
  g_string_truncate (self->kept, 0);
  self->is_cut = FALSE;
  g_mutex_unlock (&self->lock);
  return text;
}

/* -- Descriptors -- */

static gboolean
start_thread (const char *name, GThreadFunc func, gpointer data)
{
  GThread *thread = g_thread_try_new (name, func, data, NULL);

  if (thread == NULL)
    errno = EAGAIN;
  else
    g_thread_unref (thread);
  return thread != NULL;
}

/* Device printf writes to standard output, so the protocol moves to another descriptor before any
 * device code starts; likewise for standard input. */
static gboolean
take_descriptors (Worker *self)
{
  int pipe_fds[2];

  self->input = fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  self->output = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (self->input < 0 || self->output < 0 || pipe2 (pipe_fds, O_CLOEXEC) < 0)
    return FALSE;
  int null_fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null_fd < 0 || dup2 (null_fd, STDIN_FILENO) < 0 || dup2 (pipe_fds[1], STDOUT_FILENO) < 0 ||
      fcntl (pipe_fds[0], F_SETFL, O_NONBLOCK) < 0)
    return FALSE;
  close (null_fd);
  close (pipe_fds[1]);

  g_mutex_init (&self->printed.lock);
  self->printed.fd = pipe_fds[0];
  self->printed.kept = g_string_new (NULL);
  return start_thread ("cured-output", output_thread, &self->printed);
}

/* Answers up to this one are cancelled. */
static void
cancel_answers (Worker *self, const char *line)
{
  const char *type = NULL;
  g_autoptr (JsonObject) message = _cured_message_parse (line, &type, NULL);
  CuredReply reply = { .id = -1 };

  if (message == NULL || !_cured_record_from_json (&_cured_reply_record, message, &reply, NULL))
    return;
  g_mutex_lock (&self->cancel_lock);
  self->cancelled_id = MAX (self->cancelled_id, reply.id);
  if (self->cancellable != NULL && self->asked_id <= self->cancelled_id)
    g_cancellable_cancel (self->cancellable);
  g_mutex_unlock (&self->cancel_lock);
}

/* Reads even while a cell is measured: the end of the input means that the outcome is no longer
 * needed, and a hanging kernel must not survive it. */
static gpointer
input_thread (gpointer data)
{
  Worker *self = data;
  g_auto (CuredLines) lines = { 0 };
  g_autoptr (GError) error = NULL;
  CuredLinesStatus status;

  _cured_lines_init (&lines, self->input);
  while ((status = _cured_lines_read (&lines, &error)) == CURED_LINES_MORE)
    {
      char *line;

      while ((line = _cured_lines_take (&lines)) != NULL)
        if (g_str_has_prefix (line, CURED_MESSAGE_CANCEL))
          {
            cancel_answers (self, line);
            g_free (line);
          }
        else
          g_async_queue_push (self->lines, line);
    }
  if (status == CURED_LINES_ERROR)
    {
      g_atomic_int_set (&self->status, EXIT_ERROR);
      send_error (self, error);
    }
  _exit (g_atomic_int_get (&self->status));
}

/* -- Messages -- */

/* The kernel's included files were read by the sender; they can't be found here. */
static CuredKernel *
make_kernel (const CuredKernelMessage *sent, GHashTable *inputs, GError **error)
{
  guint n = sent->included != NULL ? sent->included->len : 0;
  char **names = g_new0 (char *, n + 1), **texts = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    {
      const CuredIncluded *file = g_ptr_array_index (sent->included, i);

      names[i] = g_strdup (file->name);
      texts[i] = g_strdup (file->text);
    }
  g_autoptr (CuredSources) sources = _cured_sources_new_take (
      g_strdup (sent->compiled != NULL ? sent->compiled : sent->source), names, texts);
  return _cured_kernel_new_from_sources (sent->source, sent->id != NULL ? sent->id : "kernel",
                                         sent->path, sources, inputs, error);
}

static gboolean
handle_kernel (Worker *self, JsonObject *message, GError **error)
{
  CuredKernelMessage *sent = _cured_record_new (&_cured_kernel_record);
  WorkerKernel *entry = g_new0 (WorkerKernel, 1);
  gboolean ok = _cured_record_from_json (&_cured_kernel_record, message, sent, error) &&
                (entry->kernel = make_kernel (sent, self->inputs, error)) != NULL &&
                (sent->reference == NULL ||
                 (entry->reference = make_kernel (sent->reference, self->inputs, error)) != NULL);

  g_hash_table_remove_all (self->inputs);
  self->n_input_bytes = 0;
  if (ok)
    g_hash_table_replace (self->kernels, g_memdup2 (&sent->number, sizeof sent->number), entry);
  else
    worker_kernel_free (entry);
  _cured_kernel_record.free (sent);
  return ok;
}

/* Limit for a kernel and its reference. */
#define MAX_INPUT_BYTES (2 * (gsize) CURED_MAX_INPUT_BYTES)

/* Appends a piece of an input file of the next kernel. */
static gboolean
handle_input (Worker *self, JsonObject *message, GError **error)
{
  CuredInput sent = { NULL };
  gsize size = 0;

  if (!_cured_record_from_json (&_cured_input_record, message, &sent, error))
    {
      _cured_record_clear (&_cured_input_record, &sent);
      return FALSE;
    }
  g_autofree guint8 *bytes = g_base64_decode (sent.bytes, &size);
  GByteArray *whole = g_hash_table_lookup (self->inputs, sent.digest);
  if (whole == NULL)
    {
      whole = g_byte_array_new ();
      g_hash_table_insert (self->inputs, g_strdup (sent.digest), whole);
    }
  _cured_record_clear (&_cured_input_record, &sent);
  if (size > MAX_INPUT_BYTES - self->n_input_bytes)
    return cured_fail (error, CURED_ERROR_PROTOCOL,
                       _ ("Expected inputs of at most %d MiB for a kernel, and got more"),
                       (int) (MAX_INPUT_BYTES >> 20));
  self->n_input_bytes += size;
  g_byte_array_append (whole, bytes, (guint) size);
  return TRUE;
}

static gint64 *
read_values (JsonObject *parameters, CuredKernel *kernel, GError **error)
{
  const CuredParameter *rows = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;
  g_autofree gint64 *values = g_new0 (gint64, n_parameters + 1);
  g_autoptr (GList) names = json_object_get_members (parameters);

  for (GList *l = names; l != NULL; l = l->next)
    {
      gsize index;

      if (!cured_kernel_find_parameter (kernel, l->data, &index))
        return cured_fail_null (error, CURED_ERROR_PROTOCOL,
                                _ ("Expected parameters of the kernel “%s”, which has no “%s”"),
                                kernel->id, (const char *) l->data);
    }
  for (gsize i = 0; i < n_parameters; i++)
    {
      JsonNode *node = json_object_get_member (parameters, rows[i].name);

      values[i] = rows[i].default_value;
      if (node == NULL || JSON_NODE_HOLDS_NULL (node))
        continue;
      if (json_node_get_value_type (node) != G_TYPE_INT64)
        {
          _cured_json_fail (error, rows[i].name, _ ("an integer"));
          return NULL;
        }
      values[i] = json_node_get_int (node);
    }
  return g_steal_pointer (&values);
}

static void
stage_cb (CuredStage stage, gpointer user_data)
{
  Worker *self = user_data;
  CuredReply reply = { .id = self->id, .stage = stage };
  g_autoptr (JsonObject) message =
      _cured_message_of ("stage", &_cured_loaded_program_record, &reply);

  /* Keep the output of one run only: not that of the reference before it, nor of the hundreds of
   * timed runs. */
  if (stage == CURED_STAGE_CHECK)
    g_free (output_take (&self->printed));
  if (stage == CURED_STAGE_TIME)
    {
      self->run_output = output_take (&self->printed);
      self->has_run = TRUE;
    }

  send_message (self, message);
}

/* Copies of a cell's buffers: in the emulator, initial and expected contents. */
#define COPIES_OF_BUFFERS 6

static void
allow_cell (Worker *self, const CuredJob *job)
{
  const CuredLimits *limits = &cured_device_get_info (self->device)->limits;
  guint64 bytes = 0;

  if (!_cured_is_confined ())
    return;
  g_autoptr (CuredProgram) program = cured_program_new (job->kernel, job->values, limits, NULL);
  for (gsize i = 0; program != NULL && i < program->n_buffers; i++)
    bytes += MIN (program->buffers[i].size, G_GUINT64_CONSTANT (1) << 40);
  _cured_confine_allow (bytes * COPIES_OF_BUFFERS, job->options->limit_s);
}

static gboolean
measure (Worker *self, const CuredJob *job, GError **error)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GError) measure_error = NULL;
  gboolean is_lost = FALSE;

  self->has_run = FALSE;
  allow_cell (self, job);
  if (!cured_measure (self->device, job, outcome, NULL, &measure_error))
    {
      is_lost = g_error_matches (measure_error, CURED_ERROR, CURED_ERROR_STICKY);
      if (!is_lost)
        {
          g_propagate_error (error, g_steal_pointer (&measure_error));
          return FALSE;
        }
      if (outcome->state == CURED_STATE_NOT_RUN)
        cured_outcome_set_state (outcome, CURED_STATE_FAILED, "%s", measure_error->message);
    }

  g_autofree char *printed = output_take (&self->printed);
  if (self->has_run)
    {
      g_free (printed);
      printed = g_steal_pointer (&self->run_output);
    }
  if (printed != NULL && outcome->output == NULL)
    outcome->output = g_steal_pointer (&printed);

  g_autoptr (JsonObject) message = _cured_message_of (
      "outcome", &_cured_reply_record, &(CuredReply){ .id = self->id, .is_lost = is_lost });
  _cured_record_add_to_json (&_cured_outcome_record, outcome, message);
  send_message (self, message);

  /* With a lost context, even an orderly exit may hang. */
  if (is_lost)
    _exit (EXIT_DEVICE_LOST);
  return TRUE;
}

/* -- Answers -- */

typedef struct
{
  const char *type;
  JsonNode *(*find) (Worker *self, const CuredJob *job, const CuredWorkerRequest *request,
                     GError **error);
} Question;

static void
get_query (const CuredWorkerRequest *request, CuredBankQuery *query)
{
  cured_bank_query_init (query);
  if (request->step >= 0)
    query->step = (gsize) request->step;
  query->block = (guint64) request->block;
  query->warp = (guint) request->warp;
  query->arch = request->arch;
  if (request->seed != 0)
    query->seed = request->seed;
}

static CuredCompiler *
get_compiler (Worker *self, GError **error)
{
  if (self->compiler == NULL)
    self->compiler = cured_compiler_new (error);
  return self->compiler;
}

static JsonNode *
find_inspection (Worker *self, const CuredJob *job, const CuredWorkerRequest *request,
                 GError **error)
{
  CuredBankQuery query;

  get_query (request, &query);
  if (get_compiler (self, error) == NULL)
    return NULL;
  g_autoptr (CuredInspection) inspection = cured_inspection_new (
      self->compiler, job->kernel, job->values, &request->limits, &query,
      request->time_limit_ms > 0 ? request->time_limit_ms : CURED_INSPECTION_TIME_LIMIT_MS,
      self->cancellable, error);
  return inspection != NULL ? cured_record_to_json (&_cured_inspection_record, inspection) : NULL;
}

/* (nullable): the program of a request; makes sure that there is a compiler. */
static CuredProgram *
get_program (Worker *self, const CuredJob *job, const CuredWorkerRequest *request, GError **error)
{
  g_autoptr (CuredProgram) program =
      cured_program_new (job->kernel, job->values, &request->limits, error);

  return program != NULL && get_compiler (self, error) != NULL ? g_steal_pointer (&program) : NULL;
}

static JsonNode *
find_banks (Worker *self, const CuredJob *job, const CuredWorkerRequest *request, GError **error)
{
  g_autoptr (CuredProgram) program = get_program (self, job, request, error);
  CuredBankQuery query;

  if (program == NULL)
    return NULL;
  get_query (request, &query);
  g_autoptr (CuredBankView) view =
      request->widths_of != NULL
          ? cured_bank_view_new_widths (self->compiler, program, request->widths_of,
                                        self->cancellable, error)
          : cured_bank_view_new (self->compiler, program, &query, self->cancellable, error);
  return view != NULL ? cured_record_to_json (&_cured_bank_view_record, view) : NULL;
}

static JsonNode *
find_machine (Worker *self, const CuredJob *job, const CuredWorkerRequest *request, GError **error)
{
  g_autoptr (CuredProgram) program = get_program (self, job, request, error);
  CuredBankQuery query;

  if (program == NULL)
    return NULL;
  get_query (request, &query);
  g_autoptr (CuredMachineView) view =
      cured_machine_view_new (self->compiler, program, &query, self->cancellable, error);
  return view != NULL ? cured_record_to_json (&_cured_machine_view_record, view) : NULL;
}

static JsonNode *
find_demands (Worker *self, const CuredJob *job, const CuredWorkerRequest *request, GError **error)
{
  CuredDemands demands = { NULL };
  JsonNode *found = NULL;

  if (self->device->klass->launch == NULL)
    return cured_fail_null (error, CURED_ERROR_DEVICE,
                            _ ("This device does not say what a launch needs"));
  demands.demands = cured_inspect (self->device, job, error);
  if (demands.demands != NULL)
    found = cured_record_to_json (&_cured_demands_record, &demands);
  g_clear_pointer (&demands.demands, g_ptr_array_unref);
  return found;
}

static JsonNode *
find_work (Worker *self, const CuredJob *job, const CuredWorkerRequest *request, GError **error)
{
  CuredWorkQuery query;

  cured_work_query_init (&query);
  query.blocks = request->blocks;
  query.registers = request->registers;
  query.traffic_ms = request->traffic_ms;
  if (request->time_limit_ms > 0)
    query.time_limit_ms = request->time_limit_ms;
  if (request->seed != 0)
    query.seed = request->seed;
  if (get_compiler (self, error) == NULL)
    return NULL;
  g_autoptr (CuredWorkload) work = cured_workload_count (
      self->compiler, job->kernel, job->values, &request->limits, &query, self->cancellable, error);
  return work != NULL ? cured_record_to_json (&_cured_workload_record, work) : NULL;
}

static const Question questions[] = {
  { "inspect", find_inspection }, { "banks", find_banks }, { "demands", find_demands },
  { "machine", find_machine },    { "work", find_work },
};

static const Question *
find_question (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (questions); i++)
    if (g_str_equal (questions[i].type, type))
      return &questions[i];
  return NULL;
}

/* Sends an answer; an error in the kernel is one, too. */
static void
answer (Worker *self, const Question *question, const CuredJob *job,
        const CuredWorkerRequest *request)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) reply = NULL;

  g_mutex_lock (&self->cancel_lock);
  self->asked_id = self->id;
  self->cancellable = g_cancellable_new ();
  if (self->asked_id <= self->cancelled_id)
    g_cancellable_cancel (self->cancellable);
  g_mutex_unlock (&self->cancel_lock);
  _cured_confine_allow (0, job->options->limit_s);
  JsonNode *found = question->find (self, job, request, &error);
  g_mutex_lock (&self->cancel_lock);
  g_clear_object (&self->cancellable);
  g_mutex_unlock (&self->cancel_lock);

  if (found != NULL)
    {
      reply = _cured_message_new ("answer");
      json_object_set_member (reply, "data", found);
    }
  else
    {
      reply = _cured_error_to_message (error);
      json_object_set_string_member (reply, "type", "refusal");
    }
  json_object_set_int_member (reply, "id", self->id);
  send_message (self, reply);
}

static gboolean
run_request (Worker *self, JsonObject *message, const CuredWorkerRequest *request,
             gboolean is_measure, const Question *question, GError **error)
{
  JsonNode *node = json_object_get_member (message, "parameters");
  g_autoptr (JsonObject) none = json_object_new ();
  CuredJob job = { .stage_data = self };

  if ((is_measure || question != NULL) && request->id < 0)
    return _cured_json_fail (error, "id", _ ("an integer"));
  if (node != NULL && !JSON_NODE_HOLDS_NULL (node) && !JSON_NODE_HOLDS_OBJECT (node))
    return _cured_json_fail (error, "parameters", _ ("an object"));
  self->id = request->id;
  WorkerKernel *entry = g_hash_table_lookup (self->kernels, &request->kernel);
  if (entry == NULL)
    return cured_fail (error, CURED_ERROR_PROTOCOL,
                       _ ("Expected the number of a kernel that was sent before, and got %" PRId64),
                       request->kernel);
  g_autofree gint64 *values = read_values (
      node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : none,
      entry->kernel, error);
  if (values == NULL)
    return FALSE;
  job.kernel = entry->kernel;
  job.reference = entry->reference;
  job.values = values;
  job.options = &request->options;
  job.ranges = request->ranges;
  if (is_measure)
    {
      job.stage_func = stage_cb;
      return measure (self, &job, error);
    }
  if (question != NULL)
    answer (self, question, &job, request);
  else
    cured_prepare (self->device, &job);
  return TRUE;
}

static gboolean
handle_job (Worker *self, JsonObject *message, gboolean is_measure, const Question *question,
            GError **error)
{
  CuredWorkerRequest request;

  _cured_request_init (&request);
  gboolean ok = _cured_record_from_json (&_cured_request_record, message, &request, error) &&
                run_request (self, message, &request, is_measure, question, error);
  _cured_record_clear (&_cured_request_record, &request);
  return ok;
}

static gboolean
greet (Worker *self, CuredDeviceOpenFunc open_func, const char *id, GError **error)
{
  g_autofree char *line = g_async_queue_pop (self->lines);
  CuredHello heard = { 0 };
  CuredHello hello = { .protocol = CURED_WORKER_PROTOCOL, .version = (char *) CURED_VERSION };
  const char *type;
  g_autoptr (JsonObject) message = _cured_message_parse (line, &type, error);

  if (message == NULL)
    return FALSE;
  if (!g_str_equal (type, "hello"))
    return cured_fail (error, CURED_ERROR_PROTOCOL,
                       _ ("Expected “hello” as the first message and got “%s”"), type);
  if (!_cured_record_from_json (&_cured_hello_record, message, &heard, error))
    {
      _cured_record_clear (&_cured_hello_record, &heard);
      return FALSE;
    }
  gboolean is_same = heard.protocol == CURED_WORKER_PROTOCOL;
  if (!is_same)
    g_set_error (
        error, CURED_ERROR, CURED_ERROR_PROTOCOL,
        _ ("Expected protocol %d, which this worker speaks (Cured %s), and was asked for %" PRId64
           " (Cured %s): install the same version on both sides"),
        CURED_WORKER_PROTOCOL, CURED_VERSION, heard.protocol,
        heard.version != NULL ? heard.version : "?");
  _cured_record_clear (&_cured_hello_record, &heard);
  if (!is_same)
    return FALSE;

  self->device = open_func (id, error);
  if (self->device == NULL)
    return FALSE;
  if (heard.share > 0)
    self->device->share = _cured_share_open (heard.share);
  if (_cured_is_confined ())
    hello.memory_bytes = (gint64) _cured_confine_get_memory ();
  hello.device = *cured_device_get_info (self->device);
  g_autoptr (JsonObject) answer = _cured_message_of ("hello", &_cured_hello_record, &hello);
  send_message (self, answer);
  return TRUE;
}

static void
init_tables (Worker *self)
{
  self->lines = g_async_queue_new_full (g_free);
  self->kernels = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, worker_kernel_free);
  self->inputs =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_byte_array_unref);
}

/* Returns FALSE with no error after `quit`. */
static gboolean
handle_next (Worker *self, GError **error)
{
  g_autofree char *line = g_async_queue_pop (self->lines);
  const char *type;
  g_autoptr (JsonObject) message = _cured_message_parse (line, &type, error);

  if (message == NULL)
    return FALSE;
  if (g_str_equal (type, "kernel"))
    return handle_kernel (self, message, error);
  if (g_str_equal (type, "input"))
    return handle_input (self, message, error);
  if (g_str_equal (type, "prepare"))
    return handle_job (self, message, FALSE, NULL, error);
  if (g_str_equal (type, "measure"))
    return handle_job (self, message, TRUE, NULL, error);
  if (find_question (type) != NULL)
    return handle_job (self, message, FALSE, find_question (type), error);
  /* A message of a later version, which can be ignored. */
  return !g_str_equal (type, "quit");
}

/* Confines the process, since the emulator needs only a compiler. Must be called before any thread
 * is started, as existing threads would not be confined. */
static void
confine (void)
{
  g_autofree char *cache = _cured_compiler_get_cache (TRUE);
  g_auto (GStrv) folders = _cured_compiler_list_folders ();
  g_auto (GStrv) machines = _cured_machine_list_folders ();
  g_autoptr (GStrvBuilder) readable = g_strv_builder_new ();
  const char *writable[] = { cache, NULL };

  g_strv_builder_addv (readable, (const char **) folders);
  g_strv_builder_addv (readable, (const char **) machines);
  g_strv_builder_add (readable, cured_bundle_get_locale_folder ());
  g_auto (GStrv) paths = g_strv_builder_end (readable);
  /* Makes relative paths useless. */
  if (g_mkdir_with_parents (cache, 0700) != 0 || chdir (cache) != 0)
    g_debug ("no cache: %s", g_strerror (errno));
  _cured_confine_process ((const char *const *) paths, writable);
}

/* @open_func: opens the device in this process
 * @id: id of the device, for @open_func
 *
 * Serves one device over standard input and output until it is told to quit;
 * docs/worker-protocol.md has the messages. Takes over the process: standard output must not be
 * used otherwise, and at the end of the input the process ends at once, whatever it is doing. If
 * @id is an emulator's, the process is confined from now on, as in docs/trust.md.
 * Returns: the process's exit status: 0 after `quit`, 1 after an error, which was sent as a
 *   message */
int
cured_worker_main (CuredDeviceOpenFunc open_func, const char *id)
{
  /* Never freed: its threads run until the process ends. */
  static Worker self;
  g_autoptr (CuredShare) share = NULL;
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (open_func != NULL && id != NULL, EXIT_ERROR);

  /* A scheduler sends it to all processes of a job. The runner decides about the current cell, and
   * closes the input. */
  signal (SIGTERM, SIG_IGN);
  if (cured_device_is_emulated (id))
    confine ();
#ifdef M_TRIM_THRESHOLD
  /* Keep freed memory, since launches are short, and the next one needs as much. */
  mallopt (M_TRIM_THRESHOLD, KEPT_BYTES);
  mallopt (M_MMAP_THRESHOLD, KEPT_BYTES / 8);
#endif
  self.cancelled_id = -1;
  init_tables (&self);
  if (!take_descriptors (&self) || !start_thread ("cured-input", input_thread, &self))
    {
      g_printerr (_ ("Can't set up the worker's descriptors: %s\n"), g_strerror (errno));
      return EXIT_ERROR;
    }

  /* Load before the greeting, which may come late if another worker still measures. */
  _cured_device_load (id);
  if (greet (&self, open_func, id, &error))
    while (handle_next (&self, &error))
      ;
  if (error != NULL)
    {
      g_atomic_int_set (&self.status, EXIT_ERROR);
      send_error (&self, error);
    }
  g_clear_pointer (&self.compiler, cured_compiler_free);
  if (self.device != NULL)
    share = self.device->share;
  g_clear_pointer (&self.device, cured_device_close);
  g_hash_table_remove_all (self.kernels);
  return g_atomic_int_get (&self.status);
}

/* Handles @lines like cured_worker_main(), without taking over the process, and discards the
 * answers. For tests. */
gboolean
_cured_worker_answer (CuredDevice *device, const char *const *lines)
{
  Worker self = { .device = device };
  g_autoptr (GError) error = NULL;

  init_tables (&self);
  self.output = g_open ("/dev/null", O_WRONLY | O_CLOEXEC);
  self.printed.fd = -1;
  self.printed.kept = g_string_new (NULL);
  for (; *lines != NULL && error == NULL; lines++)
    {
      g_async_queue_push (self.lines, g_strdup (*lines));
      if (!handle_next (&self, &error))
        break;
    }
  close (self.output);
  g_string_free (self.printed.kept, TRUE);
  g_hash_table_unref (self.kernels);
  g_hash_table_unref (self.inputs);
  g_async_queue_unref (self.lines);
  return error == NULL;
}
