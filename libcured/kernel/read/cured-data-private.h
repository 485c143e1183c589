/* SPDX-License-Identifier: MIT
 * Files with the inputs of a kernel. */
#pragma once

#include "kernel/read/cured-header-private.h"
#include "kernel/cured-kernel.h"
#include "kernel/cured-sources.h"

/* Of the groups with a file, before its name. */
#define CURED_DATA_FILE    "File "
#define CURED_DATA_INCLUDE "Include "

/* Of all inputs, and of all included files, that a text carries. */
#define CURED_DATA_MAX_BYTES (2 << 20)

/* Of an input that a text carries the digest of. */
#define CURED_DATA_DIGEST "SHA256"

/* Included ones in one text. Each directive is compared with all names. */
#define CURED_DATA_MAX_FILES 1024

/* Of a file in the text that carries it. */
#define CURED_DATA_MAX_LINES 64

gboolean _cured_data_embed (const char *text, const char *path, CuredHeader **header,
                            const char *file, char **source, GError **error);
char *_cured_data_carry (const char *text, const CuredSources *there, GPtrArray *names,
                         GPtrArray *texts);
GBytes *_cured_data_read (const CuredHeader *header, const char *group);
GBytes *_cured_data_load_named (const CuredHeader *header, const char *group, const char *path,
                                GError **error);
GBytes *_cured_data_expand (GBytes *bytes, const char *name, gsize most, GError **error);
GBytes *_cured_data_get_elements (GBytes *whole, const CuredBuffer *buffer, GError **error);
