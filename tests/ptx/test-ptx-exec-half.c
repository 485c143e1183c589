/* SPDX-License-Identifier: MIT
 * f16 and bf16: conversions of every value against quadruple precision, rounded by looking for the
 * nearest number. */
#include <fenv.h>
#include <math.h>

#include "exec-bench.h"
#include "ptx/exec/cured-half-private.h"
#include "test.h"

/* ---- Formats, the slow way ---- */

typedef struct
{
  const char *name;
  int exponent_bits, fraction_bits;
} Format;

static const Format formats[] = { { "f16", 5, 10 }, { "bf16", 8, 7 } };

static guint
infinity_of (const Format *format)
{
  return ((1u << format->exponent_bits) - 1) << format->fraction_bits;
}

static double
value_of (const Format *format, guint half)
{
  int bias = (1 << (format->exponent_bits - 1)) - 1;
  int exponent = (int) ((half & 0x7fff) >> format->fraction_bits);
  int fraction = (int) (half & ((1u << format->fraction_bits) - 1));
  double value;

  if (exponent == (1 << format->exponent_bits) - 1)
    value = fraction != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp (fraction, 1 - bias - format->fraction_bits);
  else
    value =
        ldexp (fraction + (1 << format->fraction_bits), exponent - bias - format->fraction_bits);
  return half & 0x8000 ? -value : value;
}

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Wide;
#else
typedef long double Wide;
#endif

/* The greatest number that is not above |x|, or the next one. */
static guint
round_slowly (const Format *format, Wide x, gboolean is_negative, guint rounding)
{
  guint infinity = infinity_of (format);
  guint low = 0;
  guint high = infinity;
  Wide below, above;
  gboolean is_up;

  if (x != x)
    return 0x7fff;
  if (x < 0)
    x = -x;
  if (x == (Wide) INFINITY)
    return infinity | (guint) is_negative << 15;
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      if ((Wide) value_of (format, middle) <= x)
        low = middle;
      else
        high = middle;
    }
  below = (Wide) value_of (format, low);
  above = high == infinity ? (Wide) ldexp (1, 1 << (format->exponent_bits - 1))
                           : (Wide) value_of (format, high);
  if (below == x)
    is_up = FALSE;
  else if (rounding == 0)
    is_up = x - below > above - x || (x - below == above - x && (low & 1) != 0);
  else
    is_up = rounding == (is_negative ? 2 : 3);
  return (is_up ? high : low) | (guint) is_negative << 15;
}

static const CuredPtxWord roundings[] = {
  CURED_PTX_ROUND_RN,
  CURED_PTX_ROUND_RZ,
  CURED_PTX_ROUND_RM,
  CURED_PTX_ROUND_RP,
};

static guint
narrow_f32 (const Format *format, float x, guint rounding)
{
  return format->exponent_bits == 5 ? cured_f32_to_f16 (x, roundings[rounding])
                                    : cured_f32_to_bf16 (x, roundings[rounding]);
}

static guint
narrow_f64 (const Format *format, double x, guint rounding)
{
  return format->exponent_bits == 5 ? cured_f64_to_f16 (x, roundings[rounding])
                                    : cured_f64_to_bf16 (x, roundings[rounding]);
}

/* ---- Conversions ---- */

TEST ("/ptx-exec-half/wider")
{
  for (guint half = 0; half <= 0xffff; half++)
    {
      float x = cured_f16_to_f32 ((uint16_t) half);
      double expected = value_of (&formats[0], half);

      if (isnan (expected))
        g_assert_cmphex (cured_bits_of_f32 (x), ==, 0x7fffffff);
      else
        g_assert_cmphex (cured_bits_of_f32 (x), ==, cured_bits_of_f32 ((float) expected));
      g_assert_cmphex (cured_bits_of_f32 (cured_bf16_to_f32 ((uint16_t) half)), ==, half << 16);
    }
}

static void
check_narrow (const Format *format, double x, guint rounding)
{
  guint expected = round_slowly (format, (Wide) x, signbit (x) != 0, rounding);
  guint result = narrow_f64 (format, x, rounding);

  if (result != expected)
    g_error ("%s of %a in rounding %u: %04x, not %04x", format->name, x, rounding, result,
             expected);
  if ((double) (float) x == x || isnan (x))
    g_assert_cmphex (narrow_f32 (format, (float) x, rounding), ==, expected);
}

/* Every number, every midpoint between two, and what is next to them. */
TEST ("/ptx-exec-half/narrower")
{
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint r = 0; r < G_N_ELEMENTS (roundings); r++)
      for (guint half = 0; half <= 0xffff; half++)
        {
          double x = value_of (&formats[f], half);
          double next = value_of (&formats[f], half + 1);
          double middle = x / 2 + next / 2;

          /* Four roundings of each are as much as a second allows. */
          if (half % 4 != r && half % 1024 > 3 && half % 1024 < 1021)
            continue;
          check_narrow (&formats[f], x, r);
          check_narrow (&formats[f], nextafter (x, INFINITY), r);
          check_narrow (&formats[f], nextafter (x, -INFINITY), r);
          check_narrow (&formats[f], (double) nextafterf ((float) x, 3), r);
          if (!isfinite (middle))
            continue;
          check_narrow (&formats[f], middle, r);
          check_narrow (&formats[f], nextafter (middle, INFINITY), r);
          check_narrow (&formats[f], nextafter (middle, -INFINITY), r);
          check_narrow (&formats[f], (double) nextafterf ((float) middle, 3), r);
        }
}

static double
random_f64 (void)
{
  uint64_t random = (uint64_t) (uint32_t) g_test_rand_int () << 32 | (uint32_t) g_test_rand_int ();

  return cured_f64_of_bits (random);
}

TEST ("/ptx-exec-half/f64-to-f32")
{
  static const int modes[] = {
    FE_TONEAREST,
    FE_TOWARDZERO,
    FE_DOWNWARD,
    FE_UPWARD,
  };

  for (guint i = 0; i < 200000; i++)
    {
      uint64_t bits = cured_bits_of_f64 (random_f64 ());
      uint64_t fraction = bits & UINT64_C (0x800fffffffffffff);
      uint64_t exponent = 870 + (bits >> 52) % 310;
      volatile double x =
          cured_f64_of_bits (i % 4 == 0   ? bits
                             : i % 4 == 1 ? fraction | exponent << 52
                                          : (fraction & ~UINT64_C (0xfffffff)) | exponent << 52);
      volatile float expected;
      float result = cured_f64_to_f32 (x, roundings[i / 4 % 4]);

      fesetround (modes[i / 4 % 4]);
      expected = (float) x;
      fesetround (FE_TONEAREST);
      if (isnan (x))
        g_assert_cmphex (cured_bits_of_f32 (result), ==, 0x7fffffff);
      else
        g_assert_cmphex (cured_bits_of_f32 (result), ==, cured_bits_of_f32 (expected));
    }
}

TEST ("/ptx-exec-half/tf32")
{
  static const struct
  {
    uint32_t from, nearest_even, nearest_away, to_zero;
  } cases[] = {
    { 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000 },
    { 0x3f801000, 0x3f800000, 0x3f802000, 0x3f800000 },
    { 0x3f803000, 0x3f804000, 0x3f804000, 0x3f802000 },
    { 0xbf801001, 0xbf802000, 0xbf802000, 0xbf800000 },
    { 0x7f7fffff, 0x7f800000, 0x7f800000, 0x7f7fe000 },
    { 0x00000fff, 0, 0, 0 },
    { 0x80001000, 0x80000000, 0x80002000, 0x80000000 },
    { 0xff800000, 0xff800000, 0xff800000, 0xff800000 },
    { 0xff800001, 0x7fffffff, 0x7fffffff, 0x7fffffff },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      float x = cured_f32_of_bits (cases[i].from);

      g_assert_cmphex (cured_f32_to_tf32 (x, CURED_PTX_ROUND_RN), ==, cases[i].nearest_even);
      g_assert_cmphex (cured_f32_to_tf32 (x, CURED_PTX_ROUND_RNA), ==, cases[i].nearest_away);
      g_assert_cmphex (cured_f32_to_tf32 (x, CURED_PTX_ROUND_RZ), ==, cases[i].to_zero);
    }
}

/* To odd, then to a shorter format: as if rounded once. */
TEST ("/ptx-exec-half/to-odd")
{
  for (guint i = 0; i < 100000; i++)
    {
      uint64_t bits = cured_bits_of_f64 (random_f64 ());
      uint64_t exponent = 870 + (bits >> 52) % 310;

      double x = cured_f64_of_bits ((bits & UINT64_C (0x800fffff00000fff)) | exponent << 52);
      guint odd = cured_f32_to_bf16 (cured_f64_to_odd_f32 (x), CURED_PTX_ROUND_RN);
      g_assert_cmphex (odd, ==, cured_f64_to_bf16 (x, CURED_PTX_ROUND_RN));
    }
}

TEST ("/ptx-exec-half/saturation")
{
  for (guint half = 0; half <= 0xffff; half++)
    for (guint f = 0; f < 2; f++)
      {
        double x = value_of (&formats[f], half);
        uint16_t h = (uint16_t) half;
        guint infinity = infinity_of (&formats[f]);
        guint one = f == 0 ? 0x3c00 : 0x3f80;

        g_assert_cmphex (f == 0 ? cured_saturate_f16 (h) : cured_saturate_bf16 (h), ==,
                         x > 0 ? x < 1 ? half : one : 0);
        g_assert_cmphex (f == 0 ? cured_relu_f16 (h) : cured_relu_bf16 (h), ==,
                         isnan (x) ? 0x7fff
                         : x > 0   ? half
                                   : 0);
        g_assert_cmphex (f == 0 ? cured_make_finite_f16 (h) : cured_make_finite_bf16 (h), ==,
                         isinf (x) ? (infinity - 1) | (half & 0x8000) : half);
        g_assert_cmphex (f == 0 ? cured_flush_f16 (h) : cured_flush_bf16 (h), ==,
                         fabs (x) < value_of (&formats[f], 1u << formats[f].fraction_bits)
                             ? half & 0x8000
                             : half);
      }
}

/* ---- Rounded once ---- */

/* Puts halves into the lanes of a register, one or two each. */
static void
put (ExecBench *bench, CuredPtxOperand operand, guint lane, guint part, guint half)
{
  uint16_t *to = exec_bench_lanes (bench, operand);

  to[lane * operand.width / 2 + part] = (uint16_t) half;
}

static guint
get (ExecBench *bench, CuredPtxOperand operand, guint lane, guint part)
{
  const uint16_t *from = exec_bench_lanes (bench, operand);

  return from[lane * operand.width / 2 + part];
}

/* The sum that a rounding in double would take for a tie. */
TEST ("/ptx-exec-half/fused")
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    {
      g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);

      /* 0x1.01p0 * 1.0 has its 9th bit at a tie of bf16's 8; the least bf16 number takes it below.
       * 1.5 * (1 + 2^-7) = 0x1.83p0: a tie. */
      put (bench, R (1, 2), 0, 0, 0x3fc0);
      put (bench, R (2, 2), 0, 0, 0x3f81);
      put (bench, R (3, 2), 0, 0, 0x8001);
      exec_bench_do (bench, 1, "fma.rn.bf16", R (0, 2), R (1, 2), R (2, 2), R (3, 2));
      g_assert_cmphex (get (bench, R (0, 2), 0, 0), ==, 0x3fc1);
      put (bench, R (3, 2), 0, 0, 0x0001);
      exec_bench_run (bench, 1);
      g_assert_cmphex (get (bench, R (0, 2), 0, 0), ==, 0x3fc2);
    }
}
