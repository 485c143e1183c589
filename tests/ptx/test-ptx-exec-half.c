/* SPDX-License-Identifier: MIT
 * f16 and bf16: conversions of every value against quadruple precision, rounded by looking for the
 * nearest number. */
#include <math.h>

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
