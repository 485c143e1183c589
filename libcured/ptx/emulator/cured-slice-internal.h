/* SPDX-License-Identifier: MIT
 * Which instructions of a kernel decide where it goes and what it touches. */
#pragma once

#include "ptx/cured-ptx-internal.h"

typedef struct
{
  /* by site: 0: is executed; %CURED_SLICE_ANNOUNCE: an access that observers see, without its
   * data; else how many instructions from this one on are passed over */
  uint32_t *actions;
  /* contents of global memory decide something, such as a ticket that a block takes, or an index */
  bool is_data_needed;
} CuredSlice;

CuredSlice *_cured_slice_new (CuredPtxModule *module);
void _cured_slice_free (CuredSlice *self);
bool *_cured_slice_find_spared (CuredPtxModule *module);
bool _cured_slice_needs_data (CuredPtxModule *module);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSlice, _cured_slice_free)
