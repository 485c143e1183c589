/* SPDX-License-Identifier: MIT
 * f16 and bf16: conversions of every value, and instructions against sums in quadruple precision
 * that are rounded by looking for the nearest number. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "exec-bench.h"
#include "ptx/exec/cured-half-private.h"

/* ---- Formats, the slow way ---- */

typedef struct
{
  const char *name;
  int exponent_bits;
  int fraction_bits;
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
  Wide below;
  Wide above;
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

static void
test_wider (void)
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
static void
test_narrower (void)
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

static void
test_f64_to_f32 (void)
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

static void
test_tf32 (void)
{
  static const struct
  {
    uint32_t from;
    uint32_t nearest_even;
    uint32_t nearest_away;
    uint32_t to_zero;
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
static void
test_to_odd (void)
{
  for (guint i = 0; i < 100000; i++)
    {
      double x;
      uint64_t bits = cured_bits_of_f64 (random_f64 ());
      uint64_t exponent = 870 + (bits >> 52) % 310;
      guint odd;

      x = cured_f64_of_bits ((bits & UINT64_C (0x800fffff00000fff)) | exponent << 52);
      odd = cured_f32_to_bf16 (cured_f64_to_odd_f32 (x), CURED_PTX_ROUND_RN);
      g_assert_cmphex (odd, ==, cured_f64_to_bf16 (x, CURED_PTX_ROUND_RN));
    }
}

static void
test_saturation (void)
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

/* ---- Instructions ---- */

static guint
random_half (const Format *format)
{
  static const guint specials[] = {
    0,      1,      2,      0x3ff,  0x400,  0x401,  0x7f,   0x80,   0x81,
    0x3c00, 0x3bff, 0x3c01, 0x3f80, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7f7f,
    0x7f80, 0x7f81, 0x7fc0, 0x7fff, 0x6800, 0x6801, 0x1400, 0x4000, 0x3800,
  };
  guint random = (guint) g_test_rand_int ();
  guint sign = random >> 16 & 0x8000;

  switch (random & 3)
    {
    case 0:
      return specials[(random >> 4) % G_N_ELEMENTS (specials)] | sign;
    case 1:
      return random >> 8 & 0xffff;
    default:
      /* Near 1, with few bits. */
      return sign |
             ((infinity_of (format) / 2 + (random >> 8 & 7) * (1u << format->fraction_bits) -
               4 * (1u << format->fraction_bits)) &
              infinity_of (format)) |
             (random >> 20 & 3) | (random & 4 ? 1u << (format->fraction_bits - 1) : 0);
    }
}

typedef enum
{
  ADD,
  SUB,
  MUL,
  FMA,
} Operation;

static const struct
{
  const char *name;
  Operation operation;
  guint n_sources;
} operations[] = {
  { "add.rn", ADD, 2 }, { "add", ADD, 2 },    { "sub", SUB, 2 },
  { "mul", MUL, 2 },    { "fma.rn", FMA, 3 },
};

static guint
flush_half (const Format *format, guint half)
{
  return (half & infinity_of (format)) == 0 ? half & 0x8000 : half;
}

static guint
refer (const Format *format, Operation operation, gboolean is_flushed, gboolean is_saturated,
       gboolean is_relu, const guint *x)
{
  Wide value[3];
  Wide a;
  Wide b;
  Wide sum;
  double sign;
  guint half;

  for (guint i = 0; i < 3; i++)
    value[i] = (Wide) value_of (format, is_flushed ? flush_half (format, x[i]) : x[i]);
  switch (operation)
    {
    case SUB:
      a = value[0];
      b = -value[1];
      break;
    case MUL:
      a = value[0] * value[1];
      b = a < 0 || (a == 0 && signbit ((double) a)) ? (Wide) -0.0 : (Wide) 0.0;
      break;
    case FMA:
      a = value[0] * value[1];
      b = value[2];
      break;
    case ADD:
    default:
      a = value[0];
      b = value[1];
      break;
    }
  sum = a + b;
  /* What the sum lost decides between a tie and no tie. */
  if (sum - sum == 0)
    {
      Wide part = sum - a;
      Wide error = (a - (sum - part)) + (b - part);

      sign = sum < 0 || (sum == 0 && signbit ((double) sum)) ? -1 : 1;
      half = round_slowly (format, sum, sign < 0, 0);
      if (error != 0)
        {
          guint truncated = round_slowly (format, sum, sign < 0, 1);
          Wide low = (Wide) value_of (format, truncated & 0x7fff);
          Wide high = (Wide) value_of (format, (truncated & 0x7fff) + 1);
          Wide magnitude = sum < 0 ? -sum : sum;

          if (magnitude - low == high - magnitude)
            half = (error > 0) == (sum > 0) ? truncated + 1 : truncated;
        }
    }
  else
    half = round_slowly (format, sum, sum < 0, 0);
  if (is_flushed)
    half = flush_half (format, half);
  if (is_saturated)
    {
      double result = value_of (format, half);

      half = !(result > 0) ? 0 : result > 1 ? (format->exponent_bits == 5 ? 0x3c00 : 0x3f80) : half;
    }
  if (is_relu && (half & 0x8000) != 0)
    half = 0;
  return half;
}

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

static void
check_arithmetic (ExecBench *bench, const Format *format, guint o, gboolean is_flushed,
                  gboolean is_saturated, gboolean is_relu, gboolean is_packed)
{
  uint8_t width = is_packed ? 4 : 2;
  const CuredPtxOperand x[] = { R (0, width), R (1, width), R (2, width), R (3, width) };
  g_autofree char *mnemonic = g_strdup_printf (
      "%s%s%s%s.%s%s", operations[o].name, is_flushed ? ".ftz" : "", is_saturated ? ".sat" : "",
      is_relu ? ".relu" : "", format->name, is_packed ? "x2" : "");

  g_assert_cmpstr (exec_bench_set (bench, mnemonic, operations[o].n_sources + 1, x), ==, NULL);
  for (guint turn = 0; turn < 24; turn++)
    {
      uint32_t mask = turn % 4 == 3 ? (uint32_t) g_test_rand_int () | 1 : CURED_ALL_LANES;

      for (guint l = 0; l < CURED_WARP_LANES; l++)
        for (guint part = 0; part < width / 2; part++)
          {
            put (bench, x[0], l, part, 0x1234);
            for (guint i = 1; i < 4; i++)
              put (bench, x[i], l, part, random_half (format));
            if (turn % 4 == 1)
              put (bench, x[2], l, part, get (bench, x[1], l, part) ^ 0x8000);
          }
      exec_bench_run (bench, mask);
      for (guint l = 0; l < CURED_WARP_LANES; l++)
        for (guint part = 0; part < width / 2; part++)
          {
            const guint sources[] = {
              get (bench, x[1], l, part),
              get (bench, x[2], l, part),
              get (bench, x[3], l, part),
            };
            guint result = get (bench, x[0], l, part);
            guint expected =
                refer (format, operations[o].operation, is_flushed, is_saturated, is_relu, sources);

            if ((mask >> l & 1) == 0)
              expected = 0x1234;
            if (result != expected)
              g_error ("%s of %04x, %04x, %04x: %04x, not %04x", mnemonic, sources[0], sources[1],
                       sources[2], result, expected);
          }
    }
}

static void
test_arithmetic (void)
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    {
      g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);

      for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
        for (guint o = 0; o < G_N_ELEMENTS (operations); o++)
          for (guint flags = 0; flags < 16; flags++)
            {
              gboolean is_flushed = (flags & 1) != 0;
              gboolean is_saturated = (flags & 2) != 0;
              gboolean is_relu = (flags & 4) != 0;

              if ((is_relu && (is_saturated || operations[o].operation != FMA)) ||
                  (f == 1 && (is_flushed || is_saturated)))
                continue;
              check_arithmetic (bench, &formats[f], o, is_flushed, is_saturated, is_relu,
                                (flags & 8) != 0);
            }
    }
}

/* The sum that a rounding in double would take for a tie. */
static void
test_fused (void)
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

static const struct
{
  const char *mnemonic;
  guint n_sources;
  guint a;
  guint b;
  guint expected;
} edges[] = {
  { "abs.f16", 1, 0x8001, 0, 1 },
  { "abs.ftz.f16", 1, 0x8001, 0, 0 },
  { "abs.f16", 1, 0xfe01, 0, 0x7fff },
  { "abs.bf16", 1, 0xff80, 0, 0x7f80 },
  { "neg.f16", 1, 0, 0, 0x8000 },
  { "neg.ftz.f16", 1, 1, 0, 0x8000 },
  { "neg.f16", 1, 0x7c01, 0, 0x7fff },
  { "neg.bf16", 1, 0x7f80, 0, 0xff80 },
  { "neg.bf16", 1, 0x7f81, 0, 0x7fff },
  { "min.f16", 2, 0, 0x8000, 0x8000 },
  { "max.f16", 2, 0x8000, 0, 0 },
  { "min.f16", 2, 0x7e00, 0x3c00, 0x3c00 },
  { "max.f16", 2, 0x3c00, 0xfe00, 0x3c00 },
  { "max.f16", 2, 0x7c01, 0xfe00, 0x7fff },
  { "min.NaN.f16", 2, 0x7c01, 0x3c00, 0x7fff },
  { "min.ftz.f16", 2, 1, 2, 0 },
  { "min.f16", 2, 0x8001, 0x8002, 0x8002 },
  { "max.bf16", 2, 0x7c01, 0x3c00, 0x7c01 },
  { "min.bf16", 2, 0x7f81, 0x3c00, 0x3c00 },
  { "max.NaN.bf16", 2, 0x3c00, 0x7f81, 0x7fff },
  { "min.xorsign.abs.f16", 2, 0xbc00, 0x4000, 0xbc00 },
  { "max.xorsign.abs.f16", 2, 0xbc00, 0xc000, 0x4000 },
  { "max.NaN.xorsign.abs.bf16", 2, 0xffc0, 0xc000, 0x7fff },
  { "min.ftz.NaN.xorsign.abs.f16", 2, 0x8001, 0x4000, 0x8000 },
  { "ex2.approx.f16", 1, 0xfc00, 0, 0 },
  { "ex2.approx.f16", 1, 0x7c00, 0, 0x7c00 },
  { "ex2.approx.f16", 1, 0xce00, 0, 1 },
  { "ex2.approx.f16", 1, 0x4c00, 0, 0x7c00 },
  { "ex2.approx.f16", 1, 0x7c01, 0, 0x7fff },
  { "ex2.approx.ftz.bf16", 1, 0x4040, 0, 0x4100 },
  { "ex2.approx.ftz.bf16", 1, 0xc300, 0, 0 },
  { "ex2.approx.ftz.bf16", 1, 0x8001, 0, 0x3f80 },
  { "tanh.approx.f16", 1, 0xfc00, 0, 0xbc00 },
  { "tanh.approx.f16", 1, 0x8001, 0, 0x8001 },
  { "tanh.approx.bf16", 1, 0x7f80, 0, 0x3f80 },
  { "tanh.approx.bf16", 1, 0xffff, 0, 0x7fff },
};

static void
test_edges (void)
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint i = 0; i < G_N_ELEMENTS (edges); i++)
      for (uint8_t width = 2; width <= 4; width += 2)
        {
          g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
          const CuredPtxOperand x[] = { R (0, width), R (1, width), R (2, width) };
          g_autofree char *mnemonic =
              g_strconcat (edges[i].mnemonic, width == 4 ? "x2" : NULL, NULL);

          g_assert_cmpstr (exec_bench_set (bench, mnemonic, edges[i].n_sources + 1, x), ==, NULL);
          for (guint l = 0; l < CURED_WARP_LANES; l++)
            for (guint part = 0; part < width / 2; part++)
              {
                put (bench, x[1], l, part, edges[i].a);
                put (bench, x[2], l, part, edges[i].b);
              }
          for (guint turn = 0; turn < 2; turn++)
            {
              exec_bench_run (bench, turn == 0 ? CURED_ALL_LANES : 1u << 30);
              for (guint part = 0; part < width / 2; part++)
                if (get (bench, x[0], 30, part) != edges[i].expected)
                  g_error ("%s of %04x, %04x: %04x, not %04x", mnemonic, edges[i].a, edges[i].b,
                           get (bench, x[0], 30, part), edges[i].expected);
            }
        }
}

/* Of every value: the nearest number to what the C library says. */
static void
test_approximations (void)
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_V3);

  for (guint f = 0; f < 2; f++)
    for (guint is_tanh = 0; is_tanh < 2; is_tanh++)
      {
        const CuredPtxOperand x[] = { R (0, 2), R (1, 2) };
        g_autofree char *mnemonic =
            g_strdup_printf ("%s.approx%s.%s", is_tanh ? "tanh" : "ex2",
                             f == 1 && !is_tanh ? ".ftz" : "", formats[f].name);

        g_assert_cmpstr (exec_bench_set (bench, mnemonic, 2, x), ==, NULL);
        for (guint half = 0; half <= 0xffff; half += CURED_WARP_LANES)
          {
            for (guint l = 0; l < CURED_WARP_LANES; l++)
              put (bench, x[1], l, 0, half + l);
            exec_bench_run (bench, CURED_ALL_LANES);
            for (guint l = 0; l < CURED_WARP_LANES; l++)
              {
                long double a = value_of (&formats[f], half + l);
                long double exact = is_tanh ? tanhl (a) : exp2l (a);
                guint result = get (bench, x[0], l, 0);
                guint expected = round_slowly (&formats[f], (Wide) exact, signbit (exact) != 0, 0);

                if (f == 1 && !is_tanh)
                  expected = flush_half (&formats[f], expected);
                g_assert_cmphex (result, ==, expected);
              }
          }
      }
}

static void
test_setp (void)
{
  static const struct
  {
    const char *word;
    const char *holds; /* of <, =, >, unordered */
  } comparisons[] = {
    { "eq", "=" },   { "ne", "<>" },   { "lt", "<" },    { "le", "<=" },  { "gt", ">" },
    { "ge", ">=" },  { "equ", "=u" },  { "neu", "<>u" }, { "ltu", "<u" }, { "leu", "<=u" },
    { "gtu", ">u" }, { "geu", ">=u" }, { "num", "<=>" }, { "nan", "u" },
  };
  static const char *const combinations[] = { "", ".and", ".or", ".xor" };

  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint c = 0; c < G_N_ELEMENTS (comparisons); c++)
      for (guint f = 0; f < 2; f++)
        for (guint variant = 0; variant < 16; variant++)
          {
            g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
            gboolean is_packed = (variant & 1) != 0;
            gboolean is_flushed = (variant & 2) != 0;
            const char *combination = combinations[variant >> 2];
            uint8_t width = is_packed ? 4 : 2;
            uint32_t mask = variant & 4 ? CURED_ALL_LANES : 0xf0f0ffff;
            const CuredPtxOperand x[] = {
              PREDICATE (0),
              is_packed ? PREDICATE (1) : NONE,
              R (2, width),
              R (3, width),
              combination[0] == '\0' ? NONE : NOT_PREDICATE (4),
            };
            g_autofree char *mnemonic =
                g_strdup_printf ("setp.%s%s%s.%s%s", comparisons[c].word, combination,
                                 is_flushed ? ".ftz" : "", formats[f].name, is_packed ? "x2" : "");
            uint32_t *third = exec_bench_lanes (bench, PREDICATE (4));

            if (f == 1 && is_flushed)
              continue;
            *third = (uint32_t) g_test_rand_int ();
            for (guint l = 0; l < CURED_WARP_LANES; l++)
              for (guint part = 0; part < width / 2; part++)
                {
                  guint a = random_half (&formats[f]);

                  put (bench, x[2], l, part, a);
                  put (bench, x[3], l, part, l % 3 == 0 ? a : random_half (&formats[f]));
                }
            g_assert_cmpstr (exec_bench_set (bench, mnemonic, 5, x), ==, NULL);
            exec_bench_run (bench, mask);
            for (guint l = 0; l < CURED_WARP_LANES; l++)
              for (guint part = 0; part < width / 2; part++)
                {
                  guint h[2] = {
                    get (bench, x[2], l, part),
                    get (bench, x[3], l, part),
                  };
                  double a;
                  double b;
                  gboolean expected;
                  gboolean other = (~*third >> l & 1) != 0;

                  if (is_flushed)
                    for (guint k = 0; k < 2; k++)
                      h[k] = flush_half (&formats[f], h[k]);
                  a = value_of (&formats[f], h[0]);
                  b = value_of (&formats[f], h[1]);
                  expected = strchr (comparisons[c].holds, a < b    ? '<'
                                                           : a > b  ? '>'
                                                           : a == b ? '='
                                                                    : 'u') != NULL;
                  switch (variant >> 2)
                    {
                    case 1:
                      expected = expected && other;
                      break;
                    case 2:
                      expected = expected || other;
                      break;
                    case 3:
                      expected = expected != other;
                      break;
                    default:
                      break;
                    }
                  if ((mask >> l & 1) == 0)
                    expected = FALSE;
                  g_assert_cmpuint (*(uint32_t *) exec_bench_lanes (bench, x[part]) >> l & 1, ==,
                                    expected);
                }
          }
}

static void
test_refused (void)
{
  static const char *const mnemonics[] = {
    "add.rz.f16",
    "add.ftz.bf16",
    "add.sat.bf16",
    "add.satfinite.f16",
    "sub.rm.bf16x2",
    "mul.sat.bf16x2",
    "fma.f16",
    "fma.rz.f16",
    "fma.rn.sat.relu.f16",
    "fma.rn.ftz.bf16",
    "fma.rn.sat.bf16",
    "fma.rn.ftz.relu.bf16",
    "abs.ftz.bf16",
    "neg.ftz.bf16x2",
    "min.ftz.bf16",
    "min.xorsign.f16",
    "max.abs.f16x2",
    "ex2.f16",
    "ex2.approx.ftz.f16",
    "ex2.approx.bf16",
    "ex2.full.f16",
    "tanh.bf16",
    "setp.lo.f16",
    "setp.f16",
    "setp.lt.ftz.bf16",
    "setp.lt.and.f16",
    "setp.lt.min.f16x2",
    "add.f16.f32",
  };
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_BASELINE);

  for (guint i = 0; i < G_N_ELEMENTS (mnemonics); i++)
    if (exec_bench_set (bench, mnemonics[i], 0, NULL) == NULL)
      g_error ("%s is not refused", mnemonics[i]);
  /* The second predicate is the upper half's: one value has none. */
  exec_bench_assert_refused (bench, "setp.lt.f16", PREDICATE (0), PREDICATE (1), R (2, 2),
                             R (3, 2));
  exec_bench_assert_refused (bench, "setp.lt.f16", PREDICATE (0), NONE, R (2, 2), R (3, 2),
                             PREDICATE (4));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/ptx-exec-half/wider", test_wider);
  g_test_add_func ("/ptx-exec-half/narrower", test_narrower);
  g_test_add_func ("/ptx-exec-half/f64-to-f32", test_f64_to_f32);
  g_test_add_func ("/ptx-exec-half/tf32", test_tf32);
  g_test_add_func ("/ptx-exec-half/to-odd", test_to_odd);
  g_test_add_func ("/ptx-exec-half/saturation", test_saturation);
#ifdef __SIZEOF_FLOAT128__
  g_test_add_func ("/ptx-exec-half/arithmetic", test_arithmetic);
#endif
  g_test_add_func ("/ptx-exec-half/fused", test_fused);
  g_test_add_func ("/ptx-exec-half/edges", test_edges);
  g_test_add_func ("/ptx-exec-half/approximations", test_approximations);
  g_test_add_func ("/ptx-exec-half/setp", test_setp);
  g_test_add_func ("/ptx-exec-half/refused", test_refused);
  return g_test_run ();
}
