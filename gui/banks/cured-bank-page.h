/* SPDX-License-Identifier: MIT
 * The accesses of a kernel's warps to the banks of shared memory. */
#pragma once

#include "widgets/cured-page.h"

#define CURED_TYPE_BANK_PAGE (cured_bank_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredBankPage, cured_bank_page, CURED, BANK_PAGE, CuredPage)
