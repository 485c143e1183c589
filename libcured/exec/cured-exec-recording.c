/* SPDX-License-Identifier: MIT
 * Builds the program of a CUDA file, runs it on the emulator, and keeps its launches. */
#include "exec/cured-exec-recording-private.h"

#include <glib/gstdio.h>

#include "base/cured-base-internal.h"
#include "exec/cured-exec-private.h"
#include "kernel/cured-kernel-internal.h"

#define PROGRAM  "program"
#define LAUNCHES "launches"

/* Limit of nvcc's messages in an error. */
#define MAX_SAID 600

/* Returns: (transfer full) (nullable): the compiler of the CUDA Toolkit: in PATH, below CUDA_HOME
 *   or CUDA_PATH, or where the toolkit installs itself */
char *
cured_exec_find_nvcc (void)
{
  const char *const folders[] = { g_getenv ("CUDA_HOME"), g_getenv ("CUDA_PATH"),
                                  "/usr/local/cuda" };
  char *path = g_find_program_in_path ("nvcc");

  for (gsize i = 0; i < G_N_ELEMENTS (folders) && path == NULL; i++)
    {
      g_autofree char *inside =
          folders[i] != NULL ? g_build_filename (folders[i], "bin", "nvcc", NULL) : NULL;

      if (inside != NULL && g_file_test (inside, G_FILE_TEST_IS_EXECUTABLE))
        path = g_steal_pointer (&inside);
    }
  return path;
}

CURED_FREE_FUNC (CuredExecRecorded, recorded_free, name, g_free, kernel, cured_kernel_unref)

/* Does not follow links. */
static void
remove_all (const char *path)
{
  g_autoptr (GDir) folder =
      g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name = NULL;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      remove_all (inside);
    }
  g_remove (path);
}

/* @self: (nullable) (transfer full): a recording */
void
cured_exec_recording_free (CuredExecRecording *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->launches);
  g_ptr_array_unref (self->notes);
  if (self->folder != NULL)
    remove_all (self->folder);
  g_free (self->folder);
  g_free (self);
}

/* Returns: (transfer none) (element-type utf8): sentences for people: how the program ended, and
 *   which launches could not be kept */
CURED_GETTER (const GPtrArray *, cured_exec_recording_get_notes, const CuredExecRecording, notes)

static gboolean
has_main (const char *source)
{
  g_autoptr (GRegex) regex = g_regex_new ("\\bmain\\s*\\(", 0, 0, NULL);

  return g_regex_match (regex, source, 0, NULL);
}

/* The first errors of nvcc, or the end of its output. */
static char *
pick_errors (char *said)
{
  g_auto (GStrv) lines = g_strsplit (g_strstrip (said), "\n", -1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL && text->len < MAX_SAID; i++)
    if (strstr (lines[i], "error") != NULL || strstr (lines[i], "undefined reference") != NULL)
      g_string_append_printf (text, "\n  %s", lines[i]);
  if (text->len == 0)
    g_string_append_printf (text, "\n  %s",
                            said + (strlen (said) > MAX_SAID ? strlen (said) - MAX_SAID : 0));
  return g_utf8_make_valid (text->str, (gssize) text->len);
}

static gboolean
build (const char *path, const char *program, gboolean is_separate, GCancellable *cancellable,
       GError **error)
{
  g_autofree char *nvcc = cured_exec_find_nvcc ();
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *said = NULL, *errors = NULL;

  if (nvcc == NULL)
    return cured_fail (error, CURED_ERROR_NOT_FOUND,
                       _ ("nvcc is not in PATH, and not below CUDA_HOME; it builds the program"));
  process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE, error,
                        nvcc, "-g", "-lineinfo", "-O2", "-w", "--extended-lambda",
                        "--expt-relaxed-constexpr", "-gencode", "arch=compute_90,code=compute_90",
                        "-o", program, path, is_separate ? "-rdc=true" : NULL, NULL);
  if (process == NULL ||
      !g_subprocess_communicate_utf8 (process, NULL, cancellable, &said, NULL, error))
    {
      if (process != NULL)
        g_subprocess_force_exit (process);
      return FALSE;
    }
  if (g_subprocess_get_successful (process))
    return TRUE;
  /* Kernels that launch kernels need this. */
  if (!is_separate && strstr (said, "separate compilation mode") != NULL)
    return build (path, program, TRUE, cancellable, error);
  errors = pick_errors (said);
  return cured_fail (error, CURED_ERROR_INVALID,
                     _ ("nvcc can't build it; NVCC_APPEND_FLAGS in the environment adds what it "
                        "lacks:%s"),
                     errors);
}

/* Adds a saved launch. A kernel file derived from several launches is beside the launch's own. */
static void
add_launch (CuredExecRecording *self, const char *path, const GPtrArray *findings)
{
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen (".kernel"));
  g_autofree char *own = g_strconcat (stem, ".launch.kernel", NULL), *name = NULL;
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (GError) error = NULL;

  if (g_str_has_suffix (path, ".launch.kernel"))
    return;
  kernel = cured_kernel_new_from_file (g_file_test (own, G_FILE_TEST_EXISTS) ? own : path, &error);
  if (kernel == NULL)
    {
      g_ptr_array_add (self->notes, g_strdup (error->message));
      return;
    }
  CuredExecRecorded *recorded = g_new0 (CuredExecRecorded, 1);
  recorded->name = _cured_exec_demangle_whole (kernel->steps[0].entry);
  name = _cured_exec_demangle (kernel->steps[0].entry);
  CURED_EACH_POINTER (const CuredFinding, finding, findings)
    {
      recorded->reads_unwritten |=
          finding->kind == CURED_FINDING_UNWRITTEN && g_strcmp0 (finding->kernel, name) == 0;
    }
  recorded->kernel = g_steal_pointer (&kernel);
  g_ptr_array_add (self->launches, recorded);
}

static void
describe_end (CuredExecRecording *self, const CuredExecReport *report)
{
  for (guint i = 0; i < report->notes->len; i++)
    g_ptr_array_add (self->notes, g_strdup (report->notes->pdata[i]));
  if (report->is_stopped)
    g_ptr_array_add (self->notes, g_strdup (_ ("The program was stopped before its end; its "
                                               "launches until then are used")));
  else if (report->program_status > 128)
    g_ptr_array_add (self->notes, g_strdup_printf (_ ("The program was ended by a signal: %s"),
                                                   g_strsignal (report->program_status - 128)));
  else if (report->program_status != 0)
    g_ptr_array_add (self->notes, g_strdup_printf (_ ("The program's exit code was %d"),
                                                   report->program_status));
  if (report->kernels->len == 0)
    g_ptr_array_add (self->notes,
                     g_strdup (_ ("The program launched nothing; arguments that it needs follow "
                                  "“--”")));
}

/* @path: path of a CUDA file with a `main`
 * @options: how to run it
 * @cancellable: (nullable): ends the compiler and the program
 * @error: return location
 *
 * Builds the file with nvcc in a temporary folder, and runs the program, with the caller's
 * privileges, in the file's folder, with the emulator as its device. Its output goes to standard
 * error. Blocks, and runs the default main context meanwhile.
 * Returns: (transfer full): its launches; NULL with %CURED_ERROR_NOT_FOUND (no nvcc),
 *   %CURED_ERROR_INVALID (no `main`, or it can't be built), or an error of cured_exec_run() */
CuredExecRecording *
cured_exec_recording_new (const char *path, const CuredExecRecordingOptions *options,
                          GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredExecRecording) self = g_new0 (CuredExecRecording, 1);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  g_auto (CuredExecReport) report = { 0 };
  CuredExecOptions exec = { 0 };

  g_return_val_if_fail (path != NULL && options != NULL, NULL);

  self->launches = g_ptr_array_new_with_free_func ((GDestroyNotify) recorded_free);
  self->notes = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *source = _cured_kernel_load_text (path, error);
  if (source == NULL)
    return NULL;
  if (!has_main (source))
    return cured_fail_null (error, CURED_ERROR_INVALID, _ ("%s has no main () to run"), path);
  self->folder = g_dir_make_tmp ("cured-record-XXXXXX", error);
  if (self->folder == NULL)
    return NULL;
  g_autofree char *program = g_build_filename (self->folder, PROGRAM, NULL);
  g_autofree char *saved = g_build_filename (self->folder, LAUNCHES, NULL);
  if (!build (path, program, FALSE, cancellable, error))
    return NULL;
  exec.first = 3;
  exec.limit_us = options->limit_us;
  exec.n_launches = options->n_launches;
  exec.is_quiet = TRUE;
  exec.keep_going = TRUE;
  exec.save = saved;
  g_ptr_array_add (words, program);
  for (guint i = 0; options->arguments != NULL && options->arguments[i] != NULL; i++)
    g_ptr_array_add (words, (gpointer) options->arguments[i]);
  g_ptr_array_add (words, NULL);
  if (!cured_exec_run (&exec, (char **) words->pdata, &report, cancellable, error))
    return NULL;
  for (guint i = 0; i < report.saved->len; i++)
    add_launch (self, report.saved->pdata[i], report.findings);
  describe_end (self, &report);
  return g_steal_pointer (&self);
}
