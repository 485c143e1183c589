/* SPDX-License-Identifier: MIT
 * The pipes' work in a launch, from its machine code. */
#pragma once

#include "sass/cured-sass-flow-internal.h"
#include "ptx/cured-work.h"

/* The work of one step's runs in machine code. */
typedef struct
{
  const CuredPtxModule *module;         /* the PTX that was emulated */
  CuredSassCode *code;                  /* (nullable): the machine code of the step's kernel */
  CuredWork *sites;                     /* by index of the PTX instruction: slots of the pipes */
  struct _CuredMachineAccess *accesses; /* likewise: requests */
  double *executed;                     /* by index of the instruction: how often it ran */
  double total;                         /* executed warp instructions */
  double uncertain;                     /* of @total, work of blocks without an exact count */
  gboolean is_usable;                   /* the machine code can be read, and no run was cut short */
} CuredMachineWork;

void _cured_machine_work_init (CuredMachineWork *self, const CuredPtxModule *module, GBytes *cubin,
                               const char *entry);
void _cured_machine_work_clear (CuredMachineWork *self);
void _cured_machine_work_add (CuredMachineWork *self, const CuredReport *report, guint64 threads,
                              double scale);
void _cured_machine_work_apply (const CuredMachineWork *self, CuredWorkLaunch *launch);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredMachineWork, _cured_machine_work_clear)
