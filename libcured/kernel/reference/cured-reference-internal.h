/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/reference/cured-reference.h"

const CuredReference *cured_reference_find (const char *name);
