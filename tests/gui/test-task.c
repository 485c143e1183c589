/* SPDX-License-Identifier: MIT
 * Work in a thread: which callbacks run, which do not, and where things are freed. No display. */
#include "model/cured-gui-model.h"
#include "soon.h"
#include "test.h"

/* What a thread waits at, and what became of it. */
typedef struct
{
  GMutex mutex;
  GCond cond;
  gboolean is_open, has_begun, was_cancelled;
  GThread *worker;
  GThread *freed_by; /* its input */
  GObject *owner;    /* that was told */
  guint n_done;
} Gate;

static GThread *main_thread;

static void
work (CuredTask *task)
{
  Gate *gate = task->input;

  g_mutex_lock (&gate->mutex);
  gate->has_begun = TRUE;
  gate->worker = g_thread_self ();
  while (!gate->is_open)
    g_cond_wait (&gate->cond, &gate->mutex);
  gate->was_cancelled = g_cancellable_is_cancelled (task->cancellable);
  g_mutex_unlock (&gate->mutex);
  task->output = g_strdup ("found");
}

static void
done (gpointer owner, CuredTask *task)
{
  Gate *gate = task->input;

  g_assert_true (g_thread_self () == main_thread);
  g_assert_null (g_object_get_data (owner, "slot"));
  g_assert_cmpstr (task->output, ==, "found");
  g_assert_no_error (task->error);
  gate->owner = owner;
  gate->n_done++;
}

static void
freed (gpointer input)
{
  ((Gate *) input)->freed_by = g_thread_self ();
}

static const CuredTaskKind kind = {
  .work = work, .done = done, .free_input = freed, .free_output = g_free
};

static gboolean
has_begun (Gate *gate)
{
  g_mutex_lock (&gate->mutex);
  gboolean value = gate->has_begun;
  g_mutex_unlock (&gate->mutex);
  return value;
}

static void
open_gate (Gate *gate)
{
  g_mutex_lock (&gate->mutex);
  gate->is_open = TRUE;
  g_cond_broadcast (&gate->cond);
  g_mutex_unlock (&gate->mutex);
}

TEST ("/task/done")
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  CuredTask *slot = NULL;
  Gate gate = { .is_open = TRUE };

  cured_task_start (&slot, owner, &kind, &gate);
  g_assert_nonnull (slot);
  assert_soon (gate.freed_by != NULL);
  g_assert_null (slot);
  g_assert_cmpuint (gate.n_done, ==, 1);
  g_assert_true (gate.owner == owner);
  g_assert_true (gate.worker != main_thread);
  g_assert_true (gate.freed_by == main_thread);
}

TEST ("/task/cancel")
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  CuredTask *slot = NULL;
  Gate gate = { 0 };

  cured_task_start (&slot, owner, &kind, &gate);
  assert_soon (has_begun (&gate));
  cured_task_cancel (&slot);
  g_assert_null (slot);
  cured_task_cancel (&slot);
  open_gate (&gate);
  assert_soon (gate.freed_by != NULL);
  g_assert_true (gate.was_cancelled);
  g_assert_cmpuint (gate.n_done, ==, 0);
  g_assert_true (gate.freed_by == main_thread);
}

/* A new start cancels the old one. */
TEST ("/task/restart")
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  CuredTask *slot = NULL;
  Gate first = { 0 };
  Gate second = { .is_open = TRUE };

  cured_task_start (&slot, owner, &kind, &first);
  assert_soon (has_begun (&first));
  cured_task_start (&slot, owner, &kind, &second);
  assert_soon (second.freed_by != NULL);
  g_assert_cmpuint (second.n_done, ==, 1);
  g_assert_false (second.was_cancelled);
  open_gate (&first);
  assert_soon (first.freed_by != NULL);
  g_assert_true (first.was_cancelled);
  g_assert_cmpuint (first.n_done, ==, 0);
}

/* The thread holds no owner: it goes while its task runs, and the task is cancelled. */
TEST ("/task/owner")
{
  GObject *owner = g_object_new (G_TYPE_OBJECT, NULL);
  CuredTask *slot = NULL;
  Gate gate = { 0 }, other = { 0 };

  cured_task_start (&slot, owner, &kind, &gate);
  cured_task_start (NULL, owner, &kind, &other);
  assert_soon (has_begun (&gate) && has_begun (&other));
  g_assert_finalize_object (owner);
  g_assert_null (slot);
  open_gate (&gate);
  open_gate (&other);
  assert_soon (gate.freed_by != NULL && other.freed_by != NULL);
  g_assert_true (gate.was_cancelled && other.was_cancelled);
  g_assert_cmpuint (gate.n_done + other.n_done, ==, 0);
  g_assert_true (gate.freed_by == main_thread);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  main_thread = g_thread_self ();
  return run_tests ();
}
