/* SPDX-License-Identifier: MIT
 * The files that a compiler reads and writes, for confining it. */
#pragma once

#include "device/cured-compiler.h"

char *_cured_compiler_get_cache (gboolean is_confined);
char *_cured_escape_pattern (const char *folder);
char **_cured_compiler_list_folders (void);
gboolean _cured_compiler_is_of_assembler (const GError *error);
GBytes *cured_compiler_compile_live (CuredCompiler *self, CuredSources *sources,
                                     const char *file_name, const char *const *options,
                                     const char *arch, char **log, GCancellable *cancellable,
                                     GError **error);
GBytes *cured_compiler_compile_sources (CuredCompiler *self, CuredSources *sources,
                                        const char *file_name, const char *const *options,
                                        const char *arch, gint64 *compile_ns, GError **error);
void cured_compiler_prepare (CuredCompiler *self, CuredSources *sources, const char *file_name,
                             const char *const *options, const char *arch);
