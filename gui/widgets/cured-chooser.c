/* SPDX-License-Identifier: MIT
 * File choosers that may be closed at any time. */
#include <config.h>

#include "widgets/cured-chooser.h"

/* For how long a chooser outlives its answer. */
#define KEPT_S 60

static gboolean
kept_cb (gpointer user_data)
{
  return G_SOURCE_REMOVE;
}

/* GTK 4.8's own chooser still reads what is in its folder when it is closed,
 * and what it has read then goes to a widget that was freed. So it is freed
 * later: those reads wait in line with all that runs in threads. */
static void
visible_changed_cb (GtkFileChooserNative *chooser)
{
  if (gtk_native_dialog_get_visible (GTK_NATIVE_DIALOG (chooser)))
    return;
  g_timeout_add_seconds_full (
      G_PRIORITY_DEFAULT, KEPT_S, kept_cb, chooser, g_object_unref);
}

/**
 * cured_chooser_show:
 * @chooser: a chooser that was not shown yet
 *
 * Shows @chooser over its parent, which takes no input until it is answered. It
 * stays until it is hidden, whoever holds it.
 */
void
cured_chooser_show (GtkFileChooserNative *chooser)
{
  g_return_if_fail (GTK_IS_FILE_CHOOSER_NATIVE (chooser));

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  g_signal_connect (g_object_ref (chooser),
                    "notify::visible",
                    G_CALLBACK (visible_changed_cb),
                    NULL);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

/**
 * cured_chooser_clear:
 * @chooser: (inout) (nullable): where a chooser is kept
 *
 * Hides and forgets what is there; it does not answer any more.
 */
void
cured_chooser_clear (GtkFileChooserNative **chooser)
{
  if (*chooser != NULL)
    gtk_native_dialog_hide (GTK_NATIVE_DIALOG (*chooser));
  g_clear_object (chooser);
}
