/* SPDX-License-Identifier: MIT
 * cured header: drafts the header of a file that has none. */
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <unistd.h>

#include "cured-cli.h"

/* Limits of a program that is run and recorded. */
#define LIMIT_S    60
#define N_LAUNCHES 1000

#define CURED_VERB "verb/cured-verb-header.def"
#include "cured-verb.h"

/* The names of the kernels: “a, b”. */
static char *
list_names (GPtrArray *drafts)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < drafts->len; i++)
    {
      const CuredHeaderDraft *draft = g_ptr_array_index (drafts, i);

      cured_cli_append_item (text, draft->entry);
    }
  return g_string_free (text, FALSE);
}

/* The draft that --kernel names, or the first one. */
static CuredHeaderDraft *
choose (GPtrArray *drafts, const char *name)
{
  for (guint i = 0; i < drafts->len; i++)
    {
      CuredHeaderDraft *draft = g_ptr_array_index (drafts, i);

      if (name == NULL || g_str_equal (draft->entry, name) || g_str_equal (draft->function, name))
        return draft;
    }
  return NULL;
}

/* (transfer full): draft with constants of the source as parameters; unchanged for PTX, which has
 * none */
static CuredHeaderDraft *
make_tunable (const char *path, const char *source, const CuredHeaderDraft *draft)
{
  g_autofree char *context = cured_header_draft_read_context (path, source);
  g_autoptr (GPtrArray) functions = cured_header_draft_scan (source, context);

  for (guint i = 0; i < functions->len; i++)
    {
      const CuredDraftFunction *function = functions->pdata[i];

      if (g_str_equal (function->name, draft->function))
        return cured_header_draft_new_tunable (source, context, function, draft->title);
    }
  return NULL;
}

static gboolean
interrupt_cb (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_CONTINUE;
}

/* (transfer full) (nullable): NULL after a message */
static CuredExecRecording *
record (const char *path, char **arguments)
{
  CuredExecRecordingOptions options = { .arguments = (const char *const *) arguments,
                                        .limit_us = (gint64) (given.limit_s * G_USEC_PER_SEC),
                                        .n_launches = (guint64) given.n_launches };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  guint source = g_unix_signal_add (SIGINT, interrupt_cb, cancellable);
  CuredExecRecording *recording = cured_exec_recording_new (path, &options, cancellable, &error);

  g_source_remove (source);
  if (recording == NULL)
    g_printerr (_ ("%s: not run: %s\n"), path, error->message);
  return recording;
}

/* Applies the recording to the draft; after a message, the draft is based on the text alone. */
static gboolean
apply (CuredExecRecording *recording, CuredHeaderDraft *draft, const char *path, const char *source,
       GError **error)
{
  g_autofree char *context = cured_header_draft_read_context (path, source);
  g_autofree char *all = g_strconcat (source, "\n", context, NULL);
  const GPtrArray *notes = cured_exec_recording_get_notes (recording);
  g_autoptr (GError) failure = NULL;
  gboolean is_done = cured_exec_recording_apply (recording, draft, all,
                                                 given.in_place ? path : given.output, &failure);

  for (guint i = 0; i < notes->len && !cured_cli_is_quiet; i++)
    g_printerr ("%s: %s\n", path, (const char *) notes->pdata[i]);
  if (is_done)
    return TRUE;
  if (!g_error_matches (failure, CURED_ERROR, CURED_ERROR_NOT_FOUND))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  g_printerr (_ ("%s: %s; drafted from the text alone\n"), path, failure->message);
  return TRUE;
}

/* Prints the next steps, for newcomers. */
static void
tell_of_run (const char *path, const char *source)
{
  g_autofree char *nvcc = NULL;

  if (isatty (STDERR_FILENO) == 0 || cured_cli_is_quiet || !g_str_has_suffix (path, ".cu") ||
      strstr (source, "main") == NULL || (nvcc = cured_exec_find_nvcc ()) == NULL)
    return;
  g_printerr (
      _ ("%s: --run builds and runs it, and takes launches, sizes and contents from there\n"),
      path);
}

static int
run (int argc, char **argv, GError **error)
{
  g_autofree char *found = NULL, *text = NULL, *source = NULL;
  g_autoptr (CuredHeaderDraft) tuned = NULL;
  g_autoptr (CuredExecRecording) recording = NULL;
  g_autoptr (GError) failure = NULL;
  int first = 0;

  if (given.triton != NULL && argc == 1)
    {
      found = cured_header_find_triton (given.triton, given.kernel, error);
      if (found == NULL)
        return CURED_EXIT_USAGE;
      if (!cured_cli_is_quiet)
        g_printerr (_ ("%s: drafted for this file\n"), found);
    }
  else if (argc < 2 || given.triton != NULL || (argc > 2 && !given.run))
    return cured_cli_fail (_ ("header needs one file, such as “cured header scan.cu”"));
  if (given.in_place && given.output != NULL)
    return cured_cli_fail (_ ("--in-place writes to the file itself; leave --output out"));
  const char *path = found != NULL ? found : argv[1];
  char **arguments = argc > 2 ? argv + (g_str_equal (argv[2], "--") ? 3 : 2) : NULL;
  if (!cured_cli_check_with (given.force, "--force", given.output != NULL, "-o FILE") ||
      !cured_cli_check_output (given.output, (char *[]){ (char *) path, NULL }, given.force))
    return CURED_EXIT_USAGE;
  g_autoptr (GPtrArray) drafts = cured_header_draft_file (path, &source, error);
  if (drafts == NULL)
    return CURED_EXIT_USAGE;
  g_autofree char *names = list_names (drafts);
  if (given.run && (recording = record (path, arguments)) != NULL && given.kernel == NULL)
    first = cured_exec_recording_find (recording, drafts);
  CuredHeaderDraft *draft = first > 0 ? drafts->pdata[first] : choose (drafts, given.kernel);
  if (draft == NULL)
    return cured_cli_fail (_ ("%s has no kernel “%s”; it has %s"), path, given.kernel, names);
  if (given.kernel == NULL && drafts->len > 1 && !cured_cli_is_quiet)
    g_printerr (_ ("%s: drafted for %s; --kernel chooses among %s\n"), path, draft->entry, names);
  if (given.tunable)
    {
      tuned = make_tunable (path, source, draft);
      if (tuned == NULL)
        return cured_cli_fail (_ ("%s: --tunable needs a CUDA source; PTX has no constants"), path);
      draft = tuned;
    }
  if (!cured_header_draft_complete (draft, path, source, &failure) && failure != NULL)
    g_printerr ("%s: %s\n", path, failure->message);
  if (recording != NULL && !apply (recording, draft, path, source, error))
    return CURED_EXIT_USAGE;
  if (!given.run)
    tell_of_run (path, source);
  if (given.output == NULL && !given.in_place)
    {
      text = cured_header_draft_to_text (draft);
      g_print ("%s%s", text, draft->code != NULL ? draft->code : "");
      return CURED_EXIT_OK;
    }
  text = cured_header_draft_apply (draft, NULL, source);
  if (!cured_output_file_write_text (given.in_place ? path : given.output, text, error))
    return CURED_EXIT_USAGE;
  return CURED_EXIT_OK;
}
