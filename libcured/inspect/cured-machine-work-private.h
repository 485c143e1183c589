/* SPDX-License-Identifier: MIT
 * What a launch asked of the pipes, from its machine code. */
#pragma once

#include "sass/cured-sass-flow-internal.h"
#include "ptx/cured-work.h"

G_BEGIN_DECLS

/**
 * CuredMachineWork: what the runs of one step did in machine code.
 * @module: the PTX that was emulated
 * @code: (nullable): the machine code of the step's kernel
 * @sites: by index of the PTX instruction: slots of the pipes
 * @accesses: likewise: requests
 * @executed: by index of the instruction: how often it ran
 * @uncertain: of @total, work of blocks without an exact count
 * @total: executed warp instructions
 * @is_usable: the machine code can be read, and no run was cut short
 */
typedef struct
{
  const CuredPtxModule *module;
  CuredSassCode *code;
  CuredWork *sites;
  struct _CuredMachineAccess *accesses;
  double *executed, total, uncertain;
  gboolean is_usable;
} CuredMachineWork;

void _cured_machine_work_init (CuredMachineWork *self, const CuredPtxModule *module, GBytes *cubin,
                               const char *entry);
void _cured_machine_work_clear (CuredMachineWork *self);
void _cured_machine_work_add (CuredMachineWork *self, const CuredReport *report, guint64 threads,
                              double scale);
void _cured_machine_work_apply (const CuredMachineWork *self, CuredWorkLaunch *launch);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredMachineWork, _cured_machine_work_clear)

G_END_DECLS
