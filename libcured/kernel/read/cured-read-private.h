/* SPDX-License-Identifier: MIT
 * The steps from files to the text and the header of one kernel. */
#pragma once

#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-kernel-private.h"
#include "kernel/read/cured-header-private.h"

/* Reads a kernel that another one's Like= names. */
typedef CuredKernel *(*CuredKernelReadFunc) (const char *text, const char *id, const char *path,
                                             GError **error);

char *_cured_kernel_load_pair (const char *path, char **code_path, CuredHeader **header,
                               GError **error);
char *_cured_kernel_make_id (const char *path);
char *_cured_kernel_expand (const char *text, const char *path, CuredHeader **header,
                            const char *file, CuredKernelReadFunc read_alone, GError **error);
