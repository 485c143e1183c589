/* SPDX-License-Identifier: MIT
 * A third by multiplication, as the averaging kernels take it: the same bits as a division, for
 * every float that is not tiny. */
#include <glib.h>
#include <math.h>

#include "ptx/exec/cured-half-private.h"
#include "test.h"

/* What kernels/average/shared.cu and the steps after it have. */
#define HIGH 0x1.555554p-2F
#define LOW  0x1.555556p-26F

/* The least number from which on all are right. */
#define LEAST 0x1p-122F

static float
third (float x)
{
  /* The product is rounded before it is added: the one operation that a compiler may fuse is the
   * fused one already. */
  volatile float product = x * LOW;

  return fmaf (x, HIGH, product);
}

/* Of all numbers in the range, and now and then of their negatives. */
static guint
count_wrong (guint32 begin, guint32 end)
{
  guint n = 0;

  for (guint32 bits = begin; bits < end; bits++)
    {
      float x = cured_f32_of_bits (bits);

      n += cured_bits_of_f32 (third (x)) != cured_bits_of_f32 (x / 3);
      if (bits % 1021 == 0)
        n += cured_bits_of_f32 (third (-x)) != cured_bits_of_f32 (-x / 3);
    }
  return n;
}

/* Every mantissa, at the least exponent and in the middle: all other exponents are these with
 * another power of two, which rounds nothing. With -m slow, all of them. */
static void
test_mantissas (gconstpointer data)
{
  guint32 exponent = GPOINTER_TO_UINT (data);

  g_assert_cmpuint (count_wrong (exponent << 23, (exponent + 1) << 23), ==, 0);
}

/* The bound in the kernels' comment is where the first wrong ones are. */
TEST ("/thirds/least")
{
  g_assert_cmphex (cured_bits_of_f32 (LEAST), ==, 5u << 23);
  g_assert_cmpuint (count_wrong (4u << 23, 5u << 23), >, 0);
}

TEST ("/thirds/special")
{
  g_assert_cmphex (cured_bits_of_f32 (third (0.0F)), ==, cured_bits_of_f32 (0.0F));
  g_assert_cmphex (cured_bits_of_f32 (third (-0.0F)), ==, cured_bits_of_f32 (-0.0F));
  g_assert_cmphex (cured_bits_of_f32 (third (INFINITY)), ==, cured_bits_of_f32 (INFINITY));
  g_assert_cmphex (cured_bits_of_f32 (third (-INFINITY)), ==, cured_bits_of_f32 (-INFINITY));
  g_assert_true (isnan (third (NAN)));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint exponent = 5; exponent < 255; exponent++)
    if (g_test_slow () || exponent == 5 || exponent == 127)
      {
        g_autofree char *path = g_strdup_printf ("/thirds/mantissas/2^%d", (int) exponent - 127);

        g_test_add_data_func (path, GUINT_TO_POINTER (exponent), test_mantissas);
      }
  return run_tests ();
}
