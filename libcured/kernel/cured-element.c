/* SPDX-License-Identifier: MIT
 * The table of element types: sizes, names, encoding and decoding. */
#include "kernel/cured-element-internal.h"

#include <math.h>
#include <string.h>

#include "kernel/cured-kernel-private.h"

typedef enum
{
  KIND_SIGNED,
  KIND_UNSIGNED,
  KIND_REAL,
} Kind;

typedef struct
{
  const char *word;
  gsize size;
  Kind kind;
  int exponent_bits, digit_bits;
  gboolean has_infinity;
} Info;

static const Info infos[] = {
#define ELEMENT(name, word, size, kind, exponent, digits, infinity)                                \
  { word, size, KIND_##kind, exponent, digits, infinity },
#include "kernel/cured-elements.def"
#undef ELEMENT
};

const char *const _cured_element_words[] = {
#define ELEMENT(name, word, size, kind, exponent, digits, infinity) word,
#include "kernel/cured-elements.def"
#undef ELEMENT
  NULL
};

G_STATIC_ASSERT (G_N_ELEMENTS (infos) == CURED_N_ELEMENTS);

/* clang-format off */
#define VECTORS(name, type) { type, 2, "|" name "2|" }, { type, 3, "|" name "3|" }, \
  { type, 4, "|" name "4|" }
/* clang-format on */

/* Names in C and CUDA. */
static const struct
{
  CuredElement type;
  guint count;
  const char *names; /* a bar before and behind each */
} c_types[] = {
  { CURED_ELEMENT_F32, 1, "|float|" },
  { CURED_ELEMENT_F64, 1, "|double|" },
  { CURED_ELEMENT_I32, 1, "|int|signed|signed int|int32_t|" },
  { CURED_ELEMENT_U32, 1, "|unsigned|unsigned int|uint32_t|uint|" },
  { CURED_ELEMENT_I64, 1,
    "|long|long int|long long|long long int|signed long long|int64_t|ptrdiff_t|intptr_t"
    "|clock_t|" },
  { CURED_ELEMENT_U64, 1,
    "|size_t|uint64_t|uintptr_t|ulong|unsigned long|unsigned long int|unsigned long long"
    "|unsigned long long int|" },
  { CURED_ELEMENT_I8, 1, "|char|signed char|int8_t|" },
  { CURED_ELEMENT_U8, 1, "|unsigned char|uchar|uint8_t|bool|" },
  { CURED_ELEMENT_I16, 1, "|short|short int|int16_t|" },
  { CURED_ELEMENT_U16, 1, "|unsigned short|unsigned short int|ushort|uint16_t|" },
  { CURED_ELEMENT_F16, 1, "|half|__half|" },
  { CURED_ELEMENT_BF16, 1, "|nv_bfloat16|__nv_bfloat16|" },
  { CURED_ELEMENT_E4M3, 1, "|__nv_fp8_e4m3|" },
  { CURED_ELEMENT_E5M2, 1, "|__nv_fp8_e5m2|" },
  { CURED_ELEMENT_F16, 2, "|half2|__half2|" },
  { CURED_ELEMENT_BF16, 2, "|nv_bfloat162|__nv_bfloat162|" },
  { CURED_ELEMENT_E4M3, 2, "|__nv_fp8x2_e4m3|" },
  { CURED_ELEMENT_E4M3, 4, "|__nv_fp8x4_e4m3|" },
  { CURED_ELEMENT_E5M2, 2, "|__nv_fp8x2_e5m2|" },
  { CURED_ELEMENT_E5M2, 4, "|__nv_fp8x4_e5m2|" },
  VECTORS ("float", CURED_ELEMENT_F32),
  { CURED_ELEMENT_F32, 2, "|cuComplex|cuFloatComplex|cufftComplex|" },
  VECTORS ("double", CURED_ELEMENT_F64),
  { CURED_ELEMENT_F64, 2, "|cuDoubleComplex|cufftDoubleComplex|" },
  VECTORS ("int", CURED_ELEMENT_I32),
  VECTORS ("uint", CURED_ELEMENT_U32),
  VECTORS ("char", CURED_ELEMENT_I8),
  VECTORS ("uchar", CURED_ELEMENT_U8),
  VECTORS ("short", CURED_ELEMENT_I16),
  VECTORS ("ushort", CURED_ELEMENT_U16),
  { CURED_ELEMENT_I64, 2, "|longlong2|" },
  { CURED_ELEMENT_I64, 4, "|longlong4|" },
  { CURED_ELEMENT_U64, 2, "|ulonglong2|" },
  { CURED_ELEMENT_U64, 4, "|ulonglong4|" },
};

/* @name: a type of C or of CUDA, with single blanks: `unsigned int`
 * @type: (out): the element type of its components
 * @count: (out): number of components: 4 for `float4`
 * Returns: FALSE if the table lacks it */
gboolean
cured_element_find_c_type (const char *name, CuredElement *type, guint *count)
{
  g_autofree char *barred = g_strconcat ("|", name, "|", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (c_types) && strchr (name, '|') == NULL; i++)
    if (strstr (c_types[i].names, barred) != NULL)
      {
        *type = c_types[i].type;
        *count = c_types[i].count;
        return TRUE;
      }
  return FALSE;
}

/* Returns: (transfer none): "f32", as kernel files have it */
const char *
cured_element_to_string (CuredElement type)
{
  g_return_val_if_fail (type < CURED_N_ELEMENTS, NULL);
  return infos[type].word;
}

/* @word: "f32"
 * @type: (out): the type
 * Returns: FALSE where there is no such type */
gboolean
cured_element_from_string (const char *word, CuredElement *type)
{
  for (int i = 0; i < CURED_N_ELEMENTS; i++)
    if (g_str_equal (infos[i].word, word))
      {
        *type = (CuredElement) i;
        return TRUE;
      }
  return FALSE;
}

/* Returns: its size in bytes */
gsize
cured_element_get_size (CuredElement type)
{
  g_return_val_if_fail (type < CURED_N_ELEMENTS, 0);
  return infos[type].size;
}

/* Returns: whether its numbers are integers */
gboolean
cured_element_is_integer (CuredElement type)
{
  g_return_val_if_fail (type < CURED_N_ELEMENTS, FALSE);
  return infos[type].kind != KIND_REAL;
}

/* @type: an element type of integers
 * @low: (out): the least number that it holds
 * @high: (out): the greatest one; G_MAXINT64 for `u64`, too */
void
cured_element_get_range (CuredElement type, gint64 *low, gint64 *high)
{
  gsize bits = 8 * infos[type].size;

  if (infos[type].kind == KIND_UNSIGNED)
    {
      *low = 0;
      *high = bits == 64 ? G_MAXINT64 : (G_GINT64_CONSTANT (1) << bits) - 1;
      return;
    }
  *high = bits == 64 ? G_MAXINT64 : (G_GINT64_CONSTANT (1) << (bits - 1)) - 1;
  *low = -*high - 1;
}

/* @type: an element type of reals
 * Returns: the greatest finite number that it holds */
double
cured_element_get_largest (CuredElement type)
{
  const Info *info = &infos[type];
  int bias = (1 << (info->exponent_bits - 1)) - 1;

  /* Where other types encode infinity, e4m3 has numbers, and a NaN as the last code. */
  if (!info->has_infinity)
    return ldexp (2 - 2 * ldexp (1, -info->digit_bits), bias + 1);
  return ldexp (2 - ldexp (1, -info->digit_bits), bias);
}

/* Returns: the default relative tolerance: for reals of 8 and 16 bits, the distance of neighbours
 *   at 1, since the order of a sum changes their last digit; 0 for all others */
double
cured_element_get_default_relative (CuredElement type)
{
  if (infos[type].kind != KIND_REAL || infos[type].size > 2)
    return 0;
  return ldexp (1, -infos[type].digit_bits);
}

/* Returns: whether the pattern of Fill=poison is a value that no kernel would write: FALSE for a
 *   byte, and for `f16`, where it is -0.052 */
gboolean
cured_element_tells_poison (CuredElement type)
{
  return infos[type].size >= 4 || type == CURED_ELEMENT_BF16;
}

/* ---- Encoding ---- */

static guint64
load_bits (gsize size, const void *data)
{
  guint8 byte;
  guint16 half;
  guint32 word;
  guint64 bits;

  switch (size)
    {
    case 1: memcpy (&byte, data, sizeof byte); return byte;
    case 2: memcpy (&half, data, sizeof half); return half;
    case 4: memcpy (&word, data, sizeof word); return word;
    default: memcpy (&bits, data, sizeof bits); return bits;
    }
}

static void
store_bits (gsize size, void *data, guint64 bits)
{
  guint8 byte = (guint8) bits;
  guint16 half = (guint16) bits;
  guint32 word = (guint32) bits;

  switch (size)
    {
    case 1: memcpy (data, &byte, sizeof byte); break;
    case 2: memcpy (data, &half, sizeof half); break;
    case 4: memcpy (data, &word, sizeof word); break;
    default: memcpy (data, &bits, sizeof bits); break;
    }
}

/* Decodes a small float: sign, exponent, mantissa. */
static double
decode (const Info *info, guint64 bits)
{
  int bias = (1 << (info->exponent_bits - 1)) - 1;
  guint64 digit_mask = (G_GUINT64_CONSTANT (1) << info->digit_bits) - 1;
  guint64 exponent_mask = (G_GUINT64_CONSTANT (1) << info->exponent_bits) - 1;
  guint64 digits = bits & digit_mask;
  int exponent = (int) (bits >> info->digit_bits & exponent_mask);
  gboolean is_negative = (bits >> (info->digit_bits + info->exponent_bits) & 1) != 0;
  double value;

  if (exponent == (int) exponent_mask && (info->has_infinity || digits == digit_mask))
    value = digits == 0 ? (double) INFINITY : (double) NAN;
  else if (exponent == 0)
    value = ldexp ((double) digits, 1 - bias - info->digit_bits);
  else
    value = ldexp ((double) (digits | (digit_mask + 1)), exponent - bias - info->digit_bits);
  return is_negative ? -value : value;
}

/* Rounds to nearest, ties to even. Values that are too large become infinite; in types of 8 bits,
 * the greatest number, as in CUDA's conversions. */
static guint64
encode (const Info *info, double value)
{
  int bias = (1 << (info->exponent_bits - 1)) - 1;
  guint64 digit_mask = (G_GUINT64_CONSTANT (1) << info->digit_bits) - 1;
  guint64 exponent_mask = (G_GUINT64_CONSTANT (1) << info->exponent_bits) - 1;
  guint64 sign = (guint64) (signbit (value) != 0) << (info->digit_bits + info->exponent_bits);
  double most = cured_element_get_largest ((CuredElement) (info - infos)), size = fabs (value);

  if (isnan (value))
    return sign | exponent_mask << info->digit_bits | digit_mask;
  if (isinf (value) && info->has_infinity)
    return sign | exponent_mask << info->digit_bits;
  if (size == 0)
    return sign;
  int exponent = MAX (ilogb (MIN (size, most)), 1 - bias);
  double scaled = ldexp (MIN (size, 2 * most), info->digit_bits - exponent);
  /* Exact below 2^53; rint() rounds to nearest, ties to even. */
  guint64 digits = (guint64) rint (scaled);
  if (digits > 2 * digit_mask + 1)
    {
      digits >>= 1;
      exponent++;
    }
  if (ldexp ((double) digits, exponent - info->digit_bits) > most)
    {
      if (info->size > 1)
        return sign | exponent_mask << info->digit_bits;
      exponent = ilogb (most);
      digits = (guint64) ldexp (most, info->digit_bits - exponent);
    }
  if (digits <= digit_mask)
    return sign | digits;
  return sign | (guint64) (exponent + bias) << info->digit_bits | (digits & digit_mask);
}

/* @data: one element, aligned or not
 * Returns: its number; integers of 64 bits are rounded */
double
cured_element_load (CuredElement type, const void *data)
{
  float single;
  double real;

  switch (type)
    {
    case CURED_ELEMENT_F32: memcpy (&single, data, sizeof single); return (double) single;
    case CURED_ELEMENT_F64: memcpy (&real, data, sizeof real); return real;
    case CURED_ELEMENT_U64: return (double) load_bits (8, data);
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
    case CURED_ELEMENT_I64:
    case CURED_ELEMENT_I8:
    case CURED_ELEMENT_U8:
    case CURED_ELEMENT_I16:
    case CURED_ELEMENT_U16: return (double) cured_element_load_integer (type, data);
    case CURED_ELEMENT_F16:
    case CURED_ELEMENT_BF16:
    case CURED_ELEMENT_E4M3:
    case CURED_ELEMENT_E5M2: return decode (&infos[type], load_bits (infos[type].size, data));
    case CURED_N_ELEMENTS:
    default: g_return_val_if_reached (0);
    }
}

/* @type: an element type of integers
 * @data: one element, aligned or not
 * Returns: its number; a `u64` as the same bits */
gint64
cured_element_load_integer (CuredElement type, const void *data)
{
  const Info *info = &infos[type];
  guint64 bits = load_bits (info->size, data);
  guint shift = (guint) (64 - 8 * info->size);

  return info->kind == KIND_SIGNED ? (gint64) (bits << shift) >> shift : (gint64) bits;
}

/* @type: an element type of reals
 * @data: room for one element, aligned or not
 * @value: the value to store, rounded to nearest */
void
cured_element_store (CuredElement type, void *data, double value)
{
  float single = (float) value;

  if (type == CURED_ELEMENT_F32)
    memcpy (data, &single, sizeof single);
  else if (type == CURED_ELEMENT_F64)
    memcpy (data, &value, sizeof value);
  else
    store_bits (infos[type].size, data, encode (&infos[type], value));
}

/* @type: an element type of integers
 * @data: room for one element, aligned or not
 * @value: the value to store, wrapped to the type */
void
cured_element_store_integer (CuredElement type, void *data, guint64 value)
{
  store_bits (infos[type].size, data, value);
}

/* @type: an element type of reals
 * @value: a finite number of the type
 * Returns: the next smaller number of the type */
double
cured_element_step_down (CuredElement type, double value)
{
  const Info *info = &infos[type];

  if (type == CURED_ELEMENT_F32)
    return (double) nextafterf ((float) value, -INFINITY);
  if (type == CURED_ELEMENT_F64)
    return nextafter (value, (double) -INFINITY);
  if (value == 0)
    return -decode (info, 1);
  guint64 bits = encode (info, value);
  return decode (info, value > 0 ? bits - 1 : bits + 1);
}

/* ---- Buffers ---- */

/* @self: a buffer of one type
 * Returns: bytes of one element with all its fields */
gsize
cured_buffer_get_element_size (const CuredBuffer *self)
{
  return self->record != NULL ? self->record->size : cured_element_get_size (self->type);
}

/* @self: a buffer of one type
 * @type: (out): type of a channel
 * @n_channels: (out): channels of an element
 * Returns: whether its elements are possible in a texture: 1, 2 or 4 reals of 16 or 32 bits, or
 *   integers of up to 32 */
gboolean
cured_buffer_get_channels (const CuredBuffer *self, CuredElement *type, guint *n_channels)
{
  const CuredRecord *record = self->record;

  *type = record != NULL ? record->fields[0].type : self->type;
  *n_channels = record != NULL ? (guint) record->n_fields : 1;
  if ((record != NULL && (!record->is_plain || record->fields[0].is_pointer)) ||
      (*n_channels != 1 && *n_channels != 2 && *n_channels != 4))
    return FALSE;
  return *type == CURED_ELEMENT_F16 || *type == CURED_ELEMENT_F32 ||
         (cured_element_is_integer (*type) && cured_element_get_size (*type) <= 4);
}

/* @self: a buffer of one type
 * Returns: (transfer none): its type, as written in a kernel file */
const char *
cured_buffer_get_type_name (const CuredBuffer *self)
{
  return self->record != NULL ? self->record->text : cured_element_to_string (self->type);
}
