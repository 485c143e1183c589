/* SPDX-License-Identifier: MIT
 * Detects that a kernel was changed and can run again. */
#include <config.h>

#include "model/cured-gui-model.h"

/* Delay after the last change; long, since a sweep costs more than an inspection. */
#define DELAY_MS 1000

struct _CuredChange
{
  GObject parent_instance;

  /* Owned */
  CuredDocument *document;
  CuredInspector *inspector;
  GFileMonitor *monitor; /* nullable: the kernel has no file */
  CuredTask *reading;    /* the file */
  char *source;          /* nullable: as last reported or opened */
  char *path;            /* nullable: of @monitor's file */
  char *on_disk;         /* nullable: as last read from the file */

  gboolean is_active;
  gboolean is_waiting; /* for the inspector */
  guint delay_id;
};

CURED_DEFINE_PLAIN_TYPE (CuredChange, cured_change, G_TYPE_OBJECT)

static void
refuse (CuredChange *self, const char *reason)
{
  g_signal_emit_by_name (self, "refused", reason);
}

/* (nullable): why the kernel must not run. A missing local compiler is no reason, since the device
 * may be on another machine with one. */
static char *
find_fault (CuredChange *self)
{
  const GError *error = cured_inspector_get_error (self->inspector);
  CuredInspection *inspection = cured_inspector_get_newest (self->inspector);

  if (error != NULL)
    return g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_COMPILER)
               ? NULL
               : g_strdup (error->message);
  if (inspection == NULL)
    return NULL;
  for (guint i = 0; i < inspection->diagnostics->len; i++)
    {
      const CuredDiagnostic *diagnostic = g_ptr_array_index (inspection->diagnostics, i);

      if (diagnostic->severity == CURED_SEVERITY_ERROR)
        return g_strdup (diagnostic->text);
    }
  if (inspection->findings->len > 0)
    return cured_finding_to_string (g_ptr_array_index (inspection->findings, 0));
  return NULL;
}

static void
decide (CuredChange *self)
{
  g_autofree char *fault = find_fault (self);

  self->is_waiting = FALSE;
  cured_set_string (&self->source, cured_document_get_source (self->document));
  if (fault != NULL)
    {
      /* Translators: what is wrong with a kernel. */
      g_autofree char *text = g_strdup_printf (_ ("Not run: %s"), fault);

      refuse (self, text);
    }
  else
    g_signal_emit_by_name (self, "ready");
}

static void
inspected_cb (CuredChange *self)
{
  if (self->is_waiting && !cured_inspector_is_busy (self->inspector))
    decide (self);
}

static void
delay_cb (CuredChange *self)
{
  if (cured_inspector_is_busy (self->inspector))
    self->is_waiting = TRUE;
  else
    decide (self);
}

static void
forget_change (CuredChange *self)
{
  g_clear_handle_id (&self->delay_id, g_source_remove);
  self->is_waiting = FALSE;
}

static void
kernel_changed_cb (CuredChange *self)
{
  forget_change (self);
  if (!self->is_active || g_strcmp0 (cured_document_get_source (self->document), self->source) == 0)
    return;
  CURED_LATER (delay_id, DELAY_MS, delay_cb);
}

/* Changes of the kernel's file. */

static void
read_work (CuredTask *task)
{
  char *text;

  if (g_file_get_contents (task->input, &text, NULL, &task->error))
    task->output = text;
}

static void
read_cb (CuredChange *self, CuredTask *task)
{
  const char *text = task->output;

  /* The file is missing or being replaced, so there is nothing to run. */
  if (text == NULL)
    return;
  if (!self->is_active || !g_utf8_validate (text, -1, NULL) || g_strcmp0 (text, self->on_disk) == 0)
    return;
  gboolean is_edited = g_strcmp0 (cured_document_get_source (self->document), self->on_disk) != 0;
  cured_set_string (&self->on_disk, text);
  if (cured_document_get_kernel (self->document) == NULL)
    return;
  if (!is_edited)
    {
      cured_document_set_source (self->document, text);
      /* It is not edited here; a result's original stays the measured source. */
      if (cured_document_get_result (self->document) == NULL)
        cured_document_set_original (self->document, text);
    }
  else if (g_strcmp0 (cured_document_get_source (self->document), text) != 0)
    refuse (self, _ ("The kernel's file was changed; your edits here stay."));
}

static const CuredTaskKind read_task = CURED_TASK_KIND (read_work, read_cb, g_free, g_free);

static void
file_changed_cb (CuredChange *self, GFile *file, GFile *other, GFileMonitorEvent event)
{
  if (event != G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT && event != G_FILE_MONITOR_EVENT_CREATED &&
      event != G_FILE_MONITOR_EVENT_RENAMED)
    return;
  cured_task_start (&self->reading, self, &read_task,
                    g_file_get_path (event == G_FILE_MONITOR_EVENT_RENAMED ? other : file));
}

static void
stop_watching (CuredChange *self)
{
  cured_task_cancel (&self->reading);
  if (self->monitor != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->monitor, self);
      g_file_monitor_cancel (self->monitor);
    }
  g_clear_object (&self->monitor);
  g_clear_pointer (&self->path, g_free);
}

/* A kernel of the user's own has its file's path as its id. */
static void
watch_file (CuredChange *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  const char *path = kernel != NULL ? kernel->path : NULL;

  if (path == NULL && kernel != NULL)
    path = kernel->id;
  if (path != NULL && !g_path_is_absolute (path))
    path = NULL;
  /* Already watching: a result of the same kernel, perhaps edited; @on_disk is still correct. */
  if (self->is_active && path != NULL && g_strcmp0 (path, self->path) == 0)
    return;
  stop_watching (self);
  if (!self->is_active || path == NULL)
    return;
  cured_set_string (&self->on_disk, cured_document_get_source (self->document));
  cured_set_string (&self->path, path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    CURED_CONNECT (self->monitor, "changed", file_changed_cb);
}

/* Opening or running a kernel does not count as a change. */
static void
result_changed_cb (CuredChange *self)
{
  forget_change (self);
  cured_set_string (&self->source, cured_document_get_source (self->document));
  watch_file (self);
}

static void
document_changed_cb (CuredChange *self, CuredDocumentChange what)
{
  if ((what & CURED_DOCUMENT_RESULT) != 0)
    result_changed_cb (self);
  else if ((what & CURED_DOCUMENT_KERNEL) != 0)
    kernel_changed_cb (self);
}

static void
cured_change_dispose (GObject *object)
{
  cured_change_set_active (CURED_CHANGE (object), FALSE);
  cured_class_dispose (object);
}

static void
cured_change_class_init (CuredChangeClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = cured_change_dispose;
  cured_class_add_signal (klass, "ready", 0);
  cured_class_add_signal (klass, "refused", 1, G_TYPE_STRING);
  CURED_OWNS (CuredChange, document, inspector);
  CURED_FREES (CuredChange, g_free, source, path, on_disk);
}

CuredChange *
cured_change_new (CuredDocument *document, CuredInspector *inspector)
{
  CuredChange *self = g_object_new (CURED_TYPE_CHANGE, NULL);

  self->document = g_object_ref (document);
  self->inspector = g_object_ref (inspector);
  CURED_CONNECT (document, "changed", document_changed_cb);
  CURED_CONNECT (inspector, "notify::inspection", inspected_cb);
  CURED_CONNECT (inspector, "notify::busy", inspected_cb);
  return self;
}

/* Changes before activation are ignored. */
void
cured_change_set_active (CuredChange *self, gboolean is_active)
{
  if (self->is_active == is_active)
    return;
  self->is_active = is_active;
  forget_change (self);
  if (is_active)
    {
      cured_inspector_hold (self->inspector);
      cured_set_string (&self->source, cured_document_get_source (self->document));
      watch_file (self);
    }
  else
    {
      stop_watching (self);
      cured_inspector_release (self->inspector);
    }
}

CURED_GETTER (gboolean, cured_change_is_active, CuredChange, is_active)
