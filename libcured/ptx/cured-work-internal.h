/* SPDX-License-Identifier: MIT
 * What the library alone calls of work. */
#pragma once

#include "ptx/cured-work.h"

G_BEGIN_DECLS

double *_cured_work_at (CuredWork *self, const CuredWorkField *field);

G_END_DECLS
