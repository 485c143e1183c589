/* SPDX-License-Identifier: MIT
 * Which slice of a result a map shows: its axes, and a slider for each other. */
#include <config.h>

#include "map/cured-slices.h"

#include <glib/gi18n.h>

#include "widgets/cured-choice.h"

/* Sliders that are shown without scrolling. */
#define MAX_ROWS 3

struct _CuredSlices
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkGrid *grid;

  /* Owned */
  CuredResult *result; /* nullable */

  /* Borrowed */
  CuredView *view; /* nullable, as @result */
  GtkDropDown *x_axis;
  GtkDropDown *y_axis;

  gboolean is_filling; /* the drop-downs are being set, not used */
};

G_DEFINE_FINAL_TYPE (CuredSlices, cured_slices, ADW_TYPE_BIN)

enum
{
  CHANGING,
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
moved_cb (GtkRange *range, CuredSlices *self)
{
  gsize axis = GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (range), "axis"));
  GtkLabel *label = g_object_get_data (G_OBJECT (range), "label");
  const CuredResultAxis *axes = cured_result_get_axes (self->result, NULL);
  gsize position = (gsize) lround (gtk_range_get_value (range));
  g_autofree char *text = cured_axis_format_value (axes[axis].values, position);

  gtk_label_set_label (label, text);
  gtk_accessible_update_property (
      GTK_ACCESSIBLE (range), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
  if (self->view->positions[axis] == position)
    return;
  g_signal_emit (self, signals[CHANGING], 0);
  self->view->positions[axis] = position;
  g_signal_emit (self, signals[CHANGED], 0, FALSE);
}

static void
add_slider (CuredSlices *self, gsize number, int row)
{
  const CuredResultAxis *axis =
      &cured_result_get_axes (self->result, NULL)[number];
  gsize length = cured_axis_get_length (axis->values);
  GtkWidget *label = gtk_label_new (axis->name);
  GtkWidget *scale = gtk_scale_new_with_range (
      GTK_ORIENTATION_HORIZONTAL, 0.0, (double) (length - 1), 1.0);
  GtkWidget *value = gtk_label_new (NULL);
  int widest = 0;

  gtk_label_set_xalign (GTK_LABEL (label), 0.0f);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_tooltip_text (label, axis->summary);
  gtk_grid_attach (self->grid, label, 0, row, 1, 1);

  gtk_range_set_round_digits (GTK_RANGE (scale), 0);
  gtk_widget_set_hexpand (scale, TRUE);
  gtk_widget_set_tooltip_text (scale, axis->summary);
  gtk_accessible_update_property (
      GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_LABEL, axis->name, -1);
  gtk_grid_attach (self->grid, scale, 1, row, 1, 1);

  /* As wide as the longest value, so that the slider does not jump. */
  for (gsize i = 0; i < length; i += MAX (1, length / 64))
    {
      g_autofree char *text = cured_axis_format_value (axis->values, i);

      widest = MAX (widest, (int) g_utf8_strlen (text, -1));
    }
  gtk_label_set_width_chars (GTK_LABEL (value), widest);
  gtk_label_set_xalign (GTK_LABEL (value), 1.0f);
  gtk_widget_add_css_class (value, "numeric");
  gtk_grid_attach (self->grid, value, 2, row, 1, 1);

  g_object_set_data (G_OBJECT (scale), "axis", GSIZE_TO_POINTER (number));
  g_object_set_data (G_OBJECT (scale), "label", value);
  gtk_range_set_value (GTK_RANGE (scale),
                       (double) self->view->positions[number]);
  moved_cb (GTK_RANGE (scale), self);
  g_signal_connect (scale, "value-changed", G_CALLBACK (moved_cb), self);
}

/* Of two results, what one alone has is not held anywhere: the best over it
 * is compared. */
static gboolean
is_best_over (CuredSlices *self, gsize axis)
{
  g_autoptr (CuredMatch) match = NULL;

  if (self->view->other == NULL)
    return FALSE;
  match = cured_match_new (
      self->result,
      self->view->other,
      cured_result_get_metrics (self->result, NULL)[self->view->metric].id,
      NULL);
  for (gsize i = 0; match != NULL && i < match->a.n_over; i++)
    if (match->a.over[i] == axis)
      return TRUE;
  return FALSE;
}

static void
fill_sliders (CuredSlices *self)
{
  const CuredResultAxis *axes = NULL;
  gsize n_axes = 0;
  GtkWidget *child;
  int row = 0;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_grid_remove (self->grid, child);
  if (self->result != NULL)
    axes = cured_result_get_axes (self->result, &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    if (i != self->view->x_axis && i != self->view->y_axis &&
        cured_axis_get_length (axes[i].values) > 1 && !is_best_over (self, i))
      add_slider (self, i, row++);
  gtk_widget_set_visible (GTK_WIDGET (self), row > 0);
  /* Many of them scroll, so that the map keeps its place. */
  g_object_set (adw_bin_get_child (ADW_BIN (self)),
                "vscrollbar-policy",
                row > MAX_ROWS ? GTK_POLICY_AUTOMATIC : GTK_POLICY_NEVER,
                "min-content-height",
                row > MAX_ROWS ? 100 : -1,
                NULL);
}

static void
fill_drop_down (CuredSlices *self, GtkDropDown *drop_down, gsize selected)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (self->result, &n_axes);

  for (gsize i = 0; i < n_axes; i++)
    {
      gsize length = cured_axis_get_length (axes[i].values);
      g_autofree char *count = NULL;
      g_autofree char *detail = NULL;
      g_autofree char *tooltip = NULL;
      g_autoptr (CuredChoice) choice = NULL;

      /* An axis of one value is shown only where there is nothing better. */
      if (length == 1 && i != selected)
        continue;
      count = cured_format_count ((gint64) length);
      /* Translators: how many values a parameter takes. */
      detail = g_strdup_printf (
          ngettext ("%s value", "%s values", (gulong) length), count);
      tooltip =
          g_strdup_printf ("%s: %s%s%s",
                           axes[i].name,
                           detail,
                           axes[i].summary != NULL ? "\n" : "",
                           axes[i].summary != NULL ? axes[i].summary : "");
      choice = cured_choice_new (i, axes[i].name, detail, tooltip, NULL);
      g_list_store_append (store, choice);
    }
  cured_choice_fill (drop_down, store, selected);
  gtk_widget_set_sensitive (GTK_WIDGET (drop_down),
                            g_list_model_get_n_items (G_LIST_MODEL (store)) >
                                1);
}

/* What was chosen on one axis and was on the other trades places. */
static void
chosen_cb (CuredSlices *self, GParamSpec *pspec, GtkDropDown *drop_down)
{
  gsize x_axis;
  gsize y_axis;
  gsize axis;

  if (self->is_filling || self->view == NULL ||
      !cured_choice_get_selected (drop_down, &axis))
    return;
  x_axis = self->view->x_axis;
  y_axis = self->view->y_axis;
  if (drop_down == self->x_axis)
    cured_slices_set_axes (self, axis, axis == y_axis ? x_axis : y_axis);
  else
    cured_slices_set_axes (self, axis == x_axis ? y_axis : x_axis, axis);
}

static void
cured_slices_dispose (GObject *object)
{
  g_clear_object (&CURED_SLICES (object)->result);
  gtk_widget_dispose_template (GTK_WIDGET (object), CURED_TYPE_SLICES);
  G_OBJECT_CLASS (cured_slices_parent_class)->dispose (object);
}

static void
cured_slices_class_init (CuredSlicesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_slices_dispose;
  signals[CHANGING] = g_signal_new ("changing",
                                    CURED_TYPE_SLICES,
                                    G_SIGNAL_RUN_LAST,
                                    0,
                                    NULL,
                                    NULL,
                                    NULL,
                                    G_TYPE_NONE,
                                    0);
  signals[CHANGED] = g_signal_new ("changed",
                                   CURED_TYPE_SLICES,
                                   G_SIGNAL_RUN_LAST,
                                   0,
                                   NULL,
                                   NULL,
                                   NULL,
                                   G_TYPE_NONE,
                                   1,
                                   G_TYPE_BOOLEAN);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-slices.ui");
  gtk_widget_class_bind_template_child (widget_class, CuredSlices, grid);
}

static void
cured_slices_init (CuredSlices *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * cured_slices_set_drop_downs:
 * @self: slices that have none yet
 * @x_axis: chooses what runs to the right
 * @y_axis: chooses what runs upwards
 *
 * The drop-downs must live as long as @self.
 */
void
cured_slices_set_drop_downs (CuredSlices *self,
                             GtkDropDown *x_axis,
                             GtkDropDown *y_axis)
{
  GtkDropDown *const drop_downs[] = { x_axis, y_axis };

  g_return_if_fail (CURED_IS_SLICES (self));

  self->x_axis = x_axis;
  self->y_axis = y_axis;
  for (gsize i = 0; i < G_N_ELEMENTS (drop_downs); i++)
    {
      cured_choice_set_up (drop_downs[i]);
      g_signal_connect_object (drop_downs[i],
                               "notify::selected",
                               G_CALLBACK (chosen_cb),
                               self,
                               G_CONNECT_SWAPPED);
    }
}

/**
 * cured_slices_set_view:
 * @self: slices
 * @result: (nullable): what is looked at; NULL: nothing
 * @view: (nullable): of @result, or of one of the same axes; used until the
 *   next call, and written to
 *
 * Shows the axes and the positions of @view; once more, where somebody else
 * changed them.
 */
void
cured_slices_set_view (CuredSlices *self, CuredResult *result, CuredView *view)
{
  g_return_if_fail (CURED_IS_SLICES (self));

  g_set_object (&self->result, result);
  self->view = view;
  if (view != NULL)
    {
      gboolean has_y = view->y_axis != CURED_AXIS_NONE;

      self->is_filling = TRUE;
      fill_drop_down (self, self->x_axis, view->x_axis);
      gtk_widget_set_visible (GTK_WIDGET (self->y_axis), has_y);
      if (has_y)
        fill_drop_down (self, self->y_axis, view->y_axis);
      self->is_filling = FALSE;
    }
  fill_sliders (self);
}

/**
 * cured_slices_set_axes:
 * @self: slices that have a view
 * @x_axis: what is to run to the right
 * @y_axis: what is to run upwards; %CURED_AXIS_NONE where that is so already
 *
 * Chooses the axes, as the drop-downs do.
 */
void
cured_slices_set_axes (CuredSlices *self, gsize x_axis, gsize y_axis)
{
  g_return_if_fail (CURED_IS_SLICES (self) && self->view != NULL);

  if (x_axis == self->view->x_axis && y_axis == self->view->y_axis)
    return;
  g_signal_emit (self, signals[CHANGING], 0);
  self->view->x_axis = x_axis;
  self->view->y_axis = y_axis;
  /* A list is not replaced here: the drop-down that was used is still busy
   * with the old one. */
  self->is_filling = TRUE;
  cured_choice_set_selected (self->x_axis, x_axis);
  cured_choice_set_selected (self->y_axis, y_axis);
  self->is_filling = FALSE;
  fill_sliders (self);
  g_signal_emit (self, signals[CHANGED], 0, TRUE);
}
