/* SPDX-License-Identifier: MIT
 * A kernel's output beside what it should be. */
#include "measure/cured-compare-internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cured-units.h"
#include "kernel/cured-fill.h"
#include "kernel/cured-kernel-internal.h"

/**
 * cured_mismatch_free:
 * @self: (nullable): a mismatch
 *
 * Frees it.
 */
void
cured_mismatch_free (CuredMismatch *self)
{
  if (self == NULL)
    return;
  g_free (self->buffer);
  g_free (self->got);
  g_free (self->expected);
  g_free (self);
}

/**
 * cured_is_poison:
 * @element: an element of a buffer
 * @size: its size in bytes
 *
 * Returns: whether it holds what Fill=poison left there
 */
gboolean
cured_is_poison (const void *element, gsize size)
{
  const guint8 *bytes = element;

  for (gsize i = 0; i < size; i++)
    if (bytes[i] != CURED_POISON_BYTE)
      return FALSE;
  return TRUE;
}

static gboolean
is_poison (CuredElement type, const void *element)
{
  return cured_is_poison (element, cured_element_get_size (type));
}

/* The shortest text that reads back as the same float: 0.1f is "0.1", though
 * as a double it is 0.10000000149011612. */
static char *
float_to_text (float value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    return cured_format_file_number ((double) value);
  for (int digits = 6; digits <= 9; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, (double) value);
      if ((float) g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  return g_strdup (buffer);
}

/**
 * cured_element_to_text:
 * @type: of the elements
 * @data: the elements
 * @index: of one
 *
 * Returns: (transfer full): the shortest text that reads back as the same
 *   number, in the C locale
 */
char *
cured_element_to_text (CuredElement type, const void *data, gint64 index)
{
  switch (type)
    {
    case CURED_ELEMENT_I32:
      return g_strdup_printf ("%" G_GINT32_FORMAT,
                              ((const gint32 *) data)[index]);
    case CURED_ELEMENT_U32:
      return g_strdup_printf ("%" G_GUINT32_FORMAT,
                              ((const guint32 *) data)[index]);
    case CURED_ELEMENT_I64:
      return g_strdup_printf ("%" PRId64, ((const gint64 *) data)[index]);
    case CURED_ELEMENT_F32:
      return float_to_text (((const float *) data)[index]);
    case CURED_ELEMENT_F64:
      return cured_format_file_number (((const double *) data)[index]);
    default:
      g_return_val_if_reached (NULL);
    }
}

static void
keep_mismatch (GPtrArray *mismatches,
               CuredElement type,
               const void *got,
               const void *expected,
               gint64 index,
               const char *buffer)
{
  const guint8 *element =
      (const guint8 *) got + (gsize) index * cured_element_get_size (type);
  CuredMismatch *mismatch;

  if (mismatches == NULL || mismatches->len >= CURED_MISMATCHES_KEPT)
    return;
  mismatch = g_new (CuredMismatch, 1);
  mismatch->buffer = g_strdup (buffer);
  mismatch->index = index;
  /* Poison that was expected is not a mismatch and does not come here. */
  mismatch->got = is_poison (type, element)
                      ? g_strdup ("unwritten")
                      : cured_element_to_text (type, got, index);
  mismatch->expected = cured_element_to_text (type, expected, index);
  g_ptr_array_add (mismatches, mismatch);
}

/* A comparison with NaN is false, so that a NaN on either side ends up here,
 * as two equal infinities do (their difference is NaN). */
static gboolean
same_class (double got, double expected)
{
  if (isnan (got) || isnan (expected))
    return isnan (got) && isnan (expected);
  return isinf (got) && got == expected;
}

/* With an infinite @expected, the bound is infinite too: only the same
 * infinity is right then, whatever the relative tolerance. */
static gboolean
is_close (double got, double expected, double tolerance, double relative)
{
  if (isfinite (got) && isfinite (expected))
    return fabs (got - expected) <= tolerance + relative * fabs (expected);
  return same_class (got, expected);
}

/* Blocks are compared with no branch inside, which the compiler vectorizes;
 * only a block with a mismatch is looked at element by element. */
#define BLOCK 4096

static guint64
compare_words (CuredElement type,
               gint64 length,
               const void *got,
               const void *expected,
               const char *buffer,
               GPtrArray *mismatches)
{
  gsize size = cured_element_get_size (type);
  guint64 n_mismatches = 0;

  for (gint64 start = 0; start < length; start += BLOCK)
    {
      gint64 end = MIN (start + BLOCK, length);
      const guint8 *a = (const guint8 *) got + (gsize) start * size;
      const guint8 *b = (const guint8 *) expected + (gsize) start * size;

      if (memcmp (a, b, (gsize) (end - start) * size) == 0)
        continue;
      for (gint64 i = start; i < end; i++, a += size, b += size)
        if (memcmp (a, b, size) != 0)
          {
            n_mismatches++;
            keep_mismatch (mismatches, type, got, expected, i, buffer);
          }
    }
  return n_mismatches;
}

/* @Word is an unsigned integer of the size of @Real, and @poison the pattern in
 * it. As a number, the pattern is so small that any tolerance around zero
 * holds it (-3.0e-13 as f32): it is looked for as a pattern, so that an element
 * that was never written does not pass for one that is nearly zero. */
#define DEFINE_COMPARE_REALS(name, Real, Word, poison, type)                   \
  static guint64 name (gint64 length,                                          \
                       const Real *got,                                        \
                       const Real *expected,                                   \
                       double tolerance,                                       \
                       double relative,                                        \
                       const char *buffer,                                     \
                       GPtrArray *mismatches)                                  \
  {                                                                            \
    guint64 n_mismatches = 0;                                                  \
                                                                               \
    for (gint64 start = 0; start < length; start += BLOCK)                     \
      {                                                                        \
        gint64 end = MIN (start + BLOCK, length);                              \
        int n_suspect = 0;                                                     \
                                                                               \
        for (gint64 i = start; i < end; i++)                                   \
          {                                                                    \
            double reference = (double) expected[i];                           \
            double bound = tolerance + relative * fabs (reference);            \
            Word word;                                                         \
                                                                               \
            memcpy (&word, &got[i], sizeof word);                              \
            /* Not >: NaN and infinity have to be suspect. */                  \
            n_suspect += !(fabs ((double) got[i] - reference) <= bound);       \
            n_suspect += !(bound < (double) INFINITY);                         \
            n_suspect += word == (poison);                                     \
          }                                                                    \
        if (n_suspect == 0)                                                    \
          continue;                                                            \
        for (gint64 i = start; i < end; i++)                                   \
          if (!is_close ((double) got[i],                                      \
                         (double) expected[i],                                 \
                         tolerance,                                            \
                         relative) ||                                          \
              (is_poison (type, &got[i]) && !is_poison (type, &expected[i])))  \
            {                                                                  \
              n_mismatches++;                                                  \
              keep_mismatch (mismatches, type, got, expected, i, buffer);      \
            }                                                                  \
      }                                                                        \
    return n_mismatches;                                                       \
  }

#define POISON_32 (0x01010101u * CURED_POISON_BYTE)
#define POISON_64 (G_GUINT64_CONSTANT (0x0101010101010101) * CURED_POISON_BYTE)

DEFINE_COMPARE_REALS (
    compare_floats, float, guint32, POISON_32, CURED_ELEMENT_F32)
DEFINE_COMPARE_REALS (
    compare_doubles, double, guint64, POISON_64, CURED_ELEMENT_F64)

/**
 * cured_compare:
 * @type: of the elements
 * @length: how many elements
 * @got: (array): what the kernel wrote
 * @expected: (array): what it should have written
 * @tolerance: absolute, 0 or more; integers are compared exactly
 * @relative: relative to the expected value, 0 or more
 * @buffer: the buffer's name, for the mismatches
 * @mismatches: (element-type CuredMismatch) (nullable): takes further
 *   mismatches while it has fewer than CURED_MISMATCHES_KEPT; frees them with
 *   cured_mismatch_free()
 *
 * An element is right where |got - expected| ≤ @tolerance + @relative ·
 * |expected|. NaN is right where NaN is expected, and an infinity where the
 * same one is. An element that still holds the poison, where something else is
 * expected, is wrong whatever the tolerance, and shown as "unwritten".
 *
 * Returns: how many elements are wrong
 */
guint64
cured_compare (CuredElement type,
               gint64 length,
               const void *got,
               const void *expected,
               double tolerance,
               double relative,
               const char *buffer,
               GPtrArray *mismatches)
{
  g_return_val_if_fail (length >= 0, 0);
  g_return_val_if_fail (length == 0 || (got != NULL && expected != NULL), 0);

  switch (type)
    {
    case CURED_ELEMENT_F32:
      return compare_floats (
          length, got, expected, tolerance, relative, buffer, mismatches);
    case CURED_ELEMENT_F64:
      return compare_doubles (
          length, got, expected, tolerance, relative, buffer, mismatches);
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
    case CURED_ELEMENT_I64:
      return compare_words (type, length, got, expected, buffer, mismatches);
    default:
      g_return_val_if_reached (0);
    }
}
