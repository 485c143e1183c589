/* SPDX-License-Identifier: MIT
 * mma, ldmatrix, stmatrix, movmatrix: which lane holds which element, as the ISA's figures have it,
 * and how sums are rounded. */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "access-bench.h"
#include "ptx/exec/cured-half-private.h"

#define MAX_M 16
#define N     8
#define MAX_K 256

/* ---- Layouts, element by element: PTX ISA 9.0, 9.7.14.5.1 to 9.7.14.5.12
 * --- */

typedef struct
{
  guint row;
  guint column;
} Place;

typedef Place (*Layout) (guint group, guint thread, guint i);

/* .m8n8k4 of .f64 */
static Place
a_8_4_f64 (guint group, guint thread, guint i)
{
  return (Place){ group, thread };
}

/* .m16n8k4 of .tf32 and .f64 */
static Place
a_16_4 (guint group, guint thread, guint i)
{
  return (Place){ i == 0 ? group : group + 8, thread };
}

/* .m16n8k8 of .f16 and .bf16 */
static Place
a_16_8_f16 (guint group, guint thread, guint i)
{
  return (Place){ i < 2 ? group : group + 8, thread * 2 + (i & 1) };
}

/* .m16n8k8 of .tf32 and .f64 */
static Place
a_16_8 (guint group, guint thread, guint i)
{
  return (Place){ i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4 };
}

/* .m16n8k16 of .f16 and .bf16 */
static Place
a_16_16_f16 (guint group, guint thread, guint i)
{
  return (Place){ i < 2 || (i >= 4 && i < 6) ? group : group + 8,
                  thread * 2 + (i & 1) + (i < 4 ? 0 : 8) };
}

/* .m16n8k16 of .f64 */
static Place
a_16_16_f64 (guint group, guint thread, guint i)
{
  return (Place){ i % 2 == 0 ? group : group + 8,
                  i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread };
}

/* .m8n8k16 of .s8 */
static Place
a_8_16_s8 (guint group, guint thread, guint i)
{
  return (Place){ group, thread * 4 + i };
}

/* .m16n8k16 of .s8 */
static Place
a_16_16_s8 (guint group, guint thread, guint i)
{
  return (Place){ i < 4 ? group : group + 8, thread * 4 + (i & 3) };
}

/* .m16n8k32 of .s8 */
static Place
a_16_32_s8 (guint group, guint thread, guint i)
{
  return (Place){ i < 4 || (i >= 8 && i < 12) ? group : group + 8,
                  thread * 4 + (i & 3) + (i < 8 ? 0 : 16) };
}

/* .m8n8k32 of .s4, .m8n8k128 of .b1: all of a register is of one row. */
static Place
a_8_s4 (guint group, guint thread, guint i)
{
  return (Place){ group, thread * 8 + i };
}

static Place
a_8_b1 (guint group, guint thread, guint i)
{
  return (Place){ group, thread * 32 + i };
}

/* .m16n8k32 and .m16n8k64 of .s4 */
static Place
a_16_s4 (guint group, guint thread, guint i)
{
  return (Place){ i < 8 || (i >= 16 && i < 24) ? group : group + 8,
                  thread * 8 + (i & 7) + (i < 16 ? 0 : 32) };
}

/* .m16n8k128 and .m16n8k256 of .b1 */
static Place
a_16_b1 (guint group, guint thread, guint i)
{
  return (Place){ i < 32 || (i >= 64 && i < 96) ? group : group + 8,
                  thread * 32 + (i & 31) + (i < 64 ? 0 : 128) };
}

/* One element per register: k in steps of 4. */
static Place
b_words (guint group, guint thread, guint i)
{
  return (Place){ thread + i * 4, group };
}

static Place
b_f16 (guint group, guint thread, guint i)
{
  return (Place){ i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8, group };
}

static Place
b_s8 (guint group, guint thread, guint i)
{
  return (Place){ i < 4 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16, group };
}

static Place
b_s4 (guint group, guint thread, guint i)
{
  return (Place){ thread * 8 + (i & 7) + (i < 8 ? 0 : 32), group };
}

static Place
b_b1 (guint group, guint thread, guint i)
{
  return (Place){ thread * 32 + (i & 31) + (i < 32 ? 0 : 128), group };
}

static Place
c_any (guint group, guint thread, guint i)
{
  return (Place){ i < 2 ? group : group + 8, thread * 2 + (i & 1) };
}

/* ---- Shapes ---- */

typedef enum
{
  F16,
  BF16,
  TF32,
  F64,
  S8,
  U8,
  F32,
  S32,
  E4M3,
  E5M2,
  S4,
  U4,
  B1,
} Element;

static const struct
{
  const char *mnemonic;
  guint m;
  guint k;
  Element a;
  Element b;
  Element c;
  Layout a_layout;
  Layout b_layout;
} shapes[] = {
  { "m16n8k8.row.col.f32.f16.f16.f32", 16, 8, F16, F16, F32, a_16_8_f16, b_f16 },
  { "m16n8k8.row.col.f16.f16.f16.f16", 16, 8, F16, F16, F16, a_16_8_f16, b_f16 },
  { "m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, BF16, BF16, F32, a_16_8_f16, b_f16 },
  { "m16n8k16.row.col.f32.f16.f16.f32", 16, 16, F16, F16, F32, a_16_16_f16, b_f16 },
  { "m16n8k16.row.col.f16.f16.f16.f16", 16, 16, F16, F16, F16, a_16_16_f16, b_f16 },
  { "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, BF16, BF16, F32, a_16_16_f16, b_f16 },
  { "m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, TF32, TF32, F32, a_16_4, b_words },
  { "m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, TF32, TF32, F32, a_16_8, b_words },
  { "m8n8k4.row.col.f64.f64.f64.f64", 8, 4, F64, F64, F64, a_8_4_f64, b_words },
  { "m16n8k4.row.col.f64.f64.f64.f64", 16, 4, F64, F64, F64, a_16_4, b_words },
  { "m16n8k8.row.col.f64.f64.f64.f64", 16, 8, F64, F64, F64, a_16_8, b_words },
  { "m16n8k16.row.col.f64.f64.f64.f64", 16, 16, F64, F64, F64, a_16_16_f64, b_words },
  { "m8n8k16.row.col.s32.s8.s8.s32", 8, 16, S8, S8, S32, a_8_16_s8, b_s8 },
  { "m8n8k16.row.col.s32.u8.s8.s32", 8, 16, U8, S8, S32, a_8_16_s8, b_s8 },
  { "m16n8k16.row.col.s32.s8.u8.s32", 16, 16, S8, U8, S32, a_16_16_s8, b_s8 },
  { "m16n8k32.row.col.s32.s8.s8.s32", 16, 32, S8, S8, S32, a_16_32_s8, b_s8 },
  { "m16n8k32.row.col.s32.u8.u8.s32", 16, 32, U8, U8, S32, a_16_32_s8, b_s8 },
  { "m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 32, S8, S8, S32, a_16_32_s8, b_s8 },
  { "m16n8k16.row.col.f32.e4m3.e4m3.f32", 16, 16, E4M3, E4M3, F32, a_16_16_s8, b_s8 },
  { "m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32, E4M3, E5M2, F32, a_16_32_s8, b_s8 },
  { "m16n8k32.row.col.f16.e5m2.e5m2.f16", 16, 32, E5M2, E5M2, F16, a_16_32_s8, b_s8 },
  { "m16n8k16.row.col.f16.e5m2.e4m3.f16", 16, 16, E5M2, E4M3, F16, a_16_16_s8, b_s8 },
  { "m8n8k32.row.col.s32.s4.s4.s32", 8, 32, S4, S4, S32, a_8_s4, b_s4 },
  { "m16n8k32.row.col.s32.s4.u4.s32", 16, 32, S4, U4, S32, a_16_s4, b_s4 },
  { "m16n8k64.row.col.s32.u4.u4.s32", 16, 64, U4, U4, S32, a_16_s4, b_s4 },
  { "m16n8k64.row.col.s32.s4.s4.s32", 16, 64, S4, S4, S32, a_16_s4, b_s4 },
  { "m8n8k128.row.col.s32.b1.b1.s32.and.popc", 8, 128, B1, B1, S32, a_8_b1, b_b1 },
  { "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 16, 128, B1, B1, S32, a_16_b1, b_b1 },
  { "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 256, B1, B1, S32, a_16_b1, b_b1 },
};

static guint
bits_of (Element element)
{
  switch (element)
    {
    case F16:
    case BF16:
      return 16;
    case F64:
      return 64;
    case S8:
    case U8:
    case E4M3:
    case E5M2:
      return 8;
    case S4:
    case U4:
      return 4;
    case B1:
      return 1;
    case TF32:
    case F32:
    case S32:
    default:
      return 32;
    }
}

/* An element's bits, from a value that it can hold. */
static uint64_t
encode (Element element, double value)
{
  switch (element)
    {
    case F16:
      return cured_f64_to_f16 (value, CURED_PTX_ROUND_RN);
    case BF16:
      return cured_f64_to_bf16 (value, CURED_PTX_ROUND_RN);
    case TF32:
    case F32:
      return cured_bits_of_f32 ((float) value);
    case F64:
      return cured_bits_of_f64 (value);
    case S8:
      return (uint8_t) (int8_t) value;
    case U8:
    case U4:
    case B1:
      return (uint8_t) value;
    case S4:
      return (uint8_t) (int8_t) value & 15;
    /* Of numbers that are normal in both. */
    case E5M2:
      return cured_f64_to_f16 (value, CURED_PTX_ROUND_RN) >> 8;
    case E4M3:
      {
        uint64_t half = cured_f64_to_f16 (fabs (value), CURED_PTX_ROUND_RN);

        if (isnan (value))
          return 0x7f;
        return (value < 0 ? 0x80 : 0) | (half == 0 ? 0 : (half >> 7) - (8 << 3));
      }
    case S32:
    default:
      return (uint32_t) (int64_t) value;
    }
}

static double
decode (Element element, uint64_t bits)
{
  switch (element)
    {
    case F16:
      return (double) cured_f16_to_f32 ((uint16_t) bits);
    case BF16:
      return (double) cured_bf16_to_f32 ((uint16_t) bits);
    case TF32:
      return (double) cured_f32_of_bits ((uint32_t) bits & ~0x1fffu);
    case F32:
      return (double) cured_f32_of_bits ((uint32_t) bits);
    case F64:
      return cured_f64_of_bits (bits);
    case S8:
      return (int8_t) bits;
    case U8:
    case U4:
    case B1:
      return (uint8_t) bits;
    case E4M3:
    case E5M2:
      return (double) cured_f16_to_f32 (
          (uint16_t) cured_f8_to_f16 ((uint32_t) bits, element == E5M2));
    case S4:
      return (int8_t) (bits << 4) >> 4;
    case S32:
    default:
      return (int32_t) bits;
    }
}

/* Registers of D, A, B, C; each as wide as a register of its elements. */
typedef struct
{
  guint shape;
  guint n[4];
  guint width;
  double a[MAX_M][MAX_K];
  double b[MAX_K][N];
  double c[MAX_M][N];
} Product;

static guint
first_of (guint which)
{
  static const guint first[] = { 0, 8, 24, 40 };

  return first[which];
}

static void
product_init (Product *self, guint shape)
{
  guint k = shapes[shape].k;
  guint m = shapes[shape].m;
  guint lanes;

  self->shape = shape;
  self->width = shapes[shape].a == F64 ? 8 : 4;
  lanes = 32 * 8 * self->width;
  self->n[0] = m * N * bits_of (shapes[shape].c) / lanes;
  self->n[1] = m * k * bits_of (shapes[shape].a) / lanes;
  self->n[2] = k * N * bits_of (shapes[shape].b) / lanes;
  self->n[3] = self->n[0];
}

/* The bits of element @i of @which (0 to 3: D, A, B, C) of a lane. */
static void
touch (ExecBench *bench, const Product *self, guint which, Element element, guint lane, guint i,
       uint64_t *bits, gboolean is_writing)
{
  guint n_bits = bits_of (element);
  guint each = self->width * 8 / n_bits;
  uint64_t ones = n_bits == 64 ? UINT64_MAX : ((uint64_t) 1 << n_bits) - 1;
  guint8 *at =
      (guint8 *) exec_bench_lanes (bench, R (first_of (which) + i / each, (uint8_t) self->width)) +
      lane * self->width + i % each * n_bits / 8;
  guint shift = i % each * n_bits % 8;
  uint64_t found = 0;

  memcpy (&found, at, MAX (n_bits / 8, 1));
  if (is_writing)
    {
      found = (found & ~(ones << shift)) | *bits << shift;
      memcpy (at, &found, MAX (n_bits / 8, 1));
    }
  else
    *bits = found >> shift & ones;
}

static void
product_put (const Product *self, ExecBench *bench)
{
  guint s = self->shape;

  for (guint l = 0; l < CURED_WARP_LANES; l++)
    for (guint which = 1; which < 4; which++)
      {
        Element element = which == 1 ? shapes[s].a : which == 2 ? shapes[s].b : shapes[s].c;
        Layout layout = which == 1 ? shapes[s].a_layout : which == 2 ? shapes[s].b_layout : c_any;

        for (guint i = 0; i < self->n[which] * self->width * 8 / bits_of (element); i++)
          {
            Place place = layout (l / 4, l % 4, i);
            double value = which == 1   ? self->a[place.row][place.column]
                           : which == 2 ? self->b[place.row][place.column]
                                        : self->c[place.row][place.column];
            uint64_t bits = encode (element, value);

            touch (bench, self, which, element, l, i, &bits, TRUE);
          }
      }
}

static const char *
product_set (const Product *self, ExecBench *bench)
{
  g_autofree char *mnemonic = g_strconcat ("mma.sync.aligned.", shapes[self->shape].mnemonic, NULL);
  guint n = 0;

  exec_bench_set (bench, mnemonic, 0, NULL);
  for (guint which = 0; which < 4; which++)
    {
      exec_bench_group (bench, which, self->n[which]);
      for (guint i = 0; i < self->n[which]; i++)
        bench->operands[n++] = R (first_of (which) + i, (uint8_t) self->width);
    }
  return exec_bench_select (bench);
}

static uint64_t
product_get (const Product *self, ExecBench *bench, guint row, guint column)
{
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    for (guint i = 0; i < 4; i++)
      {
        Place place = c_any (l / 4, l % 4, i);
        uint64_t bits;

        if (place.row != row || place.column != column)
          continue;
        touch (bench, self, 0, shapes[self->shape].c, l, i, &bits, FALSE);
        return bits;
      }
  g_assert_not_reached ();
}

/* ---- mma ---- */

static int
small_number (Element element)
{
  return element == B1                    ? g_test_rand_int_range (0, 2)
         : element == U8 || element == U4 ? g_test_rand_int_range (0, 6)
                                          : g_test_rand_int_range (-5, 6);
}

/* Small numbers: every sum is exact, whatever the order. */
static void
test_layouts (void)
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
        Product product;
        gboolean is_xor = strstr (shapes[s].mnemonic, "xor") != NULL;

        product_init (&product, s);
        for (guint i = 0; i < shapes[s].m; i++)
          for (guint k = 0; k < shapes[s].k; k++)
            product.a[i][k] = small_number (shapes[s].a);
        for (guint k = 0; k < shapes[s].k; k++)
          for (guint j = 0; j < N; j++)
            product.b[k][j] = small_number (shapes[s].b);
        for (guint i = 0; i < shapes[s].m; i++)
          for (guint j = 0; j < N; j++)
            product.c[i][j] = g_test_rand_int_range (-9, 10);
        product_put (&product, bench);
        g_assert_cmpstr (product_set (&product, bench), ==, NULL);
        exec_bench_run (bench, CURED_ALL_LANES);
        for (guint i = 0; i < shapes[s].m; i++)
          for (guint j = 0; j < N; j++)
            {
              double expected = product.c[i][j];
              uint64_t bits = product_get (&product, bench, i, j);

              for (guint k = 0; k < shapes[s].k; k++)
                expected +=
                    is_xor ? product.a[i][k] != product.b[k][j] : product.a[i][k] * product.b[k][j];
              if (bits != encode (shapes[s].c, expected))
                g_error ("%s: row %u, column %u is %g, not %g", shapes[s].mnemonic, i, j,
                         decode (shapes[s].c, bits), expected);
            }
      }
}

/* The result may be where the addend was. */
static void
test_in_place (void)
{
  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (ExecBench) apart = exec_bench_new (EXEC_BENCH_V3);
      g_autoptr (ExecBench) same = exec_bench_new (EXEC_BENCH_V3);
      Product product;

      product_init (&product, s);
      for (guint i = 0; i < MAX_M; i++)
        for (guint k = 0; k < MAX_K; k++)
          product.a[i][k] = product.b[k][i % N] = (i + 3 * k) % (shapes[s].a == B1 ? 2 : 7);
      for (guint i = 0; i < MAX_M; i++)
        for (guint j = 0; j < N; j++)
          product.c[i][j] = i + j;
      product_put (&product, apart);
      product_put (&product, same);
      g_assert_cmpstr (product_set (&product, apart), ==, NULL);
      g_assert_cmpstr (product_set (&product, same), ==, NULL);
      for (guint i = 0; i < product.n[0]; i++)
        same->operands[i] = R (first_of (3) + i, (uint8_t) product.width);
      exec_bench_run (apart, CURED_ALL_LANES);
      exec_bench_run (same, CURED_ALL_LANES);
      for (guint i = 0; i < product.n[0]; i++)
        {
          CuredPtxOperand d = R (first_of (0) + i, (uint8_t) product.width);
          CuredPtxOperand c = R (first_of (3) + i, (uint8_t) product.width);

          g_assert_cmpmem (exec_bench_lanes (apart, d), 32 * product.width,
                           exec_bench_lanes (same, c), 32 * product.width);
        }
    }
}

/* The sum of the exponents of a and b as they are stored: of a subnormal the least one. */
static int
exponent_of (Element element, double x)
{
  int least = element == F16 ? -14 : -126;
  int exponent;

  frexp (x, &exponent);
  return MAX (exponent - 1, least);
}

/* What the comment of the handlers says, one output at a time. */
static double
add_slowly (const Product *self, guint row, guint column)
{
  Element element = shapes[self->shape].a;
  double c = self->c[row][column];
  int greatest = -133;
  double sum;
  double unit;

  if (c != 0)
    greatest = MAX (greatest, exponent_of (F32, c));
  for (guint k = 0; k < shapes[self->shape].k; k++)
    if (self->a[row][k] != 0 && self->b[k][column] != 0)
      greatest = MAX (greatest, exponent_of (element, self->a[row][k]) +
                                    exponent_of (element, self->b[k][column]));
  unit = ldexp (1, greatest - 25);
  sum = trunc (c / unit);
  for (guint k = 0; k < shapes[self->shape].k; k++)
    sum += trunc (self->a[row][k] * self->b[k][column] / unit);
  return sum * unit;
}

static double
random_of (Element element)
{
  guint random = (guint) g_test_rand_int ();
  int spread = element == F16 ? 12 : g_test_rand_bit () ? 8 : 60;
  double x =
      ldexp (1 + (random >> 8 & 0x3ff) / 1024., (int) (random & 0xff) % (2 * spread) - spread);

  if (random >> 20 % 8 == 0)
    return 0;
  if (element == F16 && (random >> 24 & 15) == 0)
    x = ldexp (random >> 8 & 0x3ff, -24);
  if (element == BF16 && (random >> 24 & 15) == 0)
    x = ldexp (random >> 8 & 0x7f, -133);
  return decode (element, encode (element, random & 0x80000000 ? -x : x));
}

static void
test_rounding (void)
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      for (guint turn = 0; turn < 20 && shapes[s].a <= TF32; turn++)
        {
          g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
          Product product;

          product_init (&product, s);
          for (guint i = 0; i < shapes[s].m; i++)
            for (guint k = 0; k < shapes[s].k; k++)
              product.a[i][k] = random_of (shapes[s].a);
          for (guint k = 0; k < shapes[s].k; k++)
            for (guint j = 0; j < N; j++)
              product.b[k][j] = random_of (shapes[s].a);
          for (guint i = 0; i < shapes[s].m; i++)
            for (guint j = 0; j < N; j++)
              product.c[i][j] =
                  shapes[s].c == F16
                      ? random_of (F16)
                      : (double) (float) (random_of (TF32) * (1 + 0x1p-23 * (guint8) i));
          product_put (&product, bench);
          g_assert_cmpstr (product_set (&product, bench), ==, NULL);
          exec_bench_run (bench, CURED_ALL_LANES);
          for (guint i = 0; i < shapes[s].m; i++)
            for (guint j = 0; j < N; j++)
              {
                volatile double exact = add_slowly (&product, i, j);
                uint64_t bits = product_get (&product, bench, i, j);
                uint64_t expected;

                if (shapes[s].c == F16)
                  expected = cured_f64_to_f16 (exact, CURED_PTX_ROUND_RN);
                else
                  {
                    volatile float narrow;

                    fesetround (FE_TOWARDZERO);
                    narrow = (float) exact;
                    fesetround (FE_TONEAREST);
                    if (fabs (exact) >= 0x1p128)
                      narrow = copysignf (INFINITY, narrow);
                    expected = cured_bits_of_f32 (narrow);
                  }
                if (bits != expected)
                  g_error ("%s: row %u, column %u is %a, not %a (%a)", shapes[s].mnemonic, i, j,
                           decode (shapes[s].c, bits), decode (shapes[s].c, expected), exact);
              }
        }
}

/* Finds the shape. */
static guint
find_shape (const char *mnemonic)
{
  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    if (g_str_equal (shapes[s].mnemonic, mnemonic))
      return s;
  g_error ("no such shape: %s", mnemonic);
}

static uint64_t
run_one (const char *mnemonic, double a0, double b0, double a1, double b1, double c)
{
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_V3);
  Product product = { 0 };

  product_init (&product, find_shape (mnemonic));
  product.a[3][0] = a0;
  product.b[0][5] = b0;
  product.a[3][2] = a1;
  product.b[2][5] = b1;
  product.c[3][5] = c;
  product_put (&product, bench);
  g_assert_cmpstr (product_set (&product, bench), ==, NULL);
  exec_bench_run (bench, CURED_ALL_LANES);
  /* Nothing else was touched. */
  g_assert_cmphex (product_get (&product, bench, 4, 4), ==, 0);
  return product_get (&product, bench, 3, 5);
}

static void
test_special (void)
{
  static const char *const f32 = "m16n8k16.row.col.f32.f16.f16.f32";
  static const char *const f16 = "m16n8k16.row.col.f16.f16.f16.f16";
  static const char *const bf16 = "m16n8k16.row.col.f32.bf16.bf16.f32";
  static const char *const f64 = "m8n8k4.row.col.f64.f64.f64.f64";
  static const char *const f8 = "m16n8k16.row.col.f32.e4m3.e4m3.f32";

  g_assert_cmphex (run_one (f32, INFINITY, 2, 0, 0, 0), ==, 0x7f800000);
  g_assert_cmphex (run_one (f32, INFINITY, -2, 1, 1, 0), ==, 0xff800000);
  g_assert_cmphex (run_one (f32, INFINITY, 0, 0, 0, 0), ==, 0x7fffffff);
  g_assert_cmphex (run_one (f32, INFINITY, 1, -INFINITY, 1, 0), ==, 0x7fffffff);
  g_assert_cmphex (run_one (f32, INFINITY, 1, 0, 0, -INFINITY), ==, 0x7fffffff);
  g_assert_cmphex (run_one (f32, NAN, 1, 0, 0, 0), ==, 0x7fffffff);
  g_assert_cmphex (run_one (f32, 1, 1, 0, 0, NAN), ==, 0x7fffffff);
  g_assert_cmphex (run_one (f16, NAN, 1, 0, 0, 0), ==, 0x7fff);
  g_assert_cmphex (run_one (f16, 65504, 1, 16, 1, 0), ==, 0x7c00);
  g_assert_cmphex (run_one (f16, 65504, 1, 8, 1, 0), ==, 0x7bff);
  g_assert_cmphex (run_one (f16, 1, -INFINITY, 0, 0, 0), ==, 0xfc00);
  g_assert_cmphex (run_one (bf16, 0x1p100, 0x1p100, 0, 0, 0), ==, 0x7f800000);
  g_assert_cmphex (run_one (bf16, 0x1p-100, 0x1p-100, 0, 0, 0), ==, 0);
  g_assert_cmphex (run_one (f64, INFINITY, 0, 0, 0, 0), ==, UINT64_C (0xfff8000000000000));
  /* The products of 8-bit floats become one number of 24 bits, so that 2^-9 is lost beside 2^16,
   * and then C is added, rounded to nearest. */
  g_assert_cmphex (run_one (f8, NAN, 1, 0, 0, 0), ==, 0x7fffffff);
  g_assert_cmphex (run_one (f8, 1, 1, 1, 1, -INFINITY), ==, 0xff800000);
  g_assert_cmphex (run_one (f8, 256, 256, 0.125, 0.015625, -65536), ==, 0);
  g_assert_cmphex (run_one (f8, 1, 1, 0, 0, 0x1p24), ==, 0x4b800000);
  g_assert_cmphex (run_one (f8, 1, 1, 1, 1, 0x1p24), ==, 0x4b800001);
  g_assert_cmphex (run_one (f8, 1, 1, 2, 1, 0x1p24), ==, 0x4b800002);
  /* Zeros give +0. */
  g_assert_cmphex (run_one (f32, 0, 0, 0, 0, -0.0), ==, 0);
  /* Two extra bits stay, the third does not: 2^-24 and 2^-25 beside 1. */
  g_assert_cmphex (run_one (f32, 1, 1, 0x1p-12, 0x1p-13, -1), ==, 0x33000000);
  g_assert_cmphex (run_one (f32, 1, 1, 0x1p-13, 0x1p-13, -1), ==, 0);
  /* What is cut off is not rounded: 1 + 3/4 of the last bit. */
  g_assert_cmphex (run_one (f32, 1, 1, 0x1.8p-12, 0x1p-12, 0), ==, 0x3f800000);
  g_assert_cmphex (run_one (f32, -1, 1, 0x1.8p-12, -0x1p-12, 0), ==, 0xbf800000);
}

static void
test_integers (void)
{
  static const char *const plain = "m16n8k32.row.col.s32.s8.s8.s32";
  static const char *const satfinite = "m16n8k32.row.col.satfinite.s32.s8.s8.s32";

  g_assert_cmphex (run_one (plain, 1, 127, 0, 0, 2147483647), ==, 0x8000007e);
  g_assert_cmphex (run_one (satfinite, 1, 127, 0, 0, 2147483647), ==, 0x7fffffff);
  g_assert_cmphex (run_one (satfinite, 1, -128, 0, 0, -2147483648.), ==, 0x80000000);
  /* Only the whole sum is saturated. */
  g_assert_cmphex (run_one (satfinite, 1, 127, 1, -127, 2147483647), ==, 0x7fffffff);
  g_assert_cmphex (run_one ("m16n8k32.row.col.s32.u8.u8.s32", 255, 255, 0, 0, 0), ==, 65025);
  g_assert_cmphex (run_one ("m16n8k16.row.col.s32.s8.u8.s32", -128, 255, 0, 0, 0), ==,
                   (uint32_t) -32640);
  g_assert_cmphex (run_one ("m16n8k64.row.col.s32.s4.s4.s32", -8, 7, -8, -8, 0), ==, 8);
  g_assert_cmphex (run_one ("m16n8k64.row.col.s32.u4.u4.s32", 15, 15, 0, 0, 1), ==, 226);
}

static void
test_refused (void)
{
  static const char *const mnemonics[] = {
    "mma.sync.m16n8k16.row.col.f32.f16.f16.f32",
    "mma.sync.aligned.row.col.f32.f16.f16.f32",
    "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32",
    "mma.sync.aligned.m16n8k16.row.f32.f16.f16.f32",
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
    "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
    "mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32",
    "mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32",
    "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
    "mma.sync.aligned.m16n8k32.row.col.sat.s32.s8.s8.s32",
    "mma.sync.aligned.m16n8k8.row.col.s32.s8.s8.s32",
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.f16.s32",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16",
    "mma.sync.aligned.m16n8k64.row.col.s32.s4.s8.s32",
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32",
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.or.popc",
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32.and.popc",
    "mma.sync.aligned.m8n8k128.row.col.satfinite.s32.b1.b1.s32.and.popc",
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.s8.f32",
    "mma.sync.aligned.m16n8k8.row.col.f32.e4m3.e4m3.f32",
    "mma.sp.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
    "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
    "wmma.mma.aligned.row.col.m16n16k16.f32.f32",
    "wmma.mma.sync.aligned.row.col.m16n8k16.f32.f32",
    "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32",
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite",
    "wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64",
    "wmma.load.a.sync.row.m16n16k16.f16",
    "wmma.load.a.sync.aligned.m16n16k16.f16",
    "wmma.load.a.sync.aligned.row.m16n16k8.f16",
    "wmma.load.a.sync.aligned.col.m8n8k32.s4",
    "wmma.load.c.sync.aligned.row.m16n16k16.local.f32",
    /* One register each is too few. */
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "ldmatrix.sync.m8n8.x4.shared.b16",
    "ldmatrix.sync.aligned.x4.shared.b16",
    "ldmatrix.sync.aligned.m8n8.shared.b16",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16",
    "ldmatrix.sync.aligned.m8n8.x1.global.b16",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16",
    "stmatrix.sync.aligned.m8n8.x4.shared.b16",
    "stmatrix.sync.m8n8.x1.shared.b16",
    "movmatrix.sync.aligned.m8n8.b16",
    "movmatrix.sync.m8n8.trans.b16",
    "movmatrix.sync.aligned.trans.b16",
  };
  g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_BASELINE);

  for (guint i = 0; i < G_N_ELEMENTS (mnemonics); i++)
    if (exec_bench_set (bench, mnemonics[i], 0, NULL) == NULL)
      g_error ("%s is not refused", mnemonics[i]);
}

/* ---- Matrices of 16 bits ---- */

static const guint counts[] = { 1, 2, 4 };

/* Rows stand in memory in any order: row r of matrix i is at place
 * (5 * (8 i + r)) mod 32. */
static guint
place_of (guint row)
{
  return 5 * row % 32;
}

static void
set_ldmatrix (AccessBench *bench, const char *mnemonic, guint n)
{
  ExecBench *exec = bench->exec;

  exec_bench_set (exec, mnemonic, 0, NULL);
  exec_bench_group (exec, 0, n);
  for (guint i = 0; i < n; i++)
    exec->operands[i] = R (i, 4);
  exec->operands[n] = R (8, 8);
  g_assert_cmpstr (exec_bench_select (exec), ==, NULL);
}

static void
test_ldmatrix (void)
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint c = 0; c < G_N_ELEMENTS (counts); c++)
      for (guint variant = 0; variant < 4; variant++)
        {
          g_autoptr (AccessBench) bench = access_bench_new ((ExecBenchBuild) build);
          gboolean is_transposed = (variant & 1) != 0;
          gboolean is_generic = (variant & 2) != 0;
          guint n = counts[c];
          guint16 *shared = (guint16 *) bench->block.shared;
          g_autofree char *mnemonic =
              g_strdup_printf ("ldmatrix.sync.aligned.m8n8.x%u%s%s.b16", n,
                               is_transposed ? ".trans" : "", is_generic ? "" : ".shared");
          guint64 *address = exec_bench_lanes (bench->exec, R (8, 8));

          for (guint i = 0; i < 32 * 8; i++)
            shared[i] = (guint16) g_test_rand_int ();
          /* Addresses of lanes that hold no row are not looked at. */
          for (guint l = 0; l < CURED_WARP_LANES; l++)
            address[l] = l >= 8 * n ? 12345
                                    : (is_generic ? CURED_SHARED_WINDOW : 0) +
                                          (guint64) 16 * place_of (l) - 32;
          set_ldmatrix (bench, mnemonic, n);
          bench->exec->inst.displacement = 32;
          exec_bench_run (bench->exec, CURED_ALL_LANES);
          access_bench_assert_clean (bench);
          for (guint i = 0; i < n; i++)
            for (guint l = 0; l < CURED_WARP_LANES; l++)
              for (guint j = 0; j < 2; j++)
                {
                  const guint16 *halves = exec_bench_lanes (bench->exec, R (i, 4));
                  guint row = l / 4;
                  guint column = l % 4 * 2 + j;
                  guint16 expected = is_transposed ? shared[8 * place_of (8 * i + column) + row]
                                                   : shared[8 * place_of (8 * i + row) + column];

                  g_assert_cmphex (halves[2 * l + j], ==, expected);
                }
        }
}

static void
test_stmatrix (void)
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint c = 0; c < G_N_ELEMENTS (counts); c++)
      for (guint is_transposed = 0; is_transposed < 2; is_transposed++)
        {
          g_autoptr (AccessBench) bench = access_bench_new ((ExecBenchBuild) build);
          ExecBench *exec = bench->exec;
          guint n = counts[c];
          const guint16 *shared = (const guint16 *) bench->block.shared;
          g_autofree char *mnemonic = g_strdup_printf (
              "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16", n, is_transposed ? ".trans" : "");
          guint32 *address = exec_bench_lanes (exec, R (8, 4));

          memset (bench->block.shared, 0xa5, ACCESS_BENCH_SHARED_BYTES);
          for (guint l = 0; l < CURED_WARP_LANES; l++)
            address[l] = 16 * place_of (l);
          exec_bench_set (exec, mnemonic, 0, NULL);
          exec_bench_group (exec, 1, n);
          exec->operands[0] = R (8, 4);
          for (guint i = 0; i < n; i++)
            {
              guint16 *halves = exec_bench_lanes (exec, R (i, 4));

              exec->operands[1 + i] = R (i, 4);
              for (guint k = 0; k < 64; k++)
                halves[k] = (guint16) (64 * i + k);
            }
          g_assert_cmpstr (exec_bench_select (exec), ==, NULL);
          exec_bench_run (exec, CURED_ALL_LANES);
          for (guint i = 0; i < 4; i++)
            for (guint row = 0; row < 8; row++)
              for (guint column = 0; column < 8; column++)
                g_assert_cmphex (
                    shared[8 * place_of (8 * i + row) + column], ==,
                    i >= n ? 0xa5a5
                           : 64 * i + (is_transposed ? 8 * column + row : 8 * row + column));
        }
}

/* What a row's address can be wrong in; the other rows are loaded. */
static void
test_rows_refused (void)
{
  static const struct
  {
    const char *mnemonic;
    guint64 address;
    CuredFindingKind kind;
  } cases[] = {
    { "ldmatrix.sync.aligned.m8n8.x1.shared.b16", ACCESS_BENCH_SHARED_BYTES - 8,
      CURED_FINDING_OUT_OF_BOUNDS },
    { "ldmatrix.sync.aligned.m8n8.x1.shared.b16", 40, CURED_FINDING_MISALIGNED },
    { "ldmatrix.sync.aligned.m8n8.x1.b16", 0, CURED_FINDING_OUT_OF_BOUNDS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AccessBench) bench = access_bench_new (EXEC_BENCH_V3);
      g_autoptr (GPtrArray) findings = NULL;
      gboolean is_generic = i == 2;
      guint64 *address = exec_bench_lanes (bench->exec, R (8, 8));
      const guint32 *result = exec_bench_lanes (bench->exec, R (0, 4));

      memset (bench->block.shared, 0x11, ACCESS_BENCH_SHARED_BYTES);
      for (guint l = 0; l < CURED_WARP_LANES; l++)
        address[l] = 16 * l + (is_generic ? CURED_SHARED_WINDOW : 0);
      address[3] = cases[i].address;
      set_ldmatrix (bench, cases[i].mnemonic, 1);
      exec_bench_run (bench->exec, CURED_ALL_LANES);
      findings = access_bench_take_findings (bench);
      g_assert_cmpuint (findings->len, ==, 1);
      g_assert_cmpint (((CuredFinding *) findings->pdata[0])->kind, ==, cases[i].kind);
      for (guint l = 0; l < CURED_WARP_LANES; l++)
        g_assert_cmphex (result[l], ==, l / 4 == 3 ? 0 : 0x11111111);
    }
}

/* A generic address of global memory, where the hardware faults. */
static void
test_global_refused (void)
{
  g_autoptr (AccessBench) bench = access_bench_new (EXEC_BENCH_V3);
  g_autoptr (GPtrArray) findings = NULL;
  guint64 *address = exec_bench_lanes (bench->exec, R (8, 8));
  const guint32 *result = exec_bench_lanes (bench->exec, R (0, 4));

  for (guint i = 0; i < ACCESS_BENCH_ELEMENTS; i++)
    bench->a_host[i] = 1;
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    address[l] = bench->a + 16 * l;
  set_ldmatrix (bench, "ldmatrix.sync.aligned.m8n8.x1.b16", 1);
  exec_bench_run (bench->exec, CURED_ALL_LANES);
  findings = access_bench_take_findings (bench);
  g_assert_cmpuint (findings->len, ==, 1);
  g_assert_cmpint (((CuredFinding *) findings->pdata[0])->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    g_assert_cmphex (result[l], ==, 0);
}

/* Lanes that ended can't bring their part of a matrix. */
static void
test_lanes_missing (void)
{
  g_autoptr (AccessBench) bench = access_bench_new (EXEC_BENCH_V3);
  g_autoptr (GPtrArray) findings = NULL;
  guint32 *result = exec_bench_lanes (bench->exec, R (0, 4));

  bench->warp->alive = 0x0000ffff;
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    result[l] = 7;
  exec_bench_do (bench->exec, 0x0000ffff, "movmatrix.sync.aligned.m8n8.trans.b16", R (0, 4),
                 R (1, 4));
  findings = access_bench_take_findings (bench);
  g_assert_cmpuint (findings->len, ==, 1);
  g_assert_cmpint (((CuredFinding *) findings->pdata[0])->kind, ==, CURED_FINDING_INACTIVE_LANE);
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    g_assert_cmphex (result[l], ==, l < 16 ? 0 : 7);
}

static void
test_movmatrix (void)
{
  for (guint in_place = 0; in_place < 2; in_place++)
    {
      g_autoptr (ExecBench) bench = exec_bench_new (EXEC_BENCH_V3);
      guint16 *from = exec_bench_lanes (bench, R (1, 4));
      const guint16 *to = exec_bench_lanes (bench, R (in_place, 4));

      for (guint i = 0; i < 64; i++)
        from[i] = (guint16) (i * 1001);
      exec_bench_do (bench, CURED_ALL_LANES, "movmatrix.sync.aligned.m8n8.trans.b16",
                     R (in_place, 4), R (1, 4));
      for (guint row = 0; row < 8; row++)
        for (guint column = 0; column < 8; column++)
          g_assert_cmphex (to[8 * row + column], ==, (guint16) ((8 * column + row) * 1001));
    }
}

/* ---- Speed ---- */

/* Of this thread: other programs do not count. */
static gint64
get_cpu_time_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static void
bench_speed (void)
{
  for (int build = 0; build < EXEC_BENCH_N_BUILDS; build++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        g_autoptr (ExecBench) bench = exec_bench_new ((ExecBenchBuild) build);
        Product product;
        const guint n = 10000;
        gint64 best = G_MAXINT64;

        product_init (&product, s);
        for (guint i = 0; i < MAX_M; i++)
          for (guint k = 0; k < MAX_K; k++)
            product.a[i][k] = product.b[k][i % N] = (i + 3 * k) % (shapes[s].a == B1 ? 2 : 7);
        memset (product.c, 0, sizeof product.c);
        product_put (&product, bench);
        g_assert_cmpstr (product_set (&product, bench), ==, NULL);
        for (guint turn = 0; turn < 3; turn++)
          {
            gint64 start = get_cpu_time_ns ();

            for (guint k = 0; k < n; k++)
              bench->inst.run (bench->warp, &bench->inst, CURED_ALL_LANES);
            best = MIN (best, get_cpu_time_ns () - start);
          }
        g_test_message ("%s, %s: %.2f products a ns", shapes[s].mnemonic,
                        build == EXEC_BENCH_V3 ? "v3" : "baseline",
                        (double) n * shapes[s].m * shapes[s].k * N / (double) best);
      }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  if (g_test_perf ())
    {
      g_test_add_func ("/ptx-exec-matrix/speed", bench_speed);
      return g_test_run ();
    }
  g_test_add_func ("/ptx-exec-matrix/mma/layouts", test_layouts);
  g_test_add_func ("/ptx-exec-matrix/mma/in-place", test_in_place);
  g_test_add_func ("/ptx-exec-matrix/mma/rounding", test_rounding);
  g_test_add_func ("/ptx-exec-matrix/mma/special", test_special);
  g_test_add_func ("/ptx-exec-matrix/mma/integers", test_integers);
  g_test_add_func ("/ptx-exec-matrix/ldmatrix", test_ldmatrix);
  g_test_add_func ("/ptx-exec-matrix/stmatrix", test_stmatrix);
  g_test_add_func ("/ptx-exec-matrix/movmatrix", test_movmatrix);
  g_test_add_func ("/ptx-exec-matrix/rows-refused", test_rows_refused);
  g_test_add_func ("/ptx-exec-matrix/global-refused", test_global_refused);
  g_test_add_func ("/ptx-exec-matrix/lanes-missing", test_lanes_missing);
  g_test_add_func ("/ptx-exec-matrix/refused", test_refused);
  return g_test_run ();
}
