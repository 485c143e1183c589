/* SPDX-License-Identifier: MIT
 * The cost of PTX instructions: issue slots by pipe. */
#pragma once

#include "ptx/cured-ptx-internal.h"

/* Issue slots by #CuredPipe. */
typedef struct
{
  float slots[CURED_N_PIPES];
} CuredPtxCost;

CuredPtxCost *_cured_ptx_costs_new (const CuredPtxModule *module);
