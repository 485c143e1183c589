/* SPDX-License-Identifier: MIT
 * Reports of Nsight Compute, by the vendor's Python module. */
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "import/cured-import-private.h"
#include "kernel/cured-asset-internal.h"

/* Implementation notes: the format of a report (.ncu-rep) is not documented, the Python module is:
 * “Python Report Interface” of the Nsight Compute manual. Here it writes the output of “ncu --csv
 * --page raw”, which is then imported. Python does not import modules from the current folder. */
/* Exit status of the script if the module is missing. */
#define EXIT_NO_MODULE 3

static const char magic[] = { 'N', 'V', 'R', '\0' };

gboolean
_cured_import_is_report (const CuredImportReader *self)
{
  return self->length > sizeof magic && memcmp (self->text, magic, sizeof magic) == 0;
}

static gboolean
fail_no_module (CuredImportReader *self, GError **error)
{
  return _cured_import_fail (
      self, error,
      _ ("a report of Nsight Compute is read by the vendor's Python module, which python3 does not "
         "find: install it (python3 -m pip install ncu-report), or write the report as CSV with "
         "“ncu --import FILE --csv --page raw”"));
}

static char *
dup_text (GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);

  return g_strndup (data != NULL ? data : "", length);
}

static gboolean
run_script (CuredImportReader *self, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GSubprocess) python = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, NULL, "python3", "-c",
      _cured_asset_get ("import/cured-import-report.py"), path, NULL);
  g_autoptr (GBytes) out = NULL, err = NULL;

  if (python == NULL)
    return fail_no_module (self, error);
  if (!g_subprocess_communicate (python, NULL, cancellable, &out, &err, error))
    {
      g_subprocess_force_exit (python);
      return FALSE;
    }
  if (g_subprocess_get_if_exited (python) &&
      g_subprocess_get_exit_status (python) == EXIT_NO_MODULE)
    return fail_no_module (self, error);
  if (!g_subprocess_get_successful (python))
    {
      g_autofree char *said = dup_text (err), *valid = g_utf8_make_valid (g_strchomp (said), -1);
      const char *last = strrchr (valid, '\n');

      return _cured_import_fail (self, error, _ ("the module ncu_report can't read it: %s"),
                                 last != NULL ? last + 1 : valid);
    }
  g_free (self->text);
  self->length = g_bytes_get_size (out);
  self->text = dup_text (out);
  self->bad_line = 0;
  self->is_nul = FALSE;
  return g_utf8_validate (self->text, (gssize) self->length, NULL) ||
         _cured_import_fail (self, error, _ ("the module ncu_report wrote what is no text"));
}

/* Replaces the report in @self by a table. The module needs a file, but the report may not have
 * come from a plain one. */
gboolean
_cured_import_convert_report (CuredImportReader *self, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) problem = NULL;
  int fd = g_file_open_tmp ("cured-XXXXXX.ncu-rep", &path, &problem);

  if (fd < 0)
    return _cured_import_fail (self, error, "%s", problem->message);
  close (fd);
  gboolean is_done = g_file_set_contents (path, self->text, (gssize) self->length, &problem)
                         ? run_script (self, path, cancellable, error)
                         : _cured_import_fail (self, error, "%s", problem->message);
  g_unlink (path);
  return is_done;
}
