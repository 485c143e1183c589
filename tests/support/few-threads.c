/* SPDX-License-Identifier: MIT
 * Preloaded into a program: pthread_create () fails with EAGAIN, as at a limit of processes, once
 * CURED_FEW_THREADS threads were made. Programs that it starts count from 0 again. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef int (*Create) (pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*start) (void *),
                void *data)
{
  static atomic_int n_made;
  const char *most = getenv ("CURED_FEW_THREADS");
  Create create;

  if (most != NULL && atomic_fetch_add (&n_made, 1) >= atoi (most))
    return EAGAIN;
  *(void **) &create = dlsym (RTLD_NEXT, "pthread_create");
  return create (thread, attributes, start, data);
}
