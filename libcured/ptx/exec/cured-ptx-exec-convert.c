/* SPDX-License-Identifier: MIT
 * Conversions; PTX ISA 9.0, section 9.7.9 (cvt, cvt.pack).
 *
 * Which suffixes go together is what ptxas accepts for sm_90. */
#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

#include <math.h>

#define INFO(type) (&_cured_ptx_types[type])

/* ---- Lanes of any width ---- */

static inline uint64_t
get_lane (const uint8_t *lanes, unsigned width, unsigned l)
{
  switch (width)
    {
    case 2:
      return ((const uint16_t *) lanes)[l];
    case 4:
      return ((const uint32_t *) lanes)[l];
    default:
      return ((const uint64_t *) lanes)[l];
    }
}

static inline void
set_lane (uint8_t *lanes, unsigned width, unsigned l, uint64_t value)
{
  switch (width)
    {
    case 2:
      ((uint16_t *) lanes)[l] = (uint16_t) value;
      break;
    case 4:
      ((uint32_t *) lanes)[l] = (uint32_t) value;
      break;
    default:
      ((uint64_t *) lanes)[l] = value;
    }
}

/* ---- Integers to integers ---- */

/* Extends the low bits of @mask, of which @sign is the highest; @sign 0: with zeros. Both are the
 * same in all lanes, and it needs no shifts. */
#define EXTEND(x, mask, sign) ((((x) & (mask)) ^ (sign)) - (sign))

static inline uint64_t
mask_of (CuredPtxType type)
{
  return UINT64_MAX >> (64 - 8 * INFO (type)->bytes);
}

static inline uint64_t
sign_of (CuredPtxType type)
{
  return INFO (type)->kind == CURED_PTX_KIND_S ? UINT64_C (1) << (8 * INFO (type)->bytes - 1) : 0;
}

/* A source is as wide as its type says in a register that may be wider; the result is extended to
 * the register's width. */
#define RESIZE(name, D, A, W)                                                                      \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    D *d = LANES (D, inst->x[0]);                                                                  \
    const A *a = LANES (A, inst->x[1]);                                                            \
    W from_mask = (W) mask_of (inst->types[1]);                                                    \
    W from_sign = (W) sign_of (inst->types[1]);                                                    \
    W to_mask = (W) mask_of (inst->types[0]);                                                      \
    W to_sign = (W) sign_of (inst->types[0]);                                                      \
                                                                                                   \
    FOR_LANES (mask, W x = a[l]; x = EXTEND (x, from_mask, from_sign);                             \
               d[l] = (D) EXTEND (x, to_mask, to_sign));                                           \
  }

RESIZE (resize_16_16, uint16_t, uint16_t, uint32_t)
RESIZE (resize_16_32, uint16_t, uint32_t, uint32_t)
RESIZE (resize_16_64, uint16_t, uint64_t, uint64_t)
RESIZE (resize_32_16, uint32_t, uint16_t, uint32_t)
RESIZE (resize_32_32, uint32_t, uint32_t, uint32_t)
RESIZE (resize_32_64, uint32_t, uint64_t, uint64_t)
RESIZE (resize_64_16, uint64_t, uint16_t, uint64_t)
RESIZE (resize_64_32, uint64_t, uint32_t, uint64_t)
RESIZE (resize_64_64, uint64_t, uint64_t, uint64_t)

/* The most common ones. */
UNARY (widen_u32, uint64_t, uint32_t, a)
UNARY (widen_s32, int64_t, int32_t, a)
UNARY (narrow_64, uint32_t, uint64_t, a)

/* By log2 of the registers' bytes. */
static const CuredPtxHandler resizers[3][3] = {
  { resize_16_16, resize_16_32, resize_16_64 },
  { resize_32_16, resize_32_32, resize_32_64 },
  { resize_64_16, resize_64_32, resize_64_64 },
};

static void
saturate_integer (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  uint8_t *d = LANES (uint8_t, inst->x[0]);
  const uint8_t *a = LANES (uint8_t, inst->x[1]);
  uint64_t sign = sign_of (to);
  /* Of the destination: the least, which is negative or 0, and the greatest. */
  int64_t least = (int64_t) -sign;
  uint64_t greatest = mask_of (to) - sign;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t x = get_lane (a, inst->x[1].width, l);
      bool is_negative;

      x = EXTEND (x, mask_of (from), sign_of (from));
      is_negative = sign_of (from) != 0 && (int64_t) x < 0;
      if (is_negative)
        x = (int64_t) x < least ? (uint64_t) least : x;
      else
        x = MIN (x, greatest);
      set_lane (d, inst->x[0].width, l, x);
    }
}

static CuredPtxHandler
select_integer (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  gboolean to_signed = INFO (to)->kind == CURED_PTX_KIND_S;
  gboolean from_signed = INFO (from)->kind == CURED_PTX_KIND_S;
  unsigned to_width = inst->x[0].width;
  unsigned from_width = inst->x[1].width;

  REFUSE_IF (WORD_OF (inst, ROUND), "rounds no integer to an integer");
  REFUSE_IF (WORD_OF (inst, FTZ), ".ftz is for .f32");
  REFUSE_IF (WORD_OF (inst, RELU), ".relu is for .f32 to narrower types");
  if (WORD_OF (inst, SAT))
    {
      gboolean holds_all = to_signed == from_signed
                               ? INFO (to)->bytes >= INFO (from)->bytes
                               : to_signed && INFO (to)->bytes > INFO (from)->bytes;

      REFUSE_IF (WORD_OF (inst, SAT) != CURED_PTX_SAT_SAT || holds_all,
                 "saturates only where values do not fit");
      return saturate_integer;
    }
  if (to_width == 8 && from_width == 4 && from == CURED_PTX_U32 && INFO (to)->bytes == 8)
    return widen_u32;
  if (to_width == 8 && from_width == 4 && from == CURED_PTX_S32 && INFO (to)->bytes == 8)
    return widen_s32;
  if (to_width == 4 && from_width == 8 && INFO (to)->bytes == 4 && INFO (from)->bytes == 8)
    return narrow_64;
  return resizers[to_width == 8 ? 2 : to_width == 4][from_width == 8 ? 2 : from_width == 4];
}

/* ---- Integers to floating point ---- */

/* The bits of an integer in a format of @e bits of exponent and @m of significand, rounded once,
 * whatever the host's rounding mode is. */
static inline uint64_t
float_of_integer (uint64_t magnitude, bool is_negative, unsigned e, unsigned m,
                  CuredPtxWord rounding)
{
  uint64_t infinity = ((UINT64_C (1) << e) - 1) << m;
  uint64_t bias = (UINT64_C (1) << (e - 1)) - 1;
  unsigned top, below;
  uint64_t bits;

  if (magnitude == 0)
    return 0;
  top = 63 - (unsigned) __builtin_clzll (magnitude);
  if (top <= m)
    bits = magnitude << (m - top);
  else
    {
      uint64_t half, rest;
      bool goes_up;

      below = top - m;
      half = UINT64_C (1) << (below - 1);
      rest = magnitude & (2 * half - 1);
      bits = magnitude >> below;
      switch ((int) rounding)
        {
        case CURED_PTX_ROUND_RN:
          goes_up = rest > half || (rest == half && (bits & 1) != 0);
          break;
        case CURED_PTX_ROUND_RM:
          goes_up = is_negative && rest != 0;
          break;
        case CURED_PTX_ROUND_RP:
          goes_up = !is_negative && rest != 0;
          break;
        default:
          goes_up = false;
        }
      bits += goes_up;
    }
  /* The hidden bit counts as one of the exponent, and so does a carry. */
  bits += (top + bias - 1) << m;
  if (bits >= infinity)
    bits = cured_stays_finite (is_negative, rounding) ? infinity - 1 : infinity;
  return bits | (uint64_t) is_negative << (e + m);
}

typedef struct
{
  unsigned e;
  unsigned m;
} Format;

static inline Format
format_of (CuredPtxType type)
{
  switch ((int) type)
    {
    case CURED_PTX_F16:
      return (Format){ 5, 10 };
    case CURED_PTX_BF16:
      return (Format){ 8, 7 };
    case CURED_PTX_F32:
      return (Format){ 8, 23 };
    default:
      return (Format){ 11, 52 };
    }
}

/* Into [0, 1], by the bits of any format: up to 1 they order as the numbers do. NaN, and negative
 * numbers with -0, become +0. */
static inline uint64_t
saturate_bits (uint64_t bits, Format format)
{
  uint64_t infinity = ((UINT64_C (1) << format.e) - 1) << format.m;
  uint64_t one = ((UINT64_C (1) << (format.e - 1)) - 1) << format.m;

  return bits > infinity ? 0 : MIN (bits, one);
}

static void
integer_to_float (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxType from = inst->types[1];
  Format format = format_of (inst->types[0]);
  uint8_t *d = LANES (uint8_t, inst->x[0]);
  const uint8_t *a = LANES (uint8_t, inst->x[1]);

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t x = get_lane (a, inst->x[1].width, l);
      bool is_negative;
      uint64_t bits;

      x = EXTEND (x, mask_of (from), sign_of (from));
      is_negative = sign_of (from) != 0 && (int64_t) x < 0;
      bits = float_of_integer (is_negative ? -x : x, is_negative, format.e, format.m,
                               WORD_OF (inst, ROUND));
      if (WORD_OF (inst, SAT))
        bits = saturate_bits (bits, format);
      set_lane (d, inst->x[0].width, l, bits);
    }
}

/* To nearest is how the host rounds, always: nothing here changes its mode. */
UNARY (f32_of_s32, float, int32_t, (float) a)
UNARY (f32_of_u32, float, uint32_t, (float) a)
UNARY (f32_of_s64, float, int64_t, (float) a)
UNARY (f32_of_u64, float, uint64_t, (float) a)
UNARY (f64_of_s32, double, int32_t, a)
UNARY (f64_of_u32, double, uint32_t, a)
UNARY (f64_of_s64, double, int64_t, (double) a)
UNARY (f64_of_u64, double, uint64_t, (double) a)

static bool
is_float_rounding (CuredPtxWord word)
{
  return word == CURED_PTX_ROUND_RN || word == CURED_PTX_ROUND_RZ || word == CURED_PTX_ROUND_RM ||
         word == CURED_PTX_ROUND_RP;
}

static bool
is_integer_rounding (CuredPtxWord word)
{
  return word == CURED_PTX_ROUND_RNI || word == CURED_PTX_ROUND_RZI ||
         word == CURED_PTX_ROUND_RMI || word == CURED_PTX_ROUND_RPI;
}

static CuredPtxHandler
select_integer_to_float (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  CuredPtxWord rounding = WORD_OF (inst, ROUND);

  REFUSE_IF (!is_float_rounding (rounding), "wants .rn, .rz, .rm or .rp");
  REFUSE_IF (WORD_OF (inst, RELU), ".relu is for .f32 to narrower types");
  REFUSE_IF (WORD_OF (inst, FTZ) && to != CURED_PTX_F32, ".ftz is for .f32");
  REFUSE_IF (WORD_OF (inst, SAT) &&
                 (WORD_OF (inst, SAT) != CURED_PTX_SAT_SAT || to == CURED_PTX_BF16),
             "takes .sat for .f16, .f32 and .f64 only");
  REFUSE_IF (to == CURED_PTX_BF16 && INFO (from)->bytes == 1, "makes no .bf16 of 8 bits");
  if (rounding != CURED_PTX_ROUND_RN || WORD_OF (inst, SAT) ||
      inst->x[0].width != INFO (to)->bytes || inst->x[1].width != INFO (from)->bytes)
    return integer_to_float;
  if (to == CURED_PTX_F32)
    switch ((int) from)
      {
      case CURED_PTX_S32:
        return f32_of_s32;
      case CURED_PTX_U32:
        return f32_of_u32;
      case CURED_PTX_S64:
        return f32_of_s64;
      case CURED_PTX_U64:
        return f32_of_u64;
      default:
        return integer_to_float;
      }
  if (to == CURED_PTX_F64)
    switch ((int) from)
      {
      case CURED_PTX_S32:
        return f64_of_s32;
      case CURED_PTX_U32:
        return f64_of_u32;
      case CURED_PTX_S64:
        return f64_of_s64;
      case CURED_PTX_U64:
        return f64_of_u64;
      default:
        return integer_to_float;
      }
  return integer_to_float;
}

/* ---- Floating point to integers ---- */

static inline double
round_to_integer (double x, CuredPtxWord rounding)
{
  switch ((int) rounding)
    {
    case CURED_PTX_ROUND_RNI:
      return roundeven (x);
    case CURED_PTX_ROUND_RMI:
      return floor (x);
    case CURED_PTX_ROUND_RPI:
      return ceil (x);
    default:
      return trunc (x);
    }
}

/* A lane of any format, exactly; NaN stays one. */
static inline double
get_float (const uint8_t *lanes, unsigned width, unsigned l, CuredPtxType type)
{
  uint64_t bits = get_lane (lanes, width, l);

  switch ((int) type)
    {
    case CURED_PTX_F16:
      return cured_f16_to_f32 ((uint16_t) bits);
    case CURED_PTX_BF16:
      return cured_bf16_to_f32 ((uint16_t) bits);
    case CURED_PTX_F32:
      return cured_f32_of_bits ((uint32_t) bits);
    default:
      return cured_f64_of_bits (bits);
    }
}

/* NaN becomes 0; where an f64 or 64 bits take part, the highest bit alone. */
static inline uint64_t
integer_of_nan (CuredPtxType to, CuredPtxType from)
{
  unsigned bytes = INFO (to)->bytes;

  return from == CURED_PTX_F64 || bytes == 8 ? UINT64_C (1) << (8 * bytes - 1) : 0;
}

static void
float_to_integer (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  CuredPtxWord rounding = WORD_OF (inst, ROUND);
  gboolean is_ftz = WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD;
  uint8_t *d = LANES (uint8_t, inst->x[0]);
  const uint8_t *a = LANES (uint8_t, inst->x[1]);
  uint64_t sign = sign_of (to);
  uint64_t greatest = mask_of (to) - sign;
  /* What is beyond the range: 2 to the power of the bits without the sign. */
  double end = 2.0 * (double) (greatest / 2 + 1);

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      double x = get_float (a, inst->x[1].width, l, from);
      uint64_t value;

      if (is_ftz)
        x = fabs (x) < 0x1p-126 ? 0 : x;
      x = round_to_integer (x, rounding);
      if (x != x)
        value = integer_of_nan (to, from);
      else if (x >= end)
        value = greatest;
      else if (sign == 0)
        value = x > 0 ? (uint64_t) x : 0;
      else
        value = x > -end ? (uint64_t) (int64_t) x : (uint64_t) -sign;
      set_lane (d, inst->x[0].width, l, EXTEND (value, mask_of (to), sign));
    }
}

/* The same of the most common types, without branches. Every float from 2^31 on is whole, so that
 * the greatest below 2^31 is not 2^31 - 1: the end is tested apart. */
static inline int32_t
s32_of_whole_f32 (float x)
{
  float inside = x < 0x1p31f && x >= -0x1p31f ? x : 0;
  int32_t value = (int32_t) inside;

  value = x >= 0x1p31f ? INT32_MAX : value;
  return x < -0x1p31f ? INT32_MIN : value;
}

static inline uint32_t
u32_of_whole_f32 (float x)
{
  float low = x < 0x1p31f && x >= 0 ? x : 0;
  float high = x < 0x1p32f && x >= 0x1p31f ? x - 0x1p31f : 0;
  uint32_t value = (uint32_t) (int32_t) low + (uint32_t) (int32_t) high;

  value |= x >= 0x1p31f ? 0x80000000u : 0;
  return x >= 0x1p32f ? UINT32_MAX : value;
}

#define WHOLE(name, rounded)                                                                       \
  UNARY (s32_of_f32_##name, int32_t, float, s32_of_whole_f32 (rounded (a)))                        \
  UNARY (u32_of_f32_##name, uint32_t, float, u32_of_whole_f32 (rounded (a)))

WHOLE (rni, roundevenf)
WHOLE (rzi, truncf)
WHOLE (rmi, floorf)
WHOLE (rpi, ceilf)

static CuredPtxHandler
select_float_to_integer (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  CuredPtxWord rounding = WORD_OF (inst, ROUND);

  REFUSE_IF (!is_integer_rounding (rounding), "wants .rni, .rzi, .rmi or .rpi");
  REFUSE_IF (WORD_OF (inst, RELU), ".relu is for .f32 to narrower types");
  REFUSE_IF (WORD_OF (inst, FTZ) && from != CURED_PTX_F32, ".ftz is for .f32");
  REFUSE_IF (WORD_OF (inst, SAT) &&
                 (WORD_OF (inst, SAT) != CURED_PTX_SAT_SAT || from == CURED_PTX_BF16),
             "takes .sat for .f16, .f32 and .f64 only");
  REFUSE_IF (from == CURED_PTX_BF16 && INFO (to)->bytes == 1, "makes no 8 bits of .bf16");
  if (from == CURED_PTX_F32 && !WORD_OF (inst, FTZ) && inst->x[0].width == 4 &&
      inst->x[1].width == 4 && INFO (to)->bytes == 4)
    switch ((int) rounding)
      {
      case CURED_PTX_ROUND_RNI:
        return to == CURED_PTX_S32 ? s32_of_f32_rni : u32_of_f32_rni;
      case CURED_PTX_ROUND_RZI:
        return to == CURED_PTX_S32 ? s32_of_f32_rzi : u32_of_f32_rzi;
      case CURED_PTX_ROUND_RMI:
        return to == CURED_PTX_S32 ? s32_of_f32_rmi : u32_of_f32_rmi;
      default:
        return to == CURED_PTX_S32 ? s32_of_f32_rpi : u32_of_f32_rpi;
      }
  return float_to_integer;
}

/* ---- Floating point to floating point ---- */

/* Where an f64 takes part, NaN keeps its sign and what of its payload there is room for, and
 * becomes quiet; otherwise it becomes the canonical one. */
static inline uint64_t
convert_nan (uint64_t bits, CuredPtxType to, CuredPtxType from, bool is_ftz)
{
  Format source = format_of (from);
  Format result = format_of (to);
  uint64_t fraction = bits << (64 - source.m);
  uint64_t sign = bits >> (source.e + source.m) & 1;

  if (to != CURED_PTX_F64 && from != CURED_PTX_F64)
    return to == CURED_PTX_F32 ? CURED_NAN_F32 : CURED_NAN_F16;
  /* .ftz of an f32 source is an addition in f32. */
  if (is_ftz && from == CURED_PTX_F32)
    {
      fraction = UINT64_MAX << (64 - source.m);
      sign = 0;
    }
  fraction |= UINT64_C (1) << 63;
  return sign << (result.e + result.m) | ((UINT64_C (1) << result.e) - 1) << result.m |
         fraction >> (64 - result.m);
}

static inline uint64_t
narrow (double x, CuredPtxType to, CuredPtxWord rounding)
{
  switch ((int) to)
    {
    case CURED_PTX_F16:
      return cured_f64_to_f16 (x, rounding);
    case CURED_PTX_BF16:
      return cured_f64_to_bf16 (x, rounding);
    case CURED_PTX_F32:
      return cured_bits_of_f32 (cured_f64_to_f32 (x, rounding));
    default:
      return cured_bits_of_f64 (x);
    }
}

/* Any format to any other, or the same with its value made whole. */
static void
float_to_float (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  CuredPtxWord rounding = WORD_OF (inst, ROUND);
  CuredPtxWord saturation = WORD_OF (inst, SAT);
  bool is_whole = is_integer_rounding (rounding);
  gboolean is_ftz = WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD;
  gboolean is_relu = WORD_OF (inst, RELU) != CURED_PTX_NO_WORD;
  Format format = format_of (to);
  uint64_t infinity = ((UINT64_C (1) << format.e) - 1) << format.m;
  uint64_t sign = UINT64_C (1) << (format.e + format.m);
  uint8_t *d = LANES (uint8_t, inst->x[0]);
  const uint8_t *a = LANES (uint8_t, inst->x[1]);

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      double x = get_float (a, inst->x[1].width, l, from);
      uint64_t bits;

      if (is_ftz && from == CURED_PTX_F32)
        x = fabs (x) < 0x1p-126 ? copysign (0, x) : x;
      if (is_whole)
        x = round_to_integer (x, rounding);
      if (x != x)
        bits = convert_nan (get_lane (a, inst->x[1].width, l), to, from, is_ftz);
      else
        bits = narrow (x, to, is_float_rounding (rounding) ? rounding : CURED_PTX_ROUND_RN);
      if (is_ftz && to == CURED_PTX_F32 && (bits & infinity) == 0)
        bits &= sign;
      if (saturation == CURED_PTX_SAT_SAT)
        bits = saturate_bits (bits, format);
      else if (saturation == CURED_PTX_SAT_SATFINITE && (bits & ~sign) == infinity)
        bits--;
      if (is_relu && (bits & sign) != 0)
        bits = 0;
      set_lane (d, inst->x[0].width, l, bits);
    }
}

UNARY (f32_of_f16, float, uint16_t, cured_f16_to_f32 (a))
UNARY (f32_of_bf16, uint32_t, uint16_t, (uint32_t) a << 16)
UNARY (f16_of_f32, uint16_t, float, cured_f32_to_f16 (a, CURED_PTX_ROUND_RN))
UNARY (bf16_of_f32, uint16_t, float, cured_f32_to_bf16 (a, CURED_PTX_ROUND_RN))
UNARY (f32_of_f32_sat, float, float, cured_saturate_f32 (a))
/* ptxas copies halves with an addition, and others as they are. */
UNARY (f16_of_f16, uint16_t, uint16_t, (a & 0x7fff) > 0x7c00 ? CURED_NAN_F16 : a)
UNARY (bf16_of_bf16, uint16_t, uint16_t, (a & 0x7fff) > 0x7f80 ? CURED_NAN_F16 : a)
UNARY (copy_32, uint32_t, uint32_t, a)
UNARY (copy_64, uint64_t, uint64_t, a)

static CuredPtxHandler
select_float_to_float (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  CuredPtxWord rounding = WORD_OF (inst, ROUND);
  CuredPtxWord saturation = WORD_OF (inst, SAT);
  gboolean is_ftz = WORD_OF (inst, FTZ) != CURED_PTX_NO_WORD;
  gboolean is_relu = WORD_OF (inst, RELU) != CURED_PTX_NO_WORD;
  gboolean is_narrower = INFO (to)->bytes < INFO (from)->bytes ||
                         (INFO (to)->bytes == INFO (from)->bytes && to != from);
  gboolean is_narrow_of_f32 = from == CURED_PTX_F32 && INFO (to)->bytes == 2;
  gboolean is_exact =
      inst->x[0].width == INFO (to)->bytes && inst->x[1].width == INFO (from)->bytes;

  REFUSE_IF (is_ftz && to != CURED_PTX_F32 && from != CURED_PTX_F32, ".ftz is for .f32");
  REFUSE_IF (saturation == CURED_PTX_SAT_SAT && (to == CURED_PTX_BF16 || from == CURED_PTX_BF16),
             "takes no .sat with .bf16");
  REFUSE_IF ((is_relu || saturation == CURED_PTX_SAT_SATFINITE) &&
                 (!is_narrow_of_f32 || is_ftz ||
                  (rounding != CURED_PTX_ROUND_RN && rounding != CURED_PTX_ROUND_RZ)),
             "takes .relu and .satfinite with .rn or .rz, of .f32 to narrower types");
  REFUSE_IF (is_relu && saturation == CURED_PTX_SAT_SAT, "takes no .relu with .sat");
  if (to == from)
    REFUSE_IF (rounding != CURED_PTX_NO_WORD && !is_integer_rounding (rounding),
               "rounds to the same type with .rni, .rzi, .rmi or .rpi");
  else if (is_narrower)
    REFUSE_IF (!is_float_rounding (rounding), "wants .rn, .rz, .rm or .rp");
  else
    /* A bf16 may say how it would be rounded. */
    REFUSE_IF (rounding != CURED_PTX_NO_WORD &&
                   (from != CURED_PTX_BF16 || !is_float_rounding (rounding)),
               "rounds nothing here");
  if (!is_exact)
    return float_to_float;
  if (saturation == CURED_PTX_NO_WORD && !is_ftz && !is_relu)
    {
      if (to == from && rounding == CURED_PTX_NO_WORD)
        return to == CURED_PTX_F16    ? f16_of_f16
               : to == CURED_PTX_BF16 ? bf16_of_bf16
               : to == CURED_PTX_F32  ? copy_32
                                      : copy_64;
      if (to == CURED_PTX_F32 && from == CURED_PTX_F16)
        return f32_of_f16;
      if (to == CURED_PTX_F32 && from == CURED_PTX_BF16)
        return f32_of_bf16;
      if (to == CURED_PTX_F16 && from == CURED_PTX_F32 && rounding == CURED_PTX_ROUND_RN)
        return f16_of_f32;
      if (to == CURED_PTX_BF16 && from == CURED_PTX_F32 && rounding == CURED_PTX_ROUND_RN)
        return bf16_of_f32;
    }
  if (saturation == CURED_PTX_SAT_SAT && to == CURED_PTX_F32 && to == from && !is_ftz &&
      rounding == CURED_PTX_NO_WORD)
    return f32_of_f32_sat;
  return float_to_float;
}

/* ---- Pairs of halves, and tf32 ---- */

#define F16_OF(x)  cured_f32_to_f16 (x, CURED_PTX_ROUND_RN)
#define BF16_OF(x) cured_f32_to_bf16 (x, CURED_PTX_ROUND_RN)

/* The first source goes to the upper half. */
BINARY (f16x2_of_f32, uint32_t, float, (uint32_t) F16_OF (a) << 16 | (uint32_t) F16_OF (b))
BINARY (bf16x2_of_f32, uint32_t, float, (uint32_t) BF16_OF (a) << 16 | (uint32_t) BF16_OF (b))

static inline uint32_t
make_half (const CuredPtxInst *inst, float x)
{
  CuredPtxWord rounding = WORD_OF (inst, ROUND);
  bool is_bf16 = inst->types[0] == CURED_PTX_BF16X2;
  uint16_t half = is_bf16 ? cured_f32_to_bf16 (x, rounding) : cured_f32_to_f16 (x, rounding);

  if (WORD_OF (inst, SAT))
    half = is_bf16 ? cured_make_finite_bf16 (half) : cured_make_finite_f16 (half);
  if (WORD_OF (inst, RELU))
    half = is_bf16 ? cured_relu_bf16 (half) : cured_relu_f16 (half);
  return half;
}

BINARY (halves_of_f32, uint32_t, float, make_half (inst, a) << 16 | make_half (inst, b))

static CuredPtxHandler
select_halves (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord rounding = WORD_OF (inst, ROUND);

  REFUSE_IF (inst->types[1] != CURED_PTX_F32 || inst->x[2].width == 0, "makes a pair of two .f32");
  REFUSE_IF (inst->x[0].width != 4 || inst->x[1].width != 4 || inst->x[2].width != 4,
             "wants registers of 32 bits");
  REFUSE_IF (rounding != CURED_PTX_ROUND_RN && rounding != CURED_PTX_ROUND_RZ, "wants .rn or .rz");
  REFUSE_IF (WORD_OF (inst, FTZ), "takes no .ftz");
  REFUSE_IF (WORD_OF (inst, SAT) == CURED_PTX_SAT_SAT, "saturates with .satfinite or .relu");
  if (rounding == CURED_PTX_ROUND_RN && !WORD_OF (inst, SAT) && !WORD_OF (inst, RELU))
    return inst->types[0] == CURED_PTX_F16X2 ? f16x2_of_f32 : bf16x2_of_f32;
  return halves_of_f32;
}

/* ptxas does .rna with an addition to the bits: of a NaN, as of infinity, only the lowest bits are
 * cut off. .satfinite then steps back from infinity, and from NaN, which stays one unless its
 * payload is 0. */
static inline uint32_t
make_tf32_rna (uint32_t bits, bool is_finite)
{
  uint32_t rounded = (bits & 0x7fffffff) < 0x7f800000 ? bits + 0x1000 : bits;

  rounded &= 0xffffe000;
  return is_finite && (rounded & 0x7fffffff) >= 0x7f800000 ? rounded - 0x2000 : rounded;
}

static inline uint32_t
make_tf32 (const CuredPtxInst *inst, float x)
{
  uint32_t bits = cured_f32_to_tf32 (x, WORD_OF (inst, ROUND)) & 0xffffe000u;

  return WORD_OF (inst, RELU) && bits >= 0x80000000 ? 0 : bits;
}

UNARY (tf32_rna, uint32_t, uint32_t, make_tf32_rna (a, false))
UNARY (tf32_rna_satfinite, uint32_t, uint32_t, make_tf32_rna (a, true))
UNARY (tf32_any, uint32_t, float, make_tf32 (inst, a))

static CuredPtxHandler
select_tf32 (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord rounding = WORD_OF (inst, ROUND);

  REFUSE_IF (inst->types[1] != CURED_PTX_F32, "makes .tf32 of .f32");
  REFUSE_IF (inst->x[0].width != 4 || inst->x[1].width != 4, "wants registers of 32 bits");
  REFUSE_IF (WORD_OF (inst, FTZ), "takes no .ftz");
  REFUSE_IF (WORD_OF (inst, SAT) == CURED_PTX_SAT_SAT, "saturates with .satfinite or .relu");
  if (rounding == CURED_PTX_ROUND_RNA)
    {
      REFUSE_IF (WORD_OF (inst, RELU), "takes no .relu with .rna");
      return WORD_OF (inst, SAT) ? tf32_rna_satfinite : tf32_rna;
    }
  REFUSE_IF (rounding != CURED_PTX_ROUND_RN && rounding != CURED_PTX_ROUND_RZ,
             "wants .rna, .rn or .rz");
  /* The ISA has it, for chips after sm_90. */
  REFUSE_IF (WORD_OF (inst, SAT), "takes .satfinite with .rna");
  return tf32_any;
}

/* ---- Pairs of floats of 8 bits and less ---- */

/* e4m3 has no infinity, and one NaN of each sign; e5m2 is the upper half of an f16; the smaller
 * ones have neither, and the greatest number for a NaN. What is made of a NaN is positive. PTX ISA
 * 9.0, sections 5.2.3, 9.7.9.21. */
typedef struct
{
  CuredPtxType type;
  int fraction_bits;
  int bias;
  double most;
  uint32_t nan;
  uint32_t sign;
  unsigned apart; /* bits from one of the pair to the other */
} Small;

static const Small smalls[] = {
  { CURED_PTX_E4M3X2, 3, 7, 448, 0x7f, 0x80, 8 }, { CURED_PTX_E5M2X2, 2, 15, 57344, 0x7f, 0x80, 8 },
  { CURED_PTX_E3M2X2, 2, 3, 28, 0x1f, 0x20, 8 },  { CURED_PTX_E2M3X2, 3, 1, 7.5, 0x1f, 0x20, 8 },
  { CURED_PTX_E2M1X2, 1, 1, 6, 0x07, 0x08, 4 },
};

/* (nullable): NULL: it is no such type. */
static const Small *
find_small (CuredPtxType type)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (smalls); i++)
    if (smalls[i].type == type)
      return &smalls[i];
  return NULL;
}

/* Rounded to nearest, and never beyond the greatest: .satfinite is always there. */
static inline uint32_t
make_small (const Small *self, float x, bool is_relu)
{
  double size = fabs ((double) x);
  uint32_t sign = signbit (x) ? self->sign : 0;
  int exponent;
  int digits;

  if (x != x)
    return self->nan;
  if (sign != 0 && is_relu)
    return 0;
  size = MIN (size, self->most);
  exponent = size != 0 ? ilogb (size) : 1 - self->bias;
  exponent = MAX (exponent, 1 - self->bias);
  digits = (int) rint (ldexp (size, self->fraction_bits - exponent));
  /* One that is rounded up to the next power has a digit more, which carries over into the
   * exponent; one below the least normal has none of it. */
  return sign | (uint32_t) (((exponent + self->bias - 1) << self->fraction_bits) + digits);
}

static inline uint32_t
make_f16 (const Small *self, uint32_t bits, bool is_relu)
{
  bool is_e5m2 = self->type == CURED_PTX_E5M2X2;
  uint32_t digits = bits & (self->sign - 1);
  uint32_t half;

  if (self->sign == 0x80)
    half = cured_f8_to_f16 (bits, is_e5m2);
  else
    {
      int exponent = (int) (digits >> self->fraction_bits);
      int fraction = (int) (digits & ((1u << self->fraction_bits) - 1));

      if (exponent != 0)
        fraction |= 1 << self->fraction_bits;
      half =
          cured_f64_to_f16 (ldexp (fraction, MAX (exponent, 1) - self->bias - self->fraction_bits),
                            CURED_PTX_ROUND_RN) |
          ((bits & self->sign) != 0 ? 0x8000 : 0);
    }
  return is_relu && (half & 0x8000) != 0 ? 0 : half;
}

/* The first source goes to the upper half. */
static void
small_of_f32 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const Small *self = find_small (inst->types[0]);
  bool is_relu = WORD_OF (inst, RELU) != CURED_PTX_NO_WORD;
  uint16_t *d = LANES (uint16_t, inst->x[0]);
  const float *a = LANES (const float, inst->x[1]);
  const float *b = LANES (const float, inst->x[2]);

  FOR_LANES (mask, d[l] = (uint16_t) (make_small (self, a[l], is_relu) << self->apart |
                                      make_small (self, b[l], is_relu)));
}

static void
small_of_f16x2 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const Small *self = find_small (inst->types[0]);
  bool is_relu = WORD_OF (inst, RELU) != CURED_PTX_NO_WORD;
  uint16_t *d = LANES (uint16_t, inst->x[0]);
  const uint32_t *a = LANES (const uint32_t, inst->x[1]);

  FOR_LANES (
      mask,
      d[l] = (uint16_t) (make_small (self, cured_f16_to_f32 (a[l] >> 16), is_relu) << self->apart |
                         make_small (self, cured_f16_to_f32 (a[l] & 0xffff), is_relu)));
}

static void
f16x2_of_small (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const Small *self = find_small (inst->types[1]);
  bool is_relu = WORD_OF (inst, RELU) != CURED_PTX_NO_WORD;
  uint32_t *d = LANES (uint32_t, inst->x[0]);
  const uint16_t *a = LANES (const uint16_t, inst->x[1]);

  FOR_LANES (mask, d[l] = make_f16 (self, a[l] >> self->apart, is_relu) << 16 |
                          make_f16 (self, a[l], is_relu));
}

static CuredPtxHandler
select_small (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];
  const Small *small = find_small (to);

  REFUSE_IF (WORD_OF (inst, ROUND) != CURED_PTX_ROUND_RN, "wants .rn");
  REFUSE_IF (WORD_OF (inst, FTZ), "takes no .ftz");
  if (small == NULL)
    {
      REFUSE_IF (to != CURED_PTX_F16X2 || inst->x[2].width != 0,
                 "makes .f16x2 of a pair of 8 bits each");
      REFUSE_IF (inst->x[0].width != 4 || inst->x[1].width != 2,
                 "wants a register of 32 bits, and one of 16");
      REFUSE_IF (WORD_OF (inst, SAT), "saturates nothing here");
      return f16x2_of_small;
    }
  REFUSE_IF (WORD_OF (inst, SAT) != CURED_PTX_SAT_SATFINITE, "wants .satfinite");
  REFUSE_IF (inst->x[0].width != 2 || inst->x[1].width != 4 ||
                 (from == CURED_PTX_F32 && inst->x[2].width != 4),
             "wants a register of 16 bits, and sources of 32");
  if (from == CURED_PTX_F32)
    return small_of_f32;
  REFUSE_IF (from != CURED_PTX_F16X2 || inst->x[2].width != 0,
             "is made of two .f32 or of one .f16x2");
  REFUSE_IF (to == CURED_PTX_E2M3X2 || to == CURED_PTX_E3M2X2, "is made of two .f32");
  return small_of_f16x2;
}

/* ---- Pairs of powers of two ---- */

#define NAN_UE8M0 0xff

/* Of the magnitude: what of it is between two powers is cut off, or rounded up where .rp says
 * so. */
static inline uint32_t
make_power (uint32_t bits, bool is_up, bool is_finite)
{
  uint32_t size = bits & INT32_MAX;
  uint32_t power = size >> 23;

  /* 2 to the power -127 is exact, though no f32 of it has a digit in front. */
  if (is_up && (size & 0x7fffff) != 0 && size > 0x400000 && power != 0xff)
    power++;
  return is_finite && size <= 0x7f800000 && power == NAN_UE8M0 ? NAN_UE8M0 - 1 : power;
}

#define MAKE_POWER(bits)                                                                           \
  make_power (bits, WORD_OF (inst, ROUND) == CURED_PTX_ROUND_RP,                                   \
              WORD_OF (inst, SAT) != CURED_PTX_NO_WORD)

BINARY (powers_of_f32, uint16_t, uint32_t, (uint16_t) (MAKE_POWER (a) << 8 | MAKE_POWER (b)))
UNARY (powers_of_bf16x2, uint16_t, uint32_t,
       (uint16_t) (MAKE_POWER (a & 0xffff0000) << 8 | MAKE_POWER (a << 16)))

static inline uint32_t
make_bf16_of_power (uint32_t power)
{
  return power == NAN_UE8M0 ? CURED_NAN_F16 : power == 0 ? 0x40 : power << 7;
}

UNARY (bf16x2_of_powers, uint32_t, uint16_t,
       make_bf16_of_power (a >> 8) << 16 | make_bf16_of_power (a & 0xff))

static CuredPtxHandler
select_powers (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType from = inst->types[1];
  CuredPtxWord rounding = WORD_OF (inst, ROUND);

  REFUSE_IF (WORD_OF (inst, FTZ) || WORD_OF (inst, RELU), "takes no .ftz and no .relu");
  if (from == CURED_PTX_UE8M0X2)
    {
      REFUSE_IF (inst->types[0] != CURED_PTX_BF16X2 || inst->x[2].width != 0,
                 "makes .bf16x2 of a pair of powers");
      REFUSE_IF (rounding != CURED_PTX_ROUND_RN || WORD_OF (inst, SAT),
                 "wants .rn, and saturates nothing here");
      REFUSE_IF (inst->x[0].width != 4 || inst->x[1].width != 2,
                 "wants a register of 32 bits, and one of 16");
      return bf16x2_of_powers;
    }
  REFUSE_IF (rounding != CURED_PTX_ROUND_RZ && rounding != CURED_PTX_ROUND_RP, "wants .rz or .rp");
  REFUSE_IF (WORD_OF (inst, SAT) == CURED_PTX_SAT_SAT, "takes .satfinite, not .sat");
  REFUSE_IF (inst->x[0].width != 2 || inst->x[1].width != 4 ||
                 inst->x[2].width != (from == CURED_PTX_F32 ? 4 : 0),
             "wants a register of 16 bits, and sources of 32");
  REFUSE_IF (from != CURED_PTX_F32 && from != CURED_PTX_BF16X2,
             "is made of two .f32 or of one .bf16x2");
  return from == CURED_PTX_F32 ? powers_of_f32 : powers_of_bf16x2;
}

/* ---- cvt ---- */

static bool
is_integer (CuredPtxType type)
{
  return INFO (type)->kind == CURED_PTX_KIND_U || INFO (type)->kind == CURED_PTX_KIND_S;
}

static bool
is_float (CuredPtxType type)
{
  return INFO (type)->kind == CURED_PTX_KIND_F;
}

CuredPtxHandler
SELECT (cvt) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType to = inst->types[0];
  CuredPtxType from = inst->types[1];

  REFUSE_IF (inst->n_types != 2, "takes two types");
  if (to == CURED_PTX_UE8M0X2 || from == CURED_PTX_UE8M0X2)
    return select_powers (inst, problem);
  if (find_small (to) != NULL || find_small (from) != NULL)
    return select_small (inst, problem);
  if (to == CURED_PTX_F16X2 || to == CURED_PTX_BF16X2)
    return select_halves (inst, problem);
  REFUSE_IF (inst->x[2].width != 0, "takes one source");
  if (to == CURED_PTX_TF32)
    return select_tf32 (inst, problem);
  REFUSE_IF ((!is_integer (to) && !is_float (to)) || (!is_integer (from) && !is_float (from)),
             "has no such types");
  REFUSE_IF (inst->x[0].width < MAX (INFO (to)->bytes, 2) ||
                 inst->x[1].width < MAX (INFO (from)->bytes, 2),
             "wants registers at least as wide as its types");
  if (is_integer (to))
    return is_integer (from) ? select_integer (inst, problem)
                             : select_float_to_integer (inst, problem);
  return is_integer (from) ? select_integer_to_float (inst, problem)
                           : select_float_to_float (inst, problem);
}

CuredPtxHandler
SELECT (cvt_small) (const CuredPtxInst *inst, const char **problem)
{
  return SELECT (cvt) (inst, problem);
}

/* ---- cvt.pack ---- */

#define CLAMPED(x, low, high) ((uint32_t) CLAMP (x, low, high))

BINARY (pack_u16, uint32_t, int32_t, CLAMPED (a, 0, UINT16_MAX) << 16 | CLAMPED (b, 0, UINT16_MAX))
BINARY (pack_s16, uint32_t, int32_t,
        CLAMPED (a, INT16_MIN, INT16_MAX) << 16 | (CLAMPED (b, INT16_MIN, INT16_MAX) & 0xffff))

/* Two numbers of a few @bits, before which the third source moves up. */
#define PACK_UNSIGNED(bits)                                                                        \
  TERNARY_3 (pack_u##bits, uint32_t, int32_t, int32_t, uint32_t,                                   \
             c << (2 * bits) | CLAMPED (a, 0, (1 << bits) - 1) << bits |                           \
                 CLAMPED (b, 0, (1 << bits) - 1))
#define LOW(x, bits) (CLAMPED (x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1) & ((1u << bits) - 1))
#define PACK_SIGNED(bits)                                                                          \
  TERNARY_3 (pack_s##bits, uint32_t, int32_t, int32_t, uint32_t,                                   \
             c << (2 * bits) | LOW (a, bits) << bits | LOW (b, bits))

PACK_UNSIGNED (2)
PACK_UNSIGNED (4)
PACK_UNSIGNED (8)
PACK_SIGNED (2)
PACK_SIGNED (4)
PACK_SIGNED (8)

/* What is made is the first type, or a word where no other instruction has such a type; the
 * sources' types follow. */
CuredPtxHandler
SELECT (cvt_pack) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord to_word = WORD_OF (inst, MODE);
  const uint8_t *from = to_word ? inst->types : inst->types + 1;
  unsigned n_from = to_word ? inst->n_types : inst->n_types - 1u;
  gboolean has_third = inst->x[3].width != 0;
  CuredPtxHandler handler = NULL;

  REFUSE_IF (WORD_OF (inst, SAT) != CURED_PTX_SAT_SAT, "wants .sat");
  REFUSE_IF (n_from == 0 || n_from > 2 || from[0] != CURED_PTX_S32 ||
                 (n_from == 2 && from[1] != CURED_PTX_B32),
             "packs .s32, with .b32 as a third source");
  REFUSE_IF (has_third != (n_from == 2), "wants a third source with .b32");
  if (!to_word && (inst->types[0] == CURED_PTX_U16 || inst->types[0] == CURED_PTX_S16))
    {
      REFUSE_IF (has_third, "fills a register with two halves");
      return inst->types[0] == CURED_PTX_U16 ? pack_u16 : pack_s16;
    }
  switch (to_word ? (int) to_word : -(int) inst->types[0])
    {
    case CURED_PTX_MODE_U2:
      handler = pack_u2;
      break;
    case CURED_PTX_MODE_S2:
      handler = pack_s2;
      break;
    case -(int) CURED_PTX_U4:
      handler = pack_u4;
      break;
    case -(int) CURED_PTX_S4:
      handler = pack_s4;
      break;
    case -(int) CURED_PTX_U8:
      handler = pack_u8;
      break;
    case -(int) CURED_PTX_S8:
      handler = pack_s8;
      break;
    default:
      REFUSE_IF (TRUE, "makes .u16, .s16, and .u and .s of 2, 4 and 8 bits");
    }
  REFUSE_IF (!has_third, "wants a third source before what it packs");
  return handler;
}
