/* SPDX-License-Identifier: MIT
 * Fuzz target: any bytes are decoded as machine code with line tables, and what ran of it adds up;
 * so is any file. The input is two lengths of 16 bits, then the code, the table of source lines and
 * the table of PTX lines. */
#include <elf.h>
#include <math.h>

#include "cured.h"
#include "sass/cured-sass-flow-internal.h"
#include "sass/cured-sass-internal.h"
#include "fuzz.h"

#define MAX_LINES 64

static const char names[] = "\0.shstrtab\0.text.k\0.debug_line\0.nv_debug_line_sass";

enum
{
  SECTION_NONE,
  SECTION_NAMES,
  SECTION_TEXT,
  SECTION_LINES,
  SECTION_PTX_LINES,
  SECTION_SYMBOLS,
  SECTION_TARGETS, /* relocations of the tables */
  SECTION_PTX_TARGETS,
  N_SECTIONS,
};

static const guint name_offsets[N_SECTIONS] = { 0, 1, 11, 19, 31 };

/* Wherever an address is in a table, it counts from the code's begin. */
static Elf64_Rel *
make_targets (gsize size)
{
  Elf64_Rel *targets = g_new0 (Elf64_Rel, size + 1);

  for (gsize i = 0; i < size; i++)
    targets[i] = (Elf64_Rel){ .r_offset = i, .r_info = ELF64_R_INFO (1, 2) };
  return targets;
}

static GBytes *
make_cubin (const guint8 *parts[N_SECTIONS], const gsize sizes[N_SECTIONS])
{
  GByteArray *file = g_byte_array_new ();
  Elf64_Shdr sections[N_SECTIONS] = { 0 };
  Elf64_Ehdr header = {
    .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
    .e_machine = 190,
    .e_flags = 90,
    .e_shoff = sizeof header,
    .e_shentsize = sizeof (Elf64_Shdr),
    .e_shnum = N_SECTIONS,
    .e_shstrndx = SECTION_NAMES,
  };
  gsize at = sizeof header + sizeof sections;

  for (guint i = 1; i < N_SECTIONS; i++)
    {
      sections[i].sh_name = name_offsets[i];
      sections[i].sh_type = SHT_PROGBITS;
      sections[i].sh_offset = at;
      sections[i].sh_size = sizes[i];
      at += sizes[i];
    }
  sections[SECTION_SYMBOLS].sh_type = SHT_SYMTAB;
  sections[SECTION_TARGETS].sh_type = SHT_REL;
  sections[SECTION_TARGETS].sh_info = SECTION_LINES;
  sections[SECTION_TARGETS].sh_link = SECTION_SYMBOLS;
  sections[SECTION_PTX_TARGETS] = sections[SECTION_TARGETS];
  sections[SECTION_PTX_TARGETS].sh_info = SECTION_PTX_LINES;
  sections[SECTION_PTX_TARGETS].sh_offset += sizes[SECTION_TARGETS];
  sections[SECTION_PTX_TARGETS].sh_size = sizes[SECTION_PTX_TARGETS];
  g_byte_array_append (file, (const guint8 *) &header, sizeof header);
  g_byte_array_append (file, (const guint8 *) sections, sizeof sections);
  for (guint i = 1; i < N_SECTIONS; i++)
    g_byte_array_append (file, parts[i], (guint) sizes[i]);
  return g_byte_array_free_to_bytes (file);
}

static void
check_flow (const CuredSassCode *code)
{
  CuredSassSite sites[MAX_LINES] = { 0 };

  for (guint i = 0; i < MAX_LINES; i++)
    {
      sites[i].ptx_line = (int) i + 1;
      sites[i].op_class = (CuredSassClass) (i * 7 % CURED_SASS_N_CLASSES);
      sites[i].width = 32;
      sites[i].issued = i % 5 * 100;
      sites[i].diverged = i % 11 == 3;
    }
  g_autoptr (CuredSassFlow) flow = cured_sass_flow_new (code, sites, MAX_LINES, 10);
  g_assert_true (isfinite (flow->total));
  g_assert_cmpfloat (flow->total, >=, 0);
  for (guint i = 0; i < flow->blocks->len; i++)
    {
      const CuredSassBlock *block = &g_array_index (flow->blocks, CuredSassBlock, i);

      g_assert_cmpfloat (block->executed, >=, 0);
    }
}

static void
check_cubin (GBytes *cubin)
{
  g_autoptr (CuredSassCode) code = cured_sass_code_new (cubin, "k", NULL);
  g_autoptr (GArray) accesses = cured_sass_list_shared (cubin, "k", NULL);

  g_assert_true ((code == NULL) == (accesses == NULL));
  if (code == NULL)
    return;
  for (guint i = 0; i < code->insts->len; i++)
    g_free (cured_sass_inst_get_mnemonic (&g_array_index (code->insts, CuredSassInst, i)));
  check_flow (code);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) whole = g_bytes_new (data, size);
  const guint8 *parts[N_SECTIONS] = { NULL };
  gsize sizes[N_SECTIONS] = { 0 };
  static const Elf64_Sym symbols[2] = { { 0 }, { .st_shndx = SECTION_TEXT } };
  g_autofree Elf64_Rel *targets = NULL, *ptx_targets = NULL;

  check_cubin (whole);
  if (size < 4)
    return 0;
  sizes[SECTION_NAMES] = sizeof names;
  parts[SECTION_NAMES] = (const guint8 *) names;
  sizes[SECTION_TEXT] = MIN ((gsize) (data[0] | data[1] << 8), size - 4);
  sizes[SECTION_LINES] = MIN ((gsize) (data[2] | data[3] << 8), size - 4 - sizes[SECTION_TEXT]);
  sizes[SECTION_PTX_LINES] = size - 4 - sizes[SECTION_TEXT] - sizes[SECTION_LINES];
  parts[SECTION_TEXT] = data + 4;
  parts[SECTION_LINES] = parts[SECTION_TEXT] + sizes[SECTION_TEXT];
  parts[SECTION_PTX_LINES] = parts[SECTION_LINES] + sizes[SECTION_LINES];
  targets = make_targets (sizes[SECTION_LINES]);
  ptx_targets = make_targets (sizes[SECTION_PTX_LINES]);
  parts[SECTION_SYMBOLS] = (const guint8 *) symbols;
  sizes[SECTION_SYMBOLS] = sizeof symbols;
  parts[SECTION_TARGETS] = (const guint8 *) targets;
  sizes[SECTION_TARGETS] = sizes[SECTION_LINES] * sizeof *targets;
  parts[SECTION_PTX_TARGETS] = (const guint8 *) ptx_targets;
  sizes[SECTION_PTX_TARGETS] = sizes[SECTION_PTX_LINES] * sizeof *ptx_targets;
  g_autoptr (GBytes) made = make_cubin (parts, sizes);
  check_cubin (made);
  return 0;
}
