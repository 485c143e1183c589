/* SPDX-License-Identifier: MIT
 * What a cubin's machine code does to shared memory, and for which lines.
 *
 * Where the encodings come from. NVIDIA does not document them. They were read
 * off the output of nvdisasm 13 for one program with every shared-memory
 * instruction of PTX, assembled for sm_75, 80, 86, 89 and 90; a test compares
 * every instruction of every kernel of the catalogue with nvdisasm where that
 * is installed. An instruction has 16 bytes:
 *
 *   bits 0–8      operation; bits 9–11 say where its operands come from
 *   bits 12–15    guard: number and negation of a predicate; 15 is “never”
 *   bits 72–73    ldmatrix, stmatrix: 1, 2 or 4 matrices
 *   bits 73–75    load, store and copy: width; atomic: type
 *
 * Implementation notes. libdw reads line tables, too. But a cubin has no
 * .debug_info, which its usual way in asks for, and addresses of its table
 * stand in relocations of a kind that libdw does not apply: what is left of its
 * use is less than the 100 lines below. */
#include "config.h"

#include "device/cured-sass-internal.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"
#include "device/cured-elf-private.h"

#define OLDEST_ARCH 75
#define LATEST_ARCH 90

#define INSTRUCTION_BYTES 16
#define NEVER             15

/* Extended operations of the line table beside DWARF's own. */
#define LINE_INLINED_CALL 0x90

/* How far “inlined at” is followed. */
#define MAX_DEPTH 64

/* No compiler writes more; a damaged file must not take all memory. */
#define MAX_FILES 4096
#define MAX_NAME  4096

/* ---- Operations ---- */

typedef enum
{
  WIDTH_PLAIN,    /* u8 s8 u16 s16 32 64 128 */
  WIDTH_ATOMIC,   /* u32 s32 u64 s64, and floats of 32 bits */
  WIDTH_MATRICES, /* x1 x2 x4 */
} WidthField;

typedef struct
{
  guint operation; /* bits 0–8 */
  CuredAccessKind kind;
  WidthField field;
} Operation;

static const Operation operations[] = {
  { 0x184, CURED_ACCESS_LOAD, WIDTH_PLAIN },        /* LDS */
  { 0x188, CURED_ACCESS_STORE, WIDTH_PLAIN },       /* STS */
  { 0x18c, CURED_ACCESS_ATOMIC, WIDTH_ATOMIC },     /* ATOMS */
  { 0x18d, CURED_ACCESS_ATOMIC, WIDTH_ATOMIC },     /* ATOMS.CAS */
  { 0x03b, CURED_ACCESS_LDMATRIX, WIDTH_MATRICES }, /* LDSM */
  { 0x044, CURED_ACCESS_STMATRIX, WIDTH_MATRICES }, /* STSM */
  { 0x1ae, CURED_ACCESS_COPY, WIDTH_PLAIN },        /* LDGSTS */
};

/* FALSE: it does not access shared memory. */
static gboolean
decode (const guint8 *instruction, CuredSassAccess *access)
{
  static const guint plain[8] = { 8, 8, 16, 16, 32, 64, 128, 0 };
  guint64 words[2];
  guint type = 0;

  memcpy (words, instruction, sizeof words);
  words[0] = GUINT64_FROM_LE (words[0]);
  words[1] = GUINT64_FROM_LE (words[1]);
  if ((words[0] >> 12 & 15) == NEVER)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    {
      if ((words[0] & 0x1ff) != operations[i].operation)
        continue;
      access->kind = operations[i].kind;
      type = words[1] >> 9 & 7;
      switch (operations[i].field)
        {
        case WIDTH_MATRICES:
          access->width = 128;
          access->matrices = 1u << MIN (words[1] >> 8 & 3, 2);
          break;
        case WIDTH_ATOMIC:
          access->width = type == 2 || type == 3 ? 64 : 32;
          break;
        case WIDTH_PLAIN:
        default:
          access->width = plain[type];
          break;
        }
      return access->width > 0;
    }
  return FALSE;
}

/* “90” of sm_90. Toolkits up to 12 write it into the lowest byte of the flags;
 * later ones (ABI version 8) into the next. */
static guint
get_arch (const CuredElf *self)
{
  const Elf64_Ehdr *header = &self->header;

  return header->e_flags >> (header->e_ident[EI_ABIVERSION] >= 8 ? 8 : 0) &
         0xff;
}

/* ---- Lines ---- */

/* From @address on, until the next one, code is of this line. */
typedef struct
{
  guint64 address;
  gsize section;
  guint file; /* index in @files of the table */
  int line;
  guint inlined; /* row that calls, from 1 among all; 0: none */
  gboolean is_end;
} Row;

typedef struct
{
  GArray *rows;     /* (element-type Row), as they stand in the table */
  GPtrArray *files; /* (element-type GRefString) */
} LineTable;

/* Reads beyond the end give 0 and set @is_bad. */
typedef struct
{
  const guint8 *at;
  const guint8 *end;
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
  const guint8 *begin = self->at;
  const guint8 *end = memchr (begin, '\0', (gsize) (self->end - begin));

  if (end == NULL)
    {
      self->is_bad = TRUE;
      self->at = self->end;
      return "";
    }
  self->at = end + 1;
  return (const char *) begin;
}

/* A part of what @self reads, which goes on behind it. */
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

/* Where relocations of the line table point: offset in the table → symbol's
 * section and place. */
typedef struct
{
  guint64 offset; /* in the line table */
  gsize section;
  guint64 address;
} Target;

static gint
compare_target (gconstpointer a, gconstpointer b)
{
  const Target *target_a = a;
  const Target *target_b = b;

  return (target_a->offset > target_b->offset) -
         (target_a->offset < target_b->offset);
}

static GArray *
read_targets (const CuredElf *self, gsize line_section)
{
  GArray *targets = g_array_new (FALSE, FALSE, sizeof (Target));

  for (gsize i = 1; i < self->n_sections; i++)
    {
      const Elf64_Shdr *section = &self->sections[i];
      gboolean has_addend = section->sh_type == SHT_RELA;
      gsize entry_size = has_addend ? sizeof (Elf64_Rela) : sizeof (Elf64_Rel);
      CuredPiece relocations;
      CuredPiece symbols;

      if ((section->sh_type != SHT_RELA && section->sh_type != SHT_REL) ||
          section->sh_info != line_section ||
          !_cured_elf_get_section (self, i, &relocations) ||
          !_cured_elf_get_section (self, section->sh_link, &symbols))
        continue;
      for (gsize j = 0; j + entry_size <= relocations.size; j += entry_size)
        {
          Elf64_Rela relocation = { 0 };
          Elf64_Sym symbol;
          Target target;

          memcpy (&relocation, relocations.data + j, entry_size);
          if (!_cured_piece_read (&symbols,
                                  (guint64) ELF64_R_SYM (relocation.r_info) *
                                      sizeof symbol,
                                  &symbol,
                                  sizeof symbol))
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
      if (folder > 0 && folder <= folders->len &&
          strlen (folders->pdata[folder - 1]) <= MAX_NAME)
        path = g_build_filename (folders->pdata[folder - 1], name, NULL);
      g_ptr_array_add (files, g_ref_string_new (path != NULL ? path : name));
    }
}

typedef struct
{
  guint8 min_bytes;
  gint8 line_base;
  guint8 line_range;
  guint8 opcode_base;
  guint8 n_operands[256];
} LineHeader;

static void
run_extended (Reader *program,
              const guint8 *begin,
              const GArray *targets,
              Row *row,
              guint first_row,
              gboolean *is_row)
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
      if (g_array_binary_search (
              (GArray *) targets, &key, compare_target, &found))
        {
          const Target *target = &g_array_index (targets, Target, found);

          row->section = target->section;
          row->address += target->address;
        }
      break;
    case LINE_INLINED_CALL: /* row of the unit that calls; name of the callee */
      inlined = read_leb (&part, FALSE);
      row->inlined = inlined > 0 && inlined < G_MAXUINT - first_row
                         ? first_row + (guint) inlined
                         : 0;
      break;
    default:
      break;
    }
}

/* Runs one unit's program: rows are appended to @table. */
static void
run_lines (Reader *program,
           const LineHeader *header,
           const guint8 *begin,
           const GArray *targets,
           guint first_file,
           LineTable *table)
{
  const Row initial = { .file = first_file, .line = 1 };
  guint first_row = table->rows->len;
  Row row = initial;

  while (program->at < program->end && !program->is_bad)
    {
      guint opcode = (guint) read_fixed (program, 1);
      gboolean is_row = FALSE;
      guint special = 0;
      guint64 file = 0;

      if (opcode >= header->opcode_base)
        {
          special = opcode - header->opcode_base;
          row.address +=
              (guint64) header->min_bytes * (special / header->line_range);
          row.line = (int) ((guint) row.line + (guint) header->line_base +
                            special % header->line_range);
          is_row = TRUE;
        }
      else
        switch (opcode)
          {
          case 0:
            run_extended (program, begin, targets, &row, first_row, &is_row);
            break;
          case 1: /* copy */
            is_row = TRUE;
            break;
          case 2: /* advance the address */
            row.address += header->min_bytes * read_leb (program, FALSE);
            break;
          case 3: /* advance the line */
            row.line =
                (int) ((guint) row.line + (guint) read_leb (program, TRUE));
            break;
          case 4: /* set the file */
            file = read_leb (program, FALSE);
            row.file = file > 0 && file <= MAX_FILES
                           ? first_file + (guint) file - 1
                           : G_MAXUINT;
            break;
          case 8: /* advance the address as special opcode 255 */
            special = 255u - header->opcode_base;
            row.address +=
                (guint64) header->min_bytes * (special / header->line_range);
            break;
          case 9: /* advance the address, fixed */
            row.address += read_fixed (program, 2);
            break;
          default: /* column, statement, block …: nothing that is kept */
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

static void
line_table_clear (LineTable *self)
{
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->files, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LineTable, line_table_clear)

/* All units of .debug_line, as far as they are understood: versions 2 to 4 of
 * DWARF. What is left out has no line. */
static void
line_table_init (LineTable *self, const CuredElf *elf)
{
  gsize index = _cured_elf_find_section (elf, ".debug_line");
  g_autoptr (GArray) targets = read_targets (elf, index);
  CuredPiece section;
  Reader units;

  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  self->files =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ref_string_release);
  if (index == 0 || !_cured_elf_get_section (elf, index, &section))
    return;
  units = (Reader){ section.data, section.data + section.size, FALSE };
  while (units.at < units.end && !units.is_bad)
    {
      guint64 length = read_fixed (&units, 4);
      gboolean is_64 = length == G_MAXUINT32;
      guint first_file = self->files->len;
      LineHeader header = { 0 };
      Reader program;
      Reader tables;
      guint version = 0;

      if (is_64)
        length = read_fixed (&units, 8);
      program = read_part (&units, length);
      version = (guint) read_fixed (&program, 2);
      if (version < 2 || version > 4)
        continue;
      tables = read_part (&program, read_fixed (&program, is_64 ? 8 : 4));
      header.min_bytes = (guint8) read_fixed (&tables, 1);
      if (version >= 4)
        read_fixed (&tables, 1); /* operations per instruction */
      read_fixed (&tables, 1);   /* whether rows are statements at first */
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

typedef struct
{
  guint64 begin; /* bytes into the section */
  guint64 end;
  guint row; /* of the table, from 0 */
} Range;

static gint
compare_range (gconstpointer a, gconstpointer b)
{
  const Range *range_a = a;
  const Range *range_b = b;

  if (range_a->begin != range_b->begin)
    return range_a->begin < range_b->begin ? -1 : 1;
  /* Of rows at one address the last counts. */
  return (range_a->row > range_b->row) - (range_a->row < range_b->row);
}

/* What is of which row in one section, by address. */
static GArray *
get_ranges (const LineTable *self, gsize section)
{
  GArray *ranges = g_array_new (FALSE, FALSE, sizeof (Range));

  for (guint i = 0; i + 1 < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);
      Range range = { row->address, row[1].address, i };

      if (row->section == section && !row->is_end && range.end > range.begin)
        g_array_append_val (ranges, range);
    }
  g_array_sort (ranges, compare_range);
  return ranges;
}

static GRefString *
get_file (const LineTable *self, const Row *row)
{
  return row->file < self->files->len ? self->files->pdata[row->file] : NULL;
}

/* Follows “inlined at” out of files that are not @main_file; stays where no
 * caller is in it. */
static const Row *
follow_inlined (const LineTable *self, const Row *row, const char *main_file)
{
  const Row *at = row;

  for (guint depth = 0; depth < MAX_DEPTH; depth++)
    {
      if (g_strcmp0 (get_file (self, at), main_file) == 0)
        return at;
      if (at->inlined == 0 || at->inlined > self->rows->len)
        break;
      at = &g_array_index (self->rows, Row, at->inlined - 1);
    }
  return row;
}

/* Fills in the lines of what was found in @section. */
static void
add_lines (GArray *accesses, const CuredElf *elf, gsize section)
{
  g_auto (LineTable) table = { 0 };
  g_autoptr (GArray) ranges = NULL;
  const char *main_file = NULL;
  guint next = 0;

  line_table_init (&table, elf);
  ranges = get_ranges (&table, section);
  /* The kernel's own line stands at its begin. */
  for (guint i = 0; i < ranges->len && main_file == NULL; i++)
    {
      const Range *range = &g_array_index (ranges, Range, i);
      const Row *row = &g_array_index (table.rows, Row, range->row);

      if (row->inlined == 0)
        main_file = get_file (&table, row);
    }
  for (guint i = 0; i < accesses->len; i++)
    {
      CuredSassAccess *access = &g_array_index (accesses, CuredSassAccess, i);
      const Range *range = NULL;
      const Row *row = NULL;

      while (next < ranges->len &&
             g_array_index (ranges, Range, next).begin <= access->offset)
        next++;
      if (next == 0)
        continue;
      range = &g_array_index (ranges, Range, next - 1);
      if (access->offset >= range->end)
        continue;
      row = follow_inlined (
          &table, &g_array_index (table.rows, Row, range->row), main_file);
      if (get_file (&table, row) != NULL && row->line > 0)
        {
          access->file = g_ref_string_acquire (get_file (&table, row));
          access->line = row->line;
        }
    }
}

static void
access_clear (gpointer data)
{
  CuredSassAccess *access = data;

  g_clear_pointer (&access->file, g_ref_string_release);
}

/**
 * cured_sass_list_shared:
 * @cubin: as cured_compiler_compile() makes it for "sm_75" to "sm_90"
 * @entry: name of a kernel in it
 * @error: return location
 *
 * Lists the instructions of a kernel, and of the functions that it calls, which
 * load, store, change or copy to shared memory, as the machine executes them:
 * ptxas may have merged accesses that PTX has one by one, and left some out.
 * Instructions that never run, because their guard is the constant false, are
 * not listed; nor are accesses by generic addresses. Lines are those of the
 * kernel's own file where code of other files was inlined into it.
 *
 * Any bytes are allowed.
 *
 * Returns: (transfer full) (element-type CuredSassAccess): by offset; NULL
 *   with %CURED_ERROR_INVALID where @cubin is none of these architectures', or
 *   %CURED_ERROR_NOT_FOUND where there is no such kernel
 */
GArray *
cured_sass_list_shared (GBytes *cubin, const char *entry, GError **error)
{
  g_auto (CuredElf) elf = { 0 };
  g_autofree char *name = g_strconcat (".text.", entry, NULL);
  GArray *accesses = NULL;
  gsize section = 0;
  CuredPiece file;
  CuredPiece code;

  file.data = g_bytes_get_data (cubin, &file.size);
  if (!_cured_elf_init (&elf, &file))
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_INVALID,
                   _ ("This is not a cubin: compile for an architecture such "
                      "as “sm_90”"));
      return NULL;
    }
  if (get_arch (&elf) < OLDEST_ARCH || get_arch (&elf) > LATEST_ARCH)
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_INVALID,
                   _ ("The machine code of sm_%u is not known; compile for "
                      "sm_%d to sm_%d"),
                   get_arch (&elf),
                   OLDEST_ARCH,
                   LATEST_ARCH);
      return NULL;
    }
  section = _cured_elf_find_section (&elf, name);
  if (section == 0 || !_cured_elf_get_section (&elf, section, &code))
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_NOT_FOUND,
                   _ ("The cubin has no kernel “%s”"),
                   entry);
      return NULL;
    }

  accesses = g_array_new (FALSE, FALSE, sizeof (CuredSassAccess));
  g_array_set_clear_func (accesses, access_clear);
  for (gsize i = 0; i + INSTRUCTION_BYTES <= code.size; i += INSTRUCTION_BYTES)
    {
      CuredSassAccess access = { .offset = i };

      if (decode (code.data + i, &access))
        g_array_append_val (accesses, access);
    }
  add_lines (accesses, &elf, section);
  return accesses;
}
