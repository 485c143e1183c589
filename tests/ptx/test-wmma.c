/* SPDX-License-Identifier: MIT
 * Products of matrices by one warp that are not all of one mma: fragments that wmma loads,
 * multiplies and stores, and factors of which half is 0 (mma.sp), against sums in whole numbers. */
#include <cured.h>
#include <string.h>

#define AREA  16384
#define BYTES (4 * AREA)

/* Where the matrices are. */
enum
{
  A,
  B,
  C,
  D,
};

static guint
bits_of (const char *type)
{
  static const struct
  {
    const char *type;
    guint bits;
  } sizes[] = {
    { "f16", 16 }, { "bf16", 16 }, { "tf32", 32 }, { "f32", 32 }, { "f64", 64 }, { "s8", 8 },
    { "u8", 8 },   { "s4", 4 },    { "u4", 4 },    { "b1", 1 },   { "s32", 32 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (g_str_equal (sizes[i].type, type))
      return sizes[i].bits;
  g_error ("%s is no type", type);
}

/* Of small whole numbers. */
static guint64
encode (const char *type, int value)
{
  float single = (float) value;
  double twice = value;
  guint32 bits;
  guint64 bits_64;

  memcpy (&bits, &single, sizeof bits);
  memcpy (&bits_64, &twice, sizeof bits_64);
  if (g_str_equal (type, "f64"))
    return bits_64;
  if (g_str_equal (type, "tf32") || g_str_equal (type, "f32"))
    return bits;
  if (g_str_equal (type, "bf16"))
    return bits >> 16;
  if (g_str_equal (type, "f16"))
    return value == 0 ? 0
                      : (bits >> 31) << 15 | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023);
  return (guint32) value & (guint32) ((G_GUINT64_CONSTANT (1) << bits_of (type)) - 1);
}

static int
random_of (const char *type)
{
  return g_str_equal (type, "b1") ? g_test_rand_int_range (0, 2)
         : *type == 'u'           ? g_test_rand_int_range (0, 8)
                                  : g_test_rand_int_range (-7, 8);
}

static void
put (guint8 *data, guint area, gsize element, const char *type, int value)
{
  guint bits = bits_of (type);
  gsize at = area * AREA * 8 + element * bits;
  guint64 found = encode (type, value) << at % 8;

  g_assert_cmpuint (at / 8, <, (area + 1) * AREA);
  for (guint i = 0; i < MAX (bits / 8, 1); i++)
    data[at / 8 + i] = bits < 8 ? data[at / 8 + i] | (guint8) found : (guint8) (found >> (8 * i));
}

static guint64
get (const guint8 *data, guint area, gsize element, const char *type)
{
  guint64 found = 0;

  memcpy (&found, data + area * AREA + element * bits_of (type) / 8, bits_of (type) / 8);
  return found;
}

/* Runs a warp of the kernel. */
static void
run (const char *ptx, guint8 *data, CuredReport *report)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 22);
  g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (ptx, -1, "wmma.ptx", &error);
  guint64 address;
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { 32, 1, 1 },
    .parameters = &address,
    .parameters_bytes = sizeof address,
    .watch = CURED_WATCH_RACES | CURED_WATCH_UNDEFINED,
    .max_instructions = 1000000,
    .threads = 1,
  };

  g_assert_no_error (error);
  cured_memory_allocate (memory, BYTES, &address, &error);
  g_assert_no_error (error);
  cured_ptx_module_link (module, memory, &error);
  g_assert_no_error (error);
  memcpy (cured_memory_map (memory, address, BYTES), data, BYTES);
  cured_emulator_launch (&launch, report, NULL, &error);
  g_assert_no_error (error);
  memcpy (data, cured_memory_map (memory, address, BYTES), BYTES);
}

static void
append_group (GString *text, char name, guint n)
{
  g_string_append_c (text, '{');
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%%c%u", i > 0 ? ", " : "", name, i);
  g_string_append_c (text, '}');
}

/* ---- wmma ---- */

typedef struct
{
  const char *shape;
  guint m;
  guint n;
  guint k;
  const char *a;
  const char *c;
  const char *d;
  guint n_a; /* registers */
  guint n_b;
  guint n_c;
  guint n_d;
  const char *front; /* of single bits: before .sync */
} Case;

static const Case cases[] = {
  { "m16n16k16", 16, 16, 16, "f16", "f32", "f32", 8, 8, 8, 8, "" },
  { "m16n16k16", 16, 16, 16, "f16", "f16", "f16", 8, 8, 4, 4, "" },
  { "m16n16k16", 16, 16, 16, "f16", "f16", "f32", 8, 8, 4, 8, "" },
  { "m16n16k16", 16, 16, 16, "f16", "f32", "f16", 8, 8, 8, 4, "" },
  { "m32n8k16", 32, 8, 16, "f16", "f32", "f32", 8, 8, 8, 8, "" },
  { "m32n8k16", 32, 8, 16, "f16", "f16", "f16", 8, 8, 4, 4, "" },
  { "m8n32k16", 8, 32, 16, "f16", "f32", "f32", 8, 8, 8, 8, "" },
  { "m8n32k16", 8, 32, 16, "f16", "f16", "f16", 8, 8, 4, 4, "" },
  { "m16n16k16", 16, 16, 16, "bf16", "f32", "f32", 4, 4, 8, 8, "" },
  { "m32n8k16", 32, 8, 16, "bf16", "f32", "f32", 8, 2, 8, 8, "" },
  { "m8n32k16", 8, 32, 16, "bf16", "f32", "f32", 2, 8, 8, 8, "" },
  { "m16n16k8", 16, 16, 8, "tf32", "f32", "f32", 4, 4, 8, 8, "" },
  { "m8n8k4", 8, 8, 4, "f64", "f64", "f64", 1, 1, 2, 2, "" },
  { "m16n16k16", 16, 16, 16, "s8", "s32", "s32", 2, 2, 8, 8, "" },
  { "m32n8k16", 32, 8, 16, "u8", "s32", "s32", 4, 1, 8, 8, "" },
  { "m8n32k16", 8, 32, 16, "s8", "s32", "s32", 1, 4, 8, 8, "" },
  { "m8n8k32", 8, 8, 32, "s4", "s32", "s32", 1, 1, 2, 2, "" },
  { "m8n8k32", 8, 8, 32, "u4", "s32", "s32", 1, 1, 2, 2, "" },
  { "m8n8k128", 8, 8, 128, "b1", "s32", "s32", 1, 1, 2, 2, ".xor.popc" },
  { "m8n8k128", 8, 8, 128, "b1", "s32", "s32", 1, 1, 2, 2, ".and.popc" },
};

/* Distances of rows or columns: more than they are long, where that may be. */
static guint
stretch (const char *type, guint length)
{
  return bits_of (type) < 8 ? length : length + 16;
}

static char *
write_wmma (const Case *self, const gboolean *is_row, const guint *strides, const char *space)
{
  GString *text = g_string_new (".version 8.8\n.target sm_90a\n.address_size 64\n"
                                ".shared .align 128 .b8 s[49152];\n"
                                ".visible .entry k (.param .u64 p) {\n"
                                ".reg .pred %q; .reg .b32 %t, %u; .reg .b64 %o, %g, %v;\n"
                                "ld.param.u64 %g, [p];\n");
  gboolean is_shared = g_str_equal (space, ".shared");
  const char *at = is_shared ? "s" : "%g";
  const char *width = g_str_equal (self->a, "f64") ? "b64" : "b32";
  const char *widths[] = { width, width, width };
  guint counts[] = { self->n_a, self->n_b, self->n_c, self->n_d };
  const char *types[] = { self->a, self->a, self->c, self->d };

  for (guint i = 0; i < 4; i++)
    for (guint r = 0; r < counts[i]; r++)
      g_string_append_printf (text, ".reg .%s %%%c%u;\n", widths[MIN (i, 2)], "abcd"[i], r);
  if (is_shared)
    g_string_append (text, "mov.u32 %t, %tid.x; shl.b32 %t, %t, 2;\n"
                           "F: cvt.u64.u32 %o, %t; add.u64 %v, %g, %o;\n"
                           "ld.global.b32 %u, [%v]; mov.u64 %v, s; add.u64 %v, %v, %o;\n"
                           "st.shared.b32 [%v], %u; add.u32 %t, %t, 128;\n"
                           "setp.lt.u32 %q, %t, 49152; @%q bra F; bar.sync 0;\n");
  for (guint i = A; i <= C; i++)
    {
      g_string_append_printf (text, "wmma.load.%c.sync.aligned.%s.%s%s.%s ", "abc"[i],
                              is_row[i] ? "row" : "col", self->shape, space, types[i]);
      append_group (text, "abc"[i], counts[i]);
      g_string_append_printf (text, ", [%s+%u], %u;\n", at, i * AREA, strides[i]);
    }
  g_string_append_printf (text, "wmma.mma%s.sync.aligned.%s.%s.%s.%s%s%s%s%s.%s ", self->front,
                          is_row[A] ? "row" : "col", is_row[B] ? "row" : "col", self->shape,
                          self->d, g_str_equal (self->a, "f16") ? "" : ".",
                          g_str_equal (self->a, "f16") ? "" : self->a,
                          g_str_equal (self->a, "f16") ? "" : ".",
                          g_str_equal (self->a, "f16") ? "" : self->a, self->c);
  for (guint i = 0; i < 4; i++)
    {
      append_group (text, "dabc"[i], counts[(i + 3) % 4]);
      g_string_append (text, i < 3 ? ", " : ";\n");
    }
  g_string_append_printf (text, "wmma.store.d.sync.aligned.%s.%s.global.%s [%%g+%u], ",
                          is_row[D] ? "row" : "col", self->shape, self->d, D * AREA);
  append_group (text, 'd', self->n_d);
  g_string_append_printf (text, ", %u;\nret;\n}\n", strides[D]);
  return g_string_free (text, FALSE);
}

/* @layouts: a bit of each matrix says that it lies by rows. */
static void
check_wmma (const Case *self, guint layouts, const char *space)
{
  const gboolean is_row[] = { (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0,
                              (layouts & 8) != 0 };
  const guint rows[] = { self->m, self->k, self->m, self->m };
  const guint columns[] = { self->k, self->n, self->n, self->n };
  const char *types[] = { self->a, self->a, self->c, self->d };
  g_autofree guint8 *data = g_malloc0 (BYTES);
  g_autofree guint8 *before = NULL;
  g_autofree char *ptx = NULL;
  g_auto (CuredReport) report = { 0 };
  int values[3][32][128];
  guint strides[4];

  for (guint i = 0; i < 4; i++)
    strides[i] = stretch (types[i], is_row[i] ? columns[i] : rows[i]);
  for (guint i = 0; i < 3; i++)
    for (guint r = 0; r < rows[i]; r++)
      for (guint c = 0; c < columns[i]; c++)
        {
          int value = i == C ? g_test_rand_int_range (-9, 10) : random_of (self->a);

          /* Rows of B are longer than those of any other matrix. */
          if (i == B)
            values[B][c][r] = value;
          else
            values[i][r][c] = value;
          put (data, i, is_row[i] ? r * strides[i] + c : c * strides[i] + r, types[i], value);
        }
  before = g_memdup2 (data, BYTES);
  ptx = write_wmma (self, is_row, strides, space);
  run (ptx, data, &report);
  g_assert_cmpint (report.end, ==, CURED_END_DONE);
  g_assert_cmpuint (report.findings->len, ==, 0);
  g_assert_cmpmem (data, D * AREA, before, D * AREA);
  for (guint r = 0; r < self->m; r++)
    for (guint c = 0; c < self->n; c++)
      {
        int expected = values[C][r][c];
        guint64 bits = get (data, D, is_row[D] ? r * strides[D] + c : c * strides[D] + r, self->d);

        for (guint k = 0; k < self->k; k++)
          expected += g_str_equal (self->front, ".xor.popc") ? values[A][r][k] ^ values[B][c][k]
                                                             : values[A][r][k] * values[B][c][k];
        if (bits != encode (self->d, expected))
          g_error ("%s of %s, layouts %u: row %u, column %u is 0x%" G_GINT64_MODIFIER
                   "x, not %d\n%s",
                   self->shape, self->a, layouts, r, c, bits, expected, ptx);
      }
}

/* A by rows and B by columns, where no other way is there. */
static gboolean
is_fixed (const Case *self)
{
  return bits_of (self->a) < 8;
}

static void
test_wmma (gconstpointer space)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint layouts = 0; layouts < 16; layouts++)
      if (!is_fixed (&cases[i]) || (layouts & 3) == 1)
        check_wmma (&cases[i], layouts, space);
}

/* A matrix that is longer than the memory it is in. */
static void
test_wmma_findings (void)
{
  static const char *const ptx = ".version 8.8\n.target sm_90a\n.address_size 64\n"
                                 ".shared .align 128 .b8 s[256];\n"
                                 ".visible .entry k (.param .u64 p) {\n"
                                 ".reg .b32 %a<8>, %t;\n"
                                 "mov.u32 %t, %tid.x; shl.b32 %t, %t, 3; st.shared.b64 [%t], 0;\n"
                                 "bar.sync 0;\n"
                                 "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%a0, %a1, "
                                 "%a2, %a3, %a4, %a5, %a6, %a7}, [s], 16;\n"
                                 "ret;\n}\n";
  g_autofree guint8 *data = g_malloc0 (BYTES);
  g_auto (CuredReport) report = { 0 };
  const CuredFinding *finding;

  run (ptx, data, &report);
  g_assert_cmpuint (report.findings->len, ==, 1);
  finding = report.findings->pdata[0];
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
}

/* ---- mma.sp ---- */

typedef struct
{
  const char *shape;
  guint k;
  const char *types; /* of D, A, B and C */
  const char *a;
  const char *d;
  guint n_a; /* registers */
  guint n_b;
  guint n_d;
  guint n_selectors;
} Sparse;

static const Sparse sparse[] = {
  { "m16n8k16", 16, "f32.f16.f16.f32", "f16", "f32", 2, 2, 4, 4 },
  { "m16n8k32", 32, "f32.f16.f16.f32", "f16", "f32", 4, 4, 4, 2 },
  { "m16n8k32", 32, "f16.f16.f16.f16", "f16", "f16", 4, 4, 2, 2 },
  { "m16n8k16", 16, "f32.bf16.bf16.f32", "bf16", "f32", 2, 2, 4, 4 },
  { "m16n8k32", 32, "f32.bf16.bf16.f32", "bf16", "f32", 4, 4, 4, 2 },
  { "m16n8k8", 8, "f32.tf32.tf32.f32", "tf32", "f32", 2, 2, 4, 4 },
  { "m16n8k16", 16, "f32.tf32.tf32.f32", "tf32", "f32", 4, 4, 4, 2 },
  { "m16n8k32", 32, "s32.s8.s8.s32", "s8", "s32", 2, 2, 4, 2 },
  { "m16n8k64", 64, "s32.s8.s8.s32", "s8", "s32", 4, 4, 4, 1 },
};

/* Where register @r of a lane is: the lanes' own 16 words. */
static gsize
word_of (guint lane, guint r)
{
  return lane * 16 + r;
}

static void
put_register (guint8 *data, guint area, guint lane, guint r, const char *type, guint i, int value)
{
  put (data, area, word_of (lane, r) * 32 / bits_of (type) + i, type, value);
}

static char *
write_sparse (const Sparse *self, guint selector, gboolean is_ordered)
{
  GString *text = g_string_new (".version 8.8\n.target sm_90a\n.address_size 64\n"
                                ".visible .entry k (.param .u64 p) {\n"
                                ".reg .b32 %a<8>, %b<8>, %c<8>, %d<8>, %e, %t; .reg .b64 %g;\n"
                                "ld.param.u64 %g, [p]; mov.u32 %t, %tid.x;\n"
                                "mad.wide.u32 %g, %t, 64, %g;\n");
  guint counts[] = { self->n_a, self->n_b, self->n_d };

  for (guint i = A; i <= C; i++)
    for (guint r = 0; r < counts[i]; r++)
      g_string_append_printf (text, "ld.global.b32 %%%c%u, [%%g+%u];\n", "abc"[i], r,
                              i * AREA + 4 * r);
  g_string_append_printf (text,
                          "ld.global.b32 %%e, [%%g+60];\n"
                          "mma.sp%s.sync.aligned.%s.row.col.%s ",
                          is_ordered ? "::ordered_metadata" : "", self->shape, self->types);
  for (guint i = 0; i < 4; i++)
    {
      append_group (text, "dabc"[i], i == 0 ? self->n_d : counts[i - 1]);
      g_string_append (text, ", ");
    }
  g_string_append_printf (text, "%%e, %u;\n", selector);
  for (guint r = 0; r < self->n_d; r++)
    g_string_append_printf (text, "st.global.b32 [%%g+%u], %%d%u;\n", D * AREA + 4 * r, r);
  g_string_append (text, "ret;\n}\n");
  return g_string_free (text, FALSE);
}

/* Puts the four bits of row @row's @chunk where the figures of PTX ISA 9.0, section 9.7.14.6.2,
 * have them. */
static void
put_metadata (const Sparse *self, guint selector, guint8 *data, guint row, guint chunk, guint bits)
{
  guint lane = row % 8 * 4;
  guint shift;
  guint32 word;

  if (self->n_selectors == 4)
    {
      lane += selector;
      shift = row / 8 * 16 + chunk * 4;
    }
  else if (bits_of (self->a) > 8)
    {
      lane += 2 * selector + chunk / 4;
      shift = row / 8 * 16 + chunk % 4 * 4;
    }
  else
    {
      lane += 2 * selector + row / 8 + chunk / 8 * 2;
      shift = chunk % 8 * 4;
    }
  memcpy (&word, data + word_of (lane, 15) * 4, sizeof word);
  word |= bits << shift;
  memcpy (data + word_of (lane, 15) * 4, &word, sizeof word);
}

static void
check_sparse (const Sparse *self, guint selector, gboolean is_ordered)
{
  /* Of each four neighbours, or of each two that are 32 bits. */
  static const guint8 pairs[][3] = { { 0, 1, 0x4 }, { 0, 2, 0x8 }, { 0, 3, 0xc },
                                     { 1, 2, 0x9 }, { 1, 3, 0xd }, { 2, 3, 0xe } };
  static const guint8 ones[][3] = { { 0, 0, 0x4 }, { 1, 1, 0xe } };
  g_autofree guint8 *data = g_malloc0 (BYTES);
  g_autofree char *ptx = write_sparse (self, selector, is_ordered);
  g_auto (CuredReport) report = { 0 };
  guint each = 32 / bits_of (self->a);
  guint chunk = each == 1 ? 2 : 4;
  int a[16][64] = { 0 };
  int packed[16][32];
  int b[64][8];
  int c[16][8];

  for (guint i = 0; i < 16; i++)
    for (guint k = 0; k < self->k; k += chunk)
      {
        const guint8 *which =
            each == 1 ? ones[g_test_rand_int_range (0, 2)] : pairs[g_test_rand_int_range (0, 6)];

        for (guint j = 0; j < chunk / 2; j++)
          {
            int value = random_of (self->a);

            a[i][k + which[j]] = value;
            packed[i][k / 2 + j] = value;
          }
        put_metadata (self, selector, data, i, k / chunk, which[2]);
      }
  for (guint l = 0; l < 32; l++)
    {
      for (guint r = 0; r < self->n_a; r++)
        for (guint j = 0; j < each; j++)
          put_register (data, A, l, r, self->a, j,
                        packed[l / 4 + r % 2 * 8][(r / 2 * 4 + l % 4) * each + j]);
      for (guint r = 0; r < self->n_b; r++)
        for (guint j = 0; j < each; j++)
          {
            int value = random_of (self->a);

            b[(r * 4 + l % 4) * each + j][l / 4] = value;
            put_register (data, B, l, r, self->a, j, value);
          }
      for (guint j = 0; j < 4; j++)
        {
          int value = g_test_rand_int_range (-9, 10);
          guint apart = 32 / bits_of (self->d);

          c[l / 4 + j / 2 * 8][l % 4 * 2 + j % 2] = value;
          put_register (data, C, l, j / apart, self->d, j % apart, value);
        }
    }
  run (ptx, data, &report);
  g_assert_cmpuint (report.findings->len, ==, 0);
  for (guint l = 0; l < 32; l++)
    for (guint j = 0; j < 4; j++)
      {
        guint row = l / 4 + j / 2 * 8;
        guint column = l % 4 * 2 + j % 2;
        int expected = c[row][column];
        guint64 bits = get (data, D, word_of (l, 0) * 32 / bits_of (self->d) + j, self->d);

        for (guint k = 0; k < self->k; k++)
          expected += a[row][k] * b[k][column];
        if (bits != encode (self->d, expected))
          g_error ("%s.%s, selector %u: row %u, column %u is 0x%" G_GINT64_MODIFIER "x, not %d",
                   self->shape, self->types, selector, row, column, bits, expected);
      }
}

static void
test_sparse (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sparse); i++)
    for (guint selector = 0; selector < sparse[i].n_selectors; selector++)
      for (guint is_ordered = 0; is_ordered < 2; is_ordered++)
        check_sparse (&sparse[i], selector, is_ordered != 0);
}

/* A selector that there is not. */
static void
test_sparse_refused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sparse); i++)
    {
      g_autofree char *ptx = write_sparse (&sparse[i], sparse[i].n_selectors, FALSE);
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredPtxModule) module = cured_ptx_module_parse (ptx, -1, "sparse.ptx", &error);

      g_assert_null (module);
      g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/wmma/global", ".global", test_wmma);
  g_test_add_data_func ("/wmma/generic", "", test_wmma);
  g_test_add_data_func ("/wmma/shared", ".shared", test_wmma);
  g_test_add_func ("/wmma/findings", test_wmma_findings);
  g_test_add_func ("/wmma/sparse", test_sparse);
  g_test_add_func ("/wmma/sparse-refused", test_sparse_refused);
  return g_test_run ();
}
