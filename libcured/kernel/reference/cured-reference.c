/* SPDX-License-Identifier: MIT
 * The table of references. */
#include "kernel/reference/cured-reference-private.h"

#include "kernel/reference/cured-reference-internal.h"

#define ROW(name, function, summary) { name, summary, _cured_reference_##function },
static const CuredReference references[] = { CURED_REFERENCES (ROW) };
#undef ROW

/* Returns: (transfer none) (array length=n_references): all references, by name; summaries are
 *   untranslated */
const CuredReference *
cured_reference_list (gsize *n_references)
{
  *n_references = G_N_ELEMENTS (references);
  return references;
}

/* @name: a name, as in kernel files
 * Returns: (transfer none) (nullable): the reference of that name */
const CuredReference *
cured_reference_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (references); i++)
    if (g_str_equal (references[i].name, name))
      return &references[i];
  return NULL;
}
