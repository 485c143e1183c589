/* SPDX-License-Identifier: MIT
 * A kernel's output beside what it should be. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

#define CURED_MISMATCHES_KEPT 10

typedef struct
{
  char *buffer; /* the buffer's name, as the kernel file has it */
  gint64 index; /* of the element; before 0 or past the end: a guard zone was written */
  /* what the kernel wrote, as text (exact; "unwritten" where the poison is still there) */
  char *got;
  char *expected; /* as text */
} CuredMismatch;

void cured_mismatch_free (CuredMismatch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMismatch, cured_mismatch_free)
