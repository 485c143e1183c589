/* SPDX-License-Identifier: MIT
 * Floats of 6 and 4 bits, pairs of floats, minima of three and reductions of floats, which no GPU has
 * recorded: against what the ISA says, worked out another way. */
#include <math.h>

#include "exec-bench.h"
#include "ptx/exec/cured-half-private.h"
#include "test.h"

static const float odd[] = {
  0.0F,       -0.0F,      1.0F,       -1.0F,     448.0F,  464.0F,  465.0F,   57344.0F,
  61440.0F,   1e30F,      INFINITY,   -INFINITY, NAN,     0x1p-9F, 0x1p-10F, 0x1.8p-10F,
  0x1p-16F,   0x1p-17F,   0x1.8p-17F, 0x1p-140F, 1.0625F, 1.1875F, 1.125F,   1.375F,
  -0x1.fp-7F, 0x1.fp-15F, 17.0F,      240.0F,    255.9F,  3.3F,    -77.7F,   0x1.ffp-7F,
};

/* ---- Floats of 6 and 4 bits, and powers of two ---- */

static const struct
{
  const char *type;
  int fraction_bits, bias;
  guint n_codes; /* without a sign */
  guint apart;
} smalls[] = {
  { "e2m1x2", 1, 1, 8, 4 },
  { "e2m3x2", 3, 1, 32, 8 },
  { "e3m2x2", 2, 3, 32, 8 },
};

static double
small_value (guint small, guint code)
{
  int m = smalls[small].fraction_bits;
  int exponent = (int) code >> m;
  int fraction = (int) code & ((1 << m) - 1);

  return exponent == 0 ? ldexp (fraction, 1 - smalls[small].bias - m)
                       : ldexp ((1 << m) + fraction, exponent - smalls[small].bias - m);
}

/* The code that is nearest, of two the even one; all are numbers. */
static guint
nearest_small (guint small, float x)
{
  guint n = smalls[small].n_codes;
  guint best = 0;

  if (x != x)
    return n - 1;
  for (guint code = 1; code < n; code++)
    {
      double size = MIN (fabs ((double) x), small_value (small, n - 1));
      double distance = fabs (small_value (small, code) - size);
      double least = fabs (small_value (small, best) - size);

      if (distance < least || (distance == least && code % 2 == 0))
        best = code;
    }
  return (signbit (x) ? n : 0) | best;
}

TEST ("/narrow/small")
{
  for (guint small = 0; small < G_N_ELEMENTS (smalls); small++)
    {
      g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_V3);
      g_autofree char *narrow = g_strdup_printf ("cvt.rn.satfinite.%s.f32", smalls[small].type);
      g_autofree char *relu = g_strdup_printf ("cvt.rn.satfinite.relu.%s.f32", smalls[small].type);
      g_autofree char *wide = g_strdup_printf ("cvt.rn.f16x2.%s", smalls[small].type);
      float *a = exec_bench_lanes (bench, R (1, 4));
      float *b = exec_bench_lanes (bench, R (2, 4));
      const guint16 *d = exec_bench_lanes (bench, R (0, 2));
      const guint32 *back = exec_bench_lanes (bench, R (3, 4));
      guint apart = smalls[small].apart;
      guint ones = (1u << apart) - 1;

      for (int turn = 0; turn < 60; turn++)
        {
          for (int l = 0; l < 32; l++)
            {
              a[l] = turn == 0 ? odd[l] : (float) g_test_rand_int_range (-1000, 1000) / 32;
              b[l] = turn == 0 ? odd[31 - l] : a[l] / 7;
            }
          exec_bench_do (bench, UINT32_MAX, narrow, R (0, 2), R (1, 4), R (2, 4));
          exec_bench_do (bench, UINT32_MAX, wide, R (3, 4), R (0, 2));
          for (int l = 0; l < 32; l++)
            {
              guint upper = nearest_small (small, a[l]);
              guint lower = nearest_small (small, b[l]);
              guint code = lower & (smalls[small].n_codes - 1);

              g_assert_cmphex (d[l] >> apart & ones, ==, upper);
              g_assert_cmphex (d[l] & ones, ==, lower);
              g_assert_cmphex (back[l] >> 15 & 1, ==, lower / smalls[small].n_codes);
              g_assert_cmpfloat (
                  (back[l] >> 10 & 31) == 0
                      ? ldexp (back[l] & 0x3ff, -24)
                      : ldexp ((back[l] & 0x3ff) + 1024, (int) (back[l] >> 10 & 31) - 25),
                  ==, small_value (small, code));
            }
          exec_bench_do (bench, UINT32_MAX, relu, R (0, 2), R (1, 4), R (2, 4));
          for (int l = 0; l < 32; l++)
            g_assert_cmphex (d[l] & ones, ==,
                             b[l] == b[l] && signbit (b[l]) ? 0 : nearest_small (small, b[l]));
        }
    }
}

static void
do_power (const char *mnemonic, float x, guint expected)
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_V3);
  float *a = exec_bench_lanes (bench, R (1, 4));
  float *b = exec_bench_lanes (bench, R (2, 4));
  const guint16 *d = exec_bench_lanes (bench, R (0, 2));

  a[0] = 1;
  b[0] = x;
  exec_bench_do (bench, 1, mnemonic, R (0, 2), R (1, 4), R (2, 4));
  g_assert_cmphex (d[0], ==, 127 << 8 | expected);
}

TEST ("/narrow/powers")
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_V3);
  guint16 *a = exec_bench_lanes (bench, R (1, 2));
  const guint32 *d = exec_bench_lanes (bench, R (0, 4));

  do_power ("cvt.rz.ue8m0x2.f32", 3, 128);
  do_power ("cvt.rp.ue8m0x2.f32", 3, 129);
  do_power ("cvt.rp.ue8m0x2.f32", -4, 129);
  do_power ("cvt.rp.ue8m0x2.f32", 0, 0);
  do_power ("cvt.rp.ue8m0x2.f32", 0x1p-127F, 0);
  do_power ("cvt.rp.ue8m0x2.f32", 0x1.8p-127F, 1);
  do_power ("cvt.rz.ue8m0x2.f32", 0x1.8p-127F, 0);
  do_power ("cvt.rp.ue8m0x2.f32", 0x1.8p127F, 255);
  do_power ("cvt.rp.satfinite.ue8m0x2.f32", 0x1.8p127F, 254);
  do_power ("cvt.rz.ue8m0x2.f32", INFINITY, 255);
  do_power ("cvt.rz.satfinite.ue8m0x2.f32", INFINITY, 254);
  do_power ("cvt.rz.satfinite.ue8m0x2.f32", NAN, 255);
  a[0] = 130 << 8 | 0;
  a[1] = 255 << 8 | 1;
  exec_bench_do (bench, 3, "cvt.rn.bf16x2.ue8m0x2", R (0, 4), R (1, 2));
  g_assert_cmphex (d[0], ==, 0x41000040);
  g_assert_cmphex (d[1], ==, 0x7fff0080);
  exec_bench_assert_refused (bench, "cvt.rn.ue8m0x2.f32", R (0, 2), R (1, 4), R (2, 4));
  exec_bench_assert_refused (bench, "cvt.rn.satfinite.e2m3x2.f16x2", R (0, 2), R (1, 4), NONE);
}

/* ---- Pairs ---- */

TEST ("/narrow/pairs")
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_BASELINE);
  float *a = exec_bench_lanes (bench, R (1, 8));
  float *b = exec_bench_lanes (bench, R (2, 8));
  float *c = exec_bench_lanes (bench, R (3, 8));
  const float *d = exec_bench_lanes (bench, R (0, 8));

  for (int i = 0; i < 64; i++)
    {
      a[i] = odd[i % 32];
      b[i] = odd[(i * 7 + 3) % 32];
      c[i] = odd[(i * 5 + 1) % 32];
    }
#define CHECK(expression)                                                                          \
  for (int i = 0; i < 64; i++)                                                                     \
    {                                                                                              \
      float expected = expression;                                                                 \
                                                                                                   \
      g_assert_cmphex (cured_bits_of_f32 (d[i]), ==,                                               \
                       expected != expected ? 0x7fffffff : cured_bits_of_f32 (expected));          \
    }
  exec_bench_do (bench, UINT32_MAX, "add.rn.f32x2", R (0, 8), R (1, 8), R (2, 8));
  CHECK (a[i] + b[i]);
  exec_bench_do (bench, UINT32_MAX, "mul.f32x2", R (0, 8), R (1, 8), R (2, 8));
  CHECK (a[i] * b[i]);
  exec_bench_do (bench, UINT32_MAX, "fma.rn.f32x2", R (0, 8), R (1, 8), R (2, 8), R (3, 8));
  CHECK (fmaf (a[i], b[i], c[i]));
  a[0] = 0x1p-140F;
  b[0] = -0.0F;
  exec_bench_do (bench, 1, "add.ftz.f32x2", R (0, 8), R (1, 8), R (2, 8));
  g_assert_cmphex (cured_bits_of_f32 (d[0]), ==, 0);
  exec_bench_assert_refused (bench, "add.rz.f32x2", R (0, 8), R (1, 8), R (2, 8));
}

/* ---- Minima of three, and of a warp ---- */

static void
do_three (const char *mnemonic, float a, float b, float c, guint32 expected)
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_BASELINE);
  const guint32 *d = exec_bench_lanes (bench, R (0, 4));

  ((float *) exec_bench_lanes (bench, R (1, 4)))[0] = a;
  ((float *) exec_bench_lanes (bench, R (2, 4)))[0] = b;
  ((float *) exec_bench_lanes (bench, R (3, 4)))[0] = c;
  exec_bench_do (bench, 1, mnemonic, R (0, 4), R (1, 4), R (2, 4), R (3, 4));
  g_assert_cmphex (d[0], ==, expected);
}

TEST ("/narrow/three")
{
  do_three ("min.f32", 3, -2, 5, cured_bits_of_f32 (-2));
  do_three ("max.f32", 3, -2, 5, cured_bits_of_f32 (5));
  do_three ("max.abs.f32", 3, -7, 5, cured_bits_of_f32 (7));
  do_three ("min.f32", NAN, 2, NAN, cured_bits_of_f32 (2));
  do_three ("min.NaN.f32", 1, 2, NAN, 0x7fffffff);
  do_three ("max.f32", NAN, NAN, NAN, 0x7fffffff);
  do_three ("min.f32", 0.0F, -0.0F, 0.0F, 0x80000000);
  do_three ("max.f32", -0.0F, 0.0F, -0.0F, 0);
  do_three ("max.ftz.f32", 0x1p-140F, 0.0F, -1, 0);
}

static void
do_redux (const char *mnemonic, guint32 expected)
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_BASELINE);
  float *a = exec_bench_lanes (bench, R (1, 4));
  guint32 *members = exec_bench_lanes (bench, R (2, 4));
  const guint32 *d = exec_bench_lanes (bench, R (0, 4));

  for (int l = 0; l < 32; l++)
    {
      a[l] = l == 7 ? NAN : (float) (l - 20);
      members[l] = UINT32_MAX;
    }
  exec_bench_do (bench, UINT32_MAX, mnemonic, R (0, 4), R (1, 4), R (2, 4));
  for (int l = 0; l < 32; l++)
    g_assert_cmphex (d[l], ==, expected);
}

TEST ("/narrow/redux")
{
  do_redux ("redux.sync.max.f32", cured_bits_of_f32 (11));
  do_redux ("redux.sync.min.f32", cured_bits_of_f32 (-20));
  do_redux ("redux.sync.max.abs.f32", cured_bits_of_f32 (20));
  do_redux ("redux.sync.min.abs.f32", 0);
  do_redux ("redux.sync.min.NaN.f32", 0x7fffffff);
}
