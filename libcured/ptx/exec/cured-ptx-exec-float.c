/* SPDX-License-Identifier: MIT
 * Floating point, f32 and f64.
 *
 * All results except approximations are those of PTX ISA 9.0, section 9.7.3, in all rounding modes.
 * What it leaves undefined is decided here, in one function each:
 *
 * - a NaN result of f32 is 0x7fffffff; of f64 it is the NaN operand,
 *   made quiet, or else the negative NaN without payload (cured_take_nan_f64);
 * - .ftz flushes a result that is less than the least normal number when rounded with an unbounded
 *   exponent (flush_scaled);
 * - .sat turns -0 into +0 (cured_saturate_f32).
 *
 * The approximations are bit-exact: cured-special.c. */
#include <fenv.h>
#include <math.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"
#include "ptx/exec/cured-special-private.h"

/* Whether fma is one instruction. */
#if defined(__FP_FAST_FMAF) || defined(__FMA__)
#define HAS_FMA true
#else
#define HAS_FMA false
#endif

#define RN CURED_PTX_ROUND_RN
#define RZ CURED_PTX_ROUND_RZ
#define RM CURED_PTX_ROUND_RM
#define RP CURED_PTX_ROUND_RP

/* ---- Results ---- */

static inline float
finish_f32 (float x, bool is_flushed, bool is_saturated)
{
  if (is_flushed)
    x = cured_flush_f32 (x);
  if (is_saturated)
    return cured_saturate_f32 (x);
  return x != x ? cured_f32_of_bits (CURED_NAN_F32) : x;
}

/* ---- Directed rounding of f32 ----
 *
 * @x is the exact result rounded to nearest, and it is known whether the exact one is below or
 * above it: the result of another rounding is then @x or its neighbour. Infinity's neighbour is the
 * greatest finite number. A zero has the sign of the exact result, so its neighbour has that
 * sign. */
static inline float
direct_f32 (float x, bool is_above, bool is_below, CuredPtxWord rounding)
{
  uint32_t bits = cured_bits_of_f32 (x);
  bool is_negative = bits >> 31;
  uint32_t step = 0;

  if (rounding == RZ)
    step = (is_negative ? is_below : is_above) ? -1u : 0;
  else if (rounding == RM)
    step = is_above ? is_negative ? 1 : -1u : 0;
  else if (rounding == RP)
    step = is_below ? is_negative ? -1u : 1 : 0;
  return cured_f32_of_bits (bits + step);
}

/* @exact is the exact result, or that rounded to odd. */
static inline float
narrow (double exact, CuredPtxWord rounding)
{
  float x = (float) exact;

  return direct_f32 (x, (double) x > exact, (double) x < exact, rounding);
}

/* An H200 flushes a result that is less than the least normal number after rounding to 24 bits with
 * an unbounded exponent. @scaled is the result of the same operation on scaled operands: if it
 * overflows, the result was not small. */
#define SCALE 0x1p24f

static inline float
flush_scaled (float x, float scaled)
{
  return fabsf (scaled) < 0x1p-126f * SCALE ? copysignf (0, x) : x;
}

/* An exact zero sum is -0 if either addend is negative and the rounding is towards minus
 * infinity. */
static inline float
sum_f32 (double a, double b, CuredPtxWord rounding)
{
  double exact = cured_add_to_odd_f64 (a, b);
  float x = narrow (exact, rounding);

  if (rounding == RM)
    {
      uint64_t signs = cured_bits_of_f64 (a) | cured_bits_of_f64 (b);

      x = exact == 0 ? cured_f32_of_bits ((uint32_t) (signs >> 32) & 1u << 31) : x;
    }
  return x;
}

/* ---- Arithmetic of f32 ---- */

#define FLUSH_OPERAND(x)                                                                           \
  if (is_flushed)                                                                                  \
  x = cured_flush_f32 (x)

static inline float
add_f32 (float a, float b, CuredPtxWord rounding, bool is_flushed, bool is_saturated)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);
  return finish_f32 (rounding == RN ? a + b : sum_f32 (a, b, rounding), is_flushed, is_saturated);
}

static inline float
sub_f32 (float a, float b, CuredPtxWord rounding, bool is_flushed, bool is_saturated)
{
  return add_f32 (a, -b, rounding, is_flushed, is_saturated);
}

static inline float
mul_f32 (float a, float b, CuredPtxWord rounding, bool is_flushed, bool is_saturated)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);

  float x = rounding == RN ? a * b : narrow ((double) a * b, rounding);

  if (is_flushed)
    x = flush_scaled (x, rounding == RN ? a * SCALE * b
                                        : narrow ((double) a * b * (double) SCALE, rounding));
  return finish_f32 (x, false, is_saturated);
}

static inline float
fma_f32 (float a, float b, float c, CuredPtxWord rounding, bool is_flushed, bool is_saturated)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);
  FLUSH_OPERAND (c);

  bool is_fused = rounding == RN && HAS_FMA;
  float x = is_fused ? __builtin_fmaf (a, b, c) : sum_f32 ((double) a * b, c, rounding);

  if (is_flushed)
    x = flush_scaled (x, is_fused ? __builtin_fmaf (a * SCALE, b, c * SCALE)
                                  : sum_f32 ((double) a * b * (double) SCALE,
                                             (double) c * (double) SCALE, rounding));
  return finish_f32 (x, false, is_saturated);
}

/* The product of the quotient and the divisor is exact in double, so it determines on which side of
 * the exact quotient the result is. */
static inline float
divide (float a, float b, CuredPtxWord rounding)
{
  float x = a / b;
  double product = (double) x * b;

  return direct_f32 (x,
                     b > 0             ? product > a
                     : product<a, b> 0 ? product < a
                                       : product > a,
                     rounding);
}

static inline float
div_f32 (float a, float b, CuredPtxWord rounding, bool is_flushed)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);

  float x = divide (a, b, rounding);

  if (is_flushed)
    x = flush_scaled (x, divide (a * SCALE, b, rounding));
  return finish_f32 (x, false, false);
}

static inline float
rcp_f32 (float a, CuredPtxWord rounding, bool is_flushed)
{
  return div_f32 (1, a, rounding, is_flushed);
}

static inline float
sqrt_f32 (float a, CuredPtxWord rounding, bool is_flushed)
{
  FLUSH_OPERAND (a);

  float x = sqrtf (a);
  double square = (double) x * x;

  return finish_f32 (direct_f32 (x, square > a, square < a, rounding), is_flushed, false);
}

/* ---- Approximations ---- */

#define BITS(x)     cured_bits_of_f32 (x)
#define FLOAT(bits) cured_f32_of_bits (bits)

#define APPROXIMATE(name)                                                                          \
  static inline float name##_approx_f32 (float a, bool is_flushed)                                 \
  {                                                                                                \
    return FLOAT (_cured_approx_##name (BITS (a), is_flushed));                                    \
  }
#define APPROXIMATE_ALIKE(name)                                                                    \
  static inline float name##_approx_f32 (float a, bool is_flushed)                                 \
  {                                                                                                \
    return FLOAT (_cured_approx_##name (BITS (a)));                                                \
  }

APPROXIMATE (rcp)
APPROXIMATE (sqrt)
APPROXIMATE (rsqrt)
APPROXIMATE (ex2)
APPROXIMATE (lg2)
/* The hardware runs the same steps with and without .ftz. */
APPROXIMATE_ALIKE (sin)
APPROXIMATE_ALIKE (cos)

/* Only the upper words of f64 are read and written. */
#define UPPER(name, a)                                                                             \
  cured_f64_of_bits ((uint64_t) _cured_approx_##name ((uint32_t) (cured_bits_of_f64 (a) >> 32))    \
                     << 32)

/* One third-order Newton step from the unit's 20 bits: ptxas 13.0's code for rsqrt.approx.f64 on
 * sm_90. Infinity and 0 need no step. */
static double
refine_rsqrt_f64 (double a)
{
  double y = UPPER (rsqrt_f64, a);
  double error = __builtin_fma (a, -(y * y), 1);

  return __builtin_fma (__builtin_fma (error, 0.375, 0.5), y * error, y);
}

static double
rsqrt_approx_f64 (double a)
{
  if (!(a > 0 && a < (double) INFINITY))
    return cured_finish_f64 (1 / sqrt (a), a, 0, 0);
  return a < 0x1p-1022 ? refine_rsqrt_f64 (a * 0x1p54) * 0x1p27 : refine_rsqrt_f64 (a);
}

/* ---- Sign ---- */

static inline float
abs_f32 (float a, bool is_flushed)
{
  return finish_f32 (fabsf (a), is_flushed, false);
}

static inline float
neg_f32 (float a, bool is_flushed)
{
  return finish_f32 (-a, is_flushed, false);
}

/* ---- Minimum, maximum ---- */

/* Integers in the order of the numbers, with -0 less than +0. */
static inline int32_t
order_f32 (float x)
{
  int32_t bits = (int32_t) cured_bits_of_f32 (x);

  return bits ^ (bits >> 31 & INT32_MAX);
}

static inline float
choose_f32 (float a, float b, bool is_max, bool is_flushed, bool is_nan_kept, bool is_xorsign)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);

  uint32_t sign = (cured_bits_of_f32 (a) ^ cured_bits_of_f32 (b)) & 1u << 31;

  if (is_xorsign)
    {
      a = fabsf (a);
      b = fabsf (b);
    }

  bool a_is_nan = a != a;
  bool b_is_nan = b != b;
  bool is_a = is_max ? order_f32 (a) > order_f32 (b) : order_f32 (a) < order_f32 (b);
  float x = is_a ? a : b;

  x = b_is_nan ? a : x;
  x = a_is_nan ? b : x;
  if (is_xorsign)
    x = cured_f32_of_bits (cured_bits_of_f32 (x) | sign);

  bool is_nan = is_nan_kept ? a_is_nan | b_is_nan : a_is_nan & b_is_nan;

  return is_nan ? cured_f32_of_bits (CURED_NAN_F32) : x;
}

static inline int64_t
order_f64 (double x)
{
  int64_t bits = (int64_t) cured_bits_of_f64 (x);

  return bits ^ (bits >> 63 & INT64_MAX);
}

/* The second of two NaNs. */
static inline double
choose_f64 (double a, double b, bool is_max)
{
  bool is_a = is_max ? order_f64 (a) > order_f64 (b) : order_f64 (a) < order_f64 (b);
  double x = is_a ? a : b;

  x = b != b ? a : x;
  x = a != a ? b : x;
  return x != x ? cured_quiet_f64 (b) : x;
}

/* ---- Handlers of f32 ---- */

/* A handler per rounding, .ftz and .sat. */
#define ARITHMETIC_2(name, r)                                                                      \
  BINARY (name##_##r, float, float, name (a, b, r, false, false))                                  \
  BINARY (name##_##r##_sat, float, float, name (a, b, r, false, true))                             \
  BINARY (name##_##r##_ftz, float, float, name (a, b, r, true, false))                             \
  BINARY (name##_##r##_ftz_sat, float, float, name (a, b, r, true, true))
#define ARITHMETIC_3(name, r)                                                                      \
  TERNARY (name##_##r, float, float, name (a, b, c, r, false, false))                              \
  TERNARY (name##_##r##_sat, float, float, name (a, b, c, r, false, true))                         \
  TERNARY (name##_##r##_ftz, float, float, name (a, b, c, r, true, false))                         \
  TERNARY (name##_##r##_ftz_sat, float, float, name (a, b, c, r, true, true))
/* Without .sat. */
#define ROOT_1(name, r)                                                                            \
  UNARY (name##_##r, float, float, name (a, r, false))                                             \
  UNARY (name##_##r##_ftz, float, float, name (a, r, true))
#define ROOT_2(name, r)                                                                            \
  BINARY (name##_##r, float, float, name (a, b, r, false))                                         \
  BINARY (name##_##r##_ftz, float, float, name (a, b, r, true))

#define IN_ALL_ROUNDINGS(DEFINE, name)                                                             \
  DEFINE (name, RN) DEFINE (name, RZ) DEFINE (name, RM) DEFINE (name, RP)

IN_ALL_ROUNDINGS (ARITHMETIC_2, add_f32)
IN_ALL_ROUNDINGS (ARITHMETIC_2, sub_f32)
IN_ALL_ROUNDINGS (ARITHMETIC_2, mul_f32)
IN_ALL_ROUNDINGS (ARITHMETIC_3, fma_f32)
IN_ALL_ROUNDINGS (ROOT_2, div_f32)
IN_ALL_ROUNDINGS (ROOT_1, rcp_f32)
IN_ALL_ROUNDINGS (ROOT_1, sqrt_f32)

/* A handler without and one with .ftz. */
#define FLUSHING_1(name)                                                                           \
  UNARY (run_##name, float, float, name##_f32 (a, false))                                          \
  UNARY (run_##name##_ftz, float, float, name##_f32 (a, true))
#define FLUSHING_2(name)                                                                           \
  BINARY (run_##name, float, float, name##_f32 (a, b, false))                                      \
  BINARY (run_##name##_ftz, float, float, name##_f32 (a, b, true))

BINARY (run_div_approx, float, float, FLOAT (_cured_approx_div (BITS (a), BITS (b), false)))
BINARY (run_div_approx_ftz, float, float, FLOAT (_cured_approx_div (BITS (a), BITS (b), true)))
BINARY (run_div_full, float, float, FLOAT (_cured_approx_div_full (BITS (a), BITS (b), false)))
BINARY (run_div_full_ftz, float, float, FLOAT (_cured_approx_div_full (BITS (a), BITS (b), true)))
FLUSHING_1 (rcp_approx)
FLUSHING_1 (sqrt_approx)
FLUSHING_1 (rsqrt_approx)
FLUSHING_1 (sin_approx)
FLUSHING_1 (cos_approx)
FLUSHING_1 (ex2_approx)
FLUSHING_1 (lg2_approx)
FLUSHING_1 (abs)
FLUSHING_1 (neg)
UNARY (tanh_f32, float, float, FLOAT (_cured_approx_tanh (BITS (a))))

/* By .ftz (f), .NaN (n) and .xorsign (x). */
#define LIMIT(name, is_max)                                                                        \
  BINARY (name, float, float, choose_f32 (a, b, is_max, 0, 0, 0))                                  \
  BINARY (name##_x, float, float, choose_f32 (a, b, is_max, 0, 0, 1))                              \
  BINARY (name##_n, float, float, choose_f32 (a, b, is_max, 0, 1, 0))                              \
  BINARY (name##_nx, float, float, choose_f32 (a, b, is_max, 0, 1, 1))                             \
  BINARY (name##_f, float, float, choose_f32 (a, b, is_max, 1, 0, 0))                              \
  BINARY (name##_fx, float, float, choose_f32 (a, b, is_max, 1, 0, 1))                             \
  BINARY (name##_fn, float, float, choose_f32 (a, b, is_max, 1, 1, 0))                             \
  BINARY (name##_fnx, float, float, choose_f32 (a, b, is_max, 1, 1, 1))

LIMIT (min_f32, false)
LIMIT (max_f32, true)

/* ---- Handlers of f64 ---- */

BINARY (add_f64, double, double, cured_finish_f64 (a + b, a, b, 0))
BINARY (sub_f64, double, double, cured_finish_f64 (a - b, a, b, 0))
BINARY (mul_f64, double, double, cured_finish_f64 (a *b, a, b, 0))
/* Division is a sequence of instructions, which prefers a's NaN. */
BINARY (div_f64, double, double, cured_finish_f64 (a / b, b, a, 0))
TERNARY (fma_f64, double, double, cured_finish_f64 (__builtin_fma (a, b, c), a, b, c))
UNARY (rcp_f64, double, double, cured_finish_f64 (1 / a, a, 0, 0))
UNARY (sqrt_f64, double, double, cured_finish_f64 (sqrt (a), a, 0, 0))
UNARY (rsqrt_f64, double, double, rsqrt_approx_f64 (a))
UNARY (rcp_upper_f64, double, double, UPPER (rcp_f64, a))
UNARY (rsqrt_upper_f64, double, double, UPPER (rsqrt_f64, a))
/* The sign of a NaN is kept. */
UNARY (abs_f64, double, double, cured_finish_f64 (fabs (a), a, 0, 0))
UNARY (neg_f64, double, double, cured_finish_f64 (-a, a, 0, 0))
BINARY (min_f64, double, double, choose_f64 (a, b, false))
BINARY (max_f64, double, double, choose_f64 (a, b, true))

/* There is no wider format for directed rounding of f64: the host's rounding mode is set, and
 * restored before anything else runs. Operands and result are volatile so that no step is moved out
 * of this range. */
#define DIRECTED(name, n_sources, expression, first, second, third)                                \
  static void name##_directed (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)           \
  {                                                                                                \
    double *d_ = LANES (double, inst->x[0]);                                                       \
    const double *a_ = LANES (double, inst->x[1]);                                                 \
    const double *b_ = n_sources > 1 ? LANES (double, inst->x[2]) : NULL;                          \
    const double *c_ = n_sources > 2 ? LANES (double, inst->x[3]) : NULL;                          \
    int old_mode = fegetround ();                                                                  \
                                                                                                   \
    fesetround (cured_get_host_rounding (inst));                                                   \
    for (uint32_t left = mask; left != 0; left &= left - 1)                                        \
      {                                                                                            \
        unsigned l = (unsigned) __builtin_ctz (left);                                              \
        volatile double a = a_[l];                                                                 \
        volatile double b = n_sources > 1 ? b_[l] : 0;                                             \
        volatile double c = n_sources > 2 ? c_[l] : 0;                                             \
        volatile double result = (expression);                                                     \
                                                                                                   \
        d_[l] = cured_finish_f64 (result, first, second, third);                                   \
      }                                                                                            \
    fesetround (old_mode);                                                                         \
  }

DIRECTED (add_f64, 2, a + b, a, b, c)
DIRECTED (sub_f64, 2, a - b, a, b, c)
DIRECTED (mul_f64, 2, a *b, a, b, c)
DIRECTED (div_f64, 2, a / b, b, a, c)
DIRECTED (fma_f64, 3, fma (a, b, c), a, b, c)
DIRECTED (rcp_f64, 1, 1 / a, a, b, c)
DIRECTED (sqrt_f64, 1, sqrt (a), a, b, c)

/* ---- Bits ---- */

BINARY (copysign_f32, uint32_t, uint32_t, (a & UINT32_C (1) << 31) | (b & INT32_MAX))
BINARY (copysign_f64, uint64_t, uint64_t, (a & UINT64_C (1) << 63) | (b & INT64_MAX))

/* testp: zeros are normal. */
#define TEST(name, type, condition)                                                                \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    const type *a_ = LANES (type, inst->x[1]);                                                     \
    const type one = 1;                                                                            \
    const type top = (type) ((type) -1 >> 1);                                                      \
    G_GNUC_UNUSED const type least = sizeof (type) == 4 ? one << 23 : one << (52 & 63);            \
    G_GNUC_UNUSED const type infinity = top & ~(least - 1);                                        \
    uint32_t bits = 0;                                                                             \
                                                                                                   \
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)                                                \
      {                                                                                            \
        type a = a_[l] & top;                                                                      \
                                                                                                   \
        bits |= (uint32_t) (condition) << l;                                                       \
      }                                                                                            \
    cured_set_predicate (warp, &inst->x[0], mask, bits);                                           \
  }
#define TESTS(suffix, type)                                                                        \
  TEST (is_finite_##suffix, type, a < infinity)                                                    \
  TEST (is_infinite_##suffix, type, a == infinity)                                                 \
  TEST (is_number_##suffix, type, a <= infinity)                                                   \
  TEST (is_nan_##suffix, type, a > infinity)                                                       \
  TEST (is_normal_##suffix, type, a == 0 || (a >= least && a < infinity))                          \
  TEST (is_subnormal_##suffix, type, a != 0 && a < least)

TESTS (f32, uint32_t)
TESTS (f64, uint64_t)

/* Two numbers in one register; PTX ISA 9.0, section 9.7.3: the default rounding is to nearest. */
static inline float
get_half (uint64_t pair, int i)
{
  uint32_t bits = (uint32_t) (pair >> 32 * i);
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static inline float
flush (const CuredPtxInst *inst, float x)
{
  return cured_has_word (inst, CURED_PTX_GROUP_FTZ) && fabsf (x) < 0x1p-126F ? copysignf (0, x) : x;
}

#define FLUSH(x) flush (inst, x)

static inline uint64_t
finish (const CuredPtxInst *inst, float x)
{
  uint32_t bits = CURED_NAN_F32;

  x = FLUSH (x);
  if (x == x)
    memcpy (&bits, &x, sizeof bits);
  return bits;
}

#define EACH(expression) (finish (inst, expression (0)) | finish (inst, expression (1)) << 32)
#define HALF(pair, i)    FLUSH (get_half (pair, i))
#define SUM(i)           (HALF (a, i) + HALF (b, i))
#define PRODUCT(i)       (HALF (a, i) * HALF (b, i))
#define FUSED(i)         fmaf (HALF (a, i), HALF (b, i), HALF (c, i))

BINARY (add_pairs, uint64_t, uint64_t, EACH (SUM))
BINARY (mul_pairs, uint64_t, uint64_t, EACH (PRODUCT))
TERNARY (fma_pairs, uint64_t, uint64_t, EACH (FUSED))

/* The minimum or maximum of three: NaNs are ignored unless .NaN is given, or all are NaN. */
static inline float
choose (const CuredPtxInst *inst, bool is_max, float a, float b)
{
  bool is_abs = cured_has_word (inst, CURED_PTX_GROUP_ABS);
  uint32_t nan = CURED_NAN_F32;
  float x;

  a = FLUSH (is_abs ? fabsf (a) : a);
  b = FLUSH (is_abs ? fabsf (b) : b);
  memcpy (&x, &nan, sizeof x);
  if (a != a || b != b)
    return cured_has_word (inst, CURED_PTX_GROUP_NAN) || (a != a && b != b) ? x : a != a ? b : a;
  /* -0 is less than +0. */
  if (a == b)
    return (signbit (a) != 0) == is_max ? b : a;
  return (a > b) == is_max ? a : b;
}

TERNARY (min_of_three, float, float, choose (inst, false, choose (inst, false, a, b), c))
TERNARY (max_of_three, float, float, choose (inst, true, choose (inst, true, a, b), c))

/* ---- Forms ---- */

#define FTZ     W_FTZ_FTZ
#define SAT     W_SAT_SAT
#define INEXACT W_ROUND_RZ, W_ROUND_RM, W_ROUND_RP

/* For two sources, or, from sm_100 on, for three, which allow .abs alone. */
static CuredPtxHandler
select_limit (const CuredPtxInst *inst, const char **problem)
{
  static const CuredPtxHandler two[2][2][2] = {
    { { min_f32, min_f32_n }, { min_f32_f, min_f32_fn } },
    { { max_f32, max_f32_n }, { max_f32_f, max_f32_fn } },
  };
  bool is_max = inst->op == CURED_PTX_OP_max_float;

  if (inst->x[3].width != 0)
    return is_max ? max_of_three : min_of_three;
  REFUSE_IF (cured_has_word (inst, CURED_PTX_GROUP_ABS), "takes .abs and .xorsign only together");
  return two[is_max][cured_has_word (inst, CURED_PTX_GROUP_FTZ)]
            [cured_has_word (inst, CURED_PTX_GROUP_NAN)];
}

static const char *
check_two (const CuredPtxInst *inst)
{
  return inst->x[3].width != 0 ? "takes two sources here" : NULL;
}

/* clang-format off */
#define ROUNDED(op, name, rounding) \
  FORM (op, T_F32, rounding, name) \
  FORM (op, T_F32, WORDS (rounding, FTZ), name##_ftz)
#define SATURATED(op, name, rounding) \
  ROUNDED (op, name, rounding) \
  FORM (op, T_F32, WORDS (rounding, SAT), name##_sat) \
  FORM (op, T_F32, WORDS (rounding, FTZ, SAT), name##_ftz_sat)
#define ALL_ROUNDINGS(OF, op, name, nearest) \
  OF (op, name##_f32_RN, nearest) OF (op, name##_f32_RZ, W_ROUND_RZ) \
  OF (op, name##_f32_RM, W_ROUND_RM) OF (op, name##_f32_RP, W_ROUND_RP) \
  FORM (op, T_F64, nearest, name##_f64) \
  FORM (op, T_F64, WORDS (INEXACT), name##_f64_directed)
#define FLUSHED(op, words, name) \
  FORM (op, T_F32, words, run_##name) FORM (op, T_F32, WORDS (words, FTZ), run_##name##_ftz)
#define LIMITS(op, name) \
  CHOICE (op, T_F32, WORDS (MAY (FTZ, FTZ), MAY (NAN, NAN), MAY (ABS, ABS)), 0, select_limit) \
  CHECKED (op, T_F32, WORDS (W_XORSIGN_XORSIGN, W_ABS_ABS), 0, name##_f32_x, check_two) \
  CHECKED (op, T_F32, WORDS (W_NAN_NAN, W_XORSIGN_XORSIGN, W_ABS_ABS), 0, name##_f32_nx, check_two) \
  CHECKED (op, T_F32, WORDS (FTZ, W_XORSIGN_XORSIGN, W_ABS_ABS), 0, name##_f32_fx, check_two) \
  CHECKED (op, T_F32, WORDS (FTZ, W_NAN_NAN, W_XORSIGN_XORSIGN, W_ABS_ABS), 0, name##_f32_fnx, check_two) \
  CHECKED (op, T_F64, 0, 0, name##_f64, check_two)
#define TEST_FORMS(type, suffix) \
  FORM (testp, type, W_MODE_FINITE, is_finite_##suffix) \
  FORM (testp, type, W_MODE_INFINITE, is_infinite_##suffix) \
  FORM (testp, type, W_MODE_NUMBER, is_number_##suffix) \
  FORM (testp, type, W_MODE_NOTANUMBER, is_nan_##suffix) \
  FORM (testp, type, W_MODE_NORMAL, is_normal_##suffix) \
  FORM (testp, type, W_MODE_SUBNORMAL, is_subnormal_##suffix)

static const CuredPtxForm forms[] = {
  ALL_ROUNDINGS (SATURATED, add_float, add, MAY (ROUND, RN))
  ALL_ROUNDINGS (SATURATED, sub_float, sub, MAY (ROUND, RN))
  ALL_ROUNDINGS (SATURATED, mul_float, mul, MAY (ROUND, RN))
  ALL_ROUNDINGS (SATURATED, fma_float, fma, W_ROUND_RN)
  ALL_ROUNDINGS (SATURATED, mad, fma, W_ROUND_RN)
  ALL_ROUNDINGS (ROUNDED, div_float, div, W_ROUND_RN)
  ALL_ROUNDINGS (ROUNDED, rcp, rcp, W_ROUND_RN)
  ALL_ROUNDINGS (ROUNDED, sqrt, sqrt, W_ROUND_RN)
  FLUSHED (div_float, W_PRECISION_APPROX, div_approx)
  FLUSHED (div_float, W_PRECISION_FULL, div_full)
  FLUSHED (rcp, W_PRECISION_APPROX, rcp_approx)
  FLUSHED (sqrt, W_PRECISION_APPROX, sqrt_approx)
  FLUSHED (rsqrt, W_PRECISION_APPROX, rsqrt_approx)
  FLUSHED (sin, W_PRECISION_APPROX, sin_approx)
  FLUSHED (cos, W_PRECISION_APPROX, cos_approx)
  FLUSHED (ex2, W_PRECISION_APPROX, ex2_approx)
  FLUSHED (lg2, W_PRECISION_APPROX, lg2_approx)
  FORM (tanh, T_F32, W_PRECISION_APPROX, tanh_f32)
  FORM (rcp, T_F64, WORDS (W_PRECISION_APPROX, FTZ), rcp_upper_f64)
  FORM (rsqrt, T_F64, W_PRECISION_APPROX, rsqrt_f64)
  FORM (rsqrt, T_F64, WORDS (W_PRECISION_APPROX, FTZ), rsqrt_upper_f64)
  FORM (abs_float, T_F32, 0, run_abs)
  FORM (abs_float, T_F32, FTZ, run_abs_ftz)
  FORM (abs_float, T_F64, 0, abs_f64)
  FORM (neg_float, T_F32, 0, run_neg)
  FORM (neg_float, T_F32, FTZ, run_neg_ftz)
  FORM (neg_float, T_F64, 0, neg_f64)
  LIMITS (min_float, min)
  LIMITS (max_float, max)
  FORM (add_pair, T_F32X2, WORDS (MAY (ROUND, RN), MAY (FTZ, FTZ)), add_pairs)
  FORM (mul_pair, T_F32X2, WORDS (MAY (ROUND, RN), MAY (FTZ, FTZ)), mul_pairs)
  FORM (fma_pair, T_F32X2, WORDS (W_ROUND_RN, MAY (FTZ, FTZ)), fma_pairs)
  FORM (copysign, T_F32, 0, copysign_f32)
  FORM (copysign, T_F64, 0, copysign_f64)
  TEST_FORMS (T_F32, f32)
  TEST_FORMS (T_F64, f64)
};
/* clang-format on */

FORMS_OF (float)
