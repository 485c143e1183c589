/* SPDX-License-Identifier: MIT
 * Which accesses of a launch happen before which: barriers, fences, atomics. */
#pragma once

#include "ptx/machine/cured-warp-private.h"

/* Releases on addresses of global memory, of all blocks of a launch. */
typedef struct _CuredOrder CuredOrder;

/* For a set of threads: up to which clocks other threads' accesses happened before. NULL: the
 * block's floor only. */
typedef struct _CuredVectorClock CuredVectorClock;

/* A thread's vector clock, and its own clock, at its last fence. */
typedef struct
{
  uint32_t clock; /* 0: no fence so far */
  uint32_t floor;
  CuredVectorClock *known, *base;
} CuredSnapshot;

#define CURED_ORDER_WARPS 32

/* Accesses of global memory through which a warp acquires; processed at its next event, since
 * another block may release between the announcement and the access itself. */
typedef struct
{
  uint32_t mask;
  bool is_wide;    /* its scope is wider than the block */
  bool is_acquire; /* it acquires by itself; otherwise a fence is needed */
  uint64_t address[CURED_WARP_LANES];
} CuredAcquisition;

/* The order of one block. A block's clock counts ordering events; an access is stamped with the
 * clock of its warp, which is the block's at the last such event of the warp. A thread is ordered
 * after the accesses of another with stamps below a limit: its vector clock. */
typedef struct
{
  CuredOrder *order;
  uint32_t block, n_warps, now;
  uint32_t floor; /* every thread is ordered after all accesses with lower stamps */
  uint32_t clocks[CURED_ORDER_WARPS];
  CuredVectorClock *base;                      /* (nullable): clocks of other blocks */
  CuredVectorClock **known;                    /* per thread; entries nullable */
  bool has_known;                              /* some entry of @known may not be NULL */
  CuredVectorClock **heard[2];                 /* (nullable): per thread; entries nullable: what
                                * it read and a fence will acquire: from the
                                * block's own threads, and from other blocks */
  CuredSnapshot *fences[2];                    /* (nullable): per thread: fences of any scope,
                                         * and of scopes wider than the block */
  CuredVectorClock *arrived[CURED_N_BARRIERS]; /* (nullable) */
  struct
  {
    CuredVectorClock *known; /* (nullable): joined clocks of the arrived threads */
    uint32_t first;          /* clock of the first arrival; 0: none yet */
    uint32_t n;              /* number of arrivals */
    uint32_t now;            /* the block's clock when all had arrived */
    bool is_pure;            /* the clock counted only arrivals since the first, and
                   * all of them release: the first clock suffices */
  } cluster[2];              /* the cluster's barrier: the current phase, and the previous one */
  GHashTable *shared;        /* (nullable): address → releases there */
  CuredAcquisition pending[CURED_ORDER_WARPS];
} CuredBlockOrder;

CuredOrder *_cured_order_new (void);
void _cured_order_free (CuredOrder *self);

CuredBlockOrder *_cured_block_order_new (CuredOrder *order, uint32_t n_warps);
void _cured_block_order_free (CuredBlockOrder *self);
void _cured_block_order_begin (CuredBlockOrder *self, uint32_t block);
void _cured_block_order_end (CuredBlockOrder *self);

void _cured_block_order_join_all (CuredBlockOrder *self);
void _cured_block_order_join (CuredBlockOrder *self, const uint32_t *lanes, uint32_t barrier);
void _cured_block_order_arrive (CuredBlockOrder *self, uint32_t warp, uint32_t mask,
                                uint32_t barrier);
void _cured_block_order_cluster_arrive (CuredBlockOrder *self, uint32_t warp, uint32_t mask,
                                        bool is_release);
void _cured_block_order_cluster_done (CuredBlockOrder *self, uint32_t cluster);
void _cured_block_order_cluster_wait (CuredBlockOrder *self, uint32_t cluster,
                                      const uint32_t *lanes, bool is_all);
void _cured_block_order_join_warp (CuredBlockOrder *self, uint32_t warp, uint32_t mask);
void _cured_block_order_fence (CuredBlockOrder *self, uint32_t warp, uint32_t mask, bool is_wide,
                               bool is_release, bool is_acquire);
void _cured_block_order_release (CuredBlockOrder *self, uint32_t warp, uint32_t mask,
                                 CuredSpace space, const uint64_t *address, bool is_wide,
                                 bool is_fence);
void _cured_block_order_acquire (CuredBlockOrder *self, uint32_t warp, uint32_t mask,
                                 CuredSpace space, const uint64_t *address, bool is_wide,
                                 bool is_acquire);
void _cured_block_order_settle (CuredBlockOrder *self, uint32_t warp);

/* Whether the lanes' vector clocks equal the block's floor. */
static inline bool
_cured_block_order_is_plain (const CuredBlockOrder *self, uint32_t warp, uint32_t mask)
{
  if (self->base != NULL)
    return false;
  if (!self->has_known)
    return true;
  for (; mask != 0; mask &= mask - 1)
    if (self->known[warp * CURED_WARP_LANES + (uint32_t) __builtin_ctz (mask)] != NULL)
      return false;
  return true;
}

bool _cured_block_order_knows (const CuredBlockOrder *self, uint32_t thread, uint32_t warp,
                               uint32_t lanes, uint32_t clock);
bool _cured_block_order_knows_foreign (const CuredBlockOrder *self, uint32_t thread, uint32_t block,
                                       uint32_t warp, uint32_t lanes, uint32_t clock,
                                       bool with_heard);
bool _cured_block_order_heard_of (const CuredBlockOrder *self, uint32_t thread, uint32_t block,
                                  uint32_t warp, uint32_t lanes, uint32_t clock);
bool _cured_block_order_heard (const CuredBlockOrder *self, uint32_t thread, CuredSpace space,
                               uint64_t address, uint32_t block, uint32_t warp, uint32_t lanes);
