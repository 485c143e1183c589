/* SPDX-License-Identifier: MIT
 * NVRTC, loaded at run time, and a cache of its output. */
#pragma once

#include <gio/gio.h>

#include "kernel/program/cured-program.h"
#include "kernel/cured-sources.h"

/* Compiles CUDA C to a cubin (arch "sm_90") or to PTX (arch "compute_90"). Thread-safe. Its output
 * is cached in memory and, by content (source, each file that it includes, options, arch, NVRTC
 * version), in `$XDG_CACHE_HOME/cured/compiled`. When that exceeds 1 GiB, or `CURED_CACHE_MIB`, the
 * oldest files are deleted. */
typedef struct _CuredCompiler CuredCompiler;

CuredCompiler *cured_compiler_new (GError **error);
void cured_compiler_free (CuredCompiler *self);
const char *cured_compiler_get_version (const CuredCompiler *self);
const char *cured_compiler_get_path (const CuredCompiler *self);

GBytes *cured_compiler_compile (CuredCompiler *self, const char *source, const char *file_name,
                                const char *const *options, const char *arch, gint64 *compile_ns,
                                GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCompiler, cured_compiler_free)
