/* SPDX-License-Identifier: MIT
 * Comparison and selection; PTX ISA 9.0, sections 9.7.6 and 9.7.7 (set). */
#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- Comparisons of all lanes, with a bit per lane ---- */

/* Inactive lanes are compared too: that vectorizes and is harmless, and the caller masks their
 * bits. The accumulator has the width of the operands to help the vectorizer. */
#define COMPARISON(name, T, width, condition)                                                      \
  static inline uint32_t name (const void *left, const void *right)                                \
  {                                                                                                \
    const T *a_ = __builtin_assume_aligned (left, 64);                                             \
    const T *b_ = __builtin_assume_aligned (right, 64);                                            \
    uint##width##_t bits = 0;                                                                      \
                                                                                                   \
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)                                                \
      {                                                                                            \
        T a = a_[l], b = b_[l];                                                                    \
                                                                                                   \
        bits |= (condition) ? cured_lane_bits_##width[l] : 0;                                      \
      }                                                                                            \
    return (uint32_t) bits;                                                                        \
  }

/* ... and the handler of setp. */
#define SETP(name, T, width, condition)                                                            \
  COMPARISON (compare_##name, T, width, condition)                                                 \
  static void setp_##name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)               \
  {                                                                                                \
    set_predicates (warp, inst, mask,                                                              \
                    compare_##name (LANES (T, inst->x[2]), LANES (T, inst->x[3])));                \
  }

static inline uint32_t
combine (const CuredWarp *warp, const CuredPtxInst *inst, const CuredPtxOperand *with,
         uint32_t bits)
{
  switch ((int) WORD_OF (inst, OPERATION))
    {
    case CURED_PTX_OPERATION_AND: return bits & cured_get_predicate (warp, with);
    case CURED_PTX_OPERATION_OR: return bits | cured_get_predicate (warp, with);
    case CURED_PTX_OPERATION_XOR: return bits ^ cured_get_predicate (warp, with);
    default: return bits;
    }
}

/* p and q may be the predicate with which they are combined: both are computed before either is
 * written. Each may be '_'. */
static inline void
set_predicates (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t bits)
{
  const CuredPtxOperand *p = &inst->x[0];
  const CuredPtxOperand *q = &inst->x[1];
  uint32_t of_p = combine (warp, inst, &inst->x[4], bits);

  if (G_UNLIKELY (q->width != 0))
    {
      uint32_t of_q = combine (warp, inst, &inst->x[4], ~bits);

      cured_set_predicate (warp, q, mask, of_q);
    }
  if (p->width != 0)
    cured_set_predicate (warp, p, mask, of_p);
}

#define ORDERINGS(name, T, width)                                                                  \
  SETP (name##_lt, T, width, a < b)                                                                \
  SETP (name##_le, T, width, a <= b)                                                               \
  SETP (name##_gt, T, width, a > b)                                                                \
  SETP (name##_ge, T, width, a >= b)

#define EQUALITIES(name, T, width)                                                                 \
  SETP (name##_eq, T, width, a == b)                                                               \
  SETP (name##_ne, T, width, a != b)

EQUALITIES (16, uint16_t, 32)
EQUALITIES (32, uint32_t, 32)
EQUALITIES (64, uint64_t, 64)
ORDERINGS (u16, uint16_t, 32)
ORDERINGS (s16, int16_t, 32)
ORDERINGS (u32, uint32_t, 32)
ORDERINGS (s32, int32_t, 32)
ORDERINGS (u64, uint64_t, 64)
ORDERINGS (s64, int64_t, 64)

/* Floating point has more comparisons: those that are true if an operand is NaN. As in C, an
 * ordered comparison with NaN is false; a != b is written accordingly. */
#define FLOATS(name, T, width, value)                                                              \
  SETP (name##_eq, T, width, value (a) == value (b))                                               \
  SETP (name##_ne, T, width, value (a) < value (b) || value (a) > value (b))                       \
  SETP (name##_lt, T, width, value (a) < value (b))                                                \
  SETP (name##_le, T, width, value (a) <= value (b))                                               \
  SETP (name##_gt, T, width, value (a) > value (b))                                                \
  SETP (name##_ge, T, width, value (a) >= value (b))                                               \
  SETP (name##_equ, T, width, !(value (a) < value (b) || value (a) > value (b)))                   \
  SETP (name##_neu, T, width, !(value (a) == value (b)))                                           \
  SETP (name##_ltu, T, width, !(value (a) >= value (b)))                                           \
  SETP (name##_leu, T, width, !(value (a) > value (b)))                                            \
  SETP (name##_gtu, T, width, !(value (a) <= value (b)))                                           \
  SETP (name##_geu, T, width, !(value (a) < value (b)))                                            \
  SETP (name##_num, T, width, a == a && b == b)                                                    \
  SETP (name##_nan, T, width, a != a || b != b)

#define AS_IT_IS(x) (x)

FLOATS (f32, float, 32, AS_IT_IS)
FLOATS (f32_ftz, float, 32, cured_flush_f32)
FLOATS (f64, double, 64, AS_IT_IS)

/* For halves; other comparisons are derived from these. */
typedef uint32_t (*Comparison) (const void *left, const void *right);

#define HALVES(name, value)                                                                        \
  COMPARISON (compare_##name##_eq, uint16_t, 32, value (a) == value (b))                           \
  COMPARISON (compare_##name##_lt, uint16_t, 32, value (a) < value (b))                            \
  COMPARISON (compare_##name##_le, uint16_t, 32, value (a) <= value (b))                           \
  COMPARISON (compare_##name##_num, uint16_t, 32, value (a) == value (a) && value (b) == value (b))

static inline float
flushed_f16 (uint16_t x)
{
  return cured_f16_to_f32 (cured_flush_f16 (x));
}

HALVES (f16, cured_f16_to_f32)
HALVES (f16_ftz, flushed_f16)
HALVES (bf16, cured_bf16_to_f32)

/* ---- Selecting the comparison ---- */

/* Orders the comparison words as in the tables below. */
typedef enum
{
  EQ,
  NE,
  LT,
  LE,
  GT,
  GE,
  EQU,
  NEU,
  LTU,
  LEU,
  GTU,
  GEU,
  NUM,
  NAN_,
  N_COMPARISONS
} Order;

/* The order for the word of @inst. */
static Order
get_order (const CuredPtxInst *inst)
{
  static const uint8_t orders[] = { EQ, NE,  LT,  LE,  GT,  GE,  LT,  LE,  GT,
                                    GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_ };
  return (Order) orders[WORD_OF (inst, COMPARE) - CURED_PTX_COMPARE_EQ];
}

/* ORDER: orders[] is by the words of the group. */
G_STATIC_ASSERT (CURED_PTX_COMPARE_NAN - CURED_PTX_COMPARE_EQ == 17);

#define INTEGERS_OF(of, bits, name)                                                                \
  {                                                                                                \
    of##_##bits##_eq, of##_##bits##_ne, of##_##name##_lt, of##_##name##_le, of##_##name##_gt,      \
        of##_##name##_ge                                                                           \
  }
#define BITS_OF(of, bits)                                                                          \
  {                                                                                                \
    of##_##bits##_eq, of##_##bits##_ne                                                             \
  }
#define FLOATS_OF(of, name)                                                                        \
  {                                                                                                \
    of##_##name##_eq, of##_##name##_ne, of##_##name##_lt, of##_##name##_le, of##_##name##_gt,      \
        of##_##name##_ge, of##_##name##_equ, of##_##name##_neu, of##_##name##_ltu,                 \
        of##_##name##_leu, of##_##name##_gtu, of##_##name##_geu, of##_##name##_num,                \
        of##_##name##_nan                                                                          \
  }
/* By type and order, after ORDERINGS and FLOATS. */
#define ALL_OF(of)                                                                                 \
  {                                                                                                \
    [CURED_PTX_B16] = BITS_OF (of, 16), [CURED_PTX_B32] = BITS_OF (of, 32),                        \
    [CURED_PTX_B64] = BITS_OF (of, 64), [CURED_PTX_U16] = INTEGERS_OF (of, 16, u16),               \
    [CURED_PTX_S16] = INTEGERS_OF (of, 16, s16), [CURED_PTX_U32] = INTEGERS_OF (of, 32, u32),      \
    [CURED_PTX_S32] = INTEGERS_OF (of, 32, s32), [CURED_PTX_U64] = INTEGERS_OF (of, 64, u64),      \
    [CURED_PTX_S64] = INTEGERS_OF (of, 64, s64), [CURED_PTX_F32] = FLOATS_OF (of, f32),            \
    [CURED_PTX_F64] = FLOATS_OF (of, f64),                                                         \
  }

static const CuredPtxHandler setp_handlers[CURED_PTX_N_TYPES][N_COMPARISONS] = ALL_OF (setp);
static const CuredPtxHandler setp_handlers_ftz[N_COMPARISONS] = FLOATS_OF (setp, f32_ftz);
static const Comparison comparisons[CURED_PTX_N_TYPES][N_COMPARISONS] = ALL_OF (compare);
static const Comparison comparisons_ftz[N_COMPARISONS] = FLOATS_OF (compare, f32_ftz);

/* ---- set ---- */

static uint32_t
compare_halves (const CuredPtxInst *inst, CuredPtxType type, Order order, const uint16_t *a,
                const uint16_t *b)
{
  gboolean is_ftz = WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD;
  gboolean is_bf16 = type == CURED_PTX_BF16 || type == CURED_PTX_BF16X2;
  Comparison eq = is_bf16 ? compare_bf16_eq : is_ftz ? compare_f16_ftz_eq : compare_f16_eq;
  Comparison lt = is_bf16 ? compare_bf16_lt : is_ftz ? compare_f16_ftz_lt : compare_f16_lt;
  Comparison le = is_bf16 ? compare_bf16_le : is_ftz ? compare_f16_ftz_le : compare_f16_le;
  Comparison is_num = is_bf16 ? compare_bf16_num : is_ftz ? compare_f16_ftz_num : compare_f16_num;
  uint32_t num = is_num (a, b);

  switch (order)
    {
    case EQ: return eq (a, b);
    case NE: return num & ~eq (a, b);
    case LT: return lt (a, b);
    case LE: return le (a, b);
    case GT: return lt (b, a);
    case GE: return le (b, a);
    case EQU: return ~num | eq (a, b);
    case NEU: return ~eq (a, b);
    case LTU: return ~num | lt (a, b);
    case LEU: return ~num | le (a, b);
    case GTU: return ~num | lt (b, a);
    case GEU: return ~num | le (b, a);
    case NUM: return num;
    case NAN_:
    case N_COMPARISONS:
    default: return ~num;
    }
}

/* The result of comparing @x[0] and @x[1], a bit per lane; for packed sources, of one half. */
static uint32_t
compare_any (CuredWarp *warp, const CuredPtxInst *inst, CuredPtxType type, const CuredPtxOperand *x,
             unsigned half)
{
  Order order = get_order (inst);
  const uint8_t *a = LANES (uint8_t, x[0]);
  const uint8_t *b = LANES (uint8_t, x[1]);
  uint16_t halves[2][CURED_WARP_LANES] __attribute__ ((aligned (64)));

  switch ((int) type)
    {
    case CURED_PTX_F16:
    case CURED_PTX_BF16:
      return compare_halves (inst, type, order, (const uint16_t *) a, (const uint16_t *) b);
    case CURED_PTX_F16X2:
    case CURED_PTX_BF16X2:
      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        {
          halves[0][l] = (uint16_t) (((const uint32_t *) a)[l] >> (16 * half));
          halves[1][l] = (uint16_t) (((const uint32_t *) b)[l] >> (16 * half));
        }
      return compare_halves (inst, type, order, halves[0], halves[1]);
    case CURED_PTX_F32:
      if (WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD)
        return comparisons_ftz[order](a, b);
      return comparisons[type][order](a, b);
    default: return comparisons[type][order](a, b);
    }
}

/* For two halves: p is the lower half's result, q the upper one's. */
static void
setp_halves (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t low = compare_any (warp, inst, inst->types[0], &inst->x[2], 0);
  uint32_t high = compare_any (warp, inst, inst->types[0], &inst->x[2], 1);

  low = combine (warp, inst, &inst->x[4], low);
  high = combine (warp, inst, &inst->x[4], high);
  if (inst->x[0].width != 0)
    cured_set_predicate (warp, &inst->x[0], mask, low);
  if (inst->x[1].width != 0)
    cured_set_predicate (warp, &inst->x[1], mask, high);
}

static void
setp_half (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  cured_set_predicate (
      warp, &inst->x[0], mask,
      combine (warp, inst, &inst->x[4], compare_any (warp, inst, inst->types[0], &inst->x[2], 0)));
}

/* The value of true in a destination of 16 or 32 bits. */
static uint32_t
get_true (CuredPtxType type)
{
  switch ((int) type)
    {
    case CURED_PTX_F32: return 0x3f800000u;
    case CURED_PTX_F16:
    case CURED_PTX_F16X2: return 0x3c00;
    case CURED_PTX_BF16:
    case CURED_PTX_BF16X2: return 0x3f80;
    case CURED_PTX_U16:
    case CURED_PTX_S16: return 0xffff;
    default: return UINT32_MAX;
    }
}

static void
set_16 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint16_t *d = LANES (uint16_t, inst->x[0]);
  uint32_t bits = compare_any (warp, inst, inst->types[1], &inst->x[1], 0);
  uint16_t is_true = (uint16_t) get_true (inst->types[0]);

  bits = combine (warp, inst, &inst->x[3], bits);
  FOR_LANES (mask, d[l] = (bits & cured_lane_bits_32[l]) != 0 ? is_true : 0);
}

static void
set_32 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *d = LANES (uint32_t, inst->x[0]);
  uint32_t bits = compare_any (warp, inst, inst->types[1], &inst->x[1], 0);
  uint32_t is_true = get_true (inst->types[0]);

  bits = combine (warp, inst, &inst->x[3], bits);
  FOR_LANES (mask, d[l] = (bits & cured_lane_bits_32[l]) != 0 ? is_true : 0);
}

/* For packed sources: an integer destination has 16 ones for each half. */
static void
set_16x2 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *d = LANES (uint32_t, inst->x[0]);
  uint32_t low = compare_any (warp, inst, inst->types[1], &inst->x[1], 0);
  uint32_t high = compare_any (warp, inst, inst->types[1], &inst->x[1], 1);
  uint32_t is_true = get_true (inst->types[0]) & 0xffff;

  low = combine (warp, inst, &inst->x[3], low);
  high = combine (warp, inst, &inst->x[3], high);
  FOR_LANES (mask, d[l] = ((low & cured_lane_bits_32[l]) != 0 ? is_true : 0) |
                          ((high & cured_lane_bits_32[l]) != 0 ? is_true << 16 : 0));
}

/* ---- Selection ---- */

#define SELP(name, T, width)                                                                       \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    T *d = LANES (T, inst->x[0]);                                                                  \
    const T *a = LANES (T, inst->x[1]);                                                            \
    const T *b = LANES (T, inst->x[2]);                                                            \
    uint##width##_t bits = cured_get_predicate (warp, &inst->x[3]);                                \
                                                                                                   \
    FOR_LANES (mask, T x = a[l]; T y = b[l];                                                       \
               d[l] = (bits & cured_lane_bits_##width[l]) != 0 ? x : y);                           \
  }

SELP (selp_16, uint16_t, 32)
SELP (selp_32, uint32_t, 32)
SELP (selp_64, uint64_t, 64)

/* -0 is not less than 0; for NaN the comparison is false. A flushed subnormal keeps its sign, and
 * becomes 0 or -0. */
TERNARY_3 (slct_16_s32, uint16_t, uint16_t, uint16_t, int32_t, c >= 0 ? a : b)
TERNARY_3 (slct_32_s32, uint32_t, uint32_t, uint32_t, int32_t, c >= 0 ? a : b)
TERNARY_3 (slct_64_s32, uint64_t, uint64_t, uint64_t, int32_t, c >= 0 ? a : b)
TERNARY_3 (slct_16_f32, uint16_t, uint16_t, uint16_t, float, c >= 0 ? a : b)
TERNARY_3 (slct_32_f32, uint32_t, uint32_t, uint32_t, float, c >= 0 ? a : b)
TERNARY_3 (slct_64_f32, uint64_t, uint64_t, uint64_t, float, c >= 0 ? a : b)
TERNARY_3 (slct_16_ftz, uint16_t, uint16_t, uint16_t, float, cured_flush_f32 (c) >= 0 ? a : b)
TERNARY_3 (slct_32_ftz, uint32_t, uint32_t, uint32_t, float, cured_flush_f32 (c) >= 0 ? a : b)
TERNARY_3 (slct_64_ftz, uint64_t, uint64_t, uint64_t, float, cured_flush_f32 (c) >= 0 ? a : b)

/* ---- Forms ---- */

/* @type must have the comparison, and the predicate @with must be present if and only if a word
 * combines it. */
static const char *
check_comparison (const CuredPtxInst *inst, CuredPtxType type, const CuredPtxOperand *with)
{
  CuredPtxKind kind = _cured_ptx_types[type].kind;
  CuredPtxWord word = WORD_OF (inst, COMPARE);
  CuredPtxWord operation = WORD_OF (inst, OPERATION);
  Order order = get_order (inst);

  if ((operation != CURED_PTX_NO_WORD) != (with->width != 0))
    return "takes a predicate with .and, .or and .xor, and with these alone";
  if (word >= CURED_PTX_COMPARE_LO && word <= CURED_PTX_COMPARE_HS && kind != CURED_PTX_KIND_U)
    return "compares with .lo, .ls, .hi and .hs only unsigned types";
  if (kind == CURED_PTX_KIND_B && order > NE)
    return "compares bits with .eq and .ne only";
  if (order > GE && kind != CURED_PTX_KIND_F && kind != CURED_PTX_KIND_X)
    return "has this comparison for floating point only";
  return NULL;
}

static CuredPtxHandler
select_setp (const CuredPtxInst *inst, const char **problem)
{
  bool is_ftz = WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD;

  *problem = check_comparison (inst, inst->types[0], &inst->x[4]);
  if (*problem != NULL)
    return NULL;
  return is_ftz ? setp_handlers_ftz[get_order (inst)]
                : setp_handlers[inst->types[0]][get_order (inst)];
}

static const char *
check_halves (const CuredPtxInst *inst)
{
  return check_comparison (inst, inst->types[0], &inst->x[4]);
}

static const char *
check_half (const CuredPtxInst *inst)
{
  return inst->x[1].width != 0 || inst->x[0].width == 0 ? "writes one predicate"
                                                        : check_halves (inst);
}

static const char *
check_set (const CuredPtxInst *inst)
{
  return check_comparison (inst, inst->types[1], &inst->x[3]);
}

/* clang-format off */
#define COMBINED MAY (OPERATION, AND), MAY (OPERATION, OR), MAY (OPERATION, XOR)
#define FLOATING W_COMPARE_EQ, W_COMPARE_NE, W_COMPARE_LT, W_COMPARE_LE, W_COMPARE_GT, W_COMPARE_GE, \
  W_COMPARE_EQU, W_COMPARE_NEU, W_COMPARE_LTU, W_COMPARE_LEU, W_COMPARE_GTU, W_COMPARE_GEU, \
  W_COMPARE_NUM, W_COMPARE_NAN
#define ALL      FLOATING, W_COMPARE_LO, W_COMPARE_LS, W_COMPARE_HI, W_COMPARE_HS, COMBINED
#define WIDE     (T_INT | T_BITS | T_F32 | T_F64)
#define SET(to, from, words, run) \
  CHECKED (set, TYPES (to, from), WORDS (ALL, words), 0, run, check_set)
#define SLCT(types, width) \
  FORM (slct, TYPES (types, T_S32), 0, slct_##width##_s32) \
  FORM (slct, TYPES (types, T_F32), 0, slct_##width##_f32) \
  FORM (slct, TYPES (types, T_F32), W_FTZ_FTZ, slct_##width##_ftz)

static const CuredPtxForm forms[] = {
  CHOICE (setp, WIDE, WORDS (ALL), 0, select_setp)
  CHOICE (setp, T_F32, WORDS (FLOATING, COMBINED, W_FTZ_FTZ), 0, select_setp)
  CHECKED (setp_half, T_F16, WORDS (FLOATING, COMBINED, MAY (FTZ, FTZ)), 0, setp_half, check_half)
  CHECKED (setp_half, T_BF16, WORDS (FLOATING, COMBINED), 0, setp_half, check_half)
  CHECKED (setp_half, T_F16X2, WORDS (FLOATING, COMBINED, MAY (FTZ, FTZ)), 0, setp_halves, check_halves)
  CHECKED (setp_half, T_BF16X2, WORDS (FLOATING, COMBINED), 0, setp_halves, check_halves)
  SET (T_I32, WIDE | T_F16 | T_BF16, 0, set_32)
  SET (T_I32, T_F32 | T_F16, W_FTZ_FTZ, set_32)
  SET (T_I32, T_F16X2 | T_BF16X2, 0, set_16x2)
  SET (T_I32, T_F16X2, W_FTZ_FTZ, set_16x2)
  SET (T_F32, WIDE, 0, set_32)
  SET (T_F32, T_F32, W_FTZ_FTZ, set_32)
  SET (T_I16, T_F16 | T_BF16, 0, set_16)
  SET (T_I16, T_F16, W_FTZ_FTZ, set_16)
  SET (T_F16, WIDE | T_F16, 0, set_16)
  SET (T_F16, T_F32 | T_F16, W_FTZ_FTZ, set_16)
  SET (T_BF16, WIDE | T_F16 | T_BF16, 0, set_16)
  SET (T_F16X2, T_F16X2, MAY (FTZ, FTZ), set_16x2)
  SET (T_BF16X2, T_BF16X2, 0, set_16x2)
  BY_WIDTH (selp, selp)
  SLCT (T_W16, 16)
  SLCT (T_W32, 32)
  SLCT (T_W64, 64)
};
/* clang-format on */

FORMS_OF (compare)
