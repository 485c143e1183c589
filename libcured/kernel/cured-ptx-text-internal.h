/* SPDX-License-Identifier: MIT
 * Facts about PTX that need no parser. */
#pragma once

#include <glib.h>

gboolean _cured_text_is_ptx (const char *text);
const char *_cured_text_skip_remarks (const char *at, gboolean (*is_kept) (const char *at));
gboolean _cured_text_has_control (const char *text);
int _cured_ptx_text_get_target (const char *text, char *suffix);
gboolean _cured_ptx_text_check_target (const char *text, const char *name, const char *arch,
                                       GError **error);
char **_cured_ptx_text_list_files (const char *text);

gboolean _cured_text_has_word (const char *text, const char *word);
guint _cured_text_count_lines (const char *from, const char *to);
