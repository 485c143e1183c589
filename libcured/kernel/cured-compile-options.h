/* SPDX-License-Identifier: MIT
 * Which options of NVRTC a kernel file may ask for. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean cured_compile_options_check (const char *const *options,
                                      GError **error);
char **cured_compile_options_parse (const char *text, GError **error);
char **cured_compile_options_take_folders (const char *const *options,
                                           GPtrArray *folders);

G_END_DECLS
