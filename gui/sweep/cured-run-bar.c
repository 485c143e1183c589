/* SPDX-License-Identifier: MIT
 * The bar under a map: progress of a sweep, or an offer to resume one. */
#include <config.h>

#include "sweep/cured-gui-sweep.h"

#include <math.h>

#define NSEC_PER_SEC G_GINT64_CONSTANT (1000000000)

struct _CuredRunBar
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkRevealer *revealer;
  GtkLabel *text, *rest, *file;
  GtkButton *fastest;
  GtkProgressBar *bar;
  GtkWidget *pause, *cancel, *resume, *dismiss;

  CuredRunController *controller; /* owned */
  CuredSweep *dismissed;          /* not owned, never dereferenced: its summary was dismissed */
  CuredSweep *shown;              /* not owned, never dereferenced: shown last */
  guint pulse_id;
  int spoken; /* last announced tenth of the sweep; -1: none */
};

G_DEFINE_FINAL_TYPE (CuredRunBar, cured_run_bar, ADW_TYPE_BIN)

/* The phase before the first cell. */
static void
show_opening (CuredRunBar *self, CuredSweep *sweep)
{
  gint64 n_done, n_cells;
  g_autofree char *text = NULL;

  if (!cured_sweep_get_predicting (sweep, &n_done, &n_cells))
    {
      gtk_label_set_label (self->text, _ ("Starting the device's worker…"));
      return;
    }
  g_autofree char *done = cured_format_count (n_done);
  g_autofree char *all = cured_format_count (n_cells);
  /* Translators: how many cells were predicted, and of how many. */
  text = g_strdup_printf (
      ngettext ("Predicting: %s of %s cell", "Predicting: %s of %s cells", (gulong) n_cells), done,
      all);
  gtk_label_set_label (self->text, text);
}

static gboolean
pulse_cb (CuredRunBar *self)
{
  CuredSweep *sweep =
      self->controller != NULL ? cured_run_controller_get_sweep (self->controller) : NULL;
  CuredProgress progress;

  if (sweep != NULL && cured_sweep_is_active (sweep) && !cured_sweep_is_cancelled (sweep) &&
      !cured_sweep_get_progress (sweep, &progress))
    show_opening (self, sweep);
  gtk_progress_bar_pulse (self->bar);
  return G_SOURCE_CONTINUE;
}

static void
set_pulsing (CuredRunBar *self, gboolean is_pulsing)
{
  if (is_pulsing == (self->pulse_id != 0))
    return;
  if (is_pulsing)
    self->pulse_id = g_timeout_add (120, G_SOURCE_FUNC (pulse_cb), self);
  else
    g_clear_handle_id (&self->pulse_id, g_source_remove);
}

/* Announces progress to screen readers, once every tenth of the sweep: once every cell would be
 * incessant. */
static void
speak (CuredRunBar *self, const CuredProgress *progress)
{
  g_autofree char *done = cured_format_count (progress->n_done);
  g_autofree char *all = cured_format_count (progress->n_cells);
  int tenths = progress->n_cells > 0 ? (int) (progress->n_done * 10 / progress->n_cells) : 0;

  if (tenths == self->spoken)
    return;
  self->spoken = tenths;
  /* Translators: how many cells of a sweep are done, and of how many. */
  g_autofree char *text = g_strdup_printf (
      ngettext ("%s of %s cell", "%s of %s cells", (gulong) progress->n_cells), done, all);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  text, -1);
}

static void
show_text (CuredRunBar *self, const char *text)
{
  gtk_label_set_label (self->text, text);
}

static void
show_fastest (CuredRunBar *self, const CuredProgress *progress)
{
  gboolean is_known = progress != NULL && !isnan (progress->best_ns);

  if (is_known)
    {
      g_autofree char *best = cured_format_quantity (progress->best_ns, "ns");
      /* Translators: the least time that a sweep has found so far. */
      g_autofree char *text = g_strdup_printf (_ ("best %s"), best);

      gtk_button_set_label (self->fastest, text);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->fastest), is_known);
}

/* The round and remarks on the clock, failures, and the remaining time. */
static void
show_rest (CuredRunBar *self, const CuredProgress *progress, gboolean has_eta)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *failures = progress != NULL ? cured_text_failures (progress->n_states) : NULL;
  g_autofree char *course = progress != NULL ? cured_progress_describe (progress) : NULL;

  if (course != NULL)
    g_string_append_printf (text, " · %s", course);
  if (failures != NULL)
    g_string_append_printf (text, " · %s", failures);
  if (has_eta && progress->eta_ns >= 0 && progress->n_left > 0)
    {
      g_autofree char *eta = cured_format_seconds ((double) progress->eta_ns / 1e9);

      g_string_append (text, " · ");
      /* Translators: how long a sweep will still take. */
      g_string_append_printf (text, _ ("%s left"), eta);
    }
  gtk_label_set_label (self->rest, text->len > 0 ? text->str : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->rest), failures);
}

static void
show_file (CuredRunBar *self, const char *path)
{
  g_autofree char *shown = g_filename_display_basename (path);
  g_autofree char *full = g_filename_display_name (path);
  /* Translators: a file's path. */
  g_autofree char *tooltip = g_strdup_printf (_ ("%s has each cell as soon as it is done"), full);

  gtk_label_set_label (self->file, shown);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->file), tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->file), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  tooltip, -1);
}

static void
show_buttons (CuredRunBar *self, gboolean is_running, gboolean can_resume, gboolean can_dismiss)
{
  gtk_widget_set_visible (GTK_WIDGET (self->bar), is_running);
  gtk_widget_set_visible (GTK_WIDGET (self->file), is_running || can_dismiss);
  gtk_widget_set_visible (self->pause, is_running);
  gtk_widget_set_visible (self->cancel, is_running);
  gtk_widget_set_visible (self->resume, can_resume);
  gtk_widget_set_visible (self->dismiss, can_dismiss);
}

static char *
describe_cells (const CuredProgress *progress, gboolean is_paused)
{
  g_autofree char *done = cured_format_count (progress->n_done);
  g_autofree char *all = cured_format_count (progress->n_cells);

  if (is_paused)
    /* Translators: how many cells of a sweep are done, and of how many. */
    return g_strdup_printf (ngettext ("Paused at %s of %s cell", "Paused at %s of %s cells",
                                      (gulong) progress->n_cells),
                            done, all);
  /* Translators: how many cells of a sweep are done, and of how many. */
  return g_strdup_printf (ngettext ("%s of %s cell", "%s of %s cells", (gulong) progress->n_cells),
                          done, all);
}

static void
show_sweep (CuredRunBar *self, CuredSweep *sweep)
{
  CuredProgress progress;
  gboolean is_known = cured_sweep_get_progress (sweep, &progress);
  gboolean is_cancelled = cured_sweep_is_cancelled (sweep);
  gboolean is_paused = cured_sweep_is_paused (sweep);

  self->dismissed = NULL;
  if (is_cancelled)
    show_text (self, _ ("Stopping…"));
  else if (!is_known)
    show_opening (self, sweep);
  else
    {
      g_autofree char *text = describe_cells (&progress, is_paused);

      show_text (self, text);
      speak (self, &progress);
    }
  show_fastest (self, is_known ? &progress : NULL);
  show_rest (self, is_known ? &progress : NULL, is_known && !is_paused);
  show_file (self, cured_sweep_get_path (sweep));
  set_pulsing (self, !is_paused && (is_cancelled || !is_known || progress.n_done == 0));
  if (is_known && progress.n_cells > 0 && progress.n_done > 0)
    gtk_progress_bar_set_fraction (self->bar, cured_progress_get_fraction (&progress));
  show_buttons (self, TRUE, FALSE, FALSE);
  gtk_widget_set_visible (self->cancel, !is_cancelled);
  gtk_widget_set_visible (self->pause, !is_cancelled);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

/* Offers to run a result's missing cells. */
static void
show_offer (CuredRunBar *self, CuredResult *result)
{
  gint64 n_missing = cured_result_count_state (result, CURED_STATE_NOT_RUN);
  g_autofree char *missing = cured_format_count (n_missing);
  g_autofree char *all = cured_format_count (cured_result_get_n_cells (result));

  /* Translators: how many cells are missing, and of how many. */
  g_autofree char *text = g_strdup_printf (
      ngettext ("%s of %s cells was not run.", "%s of %s cells were not run.", (gulong) n_missing),
      missing, all);
  show_text (self, text);
  show_fastest (self, NULL);
  show_rest (self, NULL, FALSE);
  show_buttons (self, FALSE, TRUE, FALSE);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

/* The outcome of a sweep. */
static void
show_summary (CuredRunBar *self, CuredSweep *sweep)
{
  CuredProgress progress;

  cured_sweep_get_progress (sweep, &progress);
  g_autofree char *done = cured_format_count (progress.n_done);
  g_autofree char *elapsed = progress.elapsed_ns < NSEC_PER_SEC
                                 ? cured_format_quantity ((double) progress.elapsed_ns, "ns")
                                 : cured_format_seconds ((double) progress.elapsed_ns / 1e9);
  /* Translators: how many cells were run, and in what time. */
  g_autofree char *text = g_strdup_printf (
      ngettext ("%s cell in %s", "%s cells in %s", (gulong) progress.n_done), done, elapsed);
  show_text (self, text);
  show_fastest (self, &progress);
  show_rest (self, &progress, FALSE);
  show_file (self, cured_sweep_get_path (sweep));
  show_buttons (self, FALSE, FALSE, TRUE);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

static void
dismiss_cb (CuredRunBar *self)
{
  gtk_revealer_set_reveal_child (self->revealer, FALSE);
  self->dismissed = self->shown;
}

static void
cured_run_bar_class_init (CuredRunBarClass *klass)
{
  cured_template_set (klass, "cured-run-bar");
  CURED_CALLBACKS (dismiss_cb);
  CURED_BIND (CuredRunBar, revealer, text, bar, cancel, dismiss, pause, file, rest);
  CURED_BIND (CuredRunBar, fastest, resume);
  CURED_OWNS (CuredRunBar, controller);
  CURED_TIMERS (CuredRunBar, pulse_id);
}

static void
cured_run_bar_init (CuredRunBar *self)
{
  self->spoken = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* Shows a running sweep's progress; otherwise an offer to run a result's missing cells, the last
 * sweep's summary, or nothing. */
static void
update (CuredRunBar *self)
{
  CuredRunController *controller = self->controller;
  CuredSweep *sweep = cured_run_controller_get_sweep (controller);
  CuredProgress progress;
  gboolean can_resume;

  g_object_get (controller, "can-resume", &can_resume, NULL);
  if (sweep != self->shown)
    self->spoken = -1;
  self->shown = sweep;
  if (cured_run_controller_is_running (controller))
    {
      show_sweep (self, sweep);
      return;
    }
  set_pulsing (self, FALSE);
  if (can_resume)
    show_offer (self, cured_document_get_result (cured_run_controller_get_document (controller)));
  else if (cured_run_controller_is_shown (controller) && sweep != self->dismissed &&
           cured_sweep_get_progress (sweep, &progress) && progress.n_done > 0)
    show_summary (self, sweep);
  else
    gtk_revealer_set_reveal_child (self->revealer, FALSE);
}

void
cured_run_bar_set_controller (CuredRunBar *self, CuredRunController *controller)
{
  g_return_if_fail (self->controller == NULL);

  self->controller = g_object_ref (controller);
  CURED_CONNECT (controller, "changed", update);
  update (self);
}
