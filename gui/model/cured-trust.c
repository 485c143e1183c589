/* SPDX-License-Identifier: MIT
 * Which sources run on a GPU without a question. */
#include <config.h>

#include "model/cured-trust.h"

/* Digests of texts that ran from here, or were agreed to. Main thread only. */
static GHashTable *known;

static char *
get_digest (const char *source)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, source, -1);
}

/* From now on, until the program ends, no window asks before it runs. */
void
cured_trust_add (const char *source)
{
  if (known == NULL)
    known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (known, get_digest (source));
}

/* Returns: whether @source is the catalogue's own, or was added */
gboolean
cured_trust_has (const char *kernel_id, const char *source)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (kernel_id, NULL);
  g_autofree char *digest = get_digest (source);

  return (kernel != NULL && g_str_equal (kernel->source, source)) ||
         (known != NULL && g_hash_table_contains (known, digest));
}
