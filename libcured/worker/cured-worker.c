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
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cured-bundle.h"
#include "base/cured-confine-internal.h"
#include "base/cured-error.h"
#include "device/cured-compiler-internal.h"
#include "device/cured-devices-internal.h"
#include "inspect/cured-workload-count.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-sources-internal.h"
#include "measure/cured-measure-internal.h"
#include "measure/cured-outcome-internal.h"
#include "measure/cured-share-internal.h"
#include "worker/cured-answer-private.h"
#include "worker/cured-message-private.h"

/* What a kernel printed beyond this is dropped. */
#define OUTPUT_MAX_BYTES (64 << 10)

enum
{
  EXIT_ERROR = 1,
  EXIT_DEVICE_LOST = 3,
};

/* Everything that is printed on standard output, drained all the time, so that a kernel that prints
 * without end fills neither a pipe nor the memory. */
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
  int input;
  int output;
  GAsyncQueue *lines; /* (element-type utf8): from the reading thread */
  GHashTable *kernels;
  CuredDevice *device;
  CuredCompiler *compiler; /* nullable: of answers */
  Output printed;
  char *run_output; /* nullable: what the cell's first run printed */
  gboolean has_run; /* it has come to its end, and others follow */
  GMutex write_lock;
  gint64 id; /* of the cell that is being measured */
  GMutex cancel_lock;
  gint64 cancelled_id;       /* what has it or a smaller one is cancelled */
  gint64 asked_id;           /* of the answer that is being found */
  GCancellable *cancellable; /* nullable: of that */
  int status;                /* atomic: what the process exits with at the input's end */
} Worker;

static void
worker_kernel_free (gpointer data)
{
  WorkerKernel *self = data;

  g_clear_pointer (&self->kernel, cured_kernel_unref);
  g_clear_pointer (&self->reference, cured_kernel_unref);
  g_free (self);
}

/* A side that can't be written to is gone; so is the reason to go on. */
static void
send_message (Worker *self, JsonObject *message)
{
  g_autofree char *line = _cured_message_to_line (message);
  gsize length = strlen (line);
  gsize done = 0;

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

/* -- standard output -- */

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

/* -- descriptors -- */

/* Device printf writes to standard output, so the protocol moves off it before anything of a device
 * starts; nothing else may eat the messages either. */
static gboolean
take_descriptors (Worker *self)
{
  int pipe_fds[2];
  int null_fd;

  self->input = fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  self->output = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (self->input < 0 || self->output < 0 || pipe2 (pipe_fds, O_CLOEXEC) < 0)
    return FALSE;
  null_fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null_fd < 0 || dup2 (null_fd, STDIN_FILENO) < 0 || dup2 (pipe_fds[1], STDOUT_FILENO) < 0 ||
      fcntl (pipe_fds[0], F_SETFL, O_NONBLOCK) < 0)
    return FALSE;
  close (null_fd);
  close (pipe_fds[1]);

  g_mutex_init (&self->printed.lock);
  self->printed.fd = pipe_fds[0];
  self->printed.kept = g_string_new (NULL);
  g_thread_unref (g_thread_new ("cured-output", output_thread, &self->printed));
  return TRUE;
}

/* Nobody waits for the answers up to this one any more. */
static void
cancel_answers (Worker *self, const char *line)
{
  const char *type = NULL;
  g_autoptr (JsonObject) message = _cured_message_parse (line, &type, NULL);
  gint64 id = -1;

  if (message == NULL || !_cured_message_get_integer (message, "id", 0, G_MAXINT64, &id, NULL))
    return;
  g_mutex_lock (&self->cancel_lock);
  self->cancelled_id = MAX (self->cancelled_id, id);
  if (self->cancellable != NULL && self->asked_id <= self->cancelled_id)
    g_cancellable_cancel (self->cancellable);
  g_mutex_unlock (&self->cancel_lock);
}

/* Reads while a cell is measured: the end of the input means that nobody waits for the outcome any
 * more, and a kernel that hangs must not outlive that. */
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

/* -- messages -- */

/* What the kernel includes was read where it is; here it would be found nowhere. */
static CuredSources *
read_sources (JsonObject *message, const char *source, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  JsonArray *included = NULL;

  if (!_cured_message_get_string (message, "compiled", &source, error) ||
      !_cured_message_get_array (message, "included", &included, error))
    return NULL;
  for (guint i = 0; included != NULL && i < json_array_get_length (included); i++)
    {
      JsonNode *node = json_array_get_element (included, i);
      const char *name = NULL;
      const char *text = NULL;

      if (!JSON_NODE_HOLDS_OBJECT (node) ||
          !_cured_message_get_string (json_node_get_object (node), "name", &name, error) ||
          !_cured_message_get_string (json_node_get_object (node), "text", &text, error) ||
          name == NULL || text == NULL)
        {
          if (error != NULL && *error == NULL)
            g_set_error_literal (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                                 _ ("Expected “included” to have names and texts"));
          return NULL;
        }
      g_ptr_array_add (names, g_strdup (name));
      g_ptr_array_add (texts, g_strdup (text));
    }
  g_ptr_array_add (names, NULL);
  g_ptr_array_add (texts, NULL);
  return _cured_sources_new_take (g_strdup (source),
                                  (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE),
                                  (char **) g_ptr_array_free (g_steal_pointer (&texts), FALSE));
}

static CuredKernel *
read_kernel (JsonObject *message, GError **error)
{
  g_autoptr (CuredSources) sources = NULL;
  const char *source = NULL;
  const char *id = "kernel";
  const char *path = NULL;

  if (!_cured_message_require (message, "source", error) ||
      !_cured_message_get_string (message, "source", &source, error) ||
      !_cured_message_get_string (message, "id", &id, error) ||
      !_cured_message_get_string (message, "path", &path, error))
    return NULL;
  sources = read_sources (message, source, error);
  if (sources == NULL)
    return NULL;
  return _cured_kernel_new_from_sources (source, id, path, sources, error);
}

static gboolean
handle_kernel (Worker *self, JsonObject *message, GError **error)
{
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredKernel) reference = NULL;
  JsonObject *reference_json = NULL;
  WorkerKernel *entry;
  gint64 number = 0;

  if (!_cured_message_require (message, "number", error) ||
      !_cured_message_get_integer (message, "number", 0, G_MAXINT64, &number, error) ||
      !_cured_message_get_object (message, "reference", &reference_json, error))
    return FALSE;
  kernel = read_kernel (message, error);
  if (kernel == NULL)
    return FALSE;
  if (reference_json != NULL)
    {
      reference = read_kernel (reference_json, error);
      if (reference == NULL)
        return FALSE;
    }

  entry = g_new0 (WorkerKernel, 1);
  entry->kernel = g_steal_pointer (&kernel);
  entry->reference = g_steal_pointer (&reference);
  g_hash_table_replace (self->kernels, g_memdup2 (&number, sizeof number), entry);
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
        {
          g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                       _ ("Expected parameters of the kernel “%s”, which has no “%s”"), kernel->id,
                       (const char *) l->data);
          return NULL;
        }
    }
  for (gsize i = 0; i < n_parameters; i++)
    {
      values[i] = rows[i].default_value;
      if (!_cured_message_get_integer (parameters, rows[i].name, G_MININT64, G_MAXINT64, &values[i],
                                       error))
        return NULL;
    }
  return g_steal_pointer (&values);
}

static void
stage_cb (CuredStage stage, gpointer user_data)
{
  Worker *self = user_data;
  g_autoptr (JsonObject) message = _cured_message_new ("stage");

  /* One run's output is kept: not the reference's before it, nor that of the hundreds that are
   * timed. */
  if (stage == CURED_STAGE_CHECK)
    g_free (output_take (&self->printed));
  if (stage == CURED_STAGE_TIME)
    {
      self->run_output = output_take (&self->printed);
      self->has_run = TRUE;
    }

  json_object_set_int_member (message, "id", self->id);
  json_object_set_string_member (message, "stage", cured_stage_to_string (stage));
  send_message (self, message);
}

/* A cell's buffers lie on the emulator, as they came, and as they should be. */
#define COPIES_OF_BUFFERS 6

static void
allow_cell (Worker *self, const CuredJob *job)
{
  const CuredLimits *limits = &cured_device_get_info (self->device)->limits;
  g_autoptr (CuredProgram) program = NULL;
  guint64 bytes = 0;

  if (!_cured_is_confined ())
    return;
  program = cured_program_new (job->kernel, job->values, limits, NULL);
  for (gsize i = 0; program != NULL && i < program->n_buffers; i++)
    bytes += MIN (program->buffers[i].size, G_GUINT64_CONSTANT (1) << 40);
  _cured_confine_allow (bytes * COPIES_OF_BUFFERS, job->options->limit_s);
}

static gboolean
measure (Worker *self, const CuredJob *job, GError **error)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (JsonObject) message = NULL;
  g_autoptr (GError) measure_error = NULL;
  g_autofree char *printed = NULL;
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

  printed = output_take (&self->printed);
  if (self->has_run)
    {
      g_free (printed);
      printed = g_steal_pointer (&self->run_output);
    }
  if (printed != NULL && outcome->output == NULL)
    outcome->output = g_steal_pointer (&printed);

  message = _cured_message_new ("outcome");
  json_object_set_int_member (message, "id", self->id);
  if (is_lost)
    json_object_set_boolean_member (message, "device_lost", TRUE);
  _cured_outcome_to_json (outcome, message);
  send_message (self, message);

  /* Not even an orderly exit can be trusted with a context that is lost. */
  if (is_lost)
    _exit (EXIT_DEVICE_LOST);
  return TRUE;
}

/* -- answers -- */

typedef struct
{
  const char *type;
  GVariant *(*find) (Worker *self, const CuredJob *job, JsonObject *message, GError **error);
} Question;

static gboolean
read_query (JsonObject *message, CuredBankQuery *query, GError **error)
{
  const char *seed = NULL;
  gint64 step = -1;
  gint64 block = 0;
  gint64 warp = 0;
  gint64 arch = 0;

  cured_bank_query_init (query);
  if (!_cured_message_get_integer (message, "step", 0, G_MAXINT, &step, error) ||
      !_cured_message_get_integer (message, "block", 0, G_MAXINT64, &block, error) ||
      !_cured_message_get_integer (message, "warp", 0, G_MAXINT, &warp, error) ||
      !_cured_message_get_integer (message, "arch", 0, CURED_BANK_ARCH_1, &arch, error) ||
      !_cured_message_get_string (message, "seed", &seed, error))
    return FALSE;
  if (step >= 0)
    query->step = (gsize) step;
  query->block = (guint64) block;
  query->warp = (guint) warp;
  query->arch = (CuredBankArch) arch;
  if (seed != NULL)
    query->seed = g_ascii_strtoull (seed, NULL, 10);
  return TRUE;
}

static gboolean
read_limits_of (JsonObject *message, CuredLimits *limits, GError **error)
{
  JsonObject *json = NULL;

  *limits = (CuredLimits){ 0 };
  return _cured_message_get_object (message, "limits", &json, error) &&
         (json == NULL || _cured_limits_from_json (json, limits, error));
}

static CuredCompiler *
get_compiler (Worker *self, GError **error)
{
  if (self->compiler == NULL)
    self->compiler = cured_compiler_new (error);
  return self->compiler;
}

static GVariant *
find_inspection (Worker *self, const CuredJob *job, JsonObject *message, GError **error)
{
  g_autoptr (CuredInspection) inspection = NULL;
  CuredLimits limits;
  CuredBankQuery query;
  gint64 time_limit_ms = CURED_INSPECTION_TIME_LIMIT_MS;

  if (!read_query (message, &query, error) || !read_limits_of (message, &limits, error) ||
      !_cured_message_get_integer (message, "time_limit_ms", 1, 600000, &time_limit_ms, error) ||
      get_compiler (self, error) == NULL)
    return NULL;
  inspection = cured_inspection_new (self->compiler, job->kernel, job->values, &limits, &query,
                                     time_limit_ms, self->cancellable, error);
  return inspection != NULL ? _cured_inspection_to_variant (inspection) : NULL;
}

static GVariant *
find_banks (Worker *self, const CuredJob *job, JsonObject *message, GError **error)
{
  g_autoptr (CuredProgram) program = NULL;
  g_autoptr (CuredBankView) view = NULL;
  CuredLimits limits;
  CuredBankQuery query;
  const char *widths_of = NULL;

  if (!read_query (message, &query, error) || !read_limits_of (message, &limits, error) ||
      !_cured_message_get_string (message, "widths_of", &widths_of, error))
    return NULL;
  program = cured_program_new (job->kernel, job->values, &limits, error);
  if (program == NULL || get_compiler (self, error) == NULL)
    return NULL;
  if (widths_of != NULL)
    view =
        cured_bank_view_new_widths (self->compiler, program, widths_of, self->cancellable, error);
  else
    view = cured_bank_view_new (self->compiler, program, &query, self->cancellable, error);
  return view != NULL ? _cured_bank_view_to_variant (view) : NULL;
}

static GVariant *
find_demands (Worker *self, const CuredJob *job, JsonObject *message, GError **error)
{
  g_autoptr (GPtrArray) demands = NULL;

  if (self->device->klass->launch == NULL)
    {
      g_set_error_literal (error, CURED_ERROR, CURED_ERROR_DEVICE,
                           _ ("This device does not say what a launch needs"));
      return NULL;
    }
  demands = cured_inspect (self->device, job, error);
  return demands != NULL ? _cured_demands_to_variant (demands) : NULL;
}

static GVariant *
find_work (Worker *self, const CuredJob *job, JsonObject *message, GError **error)
{
  g_autoptr (CuredWorkload) work = NULL;
  CuredLimits limits;
  CuredWorkQuery query;
  const char *seed = NULL;
  gint64 blocks;
  gint64 registers = 0;

  cured_work_query_init (&query);
  blocks = query.blocks;
  if (!read_limits_of (message, &limits, error) ||
      !_cured_message_get_string (message, "seed", &seed, error) ||
      !_cured_message_get_integer (message, "blocks", 0, G_MAXINT16, &blocks, error) ||
      !_cured_message_get_integer (message, "registers", 0, G_MAXUINT16, &registers, error) ||
      !_cured_message_get_integer (message, "time_limit_ms", 1, 600000, &query.time_limit_ms,
                                   error) ||
      !_cured_message_get_integer (message, "traffic_ms", 0, 600000, &query.traffic_ms, error) ||
      get_compiler (self, error) == NULL)
    return NULL;
  query.blocks = (guint) blocks;
  query.registers = (int) registers;
  if (seed != NULL)
    query.seed = g_ascii_strtoull (seed, NULL, 10);
  work = cured_workload_count (self->compiler, job->kernel, job->values, &limits, &query,
                               self->cancellable, error);
  return work != NULL ? _cured_workload_to_variant (work) : NULL;
}

static const Question questions[] = {
  { "inspect", find_inspection },
  { "banks", find_banks },
  { "demands", find_demands },
  { "work", find_work },
};

static const Question *
find_question (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (questions); i++)
    if (g_str_equal (questions[i].type, type))
      return &questions[i];
  return NULL;
}

/* What the kernel is to blame for is an answer too. */
static void
answer (Worker *self, const Question *question, const CuredJob *job, JsonObject *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) reply = NULL;
  g_autofree char *text = NULL;
  GVariant *found = NULL;

  g_mutex_lock (&self->cancel_lock);
  self->asked_id = self->id;
  self->cancellable = g_cancellable_new ();
  if (self->asked_id <= self->cancelled_id)
    g_cancellable_cancel (self->cancellable);
  g_mutex_unlock (&self->cancel_lock);
  _cured_confine_allow (0, job->options->limit_s);
  found = question->find (self, job, message, &error);
  g_mutex_lock (&self->cancel_lock);
  g_clear_object (&self->cancellable);
  g_mutex_unlock (&self->cancel_lock);

  if (found != NULL)
    {
      text = _cured_answer_to_text (found);
      reply = _cured_message_new ("answer");
      json_object_set_string_member (reply, "data", text);
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
handle_job (Worker *self, JsonObject *message, gboolean is_measure, const Question *question,
            GError **error)
{
  g_auto (CuredOptions) options = { 0 };
  g_autofree gint64 *values = NULL;
  g_autoptr (JsonObject) none = json_object_new ();
  JsonObject *parameters = none;
  JsonObject *options_json = none;
  JsonArray *excerpts = NULL;
  g_autoptr (GPtrArray) ranges = NULL;
  WorkerKernel *entry;
  CuredJob job = { .stage_func = stage_cb, .stage_data = self };
  gint64 number = 0;

  cured_options_init (&options);
  if (!_cured_message_require (message, "kernel", error) ||
      !_cured_message_get_integer (message, "kernel", 0, G_MAXINT64, &number, error) ||
      ((is_measure || question != NULL) && !_cured_message_require (message, "id", error)) ||
      !_cured_message_get_integer (message, "id", 0, G_MAXINT64, &self->id, error) ||
      !_cured_message_get_object (message, "parameters", &parameters, error) ||
      !_cured_message_get_object (message, "options", &options_json, error) ||
      !_cured_message_get_array (message, "excerpts", &excerpts, error) ||
      !_cured_options_from_json (options_json, &options, error))
    return FALSE;
  entry = g_hash_table_lookup (self->kernels, &number);
  if (entry == NULL)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                   _ ("Expected the number of a kernel that was sent before, and got %" PRId64),
                   number);
      return FALSE;
    }
  values = read_values (parameters, entry->kernel, error);
  if (values == NULL)
    return FALSE;

  job.kernel = entry->kernel;
  job.reference = entry->reference;
  job.values = values;
  job.options = &options;
  if (excerpts != NULL)
    {
      ranges = _cured_ranges_from_json (excerpts, error);
      if (ranges == NULL)
        return FALSE;
      job.ranges = ranges;
    }
  if (is_measure)
    return measure (self, &job, error);
  job.stage_func = NULL;
  if (question != NULL)
    {
      answer (self, question, &job, message);
      return TRUE;
    }
  cured_prepare (self->device, &job);
  return TRUE;
}

static gboolean
greet (Worker *self, CuredDeviceOpenFunc open_func, const char *id, GError **error)
{
  g_autofree char *line = g_async_queue_pop (self->lines);
  g_autoptr (JsonObject) message = NULL;
  g_autoptr (JsonObject) answer = NULL;
  const char *type;
  const char *version = "?";
  gint64 protocol = 0;
  gint64 share = -1;

  message = _cured_message_parse (line, &type, error);
  if (message == NULL)
    return FALSE;
  if (!g_str_equal (type, "hello"))
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                   _ ("Expected “hello” as the first message and got “%s”"), type);
      return FALSE;
    }
  if (!_cured_message_require (message, "protocol", error) ||
      !_cured_message_get_integer (message, "protocol", G_MININT64, G_MAXINT64, &protocol, error) ||
      !_cured_message_get_integer (message, "share", 0, G_MAXINT, &share, error) ||
      !_cured_message_get_string (message, "version", &version, error))
    return FALSE;
  if (protocol != CURED_WORKER_PROTOCOL)
    {
      g_set_error (
          error, CURED_ERROR, CURED_ERROR_PROTOCOL,
          _ ("Expected protocol %d, which this worker speaks (Cured %s), and was asked for %" PRId64
             " (Cured %s): install the same version on both sides"),
          CURED_WORKER_PROTOCOL, CURED_VERSION, protocol, version);
      return FALSE;
    }

  self->device = open_func (id, error);
  if (self->device == NULL)
    return FALSE;
  if (share >= 0)
    self->device->share = _cured_share_open ((int) share);
  answer = _cured_message_new ("hello");
  json_object_set_int_member (answer, "protocol", CURED_WORKER_PROTOCOL);
  json_object_set_string_member (answer, "version", CURED_VERSION);
  if (_cured_is_confined ())
    json_object_set_int_member (answer, "memory_bytes", (gint64) _cured_confine_get_memory ());
  json_object_set_object_member (answer, "device",
                                 _cured_device_info_to_json (cured_device_get_info (self->device)));
  send_message (self, answer);
  return TRUE;
}

/* Returns FALSE with no error after `quit`. */
static gboolean
handle_next (Worker *self, GError **error)
{
  g_autofree char *line = g_async_queue_pop (self->lines);
  g_autoptr (JsonObject) message = NULL;
  const char *type;

  message = _cured_message_parse (line, &type, error);
  if (message == NULL)
    return FALSE;
  if (g_str_equal (type, "kernel"))
    return handle_kernel (self, message, error);
  if (g_str_equal (type, "prepare"))
    return handle_job (self, message, FALSE, NULL, error);
  if (g_str_equal (type, "measure"))
    return handle_job (self, message, TRUE, NULL, error);
  if (find_question (type) != NULL)
    return handle_job (self, message, FALSE, find_question (type), error);
  /* A message that a later version may send, and that this one can do without. */
  return !g_str_equal (type, "quit");
}

/* The emulator needs nothing of the machine but a compiler. Before any thread is started, since
 * those that are there would stay as they are. */
static void
confine (void)
{
  g_autofree char *cache = _cured_compiler_get_cache (TRUE);
  g_auto (GStrv) folders = _cured_compiler_list_folders ();
  g_auto (GStrv) machines = _cured_machine_list_folders ();
  g_autoptr (GStrvBuilder) readable = g_strv_builder_new ();
  g_auto (GStrv) paths = NULL;
  const char *writable[] = { cache, NULL };

  g_strv_builder_addv (readable, (const char **) folders);
  g_strv_builder_addv (readable, (const char **) machines);
  g_strv_builder_add (readable, cured_bundle_get_locale_folder ());
  paths = g_strv_builder_end (readable);
  /* Relative names lead nowhere from there. */
  if (g_mkdir_with_parents (cache, 0700) != 0 || chdir (cache) != 0)
    g_debug ("no cache: %s", g_strerror (errno));
  _cured_confine_process ((const char *const *) paths, writable);
}

/**
 * cured_worker_main:
 * @open_func: opens the device in this process
 * @id: of the device, for @open_func
 *
 * Serves one device over standard input and output until it is told to quit;
 * docs/worker-protocol.md has the messages. Takes the process over: standard output is no longer
 * the caller's, and at the end of the input the process ends at once, whatever it is doing. Where
 * @id is the emulator's, the process can do little else from now on: docs/trust.md says what.
 *
 * Returns: the process's exit status: 0 after `quit`, 1 after an error, which
 *   was sent as a message
 */
int
cured_worker_main (CuredDeviceOpenFunc open_func, const char *id)
{
  /* Never freed: its threads run until the process ends. */
  static Worker self;
  g_autoptr (CuredShare) share = NULL;
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (open_func != NULL, EXIT_ERROR);
  g_return_val_if_fail (id != NULL, EXIT_ERROR);

  /* A scheduler sends it to all processes of a job. Who runs the sweep decides what becomes of the
   * cell in hand, and closes the input. */
  signal (SIGTERM, SIG_IGN);
  if (cured_device_is_emulated (id))
    confine ();
  self.cancelled_id = -1;
  if (!take_descriptors (&self))
    {
      g_printerr (_ ("Can't set up the worker's descriptors: %s\n"), g_strerror (errno));
      return EXIT_ERROR;
    }
  self.lines = g_async_queue_new_full (g_free);
  self.kernels = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, worker_kernel_free);
  g_thread_unref (g_thread_new ("cured-input", input_thread, &self));

  /* A hello may be long in coming, where another worker still measures. */
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

/**
 * _cured_worker_answer:
 * @device: (transfer none): a device of this process
 * @lines: (array zero-terminated=1): messages after `hello`
 *
 * What cured_worker_main() does with @lines, without taking the process over; nobody hears the
 * answers. For tests.
 *
 * Returns: whether all of them were understood
 */
gboolean
_cured_worker_answer (CuredDevice *device, const char *const *lines)
{
  Worker self = { .device = device };
  g_autoptr (GError) error = NULL;

  self.lines = g_async_queue_new_full (g_free);
  self.kernels = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, worker_kernel_free);
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
  g_async_queue_unref (self.lines);
  return error == NULL;
}
