/* SPDX-License-Identifier: MIT
 * The files that `#include MACRO (x)` may mean. */
#pragma once

#include <glib.h>

const char *_cured_include_macro_skip (const char *operand);
GPtrArray *_cured_include_macro_expand (const char *const *texts, const char *operand);
