/* SPDX-License-Identifier: MIT
 * An access whose lanes are a stride apart, in rows that may be padded. */
#pragma once

#include <glib.h>

#include "bank/cured-bank-model.h"

/* Lane l accesses element i + padding · ⌊i / every⌋, where i = base + stride · l. */
typedef struct
{
  CuredBankArch arch; /* the banks */
  CuredBankKind kind; /* %CURED_BANK_KIND_LOAD or %CURED_BANK_KIND_STORE */
  unsigned width;     /* bits per element, as of #CuredBankAccess */
  guint stride;       /* elements from one lane to the next */
  guint base;         /* element of lane 0 */
  guint padding;      /* number of unused elements after every @every elements */
  guint every;        /* number of elements of a row; at least 1 */
} CuredBankStride;

void cured_bank_stride_init (CuredBankStride *self);
guint32 cured_bank_stride_get_address (const CuredBankStride *self, guint lane);
void cured_bank_stride_get_access (const CuredBankStride *self, CuredBankAccess *access);
char *cured_bank_stride_format (const CuredBankStride *self);
