/* SPDX-License-Identifier: MIT
 * Handlers: barriers of the block, of the warp, and in shared memory. */
#include <string.h>

#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- Barriers of the block ---- */

/* Which barrier and how many threads: the first lane's, as the ISA asks them to be the same in
 * all. */
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

static void
run_sync (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  arrive (warp, inst, mask, 0, true, true, 0);
}

static void
run_sync_each (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  arrive (warp, inst, mask, 0, true, false, 0);
}

static void
run_arrive (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  arrive (warp, inst, mask, 0, false, true, 0);
}

static void
run_arrive_each (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  arrive (warp, inst, mask, 0, false, false, 0);
}

static void
run_red (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  arrive (warp, inst, mask, 1, true, true, cured_get_predicate (warp, &inst->x[3]));
}

static void
run_red_each (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  arrive (warp, inst, mask, 1, true, false, cured_get_predicate (warp, &inst->x[3]));
}

static CuredPtxHandler
select_red (const CuredPtxInst *inst, bool is_aligned, const char **problem)
{
  bool is_count = inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_POPC;
  bool is_vote = inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_AND ||
                 inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_OR;

  if ((is_count && inst->types[0] == CURED_PTX_U32) ||
      (is_vote && inst->types[0] == CURED_PTX_PRED))
    return is_aligned ? run_red : run_red_each;
  *problem = "is .popc.u32, .and.pred or .or.pred";
  return NULL;
}

#define SELECT_BARRIER(id, expression)                                                             \
  CuredPtxHandler SELECT (id) (const CuredPtxInst *inst, const char **problem)                     \
  {                                                                                                \
    bool is_aligned G_GNUC_UNUSED = inst->words[CURED_PTX_GROUP_ALIGNED] != CURED_PTX_NO_WORD;     \
                                                                                                   \
    return expression;                                                                             \
  }

SELECT_BARRIER (bar_sync, run_sync)
SELECT_BARRIER (bar_cta_sync, run_sync)
SELECT_BARRIER (bar_arrive, run_arrive)
SELECT_BARRIER (bar_cta_arrive, run_arrive)
SELECT_BARRIER (bar_red, select_red (inst, true, problem))
SELECT_BARRIER (bar_cta_red, select_red (inst, true, problem))
SELECT_BARRIER (barrier_sync, is_aligned ? run_sync : run_sync_each)
SELECT_BARRIER (barrier_cta_sync, is_aligned ? run_sync : run_sync_each)
SELECT_BARRIER (barrier_arrive, is_aligned ? run_arrive : run_arrive_each)
SELECT_BARRIER (barrier_cta_arrive, is_aligned ? run_arrive : run_arrive_each)
SELECT_BARRIER (barrier_red, select_red (inst, is_aligned, problem))
SELECT_BARRIER (barrier_cta_red, select_red (inst, is_aligned, problem))

/* ---- Barrier of the warp ---- */

static void
run_bar_warp (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *named = LANES (const uint32_t, inst->x[0]);
  uint32_t members = named[__builtin_ctz (mask)];
  uint32_t strangers = 0;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);

      if ((named[l] >> l & 1) == 0)
        strangers |= 1u << l;
    }
  if (!_cured_warp_converge (warp, mask, members))
    return;
  if (strangers != 0)
    _cured_warp_report_strangers (warp, inst, strangers, named);
  _cured_warp_synced (warp, members);
}

CuredPtxHandler
SELECT (bar_warp) (const CuredPtxInst *inst, const char **problem)
{
  return run_bar_warp;
}

/* ---- Barrier of the cluster ---- */

/* PTX ISA 9.0, barrier.cluster: arriving is a release and waiting an acquire, unless .relaxed says
 * otherwise. */
static void
run_cluster_arrive (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_cluster_arrive (warp, inst, mask, cured_has_word (inst, CURED_PTX_GROUP_ALIGNED),
                              WORD_OF (inst, ORDER) != CURED_PTX_ORDER_RELAXED);
}

CuredPtxHandler
SELECT (cluster_arrive) (const CuredPtxInst *inst, const char **problem)
{
  REFUSE_IF (cured_has_word (inst, CURED_PTX_GROUP_ORDER) &&
                 WORD_OF (inst, ORDER) != CURED_PTX_ORDER_RELEASE &&
                 WORD_OF (inst, ORDER) != CURED_PTX_ORDER_RELAXED,
             "takes .release or .relaxed");
  return run_cluster_arrive;
}

static void
run_cluster_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_cluster_wait (warp, inst, mask, cured_has_word (inst, CURED_PTX_GROUP_ALIGNED));
}

CuredPtxHandler
SELECT (cluster_wait) (const CuredPtxInst *inst, const char **problem)
{
  REFUSE_IF (cured_has_word (inst, CURED_PTX_GROUP_ORDER) &&
                 WORD_OF (inst, ORDER) != CURED_PTX_ORDER_ACQUIRE,
             "takes .acquire");
  return run_cluster_wait;
}

/* ---- Barriers in shared memory ---- */

static void
find_barriers (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const CuredPtxOperand *x,
               CuredAccessKind kind, CuredHosts *hosts)
{
  CuredSpace space = inst->words[CURED_PTX_GROUP_SPACE] == CURED_PTX_SPACE_SHARED
                         ? CURED_SPACE_SHARED
                         : CURED_SPACE_GENERIC;

  _cured_warp_access (warp, inst, mask, space, kind, x, inst->displacement, 8, hosts);
}

/* Like find_barriers (); those who wait for them look again. */
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

/* Whether @inst names shared memory or none, and @order with its scope or none;
 * @order is CURED_PTX_NO_WORD where there may be none. */
static bool
is_on_barrier (const CuredPtxInst *inst, CuredPtxWord order, const char **problem)
{
  CuredPtxWord space = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SPACE];
  CuredPtxWord has = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];
  CuredPtxWord scope = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE];

  if (inst->n_types != 1 || inst->types[0] != CURED_PTX_B64)
    *problem = "takes .b64";
  else if (space != CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_SHARED)
    *problem = "takes shared memory only";
  else if (has != CURED_PTX_NO_WORD && has != order &&
           (has != CURED_PTX_ORDER_RELAXED || order == CURED_PTX_NO_WORD))
    *problem = order == CURED_PTX_ORDER_ACQUIRE ? "takes .acquire only" : "takes .release only";
  else if ((has != CURED_PTX_NO_WORD) != (scope != CURED_PTX_NO_WORD) ||
           (scope != CURED_PTX_NO_WORD && scope != CURED_PTX_SCOPE_CTA &&
            scope != CURED_PTX_SCOPE_CLUSTER))
    *problem = "takes an order together with .cta or .cluster";
  else
    return true;
  return false;
}

CuredPtxHandler
SELECT (mbarrier_init) (const CuredPtxInst *inst, const char **problem)
{
  return is_on_barrier (inst, CURED_PTX_NO_WORD, problem) ? run_mbarrier_init : NULL;
}

/* It changes nothing here. To others it is one more operation on the barrier, as an arrival is, and
 * no store: who counts down a number of users and then ends the barrier, as cuda::pipeline does for
 * all lanes of a warp at once, is in order. Data that takes the barrier's place still has to be
 * ordered. */
static void
run_mbarrier_inval (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredHosts hosts;

  change_barriers (warp, inst, mask, &inst->x[0], CURED_ACCESS_ATOMIC, &hosts);
}

CuredPtxHandler
SELECT (mbarrier_inval) (const CuredPtxInst *inst, const char **problem)
{
  return is_on_barrier (inst, CURED_PTX_NO_WORD, problem) ? run_mbarrier_inval : NULL;
}

/* One arrival of @n; the last one begins the next phase, unless bytes are still to come. */
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

static inline void
run_arrival (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, bool is_dropping)
{
  CuredHosts hosts;

  change_barriers (warp, inst, mask, &inst->x[1], CURED_ACCESS_ATOMIC, &hosts);
  for (uint32_t left = hosts.mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t n = inst->x[2].width == 0 ? 1 : LANES (uint32_t, inst->x[2])[l];
      uint64_t before;
      uint64_t after;

      memcpy (&before, hosts.host[l], sizeof before);
      after = arrive_at (before, n, is_dropping);
      memcpy (hosts.host[l], &after, sizeof after);
      if (inst->x[0].width != 0)
        LANES (uint64_t, inst->x[0])[l] = before;
    }
}

/* Expects bytes, and arrives once. */
static inline void
run_arrival_tx (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, bool is_dropping)
{
  CuredHosts hosts;

  change_barriers (warp, inst, mask, &inst->x[1], CURED_ACCESS_ATOMIC, &hosts);
  for (uint32_t left = hosts.mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      int64_t bytes = LANES (uint32_t, inst->x[2])[l];
      uint64_t before;
      uint64_t barrier;

      memcpy (&before, hosts.host[l], sizeof before);
      barrier = cured_mbarrier_make (
          before & CURED_MBARRIER_MASK, before >> CURED_MBARRIER_BITS & CURED_MBARRIER_MASK,
          cured_mbarrier_get_phase (before), cured_mbarrier_get_bytes (before) + bytes);
      barrier = arrive_at (barrier, 1, is_dropping);
      memcpy (hosts.host[l], &barrier, sizeof barrier);
      if (inst->x[0].width != 0)
        LANES (uint64_t, inst->x[0])[l] = before;
    }
}

static void
run_mbarrier_arrive_tx (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  run_arrival_tx (warp, inst, mask, false);
}

CuredPtxHandler
SELECT (mbarrier_arrive_tx) (const CuredPtxInst *inst, const char **problem)
{
  return is_on_barrier (inst, CURED_PTX_ORDER_RELEASE, problem) ? run_mbarrier_arrive_tx : NULL;
}

static void
run_mbarrier_arrive_drop_tx (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  run_arrival_tx (warp, inst, mask, true);
}

CuredPtxHandler
SELECT (mbarrier_arrive_drop_tx) (const CuredPtxInst *inst, const char **problem)
{
  return is_on_barrier (inst, CURED_PTX_ORDER_RELEASE, problem) ? run_mbarrier_arrive_drop_tx
                                                                : NULL;
}

/* Bytes more (@sign 1) or less (-1). */
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

static void
run_mbarrier_expect_tx (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  run_tx (warp, inst, mask, 1);
}

static void
run_mbarrier_complete_tx (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  run_tx (warp, inst, mask, -1);
}

CuredPtxHandler
SELECT (mbarrier_expect_tx) (const CuredPtxInst *inst, const char **problem)
{
  return is_on_barrier (inst, CURED_PTX_ORDER_RELAXED, problem) ? run_mbarrier_expect_tx : NULL;
}

CuredPtxHandler
SELECT (mbarrier_complete_tx) (const CuredPtxInst *inst, const char **problem)
{
  return is_on_barrier (inst, CURED_PTX_ORDER_RELAXED, problem) ? run_mbarrier_complete_tx : NULL;
}

static CuredPtxHandler
select_arrival (const CuredPtxInst *inst, CuredPtxHandler run, const char **problem)
{
  if (inst->words[CURED_PTX_GROUP_NOCOMPLETE] != CURED_PTX_NO_WORD && inst->x[2].width == 0)
    {
      *problem = "takes a count with .noComplete";
      return NULL;
    }
  return is_on_barrier (inst, CURED_PTX_ORDER_RELEASE, problem) ? run : NULL;
}

static void
run_mbarrier_arrive (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  run_arrival (warp, inst, mask, false);
}

CuredPtxHandler
SELECT (mbarrier_arrive) (const CuredPtxInst *inst, const char **problem)
{
  return select_arrival (inst, run_mbarrier_arrive, problem);
}

static void
run_mbarrier_arrive_drop (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  run_arrival (warp, inst, mask, true);
}

CuredPtxHandler
SELECT (mbarrier_arrive_drop) (const CuredPtxInst *inst, const char **problem)
{
  return select_arrival (inst, run_mbarrier_arrive_drop, problem);
}

/* Copies are done when they are issued: with .noinc this is an arrival; without it the count goes
 * up by one and down again, which leaves it as it was. */
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

CuredPtxHandler
SELECT (cp_async_mbarrier) (const CuredPtxInst *inst, const char **problem)
{
  return is_on_barrier (inst, CURED_PTX_NO_WORD, problem) ? run_cp_async_mbarrier : NULL;
}

/* Who still waits lets others run: these loops spin. */
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
      uint64_t asked =
          inst->x[2].width == 8 ? LANES (uint64_t, inst->x[2])[l] : LANES (uint32_t, inst->x[2])[l];

      memcpy (&barrier, hosts.host[l], sizeof barrier);
      if (is_parity ? (cured_mbarrier_get_phase (barrier) & 1) != asked
                    : cured_mbarrier_get_phase (barrier) != cured_mbarrier_get_phase (asked))
        is_over |= 1u << l;
      else if (first == NULL)
        first = hosts.host[l];
    }
  /* A chip suspends the warp here for a while. */
  if (is_over != mask &&
      _cured_warp_wait (warp, inst, mask, first,
                        is_over == 0 && inst->op == CURED_PTX_OP_mbarrier_try_wait))
    return;
  if (is_over == mask)
    _cured_warp_waited (warp);
  cured_set_predicate (warp, &inst->x[0], mask, is_over);
}

static void
run_wait_state (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  run_wait (warp, inst, mask, false);
}

static void
run_wait_parity (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  run_wait (warp, inst, mask, true);
}

static CuredPtxHandler
select_wait (const CuredPtxInst *inst, const char **problem)
{
  bool is_parity = inst->words[CURED_PTX_GROUP_PARITY] != CURED_PTX_NO_WORD;

  /* A number has the width of the type. */
  if (inst->x[2].width != (is_parity ? 4 : 8) && inst->x[2].base != CURED_BASE_CONSTANTS)
    {
      *problem = is_parity ? "takes a parity of 32 bits" : "takes a state of 64 bits";
      return NULL;
    }
  if (!is_on_barrier (inst, CURED_PTX_ORDER_ACQUIRE, problem))
    return NULL;
  return is_parity ? run_wait_parity : run_wait_state;
}

CuredPtxHandler
SELECT (mbarrier_test_wait) (const CuredPtxInst *inst, const char **problem)
{
  return select_wait (inst, problem);
}

CuredPtxHandler
SELECT (mbarrier_try_wait) (const CuredPtxInst *inst, const char **problem)
{
  return select_wait (inst, problem);
}

static void
run_mbarrier_pending (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *to = LANES (uint32_t, inst->x[0]);
  const uint64_t *states = LANES (uint64_t, inst->x[1]);

  FOR_LANES (mask, to[l] = (uint32_t) (states[l] & CURED_MBARRIER_MASK));
}

CuredPtxHandler
SELECT (mbarrier_pending) (const CuredPtxInst *inst, const char **problem)
{
  return run_mbarrier_pending;
}
