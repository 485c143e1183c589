/* SPDX-License-Identifier: MIT
 * A ladder as a drawing: its bars, and the table of its steps. */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "plot/cured-plot-bars.h"
#include "plot/export/cured-drawing-internal.h"
#include "study/cured-study-internal.h"

#define WIDTH 760.0

typedef struct
{
  CuredLadderView *view;
  CuredBars *bars;
} Ladder;

static void
ladder_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
             double height)
{
  const Ladder *self = data;
  CuredChartShown shown = { style, width, height, 0, -1, -1, -1 };

  self->bars->chart.klass->draw (&self->bars->chart, cr, &shown);
}

static gboolean
ladder_write_csv (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                  GError **error)
{
  const Ladder *self = data;

  return cured_ladder_view_write_csv (self->view, stream, cancellable, error);
}

static gboolean
ladder_write_json (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                   GError **error)
{
  const Ladder *self = data;

  return cured_ladder_view_write_json (self->view, stream, cancellable, error);
}

static void
ladder_free (gpointer data)
{
  Ladder *self = data;

  cured_chart_free (&self->bars->chart);
  cured_ladder_view_free (self->view);
  g_free (self);
}

static const CuredDrawingClass ladder_class = {
  .draw = ladder_draw,
  .write_csv = ladder_write_csv,
  .write_json = ladder_write_json,
  .free = ladder_free,
};

/* @metric: as for cured_bars_new_for_ladder()
 * Returns: (transfer full): bars, with a table of the steps */
CuredDrawing *
cured_drawing_new_ladder (const CuredLadderView *view, CuredMetric metric)
{
  const CuredLadder *family = view->ladder;
  const CuredMetricInfo *info = cured_metric_info (metric);
  Ladder *ladder = g_new0 (Ladder, 1);
  g_autofree char *name = g_strconcat ("ladder-", family->family, NULL);
  g_autofree char *origin = NULL, *footnote = NULL;
  CuredPlotStyle style;
  double width, height;

  cured_plot_style_init (&style, FALSE);
  ladder->view = cured_ladder_view_new (view->ladder, view->problem);
  ladder->bars = cured_bars_new_for_ladder (view, metric, NULL);
  ladder->bars->chart.klass->measure (&ladder->bars->chart, &style, -1, &width, &width, &height);
  CuredDrawing *self = cured_drawing_new (&ladder_class, ladder, name, WIDTH, height);
  /* Translators: a figure, and a family of kernels: "Time, steps of reduce". */
  g_autofree char *title = g_strdup_printf (_ ("%s, steps of %s"), _ (info->title), family->family);
  if (family->device != NULL)
    origin = g_strdup_printf ("%s, %s", family->device,
                              family->problems[0] != NULL ? family->problems[view->problem] : "");
  footnote =
      g_strdup_printf ("%s: %s. %s Cured\u00a0%s", _ (info->title), _ (info->description),
                       view->n_scaled > 0 ? _ ("Hatched: recorded at another size or with other "
                                               "work; the time is scaled from its rate.")
                                          : "",
                       CURED_VERSION);
  cured_drawing_set_caption (self, title, origin, NULL, footnote);
  return self;
}
