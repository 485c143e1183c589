/* SPDX-License-Identifier: MIT
 * The race detector: processes accesses in the shadow.
 *
 * Most accesses meet an empty slot, their own warp, or only reads: they take a fast path, with
 * exactly the result of the slow path. There are fast paths for whole lines, rows of consecutive
 * words, and single words. A page's latest write, read and atomic determine whether anything in it
 * is later than the block's last barrier.
 *
 * Rejected: a shadow of each word's readers as a set of warps, which is wrong for tiles of a warp
 * that synchronize among themselves; and lines in pages of words, which every transposed access
 * would split again. */
#include "ptx/watch/cured-race-private.h"

#include <string.h>

/* ---- Stores ---- */

static inline const uint8_t *
get_operand (const RaceVisit *visit, const CuredPtxOperand *x, uint32_t lane)
{
  const CuredPtxInst *inst = visit->access->inst;

  if (G_UNLIKELY (visit->stored != NULL))
    return visit->stored + ((x - &inst->x[inst->counts[0]]) * CURED_WARP_LANES + lane) * x->width;
  return visit->warp->bases[x->base] + x->offset + (gsize) lane * x->width;
}

static void
get_value (RaceVisit *visit, uint32_t lane)
{
  const CuredPtxInst *inst = visit->access->inst;
  const CuredPtxOperand *x = &inst->x[inst->counts[0]];
  uint32_t bytes = visit->value_bytes;

  for (uint32_t i = 0; i < inst->counts[1]; i++)
    if (G_LIKELY (bytes == 4))
      memcpy (visit->value + i * 4, get_operand (visit, &x[i], lane), 4);
    else
      memcpy (visit->value + i * bytes, get_operand (visit, &x[i], lane), bytes);
}

/* Sets the values of @n words from @cell on, stored by lanes from @lane on; @at is the offset into
 * the first lane's bytes. */
static void
set_values (RaceVisit *visit, RacePage *page, uint32_t cell, uint32_t lane, uint32_t at, uint32_t n)
{
  const CuredPtxInst *inst = visit->access->inst;
  const CuredPtxOperand *x = &inst->x[inst->counts[0]];
  uint32_t *values = get_values (page) + cell;

  if (visit->access->width <= 4 && visit->access->width == x->width)
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

/* ---- Relation of a slot to an access ---- */

/* Whether a slot is ordered before all threads of the block. */
static G_ALWAYS_INLINE inline bool
is_void (const RaceStance *stance, const RaceSlot *slot)
{
  if (slot->party - stance->first_party >= CURED_WARP_LANES)
    return slot->party - stance->first_mate >= stance->n_mates || slot->lanes == 0;
  return slot->lanes == 0 || (slot->clock < stance->floor && (slot->where & FLAG_UNDERWAY) == 0);
}

/* Classifies a slot for an access of @lanes, without vector clocks: it is void, or has only the
 * lanes of the access: their single lane, or a line's lanes in the same form. If the lanes' vector
 * clocks are the floor, they are ordered only after these. @is_line: @lanes is a line's form */
static G_ALWAYS_INLINE inline RaceRest
get_rest (const RaceStance *stance, const RaceSlot *slot, uint32_t lanes, bool is_line)
{
  if (is_void (stance, slot))
    return REST_GONE;
  if (!stance->is_plain)
    return REST_UNKNOWN;
  if (slot->party - stance->first_party >= CURED_WARP_LANES)
    return REST_FOREIGN;
  if (slot->party != stance->slot.party)
    return REST_HERE;
  return slot->lanes == lanes && is_one_lane (lanes, is_line) && (slot->where & FLAG_UNDERWAY) == 0
             ? REST_GONE
             : REST_UNKNOWN;
}

static inline bool
is_gone (const RaceStance *stance, const RacePage *page, int plane, uint32_t cell, uint32_t lanes)
{
  return page->planes[plane] == NULL || get_rest (stance, &page->planes[plane][cell], lanes,
                                                  page->grain == GRAIN_LINE) == REST_GONE;
}

/* Classifies a slot by the vector clocks. */
static RaceRest
ask_rest (const RaceVisit *visit, const RaceSlot *slot, uint32_t lanes)
{
  return _cured_race_find_unordered (visit, slot, lanes) == 0 ? REST_GONE
         : get_block (slot) == visit->races->number           ? REST_HERE
                                                              : REST_FOREIGN;
}

/* ---- Pages ---- */

/* Whether all slots of a kind are void. */
static inline bool
is_kind_void (const RaceVisit *visit, const RacePage *page, RaceKind kind)
{
  uint64_t first = (uint64_t) (visit->races->number + 1) << 32;

  if (visit->is_shared)
    return page->latest[kind] < first + visit->stance.floor && page->n_underway == 0;
  return page->latest[kind] == 0 || page->latest[kind] - first < visit->stance.floor;
}

/* Prepares @page for the access. In shared memory slots of earlier blocks are void; blocks of a
 * cluster are distinguished per slot. */
static inline void
announce (const RaceVisit *visit, RacePage *page)
{
  RaceKind kind = visit->plane == PLANE_WRITE    ? KIND_WRITES
                  : visit->plane == PLANE_ATOMIC ? KIND_ATOMICS
                                                 : KIND_READS;
  uint64_t *latest = &page->latest[kind];
  bool is_mixed = visit->is_shared ? visit->self->is_clustered
                                   : *latest != 0 && *latest >> 32 != visit->stamp >> 32;

  *latest = is_mixed ? UINT64_MAX : MAX (*latest, visit->stamp);
}

/* For a store to a region without expected stores: watches it from now on. */
static RaceRegion *
add_region (RaceDetector *self, const CuredRegion *region)
{
  RaceRegion **shadow = &self->regions[region->index];

  g_mutex_lock (&self->mutex);
  if (*shadow == NULL)
    g_atomic_pointer_set (shadow, _cured_race_region_new (region->size));
  g_mutex_unlock (&self->mutex);
  return *shadow;
}

static RacePage *
find_page (const RaceVisit *visit, uint64_t address, uint64_t *offset)
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
  if (region == NULL || region->index >= self->n_regions)
    return NULL;
  RaceRegion *shadow = g_atomic_pointer_get (&self->regions[region->index]);
  if (shadow == NULL && !region->is_constant && visit->plane != PLANE_READ)
    shadow = add_region (self, region);
  if (shadow == NULL)
    return NULL;
  *offset = address - region->address;
  return get_region_page (shadow, *offset);
}

/* Pages of global memory are locked for a few words at a time, with little contention. */
static inline void
lock_page (RacePage *page)
{
  while (G_UNLIKELY (__atomic_test_and_set (&page->is_held, __ATOMIC_ACQUIRE)))
    g_thread_yield ();
}

static inline void
leave_page (RaceVisit *visit)
{
  if (visit->held.page != NULL && !visit->is_shared)
    __atomic_clear (&visit->held.page->is_held, __ATOMIC_RELEASE);
}

/* Whether all lanes of an access are adjacent from the start of a line. */
static inline bool
is_of_lines (const RaceVisit *visit, uint64_t offset)
{
  return visit->is_words && visit->access->pattern == CURED_PATTERN_CONTIGUOUS &&
         visit->access->kind != CURED_ACCESS_COPY && offset % LINE_BYTES == 0;
}

static inline void
set_quick (RaceVisit *visit)
{
  visit->held.n_quick = visit->held.page->grain == GRAIN_WORD && visit->is_words ? PAGE_BYTES : 0;
}

/* Releases the held page and enters that of @address. */
static void
enter_page (RaceVisit *visit, uint64_t address)
{
  uint64_t offset = 0;

  leave_page (visit);
  visit->held.n_quick = 0;
  RacePage *page = visit->held.page = find_page (visit, address, &offset);
  visit->held.first = address - (offset & (PAGE_BYTES - 1));
  if (page == NULL)
    return;
  if (!visit->is_shared)
    lock_page (page);
  else if (page->postponed == visit->owner->round && visit->owner->n_postponed > 0)
    _cured_race_catch_up (visit->self, visit->owner, visit->warp->block);
  visit->held.is_quiet =
      is_kind_void (visit, page, KIND_ATOMICS) &&
      is_kind_void (visit, page, visit->plane == PLANE_READ ? KIND_WRITES : KIND_READS);
  /* Memory accessed by words before a barrier may be accessed by lines after it. Slots of bulk
   * copies are not made void by barriers, and the lanes of strong accesses are needed later. */
  if (page->grain != GRAIN_LINE && visit->held.is_quiet && visit->is_shared &&
      visit->self->is_weak && is_of_lines (visit, offset) &&
      is_kind_void (visit, page, visit->plane == PLANE_READ ? KIND_READS : KIND_WRITES))
    _cured_race_page_reset (page);
  announce (visit, page);
  set_quick (visit);
}

static inline bool
hold_page (RaceVisit *visit, uint64_t address)
{
  if (visit->held.page == NULL || address - visit->held.first >= PAGE_BYTES)
    enter_page (visit, address);
  return visit->held.page != NULL;
}

/* ---- A slot ---- */

static G_ALWAYS_INLINE inline void
set_slot (const RaceStance *stance, RaceSlot *slot, uint32_t lanes)
{
  *slot = stance->slot;
  slot->lanes = lanes;
}

/* Accesses in flight complete lane by lane, so each lane has its own slot. */
static G_ALWAYS_INLINE inline bool
join (const RaceStance *stance, RaceSlot *slot, uint32_t lanes, bool is_line)
{
  if (!is_joinable (&stance->slot, slot) ||
      (slot->lanes != lanes && (is_line || (stance->slot.where & FLAG_UNDERWAY) != 0)))
    return false;
  slot->lanes |= lanes;
  return true;
}

/* Adds @lanes to the two sets of a kind of access. */
static void
add_to_sets (RaceVisit *visit, RacePage *page, int plane, uint32_t cell, uint32_t lanes)
{
  RaceSlot *first = &get_plane (page, plane)[cell];
  RaceSlot *second = page->planes[plane + 1] != NULL ? &page->planes[plane + 1][cell] : NULL;
  RaceRest of_second = REST_GONE;

  if (join (&visit->stance, first, lanes, false) ||
      (second != NULL && join (&visit->stance, second, lanes, false)))
    return;
  if (second != NULL)
    {
      of_second = ask_rest (visit, second, lanes);
      if (of_second == REST_GONE)
        second->lanes = 0;
    }
  RaceSlot *slot = race_choose_slot (first, ask_rest (visit, first, lanes), second, of_second);
  set_slot (&visit->stance, slot != NULL ? slot : &get_plane (page, plane + 1)[cell], lanes);
}

/* Records a read that needs no check of writes. FALSE: a check is needed, or a second slot is
 * missing.
 * @second: (nullable):
 * @is_line: @lanes is a line's form */
static G_ALWAYS_INLINE inline bool
read_quickly (const RaceStance *stance, RaceSlot *first, RaceSlot *second, uint32_t lanes,
              bool is_line)
{
  RaceRest of_second = REST_GONE;

  if (join (stance, first, lanes, is_line) ||
      (second != NULL && join (stance, second, lanes, is_line)))
    return true;
  RaceRest of_first = get_rest (stance, first, lanes, is_line);
  if (second != NULL)
    of_second = get_rest (stance, second, lanes, is_line);
  if (of_first == REST_UNKNOWN || of_second == REST_UNKNOWN)
    return false;
  RaceSlot *slot = race_choose_slot (first, of_first, second, of_second);
  if (slot == NULL)
    return false;
  if (second != NULL && of_second == REST_GONE)
    second->lanes = 0;
  set_slot (stance, slot, lanes);
  return true;
}

/* Records a write. */
static void
set_write (RaceVisit *visit, RacePage *page, uint32_t cell, uint32_t lanes, uint32_t offset,
           uint32_t size)
{
  RaceSlot *slot = &get_plane (page, PLANE_WRITE)[cell];

  if (is_at_once (slot, &visit->stance.slot) && slot->where == visit->stance.slot.where)
    slot->lanes |= lanes;
  else
    set_slot (&visit->stance, slot, lanes);
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

/* The fast path for most reads and writes: the memory was accessed before a barrier, or only read,
 * or accessed only by the same lanes. FALSE: it does not apply. */
static inline bool
visit_quickly (RaceVisit *visit, uint32_t cell, uint32_t lanes)
{
  const RaceStance *stance = &visit->stance;
  RacePage *page = visit->held.page;
  bool is_write = visit->plane == PLANE_WRITE, is_line = page->grain == GRAIN_LINE;
  RaceSlot *first;

  if (visit->plane == PLANE_ATOMIC ||
      (is_write && !is_gone (stance, page, PLANE_WRITE, cell, lanes)))
    return false;
  if (!visit->held.is_quiet)
    for (int i = 0; i < N_PLANES; i++)
      if ((is_write || (i != PLANE_READ && i != PLANE_READ_2)) &&
          !is_gone (stance, page, i, cell, lanes))
        return false;
  if (!is_write)
    {
      first = &get_plane (page, PLANE_READ)[cell];
      return (page->planes[PLANE_READ_2] == NULL &&
              read_quickly (stance, first, NULL, lanes, is_line)) ||
             read_quickly (stance, first, &get_plane (page, PLANE_READ_2)[cell], lanes, is_line);
    }
  if (!visit->held.is_quiet)
    for (int i = PLANE_READ; i < N_PLANES; i++)
      if (page->planes[i] != NULL)
        page->planes[i][cell].lanes = 0;
  return true;
}

/* Checks and records one word or byte of an access of @lanes: at @offset in each lane's bytes. */
static void
visit_slowly (RaceVisit *visit, RacePage *page, uint32_t cell, uint32_t lanes, uint64_t address,
              uint32_t offset, uint32_t size)
{
  RaceSlot *write = page->planes[PLANE_WRITE];

  if (write != NULL && write[cell].lanes != 0 &&
      !(visit->plane == PLANE_WRITE && page->values != NULL &&
        _cured_race_stores_the_same (visit, &write[cell], page->values[cell], offset, size)))
    _cured_race_check_slot (visit, page, cell, &write[cell], PLANE_WRITE, lanes, address);

  for (int i = PLANE_READ; i < N_PLANES; i++)
    {
      RaceSlot *slot = page->planes[i];
      bool is_read = i == PLANE_READ || i == PLANE_READ_2;

      if (slot == NULL || slot[cell].lanes == 0 || (is_read && visit->plane == PLANE_READ))
        continue;
      slot += cell;
      /* Two atomics can race only because of their scopes. */
      if (!is_read && visit->plane == PLANE_ATOMIC &&
          (((slot->where | visit->stance.slot.where) & FLAG_NARROW) == 0 ||
           get_block (slot) == visit->races->number))
        continue;
      if (_cured_race_check_slot (visit, page, cell, slot, i, lanes, address) &&
          visit->plane != PLANE_READ)
        slot->lanes = 0;
    }

  if (visit->plane == PLANE_WRITE)
    set_write (visit, page, cell, lanes, offset, size);
  else
    add_to_sets (visit, page, visit->plane, cell, lanes);
}

/* Visits the slot of the byte at @at of the access of @lanes at @address; returns its size in
 * bytes. */
static uint32_t
visit_cell (RaceVisit *visit, uint64_t address, uint32_t at, uint32_t lanes)
{
  bool is_one = visit->access->pattern == CURED_PATTERN_SAME || (lanes & (lanes - 1)) == 0;
  uint32_t size = WORD_BYTES;

  address += at;
  if (!hold_page (visit, address))
    return visit->access->width;
  RacePage *page = visit->held.page;
  uint32_t cell = (uint32_t) (address - visit->held.first);
  if (page->grain == GRAIN_LINE)
    _cured_race_page_split (page);
  if (page->grain == GRAIN_WORD && (cell % size != 0 || visit->access->width - at < size))
    _cured_race_page_split (page);
  set_quick (visit);
  if (page->grain == GRAIN_WORD)
    cell >>= WORD_BITS;
  else
    size = 1;

  if (visit_quickly (visit, cell, lanes))
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

/* ---- Rows of words ---- */

/* Consecutive lanes that access one address, or adjacent ones. */
typedef struct
{
  uint64_t address; /* of the first lane */
  uint32_t lane;
  uint32_t n;     /* lanes */
  uint32_t lanes; /* those that access the first word */
  bool is_same;
} Piece;

/* The first piece of the lanes of @left.
 * @copies: lanes that each of them represents */
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
    while (piece.n < most && address[piece.n] == address[0] + piece.n * access->width)
      piece.n++;
  return piece;
}

/* The position in a piece. */
typedef struct
{
  uint32_t at;    /* bytes from its start */
  uint32_t lanes; /* those that access the word */
  uint32_t left;  /* words up to the next lane's */
  uint32_t n;     /* words per lane */
} Cursor;

static G_ALWAYS_INLINE inline void
step (Cursor *cursor)
{
  cursor->at += WORD_BYTES;
  if (--cursor->left == 0)
    {
      cursor->left = cursor->n;
      cursor->lanes <<= 1;
    }
}

/* Slots of a row that an access is checked against. */
typedef struct
{
  RaceSlot *slots[N_PLANES];
  uint32_t n;
} Others;

static inline Others
get_others (const RaceVisit *visit, uint32_t cell)
{
  RacePage *page = visit->held.page;
  bool is_write = visit->plane == PLANE_WRITE;
  Others others = { .n = 0 };

  if (visit->held.is_quiet)
    return others;
  for (int i = 0; i < N_PLANES; i++)
    if (page->planes[i] != NULL && (i == PLANE_WRITE                       ? !is_write
                                    : i == PLANE_READ || i == PLANE_READ_2 ? is_write
                                                                           : true))
      others.slots[others.n++] = page->planes[i] + cell;
  return others;
}

/* Whether the access is ordered after the @i-th slot of each. */
static G_ALWAYS_INLINE inline bool
are_others_gone (const RaceStance *stance, const Others *others, gsize i, uint32_t lanes)
{
  for (uint32_t k = 0; k < others->n; k++)
    if (get_rest (stance, &others->slots[k][i], lanes, false) != REST_GONE)
      return false;
  return true;
}

#ifdef __x86_64__
/* Does the same as read_quickly () for words of one lane each whose slots are empty, or have lanes
 * of the same reads, two slots at once.
 *
 * @second: (nullable):
 *
 * Returns: number of words done, from the first one on */
static __attribute__ ((target ("avx2"))) uint32_t
read_pairs (const RaceSlot *own, RaceSlot *first, const RaceSlot *second, uint32_t n,
            uint32_t lanes)
{
  typedef uint32_t Pair __attribute__ ((vector_size (2 * sizeof (RaceSlot))));
  typedef float Test __attribute__ ((vector_size (2 * sizeof (RaceSlot))));
  const uint32_t all = G_MAXUINT32, flags = (1u << FLAG_BITS) - 1;
  const Pair mine = {
    own->party, own->clock, 0, own->where, own->party, own->clock, 0, own->where
  };
  const Pair same = { all, all, 0, flags, all, all, 0, flags };
  const Pair empty = { 0, 0, all, 0, 0, 0, all, 0 };
  Pair added = { 0, 0, lanes, 0, 0, 0, lanes << 1, 0 };
  uint32_t i = 0;

  for (; i + 2 <= n; i += 2, added <<= 2)
    {
      Pair pair, other = { 0 };

      memcpy (&pair, first + i, sizeof pair);
      if (second != NULL)
        memcpy (&other, second + i, sizeof other);
      Pair is_same = (Pair) (((pair ^ mine) & same) == 0), is_empty = (Pair) (pair == 0);
      Pair is_void = (Pair) ((pair | other) == 0);
      if (__builtin_ia32_movmskps256 ((Test) ((is_same & ~empty) | (is_empty & empty))) == 0xbb)
        pair |= added;
      else if ((__builtin_ia32_movmskps256 ((Test) is_void) & 0x44) == 0x44)
        pair = mine | added;
      else
        break;
      memcpy (first + i, &pair, sizeof pair);
    }
  return i;
}
#endif

/* Reads words of a row of slots, while only readers have to be checked and read_quickly ()
 * succeeds. */
static inline void
read_row (RaceVisit *visit, const RaceStance *stance, uint32_t cell, uint32_t n, Cursor *cursor)
{
  RacePage *page = visit->held.page;
  RaceSlot *first = get_plane (page, PLANE_READ) + cell, *second = page->planes[PLANE_READ_2];
  const Others others = get_others (visit, cell);
  Cursor c = *cursor;
  uint32_t i = 0;

  while (i < n)
    {
#ifdef __x86_64__
      /* Where two warps meet, the slots of the first few words differ. */
      if (c.n == 1 && others.n == 0 && i <= 2 && (stance->slot.where & FLAG_UNDERWAY) == 0 &&
          __builtin_cpu_supports ("avx2"))
        {
          uint32_t done = read_pairs (&stance->slot, first + i,
                                      second != NULL ? second + cell + i : NULL, n - i, c.lanes);

          i += done;
          c.at += done * WORD_BYTES;
          c.lanes = (uint32_t) ((uint64_t) c.lanes << done);
          if (i == n)
            break;
        }
#endif
      if (!are_others_gone (stance, &others, i, c.lanes) ||
          !(second == NULL ? read_quickly (stance, &first[i], NULL, c.lanes, false)
                           : read_quickly (stance, &first[i], &second[cell + i], c.lanes, false)))
        break;
      step (&c);
      i++;
    }
  *cursor = c;
}

/* Writes words of a row of slots, while they are ordered after the slots' accesses. */
static inline void
write_row (RaceVisit *visit, const RaceStance *stance, uint32_t cell, uint32_t n, Cursor *cursor)
{
  RaceSlot *slots = get_plane (visit->held.page, PLANE_WRITE) + cell;
  const Others others = get_others (visit, cell);
  Cursor c = *cursor;

  for (uint32_t i = 0; i < n && get_rest (stance, &slots[i], c.lanes, false) == REST_GONE &&
                       are_others_gone (stance, &others, i, c.lanes);
       i++)
    {
      for (uint32_t k = 0; k < others.n; k++)
        others.slots[k][i].lanes = 0;
      set_slot (stance, &slots[i], c.lanes);
      step (&c);
    }
  *cursor = c;
}

/* Visits a piece's whole line at @lane; FALSE: each word must be checked. */
static inline bool
visit_line (RaceVisit *visit, uint32_t offset, uint32_t lane, uint32_t form)
{
  uint32_t cell = offset >> LINE_BITS;
  RacePage *page = visit->held.page;

  if (!visit_quickly (visit, cell, form))
    return false;
  if (visit->plane == PLANE_WRITE)
    {
      set_slot (&visit->stance, &get_plane (page, PLANE_WRITE)[cell], form);
      if (visit->value_bytes != 0)
        set_values (visit, page, offset >> WORD_BITS, lane, 0, LINE_WORDS);
    }
  return true;
}

/* Handles words of a piece on the fast path; FALSE: none qualifies. */
static inline bool
visit_row (RaceVisit *visit, const RaceStance *stance, uint32_t offset, uint32_t size,
           uint32_t lane, Cursor *cursor)
{
  RacePage *page = visit->held.page;
  uint32_t cell = offset >> WORD_BITS, at = cursor->at;

  if (offset >= visit->held.n_quick)
    return false;
  uint32_t n = MIN (size - at, visit->held.n_quick - offset) >> WORD_BITS;
  if (visit->plane == PLANE_WRITE)
    write_row (visit, stance, cell, n, cursor);
  else
    read_row (visit, stance, cell, n, cursor);
  if (cursor->at > at && visit->value_bytes != 0)
    set_values (visit, page, cell, lane, at & (visit->access->width - 1),
                (cursor->at - at) >> WORD_BITS);
  return cursor->at > at;
}

/* ---- Rows of words that race ---- */

/* Code that relies on a warp's lanes running in lockstep races at each step: its findings are the
 * same for all words of a row, and joined. */

/* Flags of accesses that need more than a check for order. */
#define OTHER_FLAGS (((1u << FLAG_BITS) - 1) & ~(uint32_t) FLAG_VOLATILE)

/* Whether slots alone determine the races of an access: its lanes have not synchronized with
 * others, and do not share words or bytes. */
static inline bool
may_race_by_row (const RaceVisit *visit, const Piece *piece)
{
  const CuredBlockOrder *order = visit->races->order;
  const CuredPtxInst *inst = visit->access->inst;

  if (!visit->stance.is_plain || order->heard[0] != NULL || order->heard[1] != NULL ||
      (visit->stance.slot.where & OTHER_FLAGS) != 0 || (piece->lanes & (piece->lanes - 1)) != 0)
    return false;
  return visit->plane == PLANE_READ ||
         (visit->access->width == WORD_BYTES && visit->value_bytes == WORD_BYTES &&
          inst->x[inst->counts[0]].width == WORD_BYTES);
}

/* Races of a row with one plane, usually with one access of the same warp. */
typedef struct
{
  RaceConflict *conflict; /* (nullable): the last one with the warp itself */
  uint32_t where;         /* of its other side */
  uint32_t lanes, there;  /* lanes to be added to it */
} Racing;

static inline void
note_racing (Racing *self)
{
  if (self->conflict == NULL)
    return;
  self->conflict->lanes |= self->lanes;
  self->conflict->there.lanes |= self->there;
  self->lanes = self->there = 0;
}

/* Does the same as _cured_race_check_slot () for one lane of such an access. FALSE: that must be
 * called instead.
 *
 * @is_over: (out): the access is ordered after the slot's */
static G_ALWAYS_INLINE inline bool
race_with (RaceVisit *visit, const RaceStance *stance, const RaceSlot *slot, int plane,
           uint32_t lane, uint64_t address, Racing *racing, bool *is_over)
{
  bool is_own = slot->party == stance->slot.party;
  RaceSlot there;

  *is_over = false;
  if (is_own && racing->conflict != NULL && slot->where == racing->where &&
      slot->clock >= stance->floor && slot->lanes != 0 && slot->lanes != lane)
    {
      racing->lanes |= lane;
      racing->there |= slot->lanes & ~lane;
      return true;
    }
  if ((slot->where & OTHER_FLAGS) != 0)
    return slot->lanes == 0;
  *is_over = is_void (stance, slot) || (is_own && slot->lanes == lane);
  if (*is_over)
    return true;
  note_racing (racing);
  racing->conflict = NULL;
  there = *slot;
  if (is_own)
    there.lanes &= ~lane;
  RaceConflict *conflict =
      _cured_race_add_conflict (visit, &there, plane, REASON_UNORDERED, lane, address);
  if (is_own)
    *racing = (Racing){ conflict, there.where, 0, 0 };
  return true;
}

/* Reads words of a row like visit_slowly (). */
static void
race_reads (RaceVisit *visit, const RaceStance *stance, uint32_t cell, uint32_t n, uint64_t address,
            Cursor *cursor)
{
  RacePage *page = visit->held.page;
  const RaceSlot *write = get_plane (page, PLANE_WRITE) + cell;
  RaceSlot *first = get_plane (page, PLANE_READ) + cell;
  Racing racing = { NULL };
  Cursor c = *cursor;
  bool is_over;

  for (uint32_t i = 0; i < n && race_with (visit, stance, &write[i], PLANE_WRITE, c.lanes,
                                           address + i * WORD_BYTES, &racing, &is_over);
       i++)
    {
      if (!join (stance, &first[i], c.lanes, false))
        add_to_sets (visit, page, PLANE_READ, cell + i, c.lanes);
      step (&c);
    }
  note_racing (&racing);
  *cursor = c;
}

/* Stores words of a row like visit_slowly ().
 * @from: the stored values */
static void
race_writes (RaceVisit *visit, const RaceStance *stance, uint32_t cell, uint32_t n,
             uint64_t address, const uint8_t *from, Cursor *cursor)
{
  RacePage *page = visit->held.page;
  const CuredPtxInst *code = visit->self->parent.grid->module->code;
  RaceSlot *slots = get_plane (page, PLANE_WRITE) + cell;
  uint32_t *values = get_values (page) + cell;
  Racing racing[PLANE_READ_2 + 1] = { { NULL } };
  Cursor c = *cursor;

  for (uint32_t i = 0; i < n; i++, address += WORD_BYTES)
    {
      uint32_t mine;
      bool is_over, is_told = true;

      memcpy (&mine, from + i * sizeof mine, sizeof mine);
      if (slots[i].lanes != 0 &&
          (values[i] != mine || code[slots[i].where >> FLAG_BITS].op != CURED_PTX_OP_st))
        is_told = race_with (visit, stance, &slots[i], PLANE_WRITE, c.lanes, address,
                             &racing[PLANE_WRITE], &is_over);
      for (int k = PLANE_READ; k <= PLANE_READ_2 && is_told; k++)
        if (page->planes[k] != NULL)
          {
            RaceSlot *read = &page->planes[k][cell + i];

            is_told = race_with (visit, stance, read, k, c.lanes, address, &racing[k], &is_over);
            if (is_over)
              read->lanes = 0;
          }
      if (!is_told)
        break;
      if (is_at_once (&slots[i], &stance->slot) && slots[i].where == stance->slot.where)
        slots[i].lanes |= c.lanes;
      else
        set_slot (stance, &slots[i], c.lanes);
      values[i] = mine;
      step (&c);
    }
  for (int k = PLANE_WRITE; k <= PLANE_READ_2; k++)
    note_racing (&racing[k]);
  *cursor = c;
}

/* Visits words of a row. FALSE: the first one needs visit_slowly (). */
static bool
race_by_row (RaceVisit *visit, const RaceStance *stance, uint64_t address, uint32_t size,
             uint32_t lane, Cursor *cursor)
{
  RacePage *page = visit->held.page;
  const CuredPtxInst *inst = visit->access->inst;
  uint32_t offset = (uint32_t) (address - visit->held.first), begin = cursor->at;

  if (offset >= visit->held.n_quick || page->planes[PLANE_ATOMIC] != NULL ||
      page->planes[PLANE_ATOMIC_2] != NULL)
    return false;
  uint32_t n = MIN (size - begin, visit->held.n_quick - offset) >> WORD_BITS;
  if (visit->plane == PLANE_READ)
    race_reads (visit, stance, offset >> WORD_BITS, n, address, cursor);
  else
    race_writes (visit, stance, offset >> WORD_BITS, n, address,
                 get_operand (visit, &inst->x[inst->counts[0]], lane), cursor);
  return cursor->at > begin;
}

static void
visit_piece (RaceVisit *visit, const RaceStance *stance, const Piece *piece, uint32_t folds)
{
  uint32_t width = visit->access->width, shift = (uint32_t) __builtin_ctz (width);
  uint32_t size = piece->is_same ? width : width * piece->n;
  bool may_be_lines = !piece->is_same && visit->access->kind != CURED_ACCESS_COPY;
  bool may_race = may_race_by_row (visit, piece);
  Cursor cursor = { .lanes = piece->lanes, .left = width >> WORD_BITS, .n = width >> WORD_BITS };
  uint32_t n_long = 0; /* number of words to check one by one */

  while (cursor.at < size)
    {
      uint32_t at = cursor.at, at_lane = at & (width - 1), lane = piece->lane + (at >> shift);

      if (!hold_page (visit, piece->address + at))
        {
          step (&cursor);
          continue;
        }
      uint32_t offset = (uint32_t) (piece->address + at - visit->held.first);
      if (may_be_lines && visit->held.page->grain == GRAIN_LINE && offset % LINE_BYTES == 0 &&
          size - at >= LINE_BYTES &&
          visit_line (visit, offset, lane, get_form (lane, shift - WORD_BITS, folds)))
        {
          cursor.at += LINE_BYTES;
          cursor.lanes <<= LINE_BYTES >> shift;
          continue;
        }
      /* The neighbours of a slow word are usually slow, too. */
      if (n_long > 0)
        n_long--;
      else if (visit_row (visit, stance, offset, size, lane, &cursor) ||
               (may_race && race_by_row (visit, stance, piece->address + at, size, lane, &cursor)))
        continue;
      else
        n_long = LINE_WORDS / 2;
      if (visit->value_bytes != 0)
        get_value (visit, lane);
      for (uint32_t done = 0; done < WORD_BYTES;)
        done += visit_cell (visit, piece->address + (at - at_lane), at_lane + done, cursor.lanes);
      step (&cursor);
    }
}

/* Visits a piece of one word in a page whose words are quiet; FALSE: it is not one. */
static G_ALWAYS_INLINE inline bool
visit_one (RaceVisit *visit, const RaceStance *stance, const Piece *piece)
{
  uint64_t offset = piece->address - visit->held.first;
  uint32_t cell = (uint32_t) offset >> WORD_BITS;
  RacePage *page = visit->held.page;

  if (offset >= visit->held.n_quick || !visit->held.is_quiet ||
      visit->access->width != WORD_BYTES || (piece->n > 1 && !piece->is_same))
    return false;
  RaceSlot *slot = get_plane (page, visit->plane) + cell;
  if (visit->plane == PLANE_READ)
    return read_quickly (
        stance, slot, page->planes[PLANE_READ_2] != NULL ? page->planes[PLANE_READ_2] + cell : NULL,
        piece->lanes, false);
  if (!is_void (stance, slot))
    return false;
  set_slot (stance, slot, piece->lanes);
  if (visit->value_bytes != 0)
    set_values (visit, page, cell, piece->lane, 0, 1);
  return true;
}

/* Visits an access of whole words. Reads of one address are one visit; stores may differ between
 * lanes. */
static void
visit_words (RaceVisit *visit)
{
  const CuredAccess *access = visit->access;
  const RaceStance stance = visit->stance;
  bool is_read = visit->plane == PLANE_READ;
  uint32_t folds = is_read ? access->folds : 0, left = access->mask;

  if (is_read && access->pattern == CURED_PATTERN_SAME)
    {
      Piece piece = { access->address[__builtin_ctz (left)], 0, 1, left, true };

      if (!visit_one (visit, &stance, &piece))
        visit_piece (visit, &stance, &piece, 0);
      return;
    }
  if (folds > 0)
    left >>= CURED_WARP_LANES - (CURED_WARP_LANES >> folds);
  while (left != 0)
    {
      Piece piece = get_piece (access, left, get_copies (folds));

      if (piece.is_same && !is_read)
        piece = (Piece){ piece.address, piece.lane, 1, 1u << piece.lane, true };
      if (!visit_one (visit, &stance, &piece))
        visit_piece (visit, &stance, &piece, folds);
      left &= ~(G_MAXUINT32 >> (CURED_WARP_LANES - piece.n) << piece.lane);
    }
}

static int
get_access_plane (CuredAccessKind kind)
{
  switch (kind)
    {
    case CURED_ACCESS_LOAD:
    case CURED_ACCESS_LDMATRIX: return PLANE_READ;
    case CURED_ACCESS_ATOMIC:
    case CURED_ACCESS_REDUCTION: return PLANE_ATOMIC;
    case CURED_ACCESS_STORE:
    case CURED_ACCESS_STMATRIX:
    case CURED_ACCESS_COPY:
    default: return PLANE_WRITE;
    }
}

/* Initializes @visit.
 *
 * @visit: (out): for memory of the block, or global memory
 * @races: of the block
 * @slot: of the access, without its lanes */
void
_cured_race_start_visit (RaceVisit *visit, RaceDetector *self, RaceBlock *races, CuredWarp *warp,
                         const CuredAccess *access, const RaceSlot *slot)
{
  bool is_shared = access->space == CURED_SPACE_SHARED;

  visit->self = self;
  visit->races = races;
  visit->owner = races;
  visit->warp = warp;
  visit->access = access;
  visit->stance = (RaceStance){
    .slot = *slot,
    .first_party = races->number * CURED_WARP_LANES,
    .first_mate = is_shared ? races->first * CURED_WARP_LANES : 0,
    .n_mates = is_shared ? races->n_blocks * CURED_WARP_LANES : G_MAXUINT32,
    .floor = races->order->floor,
    .is_plain = races->locks == NULL &&
                _cured_block_order_is_plain (races->order, warp->index, access->mask),
  };
  visit->held.page = NULL;
  visit->held.n_quick = 0;
  visit->plane = get_access_plane (access->kind);
  visit->stamp =
      (uint64_t) (races->number + 1) << 32 | (access->bulk != NULL ? G_MAXUINT32 : slot->clock);
  visit->is_shared = is_shared;
  visit->stored = NULL;
  visit->n_conflicts = 0;
}

/* Size in bytes of each stored operand, known for st only;
 * 0: unknown. */
static uint32_t
get_value_bytes (const CuredAccess *access)
{
  const CuredPtxInst *inst = access->inst;
  uint32_t n = inst->n_counts > 1 ? inst->counts[1] : 0;

  if (access->kind != CURED_ACCESS_STORE || inst->op != CURED_PTX_OP_st || n == 0 ||
      access->width > MAX_STORE)
    return 0;
  uint32_t bytes = n == 1 ? access->width : access->width / n;
  for (uint32_t i = 0; i < n; i++)
    if (inst->x[inst->counts[0] + i].width < bytes)
      return 0;
  return bytes;
}

/* Visits a line of adjacent half words, one per lane. FALSE: it is not one, or each byte must be
 * checked. */
static bool
visit_half_words (RaceVisit *visit)
{
  const CuredAccess *access = visit->access;
  const CuredPtxInst *inst = access->inst;

  if (access->width != WORD_BYTES / 2 || access->pattern != CURED_PATTERN_CONTIGUOUS ||
      visit->plane == PLANE_ATOMIC || access->kind == CURED_ACCESS_COPY || access->bulk != NULL ||
      (visit->value_bytes != 0 && inst->x[inst->counts[0]].width != access->width))
    return false;
  if (!hold_page (visit, access->address[0]))
    return true;
  uint32_t offset = (uint32_t) (access->address[0] - visit->held.first);
  return visit->held.page->grain == GRAIN_LINE && offset % LINE_BYTES == 0 &&
         visit_line (visit, offset, 0, get_form (0, FORM_HALVES, 0));
}

/* Visits one lane's bytes at @address. */
static void
visit_lane (RaceVisit *visit, uint64_t address, uint32_t lanes)
{
  for (uint32_t at = 0; at < visit->access->width;)
    at += visit_cell (visit, address, at, lanes);
}

/* Checks an access against the shadow, and records it there.
 *
 * @visit: its conflicts are extended
 * @loose: lanes with a lock taken without a fence */
void
_cured_race_visit_access (RaceVisit *visit, uint32_t loose)
{
  const CuredAccess *access = visit->access;
  uint32_t where = visit->stance.slot.where;

  visit->value_bytes = get_value_bytes (access);
  visit->is_words = loose == 0 && visit->plane != PLANE_ATOMIC && access->bulk == NULL &&
                    (access->width == 4 || access->width == 8 || access->width == 16) &&
                    access->address[__builtin_ctz (access->mask)] % WORD_BYTES == 0;
  if (visit->is_words)
    visit_words (visit);
  else if (loose != 0 || !visit_half_words (visit))
    for (uint32_t left = access->mask; left != 0; left &= left - 1)
      {
        uint32_t lane = (uint32_t) __builtin_ctz (left);

        if (visit->value_bytes != 0)
          get_value (visit, lane);
        visit->stance.slot.where = where | ((loose >> lane & 1) != 0 ? FLAG_LOOSE : 0);
        /* All parts of a bulk copy belong to the thread that started it. */
        visit_lane (visit, access->address[lane],
                    1u << (access->bulk != NULL ? access->bulk->lane : lane));
      }
  leave_page (visit);
}

/* Brings the shadow up to date. */
void
_cured_race_catch_up (RaceDetector *self, RaceBlock *races, CuredBlock *block)
{
  uint32_t n = races->n_postponed;

  race_begin_round (races);
  for (uint32_t i = 0; i < n; i++)
    {
      const RacePostponed *postponed = &races->postponed[i];
      const RaceSlot slot = { postponed->party, postponed->clock, 0, postponed->where };
      uint32_t site = postponed->where >> FLAG_BITS;
      CuredAccess access = {
        .inst = &self->parent.grid->module->code[site],
        .space = CURED_SPACE_SHARED,
        .kind = postponed->is_store ? CURED_ACCESS_STORE : CURED_ACCESS_LOAD,
        .width = postponed->width,
        .mask = postponed->mask,
        .pattern = (CuredPattern) postponed->pattern,
        .folds = postponed->folds,
      };
      RaceVisit visit;

      for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
        access.address[l] =
            postponed->pattern == CURED_PATTERN_ANY
                ? (uint64_t) races->postponed_words[i][l] << WORD_BITS
                : postponed->first +
                      (postponed->pattern == CURED_PATTERN_CONTIGUOUS ? l * postponed->width : 0);
      _cured_race_start_visit (&visit, self, races,
                               &block->warps[postponed->party % CURED_WARP_LANES], &access, &slot);
      if (postponed->is_store)
        visit.stored = races->values + postponed->values;
      _cured_race_visit_access (&visit, 0);
      if (*race_get_regrets (races, site) < MAX_REGRETS)
        ++*race_get_regrets (races, site);
    }
}
