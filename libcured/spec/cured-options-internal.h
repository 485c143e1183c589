/* SPDX-License-Identifier: MIT
 * Functions for the library only. */
#pragma once

#include "spec/cured-options.h"

const CuredOptionInfo *cured_option_find (const char *name);
gboolean cured_option_read (const CuredOptionInfo *self, CuredOptions *of, const char *text);
