/* SPDX-License-Identifier: MIT
 * The bank explorer and the stride explorer, in a real window. */
#include <string.h>

#include "cured-bank-chart.h"
#include "cured-bank-sites.h"
#include "cured-stride-explorer.h"
#include "gui-test.h"

static CuredWindow *
open_recorded (const char *name)
{
  g_autofree char *path =
      g_build_filename (CURED_SOURCE_DATADIR, "results", name, NULL);

  return open_path (path);
}

static gboolean
shows_picture (gpointer data)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (
                        GTK_STACK (get (data, "stack"))),
                    "view") == 0;
}

static GtkWidget *
show_banks (CuredWindow *window)
{
  GtkWidget *page = get (window, "bank_page");

  gtk_widget_activate_action (
      GTK_WIDGET (window), "win.show-view", "s", "banks");
  g_assert_true (wait_for (is_mapped, page));
  g_assert_true (wait_for (shows_picture, page));
  settle ();
  return page;
}

static CuredBankChart *
get_chart (GtkWidget *page, const char *side)
{
  return CURED_BANK_CHART (get (get (page, side), "chart"));
}

static guint
get_wavefronts (GtkWidget *page, const char *side)
{
  CuredBankCounts counts;

  cured_bank_plot_get_counts (
      cured_bank_chart_get_plot (get_chart (page, side)), &counts);
  return counts.wavefronts;
}

static void
test_sites (void)
{
  CuredWindow *window = open_recorded ("transpose-shared-h200.cured");
  GtkWidget *page = show_banks (window);
  CuredBankSites *sites = CURED_BANK_SITES (get (page, "sites"));

  g_assert_cmpuint (cured_bank_sites_get_n_rows (sites), ==, 2);
  g_assert_cmpint (cured_bank_sites_get_selected (sites)->line, ==, 120);
  g_assert_cmpuint (get_wavefronts (page, "first"), ==, 8);
  shoot ("sites");
  close_window (window);
}

static void
test_stride (void)
{
  CuredWindow *window = cured_window_new (application);
  GtkWindow *explorer;
  CuredBankChart *chart;
  CuredBankCounts counts;

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.stride-explorer", NULL);
  explorer = find_dialog (CURED_TYPE_STRIDE_EXPLORER);
  g_assert_nonnull (explorer);
  g_assert_true (wait_for (is_mapped, explorer));
  settle ();
  chart = CURED_BANK_CHART (get (explorer, "chart"));
  cured_bank_plot_get_counts (cured_bank_chart_get_plot (chart), &counts);
  g_assert_cmpuint (counts.wavefronts, ==, 1);
  shoot ("stride");

  /* A column of a tile: every lane in one bank. */
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (explorer, "preset")), 3);
  settle ();
  cured_bank_plot_get_counts (cured_bank_chart_get_plot (chart), &counts);
  g_assert_cmpuint (counts.wavefronts, ==, 32);
  g_assert_cmpuint (counts.conflicts, ==, 31);
  shoot ("stride-column");

  /* A row of 32 words gets one more by the keyboard alone: no conflict. */
  press ("alt+p");
  press ("Right");
  cured_bank_plot_get_counts (cured_bank_chart_get_plot (chart), &counts);
  g_assert_cmpuint (counts.wavefronts, ==, 1);
  press ("alt+a");
  shoot ("stride-padded");
  press ("Escape");
  g_assert_null (find_dialog (CURED_TYPE_STRIDE_EXPLORER));
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin (&argc, &argv);
  g_test_add_func ("/banks/sites", test_sites);
  g_test_add_func ("/banks/stride", test_stride);
  return run_and_end ();
}
