/* SPDX-License-Identifier: MIT
 * Users' notes about cells and about a whole file. */
#pragma once

#include "store/cured-result.h"

/* Limit of a note. */
#define CURED_REMARK_BYTES 4096

/* In place of a cell number. */
#define CURED_REMARK_OF_FILE (-1)

/* The user interface calls it a note. */
typedef struct
{
  gint64 cell; /* number of the cell; %CURED_REMARK_OF_FILE: about the whole file */
  char *text;  /* of any number of lines, without characters that move or hide others */
} CuredRemark;

const CuredRemark *cured_result_get_remarks (CuredResult *self, gsize *n_remarks);
const char *cured_result_get_remark (CuredResult *self, gint64 cell);
void cured_result_set_remark (CuredResult *self, gint64 cell, const char *text);
gboolean cured_remark_write (const char *path, GDateTime *created, gint64 cell, const char *text,
                             GError **error);
