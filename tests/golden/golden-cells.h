/* SPDX-License-Identifier: MIT
 * Cells of the catalogue's kernels, small enough for the emulator, whose outputs and counters were
 * recorded on a GPU. */
#pragma once

#include <cured.h>

/**
 * GoldenCell:
 * @name: "n=7 tile=3", "" where there is no parameter
 *
 * One cell; limits are those of an H200, whatever runs it. */
typedef struct
{
  CuredKernel *kernel;
  CuredProgram *program;
  char *name;
} GoldenCell;

typedef void (*GoldenOutputFunc) (const GoldenCell *cell, const CuredProgramBuffer *buffer,
                                  const char *checksum, gpointer user_data);

GPtrArray *golden_cells_new (GError **error);
GPtrArray *golden_cells_read (const char *path, GError **error);
const char *golden_cells_get_reason (const char *kernel);
guint golden_cells_get_quick (const char *kernel);
const char *golden_cells_get_difference (const char *kernel, const char *counter);
GBytes *golden_cell_compile (const GoldenCell *self, CuredCompiler *compiler, const char *arch,
                             gboolean is_contracted, GError **error);
gboolean golden_cell_run (const GoldenCell *self, CuredDevice *device, GBytes *image,
                          GoldenOutputFunc output, gpointer user_data, GError **error);
