/* SPDX-License-Identifier: MIT
 * The examiner of the application. */
#pragma once

#include "cured.h"

G_BEGIN_DECLS

CuredExaminer *cured_examiner_get_shared (void);

G_END_DECLS
