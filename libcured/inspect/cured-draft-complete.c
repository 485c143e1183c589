/* SPDX-License-Identifier: MIT
 * Completes a draft by the compiler: the fields of classes that the source's text does not
 * show. */
#include <string.h>

#include "device/cured-compiler-internal.h"
#include "draft/cured-header-draft-internal.h"
#include "inspect/cured-draft-complete.h"
#include "inspect/cured-loaded-program-private.h"
#include "kernel/program/cured-program-internal.h"

/* @self: a draft of @source
 * @path: path of the file
 * @source: its text
 * @error: return location
 *
 * Compiles the kernel if an argument is of a class whose fields the draft does not know, and
 * derives them from the way in which the kernel reads its parameters. Blocks on the compiler.
 * Returns: whether all fields are known now; FALSE without an error if the compiler's result does
 *   not show them either */
gboolean
cured_header_draft_complete (CuredHeaderDraft *self, const char *path, const char *source,
                             GError **error)
{
  g_autoptr (CuredCompiler) compiler = NULL;
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredSources) sources = NULL;
  g_autoptr (GBytes) ptx = NULL;
  g_autofree char *text = NULL, *entry = NULL;

  g_return_val_if_fail (self != NULL && path != NULL && source != NULL, FALSE);

  if (!self->is_incomplete)
    return TRUE;
  text = g_strdup_printf ("/*! cured\n * [Kernel]\n * Title=x\n * [Launch]\n * Entry=%s\n"
                          " * Grid=1\n * Block=1\n */\n%s",
                          self->entry, source);
  entry = g_strconcat (CURED_PROGRAM_ENTRY_OPTION, self->entry, NULL);
  if ((compiler = cured_compiler_new (error)) == NULL ||
      (kernel = cured_kernel_new_from_text (text, self->function, path, error)) == NULL ||
      (sources = cured_sources_new (kernel, NULL, error)) == NULL)
    return FALSE;
  ptx =
      cured_compiler_compile_sources (compiler, sources, path, (const char *const[]){ entry, NULL },
                                      CURED_STAGE_PTX_ARCH, NULL, error);
  if (ptx == NULL)
    {
      /* Keep one line of the log; a check shows all of it. */
      if (error != NULL && strchr ((*error)->message, '\n') != NULL)
        *strchr ((*error)->message, '\n') = '\0';
      return FALSE;
    }
  _cured_header_draft_take_fields (self, g_bytes_get_data (ptx, NULL));
  return !self->is_incomplete;
}
