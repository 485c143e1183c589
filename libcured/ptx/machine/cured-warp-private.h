/* SPDX-License-Identifier: MIT
 * The machine: launches, blocks, warps, frames, and their observers. */
#pragma once

#include <string.h>

#include "ptx/machine/cured-launch.h"
#include "ptx/machine/cured-memory-private.h"
#include "ptx/cured-ptx-internal.h"

typedef struct _CuredPtxGrid CuredPtxGrid;
typedef struct _CuredBlock CuredBlock;
typedef struct _CuredCluster CuredCluster;
typedef struct _CuredObserver CuredObserver;

/* Distance between data that host threads write and data that others read all the time: a processor
 * refetches a cache line that another one has written, often together with the adjacent line. */
#define CURED_APART_BYTES 128

/* ---- Special registers ---- */

/* One array of lanes each, per warp; operands with CURED_BASE_SPECIALS name them by offset.
 * CLOCK and those after it change with every read: only mov reads them, after
 * _cured_warp_update_clocks (). */
typedef struct
{
  uint32_t tid[3][32], ntid[3][32], ctaid[3][32], nctaid[3][32], laneid[32], warpid[32];
  uint32_t nwarpid[32], smid[32], nsmid[32];
  uint64_t gridid[32];
  uint32_t lanemask_eq[32], lanemask_le[32], lanemask_lt[32], lanemask_ge[32], lanemask_gt[32];
  uint32_t total_smem_size[32], aggr_smem_size[32], dynamic_smem_size[32];
  uint64_t dynamic_shared[32]; /* where the dynamic array starts (.shared) */
  /* %envregN: in a cooperative launch, 1 and 2 are the upper and the lower half of the address
   * of the grid barrier's counter; the others are 0. */
  uint32_t envreg[3][32];
  uint32_t zero[32]; /* fourth components */
  uint32_t clusterid[3][32], nclusterid[3][32], cluster_ctaid[3][32], cluster_nctaid[3][32];
  uint32_t cluster_ctarank[32], cluster_nctarank[32];
  uint32_t is_explicit_cluster[16]; /* a predicate: one bit per lane, in [0] */
  uint32_t clock[32], clock_hi[32];
  uint64_t clock64[32], globaltimer[32];
  uint32_t globaltimer_lo[32], globaltimer_hi[32];
} CuredSpecials;

/* ---- Frames and groups ---- */

/* The registers of one call of a function by some lanes. Lanes that call from the same place of the
 * same frame share one, so that they can merge. */
typedef struct _CuredFrame CuredFrame;
struct _CuredFrame
{
  uint8_t *registers; /* of all lanes; 64-byte aligned */
  CuredFrame *parent; /* NULL: the entry's frame */
  CuredFrame *next;   /* the parent's next child, or the next free frame */
  CuredFrame *children;
  uint32_t function, return_pc, depth;
  uint32_t lanes; /* lanes in it, or in functions called from it */
  const CuredPtxInst *caller;
  gsize capacity; /* bytes of @registers */
};

typedef enum
{
  CURED_GROUP_READY,
  CURED_GROUP_AT_BARRIER, /* of the block, or of the cluster */
  CURED_GROUP_AT_SYNC,    /* waits for the lanes in @wanted at a .sync instruction */
} CuredGroupState;

/* Lanes of a warp at the same place. */
typedef struct
{
  uint32_t pc, mask;
  uint32_t wanted; /* AT_SYNC: lanes that the instruction names */
  /* Lanes that went another way, and where they were: for AT_SYNC at a barrier of the block, those
   * that do not just exit; for is_synced, those that its instruction names. */
  uint32_t missing, missing_pc;
  uint8_t barrier;   /* of the block, which; CURED_N_BARRIERS: none;
                      * CURED_CLUSTER_BARRIER: the cluster's */
  uint8_t state;     /* CuredGroupState */
  uint8_t is_synced; /* its .sync instruction may be executed without waiting */
  /* Of an mbarrier: that the last test found its phase incomplete, its address in the block's
   * shared memory, and the testing instruction. */
  uint8_t is_waiting;
  uint8_t is_timed_out; /* the test is to return FALSE if the group still has to wait */
  uint32_t wait_offset, wait_site;
  /* CuredCluster.n_changes, plus one, at which it continues; 0: it can continue now. */
  uint64_t parked;
  CuredFrame *frame;
  uint64_t turn; /* number of its last turn */
} CuredGroup;

/* Number of regions that a warp caches. */
#define CURED_N_RECENT 8

/* A matrix product (wgmma) in flight. */
typedef struct
{
  const CuredPtxInst *inst;
  const CuredFrame *frame;
  uint32_t group;
} CuredProduct;

/* Products that a warp remembers, and registers of its frames. */
#define CURED_N_PRODUCTS 32
#define CURED_N_WRITTEN  2048

/* How the running group of a warp is chosen. */
typedef enum
{
  CURED_NEXT_LOWEST, /* the one deepest in calls, then with the lowest PC */
  CURED_NEXT_OLDEST, /* whose last turn is longest ago */
  CURED_NEXT_LATEST, /* the one that had the last turn */
} CuredNext;

/* Counts of runs of consecutive instructions: added at the first one's site, and subtracted
 * after the last one, so that a run costs the same however long it is. A site's CuredSiteCounts
 * are the prefix sum up to it. */
typedef struct
{
  uint64_t issued, lanes;
} CuredRunCounts;

struct _CuredWarp
{
  /* Hot: what handlers use. */
  uint8_t *bases[CURED_N_BASES];
  uint32_t pc;          /* of the next instruction; control handlers set it */
  uint32_t active;      /* lanes of the running group */
  uint32_t merge_pc;    /* place of another group to merge with */
  uint32_t is_stopped;  /* the running group yields to the scheduler */
  uint32_t is_yielding; /* and to other warps */
  CuredBlock *block;
  CuredFrame *frame;
  CuredSiteCounts *counts; /* by site, of this host thread; NULL: not requested */
  CuredRunCounts *runs;    /* likewise */
  uint32_t alive;          /* lanes that have not exited */
  uint32_t index;          /* of the warp in its block */
  uint64_t n_issued;
  /* Carry flag of add.cc and similar instructions, one bit per lane. */
  uint32_t carry;
  uint32_t current; /* index of the running group */
  uint32_t n_groups;
  CuredNext order;
  uint64_t turns;     /* counts turns of groups */
  uint32_t turn_left; /* instructions left in the turn */
  CuredGroup groups[32] __attribute__ ((aligned (64)));
  uint64_t n_lanes;
  uint64_t n_barriers;    /* arrivals at barriers of the block */
  uint8_t *local;         /* 32 × stack bytes, lane by lane */
  uint8_t *local_defined; /* (nullable): a bit per byte, likewise */
  CuredFrame *entry_frame, *free_frames;
  /* The region of each instruction's last access, by site; nullable. */
  const CuredRegion *regions[CURED_N_RECENT];
  gsize frame_bytes; /* of all frames that were ever created */
  uint64_t n_clock_reads;
  CuredProduct products[CURED_N_PRODUCTS];
  uint32_t n_products, product_group;
  bool has_product_fence;
  /* The instruction that wrote a register used by products since the last wgmma.fence; NULL:
   * none. One bit per register. */
  const CuredPtxInst *writer;
  uint64_t written[CURED_N_WRITTEN / 64];
  CuredSpecials specials __attribute__ ((aligned (64)));
};

/* ---- Blocks and the grid ---- */

#define CURED_N_BARRIERS      16
#define CURED_CLUSTER_BARRIER (CURED_N_BARRIERS + 1)

typedef struct
{
  uint32_t count;     /* threads that it waits for; 0: all of the block */
  uint32_t arrived;   /* threads, as counted by the instruction */
  uint32_t n_lanes;   /* that arrived */
  bool is_reduction;  /* results go to the released lanes */
  uint32_t votes;     /* of a reduction: threads with a true predicate */
  uint32_t site;      /* of the first arrival */
  uint32_t lanes[32]; /* arrived threads per warp */
} CuredBarrier;

/* An address of atomic operations that a host thread counts separately. */
typedef struct
{
  uint64_t address; /* 0: none */
  uint64_t count;
  uint64_t block; /* the first block that used it */
  bool is_shared; /* other blocks used it, too */
} CuredHotAddress;

#define CURED_N_HOT 4096

/* Patterns of addresses that allow short cuts. */
typedef enum
{
  CURED_PATTERN_ANY,
  CURED_PATTERN_CONTIGUOUS, /* all 32 lanes, each @width after the previous one */
  CURED_PATTERN_SAME,       /* all lanes of the mask have one address */
} CuredPattern;

/* The relative addresses of a warp's lanes. An instruction mostly has the same shape as the last
 * time, so that one comparison of all lanes answers every question about them, and an unrolled loop
 * has few shapes. */
typedef struct
{
  uint64_t number; /* among all shapes of the host thread, from 1 on */
  uint32_t mask, width;
  CuredPattern pattern;
  uint32_t folds;  /* see CuredAccess */
  uint32_t places; /* all distances, or-ed */
  uint16_t next;   /* index of the shape that followed it last time */
  uint8_t group;   /* see CuredHosts */
  bool is_same;    /* likewise */
  bool is_wild;    /* lanes may be farther apart than memory is large */
  /* Distances from the first lane's address for the lanes in @mask; 0 for others. */
  int64_t low, high;
  uint64_t distance[32];
  uint32_t narrow[32]; /* their lower halves */
} CuredShape;

#define CURED_N_SHAPES 2048

/* What a host thread has learned about a module's accesses, for use by the next launch. */
typedef struct
{
  CuredShape *shapes;    /* (nullable): CURED_N_SHAPES */
  uint16_t *last_shapes; /* indices in @shapes, two per site */
  uint64_t n_shapes;     /* that there were */
  void *known;           /* (nullable): accesses that the counter remembers */
  CuredBankArch arch;    /* of @known */
} CuredLearned;

/* Runs the machine code of a piece and its successors for the warp's active lanes.
 *
 * @code: of CuredNative.entries
 * @counts: (nullable): CuredTally.counted
 * @left: instructions of the warp's turn
 *
 * Returns: how many of them are left; @left itself: the interpreter has to run the piece */
typedef uint32_t (*CuredNativeEnter) (CuredWarp *warp, const void *code, uint64_t *counts,
                                      uint32_t left);

/* A range of bytes, from one offset to another. */
typedef struct
{
  gsize begin, end;
} CuredCleared;

/* Machine code for parts of a module; see ptx/native/. */
typedef struct
{
  CuredNativeEnter enter;
  const void *
      *entries;   /* (nullable) elements: two per site, for all lanes of a warp and for some */
  gsize n_counts; /* of CuredTally.counted */
} CuredNative;

/* Counts of a host thread, added up at the end. */
typedef struct
{
  CuredSiteCounts *counts;
  CuredRunCounts *runs; /* one more than sites; where there are counts */
  uint64_t *counted;    /* (nullable): by machine code */
  gsize n_counted;
  /* By index of the region; one for each region at the launch. */
  struct
  {
    uint64_t read, written, once, by_block, by_all, by_pair;
  } * regions;
  CuredHotAddress *hot;     /* (nullable): CURED_N_HOT; NULL: no atomics so far */
  void *mixed;              /* (nullable): sectors read by the groups of @copying */
  const CuredWarp *copying; /* (nullable): in a cp.async that has read */
  bool is_mixed;            /* its lanes read different numbers of bytes: by groups */
  CuredLearned learned;
  double squares;
  uint64_t longest, instructions, lane_instructions, barriers;
} CuredTally;

/* A load of 32 bits of shared memory by all lanes of a warp, from one address or from
 * neighbours. */
typedef struct
{
  uint32_t first; /* address of the first lane */
  uint32_t who;   /* site × 64 + warp × 2 + whether it is one address */
} CuredQuietRead;

struct _CuredBlock
{
  CuredPtxGrid *grid;
  CuredWarp *warps;
  uint32_t n_warps, n_threads;
  uint64_t index; /* linear */
  CuredCluster *cluster;
  uint32_t rank; /* in the cluster */
  uint32_t sm;   /* the simulated multiprocessor, %smid */
  uint64_t slot; /* in a chip's order: slot among all resident blocks */
  uint32_t coord[3];
  uint8_t *shared;
  uint32_t shared_bytes; /* static and dynamic */
  CuredBarrier barriers[CURED_N_BARRIERS];
  uint32_t arrivals; /* barriers with waiting threads, one bit each */
  /* The cluster's barrier, one mask per warp: the lanes that arrived in this phase, and those that
   * arrived in the previous phase and have not waited since. */
  uint32_t cluster_arrived[CURED_WARP_LANES], cluster_passed[CURED_WARP_LANES];
  uint32_t n_alive;  /* threads */
  GString *output;   /* (nullable): printed output */
  CuredTally *tally; /* of the host thread that runs it */
  void **states;     /* one per observer */
  /* Loads that the race detector examines only when it has to: at most @most_reads, which is 0
   * if each has to be reported. */
  CuredQuietRead *reads;
  uint32_t n_reads, most_reads;
  const uint8_t *written; /* (nullable): of shared memory, one bit per byte; NULL: not requested */
};

/* Detects threads that wait for an mbarrier for ever; see cured-stall.c. */
typedef struct
{
  bool is_watched; /* instructions are examined */
  bool has_event;  /* one of them may change what others wait for */
  bool has_clock;  /* one of them read a clock */
  uint32_t rounds;
  uint32_t n_clocks; /* rounds in which a clock was read */
  uint64_t print;    /* of the registers after a round */
  uint32_t next;     /* the round after which it is taken again */
  bool is_timeless;  /* no clock was read since it was taken */
  uint32_t rest;     /* rounds until the next check */
  uint32_t pause;
  uint64_t leap; /* of the clocks */
} CuredStall;

/* Blocks that run together on one host thread and can access each other's shared memory. In a grid
 * without clusters, each block is a cluster of its own. */
struct _CuredCluster
{
  uint64_t index; /* linear */
  uint32_t n_blocks;
  bool has_arrivals;  /* arrived at its barrier in this phase */
  uint64_t n_changes; /* of mbarriers in its shared memory */
  CuredStall stall;
  CuredBlock *blocks[CURED_MAX_CLUSTER];
};

/* The lanes of a warp that have a thread; the last warp may have fewer than 32. */
static inline uint32_t
cured_get_threads (const CuredBlock *block, uint32_t warp)
{
  uint32_t n = block->n_threads - warp * CURED_WARP_LANES;

  return n >= CURED_WARP_LANES ? UINT32_MAX : (1u << n) - 1;
}

struct _CuredPtxGrid
{
  const CuredLaunch *launch;
  CuredReport *report;
  CuredPtxModule *module;
  const CuredPtxFunction *entry;
  CuredMemory *memory;
  uint64_t n_blocks;    /* that run */
  uint64_t n_clusters;  /* that run */
  guint cluster[3];     /* blocks of one; at least 1 */
  bool is_clustered;    /* the launch has clusters, even if they have one block */
  uint64_t *clusters;   /* (nullable): those that run; NULL: all */
  uint64_t workspace;   /* of the barrier of the grid; 0: there is none */
  uint32_t stack_bytes; /* a lane */
  CuredObserver **observers;
  uint32_t n_observers;
  uint8_t *telling; /* (nullable): a CuredTelling by site: the detail that all observers need */
  /* (nullable): CuredSlice.actions: data on which nothing depends is not computed. */
  const uint32_t *actions;
  const CuredNative *native; /* (nullable): NULL: everything is interpreted */
  /* Ranges of the entry's registers to clear when a block begins, up to an empty one. */
  const CuredCleared *clear;
  /* (nullable): by site: matrix products that are skipped. */
  bool *spared;
  GMutex mutex; /* of report and output */
  GHashTable *findings;
  GPtrArray *outputs; /* of blocks that printed */
  int stop;           /* atomic: a CuredEnd other than DONE */
  gint64 deadline_us; /* 0: none */
  GString *where;     /* where warps were when it was stopped */
  guint n_where;
  uint8_t apart[CURED_APART_BYTES];
  uint64_t issued; /* atomic */
  uint64_t next;   /* atomic: position in the order of blocks, the next one to start */
};

/* Calls @tell, a function of CuredObserverClass, of each observer of the grid that has it, with its
 * state of the block @of and the other arguments. */
#define CURED_TELL_OBSERVERS(of, tell, ...)                                                        \
  do                                                                                               \
    {                                                                                              \
      CuredBlock *of_ = (of);                                                                      \
      CuredPtxGrid *grid_ = of_->grid;                                                             \
                                                                                                   \
      for (uint32_t o_ = 0; o_ < grid_->n_observers; o_++)                                         \
        if (grid_->observers[o_]->klass->tell != NULL)                                             \
          grid_->observers[o_]->klass->tell (grid_->observers[o_], of_->states[o_], __VA_ARGS__);  \
    }                                                                                              \
  while (0)

/* ---- Observers ---- */

/* A bulk copy started by one lane. It is reported to observers in parts, as accesses of up to 32
 * lanes of at most 16 bytes each. */
typedef struct _CuredBulk
{
  const CuredPtxInst *inst;
  uint32_t lane;       /* the instruction that started it */
  uint32_t size;       /* bytes */
  uint32_t align;      /* of the side in shared memory; 0: 16 */
  uint32_t phase;      /* of its barrier, when it begins */
  uint64_t barrier;    /* in shared memory; UINT64_MAX: it has none */
  CuredBlock *owner;   /* whose shared memory the barrier is in */
  uint32_t wavefronts; /* of each part; 0: by the bank model */
} CuredBulk;

/* One access of some lanes of a warp to one space; reported before data moves. Lanes whose
 * address was rejected are not in @mask; lanes outside @mask have the address of some lane in
 * it. */
typedef struct
{
  const CuredPtxInst *inst;
  CuredSpace space; /* GLOBAL, SHARED or LOCAL */
  CuredAccessKind kind;
  uint32_t width; /* bytes per lane, the whole vector */
  uint32_t mask;
  CuredPattern pattern;
  uint32_t folds; /* how often the lanes can be halved so that both halves have the same
                   * addresses; 0 is always right */
  uint64_t shape; /* CuredShape.number; 0: unknown */
  uint64_t low;   /* the lowest and the highest address, if the shape is known */
  uint64_t high;
  const struct _CuredBulk *bulk; /* (nullable): lanes represent its parts */
  const CuredRegion *region;     /* of all lanes, GLOBAL; NULL: they differ */
  CuredBlock *owner;             /* SHARED: its owner; NULL: the warp's block */
  uint64_t address[32];          /* SHARED: from 0; LOCAL: from the lane's 0 */
} CuredAccess;

/* What the lanes of st.async or red.async send: the destinations, and the owner of that shared
 * memory. */
typedef struct
{
  uint32_t mask;
  uint64_t address[32];
  CuredBlock *owner[32];
} CuredSent;

/* CuredAccess.shape for all lanes at one address, or at consecutive ones; others are greater. */
#define CURED_N_PLAIN_SHAPES 256

static inline uint64_t
cured_get_plain_shape (CuredPattern pattern, uint32_t width)
{
  return width << 1 | (pattern == CURED_PATTERN_CONTIGUOUS);
}

#define CURED_COPIES_COMMIT (-1)
#define CURED_COPIES_NONE   (-2)

/* What observers need of an access by all lanes to one address, or to consecutive ones. */
typedef enum
{
  CURED_TELL_ALL,   /* all addresses */
  CURED_TELL_FIRST, /* the first one */
  CURED_TELL_LATER, /* the same; a load of shared memory may be in CuredBlock.reads instead */
} CuredTelling;

/* Functions may be NULL. Blocks run on several host threads at once: state per block needs no
 * lock, an observer's own state does. */
typedef struct
{
  const char *name;
  gsize state_size; /* size of a block's state, which is zeroed at its start */
  void (*block_begin) (CuredObserver *self, void *state, CuredBlock *block);
  void (*access) (CuredObserver *self, void *state, CuredWarp *warp, const CuredAccess *access);
  /* For st.async and red.async, whose lanes @access receives one by one: everything they send to
   * one block. */
  void (*sent) (CuredObserver *self, void *state, CuredWarp *warp, const CuredAccess *access);
  /* The detail needed for accesses by @inst, a load or store of one value per lane, if all lanes
   * load from one address, or access consecutive ones. NULL: everything. */
  CuredTelling (*get_telling) (const CuredObserver *self, const CuredPtxInst *inst);
  /* Of constant memory, which other observers can ignore. */
  void (*constant) (CuredObserver *self, void *state, CuredWarp *warp, const CuredAccess *access);
  /* Releases the lanes in @lanes (one mask per warp) that waited at barrier @index of the block:
   * all arrivals are complete. */
  void (*barrier) (CuredObserver *self, void *state, CuredBlock *block, uint32_t index,
                   const uint32_t *lanes);
  /* The lanes of @mask arrive at barrier @index and do not wait. */
  void (*arrive) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask, uint32_t index);
  /* The lanes of @mask arrive at the cluster's barrier, with or without release semantics. */
  void (*cluster_arrive) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask,
                          bool is_release);
  /* All have arrived: reported once per block, before any warp continues. */
  void (*cluster_done) (CuredObserver *self, void *state, CuredBlock *block);
  /* The lanes of @lanes (one mask per warp) have waited for that. */
  void (*cluster_wait) (CuredObserver *self, void *state, CuredBlock *block, const uint32_t *lanes);
  /* bar.warp.sync over @mask. */
  void (*warp_sync) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask);
  /* membar, fence, or the memory order of the access @inst itself. */
  void (*fence) (CuredObserver *self, void *state, CuredWarp *warp, const CuredPtxInst *inst,
                 uint32_t mask, CuredPtxWord scope, CuredPtxWord order);
  /* cp.async: the copies so far become a group (CURED_COPIES_COMMIT), or no more than @left groups
   * may be in flight, or no copy at all (CURED_COPIES_NONE). */
  void (*copies) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask, int left);
  /* The same for bulk copies in groups: at most @left groups may still have to read their
   * sources. */
  void (*bulk_copies) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask, int left);
  /* The same for matrix products, by the whole warp. */
  void (*products) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask, int left);
  /* Lane @lane modifies the tensor map at @address in global memory, or starts a copy that uses
   * it. */
  void (*tensor_map) (CuredObserver *self, void *state, CuredWarp *warp, const CuredPtxInst *inst,
                      unsigned lane, uint64_t address, bool is_change);
  void (*block_end) (CuredObserver *self, void *state, CuredBlock *block);
  void (*free) (CuredObserver *self);
} CuredObserverClass;

struct _CuredObserver
{
  const CuredObserverClass *klass;
  CuredPtxGrid *grid;
  uint32_t index; /* of its state among a block's */
};

/* Local memory that a lane may access now. Frames of calls share it. */
static inline uint32_t
_cured_warp_get_local_bytes (const CuredWarp *warp)
{
  const CuredPtxGrid *grid = warp->block->grid;

  return warp->frame != NULL && warp->frame->parent == NULL && grid->entry != NULL &&
                 grid->launch->stack_bytes == 0
             ? (uint32_t) grid->entry->local_end
             : grid->stack_bytes;
}

/* The address of a lane in its mask, also for accesses that are reported in brief. */
static inline uint64_t
cured_access_get_address (const CuredAccess *access, unsigned lane)
{
  return access->pattern == CURED_PATTERN_CONTIGUOUS
             ? access->address[0] + (uint64_t) lane * access->width
             : access->address[access->pattern == CURED_PATTERN_SAME ? 0 : lane];
}

/* A plain access to shared memory takes one wavefront. */
static inline void
cured_count_plain_shared (CuredSiteCounts *counts)
{
  counts->requests++;
  counts->shared_requests++;
  counts->wavefronts++;
  counts->least++;
}

/* The owner of the accessed shared memory. */
static inline CuredBlock *
cured_access_get_owner (const CuredAccess *access, const CuredWarp *warp)
{
  return access->owner != NULL ? access->owner : warp->block;
}

CuredObserver *_cured_counter_new (CuredPtxGrid *grid);
CuredObserver *_cured_reuse_new (CuredPtxGrid *grid);
CuredObserver *_cured_race_detector_new (CuredPtxGrid *grid);
CuredObserver *_cured_undefined_detector_new (CuredPtxGrid *grid);
CuredObserver *_cured_cacher_new (CuredPtxGrid *grid);
CuredObserver *_cured_tracer_new (CuredPtxGrid *grid);
CuredObserver *_cured_map_detector_new (CuredPtxGrid *grid);

/* Handles an access whose data is not needed; see CuredPtxGrid.actions. */
#define CURED_SLICE_ANNOUNCE UINT32_MAX

/* ---- Memory, from handlers ---- */

/* Generates the contents of @size bytes, at least one, from @offset of the allocation on, unless
 * they exist. */
static inline void
cured_region_touch (const CuredRegion *self, guint64 offset, guint64 size)
{
  if (G_UNLIKELY (self->filled != NULL))
    _cured_region_fill ((CuredRegion *) self, offset, size);
}

/* Result of _cured_warp_access (): the host addresses of the lanes' bytes. */
typedef struct
{
  uint32_t mask;        /* lanes that may access memory */
  CuredSpace space;     /* of all of them, or GENERIC if they differ */
  CuredPattern pattern; /* CONTIGUOUS: the bytes from host[0] on are theirs */
  /* The size of groups of lanes of which only the first has a host; 0: there are none. The lanes of
   * a group are neighbours, or at one place where is_same. Of a brief request. */
  uint8_t group;
  bool is_same;
  uint8_t *host[32]; /* of the lanes of @mask; never NULL there */
} CuredHosts;

/* Each build of the exec files has its own; others call the common one. */
#ifndef EXEC_SUFFIX
#define EXEC_SUFFIX
#endif
#define CURED_PASTE_(a, b)       a##b
#define CURED_PASTE(a, b)        CURED_PASTE_ (a, b)
#define _cured_warp_access       CURED_PASTE (_cured_warp_access, EXEC_SUFFIX)
#define _cured_warp_access_at    CURED_PASTE (_cured_warp_access_at, EXEC_SUFFIX)
#define _cured_warp_access_apart CURED_PASTE (_cured_warp_access_apart, EXEC_SUFFIX)
#define _cured_warp_tell         CURED_PASTE (_cured_warp_tell, EXEC_SUFFIX)

/* A request of some lanes to memory. */
typedef struct
{
  const CuredPtxInst *inst;
  uint32_t mask;    /* not 0 */
  CuredSpace space; /* of the addresses; PARAM is a kernel's */
  CuredAccessKind kind;
  uint32_t width; /* bytes per lane, not 0 */
  uint32_t align; /* of the addresses: a power of two; 0: @width */
  bool is_brief;  /* of hosts that have a pattern and all lanes, host[0] is enough; of groups,
                   * their first ones */
} CuredWarpRequest;

void _cured_warp_access (CuredWarp *warp, const CuredWarpRequest *request,
                         const CuredPtxOperand *base, int64_t displacement, CuredHosts *hosts);
void _cured_warp_tell (CuredWarp *warp, const CuredWarpRequest *request, uint64_t first,
                       CuredPattern pattern, const CuredRegion *region);
void _cured_warp_access_at (CuredWarp *warp, const CuredWarpRequest *request,
                            const uint64_t *address, CuredHosts *hosts);
void _cured_warp_access_apart (CuredWarp *warp, const CuredWarpRequest *request,
                               const CuredPtxOperand *base, const int64_t *displacements,
                               CuredHosts *hosts);

#define _cured_warp_find_barrier    CURED_PASTE (_cured_warp_find_barrier, EXEC_SUFFIX)
#define _cured_warp_access_bulk     CURED_PASTE (_cured_warp_access_bulk, EXEC_SUFFIX)
#define _cured_warp_find_tensor_map CURED_PASTE (_cured_warp_find_tensor_map, EXEC_SUFFIX)
#define _cured_warp_access_row      CURED_PASTE (_cured_warp_access_row, EXEC_SUFFIX)
#define _cured_warp_access_word     CURED_PASTE (_cured_warp_access_word, EXEC_SUFFIX)
#define _cured_warp_tell_sent       CURED_PASTE (_cured_warp_tell_sent, EXEC_SUFFIX)

uint8_t *_cured_warp_find_barrier (CuredWarp *warp, CuredBulk *bulk);
uint8_t *_cured_warp_access_bulk (CuredWarp *warp, const CuredBulk *bulk, CuredSpace space,
                                  CuredAccessKind kind, uint64_t address);
uint8_t *_cured_warp_access_word (CuredWarp *warp, const CuredBulk *bulk, CuredAccessKind kind,
                                  uint64_t address, uint32_t align, CuredSent *sent);
void _cured_warp_tell_sent (CuredWarp *warp, const CuredPtxInst *inst, CuredAccessKind kind,
                            uint32_t width, const CuredSent *sent);
const uint8_t *_cured_warp_find_tensor_map (CuredWarp *warp, const CuredBulk *bulk,
                                            uint64_t address);
uint8_t *_cured_warp_access_row (CuredWarp *warp, const CuredBulk *bulk, CuredAccessKind kind,
                                 uint64_t address, uint32_t size);

#define _cured_warp_read_chunks CURED_PASTE (_cured_warp_read_chunks, EXEC_SUFFIX)

bool _cured_warp_read_chunks (CuredWarp *warp, const CuredPtxInst *inst, const uint64_t *address,
                              uint32_t n, uint32_t wavefronts);

/* ---- Products of matrices ---- */

void _cured_warp_add_product (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask);
void _cured_warp_fence_products (CuredWarp *warp);
void _cured_warp_wait_products (CuredWarp *warp, uint32_t mask, int left);
void _cured_warp_run_late (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask);

/* ---- Barriers in shared memory ---- */

/* The ISA leaves the 64 bits of an mbarrier to the implementation. Here: pending arrivals of the
 * phase, arrivals per phase, the number of completed phases modulo 8, and the pending bytes of
 * the phase, a signed number. The state that arrive returns is the same word. */
#define CURED_MBARRIER_BITS       20
#define CURED_MBARRIER_MASK       ((UINT64_C (1) << CURED_MBARRIER_BITS) - 1)
#define CURED_MBARRIER_PHASE_BITS 3

static inline uint64_t
cured_mbarrier_make (uint64_t pending, uint64_t expected, uint64_t phase, int64_t bytes)
{
  return (pending & CURED_MBARRIER_MASK) | (expected & CURED_MBARRIER_MASK) << CURED_MBARRIER_BITS |
         (phase & 7) << (2 * CURED_MBARRIER_BITS) |
         (uint64_t) bytes << (2 * CURED_MBARRIER_BITS + CURED_MBARRIER_PHASE_BITS);
}

static inline uint64_t
cured_mbarrier_get_phase (uint64_t barrier)
{
  return barrier >> (2 * CURED_MBARRIER_BITS) & 7;
}

static inline int64_t
cured_mbarrier_get_bytes (uint64_t barrier)
{
  return (int64_t) barrier >> (2 * CURED_MBARRIER_BITS + CURED_MBARRIER_PHASE_BITS);
}

/* The barrier itself, or the beginning of its next phase if this one is complete. */
static inline uint64_t
cured_mbarrier_settle (uint64_t pending, uint64_t expected, uint64_t phase, int64_t bytes)
{
  if (pending == 0 && bytes == 0)
    return cured_mbarrier_make (expected, expected, phase + 1, 0);
  return cured_mbarrier_make (pending, expected, phase, bytes);
}

/* Adds @bytes, which may be negative, to the pending bytes of the phase. */
static inline void
cured_mbarrier_expect (CuredWarp *warp, uint8_t *at, int64_t bytes)
{
  uint64_t barrier;

  memcpy (&barrier, at, sizeof barrier);
  barrier = cured_mbarrier_settle (
      barrier & CURED_MBARRIER_MASK, barrier >> CURED_MBARRIER_BITS & CURED_MBARRIER_MASK,
      cured_mbarrier_get_phase (barrier), cured_mbarrier_get_bytes (barrier) + bytes);
  memcpy (at, &barrier, sizeof barrier);
  warp->block->cluster->n_changes++;
}

/* ---- Control, from handlers ---- */

void _cured_warp_branch (CuredWarp *warp, uint32_t mask, uint32_t target);
void _cured_warp_branch_lanes (CuredWarp *warp, uint32_t mask, const uint32_t *targets);
void _cured_warp_call (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask);
void _cured_warp_return (CuredWarp *warp, uint32_t mask);
void _cured_warp_exit (CuredWarp *warp, uint32_t mask);
void _cured_warp_trap (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask);

/* Whether the lanes of @mask may now execute a .sync instruction that names @members. FALSE: the
 * group waits for the other members; the handler returns without effect, and is called again
 * later. */
bool _cured_warp_converge (CuredWarp *warp, uint32_t mask, uint32_t members);

/* Arrives at a barrier of the block; @count is 0 for all threads. Waiting lanes are stopped.
 * @votes: for a reduction, the lanes whose predicate is true; its result goes to x[0] when the
 * barrier completes. */
void _cured_warp_barrier (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                          uint32_t barrier, uint32_t count, bool is_waiting, bool is_aligned,
                          uint32_t votes);
void _cured_warp_cluster_arrive (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                                 bool is_aligned, bool is_release);
void _cured_warp_cluster_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                               bool is_aligned);
void _cured_warp_yield (CuredWarp *warp);
bool _cured_warp_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                       const uint8_t *barrier, bool is_suspending);
void _cured_warp_waited (CuredWarp *warp);
void _cured_warp_update_clocks (CuredWarp *warp);
void _cured_warp_report_strangers (CuredWarp *warp, const CuredPtxInst *inst, uint32_t strangers,
                                   const uint32_t *members);
void _cured_warp_fence (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                        CuredPtxWord scope, CuredPtxWord order);
void _cured_warp_tell_tensor_map (CuredWarp *warp, const CuredPtxInst *inst, unsigned lane,
                                  uint64_t address, bool is_change);
void _cured_warp_synced (CuredWarp *warp, uint32_t mask);

/* ---- Findings ---- */

/* The other side of a finding, if there is one. */
typedef struct
{
  const CuredPtxInst *inst;
  const char *what;
  uint64_t block;
  uint32_t warp, lanes;
  bool is_weak; /* of `here`: what is said of it fits only where it is all that happens */
} CuredWitness;

void _cured_grid_report (CuredPtxGrid *grid, CuredFindingKind kind, const CuredWitness *here,
                         const CuredWitness *there, CuredSpace space, uint64_t address,
                         const char *detail_format, ...) G_GNUC_PRINTF (7, 8);
const char *_cured_access_what (CuredAccessKind kind);
CuredWitness _cured_warp_witness (const CuredWarp *warp, const CuredPtxInst *inst, uint32_t lanes,
                                  const char *what);

/* Moves the findings to the report in a fixed order. */
void _cured_grid_finish_findings (CuredPtxGrid *grid);

/* Ends the grid: the first reason counts. */
void _cured_grid_stop (CuredPtxGrid *grid, CuredEnd end);
