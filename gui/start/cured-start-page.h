/* SPDX-License-Identifier: MIT
 * The page of a tab before a file is open. */
#pragma once

#include <adwaita.h>

#define CURED_TYPE_START_PAGE (cured_start_page_get_type ())
/* Signal: `open-file` (GFile *file): a recent or recorded file was chosen. */
G_DECLARE_FINAL_TYPE (CuredStartPage, cured_start_page, CURED, START_PAGE, AdwBin)

void cured_start_page_refresh (CuredStartPage *self);
