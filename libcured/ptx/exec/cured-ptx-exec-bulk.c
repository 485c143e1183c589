/* SPDX-License-Identifier: MIT
 * Handlers: bulk copies and reductions of the asynchronous proxy.
 *
 * They are done at once, and their barrier is told at once: a kernel that waits
 * and fences as it must sees no difference, and one that does not is the race
 * detector's to find. */
#include <string.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

static uint64_t
get_lane (const CuredWarp *warp, const CuredPtxOperand *x, unsigned l)
{
  return x->width == 4 ? LANES (const uint32_t, *x)[l]
                       : LANES (const uint64_t, *x)[l];
}

static uint64_t
get_address (const CuredWarp *warp,
             const CuredPtxOperand *x,
             int64_t displacement,
             unsigned l)
{
  uint64_t address = get_lane (warp, x, l) + (uint64_t) displacement;

  return x->width == 4 ? (uint32_t) address : address;
}

static CuredSpace
get_target_space (const CuredPtxInst *inst)
{
  return WORD_OF (inst, SPACE) == CURED_PTX_SPACE_SHARED ? CURED_SPACE_SHARED
                                                         : CURED_SPACE_GLOBAL;
}

static CuredSpace
get_source_space (const CuredPtxInst *inst)
{
  return WORD_OF (inst, FROM) == CURED_PTX_FROM_SHARED ? CURED_SPACE_SHARED
                                                       : CURED_SPACE_GLOBAL;
}

/* ---- Elements of a reduction ---- */

static uint64_t
reduce_integer (CuredPtxWord operation, bool is_signed, uint64_t a, uint64_t b)
{
  bool is_less = is_signed ? (int64_t) a < (int64_t) b : a < b;

  switch ((int) operation)
    {
    case CURED_PTX_OPERATION_AND:
      return a & b;
    case CURED_PTX_OPERATION_OR:
      return a | b;
    case CURED_PTX_OPERATION_XOR:
      return a ^ b;
    case CURED_PTX_OPERATION_ADD:
      return a + b;
    case CURED_PTX_OPERATION_MIN:
      return is_less ? a : b;
    case CURED_PTX_OPERATION_MAX:
      return is_less ? b : a;
    case CURED_PTX_OPERATION_INC:
      return a >= b ? 0 : a + 1;
    default: /* DEC */
      return a == 0 || a > b ? b : a - 1;
    }
}

/* Sums in f32 have enough bits for the second rounding to do no harm. */
static float
reduce_float (CuredPtxWord operation, float a, float b)
{
  if (operation == CURED_PTX_OPERATION_ADD)
    return a + b;
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return (cured_bits_of_f32 (a) >> 31 != 0) ==
                   (operation == CURED_PTX_OPERATION_MIN)
               ? a
               : b;
  return (a < b) == (operation == CURED_PTX_OPERATION_MIN) ? a : b;
}

/* PTX ISA 9.0, cp.reduce.async.bulk: additions of .f32 flush subnormal numbers
 * in global memory. */
static uint64_t
reduce (const CuredPtxInst *inst, uint64_t a, uint64_t b)
{
  CuredPtxWord operation = (CuredPtxWord) WORD_OF (inst, OPERATION);
  float sum;

  switch (inst->types[0])
    {
    case CURED_PTX_S32:
      return (uint32_t) reduce_integer (operation,
                                        true,
                                        (uint64_t) (int64_t) (int32_t) a,
                                        (uint64_t) (int64_t) (int32_t) b);
    case CURED_PTX_S64:
      return reduce_integer (operation, true, a, b);
    case CURED_PTX_F16:
      return cured_f32_to_f16 (reduce_float (operation,
                                             cured_f16_to_f32 ((uint32_t) a),
                                             cured_f16_to_f32 ((uint32_t) b)),
                               CURED_PTX_ROUND_RN);
    case CURED_PTX_BF16:
      return cured_f32_to_bf16 (reduce_float (operation,
                                              cured_bf16_to_f32 ((uint32_t) a),
                                              cured_bf16_to_f32 ((uint32_t) b)),
                                CURED_PTX_ROUND_RN);
    case CURED_PTX_F32:
      sum =
          cured_flush_f32 (cured_flush_f32 (cured_f32_of_bits ((uint32_t) a)) +
                           cured_flush_f32 (cured_f32_of_bits ((uint32_t) b)));
      return sum != sum ? CURED_NAN_F32 : cured_bits_of_f32 (sum);
    case CURED_PTX_F64:
      return cured_bits_of_f64 (cured_f64_of_bits (a) + cured_f64_of_bits (b));
    default:
      return reduce_integer (operation, false, a, b);
    }
}

/* Other blocks may be at the same element. */
#define REDUCE(T)                                                              \
  for (uint32_t i = 0; i < size; i += sizeof (T))                              \
    {                                                                          \
      T *at = (T *) (void *) (to + i);                                         \
      T old = __atomic_load_n (at, __ATOMIC_RELAXED);                          \
      T b;                                                                     \
                                                                               \
      memcpy (&b, from + i, sizeof b);                                         \
      while (!__atomic_compare_exchange_n (at,                                 \
                                           &old,                               \
                                           (T) reduce (inst, old, b),          \
                                           false,                              \
                                           __ATOMIC_RELAXED,                   \
                                           __ATOMIC_RELAXED))                  \
        ;                                                                      \
    }

static void
reduce_all (const CuredPtxInst *inst,
            uint8_t *to,
            const uint8_t *from,
            uint32_t size)
{
  switch (_cured_ptx_types[inst->types[0]].bytes)
    {
    case 2:
      REDUCE (uint16_t);
      break;
    case 4:
      REDUCE (uint32_t);
      break;
    default:
      REDUCE (uint64_t);
      break;
    }
}

/* ---- Copies ---- */

static void
run_bulk (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  bool has_barrier =
      WORD_OF (inst, COMPLETION) == CURED_PTX_COMPLETION_MBARRIER;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint32_t size = LANES (const uint32_t, inst->x[2])[l];
      CuredBulk bulk = {
        .inst = inst,
        .lane = l,
        .size = size,
        .barrier = has_barrier
                       ? get_address (warp, &inst->x[3], inst->immediate, l)
                       : UINT64_MAX,
      };
      uint8_t *barrier = NULL;
      uint8_t *from;
      uint8_t *to;

      if (has_barrier)
        {
          barrier = _cured_warp_find_barrier (warp, &bulk);
          if (barrier == NULL)
            continue;
        }
      from = _cured_warp_access_bulk (
          warp,
          &bulk,
          get_source_space (inst),
          CURED_ACCESS_LOAD,
          get_address (warp, &inst->x[1], inst->displacement2, l));
      to = _cured_warp_access_bulk (
          warp,
          &bulk,
          get_target_space (inst),
          inst->op == CURED_PTX_OP_bulk_reduce ? CURED_ACCESS_REDUCTION
          : get_target_space (inst) == CURED_SPACE_SHARED ? CURED_ACCESS_COPY
                                                          : CURED_ACCESS_STORE,
          get_address (warp, &inst->x[0], inst->displacement, l));
      if (from != NULL && to != NULL)
        {
          if (inst->op == CURED_PTX_OP_bulk_reduce)
            reduce_all (inst, to, from, size);
          else
            memmove (to, from, size);
        }
      if (barrier != NULL)
        cured_mbarrier_expect (barrier, -(int64_t) size);
    }
}

/* Where from and to, and who is told; NULL: a problem. */
static CuredPtxHandler
select_copy (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord to = (CuredPtxWord) WORD_OF (inst, SPACE);
  CuredPtxWord from = (CuredPtxWord) WORD_OF (inst, FROM);
  bool has_barrier =
      WORD_OF (inst, COMPLETION) == CURED_PTX_COMPLETION_MBARRIER;
  bool is_reduction = inst->op == CURED_PTX_OP_bulk_reduce;

  *problem = NULL;
  if (to != CURED_PTX_SPACE_SHARED && to != CURED_PTX_SPACE_GLOBAL)
    *problem = "takes .shared::cluster or .global first";
  else if (from != CURED_PTX_FROM_SHARED &&
           (from != CURED_PTX_FROM_GLOBAL || is_reduction ||
            to == CURED_PTX_SPACE_GLOBAL))
    *problem = is_reduction || to == CURED_PTX_SPACE_GLOBAL
                   ? "takes .shared::cta as source"
                   : "takes .shared::cta or .global as source";
  else if (to == CURED_PTX_SPACE_SHARED && !has_barrier)
    *problem = "takes .mbarrier::complete_tx::bytes to shared memory";
  else if (to == CURED_PTX_SPACE_GLOBAL &&
           WORD_OF (inst, COMPLETION) != CURED_PTX_COMPLETION_GROUP)
    *problem = "takes .bulk_group to global memory";
  else if (has_barrier != (inst->x[3].width != 0))
    *problem = has_barrier ? "takes the address of a barrier"
                           : "takes no barrier with .bulk_group";
  else if (inst->x[2].width != 4)
    *problem = "takes the number of bytes in 32 bits";
  return *problem == NULL ? run_bulk : NULL;
}

CuredPtxHandler
SELECT (bulk) (const CuredPtxInst *inst, const char **problem)
{
  return select_copy (inst, problem);
}

CuredPtxHandler
SELECT (bulk_reduce) (const CuredPtxInst *inst, const char **problem)
{
  bool is_shared = WORD_OF (inst, SPACE) == CURED_PTX_SPACE_SHARED;
  CuredPtxWord operation = (CuredPtxWord) WORD_OF (inst, OPERATION);
  CuredPtxType type = (CuredPtxType) inst->types[0];
  bool is_half = type == CURED_PTX_F16 || type == CURED_PTX_BF16;
  bool is_taken = false;

  switch ((int) operation)
    {
    case CURED_PTX_OPERATION_AND:
    case CURED_PTX_OPERATION_OR:
    case CURED_PTX_OPERATION_XOR:
      is_taken = type == CURED_PTX_B32 || (type == CURED_PTX_B64 && !is_shared);
      break;
    case CURED_PTX_OPERATION_ADD:
      is_taken = type == CURED_PTX_U32 || type == CURED_PTX_S32 ||
                 type == CURED_PTX_U64 ||
                 (!is_shared &&
                  (is_half || type == CURED_PTX_F32 || type == CURED_PTX_F64));
      break;
    case CURED_PTX_OPERATION_INC:
    case CURED_PTX_OPERATION_DEC:
      is_taken = type == CURED_PTX_U32;
      break;
    case CURED_PTX_OPERATION_MIN:
    case CURED_PTX_OPERATION_MAX:
      is_taken = type == CURED_PTX_U32 || type == CURED_PTX_S32 ||
                 (!is_shared &&
                  (is_half || type == CURED_PTX_U64 || type == CURED_PTX_S64));
      break;
    default:
      break;
    }
  REFUSE_IF (!is_taken, "takes another operation of that type there");
  REFUSE_IF (cured_has_word (inst, CURED_PTX_GROUP_NOFTZ) !=
                 (is_half && operation == CURED_PTX_OPERATION_ADD),
             "takes .noftz with additions of halves, and with these alone");
  return select_copy (inst, problem);
}

static void
run_hint (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
}

CuredPtxHandler
SELECT (bulk_prefetch) (const CuredPtxInst *inst, const char **problem)
{
  REFUSE_IF (WORD_OF (inst, SPACE) != CURED_PTX_SPACE_GLOBAL, "takes .global");
  return run_hint;
}

/* ---- Groups ---- */

static void
notify_groups (CuredWarp *warp, uint32_t mask, int left)
{
  CuredBlock *block = warp->block;

  for (uint32_t i = 0; i < block->grid->n_observers; i++)
    {
      CuredObserver *observer = block->grid->observers[i];

      if (observer->klass->bulk_copies != NULL)
        observer->klass->bulk_copies (
            observer, block->states[i], warp, mask, left);
    }
}

static void
run_commit (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  notify_groups (warp, mask, CURED_COPIES_COMMIT);
}

CuredPtxHandler
SELECT (bulk_commit) (const CuredPtxInst *inst, const char **problem)
{
  return run_commit;
}

static void
run_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  notify_groups (warp, mask, (int) inst->immediate);
}

static CuredPtxHandler
select_wait (const CuredPtxInst *inst, const char **problem)
{
  REFUSE_IF (inst->immediate < 0 || inst->immediate > INT32_MAX,
             "takes a number of groups from 0 on");
  return run_wait;
}

CuredPtxHandler
SELECT (bulk_wait) (const CuredPtxInst *inst, const char **problem)
{
  return select_wait (inst, problem);
}

CuredPtxHandler
SELECT (bulk_wait_read) (const CuredPtxInst *inst, const char **problem)
{
  return select_wait (inst, problem);
}
