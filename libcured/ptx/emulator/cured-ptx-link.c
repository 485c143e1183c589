/* SPDX-License-Identifier: MIT
 * Gives the variables of a PTX module their addresses. */
#include <string.h>

#include "ptx/emulator/cured-emulator.h"
#include "ptx/machine/cured-memory-private.h"
#include "ptx/cured-ptx-internal.h"

static guint64
get_address (const CuredPtxModule *self, const CuredPtxRelocation *relocation)
{
  return self->variables[relocation->variable].address + (guint64) relocation->addend;
}

static void
write_bytes (guint8 *to, guint64 value, guint width)
{
  for (guint i = 0; i < width; i++)
    to[i] = (guint8) (value >> (8 * i));
}

/* @self: a module that no launch is running
 * @memory: (inout): global memory, in which the module's global and constant variables are placed.
 *   They are not released: from here on, @memory belongs to the module.
 * @error: as from cured_memory_allocate()
 *
 * Prepares the module to run with @memory: its variables get their initial values. Linking it again
 * with another memory starts afresh.
 * Returns: %FALSE with @error set if @memory is too small */
gboolean
cured_ptx_module_link (CuredPtxModule *self, CuredMemory *memory, GError **error)
{
  g_return_val_if_fail (self != NULL && memory != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  for (guint i = 0; i < self->n_functions; i++)
    if (self->functions[i].builtin == CURED_BUILTIN_MALLOC &&
        !_cured_memory_need_heap (memory, error))
      {
        g_prefix_error (error, "%s: malloc: ", self->file_name);
        return FALSE;
      }
  for (guint i = 0; i < self->n_variables; i++)
    {
      CuredPtxVariable *variable = &self->variables[i];

      /* Declared, but not used. */
      if (variable->is_extern)
        continue;
      if (!cured_memory_allocate (memory, variable->size, &variable->address, error))
        {
          g_prefix_error (error, "%s: %s: ", self->file_name, variable->name);
          return FALSE;
        }
      cured_memory_label (memory, variable->address, variable->size, variable->name,
                          variable->element_bytes, FALSE);
      if (variable->space == CURED_SPACE_CONST)
        _cured_memory_set_constant (memory, variable->address);
    }
  for (guint i = 0; i < self->n_relocations; i++)
    {
      const CuredPtxRelocation *relocation = &self->relocations[i];
      guint64 value = get_address (self, relocation) >> relocation->shift;

      if (relocation->is_in_variable)
        write_bytes (self->variables[relocation->holder].initial + relocation->offset, value,
                     relocation->width);
      else
        for (guint lane = 0; lane < CURED_WARP_LANES; lane++)
          write_bytes (self->constants + relocation->offset + (gsize) lane * relocation->width,
                       value, relocation->width);
    }
  for (guint i = 0; i < self->n_variables; i++)
    {
      const CuredPtxVariable *variable = &self->variables[i];

      if (variable->is_extern)
        continue;
      guint8 *bytes = cured_memory_map (memory, variable->address, variable->size);

      g_return_val_if_fail (bytes != NULL, FALSE);
      memset (bytes, 0, variable->size);
      if (variable->initial != NULL)
        memcpy (bytes, variable->initial, variable->initial_bytes);
    }
  return TRUE;
}

/* @self: a linked module that no launch is running
 * @memory: the memory that it was linked with
 *
 * Releases the module's variables. */
void
cured_ptx_module_unlink (CuredPtxModule *self, CuredMemory *memory)
{
  g_return_if_fail (self != NULL && memory != NULL);

  for (guint i = 0; i < self->n_variables; i++)
    {
      if (!self->variables[i].is_extern && self->variables[i].address != 0)
        cured_memory_release (memory, self->variables[i].address);
      self->variables[i].address = 0;
    }
}
