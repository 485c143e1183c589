/* SPDX-License-Identifier: MIT
 * Integers in the notation of expressions and axes. */
#pragma once

#include <glib.h>

/*
 * Reads decimal digits at *@cursor, which `_` or `'` may group (a group mark is between two
 * digits), and moves *@cursor past them. Returns FALSE where there is no digit, with *@cursor
 * unchanged. *@fits says whether the number fits in 64 bits with sign; *@value is G_MAXINT64 where
 * it does not. */
static inline gboolean
_cured_scan_digits (const char **cursor, gint64 *value, gboolean *fits)
{
  const char *at = *cursor;

  if (!g_ascii_isdigit (*at))
    return FALSE;

  *value = 0;
  *fits = TRUE;
  for (;;)
    {
      if (__builtin_mul_overflow (*value, (gint64) 10, value) ||
          __builtin_add_overflow (*value, (gint64) (*at - '0'), value))
        {
          *fits = FALSE;
          *value = 0;
        }
      at++;
      if ((*at == '_' || *at == '\'') && g_ascii_isdigit (at[1]))
        at++;
      if (!g_ascii_isdigit (*at))
        break;
    }
  if (!*fits)
    *value = G_MAXINT64;
  *cursor = at;
  return TRUE;
}

/* Computes @base to the power of @exponent, which is not negative. FALSE if the result does not
 * fit. By squaring, so that even a huge exponent of 1 or 0 is fast. */
static inline gboolean
_cured_integer_power (gint64 base, gint64 exponent, gint64 *result)
{
  gint64 power = 1;

  for (;;)
    {
      if ((exponent & 1) != 0 && __builtin_mul_overflow (power, base, &power))
        return FALSE;
      exponent >>= 1;
      if (exponent == 0)
        break;
      if (__builtin_mul_overflow (base, base, &base))
        return FALSE;
    }
  *result = power;
  return TRUE;
}
