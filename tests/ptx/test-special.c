/* SPDX-License-Identifier: MIT
 * The special-function unit against sums over a chip's outputs: each 1021st input of each form.
 * With -m slow, all 2^32 of them, which takes minutes. */
#include <glib.h>
#include <string.h>

#include "ptx/exec/cured-special-private.h"
#include "test.h"

#define STEP 1021

typedef uint32_t (*Form) (uint32_t x, uint32_t y);

#define PLAIN(name)                                                                                \
  static uint32_t run_##name (uint32_t x, uint32_t y) { return _cured_approx_##name (x); }
#define FLUSHING(name)                                                                             \
  static uint32_t run_##name (uint32_t x, uint32_t y) { return _cured_approx_##name (x, false); }  \
  static uint32_t run_##name##_ftz (uint32_t x, uint32_t y)                                        \
  {                                                                                                \
    return _cured_approx_##name (x, true);                                                         \
  }
#define PAIR(name)                                                                                 \
  static uint32_t run_##name (uint32_t x, uint32_t y)                                              \
  {                                                                                                \
    return _cured_approx_##name (x, y, false);                                                     \
  }                                                                                                \
  static uint32_t run_##name##_ftz (uint32_t x, uint32_t y)                                        \
  {                                                                                                \
    return _cured_approx_##name (x, y, true);                                                      \
  }

FLUSHING (rcp)
FLUSHING (sqrt)
FLUSHING (rsqrt)
FLUSHING (ex2)
FLUSHING (lg2)
PLAIN (sin)
PLAIN (cos)
PLAIN (tanh)
PLAIN (ex2_f16)
PLAIN (ex2_bf16)
PLAIN (tanh_f16)
PLAIN (tanh_bf16)
PLAIN (rcp_f64)
PLAIN (rsqrt_f64)
PAIR (div)
PAIR (div_full)

typedef struct
{
  const char *name;
  Form run;
} Row;

static const Row forms[] = {
  { "rcp", run_rcp },
  { "rcp_ftz", run_rcp_ftz },
  { "sqrt", run_sqrt },
  { "sqrt_ftz", run_sqrt_ftz },
  { "rsqrt", run_rsqrt },
  { "rsqrt_ftz", run_rsqrt_ftz },
  { "sin", run_sin },
  { "cos", run_cos },
  { "ex2", run_ex2 },
  { "ex2_ftz", run_ex2_ftz },
  { "lg2", run_lg2 },
  { "lg2_ftz", run_lg2_ftz },
  { "tanh", run_tanh },
  { "ex2_f16", run_ex2_f16 },
  { "ex2_bf16", run_ex2_bf16 },
  { "tanh_f16", run_tanh_f16 },
  { "tanh_bf16", run_tanh_bf16 },
  { "rcp_f64", run_rcp_f64 },
  { "rsqrt_f64", run_rsqrt_f64 },
};

/* The line of @name: inputs, the sum over all outputs, the sum over some. */
static void
read_sums (const char *name, guint64 sums[3])
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_GOLDEN"), "special.tsv", NULL);
  g_autofree char *text = NULL;
  g_autofree char *start = g_strconcat ("\n", name, "\t", NULL);
  char *end;

  MUST (g_file_get_contents (path, &text, NULL, &fail));
  const char *line = strstr (text, start);
  g_assert_nonnull (line);
  sums[0] = g_ascii_strtoull (line + strlen (start), &end, 10);
  sums[1] = g_ascii_strtoull (end, &end, 16);
  sums[2] = g_ascii_strtoull (end, &end, 16);
}

static guint64
add (Form run, guint64 n, guint64 step)
{
  guint64 sum = 0;

  for (guint64 x = 0; x < n; x += step)
    sum += (guint64) run ((uint32_t) x, 0) * (2 * x + 1);
  return sum;
}

TEST_ROWS ("/special/%s", forms)
{
  const Row *form = data;
  guint64 sums[3];

  read_sums (form->name, sums);
  g_assert_cmphex (add (form->run, sums[0], STEP), ==, sums[2]);
  if (g_test_slow ())
    g_assert_cmphex (add (form->run, sums[0], 1), ==, sums[1]);
}

/* As lab/compare-special.cu draws its pairs. */
static uint32_t
mix (guint64 x)
{
  x = (x ^ x >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C (0x94d049bb133111eb);
  return (uint32_t) (x ^ x >> 31);
}

/* Where nothing is scaled or flushed, each form is the product with the reciprocal. All of 2^34 pairs
 * were compared on a chip; their sums take too long here. */
TEST ("/special/div")
{
  for (guint i = 0; i < 1000000; i++)
    {
      uint32_t x = mix (2 * (guint64) i), y = mix (2 * (guint64) i + 1);
      union
      {
        uint32_t bits;
        float value;
      } a = { x }, r, expected;

      if ((y >> 23 & 255) < 100 || (y >> 23 & 255) > 150 || (x >> 23 & 255) < 100 ||
          (x >> 23 & 255) > 150)
        continue;
      r.bits = run_rcp_ftz (y, 0);
      expected.value = a.value * r.value;
      g_assert_cmphex (run_div (x, y), ==, expected.bits);
      g_assert_cmphex (run_div_ftz (x, y), ==, expected.bits);
      g_assert_cmphex (run_div_full (x, y), ==, expected.bits);
      g_assert_cmphex (run_div_full_ftz (x, y), ==, expected.bits);
    }
  /* A quotient that is the least normal number only once it is rounded is kept by .ftz (read off an
   * H200). A divisor beyond 2^126 has no reciprocal, which .full works around. */
  g_assert_cmphex (run_div_ftz (UINT32_C (0x15ec91e5), UINT32_C (0xd4ec91e5)), ==, 0x80800000);
  g_assert_cmphex (run_div (UINT32_C (0x7e800001), UINT32_C (0x7e800001)), ==, 0);
  g_assert_cmphex (run_div_full (UINT32_C (0x7e800001), UINT32_C (0x7e800001)), ==, 0x3f800000);
}
