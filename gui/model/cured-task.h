/* SPDX-License-Identifier: MIT
 * Work in a thread, for an object of the main thread. */
#pragma once

#include <gio/gio.h>

/* All background work of the window is a task. The thread has no reference to the owner, so the main
 * thread alone ever drops one, and an owner that nobody else holds is disposed of while its task
 * runs: the task is cancelled then. Everything a task has is freed on the main thread. */
typedef struct _CuredTask CuredTask;

typedef struct
{
  void (*work) (CuredTask *task);                 /* in a thread: sets @output or @error */
  void (*done) (gpointer owner, CuredTask *task); /* main thread; never after a cancel */
  GDestroyNotify free_input;                      /* nullable */
  GDestroyNotify free_output;                     /* nullable */
  int priority;                                   /* as of a #GSource */
} CuredTaskKind;

/* What a task does; @done takes the owner by its own type. */
#define CURED_TASK_KIND(work_, done_, free_input_, free_output_)                                   \
  {                                                                                                \
    .work = work_, .done = (void (*) (gpointer, CuredTask *)) done_,                               \
    .free_input = (GDestroyNotify) free_input_, .free_output = (GDestroyNotify) free_output_       \
  }

struct _CuredTask
{
  gpointer input;
  gpointer output; /* nullable; done() may steal it, as @error */
  GError *error;   /* nullable */
  GCancellable *cancellable;

  /*< private >*/
  const CuredTaskKind *kind;
  GObject *owner; /* nullable: cancelled */
  CuredTask **slot;
};

void cured_task_start (CuredTask **slot, gpointer owner, const CuredTaskKind *kind, gpointer input);
void cured_task_cancel (CuredTask **slot);
