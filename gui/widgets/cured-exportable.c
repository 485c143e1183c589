/* SPDX-License-Identifier: MIT
 * What the window can export, copy and print of a page. */
#include <config.h>

#include "widgets/cured-exportable.h"

#include <adwaita.h>

#include "model/cured-task.h"
#include "model/cured-class.h"

G_DEFINE_INTERFACE (CuredExportable, cured_exportable, GTK_TYPE_WIDGET)

static void
cured_exportable_default_init (CuredExportableInterface *iface)
{
}

/* Returns: (transfer full) (nullable): what is seen now, or NULL where there is nothing yet */
CuredDrawing *
cured_exportable_get_drawing (CuredExportable *self)
{
  return CURED_EXPORTABLE_GET_IFACE (self)->get_drawing (self);
}

typedef struct
{
  CuredDrawing *drawing;
  const CuredExportFormat *format;
  char *path; /* nullable: into memory */
  gboolean is_dark;
  CuredWritten written;
} Writing;

CURED_FREE_FUNC (Writing, writing_free, drawing, cured_drawing_unref, path, g_free)

static void
write_work (CuredTask *task)
{
  const Writing *self = task->input;

  if (self->path != NULL)
    {
      cured_export (self->drawing, self->is_dark, self->format, self->path, task->cancellable,
                    &task->error);
      return;
    }
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  if (self->format->write (self->drawing, self->is_dark, stream, task->cancellable, &task->error) &&
      g_output_stream_close (stream, task->cancellable, &task->error))
    task->output = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
}

static void
written_cb (gpointer owner, CuredTask *task)
{
  const Writing *self = task->input;

  self->written (owner, self->path, task->output, task->error);
}

static const CuredTaskKind write_task =
    CURED_TASK_KIND (write_work, written_cb, writing_free, g_bytes_unref);

/* Writes to a file or, where @path is NULL, into memory, light or dark as the application is;
 * @written follows, unless @owner goes first. */
void
cured_exportable_write (gpointer owner, CuredDrawing *drawing, const CuredExportFormat *format,
                        const char *path, CuredWritten written)
{
  Writing *self = g_new0 (Writing, 1);

  self->drawing = cured_drawing_ref (drawing);
  self->format = format;
  self->path = g_strdup (path);
  self->is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  self->written = written;
  cured_task_start (NULL, owner, &write_task, self);
}
