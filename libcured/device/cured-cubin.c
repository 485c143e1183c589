/* SPDX-License-Identifier: MIT
 * What the assembler notes in a cubin about each kernel: registers and stack.
 *
 * A cubin is an ELF file. Its section `.nv.info` is a row of attributes: a
 * format, a number and 16 bits, which in format 4 are the length of what
 * follows. Attributes 0x2f (registers a thread) and 0x12 (bytes of stack a
 * thread) hold the kernel's symbol and the figure. Read off cubins that CUDA
 * 13.0 made for sm_75 to sm_120, beside what `ptxas -v` prints. */
#include "config.h"

#include <elf.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"
#include "device/cured-device-private.h"

#define INFO_FORMAT_SIZED 4
#define INFO_REGISTERS    0x2f
#define INFO_STACK_BYTES  0x12
#define INFO_HEAD_BYTES   4
#define INFO_FIGURE_BYTES 8

typedef struct
{
  const guint8 *bytes;
  gsize size;
} Piece;

static gboolean
read_at (const Piece *from, guint64 offset, void *to, gsize size)
{
  if (offset > from->size || size > from->size - offset)
    return FALSE;
  memcpy (to, from->bytes + offset, size);
  return TRUE;
}

static gboolean
get_section (const Piece *file,
             const Elf64_Ehdr *header,
             guint index,
             Elf64_Shdr *section,
             Piece *piece)
{
  if (index >= header->e_shnum ||
      !read_at (file,
                header->e_shoff + (guint64) index * sizeof *section,
                section,
                sizeof *section))
    return FALSE;
  *piece = (Piece){ NULL, 0 };
  if (section->sh_type == SHT_NOBITS)
    return TRUE;
  if (section->sh_offset > file->size ||
      section->sh_size > file->size - section->sh_offset)
    return FALSE;
  piece->bytes = file->bytes + section->sh_offset;
  piece->size = section->sh_size;
  return TRUE;
}

/* (nullable): the zero-terminated text at @offset. */
static const char *
get_text (const Piece *texts, guint64 offset)
{
  if (offset >= texts->size ||
      memchr (texts->bytes + offset, '\0', texts->size - offset) == NULL)
    return NULL;
  return (const char *) texts->bytes + offset;
}

static gboolean
is_symbol (const Piece *symbols,
           const Piece *texts,
           guint32 index,
           const char *name)
{
  Elf64_Sym symbol;

  return read_at (symbols,
                  (guint64) index * sizeof symbol,
                  &symbol,
                  sizeof symbol) &&
         g_strcmp0 (get_text (texts, symbol.st_name), name) == 0;
}

static void
read_info (const Piece *info,
           const Piece *symbols,
           const Piece *texts,
           const char *entry,
           int *registers,
           gsize *stack_bytes)
{
  guint64 offset = 0;
  guint8 head[INFO_HEAD_BYTES];

  while (read_at (info, offset, head, sizeof head))
    {
      guint32 figure[2];
      guint size = (guint) head[2] | (guint) head[3] << 8;

      offset += sizeof head;
      if (head[0] != INFO_FORMAT_SIZED)
        continue;
      if (size >= INFO_FIGURE_BYTES &&
          (head[1] == INFO_REGISTERS || head[1] == INFO_STACK_BYTES) &&
          read_at (info, offset, figure, sizeof figure) &&
          is_symbol (symbols, texts, figure[0], entry))
        {
          if (head[1] == INFO_REGISTERS)
            *registers = (int) MIN (figure[1], G_MAXINT16);
          else
            *stack_bytes = figure[1];
        }
      offset += size;
    }
}

/**
 * _cured_cubin_read_usage:
 * @cubin: what NVRTC made for a chip
 * @entry: name of a kernel in it
 * @registers: (out): that a thread has
 * @stack_bytes: (out): local memory a thread, spilled registers included
 * @error: set to CURED_ERROR_NOT_FOUND
 *
 * Returns: FALSE where the file says nothing of @entry
 */
gboolean
_cured_cubin_read_usage (GBytes *cubin,
                         const char *entry,
                         int *registers,
                         gsize *stack_bytes,
                         GError **error)
{
  Elf64_Ehdr header;
  Elf64_Shdr section;
  Piece file;
  Piece names = { NULL, 0 };
  Piece symbols = { NULL, 0 };
  Piece texts = { NULL, 0 };
  Piece info = { NULL, 0 };

  *registers = 0;
  *stack_bytes = 0;
  file.bytes = g_bytes_get_data (cubin, &file.size);
  if (read_at (&file, 0, &header, sizeof header) &&
      memcmp (header.e_ident, ELFMAG, SELFMAG) == 0 &&
      header.e_ident[EI_CLASS] == ELFCLASS64 &&
      header.e_shentsize == sizeof section &&
      get_section (&file, &header, header.e_shstrndx, &section, &names))
    for (guint i = 0; i < header.e_shnum; i++)
      {
        Elf64_Shdr text_section;
        Piece piece;

        if (!get_section (&file, &header, i, &section, &piece))
          continue;
        if (section.sh_type == SHT_SYMTAB &&
            get_section (
                &file, &header, section.sh_link, &text_section, &texts))
          symbols = piece;
        else if (g_strcmp0 (get_text (&names, section.sh_name), ".nv.info") ==
                 0)
          info = piece;
      }
  if (info.bytes != NULL && symbols.bytes != NULL)
    read_info (&info, &symbols, &texts, entry, registers, stack_bytes);
  if (*registers > 0)
    return TRUE;
  g_set_error (error,
               CURED_ERROR,
               CURED_ERROR_NOT_FOUND,
               _ ("The compiled file does not say how many registers “%s” "
                  "needs"),
               entry);
  return FALSE;
}
