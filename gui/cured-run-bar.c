/* SPDX-License-Identifier: MIT
 * The bar under a map: progress of a sweep, or an offer to resume one. */
#include <config.h>

#include "cured-run-bar.h"

#include <math.h>

#include <glib/gi18n.h>

#include "cured-text.h"

struct _CuredRunBar
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkRevealer *revealer;
  GtkLabel *text;
  GtkProgressBar *bar;
  GtkWidget *cancel;
  GtkWidget *resume;

  guint pulse_id;
};

G_DEFINE_FINAL_TYPE (CuredRunBar, cured_run_bar, ADW_TYPE_BIN)

static gboolean
pulse_cb (gpointer user_data)
{
  CuredRunBar *self = user_data;

  gtk_progress_bar_pulse (self->bar);
  return G_SOURCE_CONTINUE;
}

static void
set_pulsing (CuredRunBar *self, gboolean is_pulsing)
{
  if (is_pulsing == (self->pulse_id != 0))
    return;
  if (is_pulsing)
    self->pulse_id = g_timeout_add (120, pulse_cb, self);
  else
    g_clear_handle_id (&self->pulse_id, g_source_remove);
}

static char *
describe_progress (const CuredProgress *progress)
{
  g_autofree char *done = cured_format_count (progress->n_done);
  g_autofree char *all = cured_format_count (progress->n_cells);
  g_autofree char *failures = cured_text_failures (progress->n_states);
  g_autoptr (GString) text = g_string_new (NULL);

  /* Translators: how many cells of a sweep are done, and of how many. */
  g_string_append_printf (
      text,
      ngettext ("%s of %s cell", "%s of %s cells", (gulong) progress->n_cells),
      done,
      all);
  if (!isnan (progress->best_ns))
    {
      g_autofree char *best = cured_format_quantity (progress->best_ns, "ns");

      g_string_append (text, " · ");
      /* Translators: the least time that a sweep has found so far. */
      g_string_append_printf (text, _ ("best %s"), best);
    }
  if (failures != NULL)
    g_string_append_printf (text, " · %s", failures);
  if (progress->eta_ns >= 0 && progress->n_done < progress->n_cells)
    {
      g_autofree char *eta =
          cured_format_seconds ((double) progress->eta_ns / 1e9);

      g_string_append (text, " · ");
      /* Translators: how long a sweep will still take. */
      g_string_append_printf (text, _ ("%s left"), eta);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
show_sweep (CuredRunBar *self, CuredSweep *sweep)
{
  CuredProgress progress;
  gboolean is_known = cured_sweep_get_progress (sweep, &progress);
  gboolean is_cancelled = cured_sweep_is_cancelled (sweep);

  if (is_cancelled)
    gtk_label_set_label (self->text, _ ("Stopping…"));
  else if (!is_known)
    gtk_label_set_label (self->text, _ ("Starting the device's worker…"));
  else
    {
      g_autofree char *text = describe_progress (&progress);

      gtk_label_set_label (self->text, text);
    }
  set_pulsing (self, is_cancelled || !is_known || progress.n_done == 0);
  if (is_known && progress.n_cells > 0 && progress.n_done > 0)
    gtk_progress_bar_set_fraction (
        self->bar, (double) progress.n_done / (double) progress.n_cells);
  gtk_widget_set_visible (GTK_WIDGET (self->bar), TRUE);
  gtk_widget_set_visible (self->cancel, !is_cancelled);
  gtk_widget_set_visible (self->resume, FALSE);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

static void
show_offer (CuredRunBar *self, CuredResult *result)
{
  gint64 n_missing = cured_result_count_state (result, CURED_STATE_NOT_RUN);
  gint64 n_cells = cured_result_get_n_cells (result);
  g_autofree char *missing = cured_format_count (n_missing);
  g_autofree char *all = cured_format_count (n_cells);
  g_autofree char *text = NULL;

  set_pulsing (self, FALSE);
  if (n_missing > 0)
    {
      /* Translators: how many cells are missing, and of how many. */
      text = g_strdup_printf (ngettext ("%s of %s cells was not run.",
                                        "%s of %s cells were not run.",
                                        (gulong) n_missing),
                              missing,
                              all);
      gtk_label_set_label (self->text, text);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->bar), FALSE);
  gtk_widget_set_visible (self->cancel, FALSE);
  gtk_widget_set_visible (self->resume, TRUE);
  /* What was imported has no kernel that could be run. */
  gtk_revealer_set_reveal_child (
      self->revealer,
      n_missing > 0 && cured_result_get_imported (result) == NULL);
}

static void
cured_run_bar_dispose (GObject *object)
{
  CuredRunBar *self = CURED_RUN_BAR (object);

  g_clear_handle_id (&self->pulse_id, g_source_remove);
  /* A template child that is also the bin's would be dropped twice. */
  adw_bin_set_child (ADW_BIN (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_RUN_BAR);
  G_OBJECT_CLASS (cured_run_bar_parent_class)->dispose (object);
}

static void
cured_run_bar_class_init (CuredRunBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_run_bar_dispose;

  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-run-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, CuredRunBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, CuredRunBar, text);
  gtk_widget_class_bind_template_child (widget_class, CuredRunBar, bar);
  gtk_widget_class_bind_template_child (widget_class, CuredRunBar, cancel);
  gtk_widget_class_bind_template_child (widget_class, CuredRunBar, resume);
}

static void
cured_run_bar_init (CuredRunBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * cured_run_bar_update:
 * @self: a run bar
 * @sweep: (nullable): what runs
 * @result: what is shown
 *
 * Shows where @sweep stands; where none is active, offers to resume a
 * result with cells that were not run, and hides otherwise.
 */
void
cured_run_bar_update (CuredRunBar *self, CuredSweep *sweep, CuredResult *result)
{
  g_return_if_fail (CURED_IS_RUN_BAR (self));

  if (sweep != NULL && cured_sweep_is_active (sweep))
    show_sweep (self, sweep);
  else if (result != NULL)
    show_offer (self, result);
  else
    gtk_revealer_set_reveal_child (self->revealer, FALSE);
}
