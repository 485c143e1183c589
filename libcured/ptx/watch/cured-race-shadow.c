/* SPDX-License-Identifier: MIT
 * The race detector's shadow of memory: pages, and how they are split. */
#include "ptx/watch/cured-race-shadow-private.h"

/* ---- Memory that launches reuse ---- */

/* Maximum bytes kept between launches, of all sizes: otherwise the system would allocate and
 * clear the same memory for each launch, which takes longer than using it. */
#define MOST_SPARE_BYTES ((gsize) 64 << 20)

/* Sizes of a plane or its values, each four times the preceding one. */
#define LEAST_BLOCK_BITS 8
#define N_BLOCK_SIZES    4

typedef struct _Spare Spare;
struct _Spare
{
  Spare *next;
};

G_LOCK_DEFINE_STATIC (spares);
static Spare *spares[N_BLOCK_SIZES];
static gsize spare_bytes;

static Spare **
get_spares (gsize size)
{
  return &spares[((unsigned) __builtin_ctzll (size) - LEAST_BLOCK_BITS) / 2];
}

/* Returns: @size bytes, all 0 */
static gpointer
take_block (gsize size)
{
  Spare **link = get_spares (size);

  G_LOCK (spares);
  Spare *spare = *link;
  if (spare != NULL)
    {
      *link = spare->next;
      spare_bytes -= size;
    }
  G_UNLOCK (spares);
  return spare != NULL ? memset (spare, 0, size) : g_malloc0 (size);
}

static void
give_block (gpointer block, gsize size)
{
  Spare *spare = block;
  Spare **link = get_spares (size);

  if (block == NULL)
    return;
  G_LOCK (spares);
  bool is_kept = spare_bytes + size <= MOST_SPARE_BYTES;
  if (is_kept)
    {
      spare->next = *link;
      *link = spare;
      spare_bytes += size;
    }
  G_UNLOCK (spares);
  if (!is_kept)
    g_free (block);
}

/* ---- Regions ---- */

/* A shadow of @size untouched bytes. */
RaceRegion *
_cured_race_region_new (uint64_t size)
{
  gsize n_chunks = (size >> (PAGE_BITS + CHUNK_BITS)) + 1;
  RaceRegion *self = g_malloc0 (sizeof *self + n_chunks * sizeof self->chunks[0]);

  self->n_chunks = n_chunks;
  return self;
}

void
_cured_race_region_free (RaceRegion *self)
{
  for (gsize c = 0; c < self->n_chunks; c++)
    {
      for (gsize p = 0; self->chunks[c] != NULL && p < CHUNK_PAGES; p++)
        _cured_race_page_clear (&self->chunks[c][p]);
      g_free (self->chunks[c]);
    }
  g_free (self);
}

/* Two host threads may call it at once. */
RacePage *
_cured_race_region_add_chunk (RaceRegion *self, gsize chunk)
{
  RacePage *pages = g_new0 (RacePage, CHUNK_PAGES);

  if (g_atomic_pointer_compare_and_exchange (&self->chunks[chunk], NULL, pages))
    return pages;
  g_free (pages);
  return g_atomic_pointer_get (&self->chunks[chunk]);
}

/* ---- Pages ---- */

static uint32_t
get_n_slots (RaceGrain grain)
{
  return PAGE_BYTES >> get_grain_bits (grain);
}

static gsize
get_plane_bytes (RaceGrain grain)
{
  return get_n_slots (grain) * sizeof (RaceSlot);
}

static gsize
get_values_bytes (RaceGrain grain)
{
  return (grain == GRAIN_BYTE ? PAGE_BYTES : PAGE_BYTES >> WORD_BITS) * sizeof (uint32_t);
}

/* Allocates a missing plane. */
RaceSlot *
_cured_race_page_add_plane (RacePage *page, int plane)
{
  page->planes[plane] = take_block (get_plane_bytes ((RaceGrain) page->most));
  return page->planes[plane];
}

/* Allocates room for stored values if missing. */
uint32_t *
_cured_race_page_add_values (RacePage *page)
{
  page->values = take_block (get_values_bytes ((RaceGrain) page->most));
  return page->values;
}

/* Frees the contents of the page. */
void
_cured_race_page_clear (RacePage *page)
{
  RaceGrain most = (RaceGrain) page->most;

  for (int i = 0; i < N_PLANES; i++)
    give_block (page->planes[i], get_plane_bytes (most));
  give_block (page->values, get_values_bytes (most));
}

/* Changes to one slot per line, if all slots are void. */
void
_cured_race_page_reset (RacePage *page)
{
  page->grain = GRAIN_LINE;
  for (int i = 0; i < N_PLANES; i++)
    if (page->planes[i] != NULL)
      memset (page->planes[i], 0, get_plane_bytes (GRAIN_LINE));
}

/* Reallocates a block of @size bytes with @more. */
static gpointer
renew_block (gpointer block, gsize size, gsize more)
{
  if (block == NULL || size == more)
    return block;
  gpointer renewed = memcpy (take_block (more), block, size);
  give_block (block, size);
  return renewed;
}

/* Makes room for slots of a grain. */
static void
grow (RacePage *page, RaceGrain grain)
{
  RaceGrain most = (RaceGrain) page->most;

  if (most >= grain)
    return;
  for (int i = 0; i < N_PLANES; i++)
    page->planes[i] =
        renew_block (page->planes[i], get_plane_bytes (most), get_plane_bytes (grain));
  page->values = renew_block (page->values, get_values_bytes (most), get_values_bytes (grain));
  page->most = (uint8_t) grain;
}

/* Whether words of a page of lines have several lanes each. */
static bool
has_halves (const RacePage *page)
{
  for (int i = 0; i < N_PLANES; i++)
    for (uint32_t k = 0; page->planes[i] != NULL && k < PAGE_BYTES >> LINE_BITS; k++)
      if (is_of_halves (page->planes[i][k].lanes))
        return true;
  return false;
}

/* Splits slots of lines into slots of words, or of bytes if needed; slots of words into those of
 * bytes. */
void
_cured_race_page_split (RacePage *page)
{
  bool is_lines = page->grain == GRAIN_LINE;
  RaceGrain grain = is_lines && !has_halves (page) ? GRAIN_WORD : GRAIN_BYTE;
  uint32_t from = get_grain_bits (page->grain), to = get_grain_bits (grain);

  grow (page, grain);
  /* Backwards: the target is never before the source. */
  for (int i = 0; i < N_PLANES; i++)
    for (uint32_t k = get_n_slots (grain); page->planes[i] != NULL && k-- > 0;)
      {
        RaceSlot slot = page->planes[i][k >> (from - to)];

        if (is_lines && slot.lanes != 0)
          slot.lanes = get_form_lanes (slot.lanes, (k << to) % LINE_BYTES);
        page->planes[i][k] = slot;
      }
  if (page->values != NULL && grain == GRAIN_BYTE)
    for (uint32_t b = PAGE_BYTES; b-- > 0;)
      page->values[b] = page->values[b >> WORD_BITS] >> (b % 4 * 8) & 0xff;
  page->grain = grain;
}

/* The slot of the byte at @address; pages of lines are split first.
 *
 * Returns: (nullable): NULL: the page has no such plane */
RaceSlot *
_cured_race_page_get_slot (RacePage *page, int plane, uint64_t address)
{
  if (page->grain == GRAIN_LINE)
    _cured_race_page_split (page);
  return page->planes[plane] == NULL
             ? NULL
             : page->planes[plane] + ((address & (PAGE_BYTES - 1)) >> get_grain_bits (page->grain));
}
