/* SPDX-License-Identifier: MIT
 * The race detector: two accesses of different threads to the same bytes, at
 * least one of them a write, with nothing that orders them.
 *
 * Implementation notes.
 *
 * What orders accesses is in cured-order.c: program order, barriers of the
 * block and of the warp, and release and acquire: a fence (or an access's own
 * .release) before an atomic or a strong store, an atomic or strong load that
 * reads there, and a fence (or its own .acquire) after that. Scopes have to
 * take in both threads. That is the PTX memory model (PTX ISA 9.0, chapter 8),
 * but for these:
 *
 * - A barrier of the block or the warp stands for the fence on the acquiring
 *   side, too: NVIDIA's own example of a last block counts, waits at
 *   __syncthreads () and reads.
 * - What was waited for without a fence may be read by strong loads and changed
 *   by atomics, where it was written by such, too: they do not overtake the
 *   read that they depend on. It may be stored to only by who read it before.
 * - A store does not end the releases that were made through an address.
 * - shfl, vote, match and redux bring lanes together and order nothing: code
 *   that relies on a warp's lanes going in step races (CUDA C++ Programming
 *   Guide, independent thread scheduling). Only __syncwarp orders them.
 * - volatile is a strong access to the model, and so would excuse exactly the
 *   old warp-synchronous code that is wrong today, and a last block that reads
 *   partial sums without a fence. Here two volatile accesses race as plain ones
 *   do, unless the load is one that polls: it stands in a loop in which its
 *   address does not change and which its value ends. A volatile load against
 *   an atomic operation does not race; a volatile store does (atomicity is
 *   promised among atomics), unless the atomic is one that polls.
 * - Who takes a lock first is chance. An access after an atomic that takes a
 *   lock, with no fence between, races with what another thread did under the
 *   same lock, though in this run the other one came later and had its fence. A
 *   lock is an atom.cas or atom.exch that polls and always asks for the same.
 * - Stores of the same value do not race with each other: it does not matter
 *   which of them comes last. Within one instruction, different values are a
 *   finding, since nothing says which lane wins.
 *
 * What was touched is kept a line of 64 bytes, as long as nobody accesses
 * anything but whole lines, neighbours by neighbours: a page (1 KiB) that is
 * accessed otherwise changes to slots for words of four bytes, and one that is
 * accessed in smaller pieces to slots for bytes. A slot has the last
 * write, and of the reads and of the atomics since then two sets of lanes that
 * nothing orders among each other. Two are enough to find a race with any later
 * write, but for one by a thread that is ordered after both of them and not
 * after a third. Pages get their memory when they are touched, and of it only
 * what they need: 16 bytes per line or word for data that is only read.
 *
 * Nearly all accesses meet what is void, or their own warp, or readers: they take
 * short cuts, which leave behind exactly what the long way would. Those are
 * whole lines; rows of words that lie behind each other; single words. What a
 * page had last, of writes, reads and atomics each, says whether anything in it
 * is later than the block's last barrier at all.
 *
 * A verdict is about order, not about time: it does not depend on how fast the
 * host's threads are. What does is the count of occurrences, and which of
 * several races at a pair of places is described.
 *
 * Shared memory is a block's own, and its shadow is used again by the next
 * block: entries carry the block's number, and what another one left is void.
 *
 * Bulk copies (cp.async.bulk) are accesses of who begins them, under way until
 * something says that they are over. To shared memory that is a wait for the
 * barrier that they complete at, after the phase in which they began: who first
 * sees that becomes who wrote, and who waits there later comes after it. From
 * shared to global memory it is a wait for the group by the thread that began
 * them. They are made by the asynchronous proxy: a word of shared memory that
 * was stored to is dirty until a thread that comes after the store, or its own,
 * has a fence.proxy.async, and a bulk copy must not read it before that. Whether
 * the copy comes after the fence is not looked at, nor is global memory.
 *
 * Not taken: a shadow of who read each word as a set of warps, which is wrong
 * for tiles of a warp that synchronize among themselves; and lines in pages of
 * words, which every transposed access would split again. */
#include "config.h"

#include "ptx/watch/cured-order-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define PAGE_BITS  10
#define PAGE_BYTES (1u << PAGE_BITS)
#define WORD_BITS  2
#define LINE_BITS  6

#define LINE_BYTES (1u << LINE_BITS)
#define LINE_WORDS (LINE_BYTES >> WORD_BITS)

/* Bytes that have a bit per word of a page. */
#define PAGE_DIRTY (PAGE_BYTES >> WORD_BITS >> 3)

/* Pairs of sides that one instruction reports; the others come again. */
#define MAX_CONFLICTS 16

/* Bytes that a lane stores at most. */
#define MAX_STORE 64

#define NO_SITE G_MAXUINT32

/* Longest loop, in instructions, that is taken for one that polls. */
#define MAX_POLL 256

/* Blocks that fit a slot's field; those that come after them are not looked
 * at. A module of so many instructions would be gigabytes of text. */
#define MAX_BLOCKS (1u << 26)

/* Threads and locks that were taken without a fence; more are not looked at. */
#define MAX_LOOSE 65536

typedef enum
{
  FLAG_VOLATILE = 1 << 0,
  FLAG_STRONG = 1 << 1, /* relaxed or more, and atomics */
  FLAG_NARROW = 1 << 2, /* of a strong one: its scope is the block */
  FLAG_POLLS = 1 << 3,
  FLAG_UNDERWAY = 1 << 4, /* cp.async that nobody waited for */
  FLAG_LOOSE = 1 << 5,    /* under a lock that was taken without a fence */
} Flags;
#define FLAG_BITS 6

/* What an instruction does to the order. */
typedef enum
{
  ROLE_READS = 1 << 0,    /* an acquire, if a fence comes after it */
  ROLE_ACQUIRES = 1 << 1, /* by itself */
  ROLE_CARRIES = 1 << 2,  /* a release, if a fence came before */
  ROLE_RELEASES = 1 << 3, /* by itself */
  ROLE_LOCKS = 1 << 4,
} Role;

/* Lanes of a warp that accessed a word. */
typedef struct
{
  uint32_t party; /* number of the block × 32 + warp */
  uint32_t clock;
  uint32_t lanes; /* 0: nobody */
  uint32_t where; /* site × 64 + Flags */
} Slot;

enum
{
  PLANE_WRITE,
  PLANE_READ,
  PLANE_READ_2,
  PLANE_ATOMIC,
  PLANE_ATOMIC_2,
  N_PLANES
};

/* What a slot of a page stands for. */
typedef enum
{
  GRAIN_LINE, /* 64 bytes; a slot's lanes are a form, see get_form () */
  GRAIN_WORD,
  GRAIN_BYTE,
} Grain;

/* Planes by what they have. */
typedef enum
{
  KIND_WRITES,
  KIND_READS,
  KIND_ATOMICS,
  N_KINDS
} Kind;

/* A stamp is a block's number plus one, in the upper half, and a clock. */
typedef struct
{
  int lock; /* bit 0; of global memory */
  Grain grain;
  /* No slot of the planes of a kind is later; 0: none is there. UINT64_MAX: of
   * several blocks. */
  uint64_t latest[N_KINDS];
  Slot *planes[N_PLANES]; /* (nullable) */
  uint32_t *values;       /* (nullable): that were stored, of PLANE_WRITE; one a
                           * word, or a byte */
} Page;

typedef enum
{
  COPY_ASYNC,   /* cp.async */
  COPY_IN,      /* a bulk copy that writes shared memory */
  COPY_OUT,     /* one that reads it for global memory */
  COPY_PRODUCT, /* a product of matrices that reads it */
} CopyKind;

/* A copy that was not waited for. */
typedef struct
{
  uint64_t address;
  uint64_t barrier; /* IN */
  uint32_t phase;   /* of the barrier, when the copy began */
  uint32_t width;
  uint32_t party; /* who began it */
  uint32_t lane;
  uint32_t group;
  CopyKind kind;
} Copy;

/* A warp of another block of the cluster that reached this block's shared
 * memory: when each lane did last, and where. */
typedef struct
{
  uint32_t party;
  uint32_t clocks[CURED_WARP_LANES]; /* 0: it did not */
  uint32_t site;
  uint64_t address;
  const char *what;
} Remote;

/* The lock that a thread took last and did not give back. */
typedef struct
{
  uint64_t address;
  uint32_t space; /* CuredSpace */
  uint32_t level; /* Level */
} Lock;

typedef enum
{
  LEVEL_FREE,  /* it has none */
  LEVEL_LOOSE, /* no fence came after */
  LEVEL_BLOCK, /* one for the block */
  LEVEL_TIGHT,
} Level;

/* A thread that did something under a lock that it took without a fence. */
typedef struct
{
  uint64_t address;
  uint32_t party;
  uint32_t lane;
} Loose;

/* What a block needs; used again by later ones. */
typedef struct
{
  uint32_t number; /* of the block, in the order in which they began */
  uint32_t first; /* of its cluster's blocks, whose numbers follow each other */
  uint32_t n_blocks; /* of the cluster */
  GArray *remotes;   /* (nullable) (element-type Remote) */
  uint32_t *met; /* (nullable): of each warp the lanes that know that a block of
                  * the cluster has begun, a mask a rank */
  CuredBlockOrder *order;
  Page *pages; /* of shared memory */
  uint32_t n_pages;
  GArray *copies[CURED_ORDER_WARPS]; /* (nullable) (element-type Copy) */
  uint32_t groups[CURED_ORDER_WARPS][CURED_WARP_LANES];
  uint32_t bulk_groups[CURED_ORDER_WARPS][CURED_WARP_LANES];
  uint32_t product_groups[CURED_ORDER_WARPS][CURED_WARP_LANES];
  uint8_t *dirty;          /* (nullable): a bit per word of shared memory */
  Lock *locks;             /* (nullable): a thread */
  bool has_told_of_copies; /* that somebody met one under way */
} BlockRaces;

typedef struct
{
  CuredObserver parent;
  CuredOrder *order;
  uint8_t *flags;    /* a site */
  uint8_t *roles;    /* a site */
  bool has_bulk;     /* the module has bulk copies */
  bool is_clustered; /* clusters have more than one block */
  Page **regions;    /* by a region's index */
  uint32_t n_regions;
  uint32_t n_shared_pages;
  GMutex mutex;
  GArray *blocks;    /* (element-type guint64): index by number */
  GPtrArray *spares; /* (element-type BlockRaces) */
  GHashTable *loose; /* Loose → its Level, at the least */
} RaceDetector;

typedef struct
{
  BlockRaces *races;
} State;

/* Why two accesses race, where that is more than that nothing orders them. */
typedef enum
{
  REASON_UNORDERED,
  REASON_UNACQUIRED, /* heard of, and no fence came after */
  REASON_NO_ATOMIC,  /* a volatile store is none */
  REASON_LOOSE,      /* a lock was taken without a fence */
  REASON_PROXY,      /* a bulk copy reads what has no proxy fence */
} Reason;

/* Somebody whom an access races with. */
typedef struct
{
  Slot there;
  int plane;
  Reason reason;
  uint32_t lanes;
  uint64_t address;
} Conflict;

/* The page that an access is at. */
typedef struct
{
  Page *page;       /* (nullable) */
  uint64_t first;   /* address of its first byte */
  bool is_quiet;    /* what the access is to be held against has nothing later
                   * than the block's floor, but for the access's own plane */
  uint32_t n_quick; /* bytes from @first on that are looked at word by word, and
                     * are quiet; all or none */
} Held;

/* One access, on its way through the shadow. */
typedef struct
{
  RaceDetector *self;
  BlockRaces *races;
  BlockRaces *owner; /* whose shared memory it is */
  CuredWarp *warp;
  const CuredAccess *access;
  Slot slot; /* of the access, but for its lanes */
  int plane;
  uint32_t floor; /* of the block's order */
  uint64_t stamp;
  bool is_shared;
  bool
      is_plain; /* the lanes' vector clocks are the floor, and no locks taken */
  bool
      is_words; /* no atomic, of 1, 2 or 4 whole words by each lane, and none of
                  * them loose */
  uint32_t value_bytes;     /* of each operand that is stored; 0: unknown */
  uint8_t value[MAX_STORE]; /* of the lane that is looked at */
  Conflict conflicts[MAX_CONFLICTS];
  uint32_t n_conflicts;
} Visit;

static uint32_t
get_block (const Slot *slot)
{
  return slot->party / CURED_WARP_LANES;
}

static bool
is_bulk (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_bulk ||
         inst->op == CURED_PTX_OP_bulk_reduce ||
         inst->op == CURED_PTX_OP_bulk_tensor ||
         inst->op == CURED_PTX_OP_bulk_tensor_reduce ||
         inst->op == CURED_PTX_OP_st_async ||
         inst->op == CURED_PTX_OP_red_async;
}

/* Whether what is under way adds up with others of its kind. */
static bool
is_bulk_reduction (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_bulk_reduce ||
         inst->op == CURED_PTX_OP_red_async;
}

/* Whether a slot of shared memory is of the cluster that has it now. */
static inline bool
is_of_cluster (const BlockRaces *races, const Slot *slot)
{
  return get_block (slot) - races->first < races->n_blocks;
}

/* What releases and acquisitions go by: addresses, but in clusters shared memory
 * of other blocks is met, too, and its addresses have the owner's number. */
static CuredSpace
get_keys (const Visit *visit, const uint64_t *address, uint64_t *keys)
{
  if (!visit->is_shared || !visit->self->is_clustered)
    {
      memcpy (keys, address, CURED_WARP_LANES * sizeof *keys);
      return visit->access->space;
    }
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    keys[l] = UINT64_C (1) << 62 |
              (uint64_t) visit->owner->number << CURED_WINDOW_BITS | address[l];
  return CURED_SPACE_GLOBAL;
}

/* ---- Order ---- */

/* Of @lanes, those that are not ordered after @slot. */
static uint32_t
find_unordered (const Visit *visit, const Slot *slot, uint32_t lanes)
{
  const CuredBlockOrder *order = visit->races->order;
  uint32_t block = get_block (slot);
  uint32_t from = slot->party % CURED_WARP_LANES;
  uint32_t unordered = 0;

  if (slot->lanes == 0)
    return 0;
  if (block != visit->races->number)
    {
      if (visit->is_shared && !is_of_cluster (visit->races, slot))
        return 0;
      if (visit->is_shared && (slot->where & FLAG_UNDERWAY) != 0)
        return lanes;
    }
  else if ((slot->where & FLAG_UNDERWAY) != 0)
    return lanes;
  else if (slot->clock < order->floor ||
           (slot->party == visit->slot.party && slot->lanes == lanes &&
            (lanes & (lanes - 1)) == 0))
    return 0;

  for (uint32_t left = lanes; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      uint32_t thread = visit->warp->index * CURED_WARP_LANES + lane;
      uint32_t others = slot->lanes;

      if (slot->party == visit->slot.party)
        others &= ~(1u << lane);
      if (others == 0 ||
          (block == visit->races->number &&
           _cured_block_order_knows (
               order, thread, from, others, slot->clock)) ||
          _cured_block_order_knows_foreign (
              order, thread, block, from, others, slot->clock, false))
        continue;
      unordered |= 1u << lane;
    }
  return unordered;
}

/* ---- What is not a race ---- */

/* How many bytes of each of its operands the access stores, where that is known:
 * where it is done by st; 0: it is not. */
static uint32_t
get_value_bytes (const CuredAccess *access)
{
  const CuredPtxInst *inst = access->inst;
  uint32_t n = inst->n_counts > 1 ? inst->counts[1] : 0;
  uint32_t bytes;

  if (access->kind != CURED_ACCESS_STORE || inst->op != CURED_PTX_OP_st ||
      n == 0 || access->width > MAX_STORE)
    return 0;
  bytes = n == 1 ? access->width : access->width / n;
  for (uint32_t i = 0; i < n; i++)
    if (inst->x[inst->counts[0] + i].width < bytes)
      return 0;
  return bytes;
}

static inline const uint8_t *
get_operand (const Visit *visit, const CuredPtxOperand *x, uint32_t lane)
{
  return visit->warp->bases[x->base] + x->offset + (gsize) lane * x->width;
}

static void
get_value (Visit *visit, uint32_t lane)
{
  const CuredPtxInst *inst = visit->access->inst;
  const CuredPtxOperand *x = &inst->x[inst->counts[0]];
  uint32_t bytes = visit->value_bytes;

  for (uint32_t i = 0; i < inst->counts[1]; i++)
    if (G_LIKELY (bytes == 4))
      memcpy (visit->value + i * 4, get_operand (visit, &x[i], lane), 4);
    else
      memcpy (
          visit->value + i * bytes, get_operand (visit, &x[i], lane), bytes);
}

/* Whether the store puts there what the last one did: @value. */
static bool
stores_the_same (const Visit *visit,
                 const Slot *slot,
                 uint32_t value,
                 uint32_t offset,
                 uint32_t size)
{
  const CuredPtxInst *code = visit->self->parent.grid->module->code;
  uint32_t mine = 0;

  if (visit->value_bytes == 0 ||
      code[slot->where >> FLAG_BITS].op != CURED_PTX_OP_st)
    return false;
  memcpy (&mine, visit->value + offset, size);
  return mine == value;
}

/* Whether both are accesses through which threads may talk to each other. */
static bool
is_talk (const Visit *visit, const Slot *slot)
{
  uint32_t mine = visit->slot.where;
  uint32_t other = slot->where;

  if (((mine | other) & FLAG_NARROW) != 0 &&
      get_block (slot) != visit->races->number)
    return false;
  if ((mine & FLAG_STRONG) != 0)
    return (other & (FLAG_STRONG | FLAG_VOLATILE)) != 0;
  if ((mine & FLAG_VOLATILE) != 0)
    return (other & FLAG_STRONG) != 0 ||
           ((other & FLAG_VOLATILE) != 0 && ((mine | other) & FLAG_POLLS) != 0);
  return false;
}

/* ---- Conflicts ---- */

static void
add_conflict (Visit *visit,
              const Slot *slot,
              int plane,
              Reason reason,
              uint32_t lanes,
              uint64_t address)
{
  Conflict *conflict = NULL;

  for (uint32_t i = 0; i < visit->n_conflicts; i++)
    {
      conflict = &visit->conflicts[i];
      if (conflict->there.party == slot->party &&
          conflict->there.where == slot->where && conflict->plane == plane &&
          conflict->reason == reason)
        {
          conflict->lanes |= lanes;
          conflict->there.lanes |= slot->lanes;
          return;
        }
    }
  if (visit->n_conflicts == MAX_CONFLICTS)
    return;
  conflict = &visit->conflicts[visit->n_conflicts++];
  *conflict = (Conflict){ *slot, plane, reason, lanes, address };
}

/* Of @lanes, those that did not hear of @slot's atomics through the very word
 * that these are about: a counter that tells who is last, and that this one
 * sets back. */
static uint32_t
find_deaf (const Visit *visit,
           const Slot *slot,
           uint32_t lanes,
           uint64_t address)
{
  uint32_t deaf = 0;

  for (uint32_t left = lanes; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      uint64_t addresses[CURED_WARP_LANES] = { address };
      uint64_t keys[CURED_WARP_LANES];
      CuredSpace space = get_keys (visit, addresses, keys);
      bool is_heard = false;

      /* The word may be the second one of a 64-bit number. */
      for (uint32_t back = 0; back <= 4 && back <= address; back += 4)
        is_heard = is_heard || _cured_block_order_heard (
                                   visit->races->order,
                                   visit->warp->index * CURED_WARP_LANES + lane,
                                   space,
                                   keys[0] - back,
                                   get_block (slot),
                                   slot->party % CURED_WARP_LANES,
                                   slot->lanes);
      if (!is_heard)
        deaf |= 1u << lane;
    }
  return deaf;
}

/* Of @lanes, those that at least heard of @slot. */
static uint32_t
find_heard (const Visit *visit, const Slot *slot, uint32_t lanes)
{
  uint32_t heard = 0;

  for (uint32_t left = lanes; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      uint32_t others = slot->lanes;

      if (slot->party == visit->slot.party)
        others &= ~(1u << lane);
      if (_cured_block_order_heard_of (visit->races->order,
                                       visit->warp->index * CURED_WARP_LANES +
                                           lane,
                                       get_block (slot),
                                       slot->party % CURED_WARP_LANES,
                                       others,
                                       slot->clock))
        heard |= 1u << lane;
    }
  return heard;
}

/* Whether a slot has strong accesses of all of @lanes. */
static bool
is_own (const Visit *visit, const Slot *slots, uint32_t cell, uint32_t lanes)
{
  return slots != NULL && slots[cell].party == visit->slot.party &&
         (lanes & ~slots[cell].lanes) == 0 &&
         (slots[cell].where & (FLAG_STRONG | FLAG_VOLATILE)) != 0;
}

/* Whether a volatile store met an atomic that does not wait for it. A counter
 * may be set back by who has counted. */
static bool
is_store_to_atomic (const Visit *visit,
                    const Page *page,
                    uint32_t cell,
                    const Slot *slot,
                    int plane,
                    uint32_t lanes)
{
  uint32_t mine = visit->slot.where;
  uint32_t other = slot->where;

  if (visit->plane == PLANE_ATOMIC)
    return (mine & FLAG_POLLS) == 0 && plane == PLANE_WRITE &&
           (other & FLAG_VOLATILE) != 0;
  return visit->plane == PLANE_WRITE && (mine & FLAG_VOLATILE) != 0 &&
         (plane == PLANE_ATOMIC || plane == PLANE_ATOMIC_2) &&
         (other & FLAG_POLLS) == 0 &&
         !is_own (visit, page->planes[PLANE_ATOMIC], cell, lanes) &&
         !is_own (visit, page->planes[PLANE_ATOMIC_2], cell, lanes);
}

/* Whether strong accesses that were only heard of are enough for this one: a
 * strong load, an atomic, or a strong store to what its thread has read. */
static bool
is_hearing_enough (const Visit *visit,
                   const Page *page,
                   uint32_t cell,
                   const Slot *slot,
                   uint32_t lanes)
{
  const uint32_t strong = FLAG_STRONG | FLAG_VOLATILE;
  bool is_read = false;

  if ((visit->slot.where & strong) == 0 || (slot->where & strong) == 0)
    return false;
  if (visit->plane != PLANE_WRITE)
    return true;
  for (int i = PLANE_READ; i < N_PLANES; i++)
    is_read = is_read || is_own (visit, page->planes[i], cell, lanes);
  return is_read;
}

/* Of @lanes, those that have a lock under which @slot's threads did what they
 * did, which took it without the fence that it would have needed had these
 * lanes had it first. */
static uint32_t
find_loose (const Visit *visit, const Slot *slot, uint32_t lanes)
{
  RaceDetector *self = visit->self;
  bool is_foreign = get_block (slot) != visit->races->number;
  uint32_t loose = 0;

  if (visit->races->locks == NULL)
    return 0;
  g_mutex_lock (&self->mutex);
  for (uint32_t left = lanes; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      const Lock *lock =
          &visit->races->locks[visit->warp->index * CURED_WARP_LANES + lane];
      uint32_t others = slot->lanes;

      if (slot->party == visit->slot.party)
        others &= ~(1u << lane);
      if (lock->level == LEVEL_FREE ||
          (is_foreign && lock->space == CURED_SPACE_SHARED))
        continue;
      for (; others != 0; others &= others - 1)
        {
          Loose key = { lock->address,
                        slot->party,
                        (uint32_t) __builtin_ctz (others) };
          guint level =
              GPOINTER_TO_UINT (g_hash_table_lookup (self->loose, &key));

          if (level == LEVEL_LOOSE || (level == LEVEL_BLOCK && is_foreign))
            loose |= 1u << lane;
        }
    }
  g_mutex_unlock (&self->mutex);
  return loose;
}

/* Looks whether @lanes race with one plane's slot. TRUE: they are ordered after
 * it, so that it tells nothing more. */
static inline bool
check_slot (Visit *visit,
            const Page *page,
            uint32_t cell,
            const Slot *slot,
            int plane,
            uint32_t lanes,
            uint64_t address)
{
  uint32_t unordered = find_unordered (visit, slot, lanes);
  Reason reason = REASON_UNORDERED;
  Slot there;

  if (G_UNLIKELY ((slot->where & visit->slot.where & FLAG_UNDERWAY) != 0) &&
      is_bulk_reduction (visit->access->inst) &&
      is_bulk_reduction (
          &visit->self->parent.grid->module->code[slot->where >> FLAG_BITS]))
    return false;

  if (G_LIKELY (unordered == 0))
    {
      const uint32_t strong = FLAG_STRONG | FLAG_VOLATILE;

      if (G_LIKELY ((slot->where & FLAG_LOOSE) == 0) ||
          (plane != PLANE_WRITE && (slot->where & strong) != 0 &&
           (visit->slot.where & strong) != 0))
        return true;
      unordered = find_loose (visit, slot, lanes);
      if (unordered != 0)
        add_conflict (visit, slot, plane, REASON_LOOSE, unordered, address);
      return true;
    }
  if ((slot->where & FLAG_UNDERWAY) == 0)
    {
      uint32_t heard;

      if (is_talk (visit, slot))
        {
          if (!is_store_to_atomic (visit, page, cell, slot, plane, lanes))
            return false;
          reason = REASON_NO_ATOMIC;
        }
      heard = find_heard (visit, slot, unordered);
      if (heard != 0 && is_hearing_enough (visit, page, cell, slot, heard))
        {
          unordered &= ~heard;
          if (unordered == 0)
            return false;
        }
      else if (heard == unordered && reason == REASON_UNORDERED)
        reason = REASON_UNACQUIRED;
    }
  if (plane == PLANE_ATOMIC || plane == PLANE_ATOMIC_2)
    {
      unordered = find_deaf (visit, slot, unordered, address);
      if (unordered == 0)
        return true;
    }
  there = *slot;
  if (there.party == visit->slot.party && (there.lanes & ~unordered) != 0)
    there.lanes &= ~unordered;
  add_conflict (visit, &there, plane, reason, unordered, address);
  return false;
}

static const char *
get_what (int plane, const Slot *slot)
{
  if ((slot->where & FLAG_UNDERWAY) != 0 && plane == PLANE_WRITE)
    return _cured_access_what (CURED_ACCESS_COPY);
  switch (plane)
    {
    case PLANE_WRITE:
      return _cured_access_what (CURED_ACCESS_STORE);
    case PLANE_READ:
    case PLANE_READ_2:
      return _cured_access_what (CURED_ACCESS_LOAD);
    default:
      return _cured_access_what (CURED_ACCESS_ATOMIC);
    }
}

static const char *
explain (const Visit *visit, const Conflict *conflict)
{
  const Slot *there = &conflict->there;

  if (conflict->reason == REASON_PROXY &&
      visit->access->inst->op == CURED_PTX_OP_wgmma)
    return "products of matrices need not see what threads stored: "
           "fence.proxy.async has to come between, before the barrier that "
           "orders them";
  if (conflict->reason == REASON_PROXY)
    return "bulk copies need not see what threads stored: fence.proxy.async "
           "has "
           "to come between, before the barrier that orders them";
  if ((there->where & FLAG_UNDERWAY) != 0 &&
      is_bulk (
          &visit->self->parent.grid->module->code[there->where >> FLAG_BITS]))
    return conflict->plane == PLANE_WRITE
               ? "the bulk copy may still be under way: a wait for the phase "
                 "of "
                 "its mbarrier has to come between"
               : "the bulk copy may not have read this yet: "
                 "cp.async.bulk.wait_group.read and a barrier have to come "
                 "between";
  if ((there->where & FLAG_UNDERWAY) != 0 &&
      visit->self->parent.grid->module->code[there->where >> FLAG_BITS].op ==
          CURED_PTX_OP_wgmma)
    return "the product may not have read this yet: wgmma.wait_group and a "
           "barrier have to come between";
  if ((there->where & FLAG_UNDERWAY) != 0)
    return "the copy may still be under way: cp.async.wait_group and a barrier "
           "have to come between";
  if (conflict->reason == REASON_LOOSE)
    return "the lock was taken without a fence: __threadfence () has to come "
           "between the atomic operation that takes it and what it guards";
  if (conflict->reason == REASON_UNACQUIRED)
    return "nothing acquires what the other thread released: __threadfence () "
           "has to come between the read that waits for it and this access";
  if (conflict->reason == REASON_NO_ATOMIC)
    return "a volatile store is no atomic operation: atomicExch () is one";
  if (get_block (there) != visit->races->number)
    {
      if (visit->is_shared)
        return "no barrier of the cluster stands between";
      if (((there->where | visit->slot.where) & FLAG_NARROW) != 0)
        return "an atomic operation whose scope is the block says nothing to "
               "another block";
      return "blocks are ordered by a fence and an atomic operation, or by the "
             "end of the launch";
    }
  if (there->party != visit->slot.party)
    return "no barrier stands between";
  if (there->where == visit->slot.where && there->clock == visit->slot.clock &&
      conflict->plane == PLANE_WRITE)
    return "lanes of one warp write different values, and nothing says which "
           "of them stays";
  return "lanes of a warp need not go in step: __syncwarp () orders them";
}

static uint64_t
get_block_index (RaceDetector *self, uint32_t number)
{
  uint64_t index;

  g_mutex_lock (&self->mutex);
  index = g_array_index (self->blocks, guint64, number);
  g_mutex_unlock (&self->mutex);
  return index;
}

/* Between blocks it is chance who comes first: the sides are told in the order
 * of their places. In a block the later one is `here`. */
static void
report (Visit *visit, const Conflict *conflict)
{
  CuredPtxGrid *grid = visit->self->parent.grid;
  const CuredAccess *access = visit->access;
  const Slot *slot = &conflict->there;
  CuredWitness sides[2];
  bool is_foreign = get_block (slot) != visit->races->number;
  bool is_swapped = false;

  visit->races->has_told_of_copies |= (slot->where & FLAG_UNDERWAY) != 0;

  sides[0] = _cured_warp_witness (visit->warp,
                                  access->inst,
                                  conflict->lanes,
                                  _cured_access_what (access->kind));
  sides[1] = (CuredWitness){
    .inst = &grid->module->code[slot->where >> FLAG_BITS],
    .what = get_what (conflict->plane, slot),
    .block = is_foreign ? get_block_index (visit->self, get_block (slot))
                        : visit->warp->block->index,
    .warp = slot->party % CURED_WARP_LANES,
    .lanes = slot->lanes,
  };
  if (is_foreign)
    is_swapped = sides[1].inst->site != sides[0].inst->site
                     ? sides[1].inst->site < sides[0].inst->site
                     : sides[1].block < sides[0].block;
  _cured_grid_report (grid,
                      access->space == CURED_SPACE_SHARED
                          ? CURED_FINDING_RACE_SHARED
                          : CURED_FINDING_RACE_GLOBAL,
                      &sides[is_swapped],
                      &sides[!is_swapped],
                      access->space,
                      conflict->address,
                      "%s",
                      explain (visit, conflict));
}

/* ---- The shadow ---- */

static inline uint32_t
get_grain_bits (const Page *page)
{
  static const uint8_t bits[] = { LINE_BITS, WORD_BITS, 0 };

  return bits[page->grain];
}

static Slot *
get_plane (Page *page, int plane)
{
  if (page->planes[plane] == NULL)
    page->planes[plane] = g_new0 (Slot, PAGE_BYTES >> get_grain_bits (page));
  return page->planes[plane];
}

static uint32_t *
get_values (Page *page)
{
  if (page->values == NULL)
    page->values = g_new0 (uint32_t,
                           page->grain == GRAIN_BYTE ? PAGE_BYTES
                                                     : PAGE_BYTES >> WORD_BITS);
  return page->values;
}

static void
page_clear (Page *page)
{
  for (int i = 0; i < N_PLANES; i++)
    g_free (page->planes[i]);
  g_free (page->values);
}

/* What a slot of a whole line has in place of lanes: in the line's words there
 * are @first and the lanes that follow, each in 1 << @shift words; and those of
 * which they are folds, see CuredAccess. */
static inline uint32_t
get_form (uint32_t first, uint32_t shift, uint32_t folds)
{
  return (first << 5 | folds << 2 | shift) + 1;
}

static inline uint32_t
get_folds (uint32_t form)
{
  return (form - 1) >> 2 & 7;
}

/* The lanes that a fold stands for, of its first one. */
static inline uint32_t
get_copies (uint32_t folds)
{
  return G_MAXUINT32 /
         (G_MAXUINT32 >> (CURED_WARP_LANES - (CURED_WARP_LANES >> folds)));
}

/* The lanes in the @word-th word of a line. */
static inline uint32_t
get_form_lanes (uint32_t form, uint32_t word)
{
  return get_copies (get_folds (form))
         << (((form - 1) >> 5) + (word >> ((form - 1) & 3)));
}

/* From a slot a line to one a word, or from there to one a byte. */
static void
page_split (Page *page)
{
  uint32_t from = get_grain_bits (page);
  bool is_lines = page->grain == GRAIN_LINE;
  uint32_t to = is_lines ? WORD_BITS : 0;

  for (int i = 0; i < N_PLANES; i++)
    {
      Slot *slots = page->planes[i];

      if (slots == NULL)
        continue;
      page->planes[i] = g_new (Slot, PAGE_BYTES >> to);
      for (uint32_t k = 0; k < PAGE_BYTES >> to; k++)
        {
          Slot *slot = &page->planes[i][k];

          *slot = slots[k >> (from - to)];
          if (is_lines && slot->lanes != 0)
            slot->lanes = get_form_lanes (slot->lanes, k % LINE_WORDS);
        }
      g_free (slots);
    }
  if (page->values != NULL && !is_lines)
    {
      uint32_t *words = page->values;

      page->values = g_new (uint32_t, PAGE_BYTES);
      for (uint32_t b = 0; b < PAGE_BYTES; b++)
        page->values[b] = words[b >> WORD_BITS] >> (b % 4 * 8) & 0xff;
      g_free (words);
    }
  page->grain++;
}

/* Whether two are of one warp, with nothing between that orders. */
static inline bool
is_at_once (const Slot *slot, const Slot *to)
{
  uint64_t a;
  uint64_t b;

  memcpy (&a, slot, sizeof a);
  memcpy (&b, to, sizeof b);
  return a == b;
}

static inline bool
is_joinable (const Slot *slot, const Slot *to)
{
  return is_at_once (slot, to) &&
         ((slot->where ^ to->where) & ((1u << FLAG_BITS) - 1)) == 0 &&
         to->lanes != 0;
}

/* Whether a slot says nothing to any thread of the block. */
static inline bool
is_void (const Visit *visit, const Slot *slot)
{
  if (slot->lanes == 0)
    return true;
  return get_block (slot) == visit->races->number
             ? slot->clock < visit->floor && (slot->where & FLAG_UNDERWAY) == 0
             : visit->is_shared && !is_of_cluster (visit->races, slot);
}

static inline bool
is_plane_void (const Visit *visit, const Page *page, int plane, uint32_t cell)
{
  return page->planes[plane] == NULL ||
         is_void (visit, &page->planes[plane][cell]);
}

static inline Kind
get_kind (int plane)
{
  return plane == PLANE_WRITE    ? KIND_WRITES
         : plane == PLANE_ATOMIC ? KIND_ATOMICS
                                 : KIND_READS;
}

/* Whether all slots of a kind are void. */
static inline bool
is_kind_void (const Visit *visit, const Page *page, Kind kind)
{
  uint64_t first = (uint64_t) (visit->races->number + 1) << 32;

  if (visit->is_shared)
    return page->latest[kind] < first + visit->floor;
  return page->latest[kind] == 0 || page->latest[kind] - first < visit->floor;
}

/* The access will come to @page. Of shared memory what earlier blocks left is
 * void; blocks of a cluster are told apart slot by slot. */
static inline void
announce (const Visit *visit, Page *page)
{
  uint64_t *latest = &page->latest[get_kind (visit->plane)];
  bool is_mixed = visit->is_shared
                      ? visit->self->is_clustered
                      : *latest != 0 && *latest >> 32 != visit->stamp >> 32;

  *latest = is_mixed ? UINT64_MAX : MAX (*latest, visit->stamp);
}

/* Of three sets of lanes that nothing orders, two of different blocks say most:
 * whether the new one had better replace @first. */
static inline bool
is_third (const Visit *visit, const Slot *first, const Slot *second)
{
  return second->lanes != 0 && get_block (first) == visit->races->number &&
         get_block (second) != visit->races->number;
}

/* Adds @lanes to the sets of one kind of access that nothing orders. */
static inline void
add_to_sets (Visit *visit, Page *page, int plane, uint32_t cell, uint32_t lanes)
{
  Slot *first = &get_plane (page, plane)[cell];
  Slot *second = page->planes[plane + 1];
  Slot slot = visit->slot;
  bool is_first_free;

  slot.lanes = lanes;
  if (is_joinable (&slot, first))
    {
      first->lanes |= lanes;
      return;
    }
  if (second != NULL)
    {
      second += cell;
      if (is_joinable (&slot, second))
        {
          second->lanes |= lanes;
          return;
        }
      if (find_unordered (visit, second, lanes) == 0)
        second->lanes = 0;
    }
  is_first_free = find_unordered (visit, first, lanes) == 0;
  if (is_first_free)
    {
      *first = slot;
      return;
    }
  if (second == NULL)
    second = &get_plane (page, plane + 1)[cell];
  if (is_third (visit, first, second))
    *first = slot;
  else
    *second = slot;
}

/* A write's own entry. */
static void
set_write (Visit *visit,
           Page *page,
           uint32_t cell,
           uint32_t lanes,
           uint32_t offset,
           uint32_t size)
{
  Slot *slot = &get_plane (page, PLANE_WRITE)[cell];

  if (is_at_once (slot, &visit->slot) && slot->where == visit->slot.where)
    slot->lanes |= lanes;
  else
    {
      *slot = visit->slot;
      slot->lanes = lanes;
    }
  if (visit->value_bytes != 0)
    {
      uint32_t *value = &get_values (page)[cell];

      *value = 0;
      if (G_LIKELY (size == 4))
        memcpy (value, visit->value + offset, 4);
      else
        memcpy (value, visit->value + offset, size);
    }
}

/* What lanes from @lane on store, to @n words from @cell on; @at is how far into
 * the first lane's bytes that begins. */
static void
set_values (Visit *visit,
            Page *page,
            uint32_t cell,
            uint32_t lane,
            uint32_t at,
            uint32_t n)
{
  const CuredPtxInst *inst = visit->access->inst;
  const CuredPtxOperand *x = &inst->x[inst->counts[0]];
  uint32_t *values = get_values (page) + cell;

  if (visit->access->width == 4 && x->width == 4)
    {
      if (n == 1)
        memcpy (values, get_operand (visit, x, lane), 4);
      else
        memcpy (values, get_operand (visit, x, lane), (gsize) n << WORD_BITS);
      return;
    }
  get_value (visit, lane);
  for (uint32_t i = 0; i < n; i++)
    {
      if (at == visit->access->width)
        {
          get_value (visit, ++lane);
          at = 0;
        }
      memcpy (values + i, visit->value + at, 4);
      at += 4;
    }
}

/* Whether one lane each has the words.
 * @is_line: @lanes is a line's form */
static inline bool
is_one_lane (uint32_t lanes, bool is_line)
{
  return is_line ? get_folds (lanes) == 0 : (lanes & (lanes - 1)) == 0;
}

/* Whether a slot of the warp is just about lanes that each have a word for
 * themselves, and come after what they did there. */
static inline bool
is_replaceable (const Slot *slot, uint32_t lanes, bool is_line)
{
  return slot->lanes == lanes && is_one_lane (lanes, is_line) &&
         (slot->where & FLAG_UNDERWAY) == 0;
}

/* Whether a slot is void, or is about nobody but those who do the access: it has
 * their lane alone, or a line's lanes in the same form. Where the lanes' vector
 * clocks are the floor, they are ordered after these, and no others. */
static inline bool
is_plainly_before (const Visit *visit,
                   const Page *page,
                   const Slot *slot,
                   uint32_t lanes)
{
  return is_void (visit, slot) ||
         (slot->party == visit->slot.party &&
          is_replaceable (slot, lanes, page->grain == GRAIN_LINE));
}

static inline bool
is_plane_before (const Visit *visit,
                 const Page *page,
                 int plane,
                 uint32_t cell,
                 uint32_t lanes)
{
  return page->planes[plane] == NULL ||
         is_plainly_before (visit, page, &page->planes[plane][cell], lanes);
}

/* What the tightest loops need of a visit: a copy of their own, which stores to
 * slots can't change. */
typedef struct
{
  Slot slot;
  uint32_t first_party; /* of the block */
  uint32_t
      first_mate; /* of those who reach the memory: of the cluster, or all */
  uint32_t n_mates;
  uint32_t floor;
  bool is_plain;
} Stance;

static inline Stance
get_stance (const Visit *visit)
{
  const BlockRaces *races = visit->races;

  return (Stance){
    .slot = visit->slot,
    .first_party = races->number * CURED_WARP_LANES,
    .first_mate = visit->is_shared ? races->first * CURED_WARP_LANES : 0,
    .n_mates =
        visit->is_shared ? races->n_blocks * CURED_WARP_LANES : G_MAXUINT32,
    .floor = visit->floor,
    .is_plain = visit->is_plain,
  };
}

/* Whom a slot is about, of those whom it may say something to. */
typedef enum
{
  SIDE_NONE,
  SIDE_OWN, /* lanes of the same warp */
  SIDE_OTHER,
} Side;

static G_ALWAYS_INLINE inline Side
get_side (const Stance *stance, const Slot *slot)
{
  if (slot->party - stance->first_party >= CURED_WARP_LANES)
    return slot->party - stance->first_mate >= stance->n_mates ||
                   slot->lanes == 0
               ? SIDE_NONE
               : SIDE_OTHER;
  if (slot->lanes == 0 ||
      (slot->clock < stance->floor && (slot->where & FLAG_UNDERWAY) == 0))
    return SIDE_NONE;
  return slot->party == stance->slot.party ? SIDE_OWN : SIDE_OTHER;
}

/* Whether a slot is about another warp of the block. */
static G_ALWAYS_INLINE inline bool
is_of_mate (const Stance *stance, const Slot *slot)
{
  return slot->party - stance->first_party < CURED_WARP_LANES &&
         get_side (stance, slot) == SIDE_OTHER;
}

static G_ALWAYS_INLINE inline bool
join (const Stance *stance, Slot *slot, uint32_t lanes, bool is_line)
{
  if (!is_joinable (&stance->slot, slot) || (is_line && slot->lanes != lanes))
    return false;
  slot->lanes |= lanes;
  return true;
}

/* A read where nothing is to be said of writes. FALSE: that is not all, or a
 * second slot is missing.
 * @second: (nullable):
 * @is_line: @lanes is a line's form
 * @is_quiet: what there is of writes is void */
static G_ALWAYS_INLINE inline bool
read_quickly (const Stance *stance,
              Slot *first,
              Slot *second,
              uint32_t lanes,
              bool is_line,
              bool is_quiet)
{
  Side side;
  Side second_side = SIDE_NONE;

  if (join (stance, first, lanes, is_line))
    return true;
  side = get_side (stance, first);
  if (second != NULL)
    {
      if (join (stance, second, lanes, is_line))
        return true;
      second_side = get_side (stance, second);
    }
  if (!is_quiet || side != SIDE_NONE || second_side != SIDE_NONE)
    {
      if (!stance->is_plain || (side == SIDE_OTHER && second == NULL))
        return false;
      if ((side == SIDE_OWN && !is_replaceable (first, lanes, is_line)) ||
          (second_side == SIDE_OWN && !is_replaceable (second, lanes, is_line)))
        return false;
      /* From here on as add_to_sets () does it for any vector clocks. */
      if (second != NULL && second_side != SIDE_OTHER)
        second->lanes = 0;
      if (side == SIDE_OTHER &&
          (second->lanes == 0 ||
           first->party - stance->first_party >= CURED_WARP_LANES ||
           second->party - stance->first_party < CURED_WARP_LANES))
        first = second;
    }
  *first = stance->slot;
  first->lanes = lanes;
  return true;
}

/* A short cut for nearly all reads and writes: those of what was accessed before
 * a barrier, or read, or accessed by nobody but the same lanes. FALSE: it is not
 * one of them. */
static G_ALWAYS_INLINE inline bool
visit_quickly (Visit *visit, const Held *held, uint32_t cell, uint32_t lanes)
{
  Page *page = held->page;
  bool is_write = visit->plane == PLANE_WRITE;
  bool is_quiet = held->is_quiet;

  if (visit->plane == PLANE_ATOMIC)
    return false;
  if (!is_quiet)
    is_quiet = (is_write || is_plane_void (visit, page, PLANE_WRITE, cell)) &&
               is_plane_void (visit, page, PLANE_ATOMIC, cell) &&
               is_plane_void (visit, page, PLANE_ATOMIC_2, cell) &&
               (!is_write || (is_plane_void (visit, page, PLANE_READ, cell) &&
                              is_plane_void (visit, page, PLANE_READ_2, cell)));
  if (is_write)
    is_quiet = is_quiet && is_plane_void (visit, page, PLANE_WRITE, cell);
  if (!is_quiet)
    {
      if (!visit->is_plain)
        return false;
      for (int i = 0; i < N_PLANES; i++)
        if ((is_write || (i != PLANE_READ && i != PLANE_READ_2)) &&
            !is_plane_before (visit, page, i, cell, lanes))
          return false;
    }
  if (!is_write)
    {
      const Stance stance = get_stance (visit);
      Slot *first = &get_plane (page, PLANE_READ)[cell];
      bool is_line = page->grain == GRAIN_LINE;

      return (page->planes[PLANE_READ_2] == NULL &&
              read_quickly (&stance, first, NULL, lanes, is_line, is_quiet)) ||
             read_quickly (&stance,
                           first,
                           &get_plane (page, PLANE_READ_2)[cell],
                           lanes,
                           is_line,
                           is_quiet);
    }
  if (!is_quiet)
    for (int i = PLANE_READ; i < N_PLANES; i++)
      if (page->planes[i] != NULL)
        page->planes[i][cell].lanes = 0;
  return true;
}

/* One word, or byte, of an access of @lanes: the one at @offset from what each
 * lane accesses. */
static void
visit_slowly (Visit *visit,
              Page *page,
              uint32_t cell,
              uint32_t lanes,
              uint64_t address,
              uint32_t offset,
              uint32_t size)
{
  Slot *write = page->planes[PLANE_WRITE];

  if (write != NULL && write[cell].lanes != 0 &&
      !(visit->plane == PLANE_WRITE && page->values != NULL &&
        stores_the_same (
            visit, &write[cell], page->values[cell], offset, size)))
    check_slot (visit, page, cell, &write[cell], PLANE_WRITE, lanes, address);

  for (int i = PLANE_READ; i < N_PLANES; i++)
    {
      Slot *slot = page->planes[i];
      bool is_read = i == PLANE_READ || i == PLANE_READ_2;

      if (slot == NULL || slot[cell].lanes == 0 ||
          (is_read && visit->plane == PLANE_READ))
        continue;
      slot += cell;
      /* Only a scope can part two atomics. */
      if (!is_read && visit->plane == PLANE_ATOMIC &&
          (((slot->where | visit->slot.where) & FLAG_NARROW) == 0 ||
           get_block (slot) == visit->races->number))
        continue;
      if (check_slot (visit, page, cell, slot, i, lanes, address) &&
          visit->plane != PLANE_READ)
        slot->lanes = 0;
    }

  if (visit->plane == PLANE_WRITE)
    set_write (visit, page, cell, lanes, offset, size);
  else
    add_to_sets (visit, page, visit->plane, cell, lanes);
}

static Page *
find_page (const Visit *visit, uint64_t address, uint64_t *offset)
{
  RaceDetector *self = visit->self;
  const CuredRegion *region = visit->access->region;

  if (visit->is_shared)
    {
      *offset = address;
      return address >> PAGE_BITS < visit->owner->n_pages
                 ? &visit->owner->pages[address >> PAGE_BITS]
                 : NULL;
    }
  if (region == NULL)
    region = _cured_memory_find (self->parent.grid->memory, address);
  if (region == NULL || region->index >= self->n_regions ||
      self->regions[region->index] == NULL)
    return NULL;
  *offset = address - region->address;
  return &self->regions[region->index][*offset >> PAGE_BITS];
}

static inline void
leave_page (const Visit *visit, const Held *held)
{
  if (held->page != NULL && !visit->is_shared)
    g_bit_unlock (&held->page->lock, 0);
}

static inline void
set_quick (const Visit *visit, Held *held)
{
  held->n_quick =
      held->is_quiet && held->page->grain == GRAIN_WORD && visit->is_words
          ? PAGE_BYTES
          : 0;
}

/* Leaves the page that was held for the one of @address. */
static void
enter_page (const Visit *visit, Held *held, uint64_t address)
{
  uint64_t offset = 0;
  Page *page;

  leave_page (visit, held);
  held->n_quick = 0;
  page = held->page = find_page (visit, address, &offset);
  held->first = address - (offset & (PAGE_BYTES - 1));
  if (page == NULL)
    return;
  if (!visit->is_shared)
    g_bit_lock (&page->lock, 0);
  held->is_quiet =
      is_kind_void (visit, page, KIND_ATOMICS) &&
      is_kind_void (
          visit, page, visit->plane == PLANE_READ ? KIND_WRITES : KIND_READS);
  announce (visit, page);
  set_quick (visit, held);
}

static inline bool
hold_page (const Visit *visit, Held *held, uint64_t address)
{
  if (held->page == NULL || address - held->first >= PAGE_BYTES)
    enter_page (visit, held, address);
  return held->page != NULL;
}

/* What stands for the byte at @at of what @lanes access at @address; returns how
 * many bytes that is. */
static uint32_t
visit_cell (
    Visit *visit, Held *held, uint64_t address, uint32_t at, uint32_t lanes)
{
  bool is_one = visit->access->pattern == CURED_PATTERN_SAME ||
                (lanes & (lanes - 1)) == 0;
  uint32_t size = 1u << WORD_BITS;
  uint32_t cell;
  Page *page;

  address += at;
  if (!hold_page (visit, held, address))
    return visit->access->width;
  page = held->page;
  cell = (uint32_t) (address - held->first);
  if (page->grain == GRAIN_LINE)
    page_split (page);
  if (page->grain == GRAIN_WORD &&
      (cell % size != 0 || visit->access->width - at < size))
    page_split (page);
  set_quick (visit, held);
  if (page->grain == GRAIN_WORD)
    cell >>= WORD_BITS;
  else
    size = 1;

  if (visit_quickly (visit, held, cell, lanes))
    {
      if (visit->plane == PLANE_WRITE)
        set_write (visit, page, cell, lanes, at, size);
    }
  else if (is_one)
    visit_slowly (visit, page, cell, lanes, address, at, size);
  else
    for (uint32_t left = lanes; left != 0; left &= left - 1)
      visit_slowly (visit, page, cell, left & -left, address, at, size);
  return size;
}

/* Lanes that follow each other and access one address, or neighbours. */
typedef struct
{
  uint64_t address; /* of the first lane */
  uint32_t lane;
  uint32_t n;     /* lanes */
  uint32_t lanes; /* that have the first word */
  bool is_same;
} Piece;

/* The first piece of the lanes of @left.
 * @copies: what each of them stands for */
static inline Piece
get_piece (const CuredAccess *access, uint32_t left, uint32_t copies)
{
  uint32_t lane = (uint32_t) __builtin_ctz (left);
  uint32_t most = (uint32_t) __builtin_ctzll (~((uint64_t) left >> lane));
  const uint64_t *address = access->address + lane;
  Piece piece = { *address, lane, 1, copies << lane, false };

  if (access->pattern == CURED_PATTERN_CONTIGUOUS)
    piece.n = most;
  else if (most > 1 && address[1] == address[0])
    for (piece.is_same = true; piece.n < most; piece.n++)
      {
        if (address[piece.n] != address[0])
          break;
        piece.lanes |= copies << (lane + piece.n);
      }
  else
    while (piece.n < most &&
           address[piece.n] == address[0] + piece.n * access->width)
      piece.n++;
  return piece;
}

/* Where an access is in a piece. */
typedef struct
{
  uint32_t at;    /* bytes from its begin */
  uint32_t lanes; /* that have these */
  uint32_t left;  /* words until the next lane's */
  uint32_t n;     /* words of a lane */
} Cursor;

static G_ALWAYS_INLINE inline void
step (Cursor *cursor)
{
  cursor->at += 1u << WORD_BITS;
  if (--cursor->left == 0)
    {
      cursor->left = cursor->n;
      cursor->lanes <<= 1;
    }
}

static G_ALWAYS_INLINE inline void
set_slot (const Stance *stance, Slot *slot, uint32_t lanes)
{
  *slot = stance->slot;
  slot->lanes = lanes;
}

/* Reads words of a row of slots, as long as one reason lets all of them pass;
 * at none, read_quickly () has to look at the first one. */
static inline void
read_row (
    const Stance *stance, Slot *slot, Slot *second, uint32_t n, Cursor *cursor)
{
  Slot *end = slot + n;
  Slot *from = slot;
  Cursor c = *cursor;

  /* Nobody read them. */
  if (second == NULL)
    for (; slot < end && get_side (stance, slot) == SIDE_NONE;
         slot++, step (&c))
      set_slot (stance, slot, c.lanes);
  else
    for (; slot < end && get_side (stance, slot) == SIDE_NONE &&
           get_side (stance, second) == SIDE_NONE;
         slot++, second++, step (&c))
      set_slot (stance, slot, c.lanes);
  /* The warp did. */
  if (slot == from)
    for (; slot < end && is_joinable (&stance->slot, slot); slot++, step (&c))
      slot->lanes |= c.lanes;
  if (slot == from && second != NULL)
    for (; slot < end && !is_joinable (&stance->slot, slot) &&
           is_joinable (&stance->slot, second);
         slot++, second++, step (&c))
      second->lanes |= c.lanes;
  /* Others of the block did: the later ones give way. */
  if (slot == from && second != NULL && stance->is_plain)
    for (; slot < end && is_of_mate (stance, slot) &&
           (get_side (stance, second) == SIDE_NONE ||
            is_of_mate (stance, second));
         slot++, second++, step (&c))
      set_slot (stance, second, c.lanes);
  *cursor = c;
}

/* Writes words of a row of slots, as long as they are void. */
static inline void
write_row (const Stance *stance, Slot *slot, uint32_t n, Cursor *cursor)
{
  Slot *end = slot + n;
  Cursor c = *cursor;

  for (; slot < end && get_side (stance, slot) == SIDE_NONE; slot++, step (&c))
    set_slot (stance, slot, c.lanes);
  *cursor = c;
}

/* Does a whole line that a piece has at @lane; FALSE: it needs a look at each
 * word. */
static inline bool
visit_line (Visit *visit,
            const Held *held,
            uint32_t offset,
            uint32_t lane,
            uint32_t form)
{
  uint32_t cell = offset >> LINE_BITS;

  if (!visit_quickly (visit, held, cell, form))
    return false;
  if (visit->plane == PLANE_WRITE)
    {
      Slot *slot = &get_plane (held->page, PLANE_WRITE)[cell];

      *slot = visit->slot;
      slot->lanes = form;
      if (visit->value_bytes != 0)
        set_values (
            visit, held->page, offset >> WORD_BITS, lane, 0, LINE_WORDS);
    }
  return true;
}

static void
visit_piece (Visit *visit,
             Held *held,
             const Stance *stance,
             const Piece *piece,
             uint32_t folds)
{
  uint32_t width = visit->access->width;
  uint32_t shift = (uint32_t) __builtin_ctz (width);
  uint32_t size = piece->is_same ? width : width * piece->n;
  bool may_be_lines =
      !piece->is_same && visit->access->kind != CURED_ACCESS_COPY;
  Cursor cursor = { .lanes = piece->lanes,
                    .left = width >> WORD_BITS,
                    .n = width >> WORD_BITS };

  while (cursor.at < size)
    {
      uint32_t at = cursor.at;
      uint32_t at_lane = at & (width - 1);
      uint32_t lane = piece->lane + (at >> shift);
      uint32_t offset;

      if (!hold_page (visit, held, piece->address + at))
        {
          step (&cursor);
          continue;
        }
      offset = (uint32_t) (piece->address + at - held->first);
      if (may_be_lines && held->page->grain == GRAIN_LINE &&
          offset % LINE_BYTES == 0 && size - at >= LINE_BYTES &&
          visit_line (visit,
                      held,
                      offset,
                      lane,
                      get_form (lane, shift - WORD_BITS, folds)))
        {
          cursor.at += LINE_BYTES;
          cursor.lanes <<= LINE_BYTES >> shift;
          continue;
        }
      if (offset < held->n_quick)
        {
          uint32_t cell = offset >> WORD_BITS;
          uint32_t n = MIN (size - at, held->n_quick - offset) >> WORD_BITS;
          Slot *second = held->page->planes[PLANE_READ_2];

          if (visit->plane == PLANE_WRITE)
            write_row (
                stance, get_plane (held->page, PLANE_WRITE) + cell, n, &cursor);
          else
            read_row (stance,
                      get_plane (held->page, PLANE_READ) + cell,
                      second != NULL ? second + cell : NULL,
                      n,
                      &cursor);
          if (cursor.at > at)
            {
              if (visit->value_bytes != 0)
                set_values (visit,
                            held->page,
                            cell,
                            lane,
                            at_lane,
                            (cursor.at - at) >> WORD_BITS);
              continue;
            }
        }
      if (visit->value_bytes != 0)
        get_value (visit, lane);
      for (uint32_t done = 0; done < 1u << WORD_BITS;)
        done += visit_cell (visit,
                            held,
                            piece->address + (at - at_lane),
                            at_lane + done,
                            cursor.lanes);
      step (&cursor);
    }
}

/* A piece of one word, of a page whose words are quiet; FALSE: it is not. */
static G_ALWAYS_INLINE inline bool
visit_one (Visit *visit,
           const Held *held,
           const Stance *stance,
           const Piece *piece)
{
  uint64_t offset = piece->address - held->first;
  uint32_t cell = (uint32_t) offset >> WORD_BITS;
  Page *page = held->page;
  Slot *slot;

  if (offset >= held->n_quick || visit->access->width != 1u << WORD_BITS ||
      (piece->n > 1 && !piece->is_same))
    return false;
  slot = get_plane (page, visit->plane) + cell;
  if (visit->plane == PLANE_READ)
    return read_quickly (stance,
                         slot,
                         page->planes[PLANE_READ_2] != NULL
                             ? page->planes[PLANE_READ_2] + cell
                             : NULL,
                         piece->lanes,
                         false,
                         true);
  if (get_side (stance, slot) != SIDE_NONE)
    return false;
  set_slot (stance, slot, piece->lanes);
  if (visit->value_bytes != 0)
    set_values (visit, page, cell, piece->lane, 0, 1);
  return true;
}

/* An access of whole words. Reads of one address are one visit; a store's lanes
 * may not agree there. */
static void
visit_words (Visit *visit, Held *held)
{
  const CuredAccess *access = visit->access;
  const Stance stance = get_stance (visit);
  bool is_read = visit->plane == PLANE_READ;
  uint32_t folds = is_read ? access->folds : 0;
  uint32_t left = access->mask;

  if (is_read && access->pattern == CURED_PATTERN_SAME)
    {
      Piece piece = { access->address[__builtin_ctz (left)], 0, 1, left, true };

      if (!visit_one (visit, held, &stance, &piece))
        visit_piece (visit, held, &stance, &piece, 0);
      return;
    }
  if (folds > 0)
    left >>= CURED_WARP_LANES - (CURED_WARP_LANES >> folds);
  while (left != 0)
    {
      Piece piece = get_piece (access, left, get_copies (folds));

      if (piece.is_same && !is_read)
        piece = (Piece){ piece.address, piece.lane, 1, 1u << piece.lane, true };
      if (!visit_one (visit, held, &stance, &piece))
        visit_piece (visit, held, &stance, &piece, folds);
      left &= ~(G_MAXUINT32 >> (CURED_WARP_LANES - piece.n) << piece.lane);
    }
}

/* Each lane on its own.
 * @loose: those that have a lock without a fence */
static void
visit_lanes (Visit *visit, Held *held, uint32_t loose)
{
  const CuredAccess *access = visit->access;
  uint32_t where = visit->slot.where;

  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);

      if (visit->value_bytes != 0)
        get_value (visit, lane);
      visit->slot.where = where | ((loose >> lane & 1) != 0 ? FLAG_LOOSE : 0);
      for (uint32_t at = 0; at < access->width;)
        at += visit_cell (visit, held, access->address[lane], at, 1u << lane);
    }
}

/* ---- The observer's functions ---- */

static void
block_begin (CuredObserver *observer, void *data, CuredBlock *block)
{
  RaceDetector *self = (RaceDetector *) observer;
  State *state = data;
  const CuredCluster *cluster = block->cluster;
  const BlockRaces *first =
      block->rank == 0
          ? NULL
          : ((State *) cluster->blocks[0]->states[observer->index])->races;
  BlockRaces *races = NULL;
  uint32_t number;

  g_mutex_lock (&self->mutex);
  if (block->rank == 0)
    {
      number = self->blocks->len;
      if (number < MAX_BLOCKS)
        g_array_set_size (self->blocks, number + cluster->n_blocks);
    }
  else
    number = first != NULL ? first->number + block->rank : MAX_BLOCKS;
  if (number < MAX_BLOCKS)
    {
      g_array_index (self->blocks, guint64, number) = block->index;
      if (self->spares->len > 0)
        races =
            g_ptr_array_steal_index_fast (self->spares, self->spares->len - 1);
    }
  g_mutex_unlock (&self->mutex);
  if (number >= MAX_BLOCKS)
    return;
  if (races == NULL)
    {
      races = g_new0 (BlockRaces, 1);
      races->pages = g_new0 (Page, self->n_shared_pages);
      races->n_pages = self->n_shared_pages;
    }
  races->number = number;
  races->first = number - block->rank;
  races->n_blocks = cluster->n_blocks;
  if (races->remotes != NULL)
    g_array_set_size (races->remotes, 0);
  if (races->n_blocks > 1 && races->met == NULL)
    races->met = g_new0 (uint32_t, CURED_ORDER_WARPS * CURED_MAX_CLUSTER);
  else if (races->n_blocks > 1)
    memset (races->met,
            0,
            CURED_ORDER_WARPS * CURED_MAX_CLUSTER * sizeof *races->met);
  races->order = _cured_block_order_new (self->order, number, block->n_warps);
  for (uint32_t w = 0; w < block->n_warps; w++)
    if (races->copies[w] != NULL)
      g_array_set_size (races->copies[w], 0);
  memset (races->groups, 0, block->n_warps * sizeof races->groups[0]);
  memset (races->bulk_groups, 0, block->n_warps * sizeof races->groups[0]);
  memset (races->product_groups, 0, block->n_warps * sizeof races->groups[0]);
  if (self->has_bulk && races->dirty == NULL)
    races->dirty = g_new0 (uint8_t, races->n_pages * PAGE_DIRTY);
  else if (self->has_bulk)
    memset (races->dirty, 0, (gsize) races->n_pages * PAGE_DIRTY);
  g_clear_pointer (&races->locks, g_free);
  races->has_told_of_copies = false;
  state->races = races;
}

static int
get_access_plane (CuredAccessKind kind)
{
  switch (kind)
    {
    case CURED_ACCESS_LOAD:
    case CURED_ACCESS_LDMATRIX:
      return PLANE_READ;
    case CURED_ACCESS_ATOMIC:
    case CURED_ACCESS_REDUCTION:
      return PLANE_ATOMIC;
    case CURED_ACCESS_STORE:
    case CURED_ACCESS_STMATRIX:
    case CURED_ACCESS_COPY:
    default:
      return PLANE_WRITE;
    }
}

static Slot *
get_slot (Page *page, int plane, uint64_t address)
{
  if (page->grain == GRAIN_LINE)
    page_split (page);
  return page->planes[plane] == NULL
             ? NULL
             : page->planes[plane] +
                   ((address & (PAGE_BYTES - 1)) >> get_grain_bits (page));
}

/* A copy, which is over, becomes an access that is @to's, but for what is
 * accessed: @races's shared memory. */
static void
finish_copy (BlockRaces *races, const Copy *copy, const Slot *to)
{
  int plane = copy->kind >= COPY_OUT ? PLANE_READ : PLANE_WRITE;
  int last = copy->kind >= COPY_OUT ? PLANE_READ_2 : PLANE_WRITE;

  for (uint64_t at = copy->address; at < copy->address + copy->width;)
    {
      Page *page = &races->pages[at >> PAGE_BITS];

      for (int i = plane; i <= last; i++)
        {
          Slot *slot = get_slot (page, i, at);

          if (slot == NULL || (slot->where & FLAG_UNDERWAY) == 0 ||
              slot->party != copy->party || slot->lanes != 1u << copy->lane)
            continue;
          slot->where &= ~(uint32_t) FLAG_UNDERWAY;
          slot->clock = to->clock;
          slot->party = to->party;
          slot->lanes = to->lanes;
        }
      at += 1u << get_grain_bits (page);
    }
}

/* Of the copies of @mask to or from shared memory, those that are waited for
 * become accesses of their threads. */
static void
finish_copies (
    BlockRaces *races, uint32_t warp, uint32_t mask, CopyKind kind, int left)
{
  GArray *copies = races->copies[warp];
  const uint32_t *groups = kind == COPY_PRODUCT ? races->product_groups[warp]
                           : kind == COPY_OUT   ? races->bulk_groups[warp]
                                                : races->groups[warp];
  uint32_t clock = races->order->clocks[warp];
  guint n_kept = 0;

  if (copies == NULL)
    return;
  for (guint i = 0; i < copies->len; i++)
    {
      const Copy *copy = &g_array_index (copies, Copy, i);

      Slot to = {
        races->number * CURED_WARP_LANES + warp, clock, 1u << copy->lane, 0
      };

      if (copy->kind != kind || (mask >> copy->lane & 1) == 0 ||
          (left >= 0 &&
           (gint64) copy->group + left >= (gint64) groups[copy->lane]))
        g_array_index (copies, Copy, n_kept++) = *copy;
      else
        finish_copy (races, copy, &to);
    }
  g_array_set_size (copies, n_kept);
}

/* Lanes of @mask look at barriers. Bulk copies that a phase which is over waited
 * for are there: the first of who sees that becomes who wrote. */
static void
deliver (Visit *visit)
{
  BlockRaces *races = visit->races;
  const CuredAccess *access = visit->access;
  uint32_t lane = (uint32_t) __builtin_ctz (access->mask);
  Slot to = { visit->slot.party, visit->slot.clock, 1u << lane, 0 };
  uint64_t barrier;
  bool is_any = false;

  if (access->space != CURED_SPACE_SHARED || access->owner != NULL)
    return;
  memcpy (&barrier,
          visit->warp->block->shared + access->address[lane],
          sizeof barrier);
  for (uint32_t w = 0; w < visit->warp->block->n_warps; w++)
    {
      GArray *copies = races->copies[w];
      guint n_kept = 0;

      for (guint i = 0; copies != NULL && i < copies->len; i++)
        {
          const Copy *copy = &g_array_index (copies, Copy, i);

          if (copy->kind != COPY_IN || copy->barrier != access->address[lane] ||
              copy->phase == cured_mbarrier_get_phase (barrier))
            {
              g_array_index (copies, Copy, n_kept++) = *copy;
              continue;
            }
          finish_copy (races, copy, &to);
          is_any = true;
        }
      if (copies != NULL)
        g_array_set_size (copies, n_kept);
    }
  if (is_any)
    {
      uint64_t keys[CURED_WARP_LANES];
      CuredSpace space = get_keys (visit, access->address, keys);

      _cured_block_order_release (races->order,
                                  visit->warp->index,
                                  1u << lane,
                                  space,
                                  keys,
                                  true,
                                  true);
    }
}

/* ---- What the asynchronous proxy does not see yet ---- */

static void
mark_dirty (BlockRaces *races, const CuredAccess *access)
{
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint64_t first = access->address[__builtin_ctz (left)];

      for (uint64_t word = first >> WORD_BITS;
           word <= (first + access->width - 1) >> WORD_BITS;
           word++)
        races->dirty[word / 8] |= (uint8_t) (1u << word % 8);
    }
}

/* A bulk copy overwrites what was stored. */
static void
clear_dirty (BlockRaces *races, uint64_t address, uint32_t width)
{
  for (uint64_t word = address >> WORD_BITS;
       word <= (address + width - 1) >> WORD_BITS;
       word++)
    races->dirty[word / 8] &= (uint8_t) ~(1u << word % 8);
}

/* A fence.proxy.async of @mask: what these lanes stored, or come after, may be
 * seen. */
static void
fence_dirty (BlockRaces *races, uint32_t warp, uint32_t mask)
{
  const CuredBlockOrder *order = races->order;
  uint32_t thread = warp * CURED_WARP_LANES + (uint32_t) __builtin_ctz (mask);

  for (uint32_t word = 0; word < races->n_pages * PAGE_DIRTY * 8; word++)
    {
      const Slot *slot;

      if (word % 8 == 0 && races->dirty[word / 8] == 0)
        {
          word += 7;
          continue;
        }
      if ((races->dirty[word / 8] >> word % 8 & 1) == 0)
        continue;
      slot = get_slot (&races->pages[(uint64_t) word << WORD_BITS >> PAGE_BITS],
                       PLANE_WRITE,
                       (uint64_t) word << WORD_BITS);
      if (slot == NULL || slot->clock < order->floor ||
          slot->party / CURED_WARP_LANES != races->number ||
          (slot->party % CURED_WARP_LANES == warp &&
           (slot->lanes & ~mask) == 0) ||
          _cured_block_order_knows (order,
                                    thread,
                                    slot->party % CURED_WARP_LANES,
                                    slot->lanes,
                                    slot->clock))
        races->dirty[word / 8] &= (uint8_t) ~(1u << word % 8);
    }
}

/* A bulk copy reads @width bytes at @address. */
static void
check_dirty (Visit *visit, uint64_t address, uint32_t width, uint32_t lanes)
{
  BlockRaces *races = visit->owner;

  for (uint64_t word = address >> WORD_BITS;
       word <= (address + width - 1) >> WORD_BITS;
       word++)
    {
      const Slot *slot;

      if ((races->dirty[word / 8] >> word % 8 & 1) == 0)
        continue;
      slot = get_slot (&races->pages[word << WORD_BITS >> PAGE_BITS],
                       PLANE_WRITE,
                       word << WORD_BITS);
      if (slot != NULL && slot->lanes != 0 && is_of_cluster (races, slot) &&
          find_unordered (visit, slot, lanes) == 0)
        add_conflict (
            visit, slot, PLANE_WRITE, REASON_PROXY, lanes, word << WORD_BITS);
    }
}

/* A part of a bulk copy: by one lane, whatever the access says. */
static void
visit_bulk (Visit *visit, Held *held)
{
  BlockRaces *races = visit->races;
  const CuredAccess *access = visit->access;
  const CuredBulk *bulk = access->bulk;
  uint32_t warp = visit->warp->index;
  bool is_in = visit->is_shared && access->kind != CURED_ACCESS_LOAD;
  bool is_product = access->inst->op == CURED_PTX_OP_wgmma;
  bool is_out = visit->is_shared && access->kind == CURED_ACCESS_LOAD &&
                bulk->barrier == UINT64_MAX;

  if (is_in || is_out)
    {
      visit->slot.where |= FLAG_UNDERWAY;
      visit->plane = is_in ? PLANE_WRITE : PLANE_READ;
    }
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint64_t address = access->address[__builtin_ctz (left)];
      Copy copy = { .address = address,
                    .barrier = bulk->barrier,
                    .phase = bulk->phase,
                    .width = access->width,
                    .party = visit->slot.party,
                    .lane = bulk->lane,
                    .group = is_product
                                 ? races->product_groups[warp][bulk->lane]
                                 : races->bulk_groups[warp][bulk->lane],
                    .kind = is_product ? COPY_PRODUCT
                            : is_in    ? COPY_IN
                                       : COPY_OUT };

      if (visit->is_shared && !is_in)
        check_dirty (visit, address, access->width, 1u << bulk->lane);
      for (uint32_t at = 0; at < access->width;)
        at += visit_cell (visit, held, address, at, 1u << bulk->lane);
      if (is_in)
        clear_dirty (visit->owner, address, access->width);
      if (!is_in && !is_out)
        continue;
      if (visit->owner->copies[warp] == NULL)
        visit->owner->copies[warp] = g_array_new (FALSE, FALSE, sizeof (Copy));
      g_array_append_val (visit->owner->copies[warp], copy);
    }
}

/* ---- Locks ---- */

static guint
loose_hash (gconstpointer key)
{
  const Loose *loose = key;

  return (guint) (loose->address ^ loose->address >> 32) * 31 +
         loose->party * 33 + loose->lane;
}

static gboolean
loose_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Loose)) == 0;
}

/* A fence or a barrier of @mask. */
static void
tighten_locks (BlockRaces *races, uint32_t warp, uint32_t mask, Level level)
{
  if (races->locks == NULL)
    return;
  for (; mask != 0; mask &= mask - 1)
    {
      Lock *lock = &races->locks[warp * CURED_WARP_LANES +
                                 (uint32_t) __builtin_ctz (mask)];

      if (lock->level != LEVEL_FREE)
        lock->level = MAX (lock->level, level);
    }
}

/* What the lanes that have a lock without a fence do now is noted.
 *
 * Returns: these */
static uint32_t
note_loose (Visit *visit)
{
  RaceDetector *self = visit->self;
  uint32_t loose = 0;

  if (G_LIKELY (visit->races->locks == NULL))
    return 0;
  for (uint32_t left = visit->access->mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      const Lock *lock =
          &visit->races->locks[visit->warp->index * CURED_WARP_LANES + lane];
      Loose key = { lock->address, visit->slot.party, lane };
      guint level;

      if (lock->level == LEVEL_FREE || lock->level == LEVEL_TIGHT ||
          visit->access->address[lane] == lock->address)
        continue;
      loose |= 1u << lane;
      g_mutex_lock (&self->mutex);
      level = GPOINTER_TO_UINT (g_hash_table_lookup (self->loose, &key));
      if ((level == LEVEL_FREE || level > lock->level) &&
          g_hash_table_size (self->loose) < MAX_LOOSE)
        g_hash_table_insert (self->loose,
                             g_memdup2 (&key, sizeof key),
                             GUINT_TO_POINTER (lock->level));
      g_mutex_unlock (&self->mutex);
    }
  return loose;
}

/* Locks that the access takes or gives back. */
static void
update_locks (const Visit *visit, uint32_t roles)
{
  BlockRaces *races = visit->races;
  const CuredAccess *access = visit->access;
  bool is_narrow = (visit->slot.where & FLAG_NARROW) != 0;

  if ((roles & ROLE_LOCKS) != 0 && races->locks == NULL)
    races->locks =
        g_new0 (Lock, visit->warp->block->n_warps * CURED_WARP_LANES);
  if (races->locks == NULL)
    return;
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      Lock *lock = &races->locks[visit->warp->index * CURED_WARP_LANES + lane];

      if ((roles & ROLE_LOCKS) != 0)
        *lock = (Lock){ access->address[lane],
                        access->space,
                        (roles & ROLE_ACQUIRES) == 0 ? LEVEL_LOOSE
                        : is_narrow                  ? LEVEL_BLOCK
                                                     : LEVEL_TIGHT };
      else if ((roles & ROLE_CARRIES) != 0 &&
               lock->address == access->address[lane])
        lock->level = LEVEL_FREE;
    }
}

/* ---- Blocks of the cluster that may not be there ---- */

/* The access goes to another block of the cluster: has that one begun? And when
 * it ends, it will be asked whether it came after this. */
static void
visit_remote (Visit *visit)
{
  BlockRaces *races = visit->races;
  BlockRaces *owner = visit->owner;
  const CuredAccess *access = visit->access;
  uint32_t mask =
      access->bulk != NULL ? 1u << access->bulk->lane : access->mask;
  uint32_t *met = &races->met[visit->warp->index * CURED_MAX_CLUSTER +
                              (owner->number - owner->first)];
  uint32_t early = 0;
  Remote *remote = NULL;

  for (uint32_t left = mask & ~*met; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);

      if (_cured_block_order_knows_foreign (
              races->order,
              visit->warp->index * CURED_WARP_LANES + lane,
              owner->number,
              0,
              1,
              0,
              false))
        *met |= 1u << lane;
      else
        early |= 1u << lane;
    }
  if (early != 0)
    {
      CuredWitness here = _cured_warp_witness (
          visit->warp, access->inst, early, _cured_access_what (access->kind));

      _cured_grid_report (visit->self->parent.grid,
                          CURED_FINDING_ABSENT_BLOCK,
                          &here,
                          NULL,
                          access->space,
                          access->address[__builtin_ctz (access->mask)],
                          _ ("block %u of the cluster may not have begun: a "
                             "barrier of the cluster has to come first"),
                          owner->number - owner->first);
      *met |= early;
    }

  if (owner->remotes == NULL)
    owner->remotes = g_array_new (FALSE, TRUE, sizeof (Remote));
  for (guint i = 0; i < owner->remotes->len && remote == NULL; i++)
    if (g_array_index (owner->remotes, Remote, i).party == visit->slot.party)
      remote = &g_array_index (owner->remotes, Remote, i);
  if (remote == NULL)
    {
      g_array_set_size (owner->remotes, owner->remotes->len + 1);
      remote = &g_array_index (owner->remotes, Remote, owner->remotes->len - 1);
      memset (remote, 0, sizeof *remote);
      remote->party = visit->slot.party;
    }
  for (uint32_t left = mask; left != 0; left &= left - 1)
    remote->clocks[__builtin_ctz (left)] = visit->slot.clock;
  /* What is under way is over when the block's own barrier says so. */
  if (access->bulk != NULL)
    for (uint32_t left = mask; left != 0; left &= left - 1)
      remote->clocks[__builtin_ctz (left)] = 0;
  remote->site = access->inst->site;
  remote->address = access->address[__builtin_ctz (access->mask)];
  remote->what = _cured_access_what (access->kind);
}

/* Whether a thread of the block comes after what @lane of another block's warp
 * did: then the block ended after that, too. */
static bool
has_outlived (const BlockRaces *races, const Remote *remote, uint32_t lane)
{
  const CuredBlockOrder *order = races->order;

  for (uint32_t t = 0; t < order->n_warps * CURED_WARP_LANES; t++)
    if ((t == 0 || order->known[t] != NULL) &&
        _cured_block_order_knows_foreign (order,
                                          t,
                                          remote->party / CURED_WARP_LANES,
                                          remote->party % CURED_WARP_LANES,
                                          1u << lane,
                                          remote->clocks[lane],
                                          false))
      return true;
  return false;
}

static void
report_remotes (RaceDetector *self, BlockRaces *races, const CuredBlock *block)
{
  for (uint32_t w = 0; w < block->n_warps; w++)
    _cured_block_order_settle (races->order, w);
  for (guint i = 0; races->remotes != NULL && i < races->remotes->len; i++)
    {
      const Remote *remote = &g_array_index (races->remotes, Remote, i);
      CuredWitness here = {
        .inst = &self->parent.grid->module->code[remote->site],
        .what = remote->what,
        .warp = remote->party % CURED_WARP_LANES,
      };
      CuredWitness there = {
        .what = NC_ ("in a finding", "exit"),
        .block = block->index,
        .lanes = cured_get_threads (block, 0),
      };
      uint32_t last = 0;
      bool is_over = false;

      /* Lanes that did it at once are asked for once. */
      for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
        {
          if (remote->clocks[l] == 0)
            continue;
          if (remote->clocks[l] != last)
            is_over = has_outlived (races, remote, l);
          last = remote->clocks[l];
          if (!is_over)
            here.lanes |= 1u << l;
        }
      if (here.lanes == 0)
        continue;
      here.block = get_block_index (self, remote->party / CURED_WARP_LANES);
      _cured_grid_report (
          self->parent.grid,
          CURED_FINDING_ABSENT_BLOCK,
          &here,
          &there,
          CURED_SPACE_SHARED,
          remote->address,
          _ ("block %u of the cluster may have ended: a barrier "
             "of the cluster has to come before its end"),
          races->number - races->first);
    }
}

static void
watch_access (CuredObserver *observer,
              void *data,
              CuredWarp *warp,
              const CuredAccess *access)
{
  State *state = data;
  RaceDetector *self = (RaceDetector *) observer;
  BlockRaces *races = state->races;
  uint32_t site = access->inst->site;
  uint32_t flags;
  uint32_t roles;
  uint32_t loose;
  uint64_t keys[CURED_WARP_LANES];
  CuredSpace space;
  Visit visit;
  Held held = { 0 };

  if (races == NULL || access->space == CURED_SPACE_LOCAL)
    return;
  flags = self->flags[site];
  roles = self->roles[site];
  if (access->kind == CURED_ACCESS_COPY && access->bulk == NULL)
    flags = FLAG_UNDERWAY;
  _cured_block_order_settle (races->order, warp->index);

  visit.self = self;
  visit.races = races;
  visit.owner = access->owner == NULL
                    ? races
                    : ((State *) access->owner->states[observer->index])->races;
  visit.warp = warp;
  visit.access = access;
  visit.plane = get_access_plane (access->kind);
  visit.floor = races->order->floor;
  visit.is_shared = access->space == CURED_SPACE_SHARED;
  visit.is_plain =
      races->locks == NULL &&
      _cured_block_order_is_plain (races->order, warp->index, access->mask);
  visit.slot.party = races->number * CURED_WARP_LANES + warp->index;
  visit.slot.clock = races->order->clocks[warp->index];
  visit.slot.where = site << FLAG_BITS | flags;
  visit.stamp =
      (uint64_t) (races->number + 1) << 32 |
      ((flags & FLAG_UNDERWAY) != 0 || access->bulk != NULL ? G_MAXUINT32
                                                            : visit.slot.clock);
  visit.value_bytes = get_value_bytes (access);
  visit.n_conflicts = 0;
  loose = access->bulk == NULL ? note_loose (&visit) : 0;
  visit.is_words =
      loose == 0 && visit.plane != PLANE_ATOMIC &&
      (access->width == 4 || access->width == 8 || access->width == 16) &&
      access->address[__builtin_ctz (access->mask)] % 4 == 0;
  if (G_UNLIKELY (visit.owner != races))
    visit_remote (&visit);
  if (access->bulk != NULL)
    visit_bulk (&visit, &held);
  else if (visit.is_words)
    visit_words (&visit, &held);
  else
    visit_lanes (&visit, &held, loose);
  leave_page (&visit, &held);

  if (races->dirty != NULL && visit.is_shared && access->bulk == NULL &&
      visit.plane == PLANE_WRITE)
    mark_dirty (visit.owner, access);
  if (races->dirty != NULL && (roles & ROLE_ACQUIRES) != 0 &&
      access->inst->op != CURED_PTX_OP_ld)
    deliver (&visit);
  if (access->kind == CURED_ACCESS_COPY && access->bulk == NULL)
    {
      if (races->copies[warp->index] == NULL)
        races->copies[warp->index] = g_array_new (FALSE, FALSE, sizeof (Copy));
      for (uint32_t left = access->mask; left != 0; left &= left - 1)
        {
          uint32_t lane = (uint32_t) __builtin_ctz (left);
          Copy copy = { .address = access->address[lane],
                        .width = access->width,
                        .party = visit.slot.party,
                        .lane = lane,
                        .group = races->groups[warp->index][lane],
                        .kind = COPY_ASYNC };

          g_array_append_val (races->copies[warp->index], copy);
        }
    }
  /* The barrier is told when the copies are there. */
  if (access->inst->op == CURED_PTX_OP_cp_async_mbarrier)
    finish_copies (
        races, warp->index, access->mask, COPY_ASYNC, CURED_COPIES_NONE);
  if (roles == 0)
    goto out;
  space = get_keys (&visit, access->address, keys);
  if ((roles & (ROLE_CARRIES | ROLE_RELEASES)) != 0)
    _cured_block_order_release (races->order,
                                warp->index,
                                access->mask,
                                space,
                                keys,
                                (flags & FLAG_NARROW) == 0,
                                (roles & ROLE_RELEASES) != 0);
  if ((roles & (ROLE_READS | ROLE_ACQUIRES)) != 0)
    _cured_block_order_acquire (races->order,
                                warp->index,
                                access->mask,
                                space,
                                keys,
                                (flags & FLAG_NARROW) == 0,
                                (roles & ROLE_ACQUIRES) != 0);
  if ((roles & (ROLE_LOCKS | ROLE_CARRIES)) != 0)
    update_locks (&visit, roles);
out:
  for (uint32_t i = 0; i < visit.n_conflicts; i++)
    report (&visit, &visit.conflicts[i]);
}

static void
barrier (CuredObserver *observer,
         void *data,
         CuredBlock *block,
         uint32_t index,
         const uint32_t *lanes)
{
  State *state = data;
  bool is_all = true;

  if (state->races == NULL)
    return;
  for (uint32_t w = 0; w < block->n_warps; w++)
    {
      is_all = is_all && (block->warps[w].alive & ~lanes[w]) == 0;
      tighten_locks (state->races, w, lanes[w], LEVEL_TIGHT);
    }
  if (is_all)
    _cured_block_order_join_all (state->races->order);
  else
    _cured_block_order_join (state->races->order, lanes, index);
}

static void
arrive (CuredObserver *observer,
        void *data,
        CuredWarp *warp,
        uint32_t mask,
        uint32_t index)
{
  State *state = data;

  if (state->races != NULL)
    _cured_block_order_arrive (state->races->order, warp->index, mask, index);
}

static void
cluster_arrive (CuredObserver *observer,
                void *data,
                CuredWarp *warp,
                uint32_t mask,
                bool is_release)
{
  State *state = data;

  if (state->races != NULL)
    _cured_block_order_cluster_arrive (
        state->races->order, warp->index, mask, is_release);
}

static void
cluster_done (CuredObserver *observer, void *data, CuredBlock *block)
{
  State *state = data;

  if (state->races != NULL)
    _cured_block_order_cluster_done (state->races->order, state->races->first);
}

static void
cluster_wait (CuredObserver *observer,
              void *data,
              CuredBlock *block,
              const uint32_t *lanes)
{
  State *state = data;
  bool is_all = true;

  if (state->races == NULL)
    return;
  for (uint32_t w = 0; w < block->n_warps; w++)
    {
      is_all = is_all && (block->warps[w].alive & ~lanes[w]) == 0;
      tighten_locks (state->races, w, lanes[w], LEVEL_TIGHT);
    }
  _cured_block_order_cluster_wait (
      state->races->order, state->races->first, lanes, is_all);
}

static void
warp_sync (CuredObserver *observer, void *data, CuredWarp *warp, uint32_t mask)
{
  State *state = data;

  if (state->races == NULL || (mask & (mask - 1)) == 0)
    return;
  tighten_locks (state->races, warp->index, mask, LEVEL_TIGHT);
  _cured_block_order_join_warp (state->races->order, warp->index, mask);
}

static void
fence (CuredObserver *observer,
       void *data,
       CuredWarp *warp,
       const CuredPtxInst *inst,
       uint32_t mask,
       CuredPtxWord scope,
       CuredPtxWord order)
{
  State *state = data;
  bool is_wide = scope != CURED_PTX_SCOPE_CTA &&
                 (scope != CURED_PTX_SCOPE_CLUSTER ||
                  ((RaceDetector *) observer)->is_clustered);

  if (state->races != NULL && inst->op == CURED_PTX_OP_fence_proxy &&
      state->races->dirty != NULL &&
      inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_GLOBAL)
    fence_dirty (state->races, warp->index, mask);
  /* The order of an access comes with the access. */
  if (state->races == NULL ||
      (inst->op != CURED_PTX_OP_membar && inst->op != CURED_PTX_OP_fence))
    return;
  _cured_block_order_fence (state->races->order,
                            warp->index,
                            mask,
                            is_wide,
                            order != CURED_PTX_ORDER_ACQUIRE,
                            order != CURED_PTX_ORDER_RELEASE);
  if (order != CURED_PTX_ORDER_RELEASE)
    tighten_locks (
        state->races, warp->index, mask, is_wide ? LEVEL_TIGHT : LEVEL_BLOCK);
}

static void
copies (CuredObserver *observer,
        void *data,
        CuredWarp *warp,
        uint32_t mask,
        int left)
{
  State *state = data;

  if (state->races == NULL)
    return;
  _cured_block_order_settle (state->races->order, warp->index);
  if (left == CURED_COPIES_COMMIT)
    for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1)
      state->races->groups[warp->index][__builtin_ctz (lanes)]++;
  else
    finish_copies (state->races, warp->index, mask, COPY_ASYNC, left);
}

static void
bulk_copies (CuredObserver *observer,
             void *data,
             CuredWarp *warp,
             uint32_t mask,
             int left)
{
  State *state = data;

  if (state->races == NULL)
    return;
  _cured_block_order_settle (state->races->order, warp->index);
  if (left == CURED_COPIES_COMMIT)
    for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1)
      state->races->bulk_groups[warp->index][__builtin_ctz (lanes)]++;
  else
    finish_copies (state->races, warp->index, mask, COPY_OUT, left);
}

static void
products (CuredObserver *observer,
          void *data,
          CuredWarp *warp,
          uint32_t mask,
          int left)
{
  State *state = data;

  if (state->races == NULL)
    return;
  _cured_block_order_settle (state->races->order, warp->index);
  /* Lane 0 stands for the warp. */
  if (left == CURED_COPIES_COMMIT)
    state->races->product_groups[warp->index][0]++;
  else
    finish_copies (state->races, warp->index, 1, COPY_PRODUCT, left);
}

/* The site of a copy that is still under way; NO_SITE: it is not. */
static uint32_t
get_copy_site (const BlockRaces *races, const Copy *copy)
{
  int plane = copy->kind >= COPY_OUT ? PLANE_READ : PLANE_WRITE;
  int last = copy->kind >= COPY_OUT ? PLANE_READ_2 : PLANE_WRITE;

  for (; plane <= last; plane++)
    {
      const Slot *slot = get_slot (
          &races->pages[copy->address >> PAGE_BITS], plane, copy->address);

      if (slot != NULL && (slot->where & FLAG_UNDERWAY) != 0 &&
          slot->party == copy->party)
        return slot->where >> FLAG_BITS;
    }
  return NO_SITE;
}

/* Copies that the warp's threads ended without waiting for. */
static void
report_copies (const RaceDetector *self,
               const BlockRaces *races,
               const CuredBlock *block,
               uint32_t warp)
{
  const GArray *copies = races->has_told_of_copies ? NULL : races->copies[warp];
  const Copy *copy;

  for (guint i = 0; copies != NULL && i < copies->len; i++)
    {
      uint32_t site;
      uint64_t address;
      CopyKind kind;
      CuredWitness here = { .what = _cured_access_what (CURED_ACCESS_COPY),
                            .block = block->index,
                            .warp = warp };

      copy = &g_array_index (copies, Copy, i);
      address = copy->address;
      kind = copy->kind;
      site = get_copy_site (races, copy);
      if (site == NO_SITE)
        continue;
      here.inst = &self->parent.grid->module->code[site];
      here.lanes = 1u << copy->lane;
      while (i + 1 < copies->len && get_copy_site (races, copy + 1) == site)
        {
          copy++;
          i++;
          here.lanes |= 1u << copy->lane;
        }
      _cured_grid_report (
          self->parent.grid,
          CURED_FINDING_RACE_SHARED,
          &here,
          NULL,
          CURED_SPACE_SHARED,
          address,
          "%s",
          kind == COPY_IN    ? "nothing waits for the bulk copy before its "
                               "block ends: a wait for the phase of its "
                               "mbarrier has to come"
          : kind == COPY_OUT ? "nothing waits until the bulk copy has read "
                               "this before its thread ends: "
                               "cp.async.bulk.wait_group.read has to come"
          : kind == COPY_PRODUCT
              ? "nothing waits for the product before its warp ends: "
                "wgmma.wait_group has to come"
              : "nothing waits for the copy before its thread "
                "ends: cp.async.wait_group, or the wait of its "
                "pipeline, has to come");
    }
}

static void
block_end (CuredObserver *observer, void *data, CuredBlock *block)
{
  RaceDetector *self = (RaceDetector *) observer;
  State *state = data;

  if (state->races == NULL)
    return;
  if (g_atomic_int_get (&observer->grid->stop) == CURED_END_DONE)
    for (uint32_t w = 0; w < block->n_warps; w++)
      report_copies (self, state->races, block, w);
  if (g_atomic_int_get (&observer->grid->stop) == CURED_END_DONE)
    report_remotes (self, state->races, block);
  g_clear_pointer (&state->races->order, _cured_block_order_free);
  g_mutex_lock (&self->mutex);
  g_ptr_array_add (self->spares, g_steal_pointer (&state->races));
  g_mutex_unlock (&self->mutex);
}

static void
free_block_races (gpointer data)
{
  BlockRaces *races = data;

  for (uint32_t i = 0; i < races->n_pages; i++)
    page_clear (&races->pages[i]);
  for (uint32_t w = 0; w < CURED_ORDER_WARPS; w++)
    g_clear_pointer (&races->copies[w], g_array_unref);
  g_free (races->pages);
  g_free (races->dirty);
  g_free (races->locks);
  g_free (races->met);
  g_clear_pointer (&races->remotes, g_array_unref);
  g_free (races);
}

static void
race_detector_free (CuredObserver *observer)
{
  RaceDetector *self = (RaceDetector *) observer;
  GPtrArray *regions = observer->grid->memory->regions;

  for (guint i = 0; i < regions->len; i++)
    {
      const CuredRegion *region = regions->pdata[i];
      Page *pages =
          region->index < self->n_regions ? self->regions[region->index] : NULL;

      for (gsize p = 0; pages != NULL && p <= region->size >> PAGE_BITS; p++)
        page_clear (&pages[p]);
      g_free (pages);
    }
  g_free (self->regions);
  g_ptr_array_unref (self->spares);
  g_array_unref (self->blocks);
  g_hash_table_unref (self->loose);
  _cured_order_free (self->order);
  g_mutex_clear (&self->mutex);
  g_free (self->flags);
  g_free (self->roles);
  g_free (self);
}

static const CuredObserverClass klass = {
  .name = "races",
  .state_size = sizeof (State),
  .block_begin = block_begin,
  .access = watch_access,
  .barrier = barrier,
  .arrive = arrive,
  .cluster_arrive = cluster_arrive,
  .cluster_done = cluster_done,
  .cluster_wait = cluster_wait,
  .warp_sync = warp_sync,
  .fence = fence,
  .copies = copies,
  .bulk_copies = bulk_copies,
  .products = products,
  .block_end = block_end,
  .free = race_detector_free,
};

/* ---- What instructions are ---- */

static bool
is_destination (char letter)
{
  return strchr (CURED_PTX_DESTINATIONS, letter) != NULL;
}

/* Whether @inst writes (or reads, with @is_writing FALSE) the register that is
 * at @offset of the frame. */
static bool
uses (const CuredPtxInst *inst, uint32_t offset, bool is_writing)
{
  const char *letters = _cured_ptx_ops[inst->op].operands;
  uint32_t k = 0;
  uint32_t at = 0;

  if (!is_writing && inst->guard.width != 0 &&
      inst->guard.base == CURED_BASE_REGISTERS && inst->guard.offset == offset)
    return true;
  for (; *letters != '\0' && k < inst->n_counts; letters++)
    {
      if (*letters == '?')
        continue;
      for (uint32_t i = 0; i < inst->counts[k]; i++)
        {
          const CuredPtxOperand *x = &inst->x[at + i];

          if (x->width != 0 && x->base == CURED_BASE_REGISTERS &&
              x->offset == offset && is_destination (*letters) == is_writing)
            return true;
        }
      at += inst->counts[k++];
    }
  return false;
}

/* Adds the registers that @inst writes to @set. */
static void
add_written (const CuredPtxInst *inst, GHashTable *set)
{
  const char *letters = _cured_ptx_ops[inst->op].operands;
  uint32_t k = 0;
  uint32_t at = 0;

  for (; *letters != '\0' && k < inst->n_counts; letters++)
    {
      if (*letters == '?')
        continue;
      for (uint32_t i = 0; i < inst->counts[k]; i++)
        {
          const CuredPtxOperand *x = &inst->x[at + i];

          if (x->width != 0 && x->base == CURED_BASE_REGISTERS &&
              is_destination (*letters))
            g_hash_table_add (set, GUINT_TO_POINTER (x->offset + 1));
        }
      at += inst->counts[k++];
    }
}

static bool
reads_any (const CuredPtxInst *inst, GHashTable *set)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (uses (inst, GPOINTER_TO_UINT (key) - 1, false))
      return true;
  return false;
}

/* Whether the loop of sites @first to @last waits for what the load at @site
 * reads: always from one address, and the loop's end depends on it. */
static bool
is_polling (const CuredPtxModule *module,
            uint32_t first,
            uint32_t last,
            uint32_t site)
{
  const CuredPtxInst *load = &module->code[site];
  const CuredPtxOperand *address = &load->x[load->counts[0]];
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);

  if (address->base == CURED_BASE_REGISTERS)
    for (uint32_t s = first; s <= last; s++)
      if (uses (&module->code[s], address->offset, true))
        return false;

  /* What comes of the value, all the way round. */
  add_written (load, values);
  for (int round = 0; round < 2; round++)
    for (uint32_t s = first; s <= last; s++)
      if (reads_any (&module->code[s], values))
        add_written (&module->code[s], values);
  for (uint32_t s = first; s <= last; s++)
    {
      const CuredPtxInst *inst = &module->code[s];

      if (inst->op == CURED_PTX_OP_bra && inst->guard.width != 0 &&
          (s == last || inst->target < first || inst->target > last) &&
          reads_any (inst, values))
        return true;
    }
  return false;
}

/* What @x is all the time that the loop of sites @first to @last runs; NULL: it
 * changes. */
static const CuredPtxOperand *
find_invariant (const CuredPtxModule *module,
                uint32_t first,
                uint32_t last,
                const CuredPtxOperand *x)
{
  const CuredPtxOperand *value = x;

  if (x->base != CURED_BASE_REGISTERS)
    return x;
  for (uint32_t s = first; s <= last; s++)
    {
      const CuredPtxInst *inst = &module->code[s];

      if (!uses (inst, x->offset, true))
        continue;
      if (value != x || inst->op != CURED_PTX_OP_mov ||
          inst->x[1].base == CURED_BASE_REGISTERS)
        return NULL;
      value = &inst->x[1];
    }
  return value;
}

/* Whether the atomic, in the loop of sites @first to @last, takes a lock: it
 * always asks for the same, unlike one that changes what it just read, and
 * leaves something other behind than it waited for. */
static bool
is_locking (const CuredPtxModule *module,
            uint32_t first,
            uint32_t last,
            uint32_t site)
{
  const CuredPtxInst *inst = &module->code[site];
  uint8_t operation = inst->words[CURED_PTX_GROUP_OPERATION];
  const CuredPtxOperand *b;
  const CuredPtxOperand *c;

  if (operation != CURED_PTX_OPERATION_CAS &&
      operation != CURED_PTX_OPERATION_EXCH)
    return false;
  b = find_invariant (module, first, last, &inst->x[2]);
  if (b == NULL || operation == CURED_PTX_OPERATION_EXCH)
    return b != NULL;
  c = find_invariant (module, first, last, &inst->x[3]);
  if (c == NULL || b->base != c->base)
    return c != NULL;
  return b->offset != c->offset &&
         (b->base != CURED_BASE_CONSTANTS || b->width != c->width ||
          memcmp (module->constants + b->offset,
                  module->constants + c->offset,
                  b->width) != 0);
}

/* Finds the volatile loads and the atomics that poll, and locks. */
static void
find_polls (RaceDetector *self, const CuredPtxModule *module)
{
  for (uint32_t last = 0; last < module->n_code; last++)
    {
      const CuredPtxInst *inst = &module->code[last];
      uint32_t first = inst->target;

      if (inst->op != CURED_PTX_OP_bra || first > last ||
          last - first > MAX_POLL)
        continue;
      for (uint32_t s = first; s <= last; s++)
        {
          bool is_atomic = module->code[s].op == CURED_PTX_OP_atom;

          if (!is_atomic && (module->code[s].op != CURED_PTX_OP_ld ||
                             (self->flags[s] & FLAG_VOLATILE) == 0))
            continue;
          if ((self->flags[s] & FLAG_POLLS) != 0 ||
              !is_polling (module, first, last, s))
            continue;
          self->flags[s] |= FLAG_POLLS;
          if (is_atomic && is_locking (module, first, last, s))
            self->roles[s] |= ROLE_LOCKS;
        }
    }
}

static void
classify (const CuredPtxInst *inst,
          bool is_clustered,
          uint8_t *flags,
          uint8_t *roles)
{
  uint8_t order = inst->words[CURED_PTX_GROUP_ORDER];
  uint8_t scope = inst->words[CURED_PTX_GROUP_SCOPE];
  bool is_releasing = order == CURED_PTX_ORDER_RELEASE ||
                      order == CURED_PTX_ORDER_ACQ_REL ||
                      order == CURED_PTX_ORDER_SC;
  bool is_acquiring = order == CURED_PTX_ORDER_ACQUIRE ||
                      order == CURED_PTX_ORDER_ACQ_REL ||
                      order == CURED_PTX_ORDER_SC;

  *flags = 0;
  *roles = 0;
  switch (inst->op)
    {
    case CURED_PTX_OP_ld:
    case CURED_PTX_OP_st:
      if (order == CURED_PTX_NO_WORD || order == CURED_PTX_ORDER_WEAK)
        return;
      *flags = order == CURED_PTX_ORDER_VOLATILE ? FLAG_VOLATILE : FLAG_STRONG;
      *roles = inst->op == CURED_PTX_OP_ld ? ROLE_READS : ROLE_CARRIES;
      break;
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red:
      *flags = FLAG_STRONG;
      *roles = ROLE_CARRIES;
      if (inst->op == CURED_PTX_OP_atom)
        *roles |= ROLE_READS;
      break;
    case CURED_PTX_OP_mbarrier_arrive:
    case CURED_PTX_OP_mbarrier_arrive_drop:
    case CURED_PTX_OP_mbarrier_arrive_tx:
    case CURED_PTX_OP_mbarrier_arrive_drop_tx:
    case CURED_PTX_OP_cp_async_mbarrier:
      *flags = FLAG_STRONG;
      *roles = ROLE_RELEASES;
      return;
    case CURED_PTX_OP_mbarrier_expect_tx:
    case CURED_PTX_OP_mbarrier_complete_tx:
      *flags = FLAG_STRONG;
      return;
    case CURED_PTX_OP_mbarrier_test_wait:
    case CURED_PTX_OP_mbarrier_try_wait:
      *flags = FLAG_STRONG;
      *roles = ROLE_ACQUIRES;
      return;
    default:
      return;
    }
  if (scope == CURED_PTX_SCOPE_CTA ||
      (scope == CURED_PTX_SCOPE_CLUSTER && !is_clustered))
    *flags |= FLAG_NARROW;
  if (is_releasing && (*roles & ROLE_CARRIES) != 0)
    *roles |= ROLE_RELEASES;
  if (is_acquiring && (*roles & ROLE_READS) != 0)
    *roles |= ROLE_ACQUIRES;
}

/* Makes the observer that looks for races in shared and global memory.
 *
 * @grid: regions of its memory must not change any more
 *
 * Returns: (transfer full): its class's free frees it
 */
CuredObserver *
_cured_race_detector_new (CuredPtxGrid *grid)
{
  const CuredPtxModule *module = grid->module;
  const GPtrArray *regions = grid->memory->regions;
  RaceDetector *self = g_new0 (RaceDetector, 1);
  gsize shared_bytes = grid->launch->shared_bytes;

  self->parent.klass = &klass;
  self->parent.grid = grid;
  self->order = _cured_order_new ();
  g_mutex_init (&self->mutex);
  self->blocks = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->spares = g_ptr_array_new_with_free_func (free_block_races);
  self->loose = g_hash_table_new_full (loose_hash, loose_equal, g_free, NULL);
  if (grid->entry != NULL)
    shared_bytes += grid->entry->shared_bytes;
  self->n_shared_pages = (uint32_t) (shared_bytes / PAGE_BYTES + 1);

  self->n_regions = grid->memory->next_index;
  self->regions = g_new0 (Page *, self->n_regions + 1);
  for (guint i = 0; i < regions->len; i++)
    {
      const CuredRegion *region = regions->pdata[i];

      if (!region->is_constant)
        self->regions[region->index] =
            g_new0 (Page, (region->size >> PAGE_BITS) + 1);
    }

  self->is_clustered =
      grid->cluster[0] * grid->cluster[1] * grid->cluster[2] > 1;
  self->flags = g_new0 (uint8_t, module->n_code + 1);
  self->roles = g_new0 (uint8_t, module->n_code + 1);
  for (guint i = 0; i < module->n_code; i++)
    {
      classify (&module->code[i],
                self->is_clustered,
                &self->flags[i],
                &self->roles[i]);
      self->has_bulk = self->has_bulk || is_bulk (&module->code[i]) ||
                       module->code[i].op == CURED_PTX_OP_wgmma;
    }
  find_polls (self, module);
  return &self->parent;
}
