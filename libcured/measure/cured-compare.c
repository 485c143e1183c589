/* SPDX-License-Identifier: MIT
 * Compares a kernel's output with the expected one. */
#include "measure/cured-measure-internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cured-own.h"
#include "base/cured-units.h"
#include "kernel/fill/cured-fill.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-parallel-internal.h"

/* Fields of a struct that are written as text. */
#define FIELDS_SHOWN 16

/* @self: (nullable): a mismatch
 *
 * Frees it. */
CURED_DEFINE_FREE (CuredMismatch, cured_mismatch_free, buffer, g_free, got, g_free, expected,
                   g_free)

/* @element: an element of a buffer
 * @size: its size in bytes
 * Returns: whether it still holds the pattern of Fill=poison */
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

/* The shortest text that reads back as the same number of the type: 0.1f is "0.1", though as a
 * double it is 0.10000000149011612. */
static char *
real_to_text (CuredElement type, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  int fewest = type == CURED_ELEMENT_F32 ? 6 : 2;

  if (!isfinite (value) || type == CURED_ELEMENT_F64)
    return cured_format_file_number (value);
  for (int digits = fewest; digits <= 9; digits++)
    {
      char format[8];
      guint64 bits = 0;

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, value);
      cured_element_store (type, &bits, g_ascii_strtod (buffer, NULL));
      if (cured_element_load (type, &bits) == value)
        break;
    }
  return g_strdup (buffer);
}

/* @type: type of the elements
 * @data: the elements
 * @index: index of one
 * Returns: (transfer full): the shortest text that reads back as the same number, in the C
 *   locale */
static char *
element_to_text (CuredElement type, const void *data, gint64 index)
{
  const guint8 *at = (const guint8 *) data + (gsize) index * cured_element_get_size (type);

  if (!cured_element_is_integer (type))
    return real_to_text (type, cured_element_load (type, at));
  if (type == CURED_ELEMENT_U64)
    return g_strdup_printf ("%" PRIu64, (guint64) cured_element_load_integer (type, at));
  return g_strdup_printf ("%" PRId64, cured_element_load_integer (type, at));
}

/* @buffer: a buffer of one type
 * @data: its elements
 * @index: index of one
 * Returns: (transfer full): a scalar's text; for a vector or a struct its fields, `(1, 2.5)`, up to
 *   a readable number */
char *
cured_buffer_element_to_text (const CuredBuffer *buffer, const void *data, gint64 index)
{
  const CuredRecord *record = buffer->record;

  if (record == NULL)
    return element_to_text (buffer->type, data, index);
  const guint8 *at = (const guint8 *) data + (gsize) index * record->size;
  GString *text = g_string_new ("(");
  for (gsize i = 0; i < MIN (record->n_fields, FIELDS_SHOWN); i++)
    {
      const CuredField *field = &record->fields[i];
      g_autofree char *part = element_to_text (field->type, at + field->offset, 0);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", part);
    }
  g_string_append (text, record->n_fields > FIELDS_SHOWN ? ", …)" : ")");
  return g_string_free (text, FALSE);
}

static void
keep_mismatch (GPtrArray *mismatches, CuredElement type, const void *got, const void *expected,
               gint64 index, const char *buffer)
{
  const guint8 *element = (const guint8 *) got + (gsize) index * cured_element_get_size (type);

  if (mismatches == NULL || mismatches->len >= CURED_MISMATCHES_KEPT)
    return;
  CuredMismatch *mismatch = g_new (CuredMismatch, 1);
  mismatch->buffer = g_strdup (buffer);
  mismatch->index = index;
  /* Expected poison is not a mismatch, so this is never reached with it. */
  mismatch->got = cured_element_get_size (type) > 1 && is_poison (type, element)
                      ? g_strdup ("unwritten")
                      : element_to_text (type, got, index);
  mismatch->expected = element_to_text (type, expected, index);
  g_ptr_array_add (mismatches, mismatch);
}

/* Comparisons with NaN are false, so elements with a NaN on either side end up here, as do two
 * equal infinities (their difference is NaN). */
static gboolean
same_class (double got, double expected)
{
  if (isnan (got) || isnan (expected))
    return isnan (got) && isnan (expected);
  return isinf (got) && got == expected;
}

/* With an infinite @expected, the bound is infinite too: only the same infinity is right then,
 * whatever the relative tolerance. */
static gboolean
is_close (double got, double expected, double tolerance, double relative)
{
  if (isfinite (got) && isfinite (expected))
    return fabs (got - expected) <= tolerance + relative * fabs (expected);
  return same_class (got, expected);
}

/* Blocks are compared without branches, which the compiler vectorizes; only blocks with a suspect
 * are compared element by element. */
#define BLOCK 4096

static guint64
compare_words (CuredElement type, gint64 length, const void *got, const void *expected,
               const char *buffer, GPtrArray *mismatches)
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

/* @Word is an unsigned integer of the size of @Real, and @poison the pattern in it. As a
 * number, the pattern is so small (-3.0e-13 as f32) that it is within any tolerance around
 * zero: so it is compared as bits, and an unwritten element does not pass for one that is
 * nearly zero. */
#define DEFINE_COMPARE_REALS(name, Real, Word, poison, type)                                       \
  static guint64 name (gint64 length, const Real *got, const Real *expected, double tolerance,     \
                       double relative, const char *buffer, GPtrArray *mismatches)                 \
  {                                                                                                \
    guint64 n_mismatches = 0;                                                                      \
                                                                                                   \
    for (gint64 start = 0; start < length; start += BLOCK)                                         \
      {                                                                                            \
        gint64 end = MIN (start + BLOCK, length);                                                  \
        int n_suspect = 0;                                                                         \
                                                                                                   \
        for (gint64 i = start; i < end; i++)                                                       \
          {                                                                                        \
            double reference = (double) expected[i];                                               \
            double bound = tolerance + relative * fabs (reference);                                \
            Word word;                                                                             \
                                                                                                   \
            memcpy (&word, &got[i], sizeof word);                                                  \
            /* Not >: NaN and infinity must count as suspect. */                                   \
            n_suspect += !(fabs ((double) got[i] - reference) <= bound);                           \
            n_suspect += !(bound < (double) INFINITY);                                             \
            n_suspect += word == (poison);                                                         \
          }                                                                                        \
        if (n_suspect == 0)                                                                        \
          continue;                                                                                \
        for (gint64 i = start; i < end; i++)                                                       \
          if (!is_close ((double) got[i], (double) expected[i], tolerance, relative) ||            \
              (is_poison (type, &got[i]) && !is_poison (type, &expected[i])))                      \
            {                                                                                      \
              n_mismatches++;                                                                      \
              keep_mismatch (mismatches, type, got, expected, i, buffer);                          \
            }                                                                                      \
      }                                                                                            \
    return n_mismatches;                                                                           \
  }

#define POISON_32 (0x01010101u * CURED_POISON_BYTE)
#define POISON_64 (G_GUINT64_CONSTANT (0x0101010101010101) * CURED_POISON_BYTE)

DEFINE_COMPARE_REALS (compare_floats, float, guint32, POISON_32, CURED_ELEMENT_F32)
DEFINE_COMPARE_REALS (compare_doubles, double, guint64, POISON_64, CURED_ELEMENT_F64)

/* Whether a field, or a scalar, is right. */
static gboolean
is_right (CuredElement type, const void *got, const void *expected, double tolerance,
          double relative)
{
  if (cured_element_is_integer (type))
    return memcmp (got, expected, cured_element_get_size (type)) == 0;
  if (cured_element_tells_poison (type) && is_poison (type, got) && !is_poison (type, expected))
    return FALSE;
  return is_close (cured_element_load (type, got), cured_element_load (type, expected), tolerance,
                   isnan (relative) ? cured_element_get_default_relative (type) : relative);
}

static guint64
compare_small_reals (CuredElement type, gint64 length, const guint8 *got, const guint8 *expected,
                     double tolerance, double relative, const char *buffer, GPtrArray *mismatches)
{
  gsize size = cured_element_get_size (type);
  guint64 n_mismatches = 0;

  for (gint64 i = 0; i < length; i++)
    {
      const guint8 *a = got + (gsize) i * size, *b = expected + (gsize) i * size;

      if (memcmp (a, b, size) == 0 || is_right (type, a, b, tolerance, relative))
        continue;
      n_mismatches++;
      keep_mismatch (mismatches, type, got, expected, i, buffer);
    }
  return n_mismatches;
}

/* @type: type of the elements
 * @length: number of elements
 * @got: (array): what the kernel wrote
 * @expected: (array): what it should have written
 * @tolerance: absolute, 0 or more; integers are compared exactly
 * @relative: relative to the expected value, 0 or more; NaN: the type's default: reals of 8 and 16
 *   bits may differ in the last digit
 * @buffer: the buffer's name, for the mismatches
 * @mismatches: (element-type CuredMismatch) (nullable): gets mismatches until it has
 *   CURED_MISMATCHES_KEPT; frees them with cured_mismatch_free()
 *
 * An element is right if |got - expected| ≤ @tolerance + @relative · |expected|. NaN
 * and infinities are right if the same is expected. An element that still holds the
 * poison, unless that is expected, is wrong whatever the tolerance, and shown as
 * "unwritten".
 * Returns: number of wrong elements */
guint64
cured_compare (CuredElement type, gint64 length, const void *got, const void *expected,
               double tolerance, double relative, const char *buffer, GPtrArray *mismatches)
{
  g_return_val_if_fail (length >= 0 && (length == 0 || (got != NULL && expected != NULL)), 0);

  if (isnan (tolerance))
    tolerance = 0;
  if (isnan (relative))
    relative = cured_element_get_default_relative (type);
  if (type == CURED_ELEMENT_F32)
    return compare_floats (length, got, expected, tolerance, relative, buffer, mismatches);
  if (type == CURED_ELEMENT_F64)
    return compare_doubles (length, got, expected, tolerance, relative, buffer, mismatches);
  if (cured_element_is_integer (type))
    return compare_words (type, length, got, expected, buffer, mismatches);
  return compare_small_reals (type, length, got, expected, tolerance, relative, buffer, mismatches);
}

/* Compares elements with fields, without padding. */
static guint64
compare_records (const CuredBuffer *buffer, gint64 length, const guint8 *got,
                 const guint8 *expected, double tolerance, double relative, GPtrArray *mismatches)
{
  const CuredRecord *record = buffer->record;
  guint64 n_mismatches = 0;

  for (gint64 i = 0; i < length; i++)
    {
      const guint8 *a = got + (gsize) i * record->size;
      const guint8 *b = expected + (gsize) i * record->size;
      gboolean is_ok = memcmp (a, b, record->size) == 0;

      for (gsize k = 0; !is_ok && k < record->n_fields; k++)
        {
          const CuredField *field = &record->fields[k];

          if (!is_right (field->type, a + field->offset, b + field->offset, tolerance, relative))
            break;
          is_ok = k + 1 == record->n_fields;
        }
      if (is_ok)
        continue;
      n_mismatches++;
      if (mismatches == NULL || mismatches->len >= CURED_MISMATCHES_KEPT)
        continue;
      CuredMismatch *mismatch = g_new (CuredMismatch, 1);
      mismatch->buffer = g_strdup (buffer->name);
      mismatch->index = i;
      mismatch->got = record->size > 1 && cured_is_poison (a, record->size)
                          ? g_strdup ("unwritten")
                          : cured_buffer_element_to_text (buffer, got, i);
      mismatch->expected = cured_buffer_element_to_text (buffer, expected, i);
      g_ptr_array_add (mismatches, mismatch);
    }
  return n_mismatches;
}

/* Elements per chunk: a fraction of a millisecond. */
#define CHUNK (1 << 18)

typedef struct
{
  const CuredBuffer *buffer;
  const guint8 *got, *expected;
  double tolerance, relative;
  guint64 n_mismatches; /* atomic */
} Comparison;

static guint64
compare_elements (const Comparison *self, gint64 begin, gint64 end, GPtrArray *mismatches)
{
  const CuredBuffer *buffer = self->buffer;
  gsize offset = (gsize) begin * cured_buffer_get_element_size (buffer);

  return buffer->record == NULL
             ? cured_compare (buffer->type, end - begin, self->got + offset,
                              self->expected + offset, self->tolerance, self->relative,
                              buffer->name, mismatches)
             : compare_records (buffer, end - begin, self->got + offset, self->expected + offset,
                                self->tolerance, self->relative, mismatches);
}

static void
compare_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Comparison *self = user_data;

  __atomic_fetch_add (&self->n_mismatches, compare_elements (self, begin, end, NULL),
                      __ATOMIC_RELAXED);
}

/* @buffer: the output, a buffer of one type
 * @length: number of elements
 * @got: (array): what the kernel wrote
 * @expected: (array): what it should have written
 * @tolerance: as in cured_compare()
 * @relative: as in cured_compare(); NaN: each type's default
 * @mismatches: (element-type CuredMismatch) (nullable): as in cured_compare()
 *
 * Elements with fields are right if each field is. Blocks, and uses all cores for a long buffer.
 * Returns: number of wrong elements */
guint64
cured_compare_buffer (const CuredBuffer *buffer, gint64 length, const void *got,
                      const void *expected, double tolerance, double relative,
                      GPtrArray *mismatches)
{
  Comparison self = { buffer, got, expected, tolerance, relative, 0 };

  g_return_val_if_fail (buffer != NULL, 0);

  _cured_parallel (length, CHUNK, compare_chunk, &self, NULL);
  /* Find the first mismatches in order. */
  return self.n_mismatches > 0 ? compare_elements (&self, 0, length, mismatches) : 0;
}
