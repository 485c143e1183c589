/* SPDX-License-Identifier: MIT
 * The page of a program that is run. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- A whole CUDA program: it runs on the emulator, and its launches can be opened ---- */

#define CURED_TYPE_PROGRAM_PAGE (cured_program_page_get_type ())
/* Runs a program with `cured exec` once that is asked for, and lists its kernels, what was found
 * and what it printed. Signal: `open-file` (GFile *): the kernel file of a launch was chosen. */
G_DECLARE_FINAL_TYPE (CuredProgramPage, cured_program_page, CURED, PROGRAM_PAGE, AdwBin)

gboolean cured_program_page_can_open (GFile *file);
void cured_program_page_open (CuredProgramPage *self, GFile *file);
