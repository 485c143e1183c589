/* SPDX-License-Identifier: MIT
 * Launches by kernels. */
#pragma once

#include "ptx/cured-ptx-module.h"
#include "ptx/machine/cured-memory.h"

#define CURED_EXEC_MAX_NESTED_BYTES 4096

/* The variable in a program's text with the queue of kernels' requests; also a prefix of other
 * variables. */
#define CURED_EXEC_QUEUE "cured_nested"

typedef enum
{
  CURED_EXEC_NESTED_LAUNCH = 1, /* @x[0] is the kernel's address */
  CURED_EXEC_NESTED_COPY,       /* to @x[0] from @x[1], @x[2] bytes */
  CURED_EXEC_NESTED_SET,        /* @x[0] to the byte @x[1], @x[2] bytes */
} CuredExecNestedKind;

/* A kernel's request, in the layout of device code. */
typedef struct
{
  guint64 x[3], stream;
  guint32 kind; /* CuredExecNestedKind; 0: prepared, but never submitted */
  guint32 order, grid[3], block[3], shared_bytes, padding[15];
  guint8 parameters[CURED_EXEC_MAX_NESTED_BYTES];
} CuredExecNested;

const char *_cured_exec_nested_get_text (const char *text);
gboolean _cured_exec_nested_is_runtime (const char *text);
GList *_cured_exec_nested_take (const CuredPtxModule *module, CuredMemory *memory,
                                gboolean *is_full);
