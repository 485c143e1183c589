/* SPDX-License-Identifier: MIT
 * Horizontal bars with lines across them: geometry, and drawing with Cairo. */
#include "plot/cured-plot-bars-internal.h"

#include "base/cured-base-internal.h"
#include "plot/cured-paint-private.h"

/* A row's height, in lines of its text. */
#define ROW_LINES 1.8

/* The bar's share of its row. */
#define BAR_SHARE 0.62

/* Greatest share of the whole width for labels. */
#define LABELS_SHARE 0.4

#define GAP 8.0

#define LEAST_WIDTH   320.0
#define NATURAL_WIDTH 720.0

/* Rows that the Page Up and Page Down keys move. */
#define PAGE_ROWS 5

CURED_CLEAR_FUNC (CuredBar, bar_clear, number, g_free, label, g_free, text, g_free)

CURED_CLEAR_FUNC (CuredBarLine, line_clear, label, g_free)

/* ---- Geometry ---- */

typedef struct
{
  double width;
  CuredRect plot;       /* rectangle of the bars */
  double labels_width;  /* width left of the plot, numbers included */
  double numbers_width; /* width of the numbers before the labels */
  double row_height, line_height;
  double most; /* the value at the right end of the plot */
} Geometry;

static void
geometry_init (Geometry *self, const CuredBars *bars, const CuredPlotStyle *style, double width)
{
  CuredPlotText *text = _cured_plot_text_for (style);
  double labels = 0, numbers = 0, values = 0;

  *self = (Geometry){ .width = width };
  self->line_height = ceil (_cured_plot_text_get_line_height (text));
  self->row_height = round (self->line_height * ROW_LINES);
  CURED_EACH (const CuredBar, bar, bars->bars)
    {
      labels = MAX (labels, _cured_plot_text_measure (text, bar->label));
      if (bar->number != NULL)
        numbers = MAX (numbers, _cured_plot_text_measure (text, bar->number) + GAP);
      values = MAX (values, _cured_plot_text_measure (text, bar->text));
      if (!isnan (bar->value))
        self->most = MAX (self->most, bar->value);
    }
  CURED_EACH (const CuredBarLine, line, bars->lines)
    if (!isnan (line->value))
      self->most = MAX (self->most, line->value);
  self->most = self->most > 0 ? self->most * 1.02 : 1;
  self->numbers_width = numbers > 0 ? numbers + 4 : 0;
  self->labels_width = ceil (MIN (labels + self->numbers_width + GAP, width * LABELS_SHARE));
  self->plot.x = self->labels_width + GAP;
  self->plot.width = MAX (width - self->plot.x - values - 2 * GAP, 1);
  /* The names of the lines are above the bars, one below the other. */
  self->plot.y =
      bars->lines->len > 0 ? bars->lines->len * (self->line_height + 2) + GAP / 2 : GAP / 2;
  self->plot.height = bars->bars->len * self->row_height;
}

/* The height depends only on the text, not on the width. */
static void
bars_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
              double *least_width, double *width, double *height)
{
  Geometry geometry;

  geometry_init (&geometry, (const CuredBars *) chart, style, NATURAL_WIDTH);
  *least_width = LEAST_WIDTH;
  *width = NATURAL_WIDTH;
  /* Includes the axis below the bars. */
  *height = geometry.plot.y + geometry.plot.height + 2 * geometry.line_height + GAP;
}

/* The end of a bar of this length. */
static double
get_x (const Geometry *self, double value)
{
  return self->plot.x + self->plot.width * CLAMP (value / self->most, 0.0, 1.0);
}

/* The bar's row, label and value included. */
static CuredRect
get_row (const Geometry *self, guint bar)
{
  return (CuredRect){ 0, self->plot.y + bar * self->row_height, self->width, self->row_height };
}

/* The first row includes the names of the lines. */
static void
bars_locate (const CuredChart *chart, const CuredChartShown *shown, gsize item, CuredRect *rect)
{
  Geometry geometry;

  geometry_init (&geometry, (const CuredBars *) chart, shown->style, shown->width);
  *rect = get_row (&geometry, (guint) item);
  if (item == 0)
    *rect = (CuredRect){ 0, 0, rect->width, rect->y + rect->height };
}

static gssize
bars_pick (const CuredChart *chart, const CuredChartShown *shown, double x, double y)
{
  Geometry geometry;

  geometry_init (&geometry, (const CuredBars *) chart, shown->style, shown->width);
  double row = (y - geometry.plot.y) / geometry.row_height;
  return x >= 0 && x < shown->width && row >= 0 && row < (double) chart->n_items ? (gssize) row
                                                                                 : -1;
}

static gssize
bars_move (const CuredChart *chart, gssize item, int columns, int rows, int pages)
{
  return CLAMP (item + rows + PAGE_ROWS * pages, 0, (gssize) chart->n_items - 1);
}

static char *
bars_describe (const CuredChart *chart, gssize item, gssize step)
{
  const CuredBars *self = (const CuredBars *) chart;

  if (item < 0)
    return g_strdup (self->title);
  const CuredBar *bar = &g_array_index (self->bars, CuredBar, item);
  /* Translators: the label of a bar, its value, which bar it is, and how many there are. */
  return g_strdup_printf (_ ("%s: %s, bar %d of %u"), bar->label, bar->text, (int) item + 1,
                          self->bars->len);
}

/* ---- Drawing ---- */

static void
draw_axis (cairo_t *cr, CuredPlotText *text, const CuredBars *bars, const Geometry *geometry,
           const CuredPlotStyle *style)
{
  const CuredRect *plot = &geometry->plot;
  double ticks[CURED_PLOT_MAX_TICKS];
  double bottom = plot->y + plot->height;
  CuredPlotScale scale;
  double step;
  g_autofree char *title = NULL;

  _cured_plot_scale_init (&scale, bars->unit, geometry->most, geometry->most);
  gsize n = _cured_plot_ticks_linear (
      0, geometry->most, (gsize) CLAMP (plot->width / (geometry->line_height * 4), 1, 10), ticks,
      &step);
  for (gsize i = 0; i < n; i++)
    {
      double x = round (get_x (geometry, ticks[i])) + 0.5;
      g_autofree char *label = _cured_plot_scale_format_tick (&scale, ticks[i], step);

      _cured_plot_add_line (cr, x, plot->y, x, bottom);
      _cured_plot_stroke (cr, style->dim, 0.25, 1);
      _cured_plot_text_paint (text, cr, style->dim, label, CURED_ALIGN_CENTRE, x, bottom + 2, -1);
    }
  if (*scale.unit != '\0')
    /* Translators: a figure and its unit, as in "Time (µs)". */
    title = g_strdup_printf (_ ("%s (%s)"), bars->title, scale.unit);
  _cured_plot_text_paint (text, cr, style->foreground, title != NULL ? title : bars->title,
                          CURED_ALIGN_START, plot->x, bottom + 2 + geometry->line_height,
                          geometry->width - plot->x);
}

static void
draw_tick (cairo_t *cr, const CuredPlotStyle *style, double x, double top, double bottom)
{
  _cured_plot_add_line (cr, round (x) + 0.5, top, round (x) + 0.5, bottom);
  _cured_plot_stroke (cr, style->foreground, 0.75, 1);
}

/* The legend is right of the axis's title. */
static void
draw_legend (cairo_t *cr, CuredPlotText *text, const CuredBars *bars, const Geometry *geometry,
             const CuredPlotStyle *style)
{
  double top = geometry->plot.y + geometry->plot.height + 2 + geometry->line_height;
  double left = geometry->width - 4 - _cured_plot_text_measure (text, bars->tick_title);

  draw_tick (cr, style, left - GAP, top + 2, top + geometry->line_height - 2);
  _cured_plot_text_paint (text, cr, style->dim, bars->tick_title, CURED_ALIGN_START, left, top, -1);
}

static void
draw_bar (cairo_t *cr, CuredPlotText *text, const CuredBar *bar, const CuredRect *row,
          const Geometry *geometry, const CuredPlotStyle *style)
{
  double thickness = round (row->height * BAR_SHARE);
  double top = round (row->y + (row->height - thickness) / 2);
  double baseline = row->y + (row->height - geometry->line_height) / 2;
  double end = get_x (geometry, bar->value);
  CuredRect rect = { geometry->plot.x, top, MAX (end - geometry->plot.x, 1), thickness };

  if (bar->number != NULL)
    _cured_plot_text_paint (text, cr, style->dim, bar->number, CURED_ALIGN_END,
                            geometry->numbers_width - GAP, baseline, -1);
  _cured_plot_text_paint (text, cr, bar->is_current ? style->accent : style->foreground, bar->label,
                          CURED_ALIGN_START, geometry->numbers_width, baseline,
                          geometry->labels_width - geometry->numbers_width);
  if (!isnan (bar->value))
    {
      double strength = bar->is_current ? 1.0 : 0.6;

      _cured_plot_fill_rect (cr, &rect, style->accent, bar->is_soft ? strength * 0.35 : strength);
      if (bar->is_soft)
        _cured_plot_hatch_rect (cr, style, &rect);
      if (!isnan (bar->tick) && bar->tick <= geometry->most)
        draw_tick (cr, style, get_x (geometry, bar->tick), top - 2, top + thickness + 2);
    }
  _cured_plot_text_paint (text, cr, isnan (bar->value) ? style->dim : style->foreground, bar->text,
                          CURED_ALIGN_END, geometry->width - 4, baseline,
                          geometry->width - geometry->plot.x);
}

static void
draw_lines (cairo_t *cr, CuredPlotText *text, const CuredBars *bars, const Geometry *geometry,
            const CuredPlotStyle *style)
{
  static const double dashes[] = { 5, 3 };

  /* Draw all lines before the names, so that none crosses a name. */
  for (guint k = 0; k < 2 * bars->lines->len; k++)
    {
      guint i = k % bars->lines->len;
      const CuredBarLine *line = &g_array_index (bars->lines, CuredBarLine, i);
      double x = round (get_x (geometry, line->value)) + 0.5, y = i * (geometry->line_height + 2);
      double width = _cured_plot_text_measure (text, line->label);
      double left = x + 4 + width <= geometry->width ? x + 4 : x - 4 - width;

      if (k < bars->lines->len)
        {
          _cured_plot_set_colour (cr, style->foreground, line->is_limit ? 1.0 : 0.7);
          cairo_set_line_width (cr, line->is_limit ? 2 : 1);
          cairo_set_dash (cr, dashes, line->is_limit ? 0 : 2, 0);
          _cured_plot_add_line (cr, x, y + 2, x, geometry->plot.y + geometry->plot.height);
          cairo_stroke (cr);
          cairo_set_dash (cr, NULL, 0, 0);
          continue;
        }
      /* The background of the text covers other lines. */
      _cured_plot_fill_rect (cr, &(CuredRect){ left - 1, y, width + 2, geometry->line_height },
                             style->background, 0.85);
      _cured_plot_text_paint (text, cr, line->is_limit ? style->foreground : style->dim,
                              line->label, CURED_ALIGN_START, MAX (left, 0), y, -1);
    }
}

static void
bars_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const CuredBars *bars = (const CuredBars *) chart;
  const CuredPlotStyle *style = shown->style;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  Geometry geometry;

  geometry_init (&geometry, bars, style, shown->width);
  _cured_plot_text_begin (text, cr, style, 1);
  for (guint i = 0; i < bars->bars->len; i++)
    {
      CuredRect row = get_row (&geometry, i);

      if ((gssize) i != shown->item && (gssize) i != shown->hovered)
        continue;
      _cured_plot_fill_rect (cr, &row, style->accent, (gssize) i == shown->item ? 0.16 : 0.07);
    }
  draw_axis (cr, text, bars, &geometry, style);
  if (bars->tick_title != NULL)
    draw_legend (cr, text, bars, &geometry, style);
  for (guint i = 0; i < bars->bars->len; i++)
    {
      CuredRect row = get_row (&geometry, i);

      draw_bar (cr, text, &g_array_index (bars->bars, CuredBar, i), &row, &geometry, style);
    }
  draw_lines (cr, text, bars, &geometry, style);
}

/* ---- The bars ---- */

CURED_FREE_FUNC (CuredBars, bars_free, bars, g_array_unref, lines, g_array_unref, title, g_free,
                 tick_title, g_free)

static const CuredChartClass bars_class = {
  .measure = bars_measure,
  .draw = bars_draw,
  .pick = bars_pick,
  .locate = bars_locate,
  .move = bars_move,
  .describe = bars_describe,
  .free = bars_free,
};

/* (transfer full): a chart without bars. @unit: (transfer none): of the values, like a metric's;
 * must be static. */
CuredBars *
cured_bars_new (const char *title, const char *unit)
{
  CuredBars *self = CURED_NEW (CuredBars, .chart.klass = &bars_class, .title = g_strdup (title),
                               .unit = unit, .bars = g_array_new (FALSE, FALSE, sizeof (CuredBar)),
                               .lines = g_array_new (FALSE, FALSE, sizeof (CuredBarLine)));

  g_array_set_clear_func (self->bars, bar_clear);
  g_array_set_clear_func (self->lines, line_clear);
  return self;
}

void
cured_bars_add (CuredBars *self, const CuredBar *bar)
{
  CuredBar copy = *bar;

  copy.number = g_strdup (bar->number);
  copy.label = g_strdup (bar->label);
  copy.text = g_strdup (bar->text);
  g_array_append_val (self->bars, copy);
  self->chart.n_items++;
}

void
cured_bars_add_line (CuredBars *self, const CuredBarLine *line)
{
  CuredBarLine copy = *line;

  copy.label = g_strdup (line->label);
  g_array_append_val (self->lines, copy);
}

/* ---- A ladder ---- */

static double
get_value (CuredMetric metric, const CuredRung *rung)
{
  if (metric == CURED_METRIC_time)
    return rung->time;
  if (metric == CURED_METRIC_of_ceiling)
    return rung->of_limit;
  return rung->cell != NULL ? rung->cell->metrics[metric] : CURED_MISSING;
}

static char *
get_text (const CuredRung *rung, double value, const char *unit)
{
  if (rung->cell == NULL)
    return g_strdup (_ ("not recorded"));
  if (isnan (value))
    return g_strdup ("—");
  g_autofree char *figure = cured_format_quantity (value, unit);
  if (rung->is_scaled && g_str_equal (unit, "ns"))
    /* Translators: about so much. */
    return g_strdup_printf (_ ("≈ %s"), figure);
  return g_steal_pointer (&figure);
}

static void
add_line (CuredBars *self, const char *name, double value, gboolean is_limit)
{
  CuredBarLine line = { .value = value, .is_limit = is_limit };

  if (isnan (value))
    return;
  g_autofree char *figure = cured_format_quantity (value, self->unit);
  /* Translators: whose figure, and the figure: "CUB 91.5 µs". */
  line.label = g_strdup_printf (_ ("%s %s"), name, figure);
  cured_bars_add_line (self, &line);
  g_free (line.label);
}

/* @view: a ladder at one problem
 * @metric: %CURED_METRIC_time, %CURED_METRIC_of_ceiling, or another metric of the recordings
 * @current: (nullable): id of the kernel to mark
 * Returns: (transfer full): a bar per step, a line per peer, and a line for the limit */
CuredBars *
cured_bars_new_for_ladder (const CuredLadderView *view, CuredMetric metric, const char *current)
{
  const CuredMetricInfo *info = cured_metric_info (metric);
  const CuredLadder *ladder = view->ladder;
  CuredBars *self = cured_bars_new (_ (info->title), info->unit);

  CURED_EACH (const CuredRung, rung, view->rungs)
    {
      const CuredKernel *kernel = rung->step->kernel;
      const char *id = kernel->id;
      double value = get_value (metric, rung);
      g_autofree char *number = g_strdup_printf ("%d", kernel->rung);
      g_autofree char *text = get_text (rung, value, info->unit);
      CuredBar bar = {
        .number = number,
        .label = (char *) cured_kernel_translate (kernel->title),
        .text = text,
        .value = value,
        .tick = metric == CURED_METRIC_time ? rung->standard_time
                : rung->standard == NULL    ? CURED_MISSING
                                            : rung->standard->metrics[metric],
        .is_current = g_strcmp0 (id, current) == 0,
        .is_soft = rung->is_scaled,
      };

      cured_bars_add (self, &bar);
      if (!isnan (bar.tick) && self->tick_title == NULL)
        /* Translators: of a tick in a bar: the figure there. */
        self->tick_title = g_strdup (_ ("at the kernel's defaults"));
    }
  CURED_EACH_POINTER (const CuredLadderPeer, peer, view->peers)
    {
      add_line (self, peer->name,
                metric == CURED_METRIC_time         ? peer->time
                : metric == ladder->rate            ? peer->rate
                : metric == CURED_METRIC_of_ceiling ? peer->rate / ladder->limit
                                                    : CURED_MISSING,
                FALSE);
    }
  if (ladder->limit_name != NULL)
    add_line (self, _ (ladder->limit_name),
              metric == CURED_METRIC_time         ? view->limit_time
              : metric == ladder->rate            ? ladder->limit
              : metric == CURED_METRIC_of_ceiling ? 1.0
                                                  : CURED_MISSING,
              TRUE);
  return self;
}
