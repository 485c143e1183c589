/* SPDX-License-Identifier: MIT
 * The inputs' generator: the same numbers everywhere, and the right ones. */
#include "cured.h"

#include <math.h>
#include <string.h>
#include "kernel/fill/cured-fill-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "test.h"

static gpointer
fill (CuredElement type, CuredFill how, gint64 length, double low, double high, gsize index,
      guint64 seed)
{
  CuredBuffer buffer = { .name = (char *) "a", .type = type, .fill = how };
  CuredProgramBuffer at = { .buffer = &buffer,
                            .length = length,
                            .size = (gsize) length * cured_element_get_size (type),
                            .low = low,
                            .high = high };
  gpointer data = g_malloc (at.size);

  memset (data, 0x55, at.size);
  cured_fill_buffer (&at, index, seed, data);
  return data;
}

/* The numbers of version 1 of the generator: another machine, compiler or number of cores has to
 * make the same. */
TEST ("/fill/golden")
{
  g_autofree gint32 *integers = fill (CURED_ELEMENT_I32, CURED_FILL_UNIFORM, 4, -100, 100, 0, 42);
  g_autofree float *floats = fill (CURED_ELEMENT_F32, CURED_FILL_UNIFORM, 3, -1, 1, 1, 42);
  g_autofree double *doubles = fill (CURED_ELEMENT_F64, CURED_FILL_NORMAL, 3, 0, 1, 2, 42);
  g_autofree guint32 *order = fill (CURED_ELEMENT_U32, CURED_FILL_PERMUTATION, 8, 0, 0, 3, 42);

  g_autofree char *text = g_strdup_printf (
      "%d %d %d %d|%a %a %a|%a %a %a|%u %u %u %u %u %u %u %u", integers[0], integers[1],
      integers[2], integers[3], (double) floats[0], (double) floats[1], (double) floats[2],
      doubles[0], doubles[1], doubles[2], order[0], order[1], order[2], order[3], order[4],
      order[5], order[6], order[7]);
  g_assert_cmpstr (text, ==,
                   "-22 -100 -72 95|-0x1.3e63f2p-2 0x1.943676p-1 0x1.35cf8p-1|0x1.5622p-1 "
                   "0x1.ba42p-1 0x1.2feep-1|7 3 1 0 2 5 6 4");
}

/* A long buffer is filled by several threads in chunks; its beginning is the short buffer. */
TEST ("/fill/chunks")
{
  const gint64 n = 1000003;
  g_autofree float *all = fill (CURED_ELEMENT_F32, CURED_FILL_UNIFORM, n, 0, 1, 0, 7);
  g_autofree float *some = fill (CURED_ELEMENT_F32, CURED_FILL_UNIFORM, 300000, 0, 1, 0, 7);

  g_assert_cmpmem (all, 300000 * sizeof (float), some, 300000 * sizeof (float));
}

TEST ("/fill/uniform")
{
  const gint64 n = 1 << 20;
  g_autofree float *floats = fill (CURED_ELEMENT_F32, CURED_FILL_UNIFORM, n, 2, 3, 0, 1);
  g_autofree double *doubles = fill (CURED_ELEMENT_F64, CURED_FILL_UNIFORM, n, -1, 1, 0, 1);
  g_autofree gint32 *integers = fill (CURED_ELEMENT_I32, CURED_FILL_UNIFORM, n, -3, 3, 0, 1);
  g_autofree guint32 *words = fill (CURED_ELEMENT_U32, CURED_FILL_UNIFORM, n, 0, G_MAXUINT32, 0, 1);
  g_autofree gint32 *whole =
      fill (CURED_ELEMENT_I32, CURED_FILL_UNIFORM, n, G_MININT32, G_MAXINT32, 0, 1);
  guint counts[7] = { 0 };
  double sum = 0, squares = 0;
  guint32 ones = 0, zeros = 0;
  gboolean negative = FALSE, positive = FALSE;

  for (gint64 i = 0; i < n; i++)
    {
      g_assert_true (floats[i] >= 2 && floats[i] < 3);
      g_assert_true (doubles[i] >= -1 && doubles[i] < 1);
      g_assert_true (integers[i] >= -3 && integers[i] <= 3);
      sum += doubles[i];
      squares += doubles[i] * doubles[i];
      counts[integers[i] + 3]++;
      ones |= words[i];
      zeros |= ~words[i];
      negative |= whole[i] < -(1 << 30);
      positive |= whole[i] > 1 << 30;
    }
  /* Six standard deviations. */
  g_assert_cmpfloat_with_epsilon (sum / (double) n, 0, 0.0034);
  g_assert_cmpfloat_with_epsilon (squares / (double) n, 1.0 / 3, 0.0018);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    g_assert_cmpfloat_with_epsilon (counts[i] / (double) n, 1.0 / 7, 0.0021);
  g_assert_cmphex (ones, ==, 0xFFFFFFFF);
  g_assert_cmphex (zeros, ==, 0xFFFFFFFF);
  g_assert_true (negative && positive);
}

/* Low and high may be neighbours: no float is between them, and high is excluded. */
/* Odd numbers, of which none is beyond the highest. */
TEST ("/fill/uniform/step")
{
  CuredBuffer buffer = { .name = (char *) "a",
                         .type = CURED_ELEMENT_I32,
                         .fill = CURED_FILL_UNIFORM };
  CuredProgramBuffer at = {
    .buffer = &buffer, .length = 10000, .size = 40000, .low = -5, .high = 4, .step = 2
  };
  gint32 numbers[10000];
  int counts[5] = { 0 };

  cured_fill_buffer (&at, 0, 1, numbers);
  for (int i = 0; i < 10000; i++)
    {
      g_assert_true (numbers[i] >= -5 && numbers[i] <= 3);
      g_assert_true (numbers[i] % 2 != 0);
      counts[(numbers[i] + 5) / 2]++;
    }
  for (int i = 0; i < 5; i++)
    g_assert_cmpint (ABS (counts[i] - 2000), <, 200);
}

TEST ("/fill/uniform/narrow")
{
  const float low = 1;
  const float high = nextafterf (low, 2);
  g_autofree float *floats = fill (CURED_ELEMENT_F32, CURED_FILL_UNIFORM, 1000, low, high, 0, 1);
  g_autofree double *same = fill (CURED_ELEMENT_F64, CURED_FILL_UNIFORM, 10, 5, 5, 0, 1);

  for (int i = 0; i < 1000; i++)
    g_assert_true (floats[i] == low);
  for (int i = 0; i < 10; i++)
    g_assert_cmpfloat (same[i], ==, 5);
}

TEST ("/fill/normal")
{
  const gint64 n = 1 << 20;
  g_autofree double *values = fill (CURED_ELEMENT_F64, CURED_FILL_NORMAL, n, 5, 2, 0, 1);
  double sum = 0, squares = 0;
  gint64 within = 0;

  for (gint64 i = 0; i < n; i++)
    {
      double z = (values[i] - 5) / 2;

      g_assert_true (fabs (z) <= 6);
      sum += z;
      squares += z * z;
      within += fabs (z) < 1;
    }
  g_assert_cmpfloat_with_epsilon (sum / (double) n, 0, 0.006);
  g_assert_cmpfloat_with_epsilon (squares / (double) n, 1, 0.009);
  g_assert_cmpfloat_with_epsilon ((double) within / (double) n, 0.68, 0.01);
}

TEST ("/fill/plain")
{
  g_autofree guint8 *poison = fill (CURED_ELEMENT_F64, CURED_FILL_POISON, 5, 0, 1, 0, 1);
  g_autofree float *constant = fill (CURED_ELEMENT_F32, CURED_FILL_CONSTANT, 5, 2.5, 1, 0, 1);
  g_autofree guint32 *word = fill (CURED_ELEMENT_U32, CURED_FILL_CONSTANT, 5, G_MAXUINT32, 1, 0, 1);
  g_autofree double *rise = fill (CURED_ELEMENT_F64, CURED_FILL_RAMP, 5, 1, 0.5, 0, 1);
  g_autofree gint32 *fall = fill (CURED_ELEMENT_I32, CURED_FILL_RAMP, 5, 1, -2, 0, 1);
  g_autofree gint32 *wrapped = fill (CURED_ELEMENT_I32, CURED_FILL_RAMP, 3, G_MAXINT32, 1, 0, 1);

  for (int i = 0; i < 40; i++)
    g_assert_cmphex (poison[i], ==, CURED_POISON_BYTE);
  for (int i = 0; i < 5; i++)
    {
      g_assert_cmpfloat (constant[i], ==, 2.5F);
      g_assert_cmphex (word[i], ==, G_MAXUINT32);
      g_assert_cmpfloat (rise[i], ==, 1 + 0.5 * i);
      g_assert_cmpint (fall[i], ==, 1 - 2 * i);
    }
  g_assert_cmpint (wrapped[0], ==, G_MAXINT32);
  g_assert_cmpint (wrapped[1], ==, G_MININT32);
  g_assert_cmpint (wrapped[2], ==, G_MININT32 + 1);
}

TEST ("/fill/permutation")
{
  static const gint64 lengths[] = { 1, 2, 3, 4, 5, 15, 16, 17, 64, 65, 1000, 65537, 1000003 };

  for (gsize l = 0; l < G_N_ELEMENTS (lengths); l++)
    {
      gint64 n = lengths[l];
      g_autofree gint32 *order = fill (CURED_ELEMENT_I32, CURED_FILL_PERMUTATION, n, 0, 1, 0, 9);
      g_autofree gboolean *seen = g_new0 (gboolean, n);
      gint64 fixed = 0;

      for (gint64 i = 0; i < n; i++)
        {
          g_assert_cmpint (order[i], >=, 0);
          g_assert_cmpint (order[i], <, n);
          g_assert_false (seen[order[i]]);
          seen[order[i]] = TRUE;
          fixed += order[i] == i;
        }
      /* A random permutation leaves one number in its place. */
      if (n >= 1000)
        g_assert_cmpint (fixed, <, 20);
    }
}

TEST ("/fill/differs")
{
  g_autofree guint8 *a = fill (CURED_ELEMENT_F64, CURED_FILL_UNIFORM, 100, 0, 1, 0, 1);
  g_autofree guint8 *other_index = fill (CURED_ELEMENT_F64, CURED_FILL_UNIFORM, 100, 0, 1, 1, 1);
  g_autofree guint8 *other_seed = fill (CURED_ELEMENT_F64, CURED_FILL_UNIFORM, 100, 0, 1, 0, 2);

  g_assert_true (memcmp (a, other_index, 800) != 0);
  g_assert_true (memcmp (a, other_seed, 800) != 0);
  g_assert_true (memcmp (other_index, other_seed, 800) != 0);
}

TEST ("/fill/key")
{
  CuredBuffer buffer = { .name = (char *) "a",
                         .type = CURED_ELEMENT_F32,
                         .fill = CURED_FILL_UNIFORM };
  CuredProgramBuffer at = { .buffer = &buffer, .length = 10, .high = 1 };
  CuredProgramBuffer other = at;
  CuredBuffer other_buffer = buffer;
  g_autoptr (GHashTable) keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *again = cured_fill_key (&at, 0, 1);

  g_hash_table_add (keys, cured_fill_key (&at, 0, 1));
  g_assert_true (g_hash_table_contains (keys, again));
  g_hash_table_add (keys, cured_fill_key (&at, 1, 1));
  g_hash_table_add (keys, cured_fill_key (&at, 0, 2));
  other.length = 11;
  g_hash_table_add (keys, cured_fill_key (&other, 0, 1));
  other = at;
  other.high = 1.0000000000000002;
  g_hash_table_add (keys, cured_fill_key (&other, 0, 1));
  other = at;
  other.low = 0.5;
  g_hash_table_add (keys, cured_fill_key (&other, 0, 1));
  other = at;
  other.buffer = &other_buffer;
  other_buffer.type = CURED_ELEMENT_F64;
  g_hash_table_add (keys, cured_fill_key (&other, 0, 1));
  other_buffer.type = CURED_ELEMENT_F32;
  other_buffer.fill = CURED_FILL_NORMAL;
  g_hash_table_add (keys, cured_fill_key (&other, 0, 1));
  other = at;
  other.step = 1;
  g_hash_table_add (keys, cured_fill_key (&other, 0, 1));
  g_assert_cmpuint (g_hash_table_size (keys), ==, 8);
  other.step = 2;
  g_hash_table_add (keys, cured_fill_key (&other, 0, 1));
  g_assert_cmpuint (g_hash_table_size (keys), ==, 9);
}
