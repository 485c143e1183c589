/* SPDX-License-Identifier: MIT
 * Accesses of a warp as lines of text, with what was measured of them. */
#pragma once

#include <glib.h>

#include "bank/cured-bank-model.h"

typedef struct
{
  const char *op;         /* (transfer none): the instruction's name, such as “ld.b32” */
  guint line;             /* line number in the file, from 1 */
  CuredBankAccess access; /* the access, for %CURED_BANK_ARCH_5 */
  gboolean is_measured;   /* whether @wavefronts and @conflicts are set */
  guint32 wavefronts;     /* as measured */
  guint32 conflicts;      /* as measured */
} CuredBankPattern;

GArray *cured_bank_patterns_parse (const char *text, gsize length, const char *path,
                                   GError **error);
