/* SPDX-License-Identifier: MIT
 * One cell on one device: compile, check, time. */
#pragma once

#include "measure/cured-outcome.h"
#include "device/cured-compiler.h"
#include "device/cured-device.h"
#include "spec/cured-options.h"

/* *
 * CuredStageFunc:
 * @stage: the stage that begins
 *
 * Called in the thread that measures, whenever a cell enters a stage. */
typedef void (*CuredStageFunc) (CuredStage stage, gpointer user_data);

/* A job. Everything is borrowed for the duration of the call. */
typedef struct
{
  CuredKernel *kernel;         /* the kernel to run */
  const gint64 *values;        /* of all its parameters, in the kernel's order */
  const CuredOptions *options; /* how to measure */
  /* (nullable): the kernel file that @kernel names as its reference, if it came from another
   * machine; NULL: it is loaded by its name */
  CuredKernel *reference;
  /* (nullable) (element-type CuredRange): ranges of which the outcome gets excerpts; only the first
   * CURED_EXCERPT_MAX are used */
  const GPtrArray *ranges;
  CuredStageFunc stage_func; /* (nullable): called for every stage */
  gpointer stage_data;       /* for @stage_func */
} CuredJob;

/* The resources that a launch of a program needs; free with cured_demand_free(). */
typedef struct
{
  char *entry;            /* the kernel's name */
  gint64 threads;         /* threads of a block */
  gsize shared_dynamic;   /* dynamic shared memory of the launch, in bytes */
  CuredFunctionInfo info; /* data from compiler and driver */
} CuredDemand;

void cured_demand_free (CuredDemand *self);

gboolean cured_measure (CuredDevice *device, const CuredJob *job, CuredOutcome *outcome,
                        GCancellable *cancellable, GError **error);
void cured_prepare (CuredDevice *device, const CuredJob *job);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDemand, cured_demand_free)
