/* SPDX-License-Identifier: MIT
 * Sweeps in the window: the dialog, presets, pausing, running again, faults. */
#include <string.h>

#include "app/cured-window-private.h"
#include "gui-test.h"
#include "make-result.h"
#include "other-values.h"

static GPtrArray *
new_devices (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) cured_device_found_free);
}

static GPtrArray *
fake_devices (void)
{
  GPtrArray *devices = new_devices ();
  CuredDeviceFound *found = g_new0 (CuredDeviceFound, 1);

  found->id = g_strdup ("fake:0");
  found->info = g_new0 (CuredDeviceInfo, 1);
  make_device_info (found->info);
  g_free (found->info->name);
  found->info->name = g_strdup ("Fake device");
  g_ptr_array_add (devices, found);
  return devices;
}

static void
add_device (GPtrArray *devices, const char *id, const char *name, int major)
{
  g_autoptr (GPtrArray) made = fake_devices ();
  CuredDeviceFound *found = g_ptr_array_steal_index (made, 0);

  g_free (found->id);
  found->id = g_strdup (id);
  g_free (found->info->id);
  found->info->id = g_strdup (id);
  g_free (found->info->name);
  found->info->name = g_strdup (name);
  found->info->limits.compute_major = major;
  found->info->limits.compute_minor = 0;
  g_ptr_array_add (devices, found);
}

static CuredDeviceInfo *
add_kind (GPtrArray *devices, const char *id, int major, const char *kind)
{
  add_device (devices, id, id, major);
  CuredDeviceInfo *info = ((CuredDeviceFound *) devices->pdata[devices->len - 1])->info;
  g_free (info->kind);
  info->kind = g_strdup (kind);
  return info;
}

static void
add_emulator (GPtrArray *devices, const char *id, int major)
{
  add_kind (devices, id, major, "emulator")->limits.emulated = 1;
}

/* A file of another machine's device is continued on its like. */
TEST ("/sweep/nearest-device")
{
  g_autoptr (CuredDeviceFinder) finder = g_object_new (CURED_TYPE_DEVICE_FINDER, NULL);
  g_autoptr (GPtrArray) devices = fake_devices ();
  CuredDeviceInfo other;
  guint position = 99;

  ((CuredDeviceFound *) devices->pdata[0])->info->limits.compute_major = 8;
  add_device (devices, "cuda:0", "Old", 5);
  add_device (devices, "model:new", "Model of New", 9);
  add_device (devices, "emulator:sm_90", "Emulator", 9);
  add_device (devices, "cuda:1", "New", 9);
  cured_device_finder_set_found (finder, devices);

  const CuredDeviceInfo *like = ((CuredDeviceFound *) devices->pdata[1])->info;
  assert_soon (cured_device_finder_get_nearest (finder, like, &position));
  assert_soon_cmpuint (position, ==, 1);

  /* “cuda:0” elsewhere. */
  g_free (((CuredDeviceFound *) devices->pdata[4])->info->id);
  ((CuredDeviceFound *) devices->pdata[4])->info->id = g_strdup ("cuda:0");
  like = ((CuredDeviceFound *) devices->pdata[4])->info;
  assert_soon (cured_device_finder_get_nearest (finder, like, &position));
  assert_soon_cmpuint (position, ==, 4);
  g_ptr_array_remove_index (devices, 4);
  add_device (devices, "cuda:0", "Not here", 9);
  like = ((CuredDeviceFound *) devices->pdata[4])->info;
  cured_device_info_copy (like, &other);
  g_ptr_array_remove_index (devices, 4);
  cured_device_finder_set_found (finder, devices);
  assert_soon (cured_device_finder_get_nearest (finder, &other, &position));
  assert_soon_cmpuint (position, ==, 3);
  other.limits.compute_major = 7;
  assert_soon_not (cured_device_finder_get_nearest (finder, &other, &position));
  cured_device_info_clear (&other);
}

static CuredWindow *
open_empty (void)
{
  CuredWindow *window = cured_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  return window;
}

static gboolean
has_done_some (gpointer data)
{
  CuredProgress progress;

  return cured_sweep_get_progress (data, &progress) && progress.n_done >= 2;
}

static gint64
count_done (CuredSweep *sweep)
{
  CuredProgress progress;

  assert_soon (cured_sweep_get_progress (sweep, &progress));
  return progress.n_done;
}

static const char *
get_text (CuredWindow *window, const char *id)
{
  return gtk_label_get_label (GTK_LABEL (get (get (window, "run_bar"), id)));
}

/* A sweep of vector/add over some blocks, started in the window. */
static CuredSweep *
sweep_in (CuredWindow *window, const char *faults, const char *blocks, const char *name)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("vector/add", &fail));
  g_autofree char *path = in_folder (name);

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  MUST (cured_spec_parse_axis (spec, blocks, &fail));
  MUST (cured_spec_parse_axis (spec, "n=1024", &fail));
  cured_spec_get_options (spec)->limit_s = strstr (faults, "hang") != NULL ? 3 : 3000;
  cured_spec_get_options (spec)->sampling_s = 0.1;
  g_setenv ("CURED_FAKE", faults, TRUE);
  CuredSweep *sweep = cured_sweep_new (spec, "fake:0", path, FALSE);
  cured_tab_run (cured_window_get_tab (window), sweep);
  return sweep;
}

static void
close_swept (CuredWindow *window)
{
  CuredSweep *sweep = get_sweep (window);

  if (sweep != NULL && cured_sweep_is_active (sweep))
    {
      g_object_ref (sweep);
      cured_sweep_cancel (sweep);
      assert_soon (is_over (sweep));
      g_object_unref (sweep);
    }
  settle ();
  close_window (window);
}

static CuredSweepDialog *
open_dialog (CuredWindow *window, GPtrArray *devices)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.new-sweep", NULL);
  CuredSweepDialog *dialog = CURED_SWEEP_DIALOG (wait_for_dialog (CURED_TYPE_SWEEP_DIALOG));
  if (devices != NULL)
    cured_sweep_dialog_set_devices (dialog, devices);
  return dialog;
}

static void
wait_for_count (CuredSweepDialog *dialog)
{
  gboolean is_counted = FALSE;
  gulong id = g_signal_connect_swapped (dialog, "counted", G_CALLBACK (set_cb), &is_counted);

  assert_soon (is_set (&is_counted));
  g_signal_handler_disconnect (dialog, id);
}

static char *
get_axis (CuredSweepDialog *dialog, int index)
{
  GtkListBox *axes = GTK_LIST_BOX (get (dialog, "axes"));
  GtkWidget *row = GTK_WIDGET (gtk_list_box_get_row_at_index (axes, index));

  return g_strdup (gtk_editable_get_text (GTK_EDITABLE (get (row, "entry"))));
}

static gboolean
axis_is (CuredSweepDialog *dialog, int index, const char *values)
{
  g_autofree char *text = get_axis (dialog, index);

  return g_str_equal (text, values);
}

static const char *
get_preset_subtitle (CuredSweepDialog *dialog)
{
  return adw_action_row_get_subtitle (ADW_ACTION_ROW (get (dialog, "preset")));
}

static void
assert_status (CuredSweepDialog *dialog, const char *part)
{
  const char *status = cured_sweep_dialog_get_status (dialog);

  if (strstr (status, part) == NULL)
    g_error ("“%s” is not in “%s”", part, status);
}

typedef struct
{
  CuredWindow *window;
  CuredSweep *last; /* borrowed: another one is waited for */
} Another;

static gboolean
has_another (gpointer data)
{
  Another *another = data;
  CuredSweep *sweep = get_sweep (another->window);

  return sweep != another->last && !cured_sweep_is_active (sweep);
}

static gboolean
is_asked (gpointer data)
{
  return find_dialog (ADW_TYPE_MESSAGE_DIALOG) != NULL;
}

/* The question whether a stranger's source may run, answered. */
static void
answer (CuredWindow *window, const char *response)
{
  assert_soon (is_asked (NULL));
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (find_dialog (ADW_TYPE_MESSAGE_DIALOG));
  assert_soon_null (get_sweep (window));
  assert_soon_cmpstr (adw_message_dialog_get_default_response (dialog), ==, "cancel");
  assert_soon_nonnull (strstr (adw_message_dialog_get_body (dialog), "sent.cured"));
  assert_soon_nonnull (strstr (adw_message_dialog_get_body (dialog), "synthetic/sum"));
  adw_message_dialog_response (dialog, response);
  gtk_window_destroy (GTK_WINDOW (dialog));
  settle ();
}

static void
refuse (CuredWindow *window, const char *action)
{
  gtk_widget_activate_action (GTK_WIDGET (window), action, NULL);
  answer (window, "cancel");
  assert_soon_null (get_sweep (window));
}

/* A file of which nothing was run here, with the catalogue's own source. */
static void
make_own_result (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("vector/add", &error);
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  CuredDeviceInfo info;

  assert_soon (cured_spec_parse_axis (spec, "n=1024", NULL));
  assert_soon (cured_spec_parse_axis (spec, "blocks=1..3", NULL));
  cured_spec_get_options (spec)->sampling_s = 0.1;
  make_device_info (&info);
  g_autoptr (CuredPlan) plan = MUST (cured_plan_new (spec, &info.limits, &fail));
  g_autoptr (CuredStore) store = MUST (cured_store_create (path, plan, &info, FALSE, &fail));
  cured_device_info_clear (&info);
}

/* The source of a file that somebody sent runs after a question alone, which is asked once; the
 * catalogue's own runs without. Second: nothing else ran from here yet. */
TEST ("/sweep/sent")
{
  MakeResult what = { .n_tiles = 2, .n_blocks = 10 };
  g_autofree char *path = in_folder ("sent.cured");
  g_autofree char *own_path = in_folder ("own.cured");
  g_autoptr (GPtrArray) devices = fake_devices ();

  g_setenv ("CURED_FAKE", "", TRUE);
  make_own_result (own_path);
  CuredWindow *window = open_path (own_path);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-again", NULL);
  assert_soon_not (is_asked (NULL));
  g_autoptr (CuredSweep) sweep = g_object_ref (get_sweep (window));
  assert_soon (is_over (sweep));
  settle ();
  assert_soon_cmpint (count_done (sweep), ==, 3);
  close_swept (window);
  g_clear_object (&sweep);

  make_result (path, &what);
  window = open_path (path);
  refuse (window, "win.run-again");
  cured_document_set_cell (window->tab->document, 0);
  refuse (window, "win.rerun-cells");

  gtk_widget_activate_action (GTK_WIDGET (window), "win.new-sweep", NULL);
  CuredSweepDialog *dialog = CURED_SWEEP_DIALOG (wait_for_dialog (CURED_TYPE_SWEEP_DIALOG));
  cured_sweep_dialog_set_devices (dialog, devices);
  wait_for_count (dialog);
  assert_soon (cured_sweep_dialog_run (dialog));
  answer (window, "cancel");
  assert_soon_null (get_sweep (window));

  if (need_compiler ())
    {
      const char *source = cured_document_get_source (window->tab->document);
      g_autofree char *original = g_strdup (source);
      g_autofree char *edited = g_strconcat (source, "\n/* more */\n", NULL);
      GActionGroup *actions = G_ACTION_GROUP (window);

      g_action_group_change_action_state (actions, "run-on-change", g_variant_new_boolean (TRUE));
      cured_document_set_source (window->tab->document, edited);
      answer (window, "cancel");
      /* It is not asked at each change. */
      g_autoptr (GVariant) state = g_action_group_get_action_state (actions, "run-on-change");
      assert_soon_not (g_variant_get_boolean (state));
      cured_document_set_source (window->tab->document, original);
    }

  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-again", NULL);
  assert_soon (is_asked (NULL));
  shoot ("sweep-sent");
  answer (window, "run");
  sweep = g_object_ref (get_sweep (window));
  assert_soon (is_over (sweep));
  settle ();
  Another another = (Another){ .window = window, .last = sweep };
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-again", NULL);
  assert_soon_not (is_asked (NULL));
  assert_soon (has_another (&another));
  settle ();
  close_swept (window);
}

/* The dialog, with the keyboard, with what there is to choose from. */
TEST ("/sweep/dialog")
{
  guint n_emulators = 0;

  open_empty ();
  press ("ctrl+n");
  CuredSweepDialog *dialog = CURED_SWEEP_DIALOG (wait_for_dialog (CURED_TYPE_SWEEP_DIALOG));
  press ("v e c t o r slash a d d Return");
  AdwComboRow *device = ADW_COMBO_ROW (get (dialog, "device"));
  assert_soon (is_mapped (device));
  GListModel *names = adw_combo_row_get_model (device);
  for (guint i = 0; i < g_list_model_get_n_items (names); i++)
    {
      g_autoptr (CuredDeviceItem) item = g_list_model_get_item (names, i);

      if (g_str_has_prefix (cured_device_item_get_id (item), "emulator:sm_"))
        {
          adw_combo_row_set_selected (device, i);
          n_emulators++;
        }
    }
  assert_soon_cmpuint (n_emulators, >, 3);
  cured_sweep_dialog_set_axis (dialog, "vector", "1");
  cured_sweep_dialog_set_axis (dialog, "threads", "256");
  cured_sweep_dialog_set_axis (dialog, "n", "4096");
  cured_sweep_dialog_set_axis (dialog, "blocks", "1..7");
  wait_for_count (dialog);
  assert_status (dialog, "estimated from some of its blocks");
  assert_soon (gtk_widget_is_visible (get (dialog, "device_note")));
  shoot ("sweep-dialog-emulator");

  /* Options that are not understood are said to be. */
  gtk_editable_set_text (GTK_EDITABLE (get (dialog, "seed")), "x");
  wait_for_count (dialog);
  assert_status (dialog, "Seed of the inputs: expected");
  assert_soon_not (gtk_widget_is_sensitive (get (dialog, "run")));
  gtk_editable_set_text (GTK_EDITABLE (get (dialog, "seed")), "7");
  gtk_editable_set_text (GTK_EDITABLE (get (dialog, "blocks")), "some");
  wait_for_count (dialog);
  assert_status (dialog, "Blocks that run");
  gtk_editable_set_text (GTK_EDITABLE (get (dialog, "blocks")), "0..3");
  wait_for_count (dialog);
  assert_soon (gtk_widget_is_sensitive (get (dialog, "run")));

  /* Cells that can't be launched are distinguished. */
  cured_sweep_dialog_set_axis (dialog, "blocks", "1..7,3000000000");
  wait_for_count (dialog);
  assert_status (dialog, "8 cells");
  assert_status (dialog, "1 not launchable");
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (get (dialog, "advanced")), TRUE);
  settle ();
  gtk_widget_grab_focus (get (dialog, "shuffle"));
  settle ();
  shoot ("sweep-dialog-advanced");
  press ("Escape");
  assert_soon (find_dialog (CURED_TYPE_SWEEP_DIALOG) == NULL);
}

static void
count_mnemonics (GtkWidget *root, GHashTable *found)
{
  if (GTK_IS_LABEL (root) && gtk_widget_get_mapped (root))
    {
      guint key = gtk_label_get_mnemonic_keyval (GTK_LABEL (root));

      /* A title without a letter may have either. */
      if (key == GDK_KEY_VoidSymbol)
        key = 0;
      const char *other = g_hash_table_lookup (found, GUINT_TO_POINTER (key));
      /* An entry row has its title twice. */
      if (key != 0 && other != NULL && !g_str_equal (other, gtk_label_get_label (GTK_LABEL (root))))
        g_error ("“%s” and “%s” have the same mnemonic", other,
                 gtk_label_get_label (GTK_LABEL (root)));
      if (key != 0)
        g_hash_table_insert (found, GUINT_TO_POINTER (key),
                             (gpointer) gtk_label_get_label (GTK_LABEL (root)));
    }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    count_mnemonics (child, found);
}

/* A row for each option, in both directions, and no letter twice. */
TEST ("/sweep/options")
{
  CuredWindow *window = open_empty ();
  g_autoptr (GPtrArray) devices = fake_devices ();
  CuredSweepDialog *dialog = open_dialog (window, devices);
  g_autoptr (GHashTable) found = g_hash_table_new (NULL, NULL);
  g_auto (CuredOptions) options = { 0 }, read = { 0 };
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  cured_sweep_dialog_choose_kernel (dialog, "vector/add");
  wait_for_count (dialog);
  CuredOptionsGroup *group = CURED_OPTIONS_GROUP (get (dialog, "options"));
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (get (dialog, "measuring")), TRUE);
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (get (dialog, "advanced")), TRUE);
  assert_soon (gtk_widget_get_mapped (get (dialog, "shuffle")));
  count_mnemonics (GTK_WIDGET (dialog), found);
  assert_soon_cmpuint (g_hash_table_size (found), >, 18);

  /* What is set is shown and read again, to the last digit. */
  other_options_init (&options);
  options.hot = TRUE;
  g_object_set (group, "emulated", TRUE, NULL);
  cured_options_group_set_options (group, &options);
  settle ();
  cured_options_init (&read);
  MUST (cured_options_group_read (group, &read, &fail));
  assert_same_options (&options, &read, CURED_OPTION_UNSAFE);
  for (gsize i = 0; i < n_rows; i++)
    if (rows[i].title != NULL)
      assert_soon_nonnull (get (dialog, rows[i].name));
  assert_soon_cmpstr (gtk_editable_get_text (GTK_EDITABLE (get (dialog, "limit_s"))), ==, "100.5");
  assert_soon_cmpstr (gtk_editable_get_text (GTK_EDITABLE (get (dialog, "precision"))), ==, "6.25");
  assert_soon_not (gtk_switch_get_active (GTK_SWITCH (get (dialog, "cold"))));

  /* On another device, what the emulator alone understands counts nothing. */
  g_object_set (group, "emulated", FALSE, NULL);
  gtk_editable_set_text (GTK_EDITABLE (get (dialog, "blocks")), "some");
  assert_soon_not (gtk_widget_is_sensitive (get (dialog, "blocks")));
  assert_soon (cured_options_group_read (group, &read, NULL));
  assert_soon_null (read.blocks);
  gtk_switch_set_active (GTK_SWITCH (get (dialog, "hot")), FALSE);
  assert_soon_not (cured_options_group_read (group, &read, NULL));
  wait_for_count (dialog);
  assert_status (dialog, "nothing to measure");

  /* What was typed in is no change once it is there again. */
  gtk_widget_activate_action (get (dialog, "preset"), "preset.use", "s", "");
  assert_soon_null (strstr (get_preset_subtitle (dialog), "Changed"));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (get (dialog, "limit_s")), 3);
  assert_soon_nonnull (strstr (get_preset_subtitle (dialog), "Changed"));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (get (dialog, "limit_s")), 20);
  assert_soon_null (strstr (get_preset_subtitle (dialog), "Changed"));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* A large plan is counted beside the window, one plan at a time. */
TEST ("/sweep/large-plan")
{
  CuredWindow *window = open_empty ();
  g_autoptr (GPtrArray) devices = fake_devices ();
  CuredSweepDialog *dialog = open_dialog (window, devices);
  gint64 worst_us = 0;
  gint64 end_us = g_get_monotonic_time () + 2 * G_USEC_PER_SEC;

  cured_sweep_dialog_choose_kernel (dialog, "vector/add");
  cured_sweep_dialog_set_axis (dialog, "vector", "1");
  cured_sweep_dialog_set_axis (dialog, "threads", "256");
  cured_sweep_dialog_set_axis (dialog, "n", "4096");
  cured_sweep_dialog_set_axis (dialog, "blocks", "1..1000000");
  for (int i = 0; g_get_monotonic_time () < end_us; i++)
    {
      gint64 before_us = g_get_monotonic_time ();
      g_autofree char *text = g_strdup_printf ("1..%d", 1000000 - i);

      if (i % 50 == 0)
        cured_sweep_dialog_set_axis (dialog, "blocks", text);
      before_us = g_get_monotonic_time ();
      g_main_context_iteration (NULL, FALSE);
      worst_us = MAX (worst_us, g_get_monotonic_time () - before_us);
      g_usleep (1000);
    }
  g_test_message ("longest pause %" G_GINT64_FORMAT " us", worst_us);
  cured_sweep_dialog_set_axis (dialog, "blocks", "1..10");
  assert_soon (strstr (cured_sweep_dialog_get_status (dialog), "10 cells"));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static AdwMessageDialog *
find_question (void)
{
  return ADW_MESSAGE_DIALOG (wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG));
}

static const char *
get_preset_title (CuredSweepDialog *dialog)
{
  return adw_preferences_row_get_title (ADW_PREFERENCES_ROW (get (dialog, "preset")));
}

static GtkWidget *
find_button (GtkWidget *root, const char *label)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (GTK_IS_BUTTON (child) &&
          g_strcmp0 (gtk_button_get_label (GTK_BUTTON (child)), label) == 0)
        return child;
      GtkWidget *found = find_button (child, label);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static const char *
get_device_id (CuredSweepDialog *dialog)
{
  CuredDeviceItem *item = adw_combo_row_get_selected_item (ADW_COMBO_ROW (get (dialog, "device")));

  return item != NULL ? cured_device_item_get_id (item) : NULL;
}

/* Without a GPU, a first sweep is on the newest chip, and of a size that takes seconds; what a
 * person typed stays. */
TEST ("/sweep/first")
{
  CuredWindow *window = open_empty ();
  g_autoptr (GPtrArray) emulators = new_devices ();
  g_autoptr (GPtrArray) devices = fake_devices ();

  add_emulator (emulators, "emulator:sm_70", 7);
  add_emulator (emulators, "emulator:sm_120", 12);
  add_emulator (emulators, "emulator:sm_90", 9);
  CuredSweepDialog *dialog = open_dialog (window, emulators);
  cured_sweep_dialog_choose_kernel (dialog, "matmul/tiled");
  assert_soon_cmpstr (get_device_id (dialog), ==, "emulator:sm_120");
  assert_soon (axis_is (dialog, 1, "32,64,128"));
  wait_for_count (dialog);
  assert_status (dialog, "sizes for the emulator");

  /* A GPU has the kernel's own. */
  cured_sweep_dialog_set_devices (dialog, devices);
  assert_soon (axis_is (dialog, 1, "1024,2048,4096"));
  cured_sweep_dialog_set_axis (dialog, "n", "512");
  cured_sweep_dialog_set_devices (dialog, emulators);
  assert_soon (axis_is (dialog, 1, "512"));

  /* A kernel that was recorded has times by the model of that chip, one that is wrong has counts. */
  add_kind (emulators, "model:h100", 9, "model");
  add_kind (emulators, "model:h200", 9, "model");
  cured_sweep_dialog_set_devices (dialog, emulators);
  assert_soon_cmpstr (get_device_id (dialog), ==, "model:h200");
  cured_sweep_dialog_choose_kernel (dialog, "specimens/unfenced");
  assert_soon_cmpstr (get_device_id (dialog), ==, "emulator:sm_120");
  cured_sweep_dialog_choose_kernel (dialog, "matmul/tiled");
  assert_soon_cmpstr (get_device_id (dialog), ==, "model:h200");
  assert_soon (axis_is (dialog, 1, "1024,2048,4096"));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* A recording's sweep, too, has sizes that take seconds where there is no GPU. */
TEST ("/sweep/recorded")
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_RESULTS"), "matmul-tiled-h200.cured", NULL);
  CuredWindow *window = open_path (path);
  g_autoptr (GPtrArray) emulators = new_devices ();
  g_autoptr (GPtrArray) devices = fake_devices ();

  add_emulator (emulators, "emulator:sm_90", 9);
  CuredSweepDialog *dialog = open_dialog (window, emulators);
  assert_soon (axis_is (dialog, 1, "32,64,128"));
  wait_for_count (dialog);
  assert_status (dialog, "sizes for the emulator");
  add_kind (emulators, "model:h200", 9, "model");
  cured_sweep_dialog_set_devices (dialog, emulators);
  assert_soon_cmpstr (get_device_id (dialog), ==, "model:h200");
  cured_sweep_dialog_set_devices (dialog, devices);
  assert_soon (axis_is (dialog, 1, "1024,2048,4096"));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* A recording's GPU is missing: the dialog's choice of another device is no change of the user's. */
TEST ("/sweep/other-device")
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_RESULTS"), "banks-stride-h200.cured", NULL);
  CuredWindow *window = open_path (path);
  g_autoptr (GPtrArray) models = new_devices ();

  add_kind (models, "model:h200", 9, "model");
  CuredSweepDialog *dialog = open_dialog (window, models);
  wait_for_count (dialog);
  assert_soon_cmpstr (get_device_id (dialog), ==, "model:h200");
  assert_soon_null (strstr (get_preset_subtitle (dialog), "Changed"));
  cured_sweep_dialog_set_axis (dialog, "stride", "1");
  assert_soon_nonnull (strstr (get_preset_subtitle (dialog), "Changed"));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* From a file of one's own to a map of two parameters: open it, take the draft with Enter, ask for
 * a sweep, and run it. */
TEST ("/sweep/own-kernel")
{
  static const char text[] =
      "__global__ void add (float *x, const float *y, int n)\n"
      "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += y[i]; }\n"
      "int main () { int n = 1 << 20; float *x, *y;\n"
      "cudaMalloc (&x, n * 4); cudaMalloc (&y, n * 4);\n"
      "add<<<(n + 255) / 256, 256>>> (x, y, n); }\n";
  CuredWindow *window = open_empty ();
  g_autofree char *path = in_folder ("own.cu");
  g_autofree char *result = in_folder ("own.cured");
  g_autoptr (CuredSweep) sweep = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GPtrArray) emulators = new_devices ();

  add_emulator (emulators, "emulator:sm_90", 9);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  cured_tab_open (window->tab, file);
  wait_for_dialog (CURED_TYPE_HEADER_DIALOG);
  press ("Return");
  assert_soon (find_dialog (CURED_TYPE_HEADER_DIALOG) == NULL);
  assert_soon (cured_document_get_kernel (window->tab->document) != NULL);
  press ("ctrl+n");
  CuredSweepDialog *dialog = CURED_SWEEP_DIALOG (wait_for_dialog (CURED_TYPE_SWEEP_DIALOG));
  cured_sweep_dialog_set_devices (dialog, emulators);
  for (int i = 0; i < 2; i++)
    {
      g_autofree char *values = get_axis (dialog, i);
      g_autoptr (CuredAxis) axis = cured_axis_parse (values, NULL);

      g_assert_nonnull (axis);
      assert_soon_cmpuint (cured_axis_get_length (axis), >=, 6);
    }
  wait_for_count (dialog);
  assert_soon (gtk_widget_is_sensitive (get (dialog, "run")));
  shoot ("sweep-own-kernel");
  cured_sweep_dialog_set_path (dialog, result);
  g_setenv ("CURED_FAKE", "", TRUE);
  assert_soon_cmpstr (adw_view_stack_get_visible_child_name (window->tab->views), ==, "source");
  press ("ctrl+Return");
  assert_soon (find_dialog (CURED_TYPE_SWEEP_DIALOG) == NULL);
  assert_soon (get_sweep (window) != NULL);
  sweep = g_object_ref (get_sweep (window));
  assert_soon (is_over (sweep));
  /* Its map is seen, wherever it was started. */
  assert_soon_cmpstr (adw_view_stack_get_visible_child_name (window->tab->views), ==, "map");
  /* Nothing is asked about. */
  cured_document_set_original (window->tab->document,
                               cured_document_get_source (window->tab->document));
  close_swept (window);
}

TEST ("/sweep/presets")
{
  CuredWindow *window = open_empty ();
  g_autoptr (GPtrArray) devices = fake_devices ();
  CuredSweepDialog *dialog = open_dialog (window, devices);
  g_autofree char *blocks = NULL, *again = NULL;

  cured_sweep_dialog_choose_kernel (dialog, "vector/add");
  GtkWidget *row = get (dialog, "preset");
  assert_soon_cmpstr (get_preset_title (dialog), ==, "Default sweep");
  cured_sweep_dialog_set_axis (dialog, "blocks", "3,5,7");
  settle ();

  /* Saved with the keyboard. */
  gtk_widget_activate_action (row, "preset.save", NULL);
  find_question ();
  press ("o d d Return");
  assert_soon (find_dialog (ADW_TYPE_MESSAGE_DIALOG) == NULL);
  assert_soon_cmpstr (get_preset_title (dialog), ==, "odd");
  shoot ("sweep-preset");

  /* Another sweep, and back. */
  gtk_widget_activate_action (row, "preset.use", "s", "");
  settle ();
  assert_soon_cmpstr (get_preset_title (dialog), ==, "Default sweep");
  gtk_widget_activate_action (row, "preset.use", "s", "odd");
  settle ();
  for (int i = 0; blocks == NULL || !g_str_equal (blocks, "3,5,7"); i++)
    {
      assert_soon_cmpint (i, <, (int) count_rows (get (dialog, "axes")));
      g_free (blocks);
      blocks = get_axis (dialog, i);
    }

  gtk_widget_activate_action (row, "preset.rename", NULL);
  find_question ();
  press ("ctrl+a o n e Return");
  settle ();
  assert_soon_cmpstr (get_preset_title (dialog), ==, "one");
  g_auto (GStrv) names = cured_presets_list ("vector/add");
  assert_soon_cmpuint (g_strv_length (names), ==, 1);
  assert_soon_cmpstr (names[0], ==, "one");

  /* Deleted, and brought back. */
  gtk_widget_activate_action (row, "preset.delete", NULL);
  settle ();
  g_clear_pointer (&names, g_strfreev);
  names = cured_presets_list ("vector/add");
  assert_soon_cmpuint (g_strv_length (names), ==, 0);
  assert_soon (find_button (GTK_WIDGET (dialog), "_Undo") != NULL);
  gtk_widget_activate (find_button (GTK_WIDGET (dialog), "_Undo"));
  assert_soon (g_str_equal (get_preset_title (dialog), "one"));
  g_clear_pointer (&names, g_strfreev);
  names = cured_presets_list ("vector/add");
  assert_soon_cmpuint (g_strv_length (names), ==, 1);
  assert_soon (cured_presets_delete ("vector/add", "one", NULL));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

TEST ("/sweep/pause")
{
  CuredWindow *window = open_empty ();
  g_autofree char *gate = in_folder ("pause-gate");
  g_autofree char *faults = g_strconcat ("wait=4,until=", gate, NULL);
  g_autoptr (CuredSweep) sweep = sweep_in (window, faults, "blocks=1..80", "pause.cured");
  CuredDocument *document;
  CuredProgress progress;

  assert_soon (has_done_some (sweep));
  shoot ("run-bar-running");
  assert_soon_nonnull (strstr (get_text (window, "text"), "of 80 cells"));
  assert_soon (gtk_widget_get_visible (get (window, "fastest")));
  press ("ctrl+shift+p");
  assert_soon (cured_sweep_is_paused (sweep));
  gint64 n_done = count_done (sweep);
  assert_soon (g_file_set_contents (gate, "", 0, NULL));
  pause_ms (700);
  /* The cell that runs is finished first, and one may be on its way here. */
  assert_soon_cmpint (count_done (sweep), <=, n_done + 2);
  assert_soon_nonnull (strstr (get_text (window, "text"), "Paused"));
  assert_soon (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (get (window, "pause"))));
  shoot ("run-bar-paused");
  adw_split_button_popup (ADW_SPLIT_BUTTON (window->run));
  settle ();
  shoot ("run-menu");
  adw_split_button_popdown (ADW_SPLIT_BUTTON (window->run));

  /* The best cell is a click away. */
  document = window->tab->document;
  gtk_widget_activate (get (window, "fastest"));
  cured_sweep_get_progress (sweep, &progress);
  assert_soon (cured_document_get_cell (document) == progress.best_cell);

  gtk_widget_activate (get (window, "pause"));
  assert_soon (!cured_sweep_is_paused (sweep));
  assert_soon (count_done (sweep) > n_done);

  assert_soon (is_over (sweep));
  assert_soon (strstr (get_text (window, "text"), "80 cells in"));
  assert_soon (gtk_widget_get_visible (get (window, "dismiss")));
  shoot ("run-bar-summary");
  gtk_widget_activate (get (window, "dismiss"));
  assert_soon (is_unmapped (get (window, "dismiss")));
  close_swept (window);
}

/* The next sweep of the kernel is estimated by the last one. */
TEST ("/sweep/estimate")
{
  CuredWindow *window = open_empty ();
  g_autoptr (GPtrArray) devices = fake_devices ();
  g_autoptr (CuredSweep) sweep = sweep_in (window, "ms=10", "blocks=1..3", "pace.cured");

  assert_soon (is_over (sweep));
  CuredSweepDialog *dialog = open_dialog (window, devices);
  cured_sweep_dialog_choose_kernel (dialog, "vector/add");
  wait_for_count (dialog);
  assert_status (dialog, "based on the last sweep of this kernel");
  cured_sweep_dialog_choose_kernel (dialog, "dot/shuffle");
  wait_for_count (dialog);
  assert_status (dialog, "roughly");
  gtk_window_destroy (GTK_WINDOW (dialog));
  close_swept (window);

  /* Of a sweep that another program ran, by its file. */
  window = open_result ("small.cured");
  g_free (((CuredDeviceFound *) devices->pdata[0])->info->name);
  ((CuredDeviceFound *) devices->pdata[0])->info->name =
      g_strdup (cured_result_get_device (cured_map_view_get_result (get_view (window)))->name);
  dialog = open_dialog (window, devices);
  wait_for_count (dialog);
  assert_status (dialog, "estimated from small.cured");
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* On the emulator, in a worker of its own: counts, and kernels that are wrong on purpose. */
static CuredSweep *
emulate (CuredWindow *window, const char *id, const char *axis, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));
  g_autofree char *path = in_folder (name);

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  if (axis != NULL)
    cured_spec_parse_axis (spec, axis, &error);
  g_assert_no_error (error);
  cured_spec_get_options (spec)->limit_s = 60;
  CuredSweep *sweep = cured_sweep_new (spec, "emulator:sm_86", path, FALSE);
  cured_tab_run (cured_window_get_tab (window), sweep);
  assert_soon (is_over (sweep));
  settle ();
  return sweep;
}

TEST ("/sweep/emulator")
{
  g_autofree char *worker = g_strdup (g_getenv ("CURED_WORKER"));
  g_autofree char *real = g_strdup_printf ("%s worker", g_getenv ("CURED_PROGRAM"));
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  gsize metric;

  NEED_COMPILER ();
  CuredWindow *window = open_empty ();
  g_setenv ("CURED_WORKER", real, TRUE);
  CuredSweep *sweep = emulate (window, "vector/add", "n=1024,2048", "emulated.cured");
  CuredResult *result = cured_sweep_get_result (sweep);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 2);
  assert_soon (cured_result_find_metric (result, "instructions", &metric));
  assert_soon_cmpfloat (cured_result_get_value (result, 1, metric), >,
                        cured_result_get_value (result, 0, metric));
  /* No time, so nothing is the fastest. */
  assert_soon_not (gtk_widget_get_visible (get (window, "fastest")));
  shoot ("sweep-emulated");
  g_object_unref (sweep);
  close_swept (window);

  window = open_empty ();
  sweep = emulate (window, "specimens/past-end", NULL, "past.cured");
  result = cured_sweep_get_result (sweep);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), ==, 0);
  assert_soon (cured_result_find_metric (result, "findings", &metric));
  assert_soon_cmpfloat (cured_result_get_value (result, 0, metric), >, 0);
  assert_soon_null (find_dialog (ADW_TYPE_MESSAGE_DIALOG));
  g_object_unref (sweep);
  close_swept (window);
  g_setenv ("CURED_WORKER", worker, TRUE);
}

/* Whatever a kernel does, the sweep goes on and the window answers. */
TEST ("/sweep/faults")
{
  CuredWindow *window = open_empty ();
  g_autoptr (CuredSweep) sweep =
      sweep_in (window, "hang=2,crash=4,sticky=5,lie=6,segv=8,kill=9,exit=10,fail=11",
                "blocks=1..12", "faults.cured");

  assert_soon (is_over (sweep));
  settle ();
  assert_soon_null (find_dialog (ADW_TYPE_MESSAGE_DIALOG));
  CuredResult *result = cured_sweep_get_result (sweep);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_TIMED_OUT), ==, 1);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_CRASHED), ==, 4);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_FAILED), ==, 2);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), ==, 1);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 4);
  assert_soon_nonnull (strstr (get_text (window, "rest"), "1 timed out"));
  shoot ("run-bar-faults");
  close_swept (window);
}

/* A worker that dies again and again ends the sweep, with a word. */
TEST ("/sweep/deaths")
{
  CuredWindow *window = open_empty ();
  g_autoptr (CuredSweep) sweep = sweep_in (window, "crash=*", "blocks=1..20", "deaths.cured");

  assert_soon (is_over (sweep));
  AdwMessageDialog *dialog = find_question ();
  assert_soon_nonnull (strstr (adw_message_dialog_get_body (dialog), "died 5"));
  assert_soon (adw_message_dialog_has_response (dialog, "resume"));
  shoot ("sweep-deaths");
  g_setenv ("CURED_FAKE", "", TRUE);
  adw_message_dialog_response (dialog, "resume");
  assert_soon (get_sweep (window) != sweep);
  g_clear_object (&sweep);
  sweep = g_object_ref (get_sweep (window));
  assert_soon (is_over (sweep));
  assert_soon_cmpint (cured_result_count_state (cured_sweep_get_result (sweep), CURED_STATE_OK), ==,
                      15);
  settle ();
  if (find_dialog (ADW_TYPE_MESSAGE_DIALOG) != NULL)
    gtk_window_destroy (find_dialog (ADW_TYPE_MESSAGE_DIALOG));
  close_swept (window);
}

/* Two files that are proposed at once are two files. */
TEST ("/sweep/names")
{
  CuredWindow *window = open_empty ();
  g_autofree char *folder = in_folder ("");
  g_autofree char *first = cured_sweep_propose_path ("vector/add", folder);
  g_autofree char *name = g_path_get_basename (first);
  g_autofree char *own = cured_sweep_propose_path ("/a/b/mine.cu", folder);
  g_autofree char *own_name = g_path_get_basename (own);
  CuredSweep *sweep = sweep_in (window, "ms=20", "blocks=1..4", name);

  assert_soon (g_str_has_prefix (name, "vector-add-"));
  assert_soon (g_str_has_prefix (own_name, "mine-"));
  /* Whether there is a file yet or its worker still starts. */
  g_autofree char *second = cured_sweep_propose_path ("vector/add", folder);
  assert_soon_cmpstr (second, !=, first);
  assert_soon (is_over (sweep));
  g_autofree char *third = cured_sweep_propose_path ("vector/add", folder);
  assert_soon_cmpstr (third, ==, second);
  g_object_unref (sweep);
  close_swept (window);
}

TEST ("/sweep/two")
{
  CuredWindow *first = open_empty ();
  CuredWindow *second = open_empty ();
  g_autofree char *gate = in_folder ("two-gate");
  g_autofree char *faults = g_strconcat ("wait=4,until=", gate, NULL);
  g_autoptr (CuredSweep) one = sweep_in (first, faults, "blocks=1..15", "one.cured");
  g_autoptr (CuredSweep) two = sweep_in (second, faults, "blocks=1..15", "two.cured");

  assert_soon (has_done_some (one));
  assert_soon (has_done_some (two));
  assert_soon (cured_sweep_is_active (one));
  assert_soon (g_file_set_contents (gate, "", 0, NULL));
  assert_soon (is_over (one));
  assert_soon (is_over (two));
  assert_soon_cmpint (count_done (one), ==, 15);
  assert_soon_cmpint (count_done (two), ==, 15);
  close_swept (second);
  close_swept (first);
}

/* Selected cells run again, into a copy of their file; the selection runs finer. */
TEST ("/sweep/again")
{
  CuredWindow *window = open_empty ();
  CuredSweep *sweep = sweep_in (window, "fail=16", "blocks=8,16,24,32", "again.cured");
  g_autoptr (GPtrArray) devices = fake_devices ();
  g_autofree char *path = in_folder ("again.cured");
  g_autofree char *values = NULL;
  gboolean is_found = FALSE;

  assert_soon (is_over (sweep));
  settle ();
  CuredResult *result = g_object_ref (cured_sweep_get_result (sweep));
  g_object_unref (sweep);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_FAILED), ==, 1);

  /* Two of them; one did well before, and one did not. */
  cured_map_view_set_selection (get_view (window),
                                cured_map_view_get_grid (get_view (window))->nx > 1
                                    ? &(CuredGridRect){ .column = 1, .n_columns = 2, .n_rows = 1 }
                                    : &(CuredGridRect){ .row = 1, .n_columns = 1, .n_rows = 2 });
  settle ();
  shoot ("sweep-selection");
  g_setenv ("CURED_FAKE", "", TRUE);
  press ("ctrl+shift+r");
  sweep = g_object_ref (get_sweep (window));
  assert_soon (is_over (sweep));
  settle ();
  assert_soon_cmpint (count_done (sweep), ==, 2);
  assert_soon_cmpstr (cured_sweep_get_path (sweep), !=, path);
  g_object_unref (result);
  result = g_object_ref (cured_sweep_get_result (sweep));
  g_object_unref (sweep);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 4);
  assert_soon (cured_document_get_result (window->tab->document) == result);
  /* What was recorded is as it was. */
  g_autoptr (CuredResult) before = MUST (cured_result_load (path, NULL, &fail));
  assert_soon_cmpint (cured_result_count_state (before, CURED_STATE_OK), ==, 3);
  assert_soon_cmpint (cured_result_count_state (before, CURED_STATE_FAILED), ==, 1);

  /* Finer: the dialog has the values between. */
  press ("ctrl+shift+f");
  CuredSweepDialog *dialog = CURED_SWEEP_DIALOG (wait_for_dialog (CURED_TYPE_SWEEP_DIALOG));
  cured_sweep_dialog_set_devices (dialog, devices);
  for (guint i = 0; i < count_rows (get (dialog, "axes")); i++)
    {
      g_free (values);
      values = get_axis (dialog, (int) i);
      is_found = is_found || g_str_equal (values, "16,20,24");
    }
  shoot ("sweep-finer");
  assert_soon (is_found);
  gtk_window_destroy (GTK_WINDOW (dialog));
  settle ();

  /* All again, into a file of its own. */
  press ("ctrl+r");
  sweep = g_object_ref (get_sweep (window));
  assert_soon (is_over (sweep));
  settle ();
  assert_soon_cmpint (count_done (sweep), ==, 4);
  assert_soon_cmpstr (cured_sweep_get_path (sweep), !=, path);
  assert_soon (g_file_test (cured_sweep_get_path (sweep), G_FILE_TEST_IS_REGULAR));
  assert_soon (cured_document_get_result (window->tab->document) == cured_sweep_get_result (sweep));
  g_object_unref (sweep);
  g_object_unref (result);
  close_swept (window);
}

static char *
replace (const char *text, const char *from, const char *to)
{
  g_auto (GStrv) parts = g_strsplit (text, from, 2);

  assert_soon_cmpuint (g_strv_length (parts), ==, 2);
  return g_strjoinv (to, parts);
}

static void
choose_metric (CuredWindow *window, const char *id)
{
  GtkDropDown *list = GTK_DROP_DOWN (get (window, "metric"));
  gsize metric, listed;

  assert_soon (
      cured_result_find_metric (cured_document_get_result (window->tab->document), id, &metric));
  /* What the program sets is no choice of a person's. */
  for (guint i = 0; !cured_choice_get_selected (list, &listed) || listed != metric; i++)
    gtk_drop_down_set_selected (list, i);
  settle ();
  assert_soon_cmpuint (cured_map_view_get_view (get_view (window))->metric, ==, metric);
}

/* The source changes, here and in its file, and the sweep runs anew. */
TEST ("/sweep/change")
{
  CuredWindow *window = open_empty ();
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) catalogue = cured_catalogue_get ("vector/add", &error);
  g_autofree char *kernel_path = in_folder ("mine.cu");
  g_autofree char *path = in_folder ("mine.cured");
  const char *source = catalogue->source;
  CuredDocument *document = window->tab->document;
  Another another = { .window = window };

  if (!need_compiler ())
    {
      close_window (window);
      return;
    }
  MUST (g_file_set_contents (kernel_path, source, -1, &fail));
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_file (kernel_path, &fail));
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  assert_soon (cured_spec_parse_axis (spec, "n=1024", NULL));
  assert_soon (cured_spec_parse_axis (spec, "blocks=1..3", NULL));
  cured_spec_get_options (spec)->sampling_s = 0.1;
  g_setenv ("CURED_FAKE", "", TRUE);
  g_autoptr (CuredSweep) sweep = cured_sweep_new (spec, "fake:0", path, FALSE);
  cured_tab_run (cured_window_get_tab (window), sweep);
  assert_soon (is_over (sweep));
  settle ();

  /* How the result is looked at. */
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (window, "logarithmic")),
                                !cured_map_view_get_view (get_view (window))->logarithmic);
  choose_metric (window, "bandwidth");
  cured_document_set_cell (document, 2);
  settle ();
  CuredView old = *cured_map_view_get_view (get_view (window));

  g_action_group_change_action_state (G_ACTION_GROUP (window), "run-on-change",
                                      g_variant_new_boolean (TRUE));
  /* What can't be compiled does not run. */
  g_autofree char *broken = replace (source, "blockIdx.x", "blockIdx.nowhere");
  cured_document_set_source (document, broken);
  pause_ms (2500);
  assert_soon (get_sweep (window) == sweep);
  shoot ("sweep-change-refused");

  another.last = sweep;
  g_autofree char *mended = g_strconcat (source, "\n/* another line */\n", NULL);
  cured_document_set_source (document, mended);
  assert_soon (has_another (&another));
  settle ();
  another.last = get_sweep (window);
  assert_soon_cmpstr (cured_sweep_get_path (another.last), !=, path);
  assert_soon_cmpint (count_done (another.last), ==, 3);
  assert_soon_cmpstr (cured_result_get_source (cured_sweep_get_result (another.last)), ==, mended);
  assert_soon_cmpstr (cured_document_get_source (document), ==, mended);
  /* It is looked at in the same way. */
  assert_soon_cmpuint (cured_map_view_get_view (get_view (window))->metric, ==, old.metric);
  assert_soon_cmpint (cured_map_view_get_view (get_view (window))->logarithmic, ==,
                      old.logarithmic);
  assert_soon_cmpint (cured_document_get_cell (document), ==, 2);

  /* In the file, by another program: what was edited here stays. */
  g_autofree char *on_disk = g_strconcat (source, "\n/* a line of another editor */\n", NULL);
  MUST (g_file_set_contents (kernel_path, on_disk, -1, &fail));
  pause_ms (2500);
  assert_soon (get_sweep (window) == another.last);
  assert_soon_cmpstr (cured_document_get_source (document), ==, mended);

  /* As the file has it; then the file leads. */
  cured_document_set_source (document, on_disk);
  assert_soon (has_another (&another));
  settle ();
  another.last = get_sweep (window);
  MUST (g_file_set_contents (kernel_path, source, -1, &fail));
  assert_soon (has_another (&another));
  settle ();
  assert_soon_cmpstr (cured_document_get_source (document), ==, source);
  close_swept (window);
}

/* Devices and workers behind a launcher. */
TEST ("/sweep/launcher")
{
  CuredWindow *window = open_empty ();
  CuredSweepDialog *dialog = open_dialog (window, NULL);
  g_autofree char *script = in_folder ("launcher");
  g_autofree char *path = in_folder ("launched.cured");
  g_autofree char *text = g_strdup_printf (
      "#!/bin/sh\n"
      "shift\n"
      "case \"$1\" in\n"
      "devices) echo '[{\"id\": \"fake:7\", \"usable\": true, \"kind\": \"fake\", \"name\": \"Far "
      "device\", \"arch\": \"\", \"limits\": {\"max_threads_per_block\": 1024, \"max_grid_x\": "
      "65535, \"warp_size\": 32, \"max_block_x\": 1024}}, {\"id\": \"fake:8\", \"usable\": false, "
      "\"reason\": \"switched off\"}]' ;;\n"
      "worker) shift; exec %s \"$@\" ;;\n"
      "esac\n",
      g_getenv ("CURED_TEST_WORKER"));
  g_autofree char *first = NULL;

  g_file_set_contents_full (script, text, -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL);
  cured_sweep_dialog_choose_kernel (dialog, "vector/add");
  GtkWidget *launcher = get (dialog, "launcher");
  gtk_editable_set_text (GTK_EDITABLE (launcher), "/nowhere/launcher");
  g_signal_emit_by_name (launcher, "apply");
  GtkWidget *problem = get (dialog, "device_problem");
  assert_soon (is_mapped (problem));
  assert_soon_nonnull (
      strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (problem)), "Can't start"));
  /* What led nowhere is not remembered. */
  GtkWidget *launchers = get (dialog, "launchers");
  assert_soon_not (gtk_widget_get_visible (launchers));

  gtk_editable_set_text (GTK_EDITABLE (launcher), script);
  g_signal_emit_by_name (launcher, "apply");
  assert_soon (gtk_widget_get_mapped (problem) &&
               strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (problem)), "switched off"));
  assert_soon (gtk_widget_get_visible (launchers));
  GMenuModel *menu = gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (launchers));
  assert_soon_cmpint (g_menu_model_get_n_items (menu), ==, 1);
  assert_soon (g_menu_model_get_item_attribute (menu, 0, G_MENU_ATTRIBUTE_TARGET, "s", &first));
  assert_soon_cmpstr (first, ==, script);
  gtk_editable_set_text (GTK_EDITABLE (launcher), "");
  g_signal_emit_by_name (launcher, "apply");
  gtk_widget_activate_action (launchers, "sweep.use-launcher", "s", first);
  assert_soon_cmpstr (gtk_editable_get_text (GTK_EDITABLE (launcher)), ==, script);
  assert_soon (gtk_widget_get_mapped (problem) &&
               strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (problem)), "switched off"));
  cured_sweep_dialog_set_axis (dialog, "vector", "1");
  cured_sweep_dialog_set_axis (dialog, "threads", "256");
  cured_sweep_dialog_set_axis (dialog, "n", "1024");
  cured_sweep_dialog_set_axis (dialog, "blocks", "1..3");
  cured_sweep_dialog_set_path (dialog, path);
  wait_for_count (dialog);
  shoot ("sweep-launcher");
  g_setenv ("CURED_FAKE", "", TRUE);
  assert_soon (cured_sweep_dialog_run (dialog));
  g_autoptr (CuredSweep) sweep = g_object_ref (get_sweep (window));
  assert_soon (is_over (sweep));
  settle ();
  assert_soon_cmpint (count_done (sweep), ==, 3);
  assert_soon_cmpstr (cured_result_get_device (cured_sweep_get_result (sweep))->id, ==, "fake:7");
  close_swept (window);
}
