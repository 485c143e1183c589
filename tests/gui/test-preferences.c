/* SPDX-License-Identifier: MIT
 * Each preference, set in the dialog, is seen in the next window. */
#include <string.h>

#include "app/cured-window-private.h"
#include "gui-test.h"

static void
wait_until_gone (gpointer widget)
{
  g_autoptr (GObject) kept = g_object_ref (widget);

  gtk_window_close (GTK_WINDOW (widget));
  assert_soon (is_unmapped (kept));
}

static const char *
get_device (gpointer dialog)
{
  CuredDeviceItem *item = adw_combo_row_get_selected_item (ADW_COMBO_ROW (get (dialog, "device")));

  return item != NULL ? cured_device_item_get_id (item) : "";
}

static void
set_device (gpointer preferences)
{
  gtk_editable_set_text (GTK_EDITABLE (get (preferences, "device")), "emulator:sm_80");
}

static void
see_device (CuredWindow *window)
{
  press ("ctrl+n");
  GtkWindow *dialog = wait_for_dialog (CURED_TYPE_SWEEP_DIALOG);
  cured_sweep_dialog_choose_kernel (CURED_SWEEP_DIALOG (dialog), "vector/add");
  assert_soon (*get_device (dialog) != '\0');
  assert_soon_cmpstr (get_device (dialog), ==, "emulator:sm_80");
  wait_until_gone (dialog);
}

static void
set_launcher (gpointer preferences)
{
  gtk_editable_set_text (GTK_EDITABLE (get (preferences, "launcher")), "env A=1");
  g_signal_emit_by_name (get (preferences, "launcher"), "apply");
}

static void
see_launcher (CuredWindow *window)
{
  press ("ctrl+n");
  GtkWindow *dialog = wait_for_dialog (CURED_TYPE_SWEEP_DIALOG);
  assert_soon_cmpstr (gtk_editable_get_text (GTK_EDITABLE (get (dialog, "launcher"))), ==,
                      "env A=1");
  wait_until_gone (dialog);
}

/* A chooser of the desktop's sets it; the button beside it goes back. */
static void
set_folder (gpointer preferences)
{
  g_autofree char *usual = cured_sweep_get_folder ();

  assert_soon_not (gtk_widget_get_sensitive (get (preferences, "reset_folder")));
  cured_settings_set_string ("results-folder", "/tmp/elsewhere");
  GtkWidget *again = GTK_WIDGET (cured_preferences_new (preferences));
  gtk_window_present (GTK_WINDOW (again));
  assert_soon_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (get (again, "folder"))), ==,
                      "/tmp/elsewhere");
  g_signal_emit_by_name (get (again, "reset_folder"), "clicked");
  g_autofree char *reset_to = cured_sweep_get_folder ();
  assert_soon_cmpstr (reset_to, ==, usual);
  gtk_window_destroy (GTK_WINDOW (again));
  cured_settings_set_string ("results-folder", "/tmp/elsewhere");
}

static void
see_folder (CuredWindow *window)
{
  press ("ctrl+n");
  GtkWindow *dialog = wait_for_dialog (CURED_TYPE_SWEEP_DIALOG);
  cured_sweep_dialog_choose_kernel (CURED_SWEEP_DIALOG (dialog), "vector/add");
  assert_soon (*get_device (dialog) != '\0');
  const char *place = adw_action_row_get_subtitle (ADW_ACTION_ROW (get (dialog, "output")));
  assert_soon_cmpstr (place, ==, "/tmp/elsewhere");
  wait_until_gone (dialog);
}

static void
set_colours (gpointer preferences)
{
  adw_combo_row_set_selected (ADW_COMBO_ROW (get (preferences, "colours")), 2);
}

static void
see_colours (CuredWindow *window)
{
  gsize n_maps;

  assert_soon_cmpstr (cured_map_view_get_view (get_view (window))->colours->id, ==,
                      cured_colour_map_list (&n_maps)[2].id);
}

/* Typed only: closing the dialog ends the entry. */
static void
set_digits (gpointer preferences)
{
  GtkWidget *digits = get (preferences, "digits");

  gtk_widget_grab_focus (digits);
  settle ();
  gtk_editable_set_text (GTK_EDITABLE (digits), "5");
  assert_soon_cmpint (gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (digits)), !=, 5);
}

static void
see_digits (CuredWindow *window)
{
  g_autofree char *text = cured_format_quantity (123456.7, "ns");

  assert_soon_cmpstr (text, ==, "123.46 µs");
}

static void
set_ptx (gpointer preferences)
{
  gtk_switch_set_active (GTK_SWITCH (get (preferences, "ptx")), TRUE);
}

static void
see_ptx (CuredWindow *window)
{
  press ("alt+4");
  GtkWidget *source = wait_for_view (window, "source");
  assert_soon (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (get (source, "show_ptx"))));
  assert_soon_not (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (get (source, "show_sass"))));
}

static const struct
{
  const char *name;
  void (*set) (gpointer preferences);
  void (*see) (CuredWindow *window);
  const char *key;    /* of the settings */
  const char *result; /* nullable: that the next window shows */
} rows[] = {
  { "folder", set_folder, see_folder, "results-folder", NULL },
  { "device", set_device, see_device, "device", NULL },
  { "launcher", set_launcher, see_launcher, "launcher", NULL },
  { "colours", set_colours, see_colours, "colours", "small.cured" },
  { "digits", set_digits, see_digits, "digits", "small.cured" },
  { "ptx", set_ptx, see_ptx, "toggles", "small.cured" },
};

TEST_ROWS ("/preferences/%s", rows)
{
  const typeof (rows[0]) *row = data;
  CuredWindow *first = open_result ("small.cured");

  press ("ctrl+comma");
  GtkWindow *preferences = wait_for_dialog (CURED_TYPE_PREFERENCES);
  shoot ("preferences");
  row->set (preferences);
  if (find_dialog (CURED_TYPE_PREFERENCES) != NULL)
    wait_until_gone (find_dialog (CURED_TYPE_PREFERENCES));
  close_window (first);

  CuredWindow *second =
      row->result != NULL ? open_result (row->result) : cured_window_new (application);
  gtk_window_present (GTK_WINDOW (second));
  settle ();
  row->see (second);
  close_window (second);
  g_settings_reset (cured_settings_get (), row->key);
  cured_format_set_digits (CURED_DIGITS);
}

/* Three significant digits, unless others were asked for. */
TEST ("/preferences/usual-digits")
{
  g_autofree char *text = cured_format_quantity (123456.7, "ns");

  assert_soon_cmpstr (text, ==, "123 µs");
}
