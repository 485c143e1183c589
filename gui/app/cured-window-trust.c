/* SPDX-License-Identifier: MIT
 * Whether the source of a result file may run on a GPU. */
#include <config.h>

#include "app/cured-window-private.h"

#include <glib/gi18n.h>

/* Implementation notes
 *
 * What runs on a GPU runs as the person, in a process that is not confined. The
 * source of a file that somebody sent does so after a question alone.
 *
 * Whose a source is, is decided by its text. No question is asked for a kernel
 * of the catalogue; for a `.cu`, which the person opened; for what ran from
 * here or was agreed to; and for what is edited from one of these, which is why
 * the result that is shown is looked at where the sweep's own text is a new
 * one. */

/* Digests of texts that ran from here, or were agreed to. Main thread only. */
static GHashTable *known;

static char *
get_digest (const char *source)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, source, -1);
}

static void
remember (const char *source)
{
  if (known == NULL)
    known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (known, get_digest (source));
}

static gboolean
is_known (const char *kernel_id, const char *source)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (kernel_id, NULL);
  g_autofree char *digest = get_digest (source);

  return (kernel != NULL && g_str_equal (kernel->source, source)) ||
         (known != NULL && g_hash_table_contains (known, digest));
}

static gboolean
may_run (CuredWindow *self, CuredSweep *sweep)
{
  CuredResult *result = cured_document_get_result (self->document);
  CuredKernel *kernel = cured_sweep_get_kernel (sweep);

  return result == NULL ||
         (kernel != NULL &&
          (kernel->path != NULL || is_known (kernel->id, kernel->source))) ||
         is_known (cured_result_get_kernel_id (result),
                   cured_result_get_source (result));
}

/**
 * _cured_window_trust_sweep:
 * @sweep: what the person wants to run
 *
 * From now on, no window asks before its source runs.
 */
void
_cured_window_trust_sweep (CuredSweep *sweep)
{
  CuredKernel *kernel = cured_sweep_get_kernel (sweep);

  if (kernel != NULL)
    remember (kernel->source);
}

/* One line of what a stranger wrote. */
static char *
flatten (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *line = g_string_new (NULL);

  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      g_string_append_unichar (line, g_unichar_isprint (c) ? c : ' ');
    }
  return g_string_free (line, FALSE);
}

static void
response_cb (CuredWindow *self, const char *response, GtkWidget *dialog)
{
  CuredResult *result = g_object_get_data (G_OBJECT (dialog), "result");
  CuredWindowProceed proceed = self->proceed;
  g_autoptr (CuredSweep) sweep = g_steal_pointer (&self->asked_sweep);

  if (sweep == NULL)
    return;
  if (g_str_equal (response, "run"))
    {
      remember (cured_result_get_source (result));
      _cured_window_trust_sweep (sweep);
      proceed (self, sweep);
    }
  else
    /* Or the next change would ask again. */
    g_action_group_change_action_state (
        G_ACTION_GROUP (self), "run-on-change", g_variant_new_boolean (FALSE));
}

/**
 * _cured_window_if_may_run:
 * @self: a window
 * @sweep: of what it shows, or of another kernel
 * @proceed: what to do then
 *
 * Calls @proceed, at once where @sweep runs on the emulator or its source is
 * the person's own; else after a question, and never where the person would
 * rather not.
 */
void
_cured_window_if_may_run (CuredWindow *self,
                          CuredSweep *sweep,
                          CuredWindowProceed proceed)
{
  CuredResult *result = cured_document_get_result (self->document);
  gboolean is_asking = self->asked_sweep != NULL;
  GtkWidget *dialog;
  g_autofree char *base = NULL;
  g_autofree char *name = NULL;
  g_autofree char *id = NULL;
  g_autofree char *text = NULL;

  if (may_run (self, sweep))
    {
      _cured_window_trust_sweep (sweep);
      proceed (self, sweep);
      return;
    }
  if (cured_device_is_emulated (cured_sweep_get_device_id (sweep)))
    {
      proceed (self, sweep);
      return;
    }

  g_set_object (&self->asked_sweep, sweep);
  self->proceed = proceed;
  if (is_asking)
    return;
  base = g_path_get_basename (cured_result_get_path (result));
  name = flatten (base);
  id = flatten (cured_result_get_kernel_id (result));
  /* Translators: a file's name; a kernel's. */
  text = g_strdup_printf (_ ("The file “%s” contains the source of the kernel "
                             "“%s”. Running it runs code from this file on "
                             "the GPU, with your permissions. Look at the "
                             "source first."),
                          name,
                          id);
  dialog = adw_message_dialog_new (
      GTK_WINDOW (self), _ ("Run Code from This File?"), text);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog),
                                    "cancel",
                                    _ ("_Cancel"),
                                    "run",
                                    _ ("_Run"),
                                    NULL);
  adw_message_dialog_set_response_appearance (
      ADW_MESSAGE_DIALOG (dialog), "run", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog),
                                           "cancel");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_object_set_data_full (
      G_OBJECT (dialog), "result", g_object_ref (result), g_object_unref);
  g_signal_connect_object (
      dialog, "response", G_CALLBACK (response_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}
