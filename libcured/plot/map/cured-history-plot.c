/* SPDX-License-Identifier: MIT
 * The best cells of several files as a line: a point for each file. */
#include "config.h"

#include "plot/map/cured-map-charts-private.h"

#include "base/cured-base-internal.h"

/* Height below the plot, in lines of text. */
#define BOTTOM_LINES 1.8

#define WIDTH       640.0
#define HEIGHT      320.0
#define LEAST_WIDTH 240.0

#define RADIUS 4.5

typedef struct
{
  double value;  /* NaN: no cell is ok */
  char *date;    /* the day, or the time of the same day */
  char *text;    /* description, in one line */
  int direction; /* 1: better than the file before, beyond the noise; -1: worse; 0: neither */
} Point;

typedef struct
{
  CuredChart chart;
  GArray *points;  /* of Point, by date */
  CuredMapScale y; /* its ends are NaN: no value */
  char *series;
  char *day; /* nullable: day of the last point */
} History;

CURED_CLEAR_FUNC (Point, point_clear, date, g_free, text, g_free)

static const Point *
get_point (const History *self, gsize i)
{
  return &g_array_index (self->points, Point, i);
}

/* The middle of a file's column. */
static double
get_x (const History *self, const CuredRect *plot, gsize i)
{
  return plot->x + plot->width * ((double) i + 0.5) / MAX (self->points->len, 1);
}

static double
get_y (const History *self, const CuredRect *plot, double value)
{
  return plot->y + plot->height * (1 - _cured_map_scale_get_share (&self->y, value));
}

static void
draw_axes (const History *self, cairo_t *cr, const CuredPlotStyle *style, CuredPlotText *text,
           const CuredRect *plot, double line)
{
  double bottom = plot->y + plot->height;
  /* Skip dates that have no room. */
  gsize every = (gsize) ceil (8 * line * self->points->len / plot->width);

  _cured_map_scale_draw (&self->y, cr, style, text, plot, line);
  for (gsize i = 0; i < self->points->len; i += MAX (every, 1))
    _cured_plot_text_paint (text, cr, style->dim, get_point (self, i)->date, CURED_ALIGN_CENTRE,
                            get_x (self, plot, i), bottom + 4, 8 * line);
  double width = _cured_plot_text_paint (text, cr, style->foreground, self->y.title,
                                         CURED_ALIGN_START, plot->x, 2, plot->width);
  _cured_plot_text_paint (text, cr, style->dim,
                          /* Translators: what two marks in a plot mean, of a measurement. */
                          _ ("▲ better, ▼ worse than the file before"), CURED_ALIGN_END,
                          plot->x + plot->width, 2, MAX (plot->width - width - line, 0));
}

static void
history_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
                 double *least_width, double *width, double *height)
{
  *least_width = LEAST_WIDTH;
  *width = WIDTH;
  *height = HEIGHT;
}

/* A disc, or a triangle, which points up if the value is better. */
static void
draw_point (cairo_t *cr, const CuredPlotStyle *style, const Point *point, double x, double y)
{
  double r = point->direction != 0 ? RADIUS + 2 : RADIUS, tip = y - point->direction * r;
  double base = y + point->direction * r * 0.8;
  CuredColour colour = point->direction > 0   ? (CuredColour){ 0.15, 0.6, 0.25 }
                       : point->direction < 0 ? (CuredColour){ 0.8, 0.15, 0.15 }
                                              : style->accent;

  cairo_new_path (cr);
  if (point->direction == 0)
    cairo_arc (cr, x, y, r, 0, 2 * G_PI);
  else
    _cured_plot_add_triangle (cr, x, tip, x + r, base, x - r, base);
  _cured_plot_fill (cr, colour, 1);
}

static void
history_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const History *self = (const History *) chart;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  CuredRect plot;
  double line;

  _cured_map_chart_get_plot (shown, BOTTOM_LINES, &plot, &line);
  _cured_plot_text_begin (text, cr, shown->style, 1);
  if (isnan (self->y.low))
    {
      _cured_plot_text_paint (text, cr, shown->style->dim, _ ("No cell has a value."),
                              CURED_ALIGN_START, 4, 2, shown->width);
      return;
    }
  draw_axes (self, cr, shown->style, text, &plot, line);
  cairo_new_path (cr);
  for (guint i = 0; i < self->points->len; i++)
    if (!isnan (get_point (self, i)->value))
      cairo_line_to (cr, get_x (self, &plot, i), get_y (self, &plot, get_point (self, i)->value));
  _cured_plot_stroke (cr, shown->style->accent, 0.7, 1.5);
  for (guint i = 0; i < self->points->len; i++)
    {
      const Point *point = get_point (self, i);
      double x = get_x (self, &plot, i);

      if ((gssize) i == shown->item || (gssize) i == shown->hovered)
        {
          _cured_plot_add_line (cr, round (x) + 0.5, plot.y, round (x) + 0.5, plot.y + plot.height);
          _cured_plot_stroke (cr, shown->style->foreground, (gssize) i == shown->item ? 0.9 : 0.4,
                              1);
        }
      if (!isnan (point->value))
        draw_point (cr, shown->style, point, x, get_y (self, &plot, point->value));
    }
}

static gssize
history_pick (const CuredChart *chart, const CuredChartShown *shown, double x, double y)
{
  CuredRect plot;
  double line;

  _cured_map_chart_get_plot (shown, BOTTOM_LINES, &plot, &line);
  if (x < plot.x || x >= plot.x + plot.width || y < plot.y || y > plot.y + plot.height)
    return -1;
  return (gssize) ((x - plot.x) / plot.width * (double) chart->n_items);
}

static void
history_locate (const CuredChart *chart, const CuredChartShown *shown, gsize item, CuredRect *rect)
{
  CuredRect plot;
  double line;

  _cured_map_chart_get_plot (shown, BOTTOM_LINES, &plot, &line);
  *rect = (CuredRect){ get_x ((const History *) chart, &plot, item) - line, plot.y, 2 * line,
                       plot.height };
}

static char *
history_describe (const CuredChart *chart, gssize item, gssize step)
{
  const History *self = (const History *) chart;

  if (item >= 0 && item < (gssize) self->points->len)
    return g_strdup (get_point (self, (gsize) item)->text);
  /* Translators: a figure, and a kernel with its device: the best cell of each file is shown. */
  return g_strdup_printf (_ ("%s of the best cell of each file: %s"), self->y.title, self->series);
}

CURED_FREE_FUNC (History, history_free, points, g_array_unref, y.title, g_free, series, g_free, day,
                 g_free)

static const CuredChartClass history_class = {
  .measure = history_measure,
  .draw = history_draw,
  .pick = history_pick,
  .locate = history_locate,
  .move = _cured_map_chart_move,
  .describe = history_describe,
  .free = history_free,
};

/* "a.cured, 2026-01-02 10:30: 106 µs, +3.20 %, worse; tile = 16" */
static char *
describe_entry (CuredResult *result, const CuredHistoryEntry *entry, const char *date,
                const char *unit)
{
  const char *path = cured_result_get_path (result);
  g_autofree char *name = g_filename_display_basename (path != NULL ? path : "");
  g_autofree char *figure = cured_format_quantity (entry->pair.b, unit);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s, %s: %s", name, date,
                          entry->cell >= 0 ? figure : _ ("no cell is ok"));
  if (entry->cell < 0)
    return g_string_free (text, FALSE);
  if (!isnan (entry->pair.ratio))
    {
      g_autofree char *change = cured_format_quantity (fabs (entry->pair.ratio - 1), "ratio");

      g_string_append_printf (text, ", %s%s", entry->pair.ratio < 1 ? "−" : "+", change);
    }
  if (entry->pair.verdict != CURED_VERDICT_SAME)
    g_string_append_printf (text, ", %s", _ (cured_verdict_to_string (entry->pair.verdict)));
  g_autofree char *cell = _cured_map_chart_name_cell (result, entry->cell);
  g_string_append_printf (text, "; %s", cell);
  return g_string_free (text, FALSE);
}

static void
add_point (History *self, CuredResult *result, const CuredHistoryEntry *entry)
{
  g_autofree char *date = cured_format_date (cured_result_get_created (result));
  CuredVerdict verdict = entry->pair.verdict;
  /* As in "2026-01-02 10:30". */
  g_autofree char *day = g_strndup (date, strcspn (date, " "));
  gboolean is_same_day = g_strcmp0 (day, self->day) == 0;
  Point point = {
    .value = entry->cell >= 0 ? entry->pair.b : NAN,
    .date = g_strdup (is_same_day ? date + strlen (day) + 1 : day),
    .text = describe_entry (result, entry, date, self->y.unit),
    .direction = verdict == CURED_VERDICT_BETTER  ? 1
                 : verdict == CURED_VERDICT_WORSE ? -1
                                                  : 0,
  };

  g_free (self->day);
  self->day = g_steal_pointer (&day);
  g_array_append_val (self->points, point);
  if (isnan (point.value))
    return;
  self->y.low = isnan (self->y.low) ? point.value : MIN (self->y.low, point.value);
  self->y.high = isnan (self->y.high) ? point.value : MAX (self->y.high, point.value);
}

/* @results: the results of which cured_history_new() made @series; not kept
 * @series: files of one kernel, device and problem
 * @metric: id of the metric
 *
 * Items are the entries of @series. A triangle marks a file that is better (pointing up) or worse
 * than the one before it by more than the noise.
 * Returns: (transfer full): a line; free with cured_chart_free() */
CuredChart *
cured_history_plot_new (CuredResult *const *results, const CuredHistorySeries *series,
                        const char *metric)
{
  History *self = g_new0 (History, 1);
  gsize index = 0;

  self->points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_array_set_clear_func (self->points, point_clear);
  self->series = g_strdup (series->title);
  self->y.low = self->y.high = NAN;
  cured_result_find_metric (results[0], metric, &index);
  const CuredMetricInfo *info = &cured_result_get_metrics (results[0], NULL)[index];
  self->y.title = cured_grid_name_metric (results[0], info);
  self->y.unit = g_intern_string (info->unit);
  CURED_EACH (const CuredHistoryEntry, entry, series->entries)
    add_point (self, results[entry->file], entry);
  if (self->y.high > self->y.low)
    _cured_map_scale_add_margin (&self->y, 0.1);
  else if (self->y.low > 0)
    {
      self->y.low *= 0.9;
      self->y.high *= 1.1;
    }
  self->chart.klass = &history_class;
  self->chart.n_items = self->points->len;
  return &self->chart;
}
