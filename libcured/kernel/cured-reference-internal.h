/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/cured-reference.h"

G_BEGIN_DECLS

const CuredReference *cured_reference_find (const char *name);
gboolean cured_reference_takes (const char *name, const CuredBuffer *buffer);

G_END_DECLS
