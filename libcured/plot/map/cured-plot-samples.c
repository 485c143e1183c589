/* SPDX-License-Identifier: MIT
 * All samples of one cell, in the order in which they were taken. */
#include "plot/map/cured-map-plot-private.h"
#include "plot/cured-chart.h"

#include "base/cured-base-internal.h"

/* Room for the samples of one mode: height in lines of text, width in units. */
#define MODE_LINES    7.0
#define LEAST_WIDTH   160.0
#define NATURAL_WIDTH 280.0

typedef struct
{
  const CuredSamples *samples;
  const char *title;
  guint n_throttled;
  double low, high;
} Panel;

static gboolean
has_samples (const CuredSamples *samples)
{
  return samples != NULL && samples->samples != NULL && samples->samples->len > 0;
}

static void
make_room (Panel *self, const CuredSamples *samples)
{
  CURED_EACH (const CuredSample, sample, samples->samples)
    {
      if (!(sample->time_ns >= self->low))
        self->low = sample->time_ns;
      if (!(sample->time_ns <= self->high))
        self->high = sample->time_ns;
    }
}

/* @beside: (nullable): samples that share the scale */
static gboolean
panel_init (Panel *self, const CuredSamples *samples, const CuredSamples *beside, const char *title)
{
  *self = (Panel){ samples, title, 0, NAN, NAN };
  if (!has_samples (samples))
    return FALSE;
  make_room (self, samples);
  if (has_samples (beside))
    make_room (self, beside);
  for (guint i = 0; i < samples->samples->len; i++)
    if (g_array_index (samples->samples, CuredSample, i).throttled)
      self->n_throttled++;
  return isfinite (self->low) && isfinite (self->high);
}

static void
draw_diamond (cairo_t *cr, double x, double y, double r)
{
  cairo_new_sub_path (cr);
  cairo_move_to (cr, x, y - r);
  cairo_line_to (cr, x + r, y);
  cairo_line_to (cr, x, y + r);
  cairo_line_to (cr, x - r, y);
  cairo_close_path (cr);
}

/* Throttled samples have another shape, not only another colour. */
static void
draw_dots (cairo_t *cr, const Panel *panel, const CuredPlotStyle *style, const CuredPlotSpan *span,
           const CuredRect *plot)
{
  const GArray *samples = panel->samples->samples;
  double step = plot->width / samples->len, radius = CLAMP (step * 0.4, 1, 2.5);

  for (guint i = 0; i < samples->len; i++)
    {
      const CuredSample *sample = &g_array_index (samples, CuredSample, i);
      double y = _cured_plot_span_get_y (span, plot, sample->time_ns);

      if (sample->throttled || !isfinite (y))
        continue;
      cairo_new_sub_path (cr);
      cairo_arc (cr, plot->x + (i + 0.5) * step, y, radius, 0, 2 * G_PI);
    }
  _cured_plot_fill (cr, style->accent, 0.9);
  for (guint i = 0; i < samples->len; i++)
    {
      const CuredSample *sample = &g_array_index (samples, CuredSample, i);
      double y = _cured_plot_span_get_y (span, plot, sample->time_ns);

      if (sample->throttled && isfinite (y))
        draw_diamond (cr, plot->x + (i + 0.5) * step, y, radius + 1.5);
    }
  _cured_plot_stroke (cr, style->foreground, 0.9, 1.2);
}

static char *
describe_panel (const Panel *panel, const CuredPlotScale *scale)
{
  const CuredStatistics *statistics = &panel->samples->statistics;
  guint n = panel->samples->samples->len;
  g_autofree char *number = cured_format_count (n);
  g_autofree char *count =
      g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s sample", "%s samples", n), number);
  g_autofree char *median = cured_format_quantity (statistics->median, "ns");

  if (panel->n_throttled == 0)
    return g_strdup_printf (
        /* Translators: “Cold”, a time, “100 samples”. */
        _ ("%s · median %s · %s"), panel->title, median, count);
  return g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE,
                   /* Translators: “Cold”, a time, “100 samples”, and how many of
           * them were taken while the device was throttled. */
                   "%s · median %s · %s · %u throttled ◇", "%s · median %s · %s · %u throttled ◇",
                   panel->n_throttled),
      panel->title, median, count, panel->n_throttled);
}

static void
draw_panel (cairo_t *cr, CuredPlotText *text, const Panel *panel, const CuredPlotStyle *style,
            const CuredRect *area)
{
  const CuredStatistics *statistics = &panel->samples->statistics;
  double line = ceil (_cured_plot_text_get_line_height (text)), pad = round (line / 2);
  double margin = MAX ((panel->high - panel->low) * 0.08, fabs (panel->high) * 0.005);
  CuredPlotSpan span = { panel->low - margin, panel->high + margin, FALSE };
  double ticks[CURED_PLOT_MAX_TICKS];
  CuredPlotScale scale;
  double widest = 0, step = 0;

  _cured_plot_scale_init (&scale, "ns", panel->low, panel->high);
  g_autofree char *title = describe_panel (panel, &scale);
  _cured_plot_text_paint (text, cr, style->foreground, title, CURED_ALIGN_START, area->x, area->y,
                          area->width);
  CuredRect plot = (CuredRect){
    area->x,
    area->y + line + pad / 2,
    area->width,
    area->height - 2 * line - pad,
  };
  if (plot.height < 4)
    return;
  /* At least two, since one number is not a scale. */
  gsize n = 0;
  for (gsize wanted = (gsize) CLAMP (plot.height / (1.6 * line), 2, 8); n < 2 && wanted <= 8;
       wanted++)
    n = _cured_plot_span_get_ticks (&span, &scale, wanted, ticks, &step);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *label = _cured_plot_scale_format_tick (&scale, ticks[i], step);

      widest = MAX (widest, _cured_plot_text_measure_number (text, label));
    }
  plot.x = round (area->x + widest + pad);
  plot.width = floor (area->x + area->width - plot.x);
  if (plot.width < 8)
    return;

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *label = _cured_plot_scale_format_tick (&scale, ticks[i], step);
      double y = _cured_plot_span_get_y (&span, &plot, ticks[i]);

      _cured_plot_text_add_number (text, label, CURED_ALIGN_END, plot.x - pad / 2, y);
      _cured_plot_add_line (cr, plot.x, round (y) + 0.5, plot.x + plot.width, round (y) + 0.5);
    }
  _cured_plot_stroke (cr, style->dim, 0.25, 1);
  _cured_plot_set_colour (cr, style->dim, 1);
  _cured_plot_text_flush_numbers (text, cr);
  _cured_plot_text_draw (text, cr, scale.is_individual ? _ ("time") : scale.unit, CURED_ALIGN_START,
                         area->x, plot.y + plot.height + pad / 2, plot.x - area->x);
  _cured_plot_text_draw (text, cr,
                         /* xgettext:no-c-format */
                         _ ("band: 95 % interval of the median"), CURED_ALIGN_START, plot.x,
                         plot.y + plot.height + pad / 2, plot.width);

  _cured_plot_begin_clip (cr, &plot);
  if (isfinite (statistics->low) && isfinite (statistics->high))
    {
      double y0 = _cured_plot_span_get_y (&span, &plot, statistics->high);
      double y1 = _cured_plot_span_get_y (&span, &plot, statistics->low);

      _cured_plot_fill_rect (cr, &(CuredRect){ plot.x, y0, plot.width, MAX (y1 - y0, 1) },
                             style->accent, 0.22);
    }
  if (isfinite (statistics->median))
    {
      double y = _cured_plot_span_get_y (&span, &plot, statistics->median);

      _cured_plot_add_line (cr, plot.x, y, plot.x + plot.width, y);
      _cured_plot_stroke (cr, style->foreground, 0.8, 1.5);
    }
  draw_dots (cr, panel, style, &span, &plot);
  cairo_restore (cr);
}

typedef struct
{
  CuredChart chart;
  const CuredOutcome *outcome; /* borrowed */
  const CuredOutcome *beside;  /* borrowed; nullable */
} Strip;

static void
strip_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const Strip *self = (const Strip *) chart;
  const CuredPlotStyle *style = shown->style;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  Panel panels[2];
  guint n = 0;

  if (!(shown->width >= 1 && shown->height >= 1))
    return;
  if (panel_init (&panels[n], self->outcome->cold, self->beside != NULL ? self->beside->cold : NULL,
                  _ ("Cold")))
    n++;
  if (panel_init (&panels[n], self->outcome->hot, self->beside != NULL ? self->beside->hot : NULL,
                  _ ("Hot")))
    n++;
  cairo_save (cr);
  cairo_new_path (cr);
  _cured_plot_text_begin (text, cr, style, 1);
  double line = ceil (_cured_plot_text_get_line_height (text)), pad = round (line / 2);
  if (style->draw_background)
    _cured_plot_fill_rect (cr, &(CuredRect){ 0, 0, shown->width, shown->height }, style->background,
                           1);
  if (n == 0)
    _cured_plot_text_paint (text, cr, style->dim, _ ("No samples"), CURED_ALIGN_CENTRE,
                            shown->width / 2, (shown->height - line) / 2, shown->width);
  for (guint i = 0; i < n; i++)
    {
      double share = floor (shown->height / n);
      CuredRect area = {
        pad,
        share * i + pad / 2,
        MAX (shown->width - 2 * pad, 0),
        MAX (share - pad, 0),
      };

      draw_panel (cr, text, &panels[i], style, &area);
    }
  cairo_restore (cr);
}

static void
strip_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
               double *least_width, double *width, double *height)
{
  const Strip *self = (const Strip *) chart;
  CuredPlotText *text = _cured_plot_text_for (style);

  *least_width = LEAST_WIDTH;
  *width = NATURAL_WIDTH;
  *height = ceil (((self->outcome->cold != NULL) + (self->outcome->hot != NULL)) * MODE_LINES *
                  _cured_plot_text_get_line_height (text));
}

static void
append_samples (GString *text, const CuredSamples *samples)
{
  if (samples == NULL)
    return;
  g_autofree char *count = cured_format_count (samples->samples->len);
  g_autofree char *median = cured_format_quantity (samples->statistics.median, "ns");
  g_string_append (text, ". ");
  g_string_append_printf (text,
                          /* Translators: how many samples, and their median. */
                          samples->mode == CURED_TIMING_COLD
                              ? g_dngettext (GETTEXT_PACKAGE, "%s cold sample, median %s",
                                             "%s cold samples, median %s", samples->samples->len)
                              : g_dngettext (GETTEXT_PACKAGE, "%s hot sample, median %s",
                                             "%s hot samples, median %s", samples->samples->len),
                          count, median);
}

static char *
strip_describe (const CuredChart *chart, gssize item, gssize step)
{
  const Strip *self = (const Strip *) chart;
  GString *text = g_string_new (_ ("Samples"));

  append_samples (text, self->outcome->cold);
  append_samples (text, self->outcome->hot);
  return g_string_free (text, FALSE);
}

static const CuredChartClass strip_class = {
  .measure = strip_measure,
  .draw = strip_draw,
  .describe = strip_describe,
  .free = g_free,
};

/* @outcome: outcome of a cell; borrowed
 * @beside: (nullable): outcome of another cell, whose samples are shown beside these with the same
 *   scales; borrowed
 *
 * The samples of a cell in the order in which they were taken, the cold ones above the hot ones,
 * each with its own scale, the median as a line and its confidence interval as a band. Throttled
 * samples are diamonds.
 * Returns: (transfer full): a picture, without items */
CuredChart *
cured_samples_plot_new (const CuredOutcome *outcome, const CuredOutcome *beside)
{
  Strip *self = g_new0 (Strip, 1);

  *self = (Strip){ { &strip_class, 0, 0 }, outcome, beside };
  return &self->chart;
}
