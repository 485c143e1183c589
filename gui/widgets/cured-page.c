/* SPDX-License-Identifier: MIT
 * Base class of a tab's pages: the document, visibility and export. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

G_DEFINE_ABSTRACT_TYPE (CuredPage, cured_page, ADW_TYPE_BIN)

static gpointer
get_child (CuredPage *self, const char *name)
{
  return gtk_widget_get_template_child (GTK_WIDGET (self), G_OBJECT_TYPE (self), name);
}

static void
document_changed_cb (CuredPage *self, CuredDocumentChange what)
{
  CuredPageClass *klass = CURED_PAGE_GET_CLASS (self);
  CuredResult *result = cured_document_get_result (self->document);

  if (klass->cell_changed != NULL && self->result != result)
    {
      if (self->result != NULL)
        g_signal_handlers_disconnect_by_data (self->result, self);
      g_set_object (&self->result, result);
      if (result != NULL)
        CURED_CONNECT (result, "cell-changed", klass->cell_changed);
    }
  if (klass->changed != NULL)
    klass->changed (self, what);
}

/* Refreshes the page now, or when it is next shown. */
void
cured_page_refresh_soon (gpointer page)
{
  CuredPage *self = page;

  self->is_stale = !gtk_widget_get_mapped (page);
  if (!self->is_stale)
    CURED_PAGE_GET_CLASS (self)->refresh (self);
}

static void
set_held (CuredPage *self, gboolean is_held)
{
  CuredPageClass *klass = CURED_PAGE_GET_CLASS (self);

  if (self->document == NULL)
    return;
  if (self->inspector != NULL && klass->held != NULL)
    (is_held ? cured_inspector_hold : cured_inspector_release) (self->inspector);
  if (is_held && self->is_stale)
    cured_page_refresh_soon (self);
  else if (klass->held != NULL)
    klass->held (self, is_held);
}

static void
cured_page_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (cured_page_parent_class)->map (widget);
  set_held (CURED_PAGE (widget), TRUE);
}

static void
cured_page_unmap (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (cured_page_parent_class)->unmap (widget);
  set_held (CURED_PAGE (widget), FALSE);
}

static void
cured_page_dispose (GObject *object)
{
  CuredPage *self = CURED_PAGE (object);

  g_clear_object (&self->document);
  g_clear_object (&self->inspector);
  g_clear_object (&self->result);
  G_OBJECT_CLASS (cured_page_parent_class)->dispose (object);
}

static void
cured_page_class_init (CuredPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_page_dispose;
  widget_class->map = cured_page_map;
  widget_class->unmap = cured_page_unmap;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TAB_PANEL);
}

static void
cured_page_init (CuredPage *self)
{
}

/* Sets the document of a page, which follows its changes; called once. @inspector: (nullable). */
void
cured_page_open (gpointer page, CuredDocument *document, CuredInspector *inspector)
{
  CuredPage *self = page;

  self->document = g_object_ref (document);
  g_set_object (&self->inspector, inspector);
  CURED_CONNECT (document, "changed", document_changed_cb);
  if (CURED_PAGE_GET_CLASS (self)->opened != NULL)
    CURED_PAGE_GET_CLASS (self)->opened (self);
  else
    document_changed_cb (self, CURED_DOCUMENT_EVERYTHING);
  if (gtk_widget_get_mapped (page))
    set_held (self, TRUE);
}

/* Shows a page of the stack; the spinner spins while that is `loading`. */
void
cured_page_show (gpointer self, const char *name)
{
  gtk_stack_set_visible_child_name (get_child (self, "stack"), name);
  gtk_spinner_set_spinning (get_child (self, "spinner"), g_str_equal (name, "loading"));
}

/* Shows why there is no content. @icon: (nullable): NULL: unchanged. */
void
cured_page_show_empty (gpointer self, const char *icon, const char *title, const char *description)
{
  g_autofree char *markup = g_markup_escape_text (description, -1);
  AdwStatusPage *empty = get_child (self, "empty");

  if (icon != NULL)
    adw_status_page_set_icon_name (empty, icon);
  adw_status_page_set_title (empty, title);
  adw_status_page_set_description (empty, markup);
  cured_page_show (self, "empty");
}

/* Returns: (transfer full) (nullable): the current content; NULL: none yet */
CuredDrawing *
cured_page_get_drawing (gpointer self)
{
  return CURED_PAGE_GET_CLASS (self)->get_drawing (self);
}

/* ---- Export ---- */

typedef struct
{
  CuredDrawing *drawing;
  const CuredExportFormat *format;
  char *path; /* nullable: into memory */
  CuredExportOptions options;
  CuredWrittenFunc written;
} Writing;

CURED_FREE_FUNC (Writing, writing_free, drawing, cured_drawing_unref, path, g_free)

static void
write_work (CuredTask *task)
{
  const Writing *self = task->input;

  if (self->path != NULL)
    {
      cured_export (self->drawing, &self->options, self->format, self->path, task->cancellable,
                    &task->error);
      return;
    }
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  if (self->format->write (self->drawing, &self->options, stream, task->cancellable,
                           &task->error) &&
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

/* Writes to a file or, if @path is NULL, to memory, in a thread; then calls @written unless @owner
 * was disposed of. @options: (nullable): NULL: defaults, with the application's colour scheme */
void
cured_page_write (gpointer owner, CuredDrawing *drawing, const CuredExportFormat *format,
                  const CuredExportOptions *options, const char *path, CuredWrittenFunc written)
{
  Writing *self = g_new0 (Writing, 1);

  self->drawing = cured_drawing_ref (drawing);
  self->format = format;
  self->path = g_strdup (path);
  if (options != NULL)
    self->options = *options;
  else
    self->options.dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  self->written = written;
  cured_task_start (NULL, owner, &write_task, self);
}
