/* SPDX-License-Identifier: MIT
 * Recognises the format of a file and reads it. */
#include <config.h>

#include "model/cured-gui-model.h"

#include <string.h>

struct _CuredLoader
{
  GObject parent_instance;

  /* Owned */
  char *path; /* nullable: nothing loaded yet */
  CuredTask *task;

  CuredLoaderStatus status;
};

CURED_DEFINE_PLAIN_TYPE (CuredLoader, cured_loader, G_TYPE_OBJECT)

/* The kind of a file, and its contents. */
typedef struct
{
  CuredKernel *kernel;             /* nullable */
  char *text;                      /* nullable: a kernel without a header */
  const CuredImportFormat *format; /* nullable: of another program's measurements */
} Found;

CURED_FREE_FUNC (Found, found_free, kernel, cured_kernel_unref, text, g_free)

static void
set_status (CuredLoader *self, CuredLoaderStatus status)
{
  if (self->status == status)
    return;
  self->status = status;
  g_object_notify (G_OBJECT (self), "status");
}

static void
answer (CuredLoader *self, const char *signal, gpointer what)
{
  set_status (self, CURED_LOADER_IDLE);
  g_signal_emit_by_name (self, signal, what);
}

static void
load_work (CuredTask *task)
{
  task->output = cured_result_load_ready (task->input, task->cancellable, &task->error);
}

static void
loaded_cb (gpointer owner, CuredTask *task)
{
  answer (owner, task->output != NULL ? "result" : "failed",
          task->output != NULL ? task->output : task->error);
}

static const CuredTaskKind load_task =
    CURED_TASK_KIND (load_work, loaded_cb, g_free, g_object_unref);

typedef struct
{
  char *path;
  char *out_path; /* nullable: next to @path */
} Importing;

CURED_FREE_FUNC (Importing, importing_free, path, g_free, out_path, g_free)

static void
import_work (CuredTask *task)
{
  const Importing *importing = task->input;
  const CuredImportOptions options = {
    .out_path = importing->out_path,
    /* The file chooser already asked for permission to overwrite this file. */
    .overwrite_named =
        importing->out_path != NULL && g_file_test (importing->out_path, G_FILE_TEST_EXISTS),
  };

  task->output = cured_import_file (importing->path, &options, task->cancellable, &task->error);
}

static void
imported_cb (gpointer owner, CuredTask *task)
{
  const Importing *importing = task->input;

  if (task->output != NULL)
    answer (owner, "imported", task->output);
  /* The result exists already, or its folder is not writable. */
  else if (g_error_matches (task->error, CURED_ERROR, CURED_ERROR_STORAGE) &&
           importing->out_path == NULL)
    answer (owner, "path-needed", NULL);
  else
    answer (owner, "failed", task->error);
}

static const CuredTaskKind import_task =
    CURED_TASK_KIND (import_work, imported_cb, importing_free, cured_import_free);

/* Searches the text for a header: a kernel with an invalid header keeps its own error, which names
 * the line. */
static void
find_work (CuredTask *task)
{
  const char *path = task->input;
  Found *found = g_new0 (Found, 1);

  task->output = found;
  if (!cured_kernel_is_file_name (path))
    {
      found->format = cured_import_recognise (path);
      return;
    }
  found->kernel = cured_kernel_new_from_file (path, &task->error);
  /* The window drafts headers for CUDA sources. */
  if (found->kernel == NULL && g_str_has_suffix (path, ".cu") &&
      g_file_get_contents (path, &found->text, NULL, NULL) &&
      (!g_utf8_validate (found->text, -1, NULL) || strstr (found->text, "/*! cured") != NULL))
    g_clear_pointer (&found->text, g_free);
  if (found->text != NULL)
    g_clear_error (&task->error);
}

static void
found_cb (CuredLoader *self, CuredTask *task)
{
  const Found *found = task->output;

  if (task->error != NULL)
    answer (self, "failed", task->error);
  else if (found->kernel != NULL)
    answer (self, "kernel", found->kernel);
  else if (found->text != NULL)
    answer (self, "bare-kernel", found->text);
  else if (found->format != NULL)
    cured_loader_import (self, NULL);
  else
    cured_task_start (&self->task, self, &load_task, g_steal_pointer (&task->input));
}

static const CuredTaskKind find_task = CURED_TASK_KIND (find_work, found_cb, g_free, found_free);

static void
cured_loader_class_init (CuredLoaderClass *klass)
{
  CURED_PROPERTY (CuredLoader, "status", G_TYPE_UINT, status, NULL);
  cured_class_add_signal (klass, "result", 1, CURED_TYPE_RESULT);
  cured_class_add_signal (klass, "kernel", 1, G_TYPE_POINTER);
  cured_class_add_signal (klass, "bare-kernel", 1, G_TYPE_STRING);
  cured_class_add_signal (klass, "imported", 1, G_TYPE_POINTER);
  cured_class_add_signal (klass, "path-needed", 0);
  cured_class_add_signal (klass, "failed", 1, G_TYPE_ERROR);
  CURED_FREES (CuredLoader, g_free, path);
}

CURED_DEFINE_NEW (CuredLoader, cured_loader)

/* Reads a file: a result, a kernel or another program's measurements, which are imported next to
 * it. Cancels the previous read. Returns at once; a signal follows. */
void
cured_loader_load (CuredLoader *self, const char *path)
{
  cured_set_string (&self->path, path);
  set_status (self, CURED_LOADER_OPENING);
  cured_task_start (&self->task, self, &find_task, g_strdup (self->path));
}

/* Imports the file loaded last, to @out_path or, if that is NULL, next to it. Returns at once; a
 * signal follows. */
void
cured_loader_import (CuredLoader *self, const char *out_path)
{
  Importing *input = g_new0 (Importing, 1);

  g_return_if_fail (self->path != NULL);

  input->path = g_strdup (self->path);
  input->out_path = g_strdup (out_path);
  set_status (self, CURED_LOADER_IMPORTING);
  cured_task_start (&self->task, self, &import_task, input);
}

/* Cancels the read; no signal is emitted. */
void
cured_loader_cancel (CuredLoader *self)
{
  cured_task_cancel (&self->task);
  set_status (self, CURED_LOADER_IDLE);
}

CURED_GETTER (CuredLoaderStatus, cured_loader_get_status, CuredLoader, status)
