/* SPDX-License-Identifier: MIT
 * A kernel's output beside what it should be. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

G_BEGIN_DECLS

#define CURED_MISMATCHES_KEPT 10

/**
 * CuredMismatch:
 * @buffer: the buffer's name, as the kernel file has it
 * @index: of the element; before 0 or past the end: a guard zone was written
 * @got: what the kernel wrote, as text (exact; "unwritten" where the poison is still there)
 * @expected: as text
 */
typedef struct
{
  char *buffer;
  gint64 index;
  char *got, *expected;
} CuredMismatch;

void cured_mismatch_free (CuredMismatch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMismatch, cured_mismatch_free)

G_END_DECLS
