/* SPDX-License-Identifier: MIT
 * Accesses of a warp as lines of text, with what was measured of them. */
#pragma once

#include <glib.h>

#include "bank/cured-bank-model.h"

G_BEGIN_DECLS

/**
 * CuredBankPattern:
 * @op: (transfer none): the instruction's name, such as “ld.b32”
 * @line: of its file, from 1
 * @access: of %CURED_BANK_ARCH_5
 * @is_measured: the line has the next two
 * @wavefronts: as measured
 * @conflicts: as measured
 */
typedef struct
{
  const char *op;
  guint line;
  CuredBankAccess access;
  gboolean is_measured;
  guint32 wavefronts, conflicts;
} CuredBankPattern;

GArray *cured_bank_patterns_parse (const char *text, gsize length, const char *path,
                                   GError **error);

G_END_DECLS
