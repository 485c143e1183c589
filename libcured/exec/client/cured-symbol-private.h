/* SPDX-License-Identifier: MIT
 * Looks a symbol up in a library that is loaded, where dlsym() can't be used. */
#pragma once

#include <elf.h>
#include <link.h>
#include <string.h>

/* @map: (nullable): the library
 * Returns: (nullable): the symbol's address */
static inline void *
find_symbol (const struct link_map *map, const char *name)
{
  const Elf64_Sym *symbols = NULL;
  const char *strings = NULL;

  for (const Elf64_Dyn *entry = map != NULL ? map->l_ld : NULL;
       entry != NULL && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_SYMTAB)
      symbols = (const void *) entry->d_un.d_ptr;
    else if (entry->d_tag == DT_STRTAB)
      strings = (const char *) entry->d_un.d_ptr;
  /* The strings follow the symbols. */
  for (const Elf64_Sym *symbol = symbols; symbol != NULL && (const char *) symbol < strings;
       symbol++)
    if (symbol->st_value != 0 && strcmp (strings + symbol->st_name, name) == 0)
      return (void *) (map->l_addr + symbol->st_value);
  return NULL;
}
