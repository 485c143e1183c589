/* SPDX-License-Identifier: MIT
 * What grid, blocks, warps and barriers know of each other. */
#pragma once

#include "ptx/machine/cured-warp-private.h"

/* Warp-instructions that a warp runs before the others of its block have their turn, and that a
 * group of lanes runs while others of its warp could. */
#define CURED_WARP_TURN 4096

/* Of what a kernel prints, kept per block and per launch. */
#define CURED_OUTPUT_BYTES ((gsize) 1 << 20)

void _cured_warp_init (CuredWarp *warp, CuredBlock *block, uint32_t index);
void _cured_warp_start (CuredWarp *warp);
void _cured_warp_clear (CuredWarp *warp);

/* FALSE: no group can go on. Runs at most @budget instructions. */
bool _cured_warp_run (CuredWarp *warp, uint32_t budget);
void _cured_warp_announce (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask);
void _cured_warp_describe (const CuredWarp *warp, GString *text);
void _cured_warp_release (CuredWarp *warp, uint32_t barrier);

/* Leaves the running group with @mask: the others go on at the warp's pc. */
void _cured_warp_split_off (CuredWarp *warp, uint32_t mask);
/* Like _cured_warp_converge (), of a barrier of the block or the cluster. */
bool _cured_warp_converge_at (CuredWarp *warp, uint32_t mask, uint32_t members, uint32_t barrier);

/* TRUE: a barrier let threads go. */
bool _cured_block_release_barriers (CuredBlock *block);
bool _cured_cluster_release (CuredCluster *cluster);

/* Threads that wait for an mbarrier: lets those go on that gave way until it changes; FALSE: there
 * are none. */
bool _cured_cluster_wake (CuredCluster *cluster);
/* After each round of all warps: whether all wait for ever, which is reported. */
bool _cured_cluster_stalls (CuredCluster *cluster);
/* While the cluster is watched: before an instruction runs. */
void _cured_stall_look (CuredWarp *warp, const CuredPtxInst *inst);

void _cured_block_print (CuredBlock *block, const char *text, gsize length);

char *_cured_warp_read_string (CuredWarp *warp, uint32_t lane, uint64_t address);
void _cured_warp_vprintf (CuredWarp *warp, uint32_t lane, uint64_t format, uint64_t arguments);

/* ---- Calls ---- */

static inline uint64_t *
cured_frame_get_base (CuredFrame *frame)
{
  return (uint64_t *) (frame->registers + CURED_FRAME_BASE_OFFSET);
}

void _cured_warp_define_slot (CuredWarp *warp, CuredFrame *frame, uint32_t lane, gsize offset,
                              gsize size, bool is_defined);
void _cured_warp_pass_arguments (CuredWarp *warp, const CuredPtxInst *inst,
                                 const CuredPtxFunction *function, CuredFrame *from, CuredFrame *to,
                                 uint32_t mask);
void _cured_warp_pass_results (CuredWarp *warp, const CuredPtxInst *inst,
                               const CuredPtxFunction *function, CuredFrame *from, CuredFrame *to,
                               uint32_t mask);
bool _cured_warp_run_builtin (CuredWarp *warp, const CuredPtxInst *inst,
                              const CuredPtxFunction *function, uint32_t mask);
