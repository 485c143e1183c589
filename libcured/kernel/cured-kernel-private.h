/* SPDX-License-Identifier: MIT
 * What the model of a kernel and its reader share. */
#pragma once

#include "kernel/cured-header-private.h"
#include "kernel/cured-kernel.h"

G_BEGIN_DECLS

extern const char *const _cured_element_words[];

const char **_cured_kernel_list_names (const CuredKernel *self, gboolean limits);
CuredKernel *_cured_kernel_new_alone (const char *text, const char *id, const char *path,
                                      GError **error);
char *_cured_kernel_load_text (const char *path, GError **error);
char *_cured_kernel_load_pair (const char *path, char **code_path, CuredHeader **header,
                               GError **error);
char *_cured_kernel_make_id (const char *path);
char *_cured_kernel_expand (const char *text, const char *path, CuredHeader **header,
                            const char *file, GError **error);
char *_cured_suggest (const char *name, const char *const *candidates);

G_END_DECLS
