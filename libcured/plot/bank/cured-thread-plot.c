/* SPDX-License-Identifier: MIT
 * Which thread of a block touches which element of which buffer. */
#include "plot/bank/cured-thread-plot.h"

#include "base/cured-base-internal.h"
#include "plot/cured-paint-private.h"

/* Rows shown of a buffer; later ones are left out. */
#define MAX_ROWS 32

/* Columns; up to LARGE_COLUMNS threads in a row, cells are large enough for numbers. */
#define COLUMNS       32
#define LARGE_COLUMNS 16
#define LARGE_THREADS 256

/* In user units, for lines of text of height USUAL_LINE. */
#define LARGE_CELL    24.0
#define SMALL_CELL    12.0
#define THREAD_LABEL  36.0
#define ELEMENT_LABEL 64.0
#define HEAD          24.0
#define GAP           24.0
#define USUAL_LINE    18.0

/* Opacity of cells that the selected one does not touch. */
#define FAINT 0.22

/* Limit of runs of numbers in a sentence. */
#define MAX_RUNS 6

static const CuredColour loaded = { 0.21, 0.52, 0.89 };
static const CuredColour stored = { 0.90, 0.38, 0.0 };

/* Threads, or the elements of a buffer. */
typedef struct
{
  const CuredBankSlice *slice; /* NULL: threads */
  guint64 n_items;
  guint columns;
  GArray *rows;     /* (element-type guint64): row / columns of the items */
  gsize n_left_out; /* rows */
  gsize first;      /* index of its first cell */
} Panel;

typedef struct
{
  gsize thread;
  gsize cell; /* of an element */
  guint8 flags;
} Link;

/* How threads access a cell. */
typedef struct
{
  gsize thread; /* the first thread that does */
  guint n_threads;
} Owner;

/* Threads, each in its own colour, and beside them the elements of each buffer that the block
 * touches, in the colour of the thread that touches them. Items are cells: a cell is a thread or an
 * element; cells of threads come first, so that a thread's number is its cell's index. */
typedef struct
{
  CuredChart chart;
  CuredBankView *view;
  GPtrArray *panels; /* (element-type Panel): the first is of threads */
  GArray *links;     /* (element-type Link) */
  Owner *owners;     /* one per cell */
  gsize n_threads, n_cells;
  gboolean is_large;
} Threads;

typedef struct
{
  double scale, cell;
} Layout;

CURED_FREE_FUNC (Panel, panel_free, rows, g_array_unref)

static gsize
panel_get_n_cells (const Panel *self)
{
  return (gsize) self->columns * self->rows->len;
}

/* FALSE if the cell is beyond the last item, and empty */
static gboolean
panel_get_item (const Panel *self, gsize cell, guint64 *item)
{
  gsize i = cell - self->first;

  *item =
      g_array_index (self->rows, guint64, i / self->columns) * self->columns + i % self->columns;
  return *item < self->n_items;
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  const guint64 *row_a = a, *row_b = b;

  return (*row_a > *row_b) - (*row_a < *row_b);
}

/* If a row of the block's threads touches a row of a small matrix, the picture has the matrix's
 * columns. */
static guint
find_columns (const Threads *self, gsize slice, guint most)
{
  const CuredBankView *view = self->view;
  guint64 begin[2] = { G_MAXUINT64, G_MAXUINT64 };

  if (view->threads[1] < 2)
    return most;
  for (gsize i = 0; i < view->n_touches; i++)
    {
      const CuredBankTouch *touch = &view->touches[i];
      guint row = touch->thread / view->threads[0];

      if (touch->slice == slice && row < 2 && touch->thread % view->threads[0] == 0 &&
          begin[row] == G_MAXUINT64)
        begin[row] = touch->element;
    }
  if (begin[1] == G_MAXUINT64 || begin[1] <= begin[0] + 1 || begin[1] - begin[0] > most)
    return most;
  return (guint) (begin[1] - begin[0]);
}

static void
add_panel (Threads *self, Panel *panel)
{
  panel->first = self->n_cells;
  self->n_cells += panel_get_n_cells (panel);
  g_ptr_array_add (self->panels, panel);
}

static void
add_threads (Threads *self, guint most)
{
  const CuredBankView *view = self->view;
  Panel *panel = CURED_NEW (
      Panel, .rows = g_array_new (FALSE, FALSE, sizeof (guint64)), .n_items = self->n_threads,
      .columns = view->threads[1] * view->threads[2] > 1 ? view->threads[0] : most);

  panel->columns = CLAMP (panel->columns, 1, most);
  for (guint64 row = 0; row * panel->columns < self->n_threads; row++)
    g_array_append_val (panel->rows, row);
  add_panel (self, panel);
}

static void
add_buffer (Threads *self, gsize slice, guint most)
{
  const CuredBankView *view = self->view;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  Panel *panel = g_new0 (Panel, 1);

  panel->slice = &view->slices[slice];
  panel->n_items =
      (panel->slice->bytes + panel->slice->element_bytes - 1) / panel->slice->element_bytes;
  panel->columns = find_columns (self, slice, most);
  panel->rows = g_array_sized_new (FALSE, FALSE, sizeof (guint64), (guint) view->n_touches);
  for (gsize i = 0; i < view->n_touches; i++)
    if (view->touches[i].slice == slice)
      {
        guint64 row = view->touches[i].element / panel->columns;

        if (g_hash_table_contains (seen, &row))
          continue;
        /* The array has room for all rows, so the pointers in @seen stay valid. */
        g_array_append_val (panel->rows, row);
        g_hash_table_add (seen, &g_array_index (panel->rows, guint64, panel->rows->len - 1));
      }
  g_hash_table_remove_all (seen);
  /* Keep the rows touched first: for a matrix product, the first tile. */
  if (panel->rows->len > MAX_ROWS)
    {
      panel->n_left_out = panel->rows->len - MAX_ROWS;
      g_array_set_size (panel->rows, MAX_ROWS);
    }
  g_array_sort (panel->rows, compare_rows);
  add_panel (self, panel);
}

/* The cell of an element; FALSE if it is left out. */
static gboolean
find_element (const Threads *self, gsize slice, guint64 element, gsize *cell)
{
  const Panel *panel = self->panels->pdata[slice + 1];
  guint64 row = element / panel->columns;
  guint index = 0;

  if (!g_array_binary_search (panel->rows, &row, compare_rows, &index))
    return FALSE;
  *cell = panel->first + (gsize) index * panel->columns + (gsize) (element % panel->columns);
  return TRUE;
}

/* ---- Geometry ---- */

static void
lay_out (const Threads *self, const CuredPlotStyle *style, Layout *layout)
{
  CuredPlotText *text = _cured_plot_text_for (style);

  layout->scale = MAX (ceil (_cured_plot_text_get_line_height (text)) / USUAL_LINE, 1);
  layout->cell = (self->is_large ? LARGE_CELL : SMALL_CELL) * layout->scale;
}

/* The rectangle of a panel with title and labels; that of its cells alone in @cells. */
static void
get_panel (const Threads *self, const Layout *layout, guint index, CuredRect *cells)
{
  const Panel *first = self->panels->pdata[0];
  double x = THREAD_LABEL * layout->scale, y = 2 * HEAD * layout->scale;
  const Panel *panel;

  if (index > 0)
    x += first->columns * layout->cell + (GAP / 2 + ELEMENT_LABEL) * layout->scale;
  for (guint i = 1; i < index; i++)
    {
      panel = self->panels->pdata[i];
      y += panel->rows->len * layout->cell +
           (HEAD + GAP / 2 + (panel->n_left_out > 0 ? HEAD : 0)) * layout->scale;
    }
  panel = self->panels->pdata[index];
  *cells = (CuredRect){ x, y, panel->columns * layout->cell, panel->rows->len * layout->cell };
}

static void
measure (const Threads *self, const Layout *layout, double *width, double *height)
{
  *width = 0;
  *height = 0;
  for (guint i = 0; i < self->panels->len; i++)
    {
      const Panel *panel = self->panels->pdata[i];
      CuredRect cells;

      get_panel (self, layout, i, &cells);
      *width = MAX (*width, cells.x + cells.width);
      *height = MAX (*height,
                     cells.y + cells.height + (panel->n_left_out > 0 ? HEAD : 0) * layout->scale);
    }
  /* Leave room for the line above all panels. */
  *width = MAX (*width, 620 * layout->scale) + 2 * layout->scale;
  *height += 4 * layout->scale;
}

static void
threads_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
                 double *least_width, double *width, double *height)
{
  const Threads *self = (const Threads *) chart;
  Layout layout;

  lay_out (self, style, &layout);
  measure (self, &layout, width, height);
  *least_width = *width;
}

static guint
find_panel (const Threads *self, gsize cell)
{
  guint index = 0;

  while (index + 1 < self->panels->len &&
         ((const Panel *) self->panels->pdata[index + 1])->first <= cell)
    index++;
  return index;
}

static void
get_cell (const Threads *self, const Layout *layout, gsize cell, CuredRect *rect)
{
  guint index = find_panel (self, cell);
  const Panel *panel = self->panels->pdata[index];
  gsize i = cell - panel->first;
  CuredRect cells;

  get_panel (self, layout, index, &cells);
  *rect = (CuredRect){ cells.x + (double) (i % panel->columns) * layout->cell,
                       cells.y + (double) (i / panel->columns) * layout->cell, layout->cell,
                       layout->cell };
}

static void
threads_locate (const CuredChart *chart, const CuredChartShown *shown, gsize cell, CuredRect *rect)
{
  const Threads *self = (const Threads *) chart;
  Layout layout;

  lay_out (self, shown->style, &layout);
  get_cell (self, &layout, cell, rect);
}

static gboolean
has_item (const Threads *self, gsize cell)
{
  guint64 item;

  return cell < self->n_cells &&
         panel_get_item (self->panels->pdata[find_panel (self, cell)], cell, &item);
}

static gssize
threads_pick (const CuredChart *chart, const CuredChartShown *shown, double x, double y)
{
  const Threads *self = (const Threads *) chart;
  Layout layout;

  lay_out (self, shown->style, &layout);
  for (guint i = 0; i < self->panels->len; i++)
    {
      const Panel *panel = self->panels->pdata[i];
      CuredRect cells;

      get_panel (self, &layout, i, &cells);
      if (x < cells.x || x >= cells.x + cells.width || y < cells.y || y >= cells.y + cells.height)
        continue;
      gsize cell = panel->first + (gsize) ((y - cells.y) / layout.cell) * panel->columns +
                   (gsize) ((x - cells.x) / layout.cell);
      return has_item (self, cell) ? (gssize) cell : -1;
    }
  return -1;
}

/* Moves along rows and columns of a panel; with @panels, to the next buffer or, from the last, to
 * the threads. */
static gssize
threads_move (const CuredChart *chart, gssize cell, int columns, int rows, int panels)
{
  const Threads *self = (const Threads *) chart;

  if (self->n_cells == 0)
    return -1;
  if (cell < 0)
    return 0;
  guint index = find_panel (self, (gsize) cell);
  const Panel *panel = self->panels->pdata[index];
  if (panels != 0)
    {
      int n_panels = (int) self->panels->len;

      index = (guint) ((((int) index + panels) % n_panels + n_panels) % n_panels);
      return (gssize) ((const Panel *) self->panels->pdata[index])->first;
    }
  gssize next = cell + columns + (gssize) rows * (gssize) panel->columns;
  if (next < (gssize) panel->first || next >= (gssize) (panel->first + panel_get_n_cells (panel)) ||
      !has_item (self, (gsize) next))
    return cell;
  return next;
}

/* ---- Drawing ---- */

static CuredColour
get_thread_colour (const Threads *self, const CuredPlotStyle *style, gsize thread)
{
  double position = self->n_threads > 1 ? (double) thread / (double) (self->n_threads - 1) : 0.5;

  /* Never as dark or as light as the background. */
  position = _cured_plot_is_light (style->background) ? position * 0.9 : 0.15 + position * 0.85;
  return cured_colour_map_get (cured_colour_map_find ("viridis"), position);
}

/* TRUE if one thread alone touches the cell; FALSE if none or several do. */
static gboolean
get_colour (const Threads *self, const CuredPlotStyle *style, gsize cell, CuredColour *colour)
{
  const Owner *owner = &self->owners[cell];

  if (cell >= self->n_threads && owner->n_threads != 1)
    {
      *colour = _cured_plot_mix (style->background, style->dim, owner->n_threads > 0 ? 0.55 : 0.06);
      return FALSE;
    }
  *colour = get_thread_colour (self, style, cell < self->n_threads ? cell : owner->thread);
  return TRUE;
}

/* (transfer full): for each cell, how the selected cell uses it; NULL: no cell is selected */
static guint8 *
find_partners (const Threads *self, gssize cell)
{
  if (cell < 0 || (gsize) cell >= self->n_cells)
    return NULL;
  guint8 *flags = g_new0 (guint8, self->n_cells);
  CURED_EACH (const Link, link, self->links)
    if (link->thread == (gsize) cell)
      flags[link->cell] |= link->flags;
    else if (link->cell == (gsize) cell)
      flags[link->thread] |= link->flags;
  return flags;
}

static void
draw_cell (const Threads *self, cairo_t *cr, const CuredPlotStyle *style, const Layout *layout,
           gsize cell, double alpha)
{
  CuredColour colour;
  CuredRect rect;

  get_cell (self, layout, cell, &rect);
  get_colour (self, style, cell, &colour);
  /* Leave a line of background between cells. */
  _cured_plot_fill_rect (cr, &(CuredRect){ rect.x, rect.y, rect.width - 1, rect.height - 1 },
                         colour, alpha);
}

/* Draws the numbers of cells that are light, or of those that are not. */
static void
draw_numbers (const Threads *self, cairo_t *cr, const CuredPlotStyle *style, CuredPlotText *text,
              const Layout *layout, const guint8 *partners, gssize selected, gboolean light,
              gboolean faint)
{
  static const CuredColour black = { 0, 0, 0 };
  static const CuredColour white = { 1, 1, 1 };

  for (gsize cell = 0; cell < self->n_cells; cell++)
    {
      guint n_threads = self->owners[cell].n_threads;
      gboolean is_faint = partners != NULL && partners[cell] == 0 && (gssize) cell != selected;
      char number[32];
      CuredColour colour;
      CuredRect rect;

      if (is_faint != faint || !has_item (self, cell) ||
          (cell >= self->n_threads && n_threads == 0))
        continue;
      get_colour (self, style, cell, &colour);
      if (is_faint)
        colour = _cured_plot_mix (style->background, colour, FAINT);
      if (_cured_plot_is_light (colour) != light)
        continue;
      if (cell < self->n_threads)
        g_snprintf (number, sizeof number, "%zu", cell);
      else if (n_threads == 1)
        g_snprintf (number, sizeof number, "%zu", self->owners[cell].thread);
      else
        g_snprintf (number, sizeof number, "×%u", n_threads);
      get_cell (self, layout, cell, &rect);
      _cured_plot_text_add_number (text, number, CURED_ALIGN_CENTRE, rect.x + (rect.width - 1) / 2,
                                   rect.y + (rect.height - 1) / 2);
    }
  _cured_plot_set_colour (cr, light ? black : white, faint ? 0.4 : 1);
  _cured_plot_text_flush_numbers (text, cr);
}

/* Reads have a blue frame and writes an orange one; lines connect them to the selected cell. */
static void
draw_partners (const Threads *self, cairo_t *cr, const CuredPlotStyle *style, const Layout *layout,
               const guint8 *partners, gsize selected)
{
  double line = 2 * layout->scale;
  CuredRect from;

  get_cell (self, layout, selected, &from);
  cairo_set_line_width (cr, layout->scale);
  for (gsize cell = 0; cell < self->n_cells; cell++)
    if (partners[cell] != 0)
      {
        CuredRect to;

        get_cell (self, layout, cell, &to);
        _cured_plot_add_line (cr, from.x + from.width / 2, from.y + from.height / 2,
                              to.x + to.width / 2, to.y + to.height / 2);
      }
  _cured_plot_set_colour (cr, style->foreground, 0.35);
  cairo_stroke (cr);
  cairo_set_line_width (cr, line);
  for (gsize cell = 0; cell < self->n_cells; cell++)
    for (int pass = 0; pass < 2; pass++)
      {
        guint8 flag = pass == 0 ? CURED_BANK_PART_READ : CURED_BANK_PART_WRITTEN;
        double inset = line / 2;
        CuredRect rect;

        if ((partners[cell] & flag) == 0)
          continue;
        /* A cell that is read and written has one frame inside of the other. */
        if (pass == 0 && (partners[cell] & CURED_BANK_PART_WRITTEN) != 0)
          inset += line;
        get_cell (self, layout, cell, &rect);
        cairo_rectangle (cr, rect.x - 0.5 + inset, rect.y - 0.5 + inset, rect.width - 2 * inset,
                         rect.height - 2 * inset);
        _cured_plot_set_colour (cr, pass == 0 ? loaded : stored, 1);
        cairo_stroke (cr);
      }
  cairo_rectangle (cr, from.x - 0.5 - line / 2, from.y - 0.5 - line / 2, from.width + line,
                   from.height + line);
  _cured_plot_set_colour (cr, style->foreground, 1);
  cairo_stroke (cr);
}

static char *
describe_panel (const Threads *self, const Panel *panel)
{
  const CuredBankView *view = self->view;

  if (panel->slice != NULL)
    {
      g_autofree char *count = cured_format_count ((gint64) panel->n_items);

      return g_strdup_printf (
          /* Translators: the name of a buffer, and how many elements it has. */
          g_dngettext (GETTEXT_PACKAGE, "%s, %s element", "%s, %s elements",
                       (gulong) panel->n_items),
          panel->slice->buffer, count);
    }
  return g_strdup_printf (
      /* Translators: the sizes of a block of threads. */
      _ ("Threads, %u × %u × %u"), view->threads[0], view->threads[1], view->threads[2]);
}

static void
draw_panel (const Threads *self, cairo_t *cr, const CuredPlotStyle *style, CuredPlotText *text,
            const Layout *layout, guint index)
{
  const Panel *panel = self->panels->pdata[index];
  double line = _cured_plot_text_get_line_height (text);
  /* With small cells, every second row has a label. */
  guint step = layout->cell >= line ? 1 : 2;
  g_autofree char *title = describe_panel (self, panel);
  CuredRect cells;

  get_panel (self, layout, index, &cells);
  _cured_plot_text_paint (text, cr, style->foreground, title, CURED_ALIGN_START, cells.x,
                          cells.y - line - 3 * layout->scale,
                          MAX (cells.width, 300 * layout->scale));
  for (guint row = 0; row < panel->rows->len; row += step)
    {
      g_autofree char *label =
          g_strdup_printf ("%" PRIu64, g_array_index (panel->rows, guint64, row) * panel->columns);

      _cured_plot_text_add_number (text, label, CURED_ALIGN_END, cells.x - 6 * layout->scale,
                                   cells.y + (row + 0.5) * layout->cell);
    }
  _cured_plot_set_colour (cr, style->dim, 1);
  _cured_plot_text_flush_numbers (text, cr);
  if (panel->n_left_out > 0)
    {
      g_autofree char *more = g_strdup_printf (
          /* Translators: rows of elements that are left out of a picture. */
          g_dngettext (GETTEXT_PACKAGE, "… and %zu more row", "… and %zu more rows",
                       (gulong) panel->n_left_out),
          panel->n_left_out);

      _cured_plot_text_draw (text, cr, more, CURED_ALIGN_START, cells.x,
                             cells.y + cells.height + 3 * layout->scale, cells.width);
    }
}

static char *
describe_block (const Threads *self)
{
  const CuredBankView *view = self->view;

  return g_strdup_printf (
      /* Translators: coordinates of a block, and the size of its grid. */
      _ ("Block (%u, %u, %u) of %u × %u × %u: an element has the colour of the thread that touches "
         "it"),
      view->block[0], view->block[1], view->block[2], view->grid[0], view->grid[1], view->grid[2]);
}

/* Cells unrelated to the marked one are faint. */
static void
threads_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const Threads *self = (const Threads *) chart;
  const CuredPlotStyle *style = shown->style;
  gssize cell = shown->hovered >= 0 ? shown->hovered : shown->item;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new (), small = _cured_plot_text_new ();
  g_autofree guint8 *partners = find_partners (self, cell);
  g_autofree char *title = describe_block (self);
  double width, height;
  Layout layout;

  cairo_save (cr);
  cairo_new_path (cr);
  /* Lay out with the measured text: at a smaller scale, rounding makes lines higher. */
  lay_out (self, style, &layout);
  measure (self, &layout, &width, &height);
  _cured_plot_text_begin (text, cr, style, 1);
  _cured_plot_text_begin (small, cr, style, CURED_PLOT_SMALL_SCALE);
  _cured_plot_text_paint (text, cr, style->dim, title, CURED_ALIGN_START, 0, 0, width);
  for (guint i = 0; i < self->panels->len; i++)
    draw_panel (self, cr, style, text, &layout, i);
  for (gsize i = 0; i < self->n_cells; i++)
    if (has_item (self, i))
      draw_cell (self, cr, style, &layout, i,
                 partners == NULL || partners[i] != 0 || (gssize) i == cell ? 1 : FAINT);
  if (partners != NULL)
    draw_partners (self, cr, style, &layout, partners, (gsize) cell);
  for (int pass = 0; self->is_large && pass < 4; pass++)
    draw_numbers (self, cr, style, small, &layout, partners, cell, (pass & 1) != 0,
                  (pass & 2) != 0);
  cairo_restore (cr);
}

/* ---- Descriptions ---- */

/* "0–3, 8, 12" */
static char *
format_runs (const GArray *numbers)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_runs = 0;

  for (guint i = 0; i < numbers->len; n_runs++)
    {
      guint64 first = g_array_index (numbers, guint64, i), last = first;

      while (++i < numbers->len && g_array_index (numbers, guint64, i) == last + 1)
        last++;
      if (n_runs == MAX_RUNS)
        {
          g_string_append (text, ", …");
          break;
        }
      g_string_append_printf (text, "%s%" PRIu64, n_runs > 0 ? ", " : "", first);
      if (last > first)
        g_string_append_printf (text, "–%" PRIu64, last);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* (transfer full): the elements of a slice that a thread reads or writes or, if @thread is -1, the
 * threads that read or write @element; their number in @n */
static char *
list_touches (const Threads *self, gssize thread, gsize slice, guint64 element, guint8 flag,
              guint *n)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (gsize i = 0; i < self->view->n_touches; i++)
    {
      const CuredBankTouch *touch = &self->view->touches[i];
      guint64 number = thread < 0 ? touch->thread : touch->element;

      if ((thread < 0 ? touch->element == element : touch->thread == (gsize) thread) &&
          touch->slice == slice && (touch->flags & flag) != 0)
        g_array_append_val (numbers, number);
    }
  g_array_sort (numbers, compare_rows);
  *n = numbers->len;
  return format_runs (numbers);
}

static char *
describe_thread (const Threads *self, gsize thread)
{
  const CuredBankView *view = self->view;
  guint plane = view->threads[0] * view->threads[1];
  g_autoptr (GString) text = g_string_new (NULL);

  /* Translators: the number of a thread, and its coordinates in its block. */
  g_string_append_printf (text, _ ("Thread %zu (%u, %u, %u)"), thread,
                          (guint) thread % view->threads[0],
                          (guint) thread % plane / view->threads[0], (guint) thread / plane);
  for (gsize slice = 0; slice < view->n_slices; slice++)
    for (int pass = 0; pass < 2; pass++)
      {
        guint n_elements;
        g_autofree char *elements =
            list_touches (self, (gssize) thread, slice, 0,
                          pass == 0 ? CURED_BANK_PART_READ : CURED_BANK_PART_WRITTEN, &n_elements);

        if (n_elements == 0)
          continue;
        g_string_append (text, "; ");
        g_string_append_printf (
            text,
            /* Translators: the name of a buffer, and numbers of its elements. */
            pass == 0 ? _ ("reads %s[%s]") : _ ("writes %s[%s]"), view->slices[slice].buffer,
            elements);
      }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
describe_element (const Threads *self, gsize cell)
{
  guint index = find_panel (self, cell);
  const Panel *panel = self->panels->pdata[index];
  g_autoptr (GString) text = g_string_new (panel->slice->buffer);
  guint64 element = 0;

  panel_get_item (panel, cell, &element);
  g_string_append_printf (text, "[%" PRIu64 "]", element);
  if (self->owners[cell].n_threads == 0)
    g_string_append (text, _ ("; no thread of the block touches it"));
  for (int pass = 0; pass < 2; pass++)
    {
      guint n_threads = 0;
      g_autofree char *threads =
          list_touches (self, -1, index - 1, element,
                        pass == 0 ? CURED_BANK_PART_READ : CURED_BANK_PART_WRITTEN, &n_threads);

      if (n_threads == 0)
        continue;
      g_string_append (text, "; ");
      g_string_append_printf (text,
                              /* Translators: numbers of threads, as “0–3, 8”. */
                              pass == 0 ? g_dngettext (GETTEXT_PACKAGE, "read by thread %s",
                                                       "read by threads %s", n_threads)
                                        : g_dngettext (GETTEXT_PACKAGE, "written by thread %s",
                                                       "written by threads %s", n_threads),
                              threads);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* The elements that the thread accesses, or the threads that access the element. */
static char *
threads_describe (const CuredChart *chart, gssize cell, gssize step)
{
  const Threads *self = (const Threads *) chart;

  if (cell >= 0 && has_item (self, (gsize) cell))
    return (gsize) cell < self->n_threads ? describe_thread (self, (gsize) cell)
                                          : describe_element (self, (gsize) cell);
  if (self->view->is_touched_more)
    return g_strdup_printf (_ ("The first %zu elements that threads touch are shown"),
                            self->view->n_touches);
  return g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE,
                   "%zu thread; point at it, or at an element, to see which belong together",
                   "%zu threads; point at one, or at an element, to see which belong together",
                   (gulong) self->n_threads),
      self->n_threads);
}

CURED_FREE_FUNC (Threads, threads_free, panels, g_ptr_array_unref, links, g_array_unref, owners,
                 g_free, view, cured_bank_view_unref)

static const CuredChartClass threads_class = {
  .measure = threads_measure,
  .draw = threads_draw,
  .pick = threads_pick,
  .locate = threads_locate,
  .move = threads_move,
  .describe = threads_describe,
  .free = threads_free,
};

/* @view: a block's accesses
 *
 * A picture of threads and of the elements that they touch. Of each buffer, the 32 rows touched
 * first are shown. Items are threads, then elements; steps are threads.
 * Returns: (transfer full): a picture */
CuredChart *
cured_thread_plot_new (CuredBankView *view)
{
  g_return_val_if_fail (view != NULL, NULL);

  Threads *self =
      CURED_NEW (Threads, .view = cured_bank_view_ref (view),
                 .panels = g_ptr_array_new_with_free_func (panel_free),
                 .links = g_array_new (FALSE, FALSE, sizeof (Link)),
                 .n_threads = (gsize) view->threads[0] * view->threads[1] * view->threads[2]);
  self->is_large = self->n_threads <= LARGE_THREADS &&
                   (view->threads[0] <= LARGE_COLUMNS || view->threads[1] * view->threads[2] == 1);
  guint most = self->is_large ? LARGE_COLUMNS : COLUMNS;
  add_threads (self, most);
  for (gsize i = 0; i < view->n_slices; i++)
    add_buffer (self, i, most);
  self->owners = g_new0 (Owner, MAX (self->n_cells, 1));
  for (gsize i = 0; i < view->n_touches; i++)
    {
      const CuredBankTouch *touch = &view->touches[i];
      Link link = { .thread = touch->thread, .flags = touch->flags };

      if (!find_element (self, touch->slice, touch->element, &link.cell))
        continue;
      if (self->owners[link.cell].n_threads++ == 0)
        self->owners[link.cell].thread = link.thread;
      g_array_append_val (self->links, link);
    }
  self->chart = (CuredChart){ &threads_class, self->n_cells, self->n_threads };
  return &self->chart;
}
