/* SPDX-License-Identifier: MIT
 * Comparison and selection; PTX ISA 9.0, sections 9.7.6 and 9.7.7 (set). */
#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

#define BYTES(inst) (_cured_ptx_types[(inst)->types[0]].bytes)

/* ---- Comparisons of all lanes, as a bit per lane ---- */

/* Lanes that do not execute are compared too: that is vectorized, harmless, and their bits are
 * dropped by who uses them. The accumulator is as wide as what is compared, for the vectorizer's
 * sake. */
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

/* ... and the handlers of setp. */
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
    case CURED_PTX_OPERATION_AND:
      return bits & cured_get_predicate (warp, with);
    case CURED_PTX_OPERATION_OR:
      return bits | cured_get_predicate (warp, with);
    case CURED_PTX_OPERATION_XOR:
      return bits ^ cured_get_predicate (warp, with);
    default:
      return bits;
    }
}

/* p and q may be the predicate that they are combined with: both are computed before either is
 * written. Each may be a '_'. */
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

/* What floating point adds: the forms that are true where an operand is NaN. As C, an ordered
 * comparison with NaN is false, and a != b has to say so. */
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

/* Halves only occur in set: their setp is a row of its own. */
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

/* ---- Which comparison ---- */

/* Orders the words of a comparison as the tables below. */
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

/* N_COMPARISONS, with a reason, where the type has no such comparison. */
static Order
get_order (const CuredPtxInst *inst, CuredPtxType type, const char **problem)
{
  CuredPtxKind kind = _cured_ptx_types[type].kind;
  Order order = N_COMPARISONS;
  gboolean is_of_unsigned = FALSE;

  switch ((int) WORD_OF (inst, COMPARE))
    {
    case CURED_PTX_COMPARE_EQ:
      order = EQ;
      break;
    case CURED_PTX_COMPARE_NE:
      order = NE;
      break;
    case CURED_PTX_COMPARE_LT:
      order = LT;
      break;
    case CURED_PTX_COMPARE_LE:
      order = LE;
      break;
    case CURED_PTX_COMPARE_GT:
      order = GT;
      break;
    case CURED_PTX_COMPARE_GE:
      order = GE;
      break;
    case CURED_PTX_COMPARE_LO:
      order = LT;
      is_of_unsigned = TRUE;
      break;
    case CURED_PTX_COMPARE_LS:
      order = LE;
      is_of_unsigned = TRUE;
      break;
    case CURED_PTX_COMPARE_HI:
      order = GT;
      is_of_unsigned = TRUE;
      break;
    case CURED_PTX_COMPARE_HS:
      order = GE;
      is_of_unsigned = TRUE;
      break;
    case CURED_PTX_COMPARE_EQU:
      order = EQU;
      break;
    case CURED_PTX_COMPARE_NEU:
      order = NEU;
      break;
    case CURED_PTX_COMPARE_LTU:
      order = LTU;
      break;
    case CURED_PTX_COMPARE_LEU:
      order = LEU;
      break;
    case CURED_PTX_COMPARE_GTU:
      order = GTU;
      break;
    case CURED_PTX_COMPARE_GEU:
      order = GEU;
      break;
    case CURED_PTX_COMPARE_NUM:
      order = NUM;
      break;
    case CURED_PTX_COMPARE_NAN:
      order = NAN_;
      break;
    default:
      *problem = "wants a comparison";
      return N_COMPARISONS;
    }
  if (is_of_unsigned && kind != CURED_PTX_KIND_U)
    *problem = "compares with .lo, .ls, .hi and .hs only unsigned types";
  else if (kind == CURED_PTX_KIND_B && order > NE)
    *problem = "compares bits with .eq and .ne only";
  else if (order > GE && kind != CURED_PTX_KIND_F && kind != CURED_PTX_KIND_X)
    *problem = "has this comparison for floating point only";
  else
    return order;
  return N_COMPARISONS;
}

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

/* Of setp and set: whether there is a predicate exactly where a word says how to combine with
 * it. */
static const char *
check_operation (const CuredPtxInst *inst, const CuredPtxOperand *with)
{
  switch ((int) WORD_OF (inst, OPERATION))
    {
    case CURED_PTX_NO_WORD:
      return with->width != 0 ? "takes a predicate with .and, .or or .xor" : NULL;
    case CURED_PTX_OPERATION_AND:
    case CURED_PTX_OPERATION_OR:
    case CURED_PTX_OPERATION_XOR:
      return with->width == 0 ? "wants a predicate with .and, .or and .xor" : NULL;
    default:
      return "combines with .and, .or or .xor";
    }
}

CuredPtxHandler
SELECT (setp) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType type = inst->types[0];
  gboolean is_ftz = WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD;
  Order order;

  REFUSE_UNLESS_ONE_TYPE ();
  REFUSE_IF (is_ftz && (type != CURED_PTX_F32 || WORD_OF (inst, FTZ) != CURED_PTX_FTZ_FTZ),
             ".ftz is for .f32");
  *problem = check_operation (inst, &inst->x[4]);
  if (*problem != NULL)
    return NULL;
  order = get_order (inst, type, problem);
  if (order == N_COMPARISONS)
    return NULL;
  return is_ftz ? setp_handlers_ftz[order] : setp_handlers[type][order];
}

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
    case EQ:
      return eq (a, b);
    case NE:
      return num & ~eq (a, b);
    case LT:
      return lt (a, b);
    case LE:
      return le (a, b);
    case GT:
      return lt (b, a);
    case GE:
      return le (b, a);
    case EQU:
      return ~num | eq (a, b);
    case NEU:
      return ~eq (a, b);
    case LTU:
      return ~num | lt (a, b);
    case LEU:
      return ~num | le (a, b);
    case GTU:
      return ~num | lt (b, a);
    case GEU:
      return ~num | le (b, a);
    case NUM:
      return num;
    case NAN_:
    case N_COMPARISONS:
    default:
      return ~num;
    }
}

/* A bit per lane of the comparison's result; of packed sources, of one half. */
static uint32_t
compare_for_set (CuredWarp *warp, const CuredPtxInst *inst, unsigned half)
{
  CuredPtxType type = inst->types[1];
  const char *problem = NULL;
  Order order = get_order (inst, type, &problem);
  const uint8_t *a = LANES (uint8_t, inst->x[1]);
  const uint8_t *b = LANES (uint8_t, inst->x[2]);
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
    default:
      return comparisons[type][order](a, b);
    }
}

/* What stands for true in a destination of 16 or 32 bits. */
static uint32_t
get_true (CuredPtxType type)
{
  switch ((int) type)
    {
    case CURED_PTX_F32:
      return 0x3f800000u;
    case CURED_PTX_F16:
    case CURED_PTX_F16X2:
      return 0x3c00;
    case CURED_PTX_BF16:
    case CURED_PTX_BF16X2:
      return 0x3f80;
    case CURED_PTX_U16:
    case CURED_PTX_S16:
      return 0xffff;
    default:
      return UINT32_MAX;
    }
}

static void
set_16 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint16_t *d = LANES (uint16_t, inst->x[0]);
  uint32_t bits = compare_for_set (warp, inst, 0);
  uint16_t is_true = (uint16_t) get_true (inst->types[0]);

  bits = combine (warp, inst, &inst->x[3], bits);
  FOR_LANES (mask, d[l] = (bits & cured_lane_bits_32[l]) != 0 ? is_true : 0);
}

static void
set_32 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *d = LANES (uint32_t, inst->x[0]);
  uint32_t bits = compare_for_set (warp, inst, 0);
  uint32_t is_true = get_true (inst->types[0]);

  bits = combine (warp, inst, &inst->x[3], bits);
  FOR_LANES (mask, d[l] = (bits & cured_lane_bits_32[l]) != 0 ? is_true : 0);
}

/* Of packed sources: an integer destination has 16 ones for each half. */
static void
set_16x2 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *d = LANES (uint32_t, inst->x[0]);
  uint32_t low = compare_for_set (warp, inst, 0);
  uint32_t high = compare_for_set (warp, inst, 1);
  uint32_t is_true = get_true (inst->types[0]) & 0xffff;

  low = combine (warp, inst, &inst->x[3], low);
  high = combine (warp, inst, &inst->x[3], high);
  FOR_LANES (mask, d[l] = ((low & cured_lane_bits_32[l]) != 0 ? is_true : 0) |
                          ((high & cured_lane_bits_32[l]) != 0 ? is_true << 16 : 0));
}

CuredPtxHandler
SELECT (set) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  gboolean is_ftz = WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD;
  gboolean is_pair = from == CURED_PTX_F16X2 || from == CURED_PTX_BF16X2;
  gboolean is_half = from == CURED_PTX_F16 || from == CURED_PTX_BF16;
  gboolean takes_ftz =
      (from == CURED_PTX_F32 || from == CURED_PTX_F16 || from == CURED_PTX_F16X2) &&
      to != CURED_PTX_BF16;

  REFUSE_IF (inst->n_types != 2, "takes two types");
  REFUSE_IF (!is_pair && !is_half && comparisons[from][EQ] == NULL, "has no such source type");
  REFUSE_IF ((to == CURED_PTX_U16 || to == CURED_PTX_S16) && !is_half,
             "makes .u16 and .s16 of .f16 and .bf16 only");
  REFUSE_IF (to == CURED_PTX_F32 && is_half, "makes no .f32 of halves");
  REFUSE_IF (is_pair && to != from && to != CURED_PTX_U32 && to != CURED_PTX_S32,
             "makes of packed halves their own type, .u32 or .s32");
  REFUSE_IF (!is_pair && (to == CURED_PTX_F16X2 || to == CURED_PTX_BF16X2),
             "makes packed halves of packed halves only");
  REFUSE_IF (to == CURED_PTX_F16 && from == CURED_PTX_BF16, "makes no .f16 of .bf16");
  REFUSE_IF (is_ftz && (!takes_ftz || WORD_OF (inst, FTZ) != CURED_PTX_FTZ_FTZ),
             ".ftz is for .f32, .f16 and .f16x2, and not with .bf16");
  *problem = check_operation (inst, &inst->x[3]);
  if (*problem != NULL || get_order (inst, from, problem) == N_COMPARISONS)
    return NULL;
  if (is_pair)
    return set_16x2;
  return BYTES (inst) == 2 ? set_16 : set_32;
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

CuredPtxHandler
SELECT (selp) (const CuredPtxInst *inst, const char **problem)
{
  REFUSE_UNLESS_ONE_TYPE ();
  switch (BYTES (inst))
    {
    case 2:
      return selp_16;
    case 4:
      return selp_32;
    default:
      return selp_64;
    }
}

/* -0 is not less than 0; NaN is not a number that is 0 or more. A subnormal that is flushed keeps
 * its sign, and becomes 0 or -0. */
TERNARY_3 (slct_16_s32, uint16_t, uint16_t, uint16_t, int32_t, c >= 0 ? a : b)
TERNARY_3 (slct_32_s32, uint32_t, uint32_t, uint32_t, int32_t, c >= 0 ? a : b)
TERNARY_3 (slct_64_s32, uint64_t, uint64_t, uint64_t, int32_t, c >= 0 ? a : b)
TERNARY_3 (slct_16_f32, uint16_t, uint16_t, uint16_t, float, c >= 0 ? a : b)
TERNARY_3 (slct_32_f32, uint32_t, uint32_t, uint32_t, float, c >= 0 ? a : b)
TERNARY_3 (slct_64_f32, uint64_t, uint64_t, uint64_t, float, c >= 0 ? a : b)
TERNARY_3 (slct_16_ftz, uint16_t, uint16_t, uint16_t, float, cured_flush_f32 (c) >= 0 ? a : b)
TERNARY_3 (slct_32_ftz, uint32_t, uint32_t, uint32_t, float, cured_flush_f32 (c) >= 0 ? a : b)
TERNARY_3 (slct_64_ftz, uint64_t, uint64_t, uint64_t, float, cured_flush_f32 (c) >= 0 ? a : b)

CuredPtxHandler
SELECT (slct) (const CuredPtxInst *inst, const char **problem)
{
  gboolean is_ftz = WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD;
  gboolean is_float;

  REFUSE_IF (inst->n_types != 2 ||
                 (inst->types[1] != CURED_PTX_S32 && inst->types[1] != CURED_PTX_F32),
             "takes two types, the second one .s32 or .f32");
  is_float = inst->types[1] == CURED_PTX_F32;
  REFUSE_IF (is_ftz && (!is_float || WORD_OF (inst, FTZ) != CURED_PTX_FTZ_FTZ), ".ftz is for .f32");
  switch (BYTES (inst))
    {
    case 2:
      return is_ftz ? slct_16_ftz : is_float ? slct_16_f32 : slct_16_s32;
    case 4:
      return is_ftz ? slct_32_ftz : is_float ? slct_32_f32 : slct_32_s32;
    default:
      return is_ftz ? slct_64_ftz : is_float ? slct_64_f32 : slct_64_s32;
    }
}
