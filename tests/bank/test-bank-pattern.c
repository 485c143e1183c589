/* SPDX-License-Identifier: MIT
 * Lines of bank patterns: what is understood, and what a message says. */
#include "cured.h"
#include "test.h"

#include <string.h>

#define ZEROS     "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
#define ALL_ZEROS ZEROS "," ZEROS

TEST ("/bank-pattern/lines")
{
  static const char text[] = "# a comment\n\n"
                             "ld.b32\tffffffff\t" ALL_ZEROS "\t1\t0\n"
                             "st.b128\t1\t4294967295," ZEROS ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,7\r\n"
                             "ldmatrix.x4\tF0\t" ALL_ZEROS "\t4\t3";
  g_autoptr (GArray) patterns =
      MUST (cured_bank_patterns_parse (text, strlen (text), "some.tsv", &fail));

  g_assert_cmpuint (patterns->len, ==, 3);
  const CuredBankPattern *pattern = &g_array_index (patterns, CuredBankPattern, 0);
  g_assert_cmpstr (pattern->op, ==, "ld.b32");
  g_assert_cmpuint (pattern->line, ==, 3);
  g_assert_cmpint (pattern->access.kind, ==, CURED_BANK_KIND_LOAD);
  g_assert_cmpuint (pattern->access.width, ==, 32);
  g_assert_cmphex (pattern->access.mask, ==, 0xffffffff);
  g_assert_true (pattern->is_measured);
  g_assert_cmpuint (pattern->wavefronts, ==, 1);
  g_assert_cmpuint (pattern->conflicts, ==, 0);
  pattern = &g_array_index (patterns, CuredBankPattern, 1);
  g_assert_cmpint (pattern->access.kind, ==, CURED_BANK_KIND_STORE);
  g_assert_cmpuint (pattern->access.addresses[0], ==, G_MAXUINT32);
  g_assert_cmpuint (pattern->access.addresses[31], ==, 7);
  g_assert_false (pattern->is_measured);
  pattern = &g_array_index (patterns, CuredBankPattern, 2);
  g_assert_cmphex (pattern->access.mask, ==, 0xf0);
  g_assert_cmpuint (pattern->line, ==, 5);
}

TEST ("/bank-pattern/empty")
{
  g_autoptr (GArray) patterns = MUST (cured_bank_patterns_parse (NULL, 0, "some.tsv", &fail));

  g_assert_cmpuint (patterns->len, ==, 0);
}

static void
assert_refused (const char *text, gsize length, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) patterns = cured_bank_patterns_parse (text, length, "some.tsv", &error);

  g_assert_null (patterns);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_SYNTAX);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in: %s", part, error->message);
}

TEST ("/bank-pattern/refused")
{
  static const struct
  {
    const char *text, *part;
  } rows[] = {
    { "\n\nst.b33\t1\t" ALL_ZEROS, "some.tsv:3: no rule for the access “st.b33”" },
    { "st.b33", "ld.b8, ld.b16" },
    { "ld.b32", "some.tsv:1: 1 columns; expected" },
    { "ld.b32\tff\t" ALL_ZEROS "\t1", "4 columns" },
    { "ld.b32\tff\t" ALL_ZEROS "\t1\t0\t0", "6 columns" },
    { "ld.b32 ff " ALL_ZEROS, "no rule for the access “ld.b32 ff" },
    { "ld.b32\t\t" ALL_ZEROS, "“” is not a mask" },
    { "ld.b32\t1ffffffff\t" ALL_ZEROS, "8 hexadecimal digits" },
    { "ld.b32\tfg\t" ALL_ZEROS, "“fg” is not a mask" },
    { "ld.b32\tff\t" ZEROS, "16 addresses; expected 32" },
    { "ld.b32\tff\t" ALL_ZEROS ",0", "33 addresses; expected 32" },
    { "ld.b32\tff\t" ZEROS ",-4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
      "“-4”, of lane 16, is not an address" },
    { "ld.b32\tff\t" ZEROS ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4294967296", "of lane 31" },
    { "ld.b32\tff\t" ZEROS ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,", "“”, of lane 31" },
    { "ld.b32\tff\t" ALL_ZEROS "\tone\t0", "“one” is not a measured number" },
    { "ld.b32\tff\t" ALL_ZEROS "\t1\t-1", "“-1” is not a measured number" },
    { "ld.b32\tff\t" ALL_ZEROS "\t1\t", "some.tsv:1: 4 columns" },
    { "\xff\xfe\x80", "no rule for the access" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_refused (rows[i].text, strlen (rows[i].text), rows[i].part);
  assert_refused ("#\0\n", 3, "some.tsv:1: a byte of zero");
}

/* Nothing that a line may hold brings the parser down. */
TEST ("/bank-pattern/garbage")
{
  static const char good[] = "ld.b64\t0f0f0f0f\t" ALL_ZEROS "\t2\t0\n";

  for (guint i = 0; i < 20000; i++)
    {
      g_autofree char *text = g_memdup2 (good, sizeof good);
      g_autoptr (GError) error = NULL;
      gsize length = (gsize) g_test_rand_int_range (0, sizeof good);

      for (int n = g_test_rand_int_range (0, 4); n > 0; n--)
        text[g_test_rand_int_range (0, sizeof good)] = (char) g_test_rand_int_range (0, 256);
      g_autoptr (GArray) patterns = cured_bank_patterns_parse (text, length, "some.tsv", &error);
      g_assert_true ((patterns == NULL) == (error != NULL));
      if (error != NULL)
        g_assert_true (g_utf8_validate (error->message, -1, NULL));
    }
}
