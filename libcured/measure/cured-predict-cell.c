/* SPDX-License-Identifier: MIT
 * One cell on the model of a chip: compile, count, predict. */
#include "measure/cured-predict-cell-private.h"

#include <glib/gi18n-lib.h>

#include "base/cured-each-internal.h"
#include "base/cured-error.h"
#include "device/cured-compiler-internal.h"
#include "inspect/cured-workload-count.h"
#include "measure/cured-measure-internal.h"
#include "model/cured-prediction.h"

/* Blocks of each launch that are counted, besides the first and the last. */
#define N_BLOCKS 2

static void
free_compiler (gpointer data)
{
  cured_compiler_free (data);
}

static CuredCompiler *
get_compiler (CuredDevice *device, GError **error)
{
  if (device->workbench == NULL)
    {
      device->workbench = cured_compiler_new (error);
      device->workbench_free = free_compiler;
    }
  return device->workbench;
}

/* Finds the greatest number of registers of the launches, which limits the resident blocks. */
static gboolean
find_registers (CuredDevice *device, CuredCompiler *compiler, const CuredProgram *program,
                int *registers, GError **error)
{
  g_autoptr (CuredSources) sources = cured_sources_new (program->kernel, NULL, error);
  g_autofree char *name = cured_kernel_get_file_name (program->kernel);

  if (sources == NULL)
    return FALSE;
  g_autoptr (GBytes) binary = cured_compiler_compile_sources (
      compiler, sources, name, (const char *const *) program->defines, device->info.arch, NULL,
      error);
  if (binary == NULL)
    return FALSE;
  *registers = 0;
  for (gsize i = 0; i < program->n_steps; i++)
    {
      gsize stack_bytes;
      int needed;

      if (program->steps[i].entry == NULL)
        continue;
      if (!_cured_cubin_read_usage (binary, program->steps[i].entry, &needed, &stack_bytes, error))
        return FALSE;
      *registers = MAX (*registers, needed);
    }
  return TRUE;
}

static void
set_metrics (const CuredWorkload *work, const CuredPrediction *prediction, double *metrics)
{
  metrics[CURED_METRIC_predicted_time] = prediction->time_ns;
  for (guint i = 0; i < work->launches->len; i++)
    {
      const CuredWorkLaunch *launch = g_ptr_array_index (work->launches, i);
      double threads = (double) cured_work_launch_count_threads (launch);

      metrics[CURED_METRIC_threads_per_block] =
          MAX (i > 0 ? metrics[CURED_METRIC_threads_per_block] : 0, threads);
      metrics[CURED_METRIC_grid_blocks] =
          MAX (i > 0 ? metrics[CURED_METRIC_grid_blocks] : 0, (double) launch->n_blocks);
      metrics[CURED_METRIC_registers] = launch->registers;
      metrics[CURED_METRIC_blocks_per_sm] =
          MIN (i > 0 ? metrics[CURED_METRIC_blocks_per_sm] : G_MAXINT, launch->blocks_per_sm);
    }
}

/* The launch that did not finish, whose counts are incomplete. */
static const char *
find_end (const CuredWorkload *work)
{
  CURED_EACH_POINTER (const CuredWorkLaunch, launch, work->launches)
    {
      if (launch->end != NULL)
        return launch->end;
    }
  return NULL;
}

static gboolean
predict (CuredDevice *device, const CuredJob *job, const CuredProgram *program,
         CuredOutcome *outcome, GCancellable *cancellable, GError **error)
{
  CuredCompiler *compiler = get_compiler (device, error);
  gint64 start_us = g_get_monotonic_time ();
  CuredPrediction prediction;
  CuredWorkQuery query;

  if (compiler == NULL)
    return FALSE;
  if (job->options->compile_options != NULL || job->options->unsafe_options != NULL)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("A model compiles the kernel as it is: write what the compiler needs "
                          "into the kernel file"));
  cured_work_query_init (&query);
  query.blocks = N_BLOCKS;
  query.seed = job->options->seed;
  query.time_limit_ms = (gint64) MIN (job->options->limit_s * 1e3, 1e12);
  cured_job_enter_stage (job, CURED_STAGE_COMPILE);
  if (!find_registers (device, compiler, program, &query.registers, error))
    return FALSE;
  outcome->stage_ns[CURED_STAGE_COMPILE] = (g_get_monotonic_time () - start_us) * 1000;
  start_us = g_get_monotonic_time ();
  cured_job_enter_stage (job, CURED_STAGE_CHECK);
  g_autoptr (CuredWorkload) work = cured_workload_count (
      compiler, job->kernel, job->values, &device->info.limits, &query, cancellable, error);
  if (work == NULL)
    return FALSE;
  outcome->stage_ns[CURED_STAGE_CHECK] = (g_get_monotonic_time () - start_us) * 1000;
  if (find_end (work) != NULL)
    return cured_fail (error, CURED_ERROR_TIMED_OUT, "%s", find_end (work));
  cured_prediction_init (&prediction, work, device->klass->get_machine (device));
  set_metrics (work, &prediction, outcome->metrics);
  if (program->bytes > 0)
    outcome->metrics[CURED_METRIC_intensity] = program->flops / program->bytes;
  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  return TRUE;
}

/* Compiles one cell, counts some of its blocks on the emulator and predicts its time. Outputs are
 * not checked.
 *
 * Returns: as cured_measure() */
gboolean
_cured_predict_cell (CuredDevice *device, const CuredJob *job, CuredOutcome *outcome,
                     GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (CuredProgram) program =
      cured_program_new (job->kernel, job->values, &device->info.limits, &problem);

  if (program == NULL)
    {
      cured_outcome_set_state (outcome, CURED_STATE_NOT_LAUNCHABLE, "%s", problem->message);
      return TRUE;
    }
  if (predict (device, job, program, outcome, cancellable, &problem))
    return TRUE;
  if (g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
      g_error_matches (problem, CURED_ERROR, CURED_ERROR_NO_COMPILER))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  cured_outcome_set_state (outcome,
                           g_error_matches (problem, CURED_ERROR, CURED_ERROR_TIMED_OUT)
                               ? CURED_STATE_TIMED_OUT
                               : CURED_STATE_FAILED,
                           "%s", problem->message);
  return TRUE;
}
