/* SPDX-License-Identifier: MIT
 * The non-empty cells of a sparse result, by number and by rank. */
#include "store/cured-ranks-private.h"

#include "base/cured-own.h"

struct _CuredRanks
{
  guint64 *bits;
  guint32 *before; /* number of bits in the words before this one */
  gint64 n_words;
};

/* (transfer full). @states: (array length=n_cells): 0 if a cell is empty. */
CuredRanks *
_cured_ranks_new (const guint8 *states, gint64 n_cells)
{
  CuredRanks *self = g_new0 (CuredRanks, 1);
  guint32 n_held = 0;

  self->n_words = (n_cells + 63) / 64;
  self->bits = g_new0 (guint64, (gsize) self->n_words);
  self->before = g_new0 (guint32, (gsize) self->n_words);
  for (gint64 cell = 0; cell < n_cells; cell++)
    self->bits[cell / 64] |= (guint64) (states[cell] != 0) << (cell % 64);
  for (gint64 word = 0; word < self->n_words; word++)
    {
      self->before[word] = n_held;
      n_held += (guint32) __builtin_popcountll (self->bits[word]);
    }
  return self;
}

/* The number of non-empty cells before @cell; -1 if it is empty. */
gint64
_cured_ranks_find (const CuredRanks *self, gint64 cell)
{
  guint64 word = self->bits[cell / 64], bit = G_GUINT64_CONSTANT (1) << (cell % 64);

  return (word & bit) != 0
             ? (gint64) self->before[cell / 64] + __builtin_popcountll (word & (bit - 1))
             : -1;
}

/* The first non-empty cell from @cell on; -1 if there is none. */
gint64
_cured_ranks_next (const CuredRanks *self, gint64 cell)
{
  gint64 at = cell / 64;

  if (at >= self->n_words)
    return -1;
  guint64 word = self->bits[at] & (G_MAXUINT64 << (cell % 64));
  while (word == 0)
    {
      if (++at >= self->n_words)
        return -1;
      word = self->bits[at];
    }
  return at * 64 + __builtin_ctzll (word);
}

/* @self: (nullable) (transfer full) */
CURED_DEFINE_FREE (CuredRanks, _cured_ranks_free, bits, g_free, before, g_free)
