/* SPDX-License-Identifier: MIT
 * The header comments of a kernel file, as groups and keys with their line numbers. */
#pragma once

#include <glib.h>

#include "base/cured-error.h"

typedef struct _CuredHeader CuredHeader;

CuredHeader *_cured_header_new (const char *text, const char *file, GError **error);
void _cured_header_free (CuredHeader *self);
const char *const *_cured_header_get_groups (const CuredHeader *self);
char **_cured_header_get_keys (const CuredHeader *self, const char *group);
char *_cured_header_get (const CuredHeader *self, const char *group, const char *key);
const char *_cured_header_get_text (const CuredHeader *self, const char *group);
guint _cured_header_get_line (const CuredHeader *self, const char *group, const char *key);
gsize _cured_header_get_closing (const CuredHeader *self);
void _cured_header_set_like (CuredHeader *self, const char *like, guint like_line,
                             guint first_line);
gboolean _cured_header_fail (const CuredHeader *self, const char *group, const char *key, int code,
                             GError **error, const char *format, ...) G_GNUC_PRINTF (6, 7);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredHeader, _cured_header_free)
