/* SPDX-License-Identifier: MIT
 * Fuzz target: any text is a layout whose addresses, print and costs hold together, or is refused
 * with a reason. Its first byte chooses the element and whether a shape is given beside it. */

#include "cured.h"
#include "fuzz.h"

/* Larger tiles take too long for a target. */
#define MOST_ELEMENTS 4096

static void
check_layout (CuredBankLayout *layout, guint element_bits)
{
  static const char *const names[] = { "ldmatrix", "st.column.b32", "ld.fragment.b64",
                                       "cp.async.16" };
  guint n_rows = cured_bank_layout_get_n_rows (layout);
  guint n_columns = cured_bank_layout_get_n_columns (layout);
  g_autofree char *text = cured_bank_layout_format (layout);
  g_autoptr (CuredBankLayout) again =
      cured_bank_layout_parse (text, n_rows, n_columns, element_bits, NULL);

  g_assert_nonnull (again);
  g_autofree char *again_text = cured_bank_layout_format (again);
  g_assert_cmpstr (again_text, ==, text);
  if (n_rows * n_columns > MOST_ELEMENTS)
    return;
  for (guint i = 0; i < n_rows * n_columns; i++)
    g_assert_cmpuint (cured_bank_layout_get_address (layout, i / n_columns, i % n_columns), ==,
                      cured_bank_layout_get_address (again, i / n_columns, i % n_columns));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const CuredBankTileAccess *access = cured_bank_tile_access_find (names[i], NULL);
      g_autoptr (CuredBankLayout) nearest = cured_bank_layout_find_nearest (layout, &access, 1);
      g_autoptr (GError) error = NULL;
      CuredBankTileCount count;

      if (cured_bank_tile_access_count (access, layout, &count, &error))
        g_assert_cmpuint (count.wavefronts, ==, count.least + count.conflicts);
      else
        g_assert_nonnull (error);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint choice = size > 0 ? data[0] : 0;
  guint element_bits = 8u << choice % 5;
  g_autofree char *text = size > 0 ? g_strndup ((const char *) data + 1, size - 1) : g_strdup ("");
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredBankLayout) layout = cured_bank_layout_parse (
      text, choice / 5 % 2 * 32, choice / 5 % 2 * 64, element_bits, &error);

  g_assert_true ((layout == NULL) == (error != NULL));
  if (layout != NULL)
    check_layout (layout, element_bits);
  return 0;
}
