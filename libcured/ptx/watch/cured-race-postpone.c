/* SPDX-License-Identifier: MIT
 * The race detector: postponed accesses to shared memory.
 *
 * Between two barriers of the block, most words of shared memory are accessed by one thread, or
 * only read: nothing ever reads the slots of such accesses. So they are recorded, and dropped at
 * the barrier. Before any event to which they could matter they are replayed in order: an access to
 * a page that has them, or an ordering of only some threads of the block.
 *
 * As long as there are only reads, it suffices that their page has no stores. From the first store
 * on, each word has a cell: the thread of the block that accessed it since the barrier, and whether
 * it was written. An access that conflicts with its cell goes to the shadow, and so do all others
 * of its page until the barrier.
 *
 * bench-detectors without this: matmul/tiled (16) 0.85 of the lanes per second of processor time,
 * average/shared 0.72, banks/stride (4) 0.4. */
#include "ptx/watch/cured-race-private.h"

#include <string.h>

/* Maximum number of postponed accesses; beyond it, they are replayed. A block of 32 warps
 * that multiplies tiles of 32 rows has 2048. */
#define MAX_POSTPONED 4096

/* Number of pages whose words have 16-bit numbers. */
#define MAX_PAGES ((1u << 16) >> (PAGE_BITS - WORD_BITS))

/* Maximum distance, in pages, between the lanes of one read. */
#define MAX_APART 32

/* Bytes of stored values. */
#define MAX_VALUES (MAX_POSTPONED * CURED_WARP_LANES * WORD_BYTES)

/* Whether a page's shadow has nothing that could race with a read, or a store. */
static inline bool
is_quiet (const RacePage *page, uint64_t floor, bool is_store)
{
  return page->latest[KIND_WRITES] < floor && page->latest[KIND_ATOMICS] < floor &&
         (!is_store || page->latest[KIND_READS] < floor) && page->n_underway == 0;
}

/* ---- Cells ---- */

/* Records that @who accesses a word. FALSE: it may race with another thread's access. */
static G_ALWAYS_INLINE inline bool
note_word (uint32_t *cell, uint32_t round, uint32_t who, bool is_store)
{
  uint32_t was = *cell, written = is_store ? CELL_WRITTEN : 0;

  if (G_LIKELY (was < round))
    *cell = round | written | who;
  else if ((was & CELL_WHO) == who)
    *cell = was | written;
  else if (is_store || (was & CELL_WRITTEN) != 0)
    return false;
  else
    *cell = was | CELL_SEVERAL;
  return true;
}

/* Compilers split wider vectors word by word if the processor has none. */
typedef uint32_t Row __attribute__ ((vector_size (32)));

/* Does the same as note_word () for the words of all lanes, which are adjacent, 1 << @shift per
 * lane. */
static G_ALWAYS_INLINE inline bool
note_row (uint32_t *cells, uint32_t round, uint32_t first, uint32_t shift, bool is_store)
{
  const Row places = { 0, 1, 2, 3, 4, 5, 6, 7 };
  uint32_t n = CURED_WARP_LANES << shift, written = is_store ? CELL_WRITTEN : 0;
  uint64_t wrong[sizeof (Row) / sizeof (uint64_t)], any = 0;
  Row racing = { 0 };

  for (uint32_t i = 0; i < n; i += sizeof (Row) / sizeof (uint32_t))
    {
      Row who = first + ((places + i) >> shift), was;

      memcpy (&was, cells + i, sizeof was);
      Row fresh = (Row) (was >= round), other = fresh & (Row) ((was & CELL_WHO) != who);
      racing |= is_store ? other : other & was & CELL_WRITTEN;
      was = (fresh & was) | (~fresh & (round | who)) | (other & CELL_SEVERAL) | written;
      memcpy (cells + i, &was, sizeof was);
    }
  memcpy (wrong, &racing, sizeof wrong);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    any |= wrong[i];
  return any == 0;
}

#define NOTE_ROW(name, attribute)                                                                  \
  static attribute bool name (uint32_t *cells, uint32_t round, uint32_t first, uint32_t shift,     \
                              bool is_store)                                                       \
  {                                                                                                \
    if (shift == 0)                                                                                \
      return is_store ? note_row (cells, round, first, 0, true)                                    \
                      : note_row (cells, round, first, 0, false);                                  \
    return note_row (cells, round, first, shift, is_store);                                        \
  }
NOTE_ROW (note_row_anywhere, )
#ifdef __x86_64__
NOTE_ROW (note_row_wide, __attribute__ ((target ("avx2"))))
#endif

static bool
note_row_here (uint32_t *cells, uint32_t round, uint32_t first, uint32_t shift, bool is_store)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    return note_row_wide (cells, round, first, shift, is_store);
#endif
  return note_row_anywhere (cells, round, first, shift, is_store);
}

/* Records the words of an access. FALSE: it may race with another one. */
static bool
note_words (RaceBlock *races, const RacePostponed *access, const uint16_t *words)
{
  uint32_t round = races->round << CELL_BITS, n = MAX (access->width >> WORD_BITS, 1);
  uint32_t first = access->party % CURED_WARP_LANES * CURED_WARP_LANES;
  uint32_t *cells = races->cells + (access->first >> WORD_BITS);
  bool is_store = access->is_store, is_alone = (access->mask & (access->mask - 1)) == 0;
  bool is_fine = true;

  if (access->pattern == CURED_PATTERN_SAME || access->width < WORD_BYTES)
    {
      uint32_t who = is_alone ? first + (uint32_t) __builtin_ctz (access->mask) : CELL_SEVERAL;

      if (access->pattern == CURED_PATTERN_CONTIGUOUS)
        n = (access->first % WORD_BYTES + CURED_WARP_LANES * access->width + WORD_BYTES - 1) >>
            WORD_BITS;
      for (uint32_t k = 0; k < n; k++)
        is_fine = note_word (&cells[k], round, who, is_store) && is_fine;
      return is_fine && (!is_store || is_alone);
    }
  if (access->pattern == CURED_PATTERN_CONTIGUOUS)
    return note_row_here (cells, round, first, (uint32_t) __builtin_ctz (n), is_store);
  for (uint32_t left = access->mask; left != 0 && is_fine; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left), *at = races->cells + words[lane];

      for (uint32_t k = 0; k < n; k++)
        is_fine = note_word (&at[k], round, first + lane, is_store) && is_fine;
    }
  return is_fine;
}

/* The first store since the barrier: from here on, words have cells. */
static void
open_cells (RaceBlock *races)
{
  if (races->cells == NULL)
    races->cells = g_new0 (uint32_t, races->n_pages * (PAGE_BYTES >> WORD_BITS));
  for (uint32_t i = 0; i < races->n_postponed; i++)
    note_words (races, &races->postponed[i], races->postponed_words[i]);
  races->has_cells = true;
}

/* ---- Accesses ---- */

/* Whether an access may be postponed. */
static inline bool
may_postpone (const RaceDetector *self, const CuredAccess *access)
{
  const CuredPtxInst *inst = access->inst;
  uint32_t n;

  if (access->kind == CURED_ACCESS_LOAD || access->kind == CURED_ACCESS_LDMATRIX)
    return access->width >= WORD_BYTES || access->pattern != CURED_PATTERN_ANY;
  if (access->kind != CURED_ACCESS_STORE || inst->op != CURED_PTX_OP_st || self->has_copies ||
      self->roles[inst->site] != 0)
    return false;
  n = inst->counts[1];
  if (access->width != n * WORD_BYTES || (n & (n - 1)) != 0)
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (inst->x[inst->counts[0] + i].width != WORD_BYTES)
      return false;
  return true;
}

/* Keeps the values of a store; FALSE: there is no room. */
static bool
keep_values (RaceBlock *races, const CuredWarp *warp, const CuredPtxInst *inst)
{
  const CuredPtxOperand *x = &inst->x[inst->counts[0]];
  uint32_t n_bytes = CURED_WARP_LANES * WORD_BYTES;

  if (races->n_values + inst->counts[1] * n_bytes > MAX_VALUES)
    return false;
  for (uint32_t i = 0; i < inst->counts[1]; i++, races->n_values += n_bytes)
    memcpy (races->values + races->n_values, warp->bases[x[i].base] + x[i].offset, n_bytes);
  return true;
}

/* The first and the last page of an access. */
static inline void
get_pages (const CuredAccess *access, uint64_t *low, uint64_t *high)
{
  uint64_t first = access->address[0], unlike = 0;

  if (access->shape != 0)
    {
      *low = access->low >> PAGE_BITS;
      *high = (access->high + access->width - 1) >> PAGE_BITS;
      return;
    }
  if (access->pattern == CURED_PATTERN_ANY)
    for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
      unlike |= access->address[l] ^ first;
  *low = *high = first;
  if (access->pattern == CURED_PATTERN_CONTIGUOUS)
    *high = first + CURED_WARP_LANES * access->width - 1;
  else if (unlike >= PAGE_BYTES)
    for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
      {
        *low = MIN (*low, access->address[l]);
        *high = MAX (*high, access->address[l]);
      }
  *low >>= PAGE_BITS;
  *high >>= PAGE_BITS;
}

/* Whether an access of known shape equals one that was postponed. */
static inline bool
repeats (const RacePostponed *postponed, const CuredAccess *access, const RaceSlot *slot)
{
  return postponed->shape == access->shape && postponed->first == (uint32_t) access->address[0] &&
         postponed->party == slot->party && postponed->clock == slot->clock &&
         postponed->where == slot->where;
}

/* Postpones an access to shared memory if that is safe.
 *
 * @races: state of the block
 * @slot: slot of the access, without its lanes
 *
 * Returns: false if it is not */
bool
_cured_race_postpone (RaceDetector *self, RaceBlock *races, const CuredWarp *warp,
                      const CuredAccess *access, const RaceSlot *slot)
{
  uint64_t floor = ((uint64_t) (races->number + 1) << 32) + races->order->floor, low, high;
  bool is_store = access->kind == CURED_ACCESS_STORE;

  if (access->space != CURED_SPACE_SHARED || !may_postpone (self, access) || self->has_bulk ||
      self->is_clustered || races->locks != NULL ||
      !_cured_block_order_is_plain (races->order, warp->index, access->mask))
    return false;
  if (*race_get_regrets (races, access->inst->site) >= MAX_REGRETS)
    return false;
  get_pages (access, &low, &high);
  if (high >= MIN (races->n_pages, MAX_PAGES) || high - low > MAX_APART)
    return false;
  for (uint64_t p = low; p <= high; p++)
    if (!is_quiet (&races->pages[p], floor, is_store))
      return false;

  if (races->postponed == NULL)
    {
      races->postponed = g_new (RacePostponed, MAX_POSTPONED);
      races->postponed_words = g_new (RacePostponedWords, MAX_POSTPONED);
      races->values = g_malloc (MAX_VALUES);
    }
  if (races->n_postponed == MAX_POSTPONED)
    {
      _cured_race_catch_up (self, races, warp->block);
      return false;
    }
  RacePostponed *postponed = &races->postponed[races->n_postponed];
  uint16_t *words = races->postponed_words[races->n_postponed];
  uint32_t n = access->pattern == CURED_PATTERN_ANY ? CURED_WARP_LANES : 0, places = 0;
  /* A loop's repetition of the same read adds nothing. */
  uint32_t last = (access->inst->site * 5 + warp->index) % G_N_ELEMENTS (races->last_postponed);
  uint32_t reader = access->inst->site * CURED_WARP_LANES + warp->index;
  uint32_t before = races->last_postponed[last].index;
  bool is_again = races->last_postponed[last].reader == reader && before < races->n_postponed;
  if (access->shape != 0 && is_again && !is_store &&
      repeats (&races->postponed[before], access, slot))
    return true;
  postponed->shape = access->shape;
  postponed->party = slot->party;
  postponed->clock = slot->clock;
  postponed->where = slot->where;
  postponed->mask = access->mask;
  postponed->width = (uint8_t) access->width;
  postponed->folds = (uint8_t) access->folds;
  postponed->pattern = (uint8_t) access->pattern;
  postponed->is_store = is_store;
  postponed->values = is_store ? races->n_values : 0;
  postponed->first = (uint32_t) access->address[0];
  for (uint32_t l = 0; l < n; l++)
    {
      places |= (uint32_t) access->address[l];
      words[l] = (uint16_t) (access->address[l] >> WORD_BITS);
    }
  if (places % WORD_BYTES != 0)
    return false;

  if (is_store && !races->has_cells)
    open_cells (races);
  if ((races->has_cells && !note_words (races, postponed, words)) ||
      (is_store && !keep_values (races, warp, access->inst)))
    return false;
  if (access->shape == 0 && is_again && !is_store &&
      memcmp (&races->postponed[before], postponed, sizeof *postponed) == 0 &&
      memcmp (races->postponed_words[before], words, n * sizeof *words) == 0)
    return true;
  races->last_postponed[last].reader = reader;
  races->last_postponed[last].index = races->n_postponed++;
  for (uint64_t p = low; p <= high; p++)
    races->pages[p].postponed = races->round;
  return true;
}

/* A barrier of the whole block: postponed accesses are dropped. */
void
_cured_race_forget_postponed (RaceBlock *races)
{
  for (uint32_t i = 0; i < races->n_postponed; i++)
    {
      uint8_t *regrets = race_get_regrets (races, races->postponed[i].where >> FLAG_BITS);

      if (*regrets > 0)
        --*regrets;
    }
  race_begin_round (races);
}
