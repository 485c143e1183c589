/* SPDX-License-Identifier: MIT
 * The launches that a file's program made. */
#pragma once

#include "exec/cured-exec-recording.h"
#include "kernel/cured-kernel.h"

/* A saved launch.
 * @name: as in the source, with template arguments and without parameters
 * @kernel: its file
 * @reads_unwritten: the kernel read unwritten memory */
typedef struct
{
  char *name;
  CuredKernel *kernel;
  gboolean reads_unwritten;
} CuredExecRecorded;

struct _CuredExecRecording
{
  char *folder;
  GPtrArray *launches; /* (element-type CuredExecRecorded): in their order */
  GPtrArray *notes;    /* (element-type utf8) */
};
