/* SPDX-License-Identifier: MIT
 * What the warps of a kernel do to the banks of shared memory. */
#pragma once

#include "widgets/cured-page.h"

#define CURED_TYPE_BANK_PAGE (cured_bank_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredBankPage, cured_bank_page, CURED, BANK_PAGE, CuredPage)
