/* SPDX-License-Identifier: MIT
 * What a cubin's machine code does to shared memory, and for which lines. */
#pragma once

#include <glib.h>

#include "ptx/emulator/cured-emulator.h"

/* One instruction that accesses shared memory. */
typedef struct
{
  guint64 offset;       /* bytes from the begin of the kernel's section */
  GRefString *file;     /* (nullable): of the source, as the compiler was told its name */
  int line;             /* of the source, from 1; 0: not known */
  CuredAccessKind kind; /* #CURED_ACCESS_ATOMIC also where no result is used */
  guint width;          /* bits per lane; of a matrix 128, per row */
  guint matrices;       /* of ldmatrix and stmatrix: 1, 2 or 4; otherwise 0 */
} CuredSassAccess;
