/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/reference/cured-reference.h"

G_BEGIN_DECLS

const CuredReference *cured_reference_find (const char *name);

G_END_DECLS
