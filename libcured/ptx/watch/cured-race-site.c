/* SPDX-License-Identifier: MIT
 * The race detector: classifies instructions, once per launch. */
#include "ptx/watch/cured-race-private.h"

#include <string.h>

/* Maximum length of a polling loop, in instructions. */
#define MAX_POLL 256

/* Whether @inst is a bulk copy, or completes at a barrier like one. */
bool
_cured_race_is_bulk (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_bulk || inst->op == CURED_PTX_OP_bulk_reduce ||
         inst->op == CURED_PTX_OP_bulk_tensor || inst->op == CURED_PTX_OP_bulk_tensor_reduce ||
         inst->op == CURED_PTX_OP_st_async || inst->op == CURED_PTX_OP_red_async;
}

/* Whether copies in flight accumulate with others of their kind. */
bool
_cured_race_is_bulk_reduction (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_bulk_reduce || inst->op == CURED_PTX_OP_red_async;
}

/* Whether @inst writes (or reads, with @is_writing FALSE) the register at @offset of the
 * frame. */
static bool
uses (const CuredPtxInst *inst, uint32_t offset, bool is_writing)
{
  if (!is_writing && inst->guard.width != 0 && inst->guard.base == CURED_BASE_REGISTERS &&
      inst->guard.offset == offset)
    return true;
  CURED_EACH_OPERAND (walk, inst)
    if (walk.x->width != 0 && walk.x->base == CURED_BASE_REGISTERS && walk.x->offset == offset &&
        cured_ptx_is_destination (&walk) == is_writing)
      return true;
  return false;
}

/* Adds the registers that @inst writes to @set. */
static void
add_written (const CuredPtxInst *inst, GHashTable *set)
{
  CURED_EACH_OPERAND (walk, inst)
    if (walk.x->width != 0 && walk.x->base == CURED_BASE_REGISTERS &&
        cured_ptx_is_destination (&walk))
      g_hash_table_add (set, GUINT_TO_POINTER (walk.x->offset + 1));
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

/* Whether the loop of sites @first to @last waits for the value of the load at @site: the address
 * is constant, and the loop's exit depends on the value. */
static bool
is_polling (const CuredPtxModule *module, uint32_t first, uint32_t last, uint32_t site)
{
  const CuredPtxInst *load = &module->code[site];
  const CuredPtxOperand *address = &load->x[load->counts[0]];
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);

  if (address->base == CURED_BASE_REGISTERS)
    for (uint32_t s = first; s <= last; s++)
      if (uses (&module->code[s], address->offset, true))
        return false;

  /* Uses of the value, once around the loop. */
  add_written (load, values);
  for (int round = 0; round < 2; round++)
    for (uint32_t s = first; s <= last; s++)
      if (reads_any (&module->code[s], values))
        add_written (&module->code[s], values);
  for (uint32_t s = first; s <= last; s++)
    {
      const CuredPtxInst *inst = &module->code[s];

      if (inst->op == CURED_PTX_OP_bra && inst->guard.width != 0 &&
          (s == last || inst->target < first || inst->target > last) && reads_any (inst, values))
        return true;
    }
  return false;
}

/* The constant value of @x during the loop of sites @first to @last; NULL: it changes. */
static const CuredPtxOperand *
find_invariant (const CuredPtxModule *module, uint32_t first, uint32_t last,
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
      if (value != x || inst->op != CURED_PTX_OP_mov || inst->x[1].base == CURED_BASE_REGISTERS)
        return NULL;
      value = &inst->x[1];
    }
  return value;
}

/* Whether the atomic, in the loop of sites @first to @last, takes a lock: it always compares with
 * the same value, unlike one that changes the value it just read, and does not store the value it
 * waited for. */
static bool
is_locking (const CuredPtxModule *module, uint32_t first, uint32_t last, uint32_t site)
{
  const CuredPtxInst *inst = &module->code[site];
  uint8_t operation = inst->words[CURED_PTX_GROUP_OPERATION];

  if (operation != CURED_PTX_OPERATION_CAS && operation != CURED_PTX_OPERATION_EXCH)
    return false;
  const CuredPtxOperand *b = find_invariant (module, first, last, &inst->x[2]);
  if (b == NULL || operation == CURED_PTX_OPERATION_EXCH)
    return b != NULL;
  const CuredPtxOperand *c = find_invariant (module, first, last, &inst->x[3]);
  if (c == NULL || b->base != c->base)
    return c != NULL;
  return b->offset != c->offset &&
         (b->base != CURED_BASE_CONSTANTS || b->width != c->width ||
          memcmp (module->constants + b->offset, module->constants + c->offset, b->width) != 0);
}

/* Finds the volatile loads and the atomics that poll, and locks. */
static void
find_polls (const CuredPtxModule *module, uint8_t *flags, uint8_t *roles)
{
  for (uint32_t last = 0; last < module->n_code; last++)
    {
      const CuredPtxInst *inst = &module->code[last];
      uint32_t first = inst->target;

      if (inst->op != CURED_PTX_OP_bra || first > last || last - first > MAX_POLL)
        continue;
      for (uint32_t s = first; s <= last; s++)
        {
          bool is_atomic = module->code[s].op == CURED_PTX_OP_atom;

          if (!is_atomic &&
              (module->code[s].op != CURED_PTX_OP_ld || (flags[s] & FLAG_VOLATILE) == 0))
            continue;
          if ((flags[s] & FLAG_POLLS) != 0 || !is_polling (module, first, last, s))
            continue;
          flags[s] |= FLAG_POLLS;
          if (is_atomic && is_locking (module, first, last, s))
            roles[s] |= ROLE_LOCKS;
        }
    }
}

/* Whether @x is a register with only the load's value in @loaded, possibly after moves. */
static bool
is_copy_of (const CuredPtxModule *module, const CuredPtxOperand *loaded, const CuredPtxOperand *x,
            uint32_t first, uint32_t last)
{
  g_autoptr (GHashTable) copies = g_hash_table_new (NULL, NULL);

  g_hash_table_add (copies, GUINT_TO_POINTER (loaded->offset + 1));
  for (uint32_t s = first; s <= last; s++)
    if (module->code[s].op == CURED_PTX_OP_mov && reads_any (&module->code[s], copies))
      add_written (&module->code[s], copies);
  return x->base == CURED_BASE_REGISTERS &&
         g_hash_table_contains (copies, GUINT_TO_POINTER (x->offset + 1));
}

/* An address: a register or constant as its base, and a displacement. */
typedef struct
{
  const CuredPtxOperand *base;
  int64_t displacement;
} Place;

static int64_t
get_constant (const CuredPtxModule *module, const CuredPtxOperand *x)
{
  int64_t value = 0;

  memcpy (&value, module->constants + x->offset, MIN (x->width, sizeof value));
  return x->width == 4 ? (int32_t) value : value;
}

/* Splits the address @x of @site, following moves and additions of constants. */
static Place
find_place (const CuredPtxModule *module, uint32_t site, const CuredPtxOperand *x)
{
  Place place = { x, module->code[site].displacement };

  for (uint32_t left = MAX_POLL; site > 0 && left > 0 && place.base->base == CURED_BASE_REGISTERS;
       left--)
    {
      const CuredPtxInst *inst = &module->code[--site];

      if (!uses (inst, place.base->offset, true))
        continue;
      if (inst->op == CURED_PTX_OP_mov && inst->guard.width == 0)
        place.displacement += inst->displacement;
      else if (inst->op == CURED_PTX_OP_add && inst->guard.width == 0 &&
               inst->x[2].base == CURED_BASE_CONSTANTS)
        place.displacement += get_constant (module, &inst->x[2]);
      else
        break;
      place.base = &inst->x[1];
    }
  if (place.base->base == CURED_BASE_CONSTANTS)
    place.displacement += get_constant (module, place.base);
  return place;
}

static bool
is_same_place (const Place *a, const Place *b)
{
  return a->displacement == b->displacement && a->base->base == b->base->base &&
         (a->base->base == CURED_BASE_CONSTANTS || a->base->offset == b->base->offset);
}

static bool
is_swap (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_atom &&
         inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_CAS;
}

/* Whether a loop swaps the word at @place until that succeeds. */
static bool
is_swapped_in_loop (const CuredPtxModule *module, const uint8_t *flags, const Place *place)
{
  for (uint32_t s = 0; s < module->n_code; s++)
    if ((flags[s] & FLAG_POLLS) != 0 && is_swap (&module->code[s]))
      {
        Place other = find_place (module, s, &module->code[s].x[1]);

        if (is_same_place (&other, place))
          return true;
      }
  return false;
}

/* The CUDA guide makes atomics of a loop around atomicCAS () that begins with a plain read of the
 * word. The compare-and-swap compares the value again, so that a stale one only costs an
 * iteration: the read counts as a strong one. Others swap once before the loop. */
static void
find_guesses (const CuredPtxModule *module, uint8_t *flags)
{
  for (uint32_t swap = 0; swap < module->n_code; swap++)
    {
      const CuredPtxInst *cas = &module->code[swap];

      if (!is_swap (cas))
        continue;
      Place place = find_place (module, swap, &cas->x[1]);
      if ((flags[swap] & FLAG_POLLS) == 0 && !is_swapped_in_loop (module, flags, &place))
        continue;
      for (uint32_t s = swap > MAX_POLL ? swap - MAX_POLL : 0; s < swap; s++)
        {
          const CuredPtxInst *load = &module->code[s];

          if (load->op == CURED_PTX_OP_ld && flags[s] == 0 && load->counts[0] == 1 &&
              load->x[0].width == cas->x[2].width &&
              load->words[CURED_PTX_GROUP_SPACE] == cas->words[CURED_PTX_GROUP_SPACE] &&
              is_copy_of (module, &load->x[0], &cas->x[2], s + 1, swap - 1))
            {
              Place read = find_place (module, s, &load->x[1]);

              if (is_same_place (&read, &place))
                flags[s] = FLAG_STRONG;
            }
        }
    }
}

static void
classify (const CuredPtxInst *inst, bool is_clustered, uint8_t *flags, uint8_t *roles)
{
  uint8_t order = inst->words[CURED_PTX_GROUP_ORDER];
  uint8_t scope = inst->words[CURED_PTX_GROUP_SCOPE];
  bool is_releasing = order == CURED_PTX_ORDER_RELEASE || order == CURED_PTX_ORDER_ACQ_REL ||
                      order == CURED_PTX_ORDER_SC;
  bool is_acquiring = order == CURED_PTX_ORDER_ACQUIRE || order == CURED_PTX_ORDER_ACQ_REL ||
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
    case CURED_PTX_OP_mbarrier_complete_tx: *flags = FLAG_STRONG; return;
    case CURED_PTX_OP_mbarrier_test_wait:
    case CURED_PTX_OP_mbarrier_try_wait:
      *flags = FLAG_STRONG;
      *roles = ROLE_ACQUIRES;
      return;
    default: return;
    }
  if (scope == CURED_PTX_SCOPE_CTA || (scope == CURED_PTX_SCOPE_CLUSTER && !is_clustered))
    *flags |= FLAG_NARROW;
  if (is_releasing && (*roles & ROLE_CARRIES) != 0)
    *roles |= ROLE_RELEASES;
  if (is_acquiring && (*roles & ROLE_READS) != 0)
    *roles |= ROLE_ACQUIRES;
}

/* Determines flags and roles of the instructions of a module.
 *
 * @is_clustered: clusters of the launch have more than one block
 * @flags: (out): RaceFlags per site
 * @roles: (out): RaceRole per site */
void
_cured_race_classify_sites (const CuredPtxModule *module, bool is_clustered, uint8_t *flags,
                            uint8_t *roles)
{
  for (guint i = 0; i < module->n_code; i++)
    classify (&module->code[i], is_clustered, &flags[i], &roles[i]);
  find_polls (module, flags, roles);
  find_guesses (module, flags);
}
