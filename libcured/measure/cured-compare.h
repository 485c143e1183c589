/* SPDX-License-Identifier: MIT
 * Compares a kernel's output with the expected one. */
#pragma once

#include <glib.h>

#include "kernel/cured-kernel.h"

#define CURED_MISMATCHES_KEPT 10

typedef struct
{
  char *buffer; /* the buffer's name, as in the kernel file */
  gint64 index; /* index of the element; below 0 or past the end: in a guard zone */
  /* what the kernel wrote, as exact text; "unwritten" if it still holds the poison */
  char *got;
  char *expected; /* the expected value as text */
} CuredMismatch;

void cured_mismatch_free (CuredMismatch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMismatch, cured_mismatch_free)
