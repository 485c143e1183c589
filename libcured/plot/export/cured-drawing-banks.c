/* SPDX-License-Identifier: MIT
 * Accesses to the banks of shared memory as a drawing and as tables. */
#include "config.h"

#include "plot/export/cured-drawing-banks.h"

#include "base/cured-base-internal.h"
#include "plot/export/cured-drawing-internal.h"
#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"

/* Between two pictures. */
#define GAP 24.0

/* Pictures whose total height exceeds it are drawn side by side. */
#define MOST_STACKED_HEIGHT 900.0

/* Limit of lines of text above a picture, which say what it shows and its cost. */
#define MAX_LINES 3

#define MAX_SHOWN 2

typedef struct
{
  CuredBankView *view; /* nullable */
  gsize site;
  CuredBankPlot *plot;
  const char *title;          /* nullable; one of @lines */
  char *lines[MAX_LINES + 1]; /* above it; NULL ends them */
} Panel;

typedef struct
{
  Panel panels[MAX_SHOWN];
  gsize n_panels;
  gboolean is_beside; /* otherwise they are stacked, with aligned banks */
} Banks;

/* ---- Drawing ---- */

static double
get_line_height (const CuredPlotStyle *style)
{
  CuredPlotText *text = _cured_plot_text_for (style);

  return ceil (_cured_plot_text_get_line_height (text)) + 2;
}

static double
get_head_height (const Panel *self, const CuredPlotStyle *style)
{
  return (g_strv_length ((char **) self->lines) + 0.5) * get_line_height (style);
}

static void
draw_panel (const Panel *self, cairo_t *cr, const CuredPlotStyle *style, double width,
            double height)
{
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  double line = get_line_height (style), head = get_head_height (self, style);
  CuredChartShown shown = { style, width, MAX (height - head, 1), 0, -1, -1, -1 };

  _cured_plot_text_begin (text, cr, style, 1);
  _cured_plot_set_colour (cr, style->foreground, 1);
  for (gsize i = 0; self->lines[i] != NULL; i++)
    _cured_plot_text_draw (text, cr, self->lines[i], CURED_ALIGN_START, 0, line * (double) i,
                           width);
  cairo_save (cr);
  cairo_translate (cr, 0, head);
  self->plot->chart.klass->draw (&self->plot->chart, cr, &shown);
  cairo_restore (cr);
}

/* The natural height of a picture, in proportion to which the pictures share the room. */
static double
measure_panel (const Panel *self, const CuredPlotStyle *style, double for_width, double *width)
{
  double least_width, height;

  self->plot->chart.klass->measure (&self->plot->chart, style, for_width, &least_width, width,
                                    &height);
  return get_head_height (self, style) + height;
}

static void
banks_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
            double height)
{
  const Banks *self = data;
  double gaps = GAP * (double) (self->n_panels - 1);
  double heights[MAX_SHOWN] = { 0 }, sum = 0, unused;

  cairo_save (cr);
  if (self->is_beside)
    {
      double each = MAX (width - gaps, 1) / (double) self->n_panels;

      for (gsize i = 0; i < self->n_panels; i++)
        {
          draw_panel (&self->panels[i], cr, style, each, height);
          cairo_translate (cr, each + GAP, 0);
        }
      cairo_restore (cr);
      return;
    }
  for (gsize i = 0; i < self->n_panels; i++)
    {
      heights[i] = measure_panel (&self->panels[i], style, width, &unused);
      sum += heights[i];
    }
  for (gsize i = 0; i < self->n_panels; i++)
    {
      /* Spare height is left at the bottom. */
      double here = heights[i] * MIN (MAX (height - gaps, 1) / MAX (sum, 1), 1);

      draw_panel (&self->panels[i], cr, style, width, here);
      cairo_translate (cr, 0, here + GAP);
    }
  cairo_restore (cr);
}

/* ---- Tables ---- */

/* ORDER: as in append_site(). */
static const char *const site_columns[] = {
  "picture",  "is_shown",   "site",  "line",   "ptx_line", "access", "bits",
  "accesses", "wavefronts", "least", "excess", "source",   "ptx",
};

/* ORDER: as in append_served(). */
static const char *const served_columns[] = {
  "picture", "lane", "word", "bank", "wavefront", "is_broadcast",
};

static void
append_site (GString *buffer, const Panel *panel, gsize picture, gsize index)
{
  const CuredBankSite *site = &panel->view->sites[index];
  const guint64 counts[] = {
    site->wavefronts,
    site->least,
    site->wavefronts - site->least,
  };

  _cured_csv_integer (buffer, (gint64) picture + 1);
  _cured_csv_integer (buffer, index == panel->site);
  _cured_csv_integer (buffer, (gint64) index + 1);
  if (site->line > 0)
    _cured_csv_integer (buffer, site->line);
  else
    _cured_csv_text (buffer, NULL);
  _cured_csv_integer (buffer, site->ptx_line);
  _cured_csv_text (buffer, cured_access_kind_get_name (site->kind));
  _cured_csv_integer (buffer, site->width);
  _cured_csv_integer (buffer, (gint64) site->accesses);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    if (site->is_known)
      _cured_csv_integer (buffer, (gint64) counts[i]);
    else
      _cured_csv_text (buffer, NULL);
  _cured_csv_text (buffer, site->source);
  _cured_csv_text (buffer, site->ptx);
  _cured_csv_end (buffer);
}

static void
append_served (GString *buffer, const Panel *panel, gsize picture)
{
  CuredBankPicture served;

  if (!cured_bank_model_explain (&panel->plot->access, &served))
    return;
  for (gsize i = 0; i < served.n_served; i++)
    {
      _cured_csv_integer (buffer, (gint64) picture + 1);
      _cured_csv_integer (buffer, served.served[i].lane);
      _cured_csv_integer (buffer, served.served[i].word);
      _cured_csv_integer (buffer, served.served[i].bank);
      _cured_csv_integer (buffer, served.served[i].wavefront);
      _cured_csv_integer (buffer, served.served[i].is_broadcast);
      _cured_csv_end (buffer);
    }
}

/* The sites of a kernel; for an access without a kernel, its words. */
static gboolean
banks_write_csv (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                 GError **error)
{
  const Banks *self = data;
  g_autoptr (GString) buffer = g_string_new (NULL);
  gboolean has_sites = self->panels[0].view != NULL;

  if (has_sites)
    _cured_csv_texts (buffer, site_columns, G_N_ELEMENTS (site_columns));
  else
    _cured_csv_texts (buffer, served_columns, G_N_ELEMENTS (served_columns));
  _cured_csv_end (buffer);
  for (gsize i = 0; i < self->n_panels; i++)
    {
      const Panel *panel = &self->panels[i];

      if (!has_sites)
        append_served (buffer, panel, i);
      for (gsize j = 0; panel->view != NULL && j < panel->view->n_sites; j++)
        append_site (buffer, panel, i, j);
    }
  return g_output_stream_write_all (stream, buffer->str, buffer->len, NULL, cancellable, error);
}

static void
add_site (JsonBuilder *builder, const CuredBankView *view, gsize index)
{
  const CuredBankSite *site = &view->sites[index];

  json_builder_begin_object (builder);
  _cured_json_add_int (builder, "site", (gint64) index + 1);
  _cured_json_add_int (builder, "line", site->line);
  _cured_json_add_text (builder, "source", site->source);
  _cured_json_add_int (builder, "ptx_line", site->ptx_line);
  _cured_json_add_text (builder, "ptx", site->ptx);
  _cured_json_add_text (builder, "access", cured_access_kind_get_name (site->kind));
  _cured_json_add_int (builder, "bits", site->width);
  _cured_json_add_int (builder, "accesses", (gint64) site->accesses);
  _cured_json_add_text (builder, "fault",
                        site->fault != NULL ? cured_finding_info (site->fault->kind)->id : NULL);
  _cured_json_add_flag (builder, "has_rule", site->is_known);
  if (site->is_known)
    {
      _cured_json_add_int (builder, "wavefronts", (gint64) site->wavefronts);
      _cured_json_add_int (builder, "least", (gint64) site->least);
      _cured_json_add_int (builder, "excess", (gint64) (site->wavefronts - site->least));
    }
  json_builder_end_object (builder);
}

static void
add_access (JsonBuilder *builder, const Panel *panel)
{
  const CuredBankAccess *access = &panel->plot->access;
  g_autofree char *mask = g_strdup_printf ("%08x", access->mask);
  CuredBankPicture picture;

  _cured_json_add_int (builder, "bits", access->width);
  _cured_json_add_text (builder, "mask", mask);
  _cured_json_begin_array (builder, "addresses");
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    if ((access->mask >> n & 1) != 0)
      json_builder_add_int_value (builder, access->addresses[n]);
    else
      json_builder_add_null_value (builder);
  json_builder_end_array (builder);
  if (!cured_bank_model_explain (access, &picture))
    return;
  _cured_json_add_int (builder, "banks", picture.n_banks);
  _cured_json_add_int (builder, "wavefronts", picture.counts.wavefronts);
  _cured_json_add_int (builder, "least", picture.counts.least);
  _cured_json_add_int (builder, "conflicts", picture.counts.conflicts);
  _cured_json_begin_array (builder, "served");
  for (gsize i = 0; i < picture.n_served; i++)
    {
      json_builder_begin_object (builder);
      _cured_json_add_int (builder, "lane", picture.served[i].lane);
      _cured_json_add_int (builder, "word", picture.served[i].word);
      _cured_json_add_int (builder, "bank", picture.served[i].bank);
      _cured_json_add_int (builder, "wavefront", picture.served[i].wavefront);
      _cured_json_add_flag (builder, "broadcast", picture.served[i].is_broadcast);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static gboolean
banks_write_json (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                  GError **error)
{
  const Banks *self = data;
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  _cured_json_begin_array (builder, "pictures");
  for (gsize i = 0; i < self->n_panels; i++)
    {
      const Panel *panel = &self->panels[i];

      json_builder_begin_object (builder);
      _cured_json_add_text (builder, "title", panel->title);
      add_access (builder, panel);
      if (panel->view != NULL)
        {
          _cured_json_add_text (builder, "entry", panel->view->entry);
          _cured_json_add_int (builder, "warp", panel->view->warp);
          _cured_json_add_int (builder, "site", (gint64) panel->site + 1);
          _cured_json_begin_array (builder, "sites");
          for (gsize j = 0; j < panel->view->n_sites; j++)
            add_site (builder, panel->view, j);
          json_builder_end_array (builder);
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return _cured_export_write_builder (builder, stream, cancellable, error);
}

static void
banks_free (gpointer data)
{
  Banks *self = data;

  for (gsize i = 0; i < self->n_panels; i++)
    {
      Panel *panel = &self->panels[i];

      g_clear_pointer (&panel->view, cured_bank_view_unref);
      cured_chart_free (&panel->plot->chart);
      for (gsize j = 0; j < MAX_LINES; j++)
        g_free (panel->lines[j]);
    }
  g_free (self);
}

static const CuredDrawingClass banks_class = {
  .draw = banks_draw,
  .write_csv = banks_write_csv,
  .write_json = banks_write_json,
  .free = banks_free,
};

static void
panel_init (Panel *self, const CuredBankShown *shown, CuredBankPlotMode mode)
{
  g_autofree char *why =
      shown->view != NULL
          ? cured_bank_site_describe (&shown->view->sites[shown->site], &shown->access)
          : cured_bank_access_describe (&shown->access);
  gsize n = 0;

  self->plot = cured_bank_plot_new (&shown->access, mode);
  if (shown->title != NULL)
    self->title = self->lines[n++] = g_strdup (shown->title);
  if (shown->view != NULL)
    {
      const CuredBankSite *site = &shown->view->sites[shown->site];
      const char *text = site->source != NULL ? site->source : site->ptx;

      self->view = cured_bank_view_ref (shown->view);
      self->site = shown->site;
      if (site->line > 0)
        /* Translators: a line of source code. */
        self->lines[n++] = g_strdup_printf (_ ("Line %d: %s"), site->line, text);
      else
        self->lines[n++] = g_strdup (text);
    }
  self->lines[n++] = self->plot->is_known ? g_strdup_printf (_ ("Wavefronts %u, ideal %u: %s"),
                                                             self->plot->counts.wavefronts,
                                                             self->plot->counts.least, why)
                                          : g_steal_pointer (&why);
}

static char *
make_footnote (void)
{
  return g_strdup_printf (
      "%s Cured\u00a0%s",
      _ ("A number is that of a lane. ×4: one read or write serves so many lanes, their colours "
         "below. Straight red edges and a marked corner: it had to wait for its bank."),
      CURED_VERSION);
}

/* @shown: (array length=n_shown): one picture, or two to compare
 * @n_shown: 1 or 2
 * @mode: the meaning of rows and columns
 * @name: name for a file, without a suffix
 * @title: its title, such as the kernel's id
 * @first_line: (nullable): a line below the title, such as the parameters
 * @second_line: (nullable): a second line, such as block and warp
 *
 * CSV has the sites of the views, or the words of accesses without a view; JSON has both.
 * Returns: (transfer full): a picture of accesses */
CuredDrawing *
cured_drawing_new_banks (const CuredBankShown *shown, gsize n_shown, CuredBankPlotMode mode,
                         const char *name, const char *title, const char *first_line,
                         const char *second_line)
{
  g_autofree char *footnote = make_footnote ();
  CuredPlotStyle style;
  double heights[MAX_SHOWN] = { 0 }, widths[MAX_SHOWN] = { 0 };

  g_return_val_if_fail (n_shown >= 1 && n_shown <= MAX_SHOWN, NULL);
  cured_plot_style_init (&style, FALSE);
  Banks *banks = g_new0 (Banks, 1);
  banks->n_panels = n_shown;
  for (gsize i = 0; i < n_shown; i++)
    {
      panel_init (&banks->panels[i], &shown[i], mode);
      heights[i] = measure_panel (&banks->panels[i], &style, -1, &widths[i]);
    }
  banks->is_beside = n_shown == 2 && heights[0] + heights[1] > MOST_STACKED_HEIGHT;
  CuredDrawing *self = cured_drawing_new (
      &banks_class, banks, name,
      banks->is_beside ? widths[0] + GAP + widths[1] : MAX (widths[0], widths[1]),
      banks->is_beside ? MAX (heights[0], heights[1])
                       : heights[0] + heights[1] + GAP * (n_shown == 2));
  cured_drawing_set_caption (self, title, first_line, second_line, footnote);
  return self;
}
