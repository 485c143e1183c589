/* SPDX-License-Identifier: MIT
 * The sweep that follows a result: the same, or a finer one. */
#pragma once

#include "spec/cured-spec.h"
#include "store/cured-result.h"

CuredSpec *cured_spec_new_from_result (CuredResult *result, CuredKernel *kernel);
void cured_spec_refine (CuredSpec *self, CuredResult *result, gsize axis, gsize first, gsize last);
