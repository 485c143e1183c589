/* SPDX-License-Identifier: MIT
 * A loop over a range, on all cores. */
#include "kernel/cured-parallel-internal.h"

typedef struct
{
  gint64 n, chunk, n_chunks;
  gint next; /* atomic: next chunk to hand out */
  CuredParallelFunc func;
  gpointer user_data;
  GCancellable *cancellable;
} Loop;

static gpointer
work (gpointer data)
{
  Loop *self = data;

  while (!g_cancellable_is_cancelled (self->cancellable))
    {
      gint64 index = g_atomic_int_add (&self->next, 1);

      if (index >= self->n_chunks)
        break;
      self->func (index * self->chunk, MIN ((index + 1) * self->chunk, self->n), self->user_data);
    }
  return NULL;
}

/* Blocks until all is done. A range of one chunk stays in the calling thread. Returns FALSE if
 * it was cancelled. */
gboolean
_cured_parallel (gint64 n, gint64 chunk, CuredParallelFunc func, gpointer user_data,
                 GCancellable *cancellable)
{
  Loop self = { .n = n,
                .chunk = chunk,
                .n_chunks = n / chunk + (n % chunk != 0),
                .func = func,
                .user_data = user_data,
                .cancellable = cancellable };
  GThread *threads[256];
  guint n_threads = 0;

  /* Each thread increments the counter once beyond the end. */
  guint wanted = MIN (g_get_num_processors (), G_N_ELEMENTS (threads) + 1);
  wanted = (guint) MIN ((gint64) wanted, self.n_chunks);
  /* The calling thread works, too, and alone if no thread can be created. */
  while (n_threads + 1 < wanted)
    {
      GThread *thread = g_thread_try_new ("cured-parallel", work, &self, NULL);

      if (thread == NULL)
        break;
      threads[n_threads++] = thread;
    }
  work (&self);
  for (guint i = 0; i < n_threads; i++)
    g_thread_join (threads[i]);
  return !g_cancellable_is_cancelled (cancellable);
}
