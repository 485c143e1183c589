/* SPDX-License-Identifier: MIT
 * How handlers are written, and where they are found. */
#pragma once

#include "ptx/machine/cured-warp-private.h"

G_BEGIN_DECLS

/* The exec files are compiled twice on x86-64: for every processor, and for those with AVX2 and FMA
 * (x86-64-v3); EXEC_SUFFIX tells them apart. Everything but the selectors and _cured_warp_access ()
 * is static in them. */

/* The name of the selector of a row of cured-ptx-ops.def:
 *
 *   CuredPtxHandler
 *   SELECT (popc) (const CuredPtxInst *inst, const char **problem)
 *
 * Returns the handler that does what @inst says; NULL with @problem (static text, "takes no .sat
 * for .u32") where the ISA has no such instruction or the interpreter does not. Everything about
 * @inst is set but run. */
#define SELECT(id) CURED_PASTE (_cured_ptx_select_##id, EXEC_SUFFIX)

typedef CuredPtxHandler (*CuredPtxSelector) (const CuredPtxInst *inst, const char **problem);

/* One a row of the table. */
#define OP(id, mnemonic, types, modifiers, operands, class, pipe, meaning)                         \
  CuredPtxHandler SELECT (id) (const CuredPtxInst *inst, const char **problem);
#include "ptx/cured-ptx-ops.def"

/* By CuredPtxOp; of the best set that this processor runs. */
const CuredPtxSelector *_cured_ptx_get_selectors (void);

/* Of an instruction that has registers of products; of the same set. */
CuredPtxHandler _cured_ptx_get_early (void);

/* In a selector: gives up with a reason where @condition holds. */
#define REFUSE_IF(condition, reason)                                                               \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (condition)                                                                                 \
      {                                                                                            \
        *problem = (reason);                                                                       \
        return NULL;                                                                               \
      }                                                                                            \
  }                                                                                                \
  G_STMT_END

/* In a selector: the instruction takes one type suffix. */
#define REFUSE_UNLESS_ONE_TYPE() REFUSE_IF (inst->n_types != 1, "takes one type")

/* The value of a group of modifier words that @inst carries, 0: none. */
#define WORD_OF(inst, group) ((inst)->words[CURED_PTX_GROUP_##group])

static inline bool
cured_has_word (const CuredPtxInst *inst, CuredPtxGroup group)
{
  return inst->words[group] != CURED_PTX_NO_WORD;
}

/* Where the operands of the letter @which begin. */
static inline const CuredPtxOperand *
cured_get_operands (const CuredPtxInst *inst, unsigned which)
{
  const CuredPtxOperand *x = inst->x;

  for (unsigned i = 0; i < which; i++)
    x += inst->counts[i];
  return x;
}

/* Whether @n operands are there and as wide as they must be. */
static inline bool
cured_are_wide (const CuredPtxOperand *x, unsigned n, unsigned width)
{
  for (unsigned i = 0; i < n; i++)
    if (x[i].width != width)
      return false;
  return true;
}

#define CURED_ALL_LANES 0xffffffffu

__extension__ typedef unsigned __int128 cured_uint128;
__extension__ typedef __int128 cured_int128;

/* The lanes of operand @x of the running frame, as an array of @type. */
#define LANES(type, x) ((type *) __builtin_assume_aligned (warp->bases[(x).base] + (x).offset, 64))

/* A predicate's bits, negated where the operand says so. */
static inline uint32_t
cured_get_predicate (const CuredWarp *warp, const CuredPtxOperand *x)
{
  uint32_t bits = *(const uint32_t *) (warp->bases[x->base] + x->offset);

  return x->is_negated ? ~bits : bits;
}

static inline void
cured_set_predicate (CuredWarp *warp, const CuredPtxOperand *x, uint32_t mask, uint32_t bits)
{
  uint32_t *to = (uint32_t *) (warp->bases[x->base] + x->offset);

  *to = (*to & ~mask) | (bits & mask);
}

/* 1 << l, as an array: shifts by other amounts in other lanes take AVX2, and are what keeps a loop
 * over predicates from being vectorized. */
#define CURED_BITS_4(T, l) (T) 1 << (l), (T) 1 << ((l) + 1), (T) 1 << ((l) + 2), (T) 1 << ((l) + 3)
#define CURED_BITS_16(T, l)                                                                        \
  CURED_BITS_4 (T, l), CURED_BITS_4 (T, (l) + 4), CURED_BITS_4 (T, (l) + 8),                       \
      CURED_BITS_4 (T, (l) + 12)

static const uint32_t cured_lane_bits_32[CURED_WARP_LANES]
    __attribute__ ((aligned (64), unused)) = { CURED_BITS_16 (uint32_t, 0),
                                               CURED_BITS_16 (uint32_t, 16) };
static const uint64_t cured_lane_bits_64[CURED_WARP_LANES]
    __attribute__ ((aligned (64), unused)) = { CURED_BITS_16 (uint64_t, 0),
                                               CURED_BITS_16 (uint64_t, 16) };

/* A lane's destination is only ever that lane's source: no lane waits for another. */
#ifdef __clang__
#define CURED_IVDEP _Pragma ("clang loop vectorize(assume_safety)")
#else
#define CURED_IVDEP _Pragma ("GCC ivdep")
#endif

/* Runs @statement with l = each lane of @mask; the full mask is a loop that the compiler
 * vectorizes. For other masks, computing all lanes and blending was tried: it costs as much as 10
 * to 16 single lanes, and half a warp or one lane are what masks mostly are. */
#define FOR_LANES(mask, statement)                                                                 \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (G_LIKELY ((mask) == CURED_ALL_LANES))                                                      \
      CURED_IVDEP for (unsigned l = 0; l < CURED_WARP_LANES; l++) { statement; }                   \
    else                                                                                           \
      for (uint32_t left_ = (mask); left_ != 0; left_ &= left_ - 1)                                \
        {                                                                                          \
          unsigned l = (unsigned) __builtin_ctz (left_);                                           \
          statement;                                                                               \
        }                                                                                          \
  }                                                                                                \
  G_STMT_END

/* Defines a handler of one destination and some sources of one type each:
 *
 *   UNARY (popc_32, uint32_t, uint32_t, (uint32_t) __builtin_popcount (a))
 *   BINARY (add_32, uint32_t, uint32_t, a + b)
 *
 * Expressions know a, b, c (this lane's sources), l, inst and warp. A destination may be one of the
 * sources: the loops read a lane before they write it. */
#define UNARY(name, D, A, expression)                                                              \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    D *d_ = LANES (D, inst->x[0]);                                                                 \
    const A *a_ = LANES (A, inst->x[1]);                                                           \
                                                                                                   \
    FOR_LANES (mask, A a = a_[l]; d_[l] = (D) (expression));                                       \
  }

#define BINARY_2(name, D, A, B, expression)                                                        \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    D *d_ = LANES (D, inst->x[0]);                                                                 \
    const A *a_ = LANES (A, inst->x[1]);                                                           \
    const B *b_ = LANES (B, inst->x[2]);                                                           \
                                                                                                   \
    FOR_LANES (mask, A a = a_[l]; B b = b_[l]; d_[l] = (D) (expression));                          \
  }
#define BINARY(name, D, A, expression) BINARY_2 (name, D, A, A, expression)

#define TERNARY_3(name, D, A, B, C, expression)                                                    \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    D *d_ = LANES (D, inst->x[0]);                                                                 \
    const A *a_ = LANES (A, inst->x[1]);                                                           \
    const B *b_ = LANES (B, inst->x[2]);                                                           \
    const C *c_ = LANES (C, inst->x[3]);                                                           \
                                                                                                   \
    FOR_LANES (mask, A a = a_[l]; B b = b_[l]; C c = c_[l]; d_[l] = (D) (expression));             \
  }
#define TERNARY(name, D, A, expression) TERNARY_3 (name, D, A, A, A, expression)

G_END_DECLS
