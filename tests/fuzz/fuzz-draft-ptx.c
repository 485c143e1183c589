/* SPDX-License-Identifier: MIT
 * Fuzz target: of any text, headers are drafted for the entries of PTX, and together with the code
 * each is a kernel or refused with a reason. */

#include "cured.h"
#include "draft/cured-header-draft-internal.h"
#include "fuzz.h"

/* Entries that a header is read of. */
#define MAX_ENTRIES 4

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);

  if (!g_utf8_validate (text, -1, NULL) || cured_header_is_there (text))
    return 0;
  g_autoptr (GPtrArray) drafts = cured_header_draft_from_ptx ("none", text);
  for (guint i = 0; i < MIN (drafts->len, MAX_ENTRIES); i++)
    {
      g_autofree char *whole = cured_header_draft_apply (drafts->pdata[i], NULL, text);
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (whole, "drafted", NULL, &error);

      g_assert_true ((kernel == NULL) == (error != NULL));
    }
  return 0;
}
