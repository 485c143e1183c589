/* SPDX-License-Identifier: MIT
 * Declarations shared by the race detector's files. */
#pragma once

#include "ptx/watch/cured-order-private.h"
#include "ptx/watch/cured-race-shadow-private.h"

/* Maximum number of pairs of sides that one instruction reports. */
#define MAX_CONFLICTS 16

/* Maximum number of bytes that a lane stores. */
#define MAX_STORE 64

/* How an instruction orders accesses. */
typedef enum
{
  ROLE_READS = 1 << 0,    /* an acquire, if followed by a fence */
  ROLE_ACQUIRES = 1 << 1, /* an acquire by itself */
  ROLE_CARRIES = 1 << 2,  /* a release, if preceded by a fence */
  ROLE_RELEASES = 1 << 3, /* a release by itself */
  ROLE_LOCKS = 1 << 4,
} RaceRole;

typedef enum
{
  COPY_ASYNC,   /* cp.async */
  COPY_IN,      /* a bulk copy that writes shared memory */
  COPY_OUT,     /* a bulk copy from shared to global memory */
  COPY_PRODUCT, /* a product of matrices that reads shared memory */
  N_COPY_KINDS
} RaceCopyKind;

/* A copy in flight. */
typedef struct
{
  uint64_t address;
  uint64_t barrier; /* for COPY_IN */
  uint32_t phase;   /* of the barrier, when the copy began */
  uint32_t width;
  uint32_t party; /* warp that started it */
  uint32_t lane, group;
  RaceCopyKind kind;
} RaceCopy;

/* A warp of another block of the cluster that accessed this block's shared memory: time and place
 * of each lane's last access. */
typedef struct
{
  uint32_t party;
  uint32_t clocks[CURED_WARP_LANES]; /* 0: no access */
  uint32_t site;
  uint64_t address;
  const char *what;
} RaceRemote;

/* The lock that a thread took last, if not released. */
typedef struct
{
  uint64_t address;
  uint32_t space; /* CuredSpace */
  uint32_t level; /* RaceLevel */
} RaceLock;

typedef enum
{
  LEVEL_FREE,  /* no lock */
  LEVEL_LOOSE, /* taken without a fence */
  LEVEL_BLOCK, /* with a fence of the block's scope */
  LEVEL_TIGHT,
} RaceLevel;

/* A postponed access to shared memory, which is not yet in the shadow. */
typedef struct
{
  uint64_t shape; /* CuredAccess.shape */
  uint32_t party, clock, where;
  uint32_t mask;
  uint32_t first; /* address of the first lane */
  uint8_t width, folds;
  uint8_t pattern; /* CuredPattern */
  bool is_store;
  gsize values; /* of a store: index of its values in RaceBlock.values */
} RacePostponed;

/* Compared bytewise. */
G_STATIC_ASSERT (sizeof (RacePostponed) ==
                 sizeof (uint64_t) + 5 * sizeof (uint32_t) + 4 + sizeof (gsize));

/* For ANY pattern: the lanes' addresses, in words. */
typedef uint16_t RacePostponedWords[CURED_WARP_LANES];

/* State of a block; reused by later ones. */
typedef struct
{
  uint32_t number;   /* number of the block, in starting order */
  uint32_t first;    /* first of its cluster's blocks, which have consecutive numbers */
  uint32_t n_blocks; /* size of the cluster */
  GArray *remotes;   /* (nullable) (element-type RaceRemote) */
  uint32_t *met;     /* (nullable): per warp, the lanes that know that a block of
                  * the cluster has begun, one mask per rank */
  CuredBlockOrder *order;
  RacePage *pages; /* of shared memory */
  uint32_t n_pages;
  GArray *copies[CURED_ORDER_WARPS]; /* (nullable) (element-type RaceCopy) */
  /* Committed groups of all kinds but IN. */
  uint32_t groups[N_COPY_KINDS][CURED_ORDER_WARPS][CURED_WARP_LANES];
  uint8_t *dirty;           /* (nullable): a bit per byte of shared memory */
  RaceLock *locks;          /* (nullable): per thread */
  bool has_told_of_copies;  /* an access to a copy in flight was reported */
  RacePostponed *postponed; /* (nullable): in program order */
  RacePostponedWords *postponed_words;
  uint32_t n_postponed;
  uint8_t *values; /* values of postponed stores */
  uint32_t n_values;
  uint32_t round;  /* RacePage.postponed of pages with postponed accesses */
  bool has_cells;  /* such pages have cells */
  uint32_t *cells; /* (nullable): one per word of shared memory, see cured-race-postpone.c */
  struct
  {
    uint32_t reader; /* site × 32 + warp */
    uint32_t index;
  } last_postponed[256]; /* by reader */
  uint8_t regrets[64];   /* by site: number of useless postponements */
  CuredQuietRead *reads; /* (nullable): for CuredBlock.reads */
} RaceBlock;

typedef struct
{
  CuredObserver parent;
  CuredOrder *order;
  uint8_t *flags;       /* per site */
  uint8_t *roles;       /* per site */
  bool has_bulk;        /* the module has bulk copies */
  bool has_locks;       /* an instruction may take one */
  bool is_clustered;    /* clusters have more than one block */
  bool has_copies;      /* the module has cp.async */
  bool is_weak;         /* it has only plain accesses and cp.async */
  RaceRegion **regions; /* by a region's index; NULL: not written */
  uint32_t n_regions;
  bool *is_written;      /* by region: whether some store's address is derived from it */
  bool is_reach_certain; /* no store can hit other regions */
  uint32_t n_shared_pages;
  uint8_t apart[CURED_APART_BYTES];
  GMutex mutex;
  GArray *blocks;    /* (element-type guint64): index by number */
  GPtrArray *spares; /* (element-type RaceBlock) */
  GHashTable *loose; /* threads with accesses under a lock taken
                      * without a fence → the lowest RaceLevel */
} RaceDetector;

typedef struct
{
  RaceBlock *races;
} RaceState;

/* Why two accesses race, in addition to not being ordered. */
typedef enum
{
  REASON_UNORDERED,
  REASON_UNACQUIRED, /* a release was read, but no fence followed */
  REASON_NO_ATOMIC,  /* a volatile store is not atomic */
  REASON_LOOSE,      /* a lock was taken without a fence */
  REASON_PROXY,      /* a bulk copy reads a store without a proxy fence */
} RaceReason;

/* The other side of a race. */
typedef struct
{
  RaceSlot there;
  int plane;
  RaceReason reason;
  uint32_t lanes;
  uint64_t address;
} RaceConflict;

/* The page of an access. */
typedef struct
{
  RacePage *page;   /* (nullable) */
  uint64_t first;   /* address of its first byte */
  bool is_quiet;    /* the slots to compare with are not later
                   * than the block's floor, except the access's own plane */
  uint32_t n_quick; /* bytes from @first on whose words are visited in rows; all
                     * or none */
} RaceHeld;

/* An access in the form compared with slots. It is copied so that stores to slots can't alias
 * it, which the tightest loops need. */
typedef struct
{
  RaceSlot slot;        /* slot of the access, without its lanes */
  uint32_t first_party; /* first party of the block */
  /* Number of parties that can access the memory: of the cluster, or all. */
  uint32_t first_mate, n_mates;
  uint32_t floor; /* floor of the block's order */
  bool is_plain;  /* the lanes' vector clocks equal the floor, and no locks are taken */
} RaceStance;

/* One access that is checked against the shadow and recorded. */
typedef struct
{
  RaceDetector *self;
  RaceBlock *races;
  RaceBlock *owner; /* owner of the shared memory */
  CuredWarp *warp;
  const CuredAccess *access;
  RaceStance stance;
  RaceHeld held;
  int plane;
  uint64_t stamp;
  bool is_shared;
  bool is_words;            /* not atomic, 1, 2 or 4 whole words per lane, no lane
                  * loose */
  const uint8_t *stored;    /* (nullable): values of a postponed store; NULL: in registers */
  uint32_t value_bytes;     /* size of each stored operand; 0: unknown */
  uint8_t value[MAX_STORE]; /* value of the current lane */
  RaceConflict conflicts[MAX_CONFLICTS];
  uint32_t n_conflicts;
} RaceVisit;

/* Accesses of a site are no longer postponed if replayed this much more often than dropped. */
#define MAX_REGRETS 16

static inline uint8_t *
race_get_regrets (RaceBlock *races, uint32_t site)
{
  return &races->regrets[site % G_N_ELEMENTS (races->regrets)];
}

/* A cell: the round (RaceBlock.round), whether it was written, and the thread of the block that
 * accessed the word, or that there were several. Cells of earlier rounds are smaller. */
#define CELL_WHO     0x7ffu
#define CELL_SEVERAL CELL_WHO
#define CELL_WRITTEN 0x800u
#define CELL_BITS    12
#define CELL_ROUNDS  (1u << (32 - CELL_BITS))

/* Drops all accesses postponed so far. */
static inline void
race_begin_round (RaceBlock *races)
{
  races->n_postponed = 0;
  races->n_values = 0;
  races->has_cells = false;
  if (++races->round % CELL_ROUNDS != 0)
    return;
  races->round++;
  if (races->cells != NULL)
    memset (races->cells, 0, races->n_pages * (PAGE_BYTES >> WORD_BITS) * sizeof *races->cells);
}

/* ---- cured-race-site.c ---- */

void _cured_race_classify_sites (const CuredPtxModule *module, bool is_clustered, uint8_t *flags,
                                 uint8_t *roles);
bool _cured_race_is_bulk (const CuredPtxInst *inst);
bool _cured_race_is_bulk_reduction (const CuredPtxInst *inst);

/* ---- cured-race-reach.c ---- */

bool _cured_race_find_written (const CuredPtxGrid *grid, bool *is_written);

/* ---- cured-race-verdict.c ---- */

uint32_t _cured_race_find_unordered (const RaceVisit *visit, const RaceSlot *slot, uint32_t lanes);
bool _cured_race_stores_the_same (const RaceVisit *visit, const RaceSlot *slot, uint32_t value,
                                  uint32_t offset, uint32_t size);
bool _cured_race_check_slot (RaceVisit *visit, const RacePage *page, uint32_t cell,
                             const RaceSlot *slot, int plane, uint32_t lanes, uint64_t address);
RaceConflict *_cured_race_add_conflict (RaceVisit *visit, const RaceSlot *slot, int plane,
                                        RaceReason reason, uint32_t lanes, uint64_t address);

/* ---- cured-race-report.c ---- */

uint64_t _cured_race_get_block_index (RaceDetector *self, uint32_t number);
void _cured_race_report (RaceVisit *visit);

/* ---- cured-race-visit.c ---- */

void _cured_race_start_visit (RaceVisit *visit, RaceDetector *self, RaceBlock *races,
                              CuredWarp *warp, const CuredAccess *access, const RaceSlot *slot);
void _cured_race_visit_access (RaceVisit *visit, uint32_t loose);
void _cured_race_catch_up (RaceDetector *self, RaceBlock *races, CuredBlock *block);

/* ---- cured-race-postpone.c ---- */

bool _cured_race_postpone (RaceDetector *self, RaceBlock *races, const CuredWarp *warp,
                           const CuredAccess *access, const RaceSlot *slot);
void _cured_race_forget_postponed (RaceBlock *races);

/* ---- cured-race-copy.c ---- */

void _cured_race_add_copies (RaceVisit *visit);
void _cured_race_finish_copies (RaceBlock *races, uint32_t warp, uint32_t mask, RaceCopyKind kind,
                                int left);
void _cured_race_forget_copies (RaceBlock *races);
void _cured_race_deliver (RaceVisit *visit);
void _cured_race_visit_bulk (RaceVisit *visit);
void _cured_race_mark_dirty (RaceBlock *races, const CuredAccess *access);
void _cured_race_fence_dirty (RaceBlock *races, uint32_t warp, uint32_t mask);
void _cured_race_report_copies (const RaceDetector *self, const RaceBlock *races,
                                const CuredBlock *block, uint32_t warp);

/* ---- cured-race-lock.c ---- */

GHashTable *_cured_race_loose_new (void);
uint32_t _cured_race_find_loose (const RaceVisit *visit, const RaceSlot *slot, uint32_t lanes);
uint32_t _cured_race_note_loose (RaceVisit *visit);
void _cured_race_tighten_locks (RaceBlock *races, uint32_t warp, uint32_t mask, RaceLevel level);
void _cured_race_update_locks (const RaceVisit *visit, uint32_t roles);

/* ---- cured-race-remote.c ---- */

void _cured_race_visit_remote (RaceVisit *visit);
void _cured_race_report_remotes (RaceDetector *self, RaceBlock *races, const CuredBlock *block);

/* ---- Shared helpers ---- */

/* Whether a slot of shared memory belongs to the current cluster. */
static inline bool
is_of_cluster (const RaceBlock *races, const RaceSlot *slot)
{
  return get_block (slot) - races->first < races->n_blocks;
}

/* Key of releases and acquisitions: the address; in clusters, addresses of shared memory
 * include the owner's number. */
static inline uint64_t
get_key (const RaceVisit *visit, uint64_t address, CuredSpace *space)
{
  *space = visit->access->space;
  if (!visit->is_shared || !visit->self->is_clustered)
    return address;
  *space = CURED_SPACE_GLOBAL;
  return UINT64_C (1) << 62 | (uint64_t) visit->owner->number << CURED_WINDOW_BITS | address;
}
