/* SPDX-License-Identifier: MIT
 * The values of a kernel's parameters, all of them tried in few cells. */
#pragma once

#include <cured.h>

#define COVER_N_ANY_VALUES 5

extern const gint64 cover_any_values[COVER_N_ANY_VALUES];

GPtrArray *cover_parameters (CuredKernel *kernel, const CuredLimits *limits,
                             gboolean compiles_only);
