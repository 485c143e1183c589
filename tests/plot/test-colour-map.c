/* SPDX-License-Identifier: MIT
 * Colour maps: lightness rises, steps are even, for colour-blind readers
 * too. */
#include "cured-plot.h"

#include <math.h>
#include "plot/cured-colour-map-internal.h"
#include "test.h"

/* Full dichromacy, on linear sRGB: Machado, Oliveira and Fernandes, 2009. */
static const double identity[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const double deuteranopia[3][3] = { { 0.367322, 0.860646, -0.227968 },
                                           { 0.280085, 0.672501, 0.047413 },
                                           { -0.011820, 0.042940, 0.968881 } };
static const double protanopia[3][3] = { { 0.152286, 1.052583, -0.204868 },
                                         { 0.114503, 0.786281, 0.099216 },
                                         { -0.003882, -0.048116, 1.051998 } };

typedef struct
{
  double l, a, b;
} Lab;

static double
lab_f (double t)
{
  return t > 216.0 / 24389.0 ? cbrt (t) : (24389.0 / 27.0 * t + 16) / 116;
}

static Lab
see (const guint8 *rgb, const double (*vision)[3])
{
  double linear[3], seen[3], x, y, z;

  for (int i = 0; i < 3; i++)
    {
      double c = rgb[i] / 255.0;

      linear[i] = c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
    }
  for (int i = 0; i < 3; i++)
    {
      seen[i] = 0;
      for (int k = 0; k < 3; k++)
        seen[i] += vision[i][k] * linear[k];
      seen[i] = CLAMP (seen[i], 0, 1);
    }
  x = (0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047;
  y = 0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2];
  z = (0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883;
  return (Lab){ 116 * lab_f (y) - 16, 500 * (lab_f (x) - lab_f (y)),
                200 * (lab_f (y) - lab_f (z)) };
}

static double
distance (const Lab *p, const Lab *q)
{
  return sqrt ((p->l - q->l) * (p->l - q->l) + (p->a - q->a) * (p->a - q->a) +
               (p->b - q->b) * (p->b - q->b));
}

/* Samples of a map: single rows are near the rounding of 8-bit components. */
#define N_LEVELS 16

static void
check_vision (const CuredColourMap *map, const double (*vision)[3], const char *name,
              double most_uneven)
{
  double least = INFINITY;
  double most = 0;
  Lab seen[N_LEVELS];

  for (int i = 0; i < N_LEVELS; i++)
    seen[i] = see (map->rgb[i * 255 / (N_LEVELS - 1)], vision);
  for (int i = 1; i < N_LEVELS; i++)
    {
      double step = distance (&seen[i - 1], &seen[i]);

      g_assert_cmpfloat (seen[i].l, >, seen[i - 1].l);
      least = MIN (least, step);
      most = MAX (most, step);
    }
  /* No colour looks like one that was there before. */
  for (int i = 0; i < N_LEVELS; i++)
    for (int k = i + 1; k < N_LEVELS; k++)
      g_assert_cmpfloat (distance (&seen[i], &seen[k]), >=, least);
  g_test_message ("%s, %s: step %.2f … %.2f, ratio %.2f, ends %.0f apart", map->id, name, least,
                  most, most / least, distance (&seen[0], &seen[N_LEVELS - 1]));
  /* Everybody can distinguish sixteen levels: 2.3 is a just noticeable difference. */
  g_assert_cmpfloat (least, >, 2.3);
  g_assert_cmpfloat (most / least, <, most_uneven);
  g_assert_cmpfloat (distance (&seen[0], &seen[N_LEVELS - 1]), >, 70);
}

TEST ("/colour-map/vision")
{
  gsize n;
  const CuredColourMap *maps = cured_colour_map_list (&n);

  for (gsize i = 0; i < n; i++)
    {
      /* The published ones are even in CAM02-UCS, and in CIELAB less so. */
      double most = g_str_equal (maps[i].id, "grey") ? 1.25 : 3;

      check_vision (&maps[i], identity, "normal vision", most);
      check_vision (&maps[i], deuteranopia, "deuteranopia", most * 1.6);
      check_vision (&maps[i], protanopia, "protanopia", most * 1.6);
    }
}

TEST ("/colour-map/lightness")
{
  gsize n;
  const CuredColourMap *maps = cured_colour_map_list (&n);

  for (gsize i = 0; i < n; i++)
    for (int row = 1; row < 256; row++)
      {
        Lab before = see (maps[i].rgb[row - 1], identity);
        Lab here = see (maps[i].rgb[row], identity);

        /* Rounding to 8 bits can flatten a step, not turn it round. */
        g_assert_cmpfloat (here.l, >, before.l - 0.1);
        if (row >= 4)
          {
            before = see (maps[i].rgb[row - 4], identity);
            g_assert_cmpfloat (here.l, >, before.l);
          }
      }
}

/* Of a diverging map: lightness rises from either end to the middle; colours at one distance from
 * the middle are told apart by their hue, by everybody, and the farther out the better. */
static void
check_sides (const CuredColourMap *map, const double (*vision)[3], const char *name,
             double most_uneven)
{
  enum
  {
    N_SIDE = 8
  };
  Lab seen[2][N_SIDE];
  double least = INFINITY;
  double most = 0, apart = 0;

  for (int i = 0; i < N_SIDE; i++)
    {
      seen[0][i] = see (map->rgb[i * 127 / (N_SIDE - 1)], vision);
      seen[1][i] = see (map->rgb[255 - i * 127 / (N_SIDE - 1)], vision);
    }
  for (int side = 0; side < 2; side++)
    for (int i = 1; i < N_SIDE; i++)
      {
        double step = distance (&seen[side][i - 1], &seen[side][i]);

        g_assert_cmpfloat (seen[side][i].l, >, seen[side][i - 1].l);
        least = MIN (least, step);
        most = MAX (most, step);
      }
  for (int i = 0; i < N_SIDE - 1; i++)
    for (int k = 0; k < N_SIDE - 1; k++)
      g_assert_cmpfloat (distance (&seen[0][i], &seen[1][k]), >, least);
  for (int i = N_SIDE - 1; i >= 0; i--)
    {
      double here = distance (&seen[0][i], &seen[1][i]);

      if (i > 2)
        g_assert_cmpfloat (here, >=, apart);
      apart = here;
    }
  g_test_message ("%s, %s: step %.2f … %.2f, ratio %.2f, ends %.0f apart", map->id, name, least,
                  most, most / least, apart);
  g_assert_cmpfloat (least, >, 2.3);
  g_assert_cmpfloat (most / least, <, most_uneven);
  g_assert_cmpfloat (apart, >, 40);
}

TEST ("/colour-map/diverging")
{
  gsize n;
  const CuredColourMap *maps = cured_colour_map_diverging (&n);

  g_assert_cmpuint (n, >=, 1);
  for (gsize i = 0; i < n; i++)
    {
      Lab one = see (maps[i].rgb[0], identity);
      Lab other = see (maps[i].rgb[255], identity);
      Lab middle = see (maps[i].rgb[127], identity);

      g_assert_true (cured_colour_map_is_diverging (&maps[i]));
      g_assert_true (cured_colour_map_find (maps[i].id) == &maps[i]);
      check_sides (&maps[i], identity, "normal vision", 1.35);
      check_sides (&maps[i], deuteranopia, "deuteranopia", 2.4);
      check_sides (&maps[i], protanopia, "protanopia", 2.4);
      /* Neither side is stronger, and the middle is not a colour. */
      g_assert_cmpfloat (fabs (one.l - other.l), <, 3);
      g_assert_cmpfloat (hypot (middle.a, middle.b), <, 2);
      g_assert_cmpmem (maps[i].rgb[127], 3, maps[i].rgb[128], 3);
      for (int row = 4; row < 128; row++)
        {
          Lab before = see (maps[i].rgb[row - 4], identity);
          Lab here = see (maps[i].rgb[row], identity);

          g_assert_cmpfloat (here.l, >, before.l);
          before = see (maps[i].rgb[255 - row + 4], identity);
          here = see (maps[i].rgb[255 - row], identity);
          g_assert_cmpfloat (here.l, >, before.l);
        }
    }
  g_assert_false (cured_colour_map_is_diverging (cured_colour_map_find (NULL)));
}

/* Rows that the authors, R and matplotlib print, and a sum over all of them. */
TEST ("/colour-map/published")
{
  static const struct
  {
    const char *id;
    guint32 colours[6];
    guint64 sum;
  } rows[] = {
    { "viridis", { 0x440154, 0x414487, 0x2a788e, 0x22a884, 0x7ad151, 0xfde725 }, 0x350f7c23ef },
    { "cividis", { 0x00224e, 0x35456c, 0x666970, 0x948e77, 0xc8b866, 0xfee838 }, 0x548b7f362f },
    { "magma", { 0x000004, 0x3b0f70, 0x8c2981, 0xde4968, 0xfe9f6d, 0xfcfdbf }, 0x69b6455083 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const CuredColourMap *map = cured_colour_map_find (rows[i].id);
      guint64 sum = 0;

      for (guint k = 0; k < 6; k++)
        g_assert_cmphex (cured_colour_map_get_pixel (map, k / 5.0), ==,
                         0xff000000 | rows[i].colours[k]);
      for (guint k = 0; k < 256; k++)
        sum += (guint64) (k + 1) *
               ((guint32) map->rgb[k][0] << 16 | (guint32) map->rgb[k][1] << 8 | map->rgb[k][2]);
      g_assert_cmphex (sum, ==, rows[i].sum);
    }
}

TEST ("/colour-map/lookup")
{
  gsize n;
  const CuredColourMap *maps = cured_colour_map_list (&n);
  const CuredColourMap *map = &maps[0];
  CuredColour dark = cured_colour_map_get (map, 0);
  CuredColour bright = cured_colour_map_get (map, 1);

  g_assert_cmpuint (n, >=, 3);
  g_assert_true (cured_colour_map_find (NULL) == map);
  for (gsize i = 0; i < n; i++)
    g_assert_true (cured_colour_map_find (maps[i].id) == &maps[i]);
  g_assert_null (cured_colour_map_find ("rainbow"));

  g_assert_cmpfloat (dark.green, <, bright.green);
  g_assert_cmphex (cured_colour_map_get_pixel (map, -5), ==, cured_colour_map_get_pixel (map, 0));
  g_assert_cmphex (cured_colour_map_get_pixel (map, 5), ==, cured_colour_map_get_pixel (map, 1));
  g_assert_cmphex (cured_colour_map_get_pixel (map, NAN), ==, cured_colour_map_get_pixel (map, 0));
  g_assert_cmphex (cured_colour_map_get_pixel (map, 1), ==,
                   0xff000000u | (guint32) map->rgb[255][0] << 16 |
                       (guint32) map->rgb[255][1] << 8 | (guint32) map->rgb[255][2]);
}

/* Any two names of the metric `limiter`, by everybody, on either ground. */
TEST ("/colour-map/limits")
{
  static const struct
  {
    const char *name;
    const double (*vision)[3];
  } visions[] = {
    { "normal vision", identity },
    { "deuteranopia", deuteranopia },
    { "protanopia", protanopia },
  };
  Lab seen[CURED_FACTOR_CONTRADICTED + 1];

  for (gsize v = 0; v < G_N_ELEMENTS (visions); v++)
    {
      double least = INFINITY;

      for (int i = 0; i <= CURED_FACTOR_CONTRADICTED; i++)
        {
          CuredColour colour = cured_factor_get_colour (i);
          guint8 rgb[3] = { (guint8) lround (colour.red * 255),
                            (guint8) lround (colour.green * 255),
                            (guint8) lround (colour.blue * 255) };

          if (cured_factor_to_string (i) == NULL)
            continue;
          seen[i] = see (rgb, visions[v].vision);
          for (int k = 0; k < i; k++)
            if (cured_factor_to_string (k) != NULL)
              least = MIN (least, distance (&seen[i], &seen[k]));
        }
      g_test_message ("%s: %.1f", visions[v].name, least);
      g_assert_cmpfloat (least, >, 15);
    }
}
