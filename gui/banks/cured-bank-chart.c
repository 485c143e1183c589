/* SPDX-License-Identifier: MIT
 * The picture of one access on screen: chips, pointer and keyboard cursor. */
#include <config.h>

#include "banks/cured-bank-chart.h"

#include <glib/gi18n.h>

/* Implementation notes: where a chip lies and how it looks is the plot module's. It scrolls the
 * rows under the banks' numbers, which stay; so the widget is a GtkScrollable, and its adjustment
 * is the geometry's scroll. */

/* Rows of a picture that is higher than what it is given are seen at least. */
#define LEAST_HEIGHT 120

struct _CuredBankChart
{
  CuredPicture parent_instance;

  /* Owned */
  CuredBankPlot *plot; /* nullable */
  char *why;           /* nullable: what there is to say of the access */
  GtkAdjustment *hadjustment;
  GtkAdjustment *vadjustment;

  CuredBankPlotMode mode;
  CuredBankPlotGeometry geometry;
  gboolean has_geometry;

  gssize wavefront; /* -1: all */
  gssize chip;      /* of the keyboard's cursor; -1: none */
};

enum
{
  PROP_HADJUSTMENT = 1,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

enum
{
  CURSOR_MOVED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE_WITH_CODE (CuredBankChart, cured_bank_chart, CURED_TYPE_PICTURE,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

static void
update_accessible (CuredBankChart *self)
{
  g_autofree char *read_out = cured_bank_chart_get_read_out (self);
  g_autofree char *description = NULL;

  if (self->plot == NULL)
    return;
  description = g_strdup_printf (
      /* Translators: why an access takes as many wavefronts as it does. */
      _ ("%s. The arrow keys move over lanes and banks, Space plays the wavefronts, Control and an "
         "arrow key steps through them."),
      self->why != NULL ? self->why : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, read_out,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

static void
cursor_moved (CuredBankChart *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  update_accessible (self);
  g_signal_emit (self, signals[CURSOR_MOVED], 0);
}

/* Anew after another access, another size or another view; what is scrolled stays so as far as it
 * can. */
static void
update_geometry (CuredBankChart *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  int height = gtk_widget_get_height (GTK_WIDGET (self));
  double value = self->vadjustment != NULL ? gtk_adjustment_get_value (self->vadjustment) : 0.0;

  self->has_geometry = self->plot != NULL && width > 0 && height > 0;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (!self->has_geometry)
    return;
  cured_bank_plot_geometry_init (&self->geometry, self->plot, self->mode,
                                 cured_picture_get_style (CURED_PICTURE (self)), width, height);
  cured_bank_plot_geometry_set_scroll (&self->geometry, value);
  if (self->vadjustment != NULL)
    gtk_adjustment_configure (self->vadjustment, self->geometry.scroll, 0.0,
                              MAX (self->geometry.content_height, self->geometry.plot.height),
                              self->geometry.cell_height, self->geometry.plot.height * 0.9,
                              self->geometry.plot.height);
  if (self->hadjustment != NULL)
    gtk_adjustment_configure (self->hadjustment, 0.0, 0.0, width, 1.0, 1.0, width);
}

static void
scrolled_cb (CuredBankChart *self)
{
  if (!self->has_geometry)
    return;
  cured_bank_plot_geometry_set_scroll (&self->geometry,
                                       gtk_adjustment_get_value (self->vadjustment));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
reveal (CuredBankChart *self, gssize chip)
{
  if (!self->has_geometry || chip < 0)
    return;
  cured_bank_plot_geometry_reveal (&self->geometry, self->plot, (gsize) chip);
  if (self->vadjustment != NULL)
    gtk_adjustment_set_value (self->vadjustment, self->geometry.scroll);
}

/* The first chip that is served in the wavefront. */
static void
reveal_wavefront (CuredBankChart *self)
{
  gsize n_chips = 0;

  if (self->plot == NULL || self->wavefront < 0)
    return;
  cured_bank_plot_get_chips (self->plot, self->mode, &n_chips);
  for (gsize i = 0; i < n_chips; i++)
    if (cured_bank_plot_is_served (self->plot, self->mode, i, (guint) self->wavefront))
      {
        reveal (self, (gssize) i);
        return;
      }
}

/* Keyboard: gtk_widget_class_add_binding() calls these. */

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredBankChart *self = CURED_BANK_CHART (widget);
  gssize next;
  int columns;
  int rows;

  if (self->plot == NULL)
    return FALSE;
  g_variant_get (args, "(ii)", &columns, &rows);
  next = cured_bank_plot_move (self->plot, self->mode, self->chip, columns, rows);
  if (next < 0)
    return FALSE;
  self->chip = next;
  /* The read-out is the cursor's until the pointer moves again. */
  cured_picture_forget_hovered (CURED_PICTURE (self));
  reveal (self, next);
  cursor_moved (self);
  return TRUE;
}

static gssize
cured_bank_chart_pick (CuredPicture *picture, double x, double y)
{
  CuredBankChart *self = CURED_BANK_CHART (picture);
  gsize chip = 0;

  return self->has_geometry &&
                 cured_bank_plot_geometry_pick (&self->geometry, self->plot, x, y, &chip)
             ? (gssize) chip
             : -1;
}

static void
cured_bank_chart_hovered (CuredPicture *picture)
{
  cursor_moved (CURED_BANK_CHART (picture));
}

static void
cured_bank_chart_pressed (CuredPicture *picture, int n_press, double x, double y)
{
  CuredBankChart *self = CURED_BANK_CHART (picture);

  if (cured_picture_get_hovered (picture) < 0)
    return;
  self->chip = cured_picture_get_hovered (picture);
  cursor_moved (self);
}

static void
cured_bank_chart_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  CuredBankChart *self = CURED_BANK_CHART (widget);
  double least = 0.0;
  double width = 0.0;
  double height = 0.0;

  *minimum = *natural = LEAST_HEIGHT;
  *minimum_baseline = *natural_baseline = -1;
  if (self->plot == NULL)
    return;
  cured_bank_plot_measure (self->plot, self->mode, cured_picture_get_style (CURED_PICTURE (self)),
                           orientation == GTK_ORIENTATION_VERTICAL && for_size > 0 ? for_size : 0.0,
                           &least, &width, &height);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = (int) ceil (least);
      *natural = MAX (*minimum, (int) ceil (width));
    }
  else
    *natural = MAX (*minimum, (int) ceil (height));
}

static GtkSizeRequestMode
cured_bank_chart_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
cured_bank_chart_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  update_geometry (CURED_BANK_CHART (widget));
}

static void
cured_bank_chart_draw (CuredPicture *picture, cairo_t *cr, const CuredPlotStyle *style,
                       double width, double height)
{
  CuredBankChart *self = CURED_BANK_CHART (picture);

  if (self->has_geometry)
    cured_bank_plot_draw (cr, self->plot, &self->geometry, style, self->wavefront,
                          cured_bank_chart_get_chip (self));
}

static void
set_adjustment (CuredBankChart *self, GtkAdjustment **slot, GtkAdjustment *adjustment)
{
  if (*slot != NULL)
    g_signal_handlers_disconnect_by_data (*slot, self);
  g_set_object (slot, adjustment);
  if (slot == &self->vadjustment && adjustment != NULL)
    g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (scrolled_cb), self);
  update_geometry (self);
}

static void
cured_bank_chart_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  CuredBankChart *self = CURED_BANK_CHART (object);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      set_adjustment (self, &self->hadjustment, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      set_adjustment (self, &self->vadjustment, g_value_get_object (value));
      break;
    case PROP_HSCROLL_POLICY:
    case PROP_VSCROLL_POLICY:
      break; /* it is as wide as it is given, and scrolls up and down */
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
cured_bank_chart_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  CuredBankChart *self = CURED_BANK_CHART (object);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      g_value_set_object (value, self->hadjustment);
      break;
    case PROP_VADJUSTMENT:
      g_value_set_object (value, self->vadjustment);
      break;
    case PROP_HSCROLL_POLICY:
      g_value_set_enum (value, GTK_SCROLL_MINIMUM);
      break;
    case PROP_VSCROLL_POLICY:
      g_value_set_enum (value, GTK_SCROLL_NATURAL);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
cured_bank_chart_dispose (GObject *object)
{
  CuredBankChart *self = CURED_BANK_CHART (object);

  self->has_geometry = FALSE;
  if (self->vadjustment != NULL)
    g_signal_handlers_disconnect_by_data (self->vadjustment, self);
  g_clear_object (&self->hadjustment);
  g_clear_object (&self->vadjustment);
  g_clear_pointer (&self->plot, cured_bank_plot_free);
  g_clear_pointer (&self->why, g_free);
  G_OBJECT_CLASS (cured_bank_chart_parent_class)->dispose (object);
}

static void
add_move (GtkWidgetClass *widget_class, guint key, guint keypad_key, int columns, int rows)
{
  gtk_widget_class_add_binding (widget_class, key, 0, move_cb, "(ii)", columns, rows);
  gtk_widget_class_add_binding (widget_class, keypad_key, 0, move_cb, "(ii)", columns, rows);
  cured_picture_class_bind_step (CURED_PICTURE_CLASS (widget_class), key, GDK_CONTROL_MASK,
                                 columns != 0 ? columns : rows);
}

static void
cured_bank_chart_class_init (CuredBankChartClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  CuredPictureClass *picture_class = CURED_PICTURE_CLASS (klass);

  object_class->dispose = cured_bank_chart_dispose;
  object_class->set_property = cured_bank_chart_set_property;
  object_class->get_property = cured_bank_chart_get_property;
  widget_class->measure = cured_bank_chart_measure;
  widget_class->get_request_mode = cured_bank_chart_get_request_mode;
  widget_class->size_allocate = cured_bank_chart_size_allocate;
  picture_class->draw = cured_bank_chart_draw;
  picture_class->pick = cured_bank_chart_pick;
  picture_class->hovered = cured_bank_chart_hovered;
  picture_class->pressed = cured_bank_chart_pressed;

  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");

  signals[CURSOR_MOVED] = g_signal_new ("cursor-moved", CURED_TYPE_BANK_CHART, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 0);
  add_move (widget_class, GDK_KEY_Left, GDK_KEY_KP_Left, -1, 0);
  add_move (widget_class, GDK_KEY_Right, GDK_KEY_KP_Right, 1, 0);
  add_move (widget_class, GDK_KEY_Up, GDK_KEY_KP_Up, 0, -1);
  add_move (widget_class, GDK_KEY_Down, GDK_KEY_KP_Down, 0, 1);
  cured_picture_class_bind_play (picture_class);

  gtk_widget_class_set_css_name (widget_class, "bank-chart");
}

static void
cured_bank_chart_init (CuredBankChart *self)
{
  self->wavefront = -1;
  self->chip = -1;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

/* The cursor stays at its lane where another picture is shown. */
static void
keep_lane (CuredBankChart *self, int lane)
{
  cured_picture_forget_hovered (CURED_PICTURE (self));
  self->chip = self->plot != NULL && lane >= 0
                   ? cured_bank_plot_find_lane (self->plot, self->mode, (guint) lane)
                   : -1;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  update_geometry (self);
  reveal_wavefront (self);
  update_accessible (self);
  g_signal_emit (self, signals[CURSOR_MOVED], 0);
}

/**
 * cured_bank_chart_set_access:
 * @self: a chart
 * @access: (nullable): what to draw; %NULL: nothing
 * @why: (nullable): what there is to say of it, for screen readers
 *
 * Draws another access, with all of its wavefronts.
 */
void
cured_bank_chart_set_access (CuredBankChart *self, const CuredBankAccess *access, const char *why)
{
  int lane;

  g_return_if_fail (CURED_IS_BANK_CHART (self));

  g_free (self->why);
  self->why = g_strdup (why);
  lane = cured_bank_chart_get_lane (self);
  g_clear_pointer (&self->plot, cured_bank_plot_free);
  if (access != NULL)
    self->plot = cured_bank_plot_new (access);
  self->wavefront = -1;
  keep_lane (self, lane);
}

/**
 * cured_bank_chart_set_mode:
 * @self: a chart
 * @mode: what rows and columns are
 */
void
cured_bank_chart_set_mode (CuredBankChart *self, CuredBankPlotMode mode)
{
  int lane;

  g_return_if_fail (CURED_IS_BANK_CHART (self));

  if (self->mode == mode)
    return;
  lane = cured_bank_chart_get_lane (self);
  self->mode = mode;
  keep_lane (self, lane);
}

/**
 * cured_bank_chart_set_wavefront:
 * @self: a chart
 * @wavefront: the one that is shown, from 0; -1: all
 */
void
cured_bank_chart_set_wavefront (CuredBankChart *self, gssize wavefront)
{
  g_return_if_fail (CURED_IS_BANK_CHART (self));

  if (self->wavefront == wavefront)
    return;
  self->wavefront = wavefront;
  reveal_wavefront (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * cured_bank_chart_get_plot:
 * @self: a chart
 *
 * Returns: (transfer none) (nullable): the access that is drawn, laid out
 */
const CuredBankPlot *
cured_bank_chart_get_plot (CuredBankChart *self)
{
  g_return_val_if_fail (CURED_IS_BANK_CHART (self), NULL);
  return self->plot;
}

/**
 * cured_bank_chart_get_wavefront:
 * @self: a chart
 *
 * Returns: the one that is shown, from 0; -1: all
 */
gssize
cured_bank_chart_get_wavefront (CuredBankChart *self)
{
  g_return_val_if_fail (CURED_IS_BANK_CHART (self), -1);
  return self->wavefront;
}

/**
 * cured_bank_chart_get_chip:
 * @self: a chart
 *
 * Returns: the chip under the pointer, or else that of the cursor; -1: none
 */
gssize
cured_bank_chart_get_chip (CuredBankChart *self)
{
  gssize hovered;

  g_return_val_if_fail (CURED_IS_BANK_CHART (self), -1);
  hovered = cured_picture_get_hovered (CURED_PICTURE (self));
  return hovered >= 0 ? hovered : self->chip;
}

/**
 * cured_bank_chart_get_lane:
 * @self: a chart
 *
 * Returns: the first lane of cured_bank_chart_get_chip(); -1: there is none
 */
int
cured_bank_chart_get_lane (CuredBankChart *self)
{
  gssize chip;
  gsize n_chips = 0;
  const CuredBankChip *chips;

  g_return_val_if_fail (CURED_IS_BANK_CHART (self), -1);

  chip = cured_bank_chart_get_chip (self);
  if (self->plot == NULL || chip < 0)
    return -1;
  chips = cured_bank_plot_get_chips (self->plot, self->mode, &n_chips);
  if ((gsize) chip >= n_chips)
    return -1;
  return g_bit_nth_lsf (chips[chip].lanes, -1);
}

/**
 * cured_bank_chart_point_at_lane:
 * @self: a chart
 * @lane: a lane; -1: none
 *
 * Marks the first chip of a lane, without a signal: for two charts that keep step.
 */
void
cured_bank_chart_point_at_lane (CuredBankChart *self, int lane)
{
  g_return_if_fail (CURED_IS_BANK_CHART (self));

  if (cured_bank_chart_get_lane (self) == lane)
    return;
  cured_picture_forget_hovered (CURED_PICTURE (self));
  self->chip = self->plot != NULL && lane >= 0
                   ? cured_bank_plot_find_lane (self->plot, self->mode, (guint) lane)
                   : -1;
  reveal (self, self->chip);
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * cured_bank_chart_get_read_out:
 * @self: a chart
 *
 * Returns: (transfer full): a line about the chip under the pointer or the
 *   cursor; without one, about the whole access
 */
char *
cured_bank_chart_get_read_out (CuredBankChart *self)
{
  CuredBankCounts counts;
  gssize chip;

  g_return_val_if_fail (CURED_IS_BANK_CHART (self), NULL);

  chip = cured_bank_chart_get_chip (self);
  if (self->plot == NULL)
    return g_strdup ("");
  if (chip >= 0)
    return cured_bank_plot_describe (self->plot, self->mode, (gsize) chip);
  if (!cured_bank_plot_is_known (self->plot))
    return g_strdup (_ ("There is no measured rule for this access."));
  cured_bank_plot_get_counts (self->plot, &counts);
  return g_strdup_printf (
      /* Translators: of one access to shared memory: how many turns the memory takes, and how many
       * it would take without a conflict. */
      ngettext ("%u wavefront; %u without a conflict", "%u wavefronts; %u without a conflict",
                counts.wavefronts),
      counts.wavefronts, counts.least);
}

/**
 * cured_bank_chart_align:
 * @self: a chart
 * @beside: (nullable): the chart that stands beside it
 *
 * Gives its rows the height that they have in both charts, until another access is drawn. The other
 * one is to be aligned likewise.
 */
void
cured_bank_chart_align (CuredBankChart *self, CuredBankChart *beside)
{
  g_return_if_fail (CURED_IS_BANK_CHART (self));

  if (self->plot == NULL)
    return;
  cured_bank_plot_align (self->plot, beside != NULL ? beside->plot : NULL);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  update_geometry (self);
}
