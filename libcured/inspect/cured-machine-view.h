/* SPDX-License-Identifier: MIT
 * A kernel's machine code as text, with the source's lines and executed counts. */
#pragma once

#include "inspect/cured-bank-view.h"

G_BEGIN_DECLS

/**
 * CuredMachineLine: one instruction.
 * @offset: bytes from the begin of the kernel
 * @text: guard, name, the registers that it writes and reads, and where it branches to; numbers that
 *   are part of the instruction are not in it
 * @line: of the kernel file, from 1; 0: not known
 * @stall: cycles until the warp's next instruction may be issued
 * @waits: a bit for each barrier that it waits for
 * @sets: a bit for each barrier that it sets
 * @executed: warps of the block that ran it
 * @is_exact: @executed follows from what was counted; else it is the most likely count
 */
typedef struct
{
  guint64 offset;
  char *text;
  int line;
  guint stall, waits, sets;
  guint64 executed;
  gboolean is_exact;
} CuredMachineLine;

/**
 * CuredMachineView:
 * @entry: the kernel
 * @arch: what it was assembled for: "sm_90"
 * @lines: (array length=n_lines): by offset
 *
 * Free with cured_machine_view_free().
 */
typedef struct
{
  char *entry, *arch;
  CuredMachineLine *lines;
  gsize n_lines;
} CuredMachineView;

CuredMachineView *cured_machine_view_new (CuredCompiler *compiler, const CuredProgram *program,
                                          const CuredBankQuery *query, GCancellable *cancellable,
                                          GError **error);
void cured_machine_view_free (CuredMachineView *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMachineView, cured_machine_view_free)

G_END_DECLS
