/* SPDX-License-Identifier: MIT
 * The bank explorer and the stride explorer, in a real window. */
#include <string.h>

#include "cured-bank-chart.h"
#include "cured-stride-explorer.h"
#include "gui-test.h"

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
  g_test_add_func ("/banks/stride", test_stride);
  return run_and_end ();
}
