/* SPDX-License-Identifier: MIT
 * The list of a warp's accesses to shared memory, by source line. */
#pragma once

#include <adwaita.h>

#include "cured.h"

#define CURED_TYPE_BANK_SITES (cured_bank_sites_get_type ())
/* A table that its headings sort, the worst first. Sites of a line that are alike are one row.
 * Signals: `selected`: another site is; `activated`: Enter or a double click. */
G_DECLARE_FINAL_TYPE (CuredBankSites, cured_bank_sites, CURED, BANK_SITES, AdwBin)

void cured_bank_sites_set_view (CuredBankSites *self, CuredBankView *view);
const CuredBankSite *cured_bank_sites_get_selected (CuredBankSites *self);
gboolean cured_bank_sites_is_selected (CuredBankSites *self, gsize site);
gboolean cured_bank_sites_select (CuredBankSites *self, gsize site);
gboolean cured_bank_sites_select_line (CuredBankSites *self, const CuredKernel *kernel, int line);
guint cured_bank_sites_get_n_rows (CuredBankSites *self);
void cured_bank_sites_set_wide (CuredBankSites *self, gboolean is_wide);
