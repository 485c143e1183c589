/* SPDX-License-Identifier: MIT
 * Kernels of the catalogue on inputs that can be worked by hand. */
#pragma once

#include <cured.h>

/**
 * WorkedFill:
 * @buffer: its name
 * @fill: what is in it, as a kernel file says: "Fill=ramp\nLow=1" */
typedef struct
{
  const char *buffer, *fill;
} WorkedFill;

/**
 * Worked:
 * @outcome: what the emulator found and counted
 * @data: each buffer's contents behind the run */
typedef struct
{
  CuredKernel *kernel;
  CuredProgram *program;
  CuredOutcome *outcome;
  void **data;
} Worked;

Worked *worked_new (CuredDevice *device, CuredCompiler *compiler, const char *id,
                    const char *parameters, const WorkedFill *fills, gsize n_fills);
const void *worked_get (const Worked *self, const char *buffer);
void worked_free (Worked *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Worked, worked_free)
