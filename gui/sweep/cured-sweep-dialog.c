/* SPDX-License-Identifier: MIT
 * A new sweep: kernel, device, parameters and file. */
#include <config.h>

#include "sweep/cured-gui-sweep.h"

#include <errno.h>
#include <string.h>

/* From the last keystroke to counting the cells. */
#define COUNT_DELAY_MS 150

/* Maximum estimated duration of a default sweep on the emulator. */
#define FIRST_SWEEP_S 6.0

typedef void (*UseFile) (CuredSweepDialog *self, const char *path);

struct _CuredSweepDialog
{
  AdwWindow parent_instance;

  /* Template widgets */
  AdwWindowTitle *title;
  GtkWidget *back, *run, *launchers, *status_icon;
  CuredToastOverlay *toasts;
  GtkStack *stack;
  CuredKernelList *kernels;
  CuredPresetRow *preset;
  AdwPreferencesGroup *axes_group;
  GtkListBox *axes;
  CuredDeviceFinder *finder;
  AdwComboRow *device;
  GtkEditable *launcher;
  GMenu *launchers_menu;
  AdwActionRow *output;
  CuredOptionsGroup *options;
  GtkRevealer *status_revealer;
  GtkLabel *status;

  /* Owned */
  CuredKernel *kernel;    /* nullable: none chosen yet */
  CuredSpec *spec;        /* nullable: the input is invalid */
  CuredSpec *origin;      /* nullable: the initial values */
  char *origin_device_id; /* nullable: any */
  char *device_id;        /* nullable: to select once it is found */
  char *default_id;       /* nullable: of the automatically selected device */
  CuredTask *counting;
  CuredResult *example; /* nullable: basis of the estimated duration */
  char *path;

  gboolean is_default;     /* @origin is the kernel's default sweep */
  gboolean is_recorded;    /* @origin is the sweep of @example, which a GPU measured */
  gboolean is_fitted;      /* with smaller problems, for the emulator */
  gboolean is_path_chosen; /* by the user, who was asked before replacing */
  gboolean is_stale;       /* the input changed since @counting began */
  guint count_id;
};

G_DEFINE_FINAL_TYPE (CuredSweepDialog, cured_sweep_dialog, ADW_TYPE_WINDOW)

static void refit (CuredSweepDialog *self);

/* The selected device; NULL during a search. */
static CuredDeviceItem *
get_device (CuredSweepDialog *self)
{
  return cured_device_finder_is_searching (self->finder)
             ? NULL
             : adw_combo_row_get_selected_item (self->device);
}

/* For the template. */

static gboolean
is_emulator (GObject *object, CuredDeviceItem *device)
{
  return device != NULL && cured_device_item_get_info (device)->limits.emulated != 0;
}

static gboolean
has_text (GObject *object, const char *text)
{
  return text != NULL && *text != '\0';
}

static char *
get_problem_title (GObject *object, gboolean is_usable)
{
  return g_strdup (is_usable ? _ ("Some devices can't be used") : _ ("No device can be used"));
}

/* Shows in the bottom line what Run will do, or why it can't. */
static void
set_status (CuredSweepDialog *self, const char *text, gboolean is_ready)
{
  gtk_label_set_label (self->status, text);
  gtk_widget_set_visible (self->status_icon, !is_ready);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.run", is_ready);
  gtk_widget_set_tooltip_text (self->run, is_ready ? NULL : text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->run), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text, -1);
}

/* The output file. */

static void
show_path (CuredSweepDialog *self)
{
  g_autofree char *name = g_filename_display_basename (self->path);
  g_autofree char *path = g_path_get_dirname (self->path);
  g_autofree char *folder = g_filename_display_name (path);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->output), name);
  adw_action_row_set_subtitle (self->output, folder);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.choose-output", TRUE);
}

static void
use_file (CuredSweepDialog *self, GFile *file, UseFile use)
{
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    use (self, path);
  else if (file != NULL)
    cured_toast_overlay_show (self->toasts, _ ("Choose a file of this machine."));
}

static void
output_chosen_cb (gpointer self, GFile *file)
{
  use_file (self, file, cured_sweep_dialog_set_path);
}

static void
choose_output_cb (CuredSweepDialog *self, const char *action, GVariant *parameter)
{
  g_autofree char *name = g_filename_display_basename (self->path);
  g_autofree char *path = g_path_get_dirname (self->path);
  g_autoptr (GFile) folder =
      g_file_test (path, G_FILE_TEST_IS_DIR) ? g_file_new_for_path (path) : NULL;

  cured_chooser_ask (self,
                     &(CuredChooser){ .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                      .title = _ ("Save the Results"),
                                      .accept = _ ("_Choose"),
                                      .name = name,
                                      .folder = folder },
                     output_chosen_cb);
}

/* Counting cells: input is validated at once, and planned in a thread. */

typedef struct
{
  CuredSpec *spec;
  CuredDeviceInfo device;
  char *example; /* nullable: a file of the same kernel on such a device */
  CuredOptions example_options;
  gint64 n_cells, n_launchable;
  CuredEstimate estimate;
  gboolean is_fitted;
} Counting;

static void
counting_free (gpointer data)
{
  Counting *self = data;

  cured_spec_unref (self->spec);
  cured_device_info_clear (&self->device);
  if (self->example != NULL)
    cured_options_clear (&self->example_options);
  g_free (self->example);
  g_free (self);
}

static void
count_work (CuredTask *task)
{
  Counting *counting = task->input;
  g_autoptr (CuredPlan) plan =
      cured_plan_new (counting->spec, &counting->device.limits, &task->error);

  if (plan == NULL)
    return;
  counting->n_cells = cured_plan_get_n_cells (plan) - cured_plan_get_n_left_out (plan);
  counting->n_launchable = cured_plan_get_n_launchable (plan);
  cured_estimate_sweep (plan, &counting->device, counting->example, &counting->example_options,
                        &counting->estimate);
}

static char *
describe_count (const Counting *counting)
{
  gint64 n_bad = counting->n_cells - counting->n_launchable;
  g_autofree char *cells = cured_format_count (counting->n_cells);
  g_autofree char *bad = cured_format_count (n_bad);
  g_autofree char *duration = cured_estimate_describe (&counting->estimate, counting->example);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, ngettext ("%s cell", "%s cells", (gulong) counting->n_cells),
                          cells);
  if (n_bad > 0)
    {
      g_string_append (text, " · ");
      g_string_append_printf (text,
                              /* Translators: cells that break a limit of the device, and are not
                               * run. */
                              ngettext ("%s not launchable on this device",
                                        "%s not launchable on this device", (gulong) n_bad),
                              bad);
    }
  g_string_append_printf (text, " · %s", duration);
  if (counting->is_fitted)
    /* Translators: follows how many cells a sweep has and how long it takes; its problems are
     * smaller than the kernel's usual ones. */
    g_string_append_printf (text, " · %s", _ ("sizes for the emulator"));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void count (CuredSweepDialog *self);

static void
counted_cb (CuredSweepDialog *self, CuredTask *task)
{
  const Counting *counting = task->input;
  g_autofree char *text = NULL;

  if (self->is_stale)
    {
      count (self);
      return;
    }
  /* The input changed, and will be counted soon. */
  if (self->count_id != 0)
    return;
  if (task->error != NULL)
    set_status (self, task->error->message, FALSE);
  else if (counting->n_launchable == 0)
    set_status (self, _ ("No cell can be launched on this device."), FALSE);
  else
    {
      text = describe_count (counting);
      set_status (self, text, TRUE);
    }
  g_signal_emit_by_name (self, "counted");
}

static const CuredTaskKind count_task =
    CURED_TASK_KIND (count_work, counted_cb, counting_free, NULL);

/* Whether axes or options differ from the initial ones. */
static gboolean
is_spec_changed (CuredSweepDialog *self)
{
  const CuredOptions *before = cured_spec_get_options (self->origin);
  gboolean is_emulated = is_emulator (NULL, adw_combo_row_get_selected_item (self->device));
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  if (self->spec == NULL)
    return TRUE;
  for (gsize i = 0; i < self->kernel->n_parameters; i++)
    {
      g_autofree char *first = cured_axis_to_string (cured_spec_get_axis (self->origin, i));
      g_autofree char *second = cured_axis_to_string (cured_spec_get_axis (self->spec, i));

      if (!g_str_equal (first, second))
        return TRUE;
    }
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *first = cured_option_to_string (&rows[i], before);
      g_autofree char *second =
          cured_option_to_string (&rows[i], cured_spec_get_options (self->spec));

      if (rows[i].title != NULL && !g_str_equal (first, second) &&
          (is_emulated || (rows[i].flags & CURED_OPTION_EMULATOR) == 0))
        return TRUE;
    }
  return FALSE;
}

/* Whether the device, axes or options differ from the initial ones. */
static gboolean
is_changed (CuredSweepDialog *self)
{
  return (self->origin_device_id != NULL &&
          g_strcmp0 (self->origin_device_id, self->device_id) != 0) ||
         is_spec_changed (self);
}

static void
start_counting (CuredSweepDialog *self, const CuredDeviceInfo *info)
{
  Counting *counting = g_new0 (Counting, 1);

  counting->spec = cured_spec_ref (self->spec);
  counting->is_fitted = self->is_fitted && !is_spec_changed (self);
  cured_device_info_copy (info, &counting->device);
  if (self->example != NULL &&
      g_str_equal (cured_result_get_kernel_id (self->example), self->kernel->id) &&
      g_str_equal (cured_result_get_device (self->example)->name, info->name))
    {
      counting->example = g_strdup (cured_result_get_path (self->example));
      cured_options_copy (cured_result_get_options (self->example), &counting->example_options);
    }
  cured_task_start (&self->counting, self, &count_task, counting);
}

/* Makes a spec of the input. Returns: whether the input is valid */
static gboolean
read_spec (CuredSweepDialog *self, GError **error)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (self->kernel);
  g_autoptr (GError) problem = NULL;
  gboolean is_valid = TRUE;
  GtkListBoxRow *row;

  g_clear_pointer (&self->spec, cured_spec_unref);
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->axes, i)) != NULL; i++)
    if (!cured_axis_row_apply (CURED_AXIS_ROW (row), spec))
      is_valid = FALSE;
  if (!cured_options_group_read (self->options, cured_spec_get_options (spec), &problem) &&
      is_valid)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (is_valid)
    self->spec = g_steal_pointer (&spec);
  else
    g_set_error_literal (error, CURED_ERROR, CURED_ERROR_INVALID,
                         _ ("A parameter's values are not understood."));
  return is_valid;
}

static void
count (CuredSweepDialog *self)
{
  CuredDeviceItem *device = get_device (self);
  g_autoptr (GError) error = NULL;
  g_autofree char *cells = NULL;
  g_autofree char *text = NULL;
  gint64 n_cells;

  /* One plan at a time: a large one takes longer than typing. */
  self->is_stale = self->counting != NULL;
  if (self->is_stale)
    return;

  if (!read_spec (self, &error) || !cured_spec_count_cells (self->spec, &n_cells, &error))
    set_status (self, error->message, FALSE);
  else if (device != NULL)
    {
      start_counting (self, cured_device_item_get_info (device));
      return;
    }
  else
    {
      cells = cured_format_count (n_cells);
      text = g_strdup_printf (cured_device_finder_is_searching (self->finder)
                                  /* Translators: how many cells. */
                                  ? ngettext ("%s cell · looking for a device…",
                                              "%s cells · looking for a device…", (gulong) n_cells)
                                  /* Translators: how many cells. */
                                  : ngettext ("%s cell · there is no device to run it on",
                                              "%s cells · there is no device to run them on",
                                              (gulong) n_cells),
                              cells);
      set_status (self, text, FALSE);
    }
  g_signal_emit_by_name (self, "counted");
}

/* Updates the spec after a change by the user or a preset, and schedules a count. */
static void
count_later (CuredSweepDialog *self)
{
  if (self->kernel == NULL)
    return;
  /* The last count is no longer valid. */
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.run", FALSE);
  read_spec (self, NULL);
  cured_preset_row_set_changed (self->preset, is_changed (self));
  CURED_LATER (count_id, COUNT_DELAY_MS, count);
}

/* Devices. */

static void
device_changed_cb (CuredSweepDialog *self)
{
  CuredDeviceItem *device = get_device (self);

  if (device == NULL)
    return;
  cured_set_string (&self->device_id, cured_device_item_get_id (device));
  if (self->kernel != NULL && (self->is_default || self->is_recorded) && !is_spec_changed (self))
    refit (self);
  count_later (self);
}

/* Whether the kernel has no known defect, and its source is that of the example or the catalogue: a
 * model does not detect errors. */
static gboolean
is_trusted (CuredSweepDialog *self)
{
  g_autoptr (CuredKernel) known =
      self->kernel != NULL ? cured_catalogue_get (self->kernel->id, NULL) : NULL;
  const char *source = known != NULL ? known->source : NULL;

  if (self->kernel == NULL || self->kernel->defect != NULL)
    return FALSE;
  if (self->example != NULL &&
      g_str_equal (cured_result_get_kernel_id (self->example), self->kernel->id))
    source = cured_result_get_source (self->example);
  return g_strcmp0 (self->kernel->source, source) == 0;
}

/* (transfer full) (nullable): the model of the chip that the example was measured on, or else the
 * kernel was recorded on; NULL for an untrusted kernel, which the emulator is to check. */
static char *
find_model (CuredSweepDialog *self, const CuredDeviceInfo *like)
{
  g_autoptr (CuredMachine) machine = like != NULL ? cured_machine_for_device (like) : NULL;
  g_autofree char *folder = cured_recordings_find_folder ();
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);

  if (!is_trusted (self))
    return NULL;
  if (machine != NULL)
    return g_strconcat ("model:", machine->id, NULL);
  const char *path = paths != NULL ? cured_recordings_find (paths, self->kernel->id, NULL) : NULL;
  /* KERNEL-CHIP.cured */
  return path != NULL ? g_strdup_printf ("model:%.*s", (int) strcspn (strrchr (path, '-') + 1, "."),
                                         strrchr (path, '-') + 1)
                      : NULL;
}

static void
choose_device (CuredSweepDialog *self)
{
  const CuredDeviceInfo *like =
      self->example != NULL ? cured_result_get_device (self->example) : NULL;
  g_autofree char *preferred = cured_settings_get_string ("device");
  g_autofree char *model = find_model (self, like);
  const char *arch = self->kernel != NULL ? self->kernel->arch : NULL;
  guint position;

  if (arch == NULL && like != NULL && g_str_has_prefix (like->arch, "sm_"))
    arch = like->arch + strlen ("sm_");
  /* “cuda:0” in a file may be on another machine. */
  if ((like != NULL && g_strcmp0 (self->device_id, like->id) == 0 &&
       cured_device_finder_get_nearest (self->finder, like, &position)) ||
      (g_strcmp0 (self->device_id, self->default_id) != 0 &&
       cured_device_finder_get_position (self->finder, self->device_id, &position)) ||
      (preferred != NULL && cured_device_finder_get_position (self->finder, preferred, &position)))
    adw_combo_row_set_selected (self->device, position);
  else if (cured_device_finder_get_default (self->finder, arch, model, &position))
    {
      adw_combo_row_set_selected (self->device, position);
      g_free (self->default_id);
      self->default_id = g_strdup (cured_device_item_get_id (get_device (self)));
    }
  /* The sweep's own device may not exist here; the dialog's choice is no change of the user's. */
  if (get_device (self) == NULL || self->origin == NULL)
    return;
  cured_set_string (&self->origin_device_id, cured_device_item_get_id (get_device (self)));
  cured_preset_row_set_changed (self->preset, is_changed (self));
}

/* Reads the recent launchers again: the command may have added some. */
static void
fill_launchers (CuredSweepDialog *self)
{
  g_auto (GStrv) recent = cured_launcher_list_recent ();

  g_menu_remove_all (self->launchers_menu);
  for (gsize i = 0; recent[i] != NULL; i++)
    cured_menu_append_name (self->launchers_menu, recent[i], "sweep.use-launcher", recent[i]);
  gtk_widget_set_visible (self->launchers, recent[0] != NULL);
}

static void
searching_cb (CuredSweepDialog *self)
{
  gboolean is_searching = cured_device_finder_is_searching (self->finder);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.find-devices", !is_searching);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.stop-finding", is_searching);
  if (!is_searching)
    {
      choose_device (self);
      fill_launchers (self);
      /* Another device may have the same index. */
      device_changed_cb (self);
    }
  count_later (self);
}

static void
use_launcher_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  cured_device_finder_set_launcher (CURED_SWEEP_DIALOG (widget)->finder,
                                    g_variant_get_string (parameter, NULL));
}

static void
launcher_applied_cb (CuredSweepDialog *self)
{
  cured_device_finder_set_launcher (self->finder, gtk_editable_get_text (self->launcher));
}

static void
stop_finding_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  cured_device_finder_stop (CURED_SWEEP_DIALOG (widget)->finder);
}

static void
find_devices_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  cured_device_finder_search (CURED_SWEEP_DIALOG (widget)->finder);
}

/* The kernel. */

static void
show_page (CuredSweepDialog *self, const char *name)
{
  gboolean is_set_up = g_str_equal (name, "set-up");

  gtk_stack_set_visible_child_name (self->stack, name);
  gtk_widget_set_visible (self->back, is_set_up);
  gtk_widget_set_visible (self->run, is_set_up);
  /* GTK resets a default widget that is hidden. */
  if (is_set_up)
    gtk_window_set_default_widget (GTK_WINDOW (self), self->run);
  gtk_revealer_set_reveal_child (self->status_revealer, is_set_up);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.back", is_set_up);
  adw_window_title_set_title (self->title, is_set_up ? cured_kernel_translate (self->kernel->title)
                                                     : _ ("New Sweep"));
  adw_window_title_set_subtitle (self->title, is_set_up ? self->kernel->id : _ ("Choose a kernel"));
  if (!is_set_up)
    gtk_widget_grab_focus (GTK_WIDGET (self->kernels));
}

/* Returns: (transfer full): the kernel's default sweep, or that of a recording, with smaller sizes
 * if the device is an emulator. */
static CuredSpec *
make_first (CuredSweepDialog *self, CuredKernel *kernel)
{
  CuredDeviceItem *device = get_device (self);
  CuredSpec *spec = self->is_recorded ? cured_spec_new_from_result (self->example, kernel)
                                      : cured_spec_new (kernel);

  if (!self->is_recorded)
    cured_spec_use_default_sweep (spec);
  self->is_fitted =
      is_emulator (NULL, device) &&
      cured_estimate_fit (spec, &cured_device_item_get_info (device)->limits, FIRST_SWEEP_S);
  return spec;
}

static void
fill_spec (CuredSweepDialog *self, CuredSpec *spec)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;

  g_clear_pointer (&self->origin, cured_spec_unref);
  self->origin = cured_spec_ref (spec);
  cured_set_string (&self->origin_device_id, self->device_id);
  cured_widget_empty (self->axes);
  for (gsize i = 0; i < n_parameters; i++)
    {
      GtkWidget *row = cured_axis_row_new (&parameters[i], cured_spec_get_axis (spec, i));

      CURED_CONNECT (row, "changed", count_later);
      gtk_list_box_append (self->axes, row);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->axes_group), n_parameters > 0);
  cured_options_group_set_options (self->options, cured_spec_get_options (spec));
}

static gboolean
has_same_axes (CuredSpec *spec, CuredSpec *other)
{
  gboolean is_same = TRUE;

  for (gsize i = 0; i < cured_spec_get_kernel (spec)->n_parameters; i++)
    is_same &= cured_axis_equal (cured_spec_get_axis (spec, i), cured_spec_get_axis (other, i));
  return is_same;
}

/* Updates the initial sizes, which depend on the device. */
static void
refit (CuredSweepDialog *self)
{
  g_autoptr (CuredSpec) spec = make_first (self, self->kernel);
  gboolean has_focus = gtk_widget_get_focus_child (GTK_WIDGET (self->axes)) != NULL;

  if (has_same_axes (spec, self->origin))
    return;
  fill_spec (self, spec);
  if (has_focus)
    gtk_widget_child_focus (GTK_WIDGET (self->axes), GTK_DIR_TAB_FORWARD);
}

static void
set_spec (CuredSweepDialog *self, CuredSpec *spec, const char *origin)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);

  cured_kernel_ref (kernel);
  g_clear_pointer (&self->kernel, cured_kernel_unref);
  self->kernel = kernel;
  self->is_default = self->is_recorded = FALSE;
  fill_spec (self, spec);
  cured_kernel_list_set_shown (self->kernels, kernel->id);
  cured_preset_row_set_kernel (self->preset, kernel->id);
  cured_preset_row_show (self->preset, NULL, origin);

  if (!self->is_path_chosen)
    {
      g_free (self->path);
      self->path = cured_sweep_propose_path (kernel->id, NULL);
      show_path (self);
    }
  show_page (self, "set-up");
  gtk_widget_child_focus (GTK_WIDGET (self->axes), GTK_DIR_TAB_FORWARD);
  count (self);
}

/* Shows the default sweep of a kernel. @kernel: of the catalogue, of a file, or being edited. */
void
cured_sweep_dialog_set_kernel (CuredSweepDialog *self, CuredKernel *kernel)
{
  g_autoptr (CuredSpec) spec = make_first (self, kernel);

  set_spec (self, spec, NULL);
  self->is_default = TRUE;
  if (!cured_device_finder_is_searching (self->finder))
    choose_device (self);
}

/* Presets. */

/* Shows a preset's sweep. @name: of a preset of the kernel; "": the default sweep. */
void
cured_sweep_dialog_choose_preset (CuredSweepDialog *self, const char *name)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (self->kernel);
  g_autoptr (CuredPreset) preset = NULL;
  g_autoptr (GError) error = NULL;

  self->is_recorded = FALSE;
  self->is_default = *name == '\0';
  if (self->is_default)
    {
      cured_spec_unref (spec);
      spec = make_first (self, self->kernel);
    }
  else
    {
      preset = cured_presets_load (self->kernel->id, name, &error);
      /* Use the values that still fit the kernel. */
      if (preset != NULL)
        cured_preset_apply (preset, spec, &error);
      if (error != NULL)
        cured_toast_overlay_show (self->toasts, error->message);
      if (preset == NULL)
        return;
    }
  if (preset != NULL && preset->device_id != NULL)
    cured_sweep_dialog_set_device (self, preset->device_id, preset->launcher);
  fill_spec (self, spec);
  cured_preset_row_show (self->preset, preset != NULL ? preset->name : NULL, NULL);
  count_later (self);
}

static void
save_preset_cb (CuredSweepDialog *self, const char *name)
{
  g_autoptr (CuredPreset) preset = NULL;
  g_autoptr (GError) error = NULL;

  if (read_spec (self, &error))
    preset = cured_preset_new (name, self->spec, self->device_id,
                               cured_device_finder_get_launcher (self->finder));
  if (preset == NULL || !cured_presets_save (preset, &error))
    {
      cured_toast_overlay_show (self->toasts, error->message);
      return;
    }
  fill_spec (self, self->spec);
  cured_preset_row_show (self->preset, name, NULL);
  /* Translators: a preset's name. */
  g_autofree char *text = g_strdup_printf (_ ("“%s” was saved"), name);
  cured_toast_overlay_show (self->toasts, text);
}

static void
undo_delete_cb (CuredToastOverlay *toasts, gpointer data)
{
  CuredSweepDialog *self = CURED_SWEEP_DIALOG (gtk_widget_get_root (GTK_WIDGET (toasts)));
  const CuredPreset *preset = data;
  g_autoptr (GError) error = NULL;

  if (!cured_presets_save (preset, &error))
    cured_toast_overlay_show (toasts, error->message);
  else if (g_str_equal (preset->kernel_id, self->kernel->id))
    cured_preset_row_show (self->preset, preset->name, NULL);
}

static void
preset_deleted_cb (CuredSweepDialog *self, CuredPreset *preset)
{
  /* Translators: a preset's name. */
  g_autofree char *text = g_strdup_printf (_ ("“%s” was deleted"), preset->name);

  cured_toast_overlay_offer (self->toasts, text, _ ("_Undo"), undo_delete_cb,
                             cured_preset_ref (preset), (GDestroyNotify) cured_preset_unref);
}

/* Shows the default sweep of a kernel, or a message if the file is not a kernel file. */
void
cured_sweep_dialog_choose_kernel (CuredSweepDialog *self, const char *id_or_path)
{
  g_autoptr (GError) error = NULL;

  g_autoptr (CuredKernel) kernel = cured_catalogue_load (id_or_path, &error);
  if (kernel != NULL)
    cured_sweep_dialog_set_kernel (self, kernel);
  else
    cured_ask (GTK_WINDOW (self), _ ("The Kernel Can't Be Used"), error->message,
               cured_answer_close, self, NULL);
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
                     &(CuredChooser){ .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                      .title = _ ("Open a Kernel File"),
                                      .accept = _ ("_Open"),
                                      .filters = &kernels,
                                      .n_filters = 1 },
                     kernel_chosen_cb);
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

  /* Ignore signals of the template's children during their destruction. */
  if (self->finder != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->finder, self);
      g_signal_handlers_disconnect_by_data (self->device, self);
      g_signal_handlers_disconnect_by_data (self->options, self);
      cured_device_finder_stop (self->finder);
    }
  cured_task_cancel (&self->counting);
  cured_template_dispose (object);
}

static void
cured_sweep_dialog_class_init (CuredSweepDialogClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = cured_sweep_dialog_dispose;

  cured_class_add_signal (klass, "ready", 1, CURED_TYPE_SWEEP);
  cured_class_add_signal (klass, "counted", 0);

  CURED_NEEDS (DEVICE_FINDER, DEVICE_ITEM, KERNEL_LIST, OPTIONS_GROUP, PRESET_ROW, TOAST_OVERLAY);
  cured_template_set (klass, "cured-sweep-dialog");
  CURED_BIND (CuredSweepDialog, title, back, run, toasts, stack, kernels, preset, axes_group);
  CURED_BIND (CuredSweepDialog, axes, finder, device, launcher, launchers, launchers_menu, output,
              options);
  CURED_BIND (CuredSweepDialog, status_revealer, status_icon, status);
  CURED_CALLBACKS (is_emulator, has_text, get_problem_title, cured_sweep_dialog_choose_kernel,
                   device_changed_cb, searching_cb, launcher_applied_cb, count_later);
  CURED_CALLBACKS (cured_sweep_dialog_choose_preset, save_preset_cb, preset_deleted_cb);

  CURED_ACTION ("sweep.back", NULL, back_cb);
  CURED_ACTION ("sweep.run", NULL, run_cb);
  CURED_ACTION ("sweep.open-kernel", NULL, open_kernel_cb);
  CURED_ACTION ("sweep.choose-output", NULL, choose_output_cb);
  CURED_ACTION ("sweep.find-devices", NULL, find_devices_cb);
  CURED_ACTION ("sweep.use-launcher", "s", use_launcher_cb);
  CURED_ACTION ("sweep.stop-finding", NULL, stop_finding_cb);

  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, GDK_ALT_MASK, "sweep.back",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Return, GDK_CONTROL_MASK, "sweep.run",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  CURED_OWNS (CuredSweepDialog, example);
  CURED_TIMERS (CuredSweepDialog, count_id);
  CURED_FREES (CuredSweepDialog, cured_spec_unref, spec, origin);
  CURED_FREES (CuredSweepDialog, cured_kernel_unref, kernel);
  CURED_FREES (CuredSweepDialog, g_free, origin_device_id, device_id, default_id, path);
}

static void
cured_sweep_dialog_init (CuredSweepDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.choose-output", FALSE);
  g_object_bind_property (self->finder, "launcher", self->launcher, "text", G_BINDING_DEFAULT);
  show_page (self, "kernels");
  fill_launchers (self);
  g_autofree char *launcher = cured_settings_get_string ("launcher");
  if (launcher != NULL)
    cured_device_finder_set_launcher (self->finder, launcher);
  else
    cured_device_finder_search (self->finder);
}

/* Creates the dialog, not yet presented, and starts to search for devices in a thread. Returns:
 * the dialog, owned by GTK */
CuredSweepDialog *
cured_sweep_dialog_new (GtkWindow *parent)
{
  return g_object_new (CURED_TYPE_SWEEP_DIALOG, "transient-for", parent, NULL);
}

/* Shows the kernel, axes and options of @spec. */
void
cured_sweep_dialog_set_spec (CuredSweepDialog *self, CuredSpec *spec, const char *origin)
{
  g_return_if_fail (spec != NULL);
  set_spec (self, spec, origin);
  if (self->example == NULL ||
      !cured_device_info_has_time (cured_result_get_device (self->example)))
    return;
  g_autoptr (CuredSpec) recorded = cured_spec_new_from_result (self->example, self->kernel);
  self->is_recorded = has_same_axes (spec, recorded);
  device_changed_cb (self);
}

/* Selects a device once it is found. @launcher: (nullable): a command that starts the worker on
 * another machine. */
void
cured_sweep_dialog_set_device (CuredSweepDialog *self, const char *id, const char *launcher)
{
  cured_set_string (&self->device_id, id);
  cured_device_finder_set_launcher (self->finder, launcher);
  if (!cured_device_finder_is_searching (self->finder))
    choose_device (self);
}

/* @example: a result from which to estimate durations of its kernel on its device, unless a newer
 * sweep gives a better estimate. */
void
cured_sweep_dialog_set_example (CuredSweepDialog *self, CuredResult *example)
{
  g_set_object (&self->example, example);
}

/* Sets the devices, without a search. @devices: (element-type CuredDeviceFound) */
void
cured_sweep_dialog_set_devices (CuredSweepDialog *self, GPtrArray *devices)
{
  cured_device_finder_set_found (self->finder, devices);
}

void
cured_sweep_dialog_set_axis (CuredSweepDialog *self, const char *parameter, const char *text)
{
  gsize index;

  g_return_if_fail (self->kernel != NULL);

  if (!cured_kernel_find_parameter (self->kernel, parameter, &index))
    g_return_if_reached ();
  cured_axis_row_set_text (CURED_AXIS_ROW (gtk_list_box_get_row_at_index (self->axes, (int) index)),
                           text);
}

/* Sets the output file, as after a confirmed save dialog. @path: of the file; an existing one is
 * replaced. */
void
cured_sweep_dialog_set_path (CuredSweepDialog *self, const char *path)
{
  cured_set_string (&self->path, path);
  self->is_path_chosen = TRUE;
  show_path (self);
}

const char *
cured_sweep_dialog_get_status (CuredSweepDialog *self)
{
  return gtk_label_get_label (self->status);
}

/* Activates Run: emits `ready` and closes, or shows why not. Returns: whether a sweep is ready */
gboolean
cured_sweep_dialog_run (CuredSweepDialog *self)
{
  CuredDeviceItem *device = get_device (self);
  if (self->kernel == NULL || device == NULL || !read_spec (self, NULL))
    return FALSE;
  /* Another sweep may have used the name since. */
  if (!self->is_path_chosen)
    {
      g_free (self->path);
      self->path = cured_sweep_propose_path (self->kernel->id, NULL);
    }
  g_autofree char *folder = g_path_get_dirname (self->path);
  if (g_mkdir_with_parents (folder, 0755) != 0)
    {
      /* Translators: a folder, and why it can't be made. */
      g_autofree char *text = g_strdup_printf (_ ("%s can't be made: %s. Choose another file."),
                                               folder, g_strerror (errno));

      set_status (self, text, TRUE);
      return FALSE;
    }
  g_autoptr (CuredSweep) sweep = cured_sweep_new (self->spec, cured_device_item_get_id (device),
                                                  self->path, self->is_path_chosen);
  cured_sweep_set_launcher (sweep, cured_device_finder_get_launcher (self->finder));
  g_signal_emit_by_name (self, "ready", sweep);
  gtk_window_destroy (GTK_WINDOW (self));
  return TRUE;
}
