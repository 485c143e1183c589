/* SPDX-License-Identifier: MIT
 * A kernel's machine code as text, with the source's lines and executed counts. */
#pragma once

#include "inspect/cured-bank-view.h"

/* One instruction. */
typedef struct
{
  guint64 offset; /* bytes from the begin of the kernel */
  /* guard, name, the registers that it writes and reads, and its branch target; without immediate
   * operands */
  char *text;
  int line;          /* of the kernel file, from 1; 0: not known */
  guint stall;       /* cycles until the warp's next instruction may be issued */
  guint waits;       /* a bit for each barrier that it waits for */
  guint sets;        /* a bit for each barrier that it sets */
  guint64 executed;  /* warps of the block that ran it */
  gboolean is_exact; /* @executed follows from the counts; otherwise it is the most likely count */
} CuredMachineLine;

/* Free with cured_machine_view_free(). */
typedef struct
{
  char *entry;             /* the kernel */
  char *arch;              /* arch of the machine code: "sm_90" */
  CuredMachineLine *lines; /* (array length=n_lines): by offset */
  gsize n_lines;
} CuredMachineView;

CuredMachineView *cured_machine_view_new (CuredCompiler *compiler, const CuredProgram *program,
                                          const CuredBankQuery *query, GCancellable *cancellable,
                                          GError **error);
void cured_machine_view_free (CuredMachineView *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMachineView, cured_machine_view_free)
