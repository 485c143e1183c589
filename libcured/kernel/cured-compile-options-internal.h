/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/cured-compile-options.h"

gboolean cured_compile_options_check (const char *const *options, GError **error);
char **cured_compile_options_take_folders (const char *const *options, GPtrArray *folders);
char **cured_compile_options_parse (const char *text, GError **error);
