/* SPDX-License-Identifier: MIT
 * A new sweep: which kernel, where, over what, into which file. */
#include <config.h>

#include "sweep/cured-sweep-dialog.h"

#include <errno.h>

#include <glib/gi18n.h>

#include "sweep/cured-axis-row.h"
#include "widgets/cured-chooser.h"
#include "model/cured-pace.h"
#include "sweep/cured-preset-row.h"
#include "model/cured-settings.h"
#include "widgets/cured-text.h"
#include "widgets/cured-toast-overlay.h"

/* Cells are counted this long after the last keystroke. */
#define COUNT_DELAY_MS 150

/* Added to a cell's sampling time in the bound: compiling, inputs, check.
 * Measured sweeps of the catalogue spend less. */
#define OVERHEAD_S 0.2

typedef void (*UseFile) (CuredSweepDialog *self, const char *path);

struct _CuredSweepDialog
{
  AdwWindow parent_instance;

  /* Template widgets */
  AdwWindowTitle *title;
  GtkWidget *back;
  GtkWidget *run;
  CuredToastOverlay *toasts;
  GtkStack *stack;
  GtkEditable *search;
  GtkStack *kernels_stack;
  GtkListBox *kernels;
  CuredPresetRow *preset;
  AdwPreferencesGroup *axes_group;
  GtkListBox *axes;
  GtkWidget *look_again;
  AdwComboRow *device;
  GtkWidget *device_search;
  GtkSpinner *device_spinner;
  GtkWidget *device_note;
  AdwActionRow *device_problem;
  AdwActionRow *output;
  GtkSwitch *check;
  GtkSwitch *cold;
  GtkSwitch *hot;
  GtkSpinButton *sampling;
  GtkSpinButton *limit;
  AdwExpanderRow *advanced;
  GtkEditable *launcher;
  GtkEditable *seed;
  GtkSpinButton *min_samples;
  GtkSpinButton *max_samples;
  GtkSpinButton *precision;
  GtkEditable *compile_options;
  GtkWidget *blocks;
  GtkWidget *shuffle;
  GtkRevealer *status_revealer;
  GtkWidget *status_icon;
  GtkLabel *status;

  /* Owned */
  CuredKernel *kernel;    /* nullable: none chosen yet */
  CuredSpec *spec;        /* nullable: what is typed is not valid */
  GPtrArray *found;       /* nullable: still looking; CuredDeviceFound */
  GPtrArray *usable;      /* borrowed elements of found */
  char *device_id;        /* nullable: to choose, once it was found */
  char *find_problem;     /* nullable: why no device could be looked for */
  GCancellable *finding;  /* nullable */
  GCancellable *counting; /* nullable: of what is counted now */
  CuredResult *example;   /* nullable: of which the pace is known */
  char *folder;           /* nullable: of a file's that was proposed */
  char *path;

  gboolean is_path_chosen; /* by the user, who was asked before replacing */
  gboolean is_filling;
  gboolean is_stale; /* what is being counted is not what is typed */
  guint count_id;
};

enum
{
  READY,
  COUNTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredSweepDialog, cured_sweep_dialog, ADW_TYPE_WINDOW)

static void count_later (CuredSweepDialog *self);

static const CuredDeviceFound *
get_device (CuredSweepDialog *self)
{
  guint index = adw_combo_row_get_selected (self->device);

  if (self->usable == NULL || index >= self->usable->len)
    return NULL;
  return g_ptr_array_index (self->usable, index);
}

/* The line at the bottom says what Run will do, or why it can't. */
static void
set_status (CuredSweepDialog *self, const char *text, gboolean is_ready)
{
  gtk_label_set_label (self->status, text);
  gtk_widget_set_visible (self->status_icon, !is_ready);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.run", is_ready);
  gtk_widget_set_tooltip_text (self->run, is_ready ? NULL : text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->run),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text,
                                  -1);
}

/* The output file. */

static void
show_path (CuredSweepDialog *self)
{
  g_autofree char *name = g_path_get_basename (self->path);
  g_autofree char *folder = g_path_get_dirname (self->path);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->output), name);
  adw_action_row_set_subtitle (self->output, folder);
}

static void
use_file (CuredSweepDialog *self, GFile *file, UseFile use)
{
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    use (self, path);
  else if (file != NULL)
    cured_toast_overlay_show (self->toasts,
                              _ ("Choose a file of this machine."));
}

static void
output_chosen_cb (gpointer self, GFile *file)
{
  use_file (self, file, cured_sweep_dialog_set_path);
}

static void
choose_output_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredSweepDialog *self = CURED_SWEEP_DIALOG (widget);
  g_autofree char *name = g_path_get_basename (self->path);
  g_autofree char *path = g_path_get_dirname (self->path);
  g_autoptr (GFile) folder = g_file_test (path, G_FILE_TEST_IS_DIR)
                                 ? g_file_new_for_path (path)
                                 : NULL;

  cured_chooser_ask (self,
                     &(CuredChooser){
                         .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                         .title = _ ("Save the Results"),
                         .accept = _ ("_Choose"),
                         .name = name,
                         .folder = folder,
                     },
                     output_chosen_cb);
}

/* Counting cells: validation at once, the plan in a thread. */

typedef struct
{
  CuredSpec *spec;
  CuredLimits limits;
  char *device_name;
  char *example; /* nullable: a file of the same kernel on such a device */
  CuredOptions example_options;
  gboolean is_emulator;
  gint64 n_cells;
  gint64 n_launchable;
  double estimate_s; /* NaN: there is none */
  gboolean is_by_example;
} Counting;

static void
counting_free (Counting *self)
{
  cured_spec_unref (self->spec);
  g_free (self->device_name);
  if (self->example != NULL)
    cured_options_clear (&self->example_options);
  g_free (self->example);
  g_free (self);
}

static void
count_thread (GTask *task,
              gpointer source,
              gpointer task_data,
              GCancellable *cancellable)
{
  Counting *counting = task_data;
  GError *error = NULL;
  g_autoptr (CuredPlan) plan =
      cured_plan_new (counting->spec, &counting->limits, &error);

  if (plan == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  counting->n_cells = cured_plan_get_n_cells (plan);
  counting->n_launchable = cured_plan_get_n_launchable (plan);
  counting->estimate_s =
      cured_pace_estimate (cured_spec_get_kernel (counting->spec)->id,
                           counting->device_name,
                           cured_spec_get_options (counting->spec),
                           counting->n_launchable);
  if (isnan (counting->estimate_s) && counting->example != NULL)
    {
      counting->estimate_s =
          cured_pace_estimate_by_file (counting->example,
                                       &counting->example_options,
                                       cured_spec_get_options (counting->spec),
                                       counting->n_launchable);
      counting->is_by_example = TRUE;
    }
  g_task_return_boolean (task, TRUE);
}

/* What is known of how long it takes: the last sweep of the kernel on such a
 * device, or else what the options allow at most. The emulator takes no
 * samples, so that nothing bounds it but the limit of each cell. */
static char *
describe_duration (const Counting *counting)
{
  const CuredOptions *options = cured_spec_get_options (counting->spec);
  int n_modes = (options->cold ? 1 : 0) + (options->hot ? 1 : 0);
  double bound_s = (double) counting->n_launchable *
                   (options->sampling_s * n_modes + OVERHEAD_S);
  gboolean is_known = !isnan (counting->estimate_s);
  g_autofree char *duration =
      cured_format_seconds (is_known ? counting->estimate_s : bound_s);

  if (is_known && counting->is_by_example)
    {
      g_autofree char *name = g_path_get_basename (counting->example);
      g_autofree char *shown = g_filename_display_name (name);

      /* Translators: how long a sweep will take, and the file that says so. */
      return g_strdup_printf (_ ("about %s, going by %s"), duration, shown);
    }
  if (is_known && counting->estimate_s < 1)
    /* Translators: how long a sweep will take. */
    return g_strdup (
        _ ("less than a second, going by the last sweep of this kernel"));
  if (is_known)
    /* Translators: how long a sweep will take. */
    return g_strdup_printf (
        _ ("about %s, going by the last sweep of this kernel"), duration);
  if (counting->is_emulator)
    /* Translators: of how long a sweep will take. */
    return g_strdup (_ ("no estimate yet"));
  /* Translators: an upper bound of a sweep's duration. */
  return g_strdup_printf (_ ("at most about %s"), duration);
}

static char *
describe_count (const Counting *counting)
{
  gint64 n_bad = counting->n_cells - counting->n_launchable;
  g_autofree char *cells = cured_format_count (counting->n_cells);
  g_autofree char *bad = cured_format_count (n_bad);
  g_autofree char *duration = describe_duration (counting);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (
      text,
      ngettext ("%s cell", "%s cells", (gulong) counting->n_cells),
      cells);
  if (n_bad > 0)
    {
      g_string_append (text, " · ");
      g_string_append_printf (text,
                              /* Translators: cells that break a limit of the
                               * device, and are not run. */
                              ngettext ("%s not launchable on this device",
                                        "%s not launchable on this device",
                                        (gulong) n_bad),
                              bad);
    }
  g_string_append_printf (text, " · %s", duration);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void count (CuredSweepDialog *self);

static void
counted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  CuredSweepDialog *self = CURED_SWEEP_DIALOG (source);
  Counting *counting = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gboolean is_counted = g_task_propagate_boolean (G_TASK (result), &error);

  g_clear_object (&self->counting);
  /* The dialog is gone. */
  if (self->stack == NULL)
    return;
  if (self->is_stale)
    {
      count (self);
      return;
    }
  if (!is_counted)
    set_status (self, error->message, FALSE);
  else if (counting->n_launchable == 0)
    set_status (self, _ ("No cell can be launched on this device."), FALSE);
  else
    {
      text = describe_count (counting);
      set_status (self, text, TRUE);
    }
  g_signal_emit (self, signals[COUNTED], 0);
}

static void
start_counting (CuredSweepDialog *self, const CuredDeviceFound *device)
{
  g_autoptr (GTask) task = NULL;
  Counting *counting = g_new0 (Counting, 1);

  counting->spec = cured_spec_ref (self->spec);
  counting->limits = device->info->limits;
  counting->device_name = g_strdup (device->info->name);
  if (self->example != NULL &&
      g_str_equal (cured_result_get_kernel_id (self->example),
                   self->kernel->id) &&
      g_str_equal (cured_result_get_device (self->example)->name,
                   device->info->name))
    {
      counting->example = g_strdup (cured_result_get_path (self->example));
      cured_options_copy (cured_result_get_options (self->example),
                          &counting->example_options);
    }
  counting->is_emulator = device->info->limits.emulated != 0;
  self->counting = g_cancellable_new ();
  task = g_task_new (self, self->counting, counted_cb, NULL);
  g_task_set_task_data (task, counting, (GDestroyNotify) counting_free);
  g_task_run_in_thread (task, count_thread);
}

static void
mark (GtkWidget *widget, gboolean is_valid)
{
  if (is_valid)
    gtk_widget_remove_css_class (widget, "error");
  else
    gtk_widget_add_css_class (widget, "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (widget),
                               GTK_ACCESSIBLE_STATE_INVALID,
                               is_valid ? GTK_ACCESSIBLE_INVALID_FALSE
                                        : GTK_ACCESSIBLE_INVALID_TRUE,
                               -1);
}

static gboolean
read_number (GtkEditable *entry, guint64 *value)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (entry)));
  gboolean is_valid =
      g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, value, NULL);

  mark (GTK_WIDGET (entry), is_valid);
  return is_valid;
}

static char *
dup_text (GtkEditable *entry)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (entry)));

  return *text != '\0' ? g_steal_pointer (&text) : NULL;
}

/* On another device than the emulator, what only it understands counts for
 * nothing. */
static gboolean
read_options (CuredSweepDialog *self, CuredOptions *options)
{
  const CuredDeviceFound *device = get_device (self);
  gboolean is_emulator = device != NULL && device->info->limits.emulated != 0;
  gboolean is_valid = read_number (self->seed, &options->seed);

  options->check = gtk_switch_get_active (self->check);
  options->cold = gtk_switch_get_active (self->cold);
  options->hot = gtk_switch_get_active (self->hot);
  options->sampling_s = gtk_spin_button_get_value (self->sampling);
  options->limit_s = gtk_spin_button_get_value (self->limit);
  options->min_samples =
      (guint) gtk_spin_button_get_value_as_int (self->min_samples);
  options->max_samples =
      (guint) gtk_spin_button_get_value_as_int (self->max_samples);
  options->precision = gtk_spin_button_get_value (self->precision) / 100;
  g_free (options->compile_options);
  options->compile_options = dup_text (self->compile_options);
  g_clear_pointer (&options->blocks, g_free);
  options->shuffle = 0;
  if (is_emulator)
    {
      gboolean is_set;

      options->blocks = dup_text (GTK_EDITABLE (self->blocks));
      is_set = options->blocks == NULL ||
               cured_block_set_check (options->blocks, NULL);
      mark (self->blocks, is_set);
      is_valid =
          read_number (GTK_EDITABLE (self->shuffle), &options->shuffle) &&
          is_set && is_valid;
    }
  mark (GTK_WIDGET (self->min_samples),
        options->min_samples <= options->max_samples);
  return is_valid && options->min_samples <= options->max_samples;
}

/* Makes a spec of what is typed; FALSE where some of it is not valid. */
static gboolean
read_spec (CuredSweepDialog *self, const char **problem)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (self->kernel);
  gboolean is_valid = TRUE;
  GtkListBoxRow *row;

  g_clear_pointer (&self->spec, cured_spec_unref);
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->axes, i)) != NULL;
       i++)
    if (!cured_axis_row_apply (CURED_AXIS_ROW (row), spec))
      is_valid = FALSE;
  *problem = _ ("A parameter's values are not understood.");
  if (!read_options (self, cured_spec_get_options (spec)) && is_valid)
    {
      *problem = _ ("An advanced option is not understood.");
      is_valid = FALSE;
    }
  if (is_valid)
    self->spec = g_steal_pointer (&spec);
  return is_valid;
}

static void
count (CuredSweepDialog *self)
{
  const CuredDeviceFound *device = get_device (self);
  const char *problem;
  g_autoptr (GError) error = NULL;
  g_autofree char *cells = NULL;
  g_autofree char *text = NULL;
  gint64 n_cells;

  /* One plan at a time: a large one takes a while, and keys are quick. */
  self->is_stale = self->counting != NULL;
  if (self->is_stale)
    return;

  if (!read_spec (self, &problem))
    set_status (self, problem, FALSE);
  else if (!gtk_switch_get_active (self->cold) &&
           !gtk_switch_get_active (self->hot))
    set_status (self, _ ("Choose cold samples, hot samples or both."), FALSE);
  else if (!cured_spec_count_cells (self->spec, &n_cells, &error))
    set_status (self, error->message, FALSE);
  else if (device != NULL)
    {
      start_counting (self, device);
      return;
    }
  else
    {
      cells = cured_format_count (n_cells);
      text = g_strdup_printf (
          self->found == NULL
              /* Translators: how many cells. */
              ? ngettext ("%s cell · looking for a device…",
                          "%s cells · looking for a device…",
                          (gulong) n_cells)
              /* Translators: how many cells. */
              : ngettext ("%s cell · there is no device to run it on",
                          "%s cells · there is no device to run them on",
                          (gulong) n_cells),
          cells);
      set_status (self, text, FALSE);
    }
  g_signal_emit (self, signals[COUNTED], 0);
}

static gboolean
count_cb (gpointer user_data)
{
  CuredSweepDialog *self = user_data;

  self->count_id = 0;
  count (self);
  return G_SOURCE_REMOVE;
}

static void
count_later (CuredSweepDialog *self)
{
  const char *problem;

  if (self->kernel == NULL || self->is_filling)
    return;
  /* What was counted before is not what is typed now. */
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.run", FALSE);
  read_spec (self, &problem);
  g_clear_handle_id (&self->count_id, g_source_remove);
  self->count_id = g_timeout_add (COUNT_DELAY_MS, count_cb, self);
}

/* Something of the sweep itself was changed, by the user. */
static void
changed_cb (CuredSweepDialog *self)
{
  if (self->kernel == NULL || self->is_filling)
    return;
  cured_preset_row_set_changed (self->preset, TRUE);
  count_later (self);
}

/* Devices. */

static void
device_changed_cb (CuredSweepDialog *self)
{
  const CuredDeviceFound *device = get_device (self);
  gboolean is_emulator = device != NULL && device->info->limits.emulated != 0;

  gtk_widget_set_visible (self->device_note, is_emulator);
  gtk_widget_set_sensitive (self->blocks, is_emulator);
  gtk_widget_set_sensitive (self->shuffle, is_emulator);
  if (self->is_filling)
    return;
  if (device != NULL)
    {
      g_free (self->device_id);
      self->device_id = g_strdup (device->id);
    }
  changed_cb (self);
}

static void
choose_device (CuredSweepDialog *self)
{
  for (guint i = 0; self->usable != NULL && i < self->usable->len; i++)
    {
      const CuredDeviceFound *found = g_ptr_array_index (self->usable, i);

      if (g_strcmp0 (found->id, self->device_id) == 0)
        adw_combo_row_set_selected (self->device, i);
    }
}

static void
show_devices (CuredSweepDialog *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  g_autoptr (GString) problems = g_string_new (NULL);
  gboolean is_looking = self->found == NULL;

  g_clear_pointer (&self->usable, g_ptr_array_unref);
  self->usable = g_ptr_array_new ();
  for (guint i = 0; self->found != NULL && i < self->found->len; i++)
    {
      CuredDeviceFound *found = g_ptr_array_index (self->found, i);

      if (found->info != NULL)
        {
          g_autofree char *device = cured_text_device (found->info);
          /* Translators: a device's name and its id. */
          g_autofree char *name =
              g_strdup_printf (_ ("%s (%s)"), device, found->id);

          g_ptr_array_add (self->usable, found);
          gtk_string_list_append (names, name);
        }
      else
        g_string_append_printf (problems,
                                "%s%s: %s",
                                problems->len > 0 ? "\n" : "",
                                found->id,
                                found->reason);
    }

  self->is_filling = TRUE;
  adw_combo_row_set_model (self->device, G_LIST_MODEL (names));
  choose_device (self);
  device_changed_cb (self);
  self->is_filling = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (self->device), self->usable->len > 0);
  gtk_widget_set_visible (self->device_search, is_looking);
  gtk_spinner_set_spinning (self->device_spinner, is_looking);
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self), "sweep.find-devices", !is_looking);
  gtk_widget_action_set_enabled (
      GTK_WIDGET (self), "sweep.stop-finding", is_looking);

  if (self->find_problem != NULL)
    g_string_assign (problems, self->find_problem);
  else if (!is_looking && self->usable->len == 0 && problems->len == 0)
    g_string_append (
        problems,
        _ ("Cured runs kernels on CUDA devices. Install an NVIDIA driver, or "
           "run the sweep with the command on a machine that has a GPU and "
           "open its file here."));
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->device_problem),
                                 self->usable->len > 0
                                     ? _ ("Some devices can't be used")
                                     : _ ("No device can be used"));
  adw_action_row_set_subtitle (self->device_problem, problems->str);
  gtk_widget_set_visible (GTK_WIDGET (self->device_problem),
                          !is_looking && problems->len > 0);
  count_later (self);
}

static void
find_thread (GTask *task,
             gpointer source,
             gpointer task_data,
             GCancellable *cancellable)
{
  GError *error = NULL;
  GPtrArray *found =
      cured_launcher_list_devices (task_data, cancellable, &error);

  if (found == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, found, (GDestroyNotify) g_ptr_array_unref);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  CuredSweepDialog *self = CURED_SWEEP_DIALOG (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) found =
      g_task_propagate_pointer (G_TASK (result), &error);

  /* Devices were given meanwhile, or looked for elsewhere, or the dialog is
   * gone. */
  if (g_task_get_cancellable (G_TASK (result)) != self->finding ||
      self->stack == NULL)
    return;
  if (found == NULL)
    {
      g_free (self->find_problem);
      self->find_problem = g_strdup (error->message);
      found = g_ptr_array_new ();
    }
  cured_sweep_dialog_set_devices (self, found);
}

static void
stop_finding (CuredSweepDialog *self)
{
  if (self->finding != NULL)
    g_cancellable_cancel (self->finding);
  g_clear_object (&self->finding);
}

/* Talking to a driver for the first time takes up to seconds, and to another
 * machine as long as it likes. */
static void
find_devices (CuredSweepDialog *self)
{
  g_autoptr (GTask) task = NULL;

  stop_finding (self);
  self->finding = g_cancellable_new ();
  g_clear_pointer (&self->find_problem, g_free);
  g_clear_pointer (&self->usable, g_ptr_array_unref);
  g_clear_pointer (&self->found, g_ptr_array_unref);
  show_devices (self);
  task = g_task_new (self, self->finding, found_cb, NULL);
  g_task_set_task_data (task, dup_text (self->launcher), g_free);
  g_task_run_in_thread (task, find_thread);
}

static void
stop_finding_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  CuredSweepDialog *self = CURED_SWEEP_DIALOG (widget);
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  self->find_problem =
      g_strdup (_ ("Search stopped. Press Refresh to search again."));
  cured_sweep_dialog_set_devices (self, none);
}

static void
find_devices_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  find_devices (CURED_SWEEP_DIALOG (widget));
}

/* The kernel. */

static void
show_page (CuredSweepDialog *self, const char *name)
{
  gboolean is_set_up = g_str_equal (name, "set-up");

  gtk_stack_set_visible_child_name (self->stack, name);
  gtk_widget_set_visible (self->back, is_set_up);
  gtk_widget_set_visible (self->run, is_set_up);
  /* A default that hides is forgotten. */
  if (is_set_up)
    gtk_window_set_default_widget (GTK_WINDOW (self), self->run);
  gtk_revealer_set_reveal_child (self->status_revealer, is_set_up);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.back", is_set_up);
  adw_window_title_set_title (
      self->title, is_set_up ? self->kernel->title : _ ("New Sweep"));
  adw_window_title_set_subtitle (
      self->title, is_set_up ? self->kernel->id : _ ("Choose a kernel"));
  if (!is_set_up)
    gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

static void
set_entry_number (GtkEditable *entry, guint64 value)
{
  g_autofree char *text = g_strdup_printf ("%llu", (unsigned long long) value);

  gtk_editable_set_text (entry, text);
}

static void
fill_options (CuredSweepDialog *self, const CuredOptions *options)
{
  gtk_switch_set_active (self->check, options->check);
  gtk_switch_set_active (self->cold, options->cold);
  gtk_switch_set_active (self->hot, options->hot);
  gtk_spin_button_set_value (self->sampling, options->sampling_s);
  gtk_spin_button_set_value (self->limit, options->limit_s);
  set_entry_number (self->seed, options->seed);
  gtk_spin_button_set_value (self->min_samples, options->min_samples);
  gtk_spin_button_set_value (self->max_samples, options->max_samples);
  gtk_spin_button_set_value (self->precision, options->precision * 100);
  gtk_editable_set_text (
      self->compile_options,
      options->compile_options != NULL ? options->compile_options : "");
  gtk_editable_set_text (GTK_EDITABLE (self->blocks),
                         options->blocks != NULL ? options->blocks : "");
  set_entry_number (GTK_EDITABLE (self->shuffle), options->shuffle);
}

/* Types a sweep in: axes and options. */
static void
fill_spec (CuredSweepDialog *self, CuredSpec *spec)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  GtkWidget *child;
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;

  self->is_filling = TRUE;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->axes))) != NULL)
    gtk_list_box_remove (self->axes, child);
  for (gsize i = 0; i < n_parameters; i++)
    {
      GtkWidget *row =
          cured_axis_row_new (&parameters[i], cured_spec_get_axis (spec, i));

      g_signal_connect_object (
          row, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
      gtk_list_box_append (self->axes, row);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->axes_group), n_parameters > 0);
  fill_options (self, cured_spec_get_options (spec));
  self->is_filling = FALSE;
}

static void
set_spec (CuredSweepDialog *self, CuredSpec *spec, const char *origin)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);

  cured_kernel_ref (kernel);
  g_clear_pointer (&self->kernel, cured_kernel_unref);
  self->kernel = kernel;
  fill_spec (self, spec);
  cured_preset_row_set_kernel (self->preset, kernel->id);
  cured_preset_row_show (self->preset, NULL, origin);

  if (!self->is_path_chosen)
    {
      g_free (self->path);
      self->path = cured_sweep_propose_path (kernel->id, self->folder);
      show_path (self);
    }
  show_page (self, "set-up");
  gtk_widget_child_focus (GTK_WIDGET (self->axes), GTK_DIR_TAB_FORWARD);
  count (self);
}

static void
set_kernel (CuredSweepDialog *self, CuredKernel *kernel)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);

  cured_spec_use_default_sweep (spec);
  set_spec (self, spec, NULL);
}

/* Presets. */

static void
preset_chosen_cb (CuredSweepDialog *self, const char *name)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (self->kernel);
  g_autoptr (CuredPreset) preset = NULL;

  cured_spec_use_default_sweep (spec);
  if (*name != '\0')
    preset = cured_presets_load (self->kernel->id, name);
  if (preset != NULL)
    cured_preset_apply (preset, spec);
  fill_spec (self, spec);
  if (preset != NULL && preset->device_id != NULL)
    cured_sweep_dialog_set_device (self, preset->device_id, preset->launcher);
  cured_preset_row_show (
      self->preset, preset != NULL ? preset->name : NULL, NULL);
  count_later (self);
}

static void
save_preset_cb (CuredSweepDialog *self, const char *name)
{
  g_autoptr (CuredPreset) preset = NULL;
  g_autofree char *launcher = dup_text (self->launcher);
  g_autofree char *text = NULL;
  const char *problem;

  if (!read_spec (self, &problem))
    {
      cured_toast_overlay_show (self->toasts, problem);
      return;
    }
  preset = cured_preset_new (name, self->spec, self->device_id, launcher);
  cured_presets_save (preset);
  cured_preset_row_show (self->preset, name, NULL);
  /* Translators: a preset's name. */
  text = g_strdup_printf (_ ("“%s” was saved"), name);
  cured_toast_overlay_show (self->toasts, text);
}

static void
undo_delete_cb (CuredToastOverlay *toasts, gpointer data)
{
  CuredSweepDialog *self =
      CURED_SWEEP_DIALOG (gtk_widget_get_root (GTK_WIDGET (toasts)));
  const CuredPreset *preset = data;

  cured_presets_save (preset);
  if (g_str_equal (preset->kernel_id, self->kernel->id))
    cured_preset_row_show (self->preset, preset->name, NULL);
}

static void
preset_deleted_cb (CuredSweepDialog *self, const CuredPreset *preset)
{
  /* Translators: a preset's name. */
  g_autofree char *text =
      g_strdup_printf (_ ("“%s” was deleted"), preset->name);
  CuredPreset *copy = g_new0 (CuredPreset, 1);

  copy->kernel_id = g_strdup (preset->kernel_id);
  copy->name = g_strdup (preset->name);
  copy->axes = g_strdupv (preset->axes);
  cured_options_copy (&preset->options, &copy->options);
  copy->device_id = g_strdup (preset->device_id);
  copy->launcher = g_strdup (preset->launcher);
  cured_toast_overlay_offer (self->toasts,
                             text,
                             _ ("_Undo"),
                             undo_delete_cb,
                             copy,
                             (GDestroyNotify) cured_preset_free);
}

static void
explain_kernel_error (CuredSweepDialog *self, const GError *error)
{
  GtkWidget *dialog = adw_message_dialog_new (
      GTK_WINDOW (self), _ ("The Kernel Can't Be Used"), error->message);

  adw_message_dialog_add_response (
      ADW_MESSAGE_DIALOG (dialog), "close", _ ("_Close"));
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
kernel_chosen_cb (gpointer self, GFile *file)
{
  use_file (self, file, cured_sweep_dialog_choose_kernel);
}

static void
open_kernel_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  const CuredChooserFilter kernels = { _ ("Kernel files"), { "cu" } };

  cured_chooser_ask (widget,
                     &(CuredChooser){
                         .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                         .title = _ ("Open a Kernel File"),
                         .accept = _ ("_Open"),
                         .filters = &kernels,
                         .n_filters = 1,
                     },
                     kernel_chosen_cb);
}

static void
kernel_activated_cb (CuredSweepDialog *self, GtkListBoxRow *row)
{
  set_kernel (self, g_object_get_data (G_OBJECT (row), "kernel"));
}

static void
add_kernel (CuredSweepDialog *self, const char *id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (id, &error);
  GtkWidget *row;
  const char *summary;
  g_autofree char *subtitle = NULL;

  if (kernel == NULL)
    {
      g_debug ("%s", error->message);
      return;
    }
  row = adw_action_row_new ();
  summary = kernel->summary;
  subtitle = summary != NULL ? g_strdup_printf ("%s · %s", id, summary)
                             : g_strdup (id);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), kernel->title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  if (kernel->defect != NULL)
    {
      GtkWidget *label = gtk_label_new (_ ("defect"));
      g_autofree char *tooltip = g_strdup_printf (
          /* Translators: the name of a defect. */
          _ ("Wrong on purpose: %s"),
          kernel->defect);

      gtk_widget_add_css_class (label, "pill-label");
      gtk_widget_add_css_class (label, "warning");
      gtk_widget_set_valign (label, GTK_ALIGN_CENTER);
      gtk_widget_set_tooltip_text (label, tooltip);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
    }
  adw_action_row_add_suffix (ADW_ACTION_ROW (row),
                             g_object_new (GTK_TYPE_IMAGE,
                                           "icon-name",
                                           "go-next-symbolic",
                                           "accessible-role",
                                           GTK_ACCESSIBLE_ROLE_PRESENTATION,
                                           NULL));
  g_object_set_data_full (G_OBJECT (row),
                          "kernel",
                          cured_kernel_ref (kernel),
                          (GDestroyNotify) cured_kernel_unref);
  gtk_list_box_append (self->kernels, row);
}

static gboolean
contains (const char *text, const char *folded)
{
  g_autofree char *haystack = NULL;

  if (text == NULL)
    return FALSE;
  haystack = g_utf8_casefold (text, -1);
  return strstr (haystack, folded) != NULL;
}

static gboolean
filter_cb (GtkListBoxRow *row, gpointer user_data)
{
  CuredSweepDialog *self = user_data;
  CuredKernel *kernel = g_object_get_data (G_OBJECT (row), "kernel");
  g_autofree char *folded =
      g_utf8_casefold (gtk_editable_get_text (self->search), -1);

  return contains (kernel->id, folded) || contains (kernel->title, folded) ||
         contains (kernel->summary, folded) ||
         contains (kernel->family, folded);
}

static gboolean
has_match (CuredSweepDialog *self)
{
  GtkListBoxRow *row;

  for (int i = 0;
       (row = gtk_list_box_get_row_at_index (self->kernels, i)) != NULL;
       i++)
    if (filter_cb (row, self))
      return TRUE;
  return FALSE;
}

static void
search_changed_cb (CuredSweepDialog *self)
{
  gtk_list_box_invalidate_filter (self->kernels);
  gtk_stack_set_visible_child_name (self->kernels_stack,
                                    has_match (self) ? "list" : "none");
}

/* Enter in the search takes the first kernel that it finds. */
static void
search_activate_cb (CuredSweepDialog *self)
{
  GtkListBoxRow *row;

  for (int i = 0;
       (row = gtk_list_box_get_row_at_index (self->kernels, i)) != NULL;
       i++)
    if (filter_cb (row, self))
      {
        kernel_activated_cb (self, row);
        return;
      }
}

static void
back_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  show_page (CURED_SWEEP_DIALOG (widget), "kernels");
}

static void
run_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  cured_sweep_dialog_run (CURED_SWEEP_DIALOG (widget));
}

static void
cured_sweep_dialog_dispose (GObject *object)
{
  CuredSweepDialog *self = CURED_SWEEP_DIALOG (object);

  g_clear_handle_id (&self->count_id, g_source_remove);
  stop_finding (self);
  if (self->counting != NULL)
    g_cancellable_cancel (self->counting);
  g_clear_object (&self->counting);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_SWEEP_DIALOG);
  G_OBJECT_CLASS (cured_sweep_dialog_parent_class)->dispose (object);
}

static void
cured_sweep_dialog_finalize (GObject *object)
{
  CuredSweepDialog *self = CURED_SWEEP_DIALOG (object);

  g_clear_object (&self->example);
  g_clear_pointer (&self->spec, cured_spec_unref);
  g_clear_pointer (&self->kernel, cured_kernel_unref);
  g_clear_pointer (&self->usable, g_ptr_array_unref);
  g_clear_pointer (&self->found, g_ptr_array_unref);
  g_free (self->device_id);
  g_free (self->find_problem);
  g_free (self->folder);
  g_free (self->path);
  G_OBJECT_CLASS (cured_sweep_dialog_parent_class)->finalize (object);
}

static void
cured_sweep_dialog_class_init (CuredSweepDialogClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = cured_sweep_dialog_dispose;
  object_class->finalize = cured_sweep_dialog_finalize;

  signals[READY] = g_signal_new ("ready",
                                 CURED_TYPE_SWEEP_DIALOG,
                                 G_SIGNAL_RUN_LAST,
                                 0,
                                 NULL,
                                 NULL,
                                 NULL,
                                 G_TYPE_NONE,
                                 1,
                                 CURED_TYPE_SWEEP);
  signals[COUNTED] = g_signal_new ("counted",
                                   CURED_TYPE_SWEEP_DIALOG,
                                   G_SIGNAL_RUN_LAST,
                                   0,
                                   NULL,
                                   NULL,
                                   NULL,
                                   G_TYPE_NONE,
                                   0);

  g_type_ensure (CURED_TYPE_PRESET_ROW);
  g_type_ensure (CURED_TYPE_TOAST_OVERLAY);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-sweep-dialog.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, CuredSweepDialog, name)
  BIND (title);
  BIND (back);
  BIND (run);
  BIND (toasts);
  BIND (stack);
  BIND (search);
  BIND (kernels_stack);
  BIND (kernels);
  BIND (preset);
  BIND (axes_group);
  BIND (axes);
  BIND (look_again);
  BIND (device);
  BIND (device_search);
  BIND (device_spinner);
  BIND (device_note);
  BIND (device_problem);
  BIND (output);
  BIND (check);
  BIND (cold);
  BIND (hot);
  BIND (sampling);
  BIND (limit);
  BIND (advanced);
  BIND (launcher);
  BIND (seed);
  BIND (min_samples);
  BIND (max_samples);
  BIND (precision);
  BIND (compile_options);
  BIND (blocks);
  BIND (shuffle);
  BIND (status_revealer);
  BIND (status_icon);
  BIND (status);
#undef BIND

  gtk_widget_class_install_action (widget_class, "sweep.back", NULL, back_cb);
  gtk_widget_class_install_action (widget_class, "sweep.run", NULL, run_cb);
  gtk_widget_class_install_action (
      widget_class, "sweep.open-kernel", NULL, open_kernel_cb);
  gtk_widget_class_install_action (
      widget_class, "sweep.choose-output", NULL, choose_output_cb);
  gtk_widget_class_install_action (
      widget_class, "sweep.find-devices", NULL, find_devices_cb);
  gtk_widget_class_install_action (
      widget_class, "sweep.stop-finding", NULL, stop_finding_cb);

  gtk_widget_class_add_binding_action (
      widget_class, GDK_KEY_Left, GDK_ALT_MASK, "sweep.back", NULL);
  gtk_widget_class_add_binding_action (
      widget_class, GDK_KEY_Return, GDK_CONTROL_MASK, "sweep.run", NULL);
  gtk_widget_class_add_binding_action (
      widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

/* A control in a row is called what the row is called. */
static void
name_control (GtkWidget *control)
{
  GtkWidget *row = gtk_widget_get_ancestor (control, ADW_TYPE_ACTION_ROW);
  g_auto (GStrv) parts = g_strsplit (
      adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), "_", -1);
  g_autofree char *name = g_strjoinv ("", parts);
  const char *what = adw_action_row_get_subtitle (ADW_ACTION_ROW (row));

  gtk_widget_set_tooltip_text (control, what);
  gtk_accessible_update_property (GTK_ACCESSIBLE (control),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  what,
                                  -1);
}

static void
connect_controls (CuredSweepDialog *self)
{
  const struct
  {
    gpointer widget;
    const char *signal;
  } controls[] = {
    { self->check, "notify::active" },
    { self->cold, "notify::active" },
    { self->hot, "notify::active" },
    { self->sampling, "value-changed" },
    { self->limit, "value-changed" },
    { self->seed, "changed" },
    { self->min_samples, "value-changed" },
    { self->max_samples, "value-changed" },
    { self->precision, "value-changed" },
    { self->compile_options, "changed" },
    { self->blocks, "changed" },
    { self->shuffle, "changed" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (controls); i++)
    {
      GtkWidget *widget = controls[i].widget;

      g_signal_connect_swapped (
          widget, controls[i].signal, G_CALLBACK (changed_cb), self);
      if (GTK_IS_SWITCH (widget) || GTK_IS_SPIN_BUTTON (widget))
        name_control (widget);
    }
}

static void
cured_sweep_dialog_init (CuredSweepDialog *self)
{
  g_auto (GStrv) ids = cured_catalogue_list ();

  gtk_widget_init_template (GTK_WIDGET (self));

  for (gsize i = 0; ids[i] != NULL; i++)
    add_kernel (self, ids[i]);
  gtk_list_box_set_filter_func (self->kernels, filter_cb, self, NULL);
  g_signal_connect_swapped (
      self->kernels, "row-activated", G_CALLBACK (kernel_activated_cb), self);
  g_signal_connect_swapped (
      self->search, "search-changed", G_CALLBACK (search_changed_cb), self);
  g_signal_connect_swapped (
      self->search, "activate", G_CALLBACK (search_activate_cb), self);
  g_signal_connect_swapped (
      self->device, "notify::selected", G_CALLBACK (device_changed_cb), self);
  connect_controls (self);
  g_signal_connect_swapped (
      self->launcher, "apply", G_CALLBACK (find_devices), self);
  g_signal_connect_swapped (
      self->preset, "chosen", G_CALLBACK (preset_chosen_cb), self);
  g_signal_connect_swapped (
      self->preset, "save", G_CALLBACK (save_preset_cb), self);
  g_signal_connect_swapped (
      self->preset, "deleted", G_CALLBACK (preset_deleted_cb), self);

  show_page (self, "kernels");
  find_devices (self);
}

/**
 * cured_sweep_dialog_new:
 * @parent: the window that it belongs to
 *
 * Creates the dialog, which starts to look for devices in a thread; not yet
 * presented.
 *
 * Returns: (transfer none): the dialog, which GTK owns
 */
CuredSweepDialog *
cured_sweep_dialog_new (GtkWindow *parent)
{
  return g_object_new (CURED_TYPE_SWEEP_DIALOG, "transient-for", parent, NULL);
}

/**
 * cured_sweep_dialog_choose_kernel:
 * @self: the dialog
 * @id_or_path: a kernel of the catalogue, or a kernel file
 *
 * Goes on with that kernel, its default sweep typed in; a file that is not a
 * kernel file is explained in a message.
 */
void
cured_sweep_dialog_choose_kernel (CuredSweepDialog *self,
                                  const char *id_or_path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = NULL;

  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));

  kernel = cured_catalogue_load (id_or_path, &error);
  if (kernel == NULL)
    explain_kernel_error (self, error);
  else
    set_kernel (self, kernel);
}

/**
 * cured_sweep_dialog_set_kernel:
 * @self: the dialog
 * @kernel: of the catalogue, of a file, or as it is being edited
 *
 * Goes on with that kernel, its default sweep typed in.
 */
void
cured_sweep_dialog_set_kernel (CuredSweepDialog *self, CuredKernel *kernel)
{
  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));
  g_return_if_fail (kernel != NULL);
  set_kernel (self, kernel);
}

/**
 * cured_sweep_dialog_set_spec:
 * @self: the dialog
 * @spec: a kernel with axes and options
 * @origin: where they are from, for people
 *
 * Goes on with that kernel, and types axes and options in.
 */
void
cured_sweep_dialog_set_spec (CuredSweepDialog *self,
                             CuredSpec *spec,
                             const char *origin)
{
  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));
  g_return_if_fail (spec != NULL);
  set_spec (self, spec, origin);
}

/**
 * cured_sweep_dialog_choose_preset:
 * @self: the dialog, with a kernel
 * @name: of a preset of the kernel; "" is the default sweep
 *
 * Types a saved sweep in.
 */
void
cured_sweep_dialog_choose_preset (CuredSweepDialog *self, const char *name)
{
  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));
  g_return_if_fail (self->kernel != NULL);
  preset_chosen_cb (self, name);
}

/**
 * cured_sweep_dialog_set_device:
 * @self: the dialog
 * @id: of a device
 * @launcher: (nullable): what starts the worker elsewhere
 *
 * Chooses a device, once it is found.
 */
void
cured_sweep_dialog_set_device (CuredSweepDialog *self,
                               const char *id,
                               const char *launcher)
{
  char *copy = g_strdup (id);
  g_autofree char *old = NULL;

  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));

  old = dup_text (self->launcher);
  g_free (self->device_id);
  self->device_id = copy;
  if (g_strcmp0 (old, launcher) != 0)
    {
      gtk_editable_set_text (self->launcher, launcher != NULL ? launcher : "");
      find_devices (self);
      return;
    }
  self->is_filling = TRUE;
  choose_device (self);
  self->is_filling = FALSE;
  count_later (self);
}

/**
 * cured_sweep_dialog_set_example:
 * @self: the dialog, that has no kernel yet
 * @example: a result; where the kernel and the device are its own, and no sweep
 *   told better, the duration goes by it
 */
void
cured_sweep_dialog_set_example (CuredSweepDialog *self, CuredResult *example)
{
  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));
  g_set_object (&self->example, example);
}

/**
 * cured_sweep_dialog_set_folder:
 * @self: the dialog, that has no kernel yet
 * @folder: (nullable): where a file is proposed; %NULL: in the documents
 */
void
cured_sweep_dialog_set_folder (CuredSweepDialog *self, const char *folder)
{
  char *copy = g_strdup (folder);

  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));

  g_free (self->folder);
  self->folder = copy;
}

/**
 * cured_sweep_dialog_set_devices:
 * @self: the dialog
 * @devices: (element-type CuredDeviceFound): what there is
 *
 * Offers these devices, instead of those that the search would find.
 */
void
cured_sweep_dialog_set_devices (CuredSweepDialog *self, GPtrArray *devices)
{
  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));

  stop_finding (self);
  g_ptr_array_ref (devices);
  g_clear_pointer (&self->usable, g_ptr_array_unref);
  g_clear_pointer (&self->found, g_ptr_array_unref);
  self->found = devices;
  show_devices (self);
}

/**
 * cured_sweep_dialog_set_axis:
 * @self: the dialog, with a kernel
 * @parameter: one of its parameters
 * @text: values in axis syntax
 *
 * Types @text into the parameter's row.
 */
void
cured_sweep_dialog_set_axis (CuredSweepDialog *self,
                             const char *parameter,
                             const char *text)
{
  gsize index;

  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));
  g_return_if_fail (self->kernel != NULL);

  if (!cured_kernel_find_parameter (self->kernel, parameter, &index))
    g_return_if_reached ();
  cured_axis_row_set_text (
      CURED_AXIS_ROW (gtk_list_box_get_row_at_index (self->axes, (int) index)),
      text);
}

/**
 * cured_sweep_dialog_set_path:
 * @self: the dialog
 * @path: the file to write; replaced if it is there
 *
 * Chooses the file, as the save dialog does after asking.
 */
void
cured_sweep_dialog_set_path (CuredSweepDialog *self, const char *path)
{
  g_return_if_fail (CURED_IS_SWEEP_DIALOG (self));

  g_free (self->path);
  self->path = g_strdup (path);
  self->is_path_chosen = TRUE;
  show_path (self);
}

/**
 * cured_sweep_dialog_get_status:
 * @self: the dialog
 *
 * Returns: (transfer none): what Run will do, or why it can't
 */
const char *
cured_sweep_dialog_get_status (CuredSweepDialog *self)
{
  g_return_val_if_fail (CURED_IS_SWEEP_DIALOG (self), NULL);
  return gtk_label_get_label (self->status);
}

/**
 * cured_sweep_dialog_run:
 * @self: the dialog
 *
 * Presses Run: emits `ready` and closes, or says why not.
 *
 * Returns: whether a sweep is ready
 */
gboolean
cured_sweep_dialog_run (CuredSweepDialog *self)
{
  const CuredDeviceFound *device;
  const char *problem;
  g_autofree char *launcher = NULL;
  g_autofree char *folder = NULL;
  g_autoptr (CuredSweep) sweep = NULL;

  g_return_val_if_fail (CURED_IS_SWEEP_DIALOG (self), FALSE);

  device = get_device (self);
  if (self->kernel == NULL || device == NULL || !read_spec (self, &problem))
    return FALSE;
  /* Another sweep may have taken the name meanwhile. */
  if (!self->is_path_chosen)
    {
      g_free (self->path);
      self->path = cured_sweep_propose_path (self->kernel->id, self->folder);
    }
  folder = g_path_get_dirname (self->path);
  if (g_mkdir_with_parents (folder, 0755) != 0)
    {
      /* Translators: a folder, and why it can't be made. */
      g_autofree char *text =
          g_strdup_printf (_ ("%s can't be made: %s. Choose another file."),
                           folder,
                           g_strerror (errno));

      set_status (self, text, TRUE);
      return FALSE;
    }
  sweep = cured_sweep_new (
      self->spec, device->id, self->path, self->is_path_chosen);
  launcher = dup_text (self->launcher);
  cured_sweep_set_launcher (sweep, launcher);
  g_signal_emit (self, signals[READY], 0, sweep);
  gtk_window_destroy (GTK_WINDOW (self));
  return TRUE;
}
