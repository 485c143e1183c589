/* SPDX-License-Identifier: MIT
 * The race detector's shadow of memory: the last accesses of each word.
 *
 * A page (1 KiB) has a slot per line of 64 bytes as long as all accesses are of whole lines with
 * adjacent lanes; otherwise it changes to slots per word of four bytes, or per byte for smaller
 * accesses. A slot has the last write, and two sets of lanes each for the reads and atomics since
 * then that are not ordered among each other: see race_choose_slot (). Pages are allocated when
 * accessed, and only as far as needed: 16 bytes per line or word for data that is only read.
 *
 * bench-detectors without lines: matmul/tiled (32) 0.69 of the lanes per second of processor time,
 * matmul/registers 0.73, transpose/padded 0.54. */
#pragma once

#include <string.h>

#include "ptx/machine/cured-warp-private.h"

#define PAGE_BITS  10
#define PAGE_BYTES (1u << PAGE_BITS)
#define WORD_BITS  2
#define WORD_BYTES (1u << WORD_BITS)
#define LINE_BITS  6
#define LINE_BYTES (1u << LINE_BITS)
#define LINE_WORDS (LINE_BYTES >> WORD_BITS)

/* Size of a mask with a bit per byte of a page. */
#define PAGE_DIRTY (PAGE_BYTES >> 3)

typedef enum
{
  FLAG_VOLATILE = 1 << 0,
  FLAG_STRONG = 1 << 1, /* relaxed or more, and atomics */
  FLAG_NARROW = 1 << 2, /* strong, with the scope of the block */
  FLAG_POLLS = 1 << 3,
  FLAG_UNDERWAY = 1 << 4, /* an asynchronous copy in flight */
  FLAG_LOOSE = 1 << 5,    /* under a lock that was taken without a fence */
} RaceFlags;
#define FLAG_BITS 6

/* Lanes of a warp that accessed a word. */
typedef struct
{
  uint32_t party; /* number of the block × 32 + warp */
  uint32_t clock;
  uint32_t lanes; /* 0: the slot is empty */
  uint32_t where; /* site × 64 + RaceFlags */
} RaceSlot;

static inline RaceSlot
cured_race_make_slot (uint32_t party, uint32_t clock, uint32_t where)
{
  typedef uint32_t Row __attribute__ ((vector_size (sizeof (RaceSlot))));
  const Row row = { party, clock, 0, where };
  RaceSlot slot;

  memcpy (&slot, &row, sizeof slot);
  return slot;
}

enum
{
  PLANE_WRITE,
  PLANE_READ,
  PLANE_READ_2,
  PLANE_ATOMIC,
  PLANE_ATOMIC_2,
  N_PLANES
};

/* The grain of a slot of a page. */
typedef enum
{
  GRAIN_LINE, /* 64 bytes; a slot's lanes are a form, see get_form () */
  GRAIN_WORD,
  GRAIN_BYTE,
} RaceGrain;

/* Kinds of planes. */
typedef enum
{
  KIND_WRITES,
  KIND_READS,
  KIND_ATOMICS,
  N_KINDS
} RaceKind;

/* A stamp consists of a block's number plus one, in the upper half, and a clock. */
typedef struct
{
  bool is_held; /* locked by a host thread; global memory only */
  uint8_t most; /* the finest RaceGrain that planes and values have room for */
  RaceGrain grain;
  /* Latest stamp in the planes of a kind; 0: none. UINT64_MAX: several blocks. */
  uint64_t latest[N_KINDS];
  RaceSlot *planes[N_PLANES]; /* (nullable) */
  uint32_t *values;           /* (nullable): stored values, for PLANE_WRITE; one per
                       * word, or per byte */
  uint32_t n_underway;        /* number of cp.async to it, for shared memory */
  uint32_t postponed;         /* for shared memory: the last round in which accesses to it were
                       * postponed; see cured-race-postpone.c */
} RacePage;

/* Pages of a region of global memory are allocated by the chunk when a store or a watched read
 * touches it: untouched memory costs a pointer. */
#define CHUNK_BITS  6
#define CHUNK_PAGES (1u << CHUNK_BITS)

typedef struct
{
  gsize n_chunks;
  RacePage *chunks[]; /* (nullable) elements, of CHUNK_PAGES */
} RaceRegion;

RaceRegion *_cured_race_region_new (uint64_t size);
void _cured_race_region_free (RaceRegion *self);
RacePage *_cured_race_region_add_chunk (RaceRegion *self, gsize chunk);
RaceSlot *_cured_race_page_add_plane (RacePage *page, int plane);
uint32_t *_cured_race_page_add_values (RacePage *page);
void _cured_race_page_clear (RacePage *page);
void _cured_race_page_reset (RacePage *page);
void _cured_race_page_split (RacePage *page);
RaceSlot *_cured_race_page_get_slot (RacePage *page, int plane, uint64_t address);

/* The page of the byte at @offset. */
static inline RacePage *
get_region_page (RaceRegion *self, uint64_t offset)
{
  gsize chunk = offset >> (PAGE_BITS + CHUNK_BITS);
  RacePage *pages = g_atomic_pointer_get (&self->chunks[chunk]);

  if (G_UNLIKELY (pages == NULL))
    pages = _cured_race_region_add_chunk (self, chunk);
  return &pages[(offset >> PAGE_BITS) % CHUNK_PAGES];
}

static inline uint32_t
get_grain_bits (RaceGrain grain)
{
  static const uint8_t bits[] = { LINE_BITS, WORD_BITS, 0 };

  return bits[grain];
}

static inline RaceSlot *
get_plane (RacePage *page, int plane)
{
  return G_LIKELY (page->planes[plane] != NULL) ? page->planes[plane]
                                                : _cured_race_page_add_plane (page, plane);
}

static inline uint32_t *
get_values (RacePage *page)
{
  return G_LIKELY (page->values != NULL) ? page->values : _cured_race_page_add_values (page);
}

static inline uint32_t
get_block (const RaceSlot *slot)
{
  return slot->party / CURED_WARP_LANES;
}

/* ---- Lines ---- */

/* The shift of a form whose lanes have half a word each. */
#define FORM_HALVES 3

/* The form in a whole line's slot, instead of lanes: the line's words are accessed by @first and
 * the following lanes, each 1 << @shift words or half of one; and by the lanes of which they are
 * folds, see CuredAccess. */
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

/* The lanes of a fold, for lane 0. */
static inline uint32_t
get_copies (uint32_t folds)
{
  return G_MAXUINT32 / (G_MAXUINT32 >> (CURED_WARP_LANES - (CURED_WARP_LANES >> folds)));
}

static inline bool
is_of_halves (uint32_t form)
{
  return form != 0 && ((form - 1) & 3) == FORM_HALVES;
}

/* The lanes in the @byte-th byte of a line. */
static inline uint32_t
get_form_lanes (uint32_t form, uint32_t byte)
{
  uint32_t shift = is_of_halves (form) ? 1 : ((form - 1) & 3) + WORD_BITS;

  return get_copies (get_folds (form)) << (((form - 1) >> 5) + (byte >> shift));
}

/* Whether each word is accessed by a single lane.
 * @is_line: @lanes is a line's form */
static inline bool
is_one_lane (uint32_t lanes, bool is_line)
{
  return is_line ? get_folds (lanes) == 0 : (lanes & (lanes - 1)) == 0;
}

/* ---- Two sets of lanes ---- */

/* Whether both are of one warp, without an ordering event between them. */
static inline bool
is_at_once (const RaceSlot *slot, const RaceSlot *to)
{
  uint64_t a;
  uint64_t b;

  memcpy (&a, slot, sizeof a);
  memcpy (&b, to, sizeof b);
  return a == b;
}

/* Whether @slot's lanes may go into @to's set. */
static inline bool
is_joinable (const RaceSlot *slot, const RaceSlot *to)
{
  return is_at_once (slot, to) && ((slot->where ^ to->where) & ((1u << FLAG_BITS) - 1)) == 0 &&
         to->lanes != 0;
}

/* Relation of a set of lanes to a new access to the same place. */
typedef enum
{
  REST_GONE,    /* the access is ordered after it, or it is void */
  REST_HERE,    /* not ordered, of the same block */
  REST_FOREIGN, /* not ordered, of another one */
  REST_UNKNOWN, /* vector clocks have to be compared */
} RaceRest;

/* Chooses the slot for an access that joins neither of two sets. They suffice to find a race with
 * any later write, except by a thread that is ordered after both but not after a third; of three
 * sets, two of different blocks are the most useful.
 *
 * Returns: (nullable): @first or @second; NULL: a second one has to be allocated */
static G_ALWAYS_INLINE inline RaceSlot *
race_choose_slot (RaceSlot *first, RaceRest of_first, RaceSlot *second, RaceRest of_second)
{
  return of_first == REST_GONE || (of_first == REST_HERE && of_second == REST_FOREIGN) ? first
                                                                                       : second;
}
