/* SPDX-License-Identifier: MIT
 * The assembler's data in a cubin about each kernel: registers and stack.
 *
 * A cubin is an ELF file. Its section `.nv.info` is a row of attributes: a format, a number
 * and 16 bits, which in format 4 are the length of the data that follow. Attributes 0x2f
 * (registers per thread) and 0x12 (bytes of stack per thread) hold the kernel's symbol and the
 * figure. Derived from cubins that CUDA 13.0 made for sm_75 to sm_120, and the output of
 * `ptxas -v`. */

#include "base/cured-base-internal.h"
#include "sass/cured-image-internal.h"
#include "device/cured-device-internal.h"
#include "sass/cured-elf-internal.h"

#define INFO_FORMAT_SIZED 4
#define INFO_REGISTERS    0x2f
#define INFO_STACK_BYTES  0x12
#define INFO_HEAD_BYTES   4
#define INFO_FIGURE_BYTES 8

static gboolean
is_symbol (const CuredPiece *symbols, const CuredPiece *texts, guint32 index, const char *name)
{
  Elf64_Sym symbol;

  return _cured_piece_read (symbols, (guint64) index * sizeof symbol, &symbol, sizeof symbol) &&
         _cured_piece_has_text (texts, symbol.st_name, name);
}

/* The table of symbols, and the one of their names. */
static gboolean
get_symbols (const CuredElf *elf, CuredPiece *symbols, CuredPiece *texts)
{
  for (gsize i = 1; i < elf->n_sections; i++)
    if (elf->sections[i].sh_type == SHT_SYMTAB)
      return _cured_elf_get_section (elf, i, symbols) &&
             _cured_elf_get_section (elf, elf->sections[i].sh_link, texts);
  return FALSE;
}

static void
read_info (const CuredPiece *info, const CuredPiece *symbols, const CuredPiece *texts,
           const char *entry, int *registers, gsize *stack_bytes)
{
  guint64 offset = 0;
  guint8 head[INFO_HEAD_BYTES];

  while (_cured_piece_read (info, offset, head, sizeof head))
    {
      guint32 figure[2];
      guint size = (guint) head[2] | (guint) head[3] << 8;

      offset += sizeof head;
      if (head[0] != INFO_FORMAT_SIZED)
        continue;
      if (size >= INFO_FIGURE_BYTES && (head[1] == INFO_REGISTERS || head[1] == INFO_STACK_BYTES) &&
          _cured_piece_read (info, offset, figure, sizeof figure) &&
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

/* @registers: (out): registers per thread
 * @stack_bytes: (out): local memory per thread, spilled registers included
 * Returns: FALSE if the file has no data about @entry */
gboolean
_cured_cubin_read_usage (GBytes *cubin, const char *entry, int *registers, gsize *stack_bytes,
                         GError **error)
{
  g_auto (CuredElf) elf = { 0 };
  g_autofree char *symbol = _cured_image_find_symbol (cubin, entry);
  CuredPiece file;
  CuredPiece symbols = { NULL, 0 };
  CuredPiece texts = { NULL, 0 };
  CuredPiece info;
  gsize index = 0;

  *registers = 0;
  *stack_bytes = 0;
  file.data = g_bytes_get_data (cubin, &file.size);
  if (_cured_elf_init (&elf, &file))
    index = _cured_elf_find_section (&elf, ".nv.info");
  if (index > 0 && _cured_elf_get_section (&elf, index, &info) &&
      get_symbols (&elf, &symbols, &texts))
    read_info (&info, &symbols, &texts, symbol, registers, stack_bytes);
  return *registers > 0 ||
         cured_fail (error, CURED_ERROR_NOT_FOUND,
                     _ ("The compiled file does not say how many registers “%s” needs"), entry);
}
