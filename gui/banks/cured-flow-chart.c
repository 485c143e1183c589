/* SPDX-License-Identifier: MIT
 * How data flows, on screen: a step at a time. */
#include <config.h>

#include "banks/cured-flow-chart.h"

#include <math.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "widgets/cured-plot-look.h"

/* More rows are no picture of a small case any more. */
#define MAX_STEPS 256

/* Steps that Page Up and Page Down go. */
#define PAGE_STEPS 8

struct _CuredFlowChart
{
  GtkWidget parent_instance;

  /* Owned */
  CuredBankView *view; /* nullable */
  CuredFlowPlot *plot; /* nullable, as @view */

  CuredPlotStyle style;
  gssize step; /* -1: all */
};

enum
{
  STEP,
  PLAY,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredFlowChart, cured_flow_chart, GTK_TYPE_WIDGET)

static void
update_accessible (CuredFlowChart *self)
{
  g_autofree char *read_out = cured_flow_chart_get_read_out (self);

  gtk_accessible_update_property (
      GTK_ACCESSIBLE (self),
      GTK_ACCESSIBLE_PROPERTY_LABEL,
      read_out,
      GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
      _ ("How data flows through shared memory: the arrow keys go from access "
         "to access, Home and End to the first and the last, Space plays."),
      -1);
}

/* Scrolls so that the row of the step is seen; before the first, to the top. */
static void
reveal (CuredFlowChart *self)
{
  GtkWidget *window =
      gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *adjustment;
  CuredRect row;

  if (window == NULL || self->plot == NULL || self->step < 0)
    return;
  adjustment =
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (window));
  cured_flow_plot_get_row (self->plot, &self->style, (gsize) self->step, &row);
  /* The first row brings the strips along. */
  if (self->step == 0)
    gtk_adjustment_clamp_page (adjustment, 0, row.y + row.height);
  else
    gtk_adjustment_clamp_page (
        adjustment, row.y - row.height, row.y + 2 * row.height);
}

static void
style_changed_cb (CuredFlowChart *self)
{
  if (cured_plot_look_update (&self->style, GTK_WIDGET (self), 1.0))
    gtk_widget_queue_resize (GTK_WIDGET (self));
}

/* Keyboard: gtk_widget_class_add_binding() calls these. */

static gboolean
step_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  int by;

  g_variant_get (args, "(i)", &by);
  g_signal_emit (widget, signals[STEP], 0, by);
  return TRUE;
}

static gboolean
play_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  g_signal_emit (widget, signals[PLAY], 0);
  return TRUE;
}

static void
pressed_cb (CuredFlowChart *self, int n_press, double x, double y)
{
  CuredRect row;
  gssize step;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->plot == NULL || cured_flow_chart_get_n_steps (self) == 0)
    return;
  cured_flow_plot_get_row (self->plot, &self->style, 0, &row);
  step = (gssize) floor ((y - row.y) / row.height);
  if (step >= 0 && (gsize) step < cured_flow_chart_get_n_steps (self) &&
      step != self->step)
    g_signal_emit (self, signals[STEP], 0, (int) (step - MAX (self->step, 0)));
}

static void
cured_flow_chart_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (cured_flow_chart_parent_class)
      ->css_changed (widget, change);
  style_changed_cb (CURED_FLOW_CHART (widget));
}

static void
cured_flow_chart_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  CuredFlowChart *self = CURED_FLOW_CHART (widget);
  double width = 0.0;
  double height = 0.0;

  if (self->plot != NULL)
    cured_flow_plot_measure (self->plot, &self->style, &width, &height);
  *minimum = *natural =
      (int) ceil (orientation == GTK_ORIENTATION_HORIZONTAL ? width : height);
}

static void
cured_flow_chart_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  CuredFlowChart *self = CURED_FLOW_CHART (widget);
  cairo_t *cr;

  if (self->plot == NULL)
    return;
  cr = gtk_snapshot_append_cairo (
      snapshot,
      &GRAPHENE_RECT_INIT (0.0f,
                           0.0f,
                           (float) gtk_widget_get_width (widget),
                           (float) gtk_widget_get_height (widget)));
  cured_flow_plot_draw (cr, self->plot, &self->style, self->step);
  cairo_destroy (cr);
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

  G_OBJECT_CLASS (klass)->dispose = cured_flow_chart_dispose;
  widget_class->css_changed = cured_flow_chart_css_changed;
  widget_class->measure = cured_flow_chart_measure;
  widget_class->snapshot = cured_flow_chart_snapshot;

  signals[STEP] = g_signal_new ("step",
                                CURED_TYPE_FLOW_CHART,
                                G_SIGNAL_RUN_LAST,
                                0,
                                NULL,
                                NULL,
                                NULL,
                                G_TYPE_NONE,
                                1,
                                G_TYPE_INT);
  signals[PLAY] = g_signal_new ("play",
                                CURED_TYPE_FLOW_CHART,
                                G_SIGNAL_RUN_LAST,
                                0,
                                NULL,
                                NULL,
                                NULL,
                                G_TYPE_NONE,
                                0);
  for (gsize i = 0; i < G_N_ELEMENTS (moves); i++)
    gtk_widget_class_add_binding (
        widget_class, moves[i].key, 0, step_cb, "(i)", moves[i].by);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_space, 0, play_cb, NULL);
  gtk_widget_class_set_css_name (widget_class, "flow-chart");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
cured_flow_chart_init (CuredFlowChart *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  self->step = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  g_signal_connect_object (adw_style_manager_get_default (),
                           "notify::dark",
                           G_CALLBACK (style_changed_cb),
                           self,
                           G_CONNECT_SWAPPED);
  style_changed_cb (self);
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
  return self->plot != NULL ? cured_flow_plot_describe (self->plot, self->step)
                            : g_strdup ("");
}
