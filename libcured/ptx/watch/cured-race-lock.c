/* SPDX-License-Identifier: MIT
 * The race detector: locks that were taken without a fence. */
#include "ptx/watch/cured-race-private.h"

#include <string.h>

/* Maximum number of pairs of a thread and a lock taken without a fence; others are ignored. */
#define MAX_LOOSE 65536

/* A thread with accesses under a lock taken without a fence. */
typedef struct
{
  uint64_t address;
  uint32_t party, lane;
} Loose;

static guint
loose_hash (gconstpointer key)
{
  const Loose *loose = key;

  return (guint) (loose->address ^ loose->address >> 32) * 31 + loose->party * 33 + loose->lane;
}

static gboolean
loose_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Loose)) == 0;
}

/* Makes a table of such threads, with the lowest RaceLevel of their locks. */
GHashTable *
_cured_race_loose_new (void)
{
  return g_hash_table_new_full (loose_hash, loose_equal, g_free, NULL);
}

/* The lanes of @lanes that hold the lock of @slot's accesses, if its threads took it without the
 * fence that they would need if these lanes had held it first. */
uint32_t
_cured_race_find_loose (const RaceVisit *visit, const RaceSlot *slot, uint32_t lanes)
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
      const RaceLock *lock = &visit->races->locks[visit->warp->index * CURED_WARP_LANES + lane];
      uint32_t others = slot->lanes;

      if (slot->party == visit->stance.slot.party)
        others &= ~(1u << lane);
      if (lock->level == LEVEL_FREE || (is_foreign && lock->space == CURED_SPACE_SHARED))
        continue;
      for (; others != 0; others &= others - 1)
        {
          Loose key = { lock->address, slot->party, (uint32_t) __builtin_ctz (others) };
          guint level = GPOINTER_TO_UINT (g_hash_table_lookup (self->loose, &key));

          if (level == LEVEL_LOOSE || (level == LEVEL_BLOCK && is_foreign))
            loose |= 1u << lane;
        }
    }
  g_mutex_unlock (&self->mutex);
  return loose;
}

/* A fence or a barrier of @mask. */
void
_cured_race_tighten_locks (RaceBlock *races, uint32_t warp, uint32_t mask, RaceLevel level)
{
  if (races->locks == NULL)
    return;
  for (; mask != 0; mask &= mask - 1)
    {
      RaceLock *lock = &races->locks[warp * CURED_WARP_LANES + (uint32_t) __builtin_ctz (mask)];

      if (lock->level != LEVEL_FREE)
        lock->level = MAX (lock->level, level);
    }
}

/* Records accesses of lanes whose lock was taken without a fence.
 *
 * Returns: these lanes */
uint32_t
_cured_race_note_loose (RaceVisit *visit)
{
  RaceDetector *self = visit->self;
  uint32_t loose = 0;

  if (G_LIKELY (visit->races->locks == NULL))
    return 0;
  for (uint32_t left = visit->access->mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      const RaceLock *lock = &visit->races->locks[visit->warp->index * CURED_WARP_LANES + lane];
      Loose key = { lock->address, visit->stance.slot.party, lane };

      if (lock->level == LEVEL_FREE || lock->level == LEVEL_TIGHT ||
          visit->access->address[lane] == lock->address)
        continue;
      loose |= 1u << lane;
      g_mutex_lock (&self->mutex);
      guint level = GPOINTER_TO_UINT (g_hash_table_lookup (self->loose, &key));
      if ((level == LEVEL_FREE || level > lock->level) &&
          g_hash_table_size (self->loose) < MAX_LOOSE)
        g_hash_table_insert (self->loose, g_memdup2 (&key, sizeof key),
                             GUINT_TO_POINTER (lock->level));
      g_mutex_unlock (&self->mutex);
    }
  return loose;
}

/* Updates the locks that the access takes or releases. */
void
_cured_race_update_locks (const RaceVisit *visit, uint32_t roles)
{
  RaceBlock *races = visit->races;
  const CuredAccess *access = visit->access;
  bool is_narrow = (visit->stance.slot.where & FLAG_NARROW) != 0;

  if ((roles & ROLE_LOCKS) != 0 && races->locks == NULL)
    races->locks = g_new0 (RaceLock, visit->warp->block->n_warps * CURED_WARP_LANES);
  if (races->locks == NULL)
    return;
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      RaceLock *lock = &races->locks[visit->warp->index * CURED_WARP_LANES + lane];

      if ((roles & ROLE_LOCKS) != 0)
        *lock = (RaceLock){ access->address[lane], access->space,
                            (roles & ROLE_ACQUIRES) == 0 ? LEVEL_LOOSE
                            : is_narrow                  ? LEVEL_BLOCK
                                                         : LEVEL_TIGHT };
      else if ((roles & ROLE_CARRIES) != 0 && lock->address == access->address[lane])
        lock->level = LEVEL_FREE;
    }
}
