/* SPDX-License-Identifier: MIT
 * Options of a run of which none has its default. */
#pragma once

#include "spec/cured-options.h"

const char *other_option (const CuredOptionInfo *row);
void other_options_init (CuredOptions *self);
void
assert_same_options (const CuredOptions *a, const CuredOptions *b, guint but);
