/* SPDX-License-Identifier: MIT
 * Colour maps that are even in lightness and safe for colour-blind readers. */
#include "config.h"

#include "plot/cured-colour-map.h"

#include <glib/gi18n-lib.h>

#include <math.h>
#include <string.h>

#define N_ROWS 256
/* Points of the curve that are measured to space the rows evenly. */
#define N_FINE   1024
#define N_POINTS 6

/* Implementation notes
 *
 * A map is a curve in CIELAB: lightness rises linearly, and a* and b* follow
 * a Catmull-Rom spline through a few points. Where a colour is outside sRGB,
 * its chroma is reduced and its lightness kept. Rows then lie at equal
 * distances along the curve, so that equal differences of position look
 * equal. Since lightness carries most of the distance, the order of colours
 * survives deuteranopia, protanopia and a black and white printer; the tests
 * put numbers to that.
 *
 * A diverging map, for ratios only, is two such curves that meet in a bright
 * grey: the side is told by hue, which is orange or purple against blue or
 * green, and how far it is from the middle by lightness. */
typedef struct
{
  double low_lightness;
  double high_lightness;
  double ab[N_POINTS][2];
} Curve;

/* ORDER: of maps[]. */
static const Curve curves[] = {
  /* Violet, blue, teal, green, yellow. */
  { 16,
    90,
    { { 36, -36 },
      { 12, -42 },
      { -12, -24 },
      { -34, 8 },
      { -36, 48 },
      { -12, 80 } } },
  /* Navy, slate, khaki, yellow: no red and no green at all. */
  { 16,
    90,
    { { 6, -26 }, { 2, -18 }, { 0, -4 }, { -1, 14 }, { -1, 34 }, { -3, 54 } } },
  /* Ink, purple, coral, cream. */
  { 8,
    94,
    { { 12, -14 },
      { 38, -26 },
      { 56, 0 },
      { 46, 28 },
      { 18, 36 },
      { -2, 24 } } },
  { 12, 97, { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } } },
};

#define MIDDLE_LIGHTNESS 95

/* ORDER: of diverging_maps[]; both sides begin at their end, and the first
 * side is that of the worse values. */
static const Curve sides[][2] = {
  { { 34,
      MIDDLE_LIGHTNESS,
      { { 34, 44 },
        { 38, 52 },
        { 33, 50 },
        { 22, 37 },
        { 10, 18 },
        { 0, 0 } } },
    { 34,
      MIDDLE_LIGHTNESS,
      { { 12, -54 },
        { 4, -48 },
        { -4, -38 },
        { -6, -26 },
        { -4, -13 },
        { 0, 0 } } } },
  { { 34,
      MIDDLE_LIGHTNESS,
      { { 42, -50 },
        { 40, -46 },
        { 33, -37 },
        { 23, -26 },
        { 12, -14 },
        { 0, 0 } } },
    { 34,
      MIDDLE_LIGHTNESS,
      { { -34, 34 },
        { -38, 42 },
        { -36, 44 },
        { -26, 34 },
        { -13, 17 },
        { 0, 0 } } } },
};

static guint8 rows[G_N_ELEMENTS (curves)][N_ROWS][3];
static guint8 diverging_rows[G_N_ELEMENTS (sides)][N_ROWS][3];

/* ORDER: the first one is the default. */
static const CuredColourMap maps[] = {
  { "viridis", N_ ("Viridis"), (const guint8 (*)[3]) rows[0] },
  { "cividis", N_ ("Cividis"), (const guint8 (*)[3]) rows[1] },
  { "magma", N_ ("Magma"), (const guint8 (*)[3]) rows[2] },
  { "grey", N_ ("Grey"), (const guint8 (*)[3]) rows[3] },
};

G_STATIC_ASSERT (G_N_ELEMENTS (maps) == G_N_ELEMENTS (curves));

/* ORDER: the first one is the default. */
static const CuredColourMap diverging_maps[] = {
  { "orange-blue",
    N_ ("Orange to blue"),
    (const guint8 (*)[3]) diverging_rows[0] },
  { "purple-green",
    N_ ("Purple to green"),
    (const guint8 (*)[3]) diverging_rows[1] },
};

G_STATIC_ASSERT (G_N_ELEMENTS (diverging_maps) == G_N_ELEMENTS (sides));

typedef struct
{
  double l;
  double a;
  double b;
} Lab;

static double
lab_inverse (double f)
{
  /* CIE 15: the cube root is linear near black. */
  return f > 6.0 / 29.0 ? f * f * f
                        : 3.0 * (6.0 / 29.0) * (6.0 / 29.0) * (f - 4.0 / 29.0);
}

/* To linear sRGB; components outside 0 … 1 are colours that it lacks. */
static void
lab_to_linear (const Lab *lab, double rgb[3])
{
  /* D65 white. */
  double fy = (lab->l + 16.0) / 116.0;
  double x = 0.95047 * lab_inverse (fy + lab->a / 500.0);
  double y = lab_inverse (fy);
  double z = 1.08883 * lab_inverse (fy - lab->b / 200.0);

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
  double u = x - i;
  double p1 = points[i][component];
  double p2 = points[i + 1][component];
  double p0 = i > 0 ? points[i - 1][component] : 2 * p1 - p2;
  double p3 = i + 2 < N_POINTS ? points[i + 2][component] : 2 * p2 - p1;

  return 0.5 *
         (2 * p1 + (p2 - p0) * u + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u * u +
          (3 * p1 - p0 - 3 * p2 + p3) * u * u * u);
}

/* The curve's displayable colour at @t in 0 … 1. */
static Lab
curve_at (const Curve *curve, double t)
{
  double a = spline (curve->ab, 0, t);
  double b = spline (curve->ab, 1, t);
  double l =
      curve->low_lightness + t * (curve->high_lightness - curve->low_lightness);
  Lab lab = { l, a, b };
  double rgb[3];
  double inside = 0.0;
  double outside = 1.0;

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

      along[i] =
          along[i - 1] + sqrt ((here.l - before.l) * (here.l - before.l) +
                               (here.a - before.a) * (here.a - before.a) +
                               (here.b - before.b) * (here.b - before.b));
      before = here;
    }
  for (int row = 0; row < n_rows; row++)
    {
      double wanted = along[N_FINE] * row / (n_rows - 1);
      double linear[3];
      double t;
      Lab lab;

      while (k < N_FINE - 1 && along[k + 1] < wanted)
        k++;
      t = (k + (wanted - along[k]) / (along[k + 1] - along[k])) / N_FINE;
      lab = curve_at (curve, CLAMP (t, 0.0, 1.0));
      lab_to_linear (&lab, linear);
      for (int i = 0; i < 3; i++)
        rgb[row * step][i] = encode (linear[i]);
    }
}

static gpointer
fill_all (gpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (curves); i++)
    fill_rows (&curves[i], rows[i], N_ROWS, 1);
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

/**
 * cured_colour_map_list:
 * @n_maps: (out): their number
 *
 * All colour maps of one direction; the first is the default. The bright end stands for the
 * better end of a metric, see cured_grid_get_position().
 *
 * Returns: (transfer none) (array length=n_maps): static rows
 */
const CuredColourMap *
cured_colour_map_list (gsize *n_maps)
{
  ensure_filled ();
  *n_maps = G_N_ELEMENTS (maps);
  return maps;
}

/**
 * cured_colour_map_diverging:
 * @n_maps: (out): their number
 *
 * The colour maps with a middle, for ratios: their lightness rises from either
 * end to it. The first is the default; the end of position 1 stands for the
 * better one, see cured_grid_get_position().
 *
 * Returns: (transfer none) (array length=n_maps): static rows
 */
const CuredColourMap *
cured_colour_map_diverging (gsize *n_maps)
{
  ensure_filled ();
  *n_maps = G_N_ELEMENTS (diverging_maps);
  return diverging_maps;
}

/**
 * cured_colour_map_is_diverging:
 * @self: a map
 *
 * Returns: whether it is one of cured_colour_map_diverging()
 */
gboolean
cured_colour_map_is_diverging (const CuredColourMap *self)
{
  return self >= diverging_maps &&
         self < diverging_maps + G_N_ELEMENTS (diverging_maps);
}

/**
 * cured_colour_map_find:
 * @id: (nullable): a map's id; %NULL is the default
 *
 * Returns: (transfer none) (nullable): the map, of either kind, or %NULL for an
 *   unknown id
 */
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
  /* A NaN is a caller's mistake; it gets the dark end rather than a wild
   * index. */
  double p = position >= 0.0 ? MIN (position, 1.0) : 0.0;

  return self->rgb[(int) (p * (N_ROWS - 1) + 0.5)];
}

/**
 * cured_colour_map_get:
 * @self: a map
 * @position: 0 (worst) … 1 (best); clamped. Worst is dark, in a diverging map
 *   0.5 is brightest
 *
 * Returns: the colour there
 */
CuredColour
cured_colour_map_get (const CuredColourMap *self, double position)
{
  const guint8 *row = get_row (self, position);

  return (CuredColour){ row[0] / 255.0, row[1] / 255.0, row[2] / 255.0 };
}

/**
 * cured_colour_map_get_pixel:
 * @self: a map
 * @position: 0 (worst) … 1 (best); clamped. Worst is dark, in a diverging map
 *   0.5 is brightest
 *
 * Returns: the opaque colour there as a pixel of `CAIRO_FORMAT_ARGB32`
 */
guint32
cured_colour_map_get_pixel (const CuredColourMap *self, double position)
{
  const guint8 *row = get_row (self, position);

  return 0xff000000u | (guint32) row[0] << 16 | (guint32) row[1] << 8 | row[2];
}
