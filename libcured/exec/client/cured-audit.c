/* SPDX-License-Identifier: MIT
 * The part of the client that the dynamic loader calls (LD_AUDIT): libraries with a CUDA runtime
 * that the program loads later are patched before their constructors run. It runs in a separate
 * namespace, and calls the client library in the program's. */
#include "exec/client/cured-symbol-private.h"

#include <stdint.h>
#include <string.h>

/* Limit of libraries loaded at once. */
#define MAX_NEW 64

static struct link_map *client;
static struct link_map *added[MAX_NEW];
static unsigned n_added;

unsigned
la_version (unsigned version)
{
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

unsigned
la_objopen (struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
  const char *last = strrchr (map->l_name, '/');

  if (space != LM_ID_BASE)
    return 0;
  if (last != NULL && strcmp (last, "/libcured-exec.so") == 0)
    client = map;
  else if (n_added < MAX_NEW)
    added[n_added++] = map;
  return 0;
}

void
la_activity (uintptr_t *cookie, unsigned flag)
{
  const int *is_ready = NULL;
  void (*patch) (uintptr_t base, const char *path) = NULL;

  /* Libraries that are loaded when the program starts are patched by the client itself. */
  if (flag == LA_ACT_CONSISTENT && client != NULL &&
      (is_ready = find_symbol (client, "cured_client_is_ready")) != NULL && *is_ready != 0 &&
      n_added > 0)
    {
      *(void **) &patch = find_symbol (client, "cured_client_patch");
      for (unsigned i = 0; i < n_added && patch != NULL; i++)
        patch (added[i]->l_addr, added[i]->l_name);
    }
  if (flag == LA_ACT_CONSISTENT)
    n_added = 0;
}
