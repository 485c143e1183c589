/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "spec/cured-options.h"

G_BEGIN_DECLS

const CuredOptionInfo *cured_option_find (const char *name);
gboolean cured_option_read (const CuredOptionInfo *self, CuredOptions *of, const char *text);

G_END_DECLS
