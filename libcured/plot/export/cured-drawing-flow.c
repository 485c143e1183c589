/* SPDX-License-Identifier: MIT
 * How data flows through shared memory, step by step, as a drawing. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "plot/export/cured-drawing-banks.h"
#include "plot/export/cured-drawing-internal.h"
#include "plot/map/cured-map-plot-private.h"

/* What is beyond is left out: the picture is of a small case. */
#define MAX_WORDS 96
#define MAX_STEPS 48

#define COLUMN     16.0
#define ROW        26.0
#define LABELS     150.0
#define HEAD       30.0
#define DOT_RADIUS 3.5

typedef struct
{
  CuredBankView *view;
  guint32 first;  /* word of the first column */
  guint n_words;  /* columns */
  gsize n_events; /* rows */
} Flow;

static gboolean
is_store (const CuredBankAccess *access)
{
  return access->kind != CURED_BANK_KIND_LOAD &&
         access->kind != CURED_BANK_KIND_LDMATRIX_X1 &&
         access->kind != CURED_BANK_KIND_LDMATRIX_X2 &&
         access->kind != CURED_BANK_KIND_LDMATRIX_X4;
}

/* Where the word of a lane is; FALSE: beyond the last column. */
static gboolean
find_column (const Flow *self,
             const CuredBankAccess *access,
             guint lane,
             double *x)
{
  guint32 word = access->addresses[lane] / 4;

  if (word < self->first || word - self->first >= self->n_words)
    return FALSE;
  *x = LABELS + COLUMN * (word - self->first + 0.5);
  return TRUE;
}

static double
get_y (gsize row)
{
  return HEAD + ROW * ((double) row + 0.5);
}

/* From what a lane has loaded since its last store to what it stores now. */
static void
draw_arrows (const Flow *self, cairo_t *cr, gsize row, guint lane)
{
  const CuredBankAccess *store = &self->view->events[row].access;
  double to_x, from_x;

  if (!find_column (self, store, lane, &to_x))
    return;
  for (gsize i = row; i-- > 0;)
    {
      const CuredBankAccess *access = &self->view->events[i].access;

      if ((access->mask >> lane & 1) == 0)
        continue;
      if (is_store (access))
        return;
      if (!find_column (self, access, lane, &from_x))
        continue;
      cairo_move_to (cr, from_x, get_y (i));
      cairo_line_to (cr, to_x, get_y (row));
      cairo_stroke (cr);
    }
}

static void
draw_step (const Flow *self,
           cairo_t *cr,
           const CuredPlotStyle *style,
           CuredPlotText *text,
           gsize row)
{
  static const CuredColour loaded = { 0.21, 0.52, 0.89 };
  static const CuredColour stored = { 0.90, 0.38, 0.0 };
  const CuredBankEvent *event = &self->view->events[row];
  const CuredBankSite *site = &self->view->sites[event->site];
  gboolean store = is_store (&event->access);
  /* Translators: a line of source code, and what an access does. */
  g_autofree char *label = g_strdup_printf (
      _ ("Line %d: %s"), site->line, cured_access_kind_get_name (site->kind));
  double x;

  _cured_plot_set_colour (cr, style->foreground, 1);
  _cured_plot_text_draw (text,
                         cr,
                         label,
                         CURED_ALIGN_START,
                         0,
                         get_y (row) -
                             _cured_plot_text_get_line_height (text) / 2,
                         LABELS - 8);
  _cured_plot_set_colour (cr, store ? stored : loaded, 1);
  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    if ((event->access.mask >> lane & 1) != 0 &&
        find_column (self, &event->access, lane, &x))
      {
        if (store)
          cairo_rectangle (cr,
                           x - DOT_RADIUS,
                           get_y (row) - DOT_RADIUS,
                           2 * DOT_RADIUS,
                           2 * DOT_RADIUS);
        else
          {
            cairo_new_sub_path (cr);
            cairo_arc (cr, x, get_y (row), DOT_RADIUS, 0, 2 * G_PI);
          }
        cairo_fill (cr);
      }
}

static double
get_width (const Flow *self)
{
  return LABELS + COLUMN * self->n_words;
}

static double
get_height (const Flow *self)
{
  return HEAD + ROW * (double) MAX (self->n_events, 1);
}

static void
flow_draw (gconstpointer data,
           cairo_t *cr,
           const CuredPlotStyle *style,
           double width,
           double height)
{
  const Flow *self = data;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  double scale = MIN (width / get_width (self), height / get_height (self));

  cairo_save (cr);
  cairo_scale (cr, scale, scale);
  _cured_plot_text_begin (text, cr, style, 1);
  _cured_plot_set_colour (cr, style->dim, 1);
  for (guint word = 0; word < self->n_words; word += 8)
    {
      g_autofree char *number = g_strdup_printf ("%u", self->first + word);

      _cured_plot_text_draw (text,
                             cr,
                             number,
                             CURED_ALIGN_CENTRE,
                             LABELS + COLUMN * (word + 0.5),
                             0,
                             8 * COLUMN);
    }
  cairo_set_line_width (cr, 1);
  _cured_plot_set_colour (cr, style->dim, 0.6);
  for (gsize row = 0; row < self->n_events; row++)
    for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
      if (is_store (&self->view->events[row].access) &&
          (self->view->events[row].access.mask >> lane & 1) != 0)
        draw_arrows (self, cr, row, lane);
  for (gsize row = 0; row < self->n_events; row++)
    draw_step (self, cr, style, text, row);
  cairo_restore (cr);
}

static void
flow_free (gpointer data)
{
  Flow *self = data;

  cured_bank_view_unref (self->view);
  g_free (self);
}

static const CuredDrawingClass flow_class = {
  .draw = flow_draw,
  .free = flow_free,
};

/**
 * cured_drawing_new_flow:
 * @view: accesses of a warp, in their order
 * @name: for a file, without a suffix
 * @title: what it is, such as the kernel's id
 * @first_line: (nullable): below it, such as its parameters
 * @second_line: (nullable): likewise, such as block and warp
 *
 * Draws what a warp does to shared memory from top to bottom: a column per word,
 * a row per access, and lines from what a lane loaded to where it stores next.
 * A reduction is a tree. The first 48 accesses and 96 words are shown. There is no
 * table.
 *
 * Returns: (transfer full): the picture
 */
CuredDrawing *
cured_drawing_new_flow (CuredBankView *view,
                        const char *name,
                        const char *title,
                        const char *first_line,
                        const char *second_line)
{
  Flow *self;
  CuredDrawing *drawing;
  g_autofree char *footnote = NULL;
  guint32 first = G_MAXUINT32;
  guint32 last = 0;

  g_return_val_if_fail (view != NULL, NULL);

  self = g_new0 (Flow, 1);
  self->view = cured_bank_view_ref (view);
  self->n_events = MIN (view->n_events, MAX_STEPS);
  for (gsize row = 0; row < self->n_events; row++)
    for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
      if ((view->events[row].access.mask >> lane & 1) != 0)
        {
          guint32 word = view->events[row].access.addresses[lane] / 4;

          first = MIN (first, word);
          last = MAX (last, word);
        }
  self->first = first <= last ? first : 0;
  self->n_words = first <= last ? MIN (last - first, MAX_WORDS - 1) + 1 : 1;
  drawing = cured_drawing_new (
      &flow_class, self, name, get_width (self), get_height (self));
  footnote = g_strdup_printf (
      "%s Cured\u00a0%s",
      _ ("Blue: loaded; orange: stored. A column is a word of shared memory, a "
         "row an access of the warp; a line leads from what a lane loaded to "
         "where it stores next."),
      CURED_VERSION);
  cured_drawing_set_caption (drawing, title, first_line, second_line, footnote);
  return drawing;
}
