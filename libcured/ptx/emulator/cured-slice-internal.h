/* SPDX-License-Identifier: MIT
 * Which instructions of a kernel decide where it goes and what it touches. */
#pragma once

#include "ptx/cured-ptx-internal.h"

typedef struct
{
  /* by site: 0: executed; %CURED_SLICE_ANNOUNCE: an access that is reported to observers without
   * its data; else the number of instructions to skip from this one on */
  uint32_t *actions;
  /* control flow or addresses depend on the contents of global memory, such as a block's ticket
   * or an index */
  bool is_data_needed;
} CuredSlice;

CuredSlice *_cured_slice_new (CuredPtxModule *module);
void _cured_slice_free (CuredSlice *self);
bool *_cured_slice_find_spared (CuredPtxModule *module);
bool _cured_slice_needs_data (CuredPtxModule *module);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSlice, _cured_slice_free)
