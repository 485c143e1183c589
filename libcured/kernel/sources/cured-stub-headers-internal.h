/* SPDX-License-Identifier: MIT
 * Stubs for headers that a device compiler lacks. */
#pragma once

#include <glib.h>

/* Declarations that files written for a compiler of both sides take for granted. */
#define CURED_STUB_BASE "cured/base.h"
#define CURED_STUB_STD  "cured/std.h"

const char *_cured_stub_header_find (const char *name);
const char *_cured_stub_header_find_std (const char *word);
void _cured_stub_header_collect_std (const char *text, GHashTable *words);
char *_cured_stub_header_make_base (const char *const *texts);
char *_cured_stub_header_make_std (GHashTable *words);
char *_cured_stub_header_make_optional (const char *name, gboolean is_looked_for);
