/* SPDX-License-Identifier: MIT
 * Sources that came along with a kernel from another process. */
#pragma once

#include "kernel/cured-sources.h"

G_BEGIN_DECLS

CuredSources *_cured_sources_new_take (char *text, char **names, char **texts);
void _cured_kernel_set_sources (CuredKernel *self, CuredSources *sources);
CuredSources *_cured_kernel_get_sources (const CuredKernel *self);

G_END_DECLS
