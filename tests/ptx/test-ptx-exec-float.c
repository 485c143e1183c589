/* SPDX-License-Identifier: MIT
 * f32 and f64 instructions, against the host's rounding modes, quadruple precision and the ISA's
 * tables. */
#include <fenv.h>
#include <float.h>
#include <math.h>

#include "exec-bench.h"
#include "ptx/exec/cured-half-private.h"
#include "test.h"

#define F32_NAN 0x7fffffffu

static const char *const roundings[] = { "rn", "rz", "rm", "rp" };
static const int host_roundings[] = {
  FE_TONEAREST,
  FE_TOWARDZERO,
  FE_DOWNWARD,
  FE_UPWARD,
};

/* ---- Operands ---- */

static const uint32_t special_f32[] = {
  0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
  0x00800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f7ffffe,
  0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, 0x33800000, 0x33000000,
  0x4b800000, 0x7e800000, 0x7f000000, 0x00400000, 0x3f000000, 0x40000000,
};

static const uint64_t special_f64[] = {
  0,
  UINT64_C (0x8000000000000000),
  1,
  UINT64_C (0x8000000000000001),
  UINT64_C (0x000fffffffffffff),
  UINT64_C (0x0010000000000000),
  UINT64_C (0x8010000000000000),
  UINT64_C (0x3ff0000000000000),
  UINT64_C (0xbff0000000000000),
  UINT64_C (0x3ff0000000000001),
  UINT64_C (0x3fefffffffffffff),
  UINT64_C (0x7fefffffffffffff),
  UINT64_C (0xffefffffffffffff),
  UINT64_C (0x7ff0000000000000),
  UINT64_C (0xfff0000000000000),
  UINT64_C (0x7ff8000000000000),
  UINT64_C (0xfff8000000001234),
  UINT64_C (0x7ff0000000000001),
  UINT64_C (0x4000000000000000),
  UINT64_C (0x3ca0000000000000),
};

static uint64_t
random_bits (void)
{
  return (uint64_t) (uint32_t) g_test_rand_int () << 32 | (uint32_t) g_test_rand_int ();
}

/* Specials, any bits, and numbers near each other with few bits, whose sums and products are close
 * to exact, to a tie or to zero. */
static uint32_t
random_f32 (void)
{
  uint64_t random = random_bits ();
  uint32_t bits = (uint32_t) random;

  switch (random >> 32 & 3)
    {
    case 0: return special_f32[bits % G_N_ELEMENTS (special_f32)];
    case 1: return bits;
    case 2: return (bits & 0x807fffff) | (120 + (uint32_t) (random >> 40 & 15)) << 23;
    default: return (bits & 0x807ff000) | (bits & 7) | (110 + (uint32_t) (random >> 40 & 31)) << 23;
    }
}

static uint64_t
random_f64 (void)
{
  uint64_t random = random_bits ();
  uint64_t bits = random_bits ();
  uint64_t fraction = bits & UINT64_C (0x800fffffffffffff);

  switch (random & 3)
    {
    case 0: return special_f64[bits % G_N_ELEMENTS (special_f64)];
    case 1: return bits;
    case 2: return fraction | (1016 + (random >> 8 & 15)) << 52;
    default: return (fraction & ~UINT64_C (0xffffffff0)) | (1000 + (random >> 8 & 63)) << 52;
    }
}

/* ---- f32 ---- */

typedef enum
{
  ADD,
  SUB,
  MUL,
  DIV,
  FMA,
  RCP,
  SQRT,
} Operation;

static const struct
{
  const char *name;
  Operation operation;
  guint n_sources;
  gboolean is_rounded; /* and not, for .sat, of the simple ones */
} operations[] = {
  { "add", ADD, 2, FALSE }, { "sub", SUB, 2, FALSE },  { "mul", MUL, 2, FALSE },
  { "fma", FMA, 3, FALSE }, { "mad", FMA, 3, FALSE },  { "div", DIV, 2, TRUE },
  { "rcp", RCP, 1, TRUE },  { "sqrt", SQRT, 1, TRUE },
};

static float
flush (float x)
{
  return fpclassify (x) == FP_SUBNORMAL ? copysignf (0, x) : x;
}

static uint32_t
refer_f32 (Operation operation, int host_rounding, gboolean is_flushed, gboolean is_saturated,
           const float *x)
{
  volatile float a = is_flushed ? flush (x[0]) : x[0];
  volatile float b = is_flushed ? flush (x[1]) : x[1];
  volatile float c = is_flushed ? flush (x[2]) : x[2];
  volatile float d = 0;
  /* Of the result in f64: small, and as if exponents had no end. */
  volatile double wide = 0;
  volatile float scaled;

#define COMPUTE(f32, f64)                                                                          \
  d = f32;                                                                                         \
  wide = f64;                                                                                      \
  break

  fesetround (host_rounding);
  switch (operation)
    {
    case ADD: COMPUTE (a + b, (double) a + b);
    case SUB: COMPUTE (a - b, (double) a - b);
    case MUL: COMPUTE (a * b, (double) a * b);
    case DIV: COMPUTE (a / b, (double) a / b);
    case FMA: COMPUTE (fmaf (a, b, c), fma (a, b, c));
    case RCP: COMPUTE (1.0f / a, 1.0 / a);
    case SQRT: COMPUTE (sqrtf (a), sqrt (a));
    default: g_assert_not_reached ();
    }
  scaled = (float) (wide * 0x1p64);
  fesetround (FE_TONEAREST);
  if (is_flushed && fabsf (scaled) < 0x1p-62f)
    d = copysignf (0, d);
  if (is_saturated)
    return cured_bits_of_f32 (isnan (d) || d <= 0 ? 0 : d > 1 ? 1 : d);
  return isnan (d) ? F32_NAN : cured_bits_of_f32 (d);
}

TEST ("/ptx-exec-float/arithmetic/f32")
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    {
      g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
      const CuredPtxOperand x[] = { R (0, 4), R (1, 4), R (2, 4), R (3, 4) };

      for (guint o = 0; o < G_N_ELEMENTS (operations); o++)
        for (guint r = 0; r < G_N_ELEMENTS (roundings); r++)
          for (guint flags = 0; flags < (operations[o].is_rounded ? 2 : 4); flags++)
            {
              g_autofree char *mnemonic =
                  g_strdup_printf ("%s.%s%s%s.f32", operations[o].name, roundings[r],
                                   flags & 1 ? ".ftz" : "", flags & 2 ? ".sat" : "");

              g_assert_cmpstr (exec_bench_set (bench, mnemonic, operations[o].n_sources + 1, x), ==,
                               NULL);
              for (guint turn = 0; turn < 40; turn++)
                {
                  uint32_t mask =
                      turn % 4 == 3 ? (uint32_t) g_test_rand_int () | 1 : CURED_ALL_LANES;
                  float *lanes[4];

                  for (guint i = 0; i < 4; i++)
                    lanes[i] = exec_bench_lanes (bench, x[i]);
                  for (guint l = 0; l < CURED_WARP_LANES; l++)
                    {
                      lanes[0][l] = 42;
                      for (guint i = 1; i < 4; i++)
                        lanes[i][l] = cured_f32_of_bits (random_f32 ());
                      if (turn % 8 == 1)
                        lanes[2][l] = -lanes[1][l];
                      if (turn % 8 == 2)
                        lanes[3][l] = -lanes[1][l] * lanes[2][l];
                    }
                  exec_bench_run (bench, mask);
                  for (guint l = 0; l < CURED_WARP_LANES; l++)
                    {
                      const float sources[] = { lanes[1][l], lanes[2][l], lanes[3][l] };
                      uint32_t expected = refer_f32 (operations[o].operation, host_roundings[r],
                                                     flags & 1, flags & 2, sources);

                      if ((mask >> l & 1) == 0)
                        expected = cured_bits_of_f32 (42);
                      if (cured_bits_of_f32 (lanes[0][l]) != expected)
                        g_error ("%s of %a, %a, %a: %a, not %a", mnemonic, sources[0], sources[1],
                                 sources[2], lanes[0][l], cured_f32_of_bits (expected));
                    }
                }
            }
    }
}

/* ---- f64 ---- */

#ifdef __SIZEOF_FLOAT128__

__extension__ typedef __float128 Quad;

static int
sign_of (Quad x)
{
  return (x > 0) - (x < 0);
}

/* The sign of "the exact result minus @r", for finite operands and @r. */
static int
compare_exact (Operation operation, const double *x, double r)
{
  Quad a = x[0];
  Quad b = x[1];
  Quad part, sum, error;

  switch (operation)
    {
    case RCP: return sign_of (1 - (Quad) r * a) * sign_of (a);
    case DIV:
      /* Of subnormal quotients the product is not near a's last bit: exact all the same, as 106
       * bits fit. */
      return sign_of (a - (Quad) r * b) * sign_of (b);
    case SQRT: return sign_of (a - (Quad) r * r);
    case MUL: return sign_of (a * b - r);
    case FMA:
      a = a * b;
      b = x[2];
      break;
    case SUB: b = -b; break;
    case ADD:
    default: break;
    }
  sum = a + b;
  part = sum - a;
  error = (a - (sum - part)) + (b - part);
  return sum != r ? sign_of (sum - r) : sign_of (error);
}

static void
check_f64 (const char *mnemonic, Operation operation, guint rounding, const double *x, double r)
{
  if (isnan (r) || isinf (x[0]) || isinf (x[1]) || isinf (x[2]) ||
      (x[1] == 0 && operation == DIV) || (x[0] == 0 && operation == RCP))
    return;
  if (isinf (r))
    {
      /* Overflow: only away from zero. */
      g_assert_cmpuint (rounding, !=, 1);
      g_assert_cmpuint (rounding, !=, r > 0 ? 2 : 3);
      r = copysign (DBL_MAX, r);
      g_assert_cmpint (compare_exact (operation, x, r), ==, r > 0 ? 1 : -1);
      return;
    }
  int side = compare_exact (operation, x, r);
  if (side == 0)
    return;
  /* The exact result is strictly between r and the neighbour on its side. */
  gboolean is_right = fabs (r) == DBL_MAX && side == (r > 0 ? 1 : -1)
                          ? TRUE
                          : compare_exact (operation, x, nextafter (r, side * INFINITY)) == -side;
  if (rounding == 1)
    is_right = is_right && side == (signbit (r) ? -1 : 1);
  else if (rounding == 2)
    is_right = is_right && side > 0;
  else if (rounding == 3)
    is_right = is_right && side < 0;
  if (!is_right)
    g_error ("%s of %a, %a, %a: %a is wrong", mnemonic, x[0], x[1], x[2], r);
}

TEST ("/ptx-exec-float/arithmetic/f64")
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    {
      g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
      const CuredPtxOperand x[] = { R (0, 8), R (1, 8), R (2, 8), R (3, 8) };

      for (guint o = 0; o < G_N_ELEMENTS (operations); o++)
        for (guint r = 0; r < G_N_ELEMENTS (roundings); r++)
          {
            g_autofree char *mnemonic =
                g_strdup_printf ("%s.%s.f64", operations[o].name, roundings[r]);

            g_assert_cmpstr (exec_bench_set (bench, mnemonic, operations[o].n_sources + 1, x), ==,
                             NULL);
            for (guint turn = 0; turn < 40; turn++)
              {
                double *lanes[4];

                for (guint i = 0; i < 4; i++)
                  lanes[i] = exec_bench_lanes (bench, x[i]);
                for (guint l = 0; l < CURED_WARP_LANES; l++)
                  {
                    for (guint i = 1; i < 4; i++)
                      lanes[i][l] = cured_f64_of_bits (random_f64 ());
                    if (turn % 8 == 1)
                      lanes[2][l] = -lanes[1][l];
                    if (turn % 8 == 2)
                      lanes[3][l] = -lanes[1][l] * lanes[2][l];
                  }
                exec_bench_run (bench, CURED_ALL_LANES);
                g_assert_cmpint (fegetround (), ==, FE_TONEAREST);
                for (guint l = 0; l < CURED_WARP_LANES; l++)
                  {
                    double sources[] = { lanes[1][l], operations[o].n_sources > 1 ? lanes[2][l] : 0,
                                         operations[o].n_sources > 2 ? lanes[3][l] : 0 };
                    gboolean has_nan =
                        isnan (sources[0]) || isnan (sources[1]) || isnan (sources[2]);

                    if (has_nan)
                      g_assert_true (isnan (lanes[0][l]));
                    check_f64 (mnemonic, operations[o].operation, r, sources, lanes[0][l]);
                  }
              }
          }
    }
}

#endif
