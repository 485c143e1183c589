/* SPDX-License-Identifier: MIT
 * What a cubin's machine code does to shared memory, and for which lines. */
#pragma once

#include <glib.h>

#include "ptx/emulator/cured-emulator.h"

G_BEGIN_DECLS

/**
 * CuredSassAccess:
 * @offset: bytes from the begin of the kernel's section
 * @file: (nullable): of the source, as the compiler was told its name
 * @line: of the source, from 1; 0: not known
 * @kind: #CURED_ACCESS_ATOMIC also where no result is used
 * @width: bits per lane; of a matrix 128, per row
 * @matrices: of ldmatrix and stmatrix: 1, 2 or 4; otherwise 0
 *
 * One instruction that accesses shared memory.
 */
typedef struct
{
  guint64 offset;
  GRefString *file;
  int line;
  CuredAccessKind kind;
  guint width, matrices;
} CuredSassAccess;

G_END_DECLS
