/* SPDX-License-Identifier: MIT
 * The race detector: reads of shared memory that are put off.
 *
 * Most reads of shared memory are between two barriers of the block, with no write between them:
 * what they would leave in the shadow, nobody ever looks at. So they are written down, and
 * forgotten at the barrier. What could make a difference before that comes after them: whoever goes
 * to a page that has such reads, and whatever orders some threads of the block and not others, has
 * them made up for first, in their order.
 *
 * bench-detectors without this: matmul/tiled (16) 0.85 of the lanes per second of processor time,
 * average/shared 0.72, banks/stride (4) 0.4. */
#include "ptx/watch/cured-race-private.h"

#include <string.h>

/* Reads that are written down; with more of them the first are made up for. A block of 32 warps
 * that multiplies tiles of 32 rows has 2048. */
#define MAX_POSTPONED 4096

/* Pages whose words have numbers of 16 bits. */
#define MAX_PAGES ((1u << 16) >> (PAGE_BITS - WORD_BITS))

/* Pages that the lanes of one read may lie apart. */
#define MAX_APART 32

/* Whether a page has nothing that a read could race with. */
static inline bool
is_quiet (const RacePage *page, uint64_t floor)
{
  return page->latest[KIND_WRITES] < floor && page->latest[KIND_ATOMICS] < floor &&
         page->n_underway == 0;
}

/* The first page of an access, and the last one. */
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

/* Whether an access whose shape is known is the same as one that was put off. */
static inline bool
repeats (const RacePostponed *postponed, const CuredAccess *access, const RaceSlot *slot)
{
  return postponed->shape == access->shape && postponed->first == (uint32_t) access->address[0] &&
         postponed->party == slot->party && postponed->clock == slot->clock &&
         postponed->where == slot->where;
}

/* Puts a read of shared memory off, where that makes no difference.
 *
 * @races: of the block
 * @slot: of the access, but for its lanes
 *
 * Returns: false: it does */
bool
_cured_race_postpone (RaceDetector *self, RaceBlock *races, const CuredWarp *warp,
                      const CuredAccess *access, const RaceSlot *slot)
{
  uint64_t floor = ((uint64_t) (races->number + 1) << 32) + races->order->floor, low, high;

  if (access->space != CURED_SPACE_SHARED ||
      (access->kind != CURED_ACCESS_LOAD && access->kind != CURED_ACCESS_LDMATRIX) ||
      (access->width < WORD_BYTES && access->pattern == CURED_PATTERN_ANY) || self->has_bulk ||
      self->is_clustered || races->locks != NULL ||
      !_cured_block_order_is_plain (races->order, warp->index, access->mask))
    return false;
  if (*race_get_regrets (races, access->inst->site) >= MAX_REGRETS)
    return false;
  get_pages (access, &low, &high);
  if (high >= MIN (races->n_pages, MAX_PAGES) || high - low > MAX_APART)
    return false;
  for (uint64_t p = low; p <= high; p++)
    if (!is_quiet (&races->pages[p], floor))
      return false;

  if (races->postponed == NULL)
    {
      races->postponed = g_new0 (RacePostponed, MAX_POSTPONED);
      races->postponed_words = g_new (RacePostponedWords, MAX_POSTPONED);
    }
  if (races->n_postponed == MAX_POSTPONED)
    _cured_race_catch_up (self, races, warp->block);
  RacePostponed *postponed = &races->postponed[races->n_postponed];
  uint16_t *words = races->postponed_words[races->n_postponed];
  uint32_t n = access->pattern == CURED_PATTERN_ANY ? CURED_WARP_LANES : 0, places = 0;
  /* A loop that reads the same over and over says nothing new. */
  uint32_t last = (access->inst->site * 5 + warp->index) % G_N_ELEMENTS (races->last_postponed);
  uint32_t reader = access->inst->site * CURED_WARP_LANES + warp->index;
  uint32_t before = races->last_postponed[last].index;
  bool is_again = races->last_postponed[last].reader == reader && before < races->n_postponed;
  if (access->shape != 0 && is_again && repeats (&races->postponed[before], access, slot))
    return true;
  postponed->shape = access->shape;
  postponed->party = slot->party;
  postponed->clock = slot->clock;
  postponed->where = slot->where;
  postponed->mask = access->mask;
  postponed->width = (uint8_t) access->width;
  postponed->folds = (uint8_t) access->folds;
  postponed->pattern = (uint8_t) access->pattern;
  postponed->first = (uint32_t) access->address[0];
  for (uint32_t l = 0; l < n; l++)
    {
      places |= (uint32_t) access->address[l];
      words[l] = (uint16_t) (access->address[l] >> WORD_BITS);
    }
  if (places % WORD_BYTES != 0)
    return false;

  if (access->shape == 0 && is_again &&
      memcmp (&races->postponed[before], postponed, sizeof *postponed) == 0 &&
      memcmp (races->postponed_words[before], words, n * sizeof *words) == 0)
    return true;
  races->last_postponed[last].reader = reader;
  races->last_postponed[last].index = races->n_postponed++;
  for (uint64_t p = low; p <= high; p++)
    races->pages[p].postponed = races->round;
  return true;
}

/* A barrier of the whole block: what was put off is void. */
void
_cured_race_forget_postponed (RaceBlock *races)
{
  for (uint32_t i = 0; i < races->n_postponed; i++)
    {
      uint8_t *regrets = race_get_regrets (races, races->postponed[i].where >> FLAG_BITS);

      if (*regrets > 0)
        --*regrets;
    }
  races->n_postponed = 0;
  races->round++;
}
