/* SPDX-License-Identifier: MIT
 * The sections of a cubin, which is an ELF file.
 *
 * The input is untrusted: every read is checked against the size, and offsets are compared
 * so that no sum can overflow. */
#include "sass/cured-elf-internal.h"

#include <string.h>

#define MACHINE_CUDA 190

/* FALSE if @self does not have these bytes; @part is then unchanged. */
static gboolean
get_part (const CuredPiece *self, guint64 offset, guint64 size, CuredPiece *part)
{
  if (offset > self->size || size > self->size - offset)
    return FALSE;
  part->data = self->data + offset;
  part->size = size;
  return TRUE;
}

/* @to: (out caller-allocates): a copy; set only on success
 * Returns: FALSE where @self does not have these bytes */
gboolean
_cured_piece_read (const CuredPiece *self, guint64 offset, void *to, gsize size)
{
  CuredPiece part;

  if (!get_part (self, offset, size, &part))
    return FALSE;
  memcpy (to, part.data, size);
  return TRUE;
}

/* Returns: whether exactly @text, with its NUL, is at @offset */
gboolean
_cured_piece_has_text (const CuredPiece *self, guint64 offset, const char *text)
{
  CuredPiece part;
  gsize size = strlen (text) + 1;

  return get_part (self, offset, size, &part) && memcmp (part.data, text, size) == 0;
}

/* @self: (out caller-allocates): zeroed; _cured_elf_clear() clears it, after a failure, too
 * @file: any bytes; they must outlive @self
 * Returns: FALSE if it is not a cubin, or its table of sections is missing */
gboolean
_cured_elf_init (CuredElf *self, const CuredPiece *file)
{
  CuredPiece table;

  self->file = *file;
  if (!_cured_piece_read (file, 0, &self->header, sizeof self->header) ||
      memcmp (self->header.e_ident, ELFMAG, SELFMAG) != 0 ||
      self->header.e_ident[EI_CLASS] != ELFCLASS64 ||
      self->header.e_ident[EI_DATA] != ELFDATA2LSB || self->header.e_machine != MACHINE_CUDA ||
      self->header.e_shentsize != sizeof (Elf64_Shdr) ||
      !get_part (file, self->header.e_shoff, (guint64) self->header.e_shnum * sizeof (Elf64_Shdr),
                 &table))
    return FALSE;
  self->n_sections = self->header.e_shnum;
  self->sections = g_memdup2 (table.data, table.size);
  return _cured_elf_get_section (self, self->header.e_shstrndx, &self->names);
}

/* Frees the members of @self. */
void
_cured_elf_clear (CuredElf *self)
{
  g_clear_pointer (&self->sections, g_free);
  self->n_sections = 0;
}

/* @index: index of a section; any number
 * @section: (out): its bytes; set only on success
 * Returns: FALSE where there is no such section, or it has no bytes in the file */
gboolean
_cured_elf_get_section (const CuredElf *self, gsize index, CuredPiece *section)
{
  return index < self->n_sections && self->sections[index].sh_type != SHT_NOBITS &&
         get_part (&self->file, self->sections[index].sh_offset, self->sections[index].sh_size,
                   section);
}

/* Returns: its index, the first one of several; 0: there is none */
gsize
_cured_elf_find_section (const CuredElf *self, const char *name)
{
  for (gsize i = 1; i < self->n_sections; i++)
    if (_cured_piece_has_text (&self->names, self->sections[i].sh_name, name))
      return i;
  return 0;
}
