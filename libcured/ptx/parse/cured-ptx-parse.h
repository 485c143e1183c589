/* SPDX-License-Identifier: MIT
 * Parses PTX. */
#pragma once

#include "ptx/cured-ptx-module.h"

CuredPtxModule *cured_ptx_module_parse (const char *text, gssize length, const char *file_name,
                                        GError **error);
