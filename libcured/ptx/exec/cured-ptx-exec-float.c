/* SPDX-License-Identifier: MIT
 * Floating point, f32 and f64.
 *
 * Everything but the approximations gives the bits that PTX ISA 9.0, section
 * 9.7.3, asks for, in all roundings. What it leaves open is decided here, each in one function:
 *
 * - a NaN result of f32 is 0x7fffffff; of f64 it is an operand that is a NaN,
 *   made quiet, or else the negative one without payload (take_nan_f64);
 * - .ftz looks at the result after it was rounded (finish_f32);
 * - .sat makes +0 of -0 (cured_saturate_f32).
 *
 * The approximations are computed in double and rounded once, so that they are the same on every
 * host, and nearer to the true value than the hardware's. Where the hardware does some steps around
 * its function unit that can be seen from outside (scaling of divisors, turns instead of radians),
 * they are done here as well. */
#include <fenv.h>
#include <math.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

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

static inline double
quiet_f64 (double x)
{
  return cured_f64_of_bits (cured_bits_of_f64 (x) | UINT64_C (1) << 51);
}

/* The NaN that an operation on these gives: of several, b's, then c's, then a's. */
static inline double
take_nan_f64 (double a, double b, double c)
{
  double nan = cured_f64_of_bits (CURED_NAN_F64);

  nan = a != a ? quiet_f64 (a) : nan;
  nan = c != c ? quiet_f64 (c) : nan;
  return b != b ? quiet_f64 (b) : nan;
}

static inline double
finish_f64 (double x, double a, double b, double c)
{
  return x != x ? take_nan_f64 (a, b, c) : x;
}

/* ---- Directed rounding of f32 ----
 *
 * @x is the exact result rounded to nearest, and it is known whether the exact one is below or
 * above it: then the result of another rounding is @x or its neighbour. Infinity's neighbour is the
 * greatest finite number, and a zero has the sign of the exact result, so that its neighbour is one
 * of that sign. */
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

/* @exact is the result, or the result rounded to odd. */
static inline float
narrow (double exact, CuredPtxWord rounding)
{
  float x = (float) exact;

  return direct_f32 (x, (double) x > exact, (double) x < exact, rounding);
}

/* An exact zero of two addends is -0 where either is negative and the rounding is towards minus
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
  return finish_f32 (rounding == RN ? a * b : narrow ((double) a * b, rounding), is_flushed,
                     is_saturated);
}

static inline float
fma_f32 (float a, float b, float c, CuredPtxWord rounding, bool is_flushed, bool is_saturated)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);
  FLUSH_OPERAND (c);
  return finish_f32 (rounding == RN && HAS_FMA ? __builtin_fmaf (a, b, c)
                                               : sum_f32 ((double) a * b, c, rounding),
                     is_flushed, is_saturated);
}

/* The quotient's own product with the divisor is exact in double, and tells on which side of the
 * exact quotient it is. */
static inline float
div_f32 (float a, float b, CuredPtxWord rounding, bool is_flushed)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);

  float x = a / b;
  double product = (double) x * b;

  x = direct_f32 (x, b > 0 ? product > a : product<a, b> 0 ? product < a : product > a, rounding);
  return finish_f32 (x, is_flushed, false);
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

/* The hardware's function unit takes subnormals for zeros and gives none. */
static inline float
unit_rcp (float a)
{
  return cured_flush_f32 (1.0f / cured_flush_f32 (a));
}

/* a times 1 / b: rounded twice, as the hardware does. A divisor beyond 2 to the power 126 has no
 * reciprocal and gives 0, or NaN of an infinite dividend. */
static inline float
div_approx_f32 (float a, float b, bool is_flushed)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);
  if (!is_flushed)
    {
      float scale = fabsf (b) < 0x1p-126f ? 0x1p24f : 1;

      a *= scale;
      b *= scale;
    }
  return finish_f32 (a * unit_rcp (b), is_flushed, false);
}

/* The same for all divisors. */
static inline float
div_full_f32 (float a, float b, bool is_flushed)
{
  FLUSH_OPERAND (a);
  FLUSH_OPERAND (b);

  float scale = fabsf (b) > 0x1p126f ? 0.25f : 1;

  if (!is_flushed)
    scale = fabsf (b) < 0x1p-126f ? 0x1p24f : scale;
  a *= scale;
  b *= scale;
  if (is_flushed)
    a = cured_flush_f32 (a);
  return finish_f32 (a * unit_rcp (b), is_flushed, false);
}

static inline float
rcp_approx_f32 (float a, bool is_flushed)
{
  return finish_f32 (is_flushed ? unit_rcp (a) : 1.0f / a, is_flushed, false);
}

static inline float
sqrt_approx_f32 (float a, bool is_flushed)
{
  return sqrt_f32 (a, RN, is_flushed);
}

static inline float
rsqrt_approx_f32 (float a, bool is_flushed)
{
  FLUSH_OPERAND (a);
  return finish_f32 ((float) (1 / sqrt ((double) a)), is_flushed, false);
}

/* The angle in turns, in f32 and cut off, as the hardware has it: far from 0 that is a good part of
 * a turn, and the results are not sines any more. */
static inline double
get_turns (float a)
{
  float turns = cured_flush_f32 (narrow ((double) a * 0x1.45f306p-3, RZ));

  return (double) turns - rint ((double) turns);
}

#define TWO_PI 0x1.921fb54442d18p+2

/* The hardware has the same steps for .ftz and without it. */
static float
sin_approx_f32 (float a, bool is_flushed)
{
  double turns = get_turns (a);

  /* The subtraction of a whole number of turns lost the sign. */
  return finish_f32 (turns == 0 ? copysignf (0, a) : (float) sin (TWO_PI * turns), true, false);
}

static float
cos_approx_f32 (float a, bool is_flushed)
{
  return finish_f32 ((float) cos (TWO_PI * get_turns (a)), true, false);
}

static float
ex2_approx_f32 (float a, bool is_flushed)
{
  FLUSH_OPERAND (a);
  return finish_f32 ((float) exp2 ((double) a), is_flushed, false);
}

static float
lg2_approx_f32 (float a, bool is_flushed)
{
  FLUSH_OPERAND (a);
  return finish_f32 ((float) log2 ((double) a), is_flushed, false);
}

static float
tanh_approx_f32 (float a)
{
  return finish_f32 ((float) tanh ((double) a), false, false);
}

/* The f64 approximations look at the upper word only, and write only that. */
static double
finish_upper_word (double x)
{
  uint64_t bits = cured_bits_of_f64 (x);

  if (x != x)
    return cured_f64_of_bits (UINT64_C (0x7fffffff00000000));
  if (fabs (x) < 0x1p-1022)
    return copysign (0, x);
  /* To nearest: infinity has nothing below that could carry. */
  bits += UINT64_C (0x7fffffff) + (bits >> 32 & 1);
  return cured_f64_of_bits (bits & ~UINT64_C (0xffffffff));
}

static double
take_upper_word (double x)
{
  uint64_t bits = cured_bits_of_f64 (x) & ~UINT64_C (0xffffffff);
  double upper = cured_f64_of_bits (bits);

  return fabs (upper) < 0x1p-1022 ? copysign (0, x) : upper;
}

static double
rcp_approx_f64 (double a)
{
  return finish_upper_word (1 / take_upper_word (a));
}

static double
rsqrt_approx_upper_f64 (double a)
{
  return finish_upper_word (1 / sqrt (take_upper_word (a)));
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

/* Numbers in their order, -0 before +0. */
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

/* Of two NaNs the second. */
static inline double
choose_f64 (double a, double b, bool is_max)
{
  bool is_a = is_max ? order_f64 (a) > order_f64 (b) : order_f64 (a) < order_f64 (b);
  double x = is_a ? a : b;

  x = b != b ? a : x;
  x = a != a ? b : x;
  return x != x ? quiet_f64 (b) : x;
}

/* ---- Handlers of f32 ---- */

/* A handler per rounding, .ftz and .sat: name_set[rounding][ftz][sat]. */
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

/* clang-format off */
#define OF_ARITHMETIC(name, r)                                                 \
  { { name##_##r, name##_##r##_sat },                                          \
    { name##_##r##_ftz, name##_##r##_ftz_sat } }
#define OF_ROOT(name, r)                                                       \
  { { name##_##r }, { name##_##r##_ftz } }
/* clang-format on */

#define SET(name, DEFINE, OF)                                                                      \
  DEFINE (name, RN)                                                                                \
  DEFINE (name, RZ)                                                                                \
  DEFINE (name, RM)                                                                                \
  DEFINE (name, RP)                                                                                \
  static const CuredPtxHandler name##_set[4][2][2] = {                                             \
    OF (name, RN),                                                                                 \
    OF (name, RZ),                                                                                 \
    OF (name, RM),                                                                                 \
    OF (name, RP),                                                                                 \
  };

SET (add_f32, ARITHMETIC_2, OF_ARITHMETIC)
SET (sub_f32, ARITHMETIC_2, OF_ARITHMETIC)
SET (mul_f32, ARITHMETIC_2, OF_ARITHMETIC)
SET (fma_f32, ARITHMETIC_3, OF_ARITHMETIC)
SET (div_f32, ROOT_2, OF_ROOT)
SET (rcp_f32, ROOT_1, OF_ROOT)
SET (sqrt_f32, ROOT_1, OF_ROOT)

/* A handler without and one with .ftz: name_set[ftz]. */
#define FLUSHING_1(name)                                                                           \
  UNARY (name##_plain, float, float, name (a, false))                                              \
  UNARY (name##_ftz, float, float, name (a, true))                                                 \
  static const CuredPtxHandler name##_set[2] = { name##_plain, name##_ftz };
#define FLUSHING_2(name)                                                                           \
  BINARY (name##_plain, float, float, name (a, b, false))                                          \
  BINARY (name##_ftz, float, float, name (a, b, true))                                             \
  static const CuredPtxHandler name##_set[2] = { name##_plain, name##_ftz };

FLUSHING_2 (div_approx_f32)
FLUSHING_2 (div_full_f32)
FLUSHING_1 (rcp_approx_f32)
FLUSHING_1 (sqrt_approx_f32)
FLUSHING_1 (rsqrt_approx_f32)
FLUSHING_1 (sin_approx_f32)
FLUSHING_1 (cos_approx_f32)
FLUSHING_1 (ex2_approx_f32)
FLUSHING_1 (lg2_approx_f32)
FLUSHING_1 (abs_f32)
FLUSHING_1 (neg_f32)
UNARY (tanh_f32, float, float, tanh_approx_f32 (a))

/* name_set[ftz][NaN][xorsign]. */
#define CHOICE(name, is_max)                                                                       \
  BINARY (name, float, float, choose_f32 (a, b, is_max, 0, 0, 0))                                  \
  BINARY (name##_x, float, float, choose_f32 (a, b, is_max, 0, 0, 1))                              \
  BINARY (name##_n, float, float, choose_f32 (a, b, is_max, 0, 1, 0))                              \
  BINARY (name##_nx, float, float, choose_f32 (a, b, is_max, 0, 1, 1))                             \
  BINARY (name##_f, float, float, choose_f32 (a, b, is_max, 1, 0, 0))                              \
  BINARY (name##_fx, float, float, choose_f32 (a, b, is_max, 1, 0, 1))                             \
  BINARY (name##_fn, float, float, choose_f32 (a, b, is_max, 1, 1, 0))                             \
  BINARY (name##_fnx, float, float, choose_f32 (a, b, is_max, 1, 1, 1))                            \
  static const CuredPtxHandler name##_set[2][2][2] = {                                             \
    { { name, name##_x }, { name##_n, name##_nx } },                                               \
    { { name##_f, name##_fx }, { name##_fn, name##_fnx } },                                        \
  };

CHOICE (min_f32, false)
CHOICE (max_f32, true)

/* ---- Handlers of f64 ---- */

BINARY (add_f64, double, double, finish_f64 (a + b, a, b, 0))
BINARY (sub_f64, double, double, finish_f64 (a - b, a, b, 0))
BINARY (mul_f64, double, double, finish_f64 (a *b, a, b, 0))
/* Division is a sequence of instructions, which takes a's first. */
BINARY (div_f64, double, double, finish_f64 (a / b, b, a, 0))
TERNARY (fma_f64, double, double, finish_f64 (__builtin_fma (a, b, c), a, b, c))
UNARY (rcp_f64, double, double, finish_f64 (1 / a, a, 0, 0))
UNARY (sqrt_f64, double, double, finish_f64 (sqrt (a), a, 0, 0))
UNARY (rsqrt_f64, double, double, finish_f64 (1 / sqrt (a), a, 0, 0))
UNARY (rcp_upper_f64, double, double, rcp_approx_f64 (a))
UNARY (rsqrt_upper_f64, double, double, rsqrt_approx_upper_f64 (a))
/* The sign of a NaN stays. */
UNARY (abs_f64, double, double, finish_f64 (fabs (a), a, 0, 0))
UNARY (neg_f64, double, double, finish_f64 (-a, a, 0, 0))
BINARY (min_f64, double, double, choose_f64 (a, b, false))
BINARY (max_f64, double, double, choose_f64 (a, b, true))

/* Directed roundings of f64 have no wider format to look at: the host's own rounding mode is set,
 * and put back before anything else runs. The operands and the result are volatile so that no step
 * moves out from between. */
#define DIRECTED(name, n_sources, expression, first, second, third)                                \
  static void name##_directed (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)           \
  {                                                                                                \
    double *d_ = LANES (double, inst->x[0]);                                                       \
    const double *a_ = LANES (double, inst->x[1]);                                                 \
    const double *b_ = n_sources > 1 ? LANES (double, inst->x[2]) : NULL;                          \
    const double *c_ = n_sources > 2 ? LANES (double, inst->x[3]) : NULL;                          \
    int old_mode = fegetround ();                                                                  \
                                                                                                   \
    fesetround (get_host_rounding (inst));                                                         \
    for (uint32_t left = mask; left != 0; left &= left - 1)                                        \
      {                                                                                            \
        unsigned l = (unsigned) __builtin_ctz (left);                                              \
        volatile double a = a_[l];                                                                 \
        volatile double b = n_sources > 1 ? b_[l] : 0;                                             \
        volatile double c = n_sources > 2 ? c_[l] : 0;                                             \
        volatile double result = (expression);                                                     \
                                                                                                   \
        d_[l] = finish_f64 (result, first, second, third);                                         \
      }                                                                                            \
    fesetround (old_mode);                                                                         \
  }

static int
get_host_rounding (const CuredPtxInst *inst)
{
  switch (inst->words[CURED_PTX_GROUP_ROUND])
    {
    case RZ:
      return FE_TOWARDZERO;
    case RM:
      return FE_DOWNWARD;
    case RP:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
    }
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

/* ---- Selection ---- */

static bool
is_f64 (const CuredPtxInst *inst)
{
  return inst->types[0] == CURED_PTX_F64;
}

/* What every instruction of this file has in common. */
static bool
is_plain (const CuredPtxInst *inst, const char **problem)
{
  if (inst->n_types != 1)
    *problem = "takes one type";
  else if (inst->words[CURED_PTX_GROUP_SAT] == CURED_PTX_SAT_SATFINITE)
    *problem = "takes no .satfinite";
  else if (is_f64 (inst) && cured_has_word (inst, CURED_PTX_GROUP_SAT))
    *problem = "takes no .sat for .f64";
  else
    return true;
  return false;
}

/* 0 to 3 of .rn, .rz, .rm, .rp; -1: refused. */
static int
get_rounding (const CuredPtxInst *inst, bool is_needed, const char **problem)
{
  switch (inst->words[CURED_PTX_GROUP_ROUND])
    {
    case CURED_PTX_NO_WORD:
      if (!is_needed)
        return 0;
      *problem = "needs .rn, .rz, .rm or .rp";
      return -1;
    case RN:
      return 0;
    case RZ:
      return 1;
    case RM:
      return 2;
    case RP:
      return 3;
    default:
      *problem = "takes only .rn, .rz, .rm or .rp as rounding";
      return -1;
    }
}

static CuredPtxHandler
select_rounded (const CuredPtxInst *inst, bool is_needed, const CuredPtxHandler set[4][2][2],
                CuredPtxHandler nearest, CuredPtxHandler directed, const char **problem)
{
  int rounding;

  if (!is_plain (inst, problem))
    return NULL;
  if (is_f64 (inst) && cured_has_word (inst, CURED_PTX_GROUP_FTZ))
    {
      *problem = "takes no .ftz for .f64";
      return NULL;
    }
  rounding = get_rounding (inst, is_needed, problem);
  if (rounding < 0)
    return NULL;
  if (is_f64 (inst))
    return rounding == 0 ? nearest : directed;
  return set[rounding][cured_has_word (inst, CURED_PTX_GROUP_FTZ)]
            [cured_has_word (inst, CURED_PTX_GROUP_SAT)];
}

CuredPtxHandler
SELECT (add_float) (const CuredPtxInst *inst, const char **problem)
{
  return select_rounded (inst, false, add_f32_set, add_f64, add_f64_directed, problem);
}

CuredPtxHandler
SELECT (sub_float) (const CuredPtxInst *inst, const char **problem)
{
  return select_rounded (inst, false, sub_f32_set, sub_f64, sub_f64_directed, problem);
}

CuredPtxHandler
SELECT (mul_float) (const CuredPtxInst *inst, const char **problem)
{
  return select_rounded (inst, false, mul_f32_set, mul_f64, mul_f64_directed, problem);
}

CuredPtxHandler
SELECT (fma_float) (const CuredPtxInst *inst, const char **problem)
{
  return select_rounded (inst, true, fma_f32_set, fma_f64, fma_f64_directed, problem);
}

CuredPtxHandler
SELECT (mad) (const CuredPtxInst *inst, const char **problem)
{
  return select_rounded (inst, true, fma_f32_set, fma_f64, fma_f64_directed, problem);
}

/* One with a precision instead of a rounding; @set is by .ftz, and @no_handler says why one of it
 * is missing. */
static CuredPtxHandler
select_approximate (const CuredPtxInst *inst, const CuredPtxHandler set[2], const char *no_handler,
                    const char **problem)
{
  if (!is_plain (inst, problem))
    return NULL;
  if (cured_has_word (inst, CURED_PTX_GROUP_ROUND))
    *problem = "takes a rounding or a precision, not both";
  else if (!cured_has_word (inst, CURED_PTX_GROUP_PRECISION))
    *problem = "needs .approx";
  else if (inst->words[CURED_PTX_GROUP_PRECISION] != CURED_PTX_PRECISION_APPROX)
    *problem = "takes no .full";
  else if (set[cured_has_word (inst, CURED_PTX_GROUP_FTZ)] == NULL)
    *problem = no_handler;
  else
    return set[cured_has_word (inst, CURED_PTX_GROUP_FTZ)];
  return NULL;
}

CuredPtxHandler
SELECT (div_float) (const CuredPtxInst *inst, const char **problem)
{
  if (!cured_has_word (inst, CURED_PTX_GROUP_PRECISION))
    return select_rounded (inst, true, div_f32_set, div_f64, div_f64_directed, problem);
  if (is_f64 (inst))
    {
      *problem = "takes no .approx or .full for .f64";
      return NULL;
    }
  if (inst->words[CURED_PTX_GROUP_PRECISION] == CURED_PTX_PRECISION_FULL &&
      !cured_has_word (inst, CURED_PTX_GROUP_ROUND))
    return is_plain (inst, problem) ? div_full_f32_set[cured_has_word (inst, CURED_PTX_GROUP_FTZ)]
                                    : NULL;
  return select_approximate (inst, div_approx_f32_set, NULL, problem);
}

CuredPtxHandler
SELECT (rcp) (const CuredPtxInst *inst, const char **problem)
{
  static const CuredPtxHandler upper[2] = { NULL, rcp_upper_f64 };

  if (!cured_has_word (inst, CURED_PTX_GROUP_PRECISION))
    return select_rounded (inst, true, rcp_f32_set, rcp_f64, rcp_f64_directed, problem);
  return select_approximate (inst, is_f64 (inst) ? upper : rcp_approx_f32_set,
                             "needs .ftz for .approx.f64", problem);
}

CuredPtxHandler
SELECT (sqrt) (const CuredPtxInst *inst, const char **problem)
{
  if (!cured_has_word (inst, CURED_PTX_GROUP_PRECISION))
    return select_rounded (inst, true, sqrt_f32_set, sqrt_f64, sqrt_f64_directed, problem);
  if (is_f64 (inst))
    {
      *problem = "takes no .approx for .f64";
      return NULL;
    }
  return select_approximate (inst, sqrt_approx_f32_set, NULL, problem);
}

CuredPtxHandler
SELECT (rsqrt) (const CuredPtxInst *inst, const char **problem)
{
  static const CuredPtxHandler set[2] = { rsqrt_f64, rsqrt_upper_f64 };

  return select_approximate (inst, is_f64 (inst) ? set : rsqrt_approx_f32_set, NULL, problem);
}

CuredPtxHandler
SELECT (sin) (const CuredPtxInst *inst, const char **problem)
{
  return select_approximate (inst, sin_approx_f32_set, NULL, problem);
}

CuredPtxHandler
SELECT (cos) (const CuredPtxInst *inst, const char **problem)
{
  return select_approximate (inst, cos_approx_f32_set, NULL, problem);
}

CuredPtxHandler
SELECT (ex2) (const CuredPtxInst *inst, const char **problem)
{
  return select_approximate (inst, ex2_approx_f32_set, NULL, problem);
}

CuredPtxHandler
SELECT (lg2) (const CuredPtxInst *inst, const char **problem)
{
  return select_approximate (inst, lg2_approx_f32_set, NULL, problem);
}

CuredPtxHandler
SELECT (tanh) (const CuredPtxInst *inst, const char **problem)
{
  static const CuredPtxHandler set[2] = { tanh_f32, NULL };

  return select_approximate (inst, set, "takes no .ftz", problem);
}

/* One that only has .ftz, and that for .f32. */
static CuredPtxHandler
select_flushing (const CuredPtxInst *inst, const CuredPtxHandler set[2], CuredPtxHandler of_f64,
                 const char **problem)
{
  bool is_flushed = cured_has_word (inst, CURED_PTX_GROUP_FTZ);

  if (!is_plain (inst, problem))
    return NULL;
  if (!is_f64 (inst))
    return set[is_flushed];
  if (!is_flushed)
    return of_f64;
  *problem = "takes no .ftz for .f64";
  return NULL;
}

CuredPtxHandler
SELECT (abs_float) (const CuredPtxInst *inst, const char **problem)
{
  return select_flushing (inst, abs_f32_set, abs_f64, problem);
}

CuredPtxHandler
SELECT (neg_float) (const CuredPtxInst *inst, const char **problem)
{
  return select_flushing (inst, neg_f32_set, neg_f64, problem);
}

/* Two numbers in one register; PTX ISA 9.0, section 9.7.3: without a rounding, to the nearest. */
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

static CuredPtxHandler
select_pairs (const CuredPtxInst *inst, CuredPtxHandler handler, const char **problem)
{
  if (!is_plain (inst, problem))
    return NULL;
  if (cured_has_word (inst, CURED_PTX_GROUP_ROUND) &&
      inst->words[CURED_PTX_GROUP_ROUND] != CURED_PTX_ROUND_RN)
    {
      *problem = "rounds pairs with .rn alone";
      return NULL;
    }
  return handler;
}

CuredPtxHandler
SELECT (add_pair) (const CuredPtxInst *inst, const char **problem)
{
  return select_pairs (inst, add_pairs, problem);
}

CuredPtxHandler
SELECT (mul_pair) (const CuredPtxInst *inst, const char **problem)
{
  return select_pairs (inst, mul_pairs, problem);
}

CuredPtxHandler
SELECT (fma_pair) (const CuredPtxInst *inst, const char **problem)
{
  return select_pairs (inst, fma_pairs, problem);
}

/* The lesser or the greater of three: a NaN is none of them, unless .NaN says that one makes a NaN,
 * or all are. */
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

static CuredPtxHandler
select_three (const CuredPtxInst *inst, CuredPtxHandler handler, const char **problem)
{
  if (!is_plain (inst, problem))
    return NULL;
  if (is_f64 (inst))
    *problem = "takes two sources for .f64";
  else if (cured_has_word (inst, CURED_PTX_GROUP_XORSIGN))
    *problem = "takes no .xorsign with three sources";
  else
    return handler;
  return NULL;
}

static CuredPtxHandler
select_choice (const CuredPtxInst *inst, const CuredPtxHandler set[2][2][2], CuredPtxHandler of_f64,
               const char **problem)
{
  bool is_flushed = cured_has_word (inst, CURED_PTX_GROUP_FTZ);
  bool is_nan_kept = cured_has_word (inst, CURED_PTX_GROUP_NAN);
  bool is_xorsign = cured_has_word (inst, CURED_PTX_GROUP_XORSIGN);

  if (!is_plain (inst, problem))
    return NULL;
  if (is_xorsign != cured_has_word (inst, CURED_PTX_GROUP_ABS))
    *problem = "takes .xorsign and .abs only together";
  else if (!is_f64 (inst))
    return set[is_flushed][is_nan_kept][is_xorsign];
  else if (is_flushed || is_nan_kept || is_xorsign)
    *problem = "takes no .ftz, .NaN or .xorsign.abs for .f64";
  else
    return of_f64;
  return NULL;
}

CuredPtxHandler
SELECT (min_float) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->x[3].width != 0)
    return select_three (inst, min_of_three, problem);
  return select_choice (inst, min_f32_set, min_f64, problem);
}

CuredPtxHandler
SELECT (max_float) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->x[3].width != 0)
    return select_three (inst, max_of_three, problem);
  return select_choice (inst, max_f32_set, max_f64, problem);
}

CuredPtxHandler
SELECT (copysign) (const CuredPtxInst *inst, const char **problem)
{
  if (!is_plain (inst, problem))
    return NULL;
  return is_f64 (inst) ? copysign_f64 : copysign_f32;
}

CuredPtxHandler
SELECT (testp) (const CuredPtxInst *inst, const char **problem)
{
  bool is_double = is_f64 (inst);

  if (!is_plain (inst, problem))
    return NULL;
  switch (inst->words[CURED_PTX_GROUP_MODE])
    {
    case CURED_PTX_MODE_FINITE:
      return is_double ? is_finite_f64 : is_finite_f32;
    case CURED_PTX_MODE_INFINITE:
      return is_double ? is_infinite_f64 : is_infinite_f32;
    case CURED_PTX_MODE_NUMBER:
      return is_double ? is_number_f64 : is_number_f32;
    case CURED_PTX_MODE_NOTANUMBER:
      return is_double ? is_nan_f64 : is_nan_f32;
    case CURED_PTX_MODE_NORMAL:
      return is_double ? is_normal_f64 : is_normal_f32;
    case CURED_PTX_MODE_SUBNORMAL:
      return is_double ? is_subnormal_f64 : is_subnormal_f32;
    default:
      *problem = "needs .finite, .infinite, .number, .notanumber, .normal or "
                 ".subnormal";
      return NULL;
    }
}
