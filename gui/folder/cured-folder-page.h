/* SPDX-License-Identifier: MIT
 * The result files of a folder. */
#pragma once

#include <adwaita.h>

#define CURED_TYPE_FOLDER_PAGE (cured_folder_page_get_type ())
/* A list of result files, sorted and searched. Signals: `open-file` (GFile *): one was chosen;
 * `compare` (GFile *first, GFile *second): two were. */
G_DECLARE_FINAL_TYPE (CuredFolderPage, cured_folder_page, CURED, FOLDER_PAGE, AdwBin)

void cured_folder_page_open (CuredFolderPage *self, GFile *folder);
