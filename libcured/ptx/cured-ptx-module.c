/* SPDX-License-Identifier: MIT
 * Parsed PTX: its parts and their places. */
#include "ptx/cured-ptx-module.h"

#include "base/cured-base-internal.h"
#include "ptx/cured-ptx-internal.h"

/* Longest instruction without comments. */
#define MAX_PLACE_BYTES 2000

/* @self: (nullable) (transfer full): a module that no launch is running */
void
cured_ptx_module_free (CuredPtxModule *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_functions; i++)
    {
      g_free (self->functions[i].name);
      g_free (self->functions[i].parameters);
      g_free (self->functions[i].results);
      g_free (self->functions[i].in_registers);
    }
  for (guint i = 0; i < self->n_variables; i++)
    {
      g_free (self->variables[i].name);
      g_free (self->variables[i].initial);
    }
  for (guint i = 0; i < self->n_shared; i++)
    g_free (self->shared[i].name);
  for (guint i = 0; i < self->n_tables; i++)
    g_free (self->tables[i].targets);
  for (guint i = 0; i < self->n_files; i++)
    g_free (self->files[i]);
  g_slist_free_full (self->learned, self->learned_free);
  g_clear_pointer (&self->native, self->native_free);
  CURED_CLEAR (calls, g_ptr_array_unref, functions, g_free, variables, g_free, shared, g_free,
               relocations, g_free, tables, g_free, files, g_free, code, g_aligned_free, late,
               g_free, operands, g_free, constants, g_aligned_free, lines, g_free);
  CURED_CLEAR (file_name, g_free, text, g_free);
  g_free (self);
}

/* @symbol: of a kernel or a variable; may be none of the module's
 * @name: its name in the source
 *
 * From now on, the kernel or the variable is found and reported by @name. */
void
cured_ptx_module_rename (CuredPtxModule *self, const char *symbol, const char *name)
{
  g_return_if_fail (self != NULL && symbol != NULL && name != NULL);

  for (guint i = 0; i < self->n_functions; i++)
    if (self->functions[i].is_entry && strcmp (self->functions[i].name, symbol) == 0)
      {
        g_free (self->functions[i].name);
        self->functions[i].name = g_strdup (name);
      }
  for (guint i = 0; i < self->n_variables; i++)
    if (strcmp (self->variables[i].name, symbol) == 0)
      {
        g_free (self->variables[i].name);
        self->variables[i].name = g_strdup (name);
      }
}

/* @self: a module that was linked
 * @name: of a variable of global or constant memory
 * @address: (out): where it begins
 * @size: (out): in bytes
 * Returns: whether the module defines such a variable */
gboolean
cured_ptx_module_find_variable (const CuredPtxModule *self, const char *name, guint64 *address,
                                gsize *size)
{
  g_return_val_if_fail (self != NULL && name != NULL, FALSE);

  for (guint i = 0; i < self->n_variables; i++)
    if (!self->variables[i].is_extern && strcmp (self->variables[i].name, name) == 0)
      {
        *address = self->variables[i].address;
        *size = self->variables[i].size;
        return TRUE;
      }
  return FALSE;
}

/* @name: of a kernel
 * @entry: (out caller-allocates): the kernel; its name is the module's
 * Returns: whether the module has such a kernel, with a body */
gboolean
cured_ptx_module_find_entry (const CuredPtxModule *self, const char *name, CuredPtxEntry *entry)
{
  g_return_val_if_fail (self != NULL && name != NULL && entry != NULL, FALSE);

  for (guint i = 0; i < self->n_functions; i++)
    {
      const CuredPtxFunction *function = &self->functions[i];

      if (!function->is_entry || !function->is_defined || strcmp (function->name, name) != 0)
        continue;
      *entry = (CuredPtxEntry){
        .name = function->name,
        .shared_bytes = function->shared_bytes,
        .local_bytes = function->local_bytes,
        .registers = function->registers,
        .parameter_bytes = function->parameter_bytes,
        .max_threads = function->max_threads,
        .cluster = { function->cluster[0], function->cluster[1], function->cluster[2] },
      };
      for (guint k = 0; k < function->n_parameters; k++)
        {
          const CuredPtxSlot *slot = &function->parameters[k];
          guint64 bit = slot->offset < 256 ? G_GUINT64_CONSTANT (1) << slot->offset / 4 : 0;

          if (slot->size != 4 && slot->size != 8)
            continue;
          if (slot->kind == CURED_PTX_KIND_F)
            entry->floats |= bit;
          else if (slot->kind == CURED_PTX_KIND_U || slot->kind == CURED_PTX_KIND_S)
            entry->integers |= bit;
        }
      return TRUE;
    }
  return FALSE;
}

/* @kernel: name of an entry
 * @index: of a parameter, from 0
 * @parameter: (out caller-allocates): where it is in the parameter block
 * Returns: FALSE: there is no such kernel, or it has fewer parameters */
gboolean
cured_ptx_module_get_parameter (const CuredPtxModule *self, const char *kernel, guint index,
                                CuredPtxParameter *parameter)
{
  g_return_val_if_fail (self != NULL && kernel != NULL && parameter != NULL, FALSE);

  for (guint i = 0; i < self->n_functions; i++)
    {
      const CuredPtxFunction *function = &self->functions[i];

      if (!function->is_entry || !function->is_defined || strcmp (function->name, kernel) != 0)
        continue;
      if (index >= function->n_parameters)
        return FALSE;
      *parameter = (CuredPtxParameter){
        .offset = function->parameters[index].offset,
        .size = function->parameters[index].size,
        .is_float = function->parameters[index].kind == CURED_PTX_KIND_F,
      };
      return TRUE;
    }
  return FALSE;
}

/* @self: a module that was linked
 * @index: of a variable of global or constant memory, from 0
 * @name: (out) (transfer none): its name
 * @address: (out): where it begins
 * @size: (out): in bytes; 0: it is declared but not defined
 * Returns: FALSE: there are fewer */
gboolean
cured_ptx_module_get_variable (const CuredPtxModule *self, guint index, const char **name,
                               guint64 *address, gsize *size)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (index >= self->n_variables)
    return FALSE;
  *name = self->variables[index].name;
  *address = self->variables[index].address;
  *size = self->variables[index].is_extern ? 0 : self->variables[index].size;
  return TRUE;
}

/* Returns: number of its instructions */
CURED_GETTER (guint, cured_ptx_module_get_n_sites, const CuredPtxModule, n_code)

/* The text of the instruction at a line and column, as one line. */
static char *
get_text (const CuredPtxModule *self, int line, int column)
{
  const char *end = self->text + self->length;
  g_autoptr (GString) text = g_string_new (NULL);

  g_return_val_if_fail (line > 0 && (guint) line <= self->n_lines, NULL);

  const char *at = self->text + self->lines[line - 1] + column - 1;
  /* A function's last ret may not be in the text. */
  if (*at == '}')
    return g_strdup ("}");
  end = MIN (end, at + MAX_PLACE_BYTES);
  const char *stop = memchr (at, ';', (gsize) (end - at));
  g_autofree char *copy = g_utf8_make_valid (at, (stop != NULL ? stop + 1 : end) - at);
  for (const char *c = copy; *c != '\0'; c++)
    if (!g_ascii_isspace (*c))
      g_string_append_c (text, *c);
    else if (text->len > 0 && text->str[text->len - 1] != ' ')
      g_string_append_c (text, ' ');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* @site: of an instruction
 * @place: (out caller-allocates): where it comes from; clear with cured_ptx_place_clear(). Its file
 *   is the module's. */
void
cured_ptx_module_get_place (const CuredPtxModule *self, guint site, CuredPtxPlace *place)
{
  g_return_if_fail (self != NULL && place != NULL && site < self->n_code);

  const CuredPtxInst *inst = &self->code[site];
  *place = (CuredPtxPlace){
    .file = *self->files[inst->file] != '\0' ? self->files[inst->file] : NULL,
    .line = inst->line,
    .ptx_line = inst->ptx_line,
    .text = get_text (self, inst->ptx_line, inst->ptx_column),
  };
}

/* @self: (inout): a place
 *
 * Frees what the place holds; it may be cleared again. */
void
cured_ptx_place_clear (CuredPtxPlace *self)
{
  g_return_if_fail (self != NULL);

  g_clear_pointer (&self->text, g_free);
  *self = (CuredPtxPlace){ 0 };
}
