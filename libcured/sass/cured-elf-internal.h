/* SPDX-License-Identifier: MIT
 * The sections of a cubin, which is an ELF file. */
#pragma once

#include <elf.h>
#include <glib.h>

/* A part of the file's bytes, which it does not own. */
typedef struct
{
  const guint8 *data;
  gsize size;
} CuredPiece;

/* An ELF file of 64 bits for NVIDIA's chips, whose bytes it does not own. Only the table of
 * sections has been checked: contents of sections may be wrong. */
typedef struct
{
  CuredPiece file;
  Elf64_Ehdr header;
  Elf64_Shdr *sections; /* a copy: in the file they need not be aligned */
  gsize n_sections;
  CuredPiece names;
} CuredElf;

gboolean _cured_piece_read (const CuredPiece *self, guint64 offset, void *to, gsize size);
gboolean _cured_piece_has_text (const CuredPiece *self, guint64 offset, const char *text);

gboolean _cured_elf_init (CuredElf *self, const CuredPiece *file);
void _cured_elf_clear (CuredElf *self);
gboolean _cured_elf_get_section (const CuredElf *self, gsize index, CuredPiece *section);
gsize _cured_elf_find_section (const CuredElf *self, const char *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredElf, _cured_elf_clear)
