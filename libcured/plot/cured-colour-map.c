/* SPDX-License-Identifier: MIT
 * Colour maps with even lightness, safe for colour-blind readers. */
#include "plot/cured-colour-map-internal.h"

#include <glib/gi18n-lib.h>

#include <math.h>

#define N_ROWS 256
/* Points of the curve that are measured to space rows evenly. */
#define N_FINE   1024
#define N_POINTS 6

/* Implementation notes
 *
 * Viridis, cividis and magma are the published tables, so that pictures are comparable with those
 * of other programs: viridis and magma by N. Smith and S. van der Walt
 * (https://bids.github.io/colormap), cividis by J. Nuñez, C. Anderton and R. Renslow (PLoS ONE
 * 13(7), e0199239). All three are under CC0. The numbers are matplotlib's, rounded to eight bits.
 *
 * Grey and the diverging maps are Cured's own curves in CIELAB: lightness rises linearly, and a*
 * and b* follow a Catmull-Rom spline through a few points. Where a colour is outside sRGB, its
 * chroma is reduced and its lightness kept. Rows are then equidistant along the curve, so that
 * equal differences of position look equal. Since lightness carries most of the distance, the order
 * of colours survives deuteranopia, protanopia and a black and white printer, as it does in the
 * published maps; tests verify it.
 *
 * A diverging map, for ratios only, is two such curves that join in a bright grey: hue shows the
 * side, orange or purple against blue or green, and lightness the distance from the middle. */

/* Red, green and blue of each row. ORDER: as maps[]. */
static const char *const published[] = {
  /* clang-format off */
  /* Viridis */
  "44015444025645045745055946075a46085c460a5d460b5e470d60470e6147106347116447136548146748166848176948186a481a6c481b6d481c6e481d6f481f70482071482173482374482475482576482677482878482979472a7a472c7a472d7b472e7c472f7d46307e46327e46337f463480453581453781453882443983443a83443b84433d84433e85423f854240864241864142874144874045884046883f47883f48893e49893e4a893e4c8a3d4d8a3d4e8a3c4f8a3c508b3b518b3b528b3a538b3a548c39558c39568c38588c38598c375a8c375b8d365c8d365d8d355e8d355f8d34608d34618d33628d33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f6c8e2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e2c728e2c738e2b748e2b758e2a768e2a778e2a788e29798e297a8e297b8e287c8e287d8e277e8e277f8e27808e26818e26828e26828e25838e25848e25858e24868e24878e23888e23898e238a8d228b8d228c8d228d8d218e8d218f8d21908d21918c20928c20928c20938c1f948c1f958b1f968b1f978b1f988b1f998a1f9a8a1e9b8a1e9c891e9d891f9e891f9f881fa0881fa1881fa1871fa28720a38620a48621a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad8128ae8029af7f2ab07f2cb17e2db27d2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc743fbc7340bd7242be7144bf7046c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc8635ec96260ca6063cb5f65cb5e67cc5c69cd5b6ccd5a6ece5870cf5773d05675d05477d1537ad1517cd2507fd34e81d34d84d44b86d54989d5488bd6468ed64590d74393d74195d84098d83e9bd93c9dd93ba0da39a2da37a5db36a8db34aadc32addc30b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5e021c8e020cae11fcde11dd0e11cd2e21bd5e21ad8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4e61ef6e620f8e621fbe723fde725",
  /* Cividis */
  "00224e00234f00245100255300255400265600275800285900285b00295d002a5f002a61002b62002c64002c66002d68002e6a002e6c002f6d00306f0030700031700031710132710533710833700c34700f357012357014367016377018376f1a386f1c396f1e3a6f203a6f213b6e233c6e243c6e263d6e273e6e293f6e2a3f6d2b406d2d416d2e416d2f426d31436d32436d33446d34456c35456c36466c38476c39486c3a486c3b496c3c4a6c3d4a6c3e4b6c3f4c6c404c6c414d6c424e6c434e6c444f6c45506c46516c47516c48526c49536c4a536c4b546c4c556c4d556c4e566c4f576c50576c51586d52596d535a6d545a6d555b6d555c6d565c6d575d6d585e6d595e6e5a5f6e5b606e5c616e5d616e5e626e5e636f5f636f60646f61656f62656f636670646770656870656870666970676a71686a71696b716a6c716b6d726c6d726c6e726d6f726e6f736f70737071737172747272747273747374757474757575757676767777767777777878777979777a7a787b7a787c7b787d7c787e7c787e7d787f7e78807f78817f788280798381798482798582798683798784788885788985788a86788b87788c88788d88788e89788f8a78908b78918b78928c78928d78938e78948e77958f779690779791779892779992779a93769b94769c95769d95769e96769f9775a09875a19975a29975a39a74a49b74a59c74a69c74a79d73a89e73a99f73aaa073aba072aca172ada272aea371afa471b0a571b1a570b3a670b4a76fb5a86fb6a96fb7a96eb8aa6eb9ab6dbaac6dbbad6dbcae6cbdae6cbeaf6bbfb06bc0b16ac1b26ac2b369c3b369c4b468c5b568c6b667c7b767c8b866c9b965cbb965ccba64cdbb63cebc63cfbd62d0be62d1bf61d2c060d3c05fd4c15fd5c25ed6c35dd7c45cd9c55cdac65bdbc75adcc859ddc858dec958dfca57e0cb56e1cc55e2cd54e4ce53e5cf52e6d051e7d150e8d24fe9d34eead34cebd44bedd54aeed649efd748f0d846f1d945f2da44f3db42f5dc41f6dd3ff7de3ef8df3cf9e03afbe138fce236fde334fee434fee535fee636fee838",
  /* Magma */
  "00000401000501010601010802010902020b02020d03030f03031204041405041606051806051a07061c08071e0907200a08220b09240c09260d0a290e0b2b100b2d110c2f120d31130d34140e36150e38160f3b180f3d19103f1a10421c10441d11471e114920114b21114e22115024125325125527125829115a2a115c2c115f2d11612f116331116533106734106936106b38106c390f6e3b0f703d0f713f0f72400f74420f75440f764510774710784910784a10794c117a4e117b4f127b51127c52137c54137d56147d57157e59157e5a167e5c167f5d177f5f187f601880621980641a80651a80671b80681c816a1c816b1d816d1d816e1e81701f81721f817320817521817621817822817922827b23827c23827e24828025828125818326818426818627818827818928818b29818c29818e2a81902a81912b81932b80942c80962c80982d80992d809b2e7f9c2e7f9e2f7fa02f7fa1307ea3307ea5317ea6317da8327daa337dab337cad347cae347bb0357bb2357bb3367ab5367ab73779b83779ba3878bc3978bd3977bf3a77c03a76c23b75c43c75c53c74c73d73c83e73ca3e72cc3f71cd4071cf4070d0416fd2426fd3436ed5446dd6456cd8456cd9466bdb476adc4869de4968df4a68e04c67e24d66e34e65e44f64e55064e75263e85362e95462ea5661eb5760ec5860ed5a5fee5b5eef5d5ef05f5ef1605df2625df2645cf3655cf4675cf4695cf56b5cf66c5cf66e5cf7705cf7725cf8745cf8765cf9785df9795df97b5dfa7d5efa7f5efa815ffb835ffb8560fb8761fc8961fc8a62fc8c63fc8e64fc9065fd9266fd9467fd9668fd9869fd9a6afd9b6bfe9d6cfe9f6dfea16efea36ffea571fea772fea973feaa74feac76feae77feb078feb27afeb47bfeb67cfeb77efeb97ffebb81febd82febf84fec185fec287fec488fec68afec88cfeca8dfecc8ffecd90fecf92fed194fed395fed597fed799fed89afdda9cfddc9efddea0fde0a1fde2a3fde3a5fde5a7fde7a9fde9aafdebacfcecaefceeb0fcf0b2fcf2b4fcf4b6fcf6b8fcf7b9fcf9bbfcfbbdfcfdbf",
  /* clang-format on */
};

typedef struct
{
  double low_lightness, high_lightness, ab[N_POINTS][2];
} Curve;

static const Curve grey = { 12, 97, { { 0 } } };

#define MIDDLE_LIGHTNESS 95

/* ORDER: as diverging_maps[]; both sides begin at their end; the first one is for the worse
 * values. */
static const Curve sides[][2] = {
  { { 34,
      MIDDLE_LIGHTNESS,
      { { 34, 44 }, { 38, 52 }, { 33, 50 }, { 22, 37 }, { 10, 18 }, { 0, 0 } } },
    { 34,
      MIDDLE_LIGHTNESS,
      { { 12, -54 }, { 4, -48 }, { -4, -38 }, { -6, -26 }, { -4, -13 }, { 0, 0 } } } },
  { { 34,
      MIDDLE_LIGHTNESS,
      { { 42, -50 }, { 40, -46 }, { 33, -37 }, { 23, -26 }, { 12, -14 }, { 0, 0 } } },
    { 34,
      MIDDLE_LIGHTNESS,
      { { -34, 34 }, { -38, 42 }, { -36, 44 }, { -26, 34 }, { -13, 17 }, { 0, 0 } } } },
};

static guint8 rows[G_N_ELEMENTS (published) + 1][N_ROWS][3];
static guint8 diverging_rows[G_N_ELEMENTS (sides)][N_ROWS][3];

/* ORDER: the first one is the default. */
static const CuredColourMap maps[] = {
  { "viridis", N_ ("Viridis"), (const guint8 (*)[3]) rows[0] },
  { "cividis", N_ ("Cividis"), (const guint8 (*)[3]) rows[1] },
  { "magma", N_ ("Magma"), (const guint8 (*)[3]) rows[2] },
  { "grey", N_ ("Grey"), (const guint8 (*)[3]) rows[3] },
};

G_STATIC_ASSERT (G_N_ELEMENTS (maps) == G_N_ELEMENTS (rows));

/* ORDER: the first one is the default. */
static const CuredColourMap diverging_maps[] = {
  { "orange-blue", N_ ("Orange to blue"), (const guint8 (*)[3]) diverging_rows[0] },
  { "purple-green", N_ ("Purple to green"), (const guint8 (*)[3]) diverging_rows[1] },
};

G_STATIC_ASSERT (G_N_ELEMENTS (diverging_maps) == G_N_ELEMENTS (sides));

typedef struct
{
  double l, a, b;
} Lab;

static double
lab_inverse (double f)
{
  /* CIE 15: the cube root is linear near black. */
  return f > 6.0 / 29.0 ? f * f * f : 3.0 * (6.0 / 29.0) * (6.0 / 29.0) * (f - 4.0 / 29.0);
}

/* To linear sRGB; components outside 0 … 1 are outside of its gamut. */
static void
lab_to_linear (const Lab *lab, double rgb[3])
{
  /* D65 white. */
  double fy = (lab->l + 16.0) / 116.0, x = 0.95047 * lab_inverse (fy + lab->a / 500.0);
  double y = lab_inverse (fy), z = 1.08883 * lab_inverse (fy - lab->b / 200.0);

  rgb[0] = 3.2404542 * x - 1.5371385 * y - 0.4985314 * z;
  rgb[1] = -0.9692660 * x + 1.8760108 * y + 0.0415560 * z;
  rgb[2] = 0.0556434 * x - 0.2040259 * y + 1.0572252 * z;
}

static gboolean
is_displayable (const double rgb[3])
{
  for (int i = 0; i < 3; i++)
    if (!(rgb[i] >= 0.0 && rgb[i] <= 1.0))
      return FALSE;
  return TRUE;
}

static double
spline (const double (*points)[2], int component, double t)
{
  double x = t * (N_POINTS - 1);
  int i = MIN ((int) x, N_POINTS - 2);
  double u = x - i, p1 = points[i][component], p2 = points[i + 1][component];
  double p0 = i > 0 ? points[i - 1][component] : 2 * p1 - p2;
  double p3 = i + 2 < N_POINTS ? points[i + 2][component] : 2 * p2 - p1;

  return 0.5 * (2 * p1 + (p2 - p0) * u + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u * u +
                (3 * p1 - p0 - 3 * p2 + p3) * u * u * u);
}

/* The curve's displayable colour at @t in 0 … 1. */
static Lab
curve_at (const Curve *curve, double t)
{
  double a = spline (curve->ab, 0, t), b = spline (curve->ab, 1, t);
  double l = curve->low_lightness + t * (curve->high_lightness - curve->low_lightness);
  Lab lab = { l, a, b };
  double rgb[3], inside = 0.0, outside = 1.0;

  lab_to_linear (&lab, rgb);
  if (is_displayable (rgb))
    return lab;
  for (int i = 0; i < 20; i++)
    {
      double middle = (inside + outside) / 2;

      lab = (Lab){ l, a * middle, b * middle };
      lab_to_linear (&lab, rgb);
      if (is_displayable (rgb))
        inside = middle;
      else
        outside = middle;
    }
  return (Lab){ l, a * inside, b * inside };
}

static guint8
encode (double linear)
{
  double c = CLAMP (linear, 0.0, 1.0);
  double srgb = c <= 0.0031308 ? 12.92 * c : 1.055 * pow (c, 1 / 2.4) - 0.055;

  return (guint8) lround (255 * srgb);
}

/* From the first row on, or, with a @step of -1, from the last one back. */
static void
fill_rows (const Curve *curve, guint8 (*rgb)[3], int n_rows, int step)
{
  double along[N_FINE + 1];
  Lab before = curve_at (curve, 0.0);
  int k = 0;

  along[0] = 0.0;
  for (int i = 1; i <= N_FINE; i++)
    {
      Lab here = curve_at (curve, (double) i / N_FINE);

      along[i] = along[i - 1] + sqrt ((here.l - before.l) * (here.l - before.l) +
                                      (here.a - before.a) * (here.a - before.a) +
                                      (here.b - before.b) * (here.b - before.b));
      before = here;
    }
  for (int row = 0; row < n_rows; row++)
    {
      double wanted = along[N_FINE] * row / (n_rows - 1);
      double linear[3];

      while (k < N_FINE - 1 && along[k + 1] < wanted)
        k++;
      double t = (k + (wanted - along[k]) / (along[k + 1] - along[k])) / N_FINE;
      Lab lab = curve_at (curve, CLAMP (t, 0.0, 1.0));
      lab_to_linear (&lab, linear);
      for (int i = 0; i < 3; i++)
        rgb[row * step][i] = encode (linear[i]);
    }
}

static gpointer
fill_all (gpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (published); i++)
    for (int k = 0; k < N_ROWS * 3; k++)
      {
        const char *digits = published[i] + k * 2;

        rows[i][k / 3][k % 3] =
            (guint8) (g_ascii_xdigit_value (digits[0]) * 16 + g_ascii_xdigit_value (digits[1]));
      }
  fill_rows (&grey, rows[G_N_ELEMENTS (published)], N_ROWS, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    {
      fill_rows (&sides[i][0], diverging_rows[i], N_ROWS / 2, 1);
      fill_rows (&sides[i][1], diverging_rows[i] + N_ROWS - 1, N_ROWS / 2, -1);
    }
  return rows;
}

static void
ensure_filled (void)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, fill_all, NULL);
}

/* All colour maps of one direction; the first is the default. The bright end is the better end of a
 * metric, see cured_grid_get_position().
 * Returns: (transfer none) (array length=n_maps): static rows */
const CuredColourMap *
cured_colour_map_list (gsize *n_maps)
{
  ensure_filled ();
  *n_maps = G_N_ELEMENTS (maps);
  return maps;
}

/* The colour maps with a middle, for ratios: lightness rises from either end to the middle. The
 * first is the default; the end of position 1 is the better one, see cured_grid_get_position().
 * Returns: (transfer none) (array length=n_maps): static rows. */
const CuredColourMap *
cured_colour_map_diverging (gsize *n_maps)
{
  ensure_filled ();
  *n_maps = G_N_ELEMENTS (diverging_maps);
  return diverging_maps;
}

/* Whether the map is one of cured_colour_map_diverging(). */
gboolean
cured_colour_map_is_diverging (const CuredColourMap *self)
{
  return self >= diverging_maps && self < diverging_maps + G_N_ELEMENTS (diverging_maps);
}

/* @id: (nullable): a map's id; %NULL is the default
 * Returns: (transfer none) (nullable): the map, of either kind, or %NULL for an unknown id */
const CuredColourMap *
cured_colour_map_find (const char *id)
{
  gsize n;
  const CuredColourMap *list = cured_colour_map_list (&n);

  if (id == NULL)
    return &list[0];
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (list[i].id, id))
      return &list[i];
  for (gsize i = 0; i < G_N_ELEMENTS (diverging_maps); i++)
    if (g_str_equal (diverging_maps[i].id, id))
      return &diverging_maps[i];
  return NULL;
}

static const guint8 *
get_row (const CuredColourMap *self, double position)
{
  /* A NaN is a caller's mistake; it gets the dark end instead of an index out of range. */
  double p = position >= 0.0 ? MIN (position, 1.0) : 0.0;

  return self->rgb[(int) (p * (N_ROWS - 1) + 0.5)];
}

/* @position: 0 (worst) … 1 (best); clamped. Worst is dark, in a diverging map 0.5 is brightest
 * Returns: its colour */
CuredColour
cured_colour_map_get (const CuredColourMap *self, double position)
{
  const guint8 *row = get_row (self, position);

  return (CuredColour){ row[0] / 255.0, row[1] / 255.0, row[2] / 255.0 };
}

/* @position: 0 (worst) … 1 (best); clamped. Worst is dark, in a diverging map 0.5 is brightest
 * Returns: its opaque colour as a pixel of `CAIRO_FORMAT_ARGB32` */
guint32
cured_colour_map_get_pixel (const CuredColourMap *self, double position)
{
  const guint8 *row = get_row (self, position);

  return 0xff000000u | (guint32) row[0] << 16 | (guint32) row[1] << 8 | row[2];
}
