/* SPDX-License-Identifier: MIT
 * Pictures of accesses to the banks: that they show what the bank model says, where everything is,
 * and what is drawn. */
#include "cured-plot.h"
#include "inspect/cured-inspection-internal.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include "plot/bank/cured-bank-plot-internal.h"

#define ALL      G_MAXUINT32
#define N_RANDOM 4000

static const CuredBankPlotMode modes[] = { CURED_BANK_PLOT_BANKS, CURED_BANK_PLOT_ADDRESSES };

static CuredBankAccess
make_stride (CuredBankKind kind, guint width, guint32 mask, guint bytes)
{
  CuredBankAccess access = { .kind = kind, .width = width, .mask = mask };

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    access.addresses[n] = n * bytes;
  return access;
}

static void
for_each_pattern (const char *file, void (*check) (const CuredBankAccess *))
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), file, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) patterns = NULL;
  gsize length = 0;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  patterns = cured_bank_patterns_parse (text, length, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (patterns->len, >=, 896);
  for (guint i = 0; i < patterns->len; i++)
    check (&g_array_index (patterns, CuredBankPattern, i).access);
}

/* Every kind, width and chip of which there is a rule; addresses that are near each other, the
 * same, far apart or in step. */
static void
for_each_random (void (*check) (const CuredBankAccess *))
{
  static const guint widths[] = { 8, 16, 32, 64, 128 };
  static const guint32 ranges[] = { 1, 64, 1024, 49152, 1 << 24 };
  guint n_checked = 0;

  for (guint i = 0; i < N_RANDOM; i++)
    {
      CuredBankAccess access = {
        .arch = (CuredBankArch) g_test_rand_int_range (CURED_BANK_ARCH_5, CURED_BANK_ARCH_1 + 1),
        .kind =
            (CuredBankKind) g_test_rand_int_range (CURED_BANK_KIND_LOAD, CURED_BANK_KIND_SWAP + 1),
        .width = widths[g_test_rand_int_range (0, G_N_ELEMENTS (widths))],
        .mask = i % 3 == 0 ? (guint32) g_test_rand_int () : ALL,
      };
      guint32 range = ranges[g_test_rand_int_range (0, G_N_ELEMENTS (ranges))];
      guint32 stride = (guint32) g_test_rand_int_range (0, 300);
      CuredBankCounts counts;

      if (i % 2 == 0)
        access.arch = CURED_BANK_ARCH_5;
      for (guint n = 0; n < CURED_BANK_LANES; n++)
        access.addresses[n] =
            i % 5 == 0 ? n * stride : (guint32) g_test_rand_int_range (0, (gint32) range);
      if (!cured_bank_model_count (&access, &counts))
        continue;
      check (&access);
      n_checked++;
    }
  g_assert_cmpuint (n_checked, >, N_RANDOM / 5);
}

/* ---- Chips ---- */

static void
check_banks (const CuredBankAccess *access)
{
  g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (access);
  CuredBankPicture picture;
  gsize n_chips = 0;
  const CuredBankChip *chips = cured_bank_plot_get_chips (plot, CURED_BANK_PLOT_BANKS, &n_chips);
  gsize n_lanes = 0;
  guint n_waits = 0;

  g_assert_true (cured_bank_model_explain (access, &picture));
  g_assert_true (cured_bank_plot_is_known (plot));
  g_assert_cmpuint (cured_bank_plot_get_n_banks (plot), ==, picture.n_banks);
  g_assert_cmpuint (cured_bank_plot_get_n_wavefronts (plot), ==, picture.counts.wavefronts);
  for (gsize i = 0; i < n_chips; i++)
    {
      g_assert_cmpuint (chips[i].n_lanes, >, 0);
      g_assert_cmpint (chips[i].is_broadcast, ==, chips[i].n_lanes > 1);
      g_assert_cmpuint (chips[i].wavefront + chips[i].n_wavefronts, <=, picture.counts.wavefronts);
      n_lanes += chips[i].n_lanes;
    }
  /* As many words as the model serves, and each of them: once. */
  g_assert_cmpuint (n_lanes, ==, picture.n_served);
  for (gsize i = 0; i < picture.n_served; i++)
    {
      const CuredBankServed *served = &picture.served[i];
      guint n_found = 0;

      for (gsize j = 0; j < n_chips; j++)
        if (chips[j].word == served->word && chips[j].wavefront == served->wavefront)
          {
            g_assert_cmpuint (chips[j].bank, ==, served->bank);
            g_assert_cmpuint (chips[j].lanes >> served->lane & 1, ==, 1);
            n_found++;
          }
      g_assert_cmpuint (n_found, ==, 1);
    }
  /* Wavefronts with something that had to wait are what conflicts cost. */
  for (guint w = 0; w < picture.counts.wavefronts; w++)
    for (gsize i = 0; i < n_chips; i++)
      if (chips[i].wavefront == w && chips[i].is_conflict)
        {
          g_assert_true (cured_bank_plot_is_bank_in_conflict (plot, chips[i].bank));
          g_assert_cmpuint (cured_bank_plot_get_bank_turns (plot, chips[i].bank), >, 1);
          n_waits++;
          break;
        }
  g_assert_cmpuint (n_waits, ==, picture.counts.conflicts);
}

static void
check_addresses (const CuredBankAccess *access)
{
  g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (access);
  CuredBankPicture picture;
  gsize n_chips = 0;
  const CuredBankChip *chips =
      cured_bank_plot_get_chips (plot, CURED_BANK_PLOT_ADDRESSES, &n_chips);
  guint32 seen = 0;

  g_assert_true (cured_bank_model_explain (access, &picture));
  for (gsize i = 0; i < n_chips; i++)
    {
      guint n_wavefronts = 0;

      /* A lane has one place, and no two places have a word in common. */
      g_assert_cmphex (seen & chips[i].lanes, ==, 0);
      seen |= chips[i].lanes;
      g_assert_cmpuint (chips[i].n_words, ==, MAX (access->width / 32, 1));
      if (i > 0)
        g_assert_cmpuint (chips[i].word, >=, (guint64) chips[i - 1].word + chips[i - 1].n_words);
      for (guint w = 0; w < picture.counts.wavefronts; w++)
        {
          gboolean is_served = FALSE;

          for (gsize j = 0; j < picture.n_served; j++)
            {
              const CuredBankServed *served = &picture.served[j];
              guint turn = access->kind == CURED_BANK_KIND_SWAP ? 2 : 1;

              is_served |=
                  served->wavefront == w - w % turn && (chips[i].lanes >> served->lane & 1) != 0;
            }
          g_assert_cmpint (cured_bank_plot_is_served (plot, CURED_BANK_PLOT_ADDRESSES, i, w), ==,
                           is_served);
          n_wavefronts += is_served;
        }
      g_assert_cmpuint (n_wavefronts, ==, chips[i].n_wavefronts);
      g_assert_cmpuint (n_wavefronts, >, 0);
    }
  for (gsize i = 0; i < picture.n_served; i++)
    {
      gssize chip =
          cured_bank_plot_find_lane (plot, CURED_BANK_PLOT_ADDRESSES, picture.served[i].lane);

      g_assert_cmpint (chip, >=, 0);
      g_assert_cmpuint (picture.served[i].word, >=, chips[chip].word);
      g_assert_cmpuint (picture.served[i].word - chips[chip].word, <, chips[chip].n_words);
      g_assert_true (cured_bank_plot_is_served (plot, CURED_BANK_PLOT_ADDRESSES, (gsize) chip,
                                                picture.served[i].wavefront));
    }
}

static void
test_chips (void)
{
  for_each_pattern ("wavefronts-h200.tsv", check_banks);
  for_each_pattern ("wavefronts-extra-h200.tsv", check_banks);
  for_each_random (check_banks);
}

static void
test_addresses (void)
{
  for_each_pattern ("wavefronts-h200.tsv", check_addresses);
  for_each_pattern ("wavefronts-extra-h200.tsv", check_addresses);
  for_each_random (check_addresses);
}

/* What the model has no rule for, and a warp without a lane. */
static void
test_nothing (void)
{
  CuredBankAccess accesses[] = {
    make_stride (CURED_BANK_KIND_ATOMIC, 8, ALL, 4),
    make_stride (CURED_BANK_KIND_LOAD, 32, 0, 4),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (accesses); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (modes); j++)
      {
        g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (&accesses[i]);
        cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 400, 200);
        cairo_t *cr = cairo_create (surface);
        CuredBankPlotGeometry geometry;
        CuredPlotStyle style;
        gsize n_chips = 1;
        gsize chip = 0;

        cured_plot_style_init (&style, FALSE);
        g_assert_cmpint (cured_bank_plot_is_known (plot), ==, i == 1);
        cured_bank_plot_get_chips (plot, modes[j], &n_chips);
        g_assert_cmpuint (n_chips, ==, 0);
        g_assert_cmpint (cured_bank_plot_move (plot, modes[j], -1, 1, 0), ==, -1);
        g_assert_cmpint (cured_bank_plot_find_lane (plot, modes[j], 0), ==, -1);
        cured_bank_plot_geometry_init (&geometry, plot, modes[j], &style, 400, 200);
        g_assert_false (cured_bank_plot_geometry_pick (&geometry, plot, 200, 100, &chip));
        cured_bank_plot_draw (cr, plot, &geometry, &style, 0, 0);
        g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
        cairo_destroy (cr);
        cairo_surface_destroy (surface);
      }
}

/* ---- Geometry ---- */

static void
check_geometry (const CuredBankAccess *access)
{
  static const struct
  {
    double width;
    double height;
  } sizes[] = { { 0, 0 }, { 40, 20 }, { 300, 120 }, { 640, 90 }, { 900, 2000 }, { 2560, 700 } };
  g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (access);
  CuredPlotStyle style;

  cured_plot_style_init (&style, FALSE);
  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        CuredBankPlotGeometry geometry;
        gsize n_chips = 0;

        cured_bank_plot_geometry_init (&geometry, plot, modes[m], &style, sizes[i].width,
                                       sizes[i].height);
        cured_bank_plot_get_chips (plot, modes[m], &n_chips);
        g_assert_cmpfloat (geometry.plot.width, >=, 0);
        g_assert_cmpfloat (geometry.plot.height, >=, 0);
        g_assert_cmpfloat (geometry.plot.x + geometry.plot.width, <=, sizes[i].width + 0.01);
        g_assert_cmpfloat (geometry.plot.y + geometry.plot.height, <=, sizes[i].height + 0.01);
        for (gsize chip = 0; chip < n_chips; chip++)
          {
            CuredRect rect;
            gsize picked = G_MAXSIZE;

            cured_bank_plot_geometry_reveal (&geometry, plot, chip);
            g_assert_cmpfloat (geometry.scroll, >=, 0);
            g_assert_cmpfloat (geometry.scroll, <=,
                               MAX (geometry.content_height - geometry.plot.height, 0));
            cured_bank_plot_geometry_get_chip (&geometry, plot, chip, &rect);
            g_assert_cmpfloat (rect.width, >=, 0);
            g_assert_cmpfloat (rect.height, >=, 0);
            if (i < 2)
              continue;
            g_assert_true (cured_bank_plot_geometry_pick (&geometry, plot, rect.x + rect.width / 2,
                                                          rect.y + rect.height / 2, &picked));
            g_assert_cmpuint (picked, ==, chip);
          }
      }
}

static guint n_geometries;

static void
check_some_geometry (const CuredBankAccess *access)
{
  if (n_geometries++ % 16 == 0)
    check_geometry (access);
}

static void
test_geometry (void)
{
  for_each_pattern ("wavefronts-h200.tsv", check_some_geometry);
  for_each_random (check_some_geometry);
}

/* The height that is asked for shows everything, and a cell's numbers. */
static void
test_measure (void)
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 128);
  g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (&access);
  CuredPlotStyle style;

  cured_plot_style_init (&style, FALSE);
  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    for (double width = -1; width < 1500; width += 300)
      {
        CuredBankPlotGeometry geometry;
        double least_width = 0;
        double natural_width = 0;
        double height = 0;

        cured_bank_plot_measure (plot, modes[m], &style, width, &least_width, &natural_width,
                                 &height);
        g_assert_cmpfloat (least_width, <, 350);
        g_assert_cmpfloat (natural_width, >, 32 * 20);
        g_assert_cmpfloat (natural_width, <, 1100);
        cured_bank_plot_geometry_init (&geometry, plot, modes[m], &style,
                                       width < 0 ? natural_width : MAX (width, least_width),
                                       height);
        g_assert_true (geometry.has_labels);
        g_assert_cmpfloat (geometry.cell_width, >, 5.9);
        g_assert_cmpfloat (geometry.content_height, <=, geometry.plot.height + 0.01);
        if (width < 0)
          g_assert_cmpfloat (geometry.cell_width, >=, 14);
      }
}

/* ---- Keyboard ---- */

static void
check_movement (const CuredBankAccess *access)
{
  g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (access);

  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      gsize n_chips = 0;
      const CuredBankChip *chips = cured_bank_plot_get_chips (plot, modes[m], &n_chips);
      gssize at = -1;

      for (gssize i = 0; i < (gssize) n_chips; i++)
        {
          at = cured_bank_plot_move (plot, modes[m], at, 1, 0);
          g_assert_cmpint (at, ==, i);
        }
      g_assert_cmpint (cured_bank_plot_move (plot, modes[m], at, 1, 0), ==, at);
      if (n_chips > 1)
        g_assert_cmpint (cured_bank_plot_move (plot, modes[m], at, -1, 0), ==, at - 1);
      /* Up to the first row and down to the last, a row with chips each time. */
      for (guint i = 0; i < 300; i++)
        {
          gssize up = cured_bank_plot_move (plot, modes[m], at, 0, -1);

          g_assert_cmpint (up, <=, at);
          at = up;
        }
      if (n_chips > 0)
        {
          guint32 last = modes[m] == CURED_BANK_PLOT_BANKS
                             ? chips[0].wavefront
                             : chips[0].word / cured_bank_plot_get_n_banks (plot);
          guint32 here = modes[m] == CURED_BANK_PLOT_BANKS
                             ? chips[at].wavefront
                             : chips[at].word / cured_bank_plot_get_n_banks (plot);

          g_assert_cmpuint (here, ==, last);
        }
      for (guint i = 0; i < 300; i++)
        at = cured_bank_plot_move (plot, modes[m], at, 0, 1);
      if (n_chips > 0 && modes[m] == CURED_BANK_PLOT_BANKS)
        g_assert_cmpuint (chips[at].wavefront, ==, chips[n_chips - 1].wavefront);
    }
}

static void
test_movement (void)
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8);
  g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (&access);

  /* Lane 16 is below lane 0, and lane 17 beside it. */
  g_assert_cmpint (cured_bank_plot_move (plot, CURED_BANK_PLOT_BANKS, 0, 0, 1), ==, 16);
  g_assert_cmpint (cured_bank_plot_move (plot, CURED_BANK_PLOT_BANKS, 16, 1, 0), ==, 17);
  g_assert_cmpint (cured_bank_plot_move (plot, CURED_BANK_PLOT_BANKS, 17, 0, -1), ==, 1);
  for_each_pattern ("wavefronts-h200.tsv", check_movement);
  for_each_random (check_movement);
}

/* ---- Colours ---- */

static double
decode (double c)
{
  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

static double
get_luminance (CuredColour colour)
{
  return 0.2126 * decode (colour.red) + 0.7152 * decode (colour.green) +
         0.0722 * decode (colour.blue);
}

static double
get_contrast (CuredColour a, CuredColour b)
{
  double light = MAX (get_luminance (a), get_luminance (b));
  double dark = MIN (get_luminance (a), get_luminance (b));

  return (light + 0.05) / (dark + 0.05);
}

static double
lab_function (double t)
{
  return t > 216.0 / 24389.0 ? cbrt (t) : (24389.0 / 27.0 * t + 16) / 116;
}

static void
get_lab (CuredColour colour, double lab[3])
{
  double r = decode (colour.red);
  double g = decode (colour.green);
  double b = decode (colour.blue);
  double x = lab_function ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  double y = lab_function (0.2126 * r + 0.7152 * g + 0.0722 * b);
  double z = lab_function ((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);

  lab[0] = 116 * y - 16;
  lab[1] = 500 * (x - y);
  lab[2] = 200 * (y - z);
}

static void
test_colours (void)
{
  double labs[CURED_BANK_LANES][3];

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    {
      CuredColour fill;
      CuredColour text;

      cured_bank_lane_get_colours (n, &fill, &text);
      g_assert_cmpfloat (get_contrast (fill, text), >=, 4.5);
      get_lab (fill, labs[n]);
      for (guint m = 0; m < n; m++)
        {
          double distance =
              sqrt (pow (labs[n][0] - labs[m][0], 2) + pow (labs[n][1] - labs[m][1], 2) +
                    pow (labs[n][2] - labs[m][2], 2));

          g_assert_cmpfloat (distance, >=, 15);
        }
    }
}

/* ---- Pictures ---- */

typedef struct
{
  CuredBankPlot *plot;
  CuredBankPlotGeometry geometry;
  CuredPlotStyle style;
  cairo_surface_t *surface;
} Picture;

static void
picture_clear (Picture *self)
{
  cured_bank_plot_free (self->plot);
  cairo_surface_destroy (self->surface);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, picture_clear)

static void
picture_init (Picture *self, const CuredBankAccess *access, CuredBankPlotMode mode, gboolean dark,
              gssize wavefront, gssize chip)
{
  double least_width;
  double width;
  double height;
  cairo_t *cr;

  self->plot = cured_bank_plot_new (access);
  cured_plot_style_init (&self->style, dark);
  cured_bank_plot_measure (self->plot, mode, &self->style, -1, &least_width, &width, &height);
  cured_bank_plot_geometry_init (&self->geometry, self->plot, mode, &self->style, width, height);
  self->surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) width, (int) height);
  cr = cairo_create (self->surface);
  cured_bank_plot_draw (cr, self->plot, &self->geometry, &self->style, wavefront, chip);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (self->surface);
}

static guint32
get_pixel (const Picture *self, double x, double y)
{
  const guchar *data = cairo_image_surface_get_data (self->surface);
  int stride = cairo_image_surface_get_stride (self->surface);
  guint32 pixel;

  memcpy (&pixel, data + (int) y * stride + 4 * (int) x, sizeof pixel);
  return pixel & 0xffffff;
}

static guint32
to_pixel (CuredColour colour)
{
  return (guint32) lround (colour.red * 255) << 16 | (guint32) lround (colour.green * 255) << 8 |
         (guint32) lround (colour.blue * 255);
}

/* Left of its number, where a chip has nothing but its colour. */
static guint32
get_chip_pixel (const Picture *self, gsize chip)
{
  CuredRect rect;

  cured_bank_plot_geometry_get_chip (&self->geometry, self->plot, chip, &rect);
  return get_pixel (self, rect.x + 3.5, rect.y + rect.height / 2);
}

static guint
count_pixels (const Picture *self, guint32 pixel)
{
  guint n = 0;

  for (int y = 0; y < cairo_image_surface_get_height (self->surface); y++)
    for (int x = 0; x < cairo_image_surface_get_width (self->surface); x++)
      n += get_pixel (self, x, y) == pixel;
  return n;
}

/* Of what stands at the corner of a chip that had to wait. */
static guint32
get_mark (const Picture *self, gsize chip)
{
  CuredRect rect;

  cured_bank_plot_geometry_get_chip (&self->geometry, self->plot, chip, &rect);
  return get_pixel (self, rect.x + rect.width - 2, rect.y + 2);
}

static void
check_picture (const CuredBankAccess *access)
{
  CuredBankAccess quiet = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 4);
  CuredBankAccess loud = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 128);
  CuredBankCounts counts;

  cured_bank_model_count (access, &counts);
  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    for (int dark = 0; dark < 2; dark++)
      {
        g_auto (Picture) none = { 0 };
        g_auto (Picture) many = { 0 };
        g_auto (Picture) picture = { 0 };
        guint32 mark;
        gsize n_chips = 0;
        const CuredBankChip *chips;

        picture_init (&none, &quiet, modes[m], dark, -1, -1);
        picture_init (&many, &loud, modes[m], dark, -1, -1);
        picture_init (&picture, access, modes[m], dark, -1, -1);
        mark = get_mark (&many, 31);
        g_assert_cmphex (mark, !=, get_mark (&many, 0));
        g_assert_cmpuint (count_pixels (&none, mark), ==, 0);
        if (counts.conflicts == 0)
          g_assert_cmpuint (count_pixels (&picture, mark), ==, 0);
        chips = cured_bank_plot_get_chips (picture.plot, modes[m], &n_chips);
        for (gsize i = 0; i < n_chips; i++)
          {
            CuredColour fill;

            cured_bank_lane_get_colours ((guint) g_bit_nth_lsf (chips[i].lanes, -1), &fill, NULL);
            g_assert_cmphex (get_chip_pixel (&picture, i), ==, to_pixel (fill));
            if (chips[i].is_conflict)
              g_assert_cmphex (get_mark (&picture, i), ==, mark);
            else
              g_assert_cmphex (get_mark (&picture, i), !=, mark);
          }
      }
}

static void
test_picture (void)
{
  CuredBankAccess accesses[] = {
    make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 4),
    make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8),
    make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 128),
    make_stride (CURED_BANK_KIND_LOAD, 32, 0x00f0f00f, 68),
    make_stride (CURED_BANK_KIND_STORE, 64, ALL, 16),
    make_stride (CURED_BANK_KIND_LOAD, 128, ALL, 16),
    make_stride (CURED_BANK_KIND_LDMATRIX_X4, 128, ALL, 64),
    make_stride (CURED_BANK_KIND_ATOMIC, 32, ALL, 16),
    make_stride (CURED_BANK_KIND_SWAP, 32, ALL, 16),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (accesses); i++)
    {
      g_test_message ("access %zu", i);
      check_picture (&accesses[i]);
    }
}

/* Of two wavefronts, the other one's chips lose their colour. */
static void
test_dimmed (void)
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8);

  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    for (gssize w = 0; w < 2; w++)
      {
        g_auto (Picture) picture = { 0 };
        gsize n_chips = 0;
        const CuredBankChip *chips;

        picture_init (&picture, &access, modes[m], FALSE, w, -1);
        chips = cured_bank_plot_get_chips (picture.plot, modes[m], &n_chips);
        g_assert_cmpuint (n_chips, ==, 32);
        for (gsize i = 0; i < n_chips; i++)
          {
            CuredColour fill;

            cured_bank_lane_get_colours ((guint) g_bit_nth_lsf (chips[i].lanes, -1), &fill, NULL);
            g_assert_cmpint (get_chip_pixel (&picture, i) == to_pixel (fill), ==,
                             chips[i].wavefront == w);
          }
      }
}

/* A ring of the accent's colour, and nowhere without one. */
static void
test_ring (void)
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8);
  g_auto (Picture) with = { 0 };
  g_auto (Picture) without = { 0 };

  picture_init (&with, &access, CURED_BANK_PLOT_BANKS, FALSE, -1, 3);
  picture_init (&without, &access, CURED_BANK_PLOT_BANKS, FALSE, -1, -1);
  g_assert_cmpuint (count_pixels (&with, to_pixel (with.style.accent)), >, 60);
  g_assert_cmpuint (count_pixels (&without, to_pixel (with.style.accent)), ==, 0);
}

/* Text finds no room in the smallest cells, and nothing is drawn outside. */
static void
test_small (void)
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 0);
  g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (&access);
  CuredPlotStyle style;

  cured_plot_style_init (&style, TRUE);
  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    for (int size = 0; size < 300; size += 7)
      {
        cairo_surface_t *surface =
            cairo_image_surface_create (CAIRO_FORMAT_RGB24, MAX (size, 1), MAX (size / 2, 1));
        cairo_t *cr = cairo_create (surface);
        CuredBankPlotGeometry geometry;

        cured_bank_plot_geometry_init (&geometry, plot, modes[m], &style, size, size / 2.0);
        cured_bank_plot_draw (cr, plot, &geometry, &style, 0, 0);
        g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
        cairo_destroy (cr);
        cairo_surface_destroy (surface);
      }
}

/* ---- Words ---- */

static void
assert_text (const CuredBankAccess *access, CuredBankPlotMode mode, gsize chip,
             const char *expected)
{
  g_autoptr (CuredBankPlot) plot = cured_bank_plot_new (access);
  g_autofree char *text = cured_bank_plot_describe (plot, mode, chip);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_words (void)
{
  CuredBankAccess two = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8);
  CuredBankAccess same = make_stride (CURED_BANK_KIND_LOAD, 32, 0xf00f, 0);
  CuredBankAccess wide = make_stride (CURED_BANK_KIND_LOAD, 128, ALL, 32);
  CuredBankAccess atomic = make_stride (CURED_BANK_KIND_ATOMIC, 32, ALL, 0);

  assert_text (&two, CURED_BANK_PLOT_BANKS, 0, "Lane 0: word 0, bank 0, wavefront 1 of 2");
  assert_text (&two, CURED_BANK_PLOT_BANKS, 31,
               "Lane 31: word 62, bank 30, wavefront 2 of 2, a conflict");
  assert_text (&same, CURED_BANK_PLOT_ADDRESSES, 0,
               "Lanes 0–3, 12–15: word 0, bank 0, wavefront 1 of 1");
  assert_text (&wide, CURED_BANK_PLOT_ADDRESSES, 1,
               "Lane 1: words 8 to 11, from bank 8 on, in 1 of 8 wavefronts");
  assert_text (&atomic, CURED_BANK_PLOT_ADDRESSES, 0,
               "Lanes 0–31: word 0, bank 0, in 32 of 32 wavefronts, with a conflict");
}

static void
test_lanes (void)
{
  static const struct
  {
    guint32 lanes;
    const char *text;
  } cases[] = {
    { 0, "" },
    { 1, "0" },
    { 3, "0, 1" },
    { 7, "0–2" },
    { 0x80000000, "31" },
    { G_MAXUINT32, "0–31" },
    { 0xf10f, "0–3, 8, 12–15" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = cured_bank_lanes_format (cases[i].lanes);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* ---- Exports ---- */

static GBytes *
write_drawing (const CuredDrawing *drawing, const char *format)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;

  cured_export_format_find (format)->write (drawing, FALSE, stream, NULL, &error);
  g_assert_no_error (error);
  g_output_stream_close (stream, NULL, &error);
  g_assert_no_error (error);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
}

static void
test_export (void)
{
  CuredBankShown shown[] = {
    { .access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 128), .title = "padding = 0" },
    { .access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 132), .title = "padding = 1" },
  };
  g_autoptr (CuredDrawing) drawing = cured_drawing_new_banks (
      shown, 2, CURED_BANK_PLOT_BANKS, "banks", "A column, “padded”", NULL, NULL);
  g_autoptr (CuredDrawing) alone = cured_drawing_new_banks (
      shown, 1, CURED_BANK_PLOT_ADDRESSES, "banks", "A column", "tile = 32", "warp 0");
  static const char *const pictures[] = { "png", "svg", "pdf" };
  g_autoptr (GBytes) csv = write_drawing (drawing, "csv");
  g_autoptr (GBytes) json = write_drawing (drawing, "json");
  g_auto (GStrv) lines = NULL;
  g_autofree char *text = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonArray *array = NULL;
  double width = 0;
  double height = 0;

  text = g_strndup (g_bytes_get_data (csv, NULL), g_bytes_get_size (csv));
  lines = g_strsplit (text, "\r\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 64 + 1);
  g_assert_cmpstr (lines[0], ==, "picture,lane,word,bank,wavefront,is_broadcast");
  g_assert_cmpstr (lines[32], ==, "1,31,992,0,31,0");
  g_assert_cmpstr (lines[64], ==, "2,31,1023,31,0,0");

  json_parser_load_from_data (parser, g_bytes_get_data (json, NULL),
                              (gssize) g_bytes_get_size (json), &error);
  g_assert_no_error (error);
  array = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                        "pictures");
  g_assert_cmpuint (json_array_get_length (array), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      JsonObject *object = json_array_get_object_element (array, i);

      g_assert_cmpstr (json_object_get_string_member (object, "title"), ==, shown[i].title);
      g_assert_cmpint (json_object_get_int_member (object, "wavefronts"), ==, i == 0 ? 32 : 1);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "served")), ==,
                        32);
    }

  /* 33 rows are not stacked on each other where that makes a tower. */
  cured_drawing_get_size (drawing, &width, &height);
  g_assert_cmpfloat (height, <, 1400);
  for (gsize i = 0; i < G_N_ELEMENTS (pictures); i++)
    {
      g_autoptr (GBytes) one = write_drawing (drawing, pictures[i]);
      g_autoptr (GBytes) other = write_drawing (alone, pictures[i]);

      g_assert_cmpuint (g_bytes_get_size (one), >, 1000);
      g_assert_cmpuint (g_bytes_get_size (other), >, 1000);
    }
}

/* Beside each other, a row of 1 wavefront is as high as one of 32. */
static void
test_align (void)
{
  CuredBankStride stride;
  CuredBankAccess access;
  g_autoptr (CuredBankPlot) one = NULL;
  g_autoptr (CuredBankPlot) many = NULL;
  CuredBankPlotGeometry alone;
  CuredBankPlotGeometry left;
  CuredBankPlotGeometry right;
  CuredPlotStyle style;

  cured_plot_style_init (&style, FALSE);
  cured_bank_stride_init (&stride);
  stride.stride = 1;
  cured_bank_stride_get_access (&stride, &access);
  one = cured_bank_plot_new (&access);
  stride.stride = 32;
  cured_bank_stride_get_access (&stride, &access);
  many = cured_bank_plot_new (&access);
  g_assert_cmpuint (cured_bank_plot_get_n_wavefronts (many), ==, 32);
  cured_bank_plot_geometry_init (&alone, one, CURED_BANK_PLOT_BANKS, &style, 900, 600);
  cured_bank_plot_align (one, many);
  cured_bank_plot_align (many, one);
  cured_bank_plot_geometry_init (&left, one, CURED_BANK_PLOT_BANKS, &style, 900, 600);
  cured_bank_plot_geometry_init (&right, many, CURED_BANK_PLOT_BANKS, &style, 900, 600);
  g_assert_cmpfloat (left.cell_height, ==, right.cell_height);
  g_assert_cmpfloat (left.cell_height, <, alone.cell_height);
  g_assert_cmpfloat (left.content_height, ==, left.cell_height);
  cured_bank_plot_align (one, NULL);
  cured_bank_plot_geometry_init (&left, one, CURED_BANK_PLOT_BANKS, &style, 900, 600);
  g_assert_cmpfloat (left.cell_height, ==, alone.cell_height);
}

/* A view of two accesses of four lanes: loads of words 4 to 7, stores to words 0 to 3; and of what
 * the block does to a buffer. */
static CuredBankView *
make_flow_view (void)
{
  CuredBankView *view = _cured_bank_view_new_empty ();

  view->n_sites = 2;
  view->sites = g_new0 (CuredBankSite, 2);
  view->n_events = 2;
  view->events = g_new0 (CuredBankEvent, 2);
  for (gsize i = 0; i < 2; i++)
    {
      view->sites[i].line = 10 + (int) i;
      view->sites[i].kind = i == 0 ? CURED_ACCESS_LOAD : CURED_ACCESS_STORE;
      view->events[i].site = i;
      view->events[i].access = (CuredBankAccess){
        .kind = i == 0 ? CURED_BANK_KIND_LOAD : CURED_BANK_KIND_STORE,
        .width = 32,
        .mask = 0xf,
      };
      for (guint lane = 0; lane < 4; lane++)
        view->events[i].access.addresses[lane] = 4 * (lane + (i == 0 ? 4 : 0));
    }
  view->n_slices = 1;
  view->slices = g_new0 (CuredBankSlice, 1);
  view->slices[0] = (CuredBankSlice){ .buffer = g_strdup ("in"),
                                      .bytes = 64,
                                      .read_begin = 16,
                                      .read_end = 32,
                                      .parts = g_new0 (guint8, 4),
                                      .n_parts = 4 };
  view->slices[0].parts[1] = CURED_BANK_PART_READ;
  return view;
}

static guint32
get_flow_pixel (const CuredFlowPlot *plot, gssize step, double x, double y)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 900, 300);
  cairo_t *cr = cairo_create (surface);
  CuredPlotStyle style;
  guint32 pixel;

  cured_plot_style_init (&style, FALSE);
  cured_flow_plot_draw (cr, plot, &style, step);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  pixel = *(guint32 *) (void *) (cairo_image_surface_get_data (surface) +
                                 cairo_image_surface_get_stride (surface) * (int) y + 4 * (int) x);
  cairo_surface_destroy (surface);
  return pixel;
}

/* Whatever is beyond a step is faint, and a block's slice is where it is. */
static void
test_flow (void)
{
  g_autoptr (CuredBankView) view = make_flow_view ();
  g_autoptr (CuredFlowPlot) plot = cured_flow_plot_new (view, 10, TRUE);
  g_autoptr (CuredFlowPlot) bare = cured_flow_plot_new (view, 1, FALSE);
  g_autofree char *load = NULL;
  g_autofree char *slice = NULL;
  CuredPlotStyle style;
  CuredRect row;
  CuredRect bare_row;
  double width;
  double height;
  double unit;
  double x;

  cured_plot_style_init (&style, FALSE);
  g_assert_cmpuint (cured_flow_plot_get_n_steps (plot), ==, 2);
  g_assert_cmpuint (cured_flow_plot_get_n_steps (bare), ==, 1);
  cured_flow_plot_measure (plot, &style, &width, &height);
  cured_flow_plot_get_row (plot, &style, 1, &row);
  cured_flow_plot_get_row (bare, &style, 0, &bare_row);
  g_assert_cmpfloat (row.y + row.height, <=, height);
  g_assert_cmpfloat (row.y - row.height, >, bare_row.y);

  /* Word 0 is stored in the second step. */
  unit = row.height / 26;
  x = (180 + 8) * unit;
  g_assert_cmphex (get_flow_pixel (plot, -1, x, row.y + row.height / 2), ==,
                   get_flow_pixel (plot, 1, x, row.y + row.height / 2));
  g_assert_cmphex (get_flow_pixel (plot, 1, x, row.y + row.height / 2), !=,
                   get_flow_pixel (plot, 0, x, row.y + row.height / 2));
  /* The second quarter of the strip is read, the first is not. */
  g_assert_cmphex (get_flow_pixel (plot, -1, (180 + 64) * unit, 33 * unit), !=,
                   get_flow_pixel (plot, -1, (180 + 192) * unit, 33 * unit));
  g_assert_cmphex (get_flow_pixel (plot, -1, (180 + 64) * unit, 33 * unit), ==,
                   get_flow_pixel (plot, -1, (180 + 320) * unit, 33 * unit));

  load = cured_flow_plot_describe (plot, 0);
  g_assert_cmpstr (load, ==, "Line 10: load by lanes 0–3, words 4 … 7");
  slice = cured_flow_plot_describe (plot, -1);
  g_assert_cmpstr (slice, ==, "reads in, bytes 16 to 31");
}

/* Four threads in two rows, each of which reads its own element of a matrix of four columns and
 * writes one element that all of them share. */
static CuredBankView *
make_thread_view (void)
{
  CuredBankView *view = _cured_bank_view_new_empty ();
  static const char *const names[] = { "in", "sum" };
  static const guint64 elements[] = { 0, 1, 4, 5 };

  view->threads[0] = view->threads[1] = 2;
  view->threads[2] = 1;
  view->n_slices = 2;
  view->slices = g_new0 (CuredBankSlice, 2);
  for (gsize i = 0; i < 2; i++)
    view->slices[i] = (CuredBankSlice){ .buffer = g_strdup (names[i]),
                                        .bytes = i == 0 ? 64 : 4,
                                        .element_bytes = 4 };
  view->n_touches = 8;
  view->touches = g_new0 (CuredBankTouch, 8);
  for (guint i = 0; i < 8; i++)
    view->touches[i] = (CuredBankTouch){
      .slice = i / 4,
      .element = i < 4 ? elements[i] : 0,
      .thread = i % 4,
      .flags = i < 4 ? CURED_BANK_PART_READ : CURED_BANK_PART_WRITTEN,
    };
  return view;
}

static guint32
get_thread_pixel (const CuredThreadPlot *plot, gssize marked, gsize cell)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 900, 300);
  cairo_t *cr = cairo_create (surface);
  CuredPlotStyle style;
  CuredRect rect;
  guint32 pixel;

  cured_plot_style_init (&style, FALSE);
  cured_thread_plot_draw (cr, plot, &style, marked);
  cured_thread_plot_get_cell (plot, &style, cell, &rect);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  /* Beside the number and within the frame. */
  pixel = *(guint32 *) (void *) (cairo_image_surface_get_data (surface) +
                                 cairo_image_surface_get_stride (surface) * (int) (rect.y + 5) +
                                 4 * (int) (rect.x + 5));
  cairo_surface_destroy (surface);
  return pixel;
}

/* Cells: threads 0 to 3, then two rows of the matrix, then the sum's. */
static void
test_threads (void)
{
  g_autoptr (CuredBankView) view = make_thread_view ();
  g_autoptr (CuredThreadPlot) plot = cured_thread_plot_new (view);
  g_autofree char *thread = NULL;
  g_autofree char *element = NULL;
  g_autofree char *shared = NULL;
  g_autofree char *untouched = NULL;
  CuredPlotStyle style;
  CuredRect rect;
  double width;
  double height;

  cured_plot_style_init (&style, FALSE);
  g_assert_cmpuint (cured_thread_plot_get_n_threads (plot), ==, 4);
  cured_thread_plot_measure (plot, &style, &width, &height);
  for (gsize cell = 0; cell <= 12; cell++)
    {
      cured_thread_plot_get_cell (plot, &style, cell, &rect);
      g_assert_cmpint (cured_thread_plot_find_cell (plot, &style, rect.x + 3, rect.y + 3), ==,
                       (gssize) cell);
      g_assert_cmpfloat (rect.x + rect.width, <=, width);
      g_assert_cmpfloat (rect.y + rect.height, <=, height);
    }
  g_assert_cmpint (cured_thread_plot_find_cell (plot, &style, width - 1, 1), ==, -1);
  /* The sum has one element, whatever its row has room for. */
  g_assert_cmpint (cured_thread_plot_find_cell (plot, &style, rect.x + rect.width + 3, rect.y + 3),
                   ==, -1);

  /* An element has its thread's colour, and not another's. */
  g_assert_cmphex (get_thread_pixel (plot, -1, 8), ==, get_thread_pixel (plot, -1, 2));
  g_assert_cmphex (get_thread_pixel (plot, -1, 8), !=, get_thread_pixel (plot, -1, 3));
  /* What a marked thread does not touch is faint. */
  g_assert_cmphex (get_thread_pixel (plot, 2, 5), !=, get_thread_pixel (plot, -1, 5));
  g_assert_cmphex (get_thread_pixel (plot, 1, 3), !=, get_thread_pixel (plot, -1, 3));
  /* Of the shared element, no thread is. */
  g_assert_cmphex (get_thread_pixel (plot, 12, 3), ==, get_thread_pixel (plot, -1, 3));

  thread = cured_thread_plot_describe (plot, 2);
  element = cured_thread_plot_describe (plot, 8);
  shared = cured_thread_plot_describe (plot, 12);
  untouched = cured_thread_plot_describe (plot, 6);
  g_assert_cmpstr (thread, ==, "Thread 2 (0, 1, 0); reads in[4]; writes sum[0]");
  g_assert_cmpstr (element, ==, "in[4]; read by thread 2");
  g_assert_cmpstr (shared, ==, "sum[0]; written by threads 0–3");
  g_assert_cmpstr (untouched, ==, "in[2]; no thread of the block touches it");

  /* By keys: from nowhere to the first, along rows, and from panel to panel. */
  g_assert_cmpint (cured_thread_plot_move (plot, -1, 1, 0, 0), ==, 0);
  g_assert_cmpint (cured_thread_plot_move (plot, 0, 0, 1, 0), ==, 2);
  g_assert_cmpint (cured_thread_plot_move (plot, 3, 1, 0, 0), ==, 3);
  g_assert_cmpint (cured_thread_plot_move (plot, 3, 0, 0, 1), ==, 4);
  g_assert_cmpint (cured_thread_plot_move (plot, 4, 0, 1, 0), ==, 8);
  g_assert_cmpint (cured_thread_plot_move (plot, 12, 1, 0, 0), ==, 12);
  g_assert_cmpint (cured_thread_plot_move (plot, 12, 0, 0, 1), ==, 0);
  g_assert_cmpint (cured_thread_plot_move (plot, 1, 0, 0, -1), ==, 12);
}

/* Of many rows, those that are touched first are shown, wherever they are. */
static void
test_many_rows (void)
{
  g_autoptr (CuredBankView) view = _cured_bank_view_new_empty ();
  g_autoptr (CuredThreadPlot) plot = NULL;
  g_autofree char *first = NULL;
  g_autofree char *last = NULL;

  view->threads[0] = view->threads[1] = view->threads[2] = 1;
  view->n_slices = 1;
  view->slices = g_new0 (CuredBankSlice, 1);
  view->slices[0] =
      (CuredBankSlice){ .buffer = g_strdup ("in"), .bytes = 4096, .element_bytes = 1 };
  view->n_touches = 40;
  view->touches = g_new0 (CuredBankTouch, 40);
  for (guint i = 0; i < 40; i++)
    view->touches[i] = (CuredBankTouch){ .element = 16 * (39 - i), .flags = CURED_BANK_PART_READ };
  plot = cured_thread_plot_new (view);
  /* A row of one thread, then 32 rows: those of the elements from 8 · 16 to 39 · 16. */
  first = cured_thread_plot_describe (plot, 16);
  last = cured_thread_plot_describe (plot, 16 + 31 * 16);
  g_assert_true (g_str_has_prefix (first, "in[128]; read by thread 0"));
  g_assert_true (g_str_has_prefix (last, "in[624]; read by thread 0"));
  g_assert_cmpint (cured_thread_plot_move (plot, 16 + 31 * 16, 0, 1, 0), ==, 16 + 31 * 16);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bank-plot/chips", test_chips);
  g_test_add_func ("/bank-plot/addresses", test_addresses);
  g_test_add_func ("/bank-plot/nothing", test_nothing);
  g_test_add_func ("/bank-plot/geometry", test_geometry);
  g_test_add_func ("/bank-plot/measure", test_measure);
  g_test_add_func ("/bank-plot/movement", test_movement);
  g_test_add_func ("/bank-plot/colours", test_colours);
  g_test_add_func ("/bank-plot/picture", test_picture);
  g_test_add_func ("/bank-plot/dimmed", test_dimmed);
  g_test_add_func ("/bank-plot/ring", test_ring);
  g_test_add_func ("/bank-plot/small", test_small);
  g_test_add_func ("/bank-plot/words", test_words);
  g_test_add_func ("/bank-plot/lanes", test_lanes);
  g_test_add_func ("/bank-plot/export", test_export);
  g_test_add_func ("/bank-plot/flow", test_flow);
  g_test_add_func ("/bank-plot/threads", test_threads);
  g_test_add_func ("/bank-plot/many-rows", test_many_rows);
  g_test_add_func ("/bank-plot/align", test_align);
  return g_test_run ();
}
