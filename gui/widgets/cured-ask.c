/* SPDX-License-Identifier: MIT
 * Questions over a window. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

const CuredAnswer cured_answer_close[] = { { "close", N_ ("_Close") }, { NULL } };

/* Asks a question; returns at once. The first answer is also the response for closing the dialog,
 * and the default unless an answer is suggested. @asked: (nullable): called unless @owner is
 * disposed of first. */
AdwMessageDialog *
cured_ask (GtkWindow *parent, const char *title, const char *text, const CuredAnswer *answers,
           gpointer owner, CuredResponseFunc asked)
{
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (adw_message_dialog_new (parent, title, text));

  adw_message_dialog_set_close_response (dialog, answers->id);
  adw_message_dialog_set_default_response (dialog, answers->id);
  for (; answers->id != NULL; answers++)
    {
      adw_message_dialog_add_response (dialog, answers->id, _ (answers->label));
      adw_message_dialog_set_response_appearance (dialog, answers->id, answers->appearance);
      if (answers->appearance == ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response (dialog, answers->id);
    }
  if (asked != NULL)
    g_signal_connect_object (dialog, "response", G_CALLBACK (asked), owner, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
  return dialog;
}
