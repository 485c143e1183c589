/* SPDX-License-Identifier: MIT
 * Finds out what a file is, and reads it. */
#include <config.h>

#include "model/cured-loader.h"

#include <string.h>

struct _CuredLoader
{
  GObject parent_instance;

  /* Owned */
  char *path;                /* nullable: nothing was loaded yet */
  GCancellable *cancellable; /* nullable: nothing is being read */

  CuredLoaderStatus status;
  gboolean is_path_chosen; /* to import to */
};

enum
{
  RESULT,
  KERNEL,
  BARE_KERNEL,
  IMPORTED,
  PATH_NEEDED,
  FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

enum
{
  PROP_0,
  PROP_STATUS,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (CuredLoader, cured_loader, G_TYPE_OBJECT)

/* What a file turned out to be. */
typedef struct
{
  CuredKernel *kernel;             /* nullable */
  char *text;                      /* nullable: a kernel without a header */
  const CuredImportFormat *format; /* nullable: what others measured */
} Found;

static void
found_free (gpointer data)
{
  Found *self = data;

  g_clear_pointer (&self->kernel, cured_kernel_unref);
  g_free (self->text);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Found, found_free)

static void
set_status (CuredLoader *self, CuredLoaderStatus status)
{
  if (status == CURED_LOADER_IDLE)
    g_clear_object (&self->cancellable);
  if (self->status == status)
    return;
  self->status = status;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATUS]);
}

/* Another file was opened meanwhile, or whoever wanted it is gone. */
static gboolean
is_overtaken (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
answer (CuredLoader *self, guint signal, gpointer what)
{
  set_status (self, CURED_LOADER_IDLE);
  g_signal_emit (self, signals[signal], 0, what);
}

static void
loaded_cb (GObject *source, GAsyncResult *async, gpointer user_data)
{
  g_autoptr (CuredLoader) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load_finish (async, &error);

  if (result != NULL)
    answer (self, RESULT, result);
  else if (!is_overtaken (error))
    answer (self, FAILED, error);
}

/* The header is looked for in the text: a kernel with a wrong header has its own error, which names
 * the line. */
static void
find_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const char *path = task_data;
  g_autoptr (Found) found = g_new0 (Found, 1);
  GError *error = NULL;

  if (cured_kernel_is_file_name (path))
    {
      found->kernel = cured_kernel_new_from_file (path, &error);
      /* The window drafts headers for CUDA sources. */
      if (found->kernel == NULL && g_str_has_suffix (path, ".cu") &&
          g_file_get_contents (path, &found->text, NULL, NULL) &&
          (!g_utf8_validate (found->text, -1, NULL) || strstr (found->text, "/*! cured") != NULL))
        g_clear_pointer (&found->text, g_free);
      if (found->text != NULL)
        g_clear_error (&error);
    }
  else
    found->format = cured_import_recognise (path);

  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_steal_pointer (&found), found_free);
}

static void
found_cb (GObject *source, GAsyncResult *async, gpointer user_data)
{
  CuredLoader *self = CURED_LOADER (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (Found) found = g_task_propagate_pointer (G_TASK (async), &error);

  if (found == NULL)
    {
      if (!is_overtaken (error))
        answer (self, FAILED, error);
    }
  else if (found->kernel != NULL)
    answer (self, KERNEL, found->kernel);
  else if (found->text != NULL)
    answer (self, BARE_KERNEL, found->text);
  else if (found->format != NULL)
    cured_loader_import (self, NULL);
  else
    cured_result_load_async (self->path, self->cancellable, loaded_cb, g_object_ref (self));
}

static void
imported_cb (GObject *source, GAsyncResult *async, gpointer user_data)
{
  g_autoptr (CuredLoader) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredImport) import = cured_import_finish (async, &error);

  if (import != NULL)
    answer (self, IMPORTED, import);
  /* The result is there already, or its folder can't be written. */
  else if (g_error_matches (error, CURED_ERROR, CURED_ERROR_STORAGE) && !self->is_path_chosen)
    answer (self, PATH_NEEDED, NULL);
  else if (!is_overtaken (error))
    answer (self, FAILED, error);
}

static void
cured_loader_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_STATUS:
      g_value_set_uint (value, CURED_LOADER (object)->status);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
cured_loader_finalize (GObject *object)
{
  CuredLoader *self = CURED_LOADER (object);

  g_clear_object (&self->cancellable);
  g_free (self->path);
  G_OBJECT_CLASS (cured_loader_parent_class)->finalize (object);
}

static void
add_signal (guint number, const char *name, GType type)
{
  signals[number] = g_signal_new (name, CURED_TYPE_LOADER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, type != G_TYPE_NONE ? 1 : 0, type);
}

static void
cured_loader_class_init (CuredLoaderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = cured_loader_get_property;
  object_class->finalize = cured_loader_finalize;
  properties[PROP_STATUS] =
      g_param_spec_uint ("status", NULL, NULL, CURED_LOADER_IDLE, CURED_LOADER_IMPORTING,
                         CURED_LOADER_IDLE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  add_signal (RESULT, "result", CURED_TYPE_RESULT);
  add_signal (KERNEL, "kernel", G_TYPE_POINTER);
  add_signal (BARE_KERNEL, "bare-kernel", G_TYPE_STRING);
  add_signal (IMPORTED, "imported", G_TYPE_POINTER);
  add_signal (PATH_NEEDED, "path-needed", G_TYPE_NONE);
  add_signal (FAILED, "failed", G_TYPE_ERROR);
}

static void
cured_loader_init (CuredLoader *self)
{
}

/**
 * cured_loader_new:
 *
 * Returns: (transfer full): a loader that is idle
 */
CuredLoader *
cured_loader_new (void)
{
  return g_object_new (CURED_TYPE_LOADER, NULL);
}

/**
 * cured_loader_load:
 * @self: a loader
 * @path: a result, a kernel file, or what another program measured
 *
 * Reads a file; what was being read is given up. Returns at once; a signal follows. What another
 * program measured is imported beside @path.
 */
void
cured_loader_load (CuredLoader *self, const char *path)
{
  g_autoptr (GTask) task = NULL;
  char *copy = g_strdup (path);

  g_return_if_fail (CURED_IS_LOADER (self));

  cured_loader_cancel (self);
  g_free (self->path);
  self->path = copy;
  self->cancellable = g_cancellable_new ();
  set_status (self, CURED_LOADER_OPENING);
  task = g_task_new (self, self->cancellable, found_cb, NULL);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, find_thread);
}

/**
 * cured_loader_import:
 * @self: a loader
 * @out_path: (nullable): the result to write, which a person chose; %NULL: beside
 *   what was loaded
 *
 * Imports what was loaded last. Returns at once; a signal follows.
 */
void
cured_loader_import (CuredLoader *self, const char *out_path)
{
  g_return_if_fail (CURED_IS_LOADER (self));
  g_return_if_fail (self->path != NULL);

  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  self->is_path_chosen = out_path != NULL;
  set_status (self, CURED_LOADER_IMPORTING);
  /* The chooser asked whether the file of this very name may go. */
  cured_import_async (self->path, out_path,
                      out_path != NULL && g_file_test (out_path, G_FILE_TEST_EXISTS),
                      self->cancellable, imported_cb, g_object_ref (self));
}

/**
 * cured_loader_cancel:
 * @self: a loader
 *
 * Gives up what is being read; there is no signal of it.
 */
void
cured_loader_cancel (CuredLoader *self)
{
  g_return_if_fail (CURED_IS_LOADER (self));

  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  set_status (self, CURED_LOADER_IDLE);
}

/**
 * cured_loader_get_status:
 * @self: a loader
 *
 * Returns: what it does
 */
CuredLoaderStatus
cured_loader_get_status (CuredLoader *self)
{
  g_return_val_if_fail (CURED_IS_LOADER (self), CURED_LOADER_IDLE);
  return self->status;
}
