/* SPDX-License-Identifier: MIT
 * The part of the client that the dynamic loader itself calls (LD_AUDIT): libraries with a CUDA
 * runtime of their own that the program loads later are patched before their constructors run. It
 * lives in a namespace of its own, and hands over to the client library in the program's. */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* More at once are not looked at. */
#define MAX_NEW 64

static struct link_map *client;
static struct link_map *added[MAX_NEW];
static unsigned n_added;

/* A symbol of the client library. */
static void *
find (const char *name)
{
  const Elf64_Sym *symbols = NULL;
  const char *strings = NULL;

  for (const Elf64_Dyn *entry = client->l_ld; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_SYMTAB)
      symbols = (const void *) entry->d_un.d_ptr;
    else if (entry->d_tag == DT_STRTAB)
      strings = (const char *) entry->d_un.d_ptr;
  /* The strings follow the symbols. */
  for (const Elf64_Sym *symbol = symbols; symbol != NULL && (const char *) symbol < strings;
       symbol++)
    if (symbol->st_value != 0 && strcmp (strings + symbol->st_name, name) == 0)
      return (void *) (client->l_addr + symbol->st_value);
  return NULL;
}

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
      (is_ready = find ("cured_client_is_ready")) != NULL && *is_ready != 0 && n_added > 0)
    {
      *(void **) &patch = find ("cured_client_patch");
      for (unsigned i = 0; i < n_added && patch != NULL; i++)
        patch (added[i]->l_addr, added[i]->l_name);
    }
  if (flag == LA_ACT_CONSISTENT)
    n_added = 0;
}
