/* SPDX-License-Identifier: MIT
 * Short messages over what is shown, one at a time. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

/* Duration of a message. */
#define SHOWN_S 5

struct _CuredToastOverlay
{
  GtkWidget parent_instance;

  /* Template widgets */
  GtkOverlay *overlay;
  GtkRevealer *revealer;
  GtkLabel *text;
  GtkButton *button;

  GtkWidget *child; /* Borrowed: of @overlay */

  /* Owned */
  gpointer data; /* of the offer */
  GDestroyNotify free_data;

  CuredToastFunc func; /* nullable: the message offers nothing */
  guint timeout_id;
};

CURED_DEFINE_TEMPLATE_TYPE (CuredToastOverlay, cured_toast_overlay, GTK_TYPE_WIDGET)

static gboolean
has_focus (CuredToastOverlay *self)
{
  return (gtk_widget_get_state_flags (GTK_WIDGET (self->revealer)) & GTK_STATE_FLAG_FOCUS_WITHIN) !=
         0;
}

static void
forget_offer (CuredToastOverlay *self)
{
  gpointer data = g_steal_pointer (&self->data);

  self->func = NULL;
  if (self->free_data != NULL)
    self->free_data (data);
  self->free_data = NULL;
}

static void
dismiss (CuredToastOverlay *self)
{
  g_clear_handle_id (&self->timeout_id, g_source_remove);
  /* Move the focus to a widget that stays visible. */
  if (has_focus (self))
    gtk_widget_child_focus (gtk_overlay_get_child (self->overlay), GTK_DIR_TAB_FORWARD);
  gtk_revealer_set_reveal_child (self->revealer, FALSE);
  forget_offer (self);
}

/* A message with the pointer or the focus stays. */
static gboolean
timeout_cb (CuredToastOverlay *self)
{
  GtkStateFlags state = gtk_widget_get_state_flags (GTK_WIDGET (self->revealer));

  if ((state & (GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUS_WITHIN)) != 0)
    return G_SOURCE_CONTINUE;
  self->timeout_id = 0;
  dismiss (self);
  return G_SOURCE_REMOVE;
}

static gboolean
escape_cb (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  CuredToastOverlay *self = CURED_TOAST_OVERLAY (widget);

  if (!gtk_revealer_get_reveal_child (self->revealer))
    return FALSE;
  dismiss (self);
  return TRUE;
}

static void
button_clicked_cb (CuredToastOverlay *self)
{
  CuredToastFunc func = self->func;
  gpointer data = self->data;
  GDestroyNotify free_data = self->free_data;

  /* The message may be disappearing. */
  if (func == NULL)
    return;
  self->func = NULL;
  self->data = NULL;
  self->free_data = NULL;
  dismiss (self);
  /* This may show the next message. */
  func (self, data);
  if (free_data != NULL)
    free_data (data);
}

static void
set_child (CuredToastOverlay *self, const GValue *value)
{
  self->child = g_value_get_object (value);
  gtk_overlay_set_child (self->overlay, self->child);
}

static void
cured_toast_overlay_dispose (GObject *object)
{
  forget_offer (CURED_TOAST_OVERLAY (object));
  cured_template_dispose (object);
}

static void
cured_toast_overlay_class_init (CuredToastOverlayClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_toast_overlay_dispose;
  CURED_PROPERTY (CuredToastOverlay, "child", GTK_TYPE_WIDGET, child, set_child);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, 0, escape_cb, NULL);
  cured_template_set (klass, "cured-toast-overlay");
  CURED_BIND (CuredToastOverlay, overlay, revealer, text, button);
  CURED_CALLBACKS (button_clicked_cb, dismiss);
  CURED_TIMERS (CuredToastOverlay, timeout_id);
}

/* Shows a message and a button for some seconds. @text: one line, not markup; @label: (nullable):
 * of the button, with its mnemonic; NULL: no button; @func: (nullable): the button's action;
 * @free_data: (nullable): frees @data after a click or when the message disappears. */
void
cured_toast_overlay_offer (CuredToastOverlay *self, const char *text, const char *label,
                           CuredToastFunc func, gpointer data, GDestroyNotify free_data)
{
  /* File names may contain invalid UTF-8 and newlines. */
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *line = cured_text_first_lines (valid, 1);

  forget_offer (self);
  self->func = func;
  self->data = data;
  self->free_data = free_data;
  gtk_label_set_label (self->text, line);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->text), g_str_equal (line, valid) ? NULL : valid);
  gtk_button_set_label (self->button, label != NULL ? label : "");
  gtk_widget_set_visible (GTK_WIDGET (self->button), label != NULL);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
  g_clear_handle_id (&self->timeout_id, g_source_remove);
  self->timeout_id = g_timeout_add_seconds (SHOWN_S, G_SOURCE_FUNC (timeout_cb), self);
}

/* Shows a message for some seconds. @text: one line, not markup. */
void
cured_toast_overlay_show (CuredToastOverlay *self, const char *text)
{
  cured_toast_overlay_offer (self, text, NULL, NULL, NULL, NULL);
}

const char *
cured_toast_overlay_get_text (CuredToastOverlay *self)
{
  return gtk_revealer_get_reveal_child (self->revealer) ? gtk_label_get_label (self->text) : NULL;
}
