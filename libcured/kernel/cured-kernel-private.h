/* SPDX-License-Identifier: MIT
 * What the model of a kernel and its reader share. */
#pragma once

#include "kernel/cured-kernel.h"

G_BEGIN_DECLS

extern const char *const _cured_element_words[];

const char **_cured_kernel_list_names (const CuredKernel *self,
                                       gboolean limits);
char *_cured_suggest (const char *name, const char *const *candidates);

G_END_DECLS
