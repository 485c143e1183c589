/* SPDX-License-Identifier: MIT
 * Accesses to shared memory in a cubin's machine code, by source line. */
#include "sass/cured-sass-internal.h"

#include "base/cured-base-internal.h"
#include "sass/cured-sass-code-internal.h"

/* FALSE if it does not access shared memory. */
static gboolean
get_kind (CuredSassClass op_class, CuredAccessKind *kind)
{
  static const struct
  {
    CuredSassClass op_class;
    CuredAccessKind kind;
  } kinds[] = {
    { CURED_SASS_CLASS_LOAD_SHARED, CURED_ACCESS_LOAD },
    { CURED_SASS_CLASS_STORE_SHARED, CURED_ACCESS_STORE },
    { CURED_SASS_CLASS_ATOMIC_SHARED, CURED_ACCESS_ATOMIC },
    { CURED_SASS_CLASS_LOAD_MATRICES, CURED_ACCESS_LDMATRIX },
    { CURED_SASS_CLASS_STORE_MATRICES, CURED_ACCESS_STMATRIX },
    { CURED_SASS_CLASS_COPY, CURED_ACCESS_COPY },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].op_class == op_class)
      {
        *kind = kinds[i].kind;
        return TRUE;
      }
  return FALSE;
}

CURED_CLEAR_FUNC (CuredSassAccess, access_clear, file, g_ref_string_release)

/* @cubin: as cured_compiler_compile() makes it for "sm_75" to "sm_90"
 * @entry: name of a kernel in it
 *
 * Lists the instructions of a kernel, and of the functions that it calls, which load, store, change
 * or copy to shared memory, as the machine executes them: ptxas may have merged separate accesses
 * of the PTX, and removed some. Instructions that never run, because their guard is the constant
 * false, are not listed; nor are accesses by generic addresses. For inlined code of other files,
 * lines are those of the kernel's own file.
 *
 * Any bytes are allowed.
 * Returns: (transfer full) (element-type CuredSassAccess): by offset; NULL with
 *   %CURED_ERROR_INVALID if @cubin is not for one of these architectures, or %CURED_ERROR_NOT_FOUND
 *   if there is no such kernel */
GArray *
cured_sass_list_shared (GBytes *cubin, const char *entry, GError **error)
{
  g_autoptr (CuredSassCode) code = cured_sass_code_new (cubin, entry, error);

  if (code == NULL)
    return NULL;
  GArray *accesses = g_array_new (FALSE, FALSE, sizeof (CuredSassAccess));
  g_array_set_clear_func (accesses, access_clear);
  CURED_EACH (const CuredSassInst, inst, code->insts)
    {
      CuredSassAccess access = {
        .offset = inst->offset,
        .file = inst->file,
        .line = inst->line,
        .width = inst->width,
        .matrices = inst->matrices,
      };

      if (inst->never || inst->width == 0 || !get_kind (inst->op_class, &access.kind))
        continue;
      if (access.file != NULL)
        g_ref_string_acquire (access.file);
      g_array_append_val (accesses, access);
    }
  return accesses;
}
