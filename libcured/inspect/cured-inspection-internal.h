/* SPDX-License-Identifier: MIT
 * Inspections that are built from another process's answer. */
#pragma once

#include "inspect/cured-inspection.h"

/* Limit of patterns kept per site: with random data, each access has another one. */
#define CURED_BANK_VIEW_MAX_PATTERNS 4096

/* Limit of the warp's accesses that are kept, in order. */
#define CURED_BANK_VIEW_MAX_EVENTS 4096

/* Greatest number of threads in a block on any chip. */
#define CURED_BANK_VIEW_MAX_THREADS 1024

/* Limit of touches that are kept: sixteen for each thread of the largest block. */
#define CURED_BANK_VIEW_MAX_TOUCHES (16 * CURED_BANK_VIEW_MAX_THREADS)

/* Limit by the clock over that of processor time: other programs need the processor, too. */
#define CURED_INSPECTION_PATIENCE 10

CuredBankView *_cured_bank_view_new_empty (void);
CuredInspection *_cured_inspection_new_empty (void);
CuredInspection *_cured_inspection_new_refused (CuredKernel *kernel, const GError *error);
