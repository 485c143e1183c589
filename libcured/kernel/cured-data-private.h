/* SPDX-License-Identifier: MIT
 * Files with the inputs of a kernel. */
#pragma once

#include "kernel/cured-kernel-private.h"

G_BEGIN_DECLS

/* Of a file in the text that carries it. */
#define CURED_DATA_MAX_LINES 64

gboolean _cured_data_embed (const char *text,
                            const char *path,
                            CuredHeader **header,
                            const char *file,
                            char **source,
                            GError **error);
GBytes *_cured_data_get_elements (GBytes *whole,
                                  const CuredBuffer *buffer,
                                  GError **error);

G_END_DECLS
