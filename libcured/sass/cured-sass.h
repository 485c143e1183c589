/* SPDX-License-Identifier: MIT
 * Accesses to shared memory in a cubin's machine code, by source line. */
#pragma once

#include <glib.h>

#include "ptx/emulator/cured-emulator.h"

/* One instruction that accesses shared memory. */
typedef struct
{
  guint64 offset;       /* bytes from the begin of the kernel's section */
  GRefString *file;     /* (nullable): source file, by its name for the compiler */
  int line;             /* source line, from 1; 0: unknown */
  CuredAccessKind kind; /* #CURED_ACCESS_ATOMIC even if the result is unused */
  guint width;          /* bits per lane; for a matrix 128, per row */
  guint matrices;       /* for ldmatrix and stmatrix: 1, 2 or 4; otherwise 0 */
} CuredSassAccess;
