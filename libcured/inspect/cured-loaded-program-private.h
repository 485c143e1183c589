/* SPDX-License-Identifier: MIT
 * A program on the emulator, ready for one launch of it to be looked at. */
#pragma once

#include "device/cured-emulated-internal.h"
#include "inspect/cured-bank-view.h"

/* What PTX is compiled for. */
#define CURED_STAGE_PTX_ARCH "compute_90"

/* The machine code that it is compared with: of the same chip. */
#define CURED_STAGE_MACHINE_ARCH "sm_90"

/* A program that is compiled for the emulator. */
typedef struct
{
  CuredEmulated emulated; /* owns all but the program; buffers are there once something runs */
  GBytes *ptx;            /* the text */
  GBytes *cubin; /* (nullable): its machine code, where that was asked for and can be made */
  char *log;     /* (nullable): what the compiler remarks on a source that is being edited */
  /* most threads of the launches before the one that is looked at: with more, none of those runs */
  guint64 max_earlier_threads;
  /* processor time that a launch may take. By the clock, the one that is looked at may take ten
   * times as long, and so may all of those before it together */
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
