/* SPDX-License-Identifier: MIT
 * What a compiler reads and writes, for who confines it. */
#pragma once

#include "device/cured-compiler.h"

G_BEGIN_DECLS

char *_cured_compiler_get_cache (gboolean is_confined);
char **_cured_compiler_list_folders (void);

G_END_DECLS
