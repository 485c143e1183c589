/* SPDX-License-Identifier: MIT
 * Integer arithmetic; PTX ISA 9.0, sections 9.7.1 and 9.7.2.
 *
 * Results that the ISA leaves undefined are those of ptxas for sm_90, read from its code for
 * divisions, 24-bit products and borrows. */
#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- Addition and subtraction ---- */

static inline int32_t
saturate_32 (int64_t value)
{
  return (int32_t) CLAMP (value, INT32_MIN, INT32_MAX);
}

BINARY (add_16, uint16_t, uint16_t, a + b)
BINARY (add_32, uint32_t, uint32_t, a + b)
BINARY (add_64, uint64_t, uint64_t, a + b)
BINARY (add_16x2, uint32_t, uint32_t,
        ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u))
BINARY (add_sat, int32_t, int32_t, saturate_32 ((int64_t) a + b))
BINARY (sub_16, uint16_t, uint16_t, a - b)
BINARY (sub_32, uint32_t, uint32_t, a - b)
BINARY (sub_64, uint64_t, uint64_t, a - b)
BINARY (sub_sat, int32_t, int32_t, saturate_32 ((int64_t) a - b))

/* The carry is an adder's even after a subtraction, which adds the complement and 1: no borrow is a
 * carry of 1. The ISA calls the bit a borrow there; this only makes a difference if sub.cc feeds
 * addc, or add.cc subc, where ptxas for sm_90 uses the adder's carry. */
#define CARRY_HANDLER(name, T, parameters, left_one, right_one, carry_in, keeps)                   \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    T *d_ = LANES (T, inst->x[0]);                                                                 \
    const T *a_ = LANES (T, inst->x[1]);                                                           \
    const T *b_ = LANES (T, inst->x[2]);                                                           \
    const T *c_ = (parameters) == 3 ? LANES (T, inst->x[3]) : b_;                                  \
    uint32_t in = warp->carry;                                                                     \
    uint32_t out = 0;                                                                              \
                                                                                                   \
    for (uint32_t left = mask; left != 0; left &= left - 1)                                        \
      {                                                                                            \
        unsigned l = (unsigned) __builtin_ctz (left);                                              \
        T a = a_[l], b = b_[l], c = c_[l];                                                         \
        T first = (left_one), second = (right_one), sum = first + second;                          \
        uint32_t carry = sum < first;                                                              \
                                                                                                   \
        (void) a, (void) b, (void) c, (void) in;                                                   \
        first = sum;                                                                               \
        sum += (carry_in);                                                                         \
        carry |= sum < first;                                                                      \
        d_[l] = sum;                                                                               \
        out |= carry << l;                                                                         \
      }                                                                                            \
    if (keeps)                                                                                     \
      warp->carry = (in & ~mask) | out;                                                            \
  }

/* @first: the carry-in of instructions without one. */
#define CARRY_HANDLERS(name, T, parameters, left_one, right_one, first)                            \
  CARRY_HANDLER (name##_in, T, parameters, left_one, right_one, in >> l & 1, 0)                    \
  CARRY_HANDLER (name##_out, T, parameters, left_one, right_one, first, 1)                         \
  CARRY_HANDLER (name##_in_out, T, parameters, left_one, right_one, in >> l & 1, 1)

#define HIGH_64(a, b)  ((uint64_t) ((cured_uint128) (a) * (b) >> 64))
#define HIGH_S64(a, b) ((uint64_t) ((cured_int128) (int64_t) (a) * (int64_t) (b) >> 64))
#define HIGH_32(a, b)  ((uint32_t) ((uint64_t) (a) * (b) >> 32))
#define HIGH_S32(a, b) ((uint32_t) ((int64_t) (int32_t) (a) * (int32_t) (b) >> 32))

CARRY_HANDLERS (add_carry_32, uint32_t, 2, a, b, 0)
CARRY_HANDLERS (add_carry_64, uint64_t, 2, a, b, 0)
CARRY_HANDLERS (sub_carry_32, uint32_t, 2, a, ~b, 1)
CARRY_HANDLERS (sub_carry_64, uint64_t, 2, a, ~b, 1)
CARRY_HANDLERS (mad_lo_carry_32, uint32_t, 3, (a * b), c, 0)
CARRY_HANDLERS (mad_lo_carry_64, uint64_t, 3, (a * b), c, 0)
CARRY_HANDLERS (mad_hi_carry_u32, uint32_t, 3, HIGH_32 (a, b), c, 0)
CARRY_HANDLERS (mad_hi_carry_s32, uint32_t, 3, HIGH_S32 (a, b), c, 0)
CARRY_HANDLERS (mad_hi_carry_u64, uint64_t, 3, HIGH_64 (a, b), c, 0)
CARRY_HANDLERS (mad_hi_carry_s64, uint64_t, 3, HIGH_S64 (a, b), c, 0)

/* ---- Products ---- */

BINARY (mul_lo_16, uint16_t, uint16_t, ((uint32_t) a * b))
BINARY (mul_lo_32, uint32_t, uint32_t, (a * b))
BINARY (mul_lo_64, uint64_t, uint64_t, (a * b))
BINARY (mul_hi_u16, uint16_t, uint16_t, ((uint32_t) a * b) >> 16)
BINARY (mul_hi_s16, int16_t, int16_t, ((int32_t) a * b) >> 16)
BINARY (mul_hi_u32, uint32_t, uint32_t, HIGH_32 (a, b))
BINARY (mul_hi_s32, uint32_t, uint32_t, HIGH_S32 (a, b))
BINARY (mul_hi_u64, uint64_t, uint64_t, HIGH_64 (a, b))
BINARY (mul_hi_s64, uint64_t, uint64_t, HIGH_S64 (a, b))
BINARY (mul_wide_u16, uint32_t, uint16_t, ((uint32_t) a * b))
BINARY (mul_wide_s16, int32_t, int16_t, ((int32_t) a * b))
BINARY (mul_wide_u32, uint64_t, uint32_t, ((uint64_t) a * b))
BINARY (mul_wide_s32, int64_t, int32_t, ((int64_t) a * b))
TERNARY (mad_lo_16, uint16_t, uint16_t, ((uint32_t) a * b) + c)
TERNARY (mad_lo_32, uint32_t, uint32_t, (a * b) + c)
TERNARY (mad_lo_64, uint64_t, uint64_t, (a * b) + c)
TERNARY (mad_hi_u16, uint16_t, uint16_t, ((uint32_t) a * b >> 16) + c)
TERNARY (mad_hi_s16, int16_t, int16_t, ((int32_t) a * b >> 16) + c)
TERNARY (mad_hi_u32, uint32_t, uint32_t, HIGH_32 (a, b) + c)
TERNARY (mad_hi_s32, uint32_t, uint32_t, HIGH_S32 (a, b) + c)
TERNARY (mad_hi_u64, uint64_t, uint64_t, HIGH_64 (a, b) + c)
TERNARY (mad_hi_s64, uint64_t, uint64_t, HIGH_S64 (a, b) + c)
TERNARY (mad_hi_sat, int32_t, int32_t, saturate_32 (((int64_t) a * b >> 32) + (int64_t) c))
TERNARY_3 (mad_wide_u16, uint32_t, uint16_t, uint16_t, uint32_t, ((uint32_t) a * b) + c)
TERNARY_3 (mad_wide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t) (((int32_t) a * b)) + c)
TERNARY_3 (mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, ((uint64_t) a * b) + c)
TERNARY_3 (mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t) (((int64_t) a * b)) + c)

/* 24-bit sources are bits 0 to 23 of the registers; the other bits are ignored. */
static inline int64_t
product_u24 (uint32_t a, uint32_t b)
{
  return (int64_t) (a & 0xffffffu) * (b & 0xffffffu);
}

static inline int64_t
product_s24 (uint32_t a, uint32_t b)
{
  return (int64_t) ((int32_t) (a << 8) >> 8) * ((int32_t) (b << 8) >> 8);
}

BINARY (mul24_lo_u32, uint32_t, uint32_t, product_u24 (a, b))
BINARY (mul24_lo_s32, uint32_t, uint32_t, product_s24 (a, b))
BINARY (mul24_hi_u32, uint32_t, uint32_t, product_u24 (a, b) >> 16)
BINARY (mul24_hi_s32, uint32_t, uint32_t, product_s24 (a, b) >> 16)
TERNARY (mad24_lo_u32, uint32_t, uint32_t, (uint32_t) product_u24 (a, b) + c)
TERNARY (mad24_lo_s32, uint32_t, uint32_t, (uint32_t) product_s24 (a, b) + c)
TERNARY (mad24_hi_u32, uint32_t, uint32_t, (uint32_t) (product_u24 (a, b) >> 16) + c)
TERNARY (mad24_hi_s32, uint32_t, uint32_t, (uint32_t) (product_s24 (a, b) >> 16) + c)
TERNARY (mad24_hi_sat, uint32_t, uint32_t, saturate_32 ((product_s24 (a, b) >> 16) + (int32_t) c))

/* ---- Quotients ---- */

/* The quotient and remainder of a division by 0 have all bits set, and the least number divided by
 * -1 is itself with remainder 0: undefined in the ISA, and ptxas's results for sm_90 in all six
 * types. */
BINARY (div_u16, uint16_t, uint16_t, b == 0 ? -1 : a / b)
BINARY (div_s16, int16_t, int16_t, b == 0 ? -1 : a / b)
BINARY (div_u32, uint32_t, uint32_t, b == 0 ? UINT32_MAX : a / b)
BINARY (div_s32, int32_t, int32_t, b == 0 ? -1 : b == -1 ? (int32_t) - (uint32_t) a : a / b)
BINARY (div_u64, uint64_t, uint64_t, b == 0 ? UINT64_MAX : a / b)
BINARY (div_s64, int64_t, int64_t, b == 0 ? -1 : b == -1 ? (int64_t) - (uint64_t) a : a / b)
BINARY (rem_u16, uint16_t, uint16_t, b == 0 ? -1 : a % b)
BINARY (rem_s16, int16_t, int16_t, b == 0 ? -1 : a % b)
BINARY (rem_u32, uint32_t, uint32_t, b == 0 ? UINT32_MAX : a % b)
BINARY (rem_s32, int32_t, int32_t, b == 0 ? -1 : b == -1 ? 0 : a % b)
BINARY (rem_u64, uint64_t, uint64_t, b == 0 ? UINT64_MAX : a % b)
BINARY (rem_s64, int64_t, int64_t, b == 0 ? -1 : b == -1 ? 0 : a % b)

/* ---- Signs, extremes, differences ---- */

UNARY (abs_16, uint16_t, uint16_t, (int16_t) a < 0 ? -a : a)
UNARY (abs_32, uint32_t, uint32_t, (int32_t) a < 0 ? -a : a)
UNARY (abs_64, uint64_t, uint64_t, (int64_t) a < 0 ? -a : a)
UNARY (neg_16, uint16_t, uint16_t, -a)
UNARY (neg_32, uint32_t, uint32_t, -a)
UNARY (neg_64, uint64_t, uint64_t, -a)

#define HALF(x, k)      ((uint32_t) (x) >> (16 * (k)) & 0xffffu)
#define SHALF(x, k)     ((int32_t) (int16_t) ((uint32_t) (x) >> (16 * (k))))
#define PAIR(low, high) (((uint32_t) (low) &0xffffu) | (uint32_t) (high) << 16)

#define EXTREMES(name, T, operation) BINARY (name, T, T, operation (a, b))
#define RELU(value)                  MAX (value, 0)

EXTREMES (min_u16, uint16_t, MIN)
EXTREMES (min_s16, int16_t, MIN)
EXTREMES (min_u32, uint32_t, MIN)
EXTREMES (min_s32, int32_t, MIN)
EXTREMES (min_u64, uint64_t, MIN)
EXTREMES (min_s64, int64_t, MIN)
EXTREMES (max_u16, uint16_t, MAX)
EXTREMES (max_s16, int16_t, MAX)
EXTREMES (max_u32, uint32_t, MAX)
EXTREMES (max_s32, int32_t, MAX)
EXTREMES (max_u64, uint64_t, MAX)
EXTREMES (max_s64, int64_t, MAX)
BINARY (min_relu_s32, int32_t, int32_t, RELU (MIN (a, b)))
BINARY (max_relu_s32, int32_t, int32_t, RELU (MAX (a, b)))

#define PAIRS(name, half, operation)                                                               \
  BINARY (name, uint32_t, uint32_t,                                                                \
          PAIR (operation (half (a, 0), half (b, 0)), operation (half (a, 1), half (b, 1))))
#define MIN_RELU(a, b) RELU (MIN (a, b))
#define MAX_RELU(a, b) RELU (MAX (a, b))

PAIRS (min_u16x2, HALF, MIN)
PAIRS (min_s16x2, SHALF, MIN)
PAIRS (min_relu_s16x2, SHALF, MIN_RELU)
PAIRS (max_u16x2, HALF, MAX)
PAIRS (max_s16x2, SHALF, MAX)
PAIRS (max_relu_s16x2, SHALF, MAX_RELU)

/* The difference is computed with unsigned numbers, so that it wraps as in the ISA. */
#define SAD(name, T, S) TERNARY (name, T, T, ((S) a < (S) b ? (T) (b - a) : (T) (a - b)) + (T) c)

SAD (sad_u16, uint16_t, uint16_t)
SAD (sad_s16, uint16_t, int16_t)
SAD (sad_u32, uint32_t, uint32_t)
SAD (sad_s32, uint32_t, int32_t)
SAD (sad_u64, uint64_t, uint64_t)
SAD (sad_s64, uint64_t, int64_t)

/* ---- Bits and fields ---- */

UNARY (popc_32, uint32_t, uint32_t, __builtin_popcount (a))
UNARY (popc_64, uint32_t, uint64_t, __builtin_popcountll (a))
UNARY (clz_32, uint32_t, uint32_t, a == 0 ? 32 : __builtin_clz (a))
UNARY (clz_64, uint32_t, uint64_t, a == 0 ? 64 : __builtin_clzll (a))

/* Counts from the top if @is_shift; all ones if there is no such bit. */
static inline uint32_t
find_32 (uint32_t a, gboolean is_signed, gboolean is_shift)
{
  if (is_signed && (int32_t) a < 0)
    a = ~a;
  if (a == 0)
    return UINT32_MAX;
  return (uint32_t) (is_shift ? __builtin_clz (a) : 31 - __builtin_clz (a));
}

static inline uint32_t
find_64 (uint64_t a, gboolean is_signed, gboolean is_shift)
{
  if (is_signed && (int64_t) a < 0)
    a = ~a;
  if (a == 0)
    return UINT32_MAX;
  return (uint32_t) (is_shift ? __builtin_clzll (a) : 63 - __builtin_clzll (a));
}

UNARY (bfind_u32, uint32_t, uint32_t, find_32 (a, FALSE, FALSE))
UNARY (bfind_s32, uint32_t, uint32_t, find_32 (a, TRUE, FALSE))
UNARY (bfind_u64, uint32_t, uint64_t, find_64 (a, FALSE, FALSE))
UNARY (bfind_s64, uint32_t, uint64_t, find_64 (a, TRUE, FALSE))
UNARY (bfind_shift_u32, uint32_t, uint32_t, find_32 (a, FALSE, TRUE))
UNARY (bfind_shift_s32, uint32_t, uint32_t, find_32 (a, TRUE, TRUE))
UNARY (bfind_shift_u64, uint32_t, uint64_t, find_64 (a, FALSE, TRUE))
UNARY (bfind_shift_s64, uint32_t, uint64_t, find_64 (a, TRUE, TRUE))

/* The ISA leaves a base above 31 undefined; here no bit is found. */
static inline uint32_t
find_nth (uint32_t bits, uint32_t base, int32_t offset)
{
  uint32_t count = offset < 0 ? -(uint32_t) offset : (uint32_t) offset;

  /* An H200's result for the number without a negative. */
  if (offset == INT32_MIN)
    return 0;
  if (base > 31)
    return UINT32_MAX;
  if (count == 0)
    return (bits >> base & 1) != 0 ? base : UINT32_MAX;
  bits &= offset < 0 ? UINT32_MAX >> (31 - base) : UINT32_MAX << base;
  for (; bits != 0 && count > 1; count--)
    bits &= offset < 0 ? ~(1u << (31 - __builtin_clz (bits))) : bits - 1;
  if (bits == 0)
    return UINT32_MAX;
  return (uint32_t) (offset < 0 ? 31 - __builtin_clz (bits) : __builtin_ctz (bits));
}

TERNARY (fns_32, uint32_t, uint32_t, find_nth (a, b, (int32_t) c))

static inline uint32_t
reverse_32 (uint32_t a)
{
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32 (a);
}

UNARY (brev_32, uint32_t, uint32_t, reverse_32 (a))
UNARY (brev_64, uint64_t, uint64_t,
       (uint64_t) reverse_32 ((uint32_t) a) << 32 | reverse_32 ((uint32_t) (a >> 32)))

/* Shifts by any amount, avoiding undefined behaviour of C. */
static inline uint64_t
shift_left (uint64_t a, uint32_t by)
{
  return by > 63 ? 0 : a << by;
}

static inline uint64_t
shift_right (uint64_t a, uint32_t by)
{
  return by > 63 ? 0 : a >> by;
}

static inline int64_t
shift_right_signed (int64_t a, uint32_t by)
{
  return a >> MIN (by, 63);
}

static inline uint64_t
ones (uint32_t count)
{
  return ~shift_left (~(uint64_t) 0, count);
}

/* Bits of a field beyond the end are 0, or the sign: the field's highest bit, or that of @a if the
 * field's is beyond the end. A 32-bit source is extended to 64 bits, where the same field has the
 * same bits. */
static inline uint64_t
extract_unsigned (uint64_t a, uint32_t position, uint32_t length)
{
  return shift_right (a, position) & ones (length);
}

static inline uint64_t
extract_signed (int64_t a, uint32_t position, uint32_t length)
{
  uint64_t field = (uint64_t) shift_right_signed (a, position);

  if (length == 0)
    return 0;
  if (length > 63)
    return field;
  return (uint64_t) ((int64_t) (field << (64 - length)) >> (64 - length));
}

static inline uint64_t
insert (uint64_t into, uint64_t field, uint32_t position, uint32_t length)
{
  uint64_t hole = shift_left (ones (length), position);

  return (into & ~hole) | (shift_left (field, position) & hole);
}

/* The ISA defines position and length as bytes, and leaves other bits undefined: an H200 uses the
 * lowest byte for 32-bit fields, and all bits for 64-bit ones. */
TERNARY_3 (bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t,
           extract_unsigned (a, b & 0xff, c & 0xff))
TERNARY_3 (bfe_s32, uint32_t, int32_t, uint32_t, uint32_t, extract_signed (a, b & 0xff, c & 0xff))
TERNARY_3 (bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract_unsigned (a, b, c))
TERNARY_3 (bfe_s64, uint64_t, int64_t, uint32_t, uint32_t, extract_signed (a, b, c))

#define BFI(name, T, part)                                                                         \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    T *to = LANES (T, inst->x[0]);                                                                 \
    const T *field = LANES (T, inst->x[1]);                                                        \
    const T *into = LANES (T, inst->x[2]);                                                         \
    const uint32_t *position = LANES (uint32_t, inst->x[3]);                                       \
    const uint32_t *length = LANES (uint32_t, inst->x[4]);                                         \
                                                                                                   \
    FOR_LANES (mask,                                                                               \
               to[l] = (T) insert (into[l], field[l], position[l] & (part), length[l] & (part)));  \
  }

BFI (bfi_32, uint32_t, 0xff)
BFI (bfi_64, uint64_t, UINT32_MAX)

/* .clamp gives 0 for a position above 31; .wrap takes position and width modulo 32. */
static inline uint32_t
make_mask (uint32_t position, uint32_t width, gboolean is_clamp)
{
  if (is_clamp && position > 31)
    return 0;
  if (is_clamp && width > 31)
    return UINT32_MAX << position;
  return (uint32_t) (ones (width & 31) << (position & 31));
}

BINARY (bmsk_wrap, uint32_t, uint32_t, make_mask (a, b, FALSE))
BINARY (bmsk_clamp, uint32_t, uint32_t, make_mask (a, b, TRUE))

/* The low @width bits; width 0 gives 0, 32 and more keeps all bits with .clamp, and is taken modulo
 * 32 with .wrap. */
static inline uint32_t
extend_unsigned (uint32_t a, uint32_t width, gboolean is_clamp)
{
  return is_clamp && width > 31 ? a : a & (uint32_t) ones (width & 31);
}

static inline uint32_t
extend_signed (uint32_t a, uint32_t width, gboolean is_clamp)
{
  uint32_t unused = 32 - (width & 31);

  if (is_clamp && width > 31)
    return a;
  return unused == 32 ? 0 : (uint32_t) ((int32_t) (a << unused) >> unused);
}

BINARY (szext_wrap_u32, uint32_t, uint32_t, extend_unsigned (a, b, FALSE))
BINARY (szext_wrap_s32, uint32_t, uint32_t, extend_signed (a, b, FALSE))
BINARY (szext_clamp_u32, uint32_t, uint32_t, extend_unsigned (a, b, TRUE))
BINARY (szext_clamp_s32, uint32_t, uint32_t, extend_signed (a, b, TRUE))

/* ---- Products of packed numbers ---- */

#define UBYTE(x, k) ((int32_t) ((x) >> (8 * (k)) & 0xffu))
#define SBYTE(x, k) ((int32_t) (int8_t) ((x) >> (8 * (k))))
#define UHALF(x, k) ((int32_t) ((x) >> (16 * (k)) & 0xffffu))

/* Products have up to 25 bits; the sum wraps. */
#define DOT_4(name, of_a, of_b)                                                                    \
  TERNARY (name, uint32_t, uint32_t,                                                               \
           c + (uint32_t) (of_a (a, 0) * of_b (b, 0) + of_a (a, 1) * of_b (b, 1) +                 \
                           of_a (a, 2) * of_b (b, 2) + of_a (a, 3) * of_b (b, 3)))
#define DOT_2(name, of_a, of_b, first)                                                             \
  TERNARY (name, uint32_t, uint32_t,                                                               \
           c + (uint32_t) (of_a (a, 0) * of_b (b, first) + of_a (a, 1) * of_b (b, first + 1)))

DOT_4 (dp4a_uu, UBYTE, UBYTE)
DOT_4 (dp4a_us, UBYTE, SBYTE)
DOT_4 (dp4a_su, SBYTE, UBYTE)
DOT_4 (dp4a_ss, SBYTE, SBYTE)
DOT_2 (dp2a_lo_uu, UHALF, UBYTE, 0)
DOT_2 (dp2a_lo_us, UHALF, SBYTE, 0)
DOT_2 (dp2a_lo_su, SHALF, UBYTE, 0)
DOT_2 (dp2a_lo_ss, SHALF, SBYTE, 0)
DOT_2 (dp2a_hi_uu, UHALF, UBYTE, 2)
DOT_2 (dp2a_hi_us, UHALF, SBYTE, 2)
DOT_2 (dp2a_hi_su, SHALF, UBYTE, 2)
DOT_2 (dp2a_hi_ss, SHALF, SBYTE, 2)

/* ---- Forms ---- */

/* clang-format off */
/* Forms with .cc, and those of the instruction with carry-in. */
#define CARRIES(op, op_with, types, name) \
  FORM (op, types, W_CARRY_CC, name##_out) \
  FORM (op_with, types, 0, name##_in) \
  FORM (op_with, types, W_CARRY_CC, name##_in_out)
#define DOTS(name) \
  FORM (name, TYPES (T_U32, T_U32), 0, name##_uu) \
  FORM (name, TYPES (T_U32, T_S32), 0, name##_us) \
  FORM (name, TYPES (T_S32, T_U32), 0, name##_su) \
  FORM (name, TYPES (T_S32, T_S32), 0, name##_ss)
#define LIMITS(name) \
  BY_SIGN (name, name) \
  FORM (name, T_U16X2, 0, name##_u16x2) \
  FORM (name, T_S16X2, 0, name##_s16x2) \
  FORM (name, T_S32, W_RELU_RELU, name##_relu_s32) \
  FORM (name, T_S16X2, W_RELU_RELU, name##_relu_s16x2)

static const CuredPtxForm forms[] = {
  BY_WIDTH (add, add)
  FORM (add, T_U16X2 | T_S16X2, 0, add_16x2)
  FORM (add, T_S32, W_SAT_SAT, add_sat)
  CARRIES (add, addc, T_I32, add_carry_32)
  CARRIES (add, addc, T_I64, add_carry_64)
  BY_WIDTH (sub, sub)
  FORM (sub, T_S32, W_SAT_SAT, sub_sat)
  CARRIES (sub, subc, T_I32, sub_carry_32)
  CARRIES (sub, subc, T_I64, sub_carry_64)
  BY_WIDTH (mul_lo, mul_lo)
  BY_SIGN (mul_hi, mul_hi)
  FORM (mul_wide, T_U16, 0, mul_wide_u16)
  FORM (mul_wide, T_S16, 0, mul_wide_s16)
  FORM (mul_wide, T_U32, 0, mul_wide_u32)
  FORM (mul_wide, T_S32, 0, mul_wide_s32)
  BY_WIDTH (mad_lo, mad_lo)
  CARRIES (mad_lo, madc_lo, T_I32, mad_lo_carry_32)
  CARRIES (mad_lo, madc_lo, T_I64, mad_lo_carry_64)
  BY_SIGN (mad_hi, mad_hi)
  FORM (mad_hi, T_S32, W_SAT_SAT, mad_hi_sat)
  CARRIES (mad_hi, madc_hi, T_U32, mad_hi_carry_u32)
  CARRIES (mad_hi, madc_hi, T_S32, mad_hi_carry_s32)
  CARRIES (mad_hi, madc_hi, T_U64, mad_hi_carry_u64)
  CARRIES (mad_hi, madc_hi, T_S64, mad_hi_carry_s64)
  FORM (mad_wide, T_U16, 0, mad_wide_u16)
  FORM (mad_wide, T_S16, 0, mad_wide_s16)
  FORM (mad_wide, T_U32, 0, mad_wide_u32)
  FORM (mad_wide, T_S32, 0, mad_wide_s32)
  FORM (mul24_lo, T_U32, 0, mul24_lo_u32)
  FORM (mul24_lo, T_S32, 0, mul24_lo_s32)
  FORM (mul24_hi, T_U32, 0, mul24_hi_u32)
  FORM (mul24_hi, T_S32, 0, mul24_hi_s32)
  FORM (mad24_lo, T_U32, 0, mad24_lo_u32)
  FORM (mad24_lo, T_S32, 0, mad24_lo_s32)
  FORM (mad24_hi, T_U32, 0, mad24_hi_u32)
  FORM (mad24_hi, T_S32, 0, mad24_hi_s32)
  FORM (mad24_hi, T_S32, W_SAT_SAT, mad24_hi_sat)
  BY_SIGN (div, div)
  BY_SIGN (rem, rem)
  BY_WIDTH (abs, abs)
  BY_WIDTH (neg, neg)
  LIMITS (min)
  LIMITS (max)
  BY_SIGN (sad, sad)
  FORM (popc, T_B32, 0, popc_32)
  FORM (popc, T_B64, 0, popc_64)
  FORM (clz, T_B32, 0, clz_32)
  FORM (clz, T_B64, 0, clz_64)
  FORM (bfind, T_U32, 0, bfind_u32)
  FORM (bfind, T_S32, 0, bfind_s32)
  FORM (bfind, T_U64, 0, bfind_u64)
  FORM (bfind, T_S64, 0, bfind_s64)
  FORM (bfind, T_U32, W_SHIFTAMT_SHIFTAMT, bfind_shift_u32)
  FORM (bfind, T_S32, W_SHIFTAMT_SHIFTAMT, bfind_shift_s32)
  FORM (bfind, T_U64, W_SHIFTAMT_SHIFTAMT, bfind_shift_u64)
  FORM (bfind, T_S64, W_SHIFTAMT_SHIFTAMT, bfind_shift_s64)
  FORM (fns, T_B32, 0, fns_32)
  FORM (brev, T_B32, 0, brev_32)
  FORM (brev, T_B64, 0, brev_64)
  FORM (bfe, T_U32, 0, bfe_u32)
  FORM (bfe, T_S32, 0, bfe_s32)
  FORM (bfe, T_U64, 0, bfe_u64)
  FORM (bfe, T_S64, 0, bfe_s64)
  FORM (bfi, T_B32, 0, bfi_32)
  FORM (bfi, T_B64, 0, bfi_64)
  FORM (bmsk, T_B32, W_WRAP_WRAP, bmsk_wrap)
  FORM (bmsk, T_B32, W_WRAP_CLAMP, bmsk_clamp)
  FORM (szext, T_U32, W_WRAP_WRAP, szext_wrap_u32)
  FORM (szext, T_S32, W_WRAP_WRAP, szext_wrap_s32)
  FORM (szext, T_U32, W_WRAP_CLAMP, szext_clamp_u32)
  FORM (szext, T_S32, W_WRAP_CLAMP, szext_clamp_s32)
  DOTS (dp4a)
  DOTS (dp2a_lo)
  DOTS (dp2a_hi)
};
/* clang-format on */

FORMS_OF (int)
