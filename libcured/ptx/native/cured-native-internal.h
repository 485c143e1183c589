/* SPDX-License-Identifier: MIT
 * Host machine code for the straight-line pieces of a module's PTX; docs/emulator.md,
 * "Translation". */
#pragma once

#include "ptx/machine/cured-warp-private.h"

const CuredCleared *_cured_native_get_cleared (CuredPtxModule *module,
                                               const CuredPtxFunction *entry);
const CuredNative *_cured_native_prepare (CuredPtxModule *module, const CuredPtxFunction *entry,
                                          bool is_counting, bool is_observed);
void _cured_native_add_counts (const CuredNative *self, const uint64_t *counts, gsize n_counts,
                               CuredSiteCounts *sites, uint64_t *lane_instructions);
