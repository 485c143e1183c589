/* SPDX-License-Identifier: MIT
 * Bars on screen, one of which is selected. */
#include <config.h>

#include "ladder/cured-bar-chart.h"

#include <glib/gi18n.h>

#define LEAST_WIDTH   320
#define NATURAL_WIDTH 720

struct _CuredBarChart
{
  CuredPicture parent_instance;

  /* Owned */
  CuredBars *bars; /* nullable */
  GStrv tooltips;  /* one a bar */

  int selected;    /* -1: none */
  guint reveal_id; /* of a tick callback; 0: none */
  guint n_frames;  /* since it was asked for */
};

enum
{
  SELECTION_CHANGED,
  ACTIVATED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredBarChart, cured_bar_chart, CURED_TYPE_PICTURE)

static void
update_accessible (CuredBarChart *self)
{
  g_autofree char *label = NULL;
  const CuredBar *bar;

  if (self->bars == NULL || self->selected < 0)
    return;
  bar = &g_array_index (self->bars->bars, CuredBar, self->selected);
  /* Translators: the label of a bar, its value, which bar it is, and how many there are. */
  label = g_strdup_printf (_ ("%s: %s, bar %d of %u"), bar->label, bar->text, self->selected + 1,
                           self->bars->bars->len);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  _ ("Bars. Up and Down select one, Enter opens it."), -1);
}

static void
init_geometry (CuredBarChart *self, CuredBarsGeometry *geometry)
{
  cured_bars_geometry_init (geometry, self->bars, cured_picture_get_style (CURED_PICTURE (self)),
                            gtk_widget_get_width (GTK_WIDGET (self)));
}

/* Scrolls so that the selected row is seen. */
static void
reveal_selected (CuredBarChart *self)
{
  CuredBarsGeometry geometry;
  CuredRect row;

  if (self->bars == NULL || self->selected < 0)
    return;
  init_geometry (self, &geometry);
  cured_bars_geometry_get_row (&geometry, (guint) self->selected, &row);
  /* The first row brings the names of the lines along. */
  if (self->selected == 0)
    {
      row.height += row.y;
      row.y = 0;
    }
  row.width = 0;
  cured_picture_reveal (CURED_PICTURE (self), &row);
}

/* Rows have their place from the next frame on. */
static gboolean
reveal_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  CuredBarChart *self = CURED_BAR_CHART (widget);

  if (self->n_frames++ == 0)
    return G_SOURCE_CONTINUE;
  self->reveal_id = 0;
  reveal_selected (self);
  return G_SOURCE_REMOVE;
}

static void
reveal_soon (CuredBarChart *self)
{
  self->n_frames = 0;
  if (self->reveal_id == 0)
    self->reveal_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), reveal_cb, NULL, NULL);
}

/* Keyboard: gtk_widget_class_add_binding() calls these. */

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredBarChart *self = CURED_BAR_CHART (widget);
  int by;

  if (self->bars == NULL || self->bars->bars->len == 0)
    return FALSE;
  g_variant_get (args, "(i)", &by);
  cured_bar_chart_set_selected (
      self, (int) CLAMP ((gint64) self->selected + by, 0, (gint64) self->bars->bars->len - 1));
  return TRUE;
}

static gboolean
activate_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredBarChart *self = CURED_BAR_CHART (widget);

  if (self->selected < 0)
    return FALSE;
  g_signal_emit (self, signals[ACTIVATED], 0);
  return TRUE;
}

/* Pointer. */

static gssize
cured_bar_chart_pick (CuredPicture *picture, double x, double y)
{
  CuredBarChart *self = CURED_BAR_CHART (picture);
  CuredBarsGeometry geometry;
  guint bar;

  if (self->bars == NULL)
    return -1;
  init_geometry (self, &geometry);
  return cured_bars_geometry_pick (&geometry, self->bars, x, y, &bar) ? (gssize) bar : -1;
}

static void
cured_bar_chart_pressed (CuredPicture *picture, int n_press, double x, double y)
{
  CuredBarChart *self = CURED_BAR_CHART (picture);
  int bar = (int) cured_picture_get_hovered (picture);

  if (bar < 0)
    return;
  cured_bar_chart_set_selected (self, bar);
  if (n_press == 2)
    g_signal_emit (self, signals[ACTIVATED], 0);
}

static gboolean
query_tooltip_cb (CuredBarChart *self, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip)
{
  int bar = is_keyboard ? self->selected : (int) cured_bar_chart_pick (CURED_PICTURE (self), x, y);

  if (bar < 0 || self->tooltips == NULL || (guint) bar >= g_strv_length (self->tooltips))
    return FALSE;
  gtk_tooltip_set_text (tooltip, self->tooltips[bar]);
  return TRUE;
}

static void
cured_bar_chart_draw (CuredPicture *picture, cairo_t *cr, const CuredPlotStyle *style, double width,
                      double height)
{
  CuredBarChart *self = CURED_BAR_CHART (picture);
  CuredBarsGeometry geometry;

  if (self->bars == NULL)
    return;
  init_geometry (self, &geometry);
  cured_bars_draw (cr, self->bars, &geometry, style, self->selected,
                   (int) cured_picture_get_hovered (picture));
}

static void
cured_bar_chart_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                         int *natural, int *minimum_baseline, int *natural_baseline)
{
  CuredBarChart *self = CURED_BAR_CHART (widget);
  CuredBarsGeometry geometry;

  *minimum = 0;
  *natural = 0;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = LEAST_WIDTH;
      *natural = NATURAL_WIDTH;
    }
  else if (self->bars != NULL)
    {
      /* The height is of the text alone, whatever the width. */
      cured_bars_geometry_init (&geometry, self->bars,
                                cured_picture_get_style (CURED_PICTURE (self)), NATURAL_WIDTH);
      *minimum = *natural = (int) cured_bars_geometry_get_height (&geometry, self->bars);
    }
}

static void
cured_bar_chart_finalize (GObject *object)
{
  CuredBarChart *self = CURED_BAR_CHART (object);

  g_clear_pointer (&self->bars, cured_bars_free);
  g_strfreev (self->tooltips);
  G_OBJECT_CLASS (cured_bar_chart_parent_class)->finalize (object);
}

static void
cured_bar_chart_class_init (CuredBarChartClass *klass)
{
  static const char *const names[N_SIGNALS] = { "selection-changed", "activated" };
  static const struct
  {
    guint key;
    int by;
  } moves[] = {
    { GDK_KEY_Up, -1 },      { GDK_KEY_Down, 1 },           { GDK_KEY_KP_Up, -1 },
    { GDK_KEY_KP_Down, 1 },  { GDK_KEY_Home, -G_MAXINT16 }, { GDK_KEY_End, G_MAXINT16 },
    { GDK_KEY_Page_Up, -5 }, { GDK_KEY_Page_Down, 5 },
  };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  CuredPictureClass *picture_class = CURED_PICTURE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = cured_bar_chart_finalize;
  picture_class->draw = cured_bar_chart_draw;
  picture_class->pick = cured_bar_chart_pick;
  picture_class->pressed = cured_bar_chart_pressed;
  widget_class->measure = cured_bar_chart_measure;

  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], CURED_TYPE_BAR_CHART, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (moves); i++)
    gtk_widget_class_add_binding (widget_class, moves[i].key, 0, move_cb, "(i)", moves[i].by);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Return, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_KP_Enter, 0, activate_cb, NULL);
  gtk_widget_class_set_css_name (widget_class, "barchart");
}

static void
cured_bar_chart_init (CuredBarChart *self)
{
  self->selected = -1;
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
}

/**
 * cured_bar_chart_set_bars:
 * @self: a chart
 * @bars: (transfer full) (nullable): what to show
 * @tooltips: (transfer full) (nullable): one a bar
 * @selected: index of the bar that is selected at first, or -1
 *
 * Shows other bars. No signal follows.
 */
void
cured_bar_chart_set_bars (CuredBarChart *self, CuredBars *bars, GStrv tooltips, int selected)
{
  g_return_if_fail (CURED_IS_BAR_CHART (self));

  g_clear_pointer (&self->bars, cured_bars_free);
  g_strfreev (self->tooltips);
  self->bars = bars;
  self->tooltips = tooltips;
  cured_picture_forget_hovered (CURED_PICTURE (self));
  if (bars == NULL || selected >= (int) bars->bars->len)
    selected = -1;
  /* What a person scrolled to stays where nothing else is selected. */
  if (selected != self->selected)
    reveal_soon (self);
  self->selected = selected;
  update_accessible (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * cured_bar_chart_get_bars:
 * @self: a chart
 *
 * Returns: (transfer none) (nullable): what is shown
 */
const CuredBars *
cured_bar_chart_get_bars (CuredBarChart *self)
{
  g_return_val_if_fail (CURED_IS_BAR_CHART (self), NULL);
  return self->bars;
}

/**
 * cured_bar_chart_get_selected:
 * @self: a chart
 *
 * Returns: index of the selected bar, or -1
 */
int
cured_bar_chart_get_selected (CuredBarChart *self)
{
  g_return_val_if_fail (CURED_IS_BAR_CHART (self), -1);
  return self->selected;
}

/**
 * cured_bar_chart_set_selected:
 * @self: a chart
 * @bar: index of a bar; -1: none
 *
 * Selects a bar; `selection-changed` follows where it was another.
 */
void
cured_bar_chart_set_selected (CuredBarChart *self, int bar)
{
  g_return_if_fail (CURED_IS_BAR_CHART (self));
  g_return_if_fail (bar < 0 || (self->bars != NULL && (guint) bar < self->bars->bars->len));

  if (bar == self->selected)
    return;
  self->selected = bar;
  update_accessible (self);
  reveal_soon (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}
