/* SPDX-License-Identifier: MIT
 * Which thread touches which element, on screen. */
#include <config.h>

#include "banks/cured-thread-chart.h"

#include <math.h>

#include <glib/gi18n.h>

struct _CuredThreadChart
{
  CuredPicture parent_instance;

  /* Owned */
  CuredBankView *view;   /* nullable */
  CuredThreadPlot *plot; /* nullable, as @view */

  gssize chosen; /* -1: all are shown alike */
};

enum
{
  CHOSEN,
  CURSOR_MOVED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredThreadChart, cured_thread_chart, CURED_TYPE_PICTURE)

/* The cell under the pointer or, without one, that which is chosen. */
static gssize
get_cell (CuredThreadChart *self)
{
  gssize hovered = cured_picture_get_hovered (CURED_PICTURE (self));

  return hovered >= 0 ? hovered : self->chosen;
}

static void
cursor_moved (CuredThreadChart *self)
{
  g_autofree char *read_out = cured_thread_chart_get_read_out (self);

  gtk_accessible_update_property (
      GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, read_out,
      GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
      _ ("Which thread touches which element: the arrow keys go from cell to cell, Page Up and "
         "Page Down from the threads to a buffer, Escape shows all, Space plays."),
      -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[CURSOR_MOVED], 0);
}

static void
reveal (CuredThreadChart *self)
{
  CuredRect cell;

  if (self->plot == NULL || self->chosen < 0)
    return;
  cured_thread_plot_get_cell (self->plot, cured_picture_get_style (CURED_PICTURE (self)),
                              (gsize) self->chosen, &cell);
  cured_picture_reveal (CURED_PICTURE (self), &cell);
}

static void
choose (CuredThreadChart *self, gssize cell)
{
  if (cell == self->chosen)
    return;
  cured_thread_chart_set_chosen (self, cell);
  g_signal_emit (self, signals[CHOSEN], 0);
}

/* Keyboard: gtk_widget_class_add_binding() calls these. */

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredThreadChart *self = CURED_THREAD_CHART (widget);
  int columns;
  int rows;
  int panels;

  if (self->plot == NULL)
    return FALSE;
  g_variant_get (args, "(iii)", &columns, &rows, &panels);
  /* The read-out is the cursor's until the pointer moves again. */
  cured_picture_forget_hovered (CURED_PICTURE (self));
  choose (self, cured_thread_plot_move (self->plot, self->chosen, columns, rows, panels));
  return TRUE;
}

static gboolean
escape_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredThreadChart *self = CURED_THREAD_CHART (widget);

  if (self->chosen < 0)
    return FALSE;
  choose (self, -1);
  return TRUE;
}

static gssize
cured_thread_chart_pick (CuredPicture *picture, double x, double y)
{
  CuredThreadChart *self = CURED_THREAD_CHART (picture);

  return self->plot != NULL
             ? cured_thread_plot_find_cell (self->plot, cured_picture_get_style (picture), x, y)
             : -1;
}

static void
cured_thread_chart_hovered (CuredPicture *picture)
{
  cursor_moved (CURED_THREAD_CHART (picture));
}

static void
cured_thread_chart_pressed (CuredPicture *picture, int n_press, double x, double y)
{
  choose (CURED_THREAD_CHART (picture), cured_picture_get_hovered (picture));
}

static void
cured_thread_chart_draw (CuredPicture *picture, cairo_t *cr, const CuredPlotStyle *style,
                         double width, double height)
{
  CuredThreadChart *self = CURED_THREAD_CHART (picture);

  if (self->plot != NULL)
    cured_thread_plot_draw (cr, self->plot, style, get_cell (self));
}

static void
cured_thread_chart_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  CuredThreadChart *self = CURED_THREAD_CHART (widget);
  double width = 0.0;
  double height = 0.0;

  if (self->plot != NULL)
    cured_thread_plot_measure (self->plot, cured_picture_get_style (CURED_PICTURE (self)), &width,
                               &height);
  *minimum = *natural = (int) ceil (orientation == GTK_ORIENTATION_HORIZONTAL ? width : height);
}

static void
cured_thread_chart_dispose (GObject *object)
{
  CuredThreadChart *self = CURED_THREAD_CHART (object);

  g_clear_pointer (&self->plot, cured_thread_plot_free);
  g_clear_pointer (&self->view, cured_bank_view_unref);
  G_OBJECT_CLASS (cured_thread_chart_parent_class)->dispose (object);
}

static void
cured_thread_chart_class_init (CuredThreadChartClass *klass)
{
  static const char *const names[N_SIGNALS] = { "chosen", "cursor-moved" };
  static const struct
  {
    guint key;
    guint keypad_key;
    int columns;
    int rows;
    int panels;
  } moves[] = {
    { GDK_KEY_Left, GDK_KEY_KP_Left, -1, 0, 0 },
    { GDK_KEY_Right, GDK_KEY_KP_Right, 1, 0, 0 },
    { GDK_KEY_Up, GDK_KEY_KP_Up, 0, -1, 0 },
    { GDK_KEY_Down, GDK_KEY_KP_Down, 0, 1, 0 },
    { GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, 0, 0, -1 },
    { GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, 0, 0, 1 },
  };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  CuredPictureClass *picture_class = CURED_PICTURE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_thread_chart_dispose;
  widget_class->measure = cured_thread_chart_measure;
  picture_class->draw = cured_thread_chart_draw;
  picture_class->pick = cured_thread_chart_pick;
  picture_class->hovered = cured_thread_chart_hovered;
  picture_class->pressed = cured_thread_chart_pressed;

  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], CURED_TYPE_THREAD_CHART, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (moves); i++)
    for (int keypad = 0; keypad < 2; keypad++)
      gtk_widget_class_add_binding (widget_class, keypad ? moves[i].keypad_key : moves[i].key, 0,
                                    move_cb, "(iii)", moves[i].columns, moves[i].rows,
                                    moves[i].panels);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, 0, escape_cb, NULL);
  cured_picture_class_bind_play (picture_class);
  gtk_widget_class_set_css_name (widget_class, "thread-chart");
}

static void
cured_thread_chart_init (CuredThreadChart *self)
{
  self->chosen = -1;
}

/**
 * cured_thread_chart_set_view:
 * @self: a chart
 * @view: (nullable): what to draw; %NULL: nothing
 *
 * Draws another block, with nothing chosen. One that is drawn already stays as it is.
 */
void
cured_thread_chart_set_view (CuredThreadChart *self, CuredBankView *view)
{
  g_return_if_fail (CURED_IS_THREAD_CHART (self));

  if (view == self->view)
    return;
  g_clear_pointer (&self->plot, cured_thread_plot_free);
  g_clear_pointer (&self->view, cured_bank_view_unref);
  if (view != NULL)
    {
      self->view = cured_bank_view_ref (view);
      self->plot = cured_thread_plot_new (view);
    }
  self->chosen = -1;
  cured_picture_forget_hovered (CURED_PICTURE (self));
  gtk_widget_queue_resize (GTK_WIDGET (self));
  cursor_moved (self);
}

/**
 * cured_thread_chart_get_n_threads:
 * @self: a chart
 *
 * Returns: threads that it shows: cells from 0 on
 */
gsize
cured_thread_chart_get_n_threads (CuredThreadChart *self)
{
  g_return_val_if_fail (CURED_IS_THREAD_CHART (self), 0);
  return self->plot != NULL ? cured_thread_plot_get_n_threads (self->plot) : 0;
}

/**
 * cured_thread_chart_set_chosen:
 * @self: a chart
 * @cell: a thread, or an element of a buffer; -1: all are shown alike
 *
 * Shows what a thread touches, or who touches an element, and scrolls there.
 */
void
cured_thread_chart_set_chosen (CuredThreadChart *self, gssize cell)
{
  g_return_if_fail (CURED_IS_THREAD_CHART (self));

  if (cell == self->chosen)
    return;
  self->chosen = cell;
  reveal (self);
  cursor_moved (self);
}

/**
 * cured_thread_chart_get_chosen:
 * @self: a chart
 *
 * Returns: a thread, or, from cured_thread_chart_get_n_threads() on, an element;
 *   -1: none
 */
gssize
cured_thread_chart_get_chosen (CuredThreadChart *self)
{
  g_return_val_if_fail (CURED_IS_THREAD_CHART (self), -1);
  return self->chosen;
}

/**
 * cured_thread_chart_get_read_out:
 * @self: a chart
 *
 * Returns: (transfer full): a line about the cell under the pointer or, without
 *   one, about that which is chosen
 */
char *
cured_thread_chart_get_read_out (CuredThreadChart *self)
{
  g_return_val_if_fail (CURED_IS_THREAD_CHART (self), NULL);
  return self->plot != NULL ? cured_thread_plot_describe (self->plot, get_cell (self))
                            : g_strdup ("");
}
