/* SPDX-License-Identifier: MIT
 * Video instructions, against the same in C, a part at a time. */
#include <cured.h>
#include <string.h>

#define LANES 32
#define BYTES (4 * LANES * (gsize) sizeof (guint32))

typedef guint32 (*Expected) (guint32 a, guint32 b, guint32 c);

static gint64
clamp (gint64 x, gint64 least, gint64 most)
{
  return x < least ? least : x > most ? most : x;
}

static gint64
distance (gint64 a, gint64 b)
{
  return a > b ? a - b : b - a;
}

#define CASE(name, expression)                                                                     \
  static guint32 name (guint32 a, guint32 b, guint32 c) { return (guint32) (expression); }

/* Parts, as the ISA calls them: signed and unsigned, of a half or a byte. */
#define SB(x, i) ((gint64) (gint8) ((x) >> 8 * (i)))
#define UB(x, i) ((gint64) (guint8) ((x) >> 8 * (i)))
#define SH(x, i) ((gint64) (gint16) ((x) >> 16 * (i)))
#define UH(x, i) ((gint64) (guint16) ((x) >> 16 * (i)))
#define S(x)     ((gint64) (gint32) (x))
#define U(x)     ((gint64) (x))
#define S32(x)   clamp (x, G_MININT32, G_MAXINT32)

CASE (add_parts, SB (a, 3) + UH (b, 1))
CASE (add_byte, (c & 0xff00ffff) | (guint32) (guint8) (SH (a, 1) + SB (b, 2)) << 16)
/* Of a half on a chip, what is in it: there is no shift. */
CASE (add_half, (c & 0xffff) | ((guint32) (U (a) + S (b)) & 0xffff0000))
CASE (sub_parts, UB (a, 0) - SB (b, 1))
CASE (absdiff, distance (S (a), S (b)))
CASE (absdiff_unsigned, distance (U (a), UH (b, 0)))
CASE (absdiff_add, distance (UB (a, 0), UB (b, 0)) + c)
CASE (lesser, MIN (SH (a, 1), U (b)))
CASE (greater, MAX (U (a), SB (b, 3)))
CASE (left_wrapped, (guint64) UH (a, 1) << (b & 31))
CASE (right_clamped, S (a) >> MIN (b, 32))
CASE (right_unsigned, UB (a, 3) >> (b & 31))
CASE (mad, SB (a, 1) * UH (b, 0) + S (c))
CASE (mad_negated, (-(SH (a, 1) * UB (b, 3)) + S (c)) >> 7)
CASE (mad_less, UB (a, 0) * UB (b, 0) - S (c))
CASE (mad_plus_one, S32 ((SH (a, 0) * SH (b, 1) + S (c) + 1) >> 15))
CASE (set_less, SB (a, 1) < UH (b, 0))
CASE (set_add, (U (a) >= S (b)) + c)
CASE (set_byte, (c & 0xffffff00) | (S (a) != S (b)))

/* Of both halves or all four bytes. */
#define HALVES(expression)                                                                         \
  guint32 d = 0;                                                                                   \
                                                                                                   \
  for (guint i = 0; i < 2; i++)                                                                    \
    d |= (guint32) (guint16) (expression) << 16 * i;                                               \
  return d;
#define QUARTERS(expression)                                                                       \
  guint32 d = 0;                                                                                   \
                                                                                                   \
  for (guint i = 0; i < 4; i++)                                                                    \
    d |= (guint32) (guint8) (expression) << 8 * i;                                                 \
  return d;
#define PARTS(name, parts, expression)                                                             \
  static guint32 name (guint32 a, guint32 b, guint32 c) { parts (expression) }

static gint64
mean (gint64 a, gint64 b)
{
  gint64 sum = a + b;

  return sum >= 0 ? (sum + 1) / 2 : -((1 - sum) / 2);
}

PARTS (add_halves, HALVES, SH (a, i) + UH (b, i))
PARTS (sub_halves, HALVES, clamp (SH (a, i) - SH (b, i), -32768, 32767))
PARTS (mean_halves, HALVES, mean (SH (a, i), SH (b, i)))
PARTS (max_halves, HALVES, MAX (UH (a, i), UH (b, i)))
PARTS (set_halves, HALVES, SH (a, i) <= SH (b, i))
PARTS (add_bytes, QUARTERS, clamp (UB (a, i) + UB (b, i), 0, 255))
PARTS (sub_bytes, QUARTERS, UB (a, i) - UB (b, i))
PARTS (mean_bytes, QUARTERS, mean (UB (a, i), UB (b, i)))
PARTS (min_bytes, QUARTERS, MIN (SB (a, i), SB (b, i)))
PARTS (absdiff_bytes, QUARTERS, distance (UB (a, i), UB (b, i)))
CASE (sum_of_differences, c + distance (UB (a, 0), UB (b, 0)) + distance (UB (a, 1), UB (b, 1)) +
                              distance (UB (a, 2), UB (b, 2)) + distance (UB (a, 3), UB (b, 3)))
CASE (set_count, c + (SB (a, 0) > SB (b, 0)) + (SB (a, 1) > SB (b, 1)) + (SB (a, 2) > SB (b, 2)) +
                     (SB (a, 3) > SB (b, 3)))
/* .h1 of (a.h0 + b.h0) and (a.h1 + a.h1), as .h10 and .h12 choose. */
CASE (chosen_half, (c & 0xffff) | (guint32) (SH (a, 1) + SH (a, 1)) << 16)
/* .b20 of bytes b.3, a.2, b.0, a.1 and a.0, b.2, a.3, b.1. */
CASE (chosen_bytes, (c & 0xff00ff00) | (guint32) (guint8) (UB (a, 1) + UB (b, 1)) |
                        (guint32) (guint8) (UB (a, 2) + UB (b, 2)) << 16)

static const struct
{
  const char *text;
  Expected expected;
} cases[] = {
  { "vadd.s32.s32.u32 d, a.b3, b.h1;", add_parts },
  { "vadd.s32.s32.s32 d.b2, a.h1, b.b2, c;", add_byte },
  { "vadd.u32.u32.s32 d.h1, a, b, c;", add_half },
  { "vsub.s32.u32.s32 d, a.b0, b.b1;", sub_parts },
  { "vabsdiff.s32.s32.s32 d, a, b;", absdiff },
  { "vabsdiff.u32.u32.u32 d, a, b.h0;", absdiff_unsigned },
  { "vabsdiff.u32.u32.u32.add d, a.b0, b.b0, c;", absdiff_add },
  { "vmin.s32.s32.u32 d, a.h1, b;", lesser },
  { "vmax.s32.u32.s32 d, a, b.b3;", greater },
  { "vshl.u32.u32.u32.wrap d, a.h1, b;", left_wrapped },
  { "vshr.s32.s32.u32.clamp d, a, b;", right_clamped },
  { "vshr.u32.u32.u32.wrap d, a.b3, b;", right_unsigned },
  { "vmad.s32.s32.u32 d, a.b1, b.h0, c;", mad },
  { "vmad.s32.s32.u32.shr7 d, -a.h1, b.b3, c;", mad_negated },
  { "vmad.s32.u32.u32 d, a.b0, b.b0, -c;", mad_less },
  { "vmad.s32.s32.s32.po.sat.shr15 d, a.h0, b.h1, c;", mad_plus_one },
  { "vset.s32.u32.lt d, a.b1, b.h0;", set_less },
  { "vset.u32.s32.ge.add d, a, b, c;", set_add },
  { "vset.s32.s32.ne d.b0, a, b, c;", set_byte },
  { "vadd2.s32.s32.u32 d, a, b, c;", add_halves },
  { "vsub2.s32.s32.s32.sat d, a, b, c;", sub_halves },
  { "vavrg2.s32.s32.s32 d, a, b, c;", mean_halves },
  { "vmax2.u32.u32.u32 d, a, b, c;", max_halves },
  { "vset2.s32.s32.le d, a, b, c;", set_halves },
  { "vadd4.u32.u32.u32.sat d, a, b, c;", add_bytes },
  { "vsub4.s32.u32.u32 d, a, b, c;", sub_bytes },
  { "vavrg4.u32.u32.u32 d, a, b, c;", mean_bytes },
  { "vmin4.s32.s32.s32 d, a, b, c;", min_bytes },
  { "vabsdiff4.u32.u32.u32 d, a, b, c;", absdiff_bytes },
  { "vabsdiff4.u32.u32.u32.add d, a, b, c;", sum_of_differences },
  { "vset4.s32.s32.gt.add d, a, b, c;", set_count },
  { "vadd2.s32.s32.s32 d.h1, a.h10, b.h12, c;", chosen_half },
  { "vadd4.u32.u32.u32 d.b20, a.b7241, b.b0635, c;", chosen_bytes },
};

static CuredPtxModule *
parse (const char *text, GError **error)
{
  g_autofree char *ptx =
      g_strdup_printf (".version 8.8\n.target sm_90\n.address_size 64\n"
                       ".visible .entry k (.param .u64 p) {\n"
                       ".reg .b32 a, b, c, d, t; .reg .b64 g;\n"
                       "ld.param.u64 g, [p]; mov.u32 t, %%tid.x; mad.wide.u32 g, t, 16, g;\n"
                       "ld.global.b32 a, [g]; ld.global.b32 b, [g+4]; ld.global.b32 c, [g+8];\n"
                       "%s\n"
                       "st.global.b32 [g+12], d; ret;\n}\n",
                       text);

  return cured_ptx_module_parse (ptx, -1, "video.ptx", error);
}

static void
run (const char *text, guint32 *data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 20);
  g_autoptr (CuredPtxModule) module = parse (text, &error);
  g_auto (CuredReport) report = { 0 };
  guint64 address;
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { LANES, 1, 1 },
    .parameters = &address,
    .parameters_bytes = sizeof address,
    .threads = 1,
  };

  g_assert_no_error (error);
  cured_memory_allocate (memory, BYTES, &address, &error);
  g_assert_no_error (error);
  cured_ptx_module_link (module, memory, &error);
  g_assert_no_error (error);
  memcpy (cured_memory_map (memory, address, BYTES), data, BYTES);
  cured_emulator_launch (&launch, &report, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (report.end, ==, CURED_END_DONE);
  memcpy (data, cured_memory_map (memory, address, BYTES), BYTES);
}

/* Ends of ranges, and any other numbers. */
static guint32
random_number (void)
{
  static const guint32 special[] = {
    0, 1, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f80ff01, 0x80007fff,
  };

  return g_test_rand_bit () ? (guint32) g_test_rand_int ()
                            : special[g_test_rand_int_range (0, G_N_ELEMENTS (special))];
}

static void
test_results (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint turn = 0; turn < 8; turn++)
      {
        guint32 data[LANES][4];

        for (guint l = 0; l < LANES; l++)
          for (guint k = 0; k < 4; k++)
            data[l][k] = random_number ();
        run (cases[i].text, data[0]);
        for (guint l = 0; l < LANES; l++)
          {
            guint32 expected = cases[i].expected (data[l][0], data[l][1], data[l][2]);

            if (data[l][3] != expected)
              g_error ("%s with %08x, %08x, %08x is %08x, not %08x", cases[i].text, data[l][0],
                       data[l][1], data[l][2], data[l][3], expected);
          }
      }
}

static void
test_refused (void)
{
  static const char *const texts[] = {
    "vadd.s32.s32 d, a, b;",
    "vadd.s32.s32.s32 d, a, b, c;",
    "vadd.s32.s32.s32.add d, a, b;",
    "vadd.s32.s32.s32.add d.b0, a, b, c;",
    "vadd.s32.s32.s32 d.b0, a, b;",
    "vadd.s32.s32.s32 d, a.b4, b;",
    "vadd.s32.s32.s32 d, a.h2, b;",
    "vadd.s32.s32.s32 d, a.b10, b;",
    "vadd.s32.s32.s32 d, a.x, b;",
    "vadd.s32.s32.s32 d, -a, b;",
    "vadd.s32.s32.s32.satfinite d, a, b;",
    "vadd.s32.s32.s32.xor d, a, b, c;",
    "vadd.s32.s32.f32 d, a, b;",
    "vshl.s32.s32.s32.clamp d, a, b;",
    "vshl.s32.s32.u32 d, a, b;",
    "vmad.s32.s32.s32 d, -a, b, -c;",
    "vmad.s32.s32.s32.po d, -a, b, c;",
    "vmad.s32.s32.s32 d, a, b, c.b0;",
    "vset.s32.s32.lo d, a, b;",
    "vset.s32.s32 d, a, b;",
    "vadd2.s32.s32.s32 d, a, b;",
    "vadd2.s32.s32.s32.sat.add d, a, b, c;",
    "vadd2.s32.s32.s32.max d, a, b, c;",
    "vadd2.s32.s32.s32 d.h01, a, b, c;",
    "vadd2.s32.s32.s32 d, a.h1, b, c;",
    "vadd2.s32.s32.s32 d, a.b10, b, c;",
    "vadd4.s32.s32.s32 d.h1, a, b, c;",
    "vadd4.s32.s32.s32 d.b4, a, b, c;",
    "vadd4.s32.s32.s32 d, a.b321, b, c;",
    /* Parts are for video instructions alone. */
    "add.s32 d, a.b0, b;",
    "add.s32 d, -a, b;",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredPtxModule) module = parse (texts[i], &error);

      if (module != NULL)
        g_error ("%s is not refused", texts[i]);
      g_assert_nonnull (error);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/ptx-exec-video/results", test_results);
  g_test_add_func ("/ptx-exec-video/refused", test_refused);
  return g_test_run ();
}
