/* SPDX-License-Identifier: MIT
 * The short manual: the contents of the window and the meaning of its figures. */
#include <config.h>

#include "app/cured-gui-app.h"

#include <string.h>

struct _CuredHelp
{
  AdwWindow parent_instance;

  /* Template widgets */
  GtkSearchEntry *search;
  GtkWidget *topics;
  AdwPreferencesGroup *measured, *counted, *derived, *predicted;
};

G_DEFINE_FINAL_TYPE (CuredHelp, cured_help, ADW_TYPE_WINDOW)

/* Adds a metric: its title and unit, and below them its definition, origin and formula. */
static void
add_metric (CuredHelp *self, const CuredMetricInfo *metric)
{
  AdwPreferencesGroup *groups[] = {
    [CURED_ORIGIN_MEASURED] = self->measured,
    [CURED_ORIGIN_COUNTED] = self->counted,
    [CURED_ORIGIN_DERIVED] = self->derived,
    [CURED_ORIGIN_PREDICTED] = self->predicted,
  };
  g_autofree char *text = cured_text_metric_tooltip (metric);
  char *line = strchr (text, '\n');
  GtkWidget *row = adw_action_row_new ();

  if (line != NULL)
    *line++ = '\0';
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), text);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), line);
  adw_preferences_group_add (groups[metric->origin], row);
}

static gboolean
row_matches (GtkWidget *row, const char *words)
{
  g_autofree char *all =
      g_strdup_printf ("%s %s", adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)),
                       adw_action_row_get_subtitle (ADW_ACTION_ROW (row)));
  g_autofree char *folded = g_utf8_casefold (all, -1);
  return strstr (folded, words) != NULL;
}

/* Hides rows that do not match, and groups without visible rows. */
static gboolean
filter (GtkWidget *widget, const char *words)
{
  gboolean is_any = FALSE;

  if (ADW_IS_ACTION_ROW (widget))
    {
      is_any = row_matches (widget, words);
      gtk_widget_set_visible (widget, is_any);
      return is_any;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (filter (child, words))
      is_any = TRUE;
  if (ADW_IS_PREFERENCES_GROUP (widget))
    gtk_widget_set_visible (widget, is_any);
  return is_any;
}

static void
search_changed_cb (CuredHelp *self)
{
  g_autofree char *words =
      g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);

  filter (self->topics, words);
}

static void
stop_search_cb (CuredHelp *self)
{
  if (gtk_editable_get_text (GTK_EDITABLE (self->search))[0] != '\0')
    gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  else
    gtk_window_close (GTK_WINDOW (self));
}

static void
cured_help_class_init (CuredHelpClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  cured_template_set (klass, "cured-help");
  CURED_CALLBACKS (search_changed_cb, stop_search_cb);
  CURED_BIND (CuredHelp, search, topics, measured, counted, derived, predicted);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
cured_help_init (CuredHelp *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  for (int i = 0; i < CURED_N_METRICS; i++)
    add_metric (self, cured_metric_info ((CuredMetric) i));
}

CuredHelp *
cured_help_new (GtkApplication *application)
{
  return g_object_new (CURED_TYPE_HELP, "application", application, NULL);
}
