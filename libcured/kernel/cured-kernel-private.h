/* SPDX-License-Identifier: MIT
 * Functions on kernels that the rooms of this stage share. */
#pragma once

#include "kernel/cured-kernel.h"

extern const char *const _cured_element_words[];

const char **_cured_kernel_list_names (const CuredKernel *self, gboolean limits);
const char *_cured_nearest (const char *name, const char *const *candidates);
char *_cured_suggest (const char *name, const char *const *candidates);
