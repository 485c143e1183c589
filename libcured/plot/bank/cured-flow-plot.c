/* SPDX-License-Identifier: MIT
 * Data flow: the parts of each buffer that a block reads and writes, and a warp's accesses to
 * shared memory, step by step. */
#include "plot/bank/cured-flow-plot.h"

#include "base/cured-base-internal.h"
#include "plot/bank/cured-bank-plot.h"
#include "plot/cured-paint-private.h"

/* Later words and steps are left out. */
#define MAX_WORDS 96
#define MAX_STEPS 48

/* In user units, for lines of text of height USUAL_LINE. */
#define COLUMN     16.0
#define ROW        26.0
#define LABELS     180.0
#define HEAD       30.0
#define DOT_RADIUS 3.5
#define STRIP      12.0
#define STRIP_ROW  24.0
#define USUAL_LINE 18.0

/* Width of a strip, in columns, so that most windows show all of it. */
#define STRIP_COLUMNS 32

/* Opacity of the rows after the step that is shown. */
#define FAINT 0.35

static const CuredColour loaded = { 0.21, 0.52, 0.89 };
static const CuredColour stored = { 0.90, 0.38, 0.0 };

/* From a word that a lane loaded since its last store to the one that it stores now. */
typedef struct
{
  gsize from_step;
  guint from_column;
  gsize to_step;
  guint to_column;
} Arrow;

/* A row per access, a column per word, and lines from the words that a lane loaded to those that it
 * stores next; above, a strip per buffer. Rows are both steps and items. */
typedef struct
{
  CuredChart chart;
  CuredBankView *view;
  guint32 first;  /* word of the first column */
  guint n_words;  /* columns */
  gsize n_events; /* rows */
  gsize n_slices; /* strips */
  GArray *arrows; /* (element-type Arrow) */
} Flow;

typedef struct
{
  double scale;
  double top; /* top of the rows, below the strips */
} Layout;

static gboolean
is_store (const CuredBankAccess *access)
{
  return access->kind != CURED_BANK_KIND_LOAD && access->kind != CURED_BANK_KIND_LDMATRIX_X1 &&
         access->kind != CURED_BANK_KIND_LDMATRIX_X2 && access->kind != CURED_BANK_KIND_LDMATRIX_X4;
}

/* The column of a lane's word; FALSE if it is beyond the last one. */
static gboolean
find_column (const Flow *self, const CuredBankAccess *access, guint lane, guint *column)
{
  guint32 word = access->addresses[lane] / 4;

  if (word < self->first || word - self->first >= self->n_words)
    return FALSE;
  *column = word - self->first;
  return TRUE;
}

static void
find_arrows (Flow *self, gsize step, guint lane)
{
  const CuredBankAccess *store = &self->view->events[step].access;
  Arrow arrow = { .to_step = step };

  if (!find_column (self, store, lane, &arrow.to_column))
    return;
  for (arrow.from_step = step; arrow.from_step-- > 0;)
    {
      const CuredBankAccess *access = &self->view->events[arrow.from_step].access;

      if ((access->mask >> lane & 1) == 0)
        continue;
      if (is_store (access))
        return;
      if (find_column (self, access, lane, &arrow.from_column))
        g_array_append_val (self->arrows, arrow);
    }
}

static double
get_width (const Flow *self)
{
  guint columns = self->n_slices > 0 ? MAX (self->n_words, STRIP_COLUMNS) : self->n_words;

  return LABELS + COLUMN * columns;
}

static void
lay_out (const Flow *self, const CuredPlotStyle *style, Layout *layout)
{
  CuredPlotText *text = _cured_plot_text_for (style);

  layout->scale = MAX (ceil (_cured_plot_text_get_line_height (text)) / USUAL_LINE, 1);
  layout->top = self->n_slices > 0 ? STRIP_ROW * (double) (self->n_slices + 1) * layout->scale : 0;
}

static void
flow_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
              double *least_width, double *width, double *height)
{
  const Flow *self = (const Flow *) chart;
  Layout layout;

  lay_out (self, style, &layout);
  *least_width = *width = get_width (self) * layout.scale;
  *height = layout.top + (HEAD + ROW * (double) MAX (self->n_events, 1)) * layout.scale;
}

static double
get_y (const Layout *layout, gsize step)
{
  return layout->top + (HEAD + ROW * ((double) step + 0.5)) * layout->scale;
}

static double
get_x (const Layout *layout, guint column)
{
  return (LABELS + COLUMN * (column + 0.5)) * layout->scale;
}

/* The first row includes the strips, others their neighbours. */
static void
flow_locate (const CuredChart *chart, const CuredChartShown *shown, gsize step, CuredRect *rect)
{
  const Flow *self = (const Flow *) chart;
  Layout layout;

  lay_out (self, shown->style, &layout);
  double row = ROW * layout.scale;
  *rect = (CuredRect){ 0, get_y (&layout, step) - row * 1.5, 1, row * 3 };
  if (step == 0)
    *rect = (CuredRect){ 0, 0, 1, get_y (&layout, step) + row / 2 };
}

static gssize
flow_pick (const CuredChart *chart, const CuredChartShown *shown, double x, double y)
{
  const Flow *self = (const Flow *) chart;
  Layout layout;

  lay_out (self, shown->style, &layout);
  double row = (y - get_y (&layout, 0)) / (ROW * layout.scale) + 0.5;
  return row >= 0 && row < (double) self->n_events ? (gssize) row : -1;
}

/* One strip: reads above, writes below. */
static void
draw_slice (const Flow *self, cairo_t *cr, const CuredPlotStyle *style, CuredPlotText *text,
            const Layout *layout, gsize index)
{
  const CuredBankSlice *slice = &self->view->slices[index];
  double line = _cured_plot_text_get_line_height (text);
  CuredRect strip = {
    LABELS * layout->scale,
    (STRIP_ROW * ((double) index + 1.5) - STRIP / 2) * layout->scale,
    COLUMN * STRIP_COLUMNS * layout->scale,
    STRIP * layout->scale,
  };
  double part = strip.width / (double) MAX (slice->n_parts, 1);

  _cured_plot_text_paint (text, cr, style->foreground, slice->buffer, CURED_ALIGN_START, 0,
                          strip.y + (strip.height - line) / 2, (LABELS - 8) * layout->scale);
  _cured_plot_fill_rect (cr, &strip, style->dim, 0.18);
  for (int pass = 0; pass < 2; pass++)
    {
      guint8 flag = pass == 0 ? CURED_BANK_PART_READ : CURED_BANK_PART_WRITTEN;

      for (gsize i = 0; i < slice->n_parts; i++)
        {
          gsize begin = i;

          if ((slice->parts[i] & flag) == 0)
            continue;
          while (i + 1 < slice->n_parts && (slice->parts[i + 1] & flag) != 0)
            i++;
          cairo_rectangle (cr, strip.x + part * (double) begin,
                           strip.y + (pass == 0 ? 0 : strip.height / 2),
                           MAX (part * (double) (i - begin + 1), 1), strip.height / 2);
        }
      _cured_plot_fill (cr, pass == 0 ? loaded : stored, 1);
    }
}

static void
draw_slices (const Flow *self, cairo_t *cr, const CuredPlotStyle *style, CuredPlotText *text,
             const Layout *layout)
{
  const CuredBankView *view = self->view;

  if (self->n_slices == 0)
    return;
  g_autofree char *title = g_strdup_printf (
      /* Translators: coordinates of a block, and the size of its grid. */
      _ ("Block (%u, %u, %u) of %u × %u × %u: what it reads of each buffer, and what it writes"),
      view->block[0], view->block[1], view->block[2], view->grid[0], view->grid[1], view->grid[2]);
  _cured_plot_text_paint (text, cr, style->dim, title, CURED_ALIGN_START, 0, 0,
                          get_width (self) * layout->scale);
  for (gsize i = 0; i < self->n_slices; i++)
    draw_slice (self, cr, style, text, layout, i);
}

/* @alpha: opacity of the whole row */
static void
draw_step (const Flow *self, cairo_t *cr, const CuredPlotStyle *style, CuredPlotText *text,
           const Layout *layout, gsize step, double alpha)
{
  const CuredBankEvent *event = &self->view->events[step];
  const CuredBankSite *site = &self->view->sites[event->site];
  gboolean store = is_store (&event->access);
  double radius = DOT_RADIUS * layout->scale, y = get_y (layout, step);
  g_autofree char *plain =
      /* Translators: a line of source code, and what an access does. */
      g_strdup_printf (_ ("Line %d: %s"), site->line, cured_access_kind_get_name (site->kind));
  g_autofree char *label =
      site->array != NULL ? g_strdup_printf ("%s %s", plain, site->array) : g_strdup (plain);
  guint column;

  _cured_plot_set_colour (cr, style->foreground, alpha);
  _cured_plot_text_draw (text, cr, label, CURED_ALIGN_START, 0,
                         y - _cured_plot_text_get_line_height (text) / 2,
                         (LABELS - 8) * layout->scale);
  _cured_plot_set_colour (cr, store ? stored : loaded, alpha);
  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    if ((event->access.mask >> lane & 1) != 0 && find_column (self, &event->access, lane, &column))
      {
        double x = get_x (layout, column);

        if (store)
          cairo_rectangle (cr, x - radius, y - radius, 2 * radius, 2 * radius);
        else
          {
            cairo_new_sub_path (cr);
            cairo_arc (cr, x, y, radius, 0, 2 * G_PI);
          }
      }
  cairo_fill (cr);
}

static void
draw_arrows (const Flow *self, cairo_t *cr, const CuredPlotStyle *style, const Layout *layout,
             gssize step)
{
  for (int pass = 0; pass < 3; pass++)
    {
      CURED_EACH (const Arrow, arrow, self->arrows)
        {
          gssize to = (gssize) arrow->to_step;
          int is_in = step < 0 || to < step ? 0 : to == step ? 2 : 1;

          if (is_in != pass)
            continue;
          _cured_plot_add_line (cr, get_x (layout, arrow->from_column),
                                get_y (layout, arrow->from_step), get_x (layout, arrow->to_column),
                                get_y (layout, arrow->to_step));
        }
      cairo_set_line_width (cr, 1);
      if (pass == 2)
        _cured_plot_set_colour (cr, stored, 0.8);
      else
        _cured_plot_set_colour (cr, style->dim, pass == 0 ? 0.6 : FAINT / 2);
      cairo_stroke (cr);
    }
}

/* Rows after the step are faint, and the words that it stores are marked. */
static void
flow_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const Flow *self = (const Flow *) chart;
  const CuredPlotStyle *style = shown->style;
  gssize step = shown->step;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  Layout layout;

  cairo_save (cr);
  cairo_new_path (cr);
  /* Lay out with the measured text: at a smaller scale, rounding makes lines higher. */
  lay_out (self, style, &layout);
  _cured_plot_text_begin (text, cr, style, 1);
  draw_slices (self, cr, style, text, &layout);
  if (step >= 0 && (gsize) step < self->n_events)
    _cured_plot_fill_rect (cr,
                           &(CuredRect){ 0, get_y (&layout, (gsize) step) - ROW * layout.scale / 2,
                                         get_width (self) * layout.scale, ROW * layout.scale },
                           style->accent, 0.12);
  _cured_plot_set_colour (cr, style->dim, 1);
  for (guint word = 0; self->n_events > 0 && word < self->n_words; word += 8)
    {
      g_autofree char *number = g_strdup_printf ("%u", self->first + word);

      _cured_plot_text_draw (text, cr, number, CURED_ALIGN_CENTRE, get_x (&layout, word),
                             layout.top, 8 * COLUMN * layout.scale);
    }
  draw_arrows (self, cr, style, &layout, step);
  for (gsize row = 0; row < self->n_events; row++)
    draw_step (self, cr, style, text, &layout, row, step >= 0 && (gssize) row > step ? FAINT : 1);
  cairo_restore (cr);
}

/* "0 … 127": the range of words that lanes access */
static char *
describe_words (const CuredBankAccess *access)
{
  guint32 least = G_MAXUINT32, most = 0;

  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    if ((access->mask >> lane & 1) != 0)
      {
        least = MIN (least, access->addresses[lane] / 4);
        most = MAX (most, access->addresses[lane] / 4);
      }
  return least == most ? g_strdup_printf ("%u", least) : g_strdup_printf ("%u … %u", least, most);
}

static char *
describe_slices (const Flow *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < self->n_slices; i++)
    {
      const CuredBankSlice *slice = &self->view->slices[i];

      for (int pass = 0; pass < 2; pass++)
        {
          guint64 begin = pass == 0 ? slice->read_begin : slice->write_begin;
          guint64 end = pass == 0 ? slice->read_end : slice->write_end;

          if (begin >= end)
            continue;
          g_string_append (text, text->len > 0 ? "; " : "");
          g_string_append_printf (text,
                                  pass == 0
                                      /* Translators: the name of a buffer, and bytes of it. */
                                      ? _ ("reads %s, bytes %" PRIu64 " to %" PRIu64)
                                      : _ ("writes %s, bytes %" PRIu64 " to %" PRIu64),
                                  slice->buffer, begin, end - 1);
        }
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Describes an access or, without an item, what the block reads and writes. */
static char *
flow_describe (const CuredChart *chart, gssize item, gssize step)
{
  const Flow *self = (const Flow *) chart;

  if (step < 0 || (gsize) step >= self->n_events)
    return describe_slices (self);
  const CuredBankEvent *event = &self->view->events[step];
  const CuredBankSite *site = &self->view->sites[event->site];
  g_autofree char *lanes = cured_bank_lanes_format (event->access.mask);
  g_autofree char *words = describe_words (&event->access);
  return g_strdup_printf (
      /* Translators: a line of source code, what an access does, lanes of a warp as “0–31”, and
       * words of shared memory. */
      _ ("Line %d: %s by lanes %s, words %s"), site->line, cured_access_kind_get_name (site->kind),
      lanes, words);
}

CURED_FREE_FUNC (Flow, flow_free, view, cured_bank_view_unref, arrows, g_array_unref)

static const CuredChartClass flow_class = {
  .measure = flow_measure,
  .draw = flow_draw,
  .pick = flow_pick,
  .locate = flow_locate,
  .describe = flow_describe,
  .free = flow_free,
};

/* Whether a lane is active. */
static gboolean
has_lane (const CuredBankView *view, gsize step, guint lane)
{
  return (view->events[step].access.mask >> lane & 1) != 0;
}

/* @view: accesses of a warp, in order
 *
 * A picture of a warp's accesses to shared memory, for a small case: the first 48 accesses, and 96
 * words from the lowest one accessed. Steps are accesses. Above, a strip per buffer shows what the
 * block reads and writes.
 * Returns: (transfer full): a picture */
CuredChart *
cured_flow_plot_new (CuredBankView *view)
{
  guint32 first = G_MAXUINT32, last = 0;

  g_return_val_if_fail (view != NULL, NULL);

  Flow *self = CURED_NEW (Flow, .view = cured_bank_view_ref (view),
                          .n_events = MIN (view->n_events, MAX_STEPS), .n_slices = view->n_slices,
                          .arrows = g_array_new (FALSE, FALSE, sizeof (Arrow)));
  self->chart = (CuredChart){ &flow_class, self->n_events, self->n_events };
  for (gsize step = 0; step < self->n_events; step++)
    for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
      if (has_lane (view, step, lane))
        {
          guint32 word = view->events[step].access.addresses[lane] / 4;

          first = MIN (first, word);
          last = MAX (last, word);
        }
  self->first = first <= last ? first : 0;
  self->n_words = first <= last ? MIN (last - first, MAX_WORDS - 1) + 1 : 1;
  for (gsize step = 0; step < self->n_events; step++)
    for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
      if (is_store (&view->events[step].access) && has_lane (view, step, lane))
        find_arrows (self, step, lane);
  return &self->chart;
}
