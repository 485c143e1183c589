/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "worker/cured-examiner.h"

void cured_examiner_set_limit (CuredExaminer *self, double limit_s);
