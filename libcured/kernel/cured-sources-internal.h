/* SPDX-License-Identifier: MIT
 * Sources of a kernel from another process, and the places where a kernel's files may
 * be. */
#pragma once

#include "kernel/cured-sources.h"
#include "ptx/cured-finding.h"

CuredSources *_cured_sources_new_take (char *text, char **names, char **texts);
gboolean _cured_is_below (const char *path, const char *folder);
gboolean _cured_is_file (const char *path, const char *name);
char *_cured_sources_dup_line (const CuredSources *self, const char *file, int line);
void _cured_sources_quote (const CuredSources *self, GPtrArray *findings);
char *_cured_find_beside (const char *file, const char *name, GError **error);
gboolean cured_sources_equal (const CuredSources *self, const CuredSources *other);
CuredSources *cured_sources_ref (CuredSources *self);
