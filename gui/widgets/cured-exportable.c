/* SPDX-License-Identifier: MIT
 * What the window can export, copy and print of a page. */
#include <config.h>

#include "widgets/cured-exportable.h"

#include <adwaita.h>

G_DEFINE_INTERFACE (CuredExportable, cured_exportable, GTK_TYPE_WIDGET)

static void
cured_exportable_default_init (CuredExportableInterface *iface)
{
}

/**
 * cured_exportable_get_drawing:
 * @self: a page
 *
 * Returns: (transfer full) (nullable): what is seen now, or %NULL where there
 *   is nothing yet
 */
CuredDrawing *
cured_exportable_get_drawing (CuredExportable *self)
{
  g_return_val_if_fail (CURED_IS_EXPORTABLE (self), NULL);
  return CURED_EXPORTABLE_GET_IFACE (self)->get_drawing (self);
}

typedef struct
{
  CuredDrawing *drawing;
  const CuredExportFormat *format;
  char *path; /* nullable: into memory */
  gboolean is_dark;
} Writing;

static void
writing_free (gpointer data)
{
  Writing *self = data;

  cured_drawing_unref (self->drawing);
  g_free (self->path);
  g_free (self);
}

static GBytes *
write_to_memory (const Writing *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();

  if (!self->format->write (self->drawing, self->is_dark, stream, cancellable, error) ||
      !g_output_stream_close (stream, cancellable, error))
    return NULL;
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
}

static void
write_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Writing *self = task_data;
  GError *error = NULL;
  GBytes *bytes = NULL;

  if (self->path == NULL)
    bytes = write_to_memory (self, cancellable, &error);
  else if (cured_export (self->drawing, self->is_dark, self->format, self->path, cancellable,
                         &error))
    bytes = g_bytes_new_static ("", 0);

  if (bytes != NULL)
    g_task_return_pointer (task, bytes, (GDestroyNotify) g_bytes_unref);
  else
    g_task_return_error (task, error);
}

/**
 * cured_exportable_write_async:
 * @drawing: what to write
 * @format: as what
 * @path: (nullable): the file to write; %NULL: into memory
 * @cancellable: (nullable): to stop
 * @callback: called on the main thread
 * @user_data: for @callback
 *
 * Writes in a thread, light or dark as the application is.
 */
void
cured_exportable_write_async (CuredDrawing *drawing, const CuredExportFormat *format,
                              const char *path, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Writing *writing = g_new0 (Writing, 1);

  writing->drawing = cured_drawing_ref (drawing);
  writing->format = format;
  writing->path = g_strdup (path);
  writing->is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  g_task_set_task_data (task, writing, writing_free);
  g_task_run_in_thread (task, write_thread);
}

/**
 * cured_exportable_write_finish:
 * @result: what the callback got
 * @error: return location
 *
 * Ends cured_exportable_write_async().
 *
 * Returns: (transfer full): what was written into memory; empty where a file
 *   was written; %NULL with @error set where it failed
 */
GBytes *
cured_exportable_write_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}
