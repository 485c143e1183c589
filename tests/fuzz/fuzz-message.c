/* SPDX-License-Identifier: MIT
 * Fuzz target: whatever comes over the pipe between the runner and a worker, in either direction,
 * is understood or refused with a reason; what was understood says the same when it is sent on. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cured.h"
#include "fuzz.h"
#include "measure/cured-measure-internal.h"
#include "worker/cured-message-private.h"
#include "worker/cured-worker-internal.h"

/* ---- From the worker ---- */

static void
check_samples (const CuredSamples *samples)
{
  if (samples != NULL && samples->statistics.n > 0)
    g_assert_true (isfinite (samples->statistics.median));
}

/* What was understood says the same when it is sent on. */
static void
check_record (const CuredRecordInfo *info, JsonObject *message)
{
  gpointer of = _cured_record_new (info);
  gpointer again = _cured_record_new (info);
  g_autoptr (GError) error = NULL;
  gboolean ok = _cured_record_from_json (info, message, of, &error);

  g_assert_true (ok == (error == NULL));
  if (ok)
    {
      g_autoptr (JsonObject) sent = _cured_message_of ("again", info, of);
      g_autofree char *line = _cured_message_to_line (sent);
      g_autoptr (JsonObject) arrived = NULL, sent_again = NULL;
      const char *type;

      arrived = _cured_message_parse (line, &type, &error);
      g_assert_no_error (error);
      _cured_record_from_json (info, arrived, again, &error);
      g_assert_no_error (error);
      sent_again = _cured_message_of ("again", info, again);
      g_autofree char *line_again = _cured_message_to_line (sent_again);
      g_assert_cmpstr (line, ==, line_again);
    }
  _cured_record_clear (info, of);
  _cured_record_clear (info, again);
  g_free (of);
  g_free (again);
}

static void
check_outcome (JsonObject *message)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  if (!_cured_record_from_json (&_cured_outcome_record, message, outcome, NULL))
    return;
  check_samples (outcome->cold);
  check_samples (outcome->hot);
}

static void
check_line (const char *line)
{
  static const CuredRecordInfo *const infos[] = {
    &_cured_outcome_record,        &_cured_hello_record,   &_cured_reply_record,
    &_cured_loaded_program_record, &_cured_failure_record, &_cured_kernel_record,
  };
  g_autoptr (GError) error = NULL, told = NULL;
  const char *type;

  g_autoptr (JsonObject) message = _cured_message_parse (line, &type, &error);
  g_assert_true ((message == NULL) == (error != NULL));
  if (message == NULL)
    return;
  check_outcome (message);
  for (gsize i = 0; i < G_N_ELEMENTS (infos); i++)
    check_record (infos[i], message);
  told = _cured_error_from_message (message);
  g_assert_nonnull (told);
}

/* ---- To the worker ---- */

static gboolean
measure (CuredDevice *device, const CuredJob *job, CuredOutcome *outcome, GCancellable *cancellable,
         GError **error)
{
  gsize n_parameters;

  n_parameters = job->kernel->n_parameters;
  g_assert_true (isfinite (job->options->limit_s));
  for (gsize i = 0; i < n_parameters; i++)
    outcome->metrics[CURED_METRIC_time] = (double) job->values[i];
  cured_job_enter_stage (job, CURED_STAGE_CHECK);
  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  return TRUE;
}

static void
prepare (CuredDevice *device, const CuredJob *job)
{
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const CuredCellClass klass = { .measure = measure, .prepare = prepare };
  CuredDevice device = { .klass = &klass.parent };
  int fd = memfd_create ("fuzz", MFD_CLOEXEC);
  g_auto (CuredLines) lines = { 0 };
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  CuredLinesStatus status;

  /* Questions are read; there is no compiler to answer them. */
  g_setenv ("CURED_NVRTC", "/nonexistent", TRUE);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, size), ==, (gssize) size);
  g_assert_cmpint (lseek (fd, 0, SEEK_SET), ==, 0);
  _cured_lines_init (&lines, fd);
  while ((status = _cured_lines_read (&lines, &error)) == CURED_LINES_MORE)
    {
      char *line;

      while ((line = _cured_lines_take (&lines)) != NULL)
        g_ptr_array_add (all, line);
    }
  g_assert_true ((status == CURED_LINES_ERROR) == (error != NULL));
  close (fd);
  for (guint i = 0; i < all->len; i++)
    check_line (g_ptr_array_index (all, i));
  g_ptr_array_add (all, NULL);
  _cured_worker_answer (&device, (const char *const *) all->pdata);
  return 0;
}
