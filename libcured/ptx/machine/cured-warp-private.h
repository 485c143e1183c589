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

/* What host threads write is so far from what others read all the time: a processor fetches a line
 * again that another one has written to, and often the line beside it. */
#define CURED_APART_BYTES 128

/* ---- Special registers ---- */

/* One lane array each, of a warp; operands with CURED_BASE_SPECIALS name them by offset. CLOCK and
 * what follows it change from read to read: only mov reads them, after _cured_warp_update_clocks
 * (). */
typedef struct
{
  uint32_t tid[3][32], ntid[3][32], ctaid[3][32], nctaid[3][32], laneid[32], warpid[32];
  uint32_t nwarpid[32], smid[32], nsmid[32];
  uint64_t gridid[32];
  uint32_t lanemask_eq[32], lanemask_le[32], lanemask_lt[32], lanemask_ge[32], lanemask_gt[32];
  uint32_t total_smem_size[32], aggr_smem_size[32], dynamic_smem_size[32];
  uint64_t dynamic_shared[32]; /* where the dynamic array starts (.shared) */
  /* %envregN: 1 and 2 are the halves, the upper one first, of the address of what a barrier of the
   * grid counts in, of a cooperative launch; the others are 0. */
  uint32_t envreg[3][32];
  uint32_t zero[32]; /* fourth components */
  uint32_t clusterid[3][32], nclusterid[3][32], cluster_ctaid[3][32], cluster_nctaid[3][32];
  uint32_t cluster_ctarank[32], cluster_nctarank[32];
  uint32_t is_explicit_cluster[16]; /* a predicate: a bit a lane, in [0] */
  uint32_t clock[32], clock_hi[32];
  uint64_t clock64[32], globaltimer[32];
  uint32_t globaltimer_lo[32], globaltimer_hi[32];
} CuredSpecials;

/* ---- Frames and groups ---- */

/* The registers of one call of a function by some lanes. Lanes that call from the same frame at the
 * same place share one, so that they can merge. */
typedef struct _CuredFrame CuredFrame;
struct _CuredFrame
{
  uint8_t *registers; /* of all lanes; 64-byte aligned */
  CuredFrame *parent; /* NULL: of the entry */
  CuredFrame *next;   /* another child of the parent, or a free one */
  CuredFrame *children;
  uint32_t function, return_pc, depth;
  uint32_t lanes; /* that are in it, or in what it called */
  const CuredPtxInst *caller;
  gsize capacity; /* bytes of @registers */
};

typedef enum
{
  CURED_GROUP_READY,
  CURED_GROUP_AT_BARRIER, /* of the block, or of the cluster */
  CURED_GROUP_AT_SYNC,    /* waits for lanes of @wanted, at a .sync instruction */
} CuredGroupState;

/* Lanes of a warp that are at the same place. */
typedef struct
{
  uint32_t pc, mask;
  uint32_t wanted; /* AT_SYNC: lanes that the instruction names */
  /* Lanes that went another way, and where they were: of AT_SYNC at a barrier of the block those
   * that do not just go to their end, of is_synced those that its instruction names. */
  uint32_t missing, missing_pc;
  uint8_t barrier;   /* of the block, which; CURED_N_BARRIERS: none;
                      * CURED_CLUSTER_BARRIER: the cluster's */
  uint8_t state;     /* CuredGroupState */
  uint8_t is_synced; /* its .sync instruction may go ahead as it is */
  /* Of an mbarrier: the last test of it said that its phase is not over, and where it is in the
   * block's shared memory, and by which instruction. */
  uint8_t is_waiting;
  uint8_t is_timed_out; /* it is to be told so, if it still has to wait */
  uint32_t wait_offset, wait_site;
  /* CuredCluster.n_changes, plus one, at which it goes on; 0: it can now. */
  uint64_t parked;
  CuredFrame *frame;
  uint64_t turn; /* when it last had its turn */
} CuredGroup;

/* Regions that a warp remembers. */
#define CURED_N_RECENT 8

/* A product of matrices (wgmma) that was begun. */
typedef struct
{
  const CuredPtxInst *inst;
  const CuredFrame *frame;
  uint32_t group;
} CuredProduct;

/* Products that a warp remembers, and registers of its frames. */
#define CURED_N_PRODUCTS 32
#define CURED_N_WRITTEN  2048

/* Which group of a warp runs. */
typedef enum
{
  CURED_NEXT_LOWEST, /* the one deepest in calls, then with the lowest PC */
  CURED_NEXT_OLDEST, /* whose last turn is longest ago */
  CURED_NEXT_LATEST, /* the one that had the last turn */
} CuredNext;

/* Of runs of instructions that follow each other, at the first one's site, and subtracted behind the
 * last one: so a run is counted once, however long it is. What a site has in CuredSiteCounts is the
 * sum of all up to it. */
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
  uint32_t merge_pc;    /* where another group waits to be merged */
  uint32_t is_stopped;  /* the running group gives way to the scheduler */
  uint32_t is_yielding; /* and to other warps */
  CuredBlock *block;
  CuredFrame *frame;
  CuredSiteCounts *counts; /* by site, of this host thread; NULL: not asked */
  CuredRunCounts *runs;    /* likewise */
  uint32_t alive;          /* lanes that did not exit */
  uint32_t index;          /* of the warp in its block */
  uint64_t n_issued;
  /* Carry of add.cc and its like, a bit per lane. */
  uint32_t carry;
  uint32_t current; /* index of the running group */
  uint32_t n_groups;
  CuredNext order;
  uint64_t turns;     /* counts turns of groups */
  uint32_t turn_left; /* instructions until others have their turn */
  CuredGroup groups[32] __attribute__ ((aligned (64)));
  uint64_t n_lanes;
  uint64_t n_barriers;    /* arrivals at barriers of the block */
  uint8_t *local;         /* 32 × stack bytes, lane by lane */
  uint8_t *local_defined; /* (nullable): a bit per byte, likewise */
  CuredFrame *entry_frame, *free_frames;
  /* Where the last access of an instruction went, by its site; nullable. */
  const CuredRegion *regions[CURED_N_RECENT];
  gsize frame_bytes; /* of all frames that were ever made */
  uint64_t n_clock_reads;
  CuredProduct products[CURED_N_PRODUCTS];
  uint32_t n_products, product_group;
  bool has_product_fence;
  /* The writer of a register that products have, after the last wgmma.fence; NULL: none. A bit a
   * register. */
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
  uint32_t arrived;   /* threads, as the instruction counts them */
  uint32_t n_lanes;   /* that arrived */
  bool is_reduction;  /* results go to the released lanes */
  uint32_t votes;     /* of a reduction: threads with a true predicate */
  uint32_t site;      /* of the first arrival */
  uint32_t lanes[32]; /* that arrived, a warp */
} CuredBarrier;

/* An address of atomic operations, of those that a host thread keeps apart. */
typedef struct
{
  uint64_t address; /* 0: none */
  uint64_t count;
  uint64_t block; /* who met it first */
  bool is_shared; /* others did, too */
} CuredHotAddress;

#define CURED_N_HOT 4096

/* What the addresses of an access look like: for short cuts. */
typedef enum
{
  CURED_PATTERN_ANY,
  CURED_PATTERN_CONTIGUOUS, /* all 32 lanes, each @width behind the one before */
  CURED_PATTERN_SAME,       /* all lanes of the mask have one address */
} CuredPattern;

/* How addresses of lanes lie to each other. Those of an instruction mostly lie as they did the last
 * time, so that one look at all lanes says everything about them; and an unrolled loop has few such
 * shapes. */
typedef struct
{
  uint64_t number; /* of all that the host thread has met, from 1 on */
  uint32_t mask, width;
  CuredPattern pattern;
  uint32_t folds;  /* see CuredAccess */
  uint32_t places; /* all distances, or-ed */
  uint16_t next;   /* which came after it last time; index */
  uint8_t group;   /* see CuredHosts */
  bool is_same;    /* likewise */
  bool is_wild;    /* lanes may be farther apart than memory reaches */
  /* From the first lane's address, of the lanes of @mask; others have 0. */
  int64_t low, high;
  uint64_t distance[32];
  uint32_t narrow[32]; /* their lower halves */
} CuredShape;

#define CURED_N_SHAPES 2048

/* What a host thread has learned about a module's accesses, which is worth something to the next
 * launch as well. */
typedef struct
{
  CuredShape *shapes;    /* (nullable): CURED_N_SHAPES */
  uint16_t *last_shapes; /* index in @shapes; by site, two of each */
  uint64_t n_shapes;     /* that there were */
  void *known;           /* (nullable): accesses that the counter remembers */
  CuredBankArch arch;    /* of @known */
} CuredLearned;

/* Runs a piece's machine code, and what follows, for the warp's active lanes.
 *
 * @code: of CuredNative.entries
 * @counts: (nullable): CuredTally.counted
 * @left: instructions of the warp's turn
 *
 * Returns: how many are left of it; as many: the piece is the interpreter's */
typedef uint32_t (*CuredNativeEnter) (CuredWarp *warp, const void *code, uint64_t *counts,
                                      uint32_t left);

/* Bytes from one offset up to another. */
typedef struct
{
  gsize begin, end;
} CuredCleared;

/* Machine code for some of a module; see ptx/native/. */
typedef struct
{
  CuredNativeEnter enter;
  const void **entries; /* (nullable) elements: two a site, for all lanes of a warp and for some */
  gsize n_counts;       /* of CuredTally.counted */
} CuredNative;

/* What a host thread gathers, added up at the end. */
typedef struct
{
  CuredSiteCounts *counts;
  CuredRunCounts *runs; /* one more than sites; where there are counts */
  uint64_t *counted;    /* (nullable): by machine code */
  gsize n_counted;
  /* By index of the region; as many as there are when the launch begins. */
  struct
  {
    uint64_t read, written, once, by_block, by_all, by_pair;
  } * regions;
  CuredHotAddress *hot;     /* (nullable): CURED_N_HOT; NULL: no atomics so far */
  void *mixed;              /* (nullable): what the groups of @copying have read */
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
  uint32_t sm;   /* the multiprocessor that it is said to run on */
  uint64_t slot; /* in a chip's order: place among all that are resident */
  uint32_t coord[3];
  uint8_t *shared;
  uint32_t shared_bytes; /* static and dynamic */
  CuredBarrier barriers[CURED_N_BARRIERS];
  uint32_t arrivals; /* barriers at which threads are, a bit each */
  /* The cluster's barrier, a mask a warp: the lanes that arrived in this phase, and in the one that is
   * over and did not wait since. */
  uint32_t cluster_arrived[CURED_WARP_LANES], cluster_passed[CURED_WARP_LANES];
  uint32_t n_alive;  /* threads */
  GString *output;   /* (nullable): what it printed */
  CuredTally *tally; /* of the host thread that runs it */
  void **states;     /* one an observer */
  /* Loads that the race detector looks at when it has to: of these @most_reads, which is
   * 0 where each has to be announced. */
  CuredQuietRead *reads;
  uint32_t n_reads, most_reads;
  const uint8_t *written; /* (nullable): of shared memory, a bit a byte; NULL: nobody asks */
};

/* Whether threads wait for an mbarrier for ever; see cured-stall.c. */
typedef struct
{
  bool is_watched; /* instructions are looked at */
  bool has_event;  /* one of them may change what is waited for */
  bool has_clock;  /* one of them read a clock */
  uint32_t rounds;
  uint32_t n_clocks; /* rounds in which one did */
  uint64_t print;    /* of the registers after a round */
  uint32_t next;     /* the round after which it is taken again */
  bool is_timeless;  /* no clock was read since it was taken */
  uint32_t rest;     /* rounds until the next look */
  uint32_t pause;
  uint64_t leap; /* of the clocks */
} CuredStall;

/* Blocks that run together, on one host thread, and reach each other's shared memory. In a grid
 * without clusters each block is one. */
struct _CuredCluster
{
  uint64_t index; /* linear */
  uint32_t n_blocks;
  bool has_arrivals;  /* at its barrier, in this phase */
  uint64_t n_changes; /* of mbarriers in its shared memory */
  CuredStall stall;
  CuredBlock *blocks[CURED_MAX_CLUSTER];
};

/* The lanes of a warp that have a thread: the last warp may have fewer. */
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
  bool is_clustered;    /* the launch has clusters, be it of one block */
  uint64_t *clusters;   /* (nullable): those that run; NULL: all */
  uint64_t workspace;   /* of the barrier of the grid; 0: there is none */
  uint32_t stack_bytes; /* a lane */
  CuredObserver **observers;
  uint32_t n_observers;
  uint8_t *telling; /* (nullable): a CuredTelling by site: what all observers of accesses take */
  /* (nullable): CuredSlice.actions: data that decides nothing is not made. */
  const uint32_t *actions;
  const CuredNative *native; /* (nullable): NULL: the interpreter runs all */
  /* Of the entry's registers, what has to be 0 when a block begins, up to an empty one. */
  const CuredCleared *clear;
  /* (nullable): by site, products of matrices that are not formed. */
  bool *spared;
  GMutex mutex; /* of report and output */
  GHashTable *findings;
  GPtrArray *outputs; /* of blocks that printed */
  int stop;           /* atomic: a CuredEnd other than DONE */
  gint64 deadline_us; /* 0: none */
  GString *where;     /* where warps stood when it was stopped */
  guint n_where;
  uint8_t apart[CURED_APART_BYTES];
  uint64_t issued; /* atomic */
  uint64_t next;   /* atomic: of the order of blocks, the next to start */
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

/* A bulk copy that one lane has begun. Observers see it in parts, as accesses of up to 32
 * lanes of at most 16 bytes each. */
typedef struct _CuredBulk
{
  const CuredPtxInst *inst;
  uint32_t lane;       /* who began it */
  uint32_t size;       /* bytes */
  uint32_t align;      /* of the side in shared memory; 0: 16 */
  uint32_t phase;      /* of its barrier, when it begins */
  uint64_t barrier;    /* in shared memory; UINT64_MAX: it has none */
  CuredBlock *owner;   /* whose shared memory the barrier is in */
  uint32_t wavefronts; /* of each part; 0: the bank model says */
} CuredBulk;

/* One access of some lanes of a warp to one space; sent before data moves. Lanes whose address was
 * refused are not in @mask. Other lanes' entries of
 * @address are some lane's of @mask. */
typedef struct
{
  const CuredPtxInst *inst;
  CuredSpace space; /* GLOBAL, SHARED or LOCAL */
  CuredAccessKind kind;
  uint32_t width; /* bytes per lane, the whole vector */
  uint32_t mask;
  CuredPattern pattern;
  uint32_t folds; /* the addresses of each half of the lanes are the other's, and
                   * of each half of these, and so on, that many times; 0 is always
                   * right */
  uint64_t shape; /* CuredShape.number; 0: not known, nor what it says */
  uint64_t low;   /* the least address, and the greatest, where it is known */
  uint64_t high;
  const struct _CuredBulk *bulk; /* (nullable): lanes represent its parts */
  const CuredRegion *region;     /* of all lanes, GLOBAL; NULL: they differ */
  CuredBlock *owner;             /* SHARED: whose it is; NULL: the warp's block's */
  uint64_t address[32];          /* SHARED: from 0; LOCAL: from the lane's 0 */
} CuredAccess;

/* What the lanes of st.async or red.async send: where to, and whose shared memory that is. */
typedef struct
{
  uint32_t mask;
  uint64_t address[32];
  CuredBlock *owner[32];
} CuredSent;

/* CuredAccess.shape of one by all lanes at one address, or at neighbours; others are greater. */
#define CURED_N_PLAIN_SHAPES 256

static inline uint64_t
cured_get_plain_shape (CuredPattern pattern, uint32_t width)
{
  return width << 1 | (pattern == CURED_PATTERN_CONTIGUOUS);
}

#define CURED_COPIES_COMMIT (-1)
#define CURED_COPIES_NONE   (-2)

/* What observers get for an access by all lanes to one address, or to neighbours. */
typedef enum
{
  CURED_TELL_ALL,   /* all addresses */
  CURED_TELL_FIRST, /* the first one */
  CURED_TELL_LATER, /* the same; a load of shared memory may be in CuredBlock.reads instead */
} CuredTelling;

/* Functions may be NULL. Blocks run on several host threads at once: state per block needs no lock,
 * state in the observer does. */
typedef struct
{
  const char *name;
  gsize state_size; /* of a block's state, zeroed at its begin */
  void (*block_begin) (CuredObserver *self, void *state, CuredBlock *block);
  void (*access) (CuredObserver *self, void *state, CuredWarp *warp, const CuredAccess *access);
  /* Of st.async and red.async, whose lanes @access gets one by one: what all of them send to
   * one block. */
  void (*sent) (CuredObserver *self, void *state, CuredWarp *warp, const CuredAccess *access);
  /* What has to be announced for accesses by @inst, a load or store of one value a lane, where all lanes
   * load from one address, or access neighbours. NULL: everything. */
  CuredTelling (*get_telling) (const CuredObserver *self, const CuredPtxInst *inst);
  /* Of constant memory, which other observers need not look at. */
  void (*constant) (CuredObserver *self, void *state, CuredWarp *warp, const CuredAccess *access);
  /* The lanes of @lanes (one mask per warp), which waited at barrier @index of the block, are let
   * go: it has all arrivals that it wants. */
  void (*barrier) (CuredObserver *self, void *state, CuredBlock *block, uint32_t index,
                   const uint32_t *lanes);
  /* The lanes of @mask arrive at barrier @index and do not wait. */
  void (*arrive) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask, uint32_t index);
  /* The lanes of @mask arrive at the cluster's barrier, which releases what they did, or not. */
  void (*cluster_arrive) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask,
                          bool is_release);
  /* All have arrived: reported once a block, before any warp goes on. */
  void (*cluster_done) (CuredObserver *self, void *state, CuredBlock *block);
  /* The lanes of @lanes (one mask a warp) have waited for that. */
  void (*cluster_wait) (CuredObserver *self, void *state, CuredBlock *block, const uint32_t *lanes);
  /* bar.warp.sync over @mask. */
  void (*warp_sync) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask);
  /* membar, fence, or the order that the access @inst has itself. */
  void (*fence) (CuredObserver *self, void *state, CuredWarp *warp, const CuredPtxInst *inst,
                 uint32_t mask, CuredPtxWord scope, CuredPtxWord order);
  /* cp.async: the copies so far become a group (CURED_COPIES_COMMIT), or no more than @left groups
   * may be in flight, or no copy at all (CURED_COPIES_NONE). */
  void (*copies) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask, int left);
  /* The same of bulk copies that belong to groups: at most @left groups may still have to read what
   * they copy. */
  void (*bulk_copies) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask, int left);
  /* The same of products of matrices, by the whole warp. */
  void (*products) (CuredObserver *self, void *state, CuredWarp *warp, uint32_t mask, int left);
  /* Lane @lane changes the tensor map at @address of global memory, or a copy by it begins. */
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

/* Local memory that a lane may touch now. Frames of calls share it. */
static inline uint32_t
_cured_warp_get_local_bytes (const CuredWarp *warp)
{
  const CuredPtxGrid *grid = warp->block->grid;

  return warp->frame != NULL && warp->frame->parent == NULL && grid->entry != NULL &&
                 grid->launch->stack_bytes == 0
             ? (uint32_t) grid->entry->local_end
             : grid->stack_bytes;
}

/* Where a lane of its mask is, of accesses that observers are told in short, too. */
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

/* Whose shared memory an access is about. */
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

/* What becomes of an access whose data is not needed; see CuredPtxGrid.actions. */
#define CURED_SLICE_ANNOUNCE UINT32_MAX

/* ---- Memory, from handlers ---- */

/* Makes the contents of @size bytes from @offset of the allocation on, at least one, where they are
 * not there yet. */
static inline void
cured_region_touch (const CuredRegion *self, guint64 offset, guint64 size)
{
  if (G_UNLIKELY (self->filled != NULL))
    _cured_region_fill ((CuredRegion *) self, offset, size);
}

/* What _cured_warp_access () found: where the lanes' bytes are. */
typedef struct
{
  uint32_t mask;        /* lanes that may go ahead */
  CuredSpace space;     /* of all of them, or GENERIC where they differ */
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

/* What some lanes ask of memory. */
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

/* The ISA leaves the 64 bits of an mbarrier to the machine. Here: arrivals that the phase still
 * waits for, arrivals of each phase, the number of phases that are over, modulo 8, and the bytes
 * that the phase still waits for, a signed number. The state that arrive returns is the same
 * word. */
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

/* The barrier as it is, or at the begin of the next phase where this one waits for nothing more. */
static inline uint64_t
cured_mbarrier_settle (uint64_t pending, uint64_t expected, uint64_t phase, int64_t bytes)
{
  if (pending == 0 && bytes == 0)
    return cured_mbarrier_make (expected, expected, phase + 1, 0);
  return cured_mbarrier_make (pending, expected, phase, bytes);
}

/* The phase waits for @bytes more, or less. */
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

/* Whether the lanes of @mask may execute a .sync instruction that names
 * @members now. FALSE: the group waits for the other members; the handler returns without doing
 * anything, and is called again later. */
bool _cured_warp_converge (CuredWarp *warp, uint32_t mask, uint32_t members);

/* Arrives at a barrier of the block; @count is 0 for all threads. Those who wait are stopped;
 * @votes are the lanes whose predicate is true, of a reduction, whose result goes to x[0] when the
 * barrier lets them go. */
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

/* The other side of a finding, where there is one. */
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

/* Moves the findings to the report, in an order of their own. */
void _cured_grid_finish_findings (CuredPtxGrid *grid);

/* Ends the grid: the first reason counts. */
void _cured_grid_stop (CuredPtxGrid *grid, CuredEnd end);
