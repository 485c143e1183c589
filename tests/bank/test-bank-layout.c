/* SPDX-License-Identifier: MIT
 * Tiles in CuTe's and Triton's notation, and what accesses to them cost. */
#include <cured.h>

#include <string.h>

#include "test.h"

static CuredBankLayout *
parse (const char *text, guint n_rows, guint n_columns, guint bits)
{
  CuredBankLayout *layout = MUST (cured_bank_layout_parse (text, n_rows, n_columns, bits, &fail));

  g_assert_nonnull (layout);
  return layout;
}

static CuredBankTileCount
count (const CuredBankLayout *layout, const char *name)
{
  const CuredBankTileAccess *access = MUST (cured_bank_tile_access_find (name, &fail));
  CuredBankTileCount result;

  MUST (cured_bank_tile_access_count (access, layout, &result, &fail));
  return result;
}

/* The swizzle of 128 bytes, as NVIDIA's PTX manual draws it: in row r, piece p of 16 bytes is where
 * piece p xor (r mod 8) would be. Every notation of it. */
TEST ("/bank-layout/swizzle-128")
{
  static const struct
  {
    const char *text;
    gboolean has_shape;
  } layouts[] = {
    { "Swizzle<3,4,3> o smem_ptr[16b](unset) o (16,64):(64,1)", TRUE },
    { "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_2),(_64,_1)):((_64,_512),(_1,_0))", TRUE },
    { "Swizzle<3,3,3> o (16,64):(64,1)", TRUE },
    { "Swizzle<3,3,3> o 0 o (16,64):(64,1)", TRUE },
    { "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", FALSE },
    { "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CTAsPerCGA = [1, "
      "1], CTASplitNum = [1, 1]}>",
      FALSE },
    { "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
      FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autoptr (CuredBankLayout) layout = layouts[i].has_shape
                                               ? parse (layouts[i].text, 0, 0, 16)
                                               : parse (layouts[i].text, 16, 64, 16);

      g_assert_cmpuint (cured_bank_layout_get_n_rows (layout), ==, 16);
      g_assert_cmpuint (cured_bank_layout_get_n_columns (layout), ==, 64);
      for (guint row = 0; row < 16; row++)
        for (guint column = 0; column < 64; column++)
          g_assert_cmpuint (cured_bank_layout_get_address (layout, row, column), ==,
                            row * 128 + ((column / 8) ^ (row % 8)) * 16 + column % 8 * 2);
      g_assert_cmpuint (count (layout, "ldmatrix").conflicts, ==, 0);
    }
}

TEST ("/bank-layout/other-forms")
{
  g_autoptr (CuredBankLayout) narrow = parse (
      "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>", 8,
      64, 16);
  g_autoptr (CuredBankLayout) flipped = parse (
      "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>", 64,
      16, 16);
  g_autoptr (CuredBankLayout) padded =
      parse ("#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 64]}>", 0, 0, 16);
  g_autoptr (CuredBankLayout) back = parse ("Swizzle<2,0,-3> o (8,8):(8,1)", 0, 0, 32);

  /* Pieces of 64 bytes, one under the other; bits 7 and 8 change 4 and 5. */
  g_assert_cmpuint (cured_bank_layout_get_address (narrow, 3, 0), ==, 192 ^ 16);
  g_assert_cmpuint (cured_bank_layout_get_address (narrow, 0, 32), ==, 512);
  g_assert_cmpuint (cured_bank_layout_get_address (flipped, 8, 3), ==, 384 + (16 ^ 48));
  g_assert_cmpuint (cured_bank_layout_get_address (padded, 2, 5), ==, 298);
  /* A negative shift moves low bits up: 1 → 1 xor 8. */
  g_assert_cmpuint (cured_bank_layout_get_address (back, 0, 1), ==, 9 * 4);
}

/* A text that is printed is read as the same layout. */
TEST ("/bank-layout/format")
{
  static const char *const texts[] = {
    "Swizzle<3,4,3> o smem_ptr o (8,64):(64,1)",
    "Swizzle<2,3,3> o 64 o ((4,2),64):((64,256),1)",
    "(32,33):(33,1)",
    "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16}>",
    "#ttg.padded_shared<[64:+8, 512:+16] {order = [1, 0], shape = [32, 64]}>",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (CuredBankLayout) layout =
          strchr (texts[i], '#') == NULL || strstr (texts[i], "shape") != NULL
              ? parse (texts[i], 0, 0, 16)
              : parse (texts[i], 32, 64, 16);
      g_autofree char *text = cured_bank_layout_format (layout);

      g_assert_cmpstr (text, ==, texts[i]);
    }
}

TEST ("/bank-layout/counts")
{
  g_autoptr (CuredBankLayout) plain = parse ("(32,64):(64,1)", 0, 0, 16);
  g_autoptr (CuredBankLayout) square = parse ("(32,32):(32,1)", 0, 0, 32);
  g_autoptr (CuredBankLayout) flat = parse ("(64,16):(1,64)", 0, 0, 16);

  /* Eight rows of 128 bytes use the same four banks. */
  CuredBankTileCount result = count (plain, "ldmatrix.x4");
  g_assert_cmpuint (result.n_places, ==, 2 * 4);
  g_assert_cmpuint (result.wavefronts, ==, 8 * 32);
  g_assert_cmpuint (result.least, ==, 8 * 4);
  result = count (plain, "cp.async.16");
  g_assert_cmpuint (result.n_places, ==, 8);
  g_assert_cmpuint (result.conflicts, ==, 0);

  g_assert_cmpuint (count (square, "ld.column.b32").wavefronts, ==, 32 * 32);
  g_assert_cmpuint (count (square, "ld.row.b32").wavefronts, ==, 32);
  g_assert_cmpuint (count (square, "st.fragment.b64").n_places, ==, 4 * 4);

  /* Columns are contiguous: what ldmatrix reads is in a row along them. */
  result = count (flat, "ldmatrix.x2.trans");
  g_assert_cmpuint (result.n_places, ==, 8);
  g_assert_cmpuint (result.conflicts, ==, 8 * (16 - 2));
}

TEST ("/bank-layout/nearest")
{
  static const struct
  {
    const char *text, *accesses[2], *nearest;
  } cases[] = {
    { "Swizzle<3,4,3> o (8,64):(64,1)", { "ldmatrix.x4", NULL }, "Swizzle<3,3,3> o (8,64):(64,1)" },
    { "(32,64):(64,1)", { "ldmatrix.x4", "ld.row.b128" }, "(32,64):(72,1)" },
    { "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>",
      { "ldmatrix.x4", NULL },
      "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>" },
    { "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>",
      { "ld.row.b128", NULL },
      NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gboolean is_triton = cases[i].text[0] == '#';
      g_autoptr (CuredBankLayout) layout =
          parse (cases[i].text, is_triton ? 32 : 0, is_triton ? 64 : 0, 16);
      const CuredBankTileAccess *accesses[2];
      gsize n_accesses = cases[i].accesses[1] != NULL ? 2 : 1;
      g_autofree char *text = NULL;

      for (gsize j = 0; j < n_accesses; j++)
        accesses[j] = cured_bank_tile_access_find (cases[i].accesses[j], NULL);
      g_autoptr (CuredBankLayout) nearest =
          cured_bank_layout_find_nearest (layout, accesses, n_accesses);
      if (nearest != NULL)
        text = cured_bank_layout_format (nearest);
      if (cases[i].nearest != NULL)
        g_assert_cmpstr (text, ==, cases[i].nearest);
      if (nearest != NULL)
        for (gsize j = 0; j < n_accesses; j++)
          g_assert_cmpuint (count (nearest, cases[i].accesses[j]).conflicts, ==, 0);
    }
}

TEST ("/bank-layout/refusals")
{
  static const struct
  {
    const char *text;
    guint n;
    const char *message;
  } cases[] = {
    { "", 0, "*expected “(”*" },
    { "Swizzle<3,4> o (8,8):(8,1)", 0, "*character 12: expected “,”*" },
    { "Swizzle<5,4,3> o (8,8):(8,1)", 0, "*B up to |S|*" },
    { "(8,8):(8)", 0, "*expected “,”*" },
    { "(8,(2,2)):(8,1)", 0, "*a stride for each extent*" },
    { "(0,8):(8,1)", 0, "*1 to 4096 rows*" },
    { "(4096,4096):(4096,1)", 0, "*does not fit*" },
    { "(8,8):(1000000,1)", 0, "*does not fit*" },
    { "(99999999999999999999,8):(8,1)", 0, "*up to 1048576*" },
    { "((((((((((1))))))))),8):(8,1)", 0, "*fewer tuples*" },
    { "((1,1,1,1,1,1,1,1,1),8):(8,1)", 0, "*at most eight*" },
    { "(8,8):(8,1) and more", 0, "*expected the end*" },
    { "(8,8):(8,1)", 16, "*the shape that was given*" },
    { "#ttg.swizzled_shared<{vec = 8}>", 0, "*a shape*" },
    { "#ttg.swizzled_shared<{vec = 3}>", 16, "*powers of two*" },
    { "#ttg.swizzled_shared<{speed = 3}>", 16, "*perPhase*" },
    { "#ttg.swizzled_shared<{vec = 8, maxPhase = 8}>", 16, "*pieces of 64*" },
    { "#ttg.swizzled_shared<{vec = 65536, maxPhase = 65536}>", 16, "*up to 1048576*" },
    { "#ttg.nvmma_shared<{swizzlingByteWidth = 48}>", 16, "*0, 32, 64*" },
    { "#ttg.nvmma_shared<{elementBitWidth = 8}>", 16, "*own size*" },
    { "#ttg.padded_shared<[0:+8] {}>", 16, "*at least 1*" },
    { "#ttg.tensor_memory<>", 16, "*swizzled_shared*" },
    { "\xff", 0, "*UTF-8*" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (cured_bank_layout_parse (cases[i].text, cases[i].n, cases[i].n, 16, &error));
      if (!g_pattern_match_simple (cases[i].message, error->message))
        g_error ("“%s”: %s", cases[i].text, error->message);
    }
}

TEST ("/bank-layout/misfits")
{
  g_autoptr (CuredBankLayout) small = parse ("(4,8):(8,1)", 0, 0, 16);
  g_autoptr (CuredBankLayout) strewn = parse ("(32,64):(1,32)", 0, 0, 16);
  g_autoptr (CuredBankLayout) wide = parse ("(32,32):(32,1)", 0, 0, 64);
  CuredBankTileCount result;

#define ASSERT_REFUSED(layout, name, text)                                                         \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autoptr (GError) error = NULL;                                                               \
    g_assert_false (cured_bank_tile_access_count (cured_bank_tile_access_find (name, NULL),        \
                                                  layout, &result, &error));                       \
    g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);                                      \
    g_assert_nonnull (strstr (error->message, text));                                              \
  }                                                                                                \
  G_STMT_END

  ASSERT_REFUSED (small, "ldmatrix", "the tile has 4 × 8");
  ASSERT_REFUSED (strewn, "ldmatrix", "aligned");
  ASSERT_REFUSED (wide, "ld.row.b32", "less than an element");
  g_assert_null (cured_bank_tile_access_find ("ldmatrix.x3", NULL));
}
