/* SPDX-License-Identifier: MIT
 * Line tables of a cubin, which map addresses to source or PTX lines.
 *
 * Implementation notes. libdw reads line tables, too. But a cubin has no .debug_info, which libdw
 * usually starts from, and its table's addresses are in relocations that libdw does not apply:
 * using the rest of it would take more code than this. */
#include "sass/cured-line-table-private.h"

#include "base/cured-base-internal.h"

/* Extended operations of the line table besides DWARF's own. */
#define LINE_INLINED_CALL 0x90

/* No compiler writes more; limits the memory for a damaged file. */
#define MAX_FILES 4096
#define MAX_NAME  4096

/* Reads beyond the end give 0 and set @is_bad. */
typedef struct
{
  const guint8 *at, *end;
  gboolean is_bad;
} Reader;

static guint64
read_fixed (Reader *self, gsize n_bytes)
{
  guint64 value = 0;

  if ((gsize) (self->end - self->at) < n_bytes)
    {
      self->is_bad = TRUE;
      self->at = self->end;
      return 0;
    }
  for (gsize i = 0; i < n_bytes; i++)
    value |= (guint64) *self->at++ << (8 * i);
  return value;
}

static guint64
read_leb (Reader *self, gboolean is_signed)
{
  guint64 value = 0;
  guint shift = 0;
  guint8 byte = 0;

  do
    {
      byte = (guint8) read_fixed (self, 1);
      if (shift < 64)
        value |= (guint64) (byte & 0x7f) << shift;
      shift += 7;
    }
  while ((byte & 0x80) != 0);
  if (is_signed && (byte & 0x40) != 0 && shift < 64)
    value |= ~G_GUINT64_CONSTANT (0) << shift;
  return value;
}

static const char *
read_text (Reader *self)
{
  const guint8 *begin = self->at, *end = memchr (begin, '\0', (gsize) (self->end - begin));

  if (end == NULL)
    {
      self->is_bad = TRUE;
      self->at = self->end;
      return "";
    }
  self->at = end + 1;
  return (const char *) begin;
}

/* A reader of the next @size bytes, which @self skips. */
static Reader
read_part (Reader *self, guint64 size)
{
  Reader part = { self->at, self->at, FALSE };

  if (size > (guint64) (self->end - self->at))
    {
      self->is_bad = TRUE;
      self->at = self->end;
    }
  else
    {
      self->at += size;
      part.end = self->at;
    }
  return part;
}

/* Relocations of the line table: offset in the table → symbol's section and offset. */
typedef struct
{
  guint64 offset; /* in the line table */
  gsize section;
  guint64 address;
} Target;

CURED_COMPARE_FUNC (Target, compare_target, offset)

static GArray *
read_targets (const CuredElf *self, gsize line_section)
{
  GArray *targets = g_array_new (FALSE, FALSE, sizeof (Target));

  for (gsize i = 1; i < self->n_sections; i++)
    {
      const Elf64_Shdr *section = &self->sections[i];
      gboolean has_addend = section->sh_type == SHT_RELA;
      gsize entry_size = has_addend ? sizeof (Elf64_Rela) : sizeof (Elf64_Rel);
      CuredPiece relocations, symbols;

      if ((section->sh_type != SHT_RELA && section->sh_type != SHT_REL) ||
          section->sh_info != line_section || !_cured_elf_get_section (self, i, &relocations) ||
          !_cured_elf_get_section (self, section->sh_link, &symbols))
        continue;
      for (gsize j = 0; j + entry_size <= relocations.size; j += entry_size)
        {
          Elf64_Rela relocation = { 0 };
          Elf64_Sym symbol;
          Target target;

          memcpy (&relocation, relocations.data + j, entry_size);
          if (!_cured_piece_read (&symbols,
                                  (guint64) ELF64_R_SYM (relocation.r_info) * sizeof symbol,
                                  &symbol, sizeof symbol))
            continue;
          target.offset = relocation.r_offset;
          target.section = symbol.st_shndx;
          target.address = symbol.st_value + (guint64) relocation.r_addend;
          g_array_append_val (targets, target);
        }
      break;
    }
  g_array_sort (targets, compare_target);
  return targets;
}

/* The header's tables of folders and files. */
static void
read_files (Reader *header, GPtrArray *files)
{
  g_autoptr (GPtrArray) folders = g_ptr_array_new ();
  const char *name = NULL;

  while (!header->is_bad && *(name = read_text (header)) != '\0')
    g_ptr_array_add (folders, (gpointer) name);
  while (!header->is_bad && *(name = read_text (header)) != '\0')
    {
      guint64 folder = read_leb (header, FALSE);
      g_autofree char *path = NULL;

      read_leb (header, FALSE); /* time of last change */
      read_leb (header, FALSE); /* size */
      if (files->len == MAX_FILES || strlen (name) > MAX_NAME)
        break;
      if (folder > 0 && folder <= folders->len && strlen (folders->pdata[folder - 1]) <= MAX_NAME)
        path = g_build_filename (folders->pdata[folder - 1], name, NULL);
      g_ptr_array_add (files, g_ref_string_new (path != NULL ? path : name));
    }
}

typedef struct
{
  guint8 min_bytes;
  gint8 line_base;
  guint8 line_range, opcode_base, n_operands[256];
} LineHeader;

static void
run_extended (Reader *program, const guint8 *begin, const GArray *targets, CuredLineRow *row,
              guint first_row, gboolean *is_row)
{
  Reader part = read_part (program, read_leb (program, FALSE));
  guint opcode = (guint) read_fixed (&part, 1);
  Target key;
  guint found = 0;
  guint64 inlined = 0;

  switch (opcode)
    {
    case 1: /* end of a sequence */
      row->is_end = TRUE;
      *is_row = TRUE;
      break;
    case 2: /* set the address */
      key.offset = (guint64) (part.at - begin);
      row->address = read_fixed (&part, 8);
      row->section = 0;
      if (g_array_binary_search ((GArray *) targets, &key, compare_target, &found))
        {
          const Target *target = &g_array_index (targets, Target, found);

          row->section = target->section;
          row->address += target->address;
        }
      break;
    case LINE_INLINED_CALL: /* row of the unit that calls; name of the callee */
      inlined = read_leb (&part, FALSE);
      row->inlined =
          inlined > 0 && inlined < G_MAXUINT - first_row ? first_row + (guint) inlined : 0;
      break;
    default: break;
    }
}

/* Runs one unit's program: rows are appended to @table. */
static void
run_lines (Reader *program, const LineHeader *header, const guint8 *begin, const GArray *targets,
           guint first_file, CuredLineTable *table)
{
  const CuredLineRow initial = { .file = first_file, .line = 1 };
  guint first_row = table->rows->len;
  CuredLineRow row = initial;

  while (program->at < program->end && !program->is_bad)
    {
      guint opcode = (guint) read_fixed (program, 1);
      gboolean is_row = FALSE;
      guint special = 0;
      guint64 file = 0;

      if (opcode >= header->opcode_base)
        {
          special = opcode - header->opcode_base;
          row.address += (guint64) header->min_bytes * (special / header->line_range);
          row.line =
              (int) ((guint) row.line + (guint) header->line_base + special % header->line_range);
          is_row = TRUE;
        }
      else
        switch (opcode)
          {
          case 0: run_extended (program, begin, targets, &row, first_row, &is_row); break;
          case 1: /* copy */ is_row = TRUE; break;
          case 2: /* advance the address */
            row.address += header->min_bytes * read_leb (program, FALSE);
            break;
          case 3: /* advance the line */
            row.line = (int) ((guint) row.line + (guint) read_leb (program, TRUE));
            break;
          case 4: /* set the file */
            file = read_leb (program, FALSE);
            row.file = file > 0 && file <= MAX_FILES ? first_file + (guint) file - 1 : G_MAXUINT;
            break;
          case 8: /* advance the address as special opcode 255 */
            special = 255u - header->opcode_base;
            row.address += (guint64) header->min_bytes * (special / header->line_range);
            break;
          case 9: /* advance the address, fixed */ row.address += read_fixed (program, 2); break;
          default: /* column, statement, block …: not kept */
            for (guint i = 0; i < header->n_operands[opcode]; i++)
              read_leb (program, FALSE);
            break;
          }
      if (is_row)
        {
          g_array_append_val (table->rows, row);
          if (row.is_end)
            row = initial;
        }
    }
}

/* Frees the members of @self. */
CURED_DEFINE_CLEAR (CuredLineTable, _cured_line_table_clear, rows, g_array_unref, files,
                    g_ptr_array_unref)

/* Reads all units of a line table in versions 2 to 4 of DWARF. Others have no
 * lines.
 *
 * @self: (out caller-allocates): zeroed */
void
_cured_line_table_init (CuredLineTable *self, const CuredElf *elf, const char *name)
{
  gsize index = _cured_elf_find_section (elf, name);
  g_autoptr (GArray) targets = read_targets (elf, index);
  CuredPiece section;

  self->rows = g_array_new (FALSE, FALSE, sizeof (CuredLineRow));
  self->files = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ref_string_release);
  if (index == 0 || !_cured_elf_get_section (elf, index, &section))
    return;
  Reader units = (Reader){ section.data, section.data + section.size, FALSE };
  while (units.at < units.end && !units.is_bad)
    {
      guint64 length = read_fixed (&units, 4);
      gboolean is_64 = length == G_MAXUINT32;
      guint first_file = self->files->len;
      LineHeader header = { 0 };

      if (is_64)
        length = read_fixed (&units, 8);
      Reader program = read_part (&units, length);
      guint version = (guint) read_fixed (&program, 2);
      if (version < 2 || version > 4)
        continue;
      Reader tables = read_part (&program, read_fixed (&program, is_64 ? 8 : 4));
      header.min_bytes = (guint8) read_fixed (&tables, 1);
      if (version >= 4)
        read_fixed (&tables, 1); /* operations per instruction */
      read_fixed (&tables, 1);   /* default of is_stmt */
      header.line_base = (gint8) read_fixed (&tables, 1);
      header.line_range = (guint8) read_fixed (&tables, 1);
      header.opcode_base = (guint8) read_fixed (&tables, 1);
      for (guint i = 1; i < header.opcode_base; i++)
        header.n_operands[i] = (guint8) read_fixed (&tables, 1);
      if (tables.is_bad || header.line_range == 0 || header.opcode_base == 0)
        continue;
      read_files (&tables, self->files);
      run_lines (&program, &header, section.data, targets, first_file, self);
    }
}

/* Of several rows at one address, the last counts. */
CURED_COMPARE_FUNC (CuredLineRange, compare_range, begin, row)

/* Returns: (transfer full) (element-type CuredLineRange): by begin */
GArray *
_cured_line_table_get_ranges (const CuredLineTable *self, gsize section)
{
  GArray *ranges = g_array_new (FALSE, FALSE, sizeof (CuredLineRange));

  for (guint i = 0; i + 1 < self->rows->len; i++)
    {
      const CuredLineRow *row = &g_array_index (self->rows, CuredLineRow, i);
      CuredLineRange range = { row->address, row[1].address, i };

      if (row->section == section && !row->is_end && range.end > range.begin)
        g_array_append_val (ranges, range);
    }
  g_array_sort (ranges, compare_range);
  return ranges;
}

/* Returns: (transfer none) (nullable): the file's name */
GRefString *
_cured_line_table_get_file (const CuredLineTable *self, const CuredLineRow *row)
{
  return row->file < self->files->len ? self->files->pdata[row->file] : NULL;
}
