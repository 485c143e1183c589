/* SPDX-License-Identifier: MIT
 * Charts of all kinds: that they show what they are of, that items are where they say, and what is
 * drawn. */
#include "cured-plot.h"
#include "inspect/cured-inspection-internal.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include "base/cured-own.h"
#include "plot/cured-plot-bars-internal.h"
#include "make-result.h"
#include "test.h"

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
  gsize length = 0;

  MUST (g_file_get_contents (path, &text, &length, &fail));
  g_autoptr (GArray) patterns = MUST (cured_bank_patterns_parse (text, length, path, &fail));
  g_assert_cmpuint (patterns->len, >=, 896);
  for (guint i = 0; i < patterns->len; i++)
    check (&g_array_index (patterns, CuredBankPattern, i).access);
}

/* Every kind, width and chip of which there is a rule; addresses that are near each other, the
 * same, far apart or at a stride. */
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

static CuredChart *
make_banks (const CuredBankAccess *access, CuredBankPlotMode mode)
{
  return &cured_bank_plot_new (access, mode)->chart;
}

static const CuredBankChip *
get_chips (const CuredChart *chart)
{
  return &g_array_index (((const CuredBankPlot *) chart)->chips, CuredBankChip, 0);
}

/* ---- Chips ---- */

static void
check_banks (const CuredBankAccess *access)
{
  g_autoptr (CuredChart) chart = make_banks (access, CURED_BANK_PLOT_BANKS);
  const CuredBankPlot *plot = (const CuredBankPlot *) chart;
  const CuredBankChip *chips = get_chips (chart);
  gsize n_chips = chart->n_items;
  CuredBankPicture picture;
  gsize n_lanes = 0;
  guint n_waits = 0;

  g_assert_true (cured_bank_model_explain (access, &picture));
  g_assert_true (plot->is_known);
  g_assert_cmpuint (plot->n_banks, ==, picture.n_banks);
  g_assert_cmpuint (chart->n_steps, ==, picture.counts.wavefronts);
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
          n_waits++;
          break;
        }
  g_assert_cmpuint (n_waits, ==, picture.counts.conflicts);
}

static void
check_addresses (const CuredBankAccess *access)
{
  g_autoptr (CuredChart) chart = make_banks (access, CURED_BANK_PLOT_ADDRESSES);
  const CuredBankPlot *plot = (const CuredBankPlot *) chart;
  const CuredBankChip *chips = get_chips (chart);
  gsize n_chips = chart->n_items;
  CuredBankPicture picture;
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
          g_assert_cmpint (cured_bank_plot_is_served (plot, i, w), ==, is_served);
          n_wavefronts += is_served;
        }
      g_assert_cmpuint (n_wavefronts, ==, chips[i].n_wavefronts);
      g_assert_cmpuint (n_wavefronts, >, 0);
    }
  for (gsize i = 0; i < picture.n_served; i++)
    {
      gssize chip = cured_bank_plot_find_lane (plot, picture.served[i].lane);

      g_assert_cmpint (chip, >=, 0);
      g_assert_cmpuint (picture.served[i].word, >=, chips[chip].word);
      g_assert_cmpuint (picture.served[i].word - chips[chip].word, <, chips[chip].n_words);
      g_assert_true (cured_bank_plot_is_served (plot, (gsize) chip, picture.served[i].wavefront));
    }
}

TEST ("/charts/chips")
{
  for_each_pattern ("wavefronts-h200.tsv", check_banks);
  for_each_pattern ("wavefronts-extra-h200.tsv", check_banks);
  for_each_random (check_banks);
}

TEST ("/charts/addresses")
{
  for_each_pattern ("wavefronts-h200.tsv", check_addresses);
  for_each_pattern ("wavefronts-extra-h200.tsv", check_addresses);
  for_each_random (check_addresses);
}

/* ---- Charts of all kinds ---- */

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
        .kind = i == 0 ? CURED_BANK_KIND_LOAD : CURED_BANK_KIND_STORE, .width = 32, .mask = 0xf
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
    view->touches[i] =
        (CuredBankTouch){ .slice = i / 4,
                          .element = i < 4 ? elements[i] : 0,
                          .thread = i % 4,
                          .flags = i < 4 ? CURED_BANK_PART_READ : CURED_BANK_PART_WRITTEN };
  return view;
}

static CuredChart *
make_bars (void)
{
  static const struct
  {
    const char *label;
    double value;
  } rows[] = {
    { "First", 8000 },
    { "Second", 4000 },
    { "A third one, with a name that is so long that it would take all of the room that there is "
      "for bars",
      NAN },
  };
  const CuredBarLine limit = { .label = (char *) "limit 2.00 µs", .value = 2000, .is_limit = TRUE };
  CuredBars *bars = cured_bars_new ("Time", "ns");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    cured_bars_add (bars, &(CuredBar){ .number = (char *) "1",
                                       .label = (char *) rows[i].label,
                                       .text = (char *) "12.5 µs",
                                       .value = rows[i].value,
                                       .tick = CURED_MISSING });
  cured_bars_add_line (bars, &limit);
  return &bars->chart;
}

typedef struct
{
  CuredChart *chart;
  CuredPlotStyle style;
  CuredChartShown shown;
  cairo_surface_t *surface;
} Picture;

CURED_CLEAR_FUNC (Picture, picture_clear, chart, cured_chart_free, surface, cairo_surface_destroy)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, picture_clear)

/* Draws it at @width and @height; negative: as it wants it. Takes @chart. */
static void
picture_init (Picture *self, CuredChart *chart, gboolean dark, double width, double height,
              gssize item, gssize step)
{
  double least, natural_width, natural_height;

  self->chart = chart;
  cured_plot_style_init (&self->style, dark);
  chart->klass->measure (chart, &self->style, width, &least, &natural_width, &natural_height);
  self->shown = (CuredChartShown){ .style = &self->style,
                                   .width = width >= 0 ? width : natural_width,
                                   .height = height >= 0 ? height : natural_height,
                                   .item = item,
                                   .hovered = -1,
                                   .step = step };
  self->surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) MAX (self->shown.width, 1),
                                              (int) MAX (self->shown.height, 1));
  cairo_t *cr = cairo_create (self->surface);
  cairo_set_source_rgb (cr, self->style.background.red, self->style.background.green,
                        self->style.background.blue);
  cairo_paint (cr);
  chart->klass->draw (chart, cr, &self->shown);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (self->surface);
}

static guint32
get_pixel (const Picture *self, double x, double y)
{
  guint32 pixel;

  g_assert_cmpint ((int) x, <, cairo_image_surface_get_width (self->surface));
  g_assert_cmpint ((int) y, <, cairo_image_surface_get_height (self->surface));
  memcpy (&pixel,
          cairo_image_surface_get_data (self->surface) +
              (int) y * cairo_image_surface_get_stride (self->surface) + 4 * (int) x,
          sizeof pixel);
  return pixel & 0xffffff;
}

static CuredRect
locate (const Picture *self, gsize item)
{
  CuredRect rect;

  self->chart->klass->locate (self->chart, &self->shown, item, &rect);
  return rect;
}

static guint32
get_item_pixel (const Picture *self, gsize item, double x, double y)
{
  CuredRect rect = locate (self, item);

  return get_pixel (self, rect.x + x, rect.y + y);
}

/* Each item is where it is picked, in what is measured, and has a line of text; keys reach it. */
static void
check_items (CuredChart *chart, double width)
{
  g_auto (Picture) picture = { 0 };
  gsize n_picked = 0;
  gssize at = -1;

  picture_init (&picture, chart, FALSE, width, -1, -1, -1);
  for (gsize i = 0; i < chart->n_items; i++)
    {
      CuredRect rect = locate (&picture, i);
      gssize picked = chart->klass->pick (chart, &picture.shown, rect.x + rect.width / 2,
                                          rect.y + rect.height / 2);
      g_autofree char *text = chart->klass->describe (chart, (gssize) i, -1);

      g_assert_cmpuint (strlen (text), >, 0);
      g_assert_cmpfloat (rect.x, >=, 0);
      g_assert_cmpfloat (rect.y + rect.height / 2, <, picture.shown.height);
      /* What has to be seen with an item is more than it, or beyond the last of a row. */
      g_assert_true (picked == (gssize) i || picked == -1);
      n_picked += picked >= 0;
    }
  g_assert_cmpuint (n_picked, >=, chart->n_items / 3);
  g_assert_cmpint (chart->klass->pick (chart, &picture.shown, -1, -1), ==, -1);
  if (chart->klass->move == NULL)
    return;
  for (gsize i = 0; i < 4; i++)
    {
      gssize next = chart->klass->move (chart, at, 0, 1, 0);

      g_assert_cmpint (next, >=, at);
      at = next;
    }
  g_assert_cmpint (at, <, MAX (chart->n_items, 1));
}

/* Whatever room there is, it draws, and leaves nothing behind. */
TEST ("/charts/all-kinds")
{
  static const double sizes[] = { 0, 1, 40, 300, 900 };
  g_autoptr (CuredBankView) flow = make_flow_view ();
  g_autoptr (CuredBankView) threads = make_thread_view ();
  CuredBankAccess stride = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 128);
  CuredBankAccess unknown = make_stride (CURED_BANK_KIND_ATOMIC, 8, ALL, 4);
  CuredBankAccess nobody = make_stride (CURED_BANK_KIND_LOAD, 32, 0, 4);

  for (guint kind = 0; kind < 9; kind++)
    for (gsize i = 0; i < G_N_ELEMENTS (sizes) + 1; i++)
      for (gsize j = 0; j < G_N_ELEMENTS (sizes); j++)
        {
          CuredChart *chart = kind < 2   ? make_banks (&stride, modes[kind])
                              : kind < 4 ? make_banks (&unknown, modes[kind - 2])
                              : kind < 6 ? make_banks (&nobody, modes[kind - 4])
                              : kind < 7 ? cured_flow_plot_new (flow)
                              : kind < 8 ? cured_thread_plot_new (threads)
                                         : make_bars ();

          if (i == G_N_ELEMENTS (sizes))
            check_items (chart, j == 0 ? -1 : 300.0 * (double) j);
          else
            {
              g_auto (Picture) picture = { 0 };

              picture_init (&picture, chart, TRUE, sizes[i], sizes[j], 0, 0);
            }
        }
}

/* ---- Banks ---- */

static void
check_movement (const CuredBankAccess *access)
{
  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_autoptr (CuredChart) chart = make_banks (access, modes[m]);
      const CuredBankChip *chips = get_chips (chart);
      gssize n = (gssize) chart->n_items;
      gssize at = -1;

      for (gssize i = 0; i < n; i++)
        {
          at = chart->klass->move (chart, at, 1, 0, 0);
          g_assert_cmpint (at, ==, i);
        }
      g_assert_cmpint (chart->klass->move (chart, at, 1, 0, 0), ==, at);
      if (n > 1)
        g_assert_cmpint (chart->klass->move (chart, at, -1, 0, 0), ==, at - 1);
      /* Up to the first row and down to the last. */
      at = chart->klass->move (chart, at, 0, -300, 0);
      if (n > 0 && modes[m] == CURED_BANK_PLOT_BANKS)
        g_assert_cmpuint (chips[at].wavefront, ==, chips[0].wavefront);
      at = chart->klass->move (chart, at, 0, 300, 0);
      if (n > 0 && modes[m] == CURED_BANK_PLOT_BANKS)
        g_assert_cmpuint (chips[at].wavefront, ==, chips[n - 1].wavefront);
    }
}

TEST ("/charts/movement")
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8);
  g_autoptr (CuredChart) chart = make_banks (&access, CURED_BANK_PLOT_BANKS);

  /* Lane 16 is below lane 0, and lane 17 beside it. */
  g_assert_cmpint (chart->klass->move (chart, 0, 0, 1, 0), ==, 16);
  g_assert_cmpint (chart->klass->move (chart, 16, 1, 0, 0), ==, 17);
  g_assert_cmpint (chart->klass->move (chart, 17, 0, -1, 0), ==, 1);
  for_each_pattern ("wavefronts-h200.tsv", check_movement);
  for_each_random (check_movement);
}

static guint n_places;

/* Where each chip is, at sizes that have room for it or have it scrolled. */
static void
check_place (const CuredBankAccess *access)
{
  static const double heights[] = { 90, 700, 2000 };
  CuredPlotStyle style;

  if (n_places++ % 16 != 0)
    return;
  cured_plot_style_init (&style, FALSE);
  for (gsize k = 0; k < G_N_ELEMENTS (modes) * G_N_ELEMENTS (heights); k++)
    {
      g_autoptr (CuredChart) chart = make_banks (access, modes[k % 2]);
      CuredChartShown shown = { &style, 900, heights[k / 2], 0, -1, -1, -1 };
      CuredChartRows rows;

      chart->klass->get_rows (chart, &shown, &rows);
      g_assert_cmpfloat (rows.top + rows.seen, <=, shown.height + 0.01);
      for (gsize i = 0; i < chart->n_items; i++)
        {
          CuredRect rect;

          chart->klass->locate (chart, &shown, i, &rect);
          if (rect.y + rect.height > rows.top + rows.seen || rect.y < rows.top)
            {
              shown.scroll = CLAMP (shown.scroll + rect.y - rows.top, 0, rows.all - rows.seen);
              chart->klass->locate (chart, &shown, i, &rect);
            }
          g_assert_cmpint (
              chart->klass->pick (chart, &shown, rect.x + rect.width / 2, rect.y + rect.height / 2),
              ==, (gssize) i);
        }
    }
}

TEST ("/charts/places")
{
  for_each_pattern ("wavefronts-h200.tsv", check_place);
  for_each_random (check_place);
}

/* Beside each other, a row of 1 wavefront is as high as one of 32. */
TEST ("/charts/align")
{
  CuredBankAccess accesses[] = { make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 4),
                                 make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 128) };
  CuredBankPlot *plots[2];
  CuredPlotStyle style;
  CuredChartShown shown = { &style, 900, 600, 0, -1, -1, -1 };
  CuredChartRows alone, rows[2];

  cured_plot_style_init (&style, FALSE);
  for (guint i = 0; i < 2; i++)
    plots[i] = cured_bank_plot_new (&accesses[i], CURED_BANK_PLOT_BANKS);
  plots[0]->chart.klass->get_rows (&plots[0]->chart, &shown, &alone);
  for (guint i = 0; i < 2; i++)
    {
      cured_bank_plot_align (plots[i], plots[1 - i]);
      plots[i]->chart.klass->get_rows (&plots[i]->chart, &shown, &rows[i]);
    }
  g_assert_cmpfloat (rows[0].each, ==, rows[1].each);
  g_assert_cmpfloat (rows[0].each, <, alone.each);
  cured_bank_plot_align (plots[0], NULL);
  plots[0]->chart.klass->get_rows (&plots[0]->chart, &shown, &rows[0]);
  g_assert_cmpfloat (rows[0].each, ==, alone.each);
  for (guint i = 0; i < 2; i++)
    cured_chart_free (&plots[i]->chart);
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

TEST ("/charts/colours")
{
  double labs[CURED_BANK_LANES][3];

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    {
      CuredColour fill, text;

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
  return get_item_pixel (self, chip, 4, locate (self, chip).height / 2);
}

/* Of what stands at the corner of a chip that had to wait. */
static guint32
get_mark (const Picture *self, gsize chip)
{
  return get_item_pixel (self, chip, locate (self, chip).width - 4, 2);
}

static guint32
get_lane_pixel (const CuredBankChip *chip)
{
  CuredColour fill;

  cured_bank_lane_get_colours ((guint) g_bit_nth_lsf (chip->lanes, -1), &fill, NULL);
  return to_pixel (fill);
}

/* Chips have their lane's colour; those that had to wait, and no others, the mark. */
TEST ("/charts/picture")
{
  const CuredBankAccess accesses[] = {
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

  for (guint k = 0; k < G_N_ELEMENTS (accesses) * 4; k++)
    {
      g_auto (Picture) many = { 0 }, picture = { 0 };

      picture_init (&many, make_banks (&accesses[2], modes[k % 2]), k / 2 % 2, -1, -1, -1, -1);
      picture_init (&picture, make_banks (&accesses[k / 4], modes[k % 2]), k / 2 % 2, -1, -1, -1,
                    -1);
      guint32 mark = get_mark (&many, 31);
      g_assert_cmphex (mark, !=, get_mark (&many, 0));
      for (gsize i = 0; i < picture.chart->n_items; i++)
        {
          const CuredBankChip *chip = &get_chips (picture.chart)[i];

          g_assert_cmphex (get_chip_pixel (&picture, i), ==, get_lane_pixel (chip));
          g_assert_cmpint (get_mark (&picture, i) == mark, ==, chip->is_conflict);
        }
    }
}

/* Of two wavefronts, the other one's chips lose their colour; a marked one has a ring. */
TEST ("/charts/dimmed")
{
  CuredBankAccess access = make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8);

  for (guint k = 0; k < 4; k++)
    {
      g_auto (Picture) picture = { 0 };

      picture_init (&picture, make_banks (&access, modes[k % 2]), FALSE, -1, -1, 3, k / 2);
      g_assert_cmpuint (picture.chart->n_items, ==, 32);
      g_assert_cmphex (get_item_pixel (&picture, 3, -1, 8), ==, to_pixel (picture.style.accent));
      g_assert_cmphex (get_item_pixel (&picture, 5, -1, 8), !=, to_pixel (picture.style.accent));
      for (gsize i = 0; i < 32; i++)
        g_assert_cmpint (get_chip_pixel (&picture, i) ==
                             get_lane_pixel (&get_chips (picture.chart)[i]),
                         ==, get_chips (picture.chart)[i].wavefront == k / 2);
    }
}

/* ---- Words ---- */

/* Takes @chart. */
static void
assert_text (CuredChart *chart, gssize item, gssize step, const char *expected)
{
  g_autofree char *text = chart->klass->describe (chart, item, step);

  g_assert_cmpstr (text, ==, expected);
  cured_chart_free (chart);
}

TEST ("/charts/words")
{
  const struct
  {
    CuredBankAccess access;
    CuredBankPlotMode mode;
    gssize chip;
    const char *text;
  } cases[] = {
    { make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8), CURED_BANK_PLOT_BANKS, 0,
      "Lane 0: word 0, bank 0, wavefront 1 of 2" },
    { make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8), CURED_BANK_PLOT_BANKS, 31,
      "Lane 31: word 62, bank 30, wavefront 2 of 2, a conflict" },
    { make_stride (CURED_BANK_KIND_LOAD, 32, 0xf00f, 0), CURED_BANK_PLOT_ADDRESSES, 0,
      "Lanes 0–3, 12–15: word 0, bank 0, wavefront 1 of 1" },
    { make_stride (CURED_BANK_KIND_LOAD, 128, ALL, 32), CURED_BANK_PLOT_ADDRESSES, 1,
      "Lane 1: words 8 to 11, from bank 8 on, in 1 of 8 wavefronts" },
    { make_stride (CURED_BANK_KIND_ATOMIC, 32, ALL, 0), CURED_BANK_PLOT_ADDRESSES, 0,
      "Lanes 0–31: word 0, bank 0, in 32 of 32 wavefronts, with a conflict" },
    { make_stride (CURED_BANK_KIND_LOAD, 32, ALL, 8), CURED_BANK_PLOT_BANKS, -1,
      "2 wavefronts; 1 if conflict-free" },
    { make_stride (CURED_BANK_KIND_ATOMIC, 8, ALL, 4), CURED_BANK_PLOT_BANKS, -1,
      "There is no measured rule for this access." },
  };
  g_autoptr (CuredBankView) flow = make_flow_view ();
  g_autoptr (CuredBankView) threads = make_thread_view ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_text (make_banks (&cases[i].access, cases[i].mode), cases[i].chip, -1, cases[i].text);
  assert_text (cured_flow_plot_new (flow), -1, 0, "Line 10: load by lanes 0–3, words 4 … 7");
  assert_text (cured_flow_plot_new (flow), -1, -1, "reads in, bytes 16 to 31");
  assert_text (cured_thread_plot_new (threads), 2, -1,
               "Thread 2 (0, 1, 0); reads in[4]; writes sum[0]");
  assert_text (cured_thread_plot_new (threads), 8, -1, "in[4]; read by thread 2");
  assert_text (cured_thread_plot_new (threads), 12, -1, "sum[0]; written by threads 0–3");
  assert_text (cured_thread_plot_new (threads), 6, -1, "in[2]; no thread of the block touches it");
  assert_text (make_bars (), 1, -1, "Second: 12.5 µs, bar 2 of 3");
}

TEST ("/charts/lanes")
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

  MUST (cured_export_format_find (format)->write (drawing, &(CuredExportOptions){ 0 }, stream, NULL,
                                                  &fail));
  MUST (g_output_stream_close (stream, NULL, &fail));
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
}

TEST ("/charts/export")
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
  g_autoptr (JsonParser) parser = json_parser_new ();
  double width = 0, height = 0;

  g_autofree char *text = g_strndup (g_bytes_get_data (csv, NULL), g_bytes_get_size (csv));
  g_auto (GStrv) lines = g_strsplit (text, "\r\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 64 + 1);
  g_assert_cmpstr (lines[0], ==, "picture,lane,word,bank,wavefront,is_broadcast");
  g_assert_cmpstr (lines[32], ==, "1,31,992,0,31,0");
  g_assert_cmpstr (lines[64], ==, "2,31,1023,31,0,0");

  MUST (json_parser_load_from_data (parser, g_bytes_get_data (json, NULL),
                                    (gssize) g_bytes_get_size (json), &fail));
  JsonArray *array = json_object_get_array_member (
      json_node_get_object (json_parser_get_root (parser)), "pictures");
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

/* ---- Flow, threads, bars ---- */

/* What is beyond a step is faint. */
TEST ("/charts/flow")
{
  g_autoptr (CuredBankView) view = make_flow_view ();
  g_auto (Picture) all = { 0 }, first = { 0 }, last = { 0 };
  CuredRect row;

  picture_init (&all, cured_flow_plot_new (view), FALSE, -1, -1, -1, -1);
  picture_init (&first, cured_flow_plot_new (view), FALSE, -1, -1, -1, 0);
  picture_init (&last, cured_flow_plot_new (view), FALSE, -1, -1, -1, 1);
  g_assert_cmpuint (all.chart->n_steps, ==, 2);
  /* Word 0 is stored in the second step, whose row has a neighbour on either side. */
  row = locate (&all, 1);
  double unit = row.height / 3 / 26;
  row.y += row.height / 2;
  g_assert_cmphex (get_pixel (&all, 188 * unit, row.y), ==, get_pixel (&last, 188 * unit, row.y));
  g_assert_cmphex (get_pixel (&last, 188 * unit, row.y), !=, get_pixel (&first, 188 * unit, row.y));
  /* The second quarter of the strip is read, the first and the third are not. */
  g_assert_cmphex (get_pixel (&all, 244 * unit, 33 * unit), !=,
                   get_pixel (&all, 372 * unit, 33 * unit));
  g_assert_cmphex (get_pixel (&all, 244 * unit, 33 * unit), ==,
                   get_pixel (&all, 500 * unit, 33 * unit));
}

/* Cells: threads 0 to 3, then two rows of the matrix, then the sum's. */
TEST ("/charts/threads")
{
  static const struct
  {
    gssize from;
    int columns, rows, panels;
    gssize to;
  } moves[] = {
    { -1, 1, 0, 0, 0 }, { 0, 0, 1, 0, 2 },   { 3, 1, 0, 0, 3 },  { 3, 0, 0, 1, 4 },
    { 4, 0, 1, 0, 8 },  { 12, 1, 0, 0, 12 }, { 12, 0, 0, 1, 0 }, { 1, 0, 0, -1, 12 },
  };
  static const struct
  {
    gssize marked[2];
    gsize cells[2];
    gboolean is_same;
  } looks[] = {
    /* An element has its thread's colour, and not another's. */
    { { -1, -1 }, { 8, 2 }, TRUE },
    { { -1, -1 }, { 8, 3 }, FALSE },
    /* What a marked thread does not touch is faint; of the shared element, no thread is. */
    { { 2, -1 }, { 5, 5 }, FALSE },
    { { 1, -1 }, { 3, 3 }, FALSE },
    { { 12, -1 }, { 3, 3 }, TRUE },
  };
  g_autoptr (CuredBankView) view = make_thread_view ();
  g_autoptr (CuredChart) chart = cured_thread_plot_new (view);

  g_assert_cmpuint (chart->n_steps, ==, 4);
  for (gsize i = 0; i < G_N_ELEMENTS (moves); i++)
    g_assert_cmpint (
        chart->klass->move (chart, moves[i].from, moves[i].columns, moves[i].rows, moves[i].panels),
        ==, moves[i].to);
  for (gsize i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      guint32 pixels[2];

      for (gsize k = 0; k < 2; k++)
        {
          g_auto (Picture) picture = { 0 };

          picture_init (&picture, cured_thread_plot_new (view), FALSE, -1, -1, looks[i].marked[k],
                        -1);
          /* Beside the number and within the frame. */
          pixels[k] = get_item_pixel (&picture, looks[i].cells[k], 5, 5);
        }
      g_assert_cmpint (pixels[0] == pixels[1], ==, looks[i].is_same);
    }
}

/* Of many rows, those that are touched first are shown, wherever they are. */
TEST ("/charts/many-rows")
{
  g_autoptr (CuredBankView) view = _cured_bank_view_new_empty ();

  view->threads[0] = view->threads[1] = view->threads[2] = 1;
  view->n_slices = 1;
  view->slices = g_new0 (CuredBankSlice, 1);
  view->slices[0] =
      (CuredBankSlice){ .buffer = g_strdup ("in"), .bytes = 4096, .element_bytes = 1 };
  view->n_touches = 40;
  view->touches = g_new0 (CuredBankTouch, 40);
  for (guint i = 0; i < 40; i++)
    view->touches[i] = (CuredBankTouch){ .element = 16 * (39 - i), .flags = CURED_BANK_PART_READ };
  g_autoptr (CuredChart) chart = cured_thread_plot_new (view);
  /* A row of one thread, then 32 rows: those of the elements from 8 · 16 to 39 · 16. */
  g_autofree char *first = chart->klass->describe (chart, 16, -1);
  g_autofree char *last = chart->klass->describe (chart, 16 + 31 * 16, -1);
  g_assert_true (g_str_has_prefix (first, "in[128]; read by thread 0"));
  g_assert_true (g_str_has_prefix (last, "in[624]; read by thread 0"));
  g_assert_cmpint (chart->klass->move (chart, 16 + 31 * 16, 0, 1, 0), ==, 16 + 31 * 16);
}

/* Lengths are in proportion, and there is no bar where there is no value. */
TEST ("/charts/bars")
{
  g_auto (Picture) picture = { 0 };
  int lengths[3] = { 0 };

  picture_init (&picture, make_bars (), FALSE, 800, -1, -1, -1);
  CuredRect row = locate (&picture, 1);
  /* Right of the labels, which take two fifths at most. */
  guint32 colour = get_pixel (&picture, 800 * 0.4 + 14, row.y + row.height / 2);
  g_assert_cmphex (colour, !=, to_pixel (picture.style.background));
  for (int i = 0; i < 3; i++)
    for (int x = 0; x < 800; x++)
      lengths[i] += get_pixel (&picture, x, row.y + (i - 0.5) * row.height) == colour;
  g_assert_cmpint (lengths[1], >, 60);
  g_assert_cmpint (ABS (lengths[0] - 2 * lengths[1]), <, 6);
  g_assert_cmpint (lengths[2], ==, 0);
}

/* How much is drawn in the last line, where ticks are explained. */
static guint
count_legend (const char *tick_title)
{
  g_auto (Picture) picture = { 0 };
  CuredChart *chart = make_bars ();
  guint n = 0;

  ((CuredBars *) chart)->tick_title = g_strdup (tick_title);
  picture_init (&picture, chart, FALSE, 800, -1, -1, -1);
  CuredRect row = locate (&picture, 2);
  for (int y = (int) (row.y + 1.6 * row.height); y < (int) (row.y + 2.1 * row.height); y++)
    for (int x = 500; x < 800; x++)
      n += get_pixel (&picture, x, y) != to_pixel (picture.style.background);
  return n;
}

TEST ("/charts/legend")
{
  g_assert_cmpuint (count_legend (NULL), ==, 0);
  g_assert_cmpuint (count_legend ("at the defaults"), >, 100);
}

TEST ("/charts/ladder")
{
  g_autoptr (CuredLadder) ladder =
      MUST (cured_ladder_new ("matmul", g_getenv ("CURED_TEST_RESULTS"), NULL, NULL, &fail));

  g_autoptr (CuredLadderView) view = cured_ladder_view_new (ladder, 0);
  g_autoptr (CuredChart) times_chart =
      &cured_bars_new_for_ladder (view, CURED_METRIC_time, "matmul/best")->chart;
  g_autoptr (CuredChart) rates_chart =
      &cured_bars_new_for_ladder (view, CURED_METRIC_flop_rate, NULL)->chart;
  const CuredBars *times = (const CuredBars *) times_chart;
  g_assert_cmpuint (times->bars->len, ==, view->rungs->len);
  g_assert_cmpuint (times->lines->len, ==, 2);
  g_assert_cmpstr (times->tick_title, ==, "at the kernel's defaults");
  const CuredBar *naive = &g_array_index (times->bars, CuredBar, 0);
  g_assert_true (naive->is_soft);
  g_assert_true (g_str_has_prefix (naive->text, "≈ "));
  g_assert_false (naive->is_current);
  g_assert_true (g_array_index (times->bars, CuredBar, times->bars->len - 1).is_current);
  /* What is scaled is the time; the rate is as it was. */
  naive = &g_array_index (((const CuredBars *) rates_chart)->bars, CuredBar, 0);
  g_assert_false (g_str_has_prefix (naive->text, "≈ "));
  g_autoptr (CuredDrawing) drawing = cured_drawing_new_ladder (view, CURED_METRIC_time);
  g_assert_true (cured_drawing_has_table (drawing));
  g_assert_cmpstr (cured_drawing_get_name (drawing), ==, "ladder-matmul");
}

/* A point for each file, by date; changes beyond the noise are reported. */
TEST ("/charts/history")
{
  static const double factors[] = { 2, 2, 1, 3 };
  static const char *const words[] = { "a.cured", "b.cured", "−50.0 %, better", "worse" };
  const char *folder = test_folder ();
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);

  for (gsize i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      char name[] = "a.cured";

      name[0] = (char) ('a' + i);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      make_result (path, &(MakeResult){ .factor = factors[i] });
      g_ptr_array_add (results, MUST (cured_result_load (path, NULL, &fail)));
    }
  CuredResult *const *files = (CuredResult *const *) results->pdata;
  g_autoptr (GPtrArray) history =
      MUST (cured_history_new (files, results->len, "time", NULL, -1, &fail));
  g_assert_cmpuint (history->len, ==, 1);
  CuredChart *chart = cured_history_plot_new (files, history->pdata[0], "time");
  g_assert_cmpuint (chart->n_items, ==, G_N_ELEMENTS (factors));
  for (gsize i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      g_autofree char *text = chart->klass->describe (chart, (gssize) i, -1);

      g_assert_nonnull (strstr (text, words[i]));
      g_assert_cmpint (strstr (text, "better") != NULL, ==, i == 2);
      g_assert_cmpint (strstr (text, "worse") != NULL, ==, i == 3);
    }
  check_items (chart, -1);

  /* A cell that is not the best one is followed over the files. */
  const CuredHistorySeries *best = history->pdata[0];
  gint64 cell = g_array_index (best->entries, CuredHistoryEntry, 0).cell == 0 ? 1 : 0;
  g_autoptr (GPtrArray) followed =
      MUST (cured_history_new (files, results->len, "time", files[0], cell, &fail));
  g_assert_cmpuint (followed->len, ==, 1);
  const CuredHistorySeries *series = followed->pdata[0];
  g_assert_cmpuint (series->entries->len, ==, G_N_ELEMENTS (factors));
  for (guint i = 0; i < series->entries->len; i++)
    g_assert_cmpint (g_array_index (series->entries, CuredHistoryEntry, i).cell, ==, cell);
  g_assert_nonnull (strstr (series->title, "tile = "));
}
