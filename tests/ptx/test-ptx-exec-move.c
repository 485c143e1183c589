/* SPDX-License-Identifier: MIT
 * Comparisons, selection, moves and conversions, against what the C library makes of the same
 * numbers and against tables searched value by value. */
#include "exec-bench.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ptx/exec/cured-half-private.h"

/* ---- Registers ---- */

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

static void
set_all (ExecBench *bench, CuredPtxOperand x, guint64 value)
{
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    set_value (bench, x, l, value);
}

static guint64
bits_of (double value)
{
  return cured_bits_of_f64 (value);
}

/* Random bits of a float of so many bits: every third is a corner. */
static guint64
make_float (GRand *rand, guint bits)
{
  static const double corners[] = {
    0,    -0.0,  1,     -1,    0.5,     1.5,     2.5,           -0.5,
    -1.5, 3e9,   -3e9,  1e19,  0x1p31,  0x1p32,  -0x1p31,       0x1p63,
    1e38, 1e-40, 65504, 65520, 0x1p-24, 0x1p-25, 2147483646.75, 255.5,
  };
  guint64 any = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
  double corner = corners[g_rand_int_range (rand, 0, G_N_ELEMENTS (corners))];

  switch (g_rand_int_range (rand, 0, 9))
    {
    case 0:
    case 1:
    case 2:
      return bits == 64   ? bits_of (corner)
             : bits == 32 ? cured_bits_of_f32 ((float) corner)
                          : cured_f32_to_f16 ((float) corner, CURED_PTX_ROUND_RN);
    case 3:
      return bits == 64 ? bits_of (NAN) : bits == 32 ? cured_bits_of_f32 (NAN) : 0x7e00;
    case 4:
      return bits == 64 ? bits_of (-INFINITY) : bits == 32 ? cured_bits_of_f32 (INFINITY) : 0x7c00;
    case 5:
      /* Of a magnitude that an integer has. */
      return bits == 64   ? bits_of (ldexp ((double) (gint64) any, -g_rand_int_range (rand, 0, 64)))
             : bits == 32 ? cured_bits_of_f32 (
                                ldexpf ((float) (gint32) any, -g_rand_int_range (rand, 0, 32)))
                          : any & 0xffff;
    default:
      return bits == 64 ? any : any & (((guint64) 1 << bits) - 1);
    }
}

/* ---- Comparisons ---- */

static gboolean
is_true (const char *comparison, long double a, long double b)
{
  gboolean is_unordered = isnan (a) || isnan (b);

  if (g_str_equal (comparison, "num"))
    return !is_unordered;
  if (g_str_equal (comparison, "nan"))
    return is_unordered;
  if (is_unordered)
    return strlen (comparison) == 3;
  if (g_str_has_prefix (comparison, "eq"))
    return a == b;
  if (g_str_has_prefix (comparison, "ne"))
    return a != b;
  if (g_str_has_prefix (comparison, "lt") || g_str_equal (comparison, "lo"))
    return a < b;
  if (g_str_has_prefix (comparison, "le") || g_str_equal (comparison, "ls"))
    return a <= b;
  if (g_str_has_prefix (comparison, "gt") || g_str_equal (comparison, "hi"))
    return a > b;
  return a >= b;
}

/* Bits of a register as a number of @type; long double holds them all. */
static long double
to_number (const char *type, guint64 bits)
{
  if (g_str_equal (type, "f64"))
    return cured_f64_of_bits (bits);
  if (g_str_equal (type, "f32"))
    return cured_f32_of_bits ((guint32) bits);
  if (g_str_equal (type, "f16"))
    return cured_f16_to_f32 ((guint16) bits);
  if (g_str_equal (type, "bf16"))
    return cured_bf16_to_f32 ((guint16) bits);
  if (g_str_equal (type, "s64"))
    return (gint64) bits;
  if (g_str_equal (type, "s32"))
    return (gint32) bits;
  if (g_str_equal (type, "s16"))
    return (gint16) bits;
  if (g_str_equal (type, "s8"))
    return (gint8) bits;
  if (g_str_equal (type, "u8"))
    return (guint8) bits;
  return bits;
}

static guint
get_bits (const char *type)
{
  return (guint) g_ascii_strtoull (strpbrk (type, "0123456789"), NULL, 10);
}

/* setp of one type with every comparison and combination, and set. */
static void
check_comparison (ExecBench *bench, const char *type, const char *comparison)
{
  static const char *const operations[] = { "", ".and", ".or", ".xor" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (get_bits (type));
  guint bits = get_bits (type);
  CuredPtxOperand a = R (1, (guint8) (bits / 8)), b = R (2, (guint8) (bits / 8));
  guint32 *p = exec_bench_lanes (bench, PREDICATE (3));
  guint32 *q = exec_bench_lanes (bench, PREDICATE (4));
  guint32 *c = exec_bench_lanes (bench, PREDICATE (5));

  for (guint round = 0; round < 16; round++)
    {
      const char *operation = operations[round % 4];
      g_autofree char *setp = g_strdup_printf ("setp.%s%s.%s", comparison, operation, type);
      g_autofree char *set = g_strdup_printf ("set.%s%s.u32.%s", comparison, operation, type);
      guint32 mask = round < 8 ? CURED_ALL_LANES : g_rand_int (rand) | 1;
      CuredPtxOperand with = *operation == '\0' ? NONE
                             : round % 8 < 4    ? PREDICATE (5)
                                                : NOT_PREDICATE (5);
      guint32 expected = 0, combined, other, value_c;

      for (guint l = 0; l < 32; l++)
        {
          guint64 left = *type == 'f' || *type == 'b'
                             ? make_float (rand, bits)
                             : (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
          guint64 right = l % 4 == 0     ? left
                          : *type == 'f' ? make_float (rand, bits)
                                         : (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);

          set_value (bench, a, l, left);
          set_value (bench, b, l, right);
          if (is_true (comparison, to_number (type, get_value (bench, a, l)),
                       to_number (type, get_value (bench, b, l))))
            expected |= 1u << l;
        }
      *p = 0x12345678;
      *q = 0x87654321;
      *c = g_rand_int (rand);
      value_c = with.is_negated ? ~*c : *c;
      combined = round % 4 == 0   ? expected
                 : round % 4 == 1 ? expected & value_c
                 : round % 4 == 2 ? expected | value_c
                                  : expected ^ value_c;
      other = round % 4 == 0   ? ~expected
              : round % 4 == 1 ? ~expected & value_c
              : round % 4 == 2 ? ~expected | value_c
                               : ~expected ^ value_c;
      exec_bench_do (bench, mask, setp, PREDICATE (3), PREDICATE (4), a, b, with);
      g_assert_cmphex (*p, ==, (combined & mask) | (0x12345678 & ~mask));
      g_assert_cmphex (*q, ==, (other & mask) | (0x87654321 & ~mask));
      set_all (bench, R (6, 4), 0x55);
      exec_bench_do (bench, mask, set, R (6, 4), a, b, with);
      for (guint l = 0; l < 32; l++)
        g_assert_cmphex (get_value (bench, R (6, 4), l), ==,
                         (mask >> l & 1) == 0       ? 0x55
                         : (combined >> l & 1) != 0 ? G_MAXUINT32
                                                    : 0);
      /* The predicate that is combined with may be the destination. */
      if (round % 4 != 0)
        {
          exec_bench_do (bench, mask, setp, PREDICATE (5), PREDICATE (4), a, b, with);
          g_assert_cmphex (*c & mask, ==, combined & mask);
          g_assert_cmphex (*q & mask, ==, other & mask);
        }
    }
}

static void
test_compare (gconstpointer data)
{
  static const struct
  {
    const char *types;
    const char *comparisons;
  } groups[] = {
    { "b16 b32 b64", "eq ne" },
    { "u16 u32 u64", "eq ne lt le gt ge lo ls hi hs" },
    { "s16 s32 s64", "eq ne lt le gt ge" },
    { "f32 f64", "eq ne lt le gt ge equ neu ltu leu gtu geu num nan" },
  };
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      g_auto (GStrv) types = g_strsplit (groups[i].types, " ", -1);
      g_auto (GStrv) comparisons = g_strsplit (groups[i].comparisons, " ", -1);

      for (guint t = 0; types[t] != NULL; t++)
        for (guint c = 0; comparisons[c] != NULL; c++)
          check_comparison (bench, types[t], comparisons[c]);
    }
}

static void
test_compare_subnormal (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  guint32 *p = exec_bench_lanes (bench, PREDICATE (0));

  set_all (bench, R (1, 4), 0x00000001);
  set_all (bench, R (2, 4), 0x80000001);
  exec_bench_do (bench, CURED_ALL_LANES, "setp.gt.f32", PREDICATE (0), NONE, R (1, 4), R (2, 4));
  g_assert_cmphex (*p, ==, CURED_ALL_LANES);
  exec_bench_do (bench, CURED_ALL_LANES, "setp.eq.ftz.f32", PREDICATE (0), NONE, R (1, 4),
                 R (2, 4));
  g_assert_cmphex (*p, ==, CURED_ALL_LANES);
  /* A '_' in the first place. */
  exec_bench_do (bench, 1, "setp.eq.f32", NONE, PREDICATE (0), R (1, 4), R (1, 4));
  g_assert_cmphex (*p, ==, CURED_ALL_LANES - 1);
}

static void
test_set (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));

  set_all (bench, R (1, 4), cured_bits_of_f32 (1));
  set_all (bench, R (2, 4), cured_bits_of_f32 (2));
  exec_bench_do (bench, 1, "set.lt.f32.f32", R (0, 4), R (1, 4), R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 0), ==, 0x3f800000);
  exec_bench_do (bench, 1, "set.lt.f16.f32", R (0, 2), R (1, 4), R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 2), 0), ==, 0x3c00);
  exec_bench_do (bench, 1, "set.lt.bf16.s32", R (0, 2), R (1, 4), R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 2), 0), ==, 0x3f80);
  /* 1.0 and NaN against 2.0 and 1.0. */
  set_all (bench, R (1, 4), 0x7e003c00);
  set_all (bench, R (2, 4), 0x3c004000);
  exec_bench_do (bench, 1, "set.lt.f16x2.f16x2", R (0, 4), R (1, 4), R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 0), ==, 0x00003c00);
  exec_bench_do (bench, 1, "set.ltu.u32.f16x2", R (0, 4), R (1, 4), R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 0), ==, 0xffffffff);
  exec_bench_do (bench, 1, "set.neu.u16.f16", R (0, 2), R (1, 2), R (1, 2));
  g_assert_cmphex (get_value (bench, R (0, 2), 0), ==, 0);
  exec_bench_do (bench, 1, "set.num.s16.f16", R (0, 2), R (1, 2), R (2, 2));
  g_assert_cmphex (get_value (bench, R (0, 2), 0), ==, 0xffff);
}

/* ---- Selection ---- */

static void
test_select (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  static const char *const types[] = { "b16", "b32", "b64", "f32", "s64" };
  static const guint32 masks[] = { CURED_ALL_LANES, 0x0f0ff0f1, 0x80000000 };
  static const float choices[] = { 1, -1, 0, -0.0f, NAN, -1e-40f };
  guint32 *p = exec_bench_lanes (bench, PREDICATE (3));

  *p = 0x3c5a96f0;
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint m = 0; m < G_N_ELEMENTS (masks); m++)
      {
        guint8 bytes = (guint8) (get_bits (types[t]) / 8);
        g_autofree char *selp = g_strdup_printf ("selp.%s", types[t]);
        g_autofree char *slct_s32 = g_strdup_printf ("slct.%s.s32", types[t]);
        g_autofree char *slct_f32 = g_strdup_printf ("slct.%s.f32", types[t]);
        g_autofree char *slct_ftz = g_strdup_printf ("slct.ftz.%s.f32", types[t]);

        for (guint l = 0; l < 32; l++)
          {
            set_value (bench, R (1, bytes), l, 1000 + l);
            set_value (bench, R (2, bytes), l, 2000 + l);
            set_value (bench, R (4, 4), l, cured_bits_of_f32 (choices[l % G_N_ELEMENTS (choices)]));
          }
        for (guint k = 0; k < 5; k++)
          {
            set_all (bench, R (0, bytes), 3);
            if (k == 0)
              exec_bench_do (bench, masks[m], selp, R (0, bytes), R (1, bytes), R (2, bytes),
                             PREDICATE (3));
            else if (k == 1)
              exec_bench_do (bench, masks[m], selp, R (0, bytes), R (1, bytes), R (2, bytes),
                             NOT_PREDICATE (3));
            else
              exec_bench_do (bench, masks[m],
                             k == 2   ? slct_s32
                             : k == 3 ? slct_f32
                                      : slct_ftz,
                             R (0, bytes), R (1, bytes), R (2, bytes), R (4, 4));
            for (guint l = 0; l < 32; l++)
              {
                float choice = choices[l % G_N_ELEMENTS (choices)];
                gboolean is_first = k == 0   ? *p >> l & 1
                                    : k == 1 ? !(*p >> l & 1)
                                    : k == 2 ? (gint32) cured_bits_of_f32 (choice) >= 0
                                    : k == 3 ? choice >= 0
                                             : choice >= 0 || choice == -1e-40f;

                g_assert_cmpuint (get_value (bench, R (0, bytes), l), ==,
                                  (masks[m] >> l & 1) == 0 ? 3
                                  : is_first               ? 1000 + l
                                                           : 2000 + l);
              }
          }
      }
}

/* ---- Moves ---- */

static void
test_pack (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  const CuredPtxOperand pack_2[] = { R (0, 8), R (1, 4) };
  static const guint32 masks[] = { CURED_ALL_LANES, 0x00ff00f1 };

  for (guint m = 0; m < G_N_ELEMENTS (masks); m++)
    {
      for (guint l = 0; l < 32; l++)
        for (guint8 k = 1; k < 5; k++)
          {
            set_value (bench, R (k, 4), l, 0x11111111u * k + l);
            set_value (bench, R (k + 4, 2), l, 0x1111u * k + l);
          }
      /* {r1, r2} of 32 bits to 64. */
      set_all (bench, R (0, 8), 0);
      exec_bench_set (bench, "mov.b64", 2, pack_2);
      bench->operands[2] = R (2, 4);
      exec_bench_group (bench, 1, 2);
      g_assert_cmpstr (exec_bench_select (bench), ==, NULL);
      exec_bench_run (bench, masks[m]);
      for (guint l = 0; l < 32; l++)
        g_assert_cmphex (
            get_value (bench, R (0, 8), l), ==,
            (masks[m] >> l & 1) == 0 ? 0 : (guint64) (0x22222222 + l) << 32 | (0x11111111 + l));
      /* Four of 16 bits to 64. */
      bench->operands[1] = R (5, 2);
      bench->operands[2] = R (6, 2);
      bench->operands[3] = R (7, 2);
      bench->operands[4] = R (8, 2);
      exec_bench_group (bench, 1, 4);
      g_assert_cmpstr (exec_bench_select (bench), ==, NULL);
      exec_bench_run (bench, masks[m]);
      g_assert_cmphex (get_value (bench, R (0, 8), 4), ==, G_GUINT64_CONSTANT (0x4448333722261115));
      /* And back, without the second and third. */
      set_all (bench, R (10, 2), 7);
      bench->operands[0] = R (10, 2);
      bench->operands[1] = NONE;
      bench->operands[2] = NONE;
      bench->operands[3] = R (11, 2);
      bench->operands[4] = R (0, 8);
      exec_bench_group (bench, 0, 4);
      exec_bench_group (bench, 1, 1);
      g_assert_cmpstr (exec_bench_select (bench), ==, NULL);
      exec_bench_run (bench, masks[m]);
      g_assert_cmphex (get_value (bench, R (10, 2), 4), ==, 0x1115);
      g_assert_cmphex (get_value (bench, R (11, 2), 4), ==, 0x4448);
      g_assert_cmphex (get_value (bench, R (10, 2), 1), ==, m == 0 ? 0x1112 : 7);
      /* 64 bits to two of 32. */
      bench->operands[0] = R (12, 4);
      bench->operands[1] = R (13, 4);
      bench->operands[2] = R (0, 8);
      exec_bench_group (bench, 0, 2);
      g_assert_cmpstr (exec_bench_select (bench), ==, NULL);
      exec_bench_run (bench, masks[m]);
      g_assert_cmphex (get_value (bench, R (12, 4), 4), ==, 0x22261115);
      g_assert_cmphex (get_value (bench, R (13, 4), 4), ==, 0x44483337);
      /* Parts that do not make up the whole. */
      bench->operands[1] = R (13, 2);
      g_assert_nonnull (exec_bench_select (bench));
    }
}

static void
test_move (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  const CuredPtxOperand address[] = { R (0, 8), R (1, 8) };
  CuredPtxOperand clock = {
    .base = CURED_BASE_SPECIALS,
    .offset = G_STRUCT_OFFSET (CuredSpecials, clock64),
    .width = 8,
  };
  CuredPtxOperand laneid = {
    .base = CURED_BASE_SPECIALS,
    .offset = G_STRUCT_OFFSET (CuredSpecials, laneid),
    .width = 4,
  };
  guint32 *p = exec_bench_lanes (bench, PREDICATE (2));
  guint64 first;

  exec_bench_do (bench, 0xffff, "mov.u32", R (3, 4), laneid);
  g_assert_cmpuint (get_value (bench, R (3, 4), 15), ==, 15);
  g_assert_cmpuint (get_value (bench, R (3, 4), 16), ==, 0);
  exec_bench_do (bench, CURED_ALL_LANES, "mov.u16", R (3, 2), laneid);
  g_assert_cmpuint (get_value (bench, R (3, 2), 31), ==, 31);
  *p = 0xf;
  exec_bench_do (bench, 0x3, "mov.pred", PREDICATE (2), NOT_PREDICATE (2));
  g_assert_cmphex (*p, ==, 0xc);

  exec_bench_do (bench, 1, "mov.u64", R (3, 8), clock);
  first = get_value (bench, R (3, 8), 0);
  exec_bench_do (bench, 1, "mov.u64", R (3, 8), clock);
  g_assert_cmpuint (get_value (bench, R (3, 8), 0), >, first);
  exec_bench_do (bench, 1, "mov.u32", R (4, 4), clock);
  g_assert_cmpuint (get_value (bench, R (4, 4), 0), >, first);
  /* Where all of a cluster waits. */
  bench->cluster.stall.leap = 1000000;
  exec_bench_do (bench, 1, "mov.u64", R (3, 8), clock);
  g_assert_cmpuint (get_value (bench, R (3, 8), 0), >, first + 1000000);

  set_all (bench, R (1, 8), 0x100);
  exec_bench_set (bench, "mov.u64", 2, address);
  bench->inst.displacement = -8;
  g_assert_cmpstr (exec_bench_select (bench), ==, NULL);
  exec_bench_run (bench, CURED_ALL_LANES);
  g_assert_cmphex (get_value (bench, R (0, 8), 9), ==, 0xf8);

  exec_bench_assert_refused (bench, "mov.u32", R (0, 8), R (1, 4));
  exec_bench_assert_refused (bench, "mov.u64", R (0, 8), R (1, 4));
  exec_bench_assert_refused (bench, "mov.u32.u32", R (0, 4), R (1, 4));
}

static void
test_address (gconstpointer data)
{
  static const char *const spaces[] = { "global", "const", "shared", "local", "param" };
  static const guint64 windows[] = { 0, 0, CURED_SHARED_WINDOW, CURED_LOCAL_WINDOW,
                                     CURED_PARAM_WINDOW };
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  CuredPtxVariable variable = {
    .space = CURED_SPACE_CONST,
    .size = 64,
    .address = 0x5000,
  };
  CuredPtxModule module = { .variables = &variable, .n_variables = 1 };
  CuredPtxGrid grid = { .module = &module };
  CuredBlock block = { .grid = &grid };
  guint32 *p = exec_bench_lanes (bench, PREDICATE (3));
  const CuredPtxOperand of_space[] = { R (1, 8), R (0, 8) };

  bench->warp->block = &block;
  for (guint l = 0; l < 32; l++)
    set_value (bench, R (0, 8), l, 0x4ff0 + l);
  for (guint i = 0; i < G_N_ELEMENTS (spaces); i++)
    {
      g_autofree char *to_generic = g_strdup_printf ("cvta.%s.u64", spaces[i]);
      g_autofree char *to_space = g_strdup_printf ("cvta.to.%s.u64", spaces[i]);

      g_assert_cmpstr (exec_bench_set (bench, to_generic, 2, of_space), ==, NULL);
      bench->inst.displacement = 8;
      g_assert_cmpstr (exec_bench_select (bench), ==, NULL);
      exec_bench_run (bench, CURED_ALL_LANES);
      exec_bench_do (bench, CURED_ALL_LANES, to_space, R (2, 8), R (1, 8));
      for (guint l = 0; l < 32; l++)
        {
          g_assert_cmphex (get_value (bench, R (1, 8), l), ==, windows[i] + 0x4ff8 + l);
          g_assert_cmphex (get_value (bench, R (2, 8), l), ==, 0x4ff8 + l);
        }
      for (guint k = 0; k < G_N_ELEMENTS (spaces); k++)
        {
          g_autofree char *isspacep = g_strdup_printf ("isspacep.%s", spaces[k]);
          /* From lane 8 on the constant variable, where there is no window; parameters are global,
           * too. */
          guint32 expected = i >= 2   ? (k == i || (i == 4 && k == 0) ? CURED_ALL_LANES : 0)
                             : k == 0 ? 0xff
                             : k == 1 ? 0xffffff00
                                      : 0;

          exec_bench_do (bench, CURED_ALL_LANES, isspacep, PREDICATE (3), R (1, 8));
          g_assert_cmphex (*p, ==, expected);
        }
    }
}

/* ---- Conversions of integers ---- */

static void
test_convert_integers (gconstpointer data)
{
  static const char *const types[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint to = 0; to < 8; to++)
    for (guint from = 0; from < 8; from++)
      for (guint8 to_width = 2; to_width <= 8; to_width *= 2)
        for (guint8 from_width = 2; from_width <= 8; from_width *= 2)
          for (guint k = 0; k < 4; k++)
            {
              guint bits = get_bits (types[to]);
              gboolean is_saturated = k % 2 == 1;
              guint32 mask = k < 2 ? CURED_ALL_LANES : 0x00fff0f1;
              g_autofree char *mnemonic = g_strdup_printf (
                  "cvt%s.%s.%s", is_saturated ? ".sat" : "", types[to], types[from]);
              gboolean to_signed = *types[to] == 's';
              gboolean from_signed = *types[from] == 's';
              gboolean is_contained = to_signed == from_signed
                                          ? bits >= get_bits (types[from])
                                          : to_signed && bits > get_bits (types[from]);
              long double least = to_signed ? -ldexpl (1, (int) bits - 1) : 0;
              long double greatest = ldexpl (1, (int) bits - to_signed) - 1;
              CuredPtxOperand d = R (0, to_width), a = R (1, from_width);

              if (8u * to_width < bits || 8u * from_width < get_bits (types[from]))
                continue;
              if (is_saturated && is_contained)
                {
                  exec_bench_assert_refused (bench, mnemonic, d, a);
                  continue;
                }
              for (guint l = 0; l < 32; l++)
                set_value (bench, a, l,
                           ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand)) >>
                                   g_rand_int_range (rand, 0, 64) ^
                               (l % 3 == 0 ? G_MAXUINT64 : 0));
              set_all (bench, d, 0x77);
              exec_bench_do (bench, mask, mnemonic, d, a);
              for (guint l = 0; l < 32; l++)
                {
                  long double value =
                      to_number (types[from], get_value (bench, a, l) &
                                                  (G_MAXUINT64 >> (64 - get_bits (types[from]))));
                  guint64 expected;

                  if (is_saturated)
                    value = CLAMP (value, least, greatest);
                  expected = value < 0 ? (guint64) (gint64) value : (guint64) value;
                  /* Cut to the type, then extended to the register. */
                  expected <<= 64 - bits;
                  expected = to_signed ? (guint64) ((gint64) expected >> (64 - bits))
                                       : expected >> (64 - bits);
                  if (to_width < 8)
                    expected &= ((guint64) 1 << (8 * to_width)) - 1;
                  if ((mask >> l & 1) == 0)
                    expected = 0x77;
                  g_assert_cmphex (get_value (bench, d, l), ==, expected);
                }
            }
}

/* ---- Conversions of and to floating point ---- */

/* The half nearest to @value in the direction of @rounding, found by looking at all of them. Only
 * magnitudes are compared: what they mean is C's. */
static guint16
search_half (gboolean is_bf16, long double value, const char *rounding)
{
  guint16 infinity = is_bf16 ? 0x7f80 : 0x7c00;
  guint16 sign = signbit (value) ? 0x8000 : 0;
  long double magnitude = fabsl (value);
  guint low = 0, high = infinity;
  gboolean goes_up;

  if (isnan (value))
    return 0x7fff;
  if (isinf (value))
    return sign | infinity;
  /* The last one that is not beyond it. */
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      if (to_number (is_bf16 ? "bf16" : "f16", middle) <= magnitude)
        low = middle;
      else
        high = middle;
    }
  if (to_number (is_bf16 ? "bf16" : "f16", low) == magnitude)
    return sign | (guint16) low;
  if (g_str_equal (rounding, "rn"))
    {
      long double below = to_number (is_bf16 ? "bf16" : "f16", low);
      /* What would come after the greatest number, were there one. */
      long double above = high == infinity ? ldexpl (1, is_bf16 ? 128 : 16)
                                           : to_number (is_bf16 ? "bf16" : "f16", high);
      long double middle = (below + above) / 2;

      goes_up = magnitude > middle || (magnitude == middle && low % 2 == 1);
    }
  else
    goes_up =
        (g_str_equal (rounding, "rp") && sign == 0) || (g_str_equal (rounding, "rm") && sign != 0);
  return sign | (guint16) (goes_up ? high : low);
}

/* ... as the host rounds to the wider ones. */
static guint64
round_by_host (const char *to, long double value, const char *rounding)
{
  int mode = g_str_equal (rounding, "rn")   ? FE_TONEAREST
             : g_str_equal (rounding, "rz") ? FE_TOWARDZERO
             : g_str_equal (rounding, "rm") ? FE_DOWNWARD
                                            : FE_UPWARD;
  volatile long double from = value;
  volatile float single;
  volatile double twice;

  fesetround (mode);
  single = (float) from;
  twice = (double) from;
  fesetround (FE_TONEAREST);
  return g_str_equal (to, "f32") ? cured_bits_of_f32 (single) : cured_bits_of_f64 (twice);
}

static guint64
round_float (const char *to, long double value, const char *rounding)
{
  if (g_str_equal (to, "f16") || g_str_equal (to, "bf16"))
    return search_half (*to == 'b', value, rounding);
  return round_by_host (to, value, rounding);
}

static const char *const float_roundings[] = { "rn", "rz", "rm", "rp" };

static void
test_integers_to_floats (gconstpointer data)
{
  static const char *const to_types[] = { "f16", "bf16", "f32", "f64" };
  static const char *const from_types[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);

  for (guint to = 0; to < 4; to++)
    for (guint from = 0; from < 8; from++)
      for (guint round = 0; round < 32; round++)
        {
          const char *rounding = float_roundings[round % 4];
          guint bits = get_bits (from_types[from]);
          g_autofree char *mnemonic =
              g_strdup_printf ("cvt.%s.%s.%s", rounding, to_types[to], from_types[from]);
          CuredPtxOperand d = R (0, (guint8) (get_bits (to_types[to]) / 8));
          CuredPtxOperand a = R (1, (guint8) (MAX (bits, 16) / 8));
          guint32 mask = round < 16 ? CURED_ALL_LANES : g_rand_int (rand) | 1;

          if (to == 1 && bits == 8)
            {
              exec_bench_assert_refused (bench, mnemonic, d, a);
              continue;
            }
          for (guint l = 0; l < 32; l++)
            {
              guint64 value = ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand)) >>
                              g_rand_int_range (rand, 0, 64);

              if (l % 4 == 0)
                value = ((guint64) 1 << g_rand_int_range (rand, 0, 64)) +
                        (guint64) g_rand_int_range (rand, -2, 3);
              if (l % 5 == 0)
                value = ~value;
              set_value (bench, a, l, value);
            }
          set_all (bench, d, 0x77);
          exec_bench_do (bench, mask, mnemonic, d, a);
          for (guint l = 0; l < 32; l++)
            {
              long double value = to_number (from_types[from], get_value (bench, a, l) &
                                                                   (G_MAXUINT64 >> (64 - bits)));

              g_assert_cmphex (get_value (bench, d, l), ==,
                               (mask >> l & 1) == 0 ? 0x77
                                                    : round_float (to_types[to], value, rounding));
            }
        }
}

static void
test_floats_to_integers (gconstpointer data)
{
  static const char *const from_types[] = { "f16", "bf16", "f32", "f64" };
  static const char *const to_types[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
  static const char *const roundings[] = { "rni", "rzi", "rmi", "rpi" };
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (guint from = 0; from < 4; from++)
    for (guint to = 0; to < 8; to++)
      for (guint round = 0; round < 48; round++)
        {
          const char *rounding = roundings[round % 4];
          gboolean is_ftz = from == 2 && round % 8 >= 4;
          guint bits = get_bits (to_types[to]);
          gboolean to_signed = *to_types[to] == 's';
          long double greatest = ldexpl (1, (int) bits - to_signed) - 1;
          long double least = to_signed ? -greatest - 1 : 0;
          g_autofree char *mnemonic = g_strdup_printf (
              "cvt.%s%s.%s.%s", rounding, is_ftz ? ".ftz" : "", to_types[to], from_types[from]);
          CuredPtxOperand d = R (0, (guint8) (MAX (bits, 16) / 8));
          CuredPtxOperand a = R (1, (guint8) (get_bits (from_types[from]) / 8));
          guint32 mask = round < 24 ? CURED_ALL_LANES : g_rand_int (rand) | 1;

          if (from == 1 && bits == 8)
            {
              exec_bench_assert_refused (bench, mnemonic, d, a);
              continue;
            }
          for (guint l = 0; l < 32; l++)
            set_value (bench, a, l, make_float (rand, get_bits (from_types[from])));
          set_all (bench, d, 0x77);
          exec_bench_do (bench, mask, mnemonic, d, a);
          for (guint l = 0; l < 32; l++)
            {
              long double value = to_number (from_types[from], get_value (bench, a, l));
              guint64 expected;

              if (is_ftz && fabsl (value) < 0x1p-126L)
                value = 0;
              value = round % 4 == 0   ? rintl (value)
                      : round % 4 == 1 ? truncl (value)
                      : round % 4 == 2 ? floorl (value)
                                       : ceill (value);
              if (isnan (value))
                expected = from == 3 || bits == 64 ? (guint64) 1 << (bits - 1) : 0;
              else
                {
                  value = CLAMP (value, least, greatest);
                  expected = value < 0 ? (guint64) (gint64) value : (guint64) value;
                }
              /* A byte is extended to its register. */
              if (to_signed && bits == 8)
                expected = (guint64) (gint8) expected;
              if (d.width < 8)
                expected &= ((guint64) 1 << (8 * d.width)) - 1;
              g_assert_cmphex (get_value (bench, d, l), ==, (mask >> l & 1) == 0 ? 0x77 : expected);
            }
        }
}

static void
test_floats_to_floats (gconstpointer data)
{
  static const struct
  {
    const char *to;
    const char *from;
  } pairs[] = {
    { "f16", "f32" },  { "f16", "f64" },  { "bf16", "f32" }, { "bf16", "f64" },
    { "bf16", "f16" }, { "f16", "bf16" }, { "f32", "f64" },  { "f32", "f16" },
    { "f32", "bf16" }, { "f64", "f16" },  { "f64", "bf16" }, { "f64", "f32" },
  };
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    for (guint round = 0; round < 64; round++)
      {
        const char *to = pairs[i].to, *from = pairs[i].from;
        const char *rounding = float_roundings[round % 4];
        guint to_bits = get_bits (to), from_bits = get_bits (from);
        gboolean is_narrower = to_bits < from_bits || (to_bits == from_bits && i < 6);
        g_autofree char *mnemonic = is_narrower
                                        ? g_strdup_printf ("cvt.%s.%s.%s", rounding, to, from)
                                        : g_strdup_printf ("cvt.%s.%s", to, from);
        CuredPtxOperand d = R (0, (guint8) (to_bits / 8));
        CuredPtxOperand a = R (1, (guint8) (from_bits / 8));
        guint32 mask = round < 32 ? CURED_ALL_LANES : g_rand_int (rand) | 1;

        for (guint l = 0; l < 32; l++)
          {
            guint64 bits = make_float (rand, from_bits);

            /* Close to what the narrower type holds, and ties. */
            if (l % 2 == 0 && from_bits == 64)
              bits = bits_of (ldexp ((double) g_rand_int_range (rand, 0, 1 << 13),
                                     g_rand_int_range (rand, -40, 6)));
            else if (l % 2 == 0 && from_bits == 32)
              bits = cured_bits_of_f32 (ldexpf ((float) g_rand_int_range (rand, 0, 1 << 13),
                                                g_rand_int_range (rand, -40, 6)));
            /* What becomes of NaN is recorded from a GPU, not known here. */
            if (isnan (to_number (from, bits)))
              bits = 1;
            set_value (bench, a, l, bits);
          }
        set_all (bench, d, 0x77);
        exec_bench_do (bench, mask, mnemonic, d, a);
        for (guint l = 0; l < 32; l++)
          g_assert_cmphex (
              get_value (bench, d, l), ==,
              (mask >> l & 1) == 0
                  ? 0x77
                  : round_float (to, to_number (from, get_value (bench, a, l)), rounding));
      }
}

static guint64
convert (ExecBench *bench, const char *mnemonic, guint8 to_bytes, guint8 from_bytes, guint64 value)
{
  set_all (bench, R (1, from_bytes), value);
  exec_bench_do (bench, CURED_ALL_LANES, mnemonic, R (0, to_bytes), R (1, from_bytes));
  return get_value (bench, R (0, to_bytes), 17);
}

static void
test_convert_corners (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  static const struct
  {
    const char *mnemonic;
    guint8 to_bytes;
    guint8 from_bytes;
    guint64 from;
    guint64 to;
  } corners[] = {
    /* Whole numbers in place, with their sign. */
    { "cvt.rni.f32.f32", 4, 4, 0x3f000000, 0x00000000 },
    { "cvt.rni.f32.f32", 4, 4, 0xbf000000, 0x80000000 },
    { "cvt.rni.f32.f32", 4, 4, 0x3fc00000, 0x40000000 },
    { "cvt.rpi.f32.f32", 4, 4, 0x00000001, 0x3f800000 },
    { "cvt.rpi.ftz.f32.f32", 4, 4, 0x00000001, 0x00000000 },
    { "cvt.rzi.f16.f16", 2, 2, 0xbe00, 0xbc00 },
    /* Into [0, 1]. */
    { "cvt.sat.f32.f32", 4, 4, 0x40000000, 0x3f800000 },
    { "cvt.sat.f32.f32", 4, 4, 0xbf800000, 0 },
    { "cvt.sat.f32.f32", 4, 4, 0x7fc00000, 0 },
    { "cvt.rn.sat.f16.f32", 2, 4, 0x40000000, 0x3c00 },
    { "cvt.rn.sat.f32.s32", 4, 4, 0xffffffff, 0 },
    /* Subnormals of .f32. */
    { "cvt.ftz.f32.f32", 4, 4, 0x807fffff, 0x80000000 },
    { "cvt.rn.ftz.f32.f64", 4, 8, 0x3800000000000000, 0x00000000 },
    { "cvt.rn.f32.f64", 4, 8, 0x3800000000000000, 0x00400000 },
    { "cvt.ftz.f64.f32", 8, 4, 0x00400000, 0 },
    { "cvt.f64.f32", 8, 4, 0x00400000, 0x3800000000000000 },
    /* No infinities, no negative numbers. */
    { "cvt.rn.satfinite.f16.f32", 2, 4, 0xff800000, 0xfbff },
    { "cvt.rn.relu.bf16.f32", 2, 4, 0xbf800000, 0 },
    { "cvt.rn.relu.f16.f32", 2, 4, 0xffc00000, 0x7fff },
    /* tf32: ties away from zero, or to even. */
    { "cvt.rna.tf32.f32", 4, 4, 0x3f801000, 0x3f802000 },
    { "cvt.rn.tf32.f32", 4, 4, 0x3f801000, 0x3f800000 },
    { "cvt.rz.tf32.f32", 4, 4, 0x3f801fff, 0x3f800000 },
    { "cvt.rna.tf32.f32", 4, 4, 0x7f7fffff, 0x7f800000 },
    { "cvt.rna.satfinite.tf32.f32", 4, 4, 0x7f7fffff, 0x7f7fe000 },
    { "cvt.rz.relu.tf32.f32", 4, 4, 0xbf800000, 0 },
    /* In wider registers. */
    { "cvt.u32.u8", 4, 4, 0xffffff80, 0x80 },
    { "cvt.s32.s8", 4, 4, 0x80, 0xffffff80 },
    { "cvt.u16.s8", 4, 4, 0x80, 0xff80 },
    { "cvt.s64.s8", 8, 2, 0xff80, 0xffffffffffffff80 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (corners); i++)
    if (convert (bench, corners[i].mnemonic, corners[i].to_bytes, corners[i].from_bytes,
                 corners[i].from) != corners[i].to)
      g_error ("%s of %" G_GINT64_MODIFIER "x: got %" G_GINT64_MODIFIER
               "x, expected %" G_GINT64_MODIFIER "x",
               corners[i].mnemonic, corners[i].from,
               get_value (bench, R (0, corners[i].to_bytes), 17), corners[i].to);
}

static void
test_convert_pairs (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));

  set_all (bench, R (1, 4), cured_bits_of_f32 (-2));
  set_all (bench, R (2, 4), cured_bits_of_f32 (1e6f));
  exec_bench_do (bench, 0xff, "cvt.rn.f16x2.f32", R (0, 4), R (1, 4), R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 7), ==, 0xc0007c00);
  g_assert_cmphex (get_value (bench, R (0, 4), 8), ==, 0);
  exec_bench_do (bench, CURED_ALL_LANES, "cvt.rz.relu.satfinite.f16x2.f32", R (0, 4), R (1, 4),
                 R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 8), ==, 0x00007bff);
  exec_bench_do (bench, CURED_ALL_LANES, "cvt.rn.bf16x2.f32", R (0, 4), R (1, 4), R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 8), ==, 0xc0004974);

  set_all (bench, R (1, 4), (guint32) -70000);
  set_all (bench, R (2, 4), 300);
  set_all (bench, R (3, 4), 0x12345678);
  exec_bench_do (bench, 1, "cvt.pack.sat.s16.s32", R (0, 4), R (1, 4), R (2, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 0), ==, 0x8000012c);
  exec_bench_do (bench, 1, "cvt.pack.sat.u8.s32.b32", R (0, 4), R (1, 4), R (2, 4), R (3, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 0), ==, 0x567800ff);
  exec_bench_do (bench, 1, "cvt.pack.sat.s4.s32.b32", R (0, 4), R (1, 4), R (2, 4), R (3, 4));
  g_assert_cmphex (get_value (bench, R (0, 4), 0), ==, 0x34567887);
}

/* ---- What the ISA has not ---- */

static void
test_refused (gconstpointer data)
{
  g_autoptr (ExecBench) bench = exec_bench_new (GPOINTER_TO_UINT (data));
  static const char *const conversions[] = {
    "cvt.u32.f32",
    "cvt.rn.u32.f32",
    "cvt.f32.u32",
    "cvt.rni.f32.u32",
    "cvt.rn.u32.u64",
    "cvt.f32.f64",
    "cvt.rn.f64.f32",
    "cvt.rn.f32.f32",
    "cvt.ftz.u32.u64",
    "cvt.ftz.f64.f64",
    "cvt.rzi.ftz.s32.f64",
    "cvt.sat.f32.bf16",
    "cvt.rn.sat.bf16.f32",
    "cvt.rn.satfinite.f32.f64",
    "cvt.rm.relu.f16.f32",
    "cvt.rna.f32.f64",
    "cvt.rn.f16x2.f32",
    "cvt.rp.tf32.f32",
    "cvt.rna.relu.tf32.f32",
    "cvt.u32",
    "cvt.sat.u64.u32",
    "cvt.rni.tf32.f32",
    "cvt.rn.satfinite.tf32.f32",
    "cvt.u32.f16x2",
  };
  static const char *const comparisons[] = {
    "setp.lt.b32",     "setp.lo.s32",     "setp.ltu.u32", "setp.eq.ftz.f64", "setp.u32",
    "setp.min.eq.u32", "setp.eq.ftz.u32", "setp.hi.f32",  "setp.eq.and.u32", "setp.eq.u32.u32",
  };
  static const char *const sets[] = {
    "set.eq.u16.f32",      "set.eq.f16x2.f16", "set.lt.u32.b32",    "set.eq.f32.f16",
    "set.eq.f16.bf16",     "set.eq.u32",       "set.eq.bf16.f16x2", "set.eq.ftz.u32.bf16",
    "set.eq.ftz.bf16.f32", "set.num.u32.s32",
  };
  static const char *const selections[] = {
    "slct.u32",
    "slct.u32.u32",
    "slct.ftz.u32.s32",
    "slct.u32.f64",
  };

  for (guint i = 0; i < G_N_ELEMENTS (conversions); i++)
    exec_bench_assert_refused (bench, conversions[i], R (0, 8), R (1, 8));
  /* A predicate that no word combines with. */
  exec_bench_assert_refused (bench, "setp.eq.u32", PREDICATE (0), NONE, R (1, 4), R (2, 4),
                             PREDICATE (3));
  for (guint i = 0; i < G_N_ELEMENTS (comparisons); i++)
    exec_bench_assert_refused (bench, comparisons[i], PREDICATE (0), NONE, R (1, 8), R (2, 8));
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    exec_bench_assert_refused (bench, sets[i], R (0, 8), R (1, 8), R (2, 8));
  for (guint i = 0; i < G_N_ELEMENTS (selections); i++)
    exec_bench_assert_refused (bench, selections[i], R (0, 4), R (1, 4), R (2, 4), R (3, 4));
  exec_bench_assert_refused (bench, "cvta.u64", R (0, 8), R (1, 8));
  exec_bench_assert_refused (bench, "isspacep", PREDICATE (0), R (1, 8));
  exec_bench_assert_refused (bench, "cvt.pack.sat.u16.s32.b32", R (0, 4), R (1, 4), R (2, 4),
                             R (3, 4));
  exec_bench_assert_refused (bench, "cvt.pack.sat.u8.s32", R (0, 4), R (1, 4), R (2, 4));
  exec_bench_assert_refused (bench, "cvt.pack.u16.s32", R (0, 4), R (1, 4), R (2, 4));
}

int
main (int argc, char *argv[])
{
  static const struct
  {
    const char *name;
    GTestDataFunc run;
  } tests[] = {
    { "compare", test_compare },
    { "compare-subnormal", test_compare_subnormal },
    { "set", test_set },
    { "select", test_select },
    { "pack", test_pack },
    { "move", test_move },
    { "address", test_address },
    { "convert-integers", test_convert_integers },
    { "integers-to-floats", test_integers_to_floats },
    { "floats-to-integers", test_floats_to_integers },
    { "floats-to-floats", test_floats_to_floats },
    { "convert-corners", test_convert_corners },
    { "convert-pairs", test_convert_pairs },
    { "refused", test_refused },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
      {
        g_autofree char *path = g_strdup_printf (
            "/ptx-exec-move/%s/%s", build == EXEC_BENCH_V3 ? "best" : "baseline", tests[i].name);

        g_test_add_data_func (path, GUINT_TO_POINTER (build), tests[i].run);
      }
  return g_test_run ();
}
