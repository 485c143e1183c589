/* SPDX-License-Identifier: MIT
 * The legend of colours and marks: the bar of values and the keys of states. */
#include "plot/map/cured-map-plot-private.h"

#include "base/cured-base-internal.h"

#include "plot/map/cured-grid-internal.h"

#define N_STOPS 32

/* Digits of predicted values. */
#define PREDICTED_DIGITS 2

/* If the ends are at least this factor apart, ratios have ticks at 1, 2, 5, 10. */
#define LOGARITHMIC_RATIOS 9.0

static const char *
get_origin_text (CuredOrigin origin)
{
  switch (origin)
    {
    case CURED_ORIGIN_MEASURED: return _ ("measured");
    case CURED_ORIGIN_COUNTED: return _ ("counted");
    case CURED_ORIGIN_PREDICTED: return _ ("predicted");
    case CURED_ORIGIN_DERIVED:
    default: return _ ("derived");
    }
}

/* Initializes the format of a grid's values: in the metric's unit, or as multiples of the best
 * one. */
void
_cured_plot_scale_init_grid (CuredPlotScale *self, const CuredGrid *grid)
{
  _cured_plot_scale_init (self, grid->metric.unit, grid->low, grid->high);
  self->digits = cured_grid_is_predicted (grid) ? PREDICTED_DIGITS : 0;
  if (!cured_grid_is_relative (grid))
    return;
  self->is_relative = TRUE;
  self->is_individual = FALSE;
  self->factor = grid->values[grid->best];
  self->unit = "";
}

/* @factor: (out): size of the returned unit, in the metric's own unit
 *
 * Returns: (transfer none): the unit of the legend's figures; if each has its own, that of the
 *   least */
const char *
cured_grid_choose_unit (const CuredGrid *self, double *factor)
{
  CuredPlotScale scale;

  _cured_plot_scale_init (&scale, self->metric.unit, self->low, self->high);
  if (scale.is_individual)
    return cured_unit_choose (self->metric.unit, self->low, factor);
  *factor = scale.factor;
  return scale.unit;
}

/* (transfer full): what the values of a relative grid are multiples of. */
char *
_cured_plot_multiple_text (const CuredGrid *grid)
{
  if (grid->best_values == NULL)
    return g_strdup (_ ("× the best"));
  /* Translators: a parameter whose values are sizes of the problem: figures are multiples of the
   * best one of the same size, as in "× the best of its n". */
  return g_strdup_printf (_ ("× the best of its %s"),
                          grid->is_problem_x ? grid->x_title : grid->y_title);
}

/* The name, unit and origin of the numbers. */
char *
_cured_plot_metric_text (const CuredGrid *grid, const CuredPlotScale *scale)
{
  const char *title = _ (grid->metric.title), *origin = get_origin_text (grid->metric.origin);

  if (scale->is_relative)
    {
      g_autofree char *multiple = _cured_plot_multiple_text (grid);

      return g_strdup_printf ("%s · %s · %s", title, multiple, origin);
    }
  if (*scale->unit == '\0' || cured_grid_is_named (grid))
    return g_strdup_printf ("%s · %s", title, origin);
  return g_strdup_printf ("%s · %s · %s", title, scale->unit, origin);
}

static void
draw_tick (cairo_t *cr, CuredPlotCache *cache, const CuredRect *bar, double y, const char *label,
           double line)
{
  double at = CLAMP (y, bar->y + line / 2 - 2, bar->y + bar->height - line / 2 + 2);

  _cured_plot_text_add_number (cache->text, label, CURED_ALIGN_START,
                               bar->x + bar->width + line / 4 + 2, at);
  _cured_plot_add_line (cr, bar->x + bar->width, round (y) + 0.5, bar->x + bar->width + 3,
                        round (y) + 0.5);
}

static void
draw_ticks (cairo_t *cr, CuredPlotCache *cache, const CuredGrid *grid, const CuredRect *bar,
            double line)
{
  double ticks[CURED_PLOT_MAX_TICKS], step = 0, factor = cache->scale.factor;
  gsize most = (gsize) CLAMP (bar->height / (2 * line), 1, 12);
  double one_end = cured_grid_get_value (grid, 0), other_end = cured_grid_get_value (grid, 1);
  double low = MIN (one_end, other_end), high = MAX (one_end, other_end);
  gboolean logarithmic =
      cured_grid_is_ratio (grid) ? high / low > LOGARITHMIC_RATIOS : grid->logarithmic && low > 0;
  gsize n;

  if (logarithmic)
    n = _cured_plot_ticks_logarithmic (low / factor, high / factor, most, ticks);
  else
    n = _cured_plot_ticks_linear (low / factor, high / factor, most, ticks, &step);
  /* The ends are exact; round numbers fill the space between. */
  for (int end = 0; end < 2 && bar->height >= 2 * line; end++)
    {
      g_autofree char *label =
          _cured_plot_scale_format (&cache->scale, cured_grid_get_value (grid, end));

      draw_tick (cr, cache, bar, end == 1 ? bar->y : bar->y + bar->height - 1, label, line);
    }
  if (grid->limits.has_centre && bar->height >= 5 * line)
    {
      g_autofree char *label = _cured_plot_scale_format (&cache->scale, grid->limits.centre);

      draw_tick (cr, cache, bar, bar->y + bar->height / 2, label, line);
    }
  for (gsize i = 0; i < n; i++)
    {
      double value = ticks[i] * factor;
      double y = bar->y + (1 - cured_grid_get_position (grid, value)) * bar->height;

      if (y < bar->y + 1.6 * line || y > bar->y + bar->height - 1.6 * line ||
          (grid->limits.has_centre && fabs (y - bar->y - bar->height / 2) < 1.2 * line))
        continue;
      g_autofree char *label =
          logarithmic ? _cured_plot_scale_format_tick (&cache->scale, value, value)
                      : _cured_plot_scale_format_tick (&cache->scale, value, step * factor);
      draw_tick (cr, cache, bar, y, label, line);
    }
}

/* The bar's outline; an end is pointed if there are values beyond it. */
static void
add_bar (cairo_t *cr, const CuredPlotCache *cache, const CuredGrid *grid, const CuredRect *bar)
{
  /* Better values are at the top, whether they are less or more. */
  gboolean up_is_low = grid->metric.better == CURED_BETTER_LOWER;
  double low, high;

  _cured_grid_get_ends (&cache->shades, &low, &high);
  gboolean is_less = low > grid->low, is_more = high < grid->high;
  double middle = bar->x + bar->width / 2, right = bar->x + bar->width;
  double bottom = bar->y + bar->height, up = (up_is_low ? is_less : is_more) ? bar->width / 2 : 0;
  double down = (up_is_low ? is_more : is_less) ? bar->width / 2 : 0;

  cairo_move_to (cr, bar->x, bar->y + up);
  cairo_line_to (cr, middle, bar->y);
  if (up <= 0)
    cairo_line_to (cr, right, bar->y);
  else
    cairo_line_to (cr, right, bar->y + up);
  cairo_line_to (cr, right, bottom - down);
  cairo_line_to (cr, middle, bottom);
  cairo_line_to (cr, bar->x, bottom - down);
  cairo_close_path (cr);
}

/* Writes below the bar that its ends are those of the visible cells, or were chosen. */
static void
draw_seen (cairo_t *cr, CuredPlotCache *cache, const CuredPlotGeometry *geometry,
           const CuredPlotStyle *style)
{
  const CuredRect *bar = &geometry->legend;
  double y = bar->y + bar->height + geometry->line_height / 4;

  if (y + geometry->line_height > geometry->height)
    return;
  _cured_plot_set_colour (cr, style->accent, 1);
  _cured_plot_text_draw (
      cache->small_text, cr,
      cured_colour_limits_is_set (&cache->grid->limits)
          /* Translators: under a colour scale whose ends, or whose middle, somebody chose. */
          ? C_ ("colour scale", "own limits")
          /* Translators: under a colour scale that goes from the least to the greatest value of what
           * is seen, and not of all cells. */
          : C_ ("colour scale", "in view"),
      CURED_ALIGN_START, bar->x, y, MAX (geometry->width - bar->x, 0));
}

static void
draw_bar (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
          const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  const CuredRect *bar = &geometry->legend;
  double line = geometry->line_height;

  if (bar->height < line)
    return;
  cairo_pattern_t *gradient = cairo_pattern_create_linear (0, bar->y + bar->height, 0, bar->y);
  for (int i = 0; i <= N_STOPS; i++)
    {
      double position = (double) i / N_STOPS;
      CuredColour colour = cured_colour_map_get (grid->colours, position);

      cairo_pattern_add_color_stop_rgb (gradient, position, colour.red, colour.green, colour.blue);
    }
  cairo_set_source (cr, gradient);
  cairo_pattern_destroy (gradient);
  add_bar (cr, cache, grid, bar);
  cairo_fill (cr);

  /* Hatched, so that it is not mistaken for measured. */
  if (cured_grid_is_predicted (grid))
    _cured_plot_hatch_rect (cr, style, bar);

  if (cache->is_rescaled || cured_colour_limits_is_set (&grid->limits))
    draw_seen (cr, cache, geometry, style);
  draw_ticks (cr, cache, &cache->shades, bar, line);
  _cured_plot_stroke (cr, style->dim, 1, 1);
  _cured_plot_set_colour (cr, style->foreground, 1);
  _cured_plot_text_flush_numbers (cache->text, cr);

  /* A count of the whole run has no better end. */
  if (cured_metric_get_scope (&grid->metric) != CURED_SCOPE_NONE)
    {
      /* Better values are at the top, whether they are less or more. */
      double x = bar->x + bar->width / 2, y = geometry->plot.y + line / 2, r = line / 4;

      _cured_plot_set_colour (cr, style->dim, 1);
      _cured_plot_add_triangle (cr, x, y - r, x + r, y + r * 0.8, x - r, y + r * 0.8);
      cairo_fill (cr);
      _cured_plot_text_draw (
          cache->text, cr,
          /* Translators: beside an arrow that points to where figures are better. */
          C_ ("colour scale", "better"), CURED_ALIGN_START, bar->x + bar->width + line / 4 + 2,
          geometry->plot.y, MAX (geometry->width - bar->x - bar->width - line / 4 - 2, 0));
    }
}

typedef struct
{
  cairo_t *cr; /* NULL: only lay out */
  CuredPlotText *text;
  const CuredPlotStyle *style;
  const CuredRect *area;
  double line, x, y;
  const CuredColourMap *colours;
} Flow;

/* Keys beyond the states. */
enum
{
  KEY_REGION = CURED_N_LOOKS,
  KEY_CONTOUR,
  KEY_FLAG,
  KEY_ALIKE, /* ratios: no significant difference */
  KEY_NOTE,
  KEY_NAME, /* plus a value of the metric `limiter` */
};

static void
draw_line_key (Flow *self, guint look, const CuredRect *rect)
{
  if (look >= KEY_NAME)
    {
      _cured_plot_fill_rect (self->cr, rect, cured_factor_get_colour ((int) (look - KEY_NAME)), 1);
      return;
    }
  if (look == KEY_ALIKE)
    {
      /* Like a cell in the middle of the colours; with an edge if that is the background's
       * colour. */
      _cured_plot_fill_rect (self->cr, rect,
                             _cured_plot_mix (cured_colour_map_get (self->colours, 0.5),
                                              self->style->background, CURED_PLOT_FAINT),
                             1);
      cairo_rectangle (self->cr, rect->x + 0.5, rect->y + 0.5, rect->width - 1, rect->height - 1);
      _cured_plot_set_colour (self->cr, self->style->dim, 1);
      cairo_set_line_width (self->cr, 1);
      cairo_stroke (self->cr);
      return;
    }
  if (look == KEY_FLAG)
    {
      _cured_plot_draw_flag (self->cr, self->style, rect);
      return;
    }
  if (look == KEY_NOTE)
    {
      /* As large as in a large cell. */
      _cured_plot_draw_note (self->cr, self->style,
                             &(CuredRect){ rect->x - 2, rect->y - 2 * rect->height, 3 * rect->width,
                                           3 * rect->height + 1 });
      return;
    }
  if (look == KEY_REGION)
    {
      cairo_rectangle (self->cr, rect->x + 1, rect->y + 1, rect->width - 2, rect->height - 2);
      _cured_plot_stroke_region (self->cr);
      return;
    }
  cairo_move_to (self->cr, rect->x, rect->y + rect->height * 0.8);
  cairo_curve_to (self->cr, rect->x + rect->width * 0.5, rect->y + rect->height * 0.8,
                  rect->x + rect->width * 0.5, rect->y + rect->height * 0.2, rect->x + rect->width,
                  rect->y + rect->height * 0.2);
  _cured_plot_stroke_contour (self->cr);
}

/* CURED_STATE_OK means the key of the best cell. */
static void
flow_key (Flow *self, guint look, const char *label)
{
  double swatch = self->line - 2, gap = round (self->line * 0.35);
  double width = swatch + gap + _cured_plot_text_measure (self->text, label);

  if (self->x > self->area->x && self->x + width > self->area->x + self->area->width)
    {
      self->x = self->area->x;
      self->y += self->line + gap;
    }
  CuredRect rect = (CuredRect){ round (self->x), round (self->y) + 1, swatch, swatch };
  self->x += width + self->line;
  if (self->cr == NULL || self->y + self->line > self->area->y + self->area->height + 1)
    return;
  if (look == CURED_STATE_OK)
    _cured_plot_draw_star (self->cr, self->style, rect.x + swatch / 2, rect.y + swatch / 2,
                           swatch / 2);
  else if (look >= CURED_N_LOOKS)
    draw_line_key (self, look, &rect);
  else
    {
      if (look != CURED_STATE_NOT_RUN && look != CURED_LOOK_EMPTY)
        _cured_plot_fill_rect (self->cr, &rect, _cured_plot_state_fill (self->style, look), 1);
      if (look == CURED_STATE_NOT_LAUNCHABLE)
        _cured_plot_hatch_rect (self->cr, self->style, &rect);
      _cured_plot_draw_state_mark (self->cr, self->style, look, &rect);
    }
  _cured_plot_text_paint (self->text, self->cr, self->style->foreground, label, CURED_ALIGN_START,
                          rect.x + swatch + gap, self->y,
                          MAX (self->area->x + self->area->width - rect.x - swatch - gap, 0));
}

/* ORDER: from least to most detail. */
typedef enum
{
  TITLES,
  COUNTS, /* and counts of cells */
  ALL,    /* and the values of contours */
} Detail;

/* A key with a count, unless that is 0. */
static void
flow_count (Flow *self, guint look, const char *title, gint64 n, Detail detail)
{
  g_autofree char *count = cured_format_count (n);
  g_autofree char *label =
      detail >= COUNTS ? g_strdup_printf ("%s: %s", title, count) : g_strdup (title);

  if (n > 0)
    flow_key (self, look, label);
}

/* The known names that occur; a file can have any number of others. */
static void
flow_names (Flow *self, const CuredGrid *grid, Detail detail)
{
  gint64 counts[CURED_FACTOR_CONTRADICTED + 1] = { 0 };

  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    {
      int limit = cured_factor_from_value (grid->values[i]);

      if (limit >= 0)
        counts[limit]++;
    }
  for (int name = 0; name <= CURED_FACTOR_CONTRADICTED; name++)
    flow_count (self, KEY_NAME + (guint) name, cured_factor_get_title (name), counts[name], detail);
}

/* Number of cells of a pair with a faint colour. */
static gint64
count_faint (const CuredGrid *grid)
{
  gint64 n = 0;

  for (gsize i = 0; grid->is_alike != NULL && !grid->hide_alike && i < grid->nx * grid->ny; i++)
    n += grid->is_alike[i] && !isnan (grid->values[i]);
  return n;
}

/* Larger grids are averaged in blocks, since the screen shows no finer lines. */
#define MOST_SIDE   256
#define MOST_LEVELS 6

static double
get_block_mean (const CuredGrid *grid, gsize x0, gsize y0, gsize width, gsize height)
{
  double sum = 0;
  gsize n = 0;

  for (gsize y = y0; y < MIN (y0 + height, grid->ny); y++)
    for (gsize x = x0; x < MIN (x0 + width, grid->nx); x++)
      {
        double value = grid->contour_values[y * grid->nx + x];

        if (isnan (value))
          continue;
        sum += value;
        n++;
      }
  return n > 0 ? sum / (double) n : NAN;
}

/* The input of the contours: a value per cell, or the mean of a block of cells. */
static void
make_blocks (CuredPlotBlocks *self, const CuredGrid *grid)
{
  self->width = (grid->nx + MOST_SIDE - 1) / MOST_SIDE;
  self->height = (grid->ny + MOST_SIDE - 1) / MOST_SIDE;
  self->nx = (grid->nx + self->width - 1) / self->width;
  self->ny = (grid->ny + self->height - 1) / self->height;
  self->values = g_new (double, self->nx * self->ny);
  for (gsize y = 0; y < self->ny; y++)
    for (gsize x = 0; x < self->nx; x++)
      self->values[y * self->nx + x] =
          get_block_mean (grid, x * self->width, y * self->height, self->width, self->height);
}

static gsize
choose_levels (const double *values, gsize n_values, double levels[CURED_PLOT_MAX_TICKS])
{
  double step, low = NAN, high = NAN;
  gsize n_levels;

  for (gsize i = 0; i < n_values; i++)
    {
      if (!(values[i] >= low) && !isnan (values[i]))
        low = values[i];
      if (!(values[i] <= high) && !isnan (values[i]))
        high = values[i];
    }
  if (low > 0 && high / low > CURED_VIEW_LOGARITHMIC_FROM)
    n_levels = _cured_plot_ticks_logarithmic (low, high, MOST_LEVELS, levels);
  else
    n_levels = _cured_plot_ticks_linear (low, high, MOST_LEVELS, levels, &step);
  /* A level at either end has no contour. */
  for (gsize i = 0; i < n_levels;)
    if (levels[i] > low && levels[i] < high)
      i++;
    else
      memmove (&levels[i], &levels[i + 1], (--n_levels - i) * sizeof levels[0]);
  return n_levels;
}

/* Costs one pass over a grid with contours. Returns the number of levels; the caller frees the
 * values. */
gsize
_cured_plot_blocks_init (CuredPlotBlocks *self, const CuredGrid *grid,
                         double levels[CURED_PLOT_MAX_TICKS])
{
  make_blocks (self, grid);
  return choose_levels (self->values, self->nx * self->ny, levels);
}

/* The name as in the menu and, if there is room, the values of the lines, which do not all have
 * labels among the numbers of cells. */
static char *
describe_contour (const CuredGrid *grid, gboolean has_levels)
{
  g_autofree char *name = cured_grid_name_metric (grid->result, &grid->contour_metric);
  g_autoptr (GString) text = g_string_new (name);
  double levels[CURED_PLOT_MAX_TICKS];
  CuredPlotBlocks blocks = { 0 };
  gsize n_levels = has_levels ? _cured_plot_blocks_init (&blocks, grid, levels) : 0;

  for (gsize i = 0; i < n_levels; i++)
    {
      g_autofree char *level = cured_format_quantity (levels[i], grid->contour_metric.unit);

      g_string_append_printf (text, "%s%s", i == 0 ? ": " : ", ", level);
    }
  g_free (blocks.values);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static double
flow_keys (Flow *self, const CuredGrid *grid, const CuredPlotScale *scale, Detail detail)
{
  /* ORDER: worst first. */
  static const guint looks[] = {
    CURED_STATE_WRONG,          CURED_STATE_CRASHED,  CURED_STATE_FAILED,
    CURED_STATE_TIMED_OUT,      CURED_LOOK_EMPTY,     CURED_STATE_NOT_RUN,
    CURED_STATE_NOT_LAUNCHABLE, CURED_LOOK_ONLY_THIS, CURED_LOOK_ONLY_OTHER,
  };

  self->x = self->area->x;
  self->y = self->area->y;
  if (cured_grid_is_named (grid))
    flow_names (self, grid, detail);
  /* With one cell, the value is in the cell, and there is nothing to compare with. */
  if (grid->best >= 0 && grid->nx * grid->ny > 1)
    {
      gboolean is_predicted = cured_grid_is_predicted (grid);
      g_autofree char *value = is_predicted || scale->is_relative
                                   ? cured_grid_format_best (grid)
                                   : _cured_plot_scale_format (scale, grid->values[grid->best]);
      g_autofree char *label =
          grid->bests != NULL
              /* Translators: a parameter whose values are sizes of the problem,
                                    * each of which has its best cell, as in "best of each n". */
              ? g_strdup_printf (_ ("best of each %s"),
                                 grid->is_problem_x ? grid->x_title : grid->y_title)
              : is_predicted           ? g_strdup_printf (_ ("predicted best: %s"), value)
                : *scale->unit != '\0' ? g_strdup_printf (_ ("best: %s %s"), value, scale->unit)
                                       : g_strdup_printf (_ ("best: %s"), value);

      flow_key (self, CURED_STATE_OK, label);
    }
  if (cured_grid_has_region (grid))
    {
      /* Translators: cells whose figure is nearly as good as the best one;
       * %d is a number of per cent. */
      g_autofree char *title =
          g_strdup_printf (_ ("within %d %% of the best"), CURED_GRID_NEAR_BEST);

      flow_count (self, KEY_REGION, title, (gint64) grid->n_near_best, detail);
    }
  flow_count (self, KEY_ALIKE, _ ("no difference"), count_faint (grid), detail);
  /* Translators: cells that ran well, in which the emulator found a race or the like. */
  flow_count (self, KEY_FLAG, _ ("with findings"), (gint64) grid->n_flagged, detail);
  /* Translators: cells that somebody wrote a note on. */
  if (grid->n_noted > 0 && !cured_grid_is_line (grid))
    flow_key (self, KEY_NOTE, _ ("with a note"));
  if (grid->contour_values != NULL && !cured_grid_is_line (grid))
    {
      g_autofree char *label = describe_contour (grid, detail == ALL);

      flow_key (self, KEY_CONTOUR, label);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (looks); i++)
    flow_count (self, looks[i], _cured_plot_state_title (looks[i]),
                (gint64) (looks[i] == CURED_LOOK_EMPTY ? grid->n_empty : grid->n_states[looks[i]]),
                detail);
  return self->x > self->area->x ? self->y + self->line - self->area->y : 0;
}

/* Lays out the keys and, with a @cr, draws them: in one line with as much as fits. Returns their
 * height. */
double
_cured_plot_layout_keys (cairo_t *cr, CuredPlotText *text, const CuredGrid *grid,
                         const CuredPlotScale *scale, const CuredPlotStyle *style,
                         const CuredRect *keys, double line_height)
{
  Flow flow = { NULL, text, style, keys, line_height, 0, 0, grid->colours };
  Detail detail = ALL;

  while (detail > TITLES && flow_keys (&flow, grid, scale, detail) > line_height)
    detail--;
  flow.cr = cr;
  return flow_keys (&flow, grid, scale, detail);
}

void
_cured_plot_draw_legend (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                         const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  if (geometry->legend.width > 0)
    draw_bar (cr, grid, cache, geometry, style);
  if (geometry->keys.height > 0)
    _cured_plot_layout_keys (cr, cache->text, grid, &cache->scale, style, &geometry->keys,
                             geometry->line_height);
}
