/* SPDX-License-Identifier: MIT
 * Products of matrices by four warps, against sums in whole numbers: types, layouts, A in
 * registers; what is refused, and what is found. */
#include <cured.h>
#include <string.h>

#include "test.h"

#define TILE  16384
#define BYTES (2 * TILE + 65536 + 2048 + 512)

/* Where A's registers are, and its metadata. */
#define REGISTERS (2 * TILE + 65536)
#define METADATA  (REGISTERS + 2048)
#define MAX_K     256

/* Each thread stores 256 bytes of the two tiles, then @body forms the product of registers r; %da
 * and %db are descriptors without strides. */
#define FRONT                                                                                      \
  ".version 8.3\n.target sm_90a\n.address_size 64\n"                                               \
  ".visible .entry k (.param .u64 p) {\n"                                                          \
  ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                        \
  ".shared .align 1024 .b8 s[32768];\n"                                                            \
  "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;\n"                                 \
  "mov.u32 %r4, 0; mul.lo.u32 %r5, %r1, 256;\n"                                                    \
  "F: add.u32 %r6, %r5, %r4; cvt.u64.u32 %rd2, %r6; add.u64 %rd2, %rd2, %rd1;\nld.global.u32 "     \
  "%r7, [%rd2]; add.u32 %r6, %r6, %r2;\n"                                                          \
  "st.shared.u32 [%r6], %r7; add.u32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, 256;\n@%p1 bra "           \
  "F;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"                                              \
  "shr.u32 %r8, %r2, 4; cvt.u64.u32 %rd3, %r8; add.u64 %rd4, %rd3, 1024;\n"

typedef struct
{
  const char *types; /* of D, A and B */
  const char *tail;
  guint n, k, a_bits;
  guint swizzle; /* bytes */
  gboolean is_mn_major, is_in_registers;
  guint selector; /* plus 1: half of A is 0, and metadata tells which */
} Case;

/* Of small whole numbers. */
static guint32
encode (const char *type, int value)
{
  float single = (float) value;
  guint32 bits;

  memcpy (&bits, &single, sizeof bits);
  if (g_str_equal (type, "tf32"))
    return bits;
  if (g_str_equal (type, "bf16"))
    return bits >> 16;
  if (value == 0)
    return 0;
  if (g_str_equal (type, "f16"))
    return (bits >> 31) << 15 | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023);
  if (g_str_equal (type, "e4m3"))
    return (bits >> 31) << 7 | ((bits >> 23 & 255) - 120) << 3 | (bits >> 20 & 7);
  if (g_str_equal (type, "e5m2"))
    return (bits >> 31) << 7 | ((bits >> 23 & 255) - 112) << 2 | (bits >> 21 & 3);
  if (g_str_equal (type, "b1"))
    return value & 1;
  return (guint8) value;
}

/* Where element (@row, @k) is in its tile, in bits; @rows of it. The canonical layouts as a walk
 * over atoms: chunks of 16 bytes, 8 lines of an atom, then the atoms along and down. */
static gsize
place (const Case *self, guint row, guint k, guint rows)
{
  guint span = self->swizzle != 0 ? self->swizzle : 16;
  guint across = span * 8 / self->a_bits; /* elements of a line of an atom */
  guint line, column, atom;

  if (self->is_mn_major)
    {
      column = row % across;
      line = k % 8;
      atom = row / across + k / 8 * (rows / across);
    }
  else
    {
      column = k % across;
      line = row % 8;
      atom = row / 8 + k / across * (rows / 8);
    }
  gsize at = (gsize) atom * span * 8 + line * span + column * self->a_bits / 8;
  if (self->swizzle != 0)
    at ^= (at / 128 % (span / 16)) * 16;
  return at * 8 + column * self->a_bits % 8;
}

/* Strides that tell the same to the product. */
static guint64
describe (const Case *self, guint rows)
{
  guint span = self->swizzle != 0 ? self->swizzle : 16;
  guint across = span * 8 / self->a_bits;
  guint64 down = span * 8;
  guint64 along = down * (self->is_mn_major ? rows / across : rows / 8);
  guint64 mode = self->swizzle == 128 ? 1 : self->swizzle == 64 ? 2 : self->swizzle == 32 ? 3 : 0;
  /* Unswizzled and along k, or swizzled and along rows, the leading one leads along k and along
   * rows; the other way round otherwise. */
  guint64 lead = along, stride = down;

  if (self->is_mn_major && self->swizzle != 0)
    {
      lead = down;
      stride = along;
    }
  return (lead >> 4) << 16 | (stride >> 4) << 32 | mode << 62;
}

static void
set_bits (guint8 *tile, gsize at, guint bits, guint32 value)
{
  if (bits == 1)
    tile[at / 8] |= (guint8) (value << at % 8);
  else
    memcpy (tile + at / 8, &value, bits / 8);
}

static void
run (const char *ptx, guint8 *data, guint n_threads, CuredReport *report)
{
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 22);
  g_autoptr (CuredPtxModule) module = MUST (cured_ptx_module_parse (ptx, -1, "wgmma.ptx", &fail));
  guint64 address;
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { n_threads, 1, 1 },
    .parameters = &address,
    .parameters_bytes = sizeof address,
    .watch = CURED_WATCH_RACES,
    .max_instructions = 1000000,
    .threads = 1,
  };

  MUST (cured_memory_allocate (memory, BYTES, &address, &fail));
  MUST (cured_ptx_module_link (module, memory, &fail));
  memcpy (cured_memory_map (memory, address, BYTES), data, BYTES);
  MUST (cured_emulator_launch (&launch, report, NULL, &fail));
  memcpy (data, cured_memory_map (memory, address, BYTES), BYTES);
}

static void
append_registers (GString *text, const char *format, guint n, const char *between)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_auto (GStrv) parts = g_strsplit (format, "#", -1);
      g_autofree char *one = g_strjoinv (number, parts);

      g_string_append_printf (text, "%s%s", i > 0 ? between : "", one);
    }
}

/* The kernel of a case. Registers of A are read from memory behind the tiles. */
static char *
write_ptx (const Case *self, guint n_registers)
{
  GString *text = g_string_new (FRONT);
  g_autofree char *metadata = g_strdup ("");
  guint k = self->k;

  append_registers (text, ".reg .b32 %d#;", n_registers, " ");
  g_string_append_printf (text,
                          "\nor.b64 %%rd3, %%rd3, 0x%" G_GINT64_MODIFIER
                          "x; or.b64 %%rd4, %%rd4, 0x%" G_GINT64_MODIFIER "x;\n"
                          "mul.lo.u32 %%r9, %%r1, 16; cvt.u64.u32 %%rd5, %%r9;\n"
                          "add.u64 %%rd5, %%rd5, %%rd1;\n"
                          "ld.global.v4.b32 {%%r10, %%r11, %%r12, %%r13}, [%%rd5 + 98304];\n",
                          describe (self, 64), describe (self, self->n));
  append_registers (text, "mov.b32 %d#, 0;", n_registers, " ");
  if (self->selector > 0)
    {
      g_free (metadata);
      metadata = g_strdup_printf (", %%r14, %u", self->selector - 1);
    }
  g_string_append_printf (
      text,
      "\nmul.lo.u32 %%r9, %%r1, 4; cvt.u64.u32 %%rd5, %%r9;\nadd.u64 %%rd5, %%rd5, %%rd1;\n"
      "ld.global.b32 %%r14, [%%rd5 + %u];\n"
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s {",
      METADATA, self->selector > 0 ? ".sp" : "", self->n, k, self->types);
  append_registers (text, "%d#", n_registers, ", ");
  g_string_append_printf (
      text,
      "}, %s, %%rd4%s, 1%s;\n"
      "wgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0;\n"
      "mul.lo.u32 %%r9, %%r1, 512; cvt.u64.u32 %%rd5, %%r9;\nadd.u64 %%rd5, %%rd5, %%rd1;\n",
      self->is_in_registers ? "{%r10, %r11, %r12, %r13}" : "%rd3", metadata, self->tail);
  for (guint i = 0; i < n_registers; i++)
    g_string_append_printf (text, "st.global.b32 [%%rd5 + %u], %%d%u;\n", 2 * TILE + 4 * i, i);
  g_string_append (text, "ret;\n}\n");
  return g_string_free (text, FALSE);
}

static int
read_result (const char *type, const guint8 *data, guint row, guint column)
{
  guint thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  guint at = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
  guint32 bits;
  float single;

  if (!g_str_equal (type, "f16"))
    memcpy (&bits, data + thread * 512 + at * 4, 4);
  else
    {
      guint16 half;

      memcpy (&half, data + thread * 512 + at * 2, 2);
      if ((half & 0x7fff) == 0)
        return 0;
      bits = (guint32) (half >> 15) << 31 | ((guint32) (half >> 10 & 31) + 112) << 23 |
             (guint32) (half & 1023) << 13;
    }
  if (g_str_equal (type, "s32"))
    return (int) bits;
  memcpy (&single, &bits, 4);
  return (int) single;
}

/* Whether element @k of a row is one of those that a sparse A has, of which there are two of four,
 * or one of two words: which ones differs from row to row and along a row. */
static gboolean
is_there (const Case *self, guint row, guint k)
{
  static const guint8 pairs[] = { 0x3, 0x5, 0x9, 0x6, 0xa, 0xc };

  if (self->selector == 0)
    return TRUE;
  if (self->a_bits == 32)
    return (row * 5 + k / 2 * 3) % 7 % 2 == k % 2;
  return (pairs[(row * 5 + k / 4) % 6] >> k % 4 & 1) != 0;
}

/* Writes where element @k, the @at'th of those that row @row has, belongs: PTX ISA 9.0, section
 * 9.7.15.6, and the figures of 9.7.14.6.2 for the quarter of a warp. Of a row in lane l / 4 * 4 + 0
 * to 3 of each four: of bytes, which all tell, the first and the second half of k in lanes 0 and 2,
 * rows from 8 on in 1 and 3; of others two lanes, by the selector, with 16 bits of k each, rows
 * from 8 on in the upper halves. */
static void
set_metadata (const Case *self, guint8 *data, guint row, guint at, guint k)
{
  guint value = self->a_bits == 32 ? (k % 2 != 0 ? 0xe : 0x4) : k % 4;
  guint width = self->a_bits == 32 ? 4 : 2;
  guint bit = at * width;
  guint upper = row % 16 / 8;
  guint lane = row / 16 * 32 + row % 8 * 4;
  guint32 word;

  if (self->a_bits == 8)
    {
      lane += bit / 32 * 2 + upper;
      bit %= 32;
    }
  else
    {
      lane += 2 * (self->selector - 1) + bit / 16;
      bit = bit % 16 + 16 * upper;
    }
  memcpy (&word, data + METADATA + lane * 4, 4);
  word |= value << bit;
  memcpy (data + METADATA + lane * 4, &word, 4);
}

static void
test_product (gconstpointer user_data)
{
  const Case *self = user_data;
  g_auto (GStrv) types = g_strsplit (self->types, ".", -1);
  guint skip = g_str_equal (types[1], "satfinite") ? 1 : 0;
  const char *a_type = types[1 + skip], *b_type = types[2 + skip];
  guint n_registers = self->n / (g_str_equal (types[0], "f16") ? 4 : 2);
  g_autofree char *ptx = write_ptx (self, n_registers);
  g_autofree guint8 *data = g_malloc0 (BYTES);
  g_autofree int *a = g_new0 (int, 64 * MAX_K);
  g_autofree int *b = g_new0 (int, 256 * MAX_K);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  int sign = strstr (self->tail, ", -1, 1") != NULL ? -1 : 1;
  g_auto (CuredReport) report = { 0 };

  for (guint row = 0; row < 64; row++)
    for (guint k = 0, at = 0; k < self->k; k++)
      {
        gboolean is_bits = g_str_equal (a_type, "b1");
        gboolean is_unsigned = *a_type == 'u' || is_bits;
        int value = g_rand_int_range (rand, is_unsigned ? 0 : -3, 4);
        guint32 bits = encode (a_type, value);

        if (!is_there (self, row, k))
          continue;
        a[row * MAX_K + k] = is_bits ? value & 1 : value;
        if (self->selector > 0)
          set_metadata (self, data, row, at, k);
        if (self->is_in_registers)
          {
            guint each = 32 / self->a_bits;
            guint thread = row / 16 * 32 + row % 8 * 4 + at / each % 4;
            guint r = row % 16 / 8 + at / (4 * each) * 2;

            set_bits (data,
                      (REGISTERS + (gsize) thread * 16 + r * 4) * 8 + at % each * self->a_bits,
                      self->a_bits, bits);
          }
        else
          set_bits (data, place (self, row, at, 64), self->a_bits, bits);
        at++;
      }
  for (guint row = 0; row < self->n; row++)
    for (guint k = 0; k < self->k; k++)
      {
        gboolean is_bits = g_str_equal (b_type, "b1");
        gboolean is_unsigned = *b_type == 'u' || is_bits;
        int value = g_rand_int_range (rand, is_unsigned ? 0 : -3, 4);

        b[row * MAX_K + k] = is_bits ? value & 1 : value;
        set_bits (data + TILE, place (self, row, k, self->n), self->a_bits, encode (b_type, value));
      }
  run (ptx, data, 128, &report);
  g_assert_cmpint (report.end, ==, CURED_END_DONE);
  g_assert_cmpuint (report.findings->len, ==, 0);
  for (guint row = 0; row < 64; row++)
    for (guint column = 0; column < self->n; column++)
      {
        int sum = 0;

        for (guint k = 0; k < self->k; k++)
          sum += a[row * MAX_K + k] * b[column * MAX_K + k];
        g_assert_cmpint (read_result (types[0], data + 2 * TILE, row, column), ==, sign * sum);
      }
}

#define HALF  ", 1, 1, 0, 0"
#define LONG  ", 1, 1, 1, 1"
#define PLAIN ", 1, 1"

static const Case cases[] = {
  { "f32.f16.f16", HALF, 64, 16, 16, 0 },
  { "f16.f16.f16", HALF, 24, 16, 16, 0 },
  { "f32.bf16.bf16", HALF, 8, 16, 16, 32 },
  { "f32.bf16.bf16", ", -1, 1, 0, 0", 256, 16, 16, 0 },
  { "f32.f16.f16", HALF, 40, 16, 16, 64 },
  { "f32.f16.f16", HALF, 128, 16, 16, 128 },
  { "f32.f16.f16", LONG, 64, 16, 16, 0, TRUE },
  { "f32.f16.f16", LONG, 64, 16, 16, 32, TRUE },
  { "f32.bf16.bf16", LONG, 64, 16, 16, 64, TRUE },
  { "f32.bf16.bf16", LONG, 128, 16, 16, 128, TRUE },
  { "f32.f16.f16", ", 1, 1, 0", 16, 16, 16, 0, FALSE, TRUE },
  { "f32.bf16.bf16", ", 1, 1, 1", 64, 16, 16, 128, TRUE, TRUE },
  { "f32.tf32.tf32", PLAIN, 32, 8, 32, 0 },
  { "f32.tf32.tf32", PLAIN, 32, 8, 32, 128 },
  { "f32.tf32.tf32", PLAIN, 8, 8, 32, 0, FALSE, TRUE },
  { "f32.e4m3.e4m3", PLAIN, 16, 32, 8, 0 },
  { "f32.e4m3.e5m2", PLAIN, 16, 32, 8, 32 },
  { "f16.e5m2.e4m3", PLAIN, 16, 32, 8, 64 },
  { "f32.e5m2.e5m2", PLAIN, 16, 32, 8, 0, FALSE, TRUE },
  { "s32.s8.s8", "", 32, 32, 8, 128 },
  { "s32.u8.s8", "", 16, 32, 8, 0 },
  { "s32.satfinite.s8.u8", "", 8, 32, 8, 0, FALSE, TRUE },
  { "s32.b1.b1.and.popc", "", 16, 256, 1, 0 },
  { "s32.b1.b1.and.popc", "", 8, 256, 1, 128 },
  { "s32.b1.b1.and.popc", "", 8, 256, 1, 0, FALSE, TRUE },
  { "f32.f16.f16", HALF, 64, 32, 16, 0, FALSE, FALSE, 1 },
  { "f32.f16.f16", HALF, 40, 32, 16, 0, FALSE, FALSE, 2 },
  { "f16.f16.f16", ", 1, 1, 0", 24, 32, 16, 0, FALSE, TRUE, 2 },
  { "f32.bf16.bf16", ", -1, 1, 0, 0", 256, 32, 16, 64, FALSE, FALSE, 1 },
  { "f32.bf16.bf16", HALF, 16, 32, 16, 128, FALSE, FALSE, 2 },
  { "f32.bf16.bf16", HALF, 16, 32, 16, 32, FALSE, FALSE, 1 },
  { "f32.f16.f16", LONG, 64, 32, 16, 64, TRUE, FALSE, 1 },
  { "f32.f16.f16", LONG, 64, 32, 16, 0, TRUE, FALSE, 2 },
  { "f32.tf32.tf32", PLAIN, 32, 16, 32, 0, FALSE, FALSE, 1 },
  { "f32.tf32.tf32", PLAIN, 32, 16, 32, 128, FALSE, FALSE, 2 },
  { "f32.tf32.tf32", PLAIN, 8, 16, 32, 0, FALSE, TRUE, 1 },
  { "f32.e4m3.e4m3", PLAIN, 16, 64, 8, 0, FALSE, FALSE, 1 },
  { "f32.e4m3.e5m2", PLAIN, 16, 64, 8, 64, FALSE, FALSE, 1 },
  { "f16.e5m2.e4m3", PLAIN, 16, 64, 8, 128, FALSE, FALSE, 1 },
  { "f32.e5m2.e5m2", PLAIN, 16, 64, 8, 0, FALSE, TRUE, 1 },
  { "s32.s8.s8", "", 32, 64, 8, 128, FALSE, FALSE, 1 },
  { "s32.u8.s8", "", 16, 64, 8, 0, FALSE, FALSE, 1 },
  { "s32.satfinite.s8.u8", "", 8, 64, 8, 0, FALSE, TRUE, 1 },
};

TEST ("/wgmma/refused")
{
  static const struct
  {
    const char *body, *message;
  } bodies[] = {
    { "m64n8k16.f32.f16.f16 {%r1, %r2, %r3}, %rd3, %rd4, 1, 1, 1, 0, 0;",
      "another number of registers for d" },
    { "m64n12k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1, 1, 1, 0, 0;", "knows no word" },
    { "m64n8k8.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1, 1, 1, 0, 0;",
      "no such shape for these types" },
    { "m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1, 1, 1;",
      "another number of scales" },
    { "m64n8k16.f16.bf16.bf16 {%r1, %r2}, %rd3, %rd4, 1, 1, 1, 0, 0;",
      "no such shape for these types" },
    { "m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, {%r5, %r6}, %rd4, 1, 1, 1, 0;",
      "a descriptor or four registers" },
    { "m64n40k32.s32.s8.s8 {%r1}, %rd3, %rd4, 1;", "no such shape" },
    { "m64n8k256.s32.b1.b1 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1;", ".and.popc" },
    { ".sp m64n8k32.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, %r5, 2, 1, 1, 1, 0, 0;",
      "no such selector" },
    { ".sp m64n8k64.s32.s8.s8 {%r1, %r2, %r3, %r4}, %rd3, %rd4, %r5, 1, 1;", "no such selector" },
    { ".sp m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, %r5, 0, 1, 1, 1, 0, 0;",
      "no such shape for these types" },
    { "m64n8k64.s32.s8.s8 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1;", "no such shape for these types" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_sparse = g_str_has_prefix (bodies[i].body, ".sp ");
      g_autofree char *ptx =
          g_strconcat (FRONT "wgmma.mma_async", is_sparse ? ".sp" : "", ".sync.aligned.",
                       bodies[i].body + (is_sparse ? 4 : 0), "ret;\n}\n", NULL);
      CuredPtxModule *module = cured_ptx_module_parse (ptx, -1, "wgmma.ptx", &error);

      g_assert_null (module);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bodies[i].message));
    }
}

#define MULTIPLY                                                                                   \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r14, %r15, %r16, %r17}, {%r10, %r11, "      \
  "%r12, %r13}, %rd4, 1, 1, 1, 0;\n"
#define ORDER  "wgmma.fence.sync.aligned;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT   "wgmma.wait_group.sync.aligned 0;\n"
#define USE    "add.f32 %r18, %r14, %r15;\n"

/* What is found, and in a twin is not. */
TEST ("/wgmma/found")
{
  static const struct
  {
    const char *body;
    const char *text; /* NULL: nothing */
    guint threads;
  } bodies[] = {
    { ORDER MULTIPLY COMMIT WAIT USE, NULL, 128 },
    { ORDER MULTIPLY COMMIT USE WAIT, "may still have this register", 128 },
    { ORDER MULTIPLY USE COMMIT WAIT, "may still have this register", 128 },
    /* An older group is waited for, and the last one not. */
    { ORDER MULTIPLY COMMIT MULTIPLY COMMIT "wgmma.wait_group.sync.aligned 1;\n" USE WAIT,
      "may still have this register", 128 },
    { ORDER MULTIPLY COMMIT MULTIPLY COMMIT WAIT USE, NULL, 128 },
    /* A's registers may be read, and not written. */
    { ORDER MULTIPLY COMMIT "add.u32 %r18, %r10, 1;\n" WAIT, NULL, 128 },
    { ORDER MULTIPLY COMMIT "add.u32 %r10, %r11, 1;\n" WAIT, "may still have this register", 128 },
    { MULTIPLY COMMIT WAIT, "no wgmma.fence", 128 },
    { ORDER "add.u32 %r10, %r11, 1;\n" MULTIPLY COMMIT WAIT, "written after the last wgmma.fence",
      128 },
    { "add.u32 %r10, %r11, 1;\n" ORDER MULTIPLY COMMIT WAIT, NULL, 128 },
    { ORDER MULTIPLY COMMIT WAIT "add.f32 %r14, %r14, %r14;\n" MULTIPLY COMMIT WAIT,
      "written after the last wgmma.fence", 128 },
    { ORDER MULTIPLY COMMIT WAIT "add.f32 %r14, %r14, %r14;\n" ORDER MULTIPLY COMMIT WAIT, NULL,
      128 },
    { ORDER MULTIPLY COMMIT, "nothing waits for the product", 128 },
    /* The tile is stored to. */
    { ORDER MULTIPLY COMMIT "bar.sync 0; st.shared.u32 [%r2 + 16384], 0;\n" WAIT,
      "may not have read this yet", 128 },
    { ORDER MULTIPLY COMMIT WAIT "bar.sync 0;\nsetp.ne.u32 %p2, %r1, 0;\n"
                                 "@!%p2 st.shared.u32 [%r2 + 16384], 0;\n",
      NULL, 128 },
    { ORDER MULTIPLY COMMIT WAIT, "it is for four warps", 64 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree guint8 *data = g_malloc0 (BYTES);
      g_autofree char *ptx =
          g_strconcat (FRONT "or.b64 %rd4, %rd4, 0x1000080000;\n"
                             "mov.b32 %r10, 0; mov.b32 %r11, 0; mov.b32 %r12, 0;\n"
                             "mov.b32 %r13, 0; mov.b32 %r14, 0; mov.b32 %r15, 0;\n"
                             "mov.b32 %r16, 0; mov.b32 %r17, 0;\n",
                       bodies[i].body, "ret;\n}\n", NULL);
      g_auto (CuredReport) report = { 0 };
      gboolean is_found = FALSE;

      run (ptx, data, bodies[i].threads, &report);
      for (guint f = 0; f < report.findings->len; f++)
        {
          const CuredFinding *finding = report.findings->pdata[f];

          g_test_message ("%zu: %s", i, finding->detail);
          is_found |= bodies[i].text != NULL && strstr (finding->detail, bodies[i].text) != NULL;
        }
      g_assert_cmpint (is_found, ==, bodies[i].text != NULL);
      if (bodies[i].text == NULL)
        g_assert_cmpuint (report.findings->len, ==, 0);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/wgmma/%zu/%s", i, cases[i].types);

      g_test_add_data_func (path, &cases[i], test_product);
    }
  return run_tests ();
}
