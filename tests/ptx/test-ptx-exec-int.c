/* SPDX-License-Identifier: MIT
 * Integer and logic instructions, against slow formulas: bit by bit, or in 128 bits. */
#include "exec-bench.h"

#include <string.h>

#define POISON    0xa5a5a5a5a5a5a5a5u
#define N_ROUNDS  48
#define INT_TYPES "u16 s16 u32 s32 u64 s64"
#define WIDE_INTS "u32 s32 u64 s64"
#define BIT_TYPES "b16 b32 b64"

/* What an instruction makes of its sources, of which each is zero-extended.
 * @bits and @is_signed are the first type's. */
typedef struct
{
  guint64 a;
  guint64 b;
  guint64 c;
  guint64 e;
  guint bits;
  gboolean is_signed;
  gboolean is_other_signed; /* of a second type */
} Sources;

typedef guint64 (*Reference) (const Sources *x);

/* @value of so many bits, as a number. */
static cured_int128
number (guint64 value, guint bits, gboolean is_signed)
{
  cured_int128 one = 1;
  cured_int128 unsigned_value = (cured_int128) value & ((one << bits) - 1);

  return is_signed && (unsigned_value >> (bits - 1)) != 0 ? unsigned_value - (one << bits)
                                                          : unsigned_value;
}

static cured_int128
clamp_32 (cured_int128 value)
{
  return CLAMP (value, G_MININT32, G_MAXINT32);
}

#define A      number (x->a, x->bits, x->is_signed)
#define B      number (x->b, x->bits, x->is_signed)
#define C      number (x->c, x->bits, x->is_signed)
#define AMOUNT ((guint32) x->b)
#define BIT(n) ((guint64) 1 << (n))
#define DEFINE_REFERENCE(name, expression)                                                         \
  static guint64 name (const Sources *x) { return (guint64) (expression); }

DEFINE_REFERENCE (add, A + B)
DEFINE_REFERENCE (add_sat, clamp_32 (A + B))
DEFINE_REFERENCE (sub, A - B)
DEFINE_REFERENCE (sub_sat, clamp_32 (A - B))
DEFINE_REFERENCE (mul_lo, x->a * x->b)
/* Of unsigned 64 bits the product is one of 128. */
DEFINE_REFERENCE (mul_hi, ((cured_uint128) A * (cured_uint128) B) >> x->bits)
DEFINE_REFERENCE (mad_lo, (x->a * x->b) + x->c)
DEFINE_REFERENCE (mad_hi, mul_hi (x) + x->c)
DEFINE_REFERENCE (mad_hi_sat, clamp_32 ((A * B >> 32) + C))
DEFINE_REFERENCE (mul_wide, (A * B))
DEFINE_REFERENCE (mad_wide, (A * B) + (cured_int128) x->c)

DEFINE_REFERENCE (mul24_lo, number (x->a, 24, x->is_signed) * number (x->b, 24, x->is_signed))
DEFINE_REFERENCE (mul24_hi, number (x->a, 24, x->is_signed) * number (x->b, 24, x->is_signed) >> 16)
DEFINE_REFERENCE (mad24_lo, mul24_lo (x) + x->c)
DEFINE_REFERENCE (mad24_hi, mul24_hi (x) + x->c)
DEFINE_REFERENCE (mad24_hi_sat,
                  clamp_32 ((number (x->a, 24, TRUE) * number (x->b, 24, TRUE) >> 16) + C))

DEFINE_REFERENCE (div_, B == 0 ? -1 : A / B)
DEFINE_REFERENCE (rem_, B == 0 ? -1 : A % B)
DEFINE_REFERENCE (abs_, A < 0 ? -A : A)
DEFINE_REFERENCE (neg, -A)
DEFINE_REFERENCE (min, MIN (A, B))
DEFINE_REFERENCE (max, MAX (A, B))
DEFINE_REFERENCE (min_relu, MAX (MIN (A, B), 0))
DEFINE_REFERENCE (max_relu, MAX (MAX (A, B), 0))
DEFINE_REFERENCE (sad, (A < B ? B - A : A - B) + C)

/* Of both halves of a register. */
static guint64
for_halves (const Sources *x, Reference reference)
{
  guint64 result = 0;

  for (guint k = 0; k < 2; k++)
    {
      Sources half = *x;

      half.a = x->a >> 16 * k & 0xffff;
      half.b = x->b >> 16 * k & 0xffff;
      half.bits = 16;
      result |= (reference (&half) & 0xffff) << 16 * k;
    }
  return result;
}

DEFINE_REFERENCE (add_halves, for_halves (x, add))
DEFINE_REFERENCE (min_halves, for_halves (x, min))
DEFINE_REFERENCE (max_halves, for_halves (x, max))
DEFINE_REFERENCE (min_relu_halves, for_halves (x, min_relu))
DEFINE_REFERENCE (max_relu_halves, for_halves (x, max_relu))

/* ---- Bits ---- */

static guint64
popc (const Sources *x)
{
  guint n = 0;

  for (guint i = 0; i < x->bits; i++)
    n += (x->a >> i & 1) != 0;
  return n;
}

static guint64
bfind (const Sources *x)
{
  guint64 a = x->is_signed && A < 0 ? ~x->a : x->a;

  for (guint i = x->bits; i-- > 0;)
    if ((a >> i & 1) != 0)
      return i;
  return G_MAXUINT32;
}

static guint64
clz (const Sources *x)
{
  guint64 found = bfind (x);

  return found == G_MAXUINT32 ? x->bits : x->bits - 1 - found;
}

static guint64
bfind_shiftamt (const Sources *x)
{
  guint64 found = bfind (x);

  return found == G_MAXUINT32 ? found : x->bits - 1 - found;
}

static guint64
brev (const Sources *x)
{
  guint64 result = 0;

  for (guint i = 0; i < x->bits; i++)
    if ((x->a >> i & 1) != 0)
      result |= BIT (x->bits - 1 - i);
  return result;
}

/* As the ISA writes it, with a walk. */
static guint64
fns (const Sources *x)
{
  gint64 offset = (gint32) x->c;
  gint64 count = ABS (offset) - 1;
  gint64 position = (guint32) x->b;

  if (offset == 0)
    return position < 32 && (x->a >> position & 1) != 0 ? (guint64) position : G_MAXUINT32;
  for (; position >= 0 && position<32; position += offset> 0 ? 1 : -1)
    if ((x->a >> position & 1) != 0 && count-- == 0)
      return (guint64) position;
  return G_MAXUINT32;
}

/* Amounts of 32-bit fields are bytes; of 64-bit ones all bits count. */
static guint64
field_amount (const Sources *x, guint64 amount)
{
  return x->bits == 32 ? amount & 0xff : (guint32) amount;
}

static guint64
bfe (const Sources *x)
{
  guint64 position = field_amount (x, x->b), length = field_amount (x, x->c);
  guint64 last = MIN (position + length - 1, x->bits - 1);
  guint64 fill = x->is_signed && length > 0 ? x->a >> last & 1 : 0;
  guint64 result = 0;

  for (guint i = 0; i < x->bits; i++)
    if ((i < length && position + i < x->bits ? x->a >> (position + i) & 1 : fill) != 0)
      result |= BIT (i);
  return result;
}

static guint64
bfi (const Sources *x)
{
  guint64 position = field_amount (x, x->c), length = field_amount (x, x->e);
  guint64 result = x->b;

  for (guint i = 0; i < length && position + i < x->bits; i++)
    result = (result & ~BIT (position + i)) | (x->a >> i & 1) << (position + i);
  return result;
}

static guint64
bmsk_clamp (const Sources *x)
{
  guint64 result = 0;

  for (guint64 i = x->a; i < 32 && i < x->a + x->b; i++)
    result |= BIT (i);
  return result;
}

static guint64
bmsk_wrap (const Sources *x)
{
  Sources wrapped = { .a = x->a & 31, .b = x->b & 31 };

  return bmsk_clamp (&wrapped);
}

DEFINE_REFERENCE (szext_clamp, x->b == 0   ? 0
                               : x->b > 31 ? x->a
                                           : number (x->a, (guint) x->b, x->is_signed))
DEFINE_REFERENCE (szext_wrap, (x->b & 31) == 0 ? 0 : number (x->a, (guint) x->b & 31, x->is_signed))

static guint64
dot (const Sources *x, guint n, guint bits_a, guint first)
{
  cured_int128 sum = (cured_int128) x->c;

  for (guint i = 0; i < n; i++)
    sum += number (x->a >> bits_a * i, bits_a, x->is_signed) *
           number (x->b >> 8 * (i + first), 8, x->is_other_signed);
  return (guint64) sum;
}

DEFINE_REFERENCE (dp4a, dot (x, 4, 8, 0))
DEFINE_REFERENCE (dp2a_lo, dot (x, 2, 16, 0))
DEFINE_REFERENCE (dp2a_hi, dot (x, 2, 16, 2))

/* ---- Logic ---- */

DEFINE_REFERENCE (and_, (x->a & x->b))
DEFINE_REFERENCE (or_, x->a | x->b)
DEFINE_REFERENCE (xor_, x->a ^ x->b)
DEFINE_REFERENCE (not_, ~x->a)
DEFINE_REFERENCE (cnot, x->a == 0)
DEFINE_REFERENCE (shl, AMOUNT >= x->bits ? 0 : x->a << AMOUNT)
DEFINE_REFERENCE (shr, AMOUNT >= x->bits ? (A < 0 ? -1 : 0) : A >> AMOUNT)

static guint64
funnel (const Sources *x, gboolean is_left, guint by)
{
  guint64 pair = x->b << 32 | x->a;

  for (guint i = 0; i < by; i++)
    pair = is_left ? pair << 1 : pair >> 1;
  return is_left ? pair >> 32 : pair;
}

DEFINE_REFERENCE (shf_l_wrap, funnel (x, TRUE, x->c % 32))
DEFINE_REFERENCE (shf_l_clamp, funnel (x, TRUE, (guint) MIN (x->c, 32)))
DEFINE_REFERENCE (shf_r_wrap, funnel (x, FALSE, x->c % 32))
DEFINE_REFERENCE (shf_r_clamp, funnel (x, FALSE, (guint) MIN (x->c, 32)))

static guint64
prmt (const Sources *x)
{
  guint8 bytes[8];
  guint64 result = 0;

  for (guint i = 0; i < 4; i++)
    {
      bytes[i] = (guint8) (x->a >> 8 * i);
      bytes[i + 4] = (guint8) (x->b >> 8 * i);
    }
  for (guint i = 0; i < 4; i++)
    {
      guint selector = (guint) (x->c >> 4 * i) & 15;
      guint8 byte = bytes[selector & 7];

      if (selector > 7)
        byte = byte >= 0x80 ? 0xff : 0;
      result |= (guint64) byte << 8 * i;
    }
  return result;
}

/* The bytes that a mode puts from the lowest place on, by the control. */
static guint64
prmt_mode (const Sources *x, const guint8 (*bytes)[4])
{
  Sources general = *x;

  general.c = 0;
  for (guint i = 0; i < 4; i++)
    general.c |= (guint64) bytes[x->c & 3][i] << 4 * i;
  return prmt (&general);
}

static guint64
prmt_f4e (const Sources *x)
{
  static const guint8 bytes[4][4] = {
    { 0, 1, 2, 3 }, { 1, 2, 3, 4 }, { 2, 3, 4, 5 }, { 3, 4, 5, 6 }
  };

  return prmt_mode (x, bytes);
}

static guint64
prmt_b4e (const Sources *x)
{
  static const guint8 bytes[4][4] = {
    { 0, 7, 6, 5 }, { 1, 0, 7, 6 }, { 2, 1, 0, 7 }, { 3, 2, 1, 0 }
  };

  return prmt_mode (x, bytes);
}

static guint64
prmt_rc8 (const Sources *x)
{
  static const guint8 bytes[4][4] = {
    { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 2, 2, 2, 2 }, { 3, 3, 3, 3 }
  };

  return prmt_mode (x, bytes);
}

static guint64
prmt_ecl (const Sources *x)
{
  static const guint8 bytes[4][4] = {
    { 0, 1, 2, 3 }, { 1, 1, 2, 3 }, { 2, 2, 2, 3 }, { 3, 3, 3, 3 }
  };

  return prmt_mode (x, bytes);
}

static guint64
prmt_ecr (const Sources *x)
{
  static const guint8 bytes[4][4] = {
    { 0, 0, 0, 0 }, { 0, 1, 1, 1 }, { 0, 1, 2, 2 }, { 0, 1, 2, 3 }
  };

  return prmt_mode (x, bytes);
}

static guint64
prmt_rc16 (const Sources *x)
{
  static const guint8 bytes[4][4] = {
    { 0, 1, 0, 1 }, { 2, 3, 2, 3 }, { 0, 1, 0, 1 }, { 2, 3, 2, 3 }
  };

  return prmt_mode (x, bytes);
}

/* ---- The table ---- */

/* @operands: the row's letters: D and S of the type's width, W and X of twice it, N and U of 32
 * bits; the first one is the destination. @types: in place of the mnemonic's %s. */
static const struct
{
  const char *mnemonic;
  const char *types;
  const char *operands;
  Reference reference;
} rows[] = {
  { "add.%s", INT_TYPES, "DSS", add },
  { "add.%s", "u16x2 s16x2", "DSS", add_halves },
  { "add.sat.%s", "s32", "DSS", add_sat },
  { "sub.%s", INT_TYPES, "DSS", sub },
  { "sub.sat.%s", "s32", "DSS", sub_sat },
  { "mul.lo.%s", INT_TYPES, "DSS", mul_lo },
  { "mul.hi.%s", INT_TYPES, "DSS", mul_hi },
  { "mul.wide.%s", "u16 s16 u32 s32", "WSS", mul_wide },
  { "mad.lo.%s", INT_TYPES, "DSSS", mad_lo },
  { "mad.hi.%s", INT_TYPES, "DSSS", mad_hi },
  { "mad.hi.sat.%s", "s32", "DSSS", mad_hi_sat },
  { "mad.wide.%s", "u16 s16 u32 s32", "WSSX", mad_wide },
  { "mul24.lo.%s", "u32 s32", "DSS", mul24_lo },
  { "mul24.hi.%s", "u32 s32", "DSS", mul24_hi },
  { "mad24.lo.%s", "u32 s32", "DSSS", mad24_lo },
  { "mad24.hi.%s", "u32 s32", "DSSS", mad24_hi },
  { "mad24.hi.sat.%s", "s32", "DSSS", mad24_hi_sat },
  { "div.%s", INT_TYPES, "DSS", div_ },
  { "rem.%s", INT_TYPES, "DSS", rem_ },
  { "abs.%s", "s16 s32 s64", "DS", abs_ },
  { "neg.%s", "s16 s32 s64", "DS", neg },
  { "min.%s", INT_TYPES, "DSS", min },
  { "max.%s", INT_TYPES, "DSS", max },
  { "min.relu.%s", "s32", "DSS", min_relu },
  { "max.relu.%s", "s32", "DSS", max_relu },
  { "min.%s", "u16x2 s16x2", "DSS", min_halves },
  { "max.%s", "u16x2 s16x2", "DSS", max_halves },
  { "min.relu.%s", "s16x2", "DSS", min_relu_halves },
  { "max.relu.%s", "s16x2", "DSS", max_relu_halves },
  { "sad.%s", INT_TYPES, "DSSS", sad },
  { "popc.%s", "b32 b64", "NS", popc },
  { "clz.%s", "b32 b64", "NS", clz },
  { "bfind.%s", WIDE_INTS, "NS", bfind },
  { "bfind.shiftamt.%s", WIDE_INTS, "NS", bfind_shiftamt },
  { "fns.%s", "b32", "NSUU", fns },
  { "brev.%s", "b32 b64", "DS", brev },
  { "bfe.%s", WIDE_INTS, "DSUU", bfe },
  { "bfi.%s", "b32 b64", "DSSUU", bfi },
  { "bmsk.clamp.%s", "b32", "DSU", bmsk_clamp },
  { "bmsk.wrap.%s", "b32", "DSU", bmsk_wrap },
  { "szext.clamp.%s", "u32 s32", "DSU", szext_clamp },
  { "szext.wrap.%s", "u32 s32", "DSU", szext_wrap },
  { "dp4a.%s", "u32.u32 u32.s32 s32.u32 s32.s32", "DUUU", dp4a },
  { "dp2a.lo.%s", "u32.u32 u32.s32 s32.u32 s32.s32", "DUUU", dp2a_lo },
  { "dp2a.hi.%s", "u32.u32 u32.s32 s32.u32 s32.s32", "DUUU", dp2a_hi },
  { "and.%s", BIT_TYPES, "DSS", and_ },
  { "or.%s", BIT_TYPES, "DSS", or_ },
  { "xor.%s", BIT_TYPES, "DSS", xor_ },
  { "not.%s", BIT_TYPES, "DS", not_ },
  { "cnot.%s", BIT_TYPES, "DS", cnot },
  { "shl.%s", BIT_TYPES, "DSU", shl },
  { "shr.%s", BIT_TYPES " " INT_TYPES, "DSU", shr },
  { "shf.l.wrap.%s", "b32", "DSSU", shf_l_wrap },
  { "shf.l.clamp.%s", "b32", "DSSU", shf_l_clamp },
  { "shf.r.wrap.%s", "b32", "DSSU", shf_r_wrap },
  { "shf.r.clamp.%s", "b32", "DSSU", shf_r_clamp },
  { "prmt.%s", "b32", "DSSU", prmt },
  { "prmt.%s.f4e", "b32", "DSSU", prmt_f4e },
  { "prmt.%s.b4e", "b32", "DSSU", prmt_b4e },
  { "prmt.%s.rc8", "b32", "DSSU", prmt_rc8 },
  { "prmt.%s.ecl", "b32", "DSSU", prmt_ecl },
  { "prmt.%s.ecr", "b32", "DSSU", prmt_ecr },
  { "prmt.%s.rc16", "b32", "DSSU", prmt_rc16 },
};

static guint
get_bits (const char *type)
{
  return strstr (type, "16x2") != NULL ? 32
         : strstr (type, "64") != NULL ? 64
         : strstr (type, "32") != NULL ? 32
                                       : 16;
}

/* A corner, a small number or any; the corners of one place meet those of another. */
static guint64
make_value (GRand *rand, guint bits)
{
  static const guint64 corners[] = { 0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256 };
  guint64 top = BIT (bits - 1);
  guint64 value = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);

  switch (g_rand_int_range (rand, 0, 8))
    {
    case 0:
      value = top;
      break;
    case 1:
      value = top - 1;
      break;
    case 2:
      value = (guint64) -1;
      break;
    case 3:
    case 4:
      value = corners[g_rand_int_range (rand, 0, G_N_ELEMENTS (corners))];
      break;
    case 5:
      value >>= g_rand_int_range (rand, 0, 64);
      break;
    default:
      break;
    }
  return bits == 64 ? value : value & (BIT (bits) - 1);
}

static guint64
get_value (ExecBench *bench, CuredPtxOperand x, guint lane)
{
  guint64 value = 0;

  memcpy (&value, (guint8 *) exec_bench_lanes (bench, x) + lane * x.width, x.width);
  return value;
}

static void
set_value (ExecBench *bench, CuredPtxOperand x, guint lane, guint64 value)
{
  memcpy ((guint8 *) exec_bench_lanes (bench, x) + lane * x.width, &value, x.width);
}

/* Runs what @bench holds for @mask and compares every lane. Operand 0 is the destination, perhaps
 * one of the sources, too. */
static void
check_lanes (ExecBench *bench, const char *mnemonic, const CuredPtxOperand *x, guint n,
             guint32 mask, Reference reference, Sources form)
{
  guint64 expected[32], before[32], inputs[4][32] = { 0 };

  for (guint l = 0; l < 32; l++)
    {
      Sources s = form;

      before[l] = get_value (bench, x[0], l);
      for (guint k = 1; k < n; k++)
        inputs[k - 1][l] = get_value (bench, x[k], l);
      s.a = inputs[0][l];
      s.b = inputs[1][l];
      s.c = inputs[2][l];
      s.e = inputs[3][l];
      expected[l] = (mask >> l & 1) != 0 ? reference (&s) : before[l];
      if (x[0].width < 8)
        expected[l] &= BIT (8 * x[0].width) - 1;
    }
  exec_bench_run (bench, mask);
  for (guint l = 0; l < 32; l++)
    if (get_value (bench, x[0], l) != expected[l])
      g_error ("%s, mask %08x, lane %u of %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
               "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x: got %" G_GINT64_MODIFIER
               "x, expected %" G_GINT64_MODIFIER "x",
               mnemonic, mask, l, inputs[0][l], inputs[1][l], inputs[2][l], inputs[3][l],
               get_value (bench, x[0], l), expected[l]);
}

static void
check_row (ExecBench *bench, guint row, const char *type)
{
  g_auto (GStrv) parts = g_strsplit (rows[row].mnemonic, "%s", 2);
  g_autofree char *mnemonic = g_strconcat (parts[0], type, parts[1], NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (row);
  guint n = (guint) strlen (rows[row].operands);
  Sources form = { 0 };
  CuredPtxOperand x[5];

  form.bits = get_bits (type);
  form.is_signed = *type == 's';
  form.is_other_signed = g_str_has_suffix (type, ".s32");
  for (guint k = 0; k < n; k++)
    switch (rows[row].operands[k])
      {
      case 'N':
      case 'U':
        x[k] = R (k, 4);
        break;
      case 'W':
      case 'X':
        x[k] = R (k, (guint8) (form.bits / 4));
        break;
      default:
        x[k] = R (k, (guint8) (form.bits / 8));
      }
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      guint32 mask = round % 3 == 0   ? CURED_ALL_LANES
                     : round % 3 == 1 ? g_rand_int (rand)
                                      : 1u << g_rand_int_range (rand, 0, 32);

      if (mask == 0)
        continue;
      for (guint l = 0; l < 32; l++)
        {
          set_value (bench, x[0], l, POISON);
          for (guint k = 1; k < n; k++)
            set_value (bench, x[k], l, make_value (rand, 8u * x[k].width));
        }
      g_assert_cmpstr (exec_bench_set (bench, mnemonic, n, x), ==, NULL);
      check_lanes (bench, mnemonic, x, n, mask, rows[row].reference, form);
      /* ... and once more into each of its sources. */
      for (guint k = 1; k < n; k++)
        if (x[k].width == x[0].width)
          {
            CuredPtxOperand same[5];

            memcpy (same, x, sizeof same);
            same[0] = x[k];
            g_assert_cmpstr (exec_bench_set (bench, mnemonic, n, same), ==, NULL);
            check_lanes (bench, mnemonic, same, n, mask, rows[row].reference, form);
          }
    }
}

static void
test_rows (gconstpointer data)
{
  for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
    {
      g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
      g_auto (GStrv) types = g_strsplit (rows[row].types, " ", -1);

      for (guint t = 0; types[t] != NULL; t++)
        check_row (bench, row, types[t]);
    }
}

/* ---- By hand: what the formulas might share a mistake with ---- */

static guint32
do_32 (ExecBench *bench, const char *mnemonic, guint32 a, guint32 b)
{
  for (guint l = 0; l < 32; l++)
    {
      set_value (bench, R (1, 4), l, a);
      set_value (bench, R (2, 4), l, b);
    }
  exec_bench_do (bench, CURED_ALL_LANES, mnemonic, R (0, 4), R (1, 4), R (2, 4));
  return (guint32) get_value (bench, R (0, 4), 31);
}

static void
test_corners (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));

  g_assert_cmphex (do_32 (bench, "div.u32", 7, 0), ==, 0xffffffff);
  g_assert_cmphex (do_32 (bench, "rem.u32", 7, 0), ==, 0xffffffff);
  g_assert_cmphex (do_32 (bench, "div.s32", 0x80000000, 0xffffffff), ==, 0x80000000);
  g_assert_cmphex (do_32 (bench, "rem.s32", 0x80000000, 0xffffffff), ==, 0);
  g_assert_cmphex (do_32 (bench, "rem.s32", (guint32) -7, 3), ==, (guint32) -1);
  g_assert_cmphex (do_32 (bench, "shl.b32", 1, 32), ==, 0);
  g_assert_cmphex (do_32 (bench, "shr.s32", 0x80000000, 0xffffffff), ==, 0xffffffff);
  g_assert_cmphex (do_32 (bench, "shr.u32", 0x80000000, 32), ==, 0);
  g_assert_cmphex (do_32 (bench, "add.sat.s32", 0x7fffffff, 1), ==, 0x7fffffff);
  g_assert_cmphex (do_32 (bench, "sub.sat.s32", 0x80000000, 1), ==, 0x80000000);
  g_assert_cmphex (do_32 (bench, "bmsk.clamp.b32", 4, 8), ==, 0xff0);
  g_assert_cmphex (do_32 (bench, "bmsk.clamp.b32", 28, 32), ==, 0xf0000000);
  g_assert_cmphex (do_32 (bench, "szext.clamp.s32", 0x80, 8), ==, 0xffffff80);
  g_assert_cmphex (do_32 (bench, "mul.hi.s32", 0xffffffff, 2), ==, 0xffffffff);
  g_assert_cmphex (do_32 (bench, "mul.hi.u32", 0xffffffff, 2), ==, 1);
}

/* ---- Carries ---- */

/* A product of 128 bits, and a sum of 96, as compilers write them. */
static void
test_carry (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint round = 0; round < 50; round++)
    {
      guint32 mask = round % 2 == 0 ? CURED_ALL_LANES : g_rand_int (rand) | 1;

      for (guint k = 0; k < 6; k++)
        for (guint l = 0; l < 32; l++)
          set_value (bench, R (k, 4), l, make_value (rand, 32));
      bench->warp->carry = g_rand_int (rand);

      exec_bench_do (bench, mask, "add.cc.u32", R (6, 4), R (0, 4), R (3, 4));
      exec_bench_do (bench, mask, "addc.cc.u32", R (7, 4), R (1, 4), R (4, 4));
      exec_bench_do (bench, mask, "addc.s32", R (8, 4), R (2, 4), R (5, 4));
      exec_bench_do (bench, mask, "sub.cc.s32", R (9, 4), R (0, 4), R (3, 4));
      exec_bench_do (bench, mask, "subc.cc.u32", R (10, 4), R (1, 4), R (4, 4));
      exec_bench_do (bench, mask, "subc.u32", R (11, 4), R (2, 4), R (5, 4));
      for (guint l = 0; l < 32; l++)
        {
          cured_uint128 value[4] = { 0 };

          if ((mask >> l & 1) == 0)
            continue;
          for (guint k = 0; k < 12; k++)
            value[k / 3] |= (cured_uint128) get_value (bench, R ((guint8) k, 4), l) << 32 * (k % 3);
          g_assert_true (value[2] << 32 == (value[0] + value[1]) << 32);
          g_assert_true (value[3] << 32 == (value[0] - value[1]) << 32);
        }
    }
}

static void
test_carry_product (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  /* r3:r2:r1:r0 = r5:r4 * r7:r6, all of 64 bits; only the lower 128 bits are compared, which is the
   * whole of products of two 64-bit registers. */
  const CuredPtxOperand zero = R (20, 8);

  for (guint round = 0; round < 50; round++)
    {
      for (guint k = 4; k < 8; k++)
        for (guint l = 0; l < 32; l++)
          set_value (bench, R ((guint8) k, 8), l, make_value (rand, 64));
      exec_bench_do (bench, CURED_ALL_LANES, "mul.lo.u64", R (0, 8), R (4, 8), R (6, 8));
      exec_bench_do (bench, CURED_ALL_LANES, "mul.hi.u64", R (1, 8), R (4, 8), R (6, 8));
      exec_bench_do (bench, CURED_ALL_LANES, "mad.lo.cc.u64", R (1, 8), R (5, 8), R (6, 8),
                     R (1, 8));
      exec_bench_do (bench, CURED_ALL_LANES, "madc.hi.u64", R (2, 8), R (5, 8), R (6, 8), zero);
      exec_bench_do (bench, CURED_ALL_LANES, "mad.lo.cc.u64", R (1, 8), R (4, 8), R (7, 8),
                     R (1, 8));
      exec_bench_do (bench, CURED_ALL_LANES, "madc.hi.cc.u64", R (2, 8), R (4, 8), R (7, 8),
                     R (2, 8));
      exec_bench_do (bench, CURED_ALL_LANES, "addc.u64", R (3, 8), zero, zero);
      exec_bench_do (bench, CURED_ALL_LANES, "mad.lo.cc.u64", R (2, 8), R (5, 8), R (7, 8),
                     R (2, 8));
      exec_bench_do (bench, CURED_ALL_LANES, "madc.hi.u64", R (3, 8), R (5, 8), R (7, 8), R (3, 8));
      for (guint l = 0; l < 32; l++)
        {
          guint32 words[8] = { 0 }, a[4], b[4];

          /* By hand, in digits of 32 bits. */
          for (guint k = 0; k < 2; k++)
            {
              guint64 of_a = get_value (bench, R ((guint8) (4 + k), 8), l);
              guint64 of_b = get_value (bench, R ((guint8) (6 + k), 8), l);

              a[2 * k] = (guint32) of_a;
              a[2 * k + 1] = (guint32) (of_a >> 32);
              b[2 * k] = (guint32) of_b;
              b[2 * k + 1] = (guint32) (of_b >> 32);
            }
          for (guint i = 0; i < 4; i++)
            {
              guint64 carry = 0;

              for (guint k = 0; k < 4; k++)
                {
                  carry += (guint64) a[i] * b[k] + words[i + k];
                  words[i + k] = (guint32) carry;
                  carry >>= 32;
                }
              words[i + 4] = (guint32) carry;
            }
          for (guint k = 0; k < 4; k++)
            g_assert_cmphex (get_value (bench, R ((guint8) k, 8), l), ==,
                             (guint64) words[2 * k + 1] << 32 | words[2 * k]);
        }
    }
}

/* The carry is a bit per lane: lanes that do not execute keep theirs. */
static void
test_carry_lanes (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));

  for (guint l = 0; l < 32; l++)
    set_value (bench, R (1, 4), l, l % 2 == 0 ? G_MAXUINT32 : 0);
  bench->warp->carry = 0xff00ff00;
  for (guint l = 0; l < 32; l++)
    set_value (bench, R (2, 4), l, 1);
  exec_bench_do (bench, 0xffff, "add.cc.u32", R (0, 4), R (1, 4), R (2, 4));
  g_assert_cmphex (bench->warp->carry, ==, 0xff005555);
  exec_bench_do (bench, 0xffff, "addc.u32", R (0, 4), R (1, 4), R (2, 4));
  g_assert_cmphex (bench->warp->carry, ==, 0xff005555);
  /* ptxas for sm_90 has addc after sub.cc add 1 where there was no borrow. */
  exec_bench_do (bench, 1, "sub.cc.u32", R (0, 4), R (2, 4), R (1, 4));
  g_assert_cmphex (bench->warp->carry & 1, ==, 0);
}

/* ---- Predicates and lop3 ---- */

static void
test_predicates (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  guint32 *p = exec_bench_lanes (bench, PREDICATE (0));
  guint32 *q = exec_bench_lanes (bench, PREDICATE (1));
  guint32 *r = exec_bench_lanes (bench, PREDICATE (2));

  *q = 0x00ff00ff;
  *r = 0x0f0f0f0f;
  *p = 0;
  exec_bench_do (bench, 0xffff, "and.pred", PREDICATE (0), PREDICATE (1), PREDICATE (2));
  g_assert_cmphex (*p, ==, 0x000f);
  exec_bench_do (bench, CURED_ALL_LANES, "or.pred", PREDICATE (0), PREDICATE (1),
                 NOT_PREDICATE (2));
  g_assert_cmphex (*p, ==, 0xf0fff0ff);
  exec_bench_do (bench, CURED_ALL_LANES, "xor.pred", PREDICATE (1), PREDICATE (1), PREDICATE (2));
  g_assert_cmphex (*q, ==, 0x0ff00ff0);
  exec_bench_do (bench, 0xf, "not.pred", PREDICATE (1), PREDICATE (1));
  g_assert_cmphex (*q, ==, 0x0ff00fff);
}

static void
test_lop3 (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  const CuredPtxOperand x[] = { R (0, 4), NONE, R (1, 4), R (2, 4), R (3, 4), NONE, NONE };
  const CuredPtxOperand with[] = { NONE,     PREDICATE (8), R (1, 4),     R (2, 4),
                                   R (3, 4), NONE,          PREDICATE (9) };
  guint32 *p = exec_bench_lanes (bench, PREDICATE (8));
  guint32 *q = exec_bench_lanes (bench, PREDICATE (9));

  for (guint table = 0; table < 256; table++)
    {
      guint32 is_set = 0;

      for (guint l = 0; l < 32; l++)
        for (guint8 k = 1; k < 4; k++)
          set_value (bench, R (k, 4), l, g_rand_int (rand) >> (l & 31));
      g_assert_cmpstr (exec_bench_set (bench, "lop3.b32", 7, x), ==, NULL);
      bench->inst.immediate = table;
      g_assert_cmpstr (exec_bench_select (bench), ==, NULL);
      exec_bench_run (bench, CURED_ALL_LANES);
      for (guint l = 0; l < 32; l++)
        {
          guint32 a = (guint32) get_value (bench, R (1, 4), l);
          guint32 b = (guint32) get_value (bench, R (2, 4), l);
          guint32 c = (guint32) get_value (bench, R (3, 4), l);
          guint32 expected = 0;

          for (guint i = 0; i < 32; i++)
            expected |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
          g_assert_cmphex (get_value (bench, R (0, 4), l), ==, expected);
          is_set |= (guint32) (expected != 0) << l;
        }
      *q = g_rand_int (rand);
      *p = 0;
      exec_bench_set (bench, "lop3.and.b32", 7, with);
      bench->inst.immediate = table;
      exec_bench_run (bench, 0xfffff);
      g_assert_cmphex (*p, ==, is_set & *q & 0xfffff);
      exec_bench_set (bench, "lop3.or.b32", 7, with);
      bench->inst.immediate = table;
      exec_bench_run (bench, CURED_ALL_LANES);
      g_assert_cmphex (*p, ==, is_set | *q);
    }
  exec_bench_set (bench, "lop3.b32", 7, x);
  bench->inst.immediate = 256;
  g_assert_nonnull (exec_bench_select (bench));
}

/* ---- What the ISA has not ---- */

static void
test_refused (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  static const char *const of_three[] = {
    "add.sat.u32",  "add.sat.s64", "add.cc.u16", "add.u32.u32",  "add.sat.cc.s32",
    "add.cc.u16x2", "sub.sat.u32", "sub.cc.s16", "min.relu.u32", "max.relu.u16x2",
    "min.relu.s64", "bmsk.b32",    "szext.u32",  "shl.b32.b32",  "addc.u32.u32",
  };
  static const char *const of_four[] = {
    "mad.hi.sat.u32", "mad.lo.cc.u16", "mad24.hi.sat.u32", "dp4a.u32",        "dp4a.u32.u64",
    "dp2a.lo.s32",    "shf.l.b32",     "shf.wrap.b32",     "shf.up.wrap.b32", "prmt.b32.up",
  };

  for (guint i = 0; i < G_N_ELEMENTS (of_three); i++)
    exec_bench_assert_refused (bench, of_three[i], R (0, 8), R (1, 8), R (2, 8));
  for (guint i = 0; i < G_N_ELEMENTS (of_four); i++)
    exec_bench_assert_refused (bench, of_four[i], R (0, 8), R (1, 8), R (2, 8), R (3, 8));
}

int
main (int argc, char *argv[])
{
  static const struct
  {
    const char *name;
    GTestDataFunc run;
  } tests[] = {
    { "rows", test_rows },
    { "corners", test_corners },
    { "carry", test_carry },
    { "carry-product", test_carry_product },
    { "carry-lanes", test_carry_lanes },
    { "predicates", test_predicates },
    { "lop3", test_lop3 },
    { "refused", test_refused },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
      {
        g_autofree char *path = g_strdup_printf (
            "/ptx-exec-int/%s/%s", build == EXEC_BENCH_V3 ? "best" : "baseline", tests[i].name);

        g_test_add_data_func (path, GUINT_TO_POINTER (build), tests[i].run);
      }
  return g_test_run ();
}
