/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "spec/cured-options.h"

G_BEGIN_DECLS

gboolean cured_option_equal (const CuredOptionInfo *self, const CuredOptions *a,
                             const CuredOptions *b);
const CuredOptionInfo *cured_option_find (const char *name);
gboolean cured_option_read (const CuredOptionInfo *self, CuredOptions *of, const char *text);

G_END_DECLS
