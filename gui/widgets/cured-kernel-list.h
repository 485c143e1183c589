/* SPDX-License-Identifier: MIT
 * The kernels that there are, by family, with a search. */
#pragma once

#include <adwaita.h>

#include "cured.h"

#define CURED_TYPE_KERNEL_LIST (cured_kernel_list_get_type ())
/* Signals: `chosen` (const char *id): a kernel of the catalogue was activated; `loaded`: the
 * kernels are known, which takes a moment. */
G_DECLARE_FINAL_TYPE (CuredKernelList, cured_kernel_list, CURED, KERNEL_LIST, AdwBin)

void cured_kernel_list_set_shown (CuredKernelList *self, const char *id);
gboolean cured_kernel_list_is_loaded (CuredKernelList *self);
const char *cured_kernel_list_get_recording (CuredKernelList *self, const char *id);
