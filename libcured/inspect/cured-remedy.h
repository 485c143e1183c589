/* SPDX-License-Identifier: MIT
 * Remedies: changes of a kernel that were tried, and remove a finding. */
#pragma once

#include "inspect/cured-inspection.h"

/* A change of a kernel's text that the emulator has tried. */
typedef struct
{
  /* index of the inspection's finding that it removes; -1: it removes bank conflicts */
  int finding;
  /* line of the kernel's text, from 1; @insertion goes before it if @column is 0, otherwise into
   * it */
  int line;
  int column;      /* bytes of the line before @insertion */
  char *insertion; /* the text to insert; a line of its own ends with a newline */
  /* the change and the emulator's result, for people: "a barrier between lines 129 and 135: no
   * finding" */
  char *text;
  char *source; /* the kernel's whole text with the change */
} CuredRemedy;

/* *
 * CuredInspectFunc:
 * @kernel: the changed kernel
 * @data: as it was passed
 * @cancellable: (nullable): stops it
 * @error: return location
 *
 * Inspects a kernel, always at the same values and the same block.
 *
 * Returns: (transfer full): as from cured_inspection_new() */
typedef CuredInspection *(*CuredInspectFunc) (CuredKernel *kernel, gpointer data,
                                              GCancellable *cancellable, GError **error);

GPtrArray *cured_remedies_try (CuredKernel *kernel, const CuredInspection *inspection,
                               CuredInspectFunc inspect, gpointer data, GCancellable *cancellable,
                               GError **error);
void cured_remedy_free (CuredRemedy *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredRemedy, cured_remedy_free)
