/* SPDX-License-Identifier: MIT
 * A chart of any kind on screen. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

#include <math.h>

/* Implementation notes: a chart that scrolls its own rows has a fixed header. For such charts the
 * widget is a GtkScrollable, whose adjustment is the chart's scroll position; any other chart goes
 * into a GtkViewport, or into a scrolling page. */

/* Minimum visible height of the rows of a chart that scrolls them itself. */
#define LEAST_HEIGHT 120

/* Steps per Page Up or Page Down in a chart with steps only. */
#define PAGE_STEPS 8

struct _CuredPicture
{
  GtkWidget parent_instance;

  /* Owned */
  CuredChart *chart; /* nullable */
  GtkAdjustment *hadjustment, *vadjustment;
  char *hint;
  GStrv tooltips; /* nullable: one per item */

  CuredPlotStyle style;
  double text_scale;
  gssize item;      /* -1: none */
  gssize hovered;   /* -1: none */
  gssize step;      /* -1: all */
  double pointer_x; /* in the surface's coordinates */
  double pointer_y;
  guint reveal_id; /* of a tick callback; 0: none */
  guint n_frames;  /* since reveal_id was set */
};

enum
{
  PROP_HINT = 1,
  PROP_TEXT_SCALE,
  PROP_HADJUSTMENT,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

G_DEFINE_FINAL_TYPE_WITH_CODE (CuredPicture, cured_picture, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

static CuredChartShown
get_shown (CuredPicture *self)
{
  return (CuredChartShown){ .style = &self->style,
                            .width = gtk_widget_get_width (GTK_WIDGET (self)),
                            .height = gtk_widget_get_height (GTK_WIDGET (self)),
                            .scroll = self->vadjustment != NULL
                                          ? gtk_adjustment_get_value (self->vadjustment)
                                          : 0.0,
                            .item = self->item,
                            .hovered = self->hovered,
                            .step = self->step };
}

static gboolean
is_heard (CuredPicture *self, const char *signal)
{
  return g_signal_has_handler_pending (self, g_signal_lookup (signal, CURED_TYPE_PICTURE), 0,
                                       FALSE);
}

static gboolean
can_mark (CuredPicture *self)
{
  return self->chart != NULL && self->chart->klass->move != NULL;
}

/* ---- Scrolling ---- */

/* Keeps the scroll position where possible. */
static void
update_rows (CuredPicture *self)
{
  CuredChartShown shown = get_shown (self);
  CuredChartRows rows;

  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (self->chart == NULL || self->chart->klass->get_rows == NULL || shown.width <= 0)
    return;
  self->chart->klass->get_rows (self->chart, &shown, &rows);
  if (self->vadjustment != NULL)
    gtk_adjustment_configure (self->vadjustment,
                              CLAMP (shown.scroll, 0, MAX (rows.all - rows.seen, 0)), 0,
                              MAX (rows.all, rows.seen), rows.each, rows.seen * 0.9, rows.seen);
  if (self->hadjustment != NULL)
    gtk_adjustment_configure (self->hadjustment, 0, 0, shown.width, 1, 1, shown.width);
}

/* Scrolls just enough to show an item. */
static void
reveal (CuredPicture *self, gssize item)
{
  GtkWidget *window = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_SCROLLED_WINDOW);
  CuredChartShown shown = get_shown (self);
  CuredChartRows rows;
  CuredRect rect;

  if (item < 0 || self->chart == NULL || self->chart->klass->locate == NULL ||
      (gsize) item >= self->chart->n_items || shown.width <= 0)
    return;
  self->chart->klass->locate (self->chart, &shown, (gsize) item, &rect);
  if (self->chart->klass->get_rows != NULL)
    {
      self->chart->klass->get_rows (self->chart, &shown, &rows);
      rect.y += shown.scroll - rows.top;
      if (self->vadjustment != NULL)
        gtk_adjustment_clamp_page (self->vadjustment, rect.y, rect.y + rect.height);
    }
  else if (window != NULL)
    {
      GtkScrolledWindow *scrolled = GTK_SCROLLED_WINDOW (window);

      gtk_adjustment_clamp_page (gtk_scrolled_window_get_hadjustment (scrolled), rect.x,
                                 rect.x + MIN (rect.width, 100));
      gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (scrolled), rect.y,
                                 rect.y + rect.height);
    }
}

/* Items have positions from the next frame on. */
static gboolean
reveal_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  CuredPicture *self = CURED_PICTURE (widget);

  if (self->n_frames++ == 0)
    return G_SOURCE_CONTINUE;
  self->reveal_id = 0;
  reveal (self, self->item);
  return G_SOURCE_REMOVE;
}

static void
set_adjustment (CuredPicture *self, GtkAdjustment **slot, GtkAdjustment *adjustment)
{
  if (*slot != NULL)
    g_signal_handlers_disconnect_by_data (*slot, self);
  g_set_object (slot, adjustment);
  if (slot == &self->vadjustment && adjustment != NULL)
    CURED_CONNECT (adjustment, "value-changed", gtk_widget_queue_draw);
  update_rows (self);
}

/* ---- Items ---- */

static void
pointed (CuredPicture *self)
{
  g_autofree char *read_out = cured_picture_get_read_out (self);

  gtk_widget_queue_draw (GTK_WIDGET (self));
  cured_widget_name (self, read_out, self->hint != NULL ? self->hint : "");
  g_signal_emit_by_name (self, "pointed");
}

/* Marks an item for the user. */
static void
mark (CuredPicture *self, gssize item)
{
  gboolean is_other = item != self->item;

  cured_picture_set_item (self, item);
  if (is_other)
    g_signal_emit_by_name (self, "marked");
}

/* ---- Keyboard: gtk_widget_class_add_binding() calls these ---- */

static gboolean
step_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredPicture *self = CURED_PICTURE (widget);
  int by;

  if (self->chart == NULL || self->chart->n_steps == 0)
    return FALSE;
  g_variant_get (args, "(i)", &by);
  g_signal_emit_by_name (self, "step", by);
  return TRUE;
}

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredPicture *self = CURED_PICTURE (widget);
  int columns, rows, pages;

  g_variant_get (args, "(iii)", &columns, &rows, &pages);
  if (!can_mark (self))
    return step_cb (widget,
                    g_variant_ref_sink (g_variant_new ("(i)", columns + rows + PAGE_STEPS * pages)),
                    NULL);
  gssize next = self->chart->klass->move (self->chart, self->item, columns, rows, pages);
  if (next < 0)
    return FALSE;
  mark (self, next);
  return TRUE;
}

static gboolean
play_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredPicture *self = CURED_PICTURE (widget);

  if (self->chart == NULL || self->chart->n_steps == 0)
    return FALSE;
  g_signal_emit_by_name (self, "play");
  return TRUE;
}

static gboolean
activate_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredPicture *self = CURED_PICTURE (widget);

  if (self->item < 0 || !is_heard (self, "activated"))
    return FALSE;
  g_signal_emit_by_name (self, "activated");
  return TRUE;
}

/* Only in charts with steps can the mark be removed. */
static gboolean
can_unmark (CuredPicture *self)
{
  return can_mark (self) && self->chart->n_steps > 0 && is_heard (self, "marked");
}

static gboolean
escape_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  CuredPicture *self = CURED_PICTURE (widget);

  if (self->item < 0 || !can_unmark (self))
    return FALSE;
  mark (self, -1);
  return TRUE;
}

/* ---- Pointer ---- */

static void
hover (CuredPicture *self, gssize hovered)
{
  if (hovered == self->hovered)
    return;
  self->hovered = hovered;
  pointed (self);
}

static gssize
pick (CuredPicture *self, double x, double y)
{
  CuredChartShown shown = get_shown (self);

  return self->chart != NULL && self->chart->klass->pick != NULL
             ? self->chart->klass->pick (self->chart, &shown, x, y)
             : -1;
}

/* GTK also reports a motion when content is scrolled under a resting pointer. That is ignored: the
 * keyboard may have scrolled it. */
static void
motion_cb (CuredPicture *self, double x, double y, GtkEventController *controller)
{
  GdkEvent *event = gtk_event_controller_get_current_event (controller);
  double pointer_x = x;
  double pointer_y = y;

  if (event != NULL)
    gdk_event_get_position (event, &pointer_x, &pointer_y);
  if (pointer_x == self->pointer_x && pointer_y == self->pointer_y)
    return;
  self->pointer_x = pointer_x;
  self->pointer_y = pointer_y;
  hover (self, pick (self, x, y));
}

static void
leave_cb (CuredPicture *self)
{
  hover (self, -1);
}

static void
pressed_cb (CuredPicture *self, int n_press, double x, double y)
{
  gssize item = pick (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (can_mark (self) && (item >= 0 || can_unmark (self)))
    {
      mark (self, item);
      hover (self, item);
      if (n_press == 2 && item >= 0)
        g_signal_emit_by_name (self, "activated");
    }
  else if (!can_mark (self) && item >= 0 && item != self->step)
    g_signal_emit_by_name (self, "step", (int) (item - MAX (self->step, 0)));
}

static gboolean
cured_picture_query_tooltip (GtkWidget *widget, int x, int y, gboolean is_keyboard,
                             GtkTooltip *tooltip)
{
  CuredPicture *self = CURED_PICTURE (widget);
  gssize item = is_keyboard ? self->item : pick (self, x, y);

  if (item < 0 || self->tooltips == NULL || (gsize) item >= g_strv_length (self->tooltips))
    return FALSE;
  gtk_tooltip_set_text (tooltip, self->tooltips[item]);
  return TRUE;
}

/* ---- The widget ---- */

static void
style_changed_cb (CuredPicture *self)
{
  if (cured_plot_look_update (&self->style, GTK_WIDGET (self), self->text_scale))
    gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
cured_picture_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (cured_picture_parent_class)->css_changed (widget, change);
  style_changed_cb (CURED_PICTURE (widget));
}

static GtkSizeRequestMode
cured_picture_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
cured_picture_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                       int *natural, int *minimum_baseline, int *natural_baseline)
{
  CuredPicture *self = CURED_PICTURE (widget);
  gboolean has_rows = self->chart != NULL && self->chart->klass->get_rows != NULL;
  double least = 0;
  double width = 0;
  double height = 0;

  *minimum_baseline = *natural_baseline = -1;
  if (self->chart != NULL)
    self->chart->klass->measure (self->chart, &self->style,
                                 orientation == GTK_ORIENTATION_VERTICAL ? MAX (for_size, 0) : 0,
                                 &least, &width, &height);
  *minimum = (int) ceil (orientation == GTK_ORIENTATION_HORIZONTAL ? least
                         : has_rows                                ? LEAST_HEIGHT
                                                                   : height);
  *natural =
      MAX (*minimum, (int) ceil (orientation == GTK_ORIENTATION_HORIZONTAL ? width : height));
}

static void
cured_picture_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  update_rows (CURED_PICTURE (widget));
}

static void
cured_picture_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  CuredPicture *self = CURED_PICTURE (widget);
  CuredChartShown shown = get_shown (self);

  if (self->chart == NULL || shown.width <= 0 || shown.height <= 0)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) shown.width, (float) shown.height));
  self->chart->klass->draw (self->chart, cr, &shown);
  cairo_destroy (cr);
}

static void
cured_picture_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  CuredPicture *self = CURED_PICTURE (object);

  switch (id)
    {
    case PROP_HINT:
      g_free (self->hint);
      self->hint = g_value_dup_string (value);
      break;
    case PROP_TEXT_SCALE: self->text_scale = g_value_get_double (value); break;
    case PROP_HADJUSTMENT:
      set_adjustment (self, &self->hadjustment, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      set_adjustment (self, &self->vadjustment, g_value_get_object (value));
      break;
    case PROP_HSCROLL_POLICY:
    case PROP_VSCROLL_POLICY: break; /* fixed: fills the width, scrolls vertically */
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
cured_picture_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  CuredPicture *self = CURED_PICTURE (object);

  switch (id)
    {
    case PROP_HINT: g_value_set_string (value, self->hint); break;
    case PROP_TEXT_SCALE: g_value_set_double (value, self->text_scale); break;
    case PROP_HADJUSTMENT: g_value_set_object (value, self->hadjustment); break;
    case PROP_VADJUSTMENT: g_value_set_object (value, self->vadjustment); break;
    case PROP_HSCROLL_POLICY: g_value_set_enum (value, GTK_SCROLL_MINIMUM); break;
    case PROP_VSCROLL_POLICY: g_value_set_enum (value, GTK_SCROLL_NATURAL); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
cured_picture_constructed (GObject *object)
{
  G_OBJECT_CLASS (cured_picture_parent_class)->constructed (object);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (style_changed_cb), object, G_CONNECT_SWAPPED);
  style_changed_cb (CURED_PICTURE (object));
}

static void
add_bindings (GtkWidgetClass *klass)
{
  static const struct
  {
    guint keys[2];
    int columns, rows, pages;
  } moves[] = {
    { { GDK_KEY_Left, GDK_KEY_KP_Left }, -1, 0, 0 },
    { { GDK_KEY_Right, GDK_KEY_KP_Right }, 1, 0, 0 },
    { { GDK_KEY_Up, GDK_KEY_KP_Up }, 0, -1, 0 },
    { { GDK_KEY_Down, GDK_KEY_KP_Down }, 0, 1, 0 },
    { { GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up }, 0, 0, -1 },
    { { GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down }, 0, 0, 1 },
    { { GDK_KEY_Home, GDK_KEY_KP_Home }, -G_MAXINT16, -G_MAXINT16, 0 },
    { { GDK_KEY_End, GDK_KEY_KP_End }, G_MAXINT16, G_MAXINT16, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (moves); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (moves[i].keys); k++)
      {
        gtk_widget_class_add_binding (klass, moves[i].keys[k], 0, move_cb, "(iii)",
                                      moves[i].columns, moves[i].rows, moves[i].pages);
        if (ABS (moves[i].columns + moves[i].rows) == 1)
          gtk_widget_class_add_binding (klass, moves[i].keys[k], GDK_CONTROL_MASK, step_cb, "(i)",
                                        moves[i].columns + moves[i].rows);
      }
  gtk_widget_class_add_binding (klass, GDK_KEY_space, 0, play_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Return, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_Enter, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Escape, 0, escape_cb, NULL);
}

static void
cured_picture_class_init (CuredPictureClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->constructed = cured_picture_constructed;
  object_class->set_property = cured_picture_set_property;
  object_class->get_property = cured_picture_get_property;
  widget_class->css_changed = cured_picture_css_changed;
  widget_class->get_request_mode = cured_picture_get_request_mode;
  widget_class->measure = cured_picture_measure;
  widget_class->size_allocate = cured_picture_size_allocate;
  widget_class->snapshot = cured_picture_snapshot;
  widget_class->query_tooltip = cured_picture_query_tooltip;

  g_object_class_install_property (
      object_class, PROP_HINT,
      g_param_spec_string ("hint", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (
      object_class, PROP_TEXT_SCALE,
      g_param_spec_double ("text-scale", NULL, NULL, 0.1, 10, 1,
                           G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS));
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");

  cured_class_add_signal (klass, "pointed", 0);
  cured_class_add_signal (klass, "marked", 0);
  cured_class_add_signal (klass, "activated", 0);
  cured_class_add_signal (klass, "play", 0);
  cured_class_add_signal (klass, "step", 1, G_TYPE_INT);
  add_bindings (widget_class);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name (widget_class, "picture");
  CURED_OWNS (CuredPicture, hadjustment, vadjustment);
  CURED_FREES (CuredPicture, cured_chart_free, chart);
  CURED_FREES (CuredPicture, g_free, hint);
  CURED_FREES (CuredPicture, g_strfreev, tooltips);
}

static void
cured_picture_init (CuredPicture *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  self->item = self->hovered = self->step = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  CURED_CONNECT (motion, "enter", motion_cb);
  CURED_CONNECT (motion, "motion", motion_cb);
  CURED_CONNECT (motion, "leave", leave_cb);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  CURED_CONNECT (click, "pressed", pressed_cb);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

/* Shows another chart. Keeps the step if the chart has it, and the scroll position unless another
 * item is marked. Emits `pointed`. @chart: (transfer full) (nullable); @item: to mark; -1: none. */
void
cured_picture_set_chart (CuredPicture *self, CuredChart *chart, gssize item)
{
  g_clear_pointer (&self->chart, cured_chart_free);
  self->chart = chart;
  self->hovered = -1;
  if (chart == NULL || item >= (gssize) chart->n_items)
    item = -1;
  self->n_frames = 0;
  if (item != self->item && item >= 0 && self->reveal_id == 0)
    self->reveal_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), reveal_cb, NULL, NULL);
  self->item = item;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  update_rows (self);
  pointed (self);
}

CURED_GETTER (CuredChart *, cured_picture_get_chart, CuredPicture, chart)

/* Marks an item and scrolls there; the read-out describes it until the pointer moves. Emits
 * `pointed`. @item: -1: none. */
void
cured_picture_set_item (CuredPicture *self, gssize item)
{
  g_return_if_fail (item < 0 || (self->chart != NULL && item < (gssize) self->chart->n_items));

  self->hovered = -1;
  self->item = item;
  reveal (self, item);
  pointed (self);
}

/* The marked item; -1: none. */
CURED_GETTER (gssize, cured_picture_get_item, CuredPicture, item)

/* The item under the pointer, or else the marked one; -1: none. */
gssize
cured_picture_get_pointed (CuredPicture *self)
{
  return self->hovered >= 0 ? self->hovered : self->item;
}

/* @step: to show; -1: all. @item: to scroll to; -1: none. */
void
cured_picture_set_step (CuredPicture *self, gssize step, gssize item)
{
  if (self->step == step)
    return;
  self->step = step;
  reveal (self, item);
  pointed (self);
}

/* The step that is shown; -1: all. */
CURED_GETTER (gssize, cured_picture_get_step, CuredPicture, step)

/* (transfer full): a line about the item under the pointer or the marked one, the step, or else the
 * whole chart. */
char *
cured_picture_get_read_out (CuredPicture *self)
{
  return self->chart != NULL ? self->chart->klass->describe (
                                   self->chart, cured_picture_get_pointed (self), self->step)
                             : g_strdup ("");
}

/* @tooltips: (transfer full) (nullable): one per item. */
void
cured_picture_set_tooltips (CuredPicture *self, GStrv tooltips)
{
  g_strfreev (self->tooltips);
  self->tooltips = tooltips;
}
