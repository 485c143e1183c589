/* SPDX-License-Identifier: MIT
 * A dialog for the limits of a map's colours. */
#include <config.h>

#include "map/cured-gui-map.h"

enum
{
  LOW,
  HIGH,
  CENTRE, /* of ratios only */
  N_LIMITS,
};

typedef struct
{
  GtkEditable *entries[N_LIMITS]; /* borrowed; the last is NULL without a centre */
  GtkLabel *problem;              /* borrowed */
  CuredMapView *view;             /* owned */
  const char *unit;               /* of the values */
  double bare;                    /* value of 1 without a unit */
} Limits;

CURED_FREE_FUNC (Limits, limits_free, view, g_object_unref)

/* Parses the typed limits; an empty entry means none. */
static gboolean
read_limits (const Limits *self, CuredColourLimits *limits, GError **error)
{
  double *const values[] = { &limits->low, &limits->high, &limits->centre };
  gboolean *const has[] = { &limits->has_low, &limits->has_high, &limits->has_centre };

  *limits = (CuredColourLimits){ 0 };
  for (int i = 0; i < N_LIMITS; i++)
    {
      const char *text = self->entries[i] != NULL ? gtk_editable_get_text (self->entries[i]) : "";

      if (text[strspn (text, " ")] == '\0')
        continue;
      if (!cured_parse_quantity (text, self->unit, self->bare, values[i], error))
        return FALSE;
      *has[i] = TRUE;
    }
  return cured_colour_limits_check (limits, self->entries[CENTRE] != NULL, error);
}

static void
typed_cb (AdwMessageDialog *dialog)
{
  Limits *self = g_object_get_data (G_OBJECT (dialog), "limits");
  g_autoptr (GError) error = NULL;
  CuredColourLimits limits;
  gboolean is_right = read_limits (self, &limits, &error);

  adw_message_dialog_set_response_enabled (dialog, "apply", is_right);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), !is_right);
  cured_widget_say (self->problem, is_right ? "" : error->message);
}

static void
answered_cb (gpointer owner, const char *response, AdwMessageDialog *dialog)
{
  Limits *self = g_object_get_data (G_OBJECT (dialog), "limits");
  CuredColourLimits limits = { 0 };

  /* The result may have been replaced meanwhile. */
  if (cured_map_view_get_result (self->view) == NULL ||
      !(g_str_equal (response, "reset") ||
        (g_str_equal (response, "apply") && read_limits (self, &limits, NULL))))
    return;
  cured_map_view_set_limits (self->view, &limits);
}

static void
fill_entry (Limits *self, AdwMessageDialog *dialog, int index, gboolean is_given, double value)
{
  g_autofree char *text = is_given ? cured_format_quantity (value, self->unit) : g_strdup ("");

  gtk_editable_set_text (self->entries[index], text);
  g_signal_connect_object (self->entries[index], "changed", G_CALLBACK (typed_cb), dialog,
                           G_CONNECT_SWAPPED);
}

/* Opens the dialog over the window of @beside; its answer is applied to @view. Does nothing without
 * a map of numbers. */
void
cured_limits_dialog_show (GtkWidget *beside, CuredMapView *view)
{
  static const CuredAnswer answers[] = {
    { "cancel", N_ ("_Cancel") },
    { "reset", N_ ("_Reset") },
    { "apply", N_ ("_Apply"), ADW_RESPONSE_SUGGESTED },
    { NULL },
  };
  const CuredGrid *grid = view != NULL ? cured_map_view_get_grid (view) : NULL;

  if (grid == NULL || cured_grid_is_line (grid) || cured_grid_is_named (grid) || isnan (grid->low))
    return;
  const CuredColourLimits *limits = &grid->limits;
  gboolean is_ratio = cured_grid_is_ratio (grid);
  g_autofree char *low = cured_format_quantity (grid->low, grid->metric.unit);
  g_autofree char *high = cured_format_quantity (grid->high, grid->metric.unit);
  double bare;
  const char *unit = cured_grid_choose_unit (grid, &bare);
  g_autofree char *about =
      *unit == '\0'
          ? g_strdup (
                _ ("Values beyond a limit take that limit's colour. Limits apply to this tab."))
          /* Translators: a unit, such as µs. */
          : g_strdup_printf (_ ("Values beyond a limit have its colour. Limits hold for this tab; "
                                "a number alone is in %s."),
                             unit);
  AdwMessageDialog *dialog = cured_ask (GTK_WINDOW (gtk_widget_get_root (beside)),
                                        _ ("Colour Limits"), about, answers, view, answered_cb);
  static const char *const ids[N_LIMITS] = { "low", "high", "centre" };
  g_autoptr (GtkBuilder) builder =
      gtk_builder_new_from_resource ("/io/github/cured/Cured/cured-limits-form.ui");
  Limits *self = g_new0 (Limits, 1);
  /* Translators: where colours begin; in parentheses the least value, which is taken otherwise. */
  g_autofree char *low_title = g_strdup_printf (_ ("Lowest (%s)"), low);
  /* Translators: where colours end; in parentheses the greatest value, which is taken otherwise. */
  g_autofree char *high_title = g_strdup_printf (_ ("Highest (%s)"), high);

  self->view = g_object_ref (view);
  self->problem = GTK_LABEL (gtk_builder_get_object (builder, "problem"));
  self->unit = grid->metric.unit;
  self->bare = bare;
  for (int i = 0; i < N_LIMITS - !is_ratio; i++)
    self->entries[i] = GTK_EDITABLE (gtk_builder_get_object (builder, ids[i]));
  g_object_set_data_full (G_OBJECT (dialog), "limits", self, limits_free);
  adw_message_dialog_set_extra_child (dialog,
                                      GTK_WIDGET (gtk_builder_get_object (builder, "form")));
  g_object_set (self->entries[LOW], "title", low_title, NULL);
  g_object_set (self->entries[HIGH], "title", high_title, NULL);
  g_object_set (gtk_builder_get_object (builder, "centre"), "visible", is_ratio, NULL);
  fill_entry (self, dialog, LOW, limits->has_low, limits->low);
  fill_entry (self, dialog, HIGH, limits->has_high, limits->high);
  if (is_ratio)
    fill_entry (self, dialog, CENTRE, limits->has_centre, limits->centre);
  adw_message_dialog_set_response_enabled (dialog, "reset", cured_colour_limits_is_set (limits));
  gtk_widget_grab_focus (GTK_WIDGET (self->entries[LOW]));
}
