/* SPDX-License-Identifier: MIT
 * f32 and f64 instructions, against the host's rounding modes, quadruple precision and the ISA's
 * tables. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "exec-bench.h"

#define F32_NAN 0x7fffffffu

static const char *const roundings[] = { "rn", "rz", "rm", "rp" };
static const int host_roundings[] = {
  FE_TONEAREST,
  FE_TOWARDZERO,
  FE_DOWNWARD,
  FE_UPWARD,
};

static uint32_t
bits_of_f32 (float x)
{
  uint32_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static float
f32_of_bits (uint32_t bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static double
f64_of_bits (uint64_t bits)
{
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

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
    case 0:
      return special_f32[bits % G_N_ELEMENTS (special_f32)];
    case 1:
      return bits;
    case 2:
      return (bits & 0x807fffff) | (120 + (uint32_t) (random >> 40 & 15)) << 23;
    default:
      return (bits & 0x807ff000) | (bits & 7) | (110 + (uint32_t) (random >> 40 & 31)) << 23;
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
    case 0:
      return special_f64[bits % G_N_ELEMENTS (special_f64)];
    case 1:
      return bits;
    case 2:
      return fraction | (1016 + (random >> 8 & 15)) << 52;
    default:
      return (fraction & ~UINT64_C (0xffffffff0)) | (1000 + (random >> 8 & 63)) << 52;
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

  fesetround (host_rounding);
  switch (operation)
    {
    case ADD:
      d = a + b;
      break;
    case SUB:
      d = a - b;
      break;
    case MUL:
      d = a * b;
      break;
    case DIV:
      d = a / b;
      break;
    case FMA:
      d = fmaf (a, b, c);
      break;
    case RCP:
      d = 1.0f / a;
      break;
    case SQRT:
      d = sqrtf (a);
      break;
    default:
      g_assert_not_reached ();
    }
  fesetround (FE_TONEAREST);
  if (is_flushed)
    d = flush (d);
  if (is_saturated)
    return bits_of_f32 (isnan (d) || d <= 0 ? 0 : d > 1 ? 1 : d);
  return isnan (d) ? F32_NAN : bits_of_f32 (d);
}

static void
test_arithmetic_f32 (void)
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
                        lanes[i][l] = f32_of_bits (random_f32 ());
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
                        expected = bits_of_f32 (42);
                      if (bits_of_f32 (lanes[0][l]) != expected)
                        g_error ("%s of %a, %a, %a: %a, not %a", mnemonic, sources[0], sources[1],
                                 sources[2], lanes[0][l], f32_of_bits (expected));
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
  Quad part;
  Quad sum;
  Quad error;

  switch (operation)
    {
    case RCP:
      return sign_of (1 - (Quad) r * a) * sign_of (a);
    case DIV:
      /* Of subnormal quotients the product is not near a's last bit: exact all the same, as 106
       * bits fit. */
      return sign_of (a - (Quad) r * b) * sign_of (b);
    case SQRT:
      return sign_of (a - (Quad) r * r);
    case MUL:
      return sign_of (a * b - r);
    case FMA:
      a = a * b;
      b = x[2];
      break;
    case SUB:
      b = -b;
      break;
    case ADD:
    default:
      break;
    }
  sum = a + b;
  part = sum - a;
  error = (a - (sum - part)) + (b - part);
  return sum != r ? sign_of (sum - r) : sign_of (error);
}

static void
check_f64 (const char *mnemonic, Operation operation, guint rounding, const double *x, double r)
{
  int side;
  gboolean is_right;

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
  side = compare_exact (operation, x, r);
  if (side == 0)
    return;
  /* The exact result is strictly between r and the neighbour on its side. */
  is_right = fabs (r) == DBL_MAX && side == (r > 0 ? 1 : -1)
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

static void
test_arithmetic_f64 (void)
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
                      lanes[i][l] = f64_of_bits (random_f64 ());
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

/* ---- Edges ---- */

#define NAN64 UINT64_C (0xfff8000000000000)
#define INF64 UINT64_C (0x7ff0000000000000)
#define MINUS UINT64_C (0x8000000000000000)
#define ONE64 UINT64_C (0x3ff0000000000000)

static const struct
{
  const char *mnemonic;
  guint n_sources;
  uint64_t a;
  uint64_t b;
  uint64_t expected;
} edges[] = {
  /* NaNs of f64 keep their payload; invalid operations give the default. */
  { "add.f64", 2, INF64, INF64 | MINUS, NAN64 },
  { "add.f64", 2, INF64 | 5, ONE64, INF64 | 5 | UINT64_C (1) << 51 },
  { "mul.rz.f64", 2, 0, INF64, NAN64 },
  { "mul.rz.f64", 2, ONE64, NAN64 | 9, NAN64 | 9 },
  { "div.rn.f64", 2, ONE64, MINUS, INF64 | MINUS },
  { "div.rp.f64", 2, 0, 0, NAN64 },
  { "rcp.rn.f64", 1, MINUS, 0, INF64 | MINUS },
  { "sqrt.rn.f64", 1, MINUS, 0, MINUS },
  { "sqrt.rm.f64", 1, ONE64 | MINUS, 0, NAN64 },
  { "rsqrt.approx.f64", 1, 0, 0, INF64 },
  { "rsqrt.approx.f64", 1, MINUS, 0, INF64 | MINUS },
  { "rsqrt.approx.f64", 1, ONE64 | MINUS, 0, NAN64 },
  { "rsqrt.approx.f64", 1, INF64, 0, 0 },
  { "rsqrt.approx.f64", 1, 0x4010000000000000, 0, 0x3fe0000000000000 },
  /* Only the upper word counts, and only that is written. */
  { "rcp.approx.ftz.f64", 1, 0x40000000ffffffff, 0, 0x3fe0000000000000 },
  { "rcp.approx.ftz.f64", 1, 0x4008000000000000, 0, 0x3fd5555500000000 },
  { "rcp.approx.ftz.f64", 1, MINUS | 12345, 0, INF64 | MINUS },
  { "rcp.approx.ftz.f64", 1, 0x7fe0000000000001, 0, 0 },
  { "rcp.approx.ftz.f64", 1, NAN64, 0, 0x7fffffff00000000 },
  { "rsqrt.approx.ftz.f64", 1, 0x4010000000000000, 0, 0x3fe0000000000000 },
  { "rsqrt.approx.ftz.f64", 1, MINUS | 1, 0, INF64 | MINUS },
  { "abs.f64", 1, MINUS, 0, 0 },
  { "neg.f64", 1, 0, 0, MINUS },
  { "copysign.f64", 2, MINUS, ONE64, ONE64 | MINUS },
  { "copysign.f64", 2, 0, NAN64 | 3, (NAN64 | 3) & ~MINUS },
  { "min.f64", 2, 0, MINUS, MINUS },
  { "max.f64", 2, MINUS, 0, 0 },
  { "max.f64", 2, INF64 | 1, ONE64, ONE64 },
  { "min.f64", 2, ONE64, INF64 | 1, ONE64 },
  { "min.f64", 2, NAN64 | 1, NAN64 | 2, NAN64 | 2 },
  /* .sat, .ftz and signed zeros of f32. */
  { "add.sat.f32", 2, 0x80000000, 0x80000000, 0 },
  { "add.sat.f32", 2, 0x7fc00000, 0, 0 },
  { "add.f32", 2, 0x3f800000, 0xbf800000, 0 },
  { "add.rm.f32", 2, 0x3f800000, 0xbf800000, 0x80000000 },
  { "add.rm.f32", 2, 0, 0x80000000, 0x80000000 },
  { "add.rm.f32", 2, 0, 0, 0 },
  { "add.rz.f32", 2, 0x7f7fffff, 0x7f7fffff, 0x7f7fffff },
  { "add.rp.f32", 2, 0xff7fffff, 0xff7fffff, 0xff7fffff },
  { "add.ftz.f32", 2, 0x807fffff, 0x80000000, 0x80000000 },
  { "mul.rz.ftz.f32", 2, 0x80800000, 0x3f000000, 0x80000000 },
  { "sub.f32", 2, 0xffc00001, 0, F32_NAN },
  { "abs.f32", 1, 0x80000001, 0, 1 },
  { "abs.ftz.f32", 1, 0x80000001, 0, 0 },
  { "abs.f32", 1, 0xffc00000, 0, F32_NAN },
  { "neg.f32", 1, 0, 0, 0x80000000 },
  { "neg.ftz.f32", 1, 1, 0, 0x80000000 },
  { "neg.f32", 1, 0x7f800001, 0, F32_NAN },
  { "copysign.f32", 2, 0x80000000, 0x7fc00001, 0xffc00001 },
  /* Minimum and maximum. */
  { "min.f32", 2, 0, 0x80000000, 0x80000000 },
  { "min.f32", 2, 0x80000000, 0, 0x80000000 },
  { "max.f32", 2, 0x80000000, 0, 0 },
  { "max.f32", 2, 0, 0x80000000, 0 },
  { "min.f32", 2, 0x7fc00000, 0x3f800000, 0x3f800000 },
  { "max.f32", 2, 0x3f800000, 0xffc00000, 0x3f800000 },
  { "max.f32", 2, 0xffc00000, 0xffc00001, F32_NAN },
  { "min.NaN.f32", 2, 0x7f800001, 0x3f800000, F32_NAN },
  { "max.NaN.f32", 2, 0x3f800000, 0xffc00000, F32_NAN },
  { "min.ftz.f32", 2, 1, 2, 0 },
  { "min.f32", 2, 2, 1, 1 },
  { "min.f32", 2, 0x80000001, 0x80000002, 0x80000002 },
  { "min.xorsign.abs.f32", 2, 0xbf800000, 0x40000000, 0xbf800000 },
  { "max.xorsign.abs.f32", 2, 0xbf800000, 0xc0000000, 0x40000000 },
  { "max.xorsign.abs.f32", 2, 0xffc00000, 0xc0000000, 0x40000000 },
  { "max.NaN.xorsign.abs.f32", 2, 0xffc00000, 0x40000000, F32_NAN },
  { "min.ftz.NaN.xorsign.abs.f32", 2, 0x80000001, 0x40000000, 0x80000000 },
  /* The tables of the approximations. */
  { "div.approx.f32", 2, 0x3f800000, 0x7f000000, 0 },
  { "div.approx.f32", 2, 0xbf800000, 0x7f7fffff, 0x80000000 },
  { "div.approx.f32", 2, 0x7f800000, 0x7f000000, F32_NAN },
  { "div.approx.f32", 2, 0x40c00000, 0x40400000, 0x40000000 },
  { "div.approx.f32", 2, 0, 0, F32_NAN },
  { "div.approx.ftz.f32", 2, 0x3f800000, 0x80000001, 0xff800000 },
  { "div.full.f32", 2, 0x7f000000, 0x7f000000, 0x3f800000 },
  { "div.full.f32", 2, 0x00000002, 0x00000001, 0x40000000 },
  { "div.full.ftz.f32", 2, 0x3f800000, 0x00000001, 0x7f800000 },
  { "rcp.approx.f32", 1, 0xff800000, 0, 0x80000000 },
  { "rcp.approx.f32", 1, 0x80000000, 0, 0xff800000 },
  { "rcp.approx.f32", 1, 0x7f000000, 0, 0x00400000 },
  { "rcp.approx.ftz.f32", 1, 0x7f000000, 0, 0 },
  { "rcp.approx.ftz.f32", 1, 0x80000001, 0, 0xff800000 },
  { "rcp.approx.f32", 1, 0x7f800001, 0, F32_NAN },
  { "sqrt.approx.f32", 1, 0x80000000, 0, 0x80000000 },
  { "sqrt.approx.f32", 1, 0xff800000, 0, F32_NAN },
  { "sqrt.approx.f32", 1, 0x7f800000, 0, 0x7f800000 },
  { "sqrt.approx.ftz.f32", 1, 0x80000001, 0, 0x80000000 },
  { "sqrt.approx.f32", 1, 0x80000001, 0, F32_NAN },
  { "rsqrt.approx.f32", 1, 0x80000000, 0, 0xff800000 },
  { "rsqrt.approx.f32", 1, 0x7f800000, 0, 0 },
  { "rsqrt.approx.f32", 1, 0xbf800000, 0, F32_NAN },
  { "rsqrt.approx.ftz.f32", 1, 0x00000001, 0, 0x7f800000 },
  { "sin.approx.f32", 1, 0x80000000, 0, 0x80000000 },
  { "sin.approx.f32", 1, 0x7f800000, 0, F32_NAN },
  { "sin.approx.ftz.f32", 1, 0x80000001, 0, 0x80000000 },
  { "cos.approx.f32", 1, 0, 0, 0x3f800000 },
  { "cos.approx.f32", 1, 0xff800000, 0, F32_NAN },
  { "cos.approx.ftz.f32", 1, 0x80000001, 0, 0x3f800000 },
  { "ex2.approx.f32", 1, 0xff800000, 0, 0 },
  { "ex2.approx.f32", 1, 0x7f800000, 0, 0x7f800000 },
  { "ex2.approx.f32", 1, 0xc3150000, 0, 1 },
  { "ex2.approx.ftz.f32", 1, 0xc3150000, 0, 0 },
  { "ex2.approx.f32", 1, 0x43000000, 0, 0x7f800000 },
  { "ex2.approx.ftz.f32", 1, 0x80000001, 0, 0x3f800000 },
  { "lg2.approx.f32", 1, 0x80000000, 0, 0xff800000 },
  { "lg2.approx.f32", 1, 0xbf800000, 0, F32_NAN },
  { "lg2.approx.f32", 1, 0x00000001, 0, 0xc3150000 },
  { "lg2.approx.ftz.f32", 1, 0x80000001, 0, 0xff800000 },
  { "lg2.approx.f32", 1, 0x7f800000, 0, 0x7f800000 },
  { "tanh.approx.f32", 1, 0xff800000, 0, 0xbf800000 },
  { "tanh.approx.f32", 1, 0x80000000, 0, 0x80000000 },
  { "tanh.approx.f32", 1, 0xffffffff, 0, F32_NAN },
};

static void
test_edges (void)
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint i = 0; i < G_N_ELEMENTS (edges); i++)
      {
        g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
        uint8_t width = g_str_has_suffix (edges[i].mnemonic, "64") ? 8 : 4;
        const CuredPtxOperand x[] = { R (0, width), R (1, width), R (2, width) };
        const uint64_t sources[] = { edges[i].a, edges[i].b };
        uint64_t result = 0;

        g_assert_cmpstr (exec_bench_set (bench, edges[i].mnemonic, edges[i].n_sources + 1, x), ==,
                         NULL);
        for (guint l = 0; l < CURED_WARP_LANES; l++)
          for (guint k = 0; k < 2; k++)
            memcpy ((uint8_t *) exec_bench_lanes (bench, x[k + 1]) + l * width, &sources[k], width);
        /* The loop over all lanes and the one over some are compiled apart. */
        for (guint turn = 0; turn < 2; turn++)
          {
            exec_bench_run (bench, turn == 0 ? CURED_ALL_LANES : 1u << 9);
            memcpy (&result, (uint8_t *) exec_bench_lanes (bench, x[0]) + 9 * width, width);
            if (result != edges[i].expected)
              g_error ("%s of %" G_GINT64_MODIFIER "x, %" G_GINT64_MODIFIER "x: %" G_GINT64_MODIFIER
                       "x, not %" G_GINT64_MODIFIER "x",
                       edges[i].mnemonic, edges[i].a, edges[i].b, result, edges[i].expected);
          }
      }
}

/* ---- Approximations ---- */

static const struct
{
  const char *mnemonic;
  long double (*function) (long double x);
  float low;
  float high;
  double relative; /* error that is allowed, of the result */
  double absolute;
} approximations[] = {
  { "ex2.approx.f32", exp2l, -148, 127, 0x1.00001p-24, 0x1.00001p-150 },
  { "ex2.approx.ftz.f32", exp2l, -126, 127, 0x1.00001p-24, 0 },
  { "lg2.approx.f32", log2l, 0x1p-149f, FLT_MAX, 0x1.00001p-24, 0 },
  { "tanh.approx.f32", tanhl, -10, 10, 0x1.00001p-24, 0 },
  { "rcp.approx.f32", NULL, 0x1p-126f, FLT_MAX, 0x1.00001p-24, 0x1p-149 },
  { "sqrt.approx.f32", sqrtl, 0, FLT_MAX, 0x1.00001p-24, 0 },
  /* The argument in turns is cut off: one part in 2 to the power 23. */
  { "sin.approx.f32", sinl, -3.1f, 3.1f, 0, 0x1p-21 },
  { "cos.approx.f32", cosl, -3.1f, 3.1f, 0, 0x1p-21 },
};

static void
test_approximations (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (approximations); i++)
    for (guint turn = 0; turn < 100; turn++)
      {
        float results[2][CURED_WARP_LANES];
        float sources[CURED_WARP_LANES];

        for (guint l = 0; l < CURED_WARP_LANES; l++)
          sources[l] =
              (float) g_test_rand_double_range (approximations[i].low, approximations[i].high);
        for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
          {
            g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);

            memcpy (exec_bench_lanes (bench, R (1, 4)), sources, sizeof sources);
            exec_bench_do (bench, CURED_ALL_LANES, approximations[i].mnemonic, R (0, 4), R (1, 4));
            memcpy (results[build], exec_bench_lanes (bench, R (0, 4)), sizeof results[build]);
          }
        g_assert_cmpmem (results[0], sizeof sources, results[1], sizeof sources);
        for (guint l = 0; l < CURED_WARP_LANES; l++)
          {
            long double x = sources[l];
            long double exact =
                approximations[i].function != NULL ? approximations[i].function (x) : 1 / x;
            long double allowed = fabsl (exact) * (long double) approximations[i].relative +
                                  (long double) approximations[i].absolute;

            if (fabsl ((long double) results[0][l] - exact) > allowed)
              g_error ("%s of %a: %a, not %La", approximations[i].mnemonic, sources[l],
                       results[0][l], exact);
          }
      }
}

/* Far away from 0 the hardware's sine is one of cut-off turns. */
static void
test_large_angles (void)
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_BASELINE);
  float *angle = exec_bench_lanes (bench, R (1, 4));
  const float *result = exec_bench_lanes (bench, R (0, 4));

  /* 1e8 is 15915493.667… turns; an f32 that is cut off has 15915493. */
  angle[3] = 1e8f;
  exec_bench_do (bench, 1u << 3, "sin.approx.f32", R (0, 4), R (1, 4));
  g_assert_cmpfloat (result[3], ==, 0);
  exec_bench_do (bench, 1u << 3, "cos.approx.f32", R (0, 4), R (1, 4));
  g_assert_cmpfloat (result[3], ==, 1);
}

/* ---- testp ---- */

static void
test_testp (void)
{
  static const struct
  {
    uint32_t f32;
    uint64_t f64;
    const char *is; /* letters of the modes that are true */
  } cases[] = {
    { 0, 0, "fnN" },
    { 0x80000000, MINUS, "fnN" },
    { 1, 1, "fns" },
    { 0x807fffff, UINT64_C (0x800fffffffffffff), "fns" },
    { 0x00800000, UINT64_C (0x0010000000000000), "fnN" },
    { 0xff7fffff, UINT64_C (0xffefffffffffffff), "fnN" },
    { 0x7f800000, INF64, "in" },
    { 0xff800000, INF64 | MINUS, "in" },
    { 0x7f800001, INF64 | 1, "a" },
    { 0xffffffff, UINT64_C (0xffffffffffffffff), "a" },
  };
  static const struct
  {
    char letter;
    const char *word;
  } modes[] = {
    { 'f', "finite" },     { 'i', "infinite" }, { 'n', "number" },
    { 'a', "notanumber" }, { 'N', "normal" },   { 's', "subnormal" },
  };

  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
      for (guint type = 0; type < 2; type++)
        {
          g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
          g_autofree char *mnemonic =
              g_strdup_printf ("testp.%s.%s", modes[m].word, type ? "f64" : "f32");
          CuredPtxOperand source = R (1, type ? 8 : 4);
          uint32_t *predicate = exec_bench_lanes (bench, PREDICATE (0));

          for (guint l = 0; l < G_N_ELEMENTS (cases); l++)
            if (type)
              ((uint64_t *) exec_bench_lanes (bench, source))[l] = cases[l].f64;
            else
              ((uint32_t *) exec_bench_lanes (bench, source))[l] = cases[l].f32;
          *predicate = 0xaaaa5555;
          exec_bench_do (bench, (1u << G_N_ELEMENTS (cases)) - 1, mnemonic, PREDICATE (0), source);
          for (guint l = 0; l < G_N_ELEMENTS (cases); l++)
            g_assert_cmpuint (*predicate >> l & 1, ==,
                              strchr (cases[l].is, modes[m].letter) != NULL);
          /* Lanes that do not run keep theirs. */
          g_assert_cmphex (*predicate >> G_N_ELEMENTS (cases), ==,
                           0xaaaa5555 >> G_N_ELEMENTS (cases));
        }
}

/* ---- What does not exist ---- */

static void
test_refused (void)
{
  static const char *const mnemonics[] = {
    "add.ftz.f64",
    "add.sat.f64",
    "mul.rni.f32",
    "add.rna.f32",
    "add.satfinite.f32",
    "add.f32.f16",
    "fma.f32",
    "fma.sat.f64",
    "mad.f32",
    "mad.f64",
    "div.f32",
    "div.f64",
    "div.approx.f64",
    "div.full.f64",
    "div.approx.rn.f32",
    "rcp.f32",
    "rcp.f64",
    "rcp.approx.f64",
    "rcp.full.f32",
    "rcp.rn.ftz.f64",
    "sqrt.f32",
    "sqrt.approx.f64",
    "sqrt.approx.rn.f32",
    "rsqrt.f32",
    "rsqrt.full.f32",
    "sin.f32",
    "cos.full.f32",
    "ex2.f32",
    "lg2.f32",
    "tanh.f32",
    "abs.ftz.f64",
    "neg.ftz.f64",
    "min.ftz.f64",
    "max.NaN.f64",
    "min.xorsign.f32",
    "min.abs.f32",
    "min.xorsign.abs.f64",
    "testp.f32",
    "testp.up.f64",
    "copysign.f32.f32",
  };

  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint i = 0; i < G_N_ELEMENTS (mnemonics); i++)
      {
        g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);

        if (exec_bench_set (bench, mnemonics[i], 0, NULL) == NULL)
          g_error ("%s is not refused", mnemonics[i]);
      }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/ptx-exec-float/arithmetic/f32", test_arithmetic_f32);
#ifdef __SIZEOF_FLOAT128__
  g_test_add_func ("/ptx-exec-float/arithmetic/f64", test_arithmetic_f64);
#endif
  g_test_add_func ("/ptx-exec-float/edges", test_edges);
  g_test_add_func ("/ptx-exec-float/approximations", test_approximations);
  g_test_add_func ("/ptx-exec-float/large-angles", test_large_angles);
  g_test_add_func ("/ptx-exec-float/testp", test_testp);
  g_test_add_func ("/ptx-exec-float/refused", test_refused);
  return g_test_run ();
}
