/* SPDX-License-Identifier: MIT
 * How data flows, on screen: a step at a time. */
#include <config.h>

#include "banks/cured-flow-chart.h"

#include <math.h>

#include <glib/gi18n.h>

/* More rows are no picture of a small case any more. */
#define MAX_STEPS 256

/* Steps that Page Up and Page Down go. */
#define PAGE_STEPS 8

struct _CuredFlowChart
{
  CuredPicture parent_instance;

  /* Owned */
  CuredBankView *view; /* nullable */
  CuredFlowPlot *plot; /* nullable, as @view */

  gssize step; /* -1: all */
};

G_DEFINE_FINAL_TYPE (CuredFlowChart, cured_flow_chart, CURED_TYPE_PICTURE)

static void
update_accessible (CuredFlowChart *self)
{
  g_autofree char *read_out = cured_flow_chart_get_read_out (self);

  gtk_accessible_update_property (
      GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, read_out,
      GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
      _ ("How data flows through shared memory: the arrow keys go from access to access, Home and "
         "End to the first and the last, Space plays."),
      -1);
}

/* Scrolls so that the row of the step is seen; before the first, to the top. */
static void
reveal (CuredFlowChart *self)
{
  CuredRect row;
  double above;

  if (self->plot == NULL || self->step < 0)
    return;
  cured_flow_plot_get_row (self->plot, cured_picture_get_style (CURED_PICTURE (self)),
                           (gsize) self->step, &row);
  /* The first row brings the strips along, others their neighbours. */
  above = self->step == 0 ? row.y : row.height;
  row.width = 0;
  row.y -= above;
  row.height += above + (self->step == 0 ? 0 : row.height);
  cured_picture_reveal (CURED_PICTURE (self), &row);
}

static void
cured_flow_chart_pressed (CuredPicture *picture, int n_press, double x, double y)
{
  CuredFlowChart *self = CURED_FLOW_CHART (picture);
  CuredRect row;
  gssize step;

  if (self->plot == NULL || cured_flow_chart_get_n_steps (self) == 0)
    return;
  cured_flow_plot_get_row (self->plot, cured_picture_get_style (picture), 0, &row);
  step = (gssize) floor ((y - row.y) / row.height);
  if (step >= 0 && (gsize) step < cured_flow_chart_get_n_steps (self) && step != self->step)
    cured_picture_step (picture, (int) (step - MAX (self->step, 0)));
}

static void
cured_flow_chart_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  CuredFlowChart *self = CURED_FLOW_CHART (widget);
  double width = 0.0;
  double height = 0.0;

  if (self->plot != NULL)
    cured_flow_plot_measure (self->plot, cured_picture_get_style (CURED_PICTURE (self)), &width,
                             &height);
  *minimum = *natural = (int) ceil (orientation == GTK_ORIENTATION_HORIZONTAL ? width : height);
}

static void
cured_flow_chart_draw (CuredPicture *picture, cairo_t *cr, const CuredPlotStyle *style,
                       double width, double height)
{
  CuredFlowChart *self = CURED_FLOW_CHART (picture);

  if (self->plot != NULL)
    cured_flow_plot_draw (cr, self->plot, style, self->step);
}

static void
cured_flow_chart_dispose (GObject *object)
{
  CuredFlowChart *self = CURED_FLOW_CHART (object);

  g_clear_pointer (&self->plot, cured_flow_plot_free);
  g_clear_pointer (&self->view, cured_bank_view_unref);
  G_OBJECT_CLASS (cured_flow_chart_parent_class)->dispose (object);
}

static void
cured_flow_chart_class_init (CuredFlowChartClass *klass)
{
  static const struct
  {
    guint key;
    int by;
  } moves[] = {
    { GDK_KEY_Up, -1 },
    { GDK_KEY_KP_Up, -1 },
    { GDK_KEY_Left, -1 },
    { GDK_KEY_KP_Left, -1 },
    { GDK_KEY_Down, 1 },
    { GDK_KEY_KP_Down, 1 },
    { GDK_KEY_Right, 1 },
    { GDK_KEY_KP_Right, 1 },
    { GDK_KEY_Page_Up, -PAGE_STEPS },
    { GDK_KEY_Page_Down, PAGE_STEPS },
    { GDK_KEY_Home, -G_MAXINT16 },
    { GDK_KEY_End, G_MAXINT16 },
  };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  CuredPictureClass *picture_class = CURED_PICTURE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_flow_chart_dispose;
  widget_class->measure = cured_flow_chart_measure;
  picture_class->draw = cured_flow_chart_draw;
  picture_class->pressed = cured_flow_chart_pressed;

  for (gsize i = 0; i < G_N_ELEMENTS (moves); i++)
    cured_picture_class_bind_step (picture_class, moves[i].key, 0, moves[i].by);
  cured_picture_class_bind_play (picture_class);
  gtk_widget_class_set_css_name (widget_class, "flow-chart");
}

static void
cured_flow_chart_init (CuredFlowChart *self)
{
  self->step = -1;
}

/**
 * cured_flow_chart_set_view:
 * @self: a chart
 * @view: (nullable): what to draw; %NULL: nothing
 *
 * Draws another warp's accesses. One that is drawn already stays as it is.
 */
void
cured_flow_chart_set_view (CuredFlowChart *self, CuredBankView *view)
{
  g_return_if_fail (CURED_IS_FLOW_CHART (self));

  if (view == self->view)
    return;
  g_clear_pointer (&self->plot, cured_flow_plot_free);
  g_clear_pointer (&self->view, cured_bank_view_unref);
  if (view != NULL)
    {
      self->view = cured_bank_view_ref (view);
      self->plot = cured_flow_plot_new (view, MAX_STEPS, TRUE);
    }
  gtk_widget_queue_resize (GTK_WIDGET (self));
  update_accessible (self);
}

/**
 * cured_flow_chart_get_n_steps:
 * @self: a chart
 *
 * Returns: how many accesses it shows
 */
gsize
cured_flow_chart_get_n_steps (CuredFlowChart *self)
{
  g_return_val_if_fail (CURED_IS_FLOW_CHART (self), 0);
  return self->plot != NULL ? cured_flow_plot_get_n_steps (self->plot) : 0;
}

/**
 * cured_flow_chart_set_step:
 * @self: a chart
 * @step: an access; -1: all are shown alike
 *
 * Shows the flow up to an access, and scrolls there.
 */
void
cured_flow_chart_set_step (CuredFlowChart *self, gssize step)
{
  g_return_if_fail (CURED_IS_FLOW_CHART (self));

  if (step == self->step)
    return;
  self->step = step;
  reveal (self);
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * cured_flow_chart_get_step:
 * @self: a chart
 *
 * Returns: the access up to which the flow is shown; -1: all
 */
gssize
cured_flow_chart_get_step (CuredFlowChart *self)
{
  g_return_val_if_fail (CURED_IS_FLOW_CHART (self), -1);
  return self->step;
}

/**
 * cured_flow_chart_get_read_out:
 * @self: a chart
 *
 * Returns: (transfer full): a line about the access that is shown
 */
char *
cured_flow_chart_get_read_out (CuredFlowChart *self)
{
  g_return_val_if_fail (CURED_IS_FLOW_CHART (self), NULL);
  return self->plot != NULL ? cured_flow_plot_describe (self->plot, self->step) : g_strdup ("");
}
