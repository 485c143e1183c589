/* SPDX-License-Identifier: MIT
 * Fuzz target: any text is a header in a file of its own, beside PTX, or refused with a reason. */
#include <glib/gstdio.h>

#include "cured.h"
#include "fuzz.h"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k (.param .u64 a) { ret; }\n";

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static char *folder;
  g_autofree char *code = NULL, *side = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = NULL;

  if (folder == NULL)
    folder = g_dir_make_tmp ("cured-fuzz-XXXXXX", NULL);
  code = g_build_filename (folder, "code.ptx", NULL);
  side = g_build_filename (folder, "code.ptx.kernel", NULL);
  g_assert_true (g_file_set_contents (code, ptx, -1, NULL));
  g_assert_true (g_file_set_contents (side, (const char *) data, (gssize) size, NULL));
  kernel = cured_kernel_new_from_file (code, &error);
  g_assert_true ((kernel == NULL) == (error != NULL));
  g_remove (code);
  g_remove (side);
  return 0;
}
