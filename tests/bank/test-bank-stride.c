/* SPDX-License-Identifier: MIT
 * Lanes that are a stride apart, in rows that are padded. */
#include <cured.h>

#include "test.h"

static guint
count_wavefronts (const CuredBankStride *stride)
{
  CuredBankAccess access;
  CuredBankCounts counts;

  cured_bank_stride_get_access (stride, &access);
  g_assert_cmpuint (access.mask, ==, G_MAXUINT32);
  g_assert_true (cured_bank_model_count (&access, &counts));
  g_assert_cmpuint (counts.misaligned, ==, 0);
  return counts.wavefronts;
}

TEST ("/bank-stride/addresses")
{
  CuredBankStride stride;

  cured_bank_stride_init (&stride);
  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    g_assert_cmpuint (cured_bank_stride_get_address (&stride, lane), ==, 4 * lane);

  stride.width = 128;
  stride.base = 3;
  stride.stride = 5;
  g_assert_cmpuint (cured_bank_stride_get_address (&stride, 0), ==, 48);
  g_assert_cmpuint (cured_bank_stride_get_address (&stride, 2), ==, 208);

  /* Padding counts what is before the element, not the lanes. */
  stride.width = 32;
  stride.base = 7;
  stride.stride = 4;
  stride.padding = 2;
  stride.every = 8;
  g_assert_cmpuint (cured_bank_stride_get_address (&stride, 0), ==, 4 * 7);
  g_assert_cmpuint (cured_bank_stride_get_address (&stride, 1), ==, 4 * 13);
  g_assert_cmpuint (cured_bank_stride_get_address (&stride, 31), ==, 4 * (131 + 2 * 16));
}

TEST ("/bank-stride/wavefronts")
{
  CuredBankStride stride;

  cured_bank_stride_init (&stride);
  g_assert_cmpuint (count_wavefronts (&stride), ==, 1);
  stride.stride = 32;
  g_assert_cmpuint (count_wavefronts (&stride), ==, 32);
  stride.padding = 1;
  g_assert_cmpuint (count_wavefronts (&stride), ==, 1);
  stride.padding = 2;
  g_assert_cmpuint (count_wavefronts (&stride), ==, 2);
  stride.padding = 0;
  stride.stride = 1;
  stride.width = 128;
  g_assert_cmpuint (count_wavefronts (&stride), ==, 4);
  stride.width = 32;
  stride.stride = 2;
  g_assert_cmpuint (count_wavefronts (&stride), ==, 2);
  stride.arch = CURED_BANK_ARCH_3_WIDE;
  g_assert_cmpuint (count_wavefronts (&stride), ==, 1);
}

static void
assert_formula (const CuredBankStride *stride, const char *expected)
{
  g_autofree char *text = cured_bank_stride_format (stride);

  g_assert_cmpstr (text, ==, expected);
}

TEST ("/bank-stride/formula")
{
  CuredBankStride stride;

  cured_bank_stride_init (&stride);
  assert_formula (&stride, "address(l) = 4 · l");
  stride.stride = 3;
  assert_formula (&stride, "address(l) = 4 · 3·l");
  stride.base = 2;
  assert_formula (&stride, "address(l) = 4 · (2 + 3·l)");
  stride.padding = 1;
  assert_formula (&stride, "address(l) = 4 · (2 + 3·l + ⌊(2 + 3·l) ÷ 32⌋)");
  stride.base = 0;
  stride.padding = 4;
  stride.width = 8;
  assert_formula (&stride, "address(l) = 3·l + 4 · ⌊3·l ÷ 32⌋");
  stride.stride = 0;
  stride.padding = 0;
  assert_formula (&stride, "address(l) = 0");
}
