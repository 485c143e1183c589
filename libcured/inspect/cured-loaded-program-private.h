/* SPDX-License-Identifier: MIT
 * A program on the emulator, to inspect one of its launches. */
#pragma once

#include "device/cured-emulated-internal.h"
#include "inspect/cured-bank-view.h"

/* The arch of PTX. */
#define CURED_STAGE_PTX_ARCH "compute_90"

/* The arch of machine code to compare with: the same chip. */
#define CURED_STAGE_MACHINE_ARCH "sm_90"

/* A program that is compiled for the emulator. */
typedef struct
{
  CuredEmulated emulated; /* owns everything except the program; has no buffers before a run */
  GBytes *ptx;            /* the text */
  GBytes *cubin;          /* (nullable): its machine code, if requested and possible */
  char *log;              /* (nullable): the compiler's remarks on a source that is being edited */
  /* limit of threads of the launches before the inspected one: with more, none of these run */
  guint64 max_earlier_threads;
  /* limit of a launch's processor time. By the clock, the inspected launch may take ten times as
   * long, and so may all earlier ones together */
  gint64 time_limit_ms;
} CuredLoadedProgram;

GBytes *_cured_loaded_program_compile (CuredCompiler *compiler, const CuredProgram *program,
                                       const char *arch, gboolean is_live, char **log,
                                       GCancellable *cancellable, GError **error);
gboolean _cured_loaded_program_init (CuredLoadedProgram *self, CuredCompiler *compiler,
                                     const CuredProgram *program, gboolean has_machine,
                                     gboolean is_live, GCancellable *cancellable,
                                     gint64 *compile_ns, GError **error);
void _cured_loaded_program_clear (CuredLoadedProgram *self);
gboolean _cured_loaded_program_choose (const CuredLoadedProgram *self, const CuredBankQuery *query,
                                       gsize *chosen, CuredPtxEntry *entry, GError **error);
gboolean _cured_loaded_program_run (CuredLoadedProgram *self, const CuredBankQuery *query,
                                    gsize last, CuredTraceFunc trace, gpointer trace_data,
                                    CuredReport *report, char **note, GCancellable *cancellable,
                                    GError **error);
guint64 _cured_step_count_blocks (const CuredProgramStep *step);
guint64 _cured_step_count_threads (const CuredProgramStep *step);

CuredBankView *_cured_bank_view_new_loaded (CuredLoadedProgram *stage, const CuredBankQuery *query,
                                            CuredReport *report, GCancellable *cancellable,
                                            GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredLoadedProgram, _cured_loaded_program_clear)
