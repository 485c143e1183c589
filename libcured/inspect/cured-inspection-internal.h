/* SPDX-License-Identifier: MIT
 * An inspection that is put together from another process's answer. */
#pragma once

#include "inspect/cured-inspection.h"

/* Patterns of one site that are kept: random data make as many as there are accesses. */
#define CURED_BANK_VIEW_MAX_PATTERNS 4096

/* Accesses of the warp that are kept in their order. */
#define CURED_BANK_VIEW_MAX_EVENTS 4096

/* What a block has at most, on any chip. */
#define CURED_BANK_VIEW_MAX_THREADS 1024

/* Elements of buffers, by thread, that are kept: sixteen of each thread of the largest block. */
#define CURED_BANK_VIEW_MAX_TOUCHES (16 * CURED_BANK_VIEW_MAX_THREADS)

/* How many times as long by the clock as by the processor: other programs need it, too. */
#define CURED_INSPECTION_PATIENCE 10

CuredBankView *_cured_bank_view_new_empty (void);
CuredInspection *_cured_inspection_new_empty (void);
CuredInspection *_cured_inspection_new_refused (CuredKernel *kernel, const GError *error);
