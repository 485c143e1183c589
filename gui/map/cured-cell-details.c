/* SPDX-License-Identifier: MIT
 * The details of one cell and of its sweep. */
#include <config.h>

#include "map/cured-gui-map.h"

#include <inttypes.h>
#include <math.h>

/* Characters of a title that are shown in a window of any width. */
#define MAX_CHARACTERS 24

/* Initially visible lines of a failure's message, which may be a page long. */
#define MAX_REASON_LINES 8

/* Visible lines of a note; its tooltip has the rest. */
#define MAX_NOTE_LINES 12

struct _CuredCellDetails
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkLabel *title, *state, *note, *file_note, *reason, *headline, *rounds, *rate;
  GtkWidget *copy, *best, *defect, *headline_section, *main_figures, *show_banks, *samples_section,
      *output_section;
  GtkToggleButton *whole_reason;
  CuredDiagnosisCard *diagnosis;
  CuredWhyCard *why;
  CuredPicture *strip;
  GtkBox *mismatches, *figures, *sweep;
  GtkTextView *output;

  /* Owned */
  CuredResult *result;       /* nullable */
  CuredExplainer *explainer; /* nullable */
  CuredOutcome *outcome;     /* nullable; also while it is being read */
  GCancellable *reading;     /* nullable: no read is pending */

  gsize metric; /* index in @result: the map's */

  /* Borrowed: updated while a sweep runs */
  GtkWidget *state_rows[CURED_N_STATES];
  GtkLabel *state_counts[CURED_N_STATES];

  gint64 cell; /* -1: none */
};

G_DEFINE_FINAL_TYPE (CuredCellDetails, cured_cell_details, ADW_TYPE_BIN)

/* A heading and a list, to be filled with add_row(). */
static GtkWidget *
add_section (GtkBox *box, const char *title)
{
  GtkWidget *section = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *list = cured_widget_new (GTK_TYPE_LIST_BOX, "boxed-list compact", "selection-mode",
                                      GTK_SELECTION_NONE, NULL);

  cured_widget_name (list, title, NULL);
  CURED_APPEND (section, cured_widget_new (GTK_TYPE_LABEL, "heading", "label", title, NULL), list);
  gtk_box_append (box, section);
  return list;
}

/* Returns: the label of the value */
static GtkLabel *
add_row (GtkWidget *list, const char *title, const char *value, const char *tooltip)
{
  g_autofree char *label = g_strdup_printf ("%s: %s", title, value);
  GtkWidget *title_label =
      cured_widget_new (GTK_TYPE_LABEL, "dim-label", "label", title, "yalign", 0.0, NULL);
  GtkWidget *value_label = cured_widget_new (
      GTK_TYPE_LABEL, "numeric", "label", value, "xalign", 1.0, "justify", GTK_JUSTIFY_RIGHT,
      "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, "hexpand", TRUE, NULL);

  cured_widget_cut_long (title_label, MAX_CHARACTERS);
  CURED_APPEND (cured_widget_add_row (list, 12, label, tooltip), title_label, value_label);
  return GTK_LABEL (value_label);
}

/* The main figures, most important first. */

/* NaN if the file lacks the figure. */
static double
get_figure (CuredCellDetails *self, CuredMetric metric)
{
  gsize index;

  return cured_result_find_metric (self->result, cured_metric_info (metric)->id, &index)
             ? cured_result_get_value (self->result, self->cell, index)
             : CURED_MISSING;
}

/* "106.3 µs ± 0.2": half of the interval, to its first significant digit. */
static char *
format_interval (double value, double low, double high, const char *unit)
{
  double half = (high - low) / 2;
  double factor;

  if (!(half > 0))
    return cured_format_quantity (value, unit);
  const char *shown = cured_unit_choose (unit, value, &factor);
  int decimals = (int) CLAMP (ceil (-log10 (half / factor)), 0, 4);
  /* Translators: a figure, its unit and how uncertain it is, as in "106.3 µs ±
   * 0.2". */
  return g_strdup_printf (_ ("%.*f\u00a0%s ± %.*f"), decimals, value / factor, shown, decimals,
                          half / factor);
}

static void
set_figure (GtkLabel *label, const char *text, const char *tooltip)
{
  gtk_label_set_label (label, text != NULL ? text : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (label), tooltip);
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL);
}

static void
show_time (CuredCellDetails *self)
{
  /* Cold or, without it, hot. */
  static const CuredMetric times[][3] = {
    { CURED_METRIC_time, CURED_METRIC_time_low, CURED_METRIC_time_high },
    { CURED_METRIC_time_hot, CURED_METRIC_time_hot_low, CURED_METRIC_time_hot_high },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    {
      const CuredMetricInfo *info = cured_metric_info (times[i][0]);
      double value = get_figure (self, times[i][0]);

      if (isnan (value))
        continue;
      g_autofree char *text = format_interval (value, get_figure (self, times[i][1]),
                                               get_figure (self, times[i][2]), info->unit);
      g_autofree char *tooltip = cured_text_metric_tooltip (info);
      g_autofree char *explained =
          g_strdup_printf ("%s\n%s", tooltip,
                           /* xgettext:no-c-format */
                           _ ("±: half of the 95 % interval of the median; with several "
                              "rounds, of where another process's median is."));
      set_figure (self->headline, text, explained);
      return;
    }
  set_figure (self->headline, NULL, NULL);
}

/* The rounds behind the interval, and the clock's state. */
static void
show_rounds (CuredCellDetails *self)
{
  g_autofree char *text = cured_result_describe_cell_rounds (self->result, self->cell);

  set_figure (self->rounds, text, NULL);
}

static char *
format_share (CuredCellDetails *self, double share)
{
  static const char *const formats[] = {
    /* Translators: a percentage of what the device can do. */
    [CURED_CEILING_NONE] = N_ ("%s of the limit"),
    /* Translators: a percentage of what the device can read a second. */
    [CURED_CEILING_READ] = N_ ("%s of the read limit"),
    /* Translators: a percentage of what the device can copy per second. */
    [CURED_CEILING_COPY] = N_ ("%s of the copy limit"),
    /* Translators: a percentage of the device's arithmetic rate in single precision. */
    [CURED_CEILING_FP32] = N_ ("%s of the FP32 limit"),
  };
  CuredKernel *kernel = cured_result_get_kernel (self->result);
  g_autofree char *percent = cured_format_quantity (share, "ratio");
  g_autoptr (GString) text =
      g_string_new (_ (formats[kernel != NULL ? kernel->ceiling : CURED_CEILING_NONE]));

  g_string_replace (text, "%s", percent, 1);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* The card shows shares of busy time; a share of another limit would differ slightly. */
static gboolean
has_card (CuredCellDetails *self)
{
  return self->explainer != NULL && cured_explainer_get_problem (self->explainer) == NULL;
}

static void
show_rate (CuredCellDetails *self)
{
  double bandwidth = get_figure (self, CURED_METRIC_bandwidth);
  double flops = get_figure (self, CURED_METRIC_flop_rate);
  double share = get_figure (self, CURED_METRIC_of_ceiling);
  CuredKernel *kernel = cured_result_get_kernel (self->result);
  gboolean is_arithmetic = isnan (bandwidth) || (!isnan (flops) && kernel != NULL &&
                                                 kernel->ceiling == CURED_CEILING_FP32);
  CuredMetric metric = is_arithmetic ? CURED_METRIC_flop_rate : CURED_METRIC_bandwidth;
  const CuredMetricInfo *info = cured_metric_info (metric);
  double value = is_arithmetic ? flops : bandwidth;

  if (isnan (value))
    {
      set_figure (self->rate, NULL, NULL);
      return;
    }
  g_autofree char *text = cured_format_quantity (value, info->unit);
  g_autofree char *tooltip = cured_text_metric_tooltip (info);
  if (!isnan (share) && !has_card (self))
    {
      g_autofree char *rate = g_steal_pointer (&text);
      g_autofree char *explained = g_steal_pointer (&tooltip);
      g_autofree char *of_limit = format_share (self, share);
      g_autofree char *more =
          cured_text_metric_tooltip (cured_metric_info (CURED_METRIC_of_ceiling));

      /* Translators: a rate, and how much that is of the device's limit, as in "3.76 TB/s, 88 % of
       * the read limit". */
      text = g_strdup_printf (_ ("%s, %s"), rate, of_limit);
      tooltip = g_strdup_printf ("%s\n\n%s", explained, more);
    }
  set_figure (self->rate, text, tooltip);
}

static void
add_conflicts (CuredCellDetails *self)
{
  double wavefronts = get_figure (self, CURED_METRIC_shared_wavefronts);
  double excess = get_figure (self, CURED_METRIC_excess_wavefronts);

  if (!(wavefronts > 0) || isnan (excess) || !(wavefronts > excess))
    return;
  /* Translators: into how many wavefronts bank conflicts split an access of shared memory on
   * average, as in "2.0 ways". */
  g_autofree char *value = g_strdup_printf (_ ("%.1f ways"), wavefronts / (wavefronts - excess));
  add_row (self->main_figures, _ ("Conflicts"), value,
           _ ("Bank conflicts of shared memory: 1 is conflict-free.\n"
              "Formula: wavefronts ÷ (wavefronts − excess wavefronts)\n"
              "Counted: an exact number."));
}

static void
add_figure (CuredCellDetails *self, CuredMetric metric)
{
  const CuredMetricInfo *info = cured_metric_info (metric);
  double figure = get_figure (self, metric);
  g_autofree char *value = cured_format_quantity (figure, info->unit);
  g_autofree char *tooltip = cured_text_metric_tooltip (info);

  if (!isnan (figure))
    add_row (self->main_figures, _ (info->title), value, tooltip);
}

/* Theoretical occupancy is per multiprocessor; a small grid leaves others empty. */
static void
add_threads (CuredCellDetails *self)
{
  double most;
  double threads = cured_result_count_threads (self->result, self->cell, &most);

  if (isnan (threads) || !(most > 0))
    return;
  g_autofree char *count = cured_format_count ((gint64) threads);
  g_autofree char *share = cured_format_quantity (threads / most, "ratio");
  /* No line break between a number and its unit. */
  g_autoptr (GString) whole = g_string_new (share);
  g_string_replace (whole, " ", "\u00a0", 0);
  /* Translators: a number of threads, and how much of the chip they fill, as in "67,584 · 25 %". */
  g_autofree char *value = g_strdup_printf (_ ("%s · %s"), count, whole->str);
  add_row (self->main_figures, _ ("Threads in flight"), value,
           _ ("Threads that are resident on the whole chip at once, and their share of what it "
              "holds: the occupancy that can be achieved.\n"
              "Formula: min (blocks, blocks per multiprocessor × multiprocessors) × threads per "
              "block"));
}

static void
show_main_figures (CuredCellDetails *self)
{
  double shared = get_figure (self, CURED_METRIC_shared_static);
  double dynamic = get_figure (self, CURED_METRIC_shared_dynamic);
  GtkListBox *list = GTK_LIST_BOX (self->main_figures);

  cured_widget_empty (list);
  add_figure (self, CURED_METRIC_occupancy);
  add_threads (self);
  add_conflicts (self);
  add_figure (self, CURED_METRIC_registers);
  if (!isnan (shared) || !isnan (dynamic))
    {
      double sum = (isnan (shared) ? 0 : shared) + (isnan (dynamic) ? 0 : dynamic);
      g_autofree char *value = cured_format_quantity (sum, "B");

      add_row (self->main_figures, _ ("Shared memory"), value,
               _ ("Shared memory per block.\n"
                  "Formula: static + dynamic shared memory\n"
                  "Counted: an exact number."));
    }
  gtk_widget_set_visible (self->main_figures, gtk_list_box_get_row_at_index (list, 0) != NULL);
}

static void
show_headline (CuredCellDetails *self)
{
  show_time (self);
  show_rounds (self);
  show_rate (self);
  show_main_figures (self);
  gtk_widget_set_visible (self->show_banks, cured_result_get_kernel (self->result) != NULL);
}

static gboolean
is_share (const CuredMetricInfo *metric)
{
  return g_str_equal (metric->id, cured_metric_info (CURED_METRIC_of_ceiling)->id);
}

/* Titles with units. */
static char *
metric_title (CuredCellDetails *self, const CuredMetricInfo *metric)
{
  if (is_share (metric))
    return cured_text_metric_of (self->result, metric);
  return g_strdup (_ (metric->title));
}

static void
show_figures (CuredCellDetails *self)
{
  static const CuredOrigin order[] = { CURED_ORIGIN_MEASURED, CURED_ORIGIN_DERIVED,
                                       CURED_ORIGIN_COUNTED, CURED_ORIGIN_PREDICTED };
  gsize n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (self->result, &n_metrics);

  for (gsize k = 0; k < G_N_ELEMENTS (order); k++)
    {
      GtkWidget *list = NULL;

      for (gsize i = 0; i < n_metrics; i++)
        {
          /* The card shows the cell's limiter and its share. */
          if (metrics[i].origin != order[k] || g_str_has_prefix (metrics[i].id, "limiter") ||
              (has_card (self) && is_share (&metrics[i])) ||
              isnan (cured_result_get_value (self->result, self->cell, i)))
            continue;
          if (list == NULL)
            list = add_section (self->figures, cured_text_origin (order[k]));
          g_autofree char *figure = cured_result_format_value (self->result, self->cell, i);
          g_autofree char *tooltip = cured_text_metric_tooltip (&metrics[i]);
          g_autofree char *title = metric_title (self, &metrics[i]);
          add_row (list, title, figure, tooltip);
        }
    }
}

static void
show_mismatches (CuredCellDetails *self)
{
  GPtrArray *mismatches = self->outcome != NULL ? self->outcome->mismatches : NULL;
  gboolean is_wrong = mismatches != NULL && mismatches->len > 0;

  cured_widget_empty (self->mismatches);
  gtk_widget_set_visible (GTK_WIDGET (self->mismatches), is_wrong);
  if (!is_wrong)
    return;
  g_autofree char *count = cured_format_count ((gint64) self->outcome->n_mismatches);
  /* Translators: how many elements of an array are not what they should be. */
  g_autofree char *title = g_strdup_printf (
      ngettext ("%s wrong element", "%s wrong elements", self->outcome->n_mismatches), count);
  GtkWidget *list = add_section (self->mismatches, title);
  for (guint i = 0; i < mismatches->len; i++)
    {
      const CuredMismatch *mismatch = g_ptr_array_index (mismatches, i);
      g_autofree char *where =
          g_strdup_printf ("%s[%" PRId64 "]", mismatch->buffer, mismatch->index);
      /* Translators: what an array holds, and what it should hold. */
      g_autofree char *what =
          g_strdup_printf (_ ("%s, expected %s"), mismatch->got, mismatch->expected);

      add_row (list, where, what, NULL);
    }
}

static void
add_text_row (GtkWidget *list, const char *title, const char *value)
{
  if (value != NULL && *value != '\0')
    add_row (list, title, value, NULL);
}

/* The number of devices, if several, and their notes. */
static void
show_notes (CuredCellDetails *self, GtkWidget *list)
{
  gsize n_devices, n_notes;
  const CuredDeviceNote *notes = cured_result_get_notes (self->result, &n_notes);

  cured_result_get_devices (self->result, &n_devices);
  if (n_devices > 1)
    {
      g_autofree char *count = cured_format_count ((gint64) n_devices);

      add_text_row (list, _ ("Devices"), count);
    }
  for (gsize i = 0; i < n_notes; i++)
    {
      g_autofree char *line = cured_result_describe_note (self->result, &notes[i]);

      add_text_row (list, _ ("Note"), line);
    }
}

/* A bar for each parameter: its influence on the map's metric. */
static void
show_importance (CuredCellDetails *self)
{
  const CuredResultAxis *axes = cured_result_get_axes (self->result, NULL);
  g_autoptr (CuredImportance) importance = cured_importance_new (self->result, self->metric);
  g_autoptr (GtkSizeGroup) titles = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  g_autoptr (GtkSizeGroup) values = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);

  if (importance == NULL || importance->n_parameters < 2)
    return;
  GtkWidget *list = add_section (self->sweep, _ ("Which parameter matters"));
  gtk_widget_set_margin_bottom (list, 12);
  for (gsize i = 0; i <= importance->n_parameters; i++)
    {
      gboolean is_rest = i == importance->n_parameters;
      double share = is_rest ? importance->together : importance->parameters[i].share;
      g_autofree char *value = cured_format_quantity (share, "ratio");

      cured_share_row_add (GTK_LIST_BOX (list),
                           is_rest ? _ ("combinations") : axes[importance->parameters[i].axis].name,
                           share, value, i == 0,
                           is_rest
                               ? _ ("Share of the variance that no parameter explains by itself")
                               : _ ("Share of the variance over all cells that the parameter "
                                    "explains by itself"),
                           titles, values);
    }
}

/* The data of the whole sweep. */
static void
show_sweep (CuredCellDetails *self)
{
  gsize n_axes;
  g_autofree char *date = NULL;

  cured_widget_empty (self->sweep);
  if (self->result == NULL)
    return;
  show_importance (self);
  const CuredDeviceInfo *device = cured_result_get_device (self->result);
  const CuredResultAxis *axes = cured_result_get_axes (self->result, &n_axes);
  GDateTime *created = cured_result_get_created (self->result);
  GtkWidget *list = add_section (self->sweep, _ ("This sweep"));
  add_text_row (list, _ ("Kernel"), cured_result_get_kernel_id (self->result));
  add_text_row (list, _ ("Device"), device->name);
  add_text_row (list, _ ("Driver"), device->driver);
  add_text_row (list, _ ("Runtime"), device->runtime);
  add_text_row (list, _ ("Compiler"), device->compiler);
  add_text_row (list, _ ("Host"), device->host);
  show_notes (self, list);
  if (created != NULL)
    {
      date = cured_format_date (created);
      add_text_row (list, _ ("Started"), date);
    }
  for (gsize i = 0; i < n_axes; i++)
    {
      g_autofree char *list_text = cured_axis_to_string (axes[i].values);
      g_auto (GStrv) parts = g_strsplit (list_text, ",", -1);
      /* Permits line breaks between numbers. */
      g_autofree char *values = g_strjoinv (", ", parts);

      add_row (list, axes[i].name, values, cured_kernel_translate (axes[i].summary));
    }
  g_autofree char *count = cured_format_count (cured_result_get_n_cells (self->result));
  add_text_row (list, _ ("Cells"), count);
  for (int state = 0; state < CURED_N_STATES; state++)
    {
      g_autofree char *title = g_strdup_printf (
          /* Translators: how many cells are in a state, as “timed out”. */
          _ ("Cells: %s"), cured_state_get_title ((CuredState) state));
      GtkLabel *label = add_row (list, title, "", NULL);

      self->state_counts[state] = label;
      self->state_rows[state] = gtk_widget_get_ancestor (GTK_WIDGET (label), GTK_TYPE_LIST_BOX_ROW);
    }
  cured_cell_details_update_counts (self);
}

static void
show_state (CuredCellDetails *self)
{
  static const char *const classes[CURED_N_STATES] = {
    [CURED_STATE_NOT_RUN] = "neutral",
    [CURED_STATE_OK] = "success",
    [CURED_STATE_WRONG] = "error",
    [CURED_STATE_FAILED] = "error",
    [CURED_STATE_CRASHED] = "error",
    [CURED_STATE_TIMED_OUT] = "warning",
    [CURED_STATE_NOT_LAUNCHABLE] = "neutral",
  };
  CuredState state = cured_result_get_state (self->result, self->cell);
  CuredKernel *kernel = cured_result_get_kernel (self->result);
  double findings = get_figure (self, CURED_METRIC_findings);
  gboolean has_findings = state == CURED_STATE_OK && findings > 0;
  g_autofree char *found =
      has_findings ? g_strdup_printf (ngettext ("%.0f finding", "%.0f findings", (gulong) findings),
                                      findings)
                   : NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    gtk_widget_remove_css_class (GTK_WIDGET (self->state), classes[i]);
  gtk_widget_add_css_class (GTK_WIDGET (self->state), has_findings ? "warning" : classes[state]);
  gtk_label_set_label (self->state,
                       has_findings              ? found
                       : state != CURED_STATE_OK ? cured_state_get_title (state)
                       : kernel != NULL && kernel->reference != NULL
                           /* Translators: the output of a cell was checked, and is right. */
                           ? C_ ("cell", "Correct")
                           /* Translators: a cell ran to its end; nothing checks its output. */
                           : C_ ("cell", "Ran"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->state),
                               has_findings ? _ ("The output is right, but the emulator found a "
                                                 "race, a stray access or the like; the source "
                                                 "has it")
                                            : NULL);
}

static gboolean
has_samples (const CuredOutcome *outcome)
{
  return outcome != NULL && (outcome->cold != NULL || outcome->hot != NULL);
}

/* The first lines of why there are no figures, or all on request. */
static void
show_reason (CuredCellDetails *self)
{
  gboolean is_shown = self->result != NULL && self->cell >= 0;
  const char *reason = self->outcome != NULL ? self->outcome->reason : NULL;
  g_autofree char *lines = NULL;

  if (!is_shown)
    reason = _ ("Click a cell, or press Enter on the one under the cursor.");
  if (reason != NULL)
    lines = cured_text_first_lines (reason, MAX_REASON_LINES);
  gtk_label_set_label (self->reason, reason == NULL                                      ? ""
                                     : gtk_toggle_button_get_active (self->whole_reason) ? reason
                                                                                         : lines);
  gtk_widget_set_visible (GTK_WIDGET (self->reason), reason != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->whole_reason),
                          reason != NULL && !g_str_equal (reason, lines));
}

/* Shows details read from the file, which arrive later than the figures. */
static void
show_outcome (CuredCellDetails *self)
{
  const char *output = self->outcome != NULL ? self->outcome->output : NULL;

  show_mismatches (self);
  show_reason (self);
  /* While the next cell's samples are read, their section keeps its size, so that the figures below
   * do not move. */
  if (self->reading == NULL)
    gtk_widget_set_visible (self->samples_section, has_samples (self->outcome));
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->output), output != NULL ? output : "",
                            -1);
  gtk_widget_set_visible (self->output_section, output != NULL && *output != '\0');
}

/* Shows the figures, which are in memory. */
static void
show (CuredCellDetails *self)
{
  gboolean is_shown = self->result != NULL && self->cell >= 0;
  CuredKernel *kernel = is_shown ? cured_result_get_kernel (self->result) : NULL;

  cured_widget_empty (self->figures);
  gtk_widget_set_visible (self->copy, is_shown);
  gtk_widget_set_visible (GTK_WIDGET (self->state), is_shown);
  gtk_widget_set_visible (self->defect, kernel != NULL && kernel->defect != NULL);

  if (is_shown)
    {
      g_autofree char *values = cured_text_values (self->result, self->cell, FALSE);

      gtk_label_set_label (self->title, values);
      show_state (self);
      show_headline (self);
      show_figures (self);
    }
  else
    gtk_label_set_label (self->title, _ ("No cell is selected"));

  gtk_widget_set_visible (self->headline_section,
                          is_shown && cured_result_get_state (self->result, self->cell) !=
                                          CURED_STATE_NOT_LAUNCHABLE);
  show_outcome (self);
}

static void
show_remark (CuredCellDetails *self, GtkLabel *label, const char *format, gint64 cell)
{
  const char *remark = self->result != NULL && cell >= CURED_REMARK_OF_FILE
                           ? cured_result_get_remark (self->result, cell)
                           : NULL;
  g_autofree char *lines = remark != NULL ? cured_text_first_lines (remark, MAX_NOTE_LINES) : NULL;
  g_autoptr (GString) text = g_string_new (format);

  if (lines != NULL)
    g_string_replace (text, "%s", lines, 1);
  set_figure (label, lines != NULL ? text->str : NULL, remark);
}

static void
show_remarks (CuredCellDetails *self)
{
  /* Translators: what somebody wrote about a cell. */
  show_remark (self, self->note, _ ("Note: %s"), self->cell >= 0 ? self->cell : G_MININT64);
  /* Translators: what somebody wrote about a whole file. */
  show_remark (self, self->file_note, _ ("Note on the file: %s"), CURED_REMARK_OF_FILE);
}

static void
stop_reading (CuredCellDetails *self)
{
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
}

static void
outcome_read_cb (GObject *source, GAsyncResult *answer, gpointer user_data)
{
  g_autoptr (CuredCellDetails) self = user_data;
  g_autoptr (GError) error = NULL;
  CuredOutcome *outcome = cured_result_load_outcome_finish (CURED_RESULT (source), answer, &error);

  /* Another cell was selected meanwhile, or the window was closed. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (outcome == NULL)
    {
      /* Only samples and messages are missing; the figures are in memory. */
      outcome = cured_outcome_new ();
      outcome->reason = g_strdup (error->message);
    }
  g_clear_object (&self->reading);
  self->outcome = outcome;
  cured_picture_set_chart (self->strip, cured_samples_plot_new (outcome, NULL), -1);
  show_outcome (self);
}

static void
cured_cell_details_dispose (GObject *object)
{
  CuredCellDetails *self = CURED_CELL_DETAILS (object);

  if (self->strip != NULL)
    cured_picture_set_chart (self->strip, NULL, -1);
  stop_reading (self);
  cured_template_dispose (object);
}

static void
cured_cell_details_class_init (CuredCellDetailsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = cured_cell_details_dispose;

  CURED_NEEDS (DIAGNOSIS_CARD, PICTURE, WHY_CARD);
  cured_template_set (klass, "cured-cell-details");
  CURED_OWNS (CuredCellDetails, result, explainer);
  CURED_FREES (CuredCellDetails, cured_outcome_free, outcome);
  CURED_BIND (CuredCellDetails, title, copy, state, best, defect, reason, whole_reason,
              headline_section);
  CURED_BIND (CuredCellDetails, headline, rounds, rate, main_figures, show_banks, diagnosis, why,
              samples_section);
  CURED_BIND (CuredCellDetails, strip, mismatches, output_section, output, figures, sweep);
  CURED_BIND (CuredCellDetails, note, file_note);
  CURED_CALLBACKS (show_reason);
}

static void
cured_cell_details_init (CuredCellDetails *self)
{
  self->cell = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* Failures on a device, for which the emulator may find the cause. */
static gboolean
went_wrong (CuredState state)
{
  return state == CURED_STATE_WRONG || state == CURED_STATE_FAILED ||
         state == CURED_STATE_CRASHED || state == CURED_STATE_TIMED_OUT;
}

void
cured_cell_details_set_inspector (CuredCellDetails *self, CuredDocument *document,
                                  CuredInspector *inspector)
{
  cured_diagnosis_card_set_inspector (self->diagnosis, document, inspector);
}

/* Shows another cell, or updates the same one. Samples and messages are read from the result's file
 * in the background and shown later. @result: (nullable). @cell: one of its cells, or -1. */
void
cured_cell_details_set_cell (CuredCellDetails *self, CuredResult *result, gint64 cell,
                             gboolean is_best)
{
  gboolean is_other_cell = result == self->result && cell != self->cell;

  cured_picture_set_chart (self->strip, NULL, -1);
  g_clear_pointer (&self->outcome, cured_outcome_free);
  if (cell != self->cell || result != self->result)
    gtk_toggle_button_set_active (self->whole_reason, FALSE);
  g_set_object (&self->result, result);
  self->cell = result != NULL ? cell : -1;
  stop_reading (self);
  if (self->cell >= 0)
    {
      self->reading = g_cancellable_new ();
      cured_result_load_outcome_async (result, cell, self->reading, outcome_read_cb,
                                       g_object_ref (self));
    }
  cured_cell_card_set_cell (
      CURED_CELL_CARD (self->why),
      self->cell >= 0 && cured_result_get_state (result, cell) == CURED_STATE_OK ? cell : -1);
  cured_cell_card_set_cell (
      CURED_CELL_CARD (self->diagnosis),
      self->cell >= 0 && went_wrong (cured_result_get_state (result, cell)) ? cell : -1);
  gtk_widget_set_visible (self->best, self->cell >= 0 && is_best);
  show (self);
  show_remarks (self);
  if (!is_other_cell)
    show_sweep (self);
}

/* Returns: the cell shown; -1: none */
CURED_GETTER (gint64, cured_cell_details_get_cell, CuredCellDetails, cell)

/* @metric: the map's metric in the result that is set next */
void
cured_cell_details_set_metric (CuredCellDetails *self, gsize metric)
{
  self->metric = metric;
}

void
cured_cell_details_set_explainer (CuredCellDetails *self, CuredDocument *document,
                                  CuredExplainer *explainer)
{
  g_set_object (&self->explainer, explainer);
  cured_why_card_set_explainer (self->why, document, explainer);
}

/* Updates the notes and the number of cells in each state, while a sweep runs. */
void
cured_cell_details_update_counts (CuredCellDetails *self)
{
  show_remarks (self);
  for (int state = 0; self->result != NULL && state < CURED_N_STATES; state++)
    {
      gint64 n = cured_result_count_state (self->result, (CuredState) state);
      g_autofree char *count = cured_format_count (n);

      gtk_label_set_label (self->state_counts[state], count);
      gtk_widget_set_visible (self->state_rows[state], n > 0);
      /* Translators: a state, as “timed out”, and how many cells are in it. */
      g_autofree char *label =
          g_strdup_printf (_ ("Cells, %s: %s"), cured_state_get_title ((CuredState) state), count);
      cured_widget_name (self->state_rows[state], label, NULL);
    }
}

/* (transfer full) (nullable): the cell as text, for the clipboard. */
char *
cured_cell_details_to_text (CuredCellDetails *self)
{
  if (self->result == NULL || self->cell < 0)
    return NULL;
  return cured_text_cell (self->result, self->cell, self->outcome);
}
