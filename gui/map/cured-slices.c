/* SPDX-License-Identifier: MIT
 * The slice of a result shown by a map: its axes, and sliders for the other ones. */
#include <config.h>

#include "map/cured-gui-map.h"

/* Maximum number of sliders without scrolling. */
#define MAX_ROWS 3

struct _CuredSlices
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkGrid *grid;

  /* Owned */
  CuredMapView *view; /* nullable: not set yet */

  /* Borrowed */
  GtkDropDown *x_axis, *y_axis;
};

CURED_DEFINE_TEMPLATE_TYPE (CuredSlices, cured_slices, ADW_TYPE_BIN)

static gsize
get_axis (GtkRange *range)
{
  return GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (range), "axis"));
}

static void
moved_cb (GtkRange *range, CuredSlices *self)
{
  gsize axis = get_axis (range);
  GtkLabel *label = g_object_get_data (G_OBJECT (range), "label");
  const CuredResultAxis *axes =
      cured_result_get_axes (cured_map_view_get_result (self->view), NULL);
  gsize position = (gsize) lround (gtk_range_get_value (range));
  g_autofree char *text = cured_axis_format_value (axes[axis].values, position);

  gtk_label_set_label (label, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (range), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text,
                                  -1);
  cured_map_view_set_position (self->view, axis, position);
}

/* ---- Maps side by side ---- */

/* Whether @number is valid: 0 means one map, n a map for each value of axis n - 1. */
gboolean
cured_slices_may_split (CuredResult *result, const CuredView *view, gsize number)
{
  const CuredAxis *values =
      number > 0 ? cured_result_get_axes (result, NULL)[number - 1].values : NULL;

  return number == 0 || (number - 1 != view->x_axis && number - 1 != view->y_axis &&
                         view->y_axis != CURED_AXIS_NONE && cured_axis_get_length (values) > 1);
}

/* Adds the valid numbers to @choices. */
void
cured_slices_add_splits (GListStore *choices, CuredResult *result, const CuredView *view)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  cured_choice_add (choices, 0, _ ("One map"), NULL, _ ("A heat map, or a line"));
  for (gsize i = 0; i < n_axes; i++)
    {
      /* Translators: the name of a parameter. */
      g_autofree char *title = g_strdup_printf (_ ("A map for each %s"), axes[i].name);

      if (cured_slices_may_split (result, view, i + 1))
        cured_choice_add (choices, i + 1, title, NULL,
                          _ ("Small maps side by side, with one scale of colours"));
    }
}

/* ---- The slice ---- */

/* Another view shows another slice. */
static void
positions_changed_cb (CuredSlices *self)
{
  const CuredView *view = cured_map_view_get_view (self->view);

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->grid)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_RANGE (child))
      gtk_range_set_value (GTK_RANGE (child),
                           (double) view->positions[get_axis (GTK_RANGE (child))]);
}

static void
add_slider (CuredSlices *self, gsize number, int row)
{
  CuredResult *result = cured_map_view_get_result (self->view);
  const CuredView *view = cured_map_view_get_view (self->view);
  const CuredResultAxis *axis = &cured_result_get_axes (result, NULL)[number];
  gsize length = cured_axis_get_length (axis->values);
  const char *summary = cured_kernel_translate (axis->summary);
  GtkWidget *label = cured_widget_new (GTK_TYPE_LABEL, "dim-label", "label", axis->name,
                                       "tooltip-text", summary, NULL);
  GtkWidget *scale =
      gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0.0, (double) (length - 1), 1.0);
  GtkWidget *value = cured_widget_new (GTK_TYPE_LABEL, "numeric", "xalign", 1.0, NULL);
  int widest = 0;

  gtk_grid_attach (self->grid, label, 0, row, 1, 1);
  g_object_set (scale, "round-digits", 0, "hexpand", TRUE, "tooltip-text", summary, NULL);
  cured_widget_name (scale, axis->name, NULL);
  gtk_grid_attach (self->grid, scale, 1, row, 1, 1);

  /* As wide as the longest value, so that the slider does not change its size. */
  for (gsize i = 0; i < length; i += MAX (1, length / 64))
    {
      g_autofree char *text = cured_axis_format_value (axis->values, i);

      widest = MAX (widest, (int) g_utf8_strlen (text, -1));
    }
  gtk_label_set_width_chars (GTK_LABEL (value), widest);
  gtk_grid_attach (self->grid, value, 2, row, 1, 1);

  g_object_set_data (G_OBJECT (scale), "axis", GSIZE_TO_POINTER (number));
  g_object_set_data (G_OBJECT (scale), "label", value);
  gtk_range_set_value (GTK_RANGE (scale), (double) view->positions[number]);
  moved_cb (GTK_RANGE (scale), self);
  g_signal_connect (scale, "value-changed", G_CALLBACK (moved_cb), self);
}

/* Whether the map shows the best over @axis: if the view says so or, with two results, if only this
 * one has the axis. */
static gboolean
is_best_over (CuredSlices *self, gsize axis)
{
  CuredResult *result = cured_map_view_get_result (self->view);
  const CuredView *view = cured_map_view_get_view (self->view);

  if (view->other == NULL)
    return view->best_over && !cured_match_is_problem (result, axis);
  g_autoptr (CuredMatch) match = cured_match_new (
      result, view->other, cured_result_get_metrics (result, NULL)[view->metric].id, NULL);
  for (gsize i = 0; match != NULL && i < match->a.n_over; i++)
    if (match->a.over[i] == axis)
      return TRUE;
  return FALSE;
}

/* Replaces the sliders of axes over which the best is shown. */
static void
add_over (CuredSlices *self, const char *names, int row)
{
  /* Translators: names of parameters: the best of all their values is shown. */
  g_autofree char *text = g_strdup_printf (_ ("best over %s"), names);
  GtkWidget *label = cured_widget_new (GTK_TYPE_LABEL, "dim-label", "label", text, "tooltip-text",
                                       text, "ellipsize", PANGO_ELLIPSIZE_END, NULL);

  gtk_grid_attach (self->grid, label, 0, row, 3, 1);
}

static void
fill_sliders (CuredSlices *self)
{
  CuredResult *result = cured_map_view_get_result (self->view);
  const CuredView *view = cured_map_view_get_view (self->view);
  const CuredResultAxis *axes = NULL;
  gsize n_axes = 0;
  g_autoptr (GString) over = g_string_new (NULL);
  int row = 0;

  cured_widget_empty (self->grid);
  if (result != NULL)
    axes = cured_result_get_axes (result, &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    {
      if (i == view->x_axis || i == view->y_axis || cured_axis_get_length (axes[i].values) < 2)
        continue;
      if (!is_best_over (self, i))
        add_slider (self, i, row++);
      else if (view->other == NULL)
        g_string_append_printf (over, "%s%s", over->len > 0 ? ", " : "", axes[i].name);
    }
  if (over->len > 0)
    add_over (self, over->str, row++);
  gtk_widget_set_visible (GTK_WIDGET (self), row > 0);
  /* Many sliders scroll, so that the map keeps its size. */
  g_object_set (adw_bin_get_child (ADW_BIN (self)), "vscrollbar-policy",
                row > MAX_ROWS ? GTK_POLICY_AUTOMATIC : GTK_POLICY_NEVER, "min-content-height",
                row > MAX_ROWS ? 100 : -1, NULL);
}

static void
fill_drop_down (CuredSlices *self, GtkDropDown *drop_down, gsize selected)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize n_axes;
  const CuredResultAxis *axes =
      cured_result_get_axes (cured_map_view_get_result (self->view), &n_axes);

  for (gsize i = 0; i < n_axes; i++)
    {
      gsize length = cured_axis_get_length (axes[i].values);

      /* An axis with a single value is omitted unless it is selected. */
      if (length == 1 && i != selected)
        continue;
      g_autofree char *count = cured_format_count ((gint64) length);
      /* Translators: how many values a parameter takes. */
      g_autofree char *detail =
          g_strdup_printf (ngettext ("%s value", "%s values", (gulong) length), count);
      g_autofree char *tooltip =
          g_strdup_printf ("%s: %s%s%s", axes[i].name, detail, axes[i].summary != NULL ? "\n" : "",
                           axes[i].summary != NULL ? cured_kernel_translate (axes[i].summary) : "");

      cured_choice_add (store, i, axes[i].name, detail, tooltip);
    }
  cured_choice_fill (drop_down, store, selected);
  gtk_widget_set_sensitive (GTK_WIDGET (drop_down),
                            g_list_model_get_n_items (G_LIST_MODEL (store)) > 1);
}

static void
result_changed_cb (CuredSlices *self)
{
  const CuredView *view = cured_map_view_get_view (self->view);

  if (cured_map_view_get_result (self->view) == NULL)
    return;
  fill_drop_down (self, self->x_axis, view->x_axis);
  if (view->y_axis != CURED_AXIS_NONE)
    fill_drop_down (self, self->y_axis, view->y_axis);
}

static void
cured_slices_class_init (CuredSlicesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  cured_template_set (klass, "cured-slices");
  gtk_widget_class_bind_template_child (widget_class, CuredSlices, grid);
  CURED_OWNS (CuredSlices, view);
}

/* Shows the axes and the slice of @view, and makes them selectable. The drop-downs must live as
 * long as @self. */
void
cured_slices_set_view (CuredSlices *self, CuredMapView *view, GtkDropDown *x_axis,
                       GtkDropDown *y_axis)
{
  g_return_if_fail (CURED_IS_SLICES (self) && self->view == NULL);

  self->view = g_object_ref (view);
  self->x_axis = x_axis;
  self->y_axis = y_axis;
  /* Lists are refilled only for another result: a drop-down must not be changed while it handles a
   * selection. */
  CURED_CONNECT (view, "notify::result", result_changed_cb);
  result_changed_cb (self);
  cured_choice_bind (x_axis, view, "x-axis");
  cured_choice_bind (y_axis, view, "y-axis");
  g_object_bind_property (view, "has-y-axis", y_axis, "visible", G_BINDING_SYNC_CREATE);
  /* Changes of both axes are notified together. */
  CURED_CONNECT (view, "notify::x-axis", fill_sliders);
  CURED_CONNECT (view, "notify::best-over", fill_sliders);
  CURED_CONNECT (view, "notify::positions", positions_changed_cb);
}
