/* SPDX-License-Identifier: MIT
 * Expected outputs of kernels, computed in C. */
#pragma once

#include <gio/gio.h>

#include "kernel/program/cured-program.h"

/* *
 * CuredReferenceFunc:
 * @program: sizes and parameters
 * @inputs: one pointer a program buffer; contents before the first launch
 * @output: (out caller-allocates): the expected contents of the checked
 *   buffer, in that buffer's own type and length
 * @cancellable: (nullable): checked every few milliseconds
 *
 * Computes in double precision (64-bit integers for integer types, wrapped to the type at the end),
 * on all cores if that pays off. Long sums are pairwise. */
typedef gboolean (*CuredReferenceFunc) (const CuredProgram *program, const void *const *inputs,
                                        void *output, GCancellable *cancellable, GError **error);

typedef struct
{
  const char *name, *summary;
  CuredReferenceFunc func;
} CuredReference;

const CuredReference *cured_reference_list (gsize *n_references);
