/* SPDX-License-Identifier: MIT
 * Texts of the bank page. */
#pragma once

#include "banks/cured-bank-side.h"
#include "model/cured-document.h"

char *cured_bank_text_widths (const CuredBankView *view, const CuredBankSite *site);
char *cured_bank_text_note (const CuredBankView *view);
char *cured_bank_text_problems (const CuredInspection *inspection);
char *cured_bank_text_no_shared (CuredKernel *kernel, const CuredBankView *view);
char *cured_bank_text_site (const CuredBankSite *site);
void cured_bank_text_fill_figures (CuredBankSide *side, CuredResult *result, gint64 cell,
                                   const CuredBankView *view, const CuredBankAccess *access);
