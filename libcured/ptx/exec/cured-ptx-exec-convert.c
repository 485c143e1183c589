/* SPDX-License-Identifier: MIT
 * Conversions; PTX ISA 9.0, section 9.7.9 (cvt, cvt.pack).
 *
 * The accepted combinations of suffixes are ptxas's for sm_90. */
#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

#include <math.h>

#define INFO(type) (&_cured_ptx_types[type])

/* ---- Integers to integers ---- */

/* Extends the low bits of @mask, whose highest one is @sign; @sign 0: zero-extends. Both are
 * uniform over the lanes, and no shifts are needed. */
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

/* A source has its type's width in a register that may be wider; the result is extended to the
 * register's width. */
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

/* Indexed by log2 of the registers' bytes. */
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
  uint64_t sign = sign_of (to);
  /* The destination's minimum, negative or 0, and its maximum. */
  int64_t least = (int64_t) -sign;
  uint64_t greatest = mask_of (to) - sign;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t x = cured_get_lane (warp, &inst->x[1], l);
      bool is_negative;

      x = EXTEND (x, mask_of (from), sign_of (from));
      is_negative = sign_of (from) != 0 && (int64_t) x < 0;
      if (is_negative)
        x = (int64_t) x < least ? (uint64_t) least : x;
      else
        x = MIN (x, greatest);
      cured_set_lane (warp, &inst->x[0], l, x);
    }
}

/* ---- Integers to floating point ---- */

/* The bits of an integer in a format with @e exponent bits and @m significand bits, rounded once,
 * independent of the host's rounding mode. */
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
        case CURED_PTX_ROUND_RN: goes_up = rest > half || (rest == half && (bits & 1) != 0); break;
        case CURED_PTX_ROUND_RM: goes_up = is_negative && rest != 0; break;
        case CURED_PTX_ROUND_RP: goes_up = !is_negative && rest != 0; break;
        default: goes_up = false;
        }
      bits += goes_up;
    }
  /* The hidden bit increments the exponent, and so does a carry. */
  bits += (top + bias - 1) << m;
  if (bits >= infinity)
    bits = cured_stays_finite (is_negative, rounding) ? infinity - 1 : infinity;
  return bits | (uint64_t) is_negative << (e + m);
}

typedef struct
{
  unsigned e, m;
} Format;

static inline Format
format_of (CuredPtxType type)
{
  switch ((int) type)
    {
    case CURED_PTX_F16: return (Format){ 5, 10 };
    case CURED_PTX_BF16: return (Format){ 8, 7 };
    case CURED_PTX_F32: return (Format){ 8, 23 };
    default: return (Format){ 11, 52 };
    }
}

/* Clamps to [0, 1], using the bits of any format: up to 1 they are ordered like the numbers. NaN
 * and negative numbers, including -0, become +0. */
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

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t x = cured_get_lane (warp, &inst->x[1], l);
      bool is_negative;
      uint64_t bits;

      x = EXTEND (x, mask_of (from), sign_of (from));
      is_negative = sign_of (from) != 0 && (int64_t) x < 0;
      bits = float_of_integer (is_negative ? -x : x, is_negative, format.e, format.m,
                               WORD_OF (inst, ROUND));
      if (WORD_OF (inst, SAT))
        bits = saturate_bits (bits, format);
      cured_set_lane (warp, &inst->x[0], l, bits);
    }
}

/* The host always rounds to nearest: nothing here changes its mode. */
UNARY (f32_of_s32, float, int32_t, (float) a)
UNARY (f32_of_u32, float, uint32_t, (float) a)
UNARY (f32_of_s64, float, int64_t, (float) a)
UNARY (f32_of_u64, float, uint64_t, (float) a)
UNARY (f64_of_s32, double, int32_t, a)
UNARY (f64_of_u32, double, uint32_t, a)
UNARY (f64_of_s64, double, int64_t, (double) a)
UNARY (f64_of_u64, double, uint64_t, (double) a)

static bool
is_integer_rounding (CuredPtxWord word)
{
  return word == CURED_PTX_ROUND_RNI || word == CURED_PTX_ROUND_RZI ||
         word == CURED_PTX_ROUND_RMI || word == CURED_PTX_ROUND_RPI;
}

/* ---- Floating point to integers ---- */

static inline double
round_to_integer (double x, CuredPtxWord rounding)
{
  switch ((int) rounding)
    {
    case CURED_PTX_ROUND_RNI: return roundeven (x);
    case CURED_PTX_ROUND_RMI: return floor (x);
    case CURED_PTX_ROUND_RPI: return ceil (x);
    default: return trunc (x);
    }
}

/* A lane of any format, exactly; NaN is kept. */
static inline double
get_float (uint64_t bits, CuredPtxType type)
{
  switch ((int) type)
    {
    case CURED_PTX_F16: return cured_f16_to_f32 ((uint16_t) bits);
    case CURED_PTX_BF16: return cured_bf16_to_f32 ((uint16_t) bits);
    case CURED_PTX_F32: return cured_f32_of_bits ((uint32_t) bits);
    default: return cured_f64_of_bits (bits);
    }
}

/* NaN becomes 0; with an f64 or a 64-bit integer, only the highest bit. */
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
  uint64_t sign = sign_of (to);
  uint64_t greatest = mask_of (to) - sign;
  /* The first value beyond the range: 2 to the power of the number of bits without the sign. */
  double end = 2.0 * (double) (greatest / 2 + 1);

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      double x = get_float (cured_get_lane (warp, &inst->x[1], l), from);
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
      cured_set_lane (warp, &inst->x[0], l, EXTEND (value, mask_of (to), sign));
    }
}

/* The same for the most common types, without branches. All floats from 2^31 on are integers, and
 * the greatest below 2^31 is not 2^31 - 1, so the bound is tested separately. */
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

/* ---- Floating point to floating point ---- */

/* With an f64, NaN keeps its sign and the part of its payload that fits, and becomes quiet;
 * otherwise it becomes canonical. */
static inline uint64_t
convert_nan (uint64_t bits, CuredPtxType to, CuredPtxType from, bool is_ftz)
{
  Format source = format_of (from);
  Format result = format_of (to);
  uint64_t fraction = bits << (64 - source.m);
  uint64_t sign = bits >> (source.e + source.m) & 1;

  if (to != CURED_PTX_F64 && from != CURED_PTX_F64)
    return to == CURED_PTX_F32 ? CURED_NAN_F32 : CURED_NAN_F16;
  /* For an f32 source, .ftz is an addition in f32. */
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
    case CURED_PTX_F16: return cured_f64_to_f16 (x, rounding);
    case CURED_PTX_BF16: return cured_f64_to_bf16 (x, rounding);
    case CURED_PTX_F32: return cured_bits_of_f32 (cured_f64_to_f32 (x, rounding));
    default: return cured_bits_of_f64 (x);
    }
}

/* Converts any format to any other, or rounds it to an integer. */
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

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      double x = get_float (cured_get_lane (warp, &inst->x[1], l), from);
      uint64_t bits;

      /* An H200 flushes all operands except those converted to f16. */
      if (is_ftz && from == CURED_PTX_F32 && to != CURED_PTX_F16)
        x = fabs (x) < 0x1p-126 ? copysign (0, x) : x;
      if (is_whole)
        x = round_to_integer (x, rounding);
      if (x != x)
        bits = convert_nan (cured_get_lane (warp, &inst->x[1], l), to, from, is_ftz);
      else
        bits = narrow (x, to,
                       is_whole || rounding == CURED_PTX_NO_WORD ? CURED_PTX_ROUND_RN : rounding);
      /* Less than the least normal number after rounding to 24 bits with an unbounded exponent. */
      if (is_ftz && to == CURED_PTX_F32 &&
          fabsf (cured_f64_to_f32 (x * 0x1p64, is_whole || rounding == CURED_PTX_NO_WORD
                                                   ? CURED_PTX_ROUND_RN
                                                   : rounding)) < 0x1p-62f)
        bits &= sign;
      if (saturation == CURED_PTX_SAT_SAT)
        bits = saturate_bits (bits, format);
      else if (saturation == CURED_PTX_SAT_SATFINITE && (bits & ~sign) == infinity)
        bits--;
      if (is_relu && (bits & sign) != 0)
        bits = 0;
      cured_set_lane (warp, &inst->x[0], l, bits);
    }
}

UNARY (f32_of_f16, float, uint16_t, cured_f16_to_f32 (a))
UNARY (f32_of_bf16, uint32_t, uint16_t, (uint32_t) a << 16)
UNARY (f16_of_f32, uint16_t, float, cured_f32_to_f16 (a, CURED_PTX_ROUND_RN))
UNARY (bf16_of_f32, uint16_t, float, cured_f32_to_bf16 (a, CURED_PTX_ROUND_RN))
UNARY (f32_of_f32_sat, float, float, cured_saturate_f32 (a))
/* ptxas copies halves by an addition, other types unchanged. */
UNARY (f16_of_f16, uint16_t, uint16_t, (a & 0x7fff) > 0x7c00 ? CURED_NAN_F16 : a)
UNARY (bf16_of_bf16, uint16_t, uint16_t, (a & 0x7fff) > 0x7f80 ? CURED_NAN_F16 : a)
UNARY (copy_32, uint32_t, uint32_t, a)
UNARY (copy_64, uint64_t, uint64_t, a)

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

/* ptxas implements .rna by an addition to the bits: NaN and infinity are only truncated. .satfinite
 * then steps back from infinity, and from NaN, which remains one unless its payload is 0. */
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

/* ---- Pairs of floats of at most 8 bits ---- */

/* e4m3 has no infinity, and one NaN per sign; e5m2 is the upper half of an f16; the smaller ones
 * have neither, and NaN becomes their greatest number. The result for a NaN is positive. PTX ISA
 * 9.0, sections 5.2.3, 9.7.9.21. */
typedef struct
{
  CuredPtxType type;
  int fraction_bits, bias;
  double most;
  uint32_t nan, sign;
  unsigned apart; /* bits between the elements of a pair */
} Small;

static const Small smalls[] = {
  { CURED_PTX_E4M3X2, 3, 7, 448, 0x7f, 0x80, 8 }, { CURED_PTX_E5M2X2, 2, 15, 57344, 0x7f, 0x80, 8 },
  { CURED_PTX_E3M2X2, 2, 3, 28, 0x1f, 0x20, 8 },  { CURED_PTX_E2M3X2, 3, 1, 7.5, 0x1f, 0x20, 8 },
  { CURED_PTX_E2M1X2, 1, 1, 6, 0x07, 0x08, 4 },
};

/* (nullable): NULL: not such a type. */
static const Small *
find_small (CuredPtxType type)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (smalls); i++)
    if (smalls[i].type == type)
      return &smalls[i];
  return NULL;
}

/* Rounded to nearest, and limited to the greatest number: .satfinite is mandatory. */
static inline uint32_t
make_small (const Small *self, float x, bool is_relu)
{
  double size = fabs ((double) x);
  uint32_t sign = signbit (x) ? self->sign : 0;
  int exponent, digits;

  if (x != x)
    return self->nan;
  if (sign != 0 && is_relu)
    return 0;
  size = MIN (size, self->most);
  exponent = size != 0 ? ilogb (size) : 1 - self->bias;
  exponent = MAX (exponent, 1 - self->bias);
  digits = (int) rint (ldexp (size, self->fraction_bits - exponent));
  /* If rounding reaches the next power of two, the additional digit carries into the exponent;
   * subnormals have no hidden bit. */
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

/* ---- Pairs of powers of two ---- */

#define NAN_UE8M0 0xff

/* For the magnitude: truncated to a power of two, or rounded up with .rp. */
static inline uint32_t
make_power (uint32_t bits, bool is_up, bool is_finite)
{
  uint32_t size = bits & INT32_MAX;
  uint32_t power = size >> 23;

  /* 2 to the power -127 is exact, although it is a subnormal f32. */
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

/* ---- cvt.pack ---- */

#define CLAMPED(x, low, high) ((uint32_t) CLAMP (x, low, high))

BINARY (pack_u16, uint32_t, int32_t, CLAMPED (a, 0, UINT16_MAX) << 16 | CLAMPED (b, 0, UINT16_MAX))
BINARY (pack_s16, uint32_t, int32_t,
        CLAMPED (a, INT16_MIN, INT16_MAX) << 16 | (CLAMPED (b, INT16_MIN, INT16_MAX) & 0xffff))

/* Two numbers of @bits each, with the third source shifted left of them. */
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

/* ---- Forms ---- */

static const char *
check_one (const CuredPtxInst *inst)
{
  return inst->x[2].width != 0 ? "takes one source" : NULL;
}

/* A pair in a register of 32 bits, from two numbers of 32 bits. */
static const char *
check_halves (const CuredPtxInst *inst)
{
  return inst->x[0].width != 4 || inst->x[1].width != 4 || inst->x[2].width != 4
             ? "takes two sources of 32 bits"
             : NULL;
}

static const char *
check_word (const CuredPtxInst *inst)
{
  return inst->x[0].width != 4 || inst->x[1].width != 4 || inst->x[2].width != 0
             ? "takes one source of 32 bits"
             : NULL;
}

/* A pair in 16 bits, from two f32 or another pair. */
static const char *
check_small (const CuredPtxInst *inst)
{
  bool is_single = inst->types[1] == CURED_PTX_F32;

  return inst->x[0].width != 2 || inst->x[1].width != 4 || inst->x[2].width != (is_single ? 4 : 0)
             ? "takes a register of 16 bits, and sources of 32: two .f32 or one pair"
             : NULL;
}

static const char *
check_from_small (const CuredPtxInst *inst)
{
  return inst->x[0].width != 4 || inst->x[1].width != 2 || inst->x[2].width != 0
             ? "takes a register of 32 bits, and a source of 16"
             : NULL;
}

static bool
is_as_wide (const CuredPtxInst *inst)
{
  return inst->x[0].width == INFO (inst->types[0])->bytes &&
         inst->x[1].width == INFO (inst->types[1])->bytes;
}

/* The fastest suitable handler. */
static CuredPtxHandler
select_resize (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxType from = inst->types[1];
  unsigned to_width = inst->x[0].width;
  unsigned from_width = inst->x[1].width;

  *problem = check_one (inst);
  if (*problem != NULL)
    return NULL;
  if (is_as_wide (inst) && to_width == 8 && (from == CURED_PTX_U32 || from == CURED_PTX_S32))
    return from == CURED_PTX_U32 ? widen_u32 : widen_s32;
  if (is_as_wide (inst) && to_width == 4 && from_width == 8)
    return narrow_64;
  return resizers[to_width == 8 ? 2 : to_width == 4][from_width == 8 ? 2 : from_width == 4];
}

/* A faster handler for two types and a rounding, if both have their registers' width and there are
 * no other words. */
typedef struct
{
  CuredPtxType to, from;
  CuredPtxWord rounding;
  CuredPtxHandler run;
} Quick;

static CuredPtxHandler
select_quick (const CuredPtxInst *inst, const char **problem)
{
  /* clang-format off */
  static const Quick quick[] = {
    { CURED_PTX_F32, CURED_PTX_S32, CURED_PTX_ROUND_RN, f32_of_s32 },
    { CURED_PTX_F32, CURED_PTX_U32, CURED_PTX_ROUND_RN, f32_of_u32 },
    { CURED_PTX_F32, CURED_PTX_S64, CURED_PTX_ROUND_RN, f32_of_s64 },
    { CURED_PTX_F32, CURED_PTX_U64, CURED_PTX_ROUND_RN, f32_of_u64 },
    { CURED_PTX_F64, CURED_PTX_S32, CURED_PTX_ROUND_RN, f64_of_s32 },
    { CURED_PTX_F64, CURED_PTX_U32, CURED_PTX_ROUND_RN, f64_of_u32 },
    { CURED_PTX_F64, CURED_PTX_S64, CURED_PTX_ROUND_RN, f64_of_s64 },
    { CURED_PTX_F64, CURED_PTX_U64, CURED_PTX_ROUND_RN, f64_of_u64 },
    { CURED_PTX_S32, CURED_PTX_F32, CURED_PTX_ROUND_RNI, s32_of_f32_rni },
    { CURED_PTX_S32, CURED_PTX_F32, CURED_PTX_ROUND_RZI, s32_of_f32_rzi },
    { CURED_PTX_S32, CURED_PTX_F32, CURED_PTX_ROUND_RMI, s32_of_f32_rmi },
    { CURED_PTX_S32, CURED_PTX_F32, CURED_PTX_ROUND_RPI, s32_of_f32_rpi },
    { CURED_PTX_U32, CURED_PTX_F32, CURED_PTX_ROUND_RNI, u32_of_f32_rni },
    { CURED_PTX_U32, CURED_PTX_F32, CURED_PTX_ROUND_RZI, u32_of_f32_rzi },
    { CURED_PTX_U32, CURED_PTX_F32, CURED_PTX_ROUND_RMI, u32_of_f32_rmi },
    { CURED_PTX_U32, CURED_PTX_F32, CURED_PTX_ROUND_RPI, u32_of_f32_rpi },
    { CURED_PTX_F16, CURED_PTX_F16, CURED_PTX_NO_WORD, f16_of_f16 },
    { CURED_PTX_BF16, CURED_PTX_BF16, CURED_PTX_NO_WORD, bf16_of_bf16 },
    { CURED_PTX_F32, CURED_PTX_F32, CURED_PTX_NO_WORD, copy_32 },
    { CURED_PTX_F64, CURED_PTX_F64, CURED_PTX_NO_WORD, copy_64 },
    { CURED_PTX_F32, CURED_PTX_F16, CURED_PTX_NO_WORD, f32_of_f16 },
    { CURED_PTX_F32, CURED_PTX_BF16, CURED_PTX_NO_WORD, f32_of_bf16 },
    { CURED_PTX_F16, CURED_PTX_F32, CURED_PTX_ROUND_RN, f16_of_f32 },
    { CURED_PTX_BF16, CURED_PTX_F32, CURED_PTX_ROUND_RN, bf16_of_f32 },
  };
  /* clang-format on */
  CuredPtxKind to = INFO (inst->types[0])->kind;
  CuredPtxKind from = INFO (inst->types[1])->kind;

  *problem = check_one (inst);
  if (*problem != NULL)
    return NULL;
  if (is_as_wide (inst) && !WORD_OF (inst, FTZ) && !WORD_OF (inst, SAT) && !WORD_OF (inst, RELU))
    for (unsigned i = 0; i < G_N_ELEMENTS (quick); i++)
      if (quick[i].to == inst->types[0] && quick[i].from == inst->types[1] &&
          quick[i].rounding == WORD_OF (inst, ROUND))
        return quick[i].run;
  if (is_as_wide (inst) && inst->types[0] == CURED_PTX_F32 && inst->types[1] == CURED_PTX_F32 &&
      WORD_OF (inst, SAT) && !WORD_OF (inst, FTZ) && !WORD_OF (inst, ROUND))
    return f32_of_f32_sat;
  return to != CURED_PTX_KIND_F     ? float_to_integer
         : from != CURED_PTX_KIND_F ? integer_to_float
                                    : float_to_float;
}

static const char *
check_third (const CuredPtxInst *inst)
{
  return inst->x[3].width == 0 ? "takes a third source before what it packs" : NULL;
}

static const char *
check_no_third (const CuredPtxInst *inst)
{
  return inst->x[3].width != 0 ? "fills a register with two halves" : NULL;
}

/* clang-format off */
#define ALL    (T_INT | T_U8 | T_S8)
#define ROUNDS W_ROUND_RN, W_ROUND_RZ, W_ROUND_RM, W_ROUND_RP
#define WHOLES W_ROUND_RNI, W_ROUND_RZI, W_ROUND_RMI, W_ROUND_RPI
#define MAY_BE_WHOLE MAY (ROUND, RNI), MAY (ROUND, RZI), MAY (ROUND, RMI), MAY (ROUND, RPI)
#define MAY_FTZ MAY (FTZ, FTZ)
#define MAY_SAT MAY (SAT, SAT)
#define MAY_FINITE MAY (SAT, SATFINITE), MAY (RELU, RELU)
#define QUICK(to, from, words) CHOICE (cvt, TYPES (to, from), WORDS (words), 0, select_quick)
#define SATURATED(to, from) CHECKED (cvt, TYPES (to, from), W_SAT_SAT, 0, saturate_integer, check_one)
/* From or to a bf16: optional rounding; the default is to nearest. */
#define MAY_ROUND MAY (ROUND, RN), MAY (ROUND, RZ), MAY (ROUND, RM), MAY (ROUND, RP)
#define PACKED(type, name) CHECKED (cvt_pack, TYPES (type, T_S32, T_B32), W_SAT_SAT, 0, name, check_third)

static const CuredPtxForm forms[] = {
  CHOICE (cvt, TYPES (ALL, ALL), 0, 0, select_resize)
  /* Saturation is only for values that may not fit. */
  SATURATED (T_U8, ALL & ~T_U8)
  SATURATED (T_S8, ALL & ~T_S8)
  SATURATED (T_U16, ALL & ~(T_U8 | T_U16))
  SATURATED (T_S16, ALL & ~(T_U8 | T_S8 | T_S16))
  SATURATED (T_U32, T_S8 | T_S16 | T_S32 | T_I64)
  SATURATED (T_S32, T_U32 | T_I64)
  SATURATED (T_U64, T_S8 | T_S16 | T_S32 | T_S64)
  SATURATED (T_S64, T_U64)
  QUICK (T_F32, ALL, WORDS (ROUNDS, MAY_FTZ, MAY_SAT))
  QUICK (T_F16 | T_F64, ALL, WORDS (ROUNDS, MAY_SAT))
  QUICK (T_BF16, T_INT, ROUNDS)
  QUICK (ALL, T_F32, WORDS (WHOLES, MAY_FTZ, MAY_SAT))
  QUICK (ALL, T_F16 | T_F64, WORDS (WHOLES, MAY_SAT))
  QUICK (T_INT, T_BF16, WHOLES)
  QUICK (T_F32, T_F32, WORDS (MAY_BE_WHOLE, MAY_FTZ, MAY_SAT))
  QUICK (T_F64, T_F64, WORDS (MAY_BE_WHOLE, MAY_SAT))
  QUICK (T_F16, T_F16, WORDS (MAY_BE_WHOLE, MAY_SAT))
  QUICK (T_BF16, T_BF16, MAY_BE_WHOLE)
  QUICK (T_F32, T_F64, WORDS (ROUNDS, MAY_FTZ, MAY_SAT))
  QUICK (T_F16, T_F64, WORDS (ROUNDS, MAY_SAT))
  QUICK (T_BF16, T_F64, ROUNDS)
  QUICK (T_F16, T_F32, WORDS (ROUNDS, MAY_FTZ, MAY_SAT))
  QUICK (T_BF16, T_F32, WORDS (ROUNDS, MAY_FTZ))
  QUICK (T_F16 | T_BF16, T_F32, WORDS (W_ROUND_RN, W_ROUND_RZ, MAY_FINITE))
  QUICK (T_F16, T_BF16, MAY_ROUND)
  QUICK (T_BF16, T_F16, MAY_ROUND)
  QUICK (T_F32, T_F16, WORDS (MAY_FTZ, MAY_SAT))
  QUICK (T_F64, T_F16, MAY_SAT)
  QUICK (T_F64, T_F32, WORDS (MAY_FTZ, MAY_SAT))
  QUICK (T_F32, T_BF16, WORDS (MAY_ROUND, MAY_FTZ))
  QUICK (T_F64, T_BF16, MAY_ROUND)
  CHECKED (cvt, TYPES (T_F16X2, T_F32), W_ROUND_RN, 0, f16x2_of_f32, check_halves)
  CHECKED (cvt, TYPES (T_BF16X2, T_F32), W_ROUND_RN, 0, bf16x2_of_f32, check_halves)
  CHECKED (cvt, TYPES (T_F16X2 | T_BF16X2, T_F32), WORDS (W_ROUND_RN, W_ROUND_RZ, MAY_FINITE), 0, halves_of_f32, check_halves)
  CHECKED (cvt, TYPES (T_TF32, T_F32), W_ROUND_RNA, 0, tf32_rna, check_word)
  CHECKED (cvt, TYPES (T_TF32, T_F32), WORDS (W_ROUND_RNA, W_SAT_SATFINITE), 0, tf32_rna_satfinite, check_word)
  CHECKED (cvt, TYPES (T_TF32, T_F32), WORDS (W_ROUND_RN, W_ROUND_RZ, MAY (RELU, RELU)), 0, tf32_any, check_word)
  CHECKED (cvt, TYPES (T_E4M3X2 | T_E5M2X2, T_F32), WORDS (W_ROUND_RN, W_SAT_SATFINITE, MAY (RELU, RELU)), 0, small_of_f32, check_small)
  CHECKED (cvt_small, TYPES (T_E2M1X2 | T_E2M3X2 | T_E3M2X2, T_F32), WORDS (W_ROUND_RN, W_SAT_SATFINITE, MAY (RELU, RELU)), 0, small_of_f32, check_small)
  CHECKED (cvt, TYPES (T_E4M3X2 | T_E5M2X2, T_F16X2), WORDS (W_ROUND_RN, W_SAT_SATFINITE, MAY (RELU, RELU)), 0, small_of_f16x2, check_small)
  CHECKED (cvt_small, TYPES (T_E2M1X2, T_F16X2), WORDS (W_ROUND_RN, W_SAT_SATFINITE, MAY (RELU, RELU)), 0, small_of_f16x2, check_small)
  CHECKED (cvt, TYPES (T_F16X2, T_E4M3X2 | T_E5M2X2 | T_E2M1X2 | T_E2M3X2 | T_E3M2X2), WORDS (W_ROUND_RN, MAY (RELU, RELU)), 0, f16x2_of_small, check_from_small)
  CHECKED (cvt_small, TYPES (T_UE8M0X2, T_F32), WORDS (W_ROUND_RZ, W_ROUND_RP, MAY (SAT, SATFINITE)), 0, powers_of_f32, check_small)
  CHECKED (cvt_small, TYPES (T_UE8M0X2, T_BF16X2), WORDS (W_ROUND_RZ, W_ROUND_RP, MAY (SAT, SATFINITE)), 0, powers_of_bf16x2, check_small)
  CHECKED (cvt, TYPES (T_BF16X2, T_UE8M0X2), W_ROUND_RN, 0, bf16x2_of_powers, check_from_small)
  /* The result is the first type, or a word if no other instruction has this type. */
  CHECKED (cvt_pack, TYPES (T_U16, T_S32), W_SAT_SAT, 0, pack_u16, check_no_third)
  CHECKED (cvt_pack, TYPES (T_S16, T_S32), W_SAT_SAT, 0, pack_s16, check_no_third)
  PACKED (T_U4, pack_u4)
  PACKED (T_S4, pack_s4)
  PACKED (T_U8, pack_u8)
  PACKED (T_S8, pack_s8)
  CHECKED (cvt_pack, TYPES (T_S32, T_B32), WORDS (W_SAT_SAT, W_MODE_U2), 0, pack_u2, check_third)
  CHECKED (cvt_pack, TYPES (T_S32, T_B32), WORDS (W_SAT_SAT, W_MODE_S2), 0, pack_s2, check_third)
};
/* clang-format on */

FORMS_OF (convert)
