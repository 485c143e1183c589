/* SPDX-License-Identifier: MIT
 * Handlers: barriers of the block, of the warp, and in shared memory. */
#include <string.h>

#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- Barriers of the block ---- */

/* The first lane's barrier and number of threads: the ISA requires them to be the same in all
 * lanes. */
static inline void
arrive (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, unsigned first, bool is_waiting,
        bool is_aligned, uint32_t votes)
{
  unsigned lane = (unsigned) __builtin_ctz (mask);
  const CuredPtxOperand *count = &inst->x[first + 1];

  _cured_warp_barrier (warp, inst, mask, LANES (uint32_t, inst->x[first])[lane] & 15,
                       count->width == 0 ? 0 : LANES (uint32_t, *count)[lane], is_waiting,
                       is_aligned, votes);
}

/* Defines a handler that calls another function. */
#define HANDLER(name, ...)                                                                         \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask) { __VA_ARGS__; }

HANDLER (run_sync, arrive (warp, inst, mask, 0, true, true, 0))
HANDLER (run_sync_each, arrive (warp, inst, mask, 0, true, false, 0))
HANDLER (run_arrive, arrive (warp, inst, mask, 0, false, true, 0))
HANDLER (run_arrive_each, arrive (warp, inst, mask, 0, false, false, 0))
HANDLER (run_red, arrive (warp, inst, mask, 1, true, true, cured_get_predicate (warp, &inst->x[3])))
HANDLER (run_red_each,
         arrive (warp, inst, mask, 1, true, false, cured_get_predicate (warp, &inst->x[3])))

/* ---- Barrier of the warp ---- */

/* Lanes of one instruction may name different members, such as their half of the warp: each set is
 * independent. */
static void
run_bar_warp (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *named = LANES (const uint32_t, inst->x[0]);

  if (!cured_gather_named (warp, inst, mask, named))
    return;
  for (uint32_t left = mask; left != 0;)
    {
      uint32_t set = named[__builtin_ctz (left)];

      _cured_warp_synced (warp, set);
      for (uint32_t rest = left; rest != 0; rest &= rest - 1)
        if (named[__builtin_ctz (rest)] == set)
          left &= ~(rest & -rest);
    }
}

/* ---- Barrier of the cluster ---- */

/* PTX ISA 9.0, barrier.cluster: without .relaxed, arriving is a release and waiting an acquire. */
static void
run_cluster_arrive (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_cluster_arrive (warp, inst, mask, cured_has_word (inst, CURED_PTX_GROUP_ALIGNED),
                              WORD_OF (inst, ORDER) != CURED_PTX_ORDER_RELAXED);
}

static void
run_cluster_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_cluster_wait (warp, inst, mask, cured_has_word (inst, CURED_PTX_GROUP_ALIGNED));
}

/* ---- Barriers in shared memory ---- */

static void
find_barriers (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const CuredPtxOperand *x,
               CuredAccessKind kind, CuredHosts *hosts)
{
  _cured_warp_access (warp, &(CuredWarpRequest){ inst, mask, cured_get_space (inst), kind, 8, 0 },
                      x, inst->displacement, hosts);
}

/* Like find_barriers (); wakes the waiting lanes. */
static void
change_barriers (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const CuredPtxOperand *x,
                 CuredAccessKind kind, CuredHosts *hosts)
{
  find_barriers (warp, inst, mask, x, kind, hosts);
  warp->block->cluster->n_changes++;
}

static void
run_mbarrier_init (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *counts = LANES (uint32_t, inst->x[1]);
  CuredHosts hosts;

  change_barriers (warp, inst, mask, &inst->x[0], CURED_ACCESS_STORE, &hosts);
  for (uint32_t left = hosts.mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t barrier = cured_mbarrier_make (counts[l], counts[l], 0, 0);

      memcpy (hosts.host[l], &barrier, sizeof barrier);
    }
}

/* Does nothing to the value. For other threads it is an operation on the barrier, like an arrival,
 * rather than a store: counting down users and then invalidating the barrier, as cuda::pipeline
 * does for all lanes of a warp at once, is not a race. Data that reuses the barrier's memory still
 * has to be ordered. */
static void
run_mbarrier_inval (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredHosts hosts;

  change_barriers (warp, inst, mask, &inst->x[0], CURED_ACCESS_ATOMIC, &hosts);
}

/* @n arrivals; the last one starts the next phase, unless bytes are pending. */
static uint64_t
arrive_at (uint64_t barrier, uint64_t n, bool is_dropping)
{
  uint64_t pending = barrier & CURED_MBARRIER_MASK;
  uint64_t expected = barrier >> CURED_MBARRIER_BITS & CURED_MBARRIER_MASK;

  if (is_dropping)
    expected -= MIN (n, expected);
  pending -= MIN (n, pending);
  return cured_mbarrier_settle (pending, expected, cured_mbarrier_get_phase (barrier),
                                cured_mbarrier_get_bytes (barrier));
}

/* Arrives; with @expects, once, and x[2] is the number of bytes that the phase waits for. */
static inline void
run_arrival (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, bool is_dropping,
             bool expects)
{
  CuredHosts hosts;

  change_barriers (warp, inst, mask, &inst->x[1], CURED_ACCESS_ATOMIC, &hosts);
  for (uint32_t left = hosts.mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t n = inst->x[2].width == 0 ? 1 : LANES (uint32_t, inst->x[2])[l];
      uint64_t before, after;

      memcpy (&before, hosts.host[l], sizeof before);
      after = before;
      if (expects)
        after = cured_mbarrier_make (
            before & CURED_MBARRIER_MASK, before >> CURED_MBARRIER_BITS & CURED_MBARRIER_MASK,
            cured_mbarrier_get_phase (before), cured_mbarrier_get_bytes (before) + (int64_t) n);
      after = arrive_at (after, expects ? 1 : n, is_dropping);
      memcpy (hosts.host[l], &after, sizeof after);
      if (inst->x[0].width != 0)
        LANES (uint64_t, inst->x[0])[l] = before;
    }
}

HANDLER (run_mbarrier_arrive, run_arrival (warp, inst, mask, false, false))
HANDLER (run_mbarrier_arrive_drop, run_arrival (warp, inst, mask, true, false))
HANDLER (run_mbarrier_arrive_tx, run_arrival (warp, inst, mask, false, true))
HANDLER (run_mbarrier_arrive_drop_tx, run_arrival (warp, inst, mask, true, true))

/* Increases (@sign 1) or decreases (-1) the pending bytes. */
static inline void
run_tx (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, int64_t sign)
{
  CuredHosts hosts;

  change_barriers (warp, inst, mask, &inst->x[0], CURED_ACCESS_ATOMIC, &hosts);
  for (uint32_t left = hosts.mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);

      cured_mbarrier_expect (warp, hosts.host[l], sign * LANES (uint32_t, inst->x[1])[l]);
    }
}

HANDLER (run_mbarrier_expect_tx, run_tx (warp, inst, mask, 1))
HANDLER (run_mbarrier_complete_tx, run_tx (warp, inst, mask, -1))

/* Copies complete when issued: with .noinc this is an arrival; without it the count is incremented
 * and decremented, which leaves it unchanged. */
static void
run_cp_async_mbarrier (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  bool is_arrival = inst->words[CURED_PTX_GROUP_NOINC] != CURED_PTX_NO_WORD;
  CuredHosts hosts;

  change_barriers (warp, inst, mask, &inst->x[0], CURED_ACCESS_ATOMIC, &hosts);
  for (uint32_t left = hosts.mask; left != 0 && is_arrival; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t barrier;

      memcpy (&barrier, hosts.host[l], sizeof barrier);
      barrier = arrive_at (barrier, 1, false);
      memcpy (hosts.host[l], &barrier, sizeof barrier);
    }
}

/* Waiting lanes let others run: these loops spin. */
static inline void
run_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, bool is_parity)
{
  CuredHosts hosts;
  const uint8_t *first = NULL;
  uint32_t is_over = 0;

  find_barriers (warp, inst, mask, &inst->x[1], CURED_ACCESS_ATOMIC, &hosts);
  for (uint32_t left = hosts.mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t barrier;
      uint64_t asked = cured_get_lane (warp, &inst->x[2], l);

      memcpy (&barrier, hosts.host[l], sizeof barrier);
      if (is_parity ? (cured_mbarrier_get_phase (barrier) & 1) != asked
                    : cured_mbarrier_get_phase (barrier) != cured_mbarrier_get_phase (asked))
        is_over |= 1u << l;
      else if (first == NULL)
        first = hosts.host[l];
    }
  /* A chip suspends the warp here for some time. */
  if (is_over != mask &&
      _cured_warp_wait (warp, inst, mask, first,
                        is_over == 0 && inst->op == CURED_PTX_OP_mbarrier_try_wait))
    return;
  if (is_over == mask)
    _cured_warp_waited (warp);
  cured_set_predicate (warp, &inst->x[0], mask, is_over);
}

static void
run_mbarrier_pending (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *to = LANES (uint32_t, inst->x[0]);
  const uint64_t *states = LANES (uint64_t, inst->x[1]);

  FOR_LANES (mask, to[l] = (uint32_t) (states[l] & CURED_MBARRIER_MASK));
}

/* ---- Forms ---- */

HANDLER (run_wait_state, run_wait (warp, inst, mask, false))
HANDLER (run_wait_parity, run_wait (warp, inst, mask, true))

/* The state of another block's barrier is unavailable. */
static const char *
check_arrival (const CuredPtxInst *inst)
{
  return inst->x[0].width != 0 && cured_has_word (inst, CURED_PTX_GROUP_WINDOW)
             ? "takes _ as its destination with .shared::cluster"
             : NULL;
}

static const char *
check_no_complete (const CuredPtxInst *inst)
{
  return cured_has_word (inst, CURED_PTX_GROUP_NOCOMPLETE) && inst->x[2].width == 0
             ? "takes a count with .noComplete"
             : check_arrival (inst);
}

/* An immediate has the type's width. */
static const char *
check_state (const CuredPtxInst *inst)
{
  return inst->x[2].width != 8 && inst->x[2].base != CURED_BASE_CONSTANTS
             ? "takes a state of 64 bits"
             : NULL;
}

static const char *
check_parity (const CuredPtxInst *inst)
{
  return inst->x[2].width != 4 && inst->x[2].base != CURED_BASE_CONSTANTS
             ? "takes a parity of 32 bits"
             : NULL;
}

/* clang-format off */
#define MAY_SHARED MAY (SPACE, SHARED)
#define ALIGNED    W_ALIGNED_ALIGNED
#define SCOPE      W_SCOPE_CTA, W_SCOPE_CLUSTER
/* bar, which is aligned, and barrier, which may be. */
#define BARRIER(op, types, words, run) FORM (bar_##op, types, WORDS (words), run) FORM (bar_cta_##op, types, WORDS (words), run) \
  FORM (barrier_##op, types, WORDS (words, ALIGNED), run) FORM (barrier_cta_##op, types, WORDS (words, ALIGNED), run) \
  FORM (barrier_##op, types, WORDS (words), run##_each) FORM (barrier_cta_##op, types, WORDS (words), run##_each)
#define PLAIN_BARRIER(op, run) FORM (bar_##op, 0, 0, run) FORM (bar_cta_##op, 0, 0, run) \
  FORM (barrier_##op, 0, ALIGNED, run) FORM (barrier_cta_##op, 0, ALIGNED, run) \
  FORM (barrier_##op, 0, 0, run##_each) FORM (barrier_cta_##op, 0, 0, run##_each)
/* An operation on an mbarrier, with an optional order, which requires a scope. */
#define ORDERED(op, words, order, run, check) \
  CHECKED (op, T_B64, WORDS (MAY_SHARED, words), 0, run, check) \
  CHECKED (op, T_B64, WORDS (MAY_SHARED, words, order, W_ORDER_RELAXED, SCOPE), 0, run, check)
#define NO_COMPLETE MAY (NOCOMPLETE, NOCOMPLETE)
#define WAIT(op) \
  CHECKED (op, T_B64, MAY_SHARED, 0, run_wait_state, check_state) \
  CHECKED (op, T_B64, WORDS (MAY_SHARED, W_ORDER_ACQUIRE, W_ORDER_RELAXED, SCOPE), 0, run_wait_state, check_state) \
  ORDERED (op, W_PARITY_PARITY, W_ORDER_ACQUIRE, run_wait_parity, check_parity)

static const CuredPtxForm forms[] = {
  PLAIN_BARRIER (sync, run_sync)
  PLAIN_BARRIER (arrive, run_arrive)
  BARRIER (red, T_U32, W_OPERATION_POPC, run_red)
  BARRIER (red, T_PRED, WORDS (W_OPERATION_AND, W_OPERATION_OR), run_red)
  FORM (bar_warp, 0, 0, run_bar_warp)
  FORM (cluster_arrive, 0, WORDS (MAY (ORDER, RELEASE), MAY (ORDER, RELAXED), MAY (ALIGNED, ALIGNED)), run_cluster_arrive)
  FORM (cluster_wait, 0, WORDS (MAY (ORDER, ACQUIRE), MAY (ALIGNED, ALIGNED)), run_cluster_wait)
  FORM (mbarrier_init, T_B64, MAY_SHARED, run_mbarrier_init)
  FORM (mbarrier_inval, T_B64, MAY_SHARED, run_mbarrier_inval)
  ORDERED (mbarrier_arrive, NO_COMPLETE, W_ORDER_RELEASE, run_mbarrier_arrive, check_no_complete)
  ORDERED (mbarrier_arrive_drop, NO_COMPLETE, W_ORDER_RELEASE, run_mbarrier_arrive_drop, check_no_complete)
  CHECKED (mbarrier_arrive_tx, T_B64, MAY_SHARED, 0, run_mbarrier_arrive_tx, check_arrival)
  CHECKED (mbarrier_arrive_tx, T_B64, WORDS (MAY_SHARED, W_ORDER_RELEASE, W_ORDER_RELAXED, SCOPE), 0, run_mbarrier_arrive_tx, check_arrival)
  CHECKED (mbarrier_arrive_drop_tx, T_B64, MAY_SHARED, 0, run_mbarrier_arrive_drop_tx, check_arrival)
  CHECKED (mbarrier_arrive_drop_tx, T_B64, WORDS (MAY_SHARED, W_ORDER_RELEASE, W_ORDER_RELAXED, SCOPE), 0, run_mbarrier_arrive_drop_tx, check_arrival)
  FORM (mbarrier_expect_tx, T_B64, MAY_SHARED, run_mbarrier_expect_tx)
  FORM (mbarrier_expect_tx, T_B64, WORDS (MAY_SHARED, W_ORDER_RELAXED, SCOPE), run_mbarrier_expect_tx)
  FORM (mbarrier_complete_tx, T_B64, MAY_SHARED, run_mbarrier_complete_tx)
  FORM (mbarrier_complete_tx, T_B64, WORDS (MAY_SHARED, W_ORDER_RELAXED, SCOPE), run_mbarrier_complete_tx)
  FORM (cp_async_mbarrier, T_B64, WORDS (MAY_SHARED, MAY (NOINC, NOINC)), run_cp_async_mbarrier)
  WAIT (mbarrier_test_wait)
  WAIT (mbarrier_try_wait)
  FORM (mbarrier_pending, T_B64, 0, run_mbarrier_pending)
};
/* clang-format on */

FORMS_OF (barrier)
