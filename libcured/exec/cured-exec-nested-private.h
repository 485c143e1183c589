/* SPDX-License-Identifier: MIT
 * Launches by kernels. */
#pragma once

#include "ptx/cured-ptx-module.h"
#include "ptx/machine/cured-memory.h"

#define CURED_EXEC_MAX_NESTED_BYTES 4096

/* The variable in a program's text that holds what kernels ask for; with more behind it, others of
 * that text. */
#define CURED_EXEC_QUEUE "cured_nested"

typedef enum
{
  CURED_EXEC_NESTED_LAUNCH = 1, /* @x[0] is the kernel's address */
  CURED_EXEC_NESTED_COPY,       /* to @x[0] from @x[1], @x[2] bytes */
  CURED_EXEC_NESTED_SET,        /* @x[0] to the byte @x[1], @x[2] bytes */
} CuredExecNestedKind;

/* What a kernel asked for, as its device code has it in memory. */
typedef struct
{
  guint64 x[3], stream;
  guint32 kind; /* CuredExecNestedKind; 0: it was prepared and never asked for */
  guint32 order, grid[3], block[3], shared_bytes, padding[15];
  guint8 parameters[CURED_EXEC_MAX_NESTED_BYTES];
} CuredExecNested;

const char *_cured_exec_nested_get_text (const char *text);
gboolean _cured_exec_nested_is_runtime (const char *text);
GList *_cured_exec_nested_take (const CuredPtxModule *module, CuredMemory *memory,
                                gboolean *is_full);
