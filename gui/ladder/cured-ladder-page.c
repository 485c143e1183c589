/* SPDX-License-Identifier: MIT
 * The steps of a family, from the textbook to the limit. */
#include <config.h>

#include "ladder/cured-gui-ladder.h"

#include <math.h>

/* Holding Down passes many steps; only the last one is counted. */
#define COUNT_DELAY_MS 200

/* Maximum share of the height for the steps. */
#define STEPS_SHARE 0.64

/* Width of the table of changes, at the default text size. */
#define CHANGES_WIDTH 440
#define USUAL_DPI     (96 * 1024)

/* Relative difference in time between two recordings of one kernel. */
#define SAME_SPEED 0.005

/* Interval of reading a running sweep's step. */
#define RELOAD_DELAY_MS 2000

struct _CuredLadderPage
{
  CuredPage page;

  /* Template widgets */
  GtkStack *stack;
  AdwStatusPage *empty;
  GtkSpinner *spinner;
  GtkDropDown *metric, *problem;
  GtkLabel *facts, *note, *heading;
  GtkPaned *split, *sides;
  GtkWidget *steps, *open;
  CuredPicture *chart;
  GtkCheckButton *whole;
  GtkGrid *changes;
  CuredDiffView *diff;

  /* Owned */
  CuredLadderView *view; /* nullable */
  CuredTask *loading, *counting;
  GHashTable *counts; /* of char * to Found */
  char *family;       /* nullable: shown or being read */
  char *selected;     /* nullable: id of the step to select */

  CuredMetric shown;
  int position; /* of @split, as last set by this page; 0: not yet */
  guint layout_id, count_id, reload_id;
};

/* The counts of two steps. */
typedef struct
{
  CuredLadderCounts *counts; /* nullable */
  char *message;             /* nullable: why there are none */
} Found;

G_DEFINE_FINAL_TYPE (CuredLadderPage, cured_ladder_page, CURED_TYPE_PAGE)

CURED_FREE_FUNC (Found, found_free, counts, cured_ladder_counts_free, message, g_free)

static void
show_empty (CuredLadderPage *self, const char *title, const char *description)
{
  /* The view may be that of another family. */
  g_clear_pointer (&self->view, cured_ladder_view_free);
  cured_page_show_empty (self, NULL, title, description);
}

static const CuredRung *
get_rung (CuredLadderPage *self, int index)
{
  return &g_array_index (self->view->rungs, CuredRung, index);
}

/* The table of what changed. */

static void
layout_cb (CuredLadderPage *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self->split));
  int height = gtk_widget_get_height (GTK_WIDGET (self->split));
  int natural = 0, dpi = 0;

  /* Keep a position that the user set. */
  if (height <= 1 ||
      (self->position != 0 && gtk_paned_get_position (self->split) != self->position))
    return;
  gtk_widget_measure (self->steps, GTK_ORIENTATION_VERTICAL, width, NULL, &natural, NULL, NULL);
  if (self->position == 0)
    {
      g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-xft-dpi", &dpi, NULL);
      gtk_paned_set_position (self->sides,
                              CLAMP (width * 9 / 20, CHANGES_WIDTH,
                                     MAX (CHANGES_WIDTH, CHANGES_WIDTH * dpi / USUAL_DPI)));
    }
  gtk_paned_set_position (self->split, MIN (natural, (int) (height * STEPS_SHARE)));
  self->position = gtk_paned_get_position (self->split);
}

/* Schedules a layout that shows all steps if there is room. */
static void
layout_soon (CuredLadderPage *self)
{
  if (self->layout_id == 0)
    CURED_LATER (layout_id, 0, layout_cb);
}

static GtkWidget *
add_cell (CuredLadderPage *self, const char *text, const char *tooltip, int column, int row,
          int width)
{
  gboolean is_name = column == 0;
  /* A figure's name can wrap, but not the figure. Tab skips figures; the pointer can still select
   * them. */
  GtkWidget *label = cured_widget_new (GTK_TYPE_LABEL, is_name ? NULL : "numeric", "label", text,
                                       "tooltip-text", tooltip, "xalign", is_name ? 0.0 : 1.0,
                                       "wrap", is_name, "selectable", !is_name, NULL);

  gtk_widget_set_focusable (label, FALSE);
  gtk_grid_attach (self->changes, label, column, row, width, 1);
  return label;
}

static int
add_heading (CuredLadderPage *self, const char *text, int row)
{
  GtkWidget *label = add_cell (self, text, NULL, 0, row, 4);

  gtk_widget_add_css_class (label, "caption-heading");
  gtk_widget_set_margin_top (label, row > 0 ? 9 : 0);
  return row + 1;
}

static int
add_text (CuredLadderPage *self, const char *text, int row)
{
  GtkWidget *label = add_cell (self, text, NULL, 0, row, 4);

  gtk_label_set_max_width_chars (GTK_LABEL (label), 40);
  gtk_widget_add_css_class (label, "dim-label");
  return row + 1;
}

static char *
format_value (double value, const char *unit)
{
  return isnan (value) ? g_strdup ("—") : cured_format_quantity (value, unit);
}

/* Adds a figure before and after, and their ratio. */
static int
add_change (CuredLadderPage *self, CuredMetric metric, double before, double after,
            gboolean has_before, int row)
{
  const CuredMetricInfo *info = cured_metric_info (metric);
  g_autofree char *tooltip = cured_text_metric_tooltip (info);
  g_autofree char *before_text = format_value (before, info->unit);
  g_autofree char *after_text = format_value (after, info->unit);
  g_autofree char *ratio_text = NULL;
  g_autofree char *ratio_tooltip = NULL;
  GtkWidget *label;
  double ratio = after / before;

  if (isnan (before) && isnan (after))
    return row;
  add_cell (self, _ (info->title), tooltip, 0, row, 1);
  if (has_before)
    add_cell (self, before_text, tooltip, 1, row, 1);
  add_cell (self, after_text, tooltip, 2, row, 1);
  if (has_before && isfinite (ratio))
    {
      /* A count of the whole run is not judged: it is for a small problem. */
      gboolean is_verdict = cured_metric_get_scope (info) != CURED_SCOPE_NONE;
      gboolean is_better =
          is_verdict && ((info->better == CURED_BETTER_LOWER && ratio < 1 / 1.005) ||
                         (info->better == CURED_BETTER_HIGHER && ratio > 1.005));
      gboolean is_worse =
          is_verdict && ((info->better == CURED_BETTER_LOWER && ratio > 1.005) ||
                         (info->better == CURED_BETTER_HIGHER && ratio < 1 / 1.005));

      ratio_text = cured_format_multiple (ratio, 3);
      ratio_tooltip = g_strdup_printf (
          "%s\n%s", tooltip, _ ("The value of this step divided by that of the step before."));
      label = add_cell (self, ratio_text, ratio_tooltip, 3, row, 1);
      if (!is_verdict)
        gtk_widget_add_css_class (label, "dim-label");
      else if (is_better)
        gtk_widget_add_css_class (label, "success");
      else if (is_worse)
        gtk_widget_add_css_class (label, "warning");
    }
  return row + 1;
}

/* The key of two steps' counts. It includes the sources: the user's own kernels may be edited. */
static char *
make_key (const CuredRung *before, const CuredRung *after)
{
  CuredKernel *first = before->step->kernel;
  CuredKernel *second = after->step->kernel;

  return g_strdup_printf ("%s %u %s %s %u %s", first->id, g_str_hash (first->source),
                          before->cell != NULL ? before->cell->where : "", second->id,
                          g_str_hash (second->source),
                          after->cell != NULL ? after->cell->where : "");
}

static int
add_counts (CuredLadderPage *self, const CuredRung *before, const CuredRung *after, int row)
{
  g_autofree char *key = make_key (before, after);
  const Found *found = g_hash_table_lookup (self->counts, key);
  gsize n_metrics;

  if (found == NULL)
    return add_text (self, _ ("Counting on the emulator…"), row);
  if (found->counts == NULL)
    return add_text (self, found->message, row);
  g_autofree char *problem = cured_text_grouped (found->counts->problem);
  /* Translators: a problem's size, as "n=512". */
  g_autofree char *heading = g_strdup_printf (_ ("Counted on the emulator, %s"), problem);
  row = add_heading (self, heading, row);
  const CuredMetric *metrics = cured_ladder_counted_metrics (&n_metrics);
  for (gsize i = 0; i < n_metrics; i++)
    row = add_change (self, metrics[i], found->counts->before[metrics[i]],
                      found->counts->after[metrics[i]], TRUE, row);
  if (after->cell != NULL &&
      !g_str_equal (found->counts->problem, self->view->ladder->problems[after->cell->problem]))
    row = add_text (self,
                    _ ("Counted for a smaller problem than the times: where a grid has a fixed "
                       "size, its totals are no measure of the work."),
                    row);
  return row;
}

static char *
describe_cell (CuredLadderPage *self, const CuredRung *rung)
{
  if (rung->cell == NULL)
    return g_strdup (_ ("not recorded"));
  const char *problem = self->view->ladder->problems[rung->cell->problem];
  g_autofree char *text =
      g_strdup_printf ("%s%s%s", rung->cell->where, *problem != '\0' ? " " : "", problem);
  return cured_text_grouped (text);
}

/* Whether the difference is within that of repeated recordings. */
static gboolean
is_as_fast (double factor)
{
  return fabs (factor - 1) < SAME_SPEED;
}

static void
update_changes (CuredLadderPage *self)
{
  int index = (int) cured_picture_get_item (self->chart);
  g_autofree char *where_before = NULL;
  g_autofree char *text = NULL;
  gsize n_metrics;
  int row = 0;

  cured_widget_empty (self->changes);
  if (self->view == NULL || index < 0)
    return;
  const CuredRung *after = get_rung (self, index);
  const CuredRung *before = cured_ladder_view_get_before (self->view, (guint) index);
  g_autofree char *where = describe_cell (self, after);
  if (before == NULL)
    row = add_heading (self, _ ("Recorded"), row);
  else
    {
      add_heading (self, _ ("Recorded"), row);
      add_cell (self, _ ("Before"), NULL, 1, row, 1);
      add_cell (self, _ ("This Step"), NULL, 2, row, 1);
      row++;
    }
  const CuredMetric *metrics = cured_ladder_recorded_metrics (&n_metrics);
  for (gsize i = 0; i < n_metrics; i++)
    {
      CuredMetric metric = metrics[i];
      double old = before == NULL                ? CURED_MISSING
                   : metric == CURED_METRIC_time ? before->time
                   : before->cell != NULL        ? before->cell->metrics[metric]
                                                 : CURED_MISSING;
      double new = metric == CURED_METRIC_time ? after->time
                   : after->cell != NULL       ? after->cell->metrics[metric]
                                               : CURED_MISSING;

      row = add_change (self, metric, old, new, before != NULL, row);
    }
  if (before != NULL)
    {
      where_before = describe_cell (self, before);
      /* Translators: parameters of two cells. */
      text = g_strdup_printf (_ ("Before: %s. This step: %s."), where_before, where);
    }
  else
    /* Translators: parameters of a cell. */
    text = g_strdup_printf (_ ("This step: %s."), where);
  row = add_text (self, text, row);
  if ((before != NULL && before->is_scaled) || after->is_scaled)
    row = add_text (self,
                    _ ("Not both were recorded at the chosen size with the same work: times are "
                       "scaled by the rates, other metrics are as recorded."),
                    row);
  if (before != NULL)
    add_counts (self, before, after, row);
}

/* Counting. */

typedef struct
{
  CuredLadderView *view;
  guint index;
  char *key;
} Counting;

CURED_FREE_FUNC (Counting, counting_free, view, cured_ladder_view_free, key, g_free)

static void
count_work (CuredTask *task)
{
  const Counting *counting = task->input;

  task->output =
      cured_ladder_count (cured_ladder_view_get_before (counting->view, counting->index),
                          &g_array_index (counting->view->rungs, CuredRung, counting->index),
                          task->cancellable, &task->error);
}

static void
counted_cb (CuredLadderPage *self, CuredTask *task)
{
  Found *found = g_new0 (Found, 1);

  found->counts = g_steal_pointer (&task->output);
  if (found->counts == NULL)
    found->message = g_strdup (task->error->message);
  g_hash_table_replace (self->counts, g_strdup (((const Counting *) task->input)->key), found);
  update_changes (self);
}

static const CuredTaskKind count_task =
    CURED_TASK_KIND (count_work, counted_cb, counting_free, cured_ladder_counts_free);

static void
cancel_counting (CuredLadderPage *self)
{
  g_clear_handle_id (&self->count_id, g_source_remove);
  cured_task_cancel (&self->counting);
}

static void
count_cb (CuredLadderPage *self)
{
  int index = (int) cured_picture_get_item (self->chart);
  Counting *counting = g_new0 (Counting, 1);

  counting->view = cured_ladder_view_new (self->view->ladder, self->view->problem);
  counting->index = (guint) index;
  counting->key =
      make_key (cured_ladder_view_get_before (self->view, (guint) index), get_rung (self, index));
  cured_task_start (&self->counting, self, &count_task, counting);
}

static void
start_counting (CuredLadderPage *self)
{
  int index = (int) cured_picture_get_item (self->chart);

  cancel_counting (self);
  if (self->view == NULL || index <= 0 || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  g_autofree char *key =
      make_key (cured_ladder_view_get_before (self->view, (guint) index), get_rung (self, index));
  if (!g_hash_table_contains (self->counts, key))
    CURED_LATER (count_id, COUNT_DELAY_MS, count_cb);
}

/* The source. */

/* The code between the header comments. */
static char *
take_code (const CuredKernel *kernel)
{
  const char *header = strstr (kernel->source, "/*! cured");
  const char *code = strstr (header, "*/") + 2;
  const char *closing = strstr (code, "\n/*! cured");

  code += strspn (code, "\n");
  char *text = closing != NULL ? g_strndup (code, (gsize) (closing - code)) : g_strdup (code);
  return text;
}

static void
update_diff (CuredLadderPage *self)
{
  int index = (int) cured_picture_get_item (self->chart);
  gboolean is_whole = gtk_check_button_get_active (self->whole);
  g_autofree char *old = NULL;

  if (self->view == NULL || index < 0)
    {
      cured_diff_view_clear (self->diff);
      return;
    }
  const CuredKernel *kernel = get_rung (self, index)->step->kernel;
  const CuredRung *before = cured_ladder_view_get_before (self->view, (guint) index);
  g_autofree char *source = is_whole ? g_strdup (kernel->source) : take_code (kernel);
  if (before != NULL)
    old = is_whole ? g_strdup (before->step->kernel->source) : take_code (before->step->kernel);
  g_autoptr (GString) text = g_string_new (cured_kernel_translate (kernel->summary));
  g_autofree char *prose = cured_ladder_get_prose (kernel);
  if (prose != NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n\n" : "", prose);
  cured_diff_view_show (self->diff, text->len > 0 ? text->str : NULL,
                        before != NULL ? before->step->kernel->id : "", old, kernel->id, source);
}

static void
selection_changed_cb (CuredLadderPage *self)
{
  int index = (int) cured_picture_get_item (self->chart);
  g_autofree char *heading = NULL;

  gtk_widget_set_sensitive (self->open, index >= 0);
  if (self->view == NULL || index < 0)
    return;
  const CuredRung *rung = get_rung (self, index);
  const CuredRung *before = cured_ladder_view_get_before (self->view, (guint) index);
  double factor = cured_ladder_view_get_factor (self->view, (guint) index, FALSE);
  cured_set_string (&self->selected, rung->step->kernel->id);
  const char *title = cured_kernel_translate (rung->step->kernel->title);
  if (before == NULL)
    /* Translators: the title of a kernel. */
    heading = g_strdup_printf (_ ("%s, the first step"), title);
  else if (is_as_fast (factor))
    /* Translators: the titles of two kernels that take the same time. */
    heading = g_strdup_printf (_ ("%s: as fast as “%s”"), title,
                               cured_kernel_translate (before->step->kernel->title));
  else if (isfinite (factor))
    /* Translators: the title of a kernel, how many times as fast it is as the step before, and that
     * step's title. */
    heading = g_strdup_printf (_ ("%s: %.2f times as fast as “%s”"), title, factor,
                               cured_kernel_translate (before->step->kernel->title));
  else
    /* Translators: the titles of two kernels. */
    heading = g_strdup_printf (_ ("%s, after “%s”"), title,
                               cured_kernel_translate (before->step->kernel->title));
  cured_widget_say (self->heading, heading);
  update_changes (self);
  update_diff (self);
  start_counting (self);
}

static void
open_cb (CuredLadderPage *self)
{
  int index = (int) cured_picture_get_item (self->chart);

  if (self->view == NULL || index < 0)
    return;
  gtk_widget_activate_action (GTK_WIDGET (self), "win.open-kernel", "s",
                              (get_rung (self, index)->step->kernel)->id);
}

/* The bars. */

static char *
describe_rung (CuredLadderPage *self, guint index)
{
  const CuredRung *rung = get_rung (self, (int) index);
  double factor = cured_ladder_view_get_factor (self->view, index, FALSE);
  /* The bar may ellipsize its title. */
  g_autoptr (GString) text = g_string_new (cured_kernel_translate (rung->step->kernel->title));
  const char *summary = cured_kernel_translate (rung->step->kernel->summary);
  g_autofree char *where = describe_cell (self, rung);

  g_string_append_printf (text, "\n%s", rung->step->kernel->id);
  if (summary != NULL)
    g_string_append_printf (text, "\n%s", summary);
  g_string_append_printf (text, "\n%s", where);
  if (!isnan (rung->time))
    {
      g_autofree char *time = cured_format_quantity (rung->time, "ns");

      g_string_append_c (text, '\n');
      if (rung->is_scaled)
        /* Translators: a time that was not measured. */
        g_string_append_printf (
            text, _ ("About %s, from the rate at another size or with other work"), time);
      else
        /* Translators: a time. */
        g_string_append_printf (text, _ ("%s, measured"), time);
    }
  if (isfinite (factor))
    {
      g_string_append_c (text, '\n');
      if (is_as_fast (factor))
        g_string_append (text, _ ("As fast as the step before"));
      else
        /* Translators: how many times as fast. */
        g_string_append_printf (text, _ ("%.2f times as fast as the step before"), factor);
    }
  if (!isnan (rung->of_limit))
    {
      g_autofree char *share = cured_format_quantity (rung->of_limit, "ratio");

      g_string_append_c (text, '\n');
      /* Translators: a percentage. */
      g_string_append_printf (text, _ ("%s of the limit that was measured with it"), share);
      if (cured_explain_is_at_limit (rung->of_limit))
        /* Translators: ends “100.6 % of the limit that was measured with it”. */
        g_string_append (text, _ (": at the measured limit"));
    }
  if (!isnan (rung->standard_time))
    {
      g_autofree char *time = cured_format_quantity (rung->standard_time, "ns");

      g_string_append_c (text, '\n');
      /* Translators: a time; the bar has a tick there. */
      g_string_append_printf (text, _ ("%s at the kernel's defaults (the tick)"), time);
    }
  if (rung->step->is_own)
    g_string_append_printf (text, "\n%s", rung->step->path);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
update_note (CuredLadderPage *self)
{
  const CuredLadder *ladder = self->view->ladder;
  guint n_missing = self->view->rungs->len - self->view->n_recorded - ladder->n_foreign;
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->view->n_scaled > 0)
    g_string_append_printf (text,
                            ngettext ("%u hatched step was recorded at another size or with other "
                                      "work; its time is scaled from its rate. ",
                                      "%u hatched steps were recorded at another size or with "
                                      "other work; their times are scaled from their rates. ",
                                      self->view->n_scaled),
                            self->view->n_scaled);
  if (n_missing > 0)
    g_string_append_printf (
        text, ngettext ("%u step was not recorded. ", "%u steps were not recorded. ", n_missing),
        n_missing);
  if (ladder->n_foreign > 0)
    g_string_append_printf (text,
                            ngettext ("%u step was recorded only on another device. ",
                                      "%u steps were recorded only on another device. ",
                                      ladder->n_foreign),
                            ladder->n_foreign);
  gtk_label_set_label (self->note, text->str);
  gtk_widget_set_visible (GTK_WIDGET (self->note), text->len > 0);
}

static void
update_bars (CuredLadderPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  const char *current = kernel != NULL ? kernel->id : NULL;
  g_autoptr (GStrvBuilder) tooltips = g_strv_builder_new ();
  int selected = -1;

  for (guint i = 0; i < self->view->rungs->len; i++)
    {
      const char *id = (get_rung (self, (int) i)->step->kernel)->id;
      g_autofree char *tooltip = describe_rung (self, i);

      g_strv_builder_add (tooltips, tooltip);
      if (g_strcmp0 (id, self->selected) == 0 || (selected < 0 && g_strcmp0 (id, current) == 0))
        selected = (int) i;
    }
  cured_picture_set_chart (self->chart,
                           &cured_bars_new_for_ladder (self->view, self->shown, current)->chart,
                           MAX (selected, 0));
  cured_picture_set_tooltips (self->chart, g_strv_builder_end (tooltips));
  layout_soon (self);
  update_note (self);
  selection_changed_cb (self);
}

/* The drop-downs. */

static gboolean
has_figures (CuredLadderPage *self, CuredMetric metric)
{
  for (guint i = 0; i < self->view->rungs->len; i++)
    {
      const CuredRung *rung = get_rung (self, (int) i);

      if (rung->cell != NULL && !isnan (rung->cell->metrics[metric]))
        return TRUE;
    }
  return FALSE;
}

static void
fill_metric (CuredLadderPage *self)
{
  static const CuredMetric metrics[] = {
    CURED_METRIC_time,       CURED_METRIC_bandwidth, CURED_METRIC_flop_rate,
    CURED_METRIC_of_ceiling, CURED_METRIC_cycles,
  };
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  g_autofree char *wanted = cured_settings_get_string ("ladder-metric");

  self->shown = CURED_METRIC_time;
  for (gsize i = 0; i < G_N_ELEMENTS (metrics); i++)
    {
      const CuredMetricInfo *info = cured_metric_info (metrics[i]);
      g_autofree char *title = cured_text_metric (info);
      g_autofree char *tooltip = cured_text_metric_tooltip (info);

      if (!has_figures (self, metrics[i]))
        continue;
      if (g_strcmp0 (wanted, info->id) == 0)
        self->shown = metrics[i];
      cured_choice_add (store, metrics[i], title, cured_text_origin (info->origin), tooltip);
    }
  cured_choice_fill (self->metric, store, self->shown);
}

static void
fill_problem (CuredLadderPage *self)
{
  const CuredLadder *ladder = self->view->ladder;
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);

  for (gsize i = 0; ladder->problems[i] != NULL; i++)
    {
      g_autofree char *name =
          cured_text_grouped (*ladder->problems[i] != '\0' ? ladder->problems[i] : _ ("one size"));
      guint n = ladder->n_steps[i];

      g_autofree char *detail = g_strdup_printf (ngettext ("%u step", "%u steps", n), n);
      /* Translators: a problem's size. */
      g_autofree char *tooltip =
          g_strdup_printf (_ ("Steps are compared at %s, the others by their rates"), name);
      cured_choice_add (store, i, name, detail, tooltip);
    }
  cured_choice_fill (self->problem, store, self->view->problem);
  gtk_widget_set_sensitive (GTK_WIDGET (self->problem),
                            g_list_model_get_n_items (G_LIST_MODEL (store)) > 1);
}

static void
metric_changed_cb (CuredLadderPage *self)
{
  gsize metric;

  if (self->view == NULL || !cured_choice_get_selected (self->metric, &metric) ||
      metric == self->shown)
    return;
  self->shown = (CuredMetric) metric;
  cured_settings_set_string ("ladder-metric", cured_metric_info (self->shown)->id);
  update_bars (self);
}

static void
problem_changed_cb (CuredLadderPage *self)
{
  CuredLadderView *view;
  gsize problem;

  if (self->view == NULL || !cured_choice_get_selected (self->problem, &problem) ||
      problem == self->view->problem)
    return;
  view = cured_ladder_view_new (self->view->ladder, problem);
  cured_ladder_view_free (self->view);
  self->view = view;
  update_bars (self);
}

/* Loading. */

typedef struct
{
  char *family;
  char *folder; /* nullable */
  GStrv own;
} Loading;

CURED_FREE_FUNC (Loading, loading_free, family, g_free, folder, g_free, own, g_strfreev)

static void
load_work (CuredTask *task)
{
  Loading *loading = task->input;

  /* The user's own results suffice for a ladder. */
  if (loading->folder != NULL && !g_file_test (loading->folder, G_FILE_TEST_IS_DIR))
    g_clear_pointer (&loading->folder, g_free);
  task->output =
      cured_ladder_new (loading->family, loading->folder, (const char *const *) loading->own,
                        task->cancellable, &task->error);
}

static void
show_ladder (CuredLadderPage *self, CuredLadder *ladder)
{
  g_autofree char *old = NULL;
  gsize problem = 0;

  /* Keep the problem size if it still exists. */
  if (self->view != NULL && self->view->ladder->problems[0] != NULL)
    old = g_strdup (self->view->ladder->problems[self->view->problem]);
  for (gsize i = 0; old != NULL && ladder->problems[i] != NULL; i++)
    if (g_str_equal (old, ladder->problems[i]))
      problem = i;
  /* The steps to be counted may not exist in the new view. */
  cancel_counting (self);
  g_clear_pointer (&self->view, cured_ladder_view_free);
  self->view = cured_ladder_view_new (ladder, problem);
  if (ladder->steps->len == 1)
    {
      show_empty (self, _ ("A Family of One"),
                  _ ("There is nothing to compare this step with. Kernel files with the same "
                     "Family= are its other steps."));
      return;
    }
  if (self->view->n_recorded == 0)
    {
      show_empty (self, _ ("Nothing Was Recorded"),
                  _ ("There is no result file of a step of this family. Run a sweep of one, and it "
                     "is the first bar."));
      return;
    }
  fill_metric (self);
  fill_problem (self);
  cured_widget_say (self->facts, ladder->device);
  cured_page_show (self, "ladder");
  update_bars (self);
}

static void
loaded_cb (CuredLadderPage *self, CuredTask *task)
{
  if (task->output != NULL)
    show_ladder (self, task->output);
  else
    show_empty (self, _ ("Recordings Can't Be Read"), task->error->message);
}

static const CuredTaskKind load_task =
    CURED_TASK_KIND (load_work, loaded_cb, loading_free, cured_ladder_unref);

static void
cancel_loading (CuredLadderPage *self)
{
  g_clear_handle_id (&self->reload_id, g_source_remove);
  cured_task_cancel (&self->loading);
}

static void
load (CuredLadderPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  CuredResult *result = cured_document_get_result (self->page.document);
  const char *family = kernel != NULL ? kernel->family : NULL;
  const char *own[2] = { NULL, NULL };

  cancel_loading (self);
  cancel_counting (self);
  if (kernel == NULL)
    {
      show_empty (self, _ ("No Kernel"),
                  _ ("Choose a kernel from the list, or open a result that carries one: its family "
                     "is shown here."));
      return;
    }
  if (family == NULL || *family == '\0')
    {
      show_empty (self, _ ("This Kernel Has No Family"),
                  _ ("Family= and Step= in the comment that opens a kernel file make it a step of "
                     "a ladder."));
      return;
    }
  if (g_strcmp0 (family, self->family) != 0)
    {
      cancel_counting (self);
      g_clear_pointer (&self->view, cured_ladder_view_free);
      g_clear_pointer (&self->selected, g_free);
      cured_page_show (self, "loading");
      cured_set_string (&self->family, family);
    }
  if (result != NULL && cured_result_get_path (result) != NULL)
    own[0] = cured_result_get_path (result);
  Loading *loading = g_new0 (Loading, 1);
  loading->family = g_strdup (family);
  loading->folder = cured_recordings_find_folder ();
  loading->own = g_strdupv ((char **) own);
  cured_task_start (&self->loading, self, &load_task, loading);
}

/* A sweep runs. */
static void
cell_changed_cb (CuredLadderPage *self)
{
  if (self->reload_id == 0)
    CURED_LATER (reload_id, RELOAD_DELAY_MS, cured_page_refresh_soon);
}

static void
document_changed_cb (CuredLadderPage *self, CuredDocumentChange what)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);

  if ((what & CURED_DOCUMENT_RESULT) == 0)
    return;
  /* Select the document's new kernel. */
  g_clear_pointer (&self->selected, g_free);
  if (kernel != NULL)
    self->selected = g_strdup (kernel->id);
  cured_page_refresh_soon (self);
}

static void
held_cb (CuredLadderPage *self, gboolean is_held)
{
  if (is_held)
    start_counting (self);
}

static CuredDrawing *
get_drawing (CuredLadderPage *self)
{
  if (self->view == NULL)
    return NULL;
  return cured_drawing_new_ladder (self->view, self->shown);
}

static void
cured_ladder_page_class_init (CuredLadderPageClass *klass)
{
  CURED_NEEDS (PICTURE, DIFF_VIEW);
  cured_template_set (klass, "cured-ladder-page");
  CURED_CALLBACKS (layout_soon, selection_changed_cb, open_cb, update_diff);
  CURED_BIND (CuredLadderPage, stack, empty, spinner, metric, problem, facts, split, steps);
  CURED_BIND (CuredLadderPage, sides, chart, note, heading, whole, open, changes, diff);
  CURED_PAGE_DOES (changed, document_changed_cb);
  CURED_PAGE_DOES (cell_changed, cell_changed_cb);
  CURED_PAGE_DOES (refresh, load);
  CURED_PAGE_DOES (held, held_cb);
  CURED_PAGE_DOES (get_drawing, get_drawing);
  CURED_TIMERS (CuredLadderPage, layout_id, count_id, reload_id);
  CURED_FREES (CuredLadderPage, cured_ladder_view_free, view);
  CURED_FREES (CuredLadderPage, g_hash_table_unref, counts);
  CURED_FREES (CuredLadderPage, g_free, family, selected);
}

static void
cured_ladder_page_init (CuredLadderPage *self)
{
  self->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, found_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  cured_choice_connect (self->metric, G_CALLBACK (metric_changed_cb), self);
  cured_choice_connect (self->problem, G_CALLBACK (problem_changed_cb), self);
}
