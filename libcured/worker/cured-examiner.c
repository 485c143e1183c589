/* SPDX-License-Identifier: MIT
 * Inspects untrusted kernels in confined processes. */
#include "worker/cured-examiner-internal.h"

#include "inspect/cured-inspection-internal.h"
#include "kernel/cured-sources.h"
#include "worker/cured-worker-internal.h"

/* The device of the workers; requests have their own limits. */
#define DEVICE "emulator"

/* Concurrent processes: for an inspection, one at another value to compare with, ptxas's output,
 * and one that has not noticed its cancellation yet. */
#define MAX_PROCESSES 4

/* Limit for compiling, which has none itself: far more than a kernel needs, even on a busy
 * machine. */
#define LIMIT_S 60.0

struct _CuredExaminer
{
  char **command;
  double limit_s;
  GMutex mutex;
  GCond cond;
  GQueue idle; /* (element-type CuredDevice) */
  guint n_devices;
};

/* @command: (nullable) (array zero-terminated=1): of a worker, on this machine; %NULL: the command
 *   `cured` beside this program, or that `$CURED_PROGRAM` names
 *
 * Starts no process before the first request.
 * Returns: (transfer full): an examiner */
CuredExaminer *
cured_examiner_new (const char *const *command)
{
  CuredExaminer *self = g_new0 (CuredExaminer, 1);

  self->command =
      command != NULL ? g_strdupv ((char **) command) : _cured_examiner_default_command ();
  self->limit_s = LIMIT_S;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  g_queue_init (&self->idle);
  return self;
}

/* @self: (transfer full) (nullable): an examiner without running requests
 *
 * Ends its processes. */
void
cured_examiner_free (CuredExaminer *self)
{
  if (self == NULL)
    return;
  g_queue_clear_full (&self->idle, (GDestroyNotify) cured_device_close);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
  g_strfreev (self->command);
  g_free (self);
}

void
cured_examiner_set_limit (CuredExaminer *self, double limit_s)
{
  self->limit_s = limit_s;
}

/* Takes an idle process; NULL with an error. */
static CuredDevice *
take_device (CuredExaminer *self, GCancellable *cancellable, GError **error)
{
  g_mutex_lock (&self->mutex);
  while (g_queue_is_empty (&self->idle) && self->n_devices >= MAX_PROCESSES &&
         !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&self->cond, &self->mutex, g_get_monotonic_time () + 10000);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      g_mutex_unlock (&self->mutex);
      return NULL;
    }
  /* The most recently used one may have compiled the kernel already. */
  CuredDevice *device = g_queue_pop_head (&self->idle);
  self->n_devices += device == NULL;
  g_mutex_unlock (&self->mutex);
  if (device != NULL)
    return device;

  device = cured_worker_device_new ((const char *const *) self->command, DEVICE, error);
  if (device == NULL)
    {
      g_mutex_lock (&self->mutex);
      self->n_devices--;
      g_cond_signal (&self->cond);
      g_mutex_unlock (&self->mutex);
    }
  return device;
}

static void
give_device (CuredExaminer *self, CuredDevice *device)
{
  g_mutex_lock (&self->mutex);
  g_queue_push_head (&self->idle, device);
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
}

/* Fills @answer, and clears @request. */
static gboolean
ask (CuredExaminer *self, const char *type, CuredWorkerRequest *request, CuredKernel *kernel,
     const gint64 *values, const CuredRecordInfo *record, gpointer answer,
     GCancellable *cancellable, GError **error)
{
  CuredJob job = { .kernel = kernel, .values = values, .options = &request->options };
  CuredDevice *device = take_device (self, cancellable, error);
  double limit_s = self->limit_s;
  gboolean ok = FALSE;

  if (g_str_equal (type, "work"))
    limit_s += CURED_INSPECTION_PATIENCE * (double) request->time_limit_ms / 1000;
  if (device != NULL)
    {
      ok = _cured_worker_device_ask (device, type, request, &job, record, answer, limit_s,
                                     cancellable, error);
      give_device (self, device);
    }
  _cured_record_clear (&_cured_request_record, request);
  return ok;
}

static void
request_init (CuredWorkerRequest *self, const CuredLimits *limits, const CuredBankQuery *query)
{
  _cured_request_init (self);
  self->limits = *limits;
  if (query == NULL)
    return;
  self->step = query->step != CURED_BANK_FIRST_STEP ? (int) MIN (query->step, G_MAXINT) : -1;
  self->block = (gint64) MIN (query->block, (guint64) G_MAXINT64 / 4);
  self->warp = (int) MIN (query->warp, G_MAXINT);
  self->arch = query->arch;
  self->seed = query->seed;
}

/* @kernel: like the other arguments, as for cured_inspection_new()
 * @values: one per parameter
 * @limits: limits of the emulated device
 * @query: which launch, block and warp
 * @time_limit_ms: limit of the launches
 *
 * As cured_inspection_new(), in a confined process. Blocks; any thread.
 * Returns: (transfer full): as from cured_inspection_new(); %NULL also with %CURED_ERROR_CRASHED or
 *   %CURED_ERROR_TIMED_OUT: the kernel was too much for compiler or emulator */
CuredInspection *
cured_examiner_inspect (CuredExaminer *self, CuredKernel *kernel, const gint64 *values,
                        const CuredLimits *limits, const CuredBankQuery *query,
                        gint64 time_limit_ms, GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredInspection) inspection = _cured_inspection_new_empty ();
  CuredWorkerRequest request;
  g_autoptr (GError) refusal = NULL;

  /* Read the sources here, so that a forbidden #include is an error of the kernel. */
  g_autoptr (CuredSources) sources = cured_sources_new (kernel, NULL, &refusal);

  if (sources == NULL)
    return _cured_inspection_new_refused (kernel, refusal);
  request_init (&request, limits, query);
  request.time_limit_ms = time_limit_ms;
  return ask (self, "inspect", &request, kernel, values, &_cured_inspection_record, inspection,
              cancellable, error)
             ? g_steal_pointer (&inspection)
             : NULL;
}

typedef struct
{
  CuredExaminer *examiner;
  const gint64 *values;
  const CuredLimits *limits;
  const CuredBankQuery *query;
} Trial;

static CuredInspection *
inspect_trial (CuredKernel *kernel, gpointer data, GCancellable *cancellable, GError **error)
{
  const Trial *trial = data;

  return cured_examiner_inspect (trial->examiner, kernel, trial->values, trial->limits,
                                 trial->query, CURED_INSPECTION_TIME_LIMIT_MS, cancellable, error);
}

/* @kernel: the inspected kernel
 * @values: one per parameter, as in @inspection
 * @limits: limits of the emulated device, likewise
 * @query: which launch, block and warp, likewise
 *
 * As cured_remedies_try(), in a confined process. Blocks; any thread.
 * Returns: (transfer full) (element-type CuredRemedy): remedies that help; %NULL with an error */
GPtrArray *
cured_examiner_find_remedies (CuredExaminer *self, CuredKernel *kernel, const gint64 *values,
                              const CuredLimits *limits, const CuredBankQuery *query,
                              const CuredInspection *inspection, GCancellable *cancellable,
                              GError **error)
{
  Trial trial = { self, values, limits, query };

  return cured_remedies_try (kernel, inspection, inspect_trial, &trial, cancellable, error);
}

/* @values: one per parameter
 * @limits: limits of the emulated device
 * @query: the accesses to view
 *
 * As cured_bank_view_new(), in a confined process.
 * Returns: (transfer full): a view; %NULL with an error */
CuredBankView *
cured_examiner_view_banks (CuredExaminer *self, CuredKernel *kernel, const gint64 *values,
                           const CuredLimits *limits, const CuredBankQuery *query,
                           GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredBankView) view = _cured_bank_view_new_empty ();
  CuredWorkerRequest request;

  request_init (&request, limits, query);
  return ask (self, "banks", &request, kernel, values, &_cured_bank_view_record, view, cancellable,
              error)
             ? g_steal_pointer (&view)
             : NULL;
}

/* @values: one per parameter
 * @limits: limits of the emulated device
 * @entry: name of a kernel in it
 *
 * As cured_bank_view_new_widths(), in a confined process.
 * Returns: (transfer full): a view with only widths; %NULL with an error */
CuredBankView *
cured_examiner_view_widths (CuredExaminer *self, CuredKernel *kernel, const gint64 *values,
                            const CuredLimits *limits, const char *entry, GCancellable *cancellable,
                            GError **error)
{
  g_autoptr (CuredBankView) view = _cured_bank_view_new_empty ();
  CuredWorkerRequest request;

  request_init (&request, limits, NULL);
  request.widths_of = g_strdup (entry);
  return ask (self, "banks", &request, kernel, values, &_cured_bank_view_record, view, cancellable,
              error)
             ? g_steal_pointer (&view)
             : NULL;
}

/* @kernel: the kernel to inspect
 * @values: one per parameter
 * @limits: limits of the emulated device
 * @query: which launch and block
 *
 * As cured_machine_view_new(), in a confined process. Blocks; any thread.
 * Returns: (transfer full): a view; %NULL with an error */
CuredMachineView *
cured_examiner_view_machine (CuredExaminer *self, CuredKernel *kernel, const gint64 *values,
                             const CuredLimits *limits, const CuredBankQuery *query,
                             GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredMachineView) view = g_new0 (CuredMachineView, 1);
  CuredWorkerRequest request;

  request_init (&request, limits, query);
  return ask (self, "machine", &request, kernel, values, &_cured_machine_view_record, view,
              cancellable, error)
             ? g_steal_pointer (&view)
             : NULL;
}

/* @kernel: like the other arguments, as for cured_workload_count()
 * @values: one per parameter
 * @limits: limits of the device to count for
 * @query: how to count
 *
 * As cured_workload_count(), in a confined process. Blocks; any thread.
 * Returns: (transfer full): the launches; %NULL with an error */
CuredWorkload *
cured_examiner_count (CuredExaminer *self, CuredKernel *kernel, const gint64 *values,
                      const CuredLimits *limits, const CuredWorkQuery *query,
                      GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredWorkload) work = cured_workload_new ();
  CuredWorkerRequest request;

  request_init (&request, limits, NULL);
  request.seed = query->seed;
  request.blocks = query->blocks;
  request.registers = query->registers;
  request.time_limit_ms = query->time_limit_ms;
  request.traffic_ms = query->traffic_ms;
  return ask (self, "work", &request, kernel, values, &_cured_workload_record, work, cancellable,
              error)
             ? g_steal_pointer (&work)
             : NULL;
}

/* @id: id of a device
 * @error: as from cured_worker_device_new()
 *
 * Opens the device in another process: a CUDA device, since a faulting kernel ends its
 * process; the emulator, since a kernel may be untrusted, and that process can only compile
 * and emulate.
 * Returns: (transfer full): the device; %NULL with an error */
CuredDevice *
cured_device_open_confined (const char *id, GError **error)
{
  g_auto (GStrv) command = cured_device_is_emulated (id) ? _cured_examiner_default_command ()
                                                         : cured_worker_default_command ();

  return cured_worker_device_new ((const char *const *) command, id, error);
}

/* @device_id: id of an emulator
 * @job: a kernel at a point of its parameters
 * @error: as from cured_inspect() and cured_worker_device_new()
 *
 * As cured_inspect(), in a confined process.
 * Returns: (transfer full) (element-type CuredDemand): one per launch */
GPtrArray *
cured_examine_demands (const char *device_id, const CuredJob *job, GError **error)
{
  CuredDevice *device = cured_device_open_confined (device_id, error);
  CuredDemands demands = { NULL };
  CuredWorkerRequest request;

  if (device == NULL)
    return NULL;
  _cured_request_init (&request);
  if (!_cured_worker_device_ask (device, "demands", &request, job, &_cured_demands_record, &demands,
                                 LIMIT_S, NULL, error))
    g_clear_pointer (&demands.demands, g_ptr_array_unref);
  cured_device_close (device);
  _cured_record_clear (&_cured_request_record, &request);
  return demands.demands;
}
