/* SPDX-License-Identifier: MIT
 * The page of a CUDA program. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- A CUDA program, which runs on the emulator, and its launches ---- */

#define CURED_TYPE_PROGRAM_PAGE (cured_program_page_get_type ())
/* Runs a program with `cured exec` on request, and shows its kernels, findings and output. Signal:
 * `open-file` (GFile *): the user chose the kernel file of a launch. */
G_DECLARE_FINAL_TYPE (CuredProgramPage, cured_program_page, CURED, PROGRAM_PAGE, AdwBin)

gboolean cured_program_page_can_open (GFile *file);
void cured_program_page_open (CuredProgramPage *self, GFile *file);
