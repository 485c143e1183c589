/* SPDX-License-Identifier: MIT
 * The race detector's shadow of memory: pages, and how they are split. */
#include "ptx/watch/cured-race-shadow-private.h"

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

/* Two host threads may come at once. */
RacePage *
_cured_race_region_add_chunk (RaceRegion *self, gsize chunk)
{
  RacePage *pages = g_new0 (RacePage, CHUNK_PAGES);

  if (g_atomic_pointer_compare_and_exchange (&self->chunks[chunk], NULL, pages))
    return pages;
  g_free (pages);
  return g_atomic_pointer_get (&self->chunks[chunk]);
}

/* Makes a plane that is not there yet. */
RaceSlot *
_cured_race_page_add_plane (RacePage *page, int plane)
{
  page->planes[plane] = g_new0 (RaceSlot, PAGE_BYTES >> get_grain_bits (page));
  return page->planes[plane];
}

/* Makes room for stored values, where there is none yet. */
uint32_t *
_cured_race_page_add_values (RacePage *page)
{
  page->values = g_new0 (uint32_t, PAGE_BYTES >> (page->grain == GRAIN_BYTE ? 0 : WORD_BITS));
  return page->values;
}

/* Frees what the page has. */
void
_cured_race_page_clear (RacePage *page)
{
  for (int i = 0; i < N_PLANES; i++)
    g_free (page->planes[i]);
  g_free (page->values);
}

/* From a slot a line to one a word, or from there to one a byte. */
void
_cured_race_page_split (RacePage *page)
{
  uint32_t from = get_grain_bits (page);
  bool is_lines = page->grain == GRAIN_LINE;
  uint32_t to = is_lines ? WORD_BITS : 0;

  for (int i = 0; i < N_PLANES; i++)
    {
      RaceSlot *slots = page->planes[i];

      if (slots == NULL)
        continue;
      page->planes[i] = g_new (RaceSlot, PAGE_BYTES >> to);
      for (uint32_t k = 0; k < PAGE_BYTES >> to; k++)
        {
          RaceSlot *slot = &page->planes[i][k];

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

/* The slot of the byte at @address, which lines have none of: they are split.
 *
 * Returns: (nullable): NULL: the page has no such plane */
RaceSlot *
_cured_race_page_get_slot (RacePage *page, int plane, uint64_t address)
{
  if (page->grain == GRAIN_LINE)
    _cured_race_page_split (page);
  return page->planes[plane] == NULL
             ? NULL
             : page->planes[plane] + ((address & (PAGE_BYTES - 1)) >> get_grain_bits (page));
}
