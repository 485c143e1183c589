/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "inspect/cured-bank-view.h"

gboolean cured_bank_site_is_alike (const CuredBankSite *self, const CuredBankSite *other);
