/* SPDX-License-Identifier: MIT
 * Comparison of outputs: exact, within tolerances, and NaN. */
#include "cured.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include "kernel/cured-kernel-internal.h"
#include "measure/cured-measure-internal.h"
#include "test.h"

static GPtrArray *
mismatches_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) cured_mismatch_free);
}

static void
assert_mismatch (GPtrArray *mismatches, guint number, gint64 index, const char *got,
                 const char *expected)
{
  const CuredMismatch *mismatch = g_ptr_array_index (mismatches, number);

  g_assert_cmpstr (mismatch->buffer, ==, "out");
  g_assert_cmpint (mismatch->index, ==, index);
  g_assert_cmpstr (mismatch->got, ==, got);
  g_assert_cmpstr (mismatch->expected, ==, expected);
}

TEST ("/compare/integers")
{
  const gint32 expected[] = { 1, -2, 3, G_MININT32, -1431655766 };
  const gint32 got[] = { 1, 2, 3, G_MAXINT32, -1431655766 };
  const guint32 large[] = { G_MAXUINT32 };
  const guint32 small[] = { 0 };
  g_autoptr (GPtrArray) mismatches = mismatches_new ();

  /* Integers are exact, whatever the tolerance; poison that is expected is no mismatch. */
  g_assert_cmpuint (cured_compare (CURED_ELEMENT_I32, 5, got, expected, 1e9, 1, "out", mismatches),
                    ==, 2);
  g_assert_cmpuint (mismatches->len, ==, 2);
  assert_mismatch (mismatches, 0, 1, "2", "-2");
  assert_mismatch (mismatches, 1, 3, "2147483647", "-2147483648");
  g_assert_cmpuint (
      cured_compare (CURED_ELEMENT_I32, 5, expected, expected, 0, 0, "out", mismatches), ==, 0);

  g_assert_cmpuint (cured_compare (CURED_ELEMENT_U32, 1, large, small, 0, 0, "out", mismatches), ==,
                    1);
  assert_mismatch (mismatches, 2, 0, "4294967295", "0");
  g_assert_cmpuint (cured_compare (CURED_ELEMENT_I32, 0, NULL, NULL, 0, 0, "out", NULL), ==, 0);
}

TEST ("/compare/tolerances")
{
  const double expected[] = { 100, 100, 100, -100, 0, 0 };
  const double got[] = { 100.5, 101.5, 98.4, -101.5, 0.5, 0.51 };

  /* 0.5 + 0.01 * |expected| is 1.5 at 100 and 0.5 at 0; the bound itself is right. */
  g_autoptr (GPtrArray) mismatches = mismatches_new ();

  g_assert_cmpuint (
      cured_compare (CURED_ELEMENT_F64, 6, got, expected, 0.5, 0.01, "out", mismatches), ==, 2);
  assert_mismatch (mismatches, 0, 2, "98.4", "100");
  assert_mismatch (mismatches, 1, 5, "0.51", "0");
  /* Without tolerance, equality. */
  g_assert_cmpuint (cured_compare (CURED_ELEMENT_F64, 6, got, expected, 0, 0, "out", NULL), ==, 6);
}

TEST ("/compare/not-numbers")
{
  const float inf = INFINITY;
  const float nan = NAN;
  const float expected[] = { nan, nan, 1, inf, inf, -inf, 1, inf, -0.0f };
  const float got[] = { nan, 1, nan, inf, -inf, -inf, inf, 1, 0.0f };
  double tolerances[] = { 0, 1, 1e30, (double) INFINITY };

  for (gsize i = 0; i < G_N_ELEMENTS (tolerances); i++)
    {
      g_autoptr (GPtrArray) mismatches = mismatches_new ();

      g_assert_cmpuint (cured_compare (CURED_ELEMENT_F32, 9, got, expected, tolerances[i], 0.5,
                                       "out", mismatches),
                        ==, 5);
      assert_mismatch (mismatches, 0, 1, "1", "nan");
      assert_mismatch (mismatches, 1, 2, "nan", "1");
      assert_mismatch (mismatches, 2, 4, "-inf", "inf");
      assert_mismatch (mismatches, 3, 6, "inf", "1");
      assert_mismatch (mismatches, 4, 7, "1", "inf");
    }
}

/* The text is exact, and no longer than that takes. */
TEST ("/compare/text")
{
  const float single[] = { 0.1f, 16777216, 1.1754944e-38f, 1.0f / 3 };
  const double full[] = { 0.1, 1e22, 1.0 / 3 };
  const float zero_single[4] = { 0 };
  const double zero_full[3] = { 0 };
  g_autoptr (GPtrArray) mismatches = mismatches_new ();

  cured_compare (CURED_ELEMENT_F32, 4, zero_single, single, 0, 0, "out", mismatches);
  assert_mismatch (mismatches, 0, 0, "0", "0.1");
  assert_mismatch (mismatches, 1, 1, "0", "16777216");
  assert_mismatch (mismatches, 2, 2, "0", "1.1754944e-38");
  assert_mismatch (mismatches, 3, 3, "0", "0.33333334");
  cured_compare (CURED_ELEMENT_F64, 3, full, zero_full, 0, 0, "out", mismatches);
  assert_mismatch (mismatches, 4, 0, "0.1", "0");
  assert_mismatch (mismatches, 5, 1, "1e+22", "0");
  assert_mismatch (mismatches, 6, 2, "0.3333333333333333", "0");
}

TEST ("/compare/unwritten")
{
  static const CuredElement types[] = { CURED_ELEMENT_I32, CURED_ELEMENT_U32, CURED_ELEMENT_F32,
                                        CURED_ELEMENT_F64 };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      guint8 got[32], expected[32] = { 0 };
      g_autoptr (GPtrArray) mismatches = mismatches_new ();

      memset (got, CURED_POISON_BYTE, sizeof got);
      memset (got, 0, cured_element_get_size (types[i]));
      g_assert_cmpuint (cured_compare (types[i], 2, got, expected, 1e6, 0, "out", mismatches), ==,
                        1);
      assert_mismatch (mismatches, 0, 1, "unwritten", "0");
    }
}

/* Mismatches at random places of long arrays, against a comparison element by element. */
TEST ("/compare/places")
{
  for (int i = 0; i < 50; i++)
    {
      gint64 length = g_test_rand_int_range (1, 20000);
      g_autofree float *got = g_new (float, length);
      g_autofree float *expected = g_new (float, length);
      g_autoptr (GPtrArray) mismatches = mismatches_new ();
      gint64 first[CURED_MISMATCHES_KEPT];
      guint64 n_wrong = 0;
      int one_in = g_test_rand_int_range (1, 2000);

      for (gint64 j = 0; j < length; j++)
        {
          expected[j] = (float) j;
          got[j] = expected[j];
          if (g_test_rand_int_range (0, one_in) == 0)
            {
              got[j] += 1;
              if (n_wrong < CURED_MISMATCHES_KEPT)
                first[n_wrong] = j;
              n_wrong++;
            }
        }
      g_assert_cmpuint (
          cured_compare (CURED_ELEMENT_F32, length, got, expected, 0.25, 0, "out", mismatches), ==,
          n_wrong);
      g_assert_cmpuint (cured_compare (CURED_ELEMENT_I32, length, got, expected, 0, 0, "out", NULL),
                        ==, n_wrong);
      g_assert_cmpuint (mismatches->len, ==, MIN (n_wrong, CURED_MISMATCHES_KEPT));
      for (guint j = 0; j < mismatches->len; j++)
        {
          const CuredMismatch *mismatch = g_ptr_array_index (mismatches, j);

          g_assert_cmpint (mismatch->index, ==, first[j]);
        }
    }
}

/* A buffer that several cores compare: all mismatches are counted, and the first ones are kept in
 * order, of scalars and of elements with fields. */
TEST ("/compare/long")
{
  enum
  {
    LENGTH = 1000003
  };
  static const gint64 wrong[] = { 3, 262143, 262144, 777777, LENGTH - 1 };
  g_autoptr (CuredRecord) pair = cured_record_new_vector (CURED_ELEMENT_I16, 2);
  g_autofree gint32 *got = g_new (gint32, LENGTH);
  g_autofree gint32 *expected = g_new (gint32, LENGTH);

  for (int is_pair = 0; is_pair < 2; is_pair++)
    {
      CuredBuffer buffer = { .name = (char *) "out",
                             .type = CURED_ELEMENT_I32,
                             .record = is_pair ? pair : NULL };

      for (gint32 i = 0; i < LENGTH; i++)
        got[i] = expected[i] = i;
      /* The last one alone at first. */
      for (guint n = 1; n <= G_N_ELEMENTS (wrong); n++)
        {
          const gint64 *first = wrong + G_N_ELEMENTS (wrong) - n;
          g_autoptr (GPtrArray) mismatches = mismatches_new ();

          got[*first] = -1;
          g_assert_cmpuint (
              cured_compare_buffer (&buffer, LENGTH, got, expected, 0, NAN, mismatches), ==, n);
          for (guint i = 0; i < MIN (n, CURED_MISMATCHES_KEPT); i++)
            assert_mismatch (mismatches, i, first[i], is_pair ? "(-1, -1)" : "-1",
                             ((CuredMismatch *) mismatches->pdata[i])->expected);
        }
    }
}

/* Ten million elements, and one wrong at the end: as fast as memory, and in a slow build still far
 * under a second. */
TEST ("/compare/speed")
{
  gint64 length = 10000000;
  g_autofree float *got = g_new (float, length);
  g_autofree float *expected = g_new (float, length);

  for (gint64 i = 0; i < length; i++)
    got[i] = expected[i] = (float) (i % 1000);
  got[length - 1] = -1;
  clock_t start = clock ();
  g_assert_cmpuint (
      cured_compare (CURED_ELEMENT_F32, length, got, expected, 1e-6, 1e-6, "out", NULL), ==, 1);
  double seconds = (double) (clock () - start) / CLOCKS_PER_SEC;
  g_test_message ("%.1f ns of a core per element", seconds / (double) length * 1e9);
  /* A string for each element would take a minute. */
  g_assert_cmpfloat (seconds, <, 10);
}
