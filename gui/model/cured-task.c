/* SPDX-License-Identifier: MIT
 * Work in a thread, for an object of the main thread. */
#include <config.h>

#include "model/cured-gui-model.h"

/* Implementation notes: a GTask may drop its source object, and data with a destroy notify, in its
 * thread, if that releases it last. Therefore it has neither, and the result is kept here. */

static void
work_thread (GTask *thread, gpointer source, gpointer data, GCancellable *cancellable)
{
  CuredTask *task = data;

  if (!g_cancellable_set_error_if_cancelled (task->cancellable, &task->error))
    task->kind->work (task);
  g_task_return_boolean (thread, TRUE);
}

static void
owner_gone_cb (gpointer data, GObject *owner)
{
  CuredTask *task = data;

  g_cancellable_cancel (task->cancellable);
  if (task->slot != NULL)
    *task->slot = NULL;
  task->owner = NULL;
}

static void
forget_owner (CuredTask *task)
{
  if (task->owner == NULL)
    return;
  g_object_weak_unref (task->owner, owner_gone_cb, task);
  if (task->slot != NULL)
    *task->slot = NULL;
  task->owner = NULL;
}

static void
task_free (CuredTask *task)
{
  if (task->input != NULL && task->kind->free_input != NULL)
    task->kind->free_input (task->input);
  if (task->output != NULL && task->kind->free_output != NULL)
    task->kind->free_output (task->output);
  g_clear_error (&task->error);
  g_object_unref (task->cancellable);
  g_free (task);
}

static void
worked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  CuredTask *task = data;
  g_autoptr (GObject) owner = task->owner != NULL ? g_object_ref (task->owner) : NULL;

  forget_owner (task);
  if (owner != NULL)
    task->kind->done (owner, task);
  task_free (task);
}

/* Cancels the task in *@slot, and runs @kind with @input, whose ownership it takes, for @owner.
 * *@slot is a field of @owner, NULL when no task runs; a task without a slot is only cancelled when
 * its owner is gone. */
void
cured_task_start (CuredTask **slot, gpointer owner, const CuredTaskKind *kind, gpointer input)
{
  CuredTask *task = g_new0 (CuredTask, 1);

  if (slot != NULL)
    cured_task_cancel (slot);
  *task = (CuredTask){
    .input = input, .cancellable = g_cancellable_new (), .kind = kind, .owner = owner, .slot = slot
  };
  g_object_weak_ref (owner, owner_gone_cb, task);
  if (slot != NULL)
    *slot = task;
  g_autoptr (GTask) thread = g_task_new (NULL, NULL, worked_cb, task);
  g_task_set_task_data (thread, task, NULL);
  g_task_set_priority (thread, kind->priority);
  g_task_run_in_thread (thread, work_thread);
}

/* Prevents a call of done(). */
void
cured_task_cancel (CuredTask **slot)
{
  CuredTask *task = *slot;

  if (task == NULL)
    return;
  g_cancellable_cancel (task->cancellable);
  forget_owner (task);
}
