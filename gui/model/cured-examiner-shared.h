/* SPDX-License-Identifier: MIT
 * The examiner of the application. */
#pragma once

#include "cured.h"

CuredExaminer *cured_examiner_get_shared (void);
