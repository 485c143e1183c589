/* SPDX-License-Identifier: MIT
 * An access whose lanes are a stride apart, in rows that may be padded. */
#pragma once

#include <glib.h>

#include "bank/cured-bank-model.h"

G_BEGIN_DECLS

/**
 * CuredBankStride: lane l accesses element i + padding · ⌊i / every⌋, where
 * i = base + stride · l.
 * @arch: the banks
 * @kind: %CURED_BANK_KIND_LOAD or %CURED_BANK_KIND_STORE
 * @width: bits per element, as of #CuredBankAccess
 * @stride: elements from one lane to the next
 * @base: element of lane 0
 * @padding: elements that are left out after every @every
 * @every: elements of a row; at least 1
 */
typedef struct
{
  CuredBankArch arch;
  CuredBankKind kind;
  unsigned width;
  guint stride, base, padding, every;
} CuredBankStride;

void cured_bank_stride_init (CuredBankStride *self);
guint32 cured_bank_stride_get_address (const CuredBankStride *self, guint lane);
void cured_bank_stride_get_access (const CuredBankStride *self, CuredBankAccess *access);
char *cured_bank_stride_format (const CuredBankStride *self);

G_END_DECLS
