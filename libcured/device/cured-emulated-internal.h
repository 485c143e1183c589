/* SPDX-License-Identifier: MIT
 * A program on the emulator: its module, its buffers, and its launches. */
#pragma once

#include "device/cured-device-internal.h"
#include "ptx/cured-ptx-module.h"

/* A program's context for running on the emulator; everything is borrowed. */
typedef struct
{
  const CuredProgram *program;    /* the program to run */
  CuredPtxModule *module;         /* module of its PTX, from _cured_emulated_load() */
  CuredMemory *memory;            /* memory with its buffers */
  const CuredDevicePtr *bindings; /* (array): one address per buffer */
  const CuredLimits *limits;      /* (nullable): of the emulated device */
  CuredEmulation emulation;       /* how it runs */
  gboolean is_lazy;               /* the buffers are from _cured_emulated_allocate() */
} CuredEmulated;

/* @step: the step that ran
 * @report: its report
 *
 * Evaluates a launch.
 * Returns: whether to continue */
typedef gboolean (*CuredEmulatedFunc) (const CuredProgramStep *step, const CuredReport *report,
                                       gpointer user_data, GError **error);

CuredPtxModule *_cured_emulated_load (GBytes *image, const char *name, CuredMemory *memory,
                                      GError **error);
gboolean _cured_emulated_find_entry (const CuredPtxModule *module, const char *name,
                                     CuredPtxEntry *entry, GError **error);
gboolean _cured_emulated_find_variable (const CuredPtxModule *module, const char *name,
                                        CuredDevicePtr *address, gsize *size, GError **error);
gboolean _cured_emulated_allocate (const CuredProgram *program, const CuredPtxModule *module,
                                   CuredMemory *memory, guint64 seed, guint watch,
                                   gboolean is_filled, CuredDevicePtr *bindings, GError **error);
gboolean _cured_emulated_launch (const CuredEmulated *self, const CuredProgramStep *step,
                                 gint64 turn, CuredReport *report, GError **error);
gboolean _cured_emulated_run_aside (const CuredEmulated *self, const CuredProgramStep *step,
                                    GError **error);
void _cured_emulated_add_work (const CuredEmulated *self, const CuredProgramStep *step,
                               const CuredReport *report, double scale, gboolean is_repeated,
                               CuredWorkload *work);
gboolean _cured_emulated_prepare (const CuredEmulated *self, const CuredProgramStep *step,
                                  GError **error);
gboolean _cured_emulated_run (const CuredEmulated *self, gsize n_steps, CuredEmulatedFunc func,
                              gpointer user_data, GError **error);
