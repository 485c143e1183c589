/* SPDX-License-Identifier: MIT
 * Parses PTX. */
#pragma once

#include "ptx/cured-ptx-module.h"

G_BEGIN_DECLS

CuredPtxModule *cured_ptx_module_parse (const char *text, gssize length, const char *file_name,
                                        GError **error);

G_END_DECLS
