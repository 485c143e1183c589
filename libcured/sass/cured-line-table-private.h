/* SPDX-License-Identifier: MIT
 * Line tables of a cubin, which map addresses to source or PTX lines. */
#pragma once

#include "sass/cured-elf-internal.h"

/* Code from @address to that of the next row is of this line. */
typedef struct
{
  guint64 address;
  gsize section;
  guint file; /* index in @files of the table */
  int line;
  guint inlined; /* row that calls, from 1 among all; 0: none */
  gboolean is_end;
} CuredLineRow;

typedef struct
{
  GArray *rows;     /* (element-type CuredLineRow), in the table's order */
  GPtrArray *files; /* (element-type GRefString) */
} CuredLineTable;

typedef struct
{
  guint64 begin; /* bytes into the section */
  guint64 end;
  guint row; /* row of the table, from 0 */
} CuredLineRange;

void _cured_line_table_init (CuredLineTable *self, const CuredElf *elf, const char *name);
void _cured_line_table_clear (CuredLineTable *self);
GArray *_cured_line_table_get_ranges (const CuredLineTable *self, gsize section);
GRefString *_cured_line_table_get_file (const CuredLineTable *self, const CuredLineRow *row);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredLineTable, _cured_line_table_clear)
