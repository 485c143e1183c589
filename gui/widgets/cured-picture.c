/* SPDX-License-Identifier: MIT
 * What the pictures of a window have in common. */
#include <config.h>

#include "widgets/cured-picture.h"

#include <adwaita.h>

#include "widgets/cured-plot-look.h"

typedef struct
{
  CuredPlotStyle style;
  gssize hovered;   /* -1: nothing */
  double pointer_x; /* on the window */
  double pointer_y;
} CuredPicturePrivate;

enum
{
  STEP,
  PLAY,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (CuredPicture, cured_picture, GTK_TYPE_WIDGET)

static CuredPicturePrivate *
get_private (CuredPicture *self)
{
  return cured_picture_get_instance_private (self);
}

static void
style_changed_cb (CuredPicture *self)
{
  if (cured_plot_look_update (&get_private (self)->style, GTK_WIDGET (self),
                              CURED_PICTURE_GET_CLASS (self)->text_scale))
    gtk_widget_queue_resize (GTK_WIDGET (self));
}

/* Keyboard: gtk_widget_class_add_binding() calls these. */

static gboolean
step_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  int by;

  g_variant_get (args, "(i)", &by);
  cured_picture_step (CURED_PICTURE (widget), by);
  return TRUE;
}

static gboolean
play_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  g_signal_emit (widget, signals[PLAY], 0);
  return TRUE;
}

/* Pointer. */

static void
hover (CuredPicture *self, gssize hovered)
{
  if (hovered == get_private (self)->hovered)
    return;
  get_private (self)->hovered = hovered;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (CURED_PICTURE_GET_CLASS (self)->hovered != NULL)
    CURED_PICTURE_GET_CLASS (self)->hovered (self);
}

static void
pick (CuredPicture *self, double x, double y)
{
  if (CURED_PICTURE_GET_CLASS (self)->pick != NULL)
    hover (self, CURED_PICTURE_GET_CLASS (self)->pick (self, x, y));
}

/* GTK tells of a motion, too, where what is under a pointer that stands still was scrolled: by the
 * keyboard's cursor, whose turn it is then. */
static void
motion_cb (CuredPicture *self, double x, double y, GtkEventController *controller)
{
  CuredPicturePrivate *private = get_private (self);
  GdkEvent *event = gtk_event_controller_get_current_event (controller);
  double pointer_x = x;
  double pointer_y = y;

  if (event != NULL)
    gdk_event_get_position (event, &pointer_x, &pointer_y);
  if (pointer_x == private->pointer_x && pointer_y == private->pointer_y)
    return;
  private->pointer_x = pointer_x;
  private->pointer_y = pointer_y;
  pick (self, x, y);
}

static void
leave_cb (CuredPicture *self)
{
  hover (self, -1);
}

static void
pressed_cb (CuredPicture *self, int n_press, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  pick (self, x, y);
  if (CURED_PICTURE_GET_CLASS (self)->pressed != NULL)
    CURED_PICTURE_GET_CLASS (self)->pressed (self, n_press, x, y);
}

static void
cured_picture_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (cured_picture_parent_class)->css_changed (widget, change);
  style_changed_cb (CURED_PICTURE (widget));
}

static void
cured_picture_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  CuredPicture *self = CURED_PICTURE (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  cairo_t *cr;

  if (width <= 0 || height <= 0)
    return;
  cr = gtk_snapshot_append_cairo (snapshot,
                                  &GRAPHENE_RECT_INIT (0.0f, 0.0f, (float) width, (float) height));
  CURED_PICTURE_GET_CLASS (self)->draw (self, cr, &get_private (self)->style, width, height);
  cairo_destroy (cr);
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
cured_picture_class_init (CuredPictureClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->constructed = cured_picture_constructed;
  widget_class->css_changed = cured_picture_css_changed;
  widget_class->snapshot = cured_picture_snapshot;
  klass->text_scale = 1;
  signals[STEP] = g_signal_new ("step", CURED_TYPE_PICTURE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_INT);
  signals[PLAY] = g_signal_new ("play", CURED_TYPE_PICTURE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
cured_picture_init (CuredPicture *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  get_private (self)->hovered = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

/**
 * cured_picture_get_style:
 * @self: a picture
 *
 * Returns: (transfer none): colours and font
 */
const CuredPlotStyle *
cured_picture_get_style (CuredPicture *self)
{
  g_return_val_if_fail (CURED_IS_PICTURE (self), NULL);
  return &get_private (self)->style;
}

/**
 * cured_picture_get_hovered:
 * @self: a picture
 *
 * Returns: what is under the pointer, as its class numbers it; -1: nothing
 */
gssize
cured_picture_get_hovered (CuredPicture *self)
{
  g_return_val_if_fail (CURED_IS_PICTURE (self), -1);
  return get_private (self)->hovered;
}

/**
 * cured_picture_forget_hovered:
 * @self: a picture
 *
 * Nothing is under the pointer until it moves again: something else is drawn, or the keyboard's
 * cursor is what counts now. The class is not told.
 */
void
cured_picture_forget_hovered (CuredPicture *self)
{
  g_return_if_fail (CURED_IS_PICTURE (self));

  get_private (self)->hovered = -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * cured_picture_reveal:
 * @self: a picture
 * @rect: a part of it
 *
 * Scrolls the window that it is in so that a part is seen.
 */
void
cured_picture_reveal (CuredPicture *self, const CuredRect *rect)
{
  GtkWidget *widget;
  GtkScrolledWindow *window;

  g_return_if_fail (CURED_IS_PICTURE (self));

  widget = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_SCROLLED_WINDOW);
  if (widget == NULL)
    return;
  window = GTK_SCROLLED_WINDOW (widget);
  gtk_adjustment_clamp_page (gtk_scrolled_window_get_hadjustment (window), rect->x,
                             rect->x + rect->width);
  gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (window), rect->y,
                             rect->y + rect->height);
}

/**
 * cured_picture_step:
 * @self: a picture
 * @by: steps; negative: back
 *
 * Emits `step`.
 */
void
cured_picture_step (CuredPicture *self, int by)
{
  g_return_if_fail (CURED_IS_PICTURE (self));
  g_signal_emit (self, signals[STEP], 0, by);
}

/**
 * cured_picture_class_bind_step:
 * @klass: a class
 * @key: a key
 * @modifiers: that go with it
 * @by: steps; negative: back
 *
 * Makes a key ask for another step.
 */
void
cured_picture_class_bind_step (CuredPictureClass *klass, guint key, GdkModifierType modifiers,
                               int by)
{
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), key, modifiers, step_cb, "(i)", by);
}

/**
 * cured_picture_class_bind_play:
 * @klass: a class
 *
 * Makes the space key play.
 */
void
cured_picture_class_bind_play (CuredPictureClass *klass)
{
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_space, 0, play_cb, NULL);
}
