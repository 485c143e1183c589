/* SPDX-License-Identifier: MIT
 * Changes of a kernel that were tried, and that end a finding. */
#pragma once

#include "inspect/cured-inspection.h"

/* A change of a kernel's text that the emulator has tried. */
typedef struct
{
  /* index of the finding, of the inspection, that it ends; -1: it is against bank conflicts */
  int finding;
  /* of the kernel's text, from 1: before which @insertion goes where @column is 0, or in which it
   * goes */
  int line;
  int column;      /* bytes of the line before @insertion */
  char *insertion; /* the text to insert; a line of its own ends with a newline */
  /* what was done and what the emulator then said, for people: "a barrier between lines 129 and
   * 135: no finding" */
  char *text;
  char *source; /* the kernel's whole text with it */
} CuredRemedy;

/**
 * CuredInspectFunc:
 * @kernel: what to look at, as a trial has it
 * @data: as it was passed
 * @cancellable: (nullable): to stop
 * @error: return location
 *
 * Looks into a kernel, at the same values and the same block each time.
 *
 * Returns: (transfer full): as of cured_inspection_new() */
typedef CuredInspection *(*CuredInspectFunc) (CuredKernel *kernel, gpointer data,
                                              GCancellable *cancellable, GError **error);

GPtrArray *cured_remedies_try (CuredKernel *kernel, const CuredInspection *inspection,
                               CuredInspectFunc inspect, gpointer data, GCancellable *cancellable,
                               GError **error);
void cured_remedy_free (CuredRemedy *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredRemedy, cured_remedy_free)
