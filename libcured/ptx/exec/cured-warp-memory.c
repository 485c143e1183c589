/* SPDX-License-Identifier: MIT
 * Maps lanes' addresses to the host's memory: spaces, bounds, alignment, and notification of
 * observers. */
#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "ptx/exec/cured-ptx-exec-private.h"

/* The result for one lane's address. */
typedef struct
{
  CuredSpace space;
  const CuredRegion *region;
  uint64_t address;  /* in @space */
  uint8_t *host;     /* NULL: invalid */
  CuredBlock *owner; /* (nullable): the block that owns this shared memory */
  bool is_misaligned;
  bool is_freed;   /* of the heap */
  const char *why; /* (nullable): the reason, if invalid */
} Target;

static inline bool
is_reading (CuredAccessKind kind)
{
  return kind == CURED_ACCESS_LOAD || kind == CURED_ACCESS_LDMATRIX;
}

/* The addresses of an access: 4 or 8 bytes per lane, plus @displacement; those of 4 bytes wrap
 * around. */
typedef struct
{
  const void *lanes;
  int64_t displacement;
  bool is_narrow;
} Addresses;

static inline void
get_addresses (const Addresses *self, uint64_t *address)
{
  if (self->is_narrow)
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)
      address[l] = ((const uint32_t *) self->lanes)[l] + (uint32_t) self->displacement;
  else
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)
      address[l] = ((const uint64_t *) self->lanes)[l] + (uint64_t) self->displacement;
}

static inline uint64_t
get_address (const Addresses *self, unsigned lane)
{
  return self->is_narrow ? ((const uint32_t *) self->lanes)[lane] + (uint32_t) self->displacement
                         : ((const uint64_t *) self->lanes)[lane] + (uint64_t) self->displacement;
}

static inline void
notify (CuredWarp *warp, const CuredAccess *access)
{
  CURED_TELL_OBSERVERS (warp->block, access, warp, access);
}

/* ---- The slow path: lane by lane ---- */

/* Finds the owner of @target->address in shared memory, and removes the rank from the address.
 * FALSE: there is no such block, or @inst cannot access it. */
static bool
resolve_owner (CuredWarp *warp, const CuredPtxInst *inst, bool is_generic, Target *target)
{
  const CuredCluster *cluster = warp->block->cluster;
  uint64_t rank = (target->address >> CURED_WINDOW_BITS) - 1;

  target->owner = warp->block;
  if (G_LIKELY (target->address < CURED_WINDOW_BYTES))
    return true;
  if (target->address >= CURED_CLUSTER_WINDOW)
    return false;
  if (rank >= cluster->n_blocks)
    {
      target->why =
          cluster->n_blocks == 1
              ? N_ ("an address in another block’s shared memory, where the launch has no clusters")
              : N_ ("an address in the shared memory of a block of which the cluster has none");
      return false;
    }
  if (!is_generic && rank != warp->block->rank &&
      inst->words[CURED_PTX_GROUP_WINDOW] == CURED_PTX_NO_WORD)
    {
      target->why = N_ ("an address in another block’s shared memory, where one of the block’s own "
                        "is asked for (.shared::cta)");
      return false;
    }
  target->owner = cluster->blocks[rank];
  target->address &= CURED_WINDOW_BYTES - 1;
  return true;
}

/* Resolves @address of @lane, or sets the reason for failure. */
static void
resolve (CuredWarp *warp, const CuredPtxInst *inst, unsigned lane, CuredSpace space,
         CuredAccessKind kind, uint64_t address, uint32_t width, uint32_t align, Target *target)
{
  const CuredBlock *block = warp->block;
  const CuredPtxGrid *grid = block->grid;
  uint8_t *bytes = NULL;
  uint64_t size = 0, offset = 0;

  *target = (Target){ .space = space };
  if (space == CURED_SPACE_GENERIC)
    {
      if (cured_is_in_cluster_window (address))
        {
          target->space = CURED_SPACE_SHARED;
          address -= CURED_SHARED_WINDOW;
        }
      else if (cured_is_in_window (address, CURED_LOCAL_WINDOW))
        {
          target->space = CURED_SPACE_LOCAL;
          address -= CURED_LOCAL_WINDOW;
        }
      else if (cured_is_in_window (address, CURED_PARAM_WINDOW))
        {
          target->space = CURED_SPACE_PARAM;
          address -= CURED_PARAM_WINDOW;
        }
      else
        target->space = CURED_SPACE_GLOBAL;
    }
  target->address = address;
  offset = address;
  switch (target->space)
    {
    case CURED_SPACE_SHARED:
      if (cured_is_in_cluster_window (address))
        target->why = N_ ("a generic address, where one of shared memory is asked for");
      if (!resolve_owner (warp, inst, space == CURED_SPACE_GENERIC, target))
        return;
      offset = address = target->address;
      bytes = target->owner->shared;
      size = block->shared_bytes;
      break;
    case CURED_SPACE_LOCAL:
      bytes = warp->local == NULL ? NULL : warp->local + (gsize) lane * grid->stack_bytes;
      size = _cured_warp_get_local_bytes (warp);
      if (kind == CURED_ACCESS_ATOMIC || kind == CURED_ACCESS_REDUCTION)
        {
          target->why = N_ ("local memory takes no atomic operations");
          return;
        }
      break;
    case CURED_SPACE_PARAM:
      bytes = (uint8_t *) grid->launch->parameters;
      size = grid->launch->parameters_bytes;
      if (!is_reading (kind))
        {
          target->why = N_ ("the parameters of a kernel can only be read");
          return;
        }
      break;
    case CURED_SPACE_GLOBAL:
    case CURED_SPACE_CONST:
      target->region = _cured_memory_find (grid->memory, address);
      if (target->region == NULL)
        {
          const CuredRegion *near = _cured_memory_find_near (grid->memory, address);

          if (near != NULL && near->is_freed && address - near->address < near->size)
            {
              target->is_freed = true;
              target->why = N_ ("memory that was freed");
            }
          else if (address < 4096)
            target->why = N_ ("a null pointer");
          else if (cured_is_in_cluster_window (address) ||
                   cured_is_in_window (address, CURED_LOCAL_WINDOW))
            target->why = N_ ("a generic address of shared or local memory, where one of global "
                              "memory is asked for");
          return;
        }
      if (target->region->is_constant && !is_reading (kind))
        {
          target->why = N_ ("constant memory can only be read");
          return;
        }
      if (target->space == CURED_SPACE_CONST && !target->region->is_constant)
        {
          target->why = N_ ("not in constant memory");
          return;
        }
      bytes = target->region->bytes + (target->region->low - target->region->address);
      size = target->region->high - target->region->low;
      offset = address - target->region->low;
      break;
    case CURED_SPACE_GENERIC:
    case CURED_N_SPACES:
    default: return;
    }
  if (bytes == NULL || offset > size || width > size - offset)
    return;
  if (target->region != NULL && target->region->heap != NULL)
    switch (_cured_heap_check (target->region->heap, address, width))
      {
      case CURED_HEAP_FREED:
        target->is_freed = true;
        target->why = N_ ("memory of the heap that was freed");
        return;
      case CURED_HEAP_NOBODYS:
        target->why = N_ ("memory of the heap that malloc gave nobody");
        return;
      case CURED_HEAP_FINE:
      default: break;
      }
  if ((address & (align - 1)) != 0)
    {
      target->is_misaligned = true;
      return;
    }
  target->why = NULL;
  target->host = bytes + offset;
  if (target->region != NULL)
    cured_region_touch (target->region, address - target->region->address, width);
}

static void
report_refused (CuredWarp *warp, const CuredPtxInst *inst, CuredAccessKind kind, uint32_t width,
                uint32_t align, const Target *target, uint32_t lanes)
{
  CuredPtxGrid *grid = warp->block->grid;
  CuredWitness here = _cured_warp_witness (warp, inst, lanes, _cured_access_what (kind));
  CuredFindingKind finding = target->is_misaligned ? CURED_FINDING_MISALIGNED
                             : target->is_freed    ? CURED_FINDING_HEAP
                                                   : CURED_FINDING_OUT_OF_BOUNDS;
  const CuredRegion *region = NULL;

/* Formats no text here: only the first of many reports needs it. */
#define REPORT(...)                                                                                \
  _cured_grid_report (grid, finding, &here, NULL, target->space, target->address, __VA_ARGS__)
  if (!target->is_misaligned &&
      (target->space == CURED_SPACE_GLOBAL || target->space == CURED_SPACE_CONST))
    region = _cured_memory_find_near (grid->memory, target->address);
  if (target->is_misaligned)
    REPORT (_ ("the address is not a multiple of %u"), align);
  else if (target->why != NULL)
    REPORT ("%s", _ (target->why));
  else if (target->space == CURED_SPACE_SHARED)
    REPORT (g_dngettext (GETTEXT_PACKAGE,
                         /* Translators: an access of so many bytes, and the bytes that there
                          * are. */
                         "%u byte, where the block has %u of shared memory",
                         "%u bytes, where the block has %u of shared memory", width),
            width, warp->block->shared_bytes);
  else if (target->space == CURED_SPACE_LOCAL)
    REPORT (g_dngettext (GETTEXT_PACKAGE,
                         /* Translators: an access of so many bytes, and the bytes that there
                          * are. */
                         "%u byte, where a thread has %u of local memory",
                         "%u bytes, where a thread has %u of local memory", width),
            width, _cured_warp_get_local_bytes (warp));
  else if (region != NULL && region->name != NULL)
    REPORT (g_dngettext (GETTEXT_PACKAGE,
                         /* Translators: an access of so many bytes, a variable, and its bytes. */
                         "%u byte, where %s has %" PRIu64, "%u bytes, where %s has %" PRIu64,
                         width),
            width, region->name, region->high - region->low);
  else
    REPORT (g_dngettext (GETTEXT_PACKAGE, "%u byte", "%u bytes", width), width);
#undef REPORT
}

/* Sets the addresses of the lanes of @access->mask; the others get the first lane's. */
static void
set_addresses (CuredAccess *access, const Target *targets)
{
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    access->address[l] =
        targets[(access->mask >> l & 1) != 0 ? l : (unsigned) __builtin_ctz (access->mask)].address;
}

/* Reports an access to shared memory of several blocks, once per block. */
static void
notify_owners (CuredWarp *warp, CuredAccess *access, const Target *targets)
{
  for (uint32_t left = access->mask; left != 0;)
    {
      CuredBlock *owner = targets[__builtin_ctz (left)].owner;

      access->mask = 0;
      for (uint32_t rest = left; rest != 0; rest &= rest - 1)
        if (targets[__builtin_ctz (rest)].owner == owner)
          access->mask |= rest & -rest;
      access->owner = owner == warp->block ? NULL : owner;
      set_addresses (access, targets);
      notify (warp, access);
      left &= ~access->mask;
    }
}

static __attribute__ ((noinline)) void
access_slowly (CuredWarp *warp, const CuredWarpRequest *request, const Addresses *addresses,
               CuredHosts *hosts)
{
  const CuredPtxInst *inst = request->inst;
  uint32_t mask = request->mask;
  CuredSpace space = request->space;
  CuredAccessKind kind = request->kind;
  uint32_t width = request->width;
  uint32_t align = request->align != 0 ? request->align : width;
  Target targets[CURED_WARP_LANES];
  uint32_t masks[CURED_N_SPACES] = { 0 }, misaligned = 0, outside = 0;

  hosts->pattern = CURED_PATTERN_ANY;
  hosts->group = 0;
  hosts->mask = 0;
  hosts->space = space;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      Target *target = &targets[l];

      resolve (warp, inst, l, space, kind, get_address (addresses, l), width, align, target);
      hosts->host[l] = target->host;
      if (target->host != NULL)
        {
          hosts->mask |= 1u << l;
          masks[target->space] |= 1u << l;
        }
      else if (target->is_misaligned)
        misaligned |= 1u << l;
      else
        outside |= 1u << l;
    }
  if (misaligned != 0)
    report_refused (warp, inst, kind, width, align, &targets[__builtin_ctz (misaligned)],
                    misaligned);
  if (outside != 0)
    report_refused (warp, inst, kind, width, align, &targets[__builtin_ctz (outside)], outside);

  for (int s = 0; s < CURED_N_SPACES; s++)
    {
      CuredAccess access;

      if (masks[s] == 0)
        continue;
      if (masks[s] == hosts->mask)
        hosts->space = (CuredSpace) s;
      else if (space == CURED_SPACE_GENERIC)
        hosts->space = CURED_SPACE_GENERIC;
      if (warp->block->grid->n_observers == 0 ||
          (s != CURED_SPACE_GLOBAL && s != CURED_SPACE_SHARED && s != CURED_SPACE_LOCAL &&
           s != CURED_SPACE_CONST))
        continue;
      access.inst = inst;
      access.space = (CuredSpace) s;
      access.kind = kind;
      access.width = width;
      access.mask = masks[s];
      access.pattern = CURED_PATTERN_ANY;
      access.folds = 0;
      access.shape = 0;
      access.region = NULL;
      access.bulk = NULL;
      access.owner = NULL;
      if (s == CURED_SPACE_SHARED && warp->block->cluster->n_blocks > 1)
        {
          notify_owners (warp, &access, targets);
          continue;
        }
      set_addresses (&access, targets);
      if (s == CURED_SPACE_CONST)
        CURED_TELL_OBSERVERS (warp->block, constant, warp, &access);
      else
        notify (warp, &access);
    }
}

/* ---- The fast path: all lanes at once ---- */

static inline CuredPattern
get_pattern (const uint64_t *address, uint32_t mask, uint32_t width)
{
  uint64_t first = address[0];
  uint64_t unlike = 0;

  if (mask == CURED_ALL_LANES && address[1] != first)
    {
      if (address[1] - first != width)
        return CURED_PATTERN_ANY;
      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        unlike |= address[l] ^ (first + (uint64_t) l * width);
      return unlike == 0 ? CURED_PATTERN_CONTIGUOUS : CURED_PATTERN_ANY;
    }
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    unlike |= address[l] ^ first;
  return unlike == 0 ? CURED_PATTERN_SAME : CURED_PATTERN_ANY;
}

/* Fewer lanes are moved one by one at the same speed. */
#define LEAST_GROUP 4

/* Odd numbers, so that no lane's distance cancels out in a sum. */
#define FACTORS_8(n) n, n + 0x3a2, n + 0x7c4, n + 0x9e6, n + 0xb18, n + 0xd3a, n + 0xf5c, n + 0x12e8
static const uint64_t hash_factors[CURED_WARP_LANES] = {
  FACTORS_8 (UINT64_C (0x9e3779b97f4a7c15)), FACTORS_8 (UINT64_C (0xbf58476d1ce4e5b9)),
  FACTORS_8 (UINT64_C (0x94d049bb133111eb)), FACTORS_8 (UINT64_C (0xd6e8feb86659fd93))
};

/* See CuredAccess.folds. */
static inline uint32_t
count_folds (const uint64_t *address)
{
  uint32_t n = 0;

  for (unsigned half = CURED_WARP_LANES / 2; half > 0; half /= 2)
    {
      uint64_t unlike = 0;

      for (unsigned l = 0; l < half; l++)
        unlike |= address[l] ^ address[l + half];
      if (unlike != 0)
        break;
      n++;
    }
  return n;
}

/* Whether in each group of @n, each lane is @step after the previous one. */
static inline bool
are_groups (const uint64_t *address, uint32_t n, uint32_t step)
{
  uint64_t unlike = 0;

  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    unlike |= address[l] ^ (address[l / n * n] + l % n * (uint64_t) step);
  return unlike == 0;
}

/* The size of the largest groups of lanes with adjacent addresses, or the same one; 0: there are
 * none. They occur in blocks of 16 columns. */
static uint8_t
find_groups (const uint64_t *address, uint32_t width, bool *is_same)
{
  uint8_t n = 0;

  *is_same = address[1] == address[0];
  while (n < CURED_WARP_LANES / 2)
    {
      uint8_t more = (uint8_t) (n == 0 ? LEAST_GROUP : 2 * n);

      if (!are_groups (address, more, *is_same ? 0 : width))
        break;
      n = more;
    }
  return n;
}

/* Classifies the addresses of an access and stores their shape.
 *
 * Returns: the shape's index */
static __attribute__ ((noinline)) uint16_t
find_shape (CuredLearned *self, uint32_t mask, uint32_t width, const Addresses *addresses)
{
  uint64_t address[CURED_WARP_LANES];
  uint64_t first = get_address (addresses, (unsigned) __builtin_ctz (mask));
  uint64_t hash = mask * UINT64_C (31) + width;
  uint64_t unlike = 0, places = 0;
  CuredShape *shape;
  uint16_t index;

  get_addresses (addresses, address);
  /* Inactive lanes get the first one's address. */
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    address[l] = (mask >> l & 1) != 0 ? address[l] : first;
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    hash += (address[l] - first) * hash_factors[l];
  index = (uint16_t) ((hash * UINT64_C (0x9e3779b97f4a7c15) >> 32) % CURED_N_SHAPES);
  shape = &self->shapes[index];
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    unlike |= (address[l] - first) ^ shape->distance[l];
  if (unlike == 0 && shape->mask == mask && shape->width == width)
    return index;

  shape->mask = mask;
  shape->width = width;
  shape->pattern = get_pattern (address, mask, width);
  shape->number = mask == CURED_ALL_LANES && shape->pattern != CURED_PATTERN_ANY
                      ? cured_get_plain_shape (shape->pattern, width)
                      : CURED_N_PLAIN_SHAPES + ++self->n_shapes;
  shape->folds =
      shape->pattern == CURED_PATTERN_ANY && mask == CURED_ALL_LANES ? count_folds (address) : 0;
  shape->group = shape->pattern == CURED_PATTERN_ANY && mask == CURED_ALL_LANES
                     ? find_groups (address, width, &shape->is_same)
                     : 0;
  shape->low = shape->high = 0;
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    {
      int64_t distance = (int64_t) (address[l] - first);

      shape->distance[l] = (uint64_t) distance;
      shape->narrow[l] = (uint32_t) distance;
      shape->low = MIN (shape->low, distance);
      shape->high = MAX (shape->high, distance);
      places |= (uint64_t) distance;
    }
  shape->places = (uint32_t) places;
  shape->is_wild = shape->low < -(INT64_C (1) << 61) || shape->high > INT64_C (1) << 61;
  return index;
}

/* Whether the lanes of @mask, of type T, differ from the first one by @distances. */
#define HAS_DISTANCES(T, Row, lane_bits, distances)                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const T *from = addresses->lanes;                                                              \
    T first = from[__builtin_ctz (mask)];                                                          \
    Row unlike = { 0 };                                                                            \
                                                                                                   \
    for (unsigned l = 0; l < CURED_WARP_LANES; l += sizeof (Row) / sizeof (T))                     \
      {                                                                                            \
        Row lanes, expected, bits;                                                                 \
                                                                                                   \
        memcpy (&lanes, from + l, sizeof lanes);                                                   \
        memcpy (&expected, (distances) + l, sizeof expected);                                      \
        memcpy (&bits, (lane_bits) + l, sizeof bits);                                              \
        unlike |= is_full ? (lanes - first) ^ expected                                             \
                          : ((lanes - first) ^ expected) & (Row) ((bits & mask) != 0);             \
      }                                                                                            \
    return cured_is_zero ((Row64) unlike);                                                         \
  }                                                                                                \
  G_STMT_END

/* Whether the lanes of @mask have the distances of @shape; for 32-bit addresses, modulo 2^32. */
static inline bool
has_shape (const Addresses *addresses, uint32_t mask, const CuredShape *shape)
{
  bool is_full = G_LIKELY (mask == CURED_ALL_LANES);

  if (addresses->is_narrow)
    HAS_DISTANCES (uint32_t, Row32, cured_lane_bits_32, shape->narrow);
  else
    HAS_DISTANCES (uint64_t, Row64, cured_lane_bits_64, shape->distance);
}

static inline bool
is_shape (const Addresses *addresses, uint32_t mask, uint32_t width, const CuredShape *shape)
{
  return shape->mask == mask && shape->width == width && has_shape (addresses, mask, shape);
}

/* The shape of the addresses of an access. */
static inline const CuredShape *
get_shape (const CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, CuredAccessKind kind,
           uint32_t width, const Addresses *addresses)
{
  CuredLearned *learned = &warp->block->tally->learned;
  const CuredShape *shape;
  uint16_t *last;

  if (G_UNLIKELY (learned->shapes == NULL))
    {
      learned->shapes = g_new0 (CuredShape, CURED_N_SHAPES);
      learned->last_shapes = g_new0 (uint16_t, 2 * warp->block->grid->module->n_code);
    }
  /* A copy has two sides, with a slot each. */
  last = &learned->last_shapes[inst->site * 2 + (kind == CURED_ACCESS_LOAD)];
  shape = &learned->shapes[*last];
  if (G_LIKELY (is_shape (addresses, mask, width, shape)))
    return shape;
  /* Warps of a block alternate between shapes. */
  if (!is_shape (addresses, mask, width, &learned->shapes[shape->next]))
    {
      uint16_t found = find_shape (learned, mask, width, addresses);

      learned->shapes[*last].next = found;
    }
  *last = shape->next;
  return &learned->shapes[*last];
}

/* Whether all lanes are aligned and between @low and @low + @last. */
static inline bool
fits (const CuredShape *shape, uint64_t first, uint64_t low, uint64_t last, uint32_t align)
{
  uint64_t begin = first + (uint64_t) shape->low - low;
  uint64_t end = first + (uint64_t) shape->high - low;

  /* @last is below 2^63, so a set sign bit means "outside". */
  return ((last - begin) | begin | (last - end) | end) >> 63 == 0 &&
         ((first | shape->places) & (align - 1)) == 0 && !shape->is_wild;
}

/* Allocates missing memory: in one step for adjacent lanes. */
static void
touch (const CuredRegion *region, uint64_t first, const CuredShape *shape)
{
  uint64_t span = (uint64_t) (shape->high - shape->low) + shape->width;
  uint64_t offset = first - region->address;

  if (span <= UINT64_C (1) << CURED_MEMORY_CHUNK_BITS)
    cured_region_touch (region, offset + (uint64_t) shape->low, span);
  else
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)
      cured_region_touch (region, offset + shape->distance[l], shape->width);
}

/* Notifies observers of an access at @first with @shape. */
static inline void
notify_shape (CuredWarp *warp, const CuredWarpRequest *request, CuredSpace space, uint64_t first,
              const CuredShape *shape, const CuredRegion *region)
{
  bool is_local = space == CURED_SPACE_LOCAL;
  CuredAccess access;

  access.inst = request->inst;
  access.space = space;
  access.kind = request->kind;
  access.width = request->width;
  access.mask = request->mask;
  access.pattern = is_local ? CURED_PATTERN_ANY : shape->pattern;
  access.folds = is_local ? 0 : shape->folds;
  access.shape = is_local ? 0 : shape->number;
  access.low = first + (uint64_t) shape->low;
  access.high = first + (uint64_t) shape->high;
  access.bulk = NULL;
  access.region = region;
  access.owner = NULL;
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    access.address[l] = first + shape->distance[l];
  if (space == CURED_SPACE_CONST)
    CURED_TELL_OBSERVERS (warp->block, constant, warp, &access);
  else
    notify (warp, &access);
}

/* Performs an access whose lanes are all in one region; otherwise does nothing and returns
 * FALSE. */
static inline bool
access_quickly (CuredWarp *warp, const CuredWarpRequest *request, const Addresses *addresses,
                CuredHosts *hosts)
{
  const CuredPtxInst *inst = request->inst;
  uint32_t mask = request->mask;
  CuredSpace space = request->space;
  CuredAccessKind kind = request->kind;
  uint32_t width = request->width;
  uint32_t align = request->align != 0 ? request->align : width;
  CuredBlock *block = warp->block;
  uint64_t first = get_address (addresses, (unsigned) __builtin_ctz (mask));
  uint64_t low = 0, size = 0;
  uint8_t *bytes = NULL;
  const CuredRegion *region = NULL;
  const CuredShape *shape = get_shape (warp, inst, mask, kind, width, addresses);

  /* Checks that no lane wraps around. */
  if (addresses->is_narrow &&
      (first + (uint64_t) shape->low > UINT32_MAX || first + (uint64_t) shape->high > UINT32_MAX))
    return false;
  if (space == CURED_SPACE_GENERIC)
    {
      space = CURED_SPACE_GLOBAL;
      if (cured_is_in_window (first, CURED_SHARED_WINDOW))
        {
          space = CURED_SPACE_SHARED;
          low = CURED_SHARED_WINDOW;
        }
    }
  if (space == CURED_SPACE_GLOBAL || space == CURED_SPACE_CONST)
    {
      const CuredRegion **recent = &warp->regions[inst->site % CURED_N_RECENT];

      region = *recent;
      if (region == NULL || first - region->low >= region->high - region->low)
        *recent = region = _cured_memory_find (block->grid->memory, first);
      if (region == NULL || (region->is_constant && !is_reading (kind)) ||
          (!region->is_constant && space == CURED_SPACE_CONST) || region->heap != NULL)
        return false;
      low = region->low;
      size = region->high - low;
      bytes = region->bytes + (low - region->address);
    }
  else if (space == CURED_SPACE_SHARED)
    {
      size = block->shared_bytes;
      bytes = block->shared;
    }
  else if (space == CURED_SPACE_PARAM && is_reading (kind))
    {
      size = block->grid->launch->parameters_bytes;
      bytes = (uint8_t *) block->grid->launch->parameters;
    }
  else if (space == CURED_SPACE_LOCAL && warp->local != NULL)
    size = _cured_warp_get_local_bytes (warp);
  if (width > size || !fits (shape, first, low, size - width, align))
    return false;
  if (region != NULL && G_UNLIKELY (region->filled != NULL))
    touch (region, first, shape);

  hosts->mask = mask;
  hosts->space = space;
  if (space == CURED_SPACE_LOCAL)
    {
      uint64_t stride = block->grid->stack_bytes;

      hosts->pattern = CURED_PATTERN_ANY;
      hosts->group = 0;
      bytes = warp->local + first;
      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        hosts->host[l] = bytes + (l * stride + shape->distance[l]);
    }
  else
    {
      hosts->pattern = shape->pattern;
      bytes += first - low;
      hosts->host[0] = bytes;
      /* This suffices for callers that use the pattern. */
      hosts->group = request->is_brief ? shape->group : 0;
      hosts->is_same = shape->is_same;
      if (hosts->group != 0)
        for (unsigned l = 0; l < CURED_WARP_LANES; l += shape->group)
          hosts->host[l] = bytes + shape->distance[l];
      else if (!request->is_brief || shape->pattern == CURED_PATTERN_ANY || mask != CURED_ALL_LANES)
        for (unsigned l = 0; l < CURED_WARP_LANES; l++)
          hosts->host[l] = bytes + shape->distance[l];
    }
  if (block->grid->n_observers > 0 && space != CURED_SPACE_PARAM)
    notify_shape (warp, request, space, space == CURED_SPACE_SHARED ? first - low : first, shape,
                  region);
  return true;
}

/* Notifies observers of an access by all lanes in brief form: by the first lane's address. Its site
 * must not require full notification (ALL).
 *
 * @request: of SHARED or GLOBAL space
 * @pattern: CONTIGUOUS, or SAME for a load
 * @region: (nullable): in global memory */
void
_cured_warp_tell (CuredWarp *warp, const CuredWarpRequest *request, uint64_t first,
                  CuredPattern pattern, const CuredRegion *region)
{
  uint64_t last = pattern == CURED_PATTERN_CONTIGUOUS ? (CURED_WARP_LANES - 1) * request->width : 0;
  CuredAccess access;

  access.inst = request->inst;
  access.space = request->space;
  access.kind = request->kind;
  access.width = request->width;
  access.mask = CURED_ALL_LANES;
  access.pattern = pattern;
  access.folds = 0;
  access.shape = cured_get_plain_shape (pattern, request->width);
  access.low = first;
  access.high = first + last;
  access.bulk = NULL;
  access.region = region;
  access.owner = NULL;
  access.address[0] = first;
  notify (warp, &access);
}

/* Finds the host's memory at @addresses. */
static inline void
find_hosts (CuredWarp *warp, const CuredWarpRequest *request, const Addresses *addresses,
            CuredHosts *hosts)
{
  if (!access_quickly (warp, request, addresses, hosts))
    access_slowly (warp, request, addresses, hosts);
}

/* Finds the host's memory for the request's lanes. Their addresses are @base, of 4 or 8 bytes, plus
 * @displacement; 32-bit addresses wrap around. Invalid or misaligned lanes are reported and
 * excluded from @hosts->mask. Observers are notified of the others, once per space. */
void
_cured_warp_access (CuredWarp *warp, const CuredWarpRequest *request, const CuredPtxOperand *base,
                    int64_t displacement, CuredHosts *hosts)
{
  const Addresses addresses = { LANES (const uint8_t, *base), displacement, base->width == 4 };

  find_hosts (warp, request, &addresses, hosts);
}

/* The same for addresses that are not in registers. */
void
_cured_warp_access_at (CuredWarp *warp, const CuredWarpRequest *request, const uint64_t *address,
                       CuredHosts *hosts)
{
  const Addresses addresses = { address, 0, false };

  find_hosts (warp, request, &addresses, hosts);
}

/* The same with a displacement per lane. */
void
_cured_warp_access_apart (CuredWarp *warp, const CuredWarpRequest *request,
                          const CuredPtxOperand *base, const int64_t *displacements,
                          CuredHosts *hosts)
{
  const Addresses from = { LANES (const uint8_t, *base), 0, base->width == 4 };
  uint64_t address[CURED_WARP_LANES];

  get_addresses (&from, address);
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    {
      address[l] += (uint64_t) displacements[l];
      if (base->width == 4)
        address[l] &= UINT32_MAX;
    }
  _cured_warp_access_at (warp, request, address, hosts);
}

/* Finds the barrier of a bulk copy and its phase; NULL: it is not in shared memory, which is
 * reported. */
uint8_t *
_cured_warp_find_barrier (CuredWarp *warp, CuredBulk *bulk)
{
  CuredSpace space =
      cured_is_in_cluster_window (bulk->barrier) ? CURED_SPACE_GENERIC : CURED_SPACE_SHARED;
  Target target;
  uint64_t barrier;

  resolve (warp, bulk->inst, bulk->lane, space, CURED_ACCESS_ATOMIC, bulk->barrier, 8, 8, &target);
  if (target.host == NULL)
    {
      report_refused (warp, bulk->inst, CURED_ACCESS_ATOMIC, 8, 8, &target, 1u << bulk->lane);
      return NULL;
    }
  bulk->barrier = target.address;
  bulk->owner = target.owner;
  memcpy (&barrier, target.host, sizeof barrier);
  bulk->phase = (uint32_t) cured_mbarrier_get_phase (barrier);
  return target.host;
}

/* Notifies observers of the bytes from @address on, 16 per lane. */
static void
notify_bulk (CuredWarp *warp, const CuredBulk *bulk, const Target *target, CuredAccessKind kind)
{
  CuredAccess access = {
    .inst = bulk->inst,
    .space = target->space,
    .kind = kind,
    .width = 16,
    .bulk = bulk,
    .region = target->region,
    .owner = target->owner == warp->block ? NULL : target->owner,
  };

  for (uint32_t done = 0; done < bulk->size;)
    {
      uint32_t n = MIN ((bulk->size - done) / 16, CURED_WARP_LANES);

      access.mask = n == CURED_WARP_LANES ? CURED_ALL_LANES : (1u << n) - 1;
      access.pattern = n == CURED_WARP_LANES ? CURED_PATTERN_CONTIGUOUS
                       : n == 1              ? CURED_PATTERN_SAME
                                             : CURED_PATTERN_ANY;
      for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
        access.address[l] = target->address + done + (l < n ? l : 0) * 16;
      notify (warp, &access);
      done += n * 16;
    }
}

/* Finds the host's memory for one side of a bulk copy; it is contiguous.
 *
 * @bulk: the copy
 * @space: SHARED or GLOBAL
 * @kind: kind of access
 * @address: of the first byte
 *
 * Returns: (nullable): NULL: it is out of bounds or misaligned, which is reported, or the size is
 * 0 */
uint8_t *
_cured_warp_access_bulk (CuredWarp *warp, const CuredBulk *bulk, CuredSpace space,
                         CuredAccessKind kind, uint64_t address)
{
  bool is_generic = space == CURED_SPACE_SHARED && cured_is_in_cluster_window (address);
  uint32_t align = bulk->align != 0 ? bulk->align : 16;
  Target target;

  if (bulk->size == 0)
    return NULL;
  resolve (warp, bulk->inst, bulk->lane, is_generic ? CURED_SPACE_GENERIC : space, kind, address,
           bulk->size, align, &target);
  if (target.host != NULL && bulk->size % 16 != 0)
    {
      target.host = NULL;
      target.is_misaligned = true;
      target.address += bulk->size;
    }
  if (target.host == NULL)
    {
      report_refused (warp, bulk->inst, kind, bulk->size, align, &target, 1u << bulk->lane);
      return NULL;
    }
  notify_bulk (warp, bulk, &target, kind);
  return target.host;
}

/* Like _cured_warp_access_bulk () for the single value that a lane sends to shared memory of a
 * block in the cluster: @bulk->size bytes, aligned to @align. Adds it to @sent. */
uint8_t *
_cured_warp_access_word (CuredWarp *warp, const CuredBulk *bulk, CuredAccessKind kind,
                         uint64_t address, uint32_t align, CuredSent *sent)
{
  bool is_generic = cured_is_in_cluster_window (address);
  CuredAccess access = {
    .inst = bulk->inst,
    .space = CURED_SPACE_SHARED,
    .kind = kind,
    .width = bulk->size,
    .mask = 1,
    .pattern = CURED_PATTERN_SAME,
    .bulk = bulk,
  };
  Target target;

  resolve (warp, bulk->inst, bulk->lane, is_generic ? CURED_SPACE_GENERIC : CURED_SPACE_SHARED,
           kind, address, bulk->size, align, &target);
  if (target.host == NULL)
    {
      report_refused (warp, bulk->inst, kind, bulk->size, align, &target, 1u << bulk->lane);
      return NULL;
    }
  access.owner = target.owner == warp->block ? NULL : target.owner;
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    access.address[l] = target.address;
  notify (warp, &access);
  sent->mask |= 1u << bulk->lane;
  sent->address[bulk->lane] = target.address;
  sent->owner[bulk->lane] = target.owner;
  return target.host;
}

/* Notifies observers of the values sent by the lanes, @width bytes each: once per block. */
void
_cured_warp_tell_sent (CuredWarp *warp, const CuredPtxInst *inst, CuredAccessKind kind,
                       uint32_t width, const CuredSent *sent)
{
  CuredPtxGrid *grid = warp->block->grid;
  CuredAccess access = { .inst = inst, .space = CURED_SPACE_SHARED, .kind = kind, .width = width };

  for (uint32_t left = sent->mask; left != 0; left &= ~access.mask)
    {
      unsigned first = (unsigned) __builtin_ctz (left);

      access.mask = 0;
      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        {
          bool is_here = (left >> l & 1) != 0 && sent->owner[l] == sent->owner[first];

          access.mask |= (uint32_t) is_here << l;
          access.address[l] = sent->address[is_here ? l : first];
        }
      access.owner = sent->owner[first] == warp->block ? NULL : sent->owner[first];
      for (uint32_t i = 0; i < grid->n_observers; i++)
        if (grid->observers[i]->klass->sent != NULL)
          grid->observers[i]->klass->sent (grid->observers[i], warp->block->states[i], warp,
                                           &access);
    }
}

/* Notifies observers of up to 32 chunks of 16 bytes of shared memory, which a product of matrices
 * reads in @wavefronts.
 *
 * Returns: false: some are out of bounds, which is reported */
bool
_cured_warp_read_chunks (CuredWarp *warp, const CuredPtxInst *inst, const uint64_t *address,
                         uint32_t n, uint32_t wavefronts)
{
  CuredBulk bulk = { .inst = inst, .barrier = UINT64_MAX, .wavefronts = wavefronts };
  CuredAccess access = {
    .inst = inst,
    .space = CURED_SPACE_SHARED,
    .kind = CURED_ACCESS_LOAD,
    .width = 16,
    .pattern = CURED_PATTERN_ANY,
    .bulk = &bulk,
  };
  bool is_inside = true;

  for (uint32_t i = 0; i < n; i++)
    {
      Target target;

      resolve (warp, inst, 0, CURED_SPACE_SHARED, CURED_ACCESS_LOAD, address[i], 16, 16, &target);
      if (target.host != NULL)
        access.mask |= 1u << i;
      else if (is_inside)
        {
          report_refused (warp, inst, CURED_ACCESS_LOAD, 16, 16, &target, CURED_ALL_LANES);
          is_inside = false;
        }
    }
  if (access.mask == 0)
    return is_inside;
  for (uint32_t i = 0; i < CURED_WARP_LANES; i++)
    access.address[i] =
        address[(access.mask >> i & 1) != 0 ? i : (uint32_t) __builtin_ctz (access.mask)];
  notify (warp, &access);
  return is_inside;
}

/* Finds the 128 bytes of a tensor map at a generic address.
 *
 * Returns: (nullable): NULL: they are in none of the kernel's memory, or misaligned, which is
 * reported */
const uint8_t *
_cured_warp_find_tensor_map (CuredWarp *warp, const CuredBulk *bulk, uint64_t address)
{
  Target target;

  resolve (warp, bulk->inst, bulk->lane, CURED_SPACE_GENERIC, CURED_ACCESS_LOAD, address, 128, 64,
           &target);
  if (target.host == NULL)
    report_refused (warp, bulk->inst, CURED_ACCESS_LOAD, 128, 64, &target, 1u << bulk->lane);
  return target.host;
}

/* Finds @size bytes of global memory for a copy by a tensor map, and notifies observers of chunks
 * of 16 bytes and of the remainders at both ends.
 *
 * Returns: (nullable): NULL: out of bounds, which is reported */
uint8_t *
_cured_warp_access_row (CuredWarp *warp, const CuredBulk *bulk, CuredAccessKind kind,
                        uint64_t address, uint32_t size)
{
  uint32_t head = (uint32_t) -address % 16;
  CuredBulk part = *bulk;
  CuredAccess access = {
    .inst = bulk->inst,
    .space = CURED_SPACE_GLOBAL,
    .kind = kind,
    .mask = 1,
    .pattern = CURED_PATTERN_SAME,
    .bulk = bulk,
  };
  Target target;

  resolve (warp, bulk->inst, bulk->lane, CURED_SPACE_GLOBAL, kind, address, size, 1, &target);
  if (target.host == NULL)
    {
      report_refused (warp, bulk->inst, kind, size, 1, &target, 1u << bulk->lane);
      return NULL;
    }
  head = MIN (head, size);
  access.region = target.region;
  for (int i = 0; i < 2; i++)
    {
      uint64_t from = i == 0 ? address : (address + size) & ~(uint64_t) 15;

      access.width = i == 0 ? head : (uint32_t) (address + size - from);
      if (access.width == 0 || (i == 1 && from < address + head))
        continue;
      for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
        access.address[l] = from;
      notify (warp, &access);
    }
  part.size = (size - head) & ~15u;
  target.address = address + head;
  notify_bulk (warp, &part, &target, kind);
  return target.host;
}
